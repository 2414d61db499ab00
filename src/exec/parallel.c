/* parallel.c - data parallelism behind exec/parallel.h. */
#include "exec/parallel.h"

#include "base/hot.h"
#include "base/mem.h"
#include "math/gemm.h"
#include "math/vector.h"
#include "sys/pool.h"

#include <string.h>

/* A persistable variable that the first part writes. */
typedef struct own_state {
    const char *name;    /* of `compute` */
    const rg_opdesc *op; /* that counts into it (RG_SUMMED); NULL: it is no counter */
    rg_value base;       /* of a counter: as it was before the run */
} own_state;

struct rg_parallel {
    int threads;
    bool sum;
    rg_program *compute, *update; /* the two parts */
    rg_scope **scopes;            /* thread 0 has the caller's */
    rg_plan **plans;              /* of `compute`, one for each thread */
    rg_plan *apply;               /* of `update`; NULL where it has no ops */
    rg_pool *pool;
    own_state *states;
    size_t n_states, cap_states;
    const char **shared; /* gradients and whatever else `update` reads of `compute` */
    int n_shared, n_feeds, n_fetches;
    int *fetched_from; /* by fetch: its number in the first part's plans, or ~ that of apply's */
};

/* ---- cutting the program in two ---- */

static bool updates(const rg_opdesc *op)
{
    int role = rg_opdesc_role(op);
    return role != RG_ROLE_NOT_SPECIFIED && (role & (RG_ROLE_OPTIMIZE | RG_ROLE_LR_SCHED)) != 0;
}

static rg_status keep_part(rg_program **out, const rg_program *program, bool update)
{
    RG_TRY(rg_program_clone(out, program, false));
    rg_block *block = (*out)->blocks[0];
    size_t kept = 0;
    for (size_t i = 0; i < block->n_ops; i++)
        if (updates(block->ops[i]) == update)
            block->ops[kept++] = block->ops[i];
    rg_block_remove_ops(block, kept, block->n_ops);
    return RG_OK;
}

/* Temporaries that the first part makes and the second reads before writing them itself. */
static rg_status find_shared(rg_parallel *p)
{
    const rg_block *block = p->update->blocks[0];
    rg_map seen = {0};
    rg_status code = RG_OK;
    size_t capacity = 0;
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        for (int s = 0; s < op->n_in; s++)
            for (int k = 0; k < op->in[s].n; k++) {
                const char *name = op->in[s].names[k];
                const rg_vardesc *var = rg_block_find(block, name);
                if (var == NULL || var->persistable || rg_map_has(&seen, name))
                    continue;
                RG_TRY_GOTO(code, rg_map_put(&seen, name, name));
                if (!rg_block_writes(p->compute->blocks[0], name))
                    continue;
                RG_TRY_GOTO(code, rg_grow((void **)&p->shared, (size_t)p->n_shared, &capacity,
                                          sizeof *p->shared));
                p->shared[p->n_shared++] = name;
            }
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                RG_TRY_GOTO(code, rg_map_put(&seen, op->out[s].names[k], (void *)(uintptr_t)1));
    }
done:
    rg_map_fini(&seen);
    return code;
}

static rg_status find_states(rg_parallel *p)
{
    const rg_block *block = p->compute->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        for (int s = 0; s < op->n_out; s++) {
            int slot = op->op ? rg_op_out_slot(op->op, op->out[s].slot) : -1;
            bool summed = slot >= 0 && (op->op->out[slot].flags & RG_SUMMED);
            for (int k = 0; k < op->out[s].n; k++) {
                const rg_vardesc *var = rg_block_find(block, op->out[s].names[k]);
                if (var == NULL || !var->persistable)
                    continue;
                RG_TRY(
                    rg_grow((void **)&p->states, p->n_states, &p->cap_states, sizeof *p->states));
                own_state *state = &p->states[p->n_states++];
                *state = (own_state){.name = var->name, .op = summed ? op : NULL};
                rg_value_init(&state->base);
            }
        }
    }
    return RG_OK;
}

/* ---- opening ---- */

