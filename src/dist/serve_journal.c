/* serve_journal.c - what a server writes down before it answers, and how it goes on from it. */
#include "dist/serve_journal.h"

#include "base/mem.h"
#include "rpc/credentials.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>

enum { LOCK_MS = 20000 };

/* ---- opening ---- */

/* What another job has left, which its owner may mean to go on with, is put aside. */
static rg_status put_aside(rg_engine *s, struct rg_serve_journal *j, const rg_folder *root,
                           const char *name)
{
    char previous[80];
    (void)snprintf(previous, sizeof previous, "%s.previous", name);
    rg_log(RG_LOG_W, "ps", "server=%d \"what is in %s is of another job: it is now %s\"", s->id,
           rg_folder_path(j->folder), previous);
    rg_folder_lock_close(j->lock);
    rg_folder_close(j->folder);
    j->lock = NULL;
    j->folder = NULL;
    RG_TRY(rg_folder_remove(root, previous));
    RG_TRY(rg_folder_move(root, name, root, previous));
    RG_TRY(rg_folder_enter(&j->folder, root, name, true));
    RG_TRY(rg_folder_sync(root));
    return rg_folder_lock_open(&j->lock, j->folder, "lock", LOCK_MS);
}

static rg_status find_state(rg_engine *s, struct rg_serve_journal *j, bool *other);

static rg_status enter_folder(rg_engine *s, struct rg_serve_journal *j)
{
    const char *dir;
    char name[64];
    bool other = false;
    rg_folder *root = NULL;
    RG_TRY(rg_flag_text("ps_journal_dir", &dir));
    if (dir[0] == '\0')
        return rg_fail(RG_EINVAL, "FLAGS_ps_journal needs FLAGS_ps_journal_dir: a folder that is "
                                  "there when the server is started again");
    if (s->typed) /* several of a process have numbers of their own, and ports that all know */
        (void)snprintf(name, sizeof name, "server-port-%s", s->port);
    else
        (void)snprintf(name, sizeof name, "server-%d", s->id);
    RG_TRY(rg_dir_make(dir));
    RG_TRY(rg_folder_open(&root, dir));
    rg_status code = rg_folder_enter(&j->folder, root, name, true);
    if (code == RG_OK)
        code = rg_folder_sync(root);
    if (code == RG_OK)
        code = rg_folder_lock_open(&j->lock, j->folder, "lock", LOCK_MS);
    if (code == RG_OK)
        code = find_state(s, j, &other);
    if (code == RG_OK && other)
        code = put_aside(s, j, root, name);
    rg_folder_close(root);
    return code;
}

typedef struct about {
    rg_engine *engine;
    int loops;
    bool seen, other;
} about;

static rg_status see_about(void *arg, const rg_record *record)
{
    about *a = arg;
    if (record->kind != RG_STATE_ABOUT)
        return RG_OK;
    a->seen = true;
    return rg_state_read_about(a->engine, record, &a->loops, &a->other);
}

static rg_status remove_entry(void *arg, const char *name)
{
    static const char *const ours[] = {"ckpt-", "delta-", "journal-"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(name, ours[i], strlen(ours[i])) == 0)
            return rg_folder_remove(arg, name);
    return RG_OK;
}

static rg_status empty_folder(const rg_folder *folder)
{
    return rg_folder_each(folder, remove_entry, (void *)(uintptr_t)folder);
}

/* The state of an earlier process, if there is one: how many loops it had. */
static rg_status find_state(rg_engine *s, struct rg_serve_journal *j, bool *other)
{
    about a = {.engine = s};
    rg_status code = rg_snapshot_see(j->folder, see_about, &a, &j->snapshot);
    if (code == RG_ENOENT) /* also one that died before its first snapshot was there */
        return empty_folder(j->folder);
    RG_TRY(code);
    j->lineage = j->snapshot.lineage;
    if (!a.seen)
        return rg_fail(RG_ECORRUPT, "the snapshot in %s does not say whose it is",
                       rg_folder_path(j->folder));
    *other = a.other;
    j->found = !a.other;
    s->loops = a.other ? 0 : a.loops;
    return RG_OK;
}

