/* launch.c - a job on this host, from the first start to the last end. */
#include "launch/launch_priv.h"

#include "base/mem.h"
#include "launch/card.h"
#include "launch/job_end.h"
#include "sys/clock.h"
#include "sys/ending.h"
#include "sys/host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { JOIN_MS = 200 }; /* how often it is looked who wants to join */
enum { GAP_MS = 20, GRACE_MS = 4000, SERVER_WAIT_MS = 5000, TAIL_BYTES = 8192 };
enum { TELL_MS = 10000 }; /* how often it is told who is waited for */

#define MS  UINT64_C(1000000)
#define FAR (UINT64_MAX / 2)

static void say(const char *text)
{
    (void)fprintf(stderr, "%s", text);
    (void)fflush(stderr);
}

/* "launch: ..." in one write, so that it does not mix with echoed output. */
static void say_line(const rg_buf *text)
{
    rg_buf line;
    rg_buf_init(&line, 0);
    rg_buf_printf(&line, "launch: %s\n", rg_buf_cstr(text));
    say(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

/* What a process writes does not all come into its log: said when it begins. */
static void tell_lost(const rg_supervisor *s, int child)
{
    const rg_launch_process *p = &s->job->processes[child];
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_text(&text, "warning: ");
    rg_launch_who(&text, p);
    rg_buf_printf(&text, ": its log %s is not complete: %s", p->log,
                  rg_children_log_lost(s->children, child));
    say_line(&text);
    rg_buf_fini(&text);
}

/* Or about to be started again. */
static bool any_running(const rg_supervisor *s, rg_launch_role role)
{
    for (int i = 0; i < rg_children_count(s->children); i++)
        if (s->job->processes[i].role == role &&
            (rg_children_running(s->children, i) || s->restarts[i].due_ns != 0))
            return true;
    return false;
}

static void signal_all(rg_supervisor *s, int signal)
{
    for (int i = 0; i < rg_children_count(s->children); i++)
        rg_children_signal(s->children, i, signal);
}

/* ---- ending ---- */

static void tell_waiting(const rg_supervisor *s)
{
    const char *before = " ";
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_text(&text, "waiting for the end of");
    for (int i = 0; i < rg_children_count(s->children); i++) {
        if (!rg_children_running(s->children, i))
            continue;
        rg_buf_text(&text, before);
        rg_launch_who(&text, &s->job->processes[i]);
        before = ", ";
    }
    rg_buf_text(&text, "; once more Ctrl+C, or SIGTERM, kills what is left");
    say_line(&text);
    rg_buf_fini(&text);
}

/* Waits until no worker runs, and no server where `all`. *why: RG_CHILD_ENDED, or what came before
 * that: a second signal to us, or the deadline. A terminal that closes sends SIGHUP by its shell
 * and once more when that is gone: nobody is there who asks for anything. */
static rg_status await_ends(rg_supervisor *s, bool all, uint64_t deadline, rg_child_event *why)
{
    uint64_t tell = rg_clock_ns() + TELL_MS * MS;
    *why = RG_CHILD_ENDED;
    while (any_running(s, RG_LAUNCH_WORKER) || (all && any_running(s, RG_LAUNCH_SERVER))) {
        rg_child_end end;
        int child;
        RG_TRY(rg_children_wait(s->children, tell < deadline ? tell : deadline, why, &child, &end));
        if (*why == RG_CHILD_LOG_LOST) {
            tell_lost(s, child);
        } else if (*why == RG_CHILD_TIMEOUT && rg_clock_ns() < deadline) {
            tell_waiting(s);
            tell += TELL_MS * MS;
        } else if (*why == RG_CHILD_TIMEOUT || (*why == RG_CHILD_SIGNAL && child != SIGHUP)) {
            return RG_OK;
        }
        *why = RG_CHILD_ENDED;
    }
    return RG_OK;
}

static rg_status kill_all(rg_supervisor *s)
{
    rg_child_event why;
    signal_all(s, SIGKILL);
    do
        RG_TRY(await_ends(s, true, FAR, &why));
    while (why != RG_CHILD_ENDED);
    return RG_OK;
}

static void ask_to_end(rg_supervisor *s, rg_launch_role role)
{
    for (int i = 0; i < rg_children_count(s->children); i++)
        if (s->job->processes[i].role == role) {
            rg_children_signal(s->children, i, SIGTERM);
            rg_children_signal(s->children, i, SIGCONT); /* a stopped one takes it only then */
        }
}

static void start_no_more(rg_supervisor *s)
{
    for (int i = 0; i < s->job->n; i++)
        s->restarts[i].due_ns = 0;
}

/* Where that fails processes are ended all the same. */
static void say_ending(const rg_supervisor *s)
{
    rg_buf text;
    if (s->job->run_dir == NULL || rg_ending_say(s->job->run_dir) == RG_OK)
        return;
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "warning: servers are not told that this is no failure: %s",
                  rg_error_message());
    say_line(&text);
    rg_buf_fini(&text);
}

static rg_status end_all(rg_supervisor *s, bool *killed)
{
    rg_child_event why;
    start_no_more(s);
    ask_to_end(s, RG_LAUNCH_WORKER);
    ask_to_end(s, RG_LAUNCH_SERVER);
    RG_TRY(await_ends(s, true, rg_clock_ns() + GRACE_MS * MS, &why));
    *killed = why != RG_CHILD_ENDED;
    return *killed ? kill_all(s) : RG_OK;
}

/* Workers first, which may have something to save; then servers, which have half of the time. */
static rg_status end_with_grace(rg_supervisor *s, bool *killed)
{
    rg_child_event why;
    uint64_t half = (uint64_t)s->job->grace_ms * MS / 2, begin = rg_clock_ns();
    start_no_more(s);
    ask_to_end(s, RG_LAUNCH_WORKER);
    RG_TRY(await_ends(s, false, begin + half, &why));
    ask_to_end(s, RG_LAUNCH_SERVER);
    if (why == RG_CHILD_ENDED || why == RG_CHILD_TIMEOUT)
        RG_TRY(await_ends(s, true, begin + 2 * half, &why));
    *killed = why != RG_CHILD_ENDED;
    return *killed ? kill_all(s) : RG_OK;
}

static void note_failure(rg_supervisor *s, int child, const rg_child_end *end)
{
    s->ends[child] = *end;
    s->failed[s->n_failed++] = child;
}

/* Died for good, and not missed: enough others are left. */
static bool is_done_without(rg_supervisor *s, int child)
{
    const rg_launch_process *p = &s->job->processes[child];
    int workers = 0;
    /* Those that are yet to be started count: they will be. A spare one need not. */
    for (int i = 0; i < s->job->n; i++)
        workers += s->job->processes[i].role == RG_LAUNCH_WORKER &&
                   (!s->job->processes[i].spare || i < rg_children_count(s->children));
    if (s->job->least_workers < 1 || p->role != RG_LAUNCH_WORKER ||
        workers - s->n_lost - 1 < s->job->least_workers)
        return false;
    s->lost[s->n_lost++] = child;
    return true;
}

/* Whether one that died had nothing left to do. A worker: where servers have ended well each of
 * them had told them that it is done. A server: no worker is left, and none has failed. */
static bool had_finished(const rg_supervisor *s, int child)
{
    rg_buf path;
    if (s->job->restarts < 1 && s->join == NULL) /* else one may come when all is done */
        return false;
    if (s->job->processes[child].role == RG_LAUNCH_SERVER)
        return !any_running(s, RG_LAUNCH_WORKER);
    if (s->is_over || s->job->run_dir == NULL)
        return s->is_over;
    rg_cause_path(s, child, &path);
    bool over = rg_buf_status(&path) == RG_OK && rg_because_is_over(rg_buf_cstr(&path));
    rg_buf_fini(&path);
    return over;
}

/* A process has failed: it is started again, or done without, or the job has failed. */
static void take_end(rg_supervisor *s, int child, const rg_child_end *end)
{
    const rg_launch_process *p = &s->job->processes[child];
    rg_because of;
    uint64_t now = rg_clock_ns();
    rg_buf text;
    rg_buf_init(&text, 0);
    bool over = s->signal != 0 || s->n_failed > 0 ||
                (end->signal == 0 && rg_cause_said(s, child, &of)) ||
                (s->job->restarts < 1 && s->join == NULL && p->role == RG_LAUNCH_SERVER &&
                 !any_running(s, RG_LAUNCH_WORKER));
    rg_launch_who(&text, p);
    if (!over && had_finished(s, child)) {
        rg_buf_text(&text, " died when it had finished: ");
        rg_launch_how(&text, end);
        say_line(&text);
    } else if (!over && rg_restart_plan(&s->restarts[child], s->job, p, end, now)) {
        rg_buf_clear(&text);
        rg_restart_text(&text, &s->restarts[child], s->job, p, now);
        say_line(&text);
    } else if (!over && is_done_without(s, child)) {
        rg_buf_text(&text, " is lost for good: ");
        rg_launch_how(&text, end);
        rg_buf_text(&text, "; the others go on without it");
        say_line(&text);
    } else {
        rg_buf_printf(&text, " (pid %ld) died: ", end->pid);
        rg_launch_how(&text, end);
        note_failure(s, child, end);
    }
    rg_watching_died(s->watching, s->children, child, end, rg_buf_cstr(&text));
    rg_buf_fini(&text);
}

/* `child` once more: what the one before said of its end is forgotten. */
static rg_status start_anew(rg_supervisor *s, int child)
{
    rg_restart *r = &s->restarts[child];
    rg_cause_forget(s, child);
    RG_TRY(rg_restart_now(r, s->children, child, &s->job->processes[child], s->whole_lines));
    rg_watching_started(s->watching, s->children, child, r->starts);
    return RG_OK;
}

/* Those whose time has come; *next: when the first of the others is due. */
static rg_status start_again(rg_supervisor *s, uint64_t *next)
{
    *next = FAR;
    for (int i = 0; i < s->job->n; i++) {
        const rg_restart *r = &s->restarts[i];
        if (r->due_ns == 0)
            continue;
        if (r->due_ns <= rg_clock_ns()) {
            RG_TRY(start_anew(s, i));
        } else if (r->due_ns < *next) {
            *next = r->due_ns;
        }
    }
    return RG_OK;
}

rg_status rg_supervisor_collect_one(rg_supervisor *s, uint64_t deadline, bool *more)
{
    rg_child_event event;
    rg_child_end end;
    int child;
    RG_TRY(rg_children_wait(s->children, deadline, &event, &child, &end));
    if (event == RG_CHILD_ENDED && end.code == 0)
        rg_watching_finished(s->watching, child);
    if (event == RG_CHILD_ENDED && end.code != 0)
        take_end(s, child, &end);
    else if (event == RG_CHILD_ENDED && s->job->processes[child].role == RG_LAUNCH_SERVER)
        s->is_over = true;
    else if (event == RG_CHILD_LOG_LOST)
        tell_lost(s, child);
    if (event == RG_CHILD_SIGNAL && s->signal == 0)
        s->signal = child;
    *more = event != RG_CHILD_TIMEOUT;
    return RG_OK;
}

/* ---- how it ends ---- */

static rg_status failed(rg_supervisor *s, int *exit_status)
{
    bool killed;
    rg_buf tail, card;
    int first;
    RG_TRY(rg_cause_first(s, &first));
    s->given_up_stands = s->given_up >= 0 && rg_children_stopped(s->children, s->given_up);
    int64_t oom = rg_host_oom_kills();
    RG_TRY(end_all(s, &killed));
    rg_buf_init(&tail, 0);
    rg_buf_init(&card, 0);
    (void)rg_children_tail(s->children, first, TAIL_BYTES, &tail);
    for (size_t i = 0; i < tail.len; i++)
        if (tail.data[i] == '\0')
            tail.data[i] = '?';
    const rg_restart *again = &s->restarts[first];
    rg_launch_failure failure = {
        .process = &s->job->processes[first],
        .end = s->ends[first],
        .tail = rg_buf_cstr(&tail),
        .log_dir = s->job->log_dir,
        .oom_kills = oom >= 0 && s->oom_before >= 0 ? oom - s->oom_before : -1,
        .memory_limit = rg_host_memory_limit(),
        .also = s->n_failed - 1,
        .given_up = s->given_up >= 0 ? &s->job->processes[s->given_up] : NULL,
        .given_up_stands = s->given_up_stands,
        .starts = again->starts,
        .in_a_loop = again->gave_up && (again->starts < s->job->restarts),
        .no_journal = (s->job->restarts > 0) && !s->job->restarts_servers &&
                      s->job->processes[first].role == RG_LAUNCH_SERVER,
    };
    rg_launch_card(&card, &failure);
    say(rg_buf_cstr(&card));
    rg_job_end_write(s->job->log_dir, RG_JOB_FAILED, &failure, 0);
    rg_buf_clear(&card);
    rg_buf_text(&card, "failure: ");
    rg_launch_given_up(&card, &failure, "; ");
    rg_launch_who(&card, failure.process);
    rg_buf_text(&card, " ended first, with ");
    rg_launch_how(&card, &failure.end);
    say_line(&card);
    rg_watching_end(s->watching, failure.end.signal ? 128 + failure.end.signal : failure.end.code,
                    rg_buf_cstr(&card));
    rg_buf_fini(&card);
    rg_buf_fini(&tail);
    *exit_status = failure.end.signal ? 128 + failure.end.signal : failure.end.code;
    return RG_OK;
}

static rg_status interrupted(rg_supervisor *s, int *exit_status)
{
    bool killed;
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "%s: ending all processes",
                  s->signal == SIGINT   ? "interrupted"
                  : s->signal == SIGHUP ? "the terminal was closed"
                                        : "asked to end");
    say_line(&text);
    say_ending(s);
    rg_status code = s->job->grace_ms > 0 ? end_with_grace(s, &killed) : end_all(s, &killed);
    rg_job_end_write(s->job->log_dir, RG_JOB_INTERRUPTED, NULL, s->signal);
    rg_buf_clear(&text);
    rg_buf_text(&text, "ended by a signal after ");
    rg_launch_duration(&text, rg_clock_ns() - s->started_ns);
    if (killed)
        rg_buf_text(&text, "; some processes had to be killed");
    say_line(&text);
    rg_watching_end(s->watching, 128 + s->signal, rg_buf_cstr(&text));
    rg_buf_fini(&text);
    *exit_status = 128 + s->signal;
    return code;
}

