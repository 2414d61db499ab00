/* state_json.c - the state of a job as JSON, for the page, and as Prometheus has it. */
#include "watch/state.h"

#include "base/json.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_number(rg_buf *out, const char *name, double value)
{
    rg_buf_printf(out, ",\"%s\":", name);
    rg_json_number(out, value);
}

/* A number that may not be known. */
static void add_known(rg_buf *out, const char *name, bool known, double value)
{
    if (known)
        add_number(out, name, value);
}

/* 0: it never was. */
static void add_time(rg_buf *out, const char *name, double t)
{
    if (t > 0)
        rg_buf_printf(out, ",\"%s\":%.3f", name, t);
}

static void add_job(const rg_watch_state *s, rg_buf *out)
{
    int count[3] = {0, 0, 0};
    for (size_t i = 0; i < s->n; i++)
        count[s->processes[i]->role]++;
    rg_buf_text(out, "\"job\":{\"dir\":");
    rg_json_string(out, s->log_dir);
    rg_json_add_text(out, "id", s->job);
    rg_json_add_text(out, "status", rg_watch_status(s));
    rg_buf_printf(out, ",\"ended\":%s,\"now\":%.3f,\"started\":%.3f,\"newest\":%.3f",
                  rg_watch_has_ended(s) ? "true" : "false", s->now, s->started, s->newest);
    rg_buf_printf(out, ",\"workers\":%d,\"servers\":%d,\"bad_lines\":%llu",
                  count[RG_WATCHED_WORKER], count[RG_WATCHED_SERVER],
                  (unsigned long long)s->bad_lines);
    if (s->bad_lines > 0)
        rg_json_add_text(out, "bad_line", s->bad_line);
    rg_buf_char(out, '}');
}

static void add_newest(rg_buf *out, const char *name, const rg_series *series)
{
    rg_point last;
    if (rg_series_last(series, &last))
        add_number(out, name, last.v);
}

static void add_progress(const rg_watch_state *s, rg_buf *out)
{
    double ratio = rg_watch_progress(s), eta = rg_watch_eta(s), stepped = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->processes[i]->stepped > stepped)
            stepped = s->processes[i]->stepped;
    rg_buf_text(out, ",\"progress\":{\"examples\":");
    rg_json_number(out, rg_watch_examples(s));
    add_number(out, "per_second", rg_watch_examples_per_second(s));
    add_known(out, "ratio", ratio >= 0, ratio);
    add_known(out, "eta", eta >= 0, eta);
    add_time(out, "stepped", stepped);
    add_newest(out, "loss", &s->loss);
    add_newest(out, "auc", &s->auc);
    add_newest(out, "test_loss", &s->test_loss);
    add_newest(out, "test_auc", &s->test_auc);
    rg_buf_char(out, '}');
}

static void add_curves(const rg_watch_state *s, rg_buf *out)
{
    const struct {
        const char *name;
        const rg_series *series;
    } curves[] = {{"examples", &s->examples}, {"loss", &s->loss},
                  {"auc", &s->auc},           {"test_loss", &s->test_loss},
                  {"test_auc", &s->test_auc}, {"table_bytes", &s->table_bytes}};
    rg_buf_text(out, ",\"curves\":{");
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        rg_buf_printf(out, "%s\"%s\":", i > 0 ? "," : "", curves[i].name);
        rg_series_json(curves[i].series, out);
    }
    rg_buf_char(out, '}');
}

/* ---- tables ---- */

enum { MAX_TABLES = 256, TABLE_NAME = 128 };

typedef struct table {
    char name[TABLE_NAME];
    double rows, bytes;
} table;

/* The value of the label in regatta_table_rows{table="NAME"}. */
static bool label_of(const char *key, const char *name, char *label, size_t size)
{
    size_t n = strlen(name);
    if (strncmp(key, name, n) != 0 || strncmp(key + n, "{table=\"", 8) != 0)
        return false;
    const char *from = key + n + 8, *to = strrchr(from, '"');
    size_t length = to != NULL ? (size_t)(to - from) : strlen(from);
    length = length < size ? length : size - 1;
    memcpy(label, from, length);
    label[length] = '\0';
    return true;
}

static table *find_table(table *tables, int *n, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    if (*n == MAX_TABLES)
        return NULL;
    tables[*n] = (table){.rows = 0};
    (void)snprintf(tables[*n].name, TABLE_NAME, "%s", name);
    return &tables[(*n)++];
}

static int collect_tables(const rg_watch_state *s, table *tables)
{
    int n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const rg_map *metrics = &s->processes[i]->metrics;
        for (size_t k = 0; k < metrics->n_entries; k++) {
            const rg_map_entry *e = rg_map_at(metrics, k);
            char label[TABLE_NAME];
            table *t;
            if (e == NULL)
                continue;
            double value = ((rg_watched_metric *)e->value)->value;
            if (label_of(e->key, "regatta_table_rows", label, sizeof label)) {
                if ((t = find_table(tables, &n, label)) != NULL)
                    t->rows += value;
            } else if (label_of(e->key, "regatta_table_bytes", label, sizeof label)) {
                if ((t = find_table(tables, &n, label)) != NULL)
                    t->bytes += value;
            }
        }
    }
    return n;
}

