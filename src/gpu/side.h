/* side.h - work of an op that may run beside its other work. */
#ifndef RG_GPU_SIDE_H
#define RG_GPU_SIDE_H

#include "gpu/gpu.h"

/* `branch` becomes a stream that begins after all that is in `stream`, with a workspace of its own
 * and the same counters: kernels that use these belong into one of the two. False: there is none,
 * and all must go into `stream`. What was forked is joined before the op returns. */
bool rg_gpu_fork(const rg_gpu_stream *stream, rg_gpu_stream *branch);
rg_status rg_gpu_join(const rg_gpu_stream *stream, const rg_gpu_stream *branch);

#endif
