/* tile.h - a tile of a product of float32 matrices, by a block, on the tensor cores.
 *
 * These take factors of 11 bits (TF32), and drop the others. Where float32 is wanted each factor is
 * parted into two, x = high + low, and low high + high low + high high is summed: good to 21 bits.
 *
 * Tiles of both factors, DEPTH of the sum deep, come into shared memory some steps ahead of their
 * use. A factor lies either along the sum (its rows have neighbours of the sum side by side) or
 * across it; which of its rows or columns is which of the tensor core's is ours to choose, so that
 * neighbours come in pairs and results leave in fours. */
#ifndef RG_GPU_TILE_H
#define RG_GPU_TILE_H

#include "gpu/cuda.h"

enum { RG_DEPTH = 32, RG_GAP = 8 }; /* GAP: between rows across the sum, so that banks differ */

/* Blocks of M x N by WM x WN warps, SLICES of these beside each other in the sum; STAGES tiles are
 * on their way or in use. BLOCKS run on a multiprocessor at a time. */
template <int M_, int N_, int WM_, int WN_, int SLICES_, int STAGES_, int BLOCKS_, bool EXACT_>
struct rg_tiling {
    enum {
        M = M_,
        N = N_,
        WM = WM_,
        WN = WN_,
        SLICES = SLICES_,
        STAGES = STAGES_,
        BLOCKS = BLOCKS_,
        WARPS = WM_ * WN_,
        THREADS = 32 * WM_ * WN_ * SLICES_,
        MT = M_ / WM_ / 16, /* of 16 x 8 that a warp has */
        NT = N_ / WN_ / 8,
        A_SIZE = (M_ + RG_GAP) * RG_DEPTH,
        B_SIZE = (N_ + RG_GAP) * RG_DEPTH,
        STAGE = A_SIZE + B_SIZE,
        SHARED = STAGE * STAGES_ * 4, /* bytes */
        EXACT = EXACT_
    };
    static_assert(M_ % (16 * WM_) == 0 && N_ % (8 * WN_) == 0, "warps have whole parts");
    static_assert(M_ * N_ * (SLICES_ - 1) <= STAGE * STAGES_, "sums of slices have room");
};

/* C = A B, [m, n], summed over k. A along the sum is [m, k], across it [k, m]; B along it [n, k],
 * across it [k, n]. Rows of both are multiples of four floats. */
typedef struct rg_factors {
    const float *a, *b;
    int m, n, k;
} rg_factors;

template <class T> struct rg_sums {
    float c[T::MT][T::NT][4];
    float column[T::NT]; /* sums of B over k, by lane */
};

/* ---- what the GPU does by single instructions ---- */

#ifdef RG_EMULATED
RG_DEVICE void rg_copy16(float *to, const float *from, bool there)
{
    emu_copy16(to, from, there);
}
RG_DEVICE void rg_copies_end(void)
{
    emu_copies_end();
}
template <int LEFT> RG_DEVICE void rg_copies_wait(void)
{
    emu_copies_wait(LEFT);
}

RG_DEVICE float rg_tf32(float x)
{
    return __int_as_float(__float_as_int(x) & ~0x1fff);
}

/* Lane 4 g + t has of A rows g and g + 8, of B column g, at t and t + 4; of C columns 2 t and
 * 2 t + 1. */
RG_DEVICE void rg_mma(float c[4], const float a[4], const float b[2])
{
    static thread_local float all[1024][6];
    int me = (int)threadIdx.x, first = me / 32 * 32, g = me % 32 / 4, t = me % 4;
    for (int i = 0; i < 6; i++)
        all[me][i] = rg_tf32(i < 4 ? a[i] : b[i - 4]);
    __syncwarp();
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++)
            c[i] += all[first + g * 4 + k % 4][i / 2 + (k < 4 ? 0 : 2)] *
                    all[first + (2 * t + i % 2) * 4 + k % 4][4 + (k < 4 ? 0 : 1)];
    __syncwarp();
}

