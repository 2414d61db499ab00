/* tdm.c - walks over a tree of items (tree-based deep models).
 *
 *   tdm_child    the children of nodes, and which of them are items (leaves)
 *   tdm_sampler  for each item the nodes from the root to it, layer by layer, each with some
 *                other nodes of its layer
 *
 * Node 0 is no node: it pads. TreeInfo has a row for each node: its item (0: none), its layer,
 * its parent, and its children (0: none). Travel has a row for each leaf: its nodes from the top
 * layer down to itself, 0 where its branch is shorter. Layer is all nodes layer by layer, and
 * layer_offset_lod where each layer begins. */
#include "ops/number.h"
#include "ops/shape_args.h"

static void put(rg_value *out, int64_t i, int64_t number)
{
    if (out != NULL)
        rg_put_whole(out, i, number);
}

/* ---- tdm_child ---- */

enum { X, TREE_INFO };
enum { CHILD, LEAF_MASK };
enum { CHILD_NUMS, C_DTYPE };
enum { ITEM = 0, CHILDREN = 3 }; /* columns of TreeInfo */

static rg_status child_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    int children = rg_attr_int(ctx, CHILD_NUMS);
    int64_t width = rg_shape_of(ctx, TREE_INFO)->dim[1];
    rg_dtype dtype;
    RG_TRY(rg_whole_dtype_from_attr(ctx, C_DTYPE, &dtype));
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I32, RG_I64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, TREE_INFO, RG_I32, RG_I64));
    RG_TRY(rg_expect_rank(ctx, TREE_INFO, 2));
    if (children < 1)
        return rg_fail(RG_EINVAL, "child_nums is %d, and must be at least 1", children);
    if (width >= 0 && width < CHILDREN + children)
        return rg_fail(RG_ESHAPE, "TreeInfo has %lld columns, and needs %d for %d children",
                       (long long)width, CHILDREN + children, children);
    if (out.rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "X has %d dimensions already", out.rank);
    out.dim[out.rank++] = children;
    rg_set_out(ctx, CHILD, dtype, &out);
    rg_set_out(ctx, LEAF_MASK, dtype, &out);
    return RG_OK;
}

static rg_status child_kernel(rg_ctx *ctx)
{
    const rg_value *tree = rg_in(ctx, TREE_INFO);
    rg_value *child = rg_out(ctx, CHILD), *mask = rg_out(ctx, LEAF_MASK);
    int64_t width = tree->meta.shape.dim[1], nodes = tree->meta.shape.dim[0], n;
    int children = rg_attr_int(ctx, CHILD_NUMS);
    const int64_t *x;
    RG_TRY(rg_read_whole(ctx, X, &x, &n));
    RG_TRY(rg_check_ids(ctx, X, x, n, nodes, "nodes of the tree"));
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = x[i] * width + CHILDREN;
        bool inner = x[i] != 0 && rg_whole_at(tree, first) != 0;
        for (int c = 0; c < children; c++) {
            int64_t id = inner ? rg_whole_at(tree, first + c) : 0;
            if (id < 0 || id >= nodes)
                return rg_fail(RG_EVALUE,
                               "%s (TreeInfo) says that child %d of node %lld is %lld, and has "
                               "%lld nodes",
                               rg_in_name(ctx, TREE_INFO, 0), c, (long long)x[i], (long long)id,
                               (long long)nodes);
            put(child, i * children + c, id);
            put(mask, i * children + c, inner && rg_whole_at(tree, id * width + ITEM) != 0);
        }
    }
    return RG_OK;
}

const rg_op rg_op_tdm_child = {
    .type = "tdm_child",
    .doc = "The children of nodes of a tree.",
    .in = RG_SLOTS([X] = {"X", "nodes", RG_NO_GRAD},
                   [TREE_INFO] = {"TreeInfo", "item, layer, parent, children of each node",
                                  RG_NO_GRAD}),
    .out = RG_SLOTS([CHILD] = {"Child", "the shape of X, and child_nums; 0: none"},
                    [LEAF_MASK] = {"LeafMask", "1 where the child is an item"}),
    .attr = RG_ATTRS([CHILD_NUMS] = RG_REQUIRED("child_nums", RG_ATTR_INT, "children of a node"),
                     [C_DTYPE] = RG_INT("dtype", RG_I32, "of the outputs: int32 or int64")),
    .infer = child_infer,
    .kernel = child_kernel,
};

