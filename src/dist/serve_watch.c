/* serve_watch.c - what whoever watches the job sees of a server: tables, their use, busy loops.
 *
 * Tables are their loops' own, so that each loop is asked, once a period, and the sums are kept
 * here for the thread that samples (sys/metrics.h). */
#include "dist/serve_tables.h"
#include "dist/serve_tell.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/metrics.h"
#include "watch/sampler.h"

#include <stdio.h>
#include <string.h>

static const uint64_t EVERY_NS = 900000000, LAST_NS = 1000000000, TELL_NS = 10000000000;

typedef struct counts {
    uint64_t lookups, hits, evicted, busy_ns;
} counts;

typedef struct table_size {
    uint64_t rows, bytes;
} table_size;

struct rg_serve_facts {
    pthread_mutex_t lock; /* of all below; taken alone */
    bool asking;
    uint64_t asked_ns;
    counts now, told;                /* told: what the metrics have */
    uint64_t evicted, tell_after_ns; /* rows since the last event, and when the next may come */
    size_t n;                        /* variables, once the program is there */
    table_size *tables;
};

/* ---- the loops are asked ---- */

typedef struct question {
    rg_spread spread;
    _Atomic uint64_t lookups, hits, evicted, busy_ns;
    struct {
        _Atomic uint64_t rows, bytes;
    } tables[];
} question;

static rg_status count_part(rg_spread *spread, rg_shard *shard)
{
    question *q = (question *)spread;
    for (size_t i = 0; i < spread->engine->schema.n; i++) {
        const rg_table *table = shard->vars[i].table;
        if (table == NULL)
            continue;
        rg_table_use use = rg_table_use_of(table);
        (void)atomic_fetch_add(&q->tables[i].rows, rg_table_in_memory(table));
        (void)atomic_fetch_add(&q->tables[i].bytes, rg_table_bytes(table));
        (void)atomic_fetch_add(&q->lookups, use.lookups);
        (void)atomic_fetch_add(&q->hits, use.hits);
        (void)atomic_fetch_add(&q->evicted, use.evicted);
    }
    (void)atomic_fetch_add(&q->busy_ns, rg_clock_thread_ns());
    return RG_OK;
}

static void end_question(rg_spread *spread)
{
    question *q = (question *)spread;
    struct rg_serve_facts *f = spread->engine->facts;
    size_t n = spread->engine->schema.n;
    pthread_mutex_lock(&f->lock);
    if (f->tables == NULL && (f->tables = rg_alloc_zero(n + 1, sizeof *f->tables)) != NULL)
        f->n = n;
    for (size_t i = 0; i < f->n; i++)
        f->tables[i] = (table_size){q->tables[i].rows, q->tables[i].bytes};
    f->now = (counts){q->lookups, q->hits, q->evicted, q->busy_ns};
    f->asking = false;
    pthread_mutex_unlock(&f->lock);
    rg_free(q);
}

static bool start_question(rg_engine *s)
{
    struct rg_serve_facts *f = s->facts;
    question *q = rg_spread_new(s, sizeof *q + s->schema.n * sizeof q->tables[0]);
    if (q == NULL)
        return false;
    pthread_mutex_lock(&f->lock);
    f->asking = true;
    f->asked_ns = rg_clock_ns();
    pthread_mutex_unlock(&f->lock);
    rg_spread_start(&q->spread, rg_serve_all_shards(s), count_part, end_question);
    return true;
}

void rg_serve_watch_look(rg_engine *s)
{
    struct rg_serve_facts *f = s->facts;
    if (f == NULL)
        return;
    pthread_mutex_lock(&f->lock);
    bool now = !f->asking && rg_clock_ns() - f->asked_ns >= EVERY_NS;
    pthread_mutex_unlock(&f->lock);
    if (now)
        (void)start_question(s);
}

/* ---- the sampler asks ---- */

/* Where memory is full rows go all the time: one event for many of them. With the lock. */
static void tell_evicted(struct rg_serve_facts *f, uint64_t rows)
{
    uint64_t now = rg_clock_ns();
    f->evicted += rows;
    if (f->evicted == 0 || now < f->tell_after_ns)
        return;
    rg_event("evicted", NULL, "%llu rows left memory for others", (unsigned long long)f->evicted);
    f->evicted = 0;
    f->tell_after_ns = now + TELL_NS;
}

static void collect(void *arg)
{
    rg_engine *s = arg;
    struct rg_serve_facts *f = s->facts;
    pthread_mutex_lock(&f->lock);
    counts more = {f->now.lookups - f->told.lookups, f->now.hits - f->told.hits,
                   f->now.evicted - f->told.evicted, f->now.busy_ns - f->told.busy_ns};
    f->told = f->now;
    for (size_t i = 0; i < f->n; i++) {
        char name[256];
        const char *slice = s->schema.vars[i].name;
        if (!s->schema.vars[i].table)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)rg_ps_whole(slice), slice);
        rg_metric_add_for(RG_M_TABLE_ROWS, name, (double)f->tables[i].rows);
        rg_metric_add_for(RG_M_TABLE_BYTES, name, (double)f->tables[i].bytes);
    }
    tell_evicted(f, more.evicted);
    pthread_mutex_unlock(&f->lock);
    rg_metric_add(RG_M_LOOKUPS, more.lookups);
    rg_metric_add(RG_M_HITS, more.hits);
    rg_metric_add(RG_M_EVICTED, more.evicted);
    rg_metric_add(RG_M_BUSY, more.busy_ns);
}

/* ---- its life ---- */

void rg_serve_watch_open(rg_engine *s, const char *endpoint)
{
    char name[32];
    (void)snprintf(name, sizeof name, "server.%d", s->id);
    rg_watch_start(&(rg_watch_who){.process = name, .endpoint = endpoint, .role = RG_OF_SERVER});
    if (!rg_watch_is_on() || (s->facts = rg_alloc_zero(1, sizeof *s->facts)) == NULL)
        return;
    pthread_mutex_init(&s->facts->lock, NULL);
    rg_metric_set(RG_M_LOOPS, s->n_shards);
    if (rg_metrics_collect(collect, s) != RG_OK) {
        pthread_mutex_destroy(&s->facts->lock);
        rg_free(s->facts);
        s->facts = NULL;
    }
}

void rg_serve_watch_end(rg_engine *s)
{
    struct rg_serve_facts *f = s->facts;
    if (f == NULL)
        return;
    uint64_t until = rg_clock_ns() + LAST_NS;
    bool asking = s->failed == RG_OK && atomic_load(&s->ready) && start_question(s);
    while (asking && rg_clock_ns() < until) {
        rg_clock_sleep(1000000);
        pthread_mutex_lock(&f->lock);
        asking = f->asking;
        pthread_mutex_unlock(&f->lock);
    }
    rg_metrics_leave(collect, s);
    collect(s);
}

void rg_serve_watch_close(rg_engine *s)
{
    if (s->facts == NULL)
        return;
    pthread_mutex_destroy(&s->facts->lock);
    rg_free(s->facts->tables);
    rg_free(s->facts);
    s->facts = NULL;
}
