/* sequence_expand.c - rows or sequences repeated as often as another tensor's sequences are
 * long.
 *
 *   sequence_expand     Out = sequence i of X (row i, if X has no LoD) n_i times, where n_i is
 *                       the length of sequence i of Y at level ref_level; each copy is a
 *                       sequence of Out
 *   sequence_expand_as  Out = row i of X n_i times, as one sequence
 *
 * The gradient of what was repeated is the sum over the copies. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y };
enum { OUT };
enum { REF_LEVEL };

/* Part i, rows [from[i], from[i+1]) of X, is repeated times[i+1] - times[i] times. */
typedef struct expansion {
    const int64_t *from; /* NULL: part i is row i */
    const int64_t *times;
    int64_t n;
} expansion;

static inline int64_t part_begin(const expansion *e, int64_t i)
{
    return e->from ? e->from[i] : i;
}

/* Rows and copies in all. */
static rg_status measure(const expansion *e, int64_t *rows, int64_t *copies)
{
    *rows = *copies = 0;
    for (int64_t i = 0; i < e->n; i++) {
        int64_t times = e->times[i + 1] - e->times[i], more;
        if (__builtin_mul_overflow(part_begin(e, i + 1) - part_begin(e, i), times, &more) ||
            __builtin_add_overflow(*rows, more, rows))
            return rg_fail(RG_ETOOBIG, "Out would have more rows than can be counted");
        *copies += times;
    }
    return RG_OK;
}

static rg_status parts_differ(const char *what, int64_t n, int64_t wanted)
{
    return rg_fail(RG_ESHAPE, "X has %lld %s, and Y has %lld sequences to repeat them by",
                   (long long)n, what, (long long)wanted);
}

/* ---- sequence_expand ---- */

static rg_status expansion_of(const rg_ctx *ctx, expansion *e)
{
    const rg_meta *x = rg_in_meta(ctx, X);
    const rg_lod *lod;
    int level = rg_attr_int(ctx, REF_LEVEL);
    RG_TRY(rg_expect_lod(ctx, Y, &lod));
    if (level < -1 || level >= lod->levels)
        return rg_fail(RG_EINVAL, "ref_level is %d, and Y has %d levels", level, lod->levels);
    level = level == -1 ? lod->levels - 1 : level;
    *e = (expansion){NULL, lod->offset[level], rg_lod_sequences(lod, level)};
    if (x->lod == NULL)
        return x->shape.dim[0] == e->n ? RG_OK : parts_differ("rows", x->shape.dim[0], e->n);
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    e->from = lod->offset[0];
    if (rg_lod_sequences(lod, 0) != e->n)
        return parts_differ("sequences", rg_lod_sequences(lod, 0), e->n);
    return RG_OK;
}

static rg_status lod_of_copies(const expansion *e, int64_t copies, rg_lod **lod)
{
    RG_TRY(rg_lod_one_level(lod, copies));
    int64_t *to = (*lod)->offset[0];
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t t = e->times[i]; t < e->times[i + 1]; t++, to++)
            to[1] = to[0] + e->from[i + 1] - e->from[i];
    return RG_OK;
}

static rg_status sequence_expand_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank_from(ctx, X, 2));
    out.dim[0] = -1;
    if (!rg_running(ctx)) {
        rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
        rg_share_lod(ctx, X, OUT);
        return RG_OK;
    }
    expansion e;
    int64_t copies;
    RG_TRY(expansion_of(ctx, &e));
    RG_TRY(measure(&e, &out.dim[0], &copies));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (e.from != NULL) {
        rg_lod *lod;
        RG_TRY(lod_of_copies(&e, copies, &lod));
        rg_take_lod(ctx, OUT, lod);
    }
    return RG_OK;
}

static void repeat(const expansion *e, const rg_value *x, uint8_t *to)
{
    for (int64_t i = 0; i < e->n; i++) {
        size_t bytes = (size_t)(part_begin(e, i + 1) - part_begin(e, i)) * rg_row_bytes(x);
        for (int64_t t = e->times[i]; t < e->times[i + 1]; t++, to += bytes)
            memcpy(to, rg_row(x, part_begin(e, i)), bytes);
    }
}

static rg_status sequence_expand_kernel(rg_ctx *ctx)
{
    expansion e;
    RG_TRY(expansion_of(ctx, &e));
    repeat(&e, rg_in(ctx, X), rg_out_data(ctx, OUT));
    return RG_OK;
}

