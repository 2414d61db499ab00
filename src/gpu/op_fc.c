/* op_fc.c - fused_fc and its gradient, with the SGD step where it has one: see ops/fused_fc.c.
 *
 * A layer of a few columns is a kernel each way (fc.cu). Others are tiles of ours (layer.cu,
 * wide.cu, deep.cu), or products of cuBLASLt with small kernels around them, whichever is quicker;
 * that is found out at the first run. In a recorded step dX alone is waited for: dW and the step of
 * the weight, which nobody behind it reads, run beside the ops that follow (side.h).
 *
 * X may have more columns than the weight has rows, of zeros, so that rows are aligned; behind the
 * weight there are zeros, too (gpu/memory.c), which the products read, and which steps leave as
 * they are: 0 times what is no number is none, and would outlive a weight that is set anew.
 */
#include "gpu/choose.h"
#include "gpu/glue.h"
#include "gpu/side.h"

#include <limits.h>

typedef struct layer {
    int64_t m, n, k, rows; /* rows: of W; k where X is not wider */
    enum rg_cu_act act;
} layer;

static rg_status layer_of(const rg_ctx *ctx, layer *l)
{
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *w = &rg_gpu_in(ctx, "W")->meta.shape;
    int cols = rg_gpu_attr(ctx, "x_num_col_dims")->i;
    *l = (layer){rg_shape_product(x, 0, cols), w->dim[1], rg_shape_product(x, cols, x->rank),
                 w->dim[0], RG_CU_NONE};
    return rg_gpu_act_of(rg_gpu_attr(ctx, "act")->s, &l->act);
}

/* Whether layer.cu takes these sizes. */
static bool layer_fits(const layer *l)
{
    return l->m > 0 && l->n > 0 && l->k > 0 && l->n % 4 == 0 && l->k % 4 == 0 &&
           l->m < INT_MAX / 2 && l->n < 1 << 16 && l->k < 1 << 16 &&
           (l->n + 31) / 32 * ((l->k + 63) / 64) < RG_GPU_COUNTERS; /* tiles */
}

/* ---- which way ---- */

/* All that the choice of a way depends on; no padding, so that bytes can be compared. `of` says
 * what is asked: one table has all answers. */
enum asked { OF_FORWARD, OF_X, OF_W, OF_W_IN_HALF };
typedef struct way_key {
    int64_t rows, n, k;
    int32_t of, act, exact, outs;
} way_key;

/* Rows in eighths of an octave: of data whose rows vary, each number of them would be timed anew.
 * What is to be had does not depend on it. */
static int64_t about(int64_t rows)
{
    int64_t step = 1;
    while (rows >= 16 * step)
        step *= 2;
    return rows / step * step;
}

static way_key key_of(const layer *l, enum asked of, enum rg_cu_act act, bool exact)
{
    return (way_key){.rows = about(l->m),
                     .n = l->n,
                     .k = l->k,
                     .of = (int32_t)of,
                     .act = (int32_t)act,
                     .exact = exact};
}

/* ---- forward ---- */

