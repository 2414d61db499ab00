/* commands.c - what trainers and tools may ask of a server: one table, and the way into it.
 *
 * A command is a method of docs/protocol.md, whose list tools/commands_page.py makes of this
 * table. Who may ask, whether it is done once and when are said here; its function only does it. */
#include "dist/serve_load.h"
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "dist/serve_tell.h"

#include "sys/clock.h"
#include "sys/events.h"
#include "sys/log.h"
#include "sys/metrics.h"
#include "sys/profile.h"

#include <string.h>

typedef enum who_may { ALL, TRAINERS, TRAINER_0 } who_may;

enum {
    /* It changes something, and is done once: its answer is remembered, and given again to who did
     * not hear it. (Pushes and messages say by themselves which they are, and their answers would
     * be too much to keep.) */
    ONCE = 1,
    EARLY = 2,   /* it does not wait for the program of a server that has none yet */
    GOODBYE = 4, /* also of a trainer that has left: the answer may have been lost */
    NO_WORK = 8, /* whoever asks nothing else does nothing */
    /* It is about who waits for whom, and done under the engine's lock; others see to that
     * themselves. */
    LOCKED = 16,
    /* It changes what a server has, and is written to the journal before it is done. */
    NOTED = 32,
    /* A trainer that was started again asks for it again: it is answered, and not done. */
    COUNTED = 64,
    /* With a journal that is flushed each second its answer does not wait for that: who asked keeps
     * it until it is told that it is on the disk, and asks again where a server comes back without
     * it (serve_journal.c). */
    KEPT = 128,
};

