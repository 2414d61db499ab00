/* transport_shm.c - on one host and of one user: two rings in memory that both processes map.
 *
 * The client makes the memory, a file without a name (memfd) that goes when both have gone, however
 * they end, and two eventfds, and hands them over a Unix socket beside the TCP port; the server
 * checks them and says yes. Bytes go through the rings from then on, with one copy on each side
 * and none by the kernel. Each side also shows the other the memory that it lends (sys/lent.h): of
 * a large piece that lies there the ring only says where, and its reader copies it from there to
 * where it belongs, or reads it there (shm_bytes.c); it is released when the reader's index has
 * passed it. A side that finds nothing to do sleeps in its loop, and is woken by its eventfd. The
 * socket carries nothing more: that it closes says that the other end is gone, killed or not.
 * Whatever does not work out is a failed dial, and Unix sockets are next.
 *
 * The other end is of the same user, and so could do worse than break what it shares. What is kept
 * from it are accidents: the memory cannot shrink (a seal), indices are checked (ring.c), and what
 * is checked is copied before. */
#include "sys/shm_priv.h"

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

static const char kind[] = "regatta-shm";

/* What the client says with the descriptors, and the server's answer. */
typedef struct preface {
    char magic[8];
    uint64_t ring_bytes;
} preface;

static const preface mine = {"RGSHM1\n", RG_SHM_RING};
static const char yes = 'y';

/* ---- waiting for descriptors ---- */

static void free_watch(uv_handle_t *handle)
{
    rg_free(handle->data);
}

static void drop_watch(void *self)
{
    rg_shm_watch *w = self;
    if (!uv_is_closing((uv_handle_t *)&w->uv))
        uv_close((uv_handle_t *)&w->uv, free_watch);
}

void rg_shm_unwatch(rg_shm_watch **at)
{
    rg_shm_watch *w = *at;
    if (w == NULL)
        return;
    *at = NULL;
    w->shm = NULL;
    drop_watch(w);
}

