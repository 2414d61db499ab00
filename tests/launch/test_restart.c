/* test_restart.c - a process that dies is started again, and when no more. */
#include "launching.h"

/* Counts its starts in a file: `again` runs from the second on. */
static const char *counts(char *script, size_t n, const char *file, const char *first,
                          const char *again)
{
    (void)snprintf(script, n,
                   "echo start $REGATTA_INCARNATION; echo x >> %s; "
                   "if [ -z \"$REGATTA_INCARNATION\" ]; then %s; else %s; fi",
                   path(file), first, again);
    return script;
}

static int starts_of(const char *file)
{
    rg_buf text;
    rg_buf_init(&text, 0);
    assert_ok(rg_file_read_all(path(file), 1000, &text));
    int n = (int)(text.len / 2);
    rg_buf_fini(&text);
    return n;
}

static void a_worker_that_is_killed_is_started_again(void **state)
{
    char script[512];
    shell s[3];
    rg_buf log;
    (void)state;
    rg_launch_process processes[] = {
        run_shell(&s[0], RG_LAUNCH_SERVER, 0, "exec sleep 1000"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 0, "sleep 0.5"),
        run_shell(&s[2], RG_LAUNCH_WORKER, 1,
                  counts(script, sizeof script, "killed", "kill -9 $$", "exit 0"))};
    assert_int_equal(run_job_as((rg_launch_job){
                         .processes = processes, .n = 3, .server_wait_ms = 100, .restarts = 2}),
                     0);
    assert_int_equal(starts_of("killed"), 2);
    assert_said("launch: worker 1 (pid ");
    assert_said(") died: signal 9, SIGKILL (killed from outside), after 0.");
    assert_said("; it is started again (1 of 2)\n");
    assert_said("; started again: worker 1\n");
    rg_buf_init(&log, 0);
    assert_ok(rg_file_read_all(path("workerlog.1"), 100, &log));
    assert_string_equal(rg_buf_cstr(&log), "start\nstart 1\n"); /* one after the other */
    rg_buf_fini(&log);
}

static void it_is_started_so_often_and_no_more(void **state)
{
    char script[512];
    shell s[2];
    (void)state;
    rg_launch_process processes[] = {
        run_shell(&s[0], RG_LAUNCH_WORKER, 0, "exec sleep 1000"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 1,
                  counts(script, sizeof script, "often", "kill -9 $$", "kill -9 $$"))};
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes, .n = 2, .restarts = 3}),
                     137);
    assert_int_equal(starts_of("often"), 4);
    assert_said("(3 of 3)");
    assert_said("again: it had been started again 3 times, as often as --restarts allows\n");
    assert_said("launch: failure: worker 1 ended first");
}

static void who_dies_at_once_each_time_is_given_up_before(void **state)
{
    char script[512];
    shell s[2];
    (void)state;
    rg_launch_process processes[] = {
        run_shell(&s[0], RG_LAUNCH_WORKER, 0, "exec sleep 1000"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 1,
                  counts(script, sizeof script, "loop", "exit 3", "exit 3"))};
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes, .n = 2, .restarts = 50}),
                     3);
    assert_int_equal(starts_of("loop"), 3);
    assert_said("(2 of 50) in 0.5");
    assert_said("again: it had been started again 2 times, and died within seconds each time, in "
                "the same way: to start it once more does not help\n");
}

static void a_server_is_started_again_only_where_nothing_is_lost(void **state)
{
    char script[512];
    shell s[2];
    (void)state;
    rg_launch_process processes[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0,
                                               counts(script, sizeof script, "server",
                                                      "sleep 0.1; kill -9 $$", "exec sleep 1000")),
                                     run_shell(&s[1], RG_LAUNCH_WORKER, 0, "sleep 0.6")};
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes, .n = 2, .restarts = 1}),
                     137);
    assert_said("with a journal (--journal everysec) it is not");
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes,
                                                .n = 2,
                                                .server_wait_ms = 100,
                                                .restarts = 1,
                                                .restarts_servers = true}),
                     0);
    assert_said("launch: server 0 (pid ");
}

