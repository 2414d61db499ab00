/* file.h - files and folders.
 *
 * Reading and writing are whole or an error: there is no short count to check.
 * Every message names the path and has the system's reason. A writer's bytes
 * are on the disk when rg_file_finish() has returned RG_OK, not before. */
#ifndef RG_SYS_FILE_H
#define RG_SYS_FILE_H

#include "base/buf.h"
#include "base/status.h"
#include "sys/iov.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_file rg_file;

/* A regular file: anything else, a named pipe or a folder, is refused by name and at once.
 * Owned by the caller, who ends it with rg_file_close(). */
rg_status rg_file_open(rg_file **file, const char *path);
/* Also a pipe or a device, as a shell's <(...): it waits for who writes there. */
rg_status rg_file_open_stream(rg_file **file, const char *path);
/* Creates or empties. */
rg_status rg_file_create(rg_file **file, const char *path);
/* Creates, or goes on behind what is there: rg_file_offset() says where. */
rg_status rg_file_extend(rg_file **file, const char *path);
/* NULL is allowed. A created file that was not finished may hold anything. */
void rg_file_close(rg_file *file);

const char *rg_file_path(const rg_file *file);
uint64_t rg_file_size(const rg_file *file); /* when it was opened */
uint64_t rg_file_offset(const rg_file *file);
/* CRC32C of all bytes written or read so far. */
uint32_t rg_file_crc(const rg_file *file);

/* RG_ECORRUPT where fewer than n bytes are left. */
rg_status rg_file_read(rg_file *file, void *bytes, size_t n);
/* Up to n bytes, as many as there are now; *got is 0 at the end. Not in the checksum. */
rg_status rg_file_read_some(rg_file *file, void *bytes, size_t n, size_t *got);
/* Go to `offset`; the checksum no longer means anything. */
rg_status rg_file_seek(rg_file *file, uint64_t offset);
rg_status rg_file_write(rg_file *file, const void *bytes, size_t n);
/* Flush to the disk. A failure is final: the file must be written again. */
rg_status rg_file_finish(rg_file *file);
/* Hand everything to the system, but do not wait for the disk. */
rg_status rg_file_flush(rg_file *file);

/* ---- a log: what is written is whole or taken back ---- */

/* Pieces one behind the other, at once, past any buffer and not in the checksum. Where it fails the
 * file is cut back to what it was, as far as the system lets it. */
rg_status rg_file_append(rg_file *file, const rg_iov *pieces, size_t n);
/* From now on what is appended is gathered, and written in large blocks, past the system's cache
 * where the file system can do that: for much that is not read soon. Its failures are those of a
 * later append, and final. rg_file_gather_end() writes the rest, which sync() needs to be of all.
 */
void rg_file_gather(rg_file *file);
rg_status rg_file_gather_end(rg_file *file); /* also where nothing is gathered */
/* What was appended is on the disk. Any thread, also while another one appends. A failure is final.
 */
rg_status rg_file_sync(const rg_file *file);
/* The system need not keep in memory what is on the disk. Any thread. */
void rg_file_forget(const rg_file *file);
/* The file has `size` bytes and no more, on the disk, too. */
rg_status rg_file_cut(const char *path, uint64_t size);
/* It has these bytes from `at` on, and ends behind them, on the disk, too. */
rg_status rg_file_end_with(const char *path, uint64_t at, const void *bytes, size_t n);

/* These bytes as the file at `path`, which is created or emptied; not waiting for the disk. */
rg_status rg_file_write_all(const char *path, const void *bytes, size_t n);
/* What is left of the file appended to `out`; RG_ETOOBIG over max_bytes. */
rg_status rg_file_read_rest(rg_file *file, size_t max_bytes, rg_buf *out);
/* The whole file. */
rg_status rg_file_read_all(const char *path, size_t max_bytes, rg_buf *out);
/* Its end, max_bytes of it at most, appended to `out`; *from, where it is not NULL: where in the
 * file that begins. */
rg_status rg_file_tail(const char *path, size_t max_bytes, rg_buf *out, uint64_t *from);

bool rg_path_exists(const char *path);
bool rg_path_is_dir(const char *path);
/* Bytes of a plain file; 0 where it is none, or not there. */
uint64_t rg_path_size(const char *path);
/* path and its parents, as mkdir -p; those that were made last a power cut. */
rg_status rg_dir_make(const char *path);
/* As rm -r, following no link; a path that is not there is RG_OK. */
rg_status rg_dir_remove(const char *path);

/* RG_EINVAL unless `name`, read from a file or a program, stays inside the
 * folder it is joined to: not absolute, no "..", no control characters. */
rg_status rg_path_check_inside(const char *name);

#endif
