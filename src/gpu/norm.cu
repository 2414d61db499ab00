/* norm.cu - layer_norm: a block for each row; batch_norm: a block for each channel; sums of columns
 * for scales and biases. float32; sums over a channel are kept in doubles, as the CPU's. */
#include "gpu/cuda.h"

enum { ROW_THREADS = 128, CHANNEL_THREADS = 256, TILE = 32, DEEP = 8 };

/* ---- layer_norm ---- */

RG_KERNEL layer_norm(int64_t n, float epsilon, const float *x, const float *scale,
                     const float *bias, float *y, float *mean, float *variance)
{
    RG_SHARED float room[32];
    int64_t row = blockIdx.x;
    const float *from = x + row * n;
    float sum = 0, squares = 0;
    for (int64_t i = threadIdx.x; i < n; i += ROW_THREADS)
        sum += from[i];
    float m = rg_block_sum(sum, room) / (float)n;
    for (int64_t i = threadIdx.x; i < n; i += ROW_THREADS)
        squares += (from[i] - m) * (from[i] - m);
    float v = rg_block_sum(squares, room) / (float)n, inverse = 1 / sqrtf(v + epsilon);
    for (int64_t i = threadIdx.x; i < n; i += ROW_THREADS)
        y[row * n + i] = (from[i] - m) * inverse * (scale ? scale[i] : 1) + (bias ? bias[i] : 0);
    if (threadIdx.x == 0 && mean != NULL)
        mean[row] = m;
    if (threadIdx.x == 0 && variance != NULL)
        variance[row] = v;
}

extern "C" void rg_cu_layer_norm(int64_t rows, int64_t n, float epsilon, const float *x,
                                 const float *scale, const float *bias, float *y, float *mean,
                                 float *variance, cudaStream_t stream)
{
    if (rows > 0)
        RG_LAUNCH_SYNC(layer_norm, (unsigned)rows, ROW_THREADS, stream, n, epsilon, x, scale, bias,
                       y, mean, variance);
}

RG_KERNEL layer_norm_dx(int64_t n, float epsilon, const float *x, const float *dy,
                        const float *scale, const float *mean, const float *variance, float *dx)
{
    RG_SHARED float room[32];
    int64_t row = blockIdx.x, at = row * n;
    float m = mean[row], inverse = 1 / sqrtf(variance[row] + epsilon), sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < n; i += ROW_THREADS) {
        float g = dy[at + i] * (scale ? scale[i] : 1);
        sum += g;
        product += g * (x[at + i] - m);
    }
    sum = rg_block_sum(sum, room);
    product = rg_block_sum(product, room);
    float shift = -inverse * sum / (float)n;
    float slope = -inverse * inverse * inverse * product / (float)n;
    for (int64_t i = threadIdx.x; i < n; i += ROW_THREADS) {
        float g = dy[at + i] * (scale ? scale[i] : 1);
        dx[at + i] = inverse * g + (slope * (x[at + i] - m) + shift);
    }
}

