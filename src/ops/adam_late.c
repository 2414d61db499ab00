/* adam_late.c - Adam's steps over rows without a gradient, made when a row is next read. */
#include "ops/adam_late.h"

#include "base/hot.h"
#include "base/mem.h"
#include "sys/pages.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    CHUNK = 1 << 14,  /* rates in a chunk */
    CHUNKS = 1 << 14, /* chunks there can be */
    TERMS = 2048,     /* of a sum, at most */
    MEMO = 1024,      /* sums that a thread remembers, of one step */
    FAR = 24,         /* rows ahead of the one in work, to be fetched */
    NEAR = 12,
};

struct rg_adam_late {
    rg_late late;         /* first */
    uint64_t serial;      /* no other record, of now or before, has it */
    pthread_mutex_t lock; /* of steps and of settling */
    rg_value *values[3];  /* param and moments; NULL: gone */
    int64_t height, width;
    _Atomic uint32_t *last; /* by row: the step it has seen; 0: it has no moments */
    _Atomic uint32_t now;   /* steps so far; the first is 1 */
    _Atomic bool behind;    /* some rows are */
    bool known;             /* `last` is right: nobody else has written since */
    float beta1, beta2, epsilon;
    float *_Atomic rates[CHUNKS]; /* of step i, at [i / CHUNK][i % CHUNK] */
};

/* What k missed steps do to a row. */
typedef struct missed {
    uint32_t since;
    float shrink1, shrink2, sum1, sum2, sum3;
} missed;

static float rate_of(const rg_adam_late *late, uint32_t step)
{
    return atomic_load_explicit(&late->rates[step / CHUNK], memory_order_acquire)[step % CHUNK];
}

static missed count_missed(const rg_adam_late *late, uint32_t since, uint32_t now)
{
    double b1 = (double)late->beta1, b2 = (double)late->beta2, root = sqrt(b2);
    double q1 = b1 / root, q2 = b1 / b2, q3 = b1 / (b2 * root);
    double p1 = 1, p2 = 1, p3 = 1, s1 = 0, s2 = 0, s3 = 0;
    for (uint32_t k = 1; since + k <= now && k <= TERMS && p1 > 1e-12; k++) {
        double rate = (double)rate_of(late, since + k);
        s1 += rate * (p1 *= q1);
        s2 += rate * (p2 *= q2);
        s3 += rate * (p3 *= q3);
    }
    double n = (double)(now - since);
    return (missed){since, (float)pow(b1, n), (float)pow(b2, n), (float)s1, (float)s2, (float)s3};
}

/* Whether the sums converge for these betas within their terms. */
static bool sums_converge(const rg_adam_late *late)
{
    double q = (double)late->beta1 / sqrt((double)late->beta2);
    return q < 1 && pow(q, TERMS) < 1e-9 && (double)late->beta1 / pow((double)late->beta2, 1.5) < 1;
}

static void move_slowly(const rg_adam_late *late, float *p, float *m, float *v, uint32_t since,
                        uint32_t now)
{
    for (uint32_t step = since + 1; step <= now; step++) {
        *m *= late->beta1;
        *v *= late->beta2;
        float moved = rate_of(late, step) * (*m / (sqrtf(*v) + late->epsilon));
        *p -= moved;
        if (*m == 0)
            break;
    }
}

/* The largest eps / sqrt(v) at which three terms of the series are good to 1e-7. */
static const float SMALL = 4e-3f;

RG_HOT static bool move_row(float *p, float *m, float *v, const missed *k, float eps, int64_t n)
{
    float worst = 0;
    for (int64_t i = 0; i < n; i++) {
        float e = m[i] != 0 ? eps / sqrtf(v[i]) : 0;
        worst = e > worst ? e : worst;
    }
    if (!(worst < SMALL))
        return false;
    for (int64_t i = 0; i < n; i++) {
        float a = sqrtf(v[i]), e = a > 0 ? eps / a : 0, d = a > 0 ? m[i] / a : 0;
        p[i] -= d * (k->sum1 - e * (k->sum2 - e * k->sum3));
        m[i] *= k->shrink1;
        v[i] *= k->shrink2;
    }
    return true;
}

static void catch_up(const rg_adam_late *late, int64_t row, const missed *k, uint32_t now)
{
    int64_t at = row * late->width;
    float *p = (float *)late->values[0]->data + at, *m = (float *)late->values[1]->data + at;
    float *v = (float *)late->values[2]->data + at;
    if (sums_converge(late) && move_row(p, m, v, k, late->epsilon, late->width))
        return;
    for (int64_t i = 0; i < late->width; i++)
        move_slowly(late, p + i, m + i, v + i, k->since, now);
}

