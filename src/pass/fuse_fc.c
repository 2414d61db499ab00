/* fuse_fc.c - mul + elementwise_add + activation, and their gradients, as one op each.
 *
 *   mul(X, W) -> a; elementwise_add(a, b) -> z; relu(z) -> y         fused_fc
 *   relu_grad(y, dy) -> dz; elementwise_add_grad(dz) -> da, db;
 *   mul_grad(X, W, da) -> dX, dW                                     fused_fc_grad
 *   sgd(W, dW), sgd(b, db)                                           folded into it
 *
 * a, z and the gradients between must be read by nobody else. Who looks at the shape of a or z
 * alone, as gradient ops do, is given y, which has the same; where someone does before y is made,
 * the activation stays by itself, or all of it. The SGD steps are folded in
 * where nothing between the gradient and the step reads or writes the parameter. */
#include "ir/update.h"
#include "pass/uses.h"

#include <string.h>

typedef struct layer {
    rg_opdesc *mul, *add, *act; /* act may be NULL */
    const char *x, *w, *b, *out, *act_type;
    int cols;
} layer;

static bool is_activation(const rg_opdesc *op)
{
    return rg_is_type(op, "relu") || rg_is_type(op, "sigmoid") || rg_is_type(op, "tanh");
}

static bool is_f32(const rg_uses *uses, const char *name, int rank)
{
    const rg_vardesc *var = rg_block_find(uses->block, name);
    return var != NULL && var->meta.kind == RG_TENSOR && var->meta.dtype == RG_F32 &&
           (rank == 0 || var->meta.shape.rank == rank);
}

/* The bias stands against the last dimension of the product, and has a number for each of its
 * columns: a single one for all of them is no bias of a layer. */
static bool adds_bias(const rg_uses *uses, const rg_opdesc *add, const layer *l)
{
    const char *product = rg_one_out(l->mul, "Out"), *b = rg_one_in(add, "Y");
    if (!rg_is_type(add, "elementwise_add") || b == NULL || !is_f32(uses, b, 1) ||
        rg_one_in(add, "X") == NULL || strcmp(rg_one_in(add, "X"), product) != 0)
        return false;
    int64_t n = rg_block_find(uses->block, b)->meta.shape.dim[0];
    int axis = rg_opdesc_attr(add, "axis")->i;
    return n > 0 && n == rg_block_find(uses->block, l->w)->meta.shape.dim[1] &&
           (axis == -1 || axis == l->cols);
}

/* The last op: all that the layer needs is there by then. */
static rg_opdesc *last_of(const layer *l)
{
    return l->act ? l->act : l->add;
}

/* Whether all who look at the shape of a variable that is no longer made find it in `out`. */
static bool shape_can_wait(const rg_uses *uses, const char *name, const layer *l)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    size_t made = rg_uses_index(uses, last_of(l));
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (use->shape_only && ((size_t)use->index < made ||
                                rg_written_between(uses, l->out, made, (size_t)use->index)))
            return false;
    return true;
}

/* Whether the product may be made in the place of the last op: nobody changes what it reads until
 * then, that op included, whose output may be what the product read. */
static bool can_wait(const rg_uses *uses, const layer *l)
{
    const char *const given[] = {l->x, l->w, l->b};
    size_t from = rg_uses_index(uses, l->mul), last = rg_uses_index(uses, last_of(l));
    for (int i = 0; i < 3; i++)
        if (rg_written_between(uses, given[i], from, last + 1))
            return false;
    return shape_can_wait(uses, rg_one_out(l->mul, "Out"), l) &&
           (l->act == NULL || shape_can_wait(uses, rg_one_out(l->add, "Out"), l));
}

static bool match_layer(const rg_uses *uses, rg_opdesc *mul, layer *l)
{
    if (!rg_is_type(mul, "mul") || rg_opdesc_attr(mul, "y_num_col_dims")->i != 1)
        return false;
    const char *a = rg_one_out(mul, "Out");
    *l = (layer){.mul = mul,
                 .x = rg_one_in(mul, "X"),
                 .w = rg_one_in(mul, "Y"),
                 .cols = rg_opdesc_attr(mul, "x_num_col_dims")->i};
    if (a == NULL || l->x == NULL || l->w == NULL || !is_f32(uses, l->x, 0) ||
        !is_f32(uses, l->w, 2))
        return false;
    l->add = rg_only_reader(uses, a);
    if (l->add == NULL || !adds_bias(uses, l->add, l))
        return false;
    l->b = rg_one_in(l->add, "Y");
    l->out = rg_one_out(l->add, "Out");
    if (l->out == NULL)
        return false;
    layer whole = *l;
    whole.act = rg_only_reader(uses, l->out);
    if (is_activation(whole.act) && rg_one_out(whole.act, "Out") != NULL) {
        whole.act_type = whole.act->type;
        whole.out = rg_one_out(whole.act, "Out");
        if (can_wait(uses, &whole)) {
            *l = whole;
            return true;
        }
    }
    return can_wait(uses, l);
}

