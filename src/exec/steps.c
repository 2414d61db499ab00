/* steps.c - the steps of a loop, set aside for its gradient.
 *
 * A loop runs its block over the same variables each time. Those that the gradient
 * will read are exchanged, after every step, for the empty ones of a frame; the
 * gradient brings frame after frame back. A second run of the loop finds the
 * frames of the first and uses their memory again. */
#include "exec/plan_priv.h"

#include "base/mem.h"

/* What is kept of one step. */
typedef struct frame {
    rg_value *own;    /* n_kept variables of the block */
    rg_value *before; /* n_carried variables around it, as they were before the step */
} frame;

typedef struct steps {
    frame *frames;
    size_t n, made, capacity;
    size_t n_kept, n_carried;
} steps;

static void drop_values(rg_value *values, size_t n)
{
    for (size_t i = 0; values != NULL && i < n; i++)
        rg_value_fini(&values[i]);
    rg_free(values);
}

static void drop(void *object)
{
    steps *s = object;
    for (size_t i = 0; i < s->made; i++) {
        drop_values(s->frames[i].own, s->n_kept);
        drop_values(s->frames[i].before, s->n_carried);
    }
    rg_free(s->frames);
    rg_free(s);
}

static void exchange(rg_value *a, rg_value *b)
{
    rg_value held = *a;
    int refs_a = a->refs, refs_b = b->refs;
    uint32_t tag_a = a->tag, tag_b = b->tag;
    *a = *b;
    *b = held;
    a->refs = refs_a;
    b->refs = refs_b;
    a->tag = tag_a;
    b->tag = tag_b;
}

static rg_value *new_values(size_t n)
{
    rg_value *values = rg_alloc(n * sizeof *values);
    for (size_t i = 0; values != NULL && i < n; i++)
        rg_value_init(&values[i]);
    return values;
}

/* Frame i of the loop whose body is `region`, made if it is the next one. */
static rg_status frame_of(rg_region *region, rg_value *scopes, size_t i, frame **out)
{
    steps *s = scopes->object;
    if (s == NULL) {
        s = rg_alloc_zero(1, sizeof *s);
        if (s == NULL)
            return rg_no_memory(sizeof *s, "the steps of a loop");
        s->n_kept = region->n_kept;
        s->n_carried = region->n_carried;
        rg_value_set_object(scopes, RG_STEP_SCOPES, s, drop);
    }
    while (s->made <= i) {
        RG_TRY(rg_grow((void **)&s->frames, s->made, &s->capacity, sizeof *s->frames));
        frame fresh = {new_values(s->n_kept), new_values(s->n_carried)};
        if (fresh.own == NULL || fresh.before == NULL) {
            rg_free(fresh.own);
            rg_free(fresh.before);
            return rg_no_memory(s->n_kept * sizeof(rg_value), "a step of a loop");
        }
        s->frames[s->made++] = fresh;
    }
    *out = &s->frames[i];
    return RG_OK;
}

rg_status rg_steps_save(rg_region *region, rg_value *scopes)
{
    frame *f = NULL;
    RG_TRY(frame_of(region, scopes, scopes->n_rows, &f));
    for (size_t k = 0; k < region->n_kept; k++)
        exchange(&f->own[k], region->temps[region->kept[k]].value);
    scopes->n_rows++; /* counts the steps of this run of the loop */
    return RG_OK;
}

rg_status rg_steps_load(rg_region *region, rg_value *scopes, size_t i)
{
    rg_region *forward = region->forward;
    frame *f = NULL;
    if (scopes->object == NULL || i >= scopes->n_rows || forward == NULL)
        return rg_fail(RG_EINVAL, "step %zu of a loop that has not run", i);
    RG_TRY(frame_of(forward, scopes, i, &f));
    for (size_t k = 0; k < forward->n_kept; k++)
        exchange(&f->own[k], forward->temps[forward->kept[k]].value);
    forward->before = f->before;
    return RG_OK;
}

static rg_region *forward_of(rg_region *region)
{
    return region->forward ? region->forward : region;
}

rg_status rg_carried_save(rg_region *region, rg_value *scopes, size_t i)
{
    rg_region *forward = forward_of(region);
    frame *f = NULL;
    if (forward->n_carried == 0)
        return RG_OK;
    RG_TRY(frame_of(forward, scopes, i, &f));
    for (size_t k = 0; k < forward->n_carried; k++)
        if (forward->carried[k]->data != NULL)
            RG_TRY(rg_value_copy(&f->before[k], forward->carried[k]));
    return RG_OK;
}

rg_status rg_carried_load(rg_region *region, rg_value *scopes, size_t i)
{
    rg_region *forward = forward_of(region);
    frame *f = NULL;
    if (forward->n_carried == 0)
        return RG_OK;
    RG_TRY(frame_of(forward, scopes, i, &f));
    for (size_t k = 0; k < forward->n_carried; k++)
        if (f->before[k].data != NULL)
            RG_TRY(rg_value_copy(forward->carried[k], &f->before[k]));
    return RG_OK;
}

rg_status rg_carried_restore(rg_region *forward, rg_value *value)
{
    for (size_t k = 0; k < forward->n_carried; k++)
        if (forward->carried[k] == value && forward->before != NULL &&
            forward->before[k].data != NULL)
            return rg_value_copy(value, &forward->before[k]);
    return RG_OK;
}
