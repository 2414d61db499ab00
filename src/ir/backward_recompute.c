/* backward_recompute.c - activations that are computed again in the backward pass instead of kept.
 *
 * Checkpoints cut the forward ops into segments, each ending with the op that makes one. When the
 * walk comes to the last op of a segment, other than the one behind the last checkpoint, its ops
 * are appended once more, writing NAME.subprog_I, and the gradients of the segment read those. So
 * what the forward pass made between checkpoints dies there, and the executor can use its memory
 * again.
 *
 * Not run again is what could give something else or do something twice: ops with a block, ops
 * that write a persistable variable or one that is written more than once. What they made is kept.
 * Random ops draw the same numbers, since their stream goes by the name without the suffix. */
#include "ir/backward_priv.h"
#include "ir/recompute.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the segments ---- */

static int by_number(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static rg_status count_writers(rg_backward_walk *w)
{
    for (size_t i = 0; i < w->n_forward; i++) {
        const rg_opdesc *op = w->forward->ops[i];
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++) {
                const char *name = op->out[s].names[k];
                uintptr_t n = (uintptr_t)rg_map_get(&w->writers, name);
                RG_TRY(rg_map_put(&w->writers, name, (void *)(n + 1)));
            }
    }
    return RG_OK;
}

rg_status rg_recompute_begin(rg_backward_walk *w)
{
    const rg_backward_options *options = w->options;
    if (w->outer != NULL || options->n_checkpoints == 0)
        return RG_OK;
    w->ends = rg_arena_alloc(&w->arena, (size_t)options->n_checkpoints * sizeof *w->ends);
    if (w->ends == NULL)
        return rg_grads_no_memory();
    for (int i = 0; i < options->n_checkpoints; i++) {
        const char *name = options->checkpoints[i];
        size_t writer = (size_t)(uintptr_t)rg_map_get(&w->last_writer, name);
        if (rg_block_find(w->forward, name) == NULL)
            return rg_fail(RG_ENOENT, "there is no variable %s to be a checkpoint", name);
        if (writer > 0) /* what is fed needs no computing */
            w->ends[w->n_ends++] = writer - 1;
        RG_TRY(rg_map_put(&w->checkpoints, name, name));
    }
    if (w->n_ends > 0)
        qsort(w->ends, (size_t)w->n_ends, sizeof *w->ends, by_number);
    return count_writers(w);
}

/* ---- the ops of one, once more ---- */

static bool can_run_again(const rg_backward_walk *w, const rg_opdesc *op)
{
    bool makes_more = false;
    if (op->op == NULL || rg_opdesc_attr(op, "sub_block") != NULL)
        return false;
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++) {
            const char *name = op->out[s].names[k];
            const rg_vardesc *var = rg_block_find(w->forward, name);
            if (strcmp(name, RG_EMPTY_NAME) == 0)
                continue;
            if (var == NULL || var->persistable || var->meta.kind != RG_TENSOR ||
                (uintptr_t)rg_map_get(&w->writers, name) != 1 || rg_op_reads(op, name))
                return false;
            makes_more = makes_more || !rg_map_has(&w->checkpoints, name);
        }
    for (int s = 0; s < op->n_in; s++)
        for (int k = 0; k < op->in[s].n; k++)
            if ((uintptr_t)rg_map_get(&w->writers, op->in[s].names[k]) > 1)
                return false;
    return makes_more;
}

static rg_status write_aside(rg_backward_walk *w, rg_opdesc *copy, const char *name, int segment)
{
    char text[1024];
    rg_vardesc *var;
    const rg_vardesc *from = rg_block_find(w->forward, name);
    int n = snprintf(text, sizeof text, "%s" RG_AGAIN_MARK "%d", name, segment);
    const char *kept = rg_grads_keep_name(w, text, n, sizeof text);
    if (kept == NULL)
        return rg_grads_no_memory();
    RG_TRY(rg_block_add_var(w->block, kept, &var));
    var->meta = from->meta;
    var->stop_gradient = from->stop_gradient;
    RG_TRY(rg_opdesc_rename(copy, name, kept, false, true));
    if (rg_map_has(&w->checkpoints, name))
        return RG_OK;
    return rg_map_put(&w->again, name, (void *)(uintptr_t)kept);
}

static rg_status run_again(rg_backward_walk *w, const rg_opdesc *op, int segment)
{
    rg_opdesc *copy;
    RG_TRY(rg_block_copy_op(w->block, w->block->n_ops, op, &copy));
    rg_opdesc_remove_attr(copy, "op_role_var");
    RG_TRY(rg_walk_set_role(copy, RG_ROLE_BACKWARD));
    for (int s = 0; s < op->n_in; s++)
        for (int k = 0; k < op->in[s].n; k++) {
            const char *again = rg_map_get(&w->again, op->in[s].names[k]);
            if (again != NULL)
                RG_TRY(rg_opdesc_rename(copy, op->in[s].names[k], again, true, false));
        }
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++)
            if (strcmp(op->out[s].names[k], RG_EMPTY_NAME) != 0)
                RG_TRY(write_aside(w, copy, op->out[s].names[k], segment));
    return RG_OK;
}

rg_status rg_recompute_enter(rg_backward_walk *w, size_t index, const bool *on_path)
{
    for (int s = 0; s < w->n_ends; s++) {
        size_t first = s > 0 ? w->ends[s - 1] + 1 : 0;
        if (w->ends[s] != index || (s > 0 && w->ends[s - 1] == index))
            continue;
        rg_map_fini(&w->again);
        w->again = (rg_map){0};
        for (size_t i = first; i <= index; i++)
            if (on_path[i] && can_run_again(w, w->forward->ops[i]))
                RG_TRY(run_again(w, w->forward->ops[i], s));
        return RG_OK;
    }
    return RG_OK;
}
