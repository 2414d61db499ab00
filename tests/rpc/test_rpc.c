/* test_rpc.c - requests and replies between a real server and real clients. */
#include "check.h"
#include "rpc/echo.h"

#include <pthread.h>

static void bytes_come_back_as_they_were_sent(void **state)
{
    static const size_t sizes[] = {0, 1, 35, 36, 37, 4096, 16384, 16385, 1 << 20, 9 << 20};
    static const char *const ways[] = {"tcp", "unix", "shm", "auto"};
    echo e;
    (void)state;
    echo_start(&e);
    for (int w = 0; w < 4; w++) {
        rg_rpc_client_config config = echo_client();
        config.transport = ways[w];
        rg_rpc_client *client = echo_connect(&e, &config);
        assert_int_equal(rg_rpc_client_is_local(client), w != 0);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            echo_once(client, sizes[i], (uint8_t)i);
        rg_rpc_counters c = rg_rpc_client_counters(client);
        assert_int_equal(c.sent_frames, 10);
        assert_int_equal(c.received_bytes, c.sent_bytes);
        rg_rpc_client_close(client);
    }
    echo_stop(&e);
    assert_int_equal(e.hellos, 4);
    assert_int_equal(e.left, 4);
    assert_int_equal(e.dead, 0);
}

static void other_endpoints_work_too(void **state)
{
    char path[64];
    (void)state;
    (void)snprintf(path, sizeof path, "unix:/tmp/rg-test-%ld.sock", (long)getpid());
    const char *endpoints[] = {"[::1]:0", "localhost:0", ":0", path};
    rg_rpc_server_config config = {.endpoints = endpoints, .n_endpoints = 4, .loops = 3};
    echo e;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    for (size_t i = 0; i < 4; i++) {
        rg_rpc_client_config mine = echo_client();
        rg_rpc_client *client;
        mine.transport = i < 3 ? "tcp" : "auto";
        assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e.server, i), &mine));
        assert_ok(rg_rpc_client_ready(client, NULL));
        echo_once(client, 1000, 1);
        rg_rpc_client_close(client);
    }
    echo_stop(&e);
}

static void a_client_is_told_who_it_is(void **state)
{
    echo e;
    rg_rpc_welcome welcome;
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    (void)state;
    echo_start(&e);
    config.me.trainer = RG_RPC_ANY_TRAINER;
    assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e.server, 0), &config));
    assert_ok(rg_rpc_client_ready(client, &welcome));
    assert_int_equal(welcome.trainer, 7);
    assert_int_equal(welcome.epoch, 3);
    assert_string_equal(welcome.name, "pserver 0");
    assert_int_equal(welcome.lease_ms, 10000);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void a_refused_request_says_why(void **state)
{
    echo e;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_fails(rg_rpc_ask_once(client, 99, NULL, 0, NULL, NULL), RG_EVALUE,
                 "method 99 is refused");
    echo_once(client, 10, 1);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void who_is_not_wanted_is_refused_by_name(void **state)
{
    echo e;
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    (void)state;
    echo_start(&e);
    const char *endpoint = rg_rpc_server_endpoint(e.server, 0);

    (void)snprintf(config.me.job, sizeof config.me.job, "job-2");
    assert_ok(rg_rpc_client_open(&client, endpoint, &config));
    assert_fails(rg_rpc_client_ready(client, NULL), RG_EDENIED, "is of job 'job-2'");
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_EDENIED, "job-2");
    rg_rpc_client_close(client);

    config = echo_client();
    e.verdict = RG_ESTALE;
    assert_ok(rg_rpc_client_open(&client, endpoint, &config));
    assert_fails(rg_rpc_client_ready(client, NULL), RG_ESTALE, "trainer 1 is not wanted here");
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void a_short_key_is_refused(void **state)
{
    echo e;
    rg_rpc_server_config config = {.security = {.key = (const uint8_t *)"k", .key_bytes = 1}};
    rg_rpc_client_config mine = echo_client();
    rg_rpc_client *client;
    (void)state;
    echo_init(&e);
    assert_fails(echo_open(&e, &config), RG_EINVAL, "a job key of 1 bytes");
    mine.security = config.security;
    assert_fails(rg_rpc_client_open(&client, "127.0.0.1:1", &mine), RG_EINVAL, "at least 16");
    echo_stop(&e);
}

static void the_job_key_is_proved_both_ways(void **state)
{
    static const uint8_t right[] = "sixteen byte key", wrong[] = "another sixteen!";
    const rg_rpc_security with[] = {
        {.key = right, .key_bytes = 16}, {.key = wrong, .key_bytes = 16}, {0}};
    static const char *const text[3][3] = {
        {NULL, "does not have the job key", "has none"},
        {"does not have the job key", NULL, "has none"},
        {"the server has no job key", "the server has no job key", NULL}};
    (void)state;
    for (int s = 0; s < 3; s++) {
        rg_rpc_server_config config = {.security = with[s]};
        echo e;
        echo_init(&e);
        assert_ok(echo_open(&e, &config));
        for (int c = 0; c < 3; c++) {
            rg_rpc_client *client;
            rg_rpc_client_config mine = echo_client();
            mine.security = with[c];
            assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e.server, 0), &mine));
            if (text[s][c] == NULL) {
                assert_ok(rg_rpc_client_ready(client, NULL));
                echo_once(client, 100, 1);
            } else {
                assert_fails(rg_rpc_client_ready(client, NULL), RG_EDENIED, text[s][c]);
            }
            rg_rpc_client_close(client);
        }
        assert_int_equal(e.hellos, 1);
        echo_stop(&e);
    }
}

