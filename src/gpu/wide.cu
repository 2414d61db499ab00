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

enum { GROUPS = 2, ROWS = 64 * GROUPS, DEPTH = 32, ROW_BYTES = DEPTH * 4, MOST_STAGES = 8 };
enum { MOST_COLUMNS = 416, ALIGNED = 1024, ROOM = 227 << 10 }; /* ROOM: of shared memory */
enum { BRINGER = GROUPS * 128, LOOKERS = BRINGER + 32, THREADS = BRINGER + 128 }; /* threads */
enum { LOOKING = (THREADS - LOOKERS) / 32, AHEAD = 3, PIECE = 32 }; /* PIECE: rows, and columns */

typedef struct before_tiles {
    uint64_t full[MOST_STAGES], empty[MOST_STAGES];
    uint64_t seen, taken;           /* bits of activations */
    uint64_t there[LOOKING][AHEAD]; /* pieces of activations */
    float bias[MOST_COLUMNS];
} before_tiles;
enum { HEAD = (sizeof(before_tiles) + ALIGNED - 1) / ALIGNED * ALIGNED };

/* Tiles of N columns. BLOCKS of a cluster have the same columns of tiles one below the other, and
 * each brings a part of B to all. STAGED: results go through shared memory, from where they are
 * written while the next tile is under way; that takes room from what is brought ahead. */
template <int N_, int BLOCKS_, bool SLOPE_, bool STAGED_> struct tile_of {
    enum { N = N_, BLOCKS = BLOCKS_, SLOPE = SLOPE_, STAGED = STAGED_, PART = N / BLOCKS };
    enum { A = ROWS * ROW_BYTES, STAGE = (ROWS + N) * ROW_BYTES };
    enum { BITS = ROWS * (N / 4), PIECES = ROWS / PIECE * ((N + PIECE - 1) / PIECE) };
    enum { PIECE_BYTES = PIECE * PIECE * 4 };
    enum { LOOK_ROOM = SLOPE ? LOOKING * AHEAD * PIECE_BYTES + BITS : 0 };
    enum { OUT_COLUMNS = N > 104 ? N / 2 : N };
    enum { OUT = STAGED ? 64 * OUT_COLUMNS * 4 : 0 }; /* of a warpgroup */
    enum { FIT = (ROOM - ALIGNED - HEAD - LOOK_ROOM - GROUPS * OUT) / STAGE };
    enum { STAGES = FIT < MOST_STAGES ? FIT : MOST_STAGES };
    static_assert(PART % 8 == 0 && STAGES >= 3, "parts begin where fours are laid as in the first");
};

/* ---- products ---- */

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

/* A result and its neighbour. bits: of its row, four activations to a byte. */
template <class T>
RG_DEVICE float2 result_of(const rg_cu_wide &w, float2 v, int j, float2 bias, const uint8_t *bits)
{
    int t = (int)threadIdx.x % 4;
    if (T::SLOPE) { /* what is no number stays so */
        int two = bits[j * 2 + t / 2] >> (t % 2 * 2);
        v.x *= two & 1 ? 1.0f : 0.0f;
        v.y *= two & 2 ? 1.0f : 0.0f;
    } else {
        v.x += bias.x, v.y += bias.y;
        if (w.relu)
            v.x = relu(v.x), v.y = relu(v.y);
    }
    return v;
}

/* Eight columns of a tile, of two rows: to `to`, whose rows are `step` apart, the second `rows`
 * below the first. bits: of the first row. */
template <class T>
RG_DEVICE void put_eight(const rg_cu_wide &w, const float *d, int j, const float *bias,
                         const uint8_t *bits, float *to, int64_t step, int rows)
{
    float2 more = {0, 0};
    if (!T::SLOPE)
        more = *(const float2 *)(bias + j * 8 + threadIdx.x % 4 * 2);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float2 v = {d[j * 4 + h * 2], d[j * 4 + h * 2 + 1]};
        v = result_of<T>(w, v, j, more, bits + h * 8 * (T::N / 4));
        if (h * 8 < rows)
            *(float2 *)(to + h * 8 * step) = v;
    }
}

/* A warpgroup's rows of a tile; `first` is this thread's, bits are of it. */
template <class T>
RG_DEVICE void put_results(const rg_cu_wide &w, int row, int column, int first, const float *d,
                           const float *bias, const uint8_t *bits)
{
    int at = column + (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < T::N / 8; j++) {
        if (at + j * 8 >= w.n)
            break;
        put_eight<T>(w, d, j, bias + column, bits, w.c + (int64_t)(row + first) * w.n + at + j * 8,
                     w.n, w.m - row - first);
    }
}

