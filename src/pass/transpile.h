/* transpile.h - the distribute transpiler: a training program made into what each process
 * of a parameter-server job runs.
 *
 * A program that minimize() has finished is parted by what its ops are for. Trainers keep
 * the forward and backward ops and get send and recv in place of the optimizer; servers
 * get, for each slice of a parameter that lives there, a block with its part of the
 * optimizer. docs/transpiler.md shows the programs and says what each attribute means.
 *
 * The transpiler takes copies of the programs it is opened with, so that programs of
 * trainer and servers may be asked for in any order, each as often as wanted. One thread
 * at a time. */
#ifndef RG_PASS_TRANSPILE_H
#define RG_PASS_TRANSPILE_H

#include "ir/program.h"

typedef struct rg_transpiler rg_transpiler;

/* How updates meet: what a mode makes of the programs (pass/transpile_mode.h). */
typedef struct rg_mode_programs rg_mode_programs;

typedef struct rg_transpile_config {
    int trainer_id; /* -1: not known, the servers number those who come */
    int trainers;
    const char *const *endpoints; /* the servers', n_endpoints of them, all different */
    int n_endpoints;
    int n_sparse; /* of the endpoints, the last: for tables alone, and the others for the rest. 0:
                   * all servers keep both */
    const rg_mode_programs *mode;
    bool runtime_split; /* send and recv are given whole variables, and split them */
    bool local_barrier; /* a send_barrier that waits for this trainer's threads only */
    bool slice;         /* false: every parameter lives whole on one server */
    bool by_hash;       /* slices are dealt by a hash of their names, not in turn */
    bool dc_asgd;       /* servers make up for the delay of asynchronous gradients */
    bool sum_gradients; /* of all trainers, where else their mean is taken */
    int64_t min_block;  /* elements that a slice has at least */
    int geo_push_nums;  /* geo: steps between two pushes */
} rg_transpile_config;

enum { RG_MIN_BLOCK = 8192 }; /* the least min_block */

/* Of the training program and its startup program; both are copied. RG_EINVAL with what is
 * wrong with the config, or with what in the program cannot be distributed. */
rg_status rg_transpiler_open(rg_transpiler **t, const rg_program *main, const rg_program *startup,
                             const rg_transpile_config *config);
void rg_transpiler_close(rg_transpiler *t); /* NULL is allowed */

/* Make the two programs, equal to those it was opened with, into the trainer's. */
rg_status rg_transpile_trainer(rg_transpiler *t, rg_program *main, rg_program *startup);

/* The program of the server at `endpoint`; owned by the caller. RG_ENOENT: no such server. */
rg_status rg_transpile_server(rg_transpiler *t, const char *endpoint, rg_program **main);
/* Its startup program, made of the initialisers of `startup` (NULL: of the one the
 * transpiler was opened with); owned by the caller. */
rg_status rg_transpile_server_startup(rg_transpiler *t, const char *endpoint,
                                      const rg_program *startup, rg_program **out);

/* A slice of a parameter and where it lives. Borrowed until the transpiler is closed. */
typedef struct rg_param_slice {
    const char *param, *name, *grad; /* "w", "w.block0", "w@GRAD.block0" */
    const char *endpoint;
    int64_t begin, rows, height; /* rows of dimension 0: the first, how many, of how many */
    bool table;                  /* looked up by rows on the server, never sent whole */
} rg_param_slice;

int rg_transpiler_n_slices(const rg_transpiler *t);
rg_param_slice rg_transpiler_slice(const rg_transpiler *t, int i);
/* The i-th variable, n of them in all, that the parameter's optimizer keeps on the servers;
 * NULL past the last. It has a slice of the same rows if its dimension 0 is the parameter's. */
const char *rg_transpiler_state(const rg_transpiler *t, const char *param, int i);

#endif
