/* link_priv.h - frames over a stream, with TLS or without: what both ends are made of.
 *
 * Belongs to one loop at a time; all functions are for its thread. A link may be closed from
 * inside its own events. */
#ifndef RG_RPC_LINK_PRIV_H
#define RG_RPC_LINK_PRIV_H

#include "rpc/tls_priv.h"

#include <stdatomic.h>

typedef struct rg_link rg_link;

typedef struct rg_traffic {
    _Atomic uint64_t sent_bytes, received_bytes, sent_frames, received_frames;
} rg_traffic;

rg_rpc_counters rg_traffic_read(const rg_traffic *traffic);

typedef struct rg_link_events {
    rg_frame_events frames;
    /* Connected, and TLS is up: frames may be sent. Not called for accepted links. */
    void (*opened)(void *user);
    /* It failed; it must still be closed. The message is borrowed for the call. */
    void (*failed)(void *user, rg_status why, const char *message);
    void (*drained)(void *user); /* nothing that was sent is borrowed any more; may be NULL */
} rg_link_events;

/* only, light: as rg_stream_connect() has them. tls NULL: without. `name` is what the server's
 * certificate must be for. */
rg_status rg_link_connect(rg_link **link, rg_loop *loop, const char *endpoint,
                          const rg_transport *only, bool light, const rg_tls_setup *tls,
                          const char *name, uint64_t max_body, const rg_link_events *events,
                          void *user);
/* The stream is taken in any case. */
rg_status rg_link_accept(rg_link **link, rg_stream *stream, const rg_tls_setup *tls,
                         uint64_t max_body, const rg_link_events *events, void *user);
/* From now on other events, from the next frame on another limit, and bytes are counted. */
void rg_link_expect(rg_link *link, uint64_t max_body, const rg_link_events *events, void *user,
                    rg_traffic *traffic, rg_traffic *total);

/* Whether others could be on the way between the two ends, and nothing keeps them from changing
 * what passes: TCP without TLS, and not to this host unless that is wanted. */
bool rg_link_needs_seal(const rg_link *link, rg_seal_use use);
/* From the next frame on, both ways. The seals are taken. */
void rg_link_seal(rg_link *link, rg_seal *in, rg_seal *out);

/* frame->bytes and frame->crc are set by the caller (rg_body_measure). The body is borrowed until
 * release(arg), which is always called, or copied where release is NULL. */
void rg_link_send(rg_link *link, const rg_frame *frame, const rg_iov *iov, size_t n,
                  void (*release)(void *arg), void *arg);
/* A small frame of its own; the body is copied. */
void rg_link_send_small(rg_link *link, rg_frame_kind kind, rg_status status, uint64_t id,
                        const void *body, size_t bytes);
/* Empty lines, which are no frame. Nothing under TLS, where no other protocol is talked to. */
void rg_link_prod(rg_link *link);
/* Sets bytes and crc; RG_FRAME_UNCHECKED is honoured. Any thread. */
void rg_body_measure(rg_frame *frame, const rg_iov *iov, size_t n);

void rg_link_pause(rg_link *link);
void rg_link_resume(rg_link *link);
void rg_link_discard(rg_link *link); /* the rest of the body that is coming in */
size_t rg_link_queued(const rg_link *link);
size_t rg_link_unsent(const rg_link *link);           /* with what is on its way to the other end */
rg_lent_view *rg_link_keep_lent(const rg_link *link); /* as the stream's */
/* Whether the other end has said anything. */
bool rg_link_spoken(const rg_link *link);
const char *rg_link_peer(const rg_link *link);
const char *rg_link_transport(const rg_link *link); /* its name, which lives for ever */
bool rg_link_is_local(const rg_link *link);
/* Bodies that go over it need no checksum of their own. */
bool rg_link_is_sound(const rg_link *link);
bool rg_link_is_own_user(const rg_link *link);
void rg_link_shut(rg_link *link);  /* failed() is called soon */
void rg_link_close(rg_link *link); /* NULL is allowed */
/* Nothing more is sent, and what comes in is thrown away until the other end closes, which is told
 * by failed(). A socket that is closed while bytes come in loses also what was sent on it last. */
void rg_link_linger(rg_link *link);

/* Hand it over to another loop: not from inside its events, nothing queued, between two frames.
 * RG_ECORRUPT where bytes have come in that nobody waited for. */
rg_status rg_link_detach(rg_link *link);
rg_status rg_link_adopt(rg_link *link, rg_loop *loop);

#endif
