/* shuffle.c - examples of all trainers, dealt anew.
 *
 * Each trainer says of every example whose it is now, by chance or by the example's id, and posts
 * what is not its own to a server, from which the other one fetches it (serve_mail.c). While a box
 * at a server is full, whoever wants to post fetches its own messages, so that nobody waits for
 * somebody who waits. What was here is given up only when everything has come. */
#include "dist/shuffle.h"

#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/philox.h"
#include "dist/fan_out.h"
#include "sys/flags.h"
#include "sys/clock.h"
#include "sys/interrupt.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>

static const uint64_t IDLE_NS = 5000000, VOICE_NS = UINT64_C(10000000000);

/* Examples that have come, and from whom. */
typedef struct piece {
    struct piece *next;
    size_t n;
    uint8_t bytes[];
} piece;

typedef struct pile {
    piece *first, *end;
    bool whole; /* the last has come */
} pile;

struct rg_shuffle_inbox {
    uint64_t *posted; /* at each server, since we joined */
    uint64_t fetched; /* from ours */
    uint64_t shuffles;
    char broken[256]; /* why one failed: nobody knows what of it has come; "": none has */
};

typedef struct shuffle {
    rg_job *job;
    const rg_shuffle_config *config;
    pile *piles; /* by trainer */
    uint64_t waits_since, said_ns;
} shuffle;

static int trainers(const shuffle *s)
{
    return (int)s->job->trainers;
}

/* ---- waiting ---- */

static void say_whom(shuffle *s)
{
    char whom[256] = "";
    size_t n = 0;
    for (int t = 0; t < trainers(s) && n < sizeof whom - 32; t++)
        if (!s->piles[t].whole)
            n += (size_t)snprintf(whom + n, sizeof whom - n, "%s%d", n > 0 ? ", " : "", t);
    rg_log(RG_LOG_W, "train", "\"a global shuffle waits for the examples of trainer %s\"", whom);
}

/* Nothing could be done: a moment's rest, and after a while a word. */
static rg_status rest(shuffle *s)
{
    uint64_t now = rg_clock_ns();
    s->waits_since = s->waits_since ? s->waits_since : now;
    if (now - s->waits_since >= VOICE_NS && now - s->said_ns >= 3 * VOICE_NS) {
        s->said_ns = now;
        say_whom(s);
    }
    rg_clock_sleep(IDLE_NS);
    return rg_interrupted();
}

/* ---- messages ---- */

static rg_status keep(pile *on, const uint8_t *bytes, size_t n)
{
    piece *p = rg_alloc(sizeof *p + n);
    if (p == NULL)
        return rg_no_memory(n, "examples of a global shuffle");
    *p = (piece){.n = n};
    memcpy(p->bytes, bytes, n);
    if (on->end != NULL)
        on->end->next = p;
    else
        on->first = p;
    on->end = p;
    return RG_OK;
}

static rg_status open_letters(shuffle *s, const uint8_t *reply, size_t bytes)
{
    rg_cursor in = {reply, bytes};
    while (in.left > 0) {
        uint32_t from, last;
        uint64_t n;
        const uint8_t *at;
        RG_TRY(rg_cursor_u32(&in, &from));
        RG_TRY(rg_cursor_u32(&in, &last));
        RG_TRY(rg_cursor_u64(&in, &n));
        if (n > in.left)
            return rg_fail(RG_ECORRUPT, "a message of %llu bytes in %zu", (unsigned long long)n,
                           in.left);
        RG_TRY(rg_cursor_take(&in, (size_t)n, &at));
        if (from >= s->job->trainers || s->piles[from].whole)
            return rg_fail(RG_ECORRUPT, "a message of trainer %u, which wrote its last", from);
        if (n > 0)
            RG_TRY(keep(&s->piles[from], at, (size_t)n));
        s->piles[from].whole = last != 0;
        s->job->inbox->fetched++;
        s->waits_since = 0;
    }
    return RG_OK;
}

/* Takes what is in our box now, which may be nothing. */
static rg_status fetch(shuffle *s)
{
    rg_job *job = s->job;
    uint8_t *reply = NULL;
    size_t bytes = 0;
    uint64_t where[2] = {job->inbox->fetched, job->inbox->shuffles};
    rg_status code = rg_job_ask(job, job->trainer % job->n_servers, RG_PS_FETCH,
                                &(rg_iov){where, sizeof where}, 1, &reply, &bytes);
    if (code == RG_OK)
        code = open_letters(s, reply, bytes);
    rg_free(reply);
    return code;
}

static rg_status try_post(shuffle *s, int to, bool last, const void *bytes, size_t n, bool *taken)
{
    rg_job *job = s->job;
    int server = to % job->n_servers;
    uint64_t *posted = &job->inbox->posted[server];
    uint8_t *reply = NULL;
    size_t answered = 0;
    struct {
        uint32_t to, last;
        uint64_t number;
    } head = {(uint32_t)to, last, *posted};
    const rg_iov iov[2] = {{&head, sizeof head}, {bytes, n}};
    RG_TRY(rg_job_ask(job, server, RG_PS_POST, iov, n > 0 ? 2 : 1, &reply, &answered));
    *taken = answered == sizeof(uint32_t) && reply[0] != 0;
    *posted += *taken;
    rg_free(reply);
    return RG_OK;
}

