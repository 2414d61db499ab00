/* job_resume.c - a trainer that was started again: how far the process before it was.
 *
 * The script runs from its start. Each server says which pushes of each thread it has; steps whose
 * pushes all of them have are not sent again, and where they need not be computed they are not
 * (train_from_dataset). A push that only some servers have is made again, of the same batches:
 * those that have it answer, and do not apply it. */
#include "dist/fan_out.h"
#include "dist/job_priv.h"
#include "dist/stats.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <string.h>

bool rg_job_may_return(rg_job *job)
{
    pthread_mutex_lock(&job->news);
    bool lost = job->is_lost;
    pthread_mutex_unlock(&job->news);
    return !lost && (rg_flag_int("ps_return_seconds") > 0 || rg_flag_int("ps_elastic") > 0);
}

rg_resumed rg_job_resumed(const rg_job *job, int thread)
{
    return (size_t)thread < job->n_resumed ? job->resumed[thread] : (rg_resumed){0};
}

/* ---- what the servers say ---- */

typedef struct ledger {
    uint64_t meetings;
    uint32_t n;
    uint64_t (*threads)[2]; /* pushes, position; owned */
    rg_told told;           /* its counts are owned */
    bool has_told;
} ledger;

static rg_status read_told(rg_told *told, const uint8_t *bytes, size_t n)
{
    rg_stats stats;
    RG_TRY(rg_stats_read(&stats, &told->counts, bytes, n));
    told->rows = stats.rows;
    told->batches = stats.batches;
    told->seconds = stats.seconds;
    told->loss_sum = stats.loss_sum;
    told->bins = stats.bins;
    return RG_OK;
}

static rg_status read_ledger(const uint8_t *body, size_t n, ledger *out)
{
    rg_cursor in = {body, n};
    uint32_t stats;
    RG_TRY(rg_cursor_u64(&in, &out->meetings));
    RG_TRY(rg_cursor_u32(&in, &out->n));
    RG_TRY(rg_cursor_u32(&in, &stats));
    size_t threads = out->n * sizeof *out->threads;
    if (out->n > RG_PS_MAX_THREADS || in.left < threads || (stats == 0 && in.left > threads))
        return rg_fail(RG_ECORRUPT, "%zu bytes of %u threads", in.left, out->n);
    out->threads = rg_alloc_zero((size_t)out->n + 1, sizeof *out->threads);
    if (out->threads == NULL)
        return rg_no_memory(out->n * sizeof *out->threads, "how far a trainer was");
    for (uint32_t i = 0; i < out->n; i++) {
        RG_TRY(rg_cursor_u64(&in, &out->threads[i][0]));
        RG_TRY(rg_cursor_u64(&in, &out->threads[i][1]));
    }
    out->has_told = stats != 0;
    return stats != 0 ? read_told(&out->told, in.at, in.left) : RG_OK;
}

static rg_status ask_ledger(rg_job *job, int server, ledger *out)
{
    uint8_t *reply = NULL;
    size_t n;
    RG_TRY(rg_job_ask(job, server, RG_PS_RESUME, NULL, 0, &reply, &n));
    rg_status code = read_ledger(reply, n, out);
    rg_free(reply);
    return code;
}

static uint64_t told(const ledger *l, size_t thread, int what)
{
    return thread < l->n ? l->threads[thread][what] : 0;
}

/* The push that all have, and the one more that some have. */
static rg_status agree_on(const rg_job *job, const ledger *ledgers, size_t thread, rg_resumed *out)
{
    uint64_t least = told(&ledgers[0], thread, 0), most = least;
    for (int s = 1; s < job->n_servers; s++) {
        uint64_t pushes = told(&ledgers[s], thread, 0);
        least = pushes < least ? pushes : least;
        most = pushes > most ? pushes : most;
    }
    if (most > least + 1)
        return rg_fail(RG_ESTALE,
                       "trainer %d was started again, and of the pushes of its thread %zu one "
                       "server has %llu and another %llu: what is between is lost",
                       job->trainer, thread, (unsigned long long)least, (unsigned long long)most);
    *out = (rg_resumed){.pushes = least};
    for (int s = 0; s < job->n_servers; s++) {
        uint64_t position = told(&ledgers[s], thread, 1);
        if (told(&ledgers[s], thread, 0) == least)
            out->position = position;
        else
            out->until = position;
    }
    return RG_OK;
}

/* ---- going on ---- */

static rg_status tell_server(rg_job *job, int server, uint32_t threads)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    for (uint32_t i = 0; i < threads; i++)
        rg_buf_u64(&body, rg_job_resumed(job, (int)i).pushes);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK && threads > 0)
        code = rg_job_ask(job, server, RG_PS_RESUME, &(rg_iov){body.data, body.len}, 1, NULL, NULL);
    rg_buf_fini(&body);
    return code;
}

static rg_status go_on(rg_job *job, const ledger *ledgers)
{
    uint64_t batches = 0, pushes = 0;
    size_t threads = 0;
    for (int s = 0; s < job->n_servers; s++)
        threads = ledgers[s].n > threads ? ledgers[s].n : threads;
    job->resumed = rg_alloc_zero(threads + 1, sizeof *job->resumed);
    if (job->resumed == NULL)
        return rg_no_memory(threads * sizeof *job->resumed, "how far a trainer was");
    job->n_resumed = threads;
    for (size_t i = 0; i < threads; i++) {
        RG_TRY(agree_on(job, ledgers, i, &job->resumed[i]));
        batches += job->resumed[i].position;
        pushes += job->resumed[i].pushes;
    }
    for (int s = 0; s < job->n_servers; s++) {
        job->servers[s].pushes = rg_job_resumed(job, 0).pushes;
        RG_TRY(tell_server(job, s, ledgers[s].n));
    }
    job->replays = batches > 0;
    rg_event("rejoined", NULL, "goes on behind %llu batches, %llu pushes",
             (unsigned long long)batches, (unsigned long long)pushes);
    rg_log(RG_LOG_W, "ps",
           "trainer=%d pushes=%llu batches=%llu \"started again: it goes on where it was; what was "
           "pushed before is not pushed again\"",
           job->trainer, (unsigned long long)pushes, (unsigned long long)batches);
    return RG_OK;
}

rg_status rg_job_resume(rg_job *job)
{
    bool again = false;
    rg_status code = RG_OK;
    for (int s = 0; s < job->n_servers; s++)
        again = again || job->servers[s].epoch > 1;
    if (!again)
        return RG_OK;
    ledger *ledgers = rg_alloc_zero((size_t)job->n_servers, sizeof *ledgers);
    if (ledgers == NULL)
        return rg_no_memory(1, "how far a trainer was");
    for (int s = 0; code == RG_OK && s < job->n_servers; s++)
        code = ask_ledger(job, s, &ledgers[s]);
    if (code == RG_OK)
        code = go_on(job, ledgers);
    if (code == RG_OK) { /* the first keeps it */
        job->told = ledgers[0].told;
        atomic_store(&job->has_told, ledgers[0].has_told);
        ledgers[0].told.counts = NULL;
    }
    for (int s = 0; s < job->n_servers; s++) {
        rg_free(ledgers[s].threads);
        rg_free(ledgers[s].told.counts);
    }
    rg_free(ledgers);
    return code;
}
