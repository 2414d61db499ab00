/* op_comm.c - ops that start groups of processes, and ops for the order of streams.
 *
 * On a GPU the ranks of a group first agree on an id (c_gen_nccl_id), then make a communicator of
 * it (c_comm_init). Here an id is the list of endpoints, and the communicator the process's
 * group (rings.h). */
#include "coll/rings.h"

#include "base/mem.h"
#include "ir/op.h"

#include <string.h>

/* ---- ids ---- */

typedef struct comm_id {
    int size;
    const char *endpoints[];
} comm_id;

/* All endpoints, in the order of ranks: ours stands at `rank`. */
static rg_status make_id(rg_ctx *ctx, int out, int rank, const char *own, const rg_attr *others)
{
    int size = others->n + 1;
    size_t text = strlen(own) + 1;
    for (int i = 0; i < others->n; i++)
        text += strlen(others->strings[i]) + 1;
    if (rank < 0 || rank >= size)
        return rg_fail(RG_EINVAL, "rank is %d, and there are %d endpoints", rank, size);
    comm_id *id = rg_alloc(sizeof *id + (size_t)size * sizeof *id->endpoints + text);
    if (id == NULL)
        return rg_no_memory(text, "the endpoints of a group");
    char *at = (char *)(id->endpoints + size);
    id->size = size;
    for (int i = 0, other = 0; i < size; i++) {
        const char *endpoint = i == rank ? own : others->strings[other++];
        size_t n = strlen(endpoint) + 1;
        memcpy(at, endpoint, n);
        id->endpoints[i] = at;
        at += n;
    }
    rg_value_set_object(rg_out(ctx, out), RG_RAW, id, rg_free);
    return RG_OK;
}

static rg_status infer_id(rg_ctx *ctx)
{
    rg_set_kind(ctx, 0, RG_RAW);
    return RG_OK;
}

enum { RANK, ENDPOINT, OTHERS };

static rg_status c_gen_id(rg_ctx *ctx)
{
    return make_id(ctx, 0, rg_attr_int(ctx, RANK), rg_attr_string(ctx, ENDPOINT),
                   rg_attr_list(ctx, OTHERS));
}

