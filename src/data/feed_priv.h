/* feed_priv.h - the slots as the parser wants them. */
#ifndef RG_DATA_FEED_PRIV_H
#define RG_DATA_FEED_PRIV_H

#include "base/arena.h"
#include "data/feed.h"

/* What the parser does at a slot. */
typedef struct feed_step {
    bool used, ids, dense;
    uint32_t width; /* of a dense slot */
    uint32_t column;
} feed_step;

struct rg_feed {
    size_t n_slots, n_used;
    rg_feed_slot *slots;
    feed_step *steps;
    uint32_t *used; /* slot of column i */
    bool ins_id, content, drop_zeros;
    rg_arena names;
};

#endif
