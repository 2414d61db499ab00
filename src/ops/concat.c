/* concat.c - tensors joined along a dimension, and a tensor cut into several.
 *
 *   concat  Out = X0, X1, ... one behind the other along `axis`
 *   split   Out0, Out1, ... = X cut along `axis` into `num` equal parts or into `sections`
 *
 * The gradient of split is a concat; that of concat cuts. Joined along the rows, the
 * sequences of the inputs follow each other too. */
#include "ir/program.h"
#include "ops/box.h"
#include "ops/shape_args.h"
#include "ops/types.h"

enum { X, AXIS_TENSOR };
enum { OUT };
enum { AXIS };

/* The axis as 0 .. rank-1. */
static rg_status find_axis(const rg_ctx *ctx, int attr, int tensor, int rank, int *out)
{
    int64_t axis;
    RG_TRY(rg_axis_from_input(ctx, rg_attr_int(ctx, attr), tensor, &axis));
    if (axis < -rank || axis >= rank)
        return rg_fail(RG_EINVAL, "axis %lld of a tensor of %d dimensions", (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return RG_OK;
}

/* Copy `part`, which has its place at `at` along the axis of `whole`, out or in. */
static void move_part(const rg_value *whole, const rg_value *part, int axis, int64_t at, bool out)
{
    const rg_shape *all = &whole->meta.shape;
    size_t size = rg_dtype_size(whole->meta.dtype);
    int64_t outer = rg_shape_product(all, 0, axis);
    int64_t inner = rg_shape_product(all, axis + 1, all->rank);
    int64_t width = part->meta.shape.dim[axis] * inner, step = all->dim[axis] * inner;
    char *place = (char *)whole->data + (size_t)(at * inner) * size;
    rg_box box = {.rank = 0};
    rg_box_add_dim(&box, outer, out ? width : step, out ? step : width);
    rg_box_add_dim(&box, width, 1, 1);
    if (out)
        rg_box_copy(&box, part->data, place, size);
    else
        rg_box_copy(&box, place, part->data, size);
}

/* ---- concat ---- */

static rg_status does_not_fit(const rg_ctx *ctx, int i, int axis)
{
    char first[RG_SHAPE_TEXT], other[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s of shape %s and %s of shape %s cannot be joined along axis %d",
                   rg_in_name(ctx, X, 0), rg_shape_text(rg_shape_of(ctx, X), first),
                   rg_in_name(ctx, X, i), rg_shape_text(&rg_in_meta_n(ctx, X, i)->shape, other),
                   axis);
}

/* The inputs' sequences, one input's behind the other's: *out is NULL where not all have
 * some. */
static rg_status join_lods(const rg_ctx *ctx, rg_lod **out)
{
    const rg_lod *first = rg_in_meta(ctx, X)->lod;
    size_t counts[RG_MAX_LOD];
    int64_t end[RG_MAX_LOD] = {0};
    *out = NULL;
    for (int l = 0; first != NULL && l < first->levels; l++)
        counts[l] = 1;
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (rg_shape_numel(&x->shape) == 0)
            continue;
        if (x->lod == NULL || first == NULL)
            return RG_OK;
        if (x->lod->levels != first->levels)
            return rg_fail(RG_ESHAPE, "%s has a LoD of %d levels, and %s one of %d",
                           rg_in_name(ctx, X, 0), first->levels, rg_in_name(ctx, X, i),
                           x->lod->levels);
        for (int l = 0; l < first->levels; l++)
            counts[l] += x->lod->count[l] - 1;
    }
    if (first == NULL)
        return RG_OK;
    RG_TRY(rg_lod_new(out, first->levels, counts));
    for (int l = 0; l < first->levels; l++) {
        int64_t *to = (*out)->offset[l] + 1;
        for (int i = 0; i < rg_n_in(ctx, X); i++) {
            const rg_meta *x = rg_in_meta_n(ctx, X, i);
            if (rg_shape_numel(&x->shape) == 0)
                continue;
            for (size_t k = 1; k < x->lod->count[l]; k++)
                *to++ = end[l] + x->lod->offset[l][k];
            end[l] += x->lod->offset[l][x->lod->count[l] - 1];
        }
    }
    return RG_OK;
}

static rg_status concat_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    rg_dtype dtype = rg_dtype_of(ctx, X);
    bool open = !rg_running(ctx) && rg_has_in(ctx, AXIS_TENSOR);
    int axis = 0;
    if (!open)
        RG_TRY(find_axis(ctx, AXIS, AXIS_TENSOR, out.rank, &axis));
    for (int i = 1; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x == NULL || x->dtype != dtype)
            return rg_fail(RG_ESHAPE, "%s is %s and %s is %s, and they must be of one type",
                           rg_in_name(ctx, X, 0), rg_dtype_name(dtype), rg_in_name(ctx, X, i),
                           x ? rg_dtype_name(x->dtype) : "empty");
        if (x->shape.rank != out.rank)
            return does_not_fit(ctx, i, axis);
        for (int d = 0; !open && d < out.rank; d++) {
            int64_t n = x->shape.dim[d];
            if (d == axis)
                out.dim[d] = out.dim[d] < 0 || n < 0 ? -1 : out.dim[d] + n;
            else if (out.dim[d] < 0)
                out.dim[d] = n;
            else if (n >= 0 && n != out.dim[d])
                return does_not_fit(ctx, i, axis);
        }
    }
    for (int d = 0; open && d < out.rank; d++)
        out.dim[d] = -1;
    rg_set_out(ctx, OUT, dtype, &out);
    if (!rg_running(ctx) || axis != 0) {
        rg_share_lod(ctx, X, OUT);
        return RG_OK;
    }
    rg_lod *lod;
    RG_TRY(join_lods(ctx, &lod));
    rg_take_lod(ctx, OUT, lod);
    return RG_OK;
}

