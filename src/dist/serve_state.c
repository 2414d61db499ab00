/* serve_state.c - the whole state of a server, as records of a snapshot, and back.
 *
 * What a shard owns is written by its loop: the variables of its scope at the cut, and what stands
 * beside the rows of its tables; the rows themselves later (serve_state_rows.c). What belongs to
 * trainers, and requests that wait for others (a push for its step, a rendezvous), is as it was at
 * the cut, too, and follows at the end: those are handed over again when it is read. */
#include "dist/serve_journal.h"
#include "dist/serve_load.h"

#include "base/mem.h"
#include "ir/digest.h"
#include "rpc/credentials.h"
#include "sys/fault.h"

#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of a record, about */

/* ---- whose it is ---- */

void rg_state_write_about(const rg_engine *s, rg_buf *out)
{
    rg_credentials credentials = {.n_key = 0};
    uint8_t digest[RG_DIGEST_BYTES] = {0};
    (void)rg_credentials_read(&credentials); /* was read before */
    if (!s->typed)
        rg_program_digest(s->program, digest);
    rg_ps_put_text(out, credentials.job);
    rg_buf_u32(out, (uint32_t)s->id);
    rg_buf_u32(out, s->schema.trainers);
    rg_buf_u32(out, (uint32_t)s->n_shards);
    rg_buf_add(out, digest, sizeof digest);
}

rg_status rg_state_read_about(const rg_engine *s, const rg_record *record, int *loops, bool *other)
{
    rg_credentials credentials;
    rg_state_about about;
    char *job = NULL;
    RG_TRY(rg_credentials_read(&credentials));
    RG_TRY(rg_state_get_about(record, &about, &job));
    *other = strcmp(job, credentials.job) != 0;
    rg_free(job);
    *loops = (int)about.loops;
    if (*other)
        return RG_OK;
    if (about.id != (uint32_t)s->id || about.trainers != s->schema.trainers)
        return rg_fail(RG_EINVAL,
                       "%s finds the journal of server %u of a job of %u trainers: each server "
                       "needs a folder of its own, and a job its number of trainers",
                       s->who, about.id, about.trainers);
    return RG_OK;
}

rg_status rg_state_get_about(const rg_record *record, rg_state_about *about, char **job)
{
    rg_cursor in = {record->bytes, record->n};
    RG_TRY(rg_ps_get_text(&in, job));
    rg_status code = rg_cursor_u32(&in, &about->id);
    if (code == RG_OK)
        code = rg_cursor_u32(&in, &about->trainers);
    if (code == RG_OK)
        code = rg_cursor_u32(&in, &about->loops);
    if (code == RG_OK &&
        (about->trainers == 0 || about->loops == 0 || about->loops > RG_RPC_MAX_LOOPS))
        code = rg_fail(RG_ECORRUPT, "a server of %u loops, for %u trainers", about->loops,
                       about->trainers);
    if (code != RG_OK) {
        rg_free(*job);
        *job = NULL;
    }
    return code;
}

static rg_status check_program(const rg_engine *s, const rg_record *record)
{
    uint8_t digest[RG_DIGEST_BYTES] = {0};
    if (!s->typed)
        rg_program_digest(s->program, digest);
    if (record->n < sizeof digest ||
        memcmp(record->bytes + record->n - sizeof digest, digest, sizeof digest) != 0)
        return rg_fail(RG_EINVAL, "its journal is of another program; start it with the program "
                                  "that it had, or with an empty FLAGS_ps_journal_dir");
    return RG_OK;
}

/* ---- variables ---- */

static rg_status write_value(rg_snapshot *to, int shard, const char *name, const rg_value *value)
{
    size_t bytes = rg_value_bytes(value), done = 0;
    rg_status code = RG_OK;
    do {
        size_t n = bytes - done < PIECE ? bytes - done : PIECE;
        rg_buf head;
        rg_buf_init(&head, 0);
        rg_buf_u32(&head, (uint32_t)shard);
        rg_ps_put_text(&head, name);
        rg_buf_u64(&head, done);
        rg_ps_put_tensor_head(&head, value->meta.dtype, &value->meta.shape);
        code = rg_buf_status(&head);
        if (code == RG_OK)
            code = rg_snapshot_add(
                to, RG_STATE_VALUE,
                (rg_iov[]){{head.data, head.len}, {(const uint8_t *)value->data + done, n}}, 2);
        rg_buf_fini(&head);
        done += n;
    } while (code == RG_OK && done < bytes);
    return code;
}

