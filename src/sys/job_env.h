/* job_env.h - who we are in a job: what the environment says, in the words of every generation.
 *
 * Launchers of different times tell a process its role by different variables. This is the one
 * place that knows them all; everybody else reads the description. Two variables that say
 * different things are refused with both names and values: to guess would be to train something
 * else. A variable that is not set, or empty, says nothing. */
#ifndef RG_SYS_JOB_ENV_H
#define RG_SYS_JOB_ENV_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>

typedef enum rg_job_role { RG_JOB_NONE, RG_JOB_TRAINER, RG_JOB_SERVER } rg_job_role;

/* Texts live in the arena. `*_from` is the variable a value came from, "A and B" where two were
 * put together, or NULL where nothing said it. */
typedef struct rg_job_env {
    rg_arena arena;
    rg_job_role role;
    const char *role_from;
    int trainers; /* -1: not said */
    const char *trainers_from;
    int trainer_id; /* -1: not said */
    const char *trainer_id_from;
    const char **servers; /* "host:port" */
    int n_servers;
    const char *servers_from;
    const char **workers; /* "host:port" of trainers, where they have any */
    int n_workers;
    const char *workers_from;
    const char *endpoint; /* our own; NULL: not said */
    const char *endpoint_from;
    int server_index;                       /* of a server in `servers`; -1: not there */
    const char *job_id, *run_dir, *log_dir; /* of our own launchers; NULL: not said */
    bool has_key;                           /* the key itself is not kept here */
} rg_job_env;

/* The value of a variable, or NULL; borrowed until the call returns. */
typedef const char *(*rg_env_lookup)(void *arg, const char *name);

/* A value that cannot be read, or two that contradict each other, is RG_EINVAL. May block while
 * host names are looked up: those of a server, and of a job of several hosts. */
rg_status rg_job_env_read(rg_job_env *env, rg_env_lookup lookup, void *arg);
/* As this process's environment says. */
rg_status rg_job_env_here(rg_job_env *env);
void rg_job_env_fini(rg_job_env *env);

const char *rg_job_role_name(rg_job_role role); /* "TRAINER", "PSERVER", "none" */

/* The number of names below, and each: all variables that rg_job_env_read() looks at. A launcher
 * clears those it does not set, so that nothing old reaches its children. */
const char *const *rg_job_env_names(int *n);

/* Whether two endpoints are the same: equal texts, or equal ports and hosts of equal address. */
bool rg_endpoint_same(const char *a, const char *b);

#endif
