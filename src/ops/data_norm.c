/* data_norm.c - columns brought to mean 0 and variance 1 by statistics of all data so far.
 *
 *   Means = BatchSum / BatchSize,  Scales = sqrt(BatchSize / BatchSquareSum)
 *   Y = (X - Means) Scales, and with enable_scale_and_shift Y = ... scale_w + bias
 *
 * The three are parameters whose "gradients" are what this batch would add to them: rows,
 * sums, and squares of what is left of the mean plus epsilon for each row. Whoever applies
 * them decides what a step is (a server adds them; summary_decay_rate is its affair).
 *
 * With slot_dim, columns come in groups of so many, and a group whose first element is 0 (a
 * feature that was not shown) gives zeros and is not counted; the statistics are then means
 * over the rows that count, with a size of 1. */
#include "ir/program.h"
#include "ops/types.h"

#include <string.h>

enum { X, SIZE, SUM, SQUARES, SCALE_W, BIAS };
enum { Y, MEANS, SCALES };
enum { EPSILON, SLOT_DIM, DECAY, SHIFTED, LAYOUT, SYNC };

static rg_status check_columns(const rg_ctx *ctx, int in, int64_t columns)
{
    int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
    RG_TRY(rg_expect_same_dtype(ctx, X, in));
    if (n >= 0 && columns >= 0 && n != columns)
        return rg_fail(RG_ESHAPE, "X has %lld columns, and %s %lld elements", (long long)columns,
                       ctx->op->in[in].name, (long long)n);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    bool shifted = rg_attr_bool(ctx, SHIFTED);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    if (rg_attr_bool(ctx, SYNC))
        return rg_fail(RG_EUNIMPL, "sync_stats is set: trainers do not exchange statistics, a "
                                   "server adds them up");
    if (shifted && (!rg_has_in(ctx, SCALE_W) || !rg_has_in(ctx, BIAS)))
        return rg_fail(RG_EINVAL, "enable_scale_and_shift needs scale_w and bias");
    for (int in = SIZE; in <= BIAS; in++)
        if (in <= SQUARES || (shifted && rg_has_in(ctx, in)))
            RG_TRY(check_columns(ctx, in, x->dim[1]));
    rg_set_like(ctx, Y, X);
    rg_shape columns = RG_SHAPE(x->dim[1]);
    rg_set_out(ctx, MEANS, rg_dtype_of(ctx, X), &columns);
    rg_set_out(ctx, SCALES, rg_dtype_of(ctx, X), &columns);
    return RG_OK;
}

/* What is nearer to 0 was not shown; a NaN was. */
#define SHOWN(x) (!((x) < (T)1e-7 && (x) > (T)-1e-7))

#define T float
#define S f32
#include "ops/data_norm_loops.h"
#define T double
#define S f64
#include "ops/data_norm_loops.h"

/* Columns of a group: all of them where there are none. */
static int64_t group_of(const rg_ctx *ctx)
{
    int slot = rg_attr_int(ctx, SLOT_DIM);
    return slot > 0 ? slot : 0;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int64_t columns = x->dim[1];
    bool shifted = rg_attr_bool(ctx, SHIFTED);
    void *means = rg_out_data(ctx, MEANS), *scales = rg_out_data(ctx, SCALES);
    if (means == NULL)
        means = rg_scratch(ctx, (size_t)columns * sizeof(double));
    if (scales == NULL)
        scales = rg_scratch(ctx, (size_t)columns * sizeof(double));
    if (means == NULL || scales == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, statistics,
                  (columns, rg_in_data(ctx, SIZE), rg_in_data(ctx, SUM), rg_in_data(ctx, SQUARES),
                   means, scales))
    RG_CALL_FLOAT(ctx, X, norm,
                  (x->dim[0], columns, group_of(ctx), rg_in_data(ctx, X), means, scales,
                   shifted ? rg_in_data(ctx, SCALE_W) : NULL,
                   shifted ? rg_in_data(ctx, BIAS) : NULL, rg_out_data(ctx, Y)))
    return RG_OK;
}

static rg_status make_grad(rg_grad_ctx *ctx);

#define ATTRS                                                                                   \
    RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1e-4f, "added to the squares for each row"),       \
             [SLOT_DIM] = RG_INT("slot_dim", -1, "columns of a feature that may not be shown"), \
             [DECAY] = RG_FLOAT("summary_decay_rate", 0.9999999f, "for whoever adds them up"),  \
             [SHIFTED] = RG_BOOLEAN("enable_scale_and_shift", false, "use scale_w and bias"),   \
             [LAYOUT] = RG_STRING("data_layout", "NCHW", "kept for files"),                     \
             [SYNC] = RG_BOOLEAN("sync_stats", false, "refused"))

