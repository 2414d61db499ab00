/* test_launch.c - real processes: they succeed, fail, are killed, and none is left. */
#include "launching.h"

#include <sys/prctl.h>
#include <sys/wait.h>

static int run_job(const rg_launch_process *processes, int n, int server_wait_ms)
{
    return run_job_as(
        (rg_launch_job){.processes = processes, .n = n, .server_wait_ms = server_wait_ms});
}

/* The number a process wrote into a file; waits for it. */
static pid_t pid_from(const char *name)
{
    for (int i = 0; i < 1000; i++) {
        rg_buf text;
        rg_buf_init(&text, 0);
        pid_t pid = 0;
        if (rg_path_exists(path(name)) && rg_file_read_all(path(name), 64, &text) == RG_OK &&
            strchr(rg_buf_cstr(&text), '\n') != NULL)
            pid = (pid_t)strtol(rg_buf_cstr(&text), NULL, 10);
        rg_buf_fini(&text);
        if (pid > 0)
            return pid;
        (void)usleep(10000);
    }
    fail_msg("nobody wrote %s", name);
    return 0;
}

/* Gone, or a zombie that its new parent has not looked at. */
static bool gone(pid_t pid)
{
    char name[64];
    rg_buf text;
    (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    rg_buf_init(&text, 0);
    rg_status code = rg_file_read_all(name, 4096, &text);
    const char *after = code == RG_OK ? strrchr(rg_buf_cstr(&text), ')') : NULL;
    bool is_gone = code != RG_OK || (after != NULL && after[2] == 'Z');
    rg_buf_fini(&text);
    return is_gone;
}

static void assert_gone(pid_t pid)
{
    for (int i = 0; i < 1000 && !gone(pid); i++)
        (void)usleep(10000);
    if (!gone(pid)) {
        (void)kill(pid, SIGKILL);
        fail_msg("process %d is still there", (int)pid);
    }
}

/* ---- success ---- */

static void workers_and_servers_that_end_are_success(void **state)
{
    (void)state;
    shell s[3];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.1"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "echo one"),
                               run_shell(&s[2], RG_LAUNCH_WORKER, 1, "echo two >&2")};
    write_file("worker.0.report", "examples=120\nfile=part-0\nfile=part-1\n");
    write_file("worker.1.report", "examples=80\nfile=part-1\nnew=thing\n");
    assert_int_equal(run_job(job, 3, 0), 0);
    assert_said("launch: success: 2 workers, 1 server, ");
    assert_said("; examples: worker 0 120, worker 1 80\n");
    assert_said("launch: note: part-1 was read by workers 0 and 1\n");
    rg_buf log;
    rg_buf_init(&log, 0);
    assert_ok(rg_file_read_all(path("workerlog.1"), 100, &log));
    assert_string_equal(rg_buf_cstr(&log), "two\n");
    rg_buf_fini(&log);
}

static void a_report_that_cannot_be_read_is_a_note(void **state)
{
    (void)state;
    shell s;
    rg_launch_process job[] = {run_shell(&s, RG_LAUNCH_WORKER, 0, "true")};
    write_file("worker.0.report", "examples=many\n");
    assert_int_equal(run_job(job, 1, 0), 0);
    assert_said("note: the report of worker 0 cannot be read: the number of examples");
}

static void a_log_that_cannot_be_written_is_said(void **state)
{
    (void)state;
    shell s[2];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_WORKER, 0, "echo one; sleep 0.2"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 1, "echo two")};
    job[0].log = "/dev/full";
    job[0].echo = true;
    assert_int_equal(run_job(job, 2, 0), 0);
    assert_said("launch: warning: worker 0: its log /dev/full is not complete: No space left");
    assert_said("; logs that are not complete: /dev/full (No space left on device)\n");
    if (strstr(said, "workerlog.1") != NULL)
        fail_msg("workerlog.1 is complete, and this was said: %s", said);
}

static void servers_that_stay_are_told_to_end(void **state)
{
    (void)state;
    shell s[2];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "exec sleep 1000"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "true")};
    assert_int_equal(run_job(job, 2, 200), 0);
    assert_said("note: all workers are done; ending server 0, which did not end by itself");
    assert_said("success: 1 worker, 1 server");
}

static void a_server_that_ends_well_before_its_workers_is_no_failure(void **state)
{
    (void)state;
    shell s[2];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "true"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "sleep 0.3")};
    assert_int_equal(run_job(job, 2, 0), 0);
}

/* ---- failure ---- */

