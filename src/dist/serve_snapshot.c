/* serve_snapshot.c - when a server takes a snapshot of itself, and how it comes to a moment that is
 * one.
 *
 * The cut. The journal begins a new segment; then each loop holds what comes in, what was taken in
 * is brought to its end, and the state is what all records up to there have made, but for requests
 * that wait for others, which are part of it. Held is what comes in for a moment only: while dense
 * values, the ledger and what waits are written. Trainers may die meanwhile, and so nobody wait for
 * them any more, or the job fail: who waits is answered when the cut is over (rg_engine.cutting),
 * so that no step is made, and no request goes, under what is written. The rows of tables, which
 * are the most of it, are written by a thread while the server goes on: serve_state_rows.c. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "sys/metrics.h"
#include "sys/process.h"

/* ---- holding what comes in ---- */

typedef struct holding {
    rg_engine *engine;
    int loop;
} holding;

static void hold(void *arg)
{
    const holding *h = arg;
    h->engine->journal->held[h->loop].holding = true;
}

/* In the order it came: nothing new is taken in meanwhile, since this is the loop. */
static void release(void *arg)
{
    const holding *h = arg;
    rg_held_loop *held = &h->engine->journal->held[h->loop];
    held->holding = false;
    for (size_t i = 0; i < held->n; i++)
        rg_serve_request(h->engine, held->requests[i]);
    held->n = 0;
}

/* True: the job has failed, and what it has may be half of a step. */
static bool begin_cutting(rg_engine *s)
{
    pthread_mutex_lock(&s->lock);
    s->cutting = true;
    pthread_mutex_unlock(&s->lock);
    rg_serve_settle(s);
    pthread_mutex_lock(&s->lock);
    bool failed = s->failed != RG_OK;
    pthread_mutex_unlock(&s->lock);
    return failed;
}

/* What was put off. */
static void end_cutting(rg_engine *s)
{
    pthread_mutex_lock(&s->lock);
    s->cutting = false;
    if (s->failed != RG_OK)
        rg_serve_refuse_waiting(s);
    else
        rg_serve_try_rendezvous(s);
    pthread_mutex_unlock(&s->lock);
    rg_serve_try_step(s);
}

static void in_each_loop(rg_engine *s, void (*work)(void *arg))
{
    for (int k = 0; k < s->n_shards; k++)
        rg_loop_do(s->shards[k].loop, work, &(holding){s, k});
}

bool rg_serve_waits_for_snapshot(rg_engine *s, rg_rpc_request *request)
{
    if (s->journal == NULL)
        return false;
    rg_held_loop *held = &s->journal->held[rg_rpc_peer_loop(rg_rpc_request_peer(request))];
    if (!held->holding)
        return false;
    if (rg_grow((void **)&held->requests, held->n, &held->cap, sizeof(rg_rpc_request *)) != RG_OK)
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
    else
        held->requests[held->n++] = request;
    return true;
}

/* ---- the cut ---- */

/* Records below it are applied, or wait. Joins and deaths are noted and done under these locks. */
static uint64_t next_record(rg_engine *s)
{
    pthread_mutex_lock(&s->lock);
    pthread_mutex_lock(&s->members);
    uint64_t number = rg_journal_next(s->journal->journal);
    pthread_mutex_unlock(&s->members);
    pthread_mutex_unlock(&s->lock);
    return number;
}

/* Whether there can be a delta next. */
static void look_whether_noted(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    if (rg_flag_int("ps_snapshot_deltas") == 0 || rg_state_notes_changes(s))
        return;
    j->n_deltas = -1;
    if (!j->told_whole && atomic_load(&s->ready))
        rg_log(
            RG_LOG_W, "ps",
            "server=%d \"its snapshots are whole ones, whatever FLAGS_ps_snapshot_deltas says: a "
            "table has rows on disk, lets rows go or filters ids\"",
            s->id);
    j->told_whole = atomic_load(&s->ready);
}

/* The state at the cut, in a file that has all of it but the rows; of a delta, where all that has
 * changed since the last is known, but the rows that have. */
