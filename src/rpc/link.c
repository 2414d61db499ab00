/* link.c - frames over a stream. */
#include "rpc/link_priv.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "sys/metrics.h"

#include <stdio.h>
#include <string.h>

enum { CIPHER_BYTES = 32768 };

struct rg_link {
    rg_stream *stream;
    rg_parser *parser;
    rg_tls *tls;                  /* NULL: plain */
    rg_seal *incoming, *outgoing; /* NULL: frames are not sealed */
    bool shaking;                 /* TLS is not up yet */
    uint8_t *cipher;              /* encrypted bytes as they come in */
    const rg_link_events *events;
    void *user;
    rg_traffic *traffic, *total; /* NULL: not counted */
    int busy;                    /* inside an event: freed when that is over */
    bool closed, failed, lingering;
    bool spoken; /* a byte has come */
};

rg_rpc_counters rg_traffic_read(const rg_traffic *t)
{
    return (rg_rpc_counters){
        .sent_bytes = atomic_load_explicit(&t->sent_bytes, memory_order_relaxed),
        .received_bytes = atomic_load_explicit(&t->received_bytes, memory_order_relaxed),
        .sent_frames = atomic_load_explicit(&t->sent_frames, memory_order_relaxed),
        .received_frames = atomic_load_explicit(&t->received_frames, memory_order_relaxed),
    };
}

static void count(_Atomic uint64_t *counter, uint64_t more)
{
    (void)atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static void free_link(rg_link *link)
{
    rg_parser_close(link->parser);
    rg_tls_close(link->tls);
    rg_seal_close(link->incoming);
    rg_seal_close(link->outgoing);
    rg_free(link->cipher);
    rg_free(link);
}

static void enter(rg_link *link)
{
    link->busy++;
}

static void leave(rg_link *link)
{
    if (--link->busy == 0 && link->closed)
        free_link(link);
}

void rg_link_close(rg_link *link)
{
    if (link == NULL || link->closed)
        return;
    link->closed = true;
    enter(link); /* releasing pending writes may come back here */
    rg_stream_close(link->stream);
    link->stream = NULL;
    leave(link);
}

static void fail(rg_link *link, rg_status why)
{
    char message[512];
    if (link->closed || link->failed)
        return;
    link->failed = true;
    (void)snprintf(message, sizeof message, "%s", rg_error_message());
    link->events->failed(link->user, why, message);
}

/* ---- frames from the parser to the owner ---- */

static rg_status gone(void)
{
    return rg_fail(RG_ECLOSED, "this side closed the connection");
}

static rg_status relay_header(void *user, const rg_frame *frame)
{
    rg_link *link = user;
    if (link->closed || link->lingering)
        return gone();
    if (link->traffic != NULL) {
        count(&link->traffic->received_frames, 1);
        count(&link->total->received_frames, 1);
        count(&link->traffic->received_bytes, RG_FRAME_BYTES + frame->bytes);
        count(&link->total->received_bytes, RG_FRAME_BYTES + frame->bytes);
        rg_metric_add(RG_M_RECEIVED, RG_FRAME_BYTES + frame->bytes);
    }
    return link->events->frames.header(link->user, frame);
}

static rg_status relay_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                             size_t *size)
{
    rg_link *link = user;
    return link->closed ? gone() : link->events->frames.place(link->user, frame, offset, at, size);
}

static rg_status relay_frame(void *user, const rg_frame *frame)
{
    rg_link *link = user;
    return link->closed ? gone() : link->events->frames.frame(link->user, frame);
}

static bool relay_lent(void *user, const rg_frame *frame, uint64_t offset, const uint8_t *at,
                       size_t n)
{
    rg_link *link = user;
    return !link->closed && link->events->frames.lent != NULL &&
           link->events->frames.lent(link->user, frame, offset, at, n);
}

static const rg_frame_events relay = {relay_header, relay_place, relay_frame, relay_lent};