static void a_worker_that_fails_ends_the_job_and_is_named(void **state)
{
    (void)state;
    shell s[3];
    char script[256];
    (void)snprintf(script, sizeof script, "echo $$ > %s; exec sleep 1000", path("other"));
    rg_launch_process job[] = {
        run_shell(&s[0], RG_LAUNCH_SERVER, 0, script),
        run_shell(&s[1], RG_LAUNCH_WORKER, 0, "exec sleep 1000"),
        run_shell(&s[2], RG_LAUNCH_WORKER, 1,
                  "printf 'first\\n10%%\\r20%%\\nno such data\\n'; sleep 0.2; exit 7")};
    assert_int_equal(run_job(job, 3, 0), 7);
    assert_said("first: worker 1 (pid ");
    assert_said("how: exit code 7, after 0.");
    assert_said("  | first\n  | 20%\n  | no such data\n");
    assert_said("/workerlog.1\n");
    assert_said("try: ");
    assert_said("launch: failure: worker 1 ended first, with exit code 7\n");
    assert_gone(pid_from("other"));
}

static void a_worker_killed_is_told_apart_from_one_that_fails(void **state)
{
    (void)state;
    shell s;
    rg_launch_process job[] = {run_shell(&s, RG_LAUNCH_WORKER, 0, "kill -9 $$")};
    assert_int_equal(run_job(job, 1, 0), 137);
    assert_said("how: signal 9, SIGKILL (killed from outside)");
    assert_said("it wrote nothing");
    assert_said("memory");
    assert_said("MiB at most");
}

static void a_crash_is_put_in_words(void **state)
{
    (void)state;
    shell s;
    rg_launch_process job[] = {run_shell(&s, RG_LAUNCH_WORKER, 0, "kill -SEGV $$")};
    assert_int_equal(run_job(job, 1, 0), 139);
    assert_said("signal 11, SIGSEGV (it touched memory that is not its own)");
    assert_said("faulthandler");
}

static void a_server_that_dies_is_a_failure_while_workers_run(void **state)
{
    (void)state;
    shell s[2];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.1; exit 3"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "exec sleep 1000")};
    assert_int_equal(run_job(job, 2, 0), 3);
    assert_said("first: server 0");
}

/* A server sees its trainer's connection close before the trainer's process has ended. */
static void who_is_blamed_may_end_later_and_is_first(void **state)
{
    (void)state;
    shell s[3];
    rg_launch_process job[] = {
        run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.2; echo trainer 1 went; exit 1"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 0, "echo server lost; exit 1"),
        run_shell(&s[2], RG_LAUNCH_WORKER, 1, "sleep 0.6; echo the reason; exit 7")};
    write_file("server.0.because", "worker 1\n");
    write_file("worker.0.because", "server -1\n");
    int status = run_job(job, 3, 0);
    assert_int_equal(unlink(path("worker.0.because")), 0);
    assert_int_equal(unlink(path("server.0.because")), 0);
    assert_int_equal(status, 7);
    assert_said("first: worker 1 (pid ");
    assert_said("  | the reason\n");
    assert_said("then: 2 others failed too");
}

/* As where a machine is so busy that a server needs long to end. */
static void who_was_given_up_is_named_though_who_says_so_still_runs(void **state)
{
    (void)state;
    shell s[3];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "exec sleep 1000"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "exit 4"),
                               run_shell(&s[2], RG_LAUNCH_WORKER, 1, "exec sleep 1000")};
    write_file("server.0.because", "worker 1\n");
    write_file("worker.0.because", "server -1\n");
    int status = run_job(job, 3, 0);
    assert_int_equal(unlink(path("worker.0.because")), 0);
    assert_int_equal(unlink(path("server.0.because")), 0);
    assert_int_equal(status, 4);
    assert_said("first: worker 0 (pid ");
    assert_said("because: worker 1 still ran when the others gave it up");
}

static void blame_that_leads_nowhere_stays_where_it_began(void **state)
{
    (void)state;
    shell s[2];
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, "sleep 0.4; exit 3"),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "exit 4")};
    write_file("worker.0.because", "server -1\n");
    write_file("server.0.because", "worker 0\n"); /* each the other */
    assert_int_equal(run_job(job, 2, 0), 4);
    assert_said("first: worker 0");
    job[0] = run_shell(&s[0], RG_LAUNCH_SERVER, 0, "exec sleep 1000"); /* it does not end */
    assert_int_equal(run_job(job, 2, 0), 4);
    assert_said("first: worker 0");
    write_file("worker.0.because", "worker 12345678901234567890\n"); /* no such one */
    int status = run_job(job, 2, 0);
    assert_int_equal(unlink(path("worker.0.because")), 0);
    assert_int_equal(unlink(path("server.0.because")), 0);
    assert_int_equal(status, 4);
}

