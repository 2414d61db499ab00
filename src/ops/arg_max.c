/* arg_max.c - where the largest, or the smallest, stands along one dimension.
 *
 *   Out = the index along axis; that dimension is dropped, or kept as 1 with keepdims
 *
 * Of equal ones the first; what is no number is passed over. */
#include "ops/shape_args.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { AXIS, KEEPDIMS, DTYPE };

static rg_status axis_of(const rg_ctx *ctx, int *axis)
{
    int64_t given = rg_attr_long(ctx, AXIS);
    if (given < -RG_MAX_DIMS || given > RG_MAX_DIMS)
        return rg_fail(RG_EINVAL, "axis %lld", (long long)given);
    return rg_expect_axis(ctx, (int)given, rg_shape_of(ctx, X)->rank, axis);
}

/* int64 unless the attribute says another type. */
static rg_status dtype_of(const rg_ctx *ctx, rg_dtype *out)
{
    *out = RG_I64;
    if (rg_attr_int(ctx, DTYPE) < 0)
        return RG_OK;
    RG_TRY(rg_dtype_from_attr(ctx, DTYPE, out));
    if (*out != RG_I64 && *out != RG_I32)
        return rg_fail(RG_EINVAL, "dtype is %s, and must be int32 or int64", rg_dtype_name(*out));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out = {.rank = 0};
    rg_dtype dtype;
    int axis;
    RG_TRY(axis_of(ctx, &axis));
    RG_TRY(dtype_of(ctx, &dtype));
    if (x->dim[axis] == 0)
        return rg_fail(RG_ESHAPE, "X has nothing along dimension %d", axis);
    for (int i = 0; i < x->rank; i++)
        if (i != axis || rg_attr_bool(ctx, KEEPDIMS))
            out.dim[out.rank++] = i == axis ? 1 : x->dim[i];
    rg_set_out(ctx, OUT, dtype, &out);
    return RG_OK;
}

#define FIND(T, S)                                                                             \
    RG_INLINE int64_t best_##S(const T *x, bool largest, int64_t n, int64_t step)              \
    {                                                                                          \
        int64_t best = 0;                                                                      \
        T found = x[0];                                                                        \
        for (int64_t j = 1; j < n; j++) {                                                      \
            const T next = x[j * step];                                                        \
            if ((largest ? next > found : next < found) || (found != found && next == next)) { \
                best = j;                                                                      \
                found = next;                                                                  \
            }                                                                                  \
        }                                                                                      \
        return best;                                                                           \
    }                                                                                          \
    static void find_##S(const T *x, bool largest, int64_t outer, int64_t n, int64_t inner,    \
                         int64_t *out)                                                         \
    {                                                                                          \
        for (int64_t o = 0; o < outer; o++, x += n * inner)                                    \
            for (int64_t i = 0; i < inner; i++)                                                \
                *out++ = largest ? best_##S(x + i, true, n, inner)                             \
                                 : best_##S(x + i, false, n, inner);                           \
    }
RG_NUMBERS(FIND)

static rg_status find(rg_ctx *ctx, bool largest)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    rg_value *out = rg_out(ctx, OUT);
    int axis;
    RG_TRY(axis_of(ctx, &axis));
    int64_t n = rg_numel(out), *wide = out->data;
    if (out->meta.dtype != RG_I64)
        wide = rg_scratch(ctx, (size_t)n * sizeof *wide);
    if (wide == NULL)
        return RG_ENOMEM;
    RG_CALL_NUMBER(ctx, X, find,
                   (x->data, largest, rg_shape_product(shape, 0, axis), shape->dim[axis],
                    rg_shape_product(shape, axis + 1, shape->rank), wide))
    for (int64_t i = 0; out->meta.dtype == RG_I32 && i < n; i++)
        ((int32_t *)out->data)[i] = (int32_t)wide[i];
    return RG_OK;
}

static rg_status arg_max_kernel(rg_ctx *ctx)
{
    return find(ctx, true);
}

static rg_status arg_min_kernel(rg_ctx *ctx)
{
    return find(ctx, false);
}

#define ARG(NAME, DOC)                                                                        \
    {                                                                                         \
        .type = #NAME, .doc = (DOC), .in = RG_SLOTS([X] = {"X", "any shape", RG_NO_GRAD}),    \
        .out = RG_SLOTS([OUT] = {"Out", "X without that dimension"}),                         \
        .attr = RG_ATTRS([AXIS] = RG_REQUIRED("axis", RG_ATTR_LONG, "the dimension"),         \
                         [KEEPDIMS] = RG_BOOLEAN("keepdims", false, "keep it, as 1"),         \
                         [DTYPE] = RG_INT("dtype", -1, "of Out: int32 or int64; -1: int64")), \
        .infer = infer, .kernel = NAME##_kernel,                                              \
    }

const rg_op rg_ops_arg_max[] = {
    ARG(arg_max, "Where the largest stands along one dimension."),
    ARG(arg_min, "Where the smallest stands along one dimension."),
    {.type = NULL},
};