static rg_status concat_kernel(rg_ctx *ctx)
{
    const rg_value *out = rg_out(ctx, OUT);
    int axis;
    int64_t at = 0;
    RG_TRY(find_axis(ctx, AXIS, AXIS_TENSOR, out->meta.shape.rank, &axis));
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        move_part(out, x, axis, at, false);
        at += x->meta.shape.dim[axis];
    }
    return RG_OK;
}

#define AXIS_SLOT(DOC)                                         \
    {                                                          \
        "AxisTensor", DOC, RG_OPTIONAL | RG_NO_GRAD | RG_SIZES \
    }

const rg_op rg_op_concat = {
    .type = "concat",
    .doc = "Tensors joined along a dimension.",
    .in = RG_SLOTS([X] = {"X", "of one shape but for the axis", RG_REPEATED},
                   [AXIS_TENSOR] = AXIS_SLOT("the axis, if not `axis`")),
    .out = RG_SLOTS([OUT] = {"Out", "one behind the other"}),
    .attr = RG_ATTRS([AXIS] = RG_INT("axis", 0, "the dimension; negative: from the end")),
    .flags = RG_OP_LINEAR,
    .infer = concat_infer,
    .kernel = concat_kernel,
};

enum { G_X, G_AXIS_TENSOR, G_DOUT };
enum { G_DX };

static rg_status concat_grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    int axis;
    int64_t at = 0;
    RG_TRY(find_axis(ctx, AXIS, G_AXIS_TENSOR, dout->meta.shape.rank, &axis));
    for (int i = 0; i < rg_n_in(ctx, G_X); i++) {
        rg_value *dx = rg_out_n(ctx, G_DX, i);
        if (dx != NULL)
            move_part(dout, dx, axis, at, true);
        at += rg_in_meta_n(ctx, G_X, i)->shape.dim[axis];
    }
    return RG_OK;
}

const rg_op rg_op_concat_grad = {
    .type = "concat_grad",
    .doc = "Gradient of concat.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_REPEATED | RG_SHAPE_ONLY},
                   [G_AXIS_TENSOR] = AXIS_SLOT("as of concat"), [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_REPEATED, .like = RG_OF(G_X)}),
    .attr = RG_ATTRS([AXIS] = RG_INT("axis", 0, "as of concat")),
    .kernel = concat_grad_kernel,
};

/* ---- split ---- */

enum { S_X, S_AXIS_TENSOR, S_SECTIONS_LIST };
enum { S_SECTIONS, S_NUM, S_AXIS };

