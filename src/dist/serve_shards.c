/* serve_shards.c - a server's values in shards, one for each loop, and requests that go over
 * several of them.
 *
 * Who owns what. A dense variable, with what its optimizer keeps, is one shard's; they are dealt
 * so that all have about as much. Rows of a table are in all shards, each by its id, where its
 * optimizer moves a row by that row alone (or in geo, where differences are added); another table
 * is one shard's, as a dense variable is. Variables that share something that one of them writes
 * are the same shard's. Only the loop of a shard touches its values.
 *
 * A request comes in the loop of its peer, which reads and checks it, sorts its rows by shard, and
 * starts a spread: each shard's part is a task for its loop, its own is done at once. Parts write
 * into the answer, each to places of its own, and the last to be through, by an atomic count,
 * sends it. With one loop all of it is a plain call.
 *
 * Order. Tasks from one loop to another are done as they were posted, so that what one trainer
 * asks is done in every shard in the order it asked. Two trainers may be served in different order
 * by different shards; in sync mode, where that would show, values change only in the step,
 * which all wait for, and each shard adds in the order of trainers: the bits are those of one loop.
 * What is counted beside rows, powers of beta or the schedule's steps, every shard counts for
 * itself from the same pushes, and so alike.
 *
 * Why nothing waits for ever. A part waits for nobody: it computes, replies, or starts another
 * spread. Those that do wait for spreads (copies for saves) have threads of their own and hold no
 * lock. A spread always has a part that is queued or being done, so that to end it is enough to let
 * every loop come to the end of its tasks (rg_serve_drain). */
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/latch.h"
#include "sys/log.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST_LOOPS = 8, CORES_A_LOOP = 4 };

/* ---- how many ---- */

/* Trainers need cores, too: a quarter of them is for the servers of this host. */
static int loops_of(int servers_here)
{
    int64_t flag = rg_flag_int("ps_loops");
    if (flag > 0)
        return (int)flag;
    int loops = rg_host_cores() / CORES_A_LOOP / (servers_here > 0 ? servers_here : 1);
    return loops < 1 ? 1 : loops > MOST_LOOPS ? MOST_LOOPS : loops;
}

rg_status rg_serve_open_shards(rg_engine *s, int servers_here)
{
    int64_t flag = rg_flag_int("ps_loops");
    if (flag < 0 || flag > RG_RPC_MAX_LOOPS)
        return rg_fail(RG_EINVAL, "FLAGS_ps_loops is %lld: 1 to %d loops are possible, or 0",
                       (long long)flag, RG_RPC_MAX_LOOPS);
    int n = s->loops > 0 ? s->loops : loops_of(servers_here);
    if (s->loops > 0 && flag > 0 && flag != n)
        rg_log(RG_LOG_W, "ps",
               "server=%d \"FLAGS_ps_loops is %lld, and its journal is of %d loops: "
               "they stay so many\"",
               s->id, (long long)flag, n);
    s->shards = rg_alloc_zero((size_t)n, sizeof *s->shards);
    if (s->shards == NULL)
        return rg_no_memory((size_t)n * sizeof *s->shards, "shards");
    s->n_shards = n;
    for (int k = 0; k < n; k++) {
        s->shards[k].engine = s;
        s->shards[k].number = k;
        pthread_mutex_init(&s->shards[k].spare_lock, NULL);
    }
    s->step = rg_spread_new(s, sizeof *s->step);
    s->taking = rg_alloc_zero(s->schema.trainers, sizeof(rg_pushing *));
    return s->step && s->taking ? RG_OK : rg_no_memory(1, "steps");
}

void rg_serve_close_shards(rg_engine *s)
{
    for (int k = 0; k < s->n_shards; k++) {
        rg_serve_free_spare(&s->shards[k]);
        rg_arena_free(&s->shards[k].scratch);
        pthread_mutex_destroy(&s->shards[k].spare_lock);
    }
    rg_free(s->shards);
    rg_free(s->step);
    rg_free(s->taking);
    s->shards = NULL;
    s->n_shards = 0;
}

rg_status rg_serve_loops_run(void *user, rg_rpc_server *server)
{
    rg_engine *s = user;
    s->rpc = server;
    for (int k = 0; k < s->n_shards; k++)
        s->shards[k].loop = rg_rpc_server_loop(server, k);
    return rg_serve_go_on(s);
}

/* ---- who has a variable ---- */

rg_shard_set rg_serve_all_shards(const rg_engine *s)
{
    return s->n_shards == 64 ? UINT64_MAX : ((rg_shard_set)1 << s->n_shards) - 1;
}

rg_shard_set rg_serve_owners(const rg_engine *s, size_t number)
{
    int owner = s->owners[number];
    return owner == RG_EVERY_SHARD ? rg_serve_all_shards(s) : (rg_shard_set)1 << owner;
}

rg_served *rg_serve_var(rg_engine *s, size_t number)
{
    int owner = s->owners[number];
    return &s->shards[owner == RG_EVERY_SHARD ? 0 : owner].vars[number];
}

/* ---- spreads ---- */

void *rg_spread_new(rg_engine *s, size_t bytes)
{
    size_t head = (bytes + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) *
                  _Alignof(max_align_t);
    uint8_t *whole = rg_alloc_zero(1, head + (size_t)s->n_shards * sizeof(rg_spread_part));
    if (whole == NULL)
        return NULL;
    rg_spread *spread = (rg_spread *)(void *)whole;
    spread->engine = s;
    spread->parts = (rg_spread_part *)(void *)(whole + head);
    return whole;
}

