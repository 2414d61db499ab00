/* test_save.c - a save is whole or absent, whatever happens in the middle of it. */
#include "check.h"

#include "save/save.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/regatta-test-save-%d", (int)getpid());
    return rg_dir_remove(folder) == RG_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rg_dir_remove(folder) == RG_OK ? 0 : -1;
}

static rg_value *number(float x)
{
    rg_value *value;
    assert_ok(rg_value_new(&value));
    assert_ok(rg_value_resize(value, RG_F32, &RG_SHAPE(3)));
    for (int i = 0; i < 3; i++)
        ((float *)value->data)[i] = x;
    return value;
}

/* Three files: a, deep/b and text, all of them about x. */
static rg_status save_all(float x)
{
    rg_value *value = number(x);
    rg_save *save;
    RG_TRY(rg_save_open(&save, folder));
    rg_status code = rg_save_tensor(save, "a", value);
    if (code == RG_OK)
        code = rg_save_tensor(save, "deep/b", value);
    if (code == RG_OK)
        code = rg_save_bytes(save, "text", &x, sizeof x);
    if (code == RG_OK)
        code = rg_save_commit(save);
    rg_save_close(save);
    rg_value_release(value);
    return code;
}

/* What the folder holds: the number, if all three files agree on one. */
static float load_all(void)
{
    rg_load *load;
    rg_value *a = number(0), *b = number(0);
    rg_buf text;
    rg_buf_init(&text, 0);
    assert_ok(rg_load_open(&load, folder));
    assert_ok(rg_load_tensor(load, "a", &(rg_expected){"a", a, NULL}));
    assert_ok(rg_load_tensor(load, "deep/b", &(rg_expected){"b", b, NULL}));
    assert_ok(rg_load_bytes(load, "text", 100, &text));
    rg_load_close(load);
    float x = ((float *)a->data)[2], y = ((float *)b->data)[0], z;
    memcpy(&z, text.data, sizeof z);
    if (x != y || x != z)
        fail_msg("a mixture: a is %g, b %g and text %g", (double)x, (double)y, (double)z);
    rg_buf_fini(&text);
    rg_value_release(a);
    rg_value_release(b);
    return x;
}

static void a_save_is_loaded_again(void **state)
{
    (void)state;
    assert_ok(save_all(1));
    assert_true(load_all() == 1);
    assert_ok(save_all(2));
    assert_true(load_all() == 2);
}

static void files_that_a_save_does_not_name_are_left_alone(void **state)
{
    (void)state;
    assert_ok(save_all(1));
    rg_save *save;
    assert_ok(rg_save_open(&save, folder));
    assert_ok(rg_save_bytes(save, "other", "hello", 5));
    assert_ok(rg_save_commit(save));
    rg_save_close(save);
    assert_true(load_all() == 1);
}

static void an_abandoned_save_changes_nothing(void **state)
{
    (void)state;
    rg_save *save;
    assert_ok(save_all(1));
    assert_ok(rg_save_open(&save, folder));
    assert_ok(rg_save_bytes(save, "text", "xxxx", 4));
    rg_save_close(save);
    assert_true(load_all() == 1);
}

/* The process is killed at the n-th pass of each point, for every n until it gets through. */
/* promise 14 */
static void a_kill_at_any_point_leaves_the_old_or_the_new(void **state)
{
    (void)state;
    static const char *const points[] = {"file.open",   "file.write", "file.sync",
                                         "file.rename", "dir.make",   "dir.sync"};
    int killed = 0;
    for (size_t p = 0; p < sizeof points / sizeof points[0]; p++)
        for (int n = 1;; n++) {
            char fault[64];
            int status;
            assert_ok(save_all(1));
            (void)snprintf(fault, sizeof fault, "%s:%d:kill", points[p], n);
            pid_t child = fork();
            if (child == 0) {
                (void)setenv("RG_FAULT", fault, 1);
                _exit(save_all(2) == RG_OK ? 0 : 1);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            float found = load_all();
            assert_true(found == 1 || found == 2);
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                assert_true(found == 2);
                break;
            }
            killed++;
        }
    assert_true(killed > 15); /* the points are there */
}

