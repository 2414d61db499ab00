/* program.c - building and changing programs. */
#include "ir/program.h"

#include "base/mem.h"
#include "ir/life.h"

#include <string.h>

static rg_status no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory for a program");
}

static void touch(rg_program *program)
{
    program->version++;
}

/* ---- programs ---- */

rg_status rg_program_open(rg_program **out)
{
    rg_program *program = rg_alloc_zero(1, sizeof *program);
    if (program == NULL)
        return no_memory();
    program->life = rg_life_begin();
    if (program->life == NULL) {
        rg_free(program);
        return no_memory();
    }
    program->namescope = "/";
    program->device = "";
    program->op_role = RG_ROLE_FORWARD;
    rg_block *block;
    rg_status code = rg_program_add_block(program, -1, &block);
    if (code != RG_OK) {
        rg_program_close(program);
        return code;
    }
    *out = program;
    return RG_OK;
}

void rg_program_close(rg_program *program)
{
    if (program == NULL)
        return;
    rg_life_end(program->life);
    for (size_t i = 0; i < program->n_blocks; i++) {
        rg_map_fini(&program->blocks[i]->vars);
        rg_free(program->blocks[i]->ops);
    }
    rg_free(program->blocks);
    rg_map_fini(&program->names);
    rg_arena_free(&program->arena);
    rg_free(program);
}

const char *rg_program_name(rg_program *program, const char *name)
{
    const char *known = rg_map_get(&program->names, name);
    if (known != NULL)
        return known;
    char *copy = rg_arena_strdup(&program->arena, name);
    if (copy == NULL || rg_map_put(&program->names, copy, copy) != RG_OK)
        return NULL;
    return copy;
}

rg_block *rg_program_block(const rg_program *program, int idx)
{
    return idx >= 0 && (size_t)idx < program->n_blocks ? program->blocks[idx] : NULL;
}

/* How many blocks stand one inside the other from the outermost to this one. A parent that is no
 * earlier block ends it: verifying refuses such a program. */
static int depth_of(const rg_program *program, int idx)
{
    int depth = 1;
    for (const rg_block *b = rg_program_block(program, idx);
         b != NULL && b->idx > 0 && b->parent_idx < b->idx && depth <= RG_MAX_BLOCK_DEPTH;
         b = rg_program_block(program, b->parent_idx))
        depth++;
    return depth;
}

rg_status rg_program_add_block(rg_program *program, int parent, rg_block **out)
{
    if (depth_of(program, parent) >= RG_MAX_BLOCK_DEPTH)
        return rg_fail(RG_ETOOBIG, "block %zu is nested deeper than %d blocks, the limit",
                       program->n_blocks, RG_MAX_BLOCK_DEPTH);
    rg_block *block = rg_arena_zero(&program->arena, sizeof *block);
    if (block == NULL)
        return no_memory();
    RG_TRY(rg_grow((void **)&program->blocks, program->n_blocks, &program->cap_blocks,
                   sizeof *program->blocks));
    block->program = program;
    block->idx = (int)program->n_blocks;
    block->parent_idx = parent;
    block->forward_idx = -1;
    program->blocks[program->n_blocks++] = block;
    touch(program);
    *out = block;
    return RG_OK;
}

/* ---- variables ---- */

rg_vardesc *rg_block_var(const rg_block *block, const char *name)
{
    return rg_map_get(&block->vars, name);
}

rg_vardesc *rg_block_find(const rg_block *block, const char *name)
{
    while (block != NULL) {
        rg_vardesc *var = rg_block_var(block, name);
        if (var != NULL)
            return var;
        /* The gradient of a block sees the variables of that block. */
        const rg_block *forward = rg_program_block(block->program, block->forward_idx);
        if (forward != NULL && (var = rg_block_var(forward, name)) != NULL)
            return var;
        block = rg_program_block(block->program, block->parent_idx);
    }
    return NULL;
}

