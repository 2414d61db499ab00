/* wide.cu - products of many rows by Hopper's warpgroups, which multiply 64 rows at once and read
 * both factors from shared memory by themselves; TF32 alone. Both factors lie along the sum.
 *
 * A warp brings tiles of both, 32 of the sum deep, some steps ahead of their use; two warpgroups
 * multiply them, 64 rows each. Where relu's slope is wanted other warps look at the activations
 * meanwhile, and leave a bit of each. A block goes on to its next tile of the product by itself:
 * what that needs is on its way while the results before are written. What blocks read from the L2
 * cache limits all this as soon as the tensor cores do, so tiles are as wide as accumulators have
 * room.
 *
 * Machine code of sm_90a: other GPUs do not take it. */
#include "gpu/group.h"

#ifndef RG_EMULATED
#include <cuda.h>

enum { GROUPS = 2, ROWS = 64 * GROUPS, DEPTH = 32, ROW_BYTES = DEPTH * 4, MOST_STAGES = 8 };
enum { ROOM = 227 << 10, HEAD = 1024 }; /* of shared memory; before the tiles: barriers */
enum { BRINGER = GROUPS * 128, LOOKERS = BRINGER + 32, THREADS = BRINGER + 128 }; /* threads */
enum { LOOKING = (THREADS - LOOKERS) / 32, AT_ONCE = 13 };

typedef struct barriers {
    uint64_t full[MOST_STAGES], empty[MOST_STAGES];
    uint64_t seen[2], taken[2]; /* bits of activations */
} barriers;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* A part of a matrix, from column x and row y on; zeros beyond it. */
RG_DEVICE void bring(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_at(to)),
                 "l"(map), "r"(shared_at(b)), "r"(x), "r"(y)
                 : "memory");
}

/* ---- products ---- */

/* d (+)= 64 x 8 times 8 x N; of each 8 columns lane 4 g + t of warp w has 2 t and 2 t + 1, of rows
 * 16 w + g and 16 w + g + 8. */
template <int N> struct group_of;
#define OUT4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
template <> struct group_of<72> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %38, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n72k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35}, "
                     "%36, %37, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<104> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %54, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n104k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51}, "
                     "%52, %53, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<144> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %74, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n144k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                     "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                     "%70, %71}, "
                     "%72, %73, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48), OUT4(52), OUT4(56),
                       OUT4(60), OUT4(64), OUT4(68)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<208> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %106, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n208k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                     "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                     "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
                     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
                     "%98, %99, %100, %101, %102, %103}, "
                     "%104, %105, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48), OUT4(52), OUT4(56),
                       OUT4(60), OUT4(64), OUT4(68), OUT4(72), OUT4(76), OUT4(80), OUT4(84),
                       OUT4(88), OUT4(92), OUT4(96), OUT4(100)
                     : "l"(a), "l"(b), "r"(add));
    }
};
#undef OUT4

template <int N>
RG_DEVICE void multiply_chunk(float *d, const uint8_t *a, const uint8_t *b, int chunk)
{
    uint64_t da = descriptor(a), db = descriptor(b);
    begin();
#pragma unroll
    for (int kk = 0; kk < DEPTH / 8; kk++) /* beyond the sum's end both have zeros */
        group_of<N>::multiply(d, da + kk * 2, db + kk * 2, chunk + kk);
    end();
}

/* ---- results ---- */

/* NaN stays NaN. */
RG_DEVICE float relu(float x)
{
    return x > 0 ? x : x != x ? x : 0;
}

template <int N> RG_DEVICE void get_bias(const rg_cu_wide &w, int column, float2 *bias)
{
    float2 none = {0, 0};
#pragma unroll
    for (int j = 0; j < N / 8; j++)
        bias[j] = w.bias != NULL && column + j * 8 < w.n
                      ? __ldg((const float2 *)(w.bias + column + j * 8))
                      : none;
}

/* bits: of this thread's first row, four activations to a byte. */
template <int N, bool SLOPE>
RG_DEVICE void put_results(const rg_cu_wide &w, int row, int column, const float *d,
                           const float2 *bias, const uint8_t *bits)
{
    int t = (int)threadIdx.x % 4;
#pragma unroll
    for (int j = 0; j < N / 8; j++) {
        int c = column + j * 8;
        if (c >= w.n)
            break;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float2 v = {d[j * 4 + h * 2], d[j * 4 + h * 2 + 1]};
            if (SLOPE) { /* what is no number stays so */
                int two = bits[h * 8 * (N / 4) + j * 2 + t / 2] >> (t % 2 * 2);
                v.x *= two & 1 ? 1.0f : 0.0f;
                v.y *= two & 2 ? 1.0f : 0.0f;
            } else {
                v.x += bias[j].x, v.y += bias[j].y;
                if (w.relu)
                    v.x = relu(v.x), v.y = relu(v.y);
            }
            if (row + h * 8 < w.m)
                *(float2 *)(w.c + (int64_t)(row + h * 8) * w.n + c) = v;
        }
    }
}

