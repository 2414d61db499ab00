/* fault.c - what a kernel found wrong, in the words of the CPU's kernels. */
#include "gpu/fault.h"

#include "gpu/gpu.h"

#include <string.h>

rg_status rg_gpu_fault_status(rg_gpu_fault *fault, const rg_ctx **ctx)
{
    rg_gpu_fault f = *fault;
    *ctx = f.ctx;
    if (f.set == 0)
        return RG_OK;
    memset(fault, 0, sizeof *fault);
    const char *name = rg_in_name(*ctx, f.slot, f.item);
    switch (f.kind) {
    case RG_FAULT_ID:
        return rg_fail(RG_EVALUE, "%s has the id %lld at element %lld, and the table has %lld rows",
                       name, (long long)f.value, (long long)f.at, (long long)f.size);
    case RG_FAULT_LABEL:
        return rg_fail(RG_EVALUE, "%s is %lld at element %lld, and must be in 0 .. %lld", name,
                       (long long)f.value, (long long)f.at, (long long)(f.size - 1));
    case RG_FAULT_PREDICTION:
        return rg_fail(RG_EVALUE, "prediction %lld of %s is %g, and must be in [0, 1]",
                       (long long)f.at, name, f.number);
    case RG_FAULT_ROW:
        return rg_fail(RG_EVALUE, "%s names row %lld of a parameter of %lld rows",
                       (*ctx)->op->in[f.slot].name, (long long)f.value, (long long)f.size);
    default:
        return rg_fail(RG_EVALUE, "%s (%s) has %lld at element %lld, and there are %lld", name,
                       (*ctx)->op->in[f.slot].name, (long long)f.value, (long long)f.at,
                       (long long)f.size);
    }
}