rg_status rg_serve_open_journal(rg_engine *s)
{
    const char *text;
    rg_journal_mode mode;
    RG_TRY(rg_flag_text("ps_journal", &text));
    RG_TRY(rg_journal_mode_of(text, &mode));
    int64_t grace = rg_flag_int("ps_grace_seconds");
    if (grace < 0 || grace > 86400)
        return rg_fail(RG_EINVAL, "FLAGS_ps_grace_seconds is %lld: 0 to 86400 are possible",
                       (long long)grace);
    if (mode == RG_JOURNAL_OFF && grace > 0)
        return rg_fail(RG_EINVAL,
                       "FLAGS_ps_grace_seconds is %lld, and FLAGS_ps_journal is off: there is "
                       "nothing that a snapshot would be for",
                       (long long)grace);
    if (mode == RG_JOURNAL_OFF)
        return RG_OK;
    int64_t deltas = rg_flag_int("ps_snapshot_deltas");
    if (deltas < 0 || deltas > RG_DELTAS_MAX)
        return rg_fail(RG_EINVAL, "FLAGS_ps_snapshot_deltas is %lld: 0 to %d are possible",
                       (long long)deltas, RG_DELTAS_MAX);
    int64_t share = rg_flag_int("ps_snapshot_share");
    if (share < 1 || share > 100)
        return rg_fail(RG_EINVAL, "FLAGS_ps_snapshot_share is %lld: 1 to 100 are possible",
                       (long long)share);
    int64_t front = rg_flag_int("ps_journal_front_mb");
    if (front < 0 || front > 1024)
        return rg_fail(RG_EINVAL, "FLAGS_ps_journal_front_mb is %lld: 0 to 1024 are possible",
                       (long long)front);
    struct rg_serve_journal *j = rg_alloc_zero(1, sizeof *j);
    if (j == NULL)
        return rg_no_memory(sizeof *j, "a journal");
    j->mode = mode;
    j->n_deltas = -1;
    rg_buf_init(&j->load, 0);
    s->journal = j;
    RG_TRY(enter_folder(s, j));
    return j->found ? RG_OK : rg_rpc_lineage(&j->lineage);
}

uint64_t rg_serve_lineage(const rg_engine *s)
{
    return s->journal != NULL ? s->journal->lineage : 0;
}

void rg_serve_close_journal(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    if (j == NULL)
        return;
    rg_serve_end_snapshot(s);
    if (rg_journal_close(j->journal) != RG_OK)
        rg_log(RG_LOG_E, "ps", "server=%d \"%s\"", s->id, rg_error_message());
    /* A job that has ended well is not gone on with. */
    if (s->ended && s->failed == RG_OK && empty_folder(j->folder) != RG_OK)
        rg_log(RG_LOG_W, "ps", "server=%d \"%s\"", s->id, rg_error_message());
    rg_folder_lock_close(j->lock);
    rg_folder_close(j->folder);
    rg_buf_fini(&j->load);
    for (int k = 0; k < RG_RPC_MAX_LOOPS; k++)
        rg_free(j->held[k].requests);
    rg_free(j);
    s->journal = NULL;
}

rg_status rg_serve_keep_program(rg_engine *s, const uint8_t *body, size_t n)
{
    if (s->journal == NULL)
        return RG_OK;
    rg_buf_add(&s->journal->load, body, n);
    return rg_buf_status(&s->journal->load);
}

/* ---- writing ---- */

bool rg_serve_is_replaying(const rg_engine *s)
{
    return s->journal != NULL && atomic_load_explicit(&s->journal->replaying, memory_order_relaxed);
}

static bool is_writing(const rg_engine *s)
{
    return s->journal != NULL && s->journal->journal != NULL &&
           !atomic_load_explicit(&s->journal->replaying, memory_order_relaxed);
}

/* What is not written is not done: the job ends, and what there is can be gone on with. Without the
 * locks. */
static void end_job(rg_engine *s, rg_status status, const char *why)
{
    pthread_mutex_lock(&s->lock);
    rg_serve_fail(s, status,
                  "%s: %s; nothing that was answered is lost: make room, or repair the disk, and "
                  "start the job again with the same journal",
                  s->who, why);
    pthread_mutex_unlock(&s->lock);
}

static rg_status append(rg_engine *s, uint32_t kind, const rg_iov *pieces, size_t n)
{
    uint64_t number = 0;
    RG_TRY(rg_journal_append(s->journal->journal, kind, pieces, n, &number));
    rg_rpc_server_logged(s->rpc, number + 1);
    return RG_OK;
}