/* ---- success ---- */

/* "; logs that are not complete: ...", where there are such. */
static void add_lost(const rg_supervisor *s, rg_buf *line)
{
    bool any = false;
    for (int i = 0; i < rg_children_count(s->children); i++) {
        const char *why = rg_children_log_lost(s->children, i);
        if (why == NULL)
            continue;
        rg_buf_printf(line, "%s %s (%s)",
                      any ? "," : "; logs that are not complete:", s->job->processes[i].log, why);
        any = true;
    }
}

/* "; started again: worker 1 (2 times); lost: worker 0", where there are such. */
static void add_starts(const rg_supervisor *s, rg_buf *line)
{
    const char *before = "; started again: ";
    for (int i = 0; i < s->job->n; i++) {
        int starts = s->restarts[i].starts;
        if (starts == 0)
            continue;
        rg_buf_text(line, before);
        rg_launch_who(line, &s->job->processes[i]);
        if (starts > 1)
            rg_buf_printf(line, " (%d times)", starts);
        before = ", ";
    }
    before = "; lost: ";
    for (int i = 0; i < s->n_lost; i++, before = ", ") {
        rg_buf_text(line, before);
        rg_launch_who(line, &s->job->processes[s->lost[i]]);
    }
}

static void tell_success(rg_supervisor *s)
{
    int count[2] = {0, 0};
    rg_buf line, examples, twice;
    rg_buf_init(&line, 0);
    rg_buf_init(&examples, 0);
    rg_buf_init(&twice, 0);
    for (int i = 0; i < rg_children_count(s->children); i++)
        count[s->job->processes[i].role]++;
    if (s->job->run_dir != NULL)
        (void)rg_launch_report_text(s->job->run_dir, s->job, &examples, &twice);
    for (const char *at = rg_buf_cstr(&twice); *at != '\0';) {
        size_t n = strcspn(at, "\n");
        rg_buf_clear(&line);
        rg_buf_text(&line, "note: ");
        rg_buf_add(&line, at, n);
        say_line(&line);
        at += n + (at[n] == '\n');
    }
    rg_buf_clear(&line);
    rg_buf_printf(&line, "success: %d worker%s", count[RG_LAUNCH_WORKER],
                  count[RG_LAUNCH_WORKER] == 1 ? "" : "s");
    if (count[RG_LAUNCH_SERVER] > 0)
        rg_buf_printf(&line, ", %d server%s", count[RG_LAUNCH_SERVER],
                      count[RG_LAUNCH_SERVER] == 1 ? "" : "s");
    rg_buf_text(&line, ", ");
    rg_launch_duration(&line, rg_clock_ns() - s->started_ns);
    if (examples.len > 0)
        rg_buf_printf(&line, "; %s", rg_buf_cstr(&examples));
    add_starts(s, &line);
    add_lost(s, &line);
    say_line(&line);
    rg_watching_end(s->watching, 0, rg_buf_cstr(&line));
    rg_buf_fini(&line);
    rg_buf_fini(&examples);
    rg_buf_fini(&twice);
}

