/* test_lent.c - memory that is lent: read where it is, in place by a server, and used again. What
 * becomes of it when a peer dies or takes it back is in test_shm.c. */
#include "check.h"
#include "rpc/echo.h"

#include "sys/lent.h"

#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 9 << 20 };

/* ---- memory that is lent ---- */

/* Of what lies there the ring only says where: as much as it likes fits, and it is borrowed until
 * the other side has read it. */
static void lent_memory_is_read_where_it_is(void **state)
{
    enum { CALLS = 6 };
    rg_rpc_call *hold, *calls[CALLS];
    uint64_t offset;
    size_t n;
    echo e;
    (void)state;
    uint8_t *lent = rg_lent_alloc(LARGE);
    assert_non_null(lent);
    assert_true(rg_lent_find(lent, LARGE, &offset));
    assert_false(rg_lent_find(&n, sizeof n, &offset));
    for (size_t i = 0; i < LARGE; i++)
        lent[i] = (uint8_t)(i * 29 + (i >> 7));
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&hold, client, &(rg_rpc_ask){.method = HOLD}));
    assert_true(rg_latch_wait(&e.holding, UINT64_MAX));
    for (size_t i = 0; i < CALLS; i++) {
        rg_iov iov[2] = {{"head", 4}, {lent + i, LARGE - i}};
        assert_ok(
            rg_rpc_start(&calls[i], client, &(rg_rpc_ask){.method = ECHO, .iov = iov, .n = 2}));
    }
    rg_rpc_call_close(calls[0]); /* nobody has read it: given up, and sent again without it */
    rg_latch_open(&e.go);
    for (size_t i = 1; i < CALLS; i++) {
        assert_ok(rg_rpc_wait(calls[i]));
        const uint8_t *answer = rg_rpc_answer(calls[i], &n);
        assert_int_equal(n, LARGE - i + 4);
        assert_memory_equal(answer, "head", 4);
        assert_memory_equal(answer + 4, lent + i, LARGE - i);
        rg_rpc_call_close(calls[i]);
    }
    (void)rg_rpc_wait(hold);
    rg_rpc_call_close(hold);
    rg_rpc_client_close(client);
    echo_stop(&e);
    assert_true(rg_lent_free(lent, LARGE));
    assert_false(rg_lent_free(&e, sizeof e));
}

/* ---- a server that reads lent memory in place ---- */

enum { PIECE = 100000, HEAD_BYTES = 8 };

typedef struct in_place {
    rg_rpc_server *server;
    _Atomic(rg_rpc_request *) parked;
    atomic_int in_place, copied;
    const uint8_t *parts[2];  /* of the one that is parked */
    rg_latch parking, behind; /* a request is parked; one behind it has come */
} in_place;

static bool reads_lent(void *user, const rg_frame *frame)
{
    (void)user;
    return frame->method != REFUSE;
}

static uint8_t piece_byte(size_t i)
{
    return (uint8_t)(i * 13 + (i >> 9));
}

static bool is_piece(const uint8_t *at, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != piece_byte(first + i))
            return false;
    return true;
}

/* {head, piece, piece}: the parts as asked for, wherever they are. */
static void read_in_place(void *user, rg_rpc_request *request)
{
    in_place *p = user;
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    if (rg_rpc_request_method(request) == PARK) {
        for (size_t i = 0; i < 2; i++)
            p->parts[i] = rg_rpc_request_part(request, HEAD_BYTES + i * PIECE, PIECE);
        atomic_store(&p->parked, request);
        rg_latch_open(&p->parking);
        return;
    }
    if (rg_rpc_request_method(request) == COUNT)
        rg_latch_open(&p->behind);
    const uint8_t *head = rg_rpc_request_copied(request, 0, HEAD_BYTES);
    const uint8_t *first = rg_rpc_request_part(request, HEAD_BYTES, PIECE);
    bool ok = n == HEAD_BYTES + 2 * PIECE && head == body && memcmp(head, "headhead", 8) == 0 &&
              is_piece(first, 0, PIECE);
    /* Over the end of a piece: there is no such place but the body. */
    const uint8_t *across = rg_rpc_request_part(request, HEAD_BYTES + PIECE - 10, 20);
    ok = ok && across == body + HEAD_BYTES + PIECE - 10 && is_piece(across, PIECE - 10, 10) &&
         is_piece(across + 10, 0, 10);
    ok = ok && is_piece(rg_rpc_request_copied(request, HEAD_BYTES + PIECE, PIECE), 0, PIECE);
    ok = ok && is_piece(body + HEAD_BYTES, 0, PIECE) &&
         is_piece(body + HEAD_BYTES + PIECE, 0, PIECE);
    atomic_fetch_add(first == body + HEAD_BYTES ? &p->copied : &p->in_place, 1);
    if (ok)
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    else
        rg_rpc_refuse(request, RG_ECORRUPT, "not what was sent");
}

