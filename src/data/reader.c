/* reader.c - one pass over a dataset: batches for the trainer threads.
 *
 * Of data in memory each next() makes its batch itself: the threads take numbers, and a
 * number says which instances. Of files, reader threads make the batches: full ones wait
 * in a ring for whoever comes first, empty ones go back to a heap of spares, and as many
 * exist as can be waiting, in work, or held. */
#include "data/dataset_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/profile.h"

#include <time.h>

enum { AHEAD = 2 };

/* What a trainer thread holds. */
typedef struct seat {
    rg_batch *batch;
    /* in memory: where its instances are, once for all columns, and again for each where slots
     * have been shuffled */
    uint32_t *codes;
    rg_row_at *at;
    const rg_row_at **columns;
} seat;

struct rg_reader {
    rg_dataset *dataset;
    int threads;
    seat *seats;

    /* counted by several threads */
    uint64_t next, files_done, rows, bytes, disk_bytes_read;
    uint64_t disk_bytes; /* of all files; 0: not known */
    rg_bad_lines bad;

    bool is_range; /* it reads `range` alone */
    rg_file_range range;

    /* files alone */
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    rg_batch **ring, **spare;
    size_t capacity, head, waiting, n_spare;
    int n_workers, working;
    pthread_t *workers;
    bool stopped, halted; /* by the user; because a thread has failed */
    rg_wake *wake;
    rg_failure failure;
};

/* ---- files: reader threads ---- */

typedef struct worker {
    rg_reader *reader;
    rg_lines lines;
    uint64_t skip;     /* instances that are not wanted */
    uint64_t since_ns; /* when the last batch was handed over; 0: not timed */
} worker;

/* An empty batch, waited for. */
static rg_status take_spare(rg_reader *r, rg_batch **batch)
{
    rg_status code = RG_OK;
    (void)pthread_mutex_lock(&r->lock);
    while (r->n_spare == 0 && !r->stopped && !r->halted)
        (void)pthread_cond_wait(&r->emptied, &r->lock);
    if (r->stopped || r->halted)
        code = rg_fail(RG_ECLOSED, "the reading was stopped");
    else
        *batch = r->spare[--r->n_spare];
    (void)pthread_mutex_unlock(&r->lock);
    return code;
}

static void put_spare(rg_reader *r, rg_batch *batch)
{
    (void)pthread_mutex_lock(&r->lock);
    r->spare[r->n_spare++] = batch;
    (void)pthread_cond_signal(&r->emptied);
    (void)pthread_mutex_unlock(&r->lock);
}

/* Of this reader: the lines of a batch, the wait for a place to put it, and putting it there. */
static void note_times(worker *w, uint64_t read_ns, uint64_t room_ns)
{
    uint64_t now = rg_profiling ? rg_clock_ns() : 0;
    if (w->since_ns != 0 && now != 0) {
        rg_profile_add(RG_SPAN_READ, "read lines", w->since_ns, read_ns);
        rg_profile_add(RG_SPAN_READ, "wait for room", read_ns, room_ns);
        rg_profile_add(RG_SPAN_READ, "make batch", room_ns, now);
    }
    w->since_ns = now;
}

static rg_status send_batch(void *arg)
{
    worker *w = arg;
    rg_reader *r = w->reader;
    rg_batch *batch;
    if (w->lines.rows->n_rows == 0)
        return RG_OK;
    if (w->lines.rows->n_rows <= w->skip) {
        w->skip -= w->lines.rows->n_rows;
        rg_rows_clear(w->lines.rows);
        return RG_OK;
    }
    if (w->skip > 0)
        return rg_fail(RG_EINVAL,
                       "%llu of the examples of a batch of %s are trained on already: "
                       "was the batch size changed?",
                       (unsigned long long)w->skip, r->dataset->files[w->lines.file]);
    uint64_t read_ns = w->since_ns ? rg_clock_ns() : 0;
    RG_TRY(take_spare(r, &batch));
    uint64_t room_ns = w->since_ns ? rg_clock_ns() : 0;
    rg_status code = rg_batch_fill(batch, w->lines.rows, 0, w->lines.rows->n_rows);
    if (code != RG_OK) {
        put_spare(r, batch);
        return code;
    }
    rg_rows_clear(w->lines.rows);
    note_times(w, read_ns, room_ns);
    (void)pthread_mutex_lock(&r->lock);
    r->ring[(r->head + r->waiting++) % r->capacity] = batch;
    (void)pthread_cond_signal(&r->filled);
    (void)pthread_mutex_unlock(&r->lock);
    return RG_OK;
}

