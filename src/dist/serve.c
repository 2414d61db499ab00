/* serve.c - a server's life: who comes, what they ask, how it ends. */
#include "dist/serve.h"

#include "base/escape.h"
#include "base/mem.h"
#include "dist/credentials.h"
#include "dist/serve_priv.h"
#include "sys/because.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FAREWELL_NS = 2LL * 1000000000, /* at the end: for the last words to arrive */
    MS_NS = 1000000,
    FIRST_EPOCH = 1,
};

/* ---- ending ---- */

static void refuse_waiting(rg_engine *s)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_member *trainer = &s->trainers[t];
        if (trainer->waiting != NULL)
            rg_rpc_refuse(trainer->waiting, s->failed, "%s", s->why);
        if (trainer->rendezvous.request != NULL)
            rg_rpc_refuse(trainer->rendezvous.request, s->failed, "%s", s->why);
        rg_free(trainer->rendezvous.name);
        trainer->waiting = NULL;
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
        (void)pthread_cond_broadcast(&s->change);
    }
    pthread_mutex_unlock(&s->members);
    if (!first)
        return;
    rg_log(RG_LOG_E, "ps", "server=%d \"%s\"", s->id, s->why);
    refuse_waiting(s);
}

static void fail_because_of(rg_engine *s, const rg_member *trainer, const char *before,
                            const char *how)
{
    if (!s->ended)
        rg_because_say((rg_because){.worker = true, .index = (int)(trainer - s->trainers)});
    rg_serve_fail(s, RG_ECLOSED, "%s %s%s", trainer->who, before, how);
}

/* It is waited for no more, and nothing is kept for it. */
static void has_left(rg_engine *s, rg_member *trainer)
{
    pthread_mutex_lock(&s->members);
    trainer->left = true;
    pthread_mutex_unlock(&s->members);
    for (size_t v = 0; v < s->schema.n; v++)
        rg_served_left(&s->vars[v], (int)(trainer - s->trainers));
}

static void end_if_all_left(rg_engine *s)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        if (!s->trainers[t].left)
            return;
    pthread_mutex_lock(&s->members);
    s->ended = true;
    (void)pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->members);
}

/* ---- who comes ---- */

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
    if (there->joined && there->session != session)
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

static rg_status come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival)
{
    rg_engine *s = user;
    int number = 0;
    if (hello->role != RG_RPC_TRAINER)
        return RG_OK;
    pthread_mutex_lock(&s->members);
    uint64_t session = rg_rpc_peer_session(peer);
    rg_status code = arrival == RG_RPC_REVENANT
                         ? rg_fail(RG_ECLOSED, "%s was thought dead, and the job has ended",
                                   hello->name)
                     : arrival == RG_RPC_NEW && hello->epoch != 0 ? turn_away_stale(s, hello)
                                                                  : check_hello(s, hello, arrival);
    if (code == RG_OK)
        code = number_of(s, hello, session, &number);
    if (code == RG_OK) {
        rg_member *trainer = &s->trainers[number];
        if (!trainer->joined) {
            s->present++;
            trainer->joined = true;
            trainer->session = session;
            (void)snprintf(trainer->who, sizeof trainer->who, "trainer %d (pid %u on %s)", number,
                           hello->pid, hello->host);
            rg_log(RG_LOG_I, "ps", "server=%d \"%s has come\"", s->id, trainer->who);
        }
        hello->epoch = FIRST_EPOCH; /* a trainer that is started again cannot come back yet */
        hello->trainer = number;
        rg_rpc_peer_set_user(peer, trainer);
    }
    pthread_mutex_unlock(&s->members);
    return code;
}

/* ---- what they ask ---- */

static void tell_schema(rg_engine *s, rg_rpc_request *request)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_ps_schema_write(&out, &s->schema);
    if (rg_buf_status(&out) != RG_OK)
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
    else
        rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    rg_buf_fini(&out);
}

static void tell_whom(rg_engine *s, rg_rpc_request *request)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    if (s->desc == NULL)
        rg_serve_whose_program(s, &out);
    else
        rg_serve_whom(s, &out);
    rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    rg_buf_fini(&out);
}

