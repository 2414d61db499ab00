/* backward_priv.h - what the files of the reverse walk share.
 *
 * backward.c walks the ops and their sub-blocks, backward_ops.c makes the gradient ops of one op,
 * backward_sum.c names the gradient of a variable and sums what ops contribute to it,
 * backward_second.c makes the gradients of gradient ops, backward_recompute.c runs ops again whose
 * results were not kept. */
#ifndef RG_IR_BACKWARD_PRIV_H
#define RG_IR_BACKWARD_PRIV_H

#include "base/mem.h"
#include "ir/backward.h"

#include <string.h>

/* What is known of one variable's gradient so far. */
typedef struct rg_grad_state {
    const char **names; /* contributions not yet summed */
    rg_opdesc **ops;    /* the op that writes each; NULL: from outside */
    int n;
    const char *plain; /* the name of the whole: x@GRAD */
    int renamed;       /* contributions that have been given a @RENAME@ name */
    const char *final; /* of the op at hand: its output's gradient, summed; NULL: none */
} rg_grad_state;

/* Of one block; a sub-block is walked within the walk of the one around it. */
typedef struct rg_backward_walk {
    rg_block *block;   /* where gradient ops go */
    rg_block *forward; /* whose ops are walked */
    const rg_backward_options *options;
    struct rg_backward_walk *outer; /* of the block around a sub-block */
    bool no_roles;          /* gradient ops do not say which parameter's gradient they write */
    struct rg_grad_ctx *at; /* of a sub-block: the op of `outer` that runs it */
    rg_map states;          /* name -> rg_grad_state */
    rg_map no_grad;
    rg_map last_writer; /* name -> 1 + index in `forward` of the last op that writes it */
    rg_map copy_of;     /* of copies that composed ops read: copy -> what it is a copy of */
    rg_map
        constants; /* variables that depend on nothing that has a gradient; see knows_constants */
    bool knows_constants;
    int n_temporaries; /* names given */
    /* With checkpoints: the ops that make them, in order; how many ops write a variable; what
     * the segment at hand has computed again: name -> its new name. */
    size_t *ends;
    int n_ends;
    rg_map checkpoints, writers, again;
    size_t n_forward; /* ops of `forward` that are walked, and those before them */
    rg_arena arena;
} rg_backward_walk;

struct rg_grad_ctx {
    rg_backward_walk *walk;
    const rg_opdesc *op;
    size_t index;     /* of the op, in walk->forward */
    rg_opdesc *after; /* the last op of walk->block before those appended for it */
};

static inline rg_status rg_grads_no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory for gradients");
}

/* ---- the gradient of a variable (backward_sum.c) ---- */

/* Made when it is first asked for; NULL: no memory. The walk's. */
rg_grad_state *rg_grads_of(rg_backward_walk *w, const char *name);
/* x@GRAD; where an earlier call has made that variable, grad/grad/x@GRAD and so on. The program's;
 * NULL: no memory. */
const char *rg_grads_name(rg_backward_walk *w, const char *name);
/* The same of what is differentiated: x@GRAD, or x@GRAD_0 and so on. */
const char *rg_grads_target_name(rg_backward_walk *w, const char *name);
/* What snprintf made in `text` of `size` bytes, as a name of the program; NULL: no memory, or too
 * long. */
const char *rg_grads_keep_name(rg_backward_walk *w, const char *text, int length, size_t size);
/* Whether the variable is one that gradients flow to. */
bool rg_grads_wanted(const rg_backward_walk *w, const char *name);
/* In a sub-block, gradients are its own: a variable of that name around it is another. */
rg_status rg_grads_own_var(rg_backward_walk *w, const char *grad, const char *name);
/* One more contribution, under the name that it has. */
rg_status rg_grads_push(rg_backward_walk *w, rg_grad_state *state, const char *name, rg_opdesc *op);
/* A name for one more contribution, by `op`, to the gradient of `name`. */
rg_status rg_grads_contribute(rg_backward_walk *w, const char *name, rg_opdesc *op,
                              const char **out);
/* The gradient of `name` as one variable: *grad, or NULL where there is none. */
rg_status rg_grads_settle(rg_backward_walk *w, const char *name, const char **grad);

/* ---- the gradient ops of an op (backward_ops.c) ---- */

/* An earlier loss's update of a parameter, or of a rate: what comes after it computes with the
 * new value, and it is that whose gradient is wanted. */
bool rg_walk_is_update(const rg_opdesc *op);

rg_status rg_walk_set_role(rg_opdesc *op, int role);
/* An op at the end of the walk's block, with the common attributes of `forward` (NULL: none), and
 * with_attrs the others that it knows. */
rg_status rg_walk_append(rg_backward_walk *w, const rg_opdesc *forward, bool with_attrs,
                         const char *type, rg_opdesc **out);
/* Append the gradient ops of `op`, the one at `index` of w->forward, or one of w->block that stands
 * for it (then index is w->n_forward). Those that read its outputs have had their turn. */
rg_status rg_walk_differentiate(rg_backward_walk *w, const rg_opdesc *op, size_t index);
/* The variable that the walk's ops know by this name; NULL: none. */
const rg_vardesc *rg_walk_find(const rg_backward_walk *w, const char *name);
/* A name that no variable has yet, after another's; NULL: no memory. */
const char *rg_walk_temporary(rg_backward_walk *w, const char *after);
/* The op's gradient op by the rule of op.h; NULL: none. */
const rg_op *rg_grad_op_of(const rg_op *op);
/* "X" of "X@GRAD", into text; false where the name is not a gradient's. */
bool rg_grad_without_suffix(const char *name, char *text, size_t size);
/* The variable that holds, when the gradient runs, what `name` was when the op at hand began. */
rg_status rg_walk_value_before(rg_grad_ctx *ctx, const char *name, const char **out);

/* ---- checkpoints (backward_recompute.c) ---- */

/* Before the walk over the forward ops; n_forward and last_writer are known. */
rg_status rg_recompute_begin(rg_backward_walk *w);
/* Before the op at `index` is differentiated: where it ends a segment, that is run again. */
rg_status rg_recompute_enter(rg_backward_walk *w, size_t index, const bool *on_path);

/* ---- the gradient of a gradient op (backward_second.c) ---- */

/* An op being composed of others (terms.h). */
struct rg_terms {
    rg_grad_ctx *ctx;
    rg_status code; /* the first failure */
};

static inline const char *rg_grad_named(const rg_args *args, int i)
{
    return args != NULL && i < args->n && strcmp(args->names[i], RG_EMPTY_NAME) != 0
               ? args->names[i]
               : NULL;
}

/* The gradient of number i of the op's output `slot`; NULL: none. */
const char *rg_grad_of_output(const rg_grad_ctx *ctx, const char *slot, int i);
/* Whether any of the slot has one. */
bool rg_grad_has(const rg_grad_ctx *ctx, const char *slot);

/* Where `op` is a gradient op without a `grad` function: *done. Fails where it has no gradient and
 * needs one. */
rg_status rg_grad_second(rg_grad_ctx *ctx, bool *done);

#endif
