/* cos_sim.cu - the cosine between rows, a warp for each; float32. */
#include "gpu/cuda.h"

RG_DEVICE float norm_of(float square)
{
    return sqrtf(square < 1e-8f ? 1e-8f : square);
}

RG_KERNEL cos_sim(int64_t rows, int64_t width, bool one, const float *x, const float *y, float *out,
                  float *x_norm, float *y_norm)
{
    int lane = (int)threadIdx.x % 32;
    int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, j = one ? 0 : i;
    if (i >= rows)
        return;
    float xx = 0, yy = 0, xy = 0;
    for (int64_t k = lane; k < width; k += 32) {
        float a = x[i * width + k], b = y[j * width + k];
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    float of_x = norm_of(rg_warp_sum(xx)), of_y = norm_of(rg_warp_sum(yy));
    xy = rg_warp_sum(xy);
    if (lane != 0)
        return;
    out[i] = xy / (of_x * of_y);
    x_norm[i] = of_x;
    if (i == j)
        y_norm[j] = of_y;
}

extern "C" void rg_cu_cos_sim(int64_t rows, int64_t width, bool one, const float *x, const float *y,
                              float *out, float *x_norm, float *y_norm, cudaStream_t stream)
{
    if (rows > 0)
        RG_LAUNCH_SYNC(cos_sim, (unsigned)((rows + 7) / 8), 256, stream, rows, width, one, x, y,
                       out, x_norm, y_norm);
}

/* What the cosine of row x with row y does to an element of x. */
RG_DEVICE float slope(float x, float y, float x_norm, float y_norm, float cosine, float dout)
{
    return dout / (x_norm * y_norm) * y - dout * cosine / (x_norm * x_norm) * x;
}

RG_KERNEL cos_sim_dx(int64_t rows, int64_t width, bool one, const float *x, const float *y,
                     const float *x_norm, const float *y_norm, const float *out, const float *dout,
                     float *dx)
{
    RG_EACH(e, rows * width) {
        int64_t i = e / width, j = one ? 0 : i;
        dx[e] = slope(x[e], y[j * width + e % width], x_norm[i], y_norm[j], out[i], dout[i]);
    }
}

/* One row of y for all: what all of them do to it, in their order. */
RG_KERNEL cos_sim_dy(int64_t rows, int64_t width, bool one, const float *x, const float *y,
                     const float *x_norm, const float *y_norm, const float *out, const float *dout,
                     float *dy)
{
    RG_EACH(e, one ? width : rows * width) {
        float sum = 0;
        for (int64_t i = one ? 0 : e / width; i < (one ? rows : e / width + 1); i++)
            sum += slope(y[e], x[i * width + e % width], y_norm[one ? 0 : i], x_norm[i], out[i],
                         dout[i]);
        dy[e] = sum;
    }
}

extern "C" void rg_cu_cos_sim_grad(int64_t rows, int64_t width, bool one, const float *x,
                                   const float *y, const float *x_norm, const float *y_norm,
                                   const float *out, const float *dout, float *dx, float *dy,
                                   cudaStream_t stream)
{
    int64_t n = rows * width, of_y = one ? width : n;
    if (dx != NULL && n > 0)
        RG_LAUNCH(cos_sim_dx, rg_blocks(n, RG_THREADS), RG_THREADS, stream, rows, width, one, x, y,
                  x_norm, y_norm, out, dout, dx);
    if (dy != NULL && of_y > 0)
        RG_LAUNCH(cos_sim_dy, rg_blocks(of_y, RG_THREADS), RG_THREADS, stream, rows, width, one, x,
                  y, x_norm, y_norm, out, dout, dy);
}
