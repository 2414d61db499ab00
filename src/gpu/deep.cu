/* deep.cu - products summed over many rows, C = A^T B, by Hopper's warpgroups; TF32 alone. Both
 * factors lie across the sum, which warpgroups do not read: A goes through registers, whose lanes
 * take it as it lies, and B is turned in shared memory by warps that do nothing else.
 *
 * A block has up to 256 x 200 of C for a part of the sum, in the registers of two warpgroups; 32
 * rows of both are brought at a time, some steps ahead of their use. What blocks read from the L2
 * cache limits such products, so tiles are as large as accumulators have room.
 *
 * A has a column more than there is, of ones: its row of C is the sums of B's columns.
 *
 * Machine code of sm_90a: other GPUs do not take it. */
#include "gpu/group.h"

enum { N = 200, GROUPS = 2, UNIT = 64, DEPTH = 32, MOST_UNITS = 4 };
/* Columns of A that a block has: all but the last have STEP; WIDE are brought, so that lanes that
 * read side by side find different banks. */
enum { STEP = 192, WIDE = 216, LAST = WIDE - 1 };
enum { A_BYTES = WIDE * DEPTH * 4, B_BYTES = N * DEPTH * 4, A_PLACES = 3, B_PLACES = 2 };
enum { TURNED = 3, HEAD = 1024 }; /* TURNED: places for B when it is turned */
enum { ROOM = 2 * HEAD + A_PLACES * A_BYTES + (B_PLACES + TURNED) * B_BYTES };
enum { TURNER = GROUPS * 128, TURNERS = 128, THREADS = TURNER + TURNERS };
static_assert(A_BYTES % HEAD == 0 && B_BYTES % HEAD == 0 && ROOM <= 227 << 10, "room");

typedef struct barriers {
    uint64_t a_full[A_PLACES], b_full[B_PLACES], b_empty[B_PLACES];
    uint64_t turned[TURNED], used[TURNED];
} barriers;

/* Where it all lies in shared memory. */
typedef struct places {
    barriers *bars;
    uint8_t *a, *b, *turned;
} places;

/* A block's part: columns of A from `row` on (rows of C), `units` of 64 of them; of B from `column`
 * on; chunks of DEPTH of the sum. */
typedef struct part {
    int row, rows, units, column, from, chunks;
    int index; /* of the parts of the sum */
} part;

/* ---- the kinds of warps ---- */

/* The place in a ring of SIZE for chunk c, and the parity of its turn. */
template <int SIZE> RG_DEVICE int place_of(int c)
{
    return c % SIZE;
}
template <int SIZE> RG_DEVICE unsigned parity_of(int c)
{
    return (unsigned)(c / SIZE) & 1;
}

/* UNITS of 64 rows of C, by a warpgroup. */
template <int UNITS>
RG_DEVICE void multiply_rows(const rg_cu_layer_back &p, const places &at, const part &mine,
                             int group)
{
    float d[UNITS][N / 2], a[UNITS][4];
    int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int row = group * 2 * UNIT + (int)threadIdx.x / 32 % 4 * 16 + 2 * g;
    for (int c = 0; c < mine.chunks; c++) {
        const float *rows = (const float *)(at.a + place_of<A_PLACES>(c) * A_BYTES) + t * WIDE +
                            row;
        uint64_t b = descriptor(at.turned + place_of<TURNED>(c) * B_BYTES);
        wait_for(&at.bars->a_full[place_of<A_PLACES>(c)], parity_of<A_PLACES>(c));
        wait_for(&at.bars->turned[place_of<TURNED>(c)], parity_of<TURNED>(c));
#pragma unroll
        for (int kk = 0; kk < DEPTH / 8; kk++) {
#pragma unroll
            for (int u = 0; u < UNITS; u++) {
                finished<UNITS - 1>(); /* this unit's last: its registers are free */
                float2 low = *(const float2 *)(rows + kk * 8 * WIDE + u * UNIT);
                float2 high = *(const float2 *)(rows + (kk * 8 + 4) * WIDE + u * UNIT);
                bool one = row + u * UNIT == mine.rows, other = row + u * UNIT + 1 == mine.rows;
                a[u][0] = one ? 1.0f : low.x, a[u][1] = other ? 1.0f : low.y;
                a[u][2] = one ? 1.0f : high.x, a[u][3] = other ? 1.0f : high.y;
                begin();
                group_of<N>::multiply(d[u], a[u], b + kk * 2, c + kk);
                end();
            }
            if (kk == 0 && c > 0 && lane == 0) /* the chunk before is done with */
                arrive(&at.bars->used[place_of<TURNED>(c - 1)]);
        }
    }
    finished<0>();
    float *room = p.room + (int64_t)mine.index * (p.k + 1) * p.n;
#pragma unroll
    for (int u = 0; u < UNITS; u++)
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            int c = mine.column + j * 8 + t * 2;
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float2 v = {d[u][j * 4 + h * 2], d[u][j * 4 + h * 2 + 1]};
                int r = row + u * UNIT + h;
                if (c < p.n && r <= mine.rows && mine.row + r <= p.k)
                    *(float2 *)(room + (int64_t)(mine.row + r) * p.n + c) = v;
            }
        }
}

