/* norm_terms.h - the gradients of the normalising ops (batch, layer, instance) composed of ops that
 * have gradients, for gradients taken twice over. */
#ifndef RG_OPS_NORM_TERMS_H
#define RG_OPS_NORM_TERMS_H

#include "ir/terms.h"

/* X@GRAD, Scale@GRAD and Bias@GRAD of Y = scale (x - mean) / sqrt(variance + epsilon) + bias, both
 * taken over the dimensions `dims`, n of them. scale, if there is one, and bias have the
 * dimensions of x from `axis` on. */
typedef struct rg_norm_terms {
    int dims[RG_MAX_DIMS];
    int n, axis;
    rg_term scale; /* NULL: 1 */
    rg_term bias;  /* as scale; NULL: of its shape, if its gradient is wanted */
    bool flat;     /* Scale and Bias themselves have one dimension, whatever these have */
    /* Of a mean and a deviation that are given: constants, of a channel each. */
    rg_term mean, inverse;
} rg_norm_terms;

void rg_compose_norm(rg_terms *t, const rg_norm_terms *norm);

#endif
