/* test_serve_ends.c - who may take part in a server's job and ask what, and how it ends for all. */
#include "dist/asking.h"

#include <unistd.h>

static void a_short_key_is_refused_with_what_to_do(void **state)
{
    server s;
    (void)state;
    assert_int_equal(setenv("REGATTA_JOB_KEY", "ab", 1), 0);
    server_start(&s, RG_UPDATE_SYNC, 1);
    server_end(&s);
    assert_int_equal(unsetenv("REGATTA_JOB_KEY"), 0);
    assert_int_equal(s.outcome, RG_EINVAL);
    assert_non_null(strstr(s.why, "has 2 digits, and must have at least 32"));
    assert_non_null(strstr(s.why, "openssl rand -hex 32"));
}

/* What a client is told once the end has come to the loop that it talks to: another loop may have
 * answered the one who brought it a moment before. */
static rg_status ask_after_the_end(rg_rpc_client *client)
{
    rg_status code = RG_OK;
    for (int i = 0; i < 10000 && code == RG_OK; i++) {
        code = ask(client, RG_PS_SCHEMA, NULL, 0, NULL, NULL);
        if (code == RG_OK)
            usleep(1000);
    }
    return code;
}

/* What a trainer says is shown to all: as one line, whatever is in it. */
static void what_trainers_say_is_escaped(void **state)
{
    static const char text[] = "lost\x1b[2J\n2026-01-01 E ps \"all is well\"";
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_ok(ask(f.clients[0], RG_PS_FAIL, text, sizeof text - 1, NULL, NULL));
    assert_fails(ask_after_the_end(f.clients[1]), RG_ECLOSED, "lost\\x1b[2J\\n2026");
    wait_for_end(&f);
    assert_null(strchr(f.server.why, '\n'));
    assert_null(strchr(f.server.why, 0x1b));
}

static void a_failure_ends_the_job_for_all(void **state)
{
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_push(&body, 1, NULL, 0, 0);
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_PUSH, &body);
    assert_ok(ask(f.clients[1], RG_PS_FAIL, "disk full", 9, NULL, NULL));
    assert_fails(rg_rpc_wait(waiting), RG_ECLOSED,
                 "trainer 1 (pid 7 on here) has failed: disk full");
    rg_rpc_call_close(waiting);
    assert_fails(ask_after_the_end(f.clients[0]), RG_ECLOSED, "disk full");
    rg_buf_fini(&body);
    wait_for_end(&f);
    assert_int_equal(f.server.outcome, RG_ECLOSED);
    assert_non_null(strstr(f.server.why, "disk full"));
}

static void going_without_a_word_ends_it_too(void **state)
{
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, "all");
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_BARRIER, &body);
    rg_rpc_client_close(f.clients[1]);
    f.clients[1] = NULL;
    assert_fails(rg_rpc_wait(waiting), RG_ECLOSED, "trainer 1 (pid 7 on here) went");
    rg_rpc_call_close(waiting);
    rg_buf_fini(&body);
    wait_for_end(&f);
    assert_int_equal(f.server.outcome, RG_ECLOSED);
}

/* A tool reads what it likes and changes nothing; its going is no loss. */
static void tools_may_only_look(void **state)
{
    fixture f;
    rg_value got;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    rg_rpc_client *tool = connect_as(&f, RG_RPC_TOOL, RG_RPC_ANY_TRAINER);
    rg_value_init(&got);
    assert_ok(get(tool, "w", 0, -1, &got));
    assert_fails(set(tool, "w", &got), RG_EINVAL, "only a trainer");
    assert_fails(ask(tool, RG_PS_LEAVE, NULL, 0, NULL, NULL), RG_EINVAL, "only a trainer");
    assert_fails(ask(f.clients[0], 99, NULL, 0, NULL, NULL), RG_EUNIMPL, "no method 99");
    rg_value_fini(&got);
    rg_rpc_client_close(tool);
    step(&f, 2, 2, -2);
    finish(&f);
}

static rg_status try_to_join(const fixture *f, int trainer, uint32_t trainers, uint8_t digest)
{
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER,
                                          .trainer = trainer,
                                          .trainers = trainers,
                                          .digest = {digest},
                                          .name = "trainer x"},
                                   .deadline_ms = 20000};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, f->server.endpoint, &config));
    rg_status code = rg_rpc_client_ready(client, NULL);
    char text[512];
    (void)snprintf(text, sizeof text, "%s", rg_error_message());
    rg_rpc_client_close(client);
    return code == RG_OK ? RG_OK : rg_fail(code, "%s", text);
}

static void who_does_not_belong_is_refused(void **state)
{
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_fails(try_to_join(&f, 1, 0, 0), RG_EINVAL, "trainer number 1 is taken by trainer 1");
    assert_fails(try_to_join(&f, 2, 0, 0), RG_EINVAL, "no trainer 2 in a job of 2");
    assert_fails(try_to_join(&f, 1, 3, 0), RG_EINVAL, "believes that there are 3 trainers");
    assert_fails(try_to_join(&f, RG_RPC_ANY_TRAINER, 0, 0), RG_EINVAL, "all of them have come");
    step(&f, 1, 1, -1);
    finish(&f);
}

RUN(cmocka_unit_test(a_failure_ends_the_job_for_all),
    cmocka_unit_test(what_trainers_say_is_escaped),
    cmocka_unit_test(a_short_key_is_refused_with_what_to_do),
    cmocka_unit_test(going_without_a_word_ends_it_too), cmocka_unit_test(tools_may_only_look),
    cmocka_unit_test(who_does_not_belong_is_refused))
