/* lines.c - fetched variables as lines. */
#include "train/lines_priv.h"

#include "base/buf.h"
#include "sys/log.h"

#include <string.h>

static void print_lod(rg_buf *text, const rg_lod *lod)
{
    rg_buf_text(text, "{");
    for (int level = 0; lod != NULL && level < lod->levels; level++) {
        rg_buf_text(text, level > 0 ? ", {" : "{");
        for (size_t i = 0; i < lod->count[level]; i++)
            rg_buf_printf(text, "%s%lld", i > 0 ? ", " : "", (long long)lod->offset[level][i]);
        rg_buf_text(text, "}");
    }
    rg_buf_text(text, "}");
}

static void print_number(rg_buf *text, const rg_value *value, int64_t i)
{
    switch (value->meta.dtype) {
    case RG_F32:
        rg_buf_printf(text, "%g", (double)((const float *)value->data)[i]);
        break;
    case RG_F64:
        rg_buf_printf(text, "%g", ((const double *)value->data)[i]);
        break;
    case RG_I32:
        rg_buf_printf(text, "%d", ((const int32_t *)value->data)[i]);
        break;
    case RG_I64:
        rg_buf_printf(text, "%lld", (long long)((const int64_t *)value->data)[i]);
        break;
    default:
        rg_buf_printf(text, "%d", ((const uint8_t *)value->data)[i]);
    }
}

static const char *type_name(rg_dtype dtype)
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
    default:
        return rg_dtype_name(dtype);
    }
}

rg_status rg_print_fetch(const char *info, const char *name, const rg_value *value)
{
    rg_buf text;
    rg_buf_init(&text, 64 << 20);
    rg_buf_printf(&text, "%s\t%s\t\tlod: ", info, name);
    print_lod(&text, value->meta.lod);
    rg_buf_text(&text, "\n\tdim: ");
    for (int i = 0; i < value->meta.shape.rank; i++)
        rg_buf_printf(&text, "%s%lld", i > 0 ? ", " : "", (long long)value->meta.shape.dim[i]);
    rg_buf_printf(&text, "\n\tlayout: NCHW\n\tdtype: %s\n\tdata: [", type_name(value->meta.dtype));
    int64_t n = value->meta.kind == RG_TENSOR && value->data != NULL ? rg_numel(value) : 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0)
            rg_buf_text(&text, " ");
        print_number(&text, value, i);
    }
    rg_buf_text(&text, "]\n\t\n");
    rg_say(rg_buf_cstr(&text), strlen(rg_buf_cstr(&text)));
    rg_buf_fini(&text);
    return RG_OK;
}
