/* prune.c - leaving out what a set of targets does not need. */
#include "ir/program.h"

#include "base/mem.h"

#include <string.h>

typedef struct pruner {
    rg_program *program;
    rg_map needed; /* names whose value something kept reads */
    bool *keep;    /* of the ops of the block at hand */
} pruner;

static rg_status need(pruner *p, const char *name)
{
    return rg_map_put(&p->needed, name, name);
}

static bool writes_needed(const pruner *p, const rg_opdesc *op)
{
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++)
            if (rg_map_has(&p->needed, op->out[i].names[k]))
                return true;
    return false;
}

static rg_status need_inputs(pruner *p, const rg_opdesc *op);

/* All that the ops of a sub-block read; sub-blocks are kept whole. */
static rg_status need_block(pruner *p, const rg_block *block)
{
    for (size_t i = 0; i < block->n_ops; i++)
        RG_TRY(need_inputs(p, block->ops[i]));
    return RG_OK;
}

static rg_status need_inputs(pruner *p, const rg_opdesc *op)
{
    for (int i = 0; i < op->n_in; i++)
        for (int k = 0; k < op->in[i].n; k++)
            RG_TRY(need(p, op->in[i].names[k]));
    for (int i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].type == RG_ATTR_BLOCK)
            RG_TRY(need_block(p, rg_program_block(p->program, op->attrs[i].i)));
    return RG_OK;
}

static rg_status keep_name(void *map, const char *name)
{
    return rg_map_put(map, name, name);
}

static rg_status collect_used(const rg_program *program, rg_map *used)
{
    for (size_t b = 0; b < program->n_blocks; b++) {
        const rg_block *block = program->blocks[b];
        for (size_t i = 0; i < block->n_ops; i++) {
            const rg_opdesc *op = block->ops[i];
            for (int s = 0; s < op->n_in; s++)
                for (int k = 0; k < op->in[s].n; k++)
                    RG_TRY(keep_name(used, op->in[s].names[k]));
            for (int s = 0; s < op->n_out; s++)
                for (int k = 0; k < op->out[s].n; k++)
                    RG_TRY(keep_name(used, op->out[s].names[k]));
        }
    }
    return RG_OK;
}

static void remove_unused_vars(rg_program *program, const rg_map *used)
{
    for (size_t b = 0; b < program->n_blocks; b++) {
        rg_map *vars = &program->blocks[b]->vars;
        for (size_t i = 0; i < vars->n_entries; i++) {
            const rg_map_entry *e = rg_map_at(vars, i);
            if (e != NULL && !rg_map_has(used, e->key))
                rg_map_remove(vars, e->key);
        }
    }
}

/* Ops of block 0 that are on the way to the targets, marked from the last. */
static rg_status mark(pruner *p, const rg_block *block, const char *const *feeds, int n_feeds)
{
    for (size_t i = block->n_ops; i-- > 0;) {
        const rg_opdesc *op = block->ops[i];
        p->keep[i] = op->is_target || writes_needed(p, op);
        if (!p->keep[i])
            continue;
        RG_TRY(need_inputs(p, op));
        for (int k = 0; k < n_feeds; k++)
            rg_map_remove(&p->needed, feeds[k]);
    }
    return RG_OK;
}

rg_status rg_program_prune(rg_program *program, const char *const *feeds, int n_feeds,
                           const char *const *targets, int n_targets)
{
    rg_block *block = program->blocks[0];
    pruner p = {.program = program};
    rg_map used = {0};
    rg_status code = RG_OK;
    for (int i = 0; i < n_targets; i++) {
        if (rg_block_find(block, targets[i]) == NULL) {
            code = rg_fail(RG_ENOENT, "the program has no variable %s", targets[i]);
            goto done;
        }
        RG_TRY_GOTO(code, need(&p, targets[i]));
    }
    for (int i = 0; i < n_feeds; i++)
        rg_map_remove(&p.needed, feeds[i]);
    p.keep = rg_alloc_zero(block->n_ops, sizeof *p.keep);
    if (p.keep == NULL) {
        code = rg_no_memory(block->n_ops, "pruning");
        goto done;
    }
    RG_TRY_GOTO(code, mark(&p, block, feeds, n_feeds));
    size_t kept = 0;
    for (size_t i = 0; i < block->n_ops; i++)
        if (p.keep[i])
            block->ops[kept++] = block->ops[i];
    block->n_ops = kept;
    for (int i = 0; i < n_feeds; i++)
        RG_TRY_GOTO(code, keep_name(&used, feeds[i]));
    for (int i = 0; i < n_targets; i++)
        RG_TRY_GOTO(code, keep_name(&used, targets[i]));
    RG_TRY_GOTO(code, collect_used(program, &used));
    remove_unused_vars(program, &used);
    program->version++;
done:
    rg_free(p.keep);
    rg_map_fini(&p.needed);
    rg_map_fini(&used);
    return code;
}
