/* update.c - an update's variables in a program, by its definition. */
#include "ir/update.h"

#include <string.h>

static const char *one_of(const rg_args *args)
{
    return args != NULL && args->n == 1 && strcmp(args->names[0], RG_EMPTY_NAME) != 0
               ? args->names[0]
               : NULL;
}

static const char *in_of(const rg_opdesc *op, int slot)
{
    return slot >= 0 ? one_of(rg_opdesc_in(op, op->op->in[slot].name)) : NULL;
}

static const char *out_of(const rg_opdesc *op, int slot)
{
    return one_of(rg_opdesc_out(op, op->op->out[slot].name));
}

const char *rg_update_param(const rg_opdesc *op)
{
    return rg_update_state(op, 0);
}

const char *rg_update_grad(const rg_opdesc *op)
{
    return in_of(op, rg_update_of(op)->grad);
}

const char *rg_update_rate(const rg_opdesc *op)
{
    return in_of(op, rg_update_of(op)->rate);
}

const char *rg_update_state(const rg_opdesc *op, int i)
{
    return in_of(op, rg_update_of(op)->state[i].in);
}

static bool is_kept(const rg_opdesc *op, const rg_state *state)
{
    const char *in = in_of(op, state->in), *out = out_of(op, state->out);
    return in != NULL && out != NULL && strcmp(in, out) == 0;
}

bool rg_update_keeps_param(const rg_opdesc *op)
{
    return is_kept(op, &rg_update_of(op)->state[0]);
}

bool rg_update_in_place(const rg_opdesc *op)
{
    const rg_update *update = rg_update_of(op);
    for (int i = 0; i < update->n; i++)
        if (in_of(op, update->state[i].in) != NULL && !is_kept(op, &update->state[i]))
            return false;
    return true;
}

/* As given, or its default. */
static const rg_attr *attr_of(const rg_opdesc *op, int attr)
{
    const rg_attr_spec *spec = &op->op->attr[attr];
    const rg_attr *given = rg_opdesc_attr(op, spec->value.name);
    return given != NULL ? given : &spec->value;
}

bool rg_update_moves_idle(const rg_opdesc *op)
{
    const rg_update *update = rg_update_of(op);
    return update->every_row && !(update->lazy > 0 && attr_of(op, update->lazy - 1)->b);
}

bool rg_update_can_wait(const rg_opdesc *op)
{
    const rg_idle *idle = rg_update_of(op)->idle;
    return rg_update_moves_idle(op) && idle != NULL &&
           (idle->epsilon == 0 || attr_of(op, idle->epsilon - 1)->f > 0);
}
