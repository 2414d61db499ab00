/* folder.h - what is below a folder, by names that others gave.
 *
 * The folder is opened once, by a path of the user's, in which links are followed. Below it
 * a name is walked part by part, and a symbolic link on the way is refused by name: nothing
 * outside the folder is reached, whatever anybody puts into it and whenever. Names that are
 * absolute or have ".." are refused, too (rg_path_check_inside). */
#ifndef RG_SYS_FOLDER_H
#define RG_SYS_FOLDER_H

#include "base/status.h"
#include "sys/file.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_folder rg_folder;

/* Owned by the caller, who ends it with rg_folder_close(). */
rg_status rg_folder_open(rg_folder **folder, const char *path);
/* NULL is allowed. */
void rg_folder_close(rg_folder *folder);
const char *rg_folder_path(const rg_folder *folder);

/* What is behind the folder in the text of an absolute path, "" for the folder itself, without a
 * slash before it; borrowed from `path`. RG_EINVAL where the path is not below it. */
rg_status rg_folder_rest(const rg_folder *folder, const char *path, const char **rest);
/* The folder `name` below; `make`: where it or one on the way is missing, it is made. */
rg_status rg_folder_enter(rg_folder **below, const rg_folder *folder, const char *name, bool make);
/* A new folder below, whose name is the prefix and a random number. */
rg_status rg_folder_make_new(rg_folder **below, const rg_folder *folder, const char *prefix);
/* The last part of its path. */
const char *rg_folder_name(const rg_folder *folder);

/* A file to read; a regular one, or it is refused. */
rg_status rg_folder_read(rg_file **file, const rg_folder *folder, const char *name);
/* The same where links are followed, as they may be where nothing is written. */
rg_status rg_folder_read_linked(rg_file **file, const rg_folder *folder, const char *name);
/* A new file; folders on the way are made. Fails where anything has that name. */
rg_status rg_folder_create(rg_file **file, const rg_folder *folder, const char *name);
/* A file or folder of `from` to a name in `to`, where it replaces a file or a link. Folders on
 * the way there are made. RG_ENOENT where there is none to move. */
rg_status rg_folder_move(const rg_folder *from, const char *name, const rg_folder *to,
                         const char *to_name);
/* RG_OK where a file could be moved to `name`: folders on the way are folders or missing, and
 * what stands there is no folder. Changes nothing. */
rg_status rg_folder_check_place(const rg_folder *folder, const char *name);
/* As rm -r, following no link; a name that is not there is RG_OK. */
rg_status rg_folder_remove(const rg_folder *folder, const char *name);

/* Calls visit for each entry but . and .., in byte order of the names. */
rg_status rg_folder_each(const rg_folder *folder, rg_status (*visit)(void *arg, const char *name),
                         void *arg);
/* Make what was created in and moved into this folder last a power cut. */
rg_status rg_folder_sync(const rg_folder *folder);
/* The same for the folders on the way to `name`, but not this one. */
rg_status rg_folder_sync_way(const rg_folder *folder, const char *name);
/* Wait until all of its file system has reached the disk. */
rg_status rg_folder_sync_all(const rg_folder *folder);

/* ---- one at a time (folder_lock.c) ---- */

typedef struct rg_folder_lock rg_folder_lock;

/* Wait until this holder is the only one, among threads, processes and, where the file system
 * has locks, hosts. The lock ends with its process, however that ends. After 10 s it is said
 * whom we wait for, after wait_ms it is RG_ETIMEOUT, and rg_interrupted() ends it. Taken by
 * way of a file `name` in the folder, which is there only meanwhile. */
rg_status rg_folder_lock_open(rg_folder_lock **lock, const rg_folder *folder, const char *name,
                              uint64_t wait_ms);
/* NULL is allowed. */
void rg_folder_lock_close(rg_folder_lock *lock);

#endif