/* ---- writing ---- */

typedef struct outgoing {
    rg_link *link;
    void (*release)(void *arg);
    void *arg;
    uint8_t *cipher;            /* owned; NULL: not encrypted */
    uint8_t tag[RG_SEAL_BYTES]; /* of the body, where it is sealed */
    uint8_t bytes[]; /* the header, its tag where it is sealed, and the body where it is copied */
} outgoing;

static size_t head_bytes(const rg_link *link)
{
    return RG_FRAME_BYTES + (link->outgoing != NULL ? RG_SEAL_BYTES : 0);
}

static void sent(void *arg)
{
    outgoing *out = arg;
    rg_link *link = out->link;
    if (out->release != NULL)
        out->release(out->arg);
    rg_free(out->cipher);
    rg_free(out);
    if (!link->closed && link->events->drained != NULL && rg_stream_queued(link->stream) == 0)
        link->events->drained(link->user);
}

static outgoing *new_outgoing(rg_link *link, size_t copied, void (*release)(void *arg), void *arg)
{
    outgoing *out = rg_alloc(sizeof *out + copied);
    if (out == NULL) {
        rg_stream_shut(link->stream);
        if (release != NULL)
            release(arg);
        return NULL;
    }
    out->link = link;
    out->release = release;
    out->arg = arg;
    out->cipher = NULL;
    return out;
}

/* Send what TLS has for the other end. */
static void flush_tls(rg_link *link, void (*release)(void *arg), void *arg)
{
    size_t n;
    outgoing *out = new_outgoing(link, 0, release, arg);
    if (out == NULL)
        return;
    if (rg_tls_output(link->tls, &out->cipher, &n) != RG_OK)
        rg_stream_shut(link->stream);
    enter(link);
    rg_stream_write(link->stream, &(rg_iov){out->cipher, n}, 1, sent, out);
    leave(link);
}

static rg_status encrypt(rg_link *link, const uint8_t *header, const rg_iov *iov, size_t n)
{
    RG_TRY(rg_tls_write(link->tls, header, RG_FRAME_BYTES));
    for (size_t i = 0; i < n; i++)
        RG_TRY(rg_tls_write(link->tls, iov[i].at, iov[i].bytes));
    return RG_OK;
}

static void send_encrypted(rg_link *link, const rg_frame *frame, const rg_iov *iov, size_t n,
                           void (*release)(void *arg), void *arg)
{
    uint8_t header[RG_FRAME_BYTES];
    rg_frame_encode(frame, header);
    if (encrypt(link, header, iov, n) != RG_OK)
        rg_stream_shut(link->stream);
    flush_tls(link, release, arg);
}

/* Tags over the header, which is in its place, and over the body. */
static rg_status seal(rg_seal *seal, outgoing *out, const rg_frame *frame, const rg_iov *iov,
                      size_t n)
{
    rg_seal_begin(seal);
    rg_seal_add(seal, out->bytes, RG_FRAME_BYTES);
    RG_TRY(rg_seal_end(seal, out->bytes + RG_FRAME_BYTES));
    if (frame->bytes == 0)
        return RG_OK;
    rg_seal_begin(seal);
    for (size_t i = 0; i < n; i++)
        rg_seal_add(seal, iov[i].at, iov[i].bytes);
    return rg_seal_end(seal, out->tag);
}

