/* reduce.cu - tensors made smaller along dimensions, and spread again.
 *
 * X is taken as kept dimensions and gone ones. Many results, or short sums: a thread each, or a warp
 * each. Few results of long sums: each is cut into parts, a block each, and the last block adds the
 * parts up. The order of a sum depends on sizes alone. */
#include "gpu/cuda.h"

#include <limits.h>

/* Kept and gone dimensions with their strides in x, outermost first. */
typedef struct layout {
    int n_kept, n_gone;
    int64_t kept_dim[RG_CU_DIMS], kept_step[RG_CU_DIMS];
    int64_t gone_dim[RG_CU_DIMS], gone_step[RG_CU_DIMS];
    int64_t kept, gone;
} layout;

/* Neighbours of one kind become one dimension. */
static void add_dim(int *n, int64_t *dims, int64_t *steps, int64_t dim, int64_t step)
{
    if (dim == 1)
        return;
    if (*n > 0 && steps[*n - 1] == dim * step) {
        dims[*n - 1] *= dim;
        steps[*n - 1] = step;
        return;
    }
    dims[*n] = dim;
    steps[(*n)++] = step;
}

static layout layout_of(int rank, const int64_t *dim, unsigned reduced)
{
    layout l = {};
    int64_t step = 1;
    l.kept = l.gone = 1;
    for (int d = 0; d < rank; d++)
        step *= dim[d];
    bool empty = step == 0; /* then nothing is read, and what is kept gets the sum of nothing */
    for (int d = 0; d < rank; d++) {
        bool goes = reduced >> d & 1;
        *(goes ? &l.gone : &l.kept) *= dim[d];
        if (empty)
            continue;
        step /= dim[d];
        if (goes)
            add_dim(&l.n_gone, l.gone_dim, l.gone_step, dim[d], step);
        else
            add_dim(&l.n_kept, l.kept_dim, l.kept_step, dim[d], step);
    }
    return l;
}

RG_DEVICE int64_t place(int n, const int64_t *dim, const int64_t *step, int64_t i)
{
    if (n == 1)
        return i * step[0];
    int64_t at = 0;
    for (int d = n - 1; d >= 0; d--) {
        at += i % dim[d] * step[d];
        i /= dim[d];
    }
    return at;
}

/* ---- numbers that join ---- */

RG_DEVICE float least(float)
{
    return -INFINITY;
}
RG_DEVICE double least(double)
{
    return -INFINITY;
}
RG_DEVICE int32_t least(int32_t)
{
    return INT32_MIN;
}
RG_DEVICE int64_t least(int64_t)
{
    return INT64_MIN;
}
RG_DEVICE float most(float)
{
    return INFINITY;
}
RG_DEVICE double most(double)
{
    return INFINITY;
}
RG_DEVICE int32_t most(int32_t)
{
    return INT32_MAX;
}
RG_DEVICE int64_t most(int64_t)
{
    return INT64_MAX;
}

template <typename T> RG_DEVICE T start(int what)
{
    return what == RG_CU_MAX    ? least((T)0)
           : what == RG_CU_MIN  ? most((T)0)
           : what == RG_CU_PROD ? (T)1
                                : (T)0;
}

/* As the CPU's: what is not comparable is passed over by max and min. */
template <typename T> RG_DEVICE T join(int what, T a, T b)
{
    switch (what) {
    case RG_CU_MAX:
        return b > a ? b : a;
    case RG_CU_MIN:
        return b < a ? b : a;
    case RG_CU_PROD:
        return a * b;
    }
    return a + b;
}

template <typename T> RG_DEVICE T taken(int what, T x)
{
    return what == RG_CU_SQUARES ? x * x : x;
}

template <typename T> RG_DEVICE T finished(int what, T x, int64_t n)
{
    return what == RG_CU_MEAN ? x / (T)n : what == RG_CU_MINUS ? -x : x;
}

template <typename T> RG_DEVICE T warp_join(int what, T x)
{
    for (int by = 16; by > 0; by /= 2)
        x = join(what, x, __shfl_xor_sync(0xffffffffu, x, by));
    return x;
}

template <typename T> RG_DEVICE T block_join(int what, T x, T *room)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    x = warp_join(what, x);
    __syncthreads();
    if (lane == 0)
        room[warp] = x;
    __syncthreads();
    x = lane < (int)blockDim.x / 32 ? room[lane] : start<T>(what);
    return warp_join(what, x);
}

