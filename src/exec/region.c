/* region.c - a block's ops bound to values, and run in order. */
#include "exec/plan_priv.h"

#include "base/mem.h"
#include "sys/profile.h"
#include "sys/clock.h"

#include <string.h>

/* ---- finding the value of a name ---- */

rg_temp *rg_region_temp(const rg_region *region, const char *name)
{
    size_t at = (size_t)(uintptr_t)rg_map_get(&region->index, name);
    return at ? &region->temps[at - 1] : NULL;
}

static rg_status add_temp(rg_region *region, const char *name, const rg_vardesc *desc,
                          rg_temp **out)
{
    RG_TRY(rg_grow((void **)&region->temps, region->n_temps, &region->cap_temps,
                   sizeof *region->temps));
    rg_temp *temp = &region->temps[region->n_temps];
    *temp = (rg_temp){.name = name, .desc = desc, .first = -1, .last = -1};
    RG_TRY(rg_value_new(&temp->value));
    if (region->parent == NULL && rg_map_get(&region->plan->on_device, name) != NULL)
        rg_value_place(temp->value, region->plan->run.device);
    if (desc != NULL) {
        region->has_arrays = region->has_arrays || desc->meta.kind == RG_ARRAY;
        temp->value->meta.kind = desc->meta.kind;
        temp->value->meta.dtype = desc->meta.dtype;
    }
    temp->value->tag = (uint32_t)++region->n_temps;
    RG_TRY(rg_map_put(&region->index, name, (void *)region->n_temps));
    *out = temp;
    return RG_OK;
}

/* A variable that outlives the run. */
static rg_status keep(rg_plan *plan, const char *name, const rg_vardesc *desc, rg_value **out)
{
    size_t at = (size_t)(uintptr_t)rg_map_get(&plan->keep_index, name);
    rg_value *value = at ? plan->kept[at - 1].value : NULL;
    if (value == NULL) {
        value = rg_scope_find(plan->scope, name);
        if (value == NULL)
            RG_TRY(rg_scope_own(rg_scope_root(plan->scope), name, &value));
        RG_TRY(rg_grow((void **)&plan->kept, plan->n_kept, &plan->cap_kept, sizeof *plan->kept));
        const rg_device *home = rg_map_get(&plan->on_device, name) ? plan->run.device : &rg_cpu;
        plan->kept[plan->n_kept++] = (rg_kept){.value = rg_value_retain(value), .at = home};
        RG_TRY(rg_map_put(&plan->keep_index, name, (void *)plan->n_kept));
        if (value->data == NULL && value->n_items == 0 && value->object == NULL) {
            value->meta.kind = desc->meta.kind;
            value->meta.dtype = desc->meta.dtype;
        }
        RG_TRY(rg_value_move(value, home));
    }
    *out = value;
    return RG_OK;
}

/* The gradient region reads variable `name` of the region it differentiates. */
static rg_status keep_for_gradient(rg_region *forward, const rg_temp *temp)
{
    size_t number = (size_t)(temp - forward->temps);
    for (size_t i = 0; i < forward->n_kept; i++)
        if (forward->kept[i] == number)
            return RG_OK;
    RG_TRY(rg_grow((void **)&forward->kept, forward->n_kept, &forward->cap_kept,
                   sizeof *forward->kept));
    forward->kept[forward->n_kept++] = number;
    return RG_OK;
}

/* What the op whose names are looked up has in place of a value. */
static rg_status on_its_side(rg_region *region, rg_value **value)
{
    if (!region->binding->on_host)
        return RG_OK;
    *value = rg_place_host(region->plan, *value);
    return *value ? RG_OK : rg_no_memory(sizeof **value, "a plan");
}

/* `region` or one around it reads, for a gradient, a value from further out. Where the block
 * that it differentiates changes it, the value is carried from step to step. */
static rg_status note_carried(rg_region *region, const rg_region *found, const char *name,
                              rg_value *value)
{
    for (; region != NULL && region != found; region = region->parent) {
        rg_region *forward = region->forward;
        bool known = forward == NULL || forward == found || value->meta.kind != RG_TENSOR ||
                     !rg_block_writes(forward->block, name);
        for (size_t i = 0; !known && i < forward->n_carried; i++)
            known = forward->carried[i] == value;
        if (known)
            continue;
        RG_TRY(rg_grow((void **)&forward->carried, forward->n_carried, &forward->cap_carried,
                       sizeof *forward->carried));
        forward->carried[forward->n_carried++] = value;
    }
    return RG_OK;
}