/* The header, then the pieces: where they are, or copied behind it. */
static void send_plain(rg_link *link, const rg_frame *frame, const rg_iov *iov, size_t n,
                       void (*release)(void *arg), void *arg)
{
    enum { ON_STACK = 33 };
    rg_iov few[ON_STACK], *all = few;
    bool copying = release == NULL;
    size_t head = head_bytes(link);
    outgoing *out = new_outgoing(link, head + (copying ? frame->bytes : 0), release, arg);
    if (out == NULL)
        return;
    if (!copying && n + 2 > ON_STACK)
        all = rg_alloc((n + 2) * sizeof *all);
    if (all == NULL) {
        rg_stream_shut(link->stream);
        sent(out);
        return;
    }
    rg_frame_encode(frame, out->bytes);
    if (link->outgoing != NULL && seal(link->outgoing, out, frame, iov, n) != RG_OK)
        rg_stream_shut(link->stream);
    all[0] = (rg_iov){out->bytes, head};
    size_t used = 1, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (copying && iov[i].bytes > 0)
            memcpy(out->bytes + head + at, iov[i].at, iov[i].bytes);
        else if (!copying)
            all[used++] = iov[i];
        at += iov[i].bytes;
    }
    if (copying)
        all[0].bytes += at; /* it lies right behind the header */
    if (link->outgoing != NULL && frame->bytes > 0)
        all[used++] = (rg_iov){out->tag, RG_SEAL_BYTES};
    enter(link);
    rg_stream_write(link->stream, all, used, sent, out);
    leave(link);
    if (all != few)
        rg_free(all);
}

void rg_link_send(rg_link *link, const rg_frame *frame, const rg_iov *iov, size_t n,
                  void (*release)(void *arg), void *arg)
{
    if (link->closed) {
        if (release != NULL)
            release(arg);
        return;
    }
    if (link->traffic != NULL) {
        count(&link->traffic->sent_frames, 1);
        count(&link->total->sent_frames, 1);
        count(&link->traffic->sent_bytes, RG_FRAME_BYTES + frame->bytes);
        count(&link->total->sent_bytes, RG_FRAME_BYTES + frame->bytes);
        rg_metric_add(RG_M_SENT, RG_FRAME_BYTES + frame->bytes);
    }
    if (link->tls != NULL)
        send_encrypted(link, frame, iov, n, release, arg);
    else
        send_plain(link, frame, iov, n, release, arg);
}

void rg_body_measure(rg_frame *frame, const rg_iov *iov, size_t n)
{
    frame->bytes = 0;
    frame->crc = 0;
    for (size_t i = 0; i < n; i++) {
        frame->bytes += iov[i].bytes;
        if ((frame->flags & RG_FRAME_UNCHECKED) == 0 && iov[i].bytes > 0)
            frame->crc = rg_crc32c(frame->crc, iov[i].at, iov[i].bytes);
    }
}

void rg_link_send_small(rg_link *link, rg_frame_kind kind, rg_status status, uint64_t id,
                        const void *body, size_t bytes)
{
    rg_iov iov = {body, bytes};
    rg_frame frame = {.kind = (uint8_t)kind, .status = (uint8_t)status, .id = id};
    rg_body_measure(&frame, &iov, 1);
    rg_link_send(link, &frame, &iov, 1, NULL, NULL);
}

void rg_link_prod(rg_link *link)
{
    outgoing *out = link->closed || link->tls != NULL ? NULL : new_outgoing(link, 0, NULL, NULL);
    if (out == NULL)
        return;
    enter(link);
    rg_stream_write(link->stream, &(rg_iov){"\r\n\r\n", 4}, 1, sent, out);
    leave(link);
}

/* ---- reading ---- */

static bool give_room(void *user, uint8_t **at, size_t *size)
{
    rg_link *link = user;
    if (link->closed || link->failed)
        return false;
    if (link->tls == NULL && !link->lingering) {
        rg_parser_room(link->parser, at, size);
    } else {
        *at = link->cipher;
        *size = CIPHER_BYTES;
    }
    return true;
}

static rg_status shake(rg_link *link)
{
    bool done;
    rg_status status = rg_tls_shake(link->tls, &done);
    char message[256];
    (void)snprintf(message, sizeof message, "%s", rg_error_message());
    flush_tls(link, NULL, NULL);
    if (status != RG_OK)
        return rg_fail(status, "%s", message);
    if (done) {
        link->shaking = false;
        if (link->events->opened != NULL)
            link->events->opened(link->user);
    }
    return RG_OK;
}

