/* optimizer.c - the shape rule of optimizer ops, and the walk over a gradient. */
#include "ops/optimizer.h"

#include "math/reduce.h"
#include "ops/merge_rows.h"

/* What a row without a gradient has for one. */
static const double zeros[512];

rg_status rg_expect_number(const rg_ctx *ctx, int in)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, in, RG_F32, RG_F64));
    if (!rg_running(ctx) || rg_shape_numel(rg_shape_of(ctx, in)) == 1)
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s must hold one number, and has the shape %s", ctx->op->in[in].name,
                   rg_shape_text(rg_shape_of(ctx, in), text));
}

/* A sparse gradient may be of a table of another height, where only a part of the
 * parameter is here; its rows are checked when they are known. */
static rg_status expect_grad(const rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    int param = update->state[0].in;
    const rg_meta *grad = rg_in_meta(ctx, update->grad);
    RG_TRY(rg_expect_same_dtype(ctx, param, update->grad));
    if (grad->kind == RG_TENSOR)
        return rg_expect_same_shape(ctx, param, update->grad);
    rg_shape rows = grad->shape;
    const rg_shape *wanted = rg_shape_of(ctx, param);
    if (rows.rank > 0 && wanted->rank > 0)
        rows.dim[0] = wanted->dim[0];
    if (rg_shape_fits(&rows, wanted))
        return RG_OK;
    return rg_expect_same_shape(ctx, param, update->grad);
}

rg_status rg_update_infer(rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    int param = update->state[0].in;
    RG_TRY(expect_grad(ctx));
    if (update->rate >= 0)
        RG_TRY(rg_expect_number(ctx, update->rate));
    for (int i = 0; i < update->n; i++) {
        const rg_state *state = &update->state[i];
        if (!rg_has_in(ctx, state->in))
            continue;
        if (!rg_has_out(ctx, state->out))
            return rg_fail(RG_EINVAL, "%s has nowhere to go: the op has no output %s",
                           ctx->op->in[state->in].name, ctx->op->out[state->out].name);
        RG_TRY(rg_expect_same_dtype(ctx, param, state->in));
        RG_TRY(state->counter ? rg_expect_number(ctx, state->in)
                              : rg_expect_same_shape(ctx, param, state->in));
        rg_set_like(ctx, state->out, state->in);
    }
    return RG_OK;
}

rg_status rg_expect_rows_below(const rg_ctx *ctx, int grad, int64_t height)
{
    const rg_value *value = rg_in(ctx, grad);
    for (size_t i = 0; i < value->n_rows; i++)
        if (value->rows[i] < 0 || value->rows[i] >= height)
            return rg_fail(RG_EVALUE, "%s names row %lld of a parameter of %lld rows",
                           ctx->op->in[grad].name, (long long)value->rows[i], (long long)height);
    return RG_OK;
}

bool rg_moves_idle(const rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    return update->every_row && !(update->lazy > 0 && rg_attr_bool(ctx, update->lazy - 1));
}

float rg_step_rate(rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    if (update->begin != NULL)
        return update->begin(ctx);
    return update->rate >= 0 ? (float)rg_number(ctx, update->rate) : 1;
}

rg_status rg_update_begin(rg_ctx *ctx, rg_walk *walk)
{
    const rg_update *update = ctx->op->update;
    for (int i = 0; i < update->n; i++)
        if (rg_has_in(ctx, update->state[i].in))
            RG_TRY(
                rg_value_copy(rg_out(ctx, update->state[i].out), rg_in(ctx, update->state[i].in)));
    const rg_value *param = rg_in(ctx, update->state[0].in), *grad = rg_in(ctx, update->grad);
    *walk = (rg_walk){.size = rg_dtype_size(param->meta.dtype), .width = rg_numel(param)};
    if (grad->meta.kind == RG_TENSOR) {
        static const int64_t whole = 0;
        walk->rows = &whole;
        walk->values = grad->data;
        walk->n_rows = 1;
        return RG_OK;
    }
    rg_merged merged;
    int64_t height = param->meta.shape.rank > 0 ? param->meta.shape.dim[0] : 1;
    RG_TRY(rg_expect_rows_below(ctx, update->grad, height));
    RG_TRY(rg_merge_rows(ctx, grad, &merged));
    walk->rows = merged.rows;
    walk->values = merged.values;
    walk->n_rows = merged.n;
    walk->width = rg_value_width(param);
    walk->end = rg_moves_idle(ctx) ? height * walk->width : 0;
    return RG_OK;
}

/* Up to `limit`, by zeros. */
static bool idle(rg_walk *s, int64_t limit)
{
    int64_t most = (int64_t)(sizeof zeros / s->size);
    s->at = s->next;
    s->n = limit - s->next < most ? limit - s->next : most;
    s->grad = zeros;
    s->next += s->n;
    return true;
}

bool rg_walk_next(rg_walk *s)
{
    if (s->i == s->n_rows)
        return s->next < s->end && idle(s, s->end);
    int64_t at = s->rows[s->i] * s->width;
    if (s->end > 0 && s->next < at)
        return idle(s, at);
    size_t first = s->i++;
    while (s->i < s->n_rows && s->rows[s->i] == s->rows[s->i - 1] + 1)
        s->i++;
    s->at = at;
    s->n = (int64_t)(s->i - first) * s->width;
    s->grad = s->values + first * (size_t)s->width * s->size;
    s->next = at + s->n;
    return true;
}

float rg_walk_squares_f32(const rg_walk *s)
{
    return rg_dot_f32((const float *)s->values, (const float *)s->values,
                      (int64_t)s->n_rows * s->width);
}

double rg_walk_squares_f64(const rg_walk *s)
{
    return rg_dot_f64((const double *)s->values, (const double *)s->values,
                      (int64_t)s->n_rows * s->width);
}

double rg_number(const rg_ctx *ctx, int in)
{
    const rg_value *value = rg_in(ctx, in);
    return value->meta.dtype == RG_F64 ? *(const double *)value->data
                                       : (double)*(const float *)value->data;
}
