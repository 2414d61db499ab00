/* fuse_gather.c - look-ups that a concat puts side by side as one op, and the SGD steps of their
 * tables straight from the gradient of the whole.
 *
 *   lookup_table(w, ids) -> e_k [-> reshape2, or sequence_pool SUM] -> x_k ...; concat(x_k ..., y)
 * -> out fused_embedding_concat(w ..., ids ..., y) concat_grad(dout) -> dx_k ... [-> their
 * gradients] -> de_k ...; fused_embedding_sgd(w, ids, de_k ...) fused_embedding_concat_sgd(w, ids
 * ..., dout)
 *
 * after pass/fuse_embedding.c. All of it or nothing: where a gradient of the concat is wanted by
 * anyone else, or a look-up is read elsewhere, the ops stay. */
#include "pass/uses.h"

#include <string.h>

enum { MAX_PARTS = 1024, MIN_LOOKUPS = 2 };

typedef struct part {
    const char *x; /* as the concat reads it */
    rg_opdesc *lookup,
        *shape;            /* shape: the op between them, or NULL; lookup NULL: another tensor */
    rg_opdesc *shape_grad; /* NULL: none */
    const char *dx, *de;   /* its gradient, of the concat's part and of the rows; NULL: none */
    bool pooled;
    int column, width;
    rg_opdesc *step; /* the fused_embedding_sgd that reads de; NULL: none */
} part;

typedef struct gather {
    rg_opdesc *concat, *grad; /* grad: concat_grad, or NULL */
    part parts[MAX_PARTS];
    int n, n_lookups;
} gather;

/* Whether nobody but these reads it, in any way; either may be NULL. */
static bool read_by(const rg_uses *uses, const char *name, const rg_opdesc *a, const rg_opdesc *b)
{
    const rg_var_uses *var = name ? rg_map_get(&uses->vars, name) : NULL;
    if (var == NULL)
        return true;
    for (const rg_use *use = var->readers; use != NULL; use = use->next)
        if (use->op != a && use->op != b)
            return false;
    return !var->fixed;
}

static const rg_vardesc *var_of(const rg_uses *uses, const char *name)
{
    return name ? rg_block_find(uses->block, name) : NULL;
}

static bool is_plain_lookup(const rg_uses *uses, const rg_opdesc *op, bool pooled)
{
    if (!rg_is_type(op, "lookup_table") && !rg_is_type(op, "lookup_table_v2"))
        return false;
    const rg_vardesc *w = var_of(uses, rg_one_in(op, "W")),
                     *ids = var_of(uses, rg_one_in(op, "Ids"));
    return w != NULL && ids != NULL && w->meta.kind == RG_TENSOR && w->meta.dtype == RG_F32 &&
           w->meta.shape.rank == 2 && ids->meta.dtype == RG_I64 &&
           (pooled ? ids->meta.lod_level == 1 : ids->meta.lod_level == 0) &&
           !rg_opdesc_attr(op, "is_distributed")->b && rg_opdesc_attr(op, "epmap")->n == 0;
}

static bool is_sum_pool(const rg_opdesc *op)
{
    return rg_is_type(op, "sequence_pool") &&
           strcmp(rg_opdesc_attr(op, "pooltype")->s, "SUM") == 0 &&
           rg_opdesc_attr(op, "pad_value")->f == 0;
}

/* What stands behind a part of the concat, if that is a look-up that is used for nothing else. */
static void find_lookup(const rg_uses *uses, const gather *g, part *p)
{
    const rg_vardesc *x = var_of(uses, p->x);
    rg_opdesc *op = rg_only_writer(uses, p->x);
    if (x == NULL || x->meta.shape.rank != 2 || op == NULL ||
        rg_only_reader(uses, p->x) != g->concat)
        return;
    p->pooled = is_sum_pool(op);
    if (p->pooled || rg_is_type(op, "reshape2")) {
        p->shape = op;
        const char *e = rg_one_in(op, "X");
        const rg_args *sizes = rg_opdesc_in(op, "Shape"), *list = rg_opdesc_in(op, "ShapeTensor");
        if (e == NULL || rg_only_reader(uses, e) != op || (sizes != NULL && sizes->n > 0) ||
            (list != NULL && list->n > 0))
            return;
        op = rg_only_writer(uses, e);
    }
    if (op == NULL || !is_plain_lookup(uses, op, p->pooled))
        return;
    const char *w = rg_one_in(op, "W"), *ids = rg_one_in(op, "Ids");
    size_t from = rg_uses_index(uses, op), to = rg_uses_index(uses, g->concat);
    if (x->meta.shape.dim[1] != var_of(uses, w)->meta.shape.dim[1] ||
        rg_written_between(uses, w, from, to) || rg_written_between(uses, ids, from, to))
        return;
    p->lookup = op;
}