static rg_status cut_state(rg_engine *s, bool delta)
{
    struct rg_serve_journal *j = s->journal;
    uint64_t number = next_record(s), last = j->last_number;
    delta = delta && rg_state_notes_changes(s);
    j->n_deltas = delta ? j->n_deltas + 1 : 0;
    j->since_whole = delta ? j->since_whole : 0;
    j->last_number = number;
    RG_TRY(delta ? rg_snapshot_begin_delta(&j->unfinished, j->folder, j->lineage, number, last)
                 : rg_snapshot_begin(&j->unfinished, j->folder, j->lineage, number));
    RG_TRY(rg_state_cut(s, j->unfinished, &j->rows));
    look_whether_noted(s);
    return RG_OK;
}

/* There is no snapshot of the last cut: the next is whole, since what has changed was noted for
 * that one, and may be of the same step. */
static void forget_cut(struct rg_serve_journal *j)
{
    j->n_deltas = -1;
    j->snapshot_steps = UINT64_MAX;
}

static void give_up(struct rg_serve_journal *j)
{
    rg_state_rows_close(j->rows);
    rg_snapshot_abandon(j->unfinished);
    j->rows = NULL;
    j->unfinished = NULL;
    forget_cut(j);
}

/* Where it fails there is nothing of it. */
static rg_status hold_and_cut(rg_engine *s, bool delta, double *seconds)
{
    struct rg_serve_journal *j = s->journal;
    j->since_whole += rg_journal_bytes(j->journal);
    uint64_t segment; /* it begins a little before: nobody shall wait for the disk meanwhile */
    RG_TRY(rg_journal_cut(j->journal, &segment));
    uint64_t begin = rg_clock_ns();
    in_each_loop(s, hold);
    rg_status code = begin_cutting(s) ? rg_fail(RG_ECLOSED, "the job has failed")
                                      : cut_state(s, delta);
    end_cutting(s);
    in_each_loop(s, release);
    *seconds = (double)(rg_clock_ns() - begin) * 1e-9;
    j->snapshot_ns = rg_clock_ns();
    j->snapshot_steps = s->steps;
    if (code != RG_OK)
        give_up(j);
    return code;
}

/* While the server goes on; share: of a core's time. */
static rg_status write_rest(rg_engine *s, double share)
{
    struct rg_serve_journal *j = s->journal;
    uint64_t oldest, bytes;
    rg_status code = rg_state_rows_write(j->rows, share, &j->stop);
    /* What is in it is in the journal, too, whatever the power does: numbers go on behind it. */
    if (code == RG_OK)
        code = rg_journal_wait(j->journal);
    if (code != RG_OK) {
        give_up(j);
        return code;
    }
    rg_state_rows_close(j->rows);
    j->rows = NULL;
    bytes = rg_snapshot_bytes(j->unfinished);
    bool delta = rg_snapshot_is_delta(j->unfinished);
    code = rg_snapshot_finish(j->unfinished, &oldest);
    j->unfinished = NULL;
    if (code != RG_OK)
        forget_cut(j);
    RG_TRY(code);
    j->written_bytes = bytes;
    if (!delta)
        j->snapshot_bytes = bytes;
    return rg_journal_forget(j->journal, oldest);
}

rg_status rg_serve_snapshot(rg_engine *s)
{
    double seconds;
    RG_TRY(hold_and_cut(s, false, &seconds));
    return write_rest(s, 1);
}

/* ---- beside the work ---- */

static void say_failed(const rg_engine *s)
{
    /* The one before is there, and the journal since. */
    rg_log(RG_LOG_W, "ps", "server=%d \"no snapshot was written: %s\"", s->id, rg_error_message());
}

static void tell_snapshot(const rg_engine *s, double seconds)
{
    double mib = (double)s->journal->written_bytes / 0x1p20;
    rg_log(RG_LOG_I, "ps", "server=%d \"a snapshot is on the disk\" MiB=%.1f seconds=%.3f", s->id,
           mib, seconds);
    rg_metric_add(RG_M_SNAPSHOTS, 1);
    rg_metric_set(RG_M_SNAPSHOT_TIME, seconds);
    rg_event("snapshot", NULL, "%.1f MiB in %.3f s", mib, seconds);
}

/* It takes its time; the server goes on, and comes first. */
static void *write_behind(void *arg)
{
    rg_engine *s = arg;
    struct rg_serve_journal *j = s->journal;
    uint64_t begin = rg_clock_ns();
    rg_thread_stays_back();
    rg_status code = write_rest(s, j->share);
    if (code == RG_OK)
        tell_snapshot(s, (double)(rg_clock_ns() - begin) * 1e-9);
    else if (code != RG_ECLOSED)
        say_failed(s);
    atomic_store(&j->written, true);
    return NULL;
}

