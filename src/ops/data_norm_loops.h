/* data_norm_loops.h - the loops of data_norm.c for one element type, T, with the suffix S.
 * Included once for each type. `group` is the number of columns that are shown or not
 * together, by the first of them; 0: all columns always are. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define N(name)      PASTE(name, S)

static void N(statistics)(int64_t n, const T *size, const T *sum, const T *squares, T *means,
                          T *scales)
{
    for (int64_t i = 0; i < n; i++) {
        means[i] = sum[i] / size[i];
        scales[i] = RG_SQRT(size[i] / squares[i]);
    }
}

/* Whether column i of a row counts. */
RG_INLINE bool N(counts)(const T *row, int64_t i, int64_t group)
{
    return group == 0 || SHOWN(row[i - i % group]);
}

RG_HOT static void N(norm)(int64_t rows, int64_t columns, int64_t group, const T *x, const T *means,
                           const T *scales, const T *factor, const T *shift, T *y)
{
    for (int64_t r = 0; r < rows; r++, x += columns, y += columns) {
        for (int64_t i = 0; i < columns; i++)
            y[i] = (x[i] - means[i]) * scales[i];
        for (int64_t i = 0; factor != NULL && i < columns; i++)
            y[i] = y[i] * factor[i] + shift[i];
        for (int64_t i = 0; group > 0 && i < columns; i++)
            y[i] = N(counts)(x, i, group) ? y[i] : 0;
    }
}

RG_HOT static void N(batch_statistics)(int64_t rows, int64_t columns, int64_t group, float epsilon,
                                       const T *x, const T *means, T *size, T *sum, T *squares)
{
    for (int64_t r = 0; r < rows; r++, x += columns)
        for (int64_t i = 0; i < columns; i++) {
            if (group > 0 && !N(counts)(x, i, group))
                continue;
            size[i] += 1;
            sum[i] += x[i];
            squares[i] += (x[i] - means[i]) * (x[i] - means[i]);
        }
    for (int64_t i = 0; i < columns; i++) {
        T n = size[i];
        if (group > 0 && n > 0) {
            sum[i] /= n;
            squares[i] /= n;
            size[i] = 1;
        }
        squares[i] += n * (T)epsilon;
    }
}

static void N(shift_grad)(int64_t rows, int64_t columns, int64_t group, const T *x, const T *dy,
                          const T *means, const T *scales, T *dfactor, T *dshift)
{
    for (int64_t r = 0; r < rows; r++, x += columns, dy += columns)
        for (int64_t i = 0; i < columns; i++) {
            if (!N(counts)(x, i, group))
                continue;
            dfactor[i] += dy[i] * ((x[i] - means[i]) * scales[i]);
            dshift[i] += dy[i];
        }
}

/* Without scale and shift, what was not shown has a gradient all the same, as in Paddle. */
RG_HOT static void N(back)(int64_t rows, int64_t columns, int64_t group, const T *x, const T *dy,
                           const T *scales, const T *factor, T *dx)
{
    for (int64_t r = 0; r < rows; r++, x += columns, dy += columns, dx += columns) {
        for (int64_t i = 0; i < columns; i++)
            dx[i] = dy[i] * scales[i] * (factor ? factor[i] : 1);
        for (int64_t i = 0; group > 0 && factor != NULL && i < columns; i++)
            dx[i] = N(counts)(x, i, group) ? dx[i] : 0;
    }
}

#undef PASTE_
#undef PASTE
#undef N
#undef T
#undef S
