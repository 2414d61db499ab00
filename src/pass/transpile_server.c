/* transpile_server.c - a server's programs.
 *
 * Main: block 0 declares what the server keeps and ends with listen_and_serv. Then come the
 * learning rate's block, if there is a schedule; a block for each slice of a parameter, which
 * adds up what the trainers sent (sync) and runs the optimizer; and a block with the
 * initialisers of tables, whose rows come to be when they are first touched. */
#include "pass/transpile_priv.h"

#include "base/mem.h"
#include "pass/uses.h"

#include <stdio.h>
#include <string.h>

enum { RPC_THREADS = 12 }; /* for each of reads, gradients, look-ups */

struct rg_server_program {
    rg_transpiler *t;
    int endpoint;
    rg_program *program;
    rg_block *root;
    rg_places places;
    const char **x, **grad_blocks, **sparse; /* attributes of listen_and_serv, as they grow */
    int n_x, n_grad_blocks, n_sparse;
    int32_t *blocks;
    int n_blocks;
    int schedule, table_init; /* blocks; -1: none */
};

/* ---- variables ---- */

rg_status rg_server_declare(rg_server_program *s, const char *name, const rg_vardesc *like,
                            const rg_shape *shape, bool persistable)
{
    rg_vardesc *var;
    if (name == NULL)
        return rg_transpile_no_memory();
    if (rg_block_var(s->root, name) != NULL)
        return RG_OK;
    RG_TRY(rg_edit_var(s->root, name, like, &var));
    var->meta.shape = *shape;
    var->persistable = persistable && (like->meta.kind == RG_TENSOR || like->meta.kind == RG_ROWS);
    var->is_parameter = var->trainable = var->is_data = false;
    return RG_OK;
}

/* Whatever an op uses and no sub-block of it declares. */
static rg_status declare_name(void *arg, const rg_opdesc *op, const char *name, bool output)
{
    rg_server_program *s = arg;
    const rg_vardesc *var = rg_block_find(op->block, name);
    (void)output;
    if (var == NULL || var->block->idx != 0)
        return RG_OK;
    return rg_server_declare(s, name, var, &var->meta.shape, true);
}

static rg_status declare_places(rg_server_program *s)
{
    for (size_t i = 0; i < s->places.n; i++) {
        const rg_placed *item = &s->places.items[i];
        RG_TRY(rg_server_declare(s, item->name, item->var, &item->shape, true));
    }
    return RG_OK;
}

/* ---- the learning rate ---- */

