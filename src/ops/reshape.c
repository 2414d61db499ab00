/* reshape.c - the same elements under another shape: reshape, squeeze, unsqueeze, flatten.
 *
 *   reshape    to `shape`; a -1 is what is left over, a 0 the dimension of X in that place
 *   squeeze    without the dimensions `axes`, which are 1 (none named: all that are 1)
 *   unsqueeze  with dimensions of 1 put in at `axes`, one after the other
 *   flatten    to two dimensions, those before `axis` and those from it on
 *
 * The forms that end in 2 keep X's shape for the gradient in XShape, which has no elements:
 * X itself can go. Out is a view: no element moves where it can have X's memory. */
#include "ir/program.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, FIRST_SIZE, SECOND_SIZE };
enum { OUT, XSHAPE };
enum { TARGET };

/* Out of this shape, and XShape where the op has one. X may be Out, so its shape is copied
 * first. The LoD stays where the rows do. */
static rg_status set_view(rg_ctx *ctx, const rg_shape *shape)
{
    const rg_shape x = *rg_shape_of(ctx, X);
    rg_dtype dtype = rg_dtype_of(ctx, X);
    if (shape->rank > RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "the result would have %d dimensions", shape->rank);
    if (ctx->op->out[XSHAPE].name != NULL && rg_has_out(ctx, XSHAPE)) {
        rg_shape kept = {.rank = x.rank + 1};
        if (kept.rank > RG_MAX_DIMS)
            return rg_fail(RG_ESHAPE, "X has %d dimensions, and XShape would have %d", x.rank,
                           kept.rank);
        for (int i = 0; i < x.rank; i++)
            kept.dim[i + 1] = x.dim[i];
        rg_set_out(ctx, XSHAPE, dtype, &kept);
        rg_share_lod(ctx, X, XSHAPE);
    }
    bool rows_stay = x.rank > 0 && shape->rank > 0 && x.dim[0] == shape->dim[0];
    if (rg_out_meta(ctx, OUT) == rg_in_meta(ctx, X) && rows_stay) {
        rg_set_shape(ctx, OUT, shape);
        return RG_OK;
    }
    rg_set_out(ctx, OUT, dtype, shape);
    if (rows_stay)
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Nothing to do where Out has X's memory. */
static rg_status view(rg_ctx *ctx, int in, int out)
{
    const rg_value *from = rg_in(ctx, in);
    rg_value *to = rg_out(ctx, out);
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
    return RG_OK;
}

static rg_status view_kernel(rg_ctx *ctx)
{
    return view(ctx, X, OUT);
}

/* ---- reshape ---- */

static rg_status cannot(const rg_shape *x, const rg_shape *asked)
{
    char tx[RG_SHAPE_TEXT], ta[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "X of shape %s cannot take the shape %s", rg_shape_text(x, tx),
                   rg_shape_text(asked, ta));
}

/* The shape asked for, with its 0s and its -1 filled in as far as X's shape is known. */
static rg_status fill_in(const rg_shape *x, const rg_shape *asked, rg_shape *out)
{
    int open = -1;
    *out = *asked;
    for (int i = 0; i < asked->rank; i++) {
        if (asked->dim[i] == -1 && open >= 0)
            return rg_fail(RG_EINVAL, "shape has more than one -1, at %d and %d", open, i);
        if (asked->dim[i] == -1)
            open = i;
        else if (asked->dim[i] < 0)
            return rg_fail(RG_EINVAL, "shape has the dimension %lld", (long long)asked->dim[i]);
        if (asked->dim[i] == 0 && i >= x->rank)
            return rg_fail(RG_EINVAL, "shape has a 0 at %d, and X has %d dimensions", i, x->rank);
        if (asked->dim[i] == 0)
            out->dim[i] = x->dim[i];
    }
    int64_t all = rg_shape_numel(x), known = 1;
    for (int i = 0; i < out->rank; i++) {
        if (i == open)
            continue;
        if (out->dim[i] < 0)
            return RG_OK; /* a copied dimension that the batch decides */
        if (__builtin_mul_overflow(known, out->dim[i], &known))
            return cannot(x, asked);
    }
    if (all < 0)
        return RG_OK;
    if (open >= 0 && known > 0)
        out->dim[open] = all / known;
    if (open >= 0 ? known == 0 || all % known != 0 : known != all)
        return cannot(x, asked);
    return RG_OK;
}

static rg_status reshape_infer(rg_ctx *ctx)
{
    rg_shape asked, out;
    RG_TRY(rg_shape_from_inputs(ctx, TARGET, FIRST_SIZE, SECOND_SIZE, &asked));
    if (!rg_running(ctx) && rg_has_in(ctx, FIRST_SIZE) && asked.rank == 0) {
        /* As many dimensions as the tensor of the shape has elements, none known. */
        int64_t rank = rg_shape_numel(rg_shape_of(ctx, FIRST_SIZE));
        if (rank < 0 || rank > RG_MAX_DIMS)
            return rg_fail(RG_ESHAPE, "Shape must have 1 to %d elements", RG_MAX_DIMS);
        asked.rank = (int)rank;
        for (int i = 0; i < asked.rank; i++)
            asked.dim[i] = -1;
        return set_view(ctx, &asked);
    }
    if (asked.rank == 0)
        return rg_fail(RG_EINVAL, "shape is empty");
    if (!rg_running(ctx) && rg_n_in(ctx, SECOND_SIZE) > 0) {
        for (int i = 0; i < asked.rank; i++)
            asked.dim[i] = asked.dim[i] == 0 && i < rg_shape_of(ctx, X)->rank
                               ? rg_shape_of(ctx, X)->dim[i]
                               : asked.dim[i];
        return set_view(ctx, &asked);
    }
    RG_TRY(fill_in(rg_shape_of(ctx, X), &asked, &out));
    return set_view(ctx, &out);
}

/* ---- squeeze, unsqueeze, flatten ---- */

static rg_status squeeze_infer(rg_ctx *ctx)
{
    const rg_shape x = *rg_shape_of(ctx, X);
    const rg_attr *axes = rg_attr_list(ctx, TARGET);
    bool drop[RG_MAX_DIMS] = {false};
    rg_shape out = {.rank = 0};
    for (int i = 0; i < axes->n; i++) {
        int axis;
        RG_TRY(rg_expect_axis(ctx, axes->ints[i], x.rank, &axis));
        if (x.dim[axis] > 1 || x.dim[axis] == 0 || (rg_running(ctx) && x.dim[axis] != 1)) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "axis %d of X, of shape %s, is not 1", axes->ints[i],
                           rg_shape_text(&x, text));
        }
        drop[axis] = true;
    }
    for (int i = 0; i < x.rank; i++)
        if (!(axes->n == 0 ? x.dim[i] == 1 : drop[i]))
            out.dim[out.rank++] = x.dim[i];
    return set_view(ctx, &out);
}

