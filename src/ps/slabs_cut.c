/* slabs_cut.c - rows as they were at a moment, while their owner goes on to change them.
 *
 * The rows of the cut are those below `end`, and they are taken in the order that they stand in.
 * One that is about to change before it was taken is copied aside and marked; it comes from there,
 * and what stands in its place is passed over. So a cut costs a bit for each row, and a copy of
 * those that are changed meanwhile; where they come faster than they are taken, they are spilled:
 * their owner writes a piece of them down himself, and what is copied aside stays within its
 * bounds. */
#include "ps/slabs_priv.h"

#include "base/mem.h"

#include <string.h>

enum { LEAST_ASIDE = 4 << 20, ASIDE_PART = 16, PIECE_BYTES = 1 << 18 };

rg_status rg_slabs_cut_open(rg_slabs_cut *cut, rg_slabs *slabs)
{
    if (slabs->cut != NULL)
        return rg_fail(RG_EINVAL, "rows are being written down already");
    uint32_t end = slabs->next_slab << slabs->bits | slabs->next_place;
    size_t bytes = slabs->n_rows * slabs->row_bytes / ASIDE_PART,
           piece = PIECE_BYTES / slabs->row_bytes;
    *cut = (rg_slabs_cut){.slabs = slabs,
                          .end = end,
                          .left = slabs->n_rows,
                          .most = bytes > LEAST_ASIDE ? bytes : LEAST_ASIDE,
                          .piece = piece > 0 ? piece : 1,
                          .saved = rg_alloc_zero((size_t)end / 64 + 1, sizeof(uint64_t))};
    if (cut->saved == NULL)
        return rg_no_memory((size_t)end / 8, "marks of rows");
    rg_buf_init(&cut->rows, 0);
    rg_buf_init(&cut->places, 0);
    slabs->cut = cut;
    return RG_OK;
}

void rg_slabs_cut_changes(rg_slabs_cut *cut)
{
    const rg_slabs *slabs = cut->slabs;
    cut->left = 0;
    for (uint32_t row = 0; row < cut->end; row += 64) {
        uint64_t changed = slabs->marks[row / 64];
        if (cut->end - row < 64)
            changed &= ((uint64_t)1 << (cut->end - row)) - 1;
        cut->saved[row / 64] = ~changed;
        cut->left += (size_t)__builtin_popcountll(changed);
    }
}

void rg_slabs_cut_close(rg_slabs_cut *cut)
{
    if (cut->slabs == NULL)
        return;
    cut->slabs->cut = NULL;
    rg_buf_fini(&cut->rows);
    rg_buf_fini(&cut->places);
    rg_free(cut->saved);
    *cut = (rg_slabs_cut){0};
}

static bool is_saved(const rg_slabs_cut *cut, uint32_t row)
{
    return (cut->saved[row / 64] >> row % 64 & 1) != 0;
}

/* Of those that are saved the last n. */
static size_t tail_of(const rg_slabs_cut *cut, size_t n, const uint8_t **rows,
                      const uint8_t **places)
{
    size_t all = cut->places.len / sizeof(uint32_t);
    n = n < all ? n : all;
    *rows = cut->rows.data + (all - n) * cut->slabs->row_bytes;
    *places = cut->places.data + (all - n) * sizeof(uint32_t);
    return n;
}

static void drop_tail(rg_slabs_cut *cut, size_t n)
{
    cut->rows.len -= n * cut->slabs->row_bytes;
    cut->places.len -= n * sizeof(uint32_t);
    cut->left -= n;
}

/* A piece at a time, so that nobody waits long. */
static rg_status spill_piece(rg_slabs_cut *cut)
{
    const uint8_t *rows, *places;
    size_t n = tail_of(cut, cut->piece, &rows, &places);
    RG_TRY(cut->spill(cut->arg, rows, places, n));
    drop_tail(cut, n);
    return RG_OK;
}

void rg_slabs_cut_save(rg_slabs_cut *cut, uint32_t row)
{
    if (row < cut->at || row >= cut->end || is_saved(cut, row) || cut->failed != RG_OK)
        return;
    cut->saved[row / 64] |= (uint64_t)1 << row % 64;
    rg_buf_add(&cut->rows, rg_slabs_row(cut->slabs, row), cut->slabs->row_bytes);
    rg_buf_u32(&cut->places, (uint32_t)rg_slabs_position(cut->slabs, row));
    cut->failed = rg_buf_status(&cut->rows) != RG_OK ? rg_buf_status(&cut->rows)
                                                     : rg_buf_status(&cut->places);
    if (cut->failed == RG_OK && cut->spill != NULL && cut->rows.len > cut->most)
        cut->failed = spill_piece(cut);
}

/* Rows of one slab from `at` on, at most n: the run of those that are not saved, after those that
 * are. */
static size_t take_run(rg_slabs_cut *cut, size_t n, rg_buf *rows, rg_buf *places)
{
    const rg_slabs *slabs = cut->slabs;
    uint32_t stop = (cut->at & ~slabs->mask) + (uint32_t)rg_slabs_in(slabs, cut->at >> slabs->bits);
    stop = stop < cut->end ? stop : cut->end;
    while (cut->at < stop && is_saved(cut, cut->at))
        cut->at++;
    uint32_t first = cut->at;
    while (cut->at < stop && cut->at - first < n && !is_saved(cut, cut->at))
        cut->at++;
    uint32_t run = cut->at - first;
    if (run > 0) {
        size_t position = rg_slabs_position(slabs, first);
        rg_buf_add(rows, rg_slabs_row(slabs, first), run * slabs->row_bytes);
        for (uint32_t i = 0; places != NULL && i < run; i++)
            rg_buf_u32(places, (uint32_t)(position + i));
    }
    if (cut->at == stop && stop < cut->end)
        cut->at = (cut->at & ~slabs->mask) + slabs->mask + 1;
    return run;
}

static size_t take_saved(rg_slabs_cut *cut, size_t n, rg_buf *rows, rg_buf *places)
{
    const uint8_t *some, *where;
    n = tail_of(cut, n, &some, &where);
    if (n > 0) {
        rg_buf_add(rows, some, n * cut->slabs->row_bytes);
        if (places != NULL)
            rg_buf_add(places, where, n * sizeof(uint32_t));
        drop_tail(cut, n);
    }
    return n;
}

/* Those that are saved first where there is a piece of them: they take memory. */
rg_status rg_slabs_cut_take(rg_slabs_cut *cut, size_t n, rg_buf *rows, rg_buf *places,
                            size_t *taken)
{
    *taken = 0;
    if (cut->failed != RG_OK)
        return rg_fail(cut->failed, "rows that change could not be kept for it");
    bool ended = cut->at >= cut->end;
    if (ended || cut->places.len / sizeof(uint32_t) >= cut->piece)
        *taken = take_saved(cut, n, rows, places);
    while (*taken < n && cut->at < cut->end) {
        size_t run = take_run(cut, n - *taken, rows, places);
        *taken += run;
        cut->left -= run;
    }
    if (*taken == 0 && !ended)
        *taken = take_saved(cut, n, rows, places);
    if (*taken == 0 && cut->left > 0)
        return rg_fail(RG_ECORRUPT, "%zu rows were lost while they were written down", cut->left);
    if (places != NULL)
        RG_TRY(rg_buf_status(places));
    return rg_buf_status(rows);
}
