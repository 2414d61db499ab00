/* table.cu - rows of tables by id: look-ups, and what goes back into the rows.
 *
 * A block row (blockIdx.y) is a look-up, so that all look-ups over a table are one launch. Sums of
 * rows that an id names more than once are made by atomic adds: their order, and so their last bit,
 * is not the same in each run. */
#include "gpu/cuda.h"

RG_DEVICE int64_t id_at(const rg_cu_lookups *l, int k, int64_t i)
{
    return l->wide ? ((const int64_t *)l->ids[k])[i] : ((const int32_t *)l->ids[k])[i];
}

/* -1: it is the padding, or wrong; said once, by the thread of the row's first element. */
RG_DEVICE int64_t row_of(const rg_cu_lookups *l, int k, int64_t i, int64_t j, int64_t rows,
                         const rg_gpu_site site, int first)
{
    int64_t id = id_at(l, k, i);
    if (id == l->padding[k] && id != -1)
        return -1;
    if (id >= 0 && id < rows)
        return id;
    if (j == 0)
        rg_fault(site, first + k, 0, id, i, rows);
    return -1;
}

template <typename T>
RG_KERNEL lookup(const T *table, int64_t rows, uint32_t width, rg_cu_lookups l, rg_gpu_site site,
                 int first)
{
    int k = (int)blockIdx.y;
    T *out = (T *)l.out[k];
    RG_EACH(e, l.count[k] * width)
    {
        int64_t i = e >> 32 ? e / width : (int64_t)((uint32_t)e / width), j = e - i * width;
        int64_t row = row_of(&l, k, i, j, rows, site, first);
        out[i * l.step[k] + j] = row < 0 ? (T)0 : table[row * width + j];
    }
}

/* Elements that the longest look-up has. */
static int64_t longest(const rg_cu_lookups *l, int64_t width)
{
    int64_t most = 0;
    for (int k = 0; k < l->n; k++)
        if (l->count[k] > most)
            most = l->count[k];
    return most * width;
}

static dim3 grid_of(const rg_cu_lookups *l, int64_t width)
{
    int64_t blocks = (longest(l, width) + RG_THREADS - 1) / RG_THREADS;
    return dim3((unsigned)(blocks > 1024 ? 1024 : blocks), (unsigned)l->n);
}

template <typename T>
static void lookup_of(const void *table, int64_t rows, int64_t width, const rg_cu_lookups *l,
                      rg_gpu_site site, int first, cudaStream_t stream)
{
    RG_LAUNCH(lookup<T>, grid_of(l, width), RG_THREADS, stream, (const T *)table, rows,
              (uint32_t)width, *l, site, first);
}

extern "C" bool rg_cu_lookup(size_t size, const void *table, int64_t rows, int64_t width,
                             const rg_cu_lookups *l, rg_gpu_site site, int first,
                             cudaStream_t stream)
{
    if (longest(l, width) == 0)
        return true;
    RG_BY_SIZE(size, lookup_of, (table, rows, width, l, site, first, stream))
    return true;
}

template <typename T>
RG_KERNEL scatter(T *table, int64_t rows, uint32_t width, rg_cu_lookups l, const T *rate,
                  rg_gpu_site site, int first)
{
    int k = (int)blockIdx.y;
    const T *grad = (const T *)l.out[k], by = rate ? -*rate : (T)1;
    RG_EACH(e, l.count[k] * width)
    {
        int64_t i = e >> 32 ? e / width : (int64_t)((uint32_t)e / width), j = e - i * width;
        int64_t row = row_of(&l, k, i, j, rows, site, first);
        if (row >= 0)
            atomicAdd(&table[row * width + j], by * grad[i * l.step[k] + j]);
    }
}

template <typename T>
static void scatter_of(void *table, int64_t rows, int64_t width, const rg_cu_lookups *l,
                       const void *rate, rg_gpu_site site, int first, cudaStream_t stream)
{
    RG_LAUNCH(scatter<T>, grid_of(l, width), RG_THREADS, stream, (T *)table, rows, (uint32_t)width,
              *l, (const T *)rate, site, first);
}

