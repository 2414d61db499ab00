/* job_leases.c - a trainer's part in data that the servers deal. */
#include "dist/leases.h"

#include "base/mem.h"
#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "dist/window.h"
#include "sys/fault.h"
#include "sys/log.h"

enum { DEALER = 0, UNKNOWN = -1 }; /* the server that deals; how many examples a range has */

/* A range that this trainer has, and that the servers do not know as done. */
typedef struct mine {
    rg_lease lease;
    int thread;
    uint64_t pushed; /* examples that all servers have */
    int64_t rows;    /* all of them; UNKNOWN: it is being read */
} mine;

typedef struct reader {
    rg_lease lease;
    uint64_t at; /* examples that steps have been made of */
} reader;

struct rg_leases {
    pthread_mutex_t lock;
    uint32_t reading, readings; /* this one; how many were begun */
    uint64_t ticket, batch_rows;
    mine *mine; /* owned */
    size_t n, cap;
    reader threads[RG_PS_MAX_THREADS];
    rg_pass_state state;
    rg_pass_state past; /* of the passes before */
    bool idle;          /* the servers were told so */
};

void rg_leases_close(rg_job *job)
{
    struct rg_leases *l = job->leases;
    job->leases = NULL;
    if (l == NULL)
        return;
    (void)pthread_mutex_destroy(&l->lock);
    rg_free(l->mine);
    rg_free(l);
}

static rg_status leases_of(rg_job *job, struct rg_leases **out)
{
    if (job->leases == NULL) {
        job->leases = rg_alloc_zero(1, sizeof *job->leases);
        if (job->leases == NULL)
            return rg_no_memory(sizeof *job->leases, "leases");
        (void)pthread_mutex_init(&job->leases->lock, NULL);
    }
    *out = job->leases;
    return RG_OK;
}

/* ---- beginning ---- */

/* A push is of one range at a time, or of several that end in it: where threads are one sender a
 * push is of all of theirs, and half of it could not be made again by another trainer. */
static rg_status check_mode(const rg_job *job, int threads)
{
    if (job->mode->push == NULL)
        return rg_fail(
            RG_EINVAL,
            "leased data in %s mode: a trainer sends what its own parameters have become, "
            "not what it learned of which examples; use async, half_async or sync",
            job->mode->programs.name);
    if (job->mode->together && threads > 1)
        return rg_fail(
            RG_EINVAL,
            "leased data with %d threads in %s mode, where the threads of a trainer push "
            "together: use one (dataset.set_thread(1)) and more trainers, or async mode",
            threads, job->mode->programs.name);
    return RG_OK;
}

static rg_status begin_at(rg_job *job, int server, const rg_buf *body, rg_pass_state *is,
                          bool *idle)
{
    uint64_t says_idle = 0;
    uint8_t *reply = NULL;
    size_t n;
    RG_TRY(rg_job_ask(job, server, RG_PS_DEAL, &(rg_iov){body->data, body->len}, 1, &reply, &n));
    rg_cursor in = {reply, n};
    rg_status code = rg_pass_state_read(&in, is);
    if (code == RG_OK)
        code = rg_cursor_u64(&in, &says_idle);
    rg_free(reply);
    *idle = *idle || says_idle != 0;
    return code;
}

rg_status rg_leases_begin(rg_job *job, rg_deal_plan *plan, int threads, uint64_t batch_rows)
{
    struct rg_leases *l;
    rg_pass_state is = {0};
    rg_buf body;
    bool idle = false;
    RG_TRY(check_mode(job, threads));
    RG_TRY(leases_of(job, &l));
    plan->reading = l->readings;
    rg_buf_init(&body, 0);
    rg_deal_plan_write(&body, plan);
    rg_status code = rg_buf_status(&body);
    for (int s = job->n_servers; s-- > 0 && code == RG_OK;) /* the dealer last: its answer counts */
        code = begin_at(job, s, &body, &is, &idle);
    rg_buf_fini(&body);
    RG_TRY(code);
    l->past = rg_leases_total(job);
    l->reading = l->readings++;
    l->batch_rows = batch_rows;
    l->n = 0;
    l->state = is;
    l->idle = idle;
    return RG_OK;
}

/* ---- what is done ---- */

void rg_leases_pushed(rg_job *job, const rg_push_tag *tags, size_t n)
{
    struct rg_leases *l = job->leases;
    if (l == NULL || n == 0)
        return;
    (void)pthread_mutex_lock(&l->lock);
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < l->n; i++)
            if (l->mine[i].lease.range == tags[t].range &&
                l->mine[i].lease.generation == tags[t].generation)
                l->mine[i].pushed = tags[t].to;
    (void)pthread_mutex_unlock(&l->lock);
}

