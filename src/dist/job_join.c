/* job_join.c - joining a job: its servers, what they keep, and the programs they are sent. */
#include "base/cursor.h"
#include "base/mem.h"
#include "rpc/credentials.h"
#include "dist/fan_out.h"
#include "dist/job_priv.h"
#include "dist/window.h"
#include "ir/digest.h"
#include "sys/because.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/process.h"
#include "watch/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the values of each variable stand in an answer with all of them. */
static rg_status lay_reply(rg_job_server *server)
{
    size_t n = server->schema.n;
    server->pulled = rg_alloc((n + 1) * sizeof *server->pulled);
    server->reply_at = rg_alloc_zero(n + 1, sizeof *server->reply_at);
    if (server->pulled == NULL || server->reply_at == NULL)
        return rg_no_memory(n, "a server's variables");
    for (uint32_t i = 0; i < n; i++) {
        const rg_ps_var *var = &server->schema.vars[i];
        if (var->table)
            continue;
        server->pulled[server->n_pulled++] = i;
        server->reply_at[i] = server->reply_bytes;
        size_t count = (size_t)(var->rows * var->width);
        server->reply_bytes += rg_payload_padded(RG_PAYLOAD_FLOATS, count, 0);
        server->half_bytes += rg_payload_padded(RG_PAYLOAD_HALVES, count, 0);
    }
    return RG_OK;
}

static rg_status read_schema(rg_job *job, rg_job_server *server)
{
    uint8_t *reply = NULL;
    size_t n;
    RG_TRY(rg_job_ask(job, (int)(server - job->servers), RG_PS_SCHEMA, NULL, 0, &reply, &n));
    rg_status code = rg_ps_schema_read(&server->schema, reply, n);
    rg_free(reply);
    RG_TRY(code);
    RG_TRY(rg_mode_find(server->schema.mode, &job->servers_mode));
    job->mode = job->servers_mode;
    job->trainers = server->schema.trainers;
    return lay_reply(server);
}

static void describe_us(rg_rpc_hello *me, const rg_credentials *credentials, int trainer,
                        int trainers)
{
    *me = (rg_rpc_hello){.role = RG_RPC_TRAINER,
                         .trainer = trainer,
                         .trainers = trainers > 0 ? (uint32_t)trainers : 0,
                         .pid = (uint32_t)rg_process_id(),
                         .incarnation = credentials->incarnation};
    (void)snprintf(me->job, sizeof me->job, "%s", credentials->job);
    if (trainer >= 0)
        (void)snprintf(me->name, sizeof me->name, "trainer %d", trainer);
    else
        (void)snprintf(me->name, sizeof me->name, "a trainer without a number");
    rg_host_name(me->host, sizeof me->host);
}

/* Now the heartbeats' thread may know of it. */
static void show_client(rg_job *job, int i, rg_rpc_client *client)
{
    pthread_mutex_lock(&job->news);
    job->servers[i].client = client;
    job->n_servers = i + 1;
    pthread_mutex_unlock(&job->news);
}

/* Of "pserver 3". */
static int number_in(const char *name)
{
    const char *digits = strncmp(name, "pserver ", 8) == 0 ? name + 8 : "";
    char *end = NULL;
    long number = strtol(digits, &end, 10);
    return end != digits && *end == '\0' && number >= 0 && number < 1 << 20 ? (int)number
                                                                            : RG_BECAUSE_ANY;
}

/* A server that has a journal is waited for when it dies. */
static uint64_t return_ms(void)
{
    int64_t seconds = rg_flag_int("ps_return_seconds");
    return seconds > 0 ? (uint64_t)seconds * 1000 : 0;
}

/* The first server may give us our number; the others are told it. */
static rg_status join_server(rg_job *job, int i, const char *endpoint,
                             const rg_credentials *credentials, int trainers)
{
    rg_rpc_client_config config = {.security = {.key = credentials->n_key ? credentials->key : NULL,
                                                .key_bytes = credentials->n_key},
                                   .method_name = rg_ps_method_name,
                                   .return_ms = return_ms(),
                                   .window = job->window,
                                   .events = {.dead = rg_job_server_dead},
                                   .user = &job->servers[i]};
    job->servers[i].job = job;
    job->servers[i].id = RG_BECAUSE_ANY;
    rg_rpc_client *client;
    rg_rpc_welcome welcome;
    describe_us(&config.me, credentials, job->trainer, trainers);
    RG_TRY(rg_rpc_client_open(&client, endpoint, &config));
    show_client(job, i, client);
    RG_TRY(rg_job_blame(job, rg_rpc_client_ready(client, &welcome)));
    pthread_mutex_lock(&job->news);
    job->servers[i].id = number_in(welcome.name);
    pthread_mutex_unlock(&job->news);
    job->trainer = welcome.trainer;
    job->servers[i].epoch = welcome.epoch;
    return RG_OK;
}

