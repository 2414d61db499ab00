/* test_journal.c - the log of a server: read back, torn at every byte, damaged at every byte, on a
 * disk that is full. */
#include "check.h"

#include "base/mem.h"
#include "ps/journal.h"
#include "sys/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static char folder_path[64];

static int make_folder(void **state)
{
    rg_folder *folder;
    strcpy(folder_path, "/tmp/rg-journal-XXXXXX");
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

/* ---- who writes, and who reads ---- */

typedef struct heard {
    _Atomic uint64_t durable;
    atomic_int failed;
    char why[512];
} heard;

static void on_durable(void *user, uint64_t number)
{
    atomic_store(&((heard *)user)->durable, number);
}

static void on_failed(void *user, rg_status status, const char *why)
{
    heard *h = user;
    (void)snprintf(h->why, sizeof h->why, "%s", why);
    atomic_store(&h->failed, (int)status);
}

static rg_journal *begin(rg_folder *folder, rg_journal_mode mode, uint64_t next, heard *h)
{
    rg_journal *journal = NULL;
    assert_ok(rg_journal_open(&journal, folder, mode, 77, next,
                              &(rg_journal_events){on_durable, on_failed, h}));
    return journal;
}

/* Record k has kind k and a body that k decides. */
static size_t body_of(uint64_t k, uint8_t out[64])
{
    size_t n = (size_t)(k * 7 % 41);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(k * 31 + i);
    return n;
}

static void write_some(rg_journal *journal, uint64_t first, uint64_t n)
{
    for (uint64_t k = first; k < first + n; k++) {
        uint8_t body[64];
        size_t bytes = body_of(k, body), half = bytes / 2;
        assert_ok(rg_journal_append(
            journal, (uint32_t)k, (rg_iov[]){{body, half}, {body + half, bytes - half}}, 2, NULL));
    }
}

typedef struct seen {
    uint64_t first, n;
} seen;

static rg_status see(void *arg, const rg_record *record)
{
    seen *s = arg;
    uint8_t body[64];
    uint64_t k = s->first + s->n++;
    assert_int_equal(record->kind, k);
    assert_int_equal(record->n, body_of(k, body));
    assert_memory_equal(record->bytes, body, record->n);
    return RG_OK;
}

/* Of the records k, k + 1, ...: how many there are. */
static uint64_t read_from(rg_folder *folder, uint64_t from, uint64_t k, uint64_t *next)
{
    seen s = {.first = k};
    uint64_t lineage = 77;
    assert_ok(rg_journal_read(folder, from, &lineage, see, &s, next));
    return s.n;
}

static uint8_t *read_bytes(const char *path, size_t *n)
{
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_file_read_all(path, 1 << 24, &bytes));
    *n = bytes.len;
    return (uint8_t *)rg_buf_take(&bytes);
}

static const char *path_of(uint64_t first)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/journal-%016llx", folder_path, (unsigned long long)first);
    return path;
}

/* ---- what is written is read ---- */

static void records_come_back_over_lives_and_segments(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, first;
    assert_int_equal(read_from(folder, 0, 0, &next), 0);
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, next, &h);
    write_some(journal, 0, 10);
    assert_ok(rg_journal_cut(journal, &first));
    assert_int_equal(first, 10);
    write_some(journal, 10, 5);
    assert_ok(rg_journal_close(journal));
    assert_int_equal(read_from(folder, 0, 0, &next), 15);
    journal = begin(folder, RG_JOURNAL_ALWAYS, next, &h);
    uint64_t third = next;
    write_some(journal, 15, 5);
    assert_ok(rg_journal_close(journal));
    assert_int_equal(atomic_load(&h.failed), 0);
    assert_int_equal(read_from(folder, 0, 0, &next), 20);
    assert_int_equal(read_from(folder, third, 15, &next), 5);
    assert_int_equal(read_from(folder, first, 10, &next), 10);
}

/* The process, or the power, goes while a segment is flushed whose successor is written already. */
static void a_segment_that_has_no_name_yet_counts_behind_a_whole_one(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, first;
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 10);
    assert_ok(rg_journal_cut(journal, &first));
    write_some(journal, 10, 5);
    assert_ok(rg_journal_close(journal));
    char name[32];
    (void)snprintf(name, sizeof name, "journal-%016llx", (unsigned long long)first);
    assert_ok(rg_folder_move(folder, name, folder, "journal-next"));
    assert_int_equal(read_from(folder, 0, 0, &next), 15);
    assert_true(rg_path_exists(path_of(first)));
    /* What was before it is lost in part, and so is it. */
    assert_ok(rg_folder_move(folder, name, folder, "journal-next"));
    assert_ok(rg_file_cut(path_of(0), rg_path_size(path_of(0)) - 8));
    assert_int_equal(read_from(folder, 0, 0, &next), 9);
    assert_int_equal(next, 9);
    assert_false(rg_path_exists(path_of(first)));
    assert_int_equal(read_from(folder, 0, 0, &next), 9);
}

static void what_a_snapshot_has_goes(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, first;
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 10);
    assert_ok(rg_journal_cut(journal, &first));
    write_some(journal, 10, 1);
    assert_ok(rg_journal_forget(journal, first - 1));
    assert_true(rg_path_exists(path_of(0)));
    assert_ok(rg_journal_forget(journal, first));
    assert_false(rg_path_exists(path_of(0)));
    assert_ok(rg_journal_close(journal));
    assert_int_equal(read_from(folder, first, 10, &next), 1);
    uint64_t lineage = 0;
    seen s = {0};
    assert_int_equal(rg_journal_read(folder, 3, &lineage, see, &s, &next), RG_ECORRUPT);
    assert_non_null(strstr(rg_error_message(), "records 3 to 9 are missing"));
}

