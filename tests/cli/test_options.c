/* test_options.c - options as gflags had them. */
#include "check.h"

#include "cli/options.c" /* the command's files are in no library */

static const rg_option table[] = {
    RG_NUMBER("port", "7164", 1, 65535, "a port"),
    {.name = "ratio", .type = RG_OPTION_FLOAT, .initial = "0.5", .doc = "a share"},
    RG_SWITCH("local", "true", "alone"),
    RG_SWITCH("normal", "false", "begins as a negation does"),
    RG_WORD("config", "", "a file"),
    {.name = "job", .initial = "train", .doc = "what to do", .choices = "train|test|time"},
    RG_REFUSED("use_gpu", BOOL, "false", "there is none"),
    RG_REFUSED("eps", FLOAT, "1e-5", "it is what it is"),
    RG_MOOT("buf_size", INT, "10", "the system knows"),
    {.name = NULL},
};

static rg_options o;

#define READ(...)                                                                        \
    rg_options_read(&o, table, (int)(sizeof((char *[]){"it", __VA_ARGS__}) / sizeof(char *)), \
                    (char *[]){"it", __VA_ARGS__})

static void values_are_given_in_either_way(void **state)
{
    (void)state;
    assert_ok(READ("--port=1", "--config", "a=b.py", "-ratio", "-2.5", "--local=False"));
    assert_int_equal(rg_option_int(&o, "port"), 1);
    assert_string_equal(rg_option_text(&o, "config"), "a=b.py");
    assert_string_equal(rg_option_text(&o, "ratio"), "-2.5");
    assert_false(rg_option_bool(&o, "local"));
    assert_true(rg_option_given(&o, "local"));
    assert_false(rg_option_given(&o, "normal"));
    assert_ok(READ("--config=")); /* empty, and given */
    assert_true(rg_option_given(&o, "config"));
    assert_int_equal(rg_option_int(&o, "port"), 7164);
    assert_ok(READ("--port=1", "--port=2")); /* the last one counts */
    assert_int_equal(rg_option_int(&o, "port"), 2);
    assert_ok(READ("--"));
}

static void booleans_have_two_names(void **state)
{
    (void)state;
    assert_ok(READ("--nolocal", "--normal"));
    assert_false(rg_option_bool(&o, "local"));
    assert_true(rg_option_bool(&o, "normal"));
    assert_ok(READ("--local=1", "--nonormal"));
    assert_string_equal(rg_option_text(&o, "local"), "true");
    assert_fails(READ("--local", "0"), RG_EINVAL, "write --local=0");
    assert_fails(READ("--local=2"), RG_EINVAL, "true or false, and not '2'");
    assert_fails(READ("--nolocal=1"), RG_EINVAL, "no option --nolocal");
    assert_fails(READ("--noport"), RG_EINVAL, "no option --noport");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_fails(READ("--prot=1"), RG_EINVAL, "no option --prot; did you mean --port?");
    assert_fails(READ("--conf=x"), RG_EINVAL, "did you mean --config?");
    assert_fails(READ("--LOCAL"), RG_EINVAL, "no option --LOCAL");
    assert_fails(READ("--somethingelse=1"), RG_EINVAL, "no option --somethingelse");
    assert_null(strstr(rg_error_message(), "did you mean"));
    assert_fails(READ("--port=1x"), RG_EINVAL, "whole number, and not '1x'");
    assert_fails(READ("--port="), RG_EINVAL, "whole number, and not ''");
    assert_fails(READ("--port=99999999999999999999"), RG_EINVAL, "whole number");
    assert_fails(READ("--port=0"), RG_EINVAL, "goes from 1 to 65535");
    assert_fails(READ("--ratio=high"), RG_EINVAL, "takes a number, and not 'high'");
    assert_fails(READ("--config"), RG_EINVAL, "--config has no value");
    assert_fails(READ("train.py"), RG_EINVAL, "'train.py' is no option");
    assert_fails(READ("-"), RG_EINVAL, "'-' is no option");
    assert_fails(READ("--", "x"), RG_EINVAL, "'x' is no option");
    assert_fails(READ("--="), RG_EINVAL, "no option --");
}

static void what_cannot_be_had_may_be_declined(void **state)
{
    (void)state;
    assert_ok(READ("--use_gpu=0", "--eps=0.00001"));
    assert_ok(READ("--nouse_gpu"));
    assert_fails(READ("--use_gpu"), RG_EINVAL, "--use_gpu=true cannot be had: there is none");
    assert_fails(READ("--eps=1"), RG_EINVAL, "it is what it is");
}

static void some_have_no_effect_and_some_have_few_values(void **state)
{
    (void)state;
    assert_ok(READ("--buf-size=11", "--job=test"));
    assert_int_equal(rg_option_int(&o, "buf_size"), 11);
    assert_fails(READ("--buf_size=x"), RG_EINVAL, "whole number");
    assert_fails(READ("--job=tes"), RG_EINVAL, "one of train|test|time, and not 'tes'");
    assert_fails(READ("--job="), RG_EINVAL, "one of");
    assert_fails(READ("--job=test|time"), RG_EINVAL, "one of");
}

static void help_is_heard_before_all(void **state)
{
    (void)state;
    assert_ok(READ("--prot=1", "--help"));
    assert_true(o.help);
}

static void words_are_near_or_far(void **state)
{
    char a[80], b[80];
    (void)state;
    assert_int_equal(rg_spelling_distance("train", "train"), 0);
    assert_int_equal(rg_spelling_distance("tarin", "train"), 1);
    assert_int_equal(rg_spelling_distance("", "abc"), 3);
    assert_int_equal(rg_spelling_distance("kitten", "sitting"), 3);
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    a[79] = b[70] = '\0';
    assert_int_equal(rg_spelling_distance(a, b), MAX_WORD); /* too long to look at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_given_in_either_way),
        cmocka_unit_test(booleans_have_two_names),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_cannot_be_had_may_be_declined),
        cmocka_unit_test(some_have_no_effect_and_some_have_few_values),
        cmocka_unit_test(help_is_heard_before_all),
        cmocka_unit_test(words_are_near_or_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
