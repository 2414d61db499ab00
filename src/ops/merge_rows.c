/* merge_rows.c - sorting a sparse gradient's rows and adding up duplicates.
 *
 * Positions are sorted by row with a stable radix sort, so that duplicates are added in
 * the order they came: the same bits whatever the machine. */
#include "ops/merge_rows.h"

#include "base/hot.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef struct item {
    int64_t row;
    int64_t at;
} item;

static bool already_merged(const int64_t *rows, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (rows[i] <= rows[i - 1])
            return false;
    return true;
}

/* Sorts a into a, with b as a second buffer, by the digits that the largest row has. */
static void sort(item *a, item *b, size_t n, int64_t largest)
{
    item *from = a, *to = b;
    for (int shift = 0; shift < 64 && (largest >> shift) != 0; shift += DIGIT_BITS) {
        size_t start[DIGITS + 1] = {0};
        for (size_t i = 0; i < n; i++)
            start[((from[i].row >> shift) & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < n; i++)
            to[start[(from[i].row >> shift) & (DIGITS - 1)]++] = from[i];
        item *swap = from;
        from = to;
        to = swap;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

#define GATHER(T, S)                                                                               \
    RG_HOT static size_t gather_##S(const item *items, size_t n, const T *values, int64_t width,   \
                                    int64_t *rows, T *out)                                         \
    {                                                                                              \
        size_t unique = 0;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            const T *from = values + items[i].at * width;                                          \
            if (i > 0 && items[i].row == items[i - 1].row) {                                       \
                T *to = out + (int64_t)(unique - 1) * width;                                       \
                for (int64_t j = 0; j < width; j++)                                                \
                    to[j] += from[j];                                                              \
                continue;                                                                          \
            }                                                                                      \
            memcpy(out + (int64_t)unique * width, from, (size_t)width * sizeof *out);              \
            rows[unique++] = items[i].row;                                                         \
        }                                                                                          \
        return unique;                                                                             \
    }
GATHER(float, f32)
GATHER(double, f64)

rg_status rg_merge_rows(rg_ctx *ctx, const rg_value *gradient, rg_merged *out)
{
    size_t n = gradient->n_rows;
    int64_t width = rg_value_width(gradient), largest = 0;
    if (already_merged(gradient->rows, n)) {
        *out = (rg_merged){gradient->rows, gradient->data, n};
        return RG_OK;
    }
    item *items = rg_scratch(ctx, 2 * n * sizeof *items);
    int64_t *rows = rg_scratch(ctx, n * sizeof *rows);
    void *values = rg_scratch(ctx, rg_value_bytes(gradient));
    if (items == NULL || rows == NULL || values == NULL)
        return RG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        items[i] = (item){gradient->rows[i], (int64_t)i};
        largest = gradient->rows[i] > largest ? gradient->rows[i] : largest;
    }
    sort(items, items + n, n, largest);
    if (gradient->meta.dtype == RG_F32)
        n = gather_f32(items, n, gradient->data, width, rows, values);
    else if (gradient->meta.dtype == RG_F64)
        n = gather_f64(items, n, gradient->data, width, rows, values);
    else
        return rg_fail(RG_EUNIMPL, "no sparse gradient of %s", rg_dtype_name(gradient->meta.dtype));
    *out = (rg_merged){rows, values, n};
    return RG_OK;
}
