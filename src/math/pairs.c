/* pairs.c - packing floats as pairs of bfloat16. */
#include "math/pairs.h"

#include "base/bf16.h"

#include <string.h>

/* upper and lower, as one number of 32 bits: little endian, as every CPU with such instructions. */
RG_INLINE uint32_t pair(float upper, float lower)
{
    return rg_bf16_of(upper) | (uint32_t)rg_bf16_of(lower) << 16;
}

/* A pair of rows, n columns. */
RG_HOT static void pack_rows(const float *upper, const float *lower, int64_t n, uint32_t *to)
{
    for (int64_t j = 0; j < n; j++)
        to[j] = pair(upper[j], lower[j]);
}

/* The last row of an odd number. */
RG_HOT static void pack_row(const float *upper, int64_t n, uint32_t *to)
{
    for (int64_t j = 0; j < n; j++)
        to[j] = rg_bf16_of(upper[j]);
}

static void pack_block(const rg_pairs *l, int64_t rows, int64_t columns, const float *b, int64_t ld,
                       uint32_t *to)
{
    if (rows < 2 * l->pairs || columns < l->columns)
        memset(to, 0, (size_t)(l->pairs * l->columns) * sizeof *to);
    for (int64_t r = 0; r + 1 < rows; r += 2)
        pack_rows(b + r * ld, b + (r + 1) * ld, columns, to + r / 2 * l->columns);
    if (rows % 2 != 0)
        pack_row(b + (rows - 1) * ld, columns, to + rows / 2 * l->columns);
}

/* 16 pairs of 16 columns that stand as rows: a square turned. */
enum { SQUARE = 16 };
typedef uint32_t words __attribute__((vector_size(SQUARE * sizeof(uint32_t))));

#define PICK(A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)

