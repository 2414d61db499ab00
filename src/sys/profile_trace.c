/* profile_trace.c - spans in Chrome's trace format, and FLAGS_profile_dir. */
#include "sys/profile_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/job_env.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of steps have a lane of their own beside their thread's: they begin and end within ops. */
enum { PART_LANES = 1000000 };

typedef struct trace {
    rg_buf *out;
    uint64_t zero; /* wall time that is 0 in the trace */
    int64_t ahead;
    long pid; /* a number that no other process of the job has */
    char process[64];
} trace;

static const char *const categories[] = {"op", "run", "read", "part", "serve", "request"};

/* ---- who this is ---- */

/* "worker.0" and a number by it, so that those of a job are told apart on any number of hosts. */
static void name_us(trace *t)
{
    rg_job_env env;
    t->pid = rg_process_id();
    (void)snprintf(t->process, sizeof t->process, "process-%ld", t->pid);
    if (rg_job_env_here(&env) != RG_OK)
        return;
    if (env.role == RG_JOB_SERVER && env.server_index >= 0) {
        (void)snprintf(t->process, sizeof t->process, "server.%d", env.server_index);
        t->pid = 2L * env.server_index + 1;
    } else if (env.role == RG_JOB_TRAINER && env.trainer_id >= 0) {
        (void)snprintf(t->process, sizeof t->process, "worker.%d", env.trainer_id);
        t->pid = 2L * env.trainer_id + 2;
    }
    rg_job_env_fini(&env);
}

static uint64_t zero_of(const rg_span *spans, size_t n, int64_t ahead)
{
    const char *text = getenv("REGATTA_PROFILE_ZERO");
    uint64_t zero = text != NULL ? strtoull(text, NULL, 10) : 0, first = UINT64_MAX;
    if (zero != 0)
        return zero;
    for (size_t i = 0; i < n; i++)
        first = spans[i].start < first ? spans[i].start : first;
    return n > 0 ? (uint64_t)((int64_t)first + ahead) : 0;
}

/* ---- events ---- */

/* Microseconds, as the format wants; below 0 on a host whose clock is behind the one of zero. */
static double at_us(const trace *t, uint64_t ns)
{
    return (double)((int64_t)ns + t->ahead - (int64_t)t->zero) / 1e3;
}

static void add_name(const trace *t, const char *what, int thread, const char *name)
{
    rg_buf_printf(t->out,
                  ",\n{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %ld, \"tid\": %d, "
                  "\"args\": {\"name\": \"%s\"}}",
                  what, t->pid, thread, name);
}

/* A thread is called by what it does: a kind that tells more is first. */
static void add_threads(const trace *t, const rg_span *spans, size_t n)
{
    static const rg_span_kind telling[] = {RG_SPAN_RUN, RG_SPAN_SERVE, RG_SPAN_READ, RG_SPAN_OP,
                                           RG_SPAN_REQUEST};
    static const char *const names[] = {"trainer", "server loop", "reader", "ops", "network"};
    int threads = 0;
    for (size_t i = 0; i < n; i++)
        threads = spans[i].thread > threads ? spans[i].thread : threads;
    unsigned char *kinds = rg_alloc_zero((size_t)threads + 1, 1);
    for (size_t i = 0; kinds != NULL && i < n; i++)
        kinds[spans[i].thread] |= (unsigned char)(1U << spans[i].kind);
    for (int k = 1; kinds != NULL && k <= threads; k++)
        for (size_t i = 0; kinds[k] != 0 && i < sizeof telling / sizeof *telling; i++)
            if (kinds[k] & (1U << telling[i])) {
                char name[64];
                (void)snprintf(name, sizeof name, "%s (thread %d)", names[i], k);
                add_name(t, "thread_name", k, name);
                break;
            }
    for (int k = 1; kinds != NULL && k <= threads; k++)
        if (kinds[k] & (1U << RG_SPAN_PART)) {
            char name[64];
            (void)snprintf(name, sizeof name, "parts of its steps (thread %d)", k);
            add_name(t, "thread_name", PART_LANES + k, name);
        }
    rg_free(kinds);
}

