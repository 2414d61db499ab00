/* strangers_priv.h - who stands at the door and has proved nothing yet, by where it came from.
 *
 * Anyone can open connections and say nothing. So there are limits: for all strangers, and for
 * those of one address. Where a limit is reached the newest is let stand, and the oldest of the
 * address that has the most goes: who means it is through in milliseconds, however many wait
 * there for nothing.
 *
 * Threads: the door's. */
#ifndef RG_RPC_STRANGERS_PRIV_H
#define RG_RPC_STRANGERS_PRIV_H

#include "sys/loop.h"

typedef struct rg_origin rg_origin;
typedef struct rg_stranger rg_stranger;

/* Embedded in whoever it stands for. */
struct rg_stranger {
    rg_stranger *older, *newer; /* of the same origin */
    rg_origin *origin;          /* NULL: not a stranger, or no longer */
};

typedef struct rg_strangers {
    rg_origin *origins;
    size_t n, most, most_of_one;
} rg_strangers;

/* How many a process may have that can open so many descriptors. */
void rg_strangers_init(rg_strangers *all, int descriptors);
/* False: no memory. */
bool rg_strangers_add(rg_strangers *all, rg_stranger *one, const char *origin);
void rg_strangers_remove(rg_strangers *all, rg_stranger *one); /* who is none is no harm */
/* Who goes since there are too many now, `last` having come; NULL: nobody. */
rg_stranger *rg_strangers_surplus(const rg_strangers *all, const rg_stranger *last);
/* The oldest of the address that has the most; NULL: there is nobody. */
rg_stranger *rg_strangers_oldest(const rg_strangers *all);

#endif
