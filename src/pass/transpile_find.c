/* transpile_find.c - what the ops of a training program are for.
 *
 * An optimizer's op is known by its role and its definition (ir/update.h). With it go
 * to the server the ops of the optimize role that lie between the parameter, or the state
 * of its optimizer, and that op: weight decay, the powers of adamax. What enters from
 * elsewhere must be one variable, and that is the gradient that trainers send. Other ops of
 * the role stay on trainers: before the sends where a gradient depends on them (clips),
 * else at the end (averages of parameters). */
#include "pass/transpile_priv.h"

#include "base/mem.h"
#include "ir/update.h"
#include "pass/uses.h"

#include <string.h>

/* Owners: which parameter's update a variable belongs to. */
static const char several; /* updates share it */

typedef struct finder {
    rg_transpiler *t;
    rg_block *block;
    rg_map owner;  /* name -> rg_dist_param, or &several */
    rg_map needed; /* names that what has been gone through, backwards, reads */
    rg_map made;   /* names that ops before this one have written */
    const void **op_owner;
} finder;

static bool has_role(const rg_opdesc *op, int role)
{
    int found = rg_opdesc_role(op);
    return found != RG_ROLE_NOT_SPECIFIED && (found & role) != 0;
}

static bool is_update(const rg_opdesc *op)
{
    return has_role(op, RG_ROLE_OPTIMIZE) && rg_update_of(op) != NULL &&
           rg_update_keeps_param(op) && rg_update_grad(op) != NULL;
}

/* ---- parameters and the state of their optimizers ---- */

static rg_status own(finder *f, const char *name, const rg_dist_param *param)
{
    const rg_dist_param *old = rg_map_get(&f->owner, name);
    if (old != NULL && old != param)
        return rg_fail(RG_EUNIMPL,
                       "the optimizers of %s and %s share the variable %s, so that their "
                       "parameters cannot live on different servers",
                       old->name, param->name, name);
    return rg_map_put(&f->owner, name, param);
}

/* What the op reads or writes beside parameter, gradient and rate, and lasts, is its state: also
 * powers that other ops advance, or that are there for files alone. */
static bool is_state_slot(const rg_op *op, const char *slot)
{
    const rg_update *update = op->update;
    return strcmp(slot, op->in[update->state[0].in].name) != 0 &&
           strcmp(slot, op->out[update->state[0].out].name) != 0 &&
           strcmp(slot, op->in[update->grad].name) != 0 &&
           (update->rate < 0 || strcmp(slot, op->in[update->rate].name) != 0);
}

static rg_status own_states(finder *f, rg_dist_param *param, const rg_args *args, int n)
{
    for (int s = 0; s < n; s++) {
        if (!is_state_slot(param->update->op, args[s].slot))
            continue;
        for (int k = 0; k < args[s].n; k++) {
            const char *name = args[s].names[k];
            const rg_vardesc *var = rg_block_find(f->block, name);
            if (var == NULL || !var->persistable)
                continue;
            if (rg_map_get(&f->owner, name) != param)
                param->states[param->n_states++] = var->name;
            RG_TRY(own(f, name, param));
        }
    }
    return RG_OK;
}

static int count_args(const rg_opdesc *op)
{
    int n = 0;
    for (int s = 0; s < op->n_in; s++)
        n += op->in[s].n;
    for (int s = 0; s < op->n_out; s++)
        n += op->out[s].n;
    return n;
}

static rg_status add_param(finder *f, const rg_opdesc *op)
{
    rg_transpiler *t = f->t;
    rg_dist_param *param = &t->params[t->n_params];
    const char *name = rg_update_param(op);
    *param = (rg_dist_param){.update = op, .var = rg_block_find(f->block, name)};
    if (param->var == NULL)
        return rg_fail(RG_ENOENT, "op %s updates %s, which the program does not declare", op->type,
                       name);
    param->name = param->var->name;
    if (rg_map_has(&f->owner, name))
        return rg_fail(RG_EUNIMPL,
                       "%s is updated by two optimizers, which the transpiler cannot "
                       "part",
                       name);
    param->states = rg_arena_alloc(&t->arena, (size_t)count_args(op) * sizeof *param->states);
    param->ops = rg_arena_zero(&t->arena, f->block->n_ops * sizeof *param->ops);
    if (param->states == NULL || param->ops == NULL)
        return rg_transpile_no_memory();
    t->n_params++;
    return own(f, name, param);
}

