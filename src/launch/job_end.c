/* job_end.c - LOG_DIR/job.end. */
#include "launch/job_end.h"

#include "sys/file.h"
#include "sys/host.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 16 };

static const char *const kinds[] = {"running", "finished", "interrupted", "failed"};

static void path_of(const char *log_dir, rg_buf *path)
{
    rg_buf_init(path, 0);
    rg_buf_printf(path, "%s/job.end", log_dir);
}

static void add_failure(rg_buf *out, const rg_launch_failure *f)
{
    rg_buf_printf(out, "first=%s %d\n", rg_launch_role_name(f->process->role), f->process->index);
    rg_buf_printf(out, "pid=%ld\ncode=%d\nsignal=%d\nmax_rss=%lld\nafter_ns=%llu\n", f->end.pid,
                  f->end.code, f->end.signal, (long long)f->end.max_rss,
                  (unsigned long long)f->end.after_ns);
    rg_buf_printf(out, "oom_kills=%lld\nmemory_limit=%lld\nalso=%d\nstarts=%d\n",
                  (long long)f->oom_kills, (long long)f->memory_limit, f->also, f->starts);
    if (f->given_up != NULL)
        rg_buf_printf(out, "given_up=%s %d\ngiven_up_stands=%d\n",
                      rg_launch_role_name(f->given_up->role), f->given_up->index,
                      f->given_up_stands);
}

void rg_job_end_write(const char *log_dir, rg_job_end_kind kind, const rg_launch_failure *failure,
                      int signal)
{
    rg_buf path, text;
    char host[256];
    if (log_dir == NULL)
        return;
    rg_host_name(host, sizeof host);
    path_of(log_dir, &path);
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "end=%s\nlauncher=%ld\nhost=%s\n", kinds[kind], (long)rg_process_id(),
                  host);
    if (kind == RG_JOB_FAILED)
        add_failure(&text, failure);
    if (kind == RG_JOB_INTERRUPTED)
        rg_buf_printf(&text, "by=%d\n", signal);
    rg_status code = rg_buf_status(&text) == RG_OK ? rg_buf_status(&path) : RG_ENOMEM;
    if (code == RG_OK)
        code = rg_file_write_all(rg_buf_cstr(&path), text.data, text.len);
    if (code != RG_OK)
        rg_log(RG_LOG_W, "launch", "\"how the job ends is not written down\" why=\"%s\"",
               rg_error_message());
    rg_buf_fini(&text);
    rg_buf_fini(&path);
}

/* ---- reading ---- */

static bool parse_who(const char *text, rg_launch_process *process)
{
    const size_t n = strlen("worker ");
    char *end;
    process->role = strncmp(text, "worker ", n) == 0 ? RG_LAUNCH_WORKER : RG_LAUNCH_SERVER;
    if (strncmp(text, "worker ", n) != 0 && strncmp(text, "server ", n) != 0)
        return false;
    process->index = (int)strtol(text + n, &end, 10);
    return end != text + n && *end == '\0' && process->index >= 0;
}

static bool parse_kind(const char *text, rg_job_end_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *kind = (rg_job_end_kind)i;
            return true;
        }
    return false;
}

static bool parse_number(rg_job_end *e, const char *name, const char *text)
{
    char *end;
    rg_launch_failure *f = &e->failure;
    long long v = strtoll(text, &end, 10);
    if (strcmp(name, "launcher") == 0)
        e->launcher = (long)v;
    else if (strcmp(name, "pid") == 0)
        f->end.pid = (long)v;
    else if (strcmp(name, "code") == 0)
        f->end.code = (int)v;
    else if (strcmp(name, "signal") == 0)
        f->end.signal = (int)v;
    else if (strcmp(name, "max_rss") == 0)
        f->end.max_rss = v;
    else if (strcmp(name, "after_ns") == 0)
        f->end.after_ns = (uint64_t)v;
    else if (strcmp(name, "oom_kills") == 0)
        f->oom_kills = v;
    else if (strcmp(name, "memory_limit") == 0)
        f->memory_limit = v;
    else if (strcmp(name, "also") == 0)
        f->also = (int)v;
    else if (strcmp(name, "starts") == 0)
        f->starts = (int)v;
    else if (strcmp(name, "given_up_stands") == 0)
        f->given_up_stands = v != 0;
    else if (strcmp(name, "by") == 0)
        e->signal = (int)v;
    else
        return true; /* of a later version */
    return end != text && *end == '\0';
}

static bool parse_line(rg_job_end *e, char *line)
{
    char *value = strchr(line, '=');
    if (value == NULL)
        return false;
    *value++ = '\0';
    if (strcmp(line, "end") == 0)
        return parse_kind(value, &e->kind);
    if (strcmp(line, "host") == 0) {
        (void)snprintf(e->host, sizeof e->host, "%s", value);
        return true;
    }
    if (strcmp(line, "first") == 0) {
        e->failure.process = &e->first;
        return parse_who(value, &e->first);
    }
    if (strcmp(line, "given_up") == 0) {
        e->failure.given_up = &e->given_up;
        return parse_who(value, &e->given_up);
    }
    return parse_number(e, line, value);
}

rg_status rg_job_end_parse(rg_job_end *end, const char *bytes, size_t n)
{
    rg_buf text;
    memset(end, 0, sizeof *end);
    end->failure.oom_kills = end->failure.memory_limit = -1;
    end->failure.tail = "";
    rg_buf_init(&text, MAX_BYTES + 1);
    rg_buf_add(&text, bytes, n);
    rg_status code = rg_buf_status(&text);
    char *at = (char *)text.data; /* ends with a NUL, as buffers do */
    if (code == RG_OK && memchr(bytes, '\0', n) != NULL)
        code = rg_fail(RG_ECORRUPT, "it is no text");
    while (code == RG_OK && at != NULL && *at != '\0') {
        char *next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (!parse_line(end, at))
            code = rg_fail(RG_ECORRUPT, "it has a line '%.200s'", at);
        at = next;
    }
    if (code == RG_OK && end->kind == RG_JOB_FAILED && end->failure.process == NULL)
        code = rg_fail(RG_ECORRUPT, "it does not say who failed");
    rg_buf_fini(&text);
    return code;
}

rg_status rg_job_end_read(const char *log_dir, rg_job_end *end)
{
    rg_buf path, text;
    path_of(log_dir, &path);
    rg_buf_init(&text, MAX_BYTES);
    rg_status code = rg_path_exists(rg_buf_cstr(&path))
                         ? rg_file_read_all(rg_buf_cstr(&path), MAX_BYTES, &text)
                         : rg_fail(RG_ENOENT, "%s is not there", rg_buf_cstr(&path));
    if (code == RG_OK && (code = rg_job_end_parse(end, (const char *)text.data, text.len)) != RG_OK)
        code = rg_context(code, "%s", rg_buf_cstr(&path));
    rg_buf_fini(&text);
    rg_buf_fini(&path);
    return code;
}
