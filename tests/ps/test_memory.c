/* test_memory.c - tables with a limit: batches that are refused whole, rows that go by use, rows on
 * disk that are the same bits, and everything a table has in chunks. */
#include "check.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/philox.h"
#include "ps/admission.h"
#include "ps/disk.h"
#include "ps/table.h"
#include "ps/table_state.h"
#include "sys/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 1000, MIB = 1 << 20 };

static rg_table_spec spec_of(const rg_table_keep *keep)
{
    return (rg_table_spec){.name = "emb",
                           .dim = 4,
                           .n_states = 1,
                           .state_start = {0.25f},
                           .n_counters = 2,
                           .height = -1,
                           .start = RG_START_UNIFORM,
                           .a = -1,
                           .b = 1,
                           .key = {7, 1},
                           .keep = keep};
}

static rg_table *open_table(const rg_table_keep *keep)
{
    rg_table_spec spec = spec_of(keep);
    rg_table *table = NULL;
    assert_ok(rg_table_open(&table, &spec));
    return table;
}

static rg_disk *open_disk(char path[64])
{
    rg_disk *disk = NULL;
    (void)snprintf(path, 64, "/tmp/test_memory.%ld/rows", (long)getpid());
    assert_ok(rg_disk_open(&disk, path, 4 * MIB));
    return disk;
}

static void close_disk(rg_disk *disk, char *path)
{
    rg_disk_close(disk);
    path[strlen(path) - strlen("/rows")] = '\0';
    assert_ok(rg_dir_remove(path));
}

/* ---- sizes ---- */

