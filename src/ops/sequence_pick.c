/* sequence_pick.c - parts of sequences, one after the other.
 *
 *   spans        of each sequence j of the lowest level the steps from Starts[j, k] to Ends[j, k],
 *                that one too, for each k up to the first -1; without Starts from the first step
 *                on, without Ends up to the last. Each span is a sequence.
 *   subsequences of each sequence i of two levels its sub-sequences number Selected[i, k], for
 *                each k up to the first -1
 *   reverse      the sub-sequences of each sequence back to front
 *
 * Rows notes where each row came from, for the gradient: it goes back there. */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, STARTS, ENDS, SELECTED };
enum { OUT, ROWS };
enum { HOW };

typedef enum how { SPANS, SUBSEQUENCES, REVERSE } how;

static rg_status how_of(const rg_ctx *ctx, how *out)
{
    static const char *const names[] = {"spans", "subsequences", "reverse"};
    const char *wanted = rg_attr_string(ctx, HOW);
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], wanted) == 0) {
            *out = (how)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "how is %s, and may be spans, subsequences or reverse", wanted);
}

static rg_status sequence_pick_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    how h;
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(how_of(ctx, &h));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (lod != NULL && (lod->levels > 2 || (lod->levels == 1 && h != SPANS)))
        return rg_fail(RG_ESHAPE, "X has a LoD of %d levels, and for %s it must have %s",
                       lod->levels, rg_attr_string(ctx, HOW), h == SPANS ? "one or two" : "two");
    if (h == SPANS && !rg_has_in(ctx, STARTS) && !rg_has_in(ctx, ENDS))
        return rg_fail(RG_EINVAL, "there are neither Starts nor Ends");
    if (h == SUBSEQUENCES && !rg_has_in(ctx, SELECTED))
        return rg_fail(RG_EINVAL, "there is no Selected");
    for (int s = STARTS; s <= SELECTED; s++)
        if (rg_has_in(ctx, s))
            RG_TRY(rg_expect_rank(ctx, s, 2));
    out.dim[0] = -1;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_set_out(ctx, ROWS, RG_I64, &RG_SHAPE(-1, 1));
    rg_set_lod_level(ctx, OUT, rg_in_meta(ctx, X)->lod_level);
    return RG_OK;
}

typedef struct span {
    int64_t begin, end;
} span;

/* What is picked: spans of rows, and where the spans of each sequence of two levels begin. */
typedef struct picked {
    span *span;
    int64_t n;
    int64_t *outer; /* NULL where X has one level */
} picked;

static rg_status check_numbers(const rg_ctx *ctx, int slot, int64_t rows, int64_t *beam)
{
    const rg_shape *shape = rg_shape_of(ctx, slot);
    if (shape->dim[0] != rows)
        return rg_fail(RG_ESHAPE,
                       "%s has %lld rows, and must have %lld: one for each sequence of X",
                       ctx->op->in[slot].name, (long long)shape->dim[0], (long long)rows);
    if (*beam >= 0 && *beam != shape->dim[1])
        return rg_fail(RG_ESHAPE, "Starts and Ends have %lld and %lld columns", (long long)*beam,
                       (long long)shape->dim[1]);
    *beam = shape->dim[1];
    return RG_OK;
}

static rg_status make_room(rg_ctx *ctx, const rg_lod *lod, int64_t most, picked *p)
{
    *p = (picked){rg_scratch(ctx, (size_t)(most + 1) * sizeof(span)), 0, NULL};
    if (p->span == NULL)
        return RG_ENOMEM;
    if (lod->levels == 1)
        return RG_OK;
    p->outer = rg_scratch(ctx, lod->count[0] * sizeof(int64_t));
    if (p->outer == NULL)
        return RG_ENOMEM;
    p->outer[0] = 0;
    return RG_OK;
}

/* The spans of sequence j, the rows [from, to). */
static rg_status spans_of(const rg_ctx *ctx, int64_t j, int64_t beam, int64_t from, int64_t to,
                          picked *p)
{
    const rg_value *starts = rg_in(ctx, STARTS), *ends = rg_in(ctx, ENDS);
    for (int64_t k = 0; k < beam; k++) {
        double start = starts ? rg_number_at(starts, j * beam + k) : 0;
        double end = ends ? rg_number_at(ends, j * beam + k) : (double)(to - from - 1);
        if (start == -1 || end == -1)
            break;
        if (!(start >= 0 && end >= start && end < (double)(to - from)))
            return rg_fail(RG_EVALUE,
                           "sequence %lld has %lld steps, and those from %g to %g are asked",
                           (long long)j, (long long)(to - from), start, end);
        p->span[p->n++] = (span){from + (int64_t)start, from + (int64_t)end + 1};
    }
    return RG_OK;
}

static rg_status pick_spans(rg_ctx *ctx, const rg_lod *lod, picked *p)
{
    int last = lod->levels - 1;
    int64_t n = rg_lod_sequences(lod, last), beam = -1, i = 0;
    const int64_t *at = lod->offset[last];
    for (int s = STARTS; s <= ENDS; s++)
        if (rg_has_in(ctx, s))
            RG_TRY(check_numbers(ctx, s, n, &beam));
    RG_TRY(make_room(ctx, lod, n * beam, p));
    for (int64_t j = 0; j <= n; j++) {
        while (p->outer != NULL && i < rg_lod_sequences(lod, 0) && lod->offset[0][i + 1] == j)
            p->outer[++i] = p->n;
        if (j < n)
            RG_TRY(spans_of(ctx, j, beam, at[j], at[j + 1], p));
    }
    return RG_OK;
}

