/* rank_table.h - the sequences of a tensor by falling length, as recurrent loops walk them. */
#ifndef RG_OPS_RANK_TABLE_H
#define RG_OPS_RANK_TABLE_H

#include "ir/op.h"

typedef struct rg_ranked {
    int64_t index, length; /* which sequence, and how many steps it has */
} rg_ranked;

typedef struct rg_rank_table {
    int level;     /* of the LoD it was made from */
    rg_lod *above; /* the levels above that one; NULL: none */
    int64_t n;
    rg_ranked items[]; /* those of equal length in their order */
} rg_rank_table;

/* The table in an input; RG_EINVAL where there is none. */
rg_status rg_rank_table_of(const rg_ctx *ctx, int slot, const rg_rank_table **table);

/* How many sequences have more than `step` steps. */
int64_t rg_rank_active(const rg_rank_table *table, int64_t step);

#endif