/* 32 columns side by side, all rows. */
RG_KERNEL layer_norm_sums(int64_t rows, int64_t n, float epsilon, const float *x, const float *dy,
                          const float *mean, const float *variance, float *dscale, float *dbias)
{
    RG_SHARED float products[DEEP][TILE];
    RG_SHARED float sums[DEEP][TILE];
    int64_t i = (int64_t)blockIdx.x * TILE + threadIdx.x;
    float sum = 0, product = 0;
    for (int64_t r = threadIdx.y; i < n && r < rows; r += DEEP) {
        float g = dy[r * n + i];
        sum += g;
        product += g * ((x[r * n + i] - mean[r]) * (1 / sqrtf(variance[r] + epsilon)));
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    products[threadIdx.y][threadIdx.x] = product;
    __syncthreads();
    if (threadIdx.y != 0 || i >= n)
        return;
    for (int k = 1; k < DEEP; k++) {
        sum += sums[k][threadIdx.x];
        product += products[k][threadIdx.x];
    }
    if (dscale != NULL)
        dscale[i] = product;
    if (dbias != NULL)
        dbias[i] = sum;
}

extern "C" void rg_cu_layer_norm_grad(int64_t rows, int64_t n, float epsilon, const float *x,
                                      const float *dy, const float *scale, const float *mean,
                                      const float *variance, float *dx, float *dscale, float *dbias,
                                      cudaStream_t stream)
{
    if (dx != NULL && rows > 0)
        RG_LAUNCH_SYNC(layer_norm_dx, (unsigned)rows, ROW_THREADS, stream, n, epsilon, x, dy, scale,
                       mean, variance, dx);
    if ((dscale != NULL || dbias != NULL) && n > 0)
        RG_LAUNCH_SYNC(layer_norm_sums, (unsigned)((n + TILE - 1) / TILE), dim3(TILE, DEEP), stream,
                       rows, n, epsilon, x, dy, mean, variance, dscale, dbias);
}

/* ---- batch_norm: x is [outer, channels, space] ---- */

RG_DEVICE int64_t place(const rg_cu_channels *c, int64_t channel, int64_t k)
{
    return (k / c->space * c->channels + channel) * c->space + k % c->space;
}

/* running may be the same memory as its old values. */
RG_KERNEL batch_moments(rg_cu_channels c, float epsilon, float momentum, const float *x,
                        const float *old_mean, const float *old_variance, float *mean,
                        float *inverse, float *running_mean, float *running_variance)
{
    RG_SHARED double room[32];
    int64_t channel = blockIdx.x, n = c.outer * c.space;
    double sum = 0, squares = 0;
    for (int64_t k = threadIdx.x; k < n; k += CHANNEL_THREADS)
        sum += (double)x[place(&c, channel, k)];
    float m = (float)(rg_block_sum(sum, room) / (double)n);
    for (int64_t k = threadIdx.x; k < n; k += CHANNEL_THREADS) {
        double from = (double)(x[place(&c, channel, k)] - m);
        squares += from * from;
    }
    float v = (float)(rg_block_sum(squares, room) / (double)n);
    if (threadIdx.x != 0)
        return;
    mean[channel] = m;
    inverse[channel] = 1 / sqrtf(v + epsilon);
    if (running_mean != NULL)
        running_mean[channel] = old_mean[channel] * momentum + m * (1 - momentum);
    if (running_variance != NULL)
        running_variance[channel] = old_variance[channel] * momentum + v * (1 - momentum);
}

RG_KERNEL invert(int64_t n, float epsilon, const float *variance, float *inverse)
{
    RG_EACH(i, n)
        inverse[i] = 1 / sqrtf(variance[i] + epsilon);
}

RG_KERNEL batch_apply(rg_cu_channels c, const float *x, const float *scale, const float *bias,
                      const float *mean, const float *inverse, float *y)
{
    RG_EACH(e, c.outer * c.channels * c.space) {
        int64_t i = e / c.space % c.channels;
        y[e] = (x[e] - mean[i]) * (scale[i] * inverse[i]) + bias[i];
    }
}

extern "C" void rg_cu_batch_moments(rg_cu_channels c, float epsilon, float momentum, const float *x,
                                    const float *old_mean, const float *old_variance, float *mean,
                                    float *inverse, float *running_mean, float *running_variance,
                                    cudaStream_t stream)
{
    if (c.channels > 0)
        RG_LAUNCH_SYNC(batch_moments, (unsigned)c.channels, CHANNEL_THREADS, stream, c, epsilon,
                       momentum, x, old_mean, old_variance, mean, inverse, running_mean,
                       running_variance);
}

extern "C" void rg_cu_invert(int64_t n, float epsilon, const float *variance, float *inverse,
                             cudaStream_t stream)
{
    if (n > 0)
        RG_LAUNCH(invert, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, epsilon, variance,
                  inverse);
}

extern "C" void rg_cu_batch_apply(rg_cu_channels c, const float *x, const float *scale,
                                  const float *bias, const float *mean, const float *inverse,
                                  float *y, cudaStream_t stream)
{
    int64_t n = c.outer * c.channels * c.space;
    if (n > 0)
        RG_LAUNCH(batch_apply, rg_blocks(n, RG_THREADS), RG_THREADS, stream, c, x, scale, bias,
                  mean, inverse, y);
}

RG_KERNEL batch_sums(rg_cu_channels c, const float *x, const float *dy, const float *mean,
                     const float *inverse, float *dscale, float *dbias)
{
    RG_SHARED double room[32];
    int64_t channel = blockIdx.x, n = c.outer * c.space;
    double sum = 0, product = 0;
    for (int64_t k = threadIdx.x; k < n; k += CHANNEL_THREADS) {
        int64_t at = place(&c, channel, k);
        sum += (double)dy[at];
        product += (double)(dy[at] * (x[at] - mean[channel]));
    }
    sum = rg_block_sum(sum, room);
    product = rg_block_sum(product, room);
    if (threadIdx.x == 0) {
        dbias[channel] = (float)sum;
        dscale[channel] = (float)product * inverse[channel];
    }
}

/* part: 1 / n where mean and variance were the batch's, else 0. */
RG_KERNEL batch_dx(rg_cu_channels c, float part, const float *x, const float *dy,
                   const float *scale, const float *mean, const float *inverse, const float *dscale,
                   const float *dbias, float *dx)
{
    RG_EACH(e, c.outer * c.channels * c.space) {
        int64_t i = e / c.space % c.channels;
        float factor = scale[i] * inverse[i];
        float slope = -factor * inverse[i] * dscale[i] * part, shift = -factor * dbias[i] * part;
        dx[e] = factor * dy[e] + (slope * (x[e] - mean[i]) + shift);
    }
}

extern "C" void rg_cu_batch_norm_grad(rg_cu_channels c, bool of_batch, const float *x,
                                      const float *dy, const float *scale, const float *mean,
                                      const float *inverse, float *dscale, float *dbias, float *dx,
                                      cudaStream_t stream)
{
    int64_t n = c.outer * c.channels * c.space;
    if (c.channels > 0)
        RG_LAUNCH_SYNC(batch_sums, (unsigned)c.channels, CHANNEL_THREADS, stream, c, x, dy, mean,
                       inverse, dscale, dbias);
    if (dx != NULL && n > 0)
        RG_LAUNCH(batch_dx, rg_blocks(n, RG_THREADS), RG_THREADS, stream, c,
                  of_batch ? 1 / (float)(c.outer * c.space) : 0.0f, x, dy, scale, mean, inverse,
                  dscale, dbias, dx);
}
