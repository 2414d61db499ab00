/* bf16.c - products of bfloat16: which ops make them, and what they hand on to each other.
 *
 *   mul, matmul and their gradients                  rg_opdesc.precision
 *   fused_fc -> y -> fused_fc, fused_fc_grad         y is bfloat16 where nobody else reads it
 *   fused_fc_grad -> dx -> fused_fc_grad             dx likewise
 *
 * What is handed on would be rounded by who reads it anyway, so only the sums of a bias's gradient
 * see a difference. */
#include "math/bf16.h"
#include "pass/products.h"
#include "pass/uses.h"

#include <string.h>

bool rg_multiplies(const rg_opdesc *op)
{
    static const char *const types[] = {"mul", "mul_grad", "matmul", "matmul_grad"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (rg_is_type(op, types[i]))
            return true;
    return false;
}

rg_status rg_pass_matmul_precision(rg_program *program)
{
    rg_precision precision;
    RG_TRY(rg_precision_of_flag(&precision));
    if (precision == RG_FP32_PRODUCTS)
        return RG_OK;
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            rg_opdesc *op = program->blocks[b]->ops[i];
            if (!rg_multiplies(op))
                continue;
            RG_TRY(rg_precision_check(precision, "FLAGS_matmul_precision=bf16"));
            op->precision = (int)precision;
        }
    return RG_OK;
}

/* ---- between layers ---- */

static bool is_layer(const rg_opdesc *op, const char *type)
{
    return rg_is_type(op, type) && op->precision != RG_FP32_PRODUCTS;
}

static bool names(const char *argument, const char *name)
{
    return argument != NULL && strcmp(argument, name) == 0;
}

static int times_read(const rg_opdesc *op, const char *name)
{
    int n = 0;
    for (int s = 0; s < op->n_in; s++)
        for (int k = 0; k < op->in[s].n; k++)
            n += strcmp(op->in[s].names[k], name) == 0;
    return n;
}

/* Reads it where bfloat16 will do, and nowhere else. */
static bool takes_activation(const rg_opdesc *op, const char *name)
{
    int n = 0;
    if (is_layer(op, "fused_fc"))
        n = names(rg_one_in(op, "X"), name);
    else if (is_layer(op, "fused_fc_grad"))
        n = names(rg_one_in(op, "X"), name) + names(rg_one_in(op, "Out"), name);
    return n > 0 && n == times_read(op, name);
}

static bool takes_gradient(const rg_opdesc *op, const char *name)
{
    return is_layer(op, "fused_fc_grad") && names(rg_one_in(op, "Out@GRAD"), name) &&
           times_read(op, name) == 1;
}

static bool all_take(const rg_uses *uses, const char *name,
                     bool (*takes)(const rg_opdesc *op, const char *name))
{
    const rg_var_uses *var = name ? rg_map_get(&uses->vars, name) : NULL;
    if (var == NULL || var->fixed || var->readers == NULL || var->writers == NULL ||
        var->writers->next != NULL)
        return false;
    for (const rg_use *use = var->readers; use != NULL; use = use->next)
        if (!takes(use->op, name))
            return false;
    return true;
}

static rg_status hand_on(const rg_uses *uses, rg_opdesc *op, const char *name,
                         bool (*takes)(const rg_opdesc *op, const char *name))
{
    if (!all_take(uses, name, takes))
        return RG_OK;
    rg_block_find(uses->block, name)->meta.dtype = RG_BF16;
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "bf16_out", .type = RG_ATTR_BOOL, .b = true});
}

rg_status rg_pass_bf16_activations(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    RG_TRY(rg_uses_make(&uses, program, keep));
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *op = uses.block->ops[i];
        if (is_layer(op, "fused_fc"))
            code = hand_on(&uses, op, rg_one_out(op, "Out"), takes_activation);
        else if (is_layer(op, "fused_fc_grad"))
            code = hand_on(&uses, op, rg_one_out(op, "X@GRAD"), takes_gradient);
    }
    rg_uses_fini(&uses);
    return code;
}
