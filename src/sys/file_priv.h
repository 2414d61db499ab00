/* file_priv.h - what file.c, file_log.c and folder.c share. */
#ifndef RG_SYS_FILE_PRIV_H
#define RG_SYS_FILE_PRIV_H

#include "sys/file.h"

struct rg_file {
    char *path;
    int fd;
    uint64_t size, offset;
    uint32_t crc;
    size_t pending; /* bytes of `buffer` not yet written */
    bool writing;
    struct rg_front *front;   /* what is appended goes by way of it; borrowed; NULL: it does not */
    struct rg_direct *direct; /* file_log.c; owned, NULL: it is not written so */
    uint8_t buffer[];         /* of a writer only */
};

void rg_direct_free(struct rg_direct *direct); /* NULL is allowed */

/* For file_log.c: one record to what is in front of a log (front.h). */
rg_status rg_front_append(struct rg_front *front, const rg_iov *pieces, size_t n);

/* All of it at that place of the file; false: errno says why. */
bool rg_put_at(int fd, const uint8_t *bytes, size_t n, uint64_t at);
/* Whether what is written goes past the system's cache from now on: not on every file system. */
bool rg_file_set_past(const rg_file *file, bool past);

/* "what path: the system's reason", of errno. */
rg_status rg_system_failed(const char *what, const char *path);

/* Plays an injected fault: true where the system call must be taken as failed. */
bool rg_injected(const char *point);

/* A file of a descriptor, which is taken, or of errno where it is negative. To read from: only
 * a regular one. */
rg_status rg_file_of(rg_file **out, int fd, const char *path, bool writing);

#endif
