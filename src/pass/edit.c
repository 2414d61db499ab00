/* edit.c - short ways to add to programs. */
#include "pass/edit.h"

#include <string.h>

void rg_labels_clear(rg_program *program, rg_labels *old)
{
    *old = (rg_labels){program->op_role,   program->role_vars, program->n_role_vars,
                       program->namescope, program->device,    program->where};
    program->op_role = RG_ROLE_FORWARD;
    program->n_role_vars = 0;
    program->namescope = "/";
    program->device = "";
    program->where = NULL;
}

void rg_labels_restore(rg_program *program, const rg_labels *old)
{
    program->op_role = old->op_role;
    program->role_vars = old->role_vars;
    program->n_role_vars = old->n_role_vars;
    program->namescope = old->namescope;
    program->device = old->device;
    program->where = old->where;
}

rg_status rg_edit_op(rg_block *block, size_t index, const char *type, int role, rg_opdesc **op)
{
    RG_TRY(rg_block_insert_op(block, index, type, op));
    return rg_edit_int(*op, "op_role", role);
}

rg_status rg_edit_in(rg_opdesc *op, const char *slot, const char *name)
{
    return rg_opdesc_set_in(op, slot, 1, &name);
}

rg_status rg_edit_out(rg_opdesc *op, const char *slot, const char *name)
{
    return rg_opdesc_set_out(op, slot, 1, &name);
}

rg_status rg_edit_int(rg_opdesc *op, const char *name, int32_t value)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_INT, .i = value});
}

rg_status rg_edit_long(rg_opdesc *op, const char *name, int64_t value)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_LONG, .l = value});
}

rg_status rg_edit_float(rg_opdesc *op, const char *name, float value)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_FLOAT, .f = value});
}

rg_status rg_edit_bool(rg_opdesc *op, const char *name, bool value)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_BOOL, .b = value});
}

rg_status rg_edit_string(rg_opdesc *op, const char *name, const char *value)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_STRING, .s = value});
}

rg_status rg_edit_strings(rg_opdesc *op, const char *name, int n, const char *const *values)
{
    return rg_opdesc_set_attr(
        op, &(rg_attr){.name = name, .type = RG_ATTR_STRINGS, .n = n, .strings = values});
}

rg_status rg_edit_longs(rg_opdesc *op, const char *name, int n, const int64_t *values)
{
    return rg_opdesc_set_attr(
        op, &(rg_attr){.name = name, .type = RG_ATTR_LONGS, .n = n, .longs = values});
}

rg_status rg_edit_shape(rg_opdesc *op, const rg_shape *shape)
{
    return rg_edit_longs(op, "shape", shape->rank, shape->dim);
}

rg_status rg_edit_var(rg_block *block, const char *name, const rg_vardesc *from, rg_vardesc **var)
{
    RG_TRY(rg_block_add_var(block, name ? name : from->name, var));
    const char *kept = (*var)->name;
    **var = *from;
    (*var)->name = kept;
    (*var)->block = block;
    (*var)->meta.lod = NULL;
    (*var)->reader = NULL;
    (*var)->n_reader = 0;
    (*var)->unknown = NULL;
    (*var)->n_unknown = 0;
    return RG_OK;
}

static rg_status copy_block(rg_program *program, int parent, const rg_block *from, int *idx)
{
    rg_block *block;
    RG_TRY(rg_program_add_block(program, parent, &block));
    *idx = block->idx;
    for (size_t i = 0; i < from->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&from->vars, i);
        rg_vardesc *var;
        if (e != NULL)
            RG_TRY(rg_edit_var(block, NULL, e->value, &var));
    }
    for (size_t i = 0; i < from->n_ops; i++) {
        rg_opdesc *op;
        RG_TRY(rg_edit_copy(block, from->ops[i], &op));
    }
    return RG_OK;
}

rg_status rg_edit_copy(rg_block *block, const rg_opdesc *from, rg_opdesc **op)
{
    RG_TRY(rg_block_copy_op(block, block->n_ops, from, op));
    for (int a = 0; a < (*op)->n_attrs; a++) {
        rg_attr *attr = &(*op)->attrs[a];
        if (attr->type == RG_ATTR_BLOCKS)
            return rg_fail(RG_EUNIMPL, "op %s has a list of blocks, and cannot move to a server",
                           from->type);
        if (attr->type != RG_ATTR_BLOCK)
            continue;
        const rg_block *sub = rg_program_block(from->block->program, attr->i);
        int idx;
        if (sub == NULL)
            return rg_fail(RG_ECORRUPT, "op %s has the block %d, which is none of the program's",
                           from->type, attr->i);
        RG_TRY(copy_block(block->program, block->idx, sub, &idx));
        attr->i = idx;
    }
    return RG_OK;
}

static rg_status visit_args(const rg_opdesc *op, const rg_args *args, int n, bool output,
                            rg_visit_name visit, void *arg)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++)
            if (strcmp(args[s].names[k], RG_EMPTY_NAME) != 0)
                RG_TRY(visit(arg, op, args[s].names[k], output));
    return RG_OK;
}

rg_status rg_visit_names(const rg_opdesc *op, rg_visit_name visit, void *arg)
{
    RG_TRY(visit_args(op, op->in, op->n_in, false, visit, arg));
    for (int a = 0; a < op->n_attrs; a++) {
        const rg_block *sub = op->attrs[a].type == RG_ATTR_BLOCK
                                  ? rg_program_block(op->block->program, op->attrs[a].i)
                                  : NULL;
        for (size_t i = 0; sub != NULL && i < sub->n_ops; i++)
            RG_TRY(rg_visit_names(sub->ops[i], visit, arg));
    }
    return visit_args(op, op->out, op->n_out, true, visit, arg);
}