static rg_status watch_it(rg_shm_watch **out, rg_shm *s, int fd, uv_poll_cb told)
{
    rg_shm_watch *w = rg_alloc_zero(1, sizeof *w);
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

/* ---- its life ---- */

static rg_shm *shm_new(rg_loop *loop, int socket)
{
    rg_shm *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->loop = loop;
    s->socket = socket;
    s->waiting.last = &s->waiting.first;
    s->held.last = &s->held.first;
    for (int i = 0; i < RG_SHM_HANDED; i++)
        s->handed[i] = -1;
    return s;
}

static void close_handed(rg_shm *s)
{
    for (int i = 0; i < RG_SHM_HANDED; i++)
        if (s->handed[i] >= 0)
            (void)close(s->handed[i]);
}

void rg_shm_free(rg_shm *s)
{
    rg_shm_unwatch(&s->on_socket);
    rg_shm_unwatch(&s->on_wake);
    close_handed(s);
    (void)close(s->socket);
    if (s->memory != NULL)
        (void)munmap(s->memory, RG_SHM_BYTES);
    rg_lent_view_drop(s->theirs);
    if (s->counted)
        rg_budget_give(s->budget, RG_SHM_BYTES);
    rg_free(s);
}

/* Both heads, then the client's ring to the server, then the other. */
static rg_status map(rg_shm *s)
{
    void *at = mmap(NULL, RG_SHM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                    s->handed[RG_SHM_MEMORY], 0);
    if (at == MAP_FAILED)
        return rg_fail(RG_EIO, "shared memory cannot be mapped: %s", strerror(errno));
    s->memory = at;
    /* A child that is forked has no part in it. */
    (void)madvise(at, RG_SHM_BYTES, MADV_DONTFORK);
    (void)close(s->handed[RG_SHM_MEMORY]);
    s->handed[RG_SHM_MEMORY] = -1;
    rg_ring_head *heads = at;
    uint8_t *data = (uint8_t *)at + RG_SHM_HEADS;
    rg_ring *to_server = s->client ? &s->out : &s->in, *to_client = s->client ? &s->in : &s->out;
    rg_ring_init(to_server, &heads[0], data, RG_SHM_RING, s->client);
    rg_ring_init(to_client, &heads[1], data + RG_SHM_RING, RG_SHM_RING, !s->client);
    return RG_OK;
}

/* What the other side lends, to read; where it cannot be had, that side copies. */
static void map_theirs(rg_shm *s)
{
    s->theirs = rg_lent_view_open(s->handed[RG_SHM_LENT]);
    if (s->theirs != NULL)
        atomic_store(&s->in.head->sees_lent, 1);
}

/* ---- reading begins, and pauses ---- */

static void pause_shm(rg_stream *stream)
{
    rg_shm_of(stream)->paused = true;
    if (rg_shm_of(stream)->open)
        rg_ring_awake(&rg_shm_of(stream)->in); /* not to be woken for what is not to be read */
}

static rg_status greet(rg_shm *s);

static rg_status read_shm(rg_stream *stream)
{
    rg_shm *s = rg_shm_of(stream);
    s->paused = false;
    if (!s->open)
        return s->on_socket != NULL ? RG_OK : greet(s);
    if (s->on_wake == NULL)
        RG_TRY(watch_it(&s->on_wake, s, rg_shm_mine(s), rg_shm_on_wake));
    if (s->on_socket == NULL && !s->ended)
        RG_TRY(watch_it(&s->on_socket, s, s->socket, rg_shm_on_end));
    rg_shm_wake(rg_shm_mine(s)); /* events come from the loop */
    return RG_OK;
}

/* ---- the client: dialling ---- */

static rg_status make_memory(rg_shm *s)
{
    if (rg_fault("shm.open") != RG_FAULT_NONE)
        return rg_fail(RG_EIO, "no shared memory: a test's fault");
    s->handed[RG_SHM_MEMORY] = memfd_create("regatta", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    s->handed[RG_SHM_TO_SERVER] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->handed[RG_SHM_TO_CLIENT] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int fd = s->handed[RG_SHM_MEMORY];
    /* Its pages are taken now: where there are none, that is an error here, and no SIGBUS later. */
    if (fd < 0 || s->handed[RG_SHM_TO_SERVER] < 0 || s->handed[RG_SHM_TO_CLIENT] < 0 ||
        fallocate(fd, 0, 0, RG_SHM_BYTES) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return rg_fail(RG_EIO, "no shared memory: %s", strerror(errno));
    return RG_OK;
}

/* Bytes, and descriptors with them. */
static rg_status send_with(int socket, const void *bytes, size_t length, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(RG_SHM_HANDED * sizeof(int))];
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

static rg_status hand_over(const rg_shm *s)
{
    int fds[RG_SHM_HANDED] = {s->handed[RG_SHM_MEMORY], s->handed[RG_SHM_TO_SERVER],
                              s->handed[RG_SHM_TO_CLIENT], rg_lent_descriptor()};
    return send_with(s->socket, &mine, sizeof mine, fds,
                     fds[RG_SHM_LENT] >= 0 ? RG_SHM_HANDED : RG_SHM_LENT);
}

/* What lies on the socket; descriptors that come are kept from `from` on, or closed. */
static ssize_t receive(rg_shm *s, void *to, size_t length, int from)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(RG_SHM_HANDED * sizeof(int))];
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
            if (from < RG_SHM_HANDED && s->handed[from] < 0)
                s->handed[from] = fd;
            else
                (void)close(fd);
        }
    }
    return n;
}

static void on_answer(uv_poll_t *uv, int status, int events)
{
    const rg_shm_watch *w = uv->data;
    rg_shm *s = w->shm;
    char answer = 0;
    (void)status, (void)events;
    if (s == NULL)
        return;
    ssize_t n = receive(s, &answer, 1, RG_SHM_LENT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    rg_dial *dial = s->dial;
    s->dial = NULL;
    rg_shm_unwatch(&s->on_socket);
    if (n == 1 && answer == yes && map(s) == RG_OK) {
        s->open = true;
        map_theirs(s);
        rg_dial_done(dial, s);
        return;
    }
    rg_shm_free(s);
    rg_dial_failed(dial, UV_ECONNREFUSED);
}

static void hang_up(void *attempt)
{
    rg_shm_free(attempt);
}

static void dial_shm(rg_dial *dial, const rg_address *to)
{
    int fd = rg_flag_bool("rpc_shared_memory") ? rg_beside_connect(kind, to->ip) : -1;
    rg_shm *s = fd >= 0 ? shm_new(rg_dial_loop(dial), fd) : NULL;
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
        rg_shm_free(s);
    } else if (fd >= 0) {
        (void)close(fd);
    }
    rg_dial_failed(dial, UV_ECONNREFUSED);
}

