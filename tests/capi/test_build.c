/* test_build.c - a program built, trained and saved through the public C API alone. */
#include "check.h"

#include "regatta.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 8, FEATURES = 3 };

static const float LINE[FEATURES] = {0.5f, -2, 1};

static int add_op(rg_session *s, int program, const char *type, const char *x, const char *y,
                  const char *out)
{
    return rg_session_add_op(s, program, type,
                             (const rg_argument[]){{"X", x}, {y ? "Y" : NULL, y}, {NULL}},
                             (const rg_argument[]){{"Out", out}, {NULL}}, NULL);
}

/* mean((x w - y)^2), w from 0. */
static void build(rg_session *s, int *startup, int *train)
{
    const int64_t w[] = {FEATURES, 1}, x[] = {-1, FEATURES}, y[] = {-1, 1};
    assert_int_equal(rg_session_new_program(s, startup), 0);
    assert_int_equal(rg_session_new_program(s, train), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rg_session_add_var(s, i ? *train : *startup, "w", RG_USE_PARAMETER,
                                            RG_TYPE_FLOAT32, w, 2),
                         0);
    assert_int_equal(
        rg_session_add_op(
            s, *startup, "fill_constant", NULL, (const rg_argument[]){{"Out", "w"}, {NULL}},
            (const rg_attribute[]){{.name = "shape", .type = RG_ATTRIBUTE_INTS, .list = w, .n = 2},
                                   {.name = "value", .type = RG_ATTRIBUTE_FLOAT, .real = 0},
                                   {NULL}}),
        0);
    assert_int_equal(rg_session_add_var(s, *train, "x", RG_USE_DATA, RG_TYPE_FLOAT32, x, 2), 0);
    assert_int_equal(rg_session_add_var(s, *train, "y", RG_USE_DATA, RG_TYPE_FLOAT32, y, 2), 0);
    assert_int_equal(add_op(s, *train, "mul", "x", "w", "p"), 0);
    assert_int_equal(add_op(s, *train, "elementwise_sub", "p", "y", "d"), 0);
    assert_int_equal(add_op(s, *train, "square", "d", NULL, "e"), 0);
    assert_int_equal(add_op(s, *train, "mean", "e", NULL, "loss"), 0);
    assert_int_equal(rg_session_minimize(s, *train, *startup, "loss", 0.1), 0);
}

static void feed(rg_session *s, int step)
{
    float x[ROWS * FEATURES], y[ROWS] = {0};
    for (int i = 0; i < ROWS * FEATURES; i++) {
        x[i] = (float)((i * 7 + step * 5) % 13 - 6) / 6;
        y[i / FEATURES] += x[i] * LINE[i % FEATURES];
    }
    assert_int_equal(
        rg_session_feed(s, "x", RG_TYPE_FLOAT32, (const int64_t[]){ROWS, FEATURES}, 2, x), 0);
    assert_int_equal(rg_session_feed(s, "y", RG_TYPE_FLOAT32, (const int64_t[]){ROWS, 1}, 2, y), 0);
}

static float run(rg_session *s, int program, const char *fetch)
{
    rg_tensor_view view;
    assert_int_equal(rg_session_run(s, program, &fetch, 1), 0);
    assert_int_equal(rg_session_fetch(s, 0, &view), 0);
    return *(const float *)view.data;
}

static void a_line_is_found_and_saved(void **state)
{
    char folder[] = "/tmp/regatta_capi_XXXXXX", path[64], model[64];
    rg_session *s, *again;
    int startup, train, loaded;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/main.pb", folder);
    (void)snprintf(model, sizeof model, "%s/model", folder);
    assert_int_equal(rg_session_open(&s), 0);
    build(s, &startup, &train);
    assert_int_equal(rg_session_run(s, startup, NULL, 0), 0);
    feed(s, 0);
    float loss = run(s, train, "loss"), first = loss;
    for (int step = 1; step < 400; step++) {
        feed(s, step);
        loss = run(s, train, "loss");
    }
    assert_true(loss < 1e-6f * first);
    assert_true(fabsf(run(s, train, "w") - LINE[0]) < 1e-3f);
    assert_int_equal(rg_session_save_program(s, train, path), 0);
    assert_int_equal(rg_session_save(s, train, model), 0);
    feed(s, 3);
    float here = run(s, train, "loss");
    rg_session_close(s);

    assert_int_equal(rg_session_open(&again), 0);
    assert_int_equal(rg_session_load_program(again, path, &loaded), 0);
    assert_int_equal(rg_session_load(again, loaded, model), 0);
    feed(again, 3);
    assert_float_equal(run(again, loaded, "loss"), here, 0);
    rg_session_close(again);
}

static void what_is_wrong_is_said(void **state)
{
    const int64_t dims[] = {2, -1};
    rg_session *s;
    int startup, train;
    (void)state;
    assert_int_equal(rg_session_open(&s), 0);
    build(s, &startup, &train);
    assert_fails(rg_session_add_var(s, train, "v", RG_USE_PARAMETER, RG_TYPE_FLOAT32, dims, 2),
                 RG_EINVAL, "variable 'v': dimension 1 is -1");
    assert_fails(add_op(s, train, "no_such_op", "x", NULL, "o"), RG_EUNIMPL, "no_such_op");
    assert_fails(add_op(s, train, "mul", "w", "w", "o"), RG_ESHAPE, "mul");
    assert_int_not_equal(rg_session_run(s, 7, NULL, 0), 0);
    assert_string_equal(rg_last_error(), "the session has no program 7");
    /* What was refused is not in the program. */
    assert_int_equal(rg_session_run(s, startup, NULL, 0), 0);
    feed(s, 0);
    assert_true(run(s, train, "loss") > 0);
    rg_session_close(s);
}

RUN(cmocka_unit_test(a_line_is_found_and_saved), cmocka_unit_test(what_is_wrong_is_said))
