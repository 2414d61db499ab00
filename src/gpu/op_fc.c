/* op_fc.c - fused_fc and its gradient, with the SGD step where it has one: see ops/fused_fc.c.
 *
 * A layer of a few columns is a kernel each way (fc.cu). Others are tiles of ours (layer.cu: one
 * launch forward, one back), or products of cuBLASLt with small kernels around them, whichever is
 * quicker; that is found out at the first run.
 *
 * X may have more columns than the weight has rows, of zeros, so that rows are aligned; behind the
 * weight there are zeros, too (gpu/memory.c), which the products read, and to which they add zeros.
 */
#include "gpu/choose.h"
#include "gpu/glue.h"
#include "gpu/side.h"

#include <limits.h>

typedef struct layer {
    int64_t m, n, k;
    enum rg_cu_act act;
} layer;

static rg_status layer_of(const rg_ctx *ctx, layer *l)
{
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *w = &rg_gpu_in(ctx, "W")->meta.shape;
    int cols = rg_gpu_attr(ctx, "x_num_col_dims")->i;
    *l = (layer){rg_shape_product(x, 0, cols), w->dim[1], rg_shape_product(x, cols, x->rank),
                 RG_CU_NONE};
    return rg_gpu_act_of(rg_gpu_attr(ctx, "act")->s, &l->act);
}

/* Whether layer.cu takes these sizes. */
static bool layer_fits(const layer *l)
{
    return l->m > 0 && l->n > 0 && l->k > 0 && l->n % 4 == 0 && l->k % 4 == 0 &&
           l->m < INT_MAX / 2 && l->n < 1 << 16 && l->k < 1 << 16 &&
           (l->n + 31) / 32 * ((l->k + 63) / 64) < RG_GPU_COUNTERS - 2; /* tiles */
}

/* ---- forward ---- */

typedef struct forward {
    rg_ctx *ctx;
    layer l;
    const float *x, *w, *bias;
    float *out;
} forward;

static rg_status by_product(const forward *f)
{
    const layer *l = &f->l;
    rg_gpu_product p = {.m = l->m,
                        .n = l->n,
                        .k = l->k,
                        .a = f->x,
                        .b = f->w,
                        .c = f->out,
                        .dtype = RG_F32,
                        .alpha = 1,
                        .bias = f->bias,
                        .end = l->act == RG_CU_RELU ? RG_GPU_END_BIAS_RELU : RG_GPU_END_BIAS};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(f->ctx), &p));
    if (l->act == RG_CU_SIGMOID || l->act == RG_CU_TANH)
        rg_cu_activate(l->act, l->m * l->n, f->out, rg_cuda(f->ctx));
    return RG_OK;
}

/* A way: a tiling, and then the library. */
static rg_status go_forward(void *arg, int way)
{
    const forward *f = arg;
    const layer *l = &f->l;
    if (way == RG_CU_TILINGS)
        return by_product(f);
    rg_cu_layer tiles = {(int)l->act, (int)l->m, (int)l->n, (int)l->k, f->x, f->w, f->bias, f->out};
    return rg_cu_layer_run(way, !rg_gpu_stream_of(f->ctx)->tf32, &tiles, rg_cuda(f->ctx))
               ? RG_OK
               : RG_EUNIMPL;
}

