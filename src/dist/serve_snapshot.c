/* serve_snapshot.c - when a server takes a snapshot of itself, and how it comes to a moment that is
 * one.
 *
 * The cut. Each loop holds what comes in; what was taken in is brought to its end; then the journal
 * begins a new segment, and the state is what all records before it have made, but for requests
 * that wait for others, which are part of it. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"

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

static rg_status write_all(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    rg_snapshot *snapshot = NULL;
    uint64_t number, oldest;
    RG_TRY(cut(s, &number));
    RG_TRY(rg_snapshot_begin(&snapshot, j->folder, j->lineage, number));
    rg_status code = rg_state_write(s, snapshot);
    if (code != RG_OK) {
        rg_snapshot_abandon(snapshot);
        return code;
    }
    j->snapshot_bytes = rg_snapshot_bytes(snapshot);
    RG_TRY(rg_snapshot_finish(snapshot, &oldest));
    return rg_journal_forget(j->journal, oldest);
}

rg_status rg_serve_snapshot(rg_engine *s)
{
    uint64_t begin = rg_clock_ns();
    in_each_loop(s, hold);
    rg_serve_settle(s);
    rg_status code = write_all(s);
    in_each_loop(s, release);
    s->journal->snapshot_ns = rg_clock_ns();
    if (code == RG_OK)
        rg_log(RG_LOG_I, "ps", "server=%d \"a snapshot was written\" MiB=%.1f seconds=%.3f", s->id,
               (double)s->journal->snapshot_bytes / 0x1p20, (double)(rg_clock_ns() - begin) * 1e-9);
    return code;
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
    if (s->journal == NULL || s->ended || !is_time(s))
        return;
    if (rg_serve_snapshot(s) != RG_OK) /* the one before is there, and the journal since */
        rg_log(RG_LOG_W, "ps", "server=%d \"no snapshot was written: %s\"", s->id,
               rg_error_message());
}
