/* flight.h - requests that are under way together, and the wait for all of them. */
#ifndef RG_DIST_FLIGHT_H
#define RG_DIST_FLIGHT_H

#include "base/status.h"
#include "rpc/client.h"

#include <pthread.h>
#include <stdbool.h>

/* One thread starts and waits; the loops of the clients let land. */
typedef struct rg_flight {
    pthread_mutex_t lock;
    pthread_cond_t landed;
    int in_air;
    struct rg_job *job; /* whose servers are asked what takes so long; NULL: nobody is */
} rg_flight;

void rg_flight_init(rg_flight *flight, struct rg_job *job);
/* Only when no call of it is open any more: closing a call is the end of its flying, too. */
void rg_flight_fini(rg_flight *flight);

/* One more in the air; `done` and `user` of the ask are the flight's. The call is the caller's,
 * to be closed before the flight is; NULL where it failed. */
rg_status rg_flight_start(rg_flight *flight, rg_rpc_call **call, rg_rpc_client *client,
                          const rg_rpc_ask *ask);
/* Whether none is in the air. */
bool rg_flight_has_landed(rg_flight *flight);
/* Until none is; fails after Ctrl+C. Says whom it waits for where it takes long. */
rg_status rg_flight_wait(rg_flight *flight);
/* The same for so long at most; whether none is. */
bool rg_flight_wait_for(rg_flight *flight, uint64_t ns);

#endif
