/* dtype.h - element types and kinds of variables, numbered as Fluid's files do. */
#ifndef RG_TENSOR_DTYPE_H
#define RG_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rg_dtype {
    RG_BOOL = 0,
    RG_I16 = 1,
    RG_I32 = 2,
    RG_I64 = 3,
    RG_F16 = 4,
    RG_F32 = 5,
    RG_F64 = 6,
    RG_SIZE_T = 19,
    RG_U8 = 20,
    RG_I8 = 21,
    RG_BF16 = 22, /* of Paddle 2.x: 1.8.5 has none */
} rg_dtype;

/* What a variable holds. */
typedef enum rg_kind {
    RG_TENSOR = 7, /* LOD_TENSOR */
    RG_ROWS = 8,   /* SELECTED_ROWS */
    RG_FEED = 9,
    RG_FETCH = 10,
    RG_STEP_SCOPES = 11,
    RG_RANK_TABLE = 12,
    RG_ARRAY = 13, /* LOD_TENSOR_ARRAY */
    RG_PLACE_LIST = 14,
    RG_READER = 15,
    RG_RAW = 17,
    RG_TUPLE = 18,
} rg_kind;

/* 0 for what is no element type. */
size_t rg_dtype_size(rg_dtype dtype);
/* "float32", as numpy says it; "?" for what is no element type. */
const char *rg_dtype_name(rg_dtype dtype);
/* "FP32", as a printed program says it. */
const char *rg_dtype_proto_name(rg_dtype dtype);
/* By either name. */
bool rg_dtype_parse(const char *name, rg_dtype *dtype);
bool rg_dtype_valid(int number);
bool rg_dtype_is_float(rg_dtype dtype);

const char *rg_kind_name(rg_kind kind); /* "LOD_TENSOR", ... */
bool rg_kind_valid(int number);

#endif