static rg_status read_files(worker *w)
{
    rg_reader *r = w->reader;
    const rg_dataset *d = r->dataset;
    size_t file;
    RG_TRY(rg_rows_open(&w->lines.rows, d->feed));
    if (r->is_range) {
        w->lines.begin = r->range.begin;
        w->lines.end = r->range.end;
        w->skip = r->range.skip;
        RG_TRY(rg_lines_read(&w->lines, d->files[r->range.file], r->range.file));
        return send_batch(w);
    }
    while ((file = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < d->n_files) {
        RG_TRY(rg_lines_read(&w->lines, d->files[file], (uint32_t)file));
        (void)__atomic_add_fetch(&r->files_done, 1, __ATOMIC_RELAXED);
    }
    return send_batch(w);
}

static void *worker_main(void *arg)
{
    rg_reader *r = arg;
    worker w = {.reader = r, .since_ns = rg_profiling ? rg_clock_ns() : 0};
    rg_dataset_lines(r->dataset, &w.lines, &r->bad, &r->bytes, r->wake);
    w.lines.disk_bytes = &r->disk_bytes_read;
    w.lines.full_rows = (size_t)r->dataset->batch_size;
    w.lines.full = send_batch;
    w.lines.arg = &w;
    rg_status code = read_files(&w);
    if (code != RG_OK) {
        rg_failure_note(&r->failure, code);
        rg_wake_set(r->wake);
    }
    rg_rows_close(w.lines.rows);
    rg_lines_fini(&w.lines);
    (void)pthread_mutex_lock(&r->lock);
    r->halted = r->halted || code != RG_OK;
    r->working--;
    (void)pthread_cond_broadcast(&r->filled);
    (void)pthread_cond_broadcast(&r->emptied);
    (void)pthread_mutex_unlock(&r->lock);
    return NULL;
}

static rg_status next_of_files(rg_reader *r, seat *s)
{
    if (s->batch != NULL)
        put_spare(r, s->batch);
    s->batch = NULL;
    (void)pthread_mutex_lock(&r->lock);
    while (r->waiting == 0 && r->working > 0 && !r->stopped)
        (void)pthread_cond_wait(&r->filled, &r->lock);
    bool stopped = r->stopped;
    if (!stopped && r->waiting > 0) {
        s->batch = r->ring[r->head];
        r->head = (r->head + 1) % r->capacity;
        r->waiting--;
    }
    (void)pthread_mutex_unlock(&r->lock);
    if (s->batch != NULL)
        return RG_OK;
    if (stopped)
        return rg_fail(RG_ECLOSED, "the reading was stopped");
    RG_TRY(rg_failure_raise(&r->failure));
    return RG_EOF;
}

/* ---- memory ---- */

/* Column c's instances, where its slot has been shuffled apart from the others. */
static void find_slot(const rg_dataset *d, size_t c, const uint32_t *codes, size_t n, rg_row_at *at)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t code = codes[i];
        uint64_t place = d->first[code >> CHUNK_BITS] + (code & (CHUNK_ROWS - 1));
        at[i] = rg_dataset_at(d, d->slot_order[c][place]);
    }
}

static rg_status gather(const rg_dataset *d, seat *s, uint64_t first, size_t n)
{
    size_t columns = rg_feed_used(d->feed), batch_size = (size_t)d->batch_size;
    rg_row_at *common = s->at;
    uint32_t *codes = s->codes;
    for (size_t i = 0; i < n; i++) {
        codes[i] = rg_dataset_code(d, first + i);
        common[i] = rg_dataset_at(d, codes[i]);
    }
    if (d->slot_order == NULL)
        return rg_batch_gather(s->batch, common, NULL, n);
    for (size_t c = 0; c < columns; c++) {
        s->columns[c] = NULL;
        if (d->slot_order[c] == NULL)
            continue;
        find_slot(d, c, codes, n, s->at + (c + 1) * batch_size);
        s->columns[c] = s->at + (c + 1) * batch_size;
    }
    return rg_batch_gather(s->batch, common, s->columns, n);
}

static rg_status next_of_memory(rg_reader *r, seat *s)
{
    rg_dataset *d = r->dataset;
    if (__atomic_load_n(&r->stopped, __ATOMIC_ACQUIRE))
        return rg_fail(RG_ECLOSED, "the reading was stopped");
    uint64_t size = (uint64_t)d->batch_size;
    uint64_t first = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED) * size;
    if (first >= d->n_rows)
        return RG_EOF;
    size_t n = (size_t)(d->n_rows - first < size ? d->n_rows - first : size);
    if (d->order == NULL && d->slot_order == NULL) {
        rg_row_at at = rg_dataset_at(d, rg_dataset_code(d, first));
        if (at.row + n <= at.rows->n_rows)
            return rg_batch_fill(s->batch, at.rows, at.row, n);
    }
    return gather(d, s, first, n);
}

/* ---- open and close ---- */

