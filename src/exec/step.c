/* step.c - a run by hand that trains: what of it is counted. */
#include "exec/marks.h"
#include "exec/plan_priv.h"
#include "sys/metrics.h"
#include "tensor/lod.h"

#include <string.h>

static int find(const rg_plan_config *config, const char *name)
{
    for (int i = 0; name != NULL && i < config->n_fetches; i++)
        if (strcmp(config->fetches[i], name) == 0)
            return i;
    return -1;
}

void rg_plan_mark(rg_plan *plan, const rg_plan_config *config)
{
    plan->trains = rg_has_updates(plan->program);
    plan->loss_is_sum = rg_loss_is_sum(plan->program);
    plan->loss = find(config, rg_find_loss(plan->program));
    plan->auc = find(config, rg_find_auc(plan->program));
}

bool rg_plan_trains(const rg_plan *plan)
{
    return plan->trains;
}

static uint64_t examples_of(const rg_value *feed)
{
    const rg_lod *lod = feed->meta.lod;
    if (lod != NULL && lod->levels > 0)
        return lod->count[0] > 0 ? lod->count[0] - 1 : 0;
    return feed->meta.shape.rank > 0 ? (uint64_t)feed->meta.shape.dim[0] : 1;
}

/* Of what is fed the smallest counts: there may be several numbers of an example. But not what is
 * one for all of them, such as a learning rate. */
uint64_t rg_plan_examples(const rg_plan *plan)
{
    uint64_t least = 1;
    for (int i = 0; i < plan->n_feeds; i++) {
        uint64_t n = plan->feeds[i] != NULL ? examples_of(plan->feeds[i]) : 0;
        if (n > 1 && (least == 1 || n < least))
            least = n;
    }
    return least;
}

/* Where it is one number on the host: to read it from a device would wait for it. */
static bool number_at(const rg_plan *plan, int fetch, double *number)
{
    const rg_value *value = fetch >= 0 ? plan->fetches[fetch] : NULL;
    if (value == NULL || plan->run.device != &rg_cpu || value->meta.kind != RG_TENSOR ||
        value->data == NULL || rg_numel(value) != 1 ||
        (value->meta.dtype != RG_F32 && value->meta.dtype != RG_F64))
        return false;
    *number = value->meta.dtype == RG_F32 ? (double)*(const float *)value->data
                                          : *(const double *)value->data;
    return true;
}

void rg_plan_count(const rg_plan *const *plans, int n)
{
    const rg_plan *plan = plans[0];
    uint64_t examples = rg_plan_examples(plan), all = examples;
    double number;
    for (int i = 1; i < n; i++)
        all += rg_plan_examples(plans[i]);
    rg_metric_add(RG_M_BATCHES, 1);
    rg_step_done();
    rg_metric_add(RG_M_EXAMPLES, all);
    if (number_at(plan, plan->loss, &number))
        rg_metric_mean(RG_M_LOSS, plan->loss_is_sum ? number / (double)examples : number);
    if (number_at(plan, plan->auc, &number))
        rg_metric_set(RG_M_AUC, number);
}

/* A run that trains nothing, a test between two passes, is no part of a step. */
rg_step_part rg_step_begin(bool trains)
{
    return rg_step_enter(trains ? RG_STEP_COMPUTE : RG_STEP_NONE);
}

/* Within a run (py_func may call another) the step goes on; else the script gets data now. */
void rg_step_end(bool trains, rg_step_part before)
{
    bool within = before != RG_STEP_NONE && before != RG_STEP_READ;
    (void)rg_step_enter(trains && !within ? RG_STEP_READ : before);
}

rg_status rg_plan_step(rg_plan *plan)
{
    rg_step_part before = rg_step_begin(plan->trains);
    rg_status code = rg_plan_run(plan);
    if (plan->trains && code == RG_OK)
        rg_plan_count((const rg_plan *const[]){plan}, 1);
    rg_step_end(plan->trains, before);
    return code;
}
