/* loss.cu - softmax and the cross entropies, along the middle of [outer, n, inner].
 *
 * Short rows have a thread each, long ones (of inner 1) a warp each. As on the CPU no logit counts
 * for further below the largest than 64, so that an impossible class has a finite loss. */
#include "gpu/cuda.h"

enum { SHORT = 32 };

template <typename T> RG_DEVICE T exp_above(T x)
{
    return rg_exp(x < -64 ? (T)-64 : x);
}

/* Where a row begins, and how far its elements are apart. */
typedef struct row_at {
    int64_t at, step;
} row_at;

RG_DEVICE row_at row_of(int64_t row, int64_t n, int64_t inner)
{
    row_at r = {row / inner * n * inner + row % inner, inner};
    return r;
}

RG_DEVICE int64_t label_at(const rg_cu_labels *labels, int64_t i)
{
    return labels->wide ? ((const int64_t *)labels->labels)[i]
                        : ((const int32_t *)labels->labels)[i];
}

/* Whether it is a class; what is not is either ignored or wrong. */
RG_DEVICE bool is_class(const rg_cu_labels *labels, int64_t label, int64_t i, int64_t n)
{
    if (label == labels->ignored)
        return false;
    if (label >= 0 && label < n)
        return true;
    rg_fault(labels->site, 0, 0, label, i, n);
    return false;
}

/* ---- softmax, with the logarithm of the sum ---- */

/* `lanes` threads have a row: 1 or 32. What they have of it is summed by this. */
template <typename T> RG_DEVICE T over_lanes(T x, int lanes)
{
    return lanes == 1 ? x : rg_warp_sum(x);
}

template <typename T> RG_DEVICE T largest(const T *x, row_at r, int64_t n, int lane, int lanes)
{
    T max = (T)-INFINITY;
    for (int64_t j = lane; j < n; j += lanes)
        max = rg_larger(max, x[r.at + j * r.step]);
    return lanes == 1 ? max : rg_warp_max(max);
}

template <typename T> RG_DEVICE T loss_of(T log_sum, T logit, T part)
{
    T loss = log_sum - logit;
    return loss > 64 ? -rg_log(part) : loss;
}

template <typename T>
RG_KERNEL softmax(int64_t rows, int64_t n, int64_t inner, int lanes, const T *x, const T *soft,
                  rg_cu_labels hard, T *y, T *loss)
{
    int lane = (int)threadIdx.x % lanes;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    if (row >= rows)
        return;
    row_at r = row_of(row, n, inner);
    T max = largest(x, r, n, lane, lanes), sum = 0;
    for (int64_t j = lane; j < n; j += lanes)
        sum += exp_above(x[r.at + j * r.step] - max);
    sum = over_lanes(sum, lanes);
    T log_sum = max + rg_log(sum), lost = 0;
    int64_t label = loss != NULL && soft == NULL ? label_at(&hard, row) : 0;
    bool counts = loss != NULL && soft == NULL && (lane != 0 || is_class(&hard, label, row, n));
    for (int64_t j = lane; j < n; j += lanes) {
        int64_t at = r.at + j * r.step;
        T logit = x[at], part = exp_above(logit - max) / sum;
        if (y != NULL)
            y[at] = part;
        if (loss == NULL)
            continue;
        if (soft != NULL)
            lost += soft[at] * loss_of(log_sum, logit, part);
        else if (j == label && counts && label != hard.ignored)
            lost = loss_of(log_sum, logit, part);
    }
    if (loss == NULL)
        return;
    lost = over_lanes(lost, lanes);
    if (lane == 0)
        loss[row] = lost;
}

template <typename T>
static void softmax_of(int64_t outer, int64_t n, int64_t inner, const void *x, const void *soft,
                       rg_cu_labels hard, void *y, void *loss, cudaStream_t stream)
{
    int64_t rows = outer * inner;
    int lanes = n > SHORT && inner == 1 ? 32 : 1, threads = lanes == 1 ? 128 : 256;
    unsigned blocks = (unsigned)((rows * lanes + threads - 1) / threads);
    if (rows * n == 0)
        return;
    RG_LAUNCH_SYNC(softmax<T>, blocks, threads, stream, rows, n, inner, lanes, (const T *)x,
                   (const T *)soft, hard, (T *)y, (T *)loss);
}

extern "C" bool rg_cu_softmax(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                              const void *x, void *y, cudaStream_t stream)
{
    rg_cu_labels none = {};
    RG_BY_FLOAT(dtype, softmax_of, (outer, n, inner, x, NULL, none, y, NULL, stream))
    return true;
}

extern "C" bool rg_cu_softmax_loss(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                                   const void *x, const void *soft, rg_cu_labels hard,
                                   void *softmax, void *loss, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, softmax_of, (outer, n, inner, x, soft, hard, softmax, loss, stream))
    return true;
}

