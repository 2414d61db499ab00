/* reduce.c - tensors made smaller along dimensions: sum, mean, max, min, prod, all, any.
 *
 *   Out = reduce of X over the dimensions `dim` (all of them with reduce_all); they are
 *         left out of the shape, or kept as 1 with keep_dim. Nothing left is shape [1].
 *
 * The loop is over three kinds of runs: outer dimensions, a reduced run, an inner run.
 * Dimensions of one kind that stand together are taken as one. */
#include "ir/terms.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };
enum { DIM, KEEP_DIM, REDUCE_ALL, IN_DTYPE, OUT_DTYPE };

typedef enum kind { SUM, MEAN, MAX, MIN, PROD } kind;

/* reduced[i]: whether dimension i of X is. */
static rg_status find_reduced(const rg_ctx *ctx, const rg_shape *x, bool reduced[RG_MAX_DIMS])
{
    const rg_attr *dims = rg_attr_list(ctx, DIM);
    bool all = rg_attr_bool(ctx, REDUCE_ALL) || dims->n == 0;
    for (int i = 0; i < RG_MAX_DIMS; i++)
        reduced[i] = all && i < x->rank;
    for (int i = 0; !all && i < dims->n; i++) {
        int axis;
        RG_TRY(rg_expect_axis(ctx, dims->ints[i], x->rank, &axis));
        reduced[axis] = true;
    }
    return RG_OK;
}

static rg_status reduce_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    bool reduced[RG_MAX_DIMS], keep = rg_attr_bool(ctx, KEEP_DIM);
    rg_shape out = {.rank = 0};
    RG_TRY(find_reduced(ctx, x, reduced));
    for (int i = 0; i < x->rank; i++) {
        if (!reduced[i])
            out.dim[out.rank++] = x->dim[i];
        else if (keep)
            out.dim[out.rank++] = 1;
    }
    if (out.rank == 0)
        out.dim[out.rank++] = 1;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (x->rank > 0 && !reduced[0])
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* X as runs of dimensions, each reduced or not, from the outermost. */
typedef struct runs {
    int n;
    int64_t size[RG_MAX_DIMS];
    int64_t step_in[RG_MAX_DIMS], step_out[RG_MAX_DIMS]; /* step_out 0: reduced */
    int64_t count;                                       /* elements in one reduction */
} runs;

static void make_runs(runs *r, const rg_shape *x, const bool reduced[RG_MAX_DIMS])
{
    int64_t in = 1, out = 1;
    *r = (runs){.count = 1};
    for (int i = x->rank - 1; i >= 0; i--) {
        int64_t n = x->dim[i];
        bool same = r->n > 0 && (r->step_out[r->n - 1] == 0) == reduced[i];
        if (same) {
            r->size[r->n - 1] *= n;
        } else if (n != 1) {
            r->size[r->n] = n;
            r->step_in[r->n] = in;
            r->step_out[r->n++] = reduced[i] ? 0 : out;
        }
        in *= n;
        if (reduced[i])
            r->count *= n;
        else
            out *= n;
    }
    if (r->n == 0) {
        r->size[0] = r->step_in[0] = r->step_out[0] = 1;
        r->n = 1;
    }
}

/* Where the next innermost run begins in X and Out: false after the last. */
typedef struct place {
    int64_t at[RG_MAX_DIMS];
    int64_t in, out;
} place;

static inline bool next_run(const runs *r, place *p)
{
    for (int d = 1; d < r->n; d++) {
        p->in += r->step_in[d];
        p->out += r->step_out[d];
        if (++p->at[d] < r->size[d])
            return true;
        p->in -= r->step_in[d] * r->size[d];
        p->out -= r->step_out[d] * r->size[d];
        p->at[d] = 0;
    }
    return false;
}

