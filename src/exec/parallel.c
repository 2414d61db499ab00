/* parallel.c - data parallelism behind exec/parallel.h. */
#include "exec/parallel_priv.h"

#include "base/mem.h"
#include "math/gemm.h"
#include "exec/plan_priv.h"
#include "sys/metrics.h"
#include "sys/pool.h"

#include <string.h>

/* ---- cutting the program in two ---- */

/* With servers the program itself says how its threads go together: a barrier behind the sends
 * is where they meet (sync, half_async); one send for all parameters (geo) means that each
 * thread trains the trainer's own copy; otherwise (async) each thread sends for itself. */
static rg_update_way way_of(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    rg_update_way way = RG_UPDATE_MEAN;
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        const rg_attr *geo = rg_opdesc_attr(op, "geo_slices");
        if (rg_opdesc_is(op, RG_OP_ENDS_STEP))
            return RG_UPDATE_MEAN_SENT;
        if (rg_opdesc_is(op, RG_OP_PUSHES))
            way = geo != NULL && geo->n > 0 ? RG_UPDATE_EACH : RG_UPDATE_SENT_BY_EACH;
    }
    return way;
}

static bool updates(const rg_opdesc *op, rg_update_way way)
{
    int role = rg_opdesc_role(op), wanted = RG_ROLE_OPTIMIZE | RG_ROLE_LR_SCHED;
    if (way == RG_UPDATE_MEAN_SENT || way == RG_UPDATE_EACH)
        wanted |= RG_ROLE_RPC | RG_ROLE_DIST;
    return role != RG_ROLE_NOT_SPECIFIED && (role & wanted) != 0;
}

static rg_status keep_part(rg_program **out, const rg_program *program, rg_update_way way,
                           bool update)
{
    RG_TRY(rg_program_clone(out, program, false));
    rg_block *block = (*out)->blocks[0];
    size_t kept = 0;
    for (size_t i = 0; i < block->n_ops; i++)
        if (updates(block->ops[i], way) == update)
            block->ops[kept++] = block->ops[i];
    rg_block_remove_ops(block, kept, block->n_ops);
    return RG_OK;
}

static int index_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Temporaries that the first part makes, and feeds, that the second reads before writing them
 * itself. */
static rg_status find_shared(rg_parallel *p, const rg_parallel_config *config)
{
    const rg_block *block = p->update->blocks[0];
    rg_map seen = {0};
    rg_status code = RG_OK;
    size_t capacity = 0;
    int n_fetches = 0;
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        for (int s = 0; s < op->n_in; s++)
            for (int k = 0; k < op->in[s].n; k++) {
                const char *name = op->in[s].names[k];
                const rg_vardesc *var = rg_block_find(block, name);
                if (var == NULL || var->persistable || rg_map_has(&seen, name))
                    continue;
                RG_TRY_GOTO(code, rg_map_put(&seen, name, name));
                bool made = rg_block_writes(p->compute->blocks[0], name);
                int feed = index_of(name, config->feeds, config->n_feeds);
                if (!made && feed < 0)
                    continue;
                RG_TRY_GOTO(code, rg_grow((void **)&p->shared, (size_t)p->n_shared, &capacity,
                                          sizeof *p->shared));
                p->shared[p->n_shared++] = (rg_shared){name, made ? n_fetches++ : -1, feed};
            }
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                RG_TRY_GOTO(code, rg_map_put(&seen, op->out[s].names[k], (void *)(uintptr_t)1));
    }
done:
    rg_map_fini(&seen);
    return code;
}

/* Of what metrics add up Fluid keeps the first thread's count, which is of a part of the data that
 * nobody has asked for. Here it is of all. */
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
                rg_own_state *state = &p->states[p->n_states++];
                bool counter = summed || rg_opdesc_adds_to(op, var->name);
                *state = (rg_own_state){.name = var->name, .op = counter ? op : NULL};
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

static bool is_own_state(const rg_parallel *p, const char *name)
{
    for (size_t i = 0; i < p->n_states; i++)
        if (p->states[i].op == NULL && strcmp(p->states[i].name, name) == 0)
            return true;
    return false;
}

/* The number of a gradient of which the mean is formed; -1: it is none. */
static int mean_of(const rg_parallel *p, const char *name)
{
    if (p->way == RG_UPDATE_EACH || p->update->blocks[0]->n_ops == 0)
        return -1;
    for (int i = 0; i < p->n_shared; i++)
        if (p->shared[i].fetch >= 0 && strcmp(p->shared[i].name, name) == 0)
            return i;
    return -1;
}