extern "C" bool rg_cu_scatter(rg_dtype dtype, void *table, int64_t rows, int64_t width,
                              const rg_cu_lookups *l, const void *rate, rg_gpu_site site, int first,
                              cudaStream_t stream)
{
    if (longest(l, width) == 0)
        return true;
    RG_BY_FLOAT(dtype, scatter_of, (table, rows, width, l, rate, site, first, stream))
    return true;
}

/* ---- a sparse gradient ---- */

template <typename T>
RG_KERNEL sparse_rows(int64_t rows, uint32_t width, rg_cu_lookups l, int64_t at, int64_t *ids,
                      T *values, rg_gpu_site site, int first)
{
    int k = (int)blockIdx.y;
    const T *grad = (const T *)l.out[k];
    for (int before = 0; before < k; before++)
        at += l.count[before];
    RG_EACH(e, l.count[k] * width)
    {
        int64_t i = e / width, j = e % width, row = row_of(&l, k, i, j, rows, site, first);
        int64_t id = id_at(&l, k, i);
        values[(at + i) * width + j] = row < 0 ? (T)0 : grad[i * l.step[k] + j];
        if (j == 0) /* one that is wrong is said; it must not lead outside the table meanwhile */
            ids[at + i] = id < 0 || id >= rows ? 0 : id;
    }
}

template <typename T>
static void sparse_rows_of(int64_t rows, int64_t width, const rg_cu_lookups *l, int64_t at,
                           int64_t *ids, void *values, rg_gpu_site site, int first,
                           cudaStream_t stream)
{
    RG_LAUNCH(sparse_rows<T>, grid_of(l, width), RG_THREADS, stream, rows, (uint32_t)width, *l, at,
              ids, (T *)values, site, first);
}

extern "C" bool rg_cu_sparse_rows(rg_dtype dtype, int64_t rows, int64_t width,
                                  const rg_cu_lookups *l, int64_t at, int64_t *ids, void *values,
                                  rg_gpu_site site, int first, cudaStream_t stream)
{
    if (longest(l, width) == 0)
        return true;
    RG_BY_FLOAT(dtype, sparse_rows_of, (rows, width, l, at, ids, values, site, first, stream))
    return true;
}

/* ---- many look-ups side by side ---- */

/* The row that id, the i-th of a part, names; -1: none, or zeros. */
RG_DEVICE int64_t row_of_id(const rg_cu_column *c, int64_t id, int64_t i, int64_t j,
                            const rg_gpu_site site)
{
    if (id == c->padding && id != -1)
        return -1;
    if (id >= 0 && id < c->rows)
        return id;
    if (j == 0)
        rg_fault(site, c->item, 0, id, i, c->rows);
    return -1;
}

RG_DEVICE int64_t column_row(const rg_cu_column *c, int64_t i, int64_t j, const rg_gpu_site site)
{
    return row_of_id(c, c->ids[i], i, j, site);
}

/* A warp has some rows of a part; AT_ONCE loads of each lane are on their way together, of one
 * element, or where places allow it two neighbours. */
enum { AT_ONCE = 8, WARP_ROWS = 32, FEW_ROWS = 8, VERY_MANY = 8192 };

static int rows_of_warp(int64_t n, int64_t many)
{
    return n < many ? FEW_ROWS : WARP_ROWS;
}

/* The row of its table that lane i has of a part's rows from `first` on, -1 where it is zeros. */
RG_DEVICE int64_t lane_row(const rg_cu_column *c, int64_t first, int some, const rg_gpu_site site)
{
    int lane = (int)threadIdx.x % 32;
    return lane < some ? column_row(c, first + lane, 0, site) : -1;
}

