/* rnn.c - sequences walked together, and the names of activations. */
#include "ops/rnn.h"

#include "ops/sequences.h"

#include <string.h>

/* Sequences by falling length, those of equal length in their order: counted by length. */
static void sort_by_length(const int64_t *at, int64_t n, int64_t longest, int64_t *counts,
                           int64_t *order)
{
    memset(counts, 0, (size_t)(longest + 1) * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        counts[at[i + 1] - at[i]]++;
    int64_t place = 0;
    for (int64_t length = longest; length >= 0; length--) {
        int64_t here = counts[length];
        counts[length] = place;
        place += here;
    }
    for (int64_t i = 0; i < n; i++)
        order[counts[at[i + 1] - at[i]]++] = i;
}

rg_status rg_make_steps(rg_ctx *ctx, const rg_lod *lod, bool reverse, rg_steps *out)
{
    const int64_t *at = lod->offset[0];
    int64_t n = rg_lod_sequences(lod, 0), longest = 0;
    for (int64_t i = 0; i < n; i++)
        longest = at[i + 1] - at[i] > longest ? at[i + 1] - at[i] : longest;
    int64_t *order = rg_scratch(ctx, (size_t)n * sizeof *order);
    int64_t *begin = rg_scratch(ctx, (size_t)(longest + 1) * sizeof *begin);
    int64_t *row = rg_scratch(ctx, (size_t)at[n] * sizeof *row);
    if (order == NULL || begin == NULL || row == NULL)
        return RG_ENOMEM;
    sort_by_length(at, n, longest, begin, order);
    begin[0] = 0;
    for (int64_t t = 0; t < longest; t++) {
        int64_t place = begin[t];
        for (int64_t i = 0; i < n; i++) {
            int64_t from = at[order[i]], to = at[order[i] + 1];
            if (to - from <= t)
                break;
            row[place++] = reverse ? to - 1 - t : from + t;
        }
        begin[t + 1] = place;
    }
    *out = (rg_steps){n, longest, at[n], order, begin, row};
    return RG_OK;
}

void rg_to_steps(const rg_steps *s, const void *from, void *to, size_t bytes)
{
    for (int64_t i = 0; i < s->rows; i++)
        memcpy((uint8_t *)to + (size_t)i * bytes, (const uint8_t *)from + (size_t)s->row[i] * bytes,
               bytes);
}

void rg_from_steps(const rg_steps *s, const void *from, void *to, size_t bytes)
{
    for (int64_t i = 0; i < s->rows; i++)
        memcpy((uint8_t *)to + (size_t)s->row[i] * bytes, (const uint8_t *)from + (size_t)i * bytes,
               bytes);
}

void rg_previous_rows(const rg_steps *s, const void *values, const void *first, void *to,
                      size_t bytes)
{
    if (s->steps == 0)
        return;
    size_t start = (size_t)rg_step_rows(s, 0) * bytes;
    if (first != NULL)
        memcpy(to, first, start);
    else
        memset(to, 0, start);
    for (int64_t t = 1; t < s->steps; t++)
        memcpy((uint8_t *)to + (size_t)s->begin[t] * bytes,
               (const uint8_t *)values + (size_t)s->begin[t - 1] * bytes,
               (size_t)rg_step_rows(s, t) * bytes);
}

void rg_states_to_steps(const rg_steps *s, const void *from, void *to, size_t bytes)
{
    for (int64_t i = 0; i < s->sequences; i++)
        memcpy((uint8_t *)to + (size_t)i * bytes,
               (const uint8_t *)from + (size_t)s->order[i] * bytes, bytes);
}

void rg_states_from_steps(const rg_steps *s, const void *from, void *to, size_t bytes)
{
    int64_t going = s->steps > 0 ? rg_step_rows(s, 0) : 0;
    for (int64_t i = 0; i < s->sequences; i++) {
        uint8_t *row = (uint8_t *)to + (size_t)s->order[i] * bytes;
        if (i < going)
            memcpy(row, (const uint8_t *)from + (size_t)i * bytes, bytes);
        else
            memset(row, 0, bytes);
    }
}

rg_status rg_first_states(rg_ctx *ctx, const rg_steps *s, int slot, const void **out)
{
    const rg_value *given = rg_in(ctx, slot);
    *out = NULL;
    if (given == NULL)
        return RG_OK;
    void *sorted = rg_scratch(ctx, rg_value_bytes(given));
    if (sorted == NULL)
        return RG_ENOMEM;
    rg_states_to_steps(s, given->data, sorted, rg_row_bytes(given));
    *out = sorted;
    return RG_OK;
}

rg_status rg_expect_state(const rg_ctx *ctx, int slot, int like, const rg_shape *wanted)
{
    if (!rg_has_in(ctx, slot))
        return RG_OK;
    const rg_shape *shape = rg_shape_of(ctx, slot);
    RG_TRY(rg_expect_same_dtype(ctx, like, slot));
    if (rg_shape_fits(shape, wanted))
        return RG_OK;
    char found[RG_SHAPE_TEXT], text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s has the shape %s, and must have %s", ctx->op->in[slot].name,
                   rg_shape_text(shape, found), rg_shape_text(wanted, text));
}

rg_status rg_expect_kept(const rg_ctx *ctx, int slot, int like, int64_t numel)
{
    RG_TRY(rg_expect_same_dtype(ctx, like, slot));
    return rg_expect_numel(ctx, slot, numel);
}

rg_status rg_cell_act_from_attr(const rg_ctx *ctx, int attr, rg_cell_act *act)
{
    static const char *const names[] = {"identity", "sigmoid", "tanh", "relu"};
    const char *what = ctx->op->attr[attr].value.name;
    if (ctx->attr[attr]->type == RG_ATTR_INT) {
        int number = rg_attr_int(ctx, attr);
        if (number < 0 || number > RG_CELL_RELU)
            return rg_fail(RG_EINVAL,
                           "%s is %d, and must be 0 (identity), 1 (sigmoid), 2 (tanh) "
                           "or 3 (relu)",
                           what, number);
        *act = (rg_cell_act)number;
        return RG_OK;
    }
    for (int i = 0; i <= RG_CELL_RELU; i++)
        if (strcmp(names[i], rg_attr_string(ctx, attr)) == 0) {
            *act = i == RG_CELL_SIGMOID ? RG_CELL_CLIPPED_SIGMOID : (rg_cell_act)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "%s is %s, and must be identity, sigmoid, tanh or relu", what,
                   rg_attr_string(ctx, attr));
}
