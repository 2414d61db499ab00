/* serve_members.c - who takes part in a server's job: they come, leave, fail, and end it. */
#include "dist/serve_load.h"
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"

#include "base/escape.h"
#include "base/mem.h"
#include "sys/because.h"
#include "sys/clock.h"
#include "sys/ending.h"
#include "sys/events.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIRST_EPOCH = 1 };
static const uint64_t SECOND = 1000000000;

/* ---- ending ---- */

void rg_serve_refuse_waiting(rg_engine *s)
{
    if (s->cutting)
        return; /* their requests are being written down: they are told at its end */
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_member *trainer = &s->trainers[t];
        if (trainer->waiting != NULL && !s->stepping) {
            rg_rpc_refuse(trainer->waiting->request, s->failed, "%s", s->why);
            rg_pushing_end(trainer->waiting);
            trainer->waiting = NULL;
        }
        if (trainer->rendezvous.request != NULL)
            rg_rpc_refuse(trainer->rendezvous.request, s->failed, "%s", s->why);
        if (trainer->resume != NULL)
            rg_rpc_refuse(trainer->resume, s->failed, "%s", s->why);
        trainer->resume = NULL;
        rg_free(trainer->rendezvous.name);
        trainer->rendezvous = (rg_rendezvous){0};
    }
    for (rg_rpc_request *held; (held = rg_serve_next_held(s)) != NULL;)
        rg_rpc_refuse(held, s->failed, "%s", s->why);
}

void rg_serve_fail(rg_engine *s, rg_status status, const char *fmt, ...)
{
    va_list args;
    pthread_mutex_lock(&s->members);
    bool first = !s->ended;
    if (first) {
        s->ended = true;
        s->failed = status;
        va_start(args, fmt);
        (void)vsnprintf(s->why, sizeof s->why, fmt, args);
        va_end(args);
        atomic_store(&s->refusing, (int)status);
        (void)pthread_cond_broadcast(&s->change);
    }
    pthread_mutex_unlock(&s->members);
    if (!first)
        return;
    rg_log(RG_LOG_E, "ps", "server=%d \"%s\"", s->id, s->why);
    rg_serve_refuse_waiting(s);
}

/* To whoever watches. */
static void tell(ptrdiff_t number, const char *kind, const char *who, const char *how)
{
    char name[32];
    (void)snprintf(name, sizeof name, "worker.%d", (int)number);
    rg_event(kind, name, "%s %s", who, how);
}

static void fail_because_of(rg_engine *s, const rg_member *trainer, const char *before,
                            const char *how)
{
    tell(trainer - s->trainers, "lost", trainer->who, how);
    if (!s->ended)
        rg_because_say((rg_because){.worker = true, .index = (int)(trainer - s->trainers)});
    rg_serve_fail(s, RG_ECLOSED, "%s %s%s", trainer->who, before, how);
}

/* It is waited for no more. False: another process has its number by now, and is. */
static bool has_left(rg_engine *s, rg_member *trainer, uint64_t session, bool lost)
{
    pthread_mutex_lock(&s->members);
    bool current = trainer->session == session;
    if (current) {
        trainer->left = true;
        trainer->lost = lost;
    }
    pthread_mutex_unlock(&s->members);
    return current;
}

/* Nothing is kept for one that has left. */
typedef struct forgetting {
    rg_spread spread;
    int trainer;
} forgetting;

static rg_status forget_part(rg_spread *spread, rg_shard *shard)
{
    for (size_t v = 0; v < spread->engine->schema.n; v++)
        rg_served_left(&shard->vars[v], ((forgetting *)spread)->trainer);
    return RG_OK;
}

static void end_forgetting(rg_spread *spread)
{
    rg_free(spread);
}

/* Without the lock. Where there is no memory to forget, it is kept. */
static void forget(rg_engine *s, const rg_member *trainer)
{
    forgetting *f = atomic_load(&s->ready) && s->mode->programs.updates && !atomic_load(&s->closing)
                        ? rg_spread_new(s, sizeof *f)
                        : NULL;
    if (f == NULL)
        return;
    f->trainer = (int)(trainer - s->trainers);
    rg_spread_start(&f->spread, rg_serve_all_shards(s), forget_part, end_forgetting);
}