/* ---- the kinds of warps ---- */

template <int N> struct tile_of {
    enum { A = ROWS * ROW_BYTES, STAGE = (ROWS + N) * ROW_BYTES, BITS = ROWS * (N / 4) };
    enum { FIT = (ROOM - 2 * HEAD - 2 * BITS) / STAGE };
    enum { STAGES = FIT < MOST_STAGES ? FIT : MOST_STAGES };
};

/* Bits of the activations of this block's tiles, for two tiles in turns. */
template <int N>
RG_DEVICE void look(const rg_cu_wide &w, barriers *bars, uint8_t *bits, int across, int all)
{
    enum { FOURS = ROWS * (N / 4), STEP = LOOKING * 32 };
    int me = (int)threadIdx.x - LOOKERS, turn = 0;
    for (int tile = (int)blockIdx.x; tile < all; tile += (int)gridDim.x, turn++) {
        int row = tile / across * ROWS, column = tile % across * N;
        uint8_t *to = bits + turn % 2 * FOURS;
        wait_for(&bars->taken[turn % 2], (turn / 2 & 1) ^ 1);
        for (int from = me; from < FOURS; from += STEP * AT_ONCE) {
            float4 x[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                int e = from + i * STEP, r = row + e / (N / 4), c = column + e % (N / 4) * 4;
                x[i].x = x[i].y = x[i].z = x[i].w = 0;
                if (e < FOURS && r < w.m && c < w.n)
                    x[i] = __ldg((const float4 *)(w.x + (int64_t)r * w.n + c));
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                if (from + i * STEP < FOURS)
                    to[from + i * STEP] = (uint8_t)((x[i].x > 0 ? 1 : 0) | (x[i].y > 0 ? 2 : 0) |
                                                    (x[i].z > 0 ? 4 : 0) | (x[i].w > 0 ? 8 : 0));
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&bars->seen[turn % 2]);
    }
}

template <int N, bool SLOPE>
RG_DEVICE void multiply_tiles(const rg_cu_wide &w, barriers *bars, const uint8_t *tiles, int across,
                              int all)
{
    typedef tile_of<N> T;
    float d[N / 2];
    int lane = (int)threadIdx.x % 32, group = (int)threadIdx.x / 128,
        warp = (int)threadIdx.x / 32 % 4;
    int chunks = (w.depth + DEPTH - 1) / DEPTH, stage = 0, before = 0, turn = 0;
    const uint8_t *bits = tiles + T::STAGES * T::STAGE;
    unsigned parity = 0;
    for (int tile = (int)blockIdx.x; tile < all; tile += (int)gridDim.x, turn++) {
        int in_tile = group * 64 + warp * 16 + lane / 4, row = tile / across * ROWS + in_tile;
        int column = tile % across * N + lane % 4 * 2;
        float2 bias[SLOPE ? 1 : N / 8];
        if (!SLOPE)
            get_bias<N>(w, column, bias);
        for (int c = 0; c < chunks; c++) {
            wait_for(&bars->full[stage], parity);
            multiply_chunk<N>(d, tiles + stage * T::STAGE + group * 64 * ROW_BYTES,
                              tiles + stage * T::STAGE + T::A, c);
            if (c > 0) { /* that before is taken */
                finished<1>();
                if (lane == 0)
                    arrive(&bars->empty[before]);
            }
            before = stage;
            stage = stage + 1 == T::STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        finished<0>();
        if (lane == 0)
            arrive(&bars->empty[before]);
        if (SLOPE)
            wait_for(&bars->seen[turn % 2], turn / 2 & 1);
        put_results<N, SLOPE>(w, row, column, d, bias,
                              bits + turn % 2 * T::BITS + in_tile * (N / 4));
        __syncwarp();
        if (SLOPE && lane == 0)
            arrive(&bars->taken[turn % 2]);
    }
}

template <int N>
RG_DEVICE void bring_tiles(const rg_cu_wide &w, const CUtensorMap *a, const CUtensorMap *b,
                           barriers *bars, uint8_t *tiles, int across, int all)
{
    typedef tile_of<N> T;
    int chunks = (w.depth + DEPTH - 1) / DEPTH, stage = 0;
    unsigned parity = 1;
    for (int tile = (int)blockIdx.x; tile < all; tile += (int)gridDim.x)
        for (int c = 0; c < chunks; c++) {
            uint8_t *to = tiles + stage * T::STAGE;
            wait_for(&bars->empty[stage], parity);
            expect_bytes(&bars->full[stage], T::STAGE);
            bring(to, a, c * DEPTH, tile / across * ROWS, &bars->full[stage]);
            bring(to + T::A, b, c * DEPTH, tile % across * N, &bars->full[stage]);
            stage = stage + 1 == T::STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
}
#endif

template <int N, bool SLOPE>
RG_KERNEL RG_BOUNDS(THREADS, 1)
    wide(const __grid_constant__ rg_cu_wide w, const __grid_constant__ CUtensorMap a,
         const __grid_constant__ CUtensorMap b)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    typedef tile_of<N> T;
    RG_DYNAMIC(given);
    uint8_t *all = (uint8_t *)(((uintptr_t)given + HEAD - 1) / HEAD * HEAD);
    barriers *bars = (barriers *)all;
    int across = (w.n + N - 1) / N, tiles = (w.m + ROWS - 1) / ROWS * across;
    if (threadIdx.x == 0) {
        for (int s = 0; s < T::STAGES; s++) {
            make_barrier(&bars->full[s], 1);
            make_barrier(&bars->empty[s], GROUPS * 4);
        }
        for (int i = 0; i < 2; i++) {
            make_barrier(&bars->seen[i], LOOKING);
            make_barrier(&bars->taken[i], GROUPS * 4);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < BRINGER)
        multiply_tiles<N, SLOPE>(w, bars, all + HEAD, across, tiles);
    else if (threadIdx.x == BRINGER)
        bring_tiles<N>(w, &a, &b, bars, all + HEAD, across, tiles);
    else if (SLOPE && threadIdx.x >= LOOKERS)
        look<N>(w, bars, all + HEAD + T::STAGES * T::STAGE, across, tiles);
#else
    (void)w, (void)a, (void)b;
#endif
}

/* ---- launching ---- */

/* By the driver, whose functions are had by name. */
static bool map_matrix(CUtensorMap *map, const float *data, int64_t rows, int64_t columns,
                       int box_rows)
{
    typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                     const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static encode_tiled encode;
    if (encode == NULL) {
        void *found = NULL;
        enum cudaDriverEntryPointQueryResult how;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                             cudaEnableDefault, &how) != cudaSuccess ||
            how != cudaDriverEntryPointSuccess)
            return false;
        encode = (encode_tiled)found;
    }
    cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows},
               stride[1] = {(cuuint64_t)columns * 4};
    cuuint32_t box[2] = {DEPTH, (cuuint32_t)box_rows}, apart[2] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)data, size, stride, box, apart,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <int N, bool SLOPE> static bool run_wide(const rg_cu_wide *w, cudaStream_t stream)
{
    static bool ready;
    CUtensorMap a, b;
    if (!ready && cudaFuncSetAttribute(wide<N, SLOPE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       ROOM) != cudaSuccess)
        return false;
    ready = true;
    if (!map_matrix(&a, w->a, w->m, w->depth, ROWS) || !map_matrix(&b, w->b, w->n, w->depth, N))
        return false;
    int tiles = (w->m + ROWS - 1) / ROWS * ((w->n + N - 1) / N);
    RG_LAUNCH_SHARED((wide<N, SLOPE>), (unsigned)(tiles < 132 ? tiles : 132), THREADS, ROOM, stream,
                     *w, a, b);
    return true;
}

