/* job_env.c - the environment of a job, read from the variables of every generation. */
#include "sys/job_env.h"

#include "sys/host.h"
#include "sys/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENDPOINTS = 65536, MAX_HOST = 255 };

/* Where only addresses are given: as the guides say. */
#define DEFAULT_PORT "6174"

static const char *const names[] = {
    "PADDLE_TRAINING_ROLE",
    "TRAINING_ROLE",
    "PADDLE_TRAINERS_NUM",
    "PADDLE_TRAINERS",
    "PADDLE_TRAINER_ID",
    "TRAINER_ID",
    "PADDLE_PSERVERS_IP_PORT_LIST",
    "PADDLE_PSERVER_IPS",
    "PADDLE_PSERVER_PORT",
    "PADDLE_PORT",
    "PSERVERS",
    "SERVER_ENDPOINT",
    "PADDLE_CURRENT_IP",
    "POD_IP",
    "PADDLE_CURRENT_ENDPOINT",
    "PADDLE_TRAINER_ENDPOINTS",
    "PADDLE_PSERVER_ID",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "REGATTA_JOB_ID",
    "REGATTA_JOB_KEY",
    "REGATTA_RUN_DIR",
    "REGATTA_LOG_DIR",
    "REGATTA_BECAUSE",
    "REGATTA_INCARNATION",
};

const char *const *rg_job_env_names(int *n)
{
    *n = (int)(sizeof names / sizeof names[0]);
    return names;
}

typedef struct reader {
    rg_job_env *env;
    rg_env_lookup lookup;
    void *arg;
    bool no_memory; /* for a copy: what was read says less than the environment */
} reader;

/* NULL where it is not set or empty; a copy, since a lookup may reuse its memory. */
static const char *get(reader *r, const char *name)
{
    const char *value = r->lookup(r->arg, name);
    if (value == NULL || value[0] == '\0')
        return NULL;
    value = rg_arena_strdup(&r->env->arena, value);
    r->no_memory = r->no_memory || value == NULL;
    return value;
}

static rg_status contradiction(const char *what, const char *a, const char *a_value, const char *b,
                               const char *b_value)
{
    if (a_value == NULL || b_value == NULL)
        return rg_fail(RG_ENOMEM, "no memory for the environment of the job");
    return rg_fail(RG_EINVAL,
                   "%s and %s contradict each other about %s: %s=%s, %s=%s; unset one of them", a,
                   b, what, a, a_value, b, b_value);
}

static const char *join(reader *r, const char *a, const char *between, const char *b)
{
    size_t n = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = rg_arena_alloc(&r->env->arena, n);
    if (text != NULL)
        (void)snprintf(text, n, "%s%s%s", a, between, b);
    return text;
}

/* ---- numbers and the role ---- */

static bool whole(const char *text, long min, long max, int *out)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < min || value > max)
        return false;
    *out = (int)value;
    return true;
}

/* The number that variables `a` and `b` (NULL: one variable) agree on. */
static rg_status read_number(reader *r, const char *what, const char *a, const char *b, long min,
                             long max, int *out, const char **from)
{
    const char *variable[2] = {a, b};
    for (int i = 0; i < 2 && variable[i] != NULL; i++) {
        int value;
        const char *text = get(r, variable[i]);
        if (text == NULL)
            continue;
        if (!whole(text, min, max, &value))
            return rg_fail(RG_EINVAL, "%s=%s: it must be a whole number from %ld to %ld",
                           variable[i], text, min, max);
        if (*from != NULL && *out != value)
            return contradiction(what, *from, get(r, *from), variable[i], text);
        if (*from == NULL) {
            *out = value;
            *from = variable[i];
        }
    }
    return RG_OK;
}

static rg_status read_role(reader *r)
{
    static const char *const variable[2] = {"PADDLE_TRAINING_ROLE", "TRAINING_ROLE"};
    rg_job_env *env = r->env;
    for (int i = 0; i < 2; i++) {
        const char *text = get(r, variable[i]);
        if (text == NULL)
            continue;
        rg_job_role role = strcmp(text, "TRAINER") == 0   ? RG_JOB_TRAINER
                           : strcmp(text, "PSERVER") == 0 ? RG_JOB_SERVER
                                                          : RG_JOB_NONE;
        if (role == RG_JOB_NONE)
            return rg_fail(RG_EINVAL, "%s=%s: it must be TRAINER or PSERVER", variable[i], text);
        if (env->role_from != NULL && env->role != role)
            return contradiction("the role", env->role_from, get(r, env->role_from), variable[i],
                                 text);
        if (env->role_from == NULL) {
            env->role = role;
            env->role_from = variable[i];
        }
    }
    return RG_OK;
}

