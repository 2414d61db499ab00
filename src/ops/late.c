/* late.c - tables whose rows make an optimizer's steps when they are next read. */
#include "ops/late.h"

#include "base/mem.h"
#include "ops/merge_rows.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "sys/pages.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    FAR = 24, /* rows ahead of the one in work, to be fetched */
    NEAR = 12,
    /* Rows that are claimed and then moved together: few, since another thread may look one up
     * that has been claimed and takes it for moved. */
    GROUP = 16,
};

typedef struct late_table {
    rg_late late;         /* first */
    uint64_t serial;      /* no other table, of now or before, has it */
    pthread_mutex_t lock; /* of steps and of settling */
    const rg_idle *idle;
    rg_value
        *values[1 + RG_MAX_STATES]; /* the parameter and its states; NULL: none, or a counter */
    int n;
    int64_t height, width;
    _Atomic uint32_t *last; /* by row: the step it has seen; 0: its states are zero */
    _Atomic bool behind;    /* some rows are */
    bool known;             /* `last` is right: nobody else has written since */
    rg_past *past;
} late_table;

/* Sums that this thread remembers, of one table and step: many rows have missed the same steps,
 * and a step looks up rows many times. */
static rg_past_memo *memo_of(const late_table *t, uint32_t now)
{
    static _Thread_local rg_past_memo memo;
    static _Thread_local uint64_t serial;
    if (serial != t->serial || memo.now != now)
        rg_past_memo_init(&memo, now);
    serial = t->serial;
    return &memo;
}

/* ---- rows that are brought up to date ---- */

typedef struct group {
    rg_row_batch rows;
    uint32_t since[GROUP];
} group;

static void add_row(const late_table *t, rg_row_batch *rows, int64_t row)
{
    for (int k = 0; k < t->n; k++)
        if (t->values[k] != NULL)
            rows->part[k][rows->n] = (float *)t->values[k]->data + row * t->width;
    rows->n++;
}

static void move(const late_table *t, group *g, rg_past_memo *memo)
{
    if (g->rows.n > 0)
        t->idle->catch_up(t->past, memo, g->since, &g->rows);
    g->rows.n = 0;
}

static void add_behind(const late_table *t, group *g, int64_t row, uint32_t since,
                       rg_past_memo *memo)
{
    g->since[g->rows.n] = since;
    add_row(t, &g->rows, row);
    if (g->rows.n == GROUP)
        move(t, g, memo);
}

/* The row is made to have seen the memo's step; the thread that claims it moves it. */
static void bring(late_table *t, group *g, int64_t row, rg_past_memo *memo)
{
    uint32_t since = atomic_load_explicit(&t->last[row], memory_order_relaxed);
    if (since != 0 && since < memo->now &&
        atomic_compare_exchange_strong(&t->last[row], &since, memo->now))
        add_behind(t, g, row, since, memo);
}

/* Ask for a row before it is needed; it may lie in two lines. */
static inline void fetch_row(const late_table *t, int64_t row)
{
    for (int k = 0; k < t->n; k++)
        if (t->values[k] != NULL) {
            const float *at = (const float *)t->values[k]->data + row * t->width;
            __builtin_prefetch(at, 1);
            __builtin_prefetch(at + t->width - 1, 1);
        }
}

/* The row at place i, where there is one: first its step is asked for, later the row itself. */
static inline void fetch_ahead(const late_table *t, const int64_t *rows, int64_t i, int64_t n)
{
    if (i + FAR < n && rows[i + FAR] >= 0 && rows[i + FAR] < t->height)
        __builtin_prefetch((const void *)&t->last[rows[i + FAR]], 1);
    if (i + NEAR < n && rows[i + NEAR] >= 0 && rows[i + NEAR] < t->height &&
        atomic_load_explicit(&t->last[rows[i + NEAR]], memory_order_relaxed) != 0)
        fetch_row(t, rows[i + NEAR]);
}

static void settle_rows(rg_late *base, const int64_t *ids, int64_t n)
{
    late_table *t = (late_table *)base;
    if (!atomic_load(&t->behind))
        return;
    rg_past_memo *memo = memo_of(t, rg_past_now(t->past));
    group g;
    g.rows.n = 0;
    g.rows.width = t->width;
    for (int64_t i = 0; i < n; i++) {
        fetch_ahead(t, ids, i, n);
        if (ids[i] >= 0 && ids[i] < t->height)
            bring(t, &g, ids[i], memo);
    }
    move(t, &g, memo);
}