/* The gradient of a part goes to one step, directly or through the gradient of what is between. */
static bool follow_gradient(const rg_uses *uses, part *p)
{
    p->de = p->dx;
    rg_opdesc *reader = rg_sole_reader(uses, p->dx);
    if (p->shape != NULL) {
        if (!rg_is_type(reader, p->pooled ? "sequence_pool_grad" : "reshape2_grad"))
            return false;
        p->shape_grad = reader;
        p->de = rg_one_out(reader, "X@GRAD");
        reader = p->de ? rg_sole_reader(uses, p->de) : NULL;
    }
    p->step = rg_is_type(reader, "fused_embedding_sgd") ? reader : NULL;
    return p->step != NULL && strcmp(rg_one_in(p->step, "W"), rg_one_in(p->lookup, "W")) == 0 &&
           !rg_written_between(uses, rg_one_in(p->lookup, "Ids"), rg_uses_index(uses, p->lookup),
                               rg_uses_index(uses, p->step));
}

/* What is between may be looked at by its gradient alone, which goes, too. */
static bool may_go(const rg_uses *uses, const gather *g, const part *p)
{
    if (!read_by(uses, p->x, g->concat, g->grad))
        return false;
    if (p->shape == NULL)
        return true;
    return read_by(uses, rg_one_in(p->shape, "X"), p->shape, p->shape_grad) &&
           read_by(uses,
                   p->pooled ? rg_one_out(p->shape, "MaxIndex") : rg_one_out(p->shape, "XShape"),
                   p->shape_grad, NULL);
}

static rg_opdesc *grad_of(const rg_uses *uses, const gather *g)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, g->parts[0].x);
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (rg_is_type(use->op, "concat_grad"))
            return use->op;
    return NULL;
}

static bool match_gradients(const rg_uses *uses, gather *g)
{
    const rg_args *dx = rg_opdesc_out(g->grad, "X@GRAD");
    const char *dout = rg_one_in(g->grad, "Out@GRAD");
    if (dx == NULL || dx->n != g->n || dout == NULL || rg_only_writer(uses, dout) == NULL)
        return false;
    for (int i = 0; i < g->n; i++) {
        part *p = &g->parts[i];
        bool wanted = strcmp(dx->names[i], RG_EMPTY_NAME) != 0;
        p->dx = wanted ? dx->names[i] : NULL;
        if (p->lookup == NULL ? wanted && !read_by(uses, p->dx, NULL, NULL)
                              : !wanted || !follow_gradient(uses, p))
            return false;
    }
    return true;
}

/* Each step takes all its gradients from here. */
static bool steps_are_whole(const gather *g)
{
    for (int i = 0; i < g->n; i++) {
        const rg_opdesc *step = g->parts[i].step;
        int own = 0;
        for (int k = 0; step != NULL && k < g->n; k++)
            own += g->parts[k].step == step;
        if (step != NULL && own != rg_opdesc_in(step, "Ids")->n)
            return false;
    }
    return true;
}

static bool match(const rg_uses *uses, rg_opdesc *concat, gather *g)
{
    const rg_args *x = rg_opdesc_in(concat, "X"), *axis = rg_opdesc_in(concat, "AxisTensor");
    int along = rg_opdesc_attr(concat, "axis")->i, column = 0;
    if (x == NULL || x->n > MAX_PARTS || (axis != NULL && axis->n > 0) ||
        (along != 1 && along != -1))
        return false;
    g->concat = concat;
    g->n = x->n;
    g->n_lookups = 0;
    for (int i = 0; i < g->n; i++) {
        part *p = &g->parts[i];
        const rg_vardesc *var = var_of(uses, x->names[i]);
        if (var == NULL || var->meta.shape.rank != 2 || var->meta.shape.dim[1] < 1 ||
            var->meta.dtype != RG_F32)
            return false;
        *p = (part){.x = x->names[i], .column = column, .width = (int)var->meta.shape.dim[1]};
        column += p->width;
        find_lookup(uses, g, p);
        if (p->lookup == NULL)
            *p = (part){.x = p->x, .column = p->column, .width = p->width};
        g->n_lookups += p->lookup != NULL;
    }
    if (g->n_lookups < MIN_LOOKUPS)
        return false;
    g->grad = grad_of(uses, g);
    if (g->grad != NULL && (!match_gradients(uses, g) || !steps_are_whole(g)))
        return false;
    for (int i = 0; i < g->n; i++)
        if (g->parts[i].lookup != NULL && !may_go(uses, g, &g->parts[i]))
            return false;
    return true;
}

/* ---- rewriting ---- */

static rg_status set_ints(rg_opdesc *op, const char *name, int n, const int32_t *ints)
{
    return rg_opdesc_set_attr(op,
                              &(rg_attr){.name = name, .type = RG_ATTR_INTS, .n = n, .ints = ints});
}

static rg_status set_longs(rg_opdesc *op, const char *name, int n, const int64_t *longs)
{
    return rg_opdesc_set_attr(
        op, &(rg_attr){.name = name, .type = RG_ATTR_LONGS, .n = n, .longs = longs});
}