template <typename T>
RG_KERNEL softmax_grad(int64_t rows, int64_t n, int64_t inner, int lanes, const T *y, const T *dy,
                       T *dx)
{
    int lane = (int)threadIdx.x % lanes;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    if (row >= rows)
        return;
    row_at r = row_of(row, n, inner);
    T dot = 0;
    for (int64_t j = lane; j < n; j += lanes)
        dot += y[r.at + j * r.step] * dy[r.at + j * r.step];
    dot = over_lanes(dot, lanes);
    for (int64_t j = lane; j < n; j += lanes) {
        int64_t at = r.at + j * r.step;
        dx[at] = y[at] * (dy[at] - dot);
    }
}

template <typename T>
static void softmax_grad_of(int64_t outer, int64_t n, int64_t inner, const void *y, const void *dy,
                            void *dx, cudaStream_t stream)
{
    int64_t rows = outer * inner;
    int lanes = n > SHORT && inner == 1 ? 32 : 1, threads = lanes == 1 ? 128 : 256;
    if (rows * n == 0)
        return;
    RG_LAUNCH_SYNC(softmax_grad<T>, (unsigned)((rows * lanes + threads - 1) / threads), threads,
                   stream, rows, n, inner, lanes, (const T *)y, (const T *)dy, (T *)dx);
}

extern "C" bool rg_cu_softmax_grad(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                                   const void *y, const void *dy, void *dx, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, softmax_grad_of, (outer, n, inner, y, dy, dx, stream))
    return true;
}

/* dx = dloss (softmax - label). dx may be softmax. */
template <typename T>
RG_KERNEL softmax_loss_grad(int64_t all, int64_t n, int64_t inner, const T *softmax, const T *soft,
                            rg_cu_labels hard, const T *dloss, T *dx)
{
    RG_EACH(at, all) {
        int64_t row = at / (n * inner) * inner + at % inner, j = at / inner % n;
        if (soft != NULL) {
            dx[at] = (softmax[at] - soft[at]) * dloss[row];
            continue;
        }
        int64_t label = label_at(&hard, row);
        bool counts = j == 0 ? is_class(&hard, label, row, n) : label != hard.ignored;
        T weight = counts ? dloss[row] : (T)0, g = softmax[at] * weight;
        dx[at] = counts && label == j ? g - weight : g;
    }
}

template <typename T>
static void softmax_loss_grad_of(int64_t all, int64_t n, int64_t inner, const void *softmax,
                                 const void *soft, rg_cu_labels hard, const void *dloss, void *dx,
                                 cudaStream_t stream)
{
    if (all > 0)
        RG_LAUNCH(softmax_loss_grad<T>, rg_blocks(all, RG_THREADS), RG_THREADS, stream, all, n,
                  inner, (const T *)softmax, (const T *)soft, hard, (const T *)dloss, (T *)dx);
}

extern "C" bool rg_cu_softmax_loss_grad(rg_dtype dtype, int64_t outer, int64_t n, int64_t inner,
                                        const void *softmax, const void *soft, rg_cu_labels hard,
                                        const void *dloss, void *dx, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, softmax_loss_grad_of,
                (outer * n * inner, n, inner, softmax, soft, hard, dloss, dx, stream))
    return true;
}

/* ---- of probabilities ---- */

template <typename T> RG_DEVICE T minus_log(T x)
{
    T loss = -rg_log(x);
    return loss > (T)1e20 ? (T)1e20 : loss < (T)-1e20 ? (T)-1e20 : loss;
}

template <typename T>
RG_KERNEL cross_entropy(int64_t rows, int64_t n, const T *x, const T *soft, rg_cu_labels hard, T *y,
                        T *match)
{
    RG_EACH(i, rows) {
        if (soft != NULL) {
            T sum = 0;
            for (int64_t j = i * n; j < (i + 1) * n; j++)
                sum += soft[j] * minus_log(x[j]);
            y[i] = sum;
            continue;
        }
        int64_t label = label_at(&hard, i);
        bool counts = is_class(&hard, label, i, n);
        T p = counts ? x[i * n + label] : (T)0;
        y[i] = counts ? minus_log(p) : (T)0;
        if (match != NULL)
            match[i] = p;
    }
}

template <typename T>
static void cross_entropy_of(int64_t rows, int64_t n, const void *x, const void *soft,
                             rg_cu_labels hard, void *y, void *match, cudaStream_t stream)
{
    if (rows > 0)
        RG_LAUNCH(cross_entropy<T>, rg_blocks(rows, RG_THREADS), RG_THREADS, stream, rows, n,
                  (const T *)x, (const T *)soft, hard, (T *)y, (T *)match);
}

extern "C" bool rg_cu_cross_entropy(rg_dtype dtype, int64_t rows, int64_t n, const void *x,
                                    const void *soft, rg_cu_labels hard, void *y, void *match,
                                    cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, cross_entropy_of, (rows, n, x, soft, hard, y, match, stream))
    return true;
}

