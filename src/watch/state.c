/* state.c - taking in what processes write, in the order of time. */
#include "watch/state.h"

#include "base/json.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "watch/tail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROCESSES = 4096, MAX_METRICS = 1024, MAX_EVENTS = 1000, MAX_KEY = 256 };
static const double ROUND = 1.0; /* seconds of all files that are taken in together */

const char *const rg_step_parts[RG_STEP_PARTS] = {"read", "pull", "compute", "push", "wait"};

/* ---- processes ---- */

/* "worker.12" */
static bool read_name(const char *name, rg_watched_role *role, int *index)
{
    static const struct {
        const char *name;
        rg_watched_role role;
    } roles[] = {{"worker.", RG_WATCHED_WORKER}, {"server.", RG_WATCHED_SERVER}};
    *index = 0;
    *role = RG_WATCHED_LAUNCHER;
    if (strcmp(name, "launcher") == 0)
        return true;
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(roles[i].name),
               digits = strspn(name + (strlen(name) < n ? 0 : n), "0123456789");
        if (strncmp(name, roles[i].name, n) == 0 && digits > 0 && digits < 7 &&
            name[n + digits] == '\0') {
            *role = roles[i].role;
            *index = (int)strtol(name + n, NULL, 10);
            return true;
        }
    }
    return false;
}

static int compare(const rg_watched *a, const rg_watched *b)
{
    return a->role != b->role ? (int)a->role - (int)b->role : a->index - b->index;
}

static rg_watched *add_process(rg_watch_state *s, const char *name, rg_watched_role role, int index)
{
    rg_watched *p = rg_alloc_zero(1, sizeof *p);
    if (p == NULL || s->n == MAX_PROCESSES ||
        rg_grow((void **)&s->processes, s->n, &s->cap, sizeof(rg_watched *)) != RG_OK) {
        rg_free(p);
        return NULL;
    }
    p->role = role;
    p->index = index;
    (void)snprintf(p->name, sizeof p->name, "%s", name);
    size_t at = s->n++;
    for (; at > 0 && compare(p, s->processes[at - 1]) < 0; at--)
        s->processes[at] = s->processes[at - 1];
    s->processes[at] = p;
    return p;
}

rg_watched *rg_watch_state_process(rg_watch_state *s, const char *name)
{
    rg_watched_role role;
    int index;
    if (!read_name(name, &role, &index))
        return NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->processes[i]->role == role && s->processes[i]->index == index)
            return s->processes[i];
    return add_process(s, name, role, index);
}

static void free_process(rg_watched *p)
{
    rg_map_entry *e;
    for (size_t i = 0; i < p->metrics.n_entries; i++)
        if ((e = rg_map_at(&p->metrics, i)) != NULL) {
            rg_free(((rg_watched_metric *)e->value)->key);
            rg_free(e->value);
        }
    rg_map_fini(&p->metrics);
    rg_tail_close(p->tail);
    rg_free(p);
}

/* ---- lines ---- */

bool rg_watched_is_counter(const char *key)
{
    static const char *const ends[] = {"_total", "_bucket", "_sum", "_count"};
    size_t n = strcspn(key, "{");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t m = strlen(ends[i]);
        if (n > m && memcmp(key + n - m, ends[i], m) == 0)
            return true;
    }
    return false;
}

static rg_watched_metric *metric_of(rg_watched *p, const char *key)
{
    rg_watched_metric *m = rg_map_get(&p->metrics, key);
    if (m != NULL || p->metrics.live >= MAX_METRICS)
        return m;
    m = rg_alloc_zero(1, sizeof *m);
    char *copy = rg_strdup(key);
    if (m == NULL || copy == NULL || rg_map_put(&p->metrics, copy, m) != RG_OK) {
        rg_free(m);
        rg_free(copy);
        return NULL;
    }
    m->key = copy;
    return m;
}

static void take_metric(rg_watched *p, double t, const char *key, double value)
{
    rg_watched_metric *m = metric_of(p, key);
    if (m == NULL)
        return;
    if (strcmp(key, "regatta_batches_total") == 0 && value > 0)
        p->stepped = t;
    m->value = rg_watched_is_counter(key) ? m->before + value : value;
    m->recent[m->n_recent++ % RG_WATCH_RECENT] = (rg_point){t, m->value};
}