template <typename V>
RG_DEVICE void gather_rows(const rg_cu_column *c, int64_t first, int some, int64_t step,
                           uint32_t width, float *out, const rg_gpu_site site)
{
    const V *table = (const V *)c->table;
    const uint32_t lane = threadIdx.x % 32, all = (uint32_t)some * width;
    int64_t mine = lane_row(c, first, some, site);
    for (uint32_t from = 0; from < all; from += 32 * AT_ONCE) {
        V value[AT_ONCE];
        uint32_t row[AT_ONCE], j[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            uint32_t e = from + k * 32 + lane;
            row[k] = e / width, j[k] = e - row[k] * width;
            int64_t id = __shfl_sync(0xffffffffu, mine, (int)row[k] & 31);
            value[k] = V();
            if (e < all && id >= 0)
                value[k] = table[id * width + j[k]];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (from + k * 32 + lane < all)
                ((V *)(out + (first + row[k]) * step + c->at))[j[k]] = value[k];
    }
}

/* What is no look-up, or sums of these. */
RG_DEVICE float part_of_row(const rg_cu_column *c, int64_t i, int64_t j, const rg_gpu_site site)
{
    float sum = 0;
    if (c->ids == NULL)
        return c->table ? c->table[i * c->width + j] : 0;
    for (int64_t k = c->offsets[i]; k < c->offsets[i + 1]; k++) {
        int64_t row = column_row(c, k, j, site);
        sum += row < 0 ? 0 : c->table[row * c->width + j];
    }
    return sum;
}

RG_KERNEL gather_columns(int64_t n, int64_t step, int each, rg_cu_columns columns, float *out,
                         rg_gpu_site site)
{
    const rg_cu_column *c = &columns.part[blockIdx.y];
    const uint32_t width = (uint32_t)c->width, lane = threadIdx.x % 32;
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * each;
    const int some = (int)(n - first < each ? n - first : each);
    if (width == 0 || some <= 0)
        return;
    if (c->ids == NULL || c->offsets != NULL) {
        for (uint32_t e = lane; e < some * width; e += 32) {
            uint32_t row = e / width, j = e - row * width;
            out[(first + row) * step + c->at + j] = part_of_row(c, first + row, j, site);
        }
    } else if (width % 2 == 0 && c->at % 2 == 0 && step % 2 == 0) {
        gather_rows<float2>(c, first, some, step, width / 2, out, site);
    } else {
        gather_rows<float>(c, first, some, step, width, out, site);
    }
}

/* Many rows: a block has WARP_ROWS of them, brings their parts together in shared memory, a lane to
 * a row, and writes them as wholes. A warp has PARTS parts on their way together. All but tables of
 * pairs is as above. */
enum { PAIRS = 5, PARTS = 4, WARPS = RG_THREADS / 32 };

RG_DEVICE bool is_plain(const rg_cu_columns &columns, int p)
{
    return p < columns.n && columns.part[p].ids != NULL && columns.part[p].offsets == NULL;
}

/* PAIRS pairs of a table, by fours as their place allows. */
RG_DEVICE void load_pairs(float2 to[PAIRS], const float2 *from)
{
    float4 low, high;
    bool even = (uintptr_t)from % 16 == 0;
    low = *(const float4 *)(even ? from : from + 1);
    high = *(const float4 *)(even ? from + 2 : from + 3);
    float2 one = even ? from[4] : from[0];
    float2 a = {low.x, low.y}, b = {low.z, low.w}, c = {high.x, high.y}, d = {high.z, high.w};
    to[0] = even ? a : one, to[1] = even ? b : a, to[2] = even ? c : b;
    to[3] = even ? d : c, to[4] = even ? one : d;
}

RG_DEVICE void bring_parts(const rg_cu_columns &columns, int from, int64_t first, int some,
                           float *tile, const rg_gpu_site site)
{
    const int lane = (int)threadIdx.x % 32;
    int64_t id[PARTS], row[PARTS];
    int most = 0;
#pragma unroll
    for (int u = 0; u < PARTS; u++)
        id[u] = is_plain(columns, from + u * WARPS) && lane < some
                    ? columns.part[from + u * WARPS].ids[first + lane]
                    : 0;
#pragma unroll
    for (int u = 0; u < PARTS; u++) {
        const rg_cu_column *c = &columns.part[from + u * WARPS];
        bool plain = is_plain(columns, from + u * WARPS);
        row[u] = plain && lane < some ? row_of_id(c, id[u], first + lane, 0, site) : -1;
        most = plain && c->width / 2 > most ? c->width / 2 : most;
    }
    for (int j = 0; j < most; j += PAIRS) {
        float2 two[PARTS][PAIRS];
#pragma unroll
        for (int u = 0; u < PARTS; u++) {
            const rg_cu_column *c = &columns.part[from + u * WARPS];
            bool plain = is_plain(columns, from + u * WARPS);
            const int pairs = plain ? c->width / 2 : 0;
            const float2 *table = plain ? (const float2 *)c->table : NULL;
            bool whole = row[u] >= 0 && j + PAIRS <= pairs;
#pragma unroll
            for (int k = 0; k < PAIRS; k++) {
                two[u][k].x = two[u][k].y = 0;
                if (!whole && row[u] >= 0 && j + k < pairs)
                    two[u][k] = table[row[u] * pairs + j + k];
            }
            if (whole)
                load_pairs(two[u], table + row[u] * pairs + j);
        }
#pragma unroll
        for (int u = 0; u < PARTS; u++)
#pragma unroll
            for (int k = 0; k < PAIRS; k++)
                if (is_plain(columns, from + u * WARPS) &&
                    j + k < columns.part[from + u * WARPS].width / 2)
                    *(float2 *)(tile + columns.part[from + u * WARPS].at + 2 * (j + k)) = two[u][k];
    }
}

RG_KERNEL gather_together(int64_t n, int64_t step, int pitch, rg_cu_columns columns, float *out,
                          rg_gpu_site site)
{
    RG_DYNAMIC(tile);
    const int64_t first = (int64_t)blockIdx.x * WARP_ROWS;
    const int some = (int)(n - first < WARP_ROWS ? n - first : WARP_ROWS);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    for (int p = warp; p < columns.n; p += WARPS * PARTS)
        bring_parts(columns, p, first, some, tile + lane * pitch, site);
    for (int p = warp; p < columns.n; p += WARPS) {
        const rg_cu_column *c = &columns.part[p];
        for (int e = lane; !is_plain(columns, p) && e < some * c->width; e += 32) {
            int r = e / c->width, j = e - r * c->width;
            tile[r * pitch + c->at + j] = part_of_row(c, first + r, j, site);
        }
    }
    __syncthreads();
    const int half = (int)step / 2;
    for (int e = (int)threadIdx.x; e < some * half; e += RG_THREADS) {
        int r = e / half, j = e - r * half;
        ((float2 *)(out + (first + r) * step))[j] = *(const float2 *)(tile + r * pitch + 2 * j);
    }
}

enum { ROOM = 96 << 10 }; /* bytes of shared memory that a block takes at most */

/* Whether rows can be brought together: all parts are there, and tables are of pairs. */
static bool goes_together(int64_t n, int64_t step, const rg_cu_columns *columns, const float *out)
{
    int64_t there = 0;
    for (int k = 0; k < columns->n; k++) {
        const rg_cu_column *c = &columns->part[k];
        there += c->width;
        if (c->ids != NULL && c->offsets == NULL && (c->width % 2 != 0 || c->at % 2 != 0))
            return false;
    }
    return n >= VERY_MANY && there == step && step % 2 == 0 && (uintptr_t)out % 8 == 0 &&
           (step + 2) * WARP_ROWS * 4 <= ROOM;
}

extern "C" void rg_cu_gather_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                     float *out, rg_gpu_site site, cudaStream_t stream)
{
    int each = rows_of_warp(n, VERY_MANY);
    int64_t blocks = (n + each * (RG_THREADS / 32) - 1) / (each * (RG_THREADS / 32));
    if (n == 0 || columns->n == 0)
        return;
    if (!goes_together(n, step, columns, out)) {
        RG_LAUNCH_SYNC(gather_columns, dim3((unsigned)blocks, (unsigned)columns->n), RG_THREADS,
                       stream, n, step, each, *columns, out, site);
        return;
    }
    int pitch = (int)(step % 4 == 0 ? step + 2 : step); /* so that lanes have banks of their own */
    static bool allowed[RG_GPU_MAX];
    (void)rg_allow_shared(gather_together, ROOM, allowed);
    RG_LAUNCH_SHARED(gather_together, (unsigned)((n + WARP_ROWS - 1) / WARP_ROWS), RG_THREADS,
                     (size_t)pitch * WARP_ROWS * 4, stream, n, step, pitch, *columns, out, site);
}

