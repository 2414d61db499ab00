/* transpile.c - opening a transpiler: how parameters are cut, and which server gets what.
 *
 * A variable of n elements is cut into k = min(servers, n / min_block) slices of whole rows
 * (at least one), of ceil(n / k) elements rounded up to a row; slices are dealt to the
 * servers in turn, one turn going on over all parameters. Where some servers are for tables alone,
 * "the servers" are those, or the others. */
#include "pass/transpile_priv.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rg_status rg_transpile_no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory to transpile a program");
}

const char *rg_text(rg_transpiler *t, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text) {
        (void)rg_fail(RG_ETOOBIG, "a name of %d characters", n);
        return NULL;
    }
    return rg_arena_strdup(&t->arena, text);
}

const char *rg_sent_name(rg_transpiler *t, const rg_part *part, int id)
{
    return rg_by_trainer(t) && id >= 0 ? rg_text(t, "%s.trainer_%d", part->grad, id) : part->grad;
}

const char *rg_counter_name(rg_transpiler *t, int id)
{
    return id >= 0 ? rg_text(t, "%s.trainer_%d", t->counter, id)
                   : rg_text(t, "%s.trainer", t->counter);
}

rg_status rg_find_endpoint(const rg_transpiler *t, const char *endpoint, int *index)
{
    for (int i = 0; i < t->config.n_endpoints; i++)
        if (strcmp(t->config.endpoints[i], endpoint) == 0) {
            *index = i;
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "%s is none of the servers that transpile() was given (%s%s)",
                   endpoint, t->config.endpoints[0], t->config.n_endpoints > 1 ? ", ..." : "");
}

/* ---- slices ---- */

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The servers that a parameter may live on. */
typedef struct range {
    int first, n;
} range;

static range servers_of(const rg_transpile_config *c, const rg_dist_param *param)
{
    int rest = c->n_endpoints - c->n_sparse;
    if (c->n_sparse == 0)
        return (range){0, c->n_endpoints};
    return param->table ? (range){rest, c->n_sparse} : (range){0, rest};
}

static rg_status cut(rg_transpiler *t, rg_dist_param *param)
{
    const rg_shape *shape = &param->var->meta.shape;
    int64_t n = rg_shape_numel(shape), row = rg_shape_product(shape, 1, shape->rank);
    if (n <= 0 || shape->rank == 0)
        return rg_fail(RG_EINVAL, "the shape of the parameter %s is not known", param->name);
    int64_t k = t->config.slice ? n / t->config.min_block : 1;
    if (k > servers_of(&t->config, param).n)
        k = servers_of(&t->config, param).n;
    if (k < 1)
        k = 1;
    int64_t block = round_up((n + k - 1) / k, row);
    k = (n + block - 1) / block;
    param->n_parts = (int)k;
    param->parts = rg_arena_zero(&t->arena, (size_t)k * sizeof *param->parts);
    if (param->parts == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < param->n_parts; i++) {
        rg_part *part = &param->parts[i];
        bool last = i + 1 == param->n_parts;
        part->begin = i * (block / row);
        part->shape = *shape;
        part->shape.dim[0] = (last ? n - i * block : block) / row;
        part->suffix = "";
        part->name = k == 1 ? param->name : rg_text(t, "%s.block%d", param->name, i);
        part->grad = k == 1 ? param->grad : rg_text(t, "%s.block%d", param->grad, i);
        if (part->name == NULL || part->grad == NULL)
            return rg_transpile_no_memory();
    }
    return RG_OK;
}

/* Two slices of one parameter on one server: the second one's optimizer needs names of its
 * own for what it keeps. */
static rg_status tell_apart(rg_transpiler *t, rg_dist_param *param)
{
    for (int i = 1; i < param->n_parts; i++)
        for (int k = 0; k < i; k++)
            if (param->parts[k].endpoint == param->parts[i].endpoint &&
                (param->parts[i].suffix = rg_text(t, ".block%d", i)) == NULL)
                return rg_transpile_no_memory();
    return RG_OK;
}

static rg_status deal(rg_transpiler *t)
{
    const rg_transpile_config *c = &t->config;
    int turns[2] = {0}; /* of the servers for tables alone, and of the others */
    for (int i = 0; i < t->n_params; i++) {
        rg_dist_param *param = &t->params[i];
        range servers = servers_of(c, param);
        int *turn = &turns[servers.first > 0];
        RG_TRY(cut(t, param));
        for (int k = 0; k < param->n_parts; k++) {
            rg_part *part = &param->parts[k];
            part->endpoint = servers.first +
                             (c->by_hash ? (int)(rg_hash_text(part->name) % (uint64_t)servers.n)
                                         : (*turn)++ % servers.n);
        }
        RG_TRY(tell_apart(t, param));
    }
    return RG_OK;
}

/* ---- opening ---- */

