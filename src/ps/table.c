/* table.c - sparse tables behind ps/table.h: ids checked, found and made; rows copied.
 *
 * Batches are worked on in groups: first the index cells of all ids of a group are fetched,
 * then their rows, and only then is anything compared or copied, so that the misses of a
 * group overlap. A row is its id (8 bytes), value, states, counters, without padding. */
#include "ps/table.h"

#include "base/copy_row.h"
#include "base/hot.h"
#include "base/map.h"
#include "base/mem.h"
#include "ops/sort_keys.h"
#include "ps/row_index_priv.h"
#include "ps/row_start_priv.h"
#include "ps/slabs_priv.h"

#include <string.h>

enum {
    GROUP = 64,          /* ids that are looked up together */
    CHUNK = 256,         /* rows that are found, then copied while they are in the cache */
    AHEAD = 12,          /* rows fetched before the one that is copied */
    FETCH_BYTES = 512,   /* of a row; the processor sees the rest coming */
    SHARED_BATCH = 4096, /* smaller ones are not worth waking threads for */
    ID_BYTES = 8,
};

struct rg_table {
    rg_table_spec spec;
    char *name;
    uint64_t id_limit;
    size_t floats; /* of value and states */
    rg_row_index index;
    rg_slabs rows;
};

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
    if ((int)spec->start < RG_START_CONSTANT || spec->start > RG_START_TRUNCATED_NORMAL)
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
    rg_slabs_init(&table->rows,
                  ID_BYTES + sizeof(float) * table->floats + 4 * (size_t)spec->n_counters);
    *out = table;
    return RG_OK;
}

void rg_table_close(rg_table *table)
{
    if (table == NULL)
        return;
    rg_slabs_clear(&table->rows);
    rg_row_index_fini(&table->index);
    rg_free(table->name);
    rg_free(table);
}

void rg_table_clear(rg_table *table)
{
    rg_slabs_clear(&table->rows);
    rg_row_index_clear(&table->index);
}

const rg_table_spec *rg_table_about(const rg_table *table)
{
    return &table->spec;
}

size_t rg_table_size(const rg_table *table)
{
    return table->rows.n_rows;
}

size_t rg_table_bytes(const rg_table *table)
{
    return sizeof *table + rg_slabs_bytes(&table->rows) + rg_row_index_bytes(&table->index);
}

/* ---- one row ---- */

static inline float *row_floats(const rg_table *table, rg_row_handle handle)
{
    return (float *)(void *)(rg_slabs_row(&table->rows, handle) + ID_BYTES);
}

float *rg_table_row(rg_table *table, rg_row_handle handle)
{
    return row_floats(table, handle);
}

const float *rg_table_row_const(const rg_table *table, rg_row_handle handle)
{
    return row_floats(table, handle);
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
    return (uint32_t *)(void *)(row_floats(table, handle) + table->floats);
}

static inline void prefetch(const rg_table *table, rg_row_handle handle)
{
    const uint8_t *row = rg_slabs_row(&table->rows, handle);
    size_t bytes = table->rows.row_bytes < FETCH_BYTES ? table->rows.row_bytes : FETCH_BYTES;
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(row + i, 1);
    __builtin_prefetch(row + bytes - 1, 1);
}

void rg_table_prefetch(const rg_table *table, rg_row_handle handle)
{
    if (handle != RG_NO_ROW)
        prefetch(table, handle);
}

void rg_table_rows(rg_table *table, const rg_row_handle *handles, size_t n, float **rows,
                   uint32_t **counters)
{
    for (size_t i = 0; i < n; i++) {
        prefetch(table, handles[i]);
        rows[i] = row_floats(table, handles[i]);
        if (counters != NULL)
            counters[i] = (uint32_t *)(void *)(rows[i] + table->floats);
    }
}

/* ---- finding and making ---- */

static rg_status check_ids(const rg_table *table, const int64_t *ids, size_t n)
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

