/* job.c - the processes of a job: what a trainer's script and a server's do, in C.
 *
 * A trainer runs its startup program, its steps on data that are a function of (trainer, step),
 * meets the others, and leaves; trainer 0 reads the final values from the servers meanwhile.
 * Whoever fails says so to the job, as the real ones do, and ends. */
#include "sim/job.h"

#include "dist/exchange.h"
#include "dist/job.h"
#include "dist/leases.h"
#include "exec/executor.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, RETURN_SECONDS = 60, PASSES = 2, RANGE_ROWS = 3 };

#define KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* What a process is started with. */
typedef struct start {
    job *j;
    job_process *me;
} start;

typedef struct trainer {
    job *j;
    const start *s; /* whose `me` may change: it was replaced */
    rg_scope *scope;
    rg_executor *executor;
    rg_job *job;
} trainer;

/* ---- a trainer ---- */

static uint32_t number_of(int index, int step, int i)
{
    uint32_t x = (uint32_t)(index * 1000 + step) * 2654435761u + (uint32_t)i * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ (x >> 13);
}

static const char *const feeds[] = {"ids", "y"}, *const fetches[] = {"loss"};

static rg_status run_step(trainer *t, rg_plan *plan, int who, int step)
{
    bool ledger = t->j->config.model.kind == MODEL_LEDGER;
    int batch = ledger ? 1 : BATCH;
    int64_t ids[BATCH];
    float y[BATCH];
    for (int i = 0; i < batch; i++) {
        ids[i] = number_of(who, step, i) % MODEL_ROWS;
        y[i] = ledger ? 1 : (float)(number_of(who, step, i + BATCH) % 100) * 0.01f;
    }
    RG_TRY(rg_feed_plan(plan, 0, &(rg_fed){ids, RG_I64, RG_SHAPE(batch, 1), NULL, NULL}));
    RG_TRY(rg_feed_plan(plan, 1, &(rg_fed){y, RG_F32, RG_SHAPE(batch, 1), NULL, NULL}));
    return rg_plan_run(plan);
}

static void has_stepped(trainer *t)
{
    const job_config *c = &t->j->config;
    t->s->me->outcome.steps++;
    if (c->think_ns > 0)
        rg_clock_sleep(sim_draw(c->think_ns));
}

/* Range after range, as train_from_dataset does. An example is known by its range and its place. */
static rg_status run_leased(trainer *t, rg_plan *plan, int thread)
{
    for (;;) {
        rg_my_range mine;
        rg_lease_answer answer;
        RG_TRY(rg_leases_next(t->job, thread, &mine, &answer));
        if (answer == RG_LEASE_OVER)
            return RG_OK;
        if (answer == RG_LEASE_WAIT) {
            RG_TRY(rg_interrupted());
            rg_clock_sleep(50 * SIM_MS);
            continue;
        }
        for (uint64_t row = mine.from; row < RANGE_ROWS; row++) {
            RG_TRY(rg_leases_batch(t->job, thread, 1));
            RG_TRY(run_step(t, plan, (int)mine.lease.range, (int)row));
            has_stepped(t);
        }
        rg_leases_read(t->job, thread);
    }
}

/* All steps of a thread; what was pushed before this process was started again is not made again,
 * as in train_from_dataset, or made without a word, as by exe.run(). */
static rg_status run_steps(void *arg, int thread)
{
    trainer *t = arg;
    const job_config *c = &t->j->config;
    const rg_plan_config config = {
        .feeds = feeds, .n_feeds = 2, .fetches = fetches, .n_fetches = 1, .thread = thread};
    rg_prepared *prepared;
    RG_TRY(rg_executor_make(t->executor, t->j->models[t->s->me->index].main, t->scope, &config,
                            &prepared));
    if (c->leased)
        RG_TRY(run_leased(t, rg_prepared_plan(prepared), thread));
    for (int step = 0; !c->leased && step < c->steps; step++) {
        int who = t->s->me->index * JOB_MOST_THREADS + thread;
        if (c->threads == 1 || !rg_exchange_skip(t->job, thread))
            RG_TRY(run_step(t, rg_prepared_plan(prepared), who, step));
        has_stepped(t);
    }
    return c->threads > 1 ? rg_exchange_thread_ends(t->job, thread) : RG_OK;
}

