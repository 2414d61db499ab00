/* table_keep.c - rows that go where memory is short, and rows that come back from the disk.
 *
 * A call that touches rows first finds those in memory and pins them, reads those on disk in one
 * go, and then makes a place for each that is missing. Where the quota allows no more, rows of the
 * largest table that shares it are picked to go: to the disk, in one batch, or away.
 * Rows that are erased leave their place to others, so that handles are looked up once more in the
 * end.
 *
 * What counts as a use: to touch a row, and where there is a disk, to bring it: what is read now is
 * written soon. Without a disk which rows go decides what is learned, and so it is for those calls
 * alone that change rows.
 *
 * A row that has come back stays on the disk, too, and is written over when it goes again: to
 * delete it there would be as much work as to write it. What is in memory counts. */
#include "ps/table_priv.h"

#include "base/mem.h"
#include "ops/sort_keys.h"
#include "ps/disk.h"

enum {
    LOOKED_AT = 8,     /* rows for each that goes */
    FEWEST_GONE = 256, /* at once */
    DISK_BATCH = 4096, /* ids whose keys are dropped at once */
};
static const uint32_t MOST_USED = RG_ROW_PINNED - 1;

static uint32_t use_of(const rg_table *table, rg_row_handle handle)
{
    uint32_t used;
    memcpy(&used, rg_slabs_row(&table->rows, handle) + table->used_at, sizeof used);
    return used;
}

/* To change it. */
static uint32_t *use_at(const rg_table *table, rg_row_handle handle)
{
    rg_slabs_changing(&table->rows, handle);
    return (uint32_t *)(void *)(rg_slabs_row(&table->rows, handle) + table->used_at);
}

static size_t disk_bytes(const rg_table *table)
{
    return table->rows.row_bytes - RG_TABLE_ID_BYTES;
}

/* ---- uses ---- */

/* The clock has come to its end: all are half as old, in the same order. */
static void halve_uses(rg_table *table)
{
    for (size_t i = 0; i < table->rows.n_rows; i++)
        *use_at(table, rg_slabs_at(&table->rows, i)) /= 2;
    table->now /= 2;
}

static void use(const rg_table *table, rg_row_handle handle)
{
    uint32_t *used = use_at(table, handle), before = *used & ~RG_ROW_PINNED;
    if (table->keep.evict == RG_EVICT_LFU)
        *used = before < MOST_USED ? before + 1 : before;
    else
        *used = table->now;
}

/* ---- rows that go ---- */

typedef struct leaving {
    rg_keyed *keys; /* rows that are looked at, by use; then a second buffer */
    int64_t *ids;
    const uint8_t **rows;
    size_t n;
} leaving;

static void free_leaving(leaving *l)
{
    rg_free(l->keys);
    rg_free(l->ids);
    rg_free(l->rows);
}

static rg_status open_leaving(leaving *l, size_t looks, size_t most)
{
    *l = (leaving){.keys = rg_alloc(2 * looks * sizeof *l->keys),
                   .ids = rg_alloc(most * sizeof *l->ids),
                   .rows = rg_alloc(most * sizeof *l->rows)};
    return l->keys && l->ids && l->rows ? RG_OK
                                        : rg_no_memory(looks * sizeof *l->keys, "rows that go");
}

/* Of `looks` rows all over the table, the `most` least used that are not pinned. Rows that were
 * made at about the same time stand together: neighbours would be of one age. */
static void choose(rg_table *table, leaving *l, size_t looks, size_t most)
{
    enum { AHEAD = 8 };
    size_t n = 0, stride = table->rows.n_rows / looks, first = table->hand % stride;
    rg_row_handle coming[AHEAD];
    for (size_t i = 0; i < looks + AHEAD; i++) {
        rg_row_handle handle = coming[i % AHEAD];
        if (i < looks) {
            coming[i % AHEAD] = rg_slabs_at(&table->rows, first + i * stride);
            __builtin_prefetch(rg_slabs_row(&table->rows, coming[i % AHEAD]) + table->used_at, 1);
        }
        if (i < AHEAD || (use_of(table, handle) & RG_ROW_PINNED) != 0)
            continue;
        l->keys[n++] = (rg_keyed){use_of(table, handle), handle};
        if (table->keep.evict == RG_EVICT_LFU)
            *use_at(table, handle) /= 2; /* what was used often once is forgotten in the end */
    }
    rg_sort_keys(l->keys, l->keys + looks, (int64_t)n);
    l->n = n < most ? n : most;
    for (size_t i = 0; i < l->n; i++) {
        rg_row_handle handle = (rg_row_handle)l->keys[i].at;
        l->ids[i] = rg_table_id(table, handle);
        l->rows[i] = rg_slabs_row(&table->rows, handle) + RG_TABLE_ID_BYTES;
    }
}

