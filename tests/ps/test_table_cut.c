/* test_table_cut.c - a table written down while it goes on: what comes out is what it was at the
 * cut, whatever is pushed, erased or let go meanwhile. */
#include "check.h"

#include "base/mem.h"
#include "base/philox.h"
#include "ps/admission.h"
#include "ps/disk.h"
#include "ps/table.h"
#include "ps/table_state.h"
#include "sys/file.h"

#include <stdio.h>
#include <unistd.h>

enum { BATCH = 500, MIB = 1 << 20, PIECE = 50000, IDS = 120000 };

static rg_table *open_table(const rg_table_keep *keep, const char *entry)
{
    rg_entry_rule rule = {.key = {7, 1}};
    rg_table *table = NULL;
    assert_ok(rg_parse_entry("emb", entry, &rule));
    const rg_table_spec spec = {.name = "emb",
                                .dim = 4,
                                .n_states = 2,
                                .state_start = {0.25f},
                                .n_counters = 2,
                                .height = -1,
                                .start = RG_START_UNIFORM,
                                .a = -1,
                                .b = 1,
                                .key = {7, 1},
                                .keep = keep,
                                .entry = &rule};
    assert_ok(rg_table_open(&table, &spec));
    return table;
}

static uint64_t draw(uint64_t seed, uint64_t round, uint64_t i, uint64_t below)
{
    return rg_philox_below((rg_philox_key){seed, round}, i, below);
}

/* A push, by all the ways that rows change. */
static void push(rg_table *table, uint64_t seed, uint64_t round)
{
    static int64_t ids[BATCH];
    static bool admitted[BATCH];
    static rg_row_handle handles[BATCH];
    static float values[BATCH * 4], *rows[BATCH];
    uint32_t *counters[BATCH];
    size_t n = 0;
    for (uint64_t i = 0; i < BATCH; i++)
        ids[i] = (int64_t)draw(seed, round, i, IDS);
    assert_ok(rg_table_admit(table, ids, BATCH, true, admitted));
    for (size_t i = 0; i < BATCH; i++)
        if (admitted[i])
            ids[n++] = ids[i];
    assert_ok(rg_table_touch(table, ids, n, handles, NULL));
    rg_table_rows(table, handles, n, rows, counters);
    for (size_t i = 0; i < n; i++) {
        rows[i][ids[i] % 12] += (float)round;
        counters[i][1]++;
        values[i] = (float)i;
    }
    rg_table_add_scaled(table, handles, n / 4, values, 0.5f);
    if (n > 0)
        rg_table_row(table, handles[n - 1])[3] = (float)round;
    rg_table_write(table, handles, n / 8, values, NULL);
}

static bool is_rare(void *arg, int64_t id, uint32_t *counters)
{
    counters[0] = counters[0] < 9 ? counters[0] + 1 : 0; /* it grows old */
    return id % 7 == 0 && counters[1] < *(const uint32_t *)arg;
}

/* ---- what a table has, as bytes ---- */

typedef struct chunks {
    rg_buf bytes;
    size_t ends[4000], n, spilled;
} chunks;

static rg_status spill(void *arg, const uint8_t *chunk, size_t n)
{
    chunks *c = arg;
    rg_buf_add(&c->bytes, chunk, n);
    c->ends[c->n++] = c->bytes.len;
    c->spilled++;
    return RG_OK;
}

static bool next(rg_table_walk *walk, chunks *c)
{
    bool more;
    assert_ok(rg_table_walk_next(walk, &c->bytes, PIECE, &more));
    if (more)
        c->ends[c->n++] = c->bytes.len;
    return more;
}

static void put(rg_table *table, const chunks *c)
{
    for (size_t i = 0, at = 0; i < c->n; at = c->ends[i++])
        assert_ok(rg_table_put(table, c->bytes.data + at, c->ends[i] - at, NULL, NULL));
}

/* Everything, in the order of ids: equal bytes are equal tables. */
static void describe(rg_table *table, rg_buf *out)
{
    size_t n = rg_table_size(table);
    int64_t *ids = rg_alloc((n + 1) * sizeof *ids);
    assert_ok(rg_table_ids(table, ids));
    for (size_t i = 0; i < n; i++) {
        rg_row_handle handle;
        assert_ok(rg_table_bring(table, &ids[i], 1, &handle));
        rg_buf_add(out, &ids[i], sizeof *ids);
        rg_buf_add(out, rg_table_row_const(table, handle), 12 * sizeof(float));
        rg_buf_add(out, rg_table_counters_const(table, handle), 8);
    }
    for (int64_t id = 0; id < IDS; id += 11) { /* what a look at it says of admission */
        float value[4];
        rg_table_start_value(table, id, value);
        rg_buf_add(out, value, sizeof value);
    }
    rg_free(ids);
}