static void sizes_are_read_or_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {{"1", 1},           {"4096", 4096},      {"64k", 65536},       {"512M", 512u << 20},
                {"8G", 8ull << 30}, {"8GB", 8ull << 30}, {"8GiB", 8ull << 30}, {"2t", 2ull << 40},
                {"100b", 100}};
    static const char *const bad[] = {"",
                                      "0",
                                      "-1",
                                      "8X",
                                      "G",
                                      "8 G",
                                      "1.5G",
                                      "0x10",
                                      "8GG",
                                      "8Gi",
                                      "1e9",
                                      "inf",
                                      "99999999999999999999",
                                      "9999999T",
                                      "+8G"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t bytes = 0;
        assert_ok(rg_parse_bytes("--table_memory", good[i].text, &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t bytes = 77;
        assert_fails(rg_parse_bytes("--table_memory", bad[i], &bytes), RG_EINVAL,
                     "--table_memory is '");
        assert_int_equal(bytes, 77);
    }
    rg_evict evict;
    assert_ok(rg_parse_evict("--table_evict", "lfu", &evict));
    assert_int_equal(evict, RG_EVICT_LFU);
    assert_fails(rg_parse_evict("--table_evict", "fifo", &evict), RG_EINVAL,
                 "--table_evict is 'fifo'");
}

/* ---- a limit ---- */

/* promise 19 */
static void a_batch_beyond_the_limit_is_refused_whole(void **state)
{
    (void)state;
    static int64_t ids[1000000];
    static rg_row_handle handles[1000000];
    enum { N = 1000000 };
    rg_quota quota = {.limit = 64 * MIB};
    rg_table_spec spec = spec_of(&(rg_table_keep){.quota = &quota});
    rg_table *table = NULL;
    spec.dim = 16;
    assert_ok(rg_table_open(&table, &spec));
    for (int64_t i = 0; i < N; i++)
        ids[i] = i;
    assert_ok(rg_table_touch(table, ids, 1000, handles, NULL));
    float before = rg_table_row(table, handles[999])[0];
    rg_table_row(table, handles[999])[0] = before + 1;
    assert_fails(rg_table_touch(table, ids, N, handles, NULL), RG_ENOMEM,
                 "table 'emb' is full: 999000 rows more do not fit into --table_memory, 64 MiB");
    assert_non_null(strstr(rg_error_message(), "it has 1000 rows in "));
    assert_int_equal(rg_table_size(table), 1000);
    assert_true(atomic_load(&quota.used) <= quota.limit);
    assert_int_equal(atomic_load(&quota.used), rg_table_bytes(table));
    /* Smaller ones go in until it is full, and what is there goes on. */
    size_t done = 0;
    while (done + BATCH <= N && rg_table_touch(table, ids + done, BATCH, handles, NULL) == RG_OK)
        done += BATCH;
    assert_true(done > 300 * BATCH && done < N);
    assert_int_equal(rg_table_size(table), done);
    assert_true(atomic_load(&quota.used) <= quota.limit);
    assert_ok(rg_table_touch(table, ids, 1000, handles, NULL));
    assert_true(rg_table_row(table, handles[999])[0] == before + 1);
    assert_ok(rg_table_clear(table));
    assert_int_equal(atomic_load(&quota.used), rg_table_bytes(table));
    rg_table_close(table);
    assert_int_equal(atomic_load(&quota.used), 0);
}

static void what_a_refused_request_made_goes_again(void **state)
{
    (void)state;
    rg_table *table = open_table(NULL);
    int64_t ids[] = {1, 2, 3};
    rg_row_handle handles[3];
    assert_ok(rg_table_touch(table, ids, 3, handles, NULL));
    rg_table_row(table, handles[1])[2] += 1; /* another has learned something meanwhile */
    assert_ok(rg_table_unmake(table, ids, 3));
    assert_int_equal(rg_table_size(table), 1);
    assert_ok(rg_table_find(table, ids, 3, handles));
    assert_true(handles[0] == RG_NO_ROW && handles[1] != RG_NO_ROW && handles[2] == RG_NO_ROW);
    rg_table_close(table);
}

/* ---- rows that go ---- */

typedef struct gone_list {
    int64_t ids[200000];
    size_t n;
} gone_list;

static void note_gone(void *arg, const int64_t *ids, size_t n)
{
    gone_list *list = arg;
    for (size_t i = 0; i < n; i++)
        list->ids[list->n++] = ids[i];
}

/* Ids 0 .. until rows go, then the first half is used again, or used often; who goes then? */
static void fill_until_rows_go(rg_evict evict, bool *is_there, size_t *n_rows)
{
    static gone_list gone;
    rg_quota quota = {.limit = 2 * MIB};
    rg_table *table = open_table(
        &(rg_table_keep){.quota = &quota, .evict = evict, .gone = note_gone, .arg = &gone});
    int64_t next = 0;
    rg_row_handle handle;
    gone.n = 0;
    for (; gone.n == 0; next++)
        assert_ok(rg_table_touch(table, &next, 1, &handle, NULL));
    int64_t first = evict == RG_EVICT_LFU ? 20 : 1;
    int64_t n = next;
    for (int64_t round = 0; round < first; round++)
        for (int64_t id = n / 4; id < n / 2; id++)
            assert_ok(rg_table_touch(table, &id, 1, &handle, NULL));
    for (int64_t k = 0; k < n / 4; k++, next++)
        assert_ok(rg_table_touch(table, &next, 1, &handle, NULL));
    for (int64_t id = 0; id < n; id++) {
        assert_ok(rg_table_find(table, &id, 1, &handle));
        is_there[id] = handle != RG_NO_ROW;
    }
    *n_rows = (size_t)n;
    assert_true(atomic_load(&quota.used) <= quota.limit);
    assert_int_equal(rg_table_size(table), (size_t)next - gone.n + 0);
    rg_table_close(table);
}

static void rows_that_are_not_used_go_first(void **state)
{
    (void)state;
    static bool there[2][200000];
    for (rg_evict evict = RG_EVICT_LRU; evict <= RG_EVICT_LFU; evict++) {
        size_t n, again, kept = 0, lost = 0;
        fill_until_rows_go(evict, there[0], &n);
        fill_until_rows_go(evict, there[1], &again);
        assert_int_equal(n, again); /* the same calls, the same rows */
        assert_memory_equal(there[0], there[1], n * sizeof(bool));
        for (size_t i = n / 4; i < n / 2; i++)
            kept += there[0][i];
        for (size_t i = 0; i < n / 4; i++)
            lost += !there[0][i];
        assert_int_equal(kept, n / 2 - n / 4); /* those in use */
        if (evict == RG_EVICT_LRU)
            assert_true(lost > n / 6); /* the oldest */
    }
}

static void a_row_that_went_starts_anew_and_one_batch_is_never_torn(void **state)
{
    (void)state;
    rg_quota quota = {.limit = 2 * MIB};
    rg_table *table = open_table(&(rg_table_keep){.quota = &quota, .evict = RG_EVICT_LRU});
    enum { N = 100000 };
    static int64_t ids[N];
    static rg_row_handle handles[N];
    float start[4];
    for (int64_t i = 0; i < N; i++)
        ids[i] = i;
    assert_ok(rg_table_gather(table, ids, 1, false, start, NULL));
    assert_ok(rg_table_touch(table, ids, 1, handles, NULL));
    rg_table_row(table, handles[0])[0] = 77;
    for (int64_t i = 1; i < N; i += 500) { /* a batch's handles are right however many rows went */
        size_t n = N - i < 500 ? (size_t)(N - i) : 500;
        assert_ok(rg_table_touch(table, ids + i, n, handles, NULL));
        for (size_t k = 0; k < n; k++)
            assert_int_equal(rg_table_id(table, handles[k]), ids[i + (int64_t)k]);
    }
    assert_true(rg_table_size(table) < N);
    float got[4];
    assert_ok(rg_table_gather(table, ids, 1, true, got, NULL));
    assert_memory_equal(got, start, sizeof got);
    size_t before = rg_table_size(table);
    assert_fails(rg_table_touch(table, ids, N, handles, NULL), RG_ENOMEM, "table 'emb' is full");
    assert_true(rg_table_size(table) <= before);
    assert_ok(rg_table_touch(table, ids, 500, handles, NULL)); /* it goes on */
    rg_table_close(table);
}

static void tables_that_share_memory_make_room_for_each_other(void **state)
{
    (void)state;
    rg_quota quota = {.limit = 2 * MIB};
    rg_table_keep keep = {.quota = &quota, .evict = RG_EVICT_LRU};
    rg_table *large = open_table(&keep), *small = open_table(&keep);
    rg_row_handle handle;
    for (int64_t id = 0; id < 100000; id++)
        assert_ok(rg_table_touch(large, &id, 1, &handle, NULL));
    size_t before = rg_table_size(large);
    for (int64_t id = 0; id < 3000; id++)
        assert_ok(rg_table_touch(small, &id, 1, &handle, NULL));
    assert_int_equal(rg_table_size(small), 3000);
    assert_true(rg_table_size(large) < before);
    assert_true(atomic_load(&quota.used) <= quota.limit);
    rg_table_close(large);
    rg_table_close(small);
}

/* ---- a disk ---- */

/* The same calls on a table in memory and on one with a disk, whose memory holds a small part. */
static void train_alike(rg_table *const tables[2], int rounds, uint64_t seed)
{
    static int64_t ids[BATCH];
    static rg_row_handle handles[BATCH];
    static float values[2][BATCH * 4], states[2][BATCH * 4];
    for (int round = 0; round < rounds; round++) {
        for (uint64_t i = 0; i < BATCH; i++) /* squared: some ids come often, as in logs */
            ids[i] = (int64_t)(rg_philox_uniform_f64((rg_philox_key){seed, (uint64_t)round}, i) *
                               rg_philox_uniform_f64((rg_philox_key){seed + 1, (uint64_t)round},
                                                     i) *
                               200000);
        for (int t = 0; t < 2; t++) {
            assert_ok(
                rg_table_gather(tables[t], ids, BATCH, false, values[t], (float *[]){states[t]}));
            assert_ok(rg_table_touch(tables[t], ids, BATCH, handles, NULL));
            for (int i = 0; i < BATCH; i++) {
                float *row = rg_table_row(tables[t], handles[i]);
                assert_int_equal(rg_table_id(tables[t], handles[i]), ids[i]);
                row[ids[i] % 4] += 0.5f * row[4] + (float)round;
                row[5] += 1;
                rg_table_counters(tables[t], handles[i])[1]++;
            }
        }
        assert_memory_equal(values[0], values[1], sizeof values[0]);
        assert_memory_equal(states[0], states[1], sizeof states[0]);
    }
}

static void assert_same_rows(rg_table *const tables[2])
{
    size_t n = rg_table_size(tables[0]);
    int64_t *ids[2];
    float *values[2];
    assert_int_equal(rg_table_size(tables[1]), n);
    for (int t = 0; t < 2; t++) {
        ids[t] = rg_alloc(n * sizeof(int64_t));
        values[t] = rg_alloc(n * 4 * sizeof(float));
        assert_ok(rg_table_ids(tables[t], ids[t]));
        assert_ok(rg_table_gather(tables[t], ids[t], n, false, values[t], NULL));
    }
    assert_memory_equal(ids[0], ids[1], n * sizeof(int64_t));
    assert_memory_equal(values[0], values[1], n * 4 * sizeof(float));
    for (int t = 0; t < 2; t++) {
        rg_free(ids[t]);
        rg_free(values[t]);
    }
}

static void rows_on_disk_are_the_same_bits(void **state)
{
    (void)state;
    char path[64];
    rg_disk *disk = open_disk(path);
    rg_quota quota = {.limit = MIB};
    rg_table *tables[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &quota, .disk = disk})};
    train_alike(tables, 60, 1);
    assert_true(rg_table_in_memory(tables[1]) * 3 < rg_table_size(tables[1]));
    assert_true(atomic_load(&quota.used) <= quota.limit);
    assert_same_rows(tables);
    /* Rows that are erased are so on the disk, too, and start anew. */
    int64_t some[] = {0, 1, 5000, 5000, 199999, 7};
    size_t erased[2];
    for (int t = 0; t < 2; t++)
        assert_ok(rg_table_erase(tables[t], some, 6, &erased[t]));
    assert_int_equal(erased[0], erased[1]);
    train_alike(tables, 8, 5);
    assert_same_rows(tables);
    for (int t = 0; t < 2; t++)
        assert_ok(rg_table_clear(tables[t]));
    assert_int_equal(rg_table_size(tables[1]), 0);
    train_alike(tables, 8, 9);
    assert_same_rows(tables);
    rg_table_close(tables[0]);
    rg_table_close(tables[1]);
    close_disk(disk, path);
}

