/* row_index.c - segments of cells behind ps/row_index_priv.h. */
#include "ps/row_index_priv.h"

#include "base/mem.h"
#include "sys/pages.h"

#include <stdbool.h>
#include <string.h>

enum {
    SMALLEST = 64, /* cells */
    LARGEST = 2 * 1024 * 1024 / 8,
    MAX_DEPTH = 14, /* first bits of the tag; the others say where in a segment */
};

/* What a segment without memory points to: one free cell, never written. */
static uint64_t no_cells[1];

static size_t cells_bytes(const rg_segment *segment)
{
    return segment->cells == no_cells ? 0 : ((size_t)segment->mask + 1) * sizeof(uint64_t);
}

/* How many entries of the directory name this segment; they stand together. */
static size_t entries(const rg_row_index *index, const rg_segment *segment)
{
    return (size_t)1 << (index->depth - segment->depth);
}

static void make_empty(rg_segment *segment)
{
    if (segment->cells != no_cells)
        rg_pages_free(segment->cells, cells_bytes(segment));
    segment->cells = no_cells;
    segment->mask = segment->used = segment->limit = 0;
}

static void drop(rg_segment *segment)
{
    make_empty(segment);
    rg_free(segment);
}

static rg_status set_cells(rg_segment *segment, uint64_t n)
{
    size_t bytes = n * sizeof(uint64_t);
    uint64_t *cells = n > (uint64_t)UINT32_MAX + 1 ? NULL : rg_pages_alloc(bytes);
    if (cells == NULL)
        return rg_no_memory(bytes, "the index of a sparse table");
    memset(cells, 0, bytes);
    segment->cells = cells;
    segment->mask = (uint32_t)(n - 1);
    segment->limit = (uint32_t)(n / 5 * 4);
    segment->used = 0;
    return RG_OK;
}

static void put(rg_segment *segment, uint64_t cell)
{
    uint32_t at = (uint32_t)(cell >> 32) & segment->mask;
    while (segment->cells[at] != 0)
        at = (at + 1) & segment->mask;
    segment->cells[at] = cell;
    segment->used++;
}

/* The same rows in another number of cells. */
static rg_status resize(rg_segment *segment, uint64_t n)
{
    rg_segment old = *segment;
    RG_TRY(set_cells(segment, n));
    for (uint64_t i = 0; i <= old.mask; i++)
        if (old.cells[i] != 0)
            put(segment, old.cells[i]);
    make_empty(&old);
    return RG_OK;
}

static rg_status widen_directory(rg_row_index *index)
{
    size_t n = (size_t)1 << index->depth;
    rg_segment **wider = rg_alloc(2 * n * sizeof(rg_segment *));
    if (wider == NULL)
        return rg_no_memory(2 * n * sizeof(rg_segment *), "the index of a sparse table");
    for (size_t i = 0; i < n; i++)
        wider[2 * i] = wider[2 * i + 1] = index->directory[i];
    rg_free(index->directory);
    index->directory = wider;
    index->depth++;
    return RG_OK;
}

/* Hand the rows of the second half of the segment's places to `other`. Each row that stays is
 * taken out and put back, beginning behind a free cell: it lands where it stood or before,
 * and those before it in its run have been put back already. */
static void hand_over(rg_segment *segment, rg_segment *other)
{
    uint32_t start = 0, n_before = segment->used;
    while (segment->cells[start] != 0)
        start++;
    for (uint32_t k = 1, seen = 0; seen < n_before; k++) {
        uint32_t at = (start + k) & segment->mask;
        uint64_t cell = segment->cells[at];
        if (cell == 0)
            continue;
        seen++;
        segment->cells[at] = 0;
        segment->used--;
        bool second = rg_row_place((uint32_t)(cell >> 32)) >> (32 - other->depth) & 1;
        put(second ? other : segment, cell);
    }
}

static rg_status split(rg_row_index *index, uint32_t tag)
{
    rg_segment *segment = rg_row_segment(index, tag);
    if (segment->depth == index->depth)
        RG_TRY(widen_directory(index));
    rg_segment *other = rg_alloc_zero(1, sizeof *other);
    if (other == NULL)
        return rg_no_memory(sizeof *other, "the index of a sparse table");
    rg_status code = set_cells(other, (uint64_t)segment->mask + 1);
    if (code != RG_OK) {
        rg_free(other);
        return code;
    }
    size_t n = entries(index, segment);
    size_t first = (size_t)((uint64_t)rg_row_place(tag) << index->depth >> 32) / n * n;
    for (size_t i = n / 2; i < n; i++)
        index->directory[first + i] = other;
    other->depth = ++segment->depth;
    hand_over(segment, other);
    return RG_OK;
}

