/* table_state.c - a table's rows, counts and clock as chunks of bytes. */
#include "ps/table_state.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "ops/sort_keys.h"
#include "ps/disk.h"
#include "ps/table_priv.h"

enum {
    MAGIC = 0x43544752, /* "RGTC" */
    HEAD_BYTES = 32,
    CLOCK_BYTES = 16,
    COUNT_BYTES = RG_SEEN_BYTES,
    PLACE_BYTES = 4,
    GONE_BYTES = RG_TABLE_ID_BYTES,
    /* What is in rows, and beside them: */
    HAS_USE = 1,
    HAS_PLACES = 2, /* behind them: u32 each */
    IS_COLD = 4,
};

struct rg_table_walk {
    rg_table *table;
    int parts; /* that are still to come */
    rg_slabs_cut rows, seen;
    bool placed; /* which row goes is decided by where rows stand: places are part of it */
    uint64_t now, hand;
    rg_disk_walk *disk;
    rg_buf places;
    rg_buf gone;          /* ids */
    size_t at;            /* of them */
    rg_table_spill spill; /* NULL: what is copied aside waits */
    void *arg;
};

/* ---- out ---- */

static rg_status open_parts(rg_table_walk *walk, int parts)
{
    rg_table *table = walk->table;
    if ((walk->parts & RG_WALK_DISK) != 0)
        RG_TRY(rg_disk_walk_open(&walk->disk, table->keep.disk, table->disk_table));
    if ((walk->parts & RG_WALK_GONE) != 0)
        rg_buf_add(&walk->gone, table->gone.data, table->gone.len);
    if ((walk->parts & RG_WALK_MEMORY) != 0)
        RG_TRY(rg_slabs_cut_open(&walk->rows, &table->rows));
    if (walk->rows.slabs != NULL && (parts & RG_WALK_CHANGES) != 0)
        rg_slabs_cut_changes(&walk->rows);
    if ((parts & RG_WALK_NOTES) != 0) {
        rg_slabs_note(&table->rows);
        rg_buf_clear(&table->gone);
    }
    if ((walk->parts & RG_WALK_COUNTS) != 0)
        RG_TRY(rg_slabs_cut_open(&walk->seen, rg_seen_cells(table->seen)));
    return rg_buf_status(&walk->gone);
}

bool rg_table_notes_changes(const rg_table *table)
{
    return table->rows.marks != NULL;
}

bool rg_table_can_note(const rg_table *table)
{
    return !table->keeps && table->seen == NULL;
}

rg_status rg_table_walk_open(rg_table_walk **out, rg_table *table, int parts)
{
    rg_table_walk *walk = rg_alloc_zero(1, sizeof *walk);
    if (walk == NULL)
        return rg_no_memory(sizeof *walk, "a walk over a table");
    walk->table = table;
    walk->parts = parts & (RG_WALK_ALL | RG_WALK_GONE);
    walk->now = table->now;
    walk->hand = table->hand;
    walk->placed = table->keeps && table->keep.disk == NULL;
    rg_buf_init(&walk->places, 0);
    rg_buf_init(&walk->gone, 0);
    if (table->keep.disk == NULL)
        walk->parts &= ~RG_WALK_DISK;
    if (table->seen == NULL)
        walk->parts &= ~RG_WALK_COUNTS;
    rg_status code = open_parts(walk, parts);
    if (code == RG_OK)
        *out = walk;
    else
        rg_table_walk_close(walk);
    return code;
}

void rg_table_walk_close(rg_table_walk *walk)
{
    if (walk == NULL)
        return;
    rg_disk_walk_close(walk->disk);
    rg_slabs_cut_close(&walk->rows);
    rg_slabs_cut_close(&walk->seen);
    rg_buf_fini(&walk->places);
    rg_buf_fini(&walk->gone);
    rg_free(walk);
}

/* The head of a chunk of n rows; returns where n stands. */
static size_t add_head(const rg_table *table, rg_buf *out, rg_chunk_kind kind, uint32_t more,
                       size_t n, size_t row_bytes)
{
    rg_buf_u32(out, MAGIC);
    rg_buf_u32(out, (uint32_t)kind);
    size_t at = out->len;
    rg_buf_u32(out, (uint32_t)n);
    rg_buf_u32(out, (uint32_t)table->spec.dim);
    rg_buf_u32(out, (uint32_t)table->spec.n_states);
    rg_buf_u32(out, (uint32_t)table->spec.n_counters);
    rg_buf_u32(out, (table->keeps ? HAS_USE : 0) | more);
    rg_buf_u32(out, (uint32_t)row_bytes);
    return at;
}

