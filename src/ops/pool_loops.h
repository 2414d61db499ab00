/* pool_loops.h - the loops of pool.c for one element type, T, with the suffix S and its
 * lowest number LEAST. Included once for each type.
 *
 * A window is taken in two steps: its rows into one row, element by element, and that row
 * into one number for each window. Where channels are not last, the second step goes tap by
 * tap of the kernel over all windows of the row, so that it too is a loop of vectors.
 * Gradients go the same way back. */
#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define N(name)      PASTE(name, S)

/* A NaN in a window is its largest, wherever it stands. */
RG_INLINE T N(join)(bool max, T a, T b)
{
    return max ? (a != a ? a : b <= a ? a : b) : a + b;
}

/* The rows of the image that windows (z, y) cover, as one row. */
RG_INLINE void N(down)(bool max, const rg_pooling *p, const T *x, const int64_t lo[2],
                       const int64_t hi[2], T *row)
{
    int64_t width = p->in[2] * p->inner;
    bool first = true;
    for (int64_t z = lo[0]; z < hi[0]; z++)
        for (int64_t y = lo[1]; y < hi[1]; y++, first = false) {
            const T *from = x + (z * p->in[1] + y) * width;
            if (first)
                memcpy(row, from, (size_t)width * sizeof *row);
            else
                for (int64_t i = 0; i < width; i++)
                    row[i] = N(join)(max, row[i], from[i]);
        }
    for (int64_t i = 0; first && i < width; i++)
        row[i] = max ? LEAST : 0;
}

RG_INLINE void N(tap)(bool max, int64_t n, const T *row, int64_t stride, T *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = N(join)(max, out[i], row[i * stride]);
}

RG_INLINE void N(across_taps)(bool max, const rg_pooling *p, const T *row, T *out)
{
    int64_t lo, hi, s = p->stride[2];
    for (int64_t o = 0; o < p->out[2]; o++)
        out[o] = max ? LEAST : 0;
    for (int64_t k = 0; k < p->kernel[2]; k++) {
        rg_pooling_reach(p, k, &lo, &hi);
        const T *from = row + lo * s + k - p->before[2];
        if (s == 1)
            N(tap)(max, hi - lo, from, 1, out + lo);
        else if (s == 2)
            N(tap)(max, hi - lo, from, 2, out + lo);
        else
            N(tap)(max, hi - lo, from, s, out + lo);
    }
}

RG_INLINE void N(across_windows)(bool max, const rg_pooling *p, const T *row, T *out)
{
    int64_t c = p->inner;
    for (int64_t o = 0; o < p->out[2]; o++, out += c) {
        int64_t lo, hi;
        rg_pooling_range(p, 2, o, &lo, &hi);
        for (int64_t j = 0; j < c; j++)
            out[j] = max ? LEAST : 0;
        for (int64_t i = lo; i < hi; i++)
            for (int64_t j = 0; j < c; j++)
                out[j] = N(join)(max, out[j], row[i * c + j]);
    }
}

/* Averages: 1 over the part of each window of a row that counts, along the row. What counts
 * of the other axes is the same for the whole row. An empty window gives 0. */
static void N(parts)(const rg_pooling *p, bool exclusive, T *out)
{
    for (int64_t o = 0; o < p->out[2]; o++) {
        int64_t lo, hi;
        rg_pooling_range(p, 2, o, &lo, &hi);
        int64_t n = exclusive || p->adaptive ? hi - lo : p->kernel[2];
        out[o] = n > 0 ? 1 / (T)n : 0;
    }
}

RG_INLINE T N(part_of_row)(const rg_pooling *p, bool exclusive, const int64_t lo[2],
                           const int64_t hi[2])
{
    int64_t n = exclusive || p->adaptive ? (hi[0] - lo[0]) * (hi[1] - lo[1])
                                         : p->kernel[0] * p->kernel[1];
    return n > 0 ? 1 / (T)n : 0;
}

RG_INLINE void N(scale)(const rg_pooling *p, const T *from, const T *part, T row_part, T *to)
{
    if (p->inner == 1) {
        for (int64_t o = 0; o < p->out[2]; o++)
            to[o] = from[o] * (part[o] * row_part);
        return;
    }
    for (int64_t o = 0; o < p->out[2]; o++)
        for (int64_t j = 0; j < p->inner; j++)
            to[o * p->inner + j] = from[o * p->inner + j] * (part[o] * row_part);
}

/* row: memory for a row of the image; part: for a row of windows. */
RG_HOT static void N(pool)(bool max, bool exclusive, const rg_pooling *p, const T *x, T *out,
                           T *row, T *part)
{
    int64_t lo[2], hi[2], image = p->in[0] * p->in[1] * p->in[2] * p->inner;
    N(parts)(p, exclusive, part);
    for (int64_t n = 0; n < p->outer; n++, x += image)
        for (int64_t z = 0; z < p->out[0]; z++)
            for (int64_t y = 0; y < p->out[1]; y++, out += p->out[2] * p->inner) {
                rg_pooling_range(p, 0, z, &lo[0], &hi[0]);
                rg_pooling_range(p, 1, y, &lo[1], &hi[1]);
                if (max)
                    N(down)(true, p, x, lo, hi, row);
                else
                    N(down)(false, p, x, lo, hi, row);
                if (p->inner > 1 || p->adaptive)
                    N(across_windows)(max, p, row, out);
                else if (max)
                    N(across_taps)(true, p, row, out);
                else
                    N(across_taps)(false, p, row, out);
                if (!max)
                    N(scale)(p, out, part, N(part_of_row)(p, exclusive, lo, hi), out);
            }
}

/* ---- gradients: dx is zeroed before ---- */

