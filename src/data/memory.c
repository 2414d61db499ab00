/* memory.c - datasets in memory: loading, the order of the instances, merging. */
#include "data/dataset_priv.h"

#include "base/mem.h"
#include "base/philox.h"
#include "data/rows_priv.h"
#include "sys/pool.h"
#include "sys/process.h"

#include <string.h>

/* ---- chunks ---- */

rg_status rg_chunks_add(rg_chunks *chunks, rg_rows *rows)
{
    RG_TRY(rg_grow((void **)&chunks->items, chunks->n, &chunks->cap, sizeof(rg_rows *)));
    chunks->items[chunks->n++] = rows;
    return RG_OK;
}

void rg_chunks_fini(rg_chunks *chunks)
{
    for (size_t i = 0; i < chunks->n; i++)
        rg_rows_close(chunks->items[i]);
    rg_free(chunks->items);
    *chunks = (rg_chunks){0};
}

static void forget_order(rg_dataset *d)
{
    rg_free(d->order);
    d->order = NULL;
    for (size_t i = 0; d->slot_order != NULL && i < rg_feed_used(d->feed); i++)
        rg_free(d->slot_order[i]);
    rg_free(d->slot_order);
    d->slot_order = NULL;
}

rg_status rg_dataset_hold_more(rg_dataset *d, rg_rows *rows)
{
    if (d->chunks.n >= MAX_CHUNKS)
        return rg_fail(RG_ETOOBIG, "more than %d blocks of instances in memory", MAX_CHUNKS);
    RG_TRY(rg_grow((void **)&d->first, d->chunks.n, &d->cap_first, sizeof *d->first));
    RG_TRY(rg_chunks_add(&d->chunks, rows));
    forget_order(d);
    d->first[d->chunks.n - 1] = d->n_rows;
    d->n_rows += rows->n_rows;
    d->loaded = true;
    return RG_OK;
}

rg_status rg_dataset_hold(rg_dataset *d, rg_chunks *chunks)
{
    rg_dataset_release(d);
    rg_status code = RG_OK;
    size_t i = 0;
    for (; code == RG_OK && i < chunks->n; i++)
        if ((code = rg_dataset_hold_more(d, chunks->items[i])) == RG_OK)
            chunks->items[i] = NULL;
    rg_chunks_fini(chunks);
    if (code != RG_OK)
        rg_dataset_release(d);
    d->loaded = code == RG_OK;
    return code;
}

void rg_dataset_release(rg_dataset *d)
{
    forget_order(d);
    rg_chunks_fini(&d->chunks);
    rg_free(d->first);
    d->first = NULL;
    d->cap_first = 0;
    d->n_rows = 0;
    d->shuffles = 0;
    d->loaded = false;
}

uint64_t rg_dataset_rows(const rg_dataset *d)
{
    return d->n_rows;
}

uint64_t rg_dataset_bytes(const rg_dataset *d)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < d->chunks.n; i++)
        bytes += rg_rows_bytes(d->chunks.items[i]);
    return bytes;
}

/* ---- loading ---- */

typedef struct loading {
    const rg_dataset *dataset;
    rg_wake *wake;
    rg_failure *failure;
    rg_bad_lines bad;
    uint64_t bytes;
    size_t next_file; /* atomic */
    rg_chunks *of_file;
} loading;

typedef struct loader {
    rg_lines lines;
    rg_chunks *chunks;
} loader;

static rg_status keep_chunk(void *arg)
{
    loader *l = arg;
    rg_rows *frozen;
    if (l->lines.rows->n_rows == 0)
        return RG_OK;
    RG_TRY(rg_rows_freeze(l->lines.rows, &frozen));
    rg_rows_clear(l->lines.rows);
    rg_status code = rg_chunks_add(l->chunks, frozen);
    if (code != RG_OK)
        rg_rows_close(frozen);
    return code;
}

static rg_status load_files(loading *all, loader *l)
{
    const rg_dataset *d = all->dataset;
    size_t file;
    while ((file = __atomic_fetch_add(&all->next_file, 1, __ATOMIC_RELAXED)) < d->n_files) {
        l->chunks = &all->of_file[file];
        RG_TRY(rg_lines_read(&l->lines, d->files[file], (uint32_t)file));
        RG_TRY(keep_chunk(l));
    }
    return RG_OK;
}