/* Many rows have missed the same steps, and a step looks up rows many times. */
static _Thread_local struct {
    uint64_t serial;
    uint32_t now;
    missed sums[MEMO];
} memo;

static const missed *remember_missed(const rg_adam_late *late, uint32_t since, uint32_t now)
{
    if (memo.serial != late->serial || memo.now != now) {
        memo.serial = late->serial;
        memo.now = now;
        for (int i = 0; i < MEMO; i++)
            memo.sums[i].since = 0;
    }
    missed *k = &memo.sums[since % MEMO];
    if (k->since != since)
        *k = count_missed(late, since, now);
    return k;
}

/* The row is made to have seen step `now`; the thread that claims it moves it. */
static void bring(rg_adam_late *late, int64_t row, uint32_t now)
{
    uint32_t since = atomic_load_explicit(&late->last[row], memory_order_relaxed);
    if (since == 0 || since >= now)
        return;
    if (!atomic_compare_exchange_strong(&late->last[row], &since, now))
        return;
    catch_up(late, row, remember_missed(late, since, now), now);
}

/* Ask for a row before it is needed; it may lie in two lines. */
static inline void fetch_row(const rg_adam_late *late, int64_t row)
{
    for (int i = 0; i < 3; i++) {
        const float *at = (const float *)late->values[i]->data + row * late->width;
        __builtin_prefetch(at, 1);
        __builtin_prefetch(at + late->width - 1, 1);
    }
}

/* The row at place i, where there is one: first its step is asked for, later the row itself. */
static inline void fetch_ahead(const rg_adam_late *late, const int64_t *rows, int64_t i, int64_t n)
{
    if (i + FAR < n && rows[i + FAR] >= 0 && rows[i + FAR] < late->height)
        __builtin_prefetch((const void *)&late->last[rows[i + FAR]], 1);
    if (i + NEAR < n && rows[i + NEAR] >= 0 && rows[i + NEAR] < late->height &&
        atomic_load_explicit(&late->last[rows[i + NEAR]], memory_order_relaxed) != 0)
        fetch_row(late, rows[i + NEAR]);
}

void rg_adam_late_rows(const rg_value *table, const int64_t *ids, int64_t n)
{
    rg_adam_late *late = (rg_adam_late *)table->late;
    if (late == NULL || !atomic_load(&late->behind))
        return;
    uint32_t now = atomic_load(&late->now);
    for (int64_t i = 0; i < n; i++) {
        fetch_ahead(late, ids, i, n);
        if (ids[i] >= 0 && ids[i] < late->height)
            bring(late, ids[i], now);
    }
}

/* ---- life ---- */

static void settle_all(rg_late *base)
{
    rg_adam_late *late = (rg_adam_late *)base;
    pthread_mutex_lock(&late->lock);
    if (atomic_load(&late->behind)) {
        uint32_t now = atomic_load(&late->now);
        for (int64_t row = 0; row < late->height; row++)
            bring(late, row, now);
        atomic_store(&late->behind, false);
    }
    late->known = false; /* whoever asked may write to it */
    pthread_mutex_unlock(&late->lock);
}

static void close_late(rg_adam_late *late)
{
    for (size_t i = 0; i < CHUNKS; i++)
        rg_free(atomic_load(&late->rates[i]));
    rg_pages_free(late->last, (size_t)late->height * sizeof *late->last);
    pthread_mutex_destroy(&late->lock);
    rg_free(late);
    (void)__atomic_sub_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
}

/* When one of the three goes, what is left is settled and the record ends. */
static void leave(rg_late *base, const rg_value *value)
{
    rg_adam_late *late = (rg_adam_late *)base;
    settle_all(base);
    for (int i = 0; i < 3; i++)
        if (late->values[i] != value)
            late->values[i]->late = NULL;
    close_late(late);
}

/* Rows with moments are those that were given some before. */
static void find_moments(rg_adam_late *late)
{
    const float *m = late->values[1]->data, *v = late->values[2]->data;
    uint32_t now = atomic_load(&late->now);
    for (int64_t row = 0; row < late->height; row++) {
        bool any = false;
        for (int64_t i = row * late->width; i < (row + 1) * late->width; i++)
            any = any || m[i] != 0 || v[i] != 0;
        atomic_store_explicit(&late->last[row], any ? now : 0, memory_order_relaxed);
    }
    late->known = true;
}