void rg_leases_read(rg_job *job, int thread)
{
    struct rg_leases *l = job->leases;
    const reader *r = &l->threads[thread];
    (void)pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->n; i++)
        if (l->mine[i].thread == thread && l->mine[i].rows == UNKNOWN)
            l->mine[i].rows = (int64_t)r->at;
    (void)pthread_mutex_unlock(&l->lock);
}

static bool is_done(const mine *m)
{
    return m->rows != UNKNOWN && m->pushed == (uint64_t)m->rows;
}

/* Those that are done, which are nobody's then. Owned. */
static rg_status collect_done(struct rg_leases *l, rg_lease_ask *ask)
{
    size_t left = 0;
    ask->done = rg_alloc_zero(l->n + 1, sizeof *ask->done);
    if (ask->done == NULL)
        return rg_no_memory(l->n * sizeof *ask->done, "ranges that are done");
    for (size_t i = 0; i < l->n; i++) {
        if (is_done(&l->mine[i]))
            ask->done[ask->n_done++] = (rg_lease_done){
                l->mine[i].lease.range, l->mine[i].lease.generation, (uint64_t)l->mine[i].rows};
        else
            l->mine[left++] = l->mine[i];
    }
    l->n = left;
    return RG_OK;
}

static bool any_done(struct rg_leases *l)
{
    bool any = false;
    (void)pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->n; i++)
        any = any || is_done(&l->mine[i]);
    (void)pthread_mutex_unlock(&l->lock);
    return any;
}

/* ---- asking ---- */

static rg_status ask(rg_job *job, struct rg_leases *l, bool *given, rg_lease *lease)
{
    rg_lease_ask a = {.wants = true};
    rg_pass_state is = {0};
    uint8_t *reply = NULL;
    size_t n;
    rg_buf body;
    rg_buf_init(&body, 0);
    (void)pthread_mutex_lock(&l->lock);
    a.reading = l->reading;
    a.ticket = ++l->ticket;
    rg_status code = collect_done(l, &a);
    (void)pthread_mutex_unlock(&l->lock);
    rg_lease_ask_write(&body, &a);
    rg_free(a.done);
    if (code == RG_OK)
        code = rg_buf_status(&body);
    (void)rg_fault("lease.ask");
    /* A pass ends, and another begins at all servers, when its ranges are done: with all of them.
     */
    if (code == RG_OK && a.n_done > 0)
        code = rg_window_empty(job);
    if (code == RG_OK)
        code = rg_job_ask(job, DEALER, RG_PS_LEASE, &(rg_iov){body.data, body.len}, 1, &reply, &n);
    if (code == RG_OK)
        code = rg_lease_given_read(reply, n, given, lease, &is);
    (void)rg_fault("lease.given");
    rg_free(reply);
    rg_buf_fini(&body);
    if (code != RG_OK)
        return code;
    (void)pthread_mutex_lock(&l->lock);
    l->state = is;
    (void)pthread_mutex_unlock(&l->lock);
    return RG_OK;
}

/* How many examples of the range each server has: the least and the most. From now on none takes
 * any of whoever had it before. */
static rg_status ask_how_far(rg_job *job, uint32_t reading, const rg_lease *lease, uint64_t *least,
                             uint64_t *most)
{
    const uint32_t body[4] = {reading, lease->range, lease->generation, 0};
    *least = UINT64_MAX;
    *most = 0;
    for (int s = 0; s < job->n_servers; s++) {
        uint8_t *reply = NULL;
        uint64_t rows = 0;
        size_t n;
        RG_TRY(rg_job_ask(job, s, RG_PS_RANGE, &(rg_iov){body, sizeof body}, 1, &reply, &n));
        rg_status code = rg_cursor_u64(&(rg_cursor){reply, n}, &rows);
        rg_free(reply);
        RG_TRY(code);
        *least = rows < *least ? rows : *least;
        *most = rows > *most ? rows : *most;
    }
    return RG_OK;
}

