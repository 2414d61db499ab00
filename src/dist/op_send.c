/* op_send.c - what trainers tell servers: send, send_barrier.
 *
 * The `geo_*` attributes are Regatta's own: in geo mode one send at the end of a step
 * stands for all parameters, and they say which slices there are and where. */
#include "dist/exchange.h"

#include "base/mem.h"
#include "base/sorted.h"
#include "dist/send_attrs.h"
#include "exec/plan.h"
#include "ops/merge_rows.h"
#include "sys/metrics.h"

#include <string.h>

enum { X };
enum { OUT };
static rg_status infer(rg_ctx *ctx)
{
    rg_set_control_outs(ctx, OUT);
    return RG_OK;
}

/* ---- send ---- */

/* Where a part of what is sent goes. */
typedef struct target {
    int server;
    uint32_t var;
    int64_t first, rows; /* of X */
} target;

typedef struct targets {
    rg_job *job;   /* that they belong to */
    uint64_t term; /* of the job's, in which they were found */
    bool last;     /* no send of a gradient comes behind this one, nor a barrier */
    bool stays;    /* nobody writes X in the rest of the step */
    bool gives;    /* nor reads it, then or afterwards: it may have other memory from here on */
    int n;
    target list[];
} targets;

static bool is_gradient_send(const rg_opdesc *op)
{
    const rg_attr *handler = rg_opdesc_attr(op, "use_send_handler");
    return rg_opdesc_is(op, RG_OP_PUSHES) && (handler == NULL || handler->b);
}

/* Whether the step is complete after this op. */
static bool ends_step(const rg_ctx *ctx)
{
    const rg_block *block = ctx->desc->block;
    for (size_t i = rg_opdesc_index(ctx->desc) + 1; i < block->n_ops; i++)
        if (is_gradient_send(block->ops[i]) || rg_opdesc_is(block->ops[i], RG_OP_ENDS_STEP))
            return false;
    return true;
}

static bool is_written_later(const rg_ctx *ctx)
{
    const rg_block *block = ctx->desc->block;
    for (size_t i = rg_opdesc_index(ctx->desc) + 1; i < block->n_ops; i++)
        for (int k = 0; k < rg_n_in(ctx, X); k++)
            if (rg_op_writes(block->ops[i], rg_in_name(ctx, X, k)))
                return true;
    return false;
}

/* By a later op, or when the step is over. */
static bool is_read_later(const rg_ctx *ctx)
{
    const rg_block *block = ctx->desc->block;
    for (int k = 0; k < rg_n_in(ctx, X); k++) {
        const char *name = rg_in_name(ctx, X, k);
        if (rg_plan_fetches(ctx->run->plan, rg_in_n(ctx, X, k)) ||
            rg_scope_find(rg_plan_scope(ctx->run->plan), name) != NULL)
            return true;
        for (size_t i = rg_opdesc_index(ctx->desc) + 1; i < block->n_ops; i++)
            if (rg_op_reads(block->ops[i], name))
                return true;
    }
    return false;
}

/* Either X is given whole with the names and rows of its parts, or each X is a part. */
static rg_status find_targets(const rg_ctx *ctx, rg_job *job, targets **out)
{
    const rg_attr *endpoints = rg_attr_list(ctx, RG_SEND_EPMAP),
                  *names = rg_attr_list(ctx, RG_SEND_VARNAMES);
    const rg_attr *sections = rg_attr_list(ctx, RG_SEND_SECTIONS);
    bool whole = names->n > 0;
    int n = whole ? names->n : rg_n_in(ctx, X);
    int64_t first = 0;
    if (endpoints->n < n || (whole && sections->n > 0 && sections->n < n))
        return rg_fail(RG_EINVAL, "%d parts, %d endpoints and %d sections", n, endpoints->n,
                       sections->n);
    targets *t = rg_alloc_zero(1, sizeof *t + (size_t)n * sizeof *t->list);
    if (t == NULL)
        return rg_no_memory(1, "a send");
    t->job = job;
    t->term = job->term;
    t->last = ends_step(ctx);
    t->stays = !is_written_later(ctx);
    t->gives = t->stays && !is_read_later(ctx);
    for (int i = 0; i < n; i++) {
        target *to = &t->list[t->n++];
        const char *name = whole ? names->strings[i] : rg_in_name(ctx, X, i);
        rg_status code = rg_job_find(job, endpoints->strings[i], name, true, &to->server, &to->var);
        if (code != RG_OK) {
            rg_free(t);
            return code;
        }
        to->rows = job->servers[to->server].schema.vars[to->var].rows;
        to->first = whole ? first : 0;
        first += to->rows;
    }
    *out = t;
    return RG_OK;
}