/* Room for what an op is given, by part. */
typedef struct lists {
    const char **w, **ids, **x;
    int32_t *order, *pooled, *columns;
    int64_t *padding;
    int n, n_x, n_order;
} lists;

static rg_status new_lists(rg_uses *uses, int n, lists *l)
{
    rg_arena *a = &uses->arena;
    size_t all = (size_t)n;
    *l = (lists){.w = rg_arena_alloc(a, all * sizeof *l->w),
                 .ids = rg_arena_alloc(a, all * sizeof *l->ids),
                 .x = rg_arena_alloc(a, all * sizeof *l->x),
                 .order = rg_arena_alloc(a, all * sizeof *l->order),
                 .pooled = rg_arena_alloc(a, all * sizeof *l->pooled),
                 .columns = rg_arena_alloc(a, all * sizeof *l->columns),
                 .padding = rg_arena_alloc(a, all * sizeof *l->padding)};
    return l->w && l->ids && l->x && l->order && l->pooled && l->columns && l->padding
               ? RG_OK
               : rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
}

static void add_part(lists *l, const part *p)
{
    l->order[l->n_order++] = p->lookup ? l->n : -1 - l->n_x;
    if (p->lookup == NULL) {
        l->x[l->n_x++] = p->x;
        return;
    }
    l->w[l->n] = rg_one_in(p->lookup, "W");
    l->ids[l->n] = rg_one_in(p->lookup, "Ids");
    l->pooled[l->n] = p->pooled;
    l->columns[l->n] = p->column;
    l->padding[l->n++] = rg_opdesc_attr(p->lookup, "padding_idx")->l;
}

static rg_status rewrite_step(rg_uses *uses, const gather *g, rg_opdesc *step, const char *dout)
{
    lists l;
    const char *w = rg_one_in(step, "W"), *rate = rg_one_in(step, "LearningRate");
    RG_TRY(new_lists(uses, g->n, &l));
    for (int i = 0; i < g->n; i++)
        if (g->parts[i].step == step)
            add_part(&l, &g->parts[i]);
    RG_TRY(rg_opdesc_become(step, "fused_embedding_concat_sgd"));
    RG_TRY(rg_opdesc_set_in(step, "W", 1, &w));
    RG_TRY(rg_opdesc_set_in(step, "Ids", l.n, l.ids));
    RG_TRY(rg_opdesc_set_in(step, "Out@GRAD", 1, &dout));
    RG_TRY(rg_opdesc_set_in(step, "LearningRate", 1, &rate));
    RG_TRY(set_ints(step, "columns", l.n, l.columns));
    RG_TRY(set_ints(step, "pooled", l.n, l.pooled));
    RG_TRY(set_longs(step, "padding_idx", l.n, l.padding));
    return rg_opdesc_set_out(step, "WOut", 1, &w);
}

static rg_status rewrite(rg_uses *uses, gather *g)
{
    lists l;
    const char *out = rg_one_out(g->concat, "Out");
    const char *dout = g->grad ? rg_one_in(g->grad, "Out@GRAD") : NULL;
    RG_TRY(new_lists(uses, g->n, &l));
    for (int i = 0; i < g->n; i++)
        add_part(&l, &g->parts[i]);
    for (int i = 0; i < g->n; i++) {
        rg_opdesc *step = g->parts[i].step;
        if (rg_is_type(step, "fused_embedding_sgd"))
            RG_TRY(rewrite_step(uses, g, step, dout));
    }
    for (int i = 0; i < g->n; i++) {
        rg_uses_remove(uses, g->parts[i].shape);
        rg_uses_remove(uses, g->parts[i].shape_grad);
        rg_uses_remove(uses, g->parts[i].lookup);
    }
    rg_uses_remove(uses, g->grad);
    RG_TRY(rg_opdesc_become(g->concat, "fused_embedding_concat"));
    RG_TRY(rg_opdesc_set_in(g->concat, "W", l.n, l.w));
    RG_TRY(rg_opdesc_set_in(g->concat, "Ids", l.n, l.ids));
    if (l.n_x > 0)
        RG_TRY(rg_opdesc_set_in(g->concat, "X", l.n_x, l.x));
    RG_TRY(set_ints(g->concat, "order", l.n_order, l.order));
    RG_TRY(set_ints(g->concat, "pooled", l.n, l.pooled));
    RG_TRY(set_longs(g->concat, "padding_idx", l.n, l.padding));
    return rg_opdesc_set_out(g->concat, "Out", 1, &out);
}

rg_status rg_pass_fuse_gather(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    gather *g = rg_arena_alloc(&uses.arena, sizeof *g);
    if (g == NULL)
        code = rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        if (!uses.removed[i] && rg_is_type(uses.block->ops[i], "concat") &&
            match(&uses, uses.block->ops[i], g))
            code = rewrite(&uses, g);
    rg_uses_fini(&uses);
    return code;
}
