/* job.c - a job's handle, how it is left, and where its variables are. */
#include "dist/job.h"

#include "base/mem.h"
#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "dist/window.h"
#include "ir/digest.h"
#include "sys/clock.h"
#include "sys/ending.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>
#include <string.h>

static const uint64_t LAST_WORDS_NS = 1000000000;

/* ---- the handle ---- */

static void init_locks(rg_job *job)
{
    pthread_mutex_init(&job->joining, NULL);
    pthread_mutex_init(&job->refusing, NULL);
    pthread_mutex_init(&job->lock, NULL);
    pthread_mutex_init(&job->news, NULL);
    pthread_mutex_init(&job->syncing, NULL);
}

rg_status rg_job_open(rg_job **out)
{
    rg_job *job = rg_alloc_zero(1, sizeof *job);
    if (job == NULL)
        return rg_no_memory(sizeof *job, "a job");
    init_locks(job);
    *out = job;
    return RG_OK;
}

static void forget(rg_job *job)
{
    job->servers = NULL;
    job->n_servers = 0;
    job->agreed = job->is_lost = job->closing = false;
    job->exchange = NULL;
    job->resumed = NULL;
    job->n_resumed = 0;
    job->changes = 0;
    job->told = (rg_told){0};
    job->has_told = false;
    job->replays = false;
    job->mode = job->servers_mode = NULL;
    job->mode_state = NULL;
    job->inbox = NULL;
    job->window = NULL;
    job->refused[0] = job->lost[0] = '\0';
}

bool rg_job_is_joined(rg_job *job)
{
    if (job == NULL || !atomic_load_explicit(&job->joined, memory_order_acquire))
        return false;
    if (job->process == rg_process_id())
        return true;
    /* A child of who joined: the threads behind its connections are not there, locks may be as
     * another thread held them, and a word of it would be taken for its parent's. */
    init_locks(job);
    forget(job);
    atomic_store(&job->joined, false);
    return false;
}

void rg_job_disconnect(rg_job *job)
{
    pthread_mutex_lock(&job->news);
    job->closing = true;
    pthread_mutex_unlock(&job->news);
    rg_exchange_close(job);
    if (job->mode != NULL && job->mode->close != NULL)
        job->mode->close(job);
    rg_inbox_close(job);
    rg_leases_close(job);
    rg_window_close_calls(job);
    for (int i = 0; i < job->n_servers; i++) {
        rg_rpc_call_close(job->servers[i].told);
        rg_rpc_client_close(job->servers[i].client);
        rg_ps_schema_fini(&job->servers[i].schema);
        rg_free(job->servers[i].pulled);
        rg_free(job->servers[i].reply_at);
    }
    rg_window_close(job);
    rg_free(job->servers);
    rg_free(job->resumed);
    rg_free(job->told.counts);
    forget(job);
}

void rg_job_close(rg_job *job)
{
    if (job == NULL)
        return;
    if (rg_job_is_joined(job))
        rg_job_disconnect(job);
    pthread_mutex_destroy(&job->joining);
    pthread_mutex_destroy(&job->refusing);
    pthread_mutex_destroy(&job->lock);
    pthread_mutex_destroy(&job->news);
    pthread_mutex_destroy(&job->syncing);
    rg_free(job);
}

/* ---- leaving ---- */

/* A script that ends before it comes to where the process before it was is not what that ran: it
 * has trained on nothing, and its saves were taken for those of before. Such a job has not ended
 * well, and keeps its journals. Data that is dealt may have gone to others meanwhile. */
static rg_status check_came_far(rg_job *job)
{
    if (job->leases != NULL || rg_flag_int("ps_elastic") > 0 || !rg_exchange_replays(job, 0))
        return RG_OK;
    return rg_fail(
        RG_EINVAL,
        "trainer %d had trained on %llu batches when it was stopped, and its script has "
        "ended before it came to those that follow: nothing was trained on or saved now; "
        "go on with the script and the arguments that it had",
        job->trainer, (unsigned long long)rg_job_resumed(job, 0).position);
}

