/* serve.c - a server's life: it opens, listens, looks around, and ends. */
#include "dist/serve.h"

#include "base/mem.h"
#include "rpc/credentials.h"
#include "dist/serve_load.h"
#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "dist/serve_tasks.h"
#include "dist/serve_tell.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/job_env.h"
#include "sys/lent.h"
#include "sys/log.h"
#include "sys/stop.h"

#include <stdio.h>
#include <string.h>

enum {
    FAREWELL_NS = 2LL * 1000000000, /* at the end: for the last words to arrive */
    MS_NS = 1000000,
};

/* ---- its life ---- */

void rg_serve_request(void *user, rg_rpc_request *asked)
{
    rg_engine *s = user;
    rg_payload payload;
    rg_status failed = (rg_status)atomic_load(&s->refusing);
    rg_status code = rg_payload_of_request(rg_rpc_request_flags(asked), &payload);
    if (failed != RG_OK)
        rg_rpc_refuse(asked, failed, "%s", s->why);
    else if (atomic_load(&s->closing))
        rg_rpc_refuse(asked, RG_ECLOSED, "the job is over");
    else if (code != RG_OK)
        rg_rpc_refuse(asked, code, "%s", rg_error_message());
    else if (!rg_serve_waits_for_snapshot(s, asked) && rg_serve_note_request(s, asked))
        rg_serve_answer(s, rg_rpc_peer_user(rg_rpc_request_peer(asked)), asked);
}

void rg_serve_init(rg_engine *s)
{
    s->progress = UINT64_MAX;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->members, NULL);
    rg_cond_init(&s->change);
}

rg_status rg_serve_open_trainers(rg_engine *s, int trainers)
{
    s->schema.trainers = trainers > 0 ? (uint32_t)trainers : 1;
    static char nobody[] = "a trainer that was never seen";
    s->trainers = rg_alloc_zero(s->schema.trainers, sizeof *s->trainers);
    for (uint32_t t = 0; s->trainers != NULL && t < s->schema.trainers; t++)
        s->trainers[t].who = nobody;
    s->elastic = rg_flag_int("ps_elastic");
    if (s->elastic < 0 || s->elastic > s->schema.trainers)
        return rg_fail(RG_EINVAL,
                       "FLAGS_ps_elastic is %lld, and may be 0 to %u, the number of trainers",
                       (long long)s->elastic, s->schema.trainers);
    return s->trainers ? rg_serve_open_leases(s) : rg_no_memory(1, "trainers");
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
        .loops = s->n_shards,
        .lineage = rg_serve_lineage(s),
        .logs_late = rg_serve_answers_early(s),
        .events = {.opened = rg_serve_loops_run,
                   .waits = rg_serve_hurry,
                   .hello = rg_serve_come,
                   .request = rg_serve_request,
                   .reads_lent = rg_serve_reads_lent,
                   .left = rg_serve_peer_left,
                   .dead = rg_serve_peer_dead},
        .user = s,
    };
    s->guarded = credentials.n_key > 0;
    rg_status code = rg_rpc_server_open(&s->rpc, &config);
    if (code != RG_OK) {
        s->rpc = NULL; /* the loops have run, and are gone again */
        for (int k = 0; k < s->n_shards; k++)
            s->shards[k].loop = NULL;
        return code;
    }
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
    rg_serve_look_for_away(s);
    rg_serve_look_for_lost(s);
    if (pthread_mutex_trylock(&s->lock) != 0)
        return; /* it is at work: nobody waits for anybody else */
    fail_if_stale(s);
    bool has_program = s->desc != NULL;
    if (!has_program)
        rg_serve_look_for_program(s);
    else if (!s->stepping)
        rg_serve_look(s);
    pthread_mutex_unlock(&s->lock);
    if (has_program) {
        rg_serve_tell(s);
        rg_serve_watch_look(s);
    }
    if (seconds > 0)
        rg_serve_look_at_disk(s, (uint64_t)seconds * 1000000000u);
    rg_serve_look_at_journal(s);
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

