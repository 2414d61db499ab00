/* exchange.c - gradients go to the servers, parameters come back.
 *
 * Each trainer thread has a lane. Its send ops fill a parcel for each server; at the end of the
 * step the parcels fly. Sync and half_async wait for the answer, which brings the parameters.
 * Async goes on computing: while one set of parcels flies the next is filled, and steps that
 * cannot leave yet are added up in it. In sync and half_async several threads fill one lane, and
 * the last of them to come lets it fly. */
#include "dist/job.h"

#include "base/mem.h"
#include "dist/flight.h"
#include "dist/parcel_priv.h"
#include "sys/cond.h"
#include "sys/flags.h"
#include "sys/interrupt.h"

#include <string.h>

enum { LANES = RG_PS_MAX_THREADS };

/* A parameter of the trainer, or a part of one: rows from element `first` on. */
typedef struct home {
    rg_value *value; /* counted; NULL: none */
    int64_t first;
} home;

/* Where an answer goes when it comes. */
typedef struct landing {
    const rg_job_server *server;
    const home *homes;
    uint8_t pad[RG_PS_ALIGN];
} landing;

typedef struct lane {
    int number;
    rg_parcel *filling, *flying; /* by server */
    int steps;                   /* in `filling` */
    rg_flight flight;
    rg_rpc_call **calls;   /* by server: those of the flight; NULL: none */
    bool pulls;            /* the flight brings parameters */
    rg_rpc_call **answers; /* by server: the last that brought parameters */
    float **widened;       /* by server: the same, where they came as halves */
    float **rests;         /* by server: what rounding to bytes took from dense gradients */
    bool **fresh;          /* by server and variable: not taken since they came */
    uint64_t pushes;       /* so far: servers are told which one each is, and none may be missing */
    uint64_t since_pull;
    home **homes;      /* by server, by variable: where parameters go; NULL: not known */
    bool *at_home;     /* by server: the last answer went straight there */
    landing *landings; /* by server */
} lane;

typedef struct rg_exchange rg_exchange;

struct rg_exchange {
    lane *lanes[LANES];
    /* Sync and half_async with several threads: */
    pthread_mutex_t lock;
    pthread_cond_t change;
    int threads, arrived;
    uint64_t generation;
    rg_status outcome;
    char why[512];
};

/* ---- lanes ---- */

static void close_calls(const rg_job *job, rg_rpc_call **calls)
{
    for (int s = 0; calls != NULL && s < job->n_servers; s++)
        rg_rpc_call_close(calls[s]);
    rg_free(calls);
}

static void close_lane(const rg_job *job, lane *l)
{
    if (l == NULL)
        return;
    close_calls(job, l->calls);
    close_calls(job, l->answers);
    for (int s = 0; l->homes != NULL && s < job->n_servers; s++) {
        for (size_t v = 0; l->homes[s] != NULL && v < job->servers[s].schema.n; v++)
            rg_value_release(l->homes[s][v].value);
        rg_free(l->homes[s]);
    }
    rg_free(l->homes);
    rg_free(l->landings);
    rg_free(l->at_home);
    for (int s = 0; l->widened != NULL && s < job->n_servers; s++)
        rg_free(l->widened[s]);
    for (int s = 0; l->rests != NULL && s < job->n_servers; s++)
        rg_free(l->rests[s]);
    for (int s = 0; l->fresh != NULL && s < job->n_servers; s++)
        rg_free(l->fresh[s]);
    rg_free(l->widened);
    rg_free(l->rests);
    rg_free(l->fresh);
    rg_parcels_close(job, l->filling);
    rg_parcels_close(job, l->flying);
    rg_flight_fini(&l->flight);
    rg_free(l);
}

static rg_status open_fresh(const rg_job *job, lane *l)
{
    l->fresh = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->fresh);
    for (int s = 0; l->fresh != NULL && s < job->n_servers; s++) {
        l->fresh[s] = rg_alloc_zero(job->servers[s].schema.n + 1, sizeof **l->fresh);
        if (l->fresh[s] == NULL)
            return rg_no_memory(job->servers[s].schema.n, "a lane");
    }
    return l->fresh ? RG_OK : rg_no_memory(1, "a lane");
}

static rg_status open_rests(const rg_job *job, lane *l)
{
    l->rests = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->rests);
    if (l->rests == NULL)
        return rg_no_memory(1, "a lane");
    for (int s = 0; job->payload == RG_PAYLOAD_BYTES && s < job->n_servers; s++) {
        l->rests[s] = rg_alloc_zero(job->servers[s].reply_bytes + 1, 1);
        if (l->rests[s] == NULL)
            return rg_no_memory(job->servers[s].reply_bytes, "gradients");
    }
    return RG_OK;
}

