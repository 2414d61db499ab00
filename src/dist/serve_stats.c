/* serve_stats.c - statistics over all trainers, kept by server 0. */
#include "dist/serve_members.h"
#include "dist/stats.h"

#include "base/mem.h"
#include "ops/auc.h"

#include <math.h>
#include <string.h>

void rg_serve_forget_stats(rg_member *trainer)
{
    rg_free(trainer->stats.bins);
    trainer->stats = (rg_reported){0};
}

void rg_serve_write_stats(const rg_member *trainer, rg_buf *out)
{
    const rg_reported *r = &trainer->stats;
    rg_buf_u64(out, r->has);
    rg_buf_u64(out, r->rows);
    rg_buf_u64(out, r->batches);
    rg_buf_f64(out, r->seconds);
    rg_buf_f64(out, r->loss_sum);
    rg_buf_u64(out, r->n_bins);
    rg_buf_add(out, r->bins, 2 * r->n_bins * sizeof *r->bins);
}

rg_status rg_serve_read_stats(rg_member *trainer, rg_cursor *in)
{
    rg_reported *r = &trainer->stats;
    uint64_t has, bins;
    const uint8_t *bytes;
    RG_TRY(rg_cursor_u64(in, &has));
    RG_TRY(rg_cursor_u64(in, &r->rows));
    RG_TRY(rg_cursor_u64(in, &r->batches));
    RG_TRY(rg_cursor_f64(in, &r->seconds));
    RG_TRY(rg_cursor_f64(in, &r->loss_sum));
    RG_TRY(rg_cursor_u64(in, &bins));
    if (bins > in->left)
        return rg_fail(RG_ECORRUPT, "statistics of %llu bins", (unsigned long long)bins);
    RG_TRY(rg_cursor_take(in, 2 * (size_t)bins * sizeof *r->bins, &bytes));
    r->has = has != 0;
    r->n_bins = (size_t)bins;
    r->bins = bins > 0 ? rg_alloc(2 * (size_t)bins * sizeof *r->bins) : NULL;
    if (bins > 0 && r->bins == NULL)
        return rg_no_memory(2 * (size_t)bins * sizeof *r->bins, "statistics");
    if (bins > 0)
        memcpy(r->bins, bytes, 2 * (size_t)bins * sizeof *r->bins);
    return RG_OK;
}

static rg_status hear(rg_member *trainer, const uint8_t *body, size_t n)
{
    rg_stats stats;
    int64_t *counts;
    RG_TRY(rg_stats_read(&stats, &counts, body, n));
    rg_serve_forget_stats(trainer);
    trainer->stats = (rg_reported){.has = true,
                                   .rows = stats.rows,
                                   .batches = stats.batches,
                                   .seconds = stats.seconds,
                                   .loss_sum = stats.loss_sum,
                                   .bins = counts,
                                   .n_bins = stats.bins};
    return RG_OK;
}

/* The area over the sums of all who count in equally many bins. */
static rg_status area_of_all(rg_engine *s, double *area)
{
    size_t bins = 0;
    *area = (double)NAN;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        bins = s->trainers[t].stats.n_bins > 0 ? s->trainers[t].stats.n_bins : bins;
    int64_t *sum = bins > 0 ? rg_arena_zero(&s->scratch, 2 * bins * sizeof *sum) : NULL;
    for (uint32_t t = 0; sum != NULL && t < s->schema.trainers; t++)
        for (size_t i = 0; s->trainers[t].stats.n_bins == bins && i < 2 * bins; i++)
            sum[i] += s->trainers[t].stats.bins[i];
    if (sum != NULL)
        *area = rg_auc_area(sum, sum + bins, (int64_t)bins);
    return sum != NULL || bins == 0 ? RG_OK : rg_no_memory(2 * bins * sizeof *sum, "an AUC");
}

void rg_serve_stats(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_stats_of_all all = {.slowest = -1};
    rg_status code = hear(trainer, body, n);
    if (code != RG_OK) {
        rg_rpc_refuse(request, code, "%s", rg_error_message());
        return;
    }
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_reported *told = &s->trainers[t].stats;
        double rate = told->seconds > 0 ? (double)told->rows / told->seconds : 0;
        if (!told->has)
            continue;
        all.told++;
        all.rows += told->rows;
        all.batches += told->batches;
        all.loss_sum += told->loss_sum;
        all.rate += rate;
        if (all.slowest < 0 || rate < all.slowest_rate) {
            all.slowest = (int)t;
            all.slowest_rate = rate;
        }
    }
    code = area_of_all(s, &all.auc);
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_stats_of_all_write(&out, &all);
    if (code != RG_OK || rg_buf_status(&out) != RG_OK)
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
    else
        rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    rg_buf_fini(&out);
}
