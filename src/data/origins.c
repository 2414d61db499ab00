/* origins.c - runs of lines. */
#include "data/origins.h"

#include "base/mem.h"

/* The run that `row` is in; n_runs where there is none. */
static size_t run_of(const rg_origins *o, size_t row)
{
    size_t low = 0, high = o->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->runs[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : o->n;
}

void rg_origins_add(rg_origins *o, size_t row, uint32_t file, uint64_t line)
{
    const rg_line_run *last = o->n > 0 ? &o->runs[o->n - 1] : NULL;
    if (last != NULL && last->file == file && last->line + (row - last->row) == line)
        return;
    if (rg_grow((void **)&o->runs, o->n, &o->cap, sizeof *o->runs) == RG_OK)
        o->runs[o->n++] = (rg_line_run){row, line, file};
}

void rg_origins_add_part(rg_origins *o, size_t row, const rg_origins *from, size_t first, size_t n)
{
    for (size_t run = run_of(from, first), done = 0; run < from->n && done < n; run++) {
        const rg_line_run *r = &from->runs[run];
        size_t end = run + 1 < from->n ? from->runs[run + 1].row : first + n;
        rg_origins_add(o, row + done, r->file, r->line + (first + done - r->row));
        done = end > first ? end - first : done;
    }
}

bool rg_origins_find(const rg_origins *o, size_t row, uint32_t *file, uint64_t *line)
{
    size_t run = run_of(o, row);
    if (run == o->n)
        return false;
    *file = o->runs[run].file;
    *line = o->runs[run].line + (row - o->runs[run].row);
    return true;
}

void rg_origins_clear(rg_origins *o)
{
    o->n = 0;
}

void rg_origins_fini(rg_origins *o)
{
    rg_free(o->runs);
    *o = (rg_origins){0};
}
