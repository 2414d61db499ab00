/* backward_sum.c - the gradient of a variable: its name, its contributions, their sum.
 *
 * Each op that reads x adds a contribution. The first is named x@GRAD; when a second comes, both
 * get names of their own, and a sum op makes x@GRAD of them when the whole is asked for. */
#include "ir/backward_priv.h"

#include <stdio.h>
#include <string.h>

/* Who asks for the gradient of a copy means that of the variable itself. */
static const char *original(const rg_backward_walk *w, const char *name)
{
    const char *of = rg_map_get(&w->copy_of, name);
    return of != NULL ? of : name;
}

rg_grad_state *rg_grads_of(rg_backward_walk *w, const char *name)
{
    name = original(w, name);
    rg_grad_state *state = rg_map_get(&w->states, name);
    if (state != NULL)
        return state;
    const char *kept = rg_program_name(w->block->program, name);
    state = rg_arena_zero(&w->arena, sizeof *state);
    if (kept == NULL || state == NULL || rg_map_put(&w->states, kept, state) != RG_OK)
        return NULL;
    return state;
}

const char *rg_grads_keep_name(rg_backward_walk *w, const char *text, int length, size_t size)
{
    return length > 0 && (size_t)length < size ? rg_program_name(w->block->program, text) : NULL;
}

static const char *rename_name(rg_backward_walk *w, const char *grad, int i)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s@RENAME@block%d@%d", grad, w->block->idx, i);
    return rg_grads_keep_name(w, text, n, sizeof text);
}

#define AGAIN "grad/"

/* The name in `text`, of length n, or with a number behind it where a variable has that. */
static const char *free_name(rg_backward_walk *w, rg_grad_state *state, const char *text, int n)
{
    char numbered[1024];
    if (n <= 0 || (size_t)n >= sizeof numbered)
        return NULL;
    memcpy(numbered, text, (size_t)n + 1);
    for (int i = 0; (size_t)n < sizeof numbered && rg_block_var(w->block, numbered) != NULL; i++)
        n = snprintf(numbered, sizeof numbered, "%s_%d", text, i);
    state->plain = rg_grads_keep_name(w, numbered, n, sizeof numbered);
    return state->plain;
}

const char *rg_grads_name(rg_backward_walk *w, const char *name)
{
    rg_grad_state *state = rg_grads_of(w, name);
    if (state == NULL || state->plain != NULL)
        return state ? state->plain : NULL;
    char text[1024] = "";
    int n = snprintf(text, sizeof text, "%s" RG_GRAD_SUFFIX, name), times = w->options->times;
    if (rg_block_var(w->block, text) != NULL && times > 1 && n > 0 &&
        (size_t)n + (size_t)times * strlen(AGAIN) < sizeof text) {
        size_t length = 0;
        for (int i = 0; i < times; i++, length += strlen(AGAIN))
            memcpy(text + length, AGAIN, strlen(AGAIN));
        n = (int)length + snprintf(text + length, sizeof text - length, "%s" RG_GRAD_SUFFIX, name);
    }
    return free_name(w, state, text, n);
}

const char *rg_grads_target_name(rg_backward_walk *w, const char *name)
{
    rg_grad_state *state = rg_grads_of(w, name);
    char text[1024];
    int n = snprintf(text, sizeof text, "%s" RG_GRAD_SUFFIX, name);
    return state ? free_name(w, state, text, n) : NULL;
}

const rg_vardesc *rg_walk_find(const rg_backward_walk *w, const char *name)
{
    const rg_vardesc *var = rg_block_find(w->forward, name);
    return var != NULL || w->block == w->forward ? var : rg_block_find(w->block, name);
}

const char *rg_walk_temporary(rg_backward_walk *w, const char *after)
{
    char text[1024];
    int n;
    do {
        n = snprintf(text, sizeof text, "%s@TERM@%d", after, w->n_temporaries++);
    } while (n > 0 && (size_t)n < sizeof text && rg_block_find(w->block, text) != NULL);
    return rg_grads_keep_name(w, text, n, sizeof text);
}

