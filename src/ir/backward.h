/* backward.h - autodiff: gradients as ops appended to the program.
 *
 * Names are Fluid's: the gradient of x is x@GRAD; where several ops read x, each
 * contribution is x@GRAD@RENAME@block0@i and a sum op makes x@GRAD of them. What an earlier
 * call has named so is grad/grad/x@GRAD in the second call, and so on. */
#ifndef RG_IR_BACKWARD_H
#define RG_IR_BACKWARD_H

#include "ir/program.h"

typedef struct rg_grad_pair {
    const char *var;
    const char *grad; /* NULL: the loss does not depend on it */
} rg_grad_pair;

typedef struct rg_backward_options {
    const char *const *no_grad; /* variables whose gradient is not wanted */
    int n_no_grad;
    /* What is made between these variables is computed again, not kept; see backward_recompute.c.
     */
    const char *const *checkpoints;
    int n_checkpoints;
    int times; /* calls so far for the program, this one counted; 0: not known, names end in _0 */
    /* Called after each gradient op has been appended; may be NULL. */
    rg_status (*after_op)(void *arg, rg_opdesc *op);
    void *arg;
} rg_backward_options;

/* Append the gradients of `loss`, a scalar of this block, and pair each of the n
 * `parameters` with its gradient. `pairs` is the caller's, of n. */
rg_status rg_append_backward(rg_block *block, const char *loss, const char *const *parameters,
                             int n, rg_grad_pair *pairs, const rg_backward_options *options);

/* Append the gradients of the `targets`, weighted by `target_grads` (a NULL there:
 * ones), with respect to `inputs`, and name them in `grads`, one for each input. */
rg_status rg_gradients(rg_block *block, const char *const *targets, const char *const *target_grads,
                       int n_targets, const char *const *inputs, int n_inputs, const char **grads,
                       const rg_backward_options *options);

/* Whether gradients flow back through it, where it is an op of the forward part. */
bool rg_op_has_gradient(const rg_op *op);

#endif
