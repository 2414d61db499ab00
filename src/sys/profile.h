/* profile.h - where time goes: spans of all threads, as tables and as a trace.
 *
 * fluid.profiler, debug=True of train_from_dataset and `paddle profile` show them. Off, it costs
 * one test of a flag for each span. On, spans of all threads go into one list, under a lock, up to
 * RG_PROFILE_MOST; those beyond it are counted and left out. Names are the registry's or constants:
 * they live for ever.
 *
 * Of a job each process writes its own trace, and times are those of its wall clock since
 * REGATTA_PROFILE_ZERO (nanoseconds since 1970; without it, since its first span). The clocks of
 * hosts differ: who is let in by a server knows by how much, its trace says so, and traces that are
 * put together go by the clock of one. */
#ifndef RG_SYS_PROFILE_H
#define RG_SYS_PROFILE_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { RG_PROFILE_MOST = 1 << 23 };

typedef enum rg_span_kind {
    RG_SPAN_OP,      /* an op, or a copy that it needs */
    RG_SPAN_RUN,     /* a program, once: the ops lie in it; "step" where it trains */
    RG_SPAN_READ,    /* data are made, or waited for */
    RG_SPAN_PART,    /* of a step, as rg_step_enter() of sys/metrics.h has it; beside the others */
    RG_SPAN_SERVE,   /* a server answers a request */
    RG_SPAN_REQUEST, /* from its start to its answer; others of the same thread overlap it */
} rg_span_kind;

extern bool rg_profiling; /* read by who has spans; set by the functions below */
/* When it was started: what began before counts from then on. */
uint64_t rg_profile_since(void);

void rg_profile_start(void);
void rg_profile_stop(void);
void rg_profile_reset(void);
/* A span of the calling thread that has ended; of one thread they lie side by side or inside each
 * other, but for requests and parts of steps. */
void rg_profile_add(rg_span_kind kind, const char *name, uint64_t start_ns, uint64_t end_ns);

/* The table of calls, total, min, max and average by op. sorted_by: "calls", "total",
 * "max", "min", "ave", or NULL for the order of first use. */
rg_status rg_profile_table(const char *sorted_by, rg_buf *text);
/* Where the steps went, a line each: reading, pulling, computing, pushing, waiting, as parts of
 * what trainer threads took. Empty where nothing was trained. */
rg_status rg_profile_steps(rg_buf *text);
/* The spans in Chrome's trace format (chrome://tracing, ui.perfetto.dev). */
rg_status rg_profile_trace(rg_buf *json);
/* The trace as a file. */
rg_status rg_profile_write(const char *path);

/* The clock of a server that calls itself `name` ("pserver 3", "rank 0") is so far ahead of ours,
 * give or take the error. */
void rg_profile_peer(const char *name, int64_t ahead_ns, uint64_t error_ns);

/* The traces that processes of a job have written to the folder as one, FOLDER/trace.json;
 * `processes` gets their names, and whose clock was off by how much. Their spans are in the tables
 * here then. RG_ENOENT: there are none.
 */
rg_status rg_profile_merge(const char *folder, rg_buf *processes);

/* With FLAGS_profile_dir: starts now, and writes DIR/PROCESS.json when the process exits, PROCESS
 * being worker.0, server.1 or process-PID. Once, when a process begins. False: there is no such
 * flag. */
bool rg_profile_by_flag(void);
/* Writes it now, and not again: for a process that ends itself by a signal. */
void rg_profile_end(void);

#endif
