/* op_listen_and_serv.c - a server's whole work: take gradients, update, hand out parameters.
 *
 * Attributes from `slices` on are Regatta's own: what the program alone does not say of
 * the variables that are parts of larger ones. docs/transpiler.md tells them one by one. */
#include "dist/job.h"
#include "dist/serve.h"
#include "exec/plan.h"

enum { X };

static rg_status infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status serve(rg_ctx *ctx)
{
    return rg_serve(ctx->desc, rg_plan_scope(ctx->run->plan));
}

const rg_op rg_op_listen_and_serv = {
    .type = "listen_and_serv",
    .doc = "Serve parameters to trainers until all of them have finished.",
    .in = RG_SLOTS([X] = {"X", "the gradients that trainers send",
                          RG_REPEATED | RG_OPTIONAL | RG_NO_GRAD | RG_UNSET_OK | RG_ANY_KIND}),
    .out = (const rg_slot[]){{.name = NULL}},
    .attr = RG_ATTRS(
        RG_STRING("endpoint", "127.0.0.1:6164", "where to listen"),
        RG_INT("pserver_id", -1, "which server this is"),
        RG_LIST("grad_to_block_id", RG_ATTR_STRINGS, "\"gradient:block that applies it\""),
        RG_INT("distributed_mode", 0, "0 sync, 1 async, 2 half_async, 3 geo"),
        RG_BOOLEAN("dc_asgd", false, "make up for the delay of gradients"),
        RG_LIST("optimize_blocks", RG_ATTR_BLOCKS, "the blocks that update parameters"),
        RG_LIST("prefetch_var_name_to_block_id", RG_ATTR_STRINGS, "kept for files"),
        RG_LIST("sparse_grad_to_param", RG_ATTR_STRINGS, "\"gradient:table\""),
        RG_INT("Fanin", 1, "how many trainers"), RG_INT("checkpint_block_id", -1, "kept for files"),
        RG_INT("lr_decay_block_id", -1, "the block that makes the learning rate; -1: none"),
        RG_INT("rpc_get_thread_num", 1, "of Paddle's servers: another than 12 is answered by a warning"),
        RG_INT("rpc_send_thread_num", 1, "the same"),
        RG_INT("rpc_prefetch_thread_num", 1, "the same"),
        RG_LIST("slices", RG_ATTR_STRINGS, "variables that are rows of a larger one"),
        RG_LIST("slice_origins", RG_ATTR_STRINGS, "of which variable each is a part"),
        RG_LIST("slice_begins", RG_ATTR_LONGS, "the first row of each"),
        RG_LIST("slice_heights", RG_ATTR_LONGS, "the rows of the whole variable"),
        RG_LIST("tables", RG_ATTR_STRINGS, "parameters whose rows come to be when first touched"),
        RG_LIST("table_grows", RG_ATTR_INTS, "1: ids may be beyond the declared height"),
        RG_LIST("table_entries", RG_ATTR_STRINGS, "which ids of each get a row; empty: all"),
        RG_INT("table_init_block_id", -1, "the block of the tables' initialisers; -1: none"),
        RG_BOOLEAN("sum_gradients", false, "sync: the sum over trainers, and not the mean")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_SERVES,
    .infer = infer,
    .kernel = serve,
};
