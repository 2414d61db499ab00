/* transpile_place.c - the variables of a server, and how they start.
 *
 * A slice starts as the same rows of the whole variable would: random initialisers are told
 * of which variable it is a part and where it begins (slice_of, slice_begin). */
#include "pass/transpile_priv.h"

#include "base/mem.h"
#include "pass/uses.h"

#include <string.h>

/* ---- which variables ---- */

/* Whether the variable is there once for each slice: the parameter, its gradient, what its
 * optimizer keeps, and what the ops of the update make. */
static bool is_own(const rg_dist_param *param, const char *name)
{
    for (int i = 0; i < param->n_states; i++)
        if (strcmp(param->states[i], name) == 0)
            return true;
    for (int i = 0; i < param->n_ops; i++)
        if (rg_op_writes(param->ops[i], name))
            return true;
    return strcmp(name, param->name) == 0 || strcmp(name, param->grad) == 0;
}

const char *rg_beside(rg_transpiler *t, const rg_dist_param *param, const rg_part *part,
                      const char *name)
{
    if (strcmp(name, param->name) == 0)
        return part->name;
    if (strcmp(name, param->grad) == 0)
        return part->grad;
    return part->suffix[0] == '\0' || !is_own(param, name) ? name
                                                           : rg_text(t, "%s%s", name, part->suffix);
}

rg_shape rg_shape_beside(const rg_dist_param *param, const rg_part *part, const rg_vardesc *var)
{
    return rg_shape_equal(&var->meta.shape, &param->var->meta.shape) ? part->shape
                                                                     : var->meta.shape;
}

static rg_status place(rg_places *places, const rg_placed *item)
{
    for (size_t i = 0; i < places->n; i++)
        if (strcmp(places->items[i].name, item->name) == 0)
            return RG_OK;
    RG_TRY(rg_grow((void **)&places->items, places->n, &places->capacity, sizeof *places->items));
    places->items[places->n++] = *item;
    return RG_OK;
}

static rg_status place_owned(rg_transpiler *t, rg_places *places, const rg_dist_param *param,
                             const rg_part *part, const char *origin)
{
    const rg_vardesc *var = rg_block_find(t->main->blocks[0], origin);
    rg_placed item = {.name = rg_beside(t, param, part, origin),
                      .origin = origin,
                      .var = var,
                      .part = part,
                      .shape = rg_shape_beside(param, part, var)};
    bool rows = rg_shape_equal(&var->meta.shape, &param->var->meta.shape);
    item.sliced = param->n_parts > 1 && rows;
    item.born = param->born && rows;
    return item.name ? place(places, &item) : rg_transpile_no_memory();
}

typedef struct placing {
    rg_transpiler *t;
    rg_places *places;
} placing;

/* Persistent variables that are nobody's own: learning rates, counters. */
static rg_status place_shared(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    const placing *p = arg;
    const rg_vardesc *var = rg_block_find(op->block, name);
    (void)output;
    if (var == NULL || !var->persistable)
        return RG_OK;
    return place(
        p->places,
        &(rg_placed){.name = var->name, .origin = var->name, .var = var, .shape = var->meta.shape});
}

static rg_status place_update(placing *p, const rg_dist_param *param)
{
    for (int i = 0; i < param->n_ops; i++)
        for (int s = 0; s < param->ops[i]->n_in; s++)
            for (int k = 0; k < param->ops[i]->in[s].n; k++) {
                const char *name = param->ops[i]->in[s].names[k];
                if (!is_own(param, name))
                    RG_TRY(place_shared(p, param->ops[i], name, false));
            }
    return RG_OK;
}

static rg_status place_part(placing *p, const rg_dist_param *param, const rg_part *part)
{
    RG_TRY(place_owned(p->t, p->places, param, part, param->name));
    if (p->t->config.mode->updates)
        return RG_OK;
    for (int i = 0; i < param->n_states; i++)
        RG_TRY(place_owned(p->t, p->places, param, part, param->states[i]));
    return place_update(p, param);
}

rg_status rg_places_make(rg_transpiler *t, int endpoint, rg_places *places)
{
    placing p = {t, places};
    *places = (rg_places){0};
    for (int i = 0; i < t->n_params; i++)
        for (int k = 0; k < t->params[i].n_parts; k++)
            if (t->params[i].parts[k].endpoint == endpoint)
                RG_TRY(place_part(&p, &t->params[i], &t->params[i].parts[k]));
    const rg_block *block = t->main->blocks[0];
    for (size_t i = 0; !t->config.mode->updates && i < block->n_ops; i++)
        if (t->fate[i] == RG_SCHEDULES)
            RG_TRY(rg_visit_names(block->ops[i], place_shared, &p));
    return RG_OK;
}

void rg_places_fini(rg_places *places)
{
    rg_free(places->items);
    *places = (rg_places){0};
}

/* ---- how they start ---- */

/* Elements begin .. begin + n of the list that holds an assign_value's numbers. */
static rg_status cut_values(rg_opdesc *op, const char *name, int64_t begin, int64_t n)
{
    const rg_attr *all = rg_opdesc_attr(op, name);
    if (all == NULL || all->n == 0)
        return RG_OK;
    if (begin + n > all->n)
        return rg_fail(RG_ECORRUPT, "assign_value has %d of %lld numbers", all->n,
                       (long long)(begin + n));
    rg_attr some = *all;
    some.n = (int)n;
    if (all->type == RG_ATTR_FLOATS)
        some.floats += begin;
    else if (all->type == RG_ATTR_INTS)
        some.ints += begin;
    else
        some.longs += begin;
    return rg_opdesc_set_attr(op, &some);
}

