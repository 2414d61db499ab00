/* raw.h - a client that sends frames by hand: the same one twice, with the id it likes, again on
 * another connection as if the answer had been lost. */
#ifndef RG_TESTS_RPC_RAW_H
#define RG_TESTS_RPC_RAW_H

#include "check.h"

#include "base/crc32c.h"
#include "rpc/frame.h"
#include "rpc/handshake_priv.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RAW_MAX = 65536 };

typedef struct raw {
    int fd;
    rg_rpc_welcome welcome;
    rg_frame frame; /* the last that came, and its body */
    uint8_t body[RAW_MAX];
} raw;

static inline void raw_send(const raw *r, rg_frame frame, const void *body, size_t n)
{
    uint8_t head[RG_FRAME_BYTES];
    frame.bytes = n;
    frame.crc = n > 0 ? rg_crc32c(0, body, n) : 0;
    rg_frame_encode(&frame, head);
    assert_int_equal(send(r->fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    if (n > 0)
        assert_int_equal(send(r->fd, body, n, MSG_NOSIGNAL), n);
}

static inline bool raw_get(const raw *r, uint8_t *to, size_t n)
{
    ssize_t more = 1;
    for (size_t got = 0; got < n; got += (size_t)more)
        if ((more = recv(r->fd, to + got, n - got, 0)) <= 0)
            return false;
    return true;
}

/* The next frame; RG_ECLOSED at the end. */
static inline rg_status raw_read(raw *r)
{
    uint8_t head[RG_FRAME_BYTES];
    if (!raw_get(r, head, sizeof head))
        return rg_fail(RG_ECLOSED, "the server has closed the connection");
    RG_TRY(rg_frame_decode(&r->frame, head, RAW_MAX));
    if (!raw_get(r, r->body, r->frame.bytes))
        return rg_fail(RG_ECLOSED, "the server has closed the connection");
    return r->frame.status == RG_OK ? RG_OK
                                    : rg_fail((rg_status)r->frame.status, "%.*s",
                                              (int)r->frame.bytes, (const char *)r->body);
}

static inline int raw_dial(const char *endpoint)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)strtol(strrchr(endpoint, ':') + 1, NULL, 10)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 2000; i++) { /* it may not listen yet */
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) {
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
            (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 20},
                             sizeof(struct timeval));
            return fd;
        }
        (void)close(fd);
        (void)usleep(5000);
    }
    fail_msg("nobody listens on %s", endpoint);
    return -1;
}

/* A connection for requests, of this session; a failure is what the server refuses with. */
static inline rg_status raw_enter(raw *r, const char *endpoint, uint64_t session, int trainer,
                                  uint64_t epoch)
{
    static const uint8_t no_key[RG_PROOF_BYTES];
    uint32_t options;
    rg_handshake_hello hello = {.session = session,
                                .purpose = RG_PURPOSE_REQUESTS,
                                .who = {.role = RG_RPC_TRAINER,
                                        .trainer = trainer,
                                        .epoch = epoch,
                                        .name = "someone",
                                        .host = "here",
                                        .pid = 7}};
    rg_buf said;
    rg_buf_init(&said, RG_SHAKE_MAX);
    rg_handshake_put_hello(&said, &hello);
    r->fd = raw_dial(endpoint);
    raw_send(r, (rg_frame){.kind = RG_FRAME_HELLO}, said.data, said.len);
    rg_buf_fini(&said);
    RG_TRY(raw_read(r));
    assert_int_equal(r->frame.kind, RG_FRAME_CHALLENGE);
    raw_send(r, (rg_frame){.kind = RG_FRAME_PROOF}, no_key, sizeof no_key);
    RG_TRY(raw_read(r));
    assert_int_equal(r->frame.kind, RG_FRAME_WELCOME);
    return rg_handshake_get_welcome(&r->welcome, &options, r->body, r->frame.bytes);
}

static inline void raw_leave(raw *r)
{
    (void)close(r->fd);
    r->fd = -1;
}

/* A request; its answer is waiting in r->frame and r->body. */
static inline rg_status raw_ask(raw *r, uint64_t id, uint16_t method, uint16_t flags,
                                const void *body, size_t n)
{
    raw_send(r, (rg_frame){.kind = RG_FRAME_REQUEST, .id = id, .method = method, .flags = flags},
             body, n);
    rg_status code = raw_read(r);
    if (code != RG_ECLOSED)
        assert_int_equal(r->frame.id, id);
    return code;
}

#endif
