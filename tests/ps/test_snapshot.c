/* test_snapshot.c - snapshots of a server: two are kept, a damaged one is not taken. */
#include "check.h"

#include "base/mem.h"
#include "ps/pace.h"
#include "ps/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    rg_snapshot_found found;
    uint32_t n = 0;
    assert_int_equal(rg_snapshot_newest(folder, &found), RG_ENOENT);
    assert_int_equal(take(folder, 0), 0);
    assert_int_equal(take(folder, 10), 0);
    assert_int_equal(take(folder, 300), 10);
    assert_false(rg_path_exists(path_of(0, "")));
    assert_ok(rg_snapshot_newest(folder, &found));
    assert_int_equal(found.number, 300);
    assert_int_equal(found.lineage, 7);
    assert_ok(rg_snapshot_read(folder, &found, count, &n));
    assert_int_equal(n, 3);
}

static void one_that_was_not_finished_does_not_count(void **state)
{
    rg_folder *folder = *state;
    rg_snapshot *snapshot;
    rg_snapshot_found found;
    (void)take(folder, 10);
    assert_ok(rg_snapshot_begin(&snapshot, folder, 7, 20));
    assert_ok(rg_snapshot_add(snapshot, 1, NULL, 0));
    assert_ok(rg_snapshot_newest(folder, &found));
    assert_int_equal(found.number, 10);
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
    rg_snapshot_found found;
    rg_buf bytes;
    (void)take(folder, 10);
    (void)take(folder, 20);
    rg_buf_init(&bytes, 0);
    assert_ok(rg_file_read_all(path_of(20, ""), 1 << 20, &bytes));
    for (size_t at = 0; at < bytes.len; at++) {
        bytes.data[at] ^= 1;
        assert_ok(rg_file_write_all(path_of(20, ""), bytes.data, bytes.len));
        bytes.data[at] ^= 1;
        assert_ok(rg_snapshot_newest(folder, &found));
        assert_int_equal(found.number, 10);
        assert_ok(rg_file_write_all(path_of(20, ""), bytes.data, at));
        assert_ok(rg_snapshot_newest(folder, &found));
        assert_int_equal(found.number, 10);
    }
    assert_ok(rg_file_write_all(path_of(10, ""), "x", 1));
    assert_int_equal(rg_snapshot_newest(folder, &found), RG_ECORRUPT);
    assert_non_null(strstr(rg_error_message(), "no snapshot is whole"));
    rg_buf_fini(&bytes);
}

/* ---- much of it, past the system's cache ---- */

enum { PIECES = 40, PIECE = 150001 }; /* about 6 MB: several blocks, and neither ends with one */

static rg_status add_pieces(rg_snapshot *snapshot, uint8_t *piece)
{
    assert_ok(rg_snapshot_add(snapshot, 1, &(rg_iov){"before", 6}, 1));
    rg_snapshot_gather(snapshot);
    for (uint32_t k = 0; k < PIECES; k++) {
        memset(piece, (int)k, PIECE);
        RG_TRY(rg_snapshot_add(snapshot, 2, &(rg_iov){piece, PIECE - k}, 1));
        if (k % 16 == 0)
            RG_TRY(rg_snapshot_sync(snapshot));
    }
    return RG_OK;
}

static rg_status check_piece(void *arg, const rg_record *record)
{
    uint32_t *n = arg;
    if (record->kind == 1) {
        assert_memory_equal(record->bytes, "before", 6);
        return RG_OK;
    }
    assert_int_equal(record->n, PIECE - *n);
    assert_int_equal(record->bytes[0], *n);
    assert_int_equal(record->bytes[record->n - 1], *n);
    ++*n;
    return RG_OK;
}