/* Its parts are where they are lent, and nothing is missing where they are not; of one that waits
 * for its reply, too, also when the client has gone. */
static void a_server_reads_what_is_lent_in_place(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    in_place p = {0};
    size_t n;
    (void)state;
    rg_latch_init(&p.parking);
    rg_latch_init(&p.behind);
    rg_rpc_server_config config = {.endpoints = any,
                                   .n_endpoints = 1,
                                   .job = "job-1",
                                   .events = {.request = read_in_place, .reads_lent = reads_lent},
                                   .user = &p};
    assert_ok(rg_rpc_server_open(&p.server, &config));
    echo e = {.server = p.server};
    rg_rpc_client *client = echo_connect(&e, NULL);
    uint8_t *lent = rg_lent_alloc(PIECE), *own = rg_alloc(PIECE);
    for (size_t i = 0; i < PIECE; i++)
        lent[i] = own[i] = piece_byte(i);
    rg_iov iov[3] = {{"headhead", HEAD_BYTES}, {lent, PIECE}, {lent, PIECE}};
    for (int i = 0; i < 50; i++)
        assert_ok(rg_rpc_ask_once(client, ECHO, iov, 3, NULL, NULL));
    assert_int_equal(p.in_place, 50);
    iov[1].at = iov[2].at = own;
    assert_ok(rg_rpc_ask_once(client, ECHO, iov, 3, NULL, NULL));
    assert_int_equal(p.copied, 1);
    iov[1].at = iov[2].at = lent;
    rg_rpc_call *call;
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK, .iov = iov, .n = 3}));
    assert_true(rg_latch_wait(&p.parking, UINT64_MAX));
    assert_ok(rg_rpc_ask_once(client, COUNT, iov, 3, NULL, NULL)); /* behind it, in the same loop */
    assert_true(rg_latch_wait(&p.behind, UINT64_MAX));
    rg_rpc_call_close(call);
    rg_rpc_client_close(client);
    const uint8_t *body = rg_rpc_request_body(p.parked, &n);
    assert_int_equal(n, HEAD_BYTES + 2 * PIECE);
    assert_memory_equal(body, "headhead", HEAD_BYTES);
    for (size_t i = 0; i < 2; i++) {
        assert_true(p.parts[i] != body + HEAD_BYTES + i * PIECE);
        assert_true(is_piece(p.parts[i], 0, PIECE));
    }
    rg_rpc_reply(p.parked, 0, NULL, 0, NULL, NULL);
    rg_rpc_server_close(p.server);
    rg_latch_fini(&p.parking);
    rg_latch_fini(&p.behind);
    assert_true(rg_lent_free(lent, PIECE));
    rg_free(own);
}

/* ---- a reply that stays ---- */

static void keep_it(void *arg)
{
    (void)arg;
}

/* The lent piece, which stays where `user` has it; of COUNT it is not said that it does. */
static void reply_lent(void *user, rg_rpc_request *request)
{
    bool stays = rg_rpc_request_method(request) != COUNT;
    rg_rpc_reply(request, stays ? RG_FRAME_STAYS : 0, &(rg_iov){user, PIECE}, 1, keep_it, NULL);
}

