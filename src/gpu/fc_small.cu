/* fc_small.cu - fully connected layers of few rows: one launch each way.
 *
 * The tensor cores take factors of 11 bits (TF32). Where float32 is wanted each factor is parted into
 * two of these, x = high + low, and high high + high low + low high is summed: good to 21 bits.
 *
 * At a few hundred rows the products of a layer are so short that launches and what stands between
 * them are most of the time. Here a block has a tile of 64 x 64 of one product; the way back has
 * blocks for dX = dZ W^T and blocks for W -= rate X^T dZ in one launch, each of which makes dZ = dOut
 * act'(Out) as it reads it. W is changed when all blocks of the first kind are done with it: those
 * have the lower numbers and wait for nobody, so they come to an end. */
#include "gpu/cuda.h"

enum { TILE = 64, DEPTH = 32, THREADS = 128, ALONG = DEPTH + 4, ACROSS = TILE + 8 };
enum { PASSES = TILE * DEPTH / 4 / THREADS }; /* of four floats each, that bring in a tile */

RG_DEVICE float activate(int act, float x)
{
    return act == RG_CU_RELU      ? (0 > x ? 0 : x)
           : act == RG_CU_SIGMOID ? 1 / (1 + expf(-x))
           : act == RG_CU_TANH    ? tanhf(x)
                                  : x;
}

RG_DEVICE float slope(int act, float y)
{
    return act == RG_CU_RELU      ? (y > 0 ? 1.0f : 0.0f)
           : act == RG_CU_SIGMOID ? y * (1 - y)
           : act == RG_CU_TANH    ? 1 - y * y
                                  : 1.0f;
}

/* ---- 16 x 8 of a product, 8 deep, by a warp ---- */

#ifdef RG_EMULATED
RG_DEVICE float rounded(float x)
{
    int bits = __float_as_int(x);
    return x != x ? x : __int_as_float((bits + 0x1000) & ~0x1fff);
}

/* Lane 4 g + t has of A rows g and g + 8, of B column g, at t and t + 4; of C columns 2 t, 2 t + 1. */
RG_DEVICE void multiply(float c[4], const float a[4], const float b[2])
{
    static thread_local float all[1024][6];
    int me = (int)threadIdx.x, first = me / 32 * 32, g = me % 32 / 4, t = me % 4;
    for (int i = 0; i < 6; i++)
        all[me][i] = i < 4 ? a[i] : b[i - 4];
    __syncwarp();
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++) {
            const float *from_a = all[first + g * 4 + k % 4];
            const float *from_b = all[first + (2 * t + i % 2) * 4 + k % 4];
            c[i] += from_a[i / 2 + (k < 4 ? 0 : 2)] * from_b[4 + (k < 4 ? 0 : 1)];
        }
    __syncwarp();
}
#else
RG_DEVICE float rounded(float x)
{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

RG_DEVICE void multiply(float c[4], const float a[4], const float b[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
#endif

/* ---- tiles ---- */

/* A matrix whose rows are `step` apart; `rows` x `columns` of it are there. With `out` its elements
 * are taken times act'(out). */
typedef struct source {
    const float *data, *out;
    int64_t rows, columns;
    int act;
} source;

typedef struct four {
    float x[4];
} four;

/* Four neighbours from (row, column) on; a multiple of four of each row is there. */
RG_DEVICE four load(const source *s, int64_t row, int64_t column)
{
    four f = {{0, 0, 0, 0}};
    if (row >= s->rows || column >= s->columns)
        return f;
    float4 v = *(const float4 *)(s->data + row * s->columns + column);
    f.x[0] = v.x, f.x[1] = v.y, f.x[2] = v.z, f.x[3] = v.w;
    if (s->out == NULL)
        return f;
    float4 y = *(const float4 *)(s->out + row * s->columns + column);
    f.x[0] *= slope(s->act, y.x), f.x[1] *= slope(s->act, y.y);
    f.x[2] *= slope(s->act, y.z), f.x[3] *= slope(s->act, y.w);
    return f;
}

/* A tile of 64 by 32 of the sum. `along`: the matrix's rows go along the sum; else across it. */
RG_DEVICE void fetch(four to[PASSES], const source *s, bool along, int64_t at, int64_t depth)
{
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        int e = (int)threadIdx.x + p * THREADS;
        to[p] = along ? load(s, at + e / (DEPTH / 4), depth + e % (DEPTH / 4) * 4)
                      : load(s, depth + e / (TILE / 4), at + e % (TILE / 4) * 4);
    }
}

RG_DEVICE void put(float *shared, const four from[PASSES], bool along)
{
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        int e = (int)threadIdx.x + p * THREADS;
        float *to = along ? shared + e / (DEPTH / 4) * ALONG + e % (DEPTH / 4) * 4
                          : shared + e / (TILE / 4) * ACROSS + e % (TILE / 4) * 4;
        for (int i = 0; i < 4; i++)
            to[i] = from[p].x[i];
    }
}

RG_DEVICE float tile_at(const float *shared, bool along, int i, int k)
{
    return along ? shared[i * ALONG + k] : shared[k * ACROSS + i];
}

/* Sums of a warp: 32 x 32 of the tile. */
typedef struct sums {
    float c[2][4][4];
} sums;

/* What n factors are in TF32, and what they are beyond it. */
template <bool EXACT, int N> RG_DEVICE void part(float x[N], float low[N])
{
#pragma unroll
    for (int q = 0; q < N; q++) {
        float high = rounded(x[q]);
        if (EXACT) /* of what is infinite nothing is left */
            low[q] = high - high == 0 ? rounded(x[q] - high) : 0;
        x[q] = high;
    }
}

template <bool A_ALONG, bool B_ALONG, bool EXACT>
RG_DEVICE void add_tile(sums *s, const float *a, const float *b)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, g = lane / 4, t = lane % 4;
    int row = warp / 2 * 32, column = warp % 2 * 32;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 8) {
        float fa[2][4], fb[4][2], low_a[2][4], low_b[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int q = 0; q < 4; q++)
                fa[i][q] = tile_at(a, A_ALONG, row + i * 16 + g + q % 2 * 8, k + t + q / 2 * 4);
            part<EXACT, 4>(fa[i], low_a[i]);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int q = 0; q < 2; q++)
                fb[j][q] = tile_at(b, B_ALONG, column + j * 8 + g, k + t + q * 4);
            part<EXACT, 2>(fb[j], low_b[j]);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (EXACT) { /* the small ones first */
                    multiply(s->c[i][j], low_a[i], fb[j]);
                    multiply(s->c[i][j], fa[i], low_b[j]);
                }
                multiply(s->c[i][j], fa[i], fb[j]);
            }
    }
}

