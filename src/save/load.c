/* load.c - reading saved files, checked against the manifest and the program.
 *
 * A reader writes nothing and takes no lock, so it may meet a save that is being moved to its
 * places, or one whose process died meanwhile. What counts is the snapshot: the manifest of the
 * folder with those of decided saves laid over it. A file of such a save is read where it
 * stands, in the save's folder or, moved already, in its place. Every file that a manifest
 * names must be the one of the snapshot, by its checksum; where it is not because somebody has
 * saved since, all is read again. So what is loaded is one save, never parts of two. */
#include "save/save.h"

#include "base/mem.h"
#include "save/save_priv.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <string.h>

typedef struct snapshot {
    rg_manifest files; /* of the folder and of decided saves */
    rg_map staged;     /* name -> the decided save's folder, for files that may not be moved yet */
    rg_buf identity;   /* which manifests these were */
} snapshot;

struct rg_load {
    rg_folder *folder;
    snapshot now;
    bool unchecked; /* a file was read that no manifest names */
};

/* ---- the snapshot ---- */

enum { MOST_LOOKS = 100 }; /* who saves faster than that is met by the checks of the files */

static void snapshot_fini(snapshot *s)
{
    rg_manifest_fini(&s->files);
    rg_map_fini(&s->staged);
    rg_buf_fini(&s->identity);
}

typedef struct commit_visit {
    snapshot *snapshot;
    const rg_folder *folder;
} commit_visit;

static rg_status lay_over(snapshot *s, const char *commit, const rg_manifest *fresh)
{
    const char *kept = rg_arena_strdup(&s->files.arena, commit);
    if (kept == NULL)
        return rg_no_memory(strlen(commit), "a name");
    for (size_t i = 0; i < fresh->entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&fresh->entries, i);
        const rg_manifest_entry *entry = e ? e->value : NULL;
        if (entry == NULL)
            continue;
        RG_TRY(rg_manifest_put(&s->files, entry->name, entry->size, entry->crc));
        RG_TRY(rg_map_put(&s->staged, rg_manifest_get(&s->files, entry->name)->name, kept));
    }
    return RG_OK;
}

static rg_status add_commit(void *arg, const char *name)
{
    const commit_visit *visit = arg;
    rg_manifest fresh = {0};
    rg_folder *commit;
    uint32_t checksum;
    if (!rg_is_commit(name))
        return RG_OK;
    rg_status code = rg_folder_enter(&commit, visit->folder, name, false);
    if (code == RG_ENOENT)
        return RG_OK; /* its saver has just finished */
    RG_TRY(code);
    code = rg_commit_read(&fresh, commit, &checksum);
    if (code == RG_OK)
        code = lay_over(visit->snapshot, name, &fresh);
    rg_buf_printf(&visit->snapshot->identity, " %s %08x", name, checksum);
    rg_folder_close(commit);
    rg_manifest_fini(&fresh);
    return code;
}

static rg_status look(snapshot *s, const rg_folder *folder, uint32_t *checksum)
{
    *s = (snapshot){0};
    rg_buf_init(&s->identity, 0);
    rg_status code = rg_manifest_read(&s->files, folder, checksum);
    rg_buf_printf(&s->identity, "%08x", *checksum);
    if (code == RG_OK)
        code = rg_folder_each(folder, add_commit, &(commit_visit){s, folder});
    if (code == RG_OK)
        code = rg_buf_status(&s->identity);
    if (code != RG_OK)
        snapshot_fini(s);
    return code;
}

/* A saver that ends between the two looks, at the manifest and at the decided saves, would be seen
 * by neither; then the manifest is another one afterwards. */
static rg_status take_snapshot(snapshot *s, const rg_folder *folder)
{
    for (int tries = 0;; tries++) {
        rg_manifest again = {0};
        uint32_t before, after;
        RG_TRY(look(s, folder, &before));
        rg_status code = rg_manifest_read(&again, folder, &after);
        rg_manifest_fini(&again);
        if (code == RG_OK && (before == after || tries == MOST_LOOKS))
            return RG_OK;
        snapshot_fini(s);
        RG_TRY(code);
    }
}

/* Whether somebody has saved to the folder since. */
static bool overtaken(const rg_load *load)
{
    snapshot now;
    if (take_snapshot(&now, load->folder) != RG_OK)
        return false;
    bool differs = now.identity.len != load->now.identity.len ||
                   memcmp(now.identity.data, load->now.identity.data, now.identity.len) != 0;
    snapshot_fini(&now);
    return differs;
}

static rg_status overtaken_error(const rg_load *load)
{
    return rg_fail(RG_ESTALE, "%s was saved to while it was being loaded",
                   rg_folder_path(load->folder));
}

/* A failure to read that a save has caused is RG_ESTALE; another stays as it is. */
static rg_status explain(const rg_load *load, rg_status code)
{
    if (code == RG_OK || code == RG_ENOMEM || code == RG_ESTALE)
        return code;
    char why[2048];
    (void)snprintf(why, sizeof why, "%s", rg_error_message());
    if (overtaken(load))
        return overtaken_error(load);
    return rg_fail(code, "%s", why);
}

