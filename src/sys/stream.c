/* stream.c - connected sockets of an event loop: reading, writing, handing over. */
#include "sys/loop_priv.h"

#include "base/mem.h"
#include "sys/fault.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct pending {
    uv_write_t uv;
    struct pending *next, **back;
    void (*done)(void *arg); /* NULL: called already */
    void *arg;
} pending;

struct rg_stream {
    rg_handle base;
    uv_tcp_t uv;
    rg_dial *dial;
    const rg_stream_events *events;
    void *user;
    pending *writes;
    bool failed, local;
    char peer[96];
    char origin[RG_ORIGIN_TEXT];
    uid_t uid; /* at the other end of a Unix socket; (uid_t)-1: not known */
};

static void drop_stream(void *self)
{
    rg_stream_close(self);
}

rg_stream *rg_stream_new(rg_loop *loop)
{
    rg_stream *stream = rg_alloc_zero(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->base.drop = drop_stream;
    (void)uv_tcp_init(&loop->uv, &stream->uv);
    stream->uv.data = stream;
    return stream;
}

uv_tcp_t *rg_stream_uv(rg_stream *stream)
{
    return &stream->uv;
}

static uv_stream_t *as_stream(const rg_stream *stream)
{
    return (uv_stream_t *)&stream->uv;
}

static uv_handle_t *as_handle(const rg_stream *stream)
{
    return (uv_handle_t *)&stream->uv;
}

static void note_tcp_peer(rg_stream *stream)
{
    struct sockaddr_storage from;
    int length = sizeof from;
    char host[INET6_ADDRSTRLEN] = "?";
    unsigned port = 0;
    if (uv_tcp_getpeername(&stream->uv, (struct sockaddr *)&from, &length) != 0)
        return;
    if (from.ss_family == AF_INET6) {
        struct sockaddr_in6 net = *(const struct sockaddr_in6 *)&from;
        (void)uv_ip6_name(&net, host, sizeof host);
        port = ntohs(net.sin6_port);
        bool mapped = IN6_IS_ADDR_V4MAPPED(&net.sin6_addr);
        memset(net.sin6_addr.s6_addr + 8, 0, mapped ? 0 : 8);
        (void)uv_ip6_name(&net, stream->origin, sizeof stream->origin);
    } else {
        (void)uv_ip4_name((const struct sockaddr_in *)&from, host, sizeof host);
        port = ntohs(((const struct sockaddr_in *)&from)->sin_port);
        (void)snprintf(stream->origin, sizeof stream->origin, "%s", host);
    }
    (void)snprintf(stream->peer, sizeof stream->peer, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
                   port);
}

static void note_local_peer(rg_stream *stream, int socket)
{
    struct ucred who;
    socklen_t length = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0)
        stream->uid = who.uid;
    (void)snprintf(stream->peer, sizeof stream->peer, "unix");
    (void)snprintf(stream->origin, sizeof stream->origin, "user %lld", (long long)stream->uid);
}

void rg_stream_settle(rg_stream *stream)
{
    enum { KEEPALIVE_SECONDS = 15 };
    struct sockaddr_storage self = {0};
    socklen_t length = sizeof self;
    uv_os_fd_t socket = -1;
    (void)uv_fileno(as_handle(stream), &socket);
    stream->local = getsockname(socket, (struct sockaddr *)&self, &length) == 0 &&
                    self.ss_family == AF_UNIX;
    stream->uid = (uid_t)-1;
    (void)snprintf(stream->peer, sizeof stream->peer, "?");
    (void)snprintf(stream->origin, sizeof stream->origin, "?");
    if (stream->local) {
        note_local_peer(stream, socket);
        return;
    }
    (void)uv_tcp_nodelay(&stream->uv, 1);
    (void)uv_tcp_keepalive(&stream->uv, 1, KEEPALIVE_SECONDS);
    note_tcp_peer(stream);
}

rg_status rg_stream_take(rg_stream *stream, int socket)
{
    int failed = uv_tcp_open(&stream->uv, socket);
    if (failed != 0) {
        (void)close(socket);
        return rg_uv_fail(failed, "taking over", "a connection");
    }
    rg_stream_settle(stream);
    return RG_OK;
}

const char *rg_stream_peer(const rg_stream *stream)
{
    return stream->peer;
}

bool rg_stream_is_local(const rg_stream *stream)
{
    return stream->local;
}