/* The engine may be gone once the count is down. */
static void end_part(rg_spread *spread, rg_status code)
{
    if (code != RG_OK && atomic_fetch_add(&spread->failures, 1) == 0) {
        spread->code = code; /* read by done() alone, after all parts */
        (void)snprintf(spread->why, sizeof spread->why, "%s", rg_error_message());
    }
    if (atomic_fetch_sub_explicit(&spread->left, 1, memory_order_acq_rel) != 1)
        return;
    rg_engine *s = spread->engine;
    spread->done(spread);
    (void)atomic_fetch_sub(&s->spreads, 1);
}

static void do_part(rg_spread *spread, rg_shard *shard)
{
    rg_arena_reset(&shard->scratch);
    end_part(spread, spread->part(spread, shard));
}

static void run_part(rg_task *task)
{
    rg_spread_part *part = (rg_spread_part *)task;
    do_part(part->spread, part->shard);
}

void rg_spread_start(rg_spread *spread, rg_shard_set shards,
                     rg_status (*part)(rg_spread *spread, rg_shard *shard),
                     void (*done)(rg_spread *spread))
{
    rg_engine *s = spread->engine;
    rg_shard *here = NULL;
    (void)atomic_fetch_add(&s->spreads, 1);
    spread->part = part;
    spread->done = done;
    spread->code = RG_OK;
    atomic_store(&spread->failures, 0);
    /* One more than parts: nobody is the last before all are posted. */
    atomic_store(&spread->left, 1 + __builtin_popcountll(shards));
    for (int k = 0; k < s->n_shards; k++) {
        rg_shard *shard = &s->shards[k];
        if ((shards >> k & 1) == 0)
            continue;
        if (rg_loop_inside(shard->loop)) {
            here = shard;
            continue;
        }
        spread->parts[k] = (rg_spread_part){{.run = run_part}, spread, shard};
        rg_loop_post(shard->loop, &spread->parts[k].task);
    }
    if (here != NULL) /* while the others are at theirs */
        do_part(spread, here);
    end_part(spread, RG_OK);
}

/* ---- waiting for one ---- */

static void wake(rg_spread *spread)
{
    rg_latch_open(spread->latch);
}

rg_status rg_spread_wait(rg_spread *spread, rg_shard_set shards,
                         rg_status (*part)(rg_spread *spread, rg_shard *shard))
{
    rg_latch latch;
    rg_latch_init(&latch);
    spread->latch = &latch;
    rg_spread_start(spread, shards, part, wake);
    (void)rg_latch_wait(&latch, UINT64_MAX); /* parts wait for nobody */
    rg_latch_fini(&latch);
    return spread->code == RG_OK ? RG_OK : rg_fail(spread->code, "%s", spread->why);
}

/* ---- in the loop of who asked ---- */

typedef struct forwarded {
    rg_task task;
    rg_engine *engine;
    rg_rpc_request *request;
} forwarded;

static void answer_here(rg_task *task)
{
    forwarded *f = (forwarded *)task;
    rg_engine *s = f->engine;
    rg_serve_answer(s, rg_rpc_peer_user(rg_rpc_request_peer(f->request)), f->request);
    rg_free(f);
    (void)atomic_fetch_sub(&s->spreads, 1);
}

void rg_serve_answer_there(rg_engine *s, rg_rpc_request *request)
{
    forwarded *f = rg_alloc(sizeof *f);
    if (f == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return;
    }
    *f = (forwarded){{.run = answer_here}, s, request};
    (void)atomic_fetch_add(&s->spreads, 1);
    rg_loop_post(s->shards[rg_rpc_peer_loop(rg_rpc_request_peer(request))].loop, &f->task);
}

/* ---- the end ---- */

void rg_serve_do_nothing(void *arg)
{
    (void)arg;
}

/* First every loop has seen `closing`; what is under way then has a task in some loop, and comes to
 * its end with the tasks. */
void rg_serve_drain(rg_engine *s)
{
    atomic_store(&s->closing, true);
    do
        for (int k = 0; k < s->n_shards; k++)
            if (s->shards[k].loop != NULL)
                rg_loop_do(s->shards[k].loop, rg_serve_do_nothing, NULL);
    while (atomic_load(&s->spreads) > 0);
}

/* ---- rows by shard ---- */

rg_status rg_rows_by_shard(const rg_engine *s, uint32_t var, rg_arena *arena, const int64_t *ids,
                           uint32_t n, rg_some *out)
{
    uint32_t counts[RG_RPC_MAX_LOOPS] = {0}, *next[RG_RPC_MAX_LOOPS];
    int owner = s->owners[var], n_shards = s->n_shards;
    for (int k = 0; k < n_shards; k++)
        out[k] = (rg_some){NULL, k == owner ? n : 0};
    if (owner != RG_EVERY_SHARD)
        return RG_OK;
    uint8_t *shards = rg_arena_alloc(arena, (size_t)n + 1);
    uint32_t *numbers = rg_arena_alloc(arena, ((size_t)n + 1) * sizeof *numbers);
    if (shards == NULL || numbers == NULL)
        return rg_no_memory(n * sizeof *numbers, "rows by shard");
    for (uint32_t i = 0; i < n; i++) {
        shards[i] = (uint8_t)rg_shard_of(ids[i], n_shards);
        counts[shards[i]]++;
    }
    for (int k = 0; k < n_shards; k++) {
        out[k] = (rg_some){numbers, counts[k]};
        next[k] = numbers;
        numbers += counts[k];
    }
    for (uint32_t i = 0; i < n; i++)
        *next[shards[i]]++ = i;
    return RG_OK;
}
