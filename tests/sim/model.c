/* model.c - the smallest programs that use what servers have: a table of rows, dense variables, and
 * an optimizer with a memory. */
#include "sim/model.h"

#include "capi/session_priv.h"
#include "dist/mode.h"
#include "ir/backward.h"

#include <stdio.h>

#define RATE "rate"

typedef struct builder {
    rg_session *session;
    int main, startup;
} builder;

/* ---- variables ---- */

static rg_status add_data(const builder *b, const char *name, rg_type type, int64_t width)
{
    return (rg_status)rg_session_add_var(b->session, b->main, name, RG_USE_DATA, type,
                                         (const int64_t[]){-1, width}, 2);
}

/* A variable that is kept, with its start value: a number, or (random) numbers below it. */
static rg_status add_kept(const builder *b, const char *name, rg_use use, const int64_t *dims,
                          int rank, double start, bool random)
{
    RG_TRY(rg_session_add_var(b->session, b->main, name, use, RG_TYPE_FLOAT32, dims, rank));
    RG_TRY(rg_session_add_var(b->session, b->startup, name, use, RG_TYPE_FLOAT32, dims, rank));
    const rg_attribute shape = {.name = "shape",
                                .type = RG_ATTRIBUTE_INTS,
                                .list = dims,
                                .n = rank},
                       type = {.name = "dtype", .type = RG_ATTRIBUTE_INT, .number = 5},
                       low = {.name = "min", .type = RG_ATTRIBUTE_FLOAT, .real = -start},
                       high = {.name = "max", .type = RG_ATTRIBUTE_FLOAT, .real = start},
                       seed = {.name = "seed", .type = RG_ATTRIBUTE_INT, .number = 7},
                       value = {.name = "value", .type = RG_ATTRIBUTE_FLOAT, .real = start};
    return (rg_status)rg_session_add_op(
        b->session, b->startup, random ? "uniform_random" : "fill_constant", NULL,
        (const rg_argument[]){{"Out", name}, {NULL}},
        random ? (const rg_attribute[]){shape, type, low, high, seed, {NULL}}
               : (const rg_attribute[]){shape, type, value, {NULL}});
}

static rg_status add_parameter(const builder *b, const char *name, int64_t rows, int64_t width,
                               double start)
{
    return add_kept(b, name, RG_USE_PARAMETER, (const int64_t[]){rows, width}, 2, start,
                    start != 0);
}

/* ---- ops ---- */

static rg_status add_op(const builder *b, const char *type, const char *x, const char *y,
                        const char *out)
{
    return (rg_status)rg_session_add_op(
        b->session, b->main, type, (const rg_argument[]){{"X", x}, {y ? "Y" : NULL, y}, {NULL}},
        (const rg_argument[]){{"Out", out}, {NULL}}, NULL);
}

static rg_status add_lookup(const builder *b, const char *out)
{
    return (rg_status)rg_session_add_op(
        b->session, b->main, "lookup_table",
        (const rg_argument[]){{"W", "table"}, {"Ids", "ids"}, {NULL}},
        (const rg_argument[]){{"Out", out}, {NULL}},
        (const rg_attribute[]){{.name = "is_sparse", .type = RG_ATTRIBUTE_INT, .number = 1},
                               {NULL}});
}

/* mean((table[ids] w + b - y)^2) */
static rg_status add_words(const builder *b)
{
    RG_TRY(add_data(b, "ids", RG_TYPE_INT64, 1));
    RG_TRY(add_data(b, "y", RG_TYPE_FLOAT32, 1));
    RG_TRY(add_parameter(b, "table", MODEL_ROWS, MODEL_WIDTH, 0.5));
    RG_TRY(add_parameter(b, "w", MODEL_WIDTH, 1, 0.5));
    RG_TRY(add_parameter(b, "b", 1, 1, 0));
    RG_TRY(add_lookup(b, "rows"));
    RG_TRY(add_op(b, "mul", "rows", "w", "product"));
    RG_TRY(add_op(b, "elementwise_add", "product", "b", "guess"));
    RG_TRY(add_op(b, "elementwise_sub", "guess", "y", "error"));
    RG_TRY(add_op(b, "square", "error", NULL, "squared"));
    return add_op(b, "mean", "squared", NULL, "loss");
}

/* mean(table[ids] + x w), of one example, whose x is 1: each gradient is 1. */
static rg_status add_ledger(const builder *b)
{
    RG_TRY(add_data(b, "ids", RG_TYPE_INT64, 1));
    RG_TRY(add_data(b, "y", RG_TYPE_FLOAT32, 1));
    RG_TRY(add_parameter(b, "table", MODEL_ROWS, 1, 0));
    RG_TRY(add_parameter(b, "w", 1, 1, 0));
    RG_TRY(add_lookup(b, "rows"));
    RG_TRY(add_op(b, "mul", "y", "w", "product"));
    RG_TRY(add_op(b, "elementwise_add", "rows", "product", "sum"));
    return add_op(b, "mean", "sum", NULL, "loss");
}

/* ---- optimizers ---- */

static rg_status add_state(const builder *b, const char *param, const char *what, bool one,
                           double start, char name[64])
{
    rg_session_parts parts;
    RG_TRY(rg_session_borrow(b->session, b->main, &parts));
    const rg_shape *shape = &rg_block_var(parts.program->blocks[0], param)->meta.shape;
    (void)snprintf(name, 64, "%s_%s", param, what);
    return add_kept(b, name, RG_USE_KEPT, one ? (const int64_t[]){1} : shape->dim,
                    one ? 1 : shape->rank, start, false);
}

