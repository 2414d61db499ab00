/* test_command.c - shell commands: what they say, how they end, and what they leave behind. */
#include "check.h"

#include "base/buf.h"
#include "sys/command.h"

#include <stdlib.h>

static rg_status read_all(const char *text, rg_buf *out)
{
    rg_command *command;
    char bytes[256];
    size_t got;
    RG_TRY(rg_command_open(&command, &(rg_command_config){.command = text}));
    rg_status code;
    while ((code = rg_command_read(command, bytes, sizeof bytes, &got)) == RG_OK && got > 0)
        rg_buf_printf(out, "%.*s", (int)got, bytes);
    rg_command_close(command);
    return code;
}

static void the_output_is_read_to_its_end(void **state)
{
    (void)state;
    rg_buf out;
    rg_buf_init(&out, 1 << 20);
    assert_ok(read_all("echo one; echo two", &out));
    assert_string_equal(rg_buf_cstr(&out), "one\ntwo\n");
    rg_buf_fini(&out);
}

static void a_status_and_a_signal_are_failures(void **state)
{
    (void)state;
    rg_buf out;
    rg_buf_init(&out, 1 << 20);
    assert_fails(read_all("echo half; echo why >&2; exit 3", &out), RG_EIO, "ended with status 3");
    assert_fails(read_all("exit 4", &out), RG_EIO, "said nothing");
    assert_fails(read_all("kill -9 $$", &out), RG_EIO, "was killed by signal 9");
    rg_buf_fini(&out);
}

/* The child holds the output open; nobody will ever close it. */
static void children_of_a_shell_that_failed_are_ended(void **state)
{
    (void)state;
    rg_buf out;
    rg_buf_init(&out, 1 << 20);
    assert_fails(read_all("echo half; sleep 1000 & kill -9 $$", &out), RG_EIO, "signal 9");
    assert_fails(read_all("echo half; sleep 1000 & exit 5", &out), RG_EIO, "status 5");
    rg_buf_fini(&out);
}

static void children_of_a_shell_that_ended_well_may_go_on(void **state)
{
    (void)state;
    rg_buf out;
    rg_buf_init(&out, 1 << 20);
    assert_ok(read_all("(sleep 1; echo late) & echo early", &out));
    assert_string_equal(rg_buf_cstr(&out), "early\nlate\n");
    rg_buf_fini(&out);
}

static void a_wake_ends_the_wait(void **state)
{
    (void)state;
    rg_wake *wake;
    rg_command *command;
    char bytes[16];
    size_t got;
    assert_ok(rg_wake_open(&wake));
    assert_ok(
        rg_command_open(&command, &(rg_command_config){.command = "sleep 1000", .wake = wake}));
    rg_wake_set(wake);
    assert_fails(rg_command_read(command, bytes, sizeof bytes, &got), RG_ECLOSED, "sleep 1000");
    rg_command_close(command);
    rg_wake_close(wake);
}

RUN(cmocka_unit_test(the_output_is_read_to_its_end),
    cmocka_unit_test(a_status_and_a_signal_are_failures),
    cmocka_unit_test(children_of_a_shell_that_failed_are_ended),
    cmocka_unit_test(children_of_a_shell_that_ended_well_may_go_on),
    cmocka_unit_test(a_wake_ends_the_wait))
