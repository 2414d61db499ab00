/* frame.c - headers, and the parser that takes them from a stream of bytes. */
#include "rpc/frame.h"

#include "base/crc32c.h"
#include "base/mem.h"

#include <string.h>

enum { STAGE_BYTES = 16384 }; /* holds many small frames; the start of a large one is copied */

static void put16(uint8_t *at, uint16_t v)
{
    at[0] = (uint8_t)v;
    at[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *at, uint32_t v)
{
    put16(at, (uint16_t)v);
    put16(at + 2, (uint16_t)(v >> 16));
}

static void put64(uint8_t *at, uint64_t v)
{
    put32(at, (uint32_t)v);
    put32(at + 4, (uint32_t)(v >> 32));
}

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) | (uint32_t)get16(at + 2) << 16;
}

static uint64_t get64(const uint8_t *at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

void rg_frame_encode(const rg_frame *frame, uint8_t out[RG_FRAME_BYTES])
{
    put32(out, RG_FRAME_MAGIC);
    put16(out + 4, RG_FRAME_VERSION);
    out[6] = frame->kind;
    out[7] = frame->status;
    put16(out + 8, frame->method);
    put16(out + 10, frame->flags);
    put32(out + 12, frame->crc);
    put64(out + 16, frame->id);
    put64(out + 24, frame->bytes);
    put32(out + 32, rg_crc32c(0, out, 32));
}

/* What a stranger said, as far as it can be shown. */
static rg_status not_ours(const uint8_t *bytes, size_t n)
{
    char text[33];
    size_t i = 0;
    for (; i < n && i < sizeof text - 1 && bytes[i] != '\r' && bytes[i] != '\n'; i++)
        text[i] = (char)(bytes[i] > ' ' && bytes[i] < 127 && bytes[i] != '"' ? bytes[i] : '.');
    text[i] = '\0';
    return rg_fail(RG_ECORRUPT, "not a frame of this protocol: '%s'", text);
}

rg_status rg_frame_decode(rg_frame *frame, const uint8_t in[RG_FRAME_BYTES], uint64_t max_bytes)
{
    if (get32(in) != RG_FRAME_MAGIC)
        return not_ours(in, RG_FRAME_BYTES);
    if (get32(in + 32) != rg_crc32c(0, in, 32))
        return rg_fail(RG_ECORRUPT, "a frame header with a wrong checksum");
    if (get16(in + 4) != RG_FRAME_VERSION)
        return rg_fail(RG_EUNIMPL, "protocol version %u, and this side speaks version %d",
                       get16(in + 4), RG_FRAME_VERSION);
    rg_frame f = {.kind = in[6],
                  .status = in[7],
                  .method = get16(in + 8),
                  .flags = get16(in + 10),
                  .crc = get32(in + 12),
                  .id = get64(in + 16),
                  .bytes = get64(in + 24)};
    if (f.kind == 0 || f.kind >= RG_FRAME_KINDS)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u, which there is not", f.kind);
    if (f.status > RG_EOF)
        return rg_fail(RG_ECORRUPT, "a frame of status %u, which there is not", f.status);
    if ((f.flags & (RG_FRAME_USER - 1) &
         ~(RG_FRAME_UNCHECKED | RG_FRAME_RESENT | RG_FRAME_STAYS | RG_FRAME_NOTED |
           RG_FRAME_HEARD)) != 0)
        return rg_fail(RG_EUNIMPL, "a frame with flags 0x%x, which this side does not know",
                       f.flags);
    if (f.bytes > max_bytes)
        return rg_fail(RG_ETOOBIG, "a frame of %llu bytes, and the limit is %llu",
                       (unsigned long long)f.bytes, (unsigned long long)max_bytes);
    *frame = f;
    return RG_OK;
}

/* ---- the parser ---- */

struct rg_parser {
    uint64_t max_bytes;
    const rg_frame_events *events;
    void *user;
    rg_frame frame; /* the present one, while in_body */
    bool in_body;
    bool in_tag;     /* the body is there, and its tag is to come */
    rg_seal *seal;   /* borrowed; NULL: frames are not sealed */
    bool complete;   /* all of the body is there, and its end has not been told ... */
    bool defers;     /* ... because that is for rg_parser_go_on() */
    uint64_t offset; /* in the body */
    uint32_t crc;    /* of the body up to there */
    uint8_t *place;  /* room for what comes next; NULL: it is thrown away */
    size_t room;
    size_t staged; /* bytes in the stage: less than a header between two calls */
    uint8_t stage[STAGE_BYTES];
};

rg_status rg_parser_open(rg_parser **out, uint64_t max_bytes, const rg_frame_events *events,
                         void *user)
{
    rg_parser *parser = rg_alloc(sizeof *parser);
    if (parser == NULL)
        return rg_no_memory(sizeof *parser, "a connection");
    memset(parser, 0, offsetof(rg_parser, stage));
    rg_parser_expect(parser, max_bytes, events, user);
    *out = parser;
    return RG_OK;
}

void rg_parser_close(rg_parser *parser)
{
    rg_free(parser);
}

void rg_parser_expect(rg_parser *parser, uint64_t max_bytes, const rg_frame_events *events,
                      void *user)
{
    parser->max_bytes = max_bytes;
    parser->events = events;
    parser->user = user;
}

bool rg_parser_idle(const rg_parser *parser)
{
    return !parser->in_body && parser->staged == 0;
}

void rg_parser_discard(rg_parser *parser)
{
    parser->place = NULL;
    parser->room = 0;
}

void rg_parser_seal(rg_parser *parser, rg_seal *seal)
{
    parser->seal = seal;
}

static size_t head_bytes(const rg_parser *parser)
{
    return RG_FRAME_BYTES + (parser->seal != NULL ? RG_SEAL_BYTES : 0);
}

static bool direct(const rg_parser *parser)
{
    return parser->in_body && !parser->in_tag && parser->place != NULL;
}

void rg_parser_room(rg_parser *parser, uint8_t **at, size_t *size)
{
    if (direct(parser)) {
        *at = parser->place;
        *size = parser->room;
    } else {
        *at = parser->stage + parser->staged;
        *size = STAGE_BYTES - parser->staged;
    }
}

static rg_status end_frame(rg_parser *parser)
{
    const rg_frame *f = &parser->frame;
    parser->in_body = false;
    uint32_t want = (f->flags & RG_FRAME_UNCHECKED) != 0 ? parser->crc : f->crc;
    if (parser->crc != want)
        return rg_fail(RG_ECORRUPT, "the body of a frame has a wrong checksum");
    return parser->events->frame(parser->user, f);
}

/* Room for what is next of the body. */
static rg_status find_place(rg_parser *parser)
{
    uint64_t left = parser->frame.bytes - parser->offset;
    uint8_t *at = NULL;
    size_t size = 0;
    RG_TRY(parser->events->place(parser->user, &parser->frame, parser->offset, &at, &size));
    if (at != NULL && size == 0)
        return rg_fail(RG_ETOOBIG, "no room for a body of %llu bytes after %llu",
                       (unsigned long long)parser->frame.bytes, (unsigned long long)parser->offset);
    parser->place = at;
    parser->room = size < left ? size : (size_t)left;
    return RG_OK;
}

/* `n` bytes of the body lie in their place, or are thrown away. */
static rg_status advance(rg_parser *parser, const uint8_t *bytes, size_t n)
{
    if ((parser->frame.flags & RG_FRAME_UNCHECKED) == 0)
        parser->crc = rg_crc32c(parser->crc, bytes, n);
    if (parser->seal != NULL)
        rg_seal_add(parser->seal, bytes, n);
    parser->offset += n;
    if (parser->place != NULL) {
        parser->place += n;
        parser->room -= n;
    }
    if (parser->offset == parser->frame.bytes && parser->seal != NULL) {
        parser->in_tag = true;
        return RG_OK;
    }
    if (parser->offset == parser->frame.bytes) {
        parser->complete = true;
        return parser->defers ? RG_OK : rg_parser_go_on(parser);
    }
    return parser->place != NULL && parser->room == 0 ? find_place(parser) : RG_OK;
}

/* `bytes`: the header and, where it is sealed, its tag. */
static rg_status begin_frame(rg_parser *parser, const uint8_t *bytes)
{
    if (parser->seal != NULL) {
        rg_seal_begin(parser->seal);
        rg_seal_add(parser->seal, bytes, RG_FRAME_BYTES);
        RG_TRY(rg_seal_check(parser->seal, bytes + RG_FRAME_BYTES));
    }
    RG_TRY(rg_frame_decode(&parser->frame, bytes, parser->max_bytes));
    parser->offset = 0;
    parser->crc = 0;
    RG_TRY(parser->events->header(parser->user, &parser->frame));
    parser->in_body = true;
    if (parser->seal != NULL && parser->frame.bytes > 0)
        rg_seal_begin(parser->seal);
    return parser->frame.bytes == 0 ? end_frame(parser) : find_place(parser);
}

/* As many staged bytes of the body as there are, to where they belong. */
static rg_status unstage(rg_parser *parser, const uint8_t *bytes, size_t n, size_t *used)
{
    uint64_t left = parser->frame.bytes - parser->offset;
    size_t take = n < left ? n : (size_t)left;
    if (parser->place != NULL) {
        take = take < parser->room ? take : parser->room;
        memcpy(parser->place, bytes, take);
    }
    *used = take;
    return advance(parser, bytes, take);
}

rg_status rg_parser_took(rg_parser *parser, size_t n)
{
    if (direct(parser))
        return advance(parser, parser->place, n);
    size_t at = 0, used;
    parser->staged += n;
    while (at < parser->staged) {
        const uint8_t *bytes = parser->stage + at;
        size_t have = parser->staged - at;
        RG_TRY(rg_parser_go_on(parser)); /* of a frame that ended before the last byte */
        if (parser->in_tag) {
            if (have < RG_SEAL_BYTES)
                break;
            RG_TRY(rg_seal_check(parser->seal, bytes));
            at += RG_SEAL_BYTES;
            parser->in_tag = false;
            RG_TRY(end_frame(parser));
        } else if (parser->in_body) {
            RG_TRY(unstage(parser, bytes, have, &used));
            at += used;
        } else if (have >= head_bytes(parser)) {
            size_t head = head_bytes(parser); /* another one's after an event, perhaps */
            RG_TRY(begin_frame(parser, bytes));
            at += head;
        } else {
            /* A stranger need not wait for 36 bytes to hear that it is wrong here. */
            if (have >= 4 && get32(bytes) != RG_FRAME_MAGIC)
                return not_ours(bytes, have);
            break;
        }
    }
    parser->staged -= at;
    memmove(parser->stage, parser->stage + at, parser->staged);
    return RG_OK;
}

rg_status rg_parser_feed(rg_parser *parser, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        uint8_t *at;
        size_t size;
        RG_TRY(rg_parser_go_on(parser)); /* of a frame that ended before the last byte */
        rg_parser_room(parser, &at, &size);
        size = size < n ? size : n;
        /* No more than the header: a body then goes where it belongs without a stay here. */
        size_t head = head_bytes(parser) - parser->staged;
        if (!parser->in_body && size > head)
            size = head;
        memcpy(at, bytes, size);
        RG_TRY(rg_parser_took(parser, size));
        bytes += size;
        n -= size;
    }
    return RG_OK;
}

/* Only what is all of one body, has a place there and needs no checksum can be left where it is. */
static bool may_stay(const rg_parser *parser, size_t n)
{
    return n > 0 && direct(parser) && parser->seal == NULL && n <= parser->room &&
           !parser->complete && (parser->frame.flags & RG_FRAME_UNCHECKED) != 0 &&
           parser->events->lent != NULL;
}

rg_status rg_parser_feed_lent(rg_parser *parser, const uint8_t *bytes, size_t n)
{
    parser->defers = true;
    rg_status code = may_stay(parser, n) && parser->events->lent(parser->user, &parser->frame,
                                                                 parser->offset, bytes, n)
                         ? advance(parser, bytes, n)
                         : rg_parser_feed(parser, bytes, n);
    parser->defers = false;
    return code;
}

rg_status rg_parser_go_on(rg_parser *parser)
{
    bool complete = parser->complete;
    parser->complete = false;
    return complete ? end_frame(parser) : RG_OK;
}
