/* save_load.c - variables to files and back, as ops of a program: save, load, save_combine and
 * load_combine. The files are those of tensor_io.h.
 *
 * A file is the old one or the new one whatever happens. Sets of files that belong together are
 * save/'s. */
#include "ops/shape_args.h"
#include "ops/types.h"
#include "sys/file.h"
#include "tensor/tensor_io.h"

#include <string.h>

enum { X };
enum { OUT };

static rg_status nothing_known(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

/* An attribute that asks for what is not here. */
static rg_status refuse(const rg_ctx *ctx, int attr)
{
    if (rg_attr_bool(ctx, attr))
        return rg_fail(RG_EUNIMPL, "%s is not implemented", ctx->op->attr[attr].value.name);
    return RG_OK;
}

static rg_status path_of(const rg_ctx *ctx, int attr, const char **path)
{
    *path = rg_attr_string(ctx, attr);
    if ((*path)[0] == '\0')
        return rg_fail(RG_EINVAL, "file_path is empty");
    return RG_OK;
}

/* ---- save, save_combine ---- */

enum { OVERWRITE, SAVE_AS_FP16, SAVE_PATH, SAVE_TO_MEMORY };

static rg_status save_kernel(rg_ctx *ctx)
{
    const char *path;
    int n = rg_n_in(ctx, X);
    RG_TRY(path_of(ctx, SAVE_PATH, &path));
    RG_TRY(refuse(ctx, SAVE_AS_FP16));
    if (!rg_attr_bool(ctx, OVERWRITE) && rg_path_exists(path))
        return rg_fail(RG_EINVAL, "%s exists, and overwrite is false", path);
    const rg_value **values = rg_scratch(ctx, ((size_t)n + 1) * sizeof *values);
    if (values == NULL)
        return RG_ENOMEM;
    for (int i = 0; i < n; i++) {
        values[i] = rg_in_n(ctx, X, i);
        if (values[i] == NULL || (values[i]->data == NULL && rg_value_bytes(values[i]) > 0))
            return rg_fail(RG_EVALUE, "%s has no value", rg_in_name(ctx, X, i));
    }
    return rg_tensor_write_file(path, values, (size_t)n);
}

static rg_status combine_kernel(rg_ctx *ctx)
{
    RG_TRY(refuse(ctx, SAVE_TO_MEMORY));
    return save_kernel(ctx);
}

/* ---- load, load_combine ---- */

enum { LOAD_AS_FP16, LOAD_PATH, SEEK, SHAPE };
enum { FROM_MEMORY = SEEK };

/* Number i of Out; seek < 0: all of the file's tensor. */
static rg_status read_one(const rg_ctx *ctx, int i, rg_source *source, int64_t seek,
                          const rg_shape *shape)
{
    rg_value *out = rg_out_n(ctx, OUT, i);
    rg_status status;
    if (out == NULL)
        return rg_fail(RG_EINVAL, "number %d of Out is empty", i);
    if (seek >= 0)
        status = rg_tensor_read_slice(source, out, seek, shape);
    else if (out->meta.kind == RG_ROWS)
        status = rg_rows_read(source, out);
    else
        status = rg_tensor_read(source, out);
    return status == RG_OK ? RG_OK : rg_context(status, "%s", rg_out_name(ctx, OUT, i));
}

static rg_status load_kernel(rg_ctx *ctx)
{
    const char *path;
    rg_shape shape;
    rg_file *file;
    RG_TRY(path_of(ctx, LOAD_PATH, &path));
    RG_TRY(refuse(ctx, LOAD_AS_FP16));
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, SHAPE), &shape));
    for (int d = 0; d < shape.rank; d++)
        if (shape.dim[d] < 0)
            return rg_fail(RG_EINVAL, "shape has %lld", (long long)shape.dim[d]);
    RG_TRY(rg_file_open(&file, path));
    rg_source source = rg_source_file(file);
    rg_status status = read_one(ctx, 0, &source, rg_attr_long(ctx, SEEK), &shape);
    rg_file_close(file);
    return status == RG_OK ? RG_OK : rg_context(status, "%s", path);
}

