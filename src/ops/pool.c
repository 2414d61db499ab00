/* pool.c - pool2d, pool3d: the largest or the average of each window of an image.
 *
 *   Out[n, c, y] = max or mean of X[n, c, y stride - padding + k] over the kernel k
 *
 * What lies over the edge does not count, except that an average with exclusive = false is
 * over the whole window all the same. The gradient of a largest goes to the first of its
 * window that equals it. */
#include "ir/program.h"
#include "ops/pooling.h"
#include "ops/types.h"

#include <float.h>
#include <string.h>

enum { X };
enum { OUT };
enum {
    POOLING_TYPE = RG_POOL_ATTRS,
    EXCLUSIVE,
    CEIL_MODE,
    ALGORITHM,
    FORMAT,
    IS_TEST, /* not of pool3d */
};

#define T     float
#define S     f32
#define LEAST (-FLT_MAX)
#include "ops/pool_loops.h"
#define T     double
#define S     f64
#define LEAST (-DBL_MAX)
#include "ops/pool_loops.h"

static rg_status is_max(const rg_ctx *ctx, bool *max)
{
    const char *type = rg_attr_string(ctx, POOLING_TYPE);
    *max = strcmp(type, "max") == 0;
    if (*max || strcmp(type, "avg") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL, "pooling_type %s: max or avg", type);
}

static rg_status find_pooling(const rg_ctx *ctx, int in, rg_pooling *p, rg_shape *out)
{
    const rg_shape *x = rg_shape_of(ctx, in);
    bool last;
    RG_TRY(rg_window_format(rg_attr_string(ctx, FORMAT), x->rank - 2, &last));
    return rg_pooling_shape(ctx, x, last, rg_attr_string(ctx, ALGORITHM),
                            rg_attr_bool(ctx, CEIL_MODE), p, out);
}

static rg_status infer(rg_ctx *ctx, int rank)
{
    bool max;
    rg_pooling p;
    rg_shape out;
    RG_TRY(rg_expect_rank(ctx, X, rank));
    RG_TRY(is_max(ctx, &max));
    RG_TRY(find_pooling(ctx, X, &p, &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

static rg_status infer2(rg_ctx *ctx)
{
    return infer(ctx, 4);
}

static rg_status infer3(rg_ctx *ctx)
{
    return infer(ctx, 5);
}

static rg_status kernel(rg_ctx *ctx)
{
    bool max;
    rg_pooling p;
    rg_shape shape;
    RG_TRY(is_max(ctx, &max));
    RG_TRY(find_pooling(ctx, X, &p, &shape));
    void *row = rg_scratch(ctx, (size_t)(p.in[2] * p.inner) * sizeof(double));
    void *part = rg_scratch(ctx, (size_t)p.out[2] * sizeof(double));
    if (row == NULL || part == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, pool,
                  (max, rg_attr_bool(ctx, EXCLUSIVE), &p, rg_in_data(ctx, X), rg_out_data(ctx, OUT),
                   row, part))
    return RG_OK;
}

/* ---- gradient ---- */

enum { G_X, G_OUT, G_DOUT };
enum { G_DX };

static rg_status spread(rg_ctx *ctx, const rg_pooling *p, void *dx)
{
    void *row = rg_scratch(ctx, (size_t)(p->in[2] * p->inner) * sizeof(double));
    void *share = rg_scratch(ctx, (size_t)(p->out[2] * p->inner) * sizeof(double));
    void *part = rg_scratch(ctx, (size_t)p->out[2] * sizeof(double));
    if (row == NULL || share == NULL || part == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, G_DOUT, spread,
                  (rg_attr_bool(ctx, EXCLUSIVE), p, rg_in_data(ctx, G_DOUT), dx, row, share, part))
    return RG_OK;
}

static rg_status to_largest(rg_ctx *ctx, const rg_pooling *p, void *dx)
{
    void *left = rg_scratch(ctx, (size_t)p->inner * sizeof(double));
    if (left == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(
        ctx, G_DOUT, to_largest,
        (p, rg_in_data(ctx, G_X), rg_in_data(ctx, G_OUT), rg_in_data(ctx, G_DOUT), dx, left))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    bool max;
    rg_pooling p;
    rg_shape shape;
    rg_value *dx = rg_out(ctx, G_DX);
    RG_TRY(is_max(ctx, &max));
    RG_TRY(find_pooling(ctx, G_X, &p, &shape));
    memset(dx->data, 0, rg_value_bytes(dx));
    return max ? to_largest(ctx, &p, dx->data) : spread(ctx, &p, dx->data);
}

/* Twice over: averages are linear. */
static rg_status second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    if (strcmp(rg_opdesc_attr(rg_grad_forward(ctx), "pooling_type")->s, "avg") != 0)
        return rg_grad_missing(ctx);
    return rg_grad_linear(ctx, &op);
}

#define ATTRS(AXES, FORMAT_NAME)                                                                 \
    RG_POOL_ATTR_SPECS(AXES),                                                                    \
        [POOLING_TYPE] = RG_REQUIRED("pooling_type", RG_ATTR_STRING, "max or avg"),              \
        [EXCLUSIVE] = RG_BOOLEAN("exclusive", true,                                              \
                                 "averages do not count what is over the edge"),                 \
        [CEIL_MODE] = RG_BOOLEAN("ceil_mode", false, "the last window may reach over the edge"), \
        [ALGORITHM] = RG_STRING("padding_algorithm", "EXPLICIT",                                 \
                                "EXPLICIT, or SAME or VALID for paddings"),                      \
        [FORMAT] = RG_STRING("data_format", FORMAT_NAME, "where the channels stand")
#define ATTRS2 \
    RG_ATTRS(ATTRS(2, "NCHW"), [IS_TEST] = RG_BOOLEAN("is_test", false, "kept for files"))
#define ATTRS3 RG_ATTRS(ATTRS(3, "NCDHW"))
#define POOL(NAME, DOC, INFER, ATTRIBUTES)                                                   \
    {                                                                                        \
        .type = NAME, .doc = (DOC), .in = RG_SLOTS([X] = {"X", "[batch, channels, space]"}), \
        .out = RG_SLOTS([OUT] = {"Out", "[batch, channels, windows]"}), .attr = ATTRIBUTES,  \
        .infer = INFER, .kernel = kernel,                                                    \
    }
#define POOL_GRAD(NAME, ATTRIBUTES)                                                            \
    {                                                                                          \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                                  \
        .in = RG_SLOTS([G_X] = {"X", ""}, [G_OUT] = {"Out", ""}, [G_DOUT] = {"Out@GRAD", ""}), \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}), .attr = ATTRIBUTES,      \
        .kernel = grad_kernel, .grad = second,                                                 \
    }

const rg_op rg_ops_pool[] = {
    POOL("pool2d", "The largest or the average of each window of an image.", infer2, ATTRS2),
    POOL("pool3d", "The largest or the average of each window of a volume.", infer3, ATTRS3),
    POOL_GRAD("pool2d", ATTRS2),
    POOL_GRAD("pool3d", ATTRS3),
    {.type = NULL},
};
