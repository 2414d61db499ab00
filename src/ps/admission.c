/* admission.c - rules of admission, and how often ids were seen. */
#include "ps/admission.h"

#include "base/mem.h"
#include "ps/row_index_priv.h"
#include "ps/slabs_priv.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = RG_SEEN_BYTES, COST = 29 }; /* with its part of the index */

struct rg_seen {
    rg_row_index index;
    rg_slabs cells; /* i64 id, u32 count */
    rg_quota *quota;
    size_t charged;
    bool ages;
};

/* ---- rules ---- */

rg_status rg_parse_entry(const char *what, const char *text, rg_entry_rule *rule)
{
    static const char count[] = "count_filter_entry:", probability[] = "probability_entry:";
    char *end = NULL;
    if (text[0] == '\0')
        return RG_OK;
    if (strncmp(text, count, sizeof count - 1) == 0) {
        long n = strtol(text + sizeof count - 1, &end, 10);
        if (*end == '\0' && n >= 1 && n < UINT32_MAX) {
            rule->count = (uint32_t)n;
            return RG_OK;
        }
    } else if (strncmp(text, probability, sizeof probability - 1) == 0) {
        double p = strtod(text + sizeof probability - 1, &end);
        if (*end == '\0' && p > 0 && p <= 1) {
            rule->probability = p < 1 ? p : 0;
            return RG_OK;
        }
    }
    return rg_fail(RG_EINVAL,
                   "%s has the entry '%s': count_filter_entry:N with N from 1 on, or "
                   "probability_entry:P with P above 0 and at most 1, is possible",
                   what, text);
}

bool rg_entry_admits(const rg_entry_rule *rule, int64_t id, uint32_t seen)
{
    if (rule->probability > 0) {
        rg_philox_key key = {rule->key.seed ^ (uint64_t)id * 0x9e3779b97f4a7c15u,
                             rule->key.stream ^ 0x656e747279u}; /* not the row's own numbers */
        return rg_philox_uniform_f64(key, seen) < rule->probability;
    }
    return seen + 1 >= rule->count;
}

/* ---- counts ---- */

rg_status rg_seen_open(rg_seen **out, rg_quota *quota, bool ages)
{
    rg_seen *seen = rg_alloc_zero(1, sizeof *seen);
    if (seen == NULL || rg_row_index_init(&seen->index) != RG_OK) {
        rg_free(seen);
        return rg_no_memory(sizeof *seen, "counts of ids");
    }
    rg_slabs_init(&seen->cells, CELL_BYTES, quota ? rg_quota_slab(quota) : RG_SLAB_BYTES);
    seen->quota = quota;
    seen->ages = ages && quota != NULL;
    *out = seen;
    return RG_OK;
}

static void settle(rg_seen *seen, size_t bytes)
{
    rg_quota_note(seen->quota, seen->charged, bytes);
    seen->charged = bytes;
}

void rg_seen_close(rg_seen *seen)
{
    if (seen == NULL)
        return;
    rg_seen_clear(seen);
    rg_row_index_fini(&seen->index);
    settle(seen, 0);
    rg_free(seen);
}

void rg_seen_clear(rg_seen *seen)
{
    if (seen->ages)
        seen->quota->cost -= seen->cells.n_rows * COST;
    rg_slabs_clear(&seen->cells);
    rg_row_index_clear(&seen->index);
    settle(seen, rg_seen_bytes(seen));
}

size_t rg_seen_bytes(const rg_seen *seen)
{
    return rg_slabs_bytes(&seen->cells) + rg_row_index_bytes(&seen->index);
}

size_t rg_seen_size(const rg_seen *seen)
{
    return seen->cells.n_rows;
}

static int64_t id_at(const rg_seen *seen, uint32_t cell)
{
    int64_t id;
    memcpy(&id, rg_slabs_row(&seen->cells, cell), sizeof id);
    return id;
}

static uint32_t count_of(const rg_seen *seen, uint32_t cell)
{
    uint32_t count;
    memcpy(&count, rg_slabs_row(&seen->cells, cell) + sizeof(int64_t), sizeof count);
    return count;
}