static rg_status read_trainers(reader *r)
{
    rg_job_env *env = r->env;
    const char *hosts = get(r, "PADDLE_TRAINERS");
    /* PaddleCloud puts the addresses of its nodes there, not their number. */
    bool list = hosts != NULL && strpbrk(hosts, ",.:") != NULL;
    RG_TRY(read_number(r, "the number of trainers", "PADDLE_TRAINERS_NUM",
                       list ? NULL : "PADDLE_TRAINERS", 1, 1000000, &env->trainers,
                       &env->trainers_from));
    RG_TRY(read_number(r, "the trainer's number", "PADDLE_TRAINER_ID", "TRAINER_ID", 0, 999999,
                       &env->trainer_id, &env->trainer_id_from));
    if (env->trainers_from != NULL && env->trainer_id_from != NULL && env->role != RG_JOB_SERVER &&
        env->trainer_id >= env->trainers)
        return rg_fail(RG_EINVAL, "%s=%d, and %s=%d: trainers are numbered from 0 to %d",
                       env->trainer_id_from, env->trainer_id, env->trainers_from, env->trainers,
                       env->trainers - 1);
    return RG_OK;
}

/* ---- endpoints ---- */

/* A name or an address, and nothing that a resolver, a log or a terminal would stumble over. */
static bool is_host(const char *host)
{
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:%";
    return host[0] != '\0' && host[strspn(host, good)] == '\0';
}

/* Host and port of "host:port" or "[IPv6]:port". */
static bool split_endpoint(const char *endpoint, char host[MAX_HOST + 1], int *port)
{
    const char *colon = strrchr(endpoint, ':');
    if (colon == NULL || colon == endpoint || !whole(colon + 1, 1, 65535, port))
        return false;
    size_t n = (size_t)(colon - endpoint);
    if (endpoint[0] == '[' && n > 2 && endpoint[n - 1] == ']') {
        endpoint++;
        n -= 2;
    } else if (memchr(endpoint, ':', n) != NULL) {
        return false;
    }
    if (n == 0 || n > MAX_HOST)
        return false;
    memcpy(host, endpoint, n);
    host[n] = '\0';
    return is_host(host);
}

static bool host_same(const char *a, const char *b)
{
    char of_a[RG_ADDRESS_TEXT], of_b[RG_ADDRESS_TEXT];
    return strcmp(a, b) == 0 || (rg_host_resolve(a, of_a) == RG_OK &&
                                 rg_host_resolve(b, of_b) == RG_OK && strcmp(of_a, of_b) == 0);
}

bool rg_endpoint_same(const char *a, const char *b)
{
    char host_a[MAX_HOST + 1], host_b[MAX_HOST + 1];
    int port_a, port_b;
    if (strcmp(a, b) == 0)
        return true;
    return split_endpoint(a, host_a, &port_a) && split_endpoint(b, host_b, &port_b) &&
           port_a == port_b && host_same(host_a, host_b);
}

/* The comma list in `text`; each with `port` (NULL: as it is) and checked. */
static rg_status split_list(reader *r, const char *variable, const char *text, const char *port,
                            const char ***out, int *n_out)
{
    int n = 1;
    char host[MAX_HOST + 1];
    for (const char *at = text; *at != '\0'; at++)
        n += *at == ',';
    if (n > MAX_ENDPOINTS)
        return rg_fail(RG_ETOOBIG, "%s has %d entries, and at most %d are read", variable, n,
                       MAX_ENDPOINTS);
    const char **list = rg_arena_alloc(&r->env->arena, (size_t)n * sizeof *list);
    for (int i = 0, number; list != NULL && i < n; i++) {
        size_t length = strcspn(text, ",");
        const char *item = rg_arena_strndup(&r->env->arena, text, length);
        if (item != NULL && port != NULL)
            item = join(r, item, ":", port);
        if (item == NULL)
            return rg_fail(RG_ENOMEM, "no memory for the list of %s", variable);
        if (!split_endpoint(item, host, &number))
            return rg_fail(RG_EINVAL, "%s: '%s' is not %s", variable, item,
                           port ? "a host and a port" : "host:port");
        for (int k = 0; k < i; k++)
            if (strcmp(list[k], item) == 0)
                return rg_fail(RG_EINVAL, "%s has %s twice", variable, item);
        list[i] = item;
        text += length + (text[length] == ',');
    }
    if (list == NULL)
        return rg_fail(RG_ENOMEM, "no memory for the list of %s", variable);
    *out = list;
    *n_out = n;
    return RG_OK;
}