/* Which part gives each fetch. */
static void place_fetches(rg_parallel *p, const rg_parallel_config *config, const char **first,
                          int *n_first, const char **second, int *n_second)
{
    for (int i = 0; i < config->n_fetches; i++) {
        const char *name = config->fetches[i];
        const rg_vardesc *var = rg_block_find(p->compute->blocks[0], name);
        bool of_update = rg_block_writes(p->update->blocks[0], name);
        bool of_compute = rg_block_writes(p->compute->blocks[0], name);
        int mean = mean_of(p, name);
        if (mean >= 0 && !of_update) {
            p->fetched[i] = (rg_fetched){RG_OF_SHARED, mean};
        } else if ((of_update && !of_compute) ||
                   (var != NULL && var->persistable && p->update->blocks[0]->n_ops > 0 &&
                    (of_update || !is_own_state(p, name)))) {
            p->fetched[i] = (rg_fetched){RG_OF_APPLY, *n_second};
            second[(*n_second)++] = name;
        } else {
            p->fetched[i] = (rg_fetched){RG_OF_COMPUTE, *n_first};
            first[(*n_first)++] = name;
        }
    }
}

static rg_status open_plans(rg_parallel *p, rg_scope *scope, const rg_parallel_config *config)
{
    size_t room = (size_t)(config->n_fetches + p->n_shared + 1);
    const char **first = rg_alloc(room * sizeof *first), **second = rg_alloc(room * sizeof *second);
    const char **shared = rg_alloc(room * sizeof *shared);
    int n_first = 0, n_second = 0;
    rg_status code = RG_OK;
    p->plans = rg_alloc_zero((size_t)p->threads, sizeof *p->plans);
    p->fetched = rg_alloc_zero(room, sizeof *p->fetched);
    if (first == NULL || second == NULL || shared == NULL || p->plans == NULL ||
        p->fetched == NULL) {
        code = rg_no_memory(room, "plans");
        goto done;
    }
    /* What the first part makes of the shared variables are its first fetches. */
    for (int i = 0; i < p->n_shared; i++) {
        shared[i] = p->shared[i].name;
        if (p->shared[i].fetch >= 0)
            first[n_first++] = p->shared[i].name;
    }
    place_fetches(p, config, first, &n_first, second, &n_second);
    for (int t = 0; t < p->threads; t++) {
        const rg_plan_config c = {.feeds = config->feeds,
                                  .n_feeds = config->n_feeds,
                                  .fetches = first,
                                  .n_fetches = n_first,
                                  .thread = t,
                                  .job = config->job};
        RG_TRY_GOTO(code, rg_plan_open(&p->plans[t], p->compute, p->scopes[t], &c));
    }
    if (p->update->blocks[0]->n_ops > 0) {
        const rg_plan_config c = {.feeds = shared,
                                  .n_feeds = p->n_shared,
                                  .fetches = second,
                                  .n_fetches = n_second,
                                  .job = config->job};
        RG_TRY_GOTO(code, rg_plan_open(&p->apply, p->update, scope, &c));
    }
done:
    rg_free(first);
    rg_free(second);
    rg_free(shared);
    return code;
}

rg_status rg_parallel_open(rg_parallel **out, const rg_program *program, rg_scope *scope,
                           const rg_parallel_config *config)
{
    rg_parallel *p = rg_alloc_zero(1, sizeof *p);
    if (p == NULL)
        return rg_no_memory(sizeof *p, "a parallel program");
    p->threads = p->active = config->threads;
    p->sum = config->sum;
    p->way = way_of(program);
    p->n_feeds = config->n_feeds;
    p->n_fetches = config->n_fetches;
    rg_status code = rg_pool_open(&p->pool, config->threads);
    if (code == RG_OK)
        code = keep_part(&p->compute, program, p->way, false);
    if (code == RG_OK)
        code = keep_part(&p->update, program, p->way, true);
    if (code == RG_OK)
        code = find_shared(p, config);
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
    rg_free(p->fetched);
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

/* What the second part alone reads has no place in the threads' plans: it goes there at once, and
 * the first thread's is what counts. */
static rg_status feed_second(rg_parallel *p, int thread, int i, const rg_value *whole, int64_t from,
                             int64_t to, rg_lod *lod)
{
    if (thread > 0 || p->apply == NULL || rg_plan_feed(p->plans[0], i) != NULL)
        return RG_OK;
    for (int s = 0; s < p->n_shared; s++)
        if (p->shared[s].fetch < 0 && p->shared[s].feed == i)
            return rg_plan_feed_rows(p->apply, s, whole, from, to, lod);
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
        if (code == RG_OK)
            code = feed_second(p, t, i, whole, from, to, part);
        rg_lod_release(part);
        RG_TRY(code);
    }
    return RG_OK;
}

