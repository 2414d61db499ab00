/* row_index_priv.h - from an id's hash to the number of its row, for ps/table.c.
 *
 * Open addressing in segments of 256 K cells: one huge page. A directory names the segment;
 * one that is full hands half of its rows to a new one. (A table's first segment is smaller,
 * and doubles until it is that large.) A cell holds 32 bits of hash beside the row's number:
 * growing reads no row, and a search hardly ever reads a wrong one.
 *
 * The directory is over the first bits not of the hash but of its place, which is denser at
 * the one end than at the other, by a factor of two. So segments fill at different times: as
 * the table grows, they split one by one, and the index is always about as full. */
#ifndef RG_PS_ROW_INDEX_PRIV_H
#define RG_PS_ROW_INDEX_PRIV_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_segment {
    uint64_t *cells;            /* tag << 32 | row + 1; 0: free */
    uint32_t mask, used, limit; /* mask + 1 cells, a power of two */
    int depth;                  /* how many first bits its places share */
} rg_segment;

typedef struct rg_row_index {
    rg_segment **directory; /* 2^depth; neighbours may be one segment */
    int depth;
} rg_row_index;

/* A place in a segment, from which a search goes on. */
typedef struct rg_probe {
    rg_segment *segment;
    uint32_t at, tag;
} rg_probe;

rg_status rg_row_index_init(rg_row_index *index);
void rg_row_index_fini(rg_row_index *index);
void rg_row_index_clear(rg_row_index *index);
size_t rg_row_index_bytes(const rg_row_index *index);
/* Give back what segments that have become nearly empty hold. */
void rg_row_index_shrink(rg_row_index *index);

/* How many bytes rg_row_index_reserve() would take from the system, as a rule. */
size_t rg_row_index_growth(const rg_row_index *index, uint32_t tag);
/* Make sure that one more row with this tag can be added. */
rg_status rg_row_index_reserve(rg_row_index *index, uint32_t tag);
/* After rg_row_index_reserve() for the same tag. */
void rg_row_index_add(rg_row_index *index, uint32_t tag, uint32_t row);
/* The cell at the probe, which must hold a row, becomes free. */
void rg_row_index_remove(const rg_probe *probe);

static inline uint32_t rg_row_tag(int64_t id)
{
    uint64_t h = (uint64_t)id;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 32);
}

/* With u = tag / 2^32: (2u + u^2) / 3, which grows with u, from a slope of 2/3 to one of 4/3. */
static inline uint32_t rg_row_place(uint32_t tag)
{
    return (uint32_t)((2 * (uint64_t)tag + ((uint64_t)tag * tag >> 32)) / 3);
}

static inline rg_segment *rg_row_segment(const rg_row_index *index, uint32_t tag)
{
    return index->directory[(uint64_t)rg_row_place(tag) << index->depth >> 32];
}

static inline rg_probe rg_probe_begin(const rg_row_index *index, uint32_t tag)
{
    rg_segment *segment = rg_row_segment(index, tag);
    rg_probe probe = {segment, tag & segment->mask, tag};
    return probe;
}

static inline void rg_probe_step(rg_probe *probe)
{
    probe->at = (probe->at + 1) & probe->segment->mask;
}

/* The first row with the probe's tag, here or further on; UINT32_MAX where there is none. */
static inline uint32_t rg_probe_row(rg_probe *probe)
{
    for (;; rg_probe_step(probe)) {
        uint64_t cell = probe->segment->cells[probe->at];
        if (cell == 0)
            return UINT32_MAX;
        if ((uint32_t)(cell >> 32) == probe->tag)
            return (uint32_t)cell - 1;
    }
}

/* The cell at the probe, which must hold a row, gets another one of the same tag. */
static inline void rg_probe_set(const rg_probe *probe, uint32_t row)
{
    probe->segment->cells[probe->at] = (uint64_t)probe->tag << 32 | (row + 1);
}

#endif
