/* metric.cu - the largest of each row, accuracy, and the area under the ROC curve. */
#include "gpu/cuda.h"

/* ---- top_k ---- */

/* Whether a comes first: the larger, what is no number above all, of equal ones that which stood first. */
template <typename T> RG_DEVICE bool before(T a, int64_t at_a, T b, int64_t at_b)
{
    if (at_a < 0 || at_b < 0) /* there is none */
        return at_b < 0 && at_a >= 0;
    bool nan_a = a != a, nan_b = b != b;
    if (nan_a || nan_b)
        return nan_a == nan_b ? at_a < at_b : nan_a;
    return a > b || (a == b && at_a < at_b);
}

/* A warp for each row: each lane keeps the best of what it sees, then the best of the lanes' firsts
 * is taken k times. */
template <typename T>
RG_KERNEL top_k(int64_t rows, int64_t n, int k, const T *x, T *values, int64_t *places)
{
    int lane = (int)threadIdx.x % 32, have = 0, next = 0;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    T best[RG_CU_TOP];
    int64_t at[RG_CU_TOP];
    for (int64_t j = lane; j < n; j += 32) {
        T value = x[row * n + j];
        if (have == k && !before(value, j, best[k - 1], at[k - 1]))
            continue;
        int p = have < k ? have++ : k - 1;
        for (; p > 0 && before(value, j, best[p - 1], at[p - 1]); p--) {
            best[p] = best[p - 1];
            at[p] = at[p - 1];
        }
        best[p] = value;
        at[p] = j;
    }
    for (int r = 0; r < k; r++) {
        T value = next < have ? best[next] : (T)0;
        int64_t place = next < have ? at[next] : -1;
        for (int by = 16; by > 0; by /= 2) {
            T other = __shfl_xor_sync(0xffffffffu, value, by);
            int64_t there = __shfl_xor_sync(0xffffffffu, place, by);
            if (before(other, there, value, place)) {
                value = other;
                place = there;
            }
        }
        if (next < have && at[next] == place)
            next++;
        if (lane == 0 && values != NULL)
            values[row * k + r] = value;
        if (lane == 0 && places != NULL)
            places[row * k + r] = place;
    }
}

template <typename T>
static void top_k_of(int64_t rows, int64_t n, int k, const void *x, void *values, int64_t *places,
                     cudaStream_t stream)
{
    RG_LAUNCH_SYNC(top_k<T>, (unsigned)((rows + 7) / 8), 256, stream, rows, n, k, (const T *)x,
                   (T *)values, places);
}

extern "C" bool rg_cu_top_k(rg_dtype dtype, int64_t rows, int64_t n, int k, const void *x,
                            void *values, int64_t *places, cudaStream_t stream)
{
    if (rows == 0)
        return true;
    RG_BY_FLOAT(dtype, top_k_of, (rows, n, k, x, values, places, stream))
    return true;
}

template <typename T>
RG_KERNEL top_k_grad(int64_t found, int64_t n, int k, const T *dout, const int64_t *places, T *dx,
                     rg_gpu_site site)
{
    RG_EACH(i, found) {
        if (places[i] >= 0 && places[i] < n)
            atomicAdd(&dx[i / k * n + places[i]], dout[i]);
        else
            rg_fault(site, 0, 0, places[i], i, n);
    }
}

template <typename T>
static void top_k_grad_of(int64_t rows, int64_t n, int k, const void *dout, const int64_t *places,
                          void *dx, rg_gpu_site site, cudaStream_t stream)
{
    cudaMemsetAsync(dx, 0, (size_t)(rows * n) * sizeof(T), stream);
    RG_LAUNCH(top_k_grad<T>, rg_blocks(rows * k, RG_THREADS), RG_THREADS, stream, rows * k, n, k,
              (const T *)dout, places, (T *)dx, site);
}

extern "C" bool rg_cu_top_k_grad(rg_dtype dtype, int64_t rows, int64_t n, int k, const void *dout,
                                 const int64_t *places, void *dx, rg_gpu_site site,
                                 cudaStream_t stream)
{
    if (rows * n == 0)
        return true;
    RG_BY_FLOAT(dtype, top_k_grad_of, (rows, n, k, dout, places, dx, site, stream))
    return true;
}

/* ---- accuracy ---- */

RG_DEVICE int64_t whole_at(const void *data, bool wide, int64_t i)
{
    return wide ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i];
}

enum { ONE_BLOCK = 1024 };

RG_KERNEL accuracy(int64_t rows, int64_t k, const void *indices, bool wide_indices,
                   const void *labels, bool wide_labels, float *share, int32_t *correct,
                   int32_t *total)
{
    RG_SHARED int room[32];
    int right = 0;
    for (int64_t i = threadIdx.x; i < rows; i += ONE_BLOCK) {
        int64_t label = whole_at(labels, wide_labels, i);
        bool found = false;
        for (int64_t j = 0; j < k; j++)
            found = found || whole_at(indices, wide_indices, i * k + j) == label;
        right += found;
    }
    right = rg_block_sum(right, room);
    if (threadIdx.x != 0)
        return;
    if (share != NULL)
        *share = rows > 0 ? (float)right / (float)rows : 0;
    if (correct != NULL)
        *correct = right;
    if (total != NULL)
        *total = (int32_t)rows;
}

