/* gpu_module.h - the CUDA back end, loaded when a GPU is first asked for.
 *
 * It is a library of its own, libregatta_cuda.so, in the folder of the library (or of the Python
 * extension, or of the command) that loads it: these need no CUDA themselves. */
#ifndef RG_IR_GPU_MODULE_H
#define RG_IR_GPU_MODULE_H

#include "ir/kernel.h"

/* What the module has under the name `rg_gpu_back_end`. */
typedef struct rg_gpu_module {
    unsigned size; /* of this struct, by which a module of another build is known */
    /* How many GPUs there are; RG_ENOENT: no driver. */
    rg_status (*count)(int *n);
    rg_status (*device)(int number, const rg_device **device);
    const rg_kernel *const *kernels;
} rg_gpu_module;

/* GPUs that can be used; 0 where there is no module or no driver. */
int rg_gpu_count(void);
/* GPU number n as a device, the same each time. RG_ENOENT says what to install or to set. */
rg_status rg_gpu_open(int number, const rg_device **device);

#endif
