/* fault.h - what a kernel finds wrong in numbers that only the GPU sees: an id outside its table, a
 * label that is no class. It writes the first such thing here and passes it over; the runtime looks
 * after the step and fails with the CPU's message.
 *
 * The struct is in memory that both sides see, and all zero while nothing is wrong. */
#ifndef RG_GPU_FAULT_H
#define RG_GPU_FAULT_H

#include <stdint.h>

enum rg_gpu_fault_kind {
    RG_FAULT_ID,         /* an id outside a table of `size` rows */
    RG_FAULT_LABEL,      /* a label outside `size` classes */
    RG_FAULT_PREDICTION, /* a prediction outside [0, 1] */
    RG_FAULT_ROW,        /* a sparse gradient's row outside a parameter of `size` */
    RG_FAULT_INDEX,      /* an index outside a dimension of `size` */
};

typedef struct rg_gpu_fault {
    unsigned claimed; /* by the first that writes */
    unsigned set;     /* the rest is there */
    const void *ctx;  /* rg_ctx of the op */
    int32_t kind, slot, item;
    double number;
    int64_t value, at, size;
} rg_gpu_fault;

/* Of which op and slot a kernel speaks. */
typedef struct rg_gpu_site {
    rg_gpu_fault *fault;
    const void *ctx;
    int32_t kind, slot;
} rg_gpu_site;

#endif