static void end_if_all_left(rg_engine *s)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        if (!s->trainers[t].left && !rg_serve_is_absent(s, &s->trainers[t]))
            return;
    if (s->elastic > 0 && rg_serve_all_are_lost(s))
        return; /* nobody has finished: rg_serve_look_for_lost() */
    pthread_mutex_lock(&s->members);
    s->ended = true;
    (void)pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->members);
}

/* ---- who comes ---- */

/* Whether one that comes new stands in the place of that one: it is gone, or was started before. */
static bool may_replace(const rg_engine *s, const rg_member *there, const rg_rpc_hello *hello)
{
    return rg_serve_is_replaying(s) || ((rg_serve_waits_for_return() || s->elastic > 0) &&
                                        (!there->here || hello->incarnation > there->incarnation));
}

static rg_status number_of(rg_engine *s, const rg_rpc_hello *hello, uint64_t session, int *out)
{
    int n = (int)s->schema.trainers;
    if (hello->trainer == RG_RPC_ANY_TRAINER) {
        for (int i = 0; i < n; i++)
            if (s->trainers[i].joined && s->trainers[i].session == session) {
                *out = i; /* it has a number, and did not hear of it */
                return RG_OK;
            }
        for (int i = 0; i < n; i++)
            if (!s->trainers[i].joined) {
                *out = i;
                return RG_OK;
            }
        return rg_fail(RG_EINVAL, "this job has %d trainers, and all of them have come", n);
    }
    if (hello->trainer < 0 || hello->trainer >= n)
        return rg_fail(RG_EINVAL, "there is no trainer %d in a job of %d", hello->trainer, n);
    const rg_member *there = &s->trainers[hello->trainer];
    if (there->joined && there->session != session && !may_replace(s, there, hello))
        return rg_fail(RG_EINVAL,
                       "trainer number %d is taken by %s%s; give each trainer an id of "
                       "its own (PADDLE_TRAINER_ID)",
                       hello->trainer, there->who, there->left ? ", which has finished" : "");
    *out = hello->trainer;
    return RG_OK;
}

static rg_status check_hello(rg_engine *s, const rg_rpc_hello *hello, rg_rpc_arrival arrival)
{
    if (s->stale[0] != '\0')
        return rg_fail(RG_ESTALE, "%s", s->stale);
    /* Who comes back after all went well has not heard the answer to its LEAVE. */
    if (s->ended && s->failed == RG_OK && arrival == RG_RPC_NEW &&
        (hello->incarnation > 0 || s->elastic > 0))
        return rg_fail(RG_EOF, "the job is over, and all has gone well");
    if (s->ended && (s->failed != RG_OK || arrival != RG_RPC_BACK))
        return rg_fail(RG_ECLOSED, "%s", s->why[0] ? s->why : "the job is over");
    if (hello->trainers != 0 && hello->trainers != s->schema.trainers)
        return rg_fail(RG_EINVAL,
                       "%s believes that there are %u trainers, and this server was "
                       "told %u%s",
                       hello->name, hello->trainers, s->schema.trainers,
                       s->typed ? " (--num_gradient_servers)" : "");
    return RG_OK;
}

/* A trainer that has an epoch got it from a server. Not from this process: then from one that was
 * here before, whose variables nobody has. */
static rg_status turn_away_stale(rg_engine *s, const rg_rpc_hello *hello)
{
    char why[512];
    (void)snprintf(
        why, sizeof why,
        "server %d was started again while its job was running, and what it had learned "
        "is lost (%s, pid %u on %s, knows it from before); end all processes of the job, "
        "and start it again from what was saved last",
        s->id, hello->name, hello->pid, hello->host);
    bool alone = true;
    s->turned_away++;
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        alone = alone && !s->trainers[t].joined;
    if (alone && s->stale[0] == '\0') {
        /* Else it has a job of its own, and this is someone left over from another. The acceptor
         * does not end a job: that takes the engine's lock. */
        (void)snprintf(s->stale, sizeof s->stale, "%s", why);
        (void)pthread_cond_broadcast(&s->change);
    }
    return rg_fail(RG_ESTALE, "%s", why);
}

