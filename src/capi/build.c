/* build.c - programs built through the public C API. */
#include "capi/session_priv.h"

#include "base/mem.h"
#include "ir/backward.h"
#include "sys/file.h"

#include <string.h>

#define RATE "learning_rate_0" /* as fluid calls it */

int rg_session_add_var(rg_session *session, int program, const char *name, rg_use use, rg_type type,
                       const int64_t *dims, int rank)
{
    rg_session_parts parts;
    rg_vardesc *var;
    rg_shape shape = {.rank = rank};
    RG_TRY(rg_session_borrow(session, program, &parts));
    if (rank < 0 || rank > RG_MAX_DIMS || !rg_dtype_valid((int)type))
        return rg_fail(RG_EINVAL, "variable '%s': rank %d and type %d", name, rank, (int)type);
    for (int i = 0; i < rank; i++)
        if ((shape.dim[i] = dims[i]) < (use == RG_USE_DATA ? -1 : 0))
            return rg_fail(RG_EINVAL, "variable '%s': dimension %d is %lld", name, i,
                           (long long)dims[i]);
    RG_TRY(rg_block_add_var(parts.program->blocks[0], name, &var));
    var->meta.dtype = (rg_dtype)type;
    var->meta.shape = shape;
    var->has_tensor = true;
    var->is_data = var->stop_gradient = var->need_check_feed = use == RG_USE_DATA;
    var->is_parameter = use == RG_USE_PARAMETER;
    var->persistable = use != RG_USE_DATA;
    return RG_OK;
}

/* ---- ops ---- */

/* The arguments of one slot after the other, each with all of its names. */
static rg_status set_slots(rg_opdesc *op, const rg_argument *list, bool outputs)
{
    enum { MOST = 4096 };
    const char *names[MOST];
    for (int i = 0; list != NULL && list[i].slot != NULL;) {
        const char *slot = list[i].slot;
        int n = 0;
        for (; list[i].slot != NULL && strcmp(list[i].slot, slot) == 0; i++) {
            if (n == MOST || list[i].name == NULL)
                return rg_fail(RG_EINVAL, "slot %s: %s", slot,
                               n == MOST ? "too many variables" : "a variable without a name");
            names[n++] = list[i].name;
        }
        RG_TRY(outputs ? rg_opdesc_set_out(op, slot, n, names)
                       : rg_opdesc_set_in(op, slot, n, names));
    }
    return RG_OK;
}

static rg_status set_attribute(rg_opdesc *op, const rg_attribute *a)
{
    rg_attr attr = {.name = a->name};
    switch (a->type) {
    case RG_ATTRIBUTE_INT:
        attr.type = RG_ATTR_LONG;
        attr.l = a->number;
        break;
    case RG_ATTRIBUTE_FLOAT:
        attr.type = RG_ATTR_FLOAT;
        attr.f = (float)a->real;
        break;
    case RG_ATTRIBUTE_TEXT:
        attr.type = RG_ATTR_STRING;
        attr.s = a->text;
        break;
    case RG_ATTRIBUTE_INTS:
        attr.type = RG_ATTR_LONGS;
        attr.n = a->n;
        attr.longs = a->list;
        break;
    }
    return rg_opdesc_set_attr(op, &attr);
}

static rg_status fill_op(rg_opdesc *op, const rg_argument *inputs, const rg_argument *outputs,
                         const rg_attribute *attributes)
{
    if (op->op == NULL)
        return rg_op_missing(op->type);
    RG_TRY(set_slots(op, inputs, false));
    RG_TRY(set_slots(op, outputs, true));
    for (const rg_attribute *a = attributes; a != NULL && a->name != NULL; a++)
        RG_TRY(set_attribute(op, a));
    return rg_opdesc_infer(op);
}

/* An op that is not right is not there. */
static rg_status add_op(rg_block *block, const char *type, const rg_argument *inputs,
                        const rg_argument *outputs, const rg_attribute *attributes)
{
    rg_opdesc *op;
    RG_TRY(rg_block_append_op(block, type, &op));
    rg_status code = fill_op(op, inputs, outputs, attributes);
    if (code != RG_OK)
        rg_block_remove_ops(block, block->n_ops - 1, block->n_ops);
    return code;
}

