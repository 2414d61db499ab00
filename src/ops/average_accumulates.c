/* average_accumulates.c - the sums behind ModelAverage.
 *
 * sum_1 takes the parameter of every step, sum_2 takes over sum_1 every 16384 steps, lest
 * small numbers be lost in a large one, and sum_3 is the window before the present one. A
 * window ends once it has min_average_window steps and min(max_average_window,
 * average_window * all steps). The average is (sum_1 + sum_2 + sum_3) / (num_accumulates +
 * old_num_accumulates). */
#include "ops/types.h"

#include <string.h>

enum { PARAM, SUM_1, SUM_2, SUM_3, NUM, OLD_NUM, UPDATES };
enum { SUM_1_OUT, SUM_2_OUT, SUM_3_OUT, NUM_OUT, OLD_NUM_OUT, UPDATES_OUT };
enum { WINDOW, MAX_WINDOW, MIN_WINDOW };
enum { STEPS_IN_SUM_1 = 16384 };

static rg_status average_infer(rg_ctx *ctx)
{
    for (int i = SUM_1; i <= UPDATES; i++) {
        if (!rg_has_out(ctx, i - SUM_1))
            return rg_fail(RG_EINVAL, "the op has no output %s", ctx->op->out[i - SUM_1].name);
        if (i <= SUM_3) {
            RG_TRY(rg_expect_same_dtype(ctx, PARAM, i));
            RG_TRY(rg_expect_same_shape(ctx, PARAM, i));
        } else {
            RG_TRY(RG_EXPECT_DTYPE(ctx, i, RG_I64));
            if (rg_running(ctx) && rg_shape_numel(rg_shape_of(ctx, i)) != 1)
                return rg_fail(RG_ESHAPE, "%s must hold one number", ctx->op->in[i].name);
        }
        rg_set_like(ctx, i - SUM_1, i);
    }
    if (rg_attr_long(ctx, MIN_WINDOW) > rg_attr_long(ctx, MAX_WINDOW))
        return rg_fail(RG_EINVAL, "min_average_window %lld is above max_average_window %lld",
                       (long long)rg_attr_long(ctx, MIN_WINDOW),
                       (long long)rg_attr_long(ctx, MAX_WINDOW));
    return RG_OK;
}

#define SUMS(T, S)                                                                 \
    RG_HOT static void add_##S(T *y, const T *x, int64_t n)                        \
    {                                                                              \
        for (int64_t i = 0; i < n; i++)                                            \
            y[i] += x[i];                                                          \
    }                                                                              \
    static void run_##S(const rg_ctx *ctx, int64_t n, bool fold, bool window_ends) \
    {                                                                              \
        T *one = rg_out_data(ctx, SUM_1_OUT), *two = rg_out_data(ctx, SUM_2_OUT);  \
        T *three = rg_out_data(ctx, SUM_3_OUT);                                    \
        size_t bytes = (size_t)n * sizeof(T);                                      \
        add_##S(one, rg_in_data(ctx, PARAM), n);                                   \
        if (fold) {                                                                \
            add_##S(two, one, n);                                                  \
            memset(one, 0, bytes);                                                 \
        }                                                                          \
        if (window_ends) {                                                         \
            memcpy(three, one, bytes);                                             \
            add_##S(three, two, n);                                                \
            memset(one, 0, bytes);                                                 \
            memset(two, 0, bytes);                                                 \
        }                                                                          \
    }
RG_FLOATS(SUMS)

/* Steps that the present window may have: a whole number, rounded down. */
static int64_t window(const rg_ctx *ctx, int64_t updates)
{
    int64_t most = rg_attr_long(ctx, MAX_WINDOW);
    float share = (float)updates * rg_attr_float(ctx, WINDOW);
    if (share < 0)
        return 0;
    return share < (float)most ? (int64_t)share : most;
}

static rg_status average_kernel(rg_ctx *ctx)
{
    for (int i = SUM_1; i <= UPDATES; i++)
        RG_TRY(rg_value_copy(rg_out(ctx, i - SUM_1), rg_in(ctx, i)));
    int64_t *num = rg_out_data(ctx, NUM_OUT), *old = rg_out_data(ctx, OLD_NUM_OUT);
    int64_t *updates = rg_out_data(ctx, UPDATES_OUT);
    ++*num;
    ++*updates;
    bool window_ends = *num >= rg_attr_long(ctx, MIN_WINDOW) && *num >= window(ctx, *updates);
    RG_CALL_FLOAT(ctx, PARAM, run,
                  (ctx, rg_numel(rg_in(ctx, PARAM)), *updates % STEPS_IN_SUM_1 == 0, window_ends))
    if (window_ends) {
        *old = *num;
        *num = 0;
    }
    return RG_OK;
}

const rg_op rg_op_average_accumulates = {
    .type = "average_accumulates",
    .doc = "Sums of a parameter over a moving window of steps.",
    .in = RG_SLOTS([PARAM] = {"param", "the parameter"}, [SUM_1] = {"in_sum_1", ""},
                   [SUM_2] = {"in_sum_2", ""}, [SUM_3] = {"in_sum_3", ""},
                   [NUM] = {"in_num_accumulates", "steps in the present window"},
                   [OLD_NUM] = {"in_old_num_accumulates", "steps in the window before it"},
                   [UPDATES] = {"in_num_updates", "all steps"}),
    .out = RG_SLOTS([SUM_1_OUT] = {"out_sum_1", ""}, [SUM_2_OUT] = {"out_sum_2", ""},
                    [SUM_3_OUT] = {"out_sum_3", ""}, [NUM_OUT] = {"out_num_accumulates", ""},
                    [OLD_NUM_OUT] = {"out_old_num_accumulates", ""},
                    [UPDATES_OUT] = {"out_num_updates", ""}),
    .attr = RG_ATTRS([WINDOW] = RG_FLOAT("average_window", 0.0f, "window by share of all steps"),
                     [MAX_WINDOW] = RG_REQUIRED("max_average_window", RG_ATTR_LONG,
                                                "most steps in a window"),
                     [MIN_WINDOW] = RG_LONG("min_average_window", 10000,
                                            "fewest steps in a window")),
    .infer = average_infer,
    .kernel = average_kernel,
};
