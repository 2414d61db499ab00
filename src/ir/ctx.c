/* ctx.c - what shape rules and kernels ask of their context. */
#include "ir/op.h"
#include "ir/program.h"
#include "ir/recompute.h"

#include "base/map.h"

#include <string.h>

static const char *arg_name(const rg_args *args, int n_args, const char *slot, int i)
{
    for (int k = 0; k < n_args; k++)
        if (strcmp(args[k].slot, slot) == 0)
            return i < args[k].n ? args[k].names[i] : "?";
    return "?";
}

const char *rg_in_name(const rg_ctx *ctx, int slot, int i)
{
    return arg_name(ctx->desc->in, ctx->desc->n_in, ctx->op->in[slot].name, i);
}

const char *rg_out_name(const rg_ctx *ctx, int slot, int i)
{
    return arg_name(ctx->desc->out, ctx->desc->n_out, ctx->op->out[slot].name, i);
}

/* ---- shape rules ---- */

void rg_set_shape_n(rg_ctx *ctx, int out, int i, const rg_shape *shape)
{
    rg_meta *meta = rg_out_meta_n(ctx, out, i);
    if (meta != NULL && &meta->shape != shape)
        meta->shape = *shape;
}

void rg_set_shape(rg_ctx *ctx, int out, const rg_shape *shape)
{
    rg_set_shape_n(ctx, out, 0, shape);
}

void rg_set_dtype_n(rg_ctx *ctx, int out, int i, rg_dtype dtype)
{
    rg_meta *meta = rg_out_meta_n(ctx, out, i);
    if (meta != NULL)
        meta->dtype = dtype;
}

void rg_set_dtype(rg_ctx *ctx, int out, rg_dtype dtype)
{
    rg_set_dtype_n(ctx, out, 0, dtype);
}

void rg_set_kind(rg_ctx *ctx, int out, rg_kind kind)
{
    rg_meta *meta = rg_out_meta(ctx, out);
    if (meta != NULL)
        meta->kind = kind;
}

static void set_lod(rg_meta *meta, rg_lod *taken, int level)
{
    rg_lod_release(meta->lod);
    meta->lod = taken;
    meta->lod_level = level;
}

void rg_set_out_n(rg_ctx *ctx, int out, int i, rg_dtype dtype, const rg_shape *shape)
{
    rg_meta *meta = rg_out_meta_n(ctx, out, i);
    if (meta == NULL)
        return;
    meta->kind = RG_TENSOR;
    meta->dtype = dtype;
    meta->shape = *shape;
    set_lod(meta, NULL, 0);
}

void rg_set_out(rg_ctx *ctx, int out, rg_dtype dtype, const rg_shape *shape)
{
    rg_set_out_n(ctx, out, 0, dtype, shape);
}

void rg_share_lod_n(rg_ctx *ctx, int in, int n, int out)
{
    const rg_meta *from = rg_in_meta_n(ctx, in, n);
    for (int i = 0; i < rg_n_out(ctx, out); i++) {
        rg_meta *meta = rg_out_meta_n(ctx, out, i);
        if (meta != NULL && from != NULL && meta != from)
            set_lod(meta, rg_lod_retain(from->lod), from->lod_level);
    }
}

void rg_share_lod(rg_ctx *ctx, int in, int out)
{
    rg_share_lod_n(ctx, in, 0, out);
}

void rg_take_lod(rg_ctx *ctx, int out, rg_lod *lod)
{
    rg_meta *meta = rg_out_meta(ctx, out);
    if (meta != NULL)
        set_lod(meta, lod, lod ? lod->levels : 0);
    else
        rg_lod_release(lod);
}

void rg_set_lod_level(rg_ctx *ctx, int out, int levels)
{
    rg_meta *meta = rg_out_meta(ctx, out);
    if (meta != NULL && !rg_running(ctx))
        meta->lod_level = levels;
}

void rg_set_like(rg_ctx *ctx, int out, int in)
{
    const rg_meta *from = rg_in_meta(ctx, in);
    rg_meta *meta = rg_out_meta(ctx, out);
    if (meta == NULL || from == NULL || meta == from)
        return;
    meta->kind = from->kind;
    meta->dtype = from->dtype;
    meta->shape = from->shape;
    set_lod(meta, rg_lod_retain(from->lod), from->lod_level);
}

rg_status rg_expect_rank(const rg_ctx *ctx, int in, int rank)
{
    const rg_shape *shape = rg_shape_of(ctx, in);
    if (shape->rank == rank)
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s must have %d dimensions, and has the shape %s",
                   ctx->op->in[in].name, rank, rg_shape_text(shape, text));
}

rg_status rg_expect_same_shape(const rg_ctx *ctx, int a, int b)
{
    if (rg_shape_fits(rg_shape_of(ctx, a), rg_shape_of(ctx, b)))
        return RG_OK;
    char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s of shape %s and %s of shape %s must have the same shape",
                   ctx->op->in[a].name, rg_shape_text(rg_shape_of(ctx, a), ta), ctx->op->in[b].name,
                   rg_shape_text(rg_shape_of(ctx, b), tb));
}

rg_status rg_expect_same_dtype(const rg_ctx *ctx, int a, int b)
{
    if (rg_dtype_of(ctx, a) == rg_dtype_of(ctx, b))
        return RG_OK;
    return rg_fail(RG_ESHAPE, "%s is %s and %s is %s, and they must be of one type",
                   ctx->op->in[a].name, rg_dtype_name(rg_dtype_of(ctx, a)), ctx->op->in[b].name,
                   rg_dtype_name(rg_dtype_of(ctx, b)));
}

