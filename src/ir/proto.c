/* proto.c - programs as ProgramDesc bytes, in and out.
 *
 * Foreign bytes: protobuf-c checks the encoding, unpack() checks every number that
 * it uses, and rg_program_verify() the whole, before anyone else sees the program. */
#include "ir/program.h"

#include "base/mem.h"
#include "tensor/framework.pb-c.h"

#include <string.h>

typedef Paddle__Framework__Proto__ProgramDesc pb_program;
typedef Paddle__Framework__Proto__BlockDesc pb_block;
typedef Paddle__Framework__Proto__VarDesc pb_var;
typedef Paddle__Framework__Proto__VarType pb_type;
typedef Paddle__Framework__Proto__VarType__TensorDesc pb_tensor;
typedef Paddle__Framework__Proto__VarType__LoDTensorDesc pb_lod_tensor;
typedef Paddle__Framework__Proto__OpDesc pb_op;
typedef Paddle__Framework__Proto__OpDesc__Attr pb_attr;
typedef Paddle__Framework__Proto__OpDesc__Var pb_args;
typedef Paddle__Framework__Proto__Version pb_version;

enum {
    MAX_BLOCKS = 100000,
    MAX_RUNS = 1000000, /* blocks, each as often as ops run it */
    MAX_PROGRAM_BYTES = 1 << 30,
    FILE_VERSION = 1008005, /* what 1.8.5 writes */
};

/* ---- out ---- */

/* A new zeroed array, kept until the bytes are packed; NULL sets *failed. */
static void *make(rg_arena *arena, size_t n, size_t size, bool *failed)
{
    void *p = rg_arena_zero(arena, n * size);
    if (p == NULL)
        *failed = true;
    return p;
}

static void fill_tensor(rg_arena *arena, pb_tensor *out, const rg_meta *meta, bool *failed)
{
    paddle__framework__proto__var_type__tensor_desc__init(out);
    out->data_type = (Paddle__Framework__Proto__VarType__Type)meta->dtype;
    out->n_dims = (size_t)meta->shape.rank;
    out->dims = rg_arena_copy(arena, meta->shape.dim, out->n_dims * sizeof *out->dims);
    *failed = *failed || out->dims == NULL;
}

static pb_lod_tensor *lod_tensor(rg_arena *arena, const rg_meta *meta, bool *failed)
{
    pb_lod_tensor *out = make(arena, 1, sizeof *out, failed);
    pb_tensor *tensor = make(arena, 1, sizeof *tensor, failed);
    if (*failed)
        return NULL;
    paddle__framework__proto__var_type__lo_dtensor_desc__init(out);
    fill_tensor(arena, tensor, meta, failed);
    out->tensor = tensor;
    out->has_lod_level = true;
    out->lod_level = meta->lod_level;
    return out;
}

static void fill_type(rg_arena *arena, pb_type *out, const rg_vardesc *var, bool *failed)
{
    paddle__framework__proto__var_type__init(out);
    out->type = (Paddle__Framework__Proto__VarType__Type)var->meta.kind;
    if (var->meta.kind == RG_TENSOR && (var->has_tensor || var->meta.shape.rank > 0)) {
        out->lod_tensor = lod_tensor(arena, &var->meta, failed);
    } else if (var->meta.kind == RG_ARRAY) {
        out->tensor_array = lod_tensor(arena, &var->meta, failed);
    } else if (var->meta.kind == RG_ROWS) {
        out->selected_rows = make(arena, 1, sizeof *out->selected_rows, failed);
        if (!*failed)
            fill_tensor(arena, out->selected_rows, &var->meta, failed);
    } else if (var->meta.kind == RG_READER && var->n_reader > 0) {
        out->reader = make(arena, 1, sizeof *out->reader, failed);
        if (*failed)
            return;
        paddle__framework__proto__var_type__reader_desc__init(out->reader);
        out->reader->n_lod_tensor = var->n_reader;
        out->reader->lod_tensor = make(arena, var->n_reader, sizeof(void *), failed);
        for (size_t i = 0; !*failed && i < var->n_reader; i++)
            out->reader->lod_tensor[i] = lod_tensor(arena, &var->reader[i], failed);
    }
}

