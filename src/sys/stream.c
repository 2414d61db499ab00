/* stream.c - what the streams of all transports have in common. */
#include "sys/loop_priv.h"

#include "base/mem.h"
#include "sys/fault.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- streams and their loops ---- */

static void enlist(rg_stream *stream, rg_loop *loop)
{
    stream->loop = loop;
    stream->back = &loop->streams;
    stream->next = loop->streams;
    if (stream->next != NULL)
        stream->next->back = &stream->next;
    loop->streams = stream;
}

static void unlist(rg_stream *stream)
{
    if (stream->loop == NULL)
        return;
    *stream->back = stream->next;
    if (stream->next != NULL)
        stream->next->back = stream->back;
    stream->loop = NULL;
}

rg_stream *rg_stream_new(rg_loop *loop, const rg_transport *transport)
{
    rg_stream *stream = rg_alloc_zero(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->transport = transport;
    stream->descriptor = -1;
    rg_stream_set_peer(stream, "?", "?", (uid_t)-1);
    enlist(stream, loop);
    return stream;
}

void rg_stream_gone(rg_stream *stream)
{
    unlist(stream);
    rg_free(stream);
}

void rg_stream_close(rg_stream *stream)
{
    if (stream == NULL || stream->closed)
        return;
    stream->closed = true;
    unlist(stream);
    if (stream->dial != NULL)
        rg_dial_forget(stream->dial);
    if (stream->conn != NULL)
        stream->transport->close(stream);
    else
        rg_stream_gone(stream);
}

rg_status rg_stream_detach(rg_stream *stream)
{
    rg_status status = stream->transport->detach(stream);
    unlist(stream);
    return status;
}

rg_status rg_stream_adopt(rg_stream *stream, rg_loop *loop)
{
    RG_TRY(stream->transport->adopt(stream, loop));
    enlist(stream, loop);
    return RG_OK;
}

/* ---- who is at the other end ---- */

void rg_stream_set_peer(rg_stream *stream, const char *peer, const char *origin, uid_t uid)
{
    (void)snprintf(stream->peer, sizeof stream->peer, "%s", peer);
    (void)snprintf(stream->origin, sizeof stream->origin, "%s", origin);
    stream->uid = uid;
}

const char *rg_stream_peer(const rg_stream *stream)
{
    return stream->peer;
}

bool rg_stream_is_local(const rg_stream *stream)
{
    return stream->transport != NULL && stream->transport->local;
}

bool rg_stream_is_loopback(const rg_stream *stream)
{
    static const char *const begins[] = {"127.", "[::1]", "[::ffff:127."};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(stream->peer, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

bool rg_stream_is_own_user(const rg_stream *stream)
{
    return rg_stream_is_local(stream) && (stream->uid == geteuid() || stream->uid == 0);
}

bool rg_stream_may_skip_checksum(const rg_stream *stream)
{
    return stream->transport != NULL && stream->transport->may_skip_checksum;
}

const char *rg_stream_transport(const rg_stream *stream)
{
    return stream->transport != NULL ? stream->transport->name : "?";
}

void rg_stream_origin(const rg_stream *stream, char origin[RG_ORIGIN_TEXT])
{
    memcpy(origin, stream->origin, RG_ORIGIN_TEXT);
}

int rg_stream_descriptor(const rg_stream *stream)
{
    return stream->descriptor;
}

/* ---- reading ---- */

void rg_stream_fail(rg_stream *stream, rg_status why)
{
    char message[256];
    if (stream->failed || stream->closed)
        return;
    (void)snprintf(message, sizeof message, "%s", rg_error_message());
    stream->failed = true;
    stream->events->failed(stream->user, why, message);
}

static bool is_reading(const rg_stream *stream)
{
    return !stream->failed && !stream->closed;
}

/* Faults that tests inject: the connection breaks, or a bit of what arrives does. */
static bool survives(rg_stream *stream)
{
    if (rg_fault("stream.read") == RG_FAULT_NONE)
        return true;
    rg_stream_fail(stream, rg_uv_fail(UV_ECONNRESET, "the connection to", stream->peer));
    return false;
}

bool rg_stream_take(rg_stream *stream, uint8_t *at, size_t n)
{
    if (rg_fault("stream.flip") == RG_FAULT_FLIP)
        at[n / 2] ^= 1;
    if (survives(stream))
        stream->events->arrived(stream->user, n);
    return is_reading(stream);
}

static bool feed(rg_stream *stream, const uint8_t *at, size_t n, bool lent)
{
    if (!survives(stream) ||
        (stream->events->bytes != NULL && stream->events->bytes(stream->user, at, n, lent)))
        return is_reading(stream);
    while (n > 0 && is_reading(stream)) {
        uint8_t *to = NULL;
        size_t room = 0;
        if (!stream->events->room(stream->user, &to, &room))
            return false;
        room = room < n ? room : n;
        memcpy(to, at, room);
        stream->events->arrived(stream->user, room);
        at += room;
        n -= room;
    }
    return is_reading(stream);
}

bool rg_stream_feed(rg_stream *stream, const uint8_t *at, size_t n)
{
    return feed(stream, at, n, false);
}

bool rg_stream_feed_lent(rg_stream *stream, const uint8_t *at, size_t n)
{
    return feed(stream, at, n, true);
}

bool rg_stream_fed_lent(rg_stream *stream)
{
    if (is_reading(stream) && stream->events->bytes != NULL)
        (void)stream->events->bytes(stream->user, NULL, 0, true);
    return is_reading(stream);
}

rg_status rg_stream_start(rg_stream *stream, const rg_stream_events *events, void *user)
{
    stream->events = events;
    stream->user = user;
    return stream->transport->read(stream);
}

void rg_stream_pause(rg_stream *stream)
{
    stream->transport->pause(stream);
}

void rg_stream_resume(rg_stream *stream)
{
    if (is_reading(stream))
        (void)stream->transport->read(stream);
}

void rg_stream_dialled(rg_stream *stream, rg_status status)
{
    stream->dial = NULL;
    if (status == RG_OK)
        status = rg_stream_start(stream, stream->events, stream->user);
    if (status == RG_OK)
        stream->events->opened(stream->user);
    else
        rg_stream_fail(stream, status);
}

/* ---- writing ---- */

void rg_stream_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                     void *arg)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += iov[i].bytes;
    if (rg_fault("stream.write") != RG_FAULT_NONE)
        rg_stream_shut(stream);
    if (stream->failed || stream->conn == NULL || total == 0)
        done(arg);
    else
        stream->transport->write(stream, iov, n, done, arg);
}

size_t rg_stream_queued(const rg_stream *stream)
{
    return stream->conn != NULL ? stream->transport->queued(stream, false) : 0;
}

size_t rg_stream_unsent(const rg_stream *stream)
{
    return stream->conn != NULL ? stream->transport->queued(stream, true) : 0;
}

rg_lent_view *rg_stream_keep_lent(const rg_stream *stream)
{
    const rg_transport *transport = stream->transport;
    return transport != NULL && transport->keep_lent != NULL ? transport->keep_lent(stream) : NULL;
}

void rg_stream_shut(rg_stream *stream)
{
    if (stream->conn != NULL)
        stream->transport->shut(stream, false);
}

void rg_stream_shut_writing(rg_stream *stream)
{
    if (stream->conn != NULL)
        stream->transport->shut(stream, true);
}