/* ---- opening ---- */

rg_status rg_load_open(rg_load **out, const char *folder)
{
    if (folder[0] == '\0')
        folder = ".";
    if (strlen(folder) >= RG_MAX_SAVE_PATH)
        return rg_fail(RG_EINVAL, "the folder name %.64s... is too long", folder);
    if (!rg_path_is_dir(folder))
        return rg_fail(RG_ENOENT, "there is no folder %s to load from", folder);
    rg_load *load = rg_alloc_zero(1, sizeof *load);
    if (load == NULL)
        return rg_no_memory(sizeof *load, "loading");
    rg_status code = rg_folder_open(&load->folder, folder);
    if (code == RG_OK)
        code = take_snapshot(&load->now, load->folder);
    if (code != RG_OK) {
        rg_load_close(load);
        return code;
    }
    *out = load;
    return RG_OK;
}

void rg_load_close(rg_load *load)
{
    if (load == NULL)
        return;
    snapshot_fini(&load->now);
    rg_folder_close(load->folder);
    rg_free(load);
}

rg_status rg_load_check(const rg_load *load)
{
    return load->unchecked && overtaken(load) ? overtaken_error(load) : RG_OK;
}

const char *rg_load_identity(const rg_load *load)
{
    return rg_buf_cstr(&load->now.identity);
}

rg_status rg_load_staged(const rg_load *load, rg_status (*visit)(void *arg, const char *name),
                         void *arg)
{
    for (size_t i = 0; i < load->now.staged.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&load->now.staged, i);
        if (e != NULL)
            RG_TRY(visit(arg, e->key));
    }
    return RG_OK;
}

/* In the folder of its save, or in its place. There a link may lead elsewhere: it is only read. */
static rg_status find_file(const rg_load *load, const char *name, rg_file **file)
{
    const char *commit = rg_map_get(&load->now.staged, name);
    if (commit != NULL) {
        char path[RG_MAX_SAVE_PATH];
        (void)snprintf(path, sizeof path, "%s/%s", commit, name);
        rg_status code = rg_folder_read(file, load->folder, path);
        if (code != RG_ENOENT)
            return code;
    }
    return rg_folder_read_linked(file, load->folder, name);
}

static rg_status open_file(rg_load *load, const char *name, rg_file **file)
{
    RG_TRY(find_file(load, name, file));
    const rg_manifest_entry *entry = rg_manifest_get(&load->now.files, name);
    if (entry == NULL)
        load->unchecked = true;
    if (entry == NULL || entry->size == rg_file_size(*file))
        return RG_OK;
    rg_status code = rg_fail(RG_ECORRUPT,
                             "%s has %llu bytes, and its manifest says %llu; if another "
                             "program wrote it, remove %s/%s",
                             rg_file_path(*file), (unsigned long long)rg_file_size(*file),
                             (unsigned long long)entry->size, rg_folder_path(load->folder),
                             RG_MANIFEST_NAME);
    rg_file_close(*file);
    return code;
}

static rg_status check_crc(const rg_load *load, const char *name, const rg_file *file)
{
    const rg_manifest_entry *entry = rg_manifest_get(&load->now.files, name);
    if (entry == NULL || entry->crc == rg_file_crc(file))
        return RG_OK;
    return rg_fail(RG_ECORRUPT,
                   "%s is damaged: its checksum is %08x, and its manifest says %08x; if another "
                   "program wrote it, remove %s/%s",
                   rg_file_path(file), rg_file_crc(file), entry->crc, rg_folder_path(load->folder),
                   RG_MANIFEST_NAME);
}

static rg_status check_wanted(const rg_expected *e, const rg_value *found)
{
    if (e->wanted == NULL || found->meta.kind != RG_TENSOR)
        return RG_OK;
    if (found->meta.dtype != e->wanted->dtype)
        return rg_fail(RG_ESHAPE, "it is %s, and the program wants %s",
                       rg_dtype_name(found->meta.dtype), rg_dtype_name(e->wanted->dtype));
    if (!rg_shape_fits(&found->meta.shape, &e->wanted->shape)) {
        char got[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "it has the shape %s, and the program wants %s",
                       rg_shape_text(&found->meta.shape, got),
                       rg_shape_text(&e->wanted->shape, wanted));
    }
    return RG_OK;
}

/* One tensor, into a value of its own: the target is touched when all is well. */
static rg_status read_one(rg_source *source, const rg_expected *e, rg_value *fresh)
{
    rg_status code = e->wanted != NULL && e->wanted->kind == RG_ROWS
                         ? rg_rows_read(source, fresh)
                         : rg_tensor_read(source, fresh);
    if (code == RG_OK)
        code = check_wanted(e, fresh);
    return code == RG_OK ? RG_OK : rg_context(code, "variable %s", e->name);
}

