/* flight.c - a count of calls in the air. */
#include "dist/flight.h"

#include "sys/cond.h"
#include "sys/interrupt.h"

void rg_flight_init(rg_flight *f)
{
    pthread_mutex_init(&f->lock, NULL);
    rg_cond_init(&f->landed);
    f->in_air = 0;
}

void rg_flight_fini(rg_flight *f)
{
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->landed);
}

static void add(rg_flight *f, int n)
{
    pthread_mutex_lock(&f->lock);
    f->in_air += n;
    if (n < 0)
        (void)pthread_cond_signal(&f->landed);
    pthread_mutex_unlock(&f->lock);
}

static void land(void *user, rg_rpc_call *call)
{
    (void)call;
    add(user, -1);
}

rg_status rg_flight_start(rg_flight *f, rg_rpc_call **call, rg_rpc_client *client,
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

bool rg_flight_has_landed(rg_flight *f)
{
    pthread_mutex_lock(&f->lock);
    bool landed = f->in_air == 0;
    pthread_mutex_unlock(&f->lock);
    return landed;
}

rg_status rg_flight_wait(rg_flight *f)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&f->lock);
    while (f->in_air > 0 && code == RG_OK) {
        if (rg_cond_wait(&f->landed, &f->lock, RG_LOOK_NS))
            continue;
        pthread_mutex_unlock(&f->lock);
        code = rg_interrupted();
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
    return code;
}