static void take_metrics(rg_watched *p, double t, rg_json_reader *r)
{
    char key[MAX_KEY];
    for (rg_json_open(r, '{'); rg_json_member(r, key, sizeof key);) {
        double value;
        if (rg_json_read_number(r, &value))
            take_metric(p, t, key, value);
    }
}

/* A process begins, or is there once more: its counters begin at 0. */
static void take_start(rg_watch_state *s, rg_watched *p, double t, rg_json_reader *r)
{
    char key[MAX_KEY];
    double number;
    rg_map_entry *e;
    for (size_t i = 0; i < p->metrics.n_entries; i++)
        if ((e = rg_map_at(&p->metrics, i)) != NULL && rg_watched_is_counter(e->key)) {
            rg_watched_metric *m = e->value;
            m->before = m->value;
        }
    p->started = t;
    p->has_ended = false;
    for (rg_json_open(r, '{'); rg_json_member(r, key, sizeof key);) {
        if (strcmp(key, "pid") == 0 && rg_json_read_number(r, &number))
            p->pid = number > 0 && number < 1e9 ? (long)number : 0;
        else if (strcmp(key, "incarnation") == 0 && rg_json_read_number(r, &number))
            p->incarnation = number > 0 && number < 1e9 ? (int)number : 0;
        else if (strcmp(key, "host") == 0)
            (void)rg_json_read_string(r, p->host, sizeof p->host);
        else if (strcmp(key, "endpoint") == 0)
            (void)rg_json_read_string(r, p->endpoint, sizeof p->endpoint);
        else if (strcmp(key, "job") == 0)
            (void)rg_json_read_string(r, s->job, sizeof s->job);
        else
            (void)rg_json_skip(r);
    }
}

static void take_end(rg_watched *p, rg_json_reader *r)
{
    char key[MAX_KEY];
    double number;
    p->has_ended = true;
    p->status = 0;
    for (rg_json_open(r, '{'); rg_json_member(r, key, sizeof key);)
        if (strcmp(key, "status") == 0 && rg_json_read_number(r, &number))
            p->status = fabs(number) < 1e6 ? (int)number : 1;
        else
            (void)rg_json_skip(r);
}

static void take_states(rg_watch_state *s, rg_json_reader *r)
{
    char key[MAX_KEY];
    for (rg_json_open(r, '{'); rg_json_member(r, key, sizeof key);) {
        char said[sizeof(((rg_watched *)0)->said)];
        if (!rg_json_read_string(r, said, sizeof said))
            return;
        rg_watched *p = rg_watch_state_process(s, key);
        if (p != NULL)
            memcpy(p->said, said, sizeof said);
    }
}

/* In its place by time; the oldest goes where there is no room. */
static void add_event(rg_watch_state *s, const rg_watched_event *event)
{
    if (s->events == NULL)
        s->events = rg_alloc_zero(MAX_EVENTS, sizeof *s->events);
    if (s->events == NULL)
        return;
    if (s->n_events == MAX_EVENTS) {
        s->forgotten_events++;
        memmove(s->events, s->events + 1, --s->n_events * sizeof *s->events);
    }
    size_t at = s->n_events++;
    for (; at > 0 && s->events[at - 1].t > event->t; at--)
        s->events[at] = s->events[at - 1];
    s->events[at] = *event;
}

static bool read_time(const char *line, size_t n, double *t)
{
    rg_json_reader r = {line, line + n, false};
    char key[MAX_KEY];
    for (rg_json_open(&r, '{'); rg_json_member(&r, key, sizeof key);) {
        if (strcmp(key, "t") == 0)
            return rg_json_read_number(&r, t) && *t > 0 && *t < 1e11;
        (void)rg_json_skip(&r);
    }
    return false;
}

static void note_bad(rg_watch_state *s, const rg_watched *of)
{
    s->bad_lines++;
    (void)snprintf(s->bad_line, sizeof s->bad_line, "%s.jsonl", of->name);
}