/* From the probe on; it ends at the row's cell. */
static rg_row_handle search(const rg_table *table, rg_probe *probe, int64_t id)
{
    rg_row_handle handle;
    while ((handle = rg_probe_row(probe)) != RG_NO_ROW && rg_table_id(table, handle) != id)
        rg_probe_step(probe);
    return handle;
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
            prefetch(table, handles[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (handles[i] != RG_NO_ROW && rg_table_id(table, handles[i]) != ids[i])
            handles[i] = search(table, &probes[i], ids[i]);
        missing += handles[i] == RG_NO_ROW;
    }
    return missing;
}

static size_t find_valid(const rg_table *table, const int64_t *ids, size_t n,
                         rg_row_handle *handles)
{
    size_t missing = 0;
    for (size_t i = 0; i < n; i += GROUP)
        missing += find_group(table, ids + i, n - i < GROUP ? n - i : GROUP, handles + i);
    return missing;
}

/* A row for an id that has none. */
static rg_status make_row(rg_table *table, int64_t id, rg_row_handle *handle)
{
    const rg_table_spec *spec = &table->spec;
    uint32_t tag = rg_row_tag(id);
    RG_TRY(rg_row_index_reserve(&table->index, tag));
    RG_TRY(rg_slabs_reserve(&table->rows));
    *handle = rg_slabs_add(&table->rows);
    rg_row_index_add(&table->index, tag, *handle);
    memcpy(rg_slabs_row(&table->rows, *handle), &id, sizeof id);
    float *at = row_floats(table, *handle);
    rg_row_start(spec, id, at);
    for (int k = 0; k < spec->n_states; k++)
        for (int64_t i = 0; i < spec->dim; i++)
            *(at + (k + 1) * spec->dim + i) = spec->state_start[k];
    memset(at + table->floats, 0, 4 * (size_t)spec->n_counters);
    return RG_OK;
}

static rg_status touch_valid(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    for (size_t first = 0; first < n; first += GROUP) {
        size_t size = n - first < GROUP ? n - first : GROUP;
        if (find_group(table, ids + first, size, handles + first) == 0)
            continue;
        for (size_t i = first; i < first + size; i++) {
            if (handles[i] != RG_NO_ROW)
                continue;
            /* Made meanwhile, if the id stood earlier in the group? */
            rg_probe probe = rg_probe_begin(&table->index, rg_row_tag(ids[i]));
            handles[i] = search(table, &probe, ids[i]);
            if (handles[i] != RG_NO_ROW)
                continue;
            rg_status code = make_row(table, ids[i], &handles[i]);
            if (code != RG_OK)
                return rg_context(code, "table '%s', a row for id %lld", table->name,
                                  (long long)ids[i]);
        }
    }
    return RG_OK;
}

rg_status rg_table_find(const rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles)
{
    RG_TRY(check_ids(table, ids, n));
    (void)find_valid(table, ids, n, handles);
    return RG_OK;
}

rg_status rg_table_touch(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                         size_t *created)
{
    size_t before = table->rows.n_rows;
    RG_TRY(check_ids(table, ids, n));
    RG_TRY(touch_valid(table, ids, n, handles));
    if (created != NULL)
        *created = table->rows.n_rows - before;
    return RG_OK;
}

/* ---- copying by handle ---- */

static inline void prefetch_ahead(const rg_table *table, const rg_row_handle *handles, size_t i,
                                  size_t n)
{
    if (i + AHEAD < n && handles[i + AHEAD] != RG_NO_ROW)
        prefetch(table, handles[i + AHEAD]);
}

void rg_table_read(const rg_table *table, const rg_row_handle *handles, size_t n, float *values,
                   float *const *states)
{
    size_t dim = (size_t)table->spec.dim, bytes = dim * sizeof(float);
    int n_columns = states == NULL ? 1 : 1 + table->spec.n_states;
    for (size_t i = 0; i < n; i++) {
        prefetch_ahead(table, handles, i, n);
        for (int k = 0; k < n_columns; k++) {
            float *column = k == 0 ? values : states[k - 1];
            if (column == NULL)
                continue;
            if (handles[i] == RG_NO_ROW)
                memset(column + i * dim, 0, bytes);
            else
                rg_copy_row(column + i * dim, row_floats(table, handles[i]) + (size_t)k * dim, dim);
        }
    }
}

void rg_table_write(rg_table *table, const rg_row_handle *handles, size_t n, const float *values,
                    float *const *states)
{
    size_t dim = (size_t)table->spec.dim, bytes = dim * sizeof(float);
    int n_columns = states == NULL ? 1 : 1 + table->spec.n_states;
    for (size_t i = 0; i < n; i++) {
        prefetch_ahead(table, handles, i, n);
        if (handles[i] == RG_NO_ROW)
            continue;
        for (int k = 0; k < n_columns; k++) {
            const float *column = k == 0 ? values : states[k - 1];
            if (column != NULL)
                memcpy(row_floats(table, handles[i]) + (size_t)k * dim, column + i * dim, bytes);
        }
    }
}

RG_HOT void rg_table_add_scaled(rg_table *table, const rg_row_handle *handles, size_t n,
                                const float *grads, float scale)
{
    size_t dim = (size_t)table->spec.dim;
    for (size_t i = 0; i < n; i++) {
        prefetch_ahead(table, handles, i, n);
        if (handles[i] == RG_NO_ROW)
            continue;
        float *restrict value = row_floats(table, handles[i]);
        const float *restrict grad = grads + i * dim;
        for (size_t j = 0; j < dim; j++)
            value[j] += scale * grad[j];
    }
}

/* ---- copying by id ---- */

/* What rows that are not there would start with. */
static void read_starts(const rg_table *table, const int64_t *ids, const rg_row_handle *handles,
                        size_t n, float *values, float *const *states)
{
    const rg_table_spec *spec = &table->spec;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] != RG_NO_ROW)
            continue;
        size_t at = i * (size_t)spec->dim;
        if (values != NULL)
            rg_row_start(spec, ids[i], values + at);
        for (int k = 0; states != NULL && k < spec->n_states; k++)
            for (int64_t j = 0; states[k] != NULL && j < spec->dim; j++)
                *(states[k] + at + j) = spec->state_start[k];
    }
}

