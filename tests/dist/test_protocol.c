/* test_wire.c - bodies of the parameter server: what is written is read back, and what is damaged
 * is refused or read within its bounds.
 *
 * Damaged bodies lie in blocks of exactly their size, so that a sanitizer sees a byte too many. */
#include "check.h"

#include "base/arena.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "dist/stats.h"
#include "dist/protocol.h"
#include "tensor/value.h"

#include <stdlib.h>

enum { W, TABLE, B, WIDE, LONG, N_VARS };

/* A slice, a table, a bias of an odd number of floats, another table, and more than one block. */
static rg_ps_var vars[N_VARS] = {
    {"w.block0", "w@GRAD.block0", 100, 3, 4, false},
    {"table.block1", "table@GRAD.block1", 50, 10, 3, true},
    {"b", "b@GRAD", 0, 5, 1, false},
    {"wide", "wide@GRAD", 0, (int64_t)1 << 20, (int64_t)1 << 20, true},
    {"long", "long@GRAD", 0, 30, 10, false},
};
static const rg_ps_schema schema = {.mode = 1, .trainers = 3, .vars = vars, .n = N_VARS};

typedef void (*reader)(const uint8_t *bytes, size_t n);

/* The body cut at every length, with every bit turned, and with bytes behind it. */
static void damage(const rg_buf *body, reader read)
{
    for (size_t n = 0; n <= body->len; n++) {
        uint8_t *copy = malloc(n + (n == 0));
        memcpy(copy, body->data, n);
        read(copy, n);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * body->len; bit++) {
        uint8_t *copy = malloc(body->len);
        memcpy(copy, body->data, body->len);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read(copy, body->len);
        free(copy);
    }
    for (size_t more = 1; more <= 16; more++) {
        uint8_t *copy = calloc(1, body->len + more);
        memcpy(copy, body->data, body->len);
        read(copy, body->len + more);
        free(copy);
    }
}

/* ---- schemas ---- */

static void schemas_come_back(void **state)
{
    rg_buf body;
    rg_ps_schema got;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_schema_write(&body, &schema);
    assert_ok(rg_buf_status(&body));
    assert_ok(rg_ps_schema_read(&got, body.data, body.len));
    assert_int_equal(got.mode, 1);
    assert_int_equal(got.trainers, 3);
    assert_int_equal(got.n, N_VARS);
    for (size_t i = 0; i < got.n; i++) {
        assert_string_equal(got.vars[i].name, vars[i].name);
        assert_string_equal(got.vars[i].grad, vars[i].grad);
        assert_int_equal(got.vars[i].begin, vars[i].begin);
        assert_int_equal(got.vars[i].rows, vars[i].rows);
        assert_int_equal(got.vars[i].width, vars[i].width);
        assert_int_equal(got.vars[i].table, vars[i].table);
    }
    rg_ps_schema_fini(&got);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_ps_schema_read(&got, body.data, n), RG_ECORRUPT);
    rg_buf_fini(&body);
}

static void read_schema(const uint8_t *bytes, size_t n)
{
    rg_ps_schema got;
    if (rg_ps_schema_read(&got, bytes, n) != RG_OK)
        return;
    for (size_t i = 0; i < got.n; i++) {
        assert_non_null(got.vars[i].name);
        assert_true(got.vars[i].rows >= 0 && got.vars[i].width >= 0);
    }
    rg_ps_schema_fini(&got);
}

static void damaged_schemas_do_no_harm(void **state)
{
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_schema_write(&body, &schema);
    damage(&body, read_schema);
    rg_buf_fini(&body);
}

static void impossible_schemas_are_refused(void **state)
{
    rg_ps_var huge = {"h", "h@GRAD", 0, (int64_t)1 << 30, (int64_t)1 << 30, false};
    rg_ps_schema one = {.trainers = 1, .vars = &huge, .n = 1}, got;
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_schema_write(&body, &one);
    assert_fails(rg_ps_schema_read(&got, body.data, body.len), RG_ECORRUPT, "impossible size");
    static const uint8_t many[16] = {0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255};
    assert_fails(rg_ps_schema_read(&got, many, sizeof many), RG_ECORRUPT, "4294967295 variables");
    rg_buf_fini(&body);
}