static void a_port_in_use_is_refused_by_name(void **state)
{
    echo e, second;
    (void)state;
    echo_start(&e);
    const char *endpoint = rg_rpc_server_endpoint(e.server, 0);
    rg_rpc_server_config config = {.endpoints = &endpoint, .n_endpoints = 1};
    echo_init(&second);
    assert_fails(echo_open(&second, &config), RG_EIO, endpoint);
    assert_non_null(strstr(rg_error_message(), "address already in use"));
    const char *bad = "nowhere";
    config.endpoints = &bad;
    assert_fails(echo_open(&second, &config), RG_EINVAL, "'nowhere' is no endpoint");
    echo_stop(&second);
    echo_stop(&e);
}

/* ---- several at once ---- */

enum { CALLS = 200, THREADS = 4 };

static void *many_calls(void *arg)
{
    rg_rpc_client *client = arg;
    rg_rpc_call *calls[CALLS];
    uint32_t numbers[CALLS];
    for (uint32_t i = 0; i < CALLS; i++) {
        numbers[i] = i;
        rg_iov iov = {&numbers[i], 4};
        assert_ok(
            rg_rpc_start(&calls[i], client, &(rg_rpc_ask){.method = ECHO, .iov = &iov, .n = 1}));
    }
    for (uint32_t i = CALLS; i-- > 0;) {
        size_t bytes;
        assert_ok(rg_rpc_wait(calls[i]));
        const uint8_t *answer = rg_rpc_answer(calls[i], &bytes);
        assert_int_equal(bytes, 4);
        assert_memory_equal(answer, &i, 4);
        rg_rpc_call_close(calls[i]);
    }
    return NULL;
}

static void many_threads_share_a_client(void **state)
{
    echo e;
    pthread_t threads[THREADS];
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_calls, client), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* ---- where a reply goes ---- */

typedef struct basket {
    uint8_t parts[3][1000];
    rg_latch done;
    rg_status status;
} basket;

static rg_status into_parts(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                            size_t *size)
{
    basket *b = user;
    assert_int_equal(frame->bytes, 3000);
    *at = b->parts[offset / 1000];
    *size = 1000;
    return RG_OK;
}

static void basket_done(void *user, rg_rpc_call *call)
{
    basket *b = user;
    size_t bytes;
    b->status = rg_rpc_result(call);
    assert_null(rg_rpc_answer(call, &bytes));
    rg_rpc_call_close(call);
    rg_latch_open(&b->done);
}

