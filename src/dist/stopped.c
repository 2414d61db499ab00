/* stopped.c - the servers of a job that was stopped, from their journals, at one moment.
 *
 * A server is opened as ever, with the program that its snapshot has, and no address: it replays
 * its journal, and there it stays. Then what trainers had pushed is compared. A process that dies,
 * or is told to end, may have sent a push to some servers and not to others; what the others would
 * have got of it is nowhere. So it is left out: servers that have it are made once more, and do not
 * take it, from the snapshot before where the newest has it. In sync that is the cut at the last
 * step that all have made, so that who goes on makes the next one, with the same bits; in the other
 * modes the batch is trained on again, and counts once.
 *
 * The same goes for a call of a script that sets a variable, or drops rows of a table, on several
 * servers: where not all of them were asked, it is left out on the others, and made again. */
#include "dist/stopped_priv.h"
#include "dist/serve_load.h"
#include "dist/serve_tasks.h"

#include "base/mem.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_MS = 3000, MOST_SERVERS = 4096 };

/* What the newest snapshot says of it. */
typedef struct server {
    rg_engine engine;
    bool open;
    bool begun; /* engine is to be closed */
    bool cut;   /* a push was left out */
    char folder[96];
    uint64_t number; /* of the snapshot */
    rg_program *program;
    rg_scope *scope;
    rg_stopped *job;
} server;

/* How many pushes of a trainer's thread all servers have. */
typedef struct limit {
    uint64_t *pushes; /* owned */
    size_t n;
    uint32_t half; /* a call of its script of which only a part was done; 0: there is none */
    bool saves;    /* ... that writes files: there is nothing to leave out */
} limit;

struct rg_stopped {
    char *path; /* owned */
    rg_folder *root;
    server *servers; /* by number; owned */
    int n;
    uint32_t trainers;
    limit *limits;   /* by trainer; owned */
    rg_deals *least; /* of leased data, what all servers have; owned, NULL: it is not leased */
    bool limited;    /* they count */
    uint64_t left_out;
};

static server *server_of(const rg_stopped *job, int number)
{
    for (int k = 0; k < job->n; k++)
        if (job->servers[k].engine.id == number)
            return &job->servers[k];
    return NULL;
}

/* ---- what was pushed ---- */

/* Of the thread, without one that waits for its step, or was refused. */
static uint64_t pushes_of(const rg_member *trainer, size_t thread)
{
    if (thread >= trainer->n_pushed)
        return 0;
    uint64_t n = trainer->pushed[thread];
    if (trainer->waiting != NULL && trainer->waiting->push.thread == thread)
        n--;
    return n - (n > 0 && atomic_load(&trainer->refused[thread]) != 0);
}

static uint64_t limit_of(const rg_stopped *job, uint32_t trainer, size_t thread)
{
    const limit *l = &job->limits[trainer];
    return thread < l->n ? l->pushes[thread] : 0;
}

/* Of leased data: whether not all servers have all examples of the push. */
static bool is_of_more(const rg_stopped *job, const rg_engine *s, uint32_t flags, rg_cursor body)
{
    rg_arena arena = {0};
    rg_payload payload;
    rg_push push;
    bool more = rg_payload_of_request((uint16_t)flags, &payload) == RG_OK &&
                rg_push_read(&push, &arena, &s->schema, payload, body.at, body.left) == RG_OK &&
                rg_deals_lacks(job->least, push.tags, push.n_tags);
    rg_arena_free(&arena);
    return more;
}

/* Of a call of which only a part was done. */
static bool is_of_half(const rg_stopped *job, const rg_engine *s, const rg_member *trainer,
                       rg_cursor body)
{
    rg_ps_change change;
    return trainer != NULL && rg_ps_change_read(&body, &change) == RG_OK &&
           change.call == job->limits[trainer - s->trainers].half;
}

static bool is_beyond(const rg_stopped *job, const rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint64_t session, id;
    uint32_t method, flags;
    rg_push head;
    if (rg_cursor_u64(&in, &session) != RG_OK || rg_cursor_u64(&in, &id) != RG_OK ||
        rg_cursor_u32(&in, &method) != RG_OK || rg_cursor_u32(&in, &flags) != RG_OK)
        return false;
    const rg_rpc_peer *peer = rg_rpc_server_find(s->rpc, session);
    const rg_member *trainer = peer ? rg_rpc_peer_user(peer) : NULL;
    if (rg_serve_is_counted((uint16_t)method))
        return is_of_half(job, s, trainer, in);
    if (method != RG_PS_PUSH || rg_push_read_head(&head, in.at, in.left) != RG_OK)
        return false;
    if (job->least != NULL)
        return is_of_more(job, s, flags, in);
    return trainer != NULL &&
           head.step >= limit_of(job, (uint32_t)(trainer - s->trainers), head.thread);
}

