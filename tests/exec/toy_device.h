/* toy_device.h - a device that a test adds, with few kernels.
 *
 * Its memory is the host's, but its addresses are such that the host cannot use them: who takes one
 * for its own ends with a fault. What is put into a stream is done when someone waits for it, and
 * not before; and it can be recorded. */
#ifndef RG_TESTS_TOY_DEVICE_H
#define RG_TESTS_TOY_DEVICE_H

#include "ir/kernel.h"

extern const rg_device toy_device;
extern const rg_kernel *const rg_kernel_list[]; /* made by tools/gen_kernels.sh */

/* What has happened so far. */
extern struct toy_counts {
    int bytes;              /* of its memory that are in use */
    int to_device, to_host; /* copies */
    int uploads, parts;     /* feeds sent at once; copies within the device at once */
    int launches;           /* kernels put into a stream, one by one */
    int records, replays;
    int waits; /* for work that was to be done */
} toy;

#endif
