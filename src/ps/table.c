/* table.c - sparse tables behind ps/table.h: ids checked, found and made.
 *
 * Batches are worked on in groups: first the index cells of all ids of a group are fetched,
 * then their rows, and only then is anything compared or copied, so that the misses of a
 * group overlap. */
#include "ps/table_priv.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "ps/disk.h"
#include "ps/row_start_priv.h"

enum { GROUP = 64 }; /* ids that are looked up together */

/* ---- open, close ---- */

static rg_status check_spec(const rg_table_spec *spec)
{
    if (spec->dim < 1 || spec->dim > RG_TABLE_MAX_DIM)
        return rg_fail(RG_EINVAL, "table '%s': %lld floats in a value, and 1 to %d are possible",
                       spec->name, (long long)spec->dim, RG_TABLE_MAX_DIM);
    if (spec->n_states < 0 || spec->n_states > RG_TABLE_MAX_STATES)
        return rg_fail(RG_EINVAL, "table '%s': %d states, and 0 to %d are possible", spec->name,
                       spec->n_states, RG_TABLE_MAX_STATES);
    if (spec->n_counters < 0 || spec->n_counters > RG_TABLE_MAX_COUNTERS)
        return rg_fail(RG_EINVAL, "table '%s': %d counters, and 0 to %d are possible", spec->name,
                       spec->n_counters, RG_TABLE_MAX_COUNTERS);
    if (spec->height < -1)
        return rg_fail(RG_EINVAL, "table '%s': height %lld, and -1 stands for no bound", spec->name,
                       (long long)spec->height);
    if ((int)spec->start < RG_START_CONSTANT || spec->start > RG_START_VALUES)
        return rg_fail(RG_EINVAL, "table '%s': no start %d", spec->name, (int)spec->start);
    return RG_OK;
}

rg_status rg_table_open(rg_table **out, const rg_table_spec *spec)
{
    RG_TRY(check_spec(spec));
    rg_table *table = rg_alloc_zero(1, sizeof *table);
    char *name = rg_strdup(spec->name);
    if (table == NULL || name == NULL || rg_row_index_init(&table->index) != RG_OK) {
        rg_free(name);
        rg_free(table);
        return rg_no_memory(sizeof *table, "a sparse table");
    }
    table->spec = *spec;
    table->spec.name = table->name = name;
    table->id_limit = spec->height < 0 ? (uint64_t)INT64_MAX + 1 : (uint64_t)spec->height;
    table->floats = (size_t)spec->dim * (size_t)(1 + spec->n_states);
    if (spec->keep != NULL)
        table->keep = *spec->keep;
    table->spec.keep = NULL;
    table->spec.entry = NULL;
    table->keeps = table->keep.evict != RG_EVICT_NEVER || table->keep.disk != NULL;
    if (table->keep.disk != NULL)
        table->disk_table = rg_disk_new_table(table->keep.disk);
    table->used_at = RG_TABLE_ID_BYTES + sizeof(float) * table->floats +
                     4 * (size_t)spec->n_counters;
    rg_slabs_init(&table->rows, table->used_at + (table->keeps ? sizeof(uint32_t) : 0),
                  table->keep.quota ? rg_quota_slab(table->keep.quota) : RG_SLAB_BYTES);
    if (spec->entry != NULL && rg_entry_filters(spec->entry)) {
        table->entry = *spec->entry;
        rg_status code = rg_seen_open(&table->seen, table->keep.quota, table->keeps);
        if (code != RG_OK) {
            rg_row_index_fini(&table->index);
            rg_free(name);
            rg_free(table);
            return code;
        }
    }
    rg_buf_init(&table->gone, 0);
    rg_table_settle(table);
    if (table->keeps && table->keep.quota != NULL) {
        table->next = table->keep.quota->tables;
        table->keep.quota->tables = table;
    }
    *out = table;
    return RG_OK;
}

