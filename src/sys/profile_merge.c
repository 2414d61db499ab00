/* profile_merge.c - the traces of a job's processes as one, and what they sum up to.
 *
 * Times of all are since one zero (profile.h), by the clocks of their hosts. They are read twice:
 * for what is known of the clocks and for the first event, then to be copied, moved to the clock of
 * one (profile_clock.c). Only what profile_trace.c writes is read: an event is a line. */
#include "sys/profile_priv.h"

#include "base/map.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 1 << 15, CHUNK = 1 << 16 };
static const char MERGED[] = "trace.json";

typedef struct merger {
    const rg_folder *folder;
    rg_file *out;
    int files;
    bool looking; /* for clocks and the first event, the first time */
    bool any;     /* an event was written */
    char process[256];
    rg_clocks clocks;
    rg_map first;  /* the time of a process's first event */
    double ahead;  /* what is to be added to the times of this file */
    double before; /* how far the first of all is before 0 */
    rg_buf found;  /* "worker.0, worker.1" */
} merger;

/* The text behind `key` up to a quote or comma, in a line of ours. */
static bool field(const char *line, const char *key, char *out, size_t size)
{
    const char *at = strstr(line, key);
    if (at == NULL)
        return false;
    at += strlen(key);
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\",}"), at);
    return true;
}

/* Names live as long as the process, since spans have them; few there are. One merges at a time. */
static rg_map names;

static rg_status intern(const char *text, const char **out)
{
    *out = rg_map_get(&names, text);
    if (*out != NULL)
        return RG_OK;
    char *copy = rg_strdup(text);
    if (copy == NULL)
        return rg_no_memory(strlen(text), "a name");
    *out = copy;
    rg_status code = rg_map_put(&names, copy, copy);
    if (code != RG_OK)
        rg_free(copy);
    return code;
}

/* Into the list, for the tables. */
static rg_status count(const merger *m, const char *line)
{
    static const struct {
        const char *category;
        rg_span_kind kind;
    } kinds[] = {{"op", RG_SPAN_OP}, {"run", RG_SPAN_RUN}, {"part", RG_SPAN_PART}};
    char name[256], category[32], number[64];
    rg_span span = {0};
    if (strstr(line, "\"ph\": \"X\"") == NULL || !field(line, "\"name\": \"", name, sizeof name) ||
        !field(line, "\"cat\": \"", category, sizeof category))
        return RG_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].category, category) != 0)
            continue;
        if (kinds[i].kind == RG_SPAN_RUN && strncmp(m->process, "server.", 7) == 0)
            continue; /* its runs are updates, no steps */
        span.kind = kinds[i].kind;
        RG_TRY(intern(name, &span.name));
        if (!field(line, "\"dur\": ", number, sizeof number))
            return RG_OK;
        span.end = (uint64_t)(strtod(number, NULL) * 1e3);
        rg_profile_put(&span);
    }
    return RG_OK;
}

/* ---- clocks ---- */

/* Behind `"ts": `; NULL: it has no time. */
static char *time_in(char *line)
{
    char *at = strstr(line, "\"ts\": ");
    return at != NULL ? at + 6 : NULL;
}

static rg_status look_at_line(merger *m, char *line)
{
    const char *clocks = strstr(line, "\"clocks\": \"");
    char *at = time_in(line), *end;
    if (strncmp(line, "{\"name\": ", 9) != 0 && clocks != NULL) {
        clocks += strlen("\"clocks\": \"");
        end = strchr(clocks, '"');
        if (end != NULL)
            *end = '\0';
        return rg_clocks_take(&m->clocks, m->process, clocks);
    }
    if (at == NULL)
        return RG_OK;
    double t = strtod(at, &end), *first = rg_map_get(&m->first, m->process);
    if (first != NULL) {
        *first = t < *first ? t : *first;
        return RG_OK;
    }
    const char *name;
    RG_TRY(intern(m->process, &name));
    if ((first = rg_alloc(sizeof *first)) == NULL)
        return rg_no_memory(sizeof *first, "a trace");
    *first = t;
    rg_status code = rg_map_put(&m->first, name, first);
    if (code != RG_OK)
        rg_free(first);
    return code;
}

static double ahead_us(const merger *m, const char *process)
{
    return (double)rg_clocks_ahead(&m->clocks, process) / 1e3;
}

/* Nothing is before 0: the host of the clock that all go by may be behind the one of zero. */
static void find_first(merger *m)
{
    for (size_t i = 0; i < m->first.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&m->first, i);
        if (e == NULL)
            continue;
        double t = *(double *)e->value + ahead_us(m, e->key);
        m->before = t < -m->before ? -t : m->before;
        rg_free(e->value);
    }
    rg_map_fini(&m->first);
}