static rg_status open_late(rg_adam_late **out, const rg_adam_step *step)
{
    rg_adam_late *late = rg_alloc_zero(1, sizeof *late);
    if (late == NULL)
        return rg_no_memory(sizeof *late, "Adam's rows");
    static _Atomic uint64_t records;
    late->late = (rg_late){settle_all, leave};
    late->serial = atomic_fetch_add(&records, 1) + 1;
    late->height = step->param->meta.shape.dim[0];
    late->width = rg_value_width(step->param);
    late->last = rg_pages_alloc((size_t)late->height * sizeof *late->last);
    if (late->last == NULL) {
        rg_free(late);
        return rg_no_memory((size_t)late->height * sizeof *late->last, "Adam's rows");
    }
    pthread_mutex_init(&late->lock, NULL);
    late->values[0] = step->param;
    late->values[1] = step->moment1;
    late->values[2] = step->moment2;
    atomic_store(&late->now, 1);
    (void)__atomic_add_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
    *out = late;
    return RG_OK;
}

/* ---- a step ---- */

static bool same_table(const rg_adam_late *late, const rg_adam_step *s)
{
    return late->values[0] == s->param && late->values[1] == s->moment1 &&
           late->values[2] == s->moment2 && late->height == s->param->meta.shape.dim[0] &&
           late->width == rg_value_width(s->param);
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The record of these three tensors, made where there is none. */
static rg_status find_late(const rg_adam_step *s, rg_adam_late **out)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&opening);
    rg_adam_late *late = (rg_adam_late *)s->param->late;
    if (late != NULL && !same_table(late, s)) {
        leave(&late->late, NULL);
        late = NULL;
    }
    if (late == NULL) {
        for (int i = 0; i < 2; i++) { /* moments of another table's record */
            rg_value *moment = i == 0 ? s->moment1 : s->moment2;
            if (moment->late != NULL)
                moment->late->leave(moment->late, NULL);
        }
        code = open_late(&late, s);
        for (int i = 0; code == RG_OK && i < 3; i++)
            late->values[i]->late = &late->late;
    }
    pthread_mutex_unlock(&opening);
    *out = late;
    return code;
}

/* Begin the next step: its number is returned and its rate is noted. From now on all rows
 * but its own are behind. */
static rg_status begin_step(rg_adam_late *late, const rg_adam_step *s, uint32_t *number)
{
    uint32_t next = atomic_load(&late->now) + 1;
    float *chunk = atomic_load(&late->rates[next / CHUNK]);
    if (chunk == NULL) {
        chunk = rg_alloc_zero(CHUNK, sizeof *chunk);
        if (chunk == NULL)
            return rg_no_memory(CHUNK * sizeof *chunk, "Adam's rates");
        atomic_store_explicit(&late->rates[next / CHUNK], chunk, memory_order_release);
    }
    chunk[next % CHUNK] = s->rate;
    atomic_store(&late->behind, true);
    atomic_store(&late->now, next);
    *number = next;
    return RG_OK;
}

RG_HOT static void step_row(float *p, float *m, float *v, const float *g, float b1, float b2,
                            float eps, float rate, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float a = b1 * m[i] + (1 - b1) * g[i];
        float b = b2 * v[i] + (1 - b2) * g[i] * g[i];
        m[i] = a;
        v[i] = b;
        p[i] -= rate * (a / (sqrtf(b) + eps));
    }
}

/* Rows that lag are first brought to the step before. Nearly always none does: they have
 * been looked up for this gradient. */
static void step_rows(rg_adam_late *late, const rg_adam_step *s, uint32_t number)
{
    int64_t width = late->width;
    float *p = s->param->data, *m = s->moment1->data, *v = s->moment2->data;
    for (size_t i = 0; i < s->n; i++) {
        int64_t at = s->rows[i] * width;
        if (i + NEAR < s->n)
            fetch_row(late, s->rows[i + NEAR]);
        uint32_t since = atomic_exchange(&late->last[s->rows[i]], number);
        if (since != 0 && since + 1 < number)
            catch_up(late, s->rows[i], remember_missed(late, since, number - 1), number - 1);
        step_row(p + at, m + at, v + at, s->grads + (int64_t)i * width, s->beta1, s->beta2,
                 s->epsilon, s->rate, width);
    }
}

rg_status rg_adam_late_step(const rg_adam_step *s)
{
    rg_adam_late *late;
    uint32_t number;
    RG_TRY(find_late(s, &late));
    if (late->beta1 != s->beta1 || late->beta2 != s->beta2 || late->epsilon != s->epsilon ||
        atomic_load(&late->now) + 2 >= (uint32_t)CHUNK * CHUNKS)
        settle_all(&late->late);
    pthread_mutex_lock(&late->lock);
    if (!late->known) {
        if (atomic_load(&late->now) + 2 >= (uint32_t)CHUNK * CHUNKS)
            atomic_store(&late->now, 1);
        late->beta1 = s->beta1;
        late->beta2 = s->beta2;
        late->epsilon = s->epsilon;
        find_moments(late);
    }
    rg_status code = begin_step(late, s, &number);
    pthread_mutex_unlock(&late->lock);
    RG_TRY(code);
    step_rows(late, s, number);
    return RG_OK;
}
