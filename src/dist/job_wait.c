/* job_wait.c - a trainer waits long: its servers know for whom. */
#include "dist/fan_out.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/log.h"

#include <stdio.h>

static const uint64_t PATIENCE_NS = 2000000000, LOOK_NS = 50000000;

/* Until they have answered, or what was waited for is there, or it has been long enough. */
static void wait_for_answers(rg_in_flight *asked, rg_in_flight *in_flight)
{
    uint64_t until = rg_clock_ns() + PATIENCE_NS;
    while (!rg_in_flight_wait_for(asked, LOOK_NS) && !rg_in_flight_is_done(in_flight) &&
           rg_clock_ns() < until)
        continue;
}

/* The first that a server has said, and how many have not spoken. */
static void sum_up(const rg_job *job, const rg_job_request *requests, bool all, rg_buf *out)
{
    int silent = 0;
    for (int i = 0; i < job->n_servers; i++) {
        size_t n = 0;
        const uint8_t *text = NULL;
        if (requests[i].call != NULL && all && rg_rpc_result(requests[i].call) == RG_OK)
            text = rg_rpc_answer(requests[i].call, &n);
        else
            silent++;
        if (text != NULL && n > 0 && out->len == 0)
            rg_buf_printf(out, "%.*s", (int)(n < 900 ? n : 900), (const char *)text);
    }
    if (silent > 0 && out->len == 0)
        rg_buf_printf(out, "%d of %d servers do not say why: the first is %s", silent,
                      job->n_servers, rg_rpc_client_endpoint(job->servers[0].client));
    else if (out->len == 0)
        rg_buf_text(out, "the servers wait for nobody, they are at work");
}

void rg_job_say_waiting(rg_job *job, rg_in_flight *in_flight, double seconds)
{
    rg_job_request *requests = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *requests);
    rg_in_flight asked;
    rg_buf text;
    if (requests == NULL)
        return;
    rg_in_flight_init(&asked, NULL);
    rg_buf_init(&text, 0);
    for (int i = 0; i < job->n_servers; i++)
        requests[i] = (rg_job_request){.server = i, .method = RG_PS_WAITS};
    if (rg_job_start_all(job, &asked, requests, job->n_servers) == RG_OK)
        wait_for_answers(&asked, in_flight);
    sum_up(job, requests, rg_in_flight_is_done(&asked), &text);
    if (!rg_in_flight_is_done(in_flight))
        rg_event("stalled", NULL, "waiting for %.0f s: %s", seconds, rg_buf_cstr(&text));
    if (!rg_in_flight_is_done(in_flight))
        rg_log(RG_LOG_W, "ps", "trainer=%d \"waiting for %.0f s: %s\"", job->trainer, seconds,
               rg_buf_cstr(&text));
    rg_job_close_all(requests, job->n_servers);
    rg_in_flight_fini(&asked);
    rg_buf_fini(&text);
    rg_free(requests);
}
