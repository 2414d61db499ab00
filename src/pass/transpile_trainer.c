/* transpile_trainer.c - the trainer's program.
 *
 * Look-ups in tables go to servers; after the op that makes a gradient stands the
 * send of its slices; at the end a barrier where the mode has one, and a recv for each
 * parameter. transpile_start.c makes the startup program. */
#include "pass/transpile_priv.h"

#include "base/mem.h"
#include "pass/uses.h"

#include <string.h>

/* ---- small things ---- */

static size_t after_last_writer(const rg_block *block, const char *name)
{
    for (size_t i = block->n_ops; i-- > 0;)
        if (rg_op_writes(block->ops[i], name))
            return i + 1;
    return block->n_ops;
}

/* A gradient that is sent whole is renamed throughout, op_role_var included. */
static rg_status rename_everywhere(rg_block *block, const char *from, const char *to)
{
    RG_TRY(rg_block_rename_var(block, from, to));
    for (size_t b = 0; b < block->program->n_blocks; b++) {
        rg_block *each = block->program->blocks[b];
        if (b > 0 && rg_block_var(each, from) != NULL)
            continue;
        for (size_t i = 0; i < each->n_ops; i++) {
            rg_opdesc *op = each->ops[i];
            const rg_attr *roles = rg_opdesc_attr(op, "op_role_var");
            RG_TRY(rg_opdesc_rename(op, from, to, true, true));
            for (int k = 0; roles != NULL && roles->type == RG_ATTR_STRINGS && k < roles->n; k++)
                if (strcmp(roles->strings[k], from) == 0)
                    ((const char **)(uintptr_t)roles->strings)[k] = rg_program_name(block->program,
                                                                                    to);
        }
    }
    return RG_OK;
}

/* ---- look-ups ---- */

static bool same_attr(const rg_opdesc *a, const rg_opdesc *b, const char *name)
{
    const rg_attr *x = rg_opdesc_attr(a, name), *y = rg_opdesc_attr(b, name);
    return x != NULL && y != NULL && rg_attr_equal(x, y);
}

/* Whether the look-up `op` can be made as early as at index `at`, together with `first`. */
static bool may_join(const rg_block *block, const rg_opdesc *first, size_t at, const rg_opdesc *op,
                     size_t index)
{
    if (!rg_is_type(op, first->type) || !same_attr(first, op, "padding_idx"))
        return false;
    for (size_t i = at; i < index; i++)
        if (rg_op_writes(block->ops[i], rg_one_in(op, "Ids")))
            return false;
    return true;
}

bool rg_looks_up(const rg_opdesc *op, const char *table)
{
    const char *w = rg_one_in(op, "W");
    return (rg_is_type(op, "lookup_table") || rg_is_type(op, "lookup_table_v2")) && w != NULL &&
           strcmp(w, table) == 0 && rg_one_in(op, "Ids") && rg_one_out(op, "Out");
}

/* The earliest place where the ids of the look-up at `index` are there. */
static size_t ids_ready(const rg_block *block, size_t index)
{
    const char *ids = rg_one_in(block->ops[index], "Ids");
    for (size_t i = index; i-- > 0;)
        if (rg_op_writes(block->ops[i], ids))
            return i + 1;
    return 0;
}

/* Put one distributed_lookup_table in the place of the look-up at `at` and of those behind
 * it that can join: as early as all ids are there, so that tables are asked together. */