static rg_status open_scopes(rg_parallel *p, rg_scope *scope)
{
    p->scopes = rg_alloc_zero((size_t)p->threads, sizeof *p->scopes);
    if (p->scopes == NULL)
        return rg_no_memory(1, "threads");
    p->scopes[0] = rg_scope_retain(scope);
    for (int t = 1; t < p->threads; t++) {
        RG_TRY(rg_scope_new(&p->scopes[t], scope));
        for (size_t i = 0; i < p->n_states; i++) {
            rg_value *own;
            RG_TRY(rg_scope_own(p->scopes[t], p->states[i].name, &own));
        }
    }
    return RG_OK;
}

/* Which part gives each fetch. */
static rg_status place_fetches(rg_parallel *p, const rg_parallel_config *config, const char **first,
                               int *n_first, const char **second, int *n_second)
{
    for (int i = 0; i < config->n_fetches; i++) {
        const char *name = config->fetches[i];
        const rg_vardesc *var = rg_block_find(p->compute->blocks[0], name);
        bool of_update = rg_block_writes(p->update->blocks[0], name) &&
                         !rg_block_writes(p->compute->blocks[0], name);
        if (of_update || (var != NULL && var->persistable && p->update->blocks[0]->n_ops > 0)) {
            p->fetched_from[i] = ~*n_second;
            second[(*n_second)++] = name;
        } else {
            p->fetched_from[i] = *n_first;
            first[(*n_first)++] = name;
        }
    }
    return RG_OK;
}

static rg_status open_plans(rg_parallel *p, rg_scope *scope, const rg_parallel_config *config)
{
    size_t room = (size_t)(config->n_fetches + p->n_shared + 1);
    const char **first = rg_alloc(room * sizeof *first), **second = rg_alloc(room * sizeof *second);
    int n_first = 0, n_second = 0;
    rg_status code = RG_OK;
    p->plans = rg_alloc_zero((size_t)p->threads, sizeof *p->plans);
    p->fetched_from = rg_alloc_zero(room, sizeof *p->fetched_from);
    if (first == NULL || second == NULL || p->plans == NULL || p->fetched_from == NULL) {
        code = rg_no_memory(room, "plans");
        goto done;
    }
    /* The shared variables are the first fetches of the first part, and the feeds of the
     * second. */
    for (int i = 0; i < p->n_shared; i++)
        first[n_first++] = p->shared[i];
    RG_TRY_GOTO(code, place_fetches(p, config, first, &n_first, second, &n_second));
    for (int t = 0; t < p->threads; t++) {
        rg_plan_config c = {config->feeds, config->n_feeds, first, n_first, false, config->no_fuse};
        RG_TRY_GOTO(code, rg_plan_open(&p->plans[t], p->compute, p->scopes[t], &c));
        rg_plan_set_thread(p->plans[t], t);
    }
    if (p->update->blocks[0]->n_ops > 0) {
        rg_plan_config c = {p->shared, p->n_shared, second, n_second, false, config->no_fuse};
        RG_TRY_GOTO(code, rg_plan_open(&p->apply, p->update, scope, &c));
    }
done:
    rg_free(first);
    rg_free(second);
    return code;
}

rg_status rg_parallel_open(rg_parallel **out, const rg_program *program, rg_scope *scope,
                           const rg_parallel_config *config)
{
    rg_parallel *p = rg_alloc_zero(1, sizeof *p);
    if (p == NULL)
        return rg_no_memory(sizeof *p, "a parallel program");
    p->threads = config->threads;
    p->sum = config->sum;
    p->n_feeds = config->n_feeds;
    p->n_fetches = config->n_fetches;
    rg_status code = rg_pool_open(&p->pool, config->threads);
    if (code == RG_OK)
        code = keep_part(&p->compute, program, false);
    if (code == RG_OK)
        code = keep_part(&p->update, program, true);
    if (code == RG_OK)
        code = find_shared(p);
    if (code == RG_OK)
        code = find_states(p);
    if (code == RG_OK)
        code = open_scopes(p, scope);
    if (code == RG_OK)
        code = open_plans(p, scope, config);
    if (code != RG_OK) {
        rg_parallel_close(p);
        return code;
    }
    *out = p;
    return RG_OK;
}

