/* transpile_priv.h - what the files of the transpiler share. */
#ifndef RG_PASS_TRANSPILE_PRIV_H
#define RG_PASS_TRANSPILE_PRIV_H

#include "base/map.h"
#include "pass/transpile_mode.h"

/* What becomes of an op of the training program's first block. */
enum rg_op_fate {
    RG_STAYS,     /* on trainers: forward, backward */
    RG_UPDATES,   /* on servers: the optimizer of a parameter, and its weight decay */
    RG_SCHEDULES, /* on servers: the learning rate */
    RG_PREPARES,  /* of the optimize role, on trainers, before gradients are sent: clips */
    RG_FOLLOWS,   /* of the optimize role, on trainers, after parameters came: averages */
};

/* Fill in params (but for their parts), fates and the rest (transpile_find.c). */
rg_status rg_find_params(rg_transpiler *t);

/* Whether variables of trainers are told apart on servers: `name.trainer_1`. */
static inline bool rg_by_trainer(const rg_transpiler *t)
{
    return t->config.mode->merges && t->config.trainers > 1;
}
/* The gradient's slice under the name that trainer `id` sends it by. */
const char *rg_sent_name(rg_transpiler *t, const rg_part *part, int id);
/* The schedule's counter as trainer `id` has it. */
const char *rg_counter_name(rg_transpiler *t, int id);
/* Where counting begins: what the startup program gives the counter. */
rg_status rg_counter_start(const rg_transpiler *t, float *start);

/* ---- a trainer's programs (transpile_talk.c, transpile_start.c) ---- */

typedef struct rg_part_lists {
    const char **names, **grads, **endpoints;
    int64_t *rows;
} rg_part_lists;

/* The slices of a parameter, as attributes want them; in the transpiler's arena. */
rg_status rg_list_parts(rg_transpiler *t, const rg_dist_param *param, rg_part_lists *lists);
/* Variables for the slices, of the type of `like`. */
rg_status rg_add_part_vars(rg_block *block, const rg_dist_param *param, const rg_vardesc *like,
                           const char *const *names);
/* `after`, which may be NULL, stands for what must be over first. `whole`: the op itself puts
 * the slices together. */
rg_status rg_add_recv(rg_trainer *r, const rg_dist_param *param, const char *after, bool whole,
                      rg_opdesc **op);
rg_status rg_add_fetch_barrier(rg_trainer *r, const char *after, int n, const char *const *outs);
/* Of the slices of all parameters that are received. */
rg_status rg_add_concats(rg_trainer *r, int role);
/* `main`: the first block of the trainer's main program, finished. */
rg_status rg_trainer_startup(rg_trainer *r, const rg_block *main);

/* ---- a server's variables (transpile_place.c) ---- */

typedef struct rg_placed {
    const char *name, *origin; /* on the server, in the training program */
    const rg_vardesc *var;     /* in the training program */
    const rg_part *part;       /* NULL: whole, and not of one parameter alone */
    rg_shape shape;
    bool sliced; /* rows part->begin ... of the origin */
    bool born;   /* of a table: made row by row */
} rg_placed;

typedef struct rg_places {
    rg_placed *items;
    size_t n, capacity;
} rg_places;

/* All persistent variables of the server. */
rg_status rg_places_make(rg_transpiler *t, int endpoint, rg_places *places);
void rg_places_fini(rg_places *places);
/* How a variable of the parameter's update is called, and shaped, beside that slice. */
const char *rg_beside(rg_transpiler *t, const rg_dist_param *param, const rg_part *part,
                      const char *name);
rg_shape rg_shape_beside(const rg_dist_param *param, const rg_part *part, const rg_vardesc *var);

/* The initialisers in `startup` of the variables that are `born` (or of those that are not)
 * appended to the block, made to fit their slices. */
rg_status rg_add_initialisers(const rg_program *startup, const rg_places *places, bool born,
                              rg_block *block);

/* The index of an endpoint; RG_ENOENT: none such. */
rg_status rg_find_endpoint(const rg_transpiler *t, const char *endpoint, int *index);

#endif