/* Each value takes over what was read; its identity and its owner's mark stay. */
static void move_in(rg_value *to, rg_value *fresh)
{
    int refs = to->refs;
    uint32_t tag = to->tag;
    rg_value_fini(to);
    *to = *fresh;
    to->refs = refs;
    to->tag = tag;
    rg_value_init(fresh);
}

/* Which variables a message about a file means. */
static rg_status name_variables(rg_status code, const rg_expected *expected, size_t n)
{
    if (code == RG_OK || n == 0)
        return code;
    return n == 1 ? rg_context(code, "variable %s", expected[0].name)
                  : rg_context(code, "variables %s ... %s", expected[0].name, expected[n - 1].name);
}

static rg_status read_tensors(rg_load *load, const char *name, const rg_expected *expected,
                              size_t n)
{
    rg_file *file;
    rg_status code = name_variables(open_file(load, name, &file), expected, n);
    if (code != RG_OK)
        return code;
    rg_value *fresh = rg_alloc(n * sizeof *fresh);
    if (fresh == NULL) {
        rg_file_close(file);
        return rg_no_memory(n * sizeof *fresh, "loading");
    }
    for (size_t i = 0; i < n; i++)
        rg_value_init(&fresh[i]);
    rg_source source = rg_source_file(file);
    for (size_t i = 0; code == RG_OK && i < n; i++)
        code = read_one(&source, &expected[i], &fresh[i]);
    if (code == RG_OK && source.left > 0)
        code = rg_fail(RG_ECORRUPT, "%llu bytes follow the last of %zu variables",
                       (unsigned long long)source.left, n);
    if (code != RG_OK)
        code = rg_context(code, "%s", rg_file_path(file));
    if (code == RG_OK)
        code = name_variables(check_crc(load, name, file), expected, n);
    for (size_t i = 0; i < n; i++) {
        if (code == RG_OK)
            move_in(expected[i].value, &fresh[i]);
        rg_value_fini(&fresh[i]);
    }
    rg_free(fresh);
    rg_file_close(file);
    return code;
}

rg_status rg_load_tensors(rg_load *load, const char *name, const rg_expected *expected, size_t n)
{
    return explain(load, read_tensors(load, name, expected, n));
}

rg_status rg_load_tensor(rg_load *load, const char *name, const rg_expected *expected)
{
    return rg_load_tensors(load, name, expected, 1);
}

static rg_status read_bytes(rg_load *load, const char *name, size_t max_bytes, rg_buf *out)
{
    rg_file *file;
    RG_TRY(open_file(load, name, &file));
    rg_status code = RG_OK;
    uint64_t size = rg_file_size(file);
    uint8_t *bytes = NULL;
    if (size > max_bytes)
        code = rg_fail(RG_ETOOBIG, "%s has %llu bytes, and at most %zu are read",
                       rg_file_path(file), (unsigned long long)size, max_bytes);
    else if ((bytes = rg_alloc((size_t)size)) == NULL)
        code = rg_no_memory((size_t)size, name);
    if (code == RG_OK)
        code = rg_file_read(file, bytes, (size_t)size);
    if (code == RG_OK)
        code = check_crc(load, name, file);
    if (code == RG_OK) {
        rg_buf_add(out, bytes, (size_t)size);
        code = rg_buf_status(out);
    }
    rg_free(bytes);
    rg_file_close(file);
    return code;
}

rg_status rg_load_bytes(rg_load *load, const char *name, size_t max_bytes, rg_buf *out)
{
    return explain(load, read_bytes(load, name, max_bytes, out));
}

/* ---- all of one save ---- */

static rg_status load_once(const char *folder, rg_status (*read)(void *arg, rg_load *load),
                           void *arg)
{
    rg_load *load = NULL;
    RG_TRY(rg_load_open(&load, folder));
    rg_status code = read(arg, load);
    if (code == RG_OK)
        code = rg_load_check(load);
    rg_load_close(load);
    return code;
}

rg_status rg_load_whole(const char *folder, rg_status (*read)(void *arg, rg_load *load), void *arg)
{
    enum { MS = 1000000, FIRST_WORD_MS = 10000, WORD_MS = 30000, MOST_MS = 64 };
    uint64_t began = rg_clock_ns(), word = FIRST_WORD_MS, pause = 1;
    for (;;) {
        rg_status code = load_once(folder, read, arg);
        uint64_t waited = (rg_clock_ns() - began) / MS;
        if (code != RG_ESTALE)
            return code;
        if (waited >= (uint64_t)rg_flag_int("save_wait_ms"))
            return rg_context(code, "given up after %llu s", (unsigned long long)waited / 1000);
        if (waited >= word) {
            rg_log(RG_LOG_W, "load",
                   "folder=%s \"it is saved to faster than it can be read\" "
                   "seconds=%llu",
                   folder, (unsigned long long)waited / 1000);
            word += WORD_MS;
        }
        RG_TRY(rg_interrupted());
        rg_clock_sleep(pause * MS);
        pause = pause < MOST_MS ? pause * 2 : MOST_MS;
    }
}
