/* test_table.c - sparse tables: against plain references, against the initialiser ops, and
 * without memory. */
#include "check.h"

#include "base/mem.h"
#include "base/philox.h"
#include "exec/plan.h"
#include "ps/table.h"

#include <stdlib.h>

enum { BATCH = 4096 };

static rg_table *open_table(const rg_table_spec *spec)
{
    rg_table *table = NULL;
    assert_ok(rg_table_open(&table, spec));
    return table;
}

static rg_table_spec small_spec(void)
{
    return (rg_table_spec){.name = "emb",
                           .dim = 3,
                           .n_states = 2,
                           .state_start = {0.5f, -2.0f},
                           .n_counters = 2,
                           .height = -1,
                           .start = RG_START_UNIFORM,
                           .a = -1,
                           .b = 1,
                           .key = {7, 1}};
}

/* ---- growth ---- */

/* Ids that differ in few bits, in the way of one server's share, or in many. */
static int64_t spread(int64_t i, int way)
{
    switch (way) {
    case 0:
        return i;
    case 1:
        return 16 * i + 3;
    default:
        return (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> 1);
    }
}

static void fill_ids(int64_t *ids, int64_t first, int way)
{
    for (int64_t i = 0; i < BATCH; i++)
        ids[i] = spread(first + i, way);
}

static void grow_and_check(int way, int64_t rows)
{
    static int64_t ids[BATCH];
    static rg_row_handle handles[BATCH], again[BATCH];
    static float values[BATCH];
    rg_table_spec spec = {.name = "big", .dim = 1, .height = -1};
    rg_table *table = open_table(&spec);
    for (int64_t first = 0; first < rows; first += BATCH) {
        size_t created = 0;
        fill_ids(ids, first, way);
        assert_ok(rg_table_touch(table, ids, BATCH, handles, &created));
        assert_int_equal(created, BATCH);
        for (int64_t i = 0; i < BATCH; i++)
            values[i] = (float)((first + i) % 1000003);
        rg_table_write(table, handles, BATCH, values, NULL);
    }
    assert_int_equal(rg_table_size(table), rows);
    assert_true(rg_table_bytes(table) < (size_t)rows * (12 + 24));
    for (int64_t first = 0; first < rows; first += BATCH) {
        fill_ids(ids, first, way);
        assert_ok(rg_table_find(table, ids, BATCH, handles));
        assert_int_equal(rg_table_list(table, (size_t)first, BATCH, again), BATCH);
        assert_memory_equal(handles, again, sizeof handles); /* making rows moved none */
        rg_table_read(table, handles, BATCH, values, NULL);
        for (int64_t i = 0; i < BATCH; i++)
            if (values[i] != (float)((first + i) % 1000003) ||
                rg_table_id(table, handles[i]) != ids[i])
                fail_msg("row %lld is wrong", (long long)(first + i));
    }
    fill_ids(ids, rows, way); /* not made */
    assert_ok(rg_table_find(table, ids, BATCH, handles));
    for (int i = 0; i < BATCH; i++)
        assert_int_equal(handles[i], RG_NO_ROW);
    rg_table_close(table);
}

static void millions_of_rows_are_kept_apart(void **state)
{
    (void)state;
    grow_and_check(0, 700 * BATCH);
    grow_and_check(1, 300 * BATCH);
    grow_and_check(2, 300 * BATCH);
}

static void a_small_table_is_small(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    rg_row_handle handle;
    assert_ok(rg_table_touch(table, &(int64_t){5}, 1, &handle, NULL));
    assert_true(rg_table_bytes(table) < 128 * 1024);
    rg_table_close(table);
}

/* ---- starts ---- */

typedef struct start_case {
    const char *op, *first, *second;
    rg_table_start start;
    float a, b;
} start_case;

