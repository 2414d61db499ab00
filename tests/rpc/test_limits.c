/* test_limits.c - what others can make a server take: descriptors, memory, requests at a time. */
#include "check.h"
#include "rpc/echo.h"

#include "base/crc32c.h"
#include "rpc/frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static const rg_rpc_security keyed = {.key = (const uint8_t *)"the key of job-1", .key_bytes = 16};

static uint16_t port_of(const echo *e)
{
    const char *endpoint = rg_rpc_server_endpoint(e->server, 0);
    return (uint16_t)strtol(strrchr(endpoint, ':') + 1, NULL, 10);
}

static int dial(uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        return -1;
    return fd;
}

/* ---- descriptors ---- */

typedef struct crowd {
    pid_t pid;
    int ask, told;
} crowd;

/* A process of its own, since both ends in one would need twice the descriptors: opens so many
 * connections, says nothing, and waits. Started before there are threads. */
static crowd gather(int many)
{
    crowd c;
    int down[2], up[2];
    uint16_t port;
    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        (void)close(down[1]);
        int opened = 0;
        if (read(down[0], &port, sizeof port) == sizeof port)
            while (opened < many && dial(port) >= 0)
                opened++;
        (void)!write(up[1], &opened, sizeof opened);
        (void)!read(down[0], &port, sizeof port);
        _exit(0);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    c.ask = down[1];
    c.told = up[0];
    return c;
}

static void let_loose(const crowd *c, uint16_t port, int many)
{
    int opened = 0;
    assert_int_equal(write(c->ask, &port, sizeof port), sizeof port);
    assert_int_equal(read(c->told, &opened, sizeof opened), sizeof opened);
    assert_int_equal(opened, many);
}

static void disperse(const crowd *c)
{
    (void)close(c->ask);
    (void)close(c->told);
    assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
}

/* As a save would, several at a time. */
static void expect_files_can_be_opened(void)
{
    int fds[6];
    for (int i = 0; i < 6; i++) {
        fds[i] = open("/dev/null", O_WRONLY);
        assert_true(fds[i] >= 0);
    }
    for (int i = 0; i < 6; i++)
        (void)close(fds[i]);
}

/* promise 20, 27 */
static void a_trainer_gets_past_a_silent_crowd(void **state)
{
    enum { MANY = 4300, FEW_DESCRIPTORS = 200 };
    echo e;
    rg_rpc_server_config config = {.job = "job-1", .security = keyed};
    rg_rpc_client_config mine = echo_client();
    struct rlimit before, few;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    crowd c = gather(MANY);
    few = (struct rlimit){FEW_DESCRIPTORS, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    let_loose(&c, port_of(&e), MANY);
    mine.security = keyed;
    mine.transport = "tcp";
    rg_rpc_client *client = echo_connect(&e, &mine);
    echo_once(client, 3000, 1);
    rg_rpc_client_cut(client);
    echo_once(client, 3000, 2);
    expect_files_can_be_opened();
    rg_rpc_client_close(client);
    disperse(&c);
    echo_stop(&e);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* ---- raw peers of a server without a key ---- */

static void seal(uint8_t *wire, size_t n)
{
    uint32_t crc = rg_crc32c(0, wire + RG_FRAME_BYTES, n - RG_FRAME_BYTES);
    memcpy(wire + 12, &crc, 4);
    crc = rg_crc32c(0, wire, 32);
    memcpy(wire + 32, &crc, 4);
}

static void send_all(int fd, const uint8_t *bytes, size_t n)
{
    assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

/* The kind of the next frame; its body is skipped. */
static int next_frame(int fd)
{
    uint8_t wire[RG_FRAME_BYTES], body[4096];
    rg_frame frame;
    assert_int_equal(recv(fd, wire, sizeof wire, MSG_WAITALL), sizeof wire);
    assert_ok(rg_frame_decode(&frame, wire, sizeof body));
    if (frame.bytes > 0)
        assert_int_equal(recv(fd, body, frame.bytes, MSG_WAITALL), frame.bytes);
    return frame.kind;
}

/* Comes in, for requests (purpose 1) or heartbeats (2). */
static void introduce(int fd, uint8_t purpose)
{
    enum { BODY = 32 + 8 + 4 * 4 + 8 + 32 + 4 + 4 + 4 + 4 + 5 + 4 + 1 + 4 + 1 };
    uint8_t wire[RG_FRAME_BYTES + BODY] = {0}, *b = wire + RG_FRAME_BYTES;
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_HELLO, .bytes = BODY}, wire);
    b[32] = 9; /* session */
    b[40] = purpose;
    b[44] = 1;  /* role: trainer */
    b[108] = 5; /* job */
    memcpy(b + 112, "job-1", 5);
    b[117] = 1;
    b[121] = 'x';
    b[122] = 1;
    b[126] = 'h';
    seal(wire, sizeof wire);
    send_all(fd, wire, sizeof wire);
    assert_int_equal(next_frame(fd), RG_FRAME_CHALLENGE);
    memset(b, 0, 32);
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_PROOF, .bytes = 32}, wire);
    seal(wire, RG_FRAME_BYTES + 32);
    send_all(fd, wire, RG_FRAME_BYTES + 32);
    assert_int_equal(next_frame(fd), RG_FRAME_WELCOME);
}

