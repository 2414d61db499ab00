/* slabs_priv.h - rows of equal size, packed in slabs that do not move, for ps/table.c.
 *
 * Rows are numbered slab << bits | place: a slab holds as many rows as fit its whole pages,
 * rarely a power of two. The first slabs are small, so that a small table is. Rows are
 * always packed: they are added at the end and taken from the end.
 *
 * A cut is the rows as they were at a moment, for who writes them down while the owner goes on
 * (slabs_cut.c). Whoever changes a row says so first, by rg_slabs_changing(): a row of the cut that
 * was not taken yet is copied aside then, so that each row is copied at most once, and those that
 * nobody changes not at all. Adding rows changes none, taking the last from the end says so
 * itself. All of it is the owner's; nothing here locks. */
#ifndef RG_PS_SLABS_PRIV_H
#define RG_PS_SLABS_PRIV_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_SLABS_SMALL = 6, RG_SLAB_BYTES = 64 * 1024 << RG_SLABS_SMALL }; /* 4 MiB */

typedef struct rg_slabs_cut rg_slabs_cut;

typedef struct rg_slabs rg_slabs;
struct rg_slabs {
    uint8_t **slabs;
    size_t n_slabs, cap_slabs; /* the last one may be empty, kept against coming and going */
    size_t row_bytes, n_rows;
    size_t n_small; /* slabs before those of the largest size */
    int bits;
    uint32_t mask;
    uint32_t next_slab, next_place; /* where the next row goes */
    rg_slabs_cut *cut;              /* borrowed; NULL: there is none */
    uint64_t *marks; /* bits: rows that are new or have changed; NULL: it is not noted. Owned */
    size_t n_marks;  /* words */
};

/* Rows of a cut that were copied aside, when they have come to be too many: `rows` are n of them,
 * `places` their positions at the cut, u32 each. */
typedef rg_status (*rg_slabs_spill)(void *arg, const uint8_t *rows, const uint8_t *places,
                                    size_t n);

struct rg_slabs_cut {
    rg_slabs *slabs;
    uint32_t at, end;     /* of the rows between them those that are not saved are to come */
    uint64_t *saved;      /* bits, by row; owned */
    size_t left;          /* rows to come, those that are saved among them */
    rg_buf rows;          /* that are saved, and ... */
    rg_buf places;        /* ... their positions */
    size_t most;          /* bytes of them; more are spilled */
    size_t piece;         /* so many at once */
    rg_slabs_spill spill; /* NULL: there may be any number */
    void *arg;
    rg_status failed; /* a row could not be saved: the cut is worth nothing */
};

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
/* The number of the row that is `position`-th, from 0, and the reverse. */
uint32_t rg_slabs_at(const rg_slabs *slabs, size_t position);
size_t rg_slabs_position(const rg_slabs *slabs, uint32_t row);
/* How many rows a slab holds. */
size_t rg_slabs_in(const rg_slabs *slabs, size_t slab);

/* ---- a cut (slabs_cut.c) ---- */

/* The rows as they are now. At most one at a time: RG_EINVAL where there is one. */
rg_status rg_slabs_cut_open(rg_slabs_cut *cut, rg_slabs *slabs);
void rg_slabs_cut_close(rg_slabs_cut *cut); /* also of one that was not opened: zeros */
/* Appends at most n rows, and their positions to `places` (NULL: nobody asks); *taken is 0 when
 * none is left. */
rg_status rg_slabs_cut_take(rg_slabs_cut *cut, size_t n, rg_buf *rows, rg_buf *places,
                            size_t *taken);
void rg_slabs_cut_save(rg_slabs_cut *cut, uint32_t row);

/* From now on it is noted which rows are new or change; what was noted before is forgotten. Where
 * there is no memory, now or later, nothing is noted: `marks` is NULL. */
void rg_slabs_note(rg_slabs *slabs);
void rg_slabs_note_no_more(rg_slabs *slabs);
/* Of the cut, which was just opened, only rows that were noted as changed. */
void rg_slabs_cut_changes(rg_slabs_cut *cut);

/* Before a row is changed. */
static inline void rg_slabs_changing(const rg_slabs *slabs, uint32_t row)
{
    if (slabs->marks != NULL)
        slabs->marks[row / 64] |= (uint64_t)1 << row % 64;
    if (slabs->cut != NULL)
        rg_slabs_cut_save(slabs->cut, row);
}

static inline uint8_t *rg_slabs_row(const rg_slabs *slabs, uint32_t row)
{
    return slabs->slabs[row >> slabs->bits] + (row & slabs->mask) * slabs->row_bytes;
}

#endif