static void a_process_that_ignores_sigterm_is_killed(void **state)
{
    (void)state;
    shell s[2];
    char script[256];
    (void)snprintf(script, sizeof script, "trap '' TERM; echo $$ > %s; while :; do sleep 1; done",
                   path("deaf"));
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_WORKER, 0, script),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 1, "sleep 0.3; exit 1")};
    assert_int_equal(run_job(job, 2, 0), 1);
    assert_gone(pid_from("deaf"));
}

static void grandchildren_end_with_the_job(void **state)
{
    (void)state;
    shell s[2];
    char script[256];
    (void)snprintf(script, sizeof script, "sh -c 'echo $$ > %s; exec sleep 1000' & sleep 1000",
                   path("grandchild"));
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_WORKER, 0, script),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 1, "sleep 0.5; exit 1")};
    assert_int_equal(run_job(job, 2, 0), 1);
    assert_gone(pid_from("grandchild"));
}

static void what_a_good_worker_leaves_behind_ends_too(void **state)
{
    (void)state;
    shell s;
    char script[256];
    (void)snprintf(script, sizeof script,
                   "sh -c 'echo $$ > %s; exec sleep 1000' & while [ ! -s %s ]; do sleep 0.05; done",
                   path("left"), path("left"));
    rg_launch_process job[] = {run_shell(&s, RG_LAUNCH_WORKER, 0, script)};
    assert_int_equal(run_job(job, 1, 0), 0);
    assert_gone(pid_from("left"));
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    shell s[2];
    int status = -1;
    char script[256];
    (void)snprintf(script, sizeof script, "echo $$ > %s; exec sleep 1000", path("started"));
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, script),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, "true")};
    s[1].argv[0] = "no-such-program";
    rg_launch_job spec = {.processes = job, .n = 2};
    assert_fails(rg_launch_run(&spec, &status), RG_ENOENT,
                 "worker 0: cannot start no-such-program: there is no such program on PATH");
    job[1].argv = (const char *const[]){"/tmp", NULL};
    assert_fails(rg_launch_run(&spec, &status), RG_ENOENT, "cannot start /tmp");
    job[1].argv = s[0].argv;
    job[1].log = "/no/such/folder/log";
    assert_fails(rg_launch_run(&spec, &status), RG_EIO, "/no/such/folder/log");
}

/* ---- echo ---- */

static void a_reader_that_stops_does_not_stop_the_watch(void **state)
{
    (void)state;
    shell s[2];
    int ends[2], saved = dup(1);
    assert_int_equal(pipe(ends), 0);
    rg_launch_process job[] = {
        run_shell(&s[0], RG_LAUNCH_WORKER, 0, "while :; do echo on and on; done"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 1, "sleep 0.5; exit 6")};
    job[0].echo = true;
    assert_int_equal(dup2(ends[1], 1), 1);
    int status = run_job(job, 2, 0); /* nobody reads ends[0] */
    assert_int_equal(dup2(saved, 1), 1);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(saved);
    assert_int_equal(status, 6);
    assert_said("first: worker 1");
}

static void output_that_nobody_reads_any_more_is_still_logged(void **state)
{
    (void)state;
    shell s;
    int ends[2], saved = dup(1);
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    rg_launch_process job[] = {run_shell(&s, RG_LAUNCH_WORKER, 0, "echo hello")};
    job[0].echo = true;
    assert_int_equal(dup2(ends[1], 1), 1);
    int status = run_job(job, 1, 0);
    assert_int_equal(dup2(saved, 1), 1);
    (void)close(ends[1]);
    (void)close(saved);
    assert_int_equal(status, 0);
    rg_buf log;
    rg_buf_init(&log, 0);
    assert_ok(rg_file_read_all(path("workerlog.0"), 100, &log));
    assert_string_equal(rg_buf_cstr(&log), "hello\n");
    rg_buf_fini(&log);
}

static void without_a_log_the_last_lines_are_those_echoed(void **state)
{
    (void)state;
    shell s;
    int saved = dup(1), to = open(path("out"), O_CREAT | O_RDWR, 0600);
    rg_launch_process job[] = {
        run_shell(&s, RG_LAUNCH_WORKER, 0, "seq 5000; echo the end; exit 4")};
    job[0].echo = true;
    job[0].log = NULL;
    assert_int_equal(dup2(to, 1), 1);
    int status = run_job(job, 1, 0);
    assert_int_equal(dup2(saved, 1), 1);
    (void)close(saved);
    (void)close(to);
    assert_int_equal(status, 4);
    assert_said("  | 5000\n  | the end\n");
}