/* A connection that was let in. */
static int connector(const echo *e, uint8_t purpose)
{
    int fd = dial(port_of(e));
    assert_true(fd >= 0);
    introduce(fd, purpose);
    return fd;
}

static long resident_kib(void)
{
    char text[256] = "";
    long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    pages = strtol(strchr(text, ' '), NULL, 10);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* promise 12 */
static void unread_heartbeats_take_no_memory(void **state)
{
    enum { AT_ONCE = 1000, MOST = 64 << 20 };
    static uint8_t pings[AT_ONCE * RG_FRAME_BYTES];
    echo e;
    (void)state;
    echo_start(&e);
    int fd = connector(&e, 1), heartbeat = connector(&e, 2);
    for (size_t i = 0; i < AT_ONCE; i++)
        rg_frame_encode(&(rg_frame){.kind = RG_FRAME_PING, .id = i}, pings + i * RG_FRAME_BYTES);
    long before = resident_kib();
    size_t sent = 0;
    ssize_t more;
    /* Until the server has enough of it: what its kernel and ours take is all there is. */
    while (sent < MOST && (more = send(heartbeat, pings, sizeof pings, MSG_NOSIGNAL)) > 0)
        sent += (size_t)more;
    assert_true(sent < MOST);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
    assert_true(resident_kib() - before < 8 << 10);
#endif
    (void)before;
    (void)close(heartbeat);
    (void)close(fd);
    echo_stop(&e);
}

static void a_peer_has_one_pulse(void **state)
{
    uint8_t byte;
    echo e;
    (void)state;
    echo_start(&e);
    int fd = connector(&e, 1), first = connector(&e, 2), second = connector(&e, 2);
    assert_int_equal(recv(first, &byte, 1, 0), 0); /* closed */
    uint8_t ping[RG_FRAME_BYTES];
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_PING, .id = 1}, ping);
    send_all(second, ping, sizeof ping);
    assert_int_equal(next_frame(second), RG_FRAME_PONG);
    (void)close(first);
    (void)close(second);
    (void)close(fd);
    echo_stop(&e);
}

/* ---- requests at a time ---- */

enum { REQUESTS = 200, WAITING = 8 };

typedef struct desk {
    atomic_int n;
    _Atomic(rg_rpc_request *) lying[REQUESTS];
} desk;

static void put_on_desk(void *user, rg_rpc_request *request)
{
    desk *d = user;
    atomic_store(&d->lying[d->n], request);
    d->n++;
}

/* However many come in one packet. */
static void no_more_wait_than_may(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    static desk d;
    uint8_t wire[REQUESTS * RG_FRAME_BYTES];
    echo e;
    rg_rpc_server_config config = {.endpoints = any,
                                   .n_endpoints = 1,
                                   .max_waiting = WAITING,
                                   .events = {.request = put_on_desk},
                                   .user = &d};
    (void)state;
    assert_ok(rg_rpc_server_open(&e.server, &config));
    int fd = connector(&e, 1);
    for (uint64_t i = 0; i < REQUESTS; i++)
        rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST, .method = COUNT, .id = i + 1},
                        wire + i * RG_FRAME_BYTES);
    send_all(fd, wire, sizeof wire);
    while (d.n < WAITING)
        (void)usleep(1000);
    (void)usleep(50000);
    assert_int_equal(d.n, WAITING);
    for (int i = 0; i < REQUESTS; i++) { /* in the order of their sending, as there is room */
        while (d.n <= i)
            (void)usleep(100);
        rg_rpc_request *request = atomic_load(&d.lying[i]);
        assert_int_equal(rg_rpc_request_id(request), i + 1);
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        assert_true(d.n <= i + 1 + WAITING);
    }
    for (int i = 0; i < REQUESTS; i++)
        assert_int_equal(next_frame(fd), RG_FRAME_REPLY);
    (void)close(fd);
    rg_rpc_server_close(e.server);
}

/* ---- users ---- */

static void tell_user(void *user, rg_rpc_request *request)
{
    uint8_t own = rg_rpc_peer_is_own_user(rg_rpc_request_peer(request));
    (void)user;
    rg_rpc_reply(request, 0, &(rg_iov){&own, 1}, 1, NULL, NULL);
}