/* Merged rows are ascending, so those of a part stand together. */
static rg_status send_rows(rg_ctx *ctx, const targets *t, const target *to, const rg_merged *merged,
                           bool whole)
{
    const rg_ps_var *var = &t->job->servers[to->server].schema.vars[to->var];
    size_t begin = 0, end = merged->n;
    int64_t shift = whole ? 0 : var->begin; /* a part's rows are numbered from its first */
    bool is_last = to == &t->list[t->n - 1];
    if (whole)
        begin = rg_first_from(merged->rows, merged->n, to->first);
    if (whole && !is_last) /* ids beyond the height go to the last part */
        end = rg_first_from(merged->rows, merged->n, to->first + to->rows);
    const int64_t *ids = merged->rows + begin;
    if (shift != 0) {
        int64_t *shifted = rg_scratch(ctx, (end - begin + 1) * sizeof *shifted);
        if (shifted == NULL)
            return RG_ENOMEM;
        for (size_t i = begin; i < end; i++)
            shifted[i - begin] = merged->rows[i] + shift;
        ids = shifted;
    }
    return rg_exchange_rows(t->job, ctx->run->thread, to->server, to->var, ids,
                            (const float *)merged->values + (int64_t)begin * var->width,
                            end - begin);
}

/* Rows of a parameter that its server keeps whole, since no look-up reads it: that of nce or
 * hsigmoid with is_sparse. */
static rg_status send_as_whole(rg_ctx *ctx, const targets *t, const target *to,
                               const rg_merged *merged, bool whole)
{
    const rg_ps_var *var = &t->job->servers[to->server].schema.vars[to->var];
    size_t bytes = (size_t)to->rows * (size_t)var->width * sizeof(float);
    float *values = rg_scratch(ctx, bytes);
    if (values == NULL)
        return RG_ENOMEM;
    memset(values, 0, bytes);
    for (size_t i = 0; i < merged->n; i++) {
        int64_t row = merged->rows[i] - (whole ? to->first : 0);
        if (row >= 0 && row < to->rows)
            memcpy(values + row * var->width,
                   (const float *)merged->values + (int64_t)i * var->width,
                   (size_t)var->width * sizeof(float));
    }
    return rg_exchange_dense(t->job, ctx->run->thread, to->server, to->var, values, false);
}

static rg_status send_value(rg_ctx *ctx, const targets *t, int first, int n, const rg_value *x,
                            bool whole)
{
    rg_merged merged = {0};
    bool stays = false;
    if (x == NULL || (x->meta.kind == RG_TENSOR && x->data == NULL))
        return rg_fail(RG_EINVAL, "%s has no value", rg_in_name(ctx, X, 0));
    if (x->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, X);
    if (x->meta.kind == RG_ROWS)
        RG_TRY(rg_merge_rows(ctx, x, &merged));
    for (int i = first; i < first + n; i++) {
        const target *to = &t->list[i];
        const rg_ps_var *var = &t->job->servers[to->server].schema.vars[to->var];
        if (x->meta.kind == RG_ROWS && var->table) {
            RG_TRY(send_rows(ctx, t, to, &merged, whole));
            continue;
        }
        if (x->meta.kind == RG_ROWS && rg_value_width(x) == var->width) {
            RG_TRY(send_as_whole(ctx, t, to, &merged, whole));
            continue;
        }
        if (x->meta.kind != RG_TENSOR || rg_numel(x) < (to->first + to->rows) * var->width)
            return rg_fail(RG_ESHAPE, "%s does not have the shape that its server keeps",
                           rg_in_name(ctx, X, 0));
        if (t->stays) /* it is sent from where it is: without a copy to servers on this host */
            rg_value_lend((rg_value *)(uintptr_t)x);
        stays = t->stays && rg_exchange_stays(t->job, x, t->gives);
        RG_TRY(rg_exchange_dense(t->job, ctx->run->thread, to->server, to->var,
                                 (const float *)x->data + to->first * var->width, stays));
    }
    return stays ? rg_exchange_give(t->job, ctx->run->thread, (rg_value *)(uintptr_t)x) : RG_OK;
}

static rg_status send(rg_ctx *ctx)
{
    rg_job *job;
    RG_TRY(rg_job_of(ctx, &job));
    if (job->mode->send != NULL)
        return job->mode->send(ctx, job);
    if (!rg_attr_bool(ctx, RG_SEND_USE_HANDLER))
        return RG_OK; /* servers count the pushes themselves */
    targets *t = ctx->state;
    if (t == NULL || t->job != job || t->term != job->term) {
        if (rg_attr_bool(ctx, RG_SEND_MERGE_ADD))
            return rg_fail(RG_EUNIMPL,
                           "merge_add is for counters (use_send_handler false): whether the "
                           "gradients of several steps are added is said for all of them, by "
                           "FLAGS_communicator_is_sgd_optimizer");
        rg_free(t);
        ctx->state = NULL;
        RG_TRY(rg_job_agree(job, ctx->desc->block->program));
        RG_TRY(find_targets(ctx, job, &t));
        ctx->state = t;
    }
    bool whole = rg_attr_list(ctx, RG_SEND_VARNAMES)->n > 0;
    if (whole)
        RG_TRY(send_value(ctx, t, 0, t->n, rg_in(ctx, X), true));
    for (int i = 0; !whole && i < t->n; i++)
        RG_TRY(send_value(ctx, t, i, 1, rg_in_n(ctx, X, i), false));
    return t->last ? rg_exchange_push(job, ctx->run->thread) : RG_OK;
}

static rg_status push(rg_ctx *ctx)
{
    rg_step_part before = rg_step_within(RG_STEP_PUSH);
    rg_status code = send(ctx);
    (void)rg_step_enter(before);
    return code;
}

const rg_op rg_op_send = {
    .type = "send",
    .doc = "Send variables, mostly gradients, to servers.",
    .in = RG_SLOTS([X] = {"X", "what is sent",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD | RG_ANY_KIND | RG_UNSET_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "stands for its being sent", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS(
        [RG_SEND_TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer sends"),
        [RG_SEND_EPMAP] = RG_ENDPOINTS("epmap", "where each part goes"),
        [RG_SEND_SECTIONS] = RG_LIST("sections", RG_ATTR_LONGS, "rows of each part of X"),
        [RG_SEND_VARNAMES] = RG_LIST("send_varnames", RG_ATTR_STRINGS, "the parts' names on servers"),
        [RG_SEND_NUM] = RG_INT("num", 0, "kept for files"),
        [RG_SEND_MERGE_ADD] = RG_BOOLEAN("merge_add", false, "of a counter: steps not sent yet are added"),
        [RG_SEND_USE_HANDLER] = RG_BOOLEAN("use_send_handler", true, "false: X is the learning rate's counter"),
        [RG_SEND_GEO_PARAMS] = RG_LIST("geo_params", RG_ATTR_STRINGS, "geo: the parameter of each slice"),
        [RG_SEND_GEO_SLICES] = RG_LIST("geo_slices", RG_ATTR_STRINGS, "geo: the slices, as servers name them"),
        [RG_SEND_GEO_SECTIONS] = RG_LIST("geo_sections", RG_ATTR_LONGS, "geo: rows of each slice"),
        [RG_SEND_GEO_PUSH_NUMS] = RG_INT("geo_push_nums", 0, "geo: steps between two pushes"),
        [RG_SEND_GEO_TRAINERS] = RG_INT("geo_trainers", 0, "geo: trainers, by which changes are divided"),
        [RG_SEND_GEO_MOVING] = RG_LIST("geo_moving", RG_ATTR_STRINGS, "geo: tables of which a step moves any row")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_HOLDS_INPUTS | RG_OP_TALKS | RG_OP_STEP |
             RG_OP_PUSHES,
    .infer = infer,
    .kernel = push,
    .drop = rg_free,
};

/* ---- send_barrier ---- */

enum { HALF_ASYNC = 2 }; /* of its attributes */

static rg_status send_barrier(rg_ctx *ctx)
{
    rg_job *job;
    RG_TRY(rg_job_of(ctx, &job));
    if (!rg_attr_bool(ctx, HALF_ASYNC) && !job->mode->programs.merges)
        return rg_fail(
            RG_EINVAL,
            "half_async is false: the barrier is of all trainers, and the servers are of "
            "%s mode, in which trainers do not wait for each other",
            job->mode->programs.name);
    rg_step_part before = rg_step_within(RG_STEP_PUSH);
    rg_status code = rg_exchange_push(job, ctx->run->thread);
    (void)rg_step_enter(before);
    return code;
}

const rg_op rg_op_send_barrier = {
    .type = "send_barrier",
    .doc = "Wait until what was sent has been taken into account.",
    .in = RG_SLOTS([X] = {"X", "what stands for the sends",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "stands for the barrier", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer waits"),
                     RG_ENDPOINTS("endpoints", "the servers"),
                     [HALF_ASYNC] = RG_BOOLEAN("half_async", false,
                                               "wait for this trainer's threads only")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_TALKS | RG_OP_STEP | RG_OP_ENDS_STEP,
    .infer = infer,
    .kernel = send_barrier,
};