/* promise 13, 17 */
static void a_full_disk_is_an_error_and_the_old_save_stays(void **state)
{
    (void)state;
    static const char *const faults[] = {"file.write:1:enospc", "file.write:3:eio",
                                         "file.sync:1:eio", "file.rename:1:eio",
                                         "file.open:2:enospc"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        int status;
        assert_ok(save_all(1));
        pid_t child = fork();
        if (child == 0) {
            (void)setenv("RG_FAULT", faults[i], 1);
            _exit(save_all(2) == RG_EIO ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(load_all() == 1);
    }
}

static void what_has_no_room_on_the_disk_is_refused(void **state)
{
    (void)state;
    char new[300];
    (void)snprintf(new, sizeof new, "%s/not/there", folder);
    assert_ok(rg_save_check_room(new, 1));
    assert_int_equal(rg_save_check_room(new, (uint64_t)1 << 60), RG_EIO);
    assert_non_null(strstr(rg_error_message(), "needs 1 EiB"));
    assert_false(rg_path_exists(folder));
}

/* promise 15 */
static void a_changed_byte_is_found_by_the_manifest(void **state)
{
    (void)state;
    char path[512];
    rg_file *file;
    rg_load *load;
    rg_value *value = number(0);
    assert_ok(save_all(1));
    (void)snprintf(path, sizeof path, "%s/a", folder);
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_file_read_all(path, 1000, &bytes));
    bytes.data[bytes.len - 1] ^= 1; /* in the data: nothing else would notice */
    assert_ok(rg_file_create(&file, path));
    assert_ok(rg_file_write(file, bytes.data, bytes.len));
    assert_ok(rg_file_finish(file));
    rg_file_close(file);
    assert_ok(rg_load_open(&load, folder));
    assert_fails(rg_load_tensor(load, "a", &(rg_expected){"a", value, NULL}), RG_ECORRUPT,
                 "is damaged: its checksum is");
    assert_true(((float *)value->data)[0] == 0);
    rg_load_close(load);
    rg_value_release(value);
    rg_buf_fini(&bytes);
}

static void a_damaged_manifest_is_named(void **state)
{
    (void)state;
    char path[512];
    rg_file *file;
    rg_load *load;
    assert_ok(save_all(1));
    (void)snprintf(path, sizeof path, "%s/" RG_MANIFEST_NAME, folder);
    assert_ok(rg_file_create(&file, path));
    assert_ok(rg_file_write(file, "regatta manifest 1\nxyz\n", 23));
    assert_ok(rg_file_finish(file));
    rg_file_close(file);
    assert_fails(rg_load_open(&load, folder), RG_ECORRUPT, "MANIFEST.regatta: line 2");
}

/* promise 31 */
static void names_that_lead_out_of_the_folder_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "../x", "/etc/x",         "a/../../x",     "",
        "a\nb", RG_MANIFEST_NAME, ".regatta-lock", ".regatta-commit.1/x"};
    rg_save *save;
    assert_ok(rg_save_open(&save, folder));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(rg_save_bytes(save, names[i], "x", 1), RG_EINVAL);
    rg_save_close(save);
}

/* ---- what a load meets ---- */

static const char *inside(const char *name)
{
    static char text[512];
    (void)snprintf(text, sizeof text, "%s/%s", folder, name);
    return text;
}

/* Everything below a folder: names, sizes, and when each was changed last. */
static rg_status note(void *arg, const char *name);

typedef struct notes {
    rg_folder *at;
    rg_buf *text;
} notes;