static rg_status post(shuffle *s, int to, bool last, const void *bytes, size_t n)
{
    for (;;) {
        bool taken;
        uint64_t before = s->job->inbox->fetched;
        RG_TRY(try_post(s, to, last, bytes, n, &taken));
        if (taken) {
            s->waits_since = 0;
            return RG_OK;
        }
        RG_TRY(fetch(s));
        if (s->job->inbox->fetched == before)
            RG_TRY(rest(s));
    }
}

/* ---- whose is it? ---- */

static int deal(void *arg, uint64_t row, const char *ins_id)
{
    const shuffle *s = arg;
    if (ins_id[0] != '\0') /* examples of one id come together */
        return (int)(rg_crc32c(0, ins_id, strlen(ins_id)) % s->job->trainers);
    rg_philox_key key = {s->config->seed + s->job->inbox->shuffles,
                         UINT64_C(0x73687566) << 32 | (uint32_t)s->job->trainer};
    return (int)rg_philox_below(key, row, s->job->trainers);
}

static rg_status hand_over(void *arg, int to, const void *bytes, size_t n)
{
    shuffle *s = arg;
    if (to == s->job->trainer)
        return keep(&s->piles[to], bytes, n);
    if (s->config->pause_ns > 0)
        rg_clock_sleep(s->config->pause_ns);
    return post(s, to, false, bytes, n);
}

/* ---- all of it ---- */

static rg_status exchange(shuffle *s, rg_dataset *dataset)
{
    int me = s->job->trainer;
    RG_TRY(rg_dataset_export(dataset, trainers(s), deal, hand_over, s, s->config->rows_each));
    s->piles[me].whole = true;
    for (int t = 0; t < trainers(s); t++)
        if (t != me)
            RG_TRY(post(s, t, true, NULL, 0));
    for (int t = 0; t < trainers(s); t++)
        while (!s->piles[t].whole) {
            uint64_t before = s->job->inbox->fetched;
            RG_TRY(fetch(s));
            if (s->job->inbox->fetched == before)
                RG_TRY(rest(s));
        }
    return RG_OK;
}

/* In the order of trainers, and of each as it sent them: the same every time. */
static rg_status take_over(const shuffle *s, rg_dataset *dataset)
{
    size_t n = 0;
    for (int t = 0; t < trainers(s); t++)
        for (const piece *p = s->piles[t].first; p != NULL; p = p->next)
            n++;
    rg_exported *all = rg_alloc_zero(n + 1, sizeof *all);
    if (all == NULL)
        return rg_no_memory(n * sizeof *all, "a global shuffle");
    n = 0;
    for (int t = 0; t < trainers(s); t++)
        for (const piece *p = s->piles[t].first; p != NULL; p = p->next)
            all[n++] = (rg_exported){p->bytes, p->n};
    rg_status code = rg_dataset_replace(dataset, all, n);
    rg_free(all);
    return code;
}

static void drop_piles(shuffle *s)
{
    for (int t = 0; s->piles != NULL && t < trainers(s); t++)
        for (piece *p = s->piles[t].first, *next; p != NULL; p = next) {
            next = p->next;
            rg_free(p);
        }
    rg_free(s->piles);
}

static rg_status open_mail(rg_job *job)
{
    if (job->inbox != NULL)
        return RG_OK;
    job->inbox = rg_alloc_zero(1, sizeof *job->inbox);
    if (job->inbox != NULL)
        job->inbox->posted = rg_alloc_zero((size_t)job->n_servers, sizeof *job->inbox->posted);
    if (job->inbox != NULL && job->inbox->posted != NULL)
        return RG_OK;
    rg_inbox_close(job);
    return rg_no_memory(sizeof *job->inbox, "a global shuffle");
}

void rg_inbox_close(rg_job *job)
{
    if (job->inbox != NULL)
        rg_free(job->inbox->posted);
    rg_free(job->inbox);
    job->inbox = NULL;
}

rg_status rg_job_shuffle(rg_job *job, rg_dataset *dataset, const rg_shuffle_config *config)
{
    if (rg_flag_int("ps_elastic") > 0)
        return rg_fail(RG_EINVAL, "global_shuffle in an elastic job: examples would travel to "
                                  "trainers that may not be there; lease the files instead "
                                  "(dataset.set_filelist(files, lease=True))");
    RG_TRY(open_mail(job));
    if (job->inbox->broken[0] != '\0')
        return rg_fail(RG_ECLOSED,
                       "a global shuffle of this job has failed, and its examples are "
                       "on the way: start the job again (%s)",
                       job->inbox->broken);
    shuffle s = {.job = job, .config = config};
    s.piles = rg_alloc_zero(job->trainers, sizeof *s.piles);
    rg_status code = s.piles ? RG_OK : rg_no_memory(1, "a global shuffle");
    /* Who still trains is waited for in a rendezvous: no step of it waits for us meanwhile. */
    if (code == RG_OK)
        code = rg_job_barrier(job, "global_shuffle begins");
    if (code == RG_OK)
        code = exchange(&s, dataset);
    if (code == RG_OK)
        code = take_over(&s, dataset);
    if (code != RG_OK)
        (void)snprintf(job->inbox->broken, sizeof job->inbox->broken, "%s", rg_error_message());
    drop_piles(&s);
    if (code == RG_OK)
        code = rg_dataset_shuffle(dataset, config->seed + job->inbox->shuffles);
    job->inbox->shuffles++;
    /* Nobody's next shuffle begins before everybody's this one has ended. */
    if (code == RG_OK)
        code = rg_job_barrier(job, "global_shuffle");
    return code;
}