bool rg_grads_wanted(const rg_backward_walk *w, const char *name)
{
    if (strcmp(name, RG_EMPTY_NAME) == 0)
        return false;
    name = original(w, name);
    for (const rg_backward_walk *at = w; at != NULL; at = at->outer)
        if (rg_map_has(&at->no_grad, name))
            return false;
    const rg_vardesc *var = rg_walk_find(w, name);
    if (var == NULL || var->stop_gradient)
        return false;
    return var->meta.kind == RG_ARRAY || rg_dtype_is_float(var->meta.dtype);
}

/* ---- contributions ---- */

rg_status rg_grads_own_var(rg_backward_walk *w, const char *grad, const char *name)
{
    const rg_vardesc *from = rg_walk_find(w, name);
    rg_vardesc *var;
    if (w->outer == NULL || rg_block_var(w->block, grad) != NULL)
        return RG_OK;
    RG_TRY(rg_block_add_var(w->block, grad, &var));
    if (from != NULL)
        var->meta = from->meta;
    return RG_OK;
}

rg_status rg_grads_push(rg_backward_walk *w, rg_grad_state *state, const char *name, rg_opdesc *op)
{
    if ((state->n & (state->n - 1)) == 0) {
        size_t room = state->n ? (size_t)state->n * 2 : 1;
        const char **names = rg_arena_alloc(&w->arena, room * sizeof *names);
        rg_opdesc **ops = rg_arena_alloc(&w->arena, room * sizeof *ops);
        if (names == NULL || ops == NULL)
            return rg_grads_no_memory();
        if (state->n > 0) {
            memcpy(names, state->names, (size_t)state->n * sizeof *names);
            memcpy(ops, state->ops, (size_t)state->n * sizeof *ops);
        }
        state->names = names;
        state->ops = ops;
    }
    state->names[state->n] = name;
    state->ops[state->n++] = op;
    return RG_OK;
}

static rg_status give_rename(rg_backward_walk *w, rg_grad_state *state, int i)
{
    const char *old = state->names[i];
    const char *fresh = rename_name(w, old, state->renamed);
    if (fresh == NULL)
        return rg_grads_no_memory();
    const rg_vardesc *from = rg_block_var(w->block, old);
    rg_vardesc *var;
    RG_TRY(rg_block_add_var(w->block, fresh, &var));
    if (from != NULL)
        var->meta = from->meta;
    RG_TRY(rg_opdesc_rename(state->ops[i], old, fresh, false, true));
    state->names[i] = fresh;
    state->renamed++;
    return RG_OK;
}

rg_status rg_grads_contribute(rg_backward_walk *w, const char *name, rg_opdesc *op,
                              const char **out)
{
    rg_grad_state *state = rg_grads_of(w, name);
    const char *plain = rg_grads_name(w, name);
    if (state == NULL || plain == NULL)
        return rg_grads_no_memory();
    const rg_vardesc *var = rg_walk_find(w, name);
    bool array = var != NULL && var->meta.kind == RG_ARRAY;
    if (state->n == 0) {
        *out = plain;
        if (!array)
            RG_TRY(rg_grads_own_var(w, plain, name));
        return rg_grads_push(w, state, plain, op);
    }
    if (array) {
        *out = plain; /* gradients of an array are added to it in place */
        return RG_OK;
    }
    if (state->n == 1 && state->ops[0] != NULL && state->names[0] == plain)
        RG_TRY(give_rename(w, state, 0));
    const char *fresh = rename_name(w, plain, state->renamed++);
    if (fresh == NULL)
        return rg_grads_no_memory();
    *out = fresh;
    return rg_grads_push(w, state, fresh, op);
}

rg_status rg_grads_settle(rg_backward_walk *w, const char *name, const char **grad)
{
    rg_grad_state *state = rg_map_get(&w->states, name);
    *grad = NULL;
    if (state == NULL || state->n == 0)
        return RG_OK;
    if (state->n > 1) {
        rg_opdesc *sum;
        const char *plain = rg_grads_name(w, name);
        if (plain == NULL)
            return rg_grads_no_memory();
        RG_TRY(rg_walk_append(w, NULL, false, "sum", &sum));
        RG_TRY(rg_opdesc_set_in(sum, "X", state->n, state->names));
        RG_TRY(rg_opdesc_set_out(sum, "Out", 1, &plain));
        RG_TRY(rg_opdesc_infer(sum));
        state->names[0] = plain;
        state->ops[0] = sum;
        state->n = 1;
    }
    *grad = state->names[0];
    return RG_OK;
}
