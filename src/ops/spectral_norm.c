/* spectral_norm.c - a weight divided by its largest singular value.
 *
 *   Out = Weight / sigma,   sigma = u^T W v
 *
 * W is Weight as a matrix, dimension `dim` first. u and v are found from U and V by
 * power_iters rounds of v = W^T u / |W^T u|, u = W v / |W v|; U and V stay as they are. The
 * gradient takes u and v as given: dW = (dOut - sum(dOut Out) u v^T) / sigma. */
#include "ops/types.h"
#include "sys/interrupt.h"

#include <string.h>

enum { WEIGHT, U, V };
enum { OUT };
enum { DIM, POWER_ITERS, EPS };

/* Weight as [before, rows, after]: row r of W has an element for each (before, after). */
typedef struct extents {
    int64_t before, rows, after;
} extents;

static rg_status find_extents(const rg_ctx *ctx, const rg_shape *w, extents *e)
{
    int dim = rg_attr_int(ctx, DIM);
    if (dim < 0 || dim >= w->rank)
        return rg_fail(RG_EINVAL, "dim is %d, and Weight has %d dimensions", dim, w->rank);
    *e = (extents){rg_shape_product(w, 0, dim), w->dim[dim], rg_shape_product(w, dim + 1, w->rank)};
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, WEIGHT), &e));
    int64_t u = rg_shape_numel(rg_shape_of(ctx, U)), v = rg_shape_numel(rg_shape_of(ctx, V));
    RG_TRY(rg_expect_same_dtype(ctx, WEIGHT, U));
    RG_TRY(rg_expect_same_dtype(ctx, WEIGHT, V));
    if (u != e.rows || v != e.before * e.after)
        return rg_fail(
            RG_ESHAPE, "U has %lld elements and V %lld, and they must have %lld and %lld",
            (long long)u, (long long)v, (long long)e.rows, (long long)(e.before * e.after));
    if (rg_attr_int(ctx, POWER_ITERS) < 0)
        return rg_fail(RG_EINVAL, "power_iters is negative");
    rg_set_like(ctx, OUT, WEIGHT);
    return RG_OK;
}