template <typename T>
RG_KERNEL cross_entropy_grad(int64_t all, int64_t n, const T *x, bool matched, const T *soft,
                             rg_cu_labels hard, const T *dy, T *dx)
{
    RG_EACH(at, all) {
        int64_t i = at / n, j = at % n;
        if (soft != NULL) {
            dx[at] = soft[at] == 0 ? (T)0 : -dy[i] * soft[at] / x[at];
            continue;
        }
        int64_t label = label_at(&hard, i);
        if (j == 0)
            (void)is_class(&hard, label, i, n);
        dx[at] = label == j && label != hard.ignored ? -dy[i] / x[matched ? i : at] : (T)0;
    }
}

template <typename T>
static void cross_entropy_grad_of(int64_t rows, int64_t n, const void *x, bool matched,
                                  const void *soft, rg_cu_labels hard, const void *dy, void *dx,
                                  cudaStream_t stream)
{
    if (rows * n > 0)
        RG_LAUNCH(cross_entropy_grad<T>, rg_blocks(rows * n, RG_THREADS), RG_THREADS, stream,
                  rows * n, n, (const T *)x, matched, (const T *)soft, hard, (const T *)dy,
                  (T *)dx);
}

extern "C" bool rg_cu_cross_entropy_grad(rg_dtype dtype, int64_t rows, int64_t n, const void *x,
                                         bool matched, const void *soft, rg_cu_labels hard,
                                         const void *dy, void *dx, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, cross_entropy_grad_of,
                (rows, n, x, matched, soft, hard, dy, dx, stream))
    return true;
}

/* ---- softmax, loss, mean and gradient at once ---- */

enum { MEAN_THREADS = 128, MEAN_BLOCKS = 512 };

static unsigned mean_blocks(int64_t rows, int64_t n)
{
    int64_t of_block = n > SHORT ? MEAN_THREADS / 32 : MEAN_THREADS;
    int64_t blocks = (rows + of_block - 1) / of_block;
    int64_t most = MEAN_BLOCKS;
    return (unsigned)(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

extern "C" int64_t rg_cu_softmax_mean_room(int64_t rows, int64_t n)
{
    return mean_blocks(rows, n);
}

/* Rows go round the blocks; each adds up its losses, and the last block those sums, in order. */
RG_KERNEL softmax_mean(int64_t rows, int64_t n, int lanes, const float *x, rg_cu_labels labels,
                       float scale, float *softmax, float *y, float *mean, float *dx, float *room,
                       unsigned *counters)
{
    RG_SHARED float shared[32];
    int lane = (int)threadIdx.x % lanes, of_block = MEAN_THREADS / lanes;
    float total = 0;
    for (int64_t first = (int64_t)blockIdx.x * of_block; first < rows;
         first += (int64_t)gridDim.x * of_block) {
        int64_t row = first + threadIdx.x / lanes;
        if (row >= rows)
            break; /* whole warps where a warp has a row */
        row_at r = {row * n, 1};
        float max = largest(x, r, n, lane, lanes), sum = 0;
        for (int64_t j = lane; j < n; j += lanes)
            sum += exp_above(x[r.at + j] - max);
        sum = over_lanes(sum, lanes);
        int64_t label = label_at(&labels, row);
        bool counts = label != labels.ignored && label >= 0 && label < n;
        if (lane == 0 && !counts)
            (void)is_class(&labels, label, row, n);
        float weight = counts ? scale / (float)rows : 0, lost = 0;
        for (int64_t j = lane; j < n; j += lanes) {
            float part = exp_above(x[r.at + j] - max) / sum;
            if (counts && j == label)
                lost = minus_log(part);
            if (softmax != NULL)
                softmax[r.at + j] = part;
            if (dx != NULL)
                dx[r.at + j] = counts && j == label ? part * weight - weight : part * weight;
        }
        lost = over_lanes(lost, lanes);
        if (lane == 0) {
            total += lost;
            if (y != NULL)
                y[row] = lost;
        }
    }
    if (mean == NULL)
        return;
    total = rg_block_sum(total, shared);
    if (threadIdx.x == 0)
        room[blockIdx.x] = total;
    if (!rg_last_block(counters, gridDim.x))
        return;
    total = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += MEAN_THREADS)
        total += room[k];
    total = rg_block_sum(total, shared);
    if (threadIdx.x == 0)
        *mean = total / (float)rows;
}

extern "C" void rg_cu_softmax_mean(int64_t rows, int64_t n, const float *x, rg_cu_labels labels,
                                   float scale, float *softmax, float *y, float *mean, float *dx,
                                   float *room, unsigned *counters, cudaStream_t stream)
{
    RG_LAUNCH_SYNC(softmax_mean, mean_blocks(rows, n), MEAN_THREADS, stream, rows, n,
                   n > SHORT ? 32 : 1, x, labels, scale, softmax, y, mean, dx, room, counters);
}