/* ---- pushes ---- */

static const float weights[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, bias[6] = {-1, -2, -3},
                   rows[10] = {0.5f, 0.25f, 0.125f};
static const int64_t ids[3] = {51, 50, 59};

/* Everything: two dense gradients, rows of a table, two variables wanted back. */
static void write_push(rg_buf *body)
{
    static const uint32_t dense[] = {W, B}, sparse[] = {TABLE}, counts[] = {3}, pull[] = {B, W};
    rg_buf_init(body, 0);
    rg_push_write_head(body, 7, dense, 2, sparse, counts, 1, pull, 2);
    rg_buf_add(body, weights, sizeof weights);
    rg_buf_add(body, bias, sizeof bias); /* five and padding */
    rg_buf_add(body, ids, sizeof ids);
    rg_buf_add(body, rows, sizeof rows); /* nine and padding */
    assert_ok(rg_buf_status(body));
}

static float long_value(int i)
{
    return i < 256 ? (float)(2 * i + 2) : (float)(i - 255) / 44;
}

/* Two dense gradients, one of more than a block, and rows; as rg_outbox_pack() has it. */
static void write_push_in(rg_payload payload, rg_buf *body)
{
    static const uint32_t dense[] = {B, LONG}, sparse[] = {TABLE}, counts[] = {3}, pull[] = {W};
    float values[300], many[9];
    const float *const from[] = {bias, values, many};
    static const size_t n[] = {5, 300, 9}, group[] = {RG_PAYLOAD_BLOCK, RG_PAYLOAD_BLOCK, 3};
    for (int i = 0; i < 300; i++)
        values[i] = long_value(i);
    for (int i = 0; i < 9; i++)
        many[i] = (float)(i / 3 + 1) * rows[i % 3];
    rg_buf_init(body, 0);
    rg_push_write_head(body, 7, dense, 2, sparse, counts, 1, pull, 1);
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            rg_buf_add(body, ids, sizeof ids);
        size_t start = body->len;
        rg_buf_room(body, rg_payload_padded(payload, n[i], group[i]));
        assert_ok(rg_buf_status(body));
        rg_payload_write(payload, body->data + start, from[i], n[i], group[i]);
    }
}

static void pushes_come_back(void **state)
{
    rg_arena arena = RG_ARENA_EMPTY;
    rg_buf body;
    rg_push got;
    (void)state;
    write_push(&body);
    assert_ok(rg_push_read(&got, &arena, &schema, RG_PAYLOAD_FLOATS, body.data, body.len));
    assert_int_equal(got.step, 7);
    assert_int_equal(got.n_dense, 2);
    assert_int_equal(got.dense[1], B);
    assert_memory_equal(got.values[0], weights, sizeof weights);
    assert_memory_equal(got.values[1], bias, 5 * sizeof *bias);
    assert_int_equal(got.n_sparse, 1);
    assert_int_equal(got.sparse[0].var, TABLE);
    assert_int_equal(got.sparse[0].n, 3);
    assert_memory_equal(got.sparse[0].ids, ids, sizeof ids);
    assert_memory_equal(got.sparse[0].rows, rows, 9 * sizeof *rows);
    assert_int_equal(got.n_pull, 2);
    assert_int_equal(got.pull[0], B);
    assert_int_equal(got.pull[1], W);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_push_read(&got, &arena, &schema, RG_PAYLOAD_FLOATS, body.data, n),
                         RG_ECORRUPT);
    rg_buf_u64(&body, 0);
    assert_fails(rg_push_read(&got, &arena, &schema, RG_PAYLOAD_FLOATS, body.data, body.len),
                 RG_ECORRUPT, "8 bytes too many");
    rg_buf_fini(&body);
    rg_arena_free(&arena);
}

