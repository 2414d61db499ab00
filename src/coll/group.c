/* group.c - checks, the choice of a back end, and each operation as work of the group's thread. */
#include "coll/group.h"

#include "base/hot.h"
#include "base/mem.h"
#include "coll/group_shared.h"
#include "sys/because.h"

#include <string.h>

/* ---- a group of one ---- */

static rg_status join_alone(rg_group *group, const rg_group_config *config)
{
    (void)config;
    return group->size == 1 ? RG_OK : rg_fail(RG_EINVAL, "%d ranks are not alone", group->size);
}

static rg_status reduce_alone(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    (void)group, (void)data, (void)n, (void)dtype, (void)op;
    return RG_OK;
}

static rg_status broadcast_alone(rg_group *group, void *data, size_t bytes, int root)
{
    (void)group, (void)data, (void)bytes, (void)root;
    return RG_OK;
}

static rg_status gather_alone(rg_group *group, const void *mine, size_t bytes, void *all)
{
    (void)group;
    if (bytes > 0)
        memcpy(all, mine, bytes);
    return RG_OK;
}

static rg_status barrier_alone(rg_group *group)
{
    (void)group;
    return RG_OK;
}

static void close_alone(rg_group *group, const char *failed)
{
    (void)group, (void)failed;
}

static const rg_group_backend alone = {.name = "alone",
                                       .join = join_alone,
                                       .all_reduce = reduce_alone,
                                       .broadcast = broadcast_alone,
                                       .all_gather = gather_alone,
                                       .barrier = barrier_alone,
                                       .close = close_alone};

/* ---- the choice ---- */

static const rg_group_backend *const backends[] = {&rg_group_rpc, &rg_group_mpi, &alone};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static rg_status find(const char *name, const rg_group_backend **out)
{
    for (int i = 0; i < BACKENDS; i++)
        if (name == NULL || strcmp(backends[i]->name, name) == 0) {
            *out = backends[i];
            return RG_OK;
        }
    return rg_fail(RG_ENOENT,
                   "there is no back end '%s' for groups of processes; there are rpc and "
                   "mpi",
                   name);
}

rg_status rg_group_blame(rg_status code, int rank)
{
    rg_because_say((rg_because){.worker = true, .index = rank});
    return code;
}

/* ---- opening and closing ---- */

/* Ranks of one host have memory in common from here on; else the back end does everything. */
static rg_status share_memory(rg_group *group)
{
    rg_rank_memory *memory;
    RG_TRY(rg_rank_memory_open(&memory, group));
    if (memory == NULL)
        return RG_OK;
    rg_shared *shared = rg_shared_new(memory, group->rank, group->size);
    if (shared == NULL) {
        rg_rank_memory_close(memory);
        return rg_no_memory(1, "a group");
    }
    atomic_store(&group->shared, shared);
    return RG_OK;
}

static rg_status run_join(rg_group_work *work)
{
    rg_group *group = work->group;
    RG_TRY(group->backend->join(group, work->config));
    return group->size > 1 ? share_memory(group) : RG_OK;
}

/* The others see it in the memory first. The back end may look there until it is closed. */
static rg_status run_close(rg_group_work *work)
{
    rg_group *group = work->group;
    if (group->shared != NULL)
        rg_rank_memory_leave(rg_shared_memory(group->shared), work->failed);
    group->backend->close(group, work->failed);
    rg_shared_free(group->shared);
    atomic_store(&group->shared, NULL);
    return RG_OK;
}

void rg_group_release(rg_group *group)
{
    if (atomic_fetch_sub(&group->refs, 1) == 1)
        rg_free(group);
}

static void end(rg_group *group, const char *failed)
{
    rg_group_work *work = NULL;
    if (group->has_thread) {
        if (rg_group_start(&work, group,
                           &(rg_group_work){.run = run_close, .failed = failed, .is_last = true}) !=
            RG_OK)
            return; /* no memory to end it with: the process's end is its own */
        rg_group_work_close(work);
    }
    rg_group_thread_end(group);
    rg_group_release(group);
}

