/* test_serve_cut.c - a server that is a process of its own, with a journal: what becomes of who
 * waits when another trainer goes while a snapshot is cut. */
#include "dist/asking.h"

#include "dist/deal.h"
#include "sys/clock.h"
#include "sys/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/rg-cut-XXXXXX";

typedef struct job {
    fixture f; /* `server` has its endpoint alone: it is another process */
    pid_t pid;
    rg_lease leases[TRAINERS];
    uint64_t taught[TRAINERS]; /* examples of its range that it has pushed */
} job;

/* ---- the server's process ---- */

static int serve_at(const char *endpoint, const char *journal, const char *elastic)
{
    const char *const flags[][2] = {{"ps_journal", "everysec"},
                                    {"ps_journal_dir", journal},
                                    {"ps_elastic", elastic},
                                    {"ps_grace_seconds", "60"},
                                    {"ps_return_seconds", "60"}};
    server s = {0};
    server_loops();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        assert_ok(rg_flag_set(flags[i][0], flags[i][1]));
    (void)snprintf(s.endpoint, sizeof s.endpoint, "%s", endpoint);
    make_program(&s, RG_UPDATE_SYNC, TRAINERS);
    assert_ok(rg_scope_new(&s.scope, NULL));
    set_value(&s, "w", RG_SHAPE(2, 3), 0);
    set_value(&s, "rate", RG_SHAPE(1), 1);
    rg_status code = rg_serve(s.listen, s.scope);
    rg_scope_release(s.scope);
    rg_program_close(s.program);
    return code == RG_OK ? 0 : 1;
}

static void start_server(job *j, const char *elastic, const char *fault)
{
    j->pid = fork();
    assert_true(j->pid >= 0);
    if (j->pid > 0)
        return;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setenv("RG_FAULT", fault, 1);
    (void)execl("/proc/self/exe", "test_serve_cut", j->f.server.endpoint, folder, elastic, NULL);
    _exit(127);
}

/* by: a signal that ends it; 0: it ends well. */
static void wait_for_server(const job *j, int by)
{
    int status;
    assert_int_equal(waitpid(j->pid, &status, 0), j->pid);
    if (by != 0)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == by);
    else
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void kill_server(const job *j)
{
    assert_int_equal(kill(j->pid, SIGKILL), 0);
    wait_for_server(j, SIGKILL);
}

/* ---- trainers ---- */

