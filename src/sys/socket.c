/* socket.c - sockets of libuv as the connection of a stream: reading, writing, handing over,
 * accepting. */
#include "sys/socket_priv.h"

#include "base/mem.h"
#include "sys/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
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

static uv_stream_t *as_stream(const rg_socket *socket)
{
    return (uv_stream_t *)&socket->uv;
}

static uv_handle_t *as_handle(const rg_socket *socket)
{
    return (uv_handle_t *)&socket->uv;
}

static rg_socket *of(const rg_stream *stream)
{
    return stream->conn;
}

/* ---- their life ---- */

static void drop_socket(void *self)
{
    rg_socket_close(self);
}

rg_socket *rg_socket_new(rg_loop *loop)
{
    rg_socket *socket = rg_alloc_zero(1, sizeof *socket);
    if (socket == NULL)
        return NULL;
    socket->base.drop = drop_socket;
    socket->detached = -1;
    (void)uv_tcp_init(&loop->uv, &socket->uv);
    socket->uv.data = socket;
    return socket;
}

static void free_socket(uv_handle_t *handle)
{
    rg_socket *socket = handle->data;
    if (socket->stream != NULL)
        rg_stream_gone(socket->stream);
    rg_free(socket);
}

void rg_socket_close(rg_socket *socket)
{
    if (!uv_is_closing(as_handle(socket)))
        uv_close(as_handle(socket), free_socket);
}

void rg_socket_hang_up(void *attempt)
{
    rg_socket *socket = attempt;
    socket->dial = NULL;
    rg_socket_close(socket);
}

int rg_socket_open(rg_socket *socket, int descriptor)
{
    int failed = uv_tcp_open(&socket->uv, descriptor);
    if (failed != 0)
        (void)close(descriptor);
    return failed;
}

int rg_socket_descriptor(const rg_socket *socket)
{
    uv_os_fd_t descriptor = -1;
    (void)uv_fileno(as_handle(socket), &descriptor);
    return descriptor;
}

void rg_socket_join(rg_socket *socket, rg_stream *stream)
{
    socket->stream = stream;
    stream->conn = socket;
    stream->descriptor = rg_socket_descriptor(socket);
}

/* ---- reading ---- */

static void fail(rg_stream *stream, int code)
{
    if (stream->failed || stream->closed)
        return;
    (void)uv_read_stop(as_stream(of(stream)));
    rg_stream_fail(stream, code == UV_EOF
                               ? rg_fail(RG_ECLOSED, "the other end closed the connection")
                               : rg_uv_fail(code, "the connection to", stream->peer));
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    const rg_socket *socket = handle->data;
    uint8_t *at = NULL;
    size_t size = 0;
    (void)suggested;
    if (!socket->stream->events->room(socket->stream->user, &at, &size))
        size = 0; /* libuv then reads nothing and tells UV_ENOBUFS */
    *buf = uv_buf_init((char *)at, size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)size);
}

static void take_bytes(uv_stream_t *uv, ssize_t n, const uv_buf_t *buf)
{
    const rg_socket *socket = uv->data;
    if (n > 0 && !rg_stream_take(socket->stream, (uint8_t *)buf->base, (size_t)n))
        (void)uv_read_stop(uv);
    else if (n < 0)
        fail(socket->stream, (int)n);
}

rg_status rg_socket_read(rg_stream *stream)
{
    int failed = uv_read_start(as_stream(of(stream)), give_room, take_bytes);
    return failed == 0 || failed == UV_EALREADY ? RG_OK
                                                : rg_uv_fail(failed, "reading from", stream->peer);
}

void rg_socket_pause(rg_stream *stream)
{
    (void)uv_read_stop(as_stream(of(stream)));
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
    const rg_socket *socket = uv->handle->data;
    if (write->done != NULL)
        release(write);
    rg_free(write);
    if (code != 0 && code != UV_ECANCELED && socket->stream != NULL)
        fail(socket->stream, code);
}

/* That the socket is shut down comes to the reader as an event, when nobody is in the middle of
 * something. */
void rg_socket_shut(rg_stream *stream, bool writing_alone)
{
    (void)shutdown(rg_socket_descriptor(of(stream)), writing_alone ? SHUT_WR : SHUT_RDWR);
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
    rg_socket *socket = of(stream);
    pending *write = rg_alloc_zero(1, sizeof *write);
    int failed = write == NULL ? UV_ENOMEM : 0;
    if (failed == 0) {
        write->uv.data = write;
        failed = uv_write(&write->uv, as_stream(socket), bufs, (unsigned)count, wrote);
    }
    if (failed != 0) {
        rg_free(write);
        rg_socket_shut(stream, false);
        done(arg);
        return;
    }
    write->done = done;
    write->arg = arg;
    write->next = socket->writes;
    write->back = &socket->writes;
    if (write->next != NULL)
        write->next->back = &write->next;
    socket->writes = write;
}