/* Someone comes back in its session: where it has been replaced, or given up, it hears so. */
static rg_status check_return(const rg_engine *s, const rg_rpc_hello *hello, uint64_t session,
                              rg_rpc_arrival arrival)
{
    uint32_t number = (uint32_t)hello->trainer;
    const rg_member *there = number < s->schema.trainers ? &s->trainers[number] : NULL;
    if (there != NULL && there->joined && there->session != session)
        return rg_fail(RG_EDENIED,
                       "%s (pid %u on %s) was replaced by %s, and has to end: the job goes on "
                       "without it",
                       hello->name, hello->pid, hello->host, there->who);
    if (there != NULL && there->lost)
        return rg_fail(RG_EDENIED,
                       "%s (pid %u on %s) was thought dead, and has to end: the job goes on "
                       "without it",
                       hello->name, hello->pid, hello->host);
    if (arrival == RG_RPC_REVENANT && (there == NULL || there->away_ns == 0))
        return rg_fail(RG_ECLOSED, "%s was thought dead, and the job has ended", hello->name);
    return RG_OK;
}

/* Other threads may still read the name before. */
struct rg_who {
    struct rg_who *before;
    char text[3 * RG_RPC_NAME_MAX];
};

static rg_status name_it(rg_member *trainer, int number, const rg_rpc_hello *hello)
{
    struct rg_who *name = rg_alloc(sizeof *name);
    if (name == NULL)
        return rg_no_memory(sizeof *name, "a trainer");
    (void)snprintf(name->text, sizeof name->text, "trainer %d (pid %u on %s)", number, hello->pid,
                   hello->host);
    name->before = trainer->names;
    trainer->names = name;
    trainer->who = name->text;
    return RG_OK;
}

void rg_serve_close_member(rg_member *trainer)
{
    while (trainer->names != NULL) {
        struct rg_who *name = trainer->names;
        trainer->names = name->before;
        rg_free(name);
    }
    rg_rpc_peer_drop(trainer->peer);
    rg_free(trainer->pushed);
    rg_free(trainer->positions);
    rg_free(trainer->before);
    rg_free((void *)trainer->refused);
    rg_serve_forget_stats(trainer);
    rg_serve_forget_messages(trainer);
}

/* Its first, or that of another process in its place: the epoch says which. All are of one loop, so
 * that whatever the last one had sent is through, or is refused, when this one asks. */
static rg_status begin_session(rg_engine *s, rg_member *trainer, rg_rpc_peer *peer,
                               const rg_rpc_hello *hello)
{
    bool again = trainer->joined;
    RG_TRY(name_it(trainer, (int)(trainer - s->trainers), hello));
    if (again)
        rg_rpc_peer_set_loop(peer, trainer->loop);
    if (trainer->peer != NULL) {
        rg_rpc_peer_expel(trainer->peer);
        rg_rpc_peer_drop(trainer->peer);
        trainer->peer = NULL;
    }
    if (again)
        rg_serve_return_leases(s, trainer, trainer->epoch);
    if (s->elastic > 0) {
        trainer->left = trainer->lost = false;
        trainer->idle = again || atomic_load(&s->n_joined) >= s->elastic;
        trainer->holds = 0;
    }
    if (!again)
        (void)atomic_fetch_add(&s->n_joined, 1);
    trainer->loop = rg_rpc_peer_loop(peer);
    trainer->joined = true;
    trainer->incarnation = hello->incarnation;
    trainer->epoch = again ? trainer->epoch + 1 : FIRST_EPOCH;
    trainer->session = rg_rpc_peer_session(peer);
    trainer->hello = *hello;
    if (again)
        tell(trainer - s->trainers, "rejoined", trainer->who,
             "has come in the place of one that is gone");
    if (again)
        rg_log(RG_LOG_W, "ps",
               "server=%d epoch=%llu \"%s has come in the place of one that is gone\"", s->id,
               (unsigned long long)trainer->epoch, trainer->who);
    else
        rg_log(RG_LOG_I, "ps", "server=%d \"%s has come\"", s->id, trainer->who);
    return RG_OK;
}

static void is_here(rg_engine *s, rg_member *trainer, rg_rpc_peer *peer)
{
    if (!trainer->here)
        s->present++;
    if (trainer->peer == NULL)
        rg_rpc_peer_keep(peer);
    trainer->peer = peer;
    trainer->here = true;
    trainer->away_ns = 0;
}