/* Where nobody takes part yet, to end harms none. */
static bool end_if_idle(rg_engine *s)
{
    bool idle = s->desc == NULL;
    pthread_mutex_lock(&s->members);
    for (uint32_t t = 0; t < s->schema.trainers; t++)
        idle = idle && !s->trainers[t].joined;
    s->ended = s->ended || idle;
    pthread_mutex_unlock(&s->members);
    return idle;
}

/* Trainers come to all ports that they know of before they begin. Once they have left the others
 * nobody will come to one that they were not told of. */
static void end_if_over(rg_engine *s)
{
    if (s->group == NULL || !rg_serve_group_is_over(s->group))
        return;
    pthread_mutex_lock(&s->lock);
    bool idle = end_if_idle(s);
    pthread_mutex_unlock(&s->lock);
    if (idle)
        rg_log(
            RG_LOG_W, "ps",
            "server=%d \"%s ends: the job is over at the other ports of this process, and nobody "
            "came to this one; trainers were told another ports_num or ports_num_for_sparse\"",
            s->id, s->who);
}

static bool has_failed_elsewhere(rg_engine *s)
{
    return s->group != NULL && rg_serve_group_look(s->group) != RG_OK;
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
    bool others = has_failed_elsewhere(s), idle = false;
    pthread_mutex_lock(&s->lock);
    if (others)
        rg_serve_fail(s, code, "%s", s->group->why);
    else if ((idle = end_if_idle(s)))
        code = RG_OK;
    else
        rg_serve_fail(s, code, "%s was stopped", s->who);
    pthread_mutex_unlock(&s->lock);
    if (idle)
        rg_log(RG_LOG_I, "ps", "server=%d \"%s is stopped; nobody had come\"", s->id, s->who);
    return code;
}

/* Without a word to trainers: it may be started again. */
static void end_by_sigterm(rg_engine *s)
{
    if (rg_stop_ends_by_sigterm())
        rg_serve_group_wait(s->group);
    rg_stop_by_sigterm();
}

static rg_status wait_for_end(rg_engine *s)
{
    rg_status code = RG_OK;
    if (rg_flag_int("ps_grace_seconds") > 0)
        rg_stop_on_sigterm();
    pthread_mutex_lock(&s->members);
    while (!s->ended && code == RG_OK) {
        (void)rg_cond_wait(&s->change, &s->members, RG_LOOK_NS);
        pthread_mutex_unlock(&s->members);
        code = look_outside(s);
        look_around(s);
        end_if_over(s);
        pthread_mutex_lock(&s->members);
    }
    pthread_mutex_unlock(&s->members);
    if (code == RG_OK && s->failed == RG_OK && s->group != NULL)
        rg_serve_group_over(s->group);
    if (code != RG_OK) {
        if (!has_failed_elsewhere(s)) {
            rg_serve_snapshot_before_end(s);
            end_by_sigterm(s);
        }
        code = stop(s, code);
    }
    if (code == RG_OK && s->failed != RG_OK && s->group != NULL)
        rg_serve_group_fail(s->group, s->failed, s->why); /* now, and not after the farewell */
    take_leave(s);
    rg_serve_sum_up_leases(s);
    rg_serve_watch_end(s);
    rg_serve_sum_up(s);
    if (code != RG_OK)
        return code;
    return s->failed == RG_OK ? RG_OK : rg_fail(s->failed, "%s", s->why);
}

