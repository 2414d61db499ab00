/* fused_elemwise_activation.c - an elementwise op and an activation in one.
 *
 * functor_list is of two. f, a binary one (elementwise_add, elementwise_mul), before g, a unary
 * one (scale, relu, tanh, sigmoid): Out = f(X, g(Y)); the other way round: Out = g(f(X, Y)).
 * `axis` says where the dimensions of Y stand in those of X, as of elementwise_add.
 * IntermediateOut is g(Y) or f(X, Y); the gradient computes it again. */
#include "ops/broadcast.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, Y, DOUT, G_OUT, G_INTERMEDIATE };
enum { OUT, INTERMEDIATE };
enum { DX, DY };
enum { AXIS, SCALE, SAVE_INTERMEDIATE, FUNCTORS };

typedef enum binary { ADD, MULTIPLY } binary;
typedef enum unary { SCALED, RELU, TANH, SIGMOID } unary;

typedef struct functors {
    binary f;
    unary g;
    bool g_first; /* the list begins with the unary one: g(f(x, y)) */
    double scale;
} functors;

static bool is_binary(const char *name, binary *f)
{
    *f = strcmp(name, "elementwise_mul") == 0 ? MULTIPLY : ADD;
    return *f == MULTIPLY || strcmp(name, "elementwise_add") == 0;
}

static bool is_unary(const char *name, unary *g)
{
    static const char *const names[] = {"scale", "relu", "tanh", "sigmoid"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *g = (unary)i;
            return true;
        }
    return false;
}

static rg_status read_functors(const rg_ctx *ctx, functors *of)
{
    const rg_attr *list = rg_attr_list(ctx, FUNCTORS);
    of->scale = (double)rg_attr_float(ctx, SCALE);
    if (list->n == 2) {
        of->g_first = is_unary(list->strings[0], &of->g);
        if (of->g_first ? is_binary(list->strings[1], &of->f)
                        : is_binary(list->strings[0], &of->f) && is_unary(list->strings[1], &of->g))
            return RG_OK;
    }
    return rg_fail(RG_EINVAL,
                   "functor_list is %s%s%s: one of elementwise_add and elementwise_mul, and one of "
                   "scale, relu, tanh and sigmoid",
                   list->n > 0 ? list->strings[0] : "empty", list->n > 1 ? ", " : "",
                   list->n > 1 ? list->strings[1] : "");
}