rg_status rg_serve_come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival)
{
    rg_engine *s = user;
    int number = 0;
    if (hello->role != RG_RPC_TRAINER)
        return RG_OK;
    pthread_mutex_lock(&s->members);
    uint64_t session = rg_rpc_peer_session(peer);
    rg_status code = arrival != RG_RPC_NEW ? check_return(s, hello, session, arrival)
                     : hello->epoch != 0   ? turn_away_stale(s, hello)
                                           : RG_OK;
    if (code == RG_OK)
        code = check_hello(s, hello, arrival);
    if (code == RG_OK)
        code = number_of(s, hello, session, &number);
    if (code == RG_OK) {
        rg_member *trainer = &s->trainers[number];
        if (!trainer->joined || trainer->session != session) {
            code = rg_serve_note_join(s, peer, hello);
            if (code == RG_OK)
                code = begin_session(s, trainer, peer, hello);
        }
        if (code == RG_OK) {
            is_here(s, trainer, peer);
            hello->epoch = trainer->epoch;
            hello->trainer = number;
            rg_rpc_peer_set_user(peer, trainer);
        }
    }
    pthread_mutex_unlock(&s->members);
    if (code != RG_OK)
        rg_event("refused", NULL, "%s (pid %u on %s): %s", hello->name, hello->pid, hello->host,
                 rg_error_message());
    return code;
}

/* ---- who goes ---- */

/* Whoever was to send the program has gone: it will not come any more. */
static void fail_without_program(rg_engine *s, const rg_member *trainer)
{
    if (s->desc == NULL && trainer == s->trainers && !s->ended)
        fail_because_of(s, trainer, "", "has left without sending the program");
}

static bool is_waiting(const rg_member *trainer)
{
    return trainer->waiting != NULL || trainer->rendezvous.request != NULL;
}

void rg_serve_leave(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    pthread_mutex_lock(&s->lock);
    bool waits = is_waiting(trainer);
    if (waits) {
        rg_rpc_refuse(request, RG_EINVAL, "%s leaves while it waits for an answer", trainer->who);
    } else {
        (void)has_left(s, trainer, trainer->session, false);
        rg_serve_return_leases(s, trainer, trainer->epoch);
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        rg_log(RG_LOG_I, "ps", "server=%d \"%s has finished\"", s->id, trainer->who);
        end_if_all_left(s);
        fail_without_program(s, trainer);
        rg_serve_try_rendezvous(s);
    }
    pthread_mutex_unlock(&s->lock);
    if (waits)
        return;
    forget(s, trainer);
    rg_serve_try_step(s);
}

void rg_serve_hear_failure(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const char *text = (const char *)rg_rpc_request_body(request, &n);
    char why[512];
    (void)rg_escape(why, sizeof why, text, n < 400 ? n : 400);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    if (rg_ending_was_said())
        rg_log(RG_LOG_I, "ps", "server=%d \"%s ends with its job: %s\"", s->id, trainer->who, why);
    else
        fail_because_of(s, trainer, "has failed: ", why);
}

/* One that has not left is gone for good, with its session. With the lock, which does not keep
 * another process from its number. True: the others go on without it. */
static bool is_done_without(rg_engine *s, rg_member *trainer, uint64_t session, const char *how)
{
    const char *who = trainer->who;
    bool may = s->mode != NULL &&
               (s->elastic > 0 || (!s->mode->programs.merges && rg_flag_bool("ps_go_on")));
    if (!may) {
        fail_because_of(s, trainer, "", how);
        return false;
    }
    if (!has_left(s, trainer, session, s->elastic > 0))
        return false;
    rg_log(RG_LOG_W, "ps", "server=%d \"%s %s; the others go on\"", s->id, who, how);
    tell(trainer - s->trainers, "lost", who, how);
    (void)snprintf(s->last_lost, sizeof s->last_lost, "%s, which %s", who, how);
    rg_serve_note_gone(s, session);
    end_if_all_left(s);
    rg_serve_try_rendezvous(s);
    return true;
}

/* Whether the session is the trainer's, of which epoch, and whether it may come back: in a job that
 * is being ended it is whoever goes on with that, and those that are left may save yet. */
