/* test_hostile.c - admission at a live server, with a healthy client beside. */
#include "check.h"
#include "rpc/echo.h"

#include "base/crc32c.h"
#include "rpc/frame.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>

typedef struct healthy {
    rg_rpc_client *client;
    atomic_bool stop;
    atomic_int rounds;
    pthread_t thread;
} healthy;

static void *stay_healthy(void *arg)
{
    healthy *h = arg;
    for (uint8_t i = 0; !h->stop; i++) {
        echo_once(h->client, 3000, i);
        h->rounds++;
    }
    return NULL;
}

static void begin(echo *e, healthy *h)
{
    static const uint8_t key[] = "the key of job-1";
    rg_rpc_security security = {.key = key, .key_bytes = 16};
    rg_rpc_server_config config = {.job = "job-1", .security = security, .handshake_ms = 300};
    rg_rpc_client_config mine = echo_client();
    mine.security = security;
    mine.transport = "tcp";
    echo_init(e);
    assert_ok(echo_open(e, &config));
    memset(h, 0, sizeof *h);
    h->client = echo_connect(e, &mine);
    assert_int_equal(pthread_create(&h->thread, NULL, stay_healthy, h), 0);
}

/* The healthy one never lost its connection, and still works. */
static void finish(echo *e, healthy *h)
{
    int before = h->rounds;
    while (h->rounds < before + 20)
        (void)usleep(1000);
    h->stop = true;
    assert_int_equal(pthread_join(h->thread, NULL), 0);
    assert_int_equal(e->hellos, 1);
    assert_int_equal(e->lost + e->dead, 0);
    rg_rpc_client_close(h->client);
    echo_stop(e);
}

static int dial(const echo *e)
{
    const char *endpoint = rg_rpc_server_endpoint(e->server, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)strtol(strrchr(endpoint, ':') + 1, NULL, 10)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Sends it all; the server may have closed before. Returns what it says, until it closes. */
static size_t converse(int fd, const void *bytes, size_t n, uint8_t *reply, size_t size)
{
    size_t got = 0;
    ssize_t more;
    (void)send(fd, bytes, n, MSG_NOSIGNAL);
    while (got < size && (more = recv(fd, reply + got, size - got, 0)) > 0)
        got += (size_t)more;
    return got;
}

static void seal(uint8_t *wire, size_t n)
{
    uint32_t crc = rg_crc32c(0, wire + RG_FRAME_BYTES, n - RG_FRAME_BYTES);
    memcpy(wire + 12, &crc, 4);
    crc = rg_crc32c(0, wire, 32);
    memcpy(wire + 32, &crc, 4);
}

/* A HELLO as a real client would send it. */
static size_t good_hello(uint8_t *wire)
{
    enum { BODY = 32 + 8 + 4 * 4 + 8 + 32 + 4 + 4 + 4 + 4 + 5 + 4 + 1 + 4 + 1 };
    uint8_t *b = wire + RG_FRAME_BYTES;
    memset(wire, 0, RG_FRAME_BYTES + BODY);
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_HELLO, .bytes = BODY}, wire);
    memset(b, 'n', 32);
    b[32] = 1;  /* session */
    b[40] = 1;  /* purpose: requests */
    b[44] = 1;  /* role: trainer */
    b[96] = 1;  /* pid */
    b[108] = 5; /* job */
    memcpy(b + 112, "job-1", 5);
    b[117] = 1;
    b[121] = 'x';
    b[122] = 1;
    b[126] = 'h';
    seal(wire, RG_FRAME_BYTES + BODY);
    return RG_FRAME_BYTES + BODY;
}

/* One hostile text after the other, by number. */
static size_t malformed(uint8_t *wire, uint32_t i, uint64_t *chance)
{
    size_t n = good_hello(wire);
    for (int k = 0; k < 3; k++) {
        *chance = *chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t r = (uint32_t)(*chance >> 33);
        switch (i % 5) {
        case 0: /* bytes flipped, and nothing done about the checksums */
            wire[r % n] ^= (uint8_t)(1 + r / n % 255);
            break;
        case 1: /* flipped, with right checksums */
            wire[4 + r % (n - 4)] ^= (uint8_t)(1 + r / n % 255);
            seal(wire, n);
            break;
        case 2: /* another kind or length */
            wire[6] = (uint8_t)(r % 16);
            wire[24 + r / 16 % 8] = (uint8_t)(r >> 8);
            seal(wire, n);
            break;
        case 3: /* noise */
            wire[r % n] = (uint8_t)(r >> 8);
            wire[k] = (uint8_t)(r >> 16);
            break;
        default: /* cut off */
            return r % n;
        }
    }
    return n;
}

/* promise 22 */
static void malformed_frames_harm_nobody(void **state)
{
    enum { FRAMES = 10000 };
    echo e;
    healthy h;
    uint64_t chance = 1;
    uint8_t wire[400], reply[400];
    (void)state;
    begin(&e, &h);
    for (uint32_t i = 0; i < FRAMES; i++) {
        int fd = dial(&e);
        size_t n = malformed(wire, i, &chance);
        (void)send(fd, wire, n, MSG_NOSIGNAL);
        if (i % 16 ==
            0) /* see that it is answered by closing, or by a challenge that leads nowhere */
            (void)shutdown(fd, SHUT_WR), (void)converse(fd, NULL, 0, reply, sizeof reply);
        (void)close(fd);
    }
    finish(&e, &h);
}