static void a_reply_goes_where_it_is_wanted(void **state)
{
    echo e;
    basket b;
    uint8_t out[3000];
    rg_rpc_call *call;
    (void)state;
    echo_start(&e);
    rg_latch_init(&b.done);
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * 7);
    rg_rpc_ask ask = {.method = ECHO,
                      .iov = &(rg_iov){out, sizeof out},
                      .n = 1,
                      .place = into_parts,
                      .place_user = &b,
                      .done = basket_done,
                      .user = &b};
    assert_ok(rg_rpc_start(&call, client, &ask));
    (void)rg_latch_wait(&b.done, UINT64_MAX);
    assert_ok(b.status);
    assert_memory_equal(b.parts, out, sizeof out);
    rg_latch_fini(&b.done);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void a_call_can_be_given_up(void **state)
{
    echo e;
    rg_rpc_call *call, *large;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    rg_rpc_call_close(call);
    rg_rpc_reply(atomic_load(&e.held), 0, NULL, 0, NULL, NULL);
    /* One that is still being written, too: its bytes are no longer touched. */
    size_t bytes = (size_t)64 << 20;
    uint8_t *body = rg_alloc_zero(1, bytes);
    rg_iov iov = {body, bytes};
    assert_ok(rg_rpc_start(&large, client, &(rg_rpc_ask){.method = ECHO, .iov = &iov, .n = 1}));
    rg_rpc_call_close(large);
    rg_free(body);
    echo_once(client, 100, 1);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void count_done(void *user, rg_rpc_call *call)
{
    (void)call;
    ++*(int *)user;
}

/* Whether or not the answer comes just then, done() is not called after the call is closed. */
static void a_call_can_be_given_up_as_it_ends(void **state)
{
    enum { TIMES = 3000 };
    echo e;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (int i = 0; i < TIMES; i++) {
        int *told = rg_alloc_zero(1, sizeof *told);
        rg_rpc_call *call;
        rg_rpc_ask ask = {.method = COUNT, .done = count_done, .user = told};
        assert_ok(rg_rpc_start(&call, client, &ask));
        for (volatile int spin = 0; spin < i % 100 * 300; spin++)
            continue;
        rg_rpc_call_close(call);
        assert_in_range(*told, 0, 1);
        rg_free(told);
    }
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void too_much_is_refused(void **state)
{
    echo e;
    rg_rpc_server_config config = {.max_body = 1000};
    rg_rpc_client_config mine = echo_client();
    uint8_t body[2000] = {0};
    rg_rpc_client *other;
    (void)state;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    mine.retry_times = -1;
    rg_rpc_client *client = echo_connect(&e, &mine);
    assert_fails(rg_rpc_ask_once(client, ECHO, &(rg_iov){body, 1001}, 1, NULL, NULL), RG_ECLOSED,
                 "FLAGS_rpc_retry_times");
    echo_once(client, 1000, 1);
    mine.transport = "carrier pigeon";
    assert_fails(rg_rpc_client_open(&other, "127.0.0.1:1", &mine), RG_EINVAL, "carrier pigeon");
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* ---- connections break ---- */

static void a_cut_connection_is_made_again(void **state)
{
    echo e;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (int i = 0; i < 10; i++) {
        echo_once(client, 5000, (uint8_t)i);
        if (i % 2 == 0)
            rg_rpc_server_cut(e.server);
        else
            rg_rpc_client_cut(client);
    }
    echo_once(client, 5000, 99);
    assert_true(e.backs > 0);
    assert_int_equal(e.dead, 0);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* promise 10 */
static void a_request_is_applied_once(void **state)
{
    echo e;
    rg_rpc_call *call;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    /* It waits while its connection is cut: the second sending is not seen at all. */
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    rg_rpc_server_cut(e.server);
    (void)rg_latch_wait(&e.lost_one, UINT64_MAX);
    while (rg_rpc_server_counters(e.server).received_frames < 2)
        (void)usleep(1000);
    rg_rpc_request *held = atomic_load(&e.held);
    assert_false(rg_rpc_request_repeated(held));
    uint32_t answer = 42;
    rg_rpc_reply(held, 0, &(rg_iov){&answer, 4}, 1, NULL, NULL);
    size_t bytes;
    assert_ok(rg_rpc_wait(call));
    assert_memory_equal(rg_rpc_answer(call, &bytes), &answer, 4);
    rg_rpc_call_close(call);
    assert_ptr_equal(atomic_load(&e.held), held);

    /* Counted once each, however often the connection is cut meanwhile. */
    for (int i = 0; i < 300; i++) {
        rg_rpc_call *two[2];
        for (int k = 0; k < 2; k++)
            assert_ok(rg_rpc_start(&two[k], client, &(rg_rpc_ask){.method = COUNT}));
        if (i % 10 == 0)
            rg_rpc_server_cut(e.server);
        for (int k = 0; k < 2; k++) {
            assert_ok(rg_rpc_wait(two[k]));
            rg_rpc_call_close(two[k]);
        }
    }
    assert_int_equal(e.applied, 600);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void a_server_may_start_later(void **state)
{
    char endpoint[64];
    echo e;
    rg_rpc_client *client;
    rg_rpc_call *call;
    rg_rpc_client_config config = echo_client();
    (void)state;
    echo_start(&e);
    (void)snprintf(endpoint, sizeof endpoint, "%s", rg_rpc_server_endpoint(e.server, 0));
    echo_stop(&e);

    assert_ok(rg_rpc_client_open(&client, endpoint, &config));
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = COUNT}));
    (void)usleep(100000);
    const char *endpoints[] = {endpoint};
    rg_rpc_server_config again = {.endpoints = endpoints, .n_endpoints = 1};
    echo_init(&e);
    assert_ok(echo_open(&e, &again));
    assert_ok(rg_rpc_client_ready(client, NULL));
    assert_ok(rg_rpc_wait(call));
    rg_rpc_call_close(call);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

typedef struct news {
    rg_latch dead;
    char how[512];
} news;

static void hear_of_death(void *user, const char *how)
{
    news *n = user;
    (void)snprintf(n->how, sizeof n->how, "%s", how);
    rg_latch_open(&n->dead);
}

/* Another process in its place has nothing of what it had: it is as if the server had died, whether
 * a request waits, or the next one comes. */
static void a_server_that_is_started_again_is_another(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        char endpoint[64];
        echo e;
        rg_rpc_call *call = NULL;
        news heard;
        rg_rpc_client_config config = echo_client();
        config.events.dead = hear_of_death;
        config.user = &heard;
        rg_latch_init(&heard.dead);
        echo_start(&e);
        (void)snprintf(endpoint, sizeof endpoint, "%s", rg_rpc_server_endpoint(e.server, 0));
        rg_rpc_client *client = echo_connect(&e, &config);
        if (waits) {
            assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
            (void)rg_latch_wait(&e.holding, UINT64_MAX);
            rg_rpc_reply(atomic_load(&e.held), 0, NULL, 0, NULL, NULL);
            assert_ok(rg_rpc_wait(call));
            rg_rpc_call_close(call);
            rg_rpc_client_cut(client); /* the next one finds no connection, and waits for one */
        }
        rg_rpc_server_close(e.server);
        if (waits)
            assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = COUNT}));
        const char *endpoints[] = {endpoint};
        rg_rpc_server_config again = {.endpoints = endpoints, .n_endpoints = 1};
        assert_ok(echo_open(&e, &again));
        assert_true(rg_latch_wait(&heard.dead, (uint64_t)20 * 1000000000));
        assert_non_null(strstr(heard.how, "it was started again while the job was running"));
        if (waits) {
            assert_fails(rg_rpc_wait(call), RG_ESTALE, "it was started again");
            rg_rpc_call_close(call);
        } else {
            assert_fails(rg_rpc_ask_once(client, COUNT, NULL, 0, NULL, NULL), RG_ESTALE,
                         "it was started again");
        }
        assert_int_equal(e.applied, 0);
        rg_rpc_client_close(client);
        echo_stop(&e);
        rg_latch_fini(&heard.dead);
    }
}

