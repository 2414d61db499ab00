/* fit.h - whether the gradients that a gradient op is given are of what its forward op made.
 *
 * A gradient op takes the shape of X@GRAD from X and believes that Out@GRAD fits it. Autodiff makes
 * it so; a loss that is fed in another size than is declared, or a program from elsewhere, may not.
 * So where the op has no shape rule of its own, which would refuse it, Out@GRAD is held to Out, if
 * that is an input, and to what the forward op's rule makes of the inputs that the two ops share.
 * What has no elements takes any gradient, as one without elements. */
#ifndef RG_IR_FIT_H
#define RG_IR_FIT_H

#include "base/arena.h"
#include "ir/op.h"

typedef struct rg_fit rg_fit;

/* What there is to compare, looked up once; NULL where there is nothing. It lives in `arena`. */
rg_status rg_fit_bind(const rg_fit **fit, rg_arena *arena, const rg_ctx *ctx);

/* RG_ESHAPE, naming the gradient. Only while the program runs, when shapes have changed. */
rg_status rg_fit_check(const rg_fit *fit, const rg_ctx *ctx);

#endif
