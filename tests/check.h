/* check.h - what every C test includes: cmocka, and a check that shows the library's message. */
#ifndef RG_TESTS_CHECK_H
#define RG_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* The call must succeed; if not, the test fails with its message. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        rg_status check_code_ = (call);                                                            \
        if (check_code_ != RG_OK)                                                                  \
            fail_msg("%s: %s", rg_status_name(check_code_), rg_error_message());                   \
    } while (0)

/* The call must fail with this code and a message that holds `text`. */
#define assert_fails(call, wanted, text)                                                           \
    do {                                                                                           \
        rg_status check_code_ = (call);                                                            \
        if (check_code_ != (wanted))                                                               \
            fail_msg("%s, and %s was expected", rg_status_name(check_code_),                       \
                     rg_status_name(wanted));                                                      \
        if (strstr(rg_error_message(), (text)) == NULL)                                            \
            fail_msg("the message is '%s', and should hold '%s'", rg_error_message(), (text));     \
    } while (0)

#define RUN(...)                                                                                   \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