void rg_parallel_close(rg_parallel *p)
{
    if (p == NULL)
        return;
    rg_pool_close(p->pool);
    for (int t = 0; t < p->threads; t++) {
        if (p->plans != NULL)
            rg_plan_close(p->plans[t]);
        if (p->scopes != NULL)
            rg_scope_release(p->scopes[t]);
    }
    rg_plan_close(p->apply);
    for (size_t i = 0; i < p->n_states; i++)
        rg_value_fini(&p->states[i].base);
    rg_free(p->states);
    rg_free(p->plans);
    rg_free(p->scopes);
    rg_free(p->shared);
    rg_free(p->fetched_from);
    rg_program_close(p->compute);
    rg_program_close(p->update);
    rg_free(p);
}

/* ---- feeding ---- */

const rg_vardesc *rg_parallel_feed_desc(const rg_parallel *p, int i)
{
    return rg_plan_feed_desc(p->plans[0], i);
}

/* Sequences [from, to) of level 0 of `lod`, as a LoD of their own; *first and *last are the
 * rows that they cover. */
static rg_status cut_lod(const rg_lod *lod, int64_t from, int64_t to, rg_lod **out, int64_t *first,
                         int64_t *last)
{
    size_t counts[RG_MAX_LOD];
    int64_t begin[RG_MAX_LOD];
    for (int level = 0; level < lod->levels; level++) {
        counts[level] = (size_t)(to - from) + 1;
        begin[level] = from;
        from = lod->offset[level][from];
        to = lod->offset[level][to];
    }
    RG_TRY(rg_lod_new(out, lod->levels, counts));
    for (int level = 0; level < lod->levels; level++)
        for (size_t k = 0; k < counts[level]; k++)
            (*out)->offset[level][k] = lod->offset[level][begin[level] + (int64_t)k] -
                                       lod->offset[level][begin[level]];
    *first = from;
    *last = to;
    return RG_OK;
}

rg_status rg_parallel_feed(rg_parallel *p, int i, const rg_value *whole)
{
    const rg_lod *lod = whole->meta.lod;
    if (whole->meta.shape.rank < 1)
        return rg_fail(RG_EINVAL, "feed %d has no batch to be cut into %d parts", i, p->threads);
    int64_t n = lod ? rg_lod_sequences(lod, 0) : whole->meta.shape.dim[0];
    if (n < p->threads)
        return rg_fail(RG_EINVAL,
                       "a batch of %lld cannot be cut into %d parts: feed at least one example "
                       "for each thread, or set CPU_NUM to fewer",
                       (long long)n, p->threads);
    int64_t each = n / p->threads;
    for (int t = 0; t < p->threads; t++) {
        int64_t from = t * each, to = t + 1 == p->threads ? n : from + each;
        rg_lod *part = NULL;
        if (lod != NULL)
            RG_TRY(cut_lod(lod, from, to, &part, &from, &to));
        rg_status code = rg_plan_feed_rows(p->plans[t], i, whole, from, to, part);
        rg_lod_release(part);
        RG_TRY(code);
    }
    return RG_OK;
}

rg_status rg_parallel_feed_part(rg_parallel *p, int thread, int i, const rg_value *part)
{
    return rg_plan_feed_copy(p->plans[thread], i, part);
}

/* ---- running ---- */

static rg_status run_thread(void *arg, int thread)
{
    rg_parallel *p = arg;
    rg_gemm_threads(1); /* the cores are taken */
    return rg_plan_run(p->plans[thread]);
}

/* Each thread's own state starts as the common one. */
static rg_status prepare_states(rg_parallel *p)
{
    for (size_t i = 0; i < p->n_states; i++) {
        own_state *state = &p->states[i];
        const rg_value *common = rg_scope_find(p->scopes[0], state->name);
        if (common == NULL || common->data == NULL)
            continue;
        if (state->op != NULL)
            RG_TRY(rg_value_copy(&state->base, common));
        for (int t = 1; t < p->threads; t++)
            RG_TRY(rg_value_copy(rg_scope_find(p->scopes[t], state->name), common));
    }
    return RG_OK;
}

