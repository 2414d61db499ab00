/* elementwise.c - arithmetic of two tensors, element by element, with broadcasting.
 *
 *   Out = X op Y        Y's shape is a run of X's dimensions from `axis` on
 *
 * add, sub, mul, div, max, min, pow, mod and floordiv, and the gradients of the first
 * seven: where a tensor was repeated, its gradient is summed over the repetitions. mul
 * takes a sparse gradient as X, too, and multiplies it by one number. */
#include "ir/terms.h"
#include "ops/broadcast.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, Y };
enum { OUT };
enum { AXIS };

typedef enum op_kind { ADD, SUB, MUL, DIV, MAX, MIN, POW, MOD, FLOORDIV } op_kind;

/* The rest of a division: of floats with the sign of the divisor, of whole numbers with
 * that of the dividend, as Paddle has it. */
static inline double rest_float(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t rest_whole(int64_t a, int64_t b)
{
    return a % b;
}

#define T    int32_t
#define S    i32
#define REST rest_whole
#include "ops/elementwise_rows.h"
#define T    int64_t
#define S    i64
#define REST rest_whole
#include "ops/elementwise_rows.h"
#define WITH_GRADIENT
#define T    float
#define S    f32
#define REST rest_float
#include "ops/elementwise_rows.h"
#define T    double
#define S    f64
#define REST rest_float
#include "ops/elementwise_rows.h"

static rg_status elementwise_infer(rg_ctx *ctx)
{
    rg_shape out;
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(
        rg_broadcast_shape(rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS), &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Of a sparse gradient by one number, as clips and scaled losses have it. */
static rg_status scaling_infer(rg_ctx *ctx)
{
    if (rg_in_meta(ctx, X)->kind != RG_ROWS)
        return elementwise_infer(ctx);
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    if (rg_shape_numel(rg_shape_of(ctx, Y)) > 1)
        return rg_fail(RG_ESHAPE, "X is sparse, so Y must be a tensor of one number");
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_broadcast plan_of(const rg_ctx *ctx, int x, int y)
{
    rg_broadcast b;
    rg_broadcast_plan(&b, rg_shape_of(ctx, x), rg_shape_of(ctx, y), rg_attr_int(ctx, AXIS));
    return b;
}

static rg_status run(rg_ctx *ctx, op_kind op)
{
    rg_broadcast b = plan_of(ctx, X, Y);
    RG_CALL_NUMBER(ctx, X, forward,
                   (op, &b, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT)))
    return RG_OK;
}

/* Whole numbers have no quotient by zero. */
static rg_status check_divisor(const rg_ctx *ctx)
{
    const rg_value *y = rg_in(ctx, Y);
    int64_t n = rg_numel(y);
    for (int64_t i = 0; i < n; i++)
        if ((y->meta.dtype == RG_I32 && ((const int32_t *)y->data)[i] == 0) ||
            (y->meta.dtype == RG_I64 && ((const int64_t *)y->data)[i] == 0))
            return rg_fail(RG_EVALUE, "%s has a 0 at element %lld to divide by",
                           rg_in_name(ctx, Y, 0), (long long)i);
    return RG_OK;
}

static rg_status add_kernel(rg_ctx *ctx)
{
    return run(ctx, ADD);
}

static rg_status sub_kernel(rg_ctx *ctx)
{
    return run(ctx, SUB);
}

static rg_status scale_rows(rg_ctx *ctx, op_kind op)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    if (out != x) {
        RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &x->meta.shape, x->n_rows));
        if (x->n_rows > 0)
            memcpy(out->rows, x->rows, x->n_rows * sizeof *x->rows);
    }
    rg_broadcast b;
    rg_shape values = RG_SHAPE((int64_t)x->n_rows, rg_value_width(x));
    rg_broadcast_plan(&b, &values, &RG_SHAPE(1), -1);
    RG_CALL_NUMBER(ctx, X, forward, (op, &b, x->data, rg_in_data(ctx, Y), out->data))
    return RG_OK;
}

static rg_status mul_kernel(rg_ctx *ctx)
{
    return rg_in(ctx, X)->meta.kind == RG_ROWS ? scale_rows(ctx, MUL) : run(ctx, MUL);
}

