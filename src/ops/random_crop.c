/* random_crop.c - a window of each example, at a random place.
 *
 * `shape` is the window's in the last dimensions; those before them count examples. The seed
 * is a variable that the op moves on at each run; it starts as startup_seed. Seed and SeedOut
 * are one variable, so the kernel sizes the outputs: made earlier, it would seem to be set. */
#include "ops/box.h"
#include "ops/shape_args.h"
#include "ops/types.h"

enum { X, SEED };
enum { OUT, SEED_OUT };
enum { A_SHAPE, STARTUP_SEED };

/* X's shape with the window's sizes at its end. */
static rg_status find_shape(const rg_ctx *ctx, rg_shape *out)
{
    rg_shape window;
    *out = *rg_shape_of(ctx, X);
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, A_SHAPE), &window));
    if (window.rank > out->rank)
        return rg_fail(RG_ESHAPE, "a window of %d dimensions in X of %d", window.rank, out->rank);
    for (int d = 0; d < window.rank; d++) {
        int64_t *size = &out->dim[out->rank - window.rank + d];
        if (window.dim[d] < 1 || (*size >= 0 && window.dim[d] > *size))
            return rg_fail(RG_ESHAPE, "a window of %lld does not fit a dimension of %lld",
                           (long long)window.dim[d], (long long)*size);
        *size = window.dim[d];
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    rg_shape out;
    RG_TRY(find_shape(ctx, &out));
    if (!rg_running(ctx))
        rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *seed = rg_in(ctx, SEED);
    rg_shape shape;
    int64_t number = rg_attr_int(ctx, STARTUP_SEED), first[RG_MAX_DIMS];
    if (seed != NULL && seed->data != NULL && rg_numel(seed) == 1 && seed->meta.dtype == RG_I64)
        number = *(const int64_t *)seed->data;
    RG_TRY(find_shape(ctx, &shape));
    RG_TRY(rg_out_resize(ctx, OUT, 0, x->meta.dtype, &shape));
    if (rg_has_out(ctx, SEED_OUT))
        RG_TRY(rg_out_resize(ctx, SEED_OUT, 0, RG_I64, &RG_SHAPE(1)));
    rg_philox_key key = {.seed = (uint64_t)number, .stream = 0};
    int dims = rg_attr_list(ctx, A_SHAPE)->n, lead = x->meta.shape.rank - dims;
    rg_shape whole = {.rank = dims}, part = {.rank = dims};
    for (int d = 0; d < dims; d++) {
        whole.dim[d] = x->meta.shape.dim[lead + d];
        part.dim[d] = shape.dim[lead + d];
    }
    size_t size = rg_dtype_size(x->meta.dtype);
    int64_t examples = rg_shape_product(&x->meta.shape, 0, lead);
    const char *from = x->data;
    char *to = rg_out_data(ctx, OUT);
    for (int64_t i = 0; i < examples; i++) {
        for (int d = 0; d < dims; d++)
            first[d] = (int64_t)rg_philox_below(key, (uint64_t)(i * dims + d),
                                                (uint64_t)(whole.dim[d] - part.dim[d] + 1));
        rg_box box;
        int64_t start = rg_box_window(&box, &whole, &part, first, true);
        rg_box_copy(&box, to, from + (size_t)start * size, size);
        from += (size_t)rg_shape_numel(&whole) * size;
        to += (size_t)rg_shape_numel(&part) * size;
    }
    if (rg_has_out(ctx, SEED_OUT))
        *(int64_t *)rg_out_data(ctx, SEED_OUT) = number + 1;
    return RG_OK;
}

const rg_op rg_op_random_crop = {
    .type = "random_crop",
    .doc = "A window of each example at a random place.",
    .in = RG_SLOTS([X] = {"X", "examples", RG_NO_GRAD},
                   [SEED] = {"Seed", "one int64; startup_seed until it has a value",
                             RG_NO_GRAD | RG_UNSET_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "their windows"}, [SEED_OUT] = {"SeedOut",
                                                                    "the seed of the next run"}),
    .attr = RG_ATTRS([A_SHAPE] = RG_REQUIRED("shape", RG_ATTR_INTS, "of a window"),
                     [STARTUP_SEED] = RG_INT("startup_seed", 0, "the seed of the first run")),
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};
