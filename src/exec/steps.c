/* steps.c - the steps of a loop, set aside for its gradient.
 *
 * A loop runs its block over the same variables each time. Those that the gradient
 * will read are exchanged, after every step, for the empty ones of a frame; of variables
 * around the loop that the block changes, the frame has copies. The gradient brings
 * frame after frame back, and each is left as it was: another gradient may come. A second
 * run of the loop finds the frames of the first and uses their memory again. */
#include "exec/plan_priv.h"

#include "base/mem.h"

/* What is kept of one step. */
typedef struct frame {
    rg_value *own;   /* n_kept variables of the block */
    rg_value *after; /* n_carried variables around it, as the step left them */
} frame;

typedef struct steps {
    frame *frames;
    size_t made, capacity;
    size_t n_kept, n_carried;
    size_t loaded;     /* 1 + the step whose variables are in the block; 0: none */
    rg_value *present; /* n_carried variables around it, as the gradient found them */
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
        drop_values(s->frames[i].after, s->n_carried);
    }
    drop_values(s->present, s->n_carried);
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

static rg_status steps_of(const rg_region *forward, rg_value *scopes, steps **out)
{
    steps *s = scopes->object;
    if (s == NULL) {
        s = rg_alloc_zero(1, sizeof *s);
        if (s == NULL)
            return rg_no_memory(sizeof *s, "the steps of a loop");
        s->n_kept = forward->n_kept;
        s->n_carried = forward->n_carried;
        rg_value_set_object(scopes, RG_STEP_SCOPES, s, drop);
    }
    *out = s;
    return RG_OK;
}

/* Frame i, made if it is the next one. */
static rg_status frame_of(steps *s, size_t i, frame **out)
{
    while (s->made <= i) {
        RG_TRY(rg_grow((void **)&s->frames, s->made, &s->capacity, sizeof *s->frames));
        frame fresh = {new_values(s->n_kept), new_values(s->n_carried)};
        if (fresh.own == NULL || fresh.after == NULL) {
            rg_free(fresh.own);
            rg_free(fresh.after);
            return rg_no_memory(s->n_kept * sizeof(rg_value), "a step of a loop");
        }
        s->frames[s->made++] = fresh;
    }
    *out = &s->frames[i];
    return RG_OK;
}

static void exchange_own(rg_region *forward, frame *f)
{
    for (size_t k = 0; k < forward->n_kept; k++)
        exchange(&f->own[k], forward->temps[forward->kept[k]].value);
}

static void unload(rg_region *forward, steps *s)
{
    if (s->loaded > 0)
        exchange_own(forward, &s->frames[s->loaded - 1]);
    s->loaded = 0;
}

/* to and from have n_carried values; those that have none yet are left alone. */
static rg_status copy_carried(const rg_region *forward, rg_value *kept, bool load)
{
    for (size_t k = 0; k < forward->n_carried; k++) {
        rg_value *around = forward->carried[k];
        const rg_value *from = load ? &kept[k] : around;
        if (from->data != NULL)
            RG_TRY(rg_value_copy(load ? around : &kept[k], from));
    }
    return RG_OK;
}

rg_status rg_steps_save(rg_region *region, rg_value *scopes)
{
    steps *s = NULL;
    frame *f = NULL;
    RG_TRY(steps_of(region, scopes, &s));
    RG_TRY(frame_of(s, scopes->n_rows, &f));
    exchange_own(region, f);
    scopes->n_rows++; /* counts the steps of this run of the loop */
    return copy_carried(region, f->after, false);
}

rg_status rg_steps_load(rg_region *region, rg_value *scopes, size_t i)
{
    rg_region *forward = region->forward;
    steps *s = scopes->object;
    if (s == NULL || i >= scopes->n_rows || i >= s->made || forward == NULL)
        return rg_fail(RG_EINVAL, "step %zu of a loop that has not run", i);
    unload(forward, s);
    exchange_own(forward, &s->frames[i]);
    s->loaded = i + 1;
    return copy_carried(forward, s->frames[i].after, true);
}

rg_status rg_present_keep(rg_region *region, rg_value *scopes)
{
    rg_region *forward = region->forward;
    steps *s;
    if (forward == NULL)
        return rg_fail(RG_EINVAL, "the gradient of a block that is not in the program");
    RG_TRY(steps_of(forward, scopes, &s));
    if (s->present == NULL)
        s->present = new_values(s->n_carried);
    if (s->present == NULL)
        return rg_no_memory(s->n_carried * sizeof(rg_value), "the variables around a loop");
    return copy_carried(forward, s->present, false);
}

rg_status rg_present_load(rg_region *region, rg_value *scopes)
{
    rg_region *forward = region->forward;
    steps *s = scopes->object;
    unload(forward, s);
    return copy_carried(forward, s->present, true);
}