static volatile float touched;

/* Read it, and touch everything that it says it has. */
static void read_push_in(rg_payload payload, const uint8_t *bytes, size_t n)
{
    rg_arena arena = RG_ARENA_EMPTY;
    rg_push push;
    if (rg_push_read(&push, &arena, &schema, payload, bytes, n) == RG_OK) {
        for (uint32_t i = 0; i < push.n_dense; i++)
            for (int64_t k = 0; k < vars[push.dense[i]].rows * vars[push.dense[i]].width; k++)
                touched += push.values[i][k];
        for (uint32_t i = 0; i < push.n_sparse; i++)
            for (uint32_t r = 0; r < push.sparse[i].n; r++) {
                int64_t width = vars[push.sparse[i].var].width;
                touched += (float)push.sparse[i].ids[r] + push.sparse[i].rows[(r + 1) * width - 1];
            }
        for (uint32_t i = 0; i < push.n_pull; i++)
            assert_true(push.pull[i] < N_VARS && !vars[push.pull[i]].table);
    }
    rg_arena_free(&arena);
}

static void read_floats(const uint8_t *bytes, size_t n)
{
    read_push_in(RG_PAYLOAD_FLOATS, bytes, n);
}

static void read_halves(const uint8_t *bytes, size_t n)
{
    read_push_in(RG_PAYLOAD_HALVES, bytes, n);
}

static void read_bytes(const uint8_t *bytes, size_t n)
{
    read_push_in(RG_PAYLOAD_BYTES, bytes, n);
}

/* promise 22 */
static void damaged_pushes_do_no_harm(void **state)
{
    static const reader readers[RG_PAYLOADS] = {read_floats, read_halves, read_bytes};
    (void)state;
    for (int payload = 0; payload < RG_PAYLOADS; payload++) {
        rg_buf body;
        write_push_in((rg_payload)payload, &body);
        damage(&body, readers[payload]);
        rg_buf_fini(&body);
    }
}

/* With the examples that it is of. */
static void tagged_pushes_come_back(void **state)
{
    static const rg_push_tag tags[] = {{1, 2, 3, 4, 5}, {1, 3, 1, 0, 7}};
    rg_arena arena = RG_ARENA_EMPTY;
    rg_buf body;
    rg_push got;
    (void)state;
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 7, NULL, 0, NULL, NULL, 0, (const uint32_t[]){B}, 1);
    rg_push_sign(&body, 3, true, 11);
    rg_push_tag_with(&body, tags, 2);
    assert_ok(rg_push_read(&got, &arena, &schema, RG_PAYLOAD_FLOATS, body.data, body.len));
    assert_true(got.taken && got.thread == 3 && got.n_tags == 2 && got.position == 11);
    for (int i = 0; i < 2; i++)
        assert_true(got.tags[i].reading == tags[i].reading && got.tags[i].range == tags[i].range &&
                    got.tags[i].generation == tags[i].generation &&
                    got.tags[i].from == tags[i].from && got.tags[i].to == tags[i].to);
    assert_int_equal(rg_push_head_bytes(&got, body.len), body.len);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_push_read(&got, &arena, &schema, RG_PAYLOAD_FLOATS, body.data, n),
                         RG_ECORRUPT);
    damage(&body, read_floats);
    rg_arena_free(&arena);
    rg_buf_fini(&body);
}

/* 300 values are two blocks: one of 256 that ends in 512, and one of 44 with values to 1; the rows
 * of the table are 1, 2 and 3 times as large. Each is within half a step of its scale. */