static void add_difference(const rg_value *base, const rg_value *own, rg_value *all)
{
    int64_t n = rg_numel(all);
    if (all->meta.dtype == RG_I64)
        for (int64_t k = 0; k < n; k++)
            ((int64_t *)all->data)[k] += ((const int64_t *)own->data)[k] -
                                         ((const int64_t *)base->data)[k];
    else if (all->meta.dtype == RG_F32)
        for (int64_t k = 0; k < n; k++)
            ((float *)all->data)[k] += ((const float *)own->data)[k] -
                                       ((const float *)base->data)[k];
}

static void add_counters(rg_parallel *p)
{
    for (size_t i = 0; i < p->n_states; i++) {
        const own_state *state = &p->states[i];
        rg_value *all = rg_scope_find(p->scopes[0], state->name);
        if (state->op == NULL || all == NULL || state->base.data == NULL ||
            rg_value_bytes(all) > rg_value_bytes(&state->base))
            continue;
        for (int t = 1; t < p->threads; t++) {
            const rg_value *own = rg_scope_find(p->scopes[t], state->name);
            if (rg_value_bytes(own) != rg_value_bytes(all))
                continue;
            if (state->op->op->add_counts != NULL)
                state->op->op->add_counts(state->op, &state->base, own, all);
            else
                add_difference(&state->base, own, all);
        }
    }
}

static rg_status reduce_dense(rg_parallel *p, int i, rg_value *out)
{
    RG_TRY(rg_value_copy(out, rg_plan_fetch(p->plans[0], i)));
    int64_t n = rg_numel(out);
    for (int t = 1; t < p->threads; t++) {
        const rg_value *part = rg_plan_fetch(p->plans[t], i);
        if (part->meta.kind != RG_TENSOR || !rg_shape_equal(&part->meta.shape, &out->meta.shape))
            return rg_fail(RG_ESHAPE, "the threads' values of %s differ in shape", p->shared[i]);
        if (out->meta.dtype == RG_F32)
            rg_add_f32(out->data, part->data, n);
        else if (out->meta.dtype == RG_F64)
            rg_add_f64(out->data, part->data, n);
    }
    if (p->sum)
        return RG_OK;
    if (out->meta.dtype == RG_F32)
        rg_scale_f32(out->data, 1.0f / (float)p->threads, n);
    else if (out->meta.dtype == RG_F64)
        for (int64_t k = 0; k < n; k++)
            ((double *)out->data)[k] /= (double)p->threads;
    return RG_OK;
}

/* Sparse gradients one after another, as a sum op joins them. */
static rg_status reduce_sparse(rg_parallel *p, int i, rg_value *out)
{
    size_t total = 0, at = 0;
    for (int t = 0; t < p->threads; t++)
        total += rg_plan_fetch(p->plans[t], i)->n_rows;
    const rg_value *first = rg_plan_fetch(p->plans[0], i);
    if (first->meta.dtype != RG_F32)
        return rg_fail(RG_EUNIMPL, "sparse gradients of %s on several threads",
                       rg_dtype_name(first->meta.dtype));
    RG_TRY(rg_value_resize_rows(out, RG_F32, &first->meta.shape, total));
    size_t width = (size_t)rg_value_width(first);
    for (int t = 0; t < p->threads; t++) {
        const rg_value *part = rg_plan_fetch(p->plans[t], i);
        if (part->n_rows == 0)
            continue;
        memcpy(out->rows + at, part->rows, part->n_rows * sizeof *part->rows);
        memcpy((float *)out->data + at * width, part->data, part->n_rows * width * sizeof(float));
        at += part->n_rows;
    }
    if (!p->sum)
        rg_scale_f32(out->data, 1.0f / (float)p->threads, (int64_t)(total * width));
    return RG_OK;
}

