/* save.c - writing a set of files aside, and deciding that it counts. */
#include "save/save.h"

#include "base/mem.h"
#include "save/save_priv.h"
#include "sys/file.h"
#include "sys/process.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_EACH = 64 }; /* more files than this are flushed by one call for the file system */

struct rg_save {
    char folder[RG_MAX_SAVE_PATH];
    char stage[RG_MAX_SAVE_PATH];  /* where files are written */
    char commit[RG_MAX_SAVE_PATH]; /* what the stage is renamed to when it is decided */
    rg_manifest manifest;
    size_t n_files;
    bool staged; /* the stage exists */
};

/* Stages of processes that are gone were never decided: they are removed. */
static rg_status remove_stale(void *arg, const char *name)
{
    const char *folder = arg;
    size_t length = strlen(RG_STAGE_PREFIX);
    char path[RG_MAX_SAVE_PATH];
    if (strncmp(name, RG_STAGE_PREFIX, length) != 0)
        return RG_OK;
    long pid = strtol(name + length, NULL, 10);
    if (pid > 0 && rg_process_alive(pid) && pid != rg_process_id())
        return RG_OK;
    RG_TRY(rg_save_path(path, folder, name));
    return rg_dir_remove(path);
}

rg_status rg_save_open(rg_save **out, const char *folder)
{
    if (folder[0] == '\0')
        folder = ".";
    if (strlen(folder) >= RG_MAX_SAVE_PATH - 64)
        return rg_fail(RG_EINVAL, "the folder name %.64s... is too long", folder);
    RG_TRY(rg_dir_make(folder));
    RG_TRY(rg_save_finish(folder));
    RG_TRY(rg_dir_each(folder, remove_stale, (void *)(uintptr_t)folder));
    rg_save *save = rg_alloc_zero(1, sizeof *save);
    if (save == NULL)
        return rg_no_memory(sizeof *save, "a save");
    char name[64];
    (void)snprintf(save->folder, sizeof save->folder, "%s", folder);
    (void)snprintf(name, sizeof name, RG_STAGE_PREFIX "%ld", rg_process_id());
    rg_status code = rg_save_path(save->stage, folder, name);
    (void)snprintf(name, sizeof name, RG_COMMIT_PREFIX "%ld", rg_process_id());
    if (code == RG_OK)
        code = rg_save_path(save->commit, folder, name);
    if (code == RG_OK)
        code = rg_dir_make(save->stage);
    if (code != RG_OK) {
        rg_free(save);
        return code;
    }
    save->staged = true;
    *out = save;
    return RG_OK;
}

void rg_save_close(rg_save *save)
{
    if (save == NULL)
        return;
    if (save->staged)
        (void)rg_dir_remove(save->stage);
    rg_manifest_fini(&save->manifest);
    rg_free(save);
}

/* Checks the name and creates the file in the stage. */
static rg_status begin_file(rg_save *save, const char *name, rg_file **file)
{
    char path[RG_MAX_SAVE_PATH];
    RG_TRY(rg_path_check_inside(name));
    if (strcmp(name, RG_MANIFEST_NAME) == 0)
        return rg_fail(RG_EINVAL, "a variable cannot be saved in a file named %s", name);
    RG_TRY(rg_save_path(path, save->stage, name));
    RG_TRY(rg_dir_make_for(path));
    return rg_file_create(file, path);
}

static rg_status end_file(rg_save *save, const char *name, rg_file *file, rg_status code)
{
    if (code == RG_OK)
        code = save->n_files < FLUSH_EACH ? rg_file_finish(file) : rg_file_flush(file);
    if (code == RG_OK)
        code = rg_manifest_put(&save->manifest, name, rg_file_offset(file), rg_file_crc(file));
    save->n_files++;
    rg_file_close(file);
    return code;
}

rg_status rg_save_tensor(rg_save *save, const char *name, const rg_value *value)
{
    return rg_save_tensors(save, name, &value, &name, 1);
}

rg_status rg_save_tensors(rg_save *save, const char *name, const rg_value *const *values,
                          const char *const *names, size_t n)
{
    rg_file *file;
    RG_TRY(begin_file(save, name, &file));
    rg_sink sink = rg_sink_file(file);
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < n; i++) {
        code = rg_tensor_write(&sink, values[i]);
        if (code != RG_OK)
            code = rg_context(code, "variable %s", names[i]);
    }
    return end_file(save, name, file, code);
}

rg_status rg_save_bytes(rg_save *save, const char *name, const void *bytes, size_t n)
{
    rg_file *file;
    RG_TRY(begin_file(save, name, &file));
    return end_file(save, name, file, rg_file_write(file, bytes, n));
}

static rg_status write_own_manifest(rg_save *save)
{
    char path[RG_MAX_SAVE_PATH];
    rg_file *file;
    rg_buf text;
    RG_TRY(rg_save_path(path, save->stage, RG_MANIFEST_NAME));
    RG_TRY(rg_file_create(&file, path));
    rg_buf_init(&text, RG_MAX_MANIFEST_BYTES);
    rg_manifest_text(&save->manifest, &text);
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        code = rg_file_write(file, text.data, text.len);
    if (code == RG_OK)
        code = rg_file_finish(file);
    rg_buf_fini(&text);
    rg_file_close(file);
    return code;
}

rg_status rg_save_commit(rg_save *save)
{
    RG_TRY(write_own_manifest(save));
    if (save->n_files > FLUSH_EACH)
        RG_TRY(rg_dir_sync_all(save->stage));
    RG_TRY(rg_dir_sync(save->stage));
    RG_TRY(rg_dir_remove(save->commit));
    RG_TRY(rg_rename(save->stage, save->commit)); /* decided */
    save->staged = false;
    RG_TRY(rg_dir_sync(save->folder));
    return rg_save_finish(save->folder);
}