/* Two neighbours at once, where the GPU can, and CUDA has it: from 12.1 on. `at` is of 8 bytes. */
RG_DEVICE void add_pair(float *at, float a, float b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12010
    atomicAdd((float2 *)at, make_float2(a, b));
#else
    atomicAdd(at, a);
    atomicAdd(at + 1, b);
#endif
}

/* A block remembers ids that it has met: of one that comes again, which is a frequent one, the
 * gradients are added up in the block, and go to the table once. Adds to one row wait for each
 * other, and a few frequent rows would be most of the time. */
enum { MET = 512, SUMS = MET * 10 }; /* floats of sums: as many ids as have room are remembered */

RG_DEVICE void subtract(float *to, float2 g, float by)
{
    add_pair(to, by * g.x, by * g.y);
}
RG_DEVICE void subtract(float *to, float g, float by)
{
    atomicAdd(to, by * g);
}
RG_DEVICE void add_to(float *sums, float2 g)
{
    atomicAdd(&sums[0], g.x);
    atomicAdd(&sums[1], g.y);
}
RG_DEVICE void add_to(float *sums, float g)
{
    atomicAdd(sums, g);
}

typedef struct met {
    int *row;    /* by place: row + 1, 0 where it is free */
    float *sums; /* width of each place */
    unsigned places;
} met;