static void packed_pushes_come_back(void **state)
{
    static const float step[RG_PAYLOADS] = {0, 1.0f / 2048, 1.0f / 127};
    (void)state;
    for (int payload = 0; payload < RG_PAYLOADS; payload++) {
        rg_arena arena = RG_ARENA_EMPTY;
        rg_buf body;
        rg_push got;
        write_push_in((rg_payload)payload, &body);
        assert_ok(rg_push_read(&got, &arena, &schema, (rg_payload)payload, body.data, body.len));
        assert_int_equal(got.dense[1], LONG);
        for (int i = 0; i < 5; i++)
            assert_float_equal(got.values[0][i], bias[i], 3 * step[payload]);
        for (int i = 0; i < 300; i++)
            assert_float_equal(got.values[1][i], long_value(i),
                               (i < 256 ? 512 : 1) * step[payload]);
        assert_int_equal(got.sparse[0].n, 3);
        assert_memory_equal(got.sparse[0].ids, ids, sizeof ids);
        for (int i = 0; i < 9; i++)
            assert_float_equal(got.sparse[0].rows[i], (float)(i / 3 + 1) * rows[i % 3],
                               (float)(i / 3 + 1) * 0.5f * step[payload]);
        assert_int_equal(got.n_pull, 1);
        for (size_t n = 0; n < body.len; n++)
            assert_int_equal(rg_push_read(&got, &arena, &schema, (rg_payload)payload, body.data, n),
                             RG_ECORRUPT);
        rg_buf_u64(&body, 0);
        assert_fails(rg_push_read(&got, &arena, &schema, (rg_payload)payload, body.data, body.len),
                     RG_ECORRUPT, "8 bytes too many");
        rg_buf_fini(&body);
        rg_arena_free(&arena);
    }
}

static void lengths_are_what_the_protocol_says(void **state)
{
    (void)state;
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_FLOATS, 300, 256), 1200);
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_HALVES, 300, 256), 600);
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_BYTES, 300, 256), 308);
    assert_int_equal(rg_payload_padded(RG_PAYLOAD_BYTES, 300, 256), 312);
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_BYTES, 256, 256), 260);
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_BYTES, 9, 3), 21);
    assert_int_equal(rg_payload_bytes(RG_PAYLOAD_BYTES, 0, 0), 0);
}

static void payloads_are_said_by_flags(void **state)
{
    rg_payload got;
    (void)state;
    for (int payload = 0; payload < RG_PAYLOADS; payload++) {
        uint16_t flags = rg_payload_to_flags((rg_payload)payload);
        assert_ok(rg_payload_of_request(flags | RG_FRAME_RESENT, &got));
        assert_int_equal(got, payload);
        rg_payload back = rg_payload_back(got);
        assert_ok(rg_payload_of_answer(rg_payload_to_flags(back), &got));
        assert_int_equal(got, back);
    }
    assert_fails(rg_payload_of_request(0x300, &got), RG_ECORRUPT, "payload 3");
    assert_fails(rg_payload_of_request(0x8000, &got), RG_ECORRUPT, "payload 128");
    assert_fails(rg_payload_of_answer(0x200, &got), RG_ECORRUPT, "payload 2");
}

/* The head alone, with so many bytes of zeros behind it. */
static void expect_refusal(const uint32_t *dense, uint32_t n_dense, uint32_t table, uint32_t n,
                           uint32_t n_sparse, const uint32_t *pull, uint32_t n_pull,
                           const char *text)
{
    static const uint8_t zeros[64];
    const uint32_t tables[2] = {table, table}, counts[2] = {n, n};
    rg_arena arena = RG_ARENA_EMPTY;
    rg_buf body;
    rg_push push;
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 0, dense, n_dense, tables, counts, n_sparse, pull, n_pull);
    rg_buf_add(&body, zeros, sizeof zeros);
    for (int payload = 0; payload < RG_PAYLOADS; payload++)
        assert_fails(rg_push_read(&push, &arena, &schema, (rg_payload)payload, body.data, body.len),
                     RG_ECORRUPT, text);
    rg_buf_fini(&body);
    rg_arena_free(&arena);
}