static double sum(const rg_watch_state *s, const char *key)
{
    double total = 0;
    for (size_t i = 0; i < s->n; i++)
        total += rg_watched_value(s->processes[i], key, 0);
    return total;
}

static void add_tables(const rg_watch_state *s, rg_buf *out)
{
    table tables[MAX_TABLES];
    int n = collect_tables(s, tables);
    double bytes = 0, limit = sum(s, "regatta_table_limit_bytes");
    double lookups = sum(s, "regatta_table_lookups_total");
    double grows = rg_series_slope(&s->table_bytes, 60);
    rg_buf_text(out, ",\"tables\":{\"each\":[");
    for (int i = 0; i < n; i++) {
        bytes += tables[i].bytes;
        rg_buf_printf(out, "%s{\"name\":", i > 0 ? "," : "");
        rg_json_string(out, tables[i].name);
        add_number(out, "rows", tables[i].rows);
        add_number(out, "bytes", tables[i].bytes);
        rg_buf_char(out, '}');
    }
    rg_buf_char(out, ']');
    add_number(out, "bytes", bytes);
    add_known(out, "limit", limit > 0, limit);
    add_known(out, "lookups", lookups > 0, lookups);
    add_known(out, "hits", lookups > 0, sum(s, "regatta_table_hits_total"));
    add_known(out, "evicted", lookups > 0, sum(s, "regatta_table_evicted_total"));
    add_number(out, "grows", grows);
    add_known(out, "full_in", limit > bytes && grows > 0 && !rg_watch_has_ended(s),
              (limit - bytes) / grows);
    rg_buf_char(out, '}');
}

/* ---- processes ---- */

static void add_split(const rg_watch_state *s, const rg_watched *p, rg_buf *out)
{
    double share[RG_STEP_PARTS];
    if (p->role != RG_WATCHED_WORKER || !rg_watched_split(s, p, share))
        return;
    rg_buf_text(out, ",\"split\":{");
    for (int i = 0; i < RG_STEP_PARTS; i++)
        rg_buf_printf(out, "%s\"%s\":%.4f", i > 0 ? "," : "", rg_step_parts[i], share[i]);
    rg_buf_char(out, '}');
}

static void add_process(const rg_watch_state *s, const rg_watched *p, rg_buf *out)
{
    static const char *const roles[] = {"worker", "server", "launcher"};
    static const char *const rates[][2] = {
        {"cpu", "regatta_process_cpu_seconds_total"},
        {"examples_per_second", "regatta_examples_total"},
        {"steps_per_second", "regatta_batches_total"},
        {"sent", "regatta_network_sent_bytes_total"},
        {"received", "regatta_network_received_bytes_total"},
        {"pulls", "regatta_pulls_total"},
        {"pushes", "regatta_pushes_total"},
        {"busy", "regatta_server_busy_seconds_total"},
    };
    rg_buf_text(out, "{\"name\":");
    rg_json_string(out, p->name);
    rg_json_add_text(out, "role", roles[p->role]);
    rg_json_add_text(out, "state", rg_watched_state(s, p));
    rg_buf_printf(out, ",\"pid\":%ld,\"incarnation\":%d,\"started\":%.3f,\"newest\":%.3f", p->pid,
                  p->incarnation, p->started, p->newest);
    rg_json_add_text(out, "host", p->host);
    rg_json_add_text(out, "endpoint", p->endpoint);
    add_known(out, "status", p->has_ended, p->status);
    add_time(out, "stepped", p->stepped);
    add_number(out, "memory", rg_watched_value(p, "regatta_process_resident_bytes", 0));
    add_number(out, "cpu_seconds", rg_watched_value(p, "regatta_process_cpu_seconds_total", 0));
    add_number(out, "examples", rg_watched_value(p, "regatta_examples_total", 0));
    add_number(out, "sent_bytes", rg_watched_value(p, "regatta_network_sent_bytes_total", 0));
    add_number(out, "received_bytes",
               rg_watched_value(p, "regatta_network_received_bytes_total", 0));
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        add_number(out, rates[i][0], rg_watched_rate(s, p, rates[i][1]));
    add_split(s, p, out);
    rg_buf_char(out, '}');
}

static void add_slowest(const rg_watch_state *s, rg_buf *out)
{
    const char *reason;
    double behind, share[RG_STEP_PARTS];
    const rg_watched *p = rg_watch_slowest(s, &reason, &behind);
    if (p == NULL || !rg_watched_split(s, p, share))
        return;
    double part = strcmp(reason, "data") == 0      ? share[0]
                  : strcmp(reason, "compute") == 0 ? share[2]
                                                   : share[1] + share[3];
    rg_buf_text(out, ",\"slowest\":{\"who\":");
    rg_json_string(out, p->name);
    rg_json_add_text(out, "reason", reason);
    add_number(out, "share", part);
    add_number(out, "behind", behind);
    rg_buf_char(out, '}');
}

