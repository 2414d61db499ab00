/* serve_vars.c - the variables of a server, from its program. */
#include "dist/serve_priv.h"

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

static rg_status open_dense(rg_engine *s, rg_served *var, int block, size_t first)
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
    return rg_block_plan_open(&var->update, s->program, block, first, s->scope, var->about->grad);
}

/* One entry of grad_to_block_id. */
static rg_status open_var(rg_engine *s, int i, const char *text)
{
    rg_served *var = &s->vars[i];
    rg_ps_var *about = &s->schema.vars[i];
    const char *grad, *number, *param;
    int at;
    RG_TRY(split_pair(s, text, &grad, &number));
    int index = (int)strtol(number, NULL, 10);
    const rg_block *block = rg_program_block((rg_program *)(uintptr_t)s->program, index);
    if (block == NULL)
        return rg_fail(RG_ECORRUPT, "listen_and_serv names block %d, which is not there", index);
    var->about = about;
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
    size_t first = s->mode->programs.merges ? ops_of_merge(s, block, grad) : 0;
    if (about->table && is_listed(strings_of(s, "tables"), param, &at)) {
        const rg_attr *grows = rg_opdesc_attr(s->desc, "table_grows");
        var->grows = grows != NULL && at < grows->n && grows->ints[at] != 0;
        RG_TRY(rg_served_open(s, var, block->n_ops - first == 1));
        if (var->table == NULL)
            return open_dense(s, var, index, first);
        return var->stepper == NULL && !s->mode->programs.updates
                   ? rg_block_plan_open(&var->update, s->program, index, first, var->stage, grad)
                   : RG_OK;
    }
    return open_dense(s, var, index, first);
}

rg_status rg_serve_open_vars(rg_engine *s)
{
    const rg_attr *pairs = strings_of(s, "grad_to_block_id");
    const rg_attr *schedule = rg_opdesc_attr(s->desc, "lr_decay_block_id");
    s->schema.vars = rg_alloc_zero((size_t)pairs->n + 1, sizeof *s->schema.vars);
    s->vars = rg_alloc_zero((size_t)pairs->n + 1, sizeof *s->vars);
    if (s->schema.vars == NULL || s->vars == NULL)
        return rg_no_memory(1, "a server's variables");
    for (int i = 0; i < pairs->n; i++)
        RG_TRY(open_var(s, i, pairs->strings[i]));
    if (schedule != NULL && schedule->i > 0)
        RG_TRY(rg_block_plan_open(&s->schedule, s->program, schedule->i, 0, s->scope, NULL));
    return RG_OK;
}

void rg_serve_close_vars(rg_engine *s)
{
    for (size_t i = 0; s->vars != NULL && i < s->schema.n; i++) {
        rg_plan_close(s->vars[i].update);
        rg_served_close(&s->vars[i]);
    }
    rg_plan_close(s->schedule);
    rg_free(s->vars);
    s->schedule = NULL;
    s->vars = NULL;
    rg_ps_schema_fini(&s->schema);
}

/* ---- use ---- */

rg_status rg_serve_schedule(rg_engine *s)
{
    return s->schedule ? rg_plan_run(s->schedule) : RG_OK;
}

/* g + g g (w - w as the trainer last saw it) */
RG_HOT static void correct(float *g, const float *w, const float *seen, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        g[i] += g[i] * g[i] * (w[i] - seen[i]);
}

rg_status rg_serve_gradient(rg_engine *s, uint32_t number, float **grad)
{
    rg_served *var = &s->vars[number];
    rg_value *fed;
    RG_TRY(rg_plan_feed_room(var->update, 0, RG_F32, &var->param->meta.shape, NULL, &fed));
    *grad = fed ? fed->data : NULL; /* NULL: nothing uses the gradient */
    return RG_OK;
}

rg_status rg_serve_apply(rg_engine *s, uint32_t number)
{
    return rg_plan_run(s->vars[number].update);
}

rg_status rg_serve_update(rg_engine *s, uint32_t number, const float *grad, int trainer)
{
    rg_served *var = &s->vars[number];
    int64_t n = rg_numel(var->param);
    float *to;
    RG_TRY(rg_serve_gradient(s, number, &to));
    if (to == NULL)
        return RG_OK;
    memcpy(to, grad, (size_t)n * sizeof *to);
    if (var->sent != NULL && trainer >= 0)
        correct(to, var->param->data, var->sent[trainer]->data, n);
    return rg_serve_apply(s, number);
}

