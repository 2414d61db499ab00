/* tell.c - a run's metrics. */
#include "train/tell_priv.h"

#include "sys/metrics.h"

#include <math.h>

void rg_tell_batch(bool infer, uint64_t rows)
{
    rg_metric_add(infer ? RG_M_TEST_EXAMPLES : RG_M_EXAMPLES, rows);
    if (infer)
        return;
    rg_metric_add(RG_M_BATCHES, 1);
    rg_step_done();
}

void rg_tell_loss(bool infer, double loss)
{
    rg_metric_mean(infer ? RG_M_TEST_LOSS : RG_M_LOSS, loss);
}

static double rate_of(const rg_train_result *r)
{
    return r->rate > 0 ? r->rate : r->seconds > 0 ? (double)r->rows / r->seconds : 0;
}

void rg_tell_run(bool infer, double done, const rg_train_result *mine, const rg_train_result *all)
{
    if (infer) {
        if (!isnan(all->auc))
            rg_metric_set(RG_M_TEST_AUC, all->auc);
        return;
    }
    if (done >= 0)
        rg_metric_set(RG_M_PROGRESS, done);
    if (mine->batches == 0)
        return;
    if (!isnan(all->auc)) {
        rg_metric_set(RG_M_AUC, all->auc);
        rg_metric_set(RG_M_GLOBAL_AUC, all->auc);
    }
    if (all->has_loss)
        rg_metric_set(RG_M_GLOBAL_LOSS, all->loss);
    rg_metric_set(RG_M_GLOBAL_EXAMPLES, (double)all->rows);
    rg_metric_set(RG_M_GLOBAL_RATE, rate_of(all));
    if (all->workers > 1)
        rg_metric_set(RG_M_SLOWEST, all->slowest);
}
