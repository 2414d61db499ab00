/* slabs.c - packed rows behind ps/slabs_priv.h. */
#include "ps/slabs_priv.h"

#include "base/mem.h"
#include "sys/fault.h"
#include "sys/pages.h"

#include <string.h>

/* Slabs of 64 KiB, 128 KiB ... , then all of the largest size. */
enum { FIRST_BYTES = 64 * 1024 };

static size_t slab_bytes(const rg_slabs *slabs, size_t slab)
{
    size_t bytes = (size_t)FIRST_BYTES << (slab < slabs->n_small ? slab : slabs->n_small);
    return bytes > slabs->row_bytes ? bytes : slabs->row_bytes;
}

size_t rg_slabs_in(const rg_slabs *slabs, size_t slab)
{
    return slab_bytes(slabs, slab) / slabs->row_bytes;
}

void rg_slabs_init(rg_slabs *slabs, size_t row_bytes, size_t largest)
{
    *slabs = (rg_slabs){.row_bytes = row_bytes};
    while (slabs->n_small < RG_SLABS_SMALL &&
           (size_t)FIRST_BYTES << (slabs->n_small + 1) <= largest)
        slabs->n_small++;
    while ((size_t)1 << slabs->bits < rg_slabs_in(slabs, slabs->n_small))
        slabs->bits++;
    slabs->mask = ((uint32_t)1 << slabs->bits) - 1;
}

void rg_slabs_clear(rg_slabs *slabs)
{
    rg_slabs_cut *cut = slabs->cut;
    for (size_t i = 0; cut != NULL && i < slabs->n_rows; i++)
        rg_slabs_cut_save(cut, rg_slabs_at(slabs, i));
    for (size_t i = 0; i < slabs->n_slabs; i++)
        rg_pages_free(slabs->slabs[i], slab_bytes(slabs, i));
    rg_free(slabs->slabs);
    rg_slabs_note_no_more(slabs);
    rg_slabs_init(slabs, slabs->row_bytes, (size_t)FIRST_BYTES << slabs->n_small);
    slabs->cut = cut;
}

size_t rg_slabs_bytes(const rg_slabs *slabs)
{
    size_t bytes = slabs->cap_slabs * sizeof(uint8_t *);
    for (size_t i = 0; i < slabs->n_slabs; i++)
        bytes += slab_bytes(slabs, i);
    return bytes;
}

size_t rg_slabs_growth(const rg_slabs *slabs)
{
    return slabs->next_slab < slabs->n_slabs ? 0 : slab_bytes(slabs, slabs->n_slabs);
}

/* A bit for each row that there is room for. */
static void make_marks(rg_slabs *slabs)
{
    size_t n = ((slabs->n_slabs + 1) << slabs->bits) / 64 + 1;
    if (slabs->marks != NULL && n <= slabs->n_marks)
        return;
    uint64_t *marks = rg_realloc(slabs->marks, n * sizeof *marks);
    if (marks == NULL) {
        rg_slabs_note_no_more(slabs);
        return;
    }
    memset(marks + slabs->n_marks, 0, (n - slabs->n_marks) * sizeof *marks);
    slabs->marks = marks;
    slabs->n_marks = n;
}

rg_status rg_slabs_reserve(rg_slabs *slabs)
{
    if (slabs->next_slab < slabs->n_slabs)
        return RG_OK;
    /* The last slab's number stays free: it would hold UINT32_MAX. */
    if (slabs->n_slabs >= ((size_t)1 << (32 - slabs->bits)) - 1)
        return rg_fail(RG_ETOOBIG, "%zu rows are the most that one shard holds", slabs->n_rows);
    size_t bytes = slab_bytes(slabs, slabs->n_slabs);
    RG_TRY(rg_grow((void **)&slabs->slabs, slabs->n_slabs, &slabs->cap_slabs, sizeof(uint8_t *)));
    uint8_t *fresh = rg_fault("ps.slab") == RG_FAULT_NONE ? rg_pages_alloc(bytes) : NULL;
    if (fresh == NULL)
        return rg_no_memory(bytes, "rows of a sparse table");
    slabs->slabs[slabs->n_slabs++] = fresh;
    if (slabs->marks != NULL)
        make_marks(slabs);
    return RG_OK;
}

void rg_slabs_note(rg_slabs *slabs)
{
    make_marks(slabs);
    if (slabs->marks != NULL)
        memset(slabs->marks, 0, slabs->n_marks * sizeof *slabs->marks);
}

void rg_slabs_note_no_more(rg_slabs *slabs)
{
    rg_free(slabs->marks);
    slabs->marks = NULL;
    slabs->n_marks = 0;
}

uint32_t rg_slabs_add(rg_slabs *slabs)
{
    uint32_t row = slabs->next_slab << slabs->bits | slabs->next_place;
    if (slabs->marks != NULL)
        slabs->marks[row / 64] |= (uint64_t)1 << row % 64;
    if (++slabs->next_place == rg_slabs_in(slabs, slabs->next_slab)) {
        slabs->next_slab++;
        slabs->next_place = 0;
    }
    slabs->n_rows++;
    return row;
}

uint32_t rg_slabs_last(const rg_slabs *slabs)
{
    if (slabs->next_place > 0)
        return slabs->next_slab << slabs->bits | (slabs->next_place - 1);
    return (slabs->next_slab - 1) << slabs->bits |
           (uint32_t)(rg_slabs_in(slabs, slabs->next_slab - 1) - 1);
}

void rg_slabs_pop(rg_slabs *slabs)
{
    uint32_t last = rg_slabs_last(slabs);
    rg_slabs_changing(slabs, last);
    slabs->next_slab = last >> slabs->bits;
    slabs->next_place = last & slabs->mask;
    slabs->n_rows--;
    while (slabs->n_slabs > (size_t)slabs->next_slab + 2) {
        slabs->n_slabs--;
        rg_pages_free(slabs->slabs[slabs->n_slabs], slab_bytes(slabs, slabs->n_slabs));
    }
}

uint32_t rg_slabs_at(const rg_slabs *slabs, size_t position)
{
    size_t slab = 0;
    for (; slab < slabs->n_small && position >= rg_slabs_in(slabs, slab); slab++)
        position -= rg_slabs_in(slabs, slab);
    size_t each = rg_slabs_in(slabs, slab);
    slab += position / each;
    return (uint32_t)(slab << slabs->bits | position % each);
}

size_t rg_slabs_position(const rg_slabs *slabs, uint32_t row)
{
    size_t slab = row >> slabs->bits, position = row & slabs->mask;
    size_t small = slab < slabs->n_small ? slab : slabs->n_small;
    for (size_t i = 0; i < small; i++)
        position += rg_slabs_in(slabs, i);
    return position + (slab - small) * rg_slabs_in(slabs, slabs->n_small);
}