static rg_status open_lane(rg_job *job, lane **out)
{
    lane *l = rg_alloc_zero(1, sizeof *l);
    if (l == NULL)
        return rg_no_memory(sizeof *l, "a lane");
    rg_flight_init(&l->flight, job);
    l->calls = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->calls);
    l->answers = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->answers);
    l->widened = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->widened);
    l->homes = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->homes);
    l->landings = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->landings);
    l->at_home = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->at_home);
    rg_status code = l->calls && l->answers && l->homes && l->landings && l->at_home && l->widened
                         ? RG_OK
                         : rg_no_memory(1, "a lane");
    if (code == RG_OK)
        code = open_fresh(job, l);
    if (code == RG_OK)
        code = open_rests(job, l);
    if (code == RG_OK)
        code = rg_parcels_open(job, &l->filling);
    if (code == RG_OK)
        code = rg_parcels_open(job, &l->flying);
    if (code != RG_OK)
        close_lane(job, l);
    else
        *out = l;
    return code;
}

static rg_status exchange_of(rg_job *job, rg_exchange **out)
{
    pthread_mutex_lock(&job->lock);
    if (job->exchange == NULL) {
        job->exchange = rg_alloc_zero(1, sizeof *job->exchange);
        if (job->exchange != NULL) {
            pthread_mutex_init(&job->exchange->lock, NULL);
            rg_cond_init(&job->exchange->change);
            job->exchange->threads = 1;
        }
    }
    pthread_mutex_unlock(&job->lock);
    *out = job->exchange;
    return *out ? RG_OK : rg_no_memory(sizeof **out, "the exchange");
}

/* Whether the threads of this trainer are one sender. */
static bool is_shared(const rg_job *job)
{
    return job->mode == RG_UPDATE_SYNC || job->mode == RG_UPDATE_HALF_ASYNC;
}

/* The lane that a thread fills; where they are one sender all threads fill the first. */
static rg_status lane_of(rg_job *job, int thread, lane **out)
{
    rg_exchange *x;
    RG_TRY(exchange_of(job, &x));
    int number = is_shared(job) ? 0 : thread;
    if (number < 0 || number >= LANES)
        return rg_fail(RG_EINVAL, "thread %d, and a trainer has up to %d", number, LANES);
    pthread_mutex_lock(&x->lock);
    rg_status code = x->lanes[number] ? RG_OK : open_lane(job, &x->lanes[number]);
    if (code == RG_OK)
        x->lanes[number]->number = number;
    *out = x->lanes[number];
    pthread_mutex_unlock(&x->lock);
    return code;
}

rg_status rg_exchange_dense(rg_job *job, int thread, int server, uint32_t var, const float *grad,
                            bool stays)
{
    lane *l;
    RG_TRY(lane_of(job, thread, &l));
    bool lends = stays && job->mode != RG_UPDATE_ASYNC; /* else the push outlives the step */
    pthread_mutex_lock(&job->exchange->lock);
    (lends ? rg_parcel_lend_dense : rg_parcel_add_dense)(job, &l->filling[server], server, var,
                                                         grad);
    pthread_mutex_unlock(&job->exchange->lock);
    return RG_OK;
}

rg_status rg_exchange_rows(rg_job *job, int thread, int server, uint32_t var, const int64_t *ids,
                           const float *rows, size_t n)
{
    lane *l;
    RG_TRY(lane_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    rg_status code = rg_parcel_add_rows(&l->filling[server], var,
                                        (size_t)job->servers[server].schema.vars[var].width, ids,
                                        rows, n);
    pthread_mutex_unlock(&job->exchange->lock);
    return code;
}

/* ---- flying ---- */

/* Where the values of a variable go; NULL: it is not known, or not as it was. */
static float *home_of(const rg_job_server *server, const home *homes, uint32_t var)
{
    const rg_value *value = homes[var].value;
    int64_t n = (int64_t)rg_ps_count(&server->schema.vars[var]);
    if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR ||
        value->meta.dtype != RG_F32 || rg_numel(value) < homes[var].first + n)
        return NULL;
    return (float *)value->data + homes[var].first;
}

static bool all_have_homes(const rg_job_server *server, const home *homes)
{
    for (uint32_t i = 0; i < server->n_pulled; i++)
        if (homes == NULL || home_of(server, homes, server->pulled[i]) == NULL)
            return false;
    return true;
}

