/* ids.c - ids dealt out to servers, and what servers gave for them put together again.
 *
 *   split_ids          Out[s] = the ids of all inputs that are s modulo the number of outputs,
 *                      each once, in order
 *   merge_ids          Out[i] = for each id of Ids[i] its row: X[s] has a row for each id of
 * Rows[s] ref_by_trainer_id  Out = X[TrainerId] */
#include "ops/number.h"
#include "ops/sequences.h"

#include <stdlib.h>
#include <string.h>

enum { IDS, ROWS, X };
enum { OUT };

/* ---- split_ids ---- */

static rg_status split_infer(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_meta *ids = rg_in_meta_n(ctx, IDS, i);
        if (ids == NULL || ids->dtype != RG_I64)
            return rg_fail(RG_ESHAPE, "%s (Ids) must be int64", rg_in_name(ctx, IDS, i));
    }
    for (int i = 0; !rg_running(ctx) && i < rg_n_out(ctx, OUT); i++)
        rg_set_out_n(ctx, OUT, i, RG_I64, &RG_SHAPE(-1, 1));
    return RG_OK;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static rg_status split_kernel(rg_ctx *ctx)
{
    int64_t total = 0, n = 0, parts = rg_n_out(ctx, OUT);
    for (int i = 0; i < rg_n_in(ctx, IDS); i++)
        total += rg_numel(rg_in_n(ctx, IDS, i));
    int64_t *all = rg_scratch(ctx, (size_t)(total + 1) * sizeof *all);
    if (all == NULL)
        return RG_ENOMEM;
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_value *ids = rg_in_n(ctx, IDS, i);
        if (rg_numel(ids) > 0)
            memcpy(all + n, ids->data, rg_value_bytes(ids));
        n += rg_numel(ids);
    }
    qsort(all, (size_t)n, sizeof *all, by_id);
    for (int64_t i = total = 0; i < n; i++) {
        if (all[i] < 0)
            return rg_fail(RG_EVALUE, "an id is %lld, and none may be below 0", (long long)all[i]);
        if (i == 0 || all[i] != all[total - 1])
            all[total++] = all[i];
    }
    for (int64_t part = 0; part < parts; part++) {
        int64_t count = 0;
        for (int64_t i = 0; i < total; i++)
            count += all[i] % parts == part;
        RG_TRY(rg_out_resize(ctx, OUT, (int)part, RG_I64, &RG_SHAPE(count, 1)));
        rg_value *out = rg_out_n(ctx, OUT, (int)part);
        int64_t *to = out ? out->data : NULL;
        for (int64_t i = 0; to != NULL && i < total; i++)
            if (all[i] % parts == part)
                *to++ = all[i];
    }
    return RG_OK;
}

const rg_op rg_op_split_ids = {
    .type = "split_ids",
    .doc = "Ids dealt out by their remainders.",
    .in = RG_SLOTS([IDS] = {"Ids", "int64", RG_REPEATED | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "those of each remainder, [n, 1]", RG_REPEATED}),
    .flags = RG_OP_DYNAMIC,
    .infer = split_infer,
    .kernel = split_kernel,
};

/* ---- merge_ids ---- */

static rg_status merge_infer(rg_ctx *ctx)
{
    const rg_meta *first = rg_in_meta(ctx, X);
    if (rg_n_in(ctx, ROWS) != rg_n_in(ctx, X) || rg_n_in(ctx, IDS) != rg_n_out(ctx, OUT))
        return rg_fail(RG_ESHAPE,
                       "there are %d Rows and %d X, %d Ids and %d Out: each two must "
                       "be as many",
                       rg_n_in(ctx, ROWS), rg_n_in(ctx, X), rg_n_in(ctx, IDS), rg_n_out(ctx, OUT));
    for (int s = 0; s < rg_n_in(ctx, X); s++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, s), *rows = rg_in_meta_n(ctx, ROWS, s);
        if (x == NULL || x->shape.rank != 2 || x->dtype != first->dtype ||
            !rg_shape_fits(&x->shape, &RG_SHAPE(-1, first->shape.dim[1])))
            return rg_fail(RG_ESHAPE, "%s (X) must be a matrix as wide as %s and of its type",
                           rg_in_name(ctx, X, s), rg_in_name(ctx, X, 0));
        if (rows == NULL || rows->dtype != RG_I64 ||
            (rg_running(ctx) && rg_shape_numel(&rows->shape) != x->shape.dim[0]))
            return rg_fail(RG_ESHAPE, "%s (Rows) must be int64, an id for each row of %s",
                           rg_in_name(ctx, ROWS, s), rg_in_name(ctx, X, s));
    }
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_meta *ids = rg_in_meta_n(ctx, IDS, i);
        if (ids == NULL || ids->dtype != RG_I64 || ids->shape.rank < 1)
            return rg_fail(RG_ESHAPE, "%s (Ids) must be int64", rg_in_name(ctx, IDS, i));
        rg_set_out_n(ctx, OUT, i, first->dtype, &RG_SHAPE(ids->shape.dim[0], first->shape.dim[1]));
    }
    return RG_OK;
}