/* Servers that still run are told to end: that is how a job without exe.close() ends. */
static rg_status end_servers(rg_supervisor *s)
{
    rg_buf text;
    bool killed;
    rg_buf_init(&text, 0);
    rg_buf_text(&text, "note: all workers are done; ending");
    for (int i = 0; i < rg_children_count(s->children); i++)
        if (rg_children_running(s->children, i)) {
            rg_buf_char(&text, ' ');
            rg_launch_who(&text, &s->job->processes[i]);
        }
    rg_buf_text(&text, ", which did not end by itself");
    say_line(&text);
    rg_buf_fini(&text);
    return end_all(s, &killed);
}

/* ---- workers that are added ---- */

static rg_status start_next(rg_supervisor *s);

/* The number of one that is lost, else one that nobody has had. */
static rg_status add_worker(rg_supervisor *s, rg_buf *answer)
{
    int child = s->n_lost > 0 ? s->lost[0] : rg_children_count(s->children);
    if (!any_running(s, RG_LAUNCH_WORKER) || s->is_over) {
        rg_buf_text(answer, "refused: the job is ending");
        return RG_OK;
    }
    if (child >= s->job->n) {
        rg_buf_text(answer, "refused: the job has as many workers as --elastic allows");
        return RG_OK;
    }
    if (s->n_lost > 0) {
        s->n_lost--;
        memmove(s->lost, s->lost + 1, (size_t)s->n_lost * sizeof *s->lost);
        RG_TRY(start_anew(s, child));
    } else {
        RG_TRY(start_next(s));
    }
    rg_buf_text(answer, "started: ");
    rg_launch_who(answer, &s->job->processes[child]);
    return RG_OK;
}