static uint8_t is_own_user(const echo *e, const char *transport)
{
    rg_rpc_client_config mine = echo_client();
    uint8_t *reply, own;
    size_t n;
    mine.transport = transport;
    rg_rpc_client *client = echo_connect(e, &mine);
    assert_ok(rg_rpc_ask_once(client, COUNT, NULL, 0, &reply, &n));
    own = reply[0];
    rg_free(reply);
    rg_rpc_client_close(client);
    return own;
}

/* In a process of another user: comes by the Unix socket of the port, and asks. */
static int ask_as_another(uint16_t port)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "regatta-0-127.0.0.1:%u", port);
    uint8_t wire[RG_FRAME_BYTES], own = 9;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (setuid(12345) != 0 ||
        connect(fd, (struct sockaddr *)&to,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) != 0)
        return 8;
    introduce(fd, 1);
    rg_frame_encode(&(rg_frame){.kind = RG_FRAME_REQUEST, .method = COUNT, .id = 1}, wire);
    send_all(fd, wire, sizeof wire);
    (void)recv(fd, wire, sizeof wire, MSG_WAITALL);
    (void)recv(fd, &own, 1, MSG_WAITALL);
    return own;
}

static void whose_process_a_peer_is_is_known(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    rg_rpc_server_config config = {
        .endpoints = any, .n_endpoints = 1, .events = {.request = tell_user}};
    echo e;
    int way[2], ended = 0;
    uint16_t port;
    (void)state;
    assert_int_equal(pipe(way), 0);
    pid_t pid = geteuid() == 0 ? fork() : -1; /* only root can become another */
    if (pid == 0)
        _exit(read(way[0], &port, sizeof port) == sizeof port ? ask_as_another(port) : 7);
    assert_ok(rg_rpc_server_open(&e.server, &config));
    assert_int_equal(is_own_user(&e, "auto"), 1);
    assert_int_equal(is_own_user(&e, "unix"), 1);
    assert_int_equal(is_own_user(&e, "tcp"), 0); /* anyone can say that it is on this host */
    port = port_of(&e);
    assert_int_equal(write(way[1], &port, sizeof port), sizeof port);
    if (pid > 0) {
        assert_int_equal(waitpid(pid, &ended, 0), pid);
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), 0);
    }
    (void)close(way[0]);
    (void)close(way[1]);
    rg_rpc_server_close(e.server);
}

/* ---- memory ---- */

static rg_status ask(rg_rpc_client *client, uint16_t method, size_t bytes)
{
    uint8_t *body = rg_alloc_zero(1, bytes);
    rg_status status = rg_rpc_ask_once(client, method, &(rg_iov){body, bytes}, 1, NULL, NULL);
    rg_free(body);
    return status;
}

/* promise 23 */
static void bodies_have_a_budget(void **state)
{
    enum { ALL = 1 << 20, ONE = 700 << 10 };
    echo e;
    rg_rpc_call *parked;
    static uint8_t body[600 << 10];
    rg_iov iov = {body, sizeof body};
    rg_rpc_server_config config = {.job = "job-1", .max_memory = ALL, .max_peer_memory = ONE};
    (void)state;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    rg_rpc_client *first = echo_connect(&e, NULL), *second = echo_connect(&e, NULL);
    /* More than one peer may have: refused, and the connection stays. */
    assert_fails(ask(first, ECHO, ONE + 1), RG_ENOMEM, "FLAGS_rpc_max_peer_memory_mb");
    assert_ok(ask(first, ECHO, ONE));
    /* What waits counts, of this peer and of others. */
    assert_ok(rg_rpc_start(&parked, first, &(rg_rpc_ask){.method = PARK, .iov = &iov, .n = 1}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    assert_fails(ask(first, ECHO, ONE / 2), RG_ENOMEM, "FLAGS_rpc_max_peer_memory_mb");
    assert_fails(ask(second, ECHO, sizeof body), RG_ENOMEM, "FLAGS_rpc_max_memory_mb");
    assert_ok(ask(second, ECHO, 1000));
    rg_rpc_reply(atomic_load(&e.held), 0, NULL, 0, NULL, NULL);
    assert_ok(rg_rpc_wait(parked));
    assert_ok(ask(second, ECHO, sizeof body));
    assert_int_equal(e.hellos, 2);
    assert_int_equal(e.lost, 0);
    rg_rpc_call_close(parked);
    rg_rpc_client_close(first);
    rg_rpc_client_close(second);
    echo_stop(&e);
}

RUN(cmocka_unit_test(a_trainer_gets_past_a_silent_crowd),
    cmocka_unit_test(unread_heartbeats_take_no_memory), cmocka_unit_test(a_peer_has_one_pulse),
    cmocka_unit_test(whose_process_a_peer_is_is_known), cmocka_unit_test(no_more_wait_than_may),
    cmocka_unit_test(bodies_have_a_budget))
