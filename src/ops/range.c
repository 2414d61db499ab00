/* range.c - numbers in a row: range, linspace; and meshgrid, vectors as the axes of a grid.
 *
 *   range     Start, Start + Step, ... as long as End is not reached
 *   linspace  Num numbers from Start to Stop, evenly apart
 *   meshgrid  Outs of one shape, Out_i varying along dimension i alone as X_i does */
#include "ops/box.h"
#include "ops/number.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { START, END, STEP };
enum { STOP = END, NUM };
enum { OUT };

static rg_status check_one(const rg_ctx *ctx, int slot)
{
    if (rg_numel(rg_in(ctx, slot)) != 1)
        return rg_fail(RG_ESHAPE, "%s has %lld elements, and must have one", ctx->op->in[slot].name,
                       (long long)rg_numel(rg_in(ctx, slot)));
    return RG_OK;
}

/* ---- range ---- */

static rg_status count_range(const rg_ctx *ctx, int64_t *n)
{
    RG_TRY(check_one(ctx, START));
    RG_TRY(check_one(ctx, END));
    RG_TRY(check_one(ctx, STEP));
    double start = rg_number_at(rg_in(ctx, START), 0), end = rg_number_at(rg_in(ctx, END), 0);
    double step = rg_number_at(rg_in(ctx, STEP), 0);
    if (step == 0 || (start < end) != (step > 0) || start == end)
        return rg_fail(RG_EVALUE, "steps of %g do not lead from %g to %g", step, start, end);
    double count;
    if (rg_dtype_is_float(rg_dtype_of(ctx, START)))
        count = ceil(fabs((end - start) / step));
    else
        count = trunc((fabs(end - start) + fabs(step) - 1) / fabs(step));
    if (!(count <= 1e15))
        return rg_fail(RG_EVALUE, "%g numbers from %g to %g are too many", count, start, end);
    *n = (int64_t)count;
    return RG_OK;
}

static rg_status range_infer(rg_ctx *ctx)
{
    int64_t n = -1;
    RG_TRY(rg_expect_same_dtype(ctx, START, END));
    RG_TRY(rg_expect_same_dtype(ctx, START, STEP));
    if (rg_running(ctx))
        RG_TRY(count_range(ctx, &n));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, START), &RG_SHAPE(n));
    return RG_OK;
}

/* By adding, as Paddle does: the same rounding. */
#define COUNT_ON(T, S)                                                         \
    static void count_on_##S(const T *start, const T *step, T *out, int64_t n) \
    {                                                                          \
        T value = *start;                                                      \
        for (int64_t i = 0; i < n; i++) {                                      \
            out[i] = value;                                                    \
            value += *step;                                                    \
        }                                                                      \
    }
RG_NUMBERS(COUNT_ON)

static rg_status range_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    RG_CALL_NUMBER(ctx, START, count_on,
                   (rg_in_data(ctx, START), rg_in_data(ctx, STEP), out->data, rg_numel(out)))
    return RG_OK;
}

#define BOUND(NAME, DOC)                 \
    {                                    \
        NAME, DOC, RG_NO_GRAD | RG_SIZES \
    }

const rg_op rg_op_range = {
    .type = "range",
    .doc = "Numbers from Start towards End.",
    .in =
        RG_SLOTS([START] = BOUND("Start", "the first number"), [END] = BOUND("End", "not reached"),
                 [STEP] = BOUND("Step", "from each to the next")),
    .out = RG_SLOTS([OUT] = {"Out", "one dimension"}),
    .infer = range_infer,
    .kernel = range_kernel,
};

/* ---- linspace ---- */

static rg_status linspace_infer(rg_ctx *ctx)
{
    int64_t n = -1;
    RG_TRY(rg_expect_same_dtype(ctx, START, STOP));
    RG_TRY(RG_EXPECT_DTYPE(ctx, START, RG_F32, RG_F64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, NUM, RG_I32, RG_I64));
    if (rg_running(ctx)) {
        RG_TRY(check_one(ctx, START));
        RG_TRY(check_one(ctx, STOP));
        RG_TRY(check_one(ctx, NUM));
        n = (int64_t)rg_number_at(rg_in(ctx, NUM), 0);
        if (n < 1)
            return rg_fail(RG_EVALUE, "Num is %lld, and must be at least 1", (long long)n);
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, START), &RG_SHAPE(n));
    return RG_OK;
}

