/* listen.c - sockets that accept connections. */
#include "sys/loop_priv.h"

#include "base/mem.h"
#include "sys/fault.h"
#include "sys/log.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 511, RETRY_MS = 100 };

/* One socket of a listener; outlives it until libuv has let go of it. */
typedef struct gate {
    rg_handle base;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    rg_listener *listener;
    rg_timer *again; /* something was accepted, and there was no memory for it */
    struct gate *next;
} gate;

struct rg_listener {
    rg_loop *loop;
    gate *gates;
    void (*accepted)(void *user, rg_stream *stream);
    void *user;
    bool loopback;
    char endpoint[300];
};

static void free_gate(uv_handle_t *handle)
{
    rg_free(handle->data);
}

static void drop_gate(void *self)
{
    gate *g = self;
    rg_timer_close(g->again);
    uv_close(&g->uv.handle, free_gate);
}

static void knock(uv_stream_t *uv, int status);

static void open_again(void *self)
{
    gate *g = self;
    knock(&g->uv.stream, 0);
}

static gate *gate_new(rg_listener *listener, bool tcp)
{
    gate *g = rg_alloc_zero(1, sizeof *g);
    if (g == NULL || rg_timer_open(&g->again, listener->loop, open_again, g) != RG_OK) {
        rg_free(g);
        return NULL;
    }
    g->base.drop = drop_gate;
    g->listener = listener;
    g->next = listener->gates;
    listener->gates = g;
    if (tcp)
        (void)uv_tcp_init(&listener->loop->uv, &g->uv.tcp);
    else
        (void)uv_pipe_init(&listener->loop->uv, &g->uv.pipe, 0);
    g->uv.handle.data = g;
    return g;
}

/* libuv keeps what it has accepted, and accepts nothing more, until it is asked for it: where there
 * is no memory now, we come back. */
static void knock(uv_stream_t *uv, int status)
{
    gate *g = uv->data;
    if (status != 0)
        return;
    rg_stream *stream = rg_fault("listen.accept") == RG_FAULT_NONE
                            ? rg_stream_new(g->listener->loop)
                            : NULL;
    if (stream == NULL) {
        rg_timer_set(g->again, RETRY_MS, 0);
        return;
    }
    if (uv_accept(uv, (uv_stream_t *)rg_stream_uv(stream)) != 0) {
        rg_stream_close(stream);
        return;
    }
    rg_stream_settle(stream);
    g->listener->accepted(g->listener->user, stream);
}

static bool is_any(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return memcmp(&((const struct sockaddr_in6 *)address)->sin6_addr, &in6addr_any, 16) == 0;
    return ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

/* The Unix socket that clients on this host take instead of TCP. To have it is a matter of speed:
 * where it cannot be had they come by TCP. */
static void listen_beside(rg_listener *listener, const struct sockaddr *address)
{
    struct sockaddr_un name;
    size_t length = rg_local_name(&name, address, is_any(address));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    gate *g = NULL;
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&name, (socklen_t)length) == 0)
        g = gate_new(listener, false);
    if (g == NULL || uv_pipe_open(&g->uv.pipe, fd) != 0) {
        (void)(fd >= 0 && close(fd));
        rg_log(RG_LOG_I, "rpc", "endpoint=%s \"no Unix socket beside it\"", listener->endpoint);
        return;
    }
    (void)uv_listen(&g->uv.stream, BACKLOG, knock);
}

static rg_status listen_tcp(rg_listener *listener, const struct addrinfo *at, const char *host,
                            bool local)
{
    struct sockaddr_storage self;
    int length = sizeof self;
    gate *g = gate_new(listener, true);
    if (g == NULL)
        return rg_no_memory(sizeof *g, "a listening socket");
    int failed = uv_tcp_bind(&g->uv.tcp, at->ai_addr, 0);
    if (failed == 0)
        failed = uv_tcp_getsockname(&g->uv.tcp, (struct sockaddr *)&self, &length);
    /* First: whoever finds the port open shall find the Unix socket, too. */
    if (failed == 0 && local)
        listen_beside(listener, (const struct sockaddr *)&self);
    if (failed == 0)
        failed = uv_listen(&g->uv.stream, BACKLOG, knock);
    if (failed != 0)
        return rg_uv_fail(failed, "cannot listen on", listener->endpoint);
    const struct sockaddr *address = (const struct sockaddr *)&self;
    unsigned port = ntohs(address->sa_family == AF_INET6
                              ? ((const struct sockaddr_in6 *)address)->sin6_port
                              : ((const struct sockaddr_in *)address)->sin_port);
    listener->loopback = is_loopback(address);
    (void)snprintf(listener->endpoint, sizeof listener->endpoint,
                   strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    return RG_OK;
}

static rg_status listen_named(rg_listener *listener, bool local)
{
    char host[256], port[8];
    RG_TRY(rg_endpoint_split(listener->endpoint, host, port));
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    if (host[0] == '\0')
        (void)snprintf(host, sizeof host, "0.0.0.0");
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed != 0)
        return rg_fail(RG_EIO, "cannot listen on %s: %s", listener->endpoint, gai_strerror(failed));
    rg_status status = listen_tcp(listener, found, host, local);
    freeaddrinfo(found);
    return status;
}

/* A path on which nobody answers was left by a process that was killed. */
static bool is_stale(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool stale = fd >= 0 && connect(fd, (struct sockaddr *)&name, sizeof name) != 0 &&
                 errno == ECONNREFUSED;
    (void)(fd >= 0 && close(fd));
    return stale;
}

static rg_status listen_path(rg_listener *listener, const char *path)
{
    gate *g = gate_new(listener, false);
    if (g == NULL)
        return rg_no_memory(sizeof *g, "a listening socket");
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return rg_fail(RG_EINVAL, "cannot listen on %s: a Unix socket's path has at most 107 bytes",
                       listener->endpoint);
    int failed = uv_pipe_bind(&g->uv.pipe, path);
    if (failed == UV_EADDRINUSE && is_stale(path) && unlink(path) == 0)
        failed = uv_pipe_bind(&g->uv.pipe, path);
    if (failed == 0)
        failed = uv_listen(&g->uv.stream, BACKLOG, knock);
    listener->loopback = true;
    return failed == 0 ? RG_OK : rg_uv_fail(failed, "cannot listen on", listener->endpoint);
}

rg_status rg_listen(rg_listener **out, rg_loop *loop, const char *endpoint, bool local,
                    void (*accepted)(void *user, rg_stream *stream), void *user)
{
    rg_listener *listener = rg_alloc_zero(1, sizeof *listener);
    if (listener == NULL)
        return rg_no_memory(sizeof *listener, "a listening socket");
    listener->loop = loop;
    listener->accepted = accepted;
    listener->user = user;
    (void)snprintf(listener->endpoint, sizeof listener->endpoint, "%s", endpoint);
    rg_status status = strncmp(endpoint, "unix:", 5) == 0 ? listen_path(listener, endpoint + 5)
                                                          : listen_named(listener, local);
    if (status != RG_OK) {
        rg_listener_close(listener);
        return status;
    }
    *out = listener;
    return RG_OK;
}

const char *rg_listener_endpoint(const rg_listener *listener)
{
    return listener->endpoint;
}

bool rg_listener_is_loopback(const rg_listener *listener)
{
    return listener->loopback;
}

void rg_listener_close(rg_listener *listener)
{
    if (listener == NULL)
        return;
    for (gate *g = listener->gates; g != NULL; g = g->next)
        if (!uv_is_closing(&g->uv.handle))
            drop_gate(g);
    rg_free(listener);
}
