/* geo_trainer.c - a trainer in geo: what its copy has changed goes to the servers, and what others
 * have changed comes back (mode_geo.c says how they are brought together). */
#include "dist/geo_trainer.h"

#include "base/hot.h"
#include "base/mem.h"
#include "dist/fan_out.h"
#include "dist/send_attrs.h"
#include "exec/plan.h"
#include "ops/shape_args.h"
#include "sys/fault.h"
#include "sys/log.h"
#include "sys/pages.h"

#include <string.h>

enum { X };
enum { AHEAD = 8 }; /* rows that are fetched before the one that is worked on */

/* A slice of a parameter. */
typedef struct geo_part {
    const char *param; /* of the arena */
    rg_value *value;   /* the whole parameter; of the scope */
    int server;
    uint32_t var;
    int64_t first, rows, width; /* rows of the whole */
    float *old;                 /* w' of these rows */
    /* What is sent lies in memory that servers of this host read where it is: */
    float *delta;  /* dense: all of it */
    int64_t *ids;  /* a table: the rows that were touched, ... */
    float *deltas; /* ... and by how much each has changed */
    size_t n, cap; /* rows of both */
} geo_part;

/* Which rows of a table were looked up since the last exchange: a bit for each. */
typedef struct touched {
    const char *table;
    uint64_t *bits;
    int64_t rows;
    bool moving; /* its optimizer moves rows without a gradient too */
} touched;

typedef struct rg_geo {
    rg_arena arena;
    geo_part *parts;
    int n_parts;
    touched *tables;
    int n_tables;
    int push_nums, trainers;
    uint64_t steps;
    bool strayed; /* steps that were not to be made again have changed the parameters */
} rg_geo;

static size_t row_bytes(const geo_part *part)
{
    return (size_t)part->width * sizeof(float);
}

/* Of `old` and `delta`: with room for the zero behind an odd number. */
static size_t dense_bytes(const geo_part *part)
{
    return (size_t)part->rows * row_bytes(part) + RG_PS_ALIGN;
}

void rg_geo_close(rg_job *job)
{
    rg_geo *g = job->mode_state;
    if (g == NULL)
        return;
    if (g->steps > 0 && g->steps < (uint64_t)g->push_nums)
        rg_log(RG_LOG_W, "ps",
               "trainer=%d steps=%llu push_nums=%d \"nothing was pushed: in geo changes go to the "
               "servers every push_nums steps, and so few were made that the servers know "
               "nothing of them\"",
               job->trainer, (unsigned long long)g->steps, g->push_nums);
    for (int i = 0; i < g->n_parts; i++) {
        geo_part *part = &g->parts[i];
        rg_pages_free(part->old, dense_bytes(part));
        rg_pages_free(part->delta, dense_bytes(part));
        rg_pages_free(part->ids, part->cap * sizeof *part->ids);
        rg_pages_free(part->deltas, part->cap * row_bytes(part) + RG_PS_ALIGN);
    }
    for (int i = 0; i < g->n_tables; i++)
        rg_free(g->tables[i].bits);
    rg_arena_free(&g->arena);
    rg_free(g);
    job->mode_state = NULL;
}

/* ---- what was touched ---- */

static touched *find_table(rg_geo *g, const char *name)
{
    for (int i = 0; i < g->n_tables; i++)
        if (strcmp(g->tables[i].table, name) == 0)
            return &g->tables[i];
    return NULL;
}

static rg_status open_table(const rg_ctx *ctx, rg_geo *g, const geo_part *part)
{
    const rg_attr *moving = rg_attr_list(ctx, RG_SEND_GEO_MOVING);
    if (find_table(g, part->param) != NULL)
        return RG_OK;
    touched *t = &g->tables[g->n_tables++];
    t->table = part->param;
    t->rows = part->value->meta.shape.dim[0];
    for (int i = 0; i < moving->n; i++)
        t->moving = t->moving || strcmp(moving->strings[i], part->param) == 0;
    t->bits = rg_alloc_zero((size_t)t->rows / 64 + 1, sizeof *t->bits);
    return t->bits ? RG_OK : rg_no_memory((size_t)t->rows / 8, "touched rows");
}

