/* rpc_bench.c - round trips and throughput of the rpc layer on one host.
 *
 * The server runs in a process of its own. Prints one line per figure. */
#include "base/mem.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/latch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUND_TRIPS = 20000, LARGE = 1 << 20, IN_FLIGHT = 4, TRANSFERS = 3000 };
enum { ECHO = 1, TAKE, GIVE };

static const uint8_t job_key[16] = "sixteen byte key";
static uint8_t *large;
static pid_t server_process;

static void released(void *arg)
{
    (void)arg;
}

static void answer(void *user, rg_rpc_request *request)
{
    size_t bytes;
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    (void)user;
    if (rg_rpc_request_method(request) == ECHO)
        rg_rpc_reply(request, 0, &(rg_iov){body, bytes}, 1, NULL, NULL);
    else if (rg_rpc_request_method(request) == TAKE)
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    else
        rg_rpc_reply(request, 0, &(rg_iov){large, LARGE}, 1, released, NULL);
}

static int serve(int to)
{
    rg_rpc_server *server;
    const char *endpoints[] = {"127.0.0.1:0"};
    char *cert = getenv("RPC_BENCH_CERT"), *key = getenv("RPC_BENCH_KEY");
    rg_rpc_server_config config = {
        .endpoints = endpoints,
        .n_endpoints = 1,
        .security = {.key = job_key, .key_bytes = sizeof job_key, .tls_cert = cert, .tls_key = key},
        .events = {.request = answer}};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (rg_rpc_server_open(&server, &config) != RG_OK)
        return 1;
    const char *endpoint = rg_rpc_server_endpoint(server, 0);
    if (write(to, endpoint, strlen(endpoint)) < 0)
        return 1;
    for (;;)
        (void)pause();
}

static void check(rg_status status)
{
    if (status == RG_OK)
        return;
    (void)fprintf(stderr, "rpc_bench: %s\n", rg_error_message());
    exit(1);
}

/* Of this process and of the server. */
static double cpu_seconds(void)
{
    struct timespec self, other;
    clockid_t of_server;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &self) != 0 ||
        clock_getcpuclockid(server_process, &of_server) != 0 ||
        clock_gettime(of_server, &other) != 0)
        exit(1);
    return (double)(self.tv_sec + other.tv_sec) + (double)(self.tv_nsec + other.tv_nsec) * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void round_trips(rg_rpc_client *client, const char *way, size_t bytes)
{
    static uint64_t took[ROUND_TRIPS];
    uint8_t body[4096] = {0};
    double before = cpu_seconds();
    for (int i = 0; i < ROUND_TRIPS; i++) {
        uint64_t from = rg_clock_ns();
        check(rg_rpc_ask_once(client, ECHO, &(rg_iov){body, bytes}, 1, NULL, NULL));
        took[i] = rg_clock_ns() - from;
    }
    double cpu = cpu_seconds() - before;
    qsort(took, ROUND_TRIPS, sizeof took[0], by_value);
    (void)printf("%-6s round trip %5zu B: median %5.1f us, 99%% %5.1f us, CPU of both %5.1f us\n",
                 way, bytes, (double)took[ROUND_TRIPS / 2] * 1e-3,
                 (double)took[ROUND_TRIPS * 99 / 100] * 1e-3, cpu / ROUND_TRIPS * 1e6);
}

static void throughput(rg_rpc_client *client, const char *way, uint16_t method)
{
    rg_rpc_call *calls[IN_FLIGHT] = {0};
    size_t n = method == TAKE ? 1 : 0;
    double before = cpu_seconds();
    uint64_t from = rg_clock_ns();
    for (int i = 0; i < TRANSFERS + IN_FLIGHT; i++) {
        rg_rpc_call **at = &calls[i % IN_FLIGHT];
        if (*at != NULL)
            check(rg_rpc_wait(*at));
        rg_rpc_call_close(*at);
        *at = NULL;
        if (i < TRANSFERS)
            check(rg_rpc_start(
                at, client,
                &(rg_rpc_ask){.method = method, .iov = &(rg_iov){large, LARGE}, .n = n}));
    }
    double seconds = (double)(rg_clock_ns() - from) * 1e-9;
    (void)printf("%-6s %s 1 MiB bodies: %.2f GB/s, CPU of both %.0f us each\n", way,
                 method == TAKE ? "push" : "pull", (double)TRANSFERS * LARGE / seconds * 1e-9,
                 (cpu_seconds() - before) / TRANSFERS * 1e6);
}

int main(void)
{
    static const char *const ways[] = {"shm", "unix", "tcp", "sealed"}; /* tcp with a MAC */
    int fds[2];
    char endpoint[64] = {0};
    large = rg_alloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (uint8_t)(i * 7);
    if (pipe(fds) != 0)
        return 1;
    server_process = fork();
    if (server_process == 0)
        return serve(fds[1]);
    if (read(fds[0], endpoint, sizeof endpoint - 1) <= 0)
        return 1;
    for (int w = 0; w < 4; w++) {
        rg_rpc_client *client;
        bool sealed = w == 3;
        check(rg_flag_set("rpc_mac", sealed ? "always" : "off"));
        rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER, .name = "bench"},
                                       .transport = sealed ? "tcp" : ways[w],
                                       .security = {.key = job_key,
                                                    .key_bytes = sizeof job_key,
                                                    .tls_ca = getenv("RPC_BENCH_CERT")}};
        check(rg_rpc_client_open(&client, endpoint, &config));
        check(rg_rpc_client_ready(client, NULL));
        round_trips(client, ways[w], 64);
        round_trips(client, ways[w], 4096);
        throughput(client, ways[w], TAKE);
        throughput(client, ways[w], GIVE);
        double before = cpu_seconds();
        (void)sleep(2);
        (void)printf("%-6s idle for 2 s: %.1f ms of CPU time\n", ways[w],
                     (cpu_seconds() - before) * 1e3);
        rg_rpc_client_close(client);
    }
    (void)kill(server_process, SIGKILL);
    (void)waitpid(server_process, NULL, 0);
    rg_free(large);
    return 0;
}
