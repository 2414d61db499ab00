/* fc.cu - what is not a product in a fully connected layer: activations, their way back, column
 * sums for biases; and layers of a few columns, which are no work for a library of products. */
#include "gpu/cuda.h"

RG_DEVICE float activate(int act, float x)
{
    switch (act) {
    case RG_CU_RELU:
        return x > 0 ? x : x != x ? x : 0;
    case RG_CU_SIGMOID:
        return 1 / (1 + expf(-x));
    case RG_CU_TANH:
        return tanhf(x);
    }
    return x;
}

RG_DEVICE float slope(int act, float y)
{
    switch (act) {
    case RG_CU_RELU:
        return y > 0 ? 1 : 0;
    case RG_CU_SIGMOID:
        return y * (1 - y);
    case RG_CU_TANH:
        return 1 - y * y;
    }
    return 1;
}

RG_KERNEL activate_all(int act, int64_t n, float *y)
{
    RG_EACH(i, n)
        y[i] = activate(act, y[i]);
}

extern "C" void rg_cu_activate(enum rg_cu_act act, int64_t n, float *y, cudaStream_t stream)
{
    if (n > 0)
        RG_LAUNCH(activate_all, rg_blocks(n, RG_THREADS), RG_THREADS, stream, act, n, y);
}

template <typename T> RG_KERNEL add_row(int64_t all, int64_t n, const T *src, T *dst)
{
    RG_EACH(i, all)
        dst[i] += src[i % n];
}

template <typename T>
static void add_row_of(int64_t rows, int64_t n, const void *src, void *dst, cudaStream_t stream)
{
    RG_LAUNCH(add_row<T>, rg_blocks(rows * n, RG_THREADS), RG_THREADS, stream, rows * n, n,
              (const T *)src, (T *)dst);
}

extern "C" bool rg_cu_add_row(rg_dtype dtype, int64_t rows, int64_t n, const void *src, void *dst,
                              cudaStream_t stream)
{
    if (rows * n == 0)
        return true;
    RG_BY_FLOAT(dtype, add_row_of, (rows, n, src, dst, stream))
    return true;
}

/* ---- the way back through the activation, and the bias ---- */

/* A block has 32 columns and a part of the rows; the last block of a column tile adds up the parts,
 * always in the same order. */
enum { TILE = 32, DEEP = 8 };

static int64_t parts_of(int64_t m)
{
    int64_t parts = (m + 63) / 64;
    return parts < 1 ? 1 : parts > 64 ? 64 : parts;
}

extern "C" int64_t rg_cu_fc_back_room(int64_t m, int64_t n)
{
    return parts_of(m) * n;
}

RG_KERNEL fc_back(int act, int64_t m, int64_t n, const float *out, const float *dout, float *dz,
                  float *dbias, float *bias, const float *rate, float *scale, float *room,
                  unsigned *counters)
{
    RG_SHARED float sums[DEEP][TILE];
    int64_t column = (int64_t)blockIdx.x * TILE + threadIdx.x;
    int64_t each = (m + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
    int64_t end = first + each < m ? first + each : m;
    float sum = 0;
    if (column < n)
        for (int64_t i = first + threadIdx.y; i < end; i += DEEP) {
            float g = dout[i * n + column];
            if (dz != NULL) {
                g *= slope(act, out[i * n + column]);
                dz[i * n + column] = g;
            }
            sum += g;
        }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < n) {
        for (int k = 1; k < DEEP; k++)
            sum += sums[k][threadIdx.x];
        room[blockIdx.y * n + column] = sum;
    }
    if (rate != NULL && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
        scale[0] = -*rate;
        scale[1] = 1;
    }
    if (!rg_last_block(counters + blockIdx.x, gridDim.y))
        return;
    sum = 0;
    if (column < n)
        for (int64_t k = threadIdx.y; k < gridDim.y; k += DEEP)
            sum += room[k * n + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= n)
        return;
    for (int k = 1; k < DEEP; k++)
        sum += sums[k][threadIdx.x];
    if (dbias != NULL)
        dbias[column] = sum;
    if (bias != NULL)
        bias[column] -= *rate * sum;
}

extern "C" void rg_cu_fc_back(enum rg_cu_act act, int64_t m, int64_t n, const float *out,
                              const float *dout, float *dz, float *dbias, float *bias,
                              const float *rate, float *scale, float *room, unsigned *counters,
                              cudaStream_t stream)
{
    if (n == 0)
        return;
    dim3 blocks((unsigned)((n + TILE - 1) / TILE), (unsigned)parts_of(m)), threads(TILE, DEEP);
    RG_LAUNCH_SYNC(fc_back, blocks, threads, stream, act, m, n, out, dout, dz, dbias, bias, rate,
                   scale, room, counters);
}

/* ---- layers of a few columns ---- */

/* A warp for each row. */
RG_KERNEL thin_fc(int act, int64_t m, int n, int64_t k, const float *x, const float *w,
                  const float *bias, float *out)
{
    int lane = (int)threadIdx.x % 32;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= m)
        return;
    float sum[RG_CU_THIN];
    for (int j = 0; j < RG_CU_THIN; j++)
        sum[j] = 0;
    for (int64_t i = lane; i < k; i += 32) {
        float a = x[row * k + i];
#pragma unroll
        for (int j = 0; j < RG_CU_THIN; j++)
            if (j < n)
                sum[j] += a * w[i * n + j];
    }
