/* pserver.c - `paddle pserver`: parameter servers that trainers send their programs to.
 *
 * One server for each port, dense ones first and those for tables after them, each on a thread of
 * this process. They end when all trainers have left, and together when one fails. */
#include "cli/commands.h"

#include "base/mem.h"
#include "cli/shared_options.h"
#include "dist/serve.h"
#include "sys/profile.h"
#include "sys/flags.h"
#include "sys/job_env.h"
#include "sys/log.h"
#include "sys/nics.h"
#include "sys/run.h"
#include "sys/stop.h"
#include "watch/sampler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ADDRESSES = 64 };

#define OF_TRAINERS "it is an option of `paddle train`"
#define OWN_THREAD  "each port has a thread of its own: raise --ports_num"

static const rg_option table[] = {
    RG_SHARED_OPTIONS,
    RG_WORD("nics", "",
            "network interfaces whose addresses are listened on, with commas; empty: all"),
    RG_WORD("log_dir", "", "the folder of a log file, as GLOG_log_dir"),
    RG_SWITCH("logtostderr", "true",
              "the log goes to stderr and not to a file, as "
              "GLOG_logtostderr"),
    RG_MOOT("trainer_id", INT, "0", OF_TRAINERS),
    RG_MOOT("trainer_count", INT, "1", OF_TRAINERS),
    RG_MOOT("pservers", TEXT, "127.0.0.1", OF_TRAINERS),
    RG_MOOT("pserver_num_threads", INT, "1", OWN_THREAD),
    RG_REFUSED("use_gpu", BOOL, "false", "servers compute on CPUs"),
    {.name = NULL},
};

typedef struct port {
    pthread_t thread;
    bool started;
    rg_serve_config config;
    const char *endpoints[MAX_ADDRESSES]; /* owned */
    rg_status outcome;
} port;

typedef struct pserver {
    rg_options options;
    char addresses[MAX_ADDRESSES][64];
    size_t n_addresses;
    port *ports;
    int n_ports;
    bool to_file; /* the log */
    rg_serve_group group;
} pserver;

/* ---- where to listen ---- */

static rg_status add_address(void *arg, const char *address)
{
    pserver *p = arg;
    for (size_t i = 0; i < p->n_addresses; i++)
        if (strcmp(p->addresses[i], address) == 0)
            return RG_OK;
    if (p->n_addresses == MAX_ADDRESSES)
        return rg_fail(RG_EINVAL, "--nics names more than %d addresses", MAX_ADDRESSES);
    (void)snprintf(p->addresses[p->n_addresses++], sizeof p->addresses[0], "%s", address);
    return RG_OK;
}

static rg_status find_addresses(pserver *p)
{
    char nics[1024], *rest = nics, *nic;
    const char *given = rg_option_text(&p->options, "nics");
    if (given[0] == '\0')
        return add_address(p, "0.0.0.0");
    if ((size_t)snprintf(nics, sizeof nics, "%s", given) >= sizeof nics)
        return rg_fail(RG_EINVAL, "--nics is longer than %zu characters", sizeof nics - 1);
    while ((nic = strsep(&rest, ",")) != NULL)
        if (nic[0] == '\0')
            return rg_fail(RG_EINVAL, "--nics=%s has an empty name in it", given);
        else
            RG_TRY(rg_nic_addresses(nic, add_address, p));
    return RG_OK;
}

static rg_status make_ports(pserver *p)
{
    int first = (int)rg_option_int(&p->options, "port");
    p->n_ports = (int)(rg_option_int(&p->options, "ports_num") +
                       rg_option_int(&p->options, "ports_num_for_sparse"));
    if (first + p->n_ports - 1 > 65535)
        return rg_fail(RG_EINVAL, "%d ports from %d on: there is none above 65535", p->n_ports,
                       first);
    p->ports = rg_alloc_zero((size_t)p->n_ports, sizeof *p->ports);
    if (p->ports == NULL)
        return rg_no_memory((size_t)p->n_ports, "ports");
    for (int i = 0; i < p->n_ports; i++) {
        port *each = &p->ports[i];
        each->config = (rg_serve_config){
            .endpoints = each->endpoints,
            .n_endpoints = p->n_addresses,
            .id = i,
            .trainers = (int)rg_option_int(&p->options, "num_gradient_servers"),
            .servers = p->n_ports,
            .group = &p->group};
        for (size_t k = 0; k < p->n_addresses; k++) {
            char text[96];
            const char *address = p->addresses[k];
            (void)snprintf(text, sizeof text, strchr(address, ':') ? "[%s]:%d" : "%s:%d", address,
                           first + i);
            if ((each->endpoints[k] = rg_strdup(text)) == NULL)
                return rg_no_memory(1, "an endpoint");
        }
    }
    return RG_OK;
}

static void close_ports(pserver *p)
{
    for (int i = 0; p->ports != NULL && i < p->n_ports; i++)
        for (size_t k = 0; k < p->n_addresses; k++)
            rg_free((void *)(uintptr_t)p->ports[i].endpoints[k]);
    rg_free(p->ports);
}

/* ---- the log ---- */

