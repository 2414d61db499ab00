/* fusion_seqpool.c - several inputs' sequences, each made one row, side by side: what a saved
 * model for inference has in place of many sequence_pool and a concat.
 *
 *   fusion_seqpool_concat      Out[i] = pool of sequence i of X0, of X1, ...
 *   fusion_seqpool_cvm_concat  the first two of each row, shows and clicks, as log(show + 1) and
 *                              log(click + 1) - log(show + 1)
 *
 * pooltype is SUM, AVERAGE or SQRT. They have no gradients. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, CVM };
enum { OUT };
enum { POOLTYPE, AXIS, USE_CVM };

static rg_status check_pool(const rg_ctx *ctx)
{
    const char *pool = rg_attr_string(ctx, POOLTYPE);
    if (strcmp(pool, "SUM") != 0 && strcmp(pool, "AVERAGE") != 0 && strcmp(pool, "SQRT") != 0)
        return rg_fail(RG_EINVAL, "pooltype %s: SUM, AVERAGE or SQRT", pool);
    if (rg_attr_int(ctx, AXIS) != 1)
        return rg_fail(RG_EINVAL, "axis is %d, and must be 1", rg_attr_int(ctx, AXIS));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_lod *first = rg_in_meta(ctx, X)->lod;
    int64_t width = 0;
    RG_TRY(check_pool(ctx));
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x == NULL || x->shape.rank != 2 || x->dtype != rg_dtype_of(ctx, X))
            return rg_fail(RG_ESHAPE, "%s must be a matrix of the type of the others",
                           rg_in_name(ctx, X, i));
        width = width < 0 || x->shape.dim[1] < 0 ? -1 : width + x->shape.dim[1];
        if (rg_running(ctx) &&
            (x->lod == NULL || x->lod->levels != 1 || x->lod->count[0] != first->count[0] ||
             x->lod->offset[0][x->lod->count[0] - 1] != x->shape.dim[0]))
            return rg_fail(RG_ESHAPE, "%s must have as many sequences as %s, of one level",
                           rg_in_name(ctx, X, i), rg_in_name(ctx, X, 0));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X),
               &RG_SHAPE(first ? rg_lod_sequences(first, 0) : -1, width));
    if (first != NULL) {
        rg_lod *rows;
        RG_TRY(rg_lod_one_level(&rows, rg_lod_sequences(first, 0)));
        for (int64_t i = 0; i < rg_lod_sequences(first, 0); i++)
            rows->offset[0][i + 1] = i + 1;
        rg_take_lod(ctx, OUT, rows);
    }
    rg_set_lod_level(ctx, OUT, 1);
    return RG_OK;
}

static rg_status cvm_infer(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x != NULL && x->shape.rank == 2 && x->shape.dim[1] >= 0 && x->shape.dim[1] < 2)
            return rg_fail(RG_ESHAPE, "%s has %lld columns, and must begin with shows and clicks",
                           rg_in_name(ctx, X, i), (long long)x->shape.dim[1]);
    }
    if (!rg_attr_bool(ctx, USE_CVM))
        return rg_fail(RG_EINVAL, "use_cvm is false: only true is there, as in Paddle");
    return infer(ctx);
}

#define POOL(T, S)                                                                                 \
    RG_HOT static void pool_##S(const T *x, const int64_t *at, int64_t n, int64_t width, int pool, \
                                bool cvm, T *out, int64_t step)                                    \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, out += step) {                                             \
            int64_t rows = at[i + 1] - at[i];                                                      \
            T factor = pool == 'S' ? (T)1                                                          \
                       : pool == 'A' ? 1 / (T)rows                                                 \
                                     : (T)(1 / sqrt((double)rows));                                \
            memset(out, 0, (size_t)width * sizeof *out);                                           \
            for (int64_t r = at[i]; r < at[i + 1]; r++)                                            \
                for (int64_t j = 0; j < width; j++)                                                \
                    out[j] += x[r * width + j];                                                    \
            for (int64_t j = 0; rows > 1 && j < width; j++)                                        \
                out[j] *= factor;                                                                  \
            if (cvm) {                                                                             \
                out[0] = (T)log((double)out[0] + 1);                                               \
                out[1] = (T)log((double)out[1] + 1) - out[0];                                      \
            }                                                                                      \
        }                                                                                          \
    }
RG_FLOATS(POOL)

static rg_status pool_all(rg_ctx *ctx, bool cvm)
{
    rg_value *out = rg_out(ctx, OUT);
    const char *name = rg_attr_string(ctx, POOLTYPE);
    int pool = strcmp(name, "SQRT") == 0 ? 'R' : name[0];
    int64_t at = 0, step = out->meta.shape.dim[1];
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        int64_t width = x->meta.shape.dim[1];
        void *to = (char *)out->data + (size_t)at * rg_dtype_size(out->meta.dtype);
        RG_CALL_FLOAT(ctx, X, pool,
                      (x->data, x->meta.lod->offset[0], rg_lod_sequences(x->meta.lod, 0), width,
                       pool, cvm, to, step))
        at += width;
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    return pool_all(ctx, false);
}

static rg_status cvm_kernel(rg_ctx *ctx)
{
    return pool_all(ctx, true);
}

#define POOL_ATTRS                                                               \
    [POOLTYPE] = RG_STRING("pooltype", "SUM", "SUM, AVERAGE or SQRT"),           \
    [AXIS] = RG_INT("axis", 1, "1: rows are joined side by side")

const rg_op rg_op_fusion_seqpool_concat = {
    .type = "fusion_seqpool_concat",
    .doc = "The pooled sequences of several inputs, side by side.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_REPEATED | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[sequences, sum of widths]"}),
    .attr = RG_ATTRS(POOL_ATTRS),
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_fusion_seqpool_cvm_concat = {
    .type = "fusion_seqpool_cvm_concat",
    .doc = "The pooled sequences of several inputs, their shows and clicks as logarithms.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_REPEATED | RG_NO_GRAD},
                   [CVM] = {"CVM", "shows and clicks, [sequences, 2]", RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "[sequences, sum of widths]"}),
    .attr = RG_ATTRS(POOL_ATTRS, [USE_CVM] = RG_BOOLEAN("use_cvm", true, "true")),
    .infer = cvm_infer,
    .kernel = cvm_kernel,
};
