/* parallel_fetch.c - what several threads computed, as one value. */
#include "exec/parallel_priv.h"

#include "base/mem.h"

#include <string.h>

int rg_parallel_threads(const rg_parallel *p)
{
    return p->threads;
}

int rg_parallel_active(const rg_parallel *p)
{
    return p->active;
}

const rg_value *rg_parallel_fetch_part(const rg_parallel *p, int thread, int i)
{
    const rg_fetched *from = &p->fetched[i];
    if (from->part == RG_OF_APPLY)
        return rg_plan_fetch(p->apply, from->number);
    const rg_value *mean = from->part == RG_OF_SHARED ? rg_plan_feed(p->apply, from->number) : NULL;
    if (mean != NULL)
        return mean;
    int number = from->part == RG_OF_SHARED ? p->shared[from->number].fetch : from->number;
    return rg_plan_fetch(p->plans[thread], number);
}

/* The LoDs of the parts one after another; NULL where the first has none. */
static rg_status join_lods(const rg_value *const *parts, int n, rg_lod **out)
{
    const rg_lod *first = parts[0]->meta.lod;
    size_t counts[RG_MAX_LOD], at[RG_MAX_LOD] = {0};
    *out = NULL;
    if (first == NULL)
        return RG_OK;
    for (int level = 0; level < first->levels; level++) {
        counts[level] = 1;
        for (int t = 0; t < n; t++) {
            const rg_lod *lod = parts[t]->meta.lod;
            if (lod == NULL || lod->levels != first->levels)
                return rg_fail(RG_ESHAPE, "the threads' values of a fetch differ in their LoD");
            counts[level] += (size_t)rg_lod_sequences(lod, level);
        }
    }
    RG_TRY(rg_lod_new(out, first->levels, counts));
    for (int t = 0; t < n; t++) {
        const rg_lod *lod = parts[t]->meta.lod;
        for (int level = 0; level < lod->levels; level++) {
            int64_t *to = (*out)->offset[level] + at[level], start = to[0];
            size_t sequences = (size_t)rg_lod_sequences(lod, level);
            for (size_t k = 1; k <= sequences; k++)
                to[k] = start + lod->offset[level][k];
            at[level] += sequences;
        }
    }
    return RG_OK;
}

static rg_status join_tensors(const rg_value *const *parts, int n, rg_value *out)
{
    rg_shape shape = parts[0]->meta.shape;
    rg_lod *lod;
    if (shape.rank < 1)
        return rg_value_copy(out, parts[0]);
    shape.dim[0] = 0;
    for (int t = 0; t < n; t++) {
        if (parts[t]->meta.kind != RG_TENSOR ||
            rg_value_width(parts[t]) != rg_value_width(parts[0]))
            return rg_fail(RG_ESHAPE, "the threads' values of a fetch differ in shape; fetch them "
                                      "with return_merged=False");
        shape.dim[0] += parts[t]->meta.shape.dim[0];
    }
    RG_TRY(rg_value_resize(out, parts[0]->meta.dtype, &shape));
    RG_TRY(join_lods(parts, n, &lod));
    rg_value_set_lod(out, lod);
    rg_lod_release(lod);
    uint8_t *to = out->data;
    for (int t = 0; t < n; t++) {
        size_t bytes = rg_value_bytes(parts[t]);
        if (bytes > 0)
            memcpy(to, parts[t]->data, bytes);
        to += bytes;
    }
    return RG_OK;
}

/* Arrays are joined item by item. `items` has room for n. */
static rg_status join_arrays(const rg_value *const *parts, int n, const rg_value **items,
                             rg_value *out)
{
    size_t length = parts[0]->n_items;
    rg_value_array_clear(out);
    out->meta.kind = RG_ARRAY;
    for (size_t k = 0; k < length; k++) {
        rg_value *item;
        for (int t = 0; t < n; t++) {
            if (parts[t]->meta.kind != RG_ARRAY || parts[t]->n_items != length)
                return rg_fail(RG_ESHAPE, "the threads' arrays of a fetch differ in length; fetch "
                                          "them with return_merged=False");
            items[t] = parts[t]->items[k];
            if (items[t] == NULL || items[t]->data == NULL)
                return rg_fail(RG_EINVAL, "item %zu of a fetched array was not written", k);
        }
        RG_TRY(rg_value_item(out, k, &item));
        RG_TRY(join_tensors(items, n, item));
    }
    return RG_OK;
}

rg_status rg_parallel_fetch(const rg_parallel *p, int i, rg_value *out)
{
    const rg_value **parts = rg_alloc(2 * (size_t)p->active * sizeof *parts);
    rg_status code;
    if (parts == NULL)
        return rg_no_memory(1, "a fetch");
    for (int t = 0; t < p->active; t++)
        parts[t] = rg_parallel_fetch_part(p, t, i);
    if (parts[0]->meta.kind == RG_TENSOR)
        code = join_tensors(parts, p->active, out);
    else if (parts[0]->meta.kind == RG_ARRAY)
        code = join_arrays(parts, p->active, parts + p->active, out);
    else
        code = rg_value_copy(out, parts[0]);
    rg_free(parts);
    return code;
}
