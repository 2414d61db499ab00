/* geo_rows.c - rows by their last update, behind ps/geo_rows.h. */
#include "ps/geo_rows.h"

#include "base/mem.h"
#include "ps/row_index_priv.h"

enum {
    FIRST_ENTRIES = 64,
    AHEAD = 12, /* rows whose cells are fetched before they are looked for */
};
#define GONE UINT64_MAX /* the mark of a trainer that has left */

typedef struct entry {
    int64_t id;      /* -1: it has changed again since, and stands further on */
    uint64_t number; /* of the change; grows along the list */
} entry;

struct rg_geo_rows {
    entry *entries;
    size_t first, end, capacity; /* entries first .. end - 1 */
    uint64_t next;               /* the next change's number */
    uint64_t listed;             /* the highest mark given out: nobody has later changes */
    int n_gone;
    rg_row_index index; /* id -> where in entries */
    int n_trainers;
    uint64_t marks[]; /* a trainer has seen all changes with lower numbers */
};

rg_status rg_geo_rows_open(rg_geo_rows **out, int n_trainers)
{
    if (n_trainers < 1 || n_trainers > RG_GEO_MAX_TRAINERS)
        return rg_fail(RG_EINVAL, "%d trainers, and 1 to %d are possible", n_trainers,
                       RG_GEO_MAX_TRAINERS);
    size_t bytes = sizeof(rg_geo_rows) + (size_t)n_trainers * sizeof(uint64_t);
    rg_geo_rows *rows = rg_alloc_zero(1, bytes);
    if (rows == NULL || rg_row_index_init(&rows->index) != RG_OK) {
        rg_free(rows);
        return rg_no_memory(bytes, "the rows that trainers have not seen");
    }
    rows->n_trainers = n_trainers;
    *out = rows;
    return RG_OK;
}

void rg_geo_rows_close(rg_geo_rows *rows)
{
    if (rows == NULL)
        return;
    rg_row_index_fini(&rows->index);
    rg_free(rows->entries);
    rg_free(rows);
}

size_t rg_geo_rows_bytes(const rg_geo_rows *rows)
{
    return sizeof *rows + (size_t)rows->n_trainers * sizeof(uint64_t) +
           rows->capacity * sizeof(entry) + rg_row_index_bytes(&rows->index);
}

/* Its cell, for a search soon, ... */
static inline void fetch(const rg_geo_rows *rows, int64_t id)
{
    rg_probe probe = rg_probe_begin(&rows->index, rg_row_tag(id));
    __builtin_prefetch(&probe.segment->cells[probe.at], 1);
}

/* ... and, where that has come, its entry. */
static inline void fetch_entry(const rg_geo_rows *rows, int64_t id)
{
    rg_probe probe = rg_probe_begin(&rows->index, rg_row_tag(id));
    uint64_t cell = probe.segment->cells[probe.at];
    if (cell != 0)
        __builtin_prefetch(&rows->entries[(uint32_t)cell - 1], 1);
}

/* Where the id stands, or UINT32_MAX; the probe ends at its cell. */
static uint32_t search(const rg_geo_rows *rows, int64_t id, rg_probe *probe)
{
    uint32_t at;
    *probe = rg_probe_begin(&rows->index, rg_row_tag(id));
    while ((at = rg_probe_row(probe)) != UINT32_MAX && rows->entries[at].id != id)
        rg_probe_step(probe);
    return at;
}

/* Move what is left to the front. */
static void compact(rg_geo_rows *rows)
{
    size_t to = 0;
    for (size_t i = rows->first; i < rows->end; i++) {
        entry e = rows->entries[i];
        if (i + AHEAD < rows->end && rows->entries[i + AHEAD].id >= 0)
            fetch(rows, rows->entries[i + AHEAD].id);
        if (e.id < 0)
            continue;
        rg_probe probe;
        (void)search(rows, e.id, &probe);
        rg_probe_set(&probe, (uint32_t)to);
        rows->entries[to++] = e;
    }
    rows->first = 0;
    rows->end = to;
}

/* Room for one more entry: by leaving out those that have moved on, where that gives enough,
 * so that it is not done again soon. */
