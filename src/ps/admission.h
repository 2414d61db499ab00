/* admission.h - which ids of a table get a row: those that were seen often enough, or by a draw.
 *
 * An id without a row reads as zeros, and what is pushed to it is dropped but for being counted. It
 * is let in by its first push of which the rule says so: a count filter of n by the n-th, a
 * probability p by one whose number, drawn from (key, id, how many came before), is below p. So it
 * depends on the id's own pushes alone: not on servers, shards, or the order of others; a look-up,
 * which may come twice, counts nothing.
 *
 * Counts take about 29 bytes an id, of the table's quota. Where rows may go and counts have come to
 * a quarter of it, all are halved, and those that were 1 are forgotten. */
#ifndef RG_PS_ADMISSION_H
#define RG_PS_ADMISSION_H

#include "base/philox.h"
#include "ps/memory.h"

typedef struct rg_entry_rule {
    uint32_t count;     /* 0: none */
    double probability; /* 0: none */
    rg_philox_key key;
} rg_entry_rule;

/* "count_filter_entry:10", "probability_entry:0.1"; empty: no rule. RG_EINVAL names `what`. */
rg_status rg_parse_entry(const char *what, const char *text, rg_entry_rule *rule);
static inline bool rg_entry_filters(const rg_entry_rule *rule)
{
    return rule->count > 1 || rule->probability > 0;
}
/* Whether a push lets the id in that `seen` others came before. */
bool rg_entry_admits(const rg_entry_rule *rule, int64_t id, uint32_t seen);

typedef struct rg_seen rg_seen;

/* Owned; ended by close, which takes NULL too. ages: counts are halved where there are too many. */
rg_status rg_seen_open(rg_seen **seen, rg_quota *quota, bool ages);
void rg_seen_close(rg_seen *seen);
void rg_seen_clear(rg_seen *seen);
size_t rg_seen_bytes(const rg_seen *seen);
size_t rg_seen_size(const rg_seen *seen); /* ids */
uint32_t rg_seen_count(const rg_seen *seen, int64_t id);
/* RG_ENOMEM: also where the quota does not allow it. */
rg_status rg_seen_set(rg_seen *seen, int64_t id, uint32_t count);
void rg_seen_forget(rg_seen *seen, int64_t id);
/* How they stand there, for who writes all of them down: i64 id, u32 count. */
enum { RG_SEEN_BYTES = 12 };
struct rg_slabs *rg_seen_cells(rg_seen *seen);

#endif
