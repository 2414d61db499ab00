/* origins.h - which line of which file an instance was, for messages.
 *
 * Instances mostly stand as their lines do, so runs of lines are kept and not each line. Where
 * memory for a run is not to be had, or instances came from another process, it is not known. */
#ifndef RG_DATA_ORIGINS_H
#define RG_DATA_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From instance `row` on, line by line from `line`. */
typedef struct rg_line_run {
    size_t row;
    uint64_t line;
    uint32_t file; /* its number in the dataset's list */
} rg_line_run;

/* All zeros: of no instance. */
typedef struct rg_origins {
    rg_line_run *runs; /* owned */
    size_t n, cap;
} rg_origins;

/* The next instance, number `row`. */
void rg_origins_add(rg_origins *origins, size_t row, uint32_t file, uint64_t line);
/* Instances first .. first + n - 1 of `from` are the next, from number `row` on. */
void rg_origins_add_part(rg_origins *origins, size_t row, const rg_origins *from, size_t first,
                         size_t n);
bool rg_origins_find(const rg_origins *origins, size_t row, uint32_t *file, uint64_t *line);
void rg_origins_clear(rg_origins *origins);
void rg_origins_fini(rg_origins *origins);

#endif
