/* test_serve_meet.c - trainers that wait for each other: barriers, and numbers over all of them. */
#include "dist/asking.h"

#include <math.h>

static void write_reduce(rg_buf *body, const char *name, uint32_t op, double a, double b)
{
    rg_buf_init(body, 0);
    rg_ps_put_text(body, name);
    while (body->len % RG_PS_ALIGN != 0)
        rg_buf_char(body, 0);
    rg_buf_u32(body, op);
    rg_buf_u32(body, 0);
    rg_buf_add(body, &a, sizeof a);
    rg_buf_add(body, &b, sizeof b);
}

static void numbers_over_all_trainers(void **state)
{
    static const double wanted[3][2] = {{11, -3}, {10, -1}, {1, -2}};
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    for (uint32_t op = 0; op < 3; op++) {
        rg_buf one, two;
        double got[2];
        size_t n;
        write_reduce(&one, "auc", op, 1, -2);
        write_reduce(&two, "auc", op, 10, -1);
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &one);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &two);
        assert_ok(rg_rpc_wait(last));
        assert_ok(rg_rpc_wait(waiting));
        memcpy(got, rg_rpc_answer(waiting, &n), sizeof got);
        assert_int_equal(n, sizeof got);
        assert_memory_equal(got, wanted[op], sizeof got);
        assert_memory_equal(rg_rpc_answer(last, &n), got, sizeof got);
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
        rg_buf_fini(&one);
        rg_buf_fini(&two);
    }
    finish(&f);
}

/* Whoever it is of: one that got lost in a maximum would hide that a trainer has diverged. */
static void a_nan_of_any_trainer_is_the_result(void **state)
{
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    for (uint32_t op = 0; op < 3; op++) {
        rg_buf one, two;
        double got[2];
        size_t n;
        write_reduce(&one, "loss", op, NAN, 1);
        write_reduce(&two, "loss", op, 1, NAN);
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &one);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &two);
        assert_ok(rg_rpc_wait(last));
        assert_ok(rg_rpc_wait(waiting));
        memcpy(got, rg_rpc_answer(waiting, &n), sizeof got);
        assert_true(isnan(got[0]) && isnan(got[1]));
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
        rg_buf_fini(&one);
        rg_buf_fini(&two);
    }
    finish(&f);
}

/* Whole numbers, that no double is, to the last bit; what has no room is refused on both sides. */
static void whole_numbers_over_all_trainers(void **state)
{
    const int64_t large = (INT64_C(1) << 53) + 1;
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    for (int64_t each = large; each > 0; each = each == large ? INT64_MAX : 0) {
        rg_buf_init(&body, 0);
        rg_ps_put_text(&body, "sum");
        while (body.len % 8 != 0)
            rg_buf_char(&body, 0);
        rg_buf_u32(&body, 0);
        rg_buf_u32(&body, 1);
        rg_buf_u64(&body, (uint64_t)each);
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &body);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &body);
        if (each == large) {
            int64_t got;
            size_t n;
            assert_ok(rg_rpc_wait(last));
            assert_ok(rg_rpc_wait(waiting));
            memcpy(&got, rg_rpc_answer(waiting, &n), sizeof got);
            assert_true(got == 2 * large);
        } else {
            assert_fails(rg_rpc_wait(last), RG_EVALUE, "beyond 64 bits");
            assert_fails(rg_rpc_wait(waiting), RG_EVALUE, "beyond 64 bits");
        }
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
        rg_buf_fini(&body);
    }
    finish(&f);
}

/* promise 18 */
static void without_memory_a_sum_is_refused(void **state)
{
    fixture f;
    rg_buf one, two;
    (void)state;
#ifndef RG_FAULTS
    skip();
#endif
    assert_int_equal(setenv("RG_FAULT", "ps.reduce:1:enomem", 1), 0);
    start(&f, RG_UPDATE_SYNC);
    write_reduce(&one, "auc", 0, 1, -2);
    write_reduce(&two, "auc", 0, 10, -1);
    for (int round = 0; round < 2; round++) { /* the second finds memory again */
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &one);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &two);
        assert_int_equal(rg_rpc_wait(waiting), round == 0 ? RG_ENOMEM : RG_OK);
        assert_int_equal(rg_rpc_wait(last), round == 0 ? RG_ENOMEM : RG_OK);
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
    }
    rg_buf_fini(&one);
    rg_buf_fini(&two);
    finish(&f);
    assert_int_equal(unsetenv("RG_FAULT"), 0);
}

/* Different rendezvous are refused on both sides; each may then meet again. */
static void trainers_wait_for_the_same_or_are_told(void **state)
{
    fixture f;
    rg_buf a, b, odd;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    rg_buf_init(&a, 0);
    rg_buf_init(&b, 0);
    rg_ps_put_text(&a, "a");
    rg_ps_put_text(&b, "b");
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_BARRIER, &a);
    assert_fails(ask(f.clients[0], RG_PS_BARRIER, a.data, a.len, NULL, NULL), RG_EINVAL,
                 "waits already, for 'a'");
    assert_fails(ask(f.clients[1], RG_PS_BARRIER, b.data, b.len, NULL, NULL), RG_EINVAL,
                 "wait for different things");
    assert_fails(rg_rpc_wait(waiting), RG_EINVAL, "wait for different things");
    rg_rpc_call_close(waiting);
    waiting = begin(f.clients[0], RG_PS_BARRIER, &a);
    assert_ok(ask(f.clients[1], RG_PS_BARRIER, a.data, a.len, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    write_reduce(&odd, "auc", 3, 0, 0);
    assert_fails(ask(f.clients[0], RG_PS_REDUCE, odd.data, odd.len, NULL, NULL), RG_ECORRUPT,
                 "operation 3");
    odd.data[8] = 0;
    assert_fails(ask(f.clients[0], RG_PS_REDUCE, odd.data, odd.len - 1, NULL, NULL), RG_ECORRUPT,
                 "15 bytes to be reduced");
    rg_buf_fini(&odd);
    /* One that leaves is not waited for. */
    waiting = begin(f.clients[0], RG_PS_BARRIER, &b);
    assert_ok(ask(f.clients[1], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    rg_buf_fini(&a);
    rg_buf_fini(&b);
    finish(&f);
}

RUN(cmocka_unit_test(numbers_over_all_trainers),
    cmocka_unit_test(a_nan_of_any_trainer_is_the_result),
    cmocka_unit_test(whole_numbers_over_all_trainers),
    cmocka_unit_test(without_memory_a_sum_is_refused),
    cmocka_unit_test(trainers_wait_for_the_same_or_are_told))
