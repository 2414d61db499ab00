/* top_k.c - the k largest of each row, the largest first.
 *
 *   Out, Indices = those of the last dimension of X, and where they stood
 *
 * Of equal ones the first comes first; what is no number comes last. Few are kept in
 * order as the row goes by; many are sorted. dX takes dOut back, and is 0 elsewhere. */
#include "math/reduce.h"
#include "ops/shape_args.h"
#include "ops/sort_keys.h"
#include "ops/types.h"

#include <string.h>

enum { X, K };
enum { OUT, INDICES };
enum { K_ATTR };

enum { FEW = 64 };

/* How many: the tensor K where there is one, else the attribute; -1 where not yet known. */
static rg_status wanted(const rg_ctx *ctx, int64_t *k)
{
    *k = rg_attr_int(ctx, K_ATTR);
    if (rg_has_in(ctx, K)) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, K, RG_I32, RG_I64));
        if (!rg_running(ctx)) {
            *k = -1;
            return RG_OK;
        }
        if (rg_shape_numel(rg_shape_of(ctx, K)) != 1)
            return rg_fail(RG_ESHAPE, "K must be one number");
        *k = rg_whole_at(rg_in(ctx, K), 0);
    }
    return *k >= 1 ? RG_OK : rg_fail(RG_EINVAL, "k is %lld, and must be 1 at least", (long long)*k);
}

static rg_status infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    int64_t k;
    RG_TRY(wanted(ctx, &k));
    if (out.rank < 1)
        return rg_expect_rank(ctx, X, 2);
    int64_t *last = &out.dim[out.rank - 1];
    if (*last >= 0 && k > *last)
        return rg_fail(RG_ESHAPE, "k is %lld, and a row of X has %lld", (long long)k,
                       (long long)*last);
    *last = k;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_set_out(ctx, INDICES, RG_I64, &out);
    rg_share_lod(ctx, X, OUT);
    rg_share_lod(ctx, X, INDICES);
    return RG_OK;
}

#define TOP(T, S)                                                                                  \
    static void keep_few_##S(const T *x, int64_t n, int64_t k, T *values, int64_t *places)         \
    {                                                                                              \
        int64_t have = 0;                                                                          \
        for (int64_t j = 0; j < n; j++) {                                                          \
            if (have == k && !before_##S(x[j], values[k - 1], true))                               \
                continue;                                                                          \
            int64_t at = have < k ? have++ : k - 1;                                                \
            for (; at > 0 && before_##S(x[j], values[at - 1], true); at--) {                       \
                values[at] = values[at - 1];                                                       \
                places[at] = places[at - 1];                                                       \
            }                                                                                      \
            values[at] = x[j];                                                                     \
            places[at] = j;                                                                        \
        }                                                                                          \
    }                                                                                              \
    /* The largest alone, in two quick passes; false: there may be something that is no number. */ \
    static bool keep_one_##S(const T *x, int64_t n, T *value, int64_t *place)                      \
    {                                                                                              \
        if (isnan(rg_sum_##S(x, n)))                                                               \
            return false;                                                                          \
        T most = rg_max_##S(x, n);                                                                 \
        int64_t j = 0;                                                                             \
        while (x[j] != most)                                                                       \
            j++;                                                                                   \
        *value = x[j];                                                                             \
        *place = j;                                                                                \
        return true;                                                                               \
    }                                                                                              \
    static void sort_many_##S(const T *x, int64_t n, int64_t k, rg_keyed *work, T *values,         \
                              int64_t *places)                                                     \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++)                                                            \
            work[j] = (rg_keyed){rg_key_##S(x[j], true), j};                                       \
        rg_sort_keys(work, work + n, n);                                                           \
        for (int64_t j = 0; j < k; j++) {                                                          \
            places[j] = work[j].at;                                                                \
            values[j] = x[places[j]];                                                              \
        }                                                                                          \
    }                                                                                              \
    static void top_##S(const T *x, int64_t rows, int64_t n, int64_t k, rg_keyed *work, T *values, \
                        int64_t *places)                                                           \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++, x += n, values += k, places += k) {                     \
            if (k == 1 && keep_one_##S(x, n, values, places))                                      \
                continue;                                                                          \
            if (work == NULL)                                                                      \
                keep_few_##S(x, n, k, values, places);                                             \
            else                                                                                   \
                sort_many_##S(x, n, k, work, values, places);                                      \
        }                                                                                          \
    }                                                                                              \
    static bool put_back_##S(const T *dout, const int64_t *indices, int64_t rows, int64_t n,       \
                             int64_t k, T *dx)                                                     \
    {                                                                                              \
        for (int64_t i = 0; i < rows * k; i++) {                                                   \
            if (indices[i] < 0 || indices[i] >= n)                                                 \
                return false;                                                                      \
            dx[i / k * n + indices[i]] += dout[i];                                                 \
        }                                                                                          \
        return true;                                                                               \
    }