/* ---- the gradients ---- */

typedef struct layer_grads {
    rg_opdesc *act, *add, *mul;
    rg_opdesc *place; /* add or mul: where all of it is made */
    const char *dout, *dx, *dw, *db;
} layer_grads;

static bool is_used_between(const rg_uses *uses, const char *name, size_t from, size_t to)
{
    return name != NULL && rg_used_between(uses, name, from, to);
}

/* In the place of the last op, unless someone between, such as a send, reads the bias's. NULL: what
 * they read or write does not stay as it is between them, so that none will do. */
static rg_opdesc *place_of_grads(const rg_uses *uses, const layer *l, const layer_grads *g)
{
    const char *const given[] = {l->x, l->w, l->out, g->dout};
    size_t first = rg_uses_index(uses, g->act ? g->act : g->add);
    size_t add = rg_uses_index(uses, g->add), mul = rg_uses_index(uses, g->mul);
    for (int i = 0; i < 4; i++)
        if (rg_written_between(uses, given[i], first, mul + 1))
            return NULL;
    if (!is_used_between(uses, g->db, add, mul))
        return g->mul;
    return is_used_between(uses, g->dx, add, mul) || is_used_between(uses, g->dw, add, mul)
               ? NULL
               : g->add;
}

/* The op of type T_grad that differentiates `forward`: it reads `through` as the gradient
 * of its output. */
static bool match_grads(const rg_uses *uses, const layer *l, layer_grads *g)
{
    *g = (layer_grads){0};
    const rg_var_uses *w = rg_map_get(&uses->vars, l->w);
    for (const rg_use *use = w ? w->readers : NULL; use != NULL; use = use->next)
        if (rg_is_type(use->op, "mul_grad") && rg_one_in(use->op, "X") != NULL &&
            strcmp(rg_one_in(use->op, "X"), l->x) == 0)
            g->mul = use->op;
    if (g->mul == NULL)
        return false;
    const char *da = rg_one_in(g->mul, "Out@GRAD");
    g->add = da ? rg_only_writer(uses, da) : NULL;
    if (!rg_is_type(g->add, "elementwise_add_grad") || rg_sole_reader(uses, da) != g->mul ||
        rg_one_in(g->add, "Y") == NULL || strcmp(rg_one_in(g->add, "Y"), l->b) != 0 ||
        rg_one_out(g->add, "X@GRAD") == NULL || strcmp(rg_one_out(g->add, "X@GRAD"), da) != 0)
        return false;
    g->dout = rg_one_in(g->add, "Out@GRAD");
    if (g->dout == NULL)
        return false;
    if (l->act != NULL) {
        g->act = rg_only_writer(uses, g->dout);
        size_t n = strlen(l->act->type);
        if (g->act == NULL || rg_sole_reader(uses, g->dout) != g->add ||
            strncmp(g->act->type, l->act->type, n) != 0 || strcmp(g->act->type + n, "_grad") != 0 ||
            rg_one_in(g->act, "Out") == NULL || strcmp(rg_one_in(g->act, "Out"), l->out) != 0)
            return false;
        g->dout = rg_one_in(g->act, "Out@GRAD");
    }
    g->dx = rg_one_out(g->mul, "X@GRAD");
    g->dw = rg_one_out(g->mul, "Y@GRAD");
    g->db = rg_one_out(g->add, "Y@GRAD");
    g->place = g->dout ? place_of_grads(uses, l, g) : NULL;
    return g->place != NULL;
}

/* The plain step that applies `grad` to `param`, if its step may be taken at `index` already. */
static rg_opdesc *foldable_step(const rg_uses *uses, const char *param, const char *grad,
                                size_t index, const char **rate)
{
    rg_opdesc *sgd = grad ? rg_sole_reader(uses, grad) : NULL;
    const rg_update *update = rg_update_of(sgd);
    if (update == NULL || !update->plain || !rg_update_keeps_param(sgd) ||
        strcmp(rg_update_param(sgd), param) != 0)
        return NULL;
    const char *r = rg_update_rate(sgd);
    size_t step = rg_uses_index(uses, sgd);
    if (r == NULL || !is_f32(uses, r, 0) || (*rate != NULL && strcmp(*rate, r) != 0) ||
        rg_written_between(uses, r, index, step) || rg_used_between(uses, param, index, step))
        return NULL;
    *rate = r;
    return sgd;
}

