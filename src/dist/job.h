/* job.h - what the communication ops share. */
#ifndef RG_DIST_JOB_H
#define RG_DIST_JOB_H

#include "ir/op.h"

/* Endpoints as these ops' attributes list them, with the default of the file format. */
#define RG_ENDPOINTS(NAME, DOC)                                        \
    {                                                                  \
        .value = {.name = (NAME),                                      \
                  .type = RG_ATTR_STRINGS,                             \
                  .n = 1,                                              \
                  .strings = (const char *const[]){"127.0.0.1:6164"}}, \
        .doc = (DOC)                                                   \
    }

/* RG_EINVAL: the op talks to servers, and this process has joined no job. */
static inline rg_status rg_needs_job(rg_ctx *ctx)
{
    return rg_fail(RG_EINVAL,
                   "op %s needs a running job: programs made by DistributeTranspiler run on "
                   "trainers and servers that a launcher has started",
                   ctx->op->type);
}

/* Names for the order of ops, not data: every output an empty bool. */
static inline void rg_set_control_outs(rg_ctx *ctx, int out)
{
    rg_shape none = {.rank = 0};
    for (int i = 0; !rg_running(ctx) && i < rg_n_out(ctx, out); i++)
        rg_set_out_n(ctx, out, i, RG_BOOL, &none);
}

#endif