static bool lists_same(const char **a, int n_a, const char **b, int n_b)
{
    bool same = n_a == n_b;
    for (int i = 0; same && i < n_a; i++)
        same = rg_endpoint_same(a[i], b[i]);
    return same;
}

/* Takes a list of servers, or compares it with the one that is there. */
static rg_status take_servers(reader *r, const char *variable, const char *text, const char *port)
{
    rg_job_env *env = r->env;
    const char **list;
    int n;
    RG_TRY(split_list(r, variable, text, port, &list, &n));
    if (env->servers_from == NULL) {
        env->servers = list;
        env->n_servers = n;
        env->servers_from = variable;
        return RG_OK;
    }
    if (lists_same(env->servers, env->n_servers, list, n))
        return RG_OK;
    return contradiction("the servers", env->servers_from, get(r, env->servers_from), variable,
                         port ? join(r, text, " with port ", port) : text);
}

static rg_status read_port(reader *r, const char **port, const char **from)
{
    const char *a = get(r, "PADDLE_PSERVER_PORT"), *b = get(r, "PADDLE_PORT");
    int number;
    if (a != NULL && b != NULL && strcmp(a, b) != 0)
        return contradiction("the servers' port", "PADDLE_PSERVER_PORT", a, "PADDLE_PORT", b);
    *port = a ? a : b;
    *from = a ? "PADDLE_PSERVER_PORT" : b ? "PADDLE_PORT" : NULL;
    if (*port != NULL && !whole(*port, 1, 65535, &number))
        return rg_fail(RG_EINVAL, "%s=%s: it must be a port, from 1 to 65535", *from, *port);
    return RG_OK;
}

/* Children of our own launcher have each style complete, and the styles name the same servers
 * differently (one host, so either one address or one port): the first one counts. */
static bool by_our_launcher(const reader *r)
{
    return r->env->job_id != NULL && r->env->servers_from != NULL;
}

static rg_status read_servers(reader *r)
{
    const char *list = get(r, "PADDLE_PSERVERS_IP_PORT_LIST");
    const char *ips = get(r, "PADDLE_PSERVER_IPS"), *old = get(r, "PSERVERS");
    const char *port = NULL, *from;
    if (list != NULL)
        RG_TRY(take_servers(r, "PADDLE_PSERVERS_IP_PORT_LIST", list, NULL));
    if (ips != NULL && !by_our_launcher(r)) {
        RG_TRY(read_port(r, &port, &from));
        RG_TRY(take_servers(r, "PADDLE_PSERVER_IPS", ips, port ? port : DEFAULT_PORT));
    }
    if (old != NULL && !by_our_launcher(r))
        RG_TRY(take_servers(r, "PSERVERS", old, NULL));
    return RG_OK;
}

static rg_status read_workers(reader *r)
{
    rg_job_env *env = r->env;
    const char *list = get(r, "PADDLE_TRAINER_ENDPOINTS");
    if (list == NULL)
        return RG_OK;
    env->workers_from = "PADDLE_TRAINER_ENDPOINTS";
    RG_TRY(split_list(r, env->workers_from, list, NULL, &env->workers, &env->n_workers));
    if (env->trainers_from == NULL) {
        env->trainers = env->n_workers;
        env->trainers_from = env->workers_from;
    } else if (env->trainers != env->n_workers && env->servers_from != NULL) {
        /* Trainers of such a job meet at the servers: nobody asks for their endpoints. */
        static atomic_flag said = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&said))
            rg_log(RG_LOG_W, "job", "%s=%s %s=%s \"the number counts; the list is not used\"",
                   env->trainers_from, get(r, env->trainers_from), env->workers_from, list);
    } else if (env->trainers != env->n_workers) {
        return contradiction("the number of trainers", env->trainers_from,
                             get(r, env->trainers_from), env->workers_from, list);
    }
    return RG_OK;
}

