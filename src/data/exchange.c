/* exchange.c - instances that change places: merged by their ids, or handed to another
 * process as bytes.
 *
 * The bytes of instances, little-endian: u32 magic "RGi1", u32 columns, u64 instances, then
 * for each column u32 bytes of a value, u32 values of each instance (0xffffffff: it
 * differs), u64 values, the u32 end of each instance where it differs, the values; then
 * ids and contents, each u64 bytes and, unless 0, the u32 begin of each and the bytes. */
#include "data/dataset_priv.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "data/rows_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x31694752, DIFFERS = -1 };

/* ---- one instance ---- */

static rg_status append_values(rg_column *to, size_t row, const rg_column *from, size_t from_row)
{
    uint32_t begin = rg_column_begin(from, from_row), n = rg_column_end(from, from_row) - begin;
    if (to->n_values + n > to->cap_values)
        RG_TRY(rg_column_reserve(to, n));
    if (n > 0)
        memcpy((char *)to->values + to->n_values * to->size,
               (const char *)from->values + (size_t)begin * from->size, (size_t)n * to->size);
    to->n_values += n;
    return rg_column_end_row(to, row, n);
}

static rg_status append_text(rg_texts *to, size_t row, const rg_texts *from, size_t from_row)
{
    if (from->n_bytes == 0)
        return RG_OK;
    const char *text = rg_text_at(from, from_row);
    return rg_texts_add(to, row, text, strlen(text));
}

rg_status rg_rows_append(rg_rows *to, const rg_rows *from, size_t row)
{
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < to->n_columns; i++)
        code = append_values(&to->columns[i], to->n_rows, &from->columns[i], row);
    if (code == RG_OK)
        code = append_text(&to->ins_ids, to->n_rows, &from->ins_ids, row);
    if (code == RG_OK)
        code = append_text(&to->contents, to->n_rows, &from->contents, row);
    if (code == RG_OK)
        to->n_rows++;
    else
        rg_rows_undo(to);
    return code;
}

/* ---- merging ---- */

typedef struct named {
    const char *id;
    uint64_t place; /* in the present order */
    uint32_t code;
} named;

static int by_id(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int c = strcmp(x->id, y->id);
    return c ? c : (x->place > y->place) - (x->place < y->place);
}

typedef struct group {
    size_t first, n; /* of the sorted instances */
    uint64_t place;
} group;