int rg_session_add_op(rg_session *session, int program, const char *type, const rg_argument *inputs,
                      const rg_argument *outputs, const rg_attribute *attributes)
{
    rg_session_parts parts;
    RG_TRY(rg_session_borrow(session, program, &parts));
    return add_op(parts.program->blocks[0], type, inputs, outputs, attributes);
}

/* ---- training ---- */

static rg_status add_rate(rg_session *session, int program, int startup, double rate)
{
    const int64_t one = 1;
    RG_TRY(rg_session_add_var(session, program, RATE, RG_USE_KEPT, RG_TYPE_FLOAT32, &one, 1));
    RG_TRY(rg_session_add_var(session, startup, RATE, RG_USE_KEPT, RG_TYPE_FLOAT32, &one, 1));
    return rg_session_add_op(
        session, startup, "fill_constant", NULL, (const rg_argument[]){{"Out", RATE}, {NULL}},
        (const rg_attribute[]){
            {.name = "shape", .type = RG_ATTRIBUTE_INTS, .list = &one, .n = 1},
            {.name = "value", .type = RG_ATTRIBUTE_FLOAT, .real = rate},
            {.name = "dtype", .type = RG_ATTRIBUTE_INT, .number = RG_TYPE_FLOAT32},
            {NULL}});
}

static rg_status add_steps(rg_block *block, const rg_grad_pair *pairs, int n)
{
    rg_status code = RG_OK;
    int32_t role = block->program->op_role;
    block->program->op_role = RG_ROLE_OPTIMIZE;
    for (int i = 0; code == RG_OK && i < n; i++)
        if (pairs[i].grad != NULL)
            code = add_op(block, "sgd",
                          (const rg_argument[]){{"Param", pairs[i].var},
                                                {"Grad", pairs[i].grad},
                                                {"LearningRate", RATE},
                                                {NULL}},
                          (const rg_argument[]){{"ParamOut", pairs[i].var}, {NULL}}, NULL);
    block->program->op_role = role;
    return code;
}

int rg_session_minimize(rg_session *session, int program, int startup, const char *loss,
                        double rate)
{
    rg_session_parts parts;
    int n = 0;
    RG_TRY(rg_session_borrow(session, program, &parts));
    rg_block *block = parts.program->blocks[0];
    const rg_map *vars = &block->vars;
    const char **names = rg_alloc_zero(vars->n_entries + 1, sizeof *names);
    rg_grad_pair *pairs = rg_alloc_zero(vars->n_entries + 1, sizeof *pairs);
    rg_status code = names && pairs ? RG_OK : rg_no_memory(vars->n_entries, "parameters");
    for (size_t i = 0; code == RG_OK && i < vars->n_entries; i++) {
        const rg_map_entry *e = rg_map_at(vars, i);
        const rg_vardesc *var = e ? e->value : NULL;
        if (var != NULL && var->is_parameter)
            names[n++] = var->name;
    }
    if (code == RG_OK && n == 0)
        code = rg_fail(RG_EINVAL, "the program has no parameter to train");
    if (code == RG_OK)
        code = rg_append_backward(block, loss, names, n, pairs, NULL);
    if (code == RG_OK)
        code = add_rate(session, program, startup, rate);
    if (code == RG_OK)
        code = add_steps(block, pairs, n);
    rg_free(names);
    rg_free(pairs);
    return code;
}

int rg_session_save_program(rg_session *session, int program, const char *path)
{
    rg_session_parts parts;
    rg_buf bytes;
    RG_TRY(rg_session_borrow(session, program, &parts));
    rg_buf_init(&bytes, 0);
    rg_status code = rg_program_pack(parts.program, &bytes);
    if (code == RG_OK)
        code = rg_file_write_all(path, bytes.data, bytes.len);
    rg_buf_fini(&bytes);
    return code;
}
