/* spans.h - sequences one by one, whether a LoD says where they are or they are rows of equal
 * length of which lengths say how much is used. */
#ifndef RG_OPS_SPANS_H
#define RG_OPS_SPANS_H

#include "ir/op.h"

typedef struct rg_spans {
    int64_t n;
    const int64_t *offsets; /* of the LoD; NULL: each has `width` places, lengths[i] of them used */
    const int64_t *lengths;
    int64_t width;
} rg_spans;

/* For shape rules: how many sequences input `in` has; -1 where it is not known yet. With input
 * `length` it is [n, width, ...]; without, it has a LoD of one level. */
rg_status rg_count_spans(const rg_ctx *ctx, int in, int length, int64_t *n);

/* The same where each step has a score for every tag, and `transition` is [tags + 2, tags]: of the
 * ops of conditional random fields. */
rg_status rg_count_tagged(const rg_ctx *ctx, int in, int transition, int length, int64_t *n);

/* For kernels; lengths are checked. */
rg_status rg_open_spans(rg_ctx *ctx, int in, int length, rg_spans *out);

/* The first place of sequence i, and how many it has. */
static inline int64_t rg_span(const rg_spans *s, int64_t i, int64_t *length)
{
    *length = s->offsets ? s->offsets[i + 1] - s->offsets[i] : s->lengths[i];
    return s->offsets ? s->offsets[i] : i * s->width;
}

#endif