static rg_status note(void *arg, const char *name)
{
    notes *n = arg;
    struct stat st;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", rg_folder_path(n->at), name);
    assert_int_equal(lstat(path, &st), 0);
    rg_buf_printf(n->text, "%s %lld %lld.%09ld\n", path, (long long)st.st_size,
                  (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
    if (S_ISDIR(st.st_mode)) {
        notes below = {NULL, n->text};
        assert_ok(rg_folder_enter(&below.at, n->at, name, false));
        assert_ok(rg_folder_each(below.at, note, &below));
        rg_folder_close(below.at);
    }
    return RG_OK;
}

static void note_all(rg_buf *text)
{
    notes n = {NULL, text};
    rg_buf_init(text, 0);
    assert_ok(rg_folder_open(&n.at, folder));
    assert_ok(rg_folder_each(n.at, note, &n));
    rg_folder_close(n.at);
}

/* A child saves 2 and is killed at the n-th rename: the first decides, others move. */
static void save_until_rename(int n)
{
    char fault[64];
    int status;
    (void)snprintf(fault, sizeof fault, "file.rename:%d:kill", n);
    pid_t child = fork();
    if (child == 0) {
        (void)setenv("RG_FAULT", fault, 1);
        _exit(save_all(2) == RG_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void a_load_finds_a_save_that_was_decided_and_changes_nothing(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++) { /* none, one, two, all three files moved */
        rg_buf before, after;
        assert_ok(save_all(1));
        save_until_rename(n);
        note_all(&before);
        assert_non_null(strstr(rg_buf_cstr(&before), ".regatta-commit."));
        assert_true(load_all() == 2);
        note_all(&after);
        assert_string_equal(rg_buf_cstr(&before), rg_buf_cstr(&after));
        rg_buf_fini(&before);
        rg_buf_fini(&after);
        assert_ok(save_all(3)); /* the next saver clears up */
        note_all(&after);
        assert_null(strstr(rg_buf_cstr(&after), ".regatta-"));
        rg_buf_fini(&after);
        assert_true(load_all() == 3);
    }
}

static void the_first_save_of_a_folder_counts_when_it_was_decided(void **state)
{
    (void)state;
    save_until_rename(2);
    assert_true(load_all() == 2);
}

/* A stranger's folder: a decided save whose files would land outside. */
static void plant(const char *outside)
{
    char path[512];
    assert_ok(rg_dir_make(outside));
    (void)snprintf(path, sizeof path, "%s/b", outside);
    assert_ok(rg_file_write_all(path, "mine", 4));
    assert_ok(rg_dir_remove(inside("deep")));
    assert_int_equal(symlink(outside, inside("deep")), 0);
}

static void assert_untouched(const char *outside)
{
    rg_buf text, listing;
    rg_folder *at;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/b", outside);
    rg_buf_init(&text, 0);
    assert_ok(rg_file_read_all(path, 100, &text));
    assert_string_equal(rg_buf_cstr(&text), "mine");
    rg_buf_init(&listing, 0);
    assert_ok(rg_folder_open(&at, outside));
    assert_ok(rg_folder_each(at, note, &(notes){at, &listing}));
    assert_true(strchr(rg_buf_cstr(&listing), '\n')[1] == '\0'); /* b alone */
    rg_folder_close(at);
    rg_buf_fini(&text);
    rg_buf_fini(&listing);
}

/* promise 31 */
static void nothing_outside_the_folder_is_written(void **state)
{
    (void)state;
    char outside[300];
    rg_load *load;
    rg_save *save;
    (void)snprintf(outside, sizeof outside, "%s-outside", folder);
    assert_ok(save_all(1));
    save_until_rename(2);
    plant(outside);
    assert_ok(rg_load_open(&load, folder));
    rg_load_close(load);
    assert_untouched(outside);
    assert_fails(rg_save_open(&save, folder), RG_EDENIED, "deep is a symbolic link");
    assert_untouched(outside);

    assert_ok(rg_dir_remove(folder));
    assert_ok(save_all(1));
    plant(outside);
    assert_fails(save_all(2), RG_EDENIED, "deep is a symbolic link");
    assert_untouched(outside);
    assert_int_equal(unlink(inside("deep")), 0);
    assert_ok(save_all(3)); /* nothing of the refused one stands in the way */
    assert_true(load_all() == 3);
    assert_ok(rg_dir_remove(outside));
}

static void a_place_that_is_taken_is_found_before_the_save_counts(void **state)
{
    (void)state;
    assert_ok(save_all(1));
    assert_int_equal(unlink(inside("text")), 0);
    assert_ok(rg_dir_make(inside("text")));
    assert_fails(save_all(2), RG_EIO, "text is a folder");
    assert_ok(rg_dir_remove(inside("text")));
    assert_ok(save_all(3));
    assert_true(load_all() == 3);
}

static void a_pipe_in_a_folder_is_refused_at_once(void **state)
{
    (void)state;
    rg_load *load;
    rg_value *value = number(0);
    assert_ok(save_all(1));
    assert_int_equal(unlink(inside("a")), 0);
    assert_int_equal(mkfifo(inside("a"), 0600), 0);
    assert_ok(rg_load_open(&load, folder));
    assert_fails(rg_load_tensor(load, "a", &(rg_expected){"a", value, NULL}), RG_EIO,
                 "it is a named pipe");
    rg_load_close(load);
    assert_int_equal(unlink(inside(RG_MANIFEST_NAME)), 0);
    assert_int_equal(mkfifo(inside(RG_MANIFEST_NAME), 0600), 0);
    assert_fails(rg_load_open(&load, folder), RG_EIO, "MANIFEST.regatta: it is a named pipe");
    rg_value_release(value);
}

/* ---- several at once ---- */

enum { SAVERS = 2, SAVES = 40 };

static atomic_int saving, failures;

static void *save_often(void *arg)
{
    for (int i = 0; i < SAVES; i++)
        if (save_all((float)(intptr_t)arg + (float)i) != RG_OK) {
            (void)fprintf(stderr, "%s\n", rg_error_message());
            atomic_fetch_add(&failures, 1);
        }
    atomic_fetch_sub(&saving, 1);
    return NULL;
}

typedef struct three {
    rg_value *a, *b;
    rg_buf text;
} three;

static rg_status read_three(void *arg, rg_load *load)
{
    three *t = arg;
    rg_buf_clear(&t->text);
    RG_TRY(rg_load_tensor(load, "a", &(rg_expected){"a", t->a, NULL}));
    RG_TRY(rg_load_tensor(load, "deep/b", &(rg_expected){"b", t->b, NULL}));
    return rg_load_bytes(load, "text", 100, &t->text);
}

static void savers_and_a_reader_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t savers[SAVERS];
    three got = {number(0), number(0), {0}};
    rg_buf_init(&got.text, 0);
    assert_ok(save_all(1));
    atomic_store(&saving, SAVERS);
    for (int i = 0; i < SAVERS; i++)
        assert_int_equal(pthread_create(&savers[i], NULL, save_often, (void *)(intptr_t)(1000 * i)),
                         0);
    int loads = 0;
    for (; atomic_load(&saving) > 0; loads++) {
        float z;
        assert_ok(rg_load_whole(folder, read_three, &got));
        memcpy(&z, got.text.data, sizeof z);
        assert_true(((float *)got.a->data)[0] == z && ((float *)got.b->data)[2] == z);
    }
    for (int i = 0; i < SAVERS; i++)
        assert_int_equal(pthread_join(savers[i], NULL), 0);
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(loads > 0);
    rg_buf listing;
    note_all(&listing);
    assert_null(strstr(rg_buf_cstr(&listing), ".regatta-"));
    rg_buf_fini(&listing);
    rg_buf_fini(&got.text);
    rg_value_release(got.a);
    rg_value_release(got.b);
}

static atomic_bool swapping;

/* folder/current leads to one save and to the other in turn. */
static void *swap_often(void *arg)
{
    char next[300], current[300];
    (void)arg;
    (void)snprintf(next, sizeof next, "%s/next", folder);
    (void)snprintf(current, sizeof current, "%s/current", folder);
    for (int i = 0; atomic_load(&swapping); i++)
        if (symlink(i % 2 ? "one" : "two", next) != 0 || rename(next, current) != 0)
            atomic_fetch_add(&failures, 1);
    return NULL;
}

static void a_link_that_is_swapped_leads_to_one_save_or_the_other(void **state)
{
    (void)state;
    pthread_t swapper;
    char whole[256], current[300];
    three got = {number(0), number(0), {0}};
    rg_buf_init(&got.text, 0);
    (void)snprintf(whole, sizeof whole, "%s", folder);
    (void)snprintf(current, sizeof current, "%s/current", whole);
    for (int i = 1; i <= 2; i++) {
        (void)snprintf(folder, sizeof folder, "%.200s/%s", whole, i == 1 ? "one" : "two");
        assert_ok(save_all((float)i));
    }
    (void)snprintf(folder, sizeof folder, "%s", whole);
    assert_int_equal(symlink("one", current), 0);
    atomic_store(&swapping, true);
    assert_int_equal(pthread_create(&swapper, NULL, swap_often, NULL), 0);
    for (int i = 0; i < 200; i++) {
        float z;
        assert_ok(rg_load_whole(current, read_three, &got));
        memcpy(&z, got.text.data, sizeof z);
        assert_true(((float *)got.a->data)[0] == z && ((float *)got.b->data)[2] == z);
    }
    atomic_store(&swapping, false);
    assert_int_equal(pthread_join(swapper, NULL), 0);
    assert_int_equal(atomic_load(&failures), 0);
    rg_buf_fini(&got.text);
    rg_value_release(got.a);
    rg_value_release(got.b);
}

static void what_the_program_wants_is_compared_with_the_file(void **state)
{
    (void)state;
    rg_load *load;
    rg_value *value = number(0);
    rg_meta wanted = {.kind = RG_TENSOR, .dtype = RG_F32, .shape = RG_SHAPE(4)};
    assert_ok(save_all(1));
    assert_ok(rg_load_open(&load, folder));
    assert_fails(rg_load_tensor(load, "a", &(rg_expected){"w", value, &wanted}), RG_ESHAPE,
                 "variable w: it has the shape [3], and the program wants [4]");
    wanted.dtype = RG_F64;
    assert_fails(rg_load_tensor(load, "a", &(rg_expected){"w", value, &wanted}), RG_ESHAPE,
                 "it is float32, and the program wants float64");
    rg_load_close(load);
    rg_value_release(value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

RUN(TEST(a_save_is_loaded_again), TEST(files_that_a_save_does_not_name_are_left_alone),
    TEST(an_abandoned_save_changes_nothing), TEST(a_kill_at_any_point_leaves_the_old_or_the_new),
    TEST(a_full_disk_is_an_error_and_the_old_save_stays),
    TEST(what_has_no_room_on_the_disk_is_refused), TEST(a_changed_byte_is_found_by_the_manifest),
    TEST(a_damaged_manifest_is_named), TEST(names_that_lead_out_of_the_folder_are_refused),
    TEST(a_load_finds_a_save_that_was_decided_and_changes_nothing),
    TEST(the_first_save_of_a_folder_counts_when_it_was_decided),
    TEST(nothing_outside_the_folder_is_written),
    TEST(a_place_that_is_taken_is_found_before_the_save_counts),
    TEST(a_pipe_in_a_folder_is_refused_at_once),
    TEST(savers_and_a_reader_do_not_disturb_each_other),
    TEST(a_link_that_is_swapped_leads_to_one_save_or_the_other),
    TEST(what_the_program_wants_is_compared_with_the_file))