static void set_count(rg_buf *out, size_t at, uint32_t n)
{
    for (int i = 0; i < 4 && at + 4 <= out->len; i++)
        out->data[at + (size_t)i] = (uint8_t)(n >> 8 * i);
}

static rg_status next_cold(rg_table_walk *walk, rg_buf *out, size_t most, uint32_t *n)
{
    const rg_table *table = walk->table;
    size_t begin = out->len, each = table->rows.row_bytes,
           head = add_head(table, out, RG_CHUNK_ROWS, IS_COLD, 0, each);
    for (*n = 0; *n == 0 || out->len - begin + each <= most; ++*n) {
        const uint8_t *row;
        int64_t id;
        size_t bytes;
        RG_TRY(rg_disk_walk_next(walk->disk, &id, &row, &bytes));
        if (row == NULL)
            break;
        if (bytes != each - RG_TABLE_ID_BYTES)
            return rg_fail(RG_ECORRUPT, "table '%s': row %lld on disk has %zu bytes and not %zu",
                           table->name, (long long)id, bytes, each - RG_TABLE_ID_BYTES);
        rg_buf_add(out, &id, sizeof id);
        rg_buf_add(out, row, bytes);
    }
    set_count(out, head, *n);
    if (*n == 0)
        out->len = begin;
    return rg_buf_status(out);
}

/* The next of a cut: rows, or counts. */
static rg_status next_of(rg_table_walk *walk, rg_slabs_cut *cut, rg_chunk_kind kind, rg_buf *out,
                         size_t most, uint32_t *n)
{
    bool placed = kind == RG_CHUNK_ROWS && walk->placed;
    size_t begin = out->len, each = cut->slabs->row_bytes, taken,
           takes = each + (placed ? PLACE_BYTES : 0);
    size_t head = add_head(walk->table, out, kind, placed ? HAS_PLACES : 0, 0, each);
    rg_buf_clear(&walk->places);
    RG_TRY(rg_slabs_cut_take(cut, most > HEAD_BYTES + takes ? (most - HEAD_BYTES) / takes : 1, out,
                             placed ? &walk->places : NULL, &taken));
    if (placed && taken > 0)
        rg_buf_add(out, walk->places.data, walk->places.len);
    *n = (uint32_t)taken;
    set_count(out, head, *n);
    if (taken == 0)
        out->len = begin;
    return rg_buf_status(out);
}

static rg_status spill_some(const rg_table_walk *walk, rg_chunk_kind kind, size_t each,
                            const uint8_t *rows, const uint8_t *places, size_t n)
{
    bool placed = kind == RG_CHUNK_ROWS && walk->placed;
    rg_buf chunk;
    rg_buf_init(&chunk, 0);
    (void)add_head(walk->table, &chunk, kind, placed ? HAS_PLACES : 0, n, each);
    rg_buf_add(&chunk, rows, n * each);
    if (placed)
        rg_buf_add(&chunk, places, n * PLACE_BYTES);
    rg_status code = rg_buf_status(&chunk);
    if (code == RG_OK)
        code = walk->spill(walk->arg, chunk.data, chunk.len);
    rg_buf_fini(&chunk);
    return code;
}

static rg_status spill_rows(void *arg, const uint8_t *rows, const uint8_t *places, size_t n)
{
    const rg_table_walk *walk = arg;
    return spill_some(walk, RG_CHUNK_ROWS, walk->table->rows.row_bytes, rows, places, n);
}

static rg_status spill_counts(void *arg, const uint8_t *rows, const uint8_t *places, size_t n)
{
    return spill_some(arg, RG_CHUNK_COUNTS, COUNT_BYTES, rows, places, n);
}

size_t rg_table_walk_bytes(const rg_table_walk *walk)
{
    return walk->rows.slabs != NULL ? walk->rows.left * walk->rows.slabs->row_bytes : 0;
}

bool rg_table_walk_presses(const rg_table_walk *walk)
{
    return walk->rows.rows.len > walk->rows.most / 2 || walk->seen.rows.len > walk->seen.most / 2;
}

void rg_table_walk_spills(rg_table_walk *walk, rg_table_spill spill, void *arg)
{
    walk->spill = spill;
    walk->arg = arg;
    walk->rows.spill = spill_rows;
    walk->seen.spill = spill_counts;
    walk->rows.arg = walk->seen.arg = walk;
}