/* ---- tdm_sampler ---- */

enum { S_X, TRAVEL, LAYER };
enum { S_OUT, LABELS, MASK };
enum { OUTPUT_POSITIVE, NEG_SAMPLES, LAYER_OFFSETS, SEED, S_DTYPE };

static rg_status check_layers(const rg_ctx *ctx)
{
    const rg_attr *samples = rg_attr_list(ctx, NEG_SAMPLES), *at = rg_attr_list(ctx, LAYER_OFFSETS);
    int64_t layers = rg_shape_of(ctx, TRAVEL)->dim[1], nodes = rg_shape_of(ctx, LAYER)->dim[0];
    if (samples->n < 1 || at->n != samples->n + 1)
        return rg_fail(RG_EINVAL,
                       "neg_samples_num_list is of %d layers, and layer_offset_lod must have one "
                       "number more, and has %d",
                       (int)samples->n, (int)at->n);
    if (layers >= 0 && layers != samples->n)
        return rg_fail(RG_ESHAPE, "Travel has %lld layers, and neg_samples_num_list %d",
                       (long long)layers, (int)samples->n);
    for (int i = 0; i < (int)samples->n; i++) {
        int nodes_here = at->ints[i + 1] - at->ints[i];
        if (at->ints[i] < 0 || nodes_here < 0 || (nodes >= 0 && at->ints[i + 1] > nodes))
            return rg_fail(RG_EINVAL, "layer %d is the nodes %d to %d, and Layer has %lld", i,
                           at->ints[i], at->ints[i + 1], (long long)nodes);
        if (samples->ints[i] < 0 || (samples->ints[i] > 0 && samples->ints[i] > nodes_here - 1))
            return rg_fail(RG_EINVAL,
                           "%d negative samples of layer %d, which has %d nodes: it can give %d",
                           samples->ints[i], i, nodes_here, nodes_here > 0 ? nodes_here - 1 : 0);
    }
    return RG_OK;
}

static rg_status sampler_infer(rg_ctx *ctx)
{
    const rg_attr *samples = rg_attr_list(ctx, NEG_SAMPLES);
    int64_t width = rg_attr_bool(ctx, OUTPUT_POSITIVE) ? (int64_t)samples->n : 0;
    rg_dtype dtype;
    RG_TRY(rg_whole_dtype_from_attr(ctx, S_DTYPE, &dtype));
    for (int slot = S_X; slot <= LAYER; slot++)
        RG_TRY(RG_EXPECT_DTYPE(ctx, slot, RG_I32, RG_I64));
    RG_TRY(rg_expect_rank(ctx, TRAVEL, 2));
    RG_TRY(check_layers(ctx));
    for (int i = 0; i < (int)samples->n; i++)
        width += samples->ints[i];
    const rg_shape *x = rg_shape_of(ctx, S_X);
    rg_shape out = RG_SHAPE(x->rank > 0 ? x->dim[0] : 1, width);
    for (int slot = S_OUT; slot <= MASK; slot++)
        rg_set_out(ctx, slot, dtype, &out);
    return RG_OK;
}

/* What is drawn from one layer for one item. */
typedef struct draw {
    const rg_value *layer;
    int64_t from, nodes; /* the layer's part of it */
    rg_philox_key key;
    uint64_t at; /* the next number of the stream */
} draw;