rg_status rg_block_add_var(rg_block *block, const char *name, rg_vardesc **out)
{
    rg_vardesc *var = rg_block_var(block, name);
    if (var == NULL) {
        const char *kept = rg_program_name(block->program, name);
        var = rg_arena_zero(&block->program->arena, sizeof *var);
        if (kept == NULL || var == NULL)
            return no_memory();
        var->name = kept;
        var->block = block;
        var->meta.kind = RG_TENSOR;
        var->meta.dtype = RG_F32;
        RG_TRY(rg_map_put(&block->vars, kept, var));
        touch(block->program);
    }
    *out = var;
    return RG_OK;
}

void rg_block_remove_var(rg_block *block, const char *name)
{
    rg_map_remove(&block->vars, name);
    touch(block->program);
}

rg_status rg_block_rename_var(rg_block *block, const char *from, const char *to)
{
    rg_vardesc *var = rg_block_var(block, from);
    if (var == NULL)
        return rg_fail(RG_ENOENT, "block %d has no variable %s to rename", block->idx, from);
    if (rg_block_var(block, to) != NULL)
        return rg_fail(RG_EINVAL, "block %d has a variable %s already", block->idx, to);
    const char *kept = rg_program_name(block->program, to);
    if (kept == NULL)
        return no_memory();
    RG_TRY(rg_map_put(&block->vars, kept, var));
    rg_map_remove(&block->vars, from);
    var->name = kept;
    for (size_t i = 0; i < block->n_ops; i++)
        RG_TRY(rg_opdesc_rename(block->ops[i], from, kept, true, true));
    touch(block->program);
    return RG_OK;
}

/* ---- ops ---- */

static rg_status add_attr(rg_opdesc *op, const rg_attr *attr);

static rg_status add_common_attrs(rg_opdesc *op)
{
    const rg_program *program = op->block->program;
    RG_TRY(add_attr(op, &(rg_attr){.name = "op_role", .type = RG_ATTR_INT, .i = program->op_role}));
    if (program->n_role_vars > 0)
        RG_TRY(add_attr(op, &(rg_attr){.name = "op_role_var",
                                       .type = RG_ATTR_STRINGS,
                                       .n = program->n_role_vars,
                                       .strings = program->role_vars}));
    if (strcmp(program->namescope, "/") != 0)
        RG_TRY(add_attr(
            op,
            &(rg_attr){.name = "op_namescope", .type = RG_ATTR_STRING, .s = program->namescope}));
    if (program->device[0] != '\0')
        RG_TRY(add_attr(
            op, &(rg_attr){.name = "op_device", .type = RG_ATTR_STRING, .s = program->device}));
    if (program->where != NULL)
        RG_TRY(add_attr(op, &(rg_attr){.name = "op_callstack",
                                       .type = RG_ATTR_STRINGS,
                                       .n = 1,
                                       .strings = &program->where}));
    return RG_OK;
}

static rg_status insert(rg_block *block, size_t index, rg_opdesc *op)
{
    assert(index <= block->n_ops);
    RG_TRY(rg_grow((void **)&block->ops, block->n_ops, &block->cap_ops, sizeof *block->ops));
    memmove(block->ops + index + 1, block->ops + index,
            (block->n_ops - index) * sizeof *block->ops);
    block->ops[index] = op;
    block->n_ops++;
    touch(block->program);
    return RG_OK;
}

rg_status rg_block_insert_op(rg_block *block, size_t index, const char *type, rg_opdesc **out)
{
    rg_opdesc *op = rg_arena_zero(&block->program->arena, sizeof *op);
    const char *kept = rg_program_name(block->program, type);
    if (op == NULL || kept == NULL)
        return no_memory();
    op->type = kept;
    op->op = rg_op_find(type);
    op->block = block;
    RG_TRY(add_common_attrs(op));
    RG_TRY(insert(block, index, op));
    *out = op;
    return RG_OK;
}

rg_status rg_block_append_op(rg_block *block, const char *type, rg_opdesc **op)
{
    return rg_block_insert_op(block, block->n_ops, type, op);
}

void rg_block_remove_ops(rg_block *block, size_t from, size_t to)
{
    assert(from <= to && to <= block->n_ops);
    if (from == to)
        return; /* of an empty block too, which has no list */
    memmove(block->ops + from, block->ops + to, (block->n_ops - to) * sizeof *block->ops);
    block->n_ops -= to - from;
    touch(block->program);
}

