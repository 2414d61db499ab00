/* listen.c - an endpoint that streams come from, by one transport or by all. */
#include "sys/loop_priv.h"

#include "base/mem.h"
#include "sys/log.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_GATES = 16 };

struct rg_listener {
    rg_loop *loop;
    rg_budget *budget;
    struct {
        const rg_transport *transport;
        void *gate;
    } gates[MOST_GATES];
    size_t n;
    void (*accepted)(void *user, rg_stream *stream);
    void *user;
    struct sockaddr_storage ip; /* as TCP has got it */
    char endpoint[300];
};

rg_loop *rg_listener_loop(const rg_listener *listener)
{
    return listener->loop;
}

rg_budget *rg_listener_budget(const rg_listener *listener)
{
    return listener->budget;
}

void rg_listener_accept(rg_listener *listener, rg_stream *stream)
{
    listener->accepted(listener->user, stream);
}

void rg_listener_bound(rg_listener *listener, const struct sockaddr *ip)
{
    bool six = ip->sa_family == AF_INET6;
    memcpy(&listener->ip, ip, six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

static rg_status bind_by(rg_listener *listener, const rg_transport *transport,
                         const struct sockaddr *ip)
{
    rg_address at = {listener->endpoint, ip};
    void *gate = NULL;
    if (listener->n == MOST_GATES)
        return rg_fail(RG_EINVAL, "more than %d transports", MOST_GATES);
    RG_TRY(transport->listen(&gate, listener, &at));
    listener->gates[listener->n].transport = transport;
    listener->gates[listener->n++].gate = gate;
    return RG_OK;
}

/* To have another way beside TCP is a matter of speed: where it cannot be had they come by TCP. */
static rg_status bind_all(rg_listener *listener, const struct sockaddr *ip, bool beside)
{
    const rg_transport *t;
    RG_TRY(bind_by(listener, &rg_transport_tcp, ip));
    for (size_t i = 0; beside && (t = rg_transport_at(i)) != NULL; i++)
        if (t != &rg_transport_tcp &&
            bind_by(listener, t, (const struct sockaddr *)&listener->ip) != RG_OK)
            rg_log(RG_LOG_I, "rpc", "endpoint=%s \"not by %s: %s\"", listener->endpoint, t->name,
                   rg_error_message());
    return RG_OK;
}

/* From the last that was bound to the first, which is TCP: whoever finds the port open shall find
 * the others, too. */
static rg_status accept_all(rg_listener *listener)
{
    for (size_t i = listener->n; i-- > 0;)
        if (listener->gates[i].transport->accept != NULL)
            RG_TRY(listener->gates[i].transport->accept(listener->gates[i].gate));
    return RG_OK;
}

static rg_status listen_named(rg_listener *listener, bool beside)
{
    char host[256], port[8];
    RG_TRY(rg_endpoint_split(listener->endpoint, host, port));
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    if (host[0] == '\0')
        (void)snprintf(host, sizeof host, "0.0.0.0");
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed != 0)
        return rg_fail(RG_EIO, "cannot listen on %s: %s", listener->endpoint, gai_strerror(failed));
    rg_status status = bind_all(listener, found->ai_addr, beside);
    freeaddrinfo(found);
    RG_TRY(status);
    RG_TRY(accept_all(listener));
    const struct sockaddr *ip = (const struct sockaddr *)&listener->ip;
    unsigned number = ntohs(ip->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)ip)->sin6_port
                                                      : ((const struct sockaddr_in *)ip)->sin_port);
    (void)snprintf(listener->endpoint, sizeof listener->endpoint,
                   strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, number);
    return RG_OK;
}

static rg_status listen_scheme(rg_listener *listener, const rg_transport *transport)
{
    RG_TRY(bind_by(listener, transport, NULL));
    return accept_all(listener);
}

rg_status rg_listen(rg_listener **out, rg_loop *loop, const char *endpoint, bool beside,
                    rg_budget *budget, void (*accepted)(void *user, rg_stream *stream), void *user)
{
    rg_listener *listener = rg_alloc_zero(1, sizeof *listener);
    if (listener == NULL)
        return rg_no_memory(sizeof *listener, "a listening socket");
    listener->loop = loop;
    listener->budget = budget;
    listener->accepted = accepted;
    listener->user = user;
    (void)snprintf(listener->endpoint, sizeof listener->endpoint, "%s", endpoint);
    const rg_transport *own = rg_transport_of_scheme(endpoint);
    rg_status status = own != NULL ? listen_scheme(listener, own) : listen_named(listener, beside);
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
    const struct sockaddr *ip = (const struct sockaddr *)&listener->ip;
    return ip->sa_family == AF_UNSPEC || is_loopback(ip); /* the former: not reached by the net */
}

void rg_listener_close(rg_listener *listener)
{
    if (listener == NULL)
        return;
    for (size_t i = 0; i < listener->n; i++)
        listener->gates[i].transport->unlisten(listener->gates[i].gate);
    rg_free(listener);
}
