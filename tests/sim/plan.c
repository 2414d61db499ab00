/* plan.c - a seed is a job (mode, model, optimizer, how many, how many loops), a weather, and a few
 * acts: hosts that are cut off from each other, connections that break, processes that stand still
 * or are killed at some step of theirs.
 *
 * A plan is gentle where nothing of it lasts as long as a lease and nobody is killed: such a job
 * must come to its end, with the bits of a calm one. */
#include "sim/plan.h"

#include <stdio.h>
#include <string.h>

/* All that is cut or stands still in a gentle plan, together; the lease is 10 s. */
static const uint64_t most_gentle_ns = 3 * SIM_S;

/* ---- jobs ---- */

int plan_config_of(uint64_t seed)
{
    return (int)(seed % PLAN_CONFIGS);
}

/* Of leased data, which is counted: 3 modes x 4 shapes. */
static job_config leased_job(int config)
{
    static const struct {
        int trainers, servers, loops, threads;
    } shapes[] = {{2, 1, 2, 2}, {2, 2, 1, 1}, {3, 2, 2, 2}, {3, 2, 1, 1}};
    int mode = config % 3, shape = config / 3;
    return (job_config){.model = {.kind = MODEL_LEDGER,
                                  .mode = mode,
                                  .trainers = shapes[shape].trainers,
                                  .servers = shapes[shape].servers,
                                  .endpoints = {"sim:1:7000", "sim:2:7000"}},
                        .steps = 5,
                        .threads = mode == 1 ? shapes[shape].threads : 1,
                        .loops = shapes[shape].loops,
                        .leased = true};
}

/* 96 of them: 4 modes x 6 shapes x 4 models; and those of leased data. */
job_config plan_job(int config)
{
    if (config >= PLAN_PLAIN)
        return leased_job(config - PLAN_PLAIN);
    static const struct {
        int trainers, servers, loops, threads;
    } shapes[] = {{1, 1, 1, 1}, {2, 1, 2, 2}, {2, 2, 1, 1},
                  {3, 2, 2, 1}, {1, 2, 2, 2}, {3, 1, 1, 1}};
    static const struct {
        model_kind kind;
        model_optimizer optimizer;
    } models[] = {{MODEL_LEDGER, MODEL_SGD},
                  {MODEL_WORDS, MODEL_ADAM},
                  {MODEL_LEDGER, MODEL_SGD},
                  {MODEL_WORDS, MODEL_MOMENTUM}};
    int mode = config % 4, shape = config / 4 % 6, kind = config / 24;
    int trainers = shapes[shape].trainers;
    if (trainers == 3 && mode == 3)
        trainers = 4; /* geo divides by their number, and that shall leave no rest */
    return (job_config){.model = {.kind = models[kind].kind,
                                  .optimizer = models[kind].optimizer,
                                  .mode = mode,
                                  .trainers = trainers,
                                  .servers = shapes[shape].servers,
                                  .endpoints = {"sim:1:7000", "sim:2:7000"}},
                        .steps = kind < 2 ? 4 : 8,
                        .threads = mode == 3 ? 1 : shapes[shape].threads,
                        .loops = shapes[shape].loops};
}

plan plan_calm_of(int config)
{
    return (plan){.job = plan_job(config),
                  .weather = {.latency_ns = 100 * SIM_US, .window = 256 << 10},
                  .gentle = true};
}

/* ---- drawing ---- */

static uint64_t draw_yields(void)
{
    static const uint64_t rates[] = {0, 200, 50, 10, 3};
    return rates[sim_draw(5)];
}

static sim_weather draw_weather(void)
{
    sim_weather w = {.latency_ns = sim_draw_scaled(10 * SIM_US, 20 * SIM_MS),
                     .window = sim_draw_scaled(200, 256 << 10)};
    w.jitter_ns = sim_one_in(2) ? 0 : sim_draw_scaled(SIM_US, 3 * w.latency_ns);
    if (sim_one_in(2))
        w.reset_one_in = 2 + sim_draw(10);
    if (sim_one_in(3))
        w.refuse_one_in = 2 + sim_draw(10);
    if (sim_one_in(4))
        w.slow_one_in = 2 + sim_draw(10);
    if (sim_one_in(4))
        w.flip_one_in = 20 + sim_draw(100);
    return w;
}

