/* layer.cu - fully connected layers in tiles on the tensor cores (tile.h): a product with its bias
 * and activation as one launch, dX = dZ W^T with the slope before it as another, and dW = X^T dZ
 * with the sums of dZ's columns, for the bias, and the SGD step of both as a third. Long sums are
 * parted among blocks; the last of a tile's adds the parts up, in their order, or where there are
 * many a kernel of its own. */
#include "gpu/activate.h"
#include "gpu/tile.h"

/* Four, or two, neighbours; all are aligned so. */
RG_DEVICE void load_some(float v[4], const float *from, int n)
{
    if (n == 4) {
        float4 x = *(const float4 *)from;
        v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
    } else {
        float2 x = *(const float2 *)from;
        v[0] = x.x, v[1] = x.y, v[2] = v[3] = 0;
    }
}

RG_DEVICE void clear_some(float v[4])
{
    v[0] = v[1] = v[2] = v[3] = 0;
}

RG_DEVICE void store_some(float *to, const float v[4], int n)
{
    if (n == 4) {
        float4 x = {v[0], v[1], v[2], v[3]};
        *(float4 *)to = x;
    } else {
        float2 x = {v[0], v[1]};
        *(float2 *)to = x;
    }
}

/* ---- forward ---- */

template <class T> RG_KERNEL RG_BOUNDS(T::THREADS, T::BLOCKS) layer_tiles(rg_cu_layer l)
{
    RG_DYNAMIC(shared);
    rg_sums<T> s;
    int across = (l.n + T::N - 1) / T::N;
    int row = (int)blockIdx.x / across * T::M, column = (int)blockIdx.x % across * T::N;
    rg_factors f = {l.x, l.w, l.m, l.n, l.k};
    rg_multiply_tile<T, true, false>(&s, f, row, column, 0, l.k, false, shared);
    rg_each_result<T, true>(
        &s, row, column, l.m, l.n,
        [&](int, int c, float *bias, int n) {
            clear_some(bias);
            if (l.bias != NULL)
                load_some(bias, l.bias + c, n);
        },
        [&](int r, int c, float *v, const float *bias, int n) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] = rg_activate(l.act, v[i] + bias[i]);
            store_some(l.out + (int64_t)r * l.n + c, v, n);
        });
}

/* ---- back ---- */

template <class T> RG_KERNEL RG_BOUNDS(T::THREADS, T::BLOCKS) layer_back_x(rg_cu_layer_back b)
{
    RG_DYNAMIC(shared);
    rg_sums<T> s;
    int block = (int)blockIdx.x;
    int across = (b.k + T::N - 1) / T::N;
    int row = block / across * T::M, column = block % across * T::N;
    rg_factors f = {b.dz, b.w, b.m, b.k, b.n};
    rg_multiply_tile<T, true, true>(&s, f, row, column, 0, b.n, false, shared);
    rg_each_result<T, true>(
        &s, row, column, b.m, b.k,
        [&](int r, int c, float *x, int n) {
            clear_some(x);
            if (b.x_act != RG_CU_NONE)
                load_some(x, b.x + (int64_t)r * b.k + c, n);
        },
        [&](int r, int c, float *v, const float *x, int n) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] *= rg_slope(b.x_act, x[i]);
            store_some(b.dx + (int64_t)r * b.k + c, v, n);
        });
}

/* Sums of dW go where they are wanted; w is what the weight is there. */
RG_DEVICE void put_w(const rg_cu_layer_back &b, int64_t at, const float v[4], const float w[4],
                     float rate, int n)
{
    float less[4];
    if (b.dw != NULL)
        store_some(b.dw + at, v, n);
    if (b.w_out == NULL || at >= (int64_t)b.rows * b.n)
        return;
#pragma unroll
    for (int i = 0; i < 4; i++)
        less[i] = w[i] - rate * v[i];
    store_some(b.w_out + at, less, n);
}

RG_DEVICE void put_bias(const rg_cu_layer_back &b, int column, float sum)
{
    if (b.dbias != NULL)
        b.dbias[column] = sum;
    if (b.bias_out != NULL)
        b.bias_out[column] -= *b.rate * sum;
}

/* A part's sums: all of dW, then those of the columns. */
RG_DEVICE int64_t part_size(const rg_cu_layer_back &b)
{
    return (int64_t)(b.k + 1) * b.n;
}

/* Call put(column, sum) by the lanes that have sums of columns; all lanes come here. */
template <class T, class F>
RG_DEVICE void each_column(const rg_sums<T> &s, int column, int columns, F put)
{
    int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, g = lane / 4;
    column += warp % T::WN * (T::N / T::WN);
#pragma unroll
    for (int j = 0; j < T::NT; j++) {
        float sum = s.column[j];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        int c = column +
                (T::NT % 2 != 0 && j == T::NT - 1 ? j * 8 + g : j / 2 * 16 + 2 * g + j % 2);
        if (warp < T::WN && lane % 4 == 0 && c < columns)
            put(c, sum);
    }
}

