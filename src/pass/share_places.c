/* share_places.c - the gradient of a table on servers uses the order of its look-up.
 *
 *   distributed_lookup_table(ids ...) -> e_k ...; fused_embedding_grad(ids ..., de_k ...) -> g
 *       distributed_lookup_table(ids ...) -> e_k ..., Unique, Places
 *       fused_embedding_grad(ids ..., de_k ..., Unique, Places) -> g
 *
 * The look-up asks for each id once, and so knows them in ascending order, and which of them stands
 * where: the gradient need not sort them again. After pass/fuse_embedding_grad.c. */
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
        if (look_up != NULL)
            code = share(&uses, look_up, grad, lists);
    }
    rg_uses_fini(&uses);
    return code;
}
