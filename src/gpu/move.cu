/* move.cu - elements moved: joined, cut, read through strides, filled, cast, gathered. */
#include "gpu/cuda.h"

/* ---- parts of a whole ---- */

template <typename T>
RG_KERNEL move_parts(int64_t outer, int64_t step, rg_cu_parts parts, T *whole, bool join)
{
    int k = (int)blockIdx.y;
    T *part = (T *)parts.part[k];
    int64_t width = parts.width[k], at = parts.at[k];
    if (part == NULL)
        return;
    RG_EACH(e, outer * width) {
        int64_t i = e >> 32 || width >> 32 ? e / width : (int64_t)((uint32_t)e / (uint32_t)width);
        int64_t place = i * step + at + (e - i * width);
        if (join)
            whole[place] = part[e];
        else
            part[e] = whole[place];
    }
}

template <typename T>
static void move_parts_of(int64_t outer, int64_t step, const rg_cu_parts *parts, void *whole,
                          bool join, cudaStream_t stream)
{
    int64_t most = 0;
    for (int k = 0; k < parts->n; k++)
        if (parts->width[k] > most)
            most = parts->width[k];
    if (outer * most == 0)
        return;
    unsigned blocks = rg_blocks(outer * most, RG_THREADS);
    RG_LAUNCH(move_parts<T>, dim3(blocks, (unsigned)parts->n), RG_THREADS, stream, outer, step,
              *parts, (T *)whole, join);
}

extern "C" bool rg_cu_join(size_t size, int64_t outer, int64_t step, const rg_cu_parts *parts,
                           void *whole, cudaStream_t stream)
{
    RG_BY_SIZE(size, move_parts_of, (outer, step, parts, whole, true, stream))
    return true;
}

extern "C" bool rg_cu_cut(size_t size, int64_t outer, int64_t step, const rg_cu_parts *parts,
                          const void *whole, cudaStream_t stream)
{
    RG_BY_SIZE(size, move_parts_of, (outer, step, parts, (void *)whole, false, stream))
    return true;
}

/* ---- through strides ---- */

RG_DEVICE int64_t place_of(const rg_cu_box *box, int64_t i)
{
    int64_t at = box->offset;
    for (int d = box->rank - 1; d >= 0; d--) {
        at += i % box->dim[d] * box->stride[d];
        i /= box->dim[d];
    }
    return at;
}

template <typename T>
RG_KERNEL box_move(int64_t n, rg_cu_box box, const T *from, T *to, bool read)
{
    RG_EACH(i, n) {
        int64_t at = place_of(&box, i);
        if (read)
            to[i] = from[at];
        else
            to[at] = from[i];
    }
}

static int64_t count_of(const rg_cu_box *box)
{
    int64_t n = 1;
    for (int d = 0; d < box->rank; d++)
        n *= box->dim[d];
    return n;
}

template <typename T>
static void box_move_of(const rg_cu_box *box, const void *from, void *to, bool read,
                        cudaStream_t stream)
{
    int64_t n = count_of(box);
    if (n > 0)
        RG_LAUNCH(box_move<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, *box,
                  (const T *)from, (T *)to, read);
}

extern "C" bool rg_cu_box_read(size_t size, const rg_cu_box *box, const void *from, void *to,
                               cudaStream_t stream)
{
    RG_BY_SIZE(size, box_move_of, (box, from, to, true, stream))
    return true;
}

extern "C" bool rg_cu_box_write(size_t size, const rg_cu_box *box, const void *from, void *to,
                                cudaStream_t stream)
{
    RG_BY_SIZE(size, box_move_of, (box, from, to, false, stream))
    return true;
}

/* ---- one number everywhere ---- */

template <typename T> RG_KERNEL fill(int64_t n, T number, T *out)
{
    RG_EACH(i, n)
        out[i] = number;
}

template <typename T>
static void fill_of(int64_t n, double number, void *out, cudaStream_t stream)
{
    RG_LAUNCH(fill<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, (T)number, (T *)out);
}

extern "C" bool rg_cu_fill(rg_dtype dtype, int64_t n, double number, void *out, cudaStream_t stream)
{
    if (n == 0)
        return true;
    switch ((int)dtype) {
    case RG_BOOL:
        fill_of<uint8_t>(n, number != 0, out, stream);
        return true;
    case RG_U8:
        fill_of<uint8_t>(n, number, out, stream);
        return true;
    case RG_I8:
        fill_of<int8_t>(n, number, out, stream);
        return true;
    case RG_I16:
        fill_of<int16_t>(n, number, out, stream);
        return true;
    }
    RG_BY_NUMBER(dtype, fill_of, (n, number, out, stream))
    return true;
}

/* ---- from type to type ---- */

template <typename F, typename T> RG_KERNEL cast(int64_t n, const F *from, T *to)
{
    RG_EACH(i, n)
        to[i] = (T)from[i];
}

template <typename F> RG_KERNEL cast_to_bool(int64_t n, const F *from, uint8_t *to)
{
    RG_EACH(i, n)
        to[i] = from[i] != 0;
}

