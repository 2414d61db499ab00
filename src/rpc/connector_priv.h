/* connector_priv.h - a client's way in: connect, say who we are, prove it, be let in. */
#ifndef RG_RPC_CONNECTOR_PRIV_H
#define RG_RPC_CONNECTOR_PRIV_H

#include "rpc/link_priv.h"
#include "rpc/handshake_priv.h"

/* What does not change from one attempt to the next. Borrowed for the life of a connector. */
typedef struct rg_route {
    char endpoint[300], tls_name[256];
    const rg_transport *transport; /* NULL: by any */
    rg_tls_setup *tls;
    rg_job_key key;
    rg_seal_use seal;
    uint64_t session;
    bool keeps; /* requests, until they are on the server's disk */
} rg_route;

typedef struct rg_connector_events {
    /* Let in. The link is now the caller's, who must set its events (rg_link_expect). */
    void (*in)(void *user, rg_link *link, const rg_rpc_welcome *welcome);
    /* It came to nothing. `final`: the server refused, or is not who it should be; to come again
     * is of no use. The message is borrowed for the call. */
    void (*out)(void *user, rg_status why, bool final, const char *message);
} rg_connector_events;

typedef struct rg_connector rg_connector;

/* In a loop's thread, as are the events, of which one is called, once, after which the connector is
 * gone. `who` is copied. */
rg_status rg_connector_open(rg_connector **connector, rg_loop *loop, const rg_route *route,
                            rg_purpose purpose, const rg_rpc_hello *who,
                            const rg_connector_events *events, void *user);
bool rg_connector_is_connected(
    const rg_connector *connector); /* only the other end's words are missing */
/* It says nothing: send what makes a service of another protocol complain, and so show itself. A
 * server of ours closes the connection after it, and is visited again. */
void rg_connector_prod(rg_connector *connector);
void rg_connector_close(rg_connector *connector); /* give it up: no event comes; NULL is allowed */

#endif
