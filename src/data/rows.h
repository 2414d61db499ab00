/* rows.h - instances in columns: for each used slot the values of all instances one after
 * the other.
 *
 * A column whose instances all have equally many values keeps that number alone; offsets
 * are made at the first instance that differs. So a column of one id an instance, the
 * usual one, takes 8 bytes each. */
#ifndef RG_DATA_ROWS_H
#define RG_DATA_ROWS_H

#include "base/status.h"
#include "data/origins.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_column {
    void *values; /* int64_t or float, by the slot */
    size_t n_values, cap_values;
    uint32_t each;  /* values of every instance, while ends is NULL */
    uint32_t *ends; /* where instance i's values end; NULL: at (i + 1) * each */
    size_t cap_ends;
    uint8_t size; /* bytes of a value: 8 or 4 */
} rg_column;

/* Texts of instances (ids, contents): NUL-terminated, one after the other. */
typedef struct rg_texts {
    char *bytes;
    size_t n_bytes, cap_bytes;
    uint32_t *at; /* where text i begins */
    size_t cap_at;
} rg_texts;

typedef struct rg_rows {
    size_t n_rows;
    size_t n_columns;
    rg_column *columns;
    rg_texts ins_ids, contents; /* empty unless the feed parses them */
    rg_origins origins;
    void *block; /* frozen rows: where everything stands */
    size_t block_bytes;
} rg_rows;

struct rg_feed;

/* Empty. Owned; ended by rg_rows_close(). */
rg_status rg_rows_open(rg_rows **rows, const struct rg_feed *feed);
void rg_rows_close(rg_rows *rows);
/* Empty again; the memory is kept. */
void rg_rows_clear(rg_rows *rows);
/* A copy in one piece of exactly the size it takes; nothing can be appended to it. */
rg_status rg_rows_freeze(const rg_rows *rows, rg_rows **frozen);
size_t rg_rows_bytes(const rg_rows *rows);

static inline uint32_t rg_column_begin(const rg_column *c, size_t row)
{
    return c->ends == NULL ? (uint32_t)row * c->each : row == 0 ? 0 : c->ends[row - 1];
}

static inline uint32_t rg_column_end(const rg_column *c, size_t row)
{
    return c->ends == NULL ? (uint32_t)(row + 1) * c->each : c->ends[row];
}

#endif
