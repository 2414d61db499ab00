/* lod.h - level of detail: how the rows of a tensor group into sequences.
 *
 * Level 0 is the coarsest. A level is an array of offsets that begins with 0;
 * sequence i of the level is [offset[i], offset[i+1]). The last level's offsets
 * count rows; those of a level above count the sequences of the next.
 *
 * An rg_lod is immutable and counted: sharing one between tensors is a retain.
 * Counting may be done from any thread. */
#ifndef RG_TENSOR_LOD_H
#define RG_TENSOR_LOD_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_MAX_LOD = 8 };

typedef struct rg_lod {
    int refs; /* atomic */
    int levels;
    size_t count[RG_MAX_LOD]; /* offsets in a level: sequences + 1 */
    int64_t *offset[RG_MAX_LOD];
} rg_lod;

/* All offsets zero but counted: the caller fills them before sharing. Owned. */
rg_status rg_lod_new(rg_lod **lod, int levels, const size_t *counts);
/* NULL is allowed, and given back. */
rg_lod *rg_lod_retain(rg_lod *lod);
void rg_lod_release(rg_lod *lod);

/* From lengths, as `recursive_sequence_lengths` gives them. */
rg_status rg_lod_from_lengths(rg_lod **lod, int levels, const size_t *counts,
                              const int64_t *const *lengths);
/* The levels from `first` on, or up to `end`, as a LoD of their own; NULL where none is left. */
rg_status rg_lod_slice(rg_lod **lod, const rg_lod *of, int first, int end);

/* RG_ECORRUPT unless offsets begin with 0, never fall, agree between levels, and
 * the last is `rows` (any, where rows is -1). */
rg_status rg_lod_check(const rg_lod *lod, int64_t rows);
bool rg_lod_equal(const rg_lod *a, const rg_lod *b);

/* Sequences of a level. */
static inline int64_t rg_lod_sequences(const rg_lod *lod, int level)
{
    return (int64_t)lod->count[level] - 1;
}

#endif
