/* serve_save.c - a server writes its part of a table to its own disk: FOLDER/TABLE_SERVER, the rows
 * that there are, as SelectedRows.
 *
 * Several servers may write to one folder at a time, so there is no manifest: each file is whole
 * or not there. */
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_tables.h"
#include "dist/serve_tasks.h"

#include "base/mem.h"
#include "sys/flags.h"
#include "sys/folder.h"
#include "sys/log.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PATH = 2 * RG_PS_MAX_NAME + 32 };

static bool is_part(const rg_engine *s, size_t i, const char *table)
{
    return s->schema.vars[i].table && rg_ps_is_part_of(s->schema.vars[i].name, table);
}

/* The rows of one slice, while they are gathered: first each shard lists its ids, then, when it is
 * known where each goes in the order of ids, copies the rows there. Rows that come in between are
 * not in it, and one that went is as it would start. */
typedef struct gathering {
    rg_spread spread;
    size_t var;
    int64_t *ids[RG_RPC_MAX_LOOPS]; /* by shard; owned */
    uint32_t *at[RG_RPC_MAX_LOOPS]; /* owned; NULL: one after the other */
    size_t n[RG_RPC_MAX_LOOPS], total;
    float *rows;         /* of the part, from this slice's first on */
    atomic_bool changed; /* rows have made steps that they had missed */
} gathering;

static void free_gathering(gathering *g)
{
    for (int k = 0; g != NULL && k < g->spread.engine->n_shards; k++) {
        rg_free(g->ids[k]);
        rg_free(g->at[k]);
    }
    rg_free(g);
}

static rg_status list_part(rg_spread *spread, rg_shard *shard)
{
    gathering *g = (gathering *)spread;
    const rg_served *var = &shard->vars[g->var];
    size_t n = rg_served_size(var);
    int64_t *ids = rg_alloc((n + 1) * sizeof *ids);
    if (ids == NULL)
        return rg_no_memory(n * sizeof *ids, "ids");
    g->ids[shard->number] = ids;
    g->n[shard->number] = n;
    return rg_served_ids(var, ids);
}

static rg_status copy_rows(rg_spread *spread, rg_shard *shard)
{
    gathering *g = (gathering *)spread;
    int k = shard->number;
    rg_served *var = &shard->vars[g->var];
    var->noticed = false;
    rg_status code = rg_served_copy(var, g->ids[k], g->at[k], g->n[k], g->rows);
    if (var->noticed)
        atomic_store(&g->changed, true);
    return code;
}

/* All ids of the slice in order, and where each shard's rows go. */
static rg_status merge_ids(gathering *g, int64_t *ids)
{
    size_t next[RG_RPC_MAX_LOOPS] = {0};
    int n_shards = g->spread.engine->n_shards;
    if (g->total > UINT32_MAX)
        return rg_fail(RG_ETOOBIG, "%zu rows in one part of a table", g->total);
    for (int k = 0; k < n_shards; k++) {
        g->at[k] = rg_alloc((g->n[k] + 1) * sizeof *g->at[k]);
        if (g->at[k] == NULL)
            return rg_no_memory(g->n[k] * sizeof *g->at[k], "the order of rows");
    }
    for (size_t i = 0; i < g->total; i++) {
        int first = -1;
        for (int k = 0; k < n_shards; k++)
            if (next[k] < g->n[k] && (first < 0 || g->ids[k][next[k]] < g->ids[first][next[first]]))
                first = k;
        ids[i] = g->ids[first][next[first]];
        g->at[first][next[first]++] = (uint32_t)i;
    }
    return RG_OK;
}

static rg_status list_slice(rg_engine *s, size_t var, gathering **out)
{
    gathering *g = rg_spread_new(s, sizeof *g);
    if (g == NULL)
        return rg_no_memory(sizeof *g, "a save");
    g->var = var;
    rg_status code = rg_spread_wait(&g->spread, rg_serve_owners(s, var), list_part);
    for (int k = 0; k < s->n_shards; k++)
        g->total += g->n[k];
    if (code != RG_OK)
        free_gathering(g);
    else
        *out = g;
    return code;
}