/* An answer waits for the disk: that does not wait for the end of the second then. */
void rg_serve_hurry(void *user)
{
    const rg_engine *s = user;
    if (s->journal->mode == RG_JOURNAL_EVERYSEC)
        rg_journal_hurry(s->journal->journal);
}

bool rg_serve_answers_early(const rg_engine *s)
{
    return s->journal != NULL && s->journal->mode == RG_JOURNAL_EVERYSEC;
}

/* Between the disk and the answer, by what was asked. Many are the pushes, and a trainer that has
 * the answer to one keeps it, and sends it again to a server that came back without it; their order
 * among trainers does not matter. That of the others does, or someone else relies on what they did.
 */
static void settle_answer(rg_engine *s, rg_rpc_request *request)
{
    if (rg_serve_answers_early(s) && rg_serve_is_kept(rg_rpc_request_method(request)))
        rg_rpc_request_noted(request);
    else
        rg_rpc_request_logged(request);
}

void rg_note_put_request(rg_buf *out, const rg_rpc_request *request)
{
    rg_buf_u64(out, rg_rpc_peer_session(rg_rpc_request_peer(request)));
    rg_buf_u64(out, rg_rpc_request_id(request));
    rg_buf_u32(out, rg_rpc_request_method(request));
    rg_buf_u32(out, rg_rpc_request_flags(request));
}

/* Where it lies: gradients that a trainer lends are not copied for it. */
size_t rg_note_body(rg_rpc_request *request, rg_iov *pieces)
{
    size_t bytes, n = rg_rpc_request_pieces(request, pieces, RG_RECORD_PIECES - 1);
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    if (n > 0 || bytes == 0)
        return n;
    (void)rg_rpc_request_copied(request, 0, bytes);
    pieces[0] = (rg_iov){body, bytes};
    return 1;
}

bool rg_serve_note_request(rg_engine *s, rg_rpc_request *request)
{
    uint16_t method = rg_rpc_request_method(request);
    uint64_t head[3] = {rg_rpc_peer_session(rg_rpc_request_peer(request)),
                        rg_rpc_request_id(request),
                        (uint64_t)rg_rpc_request_flags(request) << 32 | method};
    rg_iov pieces[RG_RECORD_PIECES] = {{head, sizeof head}};
    if (!is_writing(s) || !rg_serve_is_noted(method))
        return true;
    rg_status code = append(s, RG_NOTED_REQUEST, pieces, 1 + rg_note_body(request, pieces + 1));
    if (code == RG_OK) {
        settle_answer(s, request);
        return true;
    }
    char why[512];
    (void)snprintf(why, sizeof why, "%s", rg_error_message());
    rg_rpc_refuse(request, code, "%s", why);
    end_job(s, code, why);
    return false;
}

void rg_note_put_hello(rg_buf *out, uint64_t session, int loop, const rg_rpc_hello *hello)
{
    rg_buf_u64(out, session);
    rg_buf_u32(out, (uint32_t)loop);
    rg_buf_u32(out, (uint32_t)hello->trainer);
    rg_buf_u32(out, hello->trainers);
    rg_buf_u32(out, hello->pid);
    rg_buf_u32(out, hello->incarnation);
    rg_ps_put_text(out, hello->job);
    rg_ps_put_text(out, hello->name);
    rg_ps_put_text(out, hello->host);
}

rg_status rg_serve_note_join(rg_engine *s, const rg_rpc_peer *peer, const rg_rpc_hello *hello)
{
    rg_buf body;
    if (!is_writing(s))
        return RG_OK;
    rg_buf_init(&body, 0);
    rg_note_put_hello(&body, rg_rpc_peer_session(peer), rg_rpc_peer_loop(peer), hello);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = append(s, RG_NOTED_JOIN, &(rg_iov){body.data, body.len}, 1);
    if (code == RG_OK)
        code = rg_journal_wait(s->journal->journal); /* as answers do: who is let in is known */
    rg_buf_fini(&body);
    return code;
}

void rg_serve_note_gone(rg_engine *s, uint64_t session)
{
    if (is_writing(s)) /* where it fails, the next that is asked hears of it */
        (void)append(s, RG_NOTED_GONE, &(rg_iov){&session, sizeof session}, 1);
}