static void much_of_it_is_what_was_added(void **state)
{
    rg_folder *folder = *state;
    rg_snapshot *snapshot;
    uint64_t oldest;
    rg_snapshot_found found;
    uint32_t n = 0;
    uint8_t *piece = rg_alloc(PIECE);
    assert_non_null(piece);
    assert_ok(rg_snapshot_begin(&snapshot, folder, 7, 10));
    assert_ok(add_pieces(snapshot, piece));
    assert_ok(rg_snapshot_finish(snapshot, &oldest));
    assert_ok(rg_snapshot_newest(folder, &found));
    assert_ok(rg_snapshot_read(folder, &found, check_piece, &n));
    assert_int_equal(n, PIECES);
    rg_free(piece);
}

#ifdef RG_FAULTS
static rg_status take_much(rg_folder *folder, uint8_t *piece)
{
    rg_snapshot *snapshot;
    uint64_t oldest;
    RG_TRY(rg_snapshot_begin(&snapshot, folder, 7, 20));
    rg_status code = add_pieces(snapshot, piece);
    if (code == RG_OK)
        return rg_snapshot_finish(snapshot, &oldest);
    rg_snapshot_abandon(snapshot);
    return code;
}

/* promise 13 */
static void a_disk_that_is_full_leaves_the_one_before(void **state)
{
    static const char *const faults[] = {"file.block:1:enospc", "file.block:2:eio",
                                         "file.block:3:enospc", "file.block:2:kill"};
    rg_folder *folder = *state;
    uint8_t *piece = rg_alloc(PIECE);
    assert_non_null(piece);
    (void)take(folder, 10);
    for (size_t i = 0; i < 4; i++) {
        rg_snapshot_found found;
        int status;
        pid_t child = fork();
        if (child == 0) {
            (void)setenv("RG_FAULT", faults[i], 1);
            _exit(take_much(folder, piece) == RG_EIO &&
                          strstr(rg_error_message(), "ckpt-0000000000000014.tmp") != NULL
                      ? 0
                      : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(i == 3 ? WIFSIGNALED(status) : status == 0);
        assert_int_equal(rg_path_exists(path_of(20, ".tmp")), i == 3);
        assert_ok(rg_snapshot_newest(folder, &found));
        assert_int_equal(found.number, 10);
    }
    rg_free(piece);
}
#endif

/* ---- how fast ---- */

static void it_rests_when_it_has_had_its_share(void **state)
{
    enum { S = 1000000000 };
    (void)state;
    const rg_pace free = {.share = 0.1}, timed = {.share = 0.1, .within_ns = (uint64_t)10 * S},
                  full = {.share = 1};
    rg_pace_now now = {.passed_ns = S, .spent_ns = S / 2, .bytes = 1000, .done = 500};
    assert_in_range(rg_pace_rest_ns(&free, &now), 4 * (uint64_t)S - 9, 4 * (uint64_t)S + 9);
    assert_int_equal(rg_pace_rest_ns(&full, &now), 0);
    assert_in_range(rg_pace_rest_ns(&timed, &now), 4 * (uint64_t)S - 9, 4 * (uint64_t)S + 9);
    now.done = 90; /* a tenth of the time has passed */
    assert_int_equal(rg_pace_rest_ns(&timed, &now), 0);
    assert_true(rg_pace_rest_ns(&free, &now) > 0);
    now.presses = true;
    assert_int_equal(rg_pace_rest_ns(&free, &now), 0);
    now.presses = false;
    now.journal = 600;
    assert_int_equal(rg_pace_rest_ns(&(rg_pace){.share = 0.1, .most_journal = 500}, &now), 0);
    assert_true(rg_pace_rest_ns(&(rg_pace){.share = 0.1, .most_journal = 700}, &now) > 0);
    now.passed_ns = 5 * (uint64_t)S;
    assert_int_equal(rg_pace_rest_ns(&free, &now), 0);
}

/* ---- deltas ---- */

/* A whole one has record 1 and 2, a delta 3; at the end each has 9. */
static uint64_t take_part(rg_folder *folder, uint64_t number, int64_t base)
{
    rg_snapshot *snapshot;
    uint64_t oldest;
    assert_ok(base < 0 ? rg_snapshot_begin(&snapshot, folder, 7, number)
                       : rg_snapshot_begin_delta(&snapshot, folder, 7, number, (uint64_t)base));
    assert_int_equal(rg_snapshot_is_delta(snapshot), base >= 0);
    assert_ok(rg_snapshot_add_last(snapshot, 9, &(rg_iov){"at the end", (size_t)number % 8}, 1));
    for (uint32_t k = base < 0 ? 1 : 3; k <= (base < 0 ? 2 : 3); k++)
        assert_ok(rg_snapshot_add(snapshot, k, &(rg_iov){&number, sizeof number}, 1));
    assert_ok(rg_snapshot_finish(snapshot, &oldest));
    return oldest;
}

static rg_status list_kinds(void *arg, const rg_record *record)
{
    char *kinds = arg;
    kinds[strlen(kinds)] = (char)('0' + record->kind);
    return RG_OK;
}

static void assert_reads(rg_folder *folder, uint64_t number, const char *wanted)
{
    rg_snapshot_found found;
    char kinds[32] = "";
    assert_ok(rg_snapshot_newest(folder, &found));
    assert_int_equal(found.number, number);
    assert_ok(rg_snapshot_read(folder, &found, list_kinds, kinds));
    assert_string_equal(kinds, wanted);
}

/* promise 15 */
static void deltas_go_on_from_a_whole_one_and_fall_back_by_name(void **state)
{
    rg_folder *folder = *state;
    char path[128];
    rg_snapshot *snapshot;
    assert_fails(rg_snapshot_begin_delta(&snapshot, folder, 7, 5, 5), RG_EINVAL, "from 5 to 5");
    (void)take_part(folder, 0, -1);
    (void)take_part(folder, 3, 0);
    assert_reads(folder, 3, "1239");
    (void)take_part(folder, 10, -1);
    (void)take_part(folder, 20, 10);
    assert_int_equal(take_part(folder, 30, 20), 0); /* the two that are whole are kept, ... */
    assert_reads(folder, 30, "12339");
    /* A delta is damaged: what it goes on from counts. */
    (void)snprintf(path, sizeof path, "%s/delta-%016x", folder_path, 30);
    assert_ok(rg_file_cut(path, rg_path_size(path) - 8));
    assert_reads(folder, 20, "1239");
    (void)snprintf(path, sizeof path, "%s/delta-%016x", folder_path, 20);
    assert_ok(rg_file_write_all(path, "x", 1));
    assert_reads(folder, 10, "129");
    /* A whole one is: all that goes on from it is worth nothing. */
    (void)take_part(folder, 40, 10);
    assert_reads(folder, 40, "1239");
    assert_ok(rg_file_write_all(path_of(10, ""), "x", 1));
    assert_reads(folder, 3, "1239");
    /* ... and what is older goes, deltas with them. */
    (void)take_part(folder, 50, -1);
    assert_int_equal(take_part(folder, 60, -1), 50);
    assert_false(rg_path_exists(path));
    assert_reads(folder, 60, "129");
    /* Beside a whole one, which is damaged, stands a delta of its number. */
    (void)take_part(folder, 70, 60);
    (void)take_part(folder, 70, -1);
    assert_ok(rg_file_write_all(path_of(70, ""), "x", 1));
    assert_reads(folder, 70, "1239");
    (void)snprintf(path, sizeof path, "%s/delta-%016x", folder_path, 3);
    assert_false(rg_path_exists(path));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_two_newest_are_kept),
        TEST(one_that_was_not_finished_does_not_count),
        TEST(damaged_or_cut_anywhere_the_one_before_is_taken),
        TEST(much_of_it_is_what_was_added),
#ifdef RG_FAULTS
        TEST(a_disk_that_is_full_leaves_the_one_before),
#endif
        TEST(it_rests_when_it_has_had_its_share),
        TEST(deltas_go_on_from_a_whole_one_and_fall_back_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
