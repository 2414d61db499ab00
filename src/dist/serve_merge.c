/* serve_merge.c - gradients of one push or of several trainers made one: rows each once, dense
 * ones added in the order of the trainers' numbers, so that a run repeats bit by bit. */
#include "dist/serve_push.h"

#include "base/copy_row.h"
#include "base/hot.h"
#include "base/mem.h"
#include "ops/sort_keys.h"

bool rg_pushing_rows(const rg_pushing *p, uint32_t i, const rg_shard *shard, rg_merge_part *part)
{
    const rg_engine *s = shard->engine;
    int owner = s->owners[p->push.sparse[i].var];
    *part = (rg_merge_part){&p->push.sparse[i],
                            p->rows[i * (uint32_t)s->n_shards + (uint32_t)shard->number]};
    return owner == RG_EVERY_SHARD || owner == shard->number;
}

static inline uint32_t number_of(const rg_some *some, uint32_t i)
{
    return some->at != NULL ? some->at[i] : i;
}

typedef struct keyed_rows {
    rg_keyed *keys;
    const float **from;
    size_t n;
    bool ascending; /* each id once */
} keyed_rows;

static rg_status list_rows(rg_shard *shard, const rg_merge_part *parts, int n_parts, int64_t width,
                           keyed_rows *out)
{
    size_t total = 0, k = 0;
    for (int p = 0; p < n_parts; p++)
        total += parts[p].some.n;
    out->keys = rg_arena_alloc(&shard->scratch, (total + 1) * sizeof *out->keys);
    out->from = rg_arena_alloc(&shard->scratch, (total + 1) * sizeof *out->from);
    out->n = total;
    out->ascending = true;
    if (out->keys == NULL || out->from == NULL)
        return rg_no_memory(total, "rows");
    for (int p = 0; p < n_parts; p++)
        for (uint32_t i = 0; i < parts[p].some.n; i++, k++) {
            uint32_t at = number_of(&parts[p].some, i);
            out->from[k] = parts[p].rows->rows + (int64_t)at * width;
            out->keys[k] = (rg_keyed){(uint64_t)parts[p].rows->ids[at], (int64_t)k};
            out->ascending = out->ascending && (k == 0 || out->keys[k].key > out->keys[k - 1].key);
        }
    return RG_OK;
}

RG_HOT static void scale_to(float *to, const float *from, float scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] * scale;
}

/* Those of one id, which stand together, added up; how many ids there are. */
RG_HOT static size_t add_up(const keyed_rows *rows, int64_t width, int64_t *ids, float *grads)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const float *row = rows->from[rows->keys[i].at];
        float *to = grads + (int64_t)n * width;
        if (i > 0 && rows->keys[i].key == rows->keys[i - 1].key) {
            for (int64_t c = 0; c < width; c++)
                to[c - width] += row[c];
            continue;
        }
        rg_copy_row(to, row, (size_t)width);
        ids[n++] = (int64_t)rows->keys[i].key;
    }
    return n;
}

rg_status rg_merge_pushed(rg_shard *shard, const rg_merge_part *parts, int n_parts, int64_t width,
                          float scale, int64_t **ids, float **grads, size_t *n)
{
    keyed_rows rows;
    RG_TRY(list_rows(shard, parts, n_parts, width, &rows));
    *ids = rg_arena_alloc(&shard->scratch, (rows.n + 1) * sizeof **ids);
    *grads = rg_arena_alloc(&shard->scratch, (rows.n + 1) * (size_t)width * sizeof **grads);
    rg_keyed *spare = rows.ascending
                          ? rows.keys
                          : rg_arena_alloc(&shard->scratch, (rows.n + 1) * sizeof *spare);
    if (!*ids || !*grads || !spare)
        return rg_no_memory(rows.n, "rows");
    if (!rows.ascending)
        rg_sort_keys(rows.keys, spare, (int64_t)rows.n); /* stable: trainers stay in order */
    *n = add_up(&rows, width, *ids, *grads);
    if (scale != 1)
        scale_to(*grads, *grads, scale, (int64_t)*n * width);
    return RG_OK;
}

/* ---- dense ---- */

RG_HOT static void add_scaled(float *to, const float *a, const float *b, float scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (a[i] + b[i]) * scale;
}

/* A piece at a time, so that the sum stays in the first cache while all are added to it. */
void rg_merge_values(float *to, const float *const *found, int count, float scale, int64_t first,
                     int64_t n)
{
    for (int64_t at = 0; at < n; at += RG_MERGE_PIECE, to += RG_MERGE_PIECE) {
        int64_t m = n - at < RG_MERGE_PIECE ? n - at : RG_MERGE_PIECE, from = first + at;
        if (count == 1)
            scale_to(to, found[0] + from, scale, m);
        else
            add_scaled(to, found[0] + from, found[1] + from, count == 2 ? scale : 1, m);
        for (int i = 2; i < count; i++)
            add_scaled(to, to, found[i] + from, i + 1 == count ? scale : 1, m);
    }
}
