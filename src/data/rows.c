/* rows.c - columns that grow, and their copy in one piece. */
#include "data/rows.h"

#include "base/mem.h"
#include "data/feed.h"
#include "data/rows_priv.h"

#include <string.h>

rg_status rg_rows_open(rg_rows **out, const rg_feed *feed)
{
    size_t n = rg_feed_used(feed);
    rg_rows *rows = rg_alloc_zero(1, sizeof *rows);
    rg_column *columns = rg_alloc_zero(n ? n : 1, sizeof *columns);
    if (rows == NULL || columns == NULL) {
        rg_free(rows);
        rg_free(columns);
        return rg_no_memory(n * sizeof *columns, "columns of slots");
    }
    rows->n_columns = n;
    rows->columns = columns;
    for (size_t i = 0; i < n; i++)
        columns[i].size = rg_feed_used_at(feed, i)->dtype == RG_I64 ? 8 : 4;
    *out = rows;
    return RG_OK;
}

static void free_texts(rg_texts *texts)
{
    rg_free(texts->bytes);
    rg_free(texts->at);
}

void rg_rows_close(rg_rows *rows)
{
    if (rows == NULL)
        return;
    if (rows->block == NULL) {
        for (size_t i = 0; i < rows->n_columns; i++) {
            rg_free(rows->columns[i].values);
            rg_free(rows->columns[i].ends);
        }
        free_texts(&rows->ins_ids);
        free_texts(&rows->contents);
    }
    rg_origins_fini(&rows->origins);
    rg_free(rows->block);
    rg_free(rows->columns);
    rg_free(rows);
}

void rg_rows_clear(rg_rows *rows)
{
    rows->n_rows = 0;
    for (size_t i = 0; i < rows->n_columns; i++) {
        rg_column *c = &rows->columns[i];
        c->n_values = 0;
        c->each = 0;
        if (c->ends != NULL) {
            rg_free(c->ends);
            c->ends = NULL;
            c->cap_ends = 0;
        }
    }
    rows->ins_ids.n_bytes = rows->contents.n_bytes = 0;
    rg_origins_clear(&rows->origins);
}

/* ---- growing ---- */

rg_status rg_column_reserve(rg_column *c, size_t more)
{
    if (c->n_values + more > UINT32_MAX)
        return rg_fail(RG_ETOOBIG, "more than 2^32 values of one slot in a block of instances");
    size_t cap = c->cap_values ? c->cap_values : 256;
    while (cap < c->n_values + more)
        cap += cap / 2;
    void *values = rg_realloc(c->values, cap * c->size);
    if (values == NULL)
        return rg_no_memory(cap * c->size, "a slot's values");
    c->values = values;
    c->cap_values = cap;
    return RG_OK;
}

rg_status rg_column_end_row(rg_column *c, size_t row, uint32_t n)
{
    if (c->ends == NULL && row == 0)
        c->each = n;
    if (c->ends == NULL && c->each == n)
        return RG_OK;
    if (row >= c->cap_ends) {
        size_t cap = row < 128 ? 256 : row * 2;
        uint32_t *ends = rg_realloc(c->ends, cap * sizeof *ends);
        if (ends == NULL)
            return rg_no_memory(cap * sizeof *ends, "a slot's offsets");
        for (size_t i = 0; c->ends == NULL && i < row; i++)
            ends[i] = (uint32_t)(i + 1) * c->each;
        c->ends = ends;
        c->cap_ends = cap;
    }
    c->ends[row] = (uint32_t)c->n_values;
    return RG_OK;
}