RG_DEVICE unsigned rg_seen(unsigned *counter)
{
    return *counter;
}
#else
RG_DEVICE void rg_copy16(float *to, const float *from, bool there)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    int bytes = there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes));
}
RG_DEVICE void rg_copies_end(void)
{
    asm volatile("cp.async.commit_group;");
}
template <int LEFT> RG_DEVICE void rg_copies_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

RG_DEVICE float rg_tf32(float x)
{
    return __int_as_float(__float_as_int(x) & ~0x1fff);
}

RG_DEVICE void rg_mma(float c[4], const float a[4], const float b[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/* Four 8 x 4 parts of shared memory, whose rows the lanes give in turn. */
RG_DEVICE void rg_load_parts(float r[4], const float *row)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(row), x[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(at));
#pragma unroll
    for (int i = 0; i < 4; i++)
        r[i] = __uint_as_float(x[i]);
}

RG_DEVICE unsigned rg_seen(unsigned *counter)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}
#endif

/* ---- from memory to shared memory ---- */

/* Where a chunk of four of a row along the sum lies: rows that are read together (SHIFT: pairs of
 * them apart) have it in other banks. */
template <int SHIFT> RG_DEVICE int rg_along(int row, int chunk)
{
    return row * RG_DEPTH + (chunk ^ (row >> SHIFT & 7)) * 4;
}

template <int SIZE> RG_DEVICE int rg_across(int k, int column)
{
    return k * (SIZE + RG_GAP) + column;
}

/* A tile of SIZE rows (or columns) from `first` on, and of the sum from k on; zeros beyond the
 * matrix and beyond `k_end`. */
template <int SIZE, int THREADS, bool ALONG, int SHIFT>
RG_DEVICE void rg_bring(float *to, const float *from, int first, int size, int k, int k_end,
                        int depth)
{
    enum { CHUNKS = SIZE * RG_DEPTH / 4, PASSES = (CHUNKS + THREADS - 1) / THREADS };
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        int e = (int)threadIdx.x + p * THREADS;
        if (CHUNKS % THREADS != 0 && e >= CHUNKS)
            break;
        if (ALONG) {
            int row = e / (RG_DEPTH / 4), chunk = e % (RG_DEPTH / 4);
            bool there = first + row < size && k + chunk * 4 < k_end;
            const float *at = from + (int64_t)(first + row) * depth + k + chunk * 4;
            rg_copy16(to + rg_along<SHIFT>(row, chunk), there ? at : from, there);
        } else {
            int row = e / (SIZE / 4), column = e % (SIZE / 4) * 4;
            bool there = k + row < k_end && first + column < size;
            const float *at = from + (int64_t)(k + row) * size + first + column;
            rg_copy16(to + rg_across<SIZE>(row, column), there ? at : from, there);
        }
    }
}

/* ---- from shared memory to the tensor cores ---- */

/* 16 rows of A: `at` is the first, kk the eighth of the depth. Along the sum lane g has rows g and
 * g + 8, across it rows 2 g and 2 g + 1. */
template <int SIZE, bool ALONG>
RG_DEVICE void rg_take_a(float a[4], const float *tile, int at, int kk)
{
    int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (!ALONG) {
        float2 low = *(const float2 *)(tile + rg_across<SIZE>(kk * 8 + t, at + 2 * g));
        float2 high = *(const float2 *)(tile + rg_across<SIZE>(kk * 8 + t + 4, at + 2 * g));
        a[0] = low.x, a[1] = low.y, a[2] = high.x, a[3] = high.y;
        return;
    }
#ifdef RG_EMULATED
    for (int i = 0; i < 4; i++)
        a[i] = tile[rg_along<0>(at + g + i % 2 * 8, kk * 2 + i / 2) + t];
#else
    rg_load_parts(a, tile + rg_along<0>(at + lane % 16, kk * 2 + lane / 16));
#endif
}