/* Four rows by two columns of B at a time: rows are those of C's columns then, and chunks of four
 * of the sum change places by row, as warpgroups read them. Lanes are dealt so that neither side
 * meets in a bank. */
RG_DEVICE void turn_chunk(const uint8_t *b, uint8_t *turned)
{
    enum { BESIDE = 16, COLUMNS = 2 * BESIDE };
    int me = (int)threadIdx.x - TURNER, low = me % BESIDE;
    int chunk = low / 4 ^ me / BESIDE, swap = low % 4 * 2;
    const float *two = (const float *)b + chunk * 4 * N + low * 2;
    float4 *to = (float4 *)turned + low * 2 * (DEPTH / 4);
#pragma unroll
    for (int column = 0; column < N; column += COLUMNS) {
        if (column + COLUMNS > N && column + low * 2 >= N)
            break;
        float2 x = *(const float2 *)(two + column), y = *(const float2 *)(two + column + N),
               z = *(const float2 *)(two + column + 2 * N),
               w = *(const float2 *)(two + column + 3 * N);
        float4 first = {x.x, y.x, z.x, w.x}, second = {x.y, y.y, z.y, w.y};
        to[column * (DEPTH / 4) + (chunk ^ swap)] = first;
        to[(column + 1) * (DEPTH / 4) + (chunk ^ swap ^ 1)] = second;
    }
}

typedef struct maps {
    const CUtensorMap *a, *b;
} maps;

RG_DEVICE void bring_a(const maps &m, const places &at, const part &mine, int c)
{
    int place = place_of<A_PLACES>(c);
    if (c >= mine.chunks)
        return;
    expect_bytes(&at.bars->a_full[place], A_BYTES);
    bring(at.a + place * A_BYTES, m.a, mine.row, (mine.from + c) * DEPTH, &at.bars->a_full[place]);
}

RG_DEVICE void bring_b(const maps &m, const places &at, const part &mine, int c)
{
    int place = place_of<B_PLACES>(c);
    if (c >= mine.chunks)
        return;
    expect_bytes(&at.bars->b_full[place], B_BYTES);
    bring(at.b + place * B_BYTES, m.b, mine.column, (mine.from + c) * DEPTH,
          &at.bars->b_full[place]);
}

/* One of these threads also brings what is next of both. When there is room for B to be turned the
 * multiplying warps are done with the chunk TURNED before, so there is room for A's, too. */
RG_DEVICE void turn_rows(const maps &m, const places &at, const part &mine)
{
    static_assert(A_PLACES == TURNED, "the same chunks are done with");
    bool brings = threadIdx.x == TURNER;
    for (int c = 0; brings && c < B_PLACES; c++)
        bring_b(m, at, mine, c);
    for (int c = 0; c < mine.chunks; c++) {
        int from = place_of<B_PLACES>(c), to = place_of<TURNED>(c);
        wait_for(&at.bars->used[to], parity_of<TURNED>(c) ^ 1);
        if (brings)
            bring_a(m, at, mine, c);
        wait_for(&at.bars->b_full[from], parity_of<B_PLACES>(c));
        turn_chunk(at.b + from * B_BYTES, at.turned + to * B_BYTES);
        show();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(&at.bars->b_empty[from]);
            arrive(&at.bars->turned[to]);
        }
        if (brings) {
            wait_for(&at.bars->b_empty[from], parity_of<B_PLACES>(c));
            bring_b(m, at, mine, c + B_PLACES);
        }
    }
}

