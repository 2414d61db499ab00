/* admission_priv.h - who stands at the acceptor and has proved nothing yet, by where it came from.
 *
 * Anyone can open connections and say nothing. So there are limits: for all strangers, and for
 * those of one address. Where a limit is reached the newest is let stand, and the oldest of the
 * address that has the most goes: who means it is through in milliseconds, however many wait
 * there for nothing.
 *
 * Threads: the acceptor's. */
#ifndef RG_RPC_ADMISSION_PRIV_H
#define RG_RPC_ADMISSION_PRIV_H

#include "sys/loop.h"

typedef struct rg_origin rg_origin;
typedef struct rg_stranger rg_stranger;

/* Embedded in whoever it stands for. */
struct rg_stranger {
    rg_stranger *older, *newer; /* of the same origin */
    rg_origin *origin;          /* NULL: not a stranger, or no longer */
};

typedef struct rg_admission {
    rg_origin *origins;
    size_t n, most, most_of_one;
} rg_admission;

/* How many a process may have that can open so many descriptors. */
void rg_admission_init(rg_admission *all, int descriptors);
/* False: no memory. */
bool rg_admission_add(rg_admission *all, rg_stranger *one, const char *origin);
void rg_admission_remove(rg_admission *all, rg_stranger *one); /* who is none is no harm */
/* Who goes since there are too many now, `last` having come; NULL: nobody. */
rg_stranger *rg_admission_surplus(const rg_admission *all, const rg_stranger *last);
/* The oldest of the address that has the most; NULL: there is nobody. */
rg_stranger *rg_admission_oldest(const rg_admission *all);

#endif