/* A list in the arena grows by powers of two: room for one more at n = 0, 1, 2, 4 ... */
static bool is_full(int n)
{
    return (n & (n - 1)) == 0;
}

/* The places that a list of n has. */
static size_t room_for(int n)
{
    size_t room = 1;
    while (room < (size_t)n)
        room *= 2;
    return room;
}

static rg_status copy_args(rg_program *program, rg_args **out, const rg_args *from, int n)
{
    rg_args *args = rg_arena_zero(&program->arena, room_for(n) * sizeof *args);
    if (args == NULL)
        return no_memory();
    for (int i = 0; i < n; i++) {
        args[i].slot = rg_program_name(program, from[i].slot);
        args[i].n = from[i].n;
        args[i].names = rg_arena_alloc(&program->arena, (size_t)from[i].n * sizeof *args[i].names);
        if (args[i].slot == NULL || args[i].names == NULL)
            return no_memory();
        for (int k = 0; k < from[i].n; k++)
            if ((args[i].names[k] = rg_program_name(program, from[i].names[k])) == NULL)
                return no_memory();
    }
    *out = args;
    return RG_OK;
}

rg_status rg_block_copy_op(rg_block *block, size_t index, const rg_opdesc *from, rg_opdesc **out)
{
    rg_program *program = block->program;
    rg_opdesc *op = rg_arena_zero(&program->arena, sizeof *op);
    if (op == NULL)
        return no_memory();
    *op = *from;
    op->block = block;
    op->type = rg_program_name(program, from->type);
    if (op->type == NULL)
        return no_memory();
    RG_TRY(copy_args(program, &op->in, from->in, from->n_in));
    RG_TRY(copy_args(program, &op->out, from->out, from->n_out));
    op->attrs = rg_arena_alloc(&program->arena, room_for(from->n_attrs) * sizeof *op->attrs);
    if (op->attrs == NULL)
        return no_memory();
    for (int i = 0; i < from->n_attrs; i++)
        RG_TRY(rg_attr_copy(&program->arena, &op->attrs[i], &from->attrs[i]));
    op->unknown = rg_arena_copy(&program->arena, from->unknown, from->n_unknown);
    RG_TRY(insert(block, index, op));
    if (out != NULL)
        *out = op;
    return RG_OK;
}

rg_status rg_opdesc_become(rg_opdesc *op, const char *type)
{
    op->type = rg_program_name(op->block->program, type);
    if (op->type == NULL)
        return no_memory();
    op->op = rg_op_find(type);
    op->n_in = op->n_out = 0;
    int kept = 0;
    for (int i = 0; i < op->n_attrs; i++)
        if (rg_attr_is_common(op->attrs[i].name))
            op->attrs[kept++] = op->attrs[i];
    op->n_attrs = kept;
    op->in = op->out = NULL;
    touch(op->block->program);
    return RG_OK;
}

static const rg_args *find_args(const rg_args *args, int n, const char *slot)
{
    for (int i = 0; i < n; i++)
        if (strcmp(args[i].slot, slot) == 0)
            return &args[i];
    return NULL;
}

static rg_status set_args(rg_opdesc *op, rg_args **list, int *count, const char *slot, int n,
                          const char *const *names)
{
    rg_program *program = op->block->program;
    rg_args *args = (rg_args *)(uintptr_t)find_args(*list, *count, slot);
    const char **kept = rg_arena_alloc(&program->arena, (size_t)n * sizeof *kept);
    if (kept == NULL)
        return no_memory();
    for (int i = 0; i < n; i++)
        if ((kept[i] = rg_program_name(program, names[i])) == NULL)
            return no_memory();
    if (args == NULL) {
        if (is_full(*count)) {
            size_t room = *count ? (size_t)*count * 2 : 1;
            rg_args *bigger = rg_arena_alloc(&program->arena, room * sizeof *bigger);
            if (bigger == NULL)
                return no_memory();
            if (*count > 0)
                memcpy(bigger, *list, (size_t)*count * sizeof *bigger);
            *list = bigger;
        }
        args = &(*list)[(*count)++];
        args->slot = rg_program_name(program, slot);
        if (args->slot == NULL)
            return no_memory();
    }
    args->n = n;
    args->names = kept;
    touch(program);
    return RG_OK;
}

