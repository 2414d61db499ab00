/* serve_take_over.c - a server that begins with its share of what others had, of any number.
 *
 * A snapshot of a whole job (stopped.c) has a folder for each server that there was, each with all
 * that it had, at one moment: every push that one of them has, all have. So a new server reads
 * all of them and keeps what is its own by its own program: rows of variables by where they begin,
 * rows of tables by id, with their optimizers' states and counters. How far trainers were, and what
 * their rendezvous came to, is the same on all; FLAGS_ps_resume_from takes it, FLAGS_ps_init_from,
 * for a new job, does not.
 *
 * Other numbers of trainers. What was pushed and read in all is shared out as if batches had been
 * dealt in turn, so that the job goes on at the same step, and its end is where it was. Which
 * examples those were only a job of leased data knows: there ranges that nobody was done with are
 * free, from the example on that all servers have. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "rpc/credentials.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variable of this server, and what of it has come. */
typedef struct wanted {
    const char *name, *origin;
    size_t length;         /* of `origin` */
    uint64_t begin, bytes; /* which bytes of the whole variable it has */
    uint64_t row;          /* bytes of one */
    uint64_t came;
    rg_value *value;
} wanted;

typedef struct taking {
    rg_engine *engine;
    rg_split ours, theirs; /* of the server that is read */
    wanted *wanted;        /* owned */
    size_t n_wanted;
    bool ledger;         /* how far trainers were, too */
    int server, servers; /* that is read, of so many */
    uint32_t trainers;   /* that there were */
    rg_member *old;      /* by number, as the first server knew them; owned */
    int64_t counted;     /* by the schedule, in all */
    bool leased;         /* ranges of the data say how far trainers were */
} taking;

static bool is_same(const char *a, size_t n, const char *b, size_t m)
{
    return n == m && strncmp(a, b, n) == 0;
}

/* ---- what this server has ---- */

static rg_status list_wanted(taking *t)
{
    const rg_scope *scope = t->engine->scope;
    t->wanted = rg_alloc_zero(rg_scope_size(scope) + 1, sizeof *t->wanted);
    if (t->wanted == NULL)
        return rg_no_memory(rg_scope_size(scope), "variables");
    for (size_t i = 0; i < rg_scope_size(scope); i++) {
        const char *name = rg_scope_name(scope, i);
        rg_value *value = name ? rg_scope_find(scope, name) : NULL;
        int64_t begin;
        if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR)
            continue;
        wanted *w = &t->wanted[t->n_wanted++];
        *w = (wanted){.name = name, .value = value, .bytes = rg_value_bytes(value)};
        w->origin = rg_split_origin(&t->ours, name, &w->length, &begin);
        w->row = rg_split_row_bytes(&value->meta.shape, value->meta.dtype);
        w->begin = (uint64_t)begin * w->row;
    }
    return RG_OK;
}

/* ---- values ---- */

static rg_status take_bytes(wanted *w, const rg_state_value *from, uint64_t begin)
{
    uint64_t first = begin + from->offset, end = first + from->n;
    uint64_t lower = first > w->begin ? first : w->begin;
    uint64_t upper = end < w->begin + w->bytes ? end : w->begin + w->bytes;
    if (w->value->meta.dtype != from->dtype ||
        w->row != rg_split_row_bytes(&from->shape, from->dtype))
        return rg_fail(RG_ESHAPE,
                       "%s is of another type or width than %s of the snapshot: is it of "
                       "another model?",
                       w->name, from->name);
    if (lower >= upper)
        return RG_OK;
    memcpy((uint8_t *)w->value->data + (lower - w->begin), from->bytes + (lower - first),
           upper - lower);
    w->came += upper - lower;
    return RG_OK;
}

/* How many pushes of a trainer a schedule has counted: the sum of them is what it goes by. */
static bool is_count(taking *t, const rg_state_value *value)
{
    static const char NAME[] = RG_PUSHES_COUNTED_OF;
    int64_t count;
    if (strncmp(value->name, NAME, strlen(NAME)) != 0)
        return false;
    if (t->server == 0 && value->dtype == RG_I64 && value->n == sizeof count) {
        memcpy(&count, value->bytes, sizeof count);
        t->counted += count;
    }
    return true;
}

