/* lines_priv.h - reading one file after the other into rows, and what happens to lines that
 * do not fit. */
#ifndef RG_DATA_LINES_PRIV_H
#define RG_DATA_LINES_PRIV_H

#include "data/feed.h"
#include "data/text_priv.h"

#include <pthread.h>

/* Shared by the threads of one reading. */
typedef struct rg_bad_lines {
    pthread_mutex_t lock;
    uint64_t allowed, seen;
    const char *path;
    struct rg_file *file; /* NULL until there is a first one */
} rg_bad_lines;

void rg_bad_lines_init(rg_bad_lines *bad);
/* Closes the file; says in the log how many there were. */
void rg_bad_lines_fini(rg_bad_lines *bad);

typedef struct rg_lines {
    const rg_feed *feed;
    rg_text_config text;
    rg_bad_lines *bad;
    uint64_t *bytes;      /* atomic: text read so far */
    uint64_t *disk_bytes; /* atomic: of the files themselves, as rg_text_consumed(); or NULL */
    rg_rows *rows;
    size_t full_rows;
    /* Called whenever rows has full_rows instances; to empty it is its work. */
    rg_status (*full)(void *arg);
    void *arg;
    uint32_t file;       /* the number of the one that is read */
    uint64_t begin, end; /* lines that begin in these bytes of it; 0, 0: all */
    char *buffer;        /* owned; kept from file to file */
    size_t capacity;
} rg_lines;

/* Everything but the buffer is the caller's to set. */
rg_status rg_lines_read(rg_lines *lines, const char *file, uint32_t file_number);
void rg_lines_fini(rg_lines *lines);

#endif