static bool is_current(rg_engine *s, rg_member *trainer, const rg_rpc_peer *peer, const char *how,
                       uint64_t *epoch, bool *away)
{
    bool may_return = s->elastic == 0 && (rg_serve_waits_for_return() || rg_ending_was_said());
    pthread_mutex_lock(&s->members);
    bool current = trainer->session == rg_rpc_peer_session(peer);
    *epoch = trainer->epoch;
    *away = current && !trainer->left && !s->ended && may_return;
    if (*away) {
        trainer->away_ns = rg_clock_ns();
        (void)snprintf(trainer->how, sizeof trainer->how, "%s", how);
    }
    pthread_mutex_unlock(&s->members);
    return current;
}

static void is_not_here(rg_engine *s, rg_member *trainer, const rg_rpc_peer *peer)
{
    pthread_mutex_lock(&s->members);
    if (trainer->here && trainer->session == rg_rpc_peer_session(peer)) {
        rg_rpc_peer_drop(trainer->peer);
        trainer->peer = NULL;
        trainer->here = false;
        s->present--;
        (void)pthread_cond_broadcast(&s->change);
    }
    pthread_mutex_unlock(&s->members);
}

static void tell_away(const rg_engine *s, const rg_member *trainer, const char *how)
{
    tell(trainer - s->trainers, "lost", trainer->who, how);
    if (rg_ending_was_said())
        rg_log(RG_LOG_I, "ps", "server=%d \"%s %s; the job is being ended\"", s->id, trainer->who,
               how);
    else
        rg_log(RG_LOG_W, "ps",
               "server=%d wait_seconds=%lld \"%s %s; it may be started again, and is waited for\"",
               s->id, (long long)rg_flag_int("ps_return_seconds"), trainer->who, how);
}

static void gone(rg_engine *s, rg_rpc_peer *peer, const char *how)
{
    rg_member *trainer = rg_rpc_peer_user(peer);
    bool goes_on = false, away;
    uint64_t epoch;
    if (trainer == NULL)
        return;
    pthread_mutex_lock(&s->lock); /* first: who comes while it is waited for is not gone */
    if (!is_current(s, trainer, peer, how, &epoch, &away)) {
        pthread_mutex_unlock(&s->lock);
        return; /* another process has its place */
    }
    if (away)
        tell_away(s, trainer, how);
    if (away && trainer->leased) { /* others make steps without it, and so again from the journal */
        rg_serve_note_gone(s, rg_rpc_peer_session(peer));
        trainer->idle = true;
    }
    trainer->holds = 0;
    if (!trainer->left && !away)
        goes_on = is_done_without(s, trainer, rg_rpc_peer_session(peer), how);
    pthread_mutex_unlock(&s->lock);
    rg_serve_return_leases(s, trainer, epoch);
    if (goes_on)
        forget(s, trainer);
    is_not_here(s, trainer, peer);
    rg_serve_try_step(s); /* who is not waited for any more */
}

void rg_serve_look_for_away(rg_engine *s)
{
    uint64_t now = rg_clock_ns(), wait_ns = (uint64_t)rg_flag_int("ps_return_seconds") * SECOND;
    if (wait_ns == 0 || rg_ending_was_said())
        return;
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_member *trainer = &s->trainers[t];
        char how[600];
        pthread_mutex_lock(&s->lock);
        pthread_mutex_lock(&s->members);
        uint64_t session = trainer->session;
        bool late = trainer->away_ns != 0 && now > trainer->away_ns &&
                    now - trainer->away_ns > wait_ns;
        trainer->away_ns = late ? 0 : trainer->away_ns;
        pthread_mutex_unlock(&s->members);
        (void)snprintf(how, sizeof how,
                       "%s; it did not come back within %llu s (FLAGS_ps_return_seconds)",
                       trainer->how, (unsigned long long)(wait_ns / SECOND));
        bool goes_on = late && !trainer->left && is_done_without(s, trainer, session, how);
        pthread_mutex_unlock(&s->lock);
        if (goes_on)
            forget(s, trainer);
    }
}

void rg_serve_peer_left(void *user, rg_rpc_peer *peer)
{
    gone(user, peer, "went without finishing");
}

void rg_serve_peer_dead(void *user, rg_rpc_peer *peer, const char *how)
{
    char text[512];
    (void)snprintf(text, sizeof text, "died: %s", how);
    gone(user, peer, text);
}