static void pushes_that_do_not_fit_are_refused(void **state)
{
    static const uint32_t none[1], two[] = {B, B}, table[] = {TABLE}, beyond[] = {N_VARS};
    (void)state;
    expect_refusal(beyond, 1, 0, 0, 0, none, 0, "a push names variable 5 of 5");
    expect_refusal(table, 1, 0, 0, 0, none, 0, "a push names variable 1 of 5");
    expect_refusal(none, 0, W, 1, 1, none, 0, "a push of rows names variable 0 of 5");
    expect_refusal(none, 0, 0, 0, 0, table, 1, "a pull names variable 1 of 5");
    /* Named twice: a step has room for one gradient from each trainer. */
    expect_refusal(two, 2, 0, 0, 0, none, 0, "a push names variable 2 twice");
    expect_refusal(none, 0, TABLE, 1, 2, none, 0, "a push of rows names variable 1 twice");
    expect_refusal(none, 0, 0, 0, 0, two, 2, "a pull names variable 2 twice");
    /* 2^22 rows of 2^20 floats are 2^44 bytes; 2^32 - 1 ids do not fit either. */
    expect_refusal(none, 0, WIDE, 1u << 22, 1, none, 0, "ends");
    expect_refusal(none, 0, WIDE, UINT32_MAX, 1, none, 0, "ends");
    expect_refusal(none, 0, WIDE, 4, 1, none, 0, "4 rows of wide, which do not fit");
}

/* n * width * 4 is 2^64, which is nothing. */
/* promise 23 */
static void products_do_not_wrap(void **state)
{
    static rg_ps_var wide = {"t", "g", 0, 1, (int64_t)1 << 40, true};
    const rg_ps_schema one = {.vars = &wide, .n = 1};
    const uint32_t table = 0, n = 1u << 22;
    rg_arena arena = RG_ARENA_EMPTY;
    rg_buf body;
    rg_push push;
    (void)state;
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 0, NULL, 0, &table, &n, 1, NULL, 0);
    rg_buf_room(&body, (size_t)n * sizeof(int64_t));
    memset(body.data + body.len - (size_t)n * sizeof(int64_t), 0, (size_t)n * sizeof(int64_t));
    for (int payload = 0; payload < RG_PAYLOADS; payload++)
        assert_fails(rg_push_read(&push, &arena, &one, (rg_payload)payload, body.data, body.len),
                     RG_ECORRUPT, "which do not fit");
    rg_buf_fini(&body);
    rg_arena_free(&arena);
}

/* ---- rows that are asked for ---- */

static void write_wanted(rg_buf *body)
{
    rg_buf_init(body, 0);
    rg_buf_u32(body, TABLE);
    rg_buf_u32(body, 3);
    rg_buf_add(body, ids, sizeof ids);
    rg_buf_u32(body, WIDE);
    rg_buf_u32(body, 1);
    rg_buf_add(body, ids, sizeof *ids);
}

static void wanted_rows_come_back(void **state)
{
    rg_buf body;
    rg_rows_wanted got;
    (void)state;
    write_wanted(&body);
    const uint8_t *at = body.data;
    size_t left = body.len;
    assert_ok(rg_wanted_read(&at, &left, &schema, &got));
    assert_int_equal(got.var, TABLE);
    assert_int_equal(got.n, 3);
    assert_memory_equal(got.ids, ids, sizeof ids);
    assert_ok(rg_wanted_read(&at, &left, &schema, &got));
    assert_int_equal(got.var, WIDE);
    assert_int_equal(got.n, 1);
    assert_int_equal(left, 0);
    rg_buf_fini(&body);
}

static void read_wanted(const uint8_t *bytes, size_t n)
{
    rg_rows_wanted wanted;
    volatile int64_t sum = 0;
    while (n > 0 && rg_wanted_read(&bytes, &n, &schema, &wanted) == RG_OK)
        for (uint32_t i = 0; i < wanted.n; i++)
            sum = sum ^ wanted.ids[i];
}

static void damaged_wishes_do_no_harm(void **state)
{
    rg_buf body;
    (void)state;
    write_wanted(&body);
    damage(&body, read_wanted);
    rg_buf_fini(&body);
}

/* ---- tensors and text ---- */

