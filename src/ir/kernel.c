/* kernel.c - finding the kernel of an op on a device. */
#include "ir/kernel.h"

#include <string.h>

extern const rg_kernel *const rg_kernel_list[]; /* made by tools/gen_kernels.sh; ended by NULL */

rg_kernel_run rg_kernel_find(const rg_op *op, const rg_device *device)
{
    if (device == &rg_cpu)
        return op->kernel;
    for (const rg_kernel *const *k = rg_kernel_list; *k != NULL; k++)
        if (strcmp((*k)->type, op->type) == 0 && strcmp((*k)->device, device->name) == 0)
            return (*k)->run;
    return NULL;
}
