/* status.c - `paddle status`: asks servers how they are, without taking part in their job.
 *
 * It comes as a tool, which a server does not count among its trainers and does not miss when it
 * goes: so an orchestrator's probe may ask every few seconds. */
#include "base/mem.h"
#include "cli/commands.h"
#include "rpc/credentials.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "sys/host.h"
#include "sys/job_env.h"
#include "sys/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SECONDS = 3, MOST_SECONDS = 3600, MOST_SERVERS = 1024 };

static const char usage[] =
    "usage: paddle status [--timeout SECONDS] [HOST:PORT ...]; without an endpoint a server asks "
    "itself and a trainer its servers, as the job's variables name them (`paddle env`)";

static rg_status ask(const rg_credentials *credentials, const char *endpoint, int64_t wait_ms)
{
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TOOL,
                                          .trainer = RG_RPC_ANY_TRAINER,
                                          .pid = (uint32_t)rg_process_id(),
                                          .name = "paddle status"},
                                   .security = {.key = credentials->n_key ? credentials->key : NULL,
                                                .key_bytes = credentials->n_key},
                                   .deadline_ms = wait_ms,
                                   .retry_times = -1};
    rg_rpc_client *client;
    rg_rpc_welcome welcome;
    uint8_t *text = NULL;
    size_t n = 0;
    (void)snprintf(config.me.job, sizeof config.me.job, "%s", credentials->job);
    rg_host_name(config.me.host, sizeof config.me.host);
    RG_TRY(rg_rpc_client_open(&client, endpoint, &config));
    rg_status code = rg_rpc_client_ready(client, &welcome);
    if (code == RG_OK)
        code = rg_rpc_ask_once(client, RG_PS_WAITS, NULL, 0, &text, &n);
    if (code == RG_OK && n > 0)
        (void)printf("%s: %.*s\n", endpoint, (int)n, (const char *)text);
    else if (code == RG_OK)
        (void)printf("%s: %s serves, and waits for nobody\n", endpoint, welcome.name);
    rg_free(text);
    rg_rpc_client_close(client);
    return code;
}

static int ask_all(const char *const *endpoints, int n, int64_t wait_ms)
{
    int failed = 0;
    rg_credentials credentials;
    if (rg_credentials_read(&credentials) != RG_OK)
        return rg_cli_misused(rg_error_message());
    for (int i = 0; i < n; i++)
        if (ask(&credentials, endpoints[i], wait_ms) != RG_OK) {
            const char *why = rg_error_message();
            bool named = strstr(why, endpoints[i]) != NULL;
            (void)fprintf(stderr, "paddle status: %s%s%s\n", named ? "" : endpoints[i],
                          named ? "" : ": ", why);
            failed = 1;
        }
    return fflush(stdout) == 0 ? failed : 1;
}

/* Who is to be asked where nobody is named. */
static int ask_job(int64_t wait_ms)
{
    rg_job_env env;
    int status;
    if (rg_job_env_here(&env) != RG_OK)
        return rg_cli_misused(rg_error_message());
    if (env.role == RG_JOB_SERVER && env.endpoint != NULL)
        status = ask_all(&env.endpoint, 1, wait_ms);
    else if (env.n_servers > 0)
        status = ask_all(env.servers, env.n_servers, wait_ms);
    else
        status = rg_cli_misused(usage);
    rg_job_env_fini(&env);
    return status;
}

int rg_cli_status(int argc, char **argv)
{
    const char *endpoints[MOST_SERVERS];
    int n = 0;
    long seconds = DEFAULT_SECONDS;
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        if (strncmp(argv[i], "--timeout=", 10) == 0)
            value = argv[i] + 10;
        else if (strcmp(argv[i], "--timeout") == 0)
            value = i + 1 < argc ? argv[++i] : "";
        else if (argv[i][0] == '-' || n == MOST_SERVERS)
            return rg_cli_misused(usage);
        else
            endpoints[n++] = argv[i];
        char *end = NULL;
        errno = 0;
        if (value != NULL)
            seconds = strtol(value, &end, 10);
        if (value != NULL &&
            (errno != 0 || end == value || *end != '\0' || seconds < 1 || seconds > MOST_SECONDS))
            return rg_cli_misused("status: --timeout is a number of seconds, from 1 to 3600");
    }
    return n > 0 ? ask_all(endpoints, n, seconds * 1000) : ask_job(seconds * 1000);
}
