/* transpile_mode.h - what an update mode makes of the programs of trainers and servers, and the
 * pieces it is made of. A mode's own file (dist/mode_NAME.c) has the rest of it. */
#ifndef RG_PASS_TRANSPILE_MODE_H
#define RG_PASS_TRANSPILE_MODE_H

#include "base/arena.h"
#include "pass/edit.h"
#include "pass/transpile.h"

typedef struct rg_dist_param rg_dist_param;
typedef struct rg_part rg_part;
typedef struct rg_trainer rg_trainer;
typedef struct rg_server_program rg_server_program;

struct rg_mode_programs {
    const char *name; /* as users say it */
    int number;       /* listen_and_serv's distributed_mode */
    bool merges;      /* a server makes one step of the gradients of all trainers */
    bool counts;      /* steps are counted by the trainers, each its own: no server sees all */
    bool updates;     /* the optimizer stays on trainers; servers get what it changed */
    /* Options that do not go with it; NULL: all do. */
    rg_status (*check)(const rg_transpile_config *config);
    /* The trainer's main program: ops that talk to servers, and what stays of the others. */
    rg_status (*trainer)(rg_trainer *r);
    /* The end of its startup program; NULL: tables get a shape and no memory. */
    rg_status (*startup)(rg_trainer *r);
    /* A server's block for a slice of a parameter; NULL: rg_server_add_update(). */
    rg_status (*server)(rg_server_program *s, const rg_dist_param *param, const rg_part *part);
};

/* ---- what has been found in the training program ---- */

/* A slice of a parameter. */
struct rg_part {
    const char *name, *grad;
    const char *suffix; /* of its optimizer's variables: "", unless they would clash */
    int endpoint;
    int64_t begin;  /* the first row */
    rg_shape shape; /* of the slice */
};

struct rg_dist_param {
    const char *name, *grad; /* the gradient as trainers send it */
    const rg_vardesc *var, *grad_var;
    const rg_opdesc *update; /* the optimizer's op */
    rg_opdesc **ops;         /* all ops that go to servers for it, in order */
    int n_ops;
    const char **states; /* what its optimizer keeps from step to step */
    int n_states;
    bool table;        /* only looked up: trainers get rows, never the whole */
    bool born;         /* its rows may come to be when first touched */
    bool grows;        /* is_distributed: ids beyond its height are welcome */
    const char *entry; /* which ids get a row, as its look-ups say; "": all */
    rg_part *parts;
    int n_parts;
};

struct rg_transpiler {
    rg_arena arena;
    rg_program *main, *startup; /* as they were given */
    rg_transpile_config config; /* its endpoints are copies */
    rg_dist_param *params;      /* in the order of their updates */
    int n_params;
    uint8_t *fate; /* by index of an op of main's first block */
    int n_schedule;
    bool schedule_stays; /* trainers read the learning rate, or its counter, themselves */
    const char *counter; /* of steps, for the learning rate; NULL: none */
};

/* A text made as by printf; NULL: no memory. */
const char *rg_text(rg_transpiler *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
rg_status rg_transpile_no_memory(void);
/* For a check(): enable_dc_asgd is refused. */
rg_status rg_refuse_dc_asgd(const rg_transpile_config *config);

/* ---- a trainer's programs ---- */

struct rg_trainer {
    rg_transpiler *t;
    rg_block *block;       /* the first of the program that is being made */
    rg_opdesc **was;       /* the ops of the main program's block as they were, by index */
    const char **controls; /* by parameter: what stands for its send */
    int n_controls;        /* made so far */
};

/* Gradients go to servers, rows and parameters come back, and the updates are taken out: all that
 * most modes do. barrier: a send_barrier stands between. */
rg_status rg_add_exchange(rg_trainer *r, bool barrier);
/* A variable without data that puts communication ops in order. */
rg_status rg_add_control(rg_trainer *r, const char **name);
/* Whether the op looks rows of the table up. */
bool rg_looks_up(const rg_opdesc *op, const char *table);

/* ---- a server's program ---- */

rg_transpiler *rg_server_transpiler(rg_server_program *s);
rg_status rg_server_declare(rg_server_program *s, const char *name, const rg_vardesc *like,
                            const rg_shape *shape, bool persistable);
/* The block, empty, that is run when `grad` comes, of this slice. */
rg_status rg_server_add_block(rg_server_program *s, const rg_dist_param *param, const rg_part *part,
                              const char *grad, rg_block **block);
/* The optimizer over the gradient that came, or over what all trainers' have been made. */
rg_status rg_server_add_update(rg_server_program *s, const rg_dist_param *param,
                               const rg_part *part);

#endif