RG_FLOATS(RG_ORDER)
RG_FLOATS(TOP)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = x->meta.shape.dim[x->meta.shape.rank - 1], k;
    RG_TRY(wanted(ctx, &k));
    rg_value *out = rg_out(ctx, OUT), *indices = rg_out(ctx, INDICES);
    int64_t rows = rg_numel(x) / n;
    size_t size = rg_dtype_size(x->meta.dtype), found = (size_t)(rows * k);
    void *values = out ? out->data : rg_scratch(ctx, found * size);
    int64_t *places = indices ? indices->data : rg_scratch(ctx, found * sizeof *places);
    rg_keyed *work = k > FEW ? rg_scratch(ctx, (size_t)(2 * n) * sizeof *work) : NULL;
    if (values == NULL || places == NULL || (k > FEW && work == NULL))
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, top, (x->data, rows, n, k, work, values, places))
    return RG_OK;
}

const rg_op rg_op_top_k = {
    .type = "top_k",
    .doc = "The k largest of each row, the largest first.",
    .in = RG_SLOTS([X] = {"X", "[..., n]"}, [K] = {"K", "how many, instead of k",
                                                   RG_OPTIONAL | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "[..., k]"}, [INDICES] = {"Indices", "where they stood"}),
    .attr = RG_ATTRS([K_ATTR] = RG_INT("k", 1, "how many")),
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_INDICES, G_DOUT };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X), *indices = rg_shape_of(ctx, G_INDICES);
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_INDICES, RG_I64));
    RG_TRY(rg_expect_same_shape(ctx, G_INDICES, G_DOUT));
    rg_shape rows = *x;
    if (x->rank < 1 || indices->rank != x->rank)
        return rg_expect_same_shape(ctx, G_X, G_INDICES);
    rows.dim[x->rank - 1] = indices->dim[x->rank - 1];
    if (!rg_shape_fits(&rows, indices))
        return rg_expect_same_shape(ctx, G_X, G_INDICES);
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX);
    int last = dx->meta.shape.rank - 1;
    int64_t n = dx->meta.shape.dim[last], k = dout->meta.shape.dim[last];
    bool good = true;
    memset(dx->data, 0, rg_value_bytes(dx));
    if (rg_numel(dout) > 0)
        RG_CALL_FLOAT(ctx, G_DOUT, good = put_back,
                      (dout->data, rg_in_data(ctx, G_INDICES), rg_numel(dout) / k, n, k, dx->data))
    return good ? RG_OK
                : rg_fail(RG_EVALUE, "Indices has one outside 0 .. %lld", (long long)(n - 1));
}

const rg_op rg_op_top_k_grad = {
    .type = "top_k_grad",
    .doc = "Gradient of top_k.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_INDICES] = {"Indices", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = RG_ATTRS([K_ATTR] = RG_INT("k", 1, "as of top_k")),
    .infer = grad_infer,
    .kernel = grad_kernel,
};