static void join_writer(struct rg_serve_journal *j)
{
    if (j->writing)
        (void)pthread_join(j->writer, NULL);
    j->writing = false;
}

void rg_serve_end_snapshot(rg_engine *s)
{
    atomic_store(&s->journal->stop, true);
    join_writer(s->journal);
}

static void take_snapshot(rg_engine *s, bool delta, double share)
{
    struct rg_serve_journal *j = s->journal;
    double seconds;
    j->share = share;
    if (hold_and_cut(s, delta, &seconds) != RG_OK) {
        say_failed(s);
        return;
    }
    rg_log(RG_LOG_I, "ps", "server=%d \"a snapshot is taken\" held_seconds=%.3f", s->id, seconds);
    atomic_store(&j->written, false);
    j->writing = pthread_create(&j->writer, NULL, write_behind, s) == 0;
    if (!j->writing) {
        give_up(j);
        (void)rg_fail(RG_EIO, "cannot start a thread for it");
        say_failed(s);
    }
}

/* ---- when ---- */

/* Between whole ones there are so many of what has changed alone. */
static bool is_delta_next(const struct rg_serve_journal *j)
{
    return j->n_deltas >= 0 && j->n_deltas < rg_flag_int("ps_snapshot_deltas");
}

static bool has_news(const rg_engine *s)
{
    const struct rg_serve_journal *j = s->journal;
    if (j->n_deltas >= 0 && rg_journal_next(j->journal) == j->last_number)
        return false;
    /* Of the two that are kept one is from before the last step, which another server may not have
     * made when all end: who goes on with another number of servers goes back there (stopped.c). */
    return s->mode == NULL || s->mode->try_step == NULL || s->steps != j->snapshot_steps;
}

static bool is_time(const rg_engine *s, bool delta)
{
    const struct rg_serve_journal *j = s->journal;
    if (!has_news(s))
        return false;
    int64_t mb = rg_flag_int("ps_snapshot_mb"), seconds = rg_flag_int("ps_snapshot_seconds");
    uint64_t bytes = rg_journal_bytes(j->journal);
    /* A large state is not written for a small journal. */
    bool pays = delta || j->since_whole + bytes > j->snapshot_bytes;
    return (mb > 0 && bytes > (uint64_t)mb << 20 && pays) ||
           (seconds > 0 && rg_clock_ns() - j->snapshot_ns > (uint64_t)seconds * 1000000000u);
}

void rg_serve_look_at_journal(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    if (j == NULL || (j->writing && !atomic_load(&j->written)))
        return;
    join_writer(j);
    bool delta = is_delta_next(j);
    if (!s->ended && is_time(s, delta))
        take_snapshot(s, delta, (double)rg_flag_int("ps_snapshot_share") / 100);
}

/* ---- before the end ---- */

static void wait_for_writer(rg_engine *s, uint64_t seconds)
{
    struct rg_serve_journal *j = s->journal;
    const uint64_t second = 1000000000, begin = rg_clock_ns();
    uint64_t said = begin;
    while (j->writing && !atomic_load(&j->written) && rg_clock_ns() - begin < seconds * second) {
        rg_clock_sleep(RG_LOOK_NS / 10);
        if (rg_clock_ns() - said < 10 * second)
            continue;
        said = rg_clock_ns();
        rg_log(RG_LOG_W, "ps",
               "server=%d \"%s was asked to end, and waits for its snapshot since %llu s, of %llu "
               "(FLAGS_ps_grace_seconds)\"",
               s->id, s->who, (unsigned long long)((said - begin) / second),
               (unsigned long long)seconds);
    }
}

void rg_serve_snapshot_before_end(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    int64_t seconds = rg_flag_int("ps_grace_seconds");
    if (j == NULL || seconds == 0)
        return;
    rg_serve_end_snapshot(s); /* one that is under way is older, and takes its time */
    if (!has_news(s))
        return;
    atomic_store(&j->stop, false);
    take_snapshot(s, is_delta_next(j), 1);
    wait_for_writer(s, (uint64_t)seconds);
    if (j->writing && !atomic_load(&j->written))
        rg_log(RG_LOG_W, "ps",
               "server=%d \"no snapshot was written in the %lld s of FLAGS_ps_grace_seconds; the "
               "journal has all that is in none\"",
               s->id, (long long)seconds);
}
