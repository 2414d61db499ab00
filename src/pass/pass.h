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

/* Remove ops of block 0 that are there to train: gradients, updates, what goes to servers and comes
 * from them; keeps_rates: but not schedules of learning rates, which count steps. Not all effects
 * are kept, nor what is computed by such ops. */
void rg_pass_forward(rg_program *program, bool keeps_rates);
/* Remove ops of block 0 that nothing kept depends on. forward: of a program that rg_pass_forward()
 * has been through. */
rg_status rg_pass_dead_ops(rg_program *program, const rg_protected *keep, bool forward);
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
/* The last layer of a classifier with its loss and its way back as one. */
rg_status rg_pass_fuse_fc_loss(rg_program *program, const rg_protected *keep);
/* The slopes of layers' activations in the gradients of the layers behind them. */
rg_status rg_pass_fold_slopes(rg_program *program, const rg_protected *keep);
/* The sparse gradient of a table straight from those of its look-ups. */
rg_status rg_pass_fuse_embedding_grad(rg_program *program, const rg_protected *keep);
/* Gradients of tables on servers do not sort what the look-up has sorted. */
rg_status rg_pass_share_places(rg_program *program, const rg_protected *keep);
/* Gradients of large tables as rows, where the update does the same with them. */
rg_status rg_pass_sparse_tables(rg_program *program, const rg_protected *keep);
/* The gradients of many parts of one tensor as one op. */
rg_status rg_pass_fuse_parts(rg_program *program, const rg_protected *keep);
/* mul, matmul and their gradients in all blocks multiply as FLAGS_matmul_precision says; RG_EUNIMPL
 * where this CPU cannot. Not of those that keep the numbers; the same of the next. */
rg_status rg_pass_matmul_precision(rg_program *program);
/* Whether it was decorated for mixed precision; then it says by itself what is bfloat16 on a CPU:
 * casts to float16 and back are taken out, and the products between them marked. RG_EUNIMPL as
 * above. */
bool rg_program_is_mixed(const rg_program *program);
rg_status rg_pass_half_to_bf16(rg_program *program, const rg_protected *keep);
/* What layers of such products alone read is bfloat16: after they were fused. */
rg_status rg_pass_bf16_activations(rg_program *program, const rg_protected *keep);
/* Slices that are only sent, or only received and put together, not made at all. */
rg_status rg_pass_fuse_slices(rg_program *program, const rg_protected *keep);
/* Sums of gradients over ranks in lots, begun in backward and waited for before they are used. */
rg_status rg_pass_fuse_all_reduce(rg_program *program, const rg_protected *keep);

#endif
