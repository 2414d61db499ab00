/* shared.c - what others see of a plan: its feeds, and values that the scope keeps.
 *
 * These have a shape, LoD and type before the first op of a run. A plan has settled by a run that
 * left them as it found them. From then on they can change by its tainted nodes alone, which are
 * watched, or by others, who say so (rg_scope_touch()). */
#include "exec/plan_priv.h"

#include "base/mem.h"
#include "tensor/lod.h"

static size_t count(const rg_plan *plan)
{
    return (size_t)plan->n_feeds + plan->n_kept;
}

/* NULL: a feed that the program has no use for. */
static const rg_value *shared(const rg_plan *plan, size_t i)
{
    size_t feeds = (size_t)plan->n_feeds;
    return i < feeds ? plan->feeds[i] : plan->kept[i - feeds].value;
}

static bool is_as(const rg_value *value, const rg_meta *noted)
{
    return value->meta.kind == noted->kind && value->meta.dtype == noted->dtype &&
           rg_shape_equal(&value->meta.shape, &noted->shape) &&
           rg_lod_equal(value->meta.lod, noted->lod);
}

/* The number of what the node is bound to; count(): it is a value of the plan's own. */
static size_t find(const rg_plan *plan, const rg_value *bound)
{
    const rg_mirror *mirror = bound ? rg_place_mirror(plan, bound) : NULL;
    size_t i = bound ? 0 : count(plan);
    while (i < count(plan) && shared(plan, i) != (mirror ? mirror->home : bound))
        i++;
    return i;
}

static rg_status watch(rg_plan *plan, rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    int n = 0;
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        n += rg_n_out(ctx, s);
    node->watched = rg_arena_zero(&plan->arena, (size_t)(n + 1) * sizeof *node->watched);
    if (node->watched == NULL)
        return rg_no_memory((size_t)n * sizeof *node->watched, "a plan");
    for (int i = 0, at = 0; i < n; i++) {
        const rg_value *bound = (const rg_value *)ctx->out[i];
        size_t number = find(plan, bound);
        if (number < count(plan))
            node->watched[at++] = (rg_watched){bound, &plan->noted[number]};
    }
    return RG_OK;
}

rg_status rg_shared_open(rg_plan *plan)
{
    plan->noted = rg_arena_zero(&plan->arena, (count(plan) + 1) * sizeof *plan->noted);
    if (plan->noted == NULL)
        return rg_no_memory(count(plan) * sizeof *plan->noted, "a plan");
    for (size_t i = 0; i < plan->root->n_nodes; i++)
        if (plan->root->nodes[i].tainted)
            RG_TRY(watch(plan, &plan->root->nodes[i]));
    return RG_OK;
}

void rg_shared_note(rg_plan *plan)
{
    for (size_t i = 0; i < count(plan); i++) {
        const rg_value *value = shared(plan, i);
        if (value == NULL)
            continue;
        rg_lod *before = plan->noted[i].lod;
        plan->noted[i] = value->meta;
        (void)rg_lod_retain(value->meta.lod);
        rg_lod_release(before);
    }
}

bool rg_shared_are_as_noted(const rg_plan *plan)
{
    for (size_t i = 0; i < count(plan); i++) {
        const rg_value *value = shared(plan, i);
        if (value != NULL && !is_as(value, &plan->noted[i]))
            return false;
    }
    return true;
}

bool rg_shared_are_left(const rg_node *node)
{
    for (const rg_watched *w = node->watched; w != NULL && w->value != NULL; w++)
        if (!is_as(w->value, w->noted))
            return false;
    return true;
}

void rg_shared_close(rg_plan *plan)
{
    for (size_t i = 0; plan->noted != NULL && i < count(plan); i++)
        rg_lod_release(plan->noted[i].lod);
}