rg_status rg_texts_add(rg_texts *texts, size_t row, const char *text, size_t n)
{
    if (texts->n_bytes + n + 1 > UINT32_MAX)
        return rg_fail(RG_ETOOBIG, "more than 4 GB of texts in a block of instances");
    if (texts->n_bytes + n + 1 > texts->cap_bytes) {
        size_t cap = (texts->n_bytes + n + 1) * 2;
        char *bytes = rg_realloc(texts->bytes, cap);
        if (bytes == NULL)
            return rg_no_memory(cap, "texts of instances");
        texts->bytes = bytes;
        texts->cap_bytes = cap;
    }
    if (row >= texts->cap_at) {
        size_t cap = row < 128 ? 256 : row * 2;
        uint32_t *at = rg_realloc(texts->at, cap * sizeof *at);
        if (at == NULL)
            return rg_no_memory(cap * sizeof *at, "texts of instances");
        texts->at = at;
        texts->cap_at = cap;
    }
    texts->at[row] = (uint32_t)texts->n_bytes;
    memcpy(texts->bytes + texts->n_bytes, text, n);
    texts->bytes[texts->n_bytes + n] = '\0';
    texts->n_bytes += n + 1;
    return RG_OK;
}

void rg_rows_undo(rg_rows *rows)
{
    for (size_t i = 0; i < rows->n_columns; i++) {
        rg_column *c = &rows->columns[i];
        c->n_values = rows->n_rows == 0 ? 0 : rg_column_end(c, rows->n_rows - 1);
    }
}

/* ---- freezing ---- */

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t texts_bytes(const rg_texts *texts, size_t rows)
{
    return texts->n_bytes ? padded(texts->n_bytes) + padded(rows * sizeof *texts->at) : 0;
}

size_t rg_rows_bytes(const rg_rows *rows)
{
    size_t bytes = texts_bytes(&rows->ins_ids, rows->n_rows) +
                   texts_bytes(&rows->contents, rows->n_rows);
    for (size_t i = 0; i < rows->n_columns; i++) {
        const rg_column *c = &rows->columns[i];
        bytes += padded(c->n_values * c->size);
        bytes += c->ends ? padded(rows->n_rows * sizeof *c->ends) : 0;
    }
    return bytes;
}

/* Copies n bytes to *at, which moves on. */
static void *put(uint8_t **at, const void *bytes, size_t n)
{
    uint8_t *to = *at;
    if (n > 0)
        memcpy(to, bytes, n);
    *at += padded(n);
    return to;
}

static void freeze_texts(const rg_texts *from, rg_texts *to, size_t rows, uint8_t **at)
{
    if (from->n_bytes == 0)
        return;
    to->n_bytes = to->cap_bytes = from->n_bytes;
    to->cap_at = rows;
    to->bytes = put(at, from->bytes, from->n_bytes);
    to->at = put(at, from->at, rows * sizeof *from->at);
}

rg_status rg_rows_freeze(const rg_rows *rows, rg_rows **out)
{
    size_t bytes = rg_rows_bytes(rows);
    rg_rows *frozen = rg_alloc_zero(1, sizeof *frozen);
    rg_column *columns = rg_alloc_zero(rows->n_columns ? rows->n_columns : 1, sizeof *columns);
    uint8_t *block = rg_alloc(bytes ? bytes : 1), *at = block;
    if (frozen == NULL || columns == NULL || block == NULL) {
        rg_free(frozen);
        rg_free(columns);
        rg_free(block);
        return rg_no_memory(bytes, "instances in memory");
    }
    frozen->n_rows = rows->n_rows;
    frozen->n_columns = rows->n_columns;
    frozen->columns = columns;
    frozen->block = block;
    frozen->block_bytes = bytes;
    for (size_t i = 0; i < rows->n_columns; i++) {
        const rg_column *from = &rows->columns[i];
        rg_column *to = &columns[i];
        *to = *from;
        to->cap_values = from->n_values;
        to->cap_ends = from->ends ? rows->n_rows : 0;
        to->values = put(&at, from->values, from->n_values * from->size);
        if (from->ends != NULL)
            to->ends = put(&at, from->ends, rows->n_rows * sizeof *from->ends);
    }
    freeze_texts(&rows->ins_ids, &frozen->ins_ids, rows->n_rows, &at);
    freeze_texts(&rows->contents, &frozen->contents, rows->n_rows, &at);
    rg_origins_add_part(&frozen->origins, 0, &rows->origins, 0, rows->n_rows);
    *out = frozen;
    return RG_OK;
}
