/* serve_log.c - what a server tells of itself now and then: rows, memory, pushes. */
#include "dist/serve_priv.h"

#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>

static void sum_tables(const rg_engine *s, size_t *rows, size_t *bytes)
{
    *rows = *bytes = 0;
    for (size_t i = 0; i < s->schema.n; i++)
        if (s->vars[i].table != NULL) {
            *rows += rg_table_size(s->vars[i].table);
            *bytes += rg_table_bytes(s->vars[i].table);
        }
}

static uint64_t count_pushes(const rg_engine *s)
{
    uint64_t n = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        for (size_t i = 0; i < s->trainers[t].n_pushed; i++)
            n += s->trainers[t].pushed[i];
    return n;
}

void rg_serve_tell(rg_engine *s)
{
    uint64_t now = rg_clock_ns(), pushes;
    int64_t every = rg_flag_int("ps_log_seconds");
    size_t rows, bytes;
    char line[256], when[32];
    if (s->told_ns == 0)
        s->told_ns = now; /* the first line comes when there is something to tell */
    if (every <= 0 || now - s->told_ns < (uint64_t)every * 1000000000u)
        return;
    sum_tables(s, &rows, &bytes);
    pushes = count_pushes(s);
    double seconds = (double)(now - s->told_ns) / 1e9;
    rg_clock_text(when, sizeof when);
    int n = snprintf(line, sizeof line,
                     "%s server %d: %zu rows in tables of %.1f MiB, %.1f MiB in all, %llu pushes, "
                     "%.1f a second\n",
                     when, s->id, rows, (double)bytes / 0x1p20,
                     (double)rg_process_memory() / 0x1p20, (unsigned long long)pushes,
                     (double)(pushes - s->told_pushes) / seconds);
    rg_say(line, (size_t)n);
    s->told_ns = now;
    s->told_pushes = pushes;
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
