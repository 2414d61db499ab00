/* device.h - where the bytes of tensors are, and who moves them.
 *
 * A storage belongs to a device, which gave it its memory. The CPU is the first; another one is a
 * table like this, with kernels beside it (ir/kernel.h). Ops reach the bytes of their own device as
 * they are, through value->data; everyone else asks rg_host_data(), which brings them where they
 * are elsewhere. */
#ifndef RG_TENSOR_DEVICE_H
#define RG_TENSOR_DEVICE_H

#include "base/status.h"
#include "tensor/value.h"

typedef struct rg_device rg_device;
struct rg_ctx;

/* One of several copies within a device. */
typedef struct rg_move {
    void *to;
    const void *from;
    size_t bytes;
} rg_move;

/* What follows the streams may be NULL: then the plan does without. */
struct rg_device {
    const char *name; /* as kernels name it: "cpu" */
    int number;       /* of several of a kind */
    bool on_host;     /* the host reads and writes its memory as it is */
    void *(*alloc)(const rg_device *device, size_t bytes); /* NULL: none is left */
    void (*free)(const rg_device *device, void *memory, size_t bytes);
    /* Between memory of this device and of the host, or within it; in the order of the stream. From
     * the host: the bytes may be written over when it returns. Stream NULL: after all that was put
     * into any. */
    rg_status (*copy)(const rg_device *device, void *to, bool to_host, const void *from,
                      bool from_host, size_t bytes, void *stream);
    /* Until all that was put into the stream (NULL: into any) is done. */
    rg_status (*sync)(const rg_device *device, void *stream);
    /* A queue of work; one for each plan. NULL: there are none, work is done when it is asked. */
    rg_status (*open_stream)(const rg_device *device, void **stream);
    void (*close_stream)(void *stream);

    /* A run begins: what was put into other streams before comes before it, as another plan may
     * have written what this one reads. */
    rg_status (*begin_run)(void *stream);
    /* Another op comes next, by a kernel of these flags: the scratch of those before is free again.
     */
    void (*next_op)(void *stream, unsigned flags);
    /* The number of the run, for kernels that read it on the device (RG_KERNEL_STEP). */
    rg_status (*set_step)(void *stream, uint64_t step);
    /* A kernel has found a value that it cannot take: RG_EVALUE, and the context of its op. It
     * waits for nothing: it may be said a run late. */
    rg_status (*complain)(void *stream, const struct rg_ctx **ctx);

    /* Many copies within the device as one piece of work. */
    rg_status (*copy_parts)(void *stream, const rg_move *parts, int n);
    /* Memory of the host from which copies go beside the computing. */
    void *(*alloc_host)(const rg_device *device, size_t bytes);
    void (*free_host)(const rg_device *device, void *memory);
    /* Bytes of such memory, for what is put into the stream from now on. `turn` is 0 or 1: the
     * bytes given with it may be written over once uploaded() has returned for it. */
    rg_status (*upload)(void *stream, int turn, void *to, const void *from, size_t bytes);
    rg_status (*uploaded)(void *stream, int turn);

    /* What is put into the stream between the two is not done but recorded, to be done by each
     * replay(). record_end() ends it in any case; no record where that fails. */
    rg_status (*record_begin)(void *stream);
    rg_status (*record_end)(void *stream, void **record);
    rg_status (*replay)(void *stream, void *record);
    void (*drop_record)(void *record);
};

extern const rg_device rg_cpu;

/* Where a value's memory is, or will be had; NULL in a value means the CPU. */
static inline const rg_device *rg_device_of(const rg_value *value)
{
    return value->device ? value->device : &rg_cpu;
}

/* From now on its memory is had there; what it held elsewhere is dropped. */
void rg_value_place(rg_value *value, const rg_device *device);

/* The same, and the bytes that it held go with it. */
rg_status rg_value_move(rg_value *value, const rg_device *device);

/* The bytes of a tensor, for the host to read; borrowed until the value changes or is asked again.
 * NULL where it has none, or they could not be brought: then the message says why. */
const void *rg_host_data(const rg_value *value);
/* Fill a value that has memory for so many bytes, from the offset on. */
rg_status rg_host_write(rg_value *value, size_t offset, const void *from, size_t bytes);
/* The bytes of one value into another of the same size, wherever they are. */
rg_status rg_device_copy(rg_value *to, const rg_value *from, size_t bytes);
/* The row numbers of RG_ROWS likewise; there is room for them. */
rg_status rg_device_copy_rows(rg_value *to, const rg_value *from);

#endif