rg_status rg_serve_set(rg_engine *s, const char *name, const rg_value *value)
{
    for (size_t i = 0; i < s->schema.n; i++)
        for (int k = 0; k < s->vars[i].n_columns; k++) {
            rg_served *var = &s->vars[i];
            if (var->table == NULL || strcmp(var->columns[k], name) != 0)
                continue;
            if (value->meta.dtype != RG_F32 ||
                rg_numel(value) != var->about->rows * var->about->width)
                return rg_fail(RG_ESHAPE, "%s is float32 [%lld, %lld] here", name,
                               (long long)var->about->rows, (long long)var->about->width);
            return rg_served_set(var, k, value->data);
        }
    rg_value *there = rg_scope_find(s->scope, name);
    if (there == NULL || there->data == NULL || there->meta.kind != RG_TENSOR)
        return rg_fail(RG_ENOENT, "this server has no variable %s", name);
    if (there->meta.dtype != value->meta.dtype || rg_numel(there) != rg_numel(value))
        return rg_fail(RG_ESHAPE, "%s has another type or size here", name);
    if (rg_value_bytes(value) > 0)
        memcpy(there->data, value->data, rg_value_bytes(value));
    return RG_OK;
}

/* ---- reading for a save ---- */

/* Which rows are meant: n < 0 is all from `first` on. As many as one answer holds, each of `row`
 * bytes; who wants more asks again. */
static rg_status check_range(const char *name, int64_t first, int64_t *n, int64_t rows, size_t row)
{
    if (first < 0 || first > rows || *n > rows - first)
        return rg_fail(RG_EVALUE, "%lld rows from %lld on, and %s has %lld", (long long)*n,
                       (long long)first, name, (long long)rows);
    int64_t most = row > 0 && row < RG_PS_GET_BYTES ? (int64_t)(RG_PS_GET_BYTES / row) : 1;
    *n = *n < 0 ? rows - first : *n;
    *n = *n > most && row > 0 ? most : *n;
    return RG_OK;
}

static rg_status get_rows(rg_engine *s, rg_served *var, int column, int64_t first, int64_t n,
                          rg_buf *out)
{
    RG_TRY(check_range(var->about->name, first, &n, var->about->rows,
                       (size_t)var->about->width * sizeof(float)));
    float *rows = rg_alloc(((size_t)(n * var->about->width) + 1) * sizeof *rows);
    if (rows == NULL)
        return rg_no_memory((size_t)(n * var->about->width) * sizeof *rows, "rows");
    rg_status code = rg_served_dense(s, var, column, first, n, rows);
    rg_handshake_tensor_head(out, RG_F32, &RG_SHAPE(n, var->about->width));
    if (code == RG_OK)
        rg_buf_add(out, rows, (size_t)(n * var->about->width) * sizeof *rows);
    rg_free(rows);
    return code == RG_OK ? rg_buf_status(out) : code;
}

rg_status rg_serve_get(rg_engine *s, const char *name, int64_t first, int64_t n, rg_buf *out)
{
    for (size_t i = 0; i < s->schema.n; i++)
        for (int k = 0; k < s->vars[i].n_columns; k++)
            if (s->vars[i].table != NULL && strcmp(s->vars[i].columns[k], name) == 0)
                return get_rows(s, &s->vars[i], k, first, n, out);
    const rg_value *value = rg_scope_find(s->scope, name);
    if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR)
        return rg_fail(RG_ENOENT, "this server has no variable %s", name);
    rg_shape shape = value->meta.shape;
    int64_t rows = shape.rank > 0 ? shape.dim[0] : 1;
    size_t row = rows > 0 ? rg_value_bytes(value) / (size_t)rows : 0;
    RG_TRY(check_range(name, first, &n, rows, row));
    if (shape.rank > 0)
        shape.dim[0] = n;
    rg_handshake_tensor_head(out, value->meta.dtype, &shape);
    rg_buf_add(out, (const uint8_t *)value->data + (size_t)first * row, (size_t)n * row);
    return rg_buf_status(out);
}