/* The whole tensor, by running the op. */
static rg_scope *run_initialiser(const start_case *c, int64_t height, int64_t dim, int seed)
{
    const char *out = "emb";
    int64_t shape[2] = {height, dim};
    rg_program *program;
    rg_opdesc *op;
    rg_vardesc *var;
    rg_scope *scope;
    rg_plan *plan;
    rg_value *value;
    assert_ok(rg_program_open(&program));
    assert_ok(rg_block_add_var(program->blocks[0], out, &var));
    var->persistable = true;
    assert_ok(rg_block_append_op(program->blocks[0], c->op, &op));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    rg_attr attrs[] = {{.name = "shape", .type = RG_ATTR_LONGS, .n = 2, .longs = shape},
                       {.name = "seed", .type = RG_ATTR_INT, .i = seed},
                       {.name = c->first, .type = RG_ATTR_FLOAT, .f = c->a},
                       {.name = c->second, .type = RG_ATTR_FLOAT, .f = c->b}};
    for (int i = 0; i < 4; i++)
        assert_ok(rg_opdesc_set_attr(op, &attrs[i]));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_scope_new(&scope, NULL));
    assert_ok(rg_scope_var(scope, out, &value));
    rg_plan_config config = {0};
    assert_ok(rg_plan_open(&plan, program, scope, &config));
    assert_ok(rg_plan_run(plan));
    rg_plan_close(plan);
    rg_program_close(program);
    return scope;
}

static void check_start(const start_case *c, int64_t dim)
{
    enum { HEIGHT = 300, SEED = 41 };
    rg_scope *scope = run_initialiser(c, HEIGHT, dim, SEED);
    const rg_value *whole = rg_scope_find(scope, "emb");
    assert_int_equal(rg_numel(whole), HEIGHT * dim);
    size_t bytes = (size_t)dim * sizeof(float);
    rg_table_spec spec = {.name = "emb.shard1", .dim = dim, .height = HEIGHT, .start = c->start};
    spec.a = c->a;
    spec.b = c->b;
    spec.key = (rg_philox_key){SEED, 0};
    rg_table *table = open_table(&spec);
    float *values = rg_alloc(HEIGHT * bytes);
    assert_ok(rg_table_read_dense(table, 0, HEIGHT, values)); /* no row is there yet */
    assert_memory_equal(values, whole->data, HEIGHT * bytes);
    assert_int_equal(rg_table_size(table), 0);
    for (int64_t i = 0; i < HEIGHT; i++) {
        int64_t id = i * 7 % HEIGHT; /* in another order */
        assert_ok(rg_table_gather(table, &id, 1, true, values, NULL));
        assert_memory_equal(values, (const float *)whole->data + id * dim, bytes);
    }
    assert_int_equal(rg_table_size(table), HEIGHT);
    assert_ok(rg_table_read_dense(table, 0, HEIGHT, values));
    assert_memory_equal(values, whole->data, HEIGHT * bytes);
    rg_free(values);
    rg_table_close(table);
    rg_scope_release(scope);
}