rg_status rg_parallel_begin(rg_parallel *p, int n)
{
    bool fewer = p->way != RG_UPDATE_MEAN;
    if (n < 1 || n > p->threads || (n < p->threads && !fewer))
        return rg_fail(RG_EINVAL, "feed is a list of %d, and there are %d threads", n, p->threads);
    p->active = n;
    return RG_OK;
}

rg_status rg_parallel_feed_part(rg_parallel *p, int thread, int i, const rg_value *part)
{
    int64_t n = part->meta.shape.rank > 0 ? part->meta.shape.dim[0] : 1;
    RG_TRY(rg_plan_feed_copy(p->plans[thread], i, part));
    return feed_second(p, thread, i, part, 0, n, part->meta.lod);
}

/* ---- running ---- */

static rg_status run_thread(void *arg, int thread)
{
    rg_parallel *p = arg;
    if (thread >= p->active)
        return RG_OK;
    rg_gemm_threads(1); /* the cores are taken */
    rg_status code = rg_plan_run(p->plans[thread]);
    rg_gemm_threads(0); /* thread 0 is the caller's */
    return code;
}

/* Each thread's own state starts as the common one. */
static rg_status prepare_states(rg_parallel *p)
{
    for (size_t i = 0; i < p->n_states; i++) {
        rg_own_state *state = &p->states[i];
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

static rg_status add_counters(rg_parallel *p)
{
    for (size_t i = 0; i < p->n_states; i++) {
        const rg_own_state *state = &p->states[i];
        rg_value *all = rg_scope_find(p->scopes[0], state->name);
        if (state->op == NULL || all == NULL || state->base.data == NULL)
            continue;
        for (int t = 1; t < p->active; t++) {
            const rg_value *own = rg_scope_find(p->scopes[t], state->name);
            if (state->op->op->add_counts != NULL && rg_value_bytes(own) == rg_value_bytes(all) &&
                rg_value_bytes(all) <= rg_value_bytes(&state->base))
                state->op->op->add_counts(state->op, &state->base, own, all);
            else
                RG_TRY(rg_parallel_count(state->name, &state->base, own, all));
        }
    }
    return RG_OK;
}

/* What a thread has of shared variable i. */
static const rg_value *shared_of(const rg_parallel *p, int thread, int i)
{
    const rg_shared *shared = &p->shared[i];
    return shared->fetch >= 0 ? rg_plan_fetch(p->plans[thread], shared->fetch)
                              : rg_plan_feed(p->plans[thread], shared->feed);
}

static const rg_value *part_of(const rg_reduction *r, int thread)
{
    return shared_of(r->parallel, thread, r->shared);
}

/* Of what is fed the first thread's part counts. */
static rg_status reduce_one(rg_parallel *p, int i, rg_value *out)
{
    const rg_value *first = shared_of(p, 0, i);
    if (p->shared[i].fetch < 0)
        return rg_value_copy(out, first);
    return rg_parallel_reduce(&(rg_reduction){p->shared[i].name, p->active, p->sum, part_of, p, i},
                              out);
}

/* thread -1: of all; otherwise what this one has. */
static rg_status feed_apply(rg_parallel *p, int thread)
{
    for (int i = 0; i < p->n_shared; i++) {
        rg_value *out = rg_plan_feed(p->apply, i);
        if (out == NULL || shared_of(p, thread < 0 ? 0 : thread, i) == NULL)
            continue; /* no use for it, or it is there already */
        rg_shape before = out->meta.shape;
        RG_TRY(thread < 0 ? reduce_one(p, i, out) : rg_value_copy(out, shared_of(p, thread, i)));
        if (!rg_shape_equal(&before, &out->meta.shape))
            rg_plan_feed_changed(p->apply, i);
    }
    return RG_OK;
}

static rg_status run_all(rg_parallel *p)
{
    RG_TRY(prepare_states(p));
    RG_TRY(rg_pool_run(p->pool, run_thread, p));
    RG_TRY(add_counters(p));
    if (p->apply == NULL)
        return RG_OK;
    bool each = p->way == RG_UPDATE_EACH;
    for (int t = 0; t < (each ? p->active : 1); t++) {
        RG_TRY(feed_apply(p, each ? t : -1));
        RG_TRY(rg_plan_run(p->apply));
    }
    return RG_OK;
}

/* The caller's thread is thread 0: its time is the step's. */
rg_status rg_parallel_run(rg_parallel *p)
{
    bool trains = p->plans[0]->trains || (p->apply != NULL && p->apply->trains);
    rg_step_part before = rg_step_begin(trains);
    rg_status code = run_all(p);
    if (trains && code == RG_OK)
        rg_plan_count((const rg_plan *const *)p->plans, p->active);
    rg_step_end(trains, before);
    return code;
}
