/* outside.c - programs of others: what they reach beside their variables. */
#include "ir/op.h"
#include "ir/program.h"

#include <string.h>

static bool is_allowed(const char *type, const char *const *allowed, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(allowed[i], type) == 0)
            return true;
    return false;
}

rg_status rg_program_check_outside(const rg_program *program, const char *const *allowed, int n)
{
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            const rg_opdesc *op = program->blocks[b]->ops[i];
            if (op->op == NULL || (op->op->flags & RG_OP_OUTSIDE) == 0 ||
                is_allowed(op->type, allowed, n))
                continue;
            return rg_fail(RG_EDENIED,
                           "op %s (number %zu of block %zu) reaches files, other processes or "
                           "Python functions, which a model that is loaded to infer may not do; "
                           "where you trust its maker, set FLAGS_inference_outside=1",
                           op->type, i, b);
        }
    return RG_OK;
}