static rg_status infer(rg_ctx *ctx)
{
    functors of;
    rg_shape out;
    RG_TRY(read_functors(ctx, &of));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(
        rg_broadcast_shape(rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS), &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    if (rg_running(ctx) || rg_attr_bool(ctx, SAVE_INTERMEDIATE))
        rg_set_out(ctx, INTERMEDIATE, rg_dtype_of(ctx, X), of.g_first ? &out : rg_shape_of(ctx, Y));
    return RG_OK;
}

#define FUNCTORS_OF(T, S)                                                                          \
    static T g_##S(const functors *of, T v)                                                        \
    {                                                                                              \
        switch (of->g) {                                                                           \
        case SCALED:                                                                               \
            return (T)of->scale * v;                                                               \
        case RELU:                                                                                 \
            return v < 0 ? 0 : v;                                                                  \
        case TANH:                                                                                 \
            return (T)tanh((double)v);                                                             \
        default:                                                                                   \
            return (T)(1 / (1 + exp(-(double)v)));                                                 \
        }                                                                                          \
    }                                                                                              \
    static T slope_##S(const functors *of, T v)                                                    \
    {                                                                                              \
        T value = g_##S(of, v);                                                                    \
        switch (of->g) {                                                                           \
        case SCALED:                                                                               \
            return (T)of->scale;                                                                   \
        case RELU:                                                                                 \
            return v > 0;                                                                          \
        case TANH:                                                                                 \
            return 1 - value * value;                                                              \
        default:                                                                                   \
            return value * (1 - value);                                                            \
        }                                                                                          \
    }                                                                                              \
    static T f_##S(const functors *of, T a, T b)                                                   \
    {                                                                                              \
        return of->f == ADD ? a + b : a * b;                                                       \
    }                                                                                              \
    static void forward_##S(const functors *of, const rg_broadcast *b, const T *x, const T *y,     \
                            T *out, T *between)                                                    \
    {                                                                                              \
        const int last = b->rank - 1;                                                              \
        rg_row row = {.x = 0};                                                                     \
        for (int64_t r = 0, to = 0; r < b->rows; r++, rg_row_next(b, &row))                        \
            for (int64_t j = 0; j < b->n[last]; j++, to++) {                                       \
                int64_t at = row.y + j * b->sy[last];                                              \
                T u = x[row.x + j * b->sx[last]], v = y[at];                                       \
                T middle = of->g_first ? f_##S(of, u, v) : g_##S(of, v);                           \
                out[to] = of->g_first ? g_##S(of, middle) : f_##S(of, u, middle);                  \
                if (between != NULL)                                                               \
                    between[of->g_first ? to : at] = middle;                                       \
            }                                                                                      \
    }                                                                                              \
    static void backward_##S(const functors *of, const rg_broadcast *b, const T *x, const T *y,    \
                             const T *dout, T *dx, T *dy)                                          \
    {                                                                                              \
        const int last = b->rank - 1;                                                              \
        rg_row row = {.x = 0};                                                                     \
        for (int64_t r = 0, from = 0; r < b->rows; r++, rg_row_next(b, &row))                      \
            for (int64_t j = 0; j < b->n[last]; j++, from++) {                                     \
                int64_t at_x = row.x + j * b->sx[last], at_y = row.y + j * b->sy[last];            \
                T u = x[at_x], v = y[at_y], d = dout[from];                                        \
                T other = of->g_first ? v : g_##S(of, v);                                          \
                if (of->g_first)                                                                   \
                    d *= slope_##S(of, f_##S(of, u, v));                                           \
                if (dx != NULL)                                                                    \
                    dx[at_x] += of->f == ADD ? d : d * other;                                      \
                if (dy != NULL)                                                                    \
                    dy[at_y] += (of->f == ADD ? d : d * u) * (of->g_first ? 1 : slope_##S(of, v)); \
            }                                                                                      \
    }
RG_FLOATS(FUNCTORS_OF)

static rg_status kernel(rg_ctx *ctx)
{
    functors of;
    rg_broadcast b;
    RG_TRY(read_functors(ctx, &of));
    rg_broadcast_plan(&b, rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS));
    RG_CALL_FLOAT(ctx, X, forward,
                  (&of, &b, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT),
                   rg_out_data(ctx, INTERMEDIATE)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    functors of;
    rg_broadcast b;
    rg_shape out;
    RG_TRY(read_functors(ctx, &of));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(
        rg_broadcast_shape(rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS), &out));
    if (!rg_shape_equal(rg_shape_of(ctx, DOUT), &out)) {
        char found[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Out@GRAD is %s, and must be %s",
                       rg_shape_text(rg_shape_of(ctx, DOUT), found), rg_shape_text(&out, wanted));
    }
    for (int slot = DX; slot <= DY; slot++)
        if (rg_out(ctx, slot) != NULL)
            memset(rg_out_data(ctx, slot), 0, rg_value_bytes(rg_out(ctx, slot)));
    rg_broadcast_plan(&b, rg_shape_of(ctx, X), rg_shape_of(ctx, Y), rg_attr_int(ctx, AXIS));
    RG_CALL_FLOAT(ctx, X, backward,
                  (&of, &b, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, DOUT),
                   rg_out_data(ctx, DX), rg_out_data(ctx, DY)))
    return RG_OK;
}

#define ATTRS                                                                                 \
    RG_ATTRS([AXIS] = RG_INT("axis", -1, "where Y stands in X; -1: at the end"),              \
             [SCALE] = RG_FLOAT("scale", 0.0f, "of the functor scale"),                       \
             [SAVE_INTERMEDIATE] = RG_BOOLEAN("save_intermediate_out", false, "declares it"), \
             [FUNCTORS] = RG_LIST("functor_list", RG_ATTR_STRINGS,                            \
                                  "the outer one, the inner one"))

const rg_op rg_op_fused_elemwise_activation = {
    .type = "fused_elemwise_activation",
    .doc = "An elementwise op and an activation in one.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [Y] = {"Y", "a shape that X's has"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"},
                    [INTERMEDIATE] = {"IntermediateOut", "what the inner one gives",
                                      RG_OPTIONAL | RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_fused_elemwise_activation_grad = {
    .type = "fused_elemwise_activation_grad",
    .doc = "Gradient of fused_elemwise_activation.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""},
                   [G_OUT] = {"Out", "not read", RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_INTERMEDIATE] = {"IntermediateOut", "not read", RG_OPTIONAL | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)},
                    [DY] = {"Y@GRAD", "", RG_OPTIONAL, .like = RG_OF(Y)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