static pb_var *var_out(rg_arena *arena, const rg_vardesc *var, bool *failed)
{
    pb_var *out = make(arena, 1, sizeof *out, failed);
    pb_type *type = make(arena, 1, sizeof *type, failed);
    if (*failed)
        return NULL;
    paddle__framework__proto__var_desc__init(out);
    fill_type(arena, type, var, failed);
    out->name = (char *)(uintptr_t)var->name;
    out->type = type;
    out->has_persistable = true;
    out->persistable = var->persistable;
    out->has_need_check_feed = var->need_check_feed;
    out->need_check_feed = var->need_check_feed;
    out->base.unknown_fields = (ProtobufCMessageUnknownField *)(uintptr_t)var->unknown;
    out->base.n_unknown_fields = (unsigned)var->n_unknown;
    return out;
}

static void *list_copy(rg_arena *arena, const rg_attr *attr, size_t size, bool *failed)
{
    void *copy = rg_arena_copy(arena, attr->longs, (size_t)attr->n * size);
    *failed = *failed || copy == NULL;
    return copy;
}

static pb_attr *attr_out(rg_arena *arena, const rg_attr *attr, bool *failed)
{
    pb_attr *out = make(arena, 1, sizeof *out, failed);
    if (*failed)
        return NULL;
    paddle__framework__proto__op_desc__attr__init(out);
    out->name = (char *)(uintptr_t)attr->name;
    out->type = (Paddle__Framework__Proto__AttrType)attr->type;
    size_t n = (size_t)attr->n;
    switch (attr->type) {
    case RG_ATTR_INT:
        out->has_i = true;
        out->i = attr->i;
        break;
    case RG_ATTR_FLOAT:
        out->has_f = true;
        out->f = attr->f;
        break;
    case RG_ATTR_STRING:
        out->s = (char *)(uintptr_t)attr->s;
        break;
    case RG_ATTR_INTS:
        out->n_ints = n;
        out->ints = list_copy(arena, attr, sizeof(int32_t), failed);
        break;
    case RG_ATTR_FLOATS:
        out->n_floats = n;
        out->floats = list_copy(arena, attr, sizeof(float), failed);
        break;
    case RG_ATTR_STRINGS:
        out->n_strings = n;
        out->strings = (char **)(uintptr_t)attr->strings;
        break;
    case RG_ATTR_BOOL:
        out->has_b = true;
        out->b = attr->b;
        break;
    case RG_ATTR_BOOLS:
        out->n_bools = n;
        out->bools = make(arena, n, sizeof *out->bools, failed);
        for (size_t i = 0; !*failed && i < n; i++)
            out->bools[i] = attr->bools[i];
        break;
    case RG_ATTR_BLOCK:
        out->has_block_idx = true;
        out->block_idx = attr->i;
        break;
    case RG_ATTR_LONG:
        out->has_l = true;
        out->l = attr->l;
        break;
    case RG_ATTR_BLOCKS:
        out->n_blocks_idx = n;
        out->blocks_idx = list_copy(arena, attr, sizeof(int32_t), failed);
        break;
    case RG_ATTR_LONGS:
        out->n_longs = n;
        out->longs = list_copy(arena, attr, sizeof(int64_t), failed);
        break;
    }
    return out;
}

static pb_args **args_out(rg_arena *arena, const rg_args *args, int n, bool *failed)
{
    pb_args **out = make(arena, (size_t)n, sizeof *out, failed);
    for (int i = 0; !*failed && i < n; i++) {
        out[i] = make(arena, 1, sizeof *out[i], failed);
        if (*failed)
            break;
        paddle__framework__proto__op_desc__var__init(out[i]);
        out[i]->parameter = (char *)(uintptr_t)args[i].slot;
        out[i]->n_arguments = (size_t)args[i].n;
        out[i]->arguments = (char **)(uintptr_t)args[i].names;
    }
    return out;
}