/* The place of a row that was met before; -1 where it is the first time, or another has it. */
RG_DEVICE int place_of(const met &m, int64_t row)
{
    if (m.places == 0 || row < 0 || row >= INT32_MAX)
        return -1;
    unsigned at = (unsigned)row * 2654435761u % m.places;
    return atomicCAS(&m.row[at], 0, (int)row + 1) == (int)row + 1 ? (int)at : -1;
}

/* One lane's element (or pair) j of a row's gradient. */
template <typename V>
RG_DEVICE void put_row(const rg_cu_column *c, int64_t row, int place, uint32_t j, V g, float *table,
                       float by, const met &m)
{
    if (place >= 0)
        add_to(m.sums + place * c->width + j, g);
    else if (row >= 0)
        subtract(table + row * c->width + j, g, by);
}

/* Rows from `first` on of a part. */
template <typename V>
RG_DEVICE void scatter_rows(const rg_cu_column *c, int64_t first, int some, int64_t step,
                            uint32_t width, const float *dout, float *table, float by, const met &m,
                            const rg_gpu_site site)
{
    const uint32_t lane = threadIdx.x % 32, all = (uint32_t)some * width;
    enum { SIZE = sizeof(V) / sizeof(float) };
    int64_t mine = lane_row(c, first, some, site);
    int my_place = place_of(m, mine);
    for (uint32_t from = 0; from < all; from += 32 * AT_ONCE) {
        V value[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            uint32_t e = from + k * 32 + lane, row = e / width, j = e - row * width;
            value[k] = V();
            if (e < all)
                value[k] = ((const V *)(dout + (first + row) * step + c->at))[j];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            uint32_t e = from + k * 32 + lane, row = e / width, j = (e - row * width) * SIZE;
            int64_t id = __shfl_sync(0xffffffffu, mine, (int)row & 31);
            int place = __shfl_sync(0xffffffffu, my_place, (int)row & 31);
            if (e < all)
                put_row<V>(c, id, place, j, value[k], table, by, m);
        }
    }
}