static rg_status note_ids(rg_geo *g, const char *table, const rg_value *ids)
{
    const touched *t = find_table(g, table);
    if (t == NULL)
        return rg_fail(RG_EINVAL, "%s is no table of this job", table);
    uint64_t *bits = t->bits;
    for (int64_t i = 0, n = rg_numel(ids); i < n; i++) {
        int64_t id = rg_whole_at(ids, i);
        if (id < 0 || id >= t->rows)
            return rg_fail(RG_EVALUE, "id %lld is not in %s, which has %lld rows", (long long)id,
                           table, (long long)t->rows);
        bits[(uint64_t)id / 64] |= UINT64_C(1) << (uint64_t)id % 64;
    }
    return RG_OK;
}

/* Rows that momentum or decay moved count as touched. */
static void note_moved(const geo_part *part, const touched *t)
{
    size_t bytes = (size_t)part->width * sizeof(float);
    const float *now = (const float *)part->value->data + part->first * part->width;
    for (int64_t i = 0; i < part->rows; i++)
        if (memcmp(now + i * part->width, part->old + i * part->width, bytes) != 0)
            t->bits[(part->first + i) / 64] |= UINT64_C(1) << (part->first + i) % 64;
}

/* Touched rows among first .. end - 1, ascending, into `rows`, which has room for all; how many. */
static size_t list_touched(const touched *t, int64_t first, int64_t end, int64_t *rows)
{
    size_t n = 0;
    for (int64_t word = first / 64; word * 64 < end; word++)
        for (uint64_t left = t->bits[word]; left != 0; left &= left - 1) {
            int64_t row = word * 64 + __builtin_ctzll(left);
            if (row >= first && row < end)
                rows[n++] = row;
        }
    return n;
}

/* How many, at the most. */
static size_t count_touched(const touched *t, int64_t first, int64_t end)
{
    size_t n = 0;
    for (int64_t word = first / 64; word * 64 < end; word++)
        n += (size_t)__builtin_popcountll(t->bits[word]);
    return n;
}

/* ---- the snapshot ---- */

static rg_status open_part(rg_ctx *ctx, rg_job *job, rg_geo *g, int i)
{
    geo_part *part = &g->parts[i];
    const char *endpoint = rg_attr_list(ctx, RG_SEND_EPMAP)->strings[i];
    part->param = rg_arena_strdup(&g->arena, rg_attr_list(ctx, RG_SEND_GEO_PARAMS)->strings[i]);
    if (part->param == NULL)
        return rg_no_memory(1, "a name");
    RG_TRY(rg_job_find(job, endpoint, rg_attr_list(ctx, RG_SEND_GEO_SLICES)->strings[i], false,
                       &part->server, &part->var));
    const rg_ps_var *var = &job->servers[part->server].schema.vars[part->var];
    part->first = var->begin;
    part->rows = var->rows;
    part->width = var->width;
    part->value = rg_scope_find(rg_plan_scope(ctx->run->plan), part->param);
    if (part->value == NULL || part->value->data == NULL ||
        rg_numel(part->value) < (part->first + part->rows) * part->width)
        return rg_fail(RG_EINVAL, "%s has no value to begin with", part->param);
    size_t n = (size_t)(part->rows * part->width);
    part->old = rg_pages_alloc(dense_bytes(part));
    part->delta = var->table ? NULL : rg_pages_alloc_lent(dense_bytes(part));
    if (part->old == NULL || (part->delta == NULL && !var->table))
        return rg_no_memory(n * sizeof(float), "a snapshot");
    if (part->delta != NULL)
        memset(part->delta, 0, dense_bytes(part));
    return RG_OK;
}

/* The servers' values are where all trainers begin. */
static rg_status pull_part(rg_job *job, geo_part *part)
{
    const rg_job_server *server = &job->servers[part->server];
    rg_value got;
    rg_value_init(&got);
    rg_status code = rg_job_get(job, rg_rpc_client_endpoint(server->client),
                                server->schema.vars[part->var].name, &got);
    size_t bytes = (size_t)(part->rows * part->width) * sizeof(float);
    if (code == RG_OK && rg_value_bytes(&got) != bytes)
        code = rg_fail(RG_ESHAPE, "%s has another shape on its server", part->param);
    if (code == RG_OK) {
        memcpy((float *)part->value->data + part->first * part->width, got.data, bytes);
        memcpy(part->old, got.data, bytes);
    }
    rg_value_fini(&got);
    return code;
}