static rg_status fc(rg_ctx *ctx)
{
    forward f = {.ctx = ctx,
                 .x = rg_gpu_in_data(ctx, "X"),
                 .w = rg_gpu_in_data(ctx, "W"),
                 .bias = rg_gpu_in_data(ctx, "Bias"),
                 .out = rg_gpu_out_data(ctx, "Out")};
    const layer *l = &f.l;
    RG_TRY(layer_of(ctx, &f.l));
    if (l->n <= RG_CU_THIN) {
        rg_cu_thin_fc(l->act, l->m, l->n, l->k, f.x, f.w, f.bias, f.out, rg_cuda(ctx));
        return rg_gpu_done(ctx, true, "X");
    }
    int way = RG_CU_TILINGS;
    int64_t key[] = {l->m, l->n, l->k, (int64_t)l->act, rg_gpu_stream_of(ctx)->tf32};
    if (layer_fits(l) && (uintptr_t)f.x % 16 == 0)
        way = rg_gpu_choose(rg_gpu_stream_of(ctx), key, sizeof key, RG_CU_TILINGS + 1, go_forward,
                            &f, l->m <= 1024 ? 0 : 1);
    RG_TRY(go_forward(&f, way));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc = {"fused_fc", "gpu", fc, RG_KERNEL_PADS, NULL};

/* ---- back, by the library of products ---- */

/* All of a gradient; W and Bias are changed where `w_out` and `bias_out` say, which are theirs, or
 * while ways are tried copies. */
typedef struct grad {
    rg_ctx *ctx;
    layer l;
    enum rg_cu_act x_act;
    bool exact, fits; /* fits: layer.cu takes it */
    const float *x, *w, *out, *dout, *rate;
    float *dx, *dw, *dbias, *w_out, *bias_out;
    float *dz, *sums, *scale, *w_copy, *room; /* scratch */
} grad;

/* Memory for n floats behind what was taken. */
static float *take(float **room, int64_t n)
{
    float *at = *room;
    *room += (n + 63) / 64 * 64;
    return at;
}

static void through(const grad *g, bool sums)
{
    const layer *l = &g->l;
    rg_cu_back b = {.act = (int)l->act,
                    .m = l->m,
                    .n = l->n,
                    .out = g->out,
                    .dout = g->dout,
                    .dz = l->act == RG_CU_NONE ? NULL : g->dz,
                    .dbias = g->dbias,
                    .bias = g->bias_out,
                    .rate = g->rate,
                    .scale = g->scale,
                    .room = g->sums,
                    .copy_from = g->w,
                    .copy_to = g->dx && g->w_out ? g->w_copy : NULL,
                    .copy_size = l->k * l->n};
    if (sums)
        rg_cu_fc_back(&b, rg_gpu_stream_of(g->ctx)->counters, rg_cuda(g->ctx));
    else if (l->act != RG_CU_NONE)
        rg_cu_slope(l->act, l->m * l->n, g->out, g->dout, g->dz, rg_cuda(g->ctx));
}

static const float *dz_of(const grad *g)
{
    return g->l.act == RG_CU_NONE ? g->dout : g->dz;
}

static rg_status back_x(const grad *g, const float *w)
{
    const layer *l = &g->l;
    rg_gpu_product dx = {.trans_b = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .a = dz_of(g),
                         .b = w,
                         .c = g->dx,
                         .dtype = RG_F32,
                         .alpha = 1};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(g->ctx), &dx));
    if (g->x_act != RG_CU_NONE)
        rg_cu_slope(g->x_act, l->m * l->k, g->x, g->dx, g->dx, rg_cuda(g->ctx));
    return RG_OK;
}

/* dW, or W -= rate X^T dZ */
static rg_status back_w(const grad *g, rg_gpu_stream *stream, bool steps)
{
    rg_gpu_product dw = {.trans_a = true,
                         .m = g->l.k,
                         .n = g->l.n,
                         .k = g->l.m,
                         .a = g->x,
                         .b = dz_of(g),
                         .c = steps ? g->w_out : g->dw,
                         .dtype = RG_F32,
                         .alpha = 1,
                         .device_alpha = steps ? g->scale : NULL};
    return rg_gpu_matmul(stream, &dw);
}

/* Both products side by side, that of dX on a copy of the weight. */
static rg_status by_library(const grad *g)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(g->ctx), branch;
    through(g, true);
    if (g->dw != NULL)
        RG_TRY(back_w(g, stream, false));
    if (g->w_out == NULL || g->dx == NULL || !rg_gpu_fork(stream, &branch)) {
        if (g->dx != NULL) /* before W is changed */
            RG_TRY(back_x(g, g->w));
        return g->w_out ? back_w(g, stream, true) : RG_OK;
    }
    rg_status code = back_w(g, &branch, true);
    if (code == RG_OK)
        code = back_x(g, g->w_copy);
    RG_TRY(rg_gpu_join(stream, &branch));
    return code;
}

/* ---- back, by tiles of ours ---- */

enum { SIZES = 3, BY_LIBRARY = 2 * RG_CU_TILINGS * SIZES, BACK_WAYS };

static rg_cu_layer_back tiles_of(const grad *g, int way)
{
    static const int quarters[SIZES] = {4, 8, 16}; /* of what fills the GPU once */
    const layer *l = &g->l;
    int tiling = way / SIZES % RG_CU_TILINGS;
    return (rg_cu_layer_back){
        .x_act = (int)g->x_act,
        .m = (int)l->m,
        .n = (int)l->n,
        .k = (int)l->k,
        .x = g->x,
        .w = g->w,
        .dz = dz_of(g),
        .rate = g->rate,
        .dx = g->dx,
        .dw = g->dw,
        .dbias = g->dbias,
        .w_out = g->w_out,
        .bias_out = g->bias_out,
        .parts = rg_cu_layer_back_parts(tiling, l->m, l->n, l->k, quarters[way % SIZES]),
        .room = g->room,
        .counters = rg_gpu_stream_of(g->ctx)->counters};
}

/* A way: a tiling and how far sums are parted; then the same with dX from the library; and all by
 * the library. */
static rg_status back(void *arg, int way)
{
    const grad *g = arg;
    if (way == BY_LIBRARY)
        return by_library(g);
    rg_cu_layer_back b = tiles_of(g, way);
    through(g, false);
    if (way >= RG_CU_TILINGS * SIZES && b.dx == NULL)
        return RG_EUNIMPL;
    if (way >= RG_CU_TILINGS * SIZES) {
        b.dx = NULL;
        RG_TRY(back_x(g, g->w));
    }
    return rg_cu_layer_back_run(way / SIZES % RG_CU_TILINGS, g->exact, &b, rg_cuda(g->ctx))
               ? RG_OK
               : RG_EUNIMPL;
}