#define REDUCE(T, S, LEAST, MOST)                                                                  \
    RG_INLINE T join_##S(kind k, T a, T b)                                                         \
    {                                                                                              \
        switch (k) {                                                                               \
        case SUM:                                                                                  \
        case MEAN:                                                                                 \
            return a + b;                                                                          \
        case MAX:                                                                                  \
            return b > a ? b : a;                                                                  \
        case MIN:                                                                                  \
            return b < a ? b : a;                                                                  \
        case PROD:                                                                                 \
            return a * b;                                                                          \
        }                                                                                          \
        return a;                                                                                  \
    }                                                                                              \
    /* One run: onto as many outputs, or all into one, in eight parts. */                          \
    RG_INLINE void fold_run_##S(kind k, const T *from, T *to, int64_t n, bool into_one, T start)   \
    {                                                                                              \
        if (!into_one) {                                                                           \
            for (int64_t j = 0; j < n; j++)                                                        \
                to[j] = join_##S(k, to[j], from[j]);                                               \
            return;                                                                                \
        }                                                                                          \
        T part[8];                                                                                 \
        for (int l = 0; l < 8; l++)                                                                \
            part[l] = start;                                                                       \
        for (int64_t j = 0; j < n; j++)                                                            \
            part[j & 7] = join_##S(k, part[j & 7], from[j]);                                       \
        for (int l = 4; l > 0; l /= 2)                                                             \
            for (int m = 0; m < l; m++)                                                            \
                part[m] = join_##S(k, part[m], part[m + l]);                                       \
        *to = join_##S(k, *to, part[0]);                                                           \
    }                                                                                              \
    RG_INLINE void fold_##S(kind k, const runs *r, const T *x, T *out, int64_t n_out, T start)     \
    {                                                                                              \
        place p = {.in = 0};                                                                       \
        for (int64_t i = 0; i < n_out; i++)                                                        \
            out[i] = start;                                                                        \
        do                                                                                         \
            fold_run_##S(k, x + p.in, out + p.out, r->size[0], r->step_out[0] == 0, start);        \
        while (next_run(r, &p));                                                                   \
    }                                                                                              \
    RG_HOT static void reduce_##S(kind k, const runs *r, const T *x, T *out, int64_t n_out)        \
    {                                                                                              \
        switch (k) {                                                                               \
        case SUM:                                                                                  \
        case MEAN:                                                                                 \
            fold_##S(SUM, r, x, out, n_out, 0);                                                    \
            break;                                                                                 \
        case MAX:                                                                                  \
            fold_##S(MAX, r, x, out, n_out, LEAST);                                                \
            break;                                                                                 \
        case MIN:                                                                                  \
            fold_##S(MIN, r, x, out, n_out, MOST);                                                 \
            break;                                                                                 \
        case PROD:                                                                                 \
            fold_##S(PROD, r, x, out, n_out, 1);                                                   \
            break;                                                                                 \
        }                                                                                          \
        for (int64_t i = 0; k == MEAN && i < n_out; i++)                                           \
            out[i] /= (T)r->count;                                                                 \
    }
REDUCE(float, f32, -INFINITY, INFINITY)
REDUCE(double, f64, -(double)INFINITY, (double)INFINITY)
REDUCE(int32_t, i32, INT32_MIN, INT32_MAX)
REDUCE(int64_t, i64, INT64_MIN, INT64_MAX)

static rg_status reduce(rg_ctx *ctx, kind k)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    bool reduced[RG_MAX_DIMS];
    runs r;
    RG_TRY(find_reduced(ctx, &x->meta.shape, reduced));
    make_runs(&r, &x->meta.shape, reduced);
    if (rg_numel(x) == 0) {
        memset(out->data, 0, rg_value_bytes(out));
        return RG_OK;
    }
    RG_CALL_NUMBER(ctx, X, reduce, (k, &r, x->data, out->data, rg_numel(out)))
    return RG_OK;
}

static rg_status sum_kernel(rg_ctx *ctx)
{
    return reduce(ctx, SUM);
}

static rg_status mean_kernel(rg_ctx *ctx)
{
    return reduce(ctx, MEAN);
}

