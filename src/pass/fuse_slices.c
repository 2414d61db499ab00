/* fuse_slices.c - slices of a variable that a trainer only makes to send them, or gets only to put
 * them together:
 *
 *   split_byref(x) -> x.block0, x.block1; send(x.block0, x.block1)      send(x), cut by the names
 *   recv() -> w.block0, w.block1; concat(w.block0, w.block1) -> w       recv() -> w
 *
 * where nobody else reads the slices. fetch_barrier names what was received, which is no writing.
 */
#include "pass/edit.h"
#include "pass/uses.h"

#include "base/mem.h"

#include <string.h>

static bool same_names(const rg_args *a, const rg_args *b)
{
    if (a == NULL || b == NULL || a->n != b->n || a->n == 0)
        return false;
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->names[i], b->names[i]) != 0)
            return false;
    return true;
}

static bool has_list(const rg_opdesc *op, const char *attr)
{
    const rg_attr *list = rg_opdesc_attr(op, attr);
    return list != NULL && list->n > 0;
}

/* Of a slice: made by `writer`, read by `reader`, and by nobody else. */
static bool is_between(const rg_uses *uses, const char *name, const rg_opdesc *writer,
                       const rg_opdesc *reader)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    if (var == NULL || var->fixed || var->readers == NULL || var->readers->next != NULL ||
        var->readers->op != reader)
        return false;
    for (const rg_use *use = var->writers; use != NULL; use = use->next)
        if (use->op != writer && !rg_is_type(use->op, "fetch_barrier"))
            return false;
    return true;
}

static bool are_between(const rg_uses *uses, const rg_args *names, const rg_opdesc *writer,
                        const rg_opdesc *reader)
{
    for (int i = 0; i < names->n; i++)
        if (!is_between(uses, names->names[i], writer, reader))
            return false;
    return true;
}

/* The first op that reads the first of the names; NULL: none. */
static rg_opdesc *reader_of(const rg_uses *uses, const rg_args *names)
{
    const rg_var_uses *var = names && names->n ? rg_map_get(&uses->vars, names->names[0]) : NULL;
    return var != NULL && var->readers != NULL ? var->readers->op : NULL;
}

/* ---- send ---- */

static rg_status fuse_send(rg_uses *uses, rg_opdesc *split)
{
    const rg_args *slices = rg_opdesc_out(split, "Out");
    const char *x = rg_one_in(split, "X");
    rg_opdesc *send = reader_of(uses, slices);
    if (x == NULL || !rg_is_type(send, "send") || has_list(send, "send_varnames") ||
        !same_names(slices, rg_opdesc_in(send, "X")) || !are_between(uses, slices, split, send) ||
        rg_written_between(uses, x, rg_uses_index(uses, split), rg_uses_index(uses, send)))
        return RG_OK;
    RG_TRY(rg_edit_strings(send, "send_varnames", slices->n, slices->names));
    rg_uses_remove(uses, split);
    return rg_opdesc_set_in(send, "X", 1, &x);
}

/* ---- recv ---- */

static bool is_named(const rg_args *names, const char *name)
{
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->names[i], name) == 0)
            return true;
    return false;
}

/* Barriers no longer name the slices. */
static rg_status forget(const rg_uses *uses, const rg_args *slices)
{
    for (size_t i = 0; i < uses->block->n_ops; i++) {
        rg_opdesc *op = uses->block->ops[i];
        const rg_args *out = rg_opdesc_out(op, "Out");
        if (!rg_is_type(op, "fetch_barrier") || out == NULL)
            continue;
        const char **left = rg_alloc(((size_t)out->n + 1) * sizeof *left);
        int n = 0;
        if (left == NULL)
            return rg_no_memory((size_t)out->n, "names");
        for (int k = 0; k < out->n; k++)
            if (!is_named(slices, out->names[k]))
                left[n++] = out->names[k];
        rg_status code = rg_opdesc_set_out(op, "Out", n, left);
        rg_free(left);
        RG_TRY(code);
    }
    return RG_OK;
}

static rg_opdesc *receiver_of(const rg_uses *uses, const rg_args *slices)
{
    const rg_var_uses *var = slices && slices->n ? rg_map_get(&uses->vars, slices->names[0]) : NULL;
    for (const rg_use *use = var ? var->writers : NULL; use != NULL; use = use->next)
        if (rg_is_type(use->op, "recv"))
            return use->op;
    return NULL;
}

static bool along_rows(const rg_opdesc *concat)
{
    const rg_attr *axis = rg_opdesc_attr(concat, "axis");
    return (axis == NULL || axis->i == 0) && rg_one_in(concat, "AxisTensor") == NULL;
}

static rg_status fuse_recv(rg_uses *uses, rg_opdesc *concat)
{
    const rg_args *slices = rg_opdesc_in(concat, "X");
    const char *whole = rg_one_out(concat, "Out");
    rg_opdesc *recv = receiver_of(uses, slices);
    if (whole == NULL || recv == NULL || !along_rows(concat) || has_list(recv, "recv_varnames") ||
        has_list(recv, "varnames") || !same_names(slices, rg_opdesc_out(recv, "Out")) ||
        !are_between(uses, slices, recv, concat))
        return RG_OK;
    size_t from = rg_uses_index(uses, recv), to = rg_uses_index(uses, concat);
    if (rg_read_between(uses, whole, from, to) || rg_written_between(uses, whole, from, to))
        return RG_OK;
    RG_TRY(rg_edit_strings(recv, "recv_varnames", slices->n, slices->names));
    RG_TRY(forget(uses, slices));
    rg_uses_remove(uses, concat);
    return rg_opdesc_set_out(recv, "Out", 1, &whole);
}

rg_status rg_pass_fuse_slices(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *op = uses.block->ops[i];
        if (rg_is_type(op, "split_byref"))
            code = fuse_send(&uses, op);
        else if (rg_is_type(op, "concat"))
            code = fuse_recv(&uses, op);
    }
    rg_uses_fini(&uses);
    return code;
}
