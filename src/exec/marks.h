/* marks.h - which variables of a program tell how training goes, and whether it is training. */
#ifndef RG_EXEC_MARKS_H
#define RG_EXEC_MARKS_H

#include "ir/program.h"

/* What the backward pass began at; NULL: none. Borrowed from the program. */
const char *rg_find_loss(const rg_program *program);
/* Whether it is a sum over the instances of a batch, and not their mean. */
bool rg_loss_is_sum(const rg_program *program);
/* Whether anything of it is trained: updates here, or gradients for servers. */
bool rg_has_updates(const rg_program *program);
/* The area under the curve of everything since the start; NULL: none. */
const char *rg_find_auc(const rg_program *program);

/* Where its counts are, by name; false: there are none. */
bool rg_find_auc_counts(const rg_program *program, const char **pos, const char **neg);

#endif