static rg_status find_updates(finder *f)
{
    rg_transpiler *t = f->t;
    for (size_t i = 0; i < f->block->n_ops; i++) {
        const rg_opdesc *op = f->block->ops[i];
        if (op->op == NULL && has_role(op, RG_ROLE_OPTIMIZE)) /* it may be an optimizer */
            return rg_op_missing(op->type);
        t->n_params += is_update(op);
    }
    if (t->n_params == 0)
        return rg_fail(RG_EINVAL, "the program has no optimizer: call optimizer.minimize(loss) "
                                  "before transpile()");
    t->params = rg_arena_zero(&t->arena, (size_t)t->n_params * sizeof *t->params);
    if (t->params == NULL)
        return rg_transpile_no_memory();
    t->n_params = 0;
    for (size_t i = 0; i < f->block->n_ops; i++)
        if (is_update(f->block->ops[i]))
            RG_TRY(add_param(f, f->block->ops[i]));
    for (int i = 0; i < t->n_params; i++) {
        const rg_opdesc *op = t->params[i].update;
        RG_TRY(own_states(f, &t->params[i], op->in, op->n_in));
        RG_TRY(own_states(f, &t->params[i], op->out, op->n_out));
    }
    return RG_OK;
}

/* ---- ops that go with an update ---- */

static void join_owner(const finder *f, const rg_args *args, int n, const void **owner)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++) {
            const void *found = rg_map_get(&f->owner, args[s].names[k]);
            if (found != NULL)
                *owner = *owner == NULL || *owner == found ? found : &several;
        }
}

/* Which update each op of the optimize role belongs to: that whose variables it touches. */
static rg_status spread_owners(finder *f)
{
    for (size_t i = 0; i < f->block->n_ops; i++) {
        const rg_opdesc *op = f->block->ops[i];
        if (!has_role(op, RG_ROLE_OPTIMIZE) || has_role(op, RG_ROLE_LR_SCHED) || is_update(op))
            continue;
        join_owner(f, op->in, op->n_in, &f->op_owner[i]);
        join_owner(f, op->out, op->n_out, &f->op_owner[i]);
        for (int s = 0; f->op_owner[i] != NULL && s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                if (!rg_map_has(&f->owner, op->out[s].names[k]))
                    RG_TRY(rg_map_put(&f->owner, op->out[s].names[k], f->op_owner[i]));
    }
    return RG_OK;
}

static rg_status need(rg_map *names, const rg_args *args, int n)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++)
            RG_TRY(rg_map_put(names, args[s].names[k], args[s].names[k]));
    return RG_OK;
}

static bool any_in(const rg_map *names, const rg_args *args, int n)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++)
            if (rg_map_has(names, args[s].names[k]))
                return true;
    return false;
}

/* Backwards: an op goes to the server if the update, or the next step's, reads what it
 * writes. */
static rg_status find_companions(finder *f)
{
    rg_transpiler *t = f->t;
    for (int i = 0; i < t->n_params; i++)
        for (int k = 0; k < t->params[i].n_states; k++)
            RG_TRY(rg_map_put(&f->needed, t->params[i].states[k], t));
    for (size_t i = f->block->n_ops; i-- > 0;) {
        rg_opdesc *op = f->block->ops[i];
        bool update = is_update(op);
        if (!update && (f->op_owner[i] == NULL || !any_in(&f->needed, op->out, op->n_out)))
            continue;
        if (!update && f->op_owner[i] == &several)
            return rg_fail(RG_EUNIMPL,
                           "op %s works on several parameters between weight decay and the "
                           "optimizer, and these may live on different servers",
                           op->type);
        const rg_dist_param *who = update ? rg_map_get(&f->owner, rg_update_param(op))
                                          : f->op_owner[i];
        rg_dist_param *param = &t->params[who - t->params];
        t->fate[i] = RG_UPDATES;
        param->ops[param->n_ops++] = op;
        RG_TRY(need(&f->needed, op->in, op->n_in));
    }
    for (int i = 0; i < t->n_params; i++) /* they were found from the end */
        for (int a = 0, b = t->params[i].n_ops - 1; a < b; a++, b--) {
            rg_opdesc *op = t->params[i].ops[a];
            t->params[i].ops[a] = t->params[i].ops[b];
            t->params[i].ops[b] = op;
        }
    return RG_OK;
}

/* ---- the gradient: what enters the update from outside ---- */

static bool is_state(const rg_dist_param *param, const char *name)
{
    for (int i = 0; i < param->n_states; i++)
        if (strcmp(param->states[i], name) == 0)
            return true;
    return strcmp(param->name, name) == 0;
}