bool rg_stream_is_own_user(const rg_stream *stream)
{
    return stream->local && (stream->uid == geteuid() || stream->uid == 0);
}

void rg_stream_origin(const rg_stream *stream, char origin[RG_ORIGIN_TEXT])
{
    memcpy(origin, stream->origin, RG_ORIGIN_TEXT);
}

int rg_stream_descriptor(const rg_stream *stream)
{
    uv_os_fd_t socket = -1;
    (void)uv_fileno(as_handle(stream), &socket);
    return socket;
}

/* ---- reading ---- */

static void tell_failure(rg_stream *stream, rg_status why)
{
    char message[256];
    (void)snprintf(message, sizeof message, "%s", rg_error_message());
    stream->failed = true;
    stream->events->failed(stream->user, why, message);
}

static void fail(rg_stream *stream, int code)
{
    if (stream->failed || uv_is_closing(as_handle(stream)))
        return;
    (void)uv_read_stop(as_stream(stream));
    tell_failure(stream, code == UV_EOF ? rg_fail(RG_ECLOSED, "the other end closed the connection")
                                        : rg_uv_fail(code, "the connection to", stream->peer));
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    rg_stream *stream = handle->data;
    uint8_t *at = NULL;
    size_t size = 0;
    (void)suggested;
    if (!stream->events->room(stream->user, &at, &size))
        size = 0; /* libuv then reads nothing and tells UV_ENOBUFS */
    *buf = uv_buf_init((char *)at, size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)size);
}

static void take_bytes(uv_stream_t *uv, ssize_t n, const uv_buf_t *buf)
{
    rg_stream *stream = uv->data;
    if (n > 0 && rg_fault("stream.read") != RG_FAULT_NONE)
        n = UV_ECONNRESET;
    if (n > 0 && rg_fault("stream.flip") == RG_FAULT_FLIP)
        buf->base[n / 2] ^= 1;
    if (n > 0)
        stream->events->arrived(stream->user, (size_t)n);
    else if (n < 0)
        fail(stream, (int)n);
}

rg_status rg_stream_start(rg_stream *stream, const rg_stream_events *events, void *user)
{
    stream->events = events;
    stream->user = user;
    int failed = uv_read_start(as_stream(stream), give_room, take_bytes);
    return failed == 0 ? RG_OK : rg_uv_fail(failed, "reading from", stream->peer);
}

void rg_stream_pause(rg_stream *stream)
{
    (void)uv_read_stop(as_stream(stream));
}

void rg_stream_resume(rg_stream *stream)
{
    if (!stream->failed && !uv_is_closing(as_handle(stream)))
        (void)uv_read_start(as_stream(stream), give_room, take_bytes);
}

void rg_stream_set_dial(rg_stream *stream, rg_dial *dial, const rg_stream_events *events,
                        void *user)
{
    stream->dial = dial;
    stream->events = events;
    stream->user = user;
}

void rg_stream_dialled(rg_stream *stream, rg_status status)
{
    stream->dial = NULL;
    if (status == RG_OK)
        status = rg_stream_start(stream, stream->events, stream->user);
    if (status == RG_OK)
        stream->events->opened(stream->user);
    else
        tell_failure(stream, status);
}

/* ---- writing ---- */

static void release(pending *write)
{
    void (*done)(void *) = write->done;
    *write->back = write->next;
    if (write->next != NULL)
        write->next->back = write->back;
    write->done = NULL;
    if (done != NULL)
        done(write->arg);
}

static void wrote(uv_write_t *uv, int code)
{
    pending *write = uv->data;
    rg_stream *stream = uv->handle->data;
    if (write->done != NULL)
        release(write);
    rg_free(write);
    if (code != 0 && code != UV_ECANCELED)
        fail(stream, code);
}

/* That the socket is shut down comes to the reader as an event, when nobody is in the middle of
 * something. */
void rg_stream_shut(rg_stream *stream)
{
    uv_os_fd_t socket = -1;
    if (uv_fileno(as_handle(stream), &socket) == 0)
        (void)shutdown(socket, SHUT_RDWR);
}

void rg_stream_shut_writing(rg_stream *stream)
{
    uv_os_fd_t socket = -1;
    if (uv_fileno(as_handle(stream), &socket) == 0)
        (void)shutdown(socket, SHUT_WR);
}

