/* test_serve_waits.c - a server whose trainers do not come, or whose disk does not answer. */
#include "dist/whole_server.h"

#include "base/mem.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/latch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* What a client of the server has heard. */
typedef struct ears {
    atomic_int dead, back;
} ears;

static void hear_dead(void *user, const char *how)
{
    (void)how;
    ((ears *)user)->dead++;
}

static void hear_connected(void *user, const rg_rpc_welcome *welcome, bool again)
{
    (void)welcome;
    ((ears *)user)->back += again;
}

static rg_rpc_client *connect_again(const server *s, int trainer, uint32_t incarnation, ears *e)
{
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER,
                                          .trainer = trainer,
                                          .incarnation = incarnation,
                                          .name = "someone",
                                          .host = "here"},
                                   .events = {.dead = hear_dead, .connected = hear_connected},
                                   .user = e};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, s->endpoint, &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

static rg_rpc_client *connect_to(const server *s, int trainer, ears *e)
{
    return connect_again(s, trainer, 0, e);
}

static rg_status ask(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    const rg_iov iov = {body ? body->data : NULL, body ? body->len : 0};
    return rg_rpc_ask_once(client, method, &iov, 1, NULL, NULL);
}

static rg_rpc_call *begin(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    rg_rpc_call *call;
    const rg_iov iov = {body->data, body->len};
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = method, .iov = &iov, .n = 1}));
    return call;
}

static void write_push(rg_buf *body, uint32_t rows)
{
    const uint32_t w = W, table = TABLE;
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, &w, 1, &table, &rows, rows > 0, &w, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_u32(body, 0);
    for (uint32_t i = 0; i < rows; i++)
        rg_buf_u64(body, i);
    for (uint32_t i = 0; i < rows * WIDTH; i++)
        rg_buf_u32(body, 0);
    assert_ok(rg_buf_status(body));
}

static void nap(int ms)
{
    rg_latch never;
    rg_latch_init(&never);
    (void)rg_latch_wait(&never, (uint64_t)ms);
    rg_latch_fini(&never);
}

static void set_flag(const char *name, const char *value)
{
    assert_ok(rg_flag_set(name, value));
}

/* ---- who does not come ---- */

/* In sync mode its step is waited for. */
static void a_step_without_a_trainer_ends_the_job(void **state)
{
    server s;
    ears e = {0};
    rg_buf body;
    uint8_t *text;
    size_t n;
    (void)state;
    set_flag("ps_join_seconds", "1");
    server_start(&s, RG_UPDATE_SYNC, 2);
    rg_rpc_client *client = connect_to(&s, 0, &e);
    write_push(&body, 0);
    rg_rpc_call *call = begin(client, RG_PS_PUSH, &body);
    assert_ok(rg_rpc_ask_once(client, RG_PS_WAITS, NULL, 0, &text, &n));
    assert_true(n > 0);
    text[n - 1] = '\0';
    assert_non_null(strstr((char *)text, "waits for trainer 1, which was never seen; ready: "
                                         "trainer 0 (pid"));
    rg_free(text);
    assert_fails(rg_rpc_wait(call), RG_ETIMEOUT, "trainer 1, which was never seen");
    assert_fails(ask(client, RG_PS_SCHEMA, NULL), RG_ETIMEOUT, "FLAGS_ps_join_seconds");
    rg_rpc_call_close(call);
    rg_rpc_client_close(client);
    rg_buf_fini(&body);
    server_end(&s);
    assert_int_equal(s.outcome, RG_ETIMEOUT);
}

/* In async nobody waits for it while there is work; when the rest is done there is no other end. */
static void the_others_work_on_until_they_are_done(void **state)
{
    server s;
    ears e = {0};
    rg_buf body;
    (void)state;
    set_flag("ps_join_seconds", "1");
    server_start(&s, RG_UPDATE_ASYNC, 2);
    rg_rpc_client *client = connect_to(&s, 0, &e);
    write_push(&body, 0);
    for (int i = 0; i < 8; i++) {
        assert_ok(ask(client, RG_PS_PUSH, &body));
        nap(200);
    }
    assert_ok(ask(client, RG_PS_LEAVE, NULL));
    rg_rpc_client_close(client);
    rg_buf_fini(&body);
    server_end(&s);
    assert_int_equal(s.outcome, RG_ETIMEOUT);
    assert_non_null(strstr(s.why, "trainer 1, which was never seen; ready: trainer 0"));
    assert_non_null(strstr(s.why, "which is done"));
}

