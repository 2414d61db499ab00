/* recompute.h - the mark of what is computed a second time (backward_recompute.c). */
#ifndef RG_IR_RECOMPUTE_H
#define RG_IR_RECOMPUTE_H

/* In names: x.subprog_0 is x again, as real Paddle has it. */
#define RG_AGAIN_MARK ".subprog_"

#endif
