/* rows.h - sparse gradients of all ranks, one behind the other: nothing of table size is sent. */
#ifndef RG_COLL_ROWS_H
#define RG_COLL_ROWS_H

#include "coll/group.h"
#include "tensor/value.h"

/* Where the rows of all ranks arrive; kept from step to step, so that their memory is. */
typedef struct rg_rows_room {
    int64_t *rows;
    size_t cap_rows;
    rg_storage *values;
} rg_rows_room;

void rg_rows_room_fini(rg_rows_room *room);

/* The group begins to gather the rows of x, which stays as it is until that has been waited for. */
rg_status rg_rows_start(rg_group_work **work, rg_group *group, const rg_value *x,
                        rg_rows_room *room);
/* After the wait: `out` becomes the rows of all ranks, in the order of ranks; `like` has the dtype
 * and the shape as if it were dense, and may be the output's own. */
rg_status rg_rows_take(rg_value *out, const rg_meta *like, const rg_group_work *gathered, int size,
                       rg_rows_room *room);

#endif
