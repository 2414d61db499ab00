/* slice.c - a part of a tensor: slice and strided_slice.
 *
 *   Out = Input[..., starts[i] : ends[i] : strides[i], ...]   along dimension axes[i]
 *
 * Numbers below 0 count from the end, and those past an end are taken as the end, as in
 * Python; a part without elements is refused. Dimensions in decrease_axis, which are then 1,
 * are left out of the shape. Starts, ends and strides may be tensors.
 *
 * The gradient is zero but for that part. Where many parts of one tensor are taken, their
 * gradients are put into one: fused_slice_grad (see pass/fuse_parts.c). */
#include "ops/box.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, STARTS, ENDS, STARTS_LIST, ENDS_LIST, STRIDES, STRIDES_LIST };
enum { OUT };
enum { A_AXES, A_STARTS, A_ENDS, A_FLAGS, A_DECREASE, A_STRIDES };

/* The elements start, start + step, ... of a dimension, n of them; n is -1 where that is not
 * known yet. */
typedef struct window {
    int64_t start, step, n;
} window;

static rg_status find_window(int64_t start, int64_t end, int64_t step, int64_t size, int axis,
                             window *out)
{
    if (step == 0)
        return rg_fail(RG_EINVAL, "the stride along axis %d is 0", axis);
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    int64_t from = start < 0 ? start + size : start, to = end < 0 ? end + size : end;
    from = from < low ? low : from > high ? high : from;
    to = to < low ? low : to > high ? high : to;
    int64_t n = step > 0 ? (to - from + step - 1) / step : (from - to - step - 1) / -step;
    if (n <= 0)
        return rg_fail(RG_EINVAL, "%lld:%lld:%lld along axis %d, of size %lld, has no elements",
                       (long long)start, (long long)end, (long long)step, axis, (long long)size);
    *out = (window){from, step, n};
    return RG_OK;
}

/* The numbers of one kind; while building, those that tensors give are not known. */
static rg_status read_numbers(const rg_ctx *ctx, int attr, int whole, int parts, int n,
                              rg_shape *out)
{
    const rg_attr *list = rg_attr_list(ctx, attr);
    RG_TRY(rg_shape_from_inputs(ctx, attr, whole, parts, out));
    if (!rg_running(ctx) && (rg_has_in(ctx, whole) || rg_n_in(ctx, parts) > 0))
        return RG_OK;
    if (out->rank != n)
        return rg_fail(RG_EINVAL, "%s has %d numbers for %d axes", list->name, out->rank, n);
    return RG_OK;
}

static bool given_later(const rg_ctx *ctx, bool strided)
{
    return !rg_running(ctx) &&
           (rg_has_in(ctx, STARTS) || rg_has_in(ctx, ENDS) || rg_n_in(ctx, STARTS_LIST) > 0 ||
            rg_n_in(ctx, ENDS_LIST) > 0 ||
            (strided && (rg_has_in(ctx, STRIDES) || rg_n_in(ctx, STRIDES_LIST) > 0)));
}

/* The window of every dimension of the input. */
static rg_status find_windows(const rg_ctx *ctx, bool strided, const rg_shape *x,
                              window windows[RG_MAX_DIMS])
{
    const rg_attr *axes = rg_attr_list(ctx, A_AXES), *flags = rg_attr_list(ctx, A_FLAGS);
    rg_shape starts, ends, strides = {.rank = 0};
    bool open = given_later(ctx, strided), seen[RG_MAX_DIMS] = {false};
    RG_TRY(read_numbers(ctx, A_STARTS, STARTS, STARTS_LIST, axes->n, &starts));
    RG_TRY(read_numbers(ctx, A_ENDS, ENDS, ENDS_LIST, axes->n, &ends));
    if (strided)
        RG_TRY(read_numbers(ctx, A_STRIDES, STRIDES, STRIDES_LIST, axes->n, &strides));
    for (int d = 0; d < x->rank; d++)
        windows[d] = (window){0, 1, x->dim[d]};
    for (int i = 0; i < axes->n; i++) {
        int d;
        RG_TRY(rg_expect_axis(ctx, axes->ints[i], x->rank, &d));
        if (seen[d])
            return rg_fail(RG_EINVAL, "axes names dimension %d twice", d);
        seen[d] = true;
        bool listed = i < starts.rank && i < ends.rank && (!strided || i < strides.rank);
        if ((open && (!listed || i >= flags->n || flags->ints[i] == -1)) || x->dim[d] < 0)
            windows[d].n = -1;
        else
            RG_TRY(find_window(starts.dim[i], ends.dim[i], strided ? strides.dim[i] : 1, x->dim[d],
                               d, &windows[d]));
    }
    return RG_OK;
}