static rg_status max_kernel(rg_ctx *ctx)
{
    return reduce(ctx, MAX);
}

static rg_status min_kernel(rg_ctx *ctx)
{
    return reduce(ctx, MIN);
}

static rg_status prod_kernel(rg_ctx *ctx)
{
    return reduce(ctx, PROD);
}

/* ---- of bools ---- */

static rg_status reduce_bool(rg_ctx *ctx, bool any)
{
    const rg_value *x = rg_in(ctx, X);
    const bool *from = x->data;
    bool reduced[RG_MAX_DIMS], *out = rg_out_data(ctx, OUT);
    runs r;
    place p = {.in = 0};
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_BOOL));
    RG_TRY(find_reduced(ctx, &x->meta.shape, reduced));
    make_runs(&r, &x->meta.shape, reduced);
    memset(out, !any, (size_t)rg_numel(rg_out(ctx, OUT)));
    do {
        for (int64_t j = 0; rg_numel(x) > 0 && j < r.size[0]; j++) {
            bool *to = out + p.out + (r.step_out[0] ? j : 0);
            *to = any ? *to || from[p.in + j] : *to && from[p.in + j];
        }
    } while (next_run(&r, &p));
    return RG_OK;
}

static rg_status all_kernel(rg_ctx *ctx)
{
    return reduce_bool(ctx, false);
}

static rg_status any_kernel(rg_ctx *ctx)
{
    return reduce_bool(ctx, true);
}

/* ---- gradients ---- */

enum { G_X, G_DOUT, G_OUT };
enum { G_DX };

/* Sums pass the gradient on, means a part of it; a maximum passes it to every element
 * that equals it; a product divides itself by the element. */
#define SPREAD(T, S)                                                                               \
    RG_INLINE T slope_##S(kind k, T x, T out, T g, T part)                                         \
    {                                                                                              \
        if (k == SUM || k == MEAN)                                                                 \
            return g * part;                                                                       \
        if (k == PROD)                                                                             \
            return g * (out / x);                                                                  \
        return x == out ? g : 0;                                                                   \
    }                                                                                              \
    RG_HOT static void spread_##S(kind k, const runs *r, const T *x, const T *out, const T *g,     \
                                  T *dx)                                                           \
    {                                                                                              \
        place p = {.in = 0};                                                                       \
        const T part = k == MEAN ? 1 / (T)r->count : 1;                                            \
        const int64_t n = r->size[0], s = r->step_out[0] != 0;                                     \
        do {                                                                                       \
            T *to = dx + p.in;                                                                     \
            if (k == SUM || k == MEAN)                                                             \
                for (int64_t j = 0; j < n; j++)                                                    \
                    to[j] = g[p.out + j * s] * part;                                               \
            else                                                                                   \
                for (int64_t j = 0; j < n; j++)                                                    \
                    to[j] = slope_##S(k, x[p.in + j], out[p.out + j * s], g[p.out + j * s], part); \
        } while (next_run(r, &p));                                                                 \
    }
RG_FLOATS(SPREAD)

static rg_status spread(rg_ctx *ctx, kind k)
{
    rg_value *dx = rg_out(ctx, G_DX);
    const void *dout = rg_in_data(ctx, G_DOUT);
    bool reduced[RG_MAX_DIMS];
    runs r;
    RG_TRY(find_reduced(ctx, &dx->meta.shape, reduced));
    make_runs(&r, &dx->meta.shape, reduced);
    if (rg_numel(dx) == 0)
        return RG_OK;
    bool plain = k == SUM || k == MEAN; /* reads neither X nor Out */
    RG_CALL_FLOAT(ctx, G_DOUT, spread,
                  (k, &r, plain ? dout : rg_in_data(ctx, G_X),
                   plain ? dout : rg_in_data(ctx, G_OUT), dout, dx->data))
    return RG_OK;
}

static rg_status sum_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, SUM);
}

static rg_status mean_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, MEAN);
}