/* All trainers train the same: the first to say what it is decides. */
static void compare_program(rg_engine *s, const rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *digest = rg_rpc_request_body(request, &n);
    if (n != sizeof s->digest) {
        rg_rpc_refuse(request, RG_ECORRUPT, "a digest of %zu bytes", n);
        return;
    }
    if (s->has_digest && memcmp(digest, s->digest, n) != 0) {
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

/* Whoever was to send the program has gone: it will not come any more. */
static void fail_without_program(rg_engine *s, const rg_member *trainer)
{
    if (s->desc == NULL && trainer == s->trainers && !s->ended)
        fail_because_of(s, trainer, "", "has left without sending the program");
}

static void say_goodbye(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    if (trainer->waiting != NULL || trainer->rendezvous.request != NULL) {
        rg_rpc_refuse(request, RG_EINVAL, "%s leaves while it waits for an answer", trainer->who);
        return;
    }
    has_left(s, trainer);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    rg_log(RG_LOG_I, "ps", "server=%d \"%s has finished\"", s->id, trainer->who);
    end_if_all_left(s);
    fail_without_program(s, trainer);
    rg_serve_try_rendezvous(s);
    rg_serve_try_step(s);
}

static void hear_failure(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const char *text = (const char *)rg_rpc_request_body(request, &n);
    char why[512];
    (void)rg_escape(why, sizeof why, text, n < 400 ? n : 400);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    fail_because_of(s, trainer, "has failed: ", why);
}

/* To be able to say who does nothing; a look around is nothing. */
static void note_request(rg_member *trainer, uint16_t method)
{
    if (method == RG_PS_WAITS || method == RG_PS_STATS)
        return;
    trainer->asked_ns = rg_clock_ns();
    trainer->fetches = method == RG_PS_FETCH;
}

/* What changes something is done once. Its answer is remembered, and given again to who did not
 * hear it: what comes here a second time is older than that. (Pushes and messages say by themselves
 * which they are, and their answers would be too much to keep.) */
static bool was_done(const rg_member *trainer, rg_rpc_request *request)
{
    uint16_t method = rg_rpc_request_method(request);
    if (method == RG_PS_PUSH || method == RG_PS_POST || method == RG_PS_FETCH)
        return false;
    if (!rg_rpc_request_repeated(request)) {
        rg_rpc_request_remember(request);
        return false;
    }
    rg_rpc_refuse(request, RG_ESTALE,
                  "%s asks again for what was done long ago, and what came of it is not known any "
                  "more",
                  trainer->who);
    return true;
}

/* Before there is a program all but these waits for it. */
static bool can_wait(uint16_t method)
{
    return method != RG_PS_WAITS && method != RG_PS_LOAD && method != RG_PS_LEAVE &&
           method != RG_PS_FAIL;
}

static void answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

static void take_program(rg_engine *s, const rg_member *trainer, rg_rpc_request *request)
{
    if (rg_serve_load(s, trainer, request))
        for (rg_rpc_request *held; (held = rg_serve_next_held(s)) != NULL;)
            answer(s, rg_rpc_peer_user(rg_rpc_request_peer(held)), held);
}

static void answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_arena_reset(&s->scratch);
    if (trainer != NULL)
        note_request(trainer, rg_rpc_request_method(request));
    if (s->desc == NULL && can_wait(rg_rpc_request_method(request))) {
        rg_serve_hold(s, request);
        return;
    }
    switch (rg_rpc_request_method(request)) {
    case RG_PS_SCHEMA:
        tell_schema(s, request);
        return;
    case RG_PS_PULL:
        rg_serve_pull(s, request);
        return;
    case RG_PS_ROWS:
        rg_serve_rows(s, request);
        return;
    case RG_PS_GET:
        rg_serve_get_whole(s, request);
        return;
    case RG_PS_WAITS:
        tell_whom(s, request);
        return;
    default:
        break;
    }
    if (trainer == NULL) {
        rg_rpc_refuse(request, RG_EINVAL, "only a trainer can ask for that");
        return;
    }
    if (was_done(trainer, request))
        return;
    if (trainer->left && rg_rpc_request_method(request) != RG_PS_LEAVE) {
        rg_rpc_refuse(request, RG_EINVAL, "%s has said that it is done", trainer->who);
        return;
    }
    switch (rg_rpc_request_method(request)) {
    case RG_PS_PUSH:
        rg_serve_push(s, trainer, request);
        return;
    case RG_PS_BARRIER:
    case RG_PS_REDUCE:
        rg_serve_rendezvous(s, trainer, request);
        return;
    case RG_PS_PROGRAM:
        compare_program(s, trainer, request);
        return;
    case RG_PS_STATS:
        rg_serve_stats(s, trainer, request);
        return;
    case RG_PS_SET:
        rg_serve_set_whole(s, request);
        return;
    case RG_PS_SHRINK:
    case RG_PS_CLEAR:
        rg_serve_shrink(s, request);
        return;
    case RG_PS_SAVE:
        rg_serve_save(s, trainer, request);
        return;
    case RG_PS_POST:
        rg_serve_post(s, trainer, request);
        return;
    case RG_PS_FETCH:
        rg_serve_fetch(s, trainer, request);
        return;
    case RG_PS_LOAD:
        take_program(s, trainer, request);
        return;
    case RG_PS_LEAVE:
        say_goodbye(s, trainer, request);
        return;
    case RG_PS_FAIL:
        hear_failure(s, trainer, request);
        return;
    default:
        rg_rpc_refuse(request, RG_EUNIMPL, "this server knows no method %u",
                      rg_rpc_request_method(request));
    }
}

static void request(void *user, rg_rpc_request *asked)
{
    rg_engine *s = user;
    rg_payload payload;
    rg_status code = rg_payload_of_request(rg_rpc_request_flags(asked), &payload);
    pthread_mutex_lock(&s->lock);
    if (s->ended && s->failed != RG_OK)
        rg_rpc_refuse(asked, s->failed, "%s", s->why);
    else if (code != RG_OK)
        rg_rpc_refuse(asked, code, "%s", rg_error_message());
    else
        answer(s, rg_rpc_peer_user(rg_rpc_request_peer(asked)), asked);
    pthread_mutex_unlock(&s->lock);
}

/* ---- who goes ---- */

static void gone(rg_engine *s, rg_rpc_peer *peer, const char *how)
{
    rg_member *trainer = rg_rpc_peer_user(peer);
    if (trainer == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    if (!trainer->left && s->mode != NULL && !s->mode->programs.merges &&
        rg_flag_bool("ps_go_on")) {
        rg_log(RG_LOG_W, "ps", "server=%d \"%s %s; the others go on\"", s->id, trainer->who, how);
        has_left(s, trainer);
        end_if_all_left(s);
        rg_serve_try_rendezvous(s);
    }
    if (!trainer->left)
        fail_because_of(s, trainer, "", how);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->members);
    s->present--;
    (void)pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->members);
}

