/* plan.c - compiling a program for a scope, its feeds and its fetches. */
#include "exec/plan_priv.h"

#include "base/mem.h"
#include "ir/digest.h"
#include "ir/kernel.h"
#include "ir/recompute.h"
#include "math/bf16.h"
#include "pass/pass.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/profile.h"

#include <string.h>

static uint64_t process_seed = 0x5eed;
static rg_status (*python_call)(rg_ctx *ctx, int id);

void rg_set_process_seed(uint64_t seed)
{
    process_seed = seed;
}

void rg_set_python_call(rg_status (*call)(rg_ctx *ctx, int id))
{
    python_call = call;
}

/* ---- services to kernels ---- */

static rg_status run_block(rg_ctx *ctx)
{
    return rg_region_run(ctx->sub);
}

static rg_status save_step(rg_ctx *ctx, rg_value *scopes)
{
    return rg_steps_save(ctx->sub, scopes);
}

static rg_status load_step(rg_ctx *ctx, rg_value *scopes, size_t i)
{
    return rg_steps_load(ctx->sub, scopes, i);
}

static rg_status keep_present(rg_ctx *ctx, rg_value *scopes)
{
    return rg_present_keep(ctx->sub, scopes);
}

static rg_status load_present(rg_ctx *ctx, rg_value *scopes)
{
    return rg_present_load(ctx->sub, scopes);
}

static rg_value *block_value(rg_ctx *ctx, const char *name)
{
    const rg_temp *temp = rg_region_temp(ctx->sub, name);
    return temp ? temp->value : NULL;
}

static const rg_value *ahead(const rg_ctx *ctx, const rg_value *fed)
{
    const rg_plan *plan = ctx->run->plan;
    const rg_mirror *mirror = plan->ahead ? rg_place_mirror(plan, fed) : NULL;
    for (int i = 0; plan->ahead != NULL && i < plan->n_feeds; i++)
        if (plan->feeds[i] == (mirror ? mirror->home : fed))
            return plan->ahead[i];
    return NULL;
}

static rg_status call_python(rg_ctx *ctx, int id)
{
    if (python_call == NULL)
        return rg_fail(RG_EUNIMPL, "a py_func op needs Python in the process");
    return python_call(ctx, id);
}

const rg_run_services rg_plan_services = {
    .run_block = run_block,
    .save_step = save_step,
    .load_step = load_step,
    .keep_present = keep_present,
    .load_present = load_present,
    .block_value = block_value,
    .ahead = ahead,
    .call_python = call_python,
};

/* ---- opening ---- */

/* The fusions, in order, and an op that each makes: where a device has no kernel for that, the ops
 * stay as they are. */
static const struct {
    rg_status (*pass)(rg_program *program, const rg_protected *keep);
    const char *makes;  /* NULL: none, it is for every device */
    bool to_start_less; /* it saves starts of work, which cost the CPU nothing */
} fusions[] = {
    {rg_pass_fuse_fc, "fused_fc", false},
    {rg_pass_fuse_softmax, "fused_softmax_cross_entropy_grad", false},
    {rg_pass_fuse_loss, "fused_softmax_loss", true},
    {rg_pass_fuse_fc_loss, "fused_fc_loss", true},
    {rg_pass_fold_slopes, "fused_fc_loss", true},
    {rg_pass_fuse_embedding, "fused_embedding_sgd", false},
    {rg_pass_fuse_gather, "fused_embedding_concat", true},
    {rg_pass_sparse_tables, "fused_lookup_grad", false},
    {rg_pass_fuse_embedding_grad, "fused_embedding_grad", false},
    {rg_pass_share_places, "distributed_lookup_table", false},
    {rg_pass_fuse_parts, "fused_slice_grad", false},
    {rg_pass_fuse_slices, NULL, false},
    {rg_pass_fuse_all_reduce, "c_bucket_start", false},
};