static void lines_of_several_are_not_mixed(void **state)
{
    (void)state;
    shell s[2];
    int saved = dup(1), to = open(path("out"), O_CREAT | O_RDWR, 0600);
    rg_launch_process job[] = {
        run_shell(&s[0], RG_LAUNCH_WORKER, 0, "printf one; sleep 0.3; echo two"),
        run_shell(&s[1], RG_LAUNCH_WORKER, 1, "sleep 0.1; echo three; printf last")};
    job[0].echo = job[1].echo = true;
    assert_int_equal(dup2(to, 1), 1);
    int status = run_job(job, 2, 0);
    assert_int_equal(dup2(saved, 1), 1);
    (void)close(saved);
    (void)close(to);
    assert_int_equal(status, 0);
    rg_buf out;
    rg_buf_init(&out, 0);
    assert_ok(rg_file_read_all(path("out"), 1000, &out));
    assert_non_null(strstr(rg_buf_cstr(&out), "onetwo\n"));
    assert_non_null(strstr(rg_buf_cstr(&out), "three\n"));
    assert_non_null(strstr(rg_buf_cstr(&out), "last"));
    rg_buf_fini(&out);
}

/* ---- signals to the launcher ---- */

/* A launcher in a process of its own; returns its pid when its two processes run. */
static pid_t start_launcher(shell s[2], bool deaf)
{
    static char script[2][256];
    const char *trap = deaf ? "trap '' TERM INT; " : "";
    (void)snprintf(script[0], sizeof script[0], "%ssh -c 'echo $$ > %s; sleep 1000'", trap,
                   path("child0"));
    (void)snprintf(script[1], sizeof script[1], "%secho $$ > %s; while :; do sleep 1; done", trap,
                   path("child1"));
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    rg_launch_process job[] = {run_shell(&s[0], RG_LAUNCH_SERVER, 0, script[0]),
                               run_shell(&s[1], RG_LAUNCH_WORKER, 0, script[1])};
    rg_launch_job spec = {.processes = job, .n = 2, .log_dir = folder};
    int status = 99, to = open(path("said"), O_CREAT | O_TRUNC | O_RDWR, 0600);
    (void)dup2(to, 2);
    _exit(rg_launch_run(&spec, &status) == RG_OK ? status : 98);
}

static void end_launcher(int sent, int wanted, bool deaf)
{
    shell s[2];
    (void)unlink(path("child0"));
    (void)unlink(path("child1"));
    pid_t launcher = start_launcher(s, deaf), child[2] = {pid_from("child0"), pid_from("child1")};
    int status = 0;
    assert_int_equal(kill(launcher, sent), 0);
    assert_int_equal(waitpid(launcher, &status, 0), launcher);
    if (sent == SIGKILL)
        assert_true(WIFSIGNALED(status));
    else
        assert_int_equal(WEXITSTATUS(status), wanted);
    assert_gone(child[0]);
    assert_gone(child[1]);
}

static void ctrl_c_ends_everybody(void **state)
{
    (void)state;
    end_launcher(SIGINT, 130, false);
    rg_buf text;
    rg_buf_init(&text, 0);
    assert_ok(rg_file_read_all(path("said"), 4096, &text));
    assert_non_null(strstr(rg_buf_cstr(&text), "launch: interrupted: ending all processes"));
    rg_buf_fini(&text);
}

static void sigterm_ends_everybody(void **state)
{
    (void)state;
    end_launcher(SIGTERM, 143, false);
}

static void sigterm_ends_those_who_do_not_listen(void **state)
{
    (void)state;
    end_launcher(SIGTERM, 143, true);
}

/* promise 7 */
static void no_orphan_where_the_launcher_is_killed(void **state)
{
    (void)state;
    end_launcher(SIGKILL, 0, false);
    end_launcher(SIGKILL, 0, true);
}

/* ---- parts ---- */

static void reports_are_parsed_or_refused(void **state)
{
    (void)state;
    rg_launch_report r;
    const char *text = "file=b\nfile=a=c\nexamples=1\nfile=b\nexamples=3\n\nother=x";
    assert_ok(rg_launch_report_parse(&r, text, strlen(text)));
    assert_int_equal(r.examples, 3);
    assert_int_equal(r.n_files, 2);
    assert_string_equal(r.files[0], "a=c");
    rg_launch_report_fini(&r);
    assert_ok(rg_launch_report_parse(&r, NULL, 0));
    rg_launch_report_fini(&r);
    assert_fails(rg_launch_report_parse(&r, "examples", 8), RG_ECORRUPT, "without '='");
    assert_fails(rg_launch_report_parse(&r, "examples=-1", 11), RG_ECORRUPT, "not a number");
    assert_fails(rg_launch_report_parse(&r, "file=a\0b", 8), RG_ECORRUPT, "NUL");
}

