/* metrics.h - numbers that this process tells of itself.
 *
 * Each metric is a line of sys/metric_list.h and a cell of its own; adding to one is a relaxed
 * atomic add, cheap enough to be always on: once a batch, a request or a write, never once a row.
 * Who wants to see them asks for all, as Prometheus' text or as JSON; the sampler (src/watch) does
 * each second where a job is watched. Any thread. */
#ifndef RG_SYS_METRICS_H
#define RG_SYS_METRICS_H

#include "base/buf.h"
#include "sys/metric_list.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SECONDS: a counter that is added to in ns. HISTOGRAM: of times, which rg_metric_time() adds.
 * MEAN: of what came between two ticks. */
typedef enum rg_metric_kind {
    RG_COUNTER,
    RG_SECONDS,
    RG_HISTOGRAM,
    RG_GAUGE,
    RG_MEAN
} rg_metric_kind;
/* A counter of one's own kind is shown from the start, as 0; others when they count. */
typedef enum rg_metric_whose { RG_OF_ANY, RG_OF_WORKER, RG_OF_SERVER } rg_metric_whose;

typedef enum rg_metric {
#define X(id, kind, whose, name, labels, help) RG_M_##id,
    RG_METRIC_LIST(X)
#undef X
        RG_METRICS
} rg_metric;

typedef struct rg_metric_cell {
    _Alignas(64) _Atomic uint64_t count; /* of a gauge: whether it was ever set */
    _Atomic double value;
} rg_metric_cell;
extern rg_metric_cell rg_metric_cells[RG_METRICS];

/* To a counter; ns to one of seconds. */
static inline void rg_metric_add(rg_metric metric, uint64_t n)
{
    (void)atomic_fetch_add_explicit(&rg_metric_cells[metric].count, n, memory_order_relaxed);
}

/* A counter whose sum is kept elsewhere. */
static inline void rg_metric_is(rg_metric metric, uint64_t sum)
{
    atomic_store_explicit(&rg_metric_cells[metric].count, sum, memory_order_relaxed);
}

/* A gauge. */
static inline void rg_metric_set(rg_metric metric, double value)
{
    atomic_store_explicit(&rg_metric_cells[metric].value, value, memory_order_relaxed);
    atomic_store_explicit(&rg_metric_cells[metric].count, 1, memory_order_relaxed);
}

static inline uint64_t rg_metric_count(rg_metric metric)
{
    return atomic_load_explicit(&rg_metric_cells[metric].count, memory_order_relaxed);
}

/* One number of a mean, which is set at the next tick. A NaN is in it, and so seen. */
void rg_metric_mean(rg_metric metric, double value);

/* One time of a histogram. */
void rg_metric_time(rg_metric metric, uint64_t ns);

/* ---- where the time of a step goes ---- */

/* By the order of RG_M_STEP_*. */
typedef enum rg_step_part {
    RG_STEP_NONE, /* in no step: not counted */
    RG_STEP_READ,
    RG_STEP_PULL,
    RG_STEP_COMPUTE,
    RG_STEP_PUSH,
    RG_STEP_WAIT
} rg_step_part;

/* What this thread does from now on; returns what it did until now, whose time is counted. */
rg_step_part rg_step_enter(rg_step_part part);
/* The same within a step; a thread that is in none stays so. End it by rg_step_enter() of what it
 * returned. */
rg_step_part rg_step_within(rg_step_part part);
/* This thread is done with a batch: what its step took since the last one is a time of
 * RG_M_BATCH_TIME. */
void rg_step_done(void);

/* ---- numbers that somebody else has, asked for at each tick ---- */

/* `collect` is called at each tick by the thread that ticks, with no lock of ours that it could
 * want. After rg_metrics_leave() it is not called any more, nor running. */
rg_status rg_metrics_collect(void (*collect)(void *arg), void *arg);
void rg_metrics_leave(void (*collect)(void *arg), void *arg);
/* In a collector, of a gauge with an open label: its series of this value. What several add is
 * summed; a series to which nobody adds any more stays as it is. Copied. */
void rg_metric_add_for(rg_metric metric, const char *label, double value);

/* Means, this process's own gauges and collectors. */
void rg_metrics_tick(void);

/* ---- seeing them ---- */

typedef struct rg_sample {
    size_t slot;               /* the same for a series as long as the process lives, and small */
    const char *name, *suffix; /* of a part of a histogram: "_sum"; else "" */
    const char *labels, *help;
    rg_metric_kind kind;
    double value;
} rg_sample;

void rg_metrics_role(rg_metric_whose role);
/* All that have a value, those of one name one behind the other. */
void rg_metrics_each(void (*see)(void *arg, const rg_sample *sample), void *arg);
/* Prometheus' text format, version 0.0.4. */
void rg_metrics_text(rg_buf *out);
/* {"name{labels}": number, ...} on one line; what is no finite number is "NaN", "+Inf" or "-Inf",
 * in quotes, since JSON has none. */
void rg_metrics_json(rg_buf *out);

/* Its key in JSON, with the quotes. */
void rg_sample_key(rg_buf *out, const rg_sample *sample);

/* For tests and documentation: line i of the list. False: there are no more. */
bool rg_metric_info(size_t i, rg_sample *info, rg_metric_whose *whose);

#endif