/* The same, with what is changed in place changed aside. */
static rg_status back_aside(void *arg, int way)
{
    grad g = *(grad *)arg;
    float *aside = g.w_copy + (g.l.k * g.l.n + 63) / 64 * 64;
    g.w_out = g.w_out ? aside : NULL;
    g.bias_out = g.bias_out ? g.sums : NULL;
    return back(&g, way);
}

static bool is_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

static rg_status scratch_of(grad *g)
{
    const layer *l = &g->l;
    int64_t z = l->act == RG_CU_NONE ? 0 : l->m * l->n, w = l->k * l->n + 64;
    int64_t sums = rg_cu_fc_back_room(l->m, l->n) + l->n, parts = 1;
    for (int way = 0; way < RG_CU_TILINGS * SIZES && g->fits; way++) {
        int some = tiles_of(g, way).parts;
        parts = some > parts ? some : parts;
    }
    int64_t room = g->fits ? parts * (l->k + 1) * l->n : 0;
    float *all = rg_gpu_scratch(g->ctx, (size_t)(z + 2 * w + sums + room + 6 * 64) * sizeof *all);
    if (all == NULL)
        return RG_ENOMEM;
    g->dz = take(&all, z);
    g->sums = take(&all, sums);
    g->scale = take(&all, 64);
    g->w_copy = take(&all, w);
    (void)take(&all, w); /* behind it: where trials put W */
    g->room = take(&all, room);
    return RG_OK;
}

static rg_status thin_grad(const grad *g)
{
    const layer *l = &g->l;
    float *room = rg_gpu_scratch(g->ctx, (size_t)rg_cu_thin_fc_back_room(l->m, l->n, l->k) * 4);
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_thin_back b = {.act = (int)l->act,
                         .x_act = (int)g->x_act,
                         .n = (int)l->n,
                         .m = l->m,
                         .k = l->k,
                         .x = g->x,
                         .w = g->w,
                         .out = g->out,
                         .dout = g->dout,
                         .rate = g->rate,
                         .dx = g->dx,
                         .dw = g->dw,
                         .dbias = g->dbias,
                         .w_out = g->w_out,
                         .bias_out = g->bias_out,
                         .room = room};
    rg_cu_thin_fc_back(&b, rg_gpu_stream_of(g->ctx)->counters, rg_cuda(g->ctx));
    return rg_gpu_done(g->ctx, true, "X");
}

static rg_status fc_grad(rg_ctx *ctx)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(ctx);
    grad g = {.ctx = ctx,
              .exact = !stream->tf32,
              .x = rg_gpu_in_data(ctx, "X"),
              .w = rg_gpu_in_data(ctx, "W"),
              .out = rg_gpu_in_data(ctx, "Out"),
              .dout = rg_gpu_in_data(ctx, "Out@GRAD"),
              .rate = rg_gpu_in_data(ctx, "LearningRate"),
              .dx = rg_gpu_out_data(ctx, "X@GRAD"),
              .dw = rg_gpu_out_data(ctx, "W@GRAD"),
              .dbias = rg_gpu_out_data(ctx, "Bias@GRAD"),
              .w_out = rg_gpu_out_data(ctx, "WOut"),
              .bias_out = rg_gpu_out_data(ctx, "BiasOut")};
    const layer *l = &g.l;
    RG_TRY(layer_of(ctx, &g.l));
    RG_TRY(rg_gpu_act_of(rg_gpu_attr(ctx, "x_act")->s, &g.x_act));
    if (l->n > 32 * RG_GPU_COUNTERS || l->k > 32 * RG_GPU_COUNTERS)
        return rg_gpu_leave(ctx, "so wide a layer");
    if (l->n <= RG_CU_THIN)
        return thin_grad(&g);
    g.fits = layer_fits(l) && is_aligned(g.x) && is_aligned(g.dout) && is_aligned(g.dx);
    RG_TRY(scratch_of(&g));
    int way = BY_LIBRARY;
    struct {
        int64_t m, n, k;
        int32_t acts, exact, outs;
    } key = {l->m,    l->n,
             l->k,    (int32_t)l->act * 4 + (int32_t)g.x_act,
             g.exact, (g.dx ? 1 : 0) + (g.dw ? 2 : 0) + (g.w_out ? 4 : 0)};
    if (g.fits)
        way = rg_gpu_choose(stream, &key, sizeof key - 4, BACK_WAYS, back_aside, &g,
                            l->m <= 1024 ? 0 : SIZES);
    RG_TRY(back(&g, way));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc_grad = {"fused_fc_grad", "gpu", fc_grad, RG_KERNEL_PADS,
                                               NULL};
