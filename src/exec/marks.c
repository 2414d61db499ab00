/* marks.c - loss and AUC of a program, by the marks that building it leaves. */
#include "exec/marks.h"

#include "pass/uses.h"

static const rg_opdesc *find_loss_op(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        int role = rg_opdesc_role(block->ops[i]);
        if (role != RG_ROLE_NOT_SPECIFIED && (role & RG_ROLE_LOSS) != 0 &&
            (role & RG_ROLE_BACKWARD) == 0 && block->ops[i]->n_out > 0 &&
            block->ops[i]->out[0].n == 1)
            return block->ops[i];
    }
    return NULL;
}

const char *rg_find_loss(const rg_program *program)
{
    const rg_opdesc *op = find_loss_op(program);
    return op ? op->out[0].names[0] : NULL;
}

bool rg_loss_is_sum(const rg_program *program)
{
    const rg_opdesc *op = find_loss_op(program);
    return rg_is_type(op, "reduce_sum");
}

bool rg_has_updates(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        int role = rg_opdesc_role(block->ops[i]);
        if ((role != RG_ROLE_NOT_SPECIFIED && (role & RG_ROLE_OPTIMIZE) != 0) ||
            rg_opdesc_is(block->ops[i], RG_OP_PUSHES))
            return true;
    }
    return false;
}

static const rg_opdesc *find_auc_op(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_attr *steps = rg_opdesc_attr(block->ops[i], "slide_steps");
        if (rg_is_type(block->ops[i], "auc") && steps != NULL && steps->i == 0)
            return block->ops[i];
    }
    return NULL;
}

const char *rg_find_auc(const rg_program *program)
{
    const rg_opdesc *op = find_auc_op(program);
    return op ? rg_one_out(op, "AUC") : NULL;
}

bool rg_find_auc_counts(const rg_program *program, const char **pos, const char **neg)
{
    const rg_opdesc *op = find_auc_op(program);
    *pos = op ? rg_one_in(op, "StatPos") : NULL;
    *neg = op ? rg_one_in(op, "StatNeg") : NULL;
    return *pos != NULL && *neg != NULL;
}
