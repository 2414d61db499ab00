/* mode_geo.c - geo: each trainer trains a copy of its own, and now and then they are brought
 * together.
 *
 * The optimizer stays in the trainer's program, and one `send` at its end stands for all
 * parameters. Every `push_nums` steps, of each parameter w with N trainers, and w' as it was after
 * the last exchange:
 *
 *   delta = (w - w') / N      w' += delta      send delta; the server adds it to its own
 *   receive the server's s    w += s - w'      w' = s
 *
 * Of a table only rows that this trainer has looked up since, and rows that others changed. Where
 * the optimizer moves other rows too (momentum, adam that is not lazy), all that have moved. */
#include "dist/mode.h"

#include "base/mem.h"
#include "dist/geo_trainer.h"
#include "dist/serve_members.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "ir/update.h"
#include "math/vector.h"
#include "pass/uses.h"
#include "rpc/body.h"

#include <string.h>

/* ---- a server: what changed is added, and rows that others changed go back ---- */

/* Rows that a trainer does not know yet, of one table in one shard. Owned. */
typedef struct news {
    int64_t *ids;
    float *rows;
    size_t n;
} news;

/* Of each variable those of each shard. */
static news *news_of(const rg_pushing *p, size_t var)
{
    return (news *)p->mine + var * (size_t)p->spread.engine->n_shards;
}

/* The answer has gone, or is not to be. */
static void release_push(void *arg)
{
    rg_pushing *p = arg;
    const rg_engine *s = p->spread.engine;
    for (size_t i = 0; p->mine != NULL && i < s->schema.n * (size_t)s->n_shards; i++) {
        rg_body_free(((news *)p->mine)[i].ids);
        rg_body_free(((news *)p->mine)[i].rows);
    }
    rg_pushing_end(p);
}

/* Rows count as told when the trainer says that it has the answer, with its next push: this one
 * may be lost. */
static rg_status list_changed(rg_served *var, int trainer, news *out)
{
    size_t n = rg_geo_rows_count(var->changed, trainer);
    size_t bytes = n * (size_t)var->about->width * sizeof(float);
    out->ids = rg_body_alloc((n + 1) * sizeof *out->ids);
    out->rows = rg_body_alloc(bytes + 1);
    if (out->ids == NULL || out->rows == NULL)
        return rg_no_memory(bytes, "rows that changed");
    RG_TRY(rg_geo_rows_list(var->changed, trainer, out->ids, n, &out->n, &var->told[trainer]));
    return rg_served_tell(var, out->ids, out->n, out->rows);
}

static rg_status add_push(rg_shard *shard, const rg_pushing *p)
{
    const rg_engine *s = shard->engine;
    for (uint32_t i = 0; i < p->push.n_dense; i++) {
        const rg_served *var = &shard->vars[p->push.dense[i]];
        if (s->owners[p->push.dense[i]] == shard->number)
            rg_add_f32(var->param->data, p->push.values[i], var->about->rows * var->about->width);
    }
    return rg_serve_apply_rows(shard, p);
}

/* What was told before comes first: this push may change the same rows. */
static rg_status push_part(rg_spread *spread, rg_shard *shard)
{
    rg_pushing *p = (rg_pushing *)spread;
    const rg_engine *s = spread->engine;
    int trainer = (int)(p->trainer - s->trainers);
    for (size_t v = 0; !p->came && p->push.taken && v < s->schema.n; v++)
        rg_served_heard(&shard->vars[v], trainer);
    if (!p->came)
        RG_TRY(add_push(shard, p));
    rg_pushing_copy_values(p, shard);
    /* Who has heard another answer to it takes none of this one. */
    bool heard = (rg_rpc_request_flags(p->request) & RG_FRAME_HEARD) != 0;
    for (size_t v = 0; !heard && v < s->schema.n; v++)
        if (shard->vars[v].changed != NULL)
            RG_TRY(list_changed(&shard->vars[v], trainer, news_of(p, v) + shard->number));
    return RG_OK;
}