static rg_status take_encrypted(rg_link *link, size_t n)
{
    RG_TRY(rg_tls_feed(link->tls, link->cipher, n));
    if (link->shaking)
        RG_TRY(shake(link));
    while (!link->shaking && !link->closed) {
        uint8_t *at;
        size_t size, got;
        rg_parser_room(link->parser, &at, &size);
        RG_TRY(rg_tls_read(link->tls, at, size, &got));
        if (got == 0)
            break;
        RG_TRY(rg_parser_took(link->parser, got));
    }
    return RG_OK;
}

static void arrived(void *user, size_t n)
{
    rg_link *link = user;
    enter(link);
    link->spoken = true;
    rg_status status = link->tls == NULL ? rg_parser_took(link->parser, n)
                                         : take_encrypted(link, n);
    if (status != RG_OK && !link->lingering)
        fail(link, status);
    leave(link);
}

static bool fed(void *user, const uint8_t *bytes, size_t n, bool lent)
{
    rg_link *link = user;
    if (link->tls != NULL || link->lingering || link->closed || link->failed)
        return false;
    enter(link);
    link->spoken = true;
    rg_status status = !lent           ? rg_parser_feed(link->parser, bytes, n)
                       : bytes == NULL ? rg_parser_go_on(link->parser)
                                       : rg_parser_feed_lent(link->parser, bytes, n);
    if (status != RG_OK && !link->lingering)
        fail(link, status);
    leave(link);
    return true;
}

static void stream_opened(void *user)
{
    rg_link *link = user;
    enter(link);
    rg_status status = RG_OK;
    if (link->tls != NULL)
        status = shake(link);
    else
        link->events->opened(link->user);
    if (status != RG_OK)
        fail(link, status);
    leave(link);
}

static void stream_failed(void *user, rg_status why, const char *message)
{
    rg_link *link = user;
    enter(link);
    if (link->shaking && why == RG_ECLOSED)
        fail(link, rg_fail(why, "%s during the TLS handshake", message));
    else
        fail(link, rg_fail(why, "%s", message));
    leave(link);
}

static const rg_stream_events stream_events = {.opened = stream_opened,
                                               .room = give_room,
                                               .arrived = arrived,
                                               .bytes = fed,
                                               .failed = stream_failed};

/* ---- opening ---- */

static rg_status new_link(rg_link **out, const rg_tls_setup *tls, const char *name,
                          uint64_t max_body, const rg_link_events *events, void *user)
{
    rg_link *link = rg_alloc_zero(1, sizeof *link);
    if (link == NULL)
        return rg_no_memory(sizeof *link, "a connection");
    link->events = events;
    link->user = user;
    rg_status status = rg_parser_open(&link->parser, max_body, &relay, link);
    if (status == RG_OK && tls != NULL) {
        link->shaking = true;
        status = rg_tls_open(&link->tls, tls, name);
        link->cipher = rg_alloc(CIPHER_BYTES);
        if (status == RG_OK && link->cipher == NULL)
            status = rg_no_memory(CIPHER_BYTES, "a TLS connection");
    }
    if (status != RG_OK) {
        free_link(link);
        return status;
    }
    *out = link;
    return RG_OK;
}

rg_status rg_link_connect(rg_link **out, rg_loop *loop, const char *endpoint,
                          const rg_transport *only, bool light, const rg_tls_setup *tls,
                          const char *name, uint64_t max_body, const rg_link_events *events,
                          void *user)
{
    rg_link *link = NULL;
    RG_TRY(new_link(&link, tls, name, max_body, events, user));
    rg_status status = rg_stream_connect(&link->stream, loop, endpoint, only, light || tls != NULL,
                                         &stream_events, link);
    if (status != RG_OK) {
        free_link(link);
        return status;
    }
    *out = link;
    return RG_OK;
}

