/* test_tensor_io.c - tensors as bytes: exactly Paddle's, and no length believed. */
#include "check.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "tensor/tensor_io.h"

static rg_value *two_floats(void)
{
    rg_value *value;
    assert_ok(rg_value_new(&value));
    assert_ok(rg_value_resize(value, RG_F32, &RG_SHAPE(2)));
    ((float *)value->data)[0] = 1.0f;
    ((float *)value->data)[1] = -2.0f;
    return value;
}

static rg_value *sequences(void)
{
    rg_value *value;
    rg_lod *lod;
    assert_ok(rg_value_new(&value));
    assert_ok(rg_value_resize(value, RG_I64, &RG_SHAPE(3, 1)));
    for (int i = 0; i < 3; i++)
        ((int64_t *)value->data)[i] = i + 5;
    assert_ok(rg_lod_from_lengths(&lod, 1, &(size_t){2}, &(const int64_t *){(int64_t[]){2, 1}}));
    rg_value_set_lod(value, lod);
    rg_lod_release(lod);
    return value;
}

static rg_value *sparse(void)
{
    rg_value *value;
    assert_ok(rg_value_new(&value));
    assert_ok(rg_value_resize_rows(value, RG_F32, &RG_SHAPE(10, 2), 2));
    value->rows[0] = 7;
    value->rows[1] = 3;
    for (int i = 0; i < 4; i++)
        ((float *)value->data)[i] = (float)i;
    return value;
}

static void write(const rg_value *value, rg_buf *bytes)
{
    rg_buf_init(bytes, 0);
    rg_sink sink = rg_sink_buf(bytes);
    assert_ok(rg_tensor_write(&sink, value));
}

static rg_status read(const uint8_t *bytes, size_t n, bool rows, rg_value *value)
{
    rg_cursor cursor = {bytes, n};
    rg_source source = rg_source_memory(&cursor);
    return rows ? rg_rows_read(&source, value) : rg_tensor_read(&source, value);
}

/* u32 0 | u64 0 levels | u32 0 | i32 4 | TensorDesc FP32 [2] | 8 bytes, as Paddle writes it. */
static void a_plain_tensor_has_paddles_bytes(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,    0,    0, 0, 0, 0,
                                     4, 0, 0, 0, 8, 5, 16, 2, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
    rg_value *value = two_floats();
    rg_buf bytes;
    write(value, &bytes);
    assert_int_equal(bytes.len, sizeof wanted);
    assert_memory_equal(bytes.data, wanted, sizeof wanted);
    rg_buf_fini(&bytes);
    rg_value_release(value);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    rg_value *all[] = {two_floats(), sequences(), sparse()};
    for (int i = 0; i < 3; i++) {
        rg_value *back;
        rg_buf bytes;
        write(all[i], &bytes);
        assert_ok(rg_value_new(&back));
        assert_ok(read(bytes.data, bytes.len, i == 2, back));
        assert_int_equal(back->meta.dtype, all[i]->meta.dtype);
        assert_true(rg_shape_equal(&back->meta.shape, &all[i]->meta.shape));
        assert_true(rg_lod_equal(back->meta.lod, all[i]->meta.lod));
        assert_memory_equal(back->data, all[i]->data, rg_value_bytes(all[i]));
        if (i == 2)
            assert_memory_equal(back->rows, all[i]->rows, 2 * sizeof(int64_t));
        rg_value_release(back);
        rg_buf_fini(&bytes);
        rg_value_release(all[i]);
    }
}

/* promise 16 */
static void every_truncation_is_refused_and_leaves_the_value_alone(void **state)
{
    (void)state;
    rg_value *all[] = {sequences(), sparse()};
    for (int i = 0; i < 2; i++) {
        rg_buf bytes;
        write(all[i], &bytes);
        for (size_t n = 0; n < bytes.len; n++) {
            rg_value *kept = two_floats();
            assert_true(read(bytes.data, n, i == 1, kept) != RG_OK);
            assert_int_equal(rg_numel(kept), 2);
            assert_true(((float *)kept->data)[1] == -2.0f);
            rg_value_release(kept);
        }
        rg_buf_fini(&bytes);
        rg_value_release(all[i]);
    }
}

