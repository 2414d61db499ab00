/* serve_snapshot.c - when a server takes a snapshot of itself, and how it comes to a moment that is
 * one.
 *
 * The cut. Each loop holds what comes in; what was taken in is brought to its end; then the journal
 * begins a new segment, and the state is what all records before it have made, but for requests
 * that wait for others, which are part of it. While it is written to the file all is held; to bring
 * it to the disk, which takes longer, is a thread's. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/metrics.h"

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

/* Records below *number are applied, or wait. Joins and deaths are noted and done under these
 * locks.
 */
static rg_status cut(rg_engine *s, uint64_t *number)
{
    pthread_mutex_lock(&s->lock);
    pthread_mutex_lock(&s->members);
    rg_status code = rg_journal_cut(s->journal->journal, number);
    pthread_mutex_unlock(&s->members);
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* The state at the cut, in a file that is not on the disk yet. */
static rg_status write_state(rg_engine *s, rg_snapshot **out)
{
    struct rg_serve_journal *j = s->journal;
    rg_snapshot *snapshot = NULL;
    uint64_t number;
    RG_TRY(cut(s, &number));
    RG_TRY(rg_snapshot_begin(&snapshot, j->folder, j->lineage, number));
    rg_status code = rg_state_write(s, snapshot);
    if (code != RG_OK) {
        rg_snapshot_abandon(snapshot);
        return code;
    }
    j->snapshot_bytes = rg_snapshot_bytes(snapshot);
    *out = snapshot;
    return RG_OK;
}

static rg_status hold_and_write(rg_engine *s, rg_snapshot **out, double *seconds)
{
    uint64_t begin = rg_clock_ns();
    in_each_loop(s, hold);
    rg_serve_settle(s);
    rg_status code = write_state(s, out);
    in_each_loop(s, release);
    *seconds = (double)(rg_clock_ns() - begin) * 1e-9;
    s->journal->snapshot_ns = rg_clock_ns();
    return code;
}

static rg_status bring_to_disk(rg_engine *s, rg_snapshot *snapshot)
{
    uint64_t oldest;
    RG_TRY(rg_snapshot_finish(snapshot, &oldest));
    return rg_journal_forget(s->journal->journal, oldest);
}

rg_status rg_serve_snapshot(rg_engine *s)
{
    rg_snapshot *snapshot;
    double seconds;
    RG_TRY(hold_and_write(s, &snapshot, &seconds));
    return bring_to_disk(s, snapshot);
}

/* ---- beside the work ---- */

static void say_failed(const rg_engine *s)
{
    /* The one before is there, and the journal since. */
    rg_log(RG_LOG_W, "ps", "server=%d \"no snapshot was written: %s\"", s->id, rg_error_message());
}

static void tell_snapshot(const rg_engine *s, double seconds)
{
    double mib = (double)s->journal->snapshot_bytes / 0x1p20;
    rg_log(RG_LOG_I, "ps", "server=%d \"a snapshot is on the disk\" MiB=%.1f seconds=%.3f", s->id,
           mib, seconds);
    rg_metric_add(RG_M_SNAPSHOTS, 1);
    rg_metric_set(RG_M_SNAPSHOT_TIME, seconds);
    rg_event("snapshot", NULL, "%.1f MiB in %.3f s", mib, seconds);
}

/* A disk takes its time; the server goes on. */
static void *finish(void *arg)
{
    rg_engine *s = arg;
    uint64_t begin = rg_clock_ns();
    if (bring_to_disk(s, s->journal->unfinished) != RG_OK)
        say_failed(s);
    else
        tell_snapshot(s, (double)(rg_clock_ns() - begin) * 1e-9);
    atomic_store(&s->journal->finished, true);
    return NULL;
}

void rg_serve_end_snapshot(rg_engine *s)
{
    if (s->journal->finishing)
        (void)pthread_join(s->journal->finisher, NULL);
    s->journal->finishing = false;
}

static void take_snapshot(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    double seconds;
    if (hold_and_write(s, &j->unfinished, &seconds) != RG_OK) {
        say_failed(s);
        return;
    }
    rg_log(RG_LOG_I, "ps", "server=%d \"a snapshot was taken\" MiB=%.1f held_seconds=%.3f", s->id,
           (double)j->snapshot_bytes / 0x1p20, seconds);
    atomic_store(&j->finished, false);
    j->finishing = pthread_create(&j->finisher, NULL, finish, s) == 0;
    if (!j->finishing) {
        rg_snapshot_abandon(j->unfinished);
        (void)rg_fail(RG_EIO, "cannot start a thread for it");
        say_failed(s);
    }
}

/* ---- when ---- */

static bool is_time(const rg_engine *s)
{
    const struct rg_serve_journal *j = s->journal;
    int64_t mb = rg_flag_int("ps_snapshot_mb"), seconds = rg_flag_int("ps_snapshot_seconds");
    /* A large state is not written for a small journal. */
    uint64_t least = (uint64_t)mb << 20, bytes = rg_journal_bytes(j->journal);
    least = least < j->snapshot_bytes ? j->snapshot_bytes : least;
    return (mb > 0 && bytes > least) ||
           (seconds > 0 && rg_clock_ns() - j->snapshot_ns > (uint64_t)seconds * 1000000000u);
}

void rg_serve_look_at_journal(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    if (j == NULL || (j->finishing && !atomic_load(&j->finished)))
        return;
    rg_serve_end_snapshot(s);
    if (!s->ended && is_time(s))
        take_snapshot(s);
}
