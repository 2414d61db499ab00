/* number.h - numbers whose type is known only when the program runs. */
#ifndef RG_OPS_NUMBER_H
#define RG_OPS_NUMBER_H

#include "ir/op.h"

/* Element i of a tensor of any type but float16, which reads as 0. */
double rg_number_at(const rg_value *value, int64_t i);

/* `number` as the value's type in every element. RG_EUNIMPL: of float16. */
rg_status rg_fill(rg_value *value, double number);

/* The int32 or int64 tensor in the slot as int64, `*n` of them: its own memory, or scratch. */
rg_status rg_read_whole(rg_ctx *ctx, int slot, const int64_t **out, int64_t *n);
/* The same of one item of a repeated slot. */
rg_status rg_read_whole_n(rg_ctx *ctx, int slot, int item, const int64_t **out, int64_t *n);

/* RG_EVALUE, naming the variable, unless all of the n numbers read from the slot are in
 * 0 .. end-1; `of` says what they count. */
rg_status rg_check_ids(const rg_ctx *ctx, int slot, const int64_t *ids, int64_t n, int64_t end,
                       const char *of);

/* The dtype that an attribute names, which must be int32 or int64. */
rg_status rg_whole_dtype_from_attr(const rg_ctx *ctx, int attr, rg_dtype *dtype);
/* `number` as element i of a tensor of one of these. */
void rg_put_whole(rg_value *out, int64_t i, int64_t number);

#endif
