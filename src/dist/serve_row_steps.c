/* serve_row_steps.c - how optimizers move the rows of a server's tables: where they stand, or over
 * copies of them; and rows that make the steps that they have missed when they are read. */
#include "dist/serve_tables.h"

#include "base/mem.h"
#include "ir/bind.h"
#include "ops/optimizer.h"

#include <string.h>

/* ---- the optimizer, where it moves rows in place ---- */

/* Its op bound to the scope: to counters and the learning rate. Rows stand in for the rest. */
struct rg_row_stepper {
    rg_ctx ctx;
    rg_run run;
};

typedef struct finder {
    rg_scope *first, *rest;
} finder;

static rg_meta *find_value(void *arg, const char *name, bool output)
{
    const finder *f = arg;
    rg_value *value = rg_scope_find(f->first, name);
    (void)output;
    if (value == NULL && rg_scope_var(f->rest, name, &value) != RG_OK)
        return NULL;
    return &value->meta;
}

rg_status rg_served_bind(rg_served *var, rg_scope *first, rg_scope *rest, rg_ctx *ctx, rg_run *run)
{
    rg_value *grad;
    RG_TRY(rg_scope_own(first, rg_update_grad(var->op), &grad));
    grad->meta.kind = RG_ROWS;
    RG_TRY(
        rg_ctx_bind(ctx, &var->shard->engine->arena, var->op, find_value, &(finder){first, rest}));
    *run = (rg_run){.seed = rg_process_seed(), .scratch = &var->shard->scratch};
    ctx->run = run;
    return RG_OK;
}

rg_status rg_served_open_stepper(rg_engine *s, rg_served *var)
{
    rg_row_stepper *stepper = rg_arena_zero(&s->arena, sizeof *stepper);
    if (stepper == NULL)
        return rg_no_memory(sizeof *stepper, "an optimizer");
    RG_TRY(rg_served_bind(var, var->stage, s->scope, &stepper->ctx, &stepper->run));
    var->stepper = stepper;
    return RG_OK;
}

/* ---- rows in batches ---- */

/* Rows of these handles into the batch: at most RG_ROWS_AT_ONCE. */
static void fill_batch(rg_served *var, const rg_row_handle *handles, size_t n, rg_row_batch *rows,
                       uint32_t **counters)
{
    int64_t width = var->about->width;
    rg_table_rows(var->table, handles, n, rows->part[0], counters);
    for (int c = 1; c < var->n_columns; c++)
        for (size_t i = 0; i < n; i++)
            rows->part[var->state_of[c]][i] = rows->part[0][i] + c * width;
    rows->n = n;
    rows->width = width;
}

/* Those rows of the batch that are behind make the steps that they have missed. */
static void catch_up_batch(rg_served *var, rg_past_memo *memo, const rg_row_handle *handles,
                           size_t n)
{
    rg_row_handle behind[RG_ROWS_AT_ONCE];
    uint32_t since[RG_ROWS_AT_ONCE];
    rg_row_batch rows; /* large: it is not cleared */
    size_t n_behind = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == RG_NO_ROW)
            continue;
        uint32_t seen = rg_table_counters_const(var->table, handles[i])[RG_ROW_STEP];
        if (seen == 0 || seen >= memo->now)
            continue;
        since[n_behind] = seen;
        behind[n_behind++] = handles[i];
        rg_table_counters(var->table, handles[i])[RG_ROW_STEP] = memo->now;
    }
    if (n_behind == 0)
        return;
    var->noticed = true;
    fill_batch(var, behind, n_behind, &rows, NULL);
    rows.grads = NULL;
    rg_update_of(var->op)->idle->catch_up(var->past, memo, since, &rows);
}

/* Idle rows, before they are read. A handle that comes twice is brought up to date once. */
void rg_served_catch_up(rg_served *var, const rg_row_handle *handles, size_t n)
{
    rg_past_memo memo;
    if (var->past == NULL)
        return;
    rg_past_memo_init(&memo, rg_past_now(var->past));
    for (size_t i = 0; i < n; i += RG_ROWS_AT_ONCE)
        catch_up_batch(var, &memo, handles + i, n - i < RG_ROWS_AT_ONCE ? n - i : RG_ROWS_AT_ONCE);
}

