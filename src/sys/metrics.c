/* metrics.c - cells, means, series with open labels, and how all of them are shown. */
#include "sys/metrics.h"

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/process.h"
#include "sys/profile.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { MOST_SERIES = 4096, MOST_COLLECTORS = 64, MOST_LABEL = 256 };

typedef struct line {
    rg_metric_kind kind;
    rg_metric_whose whose;
    const char *name, *labels, *help;
} line;

static const line lines[RG_METRICS] = {
#define X(id, kind, whose, name, labels, help) {RG_##kind, RG_OF_##whose, name, labels, help},
    RG_METRIC_LIST(X)
#undef X
};

rg_metric_cell rg_metric_cells[RG_METRICS];

/* Of a histogram's cell the count is the sum of its times, in ns. A bucket has the times up to its
 * bound and above that of the one before; they are summed up where they are shown. */
static const uint64_t bounds_ns[] = {1000000,   3000000,    10000000,   30000000,   100000000,
                                     300000000, 1000000000, 3000000000, 10000000000};
static const char *const bounds[] = {"le=\"0.001\"", "le=\"0.003\"", "le=\"0.01\"", "le=\"0.03\"",
                                     "le=\"0.1\"",   "le=\"0.3\"",   "le=\"1\"",    "le=\"3\"",
                                     "le=\"10\"",    "le=\"+Inf\""};
enum {
    BOUNDS = sizeof bounds_ns / sizeof bounds_ns[0],
    PARTS = BOUNDS + 3, /* with that of the rest, the sum and the count */
    HISTOGRAMS = 0
#define X(id, kind, whose, name, labels, help) +(RG_##kind == RG_HISTOGRAM)
    RG_METRIC_LIST(X)
#undef X
};
_Static_assert(sizeof bounds / sizeof bounds[0] == BOUNDS + 1, "a label for each bucket");
static _Atomic uint64_t buckets[HISTOGRAMS][BOUNDS + 1];

typedef struct series {
    rg_metric metric;
    char *labels; /* table="emb", as it is written; owned */
    double value, coming;
    bool set, added; /* added: in this tick */
} series;

typedef struct collector {
    void (*collect)(void *arg);
    void *arg;
} collector;

/* `lock` guards what is below and the sums of means; it is held for moments. `ticking` is held for
 * a tick, collectors and all, and taken first: who leaves waits there until no collector runs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, ticking = PTHREAD_MUTEX_INITIALIZER;
static series *all;
static size_t n_series, cap_series;
static collector collectors[MOST_COLLECTORS];
static size_t n_collectors;
static struct {
    double sum;
    uint64_t n;
} means[RG_METRICS];
static _Atomic int our_role = RG_OF_ANY;

void rg_metrics_role(rg_metric_whose role)
{
    atomic_store(&our_role, (int)role);
}

void rg_metric_mean(rg_metric metric, double value)
{
    pthread_mutex_lock(&lock);
    means[metric].sum += value;
    means[metric].n++;
    pthread_mutex_unlock(&lock);
}

/* Which histogram a metric is, of those there are. */
static int histogram_of(size_t metric)
{
    int n = 0;
    for (size_t i = 0; i < metric; i++)
        n += lines[i].kind == RG_HISTOGRAM;
    return n;
}

void rg_metric_time(rg_metric metric, uint64_t ns)
{
    int i = 0;
    while (i < BOUNDS && ns > bounds_ns[i])
        i++;
    (void)atomic_fetch_add_explicit(&buckets[histogram_of(metric)][i], 1, memory_order_relaxed);
    rg_metric_add(metric, ns);
}

/* ---- where time goes ---- */

static _Thread_local struct {
    rg_step_part part;
    uint64_t since;
    uint64_t batch_ns; /* of the parts of this batch that are over */
} doing;

/* In a profile, where that runs: from its start on. */
static void profile_part(uint64_t now)
{
    static const char *const names[] = {"", "read", "pull", "compute", "push", "wait"};
    uint64_t start = rg_profile_since();
    rg_profile_add(RG_SPAN_PART, names[doing.part], doing.since > start ? doing.since : start, now);
}

rg_step_part rg_step_enter(rg_step_part part)
{
    rg_step_part before = doing.part;
    if (before == part)
        return before;
    uint64_t now = rg_clock_ns();
    if (before != RG_STEP_NONE && rg_profiling)
        profile_part(now);
    if (before != RG_STEP_NONE)
        rg_metric_add((rg_metric)(RG_M_STEP_READ + (before - RG_STEP_READ)), now - doing.since);
    if (before != RG_STEP_NONE)
        doing.batch_ns += now - doing.since;
    if (part == RG_STEP_NONE)
        doing.batch_ns = 0;
    doing.part = part;
    doing.since = now;
    return before;
}