/* Pieces of the answer behind the dense values: {u32 variable, u32 n}, ids, rows, padded. */
static size_t add_news(const rg_pushing *p, uint32_t var, uint32_t head[2], rg_iov *iov)
{
    static const uint8_t zeros[RG_PS_ALIGN];
    const rg_engine *s = p->spread.engine;
    const news *of_shards = news_of(p, var);
    size_t pieces = 0, total = 0, row = (size_t)s->schema.vars[var].width * sizeof(float);
    iov[pieces++] = (rg_iov){head, 2 * sizeof *head};
    for (int k = 0; k < s->n_shards; k++) {
        iov[pieces++] = (rg_iov){of_shards[k].ids, of_shards[k].n * sizeof(int64_t)};
        total += of_shards[k].n;
    }
    for (int k = 0; k < s->n_shards; k++)
        iov[pieces++] = (rg_iov){of_shards[k].rows, of_shards[k].n * row};
    iov[pieces++] = (rg_iov){zeros, rg_ps_padded(total * row) - total * row};
    head[0] = var;
    head[1] = (uint32_t)total;
    return pieces;
}

static void end_push(rg_spread *spread)
{
    rg_pushing *p = (rg_pushing *)spread;
    rg_engine *s = spread->engine;
    size_t n = s->schema.n, pieces = 0;
    rg_iov *iov = rg_arena_alloc(&p->arena, (1 + n * (size_t)(2 * s->n_shards + 2)) * sizeof *iov);
    uint32_t(*heads)[2] = rg_arena_alloc(&p->arena, (n + 1) * sizeof *heads);
    if (spread->code != RG_OK)
        rg_serve_fail_half(p);
    if (spread->code != RG_OK || iov == NULL || heads == NULL) {
        rg_rpc_refuse(p->request, spread->code != RG_OK ? spread->code : RG_ENOMEM, "%s",
                      spread->code != RG_OK ? spread->why : "no memory");
        release_push(p);
        return;
    }
    iov[pieces++] = (rg_iov){p->values, p->n_values};
    for (uint32_t v = 0; v < n; v++)
        if (rg_serve_var(s, v)->changed != NULL)
            pieces += add_news(p, v, heads[v], iov + pieces);
    rg_rpc_reply(p->request, rg_payload_to_flags(p->back), iov, pieces, release_push, p);
}

/* Every shard has a part in it: there may be news anywhere. */
static void pushed(rg_engine *s, rg_pushing *p)
{
    p->mine = rg_arena_zero(&p->arena, (s->schema.n + 1) * (size_t)s->n_shards * sizeof(news));
    rg_status code = p->mine != NULL ? rg_pushing_make_room(p) : rg_no_memory(1, "a push");
    if (code == RG_OK) {
        rg_spread_start(&p->spread, rg_serve_all_shards(s), push_part, end_push);
        return;
    }
    rg_refuse_with_message(p->request, code);
    release_push(p);
}

/* ---- the programs ---- */

/* Whether a step moves rows of the table that have no gradient in it. */
static bool moves_any_row(const rg_dist_param *param)
{
    return param->table && rg_update_of(param->update) != NULL &&
           rg_update_moves_idle(param->update);
}

static rg_status add_moving(rg_transpiler *t, rg_opdesc *op)
{
    const char **tables = rg_arena_alloc(&t->arena, (size_t)t->n_params * sizeof *tables + 1);
    int n = 0;
    if (tables == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < t->n_params; i++)
        if (moves_any_row(&t->params[i]))
            tables[n++] = t->params[i].name;
    return n > 0 ? rg_edit_strings(op, "geo_moving", n, tables) : RG_OK;
}