static rg_status enters(finder *f, rg_dist_param *param, const char *name)
{
    const rg_vardesc *var = rg_block_find(f->block, name);
    if (strcmp(name, RG_EMPTY_NAME) == 0 || is_state(param, name) || rg_map_has(&f->made, name) ||
        rg_map_has(&f->needed, name) || (var != NULL && var->persistable))
        return RG_OK;
    if (var == NULL)
        return rg_fail(RG_ENOENT, "the update of %s reads %s, which the program does not declare",
                       param->name, name);
    if (param->grad != NULL && strcmp(param->grad, name) != 0)
        return rg_fail(RG_EUNIMPL,
                       "the update of %s reads both %s and %s from backward, and a server is "
                       "sent one gradient for each parameter",
                       param->name, param->grad, name);
    param->grad = var->name;
    param->grad_var = var;
    return RG_OK;
}

static rg_status find_gradient(finder *f, rg_dist_param *param)
{
    rg_map_fini(&f->made);
    f->made = (rg_map){0};
    for (int i = 0; i < param->n_ops; i++) {
        const rg_opdesc *op = param->ops[i];
        for (int s = 0; s < op->n_in; s++)
            for (int k = 0; k < op->in[s].n; k++)
                RG_TRY(enters(f, param, op->in[s].names[k]));
        RG_TRY(need(&f->made, op->out, op->n_out));
    }
    return param->grad != NULL
               ? RG_OK
               : rg_fail(RG_EUNIMPL, "the update of %s reads no gradient", param->name);
}

static rg_status note_output(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    (void)op;
    return output ? rg_map_put(arg, name, name) : RG_OK;
}

static rg_status find_schedule(finder *f)
{
    rg_transpiler *t = f->t;
    rg_map_fini(&f->needed); /* from here on: what the schedule makes */
    f->needed = (rg_map){0};
    for (size_t i = 0; i < f->block->n_ops; i++) {
        const rg_opdesc *op = f->block->ops[i];
        if (!has_role(op, RG_ROLE_LR_SCHED) || t->fate[i] == RG_UPDATES)
            continue;
        t->fate[i] = RG_SCHEDULES;
        t->n_schedule++;
        RG_TRY(rg_visit_names(op, note_output, &f->needed));
        if (rg_is_type(op, "increment") &&
            strcmp(rg_one_out(op, "Out") ? rg_one_out(op, "Out") : "", "@LR_DECAY_COUNTER@") == 0)
            t->counter = rg_one_out(op, "Out");
    }
    for (int i = 0; i < t->n_params; i++)
        RG_TRY(find_gradient(f, &t->params[i]));
    return RG_OK;
}

/* ---- what stays on trainers ---- */

static rg_status note_input(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    (void)op;
    return output ? RG_OK : rg_map_put(arg, name, name);
}

static rg_status sort_the_rest(finder *f)
{
    rg_transpiler *t = f->t;
    rg_map read = {0};
    rg_status code = RG_OK;
    for (int i = 0; i < t->n_params; i++)
        RG_TRY_GOTO(code, rg_map_put(&read, t->params[i].grad, t));
    for (size_t i = f->block->n_ops; i-- > 0;) {
        const rg_opdesc *op = f->block->ops[i];
        if (t->fate[i] != RG_STAYS)
            continue;
        if (has_role(op, RG_ROLE_OPTIMIZE))
            t->fate[i] = any_in(&read, op->out, op->n_out) ? RG_PREPARES : RG_FOLLOWS;
        if (t->fate[i] != RG_FOLLOWS)
            RG_TRY_GOTO(code, rg_visit_names(op, note_input, &read));
    }
    for (size_t i = 0; i < f->block->n_ops; i++)
        if (t->fate[i] == RG_SCHEDULES &&
            any_in(&read, f->block->ops[i]->out, f->block->ops[i]->n_out))
            t->schedule_stays = true;
done:
    rg_map_fini(&read);
    return code;
}

/* ---- tables: parameters that are only looked up ---- */

static bool is_look_up(const rg_opdesc *op)
{
    return rg_is_type(op, "lookup_table") || rg_is_type(op, "lookup_table_v2");
}

static bool attr_is_true(const rg_opdesc *op, const char *name)
{
    const rg_attr *attr = rg_opdesc_attr(op, name);
    return attr != NULL && attr->type == RG_ATTR_BOOL && attr->b;
}

/* Whether the op reads the variable for its shape alone. */
static bool reads_shape_only(const rg_opdesc *op, const char *name)
{
    for (int s = 0; s < op->n_in; s++) {
        int slot = op->op ? rg_op_in_slot(op->op, op->in[s].slot) : -1;
        for (int k = 0; k < op->in[s].n; k++)
            if (strcmp(op->in[s].names[k], name) == 0 &&
                (slot < 0 || !(op->op->in[slot].flags & RG_SHAPE_ONLY)))
                return false;
    }
    return true;
}

