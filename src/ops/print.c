/* print.c - a tensor shown on stdout as it passes by.
 *
 *   Out = In
 *
 * The gradient is a print as well: Out's gradient, shown unless print_phase is FORWARD. The
 * first first_n times are those of one compiled program. */
#include "base/buf.h"
#include "ir/program.h"
#include "ops/number.h"
#include "sys/log.h"

#include <string.h>

enum { IN };
enum { OUT };
enum { FIRST_N, MESSAGE, SUMMARIZE, NAME, TYPE, SHAPE, LOD, PHASE, IS_FORWARD };

static rg_status print_infer(rg_ctx *ctx)
{
    const char *phase = rg_attr_string(ctx, PHASE);
    if (strcmp(phase, "FORWARD") != 0 && strcmp(phase, "BACKWARD") != 0 &&
        strcmp(phase, "BOTH") != 0)
        return rg_fail(RG_EINVAL, "print_phase is %s: FORWARD, BACKWARD or BOTH", phase);
    rg_set_like(ctx, OUT, IN);
    return RG_OK;
}

static void add_lod(rg_buf *text, const rg_lod *lod)
{
    rg_buf_text(text, "\tLoD: [");
    for (int level = 0; lod != NULL && level < lod->levels; level++) {
        rg_buf_text(text, level ? ", [" : "[");
        for (size_t i = 0; i < lod->count[level]; i++)
            rg_buf_printf(text, "%s%lld", i ? ", " : "", (long long)lod->offset[level][i]);
        rg_buf_char(text, ']');
    }
    rg_buf_text(text, "]\n");
}

static void add_data(rg_buf *text, const rg_value *in, int64_t most)
{
    int64_t n = rg_numel(in);
    rg_buf_text(text, "\tdata: [");
    for (int64_t i = 0; i < n && (most < 0 || i < most); i++)
        if (in->meta.dtype == RG_I64)
            rg_buf_printf(text, "%s%lld", i ? ", " : "", (long long)((int64_t *)in->data)[i]);
        else
            rg_buf_printf(text, "%s%g", i ? ", " : "", rg_number_at(in, i));
    rg_buf_text(text, most >= 0 && n > most ? ", ...]\n" : "]\n");
}

static rg_status show(const rg_ctx *ctx, const rg_value *in)
{
    char shape[RG_SHAPE_TEXT];
    rg_buf text;
    rg_buf_init(&text, 0);
    if (rg_attr_string(ctx, MESSAGE)[0] != '\0')
        rg_buf_printf(&text, "%s\t", rg_attr_string(ctx, MESSAGE));
    if (rg_attr_bool(ctx, NAME))
        rg_buf_printf(&text, "Tensor[%s]", rg_in_name(ctx, IN, 0));
    rg_buf_char(&text, '\n');
    if (rg_attr_bool(ctx, SHAPE))
        rg_buf_printf(&text, "\tshape: %s\n", rg_shape_text(&in->meta.shape, shape));
    if (rg_attr_bool(ctx, TYPE))
        rg_buf_printf(&text, "\tdtype: %s\n", rg_dtype_name(in->meta.dtype));
    if (rg_attr_bool(ctx, LOD) && in->meta.lod != NULL)
        add_lod(&text, in->meta.lod);
    add_data(&text, in, rg_attr_int(ctx, SUMMARIZE));
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        rg_say(rg_buf_cstr(&text), text.len);
    rg_buf_fini(&text);
    return code;
}

/* Whether this phase is wanted, and first_n not reached; ctx->state counts, and needs no end. */
static bool wanted(rg_ctx *ctx)
{
    int first_n = rg_attr_int(ctx, FIRST_N);
    const char *other = rg_attr_bool(ctx, IS_FORWARD) ? "BACKWARD" : "FORWARD";
    uintptr_t times = (uintptr_t)ctx->state;
    if (strcmp(rg_attr_string(ctx, PHASE), other) == 0)
        return false;
    if (first_n <= 0)
        return true;
    if (times >= (uintptr_t)first_n)
        return false;
    ctx->state = (void *)(times + 1);
    return true;
}

static rg_status print_kernel(rg_ctx *ctx)
{
    const rg_value *in = rg_in(ctx, IN);
    rg_value *out = rg_out(ctx, OUT);
    if (in->meta.kind != RG_TENSOR)
        return rg_fail(RG_EUNIMPL, "%s is not a tensor: print shows tensors",
                       rg_in_name(ctx, IN, 0));
    if (wanted(ctx))
        RG_TRY(show(ctx, in));
    if (out != NULL && out->data != in->data)
        memcpy(out->data, in->data, rg_value_bytes(in));
    return RG_OK;
}

static rg_status print_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *grad;
    RG_TRY(rg_grad_add(ctx, "print", true, &grad));
    RG_TRY(rg_grad_read_grad(ctx, grad, "In", "Out"));
    rg_attr backward = {.name = "is_forward", .type = RG_ATTR_BOOL, .b = false};
    RG_TRY(rg_opdesc_set_attr(grad, &backward));
    return rg_grad_write(ctx, grad, "Out", "In", -1, NULL);
}

const rg_op rg_op_print = {
    .type = "print",
    .doc = "A tensor shown on stdout as it passes by.",
    .in = RG_SLOTS([IN] = {"In", "what is shown"}),
    .out = RG_SLOTS([OUT] = {"Out", "the same", .inplace = RG_OF(IN)}),
    .attr = RG_ATTRS([FIRST_N] = RG_INT("first_n", -1, "so many times only; not above 0: always"),
                     [MESSAGE] = RG_STRING("message", "", "shown before it"),
                     [SUMMARIZE] = RG_INT("summarize", 20, "numbers to show; below 0: all"),
                     [NAME] = RG_BOOLEAN("print_tensor_name", true, "show the name"),
                     [TYPE] = RG_BOOLEAN("print_tensor_type", true, "show the data type"),
                     [SHAPE] = RG_BOOLEAN("print_tensor_shape", true, "show the shape"),
                     [LOD] = RG_BOOLEAN("print_tensor_lod", true, "show the LoD, if any"),
                     [PHASE] = RG_STRING("print_phase", "BOTH", "FORWARD, BACKWARD or BOTH"),
                     [IS_FORWARD] = RG_BOOLEAN("is_forward", true, "false in the gradient")),
    .flags = RG_OP_EFFECT,
    .infer = print_infer,
    .kernel = print_kernel,
    .grad = print_grad,
};
