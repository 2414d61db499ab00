/* stats.c - the trainer's side of statistics over all. */
#include "dist/stats.h"

#include "base/mem.h"

#include <string.h>

/* {u64 rows, u64 batches, f64 seconds, f64 loss_sum, u64 bins, i64 pos[bins], i64 neg[bins]} */
rg_status rg_job_tell(rg_job *job, const rg_stats *mine, rg_stats_of_all *all)
{
    const uint64_t bins = mine->pos != NULL ? mine->bins : 0;
    uint64_t head[5] = {mine->rows, mine->batches, 0, 0, bins};
    memcpy(&head[2], &mine->seconds, sizeof head[2]);
    memcpy(&head[3], &mine->loss_sum, sizeof head[3]);
    const size_t bytes = (size_t)bins * sizeof(int64_t);
    const rg_iov iov[] = {{head, sizeof head}, {mine->pos, bytes}, {mine->neg, bytes}};
    uint8_t *reply = NULL;
    size_t n;
    RG_TRY(rg_job_ask(job, 0, RG_PS_STATS, iov, bins > 0 ? 3 : 1, &reply, &n));
    rg_status code = n == sizeof *all ? RG_OK : rg_fail(RG_ECORRUPT, "%zu bytes of statistics", n);
    if (code == RG_OK)
        memcpy(all, reply, sizeof *all);
    rg_free(reply);
    return code;
}