extern "C" void rg_cu_accuracy(int64_t rows, int64_t k, const void *indices, bool wide_indices,
                               const void *labels, bool wide_labels, float *share, int32_t *correct,
                               int32_t *total, cudaStream_t stream)
{
    RG_LAUNCH_SYNC(accuracy, 1, ONE_BLOCK, stream, rows, k, indices, wide_indices, labels,
                   wide_labels, share, correct, total);
}

/* ---- auc ---- */

enum { AUC_THREADS = 256 };

RG_DEVICE void count_up(int64_t *bin)
{
    atomicAdd((unsigned long long *)bin, 1ull);
}

/* The oldest of the window's batches gives way to this one. */
RG_DEVICE void slide(int64_t *stat, const int64_t *batch, int64_t bins, int64_t steps)
{
    int64_t *sum = stat + steps * bins, *counter = sum + bins;
    int64_t *oldest = stat + *counter % steps * bins;
    for (int64_t i = threadIdx.x; i < bins; i += AUC_THREADS) {
        sum[i] += batch[i] - oldest[i];
        oldest[i] = batch[i];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        (*counter)++;
    __syncthreads();
}

/* What the threads before this one have, of all: from the first thread on. */
RG_DEVICE double sum_before(double mine, double *room)
{
    int me = (int)threadIdx.x;
    __syncthreads();
    room[me] = mine;
    __syncthreads();
    for (int by = 1; by < AUC_THREADS; by *= 2) {
        double more = me >= by ? room[me - by] : 0;
        __syncthreads();
        room[me] += more;
        __syncthreads();
    }
    return room[me] - mine;
}

/* Trapezoids from the highest bin down; a thread has some bins side by side. */
RG_DEVICE void find_area(const int64_t *pos, const int64_t *neg, int64_t bins, double *area)
{
    RG_SHARED double room[AUC_THREADS];
    int64_t each = (bins + AUC_THREADS - 1) / AUC_THREADS, first = threadIdx.x * each;
    int64_t end = first + each < bins ? first + each : bins;
    double own_pos = 0, own_neg = 0, sum = 0;
    for (int64_t q = first; q < end; q++) {
        own_pos += (double)pos[bins - 1 - q];
        own_neg += (double)neg[bins - 1 - q];
    }
    double n_pos = sum_before(own_pos, room);
    for (int64_t q = first; q < end; q++) {
        double more = n_pos + (double)pos[bins - 1 - q];
        sum += (double)neg[bins - 1 - q] * (n_pos + more) / 2;
        n_pos = more;
    }
    double before = sum_before(sum, room) + sum, all_neg = sum_before(own_neg, room) + own_neg;
    if (threadIdx.x == AUC_THREADS - 1)
        *area = n_pos > 0 && all_neg > 0 ? before / n_pos / all_neg : 0;
}

template <typename T>
RG_KERNEL auc(int64_t n, int64_t width, const T *predict, const void *labels, bool wide,
              int64_t bins, int64_t steps, int64_t *pos, int64_t *neg, int64_t *batch,
              double *area, rg_gpu_site site, unsigned *counters)
{
    int64_t *to_pos = steps > 0 ? batch : pos, *to_neg = steps > 0 ? batch + bins : neg;
    RG_EACH(i, n) {
        T p = predict[i * width + width - 1];
        if (!(p >= 0 && p <= 1)) {
            rg_fault(site, 0, (double)p, 0, i, 0);
            continue;
        }
        int64_t bin = (int64_t)(p * (T)(bins - 1)), label = whole_at(labels, wide, i);
        if (label > 0)
            count_up(&to_pos[bin]);
        else if (label == 0)
            count_up(&to_neg[bin]);
    }
    if (!rg_last_block(counters, gridDim.x))
        return;
    if (steps > 0) {
        slide(pos, batch, bins, steps);
        slide(neg, batch + bins, bins, steps);
    }
    find_area(pos + steps * bins, neg + steps * bins, bins, area);
}

template <typename T>
static void auc_of(int64_t n, int64_t width, const void *predict, const void *labels, bool wide,
                   int64_t bins, int64_t steps, int64_t *pos, int64_t *neg, int64_t *room,
                   double *area, rg_gpu_site site, unsigned *counters, cudaStream_t stream)
{
    if (steps > 0)
        cudaMemsetAsync(room, 0, (size_t)(2 * bins) * sizeof *room, stream);
    RG_LAUNCH_SYNC(auc<T>, rg_blocks(n, AUC_THREADS), AUC_THREADS, stream, n, width,
                   (const T *)predict, labels, wide, bins, steps, pos, neg, room, area, site,
                   counters);
}

extern "C" bool rg_cu_auc(rg_dtype dtype, int64_t n, int64_t width, const void *predict,
                          const void *labels, bool wide_labels, int64_t bins, int64_t steps,
                          int64_t *pos, int64_t *neg, int64_t *room, double *area, rg_gpu_site site,
                          unsigned *counters, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, auc_of,
                (n, width, predict, labels, wide_labels, bins, steps, pos, neg, room, area, site,
                 counters, stream))
    return true;
}
