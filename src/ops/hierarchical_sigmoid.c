/* hierarchical_sigmoid.c - the loss of many classes as a walk down a binary tree.
 *
 *   pre[j] = X . W[node j] + Bias[node j], kept within -40 .. 40
 *   Out    = sum over the levels j of log(1 + e^pre[j]) - bit[j] pre[j]
 *
 * The tree of num_classes leaves is a complete one: with code = Label + num_classes, level
 * j is at node (code >> (j + 1)) - 1 and its bit is (code >> j) & 1. Or PathTable and
 * PathCode give nodes and bits, ended by a node below 0. PreOut, which keeps
 * log(1 + e^pre), has a column for each level of the longest path; levels that a path does
 * not have add log 2 to Out, a constant.
 *
 * The gradient of W is dense, or with is_sparse the rows of the nodes passed, each once. */
#include "math/reduce.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/row_set.h"
#include "ops/types.h"

#include <string.h>

enum { X, W, LABEL, PATH_TABLE, PATH_CODE, BIAS };
enum { OUT, PRE_OUT, W_OUT };
enum {
    CLASSES,
    REMOTE_PREFETCH,
    TRAINER_ID,
    HEIGHT_SECTIONS,
    EPMAP,
    TABLE_NAMES,
    IS_SPARSE,
};

static bool has_paths(const rg_ctx *ctx)
{
    return rg_has_in(ctx, PATH_TABLE);
}

/* Levels of the longest path. */
static int64_t levels_of(const rg_ctx *ctx)
{
    if (has_paths(ctx))
        return rg_shape_of(ctx, PATH_TABLE)->dim[1];
    int64_t levels = 0;
    for (int64_t c = rg_attr_int(ctx, CLASSES) - 1; c > 0; c >>= 1)
        levels++;
    return levels;
}

static rg_status check_paths(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    if (has_paths(ctx) != rg_has_in(ctx, PATH_CODE))
        return rg_fail(RG_EINVAL, "PathTable and PathCode are given both or not at all");
    if (!has_paths(ctx))
        return RG_OK;
    RG_TRY(rg_expect_rank(ctx, PATH_TABLE, 2));
    RG_TRY(rg_expect_same_shape(ctx, PATH_TABLE, PATH_CODE));
    int64_t rows = rg_shape_of(ctx, PATH_TABLE)->dim[0];
    if (rows >= 0 && x->dim[0] >= 0 && rows != x->dim[0])
        return rg_fail(RG_ESHAPE, "%lld paths for %lld rows of X", (long long)rows,
                       (long long)x->dim[0]);
    return RG_OK;
}

static rg_status check_inputs(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *w = rg_shape_of(ctx, W);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(rg_expect_column_or_row(ctx, LABEL));
    RG_TRY(rg_expect_same_dtype(ctx, X, W));
    RG_TRY(check_paths(ctx));
    int64_t nodes = rg_attr_int(ctx, CLASSES) - 1, labels = rg_shape_of(ctx, LABEL)->dim[0];
    if (nodes < 1)
        return rg_fail(RG_EINVAL, "num_classes is %lld, and must be 2 at least",
                       (long long)nodes + 1);
    if ((x->dim[1] >= 0 && w->dim[1] != x->dim[1]) || (!has_paths(ctx) && w->dim[0] < nodes)) {
        char tx[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X has the shape %s and W %s; num_classes is %lld",
                       rg_shape_text(x, tx), rg_shape_text(w, tw), (long long)nodes + 1);
    }
    if (labels >= 0 && x->dim[0] >= 0 && labels != x->dim[0])
        return rg_fail(RG_ESHAPE, "%lld labels for %lld rows of X", (long long)labels,
                       (long long)x->dim[0]);
    if (!rg_has_in(ctx, BIAS))
        return RG_OK;
    RG_TRY(rg_expect_same_dtype(ctx, X, BIAS));
    if (rg_shape_numel(rg_shape_of(ctx, BIAS)) != w->dim[0])
        return rg_fail(RG_ESHAPE, "Bias has %lld elements for %lld rows of W",
                       (long long)rg_shape_numel(rg_shape_of(ctx, BIAS)), (long long)w->dim[0]);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(rows, 1));
    rg_set_out(ctx, PRE_OUT, rg_dtype_of(ctx, X), &RG_SHAPE(rows, levels_of(ctx)));
    rg_set_like(ctx, W_OUT, W);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* The paths of a batch, [rows, levels]: a node below 0 where a path has ended. */
typedef struct paths {
    int64_t rows, levels, width;
    const int64_t *node;
    const int64_t *bit;
} paths;

/* Node and bit of every level, for labels of the complete tree. */
static rg_status paths_of_labels(rg_ctx *ctx, paths *p, int64_t *node, int64_t *bit)
{
    int64_t classes = rg_attr_int(ctx, CLASSES);
    const int64_t *labels;
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    for (int64_t i = 0; i < p->rows; i++) {
        if (labels[i] < 0 || labels[i] >= classes)
            return rg_bad_label(ctx, LABEL, i, labels[i], classes);
        int64_t code = labels[i] + classes;
        for (int64_t j = 0; j < p->levels; j++) {
            node[i * p->levels + j] = (code >> (j + 1)) - 1;
            bit[i * p->levels + j] = (code >> j) & 1;
        }
    }
    p->node = node;
    p->bit = bit;
    return RG_OK;
}