static int by_place(const void *a, const void *b)
{
    const group *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static bool is_zero(const rg_column *c, size_t i)
{
    static const char zeros[8] = {0};
    return memcmp((const char *)c->values + i * c->size, zeros, c->size) == 0;
}

/* Sequences are joined, zeros that only hold an empty slot's place left out; of a dense slot
 * the first instance's values count. */
static rg_status merge_column(const rg_dataset *d, size_t i, const named *items, size_t n,
                              rg_rows *to)
{
    rg_column *c = &to->columns[i];
    rg_row_at at = rg_dataset_at(d, items[0].code);
    if (rg_feed_width(d->feed, i) > 0 || n == 1)
        return append_values(c, to->n_rows, &at.rows->columns[i], at.row);
    uint32_t total = 0;
    for (size_t k = 0; k < n; k++) {
        at = rg_dataset_at(d, items[k].code);
        const rg_column *from = &at.rows->columns[i];
        for (size_t v = rg_column_begin(from, at.row); v < rg_column_end(from, at.row); v++) {
            if (is_zero(from, v))
                continue;
            if (c->n_values + 1 > c->cap_values)
                RG_TRY(rg_column_reserve(c, 1));
            memcpy((char *)c->values + c->n_values++ * c->size,
                   (const char *)from->values + v * c->size, c->size);
            total++;
        }
    }
    if (total == 0) {
        if (c->n_values + 1 > c->cap_values)
            RG_TRY(rg_column_reserve(c, 1));
        memset((char *)c->values + c->n_values++ * c->size, 0, c->size);
        total = 1;
    }
    return rg_column_end_row(c, to->n_rows, total);
}

static rg_status merge_group(const rg_dataset *d, const named *items, size_t n, rg_rows *to)
{
    for (size_t i = 0; i < to->n_columns; i++)
        RG_TRY(merge_column(d, i, items, n, to));
    rg_row_at at = rg_dataset_at(d, items[0].code);
    RG_TRY(append_text(&to->ins_ids, to->n_rows, &at.rows->ins_ids, at.row));
    RG_TRY(append_text(&to->contents, to->n_rows, &at.rows->contents, at.row));
    to->n_rows++;
    return RG_OK;
}

static rg_status freeze_into(rg_chunks *chunks, rg_rows *rows)
{
    rg_rows *frozen;
    if (rows->n_rows == 0)
        return RG_OK;
    RG_TRY(rg_rows_freeze(rows, &frozen));
    rg_rows_clear(rows);
    rg_status code = rg_chunks_add(chunks, frozen);
    if (code != RG_OK)
        rg_rows_close(frozen);
    return code;
}

static rg_status merge_groups(rg_dataset *d, const named *items, const group *groups, size_t n)
{
    rg_rows *rows = NULL;
    rg_chunks chunks = {0};
    rg_status code;
    RG_TRY_GOTO(code, rg_rows_open(&rows, d->feed));
    for (size_t g = 0; g < n; g++) {
        RG_TRY_GOTO(code, merge_group(d, items + groups[g].first, groups[g].n, rows));
        if (rows->n_rows == CHUNK_ROWS)
            RG_TRY_GOTO(code, freeze_into(&chunks, rows));
    }
    RG_TRY_GOTO(code, freeze_into(&chunks, rows));
    code = rg_dataset_hold(d, &chunks);
done:
    rg_chunks_fini(&chunks);
    rg_rows_close(rows);
    return code;
}

rg_status rg_dataset_merge(rg_dataset *d, size_t size)
{
    if (!d->loaded || d->readers > 0)
        return rg_fail(RG_EINVAL, "merge_by_lineid: there must be data in memory that nobody "
                                  "reads");
    if (!d->ins_id)
        return rg_fail(RG_EINVAL, "merge_by_lineid needs the ids of the lines: "
                                  "set_parse_ins_id(True) before they are loaded");
    size_t n = (size_t)d->n_rows, n_groups = 0;
    named *items = rg_alloc((n + 1) * sizeof *items);
    group *groups = rg_alloc((n + 1) * sizeof *groups);
    rg_status code = items && groups ? RG_OK : rg_no_memory(n * sizeof *items, "ids of lines");
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        uint32_t where = rg_dataset_code(d, i);
        rg_row_at at = rg_dataset_at(d, where);
        items[i] = (named){rg_text_at(&at.rows->ins_ids, at.row), i, where};
    }
    if (code == RG_OK && n > 0)
        qsort(items, n, sizeof *items, by_id);
    for (size_t i = 0, end; code == RG_OK && i < n; i = end) {
        for (end = i + 1; end < n && strcmp(items[end].id, items[i].id) == 0;)
            end++;
        if (size == 0 || end - i == size)
            groups[n_groups++] = (group){i, end - i, items[i].place};
    }
    if (code == RG_OK && n_groups > 0)
        qsort(groups, n_groups, sizeof *groups, by_place);
    if (code == RG_OK)
        code = merge_groups(d, items, groups, n_groups);
    rg_free(items);
    rg_free(groups);
    return code;
}

/* ---- bytes ---- */

static void put_u32s(rg_buf *out, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rg_buf_u32(out, numbers[i]);
}

static void put_texts(rg_buf *out, const rg_texts *texts, size_t rows)
{
    rg_buf_u64(out, texts->n_bytes);
    if (texts->n_bytes == 0)
        return;
    put_u32s(out, texts->at, rows);
    rg_buf_add(out, texts->bytes, texts->n_bytes);
}

static rg_status put_rows(rg_buf *out, const rg_rows *rows)
{
    rg_buf_clear(out);
    rg_buf_u32(out, MAGIC);
    rg_buf_u32(out, (uint32_t)rows->n_columns);
    rg_buf_u64(out, rows->n_rows);
    for (size_t i = 0; i < rows->n_columns; i++) {
        const rg_column *c = &rows->columns[i];
        rg_buf_u32(out, c->size);
        rg_buf_u32(out, c->ends ? (uint32_t)DIFFERS : c->each);
        rg_buf_u64(out, c->n_values);
        if (c->ends != NULL)
            put_u32s(out, c->ends, rows->n_rows);
        rg_buf_add(out, c->values, c->n_values * c->size);
    }
    put_texts(out, &rows->ins_ids, rows->n_rows);
    put_texts(out, &rows->contents, rows->n_rows);
    return rg_buf_status(out);
}

