/* transport_shm.c - on one host and of one user: two rings in memory that both processes map.
 *
 * The client makes the memory, a file without a name (memfd) that goes when both have gone, however
 * they end, and two eventfds, and hands them over a Unix socket beside the TCP port; the server
 * checks them and says yes. Bytes go through the rings from then on, with one copy on each side
 * and none by the kernel. Each side also shows the other the memory that it lends (sys/lent.h): of
 * a large piece that lies there the ring only says where, and its reader copies it from there to
 * where it belongs; it is released when the reader's index has passed it. A side that finds
 * nothing to do sleeps in its loop, and is woken by its eventfd. The socket carries nothing more:
 * that it closes says that the other end is gone, killed or not. Whatever does not work out is a
 * failed dial, and Unix sockets are next.
 *
 * The other end is of the same user, and so could do worse than break what it shares. What is kept
 * from it are accidents: the memory cannot shrink (a seal), indices are checked (ring.c), and what
 * is read is copied before it is looked at. */
#include "sys/ring.h"
#include "sys/socket_priv.h"

#include "base/mem.h"
#include "sys/fault.h"
#include "sys/flags.h"
#include "sys/lent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RING_BYTES = 1 << 20, /* each way */
    HEADS = 4096,         /* before the rings: both heads */
    SHARED_BYTES = HEADS + 2 * RING_BYTES,
    MOST_A_TURN = 4 * RING_BYTES, /* then other streams of the loop have theirs */
    REFER_FROM = 32 * 1024,       /* bytes of a piece: smaller ones are copied as quickly */
    HELD_MOST = 8 << 20,          /* bytes: then it is worth to be woken when they are read */
};

static const char kind[] = "regatta-shm";

/* What the client says with the descriptors, and the server's answer. */
typedef struct preface {
    char magic[8];
    uint64_t ring_bytes;
} preface;

static const preface mine = {"RGSHM1\n", RING_BYTES};
static const char yes = 'y';

enum { MEMORY, TO_SERVER, TO_CLIENT, LENT, HANDED }; /* the descriptors; LENT may be missing */

/* A descriptor that is waited for. Apart from the connection: libuv lets go of it later. */
typedef struct watch {
    rg_handle base;
    uv_poll_t uv;
    struct shm *shm; /* NULL: it is over */
} watch;

typedef struct pending {
    struct pending *next;
    void (*done)(void *arg);
    void *arg;
    uint64_t end; /* where the ring has to be read up to before it is done */
    size_t lent;  /* bytes of it that were not copied; 0: it is done when it is written */
    size_t n, at; /* pieces, the present one */
    rg_iov iov[];
} pending;

typedef struct queue {
    pending *first, **last;
    size_t bytes;
} queue;

typedef struct shm {
    rg_stream *stream;  /* NULL: being dialled */
    rg_dial *dial;      /* NULL: not being dialled */
    rg_loop *loop;      /* NULL: between two */
    bool open;          /* the memory is mapped, both know */
    bool client;        /* this side has made it */
    int handed[HANDED]; /* -1: not there */
    int socket;
    watch *on_socket, *on_wake;
    void *memory;
    const uint8_t *theirs; /* what the other side lends; NULL: nothing */
    rg_budget *budget;     /* that the memory is from; NULL: none */
    bool counted;          /* it has been taken from there */
    rg_ring in, out;
    bool paused, ended, shut; /* the other end has closed the socket; this one has */
    bool working;             /* inside work() */
    queue waiting;            /* to be written */
    queue held;               /* written, and read from where they are */
} shm;

static shm *of(const rg_stream *stream)
{
    return stream->conn;
}

/* ---- waiting for descriptors ---- */

static void free_watch(uv_handle_t *handle)
{
    rg_free(handle->data);
}

static void drop_watch(void *self)
{
    watch *w = self;
    if (!uv_is_closing((uv_handle_t *)&w->uv))
        uv_close((uv_handle_t *)&w->uv, free_watch);
}

