/* What src/gpu says of CUDA's runtime, over the memory of the host: see ../emu.h. */
#ifndef RG_EMU_CUDA_RUNTIME_API_H
#define RG_EMU_CUDA_RUNTIME_API_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int cudaError_t;
typedef struct emu_stream *cudaStream_t;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaGetLastError(void);
#ifdef __cplusplus
}
#endif
#endif