/* Parameters straight to their homes, while the step waits for them. */
static rg_status place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                       size_t *size)
{
    landing *to = user;
    const rg_job_server *server = to->server;
    rg_payload payload;
    RG_TRY(rg_payload_of_answer(frame->flags, &payload));
    if (payload != RG_PAYLOAD_FLOATS || frame->bytes != server->reply_bytes)
        return rg_fail(RG_ECORRUPT, "%llu bytes of parameters, and %zu are wanted",
                       (unsigned long long)frame->bytes, server->reply_bytes);
    for (uint32_t i = 0; i < server->n_pulled; i++) {
        uint32_t var = server->pulled[i];
        size_t bytes = rg_ps_count(&server->schema.vars[var]) * sizeof(float);
        size_t begin = server->reply_at[var], end = begin + rg_ps_padded(bytes);
        if (offset >= end)
            continue;
        bool in_pad = offset >= begin + bytes;
        *at = in_pad ? to->pad
                     : (uint8_t *)home_of(server, to->homes, var) + (size_t)(offset - begin);
        *size = (in_pad ? end : begin + bytes) - (size_t)offset;
        return RG_OK;
    }
    return rg_fail(RG_ECORRUPT, "parameters that were not asked for");
}

/* waits: the step does, until the answer is there. */
static rg_status take_off(rg_job *job, lane *l, bool pulls, bool waits)
{
    rg_parcel *parcels = l->filling;
    rg_status code = RG_OK;
    l->filling = l->flying;
    l->flying = parcels;
    l->pulls = pulls;
    for (int s = 0; s < job->n_servers && code == RG_OK; s++) {
        rg_rpc_ask ask = {.method = RG_PS_PUSH,
                          .flags = rg_payload_to_flags(job->payload),
                          .iov = parcels[s].iov};
        l->landings[s] = (landing){.server = &job->servers[s], .homes = l->homes[s]};
        if (waits && pulls && job->payload == RG_PAYLOAD_FLOATS &&
            all_have_homes(&job->servers[s], l->homes[s])) {
            ask.place = place;
            ask.place_user = &l->landings[s];
        }
        code = rg_parcel_wrap(job, &parcels[s], s, l->pushes, pulls, l->rests[s], &ask.n);
        rg_push_sign(&parcels[s].head, l->number, false);
        if (code == RG_OK)
            code = rg_flight_start(&l->flight, &l->calls[s], job->servers[s].client, &ask);
    }
    l->pushes++;
    l->steps = 0;
    rg_parcels_empty(job, l->filling);
    return code;
}

/* Parameters that came as halves, as floats. */
static rg_status widen(const rg_job_server *server, const uint8_t *body, float **out)
{
    if (*out == NULL)
        *out = rg_alloc(server->reply_bytes + 1);
    if (*out == NULL)
        return rg_no_memory(server->reply_bytes, "parameters");
    for (uint32_t i = 0; i < server->n_pulled; i++) {
        uint32_t var = server->pulled[i];
        size_t n = rg_ps_count(&server->schema.vars[var]);
        rg_payload_read(RG_PAYLOAD_HALVES,
                        (float *)(void *)((uint8_t *)*out + server->reply_at[var]), body, n, 0);
        body += rg_payload_padded(RG_PAYLOAD_HALVES, n, 0);
    }
    return RG_OK;
}

/* The parameters of a call become the server's answer; the call is the lane's now. */
static rg_status keep_answer(const rg_job_server *server, lane *l, int s, rg_rpc_call *call)
{
    size_t bytes;
    const uint8_t *body = rg_rpc_answer(call, &bytes);
    rg_payload payload = RG_PAYLOAD_FLOATS;
    rg_rpc_call_close(l->answers[s]);
    l->answers[s] = call;
    memset(l->fresh[s], true, server->schema.n * sizeof **l->fresh);
    l->at_home[s] = body == NULL;
    if (l->at_home[s])
        return RG_OK;
    RG_TRY(rg_payload_of_answer(rg_rpc_answer_flags(call), &payload));
    bool half = payload == RG_PAYLOAD_HALVES;
    size_t wanted = half ? server->half_bytes : server->reply_bytes;
    if (bytes < wanted)
        return rg_fail(RG_ECORRUPT,
                       "the server at %s sent %zu bytes of parameters, and %zu are wanted",
                       rg_rpc_client_endpoint(server->client), bytes, wanted);
    return half ? widen(server, body, &l->widened[s]) : RG_OK;
}

