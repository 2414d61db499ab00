/* rank_memory.h - memory that the ranks of one host have in common, and how they wait in it.
 *
 * Ranks go through the same rounds. In each of them a rank *publishes*: it writes what it has to
 * its own area and says what that is. It *reduces* when all have published, and has *consumed*
 * the round when it needs nobody's bytes of it any more: what it published may be overwritten when
 * all have. How far a rank is in each is a number that grows, which it alone writes; who must wait
 * for one sleeps on that rank's bell.
 *
 * Rank 0 makes the memory, and the others find it (sys/memfd.h). A rank that is killed is seen by
 * a lock that the system takes from it.
 *
 * Threads: opened and left by the group's own, which must live as long; used by one at a time;
 * rg_rank_memory_lost() by any. */
#ifndef RG_COLL_RANK_MEMORY_H
#define RG_COLL_RANK_MEMORY_H

#include "base/status.h"
#include "coll/group.h"

#include <stddef.h>
#include <stdint.h>

enum {
    RG_RANK_ROUNDS = 64,      /* of which a rank may be ahead of the last */
    RG_RANK_AREA = 64 << 20,  /* bytes of a rank; they take memory where they are used */
    RG_RANK_PIECE = 16 << 20, /* the most of a round */
};

typedef enum rg_stage { RG_PUBLISHED, RG_REDUCED, RG_CONSUMED, RG_STAGES } rg_stage;

/* What a rank says of a round. */
typedef struct rg_rank_round {
    uint32_t kind, dtype, op, root;
    uint64_t whole;     /* bytes of the operation, or items of a list */
    uint64_t at, bytes; /* in its area, or in what it lends (sys/lent.h) */
    uint64_t is_lent;
    uint64_t spare[2];
} rg_rank_round;

typedef struct rg_rank_memory rg_rank_memory;

/* *memory is NULL where not all ranks can have it: they are on several hosts, for example. All
 * ranks have it or none. */
rg_status rg_rank_memory_open(rg_rank_memory **memory, rg_group *group);
/* The others see that this rank has left, or failed and why; it still may look. */
void rg_rank_memory_leave(rg_rank_memory *memory, const char *failed);
void rg_rank_memory_close(rg_rank_memory *memory); /* NULL is allowed */
/* Someone knows that a rank has gone: "is dead: ...". Nothing where it has said so itself. */
void rg_rank_memory_lost(rg_rank_memory *memory, int rank, const char *how);
bool rg_rank_memory_is_lost(const rg_rank_memory *memory, int rank);

/* Whether every rank can look at what the others lend. */
bool rg_rank_memory_lends(const rg_rank_memory *memory);
const uint8_t *rg_rank_memory_lent(const rg_rank_memory *memory, int rank, uint64_t at, size_t n);
uint8_t *rg_rank_memory_area(const rg_rank_memory *memory, int rank);
rg_rank_round *rg_rank_memory_round(const rg_rank_memory *memory, int rank, uint64_t round);
uint64_t rg_rank_memory_stage(const rg_rank_memory *memory, int rank, rg_stage stage);
/* The first rank that has not come so far; -1: all have. */
int rg_rank_memory_behind(const rg_rank_memory *memory, rg_stage stage, uint64_t value);
/* This rank has come so far. */
void rg_rank_memory_advance(rg_rank_memory *memory, rg_stage stage, uint64_t value);
/* Returns when that rank has. `what` is what is waited for, for people. */
rg_status rg_rank_memory_wait(rg_rank_memory *memory, int rank, rg_stage stage, uint64_t value,
                              const char *what);

#endif
