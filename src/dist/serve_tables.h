/* serve_tables.h - a server's variables: dense slices and tables of rows, and how they move. */
#ifndef RG_DIST_SERVE_TABLES_H
#define RG_DIST_SERVE_TABLES_H

#include "dist/block_plan.h"
#include "dist/serve_priv.h"
#include "ops/past.h"
#include "ps/admission.h"
#include "ps/geo_rows.h"
#include "ps/memory.h"
#include "ps/table.h"

/* The optimizer of a table whose rows it moves where they stand (serve_row_steps.c). */
typedef struct rg_row_stepper rg_row_stepper;
/* The same of a dense variable (serve_dense.c). */
typedef struct rg_dense_stepper rg_dense_stepper;

/* A variable that trainers push to and pull from; number i of the schema. */
struct rg_served {
    rg_shard *shard; /* whose it is */
    const rg_ps_var *about;
    const rg_opdesc *op; /* its optimizer; NULL in geo */
    rg_plan *update;     /* NULL in geo, and where rows move in place */
    rg_value *param;     /* of the scope; NULL: a table of rows */
    int block;           /* its optimizer's, ... */
    size_t first_op;     /* ... from this op on: what comes before merges gradients */
    bool only_reads;     /* it is one op, which reads the gradient and does not write it */
    rg_dense_stepper *dense_stepper; /* NULL: `update` makes each step */
    rg_storage *shown; /* what trainers may read of it until the next step, since it has changed
                        * in between: counted; NULL: it has not */
    /* A table: */
    bool grows;
    bool in_place; /* the optimizer moves rows where they stand, ... */
    bool later;    /* ... and those that a step does not name make it later */
    bool spread;   /* every shard has some of its rows (rg_shard_of), and one of these */
    rg_table *table;
    const char *columns[1 + RG_TABLE_MAX_STATES]; /* the parameter and its states, by name */
    int state_of[1 + RG_TABLE_MAX_STATES]; /* which state of the optimizer's definition each is */
    int n_columns;
    rg_row_stepper *stepper; /* NULL: geo, or the block is run on copies of the rows: */
    rg_value *staged[1 + RG_TABLE_MAX_STATES]; /* of the plan */
    rg_scope *stage;
    rg_past *past; /* steps that idle rows make later; NULL: they make none */
    bool noticed;  /* a read has changed it since this was last cleared (serve_journal.h) */
    uint32_t age;  /* how often the table was shrunk: rows know when they were last touched */
    rg_geo_rows *changed; /* geo */
    uint64_t *told;       /* geo, by trainer: how far what it was told last goes */
    size_t gone;          /* rows for which there was no memory */
    rg_entry_rule entry;  /* which ids get a row */
    /* DC-ASGD: what each trainer was sent last. */
    rg_value **sent;
    /* Sync, where trainers may come back: values before the last step, of a table those of the rows
     * that it changed (serve_return.c); owned. */
    bool has_before; /* dense: the last step has changed it */
    float *before;
    int64_t *before_ids; /* growing */
    size_t n_before, cap_before;
};

/* Counters of a row. */
enum { RG_ROW_SEEN, RG_ROW_STEP, RG_ROW_COUNTERS };

static inline bool rg_served_is_mine(const rg_served *var, int64_t id)
{
    return !var->spread || rg_shard_of(id, var->shard->engine->n_shards) == var->shard->number;
}

/* ---- variables (serve_vars.c) ---- */

rg_status rg_serve_open_vars(rg_engine *s);
void rg_serve_close_vars(rg_engine *s);
/* Apply a gradient of a variable that is no table; `trainer` pushed it. */
rg_status rg_serve_update(rg_served *var, const float *grad, int trainer);
/* *grad is where the gradient goes (NULL: nothing uses it); then `update` is to be run. */
rg_status rg_serve_gradient(rg_served *var, float **grad);

/* ---- steps of dense variables in one pass (serve_dense.c) ---- */

/* Where its optimizer can; then closed with the variable. */
rg_status rg_served_open_dense_stepper(rg_served *var);
void rg_served_close_dense_stepper(rg_served *var);
/* Apply (found[0] + found[1] + ...) * scale, added in this order; false: `update` is to be run. */
bool rg_served_step_dense(rg_served *var, const float *const *found, int count, float scale);
/* It is about to change outside of a step: trainers that read it where it is (shown.c) go on doing
 * so, and it gets other memory. */
rg_status rg_served_leave_shown(rg_served *var);
/* A step begins, for which all of them wait; or it is closed. */
void rg_served_drop_shown(rg_served *var);

/* ---- which shard has what (serve_deal.c) ---- */

/* By shards[0].vars, which say what the program says of each. */
rg_status rg_serve_deal(rg_engine *s);
rg_status rg_serve_open_scopes(rg_engine *s, int schedule);
/* How many pushes of a trainer have come, where a schedule counts them. */
#define RG_PUSHES_COUNTED_OF "@LR_DECAY_COUNTER@.trainer_"
#define RG_PUSHES_COUNTED    RG_PUSHES_COUNTED_OF "%u"

/* ---- what tables may take of memory (serve_memory.c) ---- */

