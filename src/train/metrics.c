/* metrics.c - loss and AUC of a program, by the marks that building it leaves. */
#include "train/metrics_priv.h"

#include <string.h>

const char *rg_find_loss(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        int role = rg_opdesc_role(block->ops[i]);
        if (role != RG_ROLE_NOT_SPECIFIED && (role & RG_ROLE_LOSS) != 0 &&
            (role & RG_ROLE_BACKWARD) == 0 && block->ops[i]->n_out > 0 &&
            block->ops[i]->out[0].n == 1)
            return block->ops[i]->out[0].names[0];
    }
    return NULL;
}

const char *rg_find_auc(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        const rg_attr *steps = rg_opdesc_attr(op, "slide_steps");
        const rg_args *out = rg_opdesc_out(op, "AUC");
        if (strcmp(op->type, "auc") == 0 && steps != NULL && steps->i == 0 && out != NULL &&
            out->n == 1)
            return out->names[0];
    }
    return NULL;
}