/* Ranks of mpirun, in a job without servers, are its trainers unless it is said otherwise. */
static rg_status read_mpi(reader *r)
{
    rg_job_env *env = r->env;
    int size = -1, rank = -1;
    const char *size_from = NULL, *rank_from = NULL;
    if (env->servers_from != NULL || env->role == RG_JOB_SERVER || env->trainer_id_from != NULL)
        return RG_OK;
    RG_TRY(read_number(r, "the number of trainers", "OMPI_COMM_WORLD_SIZE", NULL, 1, 1000000, &size,
                       &size_from));
    RG_TRY(read_number(r, "the trainer's number", "OMPI_COMM_WORLD_RANK", NULL, 0, 999999, &rank,
                       &rank_from));
    if (size_from == NULL || rank_from == NULL ||
        (env->trainers_from != NULL && env->trainers != size))
        return RG_OK;
    if (env->trainers_from == NULL) {
        env->trainers = size;
        env->trainers_from = size_from;
    }
    env->trainer_id = rank;
    env->trainer_id_from = rank_from;
    return RG_OK;
}

/* ---- our own endpoint ---- */

static rg_status take_endpoint(reader *r, const char *variable, const char *endpoint)
{
    rg_job_env *env = r->env;
    char host[MAX_HOST + 1];
    int port;
    if (variable == NULL || endpoint == NULL)
        return rg_fail(RG_ENOMEM, "no memory for this process's endpoint");
    if (!split_endpoint(endpoint, host, &port))
        return rg_fail(RG_EINVAL, "%s: '%s' is not host:port", variable, endpoint);
    if (env->endpoint == NULL) {
        env->endpoint = endpoint;
        env->endpoint_from = variable;
        return RG_OK;
    }
    return rg_endpoint_same(env->endpoint, endpoint)
               ? RG_OK
               : contradiction("this process's endpoint", env->endpoint_from, env->endpoint,
                               variable, endpoint);
}

static rg_status server_endpoint(reader *r)
{
    const char *current = get(r, "PADDLE_CURRENT_IP"), *pod = get(r, "POD_IP");
    const char *whole_endpoint = get(r, "SERVER_ENDPOINT");
    const char *port = NULL, *from = NULL;
    if (r->env->job_id != NULL && pod != NULL) { /* see by_our_launcher() */
        current = whole_endpoint = NULL;
        port = get(r, from = "PADDLE_PORT");
    }
    if (port == NULL && (current != NULL || pod != NULL))
        RG_TRY(read_port(r, &port, &from));
    if (current != NULL && pod != NULL && !host_same(current, pod))
        return contradiction("this server's address", "PADDLE_CURRENT_IP", current, "POD_IP", pod);
    if (whole_endpoint != NULL)
        RG_TRY(take_endpoint(r, "SERVER_ENDPOINT", whole_endpoint));
    if (current == NULL && pod == NULL)
        return RG_OK;
    const char *ip = current ? current : pod, *ip_from = current ? "PADDLE_CURRENT_IP" : "POD_IP";
    return take_endpoint(r, from ? join(r, ip_from, " and ", from) : ip_from,
                         join(r, ip, ":", port ? port : DEFAULT_PORT));
}

static rg_status find_server(reader *r)
{
    rg_job_env *env = r->env;
    const char *id = get(r, "PADDLE_PSERVER_ID");
    int index;
    for (int i = 0; env->endpoint != NULL && env->server_index < 0 && i < env->n_servers; i++)
        if (rg_endpoint_same(env->servers[i], env->endpoint))
            env->server_index = i;
    if (env->endpoint != NULL && env->n_servers > 0 && env->server_index < 0)
        return rg_fail(RG_EINVAL, "this server is %s (%s), which is not among the servers of %s=%s",
                       env->endpoint, env->endpoint_from, env->servers_from,
                       get(r, env->servers_from));
    if (id == NULL)
        return RG_OK;
    if (!whole(id, 0, env->n_servers - 1, &index))
        return rg_fail(RG_EINVAL, "PADDLE_PSERVER_ID=%s: the servers are numbered from 0 to %d", id,
                       env->n_servers - 1);
    if (env->server_index >= 0 && env->server_index != index)
        return contradiction("which server this is", "PADDLE_PSERVER_ID", id, env->endpoint_from,
                             env->endpoint);
    env->server_index = index;
    if (env->endpoint == NULL) {
        env->endpoint = env->servers[index];
        env->endpoint_from = "PADDLE_PSERVER_ID";
    }
    return RG_OK;
}

