/* pairs.h - a matrix of floats as bfloat16 in the order that instructions for products of them
 * read.
 *
 * They add up products of pairs: of two rows that follow each other, column by column. So does the
 * layout: blocks of `pairs` pairs of rows by `columns`, in a block pair after pair of rows, in it
 * column after column, and of each the upper and the lower number. Beyond the matrix are zeros. */
#ifndef RG_MATH_PAIRS_H
#define RG_MATH_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

enum { RG_PAIRS_MOST = 32, RG_PAIRS_WIDEST = 64 }; /* pairs and columns of a block */

typedef struct rg_pairs {
    int64_t pairs, columns;              /* of a block */
    int64_t down, across;                /* numbers from a block to the one below, and beside */
    int64_t padded_rows, padded_columns; /* of all blocks together */
} rg_pairs;

/* b is [rows, columns], or as stored [columns, rows] where `trans`, with rows of `ld`. */
void rg_pack_pairs(const rg_pairs *layout, bool trans, int64_t rows, int64_t columns,
                   const float *b, int64_t ld, uint16_t *to);
/* The same of rows that are bfloat16 already, not turned. */
void rg_pack_pairs_bf16(const rg_pairs *layout, int64_t rows, int64_t columns, const uint16_t *b,
                        uint16_t *to);

/* to[columns, rows] = from[rows, columns] turned. */
void rg_turn_bf16(const uint16_t *from, int64_t rows, int64_t columns, uint16_t *to);

#endif
