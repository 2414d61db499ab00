/* fuzz_frame.c - any bytes as a stream of frames, in any portions, and as the bodies of a
 * handshake.
 *
 * The first byte says in which portions the others come, and how large the places are that bodies
 * are put into. */
#include "rpc/frame.h"
#include "rpc/handshake_priv.h"

#include <stdlib.h>

enum { MAX_BODY = 4096 };

typedef struct sink {
    uint8_t *body; /* exactly as large as was asked for, so that ASan sees a byte too many */
    size_t piece;
} sink;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static rg_status on_header(void *user, const rg_frame *frame)
{
    sink *s = user;
    if (frame->bytes > MAX_BODY)
        abort();
    return s->piece == 13 && frame->kind == RG_FRAME_BYE ? RG_ECLOSED : RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    sink *s = user;
    size_t left = frame->bytes - offset;
    if (offset >= frame->bytes)
        abort();
    free(s->body);
    *size = s->piece < left ? s->piece : left;
    s->body = s->piece == 0 ? NULL : malloc(*size);
    *at = s->body;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    (void)user, (void)frame;
    return RG_OK;
}

static const rg_frame_events events = {on_header, on_place, on_frame};

static void as_bodies(const uint8_t *bytes, size_t n)
{
    rg_handshake_hello hello = {0};
    rg_handshake_challenge challenge;
    rg_rpc_welcome welcome;
    uint32_t options;
    if (rg_handshake_get_hello(&hello, bytes, n) == RG_OK) {
        rg_buf again;
        rg_buf_init(&again, RG_SHAKE_MAX);
        rg_handshake_put_hello(&again, &hello);
        if (again.len != n)
            abort();
        rg_buf_fini(&again);
    }
    (void)rg_handshake_get_challenge(&challenge, bytes, n);
    (void)rg_handshake_get_welcome(&welcome, &options, bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_parser *parser;
    if (n < 1)
        return 0;
    sink s = {.piece = (size_t)(bytes[0] >> 4) * 13};
    size_t portion = 1 + (size_t)(bytes[0] & 15) * 40;
    as_bodies(bytes + 1, n - 1);
    if (rg_parser_open(&parser, MAX_BODY, &events, &s) != RG_OK)
        return 0;
    for (size_t at = 1; at < n; at += portion)
        if (rg_parser_feed(parser, bytes + at, n - at < portion ? n - at : portion) != RG_OK)
            break;
    rg_parser_close(parser);
    free(s.body);
    return 0;
}
