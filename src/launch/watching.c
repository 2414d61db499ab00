/* watching.c - the launcher's own lines, and its look at who makes no step. */
#include "launch/watching.h"

#include "base/json.h"
#include "base/mem.h"
#include "launch/card.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/host.h"
#include "sys/process.h"
#include "watch/page.h"
#include "watch/state.h"

#include <stdio.h>
#include <string.h>

enum { LOOK_MS = 500, TAIL_BYTES = 8192, DEFAULT_STALL = 10 };
#define MS UINT64_C(1000000)

/* So much of a worker's time for reading is worth a word, and so little ends it. */
static const double SLOW = 0.6, QUICK = 0.5;
static const double WARM_UP = 3.0; /* seconds: the first steps wait for the first data */
/* Without a sign of waiting, one that computes something else (saves, evaluates) gets more time. */
enum { PATIENCE = 6 };

typedef struct one {
    char name[32];
    const char *state; /* as last written */
    double stepped;    /* first step of its life */
    bool is_stalled, is_slow;
} one;

struct rg_watching {
    const rg_launch_job *job;
    one *each; /* by process */
    rg_watch_state *state;
    rg_page *page;
    double stall_seconds;
    double began;
    bool is_stalled; /* all of it */
    uint64_t next_look;
};

/* ---- lines ---- */