static pb_op *op_out(rg_arena *arena, const rg_opdesc *op, bool *failed)
{
    int n_schema = 0;
    while (op->op != NULL && op->op->attr != NULL && op->op->attr[n_schema].value.name != NULL)
        n_schema++;
    pb_op *out = make(arena, 1, sizeof *out, failed);
    pb_attr **attrs = make(arena, (size_t)(op->n_attrs + n_schema), sizeof *attrs, failed);
    if (*failed)
        return NULL;
    paddle__framework__proto__op_desc__init(out);
    out->type = (char *)(uintptr_t)op->type;
    out->n_inputs = (size_t)op->n_in;
    out->inputs = args_out(arena, op->in, op->n_in, failed);
    out->n_outputs = (size_t)op->n_out;
    out->outputs = args_out(arena, op->out, op->n_out, failed);
    out->has_is_target = op->is_target;
    out->is_target = op->is_target;
    for (int i = 0; i < op->n_attrs; i++)
        attrs[out->n_attrs++] = attr_out(arena, &op->attrs[i], failed);
    /* Defaults are written out: other readers may not know them. */
    for (int i = 0; i < n_schema; i++) {
        const rg_attr *value = &op->op->attr[i].value;
        bool given = false;
        for (int k = 0; k < op->n_attrs && !given; k++)
            given = strcmp(op->attrs[k].name, value->name) == 0;
        if (!given && !op->op->attr[i].required)
            attrs[out->n_attrs++] = attr_out(arena, value, failed);
    }
    out->attrs = attrs;
    out->base.unknown_fields = (ProtobufCMessageUnknownField *)(uintptr_t)op->unknown;
    out->base.n_unknown_fields = (unsigned)op->n_unknown;
    return out;
}

static pb_block *block_out(rg_arena *arena, const rg_block *block, bool *failed)
{
    pb_block *out = make(arena, 1, sizeof *out, failed);
    if (*failed)
        return NULL;
    paddle__framework__proto__block_desc__init(out);
    out->idx = block->idx;
    out->parent_idx = block->parent_idx;
    out->has_forward_block_idx = block->forward_idx >= 0;
    out->forward_block_idx = block->forward_idx;
    out->vars = make(arena, block->vars.live, sizeof *out->vars, failed);
    out->ops = make(arena, block->n_ops, sizeof *out->ops, failed);
    for (size_t i = 0; !*failed && i < block->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&block->vars, i);
        if (e != NULL)
            out->vars[out->n_vars++] = var_out(arena, e->value, failed);
    }
    for (size_t i = 0; !*failed && i < block->n_ops; i++)
        out->ops[out->n_ops++] = op_out(arena, block->ops[i], failed);
    return out;
}

rg_status rg_program_pack(const rg_program *program, rg_buf *bytes)
{
    rg_arena arena = RG_ARENA_EMPTY;
    bool failed = false;
    rg_status code = RG_OK;
    pb_program out;
    pb_version version;
    paddle__framework__proto__program_desc__init(&out);
    paddle__framework__proto__version__init(&version);
    version.has_version = true;
    version.version = program->has_file_version ? program->file_version : FILE_VERSION;
    out.version = &version;
    out.blocks = make(&arena, program->n_blocks, sizeof *out.blocks, &failed);
    for (size_t i = 0; !failed && i < program->n_blocks; i++)
        out.blocks[out.n_blocks++] = block_out(&arena, program->blocks[i], &failed);
    uint8_t *packed = NULL;
    if (!failed) {
        size_t size = paddle__framework__proto__program_desc__get_packed_size(&out);
        packed = rg_alloc(size);
        if (packed != NULL)
            rg_buf_add(bytes, packed, paddle__framework__proto__program_desc__pack(&out, packed));
    }
    code = packed == NULL ? rg_fail(RG_ENOMEM, "no memory to write a program")
                          : rg_buf_status(bytes);
    rg_free(packed);
    rg_arena_free(&arena);
    return code;
}

/* ---- in ---- */

static rg_status no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory for a program");
}

/* Fields this file format does not know, copied so that they can be written again. */
static rg_status keep_unknown(rg_program *program, const ProtobufCMessage *from,
                              const uint8_t **out, size_t *n)
{
    *n = from->n_unknown_fields;
    if (*n == 0)
        return RG_OK;
    ProtobufCMessageUnknownField *fields = rg_arena_copy(&program->arena, from->unknown_fields,
                                                         *n * sizeof *fields);
    if (fields == NULL)
        return no_memory();
    for (size_t i = 0; i < *n; i++) {
        fields[i].data = rg_arena_copy(&program->arena, fields[i].data, fields[i].len);
        if (fields[i].data == NULL)
            return no_memory();
    }
    *out = (const uint8_t *)fields;
    return RG_OK;
}

