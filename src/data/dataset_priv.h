/* dataset_priv.h - what a dataset is made of. */
#ifndef RG_DATA_DATASET_PRIV_H
#define RG_DATA_DATASET_PRIV_H

#include "data/dataset.h"
#include "data/lines_priv.h"

#include <pthread.h>

/* Instances in memory stand in chunks of at most 2^14; an instance is named by its chunk and
 * its place there in 32 bits, which is what an order takes for each. */
enum { CHUNK_BITS = 14, CHUNK_ROWS = 1 << CHUNK_BITS, MAX_CHUNKS = 1 << (32 - CHUNK_BITS) };

typedef struct rg_chunks {
    rg_rows **items;
    size_t n, cap;
} rg_chunks;

/* The first failure of several threads. */
typedef struct rg_failure {
    pthread_mutex_t lock;
    rg_status code;
    char message[4096];
} rg_failure;

typedef struct rg_preload {
    pthread_t thread;
    bool running; /* started and not yet waited for */
    long pid;     /* by this process: a child that is forked has no such thread */
    int threads;
    rg_wake *wake, *done; /* stop; it has ended */
    rg_failure failure;
} rg_preload;

struct rg_dataset {
    rg_dataset_kind kind;
    rg_feed *feed;
    char **files;
    size_t n_files;
    char *pipe, *fs_name, *fs_ugi, *fetch;
    int64_t batch_size;
    int threads;
    bool ins_id, content, named, leased;
    double padding;
    int readers; /* open now */

    bool loaded;
    rg_chunks chunks;
    uint64_t *first; /* instances before chunk i */
    size_t cap_first;
    uint64_t n_rows;
    uint32_t *order;       /* NULL: as loaded */
    uint32_t **slot_order; /* for each column, NULL: as loaded; NULL: none is shuffled */
    uint64_t shuffles;
    rg_preload preload;
};

void rg_failure_init(rg_failure *failure);
/* Keep this thread's message, where it is the first; a stop is no failure once there is one. */
void rg_failure_note(rg_failure *failure, rg_status code);
/* The code, its message made this thread's. */
rg_status rg_failure_raise(rg_failure *failure);
void rg_failure_fini(rg_failure *failure);

/* How this dataset reads text; rows, full and arg are the caller's to set. */
void rg_dataset_lines(const rg_dataset *dataset, rg_lines *lines, rg_bad_lines *bad,
                      uint64_t *bytes, const rg_wake *wake);
rg_status rg_dataset_ready(const rg_dataset *dataset);

/* ---- memory (memory.c) ---- */

rg_status rg_chunks_add(rg_chunks *chunks, rg_rows *rows);
void rg_chunks_fini(rg_chunks *chunks);
/* Hold these chunks and nothing else; they are taken over, also on failure. */
rg_status rg_dataset_hold(rg_dataset *dataset, rg_chunks *chunks);
/* One chunk more; taken over unless this fails. The order becomes that of the chunks. */
rg_status rg_dataset_hold_more(rg_dataset *dataset, rg_rows *rows);
/* Where instance i of the present order is, coded. */
uint32_t rg_dataset_code(const rg_dataset *dataset, uint64_t i);
static inline rg_row_at rg_dataset_at(const rg_dataset *dataset, uint32_t code)
{
    return (rg_row_at){dataset->chunks.items[code >> CHUNK_BITS], code & (CHUNK_ROWS - 1)};
}

/* Append instance `row` of `from` (exchange.c). */
rg_status rg_rows_append(rg_rows *to, const rg_rows *from, size_t row);

#endif
