/* kept_priv.h - requests that a client keeps, for call.c and client.c. */
#ifndef RG_RPC_KEPT_PRIV_H
#define RG_RPC_KEPT_PRIV_H

#include "rpc/client_priv.h"

typedef struct rg_kept rg_kept;

/* Before the request is started: room for its body, of which the window has been taken. NULL: there
 * is no memory. */
rg_kept *rg_kept_new(rg_rpc_client *client, const rg_frame *frame, bool taken);
/* By the thread that started it, while it is on its way: the body is copied. The memory may be gone
 * afterwards. */
void rg_kept_fill(rg_kept *kept, const rg_iov *iov, size_t n);
/* In the loop: it need not be kept. NULL is allowed. */
void rg_kept_drop(rg_kept *kept);

/* ---- in the client's loop ---- */

/* Its request has been answered, and is not on the disk yet. `after`: as rg_kept_count() was when
 * it was started. */
void rg_kept_answered(rg_kept *kept, uint64_t id, uint64_t after);
/* How many of the requests that are kept have been answered so far. */
uint64_t rg_kept_count(const rg_rpc_client *client);
/* The reply with this id, and those that came before it, are on the disk. */
void rg_kept_durable(rg_rpc_client *client, uint64_t id);
/* So are all of those that had been answered when rg_kept_count() was `after`. */
void rg_kept_flushed(rg_rpc_client *client, uint64_t after);
/* Another process of the server, which has requests up to `came`: what is kept is sent again, but
 * for what it has. */
void rg_kept_owe(rg_rpc_client *client, uint64_t came);

/* The first that has to be sent on this connection; NULL: none. */
rg_kept *rg_kept_due(const rg_rpc_client *client);
uint64_t rg_kept_id(const rg_kept *kept);
/* Whether a request that was started after so many answers may be sent now: what it may rely on has
 * been done again. */
bool rg_kept_allows(const rg_rpc_client *client, uint64_t after);
/* False: it has to wait, for an answer or for its body. */
bool rg_kept_send(rg_kept *kept);
/* The one that this reply is for, which was sent again; NULL: none. */
rg_kept *rg_kept_owed(const rg_rpc_client *client, uint64_t id);
/* It has been done again. noted: and is not on the disk yet. */
void rg_kept_done(rg_kept *kept, bool noted);
void rg_kept_close(rg_rpc_client *client); /* all of them; the connection is gone */

#endif