static plan_act draw_act(const plan *p, const plan_calm *calm)
{
    bool gentle = p->gentle;
    int servers = p->job.model.servers, n = servers + p->job.model.trainers;
    plan_act act = {.kind = (plan_act_kind)sim_draw(gentle ? 3 : 6), .whom = (int)sim_draw(n)};
    if (gentle && p->job.restarts > 0 && sim_one_in(2)) { /* it comes back */
        act.kind = sim_one_in(4) ? ACT_REPLACE : ACT_KILL;
        if (act.kind == ACT_REPLACE || p->job.journal == JOURNAL_OFF)
            act.whom = servers + (int)sim_draw(p->job.model.trainers);
    }
    act.other = sim_one_in(2) ? -1 : (int)sim_draw(n);
    act.one_way = sim_one_in(2);
    act.silently = sim_one_in(2);
    act.for_ns = sim_draw_scaled(SIM_MS, gentle ? most_gentle_ns / PLAN_MOST_ACTS : 60 * SIM_S);
    act.by_point = act.kind == ACT_KILL && sim_one_in(2);
    uint64_t most = act.by_point ? calm->points[act.whom] : calm->switches[act.whom];
    if (act.kind == ACT_NO_MEMORY)
        act.at = 1 + sim_draw(4);
    else if (act.kind == ACT_PAUSE || act.kind == ACT_KILL || act.kind == ACT_STOP)
        act.at = 1 + sim_draw(most + most / 8 + 1);
    else
        act.at = sim_now() +
                 sim_draw_scaled(10 * SIM_US,
                                 (uint64_t)p->job.steps * 2 * (p->weather.latency_ns + SIM_MS) +
                                     (uint64_t)p->job.steps * p->job.think_ns);
    return act;
}

/* Who is killed and comes back changes nothing: trainers; and servers whose journal has all that
 * they answered. Not trainers of several threads, which share a reader: which of them had which
 * batch is not the same again. */
static void draw_returns(plan *p)
{
    bool may = p->job.threads == 1 || p->job.leased;
    p->job.elastic = p->job.leased && sim_one_in(2);
    p->job.restarts = may && sim_one_in(2) ? PLAN_MOST_ACTS : 0;
    if (p->job.restarts > 0 && sim_one_in(2))
        p->job.journal = sim_one_in(2) ? JOURNAL_EVERYSEC : JOURNAL_ALWAYS;
    if (p->job.journal != JOURNAL_OFF && sim_one_in(2))
        p->job.snapshot_seconds = 1 + (int)sim_draw(3);
}

/* A server that is switched off and is flushed each second comes back without what trainers have
 * kept for it: those live, then. */
static void spare_trainers(plan *p)
{
    bool off = false;
    int servers = p->job.model.servers;
    for (int i = 0; i < p->n_acts; i++)
        off = off ||
              (p->acts[i].kind == ACT_KILL && p->acts[i].silently && p->acts[i].whom < servers);
    for (int i = 0; off && i < p->n_acts; i++)
        if (p->acts[i].whom >= servers &&
            (p->acts[i].kind == ACT_KILL || p->acts[i].kind == ACT_REPLACE)) {
            p->acts[i].kind = ACT_RESET;
            p->acts[i].at = sim_now() + sim_draw_scaled(10 * SIM_US, SIM_S);
        }
}

/* The power of a server goes, whose journal is flushed each second. */
static void draw_power_cut(plan *p, const plan_calm *calm)
{
    plan_act off = {.kind = ACT_KILL,
                    .whom = (int)sim_draw((uint64_t)p->job.model.servers),
                    .silently = true,
                    .by_point = !sim_one_in(4)}; /* most of them are where it writes and applies */
    uint64_t most = off.by_point ? calm->points[off.whom] : calm->switches[off.whom];
    off.at = 1 + sim_draw(most + most / 8 + 1);
    p->job.restarts = PLAN_MOST_ACTS;
    p->job.journal = JOURNAL_EVERYSEC;
    p->acts[p->n_acts < PLAN_MOST_ACTS ? p->n_acts++ : 0] = off;
}