static void leave_quota(rg_table *table)
{
    rg_quota *quota = table->keep.quota;
    rg_table **at = &quota->tables;
    quota->cost -= table->rows.n_rows * rg_table_row_cost(table);
    while (*at != table)
        at = &(*at)->next;
    *at = table->next;
}

void rg_table_close(rg_table *table)
{
    if (table == NULL)
        return;
    if (table->keeps && table->keep.quota != NULL)
        leave_quota(table);
    rg_seen_close(table->seen);
    rg_slabs_clear(&table->rows);
    rg_buf_fini(&table->gone);
    rg_row_index_fini(&table->index);
    rg_quota_note(table->keep.quota, table->charged, 0);
    rg_free(table->name);
    rg_free(table);
}

rg_status rg_table_clear(rg_table *table)
{
    if (table->keep.disk != NULL)
        RG_TRY(rg_disk_clear(table->keep.disk, table->disk_table));
    if (table->keeps && table->keep.quota != NULL)
        table->keep.quota->cost -= table->rows.n_rows * rg_table_row_cost(table);
    rg_slabs_clear(&table->rows);
    rg_row_index_clear(&table->index);
    table->n_cold = table->hand = 0;
    if (table->seen != NULL)
        rg_seen_clear(table->seen);
    rg_table_settle(table);
    return RG_OK;
}

const rg_table_spec *rg_table_about(const rg_table *table)
{
    return &table->spec;
}

size_t rg_table_size(const rg_table *table)
{
    return table->rows.n_rows + table->n_cold;
}

size_t rg_table_in_memory(const rg_table *table)
{
    return table->rows.n_rows;
}

size_t rg_table_bytes(const rg_table *table)
{
    return sizeof *table + rg_slabs_bytes(&table->rows) + rg_row_index_bytes(&table->index);
}

size_t rg_table_row_cost(const rg_table *table)
{
    enum { INDEX_BYTES = 17 }; /* a cell of 8 in segments that are at least half full */
    return table->rows.row_bytes + INDEX_BYTES;
}

/* ---- one row ---- */

float *rg_table_row(rg_table *table, rg_row_handle handle)
{
    rg_slabs_changing(&table->rows, handle);
    return rg_row_floats(table, handle);
}

const float *rg_table_row_const(const rg_table *table, rg_row_handle handle)
{
    return rg_row_floats(table, handle);
}

int64_t rg_table_id(const rg_table *table, rg_row_handle handle)
{
    int64_t id; /* at a multiple of 4 bytes */
    memcpy(&id, rg_slabs_row(&table->rows, handle), sizeof id);
    return id;
}

uint32_t *rg_table_counters(rg_table *table, rg_row_handle handle)
{
    if (table->spec.n_counters == 0)
        return NULL;
    rg_slabs_changing(&table->rows, handle);
    return (uint32_t *)(void *)(rg_row_floats(table, handle) + table->floats);
}

const uint32_t *rg_table_counters_const(const rg_table *table, rg_row_handle handle)
{
    return table->spec.n_counters == 0
               ? NULL
               : (const uint32_t *)(const void *)(rg_row_floats(table, handle) + table->floats);
}

void rg_table_prefetch(const rg_table *table, rg_row_handle handle)
{
    if (handle != RG_NO_ROW)
        rg_row_prefetch(table, handle);
}

void rg_table_rows(rg_table *table, const rg_row_handle *handles, size_t n, float **rows,
                   uint32_t **counters)
{
    for (size_t i = 0; i < n; i++) {
        rg_row_prefetch(table, handles[i]);
        rows[i] = rg_row_floats(table, handles[i]);
        if (counters != NULL)
            counters[i] = (uint32_t *)(void *)(rows[i] + table->floats);
    }
    bool said = table->rows.cut != NULL || table->rows.marks != NULL;
    for (size_t i = 0; said && i < n; i++)
        rg_slabs_changing(&table->rows, handles[i]);
}