RG_DEVICE void make_barriers(barriers *bars, int groups)
{
    for (int s = 0; s < A_PLACES; s++)
        make_barrier(&bars->a_full[s], 1);
    for (int s = 0; s < B_PLACES; s++) {
        make_barrier(&bars->b_full[s], 1);
        make_barrier(&bars->b_empty[s], TURNERS / 32);
    }
    for (int s = 0; s < TURNED; s++) {
        make_barrier(&bars->turned[s], TURNERS / 32);
        make_barrier(&bars->used[s], groups * 4);
    }
    show();
}

/* Tiles of C: `across` along B's columns, `above` along A's before the last. Blocks that have the
 * same part of the sum run side by side, so that they find it in the L2 cache. */
typedef struct shape {
    int across, above, parts;
} shape;

RG_DEVICE part part_of_block(const rg_cu_layer_back &p, const shape &s)
{
    int tiles = s.across * (s.above + 1), chunks = (p.m + DEPTH - 1) / DEPTH;
    int tile = (int)blockIdx.x % tiles, index = (int)blockIdx.x / tiles, down = tile / s.across;
    int last = down == s.above, row = down * STEP, rows = last ? p.k - row : STEP;
    int from = (int)((int64_t)index * chunks / s.parts);
    int to = (int)((int64_t)(index + 1) * chunks / s.parts);
    part mine = {row,       rows, (rows + last + UNIT - 1) / UNIT, tile % s.across * N, from,
                 to - from, index};
    return mine;
}

RG_KERNEL RG_BOUNDS(THREADS, 1)
    deep(const __grid_constant__ rg_cu_layer_back p, const __grid_constant__ shape s,
         const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b)
{
    RG_DYNAMIC(given);
    uint8_t *all = (uint8_t *)given + (-shared_at(given) & (HEAD - 1));
    uint8_t *b_at = all + HEAD + A_PLACES * A_BYTES;
    places at = {(barriers *)all, all + HEAD, b_at, b_at + B_PLACES * B_BYTES};
    part mine = part_of_block(p, s);
    int group = (int)threadIdx.x / 128, units = mine.units - group * 2;
    if (threadIdx.x == 0)
        make_barriers(at.bars, mine.units > 2 ? 2 : 1);
    __syncthreads();
    if (group < GROUPS) {
        more_registers();
        if (units >= 2)
            multiply_rows<2>(p, at, mine, group);
        else if (units == 1)
            multiply_rows<1>(p, at, mine, group);
    } else {
        maps m = {&a, &b};
        fewer_registers();
        turn_rows(m, at, mine);
    }
}

/* Blocks that fill the GPU in quarters: how many parts of the sum these are. */
static shape shape_of(int quarters, int64_t m, int64_t n, int64_t k)
{
    shape s = {(int)((n + N - 1) / N), k <= LAST ? 0 : (int)((k - LAST + STEP - 1) / STEP), 0};
    int64_t chunks = (m + DEPTH - 1) / DEPTH;
    int64_t parts = 132 * quarters / 4 / (s.across * (s.above + 1));
    s.parts = (int)(parts < 1 ? 1 : parts < chunks ? parts : chunks);
    return s;
}

extern "C" bool rg_cu_deep_run(int quarters, const rg_cu_layer_back *b, cudaStream_t stream)
{
    static int of_gpu[RG_GPU_MAX];
    int *most = &of_gpu[rg_this_gpu()];
    CUtensorMap x, dz;
    rg_gpu_matrix of_x = {b->x, b->m, b->k, DEPTH, WIDE, false},
                  of_dz = {b->dz, b->m, b->n, DEPTH, N, false};
    if (((uintptr_t)b->x | (uintptr_t)b->dz) % 16 != 0 || b->k % 4 != 0 || b->n % 4 != 0)
        return false;
    if (*most == 0)
        *most = rg_most_clusters(deep, 1, THREADS, ROOM);
    if (*most == 0 || !rg_gpu_map_matrix(&x, &of_x) || !rg_gpu_map_matrix(&dz, &of_dz))
        return false;
    shape s = shape_of(quarters, b->m, b->n, b->k);
    rg_cu_layer_back p = *b;
    p.parts = s.parts;
    if (!rg_launch_clusters(deep, s.across * (s.above + 1) * s.parts, 1, THREADS, ROOM, stream, p,
                            s, x, dz))
        return false;
    rg_cu_sum_parts(&p, stream);
    return true;
}

extern "C" int rg_cu_deep_parts(int quarters, int64_t m, int64_t n, int64_t k)
{
    return shape_of(quarters, m, n, k).parts;
}