static void unwatch(watch **at)
{
    watch *w = *at;
    if (w == NULL)
        return;
    *at = NULL;
    w->shm = NULL;
    drop_watch(w);
}

static rg_status watch_it(watch **out, shm *s, int fd, uv_poll_cb told)
{
    watch *w = rg_alloc_zero(1, sizeof *w);
    if (w == NULL)
        return rg_no_memory(sizeof *w, "a connection");
    w->base.drop = drop_watch;
    w->shm = s;
    int failed = uv_poll_init(&s->loop->uv, &w->uv, fd);
    if (failed != 0) {
        rg_free(w);
        return rg_uv_fail(failed, "waiting for", "a descriptor");
    }
    w->uv.data = w;
    failed = uv_poll_start(&w->uv, UV_READABLE, told);
    *out = w;
    return failed == 0 ? RG_OK : rg_uv_fail(failed, "waiting for", "a descriptor");
}

static void wake(int event)
{
    static const uint64_t once = 1;
    (void)!write(event, &once, sizeof once);
}

static int my_event(const shm *s)
{
    return s->handed[s->client ? TO_CLIENT : TO_SERVER];
}

static int their_event(const shm *s)
{
    return s->handed[s->client ? TO_SERVER : TO_CLIENT];
}

/* ---- its life ---- */

static shm *shm_new(rg_loop *loop, int socket)
{
    shm *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->loop = loop;
    s->socket = socket;
    s->waiting.last = &s->waiting.first;
    s->held.last = &s->held.first;
    for (int i = 0; i < HANDED; i++)
        s->handed[i] = -1;
    return s;
}

static void close_handed(shm *s)
{
    for (int i = 0; i < HANDED; i++)
        if (s->handed[i] >= 0)
            (void)close(s->handed[i]);
}

static void shm_free(shm *s)
{
    unwatch(&s->on_socket);
    unwatch(&s->on_wake);
    close_handed(s);
    (void)close(s->socket);
    if (s->memory != NULL)
        (void)munmap(s->memory, SHARED_BYTES);
    if (s->theirs != NULL)
        (void)munmap((void *)(uintptr_t)s->theirs, RG_LENT_BYTES);
    if (s->counted)
        rg_budget_give(s->budget, SHARED_BYTES);
    rg_free(s);
}

/* Both heads, then the client's ring to the server, then the other. */
static rg_status map(shm *s)
{
    void *at = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->handed[MEMORY], 0);
    if (at == MAP_FAILED)
        return rg_fail(RG_EIO, "shared memory cannot be mapped: %s", strerror(errno));
    s->memory = at;
    /* A child that is forked has no part in it. */
    (void)madvise(at, SHARED_BYTES, MADV_DONTFORK);
    (void)close(s->handed[MEMORY]);
    s->handed[MEMORY] = -1;
    rg_ring_head *heads = at;
    uint8_t *data = (uint8_t *)at + HEADS;
    rg_ring *to_server = s->client ? &s->out : &s->in, *to_client = s->client ? &s->in : &s->out;
    rg_ring_init(to_server, &heads[0], data, RING_BYTES, s->client);
    rg_ring_init(to_client, &heads[1], data + RING_BYTES, RING_BYTES, !s->client);
    return RG_OK;
}

/* What the other side lends, to read; where it cannot be had, that side copies. */
static void map_theirs(shm *s)
{
    struct stat about;
    int fd = s->handed[LENT], seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &about) != 0 ||
        (uint64_t)about.st_size != RG_LENT_BYTES)
        return;
    void *at = mmap(NULL, RG_LENT_BYTES, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED)
        return;
    (void)madvise(at, RG_LENT_BYTES, MADV_DONTFORK);
    s->theirs = at;
    atomic_store(&s->in.head->sees_lent, 1);
}

/* ---- writing ---- */

static void tell_broken(shm *s)
{
    rg_stream_fail(s->stream, rg_fail(RG_ECORRUPT, "the other end says that it is at a place of "
                                                   "the shared memory where it cannot be"));
}