static rg_status load_part(void *arg, int thread)
{
    loading *all = arg;
    loader l = {0};
    (void)thread;
    rg_dataset_lines(all->dataset, &l.lines, &all->bad, &all->bytes, all->wake);
    l.lines.full_rows = CHUNK_ROWS;
    l.lines.full = keep_chunk;
    l.lines.arg = &l;
    rg_status code = rg_rows_open(&l.lines.rows, all->dataset->feed);
    if (code == RG_OK)
        code = load_files(all, &l);
    if (code != RG_OK) {
        rg_failure_note(all->failure, code);
        rg_wake_set(all->wake);
    }
    rg_rows_close(l.lines.rows);
    rg_lines_fini(&l.lines);
    return RG_OK;
}

/* Put the files' chunks one after the other, in the order of the list. */
static rg_status join_files(rg_dataset *d, loading *all)
{
    rg_chunks whole = {0};
    for (size_t f = 0; f < d->n_files; f++) {
        rg_chunks *part = &all->of_file[f];
        for (size_t i = 0; i < part->n; i++) {
            rg_status code = rg_chunks_add(&whole, part->items[i]);
            if (code != RG_OK) {
                rg_chunks_fini(&whole);
                return code;
            }
            part->items[i] = NULL;
        }
    }
    return rg_dataset_hold(d, &whole);
}

static rg_status load_all(rg_dataset *d, int threads, rg_wake *wake, rg_failure *failure)
{
    loading all = {.dataset = d, .wake = wake, .failure = failure};
    rg_pool *pool = NULL;
    if ((size_t)threads > d->n_files)
        threads = d->n_files > 0 ? (int)d->n_files : 1;
    all.of_file = rg_alloc_zero(d->n_files + 1, sizeof *all.of_file);
    if (all.of_file == NULL)
        return rg_no_memory(d->n_files * sizeof *all.of_file, "the files' instances");
    rg_bad_lines_init(&all.bad);
    rg_status code = rg_pool_open(&pool, threads);
    if (code == RG_OK)
        code = rg_pool_run(pool, load_part, &all);
    rg_pool_close(pool);
    if (code == RG_OK)
        code = rg_failure_raise(failure);
    if (code == RG_OK)
        code = join_files(d, &all);
    for (size_t f = 0; f < d->n_files; f++)
        rg_chunks_fini(&all.of_file[f]);
    rg_free(all.of_file);
    rg_bad_lines_fini(&all.bad);
    return code;
}

static void *preload_main(void *arg)
{
    rg_dataset *d = arg;
    rg_preload *p = &d->preload;
    rg_status code = load_all(d, p->threads, p->wake, &p->failure);
    if (code != RG_OK)
        rg_failure_note(&p->failure, code);
    rg_wake_set(p->done);
    return NULL;
}

static void end_preload(rg_preload *p)
{
    rg_failure_fini(&p->failure);
    rg_wake_close(p->wake);
    rg_wake_close(p->done);
    p->wake = p->done = NULL;
    p->running = false;
}

rg_status rg_dataset_preload(rg_dataset *d, int threads)
{
    rg_preload *p = &d->preload;
    if (d->kind != RG_DATASET_MEMORY)
        return rg_fail(RG_EINVAL, "a QueueDataset is not loaded into memory");
    if (p->running)
        return rg_fail(RG_EINVAL, "the dataset is being loaded: wait for it (wait_preload_done)");
    if (d->readers > 0)
        return rg_fail(RG_EINVAL, "the dataset cannot be loaded while it is being read");
    RG_TRY(rg_dataset_ready(d));
    rg_dataset_release(d);
    rg_status code = rg_wake_open(&p->wake);
    if (code == RG_OK)
        code = rg_wake_open(&p->done);
    rg_failure_init(&p->failure);
    p->threads = threads > 0 ? threads : d->threads;
    if (code == RG_OK && pthread_create(&p->thread, NULL, preload_main, d) != 0)
        code = rg_fail(RG_EIO, "cannot start a thread");
    p->running = code == RG_OK;
    p->pid = rg_process_id();
    if (code != RG_OK)
        end_preload(p);
    return code;
}