/* Each takes a range of the data. */
static void begin_pass(job *j, int t)
{
    static const uint64_t sizes[] = {100, 200};
    const rg_deal_plan plan = {.n_files = 2, .digest = 7, .sizes = sizes};
    const rg_lease_ask wants = {.wants = true, .ticket = 1};
    rg_pass_state is;
    rg_buf body;
    uint8_t *reply;
    size_t n;
    bool given;
    rg_buf_init(&body, 0);
    rg_deal_plan_write(&body, &plan);
    assert_ok(ask(j->f.clients[t], RG_PS_DEAL, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
    rg_buf_init(&body, 0);
    rg_lease_ask_write(&body, &wants);
    assert_ok(ask(j->f.clients[t], RG_PS_LEASE, body.data, body.len, &reply, &n));
    assert_ok(rg_lease_given_read(reply, n, &given, &j->leases[t], &is));
    assert_true(given);
    rg_free(reply);
    rg_buf_fini(&body);
}

/* w's gradient is x everywhere, of the next example of its range; w is wanted back. */
static rg_rpc_call *teach(job *j, int t, float x)
{
    const uint32_t w = W;
    const rg_push_tag tag = {.range = j->leases[t].range,
                             .generation = j->leases[t].generation,
                             .from = j->taught[t],
                             .to = j->taught[t] + 1};
    static rg_buf bodies[16]; /* until the process ends */
    static int n;
    rg_buf *body = &bodies[n++];
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, &w, 1, NULL, NULL, 0, &w, 1);
    rg_push_sign(body, 0, false, 0);
    rg_push_tag_with(body, &tag, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_add(body, &x, sizeof x);
    assert_ok(rg_buf_status(body));
    j->taught[t]++;
    return begin(j->f.clients[t], RG_PS_PUSH, body);
}

static void learns(rg_rpc_call *call, float wanted)
{
    size_t n;
    assert_ok(rg_rpc_wait(call));
    const uint8_t *bytes = rg_rpc_answer(call, &n);
    expect_w(bytes, n, wanted);
    rg_rpc_call_close(call);
}

static void has(const job *j, float wanted)
{
    rg_value value;
    rg_value_init(&value);
    assert_ok(get(j->f.clients[0], "w", 0, -1, &value));
    expect_w(value.data, rg_value_bytes(&value), wanted);
    rg_value_fini(&value);
}

/* A job of two that have made a step together. */
static void start_job(job *j, const char *elastic, const char *fault)
{
    int port;
    *j = (job){0};
    strcpy(strrchr(folder, '-') + 1, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_ok(rg_port_find("127.0.0.1", &port));
    (void)snprintf(j->f.server.endpoint, sizeof j->f.server.endpoint, "127.0.0.1:%d", port);
    start_server(j, elastic, fault);
    for (int t = 0; t < TRAINERS; t++) {
        const rg_rpc_client_config config = {
            .me = {.role = RG_RPC_TRAINER, .trainer = t, .name = "someone", .host = "here"},
            .deadline_ms = 20000,
            .return_ms = 60000};
        assert_ok(rg_rpc_client_open(&j->f.clients[t], j->f.server.endpoint, &config));
        assert_ok(rg_rpc_client_ready(j->f.clients[t], NULL));
        pushes[t].client = j->f.clients[t];
        pushes[t].n = 0;
    }
    for (int t = 0; t < TRAINERS; t++)
        begin_pass(j, t);
    rg_rpc_call *first = teach(j, 0, 1), *second = teach(j, 1, 3);
    learns(first, -2);
    learns(second, -2);
}

static void end_job(job *j)
{
    assert_ok(ask(j->f.clients[0], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    close_clients(&j->f);
    wait_for_server(j, 0);
    assert_ok(rg_dir_remove(folder));
}

/* Whether a file is there whose name ends so. */
static bool there_is(const char *end)
{
    char path[64];
    bool found = false;
    (void)snprintf(path, sizeof path, "%s/server-0", folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        size_t n = strlen(entry->d_name);
        found = found || (n >= strlen(end) && strcmp(entry->d_name + n - strlen(end), end) == 0);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return found;
}

/* It is told to end, and cuts a snapshot first; in the middle of it the second trainer goes. */
static void end_server_and_go_meanwhile(job *j)
{
    assert_int_equal(kill(j->pid, SIGTERM), 0);
    for (int i = 0; i < 20000 && !there_is(".tmp"); i++)
        rg_clock_sleep(1000000);
    rg_clock_sleep(200000000); /* the fault holds it for a second */
    rg_rpc_client_close(j->f.clients[1]);
    j->f.clients[1] = NULL;
    wait_for_server(j, SIGTERM);
}

/* ---- tests ---- */

/* promise 4 */
static void a_push_that_waits_is_applied_once(void **state)
{
    job j;
    (void)state;
    start_job(&j, "2", "snapshot.waits:1:delay");
    rg_rpc_call *waits = teach(&j, 0, 5);
    has(&j, -2);
    end_server_and_go_meanwhile(&j);
    start_server(&j, "2", "");
    learns(waits, -7);
    has(&j, -7);
    learns(teach(&j, 0, 1), -8);
    end_job(&j);
}

/* promise 4 */
static void a_barrier_is_waited_for_or_remembered(void **state)
{
    job j;
    rg_buf body;
    uint8_t *reply;
    size_t n;
    uint64_t met;
    (void)state;
    start_job(&j, "2", "snapshot.members:2:delay");
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, "all");
    rg_rpc_call *waits = begin(j.f.clients[0], RG_PS_BARRIER, &body);
    has(&j, -2);
    end_server_and_go_meanwhile(&j);
    start_server(&j, "2", "");
    assert_ok(rg_rpc_wait(waits));
    rg_rpc_call_close(waits);
    rg_buf_fini(&body);
    assert_ok(ask(j.f.clients[0], RG_PS_RESUME, NULL, 0, &reply, &n));
    memcpy(&met, reply, sizeof met);
    assert_int_equal(met, 1);
    rg_free(reply);
    end_job(&j);
}

/* promise 4 */
static void steps_without_one_that_may_come_back_are_made_again(void **state)
{
    job j;
    (void)state;
    start_job(&j, "0", "");
    rg_rpc_client_close(j.f.clients[1]);
    j.f.clients[1] = NULL;
    learns(teach(&j, 0, 5), -7);
    learns(teach(&j, 0, 1), -8);
    kill_server(&j);
    start_server(&j, "0", "");
    has(&j, -8);
    learns(teach(&j, 0, 1), -9);
    kill_server(&j);
    close_clients(&j.f);
    assert_ok(rg_dir_remove(folder));
}

/* promise 4 */
static void who_has_finished_is_not_waited_for(void **state)
{
    job j;
    (void)state;
    start_job(&j, "0", "");
    assert_ok(ask(j.f.clients[1], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    rg_rpc_client_close(j.f.clients[1]);
    j.f.clients[1] = NULL;
    learns(teach(&j, 0, 5), -7);
    assert_int_equal(kill(j.pid, SIGTERM), 0); /* it has time for a snapshot */
    wait_for_server(&j, SIGTERM);
    start_server(&j, "0", "");
    learns(teach(&j, 0, 1), -8);
    end_job(&j);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_that_waits_is_applied_once),
        cmocka_unit_test(a_barrier_is_waited_for_or_remembered),
        cmocka_unit_test(steps_without_one_that_may_come_back_are_made_again),
        cmocka_unit_test(who_has_finished_is_not_waited_for),
    };
    return argc > 3 ? serve_at(argv[1], argv[2], argv[3])
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