static rg_status place_piece(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                             size_t *size)
{
    (void)frame;
    *at = (uint8_t *)user + offset;
    *size = PIECE - (size_t)offset;
    return RG_OK;
}

/* Who uses a reply next copies it: until then nothing of it is in its place, and afterwards all. A
 * server that does not say that it stays has it copied at once. */
static void a_reply_that_stays_is_put_in_its_place_by_who_uses_it(void **state)
{
    static const char *const any[] = {"127.0.0.1:0"};
    uint8_t *lent = rg_lent_alloc(PIECE), *own = rg_alloc_zero(1, 2 * PIECE);
    echo e = {0};
    (void)state;
    for (size_t i = 0; i < PIECE; i++)
        lent[i] = piece_byte(i);
    rg_rpc_server_config config = {.endpoints = any,
                                   .n_endpoints = 1,
                                   .job = "job-1",
                                   .events = {.request = reply_lent},
                                   .user = lent};
    assert_ok(rg_rpc_server_open(&e.server, &config));
    rg_rpc_client *client = echo_connect(&e, NULL);
    for (int i = 0; i < 4; i++) {
        bool settles = i < 2, stays = i % 2 == 0;
        rg_rpc_ask ask = {.method = stays ? ECHO : COUNT,
                          .flags = RG_FRAME_UNCHECKED,
                          .place = place_piece,
                          .place_user = own,
                          .settles = settles};
        rg_rpc_call *call;
        memset(own, 0, PIECE);
        assert_ok(rg_rpc_start(&call, client, &ask));
        assert_ok(rg_rpc_wait(call));
        assert_int_equal(is_piece(own, 0, PIECE), !(settles && stays));
        assert_ok(rg_rpc_settle(call));
        assert_true(is_piece(own, 0, PIECE));
        rg_rpc_call_close(call);
    }
    rg_rpc_client_close(client);
    rg_rpc_server_close(e.server);
    assert_true(rg_lent_free(lent, PIECE));
    rg_free(own);
}

/* What is free is used again, whatever the order in which it came back. */
static void lent_memory_is_used_again(void **state)
{
    enum { N = 64 };
    uint8_t *at[N];
    (void)state;
    uint8_t *half = rg_lent_alloc(RG_LENT_BYTES / 2);
    assert_true(rg_lent_free(half, RG_LENT_BYTES / 2));
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < N; i++) {
            at[i] = rg_lent_alloc(1 + i * 1000);
            memset(at[i], (int)i, 1 + i * 1000);
        }
        for (size_t i = 0; i < N; i++)
            assert_int_equal(at[i][i * 1000], i);
        for (size_t i = 0; i < N; i++) {
            size_t other = (i * 37 + (size_t)round) % N;
            assert_true(rg_lent_free(at[other], 1 + other * 1000));
        }
    }
    assert_null(rg_lent_alloc(RG_LENT_BYTES + 1));
    assert_ptr_equal(rg_lent_alloc(RG_LENT_BYTES / 2), half);
    assert_true(rg_lent_free(half, RG_LENT_BYTES / 2));
}

/* A child's memory is its own: what it writes its parent does not see. */
static void a_forked_child_has_its_own(void **state)
{
    int status;
    (void)state;
    uint8_t *lent = rg_lent_alloc(5000);
    memset(lent, 1, 5000);
    pid_t child = fork();
    if (child == 0) {
        bool as_before = lent[4999] == 1;
        memset(lent, 2, 5000);
        _exit(as_before && lent[4999] == 2 && rg_lent_descriptor() < 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(lent[0] + lent[4999], 2);
    assert_true(rg_lent_free(lent, 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_memory_is_read_where_it_is),
        cmocka_unit_test(a_reply_that_stays_is_put_in_its_place_by_who_uses_it),
        cmocka_unit_test(lent_memory_is_used_again),
        cmocka_unit_test(a_server_reads_what_is_lent_in_place),
        cmocka_unit_test(a_forked_child_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
