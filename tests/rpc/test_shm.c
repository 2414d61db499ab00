/* test_shm.c - shared memory between real processes: chosen by itself, and what becomes of a peer
 * that is killed, stopped, or broken. */
#include "check.h"
#include "rpc/echo.h"

#include "sys/flags.h"
#include "sys/lent.h"
#include "sys/ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

enum { LARGE = 9 << 20, SHARED = 4096 + (2 << 20) };

/* ---- which one is taken ---- */

static void expect(const echo *e, const char *transport)
{
    rg_rpc_client *client = echo_connect(e, NULL);
    assert_string_equal(rg_rpc_client_transport(client), transport);
    echo_once(client, 100000, 3);
    rg_rpc_client_close(client);
}

static void it_is_taken_by_itself_and_only_where_it_can_be(void **state)
{
    rg_rpc_server_config small = {.max_memory = 1 << 20};
    echo e;
    (void)state;
    echo_start(&e);
    expect(&e, "shm");
    assert_ok(rg_flag_set("rpc_shared_memory", "0")); /* on the client's side */
    expect(&e, "unix");
    rg_rpc_client *client;
    rg_rpc_client_config mine = echo_client();
    mine.transport = "shm";
    assert_fails(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e.server, 0), &mine), RG_EINVAL,
                 "FLAGS_rpc_shared_memory is 0");
    echo_stop(&e);
    echo_start(&e); /* and on the server's */
    assert_ok(rg_flag_set("rpc_shared_memory", "1"));
    expect(&e, "unix");
    echo_stop(&e);
    echo_init(&e); /* what all peers may take is less than two rings */
    assert_ok(echo_open(&e, &small));
    expect(&e, "unix");
    echo_stop(&e);
}

static void tell(const echo *e, const int from[2])
{
    const char *endpoint = rg_rpc_server_endpoint(e->server, 0);
    assert_true(write(from[1], endpoint, strlen(endpoint) + 1) > 0);
}

