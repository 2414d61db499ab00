/* dataset.h - files of multi-slot text as batches, for as many trainer threads as there are.
 *
 *     rg_dataset_open(&dataset, RG_DATASET_QUEUE);
 *     rg_dataset_set_slots(...); rg_dataset_set_files(...); rg_dataset_set_batch_size(...);
 *     rg_reader_open(&reader, dataset, threads);          one pass over the data
 *     while ((code = rg_reader_next(reader, thread, &batch)) == RG_OK) ...
 *     rg_reader_close(reader);
 *
 * A queue dataset reads the files while it is trained on: reader threads take one file at
 * a time, in order, and put batches into a bounded queue. With one thread, batches come
 * in the order of the lines. A dataset in memory is loaded first, and can be shuffled and
 * read again; its batches come in the order of the files, whatever the number of loading
 * threads.
 *
 * A file is read whole or the reading fails: a pipe command that ends with a status, a
 * truncated .gz, a line that does not fit are errors that name the file. With
 * FLAGS_data_bad_lines=N up to N lines of a reading are put aside instead, into
 * FLAGS_data_bad_lines_file.
 *
 * Setters and loads are for one thread; a reader's next() may be called by each trainer
 * thread with its own number. The dataset outlives its readers. */
#ifndef RG_DATA_DATASET_H
#define RG_DATA_DATASET_H

#include "base/status.h"
#include "data/batch.h"
#include "data/feed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_dataset rg_dataset;
enum { RG_DATASET_MAX_THREADS = 1024 }; /* that load, or train */
typedef enum rg_dataset_kind { RG_DATASET_QUEUE, RG_DATASET_MEMORY } rg_dataset_kind;

rg_status rg_dataset_open(rg_dataset **dataset, rg_dataset_kind kind);
void rg_dataset_close(rg_dataset *dataset); /* waits for a preload */

/* ---- settings: refused while data is in memory or a reader is open ---- */

rg_status rg_dataset_set_slots(rg_dataset *dataset, const rg_feed_slot *slots, size_t n);
rg_status rg_dataset_set_files(rg_dataset *dataset, const char *const *files, size_t n);
/* Ranges of the files are dealt to the trainers of a job (dist/leases.h), which all have the same
 * list: who reads it so says which (rg_reader_open_range), and rg_reader_open() is refused. For a
 * queue dataset. */
rg_status rg_dataset_set_leased(rg_dataset *dataset, bool leased);
bool rg_dataset_is_leased(const rg_dataset *dataset);
/* "cat" (the default) reads the files directly; anything else is run by sh -c with the file,
 * unpacked where it ends in .gz, on its standard input. */
rg_status rg_dataset_set_pipe(rg_dataset *dataset, const char *command);
/* How files named hdfs:... or afs:... are fetched: `hadoop fs` with these settings, or
 * `command FILE` where a command is given. NULL leaves a part as it is. */
rg_status rg_dataset_set_remote(rg_dataset *dataset, const char *fs_name, const char *fs_ugi,
                                const char *command);
rg_status rg_dataset_set_batch_size(rg_dataset *dataset, int64_t batch_size);
/* Threads that load and, where a reader is not told otherwise, trainer threads. */
rg_status rg_dataset_set_threads(rg_dataset *dataset, int threads);
rg_status rg_dataset_set_texts(rg_dataset *dataset, bool ins_id, bool content);
/* Lines are words of the form slot:value (rg_feed_set_named). For a queue dataset; a slot that a
 * line has not gets `padding`. */
rg_status rg_dataset_set_named(rg_dataset *dataset, double padding);

const rg_feed *rg_dataset_feed(const rg_dataset *dataset); /* NULL before the slots are set */
int rg_dataset_threads(const rg_dataset *dataset);
int64_t rg_dataset_batch_size(const rg_dataset *dataset);
/* RG_EINVAL where so many are too few or too many. */
rg_status rg_dataset_check_threads(int threads);
size_t rg_dataset_files(const rg_dataset *dataset);
const char *rg_dataset_file(const rg_dataset *dataset, size_t i); /* borrowed until they are set */

/* ---- data in memory ---- */

/* On failure nothing is held. Replaces what was loaded before. */
rg_status rg_dataset_load(rg_dataset *dataset);
/* The same in the background, by `threads` threads (0: the dataset's). */
rg_status rg_dataset_preload(rg_dataset *dataset, int threads);
rg_status rg_dataset_wait_preload(rg_dataset *dataset);
/* Waits at most wait_ms; *done says whether the wait would return at once. */
void rg_dataset_poll_preload(rg_dataset *dataset, int wait_ms, bool *done);
/* The preload ends soon, with RG_ECLOSED. From any thread. */
void rg_dataset_cancel_preload(rg_dataset *dataset);
void rg_dataset_release(rg_dataset *dataset);
uint64_t rg_dataset_rows(const rg_dataset *dataset);
uint64_t rg_dataset_bytes(const rg_dataset *dataset); /* of the instances held */