static void enqueue(queue *q, pending *p, size_t bytes)
{
    p->next = NULL;
    *q->last = p;
    q->last = &p->next;
    q->bytes += bytes;
}

static pending *dequeue(queue *q)
{
    pending *p = q->first;
    q->first = p->next;
    if (q->first == NULL)
        q->last = &q->first;
    return p;
}

static void release(pending *p)
{
    p->done(p->arg);
    rg_free(p);
}

/* What the other side has read from where it is. Nobody is woken for that: it is looked at whenever
 * there is something else to do, and an answer to what was sent is. */
static void release_read(shm *s)
{
    uint64_t read = s->out.index - rg_ring_unread(&s->out);
    while (s->held.first != NULL && s->held.first->end <= read) {
        pending *p = dequeue(&s->held);
        s->held.bytes -= p->lent;
        release(p);
    }
}

static void tell_reader(shm *s)
{
    if (rg_ring_must_wake(&s->out))
        wake(their_event(s));
}

/* As much as there is room for, from p->at on; how many bytes. Where it is all, p->at is p->n. */
static size_t put(shm *s, pending *p, rg_iov *iov, bool *garbage)
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
static void written(shm *s, pending *p)
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
static void flush(shm *s)
{
    bool garbage = false;
    rg_ring_awake(&s->out);
    release_read(s);
    while (s->waiting.first != NULL && !garbage && !s->stream->closed) {
        pending *p = s->waiting.first;
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
static void write_shm(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                      void *arg)
{
    enum { ON_STACK = 8 };
    shm *s = of(stream);
    bool garbage = false, first = s->waiting.first == NULL;
    union {
        pending p;
        uint8_t room[sizeof(pending) + ON_STACK * sizeof(rg_iov)];
    } few;
    pending *p = n <= ON_STACK ? &few.p : rg_alloc(sizeof *p + n * sizeof *iov);
    size_t left = 0, bytes = sizeof *p + n * sizeof *iov;
    if (p == NULL)
        goto no_memory;
    *p = (pending){.done = done, .arg = arg, .n = n};
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
        wake(my_event(s));
    return;
no_memory:
    stream->transport->shut(stream, false);
    done(arg);
}

static size_t queued(const rg_stream *stream, bool with_taken)
{
    shm *s = of(stream);
    if (s->open)
        release_read(s);
    return s->waiting.bytes + s->held.bytes + (with_taken && s->open ? rg_ring_unread(&s->out) : 0);
}

/* ---- reading ---- */

static void tell_end(shm *s)
{
    rg_stream_fail(s->stream, rg_fail(RG_ECLOSED, "the other end closed the connection"));
}

/* Gives the record to the stream; false: it cannot be. */
static bool feed(shm *s, const rg_ring_record *record)
{
    if (record->at == NULL && (s->theirs == NULL || record->n > RG_LENT_BYTES ||
                               record->offset > RG_LENT_BYTES - record->n))
        return false;
    if (record->n > 0 && record->at == NULL)
        (void)rg_stream_feed_lent(s->stream, s->theirs + record->offset, record->n);
    else if (record->n > 0)
        (void)rg_stream_feed(s->stream, record->at, record->n);
    return true;
}

/* True: there may be more, and it has had its turn. */
static bool take_all(shm *s)
{
    rg_stream *stream = s->stream;
    size_t taken = 0;
    rg_ring_awake(&s->in);
    while (!s->paused && !stream->failed && !stream->closed) {
        rg_ring_record record;
        rg_ring_found found = s->shut ? RG_RING_EMPTY : rg_ring_next(&s->in, &record);
        if (found == RG_RING_EMPTY && (s->shut || s->ended)) {
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
        rg_ring_advance(&s->in, record.takes);
        taken += record.n;
        if (rg_ring_must_wake(&s->in))
            wake(their_event(s));
        if (record.at == NULL)
            (void)rg_stream_fed_lent(stream);
    }
    return false;
}

/* Events of the stream may close it: the connection is freed behind them. */
static void work(shm *s)
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
        shm_free(s);
        rg_stream_gone(stream);
    } else if (more) {
        wake(my_event(s));
    }
}

static void on_wake(uv_poll_t *uv, int status, int events)
{
    const watch *w = uv->data;
    uint64_t times;
    (void)status, (void)events;
    if (w->shm == NULL)
        return;
    (void)!read(my_event(w->shm), &times, sizeof times);
    work(w->shm);
}

/* Nothing is said on the socket any more: that it can be read is its end. */
static void on_end(uv_poll_t *uv, int status, int events)
{
    const watch *w = uv->data;
    shm *s = w->shm;
    uint8_t byte;
    (void)status, (void)events;
    if (s == NULL)
        return;
    ssize_t n = recv(s->socket, &byte, 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    unwatch(&s->on_socket);
    s->ended = true;
    work(s);
}

static void pause_shm(rg_stream *stream)
{
    of(stream)->paused = true;
    if (of(stream)->open)
        rg_ring_awake(&of(stream)->in); /* not to be woken for what is not to be read */
}

static rg_status greet(shm *s);

static rg_status read_shm(rg_stream *stream)
{
    shm *s = of(stream);
    s->paused = false;
    if (!s->open)
        return s->on_socket != NULL ? RG_OK : greet(s);
    if (s->on_wake == NULL)
        RG_TRY(watch_it(&s->on_wake, s, my_event(s), on_wake));
    if (s->on_socket == NULL && !s->ended)
        RG_TRY(watch_it(&s->on_socket, s, s->socket, on_end));
    wake(my_event(s)); /* events come from the loop */
    return RG_OK;
}

/* ---- the client: dialling ---- */

static rg_status make_memory(shm *s)
{
    if (rg_fault("shm.open") != RG_FAULT_NONE)
        return rg_fail(RG_EIO, "no shared memory: a test's fault");
    s->handed[MEMORY] = memfd_create("regatta", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    s->handed[TO_SERVER] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->handed[TO_CLIENT] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int fd = s->handed[MEMORY];
    /* Its pages are taken now: where there are none, that is an error here, and no SIGBUS later. */
    if (fd < 0 || s->handed[TO_SERVER] < 0 || s->handed[TO_CLIENT] < 0 ||
        fallocate(fd, 0, 0, SHARED_BYTES) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return rg_fail(RG_EIO, "no shared memory: %s", strerror(errno));
    return RG_OK;
}

/* Bytes, and descriptors with them. */
static rg_status send_with(int socket, const void *bytes, size_t length, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(HANDED * sizeof(int))];
    } control = {0};
    struct iovec iov = {(void *)(uintptr_t)bytes, length};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    if (n > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(n * sizeof *fds);
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof *fds);
        memcpy(CMSG_DATA(c), fds, n * sizeof *fds);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)length)
        return rg_fail(RG_ECLOSED, "shared memory cannot be handed over: %s", strerror(errno));
    return RG_OK;
}

