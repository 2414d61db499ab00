/* sum.c - the sum of several tensors of one shape.
 *
 * Sparse gradients are joined, row after row, without merging: whoever applies them
 * merges once. A mixture of dense and sparse is dense. Arrays are added item by item. What has
 * no elements is left out. */
#include "ir/program.h"
#include "ops/merge_rows.h"
#include "ops/types.h"

#include <string.h>

enum { IN };
enum { OUT };

/* Such an input is left out, as in Fluid, whatever shape the others have. */
static bool is_empty(const rg_meta *x)
{
    return x->kind == RG_TENSOR && rg_shape_numel(&x->shape) == 0;
}

static rg_status check_pair(const rg_ctx *ctx, const rg_meta *x, int i, const rg_meta *first, int f)
{
    const char *name = rg_in_name(ctx, IN, i), *other = rg_in_name(ctx, IN, f);
    if (x->dtype != first->dtype)
        return rg_fail(RG_ESHAPE, "%s is %s and %s is %s, and they must be of one type", name,
                       rg_dtype_name(x->dtype), other, rg_dtype_name(first->dtype));
    if ((x->kind == RG_ARRAY) != (first->kind == RG_ARRAY))
        return rg_fail(RG_ESHAPE, "%s is a %s and %s is a %s, and they cannot be added", name,
                       rg_kind_name(x->kind), other, rg_kind_name(first->kind));
    if (x->kind == RG_ARRAY || is_empty(x) || rg_shape_fits(&x->shape, &first->shape))
        return RG_OK;
    char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s of shape %s cannot be added to %s of shape %s", name,
                   rg_shape_text(&x->shape, ta), other, rg_shape_text(&first->shape, tb));
}

/* The first input of elements; where none has any, the first. -1: there is none. */
static int first_of(const rg_ctx *ctx)
{
    int first = -1;
    for (int i = 0; i < rg_n_in(ctx, IN); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, IN, i);
        if (x != NULL && !is_empty(x))
            return i;
        if (x != NULL && first < 0)
            first = i;
    }
    return first;
}

static rg_status sum_infer(rg_ctx *ctx)
{
    int f = first_of(ctx);
    if (f < 0)
        return rg_fail(RG_EINVAL, "there is nothing to add");
    const rg_meta *first = rg_in_meta_n(ctx, IN, f), *shaped = NULL;
    rg_kind kind = first->kind;
    for (int i = 0; i < rg_n_in(ctx, IN); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, IN, i);
        if (x == NULL)
            continue;
        RG_TRY(check_pair(ctx, x, i, first, f));
        if (x->kind == RG_TENSOR)
            kind = RG_TENSOR;
        if (x->kind == RG_TENSOR && shaped == NULL && (!is_empty(x) || is_empty(first)))
            shaped = x; /* before a sparse one, which may know less of the shape */
    }
    rg_meta *out = rg_out_meta(ctx, OUT);
    out->kind = kind;
    out->dtype = first->dtype;
    out->shape = shaped ? shaped->shape : first->shape;
    rg_share_lod_n(ctx, IN, f, OUT); /* of that one alone: without one, Out has none */
    return RG_OK;
}

#define ADD(T, S)                                                       \
    RG_HOT static void add_##S(T *y, const T *a, const T *b, int64_t n) \
    {                                                                   \
        for (int64_t i = 0; i < n; i++)                                 \
            y[i] = a[i] + b[i];                                         \
    }
RG_NUMBERS(ADD)

/* y = a + b of one dtype; any of them may be the same memory. */
static rg_status add(rg_dtype dtype, void *y, const void *a, const void *b, int64_t n)
{
    switch ((int)dtype) {
    case RG_F32:
        add_f32(y, a, b, n);
        return RG_OK;
    case RG_F64:
        add_f64(y, a, b, n);
        return RG_OK;
    case RG_I32:
        add_i32(y, a, b, n);
        return RG_OK;
    case RG_I64:
        add_i64(y, a, b, n);
        return RG_OK;
    default:
        return rg_fail(RG_EUNIMPL, "no sum of %s", rg_dtype_name(dtype));
    }
}

static rg_status add_rows_to(rg_value *dense, const rg_value *sparse)
{
    int64_t width = rg_value_width(sparse);
    int64_t height = dense->meta.shape.rank > 0 ? dense->meta.shape.dim[0] : 0;
    size_t step = (size_t)width * rg_dtype_size(sparse->meta.dtype);
    for (size_t i = 0; i < sparse->n_rows; i++) {
        if (sparse->rows[i] < 0 || sparse->rows[i] >= height)
            return rg_fail(RG_EVALUE, "a sparse X names row %lld of %lld",
                           (long long)sparse->rows[i], (long long)height);
        uint8_t *to = (uint8_t *)dense->data + (size_t)sparse->rows[i] * step;
        RG_TRY(add(sparse->meta.dtype, to, to, (const uint8_t *)sparse->data + i * step, width));
    }
    return RG_OK;
}

