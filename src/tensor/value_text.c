/* value_text.c - a tensor as Fluid prints it. */
#include "tensor/value_text.h"

#include "base/bf16.h"
#include "base/half.h"

#include <inttypes.h>

static const char *cpp_name(rg_dtype dtype)
{
    switch (dtype) {
    case RG_F32:
        return "float";
    case RG_F64:
        return "double";
    case RG_I32:
        return "int";
    case RG_I64:
        return "int64_t";
    case RG_I16:
        return "int16_t";
    case RG_I8:
        return "int8_t";
    case RG_U8:
        return "uint8_t";
    case RG_SIZE_T:
        return "size_t";
    case RG_BF16:
        return "::paddle::platform::bfloat16";
    case RG_F16:
        return "::paddle::platform::float16";
    default:
        return rg_dtype_name(dtype);
    }
}

static void add_element(rg_buf *text, const rg_value *value, int64_t i)
{
    const void *data = value->data;
    float half;
    switch (value->meta.dtype) {
    case RG_F32:
        rg_buf_printf(text, "%g", (double)((const float *)data)[i]);
        break;
    case RG_F64:
        rg_buf_printf(text, "%g", ((const double *)data)[i]);
        break;
    case RG_F16:
        rg_half_to_floats(&half, (const uint16_t *)data + i, 1);
        rg_buf_printf(text, "%g", (double)half);
        break;
    case RG_BF16:
        rg_buf_printf(text, "%g", (double)rg_bf16_float(((const uint16_t *)data)[i]));
        break;
    case RG_I32:
        rg_buf_printf(text, "%" PRId32, ((const int32_t *)data)[i]);
        break;
    case RG_I64:
        rg_buf_printf(text, "%" PRId64, ((const int64_t *)data)[i]);
        break;
    case RG_SIZE_T:
        rg_buf_printf(text, "%" PRIu64, ((const uint64_t *)data)[i]);
        break;
    case RG_I16:
        rg_buf_printf(text, "%d", ((const int16_t *)data)[i]);
        break;
    case RG_I8: /* as numbers; Paddle writes them as characters */
        rg_buf_printf(text, "%d", ((const int8_t *)data)[i]);
        break;
    default:
        rg_buf_printf(text, "%u", ((const uint8_t *)data)[i]);
    }
}

static void add_lod(rg_buf *text, const rg_lod *lod)
{
    rg_buf_text(text, "lod: {");
    for (int level = 0; lod != NULL && level < lod->levels; level++) {
        for (size_t i = 0; i < lod->count[level]; i++)
            rg_buf_printf(text, "%s%" PRId64, i == 0 ? "{" : ", ", lod->offset[level][i]);
        rg_buf_text(text, "}");
    }
    rg_buf_text(text, "}\n");
}

void rg_value_write_text(rg_buf *text, const rg_value *value)
{
    const rg_shape *shape = &value->meta.shape;
    add_lod(text, value->meta.lod);
    rg_buf_text(text, "\tdim: ");
    for (int i = 0; i < shape->rank; i++)
        rg_buf_printf(text, "%s%" PRId64, i == 0 ? "" : ", ", shape->dim[i]);
    rg_buf_printf(text, "\n\tlayout: NCHW\n\tdtype: %s\n\tdata: ", cpp_name(value->meta.dtype));
    if (value->meta.kind != RG_TENSOR || value->data == NULL) {
        rg_buf_text(text, "none yet\n");
        return;
    }
    for (int64_t i = 0, n = rg_numel(value); i < n; i++) {
        rg_buf_char(text, i == 0 ? '[' : ' ');
        add_element(text, value, i);
    }
    rg_buf_text(text, rg_numel(value) == 0 ? "[]\n" : "]\n");
}
