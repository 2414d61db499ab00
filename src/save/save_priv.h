/* save_priv.h - what saving and loading share. */
#ifndef RG_SAVE_SAVE_PRIV_H
#define RG_SAVE_SAVE_PRIV_H

#include "base/status.h"
#include "save/manifest.h"
#include "sys/folder.h"

#include <stdbool.h>

enum { RG_MAX_SAVE_PATH = 4096, RG_MAX_MANIFEST_BYTES = 256 * 1024 * 1024 };

#define RG_OWN_PREFIX    ".regatta-" /* what saves keep for themselves; no variable's file */
#define RG_STAGE_PREFIX  ".regatta-save."
#define RG_COMMIT_PREFIX ".regatta-commit."
#define RG_LOCK_NAME     ".regatta-lock"

/* Whether `entry`, found in a folder, is a save that was decided. */
bool rg_is_commit(const char *entry);
/* RG_EINVAL for names that are not a variable's. */
rg_status rg_save_check_name(const char *name);

/* The manifest of a folder; empty where there is none. checksum, where not NULL, is of its
 * bytes. */
rg_status rg_manifest_read(rg_manifest *manifest, const rg_folder *folder, uint32_t *checksum);
/* That of a decided save, of which every name has been checked. */
rg_status rg_commit_read(rg_manifest *manifest, const rg_folder *commit, uint32_t *checksum);
rg_status rg_manifest_write(const rg_manifest *manifest, const rg_folder *folder, const char *name);

/* Make the folders on the way to each of the manifest's files last a power cut. */
rg_status rg_save_sync_ways(const rg_folder *folder, const rg_manifest *manifest);

/* Move the files of every decided save in `folder` to their places. The caller has the lock. */
rg_status rg_save_finish(const rg_folder *folder);

#endif