rg_status rg_serve_note_rows(rg_engine *s, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    if (!is_writing(s))
        return RG_OK;
    RG_TRY(append(s, RG_NOTED_ROWS, &(rg_iov){body, n}, 1));
    if (rg_serve_answers_early(s))
        rg_rpc_request_noted(request);
    return RG_OK;
}

rg_status rg_serve_note_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n)
{
    int64_t body[3] = {(int64_t)var, first, n};
    if (!is_writing(s))
        return RG_OK;
    RG_TRY(append(s, RG_NOTED_CATCH_UP, &(rg_iov){body, sizeof body}, 1));
    return rg_journal_wait(s->journal->journal); /* it is not asked for again */
}

/* u32 pass, range, state, generation, holder, 0; u64 epoch, ticket, rows. */
rg_status rg_serve_note_lease(rg_engine *s, const rg_range_note *n)
{
    uint64_t body[6] = {(uint64_t)n->range << 32 | n->reading,
                        (uint64_t)n->generation << 32 | n->state,
                        n->holder,
                        n->epoch,
                        n->ticket,
                        n->rows};
    return is_writing(s) ? append(s, RG_NOTED_LEASE, &(rg_iov){body, sizeof body}, 1) : RG_OK;
}

rg_status rg_serve_note_saved(rg_engine *s, rg_member *trainer, uint64_t at, uint32_t of)
{
    const uint64_t body[2] = {(uint64_t)of << 32 | (uint64_t)(trainer - s->trainers), at};
    rg_serve_count_change(s, trainer, at, of, true);
    return is_writing(s) ? append(s, RG_NOTED_SAVED, &(rg_iov){body, sizeof body}, 1) : RG_OK;
}

void rg_serve_wait_for_notes(rg_engine *s, rg_rpc_request *request)
{
    if (is_writing(s))
        rg_rpc_request_logged(request);
}

void rg_serve_sync(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    rg_serve_wait_for_notes(s, request);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
}

/* ---- going on ---- */

static rg_status get_short_text(rg_cursor *in, char out[RG_RPC_NAME_MAX])
{
    char *text = NULL;
    RG_TRY(rg_ps_get_text(in, &text));
    (void)snprintf(out, RG_RPC_NAME_MAX, "%s", text);
    rg_free(text);
    return RG_OK;
}

rg_status rg_note_get_hello(rg_cursor *in, uint64_t *session, uint32_t *loop, rg_rpc_hello *hello)
{
    uint32_t trainer;
    *hello = (rg_rpc_hello){.role = RG_RPC_TRAINER};
    RG_TRY(rg_cursor_u64(in, session));
    RG_TRY(rg_cursor_u32(in, loop));
    RG_TRY(rg_cursor_u32(in, &trainer));
    RG_TRY(rg_cursor_u32(in, &hello->trainers));
    RG_TRY(rg_cursor_u32(in, &hello->pid));
    RG_TRY(rg_cursor_u32(in, &hello->incarnation));
    RG_TRY(get_short_text(in, hello->job));
    RG_TRY(get_short_text(in, hello->name));
    RG_TRY(get_short_text(in, hello->host));
    hello->trainer = (int32_t)trainer;
    return RG_OK;
}

rg_status rg_note_recall(rg_engine *s, rg_cursor *in, rg_rpc_peer **peer)
{
    rg_rpc_hello hello;
    uint64_t session;
    uint32_t loop;
    RG_TRY(rg_note_get_hello(in, &session, &loop, &hello));
    return rg_rpc_server_recall(s->rpc, peer, session, &hello, (int)loop);
}

typedef struct handing {
    rg_rpc_peer *peer;
    rg_frame frame;
    const uint8_t *body;
    bool first;
    rg_status code;
} handing;

static void hand(void *arg)
{
    handing *h = arg;
    h->code = rg_rpc_peer_replay(h->peer, &h->frame, h->body, h->first);
}

