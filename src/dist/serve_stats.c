/* serve_stats.c - statistics over all trainers, kept by server 0. */
#include "dist/serve_priv.h"
#include "dist/stats.h"

#include "base/mem.h"
#include "ops/auc.h"

#include <math.h>
#include <string.h>

enum { HEAD = 5, MAX_BINS = 1 << 24 };

void rg_serve_forget_stats(rg_trainer *trainer)
{
    rg_free(trainer->stats.bins);
    trainer->stats = (rg_told){0};
}

static rg_status hear(rg_trainer *trainer, const uint8_t *body, size_t n)
{
    uint64_t head[HEAD];
    if (n < sizeof head)
        return rg_fail(RG_ECORRUPT, "statistics of %zu bytes", n);
    memcpy(head, body, sizeof head);
    size_t bins = (size_t)head[4];
    if (head[4] > MAX_BINS || n - sizeof head != 2 * bins * sizeof(int64_t))
        return rg_fail(RG_ECORRUPT, "statistics of %zu bytes with %zu bins", n, bins);
    rg_told *told = &trainer->stats;
    if (told->n_bins != bins) {
        rg_free(told->bins);
        told->bins = bins > 0 ? rg_alloc(2 * bins * sizeof *told->bins) : NULL;
        told->n_bins = told->bins ? bins : 0;
    }
    told->rows = head[0];
    told->batches = head[1];
    memcpy(&told->seconds, &head[2], sizeof told->seconds);
    memcpy(&told->loss_sum, &head[3], sizeof told->loss_sum);
    if (told->n_bins > 0)
        memcpy(told->bins, body + sizeof head, 2 * bins * sizeof *told->bins);
    told->has = true;
    return RG_OK;
}

/* The area over the sums of all who count in equally many bins. */
static double area_of_all(rg_engine *s)
{
    size_t bins = 0;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        bins = s->trainers[t].stats.n_bins > 0 ? s->trainers[t].stats.n_bins : bins;
    int64_t *sum = bins > 0 ? rg_arena_zero(&s->scratch, 2 * bins * sizeof *sum) : NULL;
    for (uint32_t t = 0; sum != NULL && t < s->schema.trainers; t++)
        for (size_t i = 0; s->trainers[t].stats.n_bins == bins && i < 2 * bins; i++)
            sum[i] += s->trainers[t].stats.bins[i];
    return sum ? rg_auc_area(sum, sum + bins, (int64_t)bins) : (double)NAN;
}

void rg_serve_stats(rg_engine *s, rg_trainer *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_stats_of_all all;
    memset(&all, 0, sizeof all); /* gaps travel too */
    if (hear(trainer, body, n) != RG_OK) {
        rg_rpc_refuse(request, RG_ECORRUPT, "%s", rg_error_message());
        return;
    }
    all.slowest = -1;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_told *told = &s->trainers[t].stats;
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
    all.auc = area_of_all(s);
    rg_rpc_reply(request, 0, &(rg_iov){&all, sizeof all}, 1, NULL, NULL);
}
