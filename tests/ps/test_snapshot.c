/* test_snapshot.c - snapshots of a server: two are kept, a damaged one is not taken. */
#include "check.h"

#include "base/mem.h"
#include "ps/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder_path[64];

static int make_folder(void **state)
{
    rg_folder *folder;
    strcpy(folder_path, "/tmp/rg-snapshot-XXXXXX");
    if (mkdtemp(folder_path) == NULL || rg_folder_open(&folder, folder_path) != RG_OK)
        return -1;
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    rg_folder_close(*state);
    return rg_dir_remove(folder_path) == RG_OK ? 0 : -1;
}

static const char *path_of(uint64_t number, const char *end)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/ckpt-%016llx%s", folder_path, (unsigned long long)number,
                   end);
    return path;
}

static uint64_t take(rg_folder *folder, uint64_t number)
{
    rg_snapshot *snapshot;
    uint64_t oldest;
    assert_ok(rg_snapshot_begin(&snapshot, folder, 7, number));
    for (uint32_t k = 1; k <= 3; k++)
        assert_ok(rg_snapshot_add(snapshot, k, &(rg_iov){"some bytes", k}, 1));
    assert_ok(rg_snapshot_finish(snapshot, &oldest));
    return oldest;
}

static rg_status count(void *arg, const rg_record *record)
{
    uint32_t *n = arg;
    assert_int_equal(record->kind, ++*n);
    assert_int_equal(record->n, *n);
    return RG_OK;
}

static void the_two_newest_are_kept(void **state)
{
    rg_folder *folder = *state;
    uint64_t lineage, number;
    uint32_t n = 0;
    assert_int_equal(rg_snapshot_newest(folder, &lineage, &number), RG_ENOENT);
    assert_int_equal(take(folder, 0), 0);
    assert_int_equal(take(folder, 10), 0);
    assert_int_equal(take(folder, 300), 10);
    assert_false(rg_path_exists(path_of(0, "")));
    assert_ok(rg_snapshot_newest(folder, &lineage, &number));
    assert_int_equal(number, 300);
    assert_int_equal(lineage, 7);
    assert_ok(rg_snapshot_read(folder, 300, count, &n));
    assert_int_equal(n, 3);
}

static void one_that_was_not_finished_does_not_count(void **state)
{
    rg_folder *folder = *state;
    rg_snapshot *snapshot;
    uint64_t lineage, number;
    (void)take(folder, 10);
    assert_ok(rg_snapshot_begin(&snapshot, folder, 7, 20));
    assert_ok(rg_snapshot_add(snapshot, 1, NULL, 0));
    assert_ok(rg_snapshot_newest(folder, &lineage, &number));
    assert_int_equal(number, 10);
    rg_snapshot_abandon(snapshot);
    assert_false(rg_path_exists(path_of(20, ".tmp")));
    assert_ok(rg_file_write_all(path_of(30, ".tmp"), "of a life before", 16));
    (void)take(folder, 40);
    assert_false(rg_path_exists(path_of(30, ".tmp")));
}

/* promise 15 */
static void damaged_or_cut_anywhere_the_one_before_is_taken(void **state)
{
    rg_folder *folder = *state;
    uint64_t lineage, number;
    rg_buf bytes;
    (void)take(folder, 10);
    (void)take(folder, 20);
    rg_buf_init(&bytes, 0);
    assert_ok(rg_file_read_all(path_of(20, ""), 1 << 20, &bytes));
    for (size_t at = 0; at < bytes.len; at++) {
        bytes.data[at] ^= 1;
        assert_ok(rg_file_write_all(path_of(20, ""), bytes.data, bytes.len));
        bytes.data[at] ^= 1;
        assert_ok(rg_snapshot_newest(folder, &lineage, &number));
        assert_int_equal(number, 10);
        assert_ok(rg_file_write_all(path_of(20, ""), bytes.data, at));
        assert_ok(rg_snapshot_newest(folder, &lineage, &number));
        assert_int_equal(number, 10);
    }
    assert_ok(rg_file_write_all(path_of(10, ""), "x", 1));
    assert_int_equal(rg_snapshot_newest(folder, &lineage, &number), RG_ECORRUPT);
    assert_non_null(strstr(rg_error_message(), "no snapshot is whole"));
    rg_buf_fini(&bytes);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_two_newest_are_kept),
        TEST(one_that_was_not_finished_does_not_count),
        TEST(damaged_or_cut_anywhere_the_one_before_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