static rg_status add_attrs(rg_transpiler *t, rg_opdesc *op)
{
    int n = rg_transpiler_n_slices(t);
    const char **params = rg_arena_alloc(&t->arena, (size_t)n * sizeof *params);
    const char **names = rg_arena_alloc(&t->arena, (size_t)n * sizeof *names);
    const char **endpoints = rg_arena_alloc(&t->arena, (size_t)n * sizeof *endpoints);
    int64_t *rows = rg_arena_alloc(&t->arena, (size_t)n * sizeof *rows);
    if (!params || !names || !endpoints || !rows)
        return rg_transpile_no_memory();
    for (int i = 0; i < n; i++) {
        rg_param_slice slice = rg_transpiler_slice(t, i);
        params[i] = slice.param;
        names[i] = slice.name;
        endpoints[i] = slice.endpoint;
        rows[i] = slice.rows;
    }
    RG_TRY(rg_edit_int(op, "trainer_id", t->config.trainer_id));
    RG_TRY(add_moving(t, op));
    RG_TRY(rg_edit_strings(op, "epmap", n, endpoints));
    RG_TRY(rg_edit_strings(op, "geo_params", n, params));
    RG_TRY(rg_edit_strings(op, "geo_slices", n, names));
    RG_TRY(rg_edit_longs(op, "geo_sections", n, rows));
    RG_TRY(rg_edit_int(op, "geo_push_nums", t->config.geo_push_nums));
    return rg_edit_int(op, "geo_trainers", t->config.trainers);
}
/* One send: the ids that were looked up, and in which table each. */
static rg_status geo_main(rg_trainer *r)
{
    rg_transpiler *t = r->t;
    size_t n_ops = r->block->n_ops;
    const char **ids = rg_arena_alloc(&t->arena, n_ops * sizeof *ids);
    const char **tables = rg_arena_alloc(&t->arena, n_ops * sizeof *tables), *control;
    rg_opdesc *op;
    int n = 0;
    if (ids == NULL || tables == NULL)
        return rg_transpile_no_memory();
    for (size_t i = 0; i < n_ops; i++)
        for (int k = 0; k < t->n_params; k++)
            if (t->params[k].table && rg_looks_up(r->block->ops[i], t->params[k].name)) {
                RG_TRY(rg_edit_bool(r->block->ops[i], "remote_prefetch", false));
                ids[n] = rg_one_in(r->block->ops[i], "Ids");
                tables[n++] = t->params[k].name;
            }
    RG_TRY(rg_add_control(r, &control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send", RG_ROLE_RPC, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", n, ids));
    RG_TRY(rg_edit_out(op, "Out", control));
    RG_TRY(rg_edit_strings(op, "send_varnames", n, tables));
    RG_TRY(add_attrs(t, op));
    return rg_opdesc_infer(op);
}

/* The snapshot that changes are counted from is taken here. */
static rg_status geo_startup(rg_trainer *r)
{
    const char *control, *init = "param_init";
    rg_vardesc *var;
    rg_opdesc *op;
    RG_TRY(rg_block_add_var(r->block, init, &var));
    var->meta.dtype = RG_BOOL;
    var->has_tensor = true;
    RG_TRY(rg_add_control(r, &control));
    RG_TRY(rg_edit_op(r->block, r->block->n_ops, "send", RG_ROLE_RPC, &op));
    RG_TRY(rg_edit_in(op, "X", init));
    RG_TRY(rg_edit_out(op, "Out", control));
    RG_TRY(rg_edit_strings(op, "send_varnames", 1, &init));
    RG_TRY(add_attrs(r->t, op));
    return rg_opdesc_infer(op);
}

/* Trainers send what changed, and it is added. */
static rg_status server_update(rg_server_program *s, const rg_dist_param *param,
                               const rg_part *part)
{
    rg_transpiler *t = rg_server_transpiler(s);
    const char *names[2] = {part->name, rg_text(t, "%s.delta", part->name)};
    rg_block *block;
    rg_opdesc *op;
    RG_TRY(rg_server_declare(s, names[1], param->grad_var, &part->shape, false));
    RG_TRY(rg_server_add_block(s, param, part, names[1], &block));
    RG_TRY(rg_edit_op(block, 0, "sum", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", 2, names));
    RG_TRY(rg_edit_out(op, "Out", part->name));
    return rg_opdesc_infer(op);
}

static rg_status check(const rg_transpile_config *c)
{
    if (c->sum_gradients)
        return rg_fail(RG_EINVAL, "in geo servers get no gradients that they could sum");
    if (c->geo_push_nums < 1)
        return rg_fail(RG_EINVAL, "geo_sgd_need_push_nums is %d, and must be at least 1",
                       c->geo_push_nums);
    return rg_refuse_dc_asgd(c);
}

const rg_mode rg_mode_geo = {
    .programs = {.name = "geo",
                 .number = 3,
                 .updates = true,
                 .check = check,
                 .trainer = geo_main,
                 .startup = geo_startup,
                 .server = server_update},
    .only_floats = "what a trainer has not yet pushed would be rounded away",
    .send = rg_geo_send,
    .skip = rg_geo_skip,
    .close = rg_geo_close,
    .pushed = pushed,
};
