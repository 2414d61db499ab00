/* serve.h - the parameter server: what listen_and_serv and `paddle pserver` do.
 *
 * It listens, prints "Server listening on ENDPOINT", takes gradients and hands out parameters
 * until every trainer has left, and returns RG_OK then. A trainer that dies or fails ends the
 * job: all others are told who it was, and so says the failure that is returned. */
#ifndef RG_DIST_SERVE_H
#define RG_DIST_SERVE_H

#include "exec/scope.h"
#include "ir/program.h"

#include <pthread.h>

/* `listen` is the listen_and_serv op of a server's program. */
rg_status rg_serve(const rg_opdesc *listen, rg_scope *scope);

/* Several servers of one process end together: the first that fails says why, and the process ends
 * by a SIGTERM when all of them have their snapshots (FLAGS_ps_grace_seconds). */
typedef struct rg_serve_group {
    pthread_mutex_t lock;
    int n_busy;       /* that have neither ended, nor been told to end and have their snapshot */
    bool over;        /* all trainers have left one of them */
    rg_status failed; /* RG_OK: none has */
    char why[1024];
} rg_serve_group;

void rg_serve_group_init(rg_serve_group *group);
void rg_serve_group_fini(rg_serve_group *group);
/* The first failure counts. Any thread. */
void rg_serve_group_fail(rg_serve_group *group, rg_status status, const char *why);
/* RG_OK, or the failure, with its message. Any thread. */
rg_status rg_serve_group_look(rg_serve_group *group);

typedef struct rg_serve_config {
    const char *const *endpoints; /* where it listens */
    size_t n_endpoints;
    int id;                /* which server of this process it is, for messages */
    int trainers;          /* that the job has */
    int servers;           /* of this process, which share its cores */
    rg_serve_group *group; /* NULL: it is alone */
} rg_serve_config;

/* A server without a program: trainers may come, and wait until trainer 0 has sent it. As long as
 * nobody has come it waits for ever, and to be stopped then (rg_interrupted) is no failure. */
rg_status rg_serve_empty(const rg_serve_config *config);

#endif