static bool is_rare(void *arg, int64_t id, uint32_t *counters)
{
    (void)id;
    return counters[1] < *(const uint32_t *)arg;
}

static void shrinking_reaches_rows_on_disk(void **state)
{
    (void)state;
    char path[64];
    rg_disk *disk = open_disk(path);
    rg_quota quota = {.limit = MIB};
    rg_table *tables[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &quota, .disk = disk})};
    size_t erased[2];
    train_alike(tables, 40, 1);
    for (int t = 0; t < 2; t++)
        assert_ok(rg_table_erase_if(tables[t], is_rare, &(uint32_t){2}, &erased[t]));
    assert_true(erased[0] > 1000);
    assert_int_equal(erased[0], erased[1]);
    assert_same_rows(tables);
    train_alike(tables, 8, 3);
    assert_same_rows(tables);
    rg_table_close(tables[0]);
    rg_table_close(tables[1]);
    close_disk(disk, path);
}

static void two_tables_and_two_servers_do_not_mix_their_rows(void **state)
{
    (void)state;
    char path[64];
    rg_disk *disk = open_disk(path), *second = NULL;
    rg_quota quota = {.limit = MIB};
    rg_table_keep keep = {.quota = &quota, .disk = disk};
    rg_table *one[2] = {open_table(NULL), open_table(&keep)};
    rg_table *two[2] = {open_table(NULL), open_table(&keep)};
    for (int k = 0; k < 3; k++) {
        train_alike(one, 8, 10 + (uint64_t)k);
        train_alike(two, 8, 20 + (uint64_t)k);
    }
    assert_same_rows(one);
    assert_same_rows(two);
    assert_fails(rg_disk_open(&second, path, MIB), RG_EIO, "does another server use it?");
    for (int t = 0; t < 2; t++) {
        rg_table_close(one[t]);
        rg_table_close(two[t]);
    }
    rg_disk_close(disk);
    disk = open_disk(path); /* and who comes later finds nothing */
    keep.disk = disk;
    rg_table *fresh = open_table(&keep);
    assert_int_equal(rg_table_size(fresh), 0);
    rg_table_close(fresh);
    close_disk(disk, path);
}