static void write_tensor(rg_buf *body, rg_dtype dtype, rg_shape shape)
{
    rg_value value;
    rg_value_init(&value);
    assert_ok(rg_value_resize(&value, dtype, &shape));
    rg_buf_init(body, 0);
    rg_ps_put_tensor_head(body, value.meta.dtype, &value.meta.shape);
    for (size_t i = 0; i < rg_value_bytes(&value); i++)
        rg_buf_char(body, (char)i);
    rg_value_fini(&value);
}

static void tensors_come_back(void **state)
{
    static const rg_dtype types[] = {RG_F32, RG_F64, RG_I64, RG_I32};
    const rg_shape shapes[] = {RG_SHAPE(1), RG_SHAPE(2, 3), RG_SHAPE(0, 4), RG_SHAPE(2, 1, 2, 2)};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            rg_buf body;
            rg_value got;
            write_tensor(&body, types[t], shapes[s]);
            rg_value_init(&got);
            assert_ok(rg_ps_get_tensor(body.data, body.len, &got));
            assert_int_equal(got.meta.dtype, types[t]);
            assert_true(rg_shape_equal(&got.meta.shape, &shapes[s]));
            for (size_t i = 0; i < rg_value_bytes(&got); i++)
                assert_int_equal(((const uint8_t *)got.data)[i], i);
            rg_value_fini(&got);
            rg_buf_fini(&body);
        }
}

static void read_tensor(const uint8_t *bytes, size_t n)
{
    rg_value got;
    rg_value_init(&got);
    if (rg_ps_get_tensor(bytes, n, &got) == RG_OK)
        assert_true(rg_value_bytes(&got) <= n);
    rg_value_fini(&got);
}

static void damaged_tensors_do_no_harm(void **state)
{
    rg_buf body;
    (void)state;
    write_tensor(&body, RG_F32, RG_SHAPE(2, 3));
    damage(&body, read_tensor);
    rg_buf_fini(&body);
}

static void impossible_tensors_are_refused(void **state)
{
    rg_value got;
    rg_buf body;
    (void)state;
    rg_value_init(&got);
    rg_buf_init(&body, 0);
    rg_buf_u32(&body, RG_F32);
    rg_buf_u32(&body, 3);
    for (int i = 0; i < 3; i++) /* 2^122 bytes; of which 64 bits are 0 */
        rg_buf_u64(&body, (uint64_t)1 << 40);
    assert_fails(rg_ps_get_tensor(body.data, body.len, &got), RG_ECORRUPT, "impossible size");
    rg_buf_clear(&body);
    rg_buf_u32(&body, RG_I8);
    rg_buf_u32(&body, 3);
    rg_buf_u64(&body, (uint64_t)1 << 40); /* 2^63 elements, times 0 */
    rg_buf_u64(&body, (uint64_t)1 << 23);
    rg_buf_u64(&body, 0);
    assert_fails(rg_ps_get_tensor(body.data, body.len, &got), RG_ECORRUPT, "impossible size");
    rg_buf_clear(&body);
    rg_buf_u32(&body, 12345);
    rg_buf_u32(&body, 0);
    assert_fails(rg_ps_get_tensor(body.data, body.len, &got), RG_ECORRUPT, "type 12345");
    rg_buf_clear(&body);
    rg_buf_u32(&body, RG_F32);
    rg_buf_u32(&body, 1000);
    assert_fails(rg_ps_get_tensor(body.data, body.len, &got), RG_ECORRUPT, "1000 dimensions");
    rg_buf_fini(&body);
    rg_value_fini(&got);
}

static void texts_come_back(void **state)
{
    char *text = NULL;
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, "fc_0.w_0.block1");
    rg_cursor in = {body.data, body.len};
    assert_ok(rg_ps_get_text(&in, &text));
    assert_string_equal(text, "fc_0.w_0.block1");
    assert_int_equal(in.left, 0);
    rg_free(text);
    for (size_t n = 0; n < body.len; n++) {
        in = (rg_cursor){body.data, n};
        assert_int_equal(rg_ps_get_text(&in, &text), RG_ECORRUPT);
    }
    rg_buf_clear(&body);
    rg_buf_u32(&body, RG_PS_MAX_NAME + 1);
    rg_buf_room(&body, RG_PS_MAX_NAME + 1);
    in = (rg_cursor){body.data, body.len};
    assert_fails(rg_ps_get_text(&in, &text), RG_ECORRUPT, "a name of 4097 bytes");
    rg_buf_fini(&body);
}