void rg_step_done(void)
{
    if (doing.part == RG_STEP_NONE)
        return;
    uint64_t so_far = rg_clock_ns() - doing.since;
    rg_metric_time(RG_M_BATCH_TIME, doing.batch_ns + so_far);
    doing.batch_ns = -so_far; /* of the part that goes on; the sum of both is no less than 0 */
}

rg_step_part rg_step_within(rg_step_part part)
{
    return doing.part != RG_STEP_NONE ? rg_step_enter(part) : RG_STEP_NONE;
}

/* ---- collectors ---- */

rg_status rg_metrics_collect(void (*collect)(void *arg), void *arg)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&ticking);
    if (n_collectors == MOST_COLLECTORS)
        code = rg_fail(RG_ETOOBIG, "more than %d collectors of metrics", MOST_COLLECTORS);
    else
        collectors[n_collectors++] = (collector){collect, arg};
    pthread_mutex_unlock(&ticking);
    return code;
}

void rg_metrics_leave(void (*collect)(void *arg), void *arg)
{
    pthread_mutex_lock(&ticking);
    for (size_t i = 0; i < n_collectors; i++)
        if (collectors[i].collect == collect && collectors[i].arg == arg) {
            collectors[i] = collectors[--n_collectors];
            break;
        }
    pthread_mutex_unlock(&ticking);
}

/* table="emb", where backslash, quote and line end are escaped as Prometheus wants it. */
static char *write_labels(const char *open, const char *value)
{
    char clean[MOST_LABEL];
    rg_buf out;
    rg_buf_init(&out, 0);
    (void)rg_escape(clean, sizeof clean, value, strlen(value));
    rg_buf_text(&out, open);
    rg_buf_char(&out, '"');
    for (const char *c = clean; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            rg_buf_char(&out, '\\');
        rg_buf_char(&out, *c);
    }
    rg_buf_char(&out, '"');
    char *text = rg_buf_status(&out) == RG_OK ? rg_buf_take(&out) : NULL;
    rg_buf_fini(&out);
    return text;
}

void rg_metric_add_for(rg_metric metric, const char *label, double value)
{
    char *labels = write_labels(lines[metric].labels, label);
    if (labels == NULL)
        return;
    pthread_mutex_lock(&lock);
    series *s = NULL;
    for (size_t i = 0; s == NULL && i < n_series; i++)
        if (all[i].metric == metric && strcmp(all[i].labels, labels) == 0)
            s = &all[i];
    if (s == NULL && n_series < MOST_SERIES &&
        rg_grow((void **)&all, n_series, &cap_series, sizeof *all) == RG_OK) {
        s = &all[n_series++];
        *s = (series){.metric = metric, .labels = labels};
        labels = NULL;
    }
    if (s != NULL) {
        s->coming = s->added ? s->coming + value : value;
        s->added = true;
    }
    pthread_mutex_unlock(&lock);
    rg_free(labels);
}

static void set_means(void)
{
    for (size_t i = 0; i < RG_METRICS; i++)
        if (lines[i].kind == RG_MEAN && means[i].n > 0) {
            rg_metric_set((rg_metric)i, means[i].sum / (double)means[i].n);
            means[i].sum = 0;
            means[i].n = 0;
        }
}

void rg_metrics_tick(void)
{
    pthread_mutex_lock(&ticking);
    rg_metric_is(RG_M_CPU, rg_clock_process_ns());
    rg_metric_set(RG_M_RESIDENT, (double)rg_process_memory());
    rg_metric_set(RG_M_THREADS, (double)rg_process_threads());
    for (size_t i = 0; i < n_collectors; i++)
        collectors[i].collect(collectors[i].arg);
    pthread_mutex_lock(&lock);
    set_means();
    for (size_t i = 0; i < n_series; i++)
        if (all[i].added) {
            all[i].value = all[i].coming;
            all[i].set = true;
            all[i].added = false;
        }
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&ticking);
}

/* ---- seeing them ---- */

static bool has_value(size_t i, uint64_t count)
{
    return count > 0 || (lines[i].kind <= RG_HISTOGRAM &&
                         (lines[i].whose == RG_OF_ANY || (int)lines[i].whose == our_role));
}

