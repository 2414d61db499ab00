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

typedef struct rg_device {
    const char *name;             /* as kernels name it: "cpu" */
    bool on_host;                 /* the host reads and writes its memory as it is */
    void *(*alloc)(size_t bytes); /* NULL: none is left */
    void (*free)(void *memory, size_t bytes);
    /* Between memory of this device and of the host, or within it; in the order of the stream. */
    rg_status (*copy)(void *to, bool to_host, const void *from, bool from_host, size_t bytes,
                      void *stream);
    /* Until all that was put into the stream is done. */
    rg_status (*sync)(void *stream);
    /* A queue of work; one for each plan. NULL: there are none, work is done when it is asked. */
    rg_status (*open_stream)(void **stream);
    void (*close_stream)(void *stream);
} rg_device;

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

#endif