static rg_status open_seats(rg_reader *r)
{
    const rg_dataset *d = r->dataset;
    size_t columns = rg_feed_used(d->feed), rows = (size_t)d->batch_size;
    size_t sets = d->slot_order != NULL ? columns + 1 : 1, bytes;
    if (!rg_mul_size(rows, sets * sizeof(rg_row_at), &bytes))
        return rg_fail(RG_ETOOBIG, "a batch of %zu instances", rows);
    for (int i = 0; i < r->threads; i++) {
        seat *s = &r->seats[i];
        RG_TRY(rg_batch_open(&s->batch, d->feed));
        s->at = rg_alloc(bytes);
        s->codes = rg_alloc(rows * sizeof *s->codes);
        s->columns = rg_alloc_zero(columns, sizeof *s->columns);
        if (s->at == NULL || s->codes == NULL || s->columns == NULL)
            return rg_no_memory(bytes, "a batch");
    }
    return RG_OK;
}

/* Of a file that a command fetches the size is not known, and then that of all is not. */
static uint64_t size_of_files(const rg_dataset *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->n_files; i++) {
        if (rg_text_is_remote(d->files[i]))
            return 0;
        sum += rg_path_size(d->files[i]);
    }
    return sum;
}

static rg_status open_workers(rg_reader *r)
{
    const rg_dataset *d = r->dataset;
    r->disk_bytes = r->is_range ? r->range.end - r->range.begin : size_of_files(d);
    int workers = (size_t)r->threads < d->n_files ? r->threads : (int)d->n_files;
    size_t batches = (size_t)(r->threads + workers) * AHEAD;
    r->capacity = batches;
    r->ring = rg_alloc_zero(batches, sizeof *r->ring);
    r->spare = rg_alloc_zero(batches, sizeof *r->spare);
    r->workers = rg_alloc_zero((size_t)workers + 1, sizeof *r->workers);
    if (r->ring == NULL || r->spare == NULL || r->workers == NULL)
        return rg_no_memory(batches * sizeof *r->ring, "a queue of batches");
    for (; r->n_spare < batches; r->n_spare++)
        RG_TRY(r->n_spare == 0 ? rg_batch_open(&r->spare[0], d->feed)
                               : rg_batch_open_like(&r->spare[r->n_spare], r->spare[0]));
    RG_TRY(rg_wake_open(&r->wake));
    for (; r->n_workers < workers; r->n_workers++) {
        (void)pthread_mutex_lock(&r->lock);
        r->working++;
        (void)pthread_mutex_unlock(&r->lock);
        if (pthread_create(&r->workers[r->n_workers], NULL, worker_main, r) != 0) {
            (void)pthread_mutex_lock(&r->lock);
            r->working--;
            (void)pthread_mutex_unlock(&r->lock);
            return rg_fail(RG_EIO, "cannot start reader thread %d of %d", r->n_workers, workers);
        }
    }
    return RG_OK;
}

static rg_status may_read(const rg_dataset *d, int threads, const rg_file_range *range)
{
    RG_TRY(rg_dataset_check_threads(threads));
    if (d->leased && range == NULL)
        return rg_fail(RG_EINVAL, "a leased file list (set_filelist(..., lease=True)) is read by "
                                  "train_from_dataset of a job with parameter servers alone");
    if (range != NULL && range->file >= d->n_files)
        return rg_fail(RG_EINVAL, "file %u of %zu", range->file, d->n_files);
    if (d->kind == RG_DATASET_QUEUE)
        return rg_dataset_ready(d);
    if (d->preload.running)
        return rg_fail(RG_EINVAL, "the dataset is being loaded: wait for it (wait_preload_done)");
    if (!d->loaded)
        return rg_fail(RG_EINVAL, "the dataset has not been loaded: call load_into_memory first");
    return RG_OK;
}

static rg_status open_reader(rg_reader **out, rg_dataset *d, int threads,
                             const rg_file_range *range)
{
    RG_TRY(may_read(d, threads, range));
    rg_reader *r = rg_alloc_zero(1, sizeof *r);
    seat *seats = rg_alloc_zero((size_t)threads, sizeof *seats);
    if (r == NULL || seats == NULL) {
        rg_free(r);
        rg_free(seats);
        return rg_no_memory(sizeof *r, "a reader");
    }
    r->dataset = d;
    r->threads = threads;
    r->seats = seats;
    r->is_range = range != NULL;
    if (range != NULL)
        r->range = *range;
    (void)pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&r->filled, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    (void)pthread_cond_init(&r->emptied, NULL);
    rg_failure_init(&r->failure);
    rg_bad_lines_init(&r->bad);
    (void)__atomic_add_fetch(&d->readers, 1, __ATOMIC_RELAXED); /* trainer threads, of ranges */
    rg_status code = d->kind == RG_DATASET_QUEUE ? open_workers(r) : open_seats(r);
    if (code != RG_OK) {
        rg_reader_close(r);
        return code;
    }
    *out = r;
    return RG_OK;
}