static void a_new_row_is_that_of_the_whole_tensor_bit_by_bit(void **state)
{
    (void)state;
    static const start_case cases[] = {
        {"uniform_random", "min", "max", RG_START_UNIFORM, -0.3f, 0.7f},
        {"gaussian_random", "mean", "std", RG_START_NORMAL, 0.1f, 0.02f},
        {"truncated_gaussian_random", "mean", "std", RG_START_TRUNCATED_NORMAL, -0.2f, 1.3f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int64_t dim = 1; dim < 20; dim += 3) {
            check_start(&cases[i], dim);
            check_start(&cases[i], dim + 1);
        }
}

static void rows_start_with_given_values_and_others_with_the_constant(void **state)
{
    (void)state;
    static const float values[] = {1, 2, 3, 4, 5, 6};
    rg_table_spec spec = small_spec();
    spec.start = RG_START_VALUES;
    spec.a = 9;
    spec.values = values;
    spec.first_value = 10;
    spec.n_values = 2;
    rg_table *table = open_table(&spec);
    rg_row_handle handles[4];
    assert_ok(rg_table_touch(table, (int64_t[]){9, 10, 11, 12}, 4, handles, NULL));
    static const float constant[] = {9, 9, 9};
    assert_memory_equal(rg_table_row(table, handles[0]), constant, sizeof constant);
    assert_memory_equal(rg_table_row(table, handles[1]), values, 3 * sizeof *values);
    assert_memory_equal(rg_table_row(table, handles[2]), values + 3, 3 * sizeof *values);
    assert_memory_equal(rg_table_row(table, handles[3]), constant, sizeof constant);
    rg_table_close(table);
}

static void states_and_counters_of_a_new_row_start_as_asked(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    spec.start = RG_START_CONSTANT;
    spec.a = 3;
    rg_table *table = open_table(&spec);
    rg_row_handle handle;
    assert_ok(rg_table_touch(table, &(int64_t){INT64_MAX}, 1, &handle, NULL));
    static const float wanted[] = {3, 3, 3, 0.5f, 0.5f, 0.5f, -2, -2, -2};
    assert_memory_equal(rg_table_row(table, handle), wanted, sizeof wanted);
    assert_memory_equal(rg_table_row_const(table, handle), wanted, sizeof wanted);
    assert_int_equal(rg_table_counters(table, handle)[0], 0);
    assert_int_equal(rg_table_counters(table, handle)[1], 0);
    /* A row that is not there reads the same. */
    float value[3], first[3], second[3], *columns[] = {first, second};
    assert_ok(rg_table_gather(table, &(int64_t){4}, 1, false, value, columns));
    assert_memory_equal(value, wanted, sizeof value);
    assert_memory_equal(first, wanted + 3, sizeof first);
    assert_memory_equal(second, wanted + 6, sizeof second);
    assert_int_equal(rg_table_size(table), 1);
    rg_table_close(table);
}

/* ---- batches ---- */

static void an_id_that_repeats_is_one_row(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    int64_t ids[] = {9, 4, 9, 9, 4};
    rg_row_handle handles[5];
    size_t created;
    assert_ok(rg_table_touch(table, ids, 5, handles, &created));
    assert_int_equal(created, 2);
    assert_true(handles[0] == handles[2] && handles[2] == handles[3] && handles[1] == handles[4]);
    float values[15], got[15];
    for (int i = 0; i < 15; i++)
        values[i] = (float)i;
    assert_ok(rg_table_scatter(table, ids, 5, values, NULL)); /* the last one stays */
    assert_ok(rg_table_gather(table, ids, 5, false, got, NULL));
    for (int i = 0; i < 5; i++)
        assert_memory_equal(got + 3 * i, values + (ids[i] == 9 ? 9 : 12), 3 * sizeof(float));
    rg_table_add_scaled(table, handles, 5, values, 2); /* all of them count */
    assert_ok(rg_table_gather(table, ids, 2, false, got, NULL));
    for (int i = 0; i < 3; i++) {
        assert_true(got[i] == (float)(9 + i + 2 * (i + (6 + i) + (9 + i))));
        assert_true(got[3 + i] == (float)(12 + i + 2 * ((3 + i) + (12 + i))));
    }
    rg_table_close(table);
}

static void no_row_reads_zero_and_is_not_written(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    rg_row_handle handle;
    float value[3] = {1, 2, 3};
    assert_ok(rg_table_find(table, &(int64_t){1}, 1, &handle));
    assert_int_equal(handle, RG_NO_ROW);
    rg_table_write(table, &handle, 1, value, NULL);
    rg_table_add_scaled(table, &handle, 1, value, 1);
    rg_table_prefetch(table, handle);
    rg_table_read(table, &handle, 1, value, NULL);
    assert_true(value[0] == 0 && value[1] == 0 && value[2] == 0);
    assert_int_equal(rg_table_size(table), 0);
    rg_table_close(table);
}

static void a_pool_gathers_what_one_thread_does(void **state)
{
    (void)state;
    enum { N = 10001 };
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    rg_pool *pool;
    assert_ok(rg_pool_open(&pool, 3));
    int64_t *ids = rg_alloc(N * sizeof *ids);
    float *out[2][3];
    for (int k = 0; k < 6; k++)
        out[k / 3][k % 3] = rg_alloc_zero(3 * N, sizeof(float));
    for (int64_t i = 0; i < N; i++)
        ids[i] = i * i % 7919;
    assert_ok(rg_table_scatter(table, ids, N / 2, out[0][0], NULL));
    assert_ok(rg_table_gather(table, ids, N, false, out[0][0], (float *[]){out[0][1], NULL}));
    assert_ok(rg_table_gather_shared(table, pool, ids, N, out[1][0], (float *[]){out[1][1], NULL}));
    for (int k = 0; k < 3; k++)
        assert_memory_equal(out[0][k], out[1][k], 3 * N * sizeof(float));
    ids[N - 1] = -1;
    assert_fails(rg_table_gather_shared(table, pool, ids, N, out[1][0], NULL), RG_EVALUE, "-1");
    for (int k = 0; k < 6; k++)
        rg_free(out[k / 3][k % 3]);
    rg_free(ids);
    rg_pool_close(pool);
    rg_table_close(table);
}

static void ids_outside_are_refused_and_nothing_is_made(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    spec.height = 100;
    rg_table *table = open_table(&spec);
    rg_row_handle handles[3];
    float values[9] = {0};
    int64_t high[] = {1, 99, 100}, negative[] = {1, -5, 2};
    const char *message = "table 'emb': id 100 is not below its height 100";
    assert_fails(rg_table_touch(table, high, 3, handles, NULL), RG_EVALUE, message);
    assert_fails(rg_table_find(table, high, 3, handles), RG_EVALUE, message);
    assert_fails(rg_table_gather(table, high, 3, true, values, NULL), RG_EVALUE, message);
    assert_fails(rg_table_scatter(table, high, 3, values, NULL), RG_EVALUE, message);
    assert_fails(rg_table_erase(table, high, 3, NULL), RG_EVALUE, message);
    message = "table 'emb': id -5";
    assert_fails(rg_table_touch(table, negative, 3, handles, NULL), RG_EVALUE, message);
    assert_fails(rg_table_read_dense(table, 98, 3, values), RG_EVALUE, "3 rows from row 98");
    assert_int_equal(rg_table_size(table), 0);
    assert_ok(rg_table_touch(table, high, 2, handles, NULL));
    rg_table_close(table);
}

static void a_table_that_cannot_be_is_refused(void **state)
{
    (void)state;
    rg_table *table;
    for (int i = 0; i < 6; i++) {
        rg_table_spec spec = small_spec();
        spec.dim = i == 0 ? 0 : i == 1 ? RG_TABLE_MAX_DIM + 1 : 3;
        spec.n_states = i == 2 ? RG_TABLE_MAX_STATES + 1 : 1;
        spec.n_counters = i == 3 ? -1 : 1;
        spec.height = i == 4 ? -2 : 10;
        spec.start = i == 5 ? (rg_table_start)9 : RG_START_NORMAL;
        assert_fails(rg_table_open(&table, &spec), RG_EINVAL, "table 'emb'");
    }
    rg_table_close(NULL);
}

/* ---- fewer rows, all rows ---- */

static bool is_old(void *arg, int64_t id, uint32_t *counters)
{
    (void)id;
    counters[1]++; /* aged */
    return counters[0] < *(const uint32_t *)arg;
}

static void shrinking_keeps_the_rows_that_are_in_use(void **state)
{
    (void)state;
    enum { N = 50000 };
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    rg_row_handle handle;
    for (int64_t id = 0; id < N; id++) {
        assert_ok(rg_table_touch(table, &id, 1, &handle, NULL));
        rg_table_counters(table, handle)[0] = (uint32_t)(id * 13 % 100);
        rg_table_row(table, handle)[2] = (float)id;
    }
    size_t before = rg_table_bytes(table), erased = 0;
    assert_ok(rg_table_erase_if(table, is_old, &(uint32_t){90}, &erased));
    assert_int_equal(erased, N / 10 * 9);
    assert_int_equal(rg_table_size(table), N / 10);
    assert_true(rg_table_bytes(table) < before / 2);
    for (int64_t id = 0; id < N; id++) {
        bool kept = id * 13 % 100 >= 90;
        assert_ok(rg_table_find(table, &id, 1, &handle));
        assert_int_equal(handle != RG_NO_ROW, kept);
        if (kept) {
            assert_true(rg_table_row(table, handle)[2] == (float)id);
            assert_int_equal(rg_table_counters(table, handle)[0], id * 13 % 100);
            assert_int_equal(rg_table_counters(table, handle)[1], 1); /* each was asked once */
        }
    }
    assert_ok(rg_table_clear(table));
    assert_int_equal(rg_table_size(table), 0);
    assert_true(rg_table_bytes(table) < 4096);
    assert_ok(rg_table_touch(table, &(int64_t){3}, 1, &handle, NULL));
    rg_table_close(table);
}

static void a_table_saved_and_loaded_is_the_same(void **state)
{
    (void)state;
    enum { N = 20000 };
    rg_table_spec spec = small_spec();
    rg_table *from = open_table(&spec), *to = open_table(&spec);
    rg_row_handle *handles = rg_alloc(N * sizeof *handles);
    int64_t *ids = rg_alloc(N * sizeof *ids);
    float *columns[2][3];
    for (int k = 0; k < 6; k++)
        columns[k / 3][k % 3] = rg_alloc(3 * N * sizeof(float));
    for (int64_t i = 0; i < N; i++)
        ids[i] = spread(i, 2);
    assert_ok(rg_table_touch(from, ids, N, handles, NULL));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 9; k++)
            rg_table_row(from, handles[i])[k] += (float)(i + k);
    assert_ok(rg_table_ids(from, ids));
    for (int i = 1; i < N; i++)
        assert_true(ids[i - 1] < ids[i]);
    assert_ok(rg_table_find(from, ids, N, handles));
    rg_table_read(from, handles, N, columns[0][0], &columns[0][1]);
    assert_ok(rg_table_scatter(to, ids, N, columns[0][0], &columns[0][1]));
    assert_int_equal(rg_table_size(to), N);
    assert_ok(rg_table_gather(to, ids, N, false, columns[1][0], &columns[1][1]));
    for (int k = 0; k < 3; k++)
        assert_memory_equal(columns[0][k], columns[1][k], 3 * N * sizeof(float));
    for (int k = 0; k < 6; k++)
        rg_free(columns[k / 3][k % 3]);
    rg_free(ids);
    rg_free(handles);
    rg_table_close(from);
    rg_table_close(to);
}

