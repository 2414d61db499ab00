/* transpile_talk.c - the ops of a trainer's two programs that talk to servers. */
#include "pass/transpile_priv.h"

/* Variables without data that put communication ops in order. */
rg_status rg_add_control(rg_trainer *r, const char **name)
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

/* The slices of a parameter, as attributes want them. */
rg_status rg_list_parts(rg_transpiler *t, const rg_dist_param *param, rg_part_lists *lists)
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

rg_status rg_add_part_vars(rg_block *block, const rg_dist_param *param, const rg_vardesc *like,
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

/* `after`, which may be NULL, stands for what must be over first. */
rg_status rg_add_recv(rg_trainer *r, const rg_dist_param *param, const char *after, bool whole,
                      rg_opdesc **out)
{
    rg_part_lists lists;
    rg_opdesc *op;
    RG_TRY(rg_list_parts(r->t, param, &lists));
    if (!whole && param->n_parts > 1)
        RG_TRY(rg_add_part_vars(r->block, param, param->var, lists.names));
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

rg_status rg_add_fetch_barrier(rg_trainer *r, const char *after, int n, const char *const *outs)
{
    const rg_transpile_config *c = &r->t->config;
    rg_opdesc *op;
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "fetch_barrier", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", after ? 1 : 0, &after));
    RG_TRY(rg_opdesc_set_out(op, "Out", n, outs));
    RG_TRY(rg_edit_strings(op, "endpoints", c->n_endpoints, c->endpoints));
    RG_TRY(rg_edit_int(op, "trainer_id", c->trainer_id));
    RG_TRY(rg_edit_int(op, "trainers", c->trainers));
    return rg_opdesc_infer(op);
}

rg_status rg_add_concats(rg_trainer *r, int role)
{
    for (int i = 0; i < r->t->n_params; i++) {
        const rg_dist_param *param = &r->t->params[i];
        rg_part_lists lists;
        rg_opdesc *op;
        if (param->table || param->n_parts == 1)
            continue;
        RG_TRY(rg_list_parts(r->t, param, &lists));
        RG_TRY(rg_edit_op(r->block, r->block->n_ops, "concat", role, &op));
        RG_TRY(rg_opdesc_set_in(op, "X", param->n_parts, lists.names));
        RG_TRY(rg_edit_out(op, "Out", param->name));
        RG_TRY(rg_edit_int(op, "axis", 0));
        RG_TRY(rg_opdesc_infer(op));
    }
    return RG_OK;
}