static rg_status next_gone(rg_table_walk *walk, rg_buf *out, size_t most, uint32_t *n)
{
    size_t left = (walk->gone.len - walk->at) / GONE_BYTES,
           fit = most > HEAD_BYTES + GONE_BYTES ? (most - HEAD_BYTES) / GONE_BYTES : 1;
    fit = fit < left ? fit : left;
    *n = (uint32_t)fit;
    if (fit == 0)
        return RG_OK;
    (void)add_head(walk->table, out, RG_CHUNK_GONE, 0, fit, GONE_BYTES);
    rg_buf_add(out, walk->gone.data + walk->at, fit * GONE_BYTES);
    walk->at += fit * GONE_BYTES;
    return rg_buf_status(out);
}

static rg_status add_clock(const rg_table_walk *walk, rg_buf *out)
{
    (void)add_head(walk->table, out, RG_CHUNK_CLOCK, 0, 1, CLOCK_BYTES);
    rg_buf_u64(out, walk->now);
    rg_buf_u64(out, walk->hand);
    return rg_buf_status(out);
}

rg_status rg_table_walk_next(rg_table_walk *walk, rg_buf *out, size_t most, bool *more)
{
    uint32_t n = 0;
    *more = true;
    if ((walk->parts & RG_WALK_GONE) != 0) {
        RG_TRY(next_gone(walk, out, most, &n));
        if (n > 0)
            return RG_OK;
        walk->parts &= ~RG_WALK_GONE;
    }
    if ((walk->parts & RG_WALK_DISK) != 0) {
        RG_TRY(next_cold(walk, out, most, &n));
        if (n > 0)
            return RG_OK;
        walk->parts &= ~RG_WALK_DISK;
    }
    if ((walk->parts & RG_WALK_MEMORY) != 0) {
        RG_TRY(next_of(walk, &walk->rows, RG_CHUNK_ROWS, out, most, &n));
        if (n > 0)
            return RG_OK;
        walk->parts &= ~RG_WALK_MEMORY;
        if (walk->table->keeps)
            return add_clock(walk, out);
    }
    if ((walk->parts & RG_WALK_COUNTS) != 0) {
        RG_TRY(next_of(walk, &walk->seen, RG_CHUNK_COUNTS, out, most, &n));
        if (n > 0)
            return RG_OK;
        walk->parts &= ~RG_WALK_COUNTS;
    }
    *more = false;
    return RG_OK;
}

/* ---- in ---- */

rg_status rg_table_chunk_read(rg_table_chunk *view, const uint8_t *chunk, size_t n)
{
    rg_cursor c = {chunk, n};
    uint32_t magic, kind, count, dim, states, counters, has, each;
    RG_TRY(rg_cursor_u32(&c, &magic));
    RG_TRY(rg_cursor_u32(&c, &kind));
    RG_TRY(rg_cursor_u32(&c, &count));
    RG_TRY(rg_cursor_u32(&c, &dim));
    RG_TRY(rg_cursor_u32(&c, &states));
    RG_TRY(rg_cursor_u32(&c, &counters));
    RG_TRY(rg_cursor_u32(&c, &has));
    RG_TRY(rg_cursor_u32(&c, &each));
    if (magic != MAGIC || kind < RG_CHUNK_ROWS || kind > RG_CHUNK_GONE || dim > RG_TABLE_MAX_DIM ||
        states > RG_TABLE_MAX_STATES || counters > RG_TABLE_MAX_COUNTERS ||
        has > (HAS_USE | HAS_PLACES | IS_COLD))
        return rg_fail(RG_ECORRUPT, "this is no chunk of a table");
    size_t row = RG_TABLE_ID_BYTES + sizeof(float) * (size_t)dim * (1 + states) +
                 4 * (size_t)(counters + (has & HAS_USE));
    size_t wanted = kind == RG_CHUNK_ROWS     ? row
                    : kind == RG_CHUNK_COUNTS ? COUNT_BYTES
                    : kind == RG_CHUNK_GONE   ? GONE_BYTES
                                              : CLOCK_BYTES;
    size_t takes = wanted + (has & HAS_PLACES ? PLACE_BYTES : 0);
    if (each != wanted || c.left / takes != count || c.left % takes != 0 ||
        (kind == RG_CHUNK_CLOCK && count != 1))
        return rg_fail(RG_ECORRUPT, "a chunk of a table has %zu bytes for %u rows of %u", c.left,
                       count, each);
    *view = (rg_table_chunk){.kind = (rg_chunk_kind)kind,
                             .n = count,
                             .dim = dim,
                             .n_states = (int)states,
                             .n_counters = (int)counters,
                             .used = (has & HAS_USE) != 0,
                             .cold = (has & IS_COLD) != 0,
                             .row_bytes = each,
                             .rows = c.at,
                             .places = has & HAS_PLACES ? c.at + count * (size_t)each : NULL};
    return RG_OK;
}