static void a_client_that_was_failed_fails_calls(void **state)
{
    echo e;
    rg_rpc_call *call;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    rg_rpc_client_fail(client, RG_ECLOSED, "trainer 2 died first");
    assert_fails(rg_rpc_wait(call), RG_ECLOSED, "trainer 2 died first");
    rg_rpc_call_close(call);
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_ECLOSED, "died first");
    rg_rpc_reply(atomic_load(&e.held), 0, NULL, 0, NULL, NULL);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* ---- where a request goes ---- */

static uint8_t shelf[2][5000];

static rg_status onto_shelf(void *user, rg_rpc_peer *peer, const rg_frame *frame, uint64_t offset,
                            uint8_t **at, size_t *size, void **mine)
{
    (void)user, (void)peer;
    if (frame->bytes != sizeof shelf)
        return RG_OK; /* a buffer of its own */
    *mine = shelf;
    *at = shelf[offset / sizeof shelf[0]];
    *size = sizeof shelf[0];
    return RG_OK;
}

static void tell_where(void *user, rg_rpc_request *request)
{
    size_t bytes;
    (void)user;
    bool own = rg_rpc_request_body(request, &bytes) != NULL;
    bool on_shelf = rg_rpc_request_mine(request) == shelf;
    uint8_t answer[] = {own, on_shelf, (uint8_t)(rg_rpc_request_flags(request) >> 8)};
    rg_rpc_reply(request, RG_FRAME_UNCHECKED | RG_FRAME_USER << 1, &(rg_iov){answer, 3}, 1, NULL,
                 NULL);
}

