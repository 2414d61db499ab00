/* transpile_start.c - the trainer's startup program.
 *
 * Parameters come from the servers, so that all trainers start alike; tables get a shape and
 * no memory; what the servers keep is not initialised here. */
#include "pass/transpile_priv.h"

/* Initialisers of what is not on trainers any more. */
static void remove_initialisers(rg_trainer *r, const rg_block *main)
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

static rg_status fake_tables(rg_trainer *r)
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
static rg_status start_counter(rg_trainer *r)
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

rg_status rg_trainer_startup(rg_trainer *r, const rg_block *main)
{
    rg_transpiler *t = r->t;
    const rg_mode_programs *mode = t->config.mode;
    const char *control;
    rg_opdesc *op;
    remove_initialisers(r, main);
    if (t->counter != NULL && mode->counts)
        RG_TRY(start_counter(r));
    for (int i = 0; i < t->n_params; i++) {
        rg_vardesc *var;
        if (rg_block_var(r->block, t->params[i].name) == NULL)
            RG_TRY(rg_edit_var(r->block, NULL, t->params[i].var, &var));
        if (!t->params[i].table)
            RG_TRY(rg_add_recv(r, &t->params[i], NULL, false, &op));
    }
    RG_TRY(rg_add_control(r, &control));
    RG_TRY(rg_add_fetch_barrier(r, NULL, 1, &control));
    RG_TRY(rg_add_concats(r, RG_ROLE_FORWARD));
    return mode->startup ? mode->startup(r) : fake_tables(r);
}