const rg_op rg_op_data_norm = {
    .type = "data_norm",
    .doc = "Columns normalised by statistics of all data so far.",
    .in = RG_SLOTS([X] = {"X", "[rows, columns]"}, [SIZE] = {"BatchSize", "rows seen"},
                   [SUM] = {"BatchSum", "their sums"},
                   [SQUARES] = {"BatchSquareSum", "the sums of squares"},
                   [SCALE_W] = {"scale_w", "a factor for each column", RG_OPTIONAL},
                   [BIAS] = {"bias", "a shift for each column", RG_OPTIONAL}),
    .out = RG_SLOTS([Y] = {"Y", "the shape of X"}, [MEANS] = {"Means", "", RG_INTERMEDIATE},
                    [SCALES] = {"Scales", "", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
    .grad = make_grad,
};

/* ---- gradient ---- */

enum { G_X, G_MEANS, G_SCALES, G_DY, G_SCALE_W, G_BIAS };
enum { G_DX, G_DSIZE, G_DSUM, G_DSQUARES, G_DSCALE_W, G_DBIAS, G_SIZE, G_SUM, G_SQUARES };

/* The gradient op names the statistics as outputs too: a place for the sums to be applied
 * at once, which is done elsewhere. */
static rg_status make_grad(rg_grad_ctx *ctx)
{
    static const char *const statistics[] = {"BatchSize", "BatchSum", "BatchSquareSum"};
    static const char *const all[] = {"X",       "BatchSize", "BatchSum", "BatchSquareSum",
                                      "scale_w", "bias"};
    static const char *const grads[] = {"X@GRAD",        "BatchSize@GRAD",
                                        "BatchSum@GRAD", "BatchSquareSum@GRAD",
                                        "scale_w@GRAD",  "bias@GRAD"};
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "data_norm_grad", true, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    RG_TRY(rg_grad_read_out(ctx, op, "Means", "Means"));
    RG_TRY(rg_grad_read_out(ctx, op, "Scales", "Scales"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Y@GRAD", "Y"));
    RG_TRY(rg_grad_read_in(ctx, op, "scale_w", "scale_w"));
    RG_TRY(rg_grad_read_in(ctx, op, "bias", "bias"));
    for (int i = 0; i < 6; i++)
        RG_TRY(rg_grad_write(ctx, op, grads[i], all[i], -1, NULL));
    for (int i = 0; i < 3; i++) {
        const rg_args *args = rg_opdesc_in(rg_grad_forward(ctx), statistics[i]);
        if (args != NULL)
            RG_TRY(rg_opdesc_set_out(op, statistics[i], args->n, args->names));
    }
    return RG_OK;
}

static rg_status grad_infer(rg_ctx *ctx)
{
    const rg_meta *means = rg_in_meta(ctx, G_MEANS);
    rg_set_like(ctx, G_DX, G_X);
    for (int out = G_DSIZE; out <= G_SQUARES; out++)
        rg_set_out(ctx, out, means->dtype, &means->shape);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X);
    int64_t columns = x->dim[1];
    bool shifted = rg_attr_bool(ctx, SHIFTED) && rg_has_in(ctx, G_SCALE_W);
    const void *means = rg_in_data(ctx, G_MEANS), *scales = rg_in_data(ctx, G_SCALES);
    const void *dy = rg_in_data(ctx, G_DY), *data = rg_in_data(ctx, G_X);
    void *sums[5];
    for (int i = 0; i < 5; i++) {
        sums[i] = rg_out_data(ctx, G_DSIZE + i);
        if (sums[i] == NULL)
            sums[i] = rg_scratch(ctx, (size_t)columns * sizeof(double));
        if (sums[i] == NULL)
            return RG_ENOMEM;
        memset(sums[i], 0, (size_t)columns * rg_dtype_size(rg_dtype_of(ctx, G_X)));
    }
    RG_CALL_FLOAT(ctx, G_X, batch_statistics,
                  (x->dim[0], columns, group_of(ctx), rg_attr_float(ctx, EPSILON), data, means,
                   sums[0], sums[1], sums[2]))
    if (shifted)
        RG_CALL_FLOAT(
            ctx, G_X, shift_grad,
            (x->dim[0], columns, group_of(ctx), data, dy, means, scales, sums[3], sums[4]))
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(ctx, G_X, back,
                      (x->dim[0], columns, group_of(ctx), data, dy, scales,
                       shifted ? rg_in_data(ctx, G_SCALE_W) : NULL, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_data_norm_grad = {
    .type = "data_norm_grad",
    .doc = "Gradient of data_norm: the statistics of the batch.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_MEANS] = {"Means", ""}, [G_SCALES] = {"Scales", ""},
                   [G_DY] = {"Y@GRAD", ""}, [G_SCALE_W] = {"scale_w", "", RG_OPTIONAL},
                   [G_BIAS] = {"bias", "", RG_OPTIONAL | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL},
                    [G_DSIZE] = {"BatchSize@GRAD", "", RG_OPTIONAL},
                    [G_DSUM] = {"BatchSum@GRAD", "", RG_OPTIONAL},
                    [G_DSQUARES] = {"BatchSquareSum@GRAD", "", RG_OPTIONAL},
                    [G_DSCALE_W] = {"scale_w@GRAD", "", RG_OPTIONAL},
                    [G_DBIAS] = {"bias@GRAD", "", RG_OPTIONAL},
                    [G_SIZE] = {"BatchSize", "left as it is", RG_OPTIONAL},
                    [G_SUM] = {"BatchSum", "left as it is", RG_OPTIONAL},
                    [G_SQUARES] = {"BatchSquareSum", "left as it is", RG_OPTIONAL}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