static rg_status pick_subsequences(rg_ctx *ctx, const rg_lod *lod, picked *p)
{
    int64_t n = rg_lod_sequences(lod, 0), beam = -1;
    const int64_t *outer = lod->offset[0], *at = lod->offset[1];
    RG_TRY(check_numbers(ctx, SELECTED, n, &beam));
    RG_TRY(make_room(ctx, lod, n * beam, p));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < beam; k++) {
            double chosen = rg_number_at(rg_in(ctx, SELECTED), i * beam + k);
            int64_t parts = outer[i + 1] - outer[i];
            if (chosen == -1)
                break;
            if (!(chosen >= 0 && chosen < (double)parts))
                return rg_fail(RG_EVALUE,
                               "sequence %lld has %lld sub-sequences, and number %g is asked",
                               (long long)i, (long long)parts, chosen);
            int64_t s = outer[i] + (int64_t)chosen;
            p->span[p->n++] = (span){at[s], at[s + 1]};
        }
        p->outer[i + 1] = p->n;
    }
    return RG_OK;
}

static rg_status pick_reverse(rg_ctx *ctx, const rg_lod *lod, picked *p)
{
    const int64_t *outer = lod->offset[0], *at = lod->offset[1];
    RG_TRY(make_room(ctx, lod, rg_lod_sequences(lod, 1), p));
    for (int64_t i = 0; i < rg_lod_sequences(lod, 0); i++) {
        for (int64_t s = outer[i + 1]; s-- > outer[i];)
            p->span[p->n++] = (span){at[s], at[s + 1]};
        p->outer[i + 1] = p->n;
    }
    return RG_OK;
}

static rg_status lod_of(const rg_lod *from, const picked *p, rg_lod **out)
{
    size_t spans = (size_t)p->n + 1;
    int last = from->levels - 1;
    RG_TRY(rg_lod_new(out, from->levels, last ? (size_t[]){from->count[0], spans} : &spans));
    if (last > 0)
        memcpy((*out)->offset[0], p->outer, from->count[0] * sizeof(int64_t));
    int64_t *at = (*out)->offset[last];
    for (int64_t i = 0; i < p->n; i++)
        at[i + 1] = at[i] + p->span[i].end - p->span[i].begin;
    return RG_OK;
}

/* Rows in the order of the spans; where from, in `rows` unless NULL. */
static void copy_spans(const rg_value *x, const picked *p, rg_value *out, int64_t *rows)
{
    uint8_t *to = out->data;
    for (int64_t i = 0; i < p->n; i++) {
        size_t bytes = (size_t)(p->span[i].end - p->span[i].begin) * rg_row_bytes(x);
        memcpy(to, rg_row(x, p->span[i].begin), bytes);
        to += bytes;
        for (int64_t r = p->span[i].begin; rows != NULL && r < p->span[i].end; r++)
            *rows++ = r;
    }
}

static rg_status sequence_pick_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    picked p;
    how h;
    rg_lod *lod;
    RG_TRY(how_of(ctx, &h));
    RG_TRY((h == SPANS          ? pick_spans
            : h == SUBSEQUENCES ? pick_subsequences
                                : pick_reverse)(ctx, x->meta.lod, &p));
    RG_TRY(lod_of(x->meta.lod, &p, &lod));
    rg_shape shape = x->meta.shape;
    shape.dim[0] = lod->offset[lod->levels - 1][p.n];
    rg_status code = rg_out_resize(ctx, OUT, 0, x->meta.dtype, &shape);
    if (code == RG_OK && rg_has_out(ctx, ROWS))
        code = rg_out_resize(ctx, ROWS, 0, RG_I64, &RG_SHAPE(shape.dim[0], 1));
    if (code == RG_OK) {
        rg_value_set_lod(rg_out(ctx, OUT), lod);
        copy_spans(x, &p, rg_out(ctx, OUT), rg_out_data(ctx, ROWS));
    }
    rg_lod_release(lod);
    return code;
}

#define ATTRS RG_ATTRS([HOW] = RG_REQUIRED("how", RG_ATTR_STRING, "spans, subsequences, reverse"))

const rg_op rg_op_sequence_pick = {
    .type = "sequence_pick",
    .doc = "Parts of sequences, one after the other.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]"},
                   [STARTS] = {"Starts", "first steps, -1 ends a row", RG_OPTIONAL | RG_NO_GRAD},
                   [ENDS] = {"Ends", "last steps, -1 ends a row", RG_OPTIONAL | RG_NO_GRAD},
                   [SELECTED] = {"Selected", "sub-sequences, -1 ends a row",
                                 RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what was picked"}, [ROWS] = {"Rows", "where from",
                                                                  RG_INTERMEDIATE}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = sequence_pick_infer,
    .kernel = sequence_pick_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_ROWS, G_DOUT };
enum { G_DX };

#define GIVE_BACK(T, S)                                                                            \
    RG_HOT static void give_back_##S(const int64_t *rows, const T *dout, int64_t n, int64_t width, \
                                     T *dx)                                                        \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < width; j++)                                                    \
                dx[rows[i] * width + j] += dout[i * width + j];                                    \
    }
RG_FLOATS(GIVE_BACK)

static rg_status sequence_pick_grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, G_DX);
    const int64_t *rows;
    int64_t n, width = rg_value_width(dx);
    RG_TRY(rg_read_whole(ctx, G_ROWS, &rows, &n));
    RG_TRY(rg_check_ids(ctx, G_ROWS, rows, n, rg_shape_of(ctx, G_X)->dim[0], "rows of X"));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, n * width));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, G_X, give_back, (rows, rg_in_data(ctx, G_DOUT), n, width, dx->data))
    return RG_OK;
}

const rg_op rg_op_sequence_pick_grad = {
    .type = "sequence_pick_grad",
    .doc = "Gradient of sequence_pick.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_ROWS] = {"Rows", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = sequence_pick_grad_kernel,
};
