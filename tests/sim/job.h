/* job.h - a job of simulated processes, and what became of it. */
#ifndef RG_TESTS_SIM_JOB_H
#define RG_TESTS_SIM_JOB_H

#include "sim/model.h"
#include "sim/sim.h"

enum {
    JOB_MOST_THREADS = 8,
    JOB_MOST_TRAINERS = 4,
    JOB_MOST = JOB_MOST_TRAINERS + MODEL_MOST_SERVERS
};

typedef enum job_journal { JOURNAL_OFF, JOURNAL_EVERYSEC, JOURNAL_ALWAYS } job_journal;

typedef struct job_config {
    model_config model;
    int steps;    /* of each thread of a trainer */
    int threads;  /* of each trainer */
    int loops;    /* of each server */
    int restarts; /* how often one that dies is started again; 0: never */
    bool has_key; /* and so a MAC on every frame */
    job_journal journal;
    int snapshot_seconds; /* 0: none is made */
    uint64_t think_ns;    /* that a trainer takes for a step, at most */
    bool leased;          /* servers deal the examples: two passes over as many ranges as steps */
    bool elastic;         /* trainers that die for good are done without */
} job_config;

/* What a process came to. */
typedef struct job_outcome {
    bool ended; /* by itself */
    uint64_t at;
    rg_status code;
    char why[1024];
    int steps; /* that a trainer has finished */
} job_outcome; /* of its last incarnation */

typedef struct job_process {
    sim_process *process;
    bool is_server;
    int index;
    int starts, host;
    void *start;     /* what it is started with */
    bool comes_back; /* it will be started again */
    job_outcome outcome;
} job_process;

typedef struct job {
    job_config config;
    model models[JOB_MOST_TRAINERS];
    job_process processes[JOB_MOST]; /* servers, then trainers */
    int n;
    job_process replaced[JOB_MOST]; /* trainers that another process has taken the place of */
    int n_replaced;
    bool has_bits;
    uint64_t bits;  /* a hash of the final values, as trainer 0 read them */
    float sums[16]; /* of each variable's: for people */
} job;

/* The programs; then the processes, which begin when the simulation runs. */
void job_make(job *j, const job_config *config);
void job_start(job *j);
/* Start one more in the place of a trainer that may still live: whoever thought it dead does. */
void job_replace(job *j, int process);
/* As a launcher does: looks who has died, and starts it again. True: all have ended for good. */
bool job_look(job *j);

#endif
