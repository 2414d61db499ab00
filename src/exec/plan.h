/* plan.h - a program compiled for a scope, a set of feeds and a set of fetches.
 *
 * Making a plan resolves every name to a value, fuses, and shares memory between
 * variables that are never alive together. Running it touches no string and no
 * hash table; while the feeds keep their shapes it runs kernels and nothing else.
 *
 * A plan belongs to one thread at a time, and keeps its scope and its own copy of
 * the program: the program may change or be closed. */
#ifndef RG_EXEC_PLAN_H
#define RG_EXEC_PLAN_H

#include "base/status.h"
#include "exec/scope.h"
#include "ir/program.h"
#include "tensor/device.h"

typedef struct rg_plan rg_plan;

typedef struct rg_plan_config {
    const char *const *feeds;
    int n_feeds;
    const char *const *fetches;
    int n_fetches;
    bool keep_all; /* run every op, also those whose outputs nobody reads */
    bool no_fuse;  /* run the ops as written, as with FLAGS_fuse=0 */
    int thread; /* which of several threads' plans this is: random ops draw other numbers on each */
    struct rg_job *job;      /* that its runs take part in, borrowed; NULL: none */
    const rg_device *device; /* whose kernels run; NULL: the CPU's */
    bool forward;            /* no op that is there to train; of the others those that are needed */
    uint64_t step; /* the number of its first run: random numbers go by the number of the run */
} rg_plan_config;

/* Owned; ended by rg_plan_close(). Variables that the program keeps (persistable)
 * are made in the scope's root where they are missing. */
rg_status rg_plan_open(rg_plan **plan, const rg_program *program, rg_scope *scope,
                       const rg_plan_config *config);
void rg_plan_close(rg_plan *plan);

/* Feed number i: the value to fill before a run, and the description it must fit. The
 * value is NULL where the program has no use for it. */
rg_value *rg_plan_feed(const rg_plan *plan, int i);
const rg_vardesc *rg_plan_feed_desc(const rg_plan *plan, int i);
/* Feed i gets this shape, and memory to be filled; *value is NULL where the program has no use
 * for it. Shapes are inferred again only where it had another one. */
rg_status rg_plan_feed_room(rg_plan *plan, int i, rg_dtype dtype, const rg_shape *shape,
                            rg_lod *lod, rg_value **value);
/* The bytes of feed i, which has room for them: from the host, or of a value, which must stay as it
 * is until the next run has begun. */
rg_status rg_plan_feed_bytes(rg_plan *plan, int i, const void *from, size_t bytes);
rg_status rg_plan_feed_take(rg_plan *plan, int i, const rg_value *from);
/* For who has filled feed i by hand: it has another shape, LoD or number of rows. */
void rg_plan_feed_changed(rg_plan *plan, int i);

/* Feed i becomes rows [from, to) of `whole`, with this LoD (or none). */
rg_status rg_plan_feed_rows(rg_plan *plan, int i, const rg_value *whole, int64_t from, int64_t to,
                            rg_lod *lod);
/* All of it. */
rg_status rg_plan_feed_copy(rg_plan *plan, int i, const rg_value *whole);

/* What the run after the next one will be fed, by number: then its rows can be asked for while
 * the next is computed. Borrowed until the next has run. */
void rg_plan_ahead(rg_plan *plan, rg_value *const *feeds);

/* Run once. On failure the message names the op, its inputs and the user's line. On a device the
 * work may still be under way when it returns; who reads a value waits for it (rg_host_data()). */
rg_status rg_plan_run(rg_plan *plan);
/* The same for who runs a program by hand (exe.run): where it trains, the run is a step of this
 * thread, and counted with its time, examples and loss (sys/metrics.h). From its end to the next
 * one's begin, the script gets data. */
rg_status rg_plan_step(rg_plan *plan);
bool rg_plan_trains(const rg_plan *plan);
/* Examples that are fed: sequences where they are, or else rows. */
uint64_t rg_plan_examples(const rg_plan *plan);
/* A run that is not made, and counts: random numbers go by the number of the run. */
void rg_plan_skip(rg_plan *plan);
/* Whether it is the CPU's, where nothing is under way after a run. */
bool rg_plan_is_on_host(const rg_plan *plan);
/* Until it is done; what was found wrong meanwhile. */
rg_status rg_plan_wait(rg_plan *plan);

/* Fetch number i after a run. Borrowed until the next run. */
rg_value *rg_plan_fetch(const rg_plan *plan, int i);
bool rg_plan_fetches(const rg_plan *plan, const rg_value *value); /* it is one of them */

/* The ops that it runs, one a line: what fusion made of the program. */
void rg_plan_text(const rg_plan *plan, rg_buf *text);

/* What it runs over. Borrowed. */
rg_scope *rg_plan_scope(const rg_plan *plan);
/* Whether names of the scope still stand for the values that it has found under them. */
bool rg_plan_is_bound(const rg_plan *plan);
/* The seed of random ops that name none, in programs that name none. */
uint64_t rg_process_seed(void);

/* Seeds for random ops where neither the op nor the program names one. */
void rg_set_process_seed(uint64_t seed);

/* How ops reach Python (py_func): set once by the Python extension. */
void rg_set_python_call(rg_status (*call)(rg_ctx *ctx, int id));

#endif
