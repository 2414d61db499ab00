/* row_index.c - segments of cells behind ps/row_index_priv.h. */
#include "ps/row_index_priv.h"

#include "base/mem.h"
#include "sys/pages.h"

#include <stdbool.h>
#include <string.h>

enum {
    SMALLEST = 64,              /* cells */
    STEP = 2 * 1024 * 1024 / 8, /* large segments are whole huge pages */
    LARGEST = 1024 * 1024,      /* one that would be larger is split */
    MAX_DEPTH = 16,             /* splits no more: 2^16 segments are 30 G cells */
    LEAST_LOAD = 680,
    MOST_LOAD = 800 /* of 1000; where in between, the tags say */
};

/* What a segment without memory points to: one free cell, never written. */
static uint64_t no_cells[1];

/* So many cells that `used` rows take about 8 of 15, never more than 3 of 5: a rebuild must
 * pay for itself before the next. */
static uint32_t cells_for(uint32_t used)
{
    uint64_t cells = (uint64_t)used * 15 / 8;
    if (cells < SMALLEST)
        return SMALLEST;
    if (cells <= STEP)
        return (uint32_t)cells;
    uint64_t whole = cells / STEP * STEP;
    return (uint32_t)(used > whole * 3 / 5 ? whole + STEP : whole);
}

static size_t cells_bytes(const rg_segment *segment)
{
    return segment->cells == no_cells ? 0 : (size_t)segment->n_cells * sizeof(uint64_t);
}

static void make_empty(rg_segment *segment)
{
    rg_pages_free(segment->cells == no_cells ? NULL : segment->cells, cells_bytes(segment));
    segment->cells = no_cells;
    segment->n_cells = 1;
    segment->used = segment->limit = 0;
}

static void drop(rg_segment *segment)
{
    if (segment == NULL)
        return;
    make_empty(segment);
    rg_free(segment);
}

/* An empty segment for `used` rows. `salt` is where in the tags it lies: its share in when it
 * is full, so that segments of one age do not all grow in the same moment. */
static rg_segment *new_segment(uint32_t used, int depth, uint32_t salt)
{
    rg_segment *segment = rg_alloc_zero(1, sizeof *segment);
    if (segment == NULL)
        return NULL;
    segment->n_cells = cells_for(used);
    segment->depth = depth;
    uint64_t load = LEAST_LOAD + ((uint64_t)(salt * 0x9e3779b9u) * (MOST_LOAD - LEAST_LOAD) >> 32);
    segment->limit = (uint32_t)(segment->n_cells * load / 1000);
    size_t bytes = (size_t)segment->n_cells * sizeof(uint64_t);
    segment->cells = rg_pages_alloc(bytes);
    if (segment->cells == NULL) {
        rg_free(segment);
        return NULL;
    }
    memset(segment->cells, 0, bytes);
    return segment;
}

static void put(rg_segment *segment, uint64_t cell)
{
    rg_probe probe = {segment, rg_segment_home(segment, (uint32_t)(cell >> 32)), 0};
    while (segment->cells[probe.at] != 0)
        rg_probe_step(&probe);
    segment->cells[probe.at] = cell;
    segment->used++;
}

/* Whether a cell of a segment of this depth goes to the second half when it is split. */
static unsigned half_of(uint64_t cell, int depth)
{
    return (unsigned)(cell >> (63 - depth)) & 1;
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

/* How many entries of the directory name this segment; they stand together. */
static size_t entries(const rg_row_index *index, const rg_segment *segment)
{
    return (size_t)1 << (index->depth - segment->depth);
}

/* Replace the segment of `tag` by one of the right size, or by two halves. */
static rg_status rebuild(rg_row_index *index, uint32_t tag, bool split)
{
    rg_segment *old = rg_row_segment(index, tag);
    if (split && old->depth == index->depth)
        RG_TRY(widen_directory(index));
    size_t n = entries(index, old);
    size_t first = (size_t)((uint64_t)tag << index->depth >> 32) / n * n;
    uint32_t used[2] = {old->used, 0};
    int depth = old->depth;
    if (split) {
        for (uint32_t i = 0; i < old->n_cells; i++)
            used[1] += old->cells[i] != 0 && half_of(old->cells[i], depth);
        used[0] -= used[1];
    }
    rg_segment *parts[2] = {NULL, NULL};
    for (unsigned i = 0; i < 1u + split; i++) {
        uint32_t salt = (uint32_t)((first + i * n / 2) << (32 - index->depth));
        parts[i] = new_segment(used[i], depth + split, salt);
        if (parts[i] == NULL) {
            drop(parts[0]);
            return rg_no_memory((size_t)cells_for(used[i]) * sizeof(uint64_t),
                                "the index of a sparse table");
        }
    }
    for (uint32_t i = 0; i < old->n_cells; i++)
        if (old->cells[i] != 0)
            put(parts[split ? half_of(old->cells[i], depth) : 0], old->cells[i]);
    for (size_t i = 0; i < n; i++)
        index->directory[first + i] = parts[split && i >= n / 2];
    drop(old);
    return RG_OK;
}

rg_status rg_row_index_init(rg_row_index *index)
{
    *index = (rg_row_index){0};
    index->directory = rg_alloc(sizeof(rg_segment *));
    rg_segment *segment = rg_alloc_zero(1, sizeof *segment);
    if (index->directory == NULL || segment == NULL) {
        rg_free(index->directory);
        rg_free(segment);
        return rg_no_memory(sizeof *segment, "the index of a sparse table");
    }
    segment->cells = no_cells;
    segment->n_cells = 1;
    index->directory[0] = segment;
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
    if (index->directory == NULL)
        return;
    rg_row_index_clear(index);
    drop(index->directory[0]);
    rg_free(index->directory);
    *index = (rg_row_index){0};
}

void rg_row_index_shrink(rg_row_index *index)
{
    size_t n = (size_t)1 << index->depth;
    for (size_t i = 0; i < n; i += entries(index, index->directory[i])) {
        const rg_segment *segment = index->directory[i];
        uint32_t tag = (uint32_t)((uint64_t)i << (32 - index->depth));
        if (segment->n_cells > SMALLEST && segment->used < segment->n_cells / 4)
            (void)rebuild(index, tag, false); /* without memory it stays as it is */
    }
}

rg_status rg_row_index_reserve(rg_row_index *index, uint32_t tag)
{
    for (;;) {
        const rg_segment *segment = rg_row_segment(index, tag);
        if (segment->used < segment->limit)
            return RG_OK;
        bool split = cells_for(segment->used) > LARGEST && segment->depth < MAX_DEPTH;
        RG_TRY(rebuild(index, tag, split));
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
    uint32_t n = segment->n_cells, gap = probe->at;
    for (uint32_t i = gap + 1 == n ? 0 : gap + 1; segment->cells[i] != 0;
         i = i + 1 == n ? 0 : i + 1) {
        uint32_t home = rg_segment_home(segment, (uint32_t)(segment->cells[i] >> 32));
        uint32_t from_home = i >= home ? i - home : i + n - home;
        uint32_t from_gap = i >= gap ? i - gap : i + n - gap;
        if (from_home >= from_gap) {
            segment->cells[gap] = segment->cells[i];
            gap = i;
        }
    }
    segment->cells[gap] = 0;
    segment->used--;
}
