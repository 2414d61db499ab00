/* deal_priv.h - the ranges of deal.h as they are kept; deal.c deals them, deal_state.c writes them
 * down and reads them again. */
#ifndef RG_DIST_DEAL_PRIV_H
#define RG_DIST_DEAL_PRIV_H

#include "dist/deal.h"

#include <pthread.h>

typedef struct rg_range {
    uint8_t state;
    uint32_t generation; /* of who may push to it; 0: nobody had it */
    uint32_t holder;
    uint64_t epoch, ticket;
    uint64_t rows; /* applied here; done: all */
} rg_range;

typedef struct rg_reading {
    rg_pass_state is;
    uint64_t digest, range_bytes;
    uint64_t *sizes; /* of files; owned */
    uint32_t *first; /* by file, and one more: its first range; owned */
    uint32_t n_files;
    rg_range *ranges; /* owned; NULL: it is over, and nothing of it is taken any more */
    uint32_t next;    /* the first that nobody had */
    uint32_t *back, n_back, *held, n_held; /* that came back; that are held. Owned, room for all */
} rg_reading;

struct rg_deals {
    pthread_mutex_t lock;
    rg_status (*note)(void *arg, const rg_range_note *note);
    void *arg;
    rg_reading *readings; /* owned */
    size_t n, cap;
};

/* Of these files, all ranges free. */
rg_status rg_reading_lay_out(rg_reading *r, const rg_deal_plan *plan);
/* With the lock. RG_ESTALE where nothing of it is taken any more. */
rg_status rg_deals_find_range(rg_deals *d, uint32_t number, uint32_t i, rg_range **out);
/* Range i is not among those that are held, or came back. */
void rg_reading_drop_held(rg_reading *r, uint32_t i);
void rg_reading_drop_back(rg_reading *r, uint32_t i);
void rg_reading_is_done(rg_reading *r, uint32_t i, uint64_t rows);

#endif
