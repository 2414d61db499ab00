/* job_rendezvous.c - barriers and sums over all trainers: the first server lets them meet. */
#include "base/mem.h"
#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "dist/window.h"
#include "sys/flags.h"

#include <string.h>

/* Where servers wait for all trainers, all servers at once: who waits takes no part in steps, and a
 * server that was not told would wait for it, with the pushes of those that the rendezvous waits
 * for. The others meet by name. `out`, of so many bytes, is what the first answers. */
static rg_status meet(rg_job *job, uint16_t method, const rg_buf *body, const rg_buf *name,
                      void *out, size_t n_out)
{
    int n = job->mode->programs.merges ? job->n_servers : 1;
    /* Whoever has met relies on what the others have pushed, wherever that is. */
    if (n < job->n_servers)
        RG_TRY(rg_window_empty(job));
    const rg_iov first = {body->data, body->len}, rest = {name->data, name->len};
    RG_TRY(rg_buf_status(name));
    RG_TRY(rg_buf_status(body));
    if (job->mode->programs.merges)
        rg_exchange_own(job);
    rg_job_request *requests = rg_alloc_zero((size_t)n, sizeof *requests);
    if (requests == NULL)
        return rg_no_memory((size_t)n * sizeof *requests, "a rendezvous");
    for (int i = 0; i < n; i++)
        requests[i] = (rg_job_request){.server = i,
                                       .method = i == 0 ? method : RG_PS_BARRIER,
                                       .iov = i == 0 ? &first : &rest,
                                       .n = 1};
    rg_status code = rg_job_ask_all_within(job, requests, n, rg_flag_int("ps_meet_seconds"));
    size_t bytes = 0;
    const uint8_t *answer = code == RG_OK ? rg_rpc_answer(requests[0].call, &bytes) : NULL;
    if (code == RG_OK && bytes != n_out)
        code = rg_fail(RG_ECORRUPT, "%zu bytes for %zu of numbers", bytes, n_out);
    if (code == RG_OK && n_out > 0)
        memcpy(out, answer, n_out);
    rg_job_close_all(requests, n);
    rg_free(requests);
    return code;
}

rg_status rg_job_barrier(rg_job *job, const char *name)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, name);
    rg_status code = rg_exchange_flush(job);
    if (code == RG_OK)
        code = meet(job, RG_PS_BARRIER, &body, &body, NULL, 0);
    rg_buf_fini(&body);
    return code;
}

/* n numbers of 8 bytes each; type: 0 f64, 1 i64. */
static rg_status reduce(rg_job *job, const char *name, int op, uint32_t type, void *numbers,
                        size_t n)
{
    rg_buf body, others;
    rg_buf_init(&body, 0);
    rg_buf_init(&others, 0);
    rg_ps_put_text(&others, name);
    rg_ps_put_text(&body, name);
    while (body.len % RG_PS_ALIGN != 0)
        rg_buf_char(&body, 0);
    rg_buf_u32(&body, (uint32_t)op);
    rg_buf_u32(&body, type);
    rg_buf_add(&body, numbers, n * sizeof(double));
    rg_status code = meet(job, RG_PS_REDUCE, &body, &others, numbers, n * sizeof(double));
    rg_buf_fini(&body);
    rg_buf_fini(&others);
    return code;
}

rg_status rg_job_reduce(rg_job *job, const char *name, int op, double *numbers, size_t n)
{
    return reduce(job, name, op, 0, numbers, n);
}

rg_status rg_job_reduce_whole(rg_job *job, const char *name, int op, int64_t *numbers, size_t n)
{
    return reduce(job, name, op, 1, numbers, n);
}