rg_status rg_opdesc_set_in(rg_opdesc *op, const char *slot, int n, const char *const *names)
{
    return set_args(op, &op->in, &op->n_in, slot, n, names);
}

rg_status rg_opdesc_set_out(rg_opdesc *op, const char *slot, int n, const char *const *names)
{
    return set_args(op, &op->out, &op->n_out, slot, n, names);
}

static rg_attr *find_attr(const rg_opdesc *op, const char *name)
{
    for (int i = 0; i < op->n_attrs; i++)
        if (strcmp(op->attrs[i].name, name) == 0)
            return &op->attrs[i];
    return NULL;
}

/* Room for one more attribute at the end; it is not counted yet. */
static rg_attr *new_attr(rg_opdesc *op)
{
    if (is_full(op->n_attrs)) {
        size_t room = op->n_attrs ? (size_t)op->n_attrs * 2 : 1;
        rg_attr *bigger = rg_arena_alloc(&op->block->program->arena, room * sizeof *bigger);
        if (bigger == NULL)
            return NULL;
        if (op->n_attrs > 0)
            memcpy(bigger, op->attrs, (size_t)op->n_attrs * sizeof *bigger);
        op->attrs = bigger;
    }
    return &op->attrs[op->n_attrs];
}

static rg_status add_attr(rg_opdesc *op, const rg_attr *attr)
{
    rg_attr *place = new_attr(op);
    if (place == NULL)
        return no_memory();
    RG_TRY(rg_attr_copy(&op->block->program->arena, place, attr));
    op->n_attrs++;
    return RG_OK;
}

rg_status rg_opdesc_set_attr(rg_opdesc *op, const rg_attr *attr)
{
    rg_attr *old = find_attr(op, attr->name);
    rg_attr *place = old ? old : new_attr(op);
    if (place == NULL)
        return no_memory();
    int slot = op->op ? rg_op_attr_slot(op->op, attr->name) : -1;
    rg_arena *arena = &op->block->program->arena;
    rg_attr fresh;
    if (slot >= 0)
        RG_TRY(rg_attr_convert(arena, &fresh, attr, op->op->attr[slot].value.type));
    else
        RG_TRY(rg_attr_copy(arena, &fresh, attr));
    *place = fresh;
    if (old == NULL)
        op->n_attrs++;
    touch(op->block->program);
    return RG_OK;
}

void rg_opdesc_remove_attr(rg_opdesc *op, const char *name)
{
    rg_attr *attr = find_attr(op, name);
    if (attr == NULL)
        return;
    size_t after = (size_t)(op->attrs + op->n_attrs - attr) - 1;
    memmove(attr, attr + 1, after * sizeof *attr);
    op->n_attrs--;
    touch(op->block->program);
}

static rg_status rename_args(rg_opdesc *op, rg_args *args, int n, const char *from, const char *to)
{
    const char *kept = NULL;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++)
            if (strcmp(args[i].names[k], from) == 0) {
                if (kept == NULL && (kept = rg_program_name(op->block->program, to)) == NULL)
                    return no_memory();
                args[i].names[k] = kept;
            }
    return RG_OK;
}

rg_status rg_opdesc_rename(rg_opdesc *op, const char *from, const char *to, bool in, bool out)
{
    if (in)
        RG_TRY(rename_args(op, op->in, op->n_in, from, to));
    if (out)
        RG_TRY(rename_args(op, op->out, op->n_out, from, to));
    touch(op->block->program);
    return RG_OK;
}

const rg_args *rg_opdesc_in(const rg_opdesc *op, const char *slot)
{
    return find_args(op->in, op->n_in, slot);
}

const rg_args *rg_opdesc_out(const rg_opdesc *op, const char *slot)
{
    return find_args(op->out, op->n_out, slot);
}

const rg_attr *rg_opdesc_attr(const rg_opdesc *op, const char *name)
{
    const rg_attr *attr = find_attr(op, name);
    if (attr != NULL)
        return attr;
    int slot = op->op ? rg_op_attr_slot(op->op, name) : -1;
    return slot >= 0 && !op->op->attr[slot].required ? &op->op->attr[slot].value : NULL;
}

