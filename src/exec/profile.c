/* profile.c - collecting and showing the time of ops. */
#include "exec/profile.h"

#include "base/map.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct event {
    const char *type; /* of the registry: lives for ever */
    uint64_t start, end;
    int thread;
} event;

typedef struct row {
    const char *type;
    uint64_t calls, total, min, max;
} row;

bool rg_profiling;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static event *events;
static size_t n_events, cap_events;

void rg_profile_start(void)
{
    rg_profiling = true;
}

void rg_profile_stop(void)
{
    rg_profiling = false;
}

void rg_profile_reset(void)
{
    (void)pthread_mutex_lock(&lock);
    n_events = 0;
    (void)pthread_mutex_unlock(&lock);
}

void rg_profile_add(const char *type, uint64_t start_ns, uint64_t end_ns, int thread)
{
    (void)pthread_mutex_lock(&lock);
    if (rg_grow((void **)&events, n_events, &cap_events, sizeof *events) == RG_OK)
        events[n_events++] = (event){type, start_ns, end_ns, thread};
    (void)pthread_mutex_unlock(&lock);
}

static int by_calls(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->calls, y = ((const row *)b)->calls;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_total(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->total, y = ((const row *)b)->total;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_max(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->max, y = ((const row *)b)->max;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_min(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->min, y = ((const row *)b)->min;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_average(const void *a, const void *b)
{
    const row *x = a, *y = b;
    double p = (double)x->total / (double)x->calls, q = (double)y->total / (double)y->calls;
    return p < q ? 1 : p > q ? -1 : 0;
}

static rg_status sort_rows(row *rows, size_t n, const char *by)
{
    static const struct {
        const char *name;
        int (*compare)(const void *, const void *);
    } orders[] = {
        {"calls", by_calls}, {"total", by_total}, {"max", by_max},
        {"min", by_min},     {"ave", by_average},
    };
    if (by == NULL || strcmp(by, "default") == 0)
        return RG_OK;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (strcmp(orders[i].name, by) == 0) {
            qsort(rows, n, sizeof *rows, orders[i].compare);
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "the profile is sorted by calls, total, max, min or ave, not by %s",
                   by);
}

static rg_status make_rows(row **out, size_t *n)
{
    rg_map index = {0};
    row *rows = NULL;
    size_t capacity = 0;
    rg_status code = RG_OK;
    *n = 0;
    for (size_t i = 0; i < n_events; i++) {
        const event *e = &events[i];
        uint64_t took = e->end - e->start;
        uintptr_t at = (uintptr_t)rg_map_get(&index, e->type);
        if (at == 0) {
            RG_TRY_GOTO(code, rg_grow((void **)&rows, *n, &capacity, sizeof *rows));
            rows[*n] = (row){.type = e->type, .min = took};
            at = ++*n;
            RG_TRY_GOTO(code, rg_map_put(&index, e->type, (void *)at));
        }
        row *r = &rows[at - 1];
        r->calls++;
        r->total += took;
        r->min = took < r->min ? took : r->min;
        r->max = took > r->max ? took : r->max;
    }
done:
    rg_map_fini(&index);
    if (code != RG_OK)
        rg_free(rows);
    else
        *out = rows;
    return code;
}

rg_status rg_profile_table(const char *sorted_by, rg_buf *text)
{
    row *rows = NULL;
    size_t n = 0;
    (void)pthread_mutex_lock(&lock);
    rg_status code = make_rows(&rows, &n);
    (void)pthread_mutex_unlock(&lock);
    if (code == RG_OK)
        code = sort_rows(rows, n, sorted_by);
    if (code != RG_OK) {
        rg_free(rows);
        return code;
    }
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += rows[i].total;
    rg_buf_printf(text, "\n------------------------->     Profiling Report     "
                        "<-------------------------\n\nTime unit: ms\n\n");
    rg_buf_printf(text, "%-36s%-12s%-12s%-12s%-12s%-12s%s\n", "Event", "Calls", "Total", "Min.",
                  "Max.", "Ave.", "Ratio.");
    for (size_t i = 0; i < n; i++) {
        const row *r = &rows[i];
        rg_buf_printf(text, "%-36s%-12llu%-12.6g%-12.6g%-12.6g%-12.6g%-.6f\n", r->type,
                      (unsigned long long)r->calls, (double)r->total / 1e6, (double)r->min / 1e6,
                      (double)r->max / 1e6, (double)r->total / (double)r->calls / 1e6,
                      all ? (double)r->total / (double)all : 0.0);
    }
    rg_free(rows);
    return rg_buf_status(text);
}

rg_status rg_profile_trace(rg_buf *json)
{
    (void)pthread_mutex_lock(&lock);
    uint64_t zero = n_events ? events[0].start : 0;
    rg_buf_text(json, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    for (size_t i = 0; i < n_events; i++)
        rg_buf_printf(json,
                      "%s\n{\"name\": \"%s\", \"cat\": \"op\", \"ph\": \"X\", \"ts\": %.3f, "
                      "\"dur\": %.3f, \"pid\": 0, \"tid\": %d}",
                      i ? "," : "", events[i].type, (double)(events[i].start - zero) / 1e3,
                      (double)(events[i].end - events[i].start) / 1e3, events[i].thread);
    rg_buf_text(json, "\n]}\n");
    (void)pthread_mutex_unlock(&lock);
    return rg_buf_status(json);
}