/* Search from the region outwards; a name that no block declares is the region's own. */
static rg_status find_value(rg_region *region, const char *name, rg_value **out)
{
    for (rg_region *at = region; at != NULL; at = at->parent) {
        rg_temp *temp = rg_region_temp(at, name);
        const rg_vardesc *desc = rg_block_var(at->block, name);
        if (temp == NULL && desc != NULL) {
            if (desc->persistable) {
                RG_TRY(keep(region->plan, name, desc, out));
                RG_TRY(on_its_side(region, out));
                return note_carried(region, at, name, *out);
            }
            RG_TRY(add_temp(at, name, desc, &temp));
        }
        if (temp != NULL) {
            temp->pinned = temp->pinned || at != region;
            *out = temp->value;
            RG_TRY(on_its_side(region, out));
            return note_carried(region, at, name, *out);
        }
        rg_region *forward = at->forward;
        if (forward != NULL && (temp = rg_region_temp(forward, name)) != NULL) {
            RG_TRY(keep_for_gradient(forward, temp));
            *out = temp->value;
            return note_carried(region, forward, name, *out);
        }
    }
    rg_temp *temp;
    RG_TRY(add_temp(region, name, NULL, &temp));
    *out = temp->value;
    return RG_OK;
}

static rg_meta *find_meta(void *arg, const char *name, bool output)
{
    rg_value *value;
    (void)output;
    return find_value(arg, name, &value) == RG_OK ? &value->meta : NULL;
}

/* ---- making nodes ---- */

static bool is_host_op(const rg_opdesc *op)
{
    return op->op != NULL && (op->op->flags & RG_OP_HOST) != 0;
}

static rg_region *region_of_block(const rg_plan *plan, int idx)
{
    for (size_t i = 0; i < plan->n_regions; i++)
        if (plan->regions[i]->block->idx == idx)
            return plan->regions[i];
    return NULL;
}

static rg_status open_sub(rg_region *region, rg_node *node)
{
    const rg_attr *attr = rg_opdesc_attr(node->desc, "sub_block");
    if (attr == NULL || attr->type != RG_ATTR_BLOCK)
        return RG_OK;
    const rg_block *block = rg_program_block(region->plan->program, attr->i);
    if (block == NULL)
        return rg_fail(RG_ECORRUPT, "op %s has no block %d", node->desc->type, attr->i);
    rg_region *forward = block->forward_idx >= 0 ? region_of_block(region->plan, block->forward_idx)
                                                 : NULL;
    RG_TRY(rg_region_open(&node->sub, region->plan, block, region, forward));
    node->ctx.sub = node->sub;
    return RG_OK;
}

/* Counters aside: they may lose some that are not needed any more. */
static bool writes(const rg_ctx *ctx, const rg_meta *meta)
{
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int i = 0; i < rg_n_out(ctx, s) && !(ctx->op->out[s].flags & RG_SUMMED); i++)
            if (rg_out_meta_n(ctx, s, i) == meta)
                return true;
    return false;
}

/* The inputs that the op writes, too. Where its kernel sizes the outputs it looks to them itself.
 */
static rg_status find_rewritten(rg_region *region, rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    if (ctx->op->flags & RG_OP_DYNAMIC)
        return RG_OK;
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        for (int i = 0; i < rg_n_in(ctx, s); i++) {
            rg_meta *meta = rg_in_meta_n(ctx, s, i);
            if (meta == NULL || !writes(ctx, meta))
                continue;
            int n = node->n_rewritten++;
            rg_rewritten *all = rg_arena_alloc(&region->plan->arena,
                                               (size_t)node->n_rewritten * sizeof *all);
            if (all == NULL)
                return rg_no_memory(sizeof *all, "a plan");
            if (n > 0)
                memcpy(all, node->rewritten, (size_t)n * sizeof *all);
            all[n] = (rg_rewritten){.meta = meta,
                                    .read = (ctx->op->in[s].flags & RG_SHAPE_ONLY) == 0};
            node->rewritten = all;
        }
    return RG_OK;
}