RG_HOT static void turn_square(const float *b, int64_t ld, uint32_t *to, int64_t step)
{
    words x[SQUARE], y[SQUARE];
    for (int i = 0; i < SQUARE; i++) {
        uint16_t row[2 * SQUARE]; /* pairs, as they stand */
        for (int r = 0; r < 2 * SQUARE; r++)
            row[r] = rg_bf16_of(b[i * ld + r]);
        memcpy(&x[i], row, sizeof row);
    }
    /* Four times: rows i and i + 8 become the even and the odd ones of a list twice as long. */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SQUARE / 2; i++) {
            y[2 * i] = PICK(x[i], x[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            y[2 * i + 1] = PICK(x[i], x[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                30, 15, 31);
        }
        for (int i = 0; i < SQUARE / 2; i++) {
            x[2 * i] = PICK(y[i], y[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            x[2 * i + 1] = PICK(y[i], y[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                30, 15, 31);
        }
    }
    for (int p = 0; p < SQUARE; p++)
        memcpy(to + p * step, &x[p], sizeof x[p]);
}

/* The same of a block that is stored turned: what are rows there are columns here. */
static void pack_turned(const rg_pairs *l, int64_t rows, int64_t columns, const float *b,
                        int64_t ld, uint32_t *to)
{
    int64_t whole = l->pairs == SQUARE && rows == 2 * SQUARE ? columns / SQUARE * SQUARE : 0;
    if (rows < 2 * l->pairs || columns < l->columns)
        memset(to, 0, (size_t)(l->pairs * l->columns) * sizeof *to);
    for (int64_t j = 0; j < whole; j += SQUARE)
        turn_square(b + j * ld, ld, to + j, l->columns);
    for (int64_t j = whole; j < columns; j++) {
        const float *column = b + j * ld;
        for (int64_t r = 0; r + 1 < rows; r += 2)
            to[r / 2 * l->columns + j] = pair(column[r], column[r + 1]);
        if (rows % 2 != 0)
            to[rows / 2 * l->columns + j] = rg_bf16_of(column[rows - 1]);
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void rg_pack_pairs(const rg_pairs *l, bool trans, int64_t rows, int64_t columns, const float *b,
                   int64_t ld, uint16_t *to)
{
    const int64_t tall = 2 * l->pairs;
    for (int64_t j = 0; j < l->padded_columns; j += l->columns)
        for (int64_t r = 0; r < l->padded_rows; r += tall) {
            int64_t h = least(tall, rows - r), w = least(l->columns, columns - j);
            uint32_t *block = (uint32_t *)(void *)(to + r / tall * l->down +
                                                   j / l->columns * l->across);
            if (h <= 0 || w <= 0)
                memset(block, 0, (size_t)(l->pairs * l->columns) * sizeof *block);
            else if (trans)
                pack_turned(l, h, w, b + j * ld + r, ld, block);
            else
                pack_block(l, h, w, b + r * ld + j, ld, block);
        }
}

/* ---- of bfloat16 ---- */

RG_HOT static void join_rows(const uint16_t *upper, const uint16_t *lower, int64_t n, uint32_t *to)
{
    for (int64_t j = 0; j < n; j++)
        to[j] = upper[j] | (uint32_t)lower[j] << 16;
}

void rg_pack_pairs_bf16(const rg_pairs *l, int64_t rows, int64_t columns, const uint16_t *b,
                        uint16_t *to)
{
    static const uint16_t zeros[RG_PAIRS_WIDEST];
    const int64_t tall = 2 * l->pairs;
    for (int64_t j = 0; j < l->padded_columns; j += l->columns)
        for (int64_t r = 0; r < l->padded_rows; r += 2) {
            uint16_t *at = to + r / tall * l->down + j / l->columns * l->across +
                           r % tall * l->columns;
            int64_t w = least(l->columns, columns - j);
            if (r + 1 >= rows || w < l->columns)
                memset(at, 0, (size_t)(2 * l->columns) * sizeof *at);
            if (r + 1 < rows)
                join_rows(b + r * columns + j, b + (r + 1) * columns + j, w,
                          (uint32_t *)(void *)at);
            else if (r < rows) /* the last of an odd number; a block is never wider than that */
                join_rows(b + r * columns + j, zeros, w, (uint32_t *)(void *)at);
        }
}

/* A square of 32 by 32. First 8 rows at a time: in each quarter of a vector a square of 8 by 8 is
 * turned, by rows i and i + 4 becoming the even and the odd ones of a list, three times; then the
 * quarters, likewise, twice. */
enum { BLOCK = 32, GROUP = 8 };
typedef uint16_t shorts __attribute__((vector_size(BLOCK * sizeof(uint16_t))));
typedef uint64_t quads __attribute__((vector_size(BLOCK * sizeof(uint16_t))));

#define QUARTER(A) A, 32 + (A), 1 + (A), 33 + (A), 2 + (A), 34 + (A), 3 + (A), 35 + (A)
#define LOW_OF(A, B)                                                                          \
    __builtin_shufflevector(A, B, QUARTER(0), QUARTER(8), QUARTER(16), QUARTER(24))
#define HIGH_OF(A, B)                                                                         \
    __builtin_shufflevector(A, B, QUARTER(4), QUARTER(12), QUARTER(20), QUARTER(28))

RG_INLINE void interleave(const shorts *from, shorts *to)
{
    for (int i = 0; i < GROUP / 2; i++) {
        to[2 * i] = LOW_OF(from[i], from[i + GROUP / 2]);
        to[2 * i + 1] = HIGH_OF(from[i], from[i + GROUP / 2]);
    }
}

RG_INLINE void interleave_quarters(const quads *from, quads *to)
{
    for (int i = 0; i < 2; i++) {
        to[2 * i] = __builtin_shufflevector(from[i], from[i + 2], 0, 1, 8, 9, 2, 3, 10, 11);
        to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + 2], 4, 5, 12, 13, 6, 7, 14, 15);
    }
}

RG_HOT static void turn_block(const uint16_t *from, int64_t ld, uint16_t *to, int64_t to_ld)
{
    shorts groups[BLOCK];
    for (int g = 0; g < BLOCK; g += GROUP) {
        shorts x[GROUP], y[GROUP];
        for (int i = 0; i < GROUP; i++)
            memcpy(&x[i], from + (g + i) * ld, sizeof x[i]);
        interleave(x, y);
        interleave(y, x);
        interleave(x, groups + g);
    }
    for (int i = 0; i < GROUP; i++) {
        quads x[4], y[4];
        for (int g = 0; g < 4; g++)
            x[g] = (quads)groups[g * GROUP + i];
        interleave_quarters(x, y);
        interleave_quarters(y, x);
        for (int q = 0; q < 4; q++)
            memcpy(to + (q * GROUP + i) * to_ld, &x[q], sizeof x[q]);
    }
}

void rg_turn_bf16(const uint16_t *from, int64_t rows, int64_t columns, uint16_t *to)
{
    if (rows < BLOCK || columns < BLOCK) {
        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = 0; j < columns; j++)
                to[j * rows + r] = from[r * columns + j];
        return;
    }
    /* The last blocks begin earlier, and do some of it twice. */
    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t j = 0; j < columns; j += BLOCK) {
            int64_t top = least(r, rows - BLOCK), left = least(j, columns - BLOCK);
            turn_block(from + top * columns + left, columns, to + left * rows + top, rows);
        }
}
