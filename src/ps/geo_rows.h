/* geo_rows.h - which rows of a table each trainer has not seen since they changed.
 *
 * In geo mode trainers train by themselves and exchange differences: a trainer pulls the
 * rows that anyone has updated since its last pull. Kept is one list of ids in the order of
 * their last update, for all trainers, and how far each trainer has come in it; what all
 * have seen is forgotten. An id stands in it once, so that the list is never longer than
 * twice the rows updated, even if a trainer does not pull. About 30 to 50 bytes an id.
 *
 * Giving rows out is in two steps, since an answer may be lost: list, and once it is known
 * to have arrived (with the next request, say), done.
 *
 * Threads: one owner, as the table's. */
#ifndef RG_PS_GEO_ROWS_H
#define RG_PS_GEO_ROWS_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_geo_rows rg_geo_rows;

enum { RG_GEO_MAX_TRAINERS = 65536 };

/* Trainers 0 .. n_trainers - 1, who have seen all there is. Owned; ended by close, which
 * takes NULL too. */
rg_status rg_geo_rows_open(rg_geo_rows **rows, int n_trainers);
void rg_geo_rows_close(rg_geo_rows *rows);

/* These rows have changed. RG_EVALUE: an id is negative; nothing was noted. RG_ENOMEM: some
 * were noted; doing it again does no harm. */
rg_status rg_geo_rows_note(rg_geo_rows *rows, const int64_t *ids, size_t n);

/* Up to `most` ids that the trainer has not seen, least recently changed first; *n says how
 * many. *mark is for rg_geo_rows_done(). */
rg_status rg_geo_rows_list(rg_geo_rows *rows, int trainer, int64_t *ids, size_t most, size_t *n,
                           uint64_t *mark);
/* The trainer has what was listed with this mark. An older mark changes nothing. */
rg_status rg_geo_rows_done(rg_geo_rows *rows, int trainer, uint64_t mark);

/* How many ids rg_geo_rows_list() would give without a limit. */
size_t rg_geo_rows_count(const rg_geo_rows *rows, int trainer);
/* The trainer has gone: nothing is kept for it. */
rg_status rg_geo_rows_leave(rg_geo_rows *rows, int trainer);
/* It is there (again), and begins with the present state of all rows. */
rg_status rg_geo_rows_join(rg_geo_rows *rows, int trainer);

size_t rg_geo_rows_bytes(const rg_geo_rows *rows);

/* All of it, for a snapshot; and back, into one that is new and for as many trainers: RG_ECORRUPT
 * where it is not what was written. */
void rg_geo_rows_write(const rg_geo_rows *rows, rg_buf *out);
rg_status rg_geo_rows_read(rg_geo_rows *rows, rg_cursor *in);

#endif