rg_status rg_reader_open(rg_reader **out, rg_dataset *d, int threads)
{
    return open_reader(out, d, threads, NULL);
}

rg_status rg_reader_open_range(rg_reader **out, rg_dataset *d, const rg_file_range *range)
{
    return open_reader(out, d, 1, range);
}

rg_status rg_reader_next(rg_reader *r, int thread, rg_batch **batch)
{
    if (thread < 0 || thread >= r->threads)
        return rg_fail(RG_EINVAL, "thread %d of %d", thread, r->threads);
    seat *s = &r->seats[thread];
    uint64_t start = rg_profiling ? rg_clock_ns() : 0;
    RG_TRY(r->dataset->kind == RG_DATASET_QUEUE ? next_of_files(r, s) : next_of_memory(r, s));
    if (start != 0)
        rg_profile_add(RG_SPAN_READ, "next batch", start, rg_clock_ns());
    (void)__atomic_add_fetch(&r->rows, s->batch->rows, __ATOMIC_RELAXED);
    if (r->dataset->kind == RG_DATASET_MEMORY) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < s->batch->n; i++)
            bytes += rg_value_bytes(s->batch->values[i]);
        (void)__atomic_add_fetch(&r->bytes, bytes, __ATOMIC_RELAXED);
    }
    *batch = s->batch;
    return RG_OK;
}

bool rg_reader_wait(rg_reader *r, int wait_ms)
{
    if (r->dataset->kind == RG_DATASET_MEMORY)
        return true;
    uint64_t ns = rg_clock_ns() + (uint64_t)wait_ms * 1000000;
    struct timespec until = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    int timed_out = 0;
    (void)pthread_mutex_lock(&r->lock);
    while (r->waiting == 0 && r->working > 0 && !r->stopped && !timed_out)
        timed_out = pthread_cond_timedwait(&r->filled, &r->lock, &until);
    bool ready = r->waiting > 0 || r->working == 0 || r->stopped;
    (void)pthread_mutex_unlock(&r->lock);
    return ready;
}

void rg_reader_stop(rg_reader *r)
{
    (void)pthread_mutex_lock(&r->lock);
    __atomic_store_n(&r->stopped, true, __ATOMIC_RELEASE);
    if (r->wake != NULL)
        rg_wake_set(r->wake);
    (void)pthread_cond_broadcast(&r->filled);
    (void)pthread_cond_broadcast(&r->emptied);
    (void)pthread_mutex_unlock(&r->lock);
}

rg_progress rg_reader_progress(const rg_reader *r)
{
    bool memory = r->dataset->kind == RG_DATASET_MEMORY;
    return (rg_progress){
        .files_done = memory ? r->dataset->n_files
                             : __atomic_load_n(&r->files_done, __ATOMIC_RELAXED),
        .files = r->dataset->n_files,
        .rows = __atomic_load_n(&r->rows, __ATOMIC_RELAXED),
        .bytes = __atomic_load_n(&r->bytes, __ATOMIC_RELAXED),
        .bad_lines = __atomic_load_n(&r->bad.seen, __ATOMIC_RELAXED),
        .disk_bytes_read = __atomic_load_n(&r->disk_bytes_read, __ATOMIC_RELAXED),
        .disk_bytes = r->disk_bytes,
    };
}

void rg_reader_close(rg_reader *r)
{
    if (r == NULL)
        return;
    rg_reader_stop(r);
    for (int i = 0; i < r->n_workers; i++)
        (void)pthread_join(r->workers[i], NULL);
    for (int i = 0; i < r->threads; i++) {
        rg_batch_close(r->seats[i].batch);
        rg_free(r->seats[i].at);
        rg_free(r->seats[i].codes);
        rg_free(r->seats[i].columns);
    }
    for (size_t i = 0; i < r->waiting; i++)
        rg_batch_close(r->ring[(r->head + i) % r->capacity]);
    for (size_t i = 0; i < r->n_spare; i++)
        rg_batch_close(r->spare[i]);
    rg_free(r->ring);
    rg_free(r->spare);
    rg_free(r->workers);
    rg_free(r->seats);
    rg_wake_close(r->wake);
    rg_failure_fini(&r->failure);
    rg_bad_lines_fini(&r->bad);
    (void)pthread_cond_destroy(&r->emptied);
    (void)pthread_cond_destroy(&r->filled);
    (void)pthread_mutex_destroy(&r->lock);
    (void)__atomic_sub_fetch(&r->dataset->readers, 1, __ATOMIC_RELAXED);
    rg_free(r);
}