rg_status rg_note_replay(rg_engine *s, const rg_record *record, bool first)
{
    rg_cursor in = {record->bytes, record->n};
    uint64_t session;
    uint32_t method, flags;
    handing h = {.frame = {.kind = RG_FRAME_REQUEST}, .first = first};
    RG_TRY(rg_cursor_u64(&in, &session));
    RG_TRY(rg_cursor_u64(&in, &h.frame.id));
    RG_TRY(rg_cursor_u32(&in, &method));
    RG_TRY(rg_cursor_u32(&in, &flags));
    h.frame.method = (uint16_t)method;
    h.frame.flags = (uint16_t)flags;
    h.frame.bytes = in.left;
    h.body = in.at;
    h.peer = rg_rpc_server_find(s->rpc, session);
    if (h.peer == NULL)
        return RG_OK; /* it was replaced, and is gone for good */
    rg_loop *loop = s->shards[rg_rpc_peer_loop(h.peer)].loop;
    if (rg_loop_inside(loop))
        hand(&h);
    else
        rg_loop_do(loop, hand, &h);
    return h.code == RG_OK ? RG_OK : rg_fail(h.code, "no memory for a request of the journal");
}

static rg_status recall(rg_engine *s, const rg_record *record)
{
    rg_rpc_peer *peer;
    return rg_note_recall(s, &(rg_cursor){record->bytes, record->n}, &peer);
}

static rg_status replay_gone(rg_engine *s, const rg_record *record)
{
    uint64_t session;
    RG_TRY(rg_cursor_u64(&(rg_cursor){record->bytes, record->n}, &session));
    rg_rpc_peer *peer = rg_rpc_server_find(s->rpc, session);
    if (peer != NULL)
        rg_serve_peer_dead(s, peer, "it was gone when the server was started again");
    return RG_OK;
}

static rg_status replay_lease(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    rg_range_note n;
    uint32_t zero;
    RG_TRY(rg_cursor_u32(&in, &n.reading));
    RG_TRY(rg_cursor_u32(&in, &n.range));
    RG_TRY(rg_cursor_u32(&in, &n.state));
    RG_TRY(rg_cursor_u32(&in, &n.generation));
    RG_TRY(rg_cursor_u32(&in, &n.holder));
    RG_TRY(rg_cursor_u32(&in, &zero));
    RG_TRY(rg_cursor_u64(&in, &n.epoch));
    RG_TRY(rg_cursor_u64(&in, &n.ticket));
    RG_TRY(rg_cursor_u64(&in, &n.rows));
    return rg_deals_replay(s->deals, &n);
}

/* The file is there: it only counts. */
static rg_status replay_saved(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint32_t trainer, of;
    uint64_t at;
    RG_TRY(rg_cursor_u32(&in, &trainer));
    RG_TRY(rg_cursor_u32(&in, &of));
    RG_TRY(rg_cursor_u64(&in, &at));
    if (trainer >= s->schema.trainers)
        return rg_fail(RG_ECORRUPT, "trainer %u of %u has had a table saved", trainer,
                       s->schema.trainers);
    rg_serve_count_change(s, &s->trainers[trainer], at, of, true);
    return RG_OK;
}

static rg_status replay_catch_up(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint64_t var, first, n;
    RG_TRY(rg_cursor_u64(&in, &var));
    RG_TRY(rg_cursor_u64(&in, &first));
    RG_TRY(rg_cursor_u64(&in, &n));
    return rg_serve_catch_up(s, var, (int64_t)first, (int64_t)n);
}

/* Nothing is under way any more. For a thread that is no loop's, or where there is but one. */
void rg_serve_settle(rg_engine *s)
{
    while (atomic_load(&s->spreads) > 0)
        for (int k = 0; k < s->n_shards; k++)
            if (!rg_loop_inside(s->shards[k].loop))
                rg_loop_do(s->shards[k].loop, rg_serve_do_nothing, NULL);
}

typedef struct replay {
    rg_engine *engine;
    uint64_t n, next, lineage;
    uint64_t snapshot_ns; /* how long that was read before the records */
    rg_status code;
    char why[512];
} replay;