bool rg_opdesc_adds_to(const rg_opdesc *op, const char *name)
{
    bool reads = false, writes = false;
    if (strcmp(op->type, "elementwise_add") != 0 ||
        (rg_opdesc_role(op) & (RG_ROLE_BACKWARD | RG_ROLE_OPTIMIZE | RG_ROLE_LR_SCHED)) != 0)
        return false;
    for (int s = 0; s < op->n_in; s++)
        for (int k = 0; k < op->in[s].n; k++)
            reads = reads || strcmp(op->in[s].names[k], name) == 0;
    for (int s = 0; s < op->n_out; s++)
        for (int k = 0; k < op->out[s].n; k++)
            writes = writes || strcmp(op->out[s].names[k], name) == 0;
    return reads && writes;
}

int rg_opdesc_role(const rg_opdesc *op)
{
    const rg_attr *role = find_attr(op, "op_role");
    return role != NULL && role->type == RG_ATTR_INT ? role->i : RG_ROLE_FORWARD;
}

bool rg_opdesc_is(const rg_opdesc *op, unsigned flags)
{
    return op->op != NULL && (op->op->flags & flags) != 0;
}

bool rg_program_has(const rg_program *program, unsigned flags)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        if (rg_opdesc_is(block->ops[i], flags))
            return true;
    return false;
}

const char *rg_opdesc_where(const rg_opdesc *op)
{
    const rg_attr *stack = find_attr(op, "op_callstack");
    if (stack == NULL || stack->type != RG_ATTR_STRINGS || stack->n == 0)
        return NULL;
    return stack->strings[0];
}

static bool has_name(const rg_args *args, int n, const char *name)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++)
            if (strcmp(args[s].names[k], name) == 0)
                return true;
    return false;
}

bool rg_op_reads(const rg_opdesc *op, const char *name)
{
    return has_name(op->in, op->n_in, name);
}

bool rg_op_writes(const rg_opdesc *op, const char *name)
{
    return has_name(op->out, op->n_out, name);
}

bool rg_block_reads(const rg_block *block, const char *name)
{
    for (size_t i = 0; i < block->n_ops; i++)
        if (rg_op_reads(block->ops[i], name))
            return true;
    return false;
}

bool rg_block_writes(const rg_block *block, const char *name)
{
    return rg_block_last_writer(block, name) != NULL;
}

rg_opdesc *rg_block_last_writer(const rg_block *block, const char *name)
{
    for (size_t i = block->n_ops; i-- > 0;)
        if (rg_op_writes(block->ops[i], name))
            return block->ops[i];
    return NULL;
}

size_t rg_opdesc_index(const rg_opdesc *op)
{
    size_t i = 0;
    while (i < op->block->n_ops && op->block->ops[i] != op)
        i++;
    return i;
}

/* ---- copies of programs ---- */

static rg_status copy_var(rg_block *block, const rg_vardesc *from)
{
    rg_program *program = block->program;
    rg_vardesc *var;
    RG_TRY(rg_block_add_var(block, from->name, &var));
    const char *name = var->name;
    *var = *from;
    var->name = name;
    var->block = block;
    var->reader = rg_arena_copy(&program->arena, from->reader,
                                from->n_reader * sizeof *from->reader);
    var->unknown = rg_arena_copy(&program->arena, from->unknown, from->n_unknown);
    return var->reader && var->unknown ? RG_OK : no_memory();
}

static bool has_role(const rg_opdesc *op, int roles)
{
    int role = rg_opdesc_role(op);
    return role != RG_ROLE_NOT_SPECIFIED && (role & roles) != 0;
}

/* What tests leave out. A trainer's program is tested with the parameters it has: nothing is sent
 * or received. Its tests do not step the learning rate, whose counter is the training's; in a
 * program without backward the rate is one more value that may be asked for. */
static int roles_of_training(const rg_program *program)
{
    int roles = RG_ROLE_BACKWARD | RG_ROLE_OPTIMIZE | RG_ROLE_RPC | RG_ROLE_DIST;
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        if (has_role(block->ops[i], RG_ROLE_BACKWARD))
            return roles | RG_ROLE_LR_SCHED;
    return roles;
}