/* The shares of a row of windows, added up along the row of the image. */
RG_INLINE void N(back_across)(const rg_pooling *p, const T *share, T *row)
{
    int64_t lo, hi, c = p->inner, s = p->stride[2];
    memset(row, 0, (size_t)(p->in[2] * c) * sizeof *row);
    if (c == 1 && !p->adaptive) {
        for (int64_t k = 0; k < p->kernel[2]; k++) {
            rg_pooling_reach(p, k, &lo, &hi);
            T *to = row + k - p->before[2];
            if (s == 1)
                for (int64_t o = lo; o < hi; o++)
                    to[o] += share[o];
            else
                for (int64_t o = lo; o < hi; o++)
                    to[o * s] += share[o];
        }
        return;
    }
    for (int64_t o = 0; o < p->out[2]; o++) {
        rg_pooling_range(p, 2, o, &lo, &hi);
        for (int64_t i = lo; i < hi; i++)
            for (int64_t j = 0; j < c; j++)
                row[i * c + j] += share[o * c + j];
    }
}

/* An average gives each of its elements the same share. */
RG_HOT static void N(spread)(bool exclusive, const rg_pooling *p, const T *dout, T *dx, T *row,
                             T *share, T *part)
{
    int64_t lo[2], hi[2], width = p->in[2] * p->inner;
    N(parts)(p, exclusive, part);
    for (int64_t n = 0; n < p->outer; n++, dx += p->in[0] * p->in[1] * width)
        for (int64_t z = 0; z < p->out[0]; z++)
            for (int64_t y = 0; y < p->out[1]; y++, dout += p->out[2] * p->inner) {
                rg_pooling_range(p, 0, z, &lo[0], &hi[0]);
                rg_pooling_range(p, 1, y, &lo[1], &hi[1]);
                N(scale)(p, dout, part, N(part_of_row)(p, exclusive, lo, hi), share);
                N(back_across)(p, share, row);
                for (int64_t v = lo[0]; v < hi[0]; v++)
                    for (int64_t u = lo[1]; u < hi[1]; u++) {
                        T *to = dx + (v * p->in[1] + u) * width;
                        for (int64_t i = 0; i < width; i++)
                            to[i] += row[i];
                    }
            }
}

/* Where in the image of one channel the first element of a window stands that equals the
 * largest, `out`; -1 where there is none. Which it is cannot be foreseen, so it is looked for
 * from the end and without a branch; no element is larger. */
RG_INLINE int64_t N(first_of)(const rg_pooling *p, const int64_t lo[3], int64_t depth,
                              int64_t height, int64_t width, const T *x, T out)
{
    int64_t at = -1;
    for (int64_t z = depth - 1; z >= 0; z--)
        for (int64_t y = height - 1; y >= 0; y--) {
            int64_t row = ((lo[0] + z) * p->in[1] + lo[1] + y) * p->in[2] + lo[2];
            for (int64_t i = width - 1; i >= 0; i--)
                at = x[row + i] >= out ? row + i : at;
        }
    return at;
}

/* The usual windows have loops of their own, unrolled. */
RG_INLINE void N(give_one)(const rg_pooling *p, const int64_t lo[3], const int64_t hi[3],
                           const T *x, T out, T g, T *dx)
{
    int64_t n[3], at;
    for (int i = 0; i < 3; i++)
        n[i] = hi[i] - lo[i];
    if (n[0] == 1 && n[1] == 2 && n[2] == 2)
        at = N(first_of)(p, lo, 1, 2, 2, x, out);
    else if (n[0] == 1 && n[1] == 3 && n[2] == 3)
        at = N(first_of)(p, lo, 1, 3, 3, x, out);
    else
        at = N(first_of)(p, lo, n[0], n[1], n[2], x, out);
    if (at >= 0)
        dx[at] += g;
}

/* One window at a time, all channels of it; `left` is what has not been given yet. */
RG_INLINE void N(give)(const rg_pooling *p, const int64_t lo[3], const int64_t hi[3], const T *x,
                       const T *out, const T *g, T *dx, T *left)
{
    int64_t c = p->inner;
    memcpy(left, g, (size_t)c * sizeof *left);
    for (int64_t z = lo[0]; z < hi[0]; z++)
        for (int64_t y = lo[1]; y < hi[1]; y++)
            for (int64_t i = lo[2]; i < hi[2]; i++) {
                int64_t at = ((z * p->in[1] + y) * p->in[2] + i) * c;
                for (int64_t j = 0; j < c; j++) {
                    bool hit = x[at + j] == out[j];
                    dx[at + j] += hit ? left[j] : 0;
                    left[j] = hit ? 0 : left[j];
                }
            }
}

/* A largest gives all to the first element that equals it. */
RG_HOT static void N(to_largest)(const rg_pooling *p, const T *x, const T *out, const T *dout,
                                 T *dx, T *left)
{
    int64_t lo[3], hi[3], c = p->inner, image = p->in[0] * p->in[1] * p->in[2] * c;
    for (int64_t n = 0; n < p->outer; n++, x += image, dx += image)
        for (int64_t z = 0; z < p->out[0]; z++)
            for (int64_t y = 0; y < p->out[1]; y++) {
                rg_pooling_range(p, 0, z, &lo[0], &hi[0]);
                rg_pooling_range(p, 1, y, &lo[1], &hi[1]);
                for (int64_t i = 0; i < p->out[2]; i++, out += c, dout += c) {
                    rg_pooling_range(p, 2, i, &lo[2], &hi[2]);
                    if (c == 1)
                        N(give_one)(p, lo, hi, x, *out, *dout, dx);
                    else
                        N(give)(p, lo, hi, x, out, dout, dx, left);
                }
            }
}

#undef PASTE_
#undef PASTE
#undef N
#undef T
#undef S
#undef LEAST