/* For the replay: a push that not all servers have, and reads behind it, which change rows (they
 * make the steps that they have missed) by how they were then. */
static bool is_left_out(void *arg, const rg_engine *s, const rg_record *record)
{
    server *v = arg;
    if (!v->job->limited)
        return false;
    if (record->kind == RG_NOTED_ROWS || record->kind == RG_NOTED_CATCH_UP)
        return v->cut;
    bool beyond = record->kind == RG_NOTED_REQUEST && is_beyond(v->job, s, record);
    v->cut = v->cut || beyond;
    return beyond;
}

/* Whether of the last call of a trainer's script all has been done: those before it have been. */
static void find_half(const rg_stopped *job, uint32_t t, limit *l)
{
    const rg_member *last = &job->servers[0].engine.trainers[t];
    uint64_t requests = 0;
    for (int i = 1; i < job->n; i++) {
        const rg_member *each = &job->servers[i].engine.trainers[t];
        last = each->changed > last->changed ? each : last;
    }
    uint32_t call = rg_change_call(last->changed);
    for (int i = 0; i < job->n; i++) {
        uint64_t at = job->servers[i].engine.trainers[t].changed;
        requests += rg_change_call(at) == call ? (uint32_t)at : 0;
    }
    l->half = requests < last->of ? call : 0;
    l->saves = last->saves;
}

/* The least that a server has, of each thread of each trainer. */
static rg_status find_limits(rg_stopped *job)
{
    for (uint32_t t = 0; t < job->trainers; t++) {
        limit *l = &job->limits[t];
        for (int i = 0; i < job->n; i++)
            l->n = job->servers[i].engine.trainers[t].n_pushed > l->n
                       ? job->servers[i].engine.trainers[t].n_pushed
                       : l->n;
        l->pushes = rg_alloc_zero(l->n + 1, sizeof *l->pushes);
        if (l->pushes == NULL)
            return rg_no_memory(l->n, "what was pushed");
        find_half(job, t, l);
        for (size_t k = 0; k < l->n; k++) {
            l->pushes[k] = UINT64_MAX;
            for (int i = 0; i < job->n; i++) {
                uint64_t n = pushes_of(&job->servers[i].engine.trainers[t], k);
                l->pushes[k] = n < l->pushes[k] ? n : l->pushes[k];
            }
        }
    }
    job->limited = true;
    return RG_OK;
}

/* Files that only some servers have written are written again. */
static void forget_half_saves(rg_stopped *job)
{
    for (uint32_t t = 0; t < job->trainers; t++)
        for (int i = 0; i < job->n; i++) {
            rg_member *trainer = &job->servers[i].engine.trainers[t];
            uint32_t half = job->limits[t].half;
            if (half > 0 && rg_change_call(trainer->changed) == half)
                trainer->changed = rg_change_at(half - 1, UINT32_MAX);
        }
}

/* Parts of calls that it has done, and others have not. */
static uint64_t count_halves(const rg_stopped *job, const server *v)
{
    uint64_t n = 0;
    for (uint32_t t = 0; t < job->trainers; t++) {
        const limit *l = &job->limits[t];
        uint64_t at = v->engine.trainers[t].changed;
        n += l->half > 0 && !l->saves && rg_change_call(at) == l->half;
    }
    return n;
}

/* How far the server is with leased data; pushes that wait for their step do not count. */
static rg_status deals_of(server *v, rg_deals **out)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_serve_write_leases(&v->engine, &body);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_deals_open(out, NULL, NULL);
    if (code == RG_OK)
        code = rg_deals_read(*out, &(rg_cursor){body.data, body.len});
    rg_buf_fini(&body);
    return code;
}

/* Of leased data ranges say what was pushed, and numbers of pushes do not: they begin anew with
 * each process. */
