/* visit_priv.h - a client's way in: connect, say who we are, prove it, be let in. */
#ifndef RG_RPC_VISIT_PRIV_H
#define RG_RPC_VISIT_PRIV_H

#include "rpc/link_priv.h"
#include "rpc/wire_priv.h"

/* What does not change from one visit to the next. Borrowed for the life of a visit. */
typedef struct rg_errand {
    char endpoint[300], tls_name[256];
    rg_transport transport;
    rg_tls_setup *tls;
    rg_job_key key;
    uint64_t session;
} rg_errand;

typedef struct rg_visit_events {
    /* Let in. The link is now the caller's, who must set its events (rg_link_expect). */
    void (*in)(void *user, rg_link *link, const rg_rpc_welcome *welcome);
    /* It came to nothing. `final`: the server refused, or is not who it should be; to come again
     * is of no use. The message is borrowed for the call. */
    void (*out)(void *user, rg_status why, bool final, const char *message);
} rg_visit_events;

typedef struct rg_visit rg_visit;

/* In a loop's thread, as are the events, of which one is called, once, after which the visit is
 * gone. `who` is copied. */
rg_status rg_visit_open(rg_visit **visit, rg_loop *loop, const rg_errand *errand,
                        rg_purpose purpose, const rg_rpc_hello *who, const rg_visit_events *events,
                        void *user);
bool rg_visit_is_connected(const rg_visit *visit); /* only the other end's words are missing */
/* It says nothing: send what makes a service of another protocol complain, and so show itself. A
 * server of ours closes the connection after it, and is visited again. */
void rg_visit_prod(rg_visit *visit);
void rg_visit_close(rg_visit *visit); /* give it up: no event comes; NULL is allowed */

#endif
