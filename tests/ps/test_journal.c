/* test_journal.c - the log of a server: read back, torn at every byte, damaged at every byte, on a
 * disk that is full. */
#include "check.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "ps/journal.h"
#include "sys/clock.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

enum { FRONT = 2 * 4096 }; /* small: it goes round, and records are larger */

static rg_journal *begin_with(rg_folder *folder, rg_journal_mode mode, uint64_t next, heard *h,
                              size_t front)
{
    rg_journal *journal = NULL;
    const rg_journal_about about = {mode, 77, front};
    assert_ok(rg_journal_open(&journal, folder, &about, next,
                              &(rg_journal_events){on_durable, on_failed, h}));
    return journal;
}

static rg_journal *begin(rg_folder *folder, rg_journal_mode mode, uint64_t next, heard *h)
{
    return begin_with(folder, mode, next, h, 0);
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
    rg_journal *journal = begin_with(*state, RG_JOURNAL_ALWAYS, 0, &h, FRONT);
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

/* What is to be behind a snapshot, whose number counts the journal's own records too. */
static void who_waits_for_the_disk_waits_for_the_mark_too(void **state)
{
    heard h = {0};
    rg_journal *journal = begin(*state, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 3);
    assert_ok(rg_journal_wait(journal)); /* and then it marks that they are on the disk */
    assert_int_equal(rg_journal_next(journal), 4);
    assert_int_equal(setenv("RG_FAULT", "file.sync:1:eio", 1), 0);
    rg_status code = rg_journal_wait(journal);
    assert_int_equal(unsetenv("RG_FAULT"), 0);
    assert_int_equal(code, RG_EIO);
    assert_int_equal(rg_journal_close(journal), RG_EIO);
}

static void to_wait_again_writes_nothing(void **state)
{
    heard h = {0};
    rg_journal *journal = begin(*state, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 3);
    for (int i = 0; i < 3; i++) {
        assert_ok(rg_journal_wait(journal));
        assert_int_equal(rg_journal_next(journal), 4);
    }
    assert_ok(rg_journal_close(journal));
}

/* The power took what a snapshot has: it is not missed, and what comes then is not passed over. */
static void numbers_go_on_behind_the_snapshot(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next;
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 10);
    assert_ok(rg_journal_close(journal));
    assert_ok(rg_file_cut(path_of(0), rg_path_size(path_of(0)) - 8)); /* the mark, number 10 */
    assert_int_equal(read_from(folder, 11, 11, &next), 0);
    assert_int_equal(next, 11);
    journal = begin(folder, RG_JOURNAL_EVERYSEC, next, &h);
    write_some(journal, 11, 2);
    assert_ok(rg_journal_close(journal));
    assert_int_equal(read_from(folder, 11, 11, &next), 2);
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

static int count_descriptors(void)
{
    int n = 0;
    DIR *all = opendir("/proc/self/fd");
    assert_non_null(all);
    while (readdir(all) != NULL)
        n++;
    assert_int_equal(closedir(all), 0);
    return n;
}

static void a_segment_that_finds_no_room_leaves_nothing_open(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next;
    struct rlimit before, small;
    int open_before = count_descriptors();
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 5);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 16;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(rg_journal_cut(journal, &next), RG_EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rg_journal_close(journal), RG_EIO);
    assert_int_equal(count_descriptors(), open_before);
    assert_int_equal(read_from(folder, 0, 0, &next), 5);
}

/* Whose records mean something else now: it is neither read nor taken for damage. */
static void a_segment_of_another_version_is_refused_by_name(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, lineage = 0;
    size_t n;
    seen s = {0};
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 5);
    assert_ok(rg_journal_close(journal));
    uint8_t *bytes = read_bytes(path_of(0), &n);
    bytes[7] = '1';
    uint32_t crc = rg_crc32c(rg_crc32c(0, bytes, 24), bytes + 28, 4);
    memcpy(bytes + 24, &crc, sizeof crc);
    assert_ok(rg_file_write_all(path_of(0), bytes, n));
    assert_fails(rg_journal_read(folder, 0, &lineage, see, &s, &next), RG_EUNIMPL,
                 "was written by another Regatta (its files have version 1, and ours 2)");
    rg_free(bytes);
}