/* Whether the process has ended well. */
static bool went_well(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Another process, of this program: it does what main() knows by that name, and gets or gives the
 * server's endpoint by the pipe. */
static pid_t start_process(int ends[2], const char *what)
{
    char in[16], out[16];
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(in, sizeof in, "%d", ends[0]);
    (void)snprintf(out, sizeof out, "%d", ends[1]);
    pid_t child = fork();
    if (child == 0) {
        (void)execl("/proc/self/exe", "test_shm", what, in, out, (char *)NULL);
        _exit(9);
    }
    return child;
}

static void by_tcp(rg_rpc_client *client)
{
    if (strcmp(rg_rpc_client_transport(client), "tcp") != 0)
        _exit(4);
    echo_once(client, 1000, 1);
}

static void another_user_comes_by_tcp(void **state)
{
    echo e;
    int from[2];
    (void)state;
    if (getuid() != 0)
        skip(); /* only root can be someone else */
    pid_t child = start_process(from, "by_tcp");
    echo_start(&e);
    tell(&e, from);
    assert_true(went_well(child));
    echo_stop(&e);
}

/* ---- killed, stopped ---- */

static void push_for_ever(rg_rpc_client *client)
{
    if (strcmp(rg_rpc_client_transport(client), "shm") != 0)
        _exit(4);
    for (;;)
        echo_once(client, LARGE, 1);
}

static void push_some(rg_rpc_client *client)
{
    for (int i = 0; i < 8; i++)
        echo_once(client, LARGE, (uint8_t)i);
}

static void wait_for_bytes(const echo *e, uint64_t bytes)
{
    while (rg_rpc_server_counters(e->server).received_bytes < bytes)
        (void)usleep(1000);
}

static int left_in_dev_shm(void)
{
    int n = 0;
    DIR *folder = opendir("/dev/shm");
    for (const struct dirent *at; folder != NULL && (at = readdir(folder)) != NULL;)
        n += strstr(at->d_name, "regatta") != NULL;
    if (folder != NULL)
        (void)closedir(folder);
    return n;
}

static void a_client_that_is_killed_in_the_middle_is_noticed_at_once(void **state)
{
    echo e;
    int from[2], status;
    (void)state;
    pid_t child = start_process(from, "push_for_ever");
    echo_start(&e);
    tell(&e, from);
    wait_for_bytes(&e, 3 * LARGE);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(rg_latch_wait(&e.lost_one, 8000)); /* by the socket: the lease is 10 s */
    expect(&e, "shm");
    assert_int_equal(left_in_dev_shm(), 0);
    echo_stop(&e);
}

static void a_client_that_is_stopped_goes_on_where_it_was(void **state)
{
    echo e;
    int from[2];
    (void)state;
    pid_t child = start_process(from, "push_some");
    echo_start(&e);
    tell(&e, from);
    for (int i = 1; i < 5; i++) {
        wait_for_bytes(&e, (uint64_t)i * LARGE);
        assert_int_equal(kill(child, SIGSTOP), 0);
        (void)usleep(30000);
        expect(&e, "shm"); /* others are served meanwhile */
        assert_int_equal(kill(child, SIGCONT), 0);
    }
    assert_true(went_well(child));
    assert_int_equal(e.dead, 0);
    echo_stop(&e);
}

static void a_server_that_is_killed_is_noticed_at_once(void **state)
{
    int to[2], status;
    char endpoint[64] = "";
    (void)state;
    pid_t child = start_process(to, "serve");
    assert_true(read(to[0], endpoint, sizeof endpoint) > 0);
    rg_rpc_client_config mine = echo_client();
    rg_rpc_client *client;
    rg_rpc_call *call;
    mine.retry_times = -1;
    mine.deadline_ms = 1500;
    assert_ok(rg_rpc_client_open(&client, endpoint, &mine));
    assert_ok(rg_rpc_client_ready(client, NULL));
    assert_string_equal(rg_rpc_client_transport(client), "shm");
    uint8_t *large = rg_alloc_zero(1, LARGE);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = HOLD}));
    rg_rpc_call *more;
    assert_ok(rg_rpc_start(&more, client,
                           &(rg_rpc_ask){.method = ECHO, .iov = &(rg_iov){large, LARGE}, .n = 1}));
    (void)usleep(50000); /* the ring is full by then, or will be: either way it must end */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(rg_rpc_wait(call) != RG_OK);
    assert_true(rg_rpc_wait(more) != RG_OK);
    rg_rpc_call_close(call);
    rg_rpc_call_close(more);
    rg_rpc_client_close(client);
    rg_free(large);
    assert_int_equal(left_in_dev_shm(), 0);
}

/* ---- a full ring ---- */

static void who_does_not_read_holds_back_who_writes(void **state)
{
    enum { CALLS = 6 };
    rg_rpc_call *hold, *calls[CALLS];
    echo e;
    size_t n;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    uint8_t *large = rg_alloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (uint8_t)(i * 31 + (i >> 8));
    assert_ok(rg_rpc_start(&hold, client, &(rg_rpc_ask){.method = HOLD}));
    assert_true(rg_latch_wait(&e.holding, UINT64_MAX));
    for (int i = 0; i < CALLS; i++)
        assert_ok(rg_rpc_start(
            &calls[i], client,
            &(rg_rpc_ask){.method = ECHO, .iov = &(rg_iov){large, LARGE - (size_t)i}, .n = 1}));
    (void)usleep(50000);
    assert_true(rg_rpc_server_counters(e.server).received_bytes < LARGE);
    rg_latch_open(&e.go);
    for (int i = 0; i < CALLS; i++) {
        assert_ok(rg_rpc_wait(calls[i]));
        const uint8_t *answer = rg_rpc_answer(calls[i], &n);
        assert_int_equal(n, LARGE - i);
        assert_memory_equal(answer, large, n);
        rg_rpc_call_close(calls[i]);
    }
    assert_ok(rg_rpc_wait(hold));
    rg_rpc_call_close(hold);
    rg_rpc_client_close(client);
    rg_free(large);
    echo_stop(&e);
}

/* ---- lent memory that is taken back ---- */

