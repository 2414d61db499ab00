/* profile.h - the time of every op, for fluid.profiler.
 *
 * Off, it costs a plan one test of a flag for each op. Events of all threads go
 * into one list, under a lock. */
#ifndef RG_EXEC_PROFILE_H
#define RG_EXEC_PROFILE_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

extern bool rg_profiling; /* read by plans; set by the functions below */

void rg_profile_start(void);
void rg_profile_stop(void);
void rg_profile_reset(void);
void rg_profile_add(const char *type, uint64_t start_ns, uint64_t end_ns, int thread);

/* The table of calls, total, min, max and average by op. sorted_by: "calls", "total",
 * "max", "min", "ave", or NULL for the order of first use. */
rg_status rg_profile_table(const char *sorted_by, rg_buf *text);
/* The events in Chrome's trace format (chrome://tracing, Perfetto). */
rg_status rg_profile_trace(rg_buf *json);

#endif
