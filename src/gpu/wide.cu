/* wide.cu - products of many rows by Hopper's warpgroups: four warps multiply 64 rows at once, and
 * read both factors from shared memory by themselves. TF32 alone, and both factors along the sum.
 *
 * A block has 256 x 208 of the product: what a tile reads from the L2 cache is what limits smaller
 * ones. Two warpgroups have 128 rows each. Machine code of sm_90a: other GPUs do not take it. */
#include "gpu/tile.h"

enum { M = 256, N = 208, GROUPS = 2, HALVES = 2, THREADS = 128 * GROUPS, STAGES = 3 };
enum { A_SIZE = M * RG_DEPTH, STAGE = (M + N) * RG_DEPTH, SHARED = STAGE * STAGES * 4 + 1024 };

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* 64 rows of 32 floats, as rg_along<0> lays them. */
RG_DEVICE uint64_t descriptor(const float *tile)
{
    uint64_t at = (uint64_t)__cvta_generic_to_shared(tile);
    return (at & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

/* d (+)= 64 x 8 times 8 x 208; of each 8 columns lane 4 g + t of warp w has 2 t and 2 t + 1, of rows
 * 16 w + g and 16 w + g + 8. */
RG_DEVICE void multiply(float d[N / 2], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %106, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n208k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
        "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
        "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
        "%58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
        "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "
        "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
        "%100, %101, %102, %103}, "
        "%104, %105, p, 1, 1;\n}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]),
          "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]),
          "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
          "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
          "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),
          "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]),
          "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]),
          "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]),
          "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]),
          "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]),
          "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]),
          "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]),
          "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]),
          "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]),
          "+f"(d[103])
        : "l"(a), "l"(b), "r"(add));
}

RG_DEVICE void begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
RG_DEVICE void end(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
RG_DEVICE void finished(void)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
/* What was copied to shared memory is seen by warpgroups. */
RG_DEVICE void show(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

RG_DEVICE void bring(float *shared, const rg_cu_wide &w, int row, int column, int at)
{
    float *to = shared + at % STAGES * STAGE;
    if (at * RG_DEPTH < w.depth) {
        rg_bring<M, THREADS, true, 0>(to, w.a, row, w.m, at * RG_DEPTH, w.depth, w.depth);
        rg_bring<N, THREADS, true, 0>(to + A_SIZE, w.b, column, w.n, at * RG_DEPTH, w.depth,
                                      w.depth);
    }
    rg_copies_end();
}

/* NaN stays NaN. */
RG_DEVICE float relu(float x)
{
    return x > 0 ? x : x != x ? x : 0;
}

/* Two neighbours of the result. */
RG_DEVICE void put(const rg_cu_wide &w, int row, int column, float first, float second)
{
    int64_t at = (int64_t)row * w.n + column;
    float2 v = {first, second};
    if (row >= w.m || column >= w.n)
        return;
    if (w.bias != NULL) {
        float2 bias = *(const float2 *)(w.bias + column);
        v.x += bias.x, v.y += bias.y;
        if (w.relu)
            v.x = relu(v.x), v.y = relu(v.y);
    } else if (w.relu) {
        float2 x = *(const float2 *)(w.x + at);
        v.x = x.x > 0 ? v.x : 0 * v.x, v.y = x.y > 0 ? v.y : 0 * v.y;
    }
    *(float2 *)(w.c + at) = v;
}
#endif

RG_KERNEL RG_BOUNDS(THREADS, 1) wide(rg_cu_wide w)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    RG_DYNAMIC(given);
    float *shared = (float *)(((uintptr_t)given + 1023) / 1024 * 1024);
    float d[HALVES][N / 2];
    RG_AFTER();
    int across = (w.n + N - 1) / N, steps = (w.depth + RG_DEPTH - 1) / RG_DEPTH;
    int row = (int)blockIdx.x / across * M, column = (int)blockIdx.x % across * N;
    int group = (int)threadIdx.x / 128, warp = (int)threadIdx.x / 32 % 4;
    int g = (int)threadIdx.x % 32 / 4, t = (int)threadIdx.x % 4;
    for (int at = 0; at < STAGES - 1; at++)
        bring(shared, w, row, column, at);
    for (int at = 0; at < steps; at++) {
        const float *stage = shared + at % STAGES * STAGE;
        rg_copies_wait<STAGES - 2>();
        show();
        finished(); /* with the tile before, whose place is taken next */
        __syncthreads();
        begin();
#pragma unroll
        for (int kk = 0; kk < RG_DEPTH / 8; kk++)
#pragma unroll
            for (int h = 0; h < HALVES; h++)
                multiply(d[h], descriptor(stage + (group * HALVES + h) * 64 * RG_DEPTH) + kk * 2,
                         descriptor(stage + A_SIZE) + kk * 2, at + kk > 0);
        end();
        bring(shared, w, row, column, at + STAGES - 1);
    }
    finished();
    row += group * HALVES * 64 + warp * 16 + g;
#pragma unroll
    for (int h = 0; h < HALVES; h++)
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            put(w, row + h * 64, column + j * 8 + 2 * t, d[h][4 * j], d[h][4 * j + 1]);
            put(w, row + h * 64 + 8, column + j * 8 + 2 * t, d[h][4 * j + 2], d[h][4 * j + 3]);
        }
#else
    (void)w;
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

extern "C" bool rg_cu_wide_run(const rg_cu_wide *w, cudaStream_t stream)
{
#ifdef RG_EMULATED
    (void)w, (void)stream;
    return false;
#else
    static bool ready;
    if (!ready && cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
                      cudaSuccess)
        return false;
    ready = true;
    unsigned blocks = (unsigned)((w->m + M - 1) / M * ((w->n + N - 1) / N));
    RG_LAUNCH_NEXT(wide, blocks, THREADS, SHARED, stream, *w);
    return true;
#endif
}
