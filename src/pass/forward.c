/* forward.c - what is there for the steps of a training is left out. */
#include "pass/pass.h"

static bool is_left_out(const rg_opdesc *op, bool keeps_rates)
{
    int role = rg_opdesc_role(op);
    int trains = RG_ROLE_BACKWARD | RG_ROLE_OPTIMIZE | (keeps_rates ? 0 : RG_ROLE_LR_SCHED);
    return rg_opdesc_is(op, RG_OP_STEP) || (role != RG_ROLE_NOT_SPECIFIED && (role & trains) != 0);
}

void rg_pass_forward(rg_program *program, bool keeps_rates)
{
    rg_block *block = program->blocks[0];
    size_t kept = 0;
    for (size_t i = 0; i < block->n_ops; i++)
        if (!is_left_out(block->ops[i], keeps_rates))
            block->ops[kept++] = block->ops[i];
    rg_block_remove_ops(block, kept, block->n_ops);
}
