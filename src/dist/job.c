/* job.c - joining a job, asking its servers, leaving it. */
#include "dist/job.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "dist/credentials.h"
#include "dist/in_flight.h"
#include "ir/digest.h"
#include "sys/because.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t LAST_WORDS_NS = 1000000000;

static rg_job *joined;
static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER;

rg_job *rg_job_now(void)
{
    return __atomic_load_n(&joined, __ATOMIC_ACQUIRE);
}

/* ---- waiting ---- */

/* What a server refused last: where the process ends of it, the others are told. */
static pthread_mutex_t refusing = PTHREAD_MUTEX_INITIALIZER;
static char refused[400];

static void note_refusal(const char *text)
{
    pthread_mutex_lock(&refusing);
    (void)snprintf(refused, sizeof refused, "%s", text);
    pthread_mutex_unlock(&refusing);
}

static rg_status blame(rg_status code)
{
    if (code != RG_OK)
        note_refusal(rg_error_message());
    if (code == RG_ECLOSED || code == RG_ETIMEOUT)
        rg_because_say((rg_because){.worker = false, .index = RG_BECAUSE_ANY});
    return code;
}

rg_status rg_job_answered(rg_rpc_call *call)
{
    return blame(rg_rpc_result(call));
}

rg_status rg_job_start_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n)
{
    rg_status code = RG_OK;
    for (int i = 0; i < n; i++)
        requests[i].call = NULL;
    for (int i = 0; code == RG_OK && i < n; i++) {
        const rg_rpc_ask ask = {.method = requests[i].method,
                                .flags = requests[i].flags,
                                .iov = requests[i].iov,
                                .n = requests[i].n};
        code = rg_in_flight_start(in_flight, &requests[i].call,
                                  job->servers[requests[i].server].client, &ask);
    }
    return code;
}

rg_status rg_job_finish_all(rg_in_flight *in_flight, rg_job_request *requests, int n)
{
    rg_status code = rg_in_flight_wait(in_flight);
    for (int i = 0; code == RG_OK && i < n; i++)
        code = rg_job_answered(requests[i].call);
    if (code != RG_OK)
        rg_job_close_all(requests, n);
    return code;
}

void rg_job_close_all(rg_job_request *requests, int n)
{
    for (int i = 0; i < n; i++) {
        rg_rpc_call_close(requests[i].call);
        requests[i].call = NULL;
    }
}

rg_status rg_job_ask_all(rg_job *job, rg_job_request *requests, int n)
{
    rg_in_flight in_flight;
    rg_in_flight_init(&in_flight, job);
    rg_status code = rg_job_start_all(job, &in_flight, requests, n);
    if (code == RG_OK)
        code = rg_job_finish_all(&in_flight, requests, n);
    else
        rg_job_close_all(requests, n);
    rg_in_flight_fini(&in_flight);
    return code;
}

rg_status rg_job_ask(rg_job *job, int server, uint16_t method, const rg_iov *iov, size_t n,
                     uint8_t **reply, size_t *bytes)
{
    rg_job_request request = {.server = server, .method = method, .iov = iov, .n = n};
    rg_status code = rg_job_ask_all(job, &request, 1);
    if (code == RG_OK && reply != NULL) {
        const uint8_t *body = rg_rpc_answer(request.call, bytes);
        *reply = rg_alloc(*bytes + 1);
        if (*reply == NULL)
            code = rg_no_memory(*bytes, "an answer");
        else if (*bytes > 0)
            memcpy(*reply, body, *bytes);
    }
    rg_job_close_all(&request, 1);
    return code;
}

static rg_status tell_all(rg_job *job, uint16_t method, const char *text)
{
    rg_status code = RG_OK;
    for (int i = 0; i < job->n_servers; i++) {
        rg_status each = rg_rpc_ask_once(job->servers[i].client, method,
                                         &(rg_iov){text, strlen(text)}, 1, NULL, NULL);
        code = code == RG_OK ? each : code;
    }
    return code;
}

/* ---- joining ---- */

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
                         .pid = (uint32_t)rg_process_id()};
    (void)snprintf(me->job, sizeof me->job, "%s", credentials->job);
    if (trainer >= 0)
        (void)snprintf(me->name, sizeof me->name, "trainer %d", trainer);
    else
        (void)snprintf(me->name, sizeof me->name, "a trainer without a number");
    rg_host_name(me->host, sizeof me->host);
}

static void server_told(void *user, rg_rpc_call *call)
{
    const rg_job_server *server = user;
    (void)call;
    rg_rpc_client_fail(server->client, RG_ECLOSED, server->job->lost);
}

