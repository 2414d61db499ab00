/* random.c - initialisers: uniform_random, gaussian_random, truncated_gaussian_random and
 * their batch_size_like forms.
 *
 * Element i of a variable under seed s and number k is a function of (s, k, i) alone: the same
 * whole or in slices, on any number of servers and threads, whatever the variable is called.
 * Layers number the initialisers that take the program's seed (start_number); one with a seed of
 * its own has number 0. Without any seed that of the process counts, with the variable's name. A
 * slice says by slice_of and slice_begin of which variable it is a part, and from which element
 * on. */
#include "math/draw.h"
#include "ops/shape_args.h"
#include "ops/types.h"

enum { SHAPE_TENSOR, SHAPE_LIST };
enum { OUT };

static rg_status set_out(rg_ctx *ctx, const rg_shape *shape, int dtype)
{
    if (dtype != RG_F32 && dtype != RG_F64)
        return rg_fail(RG_EINVAL, "random numbers are float32 or float64, not dtype %d", dtype);
    rg_set_out(ctx, OUT, (rg_dtype)dtype, shape);
    return RG_OK;
}

/* The shape attribute, or the tensors that give it. */
static rg_status infer_shape(rg_ctx *ctx, int shape_attr, int dtype_attr)
{
    rg_shape shape;
    RG_TRY(rg_shape_to_make(ctx, shape_attr, SHAPE_TENSOR, SHAPE_LIST, &shape));
    return set_out(ctx, &shape, rg_attr_int(ctx, dtype_attr));
}

static void put(rg_value *out, int64_t i, double number)
{
    if (out->meta.dtype == RG_F32)
        ((float *)out->data)[i] = (float)number;
    else
        ((double *)out->data)[i] = number;
}

/* Numbers of the key from element `begin` on. */
typedef struct stream {
    rg_philox_key key;
    uint64_t begin;
} stream;

