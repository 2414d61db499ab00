/* read.c - where a program takes its own batches: create_py_reader, create_double_buffer_reader and
 * read, as fluid.layers.py_reader, and a DataLoader that is not iterable, have them in a program.
 *
 * Batches wait in a queue that a thread of Python's fills. The executor takes the next one before a
 * run and feeds it to the outputs of `read` (python/paddle/fluid/reader_ops.py), so that these ops
 * have no kernels: in a plan they are never run. Who runs a program without Python feeds the
 * outputs of `read`. The queue is buffer enough: a double buffer in front of it would hold nothing
 * more. */
#include "ops/types.h"

static rg_status nothing(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status reader_infer(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_out(ctx, 0); i++)
        if (rg_out_meta_n(ctx, 0, i) != NULL)
            rg_out_meta_n(ctx, 0, i)->kind = RG_READER;
    return RG_OK;
}

enum {
    SHAPE_CONCAT,
    RANKS,
    LOD_LEVELS,
    DTYPES,
    NEED_CHECK_FEED,
    USE_DATA_CONFIG,
    DEVICE_INDEX,
    DEVICE_COUNT
};

const rg_op rg_op_create_py_reader = {
    .type = "create_py_reader",
    .doc = "A reader of the batches that Python puts into a queue.",
    .in = RG_SLOTS([0] = {"blocking_queue", "the queue",
                           RG_NO_GRAD | RG_ANY_KIND | RG_NOT_DESCRIBED}),
    .out = RG_SLOTS([0] = {"Out", "the reader", RG_REPEATED}),
    .attr = RG_ATTRS(
        [SHAPE_CONCAT] = RG_LIST("shape_concat", RG_ATTR_INTS, "the shapes, one after the other"),
        [RANKS] = RG_LIST("ranks", RG_ATTR_INTS, "how many of these each has"),
        [LOD_LEVELS] = RG_LIST("lod_levels", RG_ATTR_INTS, "levels of each"),
        [DTYPES] = RG_LIST("dtypes", RG_ATTR_INTS, "types of each"),
        [NEED_CHECK_FEED] = RG_LIST("need_check_feed", RG_ATTR_INTS, "1: what is fed is checked"),
        [USE_DATA_CONFIG] = RG_BOOLEAN("use_data_config", true, "kept for files"),
        [DEVICE_INDEX] = RG_INT("device_index", 0, "kept for files"),
        [DEVICE_COUNT] = RG_INT("device_count", 1, "kept for files")),
    .flags = RG_OP_HOST,
    .infer = reader_infer,
    .kernel = nothing,
};

const rg_op rg_op_create_double_buffer_reader = {
    .type = "create_double_buffer_reader",
    .doc = "The reader itself: its batches are made ahead anyway.",
    .in = RG_SLOTS([0] = {"UnderlyingReader", "a reader", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([0] = {"Out", "a reader of the same batches"}),
    .attr = RG_ATTRS([0] = RG_STRING("place", "AUTO", "kept for files")),
    .flags = RG_OP_HOST,
    .infer = reader_infer,
    .kernel = nothing,
};

enum { THROW_EOF_EXP, INFER_OUT, DROP_LAST };

const rg_op rg_op_read = {
    .type = "read",
    .doc = "The next batch of a reader.",
    .in = RG_SLOTS([0] = {"Reader", "the reader", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([0] = {"Out", "a variable for each part of a batch", RG_REPEATED}),
    .attr = RG_ATTRS(
        [THROW_EOF_EXP] = RG_BOOLEAN("throw_eof_exp", true, "EOFException after the last batch"),
        [INFER_OUT] = RG_BOOLEAN("infer_out", true, "kept for files"),
        [DROP_LAST] = RG_BOOLEAN("drop_last", true,
                                 "parallel: batches that are fewer than replicas are dropped")),
    .flags = RG_OP_HOST,
    .infer = nothing,
    .kernel = nothing,
};