rg_status rg_state_write_values(const rg_shard *shard, rg_snapshot *to)
{
    const rg_scope *scope = shard->scope;
    for (size_t i = 0; scope != NULL && i < rg_scope_size(scope); i++) {
        const char *name = rg_scope_name(scope, i);
        const rg_value *value = name ? rg_scope_find(scope, name) : NULL;
        if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR)
            continue;
        RG_TRY(write_value(to, shard->number, name, value));
    }
    return RG_OK;
}

rg_status rg_state_get_value(const rg_record *record, rg_state_value *value)
{
    rg_cursor in = {record->bytes, record->n};
    *value = (rg_state_value){0};
    RG_TRY(rg_cursor_u32(&in, &value->shard));
    RG_TRY(rg_ps_get_text(&in, &value->name));
    rg_status code = rg_cursor_u64(&in, &value->offset);
    if (code == RG_OK)
        code = rg_ps_get_tensor_head(&in, &value->dtype, &value->shape);
    value->bytes = in.at;
    value->n = in.left;
    uint64_t bytes = code == RG_OK
                         ? (uint64_t)rg_shape_numel(&value->shape) * rg_dtype_size(value->dtype)
                         : 0;
    if (code == RG_OK && (value->offset > bytes || in.left > bytes - value->offset))
        code = rg_fail(RG_ECORRUPT, "%zu bytes too many for %s", in.left, value->name);
    if (code != RG_OK) {
        rg_free(value->name);
        value->name = NULL;
    }
    return code;
}

/* Into a scope of its own, which need not have it. */
static rg_status put_value(rg_scope *scope, const rg_state_value *from)
{
    rg_value *value = NULL;
    RG_TRY(rg_scope_own(scope, from->name, &value));
    if (value->data == NULL || value->meta.dtype != from->dtype ||
        rg_numel(value) != rg_shape_numel(&from->shape))
        RG_TRY(rg_value_resize(value, from->dtype, &from->shape));
    if (from->n > 0)
        memcpy((uint8_t *)value->data + from->offset, from->bytes, from->n);
    return RG_OK;
}

static rg_status read_value(rg_engine *s, const rg_record *record)
{
    rg_state_value value;
    RG_TRY(rg_state_get_value(record, &value));
    rg_status code = value.shard < (uint32_t)s->n_shards && s->shards[value.shard].scope != NULL
                         ? put_value(s->shards[value.shard].scope, &value)
                         : rg_fail(RG_ECORRUPT, "a variable of shard %u", value.shard);
    rg_free(value.name);
    return code;
}

rg_status rg_state_read_scope(rg_scope *scope, const rg_record *record)
{
    rg_state_value value;
    RG_TRY(rg_state_get_value(record, &value));
    rg_status code = value.shard == 0 ? put_value(scope, &value) : RG_OK;
    rg_free(value.name);
    return code;
}

/* ---- the engine ---- */

static rg_status write_engine(const rg_engine *s, rg_snapshot *to)
{
    uint64_t numbers[3] = {s->steps, s->rendezvous, s->has_digest};
    rg_buf meetings;
    rg_buf_init(&meetings, 0);
    rg_serve_write_meetings(s, &meetings);
    rg_status code = rg_buf_status(&meetings);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_STATE_ENGINE,
                                    (rg_iov[]){{numbers, sizeof numbers},
                                               {s->digest, sizeof s->digest},
                                               {meetings.data, meetings.len}},
                                    3);
    rg_buf_fini(&meetings);
    return code;
}

static rg_status read_engine(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    const uint8_t *digest;
    uint64_t has;
    RG_TRY(rg_cursor_u64(&in, &s->steps));
    RG_TRY(rg_cursor_u64(&in, &s->rendezvous));
    RG_TRY(rg_cursor_u64(&in, &has));
    RG_TRY(rg_cursor_take(&in, sizeof s->digest, &digest));
    memcpy(s->digest, digest, sizeof s->digest);
    s->has_digest = has != 0;
    return rg_serve_read_meetings(s, &in);
}

static rg_status write_leases(rg_engine *s, rg_snapshot *to)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_serve_write_leases(s, &body);
    rg_buf_u64(&body, s->turns);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_STATE_LEASES, &(rg_iov){body.data, body.len}, 1);
    rg_buf_fini(&body);
    return code;
}

static rg_status read_leases(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    RG_TRY(rg_deals_read(s->deals, &in));
    RG_TRY(rg_cursor_u64(&in, &s->turns));
    return rg_cursor_end(&in);
}