/* The op that needs the whole parameter on trainers; NULL: none does. */
static const rg_opdesc *whole_reader(const rg_transpiler *t, const rg_dist_param *param,
                                     int *look_ups, bool *distributed)
{
    const rg_opdesc *reader = NULL;
    for (size_t b = 0; b < t->main->n_blocks; b++)
        for (size_t i = 0; i < t->main->blocks[b]->n_ops; i++) {
            const rg_opdesc *op = t->main->blocks[b]->ops[i];
            if ((b == 0 && t->fate[i] == RG_UPDATES) || !rg_op_reads(op, param->name))
                continue;
            *distributed |= is_look_up(op) && attr_is_true(op, "is_distributed");
            if (b == 0 && is_look_up(op))
                ++*look_ups;
            else if (reader == NULL && !reads_shape_only(op, param->name))
                reader = op;
        }
    return reader;
}

/* The rule by which ids get a row, which all look-ups of a table share. */
static rg_status find_entry(const rg_transpiler *t, rg_dist_param *param)
{
    param->entry = "";
    for (size_t i = 0; i < t->main->blocks[0]->n_ops; i++) {
        const rg_opdesc *op = t->main->blocks[0]->ops[i];
        const rg_attr *attr = is_look_up(op) && rg_op_reads(op, param->name)
                                  ? rg_opdesc_attr(op, "entry")
                                  : NULL;
        if (attr == NULL || attr->type != RG_ATTR_STRING || strcmp(attr->s, param->entry) == 0)
            continue;
        if (param->entry[0] != '\0')
            return rg_fail(RG_EINVAL, "the table %s is looked up with the entries '%s' and '%s'",
                           param->name, param->entry, attr->s);
        param->entry = attr->s;
    }
    if (param->entry[0] != '\0' && t->config.mode->updates)
        return rg_fail(RG_EUNIMPL,
                       "the table %s has an entry, and in geo each trainer has all rows: servers "
                       "cannot say which there are",
                       param->name);
    if (param->entry[0] != '\0' && !param->born)
        return rg_fail(RG_EUNIMPL,
                       "the table %s has an entry, which needs is_sparse=True and that only "
                       "look-ups and one optimizer's op use it",
                       param->name);
    return RG_OK;
}

static rg_status find_tables(rg_transpiler *t)
{
    for (int i = 0; i < t->n_params; i++) {
        rg_dist_param *param = &t->params[i];
        int look_ups = 0;
        bool distributed = false;
        const rg_opdesc *reader = whole_reader(t, param, &look_ups, &distributed);
        param->table = look_ups > 0 && reader == NULL && param->grad_var->meta.kind == RG_ROWS;
        param->grows = distributed;
        param->born = param->table && (param->n_ops == 1 || t->config.mode->updates);
        if (distributed && reader != NULL)
            return rg_fail(RG_EUNIMPL,
                           "the table %s has is_distributed=True, and op %s needs the whole of it",
                           param->name, reader->type);
        if (distributed && !param->table)
            return rg_fail(RG_EINVAL,
                           "the table %s has is_distributed=True, which needs is_sparse=True too",
                           param->name);
        RG_TRY(find_entry(t, param));
    }
    return RG_OK;
}

/* pyramid_hash trains its table in its gradient: no update names it, so no server would. */
static rg_status check_trained_inside(const rg_block *block)
{
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_attr *named = rg_opdesc_attr(block->ops[i], "distribute_update_vars");
        if (named != NULL && named->type == RG_ATTR_STRING && named->s[0] != '\0')
            return rg_fail(RG_EUNIMPL,
                           "op %s has distribute_update_vars=%s: what an op trains in its gradient "
                           "is not kept on servers; train it on one machine, or leave that out, "
                           "and each trainer has a table of its own",
                           block->ops[i]->type, named->s);
    }
    return RG_OK;
}

rg_status rg_find_params(rg_transpiler *t)
{
    finder f = {.t = t, .block = t->main->blocks[0]};
    rg_status code = RG_OK;
    RG_TRY(check_trained_inside(f.block));
    t->fate = rg_arena_zero(&t->arena, f.block->n_ops + 1);
    f.op_owner = rg_arena_zero(&t->arena, (f.block->n_ops + 1) * sizeof *f.op_owner);
    if (t->fate == NULL || f.op_owner == NULL)
        return rg_transpile_no_memory();
    RG_TRY_GOTO(code, find_updates(&f));
    RG_TRY_GOTO(code, spread_owners(&f));
    RG_TRY_GOTO(code, find_companions(&f));
    RG_TRY_GOTO(code, find_schedule(&f));
    RG_TRY_GOTO(code, sort_the_rest(&f));
    RG_TRY_GOTO(code, find_tables(t));
done:
    rg_map_fini(&f.owner);
    rg_map_fini(&f.needed);
    rg_map_fini(&f.made);
    return code;
}
