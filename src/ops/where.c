/* where.c - a choice between two tensors, and the places where a condition holds.
 *
 *   where        Out = Condition ? X : Y, element by element
 *   where_index  the index of every element that is true (or not 0), a row each */
#include "ops/number.h"
#include "ops/types.h"

enum { CONDITION, X, Y, DOUT };
enum { OUT };

/* ---- where ---- */

static rg_status where_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, CONDITION, RG_BOOL));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_shape(ctx, CONDITION, X));
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define CHOOSE(T, S)                                                                     \
    RG_HOT static void choose_##S(const bool *condition, const T *x, const T *y, T *out, \
                                  int64_t n)                                             \
    {                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                  \
            out[i] = condition[i] ? x[i] : y[i];                                         \
    }
RG_NUMBERS(CHOOSE)

#define PASS(T, S)                                                                                 \
    RG_HOT static void pass_##S(const bool *condition, bool when, const T *dout, T *dx, int64_t n) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            dx[i] = condition[i] == when ? dout[i] : 0;                                            \
    }
RG_FLOATS(PASS)

static rg_status where_kernel(rg_ctx *ctx)
{
    const rg_value *condition = rg_in(ctx, CONDITION);
    RG_CALL_NUMBER(ctx, X, choose,
                   (condition->data, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT),
                    rg_numel(condition)))
    return RG_OK;
}

enum { DX, DY };

static rg_status where_grad_kernel(rg_ctx *ctx)
{
    const rg_value *condition = rg_in(ctx, CONDITION), *dout = rg_in(ctx, DOUT);
    int64_t n = rg_numel(dout);
    if (rg_has_out(ctx, DX))
        RG_CALL_FLOAT(ctx, DOUT, pass, (condition->data, true, dout->data, rg_out_data(ctx, DX), n))
    if (rg_has_out(ctx, DY))
        RG_CALL_FLOAT(ctx, DOUT, pass,
                      (condition->data, false, dout->data, rg_out_data(ctx, DY), n))
    return RG_OK;
}

const rg_op rg_op_where = {
    .type = "where",
    .doc = "Elements of X where a condition holds, else of Y.",
    .in = RG_SLOTS([CONDITION] = {"Condition", "bool", RG_NO_GRAD}, [X] = {"X", "its shape"},
                   [Y] = {"Y", "its shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .flags = RG_OP_LINEAR,
    .infer = where_infer,
    .kernel = where_kernel,
};

const rg_op rg_op_where_grad = {
    .type = "where_grad",
    .doc = "Gradient of where.",
    .in = RG_SLOTS([CONDITION] = {"Condition", ""}, [X] = {"X", "", RG_SHAPE_ONLY},
                   [Y] = {"Y", "", RG_SHAPE_ONLY}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "",
                                                                                  RG_OPTIONAL,
                                                                                  .like = RG_OF(
                                                                                      Y)}),
    .kernel = where_grad_kernel,
};

/* ---- where_index ---- */

static rg_status index_infer(rg_ctx *ctx)
{
    const rg_shape *condition = rg_shape_of(ctx, CONDITION);
    if (condition->rank < 1)
        return rg_fail(RG_ESHAPE, "Condition has no dimensions to count along");
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(-1, condition->rank));
    return RG_OK;
}

static rg_status index_kernel(rg_ctx *ctx)
{
    const rg_value *condition = rg_in(ctx, CONDITION);
    const rg_shape *shape = &condition->meta.shape;
    int64_t n = rg_numel(condition), found = 0;
    for (int64_t i = 0; i < n; i++)
        found += rg_number_at(condition, i) != 0;
    RG_TRY(rg_out_resize(ctx, OUT, 0, RG_I64, &RG_SHAPE(found, shape->rank)));
    int64_t *out = rg_out_data(ctx, OUT);
    for (int64_t i = 0; i < n; i++) {
        if (rg_number_at(condition, i) == 0)
            continue;
        int64_t rest = i;
        for (int d = shape->rank - 1; d >= 0; d--) {
            out[d] = rest % shape->dim[d];
            rest /= shape->dim[d];
        }
        out += shape->rank;
    }
    return RG_OK;
}

const rg_op rg_op_where_index = {
    .type = "where_index",
    .doc = "The index of every element that is true.",
    .in = RG_SLOTS([CONDITION] = {"Condition", "bool, or numbers that are true but for 0",
                                  RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[how many, dimensions], int64"}),
    .flags = RG_OP_DYNAMIC,
    .infer = index_infer,
    .kernel = index_kernel,
};
