/* shm_bytes.c - bytes through the rings of a connection: written, lent, read.
 *
 * A large piece that lies in lent memory is not copied: the ring says where it is, and it is held
 * until the other side's index has passed it. Whoever reads copies, or leaves it there and keeps
 * the view of what is lent (rg_stream_keep_lent).
 *
 * A side that closes cannot wait for that: the other one may be stopped for hours. It says that it
 * has taken the memory back, and releases it. What is in the ring itself can still be read, up to
 * the first record that says where: there the connection ends. */
#include "sys/shm_priv.h"

#include "base/mem.h"
#include "sys/lent.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum {
    MOST_A_TURN = 4 * RG_SHM_RING, /* bytes: then other streams of the loop have theirs */
    REFER_FROM = 32 * 1024,        /* bytes of a piece: smaller ones are copied as quickly */
    HELD_MOST = 8 << 20,           /* bytes: then it is worth to be woken when they are read */
};

/* ---- writing ---- */

static void tell_broken(rg_shm *s)
{
    rg_stream_fail(s->stream, rg_fail(RG_ECORRUPT, "the other end says that it is at a place of "
                                                   "the shared memory where it cannot be"));
}

static void enqueue(rg_shm_queue *q, rg_shm_pending *p, size_t bytes)
{
    p->next = NULL;
    *q->last = p;
    q->last = &p->next;
    q->bytes += bytes;
}

static rg_shm_pending *dequeue(rg_shm_queue *q)
{
    rg_shm_pending *p = q->first;
    q->first = p->next;
    if (q->first == NULL)
        q->last = &q->first;
    return p;
}

static void release(rg_shm_pending *p)
{
    p->done(p->arg);
    rg_free(p);
}

/* What the other side has read from where it is. Nobody is woken for that: it is looked at whenever
 * there is something else to do, and an answer to what was sent is. */
static void release_read(rg_shm *s)
{
    uint64_t read = s->out.index - rg_ring_unread(&s->out);
    while (s->held.first != NULL && s->held.first->end <= read) {
        rg_shm_pending *p = dequeue(&s->held);
        s->held.bytes -= p->lent;
        release(p);
    }
}

static void tell_reader(rg_shm *s)
{
    if (rg_ring_must_wake(&s->out))
        rg_shm_wake(rg_shm_theirs(s));
}

/* As much as there is room for, from p->at on; how many bytes. Where it is all, p->at is p->n. */
static size_t put(rg_shm *s, rg_shm_pending *p, rg_iov *iov, bool *garbage)
{
    size_t total = 0;
    for (; p->at < p->n; p->at++) {
        rg_iov *piece = &iov[p->at];
        uint64_t offset;
        size_t done = 0;
        bool refers = piece->bytes >= REFER_FROM &&
                      rg_lent_find(piece->at, piece->bytes, &offset) &&
                      atomic_load_explicit(&s->out.head->sees_lent, memory_order_relaxed) != 0;
        if (refers && rg_ring_refer(&s->out, offset, piece->bytes, garbage)) {
            p->lent += done = piece->bytes;
            p->end = s->out.index;
        } else if (!refers && piece->bytes > 0) {
            done = rg_ring_put(&s->out, piece->at, piece->bytes, garbage);
        }
        total += done;
        piece->at = (const uint8_t *)piece->at + done;
        piece->bytes -= done;
        if (piece->bytes > 0)
            break;
    }
    return total;
}

/* All of it is in the ring: it is done, or held until it is read. */
static void written(rg_shm *s, rg_shm_pending *p)
{
    if (p->lent == 0) {
        release(p);
        return;
    }
    enqueue(&s->held, p, p->lent);
    if (s->held.bytes > HELD_MOST) {
        rg_ring_ask_wake(&s->out);
        release_read(s);
    }
}

/* What waits to be written. */
static void flush(rg_shm *s)
{
    bool garbage = false;
    rg_ring_awake(&s->out);
    release_read(s);
    while (s->waiting.first != NULL && !garbage && !s->stream->closed) {
        rg_shm_pending *p = s->waiting.first;
        s->waiting.bytes -= put(s, p, p->iov, &garbage);
        tell_reader(s);
        if (p->at == p->n)
            written(s, dequeue(&s->waiting));
        else if (!garbage && rg_ring_may_sleep(&s->out))
            return;
    }
    if (garbage && !s->stream->closed)
        tell_broken(s);
}

/* For the usual case, that all of it is copied at once, nothing is allocated. */
void rg_shm_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                  void *arg)
{
    enum { ON_STACK = 8 };
    rg_shm *s = rg_shm_of(stream);
    bool garbage = false, first = s->waiting.first == NULL;
    union {
        rg_shm_pending p;
        uint8_t room[sizeof(rg_shm_pending) + ON_STACK * sizeof(rg_iov)];
    } few;
    rg_shm_pending *p = n <= ON_STACK ? &few.p : rg_alloc(sizeof *p + n * sizeof *iov);
    size_t left = 0, bytes = sizeof *p + n * sizeof *iov;
    if (p == NULL)
        goto no_memory;
    *p = (rg_shm_pending){.done = done, .arg = arg, .n = n};
    memcpy(p->iov, iov, n * sizeof *iov);
    if (first) {
        (void)put(s, p, p->iov, &garbage);
        tell_reader(s);
    }
    if (p->at == n && p->lent == 0) {
        if (p != &few.p)
            rg_free(p);
        done(arg);
        return;
    }
    if (p == &few.p) {
        p = rg_alloc(bytes);
        if (p == NULL)
            goto no_memory;
        memcpy(p, &few, bytes);
    }
    if (p->at == n) {
        written(s, p);
        return;
    }
    for (size_t i = p->at; i < n; i++)
        left += p->iov[i].bytes;
    enqueue(&s->waiting, p, left);
    /* Room that has come meanwhile, and what is wrong, is found in a turn of the loop. */
    if (first && (garbage || !rg_ring_may_sleep(&s->out)))
        rg_shm_wake(rg_shm_mine(s));
    return;
no_memory:
    stream->transport->shut(stream, false);
    done(arg);
}

