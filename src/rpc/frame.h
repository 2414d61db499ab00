/* frame.h - the unit of the wire: a header of 36 bytes and a body (docs/protocol.md).
 *
 * The parser is a state machine over bytes that come in any portions. It asks where the next
 * bytes shall go, so that a large body is received straight into its place. Nothing that a header
 * declares is believed before its checksum, version and limits have been checked.
 *
 * Threads: a parser belongs to one. */
#ifndef RG_RPC_FRAME_H
#define RG_RPC_FRAME_H

#include "base/status.h"
#include "rpc/seal_priv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RG_FRAME_MAGIC   0x31544752u /* "RGT1" */
#define RG_FRAME_VERSION 4
#define RG_FRAME_BYTES   36 /* of the header */

typedef enum rg_frame_kind {
    RG_FRAME_HELLO = 1, /* handshake: see rpc/handshake_priv.h */
    RG_FRAME_CHALLENGE,
    RG_FRAME_PROOF,
    RG_FRAME_WELCOME,
    RG_FRAME_REFUSE, /* body: text; status says why */
    RG_FRAME_REQUEST,
    RG_FRAME_REPLY, /* status RG_OK: the answer; else the body is text */
    RG_FRAME_PING,
    RG_FRAME_PONG,
    RG_FRAME_BYE,
    RG_FRAME_DURABLE, /* id: of a reply; it, and those before it, are on the server's disk */
    RG_FRAME_KINDS,
} rg_frame_kind;

enum {
    RG_FRAME_UNCHECKED = 1, /* the body has no checksum: it may change while it is sent, or what
                             * it travels by needs none */
    RG_FRAME_RESENT = 2,    /* a request that was sent before */
    RG_FRAME_STAYS = 4,     /* a reply: what its sender lends of it stays as it is until the next
                             * request of the same method */
    RG_FRAME_NOTED = 8,  /* a reply: what was done is not on the server's disk yet, and the request
                          * is to be kept until DURABLE says so */
    RG_FRAME_HEARD = 16, /* a request that was sent again for what it does: its reply has been
                          * heard before, from a process that is no more */
    RG_FRAME_USER = 0x100, /* this bit and those above are the methods' own */
};

typedef struct rg_frame {
    uint8_t kind;    /* rg_frame_kind */
    uint8_t status;  /* rg_status */
    uint16_t method; /* what is asked for; 0 outside requests and replies */
    uint16_t flags;  /* RG_FRAME_*; unknown bits below RG_FRAME_USER are refused */
    uint32_t crc;    /* CRC32C of the body */
    uint64_t id;     /* pairs a reply with its request */
    uint64_t bytes;  /* of the body */
} rg_frame;

void rg_frame_encode(const rg_frame *frame, uint8_t out[RG_FRAME_BYTES]);
/* RG_ECORRUPT for what is no header of ours, RG_EUNIMPL for another version, RG_ETOOBIG over
 * max_bytes. */
rg_status rg_frame_decode(rg_frame *frame, const uint8_t in[RG_FRAME_BYTES], uint64_t max_bytes);

typedef struct rg_frame_events {
    /* A good header. Called before a byte of the body is taken; a failure stops the parser. */
    rg_status (*header)(void *user, const rg_frame *frame);
    /* Where the body from `offset` on shall go: *at with room for *size bytes (more than is left is
     * no harm). Called again when that room is full. The bytes before `offset` have arrived, but
     * are not checked yet. *at = NULL: the rest of the body is thrown away. Never called for an
     * empty body. */
    rg_status (*place)(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                       size_t *size);
    /* The whole frame is there, and its checksum, or seal, is right. */
    rg_status (*frame)(void *user, const rg_frame *frame);
    /* Bytes of the body from `offset` on lie at `at`, in memory that the other end lends. True: the
     * owner reads them there, and their place stays as it is. NULL: they are always copied. */
    bool (*lent)(void *user, const rg_frame *frame, uint64_t offset, const uint8_t *at, size_t n);
} rg_frame_events;

typedef struct rg_parser rg_parser;

/* `events` and `user` are borrowed for the parser's life. */
rg_status rg_parser_open(rg_parser **parser, uint64_t max_bytes, const rg_frame_events *events,
                         void *user);
void rg_parser_close(rg_parser *parser); /* NULL is allowed; not from inside an event */
/* Other events from the next frame on; also from inside an event. */
void rg_parser_expect(rg_parser *parser, uint64_t max_bytes, const rg_frame_events *events,
                      void *user);

/* From the next frame on they are sealed, and this one checks them; it is borrowed. Also from
 * inside an event. */
void rg_parser_seal(rg_parser *parser, rg_seal *seal);

/* Where the next bytes from the socket shall be put: at least one byte. */
void rg_parser_room(rg_parser *parser, uint8_t **at, size_t *size);
/* So many bytes were put there. Calls the events. After a failure the parser is good for nothing.
 */
rg_status rg_parser_took(rg_parser *parser, size_t n);
/* The same for bytes that lie elsewhere (they are copied). */
rg_status rg_parser_feed(rg_parser *parser, const uint8_t *bytes, size_t n);
/* And for those that lie in memory which the other end lends: they may be left there. Then, when it
 * has been told that they were read, rg_parser_go_on(), which tells the end of a frame that ended
 * with them: whoever has an answer can rely on its question having been read. */
rg_status rg_parser_feed_lent(rg_parser *parser, const uint8_t *bytes, size_t n);
rg_status rg_parser_go_on(rg_parser *parser);
/* Throw away what is still to come of the present body: its place is no longer there. */
void rg_parser_discard(rg_parser *parser);
/* Whether it stands between two frames, with no byte of the next one. */
bool rg_parser_idle(const rg_parser *parser);

#endif
