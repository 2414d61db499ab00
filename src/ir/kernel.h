/* kernel.h - what computes an op on a device.
 *
 * The CPU's kernel of an op is in the op's own definition. Another device's is
 * `const rg_kernel rg_kernel_NAME`, in a file of that device's folder; the build collects these as
 * it does the ops, and they are added to those known when the device is opened. An op without one
 * runs on the CPU, in the same plan. */
#ifndef RG_IR_KERNEL_H
#define RG_IR_KERNEL_H

#include "ir/op.h"
#include "tensor/device.h"

typedef rg_status (*rg_kernel_run)(rg_ctx *ctx);

enum rg_kernel_flags {
    RG_KERNEL_HOST = 1 << 0, /* needs the host each time (a number brought back, sizes that are
                              * data): it cannot be recorded and run again */
    RG_KERNEL_STEP = 1 << 1, /* reads the number of the run on the device (random ops) */
    RG_KERNEL_PADS = 1 << 2, /* does what the op's attribute `padded` says (pass/pad_rows.c) */
    /* Reads its inputs, and writes parameters and what such ops do not read, while ops of this flag
     * behind it run already: its inputs and outputs keep their memory to the end of the step, and
     * it looks itself whether those before it still write what it needs. */
    RG_KERNEL_TRAILS = 1 << 3,
};

typedef struct rg_kernel {
    const char *type;   /* of the op */
    const char *device; /* its name */
    rg_kernel_run run;
    unsigned flags;
    /* Whether it can compute this one, by the types of its variables and its attributes; asked when
     * a plan is made. NULL: yes, unless a variable is of float64, or of whole numbers of less than
     * 32 bits. */
    bool (*takes)(const struct rg_opdesc *op);
} rg_kernel;

/* More kernels, ended by NULL, which stay for the rest of the process. A list is added once. */
void rg_kernel_add(const rg_kernel *const *list);
/* NULL: this op has none there. The CPU's kernels are not asked for so. */
const rg_kernel *rg_kernel_find(const rg_op *op, const rg_device *device);
/* The same, of this op with these variables. */
const rg_kernel *rg_kernel_for(const struct rg_opdesc *op, const rg_device *device);

#endif
