/* mode_sync.c - sync: a step is made of the gradients of all trainers, and all wait for it.
 *
 * A server holds each push until every trainer that takes part has pushed; then the step is made,
 * and all are answered with the parameters of the next. A trainer's threads are one sender. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_priv.h"

/* ---- the programs ---- */

/* With runtime_split and no barrier of its own the push itself is what waits. */
static rg_status trainer(rg_trainer *r)
{
    const rg_transpile_config *c = &r->t->config;
    return rg_add_exchange(r, c->local_barrier || !c->runtime_split);
}

/* ---- a server ---- */

static void try_step(rg_engine *s)
{
    int took_part = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        if (trainer->waiting != NULL)
            took_part++;
        else if (!trainer->left && trainer->rendezvous.request == NULL)
            return; /* it is still computing, or has not come yet */
    }
    if (took_part == 0 || s->ended)
        return;
    rg_status code = rg_serve_make_step(s, took_part);
    if (code != RG_OK) {
        rg_serve_fail(s, code, "%s", rg_error_message());
        return;
    }
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_member *trainer = &s->trainers[t];
        rg_rpc_request *request = trainer->waiting;
        trainer->waiting = NULL;
        if (request != NULL)
            rg_serve_reply(s, request, trainer->push.pull, trainer->push.n_pull, true, -1);
    }
}

/* An answer that was lost is given again: of the step that was made, or of one since. */
static void pushed(rg_engine *s, rg_member *trainer, rg_rpc_request *request, bool again)
{
    if (again) {
        rg_serve_reply(s, request, trainer->push.pull, trainer->push.n_pull, false,
                       (int)(trainer - s->trainers));
        return;
    }
    trainer->waiting = request;
    try_step(s);
}

const rg_mode rg_mode_sync = {
    .programs = {.name = "sync",
                 .number = 0,
                 .merges = true,
                 .check = rg_refuse_dc_asgd,
                 .trainer = trainer},
    .together = true,
    .push = rg_push_together,
    .pushed = pushed,
    .try_step = try_step,
};
