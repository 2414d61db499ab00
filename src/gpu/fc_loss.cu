/* fc_loss.cu - the last layer of a classifier of few classes, its loss, and all of its way back, in
 * one pass over x: a warp has a row, keeps it, and makes its row of dx from it, while the next rows
 * are on their way to its part of shared memory. What goes to the weights is summed by thread, then
 * by block, and by a kernel of its own, which may run later; always in the same order. */
#include "gpu/activate.h"
#include "gpu/tile.h"

enum { THREADS = 256, WARPS = THREADS / 32, CHUNKS = 4, FULL = 2 * 132 };
enum { TILE = 32, DEEP = 8 };
enum { ROW = CHUNKS * 128, AHEAD = 3, SHARED = WARPS * (AHEAD + 1) * ROW * 4 }; /* SHARED: bytes */

/* Columns 128 c + 4 lane + q of the row are this lane's. */
template <int N> struct mine {
    float w[CHUNKS][4][N], sum[CHUNKS][4][N];
};

static int64_t blocks_of(int64_t m)
{
    int64_t blocks = (m + WARPS - 1) / WARPS;
    return blocks < 1 ? 1 : blocks > (int64_t)FULL ? (int64_t)FULL : blocks;
}

/* A part: sums for w, for bias, and of the losses; whole vectors. */
RG_DEVICE int64_t part_size(const rg_cu_fc_loss &b)
{
    return ((b.k + 1) * b.n + 4) / 4 * 4;
}

extern "C" int64_t rg_cu_fc_loss_room(int64_t m, int64_t n, int64_t k)
{
    return blocks_of(m) * (((k + 1) * n + 4) / 4 * 4);
}

extern "C" bool rg_cu_fc_loss_takes(int64_t n, int64_t k)
{
    return n >= 1 && n <= 4 && k % 4 == 0 && k <= 128 * CHUNKS;
}

/* Where the sum e of all parts goes. */
RG_DEVICE void put(const rg_cu_fc_loss &b, int64_t e, float all)
{
    int64_t weights = b.k * b.n;
    if (e < weights)
        b.w_out[e] -= *b.rate * all;
    else if (e < weights + b.n)
        b.bias_out[e - weights] -= *b.rate * all;
    else if (e == weights + b.n && b.loss != NULL)
        *b.loss = all / (float)b.m;
}

/* A lane reads what it has brought itself. */
RG_DEVICE void bring_row(const rg_cu_fc_loss &b, int64_t row, int lane, float *to)
{
#pragma unroll
    for (int at = lane * 4; at < ROW; at += 128)
        if (row < b.m && at < b.k)
            rg_copy16(to + at, b.x + row * b.k + at, true);
    rg_copies_end();
}

RG_DEVICE void take_row(const rg_cu_fc_loss &b, const float *from, int lane, float4 x[CHUNKS])
{
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        float4 none = {0, 0, 0, 0};
        int at = c * 128 + lane * 4;
        x[c] = at < b.k ? *(const float4 *)(from + at) : none;
    }
}

RG_DEVICE int64_t label_of(const rg_cu_fc_loss &b, int64_t row)
{
    if (row >= b.m)
        return 0;
    return b.labels.wide ? ((const int64_t *)b.labels.labels)[row]
                         : ((const int32_t *)b.labels.labels)[row];
}