static rg_status open_geo(rg_ctx *ctx, rg_job *job)
{
    int n = rg_attr_list(ctx, RG_SEND_GEO_SLICES)->n;
    if (rg_attr_list(ctx, RG_SEND_GEO_PARAMS)->n < n || rg_attr_list(ctx, RG_SEND_EPMAP)->n < n)
        return rg_fail(RG_EINVAL, "%d slices, and not as many parameters and endpoints", n);
    rg_geo_close(job);
    rg_geo *g = rg_alloc_zero(1, sizeof *g);
    if (g == NULL)
        return rg_no_memory(sizeof *g, "geo");
    job->mode_state = g;
    g->push_nums = rg_attr_int(ctx, RG_SEND_GEO_PUSH_NUMS) > 0
                       ? rg_attr_int(ctx, RG_SEND_GEO_PUSH_NUMS)
                       : 100;
    g->trainers = rg_attr_int(ctx, RG_SEND_GEO_TRAINERS) > 0
                      ? rg_attr_int(ctx, RG_SEND_GEO_TRAINERS)
                      : 1;
    g->parts = rg_arena_zero(&g->arena, (size_t)n * sizeof *g->parts);
    g->tables = rg_arena_zero(&g->arena, (size_t)n * sizeof *g->tables);
    if (g->parts == NULL || g->tables == NULL)
        return rg_no_memory((size_t)n, "geo");
    for (int i = 0; i < n; i++) {
        g->n_parts = i + 1;
        RG_TRY(open_part(ctx, job, g, i));
        RG_TRY(pull_part(job, &g->parts[i]));
        if (g->parts[i].delta == NULL)
            RG_TRY(open_table(ctx, g, &g->parts[i]));
    }
    return RG_OK;
}

/* ---- the exchange ---- */

RG_HOT static void differ(const float *now, float *old, float *delta, float by, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        delta[i] = (now[i] - old[i]) * by;
        old[i] += delta[i];
    }
}

RG_HOT static void join(float *now, float *old, const float *server, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        now[i] += server[i] - old[i];
        old[i] = server[i];
    }
}

/* One server's push: all its dense parts, and the touched rows of its tables. */
typedef struct geo_push {
    rg_buf head;
    rg_iov *iov;
    size_t n_iov;
} geo_push;

static float *value_at(const geo_part *part, int64_t row)
{
    return (float *)part->value->data + (part->first + row) * part->width;
}

static void fetch_row(const geo_part *part, int64_t row)
{
    __builtin_prefetch(value_at(part, row), 1);
    __builtin_prefetch(value_at(part, row + 1) - 1, 1);
    __builtin_prefetch(part->old + row * part->width, 1);
    __builtin_prefetch(part->old + (row + 1) * part->width - 1, 1);
}

static rg_status make_room(geo_part *part, size_t n)
{
    if (n <= part->cap)
        return RG_OK;
    rg_pages_free(part->ids, part->cap * sizeof *part->ids);
    rg_pages_free(part->deltas, part->cap * row_bytes(part) + RG_PS_ALIGN);
    part->cap = n + n / 4;
    part->ids = rg_pages_alloc_lent(part->cap * sizeof *part->ids);
    part->deltas = rg_pages_alloc_lent(part->cap * row_bytes(part) + RG_PS_ALIGN);
    return part->ids && part->deltas ? RG_OK : rg_no_memory(n * row_bytes(part), "rows");
}

/* The touched rows and their differences. */
static rg_status find_deltas(geo_part *part, const touched *t, float by)
{
    int64_t end = part->first + part->rows;
    if (t->moving)
        note_moved(part, t);
    RG_TRY(make_room(part, count_touched(t, part->first, end)));
    part->n = list_touched(t, part->first, end, part->ids);
    for (size_t i = 0; i < part->n; i++) {
        int64_t row = part->ids[i] - part->first;
        if (i + AHEAD < part->n)
            fetch_row(part, part->ids[i + AHEAD] - part->first);
        differ(value_at(part, row), part->old + row * part->width,
               part->deltas + (int64_t)i * part->width, by, part->width);
    }
    memset((uint8_t *)part->deltas + part->n * row_bytes(part), 0, RG_PS_ALIGN);
    return RG_OK;
}

