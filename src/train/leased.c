/* leased.c - a run over data that the servers of its job deal. */
#include "train/leased_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"

enum { MOMENT_MS = 50, TELL_AFTER_S = 10, TELL_EVERY_S = 30, PARTS = 64 };
static const uint64_t SECOND = 1000000000;
static const uint64_t LEAST_BYTES = 64 << 10, MOST_BYTES = 64 << 20;

rg_status rg_leased_check(rg_job *job, const rg_dataset *dataset, bool infer)
{
    (void)dataset;
    if (infer)
        return rg_fail(RG_EINVAL,
                       "a leased file list is for training: infer_from_dataset reads all "
                       "of its files (set_filelist without lease)");
    if (job == NULL || !rg_job_is_joined(job))
        return rg_fail(RG_EINVAL, "a leased file list needs parameter servers, which deal it, and "
                                  "this process has not joined a job (fleet.init_worker); without "
                                  "them call set_filelist without lease");
    if (rg_flag_int("data_bad_lines") > 0)
        return rg_fail(RG_EINVAL, "FLAGS_data_bad_lines and a leased file list: lines that do not "
                                  "fit cannot be put aside in it; mend the files, or lease none");
    return RG_OK;
}

rg_status rg_leased_refuse_others(rg_job *job, bool infer)
{
    if (infer || job == NULL || !rg_job_is_joined(job) || rg_flag_int("ps_elastic") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL, "the job is elastic: what a trainer has for itself is lost when it "
                              "goes, and none is left for one that comes; lease the files "
                              "(dataset.set_filelist(files, lease=True)), all of them in each "
                              "trainer");
}

/* All trainers must come to the same. */
static uint64_t range_bytes(const rg_job *job, const uint64_t *sizes, size_t n)
{
    uint64_t sum = 0, told = (uint64_t)rg_flag_int("data_range_bytes");
    for (size_t i = 0; i < n; i++)
        sum += sizes[i];
    if (told > 0)
        return told;
    uint64_t bytes = sum / ((uint64_t)(job->trainers > 0 ? job->trainers : 1) * PARTS);
    return bytes < LEAST_BYTES ? LEAST_BYTES : bytes > MOST_BYTES ? MOST_BYTES : bytes;
}

rg_status rg_leased_begin(rg_job *job, rg_dataset *dataset, int threads)
{
    size_t n = rg_dataset_files(dataset);
    uint64_t *sizes = rg_alloc_zero(n + 1, sizeof *sizes);
    rg_deal_plan plan = {.n_files = (uint32_t)n, .sizes = sizes};
    rg_status code = sizes != NULL ? RG_OK : rg_no_memory(n * sizeof *sizes, "the file list");
    for (size_t i = 0; code == RG_OK && i < n; i++)
        code = rg_dataset_cut_size(dataset, i, &sizes[i]);
    if (code == RG_OK)
        code = rg_dataset_digest(dataset, &plan.digest);
    if (code == RG_OK) {
        plan.range_bytes = range_bytes(job, sizes, n);
        code = rg_leases_begin(job, &plan, threads, (uint64_t)rg_dataset_batch_size(dataset));
    }
    rg_free(sizes);
    return code;
}

rg_progress rg_leased_progress(rg_job *job)
{
    rg_pass_state is = rg_leases_state(job);
    return (rg_progress){.files_done = is.done, .files = is.ranges, .are_ranges = true};
}

void rg_leased_wait_a_moment(rg_job *job, rg_leased_wait *wait)
{
    rg_pass_state is = rg_leases_state(job);
    uint64_t now = rg_clock_ns();
    if (wait->since_ns == 0 || is.done != wait->done)
        *wait = (rg_leased_wait){
            .since_ns = now, .told_ns = now + TELL_AFTER_S * SECOND, .done = is.done};
    if (now >= wait->told_ns) {
        wait->told_ns = now + TELL_EVERY_S * SECOND;
        rg_log(
            RG_LOG_W, "train",
            "trainer=%d ranges=%u done=%u seconds=%.0f \"waits: other trainers have what is left "
            "of the data, and would have to be stood in for if they died\"",
            job->trainer, is.ranges, is.done, (double)(now - wait->since_ns) * 1e-9);
    }
    rg_clock_sleep(MOMENT_MS * 1000000u);
}
