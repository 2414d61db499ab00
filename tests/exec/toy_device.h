/* toy_device.h - a device whose memory the host cannot read: every byte of it is inverted, and work
 * waits in a stream until someone waits for it. */
#ifndef RG_TESTS_TOY_DEVICE_H
#define RG_TESTS_TOY_DEVICE_H

#include "tensor/device.h"

typedef struct toy_stream {
    int waiting; /* kernels since the last sync */
} toy_stream;

extern const rg_device toy_device;
extern int toy_bytes, toy_syncs; /* memory that is had; syncs of streams that had work */

#endif
