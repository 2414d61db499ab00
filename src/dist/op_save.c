/* op_save.c - what servers keep, in files: recv_save, by the trainer, and checkpoint_notify, by the
 * servers themselves. */
#include "dist/exchange.h"
#include "dist/fan_out.h"

#include "base/mem.h"
#include "ops/shape_args.h"
#include "save/save.h"
#include "sys/file.h"

#include <stdlib.h>
#include <string.h>

static rg_status nothing_to_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

/* ---- recv_save ---- */

enum {
    DTYPE,
    OVERWRITE,
    FILE_PATH,
    SHAPE,
    SLICE_VARNAMES,
    REMOTE_VARNAMES,
    SLICE_SHAPES,
    ENDPOINTS,
    SAVE_TRAINER_ID,
};

/* "4,8" */
static rg_status parse_shape(const char *text, rg_shape *shape)
{
    const char *at = text;
    *shape = (rg_shape){.rank = 0};
    for (;; at++) {
        char *end;
        long long dim = strtoll(at, &end, 10);
        if (end == at || dim < 0 || (*end != ',' && *end != '\0') || shape->rank == RG_MAX_DIMS)
            return rg_fail(RG_EINVAL, "slice_shapes has '%s' where \"4,8\" or the like is wanted",
                           text);
        shape->dim[shape->rank++] = dim;
        at = end;
        if (*end == '\0')
            return RG_OK;
    }
}

static rg_status check_shape(const rg_shape *whole)
{
    for (int d = 0; d < whole->rank; d++)
        if (whole->dim[d] < 0)
            return rg_fail(RG_EINVAL, "shape has %lld", (long long)whole->dim[d]);
    return whole->rank > 0 ? RG_OK : rg_fail(RG_EINVAL, "shape is empty");
}

/* The slices, one behind the other, are the whole. */
static rg_status check_slices(const rg_ctx *ctx, const rg_shape *whole)
{
    const rg_attr *slices = rg_attr_list(ctx, SLICE_VARNAMES);
    const rg_attr *shapes = rg_attr_list(ctx, SLICE_SHAPES);
    int64_t left = whole->dim[0];
    for (int i = 0; i < slices->n; i++) {
        rg_shape slice;
        RG_TRY(parse_shape(shapes->strings[i], &slice));
        bool fits = slice.rank == whole->rank;
        for (int d = 1; fits && d < whole->rank; d++)
            fits = slice.dim[d] == whole->dim[d];
        if (!fits || slice.dim[0] > left)
            return rg_fail(RG_ESHAPE, "%s is [%s], which does not fit into the shape",
                           slices->strings[i], shapes->strings[i]);
        left -= slice.dim[0];
    }
    return left == 0 ? RG_OK
                     : rg_fail(RG_ESHAPE, "the slices have %lld rows less than the shape",
                               (long long)left);
}

static rg_status check_attrs(const rg_ctx *ctx, rg_shape *whole)
{
    int n = rg_attr_list(ctx, SLICE_VARNAMES)->n, remote = rg_attr_list(ctx, REMOTE_VARNAMES)->n;
    int shapes = rg_attr_list(ctx, SLICE_SHAPES)->n, ends = rg_attr_list(ctx, ENDPOINTS)->n;
    if (n < 1 || shapes != n || ends != n || (remote != n && remote != 0))
        return rg_fail(RG_EINVAL, "%d slices, %d names on servers, %d shapes and %d endpoints", n,
                       remote, shapes, ends);
    if (!rg_dtype_valid(rg_attr_int(ctx, DTYPE)))
        return rg_fail(RG_EINVAL, "dtype is %d", rg_attr_int(ctx, DTYPE));
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, SHAPE), whole));
    RG_TRY(check_shape(whole));
    return check_slices(ctx, whole);
}

