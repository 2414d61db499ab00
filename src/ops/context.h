/* context.h - the rows around each row of a sequence, side by side.
 *
 * The context of row t is rows [t + start, t + start + length) of its sequence. Rows outside it are
 * zeros, or rows of a padding: its first ones, as many as a context may reach back, stand before
 * a sequence and the others after it. */
#ifndef RG_OPS_CONTEXT_H
#define RG_OPS_CONTEXT_H

#include "ir/op.h"

typedef struct rg_context {
    int64_t length, start, before, after; /* before, after: rows of padding */
    int64_t width;                        /* of a row; -1: not known yet */
} rg_context;

/* The attributes of an op that has contexts, which the functions below read. */
enum { RG_CONTEXT_PADDING_TRAINABLE, RG_CONTEXT_LENGTH, RG_CONTEXT_START, RG_CONTEXT_STRIDE };
#define RG_CONTEXT_ATTRS                                                                          \
    RG_ATTRS(                                                                                     \
        [RG_CONTEXT_PADDING_TRAINABLE] =                                                          \
            RG_BOOLEAN("paddingTrainable", false, "rows outside a sequence are PaddingData's"),   \
        [RG_CONTEXT_LENGTH] = RG_REQUIRED("contextLength", RG_ATTR_INT, "rows in a context"),     \
        [RG_CONTEXT_START] = RG_INT("contextStart", 0, "where a context begins, from its row"),   \
        [RG_CONTEXT_STRIDE] = RG_INT("contextStride", 1, "1"))

/* contextStride must be 1, and the input X at slot `x` a matrix. */
rg_status rg_context_of(const rg_ctx *ctx, int x, rg_context *out);
/* The attribute paddingTrainable and the input PaddingData must agree, and fit. */
rg_status rg_check_padding(const rg_ctx *ctx, int padding, const rg_context *c);

/* columns: the contexts of all rows, one after the other, of n sequences at `at`. padding may be
 * NULL: zeros. */
void rg_context_lay_out_f32(const rg_context *c, const float *x, const float *padding,
                            const int64_t *at, int64_t n, float *columns);
void rg_context_lay_out_f64(const rg_context *c, const double *x, const double *padding,
                            const int64_t *at, int64_t n, double *columns);
/* The other way: adds what stands in the contexts to the rows it came from. dx and dpadding may
 * be NULL. */
void rg_context_collect_f32(const rg_context *c, const float *columns, const int64_t *at, int64_t n,
                            float *dx, float *dpadding);
void rg_context_collect_f64(const rg_context *c, const double *columns, const int64_t *at,
                            int64_t n, double *dx, double *dpadding);

#endif