/* ---- anything, against a plain array ---- */

enum { SPAN = 3000, MOST = 200 };

typedef struct plain_row {
    bool there;
    float value[3];
    uint32_t uses;
} plain_row;

static uint64_t draws;

static uint64_t draw(uint64_t n)
{
    return rg_philox_below((rg_philox_key){5, 6}, draws++, n);
}

static bool rarely_used(void *arg, int64_t id, uint32_t *counters)
{
    const plain_row *rows = arg;
    assert_int_equal(counters[0], rows[id / 1000003].uses);
    return counters[0] < 2;
}

static void make_plain(plain_row *row, const rg_table *table, int64_t id)
{
    if (row->there)
        return;
    *row = (plain_row){.there = true};
    assert_ok(rg_table_gather_shared(table, NULL, &id, 1, row->value, NULL));
}

/* One change to both, of the ids and with the numbers given. */
static void change(rg_table *table, plain_row *rows, const int64_t *ids, size_t n,
                   const float *numbers)
{
    rg_row_handle handles[MOST];
    uint64_t what = draw(20);
    if (what < 8) { /* use */
        for (size_t i = 0; i < n; i++)
            make_plain(&rows[ids[i] / 1000003], table, ids[i]);
        assert_ok(rg_table_touch(table, ids, n, handles, NULL));
        rg_table_add_scaled(table, handles, n, numbers, 0.5f);
        for (size_t i = 0; i < n; i++) {
            plain_row *row = &rows[ids[i] / 1000003];
            for (size_t k = 0; k < 3; k++)
                row->value[k] += 0.5f * numbers[3 * i + k];
            row->uses++;
            rg_table_counters(table, handles[i])[0]++;
        }
    } else if (what < 13) { /* put */
        for (size_t i = 0; i < n; i++) {
            make_plain(&rows[ids[i] / 1000003], table, ids[i]);
            memcpy(rows[ids[i] / 1000003].value, numbers + 3 * i, 3 * sizeof(float));
        }
        assert_ok(rg_table_scatter(table, ids, n, numbers, NULL));
    } else if (what < 18) {
        assert_ok(rg_table_erase(table, ids, n, NULL));
        for (size_t i = 0; i < n; i++)
            rows[ids[i] / 1000003].there = false;
    } else if (what == 18 && draw(5) == 0) {
        size_t gone;
        assert_ok(rg_table_erase_if(table, rarely_used, rows, &gone));
        for (int i = 0; i < SPAN; i++)
            rows[i].there = rows[i].there && rows[i].uses >= 2;
    } else if (what == 19 && draw(20) == 0) {
        assert_ok(rg_table_clear(table));
        for (int i = 0; i < SPAN; i++)
            rows[i].there = false;
    }
}