/* One of the passes over leased data begins. */
static rg_status begin_pass(trainer *t)
{
    static const uint64_t sizes[64];
    rg_deal_plan plan = {.digest = 1, .n_files = (uint32_t)t->j->config.steps, .sizes = sizes};
    return t->j->config.leased ? rg_leases_begin(t->job, &plan, t->j->config.threads, 1) : RG_OK;
}

static rg_status run_threads(trainer *t)
{
    rg_pool *pool;
    int n = t->j->config.threads;
    RG_TRY(rg_exchange_threads(t->job, n));
    RG_TRY(begin_pass(t));
    if (n == 1)
        return run_steps(t, 0);
    RG_TRY(rg_pool_open(&pool, n));
    RG_TRY(rg_pool_run(pool, run_steps, t));
    rg_pool_close(pool);
    return rg_exchange_threads(t->job, 1);
}

/* The final values, as they are on the servers. */
static rg_status read_values(trainer *t)
{
    job *j = t->j;
    const model *m = &j->models[t->s->me->index];
    rg_value value;
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < m->n_slices; i++) {
        rg_value_init(&value);
        RG_TRY(rg_job_get(t->job, m->slices[i].endpoint, m->slices[i].name, &value));
        const uint8_t *bytes = value.data;
        for (size_t k = 0; k < rg_value_bytes(&value); k++)
            hash = (hash ^ bytes[k]) * 0x100000001b3u;
        j->sums[i] = 0;
        for (int64_t k = 0; k < rg_numel(&value); k++)
            j->sums[i] += ((const float *)value.data)[k];
        sim_note("%s adds up to %.9g", m->slices[i].name, (double)j->sums[i]);
    }
    j->bits = hash;
    j->has_bits = true;
    return RG_OK;
}

static rg_status set_flag(const char *name, int value)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", value);
    return rg_flag_set(name, text);
}

/* As the handlers of sys/stop.h do it. */
static rg_status is_stopped(void)
{
    const sim_process *here = sim_process_here();
    return here->stopped_at == 0 ? RG_OK : rg_fail(RG_ECLOSED, "%s: SIGTERM", here->name);
}

static rg_status set_flags(const job_config *config)
{
    rg_set_interrupted(is_stopped);
    RG_TRY(set_flag("ps_loops", config->loops));
    RG_TRY(set_flag("ps_elastic", config->elastic));
    return config->restarts > 0 ? set_flag("ps_return_seconds", RETURN_SECONDS) : RG_OK;
}

static rg_status train(trainer *t)
{
    const model *m = &t->j->models[t->s->me->index];
    RG_TRY(set_flags(&t->j->config));
    RG_TRY(rg_scope_new(&t->scope, NULL));
    RG_TRY(rg_job_open(&t->job));
    RG_TRY(rg_executor_open(&t->executor, t->job));
    RG_TRY(rg_execute(t->executor, m->startup, t->scope));
    for (int pass = 0; pass < (t->j->config.leased ? PASSES : 1); pass++)
        RG_TRY(run_threads(t));
    RG_TRY(rg_exchange_flush(t->job));
    RG_TRY(rg_job_barrier(t->job, "all steps are done"));
    if (t->s->me->index == 0)
        RG_TRY(read_values(t));
    return rg_job_leave(t->job);
}

static void end(job_process *me, rg_status code)
{
    me->outcome.ended = true;
    me->outcome.at = sim_now();
    me->outcome.code = code;
    (void)snprintf(me->outcome.why, sizeof me->outcome.why, "%s", code ? rg_error_message() : "");
    sim_note("ends: %s %s", rg_status_name(code), me->outcome.why);
}

static void *trainer_main(void *arg)
{
    const start *s = arg;
    trainer t = {.j = s->j, .s = s};
    rg_status code = train(&t);
    end(s->me, code);
    if (code != RG_OK && t.job != NULL)
        rg_job_fail(t.job, s->me->outcome.why);
    return NULL;
}

/* ---- a server ---- */