/* The same by columns that the warpgroup's place in shared memory has room for. */
template <class T>
RG_DEVICE void send_results(const rg_cu_wide &w, const CUtensorMap *c, int row, int column,
                            int first, const float *d, const float *bias, const uint8_t *bits,
                            float *out)
{
    enum { EACH = T::OUT_COLUMNS / 8 };
    bool leads = threadIdx.x % 128 == 0;
    int group = (int)threadIdx.x / 128;
#pragma unroll
    for (int part = 0; part < T::N / T::OUT_COLUMNS; part++) {
        if (leads)
            sent();
        meet_group(group);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            put_eight<T>(w, d, part * EACH + i, bias + column, bits,
                         out + first * T::OUT_COLUMNS + i * 8 + threadIdx.x % 4 * 2, T::OUT_COLUMNS,
                         64);
        show();
        meet_group(group);
        if (leads)
            send(c, column + part * T::OUT_COLUMNS, row, out);
    }
}

/* ---- the kinds of warps ---- */

/* The tiles of a block, one after the other. */
typedef struct walk {
    int across, down; /* tiles of the product */
    int blocks, rank; /* of a cluster */
} walk;

RG_DEVICE int tiles_of_block(const walk &k)
{
    int all = (k.down + k.blocks - 1) / k.blocks * k.across, step = (int)gridDim.x / k.blocks;
    int first = (int)blockIdx.x / k.blocks;
    return first < all ? (all - first + step - 1) / step : 0;
}

/* Number i of them. */
template <class T> RG_DEVICE void find_tile(const walk &k, int i, int *row, int *column)
{
    int at = (int)blockIdx.x / k.blocks + i * ((int)gridDim.x / k.blocks);
    *row = (at / k.across * k.blocks + k.rank) * ROWS;
    *column = at % k.across * T::N;
}

/* Piece i that a warp looks at, of all tiles of this block. */
template <class T> RG_DEVICE void find_piece(const walk &k, int i, int *row, int *column)
{
    enum { PIECES = T::PIECES, EACH = (PIECES + LOOKING - 1) / LOOKING };
    int warp = ((int)threadIdx.x - LOOKERS) / 32, piece = i % EACH * LOOKING + warp;
    piece = piece < PIECES ? piece : PIECES - 1; /* that is looked at twice */
    *row = piece % (ROWS / PIECE) * PIECE;
    *column = piece / (ROWS / PIECE) * PIECE;
}

template <class T>
RG_DEVICE void bring_piece(const walk &k, const CUtensorMap *x, before_tiles *bars, uint8_t *pieces,
                           int i)
{
    enum { EACH = (T::PIECES + LOOKING - 1) / LOOKING };
    int warp = ((int)threadIdx.x - LOOKERS) / 32, row, column, r, c;
    uint64_t *there = &bars->there[warp][i % AHEAD];
    find_tile<T>(k, i / EACH, &row, &column);
    find_piece<T>(k, i, &r, &c);
    expect_bytes(there, T::PIECE_BYTES);
    bring(pieces + (warp * AHEAD + i % AHEAD) * T::PIECE_BYTES, x, column + c, row + r, there);
}

/* Bits of the activations of this block's tiles. A warp has pieces of them brought, some ahead. */
template <class T>
RG_DEVICE void look(const walk &k, const CUtensorMap *x, before_tiles *bars, uint8_t *pieces,
                    uint8_t *bits)
{
    enum { EACH = (T::PIECES + LOOKING - 1) / LOOKING, FOURS = PIECE / 4 };
    int warp = ((int)threadIdx.x - LOOKERS) / 32, lane = (int)threadIdx.x % 32;
    int all = tiles_of_block(k) * EACH;
    for (int i = 0; i < AHEAD && i < all && lane == 0; i++)
        bring_piece<T>(k, x, bars, pieces, i);
    for (int i = 0; i < all; i++) {
        int turn = i / EACH, row, column;
        const float4 *from = (const float4 *)(pieces +
                                              (warp * AHEAD + i % AHEAD) * T::PIECE_BYTES) +
                             lane;
        find_piece<T>(k, i, &row, &column);
        uint8_t *to = bits + (row + lane / FOURS) * (T::N / 4) + column / 4 + lane % FOURS;
        if (i % EACH == 0)
            wait_for(&bars->taken, (turn & 1) ^ 1);
        wait_for(&bars->there[warp][i % AHEAD], i / AHEAD & 1);
        if (column / 4 + lane % FOURS < T::N / 4) {
#pragma unroll
            for (int r = 0; r < PIECE * FOURS / 32; r++) {
                float4 v = from[r * 32];
                to[r * (32 / FOURS) * (T::N / 4)] = (uint8_t)((v.x > 0 ? 1 : 0) |
                                                              (v.y > 0 ? 2 : 0) |
                                                              (v.z > 0 ? 4 : 0) |
                                                              (v.w > 0 ? 8 : 0));
            }
        }
        __syncwarp();
        if (lane == 0 && i + AHEAD < all)
            bring_piece<T>(k, x, bars, pieces, i + AHEAD);
        if (lane == 0 && i % EACH == EACH - 1)
            arrive(&bars->seen);
    }
}

