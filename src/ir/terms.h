/* terms.h - a gradient op written out as ops that have gradients themselves.
 *
 * The gradient of a gradient op is that of what it computes. An op says that with `compose`
 * (op.h): it builds, of other ops, what its kernel computes at once, and autodiff walks back
 * over those instead of it. So it can be done any number of times over:
 *
 *     static void tanh_compose(rg_terms *t)
 *     {
 *         rg_term y = rg_term_in(t, "Out"), dy = rg_term_in(t, "Out@GRAD");
 *         rg_term slope = rg_term_scale(t, rg_term_of(t, "square", y), -1, 1);
 *         rg_term_give(t, "X@GRAD", rg_term_mul(t, dy, slope));
 *     }
 *
 * It must go by inputs of the forward op, or by outputs whose gradient that op passes on: not by
 * its intermediate outputs (means, norms), which it computes again.
 *
 * A term is a variable by its name, the program's. After a failure, which autodiff reports, each
 * function returns NULL; a NULL term is accepted everywhere, so that only the last is looked at. */
#ifndef RG_IR_TERMS_H
#define RG_IR_TERMS_H

#include "ir/program.h"

typedef const char *rg_term;

/* The variable in a slot that takes one; NULL where the slot is empty. */
rg_term rg_term_in(rg_terms *t, const char *slot);
/* The input slot `slot` of the forward op, found as the op that wrote what `made` holds. For a
 * gradient op that does not read that input itself. */
rg_term rg_term_source(rg_terms *t, const char *made, const char *slot);
/* Whether the output is there and its gradient known: else it need not be composed. */
bool rg_term_wanted(const rg_terms *t, const char *slot);
/* The output is this term. */
void rg_term_give(rg_terms *t, const char *slot, rg_term x);

/* Of the gradient op; its schema has it. */
const rg_attr *rg_term_attr(const rg_terms *t, const char *name);
/* What is known of it while the program is built. */
const rg_meta *rg_term_meta(const rg_terms *t, rg_term x);
void rg_term_fail(rg_terms *t, const char *why);

/* ---- ops ---- */

/* One more op, to be given slots and attributes; rg_term_end() names its output and runs its
 * shape rule. It comes before the ops of terms made later, so those it reads are made first. NULL
 * after a failure. */
rg_opdesc *rg_term_begin(rg_terms *t, const char *type);
void rg_term_put(rg_terms *t, rg_opdesc *op, const char *slot, rg_term x);
void rg_term_set(rg_terms *t, rg_opdesc *op, const rg_attr *attr);
rg_term rg_term_end(rg_terms *t, rg_opdesc *op, const char *out);

rg_term rg_term_of(rg_terms *t, const char *type, rg_term x); /* X -> Out */
rg_term rg_term_scale(rg_terms *t, rg_term x, double factor, double bias);
/* elementwise_TYPE; y's dimensions begin at `axis` of x's, -1: at its end. */
rg_term rg_term_elementwise(rg_terms *t, const char *type, rg_term x, rg_term y, int axis);
rg_term rg_term_add(rg_terms *t, rg_term x, rg_term y);
rg_term rg_term_sub(rg_terms *t, rg_term x, rg_term y);
rg_term rg_term_mul(rg_terms *t, rg_term x, rg_term y);
rg_term rg_term_div(rg_terms *t, rg_term x, rg_term y);
/* reduce_sum or reduce_mean over the dimensions named; without keep_dim they are gone. */
rg_term rg_term_reduce(rg_terms *t, const char *type, rg_term x, const int *dims, int n,
                       bool keep_dim);
/* dx of `TYPE_grad` for a function of one element whose gradient reads `slot`. */
rg_term rg_term_back(rg_terms *t, const char *type, const char *slot, rg_term from, rg_term dy);
/* The sum of x over what `like` is repeated along, in the shape of `like`: what elementwise
 * gradients do for Y. */
rg_term rg_term_fold(rg_terms *t, rg_term x, rg_term like, int axis);

/* x, of which dimensions were reduced, repeated along them: the shape of `like`. */
rg_term rg_term_spread(rg_terms *t, rg_term x, rg_term like, const int *dims, int n, bool keep_dim);
/* The same for an op with the attributes of reductions: x in the shape of its input X. */
rg_term rg_term_unreduce(rg_terms *t, rg_term x);
rg_term rg_term_filled(rg_terms *t, rg_term like, double value);

/* The gradient op itself once more, inputs and attributes as they are; what is put into a slot then
 * takes the place of what it had. For a factor of it that changes with no input: to be taken as a
 * constant, or it would be composed without end. */
rg_opdesc *rg_term_again(rg_terms *t);
/* The same, and no gradient flows to it. A term of one's own, not an input. */
rg_term rg_term_constant(rg_terms *t, rg_term x);

#endif
