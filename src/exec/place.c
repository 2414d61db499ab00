/* place.c - a plan on a device that has no kernels for some ops: these run on the CPU.
 *
 * Ops of block 0 that have a kernel of the device run there; all others, and whole blocks of ops,
 * on the CPU. A variable that no op of the device uses is the CPU's. One that both use is at home
 * on the device, and has a twin on the CPU that ops there are bound to; before an op runs, what it
 * reads is copied if the other side has written it since (rg_mirror). So a value that does not
 * change is copied once, whatever path the program takes through its blocks. */
#include "exec/plan_priv.h"

#include "base/mem.h"
#include "sys/profile.h"
#include "sys/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- when a plan is made ---- */

const rg_kernel *rg_place_op(const rg_region *region, const rg_opdesc *op)
{
    const rg_device *device = region->plan->run.device;
    const rg_attr *wanted = rg_opdesc_attr(op, "op_device"); /* fluid.device_guard() */
    if (device == &rg_cpu || region->parent != NULL || rg_opdesc_attr(op, "sub_block") != NULL ||
        (wanted != NULL && wanted->type == RG_ATTR_STRING && strcmp(wanted->s, "cpu") == 0))
        return NULL;
    return rg_kernel_for(op, device);
}

static rg_status note_names(rg_plan *plan, const rg_args *args, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++)
            RG_TRY(rg_map_put(&plan->on_device, args[i].names[k], plan));
    return RG_OK;
}

/* Two words as one, for the rest of the process: profiles outlive plans. */
static rg_status text_of(const char *before, const char *after, const char **out)
{
    static char **known;
    static size_t n, capacity;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t bytes = strlen(before) + strlen(after) + 1, at = 0, length = strlen(before);
    rg_status code = RG_OK;
    pthread_mutex_lock(&lock);
    while (at < n &&
           (strncmp(known[at], before, length) != 0 || strcmp(known[at] + length, after) != 0))
        at++;
    if (at == n && (code = rg_grow((void **)&known, n, &capacity, sizeof *known)) == RG_OK) {
        if ((known[n] = rg_alloc(bytes)) == NULL)
            code = rg_no_memory(bytes, "a plan");
        else
            (void)snprintf(known[n++], bytes, "%s%s", before, after);
    }
    *out = code == RG_OK ? known[at] : after;
    pthread_mutex_unlock(&lock);
    return code;
}

rg_status rg_place_names(rg_plan *plan)
{
    const rg_block *block = plan->program->blocks[0];
    const rg_region root = {.plan = plan, .block = block};
    if (plan->run.device == &rg_cpu)
        return RG_OK;
    RG_TRY(text_of("copy to ", plan->run.device->name, &plan->to_device));
    RG_TRY(text_of("copy from ", plan->run.device->name, &plan->to_host));
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        if (op->op == NULL || rg_place_op(&root, op) == NULL)
            continue;
        RG_TRY(note_names(plan, op->in, op->n_in));
        RG_TRY(note_names(plan, op->out, op->n_out));
    }
    return RG_OK;
}

rg_status rg_place_label(rg_plan *plan, rg_node *node)
{
    node->label = node->desc->op ? node->desc->op->type : "?";
    if (plan->run.device == &rg_cpu || node->kernel != NULL)
        return RG_OK;
    return text_of("(cpu) ", node->label, &node->label);
}

static rg_mirror *find_mirror(const rg_plan *plan, const rg_value *value)
{
    for (size_t i = 0; i < plan->n_mirrors; i++)
        if (plan->mirrors[i]->home == value || plan->mirrors[i]->twin == value)
            return plan->mirrors[i];
    return NULL;
}

const rg_mirror *rg_place_mirror(const rg_plan *plan, const rg_value *value)
{
    return find_mirror(plan, value);
}