/* The counters of a row that come from a table which has more, or fewer. */
static void put_row(rg_table *table, const rg_table_chunk *view, const uint8_t *from,
                    rg_row_handle handle)
{
    uint8_t *to = rg_slabs_row(&table->rows, handle);
    size_t floats = RG_TABLE_ID_BYTES + sizeof(float) * table->floats;
    int n = view->n_counters < table->spec.n_counters ? view->n_counters : table->spec.n_counters;
    rg_slabs_changing(&table->rows, handle);
    memcpy(to + RG_TABLE_ID_BYTES, from + RG_TABLE_ID_BYTES, floats - RG_TABLE_ID_BYTES);
    memcpy(to + floats, from + floats, 4 * (size_t)n);
    memset(to + floats + 4 * (size_t)n, 0, 4 * (size_t)(table->spec.n_counters - n));
    if (view->used && table->keeps)
        memcpy(to + table->used_at, from + floats + 4 * (size_t)view->n_counters, 4);
}

/* A row on disk that is there already is older than what is there. */
static rg_status leave_out_known(rg_table *table, int64_t *ids, const uint8_t **from, size_t *n)
{
    rg_row_handle handles[RG_TABLE_CHUNK];
    size_t kept = 0;
    RG_TRY(rg_table_bring(table, ids, *n, handles));
    for (size_t i = 0; i < *n; i++) {
        if (handles[i] != RG_NO_ROW)
            continue;
        ids[kept] = ids[i];
        from[kept++] = from[i];
    }
    *n = kept;
    return RG_OK;
}

static rg_status put_some(rg_table *table, const rg_table_chunk *view, int64_t *ids,
                          const uint8_t **from, size_t n)
{
    rg_row_handle handles[RG_TABLE_CHUNK];
    RG_TRY(rg_table_check_ids(table, ids, n));
    if (view->cold)
        RG_TRY(leave_out_known(table, ids, from, &n));
    RG_TRY(rg_table_touch_valid(table, ids, n, handles, false));
    for (size_t k = 0; k < n; k++)
        put_row(table, view, from[k], handles[k]);
    return RG_OK;
}

/* Each where it stood: rows that stand before it may come later. */
static rg_status put_placed(rg_table *table, const rg_table_chunk *view)
{
    for (uint32_t i = 0; i < view->n; i++) {
        const uint8_t *from = view->rows + i * view->row_bytes;
        rg_row_handle handle;
        uint32_t place;
        int64_t id;
        memcpy(&id, from, sizeof id);
        memcpy(&place, view->places + i * (size_t)PLACE_BYTES, sizeof place);
        RG_TRY(rg_table_check_ids(table, &id, 1));
        if (rg_table_look(table, id) != RG_NO_ROW)
            return rg_fail(RG_ECORRUPT, "table '%s': row %lld comes twice", table->name,
                           (long long)id);
        RG_TRY(rg_table_place_at(table, id, place, &handle));
        put_row(table, view, from, handle);
    }
    return RG_OK;
}

static rg_status put_rows(rg_table *table, const rg_table_chunk *view,
                          bool (*keep)(void *arg, int64_t id), void *arg)
{
    int64_t ids[RG_TABLE_CHUNK];
    const uint8_t *from[RG_TABLE_CHUNK];
    if (view->dim != table->spec.dim || view->n_states != table->spec.n_states)
        return rg_fail(RG_ESHAPE,
                       "table '%s' has rows of %lld floats and %d states, and a chunk has %lld and "
                       "%d",
                       table->name, (long long)table->spec.dim, table->spec.n_states,
                       (long long)view->dim, view->n_states);
    if (view->places != NULL && keep == NULL && table->keeps && table->keep.disk == NULL)
        return put_placed(table, view);
    for (uint32_t i = 0; i < view->n;) {
        size_t n = 0;
        for (; i < view->n && n < RG_TABLE_CHUNK; i++) {
            from[n] = view->rows + i * view->row_bytes;
            memcpy(&ids[n], from[n], sizeof *ids);
            n += keep == NULL || keep(arg, ids[n]);
        }
        RG_TRY(put_some(table, view, ids, from, n));
    }
    return RG_OK;
}