rg_table_use rg_table_use_of(const rg_table *table)
{
    return table->use;
}

/* ---- finding and making ---- */

rg_status rg_table_check_ids(const rg_table *table, const int64_t *ids, size_t n)
{
    uint64_t limit = table->id_limit;
    bool bad = false;
    for (size_t i = 0; i < n; i++)
        bad |= (uint64_t)ids[i] >= limit;
    if (!bad)
        return RG_OK;
    size_t i = 0;
    while ((uint64_t)ids[i] < limit)
        i++;
    if (ids[i] < 0)
        return rg_fail(RG_EVALUE, "table '%s': id %lld, and ids are not negative", table->name,
                       (long long)ids[i]);
    return rg_fail(RG_EVALUE, "table '%s': id %lld is not below its height %lld", table->name,
                   (long long)ids[i], (long long)table->spec.height);
}

/* At most GROUP valid ids. Returns how many are not there. */
static size_t find_group(const rg_table *table, const int64_t *ids, size_t n,
                         rg_row_handle *handles)
{
    rg_probe probes[GROUP];
    size_t missing = 0;
    for (size_t i = 0; i < n; i++) {
        probes[i] = rg_probe_begin(&table->index, rg_row_tag(ids[i]));
        __builtin_prefetch(&probes[i].segment->cells[probes[i].at]);
    }
    for (size_t i = 0; i < n; i++) {
        handles[i] = rg_probe_row(&probes[i]);
        if (handles[i] != RG_NO_ROW)
            rg_row_prefetch(table, handles[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (handles[i] != RG_NO_ROW && rg_table_id(table, handles[i]) != ids[i])
            handles[i] = rg_table_search(table, &probes[i], ids[i]);
        missing += handles[i] == RG_NO_ROW;
    }
    return missing;
}

size_t rg_table_find_valid(const rg_table *table, const int64_t *ids, size_t n,
                           rg_row_handle *handles)
{
    size_t missing = 0;
    for (size_t i = 0; i < n; i += GROUP)
        missing += find_group(table, ids + i, n - i < GROUP ? n - i : GROUP, handles + i);
    return missing;
}

/* ---- memory ---- */

void rg_table_settle(rg_table *table)
{
    size_t bytes = rg_table_bytes(table);
    rg_quota_note(table->keep.quota, table->charged, bytes);
    table->charged = bytes;
}

rg_status rg_table_too_full(const rg_table *table, size_t more)
{
    const rg_quota *quota = table->keep.quota;
    char own[RG_BYTES_TEXT], all[RG_BYTES_TEXT], limit[RG_BYTES_TEXT];
    return rg_fail(RG_ENOMEM,
                   "table '%s' is full: %zu rows more do not fit into --table_memory, %s; give it "
                   "more, use more servers, or let rows go (--table_evict lru) or move to a disk "
                   "(--table_disk DIR); it has %zu rows in %s, and all tables here have taken %s",
                   table->name, more, rg_show_bytes(quota->limit, limit), rg_table_size(table),
                   rg_show_bytes(rg_table_bytes(table), own),
                   rg_show_bytes(atomic_load(&quota->used), all));
}

/* Room for one more row, of this tag, and what it costs; `full` says why not. */
static rg_status make_room(rg_table *table, uint32_t tag)
{
    size_t more = rg_slabs_growth(&table->rows) + rg_row_index_growth(&table->index, tag);
    rg_quota *quota = table->keep.quota;
    size_t cost = table->keeps && quota != NULL ? rg_table_row_cost(table) : 0;
    table->full = (cost > 0 && quota->cost + cost > rg_quota_for_rows(quota)) ||
                  !rg_quota_take(quota, more);
    if (table->full)
        return rg_fail(RG_ENOMEM, "the quota is used up");
    table->charged += more;
    rg_status code = rg_row_index_reserve(&table->index, tag);
    if (code == RG_OK)
        code = rg_slabs_reserve(&table->rows);
    if (more > 0)
        rg_table_settle(table);
    if (code == RG_OK && cost > 0)
        quota->cost += cost;
    return code;
}

static void take_place(rg_table *table, int64_t id, rg_row_handle handle)
{
    rg_row_index_add(&table->index, rg_row_tag(id), handle);
    memcpy(rg_slabs_row(&table->rows, handle), &id, sizeof id);
}

rg_status rg_table_place(rg_table *table, int64_t id, rg_row_handle *handle)
{
    rg_status code = make_room(table, rg_row_tag(id));
    if (code != RG_OK)
        return table->full
                   ? code
                   : rg_context(code, "table '%s', a row for id %lld", table->name, (long long)id);
    *handle = rg_slabs_add(&table->rows);
    take_place(table, id, *handle);
    return RG_OK;
}

rg_status rg_table_place_at(rg_table *table, int64_t id, uint32_t position, rg_row_handle *handle)
{
    for (; table->rows.n_rows <= position; table->n_holes++) {
        rg_status code = make_room(table, rg_row_tag(id));
        if (code != RG_OK && table->full)
            return rg_table_too_full(table, 1);
        RG_TRY(code);
        (void)rg_slabs_add(&table->rows);
    }
    if (table->n_holes == 0)
        return rg_fail(RG_ECORRUPT, "table '%s': two rows for place %u", table->name, position);
    RG_TRY(rg_row_index_reserve(&table->index, rg_row_tag(id)));
    *handle = rg_slabs_at(&table->rows, position);
    table->n_holes--;
    take_place(table, id, *handle);
    return RG_OK;
}

void rg_table_start_row(rg_table *table, int64_t id, rg_row_handle handle)
{
    const rg_table_spec *spec = &table->spec;
    float *at = rg_row_floats(table, handle);
    rg_row_start(spec, id, at);
    for (int k = 0; k < spec->n_states; k++)
        for (int64_t i = 0; i < spec->dim; i++)
            *(at + (k + 1) * spec->dim + i) = spec->state_start[k];
    memset(at + table->floats, 0,
           table->rows.row_bytes - table->used_at + 4 * (size_t)spec->n_counters);
}

/* Rows beyond the first `before` go again: they are the last. */
static void unmake_last(rg_table *table, size_t before)
{
    while (table->rows.n_rows > before)
        rg_table_drop_row(table, rg_table_id(table, rg_slabs_last(&table->rows)));
    rg_table_settle(table);
}

static rg_status touch_group(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                             bool starts)
{
    size_t missing = find_group(table, ids, n, handles);
    rg_table_note_use(table, n, missing);
    if (missing == 0)
        return RG_OK;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] != RG_NO_ROW)
            continue;
        handles[i] = rg_table_look(table, ids[i]); /* made meanwhile, if it stood there before */
        if (handles[i] != RG_NO_ROW)
            continue;
        RG_TRY(rg_table_place(table, ids[i], &handles[i]));
        if (starts)
            rg_table_start_row(table, ids[i], handles[i]);
    }
    return RG_OK;
}

