/* test_outbox.c - outboxes made pushes of, in every payload, and what rounding takes from dense
 * gradients kept for the next one. */
#include "check.h"

#include "base/arena.h"
#include "dist/outbox_priv.h"

#include <math.h>

enum { W, TABLE, N_VARS, COUNT = 301, WIDTH = 3 };

/* A gradient of two blocks and an odd number of values, and a table. */
typedef struct fixture {
    rg_ps_var vars[N_VARS];
    size_t reply_at[N_VARS];
    uint32_t pulled[1];
    rg_job_server server;
    rg_job job;
    rg_outbox *outboxes;
    float rest[COUNT + 1];
    rg_buf body; /* of the last push, and what was read of it */
    rg_arena arena;
    rg_push push;
} fixture;

static void open_fixture(fixture *f, rg_payload payload)
{
    *f = (fixture){
        .vars = {{"w", "w@GRAD", 0, 1, COUNT, false}, {"t", "t@GRAD", 0, 10, WIDTH, true}},
        .pulled = {W},
        .arena = RG_ARENA_EMPTY,
    };
    f->server = (rg_job_server){.schema = {.trainers = 1, .vars = f->vars, .n = N_VARS},
                                .pulled = f->pulled,
                                .n_pulled = 1,
                                .reply_at = f->reply_at,
                                .reply_bytes = (COUNT + 1) * sizeof(float)};
    f->job = (rg_job){.servers = &f->server, .n_servers = 1, .payload = payload};
    rg_buf_init(&f->body, 0);
    assert_ok(rg_outboxes_open(&f->job, &f->outboxes));
}

static void close_fixture(fixture *f)
{
    rg_outboxes_close(&f->job, f->outboxes);
    rg_buf_fini(&f->body);
    rg_arena_free(&f->arena);
}

/* One step of a trainer, as its server reads it. */
static void step(fixture *f, const float *grad, const int64_t *ids, const float *rows, size_t n)
{
    size_t pieces;
    bool keeps = f->job.payload == RG_PAYLOAD_BYTES;
    rg_outboxes_empty(&f->job, f->outboxes);
    if (grad != NULL)
        rg_outbox_add_dense(&f->job, f->outboxes, 0, W, grad);
    if (rows != NULL)
        assert_ok(rg_outbox_add_rows(f->outboxes, TABLE, WIDTH, ids, rows, n));
    assert_ok(rg_outbox_pack(&f->job, f->outboxes, 0, 1, true, keeps ? f->rest : NULL, &pieces));
    rg_buf_clear(&f->body);
    for (size_t i = 0; i < pieces; i++)
        rg_buf_add(&f->body, f->outboxes->iov[i].at, f->outboxes->iov[i].bytes);
    assert_ok(rg_buf_status(&f->body));
    rg_arena_reset(&f->arena);
    assert_ok(rg_push_read(&f->push, &f->arena, &f->server.schema, f->job.payload, f->body.data,
                           f->body.len));
}

static void fill(float *grad)
{
    for (int i = 0; i < COUNT; i++)
        grad[i] = sinf((float)i) * (i < RG_PAYLOAD_BLOCK ? 1 : 1e-3f);
    grad[0] = 1;
    grad[COUNT - 1] = 1e-3f;
}

static void servers_read_what_was_filled_in(void **state)
{
    static const float off[RG_PAYLOADS] = {0, 1.0f / 2048, 1.0f / 253};
    static const int64_t ids[] = {7, 2};
    static const float rows[2 * WIDTH] = {1, -0.5f, 0.25f, 1e-6f, 2e-6f, -3e-6f};
    float grad[COUNT];
    (void)state;
    fill(grad);
    for (int payload = 0; payload < RG_PAYLOADS; payload++) {
        fixture f;
        open_fixture(&f, (rg_payload)payload);
        step(&f, grad, ids, rows, 2);
        assert_int_equal(f.push.n_dense, 1);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabsf(f.push.values[0][i] - grad[i]) <=
                        off[payload] * (i < RG_PAYLOAD_BLOCK ? 1 : 1e-3f) + 3e-8f);
        assert_memory_equal(f.push.sparse[0].ids, ids, sizeof ids);
        for (int i = 0; i < 2 * WIDTH; i++)
            assert_true(fabsf(f.push.sparse[0].rows[i] - rows[i]) <=
                        off[payload] * (i < WIDTH ? 1 : 3e-6f) + 3e-8f);
        assert_int_equal(f.push.n_pull, 1);
        close_fixture(&f);
    }
}

/* Over many steps the server gets what the trainer had, to less than the rounding of one of them;
 * without what is kept, all that is below half a step would be lost each time. */
static void what_rounding_took_comes_with_the_next_push(void **state)
{
    enum { STEPS = 200 };
    float grad[COUNT];
    double got[COUNT] = {0};
    fixture f;
    (void)state;
    fill(grad);
    grad[1] = 0.001f;
    open_fixture(&f, RG_PAYLOAD_BYTES);
    for (int i = 0; i < STEPS; i++) {
        step(&f, grad, NULL, NULL, 0);
        for (int k = 0; k < COUNT; k++)
            got[k] += f.push.values[0][k];
        step(&f, NULL, (const int64_t[]){1}, grad, 1); /* which changes nothing for w */
    }
    for (int k = 0; k < COUNT; k++)
        assert_true(fabs(got[k] - STEPS * (double)grad[k]) <=
                    (k < RG_PAYLOAD_BLOCK ? 1 : 1e-3) / 120);
    close_fixture(&f);
}

/* The block with it arrives as NaN, at once and once; the other one is as ever. */
static void what_is_not_finite_arrives(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    float grad[COUNT];
    (void)state;
    for (int which = 0; which < 3; which++) {
        fixture f;
        open_fixture(&f, RG_PAYLOAD_BYTES);
        fill(grad);
        grad[3] = bad[which];
        step(&f, grad, (const int64_t[]){1, 2}, grad + 1, 2);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(!!isnan(f.push.values[0][i]), i < RG_PAYLOAD_BLOCK);
        for (int i = 0; i < 2 * WIDTH; i++)
            assert_int_equal(!!isnan(f.push.sparse[0].rows[i]), i < WIDTH);
        fill(grad);
        step(&f, grad, NULL, NULL, 0);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabsf(f.push.values[0][i] - grad[i]) < 0.01f);
        close_fixture(&f);
    }
}

/* Of a batch in which nothing is looked up, before there was any other. */
static void a_gradient_may_have_no_rows(void **state)
{
    static const float rows[WIDTH];
    fixture f;
    (void)state;
    open_fixture(&f, RG_PAYLOAD_FLOATS);
    step(&f, NULL, NULL, rows, 0);
    assert_int_equal(f.push.n_sparse, 1);
    assert_int_equal(f.push.sparse[0].n, 0);
    close_fixture(&f);
}

RUN(cmocka_unit_test(servers_read_what_was_filled_in),
    cmocka_unit_test(what_rounding_took_comes_with_the_next_push),
    cmocka_unit_test(what_is_not_finite_arrives), cmocka_unit_test(a_gradient_may_have_no_rows))
