/* dial.c - connecting: names, all addresses of a name, all transports to an address. */
#include "sys/loop_priv.h"

#include "base/mem.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct rg_dial {
    rg_task task;
    uv_getaddrinfo_t resolve;
    bool resolving;
    rg_loop *loop;
    rg_stream *stream; /* NULL: nobody waits any more */
    const rg_transport *only;
    bool light, scheme; /* scheme: the endpoint is of `only`'s own, and there are no addresses */
    struct addrinfo *found, *at;
    size_t next;               /* transport for the address */
    const rg_transport *tried; /* the present one, */
    void *attempt;             /* and what it has under way */
    const rg_transport *spare; /* one has connected, while a better one is tried once more */
    void *spare_conn;
    int error; /* of the last attempt */
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

/* ---- one transport after the other, for one address after the other ---- */

static void free_dial(rg_dial *dial)
{
    uv_freeaddrinfo(dial->found);
    rg_free(dial);
}

/* The last thing that happens to a dial: its stream is connected, or told why not. */
static void finish(rg_dial *dial, const rg_transport *transport, void *conn)
{
    rg_stream *stream = dial->stream;
    rg_status status = RG_OK;
    if (conn == NULL)
        status = rg_uv_fail(dial->error, "connecting to", dial->endpoint);
    else
        stream->transport = transport;
    free_dial(dial);
    if (conn != NULL)
        transport->dialled(stream, conn);
    rg_stream_dialled(stream, status);
}

/* The next one for the present address; NULL: there is none. */
static const rg_transport *next_transport(rg_dial *dial)
{
    const rg_transport *t;
    while ((t = rg_transport_at(dial->next)) != NULL) {
        dial->next++;
        bool fits = dial->only != NULL ? t == dial->only : !(t->takes_memory && dial->light);
        if (fits && (dial->spare == NULL || t->local))
            return t;
    }
    return NULL;
}

static void try_next(rg_dial *dial)
{
    rg_address to = {.endpoint = dial->endpoint};
    const rg_transport *t = next_transport(dial);
    if (t == NULL && dial->spare != NULL) {
        finish(dial, dial->spare, dial->spare_conn);
        return;
    }
    while (t == NULL && dial->at != NULL) {
        dial->at = dial->at->ai_next;
        dial->next = 0;
        t = dial->at != NULL ? next_transport(dial) : NULL;
    }
    if (t == NULL) {
        finish(dial, NULL, NULL);
        return;
    }
    to.ip = dial->at != NULL ? dial->at->ai_addr : NULL;
    dial->tried = t;
    t->dial(dial, &to);
}

rg_loop *rg_dial_loop(const rg_dial *dial)
{
    return dial->loop;
}

void rg_dial_attempt(rg_dial *dial, void *attempt)
{
    dial->attempt = attempt;
}

void rg_dial_done(rg_dial *dial, void *conn)
{
    dial->attempt = NULL;
    if (dial->tried->local || dial->only != NULL) {
        if (dial->spare != NULL)
            dial->spare->hang_up(dial->spare_conn);
        finish(dial, dial->tried, conn);
        return;
    }
    /* A server that began to listen since we looked for it on this host is there now. */
    dial->spare = dial->tried;
    dial->spare_conn = conn;
    dial->next = 0;
    try_next(dial);
}

void rg_dial_failed(rg_dial *dial, int error)
{
    dial->attempt = NULL;
    dial->error = error;
    try_next(dial);
}

void rg_dial_forget(rg_dial *dial)
{
    dial->stream = NULL;
    if (dial->resolving) { /* it is over when that is */
        (void)uv_cancel((uv_req_t *)&dial->resolve);
        return;
    }
    if (dial->attempt != NULL)
        dial->tried->hang_up(dial->attempt);
    if (dial->spare != NULL)
        dial->spare->hang_up(dial->spare_conn);
    if (!dial->scheme || dial->tried != NULL) /* else its task is still to come */
        free_dial(dial);
}

/* ---- beginning ---- */

static void resolved(uv_getaddrinfo_t *resolve, int status, struct addrinfo *found)
{
    rg_dial *dial = resolve->data;
    dial->resolving = false;
    dial->found = dial->at = found;
    dial->error = status;
    if (dial->stream == NULL)
        free_dial(dial);
    else if (status != 0)
        finish(dial, NULL, NULL);
    else
        try_next(dial);
}

static void dial_scheme(rg_task *task)
{
    rg_dial *dial = (rg_dial *)((char *)task - offsetof(rg_dial, task));
    if (dial->stream == NULL)
        free_dial(dial);
    else
        try_next(dial);
}

static rg_status start(rg_dial *dial)
{
    char host[256], port[8];
    const rg_transport *own = rg_transport_of_scheme(dial->endpoint);
    if (own != NULL) {
        dial->only = own;
        dial->scheme = true;
        dial->light = false;
        dial->task.run = dial_scheme;
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
                            const rg_transport *only, bool light, const rg_stream_events *events,
                            void *user)
{
    rg_dial *dial = rg_alloc_zero(1, sizeof *dial);
    rg_stream *stream = dial ? rg_stream_new(loop, NULL) : NULL;
    if (stream == NULL) {
        rg_free(dial);
        return rg_no_memory(sizeof *dial, "a connection");
    }
    dial->loop = loop;
    dial->stream = stream;
    dial->only = only;
    dial->light = light;
    (void)snprintf(dial->endpoint, sizeof dial->endpoint, "%s", endpoint);
    rg_status status = start(dial);
    if (status != RG_OK) {
        rg_free(dial);
        rg_stream_gone(stream);
        return status;
    }
    stream->dial = dial;
    stream->events = events;
    stream->user = user;
    *out = stream;
    return RG_OK;
}