static rg_status fit_to_slice(rg_opdesc *op, const rg_placed *item)
{
    int64_t row = rg_shape_product(&item->shape, 1, item->shape.rank);
    int64_t begin = item->part->begin * row, n = item->shape.dim[0] * row;
    RG_TRY(rg_edit_shape(op, &item->shape));
    if (rg_is_type(op, "fill_constant"))
        return RG_OK;
    if (rg_is_type(op, "uniform_random") || rg_is_type(op, "gaussian_random") ||
        rg_is_type(op, "truncated_gaussian_random")) {
        RG_TRY(rg_edit_string(op, "slice_of", item->origin));
        return rg_edit_long(op, "slice_begin", begin);
    }
    if (!rg_is_type(op, "assign_value"))
        return rg_fail(RG_EUNIMPL,
                       "%s starts by op %s, which cannot make a slice of it; transpile with "
                       "config.slice_var_up = False",
                       item->origin, op->type);
    RG_TRY(cut_values(op, "fp32_values", begin, n));
    RG_TRY(cut_values(op, "int32_values", begin, n));
    RG_TRY(cut_values(op, "int64_values", begin, n));
    return cut_values(op, "bool_values", begin, n);
}

static rg_status add_initialiser(const rg_opdesc *from, const rg_placed *item, rg_block *block)
{
    rg_vardesc *var;
    rg_opdesc *op;
    RG_TRY(rg_edit_copy(block, from, &op));
    RG_TRY(rg_opdesc_rename(op, item->origin, item->name, false, true));
    if (rg_block_find(block, item->name) == NULL) {
        RG_TRY(rg_edit_var(block, item->name, item->var, &var));
        var->meta.shape = item->shape;
    }
    if (item->sliced)
        RG_TRY(fit_to_slice(op, item));
    return rg_opdesc_infer(op);
}

/* Ops of the startup program that make something for the ones that are wanted. */
static rg_status add_helper(const rg_opdesc *from, rg_block *block)
{
    rg_vardesc *var;
    rg_opdesc *op;
    for (int s = 0; s < from->n_out; s++)
        for (int k = 0; k < from->out[s].n; k++) {
            const rg_vardesc *like = rg_block_find(from->block, from->out[s].names[k]);
            if (like != NULL && rg_block_find(block, like->name) == NULL)
                RG_TRY(rg_edit_var(block, NULL, like, &var));
        }
    RG_TRY(rg_edit_copy(block, from, &op));
    return rg_opdesc_infer(op);
}

static bool starts(const rg_opdesc *op, const rg_placed *item, bool born)
{
    return item->born == born && rg_op_writes(op, item->origin);
}

static rg_status want_inputs(const rg_program *startup, const rg_places *places, bool born,
                             rg_map *wanted)
{
    const rg_block *block = startup->blocks[0];
    for (size_t i = block->n_ops; i-- > 0;) {
        const rg_opdesc *op = block->ops[i];
        bool needed = false;
        for (size_t k = 0; k < places->n; k++)
            needed |= starts(op, &places->items[k], born);
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                needed |= rg_map_has(wanted, op->out[s].names[k]);
        for (int s = 0; needed && s < op->n_in; s++)
            for (int k = 0; k < op->in[s].n; k++)
                RG_TRY(rg_map_put(wanted, op->in[s].names[k], op));
    }
    return RG_OK;
}

static bool makes_wanted(const rg_map *wanted, const rg_opdesc *op)
{
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++)
            if (rg_map_has(wanted, op->out[s].names[k]))
                return true;
    return false;
}

static rg_status check_started(const rg_program *startup, const rg_places *places)
{
    for (size_t i = 0; i < places->n; i++) {
        bool found = false;
        for (size_t k = 0; k < startup->blocks[0]->n_ops; k++)
            found |= rg_op_writes(startup->blocks[0]->ops[k], places->items[i].origin);
        if (!found)
            return rg_fail(RG_EINVAL,
                           "the startup program has no initialiser for %s; give transpile() the "
                           "startup_program that belongs to the program",
                           places->items[i].origin);
    }
    return RG_OK;
}

rg_status rg_add_initialisers(const rg_program *startup, const rg_places *places, bool born,
                              rg_block *block)
{
    rg_map wanted = {0};
    rg_status code = RG_OK;
    RG_TRY(check_started(startup, places));
    RG_TRY_GOTO(code, want_inputs(startup, places, born, &wanted));
    for (size_t i = 0; i < startup->blocks[0]->n_ops; i++) {
        const rg_opdesc *op = startup->blocks[0]->ops[i];
        bool used = false;
        for (size_t k = 0; k < places->n; k++)
            if (starts(op, &places->items[k], born)) {
                RG_TRY_GOTO(code, add_initialiser(op, &places->items[k], block));
                used = true;
            }
        if (!used && makes_wanted(&wanted, op))
            RG_TRY_GOTO(code, add_helper(op, block));
    }
done:
    rg_map_fini(&wanted);
    return code;
}
