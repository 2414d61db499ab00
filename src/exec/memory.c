/* memory.c - temporaries that are never alive together share memory.
 *
 * Walk the nodes in order. A variable takes, when it is first written, the memory of
 * its in-place partner if that is read for the last time here, else the best block
 * that is free, else a new one; after its last reader the block is free again.
 * Blocks grow as the shapes of a run ask for it, so a batch of another size needs no
 * new layout. */
#include "exec/plan_priv.h"

#include "base/mem.h"

#include <limits.h>
#include <string.h>

enum { ASSUMED_BATCH = 64 };

typedef struct block {
    rg_storage *storage;
    const rg_device *device;
    int busy_until; /* the last node that reads any variable in it */
    size_t bytes;   /* estimate */
} block;

typedef struct sharer {
    rg_region *region;
    block *blocks;
    size_t n, capacity;
    int *block_of; /* by temp; -1: memory of its own */
} sharer;

/* The temporary that an argument is; NULL: a variable of the scope, or of a block around. */
static rg_temp *temp_of(const rg_region *region, const rg_meta *meta)
{
    const rg_value *value = (const rg_value *)meta;
    if (value == NULL || value->tag == 0 || value->tag > region->n_temps)
        return NULL;
    rg_temp *temp = &region->temps[value->tag - 1];
    if (temp->value == value)
        return temp;
    const rg_mirror *mirror = rg_place_mirror(region->plan, value);
    return mirror != NULL && mirror->home == temp->value ? temp : NULL;
}

static size_t estimate(const rg_temp *temp)
{
    if (temp->desc == NULL)
        return 1;
    size_t bytes = rg_dtype_size(temp->desc->meta.dtype);
    const rg_shape *shape = &temp->desc->meta.shape;
    for (int i = 0; i < shape->rank; i++)
        if (!rg_mul_size(bytes, shape->dim[i] < 0 ? ASSUMED_BATCH : (size_t)shape->dim[i], &bytes))
            return SIZE_MAX;
    return bytes;
}

static bool same_size(const rg_temp *a, const rg_temp *b)
{
    return a->desc != NULL && b->desc != NULL &&
           rg_dtype_size(a->desc->meta.dtype) == rg_dtype_size(b->desc->meta.dtype) &&
           rg_shape_equal(&a->desc->meta.shape, &b->desc->meta.shape);
}

static bool may_share(const rg_temp *temp)
{
    return !temp->pinned && !temp->trails && !temp->tainted && temp->value->meta.kind == RG_TENSOR;
}

/* Whether the node gives the output a shape that need not be the one it has: not so where it
 * updates in place what it reads. But a view (reshape with inplace=True) has another, and may
 * have in an op that runs a block or Python. */
static bool gives_shape(const rg_ctx *ctx, const rg_slot *slot, const rg_meta *out)
{
    if ((slot->flags & RG_VIEW) || ((ctx->op->flags & RG_OP_DYNAMIC) && slot->inplace == 0))
        return true;
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        for (int k = 0; k < rg_n_in(ctx, s); k++)
            if (rg_in_meta_n(ctx, s, k) == out)
                return false;
    return true;
}

/* NULL: a variable of another block. */
static int *shapers_of(const rg_region *root, const rg_ctx *ctx, int s, int k)
{
    const rg_meta *out = rg_out_meta_n(ctx, s, k);
    rg_temp *temp = temp_of(root, out);
    size_t kept = 0;
    if (out != NULL && temp == NULL)
        kept = (size_t)(uintptr_t)rg_map_get(&root->plan->keep_index, rg_out_name(ctx, s, k));
    return temp ? &temp->shapers : kept > 0 ? &root->plan->kept[kept - 1].shapers : NULL;
}

static void count_shapers(const rg_region *root, const rg_ctx *ctx)
{
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int k = 0; k < rg_n_out(ctx, s); k++) {
            int *shapers = shapers_of(root, ctx, s, k);
            if (shapers != NULL && gives_shape(ctx, &ctx->op->out[s], rg_out_meta_n(ctx, s, k)))
                ++*shapers;
        }
}

/* A variable that several ops give a shape may have several in one run, and has the last one when
 * the next run begins: the rules of all its writers run each time. Of others none need: each
 * finds the shape that it has found before. */
static void find_reshaped(rg_region *root)
{
    const rg_plan *plan = root->plan;
    for (size_t r = 0; r < plan->n_regions; r++)
        for (size_t i = 0; i < plan->regions[r]->n_nodes; i++)
            count_shapers(root, &plan->regions[r]->nodes[i].ctx);
    for (size_t i = 0; i < root->n_nodes; i++) {
        rg_node *node = &root->nodes[i];
        const rg_ctx *ctx = &node->ctx;
        for (int s = 0; ctx->op->out[s].name != NULL; s++)
            for (int k = 0; k < rg_n_out(ctx, s); k++) {
                const int *shapers = shapers_of(root, ctx, s, k);
                node->infers = node->infers || (shapers != NULL && *shapers > 1);
            }
    }
}

