/* serve_vars.c - the variables of a server, from its program. */
#include "dist/serve_members.h"
#include "dist/serve_tables.h"

#include "base/hot.h"
#include "base/mem.h"
#include "pass/uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MOST_ELEMENTS = (int64_t)1 << 56; /* so that no count of bytes overflows */

/* ---- what the program says ---- */

static const rg_attr *strings_of(const rg_engine *s, const char *name)
{
    static const rg_attr none = {.type = RG_ATTR_STRINGS};
    const rg_attr *attr = rg_opdesc_attr(s->desc, name);
    return attr != NULL && attr->type == RG_ATTR_STRINGS ? attr : &none;
}

/* "gradient:block" apart; *name lives in the arena. */
static rg_status split_pair(rg_engine *s, const char *text, const char **name, const char **rest)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL)
        return rg_fail(RG_ECORRUPT, "listen_and_serv has '%s' where NAME:WHAT is wanted", text);
    *name = rg_arena_strndup(&s->arena, text, (size_t)(colon - text));
    *rest = colon + 1;
    return *name ? RG_OK : rg_no_memory(1, "a name");
}

static const rg_opdesc *find_optimizer(const rg_block *block)
{
    for (size_t i = 0; i < block->n_ops; i++)
        if (rg_update_of(block->ops[i]) != NULL && rg_update_param(block->ops[i]) != NULL)
            return block->ops[i];
    return NULL;
}

static bool makes(const rg_opdesc *op, const char *type, const char *name)
{
    return rg_is_type(op, type) && rg_one_out(op, "Out") != NULL &&
           strcmp(rg_one_out(op, "Out"), name) == 0;
}

/* Sync: the block begins with the mean, or the sum, of what trainers sent, which is formed here. */
static size_t ops_of_merge(const rg_engine *s, const rg_block *block, const char *grad)
{
    if (s->sums)
        return block->n_ops > 0 && makes(block->ops[0], "sum", grad) ? 1 : 0;
    if (block->n_ops >= 2 && rg_is_type(block->ops[0], "sum") &&
        makes(block->ops[1], "scale", grad))
        return 2;
    return 0;
}

/* Where in the whole variable the slice begins. */
static int64_t begin_of(const rg_engine *s, const char *name)
{
    const rg_attr *slices = strings_of(s, "slices");
    const rg_attr *begins = rg_opdesc_attr(s->desc, "slice_begins");
    for (int i = 0; i < slices->n; i++)
        if (strcmp(slices->strings[i], name) == 0 && begins != NULL &&
            begins->type == RG_ATTR_LONGS && i < begins->n)
            return begins->longs[i];
    return 0;
}

static bool is_listed(const rg_attr *list, const char *name, int *at)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->strings[i], name) == 0) {
            *at = i;
            return true;
        }
    return false;
}

/* "gradient:table" of sparse_grad_to_param. */
static bool is_pushed_by_rows(const rg_engine *s, const char *grad)
{
    const rg_attr *list = strings_of(s, "sparse_grad_to_param");
    size_t n = strlen(grad);
    for (int i = 0; i < list->n; i++)
        if (strncmp(list->strings[i], grad, n) == 0 && list->strings[i][n] == ':')
            return true;
    return false;
}

/* ---- opening ---- */

static rg_status describe_var(rg_engine *s, rg_ps_var *about, const char *grad, const char *param)
{
    const rg_vardesc *var = rg_block_find(s->program->blocks[0], param);
    if (var == NULL)
        return rg_fail(RG_ECORRUPT, "the server's program does not declare %s", param);
    const rg_shape *shape = &var->meta.shape;
    if (var->meta.dtype != RG_F32)
        return rg_fail(RG_EUNIMPL, "%s is %s, and servers keep float32", param,
                       rg_dtype_name(var->meta.dtype));
    about->rows = shape->rank > 0 ? shape->dim[0] : 1;
    about->width = shape->rank > 1 ? rg_shape_product(shape, 1, shape->rank) : 1;
    about->begin = begin_of(s, param);
    about->table = is_pushed_by_rows(s, grad);
    if (about->rows < 0 || about->width <= 0 || about->begin < 0 ||
        about->rows > MOST_ELEMENTS / about->width || about->begin > MOST_ELEMENTS)
        return rg_fail(RG_ECORRUPT, "%s has no size in the server's program, or one beyond all",
                       param);
    about->name = rg_strdup(param);
    about->grad = rg_strdup(grad);
    if (about->name == NULL || about->grad == NULL) {
        rg_free(about->name);
        rg_free(about->grad);
        return rg_no_memory(1, "a variable");
    }
    return RG_OK;
}

