/* adam_late.c - tables whose rows make Adam's steps when they are next read. */
#include "ops/adam_late.h"

#include "base/mem.h"
#include "sys/pages.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    FAR = 24, /* rows ahead of the one in work, to be fetched */
    NEAR = 12,
};

typedef struct late_table {
    rg_late late;         /* first */
    uint64_t serial;      /* no other table, of now or before, has it */
    pthread_mutex_t lock; /* of steps and of settling */
    rg_value *values[3];  /* param and moments */
    int64_t height, width;
    _Atomic uint32_t *last; /* by row: the step it has seen; 0: it has no moments */
    _Atomic bool behind;    /* some rows are */
    bool known;             /* `last` is right: nobody else has written since */
    rg_adam_past *past;
} late_table;

/* Sums that this thread remembers, of one table and step: many rows have missed the same steps,
 * and a step looks up rows many times. */
static rg_adam_memo *memo_of(const late_table *t, uint32_t now)
{
    static _Thread_local rg_adam_memo memo;
    static _Thread_local uint64_t serial;
    if (serial != t->serial || memo.now != now)
        rg_adam_memo_init(&memo, now);
    serial = t->serial;
    return &memo;
}

static void catch_up(const late_table *t, int64_t row, uint32_t since, rg_adam_memo *memo)
{
    int64_t at = row * t->width;
    rg_adam_catch_up(t->past, memo, since, (float *)t->values[0]->data + at,
                     (float *)t->values[1]->data + at, (float *)t->values[2]->data + at, t->width);
}

/* The row is made to have seen the memo's step; the thread that claims it moves it. */
static void bring(late_table *t, int64_t row, rg_adam_memo *memo)
{
    uint32_t since = atomic_load_explicit(&t->last[row], memory_order_relaxed);
    if (since != 0 && since < memo->now &&
        atomic_compare_exchange_strong(&t->last[row], &since, memo->now))
        catch_up(t, row, since, memo);
}