rg_status rg_job_leave(rg_job *job)
{
    if (!rg_job_is_joined(job))
        return RG_OK;
    pthread_mutex_lock(&job->joining);
    rg_status code = RG_OK, told = RG_OK;
    if (atomic_exchange(&job->joined, false)) { /* else another thread was first */
        code = rg_exchange_flush(job);
        if (code == RG_OK)
            code = check_came_far(job);
        rg_exchange_own(job);
        told = code == RG_OK ? rg_job_blame(job, rg_job_tell_all(job, RG_PS_LEAVE, ""))
                             : rg_job_tell_all(job, RG_PS_FAIL, rg_error_message());
        rg_job_disconnect(job);
    }
    pthread_mutex_unlock(&job->joining);
    return code == RG_OK ? told : code;
}

void rg_job_fail(rg_job *job, const char *why)
{
    rg_job_request *requests = rg_job_is_joined(job)
                                   ? rg_alloc_zero((size_t)job->n_servers, sizeof *requests)
                                   : NULL;
    rg_in_flight in_flight;
    if (requests == NULL || rg_job_may_return(job)) {
        rg_free(requests);
        return;
    }
    /* All that follows from a dead server has that as its cause, in the same words. */
    pthread_mutex_lock(&job->news);
    why = job->is_lost ? job->lost : why;
    pthread_mutex_unlock(&job->news);
    const rg_iov text = {why, strlen(why)};
    rg_in_flight_init(&in_flight, NULL);
    for (int i = 0; i < job->n_servers; i++)
        requests[i] = (rg_job_request){.server = i, .method = RG_PS_FAIL, .iov = &text, .n = 1};
    uint64_t until = rg_clock_ns() + LAST_WORDS_NS;
    if (rg_job_start_all(job, &in_flight, requests, job->n_servers) == RG_OK)
        while (!rg_in_flight_wait_for(&in_flight, LAST_WORDS_NS) && rg_clock_ns() < until)
            continue;
    rg_job_close_all(requests, job->n_servers);
    rg_in_flight_fini(&in_flight);
    rg_free(requests);
}

void rg_job_ends_with_process(rg_job *job)
{
    job->ends_silently = true;
}

void rg_job_exits(rg_job *job, int status)
{
    char text[512];
    if (!rg_job_is_joined(job))
        return;
    /* Who ends because its job is ended has not done its part: who goes on with that does it. */
    bool may_return = rg_job_may_return(job);
    if (status == 0 && !(may_return && rg_ending_was_said())) {
        if (!job->ends_silently)
            rg_log(RG_LOG_W, "ps",
                   "trainer=%d \"the script ended without exe.close(): the servers are told that "
                   "this trainer has finished\"",
                   job->trainer);
        (void)rg_job_leave(job);
        return;
    }
    if (may_return)
        return;
    pthread_mutex_lock(&job->refusing);
    (void)snprintf(text, sizeof text, "it exited with status %d%s%s", status,
                   job->refused[0] ? "; it was refused last: " : "", job->refused);
    pthread_mutex_unlock(&job->refusing);
    (void)rg_job_tell_all(job, RG_PS_FAIL, text);
}

void rg_job_process_ends(void)
{
    rg_rpc_clients_stop();
}

/* ---- finding ---- */

rg_status rg_job_server_at(const rg_job *job, const char *endpoint, int *server)
{
    for (int i = 0; i < job->n_servers; i++)
        if (strcmp(rg_rpc_client_endpoint(job->servers[i].client), endpoint) == 0) {
            *server = i;
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "%s is no server of this job", endpoint);
}

rg_status rg_job_find(const rg_job *job, const char *endpoint, const char *name, bool by_grad,
                      int *server, uint32_t *var)
{
    size_t n = rg_plain_length(name);
    RG_TRY(rg_job_server_at(job, endpoint, server));
    const rg_ps_schema *schema = &job->servers[*server].schema;
    for (uint32_t v = 0; v < schema->n; v++) {
        const char *there = by_grad ? schema->vars[v].grad : schema->vars[v].name;
        if (strncmp(there, name, n) == 0 && there[n] == '\0') {
            *var = v;
            return RG_OK;
        }
    }
    return rg_fail(RG_ENOENT,
                   "the server at %s does not keep %.*s: was it started with another program?",
                   endpoint, (int)n, name);
}