static void put_clock(rg_table *table, const rg_table_chunk *view)
{
    rg_cursor c = {view->rows, view->row_bytes};
    uint64_t now = 0, hand = 0;
    (void)rg_cursor_u64(&c, &now); /* its size was checked */
    (void)rg_cursor_u64(&c, &hand);
    table->now = now < RG_ROW_PINNED - 1 ? (uint32_t)now : 0;
    table->hand = hand;
}

/* A table that lets every id in has no use for them. */
static rg_status put_counts(rg_table *table, const rg_table_chunk *view,
                            bool (*keep)(void *arg, int64_t id), void *arg)
{
    rg_cursor c = {view->rows, view->n * (size_t)COUNT_BYTES};
    for (uint32_t i = 0; table->seen != NULL && i < view->n; i++) {
        uint64_t id;
        uint32_t count;
        RG_TRY(rg_cursor_u64(&c, &id));
        RG_TRY(rg_cursor_u32(&c, &count));
        RG_TRY(rg_table_check_ids(table, &(int64_t){(int64_t)id}, 1));
        if (keep == NULL || keep(arg, (int64_t)id))
            RG_TRY(rg_seen_set(table->seen, (int64_t)id, count));
    }
    return RG_OK;
}

/* Those that are not this table's have no row here. */
static rg_status put_gone(rg_table *table, const rg_table_chunk *view)
{
    for (uint32_t i = 0; i < view->n; i++) {
        int64_t id;
        memcpy(&id, view->rows + i * (size_t)GONE_BYTES, sizeof id);
        RG_TRY(rg_table_erase(table, &id, 1, NULL));
    }
    return RG_OK;
}

rg_status rg_table_put(rg_table *table, const uint8_t *chunk, size_t n,
                       bool (*keep)(void *arg, int64_t id), void *arg)
{
    rg_table_chunk view;
    RG_TRY(rg_table_chunk_read(&view, chunk, n));
    if (view.kind == RG_CHUNK_ROWS)
        return put_rows(table, &view, keep, arg);
    if (view.kind == RG_CHUNK_GONE)
        return put_gone(table, &view);
    if (view.kind == RG_CHUNK_COUNTS)
        return put_counts(table, &view, keep, arg);
    if (view.kind == RG_CHUNK_CLOCK && table->n_holes > 0)
        return rg_fail(RG_ECORRUPT, "table '%s': %zu rows are missing", table->name,
                       table->n_holes);
    if (view.kind == RG_CHUNK_CLOCK && table->keeps)
        put_clock(table, &view);
    return RG_OK;
}

/* ---- ids ---- */

static rg_status add_cold_ids(const rg_table *table, rg_keyed *items, size_t *n)
{
    rg_disk_walk *walk;
    const uint8_t *row;
    int64_t id;
    size_t bytes, most = rg_table_size(table);
    if (table->keep.disk == NULL)
        return RG_OK;
    RG_TRY(rg_disk_walk_open(&walk, table->keep.disk, table->disk_table));
    rg_status code;
    while ((code = rg_disk_walk_next(walk, &id, &row, &bytes)) == RG_OK && row != NULL && *n < most)
        if (rg_table_look(table, id) == RG_NO_ROW)
            items[(*n)++] = (rg_keyed){(uint64_t)id, 0};
    rg_disk_walk_close(walk);
    return code;
}

rg_status rg_table_ids(const rg_table *table, int64_t *ids)
{
    size_t n = 0, size = rg_table_size(table);
    rg_keyed *items = rg_alloc(2 * size * sizeof *items);
    if (items == NULL)
        return rg_no_memory(2 * size * sizeof *items, "the order of a sparse table's rows");
    for (; n < table->rows.n_rows; n++)
        items[n] = (rg_keyed){(uint64_t)rg_table_id(table, rg_slabs_at(&table->rows, n)), 0};
    rg_status code = add_cold_ids(table, items, &n);
    rg_sort_keys(items, items + size, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        ids[i] = (int64_t)items[i].key;
    rg_free(items);
    if (code == RG_OK && n != size)
        return rg_fail(RG_ECORRUPT, "table '%s' has %zu rows on disk, and %zu were found",
                       table->name, table->n_cold, n - table->rows.n_rows);
    return code;
}
