/* transport_unix.c - on one host: Unix sockets, beside a TCP port or with a path of their own. */
#include "sys/socket_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char scheme[] = "unix:";

/* ---- the socket beside a TCP port ---- */

static const void *ip_of(const struct sockaddr *address, size_t *bytes)
{
    if (address->sa_family == AF_INET6) {
        *bytes = sizeof(struct in6_addr);
        return &((const struct sockaddr_in6 *)address)->sin6_addr;
    }
    *bytes = sizeof(struct in_addr);
    return &((const struct sockaddr_in *)address)->sin_addr;
}

static bool is_any(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return memcmp(&((const struct sockaddr_in6 *)address)->sin6_addr, &in6addr_any, 16) == 0;
    return ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(INADDR_ANY);
}

/* It stands for a TCP address of this host and for this user. */
static socklen_t name_beside(struct sockaddr_un *out, const char *kind, const struct sockaddr *ip,
                             bool any)
{
    char text[INET6_ADDRSTRLEN] = "*";
    size_t bytes;
    const void *at = ip_of(ip, &bytes);
    if (!any)
        (void)inet_ntop(ip->sa_family, at, text, sizeof text);
    unsigned port = ntohs(ip->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)ip)->sin6_port
                                                    : ((const struct sockaddr_in *)ip)->sin_port);
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    /* A name that begins with NUL is no file: it goes when its socket does. */
    int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1, "%s-%u-%s:%u", kind,
                          (unsigned)getuid(), text, port);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
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

static int close_failed(int fd)
{
    int error = errno;
    (void)close(fd);
    errno = error;
    return -1;
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* `own`: another user may hold the name, so who listens is looked at. */
static int connect_unix(const struct sockaddr_un *name, socklen_t length, bool own)
{
    struct ucred who;
    socklen_t size = sizeof who;
    int fd = new_socket();
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)name, length) != 0)
        return close_failed(fd);
    if (own && (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
                (who.uid != getuid() && who.uid != 0))) {
        errno = ECONNREFUSED;
        return close_failed(fd);
    }
    return fd;
}

int rg_beside_connect(const char *kind, const struct sockaddr *ip)
{
    struct sockaddr_un name;
    errno = ECONNREFUSED;
    if (!is_this_host(ip))
        return -1;
    socklen_t length = name_beside(&name, kind, ip, false);
    int fd = connect_unix(&name, length, true);
    if (fd < 0) {
        length = name_beside(&name, kind, ip, true);
        fd = connect_unix(&name, length, true);
    }
    return fd;
}

static int bind_beside(const char *kind, const struct sockaddr *ip)
{
    struct sockaddr_un name;
    socklen_t length = name_beside(&name, kind, ip, is_any(ip));
    int fd = new_socket();
    if (fd < 0 || bind(fd, (const struct sockaddr *)&name, length) == 0)
        return fd;
    return close_failed(fd);
}

/* ---- connecting ---- */

static void join(rg_stream *stream, void *conn)
{
    struct ucred who;
    socklen_t length = sizeof who;
    char origin[RG_ORIGIN_TEXT];
    rg_socket_join(conn, stream);
    if (getsockopt(stream->descriptor, SOL_SOCKET, SO_PEERCRED, &who, &length) != 0)
        who.uid = (uid_t)-1;
    (void)snprintf(origin, sizeof origin, "user %lld", (long long)who.uid);
    rg_stream_set_peer(stream, "unix", origin, who.uid);
}

static void dial_unix(rg_dial *dial, const rg_address *to)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    (void)snprintf(name.sun_path, sizeof name.sun_path, "%s", to->endpoint + sizeof scheme - 1);
    int fd = to->ip != NULL ? rg_beside_connect("regatta", to->ip)
                            : connect_unix(&name, sizeof name, false);
    int failed = fd < 0 ? -errno : 0;
    rg_socket *socket = failed == 0 ? rg_socket_new(rg_dial_loop(dial)) : NULL;
    if (socket != NULL)
        failed = rg_socket_open(socket, fd);
    if (socket != NULL && failed == 0) {
        rg_dial_done(dial, socket);
        return;
    }
    if (socket != NULL)
        rg_socket_close(socket);
    else if (fd >= 0)
        (void)close(fd);
    rg_dial_failed(dial, failed != 0 ? failed : UV_ENOMEM);
}

/* ---- listening ---- */

static void take(rg_listener *listener, rg_socket *socket)
{
    rg_stream *stream = rg_stream_new(rg_listener_loop(listener), &rg_transport_unix);
    if (stream == NULL) {
        rg_socket_close(socket);
        return;
    }
    join(stream, socket);
    rg_listener_accept(listener, stream);
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

static rg_status bind_path(rg_gate *gate, const char *endpoint)
{
    const char *path = endpoint + sizeof scheme - 1;
    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return rg_fail(RG_EINVAL, "cannot listen on %s: a Unix socket's path has at most 107 bytes",
                       endpoint);
    int failed = uv_pipe_bind(rg_gate_pipe(gate), path);
    if (failed == UV_EADDRINUSE && is_stale(path) && unlink(path) == 0)
        failed = uv_pipe_bind(rg_gate_pipe(gate), path);
    return failed == 0 ? RG_OK : rg_uv_fail(failed, "cannot listen on", endpoint);
}

rg_status rg_beside_listen(void **out, rg_listener *listener, const char *kind,
                           const struct sockaddr *ip, rg_gate_take taker)
{
    rg_gate *gate;
    int fd = bind_beside(kind, ip);
    if (fd < 0)
        return rg_fail(RG_EIO, "no Unix socket beside the port: %s", strerror(errno));
    rg_status status = rg_gate_new(&gate, listener, false, taker);
    if (status == RG_OK && uv_pipe_open(rg_gate_pipe(gate), fd) != 0) {
        rg_gate_close(gate);
        status = rg_fail(RG_EIO, "libuv does not take the socket");
    }
    if (status != RG_OK)
        (void)close(fd);
    else
        *out = gate;
    return status;
}

static rg_status listen_unix(void **out, rg_listener *listener, const rg_address *at)
{
    rg_gate *gate;
    if (at->ip != NULL)
        return rg_beside_listen(out, listener, "regatta", at->ip, take);
    RG_TRY(rg_gate_new(&gate, listener, false, take));
    rg_status status = bind_path(gate, at->endpoint);
    if (status != RG_OK)
        rg_gate_close(gate);
    else
        *out = gate;
    return status;
}

const rg_transport rg_transport_unix = {
    .name = "unix",
    .scheme = scheme,
    .may_skip_checksum = true,
    .local = true,
    .dial = dial_unix,
    .hang_up = rg_socket_hang_up,
    .dialled = join,
    .listen = listen_unix,
    .accept = rg_gate_accept,
    .unlisten = rg_gate_close,
    .read = rg_socket_read,
    .pause = rg_socket_pause,
    .write = rg_socket_write,
    .queued = rg_socket_queued,
    .shut = rg_socket_shut,
    .close = rg_socket_end,
    .detach = rg_socket_detach,
    .adopt = rg_socket_adopt,
};
