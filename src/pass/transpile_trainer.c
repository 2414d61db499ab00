/* transpile_trainer.c - the trainer's programs.
 *
 * Main: look-ups in tables go to servers; after the op that makes a gradient stands the
 * send of its slices; at the end a barrier where the mode has one, and a recv for each
 * parameter. Startup: parameters come from the servers, tables get a shape and no memory.
 * In geo mode the optimizer stays, and one send at the end says what was touched. */
#include "pass/transpile_priv.h"

#include "base/mem.h"
#include "pass/uses.h"

#include <string.h>

typedef struct trainer {
    rg_transpiler *t;
    rg_block *block;
    rg_opdesc **was;       /* the ops of the block as they were, by index */
    const char **controls; /* by parameter: what stands for its send */
    int n_controls;        /* made so far */
} trainer;

/* ---- small things ---- */

/* Variables without data that put communication ops in order. */
static rg_status add_control(trainer *r, const char **name)
{
    rg_vardesc *var;
    *name = rg_text(r->t, "__control_var@%d", r->n_controls++);
    if (*name == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_block_add_var(r->block, *name, &var));
    var->meta.dtype = RG_BOOL;
    var->has_tensor = true;
    return RG_OK;
}

typedef struct part_lists {
    const char **names, **grads, **endpoints;
    int64_t *rows;
} part_lists;

/* The slices of a parameter, as attributes want them. */
static rg_status list_parts(rg_transpiler *t, const rg_dist_param *param, part_lists *lists)
{
    size_t n = (size_t)param->n_parts;
    lists->names = rg_arena_alloc(&t->arena, n * sizeof *lists->names);
    lists->grads = rg_arena_alloc(&t->arena, n * sizeof *lists->grads);
    lists->endpoints = rg_arena_alloc(&t->arena, n * sizeof *lists->endpoints);
    lists->rows = rg_arena_alloc(&t->arena, n * sizeof *lists->rows);
    if (!lists->names || !lists->grads || !lists->endpoints || !lists->rows)
        return rg_transpile_no_memory();
    for (int i = 0; i < param->n_parts; i++) {
        const rg_part *part = &param->parts[i];
        lists->names[i] = part->name;
        lists->grads[i] = rg_sent_name(t, part, t->config.trainer_id);
        lists->endpoints[i] = t->config.endpoints[part->endpoint];
        lists->rows[i] = part->shape.dim[0];
        if (lists->grads[i] == NULL)
            return rg_transpile_no_memory();
    }
    return RG_OK;
}

static rg_status add_part_vars(rg_block *block, const rg_dist_param *param, const rg_vardesc *like,
                               const char *const *names)
{
    for (int i = 0; i < param->n_parts; i++) {
        rg_vardesc *var;
        RG_TRY(rg_edit_var(block, names[i], like, &var));
        var->meta.shape = param->parts[i].shape;
        var->persistable = var->is_parameter = var->trainable = false;
    }
    return RG_OK;
}

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

