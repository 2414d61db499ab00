/* mode.h - an update mode: what trainers do with gradients, when they wait, what a server does with
 * a push, and which programs the transpiler makes of it all.
 *
 * A mode is one file, mode_NAME.c, with one `const rg_mode rg_mode_NAME`: the build finds it there
 * (tools/gen_modes.sh), and nothing else compares modes. */
#ifndef RG_DIST_MODE_H
#define RG_DIST_MODE_H

#include "ir/op.h"
#include "pass/transpile_mode.h"

struct rg_job;
struct rg_channel;
struct rg_engine;
struct rg_pushing;

typedef struct rg_mode {
    rg_mode_programs programs;

    /* ---- a trainer ---- */

    /* Its threads are one sender: the mean of their gradients is pushed once a step, and the step
     * waits for the answer. Otherwise each thread has a channel of its own. */
    bool together;
    /* Steps go on while their gradients are under way: rows of the next batch may be asked for
     * before they have arrived, and parameters are taken when they happen to have come. */
    bool background;
    /* Why values may only travel as floats; NULL: FLAGS_rpc_payload decides. */
    const char *only_floats;
    /* How a trainer of this program goes about it, with servers of the mode `servers`, where this
     * file knows better than they; NULL: it does not. */
    const struct rg_mode *(*of_trainer)(const struct rg_mode *servers, const rg_program *program);
    /* In place of the kernel of `send`; NULL: gradients go into the outboxes of the channel. */
    rg_status (*send)(rg_ctx *ctx, struct rg_job *job);
    /* The step in this channel is complete. NULL where `send` sees to that. */
    rg_status (*push)(struct rg_job *job, struct rg_channel *channel);
    /* As rg_exchange_replays() and, if it counts, rg_exchange_skip(), where `send` counts steps. */
    bool (*skip)(struct rg_job *job, bool counts);
    /* Free what `send` has left in job->mode_state; NULL: nothing. */
    void (*close)(struct rg_job *job);

    /* ---- a server ---- */

    /* Apply a push that has been checked, and answer, now or later; in the loop it came in. Where
     * p->came only the answer was lost. */
    void (*pushed)(struct rg_engine *s, struct rg_pushing *p);
    /* Whoever was waited for may have come or gone; NULL: nobody waits, and in a server of one loop
     * a push is applied when pushed() returns. Without the lock. */
    void (*try_step)(struct rg_engine *s);
} rg_mode;

/* All of them, by growing number; NULL ends the list. Made by tools/gen_modes.sh. */
extern const rg_mode *const rg_modes[];

/* RG_EINVAL where there is none of that number. */
rg_status rg_mode_find(int64_t number, const rg_mode **mode);
/* How a trainer of this program goes about it, with servers of that mode: as they say, but for
 * what a mode's of_trainer() finds in the program. */
const rg_mode *rg_mode_of_trainer(const rg_mode *servers, const rg_program *program);

#endif