void rg_socket_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                     void *arg)
{
    enum { ON_STACK = 64 };
    uv_buf_t few[ON_STACK], *bufs = few;
    size_t count = as_bufs(iov, n, 0, NULL), total = 0;
    for (size_t i = 0; i < n; i++)
        total += iov[i].bytes;
    if (count > ON_STACK)
        bufs = rg_alloc(count * sizeof *bufs);
    if (bufs == NULL) {
        rg_socket_shut(stream, false);
        done(arg);
        return;
    }
    (void)as_bufs(iov, n, 0, bufs);
    int sent = uv_try_write(as_stream(of(stream)), bufs, (unsigned)count);
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

size_t rg_socket_queued(const rg_stream *stream, bool with_taken)
{
    const rg_socket *socket = of(stream);
    int held = 0;
    if (with_taken && ioctl(rg_socket_descriptor(socket), SIOCOUTQ, &held) != 0)
        held = 0;
    return uv_stream_get_write_queue_size(as_stream(socket)) + (size_t)held;
}

/* ---- the end, and another loop ---- */

void rg_socket_end(rg_stream *stream)
{
    rg_socket *socket = of(stream);
    if (socket->detached >= 0) { /* it has no loop now */
        (void)close(socket->detached);
        rg_free(socket);
        rg_stream_gone(stream);
        return;
    }
    rg_socket_close(socket);
    while (socket->writes != NULL)
        release(socket->writes);
}

/* A libuv handle cannot leave its loop: the descriptor is copied, and in between stands in a socket
 * without a handle. */
rg_status rg_socket_detach(rg_stream *stream)
{
    rg_socket *old = of(stream), *none = rg_alloc_zero(1, sizeof *none);
    if (none == NULL)
        return rg_no_memory(sizeof *none, "a connection");
    none->detached = fcntl(rg_socket_descriptor(old), F_DUPFD_CLOEXEC, 0);
    if (none->detached < 0) {
        rg_free(none);
        return rg_fail(RG_EIO, "no file descriptor left for a connection");
    }
    old->stream = NULL;
    rg_socket_close(old);
    none->stream = stream;
    stream->conn = none;
    return RG_OK;
}

rg_status rg_socket_adopt(rg_stream *stream, rg_loop *loop)
{
    rg_socket *none = of(stream), *socket = rg_socket_new(loop);
    if (socket == NULL)
        return rg_no_memory(sizeof *socket, "a connection");
    int failed = rg_socket_open(socket, none->detached);
    if (failed != 0) {
        none->detached = -1;
        rg_socket_close(socket);
        stream->conn = NULL;
        rg_free(none);
        return rg_uv_fail(failed, "taking over", "a connection");
    }
    rg_free(none);
    rg_socket_join(socket, stream);
    return RG_OK;
}

/* ---- accepting ---- */

enum { BACKLOG = 511, RETRY_MS = 100 };

/* Outlives its listener until libuv has let go of it. */
struct rg_gate {
    rg_handle base;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    rg_listener *listener;
    rg_gate_take take;
    rg_timer *again; /* something was accepted, and there was no memory for it */
};

static void free_gate(uv_handle_t *handle)
{
    rg_free(handle->data);
}

void rg_gate_close(void *gate)
{
    rg_gate *g = gate;
    if (uv_is_closing(&g->uv.handle))
        return;
    rg_timer_close(g->again);
    uv_close(&g->uv.handle, free_gate);
}

/* libuv keeps what it has accepted, and accepts nothing more, until it is asked for it: where there
 * is no memory now, we come back. */
static void knock(uv_stream_t *uv, int status)
{
    rg_gate *g = uv->data;
    if (status != 0)
        return;
    rg_socket *socket = rg_fault("listen.accept") == RG_FAULT_NONE
                            ? rg_socket_new(rg_listener_loop(g->listener))
                            : NULL;
    if (socket == NULL)
        rg_timer_set(g->again, RETRY_MS, 0);
    else if (uv_accept(uv, as_stream(socket)) != 0)
        rg_socket_close(socket);
    else
        g->take(g->listener, socket);
}

static void knock_again(void *self)
{
    rg_gate *g = self;
    knock(&g->uv.stream, 0);
}

rg_status rg_gate_new(rg_gate **out, rg_listener *listener, bool tcp, rg_gate_take take)
{
    rg_loop *loop = rg_listener_loop(listener);
    rg_gate *g = rg_alloc_zero(1, sizeof *g);
    if (g == NULL || rg_timer_open(&g->again, loop, knock_again, g) != RG_OK) {
        rg_free(g);
        return rg_no_memory(sizeof *g, "a listening socket");
    }
    g->base.drop = rg_gate_close;
    g->listener = listener;
    g->take = take;
    if (tcp)
        (void)uv_tcp_init(&loop->uv, &g->uv.tcp);
    else
        (void)uv_pipe_init(&loop->uv, &g->uv.pipe, 0);
    g->uv.handle.data = g;
    *out = g;
    return RG_OK;
}

uv_tcp_t *rg_gate_tcp(rg_gate *gate)
{
    return &gate->uv.tcp;
}

uv_pipe_t *rg_gate_pipe(rg_gate *gate)
{
    return &gate->uv.pipe;
}

rg_status rg_gate_accept(void *gate)
{
    rg_gate *g = gate;
    int failed = uv_listen(&g->uv.stream, BACKLOG, knock);
    return failed == 0 ? RG_OK
                       : rg_uv_fail(failed, "cannot listen on", rg_listener_endpoint(g->listener));
}
