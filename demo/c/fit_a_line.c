/* fit_a_line.c - train a saved program with no Python in the process.
 *
 *     python demo/c/make_program.py DIR          writes DIR/startup.pb and DIR/main.pb
 *     cc fit_a_line.c -lregatta && ./a.out DIR   trains, saves to DIR/model, loads it again
 *
 * The data are drawn from a known line plus a little noise, so the loss can be compared
 * with what is possible. Exit status 0 if the line was found. */
#include "regatta.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 13, BATCH = 20, STEPS = 3000 };

static void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, rg_last_error());
    exit(1);
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            die(#call);                                                                            \
    } while (0)

/* A number in [-1, 1) that is the same in every run. */
static float noise(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)(int32_t)(state >> 32) / 2147483648.0f;
}

static void make_batch(float *x, float *y)
{
    for (int i = 0; i < BATCH; i++) {
        y[i] = 22.0f + 0.1f * noise();
        for (int j = 0; j < FEATURES; j++) {
            x[i * FEATURES + j] = noise();
            y[i] += (float)(j - 6) * x[i * FEATURES + j];
        }
    }
}

static float train_step(rg_session *session, int program, const char *loss_name)
{
    static float x[BATCH * FEATURES], y[BATCH];
    rg_tensor_view loss;
    make_batch(x, y);
    TRY(rg_session_feed(session, "x", RG_TYPE_FLOAT32, (int64_t[]){BATCH, FEATURES}, 2, x));
    TRY(rg_session_feed(session, "y", RG_TYPE_FLOAT32, (int64_t[]){BATCH, 1}, 2, y));
    TRY(rg_session_run(session, program, &loss_name, 1));
    TRY(rg_session_fetch(session, 0, &loss));
    return *(const float *)loss.data;
}

static float weight_at(rg_session *session, int program, int i)
{
    const char *name = "fc_0.w_0";
    rg_tensor_view w;
    TRY(rg_session_run(session, program, &name, 1));
    TRY(rg_session_fetch(session, 0, &w));
    return ((const float *)w.data)[i];
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s FOLDER (with startup.pb and main.pb)\n", argv[0]);
        return 2;
    }
    char path[4096], model[4096];
    rg_session *session, *again;
    int startup, train, reloaded;
    TRY(rg_session_open(&session));
    (void)snprintf(path, sizeof path, "%s/startup.pb", argv[1]);
    TRY(rg_session_load_program(session, path, &startup));
    (void)snprintf(path, sizeof path, "%s/main.pb", argv[1]);
    TRY(rg_session_load_program(session, path, &train));
    TRY(rg_session_run(session, startup, NULL, 0));

    float loss = 0;
    for (int step = 0; step < STEPS; step++) {
        loss = train_step(session, train, "mean_0.tmp_0");
        if (step % 500 == 0)
            (void)printf("step %4d  loss %.4f\n", step, (double)loss);
    }
    (void)printf("step %4d  loss %.4f (the noise alone is 0.0033)\n", STEPS, (double)loss);

    (void)snprintf(model, sizeof model, "%s/model", argv[1]);
    TRY(rg_session_save(session, train, model));
    TRY(rg_session_open(&again));
    TRY(rg_session_load_program(again, path, &reloaded));
    TRY(rg_session_load(again, reloaded, model));
    float x[BATCH * FEATURES] = {0}, y[BATCH] = {0};
    TRY(rg_session_feed(again, "x", RG_TYPE_FLOAT32, (int64_t[]){BATCH, FEATURES}, 2, x));
    TRY(rg_session_feed(again, "y", RG_TYPE_FLOAT32, (int64_t[]){BATCH, 1}, 2, y));
    float found = weight_at(again, reloaded, 12);
    (void)printf("the last weight is %.3f, and was planted as 6\n", (double)found);
    rg_session_close(again);
    rg_session_close(session);
    return loss < 0.05f && fabsf(found - 6.0f) < 0.2f ? 0 : 1;
}