static void compare(const rg_table *table, const plain_row *rows)
{
    size_t n = 0;
    for (int64_t i = 0; i < SPAN; i++) {
        int64_t id = i * 1000003;
        rg_row_handle handle;
        assert_ok(rg_table_find(table, &id, 1, &handle));
        assert_int_equal(handle != RG_NO_ROW, rows[i].there);
        if (!rows[i].there)
            continue;
        n++;
        assert_memory_equal(rg_table_row_const(table, handle), rows[i].value, 3 * sizeof(float));
    }
    assert_int_equal(rg_table_size(table), n);
}

static void any_sequence_of_changes_agrees_with_a_plain_array(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    rg_table *table = open_table(&spec);
    plain_row *rows = rg_alloc_zero(SPAN, sizeof *rows);
    for (int round = 0; round < 1500; round++) {
        int64_t ids[MOST];
        float numbers[3 * MOST];
        size_t n = draw(MOST);
        for (size_t i = 0; i < n; i++)
            ids[i] = (int64_t)draw(SPAN) * 1000003;
        for (size_t i = 0; i < 3 * n; i++)
            numbers[i] = (float)draw(64) - 32;
        change(table, rows, ids, n, numbers);
        if (round % 25 == 0)
            compare(table, rows);
    }
    compare(table, rows);
    rg_free(rows);
    rg_table_close(table);
}

