/* outbox_priv.h - what a step has for one server: dense gradients, rows, and the push made of them.
 *
 * Threads: whoever fills it sees to it that no other does. */
#ifndef RG_DIST_OUTBOX_PRIV_H
#define RG_DIST_OUTBOX_PRIV_H

#include "dist/job.h"

/* Rows of one table. */
typedef struct rg_row_list {
    int64_t *ids;
    float *rows;
    size_t room; /* bytes that `rows` was given */
    size_t n, cap_ids;
} rg_row_list;

/* What one server gets. Dense gradients stand as in an answer (reply_at). */
typedef struct rg_outbox {
    float *dense;
    bool *have;         /* by variable */
    const float **lent; /* by variable: the gradient in its own place, and not in `dense` */
    rg_row_list *lists; /* by variable; tables only */
    rg_buf head;
    rg_buf packed; /* the values as they travel, where that is not as floats */
    size_t used;   /* bytes of it, so far */
    rg_iov *iov;
    uint32_t *numbers; /* dense variables, tables, rows of each */
} rg_outbox;

/* One for each server of the job, empty. On failure, too, closed by rg_outboxes_close(). */
rg_status rg_outboxes_open(const rg_job *job, rg_outbox **out);
void rg_outboxes_close(const rg_job *job, rg_outbox *outboxes); /* NULL is allowed */
void rg_outboxes_empty(const rg_job *job, rg_outbox *outboxes);

/* Added to what is there of the variable. */
void rg_outbox_add_dense(const rg_job *job, rg_outbox *p, int server, uint32_t var,
                         const float *grad);
/* The first of the variable, not copied where that can be: it stays as it is until the push has
 * been answered. */
void rg_outbox_lend_dense(const rg_job *job, rg_outbox *p, int server, uint32_t var,
                          const float *grad);
rg_status rg_outbox_add_rows(rg_outbox *p, uint32_t var, size_t width, const int64_t *ids,
                             const float *rows, size_t n);
void rg_outbox_scale(const rg_job *job, rg_outbox *p, int server, float by);

/* The head and the pieces of the push: p->iov and *n_pieces, good until the outbox changes.
 * `rest`, which stands as the dense gradients do, is what rounding took from them in earlier
 * pushes: it is added to those of this push, and becomes what rounding takes from them now. NULL:
 * it is not kept. */
rg_status rg_outbox_pack(const rg_job *job, rg_outbox *p, int server, uint64_t step, bool pulls,
                         float *rest, size_t *n_pieces);

static inline size_t rg_ps_count(const rg_ps_var *var)
{
    return (size_t)(var->rows * var->width);
}

#endif