/* Ask for a row before it is needed; it may lie in two lines. */
static inline void fetch_row(const late_table *t, int64_t row)
{
    for (int i = 0; i < 3; i++) {
        const float *at = (const float *)t->values[i]->data + row * t->width;
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

void rg_adam_late_rows(const rg_value *table, const int64_t *ids, int64_t n)
{
    late_table *t = (late_table *)table->late;
    if (t == NULL || !atomic_load(&t->behind))
        return;
    rg_adam_memo *memo = memo_of(t, rg_adam_past_now(t->past));
    for (int64_t i = 0; i < n; i++) {
        fetch_ahead(t, ids, i, n);
        if (ids[i] >= 0 && ids[i] < t->height)
            bring(t, ids[i], memo);
    }
}

/* ---- life ---- */

static void settle_all(rg_late *base)
{
    late_table *t = (late_table *)base;
    pthread_mutex_lock(&t->lock);
    if (atomic_load(&t->behind)) {
        rg_adam_memo *memo = memo_of(t, rg_adam_past_now(t->past));
        for (int64_t row = 0; row < t->height; row++)
            bring(t, row, memo);
        atomic_store(&t->behind, false);
    }
    t->known = false; /* whoever asked may write to it */
    pthread_mutex_unlock(&t->lock);
}

static void close_table(late_table *t)
{
    rg_adam_past_close(t->past);
    if (t->last != NULL)
        rg_pages_free(t->last, (size_t)t->height * sizeof *t->last);
    pthread_mutex_destroy(&t->lock);
    rg_free(t);
    (void)__atomic_sub_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
}

/* When one of the three goes, what is left is settled and the record ends. */
static void leave(rg_late *base, const rg_value *value)
{
    late_table *t = (late_table *)base;
    settle_all(base);
    for (int i = 0; i < 3; i++)
        if (t->values[i] != value)
            t->values[i]->late = NULL;
    close_table(t);
}

static rg_status open_table(late_table **out, const rg_adam_update *u)
{
    static _Atomic uint64_t tables;
    late_table *t = rg_alloc_zero(1, sizeof *t);
    if (t == NULL)
        return rg_no_memory(sizeof *t, "Adam's rows");
    (void)__atomic_add_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
    pthread_mutex_init(&t->lock, NULL);
    t->late = (rg_late){settle_all, leave};
    t->serial = atomic_fetch_add(&tables, 1) + 1;
    t->height = u->param->meta.shape.dim[0];
    t->width = rg_value_width(u->param);
    t->values[0] = u->param;
    t->values[1] = u->moment1;
    t->values[2] = u->moment2;
    t->last = rg_pages_alloc((size_t)t->height * sizeof *t->last);
    rg_status code = t->last ? rg_adam_past_open(&t->past)
                             : rg_no_memory((size_t)t->height * sizeof *t->last, "Adam's rows");
    if (code != RG_OK)
        close_table(t);
    else
        *out = t;
    return code;
}

/* Rows with moments are those that were given some before. */
static void find_moments(late_table *t)
{
    const float *m = t->values[1]->data, *v = t->values[2]->data;
    uint32_t now = rg_adam_past_now(t->past);
    for (int64_t row = 0; row < t->height; row++) {
        bool any = false;
        for (int64_t i = row * t->width; i < (row + 1) * t->width; i++)
            any = any || m[i] != 0 || v[i] != 0;
        atomic_store_explicit(&t->last[row], any ? now : 0, memory_order_relaxed);
    }
    t->known = true;
}

/* ---- a step ---- */

static bool same_table(const late_table *t, const rg_adam_update *u)
{
    return t->values[0] == u->param && t->values[1] == u->moment1 && t->values[2] == u->moment2 &&
           t->height == u->param->meta.shape.dim[0] && t->width == rg_value_width(u->param);
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The record of these three tensors, made where there is none. */
static rg_status find_table(const rg_adam_update *u, late_table **out)
{
    rg_value *const values[3] = {u->param, u->moment1, u->moment2};
    rg_status code = RG_OK;
    pthread_mutex_lock(&opening);
    late_table *t = (late_table *)u->param->late;
    if (t == NULL || !same_table(t, u)) {
        for (int i = 0; i < 3; i++) /* records of other combinations */
            if (values[i]->late != NULL)
                values[i]->late->leave(values[i]->late, NULL);
        code = open_table(&t, u);
        for (int i = 0; code == RG_OK && i < 3; i++)
            values[i]->late = &t->late;
    }
    pthread_mutex_unlock(&opening);
    *out = t;
    return code;
}

static rg_status begin_step(late_table *t, const rg_adam_update *u, uint32_t *step)
{
    if (!rg_adam_past_takes(t->past, u->betas))
        settle_all(&t->late);
    pthread_mutex_lock(&t->lock);
    if (!t->known) {
        if (!rg_adam_past_takes(t->past, u->betas))
            rg_adam_past_reset(t->past, u->betas);
        find_moments(t);
    }
    rg_status code = rg_adam_past_note(t->past, u->rate, step);
    if (code == RG_OK) { /* from now on all rows but its own are behind */
        atomic_store(&t->behind, true);
        rg_adam_past_advance(t->past, *step);
    }
    pthread_mutex_unlock(&t->lock);
    return code;
}

rg_status rg_adam_late_step(const rg_adam_update *u)
{
    late_table *t;
    uint32_t step;
    float *p = u->param->data, *m = u->moment1->data, *v = u->moment2->data;
    RG_TRY(find_table(u, &t));
    RG_TRY(begin_step(t, u, &step));
    rg_adam_memo *memo = memo_of(t, step - 1);
    for (size_t i = 0; i < u->n; i++) {
        int64_t at = u->rows[i] * t->width;
        if (i + NEAR < u->n)
            fetch_row(t, u->rows[i + NEAR]);
        /* Nearly never does the row lag: it has been looked up for this gradient. */
        uint32_t since = atomic_exchange(&t->last[u->rows[i]], step);
        if (since != 0 && since + 1 < step)
            catch_up(t, u->rows[i], since, memo);
        rg_adam_step(p + at, m + at, v + at, u->grads + (int64_t)i * t->width, u->betas, u->rate,
                     t->width);
    }
    return RG_OK;
}