static rg_status unsqueeze_infer(rg_ctx *ctx)
{
    rg_shape axes, out = *rg_shape_of(ctx, X);
    bool by_tensor = rg_has_in(ctx, FIRST_SIZE) || rg_n_in(ctx, SECOND_SIZE) > 0;
    RG_TRY(rg_shape_from_inputs(ctx, TARGET, FIRST_SIZE, SECOND_SIZE, &axes));
    if (by_tensor && !rg_running(ctx)) {
        /* Where they go is not known, nor then which dimension is which. */
        int64_t more = rg_has_in(ctx, FIRST_SIZE) ? rg_shape_numel(rg_shape_of(ctx, FIRST_SIZE))
                                                  : rg_n_in(ctx, SECOND_SIZE);
        if (more < 0 || out.rank + more > RG_MAX_DIMS)
            return rg_fail(RG_ESHAPE, "the number of axes must be known and at most %d",
                           RG_MAX_DIMS - out.rank);
        out.rank += (int)more;
        for (int i = 0; i < out.rank; i++)
            out.dim[i] = -1;
        return set_view(ctx, &out);
    }
    for (int i = 0; i < axes.rank; i++) {
        int64_t axis = axes.dim[i] < 0 ? axes.dim[i] + out.rank + 1 : axes.dim[i];
        if (axis < 0 || axis > out.rank || out.rank == RG_MAX_DIMS)
            return rg_fail(RG_EINVAL, "no dimension can be put at axis %lld of %d dimensions",
                           (long long)axes.dim[i], out.rank);
        memmove(out.dim + axis + 1, out.dim + axis, (size_t)(out.rank - axis) * sizeof *out.dim);
        out.dim[axis] = 1;
        out.rank++;
    }
    return set_view(ctx, &out);
}

static rg_status flatten_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int axis = rg_attr_int(ctx, TARGET);
    if (axis < 0 || axis > x->rank)
        return rg_fail(RG_EINVAL, "axis %d, and X has %d dimensions", axis, x->rank);
    return set_view(ctx,
                    &RG_SHAPE(rg_shape_product(x, 0, axis), rg_shape_product(x, axis, x->rank)));
}

/* ---- gradients: the same elements under X's shape ---- */

enum { G_X, G_DOUT };
enum { G_XSHAPE };
enum { G_DX };