/* ---- no memory ---- */

static void without_memory_a_table_is_not_opened(void **state)
{
    (void)state;
    rg_table_spec spec = small_spec();
    rg_table *table;
    for (long n = 1;; n++) {
        rg_mem_fail_at(n);
        rg_status code = rg_table_open(&table, &spec);
        rg_mem_fail_at(0);
        if (code == RG_OK)
            break;
        assert_int_equal(code, RG_ENOMEM);
    }
    rg_table_close(table);
}

/* Growing, splitting and widening each fail in turn; the batch is then tried again. */
/* promise 18 */
static void without_memory_the_table_stays_whole(void **state)
{
    (void)state;
    static int64_t ids[BATCH];
    static rg_row_handle handles[BATCH];
    rg_table_spec spec = {.name = "emb", .dim = 1, .height = -1};
    rg_table *table = open_table(&spec);
    int failures = 0;
    int64_t rows = 400 * BATCH;
    for (int64_t first = 0; first < rows; first += BATCH) {
        fill_ids(ids, first, 0);
        for (long n = 1; n <= 6; n++) {
            rg_mem_fail_at(n);
            rg_status code = rg_table_touch(table, ids, BATCH, handles, NULL);
            bool failed = rg_mem_failed();
            rg_mem_fail_at(0);
            assert_int_equal(code, failed ? RG_ENOMEM : RG_OK);
            if (!failed)
                break;
            failures++;
            assert_non_null(strstr(rg_error_message(), "table 'emb', a row for id"));
            assert_ok(rg_table_find(table, ids, BATCH, handles));
            int64_t made = 0;
            while (made < BATCH && handles[made] != RG_NO_ROW)
                made++;
            assert_int_equal(rg_table_size(table), first + made);
        }
        assert_ok(rg_table_touch(table, ids, BATCH, handles, NULL));
    }
    assert_true(failures > 20);
    assert_int_equal(rg_table_size(table), rows);
    for (int64_t first = 0; first < rows; first += BATCH) {
        fill_ids(ids, first, 0);
        assert_ok(rg_table_find(table, ids, BATCH, handles));
        for (int64_t i = 0; i < BATCH; i++)
            if (handles[i] == RG_NO_ROW || rg_table_id(table, handles[i]) != ids[i])
                fail_msg("row %lld is lost", (long long)(first + i));
    }
    rg_table_close(table);
}

RUN(cmocka_unit_test(millions_of_rows_are_kept_apart), cmocka_unit_test(a_small_table_is_small),
    cmocka_unit_test(a_new_row_is_that_of_the_whole_tensor_bit_by_bit),
    cmocka_unit_test(rows_start_with_given_values_and_others_with_the_constant),
    cmocka_unit_test(states_and_counters_of_a_new_row_start_as_asked),
    cmocka_unit_test(an_id_that_repeats_is_one_row),
    cmocka_unit_test(no_row_reads_zero_and_is_not_written),
    cmocka_unit_test(a_pool_gathers_what_one_thread_does),
    cmocka_unit_test(ids_outside_are_refused_and_nothing_is_made),
    cmocka_unit_test(a_table_that_cannot_be_is_refused),
    cmocka_unit_test(shrinking_keeps_the_rows_that_are_in_use),
    cmocka_unit_test(a_table_saved_and_loaded_is_the_same),
    cmocka_unit_test(any_sequence_of_changes_agrees_with_a_plain_array),
    cmocka_unit_test(without_memory_a_table_is_not_opened),
    cmocka_unit_test(without_memory_the_table_stays_whole))
