/* split_slices.c - a gradient cut into the slices that servers hold, along its rows:
 * split_byref of a tensor, split_selected_rows of a sparse one.
 *
 *   split_byref           Out[k] = the next sections[k] rows of X
 *   split_selected_rows   Out[k] = those rows of X that lie in section k, counted from its
 *                         first, in the order they came
 *
 * Both run between backward and send and have no gradient. */
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };

static rg_status bad_sections(const rg_ctx *ctx, const char *attr, int64_t sum, int64_t rows)
{
    return rg_fail(RG_ESHAPE, "%s has %lld rows, and `%s` has %lld in all", rg_in_name(ctx, X, 0),
                   (long long)rows, attr, (long long)sum);
}

/* ---- split_byref ---- */

enum { SECTIONS, NUM };

/* Rows of part k: by `sections`, else `num` equal parts. */
static rg_status part_rows(const rg_ctx *ctx, int k, int64_t all, int64_t *rows)
{
    const rg_attr *sections = rg_attr_list(ctx, SECTIONS);
    int n = rg_n_out(ctx, OUT), num = rg_attr_int(ctx, NUM);
    if (sections->n > 0) {
        if (sections->n != n)
            return rg_fail(RG_ESHAPE, "there are %d sections, and %d outputs", sections->n, n);
        *rows = sections->ints[k];
        return *rows >= 0 ? RG_OK
                          : rg_fail(RG_EINVAL, "section %d has %lld rows", k, (long long)*rows);
    }
    if (num != n || all % n != 0)
        return rg_fail(RG_ESHAPE, "%lld rows in %d equal parts, and there are %d outputs",
                       (long long)all, num, n);
    *rows = all / n;
    return RG_OK;
}

static rg_status byref_infer(rg_ctx *ctx)
{
    rg_shape shape = *rg_shape_of(ctx, X);
    int64_t sum = 0, all = shape.rank > 0 ? shape.dim[0] : 0;
    if (shape.rank == 0)
        return rg_fail(RG_ESHAPE, "X %s has no rows", rg_in_name(ctx, X, 0));
    for (int k = 0; k < rg_n_out(ctx, OUT); k++) {
        if (all < 0 && rg_attr_list(ctx, SECTIONS)->n == 0)
            shape.dim[0] = -1;
        else
            RG_TRY(part_rows(ctx, k, all, &shape.dim[0]));
        rg_set_out_n(ctx, OUT, k, rg_dtype_of(ctx, X), &shape);
        sum += shape.dim[0];
    }
    return all < 0 || sum == all ? RG_OK : bad_sections(ctx, "sections", sum, all);
}

static rg_status byref_kernel(rg_ctx *ctx)
{
    const uint8_t *from = rg_in_data(ctx, X);
    for (int k = 0; k < rg_n_out(ctx, OUT); k++) {
        rg_value *out = rg_out_n(ctx, OUT, k);
        int64_t rows;
        RG_TRY(part_rows(ctx, k, rg_shape_of(ctx, X)->dim[0], &rows));
        size_t bytes = (size_t)rows * (size_t)rg_value_width(rg_in(ctx, X)) *
                       rg_dtype_size(rg_dtype_of(ctx, X));
        if (out != NULL)
            memcpy(out->data, from, bytes);
        from += bytes;
    }
    return RG_OK;
}

