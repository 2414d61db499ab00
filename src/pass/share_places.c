/* share_places.c - the gradient of a table on servers uses the order of its look-up.
 *
 *   distributed_lookup_table(ids ...) -> e_k ...; fused_embedding_grad(ids ..., de_k ...) -> g
 *       distributed_lookup_table(ids ...) -> e_k ..., Unique, Places
 *       fused_embedding_grad(ids ..., de_k ..., Unique, Places) -> g
 *
 * The look-up asks for each id once, and so knows them in ascending order, and which of them stands
 * where: the gradient need not sort them again. After pass/fuse_embedding_grad.c.
 *
 * Where all the rows are only put side by side, that is done straight from the answers, and the
 * gradient taken from that of the whole:
 *
 *   concat(e_k ..., x) -> y; concat_grad(dy) -> de_k ...
 *       distributed_lookup_table(ids ...) -> Rows, Unique, Places
 *       fused_places_concat(Rows, Places, ids ..., x) -> y
 *       fused_embedding_grad(ids ..., dy, Unique, Places) -> g
 */
#include "pass/edit.h"
#include "pass/uses.h"

#include <stdio.h>
#include <string.h>

/* Which of the names it is, where it is one of them once; -1 otherwise. */
static int only_place_of(const rg_args *names, const char *name)
{
    int found = -1;
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->names[i], name) == 0) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

/* Whether the gradient is of all the ids of the look-up, each list once; lists[k] is which of them
 * the gradient's k-th is. A padding's gradient is of a row that is not asked for. */
static bool match(const rg_uses *uses, const rg_opdesc *look_up, const rg_opdesc *grad,
                  int32_t *lists)
{
    const rg_args *asked = rg_opdesc_in(look_up, "Ids"), *ids = rg_opdesc_in(grad, "Ids");
    const rg_attr *padding = rg_opdesc_attr(look_up, "padding_idx");
    const rg_attr *paddings = rg_opdesc_attr(grad, "padding_idx");
    if (asked == NULL || asked->n != ids->n || rg_one_out(look_up, "Places") != NULL ||
        (padding != NULL && padding->l != -1) || paddings->n != ids->n)
        return false;
    for (int k = 0; k < ids->n; k++) {
        lists[k] = only_place_of(asked, ids->names[k]);
        if (lists[k] < 0 || only_place_of(ids, ids->names[k]) != k || paddings->longs[k] != -1 ||
            rg_written_between(uses, ids->names[k], rg_uses_index(uses, look_up),
                               rg_uses_index(uses, grad)))
            return false;
    }
    return true;
}

/* A temporary of whole numbers, named after the gradient. */
static rg_status add_var(rg_uses *uses, const char *grad, const char *what, rg_dtype dtype,
                         const char **name)
{
    size_t room = strlen(grad) + strlen(what) + 2;
    char *text = rg_arena_alloc(&uses->arena, room);
    rg_vardesc *var;
    if (text == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    (void)snprintf(text, room, "%s@%s", grad, what);
    RG_TRY(rg_block_add_var(uses->block, text, &var));
    var->meta.dtype = dtype;
    *name = var->name;
    return RG_OK;
}

static rg_status share(rg_uses *uses, rg_opdesc *look_up, rg_opdesc *grad, const int32_t *lists)
{
    const char *unique, *places, *of = rg_one_out(grad, "W@GRAD");
    int n = rg_opdesc_in(grad, "Ids")->n;
    RG_TRY(add_var(uses, of, "UNIQUE", RG_I64, &unique));
    RG_TRY(add_var(uses, of, "PLACES", RG_I32, &places));
    RG_TRY(rg_opdesc_set_out(look_up, "Unique", 1, &unique));
    RG_TRY(rg_opdesc_set_out(look_up, "Places", 1, &places));
    RG_TRY(rg_opdesc_set_in(grad, "Unique", 1, &unique));
    RG_TRY(rg_opdesc_set_in(grad, "Places", 1, &places));
    return rg_opdesc_set_attr(
        grad, &(rg_attr){.name = "lists", .type = RG_ATTR_INTS, .n = n, .ints = lists});
}

/* ---- rows side by side ---- */

/* A look-up whose rows a concat alone reads, and a concat_grad whose parts the gradient alone
 * does. */
typedef struct joined {
    rg_opdesc *look_up, *concat, *concat_grad, *grad;
    int32_t *order, *columns; /* of the ops that take their place */
    const char **x;           /* what else the concat reads */
    int n_order, n_x;
} joined;

/* Whether nobody but the two reads it, in any way. */
static bool read_by(const rg_uses *uses, const char *name, const rg_opdesc *a, const rg_opdesc *b)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (use->op != a && use->op != b)
            return false;
    return var == NULL || !var->fixed;
}