static void left(void *user, rg_rpc_peer *peer)
{
    gone(user, peer, "went without finishing");
}

static void dead(void *user, rg_rpc_peer *peer, const char *how)
{
    char text[512];
    (void)snprintf(text, sizeof text, "died: %s", how);
    gone(user, peer, text);
}

/* ---- its life ---- */

static void init_serve(rg_engine *s)
{
    s->progress = UINT64_MAX;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->members, NULL);
    rg_cond_init(&s->change);
}

static rg_status open_trainers(rg_engine *s, int trainers)
{
    s->schema.trainers = trainers > 0 ? (uint32_t)trainers : 1;
    s->trainers = rg_alloc_zero(s->schema.trainers, sizeof *s->trainers);
    return s->trainers ? RG_OK : rg_no_memory(1, "trainers");
}

static rg_status listen_on(rg_engine *s, const char *const *endpoints, size_t n_endpoints)
{
    rg_credentials credentials;
    RG_TRY(rg_credentials_read(&credentials));
    rg_rpc_server_config config = {
        .endpoints = endpoints,
        .n_endpoints = n_endpoints,
        .job = credentials.job,
        .name = s->who,
        .security = {.key = credentials.n_key ? credentials.key : NULL,
                     .key_bytes = credentials.n_key},
        .events = {.hello = come, .request = request, .left = left, .dead = dead},
        .user = s,
    };
    RG_TRY(rg_rpc_server_open(&s->rpc, &config));
    pthread_mutex_lock(&s->lock);
    s->guarded = credentials.n_key > 0;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n_endpoints; i++) {
        char text[512];
        int n = snprintf(text, sizeof text, "Server listening on %s\n",
                         rg_rpc_server_endpoint(s->rpc, i));
        rg_say(text, (size_t)n);
    }
    return RG_OK;
}