/* ---- a look that changes nothing ---- */

/* Row i of the batch as it stands, and, where it is behind, a copy that makes its steps. */
static rg_status peek_batch(rg_served *var, rg_past_memo *memo, const int64_t *ids, size_t n,
                            float *const *out)
{
    size_t width = (size_t)var->about->width, row = width * (size_t)var->n_columns, n_behind = 0;
    rg_row_handle handles[RG_ROWS_AT_ONCE];
    uint32_t since[RG_ROWS_AT_ONCE];
    float *to[RG_ROWS_AT_ONCE];
    rg_row_batch rows; /* large: it is not cleared */
    float *copies = var->past == NULL
                        ? NULL
                        : rg_arena_alloc(&var->shard->scratch, (n * row + 1) * sizeof *copies);
    if (var->past != NULL && copies == NULL)
        return rg_no_memory(n * row * sizeof *copies, "rows");
    RG_TRY(rg_table_bring(var->table, ids, n, handles)); /* where a row is is no part of it */
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == RG_NO_ROW) {
            rg_table_start_value(var->table, ids[i], out[i]);
            continue;
        }
        const float *from = rg_table_row_const(var->table, handles[i]);
        memcpy(out[i], from, width * sizeof *from);
        uint32_t seen = var->past == NULL
                            ? 0
                            : rg_table_counters_const(var->table, handles[i])[RG_ROW_STEP];
        if (seen == 0 || seen >= memo->now)
            continue;
        float *copy = copies + n_behind * row;
        memcpy(copy, from, row * sizeof *from);
        for (int c = 0; c < var->n_columns; c++)
            rows.part[c == 0 ? 0 : var->state_of[c]][n_behind] = copy + (size_t)c * width;
        to[n_behind] = out[i];
        since[n_behind++] = seen;
    }
    if (n_behind == 0)
        return RG_OK;
    rows.n = n_behind;
    rows.width = (int64_t)width;
    rows.grads = NULL;
    rg_update_of(var->op)->idle->catch_up(var->past, memo, since, &rows);
    for (size_t i = 0; i < n_behind; i++)
        memcpy(to[i], rows.part[0][i], width * sizeof *to[i]);
    return RG_OK;
}

rg_status rg_served_peek(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out)
{
    float *to[RG_ROWS_AT_ONCE];
    rg_past_memo memo;
    if (var->table == NULL)
        return rg_served_pull(var, ids, at, n, out);
    if (var->past != NULL)
        rg_past_memo_init(&memo, rg_past_now(var->past));
    for (size_t first = 0; first < n; first += RG_ROWS_AT_ONCE) {
        size_t size = n - first < RG_ROWS_AT_ONCE ? n - first : RG_ROWS_AT_ONCE;
        for (size_t i = 0; i < size; i++)
            to[i] = out + (at != NULL ? at[first + i] : first + i) * (size_t)var->about->width;
        RG_TRY(peek_batch(var, &memo, ids + first, size, to));
    }
    return RG_OK;
}

/* ---- updates ---- */

/* What the step reads besides rows has a value. */
static rg_status check_inputs(const rg_served *var)
{
    const rg_ctx *ctx = &var->stepper->ctx;
    for (int slot = 0; ctx->op->in[slot].name != NULL; slot++) {
        const char *name = rg_has_in(ctx, slot) ? rg_in_name(ctx, slot, 0) : NULL;
        bool of_rows = name == NULL || slot == ctx->op->update->grad;
        for (int c = 0; c < var->n_columns && !of_rows; c++)
            of_rows = strcmp(name, var->columns[c]) == 0;
        if (!of_rows && rg_in(ctx, slot)->data == NULL)
            return rg_fail(RG_EINVAL,
                           "%s, which the update of %s reads, has no value: run the server's "
                           "startup program first",
                           name, var->about->name);
    }
    return RG_OK;
}

enum { SETTLE = 1024 }; /* rows at once */