static rg_status add_sgd(const builder *b, const rg_grad_pair *p)
{
    return (rg_status)rg_session_add_op(
        b->session, b->main, "sgd",
        (const rg_argument[]){{"Param", p->var}, {"Grad", p->grad}, {"LearningRate", RATE}, {NULL}},
        (const rg_argument[]){{"ParamOut", p->var}, {NULL}}, NULL);
}

static rg_status add_momentum(const builder *b, const rg_grad_pair *p)
{
    char velocity[64];
    RG_TRY(add_state(b, p->var, "velocity", false, 0, velocity));
    return (rg_status)rg_session_add_op(
        b->session, b->main, "momentum",
        (const rg_argument[]){{"Param", p->var},
                              {"Grad", p->grad},
                              {"Velocity", velocity},
                              {"LearningRate", RATE},
                              {NULL}},
        (const rg_argument[]){{"ParamOut", p->var}, {"VelocityOut", velocity}, {NULL}},
        (const rg_attribute[]){{.name = "mu", .type = RG_ATTRIBUTE_FLOAT, .real = 0.9}, {NULL}});
}

static rg_status add_adam(const builder *b, const rg_grad_pair *p)
{
    char m1[64], m2[64], b1[64], b2[64];
    RG_TRY(add_state(b, p->var, "moment1", false, 0, m1));
    RG_TRY(add_state(b, p->var, "moment2", false, 0, m2));
    RG_TRY(add_state(b, p->var, "beta1_pow", true, 0.9, b1));
    RG_TRY(add_state(b, p->var, "beta2_pow", true, 0.999, b2));
    return (rg_status)rg_session_add_op(b->session, b->main, "adam",
                                        (const rg_argument[]){{"Param", p->var},
                                                              {"Grad", p->grad},
                                                              {"LearningRate", RATE},
                                                              {"Moment1", m1},
                                                              {"Moment2", m2},
                                                              {"Beta1Pow", b1},
                                                              {"Beta2Pow", b2},
                                                              {NULL}},
                                        (const rg_argument[]){{"ParamOut", p->var},
                                                              {"Moment1Out", m1},
                                                              {"Moment2Out", m2},
                                                              {"Beta1PowOut", b1},
                                                              {"Beta2PowOut", b2},
                                                              {NULL}},
                                        NULL);
}

static rg_status minimize(const builder *b, const model_config *config)
{
    static rg_status (*const adders[])(const builder *,
                                       const rg_grad_pair *) = {add_sgd, add_momentum, add_adam};
    static const char *const names[] = {"table", "w", "b"};
    int n = config->kind == MODEL_WORDS ? 3 : 2;
    rg_grad_pair pairs[3];
    rg_session_parts parts;
    RG_TRY(rg_session_borrow(b->session, b->main, &parts));
    RG_TRY(rg_append_backward(parts.program->blocks[0], "loss", names, n, pairs, NULL));
    RG_TRY(add_kept(b, RATE, RG_USE_KEPT, (const int64_t[]){1}, 1,
                    config->kind == MODEL_LEDGER ? 1 : 0.1, false));
    parts.program->op_role = RG_ROLE_OPTIMIZE;
    for (int i = 0; i < n; i++)
        RG_TRY(adders[config->optimizer](b, &pairs[i]));
    parts.program->op_role = RG_ROLE_FORWARD;
    return RG_OK;
}

/* ---- the programs of a job ---- */

static rg_status transpile(model *out, const builder *b, const model_config *config, int trainer)
{
    const rg_mode *mode;
    rg_transpiler *t;
    rg_session_parts main, startup;
    RG_TRY(rg_session_borrow(b->session, b->main, &main));
    RG_TRY(rg_session_borrow(b->session, b->startup, &startup));
    RG_TRY(rg_mode_find(config->mode, &mode));
    const rg_transpile_config how = {.mode = &mode->programs,
                                     .trainer_id = trainer,
                                     .trainers = config->trainers,
                                     .endpoints = config->endpoints,
                                     .n_endpoints = config->servers,
                                     .slice = true,
                                     .min_block = RG_MIN_BLOCK,
                                     .geo_push_nums = 2};
    RG_TRY(rg_transpiler_open(&t, main.program, startup.program, &how));
    out->main = main.program;
    out->startup = startup.program;
    RG_TRY(rg_transpile_trainer(t, out->main, out->startup));
    for (int s = 0; s < config->servers; s++) {
        RG_TRY(rg_transpile_server(t, config->endpoints[s], &out->server[s]));
        RG_TRY(rg_transpile_server_startup(t, config->endpoints[s], NULL, &out->server_startup[s]));
    }
    out->n_slices = rg_transpiler_n_slices(t);
    for (int i = 0; i < out->n_slices; i++) {
        rg_param_slice slice = rg_transpiler_slice(t, i);
        out->slices[i].name = slice.name;
        out->slices[i].endpoint = slice.endpoint;
    }
    return RG_OK; /* the transpiler stays: the names are its own */
}

rg_status model_make(model *out, const model_config *config, int trainer)
{
    builder b;
    *out = (model){0};
    RG_TRY(rg_session_open(&b.session));
    RG_TRY(rg_session_new_program(b.session, &b.main));
    RG_TRY(rg_session_new_program(b.session, &b.startup));
    RG_TRY(config->kind == MODEL_WORDS ? add_words(&b) : add_ledger(&b));
    RG_TRY(minimize(&b, config));
    return transpile(out, &b, config, trainer);
}
