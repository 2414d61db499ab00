/* tree_conv.c - convolution over trees (tree-based convolutional networks, Mou et al.).
 *
 * The window of a node is itself and what is below it, up to max_depth levels in all. Each node of
 * it counts by where it stands: at depth d of D, as child i (from 1) of n,
 *
 *   top = (D - d) / D,  left = (1 - top) (i - 1) / (n - 1), of an only child (1 - top) / 2,
 *   right = (1 - top) (1 - left)
 *
 *   Out[node] = sum over its window of vector x (left F[:, 0] + right F[:, 1] + top F[:, 2])
 *
 * EdgeSet has pairs (parent, child) of nodes from 1 on; those of a tree end at the first pair with
 * a 0. Rows of Out beyond its nodes are 0. The gradient of NodesVector is the derivative, which
 * what Paddle gives for it is not. */
#include "math/gemm.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { NODES, EDGES, FILTER, DOUT };
enum { OUT };
enum { DNODES, DFILTER };
enum { MAX_DEPTH };

static rg_status check(const rg_ctx *ctx)
{
    const rg_shape *nodes = rg_shape_of(ctx, NODES), *filter = rg_shape_of(ctx, FILTER);
    const rg_shape *edges = rg_shape_of(ctx, EDGES);
    RG_TRY(rg_expect_rank(ctx, NODES, 3));
    RG_TRY(rg_expect_rank(ctx, EDGES, 3));
    RG_TRY(rg_expect_rank(ctx, FILTER, 4));
    RG_TRY(RG_EXPECT_DTYPE(ctx, EDGES, RG_I32));
    RG_TRY(rg_expect_same_dtype(ctx, NODES, FILTER));
    if (rg_attr_int(ctx, MAX_DEPTH) < 2)
        return rg_fail(RG_EINVAL, "max_depth is %d, and must be above 1",
                       rg_attr_int(ctx, MAX_DEPTH));
    if (!rg_shape_fits(filter, &RG_SHAPE(nodes->dim[2], 3, -1, -1))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Filter is %s, and must be [%lld, 3, out, filters]",
                       rg_shape_text(filter, text), (long long)nodes->dim[2]);
    }
    if (!rg_shape_fits(edges, &RG_SHAPE(nodes->dim[0], -1, 2))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "EdgeSet is %s, and must be [%lld, edges, 2]",
                       rg_shape_text(edges, text), (long long)nodes->dim[0]);
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *nodes = rg_shape_of(ctx, NODES), *filter = rg_shape_of(ctx, FILTER);
    RG_TRY(check(ctx));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, NODES),
               &RG_SHAPE(nodes->dim[0], nodes->dim[1], filter->dim[2], filter->dim[3]));
    return RG_OK;
}

/* ---- trees ---- */

/* Children of node u (from 1 on): child[from[u] .. from[u + 1]). */
typedef struct tree {
    int64_t nodes, edges, windows;
    int64_t *from, *child;
    int64_t *seen;           /* the number of the window that last had the node */
    int64_t *window, *depth; /* nodes of a window, and how far below its root */
    double (*eta)[3];        /* left, right, top of each */
} tree;

static rg_status make_room(rg_ctx *ctx, tree *t)
{
    size_t n = (size_t)rg_shape_of(ctx, NODES)->dim[1] + 2;
    t->from = rg_scratch(ctx, n * sizeof *t->from);
    t->child = rg_scratch(ctx, ((size_t)rg_shape_of(ctx, EDGES)->dim[1] + 1) * sizeof *t->child);
    t->seen = rg_scratch(ctx, n * sizeof *t->seen);
    t->window = rg_scratch(ctx, n * sizeof *t->window);
    t->depth = rg_scratch(ctx, n * sizeof *t->depth);
    t->eta = rg_scratch(ctx, n * sizeof *t->eta);
    return t->from && t->child && t->seen && t->window && t->depth && t->eta ? RG_OK : RG_ENOMEM;
}

