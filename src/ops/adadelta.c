/* adadelta.c - steps as large as past steps were for such gradients; no learning rate.
 *
 *   G = rho G + (1 - rho) g^2       d = sqrt((U + eps) / (G + eps)) g
 *   U = rho U + (1 - rho) d^2       p -= sqrt((U + eps) / (G + eps)) g
 *
 * The last line has the new U, as Paddle 1.8.5 computes it where U is updated in place,
 * which is nearly always; where it is written to another variable p moves by d, as in the
 * paper. */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, AVG_GRAD, AVG_UPDATE };
enum { PARAM_OUT, AVG_GRAD_OUT, AVG_UPDATE_OUT };
enum { RHO, EPSILON };

static const rg_state state[] = {
    {PARAM, PARAM_OUT}, {AVG_GRAD, AVG_GRAD_OUT}, {AVG_UPDATE, AVG_UPDATE_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = -1, .n = 3, .state = state, .every_row = true};

static rg_status adadelta_infer(rg_ctx *ctx)
{
    return rg_update_infer(ctx);
}

#define STEP(T, S)                                                                           \
    RG_HOT static void step_##S(T *p, T *gg, T *uu, const T *g, T rho, T eps, bool in_place, \
                                int64_t n)                                                   \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                    \
            T a = rho * gg[i] + (1 - rho) * g[i] * g[i];                                     \
            T d = RG_SQRT((uu[i] + eps) / (a + eps)) * g[i];                                 \
            T b = rho * uu[i] + (1 - rho) * d * d;                                           \
            gg[i] = a;                                                                       \
            uu[i] = b;                                                                       \
            p[i] -= in_place ? RG_SQRT((b + eps) / (a + eps)) * g[i] : d;                    \
        }                                                                                    \
    }                                                                                        \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                      \
    {                                                                                        \
        T *p = rg_out_data(ctx, PARAM_OUT), *gg = rg_out_data(ctx, AVG_GRAD_OUT);            \
        T *uu = rg_out_data(ctx, AVG_UPDATE_OUT);                                            \
        T rho = (T)rg_attr_float(ctx, RHO), eps = (T)rg_attr_float(ctx, EPSILON);            \
        const bool in_place = rg_in(ctx, AVG_UPDATE) == rg_out(ctx, AVG_UPDATE_OUT);         \
        while (rg_walk_next(g))                                                             \
            step_##S(p + g->at, gg + g->at, uu + g->at, g->grad, rho, eps, in_place, g->n);  \
    }
RG_FLOATS(STEP)

static rg_status adadelta_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_adadelta = {
    .type = "adadelta",
    .doc = "Adadelta: steps scaled by running means of squared gradients and steps.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"}, [GRAD] = {"Grad", "dense or sparse", RG_ANY_KIND},
                   [AVG_GRAD] = {"AvgSquaredGrad", "running mean of squared gradients"},
                   [AVG_UPDATE] = {"AvgSquaredUpdate", "running mean of squared steps"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [AVG_GRAD_OUT] = {"AvgSquaredGradOut", ""},
                    [AVG_UPDATE_OUT] = {"AvgSquaredUpdateOut", ""}),
    .attr =
        RG_ATTRS([RHO] = RG_FLOAT("rho", 0.95f, "decay of both means"), [EPSILON] = RG_FLOAT(
                                                                            "epsilon", 1.0e-6f,
                                                                            "added to both means")),
    .update = &update,
    .infer = adadelta_infer,
    .kernel = adadelta_kernel,
};
