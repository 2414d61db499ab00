/* in_flight.c - a count of calls under way. */
#include "dist/in_flight.h"

#include "dist/fan_out.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/interrupt.h"

#include <stdio.h>

enum { TELL_AFTER_S = 10, TELL_EVERY_S = 30, AFTER_REFUSAL_S = 1 };
static const uint64_t SECOND = 1000000000;

void rg_in_flight_init(rg_in_flight *f, struct rg_job *job)
{
    f->job = job;
    pthread_mutex_init(&f->lock, NULL);
    rg_cond_init(&f->done);
    f->n = 0;
    f->refused = RG_OK;
    f->most_s = 0;
}

void rg_in_flight_fini(rg_in_flight *f)
{
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->done);
}

static void add(rg_in_flight *f, int n)
{
    pthread_mutex_lock(&f->lock);
    f->refused = f->n == 0 ? RG_OK : f->refused; /* those before it have been looked at */
    f->n += n;
    if (f->n == 0) /* whoever waits, waits for all */
        (void)pthread_cond_signal(&f->done);
    pthread_mutex_unlock(&f->lock);
}

static void land(void *user, rg_rpc_call *call)
{
    rg_in_flight *f = user;
    rg_status code = rg_rpc_result(call);
    if (code != RG_OK && code != RG_EOF) { /* which is an answer like others */
        pthread_mutex_lock(&f->lock);
        if (f->refused == RG_OK) {
            f->refused = code;
            f->refused_ns = rg_clock_ns();
            (void)snprintf(f->why, sizeof f->why, "%s", rg_error_message());
        }
        pthread_mutex_unlock(&f->lock);
    }
    add(f, -1);
}

rg_status rg_in_flight_start(rg_in_flight *f, rg_rpc_call **call, rg_rpc_client *client,
                             const rg_rpc_ask *ask)
{
    rg_rpc_ask mine = *ask;
    mine.done = land;
    mine.user = f;
    add(f, 1);
    rg_status code = rg_rpc_start(call, client, &mine);
    if (code != RG_OK) {
        *call = NULL;
        add(f, -1);
    }
    return code;
}

bool rg_in_flight_is_done(rg_in_flight *f)
{
    pthread_mutex_lock(&f->lock);
    bool done = f->n == 0;
    pthread_mutex_unlock(&f->lock);
    return done;
}

bool rg_in_flight_wait_for(rg_in_flight *f, uint64_t ns)
{
    pthread_mutex_lock(&f->lock);
    if (f->n > 0)
        (void)rg_cond_wait(&f->done, &f->lock, ns);
    bool done = f->n == 0;
    pthread_mutex_unlock(&f->lock);
    return done;
}

/* Fails with what one said that was refused some time ago; RG_OK: none was. */
static rg_status refusal(rg_in_flight *f, uint64_t now)
{
    char why[sizeof f->why] = "";
    pthread_mutex_lock(&f->lock);
    bool is_old = f->n > 0 && now > f->refused_ns + AFTER_REFUSAL_S * SECOND;
    rg_status code = is_old ? f->refused : RG_OK;
    if (code != RG_OK)
        (void)snprintf(why, sizeof why, "%s", f->why);
    pthread_mutex_unlock(&f->lock);
    if (code == RG_OK)
        return RG_OK;
    code = rg_fail(code, "%s", why);
    return f->job != NULL ? rg_job_blame(f->job, code) : code;
}

rg_status rg_in_flight_wait(rg_in_flight *f)
{
    uint64_t began = 0, looked = 0, tell = 0;
    while (!rg_in_flight_wait_for(f, RG_LOOK_NS)) {
        uint64_t now = rg_clock_ns();
        if (began == 0) {
            began = looked = now;
            tell = now + TELL_AFTER_S * SECOND;
        }
        if (now - looked < RG_LOOK_NS / 2) /* one of several has come */
            continue;
        looked = now;
        RG_TRY(rg_interrupted());
        RG_TRY(refusal(f, now));
        if (f->most_s > 0 && now - began > (uint64_t)f->most_s * SECOND)
            return rg_fail(RG_ETIMEOUT,
                           "%lld s (FLAGS_ps_meet_seconds) were waited for the other workers",
                           (long long)f->most_s);
        if (now < tell || f->job == NULL)
            continue;
        tell = now + TELL_EVERY_S * SECOND;
        rg_job_say_waiting(f->job, f, (double)(now - began) * 1e-9);
    }
    return RG_OK;
}