/* How much part i has along the axis: sections[i], of which one may be -1, what is left. */
static rg_status section_of(const rg_ctx *ctx, int64_t all, int i, int64_t *out)
{
    const rg_attr *sections = rg_attr_list(ctx, S_SECTIONS);
    bool by_tensor = rg_n_in(ctx, S_SECTIONS_LIST) > 0;
    int n = rg_n_out(ctx, OUT), open = -1;
    int64_t sum = 0;
    *out = -1;
    if (sections->n == 0 && !by_tensor) {
        int num = rg_attr_int(ctx, S_NUM);
        if (num != n || (all >= 0 && all % num != 0))
            return rg_fail(RG_ESHAPE, "%lld cannot be cut into num=%d equal parts for %d outputs",
                           (long long)all, num, n);
        *out = all < 0 ? -1 : all / num;
        return RG_OK;
    }
    if ((by_tensor ? rg_n_in(ctx, S_SECTIONS_LIST) : sections->n) != n)
        return rg_fail(RG_EINVAL, "there are %d sections for %d outputs",
                       by_tensor ? rg_n_in(ctx, S_SECTIONS_LIST) : sections->n, n);
    if (by_tensor && !rg_running(ctx)) {
        *out = sections->n == n && sections->ints[i] >= 0 ? sections->ints[i] : -1;
        return RG_OK;
    }
    for (int k = 0; k < n; k++) {
        int64_t size = by_tensor ? -1 : sections->ints[k];
        if (by_tensor) {
            const rg_value *given = rg_in_n(ctx, S_SECTIONS_LIST, k);
            if (given == NULL || rg_numel(given) != 1 ||
                (given->meta.dtype != RG_I32 && given->meta.dtype != RG_I64))
                return rg_fail(RG_ESHAPE, "section %d must be one whole number", k);
            size = rg_whole_at(given, 0);
        }
        if (size < -1 || (size == -1 && open >= 0))
            return rg_fail(RG_EINVAL, "section %d is %lld", k, (long long)size);
        if (size == -1)
            open = k;
        else
            sum += size;
        if (k == i)
            *out = size;
    }
    if (all < 0)
        return RG_OK;
    if (open >= 0 ? sum > all : sum != all)
        return rg_fail(RG_ESHAPE, "sections of %lld in all, and X has %lld along the axis",
                       (long long)sum, (long long)all);
    if (open == i)
        *out = all - sum;
    return RG_OK;
}

static rg_status split_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, S_X);
    bool open = !rg_running(ctx) && rg_has_in(ctx, S_AXIS_TENSOR);
    int axis = 0;
    if (!open)
        RG_TRY(find_axis(ctx, S_AXIS, S_AXIS_TENSOR, x->rank, &axis));
    for (int i = 0; i < rg_n_out(ctx, OUT); i++) {
        rg_shape out = *x;
        if (!open)
            RG_TRY(section_of(ctx, x->dim[axis], i, &out.dim[axis]));
        for (int d = 0; open && d < out.rank; d++)
            out.dim[d] = -1;
        rg_set_out_n(ctx, OUT, i, rg_dtype_of(ctx, S_X), &out);
    }
    if (axis != 0)
        rg_share_lod(ctx, S_X, OUT);
    return RG_OK;
}

static rg_status split_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, S_X);
    int axis;
    int64_t at = 0;
    RG_TRY(find_axis(ctx, S_AXIS, S_AXIS_TENSOR, x->meta.shape.rank, &axis));
    for (int i = 0; i < rg_n_out(ctx, OUT); i++) {
        const rg_value *out = rg_out_n(ctx, OUT, i);
        int64_t width;
        RG_TRY(section_of(ctx, x->meta.shape.dim[axis], i, &width));
        if (out != NULL)
            move_part(x, out, axis, at, true);
        at += width;
    }
    return RG_OK;
}

static rg_status split_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "concat", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "AxisTensor", "AxisTensor"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_split = {
    .type = "split",
    .doc = "A tensor cut into several along a dimension.",
    .in =
        RG_SLOTS([S_X] = {"X", "any shape"}, [S_AXIS_TENSOR] = AXIS_SLOT("the axis, if not `axis`"),
                 [S_SECTIONS_LIST] = {"SectionsTensorList", "the sections, a tensor each",
                                      RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "the parts", RG_REPEATED}),
    .attr = RG_ATTRS([S_SECTIONS] = RG_LIST("sections", RG_ATTR_INTS,
                                            "the parts' sizes; a -1 is what is left"),
                     [S_NUM] = RG_INT("num", 0, "how many equal parts, without sections"),
                     [S_AXIS] = RG_INT("axis", 0, "the dimension; negative: from the end")),
    .infer = split_infer,
    .kernel = split_kernel,
    .grad = split_grad,
};