/* Whether a fusion pays there. */
static bool can_run(const char *type, const rg_device *device)
{
    const rg_op *op = type ? rg_op_find(type) : NULL;
    return device == &rg_cpu || type == NULL || (op != NULL && rg_kernel_find(op, device) != NULL);
}

static bool can_pad(const rg_device *device)
{
    static const char *const types[] = {"fused_embedding_concat", "fused_fc", "fused_fc_grad"};
    for (size_t i = 0; device != &rg_cpu && i < sizeof types / sizeof *types; i++) {
        const rg_kernel *kernel = rg_kernel_find(rg_op_find(types[i]), device);
        if (kernel == NULL || !(kernel->flags & RG_KERNEL_PADS))
            return false;
    }
    return device != &rg_cpu;
}

/* A CPU multiplies as a flag or the program says; other devices have settings of their own. */
static rg_status set_precision(rg_plan *plan, const rg_protected *fixed)
{
    rg_precision precision;
    if (plan->run.device == &rg_cpu)
        return rg_program_is_mixed(plan->program) ? rg_pass_half_to_bf16(plan->program, fixed)
                                                  : rg_pass_matmul_precision(plan->program);
    RG_TRY(rg_precision_of_flag(&precision));
    if (precision != RG_FP32_PRODUCTS)
        return rg_fail(RG_EUNIMPL,
                       "FLAGS_matmul_precision is for CPUs; on the device %s set "
                       "FLAGS_enable_tf32=1, or decorate the optimizer "
                       "(fluid.contrib.mixed_precision), or leave the flag at fp32",
                       plan->run.device->name);
    return RG_OK;
}

static rg_status run_passes(rg_plan *plan, const rg_plan_config *config)
{
    int n = config->n_feeds + config->n_fetches;
    const char **names = rg_arena_alloc(&plan->arena, (size_t)(n + 1) * sizeof *names);
    if (names == NULL)
        return rg_no_memory((size_t)n * sizeof *names, "a plan");
    if (config->n_fetches > 0)
        memcpy(names, config->fetches, (size_t)config->n_fetches * sizeof *names);
    if (config->n_feeds > 0)
        memcpy(names + config->n_fetches, config->feeds, (size_t)config->n_feeds * sizeof *names);
    rg_protected fetched = {names, config->n_fetches}, fixed = {names, n};
    if (config->forward)
        rg_pass_forward(plan->program, true);
    if (!config->keep_all)
        RG_TRY(rg_pass_dead_ops(plan->program, &fetched, config->forward));
    RG_TRY(set_precision(plan, &fixed));
    if (config->no_fuse || !rg_flag_bool("fuse"))
        return RG_OK;
    for (size_t i = 0; i < sizeof fusions / sizeof fusions[0]; i++)
        if (can_run(fusions[i].makes, plan->run.device) &&
            !(fusions[i].to_start_less && plan->run.device == &rg_cpu))
            RG_TRY(fusions[i].pass(plan->program, &fixed));
    if (can_pad(plan->run.device))
        RG_TRY(rg_pass_pad_rows(plan->program, &fixed));
    return rg_pass_bf16_activations(plan->program, &fixed);
}

/* A value of the scope that no op need use. */
static rg_status note_passing(rg_plan *plan, const char *name, const rg_value *value)
{
    const char *key = rg_arena_strdup(&plan->arena, name);
    return key ? rg_map_put(&plan->passing, key, value) : rg_no_memory(1, "a plan");
}

/* The value behind a feed: its own memory, filled from outside. */
static rg_status bind_feed(rg_plan *plan, const char *name, int i)
{
    const rg_vardesc *desc = rg_block_var(plan->program->blocks[0], name);
    rg_temp *temp = rg_region_temp(plan->root, name);
    plan->feed_descs[i] = desc;
    if (temp != NULL) {
        temp->pinned = true;
        plan->feeds[i] = rg_value_retain(temp->value);
    } else if (desc != NULL && desc->persistable) {
        rg_value *value = rg_scope_find(plan->scope, name);
        if (value == NULL)
            RG_TRY(rg_scope_own(rg_scope_root(plan->scope), name, &value));
        RG_TRY(note_passing(plan, name, value));
        RG_TRY(
            rg_value_move(value, rg_map_get(&plan->on_device, name) ? plan->run.device : &rg_cpu));
        plan->feeds[i] = rg_value_retain(value);
    }
    return RG_OK;
}