static rg_status write_event(merger *m, char *line, size_t n)
{
    char *at = time_in(line), *end;
    double more = m->ahead + m->before;
    if (at == NULL || more == 0)
        return rg_file_write(m->out, line, n);
    char text[64];
    double t = strtod(at, &end);
    int length = snprintf(text, sizeof text, "%.3f", t + more);
    RG_TRY(rg_file_write(m->out, line, (size_t)(at - line)));
    RG_TRY(rg_file_write(m->out, text, (size_t)length < sizeof text ? (size_t)length : 0));
    return rg_file_write(m->out, end, n - (size_t)(end - line));
}

/* ---- files ---- */

static rg_status take_line(merger *m, char *line)
{
    size_t n = strlen(line);
    if (m->looking)
        return look_at_line(m, line);
    if (n > 0 && line[n - 1] == ',')
        line[--n] = '\0';
    if (strncmp(line, "{\"name\": ", 9) != 0) /* the first line and the last */
        return RG_OK;
    if (line[n - 1] != '}')
        return rg_fail(RG_ECORRUPT, "an event is cut off; was the process killed as it wrote?");
    RG_TRY(rg_file_write(m->out, m->any ? ",\n" : "\n", m->any ? 2 : 1));
    RG_TRY(write_event(m, line, n));
    m->any = true;
    return count(m, line);
}

static rg_status take_bytes(merger *m, const char *bytes, size_t got, char *line, size_t *length)
{
    for (size_t i = 0; i < got; i++) {
        if (bytes[i] != '\n') {
            if (*length + 1 == MAX_LINE)
                return rg_fail(RG_ECORRUPT, "a line is longer than %d bytes: no trace of ours",
                               MAX_LINE);
            line[(*length)++] = bytes[i];
            continue;
        }
        line[*length] = '\0';
        *length = 0;
        RG_TRY(take_line(m, line));
    }
    return RG_OK;
}

static rg_status take_file(merger *m, const char *name)
{
    rg_file *file;
    char line[MAX_LINE];
    size_t got = 1, length = 0;
    RG_TRY(rg_folder_read_linked(&file, m->folder, name));
    char *chunk = rg_alloc(CHUNK);
    rg_status code = chunk ? RG_OK : rg_no_memory(CHUNK, "a trace");
    while (code == RG_OK && got > 0) {
        code = rg_file_read_some(file, chunk, CHUNK, &got);
        if (code == RG_OK)
            code = take_bytes(m, chunk, got, line, &length);
    }
    rg_free(chunk);
    rg_file_close(file);
    return code == RG_OK ? RG_OK : rg_context(code, "%s", name);
}

/* worker.0.json, server.1.json, process-77.json */
static bool is_trace(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && n < 256 && strcmp(name + n - 5, ".json") == 0 &&
           (strncmp(name, "worker.", 7) == 0 || strncmp(name, "server.", 7) == 0 ||
            strncmp(name, "process-", 8) == 0);
}

static rg_status visit(void *arg, const char *name)
{
    merger *m = arg;
    if (!is_trace(name))
        return RG_OK;
    (void)snprintf(m->process, sizeof m->process, "%.*s", (int)strlen(name) - 5, name);
    if (m->looking)
        return take_file(m, name);
    m->ahead = ahead_us(m, m->process);
    rg_buf_printf(&m->found, "%s%s", m->files++ > 0 ? ", " : "", m->process);
    if (m->ahead != 0)
        rg_buf_printf(&m->found, " (whose clock was %.6f s %s)",
                      (m->ahead < 0 ? -m->ahead : m->ahead) / 1e6,
                      m->ahead < 0 ? "ahead" : "behind");
    return take_file(m, name);
}

static rg_status merge_into(merger *m, const char *path)
{
    static const char head[] = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
    RG_TRY(rg_file_create(&m->out, path));
    RG_TRY(rg_file_write(m->out, head, sizeof head - 1));
    m->looking = true;
    rg_status code = rg_folder_each(m->folder, visit, m);
    find_first(m);
    RG_TRY(code);
    m->looking = false;
    RG_TRY(rg_folder_each(m->folder, visit, m));
    RG_TRY(rg_file_write(m->out, "\n]}\n", 4));
    return rg_file_finish(m->out);
}

rg_status rg_profile_merge(const char *folder, rg_buf *processes)
{
    rg_folder *opened;
    rg_buf path;
    merger m = {0};
    RG_TRY(rg_folder_open(&opened, folder));
    m.folder = opened;
    rg_buf_init(&m.found, 0);
    rg_buf_init(&path, 0);
    rg_buf_printf(&path, "%s/%s", folder, MERGED);
    rg_status code = merge_into(&m, rg_buf_cstr(&path));
    if (code == RG_OK && m.files == 0)
        code = rg_fail(
            RG_ENOENT,
            "%s has no trace (worker.N.json, server.N.json, process-PID.json): nothing was "
            "run, or processes were killed before they could write it",
            folder);
    rg_buf_text(processes, rg_buf_cstr(&m.found));
    rg_file_close(m.out);
    rg_clocks_fini(&m.clocks);
    rg_folder_close(opened);
    rg_buf_fini(&path);
    rg_buf_fini(&m.found);
    return code;
}