static bool cuts_rows(const rg_ctx *ctx, int rank)
{
    const rg_attr *axes = rg_attr_list(ctx, A_AXES);
    for (int i = 0; i < axes->n; i++)
        if (axes->ints[i] == 0 || axes->ints[i] == -rank)
            return true;
    return false;
}

static rg_status infer(rg_ctx *ctx, bool strided)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT);
    const rg_attr *decrease = rg_attr_list(ctx, A_DECREASE);
    window windows[RG_MAX_DIMS];
    bool drop[RG_MAX_DIMS] = {false};
    rg_shape out = {.rank = 0};
    RG_TRY(find_windows(ctx, strided, x, windows));
    for (int i = 0; i < decrease->n; i++) {
        int d;
        RG_TRY(rg_expect_axis(ctx, decrease->ints[i], x->rank, &d));
        if (windows[d].n > 1)
            return rg_fail(RG_EINVAL, "decrease_axis names dimension %d, which has %lld", d,
                           (long long)windows[d].n);
        drop[d] = true;
    }
    for (int d = 0; d < x->rank; d++)
        if (!drop[d])
            out.dim[out.rank++] = windows[d].n;
    if (out.rank == 0)
        out = RG_SHAPE(1);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, INPUT), &out);
    if (!cuts_rows(ctx, x->rank))
        rg_share_lod(ctx, INPUT, OUT);
    return RG_OK;
}

static rg_status slice_infer(rg_ctx *ctx)
{
    return infer(ctx, false);
}

static rg_status strided_infer(rg_ctx *ctx)
{
    return infer(ctx, true);
}

/* Between the whole tensor and its part, out of the whole or into it. Returns where the part
 * begins in the whole. */
static int64_t box_of(const window *windows, const rg_shape *x, bool out, rg_box *box)
{
    int64_t steps[RG_MAX_DIMS], part_steps[RG_MAX_DIMS], start = 0;
    rg_shape part = {.rank = x->rank};
    for (int d = 0; d < x->rank; d++)
        part.dim[d] = windows[d].n;
    rg_shape_steps(x, steps);
    rg_shape_steps(&part, part_steps);
    *box = (rg_box){.rank = 0};
    for (int d = 0; d < x->rank; d++) {
        int64_t step = windows[d].step * steps[d];
        start += windows[d].start * steps[d];
        rg_box_add_dim(box, part.dim[d], out ? part_steps[d] : step, out ? step : part_steps[d]);
    }
    return start;
}

static rg_status find_box(const rg_ctx *ctx, bool strided, const rg_shape *x, bool out, rg_box *box,
                          int64_t *start)
{
    window windows[RG_MAX_DIMS];
    RG_TRY(find_windows(ctx, strided, x, windows));
    *start = box_of(windows, x, out, box);
    return RG_OK;
}

static rg_status cut(rg_ctx *ctx, bool strided)
{
    const rg_value *x = rg_in(ctx, INPUT);
    size_t size = rg_dtype_size(x->meta.dtype);
    rg_box box;
    int64_t start;
    RG_TRY(find_box(ctx, strided, &x->meta.shape, true, &box, &start));
    rg_box_copy(&box, rg_out_data(ctx, OUT), (const char *)x->data + (size_t)start * size, size);
    return RG_OK;
}

static rg_status slice_kernel(rg_ctx *ctx)
{
    return cut(ctx, false);
}

static rg_status strided_kernel(rg_ctx *ctx)
{
    return cut(ctx, true);
}

/* ---- gradients ---- */

enum { G_DOUT = STRIDES_LIST + 1 };
enum { G_SLICE_DOUT = ENDS_LIST + 1 };
enum { G_DX };

