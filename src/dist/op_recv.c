/* op_recv.c - what trainers get from servers: recv, fetch_barrier, recv_save. */
#include "dist/job.h"

enum { X };
enum { OUT };

/* Out is what the program declares it to be: parameters and slices of them. */
static rg_status as_declared(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_recv = {
    .type = "recv",
    .doc = "Get variables, mostly parameters or slices of them, from servers.",
    .in = RG_SLOTS([X] = {"X", "what has to be over first",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the variables", RG_REPEATED}),
    .attr = RG_ATTRS(RG_LIST("epmap", RG_ATTR_STRINGS, "where each part comes from"),
                     RG_INT("trainer_id", 0, "which trainer asks"),
                     RG_BOOLEAN("with_barrier", true, "after the step that is being made"),
                     RG_LIST("varnames", RG_ATTR_STRINGS, "their names on servers, if others"),
                     RG_LIST("recv_varnames", RG_ATTR_STRINGS, "the parts' names on servers"),
                     RG_INT("do_not_run", 0, "1: the communicator gets them")),
    .flags = RG_OP_EFFECT | RG_OP_DYNAMIC,
    .infer = as_declared,
    .kernel = rg_needs_job,
};

/* In a step Out names what was received, in a startup program a control variable. */
static rg_status fetch_barrier_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_fetch_barrier = {
    .type = "fetch_barrier",
    .doc = "Tell servers that this trainer has all it asked for.",
    .in = RG_SLOTS([X] = {"X", "what has to be over first",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what was received", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer tells"),
                     RG_ENDPOINTS("endpoints", "the servers")),
    .flags = RG_OP_EFFECT | RG_OP_DYNAMIC,
    .infer = fetch_barrier_infer,
    .kernel = rg_needs_job,
};

const rg_op rg_op_recv_save = {
    .type = "recv_save",
    .doc = "Get the slices of a variable from servers and save it whole.",
    .in = (const rg_slot[]){{.name = NULL}},
    .out = (const rg_slot[]){{.name = NULL}},
    .attr = RG_ATTRS(RG_INT("dtype", RG_F32, "the variable's"),
                     RG_BOOLEAN("overwrite", true, "false: fail where the file exists"),
                     RG_REQUIRED("file_path", RG_ATTR_STRING, "the file"),
                     RG_LIST("shape", RG_ATTR_LONGS, "of the whole variable"),
                     RG_LIST("slice_varnames", RG_ATTR_STRINGS, "the slices"),
                     RG_LIST("remote_varnames", RG_ATTR_STRINGS, "the slices as servers name them"),
                     RG_LIST("slice_shapes", RG_ATTR_STRINGS, "\"4,8\" each"),
                     RG_LIST("endpoints", RG_ATTR_STRINGS, "where each slice is"),
                     RG_INT("trainer_id", 0, "which trainer saves")),
    .flags = RG_OP_EFFECT,
    .infer = as_declared,
    .kernel = rg_needs_job,
};
