/* The emulation has products of its own (../device.c). */
#ifndef RG_EMU_CUBLASLT_H
#define RG_EMU_CUBLASLT_H
typedef void *cublasLtHandle_t;
typedef int cublasStatus_t;
enum { CUBLAS_STATUS_SUCCESS = 0 };
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
const char *cublasLtGetStatusString(cublasStatus_t status);
#endif