/* The disk of the last segment is not there now: it is not taken for one without records. */
static void a_segment_that_cannot_be_read_is_kept(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, lineage = 0;
    char kept[160];
    seen s = {0};
    rg_journal *journal = begin(folder, RG_JOURNAL_EVERYSEC, 0, &h);
    write_some(journal, 0, 5);
    assert_ok(rg_journal_close(journal));
    (void)snprintf(kept, sizeof kept, "%s.elsewhere", path_of(0));
    assert_int_equal(rename(path_of(0), kept), 0);
    assert_int_equal(symlink("not-mounted/journal", path_of(0)), 0);
    assert_int_not_equal(rg_journal_read(folder, 0, &lineage, see, &s, &next), RG_OK);
    assert_non_null(strstr(rg_error_message(), "journal-0"));
    assert_int_equal(unlink(path_of(0)), 0); /* it is there still */
    assert_int_equal(rename(kept, path_of(0)), 0);
    assert_int_equal(read_from(folder, 0, 0, &next), 5);
}

/* ---- what stands in front of it ---- */

static const char *front_path(void)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/journal-front", folder_path);
    return path;
}

/* Bodies of all sizes, some larger than what stands in front. */
static size_t large_body_of(uint64_t k, uint8_t *out)
{
    static const size_t sizes[] = {0, 24, 700, 4096, 1, 5000, 8192, 20000, 64};
    size_t n = sizes[k % (sizeof sizes / sizeof *sizes)];
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(k * 31 + i * 7 + i / 256);
    return n;
}

static void write_large(rg_journal *journal, uint64_t first, uint64_t n)
{
    static uint8_t body[20000];
    for (uint64_t k = first; k < first + n; k++) {
        size_t bytes = large_body_of(k, body), third = bytes / 3;
        assert_ok(rg_journal_append(journal, (uint32_t)k,
                                    (rg_iov[]){{body, third}, {body + third, bytes - third}}, 2,
                                    NULL));
    }
}

static rg_status see_large(void *arg, const rg_record *record)
{
    static uint8_t body[20000];
    seen *s = arg;
    uint64_t k = s->first + s->n++;
    assert_int_equal(record->kind, k);
    assert_int_equal(record->n, large_body_of(k, body));
    assert_memory_equal(record->bytes, body, record->n);
    return RG_OK;
}

static uint64_t count_large(rg_folder *folder, bool looks, uint64_t *next)
{
    seen s = {0};
    uint64_t lineage = 77;
    assert_ok(
        (looks ? rg_journal_look : rg_journal_read)(folder, 0, &lineage, see_large, &s, next));
    return s.n;
}

/* A process that writes n records, with a cut before number `cut`, and is killed. */
static void write_and_die(rg_folder *folder, uint64_t n, uint64_t cut)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        heard h = {0};
        uint64_t first;
        rg_journal *journal = begin_with(folder, RG_JOURNAL_EVERYSEC, 0, &h, FRONT);
        write_large(journal, 0, cut < n ? cut : n);
        if (cut < n) {
            assert_ok(rg_journal_cut(journal, &first));
            write_large(journal, cut, n - cut);
        }
        (void)raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void empty(void)
{
    rg_folder *folder;
    assert_ok(rg_folder_open(&folder, folder_path));
    assert_ok(rg_dir_remove(front_path()));
    for (uint64_t k = 0; k < 40; k++)
        assert_ok(rg_dir_remove(path_of(k)));
    rg_folder_close(folder);
}

/* promise 4 */
static void what_a_killed_process_left_in_front_comes_back(void **state)
{
    rg_folder *folder = *state;
    for (uint64_t n = 0; n < 30; n++) {
        heard h = {0};
        uint64_t next;
        write_and_die(folder, n, n % 3 == 0 ? n / 2 : n);
        uint64_t before = rg_path_size(path_of(0));
        assert_int_equal(count_large(folder, true, &next), n); /* who looks changes nothing */
        assert_int_equal(rg_path_size(path_of(0)), before);
        assert_int_equal(count_large(folder, false, &next), n);
        assert_int_equal(next, n);
        rg_journal *journal = begin_with(folder, RG_JOURNAL_EVERYSEC, next, &h, FRONT);
        write_large(journal, n, 3);
        assert_ok(rg_journal_close(journal));
        assert_false(rg_path_exists(front_path())); /* all is in the segment */
        assert_int_equal(count_large(folder, false, &next), n + 3);
        empty();
    }
}