#pragma unroll
    for (int j = 0; j < RG_CU_THIN; j++) {
        if (j >= n)
            break;
        float all = rg_warp_sum(sum[j]);
        if (lane == 0)
            out[row * n + j] = activate(act, all + (bias ? bias[j] : 0));
    }
}

extern "C" void rg_cu_thin_fc(enum rg_cu_act act, int64_t m, int64_t n, int64_t k, const float *x,
                              const float *w, const float *bias, float *out, cudaStream_t stream)
{
    if (m * n > 0)
        RG_LAUNCH_SYNC(thin_fc, (unsigned)((m + 7) / 8), 256, stream, act, m, (int)n, k, x, w, bias,
                       out);
}

enum { THIN_THREADS = 128, THIN_ROWS = 32 };

static int64_t thin_parts(int64_t m)
{
    int64_t parts = (m + 15) / 16;
    return parts < 1 ? 1 : parts > 96 ? 96 : parts;
}

/* A part has k n + n sums. */
extern "C" int64_t rg_cu_thin_fc_back_room(int64_t m, int64_t n, int64_t k)
{
    return thin_parts(m) * (k + 1) * n;
}

/* What the parts add up to, in their order. */
RG_DEVICE float sum_parts(const float *room, int64_t parts, int64_t step)
{
    float sum = 0;
#pragma unroll 8
    for (int64_t part = 0; part < parts; part++)
        sum += room[part * step];
    return sum;
}

/* A block has a part of the rows of x and 128 of the rows of w, which no other column of blocks
 * reads: so the last of them may change w. The first column has the bias, too. */
RG_KERNEL thin_fc_back(int act, int64_t m, int n, int64_t k, const float *x, const float *w,
                       const float *out, const float *dout, float *dx, float *dw, float *dbias,
                       float *w_out, float *bias_out, const float *rate, float *room,
                       unsigned *counters)
{
    RG_SHARED float z[THIN_ROWS * RG_CU_THIN];
    int64_t i = (int64_t)blockIdx.x * THIN_THREADS + threadIdx.x, parts = gridDim.y;
    int64_t each = (m + parts - 1) / parts, first = blockIdx.y * each;
    int64_t end = first + each < m ? first + each : m, step = (k + 1) * n;
    float weight[RG_CU_THIN], sum[RG_CU_THIN], whole = 0;
    for (int j = 0; j < RG_CU_THIN; j++) {
        weight[j] = j < n && i < k ? w[i * n + j] : 0;
        sum[j] = 0;
    }
    for (int64_t row = first; row < end; row += THIN_ROWS) {
        int some = (int)(end - row < THIN_ROWS ? end - row : THIN_ROWS);
        __syncthreads();
        for (int e = (int)threadIdx.x; e < some * n; e += THIN_THREADS) {
            float g = dout[row * n + e];
            z[e] = act == RG_CU_NONE ? g : g * slope(act, out[row * n + e]);
        }
        __syncthreads();
        for (int r = 0; r < some; r++) {
            float a = i < k ? x[(row + r) * k + i] : 0, back = 0;
#pragma unroll
            for (int j = 0; j < RG_CU_THIN; j++)
                if (j < n) {
                    back += z[r * n + j] * weight[j];
                    sum[j] += z[r * n + j] * a;
                }
            if (dx != NULL && i < k)
                dx[(row + r) * k + i] = back;
            if ((int)threadIdx.x < n)
                whole += z[r * n + threadIdx.x];
        }
    }
#pragma unroll
    for (int j = 0; j < RG_CU_THIN; j++)
        if (j < n && i < k)
            room[blockIdx.y * step + i * n + j] = sum[j];
    if (blockIdx.x == 0 && (int)threadIdx.x < n)
        room[blockIdx.y * step + k * n + threadIdx.x] = whole;
    if (!rg_last_block(counters + blockIdx.x, gridDim.y))
        return;
    for (int j = 0; j < n && i < k; j++) {
        float all = sum_parts(room + i * n + j, parts, step);
        if (dw != NULL)
            dw[i * n + j] = all;
        if (w_out != NULL)
            w_out[i * n + j] -= *rate * all;
    }
    if (blockIdx.x == 0 && (int)threadIdx.x < n) {
        float all = sum_parts(room + k * n + threadIdx.x, parts, step);
        if (dbias != NULL)
            dbias[threadIdx.x] = all;
        if (bias_out != NULL)
            bias_out[threadIdx.x] -= *rate * all;
    }
}

extern "C" void rg_cu_thin_fc_back(enum rg_cu_act act, int64_t m, int64_t n, int64_t k,
                                   const float *x, const float *w, const float *out,
                                   const float *dout, float *dx, float *dw, float *dbias,
                                   float *w_out, float *bias_out, const float *rate, float *room,
                                   unsigned *counters, cudaStream_t stream)
{
    dim3 blocks((unsigned)(k > 0 ? (k + THIN_THREADS - 1) / THIN_THREADS : 1),
                (unsigned)thin_parts(m));
    RG_LAUNCH_SYNC(thin_fc_back, blocks, THIN_THREADS, stream, act, m, (int)n, k, x, w, out, dout,
                   dx, dw, dbias, w_out, bias_out, rate, room, counters);
}