/* The columns of a batch from row `first` on. */
static float *const *columns_from(const rg_table *table, float *const *states, size_t first,
                                  float **moved)
{
    for (int k = 0; states != NULL && k < table->spec.n_states; k++)
        moved[k] = states[k] ? states[k] + first * (size_t)table->spec.dim : NULL;
    return states == NULL ? NULL : moved;
}

static void gather_valid(const rg_table *table, const int64_t *ids, size_t n, float *values,
                         float *const *states)
{
    rg_row_handle handles[CHUNK];
    float *moved[RG_TABLE_MAX_STATES];
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        float *to = values ? values + first * (size_t)table->spec.dim : NULL;
        float *const *columns = columns_from(table, states, first, moved);
        size_t missing = find_valid(table, ids + first, size, handles);
        rg_table_read(table, handles, size, to, columns);
        if (missing > 0)
            read_starts(table, ids + first, handles, size, to, columns);
    }
}

rg_status rg_table_gather(rg_table *table, const int64_t *ids, size_t n, bool create, float *values,
                          float *const *states)
{
    RG_TRY(check_ids(table, ids, n));
    if (!create) {
        gather_valid(table, ids, n, values, states);
        return RG_OK;
    }
    rg_row_handle handles[CHUNK];
    float *moved[RG_TABLE_MAX_STATES];
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        RG_TRY(touch_valid(table, ids + first, size, handles));
        rg_table_read(table, handles, size,
                      values ? values + first * (size_t)table->spec.dim : NULL,
                      columns_from(table, states, first, moved));
    }
    return RG_OK;
}

typedef struct gather_job {
    const rg_table *table;
    const int64_t *ids;
    size_t n;
    float *values;
    float *const *states;
    int n_threads;
} gather_job;

static rg_status gather_part(void *arg, int thread)
{
    const gather_job *job = arg;
    size_t each = (job->n + (size_t)job->n_threads - 1) / (size_t)job->n_threads;
    size_t first = each * (size_t)thread;
    if (first >= job->n)
        return RG_OK;
    float *moved[RG_TABLE_MAX_STATES];
    gather_valid(job->table, job->ids + first, job->n - first < each ? job->n - first : each,
                 job->values ? job->values + first * (size_t)job->table->spec.dim : NULL,
                 columns_from(job->table, job->states, first, moved));
    return RG_OK;
}

rg_status rg_table_gather_shared(const rg_table *table, rg_pool *pool, const int64_t *ids, size_t n,
                                 float *values, float *const *states)
{
    RG_TRY(check_ids(table, ids, n));
    gather_job job = {table, ids, n, values, states, 1};
    if (pool == NULL || n < SHARED_BATCH)
        return gather_part(&job, 0);
    job.n_threads = rg_pool_threads(pool);
    return rg_pool_run(pool, gather_part, &job);
}