/* From the logits to dz; the loss. As loss.cu has it. */
template <int N>
RG_DEVICE float loss_of_row(const rg_cu_fc_loss &b, int64_t row, int lane, int64_t label,
                            float z[N])
{
    float max = -INFINITY, sum = 0, lost = 0;
    bool counts = label != b.labels.ignored && label >= 0 && label < b.n;
    if (lane == 0 && !counts && label != b.labels.ignored)
        rg_fault(b.labels.site, 0, 0, label, row, b.n);
#pragma unroll
    for (int j = 0; j < N; j++)
        if (j < b.n)
            max = rg_larger(max, z[j]);
#pragma unroll
    for (int j = 0; j < N; j++)
        if (j < b.n) {
            z[j] = expf(z[j] - max < -64 ? -64 : z[j] - max);
            sum += z[j];
        }
    float weight = counts ? b.scale / (float)b.m : 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
        if (j >= b.n)
            break;
        float part = z[j] / sum;
        if (counts && j == label)
            lost = -logf(part);
        if (b.softmax != NULL && lane == 0)
            b.softmax[row * b.n + j] = part;
        z[j] = counts && j == label ? part * weight - weight : part * weight;
    }
    if (b.y != NULL && lane == 0)
        b.y[row] = lost;
    return lost;
}

/* The row's way back: dx, and its share of the weights' sums. */
template <int N>
RG_DEVICE void row_back(const rg_cu_fc_loss &b, int64_t row, int lane, const float4 x[CHUNKS],
                        const float z[N], mine<N> *my)
{
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        float one[4] = {x[c].x, x[c].y, x[c].z, x[c].w}, back[4];
        int at = c * 128 + lane * 4;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            back[q] = 0;
#pragma unroll
            for (int j = 0; j < N; j++)
                if (j < b.n) {
                    back[q] += z[j] * my->w[c][q][j];
                    my->sum[c][q][j] += z[j] * one[q];
                }
            back[q] *= rg_slope(b.x_act, one[q]);
        }
        float4 four = {back[0], back[1], back[2], back[3]};
        if (b.dx != NULL && at < b.k)
            *(float4 *)(b.dx + row * b.k + at) = four;
    }
}

/* The block's sums, in the first warp: by halves. */
template <int N> RG_DEVICE void sum_warps(mine<N> *my, float *bias, float *lost)
{
    RG_SHARED float room[WARPS / 2][CHUNKS * 4 * N + N + 1][32];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    float *sum = &my->sum[0][0][0];
    for (int half = WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (warp >= half && warp < 2 * half) {
            float(*to)[32] = room[warp - half];
#pragma unroll
            for (int i = 0; i < CHUNKS * 4 * N; i++)
                to[i][lane] = sum[i];
#pragma unroll
            for (int j = 0; j < N; j++)
                to[CHUNKS * 4 * N + j][lane] = bias[j];
            to[CHUNKS * 4 * N + N][lane] = *lost;
        }
        __syncthreads();
        if (warp < half) {
            float(*from)[32] = room[warp];
#pragma unroll
            for (int i = 0; i < CHUNKS * 4 * N; i++)
                sum[i] += from[i][lane];
#pragma unroll
            for (int j = 0; j < N; j++)
                bias[j] += from[CHUNKS * 4 * N + j][lane];
            *lost += from[CHUNKS * 4 * N + N][lane];
        }
    }
}

/* This lane's weights: of two classes they are neighbours, eight for four columns. */
template <int N> RG_DEVICE void take_weights(const rg_cu_fc_loss &b, int lane, mine<N> *my)
{
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * 128 + lane * 4;
        float4 two[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        if (N == 2 && b.n == 2 && at < b.k) {
            two[0] = *(const float4 *)(b.w + at * 2);
            two[1] = *(const float4 *)(b.w + at * 2 + 4);
        }
        const float *pairs = &two[0].x;
#pragma unroll
        for (int q = 0; q < 4; q++)
#pragma unroll
            for (int j = 0; j < N; j++) {
                my->sum[c][q][j] = 0;
                if (N == 2 && b.n == 2)
                    my->w[c][q][j] = pairs[q * 2 + j];
                else
                    my->w[c][q][j] = at < b.k && j < b.n ? b.w[(at + q) * b.n + j] : 0;
            }
    }
}