static void a_request_goes_where_it_is_wanted(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    static uint8_t out[sizeof shelf];
    echo e;
    rg_rpc_server_config config = {
        .endpoints = any, .n_endpoints = 1, .events = {.request = tell_where, .place = onto_shelf}};
    (void)state;
    echo_init(&e);
    assert_ok(rg_rpc_server_open(&e.server, &config));
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * 11 + 3);
    for (int whole = 0; whole < 2; whole++) {
        rg_rpc_call *call;
        size_t bytes;
        rg_iov iov = {out, whole ? sizeof out : 100};
        rg_rpc_ask ask = {
            .method = 1, .flags = RG_FRAME_UNCHECKED | RG_FRAME_USER << 2, .iov = &iov, .n = 1};
        assert_ok(rg_rpc_start(&call, client, &ask));
        assert_ok(rg_rpc_wait(call));
        const uint8_t *answer = rg_rpc_answer(call, &bytes);
        assert_int_equal(bytes, 3);
        assert_int_equal(answer[0], !whole);
        assert_int_equal(answer[1], whole);
        assert_int_equal(answer[2], 4);
        assert_int_equal(rg_rpc_answer_flags(call), RG_FRAME_UNCHECKED | RG_FRAME_USER << 1);
        rg_rpc_call_close(call);
    }
    assert_memory_equal(shelf, out, sizeof out);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

static void an_expelled_peer_comes_back_as_a_revenant(void **state)
{
    echo e;
    rg_rpc_call *call;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    rg_rpc_peer_expel(rg_rpc_request_peer(atomic_load(&e.held)));
    while (e.revenants == 0)
        (void)usleep(1000);
    rg_rpc_reply(atomic_load(&e.held), 0, NULL, 0, NULL, NULL);
    e.verdict = RG_ESTALE;
    rg_rpc_client_cut(client);
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_ESTALE, "not wanted");
    (void)rg_rpc_wait(call);
    rg_rpc_call_close(call);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* Whichever allocation of opening, starting and closing fails: an error, and nothing is lost. */
/* promise 18 */
static void without_memory_nothing_is_left_behind(void **state)
{
    echo e;
    bool failed = true;
    (void)state;
    for (long n = 1; failed; n++) {
        rg_rpc_server_config config = {
            .security = {.key = (const uint8_t *)"sixteen byte key", .key_bytes = 16}};
        rg_rpc_client_config mine = echo_client();
        rg_rpc_client *client = NULL;
        rg_rpc_call *call = NULL;
        mine.security = config.security;
        echo_init(&e);
        rg_mem_fail_at(n);
        rg_status status = echo_open(&e, &config);
        if (status == RG_OK)
            status = rg_rpc_client_open(&client, rg_rpc_server_endpoint(e.server, 0), &mine);
        if (status == RG_OK)
            status = rg_rpc_start(&call, client, &(rg_rpc_ask){.method = COUNT});
        failed = rg_mem_failed();
        rg_mem_fail_at(0);
        assert_int_equal(status, failed ? RG_ENOMEM : RG_OK);
        if (status == RG_OK)
            assert_ok(rg_rpc_wait(call));
        rg_rpc_call_close(call);
        rg_rpc_client_close(client);
        echo_stop(&e);
    }
}

RUN(cmocka_unit_test(bytes_come_back_as_they_were_sent), cmocka_unit_test(other_endpoints_work_too),
    cmocka_unit_test(a_client_is_told_who_it_is), cmocka_unit_test(a_refused_request_says_why),
    cmocka_unit_test(who_is_not_wanted_is_refused_by_name),
    cmocka_unit_test(the_job_key_is_proved_both_ways), cmocka_unit_test(a_short_key_is_refused),
    cmocka_unit_test(a_port_in_use_is_refused_by_name),
    cmocka_unit_test(many_threads_share_a_client),
    cmocka_unit_test(a_reply_goes_where_it_is_wanted), cmocka_unit_test(a_call_can_be_given_up),
    cmocka_unit_test(a_call_can_be_given_up_as_it_ends), cmocka_unit_test(too_much_is_refused),
    cmocka_unit_test(a_cut_connection_is_made_again), cmocka_unit_test(a_request_is_applied_once),
    cmocka_unit_test(a_server_may_start_later),
    cmocka_unit_test(a_server_that_is_started_again_is_another),
    cmocka_unit_test(a_client_that_was_failed_fails_calls),
    cmocka_unit_test(a_request_goes_where_it_is_wanted),
    cmocka_unit_test(an_expelled_peer_comes_back_as_a_revenant),
    cmocka_unit_test(without_memory_nothing_is_left_behind))