rg_status rg_group_open(rg_group **out, const rg_group_config *config)
{
    const rg_group_backend *backend;
    RG_TRY(find(config->backend, &backend));
    if (config->size < 1 || config->rank < 0 || config->rank >= config->size)
        return rg_fail(RG_EINVAL, "rank %d of a group of %d", config->rank, config->size);
    rg_group *group = rg_alloc_zero(1, sizeof *group);
    if (group == NULL)
        return rg_no_memory(sizeof *group, "a group");
    *group = (rg_group){.backend = backend, .rank = config->rank, .size = config->size, .refs = 1};
    rg_status code = rg_group_thread_begin(group);
    if (code == RG_OK)
        code = rg_group_do(
            group,
            &(rg_group_work){.run = run_join, .config = config, .voice = backend->joins_silently});
    if (code != RG_OK) {
        char why[400];
        (void)snprintf(why, sizeof why, "%s", rg_error_message());
        end(group, "it could not join");
        return rg_fail(code, "rank %d of a group of %d: %s", config->rank, config->size, why);
    }
    *out = group;
    return RG_OK;
}

void rg_group_close(rg_group *group)
{
    if (group != NULL)
        end(group, NULL);
}

void rg_group_fail(rg_group *group, const char *why)
{
    if (group == NULL)
        return;
    atomic_store(&group->given_up, true);
    end(group, why);
}

int rg_group_rank(const rg_group *group)
{
    return group->rank;
}

int rg_group_size(const rg_group *group)
{
    return group->size;
}

const char *rg_group_backend_name(const rg_group *group)
{
    return group->backend->name;
}

bool rg_group_shares_memory(const rg_group *group)
{
    return group->shared != NULL;
}

bool rg_group_looks_at_lent(const rg_group *group)
{
    return group->shared != NULL && rg_shared_lends(group->shared);
}

/* ---- operations ---- */

static rg_status can_combine(rg_dtype dtype, rg_group_op op)
{
    if (dtype != RG_F32 && dtype != RG_F64 && dtype != RG_I32 && dtype != RG_I64)
        return rg_fail(RG_EINVAL, "a group reduces float32, float64, int32 and int64, not %s",
                       rg_dtype_name(dtype));
    if ((int)op < RG_GROUP_SUM || op > RG_GROUP_MIN)
        return rg_fail(RG_EINVAL, "operation %d of a group", (int)op);
    return RG_OK;
}

static rg_status run_all_reduce(rg_group_work *w)
{
    return w->group->backend->all_reduce(w->group, w->data, w->n, w->dtype, w->op);
}

rg_status rg_group_start_all_reduce(rg_group_work **work, rg_group *group, void *data, size_t n,
                                    rg_dtype dtype, rg_group_op op)
{
    RG_TRY(can_combine(dtype, op));
    return rg_group_start(work, group,
                          &(rg_group_work){.run = run_all_reduce,
                                           .kind = RG_GROUP_REDUCE,
                                           .data = data,
                                           .n = n,
                                           .dtype = dtype,
                                           .op = op});
}

rg_status rg_group_all_reduce(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    RG_TRY(can_combine(dtype, op));
    return rg_group_do(group, &(rg_group_work){.run = run_all_reduce,
                                               .kind = RG_GROUP_REDUCE,
                                               .data = data,
                                               .n = n,
                                               .dtype = dtype,
                                               .op = op});
}

static rg_status run_broadcast(rg_group_work *w)
{
    return w->group->backend->broadcast(w->group, w->data, w->n, w->root);
}

rg_status rg_group_broadcast(rg_group *group, void *data, size_t bytes, int root)
{
    if (root < 0 || root >= group->size)
        return rg_fail(RG_EINVAL, "broadcast from rank %d of %d", root, group->size);
    return rg_group_do(group, &(rg_group_work){.run = run_broadcast,
                                               .kind = RG_GROUP_BROADCAST,
                                               .data = data,
                                               .n = bytes,
                                               .root = root});
}