/* Sequences: each of the ids of one gets its row of the gradient. */
RG_DEVICE void scatter_sequences(const rg_cu_column *c, int64_t first, int some, int64_t step,
                                 const float *dout, float *table, float by, const rg_gpu_site site)
{
    const uint32_t width = (uint32_t)c->width, all = (uint32_t)some * width;
    for (uint32_t e = threadIdx.x % 32; e < all; e += 32) {
        uint32_t row = e / width, j = e - row * width;
        float g = dout[(first + row) * step + c->at + j];
        for (int64_t i = c->offsets[first + row]; i < c->offsets[first + row + 1]; i++) {
            int64_t to = column_row(c, i, j, site);
            if (to >= 0)
                subtract(table + to * c->width + j, g, by);
        }
    }
}

/* A warp goes through all columns of its rows, so that a block meets the same ids often. */
template <int THREADS>
RG_KERNEL RG_BOUNDS(THREADS, 1024 / THREADS)
    scatter_columns(int64_t n, int64_t step, int each, bool pairs, rg_cu_columns columns,
                    const float *dout, float *table, const float *rate, rg_gpu_site site)
{
    RG_SHARED int row[MET];
    RG_SHARED float sums[SUMS];
    const float by = -*rate;
    const int width = columns.part[0].width, warp = (int)threadIdx.x / 32;
    const unsigned room = (unsigned)(SUMS / width);
    const met m = {row, sums, room < 16 ? 0 : room < MET ? room : MET};
    for (int i = (int)threadIdx.x; i < MET; i += THREADS)
        row[i] = 0;
    for (int i = (int)threadIdx.x; i < SUMS; i += THREADS)
        sums[i] = 0;
    __syncthreads();
    const int64_t lots = (n + each - 1) / each * columns.n, all = (int64_t)gridDim.x * THREADS / 32;
    for (int64_t lot = (int64_t)blockIdx.x * (THREADS / 32) + warp; lot < lots; lot += all) {
        const rg_cu_column *c = &columns.part[lot % columns.n];
        int64_t first = lot / columns.n * each;
        int some = (int)(n - first < each ? n - first : each);
        if (c->offsets != NULL)
            scatter_sequences(c, first, some, step, dout, table, by, site);
        else if (pairs && c->at % 2 == 0)
            scatter_rows<float2>(c, first, some, step, (uint32_t)width / 2, dout, table, by, m,
                                 site);
        else
            scatter_rows<float>(c, first, some, step, (uint32_t)width, dout, table, by, m, site);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < (int)m.places * width; i += THREADS)
        if (sums[i] != 0)
            atomicAdd(&table[(int64_t)(row[i / width] - 1) * width + i % width], by * sums[i]);
}

template <int THREADS>
static void run_scatter(int most_blocks, int64_t n, int64_t step, int each, bool pairs,
                        const rg_cu_columns *columns, const float *dout, float *table,
                        const float *rate, rg_gpu_site site, cudaStream_t stream)
{
    enum { WARPS = THREADS / 32 };
    int64_t lots = (n + each - 1) / each * columns->n, blocks = (lots + WARPS - 1) / WARPS;
    RG_LAUNCH_SYNC(scatter_columns<THREADS>,
                   (unsigned)(blocks < most_blocks ? blocks : most_blocks), THREADS, stream, n,
                   step, each, pairs, *columns, dout, table, rate, site);
}

extern "C" void rg_cu_scatter_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                      const float *dout, float *table, const float *rate,
                                      rg_gpu_site site, cudaStream_t stream)
{
    enum { ALL = 132 * 4, HALF = 132 / 2 }; /* blocks that fit side by side */
    int each = rows_of_warp(n, RG_CU_MANY_ROWS);
    if (n == 0 || columns->n == 0 || columns->part[0].width == 0)
        return;
    bool pairs = columns->part[0].width % 2 == 0 && step % 2 == 0 && (uintptr_t)table % 8 == 0 &&
                 (uintptr_t)dout % 8 == 0;
    if (n < RG_CU_MANY_ROWS)
        run_scatter<RG_THREADS>(ALL, n, step, each, pairs, columns, dout, table, rate, site,
                                stream);
    else
        run_scatter<1024>(HALF, n, step, each, pairs, columns, dout, table, rate, site, stream);
}
