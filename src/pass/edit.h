/* edit.h - short ways to add to programs: ops with their attributes, variables, copies of
 * ops with all that is in them. */
#ifndef RG_PASS_EDIT_H
#define RG_PASS_EDIT_H

#include "ir/program.h"

/* What a program gives to the ops that are added to it (op_role, the user's line, ...), set
 * aside while a pass adds its own. */
typedef struct rg_labels {
    int32_t op_role;
    const char **role_vars;
    int n_role_vars;
    const char *namescope, *device, *where;
} rg_labels;

void rg_labels_clear(rg_program *program, rg_labels *old);
void rg_labels_restore(rg_program *program, const rg_labels *old);

/* A new op of that role before the op at `index`. */
rg_status rg_edit_op(rg_block *block, size_t index, const char *type, int role, rg_opdesc **op);
rg_status rg_edit_in(rg_opdesc *op, const char *slot, const char *name);
rg_status rg_edit_out(rg_opdesc *op, const char *slot, const char *name);

rg_status rg_edit_int(rg_opdesc *op, const char *name, int32_t value);
rg_status rg_edit_long(rg_opdesc *op, const char *name, int64_t value);
rg_status rg_edit_float(rg_opdesc *op, const char *name, float value);
rg_status rg_edit_bool(rg_opdesc *op, const char *name, bool value);
rg_status rg_edit_string(rg_opdesc *op, const char *name, const char *value);
rg_status rg_edit_strings(rg_opdesc *op, const char *name, int n, const char *const *values);
rg_status rg_edit_longs(rg_opdesc *op, const char *name, int n, const int64_t *values);
/* The attribute `shape`, of whatever type the op wants it to be. */
rg_status rg_edit_shape(rg_opdesc *op, const rg_shape *shape);

/* The variable in `block` as `from` describes it, under another name if that is not NULL. */
rg_status rg_edit_var(rg_block *block, const char *name, const rg_vardesc *from, rg_vardesc **var);
/* A copy of the op at the end of the block, sub-blocks and all. */
rg_status rg_edit_copy(rg_block *block, const rg_opdesc *from, rg_opdesc **op);

/* Call `visit` for each argument of the op and of the ops in its sub-blocks. */
typedef rg_status (*rg_visit_name)(void *arg, const rg_opdesc *op, const char *name, bool output);
rg_status rg_visit_names(const rg_opdesc *op, rg_visit_name visit, void *arg);

#endif