/* The sum of the parts from `first` on, each `step` of them, at an element, in their order; eight
 * loads are on their way at a time. */
RG_DEVICE void sum_of_parts(const rg_cu_layer_back &b, int first, int parts, int step, int64_t at,
                            float v[4], int n)
{
    int64_t size = part_size(b);
    clear_some(v);
#pragma unroll 8
    for (int p = first; p < parts; p += step) {
        float more[4];
        load_some(more, b.room + p * size + at, n);
        for (int i = 0; i < 4; i++)
            v[i] += more[i];
    }
}

template <class T> RG_KERNEL RG_BOUNDS(T::THREADS, T::BLOCKS) layer_back_w(rg_cu_layer_back b)
{
    RG_DYNAMIC(shared);
    rg_sums<T> s;
    int block = (int)blockIdx.x;
    int across = (b.n + T::N - 1) / T::N, tiles = across * ((b.k + T::M - 1) / T::M);
    int tile = block % tiles, part = block / tiles;
    int row = tile / across * T::M, column = tile % across * T::N;
    int each = ((b.m + b.parts - 1) / b.parts + RG_DEPTH - 1) / RG_DEPTH * RG_DEPTH;
    int from = part * each, to = from + each < b.m ? from + each : b.m;
    bool sums = row == 0 && (b.dbias != NULL || b.bias_out != NULL);
    float rate = b.rate ? *b.rate : 0;
    rg_factors f = {b.x, b.dz, b.k, b.n, b.m};
    rg_multiply_tile<T, false, false>(&s, f, row, column, from, to, sums, shared);
    auto weight = [&](int r, int c, float *w, int n) {
        clear_some(w);
        if (b.w_out != NULL)
            load_some(w, b.w_out + (int64_t)r * b.n + c, n);
    };
    if (b.parts == 1) {
        rg_each_result<T, false>(&s, row, column, b.k, b.n, weight,
                                 [&](int r, int c, float *v, const float *w, int n) {
                                     put_w(b, (int64_t)r * b.n + c, v, w, rate, n);
                                 });
        if (sums)
            each_column<T>(s, column, b.n, [&](int c, float sum) { put_bias(b, c, sum); });
        return;
    }
    float *room = b.room + part * part_size(b);
    rg_each_result<T, false>(
        &s, row, column, b.k, b.n, [](int, int, float *, int) {},
        [&](int r, int c, float *v, const float *, int n) {
            store_some(room + (int64_t)r * b.n + c, v, n);
        });
    if (sums)
        each_column<T>(s, column, b.n,
                       [&](int c, float sum) { room[(int64_t)b.k * b.n + c] = sum; });
    if (b.parts > RG_CU_FEW_PARTS || !rg_last_block(b.counters + tile, (unsigned)b.parts))
        return;
    rg_each_result<T, false>(&s, row, column, b.k, b.n, weight,
                             [&](int r, int c, float *v, const float *w, int n) {
                                 int64_t at = (int64_t)r * b.n + c;
                                 sum_of_parts(b, 0, b.parts, 1, at, v, n);
                                 put_w(b, at, v, w, rate, n);
                             });
    if (sums)
        each_column<T>(s, column, b.n, [&](int c, float) {
            float v[4];
            sum_of_parts(b, 0, b.parts, 1, (int64_t)b.k * b.n + c / 4 * 4, v, 4);
            put_bias(b, c, v[c % 4]);
        });
}

/* Many parts: four threads, eight lanes apart, have four sums, a quarter of the parts each. */
RG_KERNEL sum_parts(rg_cu_layer_back b)
{
    int64_t weights = (int64_t)b.k * b.n;
    int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t e = (thread / 32 * 8 + thread % 8) * 4;
    int quarter = (int)(thread / 8 % 4);
    float v[4] = {0, 0, 0, 0}, w[4];
    if (e < part_size(b))
        sum_of_parts(b, quarter, b.parts, 4, e, v, 4);
    for (int i = 0; i < 4; i++) {
        v[i] += __shfl_xor_sync(0xffffffffu, v[i], 8);
        v[i] += __shfl_xor_sync(0xffffffffu, v[i], 16);
    }
    if (quarter > 0 || e >= part_size(b))
        return;
    clear_some(w);
    if (e < weights && b.w_out != NULL)
        load_some(w, b.w_out + e, 4);
    if (e < weights)
        put_w(b, e, v, w, b.rate ? *b.rate : 0, 4);
    else
        for (int i = 0; i < 4; i++)
            put_bias(b, (int)(e - weights) + i, v[i]);
}

/* ---- which tiles ---- */

template <class T> static int64_t tiles_of(int64_t rows, int64_t columns)
{
    return (rows + T::M - 1) / T::M * ((columns + T::N - 1) / T::N);
}

