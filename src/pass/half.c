/* half.c - programs of mixed precision on a CPU.
 *
 * fluid.contrib.mixed_precision.decorate casts to float16 what a GPU shall compute with 16 bits. No
 * CPU gains by that, so its plan takes the casts out again: all variables are float32, and products
 * of what was float16 are of bfloat16 (bf16.c).
 *
 *   cast(w) -> w.cast_fp16; mul(x, w.cast_fp16)              mul(x, w)
 *   mul_grad -> w.cast_fp16@GRAD; cast(that) -> w@GRAD       mul_grad -> w@GRAD
 *
 * A cast whose input changes before the last that reads its output, or whose output someone wants
 * by name, stays, as a copy. */
#include "math/bf16.h"
#include "pass/products.h"
#include "pass/uses.h"

#include <string.h>

static bool is_half_cast(const rg_opdesc *op)
{
    if (!rg_is_type(op, "cast") || rg_one_in(op, "X") == NULL || rg_one_out(op, "Out") == NULL)
        return false;
    const rg_attr *from = rg_opdesc_attr(op, "in_dtype"), *to = rg_opdesc_attr(op, "out_dtype");
    return from != NULL && to != NULL &&
           ((from->i == RG_F16 && to->i == RG_F32) || (from->i == RG_F32 && to->i == RG_F16));
}

/* `name` is `of` with one of the endings that decorate gives. */
static bool is_cast_of(const char *name, const char *of)
{
    size_t n = strlen(of);
    return strncmp(name, of, n) == 0 &&
           (strcmp(name + n, ".cast_fp16") == 0 || strcmp(name + n, ".cast_fp32") == 0);
}

bool rg_program_is_mixed(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        if (is_half_cast(block->ops[i]) &&
            is_cast_of(rg_one_out(block->ops[i], "Out"), rg_one_in(block->ops[i], "X")))
            return true;
    return false;
}

/* ---- which products ---- */

static bool reads_half(const rg_opdesc *op)
{
    for (int s = 0; s < op->n_in; s++)
        for (int k = 0; k < op->in[s].n; k++) {
            const rg_vardesc *var = rg_block_find(op->block, op->in[s].names[k]);
            if (var != NULL && var->meta.dtype == RG_F16)
                return true;
        }
    return false;
}

static rg_status mark_products(const rg_program *program)
{
    rg_precision precision;
    RG_TRY(rg_precision_of_flag(&precision));
    if (precision == RG_FP32_PRODUCTS)
        precision = RG_BF16_PRODUCTS; /* what the program asks for */
    RG_TRY(rg_precision_check(precision, "a program of mixed precision"));
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            rg_opdesc *op = program->blocks[b]->ops[i];
            if (rg_multiplies(op) && reads_half(op))
                op->precision = (int)precision;
        }
    return RG_OK;
}

/* ---- the casts ---- */

static const rg_var_uses *temporary(const rg_uses *uses, const char *name)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    bool once = var != NULL && !var->fixed && var->writers != NULL && var->writers->next == NULL;
    return once ? var : NULL;
}

/* Whoever reads the output reads the input. */
static rg_status drop_forward(rg_uses *uses, rg_opdesc *op, size_t index, bool *done)
{
    const char *in = rg_one_in(op, "X"), *out = rg_one_out(op, "Out");
    const rg_var_uses *var = temporary(uses, out);
    if (var == NULL || (var->readers != NULL &&
                        rg_written_between(uses, in, index, (size_t)var->last_reader->index)))
        return RG_OK;
    for (const rg_use *use = var->readers; use != NULL; use = use->next)
        RG_TRY(rg_opdesc_rename(use->op, out, in, true, false));
    *done = true;
    return RG_OK;
}

/* Whoever writes the input writes the output. */
static rg_status drop_backward(rg_uses *uses, rg_opdesc *op, bool *done)
{
    const char *in = rg_one_in(op, "X"), *out = rg_one_out(op, "Out");
    const rg_var_uses *from = temporary(uses, in), *to = rg_map_get(&uses->vars, out);
    if (from == NULL || from->readers == NULL || from->readers->next != NULL || to == NULL ||
        to->writers->next != NULL)
        return RG_OK;
    RG_TRY(rg_opdesc_rename(from->writers->op, in, out, false, true));
    *done = true;
    return RG_OK;
}

static rg_status drop_casts(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    RG_TRY(rg_uses_make(&uses, program, keep));
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *op = uses.block->ops[i];
        bool done = false;
        if (uses.removed[i] || !is_half_cast(op))
            continue;
        if (strstr(rg_one_out(op, "Out"), RG_GRAD_SUFFIX) != NULL)
            code = drop_backward(&uses, op, &done);
        else
            code = drop_forward(&uses, op, i, &done);
        if (done)
            rg_uses_remove(&uses, op);
    }
    rg_uses_fini(&uses);
    return code;
}

/* ---- the rest ---- */

static rg_status widen_attr(rg_opdesc *op, const char *name)
{
    const rg_attr *attr = rg_opdesc_attr(op, name);
    if (attr == NULL || attr->type != RG_ATTR_INT || attr->i != RG_F16)
        return RG_OK;
    return rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_INT, .i = RG_F32});
}

static rg_status widen(rg_block *block)
{
    for (size_t i = 0; i < block->vars.n_entries; i++) {
        const rg_map_entry *entry = rg_map_at(&block->vars, i);
        rg_vardesc *var = entry ? entry->value : NULL;
        if (var != NULL && var->meta.dtype == RG_F16 && !var->persistable && !var->is_data)
            var->meta.dtype = RG_F32;
    }
    for (size_t i = 0; i < block->n_ops; i++) {
        RG_TRY(widen_attr(block->ops[i], "in_dtype"));
        RG_TRY(widen_attr(block->ops[i], "out_dtype"));
        RG_TRY(widen_attr(block->ops[i], "dtype"));
    }
    return RG_OK;
}

rg_status rg_pass_half_to_bf16(rg_program *program, const rg_protected *keep)
{
    RG_TRY(mark_products(program));
    RG_TRY(drop_casts(program, keep));
    for (size_t b = 0; b < program->n_blocks; b++)
        RG_TRY(widen(program->blocks[b]));
    return RG_OK;
}