template <int N> RG_KERNEL RG_BOUNDS(THREADS, 2) fc_loss(rg_cu_fc_loss b)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int64_t step = (int64_t)gridDim.x * WARPS, row = (int64_t)blockIdx.x * WARPS + warp;
    mine<N> my;
    float bias[N], given[N], lost = 0;
    float4 x[CHUNKS];
    RG_DYNAMIC(shared);
    float *ring = shared + warp * (AHEAD + 1) * ROW;
    int place = 0;
    for (int i = 0; i < AHEAD; i++)
        bring_row(b, row + i * step, lane, ring + i * ROW);
    int64_t next_label = label_of(b, row);
    take_weights<N>(b, lane, &my);
#pragma unroll
    for (int j = 0; j < N; j++) {
        bias[j] = 0;
        given[j] = j < b.n ? b.bias[j] : 0;
    }
    for (; row < b.m; row += step) {
        float z[N];
        int64_t label = next_label;
        rg_copies_wait<AHEAD - 1>();
        take_row(b, ring + place * ROW, lane, x);
        bring_row(b, row + AHEAD * step, lane, ring + (place + AHEAD) % (AHEAD + 1) * ROW);
        place = (place + 1) % (AHEAD + 1);
        next_label = label_of(b, row + step);
#pragma unroll
        for (int j = 0; j < N; j++) {
            float sum = 0;
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                sum += x[c].x * my.w[c][0][j] + x[c].y * my.w[c][1][j] + x[c].z * my.w[c][2][j] +
                       x[c].w * my.w[c][3][j];
            z[j] = rg_warp_sum(sum) + given[j];
        }
        lost += loss_of_row<N>(b, row, lane, label, z);
#pragma unroll
        for (int j = 0; j < N; j++)
            bias[j] += j < b.n ? z[j] : 0;
        row_back<N>(b, row, lane, x, z, &my);
    }
    sum_warps<N>(&my, bias, &lost);
    int64_t size = part_size(b), weights = b.k * b.n;
    float *part = b.room + blockIdx.x * size;
    if (warp == 0) {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int j = 0; j < N; j++) {
                    int at = c * 128 + lane * 4 + q;
                    if (at < b.k && j < b.n)
                        part[at * b.n + j] = my.sum[c][q][j];
                }
#pragma unroll
        for (int j = 0; j < N; j++)
            if (lane == 0 && j < b.n)
                part[weights + j] = bias[j];
        if (lane == 0)
            part[weights + b.n] = lost;
    }
}

/* 32 sums side by side, eight threads to each. */
RG_KERNEL fc_loss_sums(rg_cu_fc_loss b, int64_t parts)
{
    RG_SHARED float sums[DEEP][TILE];
    int64_t e = (int64_t)blockIdx.x * TILE + threadIdx.x, size = part_size(b);
    float sum = 0;
    if (e < size) {
#pragma unroll 8
        for (int64_t part = threadIdx.y; part < parts; part += DEEP)
            sum += b.room[part * size + e];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || e >= size)
        return;
    for (int d = 1; d < DEEP; d++)
        sum += sums[d][threadIdx.x];
    put(b, e, sum);
}

template <int N> static void run(const rg_cu_fc_loss *b, cudaStream_t stream)
{
    static bool allowed[RG_GPU_MAX];
    (void)rg_allow_shared(fc_loss<N>, SHARED, allowed);
    RG_LAUNCH_SHARED(fc_loss<N>, (unsigned)blocks_of(b->m), THREADS, SHARED, stream, *b);
}

extern "C" void rg_cu_fc_loss_run(const rg_cu_fc_loss *b, cudaStream_t stream)
{
    if (b->n <= 2)
        run<2>(b, stream);
    else
        run<4>(b, stream);
}

extern "C" void rg_cu_fc_loss_sum(const rg_cu_fc_loss *b, cudaStream_t stream)
{
    int64_t size = ((b->k + 1) * b->n + 4) / 4 * 4;
    RG_LAUNCH_SYNC(fc_loss_sums, (unsigned)((size + TILE - 1) / TILE), dim3(TILE, DEEP), stream, *b,
                   blocks_of(b->m));
}