/* ---- parts of tables in files ---- */

static void wishes_to_save_come_back(void **state)
{
    rg_buf body;
    rg_ps_save got;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_save_write(&body, "/a folder/of mine", "emb/table");
    assert_ok(rg_buf_status(&body));
    assert_ok(rg_ps_save_read(&got, body.data, body.len));
    assert_string_equal(got.folder, "/a folder/of mine");
    assert_string_equal(got.table, "emb/table");
    rg_ps_save_fini(&got);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_ps_save_read(&got, body.data, n), RG_ECORRUPT);
    rg_buf_char(&body, 0);
    assert_fails(rg_ps_save_read(&got, body.data, body.len), RG_ECORRUPT, "1 bytes too many");
    rg_buf_fini(&body);
}

static void read_save(const uint8_t *bytes, size_t n)
{
    rg_ps_save got;
    if (rg_ps_save_read(&got, bytes, n) != RG_OK)
        return;
    assert_int_equal(strlen(got.folder) + strlen(got.table) + 8, n); /* no NUL inside */
    assert_true(got.folder[0] != '\0' && got.table[0] != '/');
    rg_ps_save_fini(&got);
}

static void damaged_wishes_to_save_do_no_harm(void **state)
{
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_ps_save_write(&body, "/saves/1", "table.0");
    damage(&body, read_save);
    rg_buf_fini(&body);
}

/* promise 31 */
static void paths_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"", "table"},     {"/saves", ""},          {"/saves", "/etc"}, {"/saves", "../table"},
        {"/sa\nves", "t"}, {"/saves", "a/../../t"}, {"/saves", "t\x7f"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rg_buf body;
        rg_ps_save got;
        rg_buf_init(&body, 0);
        rg_ps_save_write(&body, bad[i][0], bad[i][1]);
        assert_int_equal(rg_ps_save_read(&got, body.data, body.len), RG_EINVAL);
        rg_buf_fini(&body);
    }
}

static void slices_are_parts_of_their_whole(void **state)
{
    (void)state;
    assert_true(rg_ps_is_part_of("table", "table"));
    assert_true(rg_ps_is_part_of("table.block0", "table"));
    assert_true(rg_ps_is_part_of("table.block12", "table"));
    static const char *const others[] = {"table.block", "table.block1x", "table.bloc1",
                                         "table_0",     "tabl",          "table.block1.block2"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(rg_ps_is_part_of(others[i], "table"));
}

/* ---- statistics ---- */

static const int64_t positives[] = {1, INT64_MAX, 0}, negatives[] = {4, 5, -1};
static const rg_stats told = {.rows = 7,
                              .batches = 2,
                              .seconds = 0.5,
                              .loss_sum = -1.25,
                              .pos = positives,
                              .neg = negatives,
                              .bins = 3};

static void statistics_come_back(void **state)
{
    rg_buf body;
    rg_stats got;
    int64_t *counts;
    (void)state;
    rg_buf_init(&body, 0);
    rg_stats_write(&body, &told);
    assert_int_equal(body.len, 5 * 8 + 6 * 8);
    assert_ok(rg_stats_read(&got, &counts, body.data, body.len));
    assert_int_equal(got.rows, 7);
    assert_int_equal(got.batches, 2);
    assert_true(got.seconds == 0.5 && got.loss_sum == -1.25);
    assert_int_equal(got.bins, 3);
    assert_memory_equal(got.pos, positives, sizeof positives);
    assert_memory_equal(got.neg, negatives, sizeof negatives);
    rg_free(counts);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_stats_read(&got, &counts, body.data, n), RG_ECORRUPT);
    rg_buf_clear(&body);
    rg_stats_write(&body, &(rg_stats){.rows = 1, .bins = 3}); /* counts nothing */
    assert_ok(rg_stats_read(&got, &counts, body.data, body.len));
    assert_int_equal(got.bins, 0);
    assert_null(counts);
    rg_buf_fini(&body);
}