typedef struct forward {
    rg_ctx *ctx;
    layer l;
    const float *x, *w, *bias;
    float *out, *turned; /* turned: room for W, NULL where it is not wanted so */
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

/* A way: a tiling, warpgroups, the library. */
enum { BY_GROUPS = RG_CU_TILINGS, BY_PRODUCT = BY_GROUPS + RG_CU_WIDE_WAYS, WAYS };

static rg_status by_groups(const forward *f, int way)
{
    const layer *l = &f->l;
    if (f->turned == NULL)
        return RG_EUNIMPL;
    rg_cu_wide w = {.relu = l->act == RG_CU_RELU,
                    .m = (int)l->m,
                    .n = (int)l->n,
                    .depth = (int)l->k,
                    .a = f->x,
                    .b = f->turned,
                    .bias = f->bias,
                    .c = f->out};
    rg_cu_turn(l->k, l->n, f->w, f->turned, rg_cuda(f->ctx));
    return rg_cu_wide_run(way, &w, rg_cuda(f->ctx)) ? RG_OK : RG_EUNIMPL;
}

static rg_status go_forward(void *arg, int way)
{
    const forward *f = arg;
    const layer *l = &f->l;
    bool tf32 = rg_gpu_stream_of(f->ctx)->tf32;
    if (way == BY_PRODUCT)
        return by_product(f);
    if (way >= BY_GROUPS)
        return by_groups(f, way - BY_GROUPS);
    rg_cu_layer tiles = {(int)l->act, (int)l->m, (int)l->n, (int)l->k, f->x, f->w, f->bias, f->out};
    return rg_cu_layer_run(way, !tf32, &tiles, rg_cuda(f->ctx)) ? RG_OK : RG_EUNIMPL;
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
    int way = BY_PRODUCT;
    bool tf32 = rg_gpu_stream_of(ctx)->tf32;
    way_key key = key_of(l, OF_FORWARD, l->act, !tf32);
    if (tf32 && (l->act == RG_CU_NONE || l->act == RG_CU_RELU)) {
        f.turned = rg_gpu_scratch(ctx, (size_t)(l->k * l->n) * sizeof *f.turned);
        if (f.turned == NULL)
            return RG_ENOMEM;
    }
    if (layer_fits(l) && (uintptr_t)f.x % 16 == 0)
        way = rg_gpu_choose(rg_gpu_stream_of(ctx), &key, sizeof key, WAYS, go_forward, &f,
                            l->m <= 1024 ? 0 : 1);
    RG_TRY(go_forward(&f, way));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc = {"fused_fc", "gpu", fc, RG_KERNEL_PADS, NULL};

/* ---- back ---- */

/* All of a gradient; W and Bias are changed where `w_out` and `bias_out` say, which are theirs, or
 * while ways are tried copies. */
typedef struct grad {
    rg_ctx *ctx;
    rg_gpu_stream *beside; /* for dW */
    layer l;
    enum rg_cu_act x_act;
    bool exact, fits; /* fits: layer.cu takes it */
    const float *x, *w, *out, *dout, *dz, *rate;
    float *dx, *dw, *dbias, *w_out, *bias_out;
    float *sums, *scale, *aside, *room; /* scratch */
} grad;

/* Memory for n floats behind what was taken. */
static float *take(float **room, int64_t n)
{
    float *at = *room;
    *room += (n + 63) / 64 * 64;
    return at;
}

/* ---- dX = dZ W^T, with the slope of the layer before ---- */

static rg_status x_by_product(const grad *g)
{
    const layer *l = &g->l;
    rg_gpu_product dx = {.trans_b = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .a = g->dz,
                         .b = g->w,
                         .c = g->dx,
                         .dtype = RG_F32,
                         .alpha = 1};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(g->ctx), &dx));
    if (g->x_act != RG_CU_NONE)
        rg_cu_slope(g->x_act, l->m * l->k, g->x, g->dx, g->dx, rg_cuda(g->ctx));
    return RG_OK;
}

static rg_status x_by_groups(const grad *g, int way)
{
    const layer *l = &g->l;
    rg_cu_wide w = {.m = (int)l->m,
                    .n = (int)l->k,
                    .depth = (int)l->n,
                    .a = g->dz,
                    .b = g->w,
                    .x = g->x_act == RG_CU_RELU ? g->x : NULL,
                    .c = g->dx};
    if (g->exact || (g->x_act != RG_CU_NONE && g->x_act != RG_CU_RELU))
        return RG_EUNIMPL;
    return rg_cu_wide_run(way, &w, rg_cuda(g->ctx)) ? RG_OK : RG_EUNIMPL;
}