static rg_status look_for_joins(rg_supervisor *s)
{
    bool asked = s->join != NULL;
    while (asked) {
        rg_buf text;
        RG_TRY(rg_join_asked(s->join, &asked));
        if (!asked)
            break;
        rg_buf_init(&text, 0);
        rg_status code = add_worker(s, &text);
        if (code == RG_OK)
            code = rg_buf_status(&text);
        if (code == RG_OK)
            code = rg_join_answer(s->join, rg_buf_cstr(&text));
        if (code == RG_OK)
            say_line(&text);
        rg_buf_fini(&text);
        RG_TRY(code);
    }
    return RG_OK;
}

/* ---- the job ---- */

/* Waits for the next end; false in *go_on when the job is over, one way or the other. */
static rg_status watch(rg_supervisor *s, uint64_t *server_deadline, bool *go_on)
{
    bool more;
    uint64_t next;
    int wait_ms = s->job->server_wait_ms > 0 ? s->job->server_wait_ms : SERVER_WAIT_MS;
    if (!any_running(s, RG_LAUNCH_WORKER)) {
        *go_on = any_running(s, RG_LAUNCH_SERVER);
        if (!*go_on)
            return RG_OK;
        if (*server_deadline == FAR)
            *server_deadline = rg_clock_ns() + (uint64_t)wait_ms * MS;
    }
    RG_TRY(start_again(s, &next));
    rg_watching_look(s->watching, s->children, &next);
    RG_TRY(look_for_joins(s));
    uint64_t look = s->join != NULL ? rg_clock_ns() + JOIN_MS * MS : FAR;
    next = look < next ? look : next;
    RG_TRY(rg_supervisor_collect_one(s, next < *server_deadline ? next : *server_deadline, &more));
    if (!more && rg_clock_ns() >= *server_deadline) {
        *go_on = false;
        return end_servers(s);
    }
    *go_on = s->signal == 0 && s->n_failed == 0;
    return RG_OK;
}