/* ---- who takes part ---- */

/* The push that waits for its step is asked for again, and counted then. */
static void write_counts(const rg_member *trainer, rg_buf *out)
{
    const rg_pushing *p = trainer->waiting;
    rg_buf_u64(out, atomic_load(&trainer->n_pushes) - (p != NULL));
    rg_buf_u64(out, trainer->n_pushed);
    for (size_t i = 0; i < trainer->n_pushed; i++) {
        bool waits = p != NULL && p->push.thread == i;
        rg_buf_u64(out, trainer->pushed[i] - waits);
        rg_buf_u64(out, waits ? trainer->before[i] : trainer->positions[i]);
        rg_buf_u64(out, trainer->before[i]);
        rg_buf_u64(out, atomic_load(&trainer->refused[i]));
    }
    rg_buf_u64(out, trainer->n_posted);
    rg_buf_u64(out, atomic_load(&trainer->epoch));
    rg_buf_u64(out, trainer->seen_epoch);
    rg_buf_u64(out, trainer->asked);
    rg_buf_u64(out, trainer->done);
    rg_buf_u64(out, trainer->changed);
    rg_buf_u64(out, (uint64_t)trainer->saves << 32 | trainer->of);
    rg_buf_u64(out, trainer->met);
    rg_buf_u64(out, (trainer->shuffled ? 1u : 0u) | (trainer->behind ? 2u : 0u) |
                        (trainer->leased ? 4u : 0u) | (trainer->idle ? 8u : 0u) |
                        (trainer->lost ? 16u : 0u));
    rg_buf_u64(out, trainer->enters);
    rg_buf_u64(out, trainer->holds);
}

static rg_status read_session(rg_member *trainer, rg_cursor *in)
{
    uint64_t epoch, flags, of, holds;
    RG_TRY(rg_cursor_u64(in, &epoch));
    RG_TRY(rg_cursor_u64(in, &trainer->seen_epoch));
    RG_TRY(rg_cursor_u64(in, &trainer->asked));
    RG_TRY(rg_cursor_u64(in, &trainer->done));
    RG_TRY(rg_cursor_u64(in, &trainer->changed));
    RG_TRY(rg_cursor_u64(in, &of));
    RG_TRY(rg_cursor_u64(in, &trainer->met));
    RG_TRY(rg_cursor_u64(in, &flags));
    RG_TRY(rg_cursor_u64(in, &trainer->enters));
    RG_TRY(rg_cursor_u64(in, &holds));
    trainer->holds = holds;
    atomic_store(&trainer->epoch, epoch);
    trainer->of = (uint32_t)of;
    trainer->saves = of >> 32 != 0;
    trainer->shuffled = (flags & 1) != 0;
    trainer->behind = (flags & 2) != 0;
    trainer->leased = (flags & 4) != 0;
    trainer->idle = (flags & 8) != 0;
    trainer->lost = (flags & 16) != 0;
    return RG_OK;
}

static rg_status read_counts(rg_member *trainer, rg_cursor *in)
{
    uint64_t n_pushes, n;
    RG_TRY(rg_cursor_u64(in, &n_pushes));
    RG_TRY(rg_cursor_u64(in, &n));
    if (n > RG_PS_MAX_THREADS)
        return rg_fail(RG_ECORRUPT, "a trainer of %llu threads", (unsigned long long)n);
    atomic_store(&trainer->n_pushes, n_pushes);
    if (n > 0)
        RG_TRY(rg_serve_count_threads(trainer, (size_t)n));
    for (size_t i = 0; i < n; i++) {
        uint64_t refused;
        RG_TRY(rg_cursor_u64(in, &trainer->pushed[i]));
        RG_TRY(rg_cursor_u64(in, &trainer->positions[i]));
        RG_TRY(rg_cursor_u64(in, &trainer->before[i]));
        RG_TRY(rg_cursor_u64(in, &refused));
        atomic_store(&trainer->refused[i], refused != 0);
    }
    RG_TRY(rg_cursor_u64(in, &trainer->n_posted));
    return read_session(trainer, in);
}

typedef struct peer_state {
    const rg_engine *engine;
    rg_rpc_peer *peer;
    rg_buf *out;
} peer_state;

/* In its loop. What is held has not been taken in. */
static void write_peer(void *arg)
{
    const peer_state *p = arg;
    const rg_held_loop *held = &p->engine->journal->held[rg_rpc_peer_loop(p->peer)];
    uint64_t below = UINT64_MAX;
    for (size_t i = held->n; i-- > 0;)
        if (rg_rpc_request_peer(held->requests[i]) == p->peer)
            below = rg_rpc_request_id(held->requests[i]);
    rg_rpc_peer_write(p->peer, below, p->out);
}