static rg_status make_room(rg_geo_rows *rows)
{
    if (rows->end < rows->capacity)
        return RG_OK;
    compact(rows);
    if (rows->end < rows->capacity - rows->capacity / 4)
        return RG_OK;
    size_t capacity = rows->capacity < FIRST_ENTRIES ? FIRST_ENTRIES : rows->capacity * 2;
    if (capacity > UINT32_MAX)
        return rg_fail(RG_ETOOBIG, "%zu updated rows wait for trainers", rows->end);
    entry *entries = rg_realloc(rows->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return rg_no_memory(capacity * sizeof *entries, "the rows that trainers have not seen");
    rows->entries = entries;
    rows->capacity = capacity;
    return RG_OK;
}

rg_status rg_geo_rows_note(rg_geo_rows *rows, const int64_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] < 0)
            return rg_fail(RG_EVALUE, "id %lld of an updated row, and ids are not negative",
                           (long long)ids[i]);
    if (rows->n_gone == rows->n_trainers)
        return RG_OK; /* nobody is there to be told */
    for (size_t i = 0; i < n; i++) {
        RG_TRY(make_room(rows));
        if (i + AHEAD < n)
            fetch(rows, ids[i + AHEAD]);
        if (i + AHEAD / 2 < n)
            fetch_entry(rows, ids[i + AHEAD / 2]);
        uint32_t tag = rg_row_tag(ids[i]);
        rg_probe probe;
        uint32_t at = search(rows, ids[i], &probe);
        if (at == UINT32_MAX) {
            RG_TRY(rg_row_index_reserve(&rows->index, tag));
            rg_row_index_add(&rows->index, tag, (uint32_t)rows->end);
        } else if (rows->entries[at].number >= rows->listed) {
            continue; /* all will get it as it stands */
        } else {
            rows->entries[at].id = -1;
            rg_probe_set(&probe, (uint32_t)rows->end);
        }
        rows->entries[rows->end++] = (entry){ids[i], rows->next++};
    }
    return RG_OK;
}

static rg_status check_trainer(const rg_geo_rows *rows, int trainer)
{
    if (trainer < 0 || trainer >= rows->n_trainers)
        return rg_fail(RG_EINVAL, "trainer %d of %d", trainer, rows->n_trainers);
    return RG_OK;
}

/* The first entry that the trainer has not seen. */
static size_t unseen(const rg_geo_rows *rows, int trainer)
{
    size_t low = rows->first, high = rows->end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->entries[middle].number < rows->marks[trainer])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

rg_status rg_geo_rows_list(rg_geo_rows *rows, int trainer, int64_t *ids, size_t most, size_t *n,
                           uint64_t *mark)
{
    RG_TRY(check_trainer(rows, trainer));
    if (rows->marks[trainer] == GONE)
        return rg_fail(RG_EINVAL, "trainer %d has left", trainer);
    size_t given = 0, i = unseen(rows, trainer);
    for (; i < rows->end && given < most; i++)
        if (rows->entries[i].id >= 0)
            ids[given++] = rows->entries[i].id;
    *n = given;
    *mark = i < rows->end ? rows->entries[i].number : rows->next;
    rows->listed = *mark > rows->listed ? *mark : rows->listed;
    return RG_OK;
}

size_t rg_geo_rows_count(const rg_geo_rows *rows, int trainer)
{
    size_t n = 0;
    if (check_trainer(rows, trainer) != RG_OK || rows->marks[trainer] == GONE)
        return 0;
    for (size_t i = unseen(rows, trainer); i < rows->end; i++)
        n += rows->entries[i].id >= 0;
    return n;
}

/* Set a trainer's mark, and forget what everyone has seen. */
static void set_mark(rg_geo_rows *rows, int trainer, uint64_t mark)
{
    rows->marks[trainer] = mark;
    rows->n_gone = 0;
    uint64_t least = GONE;
    for (int t = 0; t < rows->n_trainers; t++) {
        least = rows->marks[t] < least ? rows->marks[t] : least;
        rows->n_gone += rows->marks[t] == GONE;
    }
    for (; rows->first < rows->end && rows->entries[rows->first].number < least; rows->first++) {
        rg_probe probe;
        if (rows->first + AHEAD < rows->end && rows->entries[rows->first + AHEAD].id >= 0)
            fetch(rows, rows->entries[rows->first + AHEAD].id);
        if (rows->entries[rows->first].id < 0)
            continue;
        (void)search(rows, rows->entries[rows->first].id, &probe);
        rg_row_index_remove(&probe);
    }
    if (rows->first == rows->end)
        rows->first = rows->end = 0;
}