/* ---- in chunks ---- */

static bool is_even(void *arg, int64_t id)
{
    (void)arg;
    return id % 2 == 0;
}

static bool is_odd(void *arg, int64_t id)
{
    (void)arg;
    return id % 2 != 0;
}

/* Everything of a table into others. */
static void pour(rg_table *from, int parts, rg_table *const *to, int n_to)
{
    static bool (*const keeps[])(void *, int64_t) = {is_even, is_odd};
    rg_table_walk *walk;
    rg_buf chunk;
    bool more = true;
    rg_buf_init(&chunk, 0);
    assert_ok(rg_table_walk_open(&walk, from, parts));
    for (;;) {
        rg_buf_clear(&chunk);
        assert_ok(rg_table_walk_next(walk, &chunk, 10000, &more));
        if (!more)
            break;
        assert_true(chunk.len <= 10000);
        for (int t = 0; t < n_to; t++)
            assert_ok(rg_table_put(to[t], chunk.data, chunk.len, n_to > 1 ? keeps[t] : NULL, NULL));
    }
    rg_table_walk_close(walk);
    rg_buf_fini(&chunk);
}

static void all_a_table_has_goes_out_and_in_again(void **state)
{
    (void)state;
    char path[64];
    rg_disk *disk = open_disk(path);
    rg_quota quota = {.limit = MIB};
    rg_table *tables[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &quota, .disk = disk})};
    train_alike(tables, 40, 1);
    rg_table *copies[2] = {open_table(NULL), open_table(NULL)};
    pour(tables[0], RG_WALK_ALL, &copies[0], 1);
    pour(tables[1], RG_WALK_DISK, &copies[1], 1); /* in the order of the parts: the later counts */
    pour(tables[1], RG_WALK_MEMORY | RG_WALK_COUNTS, &copies[1], 1);
    assert_same_rows(copies);
    assert_same_rows((rg_table *[]){tables[0], copies[1]});
    train_alike(copies, 8, 7);
    /* Onto two shards of which one has a disk. */
    rg_quota other = {.limit = MIB};
    rg_table *shards[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &other, .disk = disk})};
    pour(tables[1], RG_WALK_ALL, shards, 2);
    assert_int_equal(rg_table_size(shards[0]) + rg_table_size(shards[1]), rg_table_size(tables[0]));
    int64_t id = 1001;
    float value[2][4];
    assert_ok(rg_table_gather(tables[0], &id, 1, false, value[0], NULL));
    assert_ok(rg_table_gather(shards[1], &id, 1, false, value[1], NULL));
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    for (int t = 0; t < 2; t++) {
        rg_table_close(tables[t]);
        rg_table_close(copies[t]);
        rg_table_close(shards[t]);
    }
    close_disk(disk, path);
}