static rg_opdesc *reader_of_type(const rg_uses *uses, const char *name, const char *type)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (rg_is_type(use->op, type) && !uses->removed[use->index])
            return use->op;
    return NULL;
}

static bool joins_columns(const rg_opdesc *concat)
{
    const rg_args *tensor = rg_opdesc_in(concat, "AxisTensor");
    int axis = rg_opdesc_attr(concat, "axis")->i;
    return (axis == 1 || axis == -1) && (tensor == NULL || tensor->n == 0);
}

/* The gradient of part p, `dx`, which must be wanted by the gradient of the table alone where it is
 * list k's, and by nobody otherwise. */
static bool match_part(const rg_uses *uses, const joined *j, const char *dx, int k)
{
    bool wanted = strcmp(dx, RG_EMPTY_NAME) != 0;
    if (k < 0)
        return !wanted || read_by(uses, dx, NULL, NULL);
    const char *ids = rg_opdesc_in(j->look_up, "Ids")->names[k];
    int at = only_place_of(rg_opdesc_in(j->grad, "Ids"), ids);
    return wanted && at >= 0 && strcmp(rg_opdesc_in(j->grad, "Out@GRAD")->names[at], dx) == 0 &&
           rg_sole_reader(uses, dx) == j->grad;
}

static bool match_parts(const rg_uses *uses, joined *j)
{
    const rg_args *x = rg_opdesc_in(j->concat, "X"), *e = rg_opdesc_out(j->look_up, "Outputs");
    const rg_args *dx = rg_opdesc_out(j->concat_grad, "X@GRAD");
    const rg_args *ids = rg_opdesc_in(j->look_up, "Ids"), *of_grad = rg_opdesc_in(j->grad, "Ids");
    int column = 0, found = 0;
    if (dx == NULL || dx->n != x->n || e->n != ids->n)
        return false;
    for (int p = 0; p < x->n; p++) {
        const rg_vardesc *var = rg_block_find(uses->block, x->names[p]);
        int k = only_place_of(e, x->names[p]);
        if (var == NULL || var->meta.shape.rank != 2 || var->meta.shape.dim[1] < 1 ||
            var->meta.dtype != RG_F32 || only_place_of(x, x->names[p]) != p ||
            (k >= 0 && !read_by(uses, x->names[p], j->concat, j->concat_grad)) ||
            !match_part(uses, j, dx->names[p], k))
            return false;
        if (k >= 0) {
            j->columns[only_place_of(of_grad, ids->names[k])] = column;
            j->order[j->n_order++] = k;
            found++;
        } else {
            j->order[j->n_order++] = -1 - j->n_x;
            j->x[j->n_x++] = x->names[p];
        }
        column += (int)var->meta.shape.dim[1];
    }
    return found == e->n;
}

static bool match_joined(const rg_uses *uses, joined *j)
{
    const rg_args *e = rg_opdesc_out(j->look_up, "Outputs");
    const char *first = e != NULL && e->n > 0 ? e->names[0] : NULL;
    j->concat = first ? reader_of_type(uses, first, "concat") : NULL;
    j->concat_grad = first ? reader_of_type(uses, first, "concat_grad") : NULL;
    if (j->concat == NULL || j->concat_grad == NULL || !joins_columns(j->concat) ||
        !joins_columns(j->concat_grad) ||
        rg_opdesc_in(j->concat, "X")->n != rg_opdesc_in(j->concat_grad, "X")->n)
        return false;
    const char *dout = rg_one_in(j->concat_grad, "Out@GRAD");
    return dout != NULL && !rg_written_between(uses, dout, rg_uses_index(uses, j->concat_grad),
                                               rg_uses_index(uses, j->grad));
}