static rg_status copy_slice(rg_engine *s, gathering *g, int64_t *ids, float *rows)
{
    g->rows = rows;
    if (s->owners[g->var] == RG_EVERY_SHARD)
        RG_TRY(merge_ids(g, ids));
    else
        memcpy(ids, g->ids[s->owners[g->var]], g->total * sizeof *ids);
    RG_TRY(rg_spread_wait(&g->spread, rg_serve_owners(s, g->var), copy_rows));
    return g->changed ? rg_serve_note_catch_up(s, g->var, 0, -1) : RG_OK;
}

/* The slices of the table that are here; ids are those of the whole. */
static rg_status list_slices(rg_engine *s, const char *table, gathering **slices, rg_shape *whole,
                             size_t *n)
{
    for (size_t i = 0; i < s->schema.n; i++) {
        const rg_ps_var *about = &s->schema.vars[i];
        if (!is_part(s, i, table))
            continue;
        RG_TRY(list_slice(s, i, &slices[i]));
        *n += slices[i]->total;
        int64_t height = whole->rank > 0 ? whole->dim[0] : 0, end = about->begin + about->rows;
        *whole = RG_SHAPE(end > height ? end : height, about->width);
    }
    return whole->rank > 0 ? RG_OK
                           : rg_fail(RG_ENOENT, "this server has no part of a table %s", table);
}

/* All rows that there are of them. */
static rg_status gather_part(rg_engine *s, const char *table, rg_value *part)
{
    size_t n = 0, at = 0;
    rg_shape whole = {.rank = 0};
    gathering **slices = rg_alloc_zero(s->schema.n + 1, sizeof(gathering *));
    if (slices == NULL)
        return rg_no_memory(s->schema.n, "a save");
    rg_status code = list_slices(s, table, slices, &whole, &n);
    if (code == RG_OK)
        code = rg_value_resize_rows(part, RG_F32, &whole, n);
    for (size_t i = 0; i < s->schema.n; i++) {
        if (code == RG_OK && slices[i] != NULL && slices[i]->total > 0)
            code = copy_slice(s, slices[i], part->rows + at,
                              (float *)part->data + (int64_t)at * whole.dim[1]);
        at += slices[i] != NULL ? slices[i]->total : 0;
        free_gathering(slices[i]);
    }
    rg_free(slices);
    for (size_t i = 0; code == RG_OK && i < n; i++) /* a table may have grown over its height */
        if (part->rows[i] >= part->meta.shape.dim[0])
            part->meta.shape.dim[0] = part->rows[i] + 1;
    return code;
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
    rg_member *trainer;
    uint64_t at; /* which request of its trainer's script it is, ... */
    uint32_t of; /* ... of a call of so many */
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

/* Before the answer: who is told that the file is there does not ask for it again. */
static rg_status note_written(rg_engine *s, rg_server_task *task)
{
    const saving *job = (const saving *)task;
    RG_TRY(rg_serve_note_saved(s, job->trainer, job->at, job->of));
    rg_serve_wait_for_notes(s, task->request);
    return RG_OK;
}

static void end_saving(rg_server_task *task)
{
    saving *job = (saving *)task;
    rg_value_fini(&job->part);
    rg_ps_save_fini(&job->save);
    rg_free(job);
}

static rg_status begin_saving(saving **out, const rg_engine *s, rg_member *trainer,
                              rg_rpc_request *request)
{
    rg_cursor in = {.left = 0};
    rg_ps_change change;
    in.at = rg_rpc_request_body(request, &in.left);
    RG_TRY(rg_ps_change_read(&in, &change));
    saving *job = rg_alloc_zero(1, sizeof *job);
    if (job == NULL)
        return rg_no_memory(sizeof *job, "a save");
    job->task = (rg_server_task){.request = request,
                                 .copy = copy_part,
                                 .write = write_part,
                                 .written = note_written,
                                 .close = end_saving};
    rg_buf_init(&job->task.reply, 0);
    rg_value_init(&job->part);
    job->trainer = trainer;
    job->at = trainer->asked; /* its own: what comes later is not counted yet */
    job->of = change.requests;
    job->server = s->id;
    (void)snprintf(job->who, sizeof job->who, "%s", trainer->who);
    rg_status code = rg_ps_save_read(&job->save, in.at, in.left);
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