static void always_says_how_far_it_is_on_the_disk(void **state)
{
    heard h = {0};
    rg_journal *journal = begin(*state, RG_JOURNAL_ALWAYS, 0, &h);
    for (int i = 0; i < 20; i++) {
        uint64_t number;
        assert_ok(rg_journal_append(journal, 1, NULL, 0, &number));
        for (int k = 0; atomic_load(&h.durable) <= number && k < 20000; k++)
            rg_clock_sleep(1000000);
        assert_true(atomic_load(&h.durable) > number);
    }
    assert_ok(rg_journal_close(journal));
}

/* ---- torn ---- */

/* promise 14 */
static void torn_anywhere_it_goes_on_with_what_is_whole(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next;
    size_t n;
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 12);
    uint8_t *bytes = read_bytes(path_of(0), &n); /* before anything was flushed */
    assert_ok(rg_journal_close(journal));
    uint64_t before = 0;
    for (size_t cut = 0; cut <= n; cut++) {
        assert_ok(rg_file_write_all(path_of(0), bytes, cut));
        uint64_t k = read_from(folder, 0, 0, &next);
        assert_true(k >= before && k <= before + 1);
        before = k;
        assert_int_equal(next, k);
        journal = begin(folder, RG_JOURNAL_EVERYSEC, next, &h);
        write_some(journal, k, 1);
        assert_ok(rg_journal_close(journal));
        assert_int_equal(read_from(folder, 0, 0, &next), k + 1);
        assert_ok(rg_dir_remove(path_of(k)));
    }
    assert_int_equal(before, 12);
    rg_free(bytes);
}

/* ---- damaged ---- */

/* Never a record that was not written: it is refused by name, or the end is cut off. */
static void a_changed_byte_is_found(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next;
    size_t n, refused = 0, cut = 0;
    rg_journal *journal = begin(folder, RG_JOURNAL_ALWAYS, 0, &h);
    write_some(journal, 0, 6);
    for (int k = 0; atomic_load(&h.durable) < 6 && k < 20000; k++)
        rg_clock_sleep(1000000);
    assert_ok(rg_journal_close(journal));
    uint8_t *bytes = read_bytes(path_of(0), &n);
    for (size_t at = 0; at < n; at++) {
        uint64_t lineage = 77;
        seen s = {0};
        bytes[at] ^= 0x20;
        assert_ok(rg_file_write_all(path_of(0), bytes, n));
        bytes[at] ^= 0x20;
        rg_status code = rg_journal_read(folder, 0, &lineage, see, &s, &next);
        refused += code == RG_ECORRUPT;
        cut += code == RG_OK;
        if (code == RG_ECORRUPT)
            assert_non_null(strstr(rg_error_message(), "journal-"));
        else
            assert_int_equal(code, RG_OK);
    }
    assert_true(refused > n / 2); /* all but the marks behind the last flush */
    assert_true(cut > 0);
    rg_free(bytes);
}

static void damage_in_the_middle_is_refused_with_its_place(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, first, lineage = 77;
    size_t n;
    seen s = {0};
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 6);
    assert_ok(rg_journal_cut(journal, &first));
    write_some(journal, 6, 1);
    assert_ok(rg_journal_close(journal));
    uint8_t *bytes = read_bytes(path_of(0), &n);
    bytes[RG_RECORDS_HEAD + RG_RECORD_HEAD] ^= 1; /* record 1 has a body, record 0 none */
    assert_ok(rg_file_write_all(path_of(0), bytes, n));
    assert_int_equal(rg_journal_read(folder, 0, &lineage, see, &s, &next), RG_ECORRUPT);
    assert_non_null(strstr(rg_error_message(), "is damaged at byte 56"));
    rg_free(bytes);
    assert_ok(rg_dir_remove(path_of(0)));
    s = (seen){0};
    lineage = 78;
    assert_int_equal(rg_journal_read(folder, 6, &lineage, see, &s, &next), RG_ECORRUPT);
    assert_non_null(strstr(rg_error_message(), "of another life"));
}

/* ---- a disk that takes no more ---- */

/* promise 13 */
static void a_full_disk_is_said_and_nothing_is_half_written(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, k = 0;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    (void)signal(SIGXFSZ, SIG_IGN);
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (rg_status code = RG_OK; code == RG_OK; k += code == RG_OK) {
        uint8_t body[64];
        size_t bytes = body_of(k, body);
        code = rg_journal_append(journal, (uint32_t)k, &(rg_iov){body, bytes}, 1, NULL);
    }
    assert_non_null(strstr(rg_error_message(), "the journal cannot be written"));
    assert_true(k > 5);
    assert_int_equal(rg_journal_append(journal, 1, NULL, 0, NULL), RG_EIO); /* final */
    for (int i = 0; atomic_load(&h.failed) == 0 && i < 20000; i++)
        rg_clock_sleep(1000000);
    assert_int_equal(atomic_load(&h.failed), RG_EIO);
    assert_int_equal(rg_journal_close(journal), RG_EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(read_from(folder, 0, 0, &next), k);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(records_come_back_over_lives_and_segments),
        TEST(a_segment_that_has_no_name_yet_counts_behind_a_whole_one),
        TEST(what_a_snapshot_has_goes),
        TEST(always_says_how_far_it_is_on_the_disk),
        TEST(torn_anywhere_it_goes_on_with_what_is_whole),
        TEST(a_changed_byte_is_found),
        TEST(damage_in_the_middle_is_refused_with_its_place),
        TEST(a_full_disk_is_said_and_nothing_is_half_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