rg_status rg_dataset_wait_preload(rg_dataset *d)
{
    rg_preload *p = &d->preload;
    if (!p->running)
        return RG_OK;
    if (p->pid != rg_process_id())
        return rg_fail(RG_EINVAL, "the dataset was being loaded when this process was forked, and "
                                  "is by its parent only");
    (void)pthread_join(p->thread, NULL);
    rg_status code = rg_failure_raise(&p->failure);
    end_preload(p);
    if (code != RG_OK)
        rg_dataset_release(d);
    return code;
}

void rg_dataset_poll_preload(rg_dataset *d, int wait_ms, bool *done)
{
    *done = !d->preload.running || rg_wake_wait(d->preload.done, wait_ms);
}

void rg_dataset_cancel_preload(rg_dataset *d)
{
    if (d->preload.running)
        rg_wake_set(d->preload.wake);
}

rg_status rg_dataset_load(rg_dataset *d)
{
    RG_TRY(rg_dataset_preload(d, 0));
    return rg_dataset_wait_preload(d);
}

/* ---- order ---- */

static rg_status in_memory(const rg_dataset *d, const char *what)
{
    if (d->kind != RG_DATASET_MEMORY)
        return rg_fail(RG_EINVAL,
                       "%s: a QueueDataset holds nothing to shuffle; use an "
                       "InMemoryDataset",
                       what);
    if (!d->loaded)
        return rg_fail(RG_EINVAL, "%s: nothing is in memory; call load_into_memory first", what);
    if (d->readers > 0)
        return rg_fail(RG_EINVAL, "%s: the dataset is being read", what);
    return RG_OK;
}

static size_t chunk_of(const rg_dataset *d, uint64_t row)
{
    size_t low = 0, high = d->chunks.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->first[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t rg_dataset_code(const rg_dataset *d, uint64_t i)
{
    if (d->order != NULL)
        return d->order[i];
    size_t chunk = chunk_of(d, i);
    return (uint32_t)(chunk << CHUNK_BITS | (i - d->first[chunk]));
}

/* The codes of all instances as they were loaded. Owned. */
static uint32_t *loaded_order(const rg_dataset *d)
{
    uint32_t *order = rg_alloc((d->n_rows ? d->n_rows : 1) * sizeof *order), *to = order;
    for (size_t c = 0; order != NULL && c < d->chunks.n; c++)
        for (size_t row = 0; row < d->chunks.items[c]->n_rows; row++)
            *to++ = (uint32_t)(c << CHUNK_BITS | row);
    return order;
}

static void permute(uint32_t *order, uint64_t n, rg_philox_key key)
{
    for (uint64_t i = n; i > 1; i--) {
        uint64_t j = rg_philox_below(key, i, i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

rg_status rg_dataset_shuffle(rg_dataset *d, uint64_t seed)
{
    RG_TRY(in_memory(d, "shuffle"));
    if (d->order == NULL && (d->order = loaded_order(d)) == NULL)
        return rg_no_memory(d->n_rows * sizeof *d->order, "the order of the instances");
    permute(d->order, d->n_rows, (rg_philox_key){seed, ++d->shuffles});
    return RG_OK;
}

rg_status rg_dataset_shuffle_slots(rg_dataset *d, const char *const *names, size_t n, uint64_t seed)
{
    RG_TRY(in_memory(d, "slots_shuffle"));
    size_t columns = rg_feed_used(d->feed);
    uint32_t **all = rg_alloc_zero(columns, sizeof *all);
    rg_status code = all ? RG_OK : rg_no_memory(columns * sizeof *all, "the order of slots");
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        size_t c = 0;
        while (c < columns && strcmp(rg_feed_used_at(d->feed, c)->name, names[i]) != 0)
            c++;
        if (c == columns)
            code = rg_fail(RG_EINVAL, "slots_shuffle: there is no slot '%s'", names[i]);
        else if (all[c] == NULL && (all[c] = loaded_order(d)) == NULL)
            code = rg_no_memory(d->n_rows * sizeof **all, "the order of a slot");
        else
            permute(all[c], d->n_rows, (rg_philox_key){seed, ~(uint64_t)c});
    }
    uint32_t **old = code == RG_OK ? d->slot_order : all;
    for (size_t c = 0; old != NULL && c < columns; c++)
        rg_free(old[c]);
    rg_free(old);
    if (code == RG_OK)
        d->slot_order = all;
    return code;
}