static void fill_uniform(rg_value *out, stream from, double min, double max)
{
    int64_t n = rg_numel(out);
    if (out->meta.dtype == RG_F32) {
        rg_draw_uniform(from.key, from.begin, n, (float)min, (float)(max - min), out->data);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((double *)out->data)[i] = min + (max - min) * rg_philox_uniform_f64(
                                                           from.key, from.begin + (uint64_t)i);
}

static void fill_normal(rg_value *out, stream from, double mean, double std)
{
    int64_t n = rg_numel(out);
    if (out->meta.dtype == RG_F32) {
        rg_draw_normal(from.key, from.begin, n, (float)mean, (float)std, out->data);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((double *)out->data)[i] = mean +
                                   std * rg_philox_normal(from.key, from.begin + (uint64_t)i);
}

static void fill_truncated(rg_value *out, stream from, double mean, double std)
{
    int64_t n = rg_numel(out);
    if (out->meta.dtype == RG_F32) {
        rg_draw_truncated(from.key, from.begin, n, (float)mean, (float)std, out->data);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((double *)out->data)[i] = mean + std * rg_philox_truncated_normal(
                                                    from.key, from.begin + (uint64_t)i);
}

static stream whole(const rg_ctx *ctx, int seed)
{
    return (stream){rg_start_key(ctx->run, seed, 0, rg_out_name(ctx, OUT, 0)), 0};
}

/* The attribute slice_of is the first of three: slice_begin and start_number follow it. */
static rg_status slice_stream(const rg_ctx *ctx, int seed_attr, int of_attr, stream *from)
{
    const char *of = rg_attr_string(ctx, of_attr);
    int64_t begin = rg_attr_long(ctx, of_attr + 1);
    const char *name = of[0] != '\0' ? of : rg_out_name(ctx, OUT, 0);
    if (begin < 0)
        return rg_fail(RG_EINVAL, "slice_begin is %lld", (long long)begin);
    from->key = rg_start_key(ctx->run, rg_attr_int(ctx, seed_attr), rg_attr_int(ctx, of_attr + 2),
                             name);
    from->begin = (uint64_t)begin;
    return RG_OK;
}

#define SLICE_OF    RG_STRING("slice_of", "", "the variable of which Out is a slice")
#define SLICE_BEGIN RG_LONG("slice_begin", 0, "the element of it that Out begins with")
#define START_NUMBER \
    RG_INT("start_number", 0, "which of those that take the program's seed; 0: it has its own")

/* ---- uniform_random ---- */

enum {
    U_SHAPE,
    U_MIN,
    U_MAX,
    U_SEED,
    U_DIAG_NUM,
    U_DIAG_STEP,
    U_DIAG_VAL,
    U_DTYPE,
    U_OF,
    U_BEGIN,
    U_NUMBER
};

static rg_status uniform_infer(rg_ctx *ctx)
{
    return infer_shape(ctx, U_SHAPE, U_DTYPE);
}

/* A band of equal numbers, for embeddings that start as a partial identity; the attribute
 * `first` is diag_num, and diag_step and diag_val follow it. Of a slice, which begins at element
 * `begin` of its variable, the part that is in it; -1: it is no slice. */
static rg_status fill_band(const rg_ctx *ctx, rg_value *out, int first, int64_t begin)
{
    int64_t n = rg_attr_int(ctx, first), step = rg_attr_int(ctx, first + 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i * step + i - (begin > 0 ? begin : 0);
        if (at >= 0 && at < rg_numel(out))
            put(out, at, (double)rg_attr_float(ctx, first + 2));
        else if (begin < 0)
            return rg_fail(RG_EINVAL, "diag_num %lld with diag_step %lld runs over the tensor",
                           (long long)n, (long long)step);
    }
    return RG_OK;
}

static rg_status uniform_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    stream from;
    bool slice = rg_attr_string(ctx, U_OF)[0] != '\0';
    RG_TRY(slice_stream(ctx, U_SEED, U_OF, &from));
    fill_uniform(out, from, (double)rg_attr_float(ctx, U_MIN), (double)rg_attr_float(ctx, U_MAX));
    return fill_band(ctx, out, U_DIAG_NUM, slice ? rg_attr_long(ctx, U_BEGIN) : -1);
}

#define SHAPE_SLOTS                                                                \
    RG_SLOTS([SHAPE_TENSOR] = {"ShapeTensor", "the shape, if not `shape`",         \
                               RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},               \
             [SHAPE_LIST] = {"ShapeTensorList", "the shape, a tensor a dimension", \
                             RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES})
#define RANDOM_OUT RG_SLOTS([OUT] = {"Out", "of the shape and dtype asked for"})

const rg_op rg_op_uniform_random = {
    .type = "uniform_random",
    .doc = "Numbers drawn evenly from [min, max).",
    .in = SHAPE_SLOTS,
    .out = RANDOM_OUT,
    .attr = RG_ATTRS([U_SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "the shape"),
                     [U_MIN] = RG_FLOAT("min", -1.0f, "lower bound"),
                     [U_MAX] = RG_FLOAT("max", 1.0f, "upper bound"),
                     [U_SEED] = RG_INT("seed", 0, "0: the program's or the process's"),
                     [U_DIAG_NUM] = RG_INT("diag_num", 0, "how many diagonal elements to set"),
                     [U_DIAG_STEP] = RG_INT("diag_step", 0, "the step between them"),
                     [U_DIAG_VAL] = RG_FLOAT("diag_val", 1.0f, "what to set them to"),
                     [U_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"),
                     [U_OF] = SLICE_OF, [U_BEGIN] = SLICE_BEGIN, [U_NUMBER] = START_NUMBER),
    .infer = uniform_infer,
    .kernel = uniform_kernel,
};

/* ---- gaussian_random, truncated_gaussian_random ---- */

enum { G_SHAPE, G_MEAN, G_STD, G_SEED, G_DTYPE, G_OF, G_BEGIN, G_NUMBER };

static rg_status gaussian_infer(rg_ctx *ctx)
{
    return infer_shape(ctx, G_SHAPE, G_DTYPE);
}

static rg_status gaussian_kernel(rg_ctx *ctx)
{
    stream from;
    RG_TRY(slice_stream(ctx, G_SEED, G_OF, &from));
    fill_normal(rg_out(ctx, OUT), from, (double)rg_attr_float(ctx, G_MEAN),
                (double)rg_attr_float(ctx, G_STD));
    return RG_OK;
}

#define GAUSSIAN_ATTRS                                                                         \
    RG_ATTRS([G_SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "the shape"),                         \
             [G_MEAN] = RG_FLOAT("mean", 0.0f, "mean"),                                        \
             [G_STD] = RG_FLOAT("std", 1.0f, "standard deviation"),                            \
             [G_SEED] = RG_INT("seed", 0, "0: the program's or the process's"),                \
             [G_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"), [G_OF] = SLICE_OF, \
             [G_BEGIN] = SLICE_BEGIN, [G_NUMBER] = START_NUMBER)

const rg_op rg_op_gaussian_random = {
    .type = "gaussian_random",
    .doc = "Numbers drawn from a normal distribution.",
    .in = SHAPE_SLOTS,
    .out = RANDOM_OUT,
    .attr = GAUSSIAN_ATTRS,
    .infer = gaussian_infer,
    .kernel = gaussian_kernel,
};

static rg_status truncated_kernel(rg_ctx *ctx)
{
    stream from;
    RG_TRY(slice_stream(ctx, G_SEED, G_OF, &from));
    fill_truncated(rg_out(ctx, OUT), from, (double)rg_attr_float(ctx, G_MEAN),
                   (double)rg_attr_float(ctx, G_STD));
    return RG_OK;
}

const rg_op rg_op_truncated_gaussian_random = {
    .type = "truncated_gaussian_random",
    .doc = "Normal numbers within two standard deviations of the mean.",
    .in = SHAPE_SLOTS,
    .out = RANDOM_OUT,
    .attr = GAUSSIAN_ATTRS,
    .infer = gaussian_infer,
    .kernel = truncated_kernel,
};

/* ---- the batch size of another tensor ---- */

enum { B_INPUT };
enum {
    B_SHAPE,
    B_IN_DIM,
    B_OUT_DIM,
    B_SEED,
    B_DTYPE,
    B_FIRST,
    B_SECOND,
    B_DIAG_NUM,
    B_DIAG_STEP,
    B_DIAG_VAL
};

static rg_status batch_like_infer(rg_ctx *ctx)
{
    const rg_meta *input = rg_in_meta(ctx, B_INPUT);
    rg_shape shape;
    int from, to;
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, B_SHAPE), &shape));
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, B_IN_DIM), input->shape.rank, &from));
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, B_OUT_DIM), shape.rank, &to));
    shape.dim[to] = input->shape.dim[from];
    return set_out(ctx, &shape, rg_attr_int(ctx, B_DTYPE));
}