static void settle_all(rg_late *base)
{
    late_table *t = (late_table *)base;
    pthread_mutex_lock(&t->lock);
    if (atomic_load(&t->behind)) {
        rg_past_memo *memo = memo_of(t, rg_past_now(t->past));
        group g;
        g.rows.n = 0;
        g.rows.width = t->width;
        for (int64_t row = 0; row < t->height; row++)
            bring(t, &g, row, memo);
        move(t, &g, memo);
        atomic_store(&t->behind, false);
    }
    t->known = false; /* whoever asked may write to it */
    pthread_mutex_unlock(&t->lock);
}

/* ---- life ---- */

static void close_table(late_table *t)
{
    rg_past_close(t->past);
    if (t->last != NULL)
        rg_pages_free(t->last, (size_t)t->height * sizeof *t->last);
    pthread_mutex_destroy(&t->lock);
    rg_free(t);
    (void)__atomic_sub_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
}

/* When one of the tensors goes, what is left is settled and the record ends. */
static void leave(rg_late *base, const rg_value *value)
{
    late_table *t = (late_table *)base;
    settle_all(base);
    for (int k = 0; k < t->n; k++)
        if (t->values[k] != NULL && t->values[k] != value)
            t->values[k]->late = NULL;
    close_table(t);
}

static rg_value *value_of(const rg_ctx *ctx, int k)
{
    const rg_state *state = &ctx->op->update->state[k];
    return state->counter || !rg_has_in(ctx, state->in) ? NULL : rg_out(ctx, state->out);
}

static rg_status open_table(late_table **out, const rg_ctx *ctx)
{
    static _Atomic uint64_t tables;
    const rg_value *param = value_of(ctx, 0);
    late_table *t = rg_alloc_zero(1, sizeof *t);
    if (t == NULL)
        return rg_no_memory(sizeof *t, "rows that wait");
    (void)__atomic_add_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
    pthread_mutex_init(&t->lock, NULL);
    t->late = (rg_late){settle_all, settle_rows, leave};
    t->serial = atomic_fetch_add(&tables, 1) + 1;
    t->idle = ctx->op->update->idle;
    t->n = ctx->op->update->n;
    t->height = param->meta.shape.dim[0];
    t->width = rg_value_width(param);
    for (int k = 0; k < t->n; k++)
        t->values[k] = value_of(ctx, k);
    t->last = rg_pages_alloc((size_t)t->height * sizeof *t->last);
    rg_status code = t->last ? rg_past_open(&t->past)
                             : rg_no_memory((size_t)t->height * sizeof *t->last, "rows that wait");
    if (code != RG_OK)
        close_table(t);
    else
        *out = t;
    return code;
}

static bool has_states(const late_table *t, int64_t row)
{
    for (int k = 1; k < t->n; k++) {
        const float *x = t->values[k] ? t->values[k]->data : NULL;
        for (int64_t i = row * t->width; x != NULL && i < (row + 1) * t->width; i++)
            if (x[i] != 0)
                return true;
    }
    return false;
}

/* Rows with states are those that were given some before. */
static void find_states(late_table *t)
{
    uint32_t now = rg_past_now(t->past);
    for (int64_t row = 0; row < t->height; row++)
        atomic_store_explicit(&t->last[row], has_states(t, row) ? now : 0, memory_order_relaxed);
    t->known = true;
}

/* ---- a step ---- */

/* A record of other hands, or of another update, is none of ours to read. */
static late_table *table_of(const rg_ctx *ctx)
{
    rg_late *late = value_of(ctx, 0)->late;
    if (late == NULL || late->settle != settle_all)
        return NULL;
    late_table *t = (late_table *)late;
    bool same = t->idle == ctx->op->update->idle && t->n == ctx->op->update->n;
    for (int k = 0; same && k < t->n; k++)
        same = t->values[k] == value_of(ctx, k);
    return same && t->height == t->values[0]->meta.shape.dim[0] &&
                   t->width == rg_value_width(t->values[0])
               ? t
               : NULL;
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The record of these tensors, made where there is none. */
static rg_status find_table(const rg_ctx *ctx, late_table **out)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&opening);
    late_table *t = table_of(ctx);
    if (t == NULL) {
        for (int k = 0; k < ctx->op->update->n; k++) { /* records of other combinations */
            const rg_value *value = value_of(ctx, k);
            if (value != NULL && value->late != NULL)
                value->late->leave(value->late, NULL);
        }
        code = open_table(&t, ctx);
        for (int k = 0; code == RG_OK && k < t->n; k++)
            if (t->values[k] != NULL)
                t->values[k]->late = &t->late;
    }
    pthread_mutex_unlock(&opening);
    *out = t;
    return code;
}