static rg_status take_value(taking *t, const rg_record *record)
{
    rg_state_value value;
    size_t length;
    int64_t begin;
    RG_TRY(rg_state_get_value(record, &value));
    rg_status code = RG_OK;
    if (value.shard == 0 && !is_count(t, &value)) { /* others have copies of the first's */
        const char *origin = rg_split_origin(&t->theirs, value.name, &length, &begin);
        uint64_t at = (uint64_t)begin * rg_split_row_bytes(&value.shape, value.dtype);
        for (size_t i = 0; code == RG_OK && i < t->n_wanted; i++)
            if (is_same(origin, length, t->wanted[i].origin, t->wanted[i].length))
                code = take_bytes(&t->wanted[i], &value, at);
    }
    rg_free(value.name);
    return code;
}

/* What an optimizer keeps, rates: not the copies that servers make for themselves. */
static bool is_kept(const taking *t, const wanted *w)
{
    const rg_vardesc *var = rg_block_var(t->engine->program->blocks[0], w->name);
    return var != NULL && var->persistable &&
           strncmp(w->name, RG_PUSHES_COUNTED_OF, strlen(RG_PUSHES_COUNTED_OF)) != 0;
}

/* A parameter without its values is no parameter; of the rest it is said. */
static rg_status check_wanted(const taking *t)
{
    char first[200] = "";
    size_t n = 0;
    for (size_t i = 0; i < t->n_wanted; i++) {
        const wanted *w = &t->wanted[i];
        bool is_param = false;
        for (size_t v = 0; v < t->ours.n_vars; v++)
            is_param = is_param || strcmp(t->ours.vars[v], w->name) == 0;
        if (w->came >= w->bytes)
            continue;
        if (is_param)
            return rg_fail(RG_ENOENT,
                           "of %s the snapshot has %llu bytes of %llu: is it of another "
                           "model?",
                           w->name, (unsigned long long)w->came, (unsigned long long)w->bytes);
        if (is_kept(t, w) && n++ == 0)
            (void)snprintf(first, sizeof first, "%s", w->name);
    }
    if (n > 0)
        rg_log(RG_LOG_W, "ps",
               "server=%d \"the snapshot does not have all of %s, and of %zu others: what it lacks "
               "starts anew\"",
               t->engine->id, first, n - 1);
    return RG_OK;
}

static void share_count(const taking *t)
{
    for (uint32_t i = 0; t->engine->scheduled && i < t->engine->schema.trainers; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, RG_PUSHES_COUNTED, i);
        rg_value *value = rg_scope_find(t->engine->scope, name);
        if (value != NULL && value->data != NULL && value->meta.dtype == RG_I64)
            *(int64_t *)value->data = i == 0 ? t->counted : 0;
    }
}

/* What loops have copies of, and what trainers were sent last, which ask for all anew. */
static rg_status copy_values(const taking *t)
{
    rg_engine *s = t->engine;
    for (int k = 1; k < s->n_shards; k++)
        for (size_t i = 0; i < rg_scope_size(s->shards[k].scope); i++) {
            const char *name = rg_scope_name(s->shards[k].scope, i);
            const rg_value *from = name ? rg_scope_find(s->scope, name) : NULL;
            rg_value *own = name ? rg_scope_find(s->shards[k].scope, name) : NULL;
            if (from != NULL && own != NULL && from != own && from->data != NULL)
                RG_TRY(rg_value_copy(own, from));
        }
    for (size_t v = 0; v < s->schema.n; v++) {
        const rg_served *var = rg_serve_var(s, v);
        for (uint32_t i = 0; var->sent != NULL && i < s->schema.trainers; i++)
            RG_TRY(rg_value_copy(var->sent[i], var->param));
    }
    return RG_OK;
}

/* ---- tables ---- */

static bool is_ours(void *arg, int64_t id)
{
    const rg_served *var = arg;
    return id >= var->about->begin && (var->grows || id < var->about->begin + var->about->rows) &&
           rg_served_is_mine(var, id);
}

/* Rates of steps, of which rows make those that they have missed later: the same on all. */
static rg_status take_past(rg_served *var, rg_cursor in)
{
    rg_past *other = NULL;
    if (rg_past_now(var->past) == 1)
        return rg_past_read(var->past, &in);
    RG_TRY(rg_past_open(&other));
    rg_status code = rg_past_read(other, &in);
    if (code == RG_OK && rg_past_now(other) != rg_past_now(var->past))
        code = rg_fail(RG_ECORRUPT, "servers have made different numbers of steps of %s: %u and %u",
                       var->about->name, rg_past_now(var->past), rg_past_now(other));
    rg_past_close(other);
    return code;
}