/* promise 22 */
static void strangers_are_sent_away(void **state)
{
    static const char *const texts[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                        "\x16\x03\x01\x02\x00\x01", "SSH-2.0-OpenSSH_9.2\r\n",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"};
    echo e;
    healthy h;
    uint8_t reply[400];
    (void)state;
    begin(&e, &h);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int fd = dial(&e);
        assert_int_equal(converse(fd, texts[i], strlen(texts[i]), reply, sizeof reply), 0);
        (void)close(fd);
    }
    for (int i = 0; i < 200; i++) /* a port scan */
        (void)close(dial(&e));
    /* Who says nothing, or only a little, is closed after a while. */
    int silent = dial(&e), slow = dial(&e);
    assert_int_equal(converse(slow, "RGT1", 4, reply, sizeof reply), 0);
    assert_int_equal(converse(silent, NULL, 0, reply, sizeof reply), 0);
    (void)close(silent);
    (void)close(slow);
    finish(&e, &h);
}

/* promise 22 */
static void another_version_is_refused_by_name(void **state)
{
    echo e;
    healthy h;
    uint8_t wire[400], reply[400] = {0};
    (void)state;
    begin(&e, &h);
    size_t n = good_hello(wire);
    wire[4] = RG_FRAME_VERSION + 1;
    seal(wire, n);
    int fd = dial(&e);
    size_t got = converse(fd, wire, n, reply, sizeof reply - 1);
    assert_true(got > RG_FRAME_BYTES);
    assert_int_equal(reply[6], RG_FRAME_REFUSE);
    assert_non_null(strstr((char *)reply + RG_FRAME_BYTES, "protocol version 5"));
    (void)close(fd);
    finish(&e, &h);
}

/* Without the key: the challenge, and nothing else; a replayed proof does not fit the next one. */
/* promise 25 */
static void without_the_key_nothing_is_learned(void **state)
{
    echo e;
    healthy h;
    uint8_t wire[400], reply[400] = {0};
    (void)state;
    begin(&e, &h);
    size_t n = good_hello(wire);
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_PROOF, .bytes = 32}, wire + n);
    memset(wire + n + RG_FRAME_BYTES, 0x5a, 32);
    seal(wire + n, RG_FRAME_BYTES + 32);
    int fd = dial(&e);
    size_t got = converse(fd, wire, n + RG_FRAME_BYTES + 32, reply, sizeof reply - 1);
    assert_int_equal(reply[6], RG_FRAME_CHALLENGE);
    assert_int_equal(reply[RG_FRAME_BYTES + 36 + 6], RG_FRAME_REFUSE);
    assert_int_equal(reply[RG_FRAME_BYTES + 36 + 7], RG_EDENIED);
    assert_true(got < 300);
    assert_null(memmem(reply, got, "job-1", 5));
    (void)close(fd);
    /* A request before anything else. */
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST, .method = COUNT}, wire);
    seal(wire, RG_FRAME_BYTES);
    fd = dial(&e);
    assert_int_equal(converse(fd, wire, RG_FRAME_BYTES, reply, sizeof reply), 0);
    (void)close(fd);
    assert_int_equal(e.applied, 0);
    finish(&e, &h);
}

/* promise 27 */
static void many_idle_connections_do_not_keep_others_out(void **state)
{
    enum { IDLE = 300 };
    echo e;
    healthy h;
    int fds[IDLE];
    (void)state;
    begin(&e, &h);
    for (int i = 0; i < IDLE; i++)
        fds[i] = dial(&e);
    rg_rpc_client_cut(h.client); /* it must come in again beside them */
    int before = h.rounds;
    while (h.rounds < before + 20)
        (void)usleep(1000);
    for (int i = 0; i < IDLE; i++) {
        uint8_t reply[10];
        assert_int_equal(converse(fds[i], NULL, 0, reply, sizeof reply), 0);
        (void)close(fds[i]);
    }
    assert_true(e.backs >= 1);
    h.stop = true;
    assert_int_equal(pthread_join(h.thread, NULL), 0);
    rg_rpc_client_close(h.client);
    echo_stop(&e);
}

/* A client that asks for much and reads nothing: the server stops listening to it. */
/* promise 12 */
static void a_slow_reader_is_held_back(void **state)
{
    enum { CALLS = 400, BYTES = 1 << 18 };
    echo e;
    rg_rpc_server_config config = {.max_queued = 1 << 20, .max_waiting = 8};
    static rg_rpc_call *calls[CALLS];
    static uint8_t body[BYTES];
    (void)state;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    rg_rpc_client *client = echo_connect(&e, NULL);
    rg_iov iov = {body, sizeof body};
    for (int i = 0; i < CALLS; i++)
        assert_ok(
            rg_rpc_start(&calls[i], client, &(rg_rpc_ask){.method = ECHO, .iov = &iov, .n = 1}));
    for (int i = 0; i < CALLS; i++) {
        assert_ok(rg_rpc_wait(calls[i]));
        rg_rpc_call_close(calls[i]);
    }
    rg_rpc_client_close(client);
    echo_stop(&e);
}

RUN(cmocka_unit_test(malformed_frames_harm_nobody), cmocka_unit_test(strangers_are_sent_away),
    cmocka_unit_test(another_version_is_refused_by_name),
    cmocka_unit_test(without_the_key_nothing_is_learned),
    cmocka_unit_test(many_idle_connections_do_not_keep_others_out),
    cmocka_unit_test(a_slow_reader_is_held_back))