plan plan_draw(uint64_t seed, const plan_calm *calm)
{
    plan p = {.job = plan_job(plan_config_of(seed)), .yields_one_in = draw_yields()};
    p.weather = draw_weather();
    p.gentle = sim_one_in(2);
    p.must_complete = p.gentle;
    p.weather.half_open = !p.gentle;
    draw_returns(&p);
    p.job.has_key = sim_one_in(3);
    p.job.think_ns = sim_one_in(2) ? 0 : sim_draw_scaled(SIM_MS, 2 * SIM_S);
    p.n_acts = (int)sim_draw(PLAN_MOST_ACTS + 1);
    for (int i = 0; i < p.n_acts; i++)
        p.acts[i] = draw_act(&p, calm);
    if (p.gentle && sim_one_in(3))
        draw_power_cut(&p, calm);
    if (p.gentle && p.job.journal == JOURNAL_EVERYSEC)
        spare_trainers(&p);
    return p;
}

/* ---- carrying out ---- */

typedef struct coming {
    const plan_act *act;
    job *j;
} coming;

static void cut(const plan_act *a, const job *j, int other)
{
    int here = j->processes[a->whom].process->host, there = j->processes[other].process->host;
    if (here == there)
        return;
    sim_net_cut(here, there, sim_now() + a->for_ns);
    if (!a->one_way)
        sim_net_cut(there, here, sim_now() + a->for_ns);
}

static void carry_out(void *arg)
{
    const coming *c = arg;
    if (c->act->kind == ACT_REPLACE)
        job_replace(c->j, c->act->whom);
    else if (c->act->kind == ACT_RESET)
        sim_net_reset_all(c->j->processes[c->act->whom].process->host);
    else if (c->act->other >= 0)
        cut(c->act, c->j, c->act->other);
    else
        for (int i = 0; i < c->j->n; i++)
            cut(c->act, c->j, i);
}

void plan_arrange(const plan *p, job *j)
{
    sim_net_set_weather(&p->weather);
    sim_set_yields(p->yields_one_in);
    for (int i = 0; i < p->n_acts; i++) {
        const plan_act *a = &p->acts[i];
        sim_process *whom = j->processes[a->whom].process;
        if (a->kind == ACT_PAUSE) {
            whom->pause_at_switch = a->at;
            whom->pause_ns = a->for_ns;
        } else if (a->kind == ACT_KILL) {
            *(a->by_point ? &whom->kill_at_point : &whom->kill_at_switch) = a->at;
            whom->kill_silently = a->silently;
        } else if (a->kind == ACT_NO_MEMORY) {
            whom->slabs = a->at;
        } else if (a->kind == ACT_STOP) {
            whom->stop_at_switch = a->at;
        } else {
            coming *c = sim_alloc(sizeof *c);
            *c = (coming){a, j};
            sim_at(a->at, carry_out, c);
        }
    }
}

/* ---- for people ---- */

void plan_describe(const plan *p, char *text, size_t size)
{
    static const char *const modes[] = {"sync", "async", "half_async", "geo"},
                             *const kinds[] = {"cut",       "reset", "pause",  "kill",
                                               "no memory", "stop",  "replace"};
    static const char *const journals[] = {"", ", journal everysec", ", journal always"};
    const model_config *m = &p->job.model;
    int n = snprintf(
        text, size,
        "%s, %s, %d trainers of %d threads, %d servers of %d loops, %d steps%s:", modes[m->mode],
        m->kind == MODEL_LEDGER          ? "ledger"
        : m->optimizer == MODEL_ADAM     ? "words, adam"
        : m->optimizer == MODEL_MOMENTUM ? "words, momentum"
                                         : "words, sgd",
        m->trainers, p->job.threads, m->servers, p->job.loops, p->job.steps,
        p->gentle ? ", gentle" : "");
    if (p->job.leased)
        n += snprintf(text + n, size - (size_t)n, " leased%s,", p->job.elastic ? ", elastic" : "");
    if (p->job.has_key)
        n += snprintf(text + n, size - (size_t)n, " with a key,");
    if (p->job.restarts > 0)
        n += snprintf(text + n, size - (size_t)n, " with restarts%s,", journals[p->job.journal]);
    for (int i = 0; i < p->n_acts && n < (int)size; i++)
        n += snprintf(text + n, size - (size_t)n, " %s(%d)", kinds[p->acts[i].kind],
                      p->acts[i].whom);
}
