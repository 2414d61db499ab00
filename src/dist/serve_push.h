/* serve_push.h - what trainers push to a server and are given back, and the steps of sync. */
#ifndef RG_DIST_SERVE_PUSH_H
#define RG_DIST_SERVE_PUSH_H

#include "dist/serve_priv.h"

/* ---- pushes (serve_push.c) ---- */

/* A push, or a pull, from its coming to its answer. */
struct rg_pushing {
    rg_spread spread;
    rg_pushing *next; /* of those that are spare */
    rg_shard *home;   /* of the loop that it came in */
    rg_task task;
    rg_rpc_request *request;
    rg_member *trainer; /* NULL: a pull */
    rg_arena arena;
    rg_push push;
    rg_some *rows;     /* [tables of the push][shards] */
    bool came;         /* before: it is answered, and not applied */
    bool empty;        /* and `came`: from another trainer, it was leased */
    bool before;       /* a pull of one that is behind */
    rg_status refused; /* since there is no memory for its rows (serve_memory.c) */
    rg_payload back;   /* what the answer is in */
    uint8_t *values;   /* that are wanted, each padded; owned */
    size_t n_values;   /* bytes */
    void *mine;        /* the mode's */
};

void rg_serve_push(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* So many threads of it push; more than before. */
rg_status rg_serve_count_threads(rg_member *trainer, size_t n);
/* Whether gradients are read where the trainer lends them, which it leaves as they are until it is
 * answered (exchange.c). The body of such a request has gaps. */
bool rg_serve_reads_lent(void *engine, const rg_frame *frame);
/* For modes: each shard applies its part when it comes, and the last answers. */
void rg_serve_at_once(rg_engine *s, rg_pushing *p);
/* The rows of a push that are the shard's. */
rg_status rg_serve_apply_rows(rg_shard *shard, const rg_pushing *p);
/* The answer is given, or refused: its memory is for the next. Any thread. */
void rg_pushing_end(rg_pushing *p);
rg_pushing *rg_pushing_begin(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_free_spare(rg_shard *shard);

/* ---- gradients of several trainers as one (serve_merge.c) ---- */

typedef struct rg_merge_part {
    const rg_push_rows *rows;
    rg_some some;
} rg_merge_part;

/* Those of them that shard has of table number i of the push; false: none ever. */
bool rg_pushing_rows(const rg_pushing *p, uint32_t i, const rg_shard *shard, rg_merge_part *part);
/* Rows in ascending order, each once, times `scale`; in the shard's scratch. */
rg_status rg_merge_pushed(rg_shard *shard, const rg_merge_part *parts, int n_parts, int64_t width,
                          float scale, int64_t **ids, float **grads, size_t *n);
/* Elements that stay in the first cache while a gradient is made of them, and a parameter and a few
 * states move by it: 32 KiB. */
enum { RG_MERGE_PIECE = 2048 };
/* (found[0] + found[1] + ...) * scale, added in this order, of n elements from `first` on. */
void rg_merge_values(float *to, const float *const *found, int count, float scale, int64_t first,
                     int64_t n);

/* ---- handing out (serve_pull.c) ---- */

void rg_serve_pull(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_rows(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* What a request for rows does beside its answer. */
rg_status rg_serve_look_up(rg_engine *s, const uint8_t *body, size_t n);
void rg_refuse_with_message(rg_rpc_request *request, rg_status code);
rg_payload rg_payload_asked(const rg_rpc_request *request);
/* Memory for the values that are wanted back, and those of them that the shard has. */
rg_status rg_pushing_make_room(rg_pushing *p);
void rg_pushing_copy_values(rg_pushing *p, const rg_shard *shard);
/* The answer, with the values. */
void rg_pushing_reply_values(rg_pushing *p);

/* ---- steps (serve_step.c) ---- */

/* Whoever was waited for may have come or gone: make the step, if all others are there. Without
 * the lock. */
void rg_serve_try_step(rg_engine *s);
/* For modes: one step of the pushes in `taking`, by all shards; then done(s->step). */
void rg_serve_make_step(rg_engine *s, void (*done)(rg_spread *spread));
/* The values as they stand, which nothing changes until all who wait for them have them; in the
 * loop of the trainer. The push is over then. */
void rg_serve_reply_still(rg_engine *s, rg_pushing *p);

#endif
