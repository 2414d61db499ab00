/* fan_out.h - requests to several servers of a job at once, and their answers. */
#ifndef RG_DIST_FAN_OUT_H
#define RG_DIST_FAN_OUT_H

#include "dist/in_flight.h"
#include "dist/job.h"

/* Several requests at once. */
typedef struct rg_job_request {
    int server;
    uint16_t method, flags;
    const rg_iov *iov;
    size_t n;
    rg_rpc_call *call; /* the answer; NULL after a failure */
} rg_job_request;

/* What a server answered. The job remembers what was refused last; where the server has gone, the
 * launcher hears that we fail because of it. */
rg_status rg_job_answered(rg_job *job, rg_rpc_call *call);
/* The same, of a result that is known. */
rg_status rg_job_blame(rg_job *job, rg_status code);

/* Asks and waits. Whatever the outcome, rg_job_close_all() ends them. */
rg_status rg_job_ask_all(rg_job *job, rg_job_request *requests, int n);
/* The same of a meeting with other workers, for whom is waited so long; 0: as long as they live. */
rg_status rg_job_ask_all_within(rg_job *job, rg_job_request *requests, int n, int64_t most_s);
/* The same in two: what `iov` names stays as it is until the second. */
rg_status rg_job_start_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n);
rg_status rg_job_finish_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n);
/* Those that are not done are given up. */
void rg_job_close_all(rg_job_request *requests, int n);

/* Ask and wait, looking for Ctrl+C meanwhile. *reply, where it is not NULL, gets the body and is
 * the caller's to free. */
rg_status rg_job_ask(rg_job *job, int server, uint16_t method, const rg_iov *iov, size_t n,
                     uint8_t **reply, size_t *bytes);

/* In the log: what the servers wait for, while these calls have been under way for so long. */
void rg_job_say_waiting(rg_job *job, rg_in_flight *in_flight, double seconds);

/* The same text to every server, one after the other; the first failure. */
rg_status rg_job_tell_all(rg_job *job, uint16_t method, const char *text);

#endif