static rg_status div_kernel(rg_ctx *ctx)
{
    RG_TRY(check_divisor(ctx));
    return rg_in(ctx, X)->meta.kind == RG_ROWS ? scale_rows(ctx, DIV) : run(ctx, DIV);
}

static rg_status max_kernel(rg_ctx *ctx)
{
    return run(ctx, MAX);
}

static rg_status min_kernel(rg_ctx *ctx)
{
    return run(ctx, MIN);
}

static rg_status pow_kernel(rg_ctx *ctx)
{
    return run(ctx, POW);
}

static rg_status mod_kernel(rg_ctx *ctx)
{
    RG_TRY(check_divisor(ctx));
    return run(ctx, MOD);
}

static rg_status floordiv_kernel(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I32, RG_I64));
    RG_TRY(check_divisor(ctx));
    return run(ctx, FLOORDIV);
}

/* ---- gradients ---- */

enum { G_X, G_Y, G_DOUT, G_OUT };
enum { G_DX, G_DY };

/* dX or dY: written straight where nothing was repeated, else zeroed and added to. */
static rg_status run_back(rg_ctx *ctx, op_kind op, bool by_x)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *target = rg_out(ctx, by_x ? G_DX : G_DY);
    if (target == NULL)
        return RG_OK;
    rg_broadcast b = plan_of(ctx, G_X, G_Y);
    bool assign = rg_numel(target) == rg_numel(dout);
    if (!assign)
        memset(target->data, 0, rg_value_bytes(target));
    const void *x = rg_in_data(ctx, G_X), *y = rg_in_data(ctx, G_Y);
    if (op == ADD || op == SUB)
        x = y = dout->data; /* not read, and theirs may be gone */
    RG_CALL_FLOAT(ctx, G_DOUT, backward, (op, by_x, &b, x, y, dout->data, target->data, assign))
    return RG_OK;
}

/* dY first: dX may take over the memory of dOut. */
static rg_status both(rg_ctx *ctx, op_kind op)
{
    RG_TRY(run_back(ctx, op, false));
    return run_back(ctx, op, true);
}

static rg_status add_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, ADD);
}

static rg_status sub_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, SUB);
}

static rg_status mul_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, MUL);
}

static rg_status div_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, DIV);
}

static rg_status max_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, MAX);
}

static rg_status min_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, MIN);
}

static rg_status pow_grad_kernel(rg_ctx *ctx)
{
    return both(ctx, POW);
}

/* ---- the gradients, composed ---- */

/* X and Y, the gradient of Out, and where Y begins in X. */
typedef struct operands {
    rg_term x, y, dout;
    int axis;
} operands;

static operands take(rg_terms *t)
{
    operands o = {rg_term_in(t, "X"), rg_term_in(t, "Y"), rg_term_in(t, "Out@GRAD"),
                  rg_term_attr(t, "axis")->i};
    if (!rg_shape_fits(&rg_term_meta(t, o.x)->shape, &rg_term_meta(t, o.dout)->shape))
        rg_term_fail(t, "X is repeated to match Y");
    return o;
}

static rg_term with_y(rg_terms *t, const char *type, rg_term x, const operands *o)
{
    return rg_term_elementwise(t, type, x, o->y, o->axis);
}

static void div_terms(rg_terms *t)
{
    operands o = take(t);
    rg_term dx = with_y(t, "elementwise_div", o.dout, &o);
    rg_term_give(t, "X@GRAD", dx);
    if (!rg_term_wanted(t, "Y@GRAD"))
        return;
    rg_term dy = rg_term_mul(t, dx, with_y(t, "elementwise_div", o.x, &o));
    rg_term_give(t, "Y@GRAD", rg_term_fold(t, rg_term_scale(t, dy, -1, 0), o.y, o.axis));
}

/* Which of the two is taken does not change with a little more of either. */
static void extreme_terms(rg_terms *t)
{
    operands o = take(t);
    rg_term ones = rg_term_filled(t, o.dout, 1);
    rg_opdesc *again = rg_term_again(t);
    rg_term_put(t, again, "Out@GRAD", ones);
    rg_term of_x = rg_term_constant(t, rg_term_end(t, again, "X@GRAD"));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, o.dout, of_x));
    if (!rg_term_wanted(t, "Y@GRAD"))
        return;
    rg_term dy = rg_term_mul(t, o.dout, rg_term_scale(t, of_x, -1, 1));
    rg_term_give(t, "Y@GRAD", rg_term_fold(t, dy, o.y, o.axis));
}