static rg_status tensor_in(rg_meta *meta, const pb_tensor *from, const char *name)
{
    if (!rg_dtype_valid((int)from->data_type))
        return rg_fail(RG_ECORRUPT, "variable %s has the data type %d", name, (int)from->data_type);
    if (from->n_dims > RG_MAX_DIMS)
        return rg_fail(RG_ECORRUPT, "variable %s has %zu dimensions, and at most %d are known",
                       name, from->n_dims, RG_MAX_DIMS);
    meta->dtype = (rg_dtype)from->data_type;
    meta->shape.rank = (int)from->n_dims;
    for (size_t i = 0; i < from->n_dims; i++) /* real Paddle writes -1 times 128 as -128 */
        meta->shape.dim[i] = from->dims[i] < 0 ? -1 : from->dims[i];
    rg_status code = rg_shape_check(&meta->shape, rg_dtype_size(meta->dtype), SIZE_MAX / 2);
    return code == RG_OK ? RG_OK : rg_context(code, "variable %s", name);
}

static rg_status lod_tensor_in(rg_meta *meta, const pb_lod_tensor *from, const char *name)
{
    if (from->lod_level < 0 || from->lod_level > RG_MAX_LOD)
        return rg_fail(RG_ECORRUPT, "variable %s has %d levels of detail", name, from->lod_level);
    meta->lod_level = from->lod_level;
    return tensor_in(meta, from->tensor, name);
}

static rg_status reader_in(rg_program *program, rg_vardesc *var,
                           const Paddle__Framework__Proto__VarType__ReaderDesc *from)
{
    var->reader = rg_arena_zero(&program->arena, from->n_lod_tensor * sizeof *var->reader);
    if (var->reader == NULL)
        return no_memory();
    for (size_t i = 0; i < from->n_lod_tensor; i++) {
        var->reader[i].kind = RG_TENSOR;
        RG_TRY(lod_tensor_in(&var->reader[i], from->lod_tensor[i], var->name));
    }
    var->n_reader = from->n_lod_tensor;
    return RG_OK;
}

static rg_status var_in(rg_block *block, const pb_var *from)
{
    rg_vardesc *var;
    if (from->name[0] == '\0' || rg_block_var(block, from->name) != NULL)
        return rg_fail(RG_ECORRUPT, "block %d has two variables named '%s', or one without a name",
                       block->idx, from->name);
    if (!rg_kind_valid((int)from->type->type))
        return rg_fail(RG_ECORRUPT, "variable %s has the type %d", from->name,
                       (int)from->type->type);
    RG_TRY(rg_block_add_var(block, from->name, &var));
    var->meta.kind = (rg_kind)from->type->type;
    var->persistable = from->persistable;
    var->need_check_feed = from->need_check_feed;
    const pb_type *type = from->type;
    if (type->lod_tensor != NULL) {
        var->has_tensor = true;
        RG_TRY(lod_tensor_in(&var->meta, type->lod_tensor, var->name));
    } else if (type->tensor_array != NULL) {
        RG_TRY(lod_tensor_in(&var->meta, type->tensor_array, var->name));
    } else if (type->selected_rows != NULL) {
        RG_TRY(tensor_in(&var->meta, type->selected_rows, var->name));
    } else if (type->reader != NULL) {
        RG_TRY(reader_in(block->program, var, type->reader));
    }
    return keep_unknown(block->program, &from->base, &var->unknown, &var->n_unknown);
}

