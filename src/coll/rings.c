/* rings.c - the process's group: opened once, over MPI where mpirun has started the ranks, over our
 * own rpc else. */
#include "coll/rings.h"

#include "coll/group_priv.h"
#include "rpc/credentials.h"
#include "sys/flags.h"
#include "sys/job_env.h"
#include "sys/log.h"
#include "sys/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below, also while it opens */
static rg_group *the_group;
static long of_process; /* a child that is forked is no member */

static int number_of(const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    long number = text != NULL ? strtol(text, &end, 10) : -1;
    return end != NULL && end != text && *end == '\0' && number >= 0 && number < 1 << 20
               ? (int)number
               : -1;
}

/* Ranks of mpirun go over MPI unless the job numbers them otherwise. */
static rg_status choose(int rank, int size, const char *const *endpoints, const char **backend)
{
    const char *wanted;
    RG_TRY(rg_flag_text("coll_backend", &wanted));
    /* Others set the first two for scripts that ask them: the third is mpirun's alone. */
    bool by_mpirun = number_of("OMPI_COMM_WORLD_SIZE") == size &&
                     number_of("OMPI_COMM_WORLD_RANK") == rank &&
                     (getenv("PMIX_NAMESPACE") != NULL || getenv("OMPI_UNIVERSE_SIZE") != NULL);
    if (strcmp(wanted, "auto") == 0)
        wanted = size == 1 ? "alone" : by_mpirun ? "mpi" : "rpc";
    if (strcmp(wanted, "mpi") == 0 && !by_mpirun)
        return rg_fail(RG_EINVAL,
                       "FLAGS_coll_backend=mpi, and this is not rank %d of %d of mpirun: start the "
                       "job with mpirun -n %d",
                       rank, size, size);
    /* role_maker.py has such names for ranks that know no addresses of each other. */
    bool known = endpoints != NULL && strncmp(endpoints[0], "mpi-rank-", 9) != 0;
    if (strcmp(wanted, "rpc") == 0 && !known)
        return rg_fail(RG_EINVAL,
                       "the endpoints of %d ranks are not known%s: "
                       "PADDLE_TRAINER_ENDPOINTS has them, or mpirun starts the job%s",
                       size, by_mpirun ? ", which FLAGS_coll_backend=rpc needs" : "",
                       by_mpirun ? " without that flag" : "");
    *backend = wanted;
    return RG_OK;
}

static rg_status open_group(int rank, int size, const char *const *endpoints)
{
    rg_credentials credentials;
    const char *backend;
    RG_TRY(choose(rank, size, endpoints, &backend));
    RG_TRY(rg_credentials_read(&credentials));
    rg_group_config config = {.backend = backend,
                              .rank = rank,
                              .size = size,
                              .endpoints = endpoints,
                              .job = credentials.job[0] ? credentials.job : NULL,
                              .security = {.key = credentials.n_key ? credentials.key : NULL,
                                           .key_bytes = credentials.n_key}};
    RG_TRY(rg_group_open(&the_group, &config));
    of_process = rg_process_id();
    if (size > 1)
        rg_log(RG_LOG_I, "coll", "rank=%d ranks=%d backend=%s memory=%s", rank, size, backend,
               rg_group_shares_memory(the_group) ? "shared" : "apart");
    return RG_OK;
}

static bool is_open(void)
{
    if (the_group != NULL && of_process != rg_process_id())
        the_group = NULL; /* our parent's: its thread is not here */
    return the_group != NULL;
}

rg_status rg_ring_open(int ring, int rank, int size, const char *const *endpoints)
{
    rg_status code = RG_OK;
    if (ring < 0)
        return rg_fail(RG_EINVAL, "ring_id is %d", ring);
    pthread_mutex_lock(&lock);
    if (!is_open())
        code = open_group(rank, size, endpoints);
    else if (rg_group_rank(the_group) != rank || rg_group_size(the_group) != size)
        code = rg_fail(RG_EINVAL,
                       "ring %d is of rank %d of %d, and this process is rank %d of %d already: "
                       "groups of a part of the ranks are not here",
                       ring, rank, size, rg_group_rank(the_group), rg_group_size(the_group));
    pthread_mutex_unlock(&lock);
    return code;
}

static rg_status open_as_told(int ring)
{
    rg_job_env env;
    RG_TRY(rg_job_env_here(&env));
    rg_status code;
    int size = env.n_workers > 0 ? env.n_workers : env.trainers;
    if (size < 1 || env.trainer_id < 0)
        code = rg_fail(RG_EINVAL,
                       "ring %d has not been started, and the environment does not say which rank "
                       "this is: run the startup program first, and start the job with python -m "
                       "paddle.distributed.launch or mpirun",
                       ring);
    else
        code = open_group(env.trainer_id, size, env.n_workers > 0 ? env.workers : NULL);
    rg_job_env_fini(&env);
    return code;
}

rg_status rg_ring_group(int ring, rg_group **group)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&lock);
    if (!is_open())
        code = open_as_told(ring);
    *group = the_group;
    pthread_mutex_unlock(&lock);
    return code;
}

void rg_rings_fail(const char *why)
{
    if (is_open())
        rg_group_fail(the_group, why);
    the_group = NULL;
}

void rg_rings_exit(int status)
{
    char why[80];
    (void)snprintf(why, sizeof why, "it exited with status %d", status);
    if (status != 0)
        rg_rings_fail(why);
    else if (is_open())
        rg_group_close(the_group);
    the_group = NULL;
}