static rg_status open_backups(rg_engine *s, rg_served *var)
{
    var->sent = rg_arena_zero(&s->arena, s->schema.trainers * sizeof *var->sent);
    if (var->sent == NULL)
        return rg_no_memory(1, "backups");
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        char name[RG_PS_MAX_NAME];
        (void)snprintf(name, sizeof name, "%s.trainer_%u_bak", var->about->name, t);
        RG_TRY(rg_scope_var(s->scope, name, &var->sent[t]));
        RG_TRY(rg_value_copy(var->sent[t], var->param));
    }
    return RG_OK;
}

static rg_status open_dense(rg_engine *s, rg_served *var)
{
    RG_TRY(rg_scope_var(s->scope, var->about->name, &var->param));
    if (var->param->data == NULL)
        return rg_fail(RG_EINVAL, "%s has no value yet: run the server's startup program first",
                       var->about->name);
    if (rg_numel(var->param) != var->about->rows * var->about->width)
        return rg_fail(RG_ESHAPE, "%s does not have the shape that the server's program declares",
                       var->about->name);
    if (s->mode->programs.updates)
        return RG_OK;
    if (s->dc_asgd)
        RG_TRY(open_backups(s, var));
    var->only_reads = s->program->blocks[var->block]->n_ops - var->first_op == 1;
    if (s->mode->try_step != NULL)
        RG_TRY(rg_served_open_dense_stepper(var));
    return rg_block_plan_open(&var->update, s->program, var->block, var->first_op,
                              var->shard->scope, var->about->grad);
}

/* What the program says of one entry of grad_to_block_id. */
static rg_status describe(rg_engine *s, int i, const char *text)
{
    rg_served *var = &s->shards[0].vars[i];
    rg_ps_var *about = &s->schema.vars[i];
    const char *grad, *number, *param;
    int at;
    RG_TRY(split_pair(s, text, &grad, &number));
    int index = (int)strtol(number, NULL, 10);
    const rg_block *block = rg_program_block((rg_program *)(uintptr_t)s->program, index);
    if (block == NULL)
        return rg_fail(RG_ECORRUPT, "listen_and_serv names block %d, which is not there", index);
    var->about = about;
    var->block = index;
    if (s->mode->programs.updates) {
        const char *end = strrchr(grad, '.');
        if (end == NULL || strcmp(end, ".delta") != 0)
            return rg_fail(RG_ECORRUPT, "listen_and_serv has '%s' where NAME.delta is wanted",
                           grad);
        param = rg_arena_strndup(&s->arena, grad, (size_t)(end - grad));
        if (param == NULL)
            return rg_no_memory(1, "a name");
    } else {
        var->op = find_optimizer(block);
        if (var->op == NULL)
            return rg_fail(RG_ECORRUPT, "block %d has no optimizer", index);
        param = rg_update_param(var->op);
    }
    RG_TRY(describe_var(s, about, grad, param));
    s->schema.n = (size_t)i + 1;
    var->first_op = s->mode->programs.merges ? ops_of_merge(s, block, grad) : 0;
    if (!about->table || !is_listed(strings_of(s, "tables"), param, &at))
        return RG_OK;
    const rg_attr *grows = rg_opdesc_attr(s->desc, "table_grows");
    var->grows = grows != NULL && at < grows->n && grows->ints[at] != 0;
    const rg_attr *entries = strings_of(s, "table_entries");
    if (at < entries->n)
        RG_TRY(rg_parse_entry(param, entries->strings[at], &var->entry));
    return rg_served_describe(s, var, block->n_ops - var->first_op == 1);
}

/* In the shards that have it. */
static rg_status open_var(rg_engine *s, size_t i)
{
    const rg_served described = s->shards[0].vars[i];
    const bool is_table = described.n_columns > 0; /* whose rows come to be */
    rg_shard_set owners = rg_serve_owners(s, i);
    s->shards[0].vars[i] = (rg_served){0};
    for (int k = 0; k < s->n_shards; k++) {
        rg_served *var = &s->shards[k].vars[i];
        if ((owners >> k & 1) == 0)
            continue;
        *var = described;
        var->shard = &s->shards[k];
        var->spread = s->owners[i] == RG_EVERY_SHARD;
        RG_TRY(is_table ? rg_served_open(s, var) : open_dense(s, var));
    }
    rg_served *var = rg_serve_var(s, i);
    if (!is_table)
        return RG_OK;
    rg_served_forget_loaded(s, var); /* every shard has its rows of it */
    if (var->table == NULL)
        return open_dense(s, var);
    return var->stepper == NULL && !s->mode->programs.updates
               ? rg_block_plan_open(&var->update, s->program, var->block, var->first_op, var->stage,
                                    var->about->grad)
               : RG_OK;
}

