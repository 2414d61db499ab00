/* Before each op_*.c of src/gpu: its stream is the emulation's, whatever device the plan is for. */
#include "gpu/gpu.h"

rg_gpu_stream *emu_stream(void);
#define rg_gpu_stream_of(ctx) ((void)(ctx), emu_stream())