static rg_status hand_over(const shm *s)
{
    int fds[HANDED] = {s->handed[MEMORY], s->handed[TO_SERVER], s->handed[TO_CLIENT],
                       rg_lent_descriptor()};
    return send_with(s->socket, &mine, sizeof mine, fds, fds[LENT] >= 0 ? HANDED : LENT);
}

/* What lies on the socket; descriptors that come are kept from `from` on, or closed. */
static ssize_t receive(shm *s, void *to, size_t length, int from)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(HANDED * sizeof(int))];
    } control;
    struct iovec iov = {to, length};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(s->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    for (struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL; c != NULL;
         c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++, from++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (from < HANDED && s->handed[from] < 0)
                s->handed[from] = fd;
            else
                (void)close(fd);
        }
    }
    return n;
}

static void on_answer(uv_poll_t *uv, int status, int events)
{
    const watch *w = uv->data;
    shm *s = w->shm;
    char answer = 0;
    (void)status, (void)events;
    if (s == NULL)
        return;
    ssize_t n = receive(s, &answer, 1, LENT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    rg_dial *dial = s->dial;
    s->dial = NULL;
    unwatch(&s->on_socket);
    if (n == 1 && answer == yes && map(s) == RG_OK) {
        s->open = true;
        map_theirs(s);
        rg_dial_done(dial, s);
        return;
    }
    shm_free(s);
    rg_dial_failed(dial, UV_ECONNREFUSED);
}

static void hang_up(void *attempt)
{
    shm_free(attempt);
}

static void dial_shm(rg_dial *dial, const rg_address *to)
{
    int fd = rg_flag_bool("rpc_shared_memory") ? rg_beside_connect(kind, to->ip) : -1;
    shm *s = fd >= 0 ? shm_new(rg_dial_loop(dial), fd) : NULL;
    if (s != NULL) {
        s->client = true;
        rg_status status = make_memory(s);
        if (status == RG_OK)
            status = hand_over(s);
        if (status == RG_OK)
            status = watch_it(&s->on_socket, s, s->socket, on_answer);
        if (status == RG_OK) {
            s->dial = dial;
            rg_dial_attempt(dial, s);
            return;
        }
        shm_free(s);
    } else if (fd >= 0) {
        (void)close(fd);
    }
    rg_dial_failed(dial, UV_ECONNREFUSED);
}

static void join(rg_stream *stream, void *conn)
{
    shm *s = conn;
    struct ucred who;
    socklen_t length = sizeof who;
    char origin[RG_ORIGIN_TEXT];
    s->stream = stream;
    stream->conn = s;
    stream->descriptor = s->socket;
    if (getsockopt(s->socket, SOL_SOCKET, SO_PEERCRED, &who, &length) != 0)
        who.uid = (uid_t)-1;
    (void)snprintf(origin, sizeof origin, "user %lld", (long long)who.uid);
    rg_stream_set_peer(stream, "shared memory", origin, who.uid);
}

/* ---- the server: accepting ---- */

/* A blocking write to a descriptor that is something else would hang this side. */
static bool is_event(int fd)
{
    char path[64], to[64] = "";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, to, sizeof to - 1);
    return n > 0 && strcmp(to, "anon_inode:[eventfd]") == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

static rg_status check_handed(const shm *s)
{
    struct stat about;
    int fd = s->handed[MEMORY], seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return rg_fail(RG_ECORRUPT, "shared memory that could shrink while it is used");
    if (fstat(fd, &about) != 0 || about.st_size != SHARED_BYTES)
        return rg_fail(RG_ECORRUPT, "shared memory of another size than was said");
    if (!is_event(s->handed[TO_SERVER]) || !is_event(s->handed[TO_CLIENT]))
        return rg_fail(RG_ECORRUPT, "shared memory without the means to wake its other end");
    return RG_OK;
}

static rg_status let_in(shm *s, ssize_t n, const preface *said)
{
    if (n == 0)
        return rg_fail(RG_ECLOSED, "the other end closed the connection");
    if (n < 0)
        return rg_fail(RG_EIO, "receiving shared memory: %s", strerror(errno));
    if (n != (ssize_t)sizeof *said || memcmp(said->magic, mine.magic, sizeof mine.magic) != 0)
        return rg_fail(RG_ECORRUPT, "it does not begin as one that brings shared memory");
    if (said->ring_bytes != RING_BYTES)
        return rg_fail(RG_ECORRUPT, "it brings rings of %llu bytes, and they have %d here",
                       (unsigned long long)said->ring_bytes, RING_BYTES);
    for (int i = 0; i < LENT; i++)
        if (s->handed[i] < 0)
            return rg_fail(RG_ECORRUPT, "shared memory was announced, and did not come");
    RG_TRY(check_handed(s));
    s->counted = s->budget != NULL && rg_budget_take(s->budget, SHARED_BYTES);
    if (s->budget != NULL && !s->counted)
        return rg_fail(RG_ECLOSED, "no memory is left to share (FLAGS_rpc_max_memory_mb)");
    RG_TRY(map(s));
    s->open = true;
    map_theirs(s);
    int lent = rg_lent_descriptor();
    return send_with(s->socket, &yes, 1, &lent, lent >= 0);
}

static void on_preface(uv_poll_t *uv, int status, int events)
{
    const watch *w = uv->data;
    shm *s = w->shm;
    preface said = {0};
    (void)status, (void)events;
    if (s == NULL || s->paused)
        return;
    ssize_t n = receive(s, &said, sizeof said, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    unwatch(&s->on_socket);
    rg_status code = let_in(s, n, &said);
    if (code == RG_OK)
        code = read_shm(s->stream);
    if (code != RG_OK)
        rg_stream_fail(s->stream, code); /* may close it, and free this */
}

static rg_status greet(shm *s)
{
    return watch_it(&s->on_socket, s, s->socket, on_preface);
}

static void take(rg_listener *listener, rg_socket *accepted)
{
    rg_loop *loop = rg_listener_loop(listener);
    int fd = fcntl(rg_socket_descriptor(accepted), F_DUPFD_CLOEXEC, 0);
    rg_socket_close(accepted);
    shm *s = fd >= 0 ? shm_new(loop, fd) : NULL;
    rg_stream *stream = s != NULL ? rg_stream_new(loop, &rg_transport_shm) : NULL;
    if (stream == NULL) {
        rg_free(s);
        (void)(fd >= 0 && close(fd));
        return;
    }
    s->budget = rg_listener_budget(listener);
    join(stream, s);
    rg_listener_accept(listener, stream);
}

static rg_status listen_shm(void **gate, rg_listener *listener, const rg_address *at)
{
    if (!rg_flag_bool("rpc_shared_memory"))
        return rg_fail(RG_EUNIMPL, "FLAGS_rpc_shared_memory is 0");
    return rg_beside_listen(gate, listener, kind, at->ip, take);
}

/* ---- the end, and another loop ---- */

static void shut_shm(rg_stream *stream, bool writing_alone)
{
    of(stream)->shut |= !writing_alone;
    (void)shutdown(of(stream)->socket, writing_alone ? SHUT_WR : SHUT_RDWR);
}

static void close_shm(rg_stream *stream)
{
    shm *s = of(stream);
    (void)shutdown(s->socket, SHUT_RDWR); /* a child that was forked may have it, too */
    unwatch(&s->on_socket);
    unwatch(&s->on_wake);
    while (s->held.first != NULL)
        release(dequeue(&s->held));
    while (s->waiting.first != NULL)
        release(dequeue(&s->waiting));
    if (s->working)
        return; /* work() sees that it is closed */
    shm_free(s);
    rg_stream_gone(stream);
}

static rg_status detach(rg_stream *stream)
{
    shm *s = of(stream);
    unwatch(&s->on_socket);
    unwatch(&s->on_wake);
    s->loop = NULL;
    return s->open ? RG_OK : rg_fail(RG_ECLOSED, "the connection is not there yet");
}

static rg_status adopt(rg_stream *stream, rg_loop *loop)
{
    of(stream)->loop = loop;
    return RG_OK;
}

const rg_transport rg_transport_shm = {
    .name = "shm",
    .may_skip_checksum = true,
    .local = true,
    .takes_memory = true,
    .dial = dial_shm,
    .hang_up = hang_up,
    .dialled = join,
    .listen = listen_shm,
    .accept = rg_gate_accept,
    .unlisten = rg_gate_close,
    .read = read_shm,
    .pause = pause_shm,
    .write = write_shm,
    .queued = queued,
    .shut = shut_shm,
    .close = close_shm,
    .detach = detach,
    .adopt = adopt,
};