typedef struct command {
    const char *name;
    who_may who;
    unsigned flags;
    void (*answer)(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
    const char *request, *reply; /* in words, for the page */
} command;

static void tell_schema(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
static void tell_whom(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
static void compare_program(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
static void take_program(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* By method. */
static const command commands[] = {
    [RG_PS_SCHEMA] = {"SCHEMA", ALL, 0, tell_schema, "nothing", "the variables"},
    [RG_PS_PULL] = {"PULL", ALL, 0, rg_serve_pull, "u32 numbers of variables",
                    "their values, each padded"},
    [RG_PS_ROWS] = {"ROWS", ALL, 0, rg_serve_rows, "ids of tables", "their rows"},
    [RG_PS_PUSH] = {"PUSH", TRAINERS, NOTED | KEPT, rg_serve_push,
                    "gradients, and what is wanted back", "that"},
    [RG_PS_GET] = {"GET", ALL, 0, rg_serve_get_whole, "name, rows", "a tensor"},
    [RG_PS_BARRIER] = {"BARRIER", TRAINERS, ONCE | LOCKED | NOTED, rg_serve_rendezvous, "name",
                       "nothing, when all have come"},
    [RG_PS_REDUCE] = {"REDUCE", TRAINERS, ONCE | LOCKED | NOTED, rg_serve_rendezvous,
                      "name, numbers", "numbers, when all have come"},
    [RG_PS_LEAVE] = {"LEAVE", TRAINERS, ONCE | EARLY | GOODBYE | NOTED, rg_serve_leave, "nothing",
                     "nothing"},
    [RG_PS_FAIL] = {"FAIL", TRAINERS, ONCE | EARLY | LOCKED, rg_serve_hear_failure,
                    "text, without a length", "nothing"},
    [RG_PS_PROGRAM] = {"PROGRAM", TRAINERS, ONCE | LOCKED | NOTED, compare_program,
                       "32 bytes: digest of the program that is trained",
                       "nothing, where it is that of all"},
    [RG_PS_STATS] = {"STATS", TRAINERS, ONCE | NO_WORK | LOCKED | NOTED | KEPT, rg_serve_stats,
                     "how far this trainer is", "how far all are"},
    [RG_PS_SET] = {"SET", TRAINERS, ONCE | NOTED | COUNTED, rg_serve_set_whole,
                   "call, name, tensor", "nothing"},
    [RG_PS_SHRINK] = {"SHRINK", TRAINERS, ONCE | NOTED | COUNTED, rg_serve_shrink,
                      "call, name, u32 calls", "u64 rows that went"},
    [RG_PS_CLEAR] = {"CLEAR", TRAINERS, ONCE | NOTED | COUNTED, rg_serve_shrink, "call, name",
                     "u64 rows that went"},
    [RG_PS_SAVE] = {"SAVE", TRAINERS, ONCE | COUNTED, rg_serve_save,
                    "call, name of a folder, name of a table", "u64 rows that were written"},
    [RG_PS_POST] = {"POST", TRAINERS, LOCKED | NOTED, rg_serve_post, "a message to another trainer",
                    "u32: 1 taken, 0 no room now"},
    [RG_PS_FETCH] = {"FETCH", TRAINERS, LOCKED | NOTED, rg_serve_fetch,
                     "how many messages this trainer has", "those behind them"},
    [RG_PS_WAITS] = {"WAITS", ALL, EARLY | NO_WORK | LOCKED, tell_whom, "nothing",
                     "text, without a length: whom the server waits for; empty where for nobody"},
    [RG_PS_LOAD] = {"LOAD", TRAINER_0, ONCE | EARLY | NOTED, take_program,
                    "the programs of a server that has none", "nothing"},
    [RG_PS_PEEK] = {"PEEK", ALL, 0, rg_serve_rows, "ids of tables",
                    "their rows, which stay as they are"},
    [RG_PS_RESUME] = {"RESUME", TRAINERS, EARLY | GOODBYE | NOTED, rg_serve_resume,
                      "nothing; or u64 pushes of each thread that it goes on with",
                      "how far this trainer was; or nothing"},
    [RG_PS_DEAL] = {"DEAL", TRAINERS, ONCE | LOCKED | NOTED, rg_serve_begin_pass,
                    "the files of a pass over leased data", "how far it is"},
    [RG_PS_LEASE] = {"LEASE", TRAINERS, LOCKED, rg_serve_lease,
                     "ranges that are done, and whether another is wanted", "that; how far all is"},
    [RG_PS_RANGE] = {"RANGE", TRAINERS, LOCKED | NOTED, rg_serve_range,
                     "u32 pass, u32 range, u32 generation, u32 0",
                     "u64 examples of it that have come"},
    [RG_PS_IDLE] = {"IDLE", TRAINERS, LOCKED | NOTED, rg_serve_idle, "nothing", "nothing"},
    [RG_PS_ENTER] = {"ENTER", TRAINERS, LOCKED | NOTED, rg_serve_enter,
                     "u64 0; or the number of a step", "u64 number of a step; or nothing"},
    [RG_PS_SYNC] = {"SYNC", TRAINERS, EARLY | GOODBYE | NO_WORK, rg_serve_sync, "nothing",
                    "nothing, when all that was answered before is on the disk"},
};

/* NULL: there is no such method. */
static const command *find_command(uint16_t method)
{
    const command *found = &commands[method < sizeof commands / sizeof *commands ? method : 0];
    return found->answer != NULL ? found : NULL;
}

const char *rg_ps_method_name(uint16_t method)
{
    const command *found = find_command(method);
    return found != NULL ? found->name : "?";
}

bool rg_serve_is_noted(uint16_t method)
{
    const command *asked = find_command(method);
    return asked != NULL && (asked->flags & NOTED) != 0;
}

bool rg_serve_is_counted(uint16_t method)
{
    const command *asked = find_command(method);
    return asked != NULL && (asked->flags & COUNTED) != 0;
}

bool rg_serve_is_kept(uint16_t method)
{
    const command *asked = find_command(method);
    return asked != NULL && (asked->flags & KEPT) != 0;
}

void rg_serve_reply(rg_rpc_request *request, rg_buf *out)
{
    if (rg_buf_status(out) != RG_OK)
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
    else
        rg_rpc_reply(request, 0, &(rg_iov){out->data, out->len}, 1, NULL, NULL);
    rg_buf_fini(out);
}

/* ---- the small ones ---- */

static void tell_schema(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_buf out;
    (void)trainer;
    rg_buf_init(&out, 0);
    rg_ps_schema_write(&out, &s->schema);
    rg_serve_reply(request, &out);
}

static void tell_whom(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_buf out;
    (void)trainer;
    rg_buf_init(&out, 0);
    if (s->desc == NULL)
        rg_serve_whose_program(s, &out);
    else
        rg_serve_whom(s, &out);
    rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    rg_buf_fini(&out);
}

/* All trainers train the same: the first to say what it is decides. */
static void compare_program(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *digest = rg_rpc_request_body(request, &n);
    if (n != sizeof s->digest) {
        rg_rpc_refuse(request, RG_ECORRUPT, "a digest of %zu bytes", n);
        return;
    }
    if (s->has_digest && memcmp(digest, s->digest, n) != 0) {
        rg_event("refused", NULL, "%s runs another program", trainer->who);
        rg_log(RG_LOG_E, "ps", "server=%d \"%s runs another program: refused\"", s->id,
               trainer->who);
        rg_rpc_refuse(request, RG_EINVAL,
                      "%s runs another program than the trainers that came before; all trainers of "
                      "a job must run the same",
                      trainer->who);
        return;
    }
    memcpy(s->digest, digest, n);
    s->has_digest = true;
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
}

/* ---- the way in ---- */

/* To be able to say who does nothing. */
static void note_request(rg_member *trainer, uint16_t method, const command *asked)
{
    if (method == RG_PS_PULL || method == RG_PS_ROWS || method == RG_PS_PEEK || method == RG_PS_GET)
        rg_metric_add(RG_M_PULLS, 1);
    if (trainer == NULL || (asked->flags & NO_WORK) != 0)
        return;
    atomic_store_explicit(&trainer->asked_ns, rg_clock_ns(), memory_order_relaxed);
    atomic_store_explicit(&trainer->fetches, method == RG_PS_FETCH, memory_order_relaxed);
}

/* Whether it waits for the program. */
static bool is_held(rg_engine *s, const command *asked, rg_rpc_request *request)
{
    if ((asked->flags & EARLY) != 0 || atomic_load_explicit(&s->ready, memory_order_acquire))
        return false;
    pthread_mutex_lock(&s->lock);
    bool held = !atomic_load(&s->ready); /* it may just have come */
    if (held && s->ended && s->failed != RG_OK)
        rg_rpc_refuse(request, s->failed, "%s", s->why); /* who is held has been told already */
    else if (held)
        rg_serve_hold(s, request);
    pthread_mutex_unlock(&s->lock);
    return held;
}

static bool is_refused(rg_engine *s, const rg_member *trainer, const command *asked,
                       rg_rpc_request *request)
{
    if (asked->who == ALL)
        return false;
    if (trainer == NULL) {
        rg_rpc_refuse(request, RG_EINVAL, "only a trainer can ask for that");
        return true;
    }
    if ((asked->flags & ONCE) != 0 && rg_rpc_request_repeated(request) &&
        ((asked->flags & NOTED) != 0 || !rg_rpc_request_recalled(request))) {
        /* Its answer would have been given again, were it not for newer ones. */
        rg_rpc_refuse(request, RG_ESTALE,
                      "%s asks again for what was done long ago, and what came of it is not known "
                      "any more",
                      trainer->who);
        return true;
    }
    if (trainer->lost) {
        rg_rpc_refuse(request, RG_ESTALE,
                      "%s was thought dead, and has to end: the job goes on without it",
                      trainer->who);
        return true;
    }
    if (trainer->left && (asked->flags & GOODBYE) == 0 && trainer->epoch == 1) {
        rg_rpc_refuse(request, RG_EINVAL, "%s has said that it is done", trainer->who);
        return true;
    }
    if (trainer->shuffled && (asked->answer == rg_serve_post || asked->answer == rg_serve_fetch)) {
        rg_rpc_refuse(request, RG_ESTALE,
                      "%s was started again, and the examples that others sent it in a global "
                      "shuffle went with the process before it: start the job again, or shuffle "
                      "without it (local_shuffle)",
                      trainer->who);
        return true;
    }
    if (asked->who == TRAINER_0 && trainer != s->trainers) {
        rg_rpc_refuse(request, RG_EDENIED, "%s may not ask for %s: trainer 0 does", trainer->who,
                      asked->name);
        return true;
    }
    return false;
}

/* A process that stood still, or what was under way of one that is gone: another has its place. */
static bool is_replaced(const rg_member *trainer, rg_rpc_request *request)
{
    if (trainer == NULL ||
        rg_rpc_peer_session(rg_rpc_request_peer(request)) == atomic_load(&trainer->session))
        return false;
    rg_rpc_refuse(
        request, RG_ESTALE,
        "this trainer was replaced by another process of the same number, and has to end: "
        "the job goes on without it");
    return true;
}

/* Of a request that an earlier process of this trainer has asked for: no row goes, or is written,
 * a second time. */
static void answer_done(uint16_t method, rg_rpc_request *request)
{
    static const uint64_t none;
    rg_rpc_reply(request, 0, &(rg_iov){&none, sizeof none}, method == RG_PS_SET ? 0 : 1, NULL,
                 NULL);
}

/* By the call of the script that it is of. A file counts when it is there (serve_save.c). */
static bool is_done(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    uint16_t method = rg_rpc_request_method(request);
    rg_ps_change change;
    rg_cursor in = {.left = 0};
    in.at = rg_rpc_request_body(request, &in.left);
    rg_status code = rg_ps_change_read(&in, &change);
    if (code != RG_OK) {
        rg_refuse_with_message(request, code);
        return true;
    }
    if (rg_serve_was_done(trainer, change.call)) {
        answer_done(method, request);
        return true;
    }
    if (method != RG_PS_SAVE)
        rg_serve_count_change(s, trainer, trainer->asked, change.requests, false);
    return false;
}

static void answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request, uint16_t method,
                   const command *asked)
{
    note_request(trainer, method, asked);
    if (is_replaced(trainer, request))
        return;
    if (trainer != NULL)
        rg_serve_new_session(s, trainer);
    if (is_held(s, asked, request) || is_refused(s, trainer, asked, request))
        return;
    if ((asked->flags & ONCE) != 0)
        rg_rpc_request_remember(request);
    if ((asked->flags & COUNTED) != 0 && is_done(s, trainer, request))
        return;
    if ((asked->flags & LOCKED) == 0) {
        asked->answer(s, trainer, request);
        return;
    }
    pthread_mutex_lock(&s->lock);
    rg_arena_reset(&s->scratch);
    if (s->ended && s->failed != RG_OK) /* meanwhile: who waits has been told already */
        rg_rpc_refuse(request, s->failed, "%s", s->why);
    else
        asked->answer(s, trainer, request);
    pthread_mutex_unlock(&s->lock);
    rg_serve_try_step(s); /* who waits in a rendezvous takes no part in steps */
}

void rg_serve_answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    uint16_t method = rg_rpc_request_method(request);
    const command *asked = find_command(method);
    if (asked == NULL) {
        rg_rpc_refuse(request, RG_EUNIMPL, "this server knows no method %u", method);
        return;
    }
    uint64_t start = rg_profiling ? rg_clock_ns() : 0;
    answer(s, trainer, request, method, asked);
    if (start != 0)
        rg_profile_add(RG_SPAN_SERVE, asked->name, start, rg_clock_ns());
}

static rg_rpc_request *next_held(rg_engine *s)
{
    pthread_mutex_lock(&s->lock);
    rg_rpc_request *held = rg_serve_next_held(s);
    pthread_mutex_unlock(&s->lock);
    return held;
}

static void take_program(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    pthread_mutex_lock(&s->lock);
    bool taken = rg_serve_load(s, trainer, request);
    pthread_mutex_unlock(&s->lock);
    for (rg_rpc_request *held; taken && (held = next_held(s)) != NULL;)
        rg_serve_answer_there(s, held);
}