static rg_status run_all_gather(rg_group_work *w)
{
    return w->group->backend->all_gather(w->group, w->from, w->n, w->data);
}

rg_status rg_group_all_gather(rg_group *group, const void *mine, size_t bytes, void *all)
{
    return rg_group_do(
        group,
        &(rg_group_work){
            .run = run_all_gather, .kind = RG_GROUP_GATHER, .from = mine, .n = bytes, .data = all});
}

static rg_status run_reduce_scatter(rg_group_work *w)
{
    return w->group->backend->reduce_scatter(w->group, w->from, w->data, w->n, w->dtype, w->op);
}

/* By the sum of everything, of which a part is wanted. */
static rg_status reduce_all(rg_group *group, const void *data, void *part, size_t n, rg_dtype dtype,
                            rg_group_op op)
{
    size_t bytes, whole;
    if (!rg_mul_size(n, rg_dtype_size(dtype), &bytes) ||
        !rg_mul_size(bytes, (size_t)group->size, &whole))
        return rg_fail(RG_ETOOBIG, "%zu elements for each of %d", n, group->size);
    uint8_t *copy = rg_alloc(whole);
    if (copy == NULL)
        return rg_no_memory(whole, "a reduction");
    memcpy(copy, data, whole);
    rg_status code = rg_group_all_reduce(group, copy, n * (size_t)group->size, dtype, op);
    if (code == RG_OK)
        memcpy(part, copy + (size_t)group->rank * bytes, bytes);
    rg_free(copy);
    return code;
}

rg_status rg_group_reduce_scatter(rg_group *group, const void *data, void *part, size_t n,
                                  rg_dtype dtype, rg_group_op op)
{
    RG_TRY(can_combine(dtype, op));
    if (group->shared != NULL || group->backend->reduce_scatter == NULL)
        return reduce_all(group, data, part, n, dtype, op);
    return rg_group_do(group, &(rg_group_work){.run = run_reduce_scatter,
                                               .from = data,
                                               .data = part,
                                               .n = n,
                                               .dtype = dtype,
                                               .op = op});
}

static rg_status run_barrier(rg_group_work *w)
{
    return w->group->backend->barrier(w->group);
}

rg_status rg_group_barrier(rg_group *group)
{
    return rg_group_do(group, &(rg_group_work){.run = run_barrier, .kind = RG_GROUP_BARRIER});
}

/* ---- lists of different lengths ---- */

/* Ranks mostly have about as many, so that little is sent for nothing. */
static rg_status gather_padded(rg_group *group, uint8_t *all, const size_t *at, const size_t *bytes)
{
    size_t most = 0, whole;
    for (int i = 0; i < group->size; i++)
        most = bytes[i] > most ? bytes[i] : most;
    if (most == 0)
        return RG_OK;
    if (!rg_mul_size(most, (size_t)group->size + 1, &whole))
        return rg_fail(RG_ETOOBIG, "%zu bytes of each of %d", most, group->size);
    uint8_t *padded = rg_alloc(whole);
    if (padded == NULL)
        return rg_no_memory(whole, "a gather");
    uint8_t *mine = padded + most * (size_t)group->size;
    memcpy(mine, all + at[group->rank], bytes[group->rank]);
    memset(mine + bytes[group->rank], 0, most - bytes[group->rank]);
    rg_status code = group->backend->all_gather(group, mine, most, padded);
    for (int i = 0; code == RG_OK && i < group->size; i++)
        memcpy(all + at[i], padded + most * (size_t)i, bytes[i]);
    rg_free(padded);
    return code;
}