static rg_status take_beside(rg_served *var, rg_cursor in)
{
    uint32_t age, parts;
    RG_TRY(rg_cursor_u32(&in, &age));
    RG_TRY(rg_cursor_u32(&in, &parts));
    var->age = age > var->age ? age : var->age;
    if ((parts & 1) != (var->past != NULL))
        return rg_fail(RG_ECORRUPT, "%s is another kind of table here", var->about->name);
    return var->past != NULL ? take_past(var, in) : RG_OK;
}

static rg_status take_table(taking *t, const rg_record *record)
{
    rg_engine *s = t->engine;
    rg_cursor in = {record->bytes, record->n};
    uint32_t shard, number;
    size_t length, own_length;
    int64_t begin;
    RG_TRY(rg_cursor_u32(&in, &shard));
    RG_TRY(rg_cursor_u32(&in, &number));
    if (number >= t->theirs.n_vars)
        return rg_fail(RG_ECORRUPT, "table %u, which there is not", number);
    const char *origin = rg_split_origin(&t->theirs, t->theirs.vars[number], &length, &begin);
    for (size_t v = 0; v < s->schema.n; v++) {
        const char *own = rg_split_origin(&t->ours, s->schema.vars[v].name, &own_length, &begin);
        for (int k = 0; is_same(origin, length, own, own_length) && k < s->n_shards; k++) {
            rg_served *var = &s->shards[k].vars[v];
            if (var->table == NULL)
                continue;
            RG_TRY(record->kind == RG_STATE_TABLE
                       ? take_beside(var, in)
                       : rg_table_put(var->table, in.at, in.left, is_ours, var));
        }
    }
    return RG_OK;
}

/* ---- how far trainers were ---- */

static rg_status take_about(taking *t, const rg_record *record)
{
    rg_state_about about;
    char *job;
    RG_TRY(rg_state_get_about(record, &about, &job));
    rg_free(job);
    if (t->server > 0)
        return about.trainers == t->trainers
                   ? RG_OK
                   : rg_fail(RG_ECORRUPT, "servers of jobs of %u and %u trainers", t->trainers,
                             about.trainers);
    t->trainers = about.trainers;
    t->old = rg_alloc_zero(t->trainers, sizeof *t->old);
    return t->old ? RG_OK : rg_no_memory(t->trainers, "trainers");
}

static rg_status take_member(taking *t, const rg_record *record)
{
    rg_member other = {0};
    uint32_t number = 0;
    rg_status code = rg_state_get_member(record, t->trainers, &number, &other);
    rg_serve_take_back_refused(&other);
    if (code == RG_OK && t->server == 0 && !t->old[number].joined) {
        t->old[number] = other;
        return RG_OK;
    }
    if (code == RG_OK) {
        /* A call goes to all servers that have a part of what it names, and has one number; of the
         * last one nothing is missing (stopped.c). */
        rg_member *first = &t->old[number];
        first->changed = other.changed > first->changed ? other.changed : first->changed;
        first->left = first->left && other.left;
    }
    rg_serve_close_member(&other);
    return code;
}

/* Who is not the first lets trainers wait where servers wait for all of them, and says no more. */
static rg_status take_engine(taking *t, const rg_record *record)
{
    rg_engine *s = t->engine;
    rg_cursor in = {record->bytes, record->n};
    const uint8_t *digest;
    uint64_t has;
    if (t->server > 0)
        return RG_OK;
    RG_TRY(rg_cursor_u64(&in, &s->steps));
    RG_TRY(rg_cursor_u64(&in, &s->rendezvous));
    RG_TRY(rg_cursor_u64(&in, &has));
    RG_TRY(rg_cursor_take(&in, sizeof s->digest, &digest));
    if (s->id > 0 && !s->mode->programs.merges)
        return RG_OK;
    RG_TRY(rg_serve_read_meetings(s, &in));
    for (size_t i = 0; s->id > 0 && i < s->n_meetings; i++) {
        rg_meeting *m = &s->meetings[i];
        rg_free(m->result);
        *m = (rg_meeting){.kind = RG_PS_BARRIER, .name = m->name};
    }
    s->meeting_bytes = s->id > 0 ? 0 : s->meeting_bytes;
    return RG_OK;
}

