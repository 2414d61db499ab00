/* op_recv.c - what trainers get from servers: recv, fetch_barrier. */
#include "dist/exchange.h"
#include "dist/fan_out.h"

#include "base/mem.h"
#include "sys/metrics.h"
#include "tensor/device.h"

#include <string.h>

enum { X };
enum { OUT };
enum { EPMAP, TRAINER_ID, WITH_BARRIER, VARNAMES, RECV_VARNAMES, DO_NOT_RUN };

/* Out is what the program declares it to be: parameters and slices of them. */
static rg_status as_declared(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

/* ---- recv ---- */

typedef struct source {
    int server;
    uint32_t var;
    int64_t first; /* the element of Out that it begins with */
    rg_taking how;
} source;

typedef struct sources {
    rg_job *job;   /* that they belong to */
    uint64_t term; /* of the job's, in which they were found */
    bool in_step;  /* the program pushes before: parameters come with the answer */
    bool idle;     /* somebody else gets them */
    int n;
    source list[];
} sources;

static bool pushes_before(const rg_ctx *ctx)
{
    const rg_block *block = ctx->desc->block;
    size_t here = rg_opdesc_index(ctx->desc);
    for (size_t i = 0; i < here; i++)
        if (rg_opdesc_is(block->ops[i], RG_OP_PUSHES))
            return true;
    return false;
}

/* Of the scope: its memory is its own, so that it can be written between two ops. */
static bool is_parameter(const rg_ctx *ctx, int i)
{
    const rg_vardesc *desc = rg_block_find(ctx->desc->block, rg_out_name(ctx, OUT, i));
    return desc != NULL && desc->persistable;
}

/* Either Out is one whole variable with the names of its parts, or each Out is a part. */
static rg_status find_sources(const rg_ctx *ctx, rg_job *job, sources **out)
{
    const rg_attr *endpoints = rg_attr_list(ctx, EPMAP), *names = rg_attr_list(ctx, RECV_VARNAMES);
    const rg_attr *others = rg_attr_list(ctx, VARNAMES);
    bool whole = names->n > 0;
    int n = whole ? names->n : rg_n_out(ctx, OUT);
    int64_t first = 0;
    if (endpoints->n < n)
        return rg_fail(RG_EINVAL, "%d parts and %d endpoints", n, endpoints->n);
    sources *list = rg_alloc_zero(1, sizeof *list + (size_t)n * sizeof *list->list);
    if (list == NULL)
        return rg_no_memory(1, "a recv");
    list->job = job;
    list->term = job->term;
    list->in_step = pushes_before(ctx) && rg_attr_bool(ctx, WITH_BARRIER);
    list->idle = !list->in_step && rg_attr_int(ctx, DO_NOT_RUN) != 0;
    for (int i = 0; i < n; i++) {
        source *from = &list->list[list->n++];
        const char *name = whole           ? names->strings[i]
                           : others->n > i ? others->strings[i]
                                           : rg_out_name(ctx, OUT, i);
        rg_status code = rg_job_find(job, endpoints->strings[i], name, false, &from->server,
                                     &from->var);
        if (code != RG_OK) {
            rg_free(list);
            return code;
        }
        const rg_ps_var *var = &job->servers[from->server].schema.vars[from->var];
        from->first = whole ? first : 0;
        if (is_parameter(ctx, whole ? 0 : i)) /* ops of a device read its own copy */
            from->how = ctx->run->device == &rg_cpu ? RG_TAKE_SHOWN : RG_TAKE_STAYS;
        first += var->rows * var->width;
    }
    *out = list;
    return RG_OK;
}

/* Room for what comes, of the shape that the program declares. */
static rg_status make_room(rg_ctx *ctx, int i, int64_t elements)
{
    const rg_vardesc *desc = rg_block_find(ctx->desc->block, rg_out_name(ctx, OUT, i));
    rg_value *out = rg_out_n(ctx, OUT, i);
    if (desc == NULL || out == NULL)
        return rg_fail(RG_EINVAL, "Out %d is not declared", i);
    if (rg_shape_numel(&desc->meta.shape) != elements)
        return rg_fail(RG_ESHAPE, "%s has %lld elements, and the servers keep %lld", desc->name,
                       (long long)rg_shape_numel(&desc->meta.shape), (long long)elements);
    /* Threads share a parameter, and the others read it now: where it is as it should be already
     * nothing is written. */
    bool shows = out->late != NULL && out->late->readable;
    if (out->meta.kind == RG_TENSOR && out->meta.dtype == RG_F32 && out->storage != NULL &&
        out->data != NULL && (shows || out->data == out->storage->data) &&
        rg_shape_equal(&out->meta.shape, &desc->meta.shape))
        return RG_OK;
    return rg_value_resize(out, RG_F32, &desc->meta.shape);
}

static int64_t elements_of(const sources *list, int i)
{
    const rg_ps_var *var = &list->job->servers[list->list[i].server].schema.vars[list->list[i].var];
    return var->rows * var->width;
}

/* Values that an answer has brought, or that are asked for now. */
static rg_status receive(const rg_ctx *ctx, const sources *list, int i, int out)
{
    const source *from = &list->list[i];
    rg_value *value = rg_out_n(ctx, OUT, out);
    size_t bytes = (size_t)elements_of(list, i) * sizeof(float), got;
    uint8_t *reply = NULL;
    if (list->in_step)
        return rg_exchange_take(list->job, ctx->run->thread, from->server, from->var, value,
                                from->first, from->how);
    rg_value_settle(value);
    RG_TRY(rg_job_ask(list->job, from->server, RG_PS_PULL, &(rg_iov){&from->var, sizeof from->var},
                      1, &reply, &got));
    if (got >= bytes)
        memcpy((float *)value->data + from->first, reply, bytes);
    rg_free(reply);
    return got >= bytes ? RG_OK
                        : rg_fail(RG_ECORRUPT, "%zu bytes of a parameter of %zu", got, bytes);
}

static rg_status recv(rg_ctx *ctx)
{
    rg_job *job;
    RG_TRY(rg_job_of(ctx, &job));
    sources *list = ctx->state;
    if (list == NULL || list->job != job || list->term != job->term) {
        rg_free(list);
        ctx->state = NULL;
        RG_TRY(find_sources(ctx, job, &list));
        ctx->state = list;
    }
    if (list->idle)
        return RG_OK;
    bool whole = rg_attr_list(ctx, RECV_VARNAMES)->n > 0;
    int64_t all = 0;
    for (int i = 0; i < list->n; i++)
        all += elements_of(list, i);
    if (whole)
        RG_TRY(make_room(ctx, 0, all));
    for (int i = 0; i < list->n; i++) {
        if (!whole)
            RG_TRY(make_room(ctx, i, elements_of(list, i)));
        RG_TRY(receive(ctx, list, i, whole ? 0 : i));
    }
    return RG_OK;
}

static rg_status pull(rg_ctx *ctx)
{
    rg_step_part before = rg_step_within(RG_STEP_PULL);
    rg_status code = recv(ctx);
    (void)rg_step_enter(before);
    return code;
}

const rg_op rg_op_recv = {
    .type = "recv",
    .doc = "Get variables, mostly parameters or slices of them, from servers.",
    .in = RG_SLOTS([X] = {"X", "what has to be over first",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the variables", RG_REPEATED | RG_LATE_OK}),
    .attr = RG_ATTRS([EPMAP] = RG_LIST("epmap", RG_ATTR_STRINGS, "where each part comes from"),
                     [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),
                     [WITH_BARRIER] = RG_BOOLEAN("with_barrier", true,
                                                 "after the step that is being made; false: as they "
                                                 "are, asked for now"),
                     [VARNAMES] = RG_LIST("varnames", RG_ATTR_STRINGS,
                                          "their names on servers, if others"),
                     [RECV_VARNAMES] = RG_LIST("recv_varnames", RG_ATTR_STRINGS,
                                               "the parts' names on servers"),
                     [DO_NOT_RUN] = RG_INT("do_not_run", 0,
                                           "1: only what a step's answer brings; outside of a step "
                                           "nothing is asked for")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_DYNAMIC | RG_OP_TALKS | RG_OP_STEP,
    .infer = as_declared,
    .kernel = pull,
    .drop = rg_free,
};

/* In a step Out names what was received, in a startup program a control variable. */
static rg_status fetch_barrier_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

/* Parameters came with the answer to the push, and recv has put them in their places. */
static rg_status fetch_barrier(rg_ctx *ctx)
{
    rg_job *job;
    return rg_job_of(ctx, &job);
}

const rg_op rg_op_fetch_barrier = {
    .type = "fetch_barrier",
    .doc = "Tell servers that this trainer has all it asked for.",
    .in = RG_SLOTS([X] = {"X", "what has to be over first",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what was received", RG_REPEATED | RG_OPTIONAL | RG_LATE_OK}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer tells"),
                     RG_ENDPOINTS("endpoints", "the servers"),
                     RG_INT("trainers", 0, "how many the script was told there are; 0: not said")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_DYNAMIC | RG_OP_TALKS | RG_OP_STEP,
    .infer = fetch_barrier_infer,
    .kernel = fetch_barrier,
};