static rg_status gather_column(rg_group_work *w, int column, size_t *at, size_t *bytes)
{
    rg_group *group = w->group;
    size_t item = w->list.item_bytes[column], whole = 0;
    for (int i = 0; i < group->size; i++) {
        at[i] = whole;
        if (!rg_mul_size((size_t)w->counts[i], item, &bytes[i]) || bytes[i] > SIZE_MAX - whole)
            return rg_fail(RG_ETOOBIG, "%llu items of rank %d", (unsigned long long)w->counts[i],
                           i);
        whole += bytes[i];
    }
    uint8_t *all = w->list.room(w->list.user, column, whole);
    if (all == NULL)
        return rg_no_memory(whole, "what all ranks have");
    if (bytes[group->rank] > 0)
        memcpy(all + at[group->rank], w->list.mine[column], bytes[group->rank]);
    return (group->backend->all_gather_in_place ? group->backend->all_gather_in_place
                                                : gather_padded)(group, all, at, bytes);
}

/* How many each has is exchanged first. */
static rg_status run_gather(rg_group_work *w)
{
    rg_group *group = w->group;
    uint64_t own = w->list.n;
    size_t *spans = rg_alloc_zero((size_t)group->size * 2, sizeof *spans);
    rg_status code = spans != NULL ? group->backend->all_gather(group, &own, sizeof own, w->counts)
                                   : rg_no_memory((size_t)group->size, "a gather");
    for (int c = 0; code == RG_OK && c < w->list.columns; c++)
        code = gather_column(w, c, spans, spans + group->size);
    rg_free(spans);
    return code;
}

rg_status rg_group_start_gather(rg_group_work **work, rg_group *group, const rg_group_list *list)
{
    return rg_group_start(
        work, group, &(rg_group_work){.run = run_gather, .kind = RG_GROUP_LIST, .list = *list});
}

size_t rg_group_gathered(const rg_group_work *work, int rank)
{
    return (size_t)work->counts[rank];
}

/* ---- combining ---- */

/* A NaN on either side stays one: it is never hidden by a comparison. */
#define DEFINE_COMBINE(T, S)                                                                \
    RG_HOT static void combine_##S(T *to, const T *a, const T *b, size_t n, rg_group_op op) \
    {                                                                                       \
        switch (op) {                                                                       \
        case RG_GROUP_SUM:                                                                  \
            RG_APART for (size_t i = 0; i < n; i++) to[i] = (T)(a[i] + b[i]);               \
            return;                                                                         \
        case RG_GROUP_PROD:                                                                 \
            for (size_t i = 0; i < n; i++)                                                  \
                to[i] = (T)(a[i] * b[i]);                                                   \
            return;                                                                         \
        case RG_GROUP_MAX:                                                                  \
            for (size_t i = 0; i < n; i++)                                                  \
                to[i] = b[i] > a[i] || b[i] != b[i] ? b[i] : a[i];                          \
            return;                                                                         \
        case RG_GROUP_MIN:                                                                  \
            for (size_t i = 0; i < n; i++)                                                  \
                to[i] = b[i] < a[i] || b[i] != b[i] ? b[i] : a[i];                          \
            return;                                                                         \
        }                                                                                   \
    }
DEFINE_COMBINE(float, f32)
DEFINE_COMBINE(double, f64)
/* Whole numbers wrap, as they do everywhere: unsigned, so that C agrees. */
DEFINE_COMBINE(uint32_t, u32)
DEFINE_COMBINE(uint64_t, u64)
DEFINE_COMBINE(int32_t, i32)
DEFINE_COMBINE(int64_t, i64)

void rg_group_combine(void *to, const void *a, const void *b, size_t n, rg_dtype dtype,
                      rg_group_op op)
{
    bool wraps = op == RG_GROUP_SUM || op == RG_GROUP_PROD;
    if (dtype == RG_F32)
        combine_f32(to, a, b, n, op);
    else if (dtype == RG_F64)
        combine_f64(to, a, b, n, op);
    else if (dtype == RG_I32)
        wraps ? combine_u32(to, a, b, n, op) : combine_i32(to, a, b, n, op);
    else
        wraps ? combine_u64(to, a, b, n, op) : combine_i64(to, a, b, n, op);
}