/* Those given, with everything behind the end of a path made an end too. */
static rg_status paths_given(rg_ctx *ctx, paths *p, int64_t *node)
{
    int64_t nodes = rg_shape_of(ctx, W)->dim[0];
    const int64_t *table;
    RG_TRY(rg_read_labels(ctx, PATH_TABLE, &table));
    RG_TRY(rg_read_labels(ctx, PATH_CODE, &p->bit));
    for (int64_t i = 0; i < p->rows; i++) {
        bool ended = false;
        for (int64_t j = i * p->levels; j < (i + 1) * p->levels; j++) {
            if (table[j] >= nodes)
                return rg_bad_label(ctx, PATH_TABLE, j, table[j], nodes);
            ended |= table[j] < 0;
            node[j] = ended ? -1 : table[j];
        }
    }
    p->node = node;
    return RG_OK;
}

static rg_status find_paths(rg_ctx *ctx, paths *p)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    *p = (paths){.rows = x->dim[0], .levels = levels_of(ctx), .width = x->dim[1]};
    int64_t n = p->rows * p->levels, *node = rg_scratch(ctx, (size_t)(2 * n) * sizeof *node);
    if (node == NULL)
        return RG_ENOMEM;
    return has_paths(ctx) ? paths_given(ctx, p, node) : paths_of_labels(ctx, p, node, node + n);
}

#define LOOPS(T, S)                                                                                \
    static void walk_##S(const paths *p, const T *x, const T *w, const T *bias, T *pre_out,        \
                         T *out)                                                                   \
    {                                                                                              \
        for (int64_t i = 0; i < p->rows; i++, x += p->width) {                                     \
            T sum = 0;                                                                             \
            for (int64_t j = i * p->levels; j < (i + 1) * p->levels; j++) {                        \
                const int64_t node = p->node[j];                                                   \
                T pre = node < 0 ? 0 : rg_dot_##S(x, w + node * p->width, p->width);               \
                pre += node < 0 || bias == NULL ? 0 : bias[node];                                  \
                pre = pre < -40 ? -40 : pre > 40 ? 40 : pre;                                       \
                pre_out[j] = RG_SOFTPLUS(pre);                                                     \
                sum += pre_out[j] - (p->bit[j] == 1 ? pre : 0);                                    \
            }                                                                                      \
            out[i] = sum;                                                                          \
        }                                                                                          \
    }                                                                                              \
    /* The gradient of each pre: sigmoid(pre) - bit, and 1 - e^-PreOut is that sigmoid. */         \
    static void slopes_##S(const paths *p, const T *pre_out, const T *dout, T *slope)              \
    {                                                                                              \
        for (int64_t j = 0; j < p->rows * p->levels; j++) {                                        \
            const T d = 1 - RG_EXP(-pre_out[j]) - (T)(p->bit[j] == 1);                             \
            slope[j] = p->node[j] < 0 ? 0 : d * dout[j / p->levels];                               \
        }                                                                                          \
    }                                                                                              \
    RG_INLINE void add_##S(T *to, T factor, const T *from, int64_t n)                              \
    {                                                                                              \
        for (int64_t k = 0; k < n; k++)                                                            \
            to[k] += factor * from[k];                                                             \
    }                                                                                              \
    RG_HOT static void spread_x_##S(const paths *p, const T *w, const T *slope, T *dx)             \
    {                                                                                              \
        for (int64_t j = 0; j < p->rows * p->levels; j++)                                          \
            if (p->node[j] >= 0)                                                                   \
                add_##S(dx + j / p->levels * p->width, slope[j], w + p->node[j] * p->width,        \
                        p->width);                                                                 \
    }                                                                                              \
    /* row: where each node stands in dw. */                                                       \
    RG_HOT static void spread_w_##S(const paths *p, const T *x, const int64_t *row,                \
                                    const T *slope, T *dw)                                         \
    {                                                                                              \
        for (int64_t j = 0; j < p->rows * p->levels; j++)                                          \
            if (row[j] >= 0)                                                                       \
                add_##S(dw + row[j] * p->width, slope[j], x + j / p->levels * p->width, p->width); \
    }                                                                                              \
    static void spread_bias_##S(const paths *p, const T *slope, T *db)                             \
    {                                                                                              \
        for (int64_t j = 0; j < p->rows * p->levels; j++)                                          \
            if (p->node[j] >= 0)                                                                   \
                db[p->node[j]] += slope[j];                                                        \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *w_out = rg_out(ctx, W_OUT);
    paths p;
    RG_TRY(find_paths(ctx, &p));
    void *pre_out = rg_out_or_scratch(ctx, PRE_OUT, (size_t)(p.rows * p.levels) * sizeof(double));
    if (pre_out == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, walk,
                  (&p, rg_in_data(ctx, X), rg_in_data(ctx, W), rg_in_data(ctx, BIAS), pre_out,
                   rg_out_data(ctx, OUT)))
    return w_out != NULL ? rg_value_copy(w_out, rg_in(ctx, W)) : RG_OK;
}