static void set_state(rg_watching *w, int i, const char *state)
{
    rg_buf line;
    if (w->each[i].state != NULL && strcmp(w->each[i].state, state) == 0)
        return;
    w->each[i].state = state;
    rg_buf_init(&line, 0);
    rg_buf_printf(&line, "\"state\":{\"%s\":\"%s\"}", w->each[i].name, state);
    if (rg_buf_status(&line) == RG_OK)
        rg_watch_line(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

static void write_start(const rg_watching *w)
{
    int count[2] = {0, 0};
    char host[256];
    rg_buf line;
    for (int i = 0; i < w->job->n; i++)
        count[w->job->processes[i].role]++;
    rg_host_name(host, sizeof host);
    rg_buf_init(&line, 0);
    rg_buf_printf(&line,
                  "\"start\":{\"process\":\"launcher\",\"pid\":%ld,\"host\":", rg_process_id());
    rg_json_string(&line, host);
    rg_buf_printf(&line,
                  ",\"incarnation\":0,\"endpoint\":\"\",\"version\":\"%s\",\"workers\":%d,"
                  "\"servers\":%d",
                  RG_VERSION, count[RG_LAUNCH_WORKER], count[RG_LAUNCH_SERVER]);
    /* Without the token: the file is for whoever may read the logs. */
    if (w->page != NULL)
        rg_buf_printf(&line, ",\"page\":\"%.*s\"", (int)strcspn(rg_page_address(w->page), "?"),
                      rg_page_address(w->page));
    rg_buf_char(&line, '}');
    if (rg_buf_status(&line) == RG_OK)
        rg_watch_line(rg_buf_cstr(&line));
    rg_buf_fini(&line);
}

rg_status rg_watching_open(rg_watching **out, const rg_launch_job *job)
{
    rg_status code;
    *out = NULL;
    if (job->watch_dir == NULL)
        return RG_OK;
    rg_watching *w = rg_alloc_zero(1, sizeof *w);
    if (w == NULL)
        return rg_no_memory(sizeof *w, "watching a job");
    w->job = job;
    w->stall_seconds = job->stall_seconds > 0 ? job->stall_seconds : DEFAULT_STALL;
    w->began = rg_clock_unix();
    w->each = rg_alloc_zero((size_t)job->n + 1, sizeof *w->each);
    RG_TRY_GOTO(code, w->each ? RG_OK : rg_no_memory((size_t)job->n, "watching processes"));
    for (int i = 0; i < job->n; i++)
        (void)snprintf(w->each[i].name, sizeof w->each[i].name, "%s.%d",
                       rg_launch_role_name(job->processes[i].role), job->processes[i].index);
    RG_TRY_GOTO(code, rg_watch_file_open(job->watch_dir, "launcher"));
    RG_TRY_GOTO(code, rg_watch_state_open(&w->state, job->watch_dir));
    if (job->page_host != NULL)
        RG_TRY_GOTO(code, rg_page_open(&w->page, job->watch_dir, job->page_host, job->page_port,
                                       job->page_token));
    write_start(w);
    if (w->page != NULL)
        (void)fprintf(stderr, "launch: the page of this job: %s\n", rg_page_address(w->page));
    *out = w;
    return RG_OK;
done:
    rg_watching_close(w);
    return code;
}

void rg_watching_started(rg_watching *w, const rg_children *children, int i, int starts)
{
    if (w == NULL)
        return;
    long pid = rg_children_pid(children, i);
    if (starts > 0)
        rg_event("started", w->each[i].name, "pid %ld, started again (%d of %d)", pid, starts,
                 w->job->restarts);
    else
        rg_event("started", w->each[i].name, "pid %ld", pid);
    w->each[i].stepped = 0;
    w->each[i].is_stalled = w->each[i].is_slow = false;
    set_state(w, i, "running");
}

/* The last line of it that says something. */
static void last_line(const rg_children *children, int i, rg_buf *line)
{
    rg_buf tail;
    rg_buf_init(&tail, 0);
    if (rg_children_tail(children, i, TAIL_BYTES, &tail) == RG_OK) {
        size_t end = tail.len, from;
        while (end > 0 && strchr(" \t\r\n", tail.data[end - 1]) != NULL)
            end--;
        for (from = end; from > 0 && tail.data[from - 1] != '\n' && tail.data[from - 1] != '\r';)
            from--;
        rg_buf_add(line, tail.data + from, end - from);
    }
    rg_buf_fini(&tail);
}

void rg_watching_died(rg_watching *w, const rg_children *children, int i, const rg_child_end *end,
                      const char *what)
{
    rg_buf said;
    if (w == NULL)
        return;
    rg_buf_init(&said, 0);
    if (end->signal == 0)
        last_line(children, i, &said);
    rg_event(end->signal != 0 ? "killed" : "error", w->each[i].name, "%s%s%.400s", what,
             said.len > 0 ? "; its last line: " : "", rg_buf_cstr(&said));
    set_state(w, i, "dead");
    rg_buf_fini(&said);
}

void rg_watching_finished(rg_watching *w, int i)
{
    if (w == NULL)
        return;
    set_state(w, i, "finished"); /* it says so itself, too */
}

/* ---- looking ---- */

static void look_at_stopped(rg_watching *w, const rg_children *children, int i)
{
    bool is_stopped = rg_children_stopped(children, i);
    bool was = strcmp(w->each[i].state, "stopped") == 0;
    long pid = rg_children_pid(children, i);
    if (is_stopped && !was)
        rg_event("stopped", w->each[i].name,
                 "stands still by a signal (pid %ld): kill -CONT %ld lets it go on", pid, pid);
    else if (was && !is_stopped)
        rg_event("continued", w->each[i].name, "pid %ld", pid);
    set_state(w, i, is_stopped ? "stopped" : "running");
}

/* The newest line of a log's end that says whom the process waits for. */
static bool says_it_waits(const rg_children *children, int i, rg_buf *line)
{
    rg_buf tail;
    rg_buf_init(&tail, 0);
    const char *found = NULL;
    if (rg_children_tail(children, i, TAIL_BYTES, &tail) == RG_OK) {
        for (size_t k = 0; k < tail.len; k++)
            if (tail.data[k] == '\0')
                tail.data[k] = '?';
        const char *text = rg_buf_cstr(&tail);
        for (const char *at = text; at != NULL && *at != '\0';) {
            const char *end = strchr(at, '\n');
            size_t n = end != NULL ? (size_t)(end - at) : strlen(at);
            if (memmem(at, n, "waiting for ", 12) != NULL || memmem(at, n, " waits ", 7) != NULL)
                found = at;
            at = end != NULL ? end + 1 : NULL;
        }
    }
    if (found != NULL) {
        size_t n = strcspn(found, "\n");
        const char *quote = memchr(found, '"', n);
        const char *from = quote != NULL ? quote + 1 : found;
        n -= (size_t)(from - found);
        while (n > 0 && (from[n - 1] == '"' || from[n - 1] == '\r'))
            n--;
        rg_buf_add(line, from, n < 300 ? n : 300);
    }
    rg_buf_fini(&tail);
    return found != NULL;
}

static void add_reason(rg_buf *text, const char *name, const char *what)
{
    rg_buf_printf(text, "%s%s %s", text->len > 0 ? "; " : "", name, what);
}

/* Who stands, who is silent, and whom others say they wait for. False: nothing of that. */
static bool find_reasons(const rg_watching *w, const rg_children *children, rg_buf *text)
{
    double now = rg_clock_unix();
    rg_buf line;
    rg_buf_init(&line, 0);
    for (int i = 0; i < rg_children_count(children); i++) {
        const rg_watched *p = rg_watch_state_process(w->state, w->each[i].name);
        if (strcmp(w->each[i].state, "stopped") == 0)
            add_reason(text, w->each[i].name, "is stopped by a signal");
        else if (rg_children_running(children, i) && p != NULL && p->newest > 0 &&
                 now - p->newest > w->stall_seconds)
            add_reason(text, w->each[i].name, "says nothing any more");
        else if (strcmp(w->each[i].state, "dead") == 0)
            add_reason(text, w->each[i].name, "is dead");
    }
    for (int i = 0; i < rg_children_count(children) && text->len < 700; i++) {
        rg_buf_clear(&line);
        if (!rg_children_running(children, i) || strcmp(w->each[i].state, "stopped") == 0 ||
            !says_it_waits(children, i, &line))
            continue;
        rg_buf_printf(text, "%s%s says: %s", text->len > 0 ? "; " : "", w->each[i].name,
                      rg_buf_cstr(&line));
    }
    rg_buf_fini(&line);
    return text->len > 0;
}

/* Those at work on something that is no step. */
static void add_busy(const rg_watching *w, const rg_children *children, rg_buf *text)
{
    for (int i = 0; i < rg_children_count(children); i++) {
        const rg_watched *p = rg_watch_state_process(w->state, w->each[i].name);
        if (p == NULL || !rg_children_running(children, i))
            continue;
        char what[80];
        double cpu = rg_watched_rate(w->state, p, "regatta_process_cpu_seconds_total");
        (void)snprintf(what, sizeof what, cpu > 0.2 ? "is at work (CPU %.0f %%)" : "waits",
                       100 * cpu);
        add_reason(text, w->each[i].name, what);
    }
}

static bool is_live_worker(const rg_watching *w, const rg_children *children, int i)
{
    return w->job->processes[i].role == RG_LAUNCH_WORKER && rg_children_running(children, i);
}

static void tell_stall(const rg_watching *w, const rg_children *children, const char *who,
                       double since, bool *is_stalled)
{
    rg_buf text;
    rg_buf_init(&text, 0);
    bool known = find_reasons(w, children, &text);
    if (!known && since > PATIENCE * w->stall_seconds)
        add_busy(w, children, &text);
    if (known || since > PATIENCE * w->stall_seconds) {
        rg_event("stalled", who, "no step for %.0f s: %s", since, rg_buf_cstr(&text));
        *is_stalled = true;
    }
    rg_buf_fini(&text);
}

static void tell_recovered(const char *who, bool *is_stalled)
{
    if (*is_stalled)
        rg_event("recovered", who, "steps are made again");
    *is_stalled = false;
}

/* One that makes no step while others do; all of them are one matter, the job's. */
static void look_at_steps(rg_watching *w, const rg_children *children)
{
    double now = rg_clock_unix(), newest = 0;
    int live = 0;
    for (int i = 0; i < rg_children_count(children); i++) {
        const rg_watched *p = rg_watch_state_process(w->state, w->each[i].name);
        if (p == NULL || !is_live_worker(w, children, i))
            continue;
        live++;
        newest = p->stepped > newest ? p->stepped : newest;
    }
    if (live == 0)
        return;
    /* Before the first step data is read and processes meet. */
    double since = newest > 0 ? now - newest : (now - w->began) / 3;
    if (since <= w->stall_seconds)
        tell_recovered("job", &w->is_stalled);
    else if (!w->is_stalled)
        tell_stall(w, children, "job", since, &w->is_stalled);
    for (int i = 0; i < rg_children_count(children); i++) {
        const rg_watched *p = rg_watch_state_process(w->state, w->each[i].name);
        if (p == NULL || !is_live_worker(w, children, i) || p->stepped == 0)
            continue;
        if (now - p->stepped <= w->stall_seconds)
            tell_recovered(w->each[i].name, &w->each[i].is_stalled);
        else if (since <= w->stall_seconds && !w->each[i].is_stalled)
            tell_stall(w, children, w->each[i].name, now - p->stepped, &w->each[i].is_stalled);
    }
}

/* A worker whose time goes into reading: a slow disk, a slow pipe. */
static void look_at_reading(rg_watching *w, const rg_children *children, int i)
{
    const rg_watched *p = rg_watch_state_process(w->state, w->each[i].name);
    double share[RG_STEP_PARTS];
    one *o = &w->each[i];
    if (p == NULL || !is_live_worker(w, children, i) || p->stepped == 0 ||
        !rg_watched_split(w->state, p, share))
        return;
    if (o->stepped == 0)
        o->stepped = p->stepped;
    if (p->stepped - o->stepped < WARM_UP)
        return;
    if (!o->is_slow && share[0] > SLOW)
        rg_event("slow", o->name,
                 "%.0f %% of its time is waiting for data: a slow disk or pipe, or too few threads "
                 "that read",
                 100 * share[0]);
    else if (o->is_slow && share[0] < QUICK)
        rg_event("quick", o->name, "waits for data %.0f %% of its time", 100 * share[0]);
    o->is_slow = o->is_slow ? share[0] >= QUICK : share[0] > SLOW;
}

void rg_watching_look(rg_watching *w, const rg_children *children, uint64_t *next)
{
    if (w == NULL)
        return;
    if (rg_clock_ns() >= w->next_look) {
        w->next_look = rg_clock_ns() + LOOK_MS * MS;
        for (int i = 0; i < rg_children_count(children); i++)
            if (rg_children_running(children, i))
                look_at_stopped(w, children, i);
        if (rg_watch_state_poll(w->state, rg_clock_unix()) == RG_OK) {
            look_at_steps(w, children);
            for (int i = 0; i < rg_children_count(children); i++)
                look_at_reading(w, children, i);
        }
    }
    if (w->next_look < *next)
        *next = w->next_look;
}

void rg_watching_end(rg_watching *w, int status, const char *what)
{
    char line[64];
    if (w == NULL)
        return;
    for (int i = 0; i < w->job->n; i++) /* ended with the job, not by itself */
        if (w->each[i].state != NULL && strcmp(w->each[i].state, "dead") != 0)
            set_state(w, i, status == 0 ? "finished" : "ended");
    rg_event(status == 0 ? "finished" : "error", "job", "%s", what);
    (void)snprintf(line, sizeof line, "\"end\":{\"status\":%d}", status);
    rg_watch_line(line);
}

void rg_watching_close(rg_watching *w)
{
    if (w == NULL)
        return;
    rg_page_close(w->page);
    rg_watch_state_close(w->state);
    rg_watch_file_close();
    rg_free(w->each);
    rg_free(w);
}
