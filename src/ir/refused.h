/* refused.h - the ops of Paddle 1.8.5 that are not here, and why. */
#ifndef RG_IR_REFUSED_H
#define RG_IR_REFUSED_H

typedef struct rg_refused {
    const char *why;   /* ends a sentence that begins with "op X" */
    const char *types; /* with a space before and after each */
} rg_refused;

/* Ended by one without types. */
extern const rg_refused rg_refused_ops[];

/* NULL where the op is not one of them. */
const char *rg_op_refusal(const char *type);

#endif