static rg_status fill_push(rg_job *job, rg_geo *g, int server, geo_push *push)
{
    size_t n = (size_t)g->n_parts;
    uint32_t *dense = rg_alloc((n + 1) * sizeof *dense),
             *tables = rg_alloc((n + 1) * sizeof *tables);
    uint32_t *counts = rg_alloc((n + 1) * sizeof *counts), n_dense = 0, n_tables = 0;
    float by = 1.0f / (float)g->trainers;
    push->iov = rg_alloc((2 * n + 2) * sizeof *push->iov);
    push->n_iov = 1;
    rg_status code = dense && tables && counts && push->iov ? RG_OK : rg_no_memory(n, "a push");
    for (int i = 0; code == RG_OK && i < g->n_parts; i++) {
        geo_part *part = &g->parts[i];
        if (part->server != server || part->delta == NULL)
            continue;
        int64_t elements = part->rows * part->width;
        differ(value_at(part, 0), part->old, part->delta, by, elements);
        push->iov[push->n_iov++] = (rg_iov){part->delta,
                                            rg_ps_padded((size_t)elements * sizeof(float))};
        dense[n_dense++] = part->var;
    }
    for (int i = 0; code == RG_OK && i < g->n_parts; i++) {
        geo_part *part = &g->parts[i];
        if (part->server != server || part->delta != NULL)
            continue;
        code = find_deltas(part, find_table(g, part->param), by);
        tables[n_tables] = part->var;
        counts[n_tables++] = (uint32_t)part->n;
        push->iov[push->n_iov++] = (rg_iov){part->ids, part->n * sizeof *part->ids};
        push->iov[push->n_iov++] = (rg_iov){part->deltas, rg_ps_padded(part->n * row_bytes(part))};
    }
    if (code == RG_OK) {
        rg_job_server *to = &job->servers[server];
        rg_push_write_head(&push->head, to->pushes++, dense, n_dense, tables, counts, n_tables,
                           dense, n_dense);
        rg_push_sign(&push->head, 0, to->taken, g->steps);
        to->taken = false;
        push->iov[0] = (rg_iov){push->head.data, push->head.len};
        code = rg_buf_status(&push->head);
    }
    rg_free(dense);
    rg_free(tables);
    rg_free(counts);
    return code;
}

static geo_part *part_of(rg_geo *g, int server, uint32_t var)
{
    for (int i = 0; i < g->n_parts; i++)
        if (g->parts[i].server == server && g->parts[i].var == var)
            return &g->parts[i];
    return NULL;
}

/* The answer: dense values in the order of the push, then rows that changed. */
static rg_status take_answer(rg_geo *g, int server, const uint8_t *body, size_t bytes)
{
    size_t at = 0;
    for (int i = 0; i < g->n_parts; i++) {
        geo_part *part = &g->parts[i];
        if (part->server != server || part->delta == NULL)
            continue;
        size_t n = rg_ps_padded((size_t)(part->rows * part->width) * sizeof(float));
        if (n > bytes - at)
            return rg_fail(RG_ECORRUPT, "the answer ends before %s", part->param);
        join(value_at(part, 0), part->old, (const float *)(const void *)(body + at),
             part->rows * part->width);
        at += n;
    }
    while (at < bytes) {
        uint32_t head[2];
        if (bytes - at < sizeof head)
            return rg_fail(RG_ECORRUPT, "the answer ends in a head");
        memcpy(head, body + at, sizeof head);
        at += sizeof head;
        geo_part *part = part_of(g, server, head[0]);
        size_t ids = (size_t)head[1] * sizeof(int64_t);
        size_t rows = part ? (size_t)head[1] * (size_t)part->width * sizeof(float) : 0;
        if (part == NULL || ids > bytes - at || rg_ps_padded(rows) > bytes - at - ids)
            return rg_fail(RG_ECORRUPT, "the answer has %u rows of variable %u", head[1], head[0]);
        const int64_t *id = (const int64_t *)(const void *)(body + at);
        const float *row = (const float *)(const void *)(body + at + ids);
        for (uint32_t i = 0; i < head[1]; i++) {
            int64_t k = id[i] - part->first;
            if (k < 0 || k >= part->rows)
                return rg_fail(RG_ECORRUPT, "row %lld is not of this part", (long long)id[i]);
            if (i + AHEAD < head[1] &&
                (uint64_t)(id[i + AHEAD] - part->first) < (uint64_t)part->rows)
                fetch_row(part, id[i + AHEAD] - part->first);
            join(value_at(part, k), part->old + k * part->width, row + (int64_t)i * part->width,
                 part->width);
        }
        at += ids + rg_ps_padded(rows);
    }
    return RG_OK;
}