static rg_status read_endpoint(reader *r)
{
    rg_job_env *env = r->env;
    if (env->role == RG_JOB_SERVER) {
        RG_TRY(server_endpoint(r));
        return find_server(r);
    }
    const char *current = get(r, "PADDLE_CURRENT_ENDPOINT");
    if (current != NULL)
        RG_TRY(take_endpoint(r, "PADDLE_CURRENT_ENDPOINT", current));
    bool unused = env->servers_from != NULL && env->trainers != env->n_workers;
    if (env->n_workers == 0 || env->trainer_id < 0 || unused)
        return RG_OK;
    if (env->trainer_id >= env->n_workers)
        return rg_fail(RG_EINVAL, "%s=%d, and %s has %d endpoints", env->trainer_id_from,
                       env->trainer_id, env->workers_from, env->n_workers);
    return take_endpoint(r, env->workers_from, env->workers[env->trainer_id]);
}

/* ---- several hosts ---- */

/* One endpoint that only its own machine reaches, and one that all do. */
typedef struct reach {
    const char *near, *near_from, *far;
    char near_address[RG_ADDRESS_TEXT];
} reach;

static void look_at(reach *found, const char **list, int n, const char *from)
{
    char host[MAX_HOST + 1], address[RG_ADDRESS_TEXT];
    int port;
    for (int i = 0; i < n && (found->far == NULL || found->near == NULL); i++) {
        if (!split_endpoint(list[i], host, &port) || rg_host_resolve(host, address) != RG_OK)
            continue; /* who connects will say it */
        if (!rg_address_is_loopback(address)) {
            found->far = list[i];
        } else if (found->near == NULL) {
            found->near = list[i];
            found->near_from = from;
            memcpy(found->near_address, address, sizeof address);
        }
    }
}

/* Debian gives a machine's own name the address 127.0.1.1, which no other machine reaches. */
static rg_status check_reachable(const rg_job_env *env)
{
    reach found = {0};
    if (env->n_servers + env->n_workers < 2)
        return RG_OK;
    look_at(&found, env->servers, env->n_servers, env->servers_from);
    look_at(&found, env->workers, env->n_workers, env->workers_from);
    if (found.far == NULL || found.near == NULL)
        return RG_OK;
    return rg_fail(RG_EINVAL,
                   "%s names %s, whose address here is %s, in a job of several hosts (%s): other "
                   "hosts cannot reach it; correct its line in /etc/hosts, or give its address",
                   found.near_from, found.near, found.near_address, found.far);
}

/* ---- all of it ---- */

static rg_status read_all(reader *r)
{
    rg_job_env *env = r->env;
    env->job_id = get(r, "REGATTA_JOB_ID");
    env->run_dir = get(r, "REGATTA_RUN_DIR");
    env->log_dir = get(r, "REGATTA_LOG_DIR");
    const char *key = r->lookup(r->arg, "REGATTA_JOB_KEY");
    env->has_key = key != NULL && key[0] != '\0';
    RG_TRY(read_role(r));
    RG_TRY(read_trainers(r));
    RG_TRY(read_servers(r));
    RG_TRY(read_workers(r));
    RG_TRY(read_mpi(r));
    RG_TRY(read_endpoint(r));
    return check_reachable(env);
}

rg_status rg_job_env_read(rg_job_env *env, rg_env_lookup lookup, void *arg)
{
    reader r = {.env = env, .lookup = lookup, .arg = arg};
    *env = (rg_job_env){
        .arena = RG_ARENA_EMPTY, .trainers = -1, .trainer_id = -1, .server_index = -1};
    rg_status code = read_all(&r);
    if (r.no_memory)
        code = rg_fail(RG_ENOMEM, "no memory for the environment of the job");
    if (code != RG_OK)
        rg_job_env_fini(env);
    return code;
}

static const char *from_process(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

rg_status rg_job_env_here(rg_job_env *env)
{
    return rg_job_env_read(env, from_process, NULL);
}

void rg_job_env_fini(rg_job_env *env)
{
    rg_arena_free(&env->arena);
    *env = (rg_job_env){.arena = RG_ARENA_EMPTY};
}

const char *rg_job_role_name(rg_job_role role)
{
    return role == RG_JOB_TRAINER ? "TRAINER" : role == RG_JOB_SERVER ? "PSERVER" : "none";
}