static rg_status find_least(rg_stopped *job)
{
    rg_pass_state last;
    bool leased = false;
    for (int i = 0; i < job->n; i++)
        leased = leased || rg_deals_count(job->servers[i].engine.deals, &last) > 0;
    for (int i = 0; leased && i < job->n; i++) {
        server *v = server_of(job, i);
        rg_deals *theirs = NULL;
        rg_status code = deals_of(v, &theirs);
        if (code == RG_OK && i > 0)
            code = rg_deals_agree(job->least, theirs);
        if (code == RG_OK && i == 0)
            job->least = theirs; /* the first deals */
        else
            rg_deals_close(theirs);
        RG_TRY(code);
    }
    return RG_OK;
}

/* How many pushes it has that not all have. */
static rg_status count_beyond(const rg_stopped *job, server *v, uint64_t *out)
{
    uint64_t n = 0;
    if (job->least != NULL) {
        rg_deals *theirs = NULL;
        rg_status code = deals_of(v, &theirs);
        *out = code == RG_OK ? rg_deals_beyond(job->least, theirs) : 0;
        rg_deals_close(theirs);
        return code;
    }
    for (uint32_t t = 0; t < job->trainers; t++)
        for (size_t k = 0; k < job->limits[t].n; k++)
            n += pushes_of(&v->engine.trainers[t], k) - limit_of(job, t, k);
    *out = n;
    return RG_OK;
}

/* ---- a server ---- */

typedef struct glance {
    server *server;
    rg_state_about about;
} glance;

static rg_status unpack(server *v, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint64_t seed;
    RG_TRY(rg_cursor_u64(&in, &seed));
    RG_TRY(rg_program_unpack(&v->program, in.at, in.left));
    v->program->random_seed = (int32_t)seed;
    return RG_OK;
}

/* The program, and values with which it can be opened. */
static rg_status look_at(void *arg, const rg_record *record)
{
    glance *g = arg;
    server *v = g->server;
    char *name = NULL;
    if (record->kind == RG_STATE_ABOUT) {
        RG_TRY(rg_state_get_about(record, &g->about, &name));
        rg_free(name);
        return RG_OK;
    }
    if (record->kind == RG_STATE_SERVES)
        return unpack(v, record);
    if (record->kind == RG_STATE_PROGRAM)
        v->engine.typed = true;
    return record->kind == RG_STATE_VALUE ? rg_state_read_scope(v->scope, record) : RG_OK;
}

static const rg_opdesc *listen_of(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        if (rg_opdesc_is(block->ops[i], RG_OP_SERVES))
            return block->ops[i];
    return NULL;
}

static rg_status replay(void *user, rg_rpc_server *rpc)
{
    rg_engine *s = user;
    rg_replayed done;
    s->rpc = rpc;
    for (int k = 0; k < s->n_shards; k++)
        s->shards[k].loop = rg_rpc_server_loop(rpc, k);
    return rg_serve_replay(s, &done);
}

/* Threads as of a server, and nobody who could come. */
static rg_status run_loops(rg_engine *s)
{
    const rg_rpc_server_config config = {
        .name = s->who,
        .loops = s->n_shards,
        .events = {.opened = replay, .hello = rg_serve_come, .request = rg_serve_request},
        .user = s,
    };
    rg_status code = rg_rpc_server_open(&s->rpc, &config);
    if (code == RG_OK)
        return RG_OK;
    s->rpc = NULL;
    for (int k = 0; k < s->n_shards; k++)
        s->shards[k].loop = NULL;
    return code;
}

static rg_status open_engine(server *v, const rg_state_about *about)
{
    rg_engine *s = &v->engine;
    s->id = (int)about->id;
    s->loops = (int)about->loops;
    (void)snprintf(s->who, sizeof s->who, "pserver %d", s->id);
    RG_TRY(rg_serve_open_trainers(s, (int)about->trainers));
    RG_TRY(rg_serve_open_shards(s, 1));
    if (v->program != NULL) {
        const rg_opdesc *listen = listen_of(v->program);
        if (listen == NULL)
            return rg_fail(RG_ECORRUPT, "the program of %s serves nothing", s->who);
        RG_TRY(rg_serve_adopt(s, listen, v->scope));
    }
    RG_TRY(rg_serve_open_queues(s));
    return run_loops(s);
}

/* Its journal, to look at. */
static rg_status enter_journal(server *v, uint64_t below)
{
    struct rg_serve_journal *j = rg_alloc_zero(1, sizeof *j);
    if (j == NULL)
        return rg_no_memory(sizeof *j, "a journal");
    rg_buf_init(&j->load, 0);
    v->engine.journal = j;
    j->looks = true;
    j->leaves_out = is_left_out;
    j->leaves_out_arg = v;
    v->cut = false;
    RG_TRY(rg_folder_enter(&j->folder, v->job->root, v->folder, false));
    RG_TRY(rg_snapshot_before(j->folder, below, &j->snapshot));
    j->lineage = j->snapshot.lineage;
    v->number = j->snapshot.number;
    return RG_OK;
}

