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

/* ---- blocks ---- */

static bool reach(const rg_program *program, bool *reached, int idx)
{
    if (rg_program_block(program, idx) == NULL || reached[idx])
        return false;
    return reached[idx] = true;
}

/* What the block at hand leads to: those that its ops run, and those that these are in or the
 * gradient of. Whether any is new. */
static bool reach_from(const rg_program *program, bool *reached, const rg_block *block)
{
    bool more = reach(program, reached, block->parent_idx);
    more |= reach(program, reached, block->forward_idx);
    for (size_t i = 0; i < block->n_ops; i++)
        for (int a = 0; a < block->ops[i]->n_attrs; a++) {
            const rg_attr *attr = &block->ops[i]->attrs[a];
            if (attr->type == RG_ATTR_BLOCK)
                more |= reach(program, reached, attr->i);
            for (int k = 0; attr->type == RG_ATTR_BLOCKS && k < attr->n; k++)
                more |= reach(program, reached, attr->ints[k]);
        }
    return more;
}

/* The blocks' new numbers, by the old; those that are not reached have none. */
static void number(const rg_program *program, const bool *reached, int *numbers)
{
    int n = 0;
    for (size_t b = 0; b < program->n_blocks; b++)
        numbers[b] = reached[b] ? n++ : -1;
}

static int renumbered(const rg_program *program, const int *numbers, int idx)
{
    return rg_program_block(program, idx) == NULL ? idx : numbers[idx];
}

static rg_status renumber_list(rg_program *program, const int *numbers, rg_attr *attr)
{
    int32_t *list = rg_arena_alloc(&program->arena, (size_t)attr->n * sizeof *list);
    if (list == NULL)
        return rg_no_memory((size_t)attr->n * sizeof *list, "a list of blocks");
    for (int k = 0; k < attr->n; k++)
        list[k] = renumbered(program, numbers, attr->ints[k]);
    attr->ints = list;
    return RG_OK;
}

static rg_status renumber(rg_program *program, const int *numbers, rg_block *block)
{
    block->idx = numbers[block->idx];
    block->parent_idx = renumbered(program, numbers, block->parent_idx);
    block->forward_idx = renumbered(program, numbers, block->forward_idx);
    for (size_t i = 0; i < block->n_ops; i++)
        for (int a = 0; a < block->ops[i]->n_attrs; a++) {
            rg_attr *attr = &block->ops[i]->attrs[a];
            if (attr->type == RG_ATTR_BLOCK)
                attr->i = renumbered(program, numbers, attr->i);
            else if (attr->type == RG_ATTR_BLOCKS && attr->n > 0)
                RG_TRY(renumber_list(program, numbers, attr));
        }
    return RG_OK;
}

static rg_status keep_reached(rg_program *program, const bool *reached, int *numbers)
{
    size_t kept = 0;
    number(program, reached, numbers);
    for (size_t b = 0; b < program->n_blocks; b++)
        if (reached[b])
            RG_TRY(renumber(program, numbers, program->blocks[b]));
    for (size_t b = 0; b < program->n_blocks; b++) {
        rg_block *block = program->blocks[b];
        if (reached[b]) {
            program->blocks[kept++] = block;
            continue;
        }
        rg_map_fini(&block->vars);
        rg_free(block->ops);
    }
    program->n_blocks = kept;
    return RG_OK;
}

/* The blocks of ops that have gone, such as those of a schedule or of gradients, go too. */
static rg_status remove_unreached_blocks(rg_program *program)
{
    bool *reached = rg_alloc_zero(program->n_blocks, sizeof *reached);
    int *numbers = rg_alloc_zero(program->n_blocks, sizeof *numbers);
    rg_status code = RG_OK;
    if (reached == NULL || numbers == NULL)
        RG_TRY_GOTO(code, rg_no_memory(program->n_blocks, "pruning"));
    reached[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t b = 0; b < program->n_blocks; b++)
            if (reached[b])
                more |= reach_from(program, reached, program->blocks[b]);
    }
    code = keep_reached(program, reached, numbers);
done:
    rg_free(reached);
    rg_free(numbers);
    return code;
}

/* ---- variables ---- */

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
    RG_TRY_GOTO(code, remove_unreached_blocks(program));
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
