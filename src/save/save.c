/* save.c - writing a set of files aside, and deciding that it counts. */
#include "save/save.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "save/save_priv.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "sys/machine.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_EACH = 64 }; /* more files than this are flushed by one call for the file system */

struct rg_save {
    rg_folder *folder;
    rg_folder *stage; /* where files are written; NULL: not yet, or decided */
    rg_folder_lock *lock;
    rg_manifest manifest;
    size_t n_files;
    uint64_t bytes, start_ns, word_ns; /* written; when that is said next */
};

/* Who has the lock finds only stages of those who are gone: never decided, so removed. */
static rg_status remove_stale(void *arg, const char *name)
{
    if (strncmp(name, RG_STAGE_PREFIX, strlen(RG_STAGE_PREFIX)) != 0)
        return RG_OK;
    return rg_folder_remove(arg, name);
}

static rg_status begin(rg_save *save, const char *folder)
{
    RG_TRY(rg_dir_make(folder));
    RG_TRY(rg_folder_open(&save->folder, folder));
    RG_TRY(rg_folder_lock_open(&save->lock, save->folder, RG_LOCK_NAME,
                               (uint64_t)rg_flag_int("save_wait_ms")));
    RG_TRY(rg_save_finish(save->folder));
    RG_TRY(rg_folder_each(save->folder, remove_stale, save->folder));
    return rg_folder_make_new(&save->stage, save->folder, RG_STAGE_PREFIX);
}

rg_status rg_save_open(rg_save **out, const char *folder)
{
    if (folder[0] == '\0')
        folder = ".";
    if (strlen(folder) >= RG_MAX_SAVE_PATH - 64)
        return rg_fail(RG_EINVAL, "the folder name %.64s... is too long", folder);
    rg_save *save = rg_alloc_zero(1, sizeof *save);
    if (save == NULL)
        return rg_no_memory(sizeof *save, "a save");
    rg_status code = begin(save, folder);
    if (code != RG_OK) {
        rg_save_close(save);
        return code;
    }
    *out = save;
    return RG_OK;
}

void rg_save_close(rg_save *save)
{
    if (save == NULL)
        return;
    if (save->stage != NULL) {
        char why[2048]; /* of the failure that led here, if any: it is what counts */
        (void)snprintf(why, sizeof why, "%s", rg_error_message());
        (void)rg_folder_remove(save->folder, rg_folder_name(save->stage));
        rg_set_message("%s", why);
    }
    rg_folder_close(save->stage);
    rg_folder_lock_close(save->lock);
    rg_folder_close(save->folder);
    rg_manifest_fini(&save->manifest);
    rg_free(save);
}

rg_status rg_save_check_room(const char *folder, uint64_t bytes)
{
    uint64_t room, all;
    char wanted[RG_BYTES_TEXT], left[RG_BYTES_TEXT];
    RG_TRY(rg_disk_room(folder, &room, &all));
    if (all == 0 || bytes <= room) /* some file systems do not say */
        return RG_OK;
    return rg_fail(RG_EIO, "%s: No space left on device: the save needs %s, and %s are free",
                   folder, rg_show_bytes(bytes, wanted), rg_show_bytes(room, left));
}

/* ---- writing, with a voice ---- */

typedef struct telling {
    rg_save *save;
    rg_file *file;
    const char *name;
} telling;

static void say_how_far(const telling *t)
{
    enum { WORD_S = 10 };
    rg_save *s = t->save;
    uint64_t now = rg_clock_ns(), second = 1000 * 1000 * 1000;
    if (s->word_ns == 0) {
        s->start_ns = now;
    } else if (now < s->word_ns) {
        return;
    } else {
        rg_log(RG_LOG_W, "save", "folder=%s file=%s \"writing\" mb=%llu seconds=%llu",
               rg_folder_path(s->folder), t->name, (unsigned long long)(s->bytes >> 20),
               (unsigned long long)((now - s->start_ns) / second));
    }
    s->word_ns = now + WORD_S * second;
}

static rg_status write_piece(void *arg, const void *bytes, size_t n)
{
    enum { PIECE = 16 << 20 };
    telling *t = arg;
    for (size_t at = 0; at < n;) {
        size_t piece = n - at < PIECE ? n - at : PIECE;
        if (n > PIECE)
            RG_TRY(rg_interrupted());
        RG_TRY(rg_file_write(t->file, (const uint8_t *)bytes + at, piece));
        at += piece;
        t->save->bytes += piece;
        say_how_far(t);
    }
    return RG_OK;
}

/* Checks the name and creates the file in the stage. */
static rg_status begin_file(rg_save *save, const char *name, rg_file **file)
{
    RG_TRY(rg_save_check_name(name));
    if (rg_manifest_get(&save->manifest, name) != NULL)
        return rg_fail(RG_EINVAL, "two files of a save are named %s", name);
    return rg_folder_create(file, save->stage, name);
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
    rg_sink sink = {write_piece, &(telling){save, file, name}};
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

/* Before it is decided: a file that could not be moved would stand in every later save's way. */
static rg_status check_places(const rg_save *save)
{
    for (size_t i = 0; i < save->manifest.entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&save->manifest.entries, i);
        if (e != NULL)
            RG_TRY(rg_folder_check_place(save->folder, e->key));
    }
    return RG_OK;
}

rg_status rg_save_commit(rg_save *save)
{
    char commit[256];
    const char *id = rg_folder_name(save->stage) + strlen(RG_STAGE_PREFIX);
    RG_TRY(check_places(save));
    RG_TRY(rg_manifest_write(&save->manifest, save->stage, RG_MANIFEST_NAME));
    if (save->n_files > FLUSH_EACH)
        RG_TRY(rg_folder_sync_all(save->stage));
    RG_TRY(rg_save_sync_ways(save->stage, &save->manifest));
    RG_TRY(rg_folder_sync(save->stage));
    (void)snprintf(commit, sizeof commit, RG_COMMIT_PREFIX "%s", id);
    RG_TRY(rg_folder_move(save->folder, rg_folder_name(save->stage), save->folder, commit));
    rg_folder_close(save->stage); /* decided */
    save->stage = NULL;
    rg_status code = rg_folder_sync(save->folder);
    if (code == RG_OK)
        code = rg_save_finish(save->folder);
    return code == RG_OK ? RG_OK
                         : rg_context(code, "the save counts, but its files are not all in their "
                                            "places, where the next save will move them");
}