static rg_status failed(rg_status code, const rg_opdesc *op)
{
    rg_buf text;
    rg_buf_init(&text, 2048);
    rg_opdesc_describe(op, &text);
    code = rg_context(code, "%s", rg_buf_cstr(&text));
    rg_buf_fini(&text);
    return code;
}

rg_status rg_region_open(rg_region **out, rg_plan *plan, const rg_block *block, rg_region *parent,
                         rg_region *forward)
{
    rg_region *region = rg_alloc_zero(1, sizeof *region);
    if (region == NULL)
        return rg_no_memory(sizeof *region, "a plan");
    region->plan = plan;
    region->block = block;
    region->parent = parent;
    region->forward = forward;
    rg_status code = rg_grow((void **)&plan->regions, plan->n_regions, &plan->cap_regions,
                             sizeof *plan->regions);
    if (code != RG_OK) {
        rg_free(region);
        return code;
    }
    plan->regions[plan->n_regions++] = region; /* the plan closes it from here on */
    region->nodes = rg_alloc_zero(block->n_ops, sizeof *region->nodes);
    if (region->nodes == NULL)
        return rg_no_memory(block->n_ops * sizeof *region->nodes, "a plan");
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        if (is_host_op(op))
            continue;
        rg_node *node = &region->nodes[region->n_nodes++];
        node->desc = op;
        node->kernel = rg_place_op(region, op);
        node->run = node->kernel ? node->kernel->run : op->op ? op->op->kernel : NULL;
        region->binding = node->kernel ? plan->run.device : &rg_cpu;
        RG_TRY(rg_place_label(plan, node));
        code = rg_ctx_bind(&node->ctx, &plan->arena, op, find_meta, region);
        if (code != RG_OK)
            return failed(code, op);
        node->ctx.run = &plan->run;
        RG_TRY(rg_fit_bind(&node->fit, &plan->arena, &node->ctx));
        RG_TRY(find_rewritten(region, node));
        RG_TRY(open_sub(region, node));
    }
    *out = region;
    return RG_OK;
}

void rg_region_close(rg_region *region)
{
    for (size_t i = 0; i < region->n_nodes; i++) {
        rg_node *node = &region->nodes[i];
        if (node->ctx.state != NULL && node->ctx.op->drop != NULL)
            node->ctx.op->drop(node->ctx.state);
    }
    for (size_t i = 0; i < region->n_temps; i++)
        rg_value_release(region->temps[i].value);
    rg_free(region->temps);
    rg_free(region->nodes);
    rg_free(region->kept);
    rg_free(region->carried);
    rg_map_fini(&region->index);
    rg_free(region);
}

/* ---- running ---- */

/* Whether nobody has given it a value; or, of one whose shape alone is read, a shape: it may have
 * no data, as tables that are on servers. */
static bool is_unset(const rg_value *value, unsigned slot_flags)
{
    if (slot_flags & RG_SHAPE_ONLY)
        return value->data == NULL && value->meta.shape.rank == 0;
    return value->data == NULL;
}

static rg_status check_inputs(const rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        for (int i = 0; i < rg_n_in(ctx, s); i++) {
            const rg_value *value = (const rg_value *)rg_in_meta_n(ctx, s, i);
            unsigned flags = ctx->op->in[s].flags;
            if (value == NULL || value->meta.kind != RG_TENSOR || (flags & RG_UNSET_OK) ||
                !is_unset(value, flags))
                continue;
            const char *name = rg_in_name(ctx, s, i);
            const rg_vardesc *var = rg_block_find(node->desc->block, name);
            if (var != NULL && var->persistable)
                return rg_fail(RG_EINVAL,
                               "%s (%s) has no value yet; run the startup program, or load it",
                               name, ctx->op->in[s].name);
            if (flags & RG_SHAPE_ONLY) /* what is computed may have the shape [] */
                continue;
            if (var != NULL && (var->is_data || var->need_check_feed))
                return rg_fail(RG_EINVAL, "%s (%s) is not fed; feed={'%s': ...} is wanted", name,
                               ctx->op->in[s].name, name);
            return rg_fail(RG_EINVAL, "%s (%s) has no value; it is neither fed nor computed", name,
                           ctx->op->in[s].name);
        }
    return RG_OK;
}

