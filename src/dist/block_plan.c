/* block_plan.c - a block made the only one that runs. */
#include "dist/block_plan.h"

#include "pass/edit.h"

/* The block's own variables become the program's. */
static rg_status move_vars(rg_block *root, const rg_block *block)
{
    for (size_t i = 0; i < block->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&block->vars, i);
        rg_vardesc *var;
        if (e != NULL && rg_block_var(root, e->key) == NULL)
            RG_TRY(rg_edit_var(root, NULL, e->value, &var));
    }
    return RG_OK;
}

static rg_status make_root(rg_program *program, int index, size_t first, const char *feed)
{
    rg_block *root = program->blocks[0];
    const rg_block *block = rg_program_block(program, index);
    if (block == NULL || index == 0)
        return rg_fail(RG_ECORRUPT, "the program has no block %d", index);
    rg_block_remove_ops(root, 0, root->n_ops);
    for (const rg_block *each = block; each != NULL && each->idx != 0;
         each = rg_program_block(program, each->parent_idx))
        RG_TRY(move_vars(root, each));
    for (size_t i = first; i < block->n_ops; i++)
        RG_TRY(rg_block_copy_op(root, root->n_ops, block->ops[i], NULL));
    rg_vardesc *fed = feed ? rg_block_var(root, feed) : NULL;
    if (fed != NULL)
        fed->persistable = false; /* its value is the plan's own */
    return RG_OK;
}

rg_status rg_block_plan_open(rg_plan **plan, const rg_program *program, int block, size_t first,
                             rg_scope *scope, const char *feed)
{
    rg_program *alone;
    RG_TRY(rg_program_clone(&alone, program, false));
    rg_status code = make_root(alone, block, first, feed);
    const rg_plan_config config = {.feeds = &feed, .n_feeds = feed ? 1 : 0};
    if (code == RG_OK)
        code = rg_plan_open(plan, alone, scope, &config);
    rg_program_close(alone);
    return code;
}
