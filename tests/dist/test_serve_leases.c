/* test_serve_leases.c - data that a server deals: what a trainer hears of its pass. */
#include "dist/asking.h"

#include "dist/deal.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/folder.h"

static void begins(const fixture *f, int trainer, uint32_t reading)
{
    static const uint64_t sizes[] = {100, 200};
    rg_deal_plan plan = {
        .reading = reading, .n_files = 2, .digest = 7, .range_bytes = 0, .sizes = sizes};
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_deal_plan_write(&body, &plan);
    assert_ok(ask(f->clients[trainer], RG_PS_DEAL, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
}

/* Asks for a range, and is done with the one that it has, which is of no examples. */
static bool takes(const fixture *f, int trainer, uint32_t reading, bool is_done, rg_lease *lease,
                  rg_pass_state *is)
{
    static uint64_t ticket;
    rg_lease_done done = {lease->range, lease->generation, 0};
    rg_lease_ask a = {
        .reading = reading, .wants = true, .ticket = ++ticket, .done = &done, .n_done = is_done};
    uint8_t *reply;
    size_t n;
    bool given;
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_lease_ask_write(&body, &a);
    assert_ok(ask(f->clients[trainer], RG_PS_LEASE, body.data, body.len, &reply, &n));
    assert_ok(rg_lease_given_read(reply, n, &given, lease, is));
    rg_free(reply);
    rg_buf_fini(&body);
    return given;
}

/* Or what the job says at its end, the sum of its passes, would be wrong. */
static void who_comes_late_hears_of_its_own_pass(void **state)
{
    fixture f;
    rg_lease lease = {0}, none = {0};
    rg_pass_state is;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    begins(&f, 0, 0);
    begins(&f, 1, 0);
    assert_true(takes(&f, 0, 0, false, &lease, &is));
    assert_true(takes(&f, 0, 0, true, &lease, &is));
    assert_false(takes(&f, 1, 0, false, &none, &is));
    assert_true(!is.over && is.done == 1);
    assert_false(takes(&f, 0, 0, true, &lease, &is));
    assert_true(is.over && is.done == 2);
    begins(&f, 0, 1);
    assert_true(takes(&f, 0, 1, false, &lease, &is));
    assert_true(takes(&f, 0, 1, true, &lease, &is));
    assert_true(!is.over && is.done == 1);
    /* The other one still waits in the first pass. */
    assert_false(takes(&f, 1, 0, false, &none, &is));
    assert_true(is.over);
    assert_int_equal(is.done, 2);
    assert_false(takes(&f, 0, 1, true, &lease, &is));
    finish(&f);
}

/* ---- a server that is started again ---- */

static void keep_a_journal(const char *folder)
{
    assert_ok(rg_flag_set("ps_journal", folder != NULL ? "everysec" : "off"));
    assert_ok(rg_flag_set("ps_journal_dir", folder != NULL ? folder : ""));
    assert_ok(rg_flag_set("ps_return_seconds", folder != NULL ? "60" : "0"));
    assert_ok(rg_flag_set("ps_snapshot_seconds", "0"));
}

static rg_status count_snapshot(void *arg, const char *name)
{
    *(int *)arg += strncmp(name, "ckpt-", 5) == 0 && strchr(name, '.') == NULL;
    return RG_OK;
}

/* From now on, and until there is one more than that of the beginning. */
static void take_a_snapshot(const char *path)
{
    rg_folder *root, *folder;
    int n = 0;
    assert_ok(rg_flag_set("ps_snapshot_seconds", "1"));
    assert_ok(rg_folder_open(&root, path));
    assert_ok(rg_folder_enter(&folder, root, "server-0", false));
    for (int i = 0; n < 2 && i < 3000; i++) {
        rg_clock_sleep(10000000);
        n = 0;
        assert_ok(rg_folder_each(folder, count_snapshot, &n));
    }
    assert_int_equal(n, 2);
    rg_folder_close(folder);
    rg_folder_close(root);
}

/* Of these examples, with the gradient 1 for all of w. */
static void write_leased(rg_buf *body, const rg_lease *of, uint64_t from, uint64_t to)
{
    const uint32_t w = W;
    const rg_push_tag tag = {0, of->range, of->generation, from, to};
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, &w, 1, NULL, NULL, 0, &w, 1);
    rg_push_sign(body, 0, false, 0);
    rg_push_tag_with(body, &tag, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_add(body, &(float){1}, sizeof(float));
    assert_ok(rg_buf_status(body));
}

static void wait_until_it_waits(const fixture *f)
{
    size_t n = 0;
    for (int i = 0; n == 0 && i < 3000; i++) {
        uint8_t *reply = NULL;
        rg_clock_sleep(10000000);
        assert_ok(ask(f->clients[0], RG_PS_WAITS, NULL, 0, &reply, &n));
        rg_free(reply);
    }
    assert_true(n > 0);
}

/* The same server: its program names its address. */
static void start_again(server *s)
{
    char endpoint[sizeof s->endpoint];
    memcpy(endpoint, s->endpoint, sizeof endpoint);
    server_prepare(s, RG_UPDATE_SYNC, TRAINERS, "127.0.0.1");
    memcpy(s->endpoint, endpoint, sizeof endpoint);
    assert_ok(rg_opdesc_set_attr(
        s->listen, &(rg_attr){.name = "endpoint", .type = RG_ATTR_STRING, .s = s->endpoint}));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

/* Another process in the place of this trainer, which has nothing more to do. */
static void leaves(const fixture *f, int trainer)
{
    rg_rpc_client *client;
    const rg_rpc_client_config config = {.security = security,
                                         .me = {.role = RG_RPC_TRAINER,
                                                .trainer = trainer,
                                                .incarnation = 1,
                                                .name = "someone",
                                                .host = "here",
                                                .pid = 8},
                                         .deadline_ms = 20000};
    assert_ok(rg_rpc_client_open(&client, f->server.endpoint, &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    assert_ok(ask(client, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    rg_rpc_client_close(client);
}

/* It waits for its step when the snapshot is taken: what it brings has come before, and is not to
 * come once more. */
static void a_push_of_what_has_come_takes_nothing_back(void **state)
{
    char folder[] = "/tmp/regatta-leases-XXXXXX";
    const uint32_t w = W;
    uint8_t *reply;
    size_t n;
    fixture f;
    rg_lease a = {0}, b = {0};
    rg_pass_state is;
    rg_buf first, second;
    (void)state;
    assert_non_null(mkdtemp(folder));
    keep_a_journal(folder);
    start(&f, RG_UPDATE_SYNC);
    begins(&f, 0, 0);
    begins(&f, 1, 0);
    assert_true(takes(&f, 0, 0, false, &a, &is));
    assert_true(takes(&f, 1, 0, false, &b, &is));
    write_leased(&first, &a, 0, 4);
    write_leased(&second, &b, 0, 4);
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_PUSH, &first);
    assert_ok(ask(f.clients[1], RG_PS_PUSH, second.data, second.len, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    waiting = begin(f.clients[1], RG_PS_PUSH, &second);
    wait_until_it_waits(&f);
    take_a_snapshot(folder);
    assert_ok(ask(f.clients[0], RG_PS_FAIL, "it fails", 8, NULL, NULL));
    rg_rpc_call_close(waiting);
    wait_for_end(&f);
    assert_int_not_equal(f.server.outcome, RG_OK);

    start_again(&f.server);
    leaves(&f, 0);
    rg_rpc_client *tool = connect_as(&f, RG_RPC_TOOL, -1);
    assert_ok(ask(tool, RG_PS_PULL, &w, sizeof w, &reply, &n));
    expect_w(reply, n, -1);
    rg_free(reply);
    rg_rpc_client_close(tool);
    leaves(&f, 1);
    server_end_well(&f.server);
    keep_a_journal(NULL);
    rg_buf_fini(&first);
    rg_buf_fini(&second);
    assert_ok(rg_dir_remove(folder));
}

RUN(cmocka_unit_test(who_comes_late_hears_of_its_own_pass),
    cmocka_unit_test(a_push_of_what_has_come_takes_nothing_back))