/* A quota refuses a batch as a whole. */
rg_status rg_table_touch_valid(rg_table *table, const int64_t *ids, size_t n,
                               rg_row_handle *handles, bool starts)
{
    if (table->keeps)
        return rg_table_touch_kept(table, ids, n, handles, true);
    size_t before = table->rows.n_rows;
    for (size_t first = 0; first < n; first += GROUP) {
        rg_status code = touch_group(table, ids + first, n - first < GROUP ? n - first : GROUP,
                                     handles + first, starts);
        if (code == RG_OK)
            continue;
        bool full = table->full;
        table->full = false;
        if (!full)
            return code;
        unmake_last(table, before);
        return rg_table_too_full(table, rg_table_find_valid(table, ids, n, handles));
    }
    return RG_OK;
}

rg_status rg_table_find(const rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    RG_TRY(rg_table_check_ids(table, ids, n));
    (void)rg_table_find_valid(table, ids, n, handles);
    return RG_OK;
}

rg_status rg_table_touch(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                         size_t *created)
{
    size_t before = rg_table_size(table);
    RG_TRY(rg_table_check_ids(table, ids, n));
    RG_TRY(rg_table_touch_valid(table, ids, n, handles, true));
    size_t now = rg_table_size(table);
    if (created != NULL) /* where rows go it may be fewer than before */
        *created = now > before ? now - before : 0;
    return RG_OK;
}