#define LOOPS(T, S)                                                                                \
    /* v = W^T u, or u = W v. */                                                                   \
    static void multiply_##S(const extents *e, const T *w, bool to_v, T *u, T *v)                  \
    {                                                                                              \
        memset(to_v ? v : u, 0, (size_t)(to_v ? e->before * e->after : e->rows) * sizeof(T));      \
        for (int64_t b = 0; b < e->before; b++)                                                    \
            for (int64_t r = 0; r < e->rows; r++)                                                  \
                for (int64_t a = 0; a < e->after; a++, w++)                                        \
                    if (to_v)                                                                      \
                        v[b * e->after + a] += *w * u[r];                                          \
                    else                                                                           \
                        u[r] += *w * v[b * e->after + a];                                          \
    }                                                                                              \
    static void shorten_##S(T *x, int64_t n, float eps)                                            \
    {                                                                                              \
        T squares = 0;                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            squares += x[i] * x[i];                                                                \
        T length = RG_SQRT(squares) + (T)eps;                                                      \
        for (int64_t i = 0; i < n; i++)                                                            \
            x[i] /= length;                                                                        \
    }                                                                                              \
    /* u and v after these rounds from those given. */                                             \
    static rg_status rounds_##S(const extents *e, const T *w, int rounds, float eps, T *u, T *v)   \
    {                                                                                              \
        uint64_t next_look = 0;                                                                    \
        for (int i = 0; i < rounds; i++) {                                                         \
            multiply_##S(e, w, true, u, v);                                                        \
            shorten_##S(v, e->before * e->after, eps);                                             \
            multiply_##S(e, w, false, u, v);                                                       \
            shorten_##S(u, e->rows, eps);                                                          \
            RG_TRY(rg_interrupted_at_times(&next_look));                                           \
        }                                                                                          \
        return RG_OK;                                                                              \
    }                                                                                              \
    /* work: memory for one more u. */                                                             \
    static T sigma_##S(const extents *e, const T *w, const T *u, T *v, T *work)                    \
    {                                                                                              \
        T sum = 0;                                                                                 \
        multiply_##S(e, w, false, work, v);                                                        \
        for (int64_t r = 0; r < e->rows; r++)                                                      \
            sum += u[r] * work[r];                                                                 \
        return sum;                                                                                \
    }                                                                                              \
    static rg_status norm_##S(const extents *e, const T *w, int rounds, float eps, T *u, T *v,     \
                              T *work, T *out)                                                     \
    {                                                                                              \
        RG_TRY(rounds_##S(e, w, rounds, eps, u, v));                                               \
        T sigma = sigma_##S(e, w, u, v, work);                                                     \
        for (int64_t i = 0; i < e->before * e->rows * e->after; i++)                               \
            out[i] = w[i] / sigma;                                                                 \
        return RG_OK;                                                                              \
    }                                                                                              \
    static rg_status back_##S(const extents *e, const T *w, const T *dout, int rounds, float eps,  \
                              T *u, T *v, T *work, T *dw)                                          \
    {                                                                                              \
        RG_TRY(rounds_##S(e, w, rounds, eps, u, v));                                               \
        T sigma = sigma_##S(e, w, u, v, work), sum = 0;                                            \
        for (int64_t i = 0; i < e->before * e->rows * e->after; i++)                               \
            sum += dout[i] * w[i] / sigma;                                                         \
        for (int64_t b = 0; b < e->before; b++)                                                    \
            for (int64_t r = 0; r < e->rows; r++)                                                  \
                for (int64_t a = 0; a < e->after; a++, dw++, dout++)                               \
                    *dw = (*dout - sum * u[r] * v[b * e->after + a]) / sigma;                      \
        return RG_OK;                                                                              \
    }
RG_FLOATS(LOOPS)

/* A copy of an input in scratch, to be worked on. */
static void *copied(rg_ctx *ctx, int in)
{
    const rg_value *value = rg_in(ctx, in);
    void *copy = rg_scratch(ctx, rg_value_bytes(value));
    if (copy != NULL)
        memcpy(copy, value->data, rg_value_bytes(value));
    return copy;
}

static rg_status kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, WEIGHT), &e));
    void *u = copied(ctx, U), *v = copied(ctx, V), *work = copied(ctx, U);
    if (u == NULL || v == NULL || work == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, WEIGHT, return norm,
                  (&e, rg_in_data(ctx, WEIGHT), rg_attr_int(ctx, POWER_ITERS),
                   rg_attr_float(ctx, EPS), u, v, work, rg_out_data(ctx, OUT)))
}

#define ATTRS                                                                                 \
    RG_ATTRS([DIM] = RG_INT("dim", 0, "the dimension that makes the rows of the matrix"),     \
             [POWER_ITERS] = RG_INT("power_iters", 1, "rounds towards the singular vectors"), \
             [EPS] = RG_FLOAT("eps", 1e-12f, "added to lengths that are divided by"))

const rg_op rg_op_spectral_norm = {
    .type = "spectral_norm",
    .doc = "A weight divided by its largest singular value.",
    .in = RG_SLOTS([WEIGHT] = {"Weight", "any shape"},
                   [U] = {"U", "as many elements as dimension `dim`", RG_NO_GRAD},
                   [V] = {"V", "as many as the other dimensions", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of Weight"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_WEIGHT = WEIGHT, G_U = U, G_V = V, G_DOUT };
enum { G_DWEIGHT };

static rg_status grad_kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, G_WEIGHT), &e));
    void *u = copied(ctx, G_U), *v = copied(ctx, G_V), *work = copied(ctx, G_U);
    if (u == NULL || v == NULL || work == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, G_WEIGHT, return back,
                  (&e, rg_in_data(ctx, G_WEIGHT), rg_in_data(ctx, G_DOUT),
                   rg_attr_int(ctx, POWER_ITERS), rg_attr_float(ctx, EPS), u, v, work,
                   rg_out_data(ctx, G_DWEIGHT)))
}

const rg_op rg_op_spectral_norm_grad = {
    .type = "spectral_norm_grad",
    .doc = "Gradient of spectral_norm.",
    .in = RG_SLOTS([G_WEIGHT] = {"Weight", ""}, [G_U] = {"U", ""}, [G_V] = {"V", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DWEIGHT] = {"Weight@GRAD", "", .like = RG_OF(G_WEIGHT)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
