/* kernel.h - what computes an op on a device.
 *
 * The CPU's kernel of an op is in the op's own definition. Another device's is
 * `const rg_kernel rg_kernel_NAME`, in a file of that device's folder; the build collects these as
 * it does the ops. An op without one cannot run there, which is said when a plan is made. */
#ifndef RG_IR_KERNEL_H
#define RG_IR_KERNEL_H

#include "ir/op.h"
#include "tensor/device.h"

typedef rg_status (*rg_kernel_run)(rg_ctx *ctx);

typedef struct rg_kernel {
    const char *type;   /* of the op */
    const char *device; /* its name */
    rg_kernel_run run;
} rg_kernel;

/* NULL: this op cannot run there. */
rg_kernel_run rg_kernel_find(const rg_op *op, const rg_device *device);

#endif