const rg_op rg_op_c_gen_nccl_id = {
    .type = "c_gen_nccl_id",
    .doc = "The name of a group of processes, for c_comm_init.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS({"Out", "the name", 0}),
    .attr = RG_ATTRS([RANK] = RG_INT("rank", 0, "this process's place"),
                     [ENDPOINT] = RG_STRING("endpoint", "", "its own host:port"),
                     [OTHERS] = RG_LIST("other_endpoints", RG_ATTR_STRINGS,
                                        "those of the others, in their order")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = infer_id,
    .kernel = c_gen_id,
};

/* ---- the nccl2 mode: the id, and the group at once ---- */

enum { TRAINERS, TRAINER_ID, COMMS, HIERARCHICAL, INTER };

static rg_status gen_id(rg_ctx *ctx)
{
    const rg_attr *trainers = rg_attr_list(ctx, TRAINERS);
    int rank = rg_attr_int(ctx, TRAINER_ID);
    if (rg_attr_bool(ctx, HIERARCHICAL))
        return rg_fail(RG_EUNIMPL, "use_hierarchical_allreduce: MPI and NCCL choose by themselves "
                                   "how a sum goes over hosts; set it to False");
    if (rank < 0 || rank >= trainers->n)
        return rg_fail(RG_EINVAL, "trainer_id is %d, and there are %d trainers", rank, trainers->n);
    RG_TRY(rg_ring_open(0, rank, trainers->n, trainers->strings));
    comm_id *id = rg_alloc_zero(1, sizeof *id);
    if (id == NULL)
        return rg_no_memory(sizeof *id, "a group");
    rg_value_set_object(rg_out(ctx, 0), RG_RAW, id, rg_free);
    return RG_OK;
}

const rg_op rg_op_gen_nccl_id = {
    .type = "gen_nccl_id",
    .doc = "Start the group of all trainers.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS({"NCCLID", "stands for the group", 0}),
    .attr = RG_ATTRS([TRAINERS] = RG_LIST("trainers", RG_ATTR_STRINGS, "host:port of each"),
                     [TRAINER_ID] = RG_INT("trainer_id", 0, "this process's place"),
                     [COMMS] = RG_INT("nccl_comm_num", 1, "rings: all are one group here"),
                     [HIERARCHICAL] = RG_BOOLEAN("use_hierarchical_allreduce", false, "refused"),
                     [INTER] = RG_INT("hierarchical_allreduce_inter_nranks", -1, "of that")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = infer_id,
    .kernel = gen_id,
};

/* ---- communicators ---- */

enum { NRANKS, OWN_RANK, RING, DEVICE };

static rg_status no_outputs(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status c_comm_init(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, 0);
    const comm_id *id = x != NULL && x->meta.kind == RG_RAW ? x->object : NULL;
    int size = rg_attr_int(ctx, NRANKS);
    if (id != NULL && id->size != size)
        return rg_fail(RG_EINVAL, "nranks is %d, and there are %d endpoints", size, id->size);
    return rg_ring_open(rg_attr_int(ctx, RING), rg_attr_int(ctx, OWN_RANK), size,
                        id ? id->endpoints : NULL);
}

const rg_op rg_op_c_comm_init = {
    .type = "c_comm_init",
    .doc = "Start a group of processes: every rank calls it, and all wait for the last.",
    .in = RG_SLOTS({"X", "the name that c_gen_nccl_id made", RG_ANY_KIND | RG_UNSET_OK}),
    .out = RG_SLOTS({.name = NULL}),
    .attr = RG_ATTRS([NRANKS] = RG_INT("nranks", 1, "how many there are"),
                     [OWN_RANK] = RG_INT("rank", 0, "this process's place"),
                     [RING] = RG_INT("ring_id", 0, "what ops call the group"),
                     [DEVICE] = RG_INT("device_id", -1, "of a GPU")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = no_outputs,
    .kernel = c_comm_init,
};

static rg_status c_comm_init_all(rg_ctx *ctx)
{
    if (rg_attr_list(ctx, 0)->n > 1)
        return rg_fail(RG_EUNIMPL,
                       "%d devices in one process: CompiledProgram.with_data_parallel adds up over "
                       "those; a group has one process for each",
                       rg_attr_list(ctx, 0)->n);
    return rg_ring_open(rg_attr_int(ctx, 1), 0, 1, NULL);
}

const rg_op rg_op_c_comm_init_all = {
    .type = "c_comm_init_all",
    .doc = "A group of this process alone.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS({.name = NULL}),
    .attr = RG_ATTRS(RG_LIST("devices", RG_ATTR_INTS, "at most one"),
                     RG_INT("ring_id", 0, "what ops call the group")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = no_outputs,
    .kernel = c_comm_init_all,
};

/* ---- streams ---- */

/* Operations that were started are waited for by who needs them (op_bucket.c): nothing is left
 * to be done for the values, which stay as they are. */
static rg_status pass_on(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_out(ctx, 0); i++) {
        const rg_value *x = rg_in_n(ctx, 0, i);
        rg_value *out = rg_out_n(ctx, 0, i);
        if (out != NULL && x != NULL && out != x)
            RG_TRY(rg_value_copy(out, x));
    }
    return RG_OK;
}

static rg_status infer_same(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_out(ctx, 0); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, 0, i);
        rg_meta *out = rg_out_meta_n(ctx, 0, i);
        if (x == NULL)
            return rg_fail(RG_EINVAL, "Out has more variables than X");
        if (out == NULL || out == x)
            continue;
        rg_set_out_n(ctx, 0, i, x->dtype, &x->shape);
        out->kind = x->kind;
    }
    return RG_OK;
}

static rg_status sync_grad(rg_grad_ctx *ctx)
{
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "c_sync_calc_stream", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

#define SYNC(NAME, ATTRS, DOC)                                                   \
    {                                                                            \
        .type = NAME, .doc = DOC,                                                \
        .in = RG_SLOTS({"X", "variables that wait", RG_REPEATED | RG_ANY_KIND}), \
        .out = RG_SLOTS({"Out", "the same", RG_REPEATED, .inplace = RG_OF(0)}),  \
        .attr = ATTRS, .flags = RG_OP_DYNAMIC, .infer = infer_same, .kernel = pass_on, .grad = sync_grad, \
    }

const rg_op rg_ops_c_sync[] = {
    SYNC("c_sync_calc_stream", NULL,
         "Computation up to here is over before a group begins with X."),
    SYNC("c_sync_comm_stream", RG_ATTRS(RG_INT("ring_id", 0, "the group")),
         "What the group does with X is over before computation goes on."),
    {.type = NULL},
};
