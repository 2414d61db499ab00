/* unique.c - the different elements of a vector, in the order they first come.
 *
 *   unique              Out, and for every element of X its place in Out
 *   unique_with_counts  and how often each comes */
#include "base/map.h"
#include "ops/number.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT, INDEX, COUNT };
enum { DTYPE };

static rg_status infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    RG_TRY(rg_dtype_from_attr(ctx, DTYPE, &dtype));
    if (dtype != RG_I32 && dtype != RG_I64)
        return rg_fail(RG_EINVAL, "dtype is %s, and must be int32 or int64", rg_dtype_name(dtype));
    RG_TRY(rg_expect_rank(ctx, X, 1));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(-1));
    rg_set_out(ctx, INDEX, dtype, rg_shape_of(ctx, X));
    if (ctx->op->out[COUNT].name != NULL)
        rg_set_out(ctx, COUNT, dtype, &RG_SHAPE(-1));
    return RG_OK;
}

/* Two floats are one element when they are equal: 0 and -0 are, two NaNs are not. */
static bool same(const rg_value *x, int64_t a, int64_t b)
{
    switch ((int)x->meta.dtype) {
    case RG_F32:
        return ((const float *)x->data)[a] == ((const float *)x->data)[b];
    case RG_F64:
        return ((const double *)x->data)[a] == ((const double *)x->data)[b];
    case RG_I32:
        return ((const int32_t *)x->data)[a] == ((const int32_t *)x->data)[b];
    default:
        return ((const int64_t *)x->data)[a] == ((const int64_t *)x->data)[b];
    }
}

static uint64_t hash(const rg_value *x, int64_t i)
{
    size_t size = rg_dtype_size(x->meta.dtype);
    const char *at = (const char *)x->data + (size_t)i * size;
    if (rg_dtype_is_float(x->meta.dtype) && rg_number_at(x, i) == 0)
        return 0;
    return rg_hash_bytes(at, size, 0);
}

typedef struct found {
    int64_t n;      /* different elements */
    int64_t *first; /* where in X each first comes */
    int64_t *count;
    int64_t *place; /* of every element of X, which of them it is */
} found;

/* By a hash table that is at most half full. */
static rg_status find(rg_ctx *ctx, const rg_value *x, found *f)
{
    int64_t n = rg_numel(x);
    size_t slots = 16;
    while (slots < 2 * (size_t)n)
        slots *= 2;
    int64_t *table = rg_scratch(ctx, slots * sizeof *table); /* 0: free, else 1 + number */
    int64_t *memory = rg_scratch(ctx, 3 * (size_t)n * sizeof *memory);
    if (table == NULL || memory == NULL)
        return RG_ENOMEM;
    memset(table, 0, slots * sizeof *table);
    *f = (found){0, memory, memory + n, memory + 2 * n};
    for (int64_t i = 0; i < n; i++) {
        size_t at = hash(x, i) & (slots - 1);
        while (table[at] != 0 && !same(x, f->first[table[at] - 1], i))
            at = (at + 1) & (slots - 1);
        if (table[at] == 0) {
            f->first[f->n] = i;
            f->count[f->n] = 0;
            table[at] = ++f->n;
        }
        f->place[i] = table[at] - 1;
        f->count[f->place[i]]++;
    }
    return RG_OK;
}

static rg_status put(rg_ctx *ctx, int slot, const int64_t *numbers, int64_t n)
{
    rg_dtype dtype = (rg_dtype)rg_attr_int(ctx, DTYPE);
    if (!rg_has_out(ctx, slot))
        return RG_OK;
    RG_TRY(rg_out_resize(ctx, slot, 0, dtype, &RG_SHAPE(n)));
    void *out = rg_out_data(ctx, slot);
    for (int64_t i = 0; i < n; i++)
        if (dtype == RG_I32)
            ((int32_t *)out)[i] = (int32_t)numbers[i];
        else
            ((int64_t *)out)[i] = numbers[i];
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    size_t size = rg_dtype_size(x->meta.dtype);
    found f;
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32, RG_F64, RG_I32, RG_I64));
    RG_TRY(find(ctx, x, &f));
    RG_TRY(rg_out_resize(ctx, OUT, 0, x->meta.dtype, &RG_SHAPE(f.n)));
    char *out = rg_out_data(ctx, OUT);
    for (int64_t i = 0; i < f.n; i++)
        memcpy(out + (size_t)i * size, (const char *)x->data + (size_t)f.first[i] * size, size);
    RG_TRY(put(ctx, INDEX, f.place, rg_numel(x)));
    return ctx->op->out[COUNT].name != NULL ? put(ctx, COUNT, f.count, f.n) : RG_OK;
}

#define ATTRS RG_ATTRS([DTYPE] = RG_REQUIRED("dtype", RG_ATTR_INT, "of Index: int32 or int64"))
#define TWO_OUT                                                                                 \
    [OUT] = {"Out", "the different elements"}, [INDEX] = {"Index", "the place of each of X in " \
                                                                   "Out"}

const rg_op rg_op_unique = {
    .type = "unique",
    .doc = "The different elements of a vector.",
    .in = RG_SLOTS([X] = {"X", "one dimension", RG_NO_GRAD}),
    .out = RG_SLOTS(TWO_OUT, [COUNT] = {.name = NULL}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_unique_with_counts = {
    .type = "unique_with_counts",
    .doc = "The different elements of a vector, and how often each comes.",
    .in = RG_SLOTS([X] = {"X", "one dimension", RG_NO_GRAD}),
    .out = RG_SLOTS(TWO_OUT, [COUNT] = {"Count", "how often each of Out comes in X"}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};
