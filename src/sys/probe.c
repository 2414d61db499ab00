/* probe.c - a few round trips, and as many bytes as go through in a moment. */
#include "sys/probe.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PINGS = 9, CHUNK = 1 << 20, MOST_CHUNKS = 4096, PATIENCE_MS = 5000, BACKLOG = 16 };
static const uint64_t SEND_NS = 300000000;
static const char GREETING[] = "regatta doctor 1\n"; /* both say it first */

#define GREETING_BYTES (sizeof GREETING - 1)

/* ---- sockets ---- */

static rg_status find(const char *address, int port, struct addrinfo **found)
{
    char service[16];
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    (void)snprintf(service, sizeof service, "%d", port);
    int why = getaddrinfo(address, service, &wanted, found);
    return why == 0 ? RG_OK
                    : rg_fail(RG_ENOENT, "%s has no address: %s", address, gai_strerror(why));
}

/* Every read and write that follows has an end. */
static void be_patient(int fd, int wait_ms)
{
    struct timeval patience = {wait_ms / 1000, wait_ms % 1000 * 1000};
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Waits until a connection that was begun is there, or not: 0 or an errno. */
static int finish_connect(int fd, int wait_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&wait, 1, wait_ms) != 1)
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/* 0 or an errno; the connected socket blocks. */
static int connect_to(const char *address, int port, int wait_ms, int *out)
{
    struct addrinfo *found;
    if (find(address, port, &found) != RG_OK)
        return EHOSTUNREACH;
    int error = EHOSTUNREACH;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) {
        error = connect(fd, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS)
            error = finish_connect(fd, wait_ms);
    }
    freeaddrinfo(found);
    if (error != 0 && fd >= 0)
        (void)close(fd);
    *out = fd;
    return error;
}

rg_port_state rg_probe_port(const char *address, int port, int wait_ms, uint64_t *ns)
{
    int fd;
    uint64_t start = rg_clock_ns();
    int error = connect_to(address, port, wait_ms, &fd);
    *ns = rg_clock_ns() - start;
    if (error == 0)
        (void)close(fd);
    if (error != 0 && error != ECONNREFUSED)
        rg_set_message("%s", strerror(error));
    return error == 0 ? RG_PORT_OPEN : error == ECONNREFUSED ? RG_PORT_CLOSED : RG_PORT_SILENT;
}

static rg_status send_all(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return rg_fail(RG_EIO, "the other doctor takes no more bytes: %s", strerror(errno));
        at += sent;
        n -= (size_t)sent;
    }
    return RG_OK;
}