static void join(rg_stream *stream, void *conn)
{
    rg_shm *s = conn;
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

static rg_status check_handed(const rg_shm *s)
{
    struct stat about;
    int fd = s->handed[RG_SHM_MEMORY], seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return rg_fail(RG_ECORRUPT, "shared memory that could shrink while it is used");
    if (fstat(fd, &about) != 0 || about.st_size != RG_SHM_BYTES)
        return rg_fail(RG_ECORRUPT, "shared memory of another size than was said");
    if (!is_event(s->handed[RG_SHM_TO_SERVER]) || !is_event(s->handed[RG_SHM_TO_CLIENT]))
        return rg_fail(RG_ECORRUPT, "shared memory without the means to wake its other end");
    return RG_OK;
}

static rg_status let_in(rg_shm *s, ssize_t n, const preface *said)
{
    if (n == 0)
        return rg_fail(RG_ECLOSED, "the other end closed the connection");
    if (n < 0)
        return rg_fail(RG_EIO, "receiving shared memory: %s", strerror(errno));
    if (n != (ssize_t)sizeof *said || memcmp(said->magic, mine.magic, sizeof mine.magic) != 0)
        return rg_fail(RG_ECORRUPT, "it does not begin as one that brings shared memory");
    if (said->ring_bytes != RG_SHM_RING)
        return rg_fail(RG_ECORRUPT, "it brings rings of %llu bytes, and they have %d here",
                       (unsigned long long)said->ring_bytes, RG_SHM_RING);
    for (int i = 0; i < RG_SHM_LENT; i++)
        if (s->handed[i] < 0)
            return rg_fail(RG_ECORRUPT, "shared memory was announced, and did not come");
    RG_TRY(check_handed(s));
    s->counted = s->budget != NULL && rg_budget_take(s->budget, RG_SHM_BYTES);
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
    const rg_shm_watch *w = uv->data;
    rg_shm *s = w->shm;
    preface said = {0};
    (void)status, (void)events;
    if (s == NULL || s->paused)
        return;
    ssize_t n = receive(s, &said, sizeof said, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    rg_shm_unwatch(&s->on_socket);
    rg_status code = let_in(s, n, &said);
    if (code == RG_OK)
        code = read_shm(s->stream);
    if (code != RG_OK)
        rg_stream_fail(s->stream, code); /* may close it, and free this */
}

static rg_status greet(rg_shm *s)
{
    return watch_it(&s->on_socket, s, s->socket, on_preface);
}

static void take(rg_listener *listener, rg_socket *accepted)
{
    rg_loop *loop = rg_listener_loop(listener);
    int fd = fcntl(rg_socket_descriptor(accepted), F_DUPFD_CLOEXEC, 0);
    rg_socket_close(accepted);
    rg_shm *s = fd >= 0 ? shm_new(loop, fd) : NULL;
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
    rg_shm_of(stream)->shut |= !writing_alone;
    (void)shutdown(rg_shm_of(stream)->socket, writing_alone ? SHUT_WR : SHUT_RDWR);
}

static void close_shm(rg_stream *stream)
{
    rg_shm *s = rg_shm_of(stream);
    (void)shutdown(s->socket, SHUT_RDWR); /* a child that was forked may have it, too */
    rg_shm_unwatch(&s->on_socket);
    rg_shm_unwatch(&s->on_wake);
    rg_shm_release_all(s);
    if (s->working)
        return; /* work() sees that it is closed */
    rg_shm_free(s);
    rg_stream_gone(stream);
}

static rg_lent_view *keep_lent(const rg_stream *stream)
{
    return rg_lent_view_keep(rg_shm_of(stream)->theirs);
}

static rg_status detach(rg_stream *stream)
{
    rg_shm *s = rg_shm_of(stream);
    rg_shm_unwatch(&s->on_socket);
    rg_shm_unwatch(&s->on_wake);
    s->loop = NULL;
    return s->open ? RG_OK : rg_fail(RG_ECLOSED, "the connection is not there yet");
}

static rg_status adopt(rg_stream *stream, rg_loop *loop)
{
    rg_shm_of(stream)->loop = loop;
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
    .write = rg_shm_write,
    .queued = rg_shm_queued,
    .keep_lent = keep_lent,
    .shut = shut_shm,
    .close = close_shm,
    .detach = detach,
    .adopt = adopt,
};