/* Whether a variable's type is not known before it is fed: it is data whose feeds are not held to
 * what is declared, or made of such by ops of one input that keep the type. */
static bool type_is_a_guess(const rg_vardesc *var, int depth)
{
    enum { MAX_DEPTH = 16 };
    if (var->is_data)
        return !var->need_check_feed;
    for (size_t i = var->block->n_ops; depth < MAX_DEPTH && i-- > 0;) {
        const rg_opdesc *op = var->block->ops[i];
        bool writes = false;
        for (int s = 0; s < op->n_out && !writes; s++)
            for (int k = 0; k < op->out[s].n && !writes; k++)
                writes = strcmp(op->out[s].names[k], var->name) == 0;
        if (!writes)
            continue;
        const rg_vardesc *from = op->n_in == 1 && op->in[0].n == 1
                                     ? rg_block_find(op->block, op->in[0].names[0])
                                     : NULL;
        return from != NULL && from != var && from->meta.dtype == var->meta.dtype &&
               type_is_a_guess(from, depth + 1);
    }
    return false;
}

rg_status rg_expect_dtype(const rg_ctx *ctx, int in, const rg_dtype *dtypes, int n)
{
    rg_buf names;
    for (int i = 0; i < n; i++)
        if (dtypes[i] == rg_dtype_of(ctx, in))
            return RG_OK;
    if (!rg_running(ctx) && type_is_a_guess((const rg_vardesc *)rg_in_meta(ctx, in), 0))
        return RG_OK; /* asked again when the program runs */
    rg_buf_init(&names, 256);
    for (int i = 0; i < n; i++)
        rg_buf_printf(&names, "%s%s",
                      i == 0      ? ""
                      : i + 1 < n ? ", "
                                  : " or ",
                      rg_dtype_name(dtypes[i]));
    rg_status code = rg_fail(RG_ESHAPE, "%s is %s, and must be %s", ctx->op->in[in].name,
                             rg_dtype_name(rg_dtype_of(ctx, in)), rg_buf_cstr(&names));
    rg_buf_fini(&names);
    return code;
}

rg_status rg_expect_axis(const rg_ctx *ctx, int axis, int rank, int *out)
{
    int at = axis < 0 ? axis + rank : axis;
    (void)ctx;
    if (at < 0 || at >= rank)
        return rg_fail(RG_EINVAL, "axis %d of a tensor of %d dimensions", axis, rank);
    *out = at;
    return RG_OK;
}

rg_status rg_expect_lod(const rg_ctx *ctx, int in, const rg_lod **lod)
{
    const rg_meta *meta = rg_in_meta(ctx, in);
    *lod = NULL;
    if (!rg_running(ctx))
        return RG_OK;
    if (meta->lod == NULL)
        return rg_fail(RG_ESHAPE,
                       "%s has no LoD; feed it as a LoDTensor "
                       "(fluid.create_lod_tensor) with its sequence lengths",
                       ctx->op->in[in].name);
    const rg_lod *found = meta->lod;
    int last = found->levels - 1;
    int64_t rows = meta->shape.rank > 0 ? meta->shape.dim[0] : 1;
    if (found->offset[last][found->count[last] - 1] != rows)
        return rg_fail(RG_ESHAPE, "%s has %lld rows, but its LoD covers %lld", ctx->op->in[in].name,
                       (long long)rows, (long long)found->offset[last][found->count[last] - 1]);
    *lod = found;
    return RG_OK;
}

/* ---- kernels ---- */

void *rg_scratch(rg_ctx *ctx, size_t bytes)
{
    void *memory = rg_arena_alloc(ctx->run->scratch, bytes < 64 ? 64 : bytes);
    if (memory == NULL)
        (void)rg_fail(RG_ENOMEM, "no memory for %zu bytes of scratch", bytes);
    return memory;
}

rg_status rg_out_resize(rg_ctx *ctx, int slot, int i, rg_dtype dtype, const rg_shape *shape)
{
    rg_value *value = rg_out_n(ctx, slot, i);
    return value ? rg_value_resize(value, dtype, shape) : RG_OK;
}

rg_status rg_bad_dtype(const rg_ctx *ctx, int in)
{
    return rg_fail(RG_EUNIMPL, "op %s is not implemented for %s of %s", ctx->op->type,
                   ctx->op->in[in].name, rg_dtype_name(rg_dtype_of(ctx, in)));
}

/* What is computed again is computed of the same numbers. */
static uint64_t hash_of(const char *name)
{
    const char *mark = strstr(name, RG_AGAIN_MARK);
    return rg_hash_bytes(name, mark ? (size_t)(mark - name) : strlen(name), 0);
}

static rg_philox_key unfixed(const rg_run *run, uint64_t seed, uint64_t stream)
{
    return (rg_philox_key){seed, stream ^ (run->step + 1) * 0x9e3779b97f4a7c15u ^
                                     (uint64_t)run->thread * 0xd6e8feb86659fd93u};
}

rg_philox_key rg_random_key(const rg_ctx *ctx, int seed, bool fixed)
{
    uint64_t own = (uint64_t)(uint32_t)seed;
    bool seeded = seed != 0 || ctx->run->seeded;
    uint64_t stream = seeded ? ctx->desc->draw : hash_of(rg_out_name(ctx, 0, 0));
    if (fixed)
        return (rg_philox_key){own, stream};
    return unfixed(ctx->run, seed != 0 ? own : ctx->run->seed, stream);
}

rg_philox_key rg_start_key(const rg_run *run, int seed, int number, const char *name)
{
    if (seed != 0)
        return (rg_philox_key){(uint64_t)(uint32_t)seed, (uint64_t)number};
    return unfixed(run, run->seed, hash_of(name));
}