/* What the last flight brought becomes the answer. */
static rg_status unload(rg_job *job, lane *l)
{
    rg_status code = RG_OK;
    for (int s = 0; s < job->n_servers; s++) {
        rg_rpc_call *call = l->calls[s];
        l->calls[s] = NULL;
        if (call == NULL)
            continue;
        rg_status each = rg_job_answered(call);
        if (each == RG_OK && l->pulls)
            each = keep_answer(&job->servers[s], l, s, call);
        else
            rg_rpc_call_close(call);
        if (each != RG_OK)
            code = each;
    }
    return code;
}

/* ---- steps ---- */

static rg_status fly_and_wait(rg_job *job, lane *l)
{
    RG_TRY(rg_flight_wait(&l->flight)); /* of a step whose wait was interrupted */
    RG_TRY(unload(job, l));
    rg_status code = take_off(job, l, true, true);
    rg_status landed = rg_flight_wait(&l->flight);
    if (landed != RG_OK)
        return landed;
    rg_status unloaded = unload(job, l);
    return code == RG_OK ? unloaded : code;
}

/* Parameters come back when more than so many steps were sent: by default with every other. */
static bool pulls_now(lane *l)
{
    int64_t every = rg_flag_int("communicator_min_send_grad_num_before_recv") + 1;
    if ((int64_t)++l->since_pull < every)
        return false;
    l->since_pull = 0;
    return true;
}

static rg_status push_async(rg_job *job, lane *l)
{
    l->steps++;
    if (!rg_flight_has_landed(&l->flight)) {
        if (l->steps < rg_flag_int("communicator_max_merge_var_num"))
            return RG_OK;
        RG_TRY(rg_flight_wait(&l->flight));
    }
    RG_TRY(unload(job, l));
    if (l->steps > 1 && !rg_flag_bool("communicator_is_sgd_optimizer"))
        for (int s = 0; s < job->n_servers; s++)
            rg_parcel_scale(job, &l->filling[s], s, 1.0f / (float)l->steps);
    return take_off(job, l, pulls_now(l), false);
}

/* All threads of this trainer have come, or ended. */
static rg_status push_together(rg_job *job, lane *l)
{
    rg_exchange *x = job->exchange;
    if (x->arrived > 1)
        for (int s = 0; s < job->n_servers; s++)
            rg_parcel_scale(job, &l->filling[s], s, 1.0f / (float)x->arrived);
    x->arrived = 0;
    x->outcome = fly_and_wait(job, l);
    (void)strncpy(x->why, x->outcome == RG_OK ? "" : rg_error_message(), sizeof x->why - 1);
    x->generation++;
    (void)pthread_cond_broadcast(&x->change);
    return x->outcome;
}

static rg_status push_sync(rg_job *job, lane *l)
{
    rg_exchange *x = job->exchange;
    rg_status code = RG_OK;
    pthread_mutex_lock(&x->lock);
    uint64_t generation = x->generation;
    if (++x->arrived >= x->threads) {
        code = push_together(job, l);
        pthread_mutex_unlock(&x->lock);
        return code;
    }
    while (x->generation == generation && code == RG_OK) {
        if (rg_cond_wait(&x->change, &x->lock, RG_LOOK_NS))
            continue;
        pthread_mutex_unlock(&x->lock);
        code = rg_interrupted();
        pthread_mutex_lock(&x->lock);
    }
    if (code == RG_OK && x->outcome != RG_OK)
        code = rg_fail(x->outcome, "%s", x->why);
    pthread_mutex_unlock(&x->lock);
    return code;
}

rg_status rg_exchange_push(rg_job *job, int thread)
{
    lane *l;
    RG_TRY(lane_of(job, thread, &l));
    return is_shared(job) ? push_sync(job, l) : push_async(job, l);
}

/* The values of a variable that the last answer brought; NULL: none that were not taken before. */
static rg_status latest(const rg_job *job, lane *l, int server, uint32_t var, const float **values)
{
    const rg_job_server *from = &job->servers[server];
    const rg_rpc_call *answer = l->answers[server];
    rg_payload payload = RG_PAYLOAD_FLOATS;
    size_t bytes;
    *values = NULL;
    if (answer == NULL)
        return RG_OK;
    /* Threads that are one sender take from one lane, and after each step. */
    if (!is_shared(job)) {
        if (!l->fresh[server][var])
            return RG_OK;
        l->fresh[server][var] = false;
    }
    if (l->at_home[server]) {
        *values = home_of(from, l->homes[server], var);
        return RG_OK;
    }
    const uint8_t *body = rg_rpc_answer(answer, &bytes);
    RG_TRY(rg_payload_of_answer(rg_rpc_answer_flags(answer), &payload));
    if (payload == RG_PAYLOAD_HALVES)
        body = (const uint8_t *)l->widened[server];
    *values = (const float *)(const void *)(body + from->reply_at[var]);
    return RG_OK;
}