enum { LEFT = 1, GONE = 2 }; /* it has finished; its session has no peer any more */

/* peer: NULL where it has said goodbye: what is known of it counts all the same. */
static rg_status write_member(rg_engine *s, rg_member *trainer, rg_rpc_peer *peer, rg_snapshot *to)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    pthread_mutex_lock(&s->members);
    rg_note_put_hello(&body, trainer->session, trainer->loop, &trainer->hello);
    rg_buf_u64(&body, trainer->epoch);
    rg_buf_u32(&body, (uint32_t)(trainer - s->trainers));
    rg_buf_u32(&body, (trainer->left ? LEFT : 0) | (peer == NULL ? GONE : 0));
    pthread_mutex_unlock(&s->members);
    write_counts(trainer, &body);
    rg_serve_write_messages(trainer, s->schema.trainers, &body);
    rg_serve_write_stats(trainer, &body);
    peer_state p = {s, peer, &body};
    if (peer != NULL)
        rg_loop_do(s->shards[rg_rpc_peer_loop(peer)].loop, write_peer, &p);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_STATE_MEMBER, &(rg_iov){body.data, body.len}, 1);
    rg_buf_fini(&body);
    return code;
}

rg_status rg_state_get_member(const rg_record *record, uint32_t trainers, uint32_t *number,
                              rg_member *member)
{
    rg_cursor in = {record->bytes, record->n};
    rg_rpc_hello hello;
    uint64_t session, epoch;
    uint32_t loop, is;
    RG_TRY(rg_note_get_hello(&in, &session, &loop, &hello));
    RG_TRY(rg_cursor_u64(&in, &epoch));
    RG_TRY(rg_cursor_u32(&in, number));
    RG_TRY(rg_cursor_u32(&in, &is));
    if (*number >= trainers)
        return rg_fail(RG_ECORRUPT, "trainer %u of %u", *number, trainers);
    member->joined = true;
    member->left = (is & LEFT) != 0;
    RG_TRY(read_counts(member, &in));
    RG_TRY(rg_serve_read_messages(member, trainers, &in));
    return rg_serve_read_stats(member, &in);
}

static rg_status read_member(rg_engine *s, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    rg_rpc_peer *peer;
    uint64_t epoch;
    uint32_t number, is;
    RG_TRY(rg_note_recall(s, &in, &peer));
    RG_TRY(rg_cursor_u64(&in, &epoch));
    RG_TRY(rg_cursor_u32(&in, &number));
    RG_TRY(rg_cursor_u32(&in, &is));
    rg_member *trainer = rg_rpc_peer_user(peer);
    if (trainer == NULL || number != (uint32_t)(trainer - s->trainers))
        return rg_fail(RG_ECORRUPT, "trainer %u of the snapshot is another one", number);
    rg_rpc_peer_set_epoch(peer, epoch);
    trainer->left = (is & LEFT) != 0;
    RG_TRY(read_counts(trainer, &in));
    RG_TRY(rg_serve_read_messages(trainer, s->schema.trainers, &in));
    RG_TRY(rg_serve_read_stats(trainer, &in));
    if ((is & GONE) != 0)
        rg_serve_peer_left(s, peer);
    else
        RG_TRY(rg_rpc_peer_read(peer, &in));
    return rg_cursor_end(&in);
}

/* ---- what waits ---- */

static rg_status write_request(rg_snapshot *to, rg_rpc_request *request)
{
    rg_buf head;
    rg_iov pieces[RG_RECORD_PIECES];
    rg_buf_init(&head, 0);
    rg_note_put_request(&head, request);
    pieces[0] = (rg_iov){head.data, head.len};
    rg_status code = rg_buf_status(&head);
    if (code == RG_OK)
        code = rg_snapshot_add_last(to, RG_NOTED_REQUEST, pieces,
                                    1 + rg_note_body(request, pieces + 1));
    rg_buf_fini(&head);
    (void)rg_fault("snapshot.waits");
    return code;
}

static rg_status write_waiting(const rg_engine *s, rg_snapshot *to)
{
    for (size_t i = 0; i < s->n_held; i++)
        RG_TRY(write_request(to, s->held[i]));
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *trainer = &s->trainers[t];
        if (trainer->waiting != NULL)
            RG_TRY(write_request(to, trainer->waiting->request));
        if (trainer->rendezvous.request != NULL)
            RG_TRY(write_request(to, trainer->rendezvous.request));
    }
    return RG_OK;
}

