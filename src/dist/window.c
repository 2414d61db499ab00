/* window.c - room for the next push, and what is done where there is none. */
#include "dist/window.h"

#include "base/mem.h"
#include "dist/fan_out.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"

enum { TELL_AFTER_S = 10, TELL_EVERY_S = 30 };
static const uint64_t SECOND = 1000000000;

rg_status rg_window_open(rg_job *job)
{
    int64_t mb = rg_flag_int("ps_push_window_mb");
    if (mb < 0 || mb > 1 << 24)
        return rg_fail(RG_EINVAL, "FLAGS_ps_push_window_mb is %lld: 0, or MiB, are possible",
                       (long long)mb);
    if (mb == 0 || rg_flag_int("ps_return_seconds") <= 0)
        return RG_OK;
    return rg_rpc_window_open(&job->window, (uint64_t)mb << 20);
}

void rg_window_close_calls(rg_job *job)
{
    for (int i = 0; i < job->n_servers; i++)
        rg_rpc_call_close(job->servers[i].sync);
}

void rg_window_close(rg_job *job)
{
    rg_rpc_window_close(job->window);
    job->window = NULL;
}

/* One request at a time is enough: what it is answered for was asked before it. */
static rg_status ask_to_flush(rg_job *job)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&job->syncing);
    for (int i = 0; code == RG_OK && i < job->n_servers; i++) {
        rg_job_server *server = &job->servers[i];
        if (!rg_rpc_client_keeps(server->client))
            continue;
        if (server->sync != NULL && !rg_rpc_is_done(server->sync))
            continue;
        if (server->sync != NULL) /* a disk that fails says so here */
            code = rg_job_answered(job, server->sync);
        rg_rpc_call_close(server->sync);
        server->sync = NULL;
        if (code == RG_OK)
            code = rg_rpc_start(&server->sync, server->client,
                                &(rg_rpc_ask){.method = RG_PS_SYNC, .flushes = true});
    }
    pthread_mutex_unlock(&job->syncing);
    return code;
}

/* Room may depend on any of them. */
static rg_status check_servers(rg_job *job)
{
    for (int i = 0; i < job->n_servers; i++)
        RG_TRY(rg_job_blame(job, rg_rpc_client_state(job->servers[i].client)));
    return rg_interrupted();
}

static void say_waiting(const rg_job *job, double seconds)
{
    rg_event("stalled", NULL, "waiting for %.0f s: for servers to flush their journals", seconds);
    rg_log(
        RG_LOG_W, "ps",
        "trainer=%d \"waiting for %.0f s: %.1f MiB of pushes are not on the disks of servers yet, "
        "and no more are kept (FLAGS_ps_push_window_mb)\"",
        job->trainer, seconds, (double)rg_rpc_window_used(job->window) / 0x1p20);
}

static rg_status make_room(rg_job *job, uint64_t bytes)
{
    uint64_t began = rg_clock_ns(), tell = began + TELL_AFTER_S * SECOND;
    if (rg_rpc_window_used(job->window) + bytes > rg_rpc_window_limit(job->window) / 2)
        RG_TRY(ask_to_flush(job));
    while (!rg_rpc_window_take(job->window, bytes, RG_LOOK_NS)) {
        uint64_t now = rg_clock_ns();
        RG_TRY(check_servers(job));
        RG_TRY(ask_to_flush(job));
        if (now < tell)
            continue;
        tell = now + TELL_EVERY_S * SECOND;
        say_waiting(job, (double)(now - began) * 1e-9);
    }
    return RG_OK;
}

rg_status rg_window_start(rg_job *job, rg_in_flight *in_flight, rg_rpc_call **call, int server,
                          const rg_rpc_ask *ask)
{
    rg_rpc_ask mine = *ask;
    uint64_t bytes = 0;
    for (size_t i = 0; i < ask->n; i++)
        bytes += ask->iov[i].bytes;
    mine.keeps = job->window != NULL && rg_rpc_client_keeps(job->servers[server].client);
    if (mine.keeps)
        RG_TRY(make_room(job, bytes));
    return rg_in_flight_start(in_flight, call, job->servers[server].client, &mine);
}

rg_status rg_window_empty(rg_job *job)
{
    int n = 0;
    if (job->window == NULL || rg_rpc_window_used(job->window) == 0)
        return RG_OK;
    rg_job_request *requests = rg_alloc_zero((size_t)job->n_servers, sizeof *requests);
    if (requests == NULL)
        return rg_no_memory((size_t)job->n_servers * sizeof *requests, "a flush");
    for (int i = 0; i < job->n_servers; i++)
        if (rg_rpc_client_keeps(job->servers[i].client))
            requests[n++] = (rg_job_request){.server = i, .method = RG_PS_SYNC};
    rg_status code = n > 0 ? rg_job_ask_all(job, requests, n) : RG_OK;
    rg_job_close_all(requests, n);
    rg_free(requests);
    return code;
}
