/* profile_priv.h - the list of spans, for who writes it down. */
#ifndef RG_SYS_PROFILE_PRIV_H
#define RG_SYS_PROFILE_PRIV_H

#include "sys/profile.h"

typedef struct rg_span {
    const char *name;
    uint64_t start, end; /* of rg_clock_ns() */
    rg_span_kind kind;
    int thread; /* from 1, in the order of first spans */
} rg_span;

/* One that is not of this process, or thread. */
void rg_profile_put(const rg_span *span);
/* All spans since the last reset, or, `whole`, all that are kept; until rg_profile_unlock().
 * *ahead: what makes wall time of their times. */
const rg_span *rg_profile_lock(bool whole, size_t *n, uint64_t *dropped, int64_t *ahead);
/* From now on everything is kept until the process ends: stop and reset only end what the tables
 * show. */
void rg_profile_keep(void);
void rg_profile_unlock(void);

/* ---- clocks (profile_clock.c) ---- */

/* What rg_profile_peer() was told, as text: "server.0 AHEAD ERROR;server.1 ...", in ns. */
void rg_profile_peers(rg_buf *out);

/* That the clock of `peer` was so far ahead of that of `from`, give or take the error. */
typedef struct rg_told_clock {
    char from[64], peer[48];
    int64_t ahead_ns;
    uint64_t error_ns;
} rg_told_clock;

/* All that processes of a job were told. All zero is none. */
typedef struct rg_clocks {
    rg_told_clock *told;
    size_t n, capacity;
} rg_clocks;

rg_status rg_clocks_take(rg_clocks *clocks, const char *process, const char *text);
/* How far the clock that all go by (of server 0, else of worker 0) is ahead of this process's; 0
 * where that is not known, or not more than the error. */
int64_t rg_clocks_ahead(const rg_clocks *clocks, const char *process);
void rg_clocks_fini(rg_clocks *clocks);

#endif
