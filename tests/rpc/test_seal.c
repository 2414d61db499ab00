/* test_seal.c - frames with tags: nobody on the way changes, adds, repeats, drops or swaps one. */
#include "check.h"
#include "rpc/echo.h"

#include "base/crc32c.h"
#include "rpc/seal_priv.h"
#include "sys/flags.h"

enum { FRAMES = 4, MAX = 6000 };

static const uint8_t key[RG_SEAL_KEY_BYTES] = "the key of one way of this test";
static const size_t sizes[FRAMES] = {0, 5, 5000, 40};

typedef struct seen {
    int headers, frames;
    uint8_t body[MAX];
    uint64_t bytes;
} seen;

static rg_status on_header(void *user, const rg_frame *frame)
{
    seen *s = user;
    (void)frame;
    s->headers++;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    seen *s = user;
    (void)frame;
    *at = s->body + offset;
    *size = sizeof s->body - offset;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    seen *s = user;
    s->frames++;
    s->bytes += frame->bytes;
    return RG_OK;
}

static const rg_frame_events events = {on_header, on_place, on_frame};

/* The wire of all frames; ends[i] is where frame i ends. */
static size_t make(uint8_t *wire, size_t ends[FRAMES])
{
    rg_seal *seal;
    size_t n = 0;
    assert_ok(rg_seal_open(&seal, key));
    for (int i = 0; i < FRAMES; i++) {
        uint8_t body[MAX];
        memset(body, 'a' + i, sizes[i]);
        rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST,
                                    .flags = RG_FRAME_UNCHECKED,
                                    .id = (uint64_t)i,
                                    .bytes = sizes[i]},
                        wire + n);
        rg_seal_begin(seal);
        rg_seal_add(seal, wire + n, RG_FRAME_BYTES);
        assert_ok(rg_seal_end(seal, wire + n + RG_FRAME_BYTES));
        n += RG_FRAME_BYTES + RG_SEAL_BYTES;
        if (sizes[i] > 0) {
            memcpy(wire + n, body, sizes[i]);
            rg_seal_begin(seal);
            rg_seal_add(seal, body, sizes[i]);
            assert_ok(rg_seal_end(seal, wire + n + sizes[i]));
            n += sizes[i] + RG_SEAL_BYTES;
        }
        ends[i] = n;
    }
    rg_seal_close(seal);
    return n;
}

/* As from a socket (took) or from a ring (feed), so many bytes at a time. */
static rg_status parse(seen *s, const uint8_t *wire, size_t n, size_t portion, bool feed)
{
    rg_parser *parser;
    rg_seal *seal;
    rg_status status = RG_OK;
    memset(s, 0, sizeof *s);
    assert_ok(rg_seal_open(&seal, key));
    assert_ok(rg_parser_open(&parser, MAX, &events, s));
    rg_parser_seal(parser, seal);
    for (size_t at = 0, now; at < n && status == RG_OK; at += now) {
        uint8_t *to;
        size_t room;
        now = n - at < portion ? n - at : portion;
        if (feed) {
            status = rg_parser_feed(parser, wire + at, now);
            continue;
        }
        rg_parser_room(parser, &to, &room);
        now = now < room ? now : room;
        memcpy(to, wire + at, now);
        status = rg_parser_took(parser, now);
    }
    if (status == RG_OK && s->frames == FRAMES)
        assert_true(rg_parser_idle(parser));
    rg_parser_close(parser);
    rg_seal_close(seal);
    return status;
}

static void portions_do_not_matter(void **state)
{
    static const size_t portions[] = {1, 15, 16, 17, 36, 52, 53, 1000, 20000};
    static uint8_t wire[4 * MAX];
    size_t ends[FRAMES], n = make(wire, ends);
    seen s;
    (void)state;
    for (size_t p = 0; p < sizeof portions / sizeof portions[0]; p++)
        for (int feed = 0; feed < 2; feed++) {
            assert_ok(parse(&s, wire, n, portions[p], feed != 0));
            assert_int_equal(s.frames, FRAMES);
            assert_int_equal(s.bytes, 5045);
        }
}

static int frames_before(const size_t ends[FRAMES], size_t at)
{
    int i = 0;
    while (i < FRAMES && ends[i] <= at)
        i++;
    return i;
}

/* As someone does it who knows the protocol: with right checksums. No frame that was touched, and
 * no header, reaches the owner. */