static const char *first_of(const char *given, const char *variable)
{
    const char *value = getenv(variable);
    if (given != NULL && given[0] != '\0')
        return given;
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* As glog: GLOG_logtostderr=0 sends the log to a file; a folder alone, to a file as well. */
static rg_status open_log(pserver *p)
{
    const rg_options *o = &p->options;
    static const char *const names[] = {"paddle_pserver_main", "paddle_pserver2"};
    const char *folder = first_of(
        rg_option_given(o, "log_dir") ? rg_option_text(o, "log_dir") : NULL, "GLOG_log_dir");
    const char *to_stderr = first_of(
        rg_option_given(o, "logtostderr") ? rg_option_text(o, "logtostderr") : NULL,
        "GLOG_logtostderr");
    const char *temporary = getenv("TMPDIR");
    p->to_file = folder != NULL;
    if (to_stderr != NULL)
        p->to_file = strchr("0fFnN", to_stderr[0]) != NULL;
    if (getenv("FLAGS_log_level") == NULL)
        RG_TRY(rg_flag_set("log_level", "I"));
    if (!p->to_file)
        return RG_OK;
    if (folder == NULL)
        folder = temporary != NULL && temporary[0] ? temporary : "/tmp";
    return rg_log_to_folder(folder, names, 2, to_stderr == NULL);
}

static void log_command(int argc, char **argv)
{
    rg_buf line;
    rg_buf_init(&line, 0);
    for (int i = 0; i < argc; i++)
        rg_buf_printf(&line, " %s", argv[i]);
    rg_log(RG_LOG_I, "pserver", "commandline: paddle%s", rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

static int complain(const pserver *p, int status)
{
    rg_watch_failed(rg_error_message());
    (void)fprintf(stderr, "paddle pserver: %s\n", rg_error_message());
    if (p->to_file)
        rg_log(RG_LOG_E, "pserver", "%s", rg_error_message());
    return status;
}

/* ---- serving ---- */

static void *serve(void *arg)
{
    port *each = arg;
    each->outcome = rg_serve_empty(&each->config);
    return NULL;
}

static rg_status start_ports(pserver *p)
{
    for (int i = 0; i < p->n_ports; i++) {
        rg_log(RG_LOG_I, "pserver", "Starting parameterServer[%d] port=%d", i,
               (int)rg_option_int(&p->options, "port") + i);
        if (pthread_create(&p->ports[i].thread, NULL, serve, &p->ports[i]) != 0) {
            rg_serve_group_fail(&p->group, RG_ENOMEM, "cannot start a thread for each port");
            break;
        }
        p->ports[i].started = true;
    }
    return rg_serve_group_look(&p->group);
}

/* The process is watched as one, whatever ports it has. */
static void start_watch(const pserver *p)
{
    rg_job_env env;
    char name[32];
    int number = 0;
    if (rg_job_env_here(&env) == RG_OK) {
        number = env.server_index > 0 ? env.server_index : 0;
        rg_job_env_fini(&env);
    }
    (void)snprintf(name, sizeof name, "server.%d", number);
    rg_watch_start(&(rg_watch_who){.process = name,
                                   .endpoint = p->n_ports > 0 ? p->ports[0].endpoints[0] : NULL,
                                   .role = RG_OF_SERVER});
}

static rg_status run(pserver *p)
{
    RG_TRY(find_addresses(p));
    RG_TRY(make_ports(p));
    start_watch(p);
    rg_log(RG_LOG_I, "pserver", "number of parameterServer instances: %d", p->n_ports);
    (void)start_ports(p);
    for (int i = 0; i < p->n_ports; i++) {
        if (!p->ports[i].started)
            continue;
        rg_log(RG_LOG_I, "pserver", "Waiting parameterServer[%d]", i);
        (void)pthread_join(p->ports[i].thread, NULL);
    }
    return rg_serve_group_look(&p->group);
}

/* DEBUGGER="gdb --args" */
static rg_status run_under_debugger(int argc, char **argv)
{
    const char *debugger = getenv("DEBUGGER");
    if (debugger == NULL || debugger[0] == '\0')
        return RG_OK;
    char **again = rg_alloc_zero((size_t)argc + 2, sizeof *again);
    if (again == NULL)
        return rg_no_memory((size_t)argc, "arguments");
    again[0] = (char *)(uintptr_t)rg_cli_self;
    memcpy(again + 1, argv, (size_t)argc * sizeof *again);
    rg_status code = rg_become(again);
    rg_free(again);
    return code;
}

int rg_cli_pserver(int argc, char **argv)
{
    pserver p = {.n_ports = 0};
    rg_status code = run_under_debugger(argc, argv);
    (void)rg_profile_by_flag();
    if (code == RG_OK)
        code = rg_options_read(&p.options, table, argc, argv);
    if (code == RG_OK && p.options.help) {
        (void)printf("usage: paddle pserver [options]\n\nParameter servers, one a port: they wait "
                     "for trainers, get their share of the model from\ntrainer 0, and end when all "
                     "trainers have left.\n\n");
        rg_options_print(table);
        return 0;
    }
    if (code == RG_OK)
        code = open_log(&p);
    if (code != RG_OK)
        return complain(&p, 2);
    rg_options_tell(&p.options, "pserver");
    log_command(argc, argv);
    rg_serve_group_init(&p.group);
    rg_stop_on_signals();
    code = run(&p);
    close_ports(&p);
    rg_serve_group_fini(&p.group);
    const char *signal = rg_stop_signal();
    if (code != RG_OK)
        return complain(&p, 1);
    rg_log(RG_LOG_I, "pserver", "%s%s", signal ? "stopped by " : "all trainers have finished",
           signal ? signal : "");
    return 0;
}