/* ---- all of it ---- */

static rg_status write_about(const rg_engine *s, rg_snapshot *to)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_state_write_about(s, &body);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_snapshot_add(to, RG_STATE_ABOUT, &(rg_iov){body.data, body.len}, 1);
    rg_buf_fini(&body);
    return code;
}

static rg_status write_members(rg_engine *s, rg_snapshot *to)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        rg_member *trainer = &s->trainers[t];
        if (!trainer->joined)
            continue;
        rg_rpc_peer *peer = rg_rpc_server_keep(s->rpc, trainer->session);
        rg_status code = write_member(s, trainer, peer, to);
        rg_rpc_peer_drop(peer);
        RG_TRY(code);
    }
    return RG_OK;
}

/* What other numbers of servers need to find their shares, and who has no script to go on. */
static rg_status write_program(const rg_engine *s, rg_snapshot *to)
{
    rg_buf packed, list;
    rg_split split = {0};
    if (s->program == NULL)
        return RG_OK;
    rg_buf_init(&packed, 0);
    rg_buf_init(&list, 0);
    uint64_t seed = (uint64_t)s->program->random_seed; /* which the format does not have */
    rg_status code = s->typed ? RG_OK : rg_program_pack(s->program, &packed);
    if (code == RG_OK && !s->typed)
        code = rg_snapshot_add(to, RG_STATE_SERVES,
                               (rg_iov[]){{&seed, sizeof seed}, {packed.data, packed.len}}, 2);
    if (code == RG_OK)
        code = rg_split_of(s, &split);
    rg_split_write(&split, &list);
    if (code == RG_OK)
        code = rg_buf_status(&list);
    if (code == RG_OK)
        code = rg_snapshot_add(to, RG_STATE_SPLIT, &(rg_iov){list.data, list.len}, 1);
    rg_split_fini(&split);
    rg_buf_fini(&packed);
    rg_buf_fini(&list);
    return code;
}

rg_status rg_state_cut(rg_engine *s, rg_snapshot *to, rg_state_rows **rows)
{
    const rg_buf *load = &s->journal->load;
    RG_TRY(write_about(s, to));
    if (!rg_snapshot_is_delta(to))
        RG_TRY(write_program(s, to));
    if (load->len > 0 && !rg_snapshot_is_delta(to))
        RG_TRY(rg_snapshot_add(to, RG_STATE_PROGRAM, &(rg_iov){load->data, load->len}, 1));
    RG_TRY(write_engine(s, to));
    RG_TRY(write_leases(s, to));
    RG_TRY(write_members(s, to));
    (void)rg_fault("snapshot.members");
    RG_TRY(write_waiting(s, to));
    return atomic_load(&s->ready) ? rg_state_cut_shards(s, to, rows) : RG_OK;
}

static rg_status read_program(rg_engine *s, const rg_record *record)
{
    rg_ps_load load;
    RG_TRY(rg_ps_load_read(&load, record->bytes, record->n));
    RG_TRY(rg_serve_take(s, &load));
    rg_buf_add(&s->journal->load, record->bytes, record->n);
    return rg_buf_status(&s->journal->load);
}

rg_status rg_state_read(rg_engine *s, const rg_record *record)
{
    switch (record->kind) {
    case RG_STATE_ABOUT: /* who looks has its program from here */
        return s->journal->looks ? RG_OK : check_program(s, record);
    case RG_STATE_PROGRAM:
        return read_program(s, record);
    case RG_STATE_SERVES: /* the script has it, and it is the same: the digest says so */
    case RG_STATE_SPLIT:
        return RG_OK;
    case RG_STATE_VALUE:
        return read_value(s, record);
    case RG_STATE_TABLE:
        return rg_state_read_beside(s, record);
    case RG_STATE_ROWS:
        return rg_state_read_rows(s, record);
    case RG_STATE_BEFORE:
        return rg_state_read_before(s, record);
    case RG_STATE_ENGINE:
        return read_engine(s, record);
    case RG_STATE_LEASES:
        return read_leases(s, record);
    case RG_STATE_MEMBER:
        return read_member(s, record);
    case RG_NOTED_REQUEST:
        return rg_note_replay(s, record, true);
    default:
        return rg_fail(RG_EUNIMPL,
                       "a snapshot with records of kind %u: was it written by a newer "
                       "Regatta?",
                       record->kind);
    }
}