/* The rest of the run, rows that go included, is the same from what was put back. */
static void the_clock_by_which_rows_go_is_in_it(void **state)
{
    (void)state;
    rg_quota quotas[2] = {{.limit = 2 * MIB}, {.limit = 2 * MIB}};
    rg_table *tables[2];
    rg_row_handle handle;
    for (int t = 0; t < 2; t++)
        tables[t] = open_table(&(rg_table_keep){.quota = &quotas[t], .evict = RG_EVICT_LRU});
    for (int64_t i = 0; i < 80000; i++) {
        int64_t id = (int64_t)rg_philox_below((rg_philox_key){1, 1}, (uint64_t)i, 60000);
        assert_ok(rg_table_touch(tables[0], &id, 1, &handle, NULL));
    }
    pour(tables[0], RG_WALK_ALL, &tables[1], 1);
    for (int64_t i = 0; i < 50000; i++) {
        int64_t id = (int64_t)rg_philox_below((rg_philox_key){2, 1}, (uint64_t)i, 60000);
        for (int t = 0; t < 2; t++)
            assert_ok(rg_table_touch(tables[t], &id, 1, &handle, NULL));
    }
    assert_same_rows(tables);
    rg_table_close(tables[0]);
    rg_table_close(tables[1]);
}

static void bad_chunks_are_refused(void **state)
{
    (void)state;
    rg_table *table = open_table(NULL);
    rg_table_spec other_spec = spec_of(NULL);
    other_spec.dim = 5;
    rg_table *other = NULL;
    rg_row_handle handles[3];
    rg_table_walk *walk;
    rg_buf chunk;
    bool more;
    assert_ok(rg_table_open(&other, &other_spec));
    assert_ok(rg_table_touch(table, (int64_t[]){1, 2, 3}, 3, handles, NULL));
    rg_buf_init(&chunk, 0);
    assert_ok(rg_table_walk_open(&walk, table, RG_WALK_ALL));
    assert_ok(rg_table_walk_next(walk, &chunk, 0, &more)); /* at least a row */
    assert_true(more);
    rg_table_walk_close(walk);
    assert_fails(rg_table_put(other, chunk.data, chunk.len, NULL, NULL), RG_ESHAPE, "table 'emb'");
    for (size_t n = 0; n < chunk.len; n++)
        assert_fails(rg_table_put(table, chunk.data, n, NULL, NULL), RG_ECORRUPT, "");
    for (size_t i = 0; i < 32; i++)
        for (int bit = 0; bit < 8; bit++) {
            rg_table *target = open_table(NULL);
            chunk.data[i] ^= (uint8_t)(1 << bit);
            rg_status code = rg_table_put(target, chunk.data, chunk.len, NULL, NULL);
            assert_true(code == RG_ECORRUPT || code == RG_ESHAPE || code == RG_OK);
            chunk.data[i] ^= (uint8_t)(1 << bit);
            rg_table_close(target);
        }
    memset(chunk.data + 32, 0xff, 8); /* the id */
    assert_fails(rg_table_put(table, chunk.data, chunk.len, NULL, NULL), RG_EVALUE, "id -1");
    rg_buf_fini(&chunk);
    rg_table_close(table);
    rg_table_close(other);
}