/* max and min pass the gradient to whatever equals the output */
static rg_status extreme_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, MAX);
}

static rg_status prod_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, PROD);
}

/* ---- the gradients, composed ---- */

/* Which elements are the largest does not change with a little more of any. */
static void extreme_terms(rg_terms *t)
{
    rg_term dout = rg_term_in(t, "Out@GRAD"), ones = rg_term_filled(t, dout, 1);
    rg_opdesc *again = rg_term_again(t);
    rg_term_put(t, again, "Out@GRAD", ones);
    rg_term which = rg_term_constant(t, rg_term_end(t, again, "X@GRAD"));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, rg_term_unreduce(t, dout), which));
}

static void prod_terms(rg_terms *t)
{
    rg_term all = rg_term_unreduce(t,
                                   rg_term_mul(t, rg_term_in(t, "Out"), rg_term_in(t, "Out@GRAD")));
    rg_term_give(t, "X@GRAD", rg_term_div(t, all, rg_term_in(t, "X")));
}

#define ATTRS                                                                         \
    RG_ATTRS([DIM] = RG_INT_LIST("dim", ((const int32_t[]){0}), 1,                    \
                                 "the dimensions to reduce; negative: from the end"), \
             [KEEP_DIM] = RG_BOOLEAN("keep_dim", false, "keep them, as 1"),           \
             [REDUCE_ALL] = RG_BOOLEAN("reduce_all", false, "reduce all dimensions"), \
             [IN_DTYPE] = RG_INT("in_dtype", -1, "kept for files"),                   \
             [OUT_DTYPE] = RG_INT("out_dtype", -1, "kept for files"))
#define REDUCE_OP(NAME, DOC, FLAGS)                                                                \
    {                                                                                              \
        .type = "reduce_" #NAME, .doc = (DOC), .in = RG_SLOTS([X] = {"X", "any shape"}),           \
        .out = RG_SLOTS([OUT] = {"Out", "X without the reduced dimensions"}), .attr = ATTRS,       \
        .flags = (FLAGS), .infer = reduce_infer, .kernel = NAME##_kernel,                          \
    }
#define PLAIN_GRAD(NAME)                                                                           \
    {                                                                                              \
        .type = "reduce_" #NAME "_grad", .doc = "Gradient of reduce_" #NAME ".",                   \
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""},              \
                       [G_OUT] = {.name = NULL}),                                                  \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}), .attr = ATTRS,               \
        .kernel = NAME##_grad_kernel,                                                              \
    }
#define FULL_GRAD(NAME, KERNEL, TERMS)                                                             \
    {                                                                                              \
        .type = "reduce_" #NAME "_grad", .doc = "Gradient of reduce_" #NAME ".",                   \
        .in = RG_SLOTS([G_X] = {"X", ""}, [G_DOUT] = {"Out@GRAD", ""}, [G_OUT] = {"Out", ""}),     \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}), .attr = ATTRS,               \
        .kernel = (KERNEL), .compose = (TERMS),                                                    \
    }

const rg_op rg_ops_reduce[] = {
    REDUCE_OP(sum, "The sum along dimensions.", RG_OP_LINEAR),
    REDUCE_OP(mean, "The mean along dimensions.", RG_OP_LINEAR),
    REDUCE_OP(max, "The largest along dimensions.", 0),
    REDUCE_OP(min, "The smallest along dimensions.", 0),
    REDUCE_OP(prod, "The product along dimensions.", 0),
    REDUCE_OP(all, "Whether all are true along dimensions.", 0),
    REDUCE_OP(any, "Whether any is true along dimensions.", 0),
    PLAIN_GRAD(sum),
    PLAIN_GRAD(mean),
    FULL_GRAD(max, extreme_grad_kernel, extreme_terms),
    FULL_GRAD(min, extreme_grad_kernel, extreme_terms),
    FULL_GRAD(prod, prod_grad_kernel, prod_terms),
    {.type = NULL},
};
