/* team.c - numbers over all trainers of a job. */
#include "train/team_priv.h"

#include "dist/leases.h"
#include "dist/stats.h"
#include "exec/marks.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/log.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t EVERY_NS = 1000000000;

void rg_team_open(rg_team *team, rg_job *job, const rg_program *program, rg_scope *scope)
{
    const char *pos, *neg;
    *team = (rg_team){.job = job};
    if (!rg_job_is_joined(job) || !rg_find_auc_counts(program, &pos, &neg))
        return;
    team->pos = rg_scope_find(scope, pos);
    team->neg = rg_scope_find(scope, neg);
    if (team->pos == NULL || team->neg == NULL || team->pos->meta.dtype != RG_I64 ||
        team->neg->meta.dtype != RG_I64 || rg_numel(team->pos) != rg_numel(team->neg))
        team->pos = team->neg = NULL;
}

static bool has_counts(const rg_team *team)
{
    return team->pos != NULL && team->pos->data != NULL && team->neg->data != NULL;
}

static void add_counts(rg_value *to, const int64_t *counts)
{
    int64_t *all = to->data, n = rg_numel(to);
    for (int64_t i = 0; i < n; i++)
        all[i] += counts[i];
}

void rg_team_goes_on(rg_team *team, uint64_t skipped)
{
    if (!rg_job_is_joined(team->job) || !atomic_exchange(&team->job->has_told, false))
        return;
    const rg_told *told = &team->job->told;
    if (has_counts(team) && told->batches <= skipped && told->bins == (size_t)rg_numel(team->pos)) {
        add_counts(team->pos, told->counts);
        add_counts(team->neg, told->counts + told->bins);
    }
}

/* Until it trains on itself a process says what the one before had: another may take its place. */
static rg_stats told_before(const rg_told *told)
{
    return (rg_stats){.rows = told->rows,
                      .batches = told->batches,
                      .seconds = told->seconds,
                      .loss_sum = told->loss_sum,
                      .pos = told->bins > 0 ? told->counts : NULL,
                      .neg = told->bins > 0 ? told->counts + told->bins : NULL,
                      .bins = told->bins};
}

static rg_status ask(rg_team *team, const rg_train_result *mine)
{
    rg_stats_of_all all;
    bool counts = has_counts(team);
    rg_stats stats = {
        .rows = mine->rows,
        .batches = mine->batches,
        .seconds = mine->seconds,
        .loss_sum = mine->has_loss ? mine->loss * (double)mine->batches : 0,
        .pos = counts ? team->pos->data : NULL,
        .neg = counts ? team->neg->data : NULL,
        .bins = counts ? (size_t)rg_numel(team->pos) : 0,
    };
    if (atomic_load(&team->job->has_told))
        stats = told_before(&team->job->told);
    RG_TRY(rg_job_tell(team->job, &stats, &all));
    team->all = *mine;
    team->all.rows = all.rows;
    team->all.batches = all.batches;
    team->all.rate = all.rate;
    team->all.workers = all.told;
    team->all.slowest = all.slowest;
    if (mine->has_loss && all.batches > 0)
        team->all.loss = all.loss_sum / (double)all.batches;
    if (!isnan(mine->auc) && !isnan(all.auc))
        team->all.auc = all.auc;
    return RG_OK;
}

const rg_train_result *rg_team_result(rg_team *team, const rg_train_result *mine, bool last)
{
    uint64_t now = rg_clock_ns();
    if (!rg_job_is_joined(team->job))
        return mine;
    if (last || now - team->told_ns >= EVERY_NS) {
        team->told_ns = now;
        if (ask(team, mine) != RG_OK)
            return mine; /* training itself will say what is wrong */
    }
    return team->all.workers > 1 ? &team->all : mine;
}

void rg_team_report(const rg_team *team, const rg_dataset *dataset, uint64_t rows)
{
    const char *folder = getenv("REGATTA_RUN_DIR");
    rg_job *job = team->job;
    if (folder == NULL || folder[0] == '\0' || !rg_job_is_joined(job))
        return;
    job->examples += rows;
    rg_buf path, text;
    rg_buf_init(&path, 4096);
    rg_buf_init(&text, 0);
    rg_buf_printf(&path, "%s/worker.%d.report", folder, job->trainer);
    rg_buf_printf(&text, "examples=%llu\n", (unsigned long long)job->examples);
    rg_pass_state all = rg_leases_total(job);
    if (rg_dataset_is_leased(dataset)) /* all have the same files, and nobody reads all of one */
        rg_buf_printf(&text, "leased=%llu %u %u\n", (unsigned long long)all.rows, all.ranges,
                      all.returned);
    for (size_t i = 0; !rg_dataset_is_leased(dataset) && i < rg_dataset_files(dataset); i++)
        rg_buf_printf(&text, "file=%s\n", rg_dataset_file(dataset, i));
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        code = rg_file_write_all(rg_buf_cstr(&path), text.data, text.len);
    if (code != RG_OK)
        rg_log(RG_LOG_W, "train", "\"no report for the launcher\" why=\"%s\"", rg_error_message());
    rg_buf_fini(&path);
    rg_buf_fini(&text);
}
