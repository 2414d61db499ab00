/* batch.c - instances become tensors. */
#include "data/batch.h"

#include "base/mem.h"

#include <pthread.h>
#include <string.h>

/* The LoD of `rows` instances with `each` values, made once and shared. */
typedef struct even_lod {
    size_t rows, each;
    rg_lod *lod;
} even_lod;

enum { EVEN_LODS = 16 };

typedef struct lod_cache {
    int refs; /* atomic */
    pthread_mutex_t lock;
    even_lod even[EVEN_LODS];
    unsigned next; /* which one gives way */
} lod_cache;

typedef struct own {
    const rg_feed *feed;
    lod_cache *cache;
    size_t *runs, room; /* of rg_batch_gather() */
} own;

/* ---- LoDs ---- */

static lod_cache *new_cache(void)
{
    lod_cache *cache = rg_alloc_zero(1, sizeof *cache);
    if (cache != NULL) {
        cache->refs = 1;
        (void)pthread_mutex_init(&cache->lock, NULL);
    }
    return cache;
}

static void release_cache(lod_cache *cache)
{
    if (cache == NULL || __atomic_sub_fetch(&cache->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    for (int i = 0; i < EVEN_LODS; i++)
        rg_lod_release(cache->even[i].lod);
    (void)pthread_mutex_destroy(&cache->lock);
    rg_free(cache);
}

static rg_status find_even(lod_cache *cache, size_t rows, size_t each, rg_lod **out)
{
    for (int i = 0; i < EVEN_LODS; i++) {
        even_lod *e = &cache->even[i];
        if (e->lod != NULL && e->rows == rows && e->each == each)
            return *out = rg_lod_retain(e->lod), RG_OK;
    }
    rg_lod *lod;
    size_t count = rows + 1;
    RG_TRY(rg_lod_new(&lod, 1, &count));
    for (size_t i = 0; i <= rows; i++)
        lod->offset[0][i] = (int64_t)(i * each);
    even_lod *slot = &cache->even[cache->next++ % EVEN_LODS];
    rg_lod_release(slot->lod);
    *slot = (even_lod){rows, each, lod};
    *out = rg_lod_retain(lod);
    return RG_OK;
}

/* The caller's to release. */
static rg_status lod_of_even(own *mine, size_t rows, size_t each, rg_lod **out)
{
    (void)pthread_mutex_lock(&mine->cache->lock);
    rg_status code = find_even(mine->cache, rows, each, out);
    (void)pthread_mutex_unlock(&mine->cache->lock);
    return code;
}

/* ---- open and close ---- */

/* Takes over a reference of the cache. */
static rg_status open_batch(rg_batch **out, const rg_feed *feed, lod_cache *cache)
{
    size_t n = rg_feed_used(feed);
    rg_batch *batch = rg_alloc_zero(1, sizeof *batch);
    own *mine = rg_alloc_zero(1, sizeof *mine);
    rg_value **values = rg_alloc_zero(n ? n : 1, sizeof *values);
    if (batch == NULL || mine == NULL || values == NULL || cache == NULL) {
        rg_free(batch);
        rg_free(mine);
        rg_free(values);
        release_cache(cache);
        return rg_no_memory(n * sizeof *values, "a batch");
    }
    *mine = (own){feed, cache};
    batch->own = mine;
    batch->values = values;
    batch->n = n;
    for (size_t i = 0; i < n; i++) {
        rg_status code = rg_value_new(&values[i]);
        if (code != RG_OK) {
            rg_batch_close(batch);
            return code;
        }
    }
    *out = batch;
    return RG_OK;
}

rg_status rg_batch_open(rg_batch **out, const rg_feed *feed)
{
    return open_batch(out, feed, new_cache());
}

rg_status rg_batch_open_like(rg_batch **out, const rg_batch *first)
{
    own *mine = first->own;
    (void)__atomic_add_fetch(&mine->cache->refs, 1, __ATOMIC_RELAXED);
    return open_batch(out, mine->feed, mine->cache);
}

void rg_batch_close(rg_batch *batch)
{
    if (batch == NULL)
        return;
    own *mine = batch->own;
    for (size_t i = 0; i < batch->n; i++)
        rg_value_release(batch->values[i]);
    release_cache(mine->cache);
    rg_origins_fini(&batch->origins);
    rg_free(batch->values);
    rg_free(mine->runs);
    rg_free(mine);
    rg_free(batch);
}

/* ---- shapes ---- */

static rg_status shape_value(rg_batch *batch, size_t i, size_t rows, size_t n)
{
    const rg_feed_slot *slot = rg_feed_used_at(((own *)batch->own)->feed, i);
    rg_shape shape = RG_SHAPE((int64_t)n, 1);
    if (slot->dense) {
        shape = slot->shape;
        shape.dim[0] = (int64_t)rows;
    }
    return rg_value_resize(batch->values[i], slot->dtype, &shape);
}

static bool is_dense(const rg_batch *batch, size_t i)
{
    return rg_feed_used_at(((const own *)batch->own)->feed, i)->dense;
}

/* ---- instances that stand together ---- */

static rg_status fill_column(rg_batch *batch, size_t i, const rg_column *c, size_t first, size_t n)
{
    size_t begin = rg_column_begin(c, first);
    size_t total = n ? rg_column_end(c, first + n - 1) - begin : 0;
    RG_TRY(shape_value(batch, i, n, total));
    rg_value *value = batch->values[i];
    if (total > 0)
        memcpy(value->data, (const char *)c->values + begin * c->size, total * c->size);
    if (is_dense(batch, i))
        return RG_OK;
    rg_lod *lod;
    if (c->ends == NULL) {
        RG_TRY(lod_of_even(batch->own, n, c->each, &lod));
        rg_value_set_lod(value, lod);
        rg_lod_release(lod);
        return RG_OK;
    }
    size_t count = n + 1;
    RG_TRY(rg_lod_new(&lod, 1, &count));
    for (size_t row = 0; row < n; row++)
        lod->offset[0][row + 1] = (int64_t)(c->ends[first + row] - begin);
    rg_value_set_lod(value, lod);
    rg_lod_release(lod);
    return RG_OK;
}

rg_status rg_batch_fill(rg_batch *batch, const rg_rows *rows, size_t first, size_t n)
{
    batch->rows = n;
    rg_origins_clear(&batch->origins);
    rg_origins_add_part(&batch->origins, 0, &rows->origins, first, n);
    for (size_t i = 0; i < batch->n; i++)
        RG_TRY(fill_column(batch, i, &rows->columns[i], first, n));
    return RG_OK;
}

/* ---- instances from everywhere ---- */

/* How many from instance k on stand one behind the other in the same rows: a batch is often a few
 * such runs, which are copied as wholes. */
static size_t run_at(const rg_row_at *at, size_t k, size_t n)
{
    size_t first = k;
    while (k + 1 < n && at[k + 1].rows == at[k].rows && at[k + 1].row == at[k].row + 1)
        k++;
    return k - first + 1;
}

/* Runs of a batch, by where each begins in it. */
typedef struct runs {
    size_t *first, n;
} runs;

static rg_status find_runs(own *mine, const rg_row_at *at, size_t n, runs *r)
{
    *r = (runs){0};
    if (mine->room < n + 1) {
        size_t *more = rg_realloc(mine->runs, (n + 1) * sizeof *more);
        if (more == NULL)
            return rg_no_memory((n + 1) * sizeof *more, "a batch");
        mine->runs = more;
        mine->room = n + 1;
    }
    r->first = mine->runs;
    for (size_t k = 0; k < n; k += run_at(at, k, n))
        r->first[r->n++] = k;
    r->first[r->n] = n;
    return RG_OK;
}

/* The values of a run in a column; *each: of each instance, SIZE_MAX where they differ. */
static size_t count_run(const rg_column *c, size_t row, size_t n, size_t *each)
{
    size_t begin = rg_column_begin(c, row), one = rg_column_end(c, row) - begin;
    for (size_t k = 1; c->ends != NULL && k < n && one != SIZE_MAX; k++)
        if (rg_column_end(c, row + k) - rg_column_begin(c, row + k) != one)
            one = SIZE_MAX;
    *each = one;
    return rg_column_end(c, row + n - 1) - begin;
}

static rg_status gather_column(rg_batch *batch, size_t i, const rg_row_at *at, size_t n,
                               const runs *r)
{
    size_t total = 0, each = SIZE_MAX, size = 8, done = 0;
    bool even = true;
    for (size_t k = 0; k < r->n; k++) {
        const rg_row_at *from = &at[r->first[k]];
        const rg_column *c = &from->rows->columns[i];
        size_t one;
        total += count_run(c, from->row, r->first[k + 1] - r->first[k], &one);
        even = even && one != SIZE_MAX && (k == 0 || one == each);
        each = k == 0 ? one : each;
        size = c->size;
    }
    RG_TRY(shape_value(batch, i, n, total));
    rg_value *value = batch->values[i];
    rg_lod *lod = NULL;
    bool dense = is_dense(batch, i);
    size_t count = n + 1;
    if (!dense && even)
        RG_TRY(lod_of_even(batch->own, n, each, &lod));
    else if (!dense)
        RG_TRY(rg_lod_new(&lod, 1, &count));
    for (size_t k = 0; k < r->n; k++) {
        const rg_row_at *from = &at[r->first[k]];
        const rg_column *c = &from->rows->columns[i];
        size_t some = r->first[k + 1] - r->first[k], begin = rg_column_begin(c, from->row);
        size_t values = rg_column_end(c, from->row + some - 1) - begin;
        const char *data = (const char *)c->values + begin * size;
        if (values * size == 8) /* rows that stand alone */
            memcpy((char *)value->data + done * size, data, 8);
        else if (values > 0)
            memcpy((char *)value->data + done * size, data, values * size);
        for (size_t row = 0; !dense && !even && row < some; row++)
            lod->offset[0][r->first[k] + row + 1] = (int64_t)(done +
                                                              rg_column_end(c, from->row + row) -
                                                              begin);
        done += values;
    }
    if (lod != NULL)
        rg_value_set_lod(value, lod);
    rg_lod_release(lod);
    return RG_OK;
}

rg_status rg_batch_gather(rg_batch *batch, const rg_row_at *common, const rg_row_at *const *at,
                          size_t n)
{
    runs r;
    const rg_row_at *found = common; /* whose runs these are */
    batch->rows = n;
    rg_origins_clear(&batch->origins);
    RG_TRY(find_runs(batch->own, common, n, &r));
    for (size_t k = 0; k < r.n; k++)
        rg_origins_add_part(&batch->origins, r.first[k], &common[r.first[k]].rows->origins,
                            common[r.first[k]].row, r.first[k + 1] - r.first[k]);
    for (size_t i = 0; i < batch->n; i++) {
        const rg_row_at *from = at && at[i] ? at[i] : common;
        if (from != found)
            RG_TRY(find_runs(batch->own, from, n, &r));
        found = from;
        RG_TRY(gather_column(batch, i, from, n, &r));
    }
    return RG_OK;
}