/* Ways as of the forward product. */
static rg_status back_x(void *arg, int way)
{
    const grad *g = arg;
    const layer *l = &g->l;
    if (way == BY_PRODUCT)
        return x_by_product(g);
    if (way >= BY_GROUPS)
        return x_by_groups(g, way - BY_GROUPS);
    rg_cu_layer_back b = {.x_act = (int)g->x_act,
                          .m = (int)l->m,
                          .n = (int)l->n,
                          .k = (int)l->k,
                          .x = g->x,
                          .w = g->w,
                          .dz = g->dz,
                          .dx = g->dx};
    return rg_cu_layer_back_x(way, g->exact, &b, rg_cuda(g->ctx)) ? RG_OK : RG_EUNIMPL;
}

/* ---- dW = X^T dZ, sums of dZ's columns, and the steps ---- */

/* A way: a tiling, or warpgroups, and how far sums are parted; then the library. */
enum { SIZES = 4, BY_DEEP = RG_CU_TILINGS * SIZES, BY_LIBRARY = BY_DEEP + SIZES, W_WAYS };

static int parts_of(const grad *g, int way)
{
    static const int quarters[SIZES] = {2, 4, 8, 16}; /* of what fills the GPU once */
    const layer *l = &g->l;
    if (way >= BY_DEEP)
        return rg_cu_deep_parts(way % SIZES + 1, l->m, l->n, l->k);
    return rg_cu_layer_back_parts(way / SIZES, l->m, l->n, l->k, quarters[way % SIZES]);
}

static rg_status w_by_library(const grad *g)
{
    const layer *l = &g->l;
    rg_cu_back sums = {.act = RG_CU_NONE,
                       .m = l->m,
                       .n = l->n,
                       .dout = g->dz,
                       .dbias = g->dbias,
                       .bias = g->bias_out,
                       .rate = g->rate,
                       .scale = g->scale,
                       .room = g->sums};
    rg_gpu_product dw = {.trans_a = true,
                         .m = l->k,
                         .n = l->n,
                         .k = l->m,
                         .a = g->x,
                         .b = g->dz,
                         .c = g->dw,
                         .dtype = RG_F32,
                         .alpha = 1};
    rg_cu_fc_back(&sums, g->beside->counters, g->beside->cuda);
    if (g->dw != NULL)
        RG_TRY(rg_gpu_matmul(g->beside, &dw));
    if (g->w_out == NULL)
        return RG_OK;
    dw.c = g->w_out;
    dw.device_alpha = g->scale;
    RG_TRY(rg_gpu_matmul(g->beside, &dw));
    if (l->k > l->rows) /* what it wrote behind W */
        RG_GPU_TRY(cudaMemsetAsync(g->w_out + l->rows * l->n, 0,
                                   (size_t)((l->k - l->rows) * l->n) * sizeof *g->w_out,
                                   g->beside->cuda));
    return RG_OK;
}

static rg_status back_w(void *arg, int way)
{
    const grad *g = arg;
    const layer *l = &g->l;
    if (way == BY_LIBRARY)
        return w_by_library(g);
    rg_cu_layer_back b = {.m = (int)l->m,
                          .n = (int)l->n,
                          .k = (int)l->k,
                          .rows = (int)l->rows,
                          .x = g->x,
                          .dz = g->dz,
                          .rate = g->rate,
                          .dw = g->dw,
                          .dbias = g->dbias,
                          .w_out = g->w_out,
                          .bias_out = g->bias_out,
                          .parts = parts_of(g, way),
                          .room = g->room,
                          .counters = g->beside->counters};
    bool done = way < BY_DEEP ? rg_cu_layer_back_w(way / SIZES, g->exact, &b, g->beside->cuda)
                              : !g->exact && rg_cu_deep_run(way % SIZES + 1, &b, g->beside->cuda);
    return done ? RG_OK : RG_EUNIMPL;
}

/* Whether parameters alone are written, which nobody behind it reads. */
static bool trails(const grad *g)
{
    return g->dw == NULL && g->dbias == NULL;
}

/* Whether what comes behind dX is no product: mostly the step of a table, which takes half of the
 * GPU (table.cu). dW, where it trails beside it, takes the other half then: both waiting for their
 * turns on all of it takes longer. */