#define ATTRS                                                                                    \
    RG_ATTRS([CLASSES] = RG_INT("num_classes", 2, "how many classes"),                           \
             [REMOTE_PREFETCH] = RG_BOOLEAN("remote_prefetch", false, "rows come from servers"), \
             [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),                       \
             [HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS, "rows per server"),   \
             [EPMAP] = RG_LIST("epmap", RG_ATTR_STRINGS, "the servers"),                         \
             [TABLE_NAMES] = RG_LIST("table_names", RG_ATTR_STRINGS, "the parts of the table"),  \
             [IS_SPARSE] = RG_BOOLEAN("is_sparse", false, "the gradient holds only rows read"))
#define SLOTS(...)                                                                        \
    RG_SLOTS([X] = {"X", "examples, [batch, width]"}, [W] = {"W", "a row for each node"}, \
             [LABEL] = {"Label", "the true class, [batch, 1]", RG_NO_GRAD},               \
             [PATH_TABLE] = {"PathTable", "nodes from the root, [batch, levels]",         \
                             RG_OPTIONAL | RG_NO_GRAD},                                   \
             [PATH_CODE] = {"PathCode", "the bit at each", RG_OPTIONAL | RG_NO_GRAD},     \
             [BIAS] = {"Bias", "one for each node", RG_OPTIONAL}, __VA_ARGS__)

const rg_op rg_op_hierarchical_sigmoid = {
    .type = "hierarchical_sigmoid",
    .doc = "The loss of many classes as a walk down a binary tree.",
    .in = SLOTS({.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "[batch, 1]"},
                    [PRE_OUT] = {"PreOut", "log(1 + e^pre), [batch, levels]", RG_INTERMEDIATE},
                    [W_OUT] = {"W_Out", "W itself",
                               RG_INTERMEDIATE | RG_OPTIONAL | RG_UNCHANGED}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient: the inputs as above, and ---- */

enum { G_PRE_OUT = BIAS + 1, G_DOUT };
enum { G_DX, G_DW, G_DBIAS };

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    if (rg_running(ctx) && (rg_shape_numel(rg_shape_of(ctx, G_PRE_OUT)) != rows * levels_of(ctx) ||
                            rg_shape_numel(rg_shape_of(ctx, G_DOUT)) != rows))
        return rg_fail(RG_ESHAPE, "PreOut and the gradient of Out are not those of %lld rows",
                       (long long)rows);
    rg_set_like(ctx, G_DX, X);
    rg_set_like(ctx, G_DW, W);
    rg_set_kind(ctx, G_DW, rg_attr_bool(ctx, IS_SPARSE) ? RG_ROWS : RG_TENSOR);
    rg_set_like(ctx, G_DBIAS, BIAS);
    return RG_OK;
}

static rg_status weight_grad(rg_ctx *ctx, const paths *p, const void *slope)
{
    rg_value *dw = rg_out(ctx, G_DW);
    const int64_t *row = p->node;
    if (dw == NULL)
        return RG_OK;
    if (rg_attr_bool(ctx, IS_SPARSE))
        RG_TRY(rg_row_set_gradient(ctx, rg_in(ctx, W), p->node, p->rows * p->levels, dw, &row));
    else
        memset(dw->data, 0, rg_value_bytes(dw));
    RG_CALL_FLOAT(ctx, X, spread_w, (p, rg_in_data(ctx, X), row, slope, dw->data))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, G_DX), *db = rg_out(ctx, G_DBIAS);
    paths p;
    RG_TRY(find_paths(ctx, &p));
    void *slope = rg_scratch(ctx, (size_t)(p.rows * p.levels) * sizeof(double));
    if (slope == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, slopes, (&p, rg_in_data(ctx, G_PRE_OUT), rg_in_data(ctx, G_DOUT), slope))
    RG_TRY(weight_grad(ctx, &p, slope));
    if (dx != NULL) {
        memset(dx->data, 0, rg_value_bytes(dx));
        RG_CALL_FLOAT(ctx, X, spread_x, (&p, rg_in_data(ctx, W), slope, dx->data))
    }
    if (db != NULL) {
        memset(db->data, 0, rg_value_bytes(db));
        RG_CALL_FLOAT(ctx, X, spread_bias, (&p, slope, db->data))
    }
    return RG_OK;
}

const rg_op rg_op_hierarchical_sigmoid_grad = {
    .type = "hierarchical_sigmoid_grad",
    .doc = "Gradient of hierarchical_sigmoid, of W dense or sparse.",
    .in = SLOTS([G_PRE_OUT] = {"PreOut", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DW] = {"W@GRAD", "", RG_OPTIONAL},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