void rg_serve_close(rg_engine *s)
{
    /* Who has not left may still read parameters where they are (shown.c), and save them. */
    if (s->failed != RG_OK || s->present > 0)
        rg_lent_leave();
    rg_serve_close_queues(s);
    rg_serve_drain(s);
    for (rg_rpc_request *held; (held = rg_serve_next_held(s)) != NULL;)
        rg_rpc_refuse(held, RG_ECLOSED, "the job is over");
    rg_serve_close_journal(s); /* before the loops go: those that wait for it are answered */
    rg_rpc_server_close(s->rpc);
    for (uint32_t t = 0; s->trainers != NULL && t < s->schema.trainers; t++)
        rg_serve_close_member(&s->trainers[t]);
    rg_serve_forget_meetings(s);
    rg_deals_close(s->deals);
    rg_free(s->trainers);
    rg_free(s->held);
    rg_serve_watch_close(s);
    rg_serve_close_vars(s); /* the schema, which knows how many trainers there were, goes last */
    rg_serve_close_shards(s);
    rg_arena_free(&s->arena);
    rg_arena_free(&s->scratch);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->members);
    pthread_cond_destroy(&s->change);
}

/* How many servers of the job are on the host of this one, as far as the environment says. */
static int servers_here(const rg_attr *endpoint)
{
    rg_job_env env;
    int n = 0;
    const char *own = endpoint != NULL ? endpoint->s : "", *colon = strrchr(own, ':');
    size_t host = colon ? (size_t)(colon - own) : strlen(own);
    if (rg_job_env_here(&env) != RG_OK)
        return 1;
    for (int i = 0; i < env.n_servers; i++)
        n += strncmp(env.servers[i], own, host) == 0 && env.servers[i][host] == ':';
    rg_job_env_fini(&env);
    return n > 0 ? n : 1;
}

rg_status rg_serve(const rg_opdesc *listen, rg_scope *scope)
{
    const rg_attr *fanin = rg_opdesc_attr(listen, "Fanin"),
                  *id = rg_opdesc_attr(listen, "pserver_id"),
                  *endpoint = rg_opdesc_attr(listen, "endpoint");
    rg_engine s = {.id = id ? id->i : 0};
    rg_serve_init(&s);
    (void)snprintf(s.who, sizeof s.who, "pserver %d", s.id);
    rg_status code = rg_serve_open_trainers(&s, fanin ? fanin->i : 1);
    if (code == RG_OK)
        code = rg_serve_open_journal(&s);
    if (code == RG_OK)
        code = rg_serve_open_shards(&s, servers_here(endpoint));
    if (code == RG_OK)
        code = rg_serve_adopt(&s, listen, scope);
    if (code == RG_OK)
        code = rg_serve_open_queues(&s);
    if (code == RG_OK)
        code = listen_on(&s, &endpoint->s, 1);
    if (code == RG_OK) {
        rg_serve_watch_open(&s, endpoint->s);
        code = wait_for_end(&s);
    }
    rg_serve_close(&s);
    rg_stop_no_more_on_sigterm(); /* what the caller does next is its own affair */
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
    rg_serve_init(&s);
    (void)snprintf(s.who, sizeof s.who, "pserver %d (port %s)", s.id,
                   port_of(config->endpoints[0]));
    (void)snprintf(s.port, sizeof s.port, "%s", port_of(config->endpoints[0]));
    rg_serve_group_enter(s.group);
    rg_status code = rg_serve_open_trainers(&s, config->trainers);
    if (code == RG_OK)
        code = rg_serve_open_journal(&s);
    if (code == RG_OK)
        code = rg_serve_open_shards(&s, config->servers);
    if (code == RG_OK)
        code = rg_serve_open_queues(&s);
    if (code == RG_OK)
        code = listen_on(&s, config->endpoints, config->n_endpoints);
    if (code == RG_OK) {
        rg_serve_watch_open(&s, config->endpoints[0]);
        code = wait_for_end(&s);
    }
    rg_serve_close(&s);
    rg_stop_no_more_on_sigterm(); /* what the caller does next is its own affair */
    rg_scope_release(s.sent ? s.scope : NULL);
    rg_program_close(s.sent);
    if (code != RG_OK && s.group != NULL)
        rg_serve_group_fail(s.group, code, rg_error_message());
    rg_serve_group_exit(s.group);
    return code;
}