rg_status rg_link_accept(rg_link **out, rg_stream *stream, const rg_tls_setup *tls,
                         uint64_t max_body, const rg_link_events *events, void *user)
{
    rg_link *link = NULL;
    rg_status status = new_link(&link, tls, NULL, max_body, events, user);
    if (status != RG_OK) {
        rg_stream_close(stream);
        return status;
    }
    link->stream = stream;
    status = rg_stream_start(stream, &stream_events, link);
    if (status != RG_OK) {
        rg_link_close(link);
        return status;
    }
    *out = link;
    return RG_OK;
}

void rg_link_expect(rg_link *link, uint64_t max_body, const rg_link_events *events, void *user,
                    rg_traffic *traffic, rg_traffic *total)
{
    link->events = events;
    link->user = user;
    link->traffic = traffic;
    link->total = total;
    rg_parser_expect(link->parser, max_body, &relay, link);
}

rg_status rg_link_detach(rg_link *link)
{
    if (link->failed || link->closed)
        return gone();
    if (!rg_parser_idle(link->parser))
        return rg_fail(RG_ECORRUPT, "it spoke before it was let in");
    return rg_stream_detach(link->stream);
}

rg_status rg_link_adopt(rg_link *link, rg_loop *loop)
{
    RG_TRY(rg_stream_adopt(link->stream, loop));
    return rg_stream_start(link->stream, &stream_events, link);
}

/* ---- the rest ---- */

void rg_link_pause(rg_link *link)
{
    rg_stream_pause(link->stream);
}

void rg_link_resume(rg_link *link)
{
    rg_stream_resume(link->stream);
}

void rg_link_discard(rg_link *link)
{
    rg_parser_discard(link->parser);
}

bool rg_link_spoken(const rg_link *link)
{
    return link->spoken;
}

size_t rg_link_queued(const rg_link *link)
{
    return rg_stream_queued(link->stream);
}

size_t rg_link_unsent(const rg_link *link)
{
    return rg_stream_unsent(link->stream);
}

rg_lent_view *rg_link_keep_lent(const rg_link *link)
{
    return link->stream != NULL ? rg_stream_keep_lent(link->stream) : NULL;
}

const char *rg_link_peer(const rg_link *link)
{
    return link->stream != NULL ? rg_stream_peer(link->stream) : "?";
}

const char *rg_link_transport(const rg_link *link)
{
    return link->stream != NULL ? rg_stream_transport(link->stream) : "?";
}

bool rg_link_is_local(const rg_link *link)
{
    return link->stream != NULL && rg_stream_is_local(link->stream);
}

bool rg_link_needs_seal(const rg_link *link, rg_seal_use use)
{
    return use != RG_SEAL_OFF && link->tls == NULL && link->stream != NULL &&
           !rg_stream_is_local(link->stream) &&
           (use == RG_SEAL_ALWAYS || !rg_stream_is_loopback(link->stream));
}

void rg_link_seal(rg_link *link, rg_seal *in, rg_seal *out)
{
    link->incoming = in;
    link->outgoing = out;
    rg_parser_seal(link->parser, in);
}

bool rg_link_is_sound(const rg_link *link)
{
    return link->tls != NULL || link->outgoing != NULL ||
           (link->stream != NULL && rg_stream_may_skip_checksum(link->stream));
}

bool rg_link_is_own_user(const rg_link *link)
{
    return link->stream != NULL && rg_stream_is_own_user(link->stream);
}

void rg_link_linger(rg_link *link)
{
    if (link->cipher == NULL)
        link->cipher = rg_alloc(CIPHER_BYTES);
    if (link->cipher == NULL) {
        rg_stream_shut(link->stream);
        return;
    }
    link->lingering = true;
    link->failed = false;
    rg_stream_shut_writing(link->stream);
}

void rg_link_shut(rg_link *link)
{
    rg_stream_shut(link->stream);
}