static bool looks_up(const rg_opdesc *op, const char *table)
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
static rg_status replace_look_ups(trainer *r, const rg_dist_param *param, size_t at)
{
    rg_block *block = r->block;
    const rg_opdesc *first = block->ops[at];
    const char **ids = rg_arena_alloc(&r->t->arena, block->n_ops * sizeof *ids);
    const char **outs = rg_arena_alloc(&r->t->arena, block->n_ops * sizeof *outs);
    const rg_attr *padding = rg_opdesc_attr(first, "padding_idx");
    part_lists lists;
    size_t early = 0;
    rg_opdesc *op;
    int n = 0;
    if (ids == NULL || outs == NULL)
        return rg_transpile_no_memory();
    RG_TRY(list_parts(r->t, param, &lists));
    for (size_t i = at; i < block->n_ops;) {
        const rg_opdesc *each = block->ops[i];
        if (!looks_up(each, param->name) || !may_join(block, first, at, each, i)) {
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

static rg_status replace_all_look_ups(trainer *r)
{
    for (int i = 0; i < r->t->n_params; i++) {
        const rg_dist_param *param = &r->t->params[i];
        for (size_t k = 0; param->table && k < r->block->n_ops; k++)
            if (looks_up(r->block->ops[k], param->name))
                RG_TRY(replace_look_ups(r, param, k));
    }
    return RG_OK;
}

/* ---- sending ---- */

static rg_status add_split(trainer *r, const rg_dist_param *param, const part_lists *lists,
                           size_t *at)
{
    bool sparse = param->grad_var->meta.kind == RG_ROWS;
    rg_opdesc *op;
    RG_TRY(add_part_vars(r->block, param, param->grad_var, lists->grads));
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

static rg_status add_send(trainer *r, int i)
{
    const rg_dist_param *param = &r->t->params[i];
    bool whole = r->t->config.runtime_split;
    size_t at = after_last_writer(r->block, param->grad);
    const char *grad = param->grad;
    part_lists lists;
    rg_opdesc *op;
    RG_TRY(list_parts(r->t, param, &lists));
    if (!whole && param->n_parts > 1) {
        RG_TRY(add_split(r, param, &lists, &at));
    } else if (!whole && strcmp(grad, lists.grads[0]) != 0) {
        RG_TRY(rename_everywhere(r->block, grad, lists.grads[0]));
        grad = lists.grads[0];
    }
    RG_TRY(add_control(r, &r->controls[i]));
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
static rg_status add_counter(trainer *r)
{
    rg_transpiler *t = r->t;
    const char *name = rg_counter_name(t, t->config.trainer_id), *control;
    const rg_vardesc *like = rg_block_find(t->main->blocks[0], t->counter);
    rg_vardesc *var;
    rg_opdesc *op;
    if (name == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_edit_var(r->block, name, like, &var));
    RG_TRY(add_control(r, &control));
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

static rg_status add_barrier(trainer *r, const char **control)
{
    const rg_transpile_config *c = &r->t->config;
    rg_opdesc *op;
    RG_TRY(add_control(r, control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send_barrier", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", r->t->n_params, r->controls));
    RG_TRY(rg_edit_out(op, "Out", *control));
    RG_TRY(rg_edit_strings(op, "endpoints", c->n_endpoints, c->endpoints));
    RG_TRY(rg_edit_int(op, "trainer_id", c->trainer_id));
    RG_TRY(rg_edit_bool(op, "half_async", c->local_barrier));
    return rg_opdesc_infer(op);
}

/* ---- receiving ---- */

/* `after`, which may be NULL, stands for what must be over first. */
static rg_status add_recv(trainer *r, const rg_dist_param *param, const char *after, bool whole,
                          rg_opdesc **out)
{
    part_lists lists;
    rg_opdesc *op;
    RG_TRY(list_parts(r->t, param, &lists));
    if (!whole && param->n_parts > 1)
        RG_TRY(add_part_vars(r->block, param, param->var, lists.names));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "recv", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", after ? 1 : 0, &after));
    if (whole)
        RG_TRY(rg_edit_out(op, "Out", param->name));
    else
        RG_TRY(rg_opdesc_set_out(op, "Out", param->n_parts, lists.names));
    RG_TRY(rg_edit_strings(op, "epmap", param->n_parts, lists.endpoints));
    RG_TRY(rg_edit_int(op, "trainer_id", r->t->config.trainer_id));
    if (whole)
        RG_TRY(rg_edit_strings(op, "recv_varnames", param->n_parts, lists.names));
    *out = op;
    return rg_opdesc_infer(op);
}

static rg_status add_fetch_barrier(trainer *r, const char *after, int n, const char *const *outs)
{
    const rg_transpile_config *c = &r->t->config;
    rg_opdesc *op;
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "fetch_barrier", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", after ? 1 : 0, &after));
    RG_TRY(rg_opdesc_set_out(op, "Out", n, outs));
    RG_TRY(rg_edit_strings(op, "endpoints", c->n_endpoints, c->endpoints));
    RG_TRY(rg_edit_int(op, "trainer_id", c->trainer_id));
    return rg_opdesc_infer(op);
}

static rg_status add_concats(trainer *r, int role)
{
    for (int i = 0; i < r->t->n_params; i++) {
        const rg_dist_param *param = &r->t->params[i];
        part_lists lists;
        rg_opdesc *op;
        if (param->table || param->n_parts == 1)
            continue;
        RG_TRY(list_parts(r->t, param, &lists));
        RG_TRY(rg_edit_op(r->block, r->block->n_ops, "concat", role, &op));
        RG_TRY(rg_opdesc_set_in(op, "X", param->n_parts, lists.names));
        RG_TRY(rg_edit_out(op, "Out", param->name));
        RG_TRY(rg_edit_int(op, "axis", 0));
        RG_TRY(rg_opdesc_infer(op));
    }
    return RG_OK;
}

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

static rg_status add_recvs(trainer *r, const char *barrier)
{
    rg_transpiler *t = r->t;
    bool whole = t->config.runtime_split;
    for (int i = 0; i < t->n_params; i++) {
        const rg_dist_param *param = &t->params[i];
        rg_opdesc *op;
        if (param->table)
            continue;
        RG_TRY(add_recv(r, param, barrier ? barrier : r->controls[i], whole, &op));
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
        RG_TRY(add_fetch_barrier(r, barrier, n, names));
    }
    return add_concats(r, RG_ROLE_DIST);
}

/* ---- what goes ---- */

static rg_status note_name(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    (void)op, (void)output;
    return rg_map_put(arg, name, name);
}

/* Take out ops that servers run, and put those that follow the update to the end. */
static rg_status move_ops(trainer *r, rg_map *gone)
{
    const rg_transpiler *t = r->t;
    size_t n = t->main->blocks[0]->n_ops;
    for (size_t i = 0; i < n; i++) {
        rg_opdesc *op = r->was[i];
        size_t at = rg_opdesc_index(op);
        bool goes = t->fate[i] == RG_UPDATES || (t->fate[i] == RG_SCHEDULES && !t->schedule_stays);
        if (at == r->block->n_ops)
            continue; /* a look-up */
        if (goes)
            RG_TRY(rg_visit_names(op, note_name, gone));
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

static rg_status trim(trainer *r)
{
    rg_map gone = {0};
    rg_status code = move_ops(r, &gone);
    if (code == RG_OK)
        code = remove_unused(r->block, &gone);
    rg_map_fini(&gone);
    return code;
}

/* ---- geo: the optimizer stays ---- */

static rg_status add_geo_attrs(rg_transpiler *t, rg_opdesc *op)
{
    int n = rg_transpiler_n_slices(t);
    const char **params = rg_arena_alloc(&t->arena, (size_t)n * sizeof *params);
    const char **names = rg_arena_alloc(&t->arena, (size_t)n * sizeof *names);
    const char **endpoints = rg_arena_alloc(&t->arena, (size_t)n * sizeof *endpoints);
    int64_t *rows = rg_arena_alloc(&t->arena, (size_t)n * sizeof *rows);
    if (!params || !names || !endpoints || !rows)
        return rg_transpile_no_memory();
    for (int i = 0; i < n; i++) {
        rg_param_slice slice = rg_transpiler_slice(t, i);
        params[i] = slice.param;
        names[i] = slice.name;
        endpoints[i] = slice.endpoint;
        rows[i] = slice.rows;
    }
    RG_TRY(rg_edit_int(op, "trainer_id", t->config.trainer_id));
    RG_TRY(rg_edit_strings(op, "epmap", n, endpoints));
    RG_TRY(rg_edit_strings(op, "geo_params", n, params));
    RG_TRY(rg_edit_strings(op, "geo_slices", n, names));
    RG_TRY(rg_edit_longs(op, "geo_sections", n, rows));
    RG_TRY(rg_edit_int(op, "geo_push_nums", t->config.geo_push_nums));
    return rg_edit_int(op, "geo_trainers", t->config.trainers);
}

/* One send: the ids that were looked up, and in which table each. */
static rg_status geo_main(trainer *r)
{
    rg_transpiler *t = r->t;
    size_t n_ops = r->block->n_ops;
    const char **ids = rg_arena_alloc(&t->arena, n_ops * sizeof *ids);
    const char **tables = rg_arena_alloc(&t->arena, n_ops * sizeof *tables), *control;
    rg_opdesc *op;
    int n = 0;
    if (ids == NULL || tables == NULL)
        return rg_transpile_no_memory();
    for (size_t i = 0; i < n_ops; i++)
        for (int k = 0; k < t->n_params; k++)
            if (t->params[k].table && looks_up(r->block->ops[i], t->params[k].name)) {
                RG_TRY(rg_edit_bool(r->block->ops[i], "remote_prefetch", false));
                ids[n] = rg_one_in(r->block->ops[i], "Ids");
                tables[n++] = t->params[k].name;
            }
    RG_TRY(add_control(r, &control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", n, ids));
    RG_TRY(rg_edit_out(op, "Out", control));
    RG_TRY(rg_edit_strings(op, "send_varnames", n, tables));
    RG_TRY(add_geo_attrs(t, op));
    return rg_opdesc_infer(op);
}

/* The snapshot that changes are counted from is taken here. */
static rg_status geo_startup(trainer *r)
{
    const char *control, *init = "param_init";
    rg_vardesc *var;
    rg_opdesc *op;
    RG_TRY(rg_block_add_var(r->block, init, &var));
    var->meta.dtype = RG_BOOL;
    var->has_tensor = true;
    RG_TRY(add_control(r, &control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_edit_in(op, "X", init));
    RG_TRY(rg_edit_out(op, "Out", control));
    RG_TRY(rg_edit_strings(op, "send_varnames", 1, &init));
    RG_TRY(add_geo_attrs(r->t, op));
    return rg_opdesc_infer(op);
}

/* ---- the two programs ---- */

static rg_status trainer_main(trainer *r)
{
    const rg_transpile_config *c = &r->t->config;
    const char *barrier = NULL;
    if (c->mode == RG_UPDATE_GEO)
        return geo_main(r);
    RG_TRY(replace_all_look_ups(r));
    for (int i = 0; i < r->t->n_params; i++)
        RG_TRY(add_send(r, i));
    if (r->t->counter != NULL && c->mode != RG_UPDATE_SYNC)
        RG_TRY(add_counter(r));
    if (c->local_barrier || (c->mode == RG_UPDATE_SYNC && !c->runtime_split))
        RG_TRY(add_barrier(r, &barrier));
    RG_TRY(add_recvs(r, c->local_barrier ? NULL : barrier));
    return trim(r);
}

/* Initialisers of what is not on trainers any more. */
static void remove_initialisers(trainer *r, const rg_block *main)
{
    const rg_block *before = r->t->main->blocks[0];
    for (size_t i = r->block->n_ops; i-- > 0;) {
        const rg_opdesc *op = r->block->ops[i];
        bool wanted = false;
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                wanted |= rg_block_var(before, op->out[s].names[k]) == NULL ||
                          rg_block_var(main, op->out[s].names[k]) != NULL;
        for (int s = 0; !wanted && s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                rg_block_remove_var(r->block, op->out[s].names[k]);
        if (!wanted && op->n_out > 0)
            rg_block_remove_ops(r->block, i, i + 1);
    }
}

static rg_status fake_tables(trainer *r)
{
    for (int i = 0; i < r->t->n_params; i++) {
        const rg_dist_param *param = &r->t->params[i];
        rg_opdesc *op;
        if (!param->table)
            continue;
        for (size_t k = r->block->n_ops; k-- > 0;)
            if (rg_op_writes(r->block->ops[k], param->name))
                rg_block_remove_ops(r->block, k, k + 1);
        RG_TRY(rg_edit_op(r->block, r->block->n_ops, "fake_init", RG_ROLE_FORWARD, &op));
        RG_TRY(rg_edit_out(op, "Out", param->name));
        RG_TRY(rg_edit_shape(op, &param->var->meta.shape));
        RG_TRY(rg_opdesc_infer(op));
    }
    return RG_OK;
}

/* What a trainer adds to the servers' count at each step. */
static rg_status start_counter(trainer *r)
{
    const char *name = rg_counter_name(r->t, r->t->config.trainer_id);
    rg_vardesc *var;
    rg_opdesc *op;
    if (name == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_edit_var(r->block, name, rg_block_find(r->t->main->blocks[0], r->t->counter), &var));
    RG_TRY(rg_edit_op(r->block, 0, "fill_constant", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_edit_out(op, "Out", name));
    RG_TRY(rg_edit_shape(op, &var->meta.shape));
    RG_TRY(rg_edit_int(op, "dtype", (int32_t)var->meta.dtype));
    RG_TRY(rg_edit_float(op, "value", 1));
    return rg_opdesc_infer(op);
}

static rg_status trainer_startup(trainer *r, const rg_block *main)
{
    rg_transpiler *t = r->t;
    bool geo = t->config.mode == RG_UPDATE_GEO;
    const char *control;
    rg_opdesc *op;
    remove_initialisers(r, main);
    if (t->counter != NULL &&
        (t->config.mode == RG_UPDATE_ASYNC || t->config.mode == RG_UPDATE_HALF_ASYNC))
        RG_TRY(start_counter(r));
    for (int i = 0; i < t->n_params; i++) {
        rg_vardesc *var;
        if (rg_block_var(r->block, t->params[i].name) == NULL)
            RG_TRY(rg_edit_var(r->block, NULL, t->params[i].var, &var));
        if (!t->params[i].table)
            RG_TRY(add_recv(r, &t->params[i], NULL, false, &op));
    }
    RG_TRY(add_control(r, &control));
    RG_TRY(add_fetch_barrier(r, NULL, 1, &control));
    RG_TRY(add_concats(r, RG_ROLE_FORWARD));
    return geo ? geo_startup(r) : fake_tables(r);
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
    trainer r = {.t = t, .block = block};
    r.was = rg_arena_copy(&t->arena, block->ops, block->n_ops * sizeof *block->ops);
    r.controls = rg_arena_zero(&t->arena, (size_t)t->n_params * sizeof *r.controls);
    if (r.was == NULL || r.controls == NULL)
        return rg_transpile_no_memory();
    rg_labels labels, startup_labels;
    rg_labels_clear(main, &labels);
    rg_labels_clear(startup, &startup_labels);
    rg_status code = trainer_main(&r);
    r.block = startup->blocks[0];
    r.n_controls = 0;
    if (code == RG_OK)
        code = trainer_startup(&r, block);
    rg_labels_restore(main, &labels);
    rg_labels_restore(startup, &startup_labels);
    return code;
}