/* Slice i from its server to its place in `whole`, which begins at *at. */
static rg_status get_slice(const rg_ctx *ctx, rg_job *job, int i, rg_value *whole, size_t *at)
{
    const rg_attr *remote = rg_attr_list(ctx, REMOTE_VARNAMES);
    const char *endpoint = rg_attr_list(ctx, ENDPOINTS)->strings[i];
    const char *name = remote->n > 0 ? remote->strings[i]
                                     : rg_attr_list(ctx, SLICE_VARNAMES)->strings[i];
    rg_shape wanted;
    rg_value slice;
    RG_TRY(parse_shape(rg_attr_list(ctx, SLICE_SHAPES)->strings[i], &wanted));
    rg_value_init(&slice);
    rg_status code = rg_job_get(job, endpoint, name, &slice);
    size_t bytes = rg_value_bytes(&slice);
    if (code == RG_OK && slice.meta.dtype != whole->meta.dtype)
        code = rg_fail(RG_EVALUE, "%s: %s is %s there, and dtype says %s", endpoint, name,
                       rg_dtype_name(slice.meta.dtype), rg_dtype_name(whole->meta.dtype));
    else if (code == RG_OK && rg_numel(&slice) != rg_shape_numel(&wanted))
        code = rg_fail(RG_ESHAPE, "%s: %s has %lld elements there, and slice_shapes says [%s]",
                       endpoint, name, (long long)rg_numel(&slice),
                       rg_attr_list(ctx, SLICE_SHAPES)->strings[i]);
    else if (code == RG_OK && bytes > 0)
        memcpy((uint8_t *)whole->data + *at, slice.data, bytes);
    *at += bytes;
    rg_value_fini(&slice);
    return code;
}

/* Through save/, as save_persistables() writes: a manifest beside the file goes on being right. */
static rg_status write_file(const char *path, const rg_value *value)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = rg_strdup(path);
    rg_save *save = NULL;
    if (folder == NULL)
        return rg_no_memory(strlen(path), "a path");
    folder[length] = '\0'; /* "" is here */
    rg_status code = rg_save_open(&save, folder);
    if (code == RG_OK)
        code = rg_save_tensor(save, base, value);
    if (code == RG_OK)
        code = rg_save_commit(save);
    rg_save_close(save);
    rg_free(folder);
    return code;
}

static rg_status recv_save(rg_ctx *ctx)
{
    const char *path = rg_attr_string(ctx, FILE_PATH);
    size_t at = 0;
    rg_shape shape;
    rg_value whole;
    rg_job *job;
    if (path[0] == '\0')
        return rg_fail(RG_EINVAL, "file_path is empty");
    if (!rg_attr_bool(ctx, OVERWRITE) && rg_path_exists(path))
        return rg_fail(RG_EINVAL, "%s exists, and overwrite is false", path);
    RG_TRY(check_attrs(ctx, &shape));
    RG_TRY(rg_job_of(ctx, &job));
    RG_TRY(rg_save_check_room(path, (uint64_t)rg_shape_numel(&shape) *
                                        rg_dtype_size((rg_dtype)rg_attr_int(ctx, DTYPE))));
    RG_TRY(rg_exchange_flush(job));
    rg_value_init(&whole);
    rg_status code = rg_value_resize(&whole, (rg_dtype)rg_attr_int(ctx, DTYPE), &shape);
    for (int i = 0; code == RG_OK && i < rg_attr_list(ctx, SLICE_VARNAMES)->n; i++)
        code = get_slice(ctx, job, i, &whole, &at);
    if (code == RG_OK)
        code = write_file(path, &whole);
    rg_value_fini(&whole);
    return code;
}