/* One that another trainer had. What only some servers have of it is pushed again, as one. */
static rg_status take_over(rg_job *job, struct rg_leases *l, int thread, const rg_lease *lease,
                           uint64_t *from)
{
    uint64_t most;
    RG_TRY(rg_exchange_flush_thread(job, thread));
    RG_TRY(ask_how_far(job, l->reading, lease, from, &most));
    if (most > *from)
        RG_TRY(rg_exchange_hold(job, thread, (most - *from - 1) / l->batch_rows + 1));
    rg_log(RG_LOG_I, "ps",
           "trainer=%d range=%u examples=%llu \"goes on with what another trainer had begun\"",
           job->trainer, lease->range, (unsigned long long)*from);
    return RG_OK;
}

/* Sync: this trainer takes part in steps again, at all servers from the same one on. The first,
 * which holds that up until all know, hears it last. */
static rg_status enter(rg_job *job, struct rg_leases *l)
{
    uint64_t from = 0;
    uint8_t *reply = NULL;
    size_t n;
    RG_TRY(rg_job_ask(job, DEALER, RG_PS_ENTER, &(rg_iov){&from, sizeof from}, 1, &reply, &n));
    rg_status code = rg_cursor_u64(&(rg_cursor){reply, n}, &from);
    rg_free(reply);
    RG_TRY(code);
    for (int s = job->n_servers; s-- > 0;)
        RG_TRY(rg_job_ask(job, s, RG_PS_ENTER, &(rg_iov){&from, sizeof from}, 1, NULL, NULL));
    l->idle = false;
    return RG_OK;
}

static rg_status is_given(rg_job *job, struct rg_leases *l, int thread, const rg_lease *lease,
                          rg_my_range *range)
{
    *range = (rg_my_range){.lease = *lease};
    if (lease->generation > 1)
        RG_TRY(take_over(job, l, thread, lease, &range->from));
    l->threads[thread] = (reader){.lease = *lease, .at = range->from};
    if (l->idle && job->mode->programs.merges)
        RG_TRY(enter(job, l));
    (void)pthread_mutex_lock(&l->lock);
    rg_status code = rg_grow((void **)&l->mine, l->n, &l->cap, sizeof *l->mine);
    if (code == RG_OK)
        l->mine[l->n++] = (mine){
            .lease = *lease, .thread = thread, .pushed = range->from, .rows = UNKNOWN};
    (void)pthread_mutex_unlock(&l->lock);
    return code;
}

/* Sync: those that have data do not wait for us. */
static rg_status say_idle(rg_job *job, struct rg_leases *l)
{
    if (l->idle || !job->mode->programs.merges)
        return RG_OK;
    rg_exchange_own(job);
    for (int s = 0; s < job->n_servers; s++)
        RG_TRY(rg_job_ask(job, s, RG_PS_IDLE, NULL, 0, NULL, NULL));
    l->idle = true;
    return RG_OK;
}

rg_status rg_leases_next(rg_job *job, int thread, rg_my_range *range, rg_lease_answer *answer)
{
    struct rg_leases *l = job->leases;
    rg_lease lease;
    bool given;
    do {
        RG_TRY(ask(job, l, &given, &lease));
        if (given) {
            *answer = RG_LEASE_RANGE;
            return is_given(job, l, thread, &lease, range);
        }
        *answer = l->state.over ? RG_LEASE_OVER : RG_LEASE_WAIT;
        if (*answer == RG_LEASE_WAIT) /* what is under way may be all that is missing */
            RG_TRY(rg_exchange_flush_thread(job, thread));
    } while (*answer == RG_LEASE_WAIT && any_done(l));
    return say_idle(job, l);
}

rg_status rg_leases_batch(rg_job *job, int thread, uint64_t rows)
{
    struct rg_leases *l = job->leases;
    reader *r = &l->threads[thread];
    rg_push_tag tag = {.reading = l->reading,
                       .range = r->lease.range,
                       .generation = r->lease.generation,
                       .from = r->at,
                       .to = r->at + rows};
    r->at += rows;
    return rg_exchange_tag(job, thread, &tag);
}

rg_pass_state rg_leases_state(rg_job *job)
{
    struct rg_leases *l = job->leases;
    if (l == NULL)
        return (rg_pass_state){0};
    (void)pthread_mutex_lock(&l->lock);
    rg_pass_state is = l->state;
    (void)pthread_mutex_unlock(&l->lock);
    return is;
}

rg_pass_state rg_leases_total(rg_job *job)
{
    struct rg_leases *l = job->leases;
    rg_pass_state is = rg_leases_state(job);
    if (l == NULL)
        return is;
    is.ranges += l->past.ranges;
    is.done += l->past.done;
    is.returned += l->past.returned;
    is.rows += l->past.rows;
    return is;
}
