/* plan.h - what a seed decides. */
#ifndef RG_TESTS_SIM_PLAN_H
#define RG_TESTS_SIM_PLAN_H

#include "sim/job.h"

enum { PLAN_PLAIN = 96, PLAN_CONFIGS = PLAN_PLAIN + 12, PLAN_MOST_ACTS = 6 };

/* How a job went that nothing happened to: what others are compared with. */
typedef struct plan_calm {
    bool known;
    bool has_bits; /* its final values follow from the data alone */
    uint64_t bits;
    uint64_t switches[JOB_MOST], points[JOB_MOST];
} plan_calm;

typedef enum plan_act_kind {
    ACT_CUT,
    ACT_RESET,
    ACT_PAUSE,
    ACT_KILL,
    ACT_NO_MEMORY,
    ACT_STOP,
    ACT_REPLACE
} plan_act_kind;

typedef struct plan_act {
    plan_act_kind kind;
    int whom, other; /* processes of the job; other -1: all */
    bool one_way, silently;
    bool by_point;   /* KILL: `at` counts fault points, not steps */
    uint64_t at;     /* CUT, RESET, REPLACE: ns; the others: a step of the process */
    uint64_t for_ns; /* CUT, PAUSE */
} plan_act;

typedef struct plan {
    job_config job;
    sim_weather weather;
    uint64_t yields_one_in;
    bool gentle;        /* nothing of it lasts as long as a lease */
    bool must_complete; /* nothing of it is a reason to give up */
    int n_acts;
    plan_act acts[PLAN_MOST_ACTS];
} plan;

/* The number of the job that a seed runs, and that job. */
int plan_config_of(uint64_t seed);
job_config plan_job(int config);
/* Nothing happens. */
plan plan_calm_of(int config);
/* By the chance of sched.c, which has been given the seed. */
plan plan_draw(uint64_t seed, const plan_calm *calm);
/* Before the simulation runs: what shall happen, and when. */
void plan_arrange(const plan *p, job *j);
/* In a line for people. */
void plan_describe(const plan *p, char *text, size_t size);

#endif
