/* fc.cu - what is not a product in a fully connected layer: activations, their way back, column
 * sums for biases; and layers of a few columns, which are no work for a library of products. */
#include "gpu/activate.h"

RG_KERNEL activate_all(int act, int64_t n, float *y)
{
    RG_EACH(i, n)
        y[i] = rg_activate(act, y[i]);
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

/* A block has 32 columns and a part of the rows, 32 at a time; the last block of a column of blocks
 * adds up the parts' sums, always in the same order. */
enum { TILE = 32, DEEP = 8 };

static int64_t parts_of(int64_t m)
{
    int64_t parts = (m + TILE - 1) / TILE;
    return parts < 1 ? 1 : parts > 64 ? 64 : parts;
}

extern "C" int64_t rg_cu_fc_back_room(int64_t m, int64_t n)
{
    return parts_of(m) * n;
}

/* Four rows of the thread's column, their loads one behind the other. */
RG_DEVICE float back_rows(int act, int64_t n, int64_t row, int64_t end, int64_t column,
                          const float *out, const float *dout, float *dz)
{
    float g[TILE / DEEP], y[TILE / DEEP], sum = 0;
#pragma unroll
    for (int k = 0; k < TILE / DEEP; k++) {
        bool there = column < n && row + k * DEEP < end;
        g[k] = there ? dout[(row + k * DEEP) * n + column] : 0;
        y[k] = there && dz != NULL ? out[(row + k * DEEP) * n + column] : 0;
    }
#pragma unroll
    for (int k = 0; k < TILE / DEEP; k++) {
        if (dz != NULL) {
            g[k] *= rg_slope(act, y[k]);
            if (column < n && row + k * DEEP < end)
                dz[(row + k * DEEP) * n + column] = g[k];
        }
        sum += column < n && row + k * DEEP < end ? g[k] : 0;
    }
    return sum;
}

RG_KERNEL fc_back(rg_cu_back b, int64_t parts, unsigned *counters)
{
    RG_SHARED float sums[DEEP][TILE];
    int64_t column = (int64_t)blockIdx.x * TILE + threadIdx.x, n = b.n;
    int64_t each = ((b.m + parts - 1) / parts + TILE - 1) / TILE * TILE, first = blockIdx.y * each;
    int64_t end = first + each < b.m ? first + each : b.m;
    float sum = 0;
    for (int64_t row = first; row < end; row += TILE)
        sum += back_rows(b.act, n, row + threadIdx.y, end, column, b.out, b.dout, b.dz);
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < n) {
        for (int k = 1; k < DEEP; k++)
            sum += sums[k][threadIdx.x];
        b.room[blockIdx.y * n + column] = sum;
    }
    if (b.rate != NULL && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 &&
        threadIdx.y == 0) {
        b.scale[0] = -*b.rate;
        b.scale[1] = 1;
    }
    if (!rg_last_block(counters + blockIdx.x, (unsigned)parts))
        return;
    sum = 0;
    if (column < n) {
#pragma unroll 8
        for (int64_t k = threadIdx.y; k < parts; k += DEEP)
            sum += b.room[k * n + column];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= n)
        return;
    for (int k = 1; k < DEEP; k++)
        sum += sums[k][threadIdx.x];
    if (b.dbias != NULL)
        b.dbias[column] = sum;
    if (b.bias != NULL)
        b.bias[column] -= *b.rate * sum;
}

extern "C" void rg_cu_fc_back(const rg_cu_back *b, unsigned *counters, cudaStream_t stream)
{
    if (b->n == 0)
        return;
    int64_t parts = parts_of(b->m);
    dim3 blocks((unsigned)((b->n + TILE - 1) / TILE), (unsigned)parts);
    RG_LAUNCH_SYNC(fc_back, blocks, dim3(TILE, DEEP), stream, *b, parts, counters);
}

RG_KERNEL slope_all(int act, int64_t n, const float *y, const float *g, float *dz)
{
    RG_EACH(i, n / 4) {
        float4 at = ((const float4 *)y)[i], x = ((const float4 *)g)[i];
        x.x *= rg_slope(act, at.x), x.y *= rg_slope(act, at.y);
        x.z *= rg_slope(act, at.z), x.w *= rg_slope(act, at.w);
        ((float4 *)dz)[i] = x;
    }
    RG_EACH(i, n % 4)
        dz[n / 4 * 4 + i] = g[n / 4 * 4 + i] * rg_slope(act, y[n / 4 * 4 + i]);
}

