/* uses.c - the index of readers and writers. */
#include "pass/uses.h"

#include <string.h>

static rg_var_uses *uses_of(rg_uses *uses, const char *name)
{
    rg_var_uses *found = rg_map_get(&uses->vars, name);
    if (found != NULL)
        return found;
    found = rg_arena_zero(&uses->arena, sizeof *found);
    if (found == NULL || rg_map_put(&uses->vars, name, found) != RG_OK)
        return NULL;
    const rg_vardesc *var = rg_block_find(uses->block, name);
    found->fixed = var == NULL || var->persistable;
    return found;
}

static rg_status no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory to fuse a program");
}

/* At the end of the list, so that it has the order of the block. again: unless it is there, of an
 * op that was changed. */
static rg_status add_use(rg_uses *uses, rg_use **list, rg_use **last, rg_use what, bool again)
{
    for (const rg_use *use = again ? *list : NULL; use != NULL; use = use->next)
        if (use->op == what.op && use->shape_only == what.shape_only)
            return RG_OK;
    rg_use *use = rg_arena_alloc(&uses->arena, sizeof *use);
    if (use == NULL)
        return no_memory();
    *use = what;
    if (*list == NULL)
        *list = use;
    else
        (*last)->next = use;
    *last = use;
    return RG_OK;
}

static rg_status add_op(rg_uses *uses, rg_opdesc *op, int index, bool again)
{
    for (int s = 0; s < op->n_in; s++) {
        int slot = op->op ? rg_op_in_slot(op->op, op->in[s].slot) : -1;
        bool shape_only = slot >= 0 && (op->op->in[slot].flags & RG_SHAPE_ONLY);
        for (int k = 0; k < op->in[s].n; k++) {
            rg_var_uses *var = uses_of(uses, op->in[s].names[k]);
            if (var == NULL)
                return no_memory();
            RG_TRY(add_use(uses, &var->readers, &var->last_reader,
                           (rg_use){op, index, shape_only, NULL}, again));
        }
    }
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++) {
            rg_var_uses *var = uses_of(uses, op->out[s].names[k]);
            if (var == NULL)
                return no_memory();
            RG_TRY(add_use(uses, &var->writers, &var->last_writer, (rg_use){op, index, false, NULL},
                           again));
        }
    return RG_OK;
}

rg_status rg_uses_changed(rg_uses *uses, rg_opdesc *op)
{
    return add_op(uses, op, (int)rg_uses_index(uses, op), true);
}

/* Whatever a sub-block mentions stays as it is. */
static rg_status fix_sub_blocks(rg_uses *uses, const rg_program *program)
{
    for (size_t b = 1; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            const rg_opdesc *op = program->blocks[b]->ops[i];
            for (int side = 0; side < 2; side++) {
                const rg_args *args = side ? op->out : op->in;
                for (int s = 0; s < (side ? op->n_out : op->n_in); s++)
                    for (int k = 0; k < args[s].n; k++) {
                        rg_var_uses *var = uses_of(uses, args[s].names[k]);
                        if (var == NULL)
                            return no_memory();
                        var->fixed = true;
                    }
            }
        }
    return RG_OK;
}

rg_status rg_uses_make(rg_uses *uses, rg_program *program, const rg_protected *keep)
{
    *uses = (rg_uses){.block = program->blocks[0]};
    rg_status code = RG_OK;
    uses->removed = rg_arena_zero(&uses->arena, uses->block->n_ops + 1);
    if (uses->removed == NULL)
        return no_memory();
    for (size_t i = 0; code == RG_OK && i < uses->block->n_ops; i++)
        code = add_op(uses, uses->block->ops[i], (int)i, false);
    for (int i = 0; code == RG_OK && i < keep->n; i++) {
        rg_var_uses *var = uses_of(uses, keep->names[i]);
        if (var == NULL)
            code = no_memory();
        else
            var->fixed = true;
    }
    if (code == RG_OK)
        code = fix_sub_blocks(uses, program);
    if (code != RG_OK)
        rg_uses_fini(uses);
    return code;
}

void rg_uses_fini(rg_uses *uses)
{
    rg_block *block = uses->block;
    size_t kept = 0, n = block->n_ops;
    for (size_t i = 0; i < n; i++)
        if (!uses->removed[i])
            block->ops[kept++] = block->ops[i];
    if (kept < n)
        rg_block_remove_ops(block, kept, n);
    rg_map_fini(&uses->vars);
    rg_arena_free(&uses->arena);
}

size_t rg_uses_index(const rg_uses *uses, const rg_opdesc *op)
{
    /* Every op here writes something, and its writers' list knows the place. */
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++) {
            const rg_var_uses *var = rg_map_get(&uses->vars, op->out[s].names[k]);
            for (const rg_use *use = var ? var->writers : NULL; use != NULL; use = use->next)
                if (use->op == op)
                    return (size_t)use->index;
        }
    return rg_opdesc_index(op);
}

void rg_uses_remove(rg_uses *uses, const rg_opdesc *op)
{
    if (op != NULL)
        uses->removed[rg_uses_index(uses, op)] = true;
}

static rg_opdesc *one_reader(const rg_uses *uses, const char *name, bool shapes_count)
{
    const rg_var_uses *var = name ? rg_map_get(&uses->vars, name) : NULL;
    rg_opdesc *reader = NULL;
    if (var == NULL || var->fixed || var->writers == NULL || var->writers->next != NULL)
        return NULL;
    for (const rg_use *use = var->readers; use != NULL; use = use->next) {
        if (use->shape_only && !shapes_count)
            continue;
        if (reader != NULL || use->shape_only)
            return NULL;
        reader = use->op;
    }
    return reader;
}

rg_opdesc *rg_only_reader(const rg_uses *uses, const char *name)
{
    return one_reader(uses, name, false);
}

rg_opdesc *rg_sole_reader(const rg_uses *uses, const char *name)
{
    return one_reader(uses, name, true);
}

rg_opdesc *rg_only_writer(const rg_uses *uses, const char *name)
{
    const rg_var_uses *var = name ? rg_map_get(&uses->vars, name) : NULL;
    return var && var->writers && !var->writers->next ? var->writers->op : NULL;
}

static bool used_between(const rg_use *use, size_t from, size_t to)
{
    for (; use != NULL; use = use->next)
        if (use->index > (int)from && use->index < (int)to)
            return true;
    return false;
}

bool rg_read_between(const rg_uses *uses, const char *name, size_t from, size_t to)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    return var != NULL && used_between(var->readers, from, to);
}

bool rg_written_between(const rg_uses *uses, const char *name, size_t from, size_t to)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    return var != NULL && used_between(var->writers, from, to);
}

bool rg_used_between(const rg_uses *uses, const char *name, size_t from, size_t to)
{
    return rg_read_between(uses, name, from, to) || rg_written_between(uses, name, from, to);
}

static const char *one_of(const rg_args *args)
{
    if (args == NULL || args->n != 1 || strcmp(args->names[0], RG_EMPTY_NAME) == 0)
        return NULL;
    return args->names[0];
}

const char *rg_one_in(const rg_opdesc *op, const char *slot)
{
    return one_of(rg_opdesc_in(op, slot));
}

const char *rg_one_out(const rg_opdesc *op, const char *slot)
{
    return one_of(rg_opdesc_out(op, slot));
}

bool rg_is_type(const rg_opdesc *op, const char *type)
{
    return op != NULL && strcmp(op->type, type) == 0;
}
