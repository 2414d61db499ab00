/* test_folder.c - nothing outside a folder is reached by names below it, and one holds its lock. */
#include "check.h"

#include "sys/folder.h"
#include "sys/interrupt.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[256];

static const char *path(const char *name)
{
    static char text[2][512];
    static int turn;
    turn = !turn;
    (void)snprintf(text[turn], sizeof text[turn], "%s/%s", top, name);
    return text[turn];
}

static int make_folders(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/regatta-test-folder-%d", (int)getpid());
    if (rg_dir_remove(top) != RG_OK || rg_dir_make(path("in")) != RG_OK)
        return -1;
    return rg_dir_make(path("out")) == RG_OK ? 0 : -1;
}

static int remove_folders(void **state)
{
    (void)state;
    return rg_dir_remove(top) == RG_OK ? 0 : -1;
}

static void put(const char *name, const char *text)
{
    assert_ok(rg_file_write_all(path(name), text, strlen(text)));
}

static void assert_holds(const char *name, const char *text)
{
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_file_read_all(path(name), 1000, &bytes));
    assert_string_equal(rg_buf_cstr(&bytes), text);
    rg_buf_fini(&bytes);
}

static rg_status create(const rg_folder *folder, const char *name, const char *text)
{
    rg_file *file;
    RG_TRY(rg_folder_create(&file, folder, name));
    rg_status code = rg_file_write(file, text, strlen(text));
    if (code == RG_OK)
        code = rg_file_finish(file);
    rg_file_close(file);
    return code;
}

static void files_are_made_moved_and_removed(void **state)
{
    (void)state;
    rg_folder *in;
    assert_ok(rg_folder_open(&in, path("in")));
    assert_ok(create(in, "deep/er/x", "one"));
    assert_holds("in/deep/er/x", "one");
    assert_fails(create(in, "deep/er/x", "two"), RG_EIO, "File exists");
    assert_ok(rg_folder_move(in, "deep/er/x", in, "other/y"));
    assert_ok(rg_folder_sync_way(in, "other/y"));
    assert_ok(rg_folder_sync(in));
    assert_holds("in/other/y", "one");
    assert_fails(rg_folder_move(in, "deep/er/x", in, "z"), RG_ENOENT, "No such file");
    assert_ok(rg_folder_check_place(in, "other/y"));
    assert_ok(rg_folder_check_place(in, "not/there/yet"));
    assert_fails(rg_folder_check_place(in, "other"), RG_EIO, "is a folder, and a file");
    assert_ok(rg_folder_remove(in, "deep"));
    assert_ok(rg_folder_remove(in, "deep"));
    assert_false(rg_path_exists(path("in/deep")));
    rg_folder_close(in);
}