/* From now on the variable's values may come straight to `value`. */
static rg_status settle_at(const rg_job *job, lane *l, int server, uint32_t var, rg_value *value,
                           int64_t first)
{
    home **homes = &l->homes[server];
    if (*homes == NULL)
        *homes = rg_alloc_zero(job->servers[server].schema.n + 1, sizeof **homes);
    if (*homes == NULL)
        return rg_no_memory(1, "the exchange");
    if ((*homes)[var].value == value && (*homes)[var].first == first)
        return RG_OK;
    rg_value_release((*homes)[var].value);
    (*homes)[var] = (home){rg_value_retain(value), first};
    return RG_OK;
}

rg_status rg_exchange_take(rg_job *job, int thread, int server, uint32_t var, rg_value *value,
                           int64_t first, bool stays)
{
    lane *l;
    const float *values;
    float *to = (float *)value->data + first;
    RG_TRY(lane_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    rg_status code = latest(job, l, server, var, &values);
    if (code == RG_OK && values != NULL && values != to)
        memcpy(to, values, rg_ps_count(&job->servers[server].schema.vars[var]) * sizeof *to);
    if (code == RG_OK && stays)
        code = settle_at(job, l, server, var, value, first);
    pthread_mutex_unlock(&job->exchange->lock);
    return code;
}

/* An answer that has come since the step before is put in its places now, not a step later. */
rg_status rg_exchange_refresh(rg_job *job, int thread)
{
    lane *l;
    if (job->mode != RG_UPDATE_ASYNC || job->exchange == NULL)
        return RG_OK;
    RG_TRY(lane_of(job, thread, &l));
    if (!l->pulls || l->calls[0] == NULL || !rg_flight_has_landed(&l->flight))
        return RG_OK;
    RG_TRY(unload(job, l));
    for (int s = 0; s < job->n_servers; s++)
        for (uint32_t i = 0; l->homes[s] != NULL && i < job->servers[s].n_pulled; i++) {
            uint32_t var = job->servers[s].pulled[i];
            const float *values = NULL;
            float *to = home_of(&job->servers[s], l->homes[s], var);
            if (to == NULL)
                continue;
            RG_TRY(latest(job, l, s, var, &values));
            if (values != NULL)
                memcpy(to, values, rg_ps_count(&job->servers[s].schema.vars[var]) * sizeof *to);
        }
    return RG_OK;
}

rg_status rg_exchange_threads(rg_job *job, int n)
{
    rg_exchange *x;
    RG_TRY(exchange_of(job, &x));
    pthread_mutex_lock(&x->lock);
    x->threads = n;
    x->arrived = 0; /* of a step that was broken off, and so is what they brought */
    if (is_shared(job) && x->lanes[0] != NULL)
        rg_parcels_empty(job, x->lanes[0]->filling);
    pthread_mutex_unlock(&x->lock);
    return RG_OK;
}

rg_status rg_exchange_thread_ends(rg_job *job, int thread)
{
    rg_exchange *x;
    lane *l;
    rg_status code = RG_OK;
    RG_TRY(exchange_of(job, &x));
    RG_TRY(lane_of(job, thread, &l));
    pthread_mutex_lock(&x->lock);
    x->threads--;
    if (is_shared(job) && x->arrived > 0 && x->arrived >= x->threads)
        code = push_together(job, l);
    pthread_mutex_unlock(&x->lock);
    return code;
}

rg_status rg_exchange_flush(rg_job *job)
{
    rg_status code = RG_OK;
    for (int i = 0; job->exchange != NULL && code == RG_OK && i < LANES; i++) {
        lane *l = job->exchange->lanes[i];
        if (l == NULL)
            continue;
        code = rg_flight_wait(&l->flight);
        if (code == RG_OK)
            code = unload(job, l);
        if (code == RG_OK && l->steps > 0)
            code = fly_and_wait(job, l);
    }
    return code;
}

void rg_exchange_close(rg_job *job)
{
    rg_exchange *x = job->exchange;
    for (int i = 0; x != NULL && i < LANES; i++)
        close_lane(job, x->lanes[i]);
    if (x != NULL) {
        pthread_mutex_destroy(&x->lock);
        pthread_cond_destroy(&x->change);
    }
    rg_free(x);
    job->exchange = NULL;
}