/* promise 24 */
static void whatever_is_changed_is_noticed(void **state)
{
    static uint8_t wire[4 * MAX], changed[4 * MAX];
    size_t ends[FRAMES], n = make(wire, ends);
    seen s;
    (void)state;
    for (size_t at = 0; at < n; at += at < 400 || at > 5200 ? 1 : 97) {
        int whole = frames_before(ends, at);
        size_t start = whole > 0 ? ends[whole - 1] : 0;
        memcpy(changed, wire, n);
        changed[at] ^= 4;
        bool in_header = at - start < RG_FRAME_BYTES;
        if (in_header) {
            uint32_t crc = rg_crc32c(0, changed + start, 32);
            memcpy(changed + start + 32, &crc, 4);
        }
        if (memcmp(changed, wire, n) == 0)
            continue; /* it was the checksum itself */
        rg_status status = parse(&s, changed, n, n, true);
        assert_int_equal(status, RG_ECORRUPT);
        assert_int_equal(s.frames, whole);
        assert_int_equal(s.headers, whole + (at - start >= RG_FRAME_BYTES + RG_SEAL_BYTES));
    }
}

/* promise 24 */
static void frames_out_of_turn_are_noticed(void **state)
{
    static uint8_t wire[4 * MAX], other[8 * MAX];
    size_t ends[FRAMES], n = make(wire, ends);
    seen s;
    (void)state;
    memcpy(other, wire, ends[1]); /* the second one twice */
    memcpy(other + ends[1], wire + ends[0], ends[1] - ends[0]);
    assert_fails(parse(&s, other, 2 * ends[1] - ends[0], n, true), RG_ECORRUPT, "its MAC is wrong");
    assert_int_equal(s.headers, 2);
    /* The second one left out. */
    memcpy(other, wire, ends[0]);
    memcpy(other + ends[0], wire + ends[1], n - ends[1]);
    assert_fails(parse(&s, other, n - ends[1] + ends[0], n, true), RG_ECORRUPT, "MAC");
    assert_int_equal(s.headers, 1);
    /* The second one first. */
    assert_fails(parse(&s, wire + ends[0], n - ends[0], n, true), RG_ECORRUPT, "MAC");
    assert_int_equal(s.headers, 0);
}

/* ---- between a client and a server ---- */

static const uint8_t job_key[] = "sixteen byte key";

static rg_rpc_client *connect_keyed(const echo *e)
{
    rg_rpc_client_config config = echo_client();
    config.security = (rg_rpc_security){.key = job_key, .key_bytes = 16};
    config.transport = "tcp";
    return echo_connect(e, &config);
}

/* Whoever of the two wants it decides. */
static void bytes_come_back_where_either_end_wants_it(void **state)
{
    static const char *const uses[][2] = {
        {"always", "always"}, {"always", "off"}, {"off", "always"}, {"auto", "auto"}};
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        rg_rpc_server_config config = {.job = "job-1",
                                       .security = {.key = job_key, .key_bytes = 16}};
        echo e;
        echo_init(&e);
        assert_ok(rg_flag_set("rpc_mac", uses[i][0]));
        assert_ok(echo_open(&e, &config));
        assert_ok(rg_flag_set("rpc_mac", uses[i][1]));
        rg_rpc_client *client = connect_keyed(&e);
        for (size_t n = 1; n < 3000000; n = n * 7 + 1)
            echo_once(client, n, (uint8_t)n);
        rg_rpc_client_cut(client);
        echo_once(client, 100, 1);
        rg_rpc_client_close(client);
        echo_stop(&e);
    }
    assert_ok(rg_flag_set("rpc_mac", "auto"));
}

static void another_word_is_refused(void **state)
{
    echo e;
    rg_rpc_server_config config = {.job = "job-1"};
    (void)state;
    echo_init(&e);
    assert_ok(rg_flag_set("rpc_mac", "on"));
    assert_fails(echo_open(&e, &config), RG_EINVAL, "FLAGS_rpc_mac is 'on'");
    assert_ok(rg_flag_set("rpc_mac", "auto"));
    echo_stop(&e); /* of which there is no server */
}

RUN(cmocka_unit_test(portions_do_not_matter), cmocka_unit_test(whatever_is_changed_is_noticed),
    cmocka_unit_test(frames_out_of_turn_are_noticed),
    cmocka_unit_test(bytes_come_back_where_either_end_wants_it),
    cmocka_unit_test(another_word_is_refused))