template <int BLOCKS> RG_DEVICE void arrive_at_all(uint64_t *b)
{
#pragma unroll
    for (unsigned block = 0; block < BLOCKS; block++)
        if (BLOCKS == 1)
            arrive(b);
        else
            arrive_at(b, block);
}

template <class T>
RG_DEVICE void multiply_tiles(const rg_cu_wide &w, const walk &k, const CUtensorMap *c_map,
                              before_tiles *bars, const uint8_t *tiles, const uint8_t *bits,
                              float *out)
{
    float d[T::N / 2];
    int lane = (int)threadIdx.x % 32, group = (int)threadIdx.x / 128,
        warp = (int)threadIdx.x / 32 % 4;
    int chunks = (w.depth + DEPTH - 1) / DEPTH, stage = 0, before = 0, all = tiles_of_block(k);
    unsigned parity = 0;
    for (int turn = 0; turn < all; turn++) {
        int first = warp * 16 + lane / 4, row, column;
        const uint8_t *my_bits = bits + (group * 64 + first) * (T::N / 4);
        find_tile<T>(k, turn, &row, &column);
        for (int c = 0; c < chunks; c++) {
            wait_for(&bars->full[stage], parity);
            multiply_chunk<T::N>(d, tiles + stage * T::STAGE + group * 64 * ROW_BYTES,
                                 tiles + stage * T::STAGE + T::A, c);
            if (c > 0) { /* that before is taken */
                finished<1>();
                if (lane == 0)
                    arrive_at_all<T::BLOCKS>(&bars->empty[before]);
            }
            before = stage;
            stage = stage + 1 == T::STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        finished<0>();
        if (lane == 0)
            arrive_at_all<T::BLOCKS>(&bars->empty[before]);
        if (T::SLOPE)
            wait_for(&bars->seen, turn & 1);
        if (T::STAGED)
            send_results<T>(w, c_map, row + group * 64, column, first, d, bars->bias, my_bits,
                            out + group * (T::OUT / 4));
        else
            put_results<T>(w, row + group * 64, column, first, d, bars->bias, my_bits);
        __syncwarp();
        if (T::SLOPE && lane == 0)
            arrive(&bars->taken);
    }
    if (T::STAGED && threadIdx.x % 128 == 0)
        sent_all();
}

template <class T>
RG_DEVICE void bring_tiles(const rg_cu_wide &w, const walk &k, const CUtensorMap *a,
                           const CUtensorMap *b, before_tiles *bars, uint8_t *tiles)
{
    int chunks = (w.depth + DEPTH - 1) / DEPTH, stage = 0, all = tiles_of_block(k), row, column;
    unsigned parity = 1;
    for (int turn = 0; turn < all; turn++) {
        find_tile<T>(k, turn, &row, &column);
        for (int c = 0; c < chunks; c++) {
            uint8_t *to = tiles + stage * T::STAGE,
                    *part = to + T::A + k.rank * T::PART * ROW_BYTES;
            wait_for(&bars->empty[stage], parity);
            expect_bytes(&bars->full[stage], T::STAGE);
            bring(to, a, c * DEPTH, row, &bars->full[stage]);
            if (T::BLOCKS == 1)
                bring(part, b, c * DEPTH, column, &bars->full[stage]);
            else
                bring_to((1 << T::BLOCKS) - 1, part, b, c * DEPTH, column + k.rank * T::PART,
                         &bars->full[stage]);
            stage = stage + 1 == T::STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    }
}

template <class T> RG_DEVICE void make_ready(const rg_cu_wide &w, before_tiles *bars)
{
    for (int c = (int)threadIdx.x; c < MOST_COLUMNS; c += THREADS)
        bars->bias[c] = w.bias != NULL && c < w.n ? w.bias[c] : 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < T::STAGES; s++) {
            make_barrier(&bars->full[s], 1);
            make_barrier(&bars->empty[s], GROUPS * 4 * T::BLOCKS);
        }
        make_barrier(&bars->seen, LOOKING);
        make_barrier(&bars->taken, GROUPS * 4);
        for (int i = 0; i < LOOKING * AHEAD; i++)
            make_barrier(&bars->there[i / AHEAD][i % AHEAD], 1);
        show_barriers();
    }
    __syncthreads();
    if (T::BLOCKS > 1)
        meet_cluster();
}