/* ---- admission ---- */

static rg_table *open_filtered(const char *entry, const rg_table_keep *keep)
{
    rg_table_spec spec = spec_of(keep);
    rg_entry_rule rule = {.key = spec.key};
    rg_table *table = NULL;
    assert_ok(rg_parse_entry("emb", entry, &rule));
    spec.entry = &rule;
    assert_ok(rg_table_open(&table, &spec));
    return table;
}

/* Whether a push of the id lets it in; then it is made. */
static bool push_id(rg_table *table, int64_t id)
{
    bool admitted;
    rg_row_handle handle;
    assert_ok(rg_table_admit(table, &id, 1, true, &admitted));
    if (admitted)
        assert_ok(rg_table_touch(table, &id, 1, &handle, NULL));
    return admitted;
}

static void an_id_gets_a_row_with_its_nth_push(void **state)
{
    (void)state;
    rg_table *table = open_filtered("count_filter_entry:3", NULL), *copy;
    float value[4], zeros[4] = {0}, start[4];
    rg_table *plain = open_table(NULL);
    int64_t id = 42;
    assert_ok(rg_table_gather(plain, &id, 1, false, start, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(rg_table_gather(table, &id, 1, false, value, NULL));
        assert_ok(rg_table_gather(table, &id, 1, false, value, NULL)); /* asked again: no count */
        assert_memory_equal(value, zeros, sizeof value);
        assert_false(push_id(table, id));
    }
    assert_ok(rg_table_gather(table, &id, 1, false, value, NULL));
    assert_memory_equal(value, start, sizeof value); /* what the next push will move */
    assert_int_equal(rg_table_size(table), 0);
    copy = open_filtered("count_filter_entry:3", NULL);
    pour(table, RG_WALK_ALL, &copy, 1); /* counts go along */
    assert_true(push_id(table, id));
    assert_true(push_id(copy, id));
    assert_int_equal(rg_table_size(copy), 1);
    assert_true(push_id(table, id));
    assert_false(push_id(table, 43));
    rg_table_close(table);
    rg_table_close(copy);
    rg_table_close(plain);
}

static void a_draw_depends_on_the_id_and_its_pushes_alone(void **state)
{
    (void)state;
    enum { N = 20000 };
    static uint8_t when[2][N];
    for (int way = 0; way < 2; way++) {
        rg_table *table = open_filtered("probability_entry:0.25", NULL);
        for (int push = 1; push <= 3; push++)
            for (int64_t k = 0; k < N; k++) {
                int64_t id = way == 0 ? k : N - 1 - k;
                if (push_id(table, id) && when[way][id] == 0)
                    when[way][id] = (uint8_t)push;
            }
        rg_table_close(table);
    }
    assert_memory_equal(when[0], when[1], sizeof when[0]);
    size_t n[4] = {0};
    for (int i = 0; i < N; i++)
        n[when[0][i]]++;
    assert_true(n[1] > N / 4 - 400 && n[1] < N / 4 + 400);
    assert_true(n[2] > N * 3 / 16 - 400 && n[2] < N * 3 / 16 + 400);
}

static void counts_are_in_the_contract_and_age(void **state)
{
    (void)state;
    rg_quota quota = {.limit = MIB};
    rg_table *table = open_filtered("count_filter_entry:3", &(rg_table_keep){.quota = &quota});
    rg_status code = RG_OK;
    bool admitted;
    for (int64_t id = 0; id < 200000 && code == RG_OK; id++)
        code = rg_table_admit(table, &id, 1, true, &admitted);
    assert_int_equal(code, RG_ENOMEM);
    assert_non_null(strstr(rg_error_message(), "do not fit into --table_memory"));
    assert_true(atomic_load(&quota.used) <= quota.limit);
    rg_table_close(table);
    assert_int_equal(atomic_load(&quota.used), 0);
    table = open_filtered("count_filter_entry:4",
                          &(rg_table_keep){.quota = &quota, .evict = RG_EVICT_LRU});
    for (int64_t id = 0; id < 200000; id++) {
        assert_false(push_id(table, 1000000 + id)); /* once each */
        if (id % 1000 == 0)
            (void)push_id(table, 7); /* all the time */
    }
    rg_row_handle handle;
    assert_ok(rg_table_find(table, &(int64_t){7}, 1, &handle));
    assert_true(handle != RG_NO_ROW);
    assert_true(atomic_load(&quota.used) <= quota.limit);
    rg_table_close(table);
    assert_int_equal(quota.cost, 0);
}

static void rules_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"count_filter_entry:0",  "count_filter_entry:-1",
                                      "count_filter_entry:",   "count_filter_entry:3x",
                                      "probability_entry:0",   "probability_entry:1.5",
                                      "probability_entry:nan", "show_click_entry:a:b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rg_entry_rule rule = {0};
        assert_fails(rg_parse_entry("emb", bad[i], &rule), RG_EINVAL, "emb has the entry '");
    }
}

