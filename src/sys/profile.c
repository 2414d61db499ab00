/* profile.c - collecting spans, and the tables of them. */
#include "sys/profile_priv.h"

#include "base/map.h"
#include "base/mem.h"
#include "sys/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *type;
    uint64_t calls, total, min, max;
} row;

bool rg_profiling;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static rg_span *spans;
static size_t n_spans, cap_spans;
static size_t shown; /* spans before it were reset, and are kept for the process's own trace */
static bool keeps;   /* they are */
static uint64_t n_dropped;
static int64_t wall_ahead; /* of the monotonic clock, when it was started */
static _Atomic uint64_t since_ns;

static _Atomic int n_threads;
static _Thread_local int own_number; /* from 1; 0: it has none yet */

void rg_profile_start(void)
{
    (void)pthread_mutex_lock(&lock);
    wall_ahead = (int64_t)(rg_clock_wall_ns() - rg_clock_ns());
    if (!rg_profiling)
        atomic_store(&since_ns, rg_clock_ns());
    (void)pthread_mutex_unlock(&lock);
    rg_profiling = true;
}

uint64_t rg_profile_since(void)
{
    return atomic_load(&since_ns);
}

void rg_profile_stop(void)
{
    rg_profiling = keeps;
}

void rg_profile_reset(void)
{
    (void)pthread_mutex_lock(&lock);
    shown = keeps ? n_spans : 0;
    n_spans = keeps ? n_spans : 0;
    n_dropped = 0;
    (void)pthread_mutex_unlock(&lock);
}

void rg_profile_keep(void)
{
    keeps = true;
}

void rg_profile_put(const rg_span *span)
{
    (void)pthread_mutex_lock(&lock);
    if (n_spans < RG_PROFILE_MOST &&
        rg_grow((void **)&spans, n_spans, &cap_spans, sizeof *spans) == RG_OK)
        spans[n_spans++] = *span;
    else
        n_dropped++;
    (void)pthread_mutex_unlock(&lock);
}

void rg_profile_add(rg_span_kind kind, const char *name, uint64_t start_ns, uint64_t end_ns)
{
    if (own_number == 0)
        own_number = atomic_fetch_add(&n_threads, 1) + 1;
    rg_profile_put(&(rg_span){name, start_ns, end_ns, kind, own_number});
}

const rg_span *rg_profile_lock(bool whole, size_t *n, uint64_t *dropped, int64_t *ahead)
{
    (void)pthread_mutex_lock(&lock);
    size_t first = whole ? 0 : shown;
    *n = n_spans - first;
    *dropped = n_dropped;
    *ahead = wall_ahead;
    return spans + first;
}

void rg_profile_unlock(void)
{
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
    for (size_t i = shown; i < n_spans; i++) {
        const rg_span *e = &spans[i];
        if (e->kind != RG_SPAN_OP)
            continue;
        uint64_t took = e->end - e->start;
        uintptr_t at = (uintptr_t)rg_map_get(&index, e->name);
        if (at == 0) {
            RG_TRY_GOTO(code, rg_grow((void **)&rows, *n, &capacity, sizeof *rows));
            rows[*n] = (row){.type = e->name, .min = took};
            at = ++*n;
            RG_TRY_GOTO(code, rg_map_put(&index, e->name, (void *)at));
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

/* ---- where steps went ---- */

rg_status rg_profile_steps(rg_buf *text)
{
    enum { PARTS = 5 };
    static const char *const names[PARTS] = {"read", "pull", "compute", "push", "wait"};
    static const char *const docs[PARTS] = {
        "data were waited for", "rows and parameters came from servers",
        "ops of the model and its updates", "gradients were handed to servers",
        "others were waited for"};
    uint64_t took[PARTS] = {0}, all = 0, steps = 0;
    (void)pthread_mutex_lock(&lock);
    for (size_t i = shown; i < n_spans; i++) {
        steps += spans[i].kind == RG_SPAN_RUN && strcmp(spans[i].name, "step") == 0;
        for (int k = 0; spans[i].kind == RG_SPAN_PART && k < PARTS; k++)
            if (strcmp(spans[i].name, names[k]) == 0) {
                took[k] += spans[i].end - spans[i].start;
                all += spans[i].end - spans[i].start;
            }
    }
    (void)pthread_mutex_unlock(&lock);
    if (steps == 0 || all == 0)
        return RG_OK;
    rg_buf_printf(text, "Where %llu steps went:\n", (unsigned long long)steps);
    for (int i = 0; i < PARTS; i++)
        if (took[i] > 0)
            rg_buf_printf(text, "  %-8s %5.1f %%  %10.3f ms a step  %s\n", names[i],
                          100.0 * (double)took[i] / (double)all,
                          (double)took[i] / (double)steps / 1e6, docs[i]);
    return rg_buf_status(text);
}