static rg_status let_go(rg_table *table, const leaving *l)
{
    if (table->keep.disk != NULL) {
        RG_TRY(rg_disk_write(table->keep.disk, table->disk_table, l->ids, l->rows, l->n,
                             disk_bytes(table)));
        table->n_cold += l->n;
    } else if (table->keep.gone != NULL) {
        table->keep.gone(table->keep.arg, l->ids, l->n);
    }
    for (size_t i = 0; i < l->n; i++)
        rg_table_drop_row(table, l->ids[i]);
    table->use.evicted += l->n;
    rg_table_settle(table);
    return RG_OK;
}

/* About `most` rows of this table; none where all that there are are pinned. */
static rg_status evict_from(rg_table *table, size_t most, size_t *gone)
{
    leaving l;
    size_t n_rows = table->rows.n_rows;
    size_t looks = most * LOOKED_AT < n_rows ? most * LOOKED_AT : n_rows;
    *gone = 0;
    if (n_rows == 0)
        return RG_OK;
    rg_status code = open_leaving(&l, looks, most);
    for (size_t tries = n_rows / looks; code == RG_OK && *gone == 0 && tries > 0; tries--) {
        choose(table, &l, looks, most);
        code = l.n > 0 ? let_go(table, &l) : RG_OK;
        *gone = l.n;
        table->hand++;
    }
    free_leaving(&l);
    return code;
}

/* The largest of those that share the memory. */
static rg_table *largest(rg_table *table)
{
    rg_table *found = table;
    size_t most = 0;
    for (rg_table *t = table->keep.quota->tables; t != NULL; t = t->next)
        if (t->rows.n_rows * t->rows.row_bytes > most) {
            most = t->rows.n_rows * t->rows.row_bytes;
            found = t;
        }
    return found;
}

static rg_status evict(rg_table *table, size_t want, size_t *gone)
{
    rg_table *from = largest(table);
    want = want > FEWEST_GONE ? want : FEWEST_GONE;
    RG_TRY(evict_from(from, want, gone));
    return *gone == 0 && from != table ? evict_from(table, want, gone) : RG_OK;
}

/* ---- rows that are missing ---- */

typedef struct missing {
    int64_t *ids; /* in the order that they are wanted; some may repeat */
    size_t n, n_done;
    uint8_t *rows; /* from the disk */
    bool *found;
} missing;

static void free_missing(missing *m)
{
    rg_free(m->ids);
    rg_free(m->rows);
    rg_free(m->found);
}

static rg_status list_missing(missing *m, const int64_t *ids, const rg_row_handle *handles,
                              size_t n, size_t n_missing)
{
    *m = (missing){.ids = rg_alloc(n_missing * sizeof *m->ids),
                   .found = rg_alloc_zero(n_missing, sizeof *m->found)};
    if (!m->ids || !m->found)
        return rg_no_memory(n_missing * sizeof *m->ids, "rows that are missing");
    for (size_t i = 0; i < n; i++)
        if (handles[i] == RG_NO_ROW)
            m->ids[m->n++] = ids[i];
    return RG_OK;
}

static rg_status read_missing(rg_table *table, missing *m)
{
    if (table->keep.disk == NULL || table->n_cold == 0)
        return RG_OK;
    m->rows = rg_alloc(m->n * disk_bytes(table));
    if (m->rows == NULL)
        return rg_no_memory(m->n * disk_bytes(table), "rows from the disk");
    return rg_disk_read(table->keep.disk, table->disk_table, m->ids, m->n, disk_bytes(table),
                        m->rows, m->found);
}

static rg_status place(rg_table *table, missing *m, int64_t id, rg_row_handle *handle)
{
    for (;;) {
        rg_status code = rg_table_place(table, id, handle);
        size_t gone;
        if (code == RG_OK || !table->full)
            return code;
        table->full = false;
        RG_TRY(evict(table, m->n - m->n_done, &gone));
        if (gone == 0)
            return rg_table_too_full(table, m->n - m->n_done);
    }
}

static rg_status make_missing(rg_table *table, missing *m, bool create)
{
    for (; m->n_done < m->n; m->n_done++) {
        int64_t id = m->ids[m->n_done];
        bool is_cold = m->found[m->n_done];
        rg_row_handle handle;
        if ((!is_cold && !create) || rg_table_look(table, id) != RG_NO_ROW)
            continue; /* or it has just come, and is wanted twice */
        RG_TRY(place(table, m, id, &handle));
        if (is_cold)
            memcpy(rg_slabs_row(&table->rows, handle) + RG_TABLE_ID_BYTES,
                   m->rows + m->n_done * disk_bytes(table), disk_bytes(table));
        else
            rg_table_start_row(table, id, handle);
        table->n_cold -= is_cold;
        *use_at(table, handle) |= RG_ROW_PINNED;
    }
    return RG_OK;
}

