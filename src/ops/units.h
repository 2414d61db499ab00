/* units.h - sequences, or rows, picked out of tensors.
 *
 * A unit is a sequence of some level with all that is below it, or, where no level is asked
 * for, a row. */
#ifndef RG_OPS_UNITS_H
#define RG_OPS_UNITS_H

#include "ir/op.h"

typedef struct rg_pick {
    const rg_value *from;
    int64_t unit;
} rg_pick;

/* How many units of `depth` levels a tensor has: its rows, where depth is 0. */
int64_t rg_units(const rg_value *value, int depth);

/* Levels that a tensor has. */
static inline int rg_depth(const rg_value *value)
{
    return value->meta.lod ? value->meta.lod->levels : 0;
}

/* `out` becomes the picked units, one after the other, with the lower `depth` levels of their
 * LoDs. Where there are none, it has no rows and the type of `like`. RG_ESHAPE, RG_EVALUE
 * where a unit is not there, or the tensors do not fit together. */
rg_status rg_pick_units(rg_value *out, const rg_pick *picks, int64_t n, int depth,
                        const rg_value *like);

#endif