/* A server is dead: nothing that waits for any of them has a future. The others hear of it from
 * us, so that they blame the dead one and not the trainers that go because of it. */
static void bury(rg_job *job, const rg_job_server *server, const char *how)
{
    if (!job->is_lost)
        (void)snprintf(job->lost, sizeof job->lost, "the server at %s is gone: %s",
                       rg_rpc_client_endpoint(server->client), how);
    rg_log(RG_LOG_E, "ps", "\"%s\"", job->lost);
    rg_because_say((rg_because){.worker = false, .index = server->id});
    rg_rpc_client_fail(server->client, RG_ECLOSED, job->lost);
    for (int i = 0; !job->is_lost && i < job->n_servers; i++) {
        rg_job_server *other = &job->servers[i];
        const rg_iov why = {job->lost, strlen(job->lost)};
        const rg_rpc_ask ask = {
            .method = RG_PS_FAIL, .iov = &why, .n = 1, .done = server_told, .user = other};
        if (other != server && rg_rpc_start(&other->told, other->client, &ask) != RG_OK)
            rg_rpc_client_fail(other->client, RG_ECLOSED, job->lost);
    }
    job->is_lost = true;
}

/* From the thread of the heartbeats, while we may be joining further servers, or leaving: what was
 * waiting for the dead one goes on before we have told the others. */
static void server_dead(void *user, const char *how)
{
    const rg_job_server *server = user;
    rg_job *job = server->job;
    pthread_mutex_lock(&job->news);
    if (!job->closing && server->client != NULL)
        bury(job, server, how);
    pthread_mutex_unlock(&job->news);
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

/* The first server may give us our number; the others are told it. */
static rg_status join_server(rg_job *job, int i, const char *endpoint,
                             const rg_credentials *credentials, int trainers)
{
    rg_rpc_client_config config = {.security = {.key = credentials->n_key ? credentials->key : NULL,
                                                .key_bytes = credentials->n_key},
                                   .events = {.dead = server_dead},
                                   .user = &job->servers[i]};
    job->servers[i].job = job;
    job->servers[i].id = RG_BECAUSE_ANY;
    rg_rpc_client *client;
    rg_rpc_welcome welcome;
    describe_us(&config.me, credentials, job->trainer, trainers);
    RG_TRY(rg_rpc_client_open(&client, endpoint, &config));
    show_client(job, i, client);
    RG_TRY(blame(rg_rpc_client_ready(client, &welcome)));
    pthread_mutex_lock(&job->news);
    job->servers[i].id = number_in(welcome.name);
    pthread_mutex_unlock(&job->news);
    job->trainer = welcome.trainer;
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
        (void)tell_all(job, RG_PS_FAIL, why);
        return rg_fail(code, "%s", why);
    }
    return RG_OK;
}

static void close_job(rg_job *job)
{
    pthread_mutex_lock(&job->news);
    job->closing = true;
    pthread_mutex_unlock(&job->news);
    rg_exchange_close(job);
    if (job->mode != NULL && job->mode->close != NULL)
        job->mode->close(job);
    rg_inbox_close(job);
    for (int i = 0; i < job->n_servers; i++) {
        rg_rpc_call_close(job->servers[i].told);
        rg_rpc_client_close(job->servers[i].client);
        rg_ps_schema_fini(&job->servers[i].schema);
        rg_free(job->servers[i].pulled);
        rg_free(job->servers[i].reply_at);
    }
    rg_free(job->servers);
    pthread_mutex_destroy(&job->lock);
    pthread_mutex_destroy(&job->news);
    rg_free(job);
}

static rg_status check_payload(rg_job *job)
{
    char why[128];
    if (job->payload == RG_PAYLOAD_FLOATS || job->mode->only_floats == NULL)
        return RG_OK;
    (void)snprintf(why, sizeof why, "FLAGS_rpc_payload=%s is not for %s: %s",
                   rg_payload_name(job->payload), job->mode->programs.name, job->mode->only_floats);
    (void)tell_all(job, RG_PS_FAIL, why);
    return rg_fail(RG_EUNIMPL, "%s", why);
}

static void at_exit(int status, void *arg);

/* A child takes no part in its parent's job: it neither leaves it nor fails it. */
static void forked(void)
{
    (void)pthread_mutex_init(&joining, NULL);
    __atomic_store_n(&joined, NULL, __ATOMIC_RELEASE);
}