/* With the engine's lock held. */
static void fail_if_stale(rg_engine *s)
{
    pthread_mutex_lock(&s->members);
    bool is_stale = s->stale[0] != '\0';
    pthread_mutex_unlock(&s->members);
    if (is_stale) /* written once */
        rg_serve_fail(s, RG_ESTALE, "%s", s->stale);
}

/* Ctrl+C is heard also while the engine works. */
static void look_around(rg_engine *s)
{
    int64_t seconds = rg_flag_int("ps_save_seconds");
    if (pthread_mutex_trylock(&s->lock) != 0)
        return; /* it is at work: nobody waits for anybody else */
    fail_if_stale(s);
    if (s->desc == NULL) {
        rg_serve_look_for_program(s);
    } else {
        rg_serve_look(s);
        rg_serve_tell(s);
    }
    pthread_mutex_unlock(&s->lock);
    if (seconds > 0)
        rg_serve_look_at_disk(s, (uint64_t)seconds * 1000000000u);
}

/* Whether others will come that shall hear what the first was told: that this is another process.
 */
static bool is_expected(const rg_engine *s)
{
    return s->failed == RG_ESTALE && s->turned_away < s->schema.trainers;
}

/* At the end of the job, until everyone has heard how it ended. Who has left and did not hear the
 * answer comes again: where all went well there is time for that, as long as it may live. */
static void take_leave(rg_engine *s)
{
    uint64_t lease_ns = (uint64_t)rg_flag_int("rpc_lease_ms") * MS_NS;
    uint64_t until = rg_clock_ns() + FAREWELL_NS + (s->failed == RG_OK ? lease_ns : 0);
    bool stopped = false;
    pthread_mutex_lock(&s->members);
    while (!stopped && (s->present > 0 || is_expected(s)) && rg_clock_ns() < until) {
        (void)rg_cond_wait(&s->change, &s->members, RG_LOOK_NS);
        pthread_mutex_unlock(&s->members);
        stopped = s->failed == RG_OK && rg_interrupted() != RG_OK;
        pthread_mutex_lock(&s->members);
    }
    pthread_mutex_unlock(&s->members);
}

/* Where nobody takes part yet, to be stopped harms none. */
static bool end_if_idle(rg_engine *s)
{
    bool idle = s->desc == NULL;
    pthread_mutex_lock(&s->members);
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        idle = idle && !s->trainers[t].joined;
    s->ended = s->ended || idle;
    pthread_mutex_unlock(&s->members);
    if (idle)
        rg_log(RG_LOG_I, "ps", "server=%d \"%s is stopped; nobody had come\"", s->id, s->who);
    return idle;
}

/* The engine's own end, or one from outside: Ctrl+C, or another server of this process. */
static rg_status look_outside(rg_engine *s)
{
    rg_status code = s->group ? rg_serve_group_look(s->group) : RG_OK;
    return code == RG_OK ? rg_interrupted() : code;
}