void rg_watch_state_line(rg_watch_state *s, rg_watched *of, const char *line, size_t n)
{
    rg_json_reader r = {line, line + n, false};
    rg_watched_event event = {0};
    char key[MAX_KEY];
    if (!read_time(line, n, &event.t)) {
        note_bad(s, of);
        return;
    }
    for (rg_json_open(&r, '{'); rg_json_member(&r, key, sizeof key);) {
        if (strcmp(key, "m") == 0)
            take_metrics(of, event.t, &r);
        else if (strcmp(key, "start") == 0)
            take_start(s, of, event.t, &r);
        else if (strcmp(key, "end") == 0)
            take_end(of, &r);
        else if (strcmp(key, "state") == 0 && of->role == RG_WATCHED_LAUNCHER)
            take_states(s, &r);
        else if (strcmp(key, "event") == 0)
            (void)rg_json_read_string(&r, event.kind, sizeof event.kind);
        else if (strcmp(key, "who") == 0)
            (void)rg_json_read_string(&r, event.who, sizeof event.who);
        else if (strcmp(key, "text") == 0)
            (void)rg_json_read_string(&r, event.text, sizeof event.text);
        else
            (void)rg_json_skip(&r);
    }
    if (r.failed)
        note_bad(s, of);
    if (event.kind[0] != '\0')
        add_event(s, &event);
    of->newest = event.t > of->newest ? event.t : of->newest;
    s->newest = event.t > s->newest ? event.t : s->newest;
    s->started = s->started == 0 || event.t < s->started ? event.t : s->started;
}

/* ---- curves ---- */

/* The mean of a number over workers that said it since *seen. */
static void take_mean(rg_watch_state *s, rg_series *to, const char *key, double *seen)
{
    double sum = 0, newest = *seen;
    int n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const rg_watched_metric *m = rg_map_get(&s->processes[i]->metrics, key);
        if (m == NULL || m->n_recent == 0)
            continue;
        const rg_point *last = &m->recent[(m->n_recent - 1) % RG_WATCH_RECENT];
        if (last->t <= *seen)
            continue;
        newest = last->t > newest ? last->t : newest;
        sum += last->v;
        n++;
    }
    if (n > 0)
        rg_series_add(to, newest, sum / n);
    *seen = newest;
}

/* Of all its labels. */
static double sum_of(const rg_watch_state *s, const char *name)
{
    double sum = 0;
    size_t n = strlen(name);
    for (size_t i = 0; i < s->n; i++) {
        const rg_map *metrics = &s->processes[i]->metrics;
        for (size_t k = 0; k < metrics->n_entries; k++) {
            const rg_map_entry *e = rg_map_at(metrics, k);
            if (e != NULL && strncmp(e->key, name, n) == 0 && e->key[n] == '{')
                sum += ((rg_watched_metric *)e->value)->value;
        }
    }
    return sum;
}

static bool anybody_says(const rg_watch_state *s, const char *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (rg_map_has(&s->processes[i]->metrics, key))
            return true;
    return false;
}

/* A round of lines has been taken in. */
static void tick(rg_watch_state *s)
{
    double t = s->newest, examples = rg_watch_examples(s), progress = rg_watch_progress(s);
    double bytes = sum_of(s, "regatta_table_bytes");
    rg_point last;
    if (t <= s->ticked)
        return;
    s->ticked = t;
    s->examples.is_count = s->table_bytes.is_count = s->progress.is_count = true;
    if (examples > 0 && (!rg_series_last(&s->examples, &last) || last.v != examples))
        rg_series_add(&s->examples, t, examples);
    if (bytes > 0)
        rg_series_add(&s->table_bytes, t, bytes);
    /* A new pass begins anew: its pace is its own. */
    if (progress >= 0 && rg_series_last(&s->progress, &last) && progress < last.v)
        s->progress = (rg_series){.is_count = true};
    if (progress >= 0)
        rg_series_add(&s->progress, t, progress);
    take_mean(s, &s->loss, "regatta_loss", &s->loss_t);
    take_mean(s, &s->auc,
              anybody_says(s, "regatta_global_auc") ? "regatta_global_auc" : "regatta_auc",
              &s->auc_t);
    take_mean(s, &s->test_loss, "regatta_loss{set=\"test\"}", &s->test_loss_t);
    take_mean(s, &s->test_auc, "regatta_auc{set=\"test\"}", &s->test_auc_t);
}

/* ---- files ---- */

static rg_status found_file(void *arg, const char *file)
{
    rg_watch_state *s = arg;
    char name[RG_WATCH_NAME], path[4096];
    size_t n = strlen(file);
    if (n < 7 || n - 6 >= sizeof name || strcmp(file + n - 6, ".jsonl") != 0)
        return RG_OK;
    memcpy(name, file, n - 6);
    name[n - 6] = '\0';
    rg_watched *p = rg_watch_state_process(s, name);
    if (p == NULL || p->tail != NULL)
        return RG_OK;
    int length = snprintf(path, sizeof path, "%s/%s", s->watch_dir, file);
    return length > 0 && length < (int)sizeof path ? rg_tail_open(&p->tail, path) : RG_OK;
}