static void assert_alike(rg_table *one, rg_table *other)
{
    rg_buf said[2];
    for (int i = 0; i < 2; i++)
        rg_buf_init(&said[i], 0);
    describe(one, &said[0]);
    describe(other, &said[1]);
    assert_int_equal(said[0].len, said[1].len);
    assert_memory_equal(said[0].data, said[1].data, said[0].len);
    for (int i = 0; i < 2; i++)
        rg_buf_fini(&said[i]);
}

/* ---- tables of every kind ---- */

typedef struct kind {
    rg_evict evict;
    size_t limit; /* 0: none */
    bool disk;
    const char *entry;
} kind;

static rg_table *open_kind(const kind *k, rg_quota *quota, rg_disk *disk)
{
    *quota = (rg_quota){.limit = k->limit};
    rg_table_keep keep = {.quota = quota, .evict = k->evict, .disk = k->disk ? disk : NULL};
    return open_table(k->limit > 0 ? &keep : NULL, k->entry);
}

/* The table goes on between any two pieces; what was written down is put into `at_cut`. */
static void write_down(rg_table *table, rg_table *at_cut, bool spills, int pushes)
{
    chunks c = {0};
    rg_table_walk *walk, *second;
    rg_buf_init(&c.bytes, 0);
    assert_ok(rg_table_walk_open(&walk, table, RG_WALK_ALL));
    assert_fails(rg_table_walk_open(&second, table, RG_WALK_MEMORY), RG_EINVAL, "already");
    if (spills)
        rg_table_walk_spills(walk, spill, &c);
    for (uint64_t round = 0; next(walk, &c); round++) {
        size_t erased;
        int64_t ids[BATCH];
        for (int i = 0; i < pushes; i++)
            push(table, 5, 100 * round + (uint64_t)i);
        for (uint64_t i = 0; i < BATCH; i++)
            ids[i] = (int64_t)draw(6, round, i, IDS);
        assert_ok(rg_table_erase(table, ids, BATCH, &erased));
        if (round % 8 == 3)
            assert_ok(rg_table_erase_if(table, is_rare, &(uint32_t){2}, &erased));
        if (round == 20)
            assert_ok(rg_table_clear(table));
    }
    assert_true(!spills || c.spilled > 10);
    rg_table_walk_close(walk);
    put(at_cut, &c);
    rg_buf_fini(&c.bytes);
}

static void a_table_that_goes_on_is_written_as_it_was(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {.entry = ""},
        {.entry = "count_filter_entry:3"},
        {.entry = "", .evict = RG_EVICT_LRU, .limit = 3 * MIB},
        {.entry = "count_filter_entry:2", .evict = RG_EVICT_LFU, .limit = 3 * MIB},
        {.entry = "", .limit = 3 * MIB, .disk = true},
    };
    char path[64];
    rg_disk *disk = NULL;
    (void)snprintf(path, sizeof path, "/tmp/test_table_cut.%ld", (long)getpid());
    assert_ok(rg_disk_open(&disk, path, 4 * MIB));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rg_quota quotas[3];
        rg_table *tables[3]; /* goes on; the same without a cut; what was written */
        for (int t = 0; t < 3; t++)
            tables[t] = open_kind(&kinds[k], &quotas[t], disk);
        for (int t = 0; t < 2; t++)
            for (uint64_t round = 0; round < 150; round++)
                push(tables[t], 1, round);
        write_down(tables[0], tables[2], false, 2);
        if (!kinds[k].disk) { /* there, to look at it brings rows, which is a use of them */
            assert_alike(tables[1], tables[2]);
            assert_alike(tables[2], tables[1]);
        }
        /* It goes on as the one it was written from does: which rows go is the same. */
        for (int t = 1; t < 3; t++)
            for (uint64_t round = 0; round < 60; round++)
                push(tables[t], 2, round);
        assert_alike(tables[1], tables[2]);
        for (int t = 0; t < 3; t++)
            rg_table_close(tables[t]);
    }
    rg_disk_close(disk);
    assert_ok(rg_dir_remove(path));
}