static void note_rewritten(rg_node *node)
{
    for (int i = 0; i < node->n_rewritten; i++) {
        rg_rewritten *r = &node->rewritten[i];
        r->numel = r->meta->kind == RG_TENSOR ? rg_shape_numel(&r->meta->shape) : -1;
        r->dtype = r->meta->dtype;
    }
}

/* What is read would be gone, or taken for what it is not, before the kernel runs. */
static rg_status check_rewritten(const rg_node *node)
{
    for (int i = 0; i < node->n_rewritten; i++) {
        const rg_rewritten *r = &node->rewritten[i];
        if (r->numel < 0 || (rg_shape_numel(&r->meta->shape) == r->numel &&
                             (r->meta->dtype == r->dtype || !r->read)))
            continue;
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "it writes %s %s over a variable that it reads, which has %lld elements of "
                       "%s: the output needs a variable of its own",
                       rg_shape_text(&r->meta->shape, text), rg_dtype_name(r->meta->dtype),
                       (long long)r->numel, rg_dtype_name(r->dtype));
    }
    return RG_OK;
}

/* An output has taken over the memory of an input, by what was declared of their sizes. Where they
 * are not of one size now (an input that is repeated to match another), it gets memory of its own:
 * that of the input would go as it grows, or be written before all of it is read. */
static void part_from_input(const rg_ctx *ctx, const rg_slot *slot, int k, rg_value *out)
{
    if (slot->inplace == 0 || k >= rg_n_in(ctx, slot->inplace - 1))
        return;
    const rg_value *in = (const rg_value *)rg_in_meta_n(ctx, slot->inplace - 1, k);
    if (in == NULL || in == out || in->storage == NULL || in->storage != out->storage ||
        rg_value_bytes(in) == rg_value_bytes(out))
        return;
    rg_storage_release(out->storage);
    out->storage = NULL;
}

/* Sizes and memory for the outputs, from the present shapes of the inputs. */
static rg_status settle(rg_node *node)
{
    rg_ctx *ctx = &node->ctx;
    RG_TRY(check_inputs(node));
    if (node->fit != NULL)
        RG_TRY(rg_fit_check(node->fit, ctx));
    note_rewritten(node);
    RG_TRY(rg_ctx_infer(ctx));
    RG_TRY(check_rewritten(node));
    if (ctx->op->flags & RG_OP_DYNAMIC)
        return RG_OK;
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int k = 0; k < rg_n_out(ctx, s); k++) {
            rg_value *value = (rg_value *)rg_out_meta_n(ctx, s, k);
            if (value == NULL || value->meta.kind != RG_TENSOR)
                continue;
            part_from_input(ctx, &ctx->op->out[s], k, value);
            RG_TRY(rg_value_resize(value, value->meta.dtype, &value->meta.shape));
        }
    return RG_OK;
}

/* Rows that are behind are brought up to date for an op that does not do so itself, whether it
 * reads or writes the tensor; one that shows other memory, for who writes. */
static void settle_late(const rg_ctx *ctx)
{
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        for (int i = 0; i < rg_n_in(ctx, s); i++) {
            const rg_value *value = (const rg_value *)rg_in_meta_n(ctx, s, i);
            if (value != NULL && value->late != NULL && !value->late->readable &&
                !(ctx->op->in[s].flags & (RG_LATE_OK | RG_SHAPE_ONLY)))
                rg_value_settle(value);
        }
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int i = 0; i < rg_n_out(ctx, s); i++) {
            const rg_value *value = (const rg_value *)rg_out_meta_n(ctx, s, i);
            if (value != NULL && !(ctx->op->out[s].flags & RG_LATE_OK))
                rg_value_settle(value);
        }
}

static inline void begin_kernel(rg_plan *plan, const rg_node *node)
{
    if (plan->scratch.first != NULL)
        rg_arena_reset(&plan->scratch);
    if (__builtin_expect(__atomic_load_n(&rg_late_count, __ATOMIC_RELAXED) > 0, 0))
        settle_late(&node->ctx);
}