static void add_span(const trace *t, const rg_span *s, size_t number)
{
    double start = at_us(t, s->start), end = at_us(t, s->end);
    if (s->kind != RG_SPAN_REQUEST) {
        rg_buf_printf(t->out,
                      ",\n{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, "
                      "\"dur\": %.3f, \"pid\": %ld, \"tid\": %d}",
                      s->name, categories[s->kind], start, end - start, t->pid,
                      s->thread + (s->kind == RG_SPAN_PART ? PART_LANES : 0));
        return;
    }
    for (int i = 0; i < 2; i++) /* they overlap: begin and end by an id */
        rg_buf_printf(t->out,
                      ",\n{\"name\": \"%s\", \"cat\": \"request\", \"ph\": \"%s\", "
                      "\"id\": \"%ld.%zu\", \"ts\": %.3f, \"pid\": %ld, \"tid\": %d}",
                      s->name, i == 0 ? "b" : "e", t->pid, number, i == 0 ? start : end, t->pid,
                      s->thread);
}

static rg_status write_trace(rg_buf *json, bool whole, size_t *n_events)
{
    size_t n;
    uint64_t dropped;
    trace t = {.out = json};
    char host[256], title[512];
    name_us(&t);
    rg_host_name(host, sizeof host);
    (void)snprintf(title, sizeof title, "%s (%s, pid %ld)", t.process, host, rg_process_id());
    const rg_span *spans = rg_profile_lock(whole, &n, &dropped, &t.ahead);
    t.zero = zero_of(spans, n, t.ahead);
    rg_buf_printf(json,
                  "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"process\": \"%s\", "
                  "\"host\": \"%s\", \"zero_ns\": \"%llu\", \"clock\": \"wall clock of the "
                  "host\", \"dropped\": \"%llu\", \"clocks\": \"",
                  t.process, host, (unsigned long long)t.zero, (unsigned long long)dropped);
    rg_profile_peers(json);
    rg_buf_text(json, "\"}, \"traceEvents\": [\n");
    rg_buf_printf(json,
                  "{\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": %ld, \"tid\": 0, "
                  "\"args\": {\"sort_index\": %ld}}",
                  t.pid, t.pid);
    add_name(&t, "process_name", 0, title);
    add_threads(&t, spans, n);
    for (size_t i = 0; i < n; i++)
        add_span(&t, &spans[i], i);
    rg_profile_unlock();
    rg_buf_text(json, "\n]}\n");
    *n_events = n;
    return rg_buf_status(json);
}

rg_status rg_profile_trace(rg_buf *json)
{
    size_t n;
    return write_trace(json, false, &n);
}

/* `whole`: a process that has done nothing writes nothing. */
static rg_status write_file(const char *path, bool whole)
{
    rg_buf json;
    size_t n = 0;
    rg_buf_init(&json, 0);
    rg_status code = write_trace(&json, whole, &n);
    if (code == RG_OK && (n > 0 || !whole))
        code = rg_file_write_all(path, json.data, json.len);
    rg_buf_fini(&json);
    return code;
}

rg_status rg_profile_write(const char *path)
{
    return write_file(path, false);
}

/* ---- of a whole process ---- */

void rg_profile_end(void)
{
    static atomic_flag was_written = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&was_written))
        return;
    const char *folder = "";
    char path[4096];
    trace t = {.out = NULL};
    rg_profiling = false;
    name_us(&t);
    (void)rg_flag_text("profile_dir", &folder);
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, t.process);
    if (rg_dir_make(folder) != RG_OK || write_file(path, true) != RG_OK)
        rg_log(RG_LOG_W, "profile", "\"the trace was not written\" why=\"%s\"", rg_error_message());
}

bool rg_profile_by_flag(void)
{
    const char *folder = "";
    (void)rg_flag_text("profile_dir", &folder);
    if (folder[0] == '\0')
        return false;
    rg_profile_keep();
    rg_profile_start();
    return atexit(rg_profile_end) == 0;
}