/* The first of the processes that have not been started. */
static rg_status start_next(rg_supervisor *s)
{
    int number = rg_children_count(s->children);
    const rg_launch_process *p = &s->job->processes[number];
    rg_child_spec spec = {.argv = p->argv,
                          .env = p->env,
                          .log = p->log,
                          .append = p->append,
                          .echo = p->echo,
                          .whole_lines = s->whole_lines};
    rg_status code = rg_children_start(s->children, &spec);
    if (code != RG_OK)
        return rg_context(code, "%s %d", rg_launch_role_name(p->role), p->index);
    rg_watching_started(s->watching, s->children, number, 0);
    return RG_OK;
}

/* One a moment after the other: many scripts make a folder where there is none, and those that
 * look at the very same time would both make it. */
static rg_status start_all(rg_supervisor *s)
{
    int echoed = 0;
    for (int i = 0; i < s->job->n; i++)
        echoed += s->job->processes[i].echo;
    s->whole_lines = echoed > 1;
    for (int i = 0; i < s->job->n && !s->job->processes[i].spare; i++) {
        RG_TRY(start_next(s));
        bool more = i + 1 < s->job->n;
        for (uint64_t next = rg_clock_ns() + GAP_MS * MS; more;)
            RG_TRY(rg_supervisor_collect_one(s, next, &more));
    }
    return RG_OK;
}

