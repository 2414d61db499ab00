/* test_sys.c - flags, streams, files, pages and thread pools. */
#include "check.h"

#include "sys/file.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/latch.h"
#include "sys/loop.h"
#include "sys/pages.h"
#include "sys/pool.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
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

typedef struct reader {
    pthread_t thread;
    atomic_bool stop;
    atomic_int wrong;
} reader;

/* Whatever the flag is set to meanwhile, a text stays what it was. */
static void *read_flags(void *arg)
{
    reader *r = arg;
    const char *text;
    while (!r->stop) {
        (void)rg_flag_text("rpc_tls_ca", &text);
        size_t n = strlen(text);
        r->wrong += n != 0 && n != 100 && n != 200;
        r->wrong += n > 0 && strspn(text, n == 100 ? "a" : "b") != n;
    }
    return NULL;
}

static void a_text_of_a_flag_stays(void **state)
{
    char texts[2][201] = {"", ""};
    const char *first, *again;
    reader r = {.stop = false};
    (void)state;
    memset(texts[0], 'a', 100);
    memset(texts[1], 'b', 200);
    assert_ok(rg_flag_set("rpc_tls_ca", texts[0]));
    assert_ok(rg_flag_text("rpc_tls_ca", &first));
    assert_int_equal(pthread_create(&r.thread, NULL, read_flags, &r), 0);
    for (int i = 0; i < 20000; i++)
        assert_ok(rg_flag_set("rpc_tls_ca", texts[i % 2]));
    r.stop = true;
    assert_int_equal(pthread_join(r.thread, NULL), 0);
    assert_int_equal(r.wrong, 0);
    assert_string_equal(first, texts[0]);
    assert_ok(rg_flag_set("rpc_tls_ca", texts[0]));
    assert_ok(rg_flag_text("rpc_tls_ca", &again));
    assert_ptr_equal(first, again); /* and setting it to and fro takes no memory */
    assert_ok(rg_flag_set("rpc_tls_ca", ""));
}

/* ---- streams ---- */

typedef struct broken {
    rg_loop *loop;
    rg_stream *stream;
    int done;
    rg_latch opened, failed;
    char endpoint[128];
} broken;

static bool no_room(void *user, uint8_t **at, size_t *size)
{
    static uint8_t room[16];
    (void)user;
    *at = room;
    *size = sizeof room;
    return true;
}

static void no_bytes(void *user, size_t n)
{
    (void)user, (void)n;
}

static void count_done(void *arg)
{
    ((broken *)arg)->done++;
}

/* Long lists of pieces for someone who has gone. */
static void stream_failed(void *user, rg_status why, const char *message)
{
    enum { PIECES = 100, WRITES = 1000 };
    broken *b = user;
    rg_iov pieces[PIECES];
    (void)why, (void)message;
    for (int i = 0; i < PIECES; i++)
        pieces[i] = (rg_iov){"x", 1};
    for (int i = 0; i < WRITES; i++)
        rg_stream_write(b->stream, pieces, PIECES, count_done, b);
    rg_stream_close(b->stream);
    rg_latch_open(&b->failed);
}

static void opened(void *user)
{
    rg_latch_open(&((broken *)user)->opened);
}

static void connect_to(void *arg)
{
    static const rg_stream_events events = {
        .opened = opened, .room = no_room, .arrived = no_bytes, .failed = stream_failed};
    broken *b = arg;
    assert_ok(rg_stream_connect(&b->stream, b->loop, b->endpoint, NULL, false, &events, b));
}

static void writing_to_who_has_gone_leaves_nothing_behind(void **state)
{
    broken b = {.done = 0};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)state;
    (void)snprintf(name.sun_path, sizeof name.sun_path, "/tmp/rg-sys-%ld.sock", (long)getpid());
    (void)snprintf(b.endpoint, sizeof b.endpoint, "unix:%s", name.sun_path);
    (void)unlink(name.sun_path);
    assert_int_equal(bind(listening, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(listening, 1), 0);
    rg_latch_init(&b.opened);
    rg_latch_init(&b.failed);
    assert_ok(rg_loop_open(&b.loop, "test"));
    rg_loop_do(b.loop, connect_to, &b);
    int accepted = accept(listening, NULL, NULL);
    (void)rg_latch_wait(&b.opened, UINT64_MAX);
    size_t before = mallinfo2().uordblks;
    (void)close(accepted);
    (void)rg_latch_wait(&b.failed, UINT64_MAX);
    assert_int_equal(b.done, 1000);
    assert_true(mallinfo2().uordblks < before + (100 << 10));
    rg_loop_close(b.loop);
    rg_latch_fini(&b.opened);
    rg_latch_fini(&b.failed);
    (void)close(listening);
    (void)unlink(name.sun_path);
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

static void more_than_the_machine_has_is_refused(void **state)
{
    (void)state;
    assert_null(rg_pages_alloc((size_t)1 << 46));
    assert_null(rg_pages_alloc_lent((size_t)1 << 46));
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
    cmocka_unit_test(a_text_of_a_flag_stays),
    cmocka_unit_test(writing_to_who_has_gone_leaves_nothing_behind),
    cmocka_unit_test(files_are_read_whole_or_not_at_all),
    cmocka_unit_test(large_memory_starts_on_a_huge_page),
    cmocka_unit_test(more_than_the_machine_has_is_refused),
    cmocka_unit_test(a_pool_runs_each_part_once_and_brings_failures_back),
    cmocka_unit_test(a_failure_halts_the_other_parts_of_a_pool))