const rg_op rg_op_split_byref = {
    .type = "split_byref",
    .doc = "A tensor cut along its rows.",
    .in = RG_SLOTS([X] = {"X", "what is cut", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the parts", RG_REPEATED}),
    .attr = RG_ATTRS([SECTIONS] = RG_LIST("sections", RG_ATTR_INTS, "rows of each part"),
                     [NUM] = RG_INT("num", 0, "equal parts, where there are no `sections`")),
    .infer = byref_infer,
    .kernel = byref_kernel,
};

/* ---- split_selected_rows ---- */

enum { HEIGHT_SECTIONS };

static rg_status rows_infer(rg_ctx *ctx)
{
    const rg_attr *sections = rg_attr_list(ctx, HEIGHT_SECTIONS);
    rg_shape shape = *rg_shape_of(ctx, X);
    int64_t sum = 0, height = shape.rank > 0 ? shape.dim[0] : 0;
    if (rg_in_meta(ctx, X)->kind != RG_ROWS)
        return rg_fail(RG_ESHAPE, "X %s is a %s, and must be SELECTED_ROWS", rg_in_name(ctx, X, 0),
                       rg_kind_name(rg_in_meta(ctx, X)->kind));
    if (sections->n != rg_n_out(ctx, OUT))
        return rg_fail(RG_ESHAPE, "there are %d height_sections, and %d outputs", sections->n,
                       rg_n_out(ctx, OUT));
    for (int k = 0; k < sections->n; k++) {
        rg_meta *out = rg_out_meta_n(ctx, OUT, k);
        if (sections->longs[k] < 0)
            return rg_fail(RG_EINVAL, "section %d has %lld rows", k, (long long)sections->longs[k]);
        sum += sections->longs[k];
        shape.dim[0] = sections->longs[k];
        rg_set_out_n(ctx, OUT, k, rg_dtype_of(ctx, X), &shape);
        if (out != NULL)
            out->kind = RG_ROWS;
    }
    return height < 0 || sum == height ? RG_OK : bad_sections(ctx, "height_sections", sum, height);
}

/* The section a row lies in, starting the search where the last one was found. */
static int section_of(const int64_t *ends, int n, int64_t row, int guess)
{
    int low = 0, high = n;
    if (row < ends[guess] && (guess == 0 || row >= ends[guess - 1]))
        return guess;
    while (low < high) {
        int middle = (low + high) / 2;
        if (row < ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Count the rows of each section, then deal them. */
static rg_status rows_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_attr *sections = rg_attr_list(ctx, HEIGHT_SECTIONS);
    int n = sections->n, at = 0;
    size_t width = (size_t)rg_value_width(x) * rg_dtype_size(x->meta.dtype);
    int64_t *ends = rg_scratch(ctx, (size_t)n * sizeof *ends);
    size_t *counts = rg_scratch(ctx, (size_t)n * sizeof *counts);
    if (ends == NULL || counts == NULL)
        return RG_ENOMEM;
    for (int k = 0; k < n; k++) {
        ends[k] = sections->longs[k] + (k > 0 ? ends[k - 1] : 0);
        counts[k] = 0;
    }
    for (size_t i = 0; i < x->n_rows; i++) {
        if (x->rows[i] < 0 || n == 0 || x->rows[i] >= ends[n - 1])
            return rg_fail(RG_EVALUE, "X %s has the row %lld, and the sections end at %lld",
                           rg_in_name(ctx, X, 0), (long long)x->rows[i],
                           (long long)(n > 0 ? ends[n - 1] : 0));
        at = section_of(ends, n, x->rows[i], at);
        counts[at]++;
    }
    for (int k = 0; k < n; k++) {
        rg_value *out = rg_out_n(ctx, OUT, k);
        rg_shape shape = x->meta.shape;
        shape.dim[0] = sections->longs[k];
        if (out != NULL)
            RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &shape, counts[k]));
        counts[k] = 0;
    }
    for (size_t i = 0; i < x->n_rows; i++) {
        at = section_of(ends, n, x->rows[i], at);
        rg_value *out = rg_out_n(ctx, OUT, at);
        if (out == NULL)
            continue;
        out->rows[counts[at]] = x->rows[i] - (at > 0 ? ends[at - 1] : 0);
        memcpy((uint8_t *)out->data + counts[at]++ * width, (const uint8_t *)x->data + i * width,
               width);
    }
    return RG_OK;
}

const rg_op rg_op_split_selected_rows = {
    .type = "split_selected_rows",
    .doc = "A sparse gradient cut into sections of its height.",
    .in = RG_SLOTS([X] = {"X", "sparse", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "sparse, the parts", RG_REPEATED}),
    .attr = RG_ATTRS([HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS,
                                                 "rows of each section")),
    .flags = RG_OP_DYNAMIC,
    .infer = rows_infer,
    .kernel = rows_kernel,
};