/* The value of what is fed and fetched and that no op reads: it passes by the ops. */
static rg_status bind_passing(rg_plan *plan, int feed, int fetch)
{
    if (plan->feeds[feed] == NULL)
        RG_TRY(rg_value_new(&plan->feeds[feed]));
    plan->fetches[fetch] = rg_value_retain(plan->feeds[feed]);
    return RG_OK;
}

static rg_status bind_fetch(rg_plan *plan, const rg_plan_config *config, int i)
{
    const char *name = config->fetches[i];
    rg_temp *temp = rg_region_temp(plan->root, name);
    if (temp != NULL) {
        temp->pinned = true;
        plan->fetches[i] = rg_value_retain(temp->value);
        return RG_OK;
    }
    for (int feed = 0; feed < config->n_feeds; feed++)
        if (plan->feed_descs[feed] != NULL && strcmp(config->feeds[feed], name) == 0)
            return bind_passing(plan, feed, i);
    rg_value *value = rg_scope_find(plan->scope, name);
    if (value == NULL && rg_block_var(plan->program->blocks[0], name) == NULL)
        return rg_fail(RG_ENOENT, "the program has no variable %s to fetch", name);
    if (value == NULL)
        return rg_fail(RG_EINVAL, "%s cannot be fetched: no op computes it and it is not fed",
                       name);
    plan->fetches[i] = rg_value_retain(value);
    return note_passing(plan, name, value);
}

static rg_status bind_outside(rg_plan *plan, const rg_plan_config *config)
{
    size_t feeds = (size_t)config->n_feeds, fetches = (size_t)config->n_fetches;
    plan->feeds = rg_arena_zero(&plan->arena, feeds * sizeof *plan->feeds);
    plan->feed_descs = rg_arena_zero(&plan->arena, feeds * sizeof *plan->feed_descs);
    plan->fetches = rg_arena_zero(&plan->arena, fetches * sizeof *plan->fetches);
    if (plan->feeds == NULL || plan->feed_descs == NULL || plan->fetches == NULL)
        return rg_no_memory(1, "a plan");
    plan->n_feeds = config->n_feeds;
    plan->n_fetches = config->n_fetches;
    for (int i = 0; i < config->n_feeds; i++)
        RG_TRY(bind_feed(plan, config->feeds[i], i));
    for (int i = 0; i < config->n_fetches; i++)
        RG_TRY(bind_fetch(plan, config, i));
    return RG_OK;
}

/* Intermediate outputs that nobody reads are not asked for. */
static void drop_unread(rg_region *region)
{
    for (size_t i = 0; i < region->n_nodes; i++) {
        const rg_ctx *ctx = &region->nodes[i].ctx;
        for (int s = 0; ctx->op->out[s].name != NULL; s++) {
            if (!(ctx->op->out[s].flags & RG_INTERMEDIATE) || rg_n_out(ctx, s) != 1)
                continue;
            rg_value *value = (rg_value *)rg_out_meta(ctx, s);
            if (value == NULL || value->tag == 0)
                continue;
            const rg_temp *temp = &region->temps[value->tag - 1];
            const rg_mirror *mirror = rg_place_mirror(region->plan, value);
            bool is_it = temp->value == value || (mirror != NULL && temp->value == mirror->home);
            if (is_it && !temp->pinned && !temp->tainted && temp->read == 0)
                ((rg_meta **)(uintptr_t)ctx->out)[ctx->out_at[s]] = NULL;
        }
    }
}

/* Where gradients are sent to servers, these ask whether all trainers run the same. */
static void keep_digest(rg_program *copy, const rg_program *program)
{
    copy->has_digest = rg_program_has(program, RG_OP_PUSHES);
    if (copy->has_digest)
        rg_program_digest(program, copy->digest);
}