/* The call has failed: what it made goes again. Rows from the disk may stay. */
static void unmake_missing(rg_table *table, const missing *m)
{
    for (size_t i = 0; i < m->n_done; i++)
        if (!m->found[i])
            rg_table_drop_row(table, m->ids[i]);
    rg_table_settle(table);
}

static void pin(const rg_table *table, const rg_row_handle *handles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i] != RG_NO_ROW)
            *use_at(table, handles[i]) |= RG_ROW_PINNED;
}

static void unpin(const rg_table *table, const rg_row_handle *handles, size_t n, bool uses)
{
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == RG_NO_ROW)
            continue;
        *use_at(table, handles[i]) &= ~RG_ROW_PINNED;
        if (uses)
            use(table, handles[i]);
    }
}

rg_status rg_table_touch_kept(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                              bool create)
{
    missing m = {0};
    size_t n_missing = rg_table_find_valid(table, ids, n, handles);
    rg_status code = RG_OK;
    rg_table_note_use(table, n, n_missing);
    bool uses = create || table->keep.disk != NULL;
    if (uses && ++table->now >= MOST_USED)
        halve_uses(table);
    if (n_missing > 0) {
        pin(table, handles, n);
        code = list_missing(&m, ids, handles, n, n_missing);
        if (code == RG_OK)
            code = read_missing(table, &m);
        if (code == RG_OK)
            code = make_missing(table, &m, create);
        if (code != RG_OK)
            unmake_missing(table, &m);
        (void)rg_table_find_valid(table, ids, n, handles);
    }
    unpin(table, handles, n, uses && code == RG_OK);
    free_missing(&m);
    return code;
}

/* ---- fewer rows ---- */

rg_status rg_table_erase_kept(rg_table *table, const int64_t *ids, size_t n)
{
    enum { BATCH = 256 };
    rg_row_handle handles[BATCH];
    for (size_t i = 0; i < n; i += BATCH) {
        size_t size = n - i < BATCH ? n - i : BATCH;
        RG_TRY(rg_table_touch_kept(table, ids + i, size, handles, false));
        RG_TRY(rg_disk_erase(table->keep.disk, table->disk_table, ids + i, size));
        for (size_t k = i; k < i + size; k++)
            rg_table_drop_row(table, ids[k]);
    }
    return RG_OK;
}

/* Ids that go, on the disk, a batch at a time. */
typedef struct dropping {
    rg_table *table;
    int64_t ids[DISK_BATCH];
    size_t n;
} dropping;

static rg_status flush_drops(dropping *d)
{
    RG_TRY(rg_disk_erase(d->table->keep.disk, d->table->disk_table, d->ids, d->n));
    d->n = 0;
    return RG_OK;
}

static rg_status drop_on_disk(dropping *d, int64_t id)
{
    d->ids[d->n++] = id;
    return d->n == DISK_BATCH ? flush_drops(d) : RG_OK;
}

static rg_status drop_cold(dropping *d, rg_table_drop drop, void *arg)
{
    rg_table *table = d->table;
    rg_disk_walk *walk;
    const uint8_t *row;
    int64_t id;
    size_t bytes;
    rg_status code = rg_disk_walk_open(&walk, table->keep.disk, table->disk_table);
    if (code != RG_OK)
        return code;
    while ((code = rg_disk_walk_next(walk, &id, &row, &bytes)) == RG_OK && row != NULL) {
        uint32_t counters[RG_TABLE_MAX_COUNTERS];
        if (bytes != disk_bytes(table) || rg_table_look(table, id) != RG_NO_ROW)
            continue; /* what is in memory was asked */
        memcpy(counters, row + sizeof(float) * table->floats, 4 * (size_t)table->spec.n_counters);
        if (!drop(arg, id, counters))
            continue;
        table->n_cold--;
        if ((code = drop_on_disk(d, id)) != RG_OK)
            break;
    }
    rg_disk_walk_close(walk);
    return code;
}

/* Rows on disk first, while those in memory still hide their older copies. */
rg_status rg_table_erase_kept_if(rg_table *table, rg_table_drop drop, void *arg)
{
    dropping *d = rg_alloc_zero(1, sizeof *d);
    if (d == NULL)
        return rg_no_memory(sizeof *d, "rows that go");
    d->table = table;
    rg_status code = drop_cold(d, drop, arg);
    for (size_t i = table->rows.n_rows; code == RG_OK && i-- > 0;) {
        rg_row_handle handle = rg_slabs_at(&table->rows, i);
        int64_t id = rg_table_id(table, handle);
        if (!rg_table_asks(table, handle, drop, arg))
            continue;
        rg_table_drop_row(table, id);
        code = drop_on_disk(d, id);
    }
    if (code == RG_OK)
        code = flush_drops(d);
    rg_free(d);
    rg_row_index_shrink(&table->index);
    rg_table_settle(table);
    return code;
}