/* The pieces without their first `skip` bytes, as libuv wants them, which stay within 4 GiB each.
 * Returns how many; with out == NULL only counts. */
static size_t as_bufs(const rg_iov *iov, size_t n, size_t skip, uv_buf_t *out)
{
    enum { PIECE = 1 << 30 };
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t offset = skip < iov[i].bytes ? skip : iov[i].bytes;
        skip -= offset;
        while (offset < iov[i].bytes) {
            size_t bytes = iov[i].bytes - offset;
            if (bytes > PIECE)
                bytes = PIECE;
            if (out != NULL)
                out[count] = uv_buf_init((char *)iov[i].at + offset, (unsigned)bytes);
            offset += bytes;
            count++;
        }
    }
    return count;
}

static void write_rest(rg_stream *stream, const uv_buf_t *bufs, size_t count, void (*done)(void *),
                       void *arg)
{
    pending *write = rg_alloc_zero(1, sizeof *write);
    int failed = write == NULL ? UV_ENOMEM : 0;
    if (failed == 0) {
        write->uv.data = write;
        failed = uv_write(&write->uv, as_stream(stream), bufs, (unsigned)count, wrote);
    }
    if (failed != 0) {
        rg_free(write);
        done(arg);
        rg_stream_shut(stream);
        return;
    }
    write->done = done;
    write->arg = arg;
    write->next = stream->writes;
    write->back = &stream->writes;
    if (write->next != NULL)
        write->next->back = &write->next;
    stream->writes = write;
}

void rg_stream_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                     void *arg)
{
    enum { ON_STACK = 64 };
    uv_buf_t few[ON_STACK], *bufs = few;
    size_t count = as_bufs(iov, n, 0, NULL), total = 0;
    for (size_t i = 0; i < n; i++)
        total += iov[i].bytes;
    if (count > ON_STACK)
        bufs = rg_alloc(count * sizeof *bufs);
    if (stream->failed || total == 0 || bufs == NULL) {
        done(arg);
        if (bufs == NULL)
            rg_stream_shut(stream);
        else if (bufs != few)
            rg_free(bufs);
        return;
    }
    (void)as_bufs(iov, n, 0, bufs);
    int sent = uv_try_write(as_stream(stream), bufs, (unsigned)count);
    if (sent > 0 && (size_t)sent == total) {
        done(arg);
    } else {
        /* An error of the first try comes again here, and then as an event. */
        count = as_bufs(iov, n, sent > 0 ? (size_t)sent : 0, bufs);
        write_rest(stream, bufs, count, done, arg);
    }
    if (bufs != few)
        rg_free(bufs);
}

size_t rg_stream_queued(const rg_stream *stream)
{
    return uv_stream_get_write_queue_size(as_stream(stream));
}

size_t rg_stream_unsent(const rg_stream *stream)
{
    uv_os_fd_t socket;
    int held = 0;
    if (uv_fileno(as_handle(stream), &socket) != 0 || ioctl(socket, SIOCOUTQ, &held) != 0)
        held = 0;
    return rg_stream_queued(stream) + (size_t)held;
}

/* ---- the end ---- */

static void free_stream(uv_handle_t *handle)
{
    rg_free(handle->data);
}

void rg_stream_close(rg_stream *stream)
{
    if (stream == NULL || uv_is_closing(as_handle(stream)))
        return;
    if (stream->dial != NULL)
        rg_dial_forget(stream->dial);
    uv_close(as_handle(stream), free_stream);
    while (stream->writes != NULL)
        release(stream->writes);
}

int rg_socket_copy(int socket)
{
    return fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

int rg_stream_detach(rg_stream *stream)
{
    uv_os_fd_t old;
    int copy = -1;
    if (uv_fileno(as_handle(stream), &old) == 0)
        copy = rg_socket_copy(old);
    rg_stream_close(stream);
    return copy;
}

rg_status rg_stream_adopt(rg_stream **out, rg_loop *loop, int socket)
{
    rg_stream *stream = rg_stream_new(loop);
    if (stream == NULL) {
        (void)close(socket);
        return rg_no_memory(sizeof *stream, "a connection");
    }
    rg_status status = rg_stream_take(stream, socket);
    if (status != RG_OK) {
        rg_stream_close(stream);
        return status;
    }
    *out = stream;
    return RG_OK;
}