/* Ranges of leased data, which whoever had them does not have any more. */
static rg_status take_leases(taking *t, const rg_record *record)
{
    rg_engine *s = t->engine;
    rg_cursor in = {record->bytes, record->n};
    rg_pass_state last;
    if (t->server > 0)
        return RG_OK;
    RG_TRY(rg_deals_read(s->deals, &in));
    for (uint32_t i = 0; i < t->trainers; i++)
        (void)rg_deals_return(s->deals, i, UINT64_MAX);
    t->leased = rg_deals_count(s->deals, &last) > 0;
    return RG_OK;
}

/* Of n in all, as if they had been dealt in turn. */
static uint64_t share_of(uint64_t n, uint32_t i, uint32_t of)
{
    return (n + of - 1 - i) / of;
}

/* What the trainers had pushed and read, of one thread. */
static void sum_thread(const taking *t, size_t thread, uint64_t *pushed, uint64_t *positions)
{
    *pushed = *positions = 0;
    for (uint32_t i = 0; i < t->trainers; i++)
        if (thread < t->old[i].n_pushed) {
            *pushed += t->old[i].pushed[thread];
            *positions += t->old[i].positions[thread];
        }
}

static rg_status share_counts(const taking *t, uint32_t number, rg_member *to)
{
    size_t threads = 0;
    uint32_t trainers = t->engine->schema.trainers;
    bool same = trainers == t->trainers;
    for (uint32_t i = 0; !t->leased && i < t->trainers; i++)
        threads = t->old[i].n_pushed > threads ? t->old[i].n_pushed : threads;
    if (threads > 0)
        RG_TRY(rg_serve_count_threads(to, threads));
    for (size_t k = 0; k < threads; k++) {
        const rg_member *old = same ? &t->old[number] : NULL;
        uint64_t pushed, positions;
        sum_thread(t, k, &pushed, &positions);
        if (old != NULL) {
            to->pushed[k] = k < old->n_pushed ? old->pushed[k] : 0;
            to->positions[k] = k < old->n_pushed ? old->positions[k] : 0;
        } else {
            to->pushed[k] = share_of(pushed, number, trainers);
            to->positions[k] = share_of(positions, number, trainers);
        }
        to->before[k] = to->positions[k];
        atomic_fetch_add(&to->n_pushes, to->pushed[k]);
    }
    /* Workers that there were not do what the last one did: the first alone does more. Of that
     * call all is done, also what is asked of this server where others were asked before. */
    uint32_t like = number < t->trainers ? number : t->trainers - 1;
    to->changed = like == 0 && number > 0
                      ? 0
                      : rg_change_at(rg_change_call(t->old[like].changed), UINT32_MAX);
    return RG_OK;
}

/* A trainer as if it had come and gone: whoever comes in its place asks how far it was. */
static rg_status recall_trainer(const taking *t, uint32_t number)
{
    rg_engine *s = t->engine;
    rg_rpc_hello hello = {.role = RG_RPC_TRAINER, .trainer = (int32_t)number};
    rg_rpc_peer *peer;
    uint64_t session;
    bool left = true;
    (void)snprintf(hello.name, sizeof hello.name, "trainer %u", number);
    (void)snprintf(hello.host, sizeof hello.host, "%s", "the job before");
    RG_TRY(rg_rpc_lineage(&session));
    RG_TRY(rg_rpc_server_recall(s->rpc, &peer, session, &hello, (int)number % s->n_shards));
    rg_member *trainer = &s->trainers[number];
    for (uint32_t i = 0; i < t->trainers; i++)
        left = left && t->old[i].left;
    trainer->left = s->schema.trainers == t->trainers ? t->old[number].left : left;
    trainer->leased = trainer->idle = t->leased; /* until it begins with the data */
    trainer->seen_epoch = 1;
    return share_counts(t, number, trainer);
}

static rg_status recall_trainers(taking *t)
{
    rg_engine *s = t->engine;
    bool any = false;
    uint64_t pushes = 0;
    for (uint32_t i = 0; i < t->trainers; i++)
        any = any || t->old[i].joined;
    for (uint32_t i = 0; any && i < s->schema.trainers; i++) {
        RG_TRY(recall_trainer(t, i));
        pushes += s->trainers[i].n_pushes;
    }
    if (s->id == 0 && s->schema.trainers == t->trainers)
        for (uint32_t i = 0; i < t->trainers; i++) {
            s->trainers[i].stats = t->old[i].stats;
            t->old[i].stats = (rg_reported){0};
        }
    rg_log(RG_LOG_I, "ps",
           "server=%d \"goes on with its share of what %d servers had, of a job of %u trainers\" "
           "steps=%llu pushes=%llu",
           s->id, t->servers, t->trainers, (unsigned long long)s->steps,
           (unsigned long long)pushes);
    return RG_OK;
}