/* first and last of every temporary; which are tainted. */
static void find_lives(rg_region *region)
{
    for (size_t i = 0; i < region->n_nodes; i++) {
        rg_node *node = &region->nodes[i];
        const rg_ctx *ctx = &node->ctx;
        bool holds = (ctx->op->flags & RG_OP_HOLDS_INPUTS) != 0;
        bool trails = node->kernel != NULL && (node->kernel->flags & RG_KERNEL_TRAILS) != 0;
        node->tainted = (ctx->op->flags & RG_OP_DYNAMIC) != 0 || node->sub != NULL;
        for (int s = 0; ctx->op->in[s].name != NULL; s++)
            for (int k = 0; k < rg_n_in(ctx, s); k++) {
                rg_temp *temp = temp_of(region, rg_in_meta_n(ctx, s, k));
                if (rg_in_meta_n(ctx, s, k) != NULL && (ctx->op->in[s].flags & RG_SIZES))
                    node->tainted = true;
                if (temp == NULL)
                    continue;
                node->tainted = node->tainted || temp->tainted;
                temp->read++;
                if (!(ctx->op->in[s].flags & RG_SHAPE_ONLY))
                    temp->last = (int)i;
                temp->pinned = temp->pinned || holds;
                temp->trails = temp->trails || trails;
            }
        for (int s = 0; ctx->op->out[s].name != NULL; s++)
            for (int k = 0; k < rg_n_out(ctx, s); k++) {
                rg_temp *temp = temp_of(region, rg_out_meta_n(ctx, s, k));
                if (temp == NULL)
                    continue;
                if (temp->first < 0)
                    temp->first = (int)i;
                if (temp->last < (int)i)
                    temp->last = (int)i;
                temp->written++;
                temp->trails = temp->trails || trails;
                node->tainted = node->tainted || temp->tainted;
                temp->tainted = node->tainted;
            }
        node->infers = node->tainted;
    }
}

static rg_status new_block(sharer *s, const rg_device *device, size_t *out)
{
    RG_TRY(rg_grow((void **)&s->blocks, s->n, &s->capacity, sizeof *s->blocks));
    block *b = &s->blocks[s->n];
    *b = (block){.device = device};
    RG_TRY(rg_storage_new(&b->storage));
    b->storage->pooled = true;
    *out = s->n++;
    return RG_OK;
}

/* The free block that fits best: the smallest that is large enough, else the largest. */
static rg_status find_block(sharer *s, int node, size_t bytes, const rg_device *device, size_t *out)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const block *b = &s->blocks[i];
        if (b->busy_until >= node || b->device != device)
            continue;
        if (best == SIZE_MAX) {
            best = i;
            continue;
        }
        const block *old = &s->blocks[best];
        bool fits = b->bytes >= bytes, old_fits = old->bytes >= bytes;
        if (fits ? !old_fits || b->bytes < old->bytes : !old_fits && b->bytes > old->bytes)
            best = i;
    }
    if (best == SIZE_MAX)
        return new_block(s, device, out);
    *out = best;
    return RG_OK;
}

/* The block that the output may take over from its partner; -1: none. */
static int partner_block(const sharer *s, const rg_node *node, const rg_slot *slot, int k,
                         const rg_temp *out, int at)
{
    if (slot->inplace == 0)
        return -1;
    const rg_temp *in = temp_of(s->region, rg_in_meta_n(&node->ctx, slot->inplace - 1, k));
    if (in == NULL || in == out)
        return -1;
    int b = s->block_of[in - s->region->temps];
    if (b < 0 || s->blocks[b].device != rg_device_of(out->value))
        return -1;
    if (slot->flags & RG_VIEW) /* neither is changed: each has one writer */
        return in->written == 1 && out->written == 1 ? b : -1;
    /* Nobody may read the partner, nor a view of it, after this node; and no other
     * input of this node may be in the same memory. */
    if (s->blocks[b].busy_until != at || !same_size(in, out))
        return -1;
    int readers = 0;
    for (int i = 0; node->ctx.op->in[i].name != NULL; i++)
        for (int n = 0; n < rg_n_in(&node->ctx, i); n++) {
            const rg_temp *other = temp_of(s->region, rg_in_meta_n(&node->ctx, i, n));
            if (other != NULL && s->block_of[other - s->region->temps] == b)
                readers++;
        }
    return readers == 1 ? b : -1;
}

static rg_status place(sharer *s, const rg_node *node, int at)
{
    const rg_ctx *ctx = &node->ctx;
    for (int o = 0; ctx->op->out[o].name != NULL; o++)
        for (int k = 0; k < rg_n_out(ctx, o); k++) {
            rg_temp *temp = temp_of(s->region, rg_out_meta_n(ctx, o, k));
            if (temp == NULL || temp->first != at || !may_share(temp) ||
                s->block_of[temp - s->region->temps] >= 0)
                continue;
            size_t bytes = estimate(temp), number;
            int taken = partner_block(s, node, &ctx->op->out[o], k, temp, at);
            if (taken >= 0)
                number = (size_t)taken;
            else
                RG_TRY(find_block(s, at, bytes, rg_device_of(temp->value), &number));
            block *b = &s->blocks[number];
            b->bytes = bytes > b->bytes ? bytes : b->bytes;
            if (b->busy_until < temp->last)
                b->busy_until = temp->last;
            if (b->busy_until < at)
                b->busy_until = at;
            s->block_of[temp - s->region->temps] = (int)number;
            temp->value->storage = rg_storage_retain(b->storage);
        }
    return RG_OK;
}

rg_status rg_share_memory(rg_region *root)
{
    sharer s = {.region = root};
    rg_status code = RG_OK;
    find_lives(root);
    find_reshaped(root);
    s.block_of = rg_alloc(root->n_temps * sizeof *s.block_of);
    if (s.block_of == NULL)
        return rg_no_memory(root->n_temps * sizeof *s.block_of, "a plan");
    for (size_t i = 0; i < root->n_temps; i++)
        s.block_of[i] = -1;
    for (size_t i = 0; i < root->n_nodes && code == RG_OK; i++)
        code = place(&s, &root->nodes[i], (int)i);
    for (size_t i = 0; i < s.n; i++)
        rg_storage_release(s.blocks[i].storage);
    rg_free(s.blocks);
    rg_free(s.block_of);
    return code;
}