/* Whatever one changed byte makes of it: an answer, never a crash. (The sanitizers watch.) */
/* promise 15 */
static void no_changed_byte_crashes_the_reader(void **state)
{
    (void)state;
    rg_value *all[] = {sequences(), sparse()};
    for (int i = 0; i < 2; i++) {
        rg_buf bytes;
        write(all[i], &bytes);
        for (size_t at = 0; at < bytes.len; at++)
            for (int bit = 0; bit < 8; bit++) {
                rg_value *value = two_floats();
                bytes.data[at] ^= (uint8_t)(1 << bit);
                (void)read(bytes.data, bytes.len, i == 1, value);
                bytes.data[at] ^= (uint8_t)(1 << bit);
                rg_value_release(value);
            }
        rg_buf_fini(&bytes);
        rg_value_release(all[i]);
    }
}

/* promise 23 */
static void huge_lengths_are_refused_before_memory_is_asked_for(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX / 8,   1ull << 63, 1ull << 40,
                                       1ull << 32, (1ull << 31) - 1, 1ull << 31, 9,
                                       64};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        rg_buf bytes;
        rg_value *value = two_floats();
        rg_buf_init(&bytes, 0);
        rg_buf_u32(&bytes, 0);
        rg_buf_u64(&bytes, lengths[i]); /* levels */
        assert_true(read(bytes.data, bytes.len, false, value) != RG_OK);
        rg_buf_clear(&bytes);
        rg_buf_u32(&bytes, 0);
        rg_buf_u64(&bytes, 1);
        rg_buf_u64(&bytes, lengths[i]); /* bytes of a level */
        assert_true(read(bytes.data, bytes.len, false, value) != RG_OK);
        rg_buf_clear(&bytes);
        rg_buf_u32(&bytes, 0);
        rg_buf_u64(&bytes, lengths[i]); /* rows */
        assert_true(read(bytes.data, bytes.len, true, value) != RG_OK);
        rg_value_release(value);
        rg_buf_fini(&bytes);
    }
}

/* FP32 [2^20, 2^20] in a few bytes. */
static void a_shape_larger_than_the_data_is_named(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 0, 0,  0,    0,    0,    0,  0,    0,    0,
                                    0, 0, 0,  0,    0,    0,    10, 0,    0,    0,
                                    8, 5, 16, 0x80, 0x80, 0x40, 16, 0x80, 0x80, 0x40};
    rg_value *value = two_floats();
    assert_fails(read(bytes, sizeof bytes, false, value), RG_ECORRUPT,
                 "float32 of shape [1048576, 1048576] was announced, and 0 bytes are left");
    rg_value_release(value);
}

/* promise 18 */
static void reading_survives_every_failed_allocation(void **state)
{
    (void)state;
    rg_value *value = sequences();
    rg_buf bytes;
    write(value, &bytes);
    for (long n = 1;; n++) {
        rg_value *back;
        assert_ok(rg_value_new(&back));
        rg_mem_fail_at(n);
        rg_status code = read(bytes.data, bytes.len, false, back);
        bool failed = rg_mem_failed();
        rg_mem_fail_at(0);
        rg_value_release(back);
        if (!failed) {
            assert_ok(code);
            break;
        }
        assert_int_equal(code, RG_ENOMEM);
    }
    rg_buf_fini(&bytes);
    rg_value_release(value);
}

static void a_slice_is_read_by_element(void **state)
{
    (void)state;
    rg_value *value = sequences(), *part;
    rg_buf bytes;
    write(value, &bytes);
    assert_ok(rg_value_new(&part));
    rg_cursor cursor = {bytes.data, bytes.len};
    rg_source source = rg_source_memory(&cursor);
    assert_ok(rg_tensor_read_slice(&source, part, 1, &RG_SHAPE(2, 1)));
    assert_int_equal(((int64_t *)part->data)[0], 6);
    cursor = (rg_cursor){bytes.data, bytes.len};
    source = rg_source_memory(&cursor);
    assert_fails(rg_tensor_read_slice(&source, part, 2, &RG_SHAPE(2, 1)), RG_EINVAL,
                 "elements 2 to 4 of a tensor that has 3");
    rg_value_release(part);
    rg_value_release(value);
    rg_buf_fini(&bytes);
}

RUN(cmocka_unit_test(a_plain_tensor_has_paddles_bytes),
    cmocka_unit_test(what_is_written_is_read_again),
    cmocka_unit_test(every_truncation_is_refused_and_leaves_the_value_alone),
    cmocka_unit_test(no_changed_byte_crashes_the_reader),
    cmocka_unit_test(huge_lengths_are_refused_before_memory_is_asked_for),
    cmocka_unit_test(a_shape_larger_than_the_data_is_named),
    cmocka_unit_test(reading_survives_every_failed_allocation),
    cmocka_unit_test(a_slice_is_read_by_element))