static rg_status begin_step(late_table *t, const float *numbers, float rate, uint32_t *step)
{
    if (!rg_past_takes(t->past, numbers))
        settle_all(&t->late);
    pthread_mutex_lock(&t->lock);
    if (!t->known) {
        if (!rg_past_takes(t->past, numbers))
            rg_past_reset(t->past, numbers);
        find_states(t);
    }
    rg_status code = rg_past_note(t->past, rate, step);
    if (code == RG_OK) { /* from now on all rows but its own are behind */
        atomic_store(&t->behind, true);
        rg_past_advance(t->past, *step);
    }
    pthread_mutex_unlock(&t->lock);
    return code;
}

/* Rows first .. of the gradient, a group of them. */
static void step_group(rg_ctx *ctx, late_table *t, const rg_merged *grad, size_t first, float rate,
                       uint32_t step, rg_past_memo *memo)
{
    group behind;
    rg_row_batch rows; /* large: it is not cleared */
    rows.n = behind.rows.n = 0;
    rows.width = behind.rows.width = t->width;
    for (size_t i = first; i < grad->n && i < first + GROUP; i++) {
        if (i + NEAR < grad->n)
            fetch_row(t, grad->rows[i + NEAR]);
        /* Nearly never does the row lag: it has been looked up for this gradient. */
        uint32_t since = atomic_exchange(&t->last[grad->rows[i]], step);
        if (since != 0 && since + 1 < step)
            add_behind(t, &behind, grad->rows[i], since, memo);
        add_row(t, &rows, grad->rows[i]);
    }
    move(t, &behind, memo);
    rows.grads = (const float *)grad->values + (int64_t)first * t->width;
    ctx->op->update->row_step(ctx, rate, &rows);
}

static rg_status make_step(rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    float numbers[RG_IDLE_NUMBERS] = {0};
    late_table *t;
    uint32_t step;
    rg_merged grad;
    RG_TRY(rg_expect_rows_below(ctx, update->grad, value_of(ctx, 0)->meta.shape.dim[0]));
    RG_TRY(rg_merge_rows(ctx, rg_in(ctx, update->grad), &grad));
    RG_TRY(find_table(ctx, &t));
    update->idle->numbers(ctx, numbers);
    float rate = rg_step_rate(ctx);
    RG_TRY(begin_step(t, numbers, rate, &step));
    rg_past_memo *memo = memo_of(t, step - 1);
    for (size_t first = 0; first < grad.n; first += GROUP)
        step_group(ctx, t, &grad, first, rate, step, memo);
    return RG_OK;
}

static bool can_wait(const rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    if (update->idle == NULL || update->row_step == NULL || !rg_moves_idle(ctx) ||
        (update->idle->epsilon > 0 && !(rg_attr_float(ctx, update->idle->epsilon - 1) > 0)) ||
        rg_in(ctx, update->grad)->meta.kind != RG_ROWS ||
        (update->rate >= 0 && !isfinite(rg_number(ctx, update->rate))) || /* 0 times it is NaN */
        rg_dtype_of(ctx, update->state[0].in) != RG_F32 ||
        rg_shape_of(ctx, update->state[0].in)->rank < 2)
        return false;
    for (int k = 0; k < update->n; k++)
        if (!update->state[k].counter && rg_has_in(ctx, update->state[k].in) &&
            rg_in(ctx, update->state[k].in) != rg_out(ctx, update->state[k].out))
            return false;
    return true;
}

rg_status rg_late_try(rg_ctx *ctx, bool *done)
{
    const rg_update *update = ctx->op->update;
    *done = can_wait(ctx);
    if (*done)
        return make_step(ctx);
    for (int k = 0; k < update->n; k++)
        if (rg_has_in(ctx, update->state[k].in)) {
            rg_value_settle(rg_in(ctx, update->state[k].in));
            rg_value_settle(rg_out(ctx, update->state[k].out));
        }
    return RG_OK;
}