static void who_ends_because_of_another_is_not_started_again(void **state)
{
    char script[512];
    shell s[2];
    (void)state;
    rg_launch_process processes[] = {
        run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.3; exit 1"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 0,
                  counts(script, sizeof script, "because", "exit 4", "exit 4"))};
    write_file("worker.0.because", "server 0\n");
    int status = run_job_as((rg_launch_job){.processes = processes, .n = 2, .restarts = 5});
    assert_int_equal(unlink(path("worker.0.because")), 0);
    assert_int_equal(status, 1);
    assert_int_equal(starts_of("because"), 1);
    assert_said("first: server 0");
}

static void the_job_goes_on_while_enough_workers_are_left(void **state)
{
    shell s[3];
    (void)state;
    rg_launch_process processes[] = {run_shell(&s[0], RG_LAUNCH_WORKER, 0, "sleep 0.3"),
                                     run_shell(&s[1], RG_LAUNCH_WORKER, 1, "exit 1"),
                                     run_shell(&s[2], RG_LAUNCH_WORKER, 2, "sleep 0.3")};
    assert_int_equal(
        run_job_as((rg_launch_job){.processes = processes, .n = 3, .least_workers = 2}), 0);
    assert_said("launch: worker 1 is lost for good: exit code 1 (an error of the script); the "
                "others go on without it\n");
    assert_said("; lost: worker 1\n");
    assert_int_equal(
        run_job_as((rg_launch_job){.processes = processes, .n = 3, .least_workers = 3}), 1);
}

/* Servers end well when all workers have told them that they are done. */
static void who_had_finished_is_not_started_again(void **state)
{
    char script[512];
    shell s[3];
    (void)state;
    rg_launch_process processes[] = {
        run_shell(&s[0], RG_LAUNCH_SERVER, 0, "exit 0"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 0,
                  counts(script, sizeof script, "finished", "sleep 0.3; kill -9 $$", "exit 0")),
        run_shell(&s[2], RG_LAUNCH_WORKER, 1, "exit 1")};
    write_file("worker.1.because", "over\n"); /* it was told so */
    int status = run_job_as((rg_launch_job){.processes = processes, .n = 3, .restarts = 3});
    assert_int_equal(unlink(path("worker.1.because")), 0);
    assert_int_equal(status, 0);
    assert_int_equal(starts_of("finished"), 1);
    assert_said("launch: worker 0 died when it had finished: signal 9");
    assert_said("launch: worker 1 died when it had finished: exit code 1");
}

/* All workers have ended well: what a server is then needed for is done. */
static void a_server_that_dies_last_had_finished(void **state)
{
    shell s[2];
    (void)state;
    rg_launch_process processes[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.3; kill -9 $$"),
                                     run_shell(&s[1], RG_LAUNCH_WORKER, 0, "exit 0")};
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes,
                                                .n = 2,
                                                .server_wait_ms = 10000,
                                                .restarts = 1,
                                                .restarts_servers = true}),
                     0);
    assert_said("launch: server 0 died when it had finished: signal 9");
    assert_int_equal(
        run_job_as((rg_launch_job){.processes = processes, .n = 2, .server_wait_ms = 10000}), 137);
}

/* Ctrl+C while it is waited for the next start. */
static void it_can_be_interrupted_in_between(void **state)
{
    char script[256];
    shell s[2];
    (void)state;
    (void)snprintf(script, sizeof script,
                   "[ -e %s ] && { kill -INT $PPID; sleep 0.05; }; echo > %s; exit 1", path("once"),
                   path("once"));
    rg_launch_process processes[] = {run_shell(&s[0], RG_LAUNCH_WORKER, 0, script),
                                     run_shell(&s[1], RG_LAUNCH_WORKER, 1, "exec sleep 1000")};
    assert_int_equal(run_job_as((rg_launch_job){.processes = processes, .n = 2, .restarts = 9}),
                     130);
    assert_said("launch: interrupted: ending all processes\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_is_killed_is_started_again),
        cmocka_unit_test(it_is_started_so_often_and_no_more),
        cmocka_unit_test(who_dies_at_once_each_time_is_given_up_before),
        cmocka_unit_test(a_server_is_started_again_only_where_nothing_is_lost),
        cmocka_unit_test(who_ends_because_of_another_is_not_started_again),
        cmocka_unit_test(the_job_goes_on_while_enough_workers_are_left),
        cmocka_unit_test(who_had_finished_is_not_started_again),
        cmocka_unit_test(a_server_that_dies_last_had_finished),
        cmocka_unit_test(it_can_be_interrupted_in_between),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
