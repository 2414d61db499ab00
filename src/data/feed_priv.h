/* feed_priv.h - the slots as the parser wants them. */
#ifndef RG_DATA_FEED_PRIV_H
#define RG_DATA_FEED_PRIV_H

#include "base/arena.h"
#include "base/map.h"
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
    bool named;     /* lines of "slot:value" words (slot_lines.c) */
    double padding; /* what stands for a slot that such a line has not */
    rg_map by_name; /* then: name -> step */
    rg_arena names;
};

/* Numbers as lines have them: where the one at p ends, or NULL. Up to RG_PARSE_PAD bytes are read.
 */
const char *rg_parse_id(const char *p, int64_t *id);
const char *rg_parse_float(const char *p, float *value);
/* The message of RG_EVALUE: what stands at p, and what was wanted of the slot. */
rg_status rg_parse_bad(const rg_feed *feed, size_t slot, const char *p, const char *end,
                       const char *wanted);
rg_status rg_parse_named(const rg_feed *feed, const char *p, const char *end, rg_rows *rows,
                         bool *blank);

#endif