static rg_status set_journal(const job_config *config, int host)
{
    static const char *const modes[] = {"off", "everysec", "always"};
    char folder[32];
    if (config->journal == JOURNAL_OFF)
        return RG_OK;
    (void)snprintf(folder, sizeof folder, "/sim/%d/journal", host);
    RG_TRY(rg_flag_set("ps_journal", modes[config->journal]));
    RG_TRY(rg_flag_set("ps_journal_dir", folder));
    RG_TRY(set_flag("ps_journal_front_mb", host % 2)); /* of some its records go the common way */
    RG_TRY(set_flag("ps_snapshot_seconds", config->snapshot_seconds));
    /* Those that come often are of what has changed alone. */
    return set_flag("ps_snapshot_deltas",
                    config->snapshot_seconds > 0 ? 3 - config->snapshot_seconds : 0);
}

static rg_status serve(const job *j, int index)
{
    rg_scope *scope;
    rg_executor *executor;
    RG_TRY(set_flags(&j->config));
    RG_TRY(set_journal(&j->config, sim_process_here()->host));
    RG_TRY(rg_scope_new(&scope, NULL));
    RG_TRY(rg_executor_open(&executor, NULL));
    RG_TRY(rg_execute(executor, j->models[0].server_startup[index], scope));
    return rg_execute(executor, j->models[0].server[index], scope);
}

static void *server_main(void *arg)
{
    const start *s = arg;
    end(s->me, serve(s->j, s->me->index));
    return NULL;
}

/* ---- the job ---- */

void job_make(job *j, const job_config *config)
{
    memset(j, 0, sizeof *j);
    j->config = *config;
    for (int i = 0; i < config->model.trainers; i++)
        if (model_make(&j->models[i], &config->model, i) != RG_OK) {
            (void)fprintf(stderr, "the programs: %s\n", rg_error_message());
            exit(3);
        }
}

/* Also once more. */
static void begin(void *arg)
{
    const start *s = arg;
    job_process *p = s->me;
    char name[32];
    (void)snprintf(name, sizeof name, "%s %d", p->is_server ? "pserver" : "trainer", p->index);
    p->comes_back = false;
    p->outcome = (job_outcome){0};
    p->process = sim_process_start(name, p->host, p->starts++,
                                   p->is_server ? server_main : trainer_main, arg);
    p->process->key = s->j->config.has_key ? KEY : NULL;
}

static void add(job *j, bool is_server, int index)
{
    job_process *p = &j->processes[j->n++];
    start *s = sim_alloc(sizeof *s);
    *p = (job_process){.is_server = is_server, .index = index, .host = j->n, .start = s};
    *s = (start){j, p};
    sim_disk_add_host(j->n);
    begin(s);
}

void job_start(job *j)
{
    for (int i = 0; i < j->config.model.servers; i++)
        add(j, true, i);
    for (int i = 0; i < j->config.model.trainers; i++)
        add(j, false, i);
}

void job_replace(job *j, int process)
{
    job_process *p = &j->processes[process], *old = &j->replaced[j->n_replaced];
    if (!p->process->alive || p->comes_back || p->outcome.ended || j->n_replaced == JOB_MOST)
        return;
    *old = *p;
    ((start *)old->start)->me = old;
    j->n_replaced++;
    start *s = sim_alloc(sizeof *s);
    *s = (start){j, p};
    p->start = s;
    p->host += JOB_MOST; /* a host that nobody else is on */
    sim_note("%s is taken for dead", p->process->name);
    begin(s);
}

static bool may_be_started(const job *j, const job_process *p)
{
    bool failed = p->process->killed || (p->outcome.code != RG_OK && p->process->stopped_at == 0);
    return !p->process->alive && failed && p->starts <= j->config.restarts &&
           (!p->is_server || j->config.journal != JOURNAL_OFF);
}

/* A server that is gone for good ends the job. */
static bool may_come_back(const job *j, const job_process *p)
{
    bool may = may_be_started(j, p);
    for (int i = 0; i < j->config.model.servers; i++) {
        const job_process *server = &j->processes[i];
        may = may && (server->process->alive || server->comes_back || may_be_started(j, server));
    }
    return may;
}

bool job_look(job *j)
{
    bool over = true;
    for (int i = 0; i < j->n; i++) {
        job_process *p = &j->processes[i];
        if (!p->comes_back && may_come_back(j, p)) {
            p->comes_back = true;
            sim_at(sim_now() + sim_draw_scaled(10 * SIM_MS, 5 * SIM_S), begin, p->start);
        }
        over = over && !p->process->alive && !p->comes_back;
    }
    for (int i = 0; i < j->n_replaced; i++)
        over = over && !j->replaced[i].process->alive;
    return over;
}