template <int N> static bool run_either(const rg_cu_wide *w, cudaStream_t stream)
{
    return w->x != NULL ? run_wide<N, true>(w, stream) : run_wide<N, false>(w, stream);
}
#endif

extern "C" bool rg_cu_wide_run(int parts, const rg_cu_wide *w, cudaStream_t stream)
{
#ifdef RG_EMULATED
    (void)parts, (void)w, (void)stream;
    return false;
#else
    bool aligned = ((uintptr_t)w->a | (uintptr_t)w->b | (uintptr_t)w->x | (uintptr_t)w->c) % 16 ==
                       0 &&
                   w->depth % 4 == 0 && w->n % 4 == 0;
    if (!aligned || w->n <= 0 || w->m <= 0)
        return false;
    if (w->n > 256 && w->n <= 288)
        return parts == 2 ? run_either<144>(w, stream) : run_either<72>(w, stream);
    if (w->n > 288 && w->n <= 416)
        return parts == 2 ? run_either<208>(w, stream) : run_either<104>(w, stream);
    return false;
#endif
}

/* ---- turned matrices ---- */

enum { TILE = 32, DEEP = 8 };

/* to[j, i] = from[i, j] */
RG_KERNEL turn(int64_t rows, int64_t columns, const float *from, float *to)
{
    RG_SHARED float tile[TILE][TILE + 1];
    int64_t row = (int64_t)blockIdx.y * TILE, column = (int64_t)blockIdx.x * TILE;
    for (int k = (int)threadIdx.y; k < TILE; k += DEEP)
        if (row + k < rows && column + threadIdx.x < columns)
            tile[k][threadIdx.x] = from[(row + k) * columns + column + threadIdx.x];
    __syncthreads();
    for (int k = (int)threadIdx.y; k < TILE; k += DEEP)
        if (column + k < columns && row + threadIdx.x < rows)
            to[(column + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
}

extern "C" void rg_cu_turn(int64_t rows, int64_t columns, const float *from, float *to,
                           cudaStream_t stream)
{
    dim3 blocks((unsigned)((columns + TILE - 1) / TILE), (unsigned)((rows + TILE - 1) / TILE));
    if (rows * columns > 0)
        RG_LAUNCH_SYNC(turn, blocks, dim3(TILE, DEEP), stream, rows, columns, from, to);
}