rg_status rg_geo_rows_done(rg_geo_rows *rows, int trainer, uint64_t mark)
{
    RG_TRY(check_trainer(rows, trainer));
    if (mark > rows->next)
        return rg_fail(RG_EINVAL, "trainer %d has rows that were never listed", trainer);
    if (mark > rows->marks[trainer])
        set_mark(rows, trainer, mark);
    return RG_OK;
}

rg_status rg_geo_rows_leave(rg_geo_rows *rows, int trainer)
{
    RG_TRY(check_trainer(rows, trainer));
    set_mark(rows, trainer, GONE);
    return RG_OK;
}

rg_status rg_geo_rows_join(rg_geo_rows *rows, int trainer)
{
    RG_TRY(check_trainer(rows, trainer));
    set_mark(rows, trainer, rows->next);
    rows->listed = rows->next;
    return RG_OK;
}

/* ---- for a snapshot ---- */

void rg_geo_rows_write(const rg_geo_rows *rows, rg_buf *out)
{
    size_t n = 0;
    for (size_t i = rows->first; i < rows->end; i++)
        n += rows->entries[i].id >= 0;
    rg_buf_u64(out, rows->next);
    rg_buf_u64(out, rows->listed);
    rg_buf_u64(out, (uint64_t)rows->n_trainers);
    for (int t = 0; t < rows->n_trainers; t++)
        rg_buf_u64(out, rows->marks[t]);
    rg_buf_u64(out, n);
    for (size_t i = rows->first; i < rows->end; i++) {
        if (rows->entries[i].id < 0)
            continue;
        rg_buf_u64(out, (uint64_t)rows->entries[i].id);
        rg_buf_u64(out, rows->entries[i].number);
    }
}

static rg_status read_entry(rg_geo_rows *rows, rg_cursor *in)
{
    uint64_t id, number, before = rows->end > 0 ? rows->entries[rows->end - 1].number : 0;
    rg_probe probe;
    RG_TRY(rg_cursor_u64(in, &id));
    RG_TRY(rg_cursor_u64(in, &number));
    if ((int64_t)id < 0 || number >= rows->next || (rows->end > 0 && number <= before) ||
        search(rows, (int64_t)id, &probe) != UINT32_MAX)
        return rg_fail(RG_ECORRUPT, "rows that trainers have not seen are out of order");
    RG_TRY(make_room(rows));
    uint32_t tag = rg_row_tag((int64_t)id);
    RG_TRY(rg_row_index_reserve(&rows->index, tag));
    rg_row_index_add(&rows->index, tag, (uint32_t)rows->end);
    rows->entries[rows->end++] = (entry){(int64_t)id, number};
    return RG_OK;
}

rg_status rg_geo_rows_read(rg_geo_rows *rows, rg_cursor *in)
{
    uint64_t trainers, n;
    RG_TRY(rg_cursor_u64(in, &rows->next));
    RG_TRY(rg_cursor_u64(in, &rows->listed));
    RG_TRY(rg_cursor_u64(in, &trainers));
    if (trainers != (uint64_t)rows->n_trainers || rows->listed > rows->next)
        return rg_fail(RG_ECORRUPT, "rows that %llu trainers have not seen, in a job of %d",
                       (unsigned long long)trainers, rows->n_trainers);
    rows->n_gone = 0;
    for (int t = 0; t < rows->n_trainers; t++) {
        RG_TRY(rg_cursor_u64(in, &rows->marks[t]));
        rows->n_gone += rows->marks[t] == GONE;
    }
    RG_TRY(rg_cursor_u64(in, &n));
    for (uint64_t i = 0; i < n; i++)
        RG_TRY(read_entry(rows, in));
    return RG_OK;
}