rg_status rg_row_index_init(rg_row_index *index)
{
    rg_segment **directory = rg_alloc(sizeof(rg_segment *));
    rg_segment *segment = rg_alloc_zero(1, sizeof *segment);
    if (directory == NULL || segment == NULL) {
        rg_free(directory);
        rg_free(segment);
        return rg_no_memory(sizeof *segment, "the index of a sparse table");
    }
    segment->cells = no_cells;
    directory[0] = segment;
    *index = (rg_row_index){directory, 0};
    return RG_OK;
}

void rg_row_index_clear(rg_row_index *index)
{
    size_t n = (size_t)1 << index->depth;
    rg_segment *kept = index->directory[0];
    for (size_t i = entries(index, kept); i < n;) {
        rg_segment *segment = index->directory[i];
        i += entries(index, segment);
        drop(segment);
    }
    make_empty(kept);
    kept->depth = 0;
    index->depth = 0;
}

size_t rg_row_index_bytes(const rg_row_index *index)
{
    size_t n = (size_t)1 << index->depth, bytes = n * sizeof(rg_segment *);
    for (size_t i = 0; i < n; i += entries(index, index->directory[i]))
        bytes += sizeof(rg_segment) + cells_bytes(index->directory[i]);
    return bytes;
}

void rg_row_index_fini(rg_row_index *index)
{
    rg_row_index_clear(index);
    drop(index->directory[0]);
    rg_free(index->directory);
    *index = (rg_row_index){0};
}

void rg_row_index_shrink(rg_row_index *index)
{
    size_t n = (size_t)1 << index->depth;
    for (size_t i = 0; i < n; i += entries(index, index->directory[i])) {
        rg_segment *segment = index->directory[i];
        uint64_t cells = SMALLEST;
        while (cells < (uint64_t)segment->used * 2)
            cells *= 2;
        if (cells <= segment->mask / 2)
            (void)resize(segment, cells); /* without memory it stays as it is */
    }
}

size_t rg_row_index_growth(const rg_row_index *index, uint32_t tag)
{
    const rg_segment *segment = rg_row_segment(index, tag);
    size_t cells = (size_t)segment->mask + 1;
    if (segment->used < segment->limit)
        return 0;
    if (cells >= LARGEST && segment->depth < MAX_DEPTH)
        return cells * sizeof(uint64_t) + sizeof(rg_segment) +
               (segment->depth == index->depth ? sizeof(rg_segment *) << index->depth : 0);
    return (cells < SMALLEST ? SMALLEST : 2 * cells) * sizeof(uint64_t) - cells_bytes(segment);
}

rg_status rg_row_index_reserve(rg_row_index *index, uint32_t tag)
{
    for (;;) {
        rg_segment *segment = rg_row_segment(index, tag);
        if (segment->used < segment->limit)
            return RG_OK;
        uint64_t cells = (uint64_t)segment->mask + 1;
        if (cells >= LARGEST && segment->depth < MAX_DEPTH)
            RG_TRY(split(index, tag));
        else
            RG_TRY(resize(segment, cells < SMALLEST ? SMALLEST : 2 * cells));
    }
}

void rg_row_index_add(rg_row_index *index, uint32_t tag, uint32_t row)
{
    put(rg_row_segment(index, tag), (uint64_t)tag << 32 | (row + 1));
}

/* What follows moves up, so that no search ends at the gap before it has come to its row. */
void rg_row_index_remove(const rg_probe *probe)
{
    rg_segment *segment = probe->segment;
    uint32_t mask = segment->mask, gap = probe->at;
    for (uint32_t i = (gap + 1) & mask; segment->cells[i] != 0; i = (i + 1) & mask) {
        uint32_t home = (uint32_t)(segment->cells[i] >> 32) & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            segment->cells[gap] = segment->cells[i];
            gap = i;
        }
    }
    segment->cells[gap] = 0;
    segment->used--;
}
