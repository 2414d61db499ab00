/* units.c - sequences picked out of tensors. */
#include "ops/units.h"

#include "ops/sequences.h"

#include <string.h>

int64_t rg_units(const rg_value *value, int depth)
{
    const rg_lod *lod = value->meta.lod;
    if (depth == 0)
        return value->meta.shape.rank > 0 ? value->meta.shape.dim[0] : 0;
    return rg_lod_sequences(lod, lod->levels - depth);
}

static rg_status check(const rg_pick *pick, int depth, const rg_value *like)
{
    const rg_value *from = pick->from;
    if (from == NULL || from->data == NULL)
        return rg_fail(RG_EINVAL, "a sequence is wanted of a tensor that has no value");
    if (rg_depth(from) < depth)
        return rg_fail(RG_ESHAPE, "a LoD of %d levels, and at least %d are wanted", rg_depth(from),
                       depth);
    if (from->meta.dtype != like->meta.dtype || rg_value_width(from) != rg_value_width(like)) {
        char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "tensors of shapes %s and %s cannot be put together",
                       rg_shape_text(&from->meta.shape, ta), rg_shape_text(&like->meta.shape, tb));
    }
    if (pick->unit < 0 || pick->unit >= rg_units(from, depth))
        return rg_fail(RG_EVALUE, "sequence %lld of %lld", (long long)pick->unit,
                       (long long)rg_units(from, depth));
    return RG_OK;
}

/* One level down: the parts [*from, *to) of level `level` as parts of the next. */
static void descend(const rg_lod *lod, int level, int64_t *from, int64_t *to)
{
    *from = lod->offset[level][*from];
    *to = lod->offset[level][*to];
}

/* The LoD of the units and, in *rows, how many rows they have; no LoD where depth is 0. */
static rg_status join_lods(const rg_pick *picks, int64_t n, int depth, rg_lod **out, int64_t *rows)
{
    size_t counts[RG_MAX_LOD], filled[RG_MAX_LOD] = {0};
    for (int d = 0; d < depth; d++)
        counts[d] = 1;
    *rows = 0;
    *out = NULL;
    for (int64_t i = 0; i < n; i++) {
        const rg_lod *lod = picks[i].from->meta.lod;
        int64_t from = picks[i].unit, to = from + 1;
        for (int d = 0; d < depth; d++) {
            counts[d] += (size_t)(to - from);
            descend(lod, lod->levels - depth + d, &from, &to);
        }
        *rows += to - from;
    }
    if (depth == 0)
        return RG_OK;
    RG_TRY(rg_lod_new(out, depth, counts));
    for (int64_t i = 0; i < n; i++) {
        const rg_lod *lod = picks[i].from->meta.lod;
        int64_t from = picks[i].unit, to = from + 1;
        for (int d = 0; d < depth; d++) {
            const int64_t *offset = lod->offset[lod->levels - depth + d];
            int64_t *into = (*out)->offset[d];
            for (int64_t s = from; s < to; s++, filled[d]++)
                into[filled[d] + 1] = into[filled[d]] + offset[s + 1] - offset[s];
            descend(lod, lod->levels - depth + d, &from, &to);
        }
    }
    return RG_OK;
}

rg_status rg_pick_units(rg_value *out, const rg_pick *picks, int64_t n, int depth,
                        const rg_value *like)
{
    rg_shape shape = like->meta.shape;
    rg_lod *lod;
    for (int64_t i = 0; i < n; i++)
        RG_TRY(check(&picks[i], depth, like));
    if (shape.rank < 1)
        return rg_fail(RG_ESHAPE, "a tensor of no dimensions has no rows");
    RG_TRY(join_lods(picks, n, depth, &lod, &shape.dim[0]));
    rg_status code = rg_value_resize(out, like->meta.dtype, &shape);
    if (code == RG_OK)
        rg_value_set_lod(out, lod);
    rg_lod_release(lod);
    uint8_t *to = out->data;
    for (int64_t i = 0; code == RG_OK && i < n; i++) {
        const rg_lod *of = picks[i].from->meta.lod;
        int64_t begin = picks[i].unit, end = begin + 1;
        for (int d = 0; d < depth; d++)
            descend(of, of->levels - depth + d, &begin, &end);
        size_t bytes = (size_t)(end - begin) * rg_row_bytes(out);
        memcpy(to, rg_row(picks[i].from, begin), bytes);
        to += bytes;
    }
    return code;
}