const rg_op rg_op_recv_save = {
    .type = "recv_save",
    .doc = "Get the slices of a variable from servers and save it whole.",
    .in = (const rg_slot[]){{.name = NULL}},
    .out = (const rg_slot[]){{.name = NULL}},
    .attr = RG_ATTRS([DTYPE] = RG_INT("dtype", RG_F32, "the variable's"),
                     [OVERWRITE] = RG_BOOLEAN("overwrite", true,
                                              "false: fail where the file exists"),
                     [FILE_PATH] = RG_REQUIRED("file_path", RG_ATTR_STRING,
                                               "the file; its folders are made"),
                     [SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "of the whole variable"),
                     [SLICE_VARNAMES] = RG_LIST("slice_varnames", RG_ATTR_STRINGS,
                                                "the slices, in the order of their rows"),
                     [REMOTE_VARNAMES] = RG_LIST("remote_varnames", RG_ATTR_STRINGS,
                                                 "the slices as servers name them, if otherwise"),
                     [SLICE_SHAPES] = RG_LIST("slice_shapes", RG_ATTR_STRINGS, "\"4,8\" each"),
                     [ENDPOINTS] = RG_LIST("endpoints", RG_ATTR_STRINGS, "where each slice is"),
                     [SAVE_TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer saves")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_TALKS,
    .infer = nothing_to_infer,
    .kernel = recv_save,
};

/* ---- checkpoint_notify ---- */

enum { EPMAP, DIR, LOOKUP_TABLE, NOTIFY_TRAINER_ID };

static bool keeps_part(const rg_job_server *server, const char *table)
{
    for (size_t v = 0; v < server->schema.n; v++)
        if (server->schema.vars[v].table && rg_ps_is_part_of(server->schema.vars[v].name, table))
            return true;
    return false;
}

/* The servers of epmap that keep a part of the table are asked, all at once. */
static rg_status ask_to_save(rg_ctx *ctx, rg_job *job)
{
    const rg_attr *endpoints = rg_attr_list(ctx, EPMAP);
    const char *table = rg_attr_string(ctx, LOOKUP_TABLE);
    int n = 0, server;
    rg_buf body;
    rg_job_request *requests = rg_scratch(ctx, ((size_t)endpoints->n + 1) * sizeof *requests);
    if (requests == NULL)
        return RG_ENOMEM;
    for (int i = 0; i < endpoints->n; i++) {
        RG_TRY(rg_job_server_at(job, endpoints->strings[i], &server));
        if (keeps_part(&job->servers[server], table))
            requests[n++] = (rg_job_request){.server = server, .method = RG_PS_SAVE, .n = 1};
    }
    if (n == 0)
        return rg_fail(RG_ENOENT, "no server of epmap keeps a part of a table %s", table);
    const rg_ps_change change = rg_job_change(job, (size_t)n);
    rg_buf_init(&body, 0);
    rg_ps_change_write(&body, &change);
    rg_ps_save_write(&body, rg_attr_string(ctx, DIR), table);
    const rg_iov iov = {body.data, body.len};
    for (int i = 0; i < n; i++)
        requests[i].iov = &iov;
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK) {
        code = rg_job_ask_all(job, requests, n);
        rg_job_close_all(requests, n);
    }
    rg_buf_fini(&body);
    return code;
}

static rg_status checkpoint_notify(rg_ctx *ctx)
{
    rg_job *job;
    RG_TRY(rg_job_of(ctx, &job));
    RG_TRY(rg_exchange_flush(job));
    return ask_to_save(ctx, job);
}

const rg_op rg_op_checkpoint_notify = {
    .type = "checkpoint_notify",
    .doc = "Have servers save their part of a table, each to a file of its own.",
    .in = (const rg_slot[]){{.name = NULL}},
    .out = (const rg_slot[]){{.name = NULL}},
    .attr = RG_ATTRS([EPMAP] = RG_ENDPOINTS("epmap", "the servers"),
                     [DIR] = RG_REQUIRED("dir", RG_ATTR_STRING,
                                         "where, on the servers' disks: dir/TABLE_SERVER"),
                     [LOOKUP_TABLE] = RG_REQUIRED("lookup_table", RG_ATTR_STRING, "the table"),
                     [NOTIFY_TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_TALKS,
    .infer = nothing_to_infer,
    .kernel = checkpoint_notify,
};
