/* sgd.c - ParamOut = Param - LearningRate * Grad; of a sparse gradient, only the rows that
 * it names, duplicates one after another. */
#include "ops/optimizer.h"
#include "ops/row_set.h"
#include "ops/types.h"

enum { PARAM, RATE, GRAD };
enum { PARAM_OUT };

enum { AHEAD = 16 }; /* rows that are on their way from memory while one is changed */

static const rg_state state[] = {{PARAM, PARAM_OUT}};

static rg_status sgd_infer(rg_ctx *ctx)
{
    if (rg_in_meta(ctx, PARAM)->kind == RG_ROWS && rg_in_meta(ctx, GRAD)->kind != RG_ROWS)
        return rg_fail(RG_ESHAPE, "Param is SelectedRows, and Grad must be too");
    return rg_update_infer(ctx);
}

static inline void expect_row(const void *row, size_t bytes)
{
    __builtin_prefetch(row, 1);
    __builtin_prefetch((const char *)row + bytes - 1, 1);
}

#define STEP(T, S)                                                                            \
    RG_HOT static void step_##S(T *out, const T *p, const T *g, T rate, int64_t n)            \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++)                                                       \
            out[i] = p[i] - rate * g[i];                                                      \
    }                                                                                         \
    RG_HOT static void step_rows_##S(T *p, const int64_t *rows, const T *g, T rate, size_t n, \
                                     int64_t width)                                           \
    {                                                                                         \
        for (size_t i = 0; i < n; i++) {                                                      \
            T *row = p + rows[i] * width;                                                     \
            if (i + AHEAD < n) /* rows are all over a table that no cache holds */            \
                expect_row(p + rows[i + AHEAD] * width, (size_t)width * sizeof *p);           \
            for (int64_t j = 0; j < width; j++)                                               \
                row[j] -= rate * g[(int64_t)i * width + j];                                   \
        }                                                                                     \
    }
RG_FLOATS(STEP)

/* Where a table that has only some of its rows has those of the gradient. */
static rg_status places_of(rg_ctx *ctx, const rg_value *param, const rg_value *grad,
                           const int64_t **places)
{
    rg_row_finder finder;
    RG_TRY(rg_row_finder_of(ctx, param, &finder));
    int64_t *found = rg_scratch(ctx, grad->n_rows * sizeof *found);
    if (found == NULL)
        return RG_ENOMEM;
    for (size_t i = 0; i < grad->n_rows; i++) {
        found[i] = rg_row_find(&finder, grad->rows[i]);
        if (found[i] < 0)
            return rg_fail(RG_EVALUE, "Grad names row %lld, which is not among the %zu of Param",
                           (long long)grad->rows[i], param->n_rows);
    }
    *places = found;
    return RG_OK;
}

static rg_status sgd_kernel(rg_ctx *ctx)
{
    const rg_value *param = rg_in(ctx, PARAM), *grad = rg_in(ctx, GRAD);
    rg_value *out = rg_out(ctx, PARAM_OUT);
    const int64_t *places = grad->rows;
    double rate = rg_number(ctx, RATE);
    bool f32 = param->meta.dtype == RG_F32;
    if (!f32 && param->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, PARAM);
    if (grad->meta.kind == RG_TENSOR) {
        if (f32)
            step_f32(out->data, param->data, grad->data, (float)rate, rg_numel(param));
        else
            step_f64(out->data, param->data, grad->data, rate, rg_numel(param));
        return RG_OK;
    }
    if (param->meta.kind == RG_ROWS)
        RG_TRY(places_of(ctx, param, grad, &places));
    else
        RG_TRY(rg_expect_rows_below(ctx, GRAD, param->meta.shape.dim[0]));
    RG_TRY(rg_value_copy(out, param));
    int64_t width = rg_value_width(param);
    if (f32)
        step_rows_f32(out->data, places, grad->data, (float)rate, grad->n_rows, width);
    else
        step_rows_f64(out->data, places, grad->data, rate, grad->n_rows, width);
    return RG_OK;
}

/* ---- rows of a server ---- */

RG_HOT static void step_batch(const rg_row_batch *rows, float rate)
{
    for (size_t i = 0; i < rows->n; i++) {
        float *restrict p = rows->part[0][i];
        const float *restrict g = rows->grads + (int64_t)i * rows->width;
        for (int64_t j = 0; j < rows->width; j++)
            p[j] -= rate * g[j];
    }
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    (void)ctx;
    step_batch(rows, rate);
}

static const char *of_dense_rows(const rg_opdesc *op)
{
    return op->type;
}

static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 1,
    .state = state,
    .plain = true,
    .of_dense_rows = of_dense_rows,
    .row_step = row_step,
};

const rg_op rg_op_sgd = {
    .type = "sgd",
    .doc = "Stochastic gradient descent.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter; may be SelectedRows", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}),
    .update = &update,
    .infer = sgd_infer,
    .kernel = sgd_kernel,
};
