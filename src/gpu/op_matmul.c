/* op_matmul.c - mul, matmul, bmm and their gradients. */
#include "gpu/glue.h"

static rg_status expect_f32(const rg_ctx *ctx, const char *slot)
{
    rg_dtype dtype = rg_gpu_in(ctx, slot)->meta.dtype;
    return dtype == RG_F64 ? rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, slot)) : RG_OK;
}

/* ---- mul ---- */

typedef struct sizes {
    int64_t m, n, k;
} sizes;

static sizes sizes_of(const rg_ctx *ctx)
{
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *y = &rg_gpu_in(ctx, "Y")->meta.shape;
    int p = rg_gpu_attr(ctx, "x_num_col_dims")->i, q = rg_gpu_attr(ctx, "y_num_col_dims")->i;
    return (sizes){rg_shape_product(x, 0, p), rg_shape_product(y, q, y->rank),
                   rg_shape_product(y, 0, q)};
}

static rg_status mul(rg_ctx *ctx)
{
    sizes s = sizes_of(ctx);
    RG_TRY(expect_f32(ctx, "X"));
    rg_gpu_product p = {.m = s.m,
                        .n = s.n,
                        .k = s.k,
                        .a = rg_gpu_in_data(ctx, "X"),
                        .b = rg_gpu_in_data(ctx, "Y"),
                        .c = rg_gpu_out_data(ctx, "Out"),
                        .dtype = rg_gpu_in(ctx, "X")->meta.dtype,
                        .alpha = 1};
    return rg_gpu_matmul(rg_gpu_stream_of(ctx), &p);
}

const rg_kernel rg_kernel_gpu_mul = {"mul", "gpu", mul};

static rg_status mul_grad(rg_ctx *ctx)
{
    sizes s = sizes_of(ctx);
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    RG_TRY(expect_f32(ctx, "Out@GRAD"));
    rg_gpu_product dx = {.trans_b = true,
                         .m = s.m,
                         .n = s.k,
                         .k = s.n,
                         .a = dout->data,
                         .b = rg_gpu_in_data(ctx, "Y"),
                         .c = rg_gpu_out_data(ctx, "X@GRAD"),
                         .dtype = dout->meta.dtype,
                         .alpha = 1};
    rg_gpu_product dy = {.trans_a = true,
                         .m = s.k,
                         .n = s.n,
                         .k = s.m,
                         .a = rg_gpu_in_data(ctx, "X"),
                         .b = dout->data,
                         .c = rg_gpu_out_data(ctx, "Y@GRAD"),
                         .dtype = dout->meta.dtype,
                         .alpha = 1};
    if (dx.c != NULL)
        RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &dx));
    if (dy.c != NULL)
        RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &dy));
    return RG_OK;
}

const rg_kernel rg_kernel_gpu_mul_grad = {"mul_grad", "gpu", mul_grad};

/* ---- matmul, bmm: as in ops/matmul.c ---- */

typedef struct product {
    bool tx, ty, x_many, y_many;
    float alpha;
    int64_t m, n, k, batch;
} product;

static product product_of(const rg_ctx *ctx, bool plain)
{
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *y = &rg_gpu_in(ctx, "Y")->meta.shape;
    product p = {.tx = !plain && rg_gpu_attr(ctx, "transpose_X")->b,
                 .ty = !plain && rg_gpu_attr(ctx, "transpose_Y")->b,
                 .x_many = x->rank > 2,
                 .y_many = y->rank > 2,
                 .alpha = plain ? 1 : rg_gpu_attr(ctx, "alpha")->f};
    int64_t x_rows = x->rank == 1 ? 1 : x->dim[x->rank - 2], x_cols = x->dim[x->rank - 1];
    int64_t y_rows = y->rank == 1 ? y->dim[0] : y->dim[y->rank - 2];
    int64_t y_cols = y->rank == 1 ? 1 : y->dim[y->rank - 1];
    p.m = p.tx ? x_cols : x_rows;
    p.k = p.tx ? x_rows : x_cols;
    p.n = p.ty ? y_rows : y_cols;
    const rg_shape *longer = p.x_many || !p.y_many ? x : y;
    p.batch = longer->rank > 2 ? rg_shape_product(longer, 0, longer->rank - 2) : 1;
    if (!p.y_many && !p.tx) { /* a batch that meets a single Y is one tall matrix */
        p.m *= p.batch;
        p.batch = 1;
    }
    return p;
}

