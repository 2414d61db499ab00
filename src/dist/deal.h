/* deal.h - the data of a job in ranges of files: who trains on which, and how far each has come.
 *
 * A *reading* is one pass over a list of files, which all trainers have alike; the first that
 * begins it says how large the files are, and so what its ranges are. Server 0 deals them: a range
 * is free, held by a trainer (in one epoch of it), or done. One whose holder is gone is free again,
 * and each time it is dealt it has another generation. Every server counts how many examples of
 * each range it has applied: a push says which examples of which ranges are in it (rg_push_tag),
 * and is applied where those are the next ones. So whoever goes on with a range of a dead trainer
 * asks each server how far it is, whereby what the dead one may still have under way is refused
 * there.
 *
 * Threads: any. It calls note() with its lock held. */
#ifndef RG_DIST_DEAL_H
#define RG_DIST_DEAL_H

#include "base/buf.h"
#include "base/cursor.h"
#include "dist/protocol.h"

typedef struct rg_deals rg_deals;

typedef enum rg_range_state { RG_RANGE_FREE, RG_RANGE_HELD, RG_RANGE_DONE } rg_range_state;

/* What has become of a range: for a journal, which has these and not what was asked, since the
 * order of what trainers ask at the same time decides who gets what. */
typedef struct rg_range_note {
    uint32_t reading, range, state, generation;
    uint32_t holder;
    uint64_t epoch, ticket; /* of the holder */
    uint64_t rows;          /* done: examples that it has */
} rg_range_note;

/* Who holds ranges. The ticket is the number of what it asks: asked again, it gets the same. */
typedef struct rg_holder {
    uint32_t trainer;
    uint64_t epoch, ticket;
} rg_holder;

rg_status rg_deals_open(rg_deals **deals, rg_status (*note)(void *arg, const rg_range_note *note),
                        void *arg);
void rg_deals_close(rg_deals *deals); /* NULL is allowed */

/* A trainer begins a reading. RG_EINVAL, saying why, where another trainer has other files or where
 * the reading before is not done. *is: how far it is. */
rg_status rg_deals_begin(rg_deals *deals, const rg_deal_plan *plan, rg_pass_state *is);

/* Server 0: a free range, now the holder's. RG_EOF: none is free now, and *is says whether all are
 * done. */
rg_status rg_deals_take(rg_deals *deals, uint32_t reading, const rg_holder *holder, rg_lease *lease,
                        rg_pass_state *is);
/* Server 0: all examples of the range are trained on, so many. RG_ESTALE where it is another's by
 * now. Said again, it changes nothing. */
rg_status rg_deals_finish(rg_deals *deals, uint32_t reading, const rg_lease_done *done);
/* Server 0: what the trainer holds, of this epoch and those before, is free. How many that were. */
uint32_t rg_deals_return(rg_deals *deals, uint32_t trainer, uint64_t epoch);

/* How many examples of the range this server has; nothing of an earlier generation is taken from
 * now on. */
rg_status rg_deals_fence(rg_deals *deals, uint32_t reading, uint32_t range, uint32_t generation,
                         uint64_t *rows);
/* A push has these examples. *came: they are here already. RG_ESTALE where they are not the next
 * ones, or the range is another's by now. */
rg_status rg_deals_claim(rg_deals *deals, const rg_push_tag *tags, uint32_t n, bool *came);
/* The reverse of a claim that was not `came`, where nobody has asked how far the range is since. */
bool rg_deals_unclaim(rg_deals *deals, const rg_push_tag *tags, uint32_t n);

/* How far a reading is, also where it was done long ago; of one that has not begun, nothing. */
rg_pass_state rg_deals_state(rg_deals *deals, uint32_t reading);
/* How many readings have begun; the last of them. */
uint32_t rg_deals_count(rg_deals *deals, rg_pass_state *last);

/* ---- of a job that has stopped (stopped.c), by one thread ---- */

/* Of each range the examples that both have. RG_ESTALE where one that is done is not whole there.
 */
rg_status rg_deals_agree(rg_deals *deals, rg_deals *other);
/* In how many ranges `other` has more. */
uint32_t rg_deals_beyond(rg_deals *deals, rg_deals *other);
/* Whether the push has examples that are not here. */
bool rg_deals_lacks(rg_deals *deals, const rg_push_tag *tags, uint32_t n);

/* What note() was told, again. */
rg_status rg_deals_replay(rg_deals *deals, const rg_range_note *note);
/* All of it, and the reverse. claimed: tags of pushes that are not to count. */
void rg_deals_write(rg_deals *deals, const rg_push_tag *const *claimed, const uint32_t *n_tags,
                    size_t n_claimed, rg_buf *out);
rg_status rg_deals_read(rg_deals *deals, rg_cursor *in);

#endif