/* Steps are counted by the trainers: the count is the sum of theirs. */
static rg_status sum_counters(rg_server_program *s, rg_block *block)
{
    rg_transpiler *t = s->t;
    int n = t->config.trainers;
    const char **names = rg_arena_alloc(&t->arena, (size_t)n * sizeof *names);
    const rg_vardesc *like = rg_block_find(t->main->blocks[0], t->counter);
    rg_opdesc *op;
    if (names == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < n; i++) {
        names[i] = rg_counter_name(t, i);
        RG_TRY(rg_server_declare(s, names[i], like, &like->meta.shape, true));
    }
    RG_TRY(rg_server_declare(s, t->counter, like, &like->meta.shape, true));
    RG_TRY(rg_edit_op(block, block->n_ops, "sum", RG_ROLE_LR_SCHED, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", n, names));
    RG_TRY(rg_edit_out(op, "Out", t->counter));
    return rg_opdesc_infer(op);
}

static rg_status add_schedule(rg_server_program *s)
{
    rg_transpiler *t = s->t;
    const rg_block *main = t->main->blocks[0];
    rg_block *block;
    if (t->n_schedule == 0)
        return RG_OK;
    RG_TRY(rg_program_add_block(s->program, 0, &block));
    s->schedule = block->idx;
    for (size_t i = 0; i < main->n_ops; i++) {
        rg_opdesc *op;
        if (t->fate[i] != RG_SCHEDULES)
            continue;
        RG_TRY(rg_visit_names(main->ops[i], declare_name, s));
        if (t->config.mode->counts && t->counter != NULL && rg_is_type(main->ops[i], "increment") &&
            rg_op_writes(main->ops[i], t->counter)) {
            RG_TRY(sum_counters(s, block));
            continue;
        }
        RG_TRY(rg_edit_copy(block, main->ops[i], &op));
        RG_TRY(rg_opdesc_infer(op));
    }
    s->blocks[s->n_blocks++] = block->idx;
    return RG_OK;
}

/* ---- updates ---- */

/* The mean, or the sum, of what the trainers sent. */
static rg_status add_merge(rg_server_program *s, rg_block *block, const rg_dist_param *param,
                           const rg_part *part)
{
    int n = s->t->config.trainers;
    const char *const *names = &s->x[s->n_x];
    rg_opdesc *op;
    for (int i = 0; i < n; i++) {
        const char *name = rg_sent_name(s->t, part, i);
        RG_TRY(rg_server_declare(s, name, param->grad_var, &part->shape, false));
        s->x[s->n_x++] = name;
    }
    RG_TRY(rg_edit_op(block, block->n_ops, "sum", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", n, names));
    RG_TRY(rg_edit_out(op, "Out", part->grad));
    RG_TRY(rg_opdesc_infer(op));
    if (s->t->config.sum_gradients)
        return RG_OK;
    RG_TRY(rg_edit_op(block, block->n_ops, "scale", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_edit_in(op, "X", part->grad));
    RG_TRY(rg_edit_out(op, "Out", part->grad));
    RG_TRY(rg_edit_float(op, "scale", 1.0f / (float)n));
    return rg_opdesc_infer(op);
}

/* Give the copied op's variables the names they have beside that slice. */
static rg_status adapt_args(rg_server_program *s, const rg_dist_param *param, const rg_part *part,
                            rg_opdesc *op, const rg_args *args, int n)
{
    const rg_block *main = s->t->main->blocks[0];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++) {
            const char *name = args[i].names[k];
            const rg_vardesc *var = rg_block_find(main, name);
            if (var == NULL)
                continue;
            const char *here = rg_beside(s->t, param, part, name);
            rg_shape shape = rg_shape_beside(param, part, var);
            RG_TRY(rg_server_declare(s, here, var, &shape, true));
            if (here != name)
                RG_TRY(rg_opdesc_rename(op, name, here, true, true));
        }
    return RG_OK;
}

rg_transpiler *rg_server_transpiler(rg_server_program *s)
{
    return s->t;
}

rg_status rg_server_add_block(rg_server_program *s, const rg_dist_param *param, const rg_part *part,
                              const char *grad, rg_block **block)
{
    if (grad == NULL)
        return rg_transpile_no_memory();
    RG_TRY(rg_program_add_block(s->program, s->schedule < 0 ? 0 : s->schedule, block));
    s->blocks[s->n_blocks++] = (*block)->idx;
    const char *run = rg_text(s->t, "%s:%d", grad, (*block)->idx);
    const char *of = rg_text(s->t, "%s:%s", grad, part->name);
    if (run == NULL || of == NULL)
        return rg_transpile_no_memory();
    s->grad_blocks[s->n_grad_blocks++] = run;
    if (param->table)
        s->sparse[s->n_sparse++] = of;
    return RG_OK;
}

rg_status rg_server_add_update(rg_server_program *s, const rg_dist_param *param,
                               const rg_part *part)
{
    rg_block *block;
    rg_opdesc *op;
    RG_TRY(rg_server_add_block(s, param, part, part->grad, &block));
    RG_TRY(rg_server_declare(s, part->grad, param->grad_var, &part->shape, true));
    if (rg_by_trainer(s->t))
        RG_TRY(add_merge(s, block, param, part));
    else
        s->x[s->n_x++] = part->grad;
    for (int i = 0; i < param->n_ops; i++) {
        const rg_opdesc *from = param->ops[i];
        RG_TRY(rg_edit_copy(block, from, &op));
        RG_TRY(adapt_args(s, param, part, op, from->in, from->n_in));
        RG_TRY(adapt_args(s, param, part, op, from->out, from->n_out));
        RG_TRY(rg_opdesc_infer(op));
    }
    return RG_OK;
}

/* DC-ASGD: the parameter as each trainer last saw it. */
static rg_status add_backups(rg_server_program *s, const rg_dist_param *param, const rg_part *part)
{
    for (int i = 0; s->t->config.dc_asgd && i < s->t->config.trainers; i++)
        RG_TRY(rg_server_declare(s, rg_text(s->t, "%s.trainer_%d_bak", part->name, i), param->var,
                                 &part->shape, true));
    return RG_OK;
}

static rg_status add_part(rg_server_program *s, const rg_dist_param *param, const rg_part *part)
{
    const rg_mode_programs *mode = s->t->config.mode;
    RG_TRY(add_backups(s, param, part));
    return mode->server ? mode->server(s, param, part) : rg_server_add_update(s, param, part);
}

/* ---- listen_and_serv ---- */

static rg_status set_slices(rg_server_program *s, rg_opdesc *op)
{
    size_t n = s->places.n;
    rg_arena *arena = &s->t->arena;
    const char **names = rg_arena_alloc(arena, n * sizeof *names);
    const char **origins = rg_arena_alloc(arena, n * sizeof *origins);
    int64_t *begins = rg_arena_alloc(arena, n * sizeof *begins);
    int64_t *heights = rg_arena_alloc(arena, n * sizeof *heights);
    int count = 0;
    if (!names || !origins || !begins || !heights)
        return rg_transpile_no_memory();
    for (size_t i = 0; i < n; i++) {
        const rg_placed *item = &s->places.items[i];
        if (!item->sliced)
            continue;
        names[count] = item->name;
        origins[count] = item->origin;
        begins[count] = item->part->begin;
        heights[count++] = item->var->meta.shape.dim[0];
    }
    RG_TRY(rg_edit_strings(op, "slices", count, names));
    RG_TRY(rg_edit_strings(op, "slice_origins", count, origins));
    RG_TRY(rg_edit_longs(op, "slice_begins", count, begins));
    return rg_edit_longs(op, "slice_heights", count, heights);
}

static rg_status set_tables(rg_server_program *s, rg_opdesc *op)
{
    const char **names = rg_arena_alloc(&s->t->arena, s->places.n * sizeof *names);
    const char **entries = rg_arena_alloc(&s->t->arena, s->places.n * sizeof *entries);
    bool any = false;
    int32_t *grows = rg_arena_alloc(&s->t->arena, s->places.n * sizeof *grows);
    int n = 0;
    if (names == NULL || grows == NULL || entries == NULL)
        return rg_transpile_no_memory();
    for (int i = 0; i < s->t->n_params; i++)
        for (int k = 0; s->t->params[i].born && k < s->t->params[i].n_parts; k++) {
            const rg_part *part = &s->t->params[i].parts[k];
            if (part->endpoint != s->endpoint)
                continue;
            names[n] = part->name;
            entries[n] = s->t->params[i].entry;
            any = any || entries[n][0] != '\0';
            grows[n++] = s->t->params[i].grows && k + 1 == s->t->params[i].n_parts;
        }
    RG_TRY(rg_edit_strings(op, "tables", n, names));
    RG_TRY(rg_opdesc_set_attr(
        op, &(rg_attr){.name = "table_grows", .type = RG_ATTR_INTS, .n = n, .ints = grows}));
    if (any)
        RG_TRY(rg_edit_strings(op, "table_entries", n, entries));
    return rg_edit_int(op, "table_init_block_id", s->table_init);
}

static rg_status add_listen(rg_server_program *s)
{
    const rg_transpile_config *c = &s->t->config;
    rg_opdesc *op;
    RG_TRY(rg_edit_op(s->root, s->root->n_ops, "listen_and_serv", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_opdesc_set_in(op, "X", s->n_x, s->x));
    RG_TRY(rg_edit_string(op, "endpoint", c->endpoints[s->endpoint]));
    RG_TRY(rg_edit_int(op, "pserver_id", s->endpoint));
    RG_TRY(rg_edit_int(op, "Fanin", c->trainers));
    RG_TRY(rg_edit_int(op, "distributed_mode", c->mode->number));
    RG_TRY(rg_edit_bool(op, "dc_asgd", c->dc_asgd));
    if (c->sum_gradients)
        RG_TRY(rg_edit_bool(op, "sum_gradients", true));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "optimize_blocks",
                                             .type = RG_ATTR_BLOCKS,
                                             .n = s->n_blocks,
                                             .ints = s->blocks}));
    RG_TRY(rg_edit_strings(op, "grad_to_block_id", s->n_grad_blocks, s->grad_blocks));
    RG_TRY(rg_edit_strings(op, "sparse_grad_to_param", s->n_sparse, s->sparse));
    RG_TRY(rg_edit_int(op, "lr_decay_block_id", s->schedule));
    RG_TRY(rg_edit_int(op, "rpc_get_thread_num", RPC_THREADS));
    RG_TRY(rg_edit_int(op, "rpc_send_thread_num", RPC_THREADS));
    RG_TRY(rg_edit_int(op, "rpc_prefetch_thread_num", RPC_THREADS));
    RG_TRY(set_slices(s, op));
    RG_TRY(set_tables(s, op));
    return rg_opdesc_infer(op);
}

/* ---- the two programs ---- */

static rg_status add_table_init(rg_server_program *s)
{
    rg_block *block;
    bool any = false;
    for (size_t i = 0; i < s->places.n; i++)
        any |= s->places.items[i].born;
    if (!any)
        return RG_OK;
    RG_TRY(rg_program_add_block(s->program, 0, &block));
    s->table_init = block->idx;
    return rg_add_initialisers(s->t->startup, &s->places, true, block);
}

static rg_status fill_main(rg_server_program *s)
{
    rg_transpiler *t = s->t;
    size_t n = (size_t)rg_transpiler_n_slices(t) * (size_t)t->config.trainers + 1;
    s->x = rg_arena_alloc(&t->arena, n * sizeof *s->x);
    s->grad_blocks = rg_arena_alloc(&t->arena, n * sizeof *s->grad_blocks);
    s->sparse = rg_arena_alloc(&t->arena, n * sizeof *s->sparse);
    s->blocks = rg_arena_alloc(&t->arena, n * sizeof *s->blocks);
    if (!s->x || !s->grad_blocks || !s->sparse || !s->blocks)
        return rg_transpile_no_memory();
    RG_TRY(rg_places_make(t, s->endpoint, &s->places));
    RG_TRY(declare_places(s));
    if (!t->config.mode->updates)
        RG_TRY(add_schedule(s));
    for (int i = 0; i < t->n_params; i++)
        for (int k = 0; k < t->params[i].n_parts; k++)
            if (t->params[i].parts[k].endpoint == s->endpoint)
                RG_TRY(add_part(s, &t->params[i], &t->params[i].parts[k]));
    RG_TRY(add_table_init(s));
    return add_listen(s);
}

static rg_status open_program(rg_server_program *s, rg_transpiler *t, const char *endpoint,
                              const rg_program *like)
{
    *s = (rg_server_program){.t = t, .schedule = -1, .table_init = -1};
    RG_TRY(rg_find_endpoint(t, endpoint, &s->endpoint));
    RG_TRY(rg_program_open(&s->program));
    s->program->random_seed = like->random_seed;
    s->program->file_version = like->file_version;
    s->program->has_file_version = like->has_file_version;
    s->root = s->program->blocks[0];
    return RG_OK;
}

static rg_status close_or_give(rg_server_program *s, rg_status code, rg_program **out)
{
    rg_places_fini(&s->places);
    if (code == RG_OK)
        *out = s->program;
    else
        rg_program_close(s->program);
    return code;
}

rg_status rg_transpile_server(rg_transpiler *t, const char *endpoint, rg_program **main)
{
    rg_server_program s;
    RG_TRY(open_program(&s, t, endpoint, t->main));
    return close_or_give(&s, fill_main(&s), main);
}

/* What has no initialiser of its own: shapes of tables, counters, backups. */
static rg_status add_constant(rg_server_program *s, const char *name, const rg_vardesc *like,
                              float value)
{
    rg_opdesc *op;
    RG_TRY(rg_server_declare(s, name, like, &like->meta.shape, true));
    RG_TRY(rg_edit_op(s->root, s->root->n_ops, "fill_constant", RG_ROLE_FORWARD, &op));
    RG_TRY(rg_edit_out(op, "Out", name));
    RG_TRY(rg_edit_shape(op, &like->meta.shape));
    RG_TRY(rg_edit_int(op, "dtype", (int32_t)like->meta.dtype));
    RG_TRY(rg_edit_float(op, "value", value));
    return rg_opdesc_infer(op);
}

/* The first trainer's count begins where the counter itself would, the others' at nothing. */
static rg_status start_counters(rg_server_program *s)
{
    rg_transpiler *t = s->t;
    float start;
    if (t->counter == NULL || !t->config.mode->counts)
        return RG_OK;
    const rg_vardesc *like = rg_block_find(t->main->blocks[0], t->counter);
    RG_TRY(rg_counter_start(t, &start));
    for (int i = 0; i < t->config.trainers; i++)
        RG_TRY(add_constant(s, rg_counter_name(t, i), like, i == 0 ? start : 0));
    return RG_OK;
}

static rg_status fake_tables(rg_server_program *s)
{
    for (size_t i = 0; i < s->places.n; i++) {
        const rg_placed *item = &s->places.items[i];
        rg_opdesc *op;
        if (!item->born)
            continue;
        RG_TRY(rg_edit_op(s->root, s->root->n_ops, "fake_init", RG_ROLE_FORWARD, &op));
        RG_TRY(rg_edit_out(op, "Out", item->name));
        RG_TRY(rg_edit_shape(op, &item->shape));
        RG_TRY(rg_opdesc_infer(op));
    }
    return RG_OK;
}

static rg_status copy_backups(rg_server_program *s)
{
    rg_transpiler *t = s->t;
    for (int i = 0; t->config.dc_asgd && i < rg_transpiler_n_slices(t); i++) {
        rg_param_slice slice = rg_transpiler_slice(t, i);
        const rg_vardesc *var = rg_block_var(s->root, slice.name);
        for (int k = 0; var != NULL && k < t->config.trainers; k++) {
            const char *name = rg_text(t, "%s.trainer_%d_bak", slice.name, k);
            rg_opdesc *op;
            RG_TRY(rg_server_declare(s, name, var, &var->meta.shape, true));
            RG_TRY(rg_edit_op(s->root, s->root->n_ops, "assign", RG_ROLE_FORWARD, &op));
            RG_TRY(rg_edit_in(op, "X", slice.name));
            RG_TRY(rg_edit_out(op, "Out", name));
            RG_TRY(rg_opdesc_infer(op));
        }
    }
    return RG_OK;
}

static rg_status fill_startup(rg_server_program *s, const rg_program *startup)
{
    RG_TRY(rg_places_make(s->t, s->endpoint, &s->places));
    RG_TRY(declare_places(s));
    RG_TRY(rg_add_initialisers(startup, &s->places, false, s->root));
    RG_TRY(start_counters(s));
    RG_TRY(fake_tables(s));
    return copy_backups(s);
}

rg_status rg_transpile_server_startup(rg_transpiler *t, const char *endpoint,
                                      const rg_program *startup, rg_program **out)
{
    rg_server_program s;
    if (startup == NULL)
        startup = t->startup;
    RG_TRY(open_program(&s, t, endpoint, startup));
    return close_or_give(&s, fill_startup(&s, startup), out);
}