/* What comes of it: RG_OK where nobody is harmed. */
static rg_status stop(rg_engine *s, rg_status code)
{
    bool others = s->group != NULL && rg_serve_group_look(s->group) != RG_OK;
    pthread_mutex_lock(&s->lock);
    if (others)
        rg_serve_fail(s, code, "%s", s->group->why);
    else if (end_if_idle(s))
        code = RG_OK;
    else
        rg_serve_fail(s, code, "%s was stopped", s->who);
    pthread_mutex_unlock(&s->lock);
    return code;
}

static rg_status wait_for_end(rg_engine *s)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&s->members);
    while (!s->ended && code == RG_OK) {
        (void)rg_cond_wait(&s->change, &s->members, RG_LOOK_NS);
        pthread_mutex_unlock(&s->members);
        code = look_outside(s);
        look_around(s);
        pthread_mutex_lock(&s->members);
    }
    pthread_mutex_unlock(&s->members);
    if (code != RG_OK)
        code = stop(s, code);
    if (code == RG_OK && s->failed != RG_OK && s->group != NULL)
        rg_serve_group_fail(s->group, s->failed, s->why); /* now, and not after the farewell */
    take_leave(s);
    rg_serve_sum_up(s);
    if (code != RG_OK)
        return code;
    return s->failed == RG_OK ? RG_OK : rg_fail(s->failed, "%s", s->why);
}

static void close_serve(rg_engine *s)
{
    for (rg_rpc_request *held; (held = rg_serve_next_held(s)) != NULL;)
        rg_rpc_refuse(held, RG_ECLOSED, "the job is over");
    rg_serve_close_queues(s);
    rg_rpc_server_close(s->rpc);
    for (uint32_t t = 0; s->trainers != NULL && t < s->schema.trainers; t++) {
        rg_arena_free(&s->trainers[t].arena);
        rg_free(s->trainers[t].pushed);
        rg_serve_forget_stats(&s->trainers[t]);
        rg_serve_forget_messages(&s->trainers[t]);
    }
    rg_free(s->trainers);
    rg_free(s->held);
    rg_serve_close_vars(s); /* the schema, which knows how many trainers there were, goes last */
    rg_arena_free(&s->arena);
    rg_arena_free(&s->scratch);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->members);
    pthread_cond_destroy(&s->change);
}

rg_status rg_serve(const rg_opdesc *listen, rg_scope *scope)
{
    const rg_attr *fanin = rg_opdesc_attr(listen, "Fanin"),
                  *id = rg_opdesc_attr(listen, "pserver_id"),
                  *endpoint = rg_opdesc_attr(listen, "endpoint");
    rg_engine s = {.id = id ? id->i : 0};
    init_serve(&s);
    (void)snprintf(s.who, sizeof s.who, "pserver %d", s.id);
    rg_status code = open_trainers(&s, fanin ? fanin->i : 1);
    if (code == RG_OK)
        code = rg_serve_adopt(&s, listen, scope);
    if (code == RG_OK)
        code = rg_serve_open_queues(&s);
    if (code == RG_OK)
        code = listen_on(&s, &endpoint->s, 1);
    if (code == RG_OK)
        code = wait_for_end(&s);
    close_serve(&s);
    return code;
}

static const char *port_of(const char *endpoint)
{
    const char *colon = strrchr(endpoint, ':');
    return colon ? colon + 1 : endpoint;
}

rg_status rg_serve_empty(const rg_serve_config *config)
{
    rg_engine s = {.id = config->id, .group = config->group, .typed = true};
    init_serve(&s);
    (void)snprintf(s.who, sizeof s.who, "pserver %d (port %s)", s.id,
                   port_of(config->endpoints[0]));
    rg_status code = open_trainers(&s, config->trainers);
    if (code == RG_OK)
        code = rg_serve_open_queues(&s);
    if (code == RG_OK)
        code = listen_on(&s, config->endpoints, config->n_endpoints);
    if (code == RG_OK)
        code = wait_for_end(&s);
    close_serve(&s);
    rg_scope_release(s.sent ? s.scope : NULL);
    rg_program_close(s.sent);
    if (code != RG_OK && s.group != NULL)
        rg_serve_group_fail(s.group, code, rg_error_message());
    return code;
}
