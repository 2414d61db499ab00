/* train.h - a program over a dataset, on several threads at once.
 *
 * Every trainer thread has a plan of its own over the one scope: temporaries are its own,
 * whatever persists is shared and updated without locks (Hogwild). Counters of metrics
 * (RG_SUMMED) are added to atomically, so an AUC counts every example once and is of all
 * threads at any time. With one thread, a run repeats bit by bit.
 *
 * The caller's thread watches meanwhile: it draws the progress bar and polls. */
#ifndef RG_TRAIN_TRAIN_H
#define RG_TRAIN_TRAIN_H

#include "base/status.h"
#include "data/dataset.h"
#include "exec/executor.h"
#include "ir/program.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_train rg_train;

typedef struct rg_train_config {
    rg_executor *executor; /* makes the threads' plans */
    const rg_program *program;
    rg_scope *scope;
    rg_dataset *dataset;
    int threads; /* 0: the dataset's */
    bool infer;  /* neither gradients nor updates */
    /* Written to stdout, each under its info, at batch 0 and every `period` batches of a
     * thread (period * threads of all). */
    const char *const *fetches, *const *infos;
    int n_fetches, period;
    /* Handed to `poll`, n of them: the values of a batch that was run lately. */
    const char *const *watched;
    int n_watched;
    /* Called by the caller's thread five times a second; anything but RG_OK ends the run with
     * it. rg_train_values() may be asked there. */
    rg_status (*poll)(void *arg, rg_train *train);
    void *arg;
} rg_train_config;

typedef struct rg_train_result {
    uint64_t rows, batches;
    double seconds;
    double loss, auc; /* auc: NaN where there is none. loss: the mean of the batches', an
                       * instance's; NaN where one was, if has_loss */
    bool has_loss;
    double rate; /* examples a second, of all workers; 0: rows / seconds */
    int workers; /* over which these numbers are; 0: this one alone */
    int slowest; /* of several workers, the number of the slowest */
} rg_train_result;

rg_status rg_train_run(const rg_train_config *config, rg_train_result *result);

/* In poll: copies of the watched variables into values[0 .. n_watched - 1]; RG_ENOENT before
 * a batch has been run. */
rg_status rg_train_values(rg_train *train, rg_value *const *values);

#endif