static rg_status put_back(rg_ctx *ctx, bool strided)
{
    rg_value *dx = rg_out(ctx, G_DX);
    const rg_value *dout = rg_in(ctx, strided ? (int)G_DOUT : (int)G_SLICE_DOUT);
    size_t size = rg_dtype_size(dx->meta.dtype);
    rg_box box;
    int64_t start;
    RG_TRY(find_box(ctx, strided, &dx->meta.shape, false, &box, &start));
    memset(dx->data, 0, rg_value_bytes(dx));
    rg_box_copy(&box, (char *)dx->data + (size_t)start * size, dout->data, size);
    return RG_OK;
}

static rg_status slice_grad_kernel(rg_ctx *ctx)
{
    return put_back(ctx, false);
}

static rg_status strided_grad_kernel(rg_ctx *ctx)
{
    return put_back(ctx, true);
}

/* ---- the gradients of several parts, in one ---- */

enum { F_INPUT, F_DOUT };
enum { F_AXES, F_STARTS, F_ENDS, F_COUNTS };

static rg_status fused_infer(rg_ctx *ctx)
{
    const rg_attr *counts = rg_attr_list(ctx, F_COUNTS);
    int n = 0;
    for (int k = 0; k < counts->n; k++)
        n += counts->ints[k];
    if (counts->n != rg_n_in(ctx, F_DOUT) || rg_attr_list(ctx, F_AXES)->n != n ||
        rg_attr_list(ctx, F_STARTS)->n != n || rg_attr_list(ctx, F_ENDS)->n != n)
        return rg_fail(RG_EINVAL, "there are %d parts, and axes of %d", rg_n_in(ctx, F_DOUT),
                       counts->n);
    rg_set_like(ctx, G_DX, F_INPUT);
    return RG_OK;
}

/* Part k, whose axes begin at number `at` of the lists. */
static rg_status add_part(rg_ctx *ctx, int k, int at, rg_value *dx)
{
    const rg_attr *axes = rg_attr_list(ctx, F_AXES), *starts = rg_attr_list(ctx, F_STARTS);
    const rg_attr *ends = rg_attr_list(ctx, F_ENDS), *counts = rg_attr_list(ctx, F_COUNTS);
    const rg_value *dout = rg_in_n(ctx, F_DOUT, k);
    const rg_shape *x = &dx->meta.shape;
    window windows[RG_MAX_DIMS];
    rg_box box;
    int64_t n = 1;
    for (int d = 0; d < x->rank; d++)
        windows[d] = (window){0, 1, x->dim[d]};
    for (int i = at; i < at + counts->ints[k]; i++) {
        int d;
        RG_TRY(rg_expect_axis(ctx, axes->ints[i], x->rank, &d));
        RG_TRY(find_window(starts->ints[i], ends->ints[i], 1, x->dim[d], d, &windows[d]));
    }
    for (int d = 0; d < x->rank; d++)
        n *= windows[d].n;
    if (rg_numel(dout) != n || dout->meta.dtype != dx->meta.dtype)
        return rg_fail(RG_ESHAPE, "%s does not hold the %lld elements of its part",
                       rg_in_name(ctx, F_DOUT, k), (long long)n);
    int64_t start = box_of(windows, x, false, &box);
    if (dx->meta.dtype == RG_F64)
        rg_box_add_f64(&box, (double *)dx->data + start, dout->data);
    else
        rg_box_add_f32(&box, (float *)dx->data + start, dout->data);
    return RG_OK;
}

static rg_status fused_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, G_DX);
    const rg_attr *counts = rg_attr_list(ctx, F_COUNTS);
    memset(dx->data, 0, rg_value_bytes(dx));
    for (int k = 0, at = 0; k < rg_n_in(ctx, F_DOUT); at += counts->ints[k++])
        RG_TRY(add_part(ctx, k, at, dx));
    return RG_OK;
}

#define ONE  (RG_OPTIONAL | RG_NO_GRAD | RG_SIZES)
#define LIST (RG_OPTIONAL | RG_NO_GRAD | RG_SIZES | RG_REPEATED)
#define SLICE_SLOTS(FLAGS)                                               \
    [INPUT] = {"Input", "any shape", FLAGS},                             \
    [STARTS] = {"StartsTensor", "instead of starts", ONE},               \
    [ENDS] = {"EndsTensor", "instead of ends", ONE},                     \
    [STARTS_LIST] = {"StartsTensorList", "starts, a tensor each", LIST}, \
    [ENDS_LIST] = {"EndsTensorList", "ends, a tensor each", LIST}
