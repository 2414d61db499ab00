/* save_priv.h - what saving and loading share: names of folders, finishing a commit. */
#ifndef RG_SAVE_SAVE_PRIV_H
#define RG_SAVE_SAVE_PRIV_H

#include "base/status.h"
#include "save/manifest.h"

enum { RG_MAX_SAVE_PATH = 4096, RG_MAX_MANIFEST_BYTES = 256 * 1024 * 1024 };

#define RG_STAGE_PREFIX  ".regatta-save."
#define RG_COMMIT_PREFIX ".regatta-commit."

/* folder/name into path; RG_EINVAL where it is too long. */
rg_status rg_save_path(char path[RG_MAX_SAVE_PATH], const char *folder, const char *name);

/* The manifest of a folder; empty where there is none. */
rg_status rg_manifest_read(rg_manifest *manifest, const char *folder, const char *name);

/* Move the files of every decided save in `folder` to their places. */
rg_status rg_save_finish(const char *folder);

#endif