enum { AS_SENT = 7, OF_OTHERS = 9 };

static bool is_all(const uint8_t *at, uint8_t byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != byte)
            return false;
    return true;
}

/* A process that is stopped while it takes an answer, `from` there on. */
typedef struct sleeper {
    uint64_t from;
    bool slept;
    uint8_t to[LARGE];
} sleeper;

static rg_status place_and_sleep(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                                 size_t *size)
{
    sleeper *s = user;
    (void)frame;
    if (offset >= s->from && !s->slept) {
        s->slept = true;
        (void)raise(SIGSTOP);
    }
    *at = s->to + offset;
    *size = LARGE / 4;
    return RG_OK;
}

/* It wakes up as one that returns, and hears the answer to what it asks again, which is empty: of
 * the first nothing is told, and nothing of what others wrote there is where it would have been
 * put, if it had not been begun. */
static void take_and_sleep(rg_rpc_client *client, uint64_t from, bool settles)
{
    static sleeper s;
    rg_rpc_call *call;
    size_t n;
    s.from = from;
    rg_rpc_ask ask = {.method = PARK,
                      .flags = RG_FRAME_UNCHECKED,
                      .place = place_and_sleep,
                      .place_user = &s,
                      .settles = settles};
    if (rg_rpc_start(&call, client, &ask) != RG_OK || rg_rpc_wait(call) != RG_OK)
        _exit(5);
    (void)rg_rpc_answer(call, &n);
    if (rg_rpc_settle(call) != RG_OK || !s.slept || n != 0)
        _exit(6);
    if (from == 0 && !is_all(s.to, 0, LARGE))
        _exit(7);
    rg_rpc_call_close(call);
}

static void sleep_before(rg_rpc_client *client)
{
    take_and_sleep(client, 0, false);
}

static void sleep_before_a_view(rg_rpc_client *client)
{
    take_and_sleep(client, 0, true);
}

static void sleep_within(rg_rpc_client *client)
{
    take_and_sleep(client, LARGE / 2, false);
}

/* The answer is released: others use its memory. */
static void use_again(void *arg)
{
    memset(arg, OF_OTHERS, LARGE);
}

/* A server that gives a peer up takes its answer back, read or not; who was stopped for longer
 * than its lease wakes up in the middle of it. */
static void an_answer_that_is_taken_back_is_not_heard(void **state)
{
    static const char *const asleep[] = {"sleep_before", "sleep_before_a_view", "sleep_within"};
    uint8_t *lent = rg_lent_alloc(LARGE);
    (void)state;
    assert_non_null(lent);
    for (size_t i = 0; i < sizeof asleep / sizeof asleep[0]; i++) {
        rg_rpc_server_config config = {.job = "job-1", .lease_ms = 700, .name = "pserver 0"};
        echo e;
        int from[2], status;
        pid_t child = start_process(from, asleep[i]);
        echo_init(&e);
        assert_ok(echo_open(&e, &config));
        memset(lent, AS_SENT, LARGE);
        tell(&e, from);
        assert_true(rg_latch_wait(&e.holding, UINT64_MAX));
        rg_rpc_reply(e.held, RG_FRAME_STAYS, &(rg_iov){lent, LARGE}, 1, use_again, lent);
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
        assert_true(WIFSTOPPED(status));
        assert_true(rg_latch_wait(&e.died, UINT64_MAX));
        assert_true(is_all(lent, OF_OTHERS, LARGE));
        assert_int_equal(kill(child, SIGCONT), 0);
        assert_true(went_well(child));
        assert_true(e.revenants > 0);
        echo_stop(&e);
    }
    assert_true(rg_lent_free(lent, LARGE));
}

typedef struct busy {
    rg_latch holding, go;
    atomic_int right, wrong;
} busy;

static void check_request(void *user, rg_rpc_request *request)
{
    busy *b = user;
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    if (rg_rpc_request_method(request) == HOLD) {
        rg_latch_open(&b->holding);
        (void)rg_latch_wait(&b->go, UINT64_MAX);
    } else {
        atomic_fetch_add(is_all(body, AS_SENT, n) ? &b->right : &b->wrong, 1);
    }
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
}

