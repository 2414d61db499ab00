/* op_elementwise.c - two tensors element by element, with broadcasting: arithmetic, gradients,
 * comparisons. */
#include "gpu/glue.h"
#include "ops/broadcast.h"

static rg_cu_broadcast plan_of(const rg_ctx *ctx)
{
    rg_broadcast b;
    rg_cu_broadcast to = {0};
    rg_broadcast_plan(&b, &rg_in_meta(ctx, rg_gpu_in_slot(ctx, "X"))->shape,
                      &rg_in_meta(ctx, rg_gpu_in_slot(ctx, "Y"))->shape,
                      rg_gpu_attr(ctx, "axis")->i);
    to.rank = b.rank;
    for (int d = 0; d < b.rank; d++) {
        to.n[d] = b.n[d];
        to.sx[d] = b.sx[d];
        to.sy[d] = b.sy[d];
    }
    return to;
}

static rg_status forward(rg_ctx *ctx, enum rg_cu_binary kind)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    bool whole = x->meta.dtype == RG_I32 || x->meta.dtype == RG_I64;
    if (x->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "a sparse X");
    if (whole && (kind == RG_CU_DIV || kind == RG_CU_MOD))
        return rg_gpu_leave(ctx, "a quotient of whole numbers");
    rg_cu_broadcast b = plan_of(ctx);
    return rg_gpu_done(ctx,
                       rg_cu_binary(kind, x->meta.dtype, &b, x->data, rg_gpu_in_data(ctx, "Y"),
                                    rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

/* Which dimensions of the loop repeat the target. */
static unsigned repeated(const rg_cu_broadcast *b, const int64_t *steps)
{
    unsigned bits = 0;
    for (int d = 0; d < b->rank; d++)
        if (steps[d] == 0 && b->n[d] != 1)
            bits |= 1u << d;
    return bits;
}

/* dX or dY: where nothing was repeated, written straight; else added up, of slopes that stand aside
 * unless they are the gradient itself. */
static rg_status back(rg_ctx *ctx, enum rg_cu_binary kind, bool by_x)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *target = rg_gpu_out(ctx, by_x ? "X@GRAD" : "Y@GRAD");
    const void *from = dout->data;
    bool plain = kind == RG_CU_ADD || kind == RG_CU_SUB;
    enum rg_cu_reduce how = kind == RG_CU_SUB && !by_x ? RG_CU_MINUS : RG_CU_SUM;
    if (target == NULL)
        return RG_OK;
    rg_cu_broadcast b = plan_of(ctx);
    unsigned gone = repeated(&b, by_x ? b.sx : b.sy);
    int64_t kept = rg_numel(target), all = rg_numel(dout);
    if (all == 0)
        return rg_gpu_zero(ctx, target->data, rg_value_bytes(target));
    if (dout->meta.dtype != RG_F32 && dout->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Out@GRAD"));
    if (gone == 0 || !plain) {
        void *to = gone == 0 ? target->data
                             : rg_gpu_scratch(ctx, (size_t)all * rg_dtype_size(dout->meta.dtype));
        const void *x = plain ? NULL : rg_gpu_in_data(ctx, "X");
        const void *y = plain ? NULL : rg_gpu_in_data(ctx, "Y");
        if (to == NULL)
            return RG_ENOMEM;
        if (!(gone == 0 && kind == RG_CU_ADD && to == from))
            (void)rg_cu_binary_grad(kind, by_x, dout->meta.dtype, &b, x, y, from, to, rg_cuda(ctx));
        if (gone == 0)
            return rg_gpu_done(ctx, true, "Out@GRAD");
        from = to;
        how = RG_CU_SUM;
    }
    void *room = rg_gpu_scratch(ctx, rg_cu_reduce_room(kept, all / kept));
    if (room == NULL)
        return RG_ENOMEM;
    return rg_gpu_done(ctx,
                       rg_cu_reduce(how, dout->meta.dtype, b.rank, b.n, gone, from, target->data,
                                    room, rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx)),
                       "Out@GRAD");
}

/* dY first: dX may take over the memory of dOut. */
static rg_status backward(rg_ctx *ctx, enum rg_cu_binary kind)
{
    RG_TRY(back(ctx, kind, false));
    return back(ctx, kind, true);
}

#define FORWARD(NAME, KIND)                  \
    static rg_status NAME(rg_ctx *ctx)       \
    {                                        \
        return forward(ctx, KIND);           \
    }
#define BOTH(NAME, KIND)                     \
    FORWARD(NAME, KIND)                      \
    static rg_status NAME##_grad(rg_ctx *ctx) \
    {                                        \
        return backward(ctx, KIND);          \
    }
BOTH(add, RG_CU_ADD)
BOTH(sub, RG_CU_SUB)
BOTH(mul, RG_CU_MUL)
BOTH(divide, RG_CU_DIV)
BOTH(larger, RG_CU_LARGER)
BOTH(smaller, RG_CU_SMALLER)
BOTH(power, RG_CU_POW)
FORWARD(mod, RG_CU_MOD)

const rg_kernel rg_kernel_gpu_elementwise_add = {"elementwise_add", "gpu", add};
const rg_kernel rg_kernel_gpu_elementwise_add_grad = {"elementwise_add_grad", "gpu", add_grad};
const rg_kernel rg_kernel_gpu_elementwise_sub = {"elementwise_sub", "gpu", sub};
const rg_kernel rg_kernel_gpu_elementwise_sub_grad = {"elementwise_sub_grad", "gpu", sub_grad};
const rg_kernel rg_kernel_gpu_elementwise_mul = {"elementwise_mul", "gpu", mul};
const rg_kernel rg_kernel_gpu_elementwise_mul_grad = {"elementwise_mul_grad", "gpu", mul_grad};
const rg_kernel rg_kernel_gpu_elementwise_div = {"elementwise_div", "gpu", divide};
const rg_kernel rg_kernel_gpu_elementwise_div_grad = {"elementwise_div_grad", "gpu", divide_grad};
const rg_kernel rg_kernel_gpu_elementwise_max = {"elementwise_max", "gpu", larger};
const rg_kernel rg_kernel_gpu_elementwise_max_grad = {"elementwise_max_grad", "gpu", larger_grad};
const rg_kernel rg_kernel_gpu_elementwise_min = {"elementwise_min", "gpu", smaller};
const rg_kernel rg_kernel_gpu_elementwise_min_grad = {"elementwise_min_grad", "gpu", smaller_grad};
const rg_kernel rg_kernel_gpu_elementwise_pow = {"elementwise_pow", "gpu", power};
const rg_kernel rg_kernel_gpu_elementwise_pow_grad = {"elementwise_pow_grad", "gpu", power_grad};
const rg_kernel rg_kernel_gpu_elementwise_mod = {"elementwise_mod", "gpu", mod};

/* ---- comparisons ---- */

static rg_status compare(rg_ctx *ctx, enum rg_cu_compare kind)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_cu_broadcast b = plan_of(ctx);
    return rg_gpu_done(ctx,
                       rg_cu_compare(kind, x->meta.dtype, &b, x->data, rg_gpu_in_data(ctx, "Y"),
                                     rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

#define COMPARE(NAME, KIND)            \
    static rg_status NAME(rg_ctx *ctx) \
    {                                  \
        return compare(ctx, KIND);     \
    }
COMPARE(less_than, RG_CU_LESS)
COMPARE(less_equal, RG_CU_LESS_EQUAL)
COMPARE(greater_than, RG_CU_GREATER)
COMPARE(greater_equal, RG_CU_GREATER_EQUAL)
COMPARE(equal, RG_CU_EQUAL)
COMPARE(not_equal, RG_CU_NOT_EQUAL)

const rg_kernel rg_kernel_gpu_less_than = {"less_than", "gpu", less_than};
const rg_kernel rg_kernel_gpu_less_equal = {"less_equal", "gpu", less_equal};
const rg_kernel rg_kernel_gpu_greater_than = {"greater_than", "gpu", greater_than};
const rg_kernel rg_kernel_gpu_greater_equal = {"greater_equal", "gpu", greater_equal};
const rg_kernel rg_kernel_gpu_equal = {"equal", "gpu", equal};
const rg_kernel rg_kernel_gpu_not_equal = {"not_equal", "gpu", not_equal};
