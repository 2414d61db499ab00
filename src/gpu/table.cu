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
    RG_EACH(e, l.count[k] * width) {
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
    RG_EACH(e, l.count[k] * width) {
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
    RG_EACH(e, l.count[k] * width) {
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

RG_DEVICE int64_t column_row(const rg_cu_column *c, int64_t i, int64_t j, const rg_gpu_site site)
{
    int64_t id = c->ids[i];
    if (id == c->padding && id != -1)
        return -1;
    if (id >= 0 && id < c->rows)
        return id;
    if (j == 0)
        rg_fault(site, c->item, 0, id, i, c->rows);
    return -1;
}

/* A warp has some rows of a part; AT_ONCE loads of each lane are on their way together, of one
 * element, or where places allow it two neighbours. */
enum { AT_ONCE = 8, WARP_ROWS = 32, FEW_ROWS = 8, MANY = 8192 };

static int rows_of_warp(int64_t n)
{
    return n < MANY ? FEW_ROWS : WARP_ROWS;
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
    RG_AFTER();
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

extern "C" void rg_cu_gather_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                     float *out, rg_gpu_site site, cudaStream_t stream)
{
    int each = rows_of_warp(n);
    int64_t blocks = (n + each * (RG_THREADS / 32) - 1) / (each * (RG_THREADS / 32));
    if (n > 0 && columns->n > 0)
        RG_LAUNCH_NEXT(gather_columns, dim3((unsigned)blocks, (unsigned)columns->n), RG_THREADS,
                       0, stream, n, step, each, *columns, out, site);
}

/* Two neighbours at once, where the GPU can. `at` is of 8 bytes. */
RG_DEVICE void add_pair(float *at, float a, float b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    atomicAdd((float2 *)at, make_float2(a, b));
#else
    atomicAdd(at, a);
    atomicAdd(at + 1, b);
#endif
}

enum { WIDE = 64 }; /* widths that have room for a sum */

RG_DEVICE void subtract(float *to, float2 g, float by)
{
    add_pair(to, by * g.x, by * g.y);
}
RG_DEVICE void subtract(float *to, float g, float by)
{
    atomicAdd(to, by * g);
}
RG_DEVICE void subtract_first(float *sums, float2 g, float by)
{
    atomicAdd(&sums[0], by * g.x);
    atomicAdd(&sums[1], by * g.y);
}
RG_DEVICE void subtract_first(float *sums, float g, float by)
{
    atomicAdd(sums, by * g);
}

/* Rows from `first` on of a part; sums (NULL: none) are of what goes to row 0. */
template <typename V>
RG_DEVICE void scatter_rows(const rg_cu_column *c, int64_t first, int some, int64_t step,
                            uint32_t width, const float *dout, float *table, float by, float *sums,
                            const rg_gpu_site site)
{
    const uint32_t lane = threadIdx.x % 32, all = (uint32_t)some * width;
    enum { SIZE = sizeof(V) / sizeof(float) };
    int64_t mine = c->offsets ? -1 : lane_row(c, first, some, site);
    for (uint32_t from = 0; from < all; from += 32 * AT_ONCE) {
        V value[AT_ONCE];
        int64_t id[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            uint32_t e = from + k * 32 + lane, row = e / width, j = e - row * width;
            id[k] = __shfl_sync(0xffffffffu, mine, (int)row & 31);
            if (e < all && (id[k] >= 0 || c->offsets != NULL))
                value[k] = ((const V *)(dout + (first + row) * step + c->at))[j];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            uint32_t e = from + k * 32 + lane, row = e / width, j = (e - row * width) * SIZE;
            if (e >= all)
                break;
            int64_t at = first + row, end = c->offsets ? c->offsets[at + 1] : at + 1;
            for (int64_t i = c->offsets ? c->offsets[at] : at; i < end; i++) {
                int64_t to = c->offsets ? column_row(c, i, j, site) : id[k];
                if (to == 0 && sums != NULL)
                    subtract_first(sums + j, value[k], by);
                else if (to >= 0)
                    subtract(table + to * c->width + j, value[k], by);
            }
        }
    }
}

/* What goes to row 0, which stands for what is missing and is by far the most frequent, is added up
 * in the block first. */
RG_KERNEL scatter_columns(int64_t n, int64_t step, int each, bool pairs, rg_cu_columns columns,
                          const float *dout, float *table, const float *rate, rg_gpu_site site)
{
    RG_SHARED float first_row[WIDE];
    RG_AFTER();
    const rg_cu_column *c = &columns.part[blockIdx.y];
    const float by = -*rate;
    const bool summed = c->width <= WIDE;
    const int64_t rows = (int64_t)gridDim.x * (blockDim.x / 32) * each;
    if (summed && (int)threadIdx.x < c->width)
        first_row[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * each; first < n;
         first += rows) {
        int some = (int)(n - first < each ? n - first : each);
        if (pairs && c->at % 2 == 0)
            scatter_rows<float2>(c, first, some, step, (uint32_t)c->width / 2, dout, table, by,
                                 summed ? first_row : NULL, site);
        else
            scatter_rows<float>(c, first, some, step, (uint32_t)c->width, dout, table, by,
                                summed ? first_row : NULL, site);
    }
    __syncthreads();
    if (summed && (int)threadIdx.x < c->width && first_row[threadIdx.x] != 0)
        atomicAdd(&table[threadIdx.x], first_row[threadIdx.x]);
}

extern "C" void rg_cu_scatter_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                      const float *dout, float *table, const float *rate,
                                      rg_gpu_site site, cudaStream_t stream)
{
    int each = rows_of_warp(n), most = 32; /* enough to fill the GPU */
    if (n == 0 || columns->n == 0 || columns->part[0].width == 0)
        return;
    bool pairs = columns->part[0].width % 2 == 0 && step % 2 == 0 && (uintptr_t)table % 8 == 0 &&
                 (uintptr_t)dout % 8 == 0;
    int64_t blocks = (n + each * (RG_THREADS / 32) - 1) / (each * (RG_THREADS / 32));
    RG_LAUNCH_NEXT(scatter_columns,
                   dim3((unsigned)(blocks > most ? most : blocks), (unsigned)columns->n),
                   RG_THREADS, 0, stream, n, step, each, pairs, *columns, dout, table, rate, site);
}