/* ---- all of it ---- */

static rg_status take_record(void *arg, const rg_record *record)
{
    taking *t = arg;
    switch (record->kind) {
    case RG_STATE_ABOUT:
        return take_about(t, record);
    case RG_STATE_SPLIT:
        return rg_split_read(&t->theirs, record);
    case RG_STATE_VALUE:
        return take_value(t, record);
    case RG_STATE_TABLE:
    case RG_STATE_ROWS:
        return take_table(t, record);
    case RG_STATE_ENGINE:
        return t->ledger ? take_engine(t, record) : RG_OK;
    case RG_STATE_MEMBER:
        return t->ledger ? take_member(t, record) : RG_OK;
    case RG_STATE_LEASES:
        return t->ledger ? take_leases(t, record) : RG_OK;
    default:
        return RG_OK; /* what waited for others is asked for again */
    }
}

static rg_status take_server(taking *t, const rg_folder *root)
{
    char name[64];
    rg_folder *folder = NULL;
    rg_snapshot_found newest;
    (void)snprintf(name, sizeof name, "server-%d-of-%d", t->server, t->servers);
    RG_TRY(rg_folder_enter(&folder, root, name, false));
    rg_status code = rg_snapshot_newest(folder, &newest);
    if (code == RG_OK)
        code = rg_snapshot_read(folder, &newest, take_record, t);
    rg_split_fini(&t->theirs);
    rg_folder_close(folder);
    return code;
}

/* "server-0-of-3" says how many there are. */
static rg_status count_servers(void *arg, const char *name)
{
    static const char FIRST[] = "server-0-of-";
    char *end;
    if (strncmp(name, FIRST, strlen(FIRST)) != 0)
        return RG_OK;
    long n = strtol(name + strlen(FIRST), &end, 10);
    if (*end == '\0' && n > 0 && n < 1 << 20)
        ((taking *)arg)->servers = (int)n;
    return RG_OK;
}

static rg_status take_all(taking *t, const char *path)
{
    rg_folder *root = NULL;
    RG_TRY(rg_folder_open(&root, path));
    rg_status code = rg_folder_each(root, count_servers, t);
    if (code == RG_OK && t->servers == 0)
        code = rg_fail(RG_EINVAL, "there is no server-0-of-N in it; of a job that was stopped make "
                                  "one by `paddle export_snapshot --snapshot JOURNALS FOLDER`");
    if (code == RG_OK)
        code = rg_split_of(t->engine, &t->ours);
    if (code == RG_OK)
        code = list_wanted(t);
    for (t->server = 0; code == RG_OK && t->server < t->servers; t->server++)
        code = take_server(t, root);
    if (code == RG_OK)
        code = check_wanted(t);
    if (code == RG_OK)
        share_count(t);
    if (code == RG_OK)
        code = copy_values(t);
    if (code == RG_OK && t->ledger)
        code = recall_trainers(t);
    rg_folder_close(root);
    return code == RG_OK ? RG_OK : rg_context(code, "the snapshot in %s", path);
}

rg_status rg_serve_take_over(rg_engine *s)
{
    const char *resumed, *begun;
    RG_TRY(rg_flag_text("ps_resume_from", &resumed));
    RG_TRY(rg_flag_text("ps_init_from", &begun));
    const char *path = resumed[0] != '\0' ? resumed : begun;
    if (path[0] == '\0')
        return RG_OK;
    if (s->typed)
        return rg_fail(RG_EUNIMPL, "a server that is sent its program (paddle pserver) does not "
                                   "begin with a snapshot: load a model, which `paddle "
                                   "export_snapshot` makes of it");
    taking t = {.engine = s, .ledger = resumed[0] != '\0'};
    rg_status code = take_all(&t, path);
    for (uint32_t i = 0; t.old != NULL && i < t.trainers; i++)
        rg_serve_close_member(&t.old[i]);
    rg_free(t.old);
    rg_free(t.wanted);
    rg_split_fini(&t.ours);
    return code;
}