static rg_status receive_all(int fd, void *bytes, size_t n)
{
    for (char *at = bytes; n > 0;) {
        ssize_t got = recv(fd, at, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return rg_fail(RG_ECLOSED, "the other end does not answer as a doctor does: %s",
                           got == 0 ? "it has closed the connection" : strerror(errno));
        at += got;
        n -= (size_t)got;
    }
    return RG_OK;
}

/* ---- who asks ---- */

/* A question is one letter and a u64: P is answered with the wall clock; B is followed by so many
 * bytes, and answered with how many came. Both machines are little-endian (docs/design.md). */
static rg_status ask(int fd, char what, uint64_t n)
{
    char question[9] = {what};
    memcpy(question + 1, &n, sizeof n);
    return send_all(fd, question, sizeof question);
}

static rg_status ping(int fd, rg_probe_result *result)
{
    result->round_trip_ns = UINT64_MAX;
    for (int i = 0; i < PINGS; i++) {
        uint64_t theirs, before = rg_clock_wall_ns(), start = rg_clock_ns();
        RG_TRY(ask(fd, 'P', 0));
        RG_TRY(receive_all(fd, &theirs, sizeof theirs));
        uint64_t took = rg_clock_ns() - start;
        if (took >= result->round_trip_ns)
            continue;
        result->round_trip_ns = took;
        result->clock_ahead_ns = (int64_t)(theirs - (before + took / 2));
    }
    return RG_OK;
}

static rg_status fill(int fd, rg_probe_result *result)
{
    uint64_t chunks = 0, answer, start = rg_clock_ns();
    char *chunk = rg_alloc_zero(1, CHUNK);
    rg_status code = chunk != NULL ? RG_OK : rg_no_memory(CHUNK, "bytes to send");
    while (code == RG_OK && chunks < MOST_CHUNKS && rg_clock_ns() - start < SEND_NS) {
        code = ask(fd, 'B', CHUNK);
        if (code == RG_OK)
            code = send_all(fd, chunk, CHUNK);
        chunks++;
    }
    for (uint64_t i = 0; code == RG_OK && i < chunks; i++)
        code = receive_all(fd, &answer, sizeof answer);
    result->bytes_a_second = (double)chunks * CHUNK * 1e9 / (double)(rg_clock_ns() - start);
    rg_free(chunk);
    return code;
}

static rg_status greet(int fd)
{
    char theirs[GREETING_BYTES];
    RG_TRY(send_all(fd, GREETING, GREETING_BYTES));
    RG_TRY(receive_all(fd, theirs, GREETING_BYTES));
    return memcmp(theirs, GREETING, GREETING_BYTES) == 0
               ? RG_OK
               : rg_fail(RG_ECORRUPT, "who listens there is no doctor of this version");
}

rg_status rg_probe_ask(const char *address, int port, int wait_ms, rg_probe_result *result)
{
    int fd, error = connect_to(address, port, wait_ms, &fd);
    if (error != 0)
        return rg_fail(RG_EIO, "no doctor answers at %s:%d: %s", address, port, strerror(error));
    (void)fcntl(fd, F_SETFL, 0); /* blocking from now on */
    be_patient(fd, wait_ms);
    rg_status code = greet(fd);
    if (code == RG_OK)
        code = ping(fd, result);
    if (code == RG_OK)
        code = fill(fd, result);
    (void)close(fd);
    return code;
}

/* ---- who is asked ---- */

static rg_status answer_one(int fd, char *room)
{
    char question[9];
    uint64_t n;
    RG_TRY(receive_all(fd, question, sizeof question));
    memcpy(&n, question + 1, sizeof n);
    if (question[0] == 'P') {
        n = rg_clock_wall_ns();
    } else if (question[0] == 'B' && n == CHUNK) {
        RG_TRY(receive_all(fd, room, CHUNK));
    } else {
        return rg_fail(RG_ECORRUPT, "a question that no doctor asks");
    }
    return send_all(fd, &n, sizeof n);
}

/* Until the other end is done, or breaks the rules: either is the end of it. */
static void answer(int fd, char *room)
{
    be_patient(fd, PATIENCE_MS);
    if (greet(fd) == RG_OK)
        while (answer_one(fd, room) == RG_OK)
            continue;
    (void)close(fd);
}

static rg_status listen_at(const char *address, int port, int *out, int *bound)
{
    struct addrinfo *found;
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    int on = 1;
    RG_TRY(find(address, port, &found));
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0;
    good = good && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
    good = good && bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
    good = good && getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    int why = errno;
    freeaddrinfo(found);
    if (!good) {
        if (fd >= 0)
            (void)close(fd);
        return rg_fail(RG_EIO, "cannot listen at %s:%d: %s", address, port, strerror(why));
    }
    *bound = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                            : ((struct sockaddr_in *)&at)->sin_port);
    *out = fd;
    return RG_OK;
}

rg_status rg_probe_serve(const char *address, int port, int seconds,
                         void (*ready)(void *arg, int port), void *arg)
{
    int listener, bound;
    rg_status code = RG_OK;
    char *room = rg_alloc_zero(1, CHUNK);
    if (room == NULL)
        return rg_no_memory(CHUNK, "bytes of others");
    if ((code = listen_at(address, port, &listener, &bound)) != RG_OK) {
        rg_free(room);
        return code;
    }
    ready(arg, bound);
    uint64_t end = rg_clock_ns() + (uint64_t)seconds * 1000000000;
    while (rg_clock_ns() < end && (code = rg_interrupted()) == RG_OK) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        int fd = poll(&wait, 1, RG_LOOK_MS) == 1 ? accept(listener, NULL, NULL) : -1;
        if (fd >= 0)
            answer(fd, room);
    }
    (void)close(listener);
    rg_free(room);
    return code;
}