static rg_status find_files(rg_watch_state *s)
{
    rg_folder *folder;
    if (!rg_path_is_dir(s->watch_dir))
        return RG_OK;
    RG_TRY(rg_folder_open(&folder, s->watch_dir));
    rg_status code = rg_folder_each(folder, found_file, s);
    rg_folder_close(folder);
    return code;
}

/* The time of the next line of a process, past those that have none; false: it has no more. */
static bool next_time(rg_watch_state *s, rg_watched *p, double *t, const char **line, size_t *n)
{
    while (p->tail != NULL && rg_tail_line(p->tail, line, n)) {
        if (read_time(*line, *n, t))
            return true;
        note_bad(s, p);
        rg_tail_drop(p->tail);
    }
    return false;
}

rg_status rg_watch_state_poll(rg_watch_state *s, double now)
{
    RG_TRY(find_files(s));
    s->now = now;
    for (;;) {
        const char *line;
        double first = INFINITY, t;
        size_t n;
        for (size_t i = 0; i < s->n; i++)
            if (next_time(s, s->processes[i], &t, &line, &n) && t < first)
                first = t;
        if (isinf(first))
            return RG_OK;
        /* A line may add a process, which then has no file open yet. */
        for (size_t i = 0; i < s->n; i++)
            while (next_time(s, s->processes[i], &t, &line, &n) && t < first + ROUND) {
                rg_watched *p = s->processes[i];
                rg_watch_state_line(s, p, line, n);
                rg_tail_drop(p->tail);
                if (s->processes[i] != p)
                    break; /* another has its place now: it comes again in the next round */
            }
        tick(s);
    }
}

static rg_status see_file(void *arg, const char *name)
{
    size_t n = strlen(name);
    if ((strncmp(name, "worker.", 7) == 0 || strncmp(name, "server.", 7) == 0) && n > 6 &&
        strcmp(name + n - 6, ".jsonl") == 0)
        *(bool *)arg = true;
    return RG_OK;
}

/* Whether it is a folder of files as FLAGS_watch_dir names it, for a process that is started by
 * hand: it need not be called watch. */
static bool is_watch_dir(const char *path)
{
    rg_folder *folder = NULL;
    bool seen = false;
    if (rg_folder_open(&folder, path) != RG_OK)
        return false;
    (void)rg_folder_each(folder, see_file, &seen);
    rg_folder_close(folder);
    return seen;
}

rg_status rg_watch_state_open(rg_watch_state **out, const char *folder)
{
    rg_buf path;
    rg_watch_state *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "the state of a job");
    rg_buf_init(&path, 0);
    rg_buf_text(&path, folder);
    while (path.len > 1 && path.data[path.len - 1] == '/')
        path.data[--path.len] = '\0';
    bool is_below = path.len >= 6 && strcmp(rg_buf_cstr(&path) + path.len - 6, "/watch") == 0;
    s->log_dir = rg_strdup(rg_buf_cstr(&path));
    if (is_below && s->log_dir != NULL)
        s->log_dir[path.len - 6] = '\0';
    else if (!is_watch_dir(rg_buf_cstr(&path)))
        rg_buf_text(&path, "/watch");
    rg_status code = rg_buf_status(&path);
    s->watch_dir = code == RG_OK ? rg_buf_take(&path) : NULL;
    rg_buf_fini(&path);
    if (code == RG_OK && (s->log_dir == NULL || s->watch_dir == NULL))
        code = rg_no_memory(strlen(folder), "the name of a folder");
    if (code == RG_OK && !rg_path_is_dir(s->log_dir))
        code = rg_fail(RG_ENOENT, "%s: there is no such folder; give the --log_dir of a job",
                       folder);
    if (code != RG_OK) {
        rg_watch_state_close(s);
        return code;
    }
    *out = s;
    return RG_OK;
}

void rg_watch_state_close(rg_watch_state *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n; i++)
        free_process(s->processes[i]);
    rg_free(s->processes);
    rg_free(s->events);
    rg_free(s->log_dir);
    rg_free(s->watch_dir);
    rg_free(s);
}