/* 16 columns of B, for two of the tensor core's: lane g has 2 g for the first, 2 g + 1 for the
 * second. */
template <int SIZE, bool ALONG>
RG_DEVICE void rg_take_b(float first[2], float second[2], const float *tile, int at, int kk)
{
    int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    if (!ALONG) {
        float2 low = *(const float2 *)(tile + rg_across<SIZE>(kk * 8 + t, at + 2 * g));
        float2 high = *(const float2 *)(tile + rg_across<SIZE>(kk * 8 + t + 4, at + 2 * g));
        first[0] = low.x, second[0] = low.y, first[1] = high.x, second[1] = high.y;
        return;
    }
#ifdef RG_EMULATED
    for (int i = 0; i < 2; i++) {
        first[i] = tile[rg_along<1>(at + 2 * g, kk * 2 + i) + t];
        second[i] = tile[rg_along<1>(at + 2 * g + 1, kk * 2 + i) + t];
    }
#else
    float r[4];
    rg_load_parts(r, tile + rg_along<1>(at + lane % 8 * 2 + lane / 16, kk * 2 + lane / 8 % 2));
    first[0] = r[0], first[1] = r[1], second[0] = r[2], second[1] = r[3];
#endif
}

/* 8 columns of B, where their number is odd: lane g has g. */
template <int SIZE, bool ALONG>
RG_DEVICE void rg_take_last_b(float b[2], const float *tile, int at, int kk)
{
    int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    for (int i = 0; i < 2; i++)
        b[i] = ALONG ? tile[rg_along<1>(at + g, kk * 2 + i) + t]
                     : tile[rg_across<SIZE>(kk * 8 + t + 4 * i, at + g)];
}

/* What is left of a factor beyond TF32. */
RG_DEVICE float rg_rest(float x)
{
    return x - rg_tf32(x);
}

/* ---- the tile ---- */

/* What a warp needs of both for an eighth of the depth. */
template <class T> struct rg_taken {
    float a[T::MT][4], b[T::NT][2];
};

template <class T, bool A_ALONG, bool B_ALONG>
RG_DEVICE void rg_take(rg_taken<T> *f, const float *stage, int kk, int row, int column)
{
#pragma unroll
    for (int i = 0; i < T::MT; i++)
        rg_take_a<T::M, A_ALONG>(f->a[i], stage, row + i * 16, kk);
#pragma unroll
    for (int j = 0; j + 1 < T::NT; j += 2)
        rg_take_b<T::N, B_ALONG>(f->b[j], f->b[j + 1], stage + T::A_SIZE, column + j * 8, kk);
    if (T::NT % 2 != 0)
        rg_take_last_b<T::N, B_ALONG>(f->b[T::NT - 1], stage + T::A_SIZE, column + (T::NT - 1) * 8,
                                      kk);
}

template <class T>
RG_DEVICE void rg_add_products(float c[T::MT][T::NT][4], float *columns, const rg_taken<T> *f,
                               bool sums)
{
    if (sums) {
#pragma unroll
        for (int j = 0; j < T::NT; j++)
            columns[j] += f->b[j][0] + f->b[j][1];
    }
    if (T::EXACT) {
        float rest[T::EXACT ? T::NT : 1][2];
#pragma unroll
        for (int j = 0; j < T::NT; j++)
            for (int i = 0; i < 2; i++)
                rest[T::EXACT ? j : 0][i] = rg_rest(f->b[j][i]);
#pragma unroll
        for (int i = 0; i < T::MT; i++) {
            float a[4];
#pragma unroll
            for (int q = 0; q < 4; q++)
                a[q] = rg_rest(f->a[i][q]);
#pragma unroll
            for (int j = 0; j < T::NT; j++)
                rg_mma(c[i][j], a, f->b[j]);
#pragma unroll
            for (int j = 0; j < T::NT; j++)
                rg_mma(c[i][j], f->a[i], rest[T::EXACT ? j : 0]);
        }
    }
#pragma unroll
    for (int i = 0; i < T::MT; i++)
#pragma unroll
        for (int j = 0; j < T::NT; j++)
            rg_mma(c[i][j], f->a[i], f->b[j]);
}

