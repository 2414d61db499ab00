/* front.h - what stands in front of a log: what is appended is there at once, outlives the process,
 * and goes to the log in blocks, past the system's cache.
 *
 * A log that only grows costs the system a page for each 4 KiB, and the pages of others, though
 * nobody reads it. Gathered in the memory of its process it would be lost with that. So it is
 * gathered in a small file that is mapped: its pages stay with the system whatever becomes of the
 * process, and are the same ones again and again. After a power cut that file may have anything;
 * what the log has on the disk counts then, and who reads it looks whether what is in front goes on
 * there.
 *
 *     file:  "RGFRONT1"  u64 a  u64 b  u64 written  u64 end  ... 4096, then a ring: byte k of the
 *            log is byte k modulo its size there, for `written` <= k < `end`
 *
 * a and b say which log it is; what they are is the caller's.
 *
 * Threads: one appends at a time. rg_front_write() is any thread's, also while another one appends;
 * so is rg_file_sync() of the log. */
#ifndef RG_SYS_FRONT_H
#define RG_SYS_FRONT_H

#include "sys/folder.h"

typedef struct rg_front rg_front;

/* A new file `name`, in place of one that is there, with a ring of so many bytes, whole pages.
 * Owned; closed when no log is behind it. */
rg_status rg_front_open(rg_front **front, const rg_folder *folder, const char *name, size_t bytes);
void rg_front_close(rg_front *front); /* NULL is allowed; the file stays */

/* What is appended to this file, which is empty, goes this way from now on. */
rg_status rg_front_attach(rg_front *front, rg_file *log, uint64_t a, uint64_t b);
/* All of it goes to the log, which ends there, and is by itself again. */
rg_status rg_front_detach(rg_front *front);

/* Bytes that are not in the log yet. */
uint64_t rg_front_waiting(const rg_front *front);
/* Whole pages of them go to the log; all: the rest, too, with zeros behind it up to a whole page,
 * until it is written again or the front is detached. Not waiting for the disk; rg_file_sync() of
 * the log does both. */
rg_status rg_front_write(rg_front *front, bool all);

/* What a process that has died left in front of such a log: the bytes from `at` on; n is 0 where
 * there is nothing. Owned. */
typedef struct rg_front_rest {
    uint64_t at;
    uint8_t *bytes;
    size_t n;
} rg_front_rest;
rg_status rg_front_read(rg_front_rest *rest, const rg_folder *folder, const char *name, uint64_t a,
                        uint64_t b);

#endif
