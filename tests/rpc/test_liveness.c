/* test_liveness.c - heartbeats, leases and deadlines, with processes that are stopped and killed.
 *
 * Run with arguments the program is the other process: "server", or "client ENDPOINT". */
#include "check.h"
#include "rpc/echo.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *self;

/* Starts this program again; what it prints is read from *out. */
static pid_t spawn(const char *what, const char *arg, FILE **out)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where an assertion ended the test */
        (void)dup2(fds[1], STDOUT_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        (void)execl(self, self, what, arg, (char *)NULL);
        _exit(127);
    }
    (void)close(fds[1]);
    *out = fdopen(fds[0], "r");
    return pid;
}

static void read_line(FILE *from, char *line, size_t size)
{
    assert_non_null(fgets(line, (int)size, from));
    line[strcspn(line, "\n")] = '\0';
}

/* kill() returns before the process has stopped, and it may answer once more meanwhile. */
static void stop(pid_t pid)
{
    int status;
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

static void end(pid_t pid, FILE *out)
{
    int status;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
    (void)fclose(out);
}

/* ---- the other process ---- */

static int be_server(void)
{
    echo e;
    rg_rpc_server_config config = {.lease_ms = 400, .name = "pserver 0"};
    echo_init(&e);
    if (echo_open(&e, &config) != RG_OK)
        return 1;
    (void)printf("%s\n", rg_rpc_server_endpoint(e.server, 0));
    (void)fflush(stdout);
    for (;;)
        (void)pause();
}

/* Counts, a number a line, until it fails. */
static int be_client(const char *endpoint)
{
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    if (rg_rpc_client_open(&client, endpoint, &config) != RG_OK)
        return 1;
    for (int i = 0;; i++) {
        if (rg_rpc_ask_once(client, COUNT, NULL, 0, NULL, NULL) != RG_OK)
            break;
        if (i % 10 == 0)
            (void)printf("%d\n", i);
        (void)fflush(stdout);
        (void)usleep(1000);
    }
    (void)printf("%s\n", rg_error_message());
    (void)fflush(stdout);
    rg_rpc_client_close(client);
    return 0;
}

/* ---- tests ---- */

static void start_server(echo *e, uint64_t lease_ms)
{
    rg_rpc_server_config config = {.lease_ms = lease_ms, .name = "pserver 0"};
    echo_init(e);
    assert_ok(echo_open(e, &config));
}

/* promise 9 */
static void a_stopped_client_is_dead_after_its_lease(void **state)
{
    echo e;
    FILE *out;
    char line[600];
    (void)state;
    start_server(&e, 400);
    pid_t pid = spawn("client", rg_rpc_server_endpoint(e.server, 0), &out);
    read_line(out, line, sizeof line);
    stop(pid);
    (void)rg_latch_wait(&e.died, UINT64_MAX);
    assert_non_null(strstr(e.how, "no heartbeat from trainer 1 (pid "));
    assert_non_null(strstr(e.how, "its lease is 0.4 s"));
    /* It wakes up as one that returns. If it is let in, it goes on; nothing was applied twice. */
    assert_int_equal(kill(pid, SIGCONT), 0);
    while (e.revenants == 0)
        (void)usleep(1000);
    int before = e.applied;
    while (e.applied < before + 50)
        (void)usleep(1000);
    assert_int_equal(e.dead, 1);
    end(pid, out);
    echo_stop(&e);
}

static void a_revenant_can_be_turned_away(void **state)
{
    echo e;
    FILE *out;
    char line[600];
    (void)state;
    start_server(&e, 300);
    pid_t pid = spawn("client", rg_rpc_server_endpoint(e.server, 0), &out);
    read_line(out, line, sizeof line);
    stop(pid);
    (void)rg_latch_wait(&e.died, UINT64_MAX);
    e.verdict = RG_ESTALE;
    assert_int_equal(kill(pid, SIGCONT), 0);
    while (strstr(line, "not wanted") == NULL)
        read_line(out, line, sizeof line);
    end(pid, out);
    echo_stop(&e);
}

static void a_pause_within_the_lease_changes_nothing(void **state)
{
    echo e;
    FILE *out;
    char line[600];
    (void)state;
    start_server(&e, 60000);
    pid_t pid = spawn("client", rg_rpc_server_endpoint(e.server, 0), &out);
    read_line(out, line, sizeof line);
    stop(pid);
    (void)usleep(300000);
    assert_int_equal(kill(pid, SIGCONT), 0);
    int before = e.applied;
    while (e.applied < before + 50)
        (void)usleep(1000);
    assert_int_equal(e.dead + e.lost + e.backs + e.repeated, 0);
    end(pid, out);
    echo_stop(&e);
}

static void a_killed_client_is_lost_then_dead(void **state)
{
    echo e;
    FILE *out;
    char line[600];
    (void)state;
    start_server(&e, 400);
    pid_t pid = spawn("client", rg_rpc_server_endpoint(e.server, 0), &out);
    read_line(out, line, sizeof line);
    end(pid, out);
    (void)rg_latch_wait(&e.lost_one, UINT64_MAX);
    (void)rg_latch_wait(&e.died, UINT64_MAX);
    echo_stop(&e);
}

/* A loop that works for several leases: heartbeats have their own thread on both sides, and the
 * deadline does not count the time of a server that is alive. */
static void a_live_but_slow_server_is_waited_for(void **state)
{
    echo e;
    rg_rpc_call *call;
    (void)state;
    start_server(&e, 1000); /* no less: a busy machine may sleep for a while, too */
    rg_rpc_client_config config = echo_client();
    config.deadline_ms = 1500;
    rg_rpc_client *client = echo_connect(&e, &config);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = HOLD}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    (void)usleep(3000000);
    rg_latch_open(&e.go);
    assert_ok(rg_rpc_wait(call));
    rg_rpc_call_close(call);
    echo_once(client, 100, 1);
    assert_int_equal(e.dead, 0);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

typedef struct watcher {
    rg_latch dead;
    char how[300];
} watcher;

static void note_death(void *user, const char *how)
{
    watcher *w = user;
    if (w->how[0] != '\0')
        return;
    (void)snprintf(w->how, sizeof w->how, "%s", how);
    rg_latch_open(&w->dead);
}

/* promise 9 */
static void a_silent_server_is_dead_and_then_the_deadline_passes(void **state)
{
    FILE *out;
    char endpoint[100];
    watcher w = {0};
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    (void)state;
    (void)memset(config.me.job, 0, sizeof config.me.job);
    rg_latch_init(&w.dead);
    pid_t pid = spawn("server", NULL, &out);
    read_line(out, endpoint, sizeof endpoint);
    config.deadline_ms = 1500;
    config.events.dead = note_death;
    config.user = &w;
    assert_ok(rg_rpc_client_open(&client, endpoint, &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    echo_once(client, 100, 1);
    stop(pid);
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_ETIMEOUT,
                 "nothing was heard from the server for 1.5 s");
    (void)rg_latch_wait(&w.dead, UINT64_MAX);
    assert_non_null(strstr(w.how, endpoint));
    /* It comes back, and so does everything. */
    assert_int_equal(kill(pid, SIGCONT), 0);
    echo_once(client, 100, 1);
    end(pid, out);
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_ETIMEOUT, "refused");
    rg_rpc_client_close(client);
    rg_latch_fini(&w.dead);
}

static void a_server_that_never_comes_is_not_waited_for_without_end(void **state)
{
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    (void)state;
    config.deadline_ms = 200;
    assert_ok(rg_rpc_client_open(&client, "127.0.0.1:1", &config));
    assert_fails(rg_rpc_client_ready(client, NULL), RG_ETIMEOUT, "connection refused");
    rg_rpc_client_close(client);
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1 && strcmp(argv[1], "server") == 0)
        return be_server();
    if (argc > 2 && strcmp(argv[1], "client") == 0)
        return be_client(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_client_is_dead_after_its_lease),
        cmocka_unit_test(a_revenant_can_be_turned_away),
        cmocka_unit_test(a_pause_within_the_lease_changes_nothing),
        cmocka_unit_test(a_killed_client_is_lost_then_dead),
        cmocka_unit_test(a_live_but_slow_server_is_waited_for),
        cmocka_unit_test(a_silent_server_is_dead_and_then_the_deadline_passes),
        cmocka_unit_test(a_server_that_never_comes_is_not_waited_for_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