/* ---- without memory ---- */

static void without_memory_a_table_with_a_disk_stays_whole(void **state)
{
    (void)state;
    char path[64];
    rg_disk *disk = open_disk(path);
    rg_quota quota = {.limit = MIB};
    rg_table *tables[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &quota, .disk = disk})};
    static int64_t ids[BATCH];
    static rg_row_handle handles[BATCH];
    train_alike(tables, 40, 1);
    for (long n = 1; n < 50; n++) {
        for (int64_t i = 0; i < BATCH; i++)
            ids[i] = n * 37 + i * 199;
        rg_mem_fail_at(n % 12 + 1);
        rg_status code = rg_table_bring(tables[1], ids, BATCH, handles);
        rg_mem_fail_at(0);
        assert_true(code == RG_OK || code == RG_ENOMEM);
    }
    assert_same_rows(tables);
    train_alike(tables, 4, 3);
    rg_table_close(tables[0]);
    rg_table_close(tables[1]);
    close_disk(disk, path);
}

/* A read or a write that fails is an error, and no row is lost or changed. */
static void a_disk_that_fails_loses_nothing(void **state)
{
    (void)state;
#ifdef RG_FAULTS
    static const char *const points[] = {"ps.disk.write", "ps.disk.read"};
    char path[64], fault[64];
    rg_disk *disk = open_disk(path);
    rg_quota quota = {.limit = MIB};
    rg_table *tables[2] = {open_table(NULL),
                           open_table(&(rg_table_keep){.quota = &quota, .disk = disk})};
    static int64_t ids[BATCH];
    static rg_row_handle handles[BATCH];
    int failed = 0;
    train_alike(tables, 40, 1);
    for (int n = 0; n < 12; n++) {
        for (int64_t i = 0; i < BATCH; i++)
            ids[i] = n * 37 + i * 199;
        (void)snprintf(fault, sizeof fault, "%s:%d:eio", points[n % 2], n / 2 % 3 + 1);
        (void)setenv("RG_FAULT", fault, 1);
        rg_status code = rg_table_touch(tables[1], ids, BATCH, handles, NULL);
        (void)unsetenv("RG_FAULT");
        assert_true(code == RG_OK || code == RG_EIO);
        failed += code == RG_EIO;
        assert_ok(rg_table_touch(tables[0], ids, BATCH, handles, NULL)); /* both have them then */
        assert_ok(rg_table_touch(tables[1], ids, BATCH, handles, NULL));
    }
    assert_true(failed > 3);
    assert_same_rows(tables);
    train_alike(tables, 4, 3);
    rg_table_close(tables[0]);
    rg_table_close(tables[1]);
    close_disk(disk, path);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read_or_refused_by_name),
        cmocka_unit_test(a_batch_beyond_the_limit_is_refused_whole),
        cmocka_unit_test(what_a_refused_request_made_goes_again),
        cmocka_unit_test(rows_that_are_not_used_go_first),
        cmocka_unit_test(a_row_that_went_starts_anew_and_one_batch_is_never_torn),
        cmocka_unit_test(tables_that_share_memory_make_room_for_each_other),
        cmocka_unit_test(rows_on_disk_are_the_same_bits),
        cmocka_unit_test(shrinking_reaches_rows_on_disk),
        cmocka_unit_test(two_tables_and_two_servers_do_not_mix_their_rows),
        cmocka_unit_test(all_a_table_has_goes_out_and_in_again),
        cmocka_unit_test(the_clock_by_which_rows_go_is_in_it),
        cmocka_unit_test(bad_chunks_are_refused),
        cmocka_unit_test(an_id_gets_a_row_with_its_nth_push),
        cmocka_unit_test(a_draw_depends_on_the_id_and_its_pushes_alone),
        cmocka_unit_test(counts_are_in_the_contract_and_age),
        cmocka_unit_test(rules_are_read_or_refused),
        cmocka_unit_test(a_disk_that_fails_loses_nothing),
        cmocka_unit_test(without_memory_a_table_with_a_disk_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
