/* op_send.c - what trainers tell servers: send, send_barrier, checkpoint_notify.
 *
 * The `geo_*` attributes are Regatta's own: in geo mode one send at the end of a step
 * stands for all parameters, and they say which slices there are and where. */
#include "dist/job.h"

enum { X };
enum { OUT };

static rg_status infer(rg_ctx *ctx)
{
    rg_set_control_outs(ctx, OUT);
    return RG_OK;
}

const rg_op rg_op_send = {
    .type = "send",
    .doc = "Send variables, mostly gradients, to servers.",
    .in = RG_SLOTS([X] = {"X", "what is sent",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "stands for its being sent", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS(
        RG_INT("trainer_id", 0, "which trainer sends"),
        RG_ENDPOINTS("epmap", "where each part goes"),
        RG_LIST("sections", RG_ATTR_LONGS, "rows of each part of X"),
        RG_LIST("send_varnames", RG_ATTR_STRINGS, "the parts' names on servers"),
        RG_INT("num", 0, "kept for files"),
        RG_BOOLEAN("merge_add", false, "steps not sent yet are added, not averaged"),
        RG_BOOLEAN("use_send_handler", true, "false: X is the learning rate's counter"),
        RG_LIST("geo_params", RG_ATTR_STRINGS, "geo: the parameter of each slice"),
        RG_LIST("geo_slices", RG_ATTR_STRINGS, "geo: the slices, as servers name them"),
        RG_LIST("geo_sections", RG_ATTR_LONGS, "geo: rows of each slice"),
        RG_INT("geo_push_nums", 0, "geo: steps between two pushes"),
        RG_INT("geo_trainers", 0, "geo: trainers, by which changes are divided")),
    .flags = RG_OP_EFFECT,
    .infer = infer,
    .kernel = rg_needs_job,
};

const rg_op rg_op_send_barrier = {
    .type = "send_barrier",
    .doc = "Wait until what was sent has been taken into account.",
    .in = RG_SLOTS([X] = {"X", "what stands for the sends",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "stands for the barrier", RG_REPEATED | RG_OPTIONAL}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer waits"),
                     RG_ENDPOINTS("endpoints", "the servers"),
                     RG_BOOLEAN("half_async", false, "wait for this trainer's threads only")),
    .flags = RG_OP_EFFECT,
    .infer = infer,
    .kernel = rg_needs_job,
};

static rg_status nothing_to_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_checkpoint_notify = {
    .type = "checkpoint_notify",
    .doc = "Have servers save their part of a table.",
    .in = (const rg_slot[]){{.name = NULL}},
    .out = (const rg_slot[]){{.name = NULL}},
    .attr = RG_ATTRS(RG_ENDPOINTS("epmap", "the servers"),
                     RG_REQUIRED("dir", RG_ATTR_STRING, "where, on the servers' disks"),
                     RG_REQUIRED("lookup_table", RG_ATTR_STRING, "the table"),
                     RG_INT("trainer_id", 0, "which trainer asks")),
    .flags = RG_OP_EFFECT,
    .infer = nothing_to_infer,
    .kernel = rg_needs_job,
};
