/* labels.h - what losses and metrics share. */
#ifndef RG_OPS_LABELS_H
#define RG_OPS_LABELS_H

#include "ir/op.h"

/* RG_ESHAPE unless the input is [batch, 1]. */
rg_status rg_expect_column(const rg_ctx *ctx, int in);
/* ... or [batch]. */
rg_status rg_expect_column_or_row(const rg_ctx *ctx, int in);

/* RG_ESHAPE unless the input, where it is there, has that many elements; -1: any number. */
rg_status rg_expect_count(const rg_ctx *ctx, int in, int64_t wanted);

/* The values of an int32 or int64 input as int64, in scratch where they are not. */
rg_status rg_read_labels(rg_ctx *ctx, int in, const int64_t **labels);

/* RG_EVALUE: which label of the input is outside 0 .. classes-1. */
rg_status rg_bad_label(const rg_ctx *ctx, int in, int64_t at, int64_t label, int64_t classes);

#endif
