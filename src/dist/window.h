/* window.h - pushes that servers have answered, and do not have on their disks yet.
 *
 * A server whose journal is flushed each second answers a push before that (serve_journal.c); after
 * a power cut it comes back without the last of them. So this trainer keeps them (rpc/kept.h) until
 * it hears that they are on the disk, and sends them again to a server that came back. What it
 * keeps is bounded: half of the window, and servers are asked to flush now; all of it, and the next
 * push waits until they have. */
#ifndef RG_DIST_WINDOW_H
#define RG_DIST_WINDOW_H

#include "dist/in_flight.h"
#include "dist/job.h"

/* Where servers are waited for, by FLAGS_ps_push_window_mb. With the join. */
rg_status rg_window_open(rg_job *job);
/* The calls of it; before their clients are closed. And the rest, after that. */
void rg_window_close_calls(rg_job *job);
void rg_window_close(rg_job *job);

/* Start a push to a server, and keep it if the server says so: waits for room. */
rg_status rg_window_start(rg_job *job, rg_in_flight *in_flight, rg_rpc_call **call, int server,
                          const rg_rpc_ask *ask);
/* Until all that servers have answered is on their disks: before others are told of it. */
rg_status rg_window_empty(rg_job *job);

#endif
