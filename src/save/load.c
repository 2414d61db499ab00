/* load.c - reading saved files, checked against the manifest and the program. */
#include "save/save.h"

#include "base/mem.h"
#include "save/save_priv.h"
#include "sys/file.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <string.h>

struct rg_load {
    char folder[RG_MAX_SAVE_PATH];
    rg_manifest manifest;
};

rg_status rg_load_open(rg_load **out, const char *folder)
{
    if (folder[0] == '\0')
        folder = ".";
    if (strlen(folder) >= RG_MAX_SAVE_PATH)
        return rg_fail(RG_EINVAL, "the folder name %.64s... is too long", folder);
    if (!rg_path_is_dir(folder))
        return rg_fail(RG_ENOENT, "there is no folder %s to load from", folder);
    RG_TRY(rg_save_finish(folder));
    rg_load *load = rg_alloc_zero(1, sizeof *load);
    if (load == NULL)
        return rg_no_memory(sizeof *load, "loading");
    (void)snprintf(load->folder, sizeof load->folder, "%s", folder);
    rg_status code = rg_manifest_read(&load->manifest, folder, RG_MANIFEST_NAME);
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
    rg_manifest_fini(&load->manifest);
    rg_free(load);
}

static rg_status open_file(rg_load *load, const char *name, rg_file **file)
{
    char path[RG_MAX_SAVE_PATH];
    RG_TRY(rg_path_check_inside(name));
    RG_TRY(rg_save_path(path, load->folder, name));
    RG_TRY(rg_file_open(file, path));
    const rg_manifest_entry *entry = rg_manifest_get(&load->manifest, name);
    if (entry != NULL && entry->size != rg_file_size(*file)) {
        rg_status code = rg_fail(RG_ECORRUPT,
                                 "%s has %llu bytes, and its manifest says %llu; if another "
                                 "program wrote it, remove %s/%s",
                                 path, (unsigned long long)rg_file_size(*file),
                                 (unsigned long long)entry->size, load->folder, RG_MANIFEST_NAME);
        rg_file_close(*file);
        return code;
    }
    return RG_OK;
}

static rg_status check_crc(const rg_load *load, const char *name, const rg_file *file)
{
    const rg_manifest_entry *entry = rg_manifest_get(&load->manifest, name);
    if (entry == NULL || entry->crc == rg_file_crc(file))
        return RG_OK;
    return rg_fail(RG_ECORRUPT,
                   "%s is damaged: its checksum is %08x, and its manifest says %08x; if another "
                   "program wrote it, remove %s/%s",
                   rg_file_path(file), rg_file_crc(file), entry->crc, load->folder,
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

rg_status rg_load_tensors(rg_load *load, const char *name, const rg_expected *expected, size_t n)
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

rg_status rg_load_tensor(rg_load *load, const char *name, const rg_expected *expected)
{
    return rg_load_tensors(load, name, expected, 1);
}

rg_status rg_load_bytes(rg_load *load, const char *name, size_t max_bytes, rg_buf *out)
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
