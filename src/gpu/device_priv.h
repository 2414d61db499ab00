/* device_priv.h - the inside of a GPU as a device: its memory, its streams, its graphs. */
#ifndef RG_GPU_DEVICE_PRIV_H
#define RG_GPU_DEVICE_PRIV_H

#include "gpu/fault.h"
#include "gpu/gpu.h"
#include "gpu/launch.h"
#include "gpu/parts.h"

#include <pthread.h>

enum { RG_GPU_TURNS = 2, RG_GPU_CONSTANTS = 256, RG_GPU_TRAILS = 16 };

/* Bytes that are on the GPU, and the host's copy to know them by. */
typedef struct rg_gpu_bytes {
    uint64_t hash;
    void *host, *data;
    size_t bytes;
    bool is_recorded; /* a graph has its address: it stays */
} rg_gpu_bytes;

/* A piece of scratch memory. Those that became too small stay: a graph may have their address. */
typedef struct rg_gpu_piece {
    struct rg_gpu_piece *next;
    uint8_t *data;
    size_t bytes, used;
} rg_gpu_piece;

/* A block of bytes on its way to the GPU. */
typedef struct rg_gpu_turn {
    void *incoming;
    size_t bytes;
    cudaEvent_t copied, taken;
    bool is_used;
} rg_gpu_turn;

/* Work beside the stream (side.h): what it writes. */
typedef struct rg_gpu_trails {
    const void *writes[RG_GPU_TRAILS];
    int n;
    bool is_forked;
} rg_gpu_trails;

/* What such work has for itself; made when some is first asked for, before steps are recorded. */
typedef struct rg_gpu_side {
    cudaStream_t cuda;
    cudaEvent_t forked, joined;
    void *workspace;
    unsigned *counters;
    bool is_open, failed; /* failed: it is not tried again */
} rg_gpu_side;

typedef struct rg_gpu_inside {
    const rg_device *device;
    uint64_t *step;
    cudaEvent_t handed_on; /* to the stream that runs next */
    rg_gpu_piece *scratch;
    cudaStream_t copies;
    rg_gpu_turn turn[RG_GPU_TURNS];
    rg_gpu_bytes constants[RG_GPU_CONSTANTS];
    int n_constants, next_constant;
    bool is_recording;
    rg_gpu_trails trails;
    rg_gpu_side side;
    /* Copies that were asked for and are not put into the stream yet: the recorded step that comes
     * next makes them itself, which is quicker than a launch before it (graph.c). */
    rg_gpu_parts waiting;
} rg_gpu_inside;

/* Held while a step is recorded, and by whoever waits for the whole GPU meanwhile, which would end
 * the recording. The same thread may take it again. */
extern pthread_mutex_t rg_gpu_quiet;

/* memory.c */
void *rg_gpu_alloc(const rg_device *device, size_t bytes);
void rg_gpu_free(const rg_device *device, void *memory, size_t bytes);
void *rg_gpu_alloc_host(const rg_device *device, size_t bytes);
void rg_gpu_free_host(const rg_device *device, void *memory);
rg_status rg_gpu_copy(const rg_device *device, void *to, bool to_host, const void *from,
                      bool from_host, size_t bytes, void *stream);
rg_status rg_gpu_sync(const rg_device *device, void *stream);

/* stream.c */
rg_status rg_gpu_open_stream(const rg_device *device, void **stream);
void rg_gpu_close_stream(void *stream);
rg_status rg_gpu_begin_run(void *stream);
void rg_gpu_next_op(void *stream, unsigned flags);
rg_status rg_gpu_set_step(void *stream, uint64_t step);
rg_status rg_gpu_complain(void *stream, const rg_ctx **ctx);
rg_status rg_gpu_copy_parts(void *stream, const rg_move *parts, int n);
/* Copies that wait are made; before anything else is put into the stream. */
rg_status rg_gpu_make_copies(rg_gpu_stream *stream);
rg_status rg_gpu_upload(void *stream, int turn, void *to, const void *from, size_t bytes);
rg_status rg_gpu_uploaded(void *stream, int turn);

/* graph.c */
rg_status rg_gpu_record_begin(void *stream);
rg_status rg_gpu_record_end(void *stream, void **record);
rg_status rg_gpu_replay(void *stream, void *record);
void rg_gpu_drop_record(void *record);

#endif
