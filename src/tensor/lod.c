/* lod.c - making, checking and comparing levels of detail. */
#include "tensor/lod.h"

#include "base/mem.h"

#include <string.h>

rg_status rg_lod_new(rg_lod **out, int levels, const size_t *counts)
{
    if (levels < 1 || levels > RG_MAX_LOD)
        return rg_fail(RG_ETOOBIG, "a LoD of %d levels, and it may have 1 to %d", levels,
                       RG_MAX_LOD);
    size_t offsets = 0, bytes;
    for (int i = 0; i < levels; i++)
        if (!rg_add_size(offsets, counts[i], &offsets))
            return rg_fail(RG_ETOOBIG, "a LoD with %zu offsets in level %d", counts[i], i);
    if (!rg_mul_size(offsets, sizeof(int64_t), &bytes) ||
        !rg_add_size(bytes, sizeof(rg_lod), &bytes))
        return rg_fail(RG_ETOOBIG, "a LoD with %zu offsets", offsets);
    rg_lod *lod = rg_alloc_zero(1, bytes);
    if (lod == NULL)
        return rg_no_memory(bytes, "a LoD");
    lod->refs = 1;
    lod->levels = levels;
    int64_t *at = (int64_t *)(lod + 1);
    for (int i = 0; i < levels; i++) {
        lod->count[i] = counts[i];
        lod->offset[i] = at;
        at += counts[i];
    }
    *out = lod;
    return RG_OK;
}

rg_lod *rg_lod_retain(rg_lod *lod)
{
    if (lod != NULL)
        (void)__atomic_add_fetch(&lod->refs, 1, __ATOMIC_RELAXED);
    return lod;
}

void rg_lod_release(rg_lod *lod)
{
    if (lod != NULL && __atomic_sub_fetch(&lod->refs, 1, __ATOMIC_ACQ_REL) == 0)
        rg_free(lod);
}

rg_status rg_lod_from_lengths(rg_lod **out, int levels, const size_t *counts,
                              const int64_t *const *lengths)
{
    size_t with_end[RG_MAX_LOD];
    if (levels < 1 || levels > RG_MAX_LOD)
        return rg_fail(RG_ETOOBIG, "a LoD of %d levels, and it may have 1 to %d", levels,
                       RG_MAX_LOD);
    for (int i = 0; i < levels; i++)
        with_end[i] = counts[i] + 1;
    rg_lod *lod;
    RG_TRY(rg_lod_new(&lod, levels, with_end));
    for (int i = 0; i < levels; i++)
        for (size_t k = 0; k < counts[i]; k++) {
            int64_t length = lengths[i][k];
            if (length < 0 || length > INT64_MAX - lod->offset[i][k]) {
                rg_lod_release(lod);
                return rg_fail(RG_EINVAL, "sequence %zu of level %d has the length %lld", k, i,
                               (long long)length);
            }
            lod->offset[i][k + 1] = lod->offset[i][k] + length;
        }
    *out = lod;
    return RG_OK;
}

rg_status rg_lod_slice(rg_lod **out, const rg_lod *of, int first, int end)
{
    *out = NULL;
    if (of == NULL || first >= end)
        return RG_OK;
    rg_lod *lod;
    RG_TRY(rg_lod_new(&lod, end - first, of->count + first));
    for (int i = first; i < end; i++)
        memcpy(lod->offset[i - first], of->offset[i], of->count[i] * sizeof(int64_t));
    *out = lod;
    return RG_OK;
}

rg_status rg_lod_check(const rg_lod *lod, int64_t rows)
{
    for (int i = 0; i < lod->levels; i++) {
        if (lod->count[i] < 1 || lod->offset[i][0] != 0)
            return rg_fail(RG_ECORRUPT, "LoD level %d does not begin with 0", i);
        for (size_t k = 1; k < lod->count[i]; k++)
            if (lod->offset[i][k] < lod->offset[i][k - 1])
                return rg_fail(RG_ECORRUPT, "LoD level %d falls from %lld to %lld at offset %zu", i,
                               (long long)lod->offset[i][k - 1], (long long)lod->offset[i][k], k);
        int64_t last = lod->offset[i][lod->count[i] - 1];
        if (i + 1 < lod->levels && last != rg_lod_sequences(lod, i + 1))
            return rg_fail(RG_ECORRUPT, "LoD level %d covers %lld sequences, but level %d has %lld",
                           i, (long long)last, i + 1, (long long)rg_lod_sequences(lod, i + 1));
        if (i + 1 == lod->levels && rows >= 0 && last != rows)
            return rg_fail(RG_ECORRUPT, "the LoD covers %lld rows, but the tensor has %lld",
                           (long long)last, (long long)rows);
    }
    return RG_OK;
}

bool rg_lod_equal(const rg_lod *a, const rg_lod *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->levels != b->levels)
        return false;
    for (int i = 0; i < a->levels; i++)
        if (a->count[i] != b->count[i] ||
            memcmp(a->offset[i], b->offset[i], a->count[i] * sizeof(int64_t)) != 0)
            return false;
    return true;
}