/* The tile at (row, column) of A B, `depth` deep; what comes of B is added up by columns into
 * `column_sums` where it is there: four columns of the thread's, over the rows that it brought in. */
template <bool A_ALONG, bool B_ALONG, bool EXACT>
RG_DEVICE void product(sums *s, const source *a, const source *b, int64_t row, int64_t column,
                       int64_t depth, four *column_sums)
{
    RG_SHARED float shared_a[TILE * ALONG];
    RG_SHARED float shared_b[TILE * ALONG];
    four next_a[PASSES], next_b[PASSES];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int q = 0; q < 4; q++)
                s->c[i][j][q] = 0;
    fetch(next_a, a, A_ALONG, row, 0);
    fetch(next_b, b, B_ALONG, column, 0);
    for (int64_t k = 0; k < depth; k += DEPTH) {
        __syncthreads();
        put(shared_a, next_a, A_ALONG);
        put(shared_b, next_b, B_ALONG);
        for (int p = 0; column_sums != NULL && p < PASSES; p++)
            for (int i = 0; i < 4; i++)
                column_sums->x[i] += next_b[p].x[i];
        __syncthreads();
        if (k + DEPTH < depth) {
            fetch(next_a, a, A_ALONG, row, k + DEPTH);
            fetch(next_b, b, B_ALONG, column, k + DEPTH);
        }
        add_tile<A_ALONG, B_ALONG, EXACT>(s, shared_a, shared_b);
    }
}

/* Where sum q of (i, j) is in the tile. */
RG_DEVICE int64_t sum_row(int i, int q)
{
    return (int64_t)(threadIdx.x / 64 * 32 + i * 16 + threadIdx.x % 32 / 4 + q / 2 * 8);
}
RG_DEVICE int64_t sum_column(int j, int q)
{
    return (int64_t)(threadIdx.x / 32 % 2 * 32 + j * 8 + threadIdx.x % 4 * 2 + q % 2);
}

#define EACH_SUM(i, j, q)                  \
    _Pragma("unroll") for (int i = 0; i < 2; i++) _Pragma("unroll") for (int j = 0; j < 4; j++) \
        _Pragma("unroll") for (int q = 0; q < 4; q++)

/* ---- forward ---- */

template <bool EXACT>
RG_KERNEL small_fc(int act, int64_t m, int64_t n, int64_t k, const float *x, const float *w,
                   const float *bias, float *out)
{
    source a = {x, NULL, m, k, 0}, b = {w, NULL, k, n, 0};
    int64_t row = (int64_t)blockIdx.y * TILE, column = (int64_t)blockIdx.x * TILE;
    sums s;
    product<true, false, EXACT>(&s, &a, &b, row, column, k, NULL);
    EACH_SUM(i, j, q) {
        int64_t r = row + sum_row(i, q), c = column + sum_column(j, q);
        if (r < m && c < n)
            out[r * n + c] = activate(act, s.c[i][j][q] + (bias ? bias[c] : 0));
    }
}