/* The random op of the block that this one repeats (ir/backward_recompute.c); NULL: none. */
static const rg_opdesc *repeated(const rg_block *block, const rg_opdesc *op)
{
    const char *name = op->n_out > 0 && op->out[0].n > 0 ? op->out[0].names[0] : "";
    const char *mark = strstr(name, RG_AGAIN_MARK);
    size_t length = mark ? (size_t)(mark - name) : 0;
    for (size_t i = 0; mark != NULL && i < block->n_ops; i++) {
        const rg_opdesc *first = block->ops[i];
        if (first->draw != 0 && strncmp(first->out[0].names[0], name, length) == 0 &&
            first->out[0].names[0][length] == '\0')
            return first;
    }
    return NULL;
}

/* Before passes leave ops out: which random op of the program is which. */
static void number_draws(rg_program *program)
{
    uint32_t n = 0;
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            rg_opdesc *op = program->blocks[b]->ops[i];
            if (op->op == NULL || rg_op_attr_slot(op->op, "seed") < 0 || op->n_out == 0 ||
                op->out[0].n == 0)
                continue;
            const rg_opdesc *first = repeated(program->blocks[b], op);
            op->draw = first ? first->draw : ++n;
        }
}

static rg_status open_plan(rg_plan *plan, const rg_program *program, const rg_plan_config *config)
{
    if (plan->run.device->open_stream != NULL)
        RG_TRY(plan->run.device->open_stream(plan->run.device, &plan->run.stream));
    RG_TRY(rg_program_clone(&plan->program, program, false));
    keep_digest(plan->program, program);
    number_draws(plan->program);
    rg_plan_mark(plan, config);
    RG_TRY(run_passes(plan, config));
    RG_TRY(rg_place_names(plan));
    RG_TRY(rg_region_open(&plan->root, plan, plan->program->blocks[0], NULL, NULL));
    RG_TRY(bind_outside(plan, config));
    RG_TRY(rg_share_memory(plan->root));
    RG_TRY(rg_shared_open(plan));
    drop_unread(plan->root);
    RG_TRY(rg_place_finish(plan));
    RG_TRY(rg_record_plan(plan));
    plan->scope_epoch = rg_scope_epoch(plan->scope);
    plan->run.seeded = program->random_seed != 0;
    plan->run.seed = program->random_seed ? (uint64_t)program->random_seed : process_seed;
    return RG_OK;
}

rg_status rg_plan_open(rg_plan **out, const rg_program *program, rg_scope *scope,
                       const rg_plan_config *config)
{
    rg_plan *plan = rg_alloc_zero(1, sizeof *plan);
    if (plan == NULL)
        return rg_no_memory(sizeof *plan, "a plan");
    plan->scope = rg_scope_keep(scope);
    plan->run.scratch = &plan->scratch;
    plan->check_nan_flag = rg_flag_number("check_nan_inf");
    plan->run.services = &rg_plan_services;
    plan->run.plan = plan;
    plan->run.thread = config->thread;
    plan->run.step = config->step;
    plan->run.job = config->job;
    plan->run.device = config->device ? config->device : &rg_cpu;
    rg_status code = open_plan(plan, program, config);
    if (code != RG_OK) {
        rg_plan_close(plan);
        return code;
    }
    *out = plan;
    return RG_OK;
}