/* ---- programs for servers that have none ---- */

static rg_status pack_load(const rg_job_load *load, rg_buf *out)
{
    rg_buf startup, main;
    rg_status code = RG_OK;
    rg_buf_init(&startup, 0);
    rg_buf_init(&main, 0);
    RG_TRY_GOTO(code, rg_program_pack(load->startup, &startup));
    RG_TRY_GOTO(code, rg_program_pack(load->main, &main));
    rg_ps_load_write_head(out, startup.len, main.len);
    rg_buf_add(out, startup.data, startup.len);
    rg_buf_add(out, main.data, main.len);
    code = rg_buf_status(out);
done:
    rg_buf_fini(&startup);
    rg_buf_fini(&main);
    return code;
}

/* Server by server: large start values need not all be packed at a time. */
static rg_status send_loads(rg_job *job, const rg_job_load *loads)
{
    rg_status code = RG_OK;
    for (int i = 0; code == RG_OK && i < job->n_servers; i++) {
        rg_buf body;
        rg_buf_init(&body, 0);
        code = pack_load(&loads[i], &body);
        if (code == RG_OK)
            code = rg_job_ask(job, i, RG_PS_LOAD, &(rg_iov){body.data, body.len}, 1, NULL, NULL);
        if (code == RG_OK)
            code = read_schema(job, &job->servers[i]);
        rg_buf_fini(&body);
    }
    if (code != RG_OK) {
        char why[512];
        (void)snprintf(why, sizeof why, "it could not hand out the servers' programs: %s",
                       rg_error_message());
        (void)rg_job_tell_all(job, RG_PS_FAIL, why);
        return rg_fail(code, "%s", why);
    }
    return RG_OK;
}

static rg_status check_payload(rg_job *job)
{
    char why[128];
    if (job->payload == RG_PAYLOAD_FLOATS || job->mode->only_floats == NULL)
        return RG_OK;
    (void)snprintf(why, sizeof why, "FLAGS_rpc_payload=%s is not for %s: %s",
                   rg_payload_name(job->payload), job->mode->programs.name, job->mode->only_floats);
    (void)rg_job_tell_all(job, RG_PS_FAIL, why);
    return rg_fail(RG_EUNIMPL, "%s", why);
}

/* This trainer has done its part, and died when it had told some servers so, but not all. */
static rg_status leave_again(rg_job *job)
{
    rg_because_over();
    (void)rg_job_tell_all(job, RG_PS_LEAVE, "");
    return rg_fail(
        RG_ECLOSED,
        "trainer %d was started again after it had finished: the job is over, and nothing "
        "is left to do",
        job->trainer);
}

static rg_status connect_all(rg_job *job, const char *const *endpoints, int n, int trainer,
                             int trainers, const rg_job_load *loads)
{
    rg_credentials credentials;
    RG_TRY(rg_credentials_read(&credentials));
    RG_TRY(rg_payload_flag(&job->payload));
    RG_TRY(rg_window_open(job));
    job->trainer = trainer;
    job->servers = rg_alloc_zero((size_t)n + 1, sizeof *job->servers);
    rg_status code = job->servers ? RG_OK : rg_no_memory(1, "servers");
    bool over = false; /* one says that the job is, since an earlier process of ours has left it */
    for (int i = 0; code == RG_OK && i < n; i++) {
        code = join_server(job, i, endpoints[i], &credentials, trainers);
        over = over || code == RG_EOF;
        if (over) {
            code = code == RG_EOF ? RG_OK : code;
            continue;
        }
        if (code == RG_OK && loads == NULL)
            code = read_schema(job, &job->servers[i]);
    }
    if (over)
        return leave_again(job);
    if (code == RG_OK && loads != NULL)
        code = send_loads(job, loads);
    if (code == RG_OK)
        code = rg_job_resume(job);
    return code == RG_OK ? check_payload(job) : code;
}

