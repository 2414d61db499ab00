/* job_lost.c - a server dies. */
#include "dist/job_priv.h"

#include "sys/because.h"
#include "sys/events.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>

static void server_told(void *user, rg_rpc_call *call)
{
    const rg_job_server *server = user;
    (void)call;
    rg_rpc_client_fail(server->client, RG_ECLOSED, server->job->lost);
}

/* A server is dead: nothing that waits for any of them has a future. The others hear of it from
 * us, so that they blame the dead one and not the trainers that go because of it. */
static void bury(rg_job *job, const rg_job_server *server, const char *how)
{
    if (!job->is_lost)
        (void)snprintf(job->lost, sizeof job->lost, "the server at %s is gone: %s",
                       rg_rpc_client_endpoint(server->client), how);
    rg_log(RG_LOG_E, "ps", "\"%s\"", job->lost);
    char name[32];
    (void)snprintf(name, sizeof name, "server.%d", server->id);
    rg_event("lost", server->id >= 0 ? name : "server", "%s", job->lost);
    rg_because_say((rg_because){.worker = false, .index = server->id});
    rg_rpc_client_fail(server->client, RG_ECLOSED, job->lost);
    for (int i = 0; !job->is_lost && i < job->n_servers; i++) {
        rg_job_server *other = &job->servers[i];
        const rg_iov why = {job->lost, strlen(job->lost)};
        const rg_rpc_ask ask = {
            .method = RG_PS_FAIL, .iov = &why, .n = 1, .done = server_told, .user = other};
        if (other != server && rg_rpc_start(&other->told, other->client, &ask) != RG_OK)
            rg_rpc_client_fail(other->client, RG_ECLOSED, job->lost);
    }
    job->is_lost = true;
}

void rg_job_server_dead(void *user, const char *how)
{
    const rg_job_server *server = user;
    rg_job *job = server->job;
    pthread_mutex_lock(&job->news);
    if (!job->closing && server->client != NULL)
        bury(job, server, how);
    pthread_mutex_unlock(&job->news);
}
