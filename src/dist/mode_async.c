/* mode_async.c - async: gradients are applied as they come, and no step waits for them.
 *
 * Each thread has a channel of its own. While one set of outboxes is under way the next is filled,
 * and steps that cannot leave yet are added up in it. A server applies each push when it comes. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_push.h"
#include "sys/flags.h"

/* ---- the programs ---- */

static rg_status trainer(rg_trainer *r)
{
    return rg_add_exchange(r, r->t->config.local_barrier);
}

/* ---- a trainer ---- */

/* Parameters come back when more than so many steps were sent: by default with every other. */
static bool pulls_now(rg_channel *l)
{
    int64_t every = rg_flag_int("communicator_min_send_grad_num_before_recv") + 1;
    int64_t most = rg_flag_int("communicator_max_send_grad_num_before_recv");
    if (most >= 0 && every > most + 1)
        every = most + 1;
    if ((int64_t)++l->since_pull < every)
        return false;
    l->since_pull = 0;
    return true;
}

static rg_status push(rg_job *job, rg_channel *l)
{
    l->steps++;
    if (l->position < l->until) /* some servers have the next push: the others get the same */
        return RG_OK;
    if (!rg_in_flight_is_done(&l->in_flight)) {
        if (l->steps < rg_flag_int("communicator_max_merge_var_num") && l->n_tags < RG_PS_MAX_TAGS)
            return RG_OK;
        RG_TRY(rg_in_flight_wait(&l->in_flight));
    }
    RG_TRY(rg_channel_take(job, l));
    if (l->steps > 1 && !rg_flag_bool("communicator_is_sgd_optimizer"))
        for (int s = 0; s < job->n_servers; s++)
            rg_outbox_scale(job, &l->filling[s], s, 1.0f / (float)l->steps);
    return rg_channel_send(job, l, pulls_now(l), false);
}

const rg_mode rg_mode_async = {
    .programs = {.name = "async", .number = 1, .counts = true, .trainer = trainer},
    .background = true,
    .push = push,
    .pushed = rg_serve_at_once,
};
