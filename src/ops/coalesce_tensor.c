/* coalesce_tensor.c - tensors brought together in one piece of memory.
 *
 * FusedOutput is one tensor that holds all Inputs one after the other, each beginning on a page of
 * its own; Output[i] is the part of it that is Input[i], in the shape of that: what is written to
 * one is seen in the other. With copy_data they have the Inputs' values, else with set_constant
 * all elements, those between too, are `constant`, else 0. Output may be the Input's variables.
 *
 * The kernel gives the outputs their memory itself, so they stand outside the plan's. */
#include "ops/types.h"

#include <string.h>

enum { INPUT };
enum { OUTPUT, FUSED };
enum { DTYPE, COPY_DATA, SET_CONSTANT, CONSTANT, CHECK_NAME };

enum { PAGE_BYTES = 4096 };

/* Elements that a tensor takes, with what is left of its last page; -1: not known yet. */
static int64_t place_of(const rg_meta *meta)
{
    int64_t page = (int64_t)(PAGE_BYTES / rg_dtype_size(meta->dtype));
    int64_t n = rg_shape_numel(&meta->shape);
    return n < 0 ? -1 : (n + page - 1) / page * page;
}

static rg_status check_input(const rg_ctx *ctx, int i)
{
    const rg_meta *x = rg_in_meta_n(ctx, INPUT, i);
    if (x == NULL || (int)x->dtype != rg_attr_int(ctx, DTYPE))
        return rg_fail(RG_EINVAL, "%s is of %s, and dtype says %s", rg_in_name(ctx, INPUT, i),
                       x ? rg_dtype_name(x->dtype) : "no type",
                       rg_dtype_name((rg_dtype)rg_attr_int(ctx, DTYPE)));
    if (rg_attr_bool(ctx, CHECK_NAME) &&
        strcmp(rg_in_name(ctx, INPUT, i), rg_out_name(ctx, OUTPUT, i)) != 0)
        return rg_fail(RG_EINVAL, "check_name is set, and Input %s is not Output %s",
                       rg_in_name(ctx, INPUT, i), rg_out_name(ctx, OUTPUT, i));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, INPUT);
    int64_t total = 0;
    if (rg_n_out(ctx, OUTPUT) != n)
        return rg_fail(RG_EINVAL, "%d inputs and %d outputs: one is wanted for each", n,
                       rg_n_out(ctx, OUTPUT));
    for (int i = 0; i < n; i++) {
        RG_TRY(check_input(ctx, i));
        int64_t place = place_of(rg_in_meta_n(ctx, INPUT, i));
        total = total < 0 || place < 0 ? -1 : total + place;
        rg_set_out_n(ctx, OUTPUT, i, rg_in_meta_n(ctx, INPUT, i)->dtype,
                     &rg_in_meta_n(ctx, INPUT, i)->shape);
    }
    rg_set_out(ctx, FUSED, rg_dtype_of(ctx, INPUT), &RG_SHAPE(total));
    return RG_OK;
}

#define FILL(T, S)                                                                     \
    RG_HOT static void fill_##S(T *to, int64_t n, float value)                         \
    {                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                \
            to[i] = (T)value;                                                          \
    }
RG_NUMBERS(FILL)

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *fused = rg_out(ctx, FUSED);
    size_t size = rg_dtype_size(rg_dtype_of(ctx, INPUT)), at = 0;
    int n = rg_n_in(ctx, INPUT);
    rg_shape whole = RG_SHAPE(0);
    for (int i = 0; i < n; i++)
        whole.dim[0] += place_of(rg_in_meta_n(ctx, INPUT, i));
    bool copy = rg_attr_bool(ctx, COPY_DATA);
    /* Inputs may be parts of what FusedOutput holds from the run before, so it is not written
     * before they are read; where it must grow, they keep the old memory until then. */
    RG_TRY(rg_out_resize(ctx, FUSED, 0, rg_dtype_of(ctx, INPUT), &whole));
    if (!copy)
        RG_CALL_NUMBER(ctx, INPUT, fill,
                       (fused->data, whole.dim[0],
                        rg_attr_bool(ctx, SET_CONSTANT) ? rg_attr_float(ctx, CONSTANT) : 0))
    for (int i = 0; i < n; i++) {
        const rg_value *x = rg_in_n(ctx, INPUT, i);
        rg_value *out = rg_out_n(ctx, OUTPUT, i);
        rg_shape shape = x->meta.shape;
        size_t bytes = rg_value_bytes(x), place = (size_t)place_of(&x->meta) * size;
        uint8_t *to = (uint8_t *)fused->data + at;
        if (copy) {
            memmove(to, x->data, bytes);
            memset(to + bytes, 0, place - bytes);
        }
        if (out != NULL)
            RG_TRY(rg_value_share_part(out, fused, at, &shape));
        at += place;
    }
    return RG_OK;
}

const rg_op rg_op_coalesce_tensor = {
    .type = "coalesce_tensor",
    .doc = "Tensors brought together in one piece of memory.",
    .in = RG_SLOTS([INPUT] = {"Input", "tensors of one type", RG_REPEATED | RG_NO_GRAD}),
    .out = RG_SLOTS([OUTPUT] = {"Output", "parts of FusedOutput in the shapes of Input",
                                RG_REPEATED},
                    [FUSED] = {"FusedOutput", "all of them, one after the other"}),
    .attr = RG_ATTRS(
        [DTYPE] = RG_REQUIRED("dtype", RG_ATTR_INT, "the type of the inputs"),
        [COPY_DATA] = RG_BOOLEAN("copy_data", false, "the outputs have the inputs' values"),
        [SET_CONSTANT] = RG_BOOLEAN("set_constant", false, "else: they are `constant`"),
        [CONSTANT] = RG_FLOAT("constant", 0, "see set_constant"),
        [CHECK_NAME] = RG_BOOLEAN("check_name", false, "outputs must be the inputs' variables")),
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};