rg_status rg_table_admit(rg_table *table, const int64_t *ids, size_t n, bool counts, bool *admitted)
{
    rg_row_handle handles[GROUP];
    for (size_t first = 0; first < n; first += GROUP) {
        size_t size = n - first < GROUP ? n - first : GROUP;
        RG_TRY(rg_table_bring(table, ids + first, size, handles));
        for (size_t i = 0; i < size; i++) {
            int64_t id = ids[first + i];
            uint32_t seen = table->seen && handles[i] == RG_NO_ROW ? rg_seen_count(table->seen, id)
                                                                   : 0;
            bool enters = table->seen == NULL || handles[i] != RG_NO_ROW ||
                          rg_entry_admits(&table->entry, id, seen);
            admitted[first + i] = enters;
            if (!counts || table->seen == NULL)
                continue;
            if (!enters)
                RG_TRY(rg_seen_set(table->seen, id, seen + (seen < UINT32_MAX)));
            else if (handles[i] == RG_NO_ROW)
                rg_seen_forget(table->seen, id);
        }
    }
    return RG_OK;
}

rg_status rg_table_bring(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    RG_TRY(rg_table_check_ids(table, ids, n));
    if (table->keep.disk != NULL)
        return rg_table_touch_kept(table, ids, n, handles, false);
    rg_table_note_use(table, n, rg_table_find_valid(table, ids, n, handles));
    return RG_OK;
}

/* ---- all rows, fewer rows ---- */

size_t rg_table_list(const rg_table *table, size_t first, size_t n, rg_row_handle *handles)
{
    size_t i = 0;
    for (; i < n && first + i < table->rows.n_rows; i++)
        handles[i] = rg_slabs_at(&table->rows, first + i);
    return i;
}

/* For who writes down what has changed. Where most of a table goes it is written down as a whole.
 */
static void note_gone(rg_table *table, rg_row_handle handle)
{
    enum { FEW = 1 << 16 };
    rg_buf_add(&table->gone, rg_slabs_row(&table->rows, handle), RG_TABLE_ID_BYTES);
    if (rg_buf_status(&table->gone) != RG_OK ||
        table->gone.len / RG_TABLE_ID_BYTES > FEW + table->rows.n_rows / 8)
        rg_slabs_note_no_more(&table->rows);
}

/* The last row takes the place of the one that goes, so that rows stay packed. */
static void erase_row(rg_table *table, const rg_probe *probe, rg_row_handle handle)
{
    if (table->rows.marks != NULL)
        note_gone(table, handle);
    rg_row_index_remove(probe);
    rg_row_handle last = rg_slabs_last(&table->rows);
    if (last != handle) {
        int64_t id = rg_table_id(table, last);
        rg_probe moved = rg_probe_begin(&table->index, rg_row_tag(id));
        (void)rg_table_search(table, &moved, id);
        rg_probe_set(&moved, handle);
        rg_slabs_changing(&table->rows, handle);
        memcpy(rg_slabs_row(&table->rows, handle), rg_slabs_row(&table->rows, last),
               table->rows.row_bytes);
    }
    rg_slabs_pop(&table->rows);
    if (table->keeps && table->keep.quota != NULL)
        table->keep.quota->cost -= rg_table_row_cost(table);
}