#define ATTRS RG_ATTRS([REF_LEVEL] = RG_INT("ref_level", -1, "the level of Y's LoD; -1: the last"))

const rg_op rg_op_sequence_expand = {
    .type = "sequence_expand",
    .doc = "Sequences of X repeated as often as those of Y are long.",
    .in = RG_SLOTS([X] = {"X", "sequences or rows"}, [Y] = {"Y", "sequences",
                                                            RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "each copy a sequence, if X has sequences"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = sequence_expand_infer,
    .kernel = sequence_expand_kernel,
};

/* ---- sequence_expand_as ---- */

static rg_status expansion_as(const rg_ctx *ctx, expansion *e)
{
    const rg_lod *lod;
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    RG_TRY(rg_expect_one_level(ctx, Y, &lod));
    *e = (expansion){NULL, lod->offset[0], rg_lod_sequences(lod, 0)};
    return rows == e->n ? RG_OK : parts_differ("rows", rows, e->n);
}

static rg_status sequence_expand_as_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank_from(ctx, X, 2));
    out.dim[0] = -1;
    if (rg_running(ctx)) {
        expansion e;
        int64_t copies;
        RG_TRY(expansion_as(ctx, &e));
        RG_TRY(measure(&e, &out.dim[0], &copies));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, Y, OUT);
    return RG_OK;
}

static rg_status sequence_expand_as_kernel(rg_ctx *ctx)
{
    expansion e;
    RG_TRY(expansion_as(ctx, &e));
    repeat(&e, rg_in(ctx, X), rg_out_data(ctx, OUT));
    return RG_OK;
}

const rg_op rg_op_sequence_expand_as = {
    .type = "sequence_expand_as",
    .doc = "Rows of X repeated as often as the sequences of Y are long.",
    .in = RG_SLOTS([X] = {"X", "a row for each sequence of Y"}, [Y] = {"Y", "sequences",
                                                                       RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "sequences as long as Y's"}),
    .flags = RG_OP_LINEAR,
    .infer = sequence_expand_as_infer,
    .kernel = sequence_expand_as_kernel,
};

/* ---- gradients ---- */

enum { G_X, G_Y, G_DOUT };
enum { G_DX };

#define ADD_UP(T, S)                                                                       \
    RG_HOT static void add_up_##S(const expansion *e, const T *dout, int64_t width, T *dx) \
    {                                                                                      \
        for (int64_t i = 0; i < e->n; i++) {                                               \
            int64_t n = (part_begin(e, i + 1) - part_begin(e, i)) * width;                 \
            T *to = dx + part_begin(e, i) * width;                                         \
            for (int64_t j = 0; j < n; j++)                                                \
                to[j] = 0;                                                                 \
            for (int64_t t = e->times[i]; t < e->times[i + 1]; t++, dout += n)             \
                for (int64_t j = 0; j < n; j++)                                            \
                    to[j] += dout[j];                                                      \
        }                                                                                  \
    }
RG_FLOATS(ADD_UP)

static rg_status add_copies(rg_ctx *ctx, const expansion *e)
{
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t rows, copies, width = rg_value_width(dx);
    RG_TRY(measure(e, &rows, &copies));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rows * width));
    RG_CALL_FLOAT(ctx, G_DOUT, add_up, (e, rg_in_data(ctx, G_DOUT), width, dx->data))
    return RG_OK;
}

static rg_status sequence_expand_grad_kernel(rg_ctx *ctx)
{
    expansion e;
    RG_TRY(expansion_of(ctx, &e));
    return add_copies(ctx, &e);
}

static rg_status sequence_expand_as_grad_kernel(rg_ctx *ctx)
{
    expansion e;
    RG_TRY(expansion_as(ctx, &e));
    return add_copies(ctx, &e);
}

#define GRAD_SLOTS                                                               \
    RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_Y] = {"Y", "", RG_SHAPE_ONLY}, \
             [G_DOUT] = {"Out@GRAD", ""})

const rg_op rg_op_sequence_expand_grad = {
    .type = "sequence_expand_grad",
    .doc = "Gradient of sequence_expand.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = sequence_expand_grad_kernel,
};

const rg_op rg_op_sequence_expand_as_grad = {
    .type = "sequence_expand_as_grad",
    .doc = "Gradient of sequence_expand_as.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = sequence_expand_as_grad_kernel,
};