rg_status rg_launch_run(const rg_launch_job *job, int *exit_status)
{
    rg_supervisor s = {.job = job, .given_up = -1};
    uint64_t server_deadline = FAR;
    bool go_on;
    rg_status code;
    if (job->n < 1)
        return rg_fail(RG_EINVAL, "a job without processes");
    RG_TRY(rg_watching_open(&s.watching, job));
    code = rg_children_open(&s.children);
    if (code != RG_OK) {
        rg_watching_close(s.watching);
        return code;
    }
    s.ends = rg_alloc_zero((size_t)job->n, sizeof *s.ends);
    s.failed = rg_alloc_zero((size_t)job->n, sizeof *s.failed);
    s.restarts = rg_alloc_zero((size_t)job->n, sizeof *s.restarts);
    s.lost = rg_alloc_zero((size_t)job->n, sizeof *s.lost);
    RG_TRY_GOTO(code, s.ends && s.failed && s.restarts && s.lost
                          ? RG_OK
                          : rg_no_memory((size_t)job->n, "processes"));
    s.started_ns = rg_clock_ns();
    s.oom_before = rg_host_oom_kills();
    rg_job_end_write(job->log_dir, RG_JOB_RUNNING, NULL, 0);
    if (job->join_dir != NULL)
        RG_TRY_GOTO(code, rg_join_open(&s.join, job->join_dir));
    RG_TRY_GOTO(code, start_all(&s));
    go_on = s.signal == 0 && s.n_failed == 0;
    while (go_on)
        RG_TRY_GOTO(code, watch(&s, &server_deadline, &go_on));
    if (s.n_failed > 0) {
        code = failed(&s, exit_status);
    } else if (s.signal != 0) {
        code = interrupted(&s, exit_status);
    } else {
        tell_success(&s);
        rg_job_end_write(job->log_dir, RG_JOB_FINISHED, NULL, 0);
        *exit_status = 0;
    }
done:
    rg_join_close(s.join);
    rg_children_close(s.children);
    rg_watching_close(s.watching);
    for (int i = 0; s.restarts != NULL && i < job->n; i++)
        rg_restart_fini(&s.restarts[i]);
    rg_free(s.restarts);
    rg_free(s.lost);
    rg_free(s.ends);
    rg_free(s.failed);
    return code;
}
