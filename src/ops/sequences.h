/* sequences.h - what ops over sequences share. */
#ifndef RG_OPS_SEQUENCES_H
#define RG_OPS_SEQUENCES_H

#include "ir/op.h"

/* As rg_expect_lod(), of exactly one level: rows are grouped once. */
rg_status rg_expect_one_level(const rg_ctx *ctx, int in, const rg_lod **lod);

/* RG_ESHAPE unless the input has at least `rank` dimensions. */
rg_status rg_expect_rank_from(const rg_ctx *ctx, int in, int rank);

/* For kernels of gradients: RG_ESHAPE unless the input has the elements that the forward op
 * gave its output. */
rg_status rg_expect_numel(const rg_ctx *ctx, int in, int64_t numel);

/* A LoD of one level with n sequences, its offsets to be filled in. Owned. */
rg_status rg_lod_one_level(rg_lod **lod, int64_t n);

/* Bytes of one entry of dimension 0. */
static inline size_t rg_row_bytes(const rg_value *value)
{
    return (size_t)rg_value_width(value) * rg_dtype_size(value->meta.dtype);
}

/* Where row i of a tensor begins. */
static inline uint8_t *rg_row(const rg_value *value, int64_t i)
{
    return (uint8_t *)value->data + (size_t)i * rg_row_bytes(value);
}

#endif
