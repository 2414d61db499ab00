/* device.c - GPUs as devices, and what the module shows to who loads it. */
#include "gpu/device_priv.h"

#include <string.h>

extern const rg_kernel *const rg_kernel_list[]; /* made by tools/gen_kernels.sh */

static rg_device devices[RG_GPU_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of devices */

static rg_status count(int *n)
{
    cudaError_t error = cudaGetDeviceCount(n);
    if (error == cudaErrorNoDevice) {
        (void)cudaGetLastError();
        *n = 0;
        return RG_OK;
    }
    if (error != cudaSuccess) {
        (void)rg_gpu_failed(error, "cudaGetDeviceCount");
        return RG_ENOENT;
    }
    *n = *n < RG_GPU_MAX ? *n : RG_GPU_MAX;
    return RG_OK;
}

static rg_status open_device(int number, const rg_device **out)
{
    static const rg_device model = {
        .name = "gpu",
        .alloc = rg_gpu_alloc,
        .free = rg_gpu_free,
        .copy = rg_gpu_copy,
        .sync = rg_gpu_sync,
        .open_stream = rg_gpu_open_stream,
        .close_stream = rg_gpu_close_stream,
        .begin_run = rg_gpu_begin_run,
        .next_op = rg_gpu_next_op,
        .set_step = rg_gpu_set_step,
        .complain = rg_gpu_complain,
        .copy_parts = rg_gpu_copy_parts,
        .alloc_host = rg_gpu_alloc_host,
        .free_host = rg_gpu_free_host,
        .upload = rg_gpu_upload,
        .uploaded = rg_gpu_uploaded,
        .record_begin = rg_gpu_record_begin,
        .record_end = rg_gpu_record_end,
        .replay = rg_gpu_replay,
        .drop_record = rg_gpu_drop_record,
    };
    RG_GPU_TRY(cudaSetDevice(number));
    pthread_mutex_lock(&lock);
    if (devices[number].name == NULL) {
        rg_device made = model;
        made.number = number;
        memcpy(&devices[number], &made, sizeof made);
    }
    pthread_mutex_unlock(&lock);
    *out = &devices[number];
    return RG_OK;
}

/* Found by its name (ir/gpu_module.c). */
extern const rg_gpu_module rg_gpu_back_end;
__attribute__((visibility("default"))) const rg_gpu_module rg_gpu_back_end = {
    .size = sizeof(rg_gpu_module),
    .count = count,
    .device = open_device,
    .kernels = rg_kernel_list,
};