static rg_status put_names(rg_map *names, const rg_args *args, int n)
{
    for (int s = 0; s < n; s++)
        for (int k = 0; k < args[s].n; k++)
            RG_TRY(rg_map_put(names, args[s].names[k], names));
    return RG_OK;
}

/* The names that ops of these roles, or those of all others, read or write in any block. */
static rg_status names_of_roles(rg_map *names, const rg_program *program, int roles, bool others)
{
    for (size_t i = 0; i < program->n_blocks; i++) {
        const rg_block *block = program->blocks[i];
        for (size_t k = 0; k < block->n_ops; k++) {
            const rg_opdesc *op = block->ops[k];
            if (has_role(op, roles) == others)
                continue;
            RG_TRY(put_names(names, op->in, op->n_in));
            RG_TRY(put_names(names, op->out, op->n_out));
        }
    }
    return RG_OK;
}

/* What a copy has, by the names of its ops and of those that are left out. */
typedef struct rg_copied {
    int left_out; /* roles */
    rg_map named, gone;
} rg_copied;

/* The optimizer's state, gradients: with the ops that name them their variables go, too, so that
 * what is kept of the copy is what it computes with. Of variables that no op names the fed ones
 * stay. */
static bool has_var(const rg_copied *copied, const rg_vardesc *var)
{
    if (copied->gone.live == 0 || rg_map_has(&copied->named, var->name))
        return true;
    return !var->persistable && !rg_map_has(&copied->gone, var->name);
}

static rg_status copy_block(rg_block *block, const rg_block *from, const rg_copied *copied)
{
    block->forward_idx = from->forward_idx;
    for (size_t k = 0; k < from->vars.n_entries; k++) {
        const rg_map_entry *e = rg_map_at(&from->vars, k);
        if (e != NULL && has_var(copied, e->value))
            RG_TRY(copy_var(block, e->value));
    }
    for (size_t k = 0; k < from->n_ops; k++)
        if (!has_role(from->ops[k], copied->left_out))
            RG_TRY(rg_block_copy_op(block, block->n_ops, from->ops[k], NULL));
    return RG_OK;
}

static rg_status copy_blocks(rg_program *copy, const rg_program *program, const rg_copied *copied)
{
    for (size_t i = 0; i < program->n_blocks; i++) {
        rg_block *block = copy->blocks[0];
        if (i > 0)
            RG_TRY(rg_program_add_block(copy, program->blocks[i]->parent_idx, &block));
        RG_TRY(copy_block(block, program->blocks[i], copied));
    }
    return RG_OK;
}

static rg_status copy_for_test(rg_program *copy, const rg_program *program)
{
    rg_copied copied = {.left_out = roles_of_training(program)};
    rg_status code = names_of_roles(&copied.gone, program, copied.left_out, false);
    if (code == RG_OK)
        code = names_of_roles(&copied.named, program, copied.left_out, true);
    if (code == RG_OK)
        code = copy_blocks(copy, program, &copied);
    rg_map_fini(&copied.gone);
    rg_map_fini(&copied.named);
    return code == RG_OK ? rg_program_set_test(copy) : code;
}

rg_status rg_program_clone(rg_program **out, const rg_program *program, bool for_test)
{
    rg_program *copy;
    RG_TRY(rg_program_open(&copy));
    copy->random_seed = program->random_seed;
    copy->file_version = program->file_version;
    copy->has_file_version = program->has_file_version;
    rg_status code = for_test ? copy_for_test(copy, program)
                              : copy_blocks(copy, program, &(rg_copied){0});
    if (code != RG_OK) {
        rg_program_close(copy);
        return code;
    }
    *out = copy;
    return RG_OK;
}

rg_status rg_program_set_test(rg_program *program)
{
    for (size_t i = 0; i < program->n_blocks; i++)
        for (size_t k = 0; k < program->blocks[i]->n_ops; k++) {
            rg_opdesc *op = program->blocks[i]->ops[k];
            if (rg_opdesc_attr(op, "is_test") != NULL)
                RG_TRY(rg_opdesc_set_attr(
                    op, &(rg_attr){.name = "is_test", .type = RG_ATTR_BOOL, .b = true}));
        }
    return RG_OK;
}