static rg_status read_all(const rg_ctx *ctx, rg_source *source)
{
    for (int i = 0; i < rg_n_out(ctx, OUT); i++)
        RG_TRY(read_one(ctx, i, source, -1, NULL));
    if (source->left > 0)
        return rg_fail(RG_ECORRUPT, "%llu bytes follow the last of %d variables",
                       (unsigned long long)source->left, rg_n_out(ctx, OUT));
    return RG_OK;
}

static rg_status load_combine_kernel(rg_ctx *ctx)
{
    const char *path;
    rg_file *file;
    RG_TRY(path_of(ctx, LOAD_PATH, &path));
    RG_TRY(refuse(ctx, LOAD_AS_FP16));
    RG_TRY(refuse(ctx, FROM_MEMORY));
    RG_TRY(rg_file_open(&file, path));
    rg_source source = rg_source_file(file);
    rg_status status = read_all(ctx, &source);
    rg_file_close(file);
    return status == RG_OK ? RG_OK : rg_context(status, "%s", path);
}

#define SAVE_ATTRS                                                                        \
    [OVERWRITE] = RG_BOOLEAN("overwrite", true, "replace a file that is there"),          \
    [SAVE_AS_FP16] = RG_BOOLEAN("save_as_fp16", false, "not implemented: must be false"), \
    [SAVE_PATH] = RG_REQUIRED("file_path", RG_ATTR_STRING, "the file; its folders are made")
#define LOAD_ATTRS                                                                        \
    [LOAD_AS_FP16] = RG_BOOLEAN("load_as_fp16", false, "not implemented: must be false"), \
    [LOAD_PATH] = RG_REQUIRED("file_path", RG_ATTR_STRING, "the file")

const rg_op rg_ops_save_load[] = {
    {
        .type = "save",
        .doc = "Writes a variable to a file.",
        .in = RG_SLOTS([X] = {"X", "a tensor or selected rows", RG_NO_GRAD | RG_ANY_KIND}),
        .out = RG_SLOTS([OUT] = {"kLookupTablePath", "kept for files", RG_OPTIONAL}),
        .attr = RG_ATTRS(SAVE_ATTRS),
        .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
        .infer = nothing_known,
        .kernel = save_kernel,
    },
    {
        .type = "save_combine",
        .doc = "Writes variables to one file, one behind the other.",
        .in = RG_SLOTS([X] = {"X", "tensors or selected rows",
                              RG_REPEATED | RG_NO_GRAD | RG_ANY_KIND}),
        .out = RG_SLOTS([OUT] = {"Y", "kept for files", RG_OPTIONAL}),
        .attr = RG_ATTRS(
            SAVE_ATTRS, [SAVE_TO_MEMORY] = RG_BOOLEAN("save_to_memory", false,
                                                      "not implemented: must be false")),
        .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
        .infer = nothing_known,
        .kernel = combine_kernel,
    },
    {
        .type = "load",
        .doc = "Reads a variable from a file.",
        .in = RG_SLOTS([X] = {.name = NULL}),
        .out = RG_SLOTS([OUT] = {"Out", "as the file has it"}),
        .attr = RG_ATTRS(
            LOAD_ATTRS, [SEEK] = RG_LONG("seek", -1, "the first element of a part; -1: all"),
            [SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "of that part")),
        .flags = RG_OP_DYNAMIC | RG_OP_OUTSIDE,
        .infer = nothing_known,
        .kernel = load_kernel,
    },
    {
        .type = "load_combine",
        .doc = "Reads variables from one file, all that it has.",
        .in = RG_SLOTS([X] = {.name = NULL}),
        .out = RG_SLOTS([OUT] = {"Out", "as the file has them", RG_REPEATED}),
        .attr = RG_ATTRS(LOAD_ATTRS, [FROM_MEMORY] = RG_BOOLEAN("model_from_memory", false,
                                                                "not implemented: must be false")),
        .flags = RG_OP_DYNAMIC | RG_OP_OUTSIDE,
        .infer = nothing_known,
        .kernel = load_combine_kernel,
    },
    {.type = NULL},
};