static rg_status exchange(rg_job *job, rg_geo *g)
{
    geo_push *pushes = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *pushes);
    rg_job_request *requests = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *requests);
    rg_status code = pushes && requests ? RG_OK : rg_no_memory(1, "an exchange");
    for (int i = 0; i < g->n_parts; i++)
        rg_value_settle(g->parts[i].value); /* an optimizer may be late with rows nobody reads */
    for (int s = 0; code == RG_OK && s < job->n_servers; s++) {
        rg_buf_init(&pushes[s].head, 0);
        code = fill_push(job, g, s, &pushes[s]);
        requests[s] = (rg_job_request){
            .server = s, .method = RG_PS_PUSH, .iov = pushes[s].iov, .n = pushes[s].n_iov};
    }
    (void)rg_fault("geo.push");
    if (code == RG_OK)
        code = rg_job_ask_all(job, requests, job->n_servers);
    (void)rg_fault("geo.answered");
    for (int s = 0; code == RG_OK && s < job->n_servers; s++) {
        size_t bytes;
        const uint8_t *body = rg_rpc_answer(requests[s].call, &bytes);
        code = take_answer(g, s, body, bytes);
        job->servers[s].taken = code == RG_OK;
    }
    for (int s = 0; pushes && requests && s < job->n_servers; s++) {
        rg_free(pushes[s].iov);
        rg_buf_fini(&pushes[s].head);
    }
    if (requests != NULL)
        rg_job_close_all(requests, job->n_servers);
    rg_free(pushes);
    rg_free(requests);
    for (int i = 0; i < g->n_tables; i++)
        memset(g->tables[i].bits, 0, ((size_t)g->tables[i].rows / 64 + 1) * sizeof(uint64_t));
    return code;
}

static bool replays(const rg_job *job, const rg_geo *g)
{
    return g->steps < rg_job_resumed(job, 0).position;
}

/* A step that an earlier process of this trainer has made and pushed, and that was made here once
 * more or passed over. What those that were made have changed is undone behind the last. */
static void count_replayed(const rg_job *job, rg_geo *g)
{
    g->steps++;
    if (replays(job, g) || !g->strayed)
        return;
    g->strayed = false;
    for (int i = 0; i < g->n_parts; i++) {
        geo_part *part = &g->parts[i];
        rg_value_settle(part->value);
        memcpy(value_at(part, 0), part->old, (size_t)part->rows * row_bytes(part));
    }
    for (int i = 0; i < g->n_tables; i++)
        memset(g->tables[i].bits, 0, ((size_t)g->tables[i].rows / 64 + 1) * sizeof(uint64_t));
}

bool rg_geo_skip(rg_job *job, bool counts)
{
    pthread_mutex_lock(&job->lock);
    rg_geo *g = job->mode_state;
    bool skips = g != NULL && replays(job, g);
    if (skips && counts)
        count_replayed(job, g);
    pthread_mutex_unlock(&job->lock);
    return skips;
}

rg_status rg_geo_send(rg_ctx *ctx, rg_job *job)
{
    const rg_attr *names = rg_attr_list(ctx, RG_SEND_VARNAMES);
    rg_status code = RG_OK;
    if (rg_attr_list(ctx, RG_SEND_GEO_SLICES)->n == 0)
        return rg_fail(RG_EINVAL, "the servers are of geo mode, and the trainer's program sends "
                                  "gradients: it is of another");
    pthread_mutex_lock(&job->lock);
    if (names->n == 1 && strcmp(names->strings[0], "param_init") == 0) {
        code = open_geo(ctx, job);
        pthread_mutex_unlock(&job->lock);
        return code;
    }
    rg_geo *g = job->mode_state;
    if (g == NULL)
        code = rg_fail(RG_EINVAL, "the startup program has not been run: in geo mode it is "
                                  "fleet.startup_program");
    for (int i = 0; code == RG_OK && i < rg_n_in(ctx, X) && i < names->n; i++)
        code = note_ids(g, names->strings[i], rg_in_n(ctx, X, i));
    if (code == RG_OK && replays(job, g)) {
        g->strayed = true;
        count_replayed(job, g);
    } else if (code == RG_OK && ++g->steps % (uint64_t)g->push_nums == 0) {
        code = exchange(job, g);
    }
    pthread_mutex_unlock(&job->lock);
    return code;
}