static rg_status join(rg_job *job, const char *const *endpoints, int n, int trainer, int trainers,
                      const rg_job_load *loads)
{
    rg_status code = RG_OK;
    bool joined = rg_job_is_joined(job); /* a child that was forked has not */
    pthread_mutex_lock(&job->joining);
    joined = joined || atomic_load(&job->joined);
    if (!joined) {
        job->process = rg_process_id();
        rg_watch_trainer(trainer);
        code = connect_all(job, endpoints, n, trainer, trainers, loads);
        if (code == RG_OK) {
            job->term++;
            atomic_store(&job->joined, true);
        } else {
            rg_job_disconnect(job);
        }
    } else if (loads != NULL) {
        code = rg_fail(RG_EINVAL, "this trainer takes part in a job already: programs are sent "
                                  "before the first one is run");
    }
    pthread_mutex_unlock(&job->joining);
    return code;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All trainers have their servers in one order: they meet at the first. */
rg_status rg_job_join(rg_job *job, const char *const *endpoints, int n, int trainer, int trainers)
{
    const char **sorted = rg_alloc_zero((size_t)n + 1, sizeof *sorted);
    if (sorted == NULL)
        return rg_no_memory((size_t)n, "servers");
    memcpy(sorted, endpoints, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    rg_status code = join(job, sorted, n, trainer, trainers, NULL);
    rg_free(sorted);
    return code;
}

static int by_endpoint(const void *a, const void *b)
{
    return strcmp(((const rg_job_load *)a)->endpoint, ((const rg_job_load *)b)->endpoint);
}

rg_status rg_job_join_with(rg_job *job, rg_job_load *loads, int n, int trainer, int trainers)
{
    const char **endpoints = rg_alloc_zero((size_t)n + 1, sizeof *endpoints);
    if (endpoints == NULL)
        return rg_no_memory((size_t)n, "servers");
    qsort(loads, (size_t)n, sizeof *loads, by_endpoint);
    for (int i = 0; i < n; i++)
        endpoints[i] = loads[i].endpoint;
    rg_status code = join(job, endpoints, n, trainer, trainers, loads);
    rg_free(endpoints);
    return code;
}

/* ---- the program's servers ---- */

enum { MOST_SERVERS = 4096 };

typedef struct endpoints {
    const char **list;
    size_t n, capacity;
} endpoints;

static rg_status add_endpoint(endpoints *e, const char *endpoint)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->list[i], endpoint) == 0)
            return RG_OK;
    if (e->n == MOST_SERVERS)
        return rg_fail(RG_ETOOBIG, "the program names more than %d servers, %s the first too many",
                       MOST_SERVERS, endpoint);
    RG_TRY(rg_grow((void **)&e->list, e->n, &e->capacity, sizeof *e->list));
    e->list[e->n++] = endpoint;
    return RG_OK;
}

static rg_status find_servers(const rg_program *program, endpoints *e, int *trainer, int *trainers)
{
    static const char *const attrs[] = {"epmap", "endpoints"};
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        if (!rg_opdesc_is(block->ops[i], RG_OP_TALKS))
            continue;
        const rg_attr *id = rg_opdesc_attr(block->ops[i], "trainer_id");
        const rg_attr *count = rg_opdesc_attr(block->ops[i], "trainers");
        if (id != NULL)
            *trainer = id->i;
        if (count != NULL && count->type == RG_ATTR_INT)
            *trainers = count->i;
        for (size_t k = 0; k < sizeof attrs / sizeof attrs[0]; k++) {
            const rg_attr *list = rg_opdesc_attr(block->ops[i], attrs[k]);
            for (int j = 0; list != NULL && list->type == RG_ATTR_STRINGS && j < list->n; j++)
                RG_TRY(add_endpoint(e, list->strings[j]));
        }
    }
    return RG_OK;
}

rg_status rg_job_of(const rg_ctx *ctx, rg_job **out)
{
    rg_job *job = *out = ctx->run->job;
    endpoints e = {.n = 0};
    int trainer = -1, trainers = 0;
    if (job == NULL)
        return rg_fail(RG_EINVAL, "it talks to servers, and this run takes part in no job");
    if (rg_job_is_joined(job))
        return RG_OK;
    rg_status code = find_servers(ctx->desc->block->program, &e, &trainer, &trainers);
    if (code == RG_OK && e.n == 0)
        code = rg_fail(RG_EINVAL, "the program names no servers");
    if (code == RG_OK)
        code = rg_job_join(job, e.list, (int)e.n, trainer, trainers);
    rg_free(e.list);
    return code;
}

void rg_job_follow(rg_job *job, const rg_program *program)
{
    pthread_mutex_lock(&job->lock);
    const rg_mode *mode = job->agreed ? job->mode : rg_mode_of_trainer(job->servers_mode, program);
    if (mode != job->mode) /* threads that train read it without the lock */
        job->mode = mode;
    pthread_mutex_unlock(&job->lock);
}

rg_status rg_job_agree(rg_job *job, const rg_program *program)
{
    uint8_t digest[RG_DIGEST_BYTES];
    rg_status code = RG_OK;
    rg_job_follow(job, program);
    pthread_mutex_lock(&job->lock);
    bool agreed = job->agreed;
    job->agreed = true;
    pthread_mutex_unlock(&job->lock);
    if (agreed)
        return RG_OK;
    if (program->has_digest)
        memcpy(digest, program->digest, sizeof digest);
    else
        rg_program_digest(program, digest);
    for (int i = 0; code == RG_OK && i < job->n_servers; i++)
        code = rg_job_ask(job, i, RG_PS_PROGRAM, &(rg_iov){digest, sizeof digest}, 1, NULL, NULL);
    return code;
}
