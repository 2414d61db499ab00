/* sequence_topk_avg_pooling.c - the best matches of each word, averaged.
 *
 * X has an image [channels, rows, columns] a sequence, as match_matrix_tensor gives them; ROW and
 * COLUMN have as many sequences, of as many rows and columns.
 *
 *   Out[row r, channel c, k] = the sum of the topks[k] largest of X[c, r, :], over topks[k]
 *
 * A row of fewer columns is summed whole, and divided by topks[k] all the same. `pos` is where
 * the largest stand in their rows, for the gradient; -1: none. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, ROW, COLUMN, POS, DOUT };
enum { OUT, OUT_POS };
enum { TOPKS, CHANNEL_NUM };

/* The longest of topks; RG_EINVAL where one is not above 0. */
static rg_status longest(const rg_ctx *ctx, int64_t *most)
{
    const rg_attr *topks = rg_attr_list(ctx, TOPKS);
    *most = 0;
    for (int k = 0; k < (int)topks->n; k++) {
        if (topks->ints[k] < 1)
            return rg_fail(RG_EINVAL, "topks has %d, and must have numbers above 0",
                           topks->ints[k]);
        *most = topks->ints[k] > *most ? topks->ints[k] : *most;
    }
    if (*most == 0 || rg_attr_int(ctx, CHANNEL_NUM) < 1)
        return rg_fail(RG_EINVAL, "topks must not be empty, and channel_num is %d",
                       rg_attr_int(ctx, CHANNEL_NUM));
    return RG_OK;
}

/* RG_ESHAPE unless each sequence of X is channels x rows x columns. */
static rg_status check_images(const rg_ctx *ctx, const rg_lod *x, const rg_lod *row,
                              const rg_lod *column)
{
    int64_t channels = rg_attr_int(ctx, CHANNEL_NUM);
    if (x->count[0] != row->count[0] || x->count[0] != column->count[0])
        return rg_fail(RG_ESHAPE, "X, ROW and COLUMN must have as many sequences");
    for (int64_t i = 0; i < rg_lod_sequences(x, 0); i++) {
        int64_t rows = row->offset[0][i + 1] - row->offset[0][i];
        int64_t columns = column->offset[0][i + 1] - column->offset[0][i];
        int64_t size = x->offset[0][i + 1] - x->offset[0][i];
        if (size != channels * rows * columns)
            return rg_fail(RG_ESHAPE,
                           "sequence %lld of X has %lld elements, and %lld channels of %lld rows "
                           "and %lld columns are %lld",
                           (long long)i, (long long)size, (long long)channels, (long long)rows,
                           (long long)columns, (long long)(channels * rows * columns));
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_lod *x, *row, *column;
    int64_t most, rows = rg_shape_of(ctx, ROW)->dim[0], channels = rg_attr_int(ctx, CHANNEL_NUM);
    RG_TRY(longest(ctx, &most));
    RG_TRY(rg_expect_one_level(ctx, X, &x));
    RG_TRY(rg_expect_one_level(ctx, ROW, &row));
    RG_TRY(rg_expect_one_level(ctx, COLUMN, &column));
    if (x != NULL)
        RG_TRY(check_images(ctx, x, row, column));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X),
               &RG_SHAPE(rows, channels * (int64_t)rg_attr_list(ctx, TOPKS)->n));
    rg_share_lod(ctx, ROW, OUT);
    rg_set_lod_level(ctx, OUT, rg_in_meta(ctx, X)->lod_level);
    if (rg_running(ctx)) /* Fluid declares it with the type of X and no shape */
        rg_set_out(ctx, OUT_POS, RG_I32, &RG_SHAPE(rows * channels * most));
    return RG_OK;
}

typedef struct images {
    const rg_lod *row, *column;
    const rg_attr *topks;
    int64_t channels, most;
} images;

static rg_status read_images(const rg_ctx *ctx, images *m)
{
    *m = (images){rg_in_meta(ctx, ROW)->lod, rg_in_meta(ctx, COLUMN)->lod, rg_attr_list(ctx, TOPKS),
                  rg_attr_int(ctx, CHANNEL_NUM), 0};
    return longest(ctx, &m->most);
}