void rg_table_drop_row(rg_table *table, int64_t id)
{
    rg_probe probe = rg_probe_begin(&table->index, rg_row_tag(id));
    rg_row_handle handle = rg_table_search(table, &probe, id);
    if (handle != RG_NO_ROW)
        erase_row(table, &probe, handle);
}

rg_status rg_table_erase(rg_table *table, const int64_t *ids, size_t n, size_t *erased)
{
    size_t before = rg_table_size(table);
    RG_TRY(rg_table_check_ids(table, ids, n));
    if (table->keep.disk != NULL)
        RG_TRY(rg_table_erase_kept(table, ids, n));
    for (size_t i = 0; i < n; i++)
        rg_table_drop_row(table, ids[i]);
    rg_table_settle(table);
    if (erased != NULL)
        *erased = before - rg_table_size(table);
    return RG_OK;
}

/* Whether nothing would be lost with it: counters say nothing of a row that has not moved. */
static bool is_fresh(rg_table *table, rg_row_handle handle, float *start)
{
    const rg_table_spec *spec = &table->spec;
    const float *row = rg_row_floats(table, handle);
    rg_row_start(spec, rg_table_id(table, handle), start);
    for (int k = 0; k < spec->n_states; k++)
        for (int64_t i = 0; i < spec->dim; i++)
            if (row[(k + 1) * spec->dim + i] != spec->state_start[k])
                return false;
    return memcmp(row, start, (size_t)spec->dim * sizeof *start) == 0;
}

rg_status rg_table_unmake(rg_table *table, const int64_t *ids, size_t n)
{
    if (table->keep.disk != NULL)
        return RG_OK; /* rows in memory may hide older ones, and there is room */
    float *start = rg_alloc((size_t)table->spec.dim * sizeof *start);
    if (start == NULL)
        return rg_no_memory((size_t)table->spec.dim * sizeof *start, "a row");
    for (size_t i = 0; i < n; i++) {
        rg_row_handle handle = rg_table_look(table, ids[i]);
        if (handle != RG_NO_ROW && is_fresh(table, handle, start))
            rg_table_drop_row(table, ids[i]);
    }
    rg_free(start);
    rg_table_settle(table);
    return RG_OK;
}

/* Of most rows nothing changes, and then nothing is said to. */
bool rg_table_asks(rg_table *table, rg_row_handle handle, rg_table_drop drop, void *arg)
{
    uint32_t counters[RG_TABLE_MAX_COUNTERS];
    size_t bytes = 4 * (size_t)table->spec.n_counters;
    const uint32_t *stand = rg_table_counters_const(table, handle);
    if (bytes > 0)
        memcpy(counters, stand, bytes);
    bool drops = drop(arg, rg_table_id(table, handle), bytes > 0 ? counters : NULL);
    if (!drops && bytes > 0 && memcmp(counters, stand, bytes) != 0)
        memcpy(rg_table_counters(table, handle), counters, bytes);
    return drops;
}

/* From the last row to the first: the row that takes an erased one's place has been asked. */
static void erase_in_memory(rg_table *table, rg_table_drop drop, void *arg)
{
    for (size_t i = table->rows.n_rows; i-- > 0;) {
        rg_row_handle handle = rg_slabs_at(&table->rows, i);
        int64_t id = rg_table_id(table, handle);
        if (rg_table_asks(table, handle, drop, arg))
            rg_table_drop_row(table, id);
    }
    rg_row_index_shrink(&table->index);
    rg_table_settle(table);
}

rg_status rg_table_erase_if(rg_table *table, rg_table_drop drop, void *arg, size_t *erased)
{
    size_t before = rg_table_size(table);
    if (table->keep.disk != NULL)
        RG_TRY(rg_table_erase_kept_if(table, drop, arg));
    else
        erase_in_memory(table, drop, arg);
    *erased = before - rg_table_size(table);
    return RG_OK;
}