/* One that is done leaves another one behind, which does nothing. */
static void one_that_does_nothing_is_named(void **state)
{
    server s;
    ears e = {0};
    uint8_t *text;
    size_t n;
    (void)state;
    server_start(&s, RG_UPDATE_ASYNC, 2);
    rg_rpc_client *done = connect_to(&s, 0, &e), *stuck = connect_to(&s, 1, &e);
    assert_ok(rg_rpc_ask_once(stuck, RG_PS_WAITS, NULL, 0, NULL, &n));
    assert_int_equal(n, 0); /* both may be at work */
    assert_ok(ask(done, RG_PS_SCHEMA, NULL));
    assert_ok(ask(stuck, RG_PS_SCHEMA, NULL));
    assert_ok(ask(done, RG_PS_LEAVE, NULL));
    nap(1200);
    assert_ok(rg_rpc_ask_once(stuck, RG_PS_WAITS, NULL, 0, &text, &n));
    assert_true(n > 0);
    text[n - 1] = '\0';
    assert_non_null(strstr((char *)text, "waits for trainer 1 (pid"));
    assert_non_null(strstr((char *)text, "which lives and last asked for something"));
    rg_free(text);
    assert_ok(ask(stuck, RG_PS_LEAVE, NULL));
    rg_rpc_client_close(done);
    rg_rpc_client_close(stuck);
    server_end_well(&s);
}

/* ---- work that takes long ---- */

/* A trainer that comes back is let in while the engine works: the door has a lock of its own. */
static void the_door_does_not_wait_for_the_engine(void **state)
{
    server s;
    ears e[2] = {0};
    rg_buf body;
    (void)state;
    set_flag("ps_join_seconds", "0");
    set_flag("rpc_lease_ms", "600");
    (void)setenv("RG_FAULT", "ps.slab:1:delay", 1);
    server_start(&s, RG_UPDATE_ASYNC, 2);
    rg_rpc_client *busy = connect_to(&s, 0, &e[0]), *other = connect_to(&s, 1, &e[1]);
    write_push(&body, 3);
    rg_rpc_call *call = begin(busy, RG_PS_PUSH, &body);
    nap(50);
    rg_rpc_client_cut(other);
    assert_ok(rg_rpc_wait(call));
    assert_int_equal(e[1].back, 1);
    assert_int_equal(e[0].dead + e[1].dead, 0);
    assert_ok(ask(other, RG_PS_LEAVE, NULL));
    assert_ok(ask(busy, RG_PS_LEAVE, NULL));
    rg_rpc_call_close(call);
    rg_rpc_client_close(busy);
    rg_rpc_client_close(other);
    rg_buf_fini(&body);
    server_end_well(&s);
    (void)unsetenv("RG_FAULT");
}

/* A trainer goes while the engine works, and another process has its number before the engine has
 * heard of that: the one that came is not the one that is gone. */
static void who_takes_a_number_is_not_taken_for_the_one_before(void **state)
{
    const double x = 1;
    server s;
    ears e = {0};
    rg_buf body;
    (void)state;
    set_flag("ps_join_seconds", "0");
    set_flag("rpc_lease_ms", "10000");
    set_flag("ps_elastic", "1");
    server_prepare(&s, RG_UPDATE_ASYNC, 2, "127.0.0.1");
    set_flag("ps_loops", "2"); /* each trainer has one */
    (void)setenv("RG_FAULT", "ps.reduce:1:delay", 1);
    assert_int_equal(pthread_create(&s.thread, NULL, serve, &s), 0);
    rg_rpc_client *busy = connect_to(&s, 0, &e), *old = connect_to(&s, 1, &e);
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, "auc!"); /* its length keeps what follows at a multiple of 8 */
    rg_buf_u32(&body, 0);
    rg_buf_u32(&body, 0);
    rg_buf_add(&body, &x, sizeof x);
    rg_rpc_call *waiting = begin(old, RG_PS_REDUCE, &body);
    assert_ok(ask(old, RG_PS_SCHEMA, NULL)); /* the server has what was sent before */
    rg_rpc_call *call = begin(busy, RG_PS_REDUCE, &body);
    nap(100); /* the engine adds up */
    rg_rpc_call_close(waiting);
    rg_rpc_client_close(old);
    nap(100);
    rg_rpc_client *fresh = connect_again(&s, 1, 1, &e);
    assert_ok(rg_rpc_wait(call));
    assert_ok(ask(fresh, RG_PS_SCHEMA, NULL));
    assert_ok(ask(busy, RG_PS_LEAVE, NULL));
    assert_ok(ask(fresh, RG_PS_LEAVE, NULL));
    rg_rpc_call_close(call);
    rg_rpc_client_close(busy);
    rg_rpc_client_close(fresh);
    rg_buf_fini(&body);
    server_end_well(&s);
    (void)unsetenv("RG_FAULT");
    set_flag("ps_elastic", "0");
}