/* Out may be one of the inputs: then the others are added to it. */
static rg_status sum_dense(rg_ctx *ctx, rg_value *out)
{
    const rg_value *x[2] = {NULL, NULL};
    int n = rg_n_in(ctx, IN), own = -1;
    int64_t numel = rg_numel(out);
    size_t bytes = (size_t)numel * rg_dtype_size(out->meta.dtype);
    bool begun = false;
    for (int i = 0; i < n; i++)
        if (rg_in_n(ctx, IN, i) == out ||
            (rg_in_n(ctx, IN, i) != NULL && rg_in_n(ctx, IN, i)->data == out->data &&
             rg_numel(rg_in_n(ctx, IN, i)) > 0))
            own = i;
    if (own >= 0)
        begun = true;
    for (int i = 0; i < n; i++) {
        const rg_value *in = rg_in_n(ctx, IN, i);
        if (in == NULL || i == own || in->meta.kind != RG_TENSOR || rg_numel(in) == 0)
            continue;
        if (begun) {
            RG_TRY(add(out->meta.dtype, out->data, out->data, in->data, numel));
        } else if (x[0] == NULL) {
            x[0] = in; /* wait for a second one: two are added in one pass */
        } else {
            RG_TRY(add(out->meta.dtype, out->data, x[0]->data, in->data, numel));
            begun = true;
        }
    }
    if (!begun && x[0] != NULL)
        memcpy(out->data, x[0]->data, bytes);
    else if (!begun)
        memset(out->data, 0, bytes);
    for (int i = 0; i < n; i++) {
        const rg_value *in = rg_in_n(ctx, IN, i);
        if (in != NULL && in->meta.kind == RG_ROWS)
            RG_TRY(add_rows_to(out, in));
    }
    return RG_OK;
}

/* Sparse ones give each row once, in ascending order, as Fluid does. */
static rg_status join_sparse(rg_ctx *ctx, rg_value *out)
{
    size_t total = 0, at = 0;
    int n = rg_n_in(ctx, IN);
    size_t step = (size_t)rg_value_width(out) * rg_dtype_size(out->meta.dtype);
    for (int i = 0; i < n; i++) {
        const rg_value *in = rg_in_n(ctx, IN, i);
        total += in ? in->n_rows : 0;
    }
    rg_value joined; /* aside: Out may be one of the inputs */
    rg_value_init(&joined);
    rg_status code = rg_value_resize_rows(&joined, out->meta.dtype, &out->meta.shape, total);
    for (int i = 0; code == RG_OK && i < n; i++) {
        const rg_value *in = rg_in_n(ctx, IN, i);
        if (in == NULL || in->n_rows == 0)
            continue;
        memcpy(joined.rows + at, in->rows, in->n_rows * sizeof *in->rows);
        memcpy((uint8_t *)joined.data + at * step, in->data, in->n_rows * step);
        at += in->n_rows;
    }
    rg_merged merged;
    if (code == RG_OK)
        code = rg_merge_rows(ctx, &joined, &merged);
    if (code == RG_OK)
        code = rg_value_resize_rows(out, joined.meta.dtype, &joined.meta.shape, merged.n);
    if (code == RG_OK && merged.n > 0) {
        memcpy(out->rows, merged.rows, merged.n * sizeof *out->rows);
        memcpy(out->data, merged.values, merged.n * step);
    }
    rg_value_fini(&joined);
    return code;
}

static rg_status sum_arrays(rg_ctx *ctx, rg_value *out)
{
    for (int i = 0; i < rg_n_in(ctx, IN); i++) {
        const rg_value *in = rg_in_n(ctx, IN, i);
        for (size_t k = 0; in != NULL && in != out && k < in->n_items; k++) {
            const rg_value *from = in->items[k];
            rg_value *to;
            RG_TRY(rg_value_item(out, k, &to));
            if (from == NULL || from->data == NULL || (is_empty(&from->meta) && to->data != NULL))
                continue;
            if (to->data == NULL || is_empty(&to->meta))
                RG_TRY(rg_value_copy(to, from));
            else if (from->meta.dtype != to->meta.dtype ||
                     !rg_shape_equal(&from->meta.shape, &to->meta.shape))
                return rg_fail(RG_ESHAPE, "item %zu of %s is of another shape or type than before",
                               k, rg_in_name(ctx, IN, i));
            else
                RG_TRY(add(to->meta.dtype, to->data, to->data, from->data, rg_numel(to)));
        }
    }
    return RG_OK;
}

static rg_status sum_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    if (out->meta.kind == RG_ARRAY)
        return sum_arrays(ctx, out);
    if (out->meta.kind == RG_ROWS)
        return join_sparse(ctx, out);
    return sum_dense(ctx, out);
}

/* Each input's gradient is the output's. */
static rg_status sum_grad(rg_grad_ctx *ctx)
{
    const rg_args *in = rg_opdesc_in(rg_grad_forward(ctx), "X");
    for (int i = 0; in != NULL && i < in->n; i++) {
        if (!rg_grad_wanted(ctx, "X", i))
            continue;
        rg_opdesc *op;
        RG_TRY(rg_grad_add(ctx, "scale", false, &op));
        RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
        RG_TRY(rg_grad_write(ctx, op, "Out", "X", i, NULL));
    }
    return RG_OK;
}

const rg_op rg_op_sum = {
    .type = "sum",
    .doc = "The sum of several tensors of one shape; one without elements is left out.",
    .in = RG_SLOTS([IN] = {"X", "dense, sparse or arrays", RG_REPEATED | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "their shape", .inplace = RG_OF(IN)}),
    .infer = sum_infer,
    .kernel = sum_kernel,
    .grad = sum_grad,
};
