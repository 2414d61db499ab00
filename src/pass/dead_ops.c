/* dead_ops.c - ops whose results nobody reads are not run. */
#include "pass/pass.h"

#include "base/mem.h"

/* forward: to look rows up that nobody reads is none then. */
static bool has_effect(const rg_opdesc *op, bool forward)
{
    const rg_attr *sub = rg_opdesc_attr(op, "sub_block");
    bool looks_up = forward && op->op != NULL && (op->op->flags & RG_OP_TALKS) != 0;
    return op->op == NULL || (!looks_up && (op->op->flags & (RG_OP_EFFECT | RG_OP_HOST)) != 0) ||
           (sub != NULL && sub->type == RG_ATTR_BLOCK);
}

static rg_status need(rg_map *needed, const char *name)
{
    return rg_map_put(needed, name, name);
}

static bool is_needed(const rg_block *block, const rg_map *needed, const rg_opdesc *op)
{
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++) {
            const char *name = op->out[s].names[k];
            const rg_vardesc *var = rg_block_find(block, name);
            if (rg_map_has(needed, name) || (var != NULL && var->persistable))
                return true;
        }
    return false;
}

/* What the op's sub-blocks read, at any depth. */
static rg_status need_sub_blocks(rg_map *needed, const rg_opdesc *op)
{
    for (int a = 0; a < op->n_attrs; a++) {
        if (op->attrs[a].type != RG_ATTR_BLOCK)
            continue;
        const rg_block *block = rg_program_block(op->block->program, op->attrs[a].i);
        for (size_t i = 0; block != NULL && i < block->n_ops; i++) {
            const rg_opdesc *inner = block->ops[i];
            for (int s = 0; s < inner->n_in; s++)
                for (int k = 0; k < inner->in[s].n; k++)
                    RG_TRY(need(needed, inner->in[s].names[k]));
            for (int s = 0; s < inner->n_out; s++)
                for (int k = 0; k < inner->out[s].n; k++)
                    RG_TRY(need(needed, inner->out[s].names[k]));
            RG_TRY(need_sub_blocks(needed, inner));
        }
    }
    return RG_OK;
}

rg_status rg_pass_dead_ops(rg_program *program, const rg_protected *keep, bool forward)
{
    rg_block *block = program->blocks[0];
    rg_map needed = {0};
    rg_status code = RG_OK;
    size_t kept = block->n_ops; /* those kept are moved to the end, then to the front */
    for (int i = 0; i < keep->n; i++)
        RG_TRY_GOTO(code, need(&needed, keep->names[i]));
    for (size_t i = block->n_ops; i-- > 0;) {
        rg_opdesc *op = block->ops[i];
        if (!has_effect(op, forward) && !is_needed(block, &needed, op))
            continue;
        for (int s = 0; s < op->n_in; s++)
            for (int k = 0; k < op->in[s].n; k++)
                RG_TRY_GOTO(code, need(&needed, op->in[s].names[k]));
        RG_TRY_GOTO(code, need_sub_blocks(&needed, op));
        block->ops[--kept] = op;
    }
    rg_block_remove_ops(block, 0, kept);
done:
    rg_map_fini(&needed);
    return code;
}