/* Nobody is buried, all others are served, and the save fails by name in time. */
static void a_disk_that_does_not_answer(void **state)
{
    char folder[] = "/tmp/regatta-test-waits-XXXXXX",
         other_folder[] = "/tmp/regatta-test-waits-XXXXXX";
    server s;
    ears e[2] = {0};
    rg_buf push, save, get, elsewhere; /* a file has one writer at a time */
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_non_null(mkdtemp(other_folder));
    set_flag("ps_join_seconds", "0");
    set_flag("ps_save_seconds", "1");
    set_flag("ps_save_root", "/tmp");
    set_flag("rpc_lease_ms", "500");
    server_prepare(&s, RG_UPDATE_ASYNC, 2, "127.0.0.1"); /* which reads a file */
    (void)setenv("RG_FAULT", "file.open:1:stall", 1);
    assert_int_equal(pthread_create(&s.thread, NULL, serve, &s), 0);
    rg_rpc_client *saver = connect_to(&s, 0, &e[0]), *other = connect_to(&s, 1, &e[1]);
    write_push(&push, 3);
    assert_ok(ask(saver, RG_PS_PUSH, &push));
    rg_buf_init(&save, 0);
    rg_ps_change_write(&save, &(rg_ps_change){1, 1});
    rg_ps_save_write(&save, folder, "table");
    rg_buf_init(&elsewhere, 0);
    rg_ps_change_write(&elsewhere, &(rg_ps_change){2, 1});
    rg_ps_save_write(&elsewhere, other_folder, "table");
    rg_buf_init(&get, 0);
    rg_ps_put_text(&get, "w");
    rg_buf_u64(&get, 0);
    rg_buf_u64(&get, UINT64_MAX);
    rg_rpc_call *call = begin(saver, RG_PS_SAVE, &save),
                *queued = begin(saver, RG_PS_SAVE, &elsewhere);
    rg_rpc_client_cut(other);
    for (int i = 0; i < 10; i++) {
        assert_ok(ask(other, RG_PS_PUSH, &push));
        assert_ok(ask(other, RG_PS_GET, &get));
        nap(50);
    }
    assert_fails(rg_rpc_wait(call), RG_ETIMEOUT, "FLAGS_ps_save_seconds");
    assert_ok(rg_rpc_wait(queued)); /* by another thread */
    assert_int_equal(e[0].dead + e[1].dead, 0);
    assert_ok(ask(saver, RG_PS_SAVE, &elsewhere));
    assert_ok(ask(other, RG_PS_LEAVE, NULL));
    assert_ok(ask(saver, RG_PS_LEAVE, NULL));
    rg_rpc_call_close(call);
    rg_rpc_call_close(queued);
    rg_rpc_client_close(saver);
    rg_rpc_client_close(other);
    rg_buf_fini(&push);
    rg_buf_fini(&save);
    rg_buf_fini(&elsewhere);
    rg_buf_fini(&get);
    server_end_well(&s);
    (void)unsetenv("RG_FAULT");
    assert_ok(rg_dir_remove(folder));
    assert_ok(rg_dir_remove(other_folder));
}

RUN(cmocka_unit_test(a_step_without_a_trainer_ends_the_job),
    cmocka_unit_test(the_others_work_on_until_they_are_done),
    cmocka_unit_test(one_that_does_nothing_is_named),
    cmocka_unit_test(the_door_does_not_wait_for_the_engine),
    cmocka_unit_test(who_takes_a_number_is_not_taken_for_the_one_before),
    cmocka_unit_test(a_disk_that_does_not_answer))