template <class T>
RG_KERNEL RG_BOUNDS(THREADS, 1)
    wide(const __grid_constant__ rg_cu_wide w, const __grid_constant__ CUtensorMap a,
         const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap x,
         const __grid_constant__ CUtensorMap c)
{
    RG_DYNAMIC(given);
    uint8_t *all = (uint8_t *)given + (-shared_at(given) & (ALIGNED - 1));
    before_tiles *bars = (before_tiles *)all;
    uint8_t *tiles = all + HEAD, *out = tiles + T::STAGES * T::STAGE;
    uint8_t *pieces = out + GROUPS * T::OUT;
    uint8_t *bits = pieces + (T::SLOPE ? LOOKING * AHEAD * T::PIECE_BYTES : 0);
    walk k = {(w.n + T::N - 1) / T::N, (w.m + ROWS - 1) / ROWS, T::BLOCKS,
              T::BLOCKS > 1 ? (int)rank_in_cluster() : 0};
    make_ready<T>(w, bars);
    if (threadIdx.x < BRINGER)
        multiply_tiles<T>(w, k, &c, bars, tiles, bits, (float *)out);
    else if (threadIdx.x == BRINGER)
        bring_tiles<T>(w, k, &a, &b, bars, tiles);
    else if (T::SLOPE && threadIdx.x >= LOOKERS)
        look<T>(k, &x, bars, pieces, bits);
    __syncwarp();
    if (T::BLOCKS > 1) /* none ends while another may reach it */
        meet_cluster();
}

/* ---- launching ---- */

template <class T> static bool run_wide(const rg_cu_wide *w, cudaStream_t stream)
{
    static int of_gpu[RG_GPU_MAX];
    int *most = &of_gpu[rg_this_gpu()]; /* clusters that run side by side */
    CUtensorMap a, b, x, c;
    if (*most == 0)
        *most = rg_most_clusters(wide<T>, T::BLOCKS, THREADS, ROOM);
    rg_gpu_matrix of_a = {w->a, w->m, w->depth, ROWS, DEPTH, true},
                  of_b = {w->b, w->n, w->depth, T::PART, DEPTH, true},
                  of_x = {T::SLOPE ? w->x : w->c, w->m, w->n, PIECE, PIECE, false},
                  of_c = {w->c, w->m, w->n, 64, T::OUT_COLUMNS, false};
    if (*most == 0 || !rg_gpu_map_matrix(&a, &of_a) || !rg_gpu_map_matrix(&b, &of_b) ||
        !rg_gpu_map_matrix(&x, &of_x) || !rg_gpu_map_matrix(&c, &of_c))
        return false;
    int down = (w->m + ROWS - 1) / ROWS, across = (w->n + T::N - 1) / T::N;
    int clusters = (down + T::BLOCKS - 1) / T::BLOCKS * across;
    clusters = clusters < *most ? clusters : *most;
    return rg_launch_clusters(wide<T>, clusters, T::BLOCKS, THREADS, ROOM, stream, *w, a, b, x, c);
}

template <int N, int BLOCKS, bool STAGED>
static bool run_either(const rg_cu_wide *w, cudaStream_t stream)
{
    return w->x != NULL ? run_wide<tile_of<N, BLOCKS, true, STAGED>>(w, stream)
                        : run_wide<tile_of<N, BLOCKS, false, STAGED>>(w, stream);
}

/* Of a row of up to 4 N columns. */
template <int N> static bool run_way(int way, const rg_cu_wide *w, cudaStream_t stream)
{
    switch (way) {
    case RG_CU_FOURS:
        return run_either<N, 1, false>(w, stream);
    case RG_CU_HALVES:
        return run_either<2 * N, 2, false>(w, stream);
    case RG_CU_FOURS_STAGED:
        return run_either<N, 1, true>(w, stream);
    default:
        return run_either<2 * N, 2, true>(w, stream);
    }
}

extern "C" bool rg_cu_wide_run(int way, const rg_cu_wide *w, cudaStream_t stream)
{
    bool aligned = ((uintptr_t)w->a | (uintptr_t)w->b | (uintptr_t)w->x | (uintptr_t)w->c) % 16 ==
                       0 &&
                   w->depth % 4 == 0 && w->n % 4 == 0;
    if (!aligned || w->n <= 0 || w->m <= 0)
        return false;
    if (w->n > 256 && w->n <= 288)
        return run_way<72>(way, w, stream);
    if (w->n > 288 && w->n <= 416)
        return run_way<104>(way, w, stream);
    return false;
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