/* The other way round: what a client has given up is not in the place of what it had asked. */
static void a_request_that_is_taken_back_is_not_heard(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    busy b = {0};
    echo e = {0};
    rg_rpc_call *hold, *call;
    (void)state;
    uint8_t *lent = rg_lent_alloc(LARGE);
    memset(lent, AS_SENT, LARGE);
    rg_latch_init(&b.holding);
    rg_latch_init(&b.go);
    rg_rpc_server_config config = {.endpoints = any,
                                   .n_endpoints = 1,
                                   .job = "job-1",
                                   .events = {.request = check_request},
                                   .user = &b};
    assert_ok(rg_rpc_server_open(&e.server, &config));
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&hold, client, &(rg_rpc_ask){.method = HOLD}));
    assert_true(rg_latch_wait(&b.holding, UINT64_MAX));
    assert_ok(rg_rpc_start(&call, client,
                           &(rg_rpc_ask){.method = COUNT, .iov = &(rg_iov){lent, LARGE}, .n = 1}));
    rg_rpc_call_close(call);
    memset(lent, OF_OTHERS, LARGE);
    rg_latch_open(&b.go);
    assert_ok(rg_rpc_wait(hold));
    memset(lent, AS_SENT, LARGE);
    assert_ok(rg_rpc_ask_once(client, COUNT, &(rg_iov){lent, LARGE}, 1, NULL, NULL));
    assert_int_equal(b.right, 1);
    assert_int_equal(b.wrong, 0);
    rg_rpc_call_close(hold);
    rg_rpc_client_close(client);
    rg_rpc_server_close(e.server);
    rg_latch_fini(&b.holding);
    rg_latch_fini(&b.go);
    assert_true(rg_lent_free(lent, LARGE));
}

/* ---- garbage ---- */

typedef struct broken {
    int socket, memory, events[2];
    uint8_t *shared;
} broken;

/* As transport_shm.c does it, but for what `spoil` says. */
enum { NOTHING, NO_SEAL, SHORT, NO_MEMORY, PIPE, MAGIC, SIZE, SPOILT };

static bool knock(broken *b, const echo *e, int spoil)
{
    struct {
        char magic[8];
        uint64_t ring_bytes;
    } preface = {"RGSHM1\n", 1 << 20};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(3 * sizeof(int))];
    } control = {0};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char answer = 0;
    int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "regatta-shm-%u-%s",
                     (unsigned)getuid(), rg_rpc_server_endpoint(e->server, 0));
    b->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(b->socket, (struct sockaddr *)&name,
                             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)),
                     0);
    b->memory = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(b->memory, spoil == SHORT ? SHARED - 4096 : SHARED), 0);
    if (spoil != NO_SEAL)
        assert_int_equal(fcntl(b->memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    if (spoil == PIPE)
        assert_int_equal(pipe(b->events), 0);
    for (int i = 0; spoil != PIPE && i < 2; i++)
        b->events[i] = eventfd(0, EFD_CLOEXEC);
    preface.magic[2] = spoil == MAGIC ? 'x' : preface.magic[2];
    preface.ring_bytes = spoil == SIZE ? UINT64_MAX : preface.ring_bytes;
    b->shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, b->memory, 0);
    struct iovec iov = {&preface, sizeof preface};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    if (spoil != NO_MEMORY) {
        int handed[3] = {b->memory, b->events[0], b->events[1]};
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof handed);
        memcpy(CMSG_DATA(c), handed, sizeof handed);
    }
    assert_int_equal(sendmsg(b->socket, &message, MSG_NOSIGNAL), sizeof preface);
    return recv(b->socket, &answer, 1, 0) == 1 && answer == 'y';
}

static void go_away(broken *b)
{
    (void)munmap(b->shared, SHARED);
    (void)close(b->memory);
    (void)close(b->events[0]);
    (void)close(b->events[1]);
    (void)close(b->socket);
}