static rg_status check_config(const rg_transpile_config *c)
{
    if (c->mode == NULL)
        return rg_fail(RG_EINVAL, "no update mode");
    if (c->trainers < 1)
        return rg_fail(RG_EINVAL, "trainers is %d, and a job has at least one", c->trainers);
    if (c->trainer_id < -1 || c->trainer_id >= c->trainers)
        return rg_fail(RG_EINVAL, "trainer_id is %d, and there are %d trainers, counted from 0",
                       c->trainer_id, c->trainers);
    if (c->n_endpoints < 1)
        return rg_fail(RG_EINVAL, "pservers names no server");
    for (int i = 0; i < c->n_endpoints; i++) {
        if (c->endpoints[i][0] == '\0')
            return rg_fail(RG_EINVAL,
                           "pservers has an empty name; it is host:port, host:port, ...");
        for (int k = 0; k < i; k++)
            if (strcmp(c->endpoints[i], c->endpoints[k]) == 0)
                return rg_fail(RG_EINVAL, "pservers names %s twice", c->endpoints[i]);
    }
    if (c->n_sparse < 0 || c->n_sparse >= c->n_endpoints)
        return rg_fail(RG_EINVAL, "all %d servers are for tables, and none for the rest",
                       c->n_endpoints);
    if (c->min_block < RG_MIN_BLOCK)
        return rg_fail(RG_EINVAL, "min_block_size is %lld, and must be at least %d",
                       (long long)c->min_block, RG_MIN_BLOCK);
    return c->mode->check ? c->mode->check(c) : RG_OK;
}

rg_status rg_refuse_dc_asgd(const rg_transpile_config *config)
{
    return config->dc_asgd
               ? rg_fail(RG_EINVAL, "enable_dc_asgd makes up for the delay of asynchronous "
                                    "gradients, and needs sync_mode=False")
               : RG_OK;
}

static rg_status copy_config(rg_transpiler *t, const rg_transpile_config *config)
{
    t->config = *config;
    const char **endpoints = rg_arena_alloc(&t->arena,
                                            (size_t)config->n_endpoints * sizeof *endpoints);
    if (endpoints == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < config->n_endpoints; i++)
        if ((endpoints[i] = rg_arena_strdup(&t->arena, config->endpoints[i])) == NULL)
            return rg_transpile_no_memory();
    t->config.endpoints = endpoints;
    return RG_OK;
}

static rg_status check_tables(const rg_transpiler *t)
{
    for (int i = 0; i < t->n_params; i++)
        if (t->config.dc_asgd && t->params[i].grad_var->meta.kind == RG_ROWS)
            return rg_fail(RG_EUNIMPL,
                           "enable_dc_asgd keeps a copy of each parameter for each trainer, and "
                           "%s has sparse gradients; use is_sparse=False, or no DC-ASGD",
                           t->params[i].name);
    return RG_OK;
}

rg_status rg_transpiler_open(rg_transpiler **out, const rg_program *main, const rg_program *startup,
                             const rg_transpile_config *config)
{
    RG_TRY(check_config(config));
    rg_transpiler *t = rg_alloc_zero(1, sizeof *t);
    rg_status code = RG_OK;
    if (t == NULL)
        return rg_transpile_no_memory();
    RG_TRY_GOTO(code, rg_program_clone(&t->main, main, false));
    RG_TRY_GOTO(code, rg_program_clone(&t->startup, startup, false));
    RG_TRY_GOTO(code, copy_config(t, config));
    RG_TRY_GOTO(code, rg_find_params(t));
    RG_TRY_GOTO(code, deal(t));
    RG_TRY_GOTO(code, check_tables(t));
    *out = t;
    return RG_OK;
done:
    rg_transpiler_close(t);
    return code;
}

void rg_transpiler_close(rg_transpiler *t)
{
    if (t == NULL)
        return;
    rg_program_close(t->main);
    rg_program_close(t->startup);
    rg_arena_free(&t->arena);
    rg_free(t);
}

/* ---- asking ---- */

int rg_transpiler_n_slices(const rg_transpiler *t)
{
    int n = 0;
    for (int i = 0; i < t->n_params; i++)
        n += t->params[i].n_parts;
    return n;
}

rg_param_slice rg_transpiler_slice(const rg_transpiler *t, int i)
{
    const rg_dist_param *param = t->params;
    for (; i >= param->n_parts; param++)
        i -= param->n_parts;
    const rg_part *part = &param->parts[i];
    return (rg_param_slice){.param = param->name,
                            .name = part->name,
                            .grad = part->grad,
                            .endpoint = t->config.endpoints[part->endpoint],
                            .begin = part->begin,
                            .rows = part->shape.dim[0],
                            .height = param->var->meta.shape.dim[0],
                            .table = param->table};
}

const char *rg_transpiler_state(const rg_transpiler *t, const char *param, int i)
{
    for (int k = 0; k < t->n_params; k++)
        if (strcmp(t->params[k].name, param) == 0)
            return i < t->params[k].n_states ? t->params[k].states[i] : NULL;
    return NULL;
}

rg_status rg_counter_start(const rg_transpiler *t, float *start)
{
    const rg_block *block = t->startup->blocks[0];
    *start = 0;
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_attr *value = rg_opdesc_attr(block->ops[i], "value");
        if (!rg_op_writes(block->ops[i], t->counter))
            continue;
        if (value == NULL || value->type != RG_ATTR_FLOAT)
            return rg_fail(RG_EUNIMPL, "%s starts by op %s, and fill_constant is wanted",
                           t->counter, block->ops[i]->type);
        *start = value->f;
    }
    return RG_OK;
}
