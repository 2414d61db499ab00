/* mode_sync.c - sync: a step is made of the gradients of all trainers, and all wait for it.
 *
 * A server holds each push until every trainer that takes part has pushed; then the step is made,
 * and all are answered with the parameters of the next. A trainer's threads are one sender. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"

/* ---- the programs ---- */

/* With runtime_split and no barrier of its own the push itself is what waits. */
static rg_status trainer(rg_trainer *r)
{
    const rg_transpile_config *c = &r->t->config;
    return rg_add_exchange(r, c->local_barrier || !c->runtime_split);
}

/* ---- a server ----
 *
 * Under the engine's lock it is decided that all are there, and who they are; then the lock is let
 * go, and the shards make the step. Until it is made those trainers wait: what they pushed stays
 * where it is, also when the job fails meanwhile. */

/* How many take part, where nobody else is waited for; 0: there is no step now. */
static int count_ready(const rg_engine *s, uint64_t turn)
{
    int ready = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        if (rg_serve_is_of_turn(trainer, turn))
            ready++;
        else if (trainer->waiting == NULL && rg_serve_steps_wait_for(s, trainer, turn))
            return 0; /* it is still computing, or has not come yet */
    }
    return s->ended || s->stepping || s->cutting || rg_serve_is_held_back(s, turn) ? 0 : ready;
}

static void end_step(rg_spread *spread)
{
    rg_engine *s = spread->engine;
    rg_pushing *answers = NULL; /* `taking` is the next step's as soon as the lock is let go */
    pthread_mutex_lock(&s->lock);
    s->stepping = false;
    if (spread->code != RG_OK)
        rg_serve_fail(s, spread->code, "%s", spread->why);
    if (s->ended && s->failed != RG_OK) {
        rg_serve_refuse_waiting(s); /* which it could not while the pushes were read */
    } else {
        s->steps++;
        for (int t = s->took_part - 1; t >= 0; t--) {
            s->taking[t]->trainer->waiting = NULL;
            rg_serve_tell_resuming(s, s->taking[t]->trainer);
            s->taking[t]->next = answers;
            answers = s->taking[t];
        }
    }
    pthread_mutex_unlock(&s->lock);
    while (answers != NULL) {
        rg_pushing *p = answers;
        answers = p->next;
        rg_serve_reply_still(s, p);
    }
    rg_serve_try_step(s); /* who came meanwhile was not looked at */
}

static void try_step(rg_engine *s)
{
    int n = 0;
    pthread_mutex_lock(&s->lock);
    uint64_t turn = rg_serve_next_turn(s);
    int ready = count_ready(s, turn);
    /* Nothing is written where there is no step: the shards read this in one that is under way. */
    if (ready > 0) {
        s->stepping = true;
        s->took_part = ready;
        s->gave = 0;
        s->turns = turn + 1;
    }
    for (uint32_t t = 0; ready > 0 && t < s->schema.trainers; t++)
        if (rg_serve_is_of_turn(&s->trainers[t], turn)) {
            s->taking[n++] = s->trainers[t].waiting;
            s->gave += !s->trainers[t].waiting->came;
        }
    pthread_mutex_unlock(&s->lock);
    if (ready > 0)
        rg_serve_make_step(s, end_step);
}

/* An answer that was lost is given again: of the step that was made, or of one since. One of leased
 * examples that another trainer has brought here takes part, and brings nothing: its trainer takes
 * part at the other servers. */
static void pushed(rg_engine *s, rg_pushing *p)
{
    if (p->came && !p->empty) {
        rg_serve_at_once(s, p);
        return;
    }
    pthread_mutex_lock(&s->lock);
    bool failed = s->ended && s->failed != RG_OK;
    if (failed) /* who waits has been told already */
        rg_rpc_refuse(p->request, s->failed, "%s", s->why);
    else
        p->trainer->waiting = p;
    /* Its trainer may have been answered, and pushes of others be lost that it was answered with:
     * what it sends next has to wait until they have come again. */
    if (!failed && rg_serve_is_replaying(s))
        rg_rpc_request_alone(p->request);
    p->trainer->idle = false;
    pthread_mutex_unlock(&s->lock);
    if (failed)
        rg_pushing_end(p);
    else
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