extern "C" void rg_cu_slope(enum rg_cu_act act, int64_t n, const float *y, const float *g,
                            float *dz, cudaStream_t stream)
{
    if (n > 0)
        RG_LAUNCH(slope_all, rg_blocks((n + 3) / 4, RG_THREADS), RG_THREADS, stream, act, n, y, g,
                  dz);
}

/* ---- layers of a few columns ---- */

/* A warp for each row; N is n, or at least it. */
template <int N>
RG_KERNEL thin_fc(int act, int64_t m, int n, int64_t k, const float *x, const float *w,
                  const float *bias, float *out)
{
    int lane = (int)threadIdx.x % 32;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= m)
        return;
    float sum[N];
    for (int j = 0; j < N; j++)
        sum[j] = 0;
    if (N <= 2)
        n = N;
#pragma unroll 8
    for (int64_t i = lane; i < k; i += 32) {
        float a = x[row * k + i];
#pragma unroll
        for (int j = 0; j < N; j++)
            if (j < n)
                sum[j] += a * w[i * n + j];
    }
#pragma unroll
    for (int j = 0; j < N; j++) {
        if (j >= n)
            break;
        float all = rg_warp_sum(sum[j]);
        if (lane == 0)
            out[row * n + j] = rg_activate(act, all + (bias ? bias[j] : 0));
    }
}

extern "C" void rg_cu_thin_fc(enum rg_cu_act act, int64_t m, int64_t n, int64_t k, const float *x,
                              const float *w, const float *bias, float *out, cudaStream_t stream)
{
    if (m * n == 0)
        return;
    int threads = m <= 1024 ? 128 : 256;
    unsigned blocks = (unsigned)((m * 32 + threads - 1) / threads);
    if (n == 1)
        RG_LAUNCH_SYNC(thin_fc<1>, blocks, threads, stream, act, m, 1, k, x, w, bias, out);
    else if (n == 2)
        RG_LAUNCH_SYNC(thin_fc<2>, blocks, threads, stream, act, m, 2, k, x, w, bias, out);
    else
        RG_LAUNCH_SYNC(thin_fc<RG_CU_THIN>, blocks, threads, stream, act, m, (int)n, k, x, w, bias,
                       out);
}

/* ---- the way back of a layer of a few columns ---- */

enum { THIN_THREADS = 128, THIN_ROWS = 32, AT_ONCE = 8, FEW_PARTS = 16 };

/* Up to FEW_PARTS the last block adds the parts up, beyond that a kernel of its own does. */
static int64_t thin_parts(int64_t m)
{
    int64_t parts = (m + THIN_ROWS - 1) / THIN_ROWS;
    return parts < 1 ? 1 : parts > 256 ? 256 : parts;
}

/* A part has k n + n sums. */
extern "C" int64_t rg_cu_thin_fc_back_room(int64_t m, int64_t n, int64_t k)
{
    return thin_parts(m) * (k + 1) * n;
}

