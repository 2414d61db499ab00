/* What src/gpu says of CUDA's driver: what copies are told of a matrix (gpu/matrix_map.h). */
#ifndef RG_EMU_CUDA_H
#define RG_EMU_CUDA_H
#include <stdbool.h>
#include <stdint.h>
typedef struct emu_map {
    float *data;
    int64_t rows, columns;
    int part_rows, part_columns;
    bool turned;
} CUtensorMap;
#endif