rg_status rg_dataset_export(rg_dataset *d, int parts, rg_dataset_part_of part_of,
                            rg_dataset_emit emit, void *arg, size_t max_rows)
{
    if (!d->loaded || parts < 1)
        return rg_fail(RG_EINVAL, "an export to %d parts needs data in memory", parts);
    if (max_rows == 0 || max_rows > CHUNK_ROWS)
        max_rows = CHUNK_ROWS;
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_rows **rows = rg_alloc_zero((size_t)parts, sizeof *rows);
    rg_status code = rows ? RG_OK : rg_no_memory((size_t)parts * sizeof *rows, "parts");
    for (int p = 0; code == RG_OK && p < parts; p++)
        code = rg_rows_open(&rows[p], d->feed);
    for (uint64_t i = 0; code == RG_OK && i < d->n_rows; i++) {
        rg_row_at at = rg_dataset_at(d, rg_dataset_code(d, i));
        int p = part_of(arg, i, rg_text_at(&at.rows->ins_ids, at.row));
        if (p < 0 || p >= parts)
            code = rg_fail(RG_EINVAL, "instance %llu goes to part %d of %d", (unsigned long long)i,
                           p, parts);
        else
            code = rg_rows_append(rows[p], at.rows, at.row);
        if (code == RG_OK && rows[p]->n_rows == max_rows &&
            (code = put_rows(&bytes, rows[p])) == RG_OK) {
            code = emit(arg, p, bytes.data, bytes.len);
            rg_rows_clear(rows[p]);
        }
    }
    for (int p = 0; code == RG_OK && p < parts; p++)
        if (rows[p]->n_rows > 0 && (code = put_rows(&bytes, rows[p])) == RG_OK)
            code = emit(arg, p, bytes.data, bytes.len);
    for (int p = 0; rows != NULL && p < parts; p++)
        rg_rows_close(rows[p]);
    rg_free(rows);
    rg_buf_fini(&bytes);
    return code;
}

static rg_status take_u32s(rg_cursor *c, size_t n, uint32_t **out)
{
    const uint8_t *bytes;
    RG_TRY(rg_cursor_take(c, n * sizeof **out, &bytes));
    uint32_t *numbers = rg_alloc(n * sizeof *numbers);
    if (numbers == NULL)
        return rg_no_memory(n * sizeof *numbers, "instances");
    rg_cursor part = {bytes, n * sizeof *numbers};
    for (size_t i = 0; i < n; i++)
        (void)rg_cursor_u32(&part, &numbers[i]);
    *out = numbers;
    return RG_OK;
}

static rg_status take_column(rg_cursor *cursor, rg_column *c, size_t rows, size_t width)
{
    uint32_t size, each;
    uint64_t n;
    const uint8_t *bytes;
    RG_TRY(rg_cursor_u32(cursor, &size));
    RG_TRY(rg_cursor_u32(cursor, &each));
    RG_TRY(rg_cursor_u64(cursor, &n));
    bool differs = each == (uint32_t)DIFFERS;
    if (size != c->size || n > cursor->left / size || n > UINT32_MAX ||
        (!differs && (uint64_t)each * rows != n) || (width > 0 && (differs || each != width)))
        return rg_fail(RG_ECORRUPT,
                       "a column of %llu values of %u bytes does not fit its slot: do all workers "
                       "set_use_var() alike?",
                       (unsigned long long)n, size);
    c->each = each;
    if (differs) {
        RG_TRY(take_u32s(cursor, rows, &c->ends));
        c->cap_ends = rows;
        for (size_t i = 0; i < rows; i++)
            if (c->ends[i] < (i ? c->ends[i - 1] : 0) || c->ends[i] > n)
                return rg_fail(RG_ECORRUPT, "the ends of a slot's values are not in order");
        if (c->ends[rows - 1] != n)
            return rg_fail(RG_ECORRUPT, "%llu values, and the last ends at %u",
                           (unsigned long long)n, c->ends[rows - 1]);
    }
    RG_TRY(rg_cursor_take(cursor, (size_t)n * size, &bytes));
    RG_TRY(rg_column_reserve(c, (size_t)n));
    memcpy(c->values, bytes, (size_t)n * size);
    c->n_values = (size_t)n;
    return RG_OK;
}