static void settle_rows(rg_served *var, const rg_row_handle *handles, size_t n)
{
    rg_served_catch_up(var, handles, n);
    for (size_t i = 0; i < n; i++) {
        if (rg_table_counters_const(var->table, handles[i])[RG_ROW_STEP] > 1)
            rg_table_counters(var->table, handles[i])[RG_ROW_STEP] = 1;
    }
}

/* Rows on disk come to memory in turns. */
static rg_status settle_all(rg_served *var)
{
    rg_row_handle handles[SETTLE];
    size_t n = rg_table_size(var->table);
    int64_t *ids = rg_alloc((n + 1) * sizeof *ids);
    rg_status code = ids != NULL ? rg_table_ids(var->table, ids) : rg_no_memory(n, "ids");
    for (size_t first = 0; code == RG_OK && first < n; first += SETTLE) {
        size_t size = n - first < SETTLE ? n - first : SETTLE;
        code = rg_table_bring(var->table, ids + first, size, handles);
        if (code == RG_OK)
            settle_rows(var, handles, size);
    }
    rg_free(ids);
    return code;
}

/* All rows are brought up to date, and have seen step 1 of those that begin. */
static rg_status settle_table(rg_served *var)
{
    rg_row_handle handles[SETTLE];
    size_t n;
    if (rg_table_in_memory(var->table) < rg_table_size(var->table))
        return settle_all(var);
    for (size_t first = 0; (n = rg_table_list(var->table, first, SETTLE, handles)) > 0; first += n)
        settle_rows(var, handles, n);
    return RG_OK;
}

/* The step can be made, and rows have made those that came before others' numbers. */
static rg_status settle_first(rg_served *var)
{
    float numbers[RG_IDLE_NUMBERS] = {0};
    RG_TRY(check_inputs(var));
    if (var->past == NULL)
        return RG_OK;
    var->stepper->ctx.op->update->idle->numbers(&var->stepper->ctx, numbers);
    if (!rg_past_takes(var->past, numbers)) {
        RG_TRY(settle_table(var));
        rg_past_reset(var->past, numbers);
    }
    return RG_OK;
}

/* Once a step, before its rows move: counters go on; *step is its number where idle rows make it
 * later. */
static rg_status begin_step(rg_served *var, float *rate, uint32_t *step)
{
    rg_ctx *ctx = &var->stepper->ctx;
    *rate = rg_step_rate(ctx);
    *step = 0;
    return var->past != NULL ? rg_past_note(var->past, *rate, step) : RG_OK;
}

/* The rows are moved where they stand, a batch at a time. */
static rg_status push_in_place(rg_served *var, const rg_row_handle *handles, size_t n,
                               const float *grads)
{
    const rg_ctx *ctx = &var->stepper->ctx;
    rg_row_batch rows; /* large: it is not cleared */
    uint32_t *counters[RG_ROWS_AT_ONCE], step;
    float rate;
    RG_TRY(begin_step(var, &rate, &step));
    rg_served_catch_up(var, handles, n);
    for (size_t first = 0; first < n; first += RG_ROWS_AT_ONCE) {
        size_t size = n - first < RG_ROWS_AT_ONCE ? n - first : RG_ROWS_AT_ONCE;
        fill_batch(var, handles + first, size, &rows, var->past ? counters : NULL);
        rows.grads = grads + (int64_t)first * var->about->width;
        ctx->op->update->row_step(ctx, rate, &rows);
        for (size_t i = 0; var->past != NULL && i < size; i++)
            counters[i][RG_ROW_STEP] = step;
    }
    if (var->past != NULL)
        rg_past_advance(var->past, step);
    return RG_OK;
}