rg_status rg_node_run(rg_region *region, rg_node *node, bool settled)
{
    rg_status code = RG_OK;
    bool infers = node->infers;
    if (!settled || infers)
        code = settle(node);
    if (code == RG_OK) {
        begin_kernel(region->plan, node);
        if (node->kernel != NULL && region->plan->run.device->next_op != NULL)
            region->plan->run.device->next_op(region->plan->run.stream, node->kernel->flags);
        code = node->run(&node->ctx);
    }
    if (__builtin_expect(infers, 0) && code == RG_OK && !rg_shared_are_left(node))
        region->plan->settled = false; /* what reads them now finds them changed */
    return code;
}

/* In a plan on a device: what it reads is brought to its side. */
static rg_status run_placed(rg_region *region, rg_node *node, bool settled)
{
    rg_plan *plan = region->plan;
    bool on_host = node->kernel == NULL;
    RG_TRY(rg_place_before(plan, node->uses, node->n_uses, on_host));
    rg_status code = rg_node_run(region, node, settled);
    if (code == RG_EUNIMPL && !on_host) { /* not of this type, or with these attributes */
        RG_TRY(rg_place_on_cpu(plan, node));
        return run_placed(region, node, false);
    }
    if (code == RG_OK)
        rg_place_after(node->uses, node->n_uses, on_host);
    return code;
}

static rg_status run_node(rg_region *region, rg_node *node, bool settled)
{
    rg_status code = region->plan->run.device == &rg_cpu ? rg_node_run(region, node, settled)
                                                         : run_placed(region, node, settled);
    if (code == RG_OK && __builtin_expect(region->plan->check_nan, 0))
        code = rg_check_outputs(node);
    return code;
}

/* With its time in the profile: a device's, too, which is waited for. */
static rg_status run_timed(rg_region *region, rg_node *node, bool settled)
{
    const rg_run *run = &region->plan->run;
    uint64_t start = rg_clock_ns();
    rg_status code = run_node(region, node, settled);
    if (code == RG_OK && node->kernel != NULL)
        code = run->device->sync(run->device, run->stream);
    rg_profile_add(RG_SPAN_OP, node->label, start, rg_clock_ns());
    return code;
}

/* The arrays of a block begin empty each time it is run. */
static void clear_arrays(rg_region *region)
{
    if (!region->has_arrays)
        return;
    for (size_t i = 0; i < region->n_temps; i++)
        if (region->temps[i].value->meta.kind == RG_ARRAY)
            rg_value_array_clear(region->temps[i].value);
}

/* Op *i, or the stretch of ops that begins there, of which *i becomes the last. */
static rg_status run_any(rg_region *region, size_t *i)
{
    rg_plan *plan = region->plan;
    rg_node *node = &region->nodes[*i];
    bool is_root = region->parent == NULL, done = false;
    rg_stretch *stretch = is_root && plan->n_stretches > 0 ? rg_record_at(plan, *i) : NULL;
    if (stretch != NULL)
        RG_TRY(rg_record_run(plan, stretch, &done));
    if (done) {
        *i = stretch->end - 1;
        return RG_OK;
    }
    return __builtin_expect(rg_profiling, 0) ? run_timed(region, node, plan->settled && is_root)
                                             : run_node(region, node, plan->settled && is_root);
}

rg_status rg_region_run(rg_region *region)
{
    rg_plan *plan = region->plan;
    clear_arrays(region);
    /* On the CPU and with nobody watching: while shapes are settled, too, an op is its kernel. */
    bool plain = region->parent == NULL && plan->run.device == &rg_cpu && !plan->check_nan &&
                 !rg_profiling;
    for (size_t i = 0; i < region->n_nodes; i++) {
        rg_node *node = &region->nodes[i];
        rg_status code;
        if (plain && plan->settled && !node->infers) {
            begin_kernel(plan, node);
            code = node->run(&node->ctx);
        } else {
            code = run_any(region, &i);
        }
        if (__builtin_expect(code != RG_OK, 0))
            return code == RG_EOF ? code : failed(code, node->desc);
    }
    return RG_OK;
}

rg_status rg_node_failed(rg_status code, const rg_opdesc *op)
{
    return failed(code, op);
}