template <typename F>
static bool cast_of(rg_dtype to_type, int64_t n, const void *from, void *to, cudaStream_t stream)
{
    unsigned blocks = rg_blocks(n, RG_THREADS);
    const F *f = (const F *)from;
    switch ((int)to_type) {
    case RG_BOOL:
        RG_LAUNCH(cast_to_bool<F>, blocks, RG_THREADS, stream, n, f, (uint8_t *)to);
        return true;
    case RG_F32:
        RG_LAUNCH((cast<F, float>), blocks, RG_THREADS, stream, n, f, (float *)to);
        return true;
    case RG_F64:
        RG_LAUNCH((cast<F, double>), blocks, RG_THREADS, stream, n, f, (double *)to);
        return true;
    case RG_I32:
        RG_LAUNCH((cast<F, int32_t>), blocks, RG_THREADS, stream, n, f, (int32_t *)to);
        return true;
    case RG_I64:
        RG_LAUNCH((cast<F, int64_t>), blocks, RG_THREADS, stream, n, f, (int64_t *)to);
        return true;
    case RG_U8:
        RG_LAUNCH((cast<F, uint8_t>), blocks, RG_THREADS, stream, n, f, (uint8_t *)to);
        return true;
    }
    return false;
}

extern "C" bool rg_cu_cast(rg_dtype from_type, rg_dtype to_type, int64_t n, const void *from,
                           void *to, cudaStream_t stream)
{
    if (n == 0)
        return true;
    switch ((int)from_type) {
    case RG_BOOL:
    case RG_U8:
        return cast_of<uint8_t>(to_type, n, from, to, stream);
    case RG_F32:
        return cast_of<float>(to_type, n, from, to, stream);
    case RG_F64:
        return cast_of<double>(to_type, n, from, to, stream);
    case RG_I32:
        return cast_of<int32_t>(to_type, n, from, to, stream);
    case RG_I64:
        return cast_of<int64_t>(to_type, n, from, to, stream);
    }
    return false;
}

/* ---- rows by index ---- */

RG_DEVICE int64_t index_at(const void *index, bool wide, int64_t i)
{
    return wide ? ((const int64_t *)index)[i] : ((const int32_t *)index)[i];
}

template <typename T>
RG_KERNEL gather(int64_t rows, int64_t width, int64_t n, const void *index, bool wide, const T *x,
                 T *out, rg_gpu_site site)
{
    RG_EACH(e, n * width) {
        int64_t i = e / width, row = index_at(index, wide, i);
        bool right = row >= 0 && row < rows;
        if (!right && e % width == 0)
            rg_fault(site, 0, 0, row, i, rows);
        out[e] = right ? x[row * width + e % width] : (T)0;
    }
}

template <typename T>
static void gather_of(int64_t rows, int64_t width, int64_t n, const void *index, bool wide,
                      const void *x, void *out, rg_gpu_site site, cudaStream_t stream)
{
    if (n * width > 0)
        RG_LAUNCH(gather<T>, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, rows, width, n,
                  index, wide, (const T *)x, (T *)out, site);
}

extern "C" bool rg_cu_gather(size_t size, int64_t rows, int64_t width, int64_t n, const void *index,
                             bool wide, const void *x, void *out, rg_gpu_site site,
                             cudaStream_t stream)
{
    RG_BY_SIZE(size, gather_of, (rows, width, n, index, wide, x, out, site, stream))
    return true;
}

/* overwrite: of those that name a row the last one stays, whom `last` names. */
RG_KERNEL find_last(int64_t rows, int64_t n, const void *index, bool wide, int32_t *last,
                    rg_gpu_site site)
{
    RG_EACH(i, n) {
        int64_t row = index_at(index, wide, i);
        if (row >= 0 && row < rows)
            atomicMax(&last[row], (int32_t)i);
        else
            rg_fault(site, 0, 0, row, i, rows);
    }
}

template <typename T>
RG_KERNEL gather_grad(int64_t rows, int64_t width, int64_t n, const void *index, bool wide,
                      const int32_t *last, const T *dout, T *dx, rg_gpu_site site)
{
    RG_EACH(e, n * width) {
        int64_t i = e / width, row = index_at(index, wide, i);
        if (row < 0 || row >= rows) {
            if (e % width == 0)
                rg_fault(site, 0, 0, row, i, rows);
        } else if (last == NULL) {
            atomicAdd(&dx[row * width + e % width], dout[e]);
        } else if (last[row] == i) {
            dx[row * width + e % width] = dout[e];
        }
    }
}

template <typename T>
static void gather_grad_of(int64_t rows, int64_t width, int64_t n, const void *index, bool wide,
                           int32_t *last, const void *dout, void *dx, rg_gpu_site site,
                           cudaStream_t stream)
{
    cudaMemsetAsync(dx, 0, (size_t)(rows * width) * sizeof(T), stream);
    if (n * width == 0)
        return;
    if (last != NULL) {
        cudaMemsetAsync(last, 0xff, (size_t)rows * sizeof *last, stream);
        RG_LAUNCH(find_last, rg_blocks(n, RG_THREADS), RG_THREADS, stream, rows, n, index, wide,
                  last, site);
    }
    RG_LAUNCH(gather_grad<T>, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, rows, width, n,
              index, wide, last, (const T *)dout, (T *)dx, site);
}

extern "C" bool rg_cu_gather_grad(rg_dtype dtype, int64_t rows, int64_t width, int64_t n,
                                  const void *index, bool wide, int32_t *last, const void *dout,
                                  void *dx, rg_gpu_site site, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, gather_grad_of, (rows, width, n, index, wide, last, dout, dx, site, stream))
    return true;
}