static rg_status replace_look_ups(rg_trainer *r, const rg_dist_param *param, size_t at)
{
    rg_block *block = r->block;
    const rg_opdesc *first = block->ops[at];
    const char **ids = rg_arena_alloc(&r->t->arena, block->n_ops * sizeof *ids);
    const char **outs = rg_arena_alloc(&r->t->arena, block->n_ops * sizeof *outs);
    const rg_attr *padding = rg_opdesc_attr(first, "padding_idx");
    rg_part_lists lists;
    size_t early = 0;
    rg_opdesc *op;
    int n = 0;
    if (ids == NULL || outs == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_list_parts(r->t, param, &lists));
    for (size_t i = at; i < block->n_ops;) {
        const rg_opdesc *each = block->ops[i];
        if (!rg_looks_up(each, param->name) || !may_join(block, first, at, each, i)) {
            i++;
            continue;
        }
        early = ids_ready(block, i) > early ? ids_ready(block, i) : early;
        ids[n] = rg_one_in(each, "Ids");
        outs[n++] = rg_one_out(each, "Out");
        rg_block_remove_ops(block, i, i + 1);
    }
    RG_TRY(rg_edit_op(block, early, "distributed_lookup_table", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_opdesc_set_in(op, "Ids", n, ids));
    RG_TRY(rg_edit_in(op, "W", param->name));
    RG_TRY(rg_opdesc_set_out(op, "Outputs", n, outs));
    RG_TRY(rg_edit_strings(op, "table_names", param->n_parts, lists.names));
    RG_TRY(rg_edit_longs(op, "height_sections", param->n_parts, lists.rows));
    RG_TRY(rg_edit_strings(op, "endpoints", param->n_parts, lists.endpoints));
    RG_TRY(rg_edit_long(op, "padding_idx", padding ? padding->l : -1));
    RG_TRY(rg_edit_int(op, "trainer_id", r->t->config.trainer_id));
    RG_TRY(rg_edit_string(op, "lookup_table_version", first->type));
    RG_TRY(rg_edit_int(op, "dtype", (int32_t)param->var->meta.dtype));
    return rg_opdesc_infer(op);
}

static rg_status replace_all_look_ups(rg_trainer *r)
{
    for (int i = 0; i < r->t->n_params; i++) {
        const rg_dist_param *param = &r->t->params[i];
        for (size_t k = 0; param->table && k < r->block->n_ops; k++)
            if (rg_looks_up(r->block->ops[k], param->name))
                RG_TRY(replace_look_ups(r, param, k));
    }
    return RG_OK;
}

/* ---- sending ---- */

static rg_status add_split(rg_trainer *r, const rg_dist_param *param, const rg_part_lists *lists,
                           size_t *at)
{
    bool sparse = param->grad_var->meta.kind == RG_ROWS;
    rg_opdesc *op;
    RG_TRY(rg_add_part_vars(r->block, param, param->grad_var, lists->grads));
    RG_TRY(rg_edit_op(r->block, (*at)++, sparse ? "split_selected_rows" : "split_byref",
                      RG_ROLE_DIST, &op));
    RG_TRY(rg_edit_in(op, "X", param->grad));
    RG_TRY(rg_opdesc_set_out(op, "Out", param->n_parts, lists->grads));
    RG_TRY(rg_edit_longs(op, sparse ? "height_sections" : "sections", param->n_parts, lists->rows));
    return rg_opdesc_infer(op);
}

static rg_status set_role_vars(rg_opdesc *op, const char *param, const char *grad)
{
    return rg_edit_strings(op, "op_role_var", 2, (const char *const[]){param, grad});
}

static rg_status add_send(rg_trainer *r, int i)
{
    const rg_dist_param *param = &r->t->params[i];
    bool whole = r->t->config.runtime_split;
    size_t at = after_last_writer(r->block, param->grad);
    const char *grad = param->grad;
    rg_part_lists lists;
    rg_opdesc *op;
    RG_TRY(rg_list_parts(r->t, param, &lists));
    if (!whole && param->n_parts > 1) {
        RG_TRY(add_split(r, param, &lists, &at));
    } else if (!whole && strcmp(grad, lists.grads[0]) != 0) {
        RG_TRY(rename_everywhere(r->block, grad, lists.grads[0]));
        grad = lists.grads[0];
    }
    RG_TRY(rg_add_control(r, &r->controls[i]));
    RG_TRY(rg_edit_op(r->block, at, "send", RG_ROLE_RPC, &op));
    if (whole)
        RG_TRY(rg_edit_in(op, "X", grad));
    else
        RG_TRY(rg_opdesc_set_in(op, "X", param->n_parts, lists.grads));
    RG_TRY(rg_edit_out(op, "Out", r->controls[i]));
    RG_TRY(rg_edit_int(op, "trainer_id", r->t->config.trainer_id));
    RG_TRY(rg_edit_strings(op, "epmap", param->n_parts, lists.endpoints));
    if (whole) {
        RG_TRY(rg_edit_strings(op, "send_varnames", param->n_parts, lists.grads));
        RG_TRY(rg_edit_longs(op, "sections", param->n_parts, lists.rows));
    }
    RG_TRY(set_role_vars(op, param->name, grad));
    return rg_opdesc_infer(op);
}

/* Without a barrier servers cannot count the steps: each trainer tells them. */
static rg_status add_counter(rg_trainer *r)
{
    rg_transpiler *t = r->t;
    const char *name = rg_counter_name(t, t->config.trainer_id), *control;
    const rg_vardesc *like = rg_block_find(t->main->blocks[0], t->counter);
    rg_vardesc *var;
    rg_opdesc *op;
    if (name == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_edit_var(r->block, name, like, &var));
    RG_TRY(rg_add_control(r, &control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send", RG_ROLE_RPC, &op));
    RG_TRY(rg_edit_in(op, "X", name));
    RG_TRY(rg_edit_out(op, "Out", control));
    RG_TRY(rg_edit_int(op, "trainer_id", t->config.trainer_id));
    RG_TRY(rg_edit_strings(op, "epmap", t->config.n_endpoints, t->config.endpoints));
    if (t->config.runtime_split)
        RG_TRY(rg_edit_strings(op, "send_varnames", 1, &name));
    RG_TRY(rg_edit_bool(op, "merge_add", true));
    RG_TRY(rg_edit_bool(op, "use_send_handler", false));
    RG_TRY(set_role_vars(op, name, name));
    return rg_opdesc_infer(op);
}

static rg_status add_barrier(rg_trainer *r, const char **control)
{
    const rg_transpile_config *c = &r->t->config;
    rg_opdesc *op;
    RG_TRY(rg_add_control(r, control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send_barrier", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", r->t->n_params, r->controls));
    RG_TRY(rg_edit_out(op, "Out", *control));
    RG_TRY(rg_edit_strings(op, "endpoints", c->n_endpoints, c->endpoints));
    RG_TRY(rg_edit_int(op, "trainer_id", c->trainer_id));
    RG_TRY(rg_edit_bool(op, "half_async", c->local_barrier));
    return rg_opdesc_infer(op);
}

/* ---- receiving ---- */

/* The names of all slices that trainers receive. */
static rg_status received(rg_transpiler *t, const char ***names, int *n)
{
    *n = 0;
    *names = rg_arena_alloc(&t->arena, (size_t)rg_transpiler_n_slices(t) * sizeof **names);
    if (*names == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < t->n_params; i++)
        for (int k = 0; !t->params[i].table && k < t->params[i].n_parts; k++)
            (*names)[(*n)++] = t->params[i].parts[k].name;
    return RG_OK;
}

static rg_status add_recvs(rg_trainer *r, const char *barrier)
{
    rg_transpiler *t = r->t;
    bool whole = t->config.runtime_split;
    for (int i = 0; i < t->n_params; i++) {
        const rg_dist_param *param = &t->params[i];
        rg_opdesc *op;
        if (param->table)
            continue;
        RG_TRY(rg_add_recv(r, param, barrier ? barrier : r->controls[i], whole, &op));
        const char *grad = whole || param->n_parts > 1
                               ? param->grad
                               : rg_sent_name(t, &param->parts[0], t->config.trainer_id);
        RG_TRY(set_role_vars(op, param->name, grad));
    }
    if (whole)
        return RG_OK;
    if (barrier != NULL) {
        const char **names;
        int n;
        RG_TRY(received(t, &names, &n));
        RG_TRY(rg_add_fetch_barrier(r, barrier, n, names));
    }
    return rg_add_concats(r, RG_ROLE_DIST);
}

/* ---- what goes ---- */

static rg_status note_name(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    (void)op, (void)output;
    return rg_map_put(arg, name, name);
}

/* What is in an op's sub-blocks goes with it. */
static void clear_sub_blocks(const rg_opdesc *op)
{
    for (int a = 0; a < op->n_attrs; a++) {
        rg_block *sub = op->attrs[a].type == RG_ATTR_BLOCK
                            ? rg_program_block(op->block->program, op->attrs[a].i)
                            : NULL;
        for (size_t i = 0; sub != NULL && i < sub->n_ops; i++)
            clear_sub_blocks(sub->ops[i]);
        if (sub != NULL)
            rg_block_remove_ops(sub, 0, sub->n_ops);
    }
}

/* Take out ops that servers run, and put those that follow the update to the end. */
static rg_status move_ops(rg_trainer *r, rg_map *gone)
{
    const rg_transpiler *t = r->t;
    size_t n = t->main->blocks[0]->n_ops;
    for (size_t i = 0; i < n; i++) {
        rg_opdesc *op = r->was[i];
        size_t at = rg_opdesc_index(op);
        bool goes = t->fate[i] == RG_UPDATES || (t->fate[i] == RG_SCHEDULES && !t->schedule_stays);
        if (at == r->block->n_ops)
            continue; /* a look-up */
        if (goes) {
            RG_TRY(rg_visit_names(op, note_name, gone));
            clear_sub_blocks(op);
        }
        if (t->fate[i] == RG_FOLLOWS)
            RG_TRY(rg_block_copy_op(r->block, r->block->n_ops, op, NULL));
        if (goes || t->fate[i] == RG_FOLLOWS)
            rg_block_remove_ops(r->block, at, at + 1);
        else if (t->fate[i] == RG_PREPARES)
            RG_TRY(rg_edit_int(op, "op_role", RG_ROLE_BACKWARD));
    }
    return RG_OK;
}

/* Variables of ops that went, and that nobody uses any more. */
static rg_status remove_unused(rg_block *block, const rg_map *gone)
{
    rg_map used = {0};
    rg_status code = RG_OK;
    for (size_t i = 0; i < block->n_ops; i++)
        RG_TRY_GOTO(code, rg_visit_names(block->ops[i], note_name, &used));
    for (size_t i = 0; i < gone->n_entries; i++) {
        const rg_map_entry *e = rg_map_at(gone, i);
        const rg_vardesc *var = e ? rg_block_var(block, e->key) : NULL;
        if (var != NULL && !var->is_parameter && !var->is_data && !rg_map_has(&used, e->key))
            rg_block_remove_var(block, e->key);
    }
done:
    rg_map_fini(&used);
    return code;
}

static rg_status trim(rg_trainer *r)
{
    rg_map gone = {0};
    rg_status code = move_ops(r, &gone);
    if (code == RG_OK)
        code = remove_unused(r->block, &gone);
    rg_map_fini(&gone);
    return code;
}

/* ---- the two programs ---- */

rg_status rg_add_exchange(rg_trainer *r, bool barrier)
{
    const rg_transpile_config *c = &r->t->config;
    const char *control = NULL;
    RG_TRY(replace_all_look_ups(r));
    for (int i = 0; i < r->t->n_params; i++)
        RG_TRY(add_send(r, i));
    if (r->t->counter != NULL && c->mode->counts)
        RG_TRY(add_counter(r));
    if (barrier)
        RG_TRY(add_barrier(r, &control));
    RG_TRY(add_recvs(r, c->local_barrier ? NULL : control));
    return trim(r);
}

static rg_status same_ops(const rg_program *program, const rg_program *given)
{
    const rg_block *a = program->blocks[0], *b = given->blocks[0];
    bool same = a->n_ops == b->n_ops;
    for (size_t i = 0; same && i < a->n_ops; i++)
        same = strcmp(a->ops[i]->type, b->ops[i]->type) == 0;
    return same ? RG_OK : rg_fail(RG_EINVAL, "the program has changed since it was transpiled");
}

rg_status rg_transpile_trainer(rg_transpiler *t, rg_program *main, rg_program *startup)
{
    RG_TRY(same_ops(main, t->main));
    RG_TRY(same_ops(startup, t->startup));
    rg_block *block = main->blocks[0];
    rg_trainer r = {.t = t, .block = block};
    r.was = rg_arena_copy(&t->arena, block->ops, block->n_ops * sizeof *block->ops);
    r.controls = rg_arena_zero(&t->arena, (size_t)t->n_params * sizeof *r.controls);
    if (r.was == NULL || r.controls == NULL)
        return rg_transpile_no_memory();
    rg_labels labels, startup_labels;
    rg_labels_clear(main, &labels);
    rg_labels_clear(startup, &startup_labels);
    rg_status code = t->config.mode->trainer(&r);
    r.block = startup->blocks[0];
    r.n_controls = 0;
    if (code == RG_OK)
        code = rg_trainer_startup(&r, block);
    rg_labels_restore(main, &labels);
    rg_labels_restore(startup, &startup_labels);
    return code;
}