static void what_is_no_memory_to_share_is_not_taken(void **state)
{
    echo e;
    broken b;
    (void)state;
    echo_start(&e);
    for (int spoil = NOTHING; spoil < SPOILT; spoil++) {
        assert_int_equal(knock(&b, &e, spoil), spoil == NOTHING);
        go_away(&b);
    }
    expect(&e, "shm");
    echo_stop(&e);
}

/* Until the server has closed the connection. */
static bool is_closed(const broken *b)
{
    static const uint64_t once = 1;
    char byte;
    assert_int_equal(write(b->events[0], &once, sizeof once), sizeof once);
    return recv(b->socket, &byte, 1, 0) <= 0;
}

static void garbage_in_the_memory_hurts_nobody(void **state)
{
    static const uint64_t indices[] = {1 << 20, (1 << 20) + 1, UINT64_MAX, UINT64_C(1) << 63, 36};
    echo e;
    broken b;
    (void)state;
    echo_start(&e);
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        assert_true(knock(&b, &e, NOTHING));
        rg_ring_head *heads = (rg_ring_head *)(void *)b.shared;
        for (size_t at = 4096; at < SHARED; at++)
            b.shared[at] = (uint8_t)(at * 2654435761u >> 7);
        atomic_store(&heads[1].read, indices[i] + 5); /* where it would write, too */
        atomic_store(&heads[0].written, indices[i]);
        assert_true(is_closed(&b));
        go_away(&b);
    }
    expect(&e, "shm");
    echo_stop(&e);
}

/* ---- what other processes do ---- */

static void serve(int to)
{
    echo e;
    echo_start(&e);
    const char *at = rg_rpc_server_endpoint(e.server, 0);
    (void)!write(to, at, strlen(at) + 1);
    (void)pause();
}

static int run_client(int from, void (*run)(rg_rpc_client *client))
{
    char endpoint[64] = "";
    rg_rpc_client *client;
    rg_rpc_client_config mine = echo_client();
    if (read(from, endpoint, sizeof endpoint) <= 0 ||
        rg_rpc_client_open(&client, endpoint, &mine) != RG_OK ||
        rg_rpc_client_ready(client, NULL) != RG_OK)
        return 3;
    run(client);
    rg_rpc_client_close(client);
    return 0;
}

static int be_another_process(char **arguments)
{
    enum { NOBODY = 65534 };
    int from = (int)strtol(arguments[2], NULL, 10), to = (int)strtol(arguments[3], NULL, 10);
    const char *what = arguments[1];
    if (strcmp(what, "by_tcp") == 0)
        return setuid(NOBODY) != 0 ? 2 : run_client(from, by_tcp);
    if (strcmp(what, "push_for_ever") == 0)
        return run_client(from, push_for_ever);
    if (strcmp(what, "push_some") == 0)
        return run_client(from, push_some);
    if (strcmp(what, "sleep_before") == 0)
        return run_client(from, sleep_before);
    if (strcmp(what, "sleep_before_a_view") == 0)
        return run_client(from, sleep_before_a_view);
    if (strcmp(what, "sleep_within") == 0)
        return run_client(from, sleep_within);
    serve(to);
    return 0;
}

int main(int n, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_user_comes_by_tcp),
        cmocka_unit_test(a_client_that_is_killed_in_the_middle_is_noticed_at_once),
        cmocka_unit_test(a_client_that_is_stopped_goes_on_where_it_was),
        cmocka_unit_test(a_server_that_is_killed_is_noticed_at_once),
        cmocka_unit_test(it_is_taken_by_itself_and_only_where_it_can_be),
        cmocka_unit_test(who_does_not_read_holds_back_who_writes),
        cmocka_unit_test(an_answer_that_is_taken_back_is_not_heard),
        cmocka_unit_test(a_request_that_is_taken_back_is_not_heard),
        cmocka_unit_test(what_is_no_memory_to_share_is_not_taken),
        cmocka_unit_test(garbage_in_the_memory_hurts_nobody)};
    return n == 4 ? be_another_process(arguments) : cmocka_run_group_tests(tests, NULL, NULL);
}