/* Where sum e of (k + 1) n goes. */
RG_DEVICE void thin_put(const rg_cu_thin_back *b, int64_t e, float all)
{
    int64_t weights = b->k * b->n;
    if (e < weights) {
        if (b->dw != NULL)
            b->dw[e] = all;
        if (b->w_out != NULL && e < b->rows * b->n)
            b->w_out[e] -= *b->rate * all;
        return;
    }
    if (b->dbias != NULL)
        b->dbias[e - weights] = all;
    if (b->bias_out != NULL)
        b->bias_out[e - weights] -= *b->rate * all;
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
 * reads: so the last of them may change w. The first column has the bias, too. N is n, or at least
 * it. */
template <int N> RG_KERNEL thin_fc_back(rg_cu_thin_back b, unsigned *counters)
{
    RG_SHARED float z[THIN_ROWS * N];
    const int n = N <= 2 ? N : b.n;
    const int64_t k = b.k, i = (int64_t)blockIdx.x * THIN_THREADS + threadIdx.x, parts = gridDim.y;
    int64_t each = (b.m + parts - 1) / parts, first = blockIdx.y * each;
    int64_t end = first + each < b.m ? first + each : b.m, step = (k + 1) * n;
    float weight[N], sum[N], whole = 0;
    for (int j = 0; j < N; j++) {
        weight[j] = j < n && i < k ? b.w[i * n + j] : 0;
        sum[j] = 0;
    }
    for (int64_t row = first; row < end; row += THIN_ROWS) {
        int some = (int)(end - row < THIN_ROWS ? end - row : THIN_ROWS);
        __syncthreads();
        for (int e = (int)threadIdx.x; e < some * n; e += THIN_THREADS) {
            float g = b.dout[row * n + e];
            z[e] = b.act == RG_CU_NONE ? g : g * rg_slope(b.act, b.out[row * n + e]);
        }
        __syncthreads();
        for (int from = 0; from < some; from += AT_ONCE) {
            float a[AT_ONCE];
#pragma unroll
            for (int r = 0; r < AT_ONCE; r++)
                a[r] = i < k && from + r < some ? b.x[(row + from + r) * k + i] : 0;
#pragma unroll
            for (int r = 0; r < AT_ONCE; r++) {
                float back = 0;
                if (from + r >= some)
                    break;
#pragma unroll
                for (int j = 0; j < N; j++)
                    if (j < n) {
                        back += z[(from + r) * n + j] * weight[j];
                        sum[j] += z[(from + r) * n + j] * a[r];
                    }
                if (b.dx != NULL && i < k)
                    b.dx[(row + from + r) * k + i] = back * rg_slope(b.x_act, a[r]);
            }
        }
        for (int r = 0; r < some && (int)threadIdx.x < n; r++)
            whole += z[r * n + threadIdx.x];
    }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (j < n && i < k)
            b.room[blockIdx.y * step + i * n + j] = sum[j];
    if (blockIdx.x == 0 && (int)threadIdx.x < n)
        b.room[blockIdx.y * step + k * n + threadIdx.x] = whole;
    if (parts > FEW_PARTS || !rg_last_block(counters + blockIdx.x, gridDim.y))
        return;
    for (int j = 0; j < n && i < k; j++)
        thin_put(&b, i * n + j, sum_parts(b.room + i * n + j, parts, step));
    if (blockIdx.x == 0 && (int)threadIdx.x < n)
        thin_put(&b, k * n + threadIdx.x, sum_parts(b.room + k * n + threadIdx.x, parts, step));
}

/* 32 sums side by side, eight threads to each. */
RG_KERNEL thin_sums(rg_cu_thin_back b, int64_t parts)
{
    RG_SHARED float sums[DEEP][TILE];
    int64_t e = (int64_t)blockIdx.x * TILE + threadIdx.x, step = (b.k + 1) * b.n;
    float sum = 0;
    if (e < step) {
#pragma unroll 8
        for (int64_t part = threadIdx.y; part < parts; part += DEEP)
            sum += b.room[part * step + e];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || e >= step)
        return;
    for (int d = 1; d < DEEP; d++)
        sum += sums[d][threadIdx.x];
    thin_put(&b, e, sum);
}

extern "C" void rg_cu_thin_fc_back(const rg_cu_thin_back *b, unsigned *counters,
                                   cudaStream_t stream)
{
    int64_t parts = thin_parts(b->m), sums = (b->k + 1) * b->n;
    dim3 blocks((unsigned)(b->k > 0 ? (b->k + THIN_THREADS - 1) / THIN_THREADS : 1),
                (unsigned)parts);
    if (b->n == 1)
        RG_LAUNCH_SYNC(thin_fc_back<1>, blocks, THIN_THREADS, stream, *b, counters);
    else if (b->n == 2)
        RG_LAUNCH_SYNC(thin_fc_back<2>, blocks, THIN_THREADS, stream, *b, counters);
    else
        RG_LAUNCH_SYNC(thin_fc_back<RG_CU_THIN>, blocks, THIN_THREADS, stream, *b, counters);
    if (parts > FEW_PARTS)
        RG_LAUNCH_SYNC(thin_sums, (unsigned)((sums + TILE - 1) / TILE), dim3(TILE, DEEP), stream,
                       *b, parts);
}
