/* side.h - work of an op that may run beside that of the ops behind it. */
#ifndef RG_GPU_SIDE_H
#define RG_GPU_SIDE_H

#include "gpu/gpu.h"

/* `branch` becomes a stream that begins after all that is in `stream`, with a workspace and
 * counters of its own. What is put there runs, in a recorded step, beside what comes next in
 * `stream`, until an op comes that is not of flag RG_KERNEL_TRAILS, or asks for what is written
 * there, or the recording ends; scratch stays until then. Where nothing is recorded, or there was
 * no memory for it, `branch` is `stream`. `writes` is what ops behind it may read or write. */
void rg_gpu_trail(rg_gpu_stream *stream, const void *writes, rg_gpu_stream *branch);
/* Whether what is put into branches of it will run beside, once steps are recorded. */
bool rg_gpu_has_branches(rg_gpu_stream *stream);
/* Ends the branch; with `of`, only where it writes that. */
rg_status rg_gpu_meet(rg_gpu_stream *stream, const void *of);
/* With the stream: what its branches had. */
void rg_gpu_close_side(rg_gpu_stream *stream);

#endif
