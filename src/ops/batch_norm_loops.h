/* batch_norm_loops.h - the loops of batch_norm.c for one element type, T, with the suffix S.
 * Included once for each type. X is taken as [outer, channels, space]: where space is 1,
 * rows of channels are gone through, else the plane of each channel. Sums over many planes
 * or rows are kept in doubles. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define N(name)      PASTE(name, S)

/* Mean and variance of each channel; sum: memory for the channels. */
RG_HOT static void N(row_moments)(const extents *e, const T *x, double *sum, T *mean, T *variance)
{
    int64_t c = e->channels;
    memset(sum, 0, (size_t)c * sizeof *sum);
    for (int64_t n = 0; n < e->outer; n++)
        for (int64_t i = 0; i < c; i++)
            sum[i] += (double)x[n * c + i];
    for (int64_t i = 0; i < c; i++) {
        mean[i] = (T)(sum[i] / (double)e->outer);
        sum[i] = 0;
    }
    for (int64_t n = 0; n < e->outer; n++)
        for (int64_t i = 0; i < c; i++) {
            double from = (double)(x[n * c + i] - mean[i]);
            sum[i] += from * from;
        }
    for (int64_t i = 0; i < c; i++)
        variance[i] = (T)(sum[i] / (double)e->outer);
}

static void N(plane_moments)(const extents *e, const T *x, T *mean, T *variance)
{
    int64_t step = e->channels * e->space;
    double count = (double)(e->outer * e->space);
    for (int64_t i = 0; i < e->channels; i++) {
        double sum = 0, squares = 0;
        for (int64_t n = 0; n < e->outer; n++)
            sum += (double)N(rg_sum)(x + n * step + i * e->space, e->space);
        mean[i] = (T)(sum / count);
        for (int64_t n = 0; n < e->outer; n++)
            squares += (double)N(rg_squares)(x + n * step + i * e->space, mean[i], e->space);
        variance[i] = (T)(squares / count);
    }
}

/* y = (x - mean) * factor + shift, by channel. */
RG_HOT static void N(apply)(const extents *e, const T *x, const T *mean, const T *factor,
                            const T *shift, T *y)
{
    if (e->space == 1) {
        for (int64_t n = 0; n < e->outer; n++, x += e->channels, y += e->channels)
            for (int64_t i = 0; i < e->channels; i++)
                y[i] = (x[i] - mean[i]) * factor[i] + shift[i];
        return;
    }
    for (int64_t n = 0; n < e->outer; n++)
        for (int64_t i = 0; i < e->channels; i++, x += e->space, y += e->space)
            for (int64_t k = 0; k < e->space; k++)
                y[k] = (x[k] - mean[i]) * factor[i] + shift[i];
}

static void N(forward)(const extents *e, const T *x, const T *scale, const T *bias, const T *mean,
                       const T *inverse, T *factor, T *y)
{
    for (int64_t i = 0; i < e->channels; i++)
        factor[i] = scale[i] * inverse[i];
    N(apply)(e, x, mean, factor, bias, y);
}

static void N(invert)(int64_t n, const T *variance, float epsilon, T *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = 1 / RG_SQRT(variance[i] + (T)epsilon);
}

/* running = momentum * running + (1 - momentum) * batch */
static void N(advance)(int64_t n, float momentum, const T *old, const T *batch, T *running)
{
    for (int64_t i = 0; i < n; i++)
        running[i] = old[i] * (T)momentum + batch[i] * (1 - (T)momentum);
}

/* ---- gradients ---- */

/* The sums of dy and of dy (x - mean) / deviation: the gradients of bias and scale. */
RG_HOT static void N(row_sums)(const extents *e, const T *x, const T *dy, const T *mean,
                               const T *inverse, double *sum, T *dbias, T *dscale)
{
    int64_t c = e->channels;
    double *product = sum + c;
    memset(sum, 0, (size_t)(2 * c) * sizeof *sum);
    for (int64_t n = 0; n < e->outer; n++, x += c, dy += c)
        for (int64_t i = 0; i < c; i++) {
            sum[i] += (double)dy[i];
            product[i] += (double)(dy[i] * (x[i] - mean[i]));
        }
    for (int64_t i = 0; i < c; i++) {
        dbias[i] = (T)sum[i];
        dscale[i] = (T)product[i] * inverse[i];
    }
}

static void N(plane_sums)(const extents *e, const T *x, const T *dy, const T *mean,
                          const T *inverse, T *dbias, T *dscale)
{
    int64_t step = e->channels * e->space;
    for (int64_t i = 0; i < e->channels; i++) {
        double sum = 0, product = 0;
        for (int64_t n = 0; n < e->outer; n++) {
            int64_t at = n * step + i * e->space;
            sum += (double)N(rg_sum)(dy + at, e->space);
            product += (double)N(rg_dot_from)(x + at, mean[i], dy + at, e->space);
        }
        dbias[i] = (T)sum;
        dscale[i] = (T)product * inverse[i];
    }
}

/* dx = factor dy + slope (x - mean) + shift, by channel. */
RG_HOT static void N(apply_back)(const extents *e, const T *x, const T *dy, const T *mean,
                                 const T *factor, const T *slope, const T *shift, T *dx)
{
    int64_t space = e->space, c = e->channels;
    if (space == 1) {
        for (int64_t n = 0; n < e->outer; n++, x += c, dy += c, dx += c)
            for (int64_t i = 0; i < c; i++)
                dx[i] = factor[i] * dy[i] + (slope[i] * (x[i] - mean[i]) + shift[i]);
        return;
    }
    for (int64_t n = 0; n < e->outer; n++)
        for (int64_t i = 0; i < c; i++, x += space, dy += space, dx += space)
            for (int64_t k = 0; k < space; k++)
                dx[k] = factor[i] * dy[k] + (slope[i] * (x[k] - mean[i]) + shift[i]);
}

/* Where mean and variance were those of the batch, dx has a part through each of them. */
static void N(backward)(const extents *e, bool of_batch, const T *x, const T *dy, const T *scale,
                        const T *mean, const T *inverse, const T *dscale, const T *dbias, T *work,
                        T *dx)
{
    int64_t c = e->channels;
    T *factor = work, *slope = work + c, *shift = work + 2 * c;
    T part = of_batch ? 1 / (T)(e->outer * e->space) : 0;
    for (int64_t i = 0; i < c; i++) {
        factor[i] = scale[i] * inverse[i];
        slope[i] = -factor[i] * inverse[i] * dscale[i] * part;
        shift[i] = -factor[i] * dbias[i] * part;
    }
    N(apply_back)(e, x, dy, mean, factor, slope, shift, dx);
}

#undef PASTE_
#undef PASTE
#undef N
#undef T
#undef S
