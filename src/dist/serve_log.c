/* serve_log.c - what a server tells of itself now and then: rows, memory, pushes. */
#include "dist/serve_members.h"
#include "dist/serve_tables.h"
#include "dist/serve_tell.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>

static uint64_t count_pushes(const rg_engine *s)
{
    uint64_t n = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        n += atomic_load_explicit(&s->trainers[t].n_pushes, memory_order_relaxed);
    return n;
}

/* A line on its way: each shard adds what it has, and the last prints it. */
typedef struct news {
    rg_spread spread;
    _Atomic size_t rows, bytes;
    uint64_t pushes;
    double rate; /* pushes a second */
} news;

static rg_status add_tables(rg_spread *spread, rg_shard *shard)
{
    news *n = (news *)spread;
    for (size_t i = 0; i < spread->engine->schema.n; i++)
        if (shard->vars[i].table != NULL) {
            (void)atomic_fetch_add(&n->rows, rg_table_size(shard->vars[i].table));
            (void)atomic_fetch_add(&n->bytes, rg_table_bytes(shard->vars[i].table));
        }
    return RG_OK;
}

static void print_news(rg_spread *spread)
{
    news *n = (news *)spread;
    char line[256], when[32];
    rg_clock_text(when, sizeof when);
    int length = snprintf(
        line, sizeof line,
        "%s server %d: %zu rows in tables of %.1f MiB, %.1f MiB in all, %llu pushes, "
        "%.1f a second\n",
        when, spread->engine->id, atomic_load(&n->rows), (double)atomic_load(&n->bytes) / 0x1p20,
        (double)rg_process_memory() / 0x1p20, (unsigned long long)n->pushes, n->rate);
    rg_say(line, (size_t)length);
    rg_free(n);
}

void rg_serve_tell(rg_engine *s)
{
    uint64_t now = rg_clock_ns();
    int64_t every = rg_flag_int("ps_log_seconds");
    if (s->told_ns == 0)
        s->told_ns = now; /* the first line comes when there is something to tell */
    if (every <= 0 || now - s->told_ns < (uint64_t)every * 1000000000u)
        return;
    news *n = rg_spread_new(s, sizeof *n);
    if (n == NULL)
        return;
    n->pushes = count_pushes(s);
    n->rate = (double)(n->pushes - s->told_pushes) / ((double)(now - s->told_ns) / 1e9);
    s->told_ns = now;
    s->told_pushes = n->pushes;
    rg_spread_start(&n->spread, rg_serve_all_shards(s), add_tables, print_news);
}

void rg_serve_sum_up(rg_engine *s)
{
    rg_rpc_counters traffic = rg_rpc_server_counters(s->rpc);
    pthread_mutex_lock(&s->lock);
    unsigned long long pushes = count_pushes(s), steps = s->steps;
    pthread_mutex_unlock(&s->lock);
    rg_log(RG_LOG_I, "ps",
           "server=%d \"%s has ended\" steps=%llu pushes=%llu received=%llu sent=%llu", s->id,
           s->who, steps, pushes, (unsigned long long)traffic.received_bytes,
           (unsigned long long)traffic.sent_bytes);
}