static void pow_terms(rg_terms *t)
{
    operands o = take(t);
    rg_term less = rg_term_elementwise(t, "elementwise_pow", o.x, rg_term_scale(t, o.y, 1, -1),
                                       o.axis); /* x^(y - 1) */
    rg_term slope = with_y(t, "elementwise_mul", less, &o);
    rg_term_give(t, "X@GRAD", rg_term_mul(t, o.dout, slope));
    if (!rg_term_wanted(t, "Y@GRAD"))
        return;
    rg_term dy = rg_term_mul(t, rg_term_mul(t, less, o.x), rg_term_of(t, "log", o.x));
    rg_term_give(t, "Y@GRAD", rg_term_fold(t, rg_term_mul(t, o.dout, dy), o.y, o.axis));
}

#define ELEMENTWISE(NAME, INFER, KINDS, FLAGS, DOC)                                                \
    {                                                                                              \
        .type = "elementwise_" #NAME, .doc = (DOC),                                                \
        .in = RG_SLOTS([X] = {"X", "the first tensor", KINDS},                                     \
                       [Y] = {"Y", "the second; its shape is a run of X's dimensions"}),           \
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),                   \
        .attr = RG_ATTRS([AXIS] = RG_INT("axis", -1, "where Y's dimensions begin in X's")),        \
        .flags = (FLAGS), .infer = INFER, .kernel = NAME##_kernel,                                 \
    }
#define ELEMENTWISE_GRAD(NAME, READS, TERMS, ...)                                                  \
    {                                                                                              \
        .type = "elementwise_" #NAME "_grad", .doc = "Gradient of elementwise_" #NAME ".",         \
        .in = RG_SLOTS([G_X] = {"X", "", READS}, [G_Y] = {"Y", "", READS},                         \
                       [G_DOUT] = {"Out@GRAD", ""}, __VA_ARGS__),                                  \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X), RG_OF(G_DOUT)},           \
                        [G_DY] = {"Y@GRAD", "", RG_OPTIONAL, RG_OF(G_Y)}),                         \
        .attr = RG_ATTRS([AXIS] = RG_INT("axis", -1, "as of the op")),                             \
        .kernel = NAME##_grad_kernel, .compose = (TERMS),                                          \
    }

const rg_op rg_ops_elementwise[] = {
    ELEMENTWISE(add, elementwise_infer, 0, RG_OP_LINEAR, "X + Y."),
    ELEMENTWISE(sub, elementwise_infer, 0, RG_OP_LINEAR, "X - Y."),
    ELEMENTWISE(mul, scaling_infer, RG_ROWS_OK, RG_OP_BILINEAR, "X * Y."),
    ELEMENTWISE(div, scaling_infer, RG_ROWS_OK, 0, "X / Y."),
    ELEMENTWISE(max, elementwise_infer, 0, 0, "The larger of X and Y."),
    ELEMENTWISE(min, elementwise_infer, 0, 0, "The smaller of X and Y."),
    ELEMENTWISE(pow, elementwise_infer, 0, 0, "X to the power of Y."),
    ELEMENTWISE(mod, elementwise_infer, 0, 0, "The rest of X divided by Y."),
    ELEMENTWISE(floordiv, elementwise_infer, 0, 0, "X divided by Y, whole numbers."),
    ELEMENTWISE_GRAD(add, RG_SHAPE_ONLY, NULL, {.name = NULL}),
    ELEMENTWISE_GRAD(sub, RG_SHAPE_ONLY, NULL, {.name = NULL}),
    ELEMENTWISE_GRAD(mul, 0, NULL, {.name = NULL}),
    ELEMENTWISE_GRAD(div, 0, div_terms, [G_OUT] = {"Out", "", RG_SHAPE_ONLY | RG_OPTIONAL}),
    ELEMENTWISE_GRAD(max, 0, extreme_terms, {.name = NULL}),
    ELEMENTWISE_GRAD(min, 0, extreme_terms, {.name = NULL}),
    ELEMENTWISE_GRAD(pow, 0, pow_terms, {.name = NULL}),
    {.type = NULL},
};