void rg_plan_close(rg_plan *plan)
{
    if (plan == NULL)
        return;
    if (plan->root != NULL && !plan->run.device->on_host)
        (void)plan->run.device->sync(plan->run.device, plan->run.stream);
    rg_record_close(plan);
    rg_feeds_close(plan);
    if (plan->run.stream != NULL)
        plan->run.device->close_stream(plan->run.stream);
    rg_place_close(plan);
    rg_shared_close(plan);
    for (int i = 0; i < plan->n_feeds; i++)
        rg_value_release(plan->feeds[i]);
    for (int i = 0; i < plan->n_fetches; i++)
        rg_value_release(plan->fetches[i]);
    for (size_t i = plan->n_regions; i-- > 0;)
        rg_region_close(plan->regions[i]);
    rg_free(plan->regions);
    for (size_t i = 0; i < plan->n_kept; i++)
        rg_value_release(plan->kept[i].value);
    rg_free(plan->kept);
    rg_map_fini(&plan->keep_index);
    rg_map_fini(&plan->passing);
    rg_program_close(plan->program);
    rg_scope_leave(plan->scope);
    rg_arena_free(&plan->arena);
    rg_arena_free(&plan->scratch);
    rg_free(plan);
}

/* ---- running ---- */

rg_value *rg_plan_feed(const rg_plan *plan, int i)
{
    return plan->feeds[i];
}

const rg_vardesc *rg_plan_feed_desc(const rg_plan *plan, int i)
{
    return plan->feed_descs[i];
}

void rg_plan_feed_changed(rg_plan *plan, int i)
{
    (void)i;
    plan->settled = false;
}

rg_status rg_plan_feed_room(rg_plan *plan, int i, rg_dtype dtype, const rg_shape *shape,
                            rg_lod *lod, rg_value **out)
{
    rg_value *value = *out = plan->feeds[i];
    if (value == NULL ||
        (value->data != NULL && value->meta.kind == RG_TENSOR && value->meta.dtype == dtype &&
         rg_shape_equal(&value->meta.shape, shape) && rg_lod_equal(value->meta.lod, lod)))
        return RG_OK;
    rg_plan_feed_changed(plan, i);
    RG_TRY(rg_value_resize(value, dtype, shape));
    rg_value_set_lod(value, lod);
    return RG_OK;
}

rg_status rg_plan_feed_rows(rg_plan *plan, int i, const rg_value *whole, int64_t from, int64_t to,
                            rg_lod *lod)
{
    rg_value *value;
    rg_shape shape = whole->meta.shape;
    if (shape.rank > 0)
        shape.dim[0] = to - from;
    RG_TRY(rg_plan_feed_room(plan, i, whole->meta.dtype, &shape, lod, &value));
    size_t row = (size_t)rg_value_width(whole) * rg_dtype_size(whole->meta.dtype);
    const uint8_t *data = value != NULL && to > from ? rg_host_data(whole) : NULL;
    return data ? rg_plan_feed_bytes(plan, i, data + (size_t)from * row, (size_t)(to - from) * row)
                : RG_OK;
}

rg_status rg_plan_feed_copy(rg_plan *plan, int i, const rg_value *whole)
{
    int64_t n = whole->meta.shape.rank > 0 ? whole->meta.shape.dim[0] : 1;
    return rg_plan_feed_rows(plan, i, whole, 0, n, whole->meta.lod);
}

/* After shapes have moved: blocks of shared memory may have been replaced. */
static void refresh_data(rg_region *root)
{
    for (size_t i = 0; i < root->n_temps; i++) {
        rg_value *value = root->temps[i].value;
        if (value->data != NULL && value->storage != NULL)
            value->data = value->storage->data;
    }
}

/* What kernels of a device have found wrong, which is known when they have run. */
static rg_status complaint(const rg_plan *plan)
{
    const rg_ctx *ctx = NULL;
    if (plan->run.device->complain == NULL)
        return RG_OK;
    rg_status code = plan->run.device->complain(plan->run.stream, &ctx);
    return code == RG_OK || ctx == NULL ? code : rg_node_failed(code, ctx->desc);
}

/* Before the ops of a plan on a device: what has come from elsewhere. */
static rg_status begin_on_device(rg_plan *plan)
{
    const rg_device *device = plan->run.device;
    if (device->begin_run != NULL)
        RG_TRY(device->begin_run(plan->run.stream));
    RG_TRY(rg_place_kept(plan));
    if (!plan->settled)
        rg_record_forget(plan);
    rg_place_begin(plan);
    RG_TRY(rg_feeds_send(plan));
    if (plan->reads_step && device->set_step != NULL)
        RG_TRY(device->set_step(plan->run.stream, plan->run.step));
    return RG_OK;
}