/* c = alpha op(a) op(b) for each of the batch; the sum of them where c is single. */
static rg_status multiply(rg_ctx *ctx, const product *p, rg_gpu_product q, bool a_many, bool b_many,
                          bool c_many)
{
    q.alpha = p->alpha;
    int64_t a = a_many ? q.m * q.k : 0, b = b_many ? q.k * q.n : 0, c = c_many ? q.m * q.n : 0;
    size_t size = rg_dtype_size(q.dtype);
    if (p->batch == 1 || c_many) {
        q.batch = p->batch;
        q.stride_a = a;
        q.stride_b = b;
        q.stride_c = c;
        return p->batch > 0 ? rg_gpu_matmul(rg_gpu_stream_of(ctx), &q) : RG_OK;
    }
    if (p->batch == 0)
        return rg_gpu_zero(ctx, q.c, (size_t)(q.m * q.n) * size);
    const char *first_a = q.a, *first_b = q.b;
    for (int64_t i = 0; i < p->batch; i++) {
        q.a = first_a + (size_t)(i * a) * size;
        q.b = first_b + (size_t)(i * b) * size;
        q.beta = i > 0;
        RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &q));
    }
    return RG_OK;
}

static rg_status forward(rg_ctx *ctx, bool plain)
{
    RG_TRY(expect_f32(ctx, "X"));
    product p = product_of(ctx, plain);
    rg_gpu_product q = {.trans_a = p.tx,
                        .trans_b = p.ty,
                        .m = p.m,
                        .n = p.n,
                        .k = p.k,
                        .a = rg_gpu_in_data(ctx, "X"),
                        .b = rg_gpu_in_data(ctx, "Y"),
                        .c = rg_gpu_out_data(ctx, "Out"),
                        .dtype = rg_gpu_in(ctx, "X")->meta.dtype};
    return multiply(ctx, &p, q, p.x_many, p.y_many, true);
}

static rg_status by_x(rg_ctx *ctx, const product *p, const void *y, const void *dout, void *dx,
                      rg_dtype dtype)
{
    rg_gpu_product turned = {.trans_a = p->ty,
                             .trans_b = true,
                             .m = p->k,
                             .n = p->m,
                             .k = p->n,
                             .a = y,
                             .b = dout,
                             .c = dx,
                             .dtype = dtype};
    rg_gpu_product straight = {.trans_b = !p->ty,
                               .m = p->m,
                               .n = p->k,
                               .k = p->n,
                               .a = dout,
                               .b = y,
                               .c = dx,
                               .dtype = dtype};
    if (p->tx)
        return multiply(ctx, p, turned, p->y_many, true, p->x_many);
    return multiply(ctx, p, straight, true, p->y_many, p->x_many);
}

static rg_status by_y(rg_ctx *ctx, const product *p, const void *x, const void *dout, void *dy,
                      rg_dtype dtype)
{
    rg_gpu_product turned = {.trans_a = true,
                             .trans_b = p->tx,
                             .m = p->n,
                             .n = p->k,
                             .k = p->m,
                             .a = dout,
                             .b = x,
                             .c = dy,
                             .dtype = dtype};
    rg_gpu_product straight = {.trans_a = !p->tx,
                               .m = p->k,
                               .n = p->n,
                               .k = p->m,
                               .a = x,
                               .b = dout,
                               .c = dy,
                               .dtype = dtype};
    if (p->ty)
        return multiply(ctx, p, turned, true, p->x_many, p->y_many);
    return multiply(ctx, p, straight, p->x_many, true, p->y_many);
}

static rg_status backward(rg_ctx *ctx, bool plain)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    void *dx = rg_gpu_out_data(ctx, "X@GRAD"), *dy = rg_gpu_out_data(ctx, "Y@GRAD");
    RG_TRY(expect_f32(ctx, "Out@GRAD"));
    product p = product_of(ctx, plain);
    if (dx != NULL)
        RG_TRY(by_x(ctx, &p, rg_gpu_in_data(ctx, "Y"), dout->data, dx, dout->meta.dtype));
    if (dy != NULL)
        RG_TRY(by_y(ctx, &p, rg_gpu_in_data(ctx, "X"), dout->data, dy, dout->meta.dtype));
    return RG_OK;
}

static rg_status matmul(rg_ctx *ctx)
{
    return forward(ctx, false);
}

static rg_status matmul_grad(rg_ctx *ctx)
{
    return backward(ctx, false);
}

static rg_status bmm(rg_ctx *ctx)
{
    return forward(ctx, true);
}

static rg_status bmm_grad(rg_ctx *ctx)
{
    return backward(ctx, true);
}

const rg_kernel rg_kernel_gpu_matmul = {"matmul", "gpu", matmul};
const rg_kernel rg_kernel_gpu_matmul_grad = {"matmul_grad", "gpu", matmul_grad};
const rg_kernel rg_kernel_gpu_bmm = {"bmm", "gpu", bmm};
const rg_kernel rg_kernel_gpu_bmm_grad = {"bmm_grad", "gpu", bmm_grad};