/* ---- rewriting ---- */

static rg_status set_in(rg_opdesc *op, const char *slot, const char *name)
{
    return name ? rg_opdesc_set_in(op, slot, 1, &name) : RG_OK;
}

static rg_status set_out(rg_opdesc *op, const char *slot, const char *name)
{
    return name ? rg_opdesc_set_out(op, slot, 1, &name) : RG_OK;
}

static rg_status copy_attrs(rg_opdesc *to, const layer *l)
{
    to->precision = l->mul->precision;
    RG_TRY(rg_opdesc_set_attr(
        to, &(rg_attr){.name = "x_num_col_dims", .type = RG_ATTR_INT, .i = l->cols}));
    return rg_opdesc_set_attr(
        to, &(rg_attr){.name = "act", .type = RG_ATTR_STRING, .s = l->act ? l->act_type : ""});
}

static rg_status rewrite_backward(rg_uses *uses, const layer *l, const layer_grads *g)
{
    const char *rate = NULL;
    rg_opdesc *op = g->place;
    size_t index = rg_uses_index(uses, op);
    rg_opdesc *step_w = g->dw ? foldable_step(uses, l->w, g->dw, index, &rate) : NULL;
    rg_opdesc *step_b = g->db ? foldable_step(uses, l->b, g->db, index, &rate) : NULL;
    rg_uses_remove(uses, op == g->add ? g->mul : g->add);
    rg_uses_remove(uses, g->act);
    rg_uses_remove(uses, step_w);
    rg_uses_remove(uses, step_b);
    RG_TRY(rg_opdesc_become(op, "fused_fc_grad"));
    RG_TRY(copy_attrs(op, l));
    RG_TRY(set_in(op, "X", l->x));
    RG_TRY(set_in(op, "W", l->w));
    RG_TRY(set_in(op, "Bias", l->b));
    RG_TRY(set_in(op, "Out", l->out));
    RG_TRY(set_in(op, "Out@GRAD", g->dout));
    RG_TRY(set_in(op, "LearningRate", rate));
    RG_TRY(set_out(op, "X@GRAD", g->dx));
    RG_TRY(set_out(op, step_w ? "WOut" : "W@GRAD", step_w ? l->w : g->dw));
    RG_TRY(set_out(op, step_b ? "BiasOut" : "Bias@GRAD", step_b ? l->b : g->db));
    return rg_uses_changed(uses, op);
}

/* Whoever looks at the shape of a variable that is no longer made looks at `out`. */
static rg_status redirect_shapes(const rg_uses *uses, const char *name, const char *out)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (use->shape_only)
            RG_TRY(rg_opdesc_rename(use->op, name, out, true, false));
    return RG_OK;
}

static rg_status rewrite_forward(rg_uses *uses, const layer *l)
{
    rg_opdesc *op = last_of(l);
    RG_TRY(redirect_shapes(uses, rg_one_out(l->mul, "Out"), l->out));
    if (l->act != NULL)
        RG_TRY(redirect_shapes(uses, rg_one_out(l->add, "Out"), l->out));
    rg_uses_remove(uses, l->mul);
    rg_uses_remove(uses, l->act ? l->add : NULL);
    RG_TRY(rg_opdesc_become(op, "fused_fc"));
    RG_TRY(copy_attrs(op, l));
    RG_TRY(set_in(op, "X", l->x));
    RG_TRY(set_in(op, "W", l->w));
    RG_TRY(set_in(op, "Bias", l->b));
    RG_TRY(set_out(op, "Out", l->out));
    return rg_uses_changed(uses, op);
}

rg_status rg_pass_fuse_fc(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    RG_TRY(rg_uses_make(&uses, program, keep));
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        layer l;
        layer_grads g;
        if (uses.removed[i] || !match_layer(&uses, uses.block->ops[i], &l))
            continue;
        if (match_grads(&uses, &l, &g))
            code = rewrite_backward(&uses, &l, &g);
        if (code == RG_OK)
            code = rewrite_forward(&uses, &l);
    }
    rg_uses_fini(&uses);
    return code;
}
