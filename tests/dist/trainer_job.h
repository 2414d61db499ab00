/* trainer_job.h - a trainer of tests, in the process of its servers: its job and its steps. */
#ifndef TESTS_DIST_TRAINER_JOB_H
#define TESTS_DIST_TRAINER_JOB_H

#include "dist/whole_server.h"

#include "dist/exchange.h"
#include "dist/fan_out.h"

static rg_job *job; /* this process's, of all tests */

static inline int open_job(void **state)
{
    (void)state;
    return (int)rg_job_open(&job);
}

static inline int close_job(void **state)
{
    (void)state;
    rg_job_close(job);
    return 0;
}

static inline void join(const server *s)
{
    const char *endpoint = s->endpoint;
    assert_ok(rg_job_join(job, &endpoint, 1, 0, 1));
}

static inline void fill(float *values, size_t n, float x)
{
    for (size_t i = 0; i < n; i++)
        values[i] = x;
}

/* A step of this thread, whose gradient of w is `x` everywhere. */
static inline rg_status push(int thread, float x)
{
    static _Thread_local float grad[SIZE]; /* lent, also after a wait that ends early */
    fill(grad, SIZE, x);
    RG_TRY(rg_exchange_dense(job, thread, 0, W, grad, job->mode->together));
    return rg_exchange_push(job, thread);
}

static inline void expect(const float *values, float x)
{
    assert_non_null(values);
    for (int i = 0; i < SIZE; i++)
        assert_float_equal(values[i], x, 1e-6);
}

static inline rg_status make_home(rg_value *target, float x)
{
    rg_value_init(target);
    RG_TRY(rg_value_resize(target, RG_F32, &RG_SHAPE(2, 3)));
    fill(target->data, SIZE, x);
    return RG_OK;
}

static inline void expect_taken(int thread, float x)
{
    rg_value target;
    assert_ok(make_home(&target, 1e9f));
    assert_ok(rg_exchange_take(job, thread, 0, W, &target, 0, false));
    expect(target.data, x);
    rg_value_fini(&target);
}

static inline void expect_on_server(const server *s, const char *name, float x)
{
    rg_value value;
    rg_value_init(&value);
    assert_ok(rg_job_get(job, s->endpoint, name, &value));
    assert_int_equal(rg_numel(&value), SIZE);
    expect(value.data, x);
    rg_value_fini(&value);
}

#endif
