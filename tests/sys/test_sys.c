/* test_sys.c - flags, files, pages and thread pools. */
#include "check.h"

#include "sys/file.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/pages.h"
#include "sys/pool.h"

#include <stdlib.h>
#include <unistd.h>

static void a_flag_is_set_and_read_with_or_without_its_prefix(void **state)
{
    (void)state;
    assert_false(rg_flag_bool("check_nan_inf"));
    assert_ok(rg_flag_set("FLAGS_check_nan_inf", "True"));
    assert_true(rg_flag_bool("check_nan_inf"));
    assert_ok(rg_flag_set("check_nan_inf", "0"));
    assert_false(rg_flag_bool("check_nan_inf"));
}

static void a_flag_that_does_not_exist_is_refused_by_name(void **state)
{
    (void)state;
    assert_fails(rg_flag_set("FLAGS_no_such", "1"), RG_ENOENT, "FLAGS_no_such is not a flag");
}

static void a_value_that_cannot_be_read_names_the_variable(void **state)
{
    (void)state;
    assert_int_equal(setenv("FLAGS_paddle_num_threads", "many", 1), 0);
    assert_fails(rg_flags_from_environment(), RG_EINVAL,
                 "FLAGS_paddle_num_threads is 'many', and must be a whole number");
    assert_int_equal(unsetenv("FLAGS_paddle_num_threads"), 0);
    assert_int_equal(rg_flag_int("paddle_num_threads"), 1);
}

static void files_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    char path[64], bytes[8];
    rg_file *file;
    rg_buf all;
    (void)snprintf(path, sizeof path, "/tmp/regatta-test-sys-%d", (int)getpid());
    assert_ok(rg_file_create(&file, path));
    assert_ok(rg_file_write(file, "hello", 5));
    assert_ok(rg_file_finish(file));
    rg_file_close(file);
    assert_ok(rg_file_open(&file, path));
    assert_int_equal(rg_file_size(file), 5);
    assert_fails(rg_file_read(file, bytes, 8), RG_ECORRUPT, "ends at byte 5, 3 bytes early");
    rg_file_close(file);
    rg_buf_init(&all, 0);
    assert_fails(rg_file_read_all(path, 4, &all), RG_ETOOBIG, "has 5 bytes, and at most 4");
    assert_ok(rg_file_read_all(path, 5, &all));
    assert_memory_equal(all.data, "hello", 5);
    rg_buf_fini(&all);
    assert_ok(rg_dir_remove(path));
    assert_fails(rg_file_open(&file, path), RG_ENOENT, "No such file");
    assert_fails(rg_file_open(&file, "/tmp"), RG_EIO, "it is a folder");
}

static void large_memory_starts_on_a_huge_page(void **state)
{
    (void)state;
    size_t bytes = 5 * 1024 * 1024;
    char *pages = rg_pages_alloc(bytes);
    assert_non_null(pages);
    assert_int_equal((uintptr_t)pages % (2 * 1024 * 1024), 0);
    pages[0] = pages[bytes - 1] = 1;
    rg_pages_free(pages, bytes);
    assert_null(rg_pages_alloc(SIZE_MAX - 10));
}

static rg_status add_up(void *arg, int thread)
{
    ((int *)arg)[thread] += thread + 1;
    return RG_OK;
}

static rg_status fail_on_two(void *arg, int thread)
{
    (void)arg;
    return thread == 2 || thread == 3 ? rg_fail(RG_EVALUE, "thread %d is unhappy", thread) : RG_OK;
}

static void a_pool_runs_each_part_once_and_brings_failures_back(void **state)
{
    (void)state;
    rg_pool *pool;
    int sums[4] = {0};
    assert_ok(rg_pool_open(&pool, 4));
    for (int i = 0; i < 1000; i++)
        assert_ok(rg_pool_run(pool, add_up, sums));
    for (int i = 0; i < 4; i++)
        assert_int_equal(sums[i], 1000 * (i + 1));
    assert_fails(rg_pool_run(pool, fail_on_two, NULL), RG_EVALUE, "thread 2 is unhappy");
    assert_ok(rg_pool_run(pool, add_up, sums));
    rg_pool_close(pool);
    assert_fails(rg_pool_open(&pool, 0), RG_EINVAL, "a pool of 0 threads");
}

static rg_status wait_for_three(void *arg, int thread)
{
    rg_status code = RG_OK;
    (void)arg;
    if (thread == 3)
        return rg_fail(RG_EVALUE, "thread 3 has failed");
    while (code == RG_OK)
        code = rg_interrupted();
    return code;
}

/* What the others wait for will never come. */
static void a_failure_halts_the_other_parts_of_a_pool(void **state)
{
    (void)state;
    rg_pool *pool;
    int sums[4] = {0};
    assert_ok(rg_pool_open(&pool, 4));
    for (int i = 0; i < 100; i++)
        assert_fails(rg_pool_run(pool, wait_for_three, NULL), RG_EVALUE, "thread 3 has failed");
    assert_ok(rg_interrupted());
    assert_ok(rg_pool_run(pool, add_up, sums));
    rg_pool_close(pool);
}

RUN(cmocka_unit_test(a_flag_is_set_and_read_with_or_without_its_prefix),
    cmocka_unit_test(a_flag_that_does_not_exist_is_refused_by_name),
    cmocka_unit_test(a_value_that_cannot_be_read_names_the_variable),
    cmocka_unit_test(files_are_read_whole_or_not_at_all),
    cmocka_unit_test(large_memory_starts_on_a_huge_page),
    cmocka_unit_test(a_pool_runs_each_part_once_and_brings_failures_back),
    cmocka_unit_test(a_failure_halts_the_other_parts_of_a_pool))