rg_value *rg_place_host(rg_plan *plan, rg_value *value)
{
    if (rg_device_of(value)->on_host)
        return value;
    rg_mirror *m = find_mirror(plan, value);
    if (m != NULL)
        return m->twin;
    if (rg_grow((void **)&plan->mirrors, plan->n_mirrors, &plan->cap_mirrors,
                sizeof *plan->mirrors) != RG_OK)
        return NULL;
    m = rg_arena_zero(&plan->arena, sizeof *m);
    if (m == NULL || rg_value_new(&m->twin) != RG_OK)
        return NULL;
    m->home = rg_value_retain(value);
    m->home_ok = true;
    m->twin->tag = value->tag;
    m->twin->meta.kind = value->meta.kind;
    m->twin->meta.dtype = value->meta.dtype;
    plan->mirrors[plan->n_mirrors++] = m;
    return m->twin;
}

static void add_use(rg_mirror_use *uses, int *n, rg_mirror *mirror, bool reads, bool shape,
                    bool writes)
{
    int at = 0;
    while (at < *n && uses[at].mirror != mirror)
        at++;
    if (at == *n)
        uses[(*n)++] = (rg_mirror_use){.mirror = mirror};
    uses[at].reads = uses[at].reads || reads;
    uses[at].reads_shape = uses[at].reads_shape || shape;
    uses[at].writes = uses[at].writes || writes;
}

/* An op that leaves parts of an output as they were reads it, too: an output that it is given as
 * an input (a parameter in its place) is among the inputs anyway. */
static rg_status find_uses(rg_plan *plan, rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    int all = 0, n = 0;
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        all += rg_n_in(ctx, s);
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        all += rg_n_out(ctx, s);
    node->uses = rg_arena_alloc(&plan->arena, (size_t)(all + 1) * sizeof *node->uses);
    if (node->uses == NULL)
        return rg_no_memory(1, "a plan");
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        for (int k = 0; k < rg_n_in(ctx, s); k++) {
            bool shape = (ctx->op->in[s].flags & RG_SHAPE_ONLY) != 0;
            rg_mirror *m = find_mirror(plan, (const rg_value *)rg_in_meta_n(ctx, s, k));
            if (m != NULL)
                add_use(node->uses, &n, m, !shape, shape, false);
        }
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int k = 0; k < rg_n_out(ctx, s); k++) {
            rg_mirror *m = find_mirror(plan, (const rg_value *)rg_out_meta_n(ctx, s, k));
            if (m != NULL) /* an op with a block may leave it as it is: a branch not taken */
                add_use(node->uses, &n, m, node->sub != NULL, false, true);
        }
    node->n_uses = n;
    return RG_OK;
}

static void find_outliving(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_mirrors; i++) {
        rg_mirror *m = plan->mirrors[i];
        for (size_t k = 0; k < plan->n_kept; k++)
            m->outlives = m->outlives || plan->kept[k].value == m->home;
        for (int k = 0; k < plan->n_fetches; k++)
            m->outlives = m->outlives || plan->fetches[k] == m->home;
    }
}

rg_status rg_place_finish(rg_plan *plan)
{
    if (plan->run.device == &rg_cpu)
        return RG_OK;
    find_outliving(plan);
    for (size_t r = 0; r < plan->n_regions; r++)
        for (size_t i = 0; i < plan->regions[r]->n_nodes; i++) {
            rg_node *node = &plan->regions[r]->nodes[i];
            RG_TRY(find_uses(plan, node));
            if (node->kernel != NULL && (node->kernel->flags & RG_KERNEL_STEP) != 0)
                plan->reads_step = true;
        }
    return RG_OK;
}

/* Its arguments become the twins. */
static rg_status bind_twins(rg_plan *plan, rg_meta *const *metas, int n)
{
    for (int i = 0; i < n; i++) {
        if (metas[i] == NULL)
            continue;
        rg_value *twin = rg_place_host(plan, (rg_value *)metas[i]);
        if (twin == NULL)
            return rg_no_memory(1, "a plan");
        ((rg_meta **)(uintptr_t)metas)[i] = &twin->meta;
    }
    return RG_OK;
}