rg_status rg_table_scatter(rg_table *table, const int64_t *ids, size_t n, const float *values,
                           float *const *states)
{
    rg_row_handle handles[CHUNK];
    float *moved[RG_TABLE_MAX_STATES];
    RG_TRY(check_ids(table, ids, n));
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        RG_TRY(touch_valid(table, ids + first, size, handles));
        rg_table_write(table, handles, size,
                       values ? values + first * (size_t)table->spec.dim : NULL,
                       columns_from(table, states, first, moved));
    }
    return RG_OK;
}

rg_status rg_table_read_dense(const rg_table *table, int64_t first, size_t n, float *values)
{
    int64_t ids[CHUNK];
    if (first < 0 || (uint64_t)first > table->id_limit || n > table->id_limit - (uint64_t)first)
        return rg_fail(RG_EVALUE, "table '%s': %zu rows from row %lld, and its height is %lld",
                       table->name, n, (long long)first, (long long)table->spec.height);
    for (size_t done = 0; done < n; done += CHUNK) {
        size_t size = n - done < CHUNK ? n - done : CHUNK;
        for (size_t i = 0; i < size; i++)
            ids[i] = first + (int64_t)(done + i);
        gather_valid(table, ids, size, values + done * (size_t)table->spec.dim, NULL);
    }
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

rg_status rg_table_list_sorted(const rg_table *table, rg_row_handle *handles)
{
    size_t n = table->rows.n_rows;
    rg_keyed *items = rg_alloc(2 * n * sizeof *items);
    if (items == NULL)
        return rg_no_memory(2 * n * sizeof *items, "the order of a sparse table's rows");
    (void)rg_table_list(table, 0, n, handles);
    for (size_t i = 0; i < n; i++)
        items[i] = (rg_keyed){(uint64_t)rg_table_id(table, handles[i]), handles[i]};
    rg_sort_keys(items, items + n, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        handles[i] = (rg_row_handle)items[i].at;
    rg_free(items);
    return RG_OK;
}

/* The last row takes the place of the one that goes, so that rows stay packed. */
static void erase_row(rg_table *table, const rg_probe *probe, rg_row_handle handle)
{
    rg_row_index_remove(probe);
    rg_row_handle last = rg_slabs_last(&table->rows);
    if (last != handle) {
        int64_t id = rg_table_id(table, last);
        rg_probe moved = rg_probe_begin(&table->index, rg_row_tag(id));
        (void)search(table, &moved, id);
        rg_probe_set(&moved, handle);
        memcpy(rg_slabs_row(&table->rows, handle), rg_slabs_row(&table->rows, last),
               table->rows.row_bytes);
    }
    rg_slabs_pop(&table->rows);
}

rg_status rg_table_erase(rg_table *table, const int64_t *ids, size_t n, size_t *erased)
{
    size_t before = table->rows.n_rows;
    RG_TRY(check_ids(table, ids, n));
    for (size_t i = 0; i < n; i++) {
        rg_probe probe = rg_probe_begin(&table->index, rg_row_tag(ids[i]));
        rg_row_handle handle = search(table, &probe, ids[i]);
        if (handle != RG_NO_ROW)
            erase_row(table, &probe, handle);
    }
    if (erased != NULL)
        *erased = before - table->rows.n_rows;
    return RG_OK;
}

/* From the last row to the first: the row that takes an erased one's place has been asked. */
size_t rg_table_erase_if(rg_table *table, rg_table_drop drop, void *arg)
{
    size_t before = table->rows.n_rows;
    for (size_t i = before; i-- > 0;) {
        rg_row_handle handle = rg_slabs_at(&table->rows, i);
        int64_t id = rg_table_id(table, handle);
        if (!drop(arg, id, rg_table_counters(table, handle)))
            continue;
        rg_probe probe = rg_probe_begin(&table->index, rg_row_tag(id));
        (void)search(table, &probe, id);
        erase_row(table, &probe, handle);
    }
    rg_row_index_shrink(&table->index);
    return before - table->rows.n_rows;
}