#define RANK(T, S)                                                                              \
    /* Where the `most` largest of n stand, the largest first; of equal ones the first. */      \
    static void rank_##S(const T *x, int64_t n, int64_t most, int32_t *pos)                     \
    {                                                                                           \
        int64_t found = 0;                                                                      \
        for (int64_t j = 0; j < n; j++) {                                                       \
            int64_t at = found;                                                                 \
            for (; at > 0 && (x[pos[at - 1]] < x[j] || x[pos[at - 1]] != x[pos[at - 1]]); at--) \
                if (at < most)                                                                  \
                    pos[at] = pos[at - 1];                                                      \
            if (at < most)                                                                      \
                pos[at] = (int32_t)j;                                                           \
            found += found < most;                                                              \
        }                                                                                       \
        for (; found < most; found++)                                                           \
            pos[found] = -1;                                                                    \
    }                                                                                           \
    static void pool_##S(const images *m, const T *x, int32_t *pos, T *out)                     \
    {                                                                                           \
        const int64_t ks = (int64_t)m->topks->n;                                                \
        for (int64_t i = 0; i < rg_lod_sequences(m->row, 0); i++) {                             \
            int64_t first = m->row->offset[0][i], rows = m->row->offset[0][i + 1] - first;      \
            int64_t columns = m->column->offset[0][i + 1] - m->column->offset[0][i];            \
            for (int64_t c = 0; c < m->channels; c++)                                           \
                for (int64_t r = 0; r < rows; r++, x += columns) {                              \
                    int64_t place = (first + r) * m->channels + c;                              \
                    int32_t *best = pos + place * m->most;                                      \
                    rank_##S(x, columns, m->most, best);                                        \
                    for (int64_t k = 0; k < ks; k++) {                                          \
                        T sum = 0;                                                              \
                        for (int64_t j = 0; j < m->topks->ints[k] && best[j] >= 0; j++)         \
                            sum += x[best[j]];                                                  \
                        out[place * ks + k] = sum / (T)m->topks->ints[k];                       \
                    }                                                                           \
                }                                                                               \
        }                                                                                       \
    }                                                                                           \
    static void spread_##S(const images *m, const T *dout, const int32_t *pos, T *dx)           \
    {                                                                                           \
        const int64_t ks = (int64_t)m->topks->n;                                                \
        for (int64_t i = 0; i < rg_lod_sequences(m->row, 0); i++) {                             \
            int64_t first = m->row->offset[0][i], rows = m->row->offset[0][i + 1] - first;      \
            int64_t columns = m->column->offset[0][i + 1] - m->column->offset[0][i];            \
            for (int64_t c = 0; c < m->channels; c++)                                           \
                for (int64_t r = 0; r < rows; r++, dx += columns) {                             \
                    int64_t place = (first + r) * m->channels + c;                              \
                    const int32_t *best = pos + place * m->most;                                \
                    for (int64_t k = 0; k < ks; k++)                                            \
                        for (int64_t j = 0; j < m->topks->ints[k] && best[j] >= 0; j++)         \
                            dx[best[j]] += dout[place * ks + k] / (T)m->topks->ints[k];         \
                }                                                                               \
        }                                                                                       \
    }
RG_FLOATS(RANK)

static rg_status kernel(rg_ctx *ctx)
{
    images m;
    RG_TRY(read_images(ctx, &m));
    int32_t *pos = rg_out_data(ctx, OUT_POS);
    size_t places = (size_t)(rg_shape_of(ctx, ROW)->dim[0] * m.channels * m.most);
    if (pos == NULL && (pos = rg_scratch(ctx, places * sizeof *pos + 1)) == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, pool, (&m, rg_in_data(ctx, X), pos, rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                            \
    RG_ATTRS([TOPKS] = RG_LIST("topks", RG_ATTR_INTS, "how many are averaged, each"),    \
             [CHANNEL_NUM] = RG_INT("channel_num", 1, "channels of an image"))

const rg_op rg_op_sequence_topk_avg_pooling = {
    .type = "sequence_topk_avg_pooling",
    .doc = "Averages of the largest of each row of images of many sizes.",
    .in = RG_SLOTS([X] = {"X", "images, a sequence each: [total, 1]"},
                   [ROW] = {"ROW", "as many rows as the images", RG_NO_GRAD | RG_SHAPE_ONLY},
                   [COLUMN] = {"COLUMN", "as many as columns", RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, channels * topks]"},
                    [OUT_POS] = {"pos", "where they stand", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* RG_EVALUE unless `pos` stays inside the rows. */
static rg_status check_places(const rg_ctx *ctx, const images *m)
{
    const int32_t *pos = rg_in_data(ctx, POS);
    for (int64_t i = 0; i < rg_lod_sequences(m->row, 0); i++) {
        int64_t columns = m->column->offset[0][i + 1] - m->column->offset[0][i];
        int64_t end = m->row->offset[0][i + 1] * m->channels * m->most;
        for (int64_t k = m->row->offset[0][i] * m->channels * m->most; k < end; k++)
            if (pos[k] >= columns)
                return rg_fail(RG_EVALUE,
                               "pos has %d at element %lld, and the row has %lld columns", pos[k],
                               (long long)k, (long long)columns);
    }
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, 0);
    images m;
    const rg_lod *x, *row, *column;
    RG_TRY(rg_expect_one_level(ctx, X, &x));
    RG_TRY(rg_expect_one_level(ctx, ROW, &row));
    RG_TRY(rg_expect_one_level(ctx, COLUMN, &column));
    RG_TRY(check_images(ctx, x, row, column));
    RG_TRY(read_images(ctx, &m));
    int64_t places = rg_shape_of(ctx, ROW)->dim[0] * m.channels;
    RG_TRY(RG_EXPECT_DTYPE(ctx, POS, RG_I32));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_numel(ctx, POS, places * m.most));
    RG_TRY(rg_expect_numel(ctx, DOUT, places * (int64_t)m.topks->n));
    RG_TRY(check_places(ctx, &m));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, DOUT, spread, (&m, rg_in_data(ctx, DOUT), rg_in_data(ctx, POS), dx->data))
    return RG_OK;
}

const rg_op rg_op_sequence_topk_avg_pooling_grad = {
    .type = "sequence_topk_avg_pooling_grad",
    .doc = "Gradient of sequence_topk_avg_pooling.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY}, [ROW] = {"ROW", "", RG_SHAPE_ONLY},
                   [COLUMN] = {"COLUMN", "", RG_SHAPE_ONLY}, [POS] = {"pos", ""},
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS({"X@GRAD", "", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
