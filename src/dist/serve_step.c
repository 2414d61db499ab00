/* serve_step.c - one step of what several trainers pushed, made by all shards.
 *
 * Each shard makes its part: its dense variables and its rows, from the pushes of all, added in the
 * order of the trainers' numbers and divided by how many there were, so that a run repeats bit by
 * bit. When there is a step, and who takes part, is the mode's to say (mode_sync.c); the answers
 * are made by the loop of each trainer. */
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "sys/fault.h"

#include <stddef.h>

/* ---- a shard's part ---- */

/* What each trainer's gradient counts for. */
static float weight_of(const rg_engine *s)
{
    return s->sums ? 1.0f : 1.0f / (float)s->gave;
}

/* The mean (or sum) of the gradients that trainers pushed of one variable, applied where any did.
 */
static rg_status step_dense(rg_shard *shard, uint32_t var)
{
    const rg_engine *s = shard->engine;
    rg_served *served = &shard->vars[var];
    const float **found = rg_arena_alloc(&shard->scratch,
                                         ((size_t)s->took_part + 1) * sizeof *found);
    float *mean;
    int count = 0;
    if (found == NULL)
        return rg_no_memory(1, "a step");
    for (int t = 0; t < s->took_part; t++)
        for (uint32_t i = 0; !s->taking[t]->came && i < s->taking[t]->push.n_dense; i++)
            if (s->taking[t]->push.dense[i] == var)
                found[count++] = s->taking[t]->push.values[i];
    if (count == 0)
        return RG_OK;
    RG_TRY(rg_served_keep_dense(served));
    if (!rg_served_step_dense(served, found, count, weight_of(s))) {
        RG_TRY(rg_serve_gradient(served, &mean));
        if (mean == NULL)
            return RG_OK;
        rg_merge_values(mean, found, count, weight_of(s), 0,
                        served->about->rows * served->about->width);
        RG_TRY(rg_plan_run(served->update));
    }
    rg_value_lend(served->param); /* here, where its shard alone has it: answers read it in place */
    return RG_OK;
}

static rg_status step_rows(rg_shard *shard, uint32_t var)
{
    rg_engine *s = shard->engine;
    rg_merge_part *parts = rg_arena_alloc(&shard->scratch,
                                          ((size_t)s->took_part + 1) * sizeof *parts);
    int64_t *ids = NULL;
    float *grads = NULL;
    size_t n = 0;
    int count = 0;
    if (parts == NULL)
        return rg_no_memory(1, "a step");
    for (int t = 0; t < s->took_part; t++)
        for (uint32_t i = 0; !s->taking[t]->came && i < s->taking[t]->push.n_sparse; i++)
            if (s->taking[t]->push.sparse[i].var == var)
                (void)rg_pushing_rows(s->taking[t], i, shard, &parts[count++]);
    if (count == 0)
        return RG_OK;
    RG_TRY(rg_merge_pushed(shard, parts, count, s->schema.vars[var].width, weight_of(s), &ids,
                           &grads, &n));
    RG_TRY(rg_served_keep_rows(&shard->vars[var], ids, n));
    return rg_served_push(s, &shard->vars[var], ids, n, grads);
}

static rg_status step_vars(rg_shard *shard, bool tables)
{
    const rg_engine *s = shard->engine;
    for (uint32_t v = 0; v < s->schema.n; v++) {
        if ((rg_serve_owners(s, v) >> shard->number & 1) == 0 || s->schema.vars[v].table != tables)
            continue;
        rg_arena_reset(&shard->scratch);
        rg_served_step_begins(&shard->vars[v]);
        RG_TRY(tables ? step_rows(shard, v) : step_dense(shard, v));
    }
    return RG_OK;
}

/* Tables first: their rows were looked up a moment ago, and what dense gradients take of the cache
 * would push them out. */
static rg_status step_part(rg_spread *spread, rg_shard *shard)
{
    (void)spread;
    (void)rg_fault("ps.step");
    if (shard->schedule != NULL)
        RG_TRY(rg_plan_run(shard->schedule));
    RG_TRY(step_vars(shard, true));
    RG_TRY(step_vars(shard, false));
    (void)rg_fault("ps.stepped");
    return RG_OK;
}

/* ---- the answers ---- */

static void release_nothing(void *arg)
{
    (void)arg;
}

/* The values as they stand, which do not change until all who wait for them have them: the next
 * step needs the next push of each of them, or that it has left. Not for one that steps may be made
 * without meanwhile. */
static void reply_still(rg_engine *s, rg_pushing *p)
{
    static const uint8_t zeros[RG_PS_ALIGN];
    size_t pieces = 0;
    rg_iov *iov = rg_arena_alloc(&p->arena, ((size_t)p->push.n_pull * 2 + 1) * sizeof *iov);
    if (iov == NULL) {
        rg_rpc_reply_lost(p->request); /* the step was made */
        return;
    }
    for (uint32_t i = 0; i < p->push.n_pull; i++) {
        const rg_served *var = rg_serve_var(s, p->push.pull[i]);
        size_t bytes = (size_t)(var->about->rows * var->about->width) * sizeof(float);
        iov[pieces++] = (rg_iov){var->param->data, bytes};
        if (rg_ps_padded(bytes) > bytes)
            iov[pieces++] = (rg_iov){zeros, rg_ps_padded(bytes) - bytes};
    }
    rg_rpc_reply(p->request, RG_FRAME_STAYS, iov, pieces, release_nothing, NULL);
}

/* In the loop of the trainer, so that checksums and halves are made by all loops. */
static void answer(rg_task *task)
{
    rg_pushing *p = (rg_pushing *)(void *)((char *)task - offsetof(rg_pushing, task));
    rg_engine *s = p->spread.engine;
    if (rg_payload_back(rg_payload_asked(p->request)) == RG_PAYLOAD_FLOATS &&
        !rg_serve_may_be_passed_over(s, p->trainer)) {
        reply_still(s, p);
    } else if (rg_pushing_make_room(p) == RG_OK) {
        for (int k = 0; k < s->n_shards; k++) /* still, as above: any loop may read them */
            rg_pushing_copy_values(p, &s->shards[k]);
        rg_pushing_reply_values(p);
    } else {
        rg_rpc_reply_lost(p->request);
    }
    rg_pushing_end(p);
    (void)atomic_fetch_sub(&s->spreads, 1);
}

void rg_serve_reply_still(rg_engine *s, rg_pushing *p)
{
    p->task.run = answer;
    (void)atomic_fetch_add(&s->spreads, 1);
    if (rg_loop_inside(p->home->loop))
        answer(&p->task);
    else
        rg_loop_post(p->home->loop, &p->task);
}

/* ---- the step ---- */

void rg_serve_make_step(rg_engine *s, void (*done)(rg_spread *spread))
{
    rg_spread_start(s->step, rg_serve_all_shards(s), step_part, done);
}

void rg_serve_try_step(rg_engine *s)
{
    if (atomic_load_explicit(&s->ready, memory_order_acquire) && s->mode->try_step != NULL)
        s->mode->try_step(s);
}