/* What has changed since the last one, while the table goes on, put on top of what was there. */
static void changes_alone_make_the_same_table(void **state)
{
    (void)state;
    rg_table *tables[3]; /* goes on; the same without a cut; what was written */
    chunks c = {0};
    rg_table_walk *walk;
    for (int t = 0; t < 3; t++)
        tables[t] = open_table(NULL, "");
    assert_true(rg_table_can_note(tables[0]));
    assert_false(rg_table_notes_changes(tables[0]));
    for (uint64_t delta = 0; delta < 5; delta++) {
        int64_t ids[BATCH];
        size_t gone;
        for (int t = 0; t < 2; t++) {
            for (uint64_t round = 0; round < (delta == 0 ? 200 : 20); round++)
                push(tables[t], 10 + delta, round);
            for (uint64_t i = 0; i < BATCH; i++)
                ids[i] = (int64_t)draw(6, delta, i, IDS);
            assert_ok(rg_table_erase(tables[t], ids, BATCH, &gone));
            push(tables[t], 10 + delta, 3); /* some of them again */
        }
        rg_buf_init(&c.bytes, 0);
        c.n = 0;
        if (delta > 0) {
            assert_true(rg_table_notes_changes(tables[0]));
            assert_ok(rg_table_walk_open(&walk, tables[0], RG_WALK_GONE));
            while (next(walk, &c))
                continue;
            rg_table_walk_close(walk);
        }
        assert_ok(rg_table_walk_open(
            &walk, tables[0], RG_WALK_MEMORY | RG_WALK_NOTES | (delta > 0 ? RG_WALK_CHANGES : 0)));
        for (uint64_t round = 0; next(walk, &c); round++) /* for the next delta */
            push(tables[0], 20 + delta, round);
        rg_table_walk_close(walk);
        put(tables[2], &c);
        assert_alike(tables[1], tables[2]);
        assert_true(delta == 0 || c.bytes.len * 3 < rg_table_bytes(tables[0]));
        rg_buf_fini(&c.bytes);
        rg_table_close(tables[1]); /* and now as the one that went on */
        tables[1] = open_table(NULL, "");
        chunks all = {0};
        rg_buf_init(&all.bytes, 0);
        assert_ok(rg_table_walk_open(&walk, tables[0], RG_WALK_ALL));
        while (next(walk, &all))
            continue;
        rg_table_walk_close(walk);
        put(tables[1], &all);
        rg_buf_fini(&all.bytes);
    }
    assert_ok(rg_table_clear(tables[0])); /* it is not worth to note that */
    assert_false(rg_table_notes_changes(tables[0]));
    for (int t = 0; t < 3; t++)
        rg_table_close(tables[t]);
}

/* So many changes that what is copied aside is more than is kept: it is handed out. */
static void what_is_copied_aside_has_a_bound(void **state)
{
    (void)state;
    rg_table *tables[3];
    for (int t = 0; t < 3; t++)
        tables[t] = open_table(NULL, "");
    for (int t = 0; t < 2; t++)
        for (uint64_t round = 0; round < 1000; round++)
            push(tables[t], 1, round);
    write_down(tables[0], tables[2], true, 60);
    assert_alike(tables[1], tables[2]);
    for (int t = 0; t < 3; t++)
        rg_table_close(tables[t]);
}

static rg_status no_room(void *arg, const uint8_t *chunk, size_t n)
{
    (void)arg, (void)chunk, (void)n;
    return rg_fail(RG_EIO, "no room");
}

/* Then the cut has failed, and the table goes on. */
static void a_cut_that_fails_leaves_the_table_whole(void **state)
{
    (void)state;
    rg_table *tables[2];
    rg_table_walk *walk;
    rg_buf chunk;
    bool more;
    rg_buf_init(&chunk, 0);
    for (int t = 0; t < 2; t++)
        tables[t] = open_table(NULL, "");
    for (int t = 0; t < 2; t++) {
        for (uint64_t round = 0; round < 600; round++)
            push(tables[t], 1, round);
        if (t == 0) {
            assert_ok(rg_table_walk_open(&walk, tables[t], RG_WALK_ALL));
            rg_table_walk_spills(walk, no_room, NULL);
        }
        for (uint64_t round = 0; round < 600; round++)
            push(tables[t], 2, round);
    }
    assert_fails(rg_table_walk_next(walk, &chunk, PIECE, &more), RG_EIO, "could not be kept");
    rg_table_walk_close(walk);
    assert_alike(tables[0], tables[1]);
    for (int t = 0; t < 2; t++)
        rg_table_close(tables[t]);
    rg_buf_fini(&chunk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_that_goes_on_is_written_as_it_was),
        cmocka_unit_test(changes_alone_make_the_same_table),
        cmocka_unit_test(what_is_copied_aside_has_a_bound),
        cmocka_unit_test(a_cut_that_fails_leaves_the_table_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