/* To change it. */
static uint32_t *count_at(const rg_seen *seen, uint32_t cell)
{
    rg_slabs_changing(&seen->cells, cell);
    return (uint32_t *)(void *)(rg_slabs_row(&seen->cells, cell) + sizeof(int64_t));
}

/* Its cell, or UINT32_MAX; the probe ends there. */
static uint32_t find(const rg_seen *seen, int64_t id, rg_probe *probe)
{
    uint32_t cell;
    *probe = rg_probe_begin(&seen->index, rg_row_tag(id));
    while ((cell = rg_probe_row(probe)) != UINT32_MAX && id_at(seen, cell) != id)
        rg_probe_step(probe);
    return cell;
}

uint32_t rg_seen_count(const rg_seen *seen, int64_t id)
{
    rg_probe probe;
    uint32_t cell = find(seen, id, &probe);
    return cell != UINT32_MAX ? count_of(seen, cell) : 0;
}

rg_slabs *rg_seen_cells(rg_seen *seen)
{
    return &seen->cells;
}

/* The last takes the place of the one that goes. */
void rg_seen_forget(rg_seen *seen, int64_t id)
{
    rg_probe probe, moved;
    uint32_t cell = find(seen, id, &probe);
    if (cell == UINT32_MAX)
        return;
    rg_row_index_remove(&probe);
    uint32_t last = rg_slabs_last(&seen->cells);
    if (last != cell) {
        (void)find(seen, id_at(seen, last), &moved);
        rg_probe_set(&moved, cell);
        rg_slabs_changing(&seen->cells, cell);
        memcpy(rg_slabs_row(&seen->cells, cell), rg_slabs_row(&seen->cells, last), CELL_BYTES);
    }
    rg_slabs_pop(&seen->cells);
    if (seen->ages)
        seen->quota->cost -= COST;
}

/* From the last to the first: the one that takes a forgotten one's place was halved already. */
static void age(rg_seen *seen)
{
    for (size_t i = seen->cells.n_rows; i-- > 0;) {
        uint32_t cell = rg_slabs_at(&seen->cells, i), *count = count_at(seen, cell);
        *count /= 2;
        if (*count == 0)
            rg_seen_forget(seen, id_at(seen, cell));
    }
    settle(seen, rg_seen_bytes(seen));
}

static rg_status add(rg_seen *seen, int64_t id, uint32_t count)
{
    uint32_t tag = rg_row_tag(id);
    if (seen->ages && (seen->cells.n_rows + 1) * COST > rg_quota_for_rows(seen->quota) / 4)
        age(seen);
    size_t more = rg_slabs_growth(&seen->cells) + rg_row_index_growth(&seen->index, tag);
    if (!rg_quota_take(seen->quota, more))
        return rg_fail(RG_ENOMEM,
                       "%zu ids were seen that have no row yet, and the counts of more "
                       "do not fit into --table_memory; give it more, or --table_evict",
                       seen->cells.n_rows);
    seen->charged += more;
    rg_status code = rg_row_index_reserve(&seen->index, tag);
    if (code == RG_OK)
        code = rg_slabs_reserve(&seen->cells);
    if (more > 0)
        settle(seen, rg_seen_bytes(seen));
    RG_TRY(code);
    uint32_t cell = rg_slabs_add(&seen->cells);
    rg_row_index_add(&seen->index, tag, cell);
    memcpy(rg_slabs_row(&seen->cells, cell), &id, sizeof id);
    *count_at(seen, cell) = count;
    if (seen->ages)
        seen->quota->cost += COST;
    return RG_OK;
}

rg_status rg_seen_set(rg_seen *seen, int64_t id, uint32_t count)
{
    rg_probe probe;
    uint32_t cell = find(seen, id, &probe);
    if (cell == UINT32_MAX)
        return add(seen, id, count);
    *count_at(seen, cell) = count;
    return RG_OK;
}