static rg_status join(rg_uses *uses, rg_opdesc *look_up, rg_opdesc *grad)
{
    joined j = {.look_up = look_up, .grad = grad};
    if (!match_joined(uses, &j))
        return RG_OK;
    size_t parts = (size_t)rg_opdesc_in(j.concat, "X")->n;
    size_t lists = (size_t)rg_opdesc_in(grad, "Ids")->n;
    j.order = rg_arena_alloc(&uses->arena, parts * sizeof *j.order);
    j.x = rg_arena_alloc(&uses->arena, parts * sizeof *j.x);
    j.columns = rg_arena_alloc(&uses->arena, lists * sizeof *j.columns);
    if (j.order == NULL || j.x == NULL || j.columns == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    if (!match_parts(uses, &j))
        return RG_OK;
    const char *rows, *out = rg_one_out(j.concat, "Out");
    const char *dout = rg_one_in(j.concat_grad, "Out@GRAD"),
               *places = rg_one_out(look_up, "Places");
    const rg_args *ids = rg_opdesc_in(look_up, "Ids");
    RG_TRY(add_var(uses, rg_one_out(grad, "W@GRAD"), "ROWS", RG_F32, &rows));
    RG_TRY(rg_opdesc_set_out(look_up, "Outputs", 0, NULL));
    RG_TRY(rg_edit_out(look_up, "Rows", rows));
    RG_TRY(rg_opdesc_become(j.concat, "fused_places_concat"));
    RG_TRY(rg_edit_in(j.concat, "Rows", rows));
    RG_TRY(rg_edit_in(j.concat, "Places", places));
    RG_TRY(rg_opdesc_set_in(j.concat, "Ids", ids->n, ids->names));
    if (j.n_x > 0)
        RG_TRY(rg_opdesc_set_in(j.concat, "X", j.n_x, j.x));
    RG_TRY(rg_edit_out(j.concat, "Out", out));
    RG_TRY(rg_opdesc_set_attr(
        j.concat,
        &(rg_attr){.name = "order", .type = RG_ATTR_INTS, .n = j.n_order, .ints = j.order}));
    RG_TRY(rg_edit_in(grad, "Out@GRAD", dout));
    RG_TRY(rg_opdesc_set_attr(
        grad,
        &(rg_attr){.name = "columns", .type = RG_ATTR_INTS, .n = (int)lists, .ints = j.columns}));
    rg_uses_remove(uses, j.concat_grad);
    return RG_OK;
}

/* ---- all of them ---- */

/* The look-up before the gradient that it is of; NULL: none. */
static rg_opdesc *look_up_of(const rg_uses *uses, const rg_opdesc *grad, int32_t *lists)
{
    const char *table = rg_one_in(grad, "W");
    for (size_t i = rg_uses_index(uses, grad); table != NULL && i-- > 0;) {
        rg_opdesc *op = uses->block->ops[i];
        const char *w = rg_is_type(op, "distributed_lookup_table") ? rg_one_in(op, "W") : NULL;
        if (w != NULL && strcmp(w, table) == 0 && match(uses, op, grad, lists))
            return op;
    }
    return NULL;
}

rg_status rg_pass_share_places(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *grad = uses.block->ops[i];
        const rg_args *ids = rg_is_type(grad, "fused_embedding_grad") ? rg_opdesc_in(grad, "Ids")
                                                                      : NULL;
        int32_t *lists = ids ? rg_arena_alloc(&uses.arena, (size_t)ids->n * sizeof *lists) : NULL;
        rg_opdesc *look_up = lists ? look_up_of(&uses, grad, lists) : NULL;
        if (look_up == NULL)
            continue;
        code = share(&uses, look_up, grad, lists);
        if (code == RG_OK)
            code = join(&uses, look_up, grad);
    }
    rg_uses_fini(&uses);
    return code;
}