/* `want` nodes of the layer but `positive`, each at most once, in taken[] as places in it. */
static rg_status draw_others(draw *d, int64_t positive, int want, int64_t *taken)
{
    uint64_t end = d->at + 1000 + 100 * (uint64_t)d->nodes;
    for (int n = 0; n < want;) {
        if (d->at == end) /* chance does not take that long: Layer repeats the node */
            return rg_fail(RG_EVALUE, "no %d nodes other than %lld among Layer[%lld:%lld]", want,
                           (long long)positive, (long long)d->from,
                           (long long)(d->from + d->nodes));
        int64_t place = (int64_t)rg_philox_below(d->key, d->at++, (uint64_t)d->nodes);
        bool used = rg_whole_at(d->layer, d->from + place) == positive;
        for (int k = 0; k < n && !used; k++)
            used = taken[k] == place;
        if (!used)
            taken[n++] = place;
    }
    return RG_OK;
}

static rg_status sampler_kernel(rg_ctx *ctx)
{
    const rg_attr *samples = rg_attr_list(ctx, NEG_SAMPLES), *at = rg_attr_list(ctx, LAYER_OFFSETS);
    const rg_value *travel = rg_in(ctx, TRAVEL);
    rg_value *out = rg_out(ctx, S_OUT), *labels = rg_out(ctx, LABELS), *mask = rg_out(ctx, MASK);
    int layers = (int)samples->n, seed = rg_attr_int(ctx, SEED), most = 1;
    bool positives = rg_attr_bool(ctx, OUTPUT_POSITIVE);
    draw d = {.layer = rg_in(ctx, LAYER), .key = rg_random_key(ctx, seed, seed != 0)};
    const int64_t *x;
    int64_t n, to = 0;
    RG_TRY(rg_read_whole(ctx, S_X, &x, &n));
    RG_TRY(rg_check_ids(ctx, S_X, x, n, travel->meta.shape.dim[0], "rows of Travel"));
    for (int l = 0; l < layers; l++)
        most = samples->ints[l] > most ? samples->ints[l] : most;
    int64_t *taken = rg_scratch(ctx, (size_t)most * sizeof *taken);
    if (taken == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        for (int l = 0; l < layers; l++) {
            int64_t node = rg_whole_at(travel, x[i] * layers + l);
            d.from = at->ints[l];
            d.nodes = at->ints[l + 1] - at->ints[l];
            if (node != 0)
                RG_TRY(draw_others(&d, node, samples->ints[l], taken));
            for (int k = positives ? -1 : 0; k < samples->ints[l]; k++, to++) {
                put(out, to, node == 0 || k < 0 ? node : rg_whole_at(d.layer, d.from + taken[k]));
                put(labels, to, node != 0 && k < 0);
                put(mask, to, node != 0);
            }
        }
    }
    return RG_OK;
}

const rg_op rg_op_tdm_sampler = {
    .type = "tdm_sampler",
    .doc = "The nodes above items of a tree, with others of their layers.",
    .in = RG_SLOTS([S_X] = {"X", "items, as rows of Travel: [n, 1]", RG_NO_GRAD},
                   [TRAVEL] = {"Travel", "the nodes above each leaf, [leaves, layers]", RG_NO_GRAD},
                   [LAYER] = {"Layer", "all nodes, layer by layer", RG_NO_GRAD}),
    .out = RG_SLOTS([S_OUT] = {"Out", "nodes, [n, sum over layers of 1 + samples]"},
                    [LABELS] = {"Labels", "1: a node above the item; 0: a sample", RG_OPTIONAL},
                    [MASK] = {"Mask", "0: padding, where the branch has no node in the layer"}),
    .attr = RG_ATTRS([OUTPUT_POSITIVE] = RG_BOOLEAN("output_positive", true,
                                                    "the node itself comes before its samples"),
                     [NEG_SAMPLES] = RG_LIST("neg_samples_num_list", RG_ATTR_INTS,
                                             "samples, by layer"),
                     [LAYER_OFFSETS] = RG_LIST("layer_offset_lod", RG_ATTR_INTS,
                                               "where layers begin in Layer, and the end"),
                     [SEED] = RG_INT("seed", 0, "0: the program's or the process's"),
                     [S_DTYPE] = RG_INT("dtype", RG_I32, "of the outputs: int32 or int64")),
    .infer = sampler_infer,
    .kernel = sampler_kernel,
};
