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

/* A thread has an element, or where places allow it two neighbours. */
RG_KERNEL gather_columns(int64_t n, int64_t step, rg_cu_columns columns, float *out,
                         rg_gpu_site site)
{
    const rg_cu_column *c = &columns.part[blockIdx.y];
    const uint32_t width = (uint32_t)c->width;
    if (width == 0)
        return;
    if (width % 2 == 0 && c->at % 2 == 0 && step % 2 == 0 && c->ids != NULL &&
        c->offsets == NULL) {
        const uint32_t pairs = width / 2;
        RG_EACH(e, n * pairs) {
            int64_t i = e >> 32 ? e / pairs : (int64_t)((uint32_t)e / pairs), j = e - i * pairs;
            int64_t row = column_row(c, i, j, site);
            float2 two = {0, 0};
            if (row >= 0)
                two = ((const float2 *)c->table)[row * pairs + j];
            *(float2 *)(out + i * step + c->at + 2 * j) = two;
        }
        return;
    }
    RG_EACH(e, n * width) {
        int64_t i = e >> 32 ? e / width : (int64_t)((uint32_t)e / width), j = e - i * width;
        float value = 0;
        if (c->ids == NULL) {
            value = c->table ? c->table[e] : 0;
        } else if (c->offsets == NULL) {
            int64_t row = column_row(c, i, j, site);
            value = row < 0 ? 0 : c->table[row * width + j];
        } else {
            for (int64_t k = c->offsets[i]; k < c->offsets[i + 1]; k++) {
                int64_t row = column_row(c, k, j, site);
                value += row < 0 ? 0 : c->table[row * width + j];
            }
        }
        out[i * step + c->at + j] = value;
    }
}

/* For `each` elements of the widest part a thread. */
static dim3 columns_grid(int64_t n, const rg_cu_columns *columns, int64_t each)
{
    int64_t most = 1;
    for (int k = 0; k < columns->n; k++)
        if (columns->part[k].width > most)
            most = columns->part[k].width;
    int64_t blocks = (n * ((most + each - 1) / each) + RG_THREADS - 1) / RG_THREADS;
    return dim3((unsigned)(blocks > 1024 ? 1024 : blocks), (unsigned)columns->n);
}

extern "C" void rg_cu_gather_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                     float *out, rg_gpu_site site, cudaStream_t stream)
{
    if (n > 0 && columns->n > 0)
        RG_LAUNCH(gather_columns, columns_grid(n, columns, 2), RG_THREADS, stream, n, step,
                  *columns, out, site);
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

enum { SOME = 8, WIDE = 64 }; /* elements of a thread, about; widths that have room for a sum */

/* A thread has one element of a row, or where the width is even two. What goes to row 0, which
 * stands for what is missing and is by far the most frequent, is added up in the block first. */
RG_KERNEL scatter_columns(int64_t n, int64_t step, int each, rg_cu_columns columns,
                          const float *dout, float *table, const float *rate, rg_gpu_site site)
{
    RG_SHARED float first_row[WIDE];
    const rg_cu_column *c = &columns.part[blockIdx.y];
    const uint32_t some = (uint32_t)(c->width / each);
    const float by = -*rate;
    const bool summed = c->width <= WIDE;
    if (summed && (int)threadIdx.x < c->width)
        first_row[threadIdx.x] = 0;
    __syncthreads();
    RG_EACH(e, n * some) {
        int64_t i = e >> 32 ? e / some : (int64_t)((uint32_t)e / some), j = (e - i * some) * each;
        const float *g = dout + i * step + c->at + j;
        int64_t first = c->offsets ? c->offsets[i] : i, end = c->offsets ? c->offsets[i + 1] : i + 1;
        for (int64_t k = first; k < end; k++) {
            int64_t row = column_row(c, k, j, site);
            float *to = table + row * c->width + j;
            if (row < 0)
                continue;
            if (row == 0 && summed) {
                for (int d = 0; d < each; d++)
                    atomicAdd(&first_row[j + d], by * g[d]);
            } else if (each == 2) {
                add_pair(to, by * g[0], by * g[1]);
            } else {
                atomicAdd(to, by * g[0]);
            }
        }
    }
    __syncthreads();
    if (summed && (int)threadIdx.x < c->width && first_row[threadIdx.x] != 0)
        atomicAdd(&table[threadIdx.x], first_row[threadIdx.x]);
}

extern "C" void rg_cu_scatter_columns(int64_t n, int64_t step, const rg_cu_columns *columns,
                                      const float *dout, float *table, const float *rate,
                                      rg_gpu_site site, cudaStream_t stream)
{
    if (n == 0 || columns->n == 0 || columns->part[0].width == 0)
        return;
    int each = columns->part[0].width % 2 == 0 && (uintptr_t)table % 8 == 0 ? 2 : 1;
    dim3 blocks = columns_grid(n, columns, each);
    if (blocks.x * blocks.y > 132 * 16) /* enough to fill the GPU */
        blocks.x = (blocks.x + SOME - 1) / SOME;
    RG_LAUNCH_SYNC(scatter_columns, blocks, RG_THREADS, stream, n, step, each, *columns, dout,
                   table, rate, site);
}
