/* serve_save.c - a server writes its part of a table to its own disk: FOLDER/TABLE_SERVER, the rows
 * that there are, as SelectedRows.
 *
 * Several servers may write to one folder at a time, so there is no manifest: each file is whole
 * or not there. */
#include "dist/serve_priv.h"

#include "base/mem.h"
#include "sys/flags.h"
#include "sys/folder.h"
#include "sys/log.h"
#include "tensor/tensor_io.h"

#include <stdio.h>

enum { MAX_PATH = 2 * RG_PS_MAX_NAME + 32 };

static bool is_part(const rg_engine *s, size_t i, const char *table)
{
    return s->schema.vars[i].table && rg_ps_is_part_of(s->schema.vars[i].name, table);
}

/* All rows of the slices of the table that are here; ids are those of the whole. */
static rg_status gather_part(rg_engine *s, const char *table, rg_value *part)
{
    size_t n = 0, at = 0;
    rg_shape whole = {.rank = 0};
    for (size_t i = 0; i < s->schema.n; i++) {
        const rg_ps_var *about = &s->schema.vars[i];
        if (!is_part(s, i, table))
            continue;
        n += rg_served_size(&s->vars[i]);
        int64_t height = whole.rank > 0 ? whole.dim[0] : 0, end = about->begin + about->rows;
        whole = RG_SHAPE(end > height ? end : height, about->width);
    }
    if (whole.rank == 0)
        return rg_fail(RG_ENOENT, "this server has no part of a table %s", table);
    RG_TRY(rg_value_resize_rows(part, RG_F32, &whole, n));
    for (size_t i = 0; i < s->schema.n; i++) {
        if (!is_part(s, i, table))
            continue;
        size_t count = rg_served_size(&s->vars[i]);
        if (count > 0)
            RG_TRY(rg_served_list(&s->vars[i], part->rows + at,
                                  (float *)part->data + (int64_t)at * whole.dim[1]));
        at += count;
    }
    for (size_t i = 0; i < n; i++) /* a table may have grown over its height */
        if (part->rows[i] >= part->meta.shape.dim[0])
            part->meta.shape.dim[0] = part->rows[i] + 1;
    return RG_OK;
}

/* Where the file goes, as a name below the root. */
static rg_status place_below(int server, const rg_folder *root, const rg_ps_save *save,
                             char name[MAX_PATH])
{
    const char *folder = save->folder;
    if (folder[0] == '/' && rg_folder_rest(root, folder, &folder) != RG_OK)
        return rg_context(RG_EINVAL, "servers write below one folder, FLAGS_ps_save_root or the "
                                     "one they were started in");
    (void)snprintf(name, MAX_PATH, "%s%s%s_%d", folder, folder[0] ? "/" : "", save->table, server);
    rg_status code = rg_path_check_inside(name);
    return code == RG_OK ? RG_OK
                         : rg_context(code, "servers write below %s (FLAGS_ps_save_root)",
                                      rg_folder_path(root));
}

/* A request, from the loop to the disk. */
typedef struct saving {
    rg_server_task task;
    rg_ps_save save;
    rg_value part;
    int server;
    char who[3 * RG_RPC_NAME_MAX];
} saving;

static rg_status copy_part(rg_engine *s, rg_server_task *task)
{
    saving *job = (saving *)task;
    RG_TRY(gather_part(s, job->save.table, &job->part));
    rg_buf_u64(&task->reply, job->part.n_rows);
    return rg_buf_status(&task->reply);
}

static rg_status write_part(rg_server_task *task)
{
    saving *job = (saving *)task;
    char name[MAX_PATH];
    const char *path;
    rg_folder *root;
    const rg_value *const values[] = {&job->part};
    RG_TRY(rg_flag_text("ps_save_root", &path));
    RG_TRY(rg_folder_open(&root, path[0] ? path : "."));
    rg_status code = place_below(job->server, root, &job->save, name);
    if (code == RG_OK)
        code = rg_tensor_write_below(root, name, values, 1);
    if (code == RG_OK)
        rg_log(RG_LOG_I, "ps", "server=%d \"%s has had %s saved\" rows=%zu path=%s/%s", job->server,
               job->who, job->save.table, job->part.n_rows, rg_folder_path(root), name);
    rg_folder_close(root);
    return code;
}

static void end_saving(rg_server_task *task)
{
    saving *job = (saving *)task;
    rg_value_fini(&job->part);
    rg_ps_save_fini(&job->save);
    rg_free(job);
}

static rg_status begin_saving(saving **out, const rg_engine *s, const rg_member *trainer,
                              rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    saving *job = rg_alloc_zero(1, sizeof *job);
    if (job == NULL)
        return rg_no_memory(sizeof *job, "a save");
    job->task = (rg_server_task){
        .request = request, .copy = copy_part, .write = write_part, .close = end_saving};
    rg_buf_init(&job->task.reply, 0);
    rg_value_init(&job->part);
    job->server = s->id;
    (void)snprintf(job->who, sizeof job->who, "%s", trainer->who);
    rg_status code = rg_ps_save_read(&job->save, body, n);
    if (code != RG_OK)
        end_saving(&job->task);
    else
        *out = job;
    return code;
}

/* Who may make this process write files has shown the job's key, or is of the same user: any other
 * could have it write where only this user can. */
void rg_serve_save(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    saving *job = NULL;
    rg_status code = begin_saving(&job, s, trainer, request);
    if (code == RG_OK && !s->guarded && !rg_rpc_peer_is_own_user(rg_rpc_request_peer(request)))
        code = rg_fail(RG_EDENIED,
                       "this job has no key, so whoever reaches this server could have it write "
                       "files: start the job with a launcher, or set REGATTA_JOB_KEY everywhere "
                       "(on one host it is enough not to set FLAGS_rpc_transport=tcp)");
    if (code == RG_OK) {
        rg_serve_later(s, RG_QUEUE_DISK, &job->task);
        return;
    }
    rg_rpc_refuse(request, code, "%s", rg_error_message());
    if (job != NULL)
        end_saving(&job->task);
}