size_t rg_shm_queued(const rg_stream *stream, bool with_taken)
{
    rg_shm *s = rg_shm_of(stream);
    if (s->open)
        release_read(s);
    return s->waiting.bytes + s->held.bytes + (with_taken && s->open ? rg_ring_unread(&s->out) : 0);
}

/* ---- reading ---- */

static void tell_end(rg_shm *s)
{
    rg_stream_fail(s->stream, rg_fail(RG_ECLOSED, "the other end closed the connection"));
}

/* Looked at before it is read, so that what others write there now does not get into its place,
 * and after that, since it may be taken back meanwhile. */
static bool is_taken_back(const rg_shm *s, const rg_ring_record *record)
{
    return record->at == NULL && rg_ring_is_withdrawn(&s->in);
}

/* Gives the record to the stream; false: it cannot be. */
static bool feed(rg_shm *s, const rg_ring_record *record)
{
    const uint8_t *lent = record->at == NULL ? rg_lent_view_at(s->theirs, record->offset, record->n)
                                             : NULL;
    if (record->at == NULL && lent == NULL)
        return false;
    if (record->n > 0 && record->at == NULL)
        (void)rg_stream_feed_lent(s->stream, lent, record->n);
    else if (record->n > 0)
        (void)rg_stream_feed(s->stream, record->at, record->n);
    return true;
}

/* True: there may be more, and it has had its turn. */
static bool take_all(rg_shm *s)
{
    rg_stream *stream = s->stream;
    size_t taken = 0;
    rg_ring_awake(&s->in);
    while (!s->paused && !stream->failed && !stream->closed) {
        rg_ring_record record;
        rg_ring_found found = s->shut ? RG_RING_EMPTY : rg_ring_next(&s->in, &record);
        bool over = found == RG_RING_EMPTY && (s->shut || s->ended);
        if (over || (found == RG_RING_RECORD && is_taken_back(s, &record))) {
            tell_end(s);
            break;
        }
        if (found == RG_RING_EMPTY) {
            if (rg_ring_may_sleep(&s->in))
                break;
            continue;
        }
        if (taken > MOST_A_TURN)
            return true;
        if (found == RG_RING_GARBAGE || !feed(s, &record)) {
            tell_broken(s);
            break;
        }
        if (stream->closed)
            break;
        if (is_taken_back(s, &record)) {
            tell_end(s);
            break;
        }
        rg_ring_advance(&s->in, record.takes);
        taken += record.n;
        if (rg_ring_must_wake(&s->in))
            rg_shm_wake(rg_shm_theirs(s));
        if (record.at == NULL)
            (void)rg_stream_fed_lent(stream);
    }
    return false;
}

/* Events of the stream may close it: the connection is freed behind them. */
static void work(rg_shm *s)
{
    s->working = true;
    flush(s);
    /* What it does not take any more is lost, also where nothing is to be read now. */
    if (s->ended && s->paused && s->waiting.first != NULL && !s->stream->closed)
        tell_end(s);
    bool more = !s->stream->closed && !s->stream->failed && take_all(s);
    /* Once more: whoever has an answer waits for its question to be released, too, and the other
     * side has read that before it answered. */
    if (!s->stream->closed)
        release_read(s);
    s->working = false;
    if (s->stream->closed) {
        rg_stream *stream = s->stream;
        rg_shm_free(s);
        rg_stream_gone(stream);
    } else if (more) {
        rg_shm_wake(rg_shm_mine(s));
    }
}

void rg_shm_on_wake(uv_poll_t *uv, int status, int events)
{
    const rg_shm_watch *w = uv->data;
    uint64_t times;
    (void)status, (void)events;
    if (w->shm == NULL)
        return;
    (void)!read(rg_shm_mine(w->shm), &times, sizeof times);
    work(w->shm);
}

/* Nothing is said on the socket any more: that it can be read is its end. */
void rg_shm_on_end(uv_poll_t *uv, int status, int events)
{
    const rg_shm_watch *w = uv->data;
    rg_shm *s = w->shm;
    uint8_t byte;
    (void)status, (void)events;
    if (s == NULL)
        return;
    ssize_t n = recv(s->socket, &byte, 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    rg_shm_unwatch(&s->on_socket);
    s->ended = true;
    work(s);
}

/* Of those that wait only the first can have begun. */
static bool has_lent(const rg_shm *s)
{
    return s->held.first != NULL || (s->waiting.first != NULL && s->waiting.first->lent > 0);
}

void rg_shm_release_all(rg_shm *s)
{
    if (has_lent(s))
        release_read(s);
    if (has_lent(s))
        rg_ring_withdraw(&s->out);
    while (s->held.first != NULL)
        release(dequeue(&s->held));
    while (s->waiting.first != NULL)
        release(dequeue(&s->waiting));
}