static void close_server(server *v)
{
    rg_engine *s = &v->engine;
    if (v->begun) {
        /* Whatever waits is not answered any more, and nothing of the journal is removed. */
        pthread_mutex_lock(&s->lock);
        s->ended = true;
        s->failed = RG_ECLOSED;
        (void)snprintf(s->why, sizeof s->why, "%s", "the job was stopped");
        rg_serve_refuse_waiting(s);
        pthread_mutex_unlock(&s->lock);
        rg_serve_close(s);
    }
    rg_scope_release(v->engine.sent ? v->engine.scope : NULL);
    rg_program_close(v->engine.sent);
    rg_scope_release(v->scope);
    rg_program_close(v->program);
    v->scope = NULL;
    v->program = NULL;
    v->begun = v->open = false;
}

/* From its newest snapshot with a number below this one. */
static rg_status open_server(server *v, uint64_t below)
{
    glance g = {.server = v};
    v->engine = (rg_engine){0};
    rg_serve_init(&v->engine);
    v->begun = true;
    RG_TRY(rg_scope_new(&v->scope, NULL));
    RG_TRY(enter_journal(v, below));
    const struct rg_serve_journal *j = v->engine.journal;
    RG_TRY(rg_snapshot_read(j->folder, &j->snapshot, look_at, &g));
    if (v->program == NULL)
        v->engine.typed = true; /* it is sent to it, in the journal if not before */
    RG_TRY(open_engine(v, &g.about));
    if (!atomic_load(&v->engine.ready))
        return rg_fail(RG_EINVAL, "%s had no program yet, and has learned nothing", v->engine.who);
    v->open = true;
    return RG_OK;
}

/* ---- at one moment ---- */

/* Once more, without what not all have. */
static rg_status cut_back(rg_stopped *job, server *v)
{
    uint64_t below = UINT64_MAX, beyond;
    RG_TRY(count_beyond(job, v, &beyond));
    if (beyond == 0 && count_halves(job, v) == 0)
        return RG_OK;
    job->left_out = beyond > job->left_out ? beyond : job->left_out;
    for (int tries = 0; tries < RG_SNAPSHOTS_KEPT; tries++) {
        close_server(v);
        rg_status code = open_server(v, below);
        if (code == RG_ENOENT)
            break;
        RG_TRY(code);
        RG_TRY(count_beyond(job, v, &beyond));
        if (beyond == 0 && count_halves(job, v) == 0)
            return RG_OK;
        below = v->number;
    }
    return rg_fail(
        RG_ESTALE,
        "%s has a push, or a part of a call that changes variables, in all its snapshots that "
        "another server never got: go on with "
        "the numbers of servers and workers that the job had (launch_ps --resume without "
        "others), which makes it again, and stop it then",
        v->folder);
}

static rg_status settle(rg_stopped *job)
{
    RG_TRY(find_limits(job));
    RG_TRY(find_least(job));
    for (int i = 0; i < job->n; i++)
        RG_TRY(cut_back(job, &job->servers[i]));
    forget_half_saves(job);
    for (int i = 1; i < job->n; i++)
        if (job->servers[i].engine.steps != job->servers[0].engine.steps)
            return rg_fail(RG_ECORRUPT, "server 0 has made %llu steps and server %d %llu",
                           (unsigned long long)job->servers[0].engine.steps, i,
                           (unsigned long long)job->servers[i].engine.steps);
    return RG_OK;
}

/* ---- the folder ---- */

typedef struct listing {
    char (*names)[96];
    size_t n, cap;
} listing;

