/* in_flight.h - requests that are under way together, and the wait for all of them. */
#ifndef RG_DIST_IN_FLIGHT_H
#define RG_DIST_IN_FLIGHT_H

#include "base/status.h"
#include "rpc/client.h"

#include <pthread.h>
#include <stdbool.h>

/* One thread starts and waits; the loops of the clients count down. */
typedef struct rg_in_flight {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int n;
    rg_status refused;   /* the first that failed of those since none was under way, and ... */
    char why[512];       /* ... what it said, ... */
    uint64_t refused_ns; /* ... when */
    struct rg_job *job;  /* whose servers are asked what takes so long; NULL: nobody is */
    int64_t most_s;      /* how long is waited for others to come to a meeting; 0: for ever */
} rg_in_flight;

void rg_in_flight_init(rg_in_flight *in_flight, struct rg_job *job);
/* Only when no call of it is open any more: closing a call is the end of its being counted, too. */
void rg_in_flight_fini(rg_in_flight *in_flight);

/* One more; `done` and `user` of the ask are taken. The call is the caller's,
 * to be closed before this is; NULL where it failed. */
rg_status rg_in_flight_start(rg_in_flight *in_flight, rg_rpc_call **call, rg_rpc_client *client,
                             const rg_rpc_ask *ask);
/* Whether none is under way. */
bool rg_in_flight_is_done(rg_in_flight *in_flight);
/* Until none is; fails after Ctrl+C, and where one was refused a moment ago and others are still
 * under way: they may wait for who never comes, since it was refused too. Says whom it waits for
 * where it takes long. */
rg_status rg_in_flight_wait(rg_in_flight *in_flight);
/* The same for so long at most; whether none is. */
bool rg_in_flight_wait_for(rg_in_flight *in_flight, uint64_t ns);

#endif