#define STRIDE_SLOTS                                                                   \
    [STRIDES] = {"StridesTensor", "instead of strides", ONE}, [STRIDES_LIST] = {       \
                                                                  "StridesTensorList", \
                                                                  "strides, a tensor each", LIST}
#define SLICE_ATTRS                                                                 \
    [A_AXES] = RG_REQUIRED("axes", RG_ATTR_INTS, "the dimensions to cut"),          \
    [A_STARTS] = RG_LIST("starts", RG_ATTR_INTS, "the first element of each"),      \
    [A_ENDS] = RG_LIST("ends", RG_ATTR_INTS, "the element after the last of each"), \
    [A_FLAGS] = RG_LIST("infer_flags", RG_ATTR_INTS,                                \
                        "-1: a tensor gives it when the program runs"),             \
    [A_DECREASE] = RG_LIST("decrease_axis", RG_ATTR_INTS, "dimensions of 1 to leave out")
#define STRIDE_ATTR \
    [A_STRIDES] = RG_LIST("strides", RG_ATTR_INTS, "the step of each; may be negative")

const rg_op rg_op_slice = {
    .type = "slice",
    .doc = "A part of a tensor.",
    .in = RG_SLOTS(SLICE_SLOTS(0)),
    .out = RG_SLOTS([OUT] = {"Out", "the part"}),
    .attr = RG_ATTRS(SLICE_ATTRS),
    .flags = RG_OP_LINEAR,
    .infer = slice_infer,
    .kernel = slice_kernel,
};

const rg_op rg_op_slice_grad = {
    .type = "slice_grad",
    .doc = "Gradient of slice.",
    .in = RG_SLOTS(SLICE_SLOTS(RG_SHAPE_ONLY), [G_SLICE_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"Input@GRAD", "", .like = RG_OF(INPUT)}),
    .attr = RG_ATTRS(SLICE_ATTRS),
    .kernel = slice_grad_kernel,
};

const rg_op rg_op_strided_slice = {
    .type = "strided_slice",
    .doc = "A part of a tensor, with strides.",
    .in = RG_SLOTS(SLICE_SLOTS(0), STRIDE_SLOTS),
    .out = RG_SLOTS([OUT] = {"Out", "the part"}),
    .attr = RG_ATTRS(SLICE_ATTRS, STRIDE_ATTR),
    .flags = RG_OP_LINEAR,
    .infer = strided_infer,
    .kernel = strided_kernel,
};

const rg_op rg_op_strided_slice_grad = {
    .type = "strided_slice_grad",
    .doc = "Gradient of strided_slice.",
    .in = RG_SLOTS(SLICE_SLOTS(RG_SHAPE_ONLY), STRIDE_SLOTS, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"Input@GRAD", "", .like = RG_OF(INPUT)}),
    .attr = RG_ATTRS(SLICE_ATTRS, STRIDE_ATTR),
    .kernel = strided_grad_kernel,
};

const rg_op rg_op_fused_slice_grad = {
    .type = "fused_slice_grad",
    .doc = "The gradients of several parts of one tensor, in one.",
    .in = RG_SLOTS([F_INPUT] = {"Input", "", RG_SHAPE_ONLY}, [F_DOUT] = {"Out@GRAD", "",
                                                                         RG_REPEATED}),
    .out = RG_SLOTS([G_DX] = {"Input@GRAD", ""}),
    .attr = RG_ATTRS([F_AXES] = RG_LIST("axes", RG_ATTR_INTS, "of the first part, the second ..."),
                     [F_STARTS] = RG_LIST("starts", RG_ATTR_INTS, "likewise"),
                     [F_ENDS] = RG_LIST("ends", RG_ATTR_INTS, "likewise"),
                     [F_COUNTS] = RG_LIST("counts", RG_ATTR_INTS, "axes of each part")),
    .flags = RG_OP_INTERNAL,
    .infer = fused_infer,
    .kernel = fused_kernel,
};
