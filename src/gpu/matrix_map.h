/* matrix_map.h - what the copy engine of a Hopper GPU is told of a matrix, so that it brings parts
 * of it into shared memory. */
#ifndef RG_GPU_MATRIX_MAP_H
#define RG_GPU_MATRIX_MAP_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix of floats and the parts that are brought of it, with zeros beyond its ends. turned:
 * parts are 32 columns wide, and fours of these change places by row, as warpgroups read them. */
typedef struct rg_gpu_matrix {
    const float *data;
    int64_t rows, columns;
    int part_rows, part_columns;
    bool turned;
} rg_gpu_matrix;

/* False: the driver does not do it. */
bool rg_gpu_map_matrix(CUtensorMap *map, const rg_gpu_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif
