/* record.c - stretches of a step that the device does without the host, recorded and run as one.
 *
 * At batch sizes of a few hundred, telling a GPU what to do next takes longer than doing it. Once
 * shapes have settled, what consecutive ops put into the stream is recorded, with its addresses and
 * sizes, and from then on put there by one call; until a shape changes, or a variable that is not
 * the plan's own (a parameter, a feed) has other memory. */
#include "exec/plan_priv.h"

#include "base/mem.h"
#include "sys/profile.h"
#include "sys/flags.h"
#include "sys/log.h"

#include <string.h>

enum { WORTH_IT = 2 }; /* nodes */

static bool can_record(const rg_node *node)
{
    return node->kernel != NULL && !(node->kernel->flags & RG_KERNEL_HOST) && !node->infers;
}

static bool is_in(rg_value *const *values, int n, const rg_value *value)
{
    for (int i = 0; i < n; i++)
        if (values[i] == value)
            return true;
    return false;
}

static bool is_kept(const rg_plan *plan, const rg_value *value)
{
    for (size_t i = 0; i < plan->n_kept; i++)
        if (plan->kept[i].value == value)
            return true;
    return false;
}

/* Values of the scope, feeds, and those with a twin: temporaries stay while shapes do. */
static void find_fixed(const rg_plan *plan, rg_stretch *s, rg_meta *const *metas, int n)
{
    for (int i = 0; i < n; i++) {
        rg_value *value = (rg_value *)metas[i];
        if (value == NULL || is_in(s->fixed, s->n_fixed, value))
            continue;
        if (is_kept(plan, value) || is_in(plan->feeds, plan->n_feeds, value) ||
            rg_place_mirror(plan, value) != NULL)
            s->fixed[s->n_fixed++] = value;
    }
}

static int count(const rg_slot *slots, const uint16_t *at)
{
    int n = 0;
    while (slots[n].name != NULL)
        n++;
    return at[n];
}

static void join_uses(rg_stretch *s, const rg_node *node)
{
    for (int i = 0; i < node->n_uses; i++) {
        int at = 0;
        while (at < s->n_uses && s->uses[at].mirror != node->uses[i].mirror)
            at++;
        if (at == s->n_uses)
            s->uses[s->n_uses++] = (rg_mirror_use){.mirror = node->uses[i].mirror};
        /* What an op before it in the stretch has written need not be brought. */
        bool fresh = s->uses[at].writes;
        s->uses[at].reads = s->uses[at].reads || (node->uses[i].reads && !fresh);
        s->uses[at].reads_shape = s->uses[at].reads_shape || (node->uses[i].reads_shape && !fresh);
        s->uses[at].writes = s->uses[at].writes || node->uses[i].writes;
    }
}

static rg_status fill(rg_plan *plan, rg_stretch *s)
{
    int uses = 0, values = 0;
    for (size_t i = s->first; i < s->end; i++) {
        const rg_ctx *ctx = &plan->root->nodes[i].ctx;
        uses += plan->root->nodes[i].n_uses;
        values += count(ctx->op->in, ctx->in_at) + count(ctx->op->out, ctx->out_at);
    }
    s->uses = rg_arena_alloc(&plan->arena, (size_t)(uses + 1) * sizeof *s->uses);
    s->fixed = rg_arena_alloc(&plan->arena, (size_t)(values + 1) * sizeof *s->fixed);
    s->data = rg_arena_zero(&plan->arena, (size_t)(values + 1) * sizeof *s->data);
    if (s->uses == NULL || s->fixed == NULL || s->data == NULL)
        return rg_no_memory(1, "a plan");
    for (size_t i = s->first; i < s->end; i++) {
        const rg_node *node = &plan->root->nodes[i];
        join_uses(s, node);
        find_fixed(plan, s, node->ctx.in, count(node->ctx.op->in, node->ctx.in_at));
        find_fixed(plan, s, node->ctx.out, count(node->ctx.op->out, node->ctx.out_at));
    }
    return RG_OK;
}

rg_status rg_record_plan(rg_plan *plan)
{
    const rg_region *root = plan->root;
    if (plan->run.device->record_begin == NULL || !rg_flag_bool("gpu_graph"))
        return RG_OK;
    plan->stretches = rg_alloc_zero(root->n_nodes + 1, sizeof *plan->stretches);
    if (plan->stretches == NULL)
        return rg_no_memory(root->n_nodes, "a plan");
    for (size_t i = 0, end; i < root->n_nodes; i = end) {
        for (end = i; end < root->n_nodes && can_record(&root->nodes[end]);)
            end++;
        if (end - i >= WORTH_IT) {
            rg_stretch *s = &plan->stretches[plan->n_stretches++];
            *s = (rg_stretch){.first = i, .end = end};
            RG_TRY(fill(plan, s));
        }
        end = end > i ? end : i + 1;
    }
    return RG_OK;
}

void rg_record_forget(rg_plan *plan)
{
    for (size_t i = 0; i < plan->n_stretches; i++) {
        if (plan->stretches[i].record != NULL)
            plan->run.device->drop_record(plan->stretches[i].record);
        plan->stretches[i].record = NULL;
    }
}

void rg_record_close(rg_plan *plan)
{
    rg_record_forget(plan);
    rg_free(plan->stretches);
    plan->stretches = NULL;
    plan->n_stretches = 0;
}

rg_stretch *rg_record_at(rg_plan *plan, size_t node)
{
    if (plan->n_stretches == 0 || !plan->settled || plan->check_nan || rg_profiling)
        return NULL;
    for (size_t i = 0; i < plan->n_stretches; i++)
        if (plan->stretches[i].first == node)
            return plan->stretches[i].never ? NULL : &plan->stretches[i];
    return NULL;
}

static bool is_as_recorded(const rg_stretch *s)
{
    for (int i = 0; i < s->n_fixed; i++)
        if (s->fixed[i]->data != s->data[i])
            return false;
    return s->record != NULL;
}

static rg_status record(rg_plan *plan, rg_stretch *s)
{
    const rg_device *device = plan->run.device;
    rg_status code = RG_OK;
    void *fresh = NULL;
    if (s->record != NULL)
        device->drop_record(s->record);
    s->record = NULL;
    for (int i = 0; i < s->n_fixed; i++)
        s->data[i] = s->fixed[i]->data;
    RG_TRY(device->record_begin(plan->run.stream));
    for (size_t i = s->first; i < s->end && code == RG_OK; i++)
        code = rg_node_run(plan->root, &plan->root->nodes[i], true);
    rg_status ended = device->record_end(plan->run.stream, &fresh);
    if (code == RG_OK && ended == RG_OK)
        s->record = fresh;
    else if (fresh != NULL)
        device->drop_record(fresh);
    return code == RG_OK ? ended : code;
}

rg_status rg_record_run(rg_plan *plan, rg_stretch *s, bool *done)
{
    *done = false;
    RG_TRY(rg_place_before(plan, s->uses, s->n_uses, false));
    if (!is_as_recorded(s) && record(plan, s) != RG_OK) {
        /* Nothing of it was done: the ops themselves will say what is wrong, if anything is. */
        rg_log(RG_LOG_W, "exec", "\"a step cannot be recorded\" from=%s to=%s why=\"%s\"",
               plan->root->nodes[s->first].desc->type, plan->root->nodes[s->end - 1].desc->type,
               rg_error_message());
        s->never = true;
        return RG_OK;
    }
    RG_TRY(plan->run.device->replay(plan->run.stream, s->record));
    rg_place_after(s->uses, s->n_uses, false);
    *done = true;
    return RG_OK;
}
