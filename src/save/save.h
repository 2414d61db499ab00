/* save.h - sets of files that are written whole or not at all.
 *
 * The files of a save are written aside, in a folder inside the target folder, and
 * flushed. One rename then decides that the save has happened; moving the files to
 * their places comes after it, and the next save does so first if this process could
 * not. Files that the save does not name are left alone. One saver is at work in a
 * folder at a time: others wait for its lock. Nothing is written through a symbolic link
 * inside the folder. A save that takes long says every 10 s how far it is, and Ctrl+C ends it.
 *
 * Loading writes nothing and waits for nobody: it gets the files of the last save that
 * was decided, moved or not.
 *
 * Beside the files stands MANIFEST.regatta with the size and CRC32C of each. Real
 * Paddle ignores it. A file that is in it is checked when it is loaded; one that is
 * not (a folder that Paddle wrote) is loaded unchecked. */
#ifndef RG_SAVE_SAVE_H
#define RG_SAVE_SAVE_H

#include "base/buf.h"
#include "base/status.h"
#include "tensor/value.h"

#include <stdbool.h>
#include <stddef.h>

#define RG_MANIFEST_NAME "MANIFEST.regatta"

typedef struct rg_save rg_save;

/* Begin a save into `folder`, made if missing, and wait for its lock (FLAGS_save_wait_ms).
 * Owned; ended by rg_save_close(). */
rg_status rg_save_open(rg_save **save, const char *folder);
/* Whatever was not committed is removed. NULL is allowed. */
void rg_save_close(rg_save *save);

/* RG_EIO, with what is wanted and what there is, where the disk of the folder, which need not be
 * there yet, has no room for files of so many bytes beside those that it has. */
rg_status rg_save_check_room(const char *folder, uint64_t bytes);

/* `file` is a name inside the folder and may have folders of its own. */
rg_status rg_save_tensor(rg_save *save, const char *file, const rg_value *value);
/* Several tensors one after another in one file, in the order given. */
rg_status rg_save_tensors(rg_save *save, const char *file, const rg_value *const *values,
                          const char *const *names, size_t n);
rg_status rg_save_bytes(rg_save *save, const char *file, const void *bytes, size_t n);

/* When this has returned RG_OK the whole save is on the disk. Otherwise the folder is
 * as it was, or the save counts and its files will be moved by the next one. */
rg_status rg_save_commit(rg_save *save);

typedef struct rg_load rg_load;

/* What the folder holds now; with a folder that is being saved to, see rg_load_whole(). */
rg_status rg_load_open(rg_load **load, const char *folder);
void rg_load_close(rg_load *load);

/* Open, read and close; again from the start where a save has overtaken it, so that all that
 * `read` got is of one save. A save that goes on and on ends it (FLAGS_save_wait_ms). */
rg_status rg_load_whole(const char *folder, rg_status (*read)(void *arg, rg_load *load), void *arg);
/* RG_ESTALE where files that no manifest names may be of different saves. */
rg_status rg_load_check(const rg_load *load);

/* Which saves these are: the same text as long as nobody saves. Borrowed until the close. */
const char *rg_load_identity(const rg_load *load);
/* Files of a save that was decided and perhaps not moved yet. */
rg_status rg_load_staged(const rg_load *load, rg_status (*visit)(void *arg, const char *name),
                         void *arg);

/* What the reader expects of a variable; shapes may have -1. */
typedef struct rg_expected {
    const char *name;
    rg_value *value;       /* filled */
    const rg_meta *wanted; /* NULL: anything */
} rg_expected;

/* These fail with RG_ESTALE where somebody has saved to the folder since it was opened. */
rg_status rg_load_tensor(rg_load *load, const char *file, const rg_expected *expected);
/* A file of several tensors; all of them, in order, and nothing after them. */
rg_status rg_load_tensors(rg_load *load, const char *file, const rg_expected *expected, size_t n);
rg_status rg_load_bytes(rg_load *load, const char *file, size_t max_bytes, rg_buf *out);

#endif
