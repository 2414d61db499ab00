/* dial.c - connecting: names, all addresses of a name, the Unix socket of this host. */
#include "sys/loop_priv.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct rg_dial {
    rg_handle base; /* of the attempt */
    rg_task task;
    uv_getaddrinfo_t resolve;
    uv_connect_t connect;
    uv_tcp_t attempt;
    bool attempting, resolving;
    rg_loop *loop;
    rg_stream *stream; /* NULL: nobody waits any more */
    rg_transport transport;
    struct addrinfo *found, *at;
    const struct sockaddr *tried; /* the address of the attempt */
    int error;                    /* of the last attempt */
    int socket;                   /* of the attempt that succeeded */
    char endpoint[300];
};

rg_status rg_endpoint_split(const char *endpoint, char host[256], char port[8])
{
    const char *colon = strrchr(endpoint, ':'), *from = endpoint, *to = colon;
    if (colon != NULL && endpoint[0] == '[' && colon > endpoint + 1 && colon[-1] == ']') {
        from = endpoint + 1;
        to = colon - 1;
    }
    bool bare_six = from == endpoint && colon != NULL && memchr(endpoint, ':', colon - endpoint);
    char *end = NULL;
    long number = colon ? strtol(colon + 1, &end, 10) : -1;
    if (colon == NULL || bare_six || to - from > 255 || end == colon + 1 || *end != '\0' ||
        number < 0 || number > 65535)
        return rg_fail(RG_EINVAL,
                       "'%s' is no endpoint: HOST:PORT, [IPv6]:PORT or unix:PATH is wanted",
                       endpoint);
    memcpy(host, from, (size_t)(to - from));
    host[to - from] = '\0';
    (void)snprintf(port, 8, "%ld", number);
    return RG_OK;
}

/* ---- the Unix socket beside a TCP port ---- */

static const void *ip_of(const struct sockaddr *address, size_t *bytes)
{
    if (address->sa_family == AF_INET6) {
        *bytes = sizeof(struct in6_addr);
        return &((const struct sockaddr_in6 *)address)->sin6_addr;
    }
    *bytes = sizeof(struct in_addr);
    return &((const struct sockaddr_in *)address)->sin_addr;
}

size_t rg_local_name(struct sockaddr_un *out, const struct sockaddr *address, bool wildcard)
{
    char ip[INET6_ADDRSTRLEN] = "*";
    size_t bytes;
    const void *at = ip_of(address, &bytes);
    if (!wildcard)
        (void)inet_ntop(address->sa_family, at, ip, sizeof ip);
    unsigned port = ntohs(address->sa_family == AF_INET6
                              ? ((const struct sockaddr_in6 *)address)->sin6_port
                              : ((const struct sockaddr_in *)address)->sin_port);
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    /* A name that begins with NUL is no file: it goes when its socket does. */
    int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1, "regatta-%u-%s:%u",
                          (unsigned)getuid(), ip, port);
    return offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;
}

static bool is_this_host(const struct sockaddr *address)
{
    size_t bytes, other_bytes;
    const void *ip = ip_of(address, &bytes);
    if (address->sa_family == AF_INET && *(const uint8_t *)ip == 127)
        return true;
    struct ifaddrs *all, *a;
    if (getifaddrs(&all) != 0)
        return false;
    for (a = all; a != NULL; a = a->ifa_next)
        if (a->ifa_addr != NULL && a->ifa_addr->sa_family == address->sa_family &&
            memcmp(ip_of(a->ifa_addr, &other_bytes), ip, bytes) == 0)
            break;
    freeifaddrs(all);
    return a != NULL;
}

/* A connected socket or -1. Another user may hold the name, so who listens is looked at. */
static int connect_unix(const struct sockaddr_un *name, size_t length, bool own)
{
    struct ucred who;
    socklen_t size = sizeof who;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)name, (socklen_t)length) == 0 &&
        (!own || (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
                  (who.uid == getuid() || who.uid == 0))))
        return fd;
    int error = errno;
    (void)close(fd);
    errno = error;
    return -1;
}

static int connect_beside(const struct sockaddr *address)
{
    struct sockaddr_un name;
    if (!is_this_host(address))
        return -1;
    size_t length = rg_local_name(&name, address, false);
    int fd = connect_unix(&name, length, true);
    if (fd < 0) {
        length = rg_local_name(&name, address, true);
        fd = connect_unix(&name, length, true);
    }
    return fd;
}

/* ---- one address after the other ---- */

static void free_dial(rg_dial *dial)
{
    uv_freeaddrinfo(dial->found);
    rg_free(dial);
}

/* The last thing that happens to a dial: its stream is connected, or told why not. */
static void finish(rg_dial *dial, int socket)
{
    rg_stream *stream = dial->stream;
    rg_status status = RG_OK;
    if (stream == NULL)
        (void)(socket >= 0 && close(socket));
    else if (socket >= 0)
        status = rg_stream_take(stream, socket);
    else
        status = rg_uv_fail(dial->error, "connecting to", dial->endpoint);
    free_dial(dial);
    if (stream != NULL)
        rg_stream_dialled(stream, status);
}

static void try_next(rg_dial *dial);

