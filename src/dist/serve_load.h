/* serve_load.h - a server's program, where it comes later: paddle pserver is sent it. */
#ifndef RG_DIST_SERVE_LOAD_H
#define RG_DIST_SERVE_LOAD_H

#include "dist/serve_priv.h"

/* The engine of this listen_and_serv, over the scope. On failure it has no program. */
rg_status rg_serve_adopt(rg_engine *s, const rg_opdesc *listen, rg_scope *scope);
/* Check the programs of others, run the one and adopt the other. On failure nothing has changed. */
rg_status rg_serve_take(rg_engine *s, const rg_ps_load *load);
/* RG_PS_LOAD. Whether the program is there now: what was held can be answered. */
bool rg_serve_load(rg_engine *s, const rg_member *trainer, rg_rpc_request *request);
/* Until the program is there. */
void rg_serve_hold(rg_engine *s, rg_rpc_request *request);
/* The next that was held; NULL: none is left. */
rg_rpc_request *rg_serve_next_held(rg_engine *s);
/* While there is no program: says who shall send it, and gives up. */
void rg_serve_look_for_program(rg_engine *s);
void rg_serve_whose_program(rg_engine *s, rg_buf *out);

/* Servers of one process, which are busy until they end; NULL: there is one. wait: this one has its
 * snapshot and nothing else to do, until all others have theirs, or have ended. */
void rg_serve_group_enter(rg_serve_group *group);
void rg_serve_group_exit(rg_serve_group *group);
void rg_serve_group_wait(rg_serve_group *group);
/* That all trainers have left one of them, and whether they have. Any thread. */
void rg_serve_group_over(rg_serve_group *group);
bool rg_serve_group_is_over(rg_serve_group *group);

#endif
