/* compare.c - comparing two tensors element by element, and logic on the results.
 *
 * less_than, less_equal, greater_than, greater_equal, equal, not_equal: bool from numbers,
 * with the broadcasting of the elementwise ops. logical_and, _or, _xor, _not: of bools. */
#include "ops/broadcast.h"
#include "ops/types.h"

#include <math.h>

enum { X, Y };
enum { OUT };
enum { AXIS, FORCE_CPU };

typedef enum relation { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL } relation;

static rg_status compare_infer(rg_ctx *ctx)
{
    rg_shape out;
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(
        rg_broadcast_shape(rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS), &out));
    rg_set_out(ctx, OUT, RG_BOOL, &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Floats are equal if they differ by less than 1e-8, as in Fluid; so infinities never are. */
#define EXACTLY(a, b) ((a) == (b))
#define NEARLY(a, b)  (fabs((double)((a) - (b))) < 1e-8)

#define COMPARE(T, S, SAME)                                                              \
    RG_INLINE bool holds_##S(relation how, T a, T b)                                     \
    {                                                                                    \
        switch (how) {                                                                   \
        case LESS:                                                                       \
            return a < b;                                                                \
        case LESS_EQUAL:                                                                 \
            return a <= b;                                                               \
        case GREATER:                                                                    \
            return a > b;                                                                \
        case GREATER_EQUAL:                                                              \
            return a >= b;                                                               \
        case EQUAL:                                                                      \
            return SAME(a, b);                                                           \
        case NOT_EQUAL:                                                                  \
            return !SAME(a, b);                                                          \
        }                                                                                \
        return false;                                                                    \
    }                                                                                    \
    static void compare_##S(relation how, const rg_broadcast *b, const T *x, const T *y, \
                            bool *out)                                                   \
    {                                                                                    \
        const int64_t n = b->n[b->rank - 1];                                             \
        const int64_t sx = b->sx[b->rank - 1], sy = b->sy[b->rank - 1];                  \
        rg_row row = {.x = 0};                                                           \
        for (int64_t r = 0; r < b->rows; r++, rg_row_next(b, &row))                      \
            for (int64_t j = 0; j < n; j++)                                              \
                out[r * n + j] = holds_##S(how, x[row.x + j * sx], y[row.y + j * sy]);   \
    }
COMPARE(float, f32, NEARLY)
COMPARE(double, f64, NEARLY)
COMPARE(int32_t, i32, EXACTLY)
COMPARE(int64_t, i64, EXACTLY)
COMPARE(bool, bool, EXACTLY)

static rg_status compare(rg_ctx *ctx, relation how)
{
    rg_broadcast b;
    rg_broadcast_plan(&b, rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS));
    const void *x = rg_in_data(ctx, X), *y = rg_in_data(ctx, Y);
    bool *out = rg_out_data(ctx, OUT);
    if (rg_dtype_of(ctx, X) == RG_BOOL) {
        compare_bool(how, &b, x, y, out);
        return RG_OK;
    }
    RG_CALL_NUMBER(ctx, X, compare, (how, &b, x, y, out))
    return RG_OK;
}

#define RELATION(NAME, HOW)                                                                        \
    static rg_status NAME##_kernel(rg_ctx *ctx)                                                    \
    {                                                                                              \
        return compare(ctx, HOW);                                                                  \
    }
RELATION(less_than, LESS)
RELATION(less_equal, LESS_EQUAL)
RELATION(greater_than, GREATER)
RELATION(greater_equal, GREATER_EQUAL)
RELATION(equal, EQUAL)
RELATION(not_equal, NOT_EQUAL)

/* ---- logic ---- */

static rg_status logic_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_BOOL));
    if (ctx->op->in[Y].name != NULL) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, Y, RG_BOOL));
        RG_TRY(rg_expect_same_shape(ctx, X, Y));
    }
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status logical_and_kernel(rg_ctx *ctx)
{
    const bool *x = rg_in_data(ctx, X), *y = rg_in_data(ctx, Y);
    bool *out = rg_out_data(ctx, OUT);
    int64_t n = rg_numel(rg_in(ctx, X));
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] && y[i];
    return RG_OK;
}

static rg_status logical_or_kernel(rg_ctx *ctx)
{
    const bool *x = rg_in_data(ctx, X), *y = rg_in_data(ctx, Y);
    bool *out = rg_out_data(ctx, OUT);
    int64_t n = rg_numel(rg_in(ctx, X));
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] || y[i];
    return RG_OK;
}

static rg_status logical_xor_kernel(rg_ctx *ctx)
{
    const bool *x = rg_in_data(ctx, X), *y = rg_in_data(ctx, Y);
    bool *out = rg_out_data(ctx, OUT);
    int64_t n = rg_numel(rg_in(ctx, X));
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] != y[i];
    return RG_OK;
}

static rg_status logical_not_kernel(rg_ctx *ctx)
{
    const bool *x = rg_in_data(ctx, X);
    bool *out = rg_out_data(ctx, OUT);
    int64_t n = rg_numel(rg_in(ctx, X));
    for (int64_t i = 0; i < n; i++)
        out[i] = !x[i];
    return RG_OK;
}

#define COMPARE_OP(NAME, DOC)                                                                      \
    {                                                                                              \
        .type = #NAME, .doc = (DOC),                                                               \
        .in = RG_SLOTS([X] = {"X", "the first tensor", RG_NO_GRAD},                                \
                       [Y] = {"Y", "the second; broadcast", RG_NO_GRAD}),                          \
        .out = RG_SLOTS([OUT] = {"Out", "bool"}),                                                  \
        .attr = RG_ATTRS([AXIS] = RG_INT("axis", -1, "where Y's dimensions begin in X's"),         \
                         [FORCE_CPU] = RG_BOOLEAN("force_cpu", false, "always true here")),        \
        .infer = compare_infer, .kernel = NAME##_kernel,                                           \
    }
#define LOGIC_OP(NAME, DOC)                                                                        \
    {                                                                                              \
        .type = #NAME, .doc = (DOC),                                                               \
        .in = RG_SLOTS([X] = {"X", "bool", RG_NO_GRAD}, [Y] = {"Y", "bool", RG_NO_GRAD}),          \
        .out = RG_SLOTS([OUT] = {"Out", "bool"}), .infer = logic_infer, .kernel = NAME##_kernel,   \
    }

const rg_op rg_ops_compare[] = {
    COMPARE_OP(less_than, "X < Y."),
    COMPARE_OP(less_equal, "X <= Y."),
    COMPARE_OP(greater_than, "X > Y."),
    COMPARE_OP(greater_equal, "X >= Y."),
    COMPARE_OP(equal, "X == Y."),
    COMPARE_OP(not_equal, "X != Y."),
    LOGIC_OP(logical_and, "X and Y."),
    LOGIC_OP(logical_or, "X or Y."),
    LOGIC_OP(logical_xor, "One of X and Y, not both."),
    {
        .type = "logical_not",
        .doc = "Not X.",
        .in = RG_SLOTS([X] = {"X", "bool", RG_NO_GRAD}, [Y] = {.name = NULL}),
        .out = RG_SLOTS([OUT] = {"Out", "bool"}),
        .infer = logic_infer,
        .kernel = logical_not_kernel,
    },
    {.type = NULL},
};