template <class T> RG_DEVICE void rg_clear(float c[T::MT][T::NT][4])
{
#pragma unroll
    for (int i = 0; i < T::MT; i++)
#pragma unroll
        for (int j = 0; j < T::NT; j++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                c[i][j][q] = 0;
}

/* Sums of the slices, in the first of them. */
template <class T> RG_DEVICE void rg_join_slices(rg_sums<T> *s, float *shared)
{
    enum { EACH = T::MT * T::NT * 4 };
    int thread = (int)threadIdx.x % (T::WARPS * 32), slice = (int)threadIdx.x / (T::WARPS * 32);
    float *c = &s->c[0][0][0];
    if (T::SLICES == 1)
        return;
    __syncthreads();
    if (slice > 0) {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            shared[((slice - 1) * EACH + i) * T::WARPS * 32 + thread] = c[i];
    }
    __syncthreads();
    if (slice == 0)
        for (int other = 0; other < T::SLICES - 1; other++) {
#pragma unroll
            for (int i = 0; i < EACH; i++)
                c[i] += shared[(other * EACH + i) * T::WARPS * 32 + thread];
        }
    __syncthreads();
    if (slice > 0)
        for (int j = 0; j < T::NT; j++)
            shared[((slice - 1) * T::NT + j) * T::WARPS * 32 + thread] = s->column[j];
    __syncthreads();
    if (slice == 0)
        for (int other = 0; other < T::SLICES - 1; other++)
            for (int j = 0; j < T::NT; j++)
                s->column[j] += shared[(other * T::NT + j) * T::WARPS * 32 + thread];
}

/* Both factors' tiles number `at` on their way to their place. */
template <class T, bool A_ALONG, bool B_ALONG>
RG_DEVICE void rg_bring_both(float *shared, const rg_factors &f, int row, int column, int k,
                             int k_end, int at)
{
    float *to = shared + at % T::STAGES * T::STAGE;
    if (k + at * RG_DEPTH < k_end) {
        rg_bring<T::M, T::THREADS, A_ALONG, 0>(to, f.a, row, f.m, k + at * RG_DEPTH, k_end, f.k);
        rg_bring<T::N, T::THREADS, B_ALONG, 1>(to + T::A_SIZE, f.b, column, f.n, k + at * RG_DEPTH,
                                               k_end, f.k);
    }
    rg_copies_end();
}

/* The tile at (row, column) of C, summed from k to k_end (k is a multiple of four); in the first
 * slice. All that was read of the factors is there when it returns.
 *
 * The tensor cores cut what they add to a sum where it ends: in long sums that shows before the 21
 * bits do. So float32 is summed by them over DEPTH alone, and rounded from there on. */
template <class T, bool A_ALONG, bool B_ALONG>
RG_DEVICE void rg_multiply_tile(rg_sums<T> *s, const rg_factors f, int row, int column, int k,
                                int k_end, bool sums, float *shared)
{
    enum { EACH = RG_DEPTH / 8 / T::SLICES };
    int warp = (int)threadIdx.x / 32 % T::WARPS, slice = (int)threadIdx.x / 32 / T::WARPS;
    int my_row = warp / T::WN * (T::M / T::WM), my_column = warp % T::WN * (T::N / T::WN);
    int steps = (k_end - k + RG_DEPTH - 1) / RG_DEPTH;
    float part[T::EXACT ? T::MT : 1][T::EXACT ? T::NT : 1][4];
    rg_taken<T> taken[2];
    sums = sums && warp / T::WN == 0;
    rg_clear<T>(s->c);
#pragma unroll
    for (int j = 0; j < T::NT; j++)
        s->column[j] = 0;
    for (int at = 0; at < T::STAGES - 1; at++)
        rg_bring_both<T, A_ALONG, B_ALONG>(shared, f, row, column, k, k_end, at);
    rg_copies_wait<T::STAGES - 2>();
    __syncthreads();
    if (steps > 0)
        rg_take<T, A_ALONG, B_ALONG>(&taken[0], shared, slice, my_row, my_column);
    for (int at = 0; at < steps; at++) {
        const float *stage = shared + at % T::STAGES * T::STAGE;
        rg_bring_both<T, A_ALONG, B_ALONG>(shared, f, row, column, k, k_end, at + T::STAGES - 1);
        if (T::EXACT)
            rg_clear<T>((float(*)[T::NT][4])part);
#pragma unroll
        for (int kk = 0; kk < EACH; kk++) {
            if (kk == EACH - 1) { /* the next tile is there, and this one is taken */
                rg_copies_wait<T::STAGES - 2>();
                __syncthreads();
                stage = shared + (at + 1) % T::STAGES * T::STAGE;
            }
            rg_take<T, A_ALONG, B_ALONG>(&taken[(kk + 1) % 2], stage,
                                         (kk + 1) % EACH * T::SLICES + slice, my_row, my_column);
            rg_add_products<T>(T::EXACT ? (float(*)[T::NT][4])part : s->c, s->column,
                               &taken[kk % 2], sums);
        }
        if (EACH % 2 != 0) {
            rg_taken<T> swap = taken[0];
            taken[0] = taken[1];
            taken[1] = swap;
        }
        if (T::EXACT) {
#pragma unroll
            for (int i = 0; i < T::MT; i++)
#pragma unroll
                for (int j = 0; j < T::NT; j++)
#pragma unroll
                    for (int q = 0; q < 4; q++)
                        s->c[i][j][q] += part[T::EXACT ? i : 0][T::EXACT ? j : 0][q];
        }
    }
    rg_join_slices<T>(s, shared);
}

/* For each of the tile's elements that this thread has, where `rows` x `columns` of C are there:
 * get(row, column, given, n) reads what is wanted of elsewhere, for all of them first, so that
 * these loads are on their way together, and then put(row, column, sums, given, n) writes; n is 4
 * or 2. */
template <class T, bool A_ALONG, class G, class P>
RG_DEVICE void rg_each_result(const rg_sums<T> *s, int row, int column, int rows, int columns,
                              G get, P put)
{
    enum { FOURS = T::NT / 2, EACH = (T::NT + 1) / 2 };
    int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    float given[T::MT * 2][EACH][4];
    if (warp >= T::WARPS) /* of another slice */
        return;
    row += warp / T::WN * (T::M / T::WM) + (A_ALONG ? g : 2 * g);
    column += warp % T::WN * (T::N / T::WN);
#pragma unroll
    for (int i = 0; i < T::MT * 2; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int r = row + i / 2 * 16 + i % 2 * (A_ALONG ? 8 : 1);
            int c = column + j * 16 + (j < FOURS ? 4 : 2) * t;
            if (r < rows && c < columns)
                get(r, c, given[i][j], j < FOURS ? 4 : 2);
        }
#pragma unroll
    for (int i = 0; i < T::MT * 2; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int r = row + i / 2 * 16 + i % 2 * (A_ALONG ? 8 : 1), h = i % 2 * 2;
            int c = column + j * 16 + (j < FOURS ? 4 : 2) * t;
            const float *one = s->c[i / 2][2 * j] + h;
            const float *two = s->c[i / 2][j < FOURS ? 2 * j + 1 : 2 * j] + h;
            float v[4] = {one[0], j < FOURS ? two[0] : one[1], one[1], two[1]};
            if (r < rows && c < columns)
                put(r, c, v, given[i][j], j < FOURS ? 4 : 2);
        }
}

#endif