/* Tree b of the batch, children in the order of their edges. */
static rg_status read_tree(const rg_ctx *ctx, int64_t b, tree *t)
{
    const rg_value *set = rg_in(ctx, EDGES);
    int64_t most = set->meta.shape.dim[1], rows = rg_shape_of(ctx, NODES)->dim[1];
    const int32_t *edge = (const int32_t *)set->data + b * most * 2;
    memset(t->from, 0, (size_t)(rows + 2) * sizeof *t->from);
    memset(t->seen, 0, (size_t)(rows + 2) * sizeof *t->seen);
    for (t->edges = 0; t->edges < most; t->edges++) {
        const int32_t *pair = edge + t->edges * 2;
        if (pair[0] == 0 || pair[1] == 0)
            break;
        for (int end = 0; end < 2; end++)
            if (pair[end] < 0 || pair[end] > rows)
                return rg_fail(RG_EVALUE, "edge %lld of tree %lld has node %d: there are 1 to %lld",
                               (long long)t->edges, (long long)b, pair[end], (long long)rows);
        t->from[pair[0]]++;
    }
    t->windows = 0;
    t->nodes = t->edges + 1 < rows ? t->edges + 1 : rows;
    /* Counts, to where each node's children end; filled from the last edge they begin there. */
    for (int64_t u = 1; u <= rows + 1; u++)
        t->from[u] += t->from[u - 1];
    for (int64_t e = t->edges - 1; e >= 0; e--)
        t->child[--t->from[edge[e * 2]]] = edge[e * 2 + 1];
    return RG_OK;
}

/* The window of `root`, its nodes' shares in t->eta; returns how many it has. */
static int64_t make_window(tree *t, int64_t root, int levels)
{
    int64_t n = 1, mark = ++t->windows;
    t->window[0] = root;
    t->depth[0] = 0;
    t->eta[0][0] = t->eta[0][1] = 0;
    t->eta[0][2] = 1;
    t->seen[root] = mark;
    for (int64_t w = 0; w < n; w++) {
        const int64_t u = t->window[w], first = t->from[u], children = t->from[u + 1] - first;
        if (t->depth[w] + 1 >= levels)
            continue;
        for (int64_t c = 0; c < children; c++) {
            int64_t v = t->child[first + c];
            if (t->seen[v] == mark)
                continue;
            double top = (double)(levels - t->depth[w] - 1) / levels;
            double left = (1 - top) * (children == 1 ? 0.5 : (double)c / (double)(children - 1));
            t->seen[v] = mark;
            t->window[n] = v;
            t->depth[n] = t->depth[w] + 1;
            t->eta[n][0] = left;
            t->eta[n][1] = (1 - top) * (1 - left);
            t->eta[n++][2] = top;
        }
    }
    return n;
}

/* ---- kernels ---- */

#define TREES(T, S)                                                                               \
    /* The rows of `patch`: what a filter is multiplied with, [width, 3] a node. */               \
    static void gather_##S(tree *t, int levels, const T *x, int64_t width, T *patch)              \
    {                                                                                             \
        for (int64_t root = 1; root <= t->nodes; root++, patch += 3 * width) {                    \
            int64_t n = make_window(t, root, levels);                                             \
            memset(patch, 0, (size_t)(3 * width) * sizeof *patch);                                \
            for (int64_t w = 0; w < n; w++)                                                       \
                for (int64_t j = 0; j < width; j++)                                               \
                    for (int k = 0; k < 3; k++)                                                   \
                        patch[3 * j + k] += (T)t->eta[w][k] * x[(t->window[w] - 1) * width + j];  \
        }                                                                                         \
    }                                                                                             \
    static void scatter_##S(tree *t, int levels, const T *patch, int64_t width, T *dx)            \
    {                                                                                             \
        for (int64_t root = 1; root <= t->nodes; root++, patch += 3 * width) {                    \
            int64_t n = make_window(t, root, levels);                                             \
            for (int64_t w = 0; w < n; w++)                                                       \
                for (int64_t j = 0; j < width; j++)                                               \
                    for (int k = 0; k < 3; k++)                                                   \
                        dx[(t->window[w] - 1) * width + j] += (T)t->eta[w][k] * patch[3 * j + k]; \
        }                                                                                         \
    }                                                                                             \
    static void convolve_##S(tree *t, int levels, const T *x, int64_t width, const T *f,          \
                             int64_t out_width, T *patch, T *out)                                 \
    {                                                                                             \
        gather_##S(t, levels, x, width, patch);                                                   \
        rg_gemm_##S(false, false, t->nodes, out_width, 3 * width, 1, patch, 3 * width, f,         \
                    out_width, 0, out, out_width);                                                \
    }                                                                                             \
    static void convolve_grad_##S(tree *t, int levels, const T *x, int64_t width, const T *f,     \
                                  int64_t out_width, const T *dout, T *patch, T *dx, T *df)       \
    {                                                                                             \
        gather_##S(t, levels, x, width, patch);                                                   \
        if (df != NULL)                                                                           \
            rg_gemm_##S(true, false, 3 * width, out_width, t->nodes, 1, patch, 3 * width, dout,   \
                        out_width, 1, df, out_width);                                             \
        if (dx != NULL) {                                                                         \
            rg_gemm_##S(false, true, t->nodes, 3 * width, out_width, 1, dout, out_width, f,       \
                        out_width, 0, patch, 3 * width);                                          \
            scatter_##S(t, levels, patch, width, dx);                                             \
        }                                                                                         \
    }