static bool shares(const grad *g)
{
    return g->l.m >= RG_CU_MANY_ROWS && !g->exact && g->dx != NULL && g->x_act == RG_CU_NONE &&
           trails(g) && rg_gpu_has_branches(rg_gpu_stream_of(g->ctx));
}

static bool takes_half(int way)
{
    return way < BY_DEEP ? way % SIZES == 0 : way < BY_LIBRARY && way % SIZES <= 1;
}

/* The same, with what is changed in place changed aside. */
static rg_status back_w_aside(void *arg, int way)
{
    grad g = *(grad *)arg;
    if (way < BY_LIBRARY && way % SIZES > 0 && parts_of(&g, way) == parts_of(&g, way - 1))
        return RG_EUNIMPL; /* it is tried already */
    if (shares(&g) && !takes_half(way))
        return RG_EUNIMPL;
    g.w_out = g.w_out ? g.aside : NULL;
    g.bias_out = g.bias_out ? g.aside + g.l.k * g.l.n : NULL;
    return back_w(&g, way);
}

/* ---- both ---- */

static bool is_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

/* Memory, and dZ in it where the layer's own activation stands before it. */
static rg_status begin_back(grad *g)
{
    const layer *l = &g->l;
    int64_t z = l->act == RG_CU_NONE ? 0 : l->m * l->n, w = (l->k + 1) * l->n;
    int64_t sums = rg_cu_fc_back_room(l->m, l->n), parts = 0;
    for (int way = 0; way < BY_LIBRARY && g->fits; way++) {
        int some = parts_of(g, way);
        parts = some > parts ? some : parts;
    }
    float *all = rg_gpu_scratch(g->ctx, (size_t)(z + w + sums + parts * w + 5 * 64) * sizeof *all);
    if (all == NULL)
        return RG_ENOMEM;
    float *dz = take(&all, z);
    g->sums = take(&all, sums);
    g->scale = take(&all, 64);
    g->aside = take(&all, w); /* where trials put W and Bias */
    g->room = take(&all, parts * w);
    g->dz = z > 0 ? dz : g->dout;
    if (z > 0)
        rg_cu_slope(l->act, z, g->out, g->dout, dz, rg_cuda(g->ctx));
    return RG_OK;
}

static int choose_way(const grad *g, bool of_x, rg_gpu_way run)
{
    const layer *l = &g->l;
    way_key key = key_of(l, of_x ? OF_X : shares(g) ? OF_W_IN_HALF : OF_W, g->x_act, g->exact);
    key.outs = (g->dw ? 1 : 0) + (g->w_out ? 2 : 0);
    int n = of_x ? (int)WAYS : (int)W_WAYS;
    int by_rule = l->m <= 1024 ? (of_x ? 0 : 1) : (of_x ? 1 : SIZES + 2);
    if (!g->fits)
        return n - 1;
    return rg_gpu_choose(rg_gpu_stream_of(g->ctx), &key, sizeof key, n, run, (void *)g, by_rule);
}

/* dX first: it reads W. */
static rg_status back(grad *g)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(g->ctx), branch;
    RG_TRY(rg_gpu_meet(stream, g->w));
    RG_TRY(begin_back(g));
    g->beside = stream;
    if (g->dx != NULL)
        RG_TRY(back_x(g, choose_way(g, true, back_x)));
    if (g->dw == NULL && g->w_out == NULL && g->dbias == NULL && g->bias_out == NULL)
        return RG_OK;
    int way = choose_way(g, false, back_w_aside);
    if (trails(g)) {
        rg_gpu_trail(stream, g->w, &branch);
        g->beside = &branch;
    }
    return back_w(g, way);
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
                         .rows = l->rows,
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
    RG_TRY(back(&g));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc_grad = {"fused_fc_grad", "gpu", fc_grad,
                                               RG_KERNEL_PADS | RG_KERNEL_TRAILS, NULL};