static bool attr_in(rg_attr *out, const pb_attr *from, rg_arena *arena)
{
    *out = (rg_attr){.name = from->name, .type = (rg_attr_type)from->type};
    switch (out->type) {
    case RG_ATTR_INT:
        out->i = from->i;
        return true;
    case RG_ATTR_FLOAT:
        out->f = from->f;
        return true;
    case RG_ATTR_STRING:
        out->s = from->s ? from->s : "";
        return true;
    case RG_ATTR_INTS:
        out->n = (int)from->n_ints;
        out->ints = from->ints;
        return true;
    case RG_ATTR_FLOATS:
        out->n = (int)from->n_floats;
        out->floats = from->floats;
        return true;
    case RG_ATTR_STRINGS:
        out->n = (int)from->n_strings;
        out->strings = (const char *const *)from->strings;
        return true;
    case RG_ATTR_BOOL:
        out->b = from->b;
        return true;
    case RG_ATTR_BOOLS: {
        bool *bools = rg_arena_alloc(arena, from->n_bools);
        for (size_t i = 0; bools != NULL && i < from->n_bools; i++)
            bools[i] = from->bools[i];
        out->n = (int)from->n_bools;
        out->bools = bools;
        return bools != NULL;
    }
    case RG_ATTR_BLOCK:
        out->i = from->block_idx;
        return true;
    case RG_ATTR_LONG:
        out->l = from->l;
        return true;
    case RG_ATTR_BLOCKS:
        out->n = (int)from->n_blocks_idx;
        out->ints = from->blocks_idx;
        return true;
    case RG_ATTR_LONGS:
        out->n = (int)from->n_longs;
        out->longs = from->longs;
        return true;
    }
    return false;
}

static rg_status op_in(rg_block *block, const pb_op *from)
{
    rg_opdesc *op;
    RG_TRY(rg_block_append_op(block, from->type, &op));
    op->n_attrs = 0; /* what the file says, not what this program would add */
    op->is_target = from->is_target;
    for (size_t i = 0; i < from->n_inputs; i++)
        RG_TRY(rg_opdesc_set_in(op, from->inputs[i]->parameter, (int)from->inputs[i]->n_arguments,
                                (const char *const *)from->inputs[i]->arguments));
    for (size_t i = 0; i < from->n_outputs; i++)
        RG_TRY(rg_opdesc_set_out(op, from->outputs[i]->parameter,
                                 (int)from->outputs[i]->n_arguments,
                                 (const char *const *)from->outputs[i]->arguments));
    for (size_t i = 0; i < from->n_attrs; i++) {
        const pb_attr *attr = from->attrs[i];
        rg_attr value;
        bool declared = op->op == NULL || rg_op_attr_slot(op->op, attr->name) >= 0 ||
                        rg_attr_is_common(attr->name);
        if (!rg_attr_type_valid((int)attr->type)) {
            if (declared && op->op != NULL)
                return rg_fail(RG_ECORRUPT, "op %s: attribute %s has the type %d", from->type,
                               attr->name, (int)attr->type);
            continue; /* of a later release, and no op here reads it */
        }
        if (!attr_in(&value, attr, &block->program->arena))
            return no_memory();
        rg_status code = rg_opdesc_set_attr(op, &value);
        if (code != RG_OK)
            return rg_context(code, "op %s", from->type);
    }
    return keep_unknown(block->program, &from->base, &op->unknown, &op->n_unknown);
}

static rg_status blocks_in(rg_program *program, const pb_program *from)
{
    if (from->n_blocks == 0 || from->n_blocks > MAX_BLOCKS)
        return rg_fail(RG_ECORRUPT, "a program of %zu blocks, and it may have 1 to %d",
                       from->n_blocks, MAX_BLOCKS);
    for (size_t i = 0; i < from->n_blocks; i++) {
        const pb_block *b = from->blocks[i];
        rg_block *block = program->blocks[0];
        if (b->idx != (int)i)
            return rg_fail(RG_ECORRUPT, "block %zu calls itself %d", i, b->idx);
        if (i > 0)
            RG_TRY(rg_program_add_block(program, b->parent_idx, &block));
        block->parent_idx = b->parent_idx;
        block->forward_idx = b->forward_block_idx;
        for (size_t k = 0; k < b->n_vars; k++)
            RG_TRY(var_in(block, b->vars[k]));
        for (size_t k = 0; k < b->n_ops; k++)
            RG_TRY(op_in(block, b->ops[k]));
    }
    return RG_OK;
}

rg_status rg_program_unpack(rg_program **out, const uint8_t *bytes, size_t n)
{
    if (n > MAX_PROGRAM_BYTES)
        return rg_fail(RG_ETOOBIG, "a program of %zu bytes, over the limit of %d", n,
                       MAX_PROGRAM_BYTES);
    pb_program *from = paddle__framework__proto__program_desc__unpack(NULL, n, bytes);
    if (from == NULL)
        return rg_fail(RG_ECORRUPT, "these %zu bytes are not a program (ProgramDesc)", n);
    rg_program *program;
    rg_status code = rg_program_open(&program);
    if (code == RG_OK) {
        code = blocks_in(program, from);
        if (code == RG_OK)
            code = rg_program_verify(program);
        if (code == RG_OK && from->version != NULL) {
            program->has_file_version = true;
            program->file_version = from->version->version;
        }
        if (code != RG_OK)
            rg_program_close(program);
        else
            *out = program;
    }
    paddle__framework__proto__program_desc__free_unpacked(from, NULL);
    return code;
}

