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

static void copy_values(char *to, const char *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

static rg_status gather_column(rg_batch *batch, size_t i, const rg_row_at *at, size_t n)
{
    size_t total = 0, each = SIZE_MAX, size = 8, done = 0;
    bool even = true;
    for (size_t k = 0; k < n; k++) {
        const rg_column *c = &at[k].rows->columns[i];
        size_t values = rg_column_end(c, at[k].row) - rg_column_begin(c, at[k].row);
        even = even && (k == 0 || values == each);
        each = k == 0 ? values : each;
        total += values;
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
    for (size_t k = 0; k < n; k++) {
        const rg_column *c = &at[k].rows->columns[i];
        size_t begin = rg_column_begin(c, at[k].row);
        size_t values = rg_column_end(c, at[k].row) - begin;
        copy_values((char *)value->data + done * size, (const char *)c->values + begin * size,
                    values * size);
        done += values;
        if (!dense && !even)
            lod->offset[0][k + 1] = (int64_t)done;
    }
    if (lod != NULL)
        rg_value_set_lod(value, lod);
    rg_lod_release(lod);
    return RG_OK;
}

rg_status rg_batch_gather(rg_batch *batch, const rg_row_at *common, const rg_row_at *const *at,
                          size_t n)
{
    batch->rows = n;
    rg_origins_clear(&batch->origins);
    for (size_t i = 0; i < n; i++)
        rg_origins_add_part(&batch->origins, i, &common[i].rows->origins, common[i].row, 1);
    for (size_t i = 0; i < batch->n; i++)
        RG_TRY(gather_column(batch, i, at && at[i] ? at[i] : common, n));
    return RG_OK;
}
