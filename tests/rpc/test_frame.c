/* test_frame.c - headers, and the parser on bytes in any portions. */
#include "check.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "rpc/frame.h"

enum { MAX = 10000 };

typedef struct seen {
    rg_frame frames[64];
    int n;
    uint8_t body[MAX];
    size_t piece; /* place() gives so much at a time */
    bool throw_away;
    uint64_t placed;
} seen;

static rg_status on_header(void *user, const rg_frame *frame)
{
    (void)user, (void)frame;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    seen *s = user;
    assert_true(offset < frame->bytes);
    *at = s->throw_away ? NULL : s->body + offset;
    *size = s->piece;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    seen *s = user;
    s->placed += frame->bytes;
    s->frames[s->n++] = *frame;
    return RG_OK;
}

static const rg_frame_events events = {on_header, on_place, on_frame};

static size_t make(uint8_t *out, rg_frame frame, const void *body)
{
    frame.crc = (frame.flags & RG_FRAME_UNCHECKED) ? 0 : rg_crc32c(0, body, frame.bytes);
    rg_frame_encode(&frame, out);
    memcpy(out + RG_FRAME_BYTES, body, frame.bytes);
    return RG_FRAME_BYTES + frame.bytes;
}

static void portions_do_not_matter(void **state)
{
    static const size_t portions[] = {1, 2, 35, 36, 37, 100, 5000, 60000};
    static uint8_t wire[60000], body[MAX];
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < MAX; i++)
        body[i] = (uint8_t)(i * 13 + (i >> 7));
    static const uint64_t sizes[] = {0, 5, 0, 9000, 1, MAX, 36, 0, 8000};
    for (uint64_t i = 0; i < 9; i++)
        n += make(wire + n,
                  (rg_frame){.kind = RG_FRAME_REQUEST,
                             .method = (uint16_t)(i + 1),
                             .id = i,
                             .bytes = sizes[i],
                             .flags = i == 3 ? RG_FRAME_UNCHECKED : 0},
                  body);
    for (size_t p = 0; p < 8; p++) {
        for (int mode = 0; mode < 3; mode++) {
            seen s = {.piece = mode == 1 ? 777 : MAX, .throw_away = mode == 2};
            rg_parser *parser;
            assert_ok(rg_parser_open(&parser, MAX, &events, &s));
            for (size_t at = 0; at < n; at += portions[p])
                assert_ok(
                    rg_parser_feed(parser, wire + at, n - at < portions[p] ? n - at : portions[p]));
            assert_int_equal(s.n, 9);
            for (uint64_t i = 0; i < 9; i++) {
                assert_int_equal(s.frames[i].bytes, sizes[i]);
                assert_int_equal(s.frames[i].id, i);
                assert_int_equal(s.frames[i].method, i + 1);
            }
            if (mode != 2)
                assert_memory_equal(s.body, body, 8000);
            assert_true(rg_parser_idle(parser));
            rg_parser_close(parser);
        }
    }
}

static rg_status parse(const uint8_t *bytes, size_t n, int *frames)
{
    static seen s;
    rg_parser *parser;
    memset(&s, 0, sizeof s);
    s.piece = MAX;
    assert_ok(rg_parser_open(&parser, MAX, &events, &s));
    rg_status status = rg_parser_feed(parser, bytes, n);
    rg_parser_close(parser);
    *frames = s.n;
    return status;
}

/* promise 22 */
static void every_flipped_bit_is_noticed(void **state)
{
    uint8_t wire[100], body[20] = "twenty bytes of text";
    int frames;
    (void)state;
    size_t n = make(wire, (rg_frame){.kind = RG_FRAME_REPLY, .id = 5, .bytes = 20}, body);
    assert_ok(parse(wire, n, &frames));
    assert_int_equal(frames, 1);
    for (size_t bit = 0; bit < n * 8; bit++) {
        wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(parse(wire, n, &frames), RG_OK);
        assert_int_equal(frames, 0);
        wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* promise 23 */
static void a_declared_length_is_checked_first(void **state)
{
    static const uint64_t lengths[] = {
        MAX + 1,   INT32_MAX,         UINT32_MAX, (uint64_t)UINT32_MAX + 1,
        INT64_MAX, (uint64_t)1 << 63, UINT64_MAX};
    uint8_t wire[RG_FRAME_BYTES];
    int frames;
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST, .bytes = lengths[i]}, wire);
        assert_fails(parse(wire, sizeof wire, &frames), RG_ETOOBIG, "the limit is 10000");
    }
}

static void what_is_not_ours_is_refused_by_name(void **state)
{
    uint8_t wire[RG_FRAME_BYTES];
    int frames;
    (void)state;
    assert_fails(parse((const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18, &frames), RG_ECORRUPT,
                 "not a frame");
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST}, wire);
    wire[4] = 9;
    uint32_t crc = rg_crc32c(0, wire, 32);
    memcpy(wire + 32, &crc, 4);
    assert_fails(parse(wire, sizeof wire, &frames), RG_EUNIMPL, "protocol version 9");
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_KINDS}, wire);
    assert_fails(parse(wire, sizeof wire, &frames), RG_ECORRUPT, "kind");
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REPLY, .status = 200}, wire);
    assert_fails(parse(wire, sizeof wire, &frames), RG_ECORRUPT, "status");
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REPLY, .flags = 0x40}, wire);
    assert_fails(parse(wire, sizeof wire, &frames), RG_EUNIMPL, "flags 0x40");
}

RUN(cmocka_unit_test(portions_do_not_matter), cmocka_unit_test(every_flipped_bit_is_noticed),
    cmocka_unit_test(a_declared_length_is_checked_first),
    cmocka_unit_test(what_is_not_ours_is_refused_by_name))