static rg_status replay_one(void *arg, const rg_record *record)
{
    replay *r = arg;
    rg_engine *s = r->engine;
    rg_status code;
    r->n++;
    if (s->journal->leaves_out != NULL &&
        s->journal->leaves_out(s->journal->leaves_out_arg, s, record))
        return RG_OK;
    if (s->n_shards > 1)
        rg_serve_settle(s); /* what came before is applied in every shard, as it was then */
    if (record->kind == RG_NOTED_REQUEST)
        code = rg_note_replay(s, record, false);
    else if (record->kind == RG_NOTED_JOIN)
        code = recall(s, record);
    else if (record->kind == RG_NOTED_GONE)
        code = replay_gone(s, record);
    else if (record->kind == RG_NOTED_ROWS)
        code = rg_serve_look_up(s, record->bytes, record->n);
    else if (record->kind == RG_NOTED_CATCH_UP)
        code = replay_catch_up(s, record);
    else if (record->kind == RG_NOTED_LEASE)
        code = replay_lease(s, record);
    else if (record->kind == RG_NOTED_SAVED)
        code = replay_saved(s, record);
    else
        code = rg_fail(RG_EUNIMPL, "a record of kind %u: was it written by a newer Regatta?",
                       record->kind);
    if (s->n_shards > 1 && record->kind == RG_NOTED_ROWS)
        rg_serve_settle(s); /* the loops read ids in the record, whose memory is the next one's */
    return code == RG_OK
               ? RG_OK
               : rg_fail(code, "record %llu of %s: %s", (unsigned long long)record->number,
                         rg_folder_path(s->journal->folder), rg_error_message());
}

static rg_status read_state(void *arg, const rg_record *record)
{
    return rg_state_read(((replay *)arg)->engine, record);
}

/* In the loop where there is one, so that each request is a plain call. */
static void replay_all(void *arg)
{
    replay *r = arg;
    const struct rg_serve_journal *j = r->engine->journal;
    uint64_t begin = rg_clock_ns();
    r->code = rg_snapshot_read(j->folder, &j->snapshot, read_state, r);
    r->snapshot_ns = rg_clock_ns() - begin;
    if (r->code == RG_OK)
        r->code = (j->looks ? rg_journal_look : rg_journal_read)(
            j->folder, j->snapshot.number, &r->lineage, replay_one, r, &r->next);
    (void)snprintf(r->why, sizeof r->why, "%s", rg_error_message());
}

rg_status rg_serve_replay(rg_engine *s, rg_replayed *out)
{
    struct rg_serve_journal *j = s->journal;
    replay r = {.engine = s, .next = j->snapshot.number, .lineage = j->lineage};
    atomic_store(&j->replaying, true);
    if (s->n_shards == 1)
        rg_loop_do(s->shards[0].loop, replay_all, &r);
    else
        replay_all(&r);
    rg_serve_settle(s);
    atomic_store(&j->replaying, false);
    if (r.code != RG_OK)
        return rg_fail(r.code, "%s cannot go on: %s", s->who, r.why);
    *out = (rg_replayed){.records = r.n, .next = r.next, .snapshot_ns = r.snapshot_ns};
    return RG_OK;
}

static rg_status go_on(rg_engine *s, uint64_t *next)
{
    uint64_t begin = rg_clock_ns();
    rg_replayed done;
    RG_TRY(rg_serve_replay(s, &done));
    *next = done.next;
    uint64_t records_ns = rg_clock_ns() - begin - done.snapshot_ns;
    rg_log(RG_LOG_I, "ps",
           "server=%d \"%s was started again and has what it had: %llu records of %s were read in "
           "%.2f s, the snapshot before them in %.2f s\" steps=%llu",
           s->id, s->who, (unsigned long long)done.records, rg_folder_path(s->journal->folder),
           (double)records_ns * 1e-9, (double)done.snapshot_ns * 1e-9,
           (unsigned long long)s->steps);
    return RG_OK;
}

static void on_durable(void *user, uint64_t number)
{
    const rg_engine *s = user;
    rg_rpc_server_durable(s->rpc, number);
}

static void on_failed(void *user, rg_status status, const char *why)
{
    rg_engine *s = user;
    rg_rpc_server_lost_log(s->rpc, status, why);
    end_job(s, status, why);
}

rg_status rg_serve_go_on(rg_engine *s)
{
    struct rg_serve_journal *j = s->journal;
    uint64_t next = 0;
    if (j == NULL || !j->found)
        RG_TRY(rg_serve_take_over(s));
    if (j == NULL)
        return RG_OK;
    if (j->found)
        RG_TRY(go_on(s, &next));
    j->snapshot_ns = rg_clock_ns();
    j->snapshot_steps = s->steps;
    const rg_journal_about what = {j->mode, j->lineage,
                                   (size_t)rg_flag_int("ps_journal_front_mb") << 20};
    RG_TRY(rg_journal_open(&j->journal, j->folder, &what, next,
                           &(rg_journal_events){on_durable, on_failed, s}));
    return j->found ? RG_OK : rg_serve_snapshot(s);
}