static rg_status uniform_like_kernel(rg_ctx *ctx)
{
    fill_uniform(rg_out(ctx, OUT), whole(ctx, rg_attr_int(ctx, B_SEED)),
                 (double)rg_attr_float(ctx, B_FIRST), (double)rg_attr_float(ctx, B_SECOND));
    return fill_band(ctx, rg_out(ctx, OUT), B_DIAG_NUM, -1);
}

static rg_status gaussian_like_kernel(rg_ctx *ctx)
{
    fill_normal(rg_out(ctx, OUT), whole(ctx, rg_attr_int(ctx, B_SEED)),
                (double)rg_attr_float(ctx, B_FIRST), (double)rg_attr_float(ctx, B_SECOND));
    return RG_OK;
}

#define LIKE_SLOTS \
    RG_SLOTS([B_INPUT] = {"Input", "gives the batch size", RG_SHAPE_ONLY | RG_NO_GRAD})
#define LIKE_ATTRS(FIRST, FIRST_VALUE, SECOND, SECOND_VALUE)                        \
    [B_SHAPE] = RG_REQUIRED("shape", RG_ATTR_INTS, "the shape, but for the batch"), \
    [B_IN_DIM] = RG_INT("input_dim_idx", 0, "the batch dimension of Input"),        \
    [B_OUT_DIM] = RG_INT("output_dim_idx", 0, "the batch dimension of Out"),        \
    [B_SEED] = RG_INT("seed", 0, "0: the program's or the process's"),              \
    [B_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"),                  \
    [B_FIRST] = RG_FLOAT(FIRST, FIRST_VALUE, FIRST),                                \
    [B_SECOND] = RG_FLOAT(SECOND, SECOND_VALUE, SECOND)

const rg_op rg_op_uniform_random_batch_size_like = {
    .type = "uniform_random_batch_size_like",
    .doc = "uniform_random, with the batch size of Input.",
    .in = LIKE_SLOTS,
    .out = RANDOM_OUT,
    .attr = RG_ATTRS(LIKE_ATTRS("min", -1.0f, "max", 1.0f),
                     [B_DIAG_NUM] = RG_INT("diag_num", 0, "how many diagonal elements to set"),
                     [B_DIAG_STEP] = RG_INT("diag_step", 0, "the step between them"),
                     [B_DIAG_VAL] = RG_FLOAT("diag_val", 1.0f, "what to set them to")),
    .infer = batch_like_infer,
    .kernel = uniform_like_kernel,
};

const rg_op rg_op_gaussian_random_batch_size_like = {
    .type = "gaussian_random_batch_size_like",
    .doc = "gaussian_random, with the batch size of Input.",
    .in = LIKE_SLOTS,
    .out = RANDOM_OUT,
    .attr = RG_ATTRS(LIKE_ATTRS("mean", 0.0f, "std", 1.0f)),
    .infer = batch_like_infer,
    .kernel = gaussian_like_kernel,
};