static rg_status end_on_device(rg_plan *plan)
{
    RG_TRY(rg_place_end(plan));
    if (!plan->settled) {
        refresh_data(plan->root);
        RG_TRY(rg_feeds_settle(plan));
        /* The first of many runs: what is wrong with it is said at once. */
        RG_TRY(plan->run.device->sync(plan->run.device, plan->run.stream));
    }
    return complaint(plan);
}

void rg_plan_skip(rg_plan *plan)
{
    plan->run.step++;
}

/* On a device the work may not be done when this returns: who reads values waits for it. */
rg_status rg_plan_run(rg_plan *plan)
{
    uint64_t epoch = rg_scope_epoch(plan->scope);
    bool on_device = plan->run.device != &rg_cpu;
    rg_status code = RG_OK;
    if (epoch != plan->scope_epoch) {
        plan->settled = false;
        plan->scope_epoch = epoch;
    }
    bool had_settled = plan->settled;
    if (!had_settled)
        rg_shared_note(plan);
    plan->check_nan = rg_flag_bool_of(plan->check_nan_flag);
    uint64_t start = rg_profiling ? rg_clock_ns() : 0;
    if (on_device)
        code = begin_on_device(plan);
    if (code == RG_OK)
        code = rg_region_run(plan->root);
    if (code == RG_OK && on_device)
        code = end_on_device(plan);
    if (start != 0)
        rg_profile_add(RG_SPAN_RUN, plan->trains ? "step" : "run", start, rg_clock_ns());
    plan->ahead = NULL;
    plan->run.step++;
    if (!plan->settled) {
        refresh_data(plan->root);
        bool same = rg_shared_are_as_noted(plan);
        plan->settled = code == RG_OK && same && !had_settled;
        if (!same) /* other plans look at them, too */
            rg_scope_touch(plan->scope);
    }
    for (int i = 0; i < plan->n_fetches; i++)
        rg_value_settle(plan->fetches[i]);
    return code;
}

bool rg_plan_is_on_host(const rg_plan *plan)
{
    return plan->run.device == &rg_cpu;
}

rg_status rg_plan_wait(rg_plan *plan)
{
    if (plan->run.device == &rg_cpu)
        return RG_OK;
    RG_TRY(plan->run.device->sync(plan->run.device, plan->run.stream));
    return complaint(plan);
}

bool rg_plan_fetches(const rg_plan *plan, const rg_value *value)
{
    for (int i = 0; i < plan->n_fetches; i++)
        if (plan->fetches[i] == value)
            return true;
    return false;
}

rg_value *rg_plan_fetch(const rg_plan *plan, int i)
{
    return plan->fetches[i];
}

void rg_plan_ahead(rg_plan *plan, rg_value *const *feeds)
{
    plan->ahead = feeds;
}

rg_scope *rg_plan_scope(const rg_plan *plan)
{
    return plan->scope;
}

bool rg_plan_is_bound(const rg_plan *plan)
{
    for (size_t i = 0; i < plan->keep_index.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&plan->keep_index, i);
        if (!rg_scope_binds(plan->scope, e->key, plan->kept[(size_t)(uintptr_t)e->value - 1].value))
            return false;
    }
    for (size_t i = 0; i < plan->passing.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&plan->passing, i);
        if (!rg_scope_binds(plan->scope, e->key, e->value))
            return false;
    }
    return true;
}

uint64_t rg_process_seed(void)
{
    return process_seed;
}

void rg_plan_text(const rg_plan *plan, rg_buf *text)
{
    for (size_t i = 0; i < plan->root->n_nodes; i++) {
        rg_opdesc_describe(plan->root->nodes[i].desc, text);
        rg_buf_char(text, '\n');
    }
}