static rg_status reduce(rg_parallel *p)
{
    for (int i = 0; i < p->n_shared; i++) {
        rg_value *out = rg_plan_feed(p->apply, i);
        if (out == NULL)
            continue;
        rg_shape before = out->meta.shape;
        rg_status code = rg_plan_fetch(p->plans[0], i)->meta.kind == RG_ROWS
                             ? reduce_sparse(p, i, out)
                             : reduce_dense(p, i, out);
        RG_TRY(code);
        if (!rg_shape_equal(&before, &out->meta.shape))
            rg_plan_feed_changed(p->apply, i);
    }
    return RG_OK;
}

rg_status rg_parallel_run(rg_parallel *p)
{
    RG_TRY(prepare_states(p));
    RG_TRY(rg_pool_run(p->pool, run_thread, p));
    add_counters(p);
    if (p->apply == NULL)
        return RG_OK;
    RG_TRY(reduce(p));
    return rg_plan_run(p->apply);
}

/* ---- fetching ---- */

int rg_parallel_threads(const rg_parallel *p)
{
    return p->threads;
}

const rg_value *rg_parallel_fetch_part(const rg_parallel *p, int thread, int i)
{
    int from = p->fetched_from[i];
    return from < 0 ? rg_plan_fetch(p->apply, ~from) : rg_plan_fetch(p->plans[thread], from);
}

/* The LoDs of the threads' values one after another; NULL where the first has none. */
static rg_status join_lods(const rg_parallel *p, int i, rg_lod **out)
{
    const rg_lod *first = rg_parallel_fetch_part(p, 0, i)->meta.lod;
    size_t counts[RG_MAX_LOD], at[RG_MAX_LOD] = {0};
    *out = NULL;
    if (first == NULL)
        return RG_OK;
    for (int level = 0; level < first->levels; level++) {
        counts[level] = 1;
        for (int t = 0; t < p->threads; t++) {
            const rg_lod *lod = rg_parallel_fetch_part(p, t, i)->meta.lod;
            if (lod == NULL || lod->levels != first->levels)
                return rg_fail(RG_ESHAPE, "the threads' values of a fetch differ in their LoD");
            counts[level] += (size_t)rg_lod_sequences(lod, level);
        }
    }
    RG_TRY(rg_lod_new(out, first->levels, counts));
    for (int t = 0; t < p->threads; t++) {
        const rg_lod *lod = rg_parallel_fetch_part(p, t, i)->meta.lod;
        for (int level = 0; level < lod->levels; level++) {
            int64_t *to = (*out)->offset[level] + at[level], start = to[0];
            size_t n = (size_t)rg_lod_sequences(lod, level);
            for (size_t k = 1; k <= n; k++)
                to[k] = start + lod->offset[level][k];
            at[level] += n;
        }
    }
    return RG_OK;
}

rg_status rg_parallel_fetch(const rg_parallel *p, int i, rg_value *out)
{
    const rg_value *first = rg_parallel_fetch_part(p, 0, i);
    rg_shape shape = first->meta.shape;
    const rg_vardesc *var = NULL;
    if (p->fetched_from[i] >= 0 && first->meta.kind == RG_TENSOR)
        var = rg_block_find(p->compute->blocks[0],
                            rg_plan_fetch_name(p->plans[0], p->fetched_from[i]));
    if (var == NULL || var->persistable || shape.rank < 1)
        return rg_value_copy(out, first);
    shape.dim[0] = 0;
    for (int t = 0; t < p->threads; t++)
        shape.dim[0] += rg_parallel_fetch_part(p, t, i)->meta.shape.dim[0];
    rg_lod *lod;
    RG_TRY(rg_value_resize(out, first->meta.dtype, &shape));
    RG_TRY(join_lods(p, i, &lod));
    rg_value_set_lod(out, lod);
    rg_lod_release(lod);
    uint8_t *to = out->data;
    for (int t = 0; t < p->threads; t++) {
        const rg_value *part = rg_parallel_fetch_part(p, t, i);
        if (rg_value_width(part) != rg_value_width(out))
            return rg_fail(RG_ESHAPE, "the threads' values of a fetch differ in shape; fetch them "
                                      "with return_merged=False");
        size_t bytes = rg_value_bytes(part);
        memcpy(to, part->data, bytes);
        to += bytes;
    }
    return RG_OK;
}