static double value_of(size_t i, uint64_t count)
{
    if (lines[i].kind == RG_COUNTER)
        return (double)count;
    if (lines[i].kind == RG_SECONDS)
        return (double)count / 1e9;
    return atomic_load_explicit(&rg_metric_cells[i].value, memory_order_relaxed);
}

/* Its buckets, each with those before it, its sum and its count. A time that comes meanwhile may be
 * in one of them and not yet in another. */
static void each_part(size_t i, rg_sample sample, void (*see)(void *arg, const rg_sample *sample),
                      void *arg)
{
    int h = histogram_of(i);
    uint64_t n = 0;
    sample.slot = RG_METRICS + (size_t)h * PARTS;
    sample.suffix = "_bucket";
    for (int k = 0; k <= BOUNDS; k++, sample.slot++) {
        n += atomic_load_explicit(&buckets[h][k], memory_order_relaxed);
        sample.labels = bounds[k];
        sample.value = (double)n;
        see(arg, &sample);
    }
    sample.labels = "";
    sample.suffix = "_sum";
    sample.value = (double)rg_metric_count((rg_metric)i) / 1e9;
    see(arg, &sample);
    sample.slot++;
    sample.suffix = "_count";
    sample.value = (double)n;
    see(arg, &sample);
}

void rg_metrics_each(void (*see)(void *arg, const rg_sample *sample), void *arg)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < RG_METRICS; i++) {
        const line *l = &lines[i];
        rg_sample sample = {i, l->name, "", l->labels, l->help, l->kind, 0};
        uint64_t count = rg_metric_count((rg_metric)i);
        if (l->kind == RG_HISTOGRAM && has_value(i, count)) {
            each_part(i, sample, see, arg);
        } else if (has_value(i, count)) {
            sample.value = value_of(i, count);
            see(arg, &sample);
        }
        for (size_t k = 0; k < n_series; k++)
            if (all[k].metric == i && all[k].set) {
                sample.slot = RG_METRICS + (size_t)HISTOGRAMS * PARTS + k;
                sample.labels = all[k].labels;
                sample.value = all[k].value;
                see(arg, &sample);
            }
    }
    pthread_mutex_unlock(&lock);
}

void rg_sample_key(rg_buf *out, const rg_sample *sample)
{
    rg_buf_printf(out, "\"%s%s", sample->name, sample->suffix);
    if (sample->labels[0] != '\0') {
        rg_buf_char(out, '{');
        for (const char *c = sample->labels; *c != '\0'; c++) {
            if (*c == '"' || *c == '\\')
                rg_buf_char(out, '\\');
            rg_buf_char(out, *c);
        }
        rg_buf_char(out, '}');
    }
    rg_buf_char(out, '"');
}

typedef struct writer {
    rg_buf *out;
    const char *name; /* of the last one */
} writer;

static void see_text(void *arg, const rg_sample *sample)
{
    writer *w = arg;
    if (w->name == NULL || strcmp(w->name, sample->name) != 0) {
        rg_buf_printf(w->out, "# HELP %s %s\n", sample->name, sample->help);
        rg_buf_printf(w->out, "# TYPE %s %s\n", sample->name,
                      sample->kind == RG_HISTOGRAM ? "histogram"
                      : sample->kind <= RG_SECONDS ? "counter"
                                                   : "gauge");
        w->name = sample->name;
    }
    rg_buf_printf(w->out, "%s%s", sample->name, sample->suffix);
    if (sample->labels[0] != '\0')
        rg_buf_printf(w->out, "{%s}", sample->labels);
    rg_buf_char(w->out, ' ');
    rg_shortest_number(w->out, sample->value);
    rg_buf_char(w->out, '\n');
}

void rg_metrics_text(rg_buf *out)
{
    rg_metrics_each(see_text, &(writer){out, NULL});
}

static void see_json(void *arg, const rg_sample *sample)
{
    writer *w = arg;
    rg_buf_char(w->out, w->name == NULL ? '{' : ',');
    w->name = sample->name;
    rg_sample_key(w->out, sample);
    rg_buf_char(w->out, ':');
    rg_json_number(w->out, sample->value);
}

void rg_metrics_json(rg_buf *out)
{
    writer w = {out, NULL};
    rg_metrics_each(see_json, &w);
    rg_buf_text(out, w.name == NULL ? "{}" : "}");
}

bool rg_metric_info(size_t i, rg_sample *info, rg_metric_whose *whose)
{
    if (i >= RG_METRICS)
        return false;
    *info = (rg_sample){i, lines[i].name, "", lines[i].labels, lines[i].help, lines[i].kind, 0};
    *whose = lines[i].whose;
    return true;
}