static void durations_are_for_people(void **state)
{
    (void)state;
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_launch_duration(&out, UINT64_C(12340000000));
    rg_buf_char(&out, '|');
    rg_launch_duration(&out, UINT64_C(125000000000));
    rg_buf_char(&out, '|');
    rg_launch_duration(&out, UINT64_C(11400000000000));
    assert_string_equal(rg_buf_cstr(&out), "12.3 s|2 min 5 s|3 h 10 min");
    rg_buf_fini(&out);
}

static void a_kill_for_want_of_memory_is_said(void **state)
{
    (void)state;
    rg_buf out;
    rg_launch_process worker = {.role = RG_LAUNCH_WORKER, .index = 2, .log = "logs/workerlog.2"};
    rg_launch_failure f = {.process = &worker,
                           .end = {.pid = 7, .code = -1, .signal = 9, .max_rss = INT64_C(3) << 30},
                           .tail = "",
                           .log_dir = "logs",
                           .oom_kills = 1,
                           .memory_limit = INT64_C(4) << 30};
    rg_buf_init(&out, 0);
    rg_launch_card(&out, &f);
    assert_non_null(strstr(rg_buf_cstr(&out), "killed for want of memory while the job ran"));
    assert_non_null(strstr(rg_buf_cstr(&out), "the process had 3072 MiB at most"));
    rg_buf_clear(&out);
    f.oom_kills = 0;
    rg_launch_card(&out, &f);
    assert_non_null(strstr(rg_buf_cstr(&out), "counts no kill for want of memory"));
    rg_buf_fini(&out);
}

static void a_long_line_keeps_its_beginning_and_its_end(void **state)
{
    (void)state;
    rg_buf out, tail;
    rg_launch_process server = {.role = RG_LAUNCH_SERVER, .log = "logs/serverlog.0"};
    rg_buf_init(&tail, 0);
    rg_buf_text(&tail, "ValueError: op listen_and_serv(");
    for (int i = 0; i < 500; i++)
        rg_buf_text(&tail, "\xc3\xa4"); /* two bytes, which stay together */
    rg_buf_text(&tail, "): FLAGS_ps_table_memory is '1000'\n");
    rg_launch_failure f = {.process = &server,
                           .end = {.pid = 7, .code = 1},
                           .tail = rg_buf_cstr(&tail),
                           .log_dir = "logs"};
    rg_buf_init(&out, 0);
    rg_launch_card(&out, &f);
    const char *card = rg_buf_cstr(&out);
    assert_non_null(strstr(card, "  | ValueError: op listen_and_serv(\xc3\xa4"));
    assert_non_null(strstr(card, "\xa4 ... \xc3"));
    assert_non_null(strstr(card, "\xa4): FLAGS_ps_table_memory is '1000'\n"));
    rg_buf_fini(&out);
    rg_buf_fini(&tail);
}

#define T(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

RUN(T(workers_and_servers_that_end_are_success), T(a_report_that_cannot_be_read_is_a_note),
    T(a_log_that_cannot_be_written_is_said), T(servers_that_stay_are_told_to_end),
    T(a_server_that_ends_well_before_its_workers_is_no_failure),
    T(a_worker_that_fails_ends_the_job_and_is_named),
    T(a_worker_killed_is_told_apart_from_one_that_fails), T(a_crash_is_put_in_words),
    T(a_server_that_dies_is_a_failure_while_workers_run),
    T(who_is_blamed_may_end_later_and_is_first),
    T(who_was_given_up_is_named_though_who_says_so_still_runs),
    T(blame_that_leads_nowhere_stays_where_it_began), T(a_process_that_ignores_sigterm_is_killed),
    T(grandchildren_end_with_the_job), T(what_a_good_worker_leaves_behind_ends_too),
    T(a_program_that_is_not_there_is_an_error), T(a_reader_that_stops_does_not_stop_the_watch),
    T(output_that_nobody_reads_any_more_is_still_logged),
    T(without_a_log_the_last_lines_are_those_echoed), T(lines_of_several_are_not_mixed),
    T(ctrl_c_ends_everybody), T(sigterm_ends_everybody), T(sigterm_ends_those_who_do_not_listen),
    T(no_orphan_where_the_launcher_is_killed), T(reports_are_parsed_or_refused),
    T(durations_are_for_people), T(a_kill_for_want_of_memory_is_said),
    T(a_long_line_keeps_its_beginning_and_its_end))
