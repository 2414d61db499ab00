/* transport_tcp.c - between hosts: TCP. */
#include "sys/socket_priv.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Connections are counted by the address without the port, of IPv6 by its first 64 bits: whoever
 * has one of those has all of them. */
static void name_peer(rg_stream *stream, rg_socket *socket)
{
    struct sockaddr_storage from;
    int length = sizeof from;
    char host[INET6_ADDRSTRLEN] = "?", origin[INET6_ADDRSTRLEN], peer[96];
    unsigned port = 0;
    if (uv_tcp_getpeername(&socket->uv, (struct sockaddr *)&from, &length) != 0)
        return;
    if (from.ss_family == AF_INET6) {
        struct sockaddr_in6 net = *(const struct sockaddr_in6 *)&from;
        (void)uv_ip6_name(&net, host, sizeof host);
        port = ntohs(net.sin6_port);
        bool mapped = IN6_IS_ADDR_V4MAPPED(&net.sin6_addr);
        memset(net.sin6_addr.s6_addr + 8, 0, mapped ? 0 : 8);
        (void)uv_ip6_name(&net, origin, sizeof origin);
    } else {
        (void)uv_ip4_name((const struct sockaddr_in *)&from, host, sizeof host);
        port = ntohs(((const struct sockaddr_in *)&from)->sin_port);
        (void)snprintf(origin, sizeof origin, "%s", host);
    }
    (void)snprintf(peer, sizeof peer, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    rg_stream_set_peer(stream, peer, origin, (uid_t)-1);
}

static void join(rg_stream *stream, void *conn)
{
    enum { KEEPALIVE_SECONDS = 15 };
    rg_socket *socket = conn;
    rg_socket_join(socket, stream);
    (void)uv_tcp_nodelay(&socket->uv, 1);
    (void)uv_tcp_keepalive(&socket->uv, 1, KEEPALIVE_SECONDS);
    name_peer(stream, socket);
}

static void connected(uv_connect_t *connect, int status)
{
    rg_socket *socket = connect->data;
    rg_dial *dial = socket->dial;
    if (dial == NULL)
        return; /* hung up */
    socket->dial = NULL;
    if (status == 0) {
        rg_dial_done(dial, socket);
        return;
    }
    rg_socket_close(socket);
    rg_dial_failed(dial, status);
}

static void dial_tcp(rg_dial *dial, const rg_address *to)
{
    rg_socket *socket = rg_socket_new(rg_dial_loop(dial));
    if (socket == NULL) {
        rg_dial_failed(dial, UV_ENOMEM);
        return;
    }
    socket->connect.data = socket;
    int failed = uv_tcp_connect(&socket->connect, &socket->uv, to->ip, connected);
    if (failed != 0) {
        rg_socket_close(socket);
        rg_dial_failed(dial, failed);
        return;
    }
    socket->dial = dial;
    rg_dial_attempt(dial, socket);
}

static void take(rg_listener *listener, rg_socket *socket)
{
    rg_stream *stream = rg_stream_new(rg_listener_loop(listener), &rg_transport_tcp);
    if (stream == NULL) {
        rg_socket_close(socket);
        return;
    }
    join(stream, socket);
    rg_listener_accept(listener, stream);
}

static rg_status listen_tcp(void **out, rg_listener *listener, const rg_address *at)
{
    struct sockaddr_storage self;
    int length = sizeof self;
    rg_gate *gate;
    RG_TRY(rg_gate_new(&gate, listener, true, take));
    int failed = uv_tcp_bind(rg_gate_tcp(gate), at->ip, 0);
    if (failed == 0)
        failed = uv_tcp_getsockname(rg_gate_tcp(gate), (struct sockaddr *)&self, &length);
    if (failed != 0) {
        rg_gate_close(gate);
        return rg_uv_fail(failed, "cannot listen on", at->endpoint);
    }
    rg_listener_bound(listener, (const struct sockaddr *)&self);
    *out = gate;
    return RG_OK;
}

const rg_transport rg_transport_tcp = {
    .name = "tcp",
    .dial = dial_tcp,
    .hang_up = rg_socket_hang_up,
    .dialled = join,
    .listen = listen_tcp,
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
