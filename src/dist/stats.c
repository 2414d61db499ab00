/* stats.c - statistics over all trainers: their bodies, and the trainer's side. */
#include "dist/stats.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "dist/fan_out.h"

/* ---- what a trainer tells ---- */

static void write_counts(rg_buf *out, const int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rg_buf_u64(out, (uint64_t)counts[i]);
}

void rg_stats_write(rg_buf *out, const rg_stats *stats)
{
    const size_t bins = stats->pos != NULL ? stats->bins : 0;
    rg_buf_u64(out, stats->rows);
    rg_buf_u64(out, stats->batches);
    rg_buf_f64(out, stats->seconds);
    rg_buf_f64(out, stats->loss_sum);
    rg_buf_u64(out, bins);
    write_counts(out, stats->pos, bins);
    write_counts(out, stats->neg, bins);
}

static rg_status read_counts(rg_stats *stats, int64_t **counts, rg_cursor *in)
{
    if (stats->bins == 0)
        return RG_OK;
    int64_t *both = rg_alloc(2 * stats->bins * sizeof *both);
    if (both == NULL)
        return rg_no_memory(2 * stats->bins * sizeof *both, "counts");
    for (size_t i = 0; i < 2 * stats->bins; i++) {
        uint64_t count = 0;
        (void)rg_cursor_u64(in, &count); /* they are there */
        both[i] = (int64_t)count;
    }
    *counts = both;
    stats->pos = both;
    stats->neg = both + stats->bins;
    return RG_OK;
}

rg_status rg_stats_read(rg_stats *stats, int64_t **counts, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    uint64_t bins;
    *stats = (rg_stats){0};
    *counts = NULL;
    RG_TRY(rg_cursor_u64(&in, &stats->rows));
    RG_TRY(rg_cursor_u64(&in, &stats->batches));
    RG_TRY(rg_cursor_f64(&in, &stats->seconds));
    RG_TRY(rg_cursor_f64(&in, &stats->loss_sum));
    RG_TRY(rg_cursor_u64(&in, &bins));
    if (bins > RG_STATS_MAX_BINS || in.left != 2 * bins * sizeof(int64_t))
        return rg_fail(RG_ECORRUPT, "statistics of %zu bytes with %llu bins", n,
                       (unsigned long long)bins);
    stats->bins = (size_t)bins;
    return read_counts(stats, counts, &in);
}

/* ---- what it hears ---- */

void rg_stats_of_all_write(rg_buf *out, const rg_stats_of_all *all)
{
    rg_buf_u64(out, all->rows);
    rg_buf_u64(out, all->batches);
    rg_buf_f64(out, all->rate);
    rg_buf_f64(out, all->loss_sum);
    rg_buf_f64(out, all->auc);
    rg_buf_u32(out, (uint32_t)all->told);
    rg_buf_u32(out, (uint32_t)all->slowest);
    rg_buf_f64(out, all->slowest_rate);
}

rg_status rg_stats_of_all_read(rg_stats_of_all *all, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    uint32_t told, slowest;
    RG_TRY(rg_cursor_u64(&in, &all->rows));
    RG_TRY(rg_cursor_u64(&in, &all->batches));
    RG_TRY(rg_cursor_f64(&in, &all->rate));
    RG_TRY(rg_cursor_f64(&in, &all->loss_sum));
    RG_TRY(rg_cursor_f64(&in, &all->auc));
    RG_TRY(rg_cursor_u32(&in, &told));
    RG_TRY(rg_cursor_u32(&in, &slowest));
    RG_TRY(rg_cursor_f64(&in, &all->slowest_rate));
    all->told = (int)told;
    all->slowest = (int)slowest;
    return rg_cursor_end(&in);
}

rg_status rg_job_tell(rg_job *job, const rg_stats *mine, rg_stats_of_all *all)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t n;
    rg_buf_init(&body, 0);
    rg_stats_write(&body, mine);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_job_ask(job, 0, RG_PS_STATS, &(rg_iov){body.data, body.len}, 1, &reply, &n);
    if (code == RG_OK)
        code = rg_stats_of_all_read(all, reply, n);
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}
