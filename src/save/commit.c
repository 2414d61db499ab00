/* commit.c - moving the files of a decided save to their places.
 *
 * A folder .regatta-commit.ID holds a save that has been decided: its files and, in
 * its own manifest, their names. Each file is moved by a rename; one that is no longer
 * there has been moved already. So this may be cut short anywhere and begun again. Only
 * savers do it, who have the folder's lock; readers look into that folder (load.c). */
#include "save/save_priv.h"

#include "save/save.h"

#include "base/crc32c.h"
#include "sys/file.h"

#include <string.h>

#define MERGED RG_OWN_PREFIX "merged"

bool rg_is_commit(const char *entry)
{
    return strncmp(entry, RG_COMMIT_PREFIX, strlen(RG_COMMIT_PREFIX)) == 0;
}

rg_status rg_save_check_name(const char *name)
{
    RG_TRY(rg_path_check_inside(name));
    if (strcmp(name, RG_MANIFEST_NAME) == 0 ||
        strncmp(name, RG_OWN_PREFIX, strlen(RG_OWN_PREFIX)) == 0)
        return rg_fail(RG_EINVAL, "a variable cannot be saved in a file named %s", name);
    return RG_OK;
}

static rg_status parse(rg_manifest *manifest, rg_file *file, uint32_t *checksum)
{
    rg_buf bytes;
    rg_buf_init(&bytes, RG_MAX_MANIFEST_BYTES);
    rg_status code = rg_file_read_rest(file, RG_MAX_MANIFEST_BYTES, &bytes);
    if (code == RG_OK && (code = rg_manifest_parse(manifest, bytes.data, bytes.len)) != RG_OK)
        code = rg_context(code, "%s", rg_file_path(file));
    if (checksum != NULL)
        *checksum = rg_crc32c(0, bytes.data, bytes.len);
    rg_buf_fini(&bytes);
    return code;
}

/* May be a link, as other files of a folder that is only read. */
rg_status rg_manifest_read(rg_manifest *manifest, const rg_folder *folder, uint32_t *checksum)
{
    rg_file *file;
    if (checksum != NULL)
        *checksum = 0;
    rg_status code = rg_folder_read_linked(&file, folder, RG_MANIFEST_NAME);
    if (code == RG_ENOENT)
        return RG_OK;
    RG_TRY(code);
    code = parse(manifest, file, checksum);
    rg_file_close(file);
    return code;
}

rg_status rg_commit_read(rg_manifest *manifest, const rg_folder *commit, uint32_t *checksum)
{
    rg_file *file;
    if (checksum != NULL)
        *checksum = 0;
    rg_status code = rg_folder_read(&file, commit, RG_MANIFEST_NAME);
    if (code == RG_ENOENT)
        return RG_OK; /* it was being removed: all its files are in their places */
    RG_TRY(code);
    code = parse(manifest, file, checksum);
    for (size_t i = 0; code == RG_OK && i < manifest->entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&manifest->entries, i);
        if (e != NULL && rg_save_check_name(e->key) != RG_OK)
            code = rg_context(RG_ECORRUPT, "%s", rg_file_path(file));
    }
    rg_file_close(file);
    return code;
}

rg_status rg_manifest_write(const rg_manifest *manifest, const rg_folder *folder, const char *name)
{
    rg_file *file = NULL;
    rg_buf text;
    rg_status code = RG_OK;
    rg_buf_init(&text, RG_MAX_MANIFEST_BYTES);
    rg_manifest_text(manifest, &text);
    RG_TRY_GOTO(code, rg_buf_status(&text));
    RG_TRY_GOTO(code, rg_folder_create(&file, folder, name));
    RG_TRY_GOTO(code, rg_file_write(file, text.data, text.len));
    code = rg_file_finish(file);
done:
    rg_file_close(file);
    rg_buf_fini(&text);
    return code;
}

rg_status rg_save_sync_ways(const rg_folder *folder, const rg_manifest *manifest)
{
    const char *done = "";
    size_t done_length = 0;
    for (size_t i = 0; i < manifest->entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&manifest->entries, i);
        const char *slash = e ? strrchr(e->key, '/') : NULL;
        size_t length = slash ? (size_t)(slash - e->key) : 0;
        if (slash == NULL || (length == done_length && memcmp(e->key, done, length) == 0))
            continue; /* those of one folder stand together */
        RG_TRY(rg_folder_sync_way(folder, e->key));
        done = e->key;
        done_length = length;
    }
    return RG_OK;
}

/* Every file of the commit to its place, and into the manifest of the whole folder. */
static rg_status move_files(const rg_folder *folder, const rg_folder *commit,
                            const rg_manifest *fresh, rg_manifest *whole)
{
    for (size_t i = 0; i < fresh->entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&fresh->entries, i);
        const rg_manifest_entry *entry = e ? e->value : NULL;
        if (entry == NULL)
            continue;
        rg_status code = rg_folder_move(commit, entry->name, folder, entry->name);
        if (code != RG_OK && code != RG_ENOENT)
            return code;
        RG_TRY(rg_manifest_put(whole, entry->name, entry->size, entry->crc));
    }
    return rg_save_sync_ways(folder, fresh);
}

static rg_status finish_one(const rg_folder *folder, const char *name)
{
    rg_manifest fresh = {0}, whole = {0};
    rg_folder *commit = NULL;
    rg_status code = RG_OK;
    RG_TRY_GOTO(code, rg_folder_enter(&commit, folder, name, false));
    RG_TRY_GOTO(code, rg_commit_read(&fresh, commit, NULL));
    RG_TRY_GOTO(code, rg_manifest_read(&whole, folder, NULL));
    RG_TRY_GOTO(code, move_files(folder, commit, &fresh, &whole));
    RG_TRY_GOTO(code, rg_folder_remove(commit, MERGED)); /* of a life that was cut short */
    RG_TRY_GOTO(code, rg_manifest_write(&whole, commit, MERGED));
    RG_TRY_GOTO(code, rg_folder_move(commit, MERGED, folder, RG_MANIFEST_NAME));
    RG_TRY_GOTO(code, rg_folder_sync(folder));
    code = rg_folder_remove(folder, name);
done:
    rg_folder_close(commit);
    rg_manifest_fini(&fresh);
    rg_manifest_fini(&whole);
    return code;
}

static rg_status finish_entry(void *arg, const char *name)
{
    const rg_folder *folder = arg;
    return rg_is_commit(name) ? finish_one(folder, name) : RG_OK;
}

rg_status rg_save_finish(const rg_folder *folder)
{
    return rg_folder_each(folder, finish_entry, (void *)(uintptr_t)folder);
}