static rg_status open_job(rg_job **out, const char *const *endpoints, int n, int trainer,
                          int trainers, const rg_job_load *loads)
{
    rg_credentials credentials;
    rg_payload payload;
    RG_TRY(rg_credentials_read(&credentials));
    RG_TRY(rg_payload_flag(&payload));
    rg_job *job = rg_alloc_zero(1, sizeof *job);
    if (job == NULL)
        return rg_no_memory(sizeof *job, "a job");
    pthread_mutex_init(&job->lock, NULL);
    pthread_mutex_init(&job->news, NULL);
    job->trainer = trainer;
    job->payload = payload;
    job->servers = rg_alloc_zero((size_t)n + 1, sizeof *job->servers);
    rg_status code = job->servers ? RG_OK : rg_no_memory(1, "servers");
    for (int i = 0; code == RG_OK && i < n; i++) {
        code = join_server(job, i, endpoints[i], &credentials, trainers);
        if (code == RG_OK && loads == NULL)
            code = read_schema(job, &job->servers[i]);
    }
    if (code == RG_OK && loads != NULL)
        code = send_loads(job, loads);
    if (code == RG_OK)
        code = check_payload(job);
    if (code != RG_OK)
        close_job(job);
    else
        *out = job;
    return code;
}

static rg_status join(const char *const *endpoints, int n, int trainer, int trainers,
                      const rg_job_load *loads)
{
    static bool registered;
    rg_status code = RG_OK;
    rg_job *job = NULL;
    pthread_mutex_lock(&joining);
    if (joined == NULL)
        code = open_job(&job, endpoints, n, trainer, trainers, loads);
    else if (loads != NULL)
        code = rg_fail(RG_EINVAL, "this process takes part in a job already: programs are sent "
                                  "before the first one is run");
    if (job != NULL) {
        if (!registered) {
            registered = on_exit(at_exit, NULL) == 0;
            rg_process_on_fork(forked);
        }
        __atomic_store_n(&joined, job, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&joining);
    return code;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All trainers have their servers in one order: they meet at the first. */
rg_status rg_job_join(const char *const *endpoints, int n, int trainer, int trainers)
{
    const char **sorted = rg_alloc_zero((size_t)n + 1, sizeof *sorted);
    if (sorted == NULL)
        return rg_no_memory((size_t)n, "servers");
    memcpy(sorted, endpoints, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    rg_status code = join(sorted, n, trainer, trainers, NULL);
    rg_free(sorted);
    return code;
}

static int by_endpoint(const void *a, const void *b)
{
    return strcmp(((const rg_job_load *)a)->endpoint, ((const rg_job_load *)b)->endpoint);
}

rg_status rg_job_join_with(rg_job_load *loads, int n, int trainer, int trainers)
{
    const char **endpoints = rg_alloc_zero((size_t)n + 1, sizeof *endpoints);
    if (endpoints == NULL)
        return rg_no_memory((size_t)n, "servers");
    qsort(loads, (size_t)n, sizeof *loads, by_endpoint);
    for (int i = 0; i < n; i++)
        endpoints[i] = loads[i].endpoint;
    rg_status code = join(endpoints, n, trainer, trainers, loads);
    rg_free(endpoints);
    return code;
}

/* ---- the program's servers ---- */

enum { MOST_SERVERS = 4096 };

typedef struct endpoints {
    const char *list[MOST_SERVERS];
    int n;
} endpoints;

static rg_status add_endpoint(endpoints *e, const char *endpoint)
{
    for (int i = 0; i < e->n; i++)
        if (strcmp(e->list[i], endpoint) == 0)
            return RG_OK;
    if (e->n == MOST_SERVERS)
        return rg_fail(RG_ETOOBIG, "the program names more than %d servers, %s the first too many",
                       MOST_SERVERS, endpoint);
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

rg_status rg_job_of(const rg_ctx *ctx, rg_job **job)
{
    *job = rg_job_now();
    if (*job != NULL)
        return RG_OK;
    const rg_program *program = ctx->desc->block->program;
    endpoints e = {.n = 0};
    int trainer = -1, trainers = 0;
    RG_TRY(find_servers(program, &e, &trainer, &trainers));
    if (e.n == 0)
        return rg_fail(RG_EINVAL, "the program names no servers");
    RG_TRY(rg_job_join(e.list, e.n, trainer, trainers));
    *job = rg_job_now();
    return *job ? RG_OK : rg_fail(RG_ECLOSED, "this process has left the job");
}

void rg_job_follow(rg_job *job, const rg_program *program)
{
    pthread_mutex_lock(&job->lock);
    if (!job->agreed)
        job->mode = rg_mode_of_trainer(job->servers_mode, program);
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

/* ---- leaving ---- */

rg_status rg_job_leave(void)
{
    pthread_mutex_lock(&joining);
    rg_job *job = joined;
    __atomic_store_n(&joined, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&joining);
    if (job == NULL)
        return RG_OK;
    rg_status code = rg_exchange_flush(job);
    rg_status told = code == RG_OK ? tell_all(job, RG_PS_LEAVE, "")
                                   : tell_all(job, RG_PS_FAIL, rg_error_message());
    close_job(job);
    return code == RG_OK ? told : code;
}

void rg_job_fail(const char *why)
{
    rg_job *job = rg_job_now();
    rg_job_request *requests = job ? rg_alloc_zero((size_t)job->n_servers, sizeof *requests) : NULL;
    rg_in_flight in_flight;
    if (requests == NULL)
        return;
    /* All that follows from a dead server has that as its cause, in the same words. */
    pthread_mutex_lock(&job->news);
    why = job->is_lost ? job->lost : why;
    pthread_mutex_unlock(&job->news);
    const rg_iov text = {why, strlen(why)};
    rg_in_flight_init(&in_flight, NULL);
    for (int i = 0; i < job->n_servers; i++)
        requests[i] = (rg_job_request){.server = i, .method = RG_PS_FAIL, .iov = &text, .n = 1};
    uint64_t until = rg_clock_ns() + LAST_WORDS_NS;
    if (rg_job_start_all(job, &in_flight, requests, job->n_servers) == RG_OK)
        while (!rg_in_flight_wait_for(&in_flight, LAST_WORDS_NS) && rg_clock_ns() < until)
            continue;
    rg_job_close_all(requests, job->n_servers);
    rg_in_flight_fini(&in_flight);
    rg_free(requests);
}

static atomic_bool ends_with_process;

void rg_job_ends_with_process(void)
{
    atomic_store(&ends_with_process, true);
}

/* A process that exits with the job still joined. */
static void at_exit(int status, void *arg)
{
    rg_job *job = rg_job_now();
    char text[512];
    (void)arg;
    if (job == NULL)
        return;
    if (status == 0) {
        if (!atomic_load(&ends_with_process))
            rg_log(RG_LOG_W, "ps",
                   "trainer=%d \"the script ended without exe.close(): the servers are told that "
                   "this trainer has finished\"",
                   job->trainer);
        (void)rg_job_leave();
        return;
    }
    pthread_mutex_lock(&refusing);
    (void)snprintf(text, sizeof text, "it exited with status %d%s%s", status,
                   refused[0] ? "; it was refused last: " : "", refused);
    pthread_mutex_unlock(&refusing);
    (void)tell_all(job, RG_PS_FAIL, text);
}

/* ---- finding ---- */

rg_status rg_job_server_at(const rg_job *job, const char *endpoint, int *server)
{
    for (int i = 0; i < job->n_servers; i++)
        if (strcmp(rg_rpc_client_endpoint(job->servers[i].client), endpoint) == 0) {
            *server = i;
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "%s is no server of this job", endpoint);
}

rg_status rg_job_find(const rg_job *job, const char *endpoint, const char *name, bool by_grad,
                      int *server, uint32_t *var)
{
    size_t n = rg_plain_length(name);
    RG_TRY(rg_job_server_at(job, endpoint, server));
    const rg_ps_schema *schema = &job->servers[*server].schema;
    for (uint32_t v = 0; v < schema->n; v++) {
        const char *there = by_grad ? schema->vars[v].grad : schema->vars[v].name;
        if (strncmp(there, name, n) == 0 && there[n] == '\0') {
            *var = v;
            return RG_OK;
        }
    }
    return rg_fail(RG_ENOENT,
                   "the server at %s does not keep %.*s: was it started with another program?",
                   endpoint, (int)n, name);
}

/* ---- whole variables ---- */

rg_status rg_job_set(rg_job *job, const char *endpoint, const char *name, const rg_value *value)
{
    rg_buf body;
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, name);
    rg_handshake_tensor_head(&body, value->meta.dtype, &value->meta.shape);
    rg_status code = rg_buf_status(&body);
    const rg_iov iov[2] = {{body.data, body.len}, {value->data, rg_value_bytes(value)}};
    if (code == RG_OK)
        code = rg_job_ask(job, server, RG_PS_SET, iov, 2, NULL, NULL);
    rg_buf_fini(&body);
    return code;
}

rg_status rg_job_shrink(rg_job *job, const char *endpoint, const char *name, int unseen,
                        uint64_t *rows)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t bytes = 0;
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, name);
    if (unseen >= 0)
        rg_buf_u32(&body, (uint32_t)unseen);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_job_ask(job, server, unseen < 0 ? RG_PS_CLEAR : RG_PS_SHRINK,
                          &(rg_iov){body.data, body.len}, 1, &reply, &bytes);
    *rows = 0;
    if (code == RG_OK && bytes == sizeof *rows)
        memcpy(rows, reply, bytes);
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}
