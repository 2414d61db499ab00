/* commit.c - moving the files of a decided save to their places.
 *
 * A folder .regatta-commit.ID holds a save that has been decided: its files and, in
 * its own manifest, their names. Each file is moved by a rename; one that is no longer
 * there has been moved already. So this may be cut short anywhere and begun again. */
#include "save/save_priv.h"

#include "save/save.h"

#include "sys/file.h"

#include <stdio.h>
#include <string.h>

rg_status rg_save_path(char path[RG_MAX_SAVE_PATH], const char *folder, const char *name)
{
    int n = snprintf(path, RG_MAX_SAVE_PATH, "%s/%s", folder, name);
    if (n < 0 || n >= RG_MAX_SAVE_PATH)
        return rg_fail(RG_EINVAL, "the path %s/%s is too long", folder, name);
    return RG_OK;
}

rg_status rg_manifest_read(rg_manifest *manifest, const char *folder, const char *name)
{
    char path[RG_MAX_SAVE_PATH];
    RG_TRY(rg_save_path(path, folder, name));
    if (!rg_path_exists(path))
        return RG_OK;
    rg_buf bytes;
    rg_buf_init(&bytes, RG_MAX_MANIFEST_BYTES);
    rg_status code = rg_file_read_all(path, RG_MAX_MANIFEST_BYTES, &bytes);
    if (code == RG_OK && (code = rg_manifest_parse(manifest, bytes.data, bytes.len)) != RG_OK)
        code = rg_context(code, "%s", path);
    rg_buf_fini(&bytes);
    return code;
}

static rg_status write_manifest(const rg_manifest *manifest, const char *folder)
{
    char aside[RG_MAX_SAVE_PATH], path[RG_MAX_SAVE_PATH];
    rg_file *file = NULL;
    rg_buf text;
    rg_status code = RG_OK;
    rg_buf_init(&text, RG_MAX_MANIFEST_BYTES);
    rg_manifest_text(manifest, &text);
    RG_TRY_GOTO(code, rg_buf_status(&text));
    RG_TRY_GOTO(code, rg_save_path(aside, folder, "." RG_MANIFEST_NAME ".new"));
    RG_TRY_GOTO(code, rg_save_path(path, folder, RG_MANIFEST_NAME));
    RG_TRY_GOTO(code, rg_file_create(&file, aside));
    RG_TRY_GOTO(code, rg_file_write(file, text.data, text.len));
    RG_TRY_GOTO(code, rg_file_finish(file));
    code = rg_rename(aside, path);
done:
    rg_file_close(file);
    rg_buf_fini(&text);
    return code;
}

static rg_status move_file(const char *from_folder, const char *to_folder, const char *name)
{
    char from[RG_MAX_SAVE_PATH], to[RG_MAX_SAVE_PATH];
    RG_TRY(rg_save_path(from, from_folder, name));
    RG_TRY(rg_save_path(to, to_folder, name));
    if (!rg_path_exists(from))
        return RG_OK;
    RG_TRY(rg_dir_make_for(to));
    return rg_rename(from, to);
}

static rg_status finish_one(const char *folder, const char *commit)
{
    rg_manifest fresh = {0}, whole = {0};
    rg_status code = RG_OK;
    RG_TRY_GOTO(code, rg_manifest_read(&fresh, commit, RG_MANIFEST_NAME));
    RG_TRY_GOTO(code, rg_manifest_read(&whole, folder, RG_MANIFEST_NAME));
    for (size_t i = 0; i < fresh.entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&fresh.entries, i);
        const rg_manifest_entry *entry = e ? e->value : NULL;
        if (entry == NULL)
            continue;
        RG_TRY_GOTO(code, move_file(commit, folder, entry->name));
        RG_TRY_GOTO(code, rg_manifest_put(&whole, entry->name, entry->size, entry->crc));
    }
    RG_TRY_GOTO(code, write_manifest(&whole, folder));
    RG_TRY_GOTO(code, rg_dir_sync(folder));
    code = rg_dir_remove(commit);
done:
    rg_manifest_fini(&fresh);
    rg_manifest_fini(&whole);
    return code;
}

static rg_status finish_entry(void *arg, const char *name)
{
    const char *folder = arg;
    char commit[RG_MAX_SAVE_PATH];
    if (strncmp(name, RG_COMMIT_PREFIX, strlen(RG_COMMIT_PREFIX)) != 0)
        return RG_OK;
    RG_TRY(rg_save_path(commit, folder, name));
    return finish_one(folder, commit);
}

rg_status rg_save_finish(const char *folder)
{
    return rg_dir_each(folder, finish_entry, (void *)(uintptr_t)folder);
}