/* ---- verifying ---- */

/* A block that two ops run is made twice when a program is planned, and what is in it, too: how
 * often, with all that are above. runs[i] is known when block i is come to. */
static rg_status count_runs(uint64_t *runs, uint64_t *all, const rg_opdesc *op, int sub)
{
    runs[sub] += runs[op->block->idx];
    *all += runs[op->block->idx];
    return *all <= MAX_RUNS ? RG_OK
                            : rg_fail(RG_ETOOBIG,
                                      "op %s in block %d runs block %d: the program's blocks are "
                                      "run by more than %d ops in all",
                                      op->type, op->block->idx, sub, MAX_RUNS);
}

static rg_status verify_attr(const rg_program *program, const rg_opdesc *op, const rg_attr *attr,
                             uint64_t *runs, uint64_t *all)
{
    const int32_t *blocks = NULL;
    int n = 0;
    if (attr->type == RG_ATTR_BLOCK) {
        blocks = &attr->i;
        n = 1;
    } else if (attr->type == RG_ATTR_BLOCKS) {
        blocks = attr->ints;
        n = attr->n;
    }
    for (int i = 0; i < n; i++) {
        const rg_block *sub = rg_program_block(program, blocks[i]);
        if (sub == NULL || blocks[i] == 0)
            return rg_fail(RG_ECORRUPT, "op %s: attribute %s names block %d of %zu", op->type,
                           attr->name, blocks[i], program->n_blocks);
        /* A block is run by an op above it, so running always ends. */
        const rg_block *up = sub;
        while (up != NULL && up != op->block)
            up = rg_program_block(program, up->parent_idx);
        if (up == NULL || sub == op->block)
            return rg_fail(RG_ECORRUPT, "op %s in block %d runs block %d, which is not below it",
                           op->type, op->block->idx, blocks[i]);
        RG_TRY(count_runs(runs, all, op, blocks[i]));
    }
    return RG_OK;
}

/* Before anything walks up from a block: that ends where each has an earlier one above it. */
static rg_status verify_tree(const rg_program *program)
{
    for (size_t i = 0; i < program->n_blocks; i++) {
        const rg_block *block = program->blocks[i];
        if (i == 0 ? block->parent_idx >= 0 : block->parent_idx < 0)
            return rg_fail(RG_ECORRUPT, "block %zu has the parent %d", i, block->parent_idx);
        if (block->parent_idx >= (int)i)
            return rg_fail(RG_ECORRUPT, "block %zu has the later block %d as parent", i,
                           block->parent_idx);
        if (block->forward_idx >= (int)program->n_blocks)
            return rg_fail(RG_ECORRUPT, "block %zu is the gradient of block %d of %zu", i,
                           block->forward_idx, program->n_blocks);
    }
    return RG_OK;
}

static rg_status verify_ops(const rg_program *program, uint64_t *runs)
{
    uint64_t all = 1;
    runs[0] = 1;
    for (size_t i = 0; i < program->n_blocks; i++) {
        const rg_block *block = program->blocks[i];
        for (size_t k = 0; k < block->n_ops; k++) {
            const rg_opdesc *op = block->ops[k];
            if (op->type[0] == '\0')
                return rg_fail(RG_ECORRUPT, "op %zu of block %zu has no type", k, i);
            for (int a = 0; a < op->n_attrs; a++)
                RG_TRY(verify_attr(program, op, &op->attrs[a], runs, &all));
        }
    }
    return RG_OK;
}

rg_status rg_program_verify(const rg_program *program)
{
    uint64_t *runs = rg_alloc_zero(program->n_blocks, sizeof *runs);
    if (runs == NULL)
        return no_memory();
    rg_status code = verify_tree(program);
    if (code == RG_OK)
        code = verify_ops(program, runs);
    rg_free(runs);
    return code;
}
