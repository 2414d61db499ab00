/* steps.c - the steps of a loop, set aside for its gradient.
 *
 * A loop runs its block over the same variables each time. Those that the gradient
 * will read are exchanged, after every step, for the empty ones of a frame; the
 * gradient brings frame after frame back. A second run of the loop finds the
 * frames of the first and uses their memory again. */
#include "exec/plan_priv.h"

#include "base/mem.h"

typedef struct steps {
    rg_value **frames; /* of n_kept values each, owned */
    size_t n, capacity, made;
    size_t n_kept;
} steps;

static void drop(void *object)
{
    steps *s = object;
    for (size_t i = 0; i < s->made; i++) {
        for (size_t k = 0; k < s->n_kept; k++)
            rg_value_fini(&s->frames[i][k]);
        rg_free(s->frames[i]);
    }
    rg_free(s->frames);
    rg_free(s);
}

static void exchange(rg_value *a, rg_value *b)
{
    rg_value held = *a;
    int refs_a = a->refs, refs_b = b->refs;
    *a = *b;
    *b = held;
    a->refs = refs_a;
    b->refs = refs_b;
}

static rg_status steps_of(rg_region *region, rg_value *scopes, steps **out)
{
    if (scopes->object == NULL) {
        steps *s = rg_alloc_zero(1, sizeof *s);
        if (s == NULL)
            return rg_no_memory(sizeof *s, "the steps of a loop");
        s->n_kept = region->n_kept;
        rg_value_set_object(scopes, RG_STEP_SCOPES, s, drop);
    }
    *out = scopes->object;
    return RG_OK;
}

rg_status rg_steps_save(rg_region *region, rg_value *scopes)
{
    steps *s = NULL;
    RG_TRY(steps_of(region, scopes, &s));
    if (scopes->n_rows == 0)
        s->n = 0; /* the loop begins anew: n_rows counts its steps */
    if (s->n == s->made) {
        RG_TRY(rg_grow((void **)&s->frames, s->made, &s->capacity, sizeof *s->frames));
        rg_value *frame = rg_alloc(s->n_kept * sizeof *frame);
        if (frame == NULL)
            return rg_no_memory(s->n_kept * sizeof *frame, "a step of a loop");
        for (size_t k = 0; k < s->n_kept; k++)
            rg_value_init(&frame[k]);
        s->frames[s->made++] = frame;
    }
    for (size_t k = 0; k < s->n_kept; k++)
        exchange(&s->frames[s->n][k], region->temps[region->kept[k]].value);
    s->n++;
    scopes->n_rows = s->n;
    return RG_OK;
}

rg_status rg_steps_load(rg_region *region, rg_value *scopes, size_t i)
{
    steps *s = scopes->object;
    rg_region *forward = region->forward;
    if (s == NULL || i >= s->n || forward == NULL)
        return rg_fail(RG_EINVAL, "step %zu of a loop that has not run", i);
    for (size_t k = 0; k < s->n_kept; k++)
        exchange(&s->frames[i][k], forward->temps[forward->kept[k]].value);
    return RG_OK;
}
