/* context.c - the rows around each row of a sequence. */
#include "ops/context.h"
#include "ops/types.h"

#include <string.h>

rg_status rg_context_of(const rg_ctx *ctx, int x, rg_context *out)
{
    int64_t length = rg_attr_int(ctx, RG_CONTEXT_LENGTH);
    int64_t start = rg_attr_int(ctx, RG_CONTEXT_START);
    RG_TRY(rg_expect_rank(ctx, x, 2));
    if (rg_attr_int(ctx, RG_CONTEXT_STRIDE) != 1)
        return rg_fail(RG_EINVAL, "contextStride is %d, and only 1 is possible",
                       rg_attr_int(ctx, RG_CONTEXT_STRIDE));
    if (length < 1)
        return rg_fail(RG_EINVAL, "contextLength is %lld, and must be at least 1",
                       (long long)length);
    *out = (rg_context){length, start, start < 0 ? -start : 0,
                        start + length > 1 ? start + length - 1 : 0, rg_shape_of(ctx, x)->dim[1]};
    return RG_OK;
}

rg_status rg_check_padding(const rg_ctx *ctx, int padding, const rg_context *c)
{
    bool trainable = rg_attr_bool(ctx, RG_CONTEXT_PADDING_TRAINABLE);
    if (trainable != rg_has_in(ctx, padding))
        return rg_fail(RG_EINVAL, "PaddingData is %s, and paddingTrainable is %s",
                       trainable ? "missing" : "given", trainable ? "true" : "false");
    rg_shape wanted = RG_SHAPE(c->before + c->after, c->width);
    if (trainable && !rg_shape_fits(rg_shape_of(ctx, padding), &wanted)) {
        char found[RG_SHAPE_TEXT], text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "PaddingData has the shape %s, and must have %s",
                       rg_shape_text(rg_shape_of(ctx, padding), found),
                       rg_shape_text(&wanted, text));
    }
    return RG_OK;
}

/* The row of the padding that stands at `at` of a sequence of `rows` rows. */
RG_INLINE int64_t padding_row(const rg_context *c, int64_t at, int64_t rows)
{
    return at < 0 ? c->before + at : c->before + at - rows;
}

#define LAY_OUT(T, S)                                                                         \
    void rg_context_lay_out_##S(const rg_context *c, const T *x, const T *padding,            \
                                const int64_t *at, int64_t n, T *columns)                     \
    {                                                                                         \
        size_t bytes = (size_t)c->width * sizeof *x;                                          \
        for (int64_t i = 0; i < n; i++) {                                                     \
            int64_t rows = at[i + 1] - at[i];                                                 \
            const T *from = x + at[i] * c->width;                                             \
            for (int64_t r = 0; r < rows; r++)                                                \
                for (int64_t k = 0; k < c->length; k++, columns += c->width) {                \
                    int64_t p = r + c->start + k;                                             \
                    if (p >= 0 && p < rows)                                                   \
                        memcpy(columns, from + p * c->width, bytes);                          \
                    else if (padding != NULL)                                                 \
                        memcpy(columns, padding + padding_row(c, p, rows) * c->width, bytes); \
                    else                                                                      \
                        memset(columns, 0, bytes);                                            \
                }                                                                             \
        }                                                                                     \
    }
RG_FLOATS(LAY_OUT)

#define COLLECT(T, S)                                                                            \
    RG_HOT void rg_context_collect_##S(const rg_context *c, const T *columns, const int64_t *at, \
                                       int64_t n, T *dx, T *dpadding)                            \
    {                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                        \
            int64_t rows = at[i + 1] - at[i];                                                    \
            for (int64_t r = 0; r < rows; r++)                                                   \
                for (int64_t k = 0; k < c->length; k++, columns += c->width) {                   \
                    int64_t p = r + c->start + k;                                                \
                    bool inside = p >= 0 && p < rows;                                            \
                    T *to = inside ? dx : dpadding;                                              \
                    if (to == NULL)                                                              \
                        continue;                                                                \
                    to += (inside ? at[i] + p : padding_row(c, p, rows)) * c->width;             \
                    for (int64_t j = 0; j < c->width; j++)                                       \
                        to[j] += columns[j];                                                     \
                }                                                                                \
        }                                                                                        \
    }
RG_FLOATS(COLLECT)