RG_FLOATS(TREES)

/* Elements of tree b in a tensor of the batch. */
static void *of_tree(const rg_value *value, int64_t b)
{
    return value ? (char *)value->data +
                       (size_t)(b * rg_value_width(value)) * rg_dtype_size(value->meta.dtype)
                 : NULL;
}

static rg_status make_patch(rg_ctx *ctx, void **patch)
{
    const rg_shape *x = rg_shape_of(ctx, NODES);
    *patch = rg_scratch(ctx, (size_t)(3 * x->dim[1] * x->dim[2] + 1) *
                                 rg_dtype_size(rg_dtype_of(ctx, NODES)));
    return *patch ? RG_OK : RG_ENOMEM;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, NODES);
    rg_value *out = rg_out(ctx, OUT);
    int64_t width = x->meta.shape.dim[2], wide = rg_shape_product(rg_shape_of(ctx, FILTER), 2, 4);
    int levels = rg_attr_int(ctx, MAX_DEPTH);
    tree t;
    void *patch;
    RG_TRY(make_room(ctx, &t));
    RG_TRY(make_patch(ctx, &patch));
    memset(out->data, 0, rg_value_bytes(out));
    for (int64_t b = 0; b < x->meta.shape.dim[0]; b++) {
        RG_TRY(read_tree(ctx, b, &t));
        RG_CALL_FLOAT(ctx, NODES, convolve,
                      (&t, levels, of_tree(x, b), width, rg_in_data(ctx, FILTER), wide, patch,
                       of_tree(out, b)))
    }
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, NODES), *dout = rg_in(ctx, DOUT);
    rg_value *dx = rg_out(ctx, DNODES), *df = rg_out(ctx, DFILTER);
    int64_t width = x->meta.shape.dim[2], wide = rg_shape_product(rg_shape_of(ctx, FILTER), 2, 4);
    int levels = rg_attr_int(ctx, MAX_DEPTH);
    tree t;
    void *patch;
    RG_TRY(check(ctx));
    RG_TRY(rg_expect_same_dtype(ctx, NODES, DOUT));
    RG_TRY(rg_expect_numel(ctx, DOUT, rg_shape_product(&x->meta.shape, 0, 2) * wide));
    RG_TRY(make_room(ctx, &t));
    RG_TRY(make_patch(ctx, &patch));
    if (dx != NULL)
        memset(dx->data, 0, rg_value_bytes(dx));
    if (df != NULL)
        memset(df->data, 0, rg_value_bytes(df));
    for (int64_t b = 0; b < x->meta.shape.dim[0]; b++) {
        RG_TRY(read_tree(ctx, b, &t));
        RG_CALL_FLOAT(ctx, NODES, convolve_grad,
                      (&t, levels, of_tree(x, b), width, rg_in_data(ctx, FILTER), wide,
                       of_tree(dout, b), patch, of_tree(dx, b), df ? df->data : NULL))
    }
    return RG_OK;
}

#define ATTRS RG_ATTRS([MAX_DEPTH] = RG_INT("max_depth", 2, "levels of a window"))

const rg_op rg_op_tree_conv = {
    .type = "tree_conv",
    .doc = "Convolution over trees.",
    .in = RG_SLOTS([NODES] = {"NodesVector", "[n, nodes, width]"},
                   [EDGES] = {"EdgeSet", "int32 pairs (parent, child), [n, edges, 2]", RG_NO_GRAD},
                   [FILTER] = {"Filter", "[width, 3, out, filters]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[n, nodes, out, filters]"}),
    .attr = ATTRS,
    .flags = RG_OP_BILINEAR,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_tree_conv_grad = {
    .type = "tree_conv_grad",
    .doc = "Gradient of tree_conv.",
    .in = RG_SLOTS([NODES] = {"NodesVector", ""}, [EDGES] = {"EdgeSet", ""},
                   [FILTER] = {"Filter", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DNODES] = {"NodesVector@GRAD", "", RG_OPTIONAL, .like = RG_OF(NODES)},
                    [DFILTER] = {"Filter@GRAD", "", RG_OPTIONAL, .like = RG_OF(FILTER)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
