/* test_command.c - commands whose output is read: whole, or an error that says why. */
#include "check.h"

#include "base/buf.h"
#include "sys/command.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* All it says on its output. */
static rg_status read_all(const rg_command_config *config, rg_buf *out)
{
    rg_command *command;
    char bytes[4096];
    size_t got = 0;
    rg_buf_init(out, 0);
    RG_TRY(rg_command_open(&command, config));
    rg_status code;
    while ((code = rg_command_read(command, bytes, sizeof bytes, &got)) == RG_OK && got > 0)
        rg_buf_add(out, bytes, got);
    rg_command_close(command);
    return code;
}

static rg_status run(const char *text, rg_buf *out)
{
    return read_all(&(rg_command_config){.command = text}, out);
}

static void output_is_read_whole(void **state)
{
    (void)state;
    rg_buf out;
    assert_ok(run("echo hello; echo you", &out));
    assert_string_equal(rg_buf_cstr(&out), "hello\nyou\n");
    rg_buf_fini(&out);
    assert_ok(run("head -c 5000000 /dev/zero", &out));
    assert_int_equal(out.len, 5000000);
    rg_buf_fini(&out);
    assert_ok(run("cat", &out)); /* its input is empty */
    assert_int_equal(out.len, 0);
    rg_buf_fini(&out);
}

static void a_failure_has_the_status_and_the_tail_of_what_was_said(void **state)
{
    (void)state;
    rg_buf out;
    assert_fails(run("exit 7", &out), RG_EIO, "`exit 7` ended with status 7 and said nothing");
    rg_buf_fini(&out);
    assert_fails(run("yes some words | head -c 100000 1>&2; echo the end 1>&2; exit 1", &out),
                 RG_EIO, "the end");
    assert_true(strlen(rg_error_message()) < 4000);
    rg_buf_fini(&out);
    assert_fails(run("kill -15 $$", &out), RG_EIO, "was killed by signal 15");
    rg_buf_fini(&out);
    assert_fails(run("/no/such/program", &out), RG_EIO, "ended with status 127");
    rg_buf_fini(&out);
}

static void defaults_do_not_replace_what_is_set(void **state)
{
    (void)state;
    rg_buf out;
    const char *defaults[] = {"RG_TEST_A=default", "RG_TEST_B=default", NULL};
    assert_int_equal(setenv("RG_TEST_A", "mine", 1), 0);
    assert_int_equal(unsetenv("RG_TEST_B"), 0);
    assert_ok(read_all(
        &(rg_command_config){.command = "echo $RG_TEST_A $RG_TEST_B", .defaults = defaults}, &out));
    assert_string_equal(rg_buf_cstr(&out), "mine default\n");
    rg_buf_fini(&out);
}

typedef struct numbers {
    size_t left;
    bool fail;
} numbers;

static rg_status give(void *arg, void *bytes, size_t n, size_t *got)
{
    numbers *from = arg;
    if (from->left == 0 && from->fail)
        return rg_fail(RG_ECORRUPT, "the source is broken");
    *got = from->left < n ? from->left : n;
    memset(bytes, 'x', *got);
    from->left -= *got;
    return RG_OK;
}

static void input_is_given_as_it_is_asked_for(void **state)
{
    (void)state;
    rg_buf out;
    numbers from = {3000000, false};
    rg_command_config config = {.command = "cat", .input = give, .input_arg = &from};
    assert_ok(read_all(&config, &out));
    assert_int_equal(out.len, 3000000);
    rg_buf_fini(&out);
    from = (numbers){3000000, false};
    config.command = "head -c 10"; /* stops early, and may */
    assert_ok(read_all(&config, &out));
    assert_int_equal(out.len, 10);
    rg_buf_fini(&out);
    from = (numbers){3000000, true};
    config.command = "cat";
    assert_fails(read_all(&config, &out), RG_ECORRUPT, "the source is broken");
    rg_buf_fini(&out);
}

static void *set_wake(void *arg)
{
    rg_wake_set(arg);
    return NULL;
}

static void a_wake_ends_the_wait(void **state)
{
    (void)state;
    rg_wake *wake;
    rg_buf out;
    pthread_t thread;
    static const char *const commands[] = {"sleep 1000", "exec 1>&-; sleep 1000"};
    for (int i = 0; i < 2; i++) {
        assert_ok(rg_wake_open(&wake));
        assert_false(rg_wake_is_set(wake));
        assert_int_equal(pthread_create(&thread, NULL, set_wake, wake), 0);
        assert_fails(read_all(&(rg_command_config){.command = commands[i], .wake = wake}, &out),
                     RG_ECLOSED, "stopped while `");
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(rg_wake_is_set(wake));
        rg_wake_close(wake);
        rg_buf_fini(&out);
    }
}

static void input_that_is_not_there_is_named(void **state)
{
    (void)state;
    rg_buf out;
    assert_fails(read_all(&(rg_command_config){.command = "cat", .input_path = "/no/such"}, &out),
                 RG_ENOENT, "/no/such");
    rg_buf_fini(&out);
}

RUN(cmocka_unit_test(output_is_read_whole),
    cmocka_unit_test(a_failure_has_the_status_and_the_tail_of_what_was_said),
    cmocka_unit_test(defaults_do_not_replace_what_is_set),
    cmocka_unit_test(input_is_given_as_it_is_asked_for), cmocka_unit_test(a_wake_ends_the_wait),
    cmocka_unit_test(input_that_is_not_there_is_named))