static void read_stats(const uint8_t *bytes, size_t n)
{
    rg_stats got;
    int64_t *counts;
    if (rg_stats_read(&got, &counts, bytes, n) == RG_OK)
        assert_true(2 * got.bins * sizeof *counts < n);
    rg_free(counts);
}

static void damaged_statistics_do_no_harm(void **state)
{
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_stats_write(&body, &told);
    damage(&body, read_stats);
    rg_buf_fini(&body);
}

static void statistics_of_all_are_bytes_in_order(void **state)
{
    const rg_stats_of_all all = {.rows = 1,
                                 .batches = 2,
                                 .rate = 0.5,
                                 .loss_sum = 4,
                                 .auc = 0.75,
                                 .told = 3,
                                 .slowest = -1,
                                 .slowest_rate = 8};
    static const uint8_t wanted[] = {
        1,    0,    0, 0,    0,    0, 0,    0,    2,    0,    0, 0,    0,    0, 0, 0, 0,    0,   0,
        0,    0,    0, 0xe0, 0x3f, 0, 0,    0,    0,    0,    0, 0x10, 0x40, 0, 0, 0, 0,    0,   0,
        0xe8, 0x3f, 3, 0,    0,    0, 0xff, 0xff, 0xff, 0xff, 0, 0,    0,    0, 0, 0, 0x20, 0x40};
    rg_stats_of_all got;
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_stats_of_all_write(&body, &all);
    assert_int_equal(body.len, sizeof wanted);
    assert_memory_equal(body.data, wanted, sizeof wanted);
    assert_ok(rg_stats_of_all_read(&got, body.data, body.len));
    assert_int_equal(got.told, 3);
    assert_int_equal(got.slowest, -1);
    assert_true(got.rate == 0.5 && got.auc == 0.75 && got.slowest_rate == 8);
    for (size_t n = 0; n < body.len; n++)
        assert_int_equal(rg_stats_of_all_read(&got, body.data, n), RG_ECORRUPT);
    rg_buf_char(&body, 0);
    assert_int_equal(rg_stats_of_all_read(&got, body.data, body.len), RG_ECORRUPT);
    rg_buf_fini(&body);
}

RUN(cmocka_unit_test(schemas_come_back), cmocka_unit_test(damaged_schemas_do_no_harm),
    cmocka_unit_test(impossible_schemas_are_refused), cmocka_unit_test(pushes_come_back),
    cmocka_unit_test(packed_pushes_come_back), cmocka_unit_test(tagged_pushes_come_back),
    cmocka_unit_test(lengths_are_what_the_protocol_says),
    cmocka_unit_test(payloads_are_said_by_flags), cmocka_unit_test(damaged_pushes_do_no_harm),
    cmocka_unit_test(pushes_that_do_not_fit_are_refused), cmocka_unit_test(products_do_not_wrap),
    cmocka_unit_test(wanted_rows_come_back), cmocka_unit_test(damaged_wishes_do_no_harm),
    cmocka_unit_test(tensors_come_back), cmocka_unit_test(damaged_tensors_do_no_harm),
    cmocka_unit_test(impossible_tensors_are_refused), cmocka_unit_test(texts_come_back),
    cmocka_unit_test(wishes_to_save_come_back), cmocka_unit_test(damaged_wishes_to_save_do_no_harm),
    cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
    cmocka_unit_test(slices_are_parts_of_their_whole), cmocka_unit_test(statistics_come_back),
    cmocka_unit_test(damaged_statistics_do_no_harm),
    cmocka_unit_test(statistics_of_all_are_bytes_in_order))
