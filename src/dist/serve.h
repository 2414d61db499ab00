/* serve.h - the parameter server: what listen_and_serv does.
 *
 * It listens, prints "Server listening on ENDPOINT", takes gradients and hands out parameters
 * until every trainer has left, and returns RG_OK then. A trainer that dies or fails ends the
 * job: all others are told who it was, and so says the failure that is returned. */
#ifndef RG_DIST_SERVE_H
#define RG_DIST_SERVE_H

#include "exec/scope.h"
#include "ir/program.h"

/* `listen` is the listen_and_serv op of a server's program. */
rg_status rg_serve(const rg_opdesc *listen, rg_scope *scope);

#endif