template <class T> static bool run_layer(const rg_cu_layer *l, cudaStream_t stream)
{
    static bool allowed[RG_GPU_MAX];
    if (!rg_allow_shared(layer_tiles<T>, T::SHARED, allowed))
        return false;
    RG_LAUNCH_SHARED(layer_tiles<T>, (unsigned)tiles_of<T>(l->m, l->n), T::THREADS, T::SHARED,
                     stream, *l);
    return true;
}

template <class T> static bool run_back_x(const rg_cu_layer_back *b, cudaStream_t stream)
{
    static bool allowed[RG_GPU_MAX];
    if (!rg_allow_shared(layer_back_x<T>, T::SHARED, allowed))
        return false;
    RG_LAUNCH_SHARED(layer_back_x<T>, (unsigned)tiles_of<T>(b->m, b->k), T::THREADS, T::SHARED,
                     stream, *b);
    return true;
}

extern "C" void rg_cu_sum_parts(const rg_cu_layer_back *b, cudaStream_t stream)
{
    int64_t threads = ((int64_t)(b->k + 1) * b->n / 4 + 7) / 8 * 32;
    RG_LAUNCH_SYNC(sum_parts, (unsigned)((threads + 127) / 128), 128, stream, *b);
}

template <class T> static bool run_back_w(const rg_cu_layer_back *b, cudaStream_t stream)
{
    static bool allowed[RG_GPU_MAX];
    if (!rg_allow_shared(layer_back_w<T>, T::SHARED, allowed))
        return false;
    RG_LAUNCH_SHARED(layer_back_w<T>, (unsigned)(tiles_of<T>(b->k, b->n) * b->parts), T::THREADS,
                     T::SHARED, stream, *b);
    if (b->parts > RG_CU_FEW_PARTS)
        rg_cu_sum_parts(b, stream);
    return true;
}

/* Few rows: as many blocks as can be, with the sum in slices; then larger ones, which read less. */
template <bool EXACT> using tiling0 = rg_tiling<64, 32, 2, 2, 2, 4, 2, EXACT>;
template <bool EXACT> using tiling1 = rg_tiling<64, 64, 2, 2, 1, 4, 2, EXACT>;
template <bool EXACT> using tiling2 = rg_tiling<128, 64, 2, 2, 1, 3, 2, EXACT>;
/* For dW, whose sums are long, in place of the one before. */
template <bool EXACT> using tiling3 = rg_tiling<80, 160, 1, 4, 1, 3, 2, EXACT>;

extern "C" bool rg_cu_layer_run(int tiling, bool exact, const rg_cu_layer *l, cudaStream_t stream)
{
    typedef bool (*runs)(const rg_cu_layer *, cudaStream_t);
    static const runs all[RG_CU_TILINGS][2] = {
        {run_layer<tiling0<false>>, run_layer<tiling0<true>>},
        {run_layer<tiling1<false>>, run_layer<tiling1<true>>},
        {run_layer<tiling2<false>>, run_layer<tiling2<true>>}};
    return all[tiling][exact](l, stream);
}

typedef bool (*run_of_back)(const rg_cu_layer_back *, cudaStream_t);

extern "C" bool rg_cu_layer_back_x(int tiling, bool exact, const rg_cu_layer_back *b,
                                   cudaStream_t stream)
{
    static const run_of_back all[RG_CU_TILINGS][2] = {
        {run_back_x<tiling0<false>>, run_back_x<tiling0<true>>},
        {run_back_x<tiling1<false>>, run_back_x<tiling1<true>>},
        {run_back_x<tiling2<false>>, run_back_x<tiling2<true>>}};
    return all[tiling][exact](b, stream);
}

extern "C" bool rg_cu_layer_back_w(int tiling, bool exact, const rg_cu_layer_back *b,
                                   cudaStream_t stream)
{
    static const run_of_back all[RG_CU_TILINGS][2] = {
        {run_back_w<tiling0<false>>, run_back_w<tiling0<true>>},
        {run_back_w<tiling1<false>>, run_back_w<tiling1<true>>},
        {run_back_w<tiling3<false>>, run_back_w<tiling3<true>>}};
    return all[tiling][exact](b, stream);
}

extern "C" int rg_cu_layer_back_parts(int tiling, int64_t m, int64_t n, int64_t k, int quarters)
{
    static const int size[RG_CU_TILINGS][2] = {{64, 32}, {64, 64}, {80, 160}};
    int64_t tiles = (k + size[tiling][0] - 1) / size[tiling][0] *
                    ((n + size[tiling][1] - 1) / size[tiling][1]);
    int64_t parts = 132 * quarters / 4 / (tiles ? tiles : 1);
    parts = parts > m / 96 ? m / 96 : parts;
    return (int)(parts < 1 ? 1 : parts > 40 ? 40 : parts);
}
