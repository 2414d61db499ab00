/* group.c - checks, and the choice of a back end. */
#include "coll/group.h"

#include "base/mem.h"
#include "coll/group_priv.h"

#include <string.h>

static const rg_group_backend *const backends[] = {&rg_group_rpc};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static rg_status find(const char *name, const rg_group_backend **out)
{
    for (int i = 0; i < BACKENDS; i++)
        if (name == NULL || strcmp(backends[i]->name, name) == 0) {
            *out = backends[i];
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "there is no back end '%s' for groups of processes; there is %s",
                   name, backends[0]->name);
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
    *group = (rg_group){.backend = backend, .rank = config->rank, .size = config->size};
    rg_status code = backend->join(group, config);
    if (code != RG_OK) {
        rg_group_close(group);
        return rg_context(code, "rank %d of a group of %d", config->rank, config->size);
    }
    *out = group;
    return RG_OK;
}

void rg_group_close(rg_group *group)
{
    if (group != NULL)
        group->backend->close(group);
    rg_free(group);
}

int rg_group_rank(const rg_group *group)
{
    return group->rank;
}

int rg_group_size(const rg_group *group)
{
    return group->size;
}

static rg_status can_combine(rg_dtype dtype, rg_group_op op)
{
    if (dtype != RG_F32 && dtype != RG_F64 && dtype != RG_I32 && dtype != RG_I64)
        return rg_fail(RG_EINVAL, "a group reduces float32, float64, int32 and int64, not %s",
                       rg_dtype_name(dtype));
    if ((int)op < RG_GROUP_SUM || op > RG_GROUP_MIN)
        return rg_fail(RG_EINVAL, "operation %d of a group", (int)op);
    return RG_OK;
}

rg_status rg_group_all_reduce(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op)
{
    RG_TRY(can_combine(dtype, op));
    return group->backend->all_reduce(group, data, n, dtype, op);
}

rg_status rg_group_broadcast(rg_group *group, void *data, size_t bytes, int root)
{
    if (root < 0 || root >= group->size)
        return rg_fail(RG_EINVAL, "broadcast from rank %d of %d", root, group->size);
    return group->backend->broadcast(group, data, bytes, root);
}

rg_status rg_group_all_gather(rg_group *group, const void *mine, size_t bytes, void *all)
{
    return group->backend->all_gather(group, mine, bytes, all);
}

rg_status rg_group_reduce_scatter(rg_group *group, const void *data, void *part, size_t n,
                                  rg_dtype dtype, rg_group_op op)
{
    size_t bytes, whole;
    RG_TRY(can_combine(dtype, op));
    if (group->backend->reduce_scatter != NULL)
        return group->backend->reduce_scatter(group, data, part, n, dtype, op);
    if (!rg_mul_size(n, rg_dtype_size(dtype), &bytes) ||
        !rg_mul_size(bytes, (size_t)group->size, &whole))
        return rg_fail(RG_ETOOBIG, "%zu elements for each of %d", n, group->size);
    uint8_t *copy = rg_alloc(whole);
    if (copy == NULL)
        return rg_no_memory(whole, "a reduction");
    memcpy(copy, data, whole);
    rg_status code = group->backend->all_reduce(group, copy, n * (size_t)group->size, dtype, op);
    if (code == RG_OK)
        memcpy(part, copy + (size_t)group->rank * bytes, bytes);
    rg_free(copy);
    return code;
}

rg_status rg_group_barrier(rg_group *group)
{
    return group->backend->barrier(group);
}

/* ---- combining ---- */

/* A NaN on either side stays one: it is never hidden by a comparison. */
#define DEFINE_COMBINE(T, S)                                                          \
    static void combine_##S(T *to, const T *from, size_t n, rg_group_op op)           \
    {                                                                                 \
        switch (op) {                                                                 \
        case RG_GROUP_SUM:                                                            \
            for (size_t i = 0; i < n; i++)                                            \
                to[i] = (T)(to[i] + from[i]);                                         \
            return;                                                                   \
        case RG_GROUP_PROD:                                                           \
            for (size_t i = 0; i < n; i++)                                            \
                to[i] = (T)(to[i] * from[i]);                                         \
            return;                                                                   \
        case RG_GROUP_MAX:                                                            \
            for (size_t i = 0; i < n; i++)                                            \
                to[i] = from[i] > to[i] || from[i] != from[i] ? from[i] : to[i];      \
            return;                                                                   \
        case RG_GROUP_MIN:                                                            \
            for (size_t i = 0; i < n; i++)                                            \
                to[i] = from[i] < to[i] || from[i] != from[i] ? from[i] : to[i];      \
            return;                                                                   \
        }                                                                             \
    }
DEFINE_COMBINE(float, f32)
DEFINE_COMBINE(double, f64)
/* Whole numbers wrap, as they do everywhere: unsigned, so that C agrees. */
DEFINE_COMBINE(uint32_t, u32)
DEFINE_COMBINE(uint64_t, u64)
DEFINE_COMBINE(int32_t, i32)
DEFINE_COMBINE(int64_t, i64)

void rg_group_combine(void *to, const void *from, size_t n, rg_dtype dtype, rg_group_op op)
{
    bool wraps = op == RG_GROUP_SUM || op == RG_GROUP_PROD;
    if (dtype == RG_F32)
        combine_f32(to, from, n, op);
    else if (dtype == RG_F64)
        combine_f64(to, from, n, op);
    else if (dtype == RG_I32)
        wraps ? combine_u32(to, from, n, op) : combine_i32(to, from, n, op);
    else
        wraps ? combine_u64(to, from, n, op) : combine_i64(to, from, n, op);
}
