/* mode_half_async.c - half_async: the threads of a trainer step together, trainers do not wait for
 * each other.
 *
 * The mean of the threads' gradients is pushed once a step, and the step waits for the answer; a
 * server applies each push when it comes, as in async. */
#include "dist/mode.h"

#include "dist/exchange_priv.h"
#include "dist/serve_priv.h"

#include <string.h>

static rg_status trainer(rg_trainer *r)
{
    return rg_add_exchange(r, r->t->config.local_barrier);
}

/* Real Paddle writes the servers of such a job as those of async (distributed_mode 1): that the
 * threads wait for each other is said by the trainer's barrier. */
static bool claims(const rg_mode *servers, const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; servers->background && i < block->n_ops; i++) {
        const rg_attr *half = rg_opdesc_attr(block->ops[i], "half_async");
        if (strcmp(block->ops[i]->type, "send_barrier") == 0 && half != NULL && half->b)
            return true;
    }
    return false;
}

const rg_mode rg_mode_half_async = {
    .programs = {.name = "half_async", .number = 2, .counts = true, .trainer = trainer},
    .together = true,
    .claims = claims,
    .push = rg_push_together,
    .pushed = rg_serve_at_once,
};