static rg_status take_texts(rg_cursor *cursor, rg_texts *texts, size_t rows, bool wanted)
{
    uint64_t n;
    const uint8_t *bytes;
    uint32_t *at = NULL;
    RG_TRY(rg_cursor_u64(cursor, &n));
    if (wanted != (n > 0) || n > cursor->left || n > UINT32_MAX)
        return rg_fail(RG_ECORRUPT, "%llu bytes of texts of instances", (unsigned long long)n);
    if (n == 0)
        return RG_OK;
    RG_TRY(take_u32s(cursor, rows, &at));
    texts->at = at;
    texts->cap_at = rows;
    RG_TRY(rg_cursor_take(cursor, (size_t)n, &bytes));
    for (size_t i = 0; i < rows; i++)
        if (at[i] >= n)
            return rg_fail(RG_ECORRUPT, "a text begins at %u of %llu bytes", at[i],
                           (unsigned long long)n);
    if (bytes[n - 1] != '\0')
        return rg_fail(RG_ECORRUPT, "the last text has no end");
    texts->bytes = rg_alloc((size_t)n);
    if (texts->bytes == NULL)
        return rg_no_memory((size_t)n, "texts of instances");
    memcpy(texts->bytes, bytes, (size_t)n);
    texts->n_bytes = texts->cap_bytes = (size_t)n;
    return RG_OK;
}

static rg_status take_rows(const rg_dataset *d, rg_cursor *cursor, rg_rows *rows)
{
    uint32_t magic, columns;
    uint64_t n;
    RG_TRY(rg_cursor_u32(cursor, &magic));
    RG_TRY(rg_cursor_u32(cursor, &columns));
    RG_TRY(rg_cursor_u64(cursor, &n));
    if (magic != MAGIC || columns != rows->n_columns || n == 0 || n > CHUNK_ROWS)
        return rg_fail(RG_ECORRUPT,
                       "%u slots and %llu instances (magic %08x), and %zu slots and "
                       "1 to %d instances are taken",
                       columns, (unsigned long long)n, magic, rows->n_columns, CHUNK_ROWS);
    for (size_t i = 0; i < columns; i++)
        RG_TRY(take_column(cursor, &rows->columns[i], (size_t)n, rg_feed_width(d->feed, i)));
    RG_TRY(take_texts(cursor, &rows->ins_ids, (size_t)n, d->ins_id));
    RG_TRY(take_texts(cursor, &rows->contents, (size_t)n, d->content));
    if (cursor->left > 0)
        return rg_fail(RG_ECORRUPT, "%zu bytes follow the instances", cursor->left);
    rows->n_rows = (size_t)n;
    return RG_OK;
}

static rg_status may_take(const rg_dataset *d)
{
    if (d->kind != RG_DATASET_MEMORY || d->feed == NULL || d->readers > 0 || d->preload.running)
        return rg_fail(RG_EINVAL, "instances can be taken by a dataset in memory that has slots "
                                  "and that nobody reads");
    return RG_OK;
}

/* The instances of an export, frozen; owned by the caller. */
static rg_status read_exported(rg_dataset *d, const void *bytes, size_t n, rg_rows **frozen)
{
    rg_cursor cursor = {bytes, n};
    rg_rows *rows;
    RG_TRY(rg_rows_open(&rows, d->feed));
    rg_status code = take_rows(d, &cursor, rows);
    if (code == RG_OK)
        code = rg_rows_freeze(rows, frozen);
    rg_rows_close(rows);
    return code;
}

rg_status rg_dataset_import(rg_dataset *d, const void *bytes, size_t n)
{
    rg_rows *frozen;
    RG_TRY(may_take(d));
    RG_TRY(read_exported(d, bytes, n, &frozen));
    rg_status code = rg_dataset_hold_more(d, frozen);
    if (code != RG_OK)
        rg_rows_close(frozen);
    return code;
}

rg_status rg_dataset_replace(rg_dataset *d, const rg_exported *parts, size_t n)
{
    rg_chunks chunks = {0};
    rg_status code = may_take(d);
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        rg_rows *frozen;
        code = read_exported(d, parts[i].bytes, parts[i].n, &frozen);
        if (code == RG_OK && (code = rg_chunks_add(&chunks, frozen)) != RG_OK)
            rg_rows_close(frozen);
    }
    if (code == RG_OK)
        return rg_dataset_hold(d, &chunks);
    rg_chunks_fini(&chunks);
    return code;
}