#define SPACE(T, S)                                                         \
    static void space_##S(const T *start, const T *stop, T *out, int64_t n) \
    {                                                                       \
        const T step = n > 1 ? (*stop - *start) / (T)(n - 1) : 0;           \
        for (int64_t i = 0; i < n; i++)                                     \
            out[i] = *start + step * (T)i;                                  \
    }
RG_FLOATS(SPACE)

static rg_status linspace_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    RG_CALL_FLOAT(ctx, START, space,
                  (rg_in_data(ctx, START), rg_in_data(ctx, STOP), out->data, rg_numel(out)))
    return RG_OK;
}

const rg_op rg_op_linspace = {
    .type = "linspace",
    .doc = "Numbers from Start to Stop, evenly apart.",
    .in = RG_SLOTS([START] = BOUND("Start", "the first number"),
                   [STOP] = BOUND("Stop", "the last number"), [NUM] = BOUND("Num", "how many")),
    .out = RG_SLOTS([OUT] = {"Out", "[Num]"}),
    .infer = linspace_infer,
    .kernel = linspace_kernel,
};

/* ---- meshgrid ---- */

enum { X, DOUT };

static rg_status grid_infer(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, X);
    rg_shape out = {.rank = n};
    if (n > RG_MAX_DIMS || n != rg_n_out(ctx, OUT))
        return rg_fail(RG_EINVAL, "%d axes make a grid of at most %d dimensions, and %d outputs", n,
                       RG_MAX_DIMS, n);
    for (int i = 0; i < n; i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x == NULL || x->shape.rank != 1)
            return rg_fail(RG_ESHAPE, "%s must have one dimension", rg_in_name(ctx, X, i));
        out.dim[i] = x->shape.dim[0];
    }
    for (int i = 0; i < n; i++)
        rg_set_out_n(ctx, OUT, i, rg_in_meta_n(ctx, X, i)->dtype, &out);
    return RG_OK;
}

static rg_box axis_box(const rg_shape *grid, int axis, bool back)
{
    rg_box box = {.rank = 0};
    int64_t steps[RG_MAX_DIMS];
    rg_shape_steps(grid, steps);
    for (int d = 0; d < grid->rank; d++) {
        int64_t along = d == axis ? 1 : 0;
        rg_box_add_dim(&box, grid->dim[d], back ? along : steps[d], back ? steps[d] : along);
    }
    return box;
}

static rg_status grid_kernel(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        rg_value *out = rg_out_n(ctx, OUT, i);
        if (out == NULL)
            continue;
        rg_box box = axis_box(&out->meta.shape, i, false);
        rg_box_copy(&box, out->data, x->data, rg_dtype_size(x->meta.dtype));
    }
    return RG_OK;
}

static rg_status grid_grad_kernel(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *dout = rg_in_n(ctx, DOUT, i);
        rg_value *dx = rg_out_n(ctx, OUT, i);
        if (dx == NULL)
            continue;
        memset(dx->data, 0, rg_value_bytes(dx));
        rg_box box = axis_box(&dout->meta.shape, i, true);
        RG_CALL_FLOAT(ctx, DOUT, rg_box_add, (&box, dx->data, dout->data))
    }
    return RG_OK;
}

const rg_op rg_op_meshgrid = {
    .type = "meshgrid",
    .doc = "Vectors as the axes of a grid.",
    .in = RG_SLOTS([X] = {"X", "one dimension each", RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"Out", "one for each axis", RG_REPEATED}),
    .flags = RG_OP_LINEAR,
    .infer = grid_infer,
    .kernel = grid_kernel,
};

const rg_op rg_op_meshgrid_grad = {
    .type = "meshgrid_grad",
    .doc = "Gradient of meshgrid.",
    .in = RG_SLOTS([X] = {"X", "", RG_REPEATED | RG_SHAPE_ONLY}, [DOUT] = {"Out@GRAD", "",
                                                                           RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", RG_REPEATED, .like = RG_OF(X)}),
    .kernel = grid_grad_kernel,
};
