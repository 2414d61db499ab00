/* fan_out.c - asking servers, all at once or one. */
#include "dist/fan_out.h"

#include "base/mem.h"
#include "dist/window.h"
#include "sys/because.h"
#include "sys/fault.h"

#include <stdio.h>
#include <string.h>

/* What is refused is kept: where the process ends of it, the others are told. */
static void note_refusal(rg_job *job, const char *text)
{
    pthread_mutex_lock(&job->refusing);
    (void)snprintf(job->refused, sizeof job->refused, "%s", text);
    pthread_mutex_unlock(&job->refusing);
}

rg_status rg_job_blame(rg_job *job, rg_status code)
{
    if (code != RG_OK)
        note_refusal(job, rg_error_message());
    if (code == RG_ECLOSED || code == RG_ETIMEOUT)
        rg_because_say((rg_because){.worker = false, .index = RG_BECAUSE_ANY});
    return code;
}

rg_status rg_job_answered(rg_job *job, rg_rpc_call *call)
{
    return rg_job_blame(job, rg_rpc_result(call));
}

rg_status rg_job_start_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n)
{
    rg_status code = RG_OK;
    for (int i = 0; i < n; i++)
        requests[i].call = NULL;
    for (int i = 0; code == RG_OK && i < n; i++) {
        const rg_rpc_ask ask = {.method = requests[i].method,
                                .flags = requests[i].flags,
                                .iov = requests[i].iov,
                                .n = requests[i].n,
                                .flushes = requests[i].method == RG_PS_SYNC};
        code = ask.method == RG_PS_PUSH
                   ? rg_window_start(job, in_flight, &requests[i].call, requests[i].server, &ask)
                   : rg_in_flight_start(in_flight, &requests[i].call,
                                        job->servers[requests[i].server].client, &ask);
    }
    return code;
}

rg_status rg_job_finish_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n)
{
    rg_status code = rg_in_flight_wait(in_flight);
    for (int i = 0; code == RG_OK && i < n; i++)
        code = rg_job_answered(job, requests[i].call);
    if (code != RG_OK)
        rg_job_close_all(requests, n);
    return code;
}

void rg_job_close_all(rg_job_request *requests, int n)
{
    for (int i = 0; i < n; i++) {
        rg_rpc_call_close(requests[i].call);
        requests[i].call = NULL;
    }
}

rg_status rg_job_ask_all(rg_job *job, rg_job_request *requests, int n)
{
    return rg_job_ask_all_within(job, requests, n, 0);
}

rg_status rg_job_ask_all_within(rg_job *job, rg_job_request *requests, int n, int64_t most_s)
{
    rg_in_flight in_flight;
    rg_in_flight_init(&in_flight, job);
    in_flight.most_s = most_s;
    rg_status code = rg_job_start_all(job, &in_flight, requests, n);
    if (code == RG_OK)
        code = rg_job_finish_all(job, &in_flight, requests, n);
    else
        rg_job_close_all(requests, n);
    rg_in_flight_fini(&in_flight);
    return code;
}

rg_status rg_job_ask(rg_job *job, int server, uint16_t method, const rg_iov *iov, size_t n,
                     uint8_t **reply, size_t *bytes)
{
    rg_job_request request = {.server = server, .method = method, .iov = iov, .n = n};
    rg_status code = rg_job_ask_all(job, &request, 1);
    if (code == RG_OK && reply != NULL) {
        const uint8_t *body = rg_rpc_answer(request.call, bytes);
        *reply = rg_alloc(*bytes + 1);
        if (*reply == NULL)
            code = rg_no_memory(*bytes, "an answer");
        else if (*bytes > 0)
            memcpy(*reply, body, *bytes);
    }
    rg_job_close_all(&request, 1);
    return code;
}

rg_status rg_job_tell_all(rg_job *job, uint16_t method, const char *text)
{
    rg_status code = RG_OK;
    for (int i = 0; i < job->n_servers; i++) {
        if (i > 0)
            (void)rg_fault("leave.between"); /* some servers know, others do not */
        rg_status each = rg_rpc_ask_once(job->servers[i].client, method,
                                         &(rg_iov){text, strlen(text)}, 1, NULL, NULL);
        code = code == RG_OK ? each : code;
    }
    return code;
}