extern "C" void rg_cu_small_fc(enum rg_cu_act act, bool tf32, int64_t m, int64_t n, int64_t k,
                               const float *x, const float *w, const float *bias, float *out,
                               cudaStream_t stream)
{
    dim3 blocks((unsigned)((n + TILE - 1) / TILE), (unsigned)((m + TILE - 1) / TILE));
    if (m * n == 0)
        return;
    if (tf32)
        RG_LAUNCH_SYNC(small_fc<false>, blocks, THREADS, stream, act, m, n, k, x, w, bias, out);
    else
        RG_LAUNCH_SYNC(small_fc<true>, blocks, THREADS, stream, act, m, n, k, x, w, bias, out);
}

/* ---- the way back ---- */

template <bool EXACT> RG_DEVICE void back_x(const rg_cu_small *b, int64_t tile)
{
    source dz = {b->dout, b->act == RG_CU_NONE ? NULL : b->out, b->m, b->n, b->act};
    source w = {b->w, NULL, b->k, b->n, 0};
    int64_t across = (b->k + TILE - 1) / TILE;
    int64_t row = tile / across * TILE, column = tile % across * TILE;
    sums s;
    product<true, true, EXACT>(&s, &dz, &w, row, column, b->n, NULL);
    EACH_SUM(i, j, q) {
        int64_t r = row + sum_row(i, q), c = column + sum_column(j, q);
        if (r < b->m && c < b->k)
            b->dx[r * b->k + c] = s.c[i][j][q];
    }
}

/* The sums of 64 columns, of what the threads have of them. */
RG_DEVICE void back_bias(const rg_cu_small *b, int64_t column, const four *mine)
{
    RG_SHARED float room[THREADS][4];
    for (int i = 0; i < 4; i++)
        room[threadIdx.x][i] = mine->x[i];
    __syncthreads();
    int64_t c = column + threadIdx.x;
    if (threadIdx.x >= TILE || c >= b->n)
        return;
    float sum = 0;
    for (int p = 0; p < THREADS / (TILE / 4); p++)
        sum += room[p * (TILE / 4) + threadIdx.x / 4][threadIdx.x % 4];
    if (b->dbias != NULL)
        b->dbias[c] = sum;
    if (b->bias_out != NULL)
        b->bias_out[c] -= *b->rate * sum;
}

template <bool EXACT>
RG_DEVICE void back_w(const rg_cu_small *b, int64_t tile, unsigned readers, unsigned *counters)
{
    source x = {b->x, NULL, b->m, b->k, 0};
    source dz = {b->dout, b->act == RG_CU_NONE ? NULL : b->out, b->m, b->n, b->act};
    int64_t across = (b->n + TILE - 1) / TILE;
    int64_t row = tile / across * TILE, column = tile % across * TILE;
    four columns = {{0, 0, 0, 0}};
    sums s;
    product<false, false, EXACT>(&s, &x, &dz, row, column, b->m, row == 0 ? &columns : NULL);
    if (row == 0)
        back_bias(b, column, &columns);
    if (threadIdx.x == 0)
        while (atomicAdd(&counters[0], 0u) < readers) /* of W, which is changed now */
            continue;
    __syncthreads();
    EACH_SUM(i, j, q) {
        int64_t r = row + sum_row(i, q), c = column + sum_column(j, q);
        if (r >= b->k || c >= b->n)
            continue;
        if (b->dw != NULL)
            b->dw[r * b->n + c] = s.c[i][j][q];
        if (b->w_out != NULL)
            b->w_out[r * b->n + c] -= *b->rate * s.c[i][j][q];
    }
}

template <bool EXACT>
RG_KERNEL small_back(rg_cu_small b, unsigned readers, unsigned *counters)
{
    if (blockIdx.x < readers) {
        back_x<EXACT>(&b, blockIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&counters[0], 1u);
        }
    } else {
        back_w<EXACT>(&b, blockIdx.x - readers, readers, counters);
    }
    if (rg_last_block(&counters[1], gridDim.x) && threadIdx.x == 0)
        counters[0] = 0;
}

extern "C" void rg_cu_small_back(const rg_cu_small *b, unsigned *counters, cudaStream_t stream)
{
    int64_t of_k = (b->k + TILE - 1) / TILE, of_n = (b->n + TILE - 1) / TILE;
    unsigned readers = b->dx ? (unsigned)((b->m + TILE - 1) / TILE * of_k) : 0;
    unsigned blocks = readers + (unsigned)(of_k * of_n);
    if (b->tf32)
        RG_LAUNCH_SYNC(small_back<false>, blocks, THREADS, stream, *b, readers, counters);
    else
        RG_LAUNCH_SYNC(small_back<true>, blocks, THREADS, stream, *b, readers, counters);
}