static void nothing_is_reached_through_a_link(void **state)
{
    (void)state;
    rg_folder *in, *below;
    rg_file *file;
    put("out/keys", "mine");
    put("in/new", "theirs");
    assert_int_equal(symlink("../out", path("in/link")), 0);
    assert_int_equal(symlink("../out/keys", path("in/file")), 0);
    assert_ok(rg_folder_open(&in, path("in")));
    assert_fails(create(in, "link/x", "1"), RG_EDENIED, "link is a symbolic link");
    assert_fails(create(in, "file", "1"), RG_EDENIED, "is a symbolic link");
    assert_fails(rg_folder_read(&file, in, "link/keys"), RG_EDENIED, "link is a symbolic link");
    assert_fails(rg_folder_read(&file, in, "file"), RG_EDENIED, "is a symbolic link");
    assert_fails(rg_folder_enter(&below, in, "link", true), RG_EDENIED, "is a symbolic link");
    assert_fails(rg_folder_move(in, "new", in, "link/keys"), RG_EDENIED, "is a symbolic link");
    assert_fails(rg_folder_check_place(in, "link/keys"), RG_EDENIED, "is a symbolic link");
    assert_fails(rg_folder_remove(in, "link/keys"), RG_EDENIED, "is a symbolic link");
    assert_holds("out/keys", "mine");
    assert_ok(rg_folder_move(in, "new", in, "file")); /* the link itself is replaced */
    assert_ok(rg_folder_remove(in, "link"));
    assert_holds("out/keys", "mine");
    assert_holds("in/file", "theirs");
    static const char *const names[] = {"../out/keys", "/tmp/x", "a/../../out/keys", "", ".", "./"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(create(in, names[i], "1"), RG_EINVAL);
    rg_folder_close(in);
}

static void what_is_no_file_is_refused_at_once(void **state)
{
    (void)state;
    rg_folder *in;
    rg_file *file;
    assert_int_equal(mkfifo(path("in/pipe"), 0600), 0);
    assert_ok(rg_folder_open(&in, path("in")));
    assert_fails(rg_folder_read(&file, in, "pipe"), RG_EIO, "it is a named pipe");
    assert_fails(rg_file_open(&file, path("in/pipe")), RG_EIO, "it is a named pipe");
    assert_fails(rg_file_open(&file, path("in")), RG_EIO, "it is a folder");
    assert_fails(rg_file_create(&file, path("in/pipe")), RG_EIO, "pipe"); /* nobody reads it */
    rg_folder_close(in);
}

/* ---- the lock ---- */

enum { THREADS = 4, TURNS = 50 };

static atomic_int inside, clashes;

static void *take_turns(void *in)
{
    for (int i = 0; i < TURNS; i++) {
        rg_folder_lock *lock = NULL;
        bool held = rg_folder_lock_open(&lock, in, ".lock", 60000) == RG_OK;
        bool alone = atomic_fetch_add(&inside, 1) == 0;
        if (!held || !alone)
            atomic_fetch_add(&clashes, 1);
        atomic_fetch_sub(&inside, 1);
        rg_folder_lock_close(lock);
    }
    return NULL;
}

static void threads_hold_a_lock_one_at_a_time(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    rg_folder *in;
    assert_ok(rg_folder_open(&in, path("in")));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_turns, in), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    rg_folder_close(in);
    assert_int_equal(atomic_load(&clashes), 0);
    assert_false(rg_path_exists(path("in/.lock"))); /* nothing is left */
}

/* A process that takes the lock and stays. */
static pid_t start_holder(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        rg_folder *in;
        rg_folder_lock *lock;
        bool held = rg_folder_open(&in, path("in")) == RG_OK &&
                    rg_folder_lock_open(&lock, in, ".lock", 0) == RG_OK;
        (void)!write(ready[1], held ? "1" : "0", 1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, '1');
    (void)close(ready[0]);
    (void)close(ready[1]);
    return child;
}

static rg_status stop_waiting(void)
{
    return rg_fail(RG_ECLOSED, "interrupted");
}

static void waiting_for_a_lock_ends(void **state)
{
    (void)state;
    rg_folder *in;
    rg_folder_lock *lock;
    char holder[64];
    assert_ok(rg_folder_open(&in, path("in")));
    pid_t child = start_holder();
    (void)snprintf(holder, sizeof holder, "being saved to by process %d on", (int)child);
    assert_fails(rg_folder_lock_open(&lock, in, ".lock", 50), RG_ETIMEOUT, holder);
    rg_set_interrupted(stop_waiting);
    assert_fails(rg_folder_lock_open(&lock, in, ".lock", 60000), RG_ECLOSED, "interrupted");
    rg_set_interrupted(NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(rg_path_exists(path("in/.lock"))); /* the dead one's file keeps nobody out */
    assert_ok(rg_folder_lock_open(&lock, in, ".lock", 0));
    rg_folder_lock_close(lock);
    assert_false(rg_path_exists(path("in/.lock")));
    rg_folder_close(in);
}

static void a_lock_that_is_no_file_is_refused(void **state)
{
    (void)state;
    rg_folder *in;
    rg_folder_lock *lock;
    put("out/keys", "mine");
    assert_ok(rg_folder_open(&in, path("in")));
    assert_int_equal(mkfifo(path("in/.lock"), 0600), 0);
    assert_fails(rg_folder_lock_open(&lock, in, ".lock", 0), RG_EDENIED, "remove it to save");
    assert_ok(rg_folder_remove(in, ".lock"));
    assert_int_equal(symlink("../out/keys", path("in/.lock")), 0);
    assert_int_equal(rg_folder_lock_open(&lock, in, ".lock", 0), RG_EIO);
    assert_holds("out/keys", "mine");
    rg_folder_close(in);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folders, remove_folders)

RUN(TEST(files_are_made_moved_and_removed), TEST(nothing_is_reached_through_a_link),
    TEST(what_is_no_file_is_refused_at_once), TEST(threads_hold_a_lock_one_at_a_time),
    TEST(waiting_for_a_lock_ends), TEST(a_lock_that_is_no_file_is_refused))
