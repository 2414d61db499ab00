/* matrix_map.c - maps of matrices, by the driver, whose function is had by name. */
#include "gpu/matrix_map.h"

#include <cuda_runtime_api.h>

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* As of CUDA 12.0. The first way is there from 12.5 on, the second up to 12.9. */
static cudaError_t find_encode(void **found, enum cudaDriverEntryPointQueryResult *how)
{
#if CUDART_VERSION >= 12050
    return cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", found, 12000,
                                            cudaEnableDefault, how);
#else
    return cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", found, cudaEnableDefault, how);
#endif
}

static encode_tiled get_encode(void)
{
    static encode_tiled encode;
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult how;
    if (encode == NULL && find_encode(&found, &how) == cudaSuccess &&
        how == cudaDriverEntryPointSuccess)
        *(void **)&encode = found;
    return encode;
}

bool rg_gpu_map_matrix(CUtensorMap *map, const rg_gpu_matrix *m)
{
    encode_tiled encode = get_encode();
    cuuint64_t size[2] = {(cuuint64_t)m->columns, (cuuint64_t)m->rows},
               stride[1] = {(cuuint64_t)m->columns * sizeof *m->data};
    cuuint32_t part[2] = {(cuuint32_t)m->part_columns, (cuuint32_t)m->part_rows}, apart[2] = {1, 1};
    return encode != NULL &&
           encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)m->data, size, stride, part,
                  apart, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  m->turned ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