/* The power goes: of what was not flushed the disk has the front of any moment, and the segment of
 * any other. */
static void after_a_power_cut_what_the_segment_has_counts(void **state)
{
    rg_folder *folder = *state;
    uint8_t *fronts[12], *segments[12];
    size_t n_front[12], n_segment[12];
    uint64_t next, joined = 0;
    for (uint64_t n = 0; n < 12; n++) {
        write_and_die(folder, n, n);
        fronts[n] = read_bytes(front_path(), &n_front[n]);
        segments[n] = read_bytes(path_of(0), &n_segment[n]);
        empty();
    }
    for (size_t f = 0; f < 12; f++)
        for (size_t k = 0; k < 12; k++) {
            assert_ok(rg_file_write_all(front_path(), fronts[f], n_front[f]));
            assert_ok(rg_file_write_all(path_of(0), segments[k], n_segment[k]));
            uint64_t n = count_large(folder, false, &next);
            assert_true(n <= (f > k ? f : k));
            assert_true(f != k || n == f);
            joined += f > k && n == f;
            assert_ok(rg_dir_remove(front_path()));
            assert_int_equal(count_large(folder, false, &next), n); /* it is in the segment now */
            empty();
        }
    assert_true(joined > 0); /* one that goes on where the segment ends is as good */
    for (size_t n = 0; n < 12; n++) {
        rg_free(fronts[n]);
        rg_free(segments[n]);
    }
}

static void a_front_of_any_bytes_is_never_believed(void **state)
{
    rg_folder *folder = *state;
    size_t n, n_segment;
    uint64_t next;
    write_and_die(folder, 8, 8);
    uint8_t *front = read_bytes(front_path(), &n), *segment = read_bytes(path_of(0), &n_segment);
    for (size_t at = 0; at < n; at += at < 64 ? 1 : 97) {
        front[at] ^= 0x11;
        assert_ok(rg_file_write_all(front_path(), front, n));
        front[at] ^= 0x11;
        assert_ok(rg_file_write_all(path_of(0), segment, n_segment));
        assert_true(count_large(folder, false, &next) <= 8); /* each of them is what was written */
    }
    for (size_t cut = 0; cut < n; cut += 1000) {
        assert_ok(rg_file_write_all(front_path(), front, cut));
        assert_ok(rg_file_write_all(path_of(0), segment, n_segment));
        assert_true(count_large(folder, false, &next) <= 8);
    }
    rg_free(front);
    rg_free(segment);
}

/* promise 13 */
static void a_full_disk_behind_the_front_loses_nothing(void **state)
{
    rg_folder *folder = *state;
    heard h = {0};
    uint64_t next, k = 0;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 40000;
    (void)signal(SIGXFSZ, SIG_IGN);
    rg_journal *journal = begin_with(folder, RG_JOURNAL_EVERYSEC, 0, &h, FRONT);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (rg_status code = RG_OK; code == RG_OK && k < 1000; k += code == RG_OK) {
        static uint8_t body[20000];
        size_t bytes = large_body_of(k, body);
        code = rg_journal_append(journal, (uint32_t)k, &(rg_iov){body, bytes}, 1, NULL);
    }
    assert_non_null(strstr(rg_error_message(), "the journal cannot be written"));
    assert_true(k > 5 && k < 1000);
    assert_int_equal(rg_journal_close(journal), RG_EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(count_large(folder, false, &next), k);
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
        TEST(who_waits_for_the_disk_waits_for_the_mark_too),
        TEST(to_wait_again_writes_nothing),
        TEST(numbers_go_on_behind_the_snapshot),
        TEST(a_changed_byte_is_found),
        TEST(damage_in_the_middle_is_refused_with_its_place),
        TEST(a_full_disk_is_said_and_nothing_is_half_written),
        TEST(a_segment_that_finds_no_room_leaves_nothing_open),
        TEST(a_segment_of_another_version_is_refused_by_name),
        TEST(a_segment_that_cannot_be_read_is_kept),
        TEST(what_a_killed_process_left_in_front_comes_back),
        TEST(after_a_power_cut_what_the_segment_has_counts),
        TEST(a_front_of_any_bytes_is_never_believed),
        TEST(a_full_disk_behind_the_front_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
