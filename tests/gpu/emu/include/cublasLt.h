/* The emulation has products of its own (../device.c). */
#ifndef RG_EMU_CUBLASLT_H
#define RG_EMU_CUBLASLT_H
typedef void *cublasLtHandle_t;
#endif