/* Where the row of an id is. */
typedef struct place {
    int64_t id;
    const uint8_t *row;
} place;

static rg_status merge_kernel(rg_ctx *ctx)
{
    size_t n = 0, width = rg_row_bytes(rg_in(ctx, X));
    for (int s = 0; s < rg_n_in(ctx, X); s++)
        n += (size_t)rg_numel(rg_in_n(ctx, ROWS, s));
    place *places = rg_scratch(ctx, (n + 1) * sizeof *places);
    if (places == NULL)
        return RG_ENOMEM;
    n = 0;
    for (int s = 0; s < rg_n_in(ctx, X); s++) {
        const rg_value *rows = rg_in_n(ctx, ROWS, s), *x = rg_in_n(ctx, X, s);
        for (int64_t r = 0; r < rg_numel(rows); r++)
            places[n++] = (place){((const int64_t *)rows->data)[r], rg_row(x, r)};
    }
    qsort(places, n, sizeof *places, by_id);
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_value *ids = rg_in_n(ctx, IDS, i);
        rg_value *out = rg_out_n(ctx, OUT, i);
        for (int64_t k = 0; out != NULL && k < ids->meta.shape.dim[0]; k++) {
            const int64_t *id = (const int64_t *)ids->data + k;
            const place *found = bsearch(id, places, n, sizeof *places, by_id);
            if (found == NULL)
                return rg_fail(RG_EVALUE, "%s (Ids) has the id %lld, which is in none of Rows",
                               rg_in_name(ctx, IDS, i), (long long)*id);
            memcpy(rg_row(out, k), found->row, width);
        }
    }
    return RG_OK;
}

const rg_op rg_op_merge_ids = {
    .type = "merge_ids",
    .doc = "What servers gave for ids, put together in the ids' order.",
    .in = RG_SLOTS([IDS] = {"Ids", "int64, the ids asked for", RG_REPEATED | RG_NO_GRAD},
                   [ROWS] = {"Rows", "int64, the ids of each X", RG_REPEATED | RG_NO_GRAD},
                   [X] = {"X", "their rows", RG_REPEATED | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "a row for each id of Ids", RG_REPEATED}),
    .infer = merge_infer,
    .kernel = merge_kernel,
};

/* ---- ref_by_trainer_id ---- */

enum { T_X, TRAINER_ID };

static rg_status ref_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, TRAINER_ID, RG_I64));
    if (!rg_running(ctx))
        rg_set_like(ctx, OUT, T_X);
    return RG_OK;
}

static rg_status ref_kernel(rg_ctx *ctx)
{
    int64_t id = *(const int64_t *)rg_in_data(ctx, TRAINER_ID);
    if (id < 0 || id >= rg_n_in(ctx, T_X))
        return rg_fail(RG_EVALUE, "TrainerId is %lld, and there are %d X", (long long)id,
                       rg_n_in(ctx, T_X));
    const rg_value *x = rg_in_n(ctx, T_X, (int)id);
    RG_TRY(rg_out_resize(ctx, OUT, 0, x->meta.dtype, &x->meta.shape));
    rg_value_set_lod(rg_out(ctx, OUT), x->meta.lod);
    memcpy(rg_out_data(ctx, OUT), x->data, rg_value_bytes(x));
    return RG_OK;
}

const rg_op rg_op_ref_by_trainer_id = {
    .type = "ref_by_trainer_id",
    .doc = "The one of several tensors that is a trainer's.",
    .in = RG_SLOTS([T_X] = {"X", "one for each trainer", RG_REPEATED | RG_NO_GRAD},
                   [TRAINER_ID] = {"TrainerId", "one int64", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "that of the trainer"}),
    .flags = RG_OP_DYNAMIC,
    .infer = ref_infer,
    .kernel = ref_kernel,
};