static bool has_end(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static rg_status note_folder(void *arg, const char *name)
{
    listing *l = arg;
    if (strncmp(name, "server-", 7) != 0 || strlen(name) >= sizeof *l->names ||
        has_end(name, ".previous") || l->n == MOST_SERVERS)
        return RG_OK;
    RG_TRY(rg_grow((void **)&l->names, l->n, &l->cap, sizeof *l->names));
    (void)snprintf(l->names[l->n++], sizeof *l->names, "%s", name);
    return RG_OK;
}

/* Nobody writes to it: a server that is at work holds the lock. */
static rg_status check_idle(const rg_stopped *job, const char *name)
{
    rg_folder *folder = NULL;
    rg_folder_lock *lock = NULL;
    RG_TRY(rg_folder_enter(&folder, job->root, name, false));
    rg_status code = rg_folder_lock_open(&lock, folder, "lock", LOCK_MS);
    rg_folder_lock_close(lock);
    rg_folder_close(folder);
    return code == RG_ETIMEOUT
               ? rg_fail(code, "the server of %s is at work: end the job first", name)
               : code;
}

static rg_status open_servers(rg_stopped *job, const listing *l)
{
    job->servers = rg_alloc_zero(l->n, sizeof *job->servers);
    if (job->servers == NULL)
        return rg_no_memory(l->n * sizeof *job->servers, "servers");
    for (size_t i = 0; i < l->n; i++) {
        server *v = &job->servers[job->n++];
        v->job = job;
        (void)snprintf(v->folder, sizeof v->folder, "%s", l->names[i]);
        RG_TRY(check_idle(job, v->folder));
        RG_TRY(open_server(v, UINT64_MAX));
        if (i > 0 && v->engine.schema.trainers != job->trainers)
            return rg_fail(RG_ECORRUPT, "servers of jobs of %u and %u trainers", job->trainers,
                           v->engine.schema.trainers);
        job->trainers = v->engine.schema.trainers;
    }
    job->limits = rg_alloc_zero(job->trainers, sizeof *job->limits);
    return job->limits ? RG_OK : rg_no_memory(job->trainers, "what was pushed");
}

/* Their numbers are 0, 1, ... : one whose folder is gone is missed. */
static rg_status check_numbers(const rg_stopped *job)
{
    bool seen[MOST_SERVERS] = {false};
    for (int i = 0; i < job->n; i++) {
        int id = job->servers[i].engine.id;
        if (id < 0 || id >= job->n || seen[id])
            return rg_fail(RG_ECORRUPT,
                           "%s is that of server %d, and there are %d folders: one is "
                           "missing, or of another job",
                           job->servers[i].folder, id, job->n);
        seen[id] = true;
    }
    return RG_OK;
}

static rg_status open_all(rg_stopped *job)
{
    listing l = {0};
    RG_TRY(rg_folder_open(&job->root, job->path));
    rg_status code = rg_folder_each(job->root, note_folder, &l);
    if (code == RG_OK && l.n == 0)
        code = rg_fail(RG_ENOENT, "there is no journal of a server in it");
    if (code == RG_OK)
        code = open_servers(job, &l);
    rg_free(l.names);
    if (code == RG_OK)
        code = check_numbers(job);
    return code == RG_OK ? settle(job) : code;
}

rg_status rg_stopped_open(rg_stopped **out, const char *path)
{
    rg_stopped *job = rg_alloc_zero(1, sizeof *job);
    if (job == NULL || (job->path = rg_strdup(path)) == NULL) {
        rg_free(job);
        return rg_no_memory(sizeof *job, "a job");
    }
    rg_status code = open_all(job);
    if (code != RG_OK) {
        char why[1024];
        (void)snprintf(why, sizeof why, "%s", rg_error_message());
        rg_stopped_close(job);
        return rg_fail(code, "%s: %s", path, why);
    }
    *out = job;
    return RG_OK;
}

void rg_stopped_close(rg_stopped *job)
{
    if (job == NULL)
        return;
    for (int i = 0; i < job->n; i++)
        close_server(&job->servers[i]);
    for (uint32_t t = 0; job->limits != NULL && t < job->trainers; t++)
        rg_free(job->limits[t].pushes);
    rg_free(job->limits);
    rg_deals_close(job->least);
    rg_free(job->servers);
    rg_folder_close(job->root);
    rg_free(job->path);
    rg_free(job);
}

rg_stopped_about rg_stopped_tell(const rg_stopped *job)
{
    rg_stopped_about about = {.servers = job->n,
                              .trainers = job->trainers,
                              .steps = job->servers[0].engine.steps,
                              .left_out = job->left_out};
    for (uint32_t t = 0; t < job->trainers; t++)
        for (size_t k = 0; k < job->limits[t].n; k++)
            about.pushes += job->least != NULL ? 0 : job->limits[t].pushes[k];
    if (job->least != NULL) {
        rg_pass_state last;
        about.readings = rg_deals_count(job->least, &last);
        about.examples = last.rows;
    }
    return about;
}

rg_engine *rg_stopped_server(rg_stopped *job, int i)
{
    server *v = server_of(job, i);
    return v ? &v->engine : NULL;
}
