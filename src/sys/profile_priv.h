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

#endif