static void attempt_closed(uv_handle_t *handle)
{
    rg_dial *dial = handle->data;
    dial->attempting = false;
    if (dial->stream == NULL)
        finish(dial, -1);
    else
        try_next(dial);
}

static void attempt_succeeded(uv_handle_t *handle)
{
    rg_dial *dial = handle->data;
    finish(dial, dial->socket);
}

static void connected(uv_connect_t *connect, int status)
{
    rg_dial *dial = connect->data;
    uv_handle_t *handle = (uv_handle_t *)&dial->attempt;
    uv_os_fd_t socket;
    if (uv_is_closing(handle))
        return;
    dial->error = status;
    if (status == 0 && uv_fileno(handle, &socket) == 0) {
        /* A server that began to listen since we looked for its Unix socket has one now. */
        int beside = dial->transport == RG_TRANSPORT_AUTO ? connect_beside(dial->tried) : -1;
        dial->socket = beside >= 0 ? beside : rg_socket_copy(socket);
        if (dial->socket >= 0) {
            uv_close(handle, attempt_succeeded);
            return;
        }
        dial->error = -errno;
    }
    uv_close(handle, attempt_closed);
}

static void drop_attempt(void *self)
{
    rg_dial *dial = self;
    dial->stream = NULL;
    uv_close((uv_handle_t *)&dial->attempt, attempt_closed);
}

static void try_next(rg_dial *dial)
{
    for (; dial->at != NULL; dial->at = dial->at->ai_next) {
        const struct sockaddr *address = dial->at->ai_addr;
        int fd = dial->transport == RG_TRANSPORT_TCP ? -1 : connect_beside(address);
        if (fd >= 0) {
            finish(dial, fd);
            return;
        }
        if (dial->transport == RG_TRANSPORT_UNIX) {
            dial->error = UV_ECONNREFUSED;
            continue;
        }
        dial->tried = address;
        dial->at = dial->at->ai_next;
        dial->attempting = true;
        (void)uv_tcp_init(&dial->loop->uv, &dial->attempt);
        dial->attempt.data = dial;
        dial->connect.data = dial;
        dial->error = uv_tcp_connect(&dial->connect, &dial->attempt, address, connected);
        if (dial->error != 0)
            uv_close((uv_handle_t *)&dial->attempt, attempt_closed);
        return;
    }
    finish(dial, -1);
}

static void resolved(uv_getaddrinfo_t *resolve, int status, struct addrinfo *found)
{
    rg_dial *dial = resolve->data;
    dial->resolving = false;
    dial->found = dial->at = found;
    dial->error = status;
    if (status != 0 || dial->stream == NULL)
        finish(dial, -1);
    else
        try_next(dial);
}

static void dial_path(rg_task *task)
{
    rg_dial *dial = (rg_dial *)((char *)task - offsetof(rg_dial, task));
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s", dial->endpoint + 5);
    int fd = dial->stream == NULL ? -1 : connect_unix(&name, sizeof name, false);
    dial->error = fd < 0 ? -errno : 0;
    finish(dial, fd);
}

void rg_dial_forget(rg_dial *dial)
{
    dial->stream = NULL;
    if (dial->resolving)
        (void)uv_cancel((uv_req_t *)&dial->resolve);
    else if (dial->attempting && !uv_is_closing((uv_handle_t *)&dial->attempt))
        uv_close((uv_handle_t *)&dial->attempt, attempt_closed);
}

static rg_status start(rg_dial *dial)
{
    char host[256], port[8];
    if (strncmp(dial->endpoint, "unix:", 5) == 0) {
        dial->task.run = dial_path;
        rg_loop_post(dial->loop, &dial->task);
        return RG_OK;
    }
    RG_TRY(rg_endpoint_split(dial->endpoint, host, port));
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    dial->resolve.data = dial;
    /* A numeric address needs no interface of its kind to be looked up. */
    if (strspn(host, "0123456789.") == strlen(host) || strchr(host, ':') != NULL)
        hints.ai_flags = AI_NUMERICHOST;
    int failed = uv_getaddrinfo(&dial->loop->uv, &dial->resolve, resolved,
                                host[0] ? host : "localhost", port, &hints);
    dial->resolving = failed == 0;
    return failed == 0 ? RG_OK : rg_uv_fail(failed, "looking up", dial->endpoint);
}

rg_status rg_stream_connect(rg_stream **out, rg_loop *loop, const char *endpoint,
                            rg_transport transport, const rg_stream_events *events, void *user)
{
    rg_dial *dial = rg_alloc_zero(1, sizeof *dial);
    rg_stream *stream = dial ? rg_stream_new(loop) : NULL;
    if (stream == NULL) {
        rg_free(dial);
        return rg_no_memory(sizeof *dial, "a connection");
    }
    dial->base.drop = drop_attempt;
    dial->loop = loop;
    dial->stream = stream;
    dial->transport = transport;
    (void)snprintf(dial->endpoint, sizeof dial->endpoint, "%s", endpoint);
    rg_status status = start(dial);
    if (status != RG_OK) {
        rg_free(dial);
        rg_stream_close(stream);
        return status;
    }
    rg_stream_set_dial(stream, dial, events, user);
    *out = stream;
    return RG_OK;
}