static rg_status grad2_infer(rg_ctx *ctx)
{
    const rg_shape *kept = rg_shape_of(ctx, G_XSHAPE);
    if (kept->rank < 1)
        return rg_fail(RG_ESHAPE, "XShape must begin with a 0");
    rg_shape x = {.rank = kept->rank - 1};
    for (int i = 0; i < x.rank; i++)
        x.dim[i] = kept->dim[i + 1];
    rg_set_out(ctx, G_DX, rg_dtype_of(ctx, G_DOUT), &x);
    rg_share_lod(ctx, G_XSHAPE, G_DX);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    if (rg_numel(rg_in(ctx, G_DOUT)) != rg_numel(rg_out(ctx, G_DX)))
        return rg_fail(RG_ESHAPE, "Out@GRAD has %lld elements, and X had %lld",
                       (long long)rg_numel(rg_in(ctx, G_DOUT)),
                       (long long)rg_numel(rg_out(ctx, G_DX)));
    return view(ctx, G_DOUT, G_DX);
}

/* Twice over: the same elements under Out's shape, which Out@GRAD has. */
static rg_status view_second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "reshape_grad", false, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "Out@GRAD"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "X@GRAD"));
    return rg_grad_write(ctx, op, "X@GRAD", "Out@GRAD", -1, NULL);
}

#define ONE_SLOT RG_SLOTS([X] = {"X", "any shape"})
#define SIZE_SLOTS(WHOLE, PARTS)                                    \
    RG_SLOTS([X] = {"X", "any shape"},                              \
             [FIRST_SIZE] = {WHOLE, "instead of the attribute",     \
                             RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},  \
             [SECOND_SIZE] = {PARTS, "the same, a tensor a number", \
                              RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES})
#define VIEW_OUT(...)                                                                         \
    RG_SLOTS([OUT] = {"Out", "the same elements", RG_VIEW, .inplace = RG_OF(X)}, [XSHAPE] = { \
                                                                                     __VA_ARGS__})
#define INTS(NAME, DOC) RG_ATTRS([TARGET] = RG_LIST(NAME, RG_ATTR_INTS, DOC))
#define AXIS(DOC)       RG_ATTRS([TARGET] = RG_INT("axis", 1, DOC))

#define VIEW(NAME, DOC, SLOTS, INFER, ATTRS)                                                   \
    {                                                                                          \
        .type = NAME, .doc = (DOC), .in = SLOTS, .out = VIEW_OUT(.name = NULL), .attr = ATTRS, \
        .infer = (INFER), .kernel = view_kernel,                                               \
    }
#define VIEW2(NAME, DOC, SLOTS, INFER, ATTRS)                                              \
    {                                                                                      \
        .type = NAME "2", .doc = (DOC), .in = SLOTS,                                       \
        .out = VIEW_OUT("XShape", "a 0 and X's shape, for the gradient", RG_INTERMEDIATE), \
        .attr = ATTRS, .infer = (INFER), .kernel = view_kernel,                            \
    }
#define VIEW_GRAD(NAME, ATTRS)                                                         \
    {                                                                                  \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                          \
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}), \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_VIEW, RG_OF(G_X), RG_OF(G_DOUT)}),  \
        .attr = ATTRS, .kernel = grad_kernel, .grad = view_second,                     \
    }
#define VIEW2_GRAD(NAME, ATTRS)                                                                  \
    {                                                                                            \
        .type = NAME "2_grad", .doc = "Gradient of " NAME "2.",                                  \
        .in = RG_SLOTS([G_XSHAPE] = {"XShape", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}), \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_VIEW, .inplace = RG_OF(G_DOUT)}),             \
        .attr = ATTRS, .infer = grad2_infer, .kernel = grad_kernel, .grad = view_second,         \
    }
#define VIEW_OPS(NAME, DOC, SLOTS, INFER, ATTRS)                                 \
    VIEW(NAME, DOC, SLOTS, INFER, ATTRS), VIEW2(NAME, DOC, SLOTS, INFER, ATTRS), \
        VIEW_GRAD(NAME, ATTRS), VIEW2_GRAD(NAME, ATTRS)

const rg_op rg_ops_reshape[] = {
    VIEW_OPS("reshape", "The same elements under another shape.",
             SIZE_SLOTS("Shape", "ShapeTensor"), reshape_infer,
             INTS("shape", "a -1 is what is left over, a 0 the dimension of X in its place")),
    VIEW_OPS("squeeze", "X without dimensions of 1.", ONE_SLOT, squeeze_infer,
             INTS("axes", "which; none named: all that are 1")),
    VIEW_OPS("unsqueeze", "X with dimensions of 1 put in.",
             SIZE_SLOTS("AxesTensor", "AxesTensorList"), unsqueeze_infer,
             INTS("axes", "where, one after the other")),
    VIEW_OPS("flatten", "X as a matrix.", ONE_SLOT, flatten_infer,
             AXIS("the first dimension of the second part")),
    {.type = NULL},
};