rg_status rg_place_on_cpu(rg_plan *plan, rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    int n_in = 0, n_out = 0;
    for (int s = 0; ctx->op->in[s].name != NULL; s++)
        n_in += rg_n_in(ctx, s);
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        n_out += rg_n_out(ctx, s);
    rg_record_close(plan);
    RG_TRY(bind_twins(plan, ctx->in, n_in));
    RG_TRY(bind_twins(plan, ctx->out, n_out));
    node->kernel = NULL;
    node->run = ctx->op->kernel;
    RG_TRY(rg_place_label(plan, node));
    RG_TRY(rg_place_finish(plan));
    plan->settled = false;
    return rg_record_plan(plan);
}

/* ---- while it runs ---- */

/* What a value has, in the order of the stream; over when this returns where the host gets it. */
static rg_status copy_value(const rg_plan *plan, rg_value *to, const rg_value *from)
{
    const rg_device *device = plan->run.device;
    bool to_host = rg_device_of(to)->on_host;
    if (from->meta.kind != RG_TENSOR || from->data == NULL || from->late != NULL ||
        to->late != NULL)
        return from->data != NULL || from->meta.kind == RG_ARRAY ? rg_value_copy(to, from) : RG_OK;
    size_t bytes = rg_value_bytes(from);
    RG_TRY(rg_value_resize(to, from->meta.dtype, &from->meta.shape));
    rg_value_set_lod(to, from->meta.lod);
    if (bytes > 0)
        RG_TRY(
            device->copy(device, to->data, to_host, from->data, !to_host, bytes, plan->run.stream));
    return to_host ? device->sync(device, plan->run.stream) : RG_OK;
}

static void copy_meta(rg_value *to, const rg_value *from)
{
    to->meta.kind = from->meta.kind;
    to->meta.dtype = from->meta.dtype;
    to->meta.shape = from->meta.shape;
    rg_value_set_lod(to, from->meta.lod);
}

static rg_status bring(rg_plan *plan, rg_mirror *m, bool on_host)
{
    uint64_t start = rg_profiling ? rg_clock_ns() : 0;
    if (on_host)
        RG_TRY(copy_value(plan, m->twin, m->home));
    else
        RG_TRY(copy_value(plan, m->home, m->twin));
    m->home_ok = m->twin_ok = true;
    if (start != 0)
        rg_profile_add(RG_SPAN_OP, on_host ? plan->to_host : plan->to_device, start, rg_clock_ns());
    return RG_OK;
}

rg_status rg_place_before(rg_plan *plan, const rg_mirror_use *uses, int n, bool on_host)
{
    for (int i = 0; i < n; i++) {
        rg_mirror *m = uses[i].mirror;
        if (on_host ? m->twin_ok : m->home_ok)
            continue;
        if (uses[i].reads)
            RG_TRY(bring(plan, m, on_host));
        else if (uses[i].reads_shape)
            copy_meta(on_host ? m->twin : m->home, on_host ? m->home : m->twin);
    }
    return RG_OK;
}

void rg_place_after(const rg_mirror_use *uses, int n, bool on_host)
{
    for (int i = 0; i < n; i++)
        if (uses[i].writes) {
            uses[i].mirror->home_ok = !on_host;
            uses[i].mirror->twin_ok = on_host;
        }
}

void rg_place_begin(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_mirrors; i++) {
        plan->mirrors[i]->home_ok = true; /* others may have written it since the last run */
        plan->mirrors[i]->twin_ok = false;
    }
}

rg_status rg_place_end(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_mirrors; i++) {
        rg_mirror *m = plan->mirrors[i];
        if (m->outlives && !m->home_ok)
            RG_TRY(bring(plan, m, false));
    }
    return RG_OK;
}

rg_status rg_place_kept(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_kept; i++) {
        const rg_kept *kept = &plan->kept[i];
        if (__builtin_expect(rg_device_of(kept->value) == kept->at, 1))
            continue;
        RG_TRY(rg_value_move(kept->value, kept->at));
        plan->settled = false;
    }
    return RG_OK;
}

void rg_place_close(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_mirrors; i++) {
        rg_value_release(plan->mirrors[i]->home);
        rg_value_release(plan->mirrors[i]->twin);
    }
    rg_free(plan->mirrors);
    rg_map_fini(&plan->on_device);
}
