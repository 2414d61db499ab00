/* rows.h - sparse gradients of all ranks, one behind the other: nothing of table size is sent. */
#ifndef RG_COLL_ROWS_H
#define RG_COLL_ROWS_H

#include "coll/group.h"
#include "tensor/value.h"

/* Bytes of a sparse gradient as it is sent: its rows, then their values. */
size_t rg_rows_packed_bytes(const rg_value *x);
void rg_rows_pack(const rg_value *x, uint8_t *to);
/* `out` becomes the rows of all ranks, in the order of ranks: what has been gathered. `like` has
 * the dtype and the shape as if it were dense. */
rg_status rg_rows_unpack(rg_value *out, const rg_meta *like, const rg_group_work *gathered,
                         int size);

#endif
