/* pass.h - program to program: what a plan does to its copy before it runs.
 *
 * A pass keeps the numbers: the program that it leaves computes the same values of
 * the protected variables, to rounding, and has the same effects. */
#ifndef RG_PASS_PASS_H
#define RG_PASS_PASS_H

#include "ir/program.h"

/* Variables that must keep their names and values: feeds and fetches. Persistable
 * variables are always kept. */
typedef struct rg_protected {
    const char *const *names;
    int n;
} rg_protected;

/* Remove ops of block 0 that nothing kept depends on. */
rg_status rg_pass_dead_ops(rg_program *program, const rg_protected *keep);
/* Fully connected layers, their gradients and SGD steps as one op each. */
rg_status rg_pass_fuse_fc(rg_program *program, const rg_protected *keep);
/* The gradients of softmax and cross entropy as one. */
rg_status rg_pass_fuse_softmax(rg_program *program, const rg_protected *keep);
/* The SGD step of an embedding straight from the gradients of its look-ups. */
rg_status rg_pass_fuse_embedding(rg_program *program, const rg_protected *keep);
/* Look-ups side by side, and the SGD steps of their tables, as one op each. */
rg_status rg_pass_fuse_gather(rg_program *program, const rg_protected *keep);
/* Columns of zeros behind look-ups side by side, for kernels that take vectors. */
rg_status rg_pass_pad_rows(rg_program *program, const rg_protected *keep);
/* Softmax, cross entropy, mean and their gradients as one. */
rg_status rg_pass_fuse_loss(rg_program *program, const rg_protected *keep);
/* The sparse gradient of a table straight from those of its look-ups. */
rg_status rg_pass_fuse_embedding_grad(rg_program *program, const rg_protected *keep);
/* Gradients of large tables as rows, where the update does the same with them. */
rg_status rg_pass_sparse_tables(rg_program *program, const rg_protected *keep);
/* The gradients of many parts of one tensor as one op. */
rg_status rg_pass_fuse_parts(rg_program *program, const rg_protected *keep);
/* Slices that are only sent, or only received and put together, not made at all. */
rg_status rg_pass_fuse_slices(rg_program *program, const rg_protected *keep);

#endif