/* Any optimizer: its op runs over copies of the rows, with a gradient that names them all. */
static rg_status push_staged(rg_served *var, const rg_row_handle *handles, size_t n,
                             const float *grads)
{
    const rg_shape shape = RG_SHAPE((int64_t)n, var->about->width);
    float *states[RG_TABLE_MAX_STATES] = {NULL};
    rg_value *fed = rg_plan_feed(var->update, 0);
    for (int i = 0; i < var->n_columns; i++) {
        RG_TRY(rg_value_resize(var->staged[i], RG_F32, &shape));
        if (i > 0)
            states[i - 1] = var->staged[i]->data;
    }
    rg_table_read(var->table, handles, n, var->staged[0]->data, states);
    if (fed != NULL) {
        RG_TRY(rg_value_resize_rows(fed, RG_F32, &shape, n));
        for (size_t i = 0; i < n; i++)
            fed->rows[i] = (int64_t)i;
        memcpy(fed->data, grads, n * (size_t)var->about->width * sizeof *grads);
    }
    rg_plan_feed_changed(var->update, 0);
    RG_TRY(rg_plan_run(var->update));
    rg_table_write(var->table, handles, n, var->staged[0]->data, states);
    return RG_OK;
}

static rg_status push_plan(rg_served *var, const int64_t *ids, size_t n, const float *grads)
{
    rg_value *fed = rg_plan_feed(var->update, 0);
    if (fed == NULL)
        return RG_OK;
    RG_TRY(rg_value_resize_rows(fed, RG_F32, &var->param->meta.shape, n));
    for (size_t i = 0; i < n; i++)
        fed->rows[i] = ids[i] - var->about->begin;
    if (n > 0)
        memcpy(fed->data, grads, n * (size_t)var->about->width * sizeof *grads);
    rg_plan_feed_changed(var->update, 0);
    return rg_plan_run(var->update);
}

/* Geo: differences, added. */
static rg_status push_geo(rg_served *var, const rg_row_handle *handles, const int64_t *ids,
                          size_t n, const float *grads)
{
    if (var->table != NULL) {
        rg_table_add_scaled(var->table, handles, n, grads, 1);
        return rg_geo_rows_note(var->changed, ids, n);
    }
    int64_t width = var->about->width;
    for (size_t i = 0; i < n; i++) {
        float *row = (float *)var->param->data + (ids[i] - var->about->begin) * width;
        for (int64_t k = 0; k < width; k++)
            row[k] += grads[(int64_t)i * width + k];
    }
    return RG_OK;
}

/* Of a push, only the ids that may have a row; the others are counted. */
static rg_status leave_out(rg_served *var, const int64_t **ids, size_t *n, float **grads)
{
    size_t width = (size_t)var->about->width, kept = 0;
    rg_arena *scratch = &var->shard->scratch;
    bool *admitted = rg_arena_alloc(scratch, *n + 1);
    int64_t *some = rg_arena_alloc(scratch, (*n + 1) * sizeof *some);
    float *rows = rg_arena_alloc(scratch, (*n + 1) * width * sizeof *rows);
    if (!admitted || !some || !rows)
        return rg_no_memory(*n * width * sizeof *rows, "a push");
    RG_TRY(rg_table_admit(var->table, *ids, *n, true, admitted));
    for (size_t i = 0; i < *n; i++) {
        if (!admitted[i])
            continue;
        some[kept] = (*ids)[i];
        memcpy(rows + kept++ * width, *grads + i * width, width * sizeof *rows);
    }
    *ids = some;
    *grads = rows;
    *n = kept;
    return RG_OK;
}

rg_status rg_served_push(rg_engine *s, rg_served *var, const int64_t *ids, size_t n, float *grads)
{
    rg_row_handle *handles = NULL;
    if (var->table == NULL)
        return s->mode->programs.updates ? push_geo(var, NULL, ids, n, grads)
                                         : push_plan(var, ids, n, grads);
    if (rg_entry_filters(&var->entry))
        RG_TRY(leave_out(var, &ids, &n, &grads));
    handles = rg_arena_alloc(&var->shard->scratch, (n + 1) * sizeof *handles);
    if (handles == NULL)
        return rg_no_memory(n * sizeof *handles, "handles");
    if (var->stepper != NULL)
        RG_TRY(settle_first(var)); /* before there are handles: rows may move */
    RG_TRY(rg_served_touch(var, ids, n, handles));
    if (s->mode->programs.updates)
        return push_geo(var, handles, ids, n, grads);
    return var->stepper != NULL ? push_in_place(var, handles, n, grads)
                                : push_staged(var, handles, n, grads);
}