/* ---- a thread for each result ---- */

template <typename T> RG_KERNEL reduce_threads(int what, layout l, const T *x, T *out)
{
    RG_EACH(i, l.kept) {
        const T *from = x + place(l.n_kept, l.kept_dim, l.kept_step, i);
        T all = start<T>(what);
        for (int64_t j = 0; j < l.gone; j++)
            all = join(what, all, taken(what, from[place(l.n_gone, l.gone_dim, l.gone_step, j)]));
        out[i] = finished(what, all, l.gone);
    }
}

/* ---- a block, or several, for each result ---- */

template <typename T>
RG_KERNEL reduce_blocks(int what, layout l, const T *x, T *out, T *parts, unsigned *counters)
{
    RG_SHARED T room[32];
    int64_t i = blockIdx.x;
    const T *from = x + place(l.n_kept, l.kept_dim, l.kept_step, i);
    int64_t each = (l.gone + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
    int64_t end = first + each < l.gone ? first + each : l.gone;
    T all = start<T>(what);
    for (int64_t j = first + threadIdx.x; j < end; j += blockDim.x)
        all = join(what, all, taken(what, from[place(l.n_gone, l.gone_dim, l.gone_step, j)]));
    all = block_join(what, all, room);
    if (gridDim.y == 1) {
        if (threadIdx.x == 0)
            out[i] = finished(what, all, l.gone);
        return;
    }
    if (threadIdx.x == 0)
        parts[i * gridDim.y + blockIdx.y] = all;
    if (!rg_last_block(counters + i, gridDim.y))
        return;
    all = start<T>(what);
    for (unsigned j = threadIdx.x; j < gridDim.y; j += blockDim.x)
        all = join(what, all, parts[i * gridDim.y + j]);
    all = block_join(what, all, room);
    if (threadIdx.x == 0)
        out[i] = finished(what, all, l.gone);
}

/* ---- neighbours are kept: 32 of them side by side ---- */

enum { TILE = 32, DEEP = 8 };

template <typename T> RG_DEVICE T join_deep(int what, T x, T room[DEEP][TILE])
{
    __syncthreads();
    room[threadIdx.y][threadIdx.x] = x;
    __syncthreads();
    for (int k = 1; threadIdx.y == 0 && k < DEEP; k++)
        x = join(what, x, room[k][threadIdx.x]);
    return x;
}

template <typename T>
RG_KERNEL reduce_columns(int what, layout l, const T *x, T *out, T *parts, unsigned *counters)
{
    RG_SHARED T room[DEEP][TILE];
    int64_t i = (int64_t)blockIdx.x * TILE + threadIdx.x;
    int64_t each = (l.gone + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
    int64_t end = i >= l.kept ? 0 : first + each < l.gone ? first + each : l.gone;
    const T *from = x + place(l.n_kept, l.kept_dim, l.kept_step, i < l.kept ? i : 0);
    T all = start<T>(what);
    for (int64_t j = first + threadIdx.y; j < end; j += DEEP)
        all = join(what, all, taken(what, from[place(l.n_gone, l.gone_dim, l.gone_step, j)]));
    all = join_deep(what, all, room);
    if (gridDim.y > 1) {
        if (threadIdx.y == 0 && i < l.kept)
            parts[blockIdx.y * l.kept + i] = all;
        if (!rg_last_block(counters + blockIdx.x, gridDim.y))
            return;
        all = start<T>(what);
        for (unsigned j = threadIdx.y; i < l.kept && j < gridDim.y; j += DEEP)
            all = join(what, all, parts[j * l.kept + i]);
        all = join_deep(what, all, room);
    }
    if (threadIdx.y == 0 && i < l.kept)
        out[i] = finished(what, all, l.gone);
}

/* ---- which of them ---- */

enum { FEW = 512, LONG = 8192, DEPTH = 256 }; /* results that are cut; elements of a part */

typedef enum way { THREADS, BLOCKS, COLUMNS } way;

typedef struct cut {
    way by;
    int64_t parts;
} cut;

static cut cut_of(const layout *l)
{
    cut c = {THREADS, 1};
    if (l->gone <= 32)
        return c;
    if (l->n_kept > 0 && l->kept_step[l->n_kept - 1] == 1 && l->kept >= 16) {
        int64_t tiles = (l->kept + TILE - 1) / TILE;
        c.by = COLUMNS;
        c.parts = tiles > FEW ? 1 : (l->gone + DEPTH - 1) / DEPTH;
        c.parts = c.parts > 64 ? 64 : c.parts;
        return c;
    }
    c.by = BLOCKS;
    c.parts = l->kept > FEW ? 1 : (l->gone + LONG - 1) / LONG;
    c.parts = c.parts > 256 ? 256 : c.parts;
    return c;
}

extern "C" size_t rg_cu_reduce_room(int64_t kept, int64_t gone)
{
    (void)gone;
    return (size_t)(kept <= (int64_t)FEW * TILE ? kept * 256 : 0) * 8;
}

template <typename T>
static void reduce_of(int what, const layout *l, const void *x, void *out, void *room,
                      unsigned *counters, cudaStream_t stream)
{
    cut c = cut_of(l);
    if (c.by == THREADS)
        RG_LAUNCH(reduce_threads<T>, rg_blocks(l->kept, 128), 128, stream, what, *l, (const T *)x,
                  (T *)out);
    else if (c.by == COLUMNS)
        RG_LAUNCH_SYNC(reduce_columns<T>,
                       dim3((unsigned)((l->kept + TILE - 1) / TILE), (unsigned)c.parts),
                       dim3(TILE, DEEP), stream, what, *l, (const T *)x, (T *)out, (T *)room,
                       counters);
    else
        RG_LAUNCH_SYNC(reduce_blocks<T>, dim3((unsigned)l->kept, (unsigned)c.parts),
                       l->gone >= 1024 ? 256 : 64, stream, what, *l, (const T *)x, (T *)out,
                       (T *)room, counters);
}

extern "C" bool rg_cu_reduce(enum rg_cu_reduce what, rg_dtype dtype, int rank, const int64_t *dim,
                             unsigned reduced, const void *x, void *out, void *room,
                             unsigned *counters, cudaStream_t stream)
{
    layout l = layout_of(rank, dim, reduced);
    if (l.kept == 0)
        return true;
    RG_BY_NUMBER(dtype, reduce_of, (what, &l, x, out, room, counters, stream))
    return true;
}

/* ---- the way back ---- */

/* The results' strides over x: 0 where a dimension went. */
typedef struct spread_layout {
    int rank;
    int64_t dim[RG_CU_DIMS], step[RG_CU_DIMS];
} spread_layout;

template <typename T>
RG_KERNEL spread(int what, int64_t n, spread_layout l, T part, const T *x, const T *out,
                 const T *dout, T *dx)
{
    RG_EACH(i, n) {
        int64_t at = 0, rest = i;
        for (int d = l.rank - 1; d >= 0; d--) {
            at += rest % l.dim[d] * l.step[d];
            rest /= l.dim[d];
        }
        T g = dout[at];
        if (what == RG_CU_SUM || what == RG_CU_MEAN)
            dx[i] = g * part;
        else if (what == RG_CU_PROD)
            dx[i] = g * (out[at] / x[i]);
        else
            dx[i] = x[i] == out[at] ? g : (T)0;
    }
}

template <typename T>
static void spread_of(int what, int64_t n, const spread_layout *l, int64_t gone, const void *x,
                      const void *out, const void *dout, void *dx, cudaStream_t stream)
{
    T part = what == RG_CU_MEAN ? (T)1 / (T)gone : (T)1;
    RG_LAUNCH(spread<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, what, n, *l, part,
              (const T *)x, (const T *)out, (const T *)dout, (T *)dx);
}

extern "C" bool rg_cu_reduce_grad(enum rg_cu_reduce what, rg_dtype dtype, int rank,
                                  const int64_t *dim, unsigned reduced, const void *x,
                                  const void *out, const void *dout, void *dx, cudaStream_t stream)
{
    spread_layout l = {};
    int64_t step = 1, gone = 1;
    l.rank = rank;
    for (int d = rank - 1; d >= 0; d--) {
        bool goes = reduced >> d & 1;
        l.dim[d] = dim[d];
        l.step[d] = goes ? 0 : step;
        step *= goes ? 1 : dim[d];
        gone *= goes ? dim[d] : 1;
    }
    if (step * gone == 0)
        return true;
    RG_BY_FLOAT(dtype, spread_of, (what, step * gone, &l, gone, x, out, dout, dx, stream))
    return true;
}