/* By the flags, when it is known which shard has what; closed when all tables are. */
rg_status rg_serve_open_memory(rg_engine *s);
void rg_serve_close_memory(rg_engine *s);
/* A line for each table: what its rows take, and whether they fit. */
void rg_serve_forecast(rg_engine *s);
/* For the table's opening. */
rg_table_keep rg_serve_keep(rg_engine *s, rg_served *var);
/* A table that is a dense parameter takes as much. */
rg_status rg_serve_take_memory(rg_engine *s, const rg_served *var, size_t bytes);
/* Whether rows may go, so that look-ups make none. */
bool rg_serve_rows_may_go(const rg_engine *s);
/* RG_ENOMEM where rows that were loaded have gone. */
rg_status rg_serve_check_loaded(const rg_served *var);
/* Before a push is applied: false, there is room for its rows; true, it is seen to that there is,
 * and then the mode has it, or that it is refused. */
bool rg_serve_reserve(rg_engine *s, rg_pushing *p);
/* The rows that a refused request has made go again. */
rg_status rg_serve_unmake(rg_shard *shard, uint32_t var, const int64_t *ids, const rg_some *some);

/* ---- requests for them as a whole (serve_whole.c) ---- */

void rg_serve_get_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_set_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* As a read of these rows does, n < 0: of all. */
rg_status rg_serve_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n);
void rg_serve_shrink(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- tables (serve_rows.c) ---- */

/* What its optimizer does with rows. alone: its block is the optimizer's op and nothing else. */
rg_status rg_served_describe(rg_engine *s, rg_served *var, bool alone);
/* Whether each of its rows moves by itself, so that they may be in several shards. */
bool rg_served_can_spread(const rg_engine *s, const rg_served *var);
/* A table whose rows come to be, or, where every step moves every row, a dense parameter in its
 * place (`table` is NULL then). What was loaded into the scope stays there until all shards have
 * their rows of it. */
rg_status rg_served_open(rg_engine *s, rg_served *var);
void rg_served_forget_loaded(rg_engine *s, const rg_served *var);
void rg_served_close(rg_served *var);
/* Rows by ids, checked: the i-th becomes row at[i] of `out` (NULL: row i). */
rg_status rg_served_pull(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);
/* The same, and nothing is changed: rows do not come to be, are not touched, and make the steps
 * that they have missed when they will be read (the bits of that depend on when). */
rg_status rg_served_peek(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);
/* Whether rows with these ids may be. Any thread. */
rg_status rg_served_check(const rg_served *var, const int64_t *ids, size_t n);
/* Handles of the rows with these ids, which come to be, and are noted as touched. */
rg_status rg_served_touch(rg_served *var, const int64_t *ids, size_t n, rg_row_handle *handles);
/* Drop the rows that were not touched since the last `unseen` calls of this, or all; how many. */
rg_status rg_served_shrink(rg_served *var, uint32_t unseen, uint64_t *rows);
rg_status rg_served_clear(rg_served *var, uint64_t *rows);
/* Give all rows of a column new values. */
rg_status rg_served_set(rg_served *var, int column, const float *rows);
/* Those of rows first .. first + n - 1 of a column that are this shard's, each in its place of what
 * the dense variable would hold. */
rg_status rg_served_dense(rg_served *var, int column, int64_t first, int64_t n, float *out);
/* What such a read does to rows, and rg_served_copy() of all where n is negative. */
rg_status rg_served_read_all(rg_served *var, int64_t first, int64_t n);
/* Geo: rows for a trainer to hear of, which is no use of them: one that was dropped stays so. */
rg_status rg_served_tell(rg_served *var, const int64_t *ids, size_t n, float *out);
/* Geo: the trainer has the rows that it was told last, or: it has gone. */
void rg_served_heard(rg_served *var, int trainer);
void rg_served_left(rg_served *var, int trainer);
/* How many rows there are, and their ids, growing. */
size_t rg_served_size(const rg_served *var);
rg_status rg_served_ids(const rg_served *var, int64_t *ids);
/* As rg_served_pull(), and no use of the rows: those that are not there do not come to be. */
rg_status rg_served_copy(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);

/* ---- how rows move (serve_row_steps.c) ---- */

/* The optimizer's op for its row_step: to values of `first`, which gets what stands in for the
 * gradient, or else of `rest`. */
rg_status rg_served_bind(rg_served *var, rg_scope *first, rg_scope *rest, rg_ctx *ctx, rg_run *run);
/* The optimizer's op, for rows that it moves where they stand. */
rg_status rg_served_open_stepper(rg_engine *s, rg_served *var);
/* Apply gradients; ids checked, ascending, each once. In geo: add differences. */
rg_status rg_served_push(rg_engine *s, rg_served *var, const int64_t *ids, size_t n, float *grads);
/* Rows that were idle make the steps that they have missed: before they are read. */
void rg_served_catch_up(rg_served *var, const rg_row_handle *handles, size_t n);

/* ---- values before the last step (serve_return.c) ---- */

void rg_served_write_before(const rg_served *var, rg_buf *out);
rg_status rg_served_read_before(rg_served *var, struct rg_cursor *in);
/* A step: what is changed is kept first. ids: checked, ascending, each once. */
void rg_served_step_begins(rg_served *var);
rg_status rg_served_keep_dense(rg_served *var);
rg_status rg_served_keep_rows(rg_served *var, const int64_t *ids, size_t n);
/* Values as they are, or were before the last step. */
const float *rg_served_values(const rg_served *var, bool before);
typedef struct rg_reading {
    bool before; /* the last step */
    bool peeks;  /* changes nothing */
} rg_reading;
rg_status rg_served_pull_as(rg_served *var, rg_reading how, const int64_t *ids, const uint32_t *at,
                            size_t n, float *out);
void rg_served_free_before(rg_served *var);

/* ---- parts of tables in files (serve_save.c) ---- */

void rg_serve_save(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

#endif
