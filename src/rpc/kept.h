/* kept.h - what a client keeps of its requests until it is on the server's disk.
 *
 * A server may answer before what it did is on its disk (rg_rpc_request_noted). When its power
 * goes, another process comes in its place without that, and the client, which has heard the
 * answer, asks for it again. So it keeps such requests, as they were sent, until it is told that
 * they are durable. What is kept has a limit: a window, that the clients of a job share. Who would
 * send more waits for room first.
 *
 * Bodies are copied: what is lent to servers of this host, and the buffers that gradients are
 * gathered in, are used again in the next step. To give those away instead would mean others, cold
 * and to be paged in, for each step; copies lie in blocks that are used again.
 *
 * Threads: all functions are for any. */
#ifndef RG_RPC_KEPT_H
#define RG_RPC_KEPT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_rpc_window rg_rpc_window;

/* Owned; the clients that use it are closed before it is. */
rg_status rg_rpc_window_open(rg_rpc_window **window, uint64_t limit);
void rg_rpc_window_close(rg_rpc_window *window); /* NULL is allowed */
/* Room for a request of so many bytes; one that is larger than the window has it alone. Waits up to
 * `ns` for it. True: it is taken, by a rg_rpc_ask that keeps, or given back. */
bool rg_rpc_window_take(rg_rpc_window *window, uint64_t bytes, uint64_t ns);
void rg_rpc_window_give(rg_rpc_window *window, uint64_t bytes);
/* Bytes of requests that are kept; and what they may be. */
uint64_t rg_rpc_window_used(rg_rpc_window *window);
uint64_t rg_rpc_window_limit(const rg_rpc_window *window);

#endif
