/* dtype.c - the tables behind tensor/dtype.h. */
#include "tensor/dtype.h"

#include <stdint.h>
#include <string.h>

static const struct {
    rg_dtype dtype;
    size_t size;
    const char *name, *proto;
} types[] = {
    {RG_BOOL, 1, "bool", "BOOL"},     {RG_I16, 2, "int16", "INT16"},
    {RG_I32, 4, "int32", "INT32"},    {RG_I64, 8, "int64", "INT64"},
    {RG_F16, 2, "float16", "FP16"},   {RG_F32, 4, "float32", "FP32"},
    {RG_F64, 8, "float64", "FP64"},   {RG_SIZE_T, 8, "uint64", "SIZE_T"},
    {RG_U8, 1, "uint8", "UINT8"},     {RG_I8, 1, "int8", "INT8"},
    {RG_BF16, 2, "bfloat16", "BF16"},
};

static const struct {
    rg_kind kind;
    const char *name;
} kinds[] = {
    {RG_TENSOR, "LOD_TENSOR"},
    {RG_ROWS, "SELECTED_ROWS"},
    {RG_FEED, "FEED_MINIBATCH"},
    {RG_FETCH, "FETCH_LIST"},
    {RG_STEP_SCOPES, "STEP_SCOPES"},
    {RG_RANK_TABLE, "LOD_RANK_TABLE"},
    {RG_ARRAY, "LOD_TENSOR_ARRAY"},
    {RG_PLACE_LIST, "PLACE_LIST"},
    {RG_READER, "READER"},
    {RG_RAW, "RAW"},
    {RG_TUPLE, "TUPLE"},
};

enum { N_TYPES = sizeof types / sizeof types[0], N_KINDS = sizeof kinds / sizeof kinds[0] };

size_t rg_dtype_size(rg_dtype dtype)
{
    switch (dtype) {
    case RG_F32:
    case RG_I32:
        return 4;
    case RG_I64:
    case RG_F64:
    case RG_SIZE_T:
        return 8;
    case RG_I16:
    case RG_F16:
    case RG_BF16:
        return 2;
    case RG_BOOL:
    case RG_U8:
    case RG_I8:
        return 1;
    }
    return 0;
}

const char *rg_dtype_name(rg_dtype dtype)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == dtype)
            return types[i].name;
    return "?";
}

const char *rg_dtype_proto_name(rg_dtype dtype)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == dtype)
            return types[i].proto;
    return "?";
}

bool rg_dtype_parse(const char *name, rg_dtype *dtype)
{
    for (int i = 0; i < N_TYPES; i++)
        if (strcmp(types[i].name, name) == 0 || strcmp(types[i].proto, name) == 0) {
            *dtype = types[i].dtype;
            return true;
        }
    return false;
}

bool rg_dtype_valid(int number)
{
    return rg_dtype_size((rg_dtype)number) != 0;
}

bool rg_dtype_is_float(rg_dtype dtype)
{
    return dtype == RG_F32 || dtype == RG_F64 || dtype == RG_F16 || dtype == RG_BF16;
}

const char *rg_kind_name(rg_kind kind)
{
    for (int i = 0; i < N_KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].name;
    return "?";
}

bool rg_kind_valid(int number)
{
    for (int i = 0; i < N_KINDS; i++)
        if ((int)kinds[i].kind == number)
            return true;
    return false;
}
