/* slabs_priv.h - rows of equal size, packed in slabs that do not move, for ps/table.c.
 *
 * Rows are numbered slab << bits | place: a slab holds as many rows as fit its whole pages,
 * rarely a power of two. The first slabs are small, so that a small table is. Rows are
 * always packed: they are added at the end and taken from the end. */
#ifndef RG_PS_SLABS_PRIV_H
#define RG_PS_SLABS_PRIV_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { RG_SLABS_SMALL = 6, RG_SLAB_BYTES = 64 * 1024 << RG_SLABS_SMALL }; /* 4 MiB */

typedef struct rg_slabs {
    uint8_t **slabs;
    size_t n_slabs, cap_slabs; /* the last one may be empty, kept against coming and going */
    size_t row_bytes, n_rows;
    size_t n_small; /* slabs before those of the largest size */
    int bits;
    uint32_t mask;
    uint32_t next_slab, next_place; /* where the next row goes */
} rg_slabs;

/* largest: bytes of a slab, unless a row has more; 64 KiB to RG_SLAB_BYTES. */
void rg_slabs_init(rg_slabs *slabs, size_t row_bytes, size_t largest);
void rg_slabs_clear(rg_slabs *slabs);
size_t rg_slabs_bytes(const rg_slabs *slabs);

/* How many bytes rg_slabs_reserve() would take from the system. */
size_t rg_slabs_growth(const rg_slabs *slabs);
/* Make sure that one more row can be added. */
rg_status rg_slabs_reserve(rg_slabs *slabs);
/* After rg_slabs_reserve(): the new row's number. Its bytes are not defined. */
uint32_t rg_slabs_add(rg_slabs *slabs);
/* The number of the last row, of which there is one. */
uint32_t rg_slabs_last(const rg_slabs *slabs);
void rg_slabs_pop(rg_slabs *slabs);
/* The number of the row that is `position`-th, from 0. */
uint32_t rg_slabs_at(const rg_slabs *slabs, size_t position);

static inline uint8_t *rg_slabs_row(const rg_slabs *slabs, uint32_t row)
{
    return slabs->slabs[row >> slabs->bits] + (row & slabs->mask) * slabs->row_bytes;
}

#endif
