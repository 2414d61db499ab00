/* table_copy.c - rows of sparse tables copied, by handle and by id. */
#include "ps/table_priv.h"

#include "base/copy_row.h"
#include "base/hot.h"
#include "ps/row_start_priv.h"

enum {
    CHUNK = RG_TABLE_CHUNK,
    AHEAD = 12,          /* rows fetched before the one that is copied */
    SHARED_BATCH = 4096, /* smaller ones are not worth waking threads for */
};

/* ---- copying by handle ---- */

static inline void prefetch_ahead(const rg_table *table, const rg_row_handle *handles, size_t i,
                                  size_t n)
{
    if (i + AHEAD < n && handles[i + AHEAD] != RG_NO_ROW)
        rg_row_prefetch(table, handles[i + AHEAD]);
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
                rg_copy_row(column + i * dim, rg_row_floats(table, handles[i]) + (size_t)k * dim,
                            dim);
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
        rg_slabs_changing(&table->rows, handles[i]);
        for (int k = 0; k < n_columns; k++) {
            const float *column = k == 0 ? values : states[k - 1];
            if (column != NULL)
                memcpy(rg_row_floats(table, handles[i]) + (size_t)k * dim, column + i * dim, bytes);
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
        rg_slabs_changing(&table->rows, handles[i]);
        float *restrict value = rg_row_floats(table, handles[i]);
        const float *restrict grad = grads + i * dim;
        for (size_t j = 0; j < dim; j++)
            value[j] += scale * grad[j];
    }
}

/* ---- copying by id ---- */

void rg_table_start_value(const rg_table *table, int64_t id, float *value)
{
    if (table->seen != NULL && !rg_entry_admits(&table->entry, id, rg_seen_count(table->seen, id)))
        memset(value, 0, (size_t)table->spec.dim * sizeof *value);
    else
        rg_row_start(&table->spec, id, value);
}

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
            rg_table_start_value(table, ids[i], values + at);
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

/* How many are not there. */
static size_t gather_valid(const rg_table *table, const int64_t *ids, size_t n, float *values,
                           float *const *states)
{
    size_t all_missing = 0;
    rg_row_handle handles[CHUNK];
    float *moved[RG_TABLE_MAX_STATES];
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        float *to = values ? values + first * (size_t)table->spec.dim : NULL;
        float *const *columns = columns_from(table, states, first, moved);
        size_t missing = rg_table_find_valid(table, ids + first, size, handles);
        rg_table_read(table, handles, size, to, columns);
        if (missing > 0)
            read_starts(table, ids + first, handles, size, to, columns);
        all_missing += missing;
    }
    return all_missing;
}

rg_status rg_table_gather(rg_table *table, const int64_t *ids, size_t n, bool create, float *values,
                          float *const *states)
{
    RG_TRY(rg_table_check_ids(table, ids, n));
    if (!create && table->keep.disk == NULL) {
        rg_table_note_use(table, n, gather_valid(table, ids, n, values, states));
        return RG_OK;
    }
    rg_row_handle handles[CHUNK];
    float *moved[RG_TABLE_MAX_STATES];
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        float *to = values ? values + first * (size_t)table->spec.dim : NULL;
        float *const *columns = columns_from(table, states, first, moved);
        RG_TRY(create ? rg_table_touch_valid(table, ids + first, size, handles, true)
                      : rg_table_bring(table, ids + first, size, handles));
        rg_table_read(table, handles, size, to, columns);
        if (!create)
            read_starts(table, ids + first, handles, size, to, columns);
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
    RG_TRY(rg_table_check_ids(table, ids, n));
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
    RG_TRY(rg_table_check_ids(table, ids, n));
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t size = n - first < CHUNK ? n - first : CHUNK;
        RG_TRY(rg_table_touch_valid(table, ids + first, size, handles, true));
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