static void add_events(const rg_watch_state *s, rg_buf *out)
{
    rg_buf_printf(out, ",\"forgotten_events\":%llu,\"events\":[",
                  (unsigned long long)s->forgotten_events);
    for (size_t i = 0; i < s->n_events; i++) {
        const rg_watched_event *e = &s->events[i];
        rg_buf_printf(out, "%s{\"t\":%.3f", i > 0 ? "," : "", e->t);
        rg_json_add_text(out, "kind", e->kind);
        rg_json_add_text(out, "who", e->who);
        rg_json_add_text(out, "text", e->text);
        rg_buf_char(out, '}');
    }
    rg_buf_char(out, ']');
}

void rg_watch_state_json(const rg_watch_state *s, rg_buf *out)
{
    rg_buf_char(out, '{');
    add_job(s, out);
    add_progress(s, out);
    add_curves(s, out);
    add_tables(s, out);
    add_slowest(s, out);
    rg_buf_text(out, ",\"processes\":[");
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0)
            rg_buf_char(out, ',');
        add_process(s, s->processes[i], out);
    }
    rg_buf_char(out, ']');
    add_events(s, out);
    rg_buf_char(out, '}');
}

/* ---- Prometheus ---- */

typedef struct line {
    const rg_watched *of;
    const rg_watched_metric *metric;
    size_t name, order; /* characters of its key before the labels; as they came */
} line;

/* What is after a '{' is a list of labels, or the line would break what follows. */
static bool is_sound(const char *key)
{
    size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:");
    return n > 0 && (key[n] == '\0' || (key[n] == '{' && key[strlen(key) - 1] == '}')) &&
           strchr(key, '\n') == NULL;
}

static int by_name(const void *a, const void *b)
{
    const line *x = a, *y = b;
    size_t n = x->name < y->name ? x->name : y->name;
    int order = memcmp(x->metric->key, y->metric->key, n);
    if (order == 0 && x->name != y->name)
        order = x->name < y->name ? -1 : 1;
    return order != 0 ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* The letters of its name that its type is said of: of a part of a histogram, without which part.
 */
static size_t family_of(const line *l, bool *is_histogram)
{
    static const char *const ends[] = {"_bucket", "_sum", "_count"};
    *is_histogram = true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t m = strlen(ends[i]);
        if (l->name > m && memcmp(l->metric->key + l->name - m, ends[i], m) == 0)
            return l->name - m;
    }
    *is_histogram = false;
    return l->name;
}

static bool is_of_family(const line *before, const line *l, size_t family)
{
    bool parts;
    return family_of(before, &parts) == family &&
           memcmp(before->metric->key, l->metric->key, family) == 0;
}

static size_t collect_lines(const rg_watch_state *s, line *lines)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const rg_map *metrics = &s->processes[i]->metrics;
        for (size_t k = 0; k < metrics->n_entries; k++) {
            const rg_map_entry *e = rg_map_at(metrics, k);
            if (e == NULL || !is_sound(e->key))
                continue;
            lines[n] = (line){s->processes[i], e->value, strcspn(e->key, "{"), n};
            n++;
        }
    }
    return n;
}

static void add_line(rg_buf *out, const line *l)
{
    const char *key = l->metric->key;
    const char *labels = key[l->name] == '{' ? key + l->name + 1 : "}";
    rg_buf_printf(out, "%.*s{process=\"%s\"%s%s ", (int)l->name, key, l->of->name,
                  labels[0] == '}' ? "" : ",", labels);
    rg_shortest_number(out, l->metric->value);
    rg_buf_char(out, '\n');
}

/* All lines of one name stand together, as the format asks. */
void rg_watch_state_metrics(const rg_watch_state *s, rg_buf *out)
{
    size_t most = 0;
    for (size_t i = 0; i < s->n; i++)
        most += s->processes[i]->metrics.live;
    line *lines = rg_alloc((most + 1) * sizeof *lines);
    if (lines == NULL) {
        rg_buf_room(out, SIZE_MAX); /* the buffer says that there is no memory */
        return;
    }
    size_t n = collect_lines(s, lines);
    qsort(lines, n, sizeof *lines, by_name);
    for (size_t i = 0; i < n; i++) {
        bool parts;
        size_t family = family_of(&lines[i], &parts);
        if (i == 0 || !is_of_family(&lines[i - 1], &lines[i], family))
            rg_buf_printf(out, "# TYPE %.*s %s\n", (int)family, lines[i].metric->key,
                          parts                                         ? "histogram"
                          : rg_watched_is_counter(lines[i].metric->key) ? "counter"
                                                                        : "gauge");
        add_line(out, &lines[i]);
    }
    rg_free(lines);
}
