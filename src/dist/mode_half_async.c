/* mode_half_async.c - half_async: the threads of a trainer step together, trainers do not wait for
 * each other.
 *
 * The mean of the threads' gradients is pushed once a step, and the step waits for the answer; a
 * server applies each push when it comes, as in async. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_push.h"

#include <string.h>

extern const rg_mode rg_mode_half_async; /* below */

/* ---- the programs ---- */

static rg_status trainer(rg_trainer *r)
{
    return rg_add_exchange(r, r->t->config.local_barrier);
}

/* ---- a trainer ---- */

/* Each thread for itself, and every step waits for its answer. */
static rg_status push_alone(rg_job *job, rg_channel *l)
{
    l->steps++;
    return rg_channel_exchange(job, l);
}

/* The transpiler of Paddle 1.8.5 writes mode 2 for servers of async, too, where send and recv are
 * given slices (no runtime_split): the trainer's program has no barrier then. */
static const rg_mode without_barrier = {
    .programs = {.name = "half_async", .number = 2},
    .push = push_alone,
};

static bool has_local_barrier(const rg_block *block)
{
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_attr *half = rg_opdesc_attr(block->ops[i], "half_async");
        if (strcmp(block->ops[i]->type, "send_barrier") == 0 && half != NULL && half->b)
            return true;
    }
    return false;
}

/* And mode 1 for those of half_async, where they are given whole variables. What counts is the
 * trainer's barrier. */
static const rg_mode *of_trainer(const rg_mode *servers, const rg_program *program)
{
    bool barrier = has_local_barrier(program->blocks[0]);
    if (barrier && servers->background)
        return &rg_mode_half_async;
    return !barrier && servers == &rg_mode_half_async ? &without_barrier : NULL;
}

const rg_mode rg_mode_half_async = {
    .programs = {.name = "half_async", .number = 2, .counts = true, .trainer = trainer},
    .together = true,
    .of_trainer = of_trainer,
    .push = rg_push_together,
    .pushed = rg_serve_at_once,
};