/* The order of the instances becomes a function of the seed and of the number of shuffles
 * since the load alone. */
rg_status rg_dataset_shuffle(rg_dataset *dataset, uint64_t seed);
/* The values of these slots change places between instances, all others stay: what a model
 * loses by it is what the slots are worth. No names: as they were loaded. */
rg_status rg_dataset_shuffle_slots(rg_dataset *dataset, const char *const *names, size_t n,
                                   uint64_t seed);
/* Instances of one id become one, where there are exactly `size` of them (any number, where
 * size is 0); others are left out. Needs ids (rg_dataset_set_texts). */
rg_status rg_dataset_merge(rg_dataset *dataset, size_t size);

/* For shuffling between processes: hand instances over as bytes, and take them. A part is
 * chosen for each instance by `part_of(arg, i, ins_id)`; ins_id is "" where ids are not
 * parsed. `emit` gets the bytes of the part's instances, in several calls of at most
 * `max_rows` instances each. The instances that were handed over stay until
 * rg_dataset_release(). */
typedef int (*rg_dataset_part_of)(void *arg, uint64_t row, const char *ins_id);
typedef rg_status (*rg_dataset_emit)(void *arg, int part, const void *bytes, size_t n);
rg_status rg_dataset_export(rg_dataset *dataset, int parts, rg_dataset_part_of part_of,
                            rg_dataset_emit emit, void *arg, size_t max_rows);
/* Append what an export emitted, from any process of the same slots. RG_ECORRUPT where the
 * bytes are not that. */
rg_status rg_dataset_import(rg_dataset *dataset, const void *bytes, size_t n);
/* Hold these instead of what is there, which stays where this fails. */
typedef struct rg_exported {
    const void *bytes;
    size_t n;
} rg_exported;
rg_status rg_dataset_replace(rg_dataset *dataset, const rg_exported *parts, size_t n);

/* ---- one pass over the data ---- */

typedef struct rg_reader rg_reader;

typedef struct rg_progress {
    uint64_t files_done, files;
    uint64_t rows;                        /* instances handed out */
    uint64_t bytes;                       /* of text read; of a dataset in memory: handed out */
    uint64_t bad_lines;                   /* put aside */
    uint64_t disk_bytes_read, disk_bytes; /* of the files; 0: not known, or in memory */
    bool are_ranges;                      /* `files` are ranges of all trainers' files */
} rg_progress;

/* For `threads` trainer threads. RG_EINVAL where there are no slots, no files, or, in
 * memory, no load. Owned; ended by rg_reader_close(). */
rg_status rg_reader_open(rg_reader **reader, rg_dataset *dataset, int threads);
/* A part of the files, by one thread (number 0): lines that begin in bytes begin .. end - 1 of the
 * file, all where both are 0, but for the first `skip` instances of it. Batches are cut from its
 * first instance on, so that those behind any whole batch are the same whatever is skipped. */
typedef struct rg_file_range {
    uint32_t file;
    uint64_t begin, end, skip;
} rg_file_range;
rg_status rg_reader_open_range(rg_reader **reader, rg_dataset *dataset, const rg_file_range *range);
/* Where the file can be cut so: its size, else 0. */
rg_status rg_dataset_cut_size(const rg_dataset *dataset, size_t file, uint64_t *size);
/* One number of all that says which examples there are: names, sizes, how a batch is made. */
rg_status rg_dataset_digest(const rg_dataset *dataset, uint64_t *digest);
/* The next batch for trainer thread `thread` (0 .. threads - 1). Borrowed until this thread's
 * next call, or the close. RG_EOF when the data has ended, RG_ECLOSED after a stop; a failure
 * of reading is given to every thread, once it has had the batches made before. */
rg_status rg_reader_next(rg_reader *reader, int thread, rg_batch **batch);
/* Waits until next() would not, at most wait_ms; whether it would not. For callers that have
 * something else to look at in between, such as signals. */
bool rg_reader_wait(rg_reader *reader, int wait_ms);
/* From any thread: every next() returns soon, pipe commands are killed. */
void rg_reader_stop(rg_reader *reader);
/* From any thread. */
rg_progress rg_reader_progress(const rg_reader *reader);
/* Stops, joins all threads. No next() may be running. NULL is allowed. */
void rg_reader_close(rg_reader *reader);

#endif