static rg_status make_room(rg_engine *s, size_t n)
{
    s->schema.vars = rg_alloc_zero(n + 1, sizeof *s->schema.vars);
    s->owners = rg_alloc_zero(n + 1, sizeof *s->owners);
    for (int k = 0; k < s->n_shards; k++) {
        s->shards[k].vars = rg_alloc_zero(n + 1, sizeof *s->shards[k].vars);
        if (s->shards[k].vars == NULL)
            return rg_no_memory(1, "a server's variables");
    }
    return s->schema.vars && s->owners ? RG_OK : rg_no_memory(1, "a server's variables");
}

rg_status rg_serve_open_vars(rg_engine *s)
{
    const rg_attr *pairs = strings_of(s, "grad_to_block_id");
    const rg_attr *schedule = rg_opdesc_attr(s->desc, "lr_decay_block_id");
    s->scheduled = schedule != NULL && schedule->i > 0;
    RG_TRY(make_room(s, (size_t)pairs->n));
    for (int i = 0; i < pairs->n; i++)
        RG_TRY(describe(s, i, pairs->strings[i]));
    RG_TRY(rg_serve_deal(s));
    RG_TRY(rg_serve_open_memory(s));
    RG_TRY(rg_serve_open_scopes(s, s->scheduled ? schedule->i : 0));
    for (size_t i = 0; i < s->schema.n; i++)
        RG_TRY(open_var(s, i));
    s->keeps_before = s->mode->try_step != NULL && rg_serve_waits_for_return();
    for (int k = 0; s->scheduled && k < s->n_shards; k++)
        RG_TRY(rg_block_plan_open(&s->shards[k].schedule, s->program, schedule->i, 0,
                                  s->shards[k].scope, NULL));
    rg_serve_forecast(s);
    return RG_OK;
}

void rg_serve_close_vars(rg_engine *s)
{
    for (int k = 0; k < s->n_shards; k++) {
        rg_shard *shard = &s->shards[k];
        for (size_t i = 0; shard->vars != NULL && i < s->schema.n; i++) {
            rg_plan_close(shard->vars[i].update);
            rg_served_close_dense_stepper(&shard->vars[i]);
            rg_served_drop_shown(&shard->vars[i]);
            rg_served_close(&shard->vars[i]);
        }
        rg_plan_close(shard->schedule);
        rg_free(shard->vars);
        if (k > 0)
            rg_scope_release(shard->scope);
        shard->scope = NULL;
        shard->schedule = NULL;
        shard->vars = NULL;
    }
    rg_serve_close_memory(s);
    rg_free(s->owners);
    s->owners = NULL;
    rg_ps_schema_fini(&s->schema);
}

/* ---- use ---- */

/* g + g g (w - w as the trainer last saw it) */
RG_HOT static void correct(float *g, const float *w, const float *seen, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        g[i] += g[i] * g[i] * (w[i] - seen[i]);
}

rg_status rg_serve_gradient(rg_served *var, float **grad)
{
    rg_value *fed;
    RG_TRY(rg_plan_feed_room(var->update, 0, RG_F32, &var->param->meta.shape, NULL, &fed));
    *grad = fed ? fed->data : NULL; /* NULL: nothing uses the gradient */
    return RG_OK;
}

rg_status rg_serve_update(rg_served *var, const float *grad, int trainer)
{
    int64_t n = rg_numel(var->param);
    float *to;
    RG_TRY(rg_serve_gradient(var, &to));
    if (to == NULL)
        return RG_OK;
    if (var->only_reads && var->sent == NULL) {
        rg_value *fed = rg_plan_feed(var->update, 0);
        fed->data = (void *)(uintptr_t)grad; /* for this run alone, and nobody writes there */
        rg_status code = rg_plan_run(var->update);
        if (fed->data == grad)
            fed->data = to;
        return code;
    }
    memcpy(to, grad, (size_t)n * sizeof *to);
    if (var->sent != NULL && trainer >= 0)
        correct(to, var->param->data, var->sent[trainer]->data, n);
    return rg_plan_run(var->update);
}
