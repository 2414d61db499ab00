/* text.c - programs as real Paddle prints them: protobuf's text form. */
#include "ir/program.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 4))) static void line(rg_buf *text, int indent, const char *fmt,
                                                       ...)
{
    char row[4096];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(row, sizeof row, fmt, args);
    va_end(args);
    rg_buf_printf(text, "%*s%s\n", indent, "", row);
}

static void string_line(rg_buf *text, int indent, const char *field, const char *value)
{
    rg_buf_printf(text, "%*s%s: \"", indent, "", field);
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0'; c++) {
        if (*c == '\n')
            rg_buf_text(text, "\\n");
        else if (*c == '"' || *c == '\\' || *c == '\'')
            rg_buf_printf(text, "\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f)
            rg_buf_printf(text, "\\%03o", *c);
        else
            rg_buf_char(text, (char)*c);
    }
    rg_buf_text(text, "\"\n");
}

/* The shortest text that reads back as the same float. */
static void float_line(rg_buf *text, int indent, const char *field, float value)
{
    char shortest[64];
    if (isnan(value) || isinf(value)) {
        line(text, indent, "%s: %s", field, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 6; digits <= 9; digits++) {
        (void)snprintf(shortest, sizeof shortest, "%.*g", digits, (double)value);
        if (strtof(shortest, NULL) == value)
            break;
    }
    bool whole = true;
    for (const char *c = shortest; *c != '\0'; c++)
        whole = whole && (isdigit((unsigned char)*c) || *c == '-');
    line(text, indent, "%s: %s%s", field, shortest, whole ? ".0" : "");
}

static void tensor_text(const rg_meta *meta, rg_buf *text, int indent)
{
    line(text, indent, "data_type: %s", rg_dtype_proto_name(meta->dtype));
    for (int i = 0; i < meta->shape.rank; i++)
        line(text, indent, "dims: %lld", (long long)meta->shape.dim[i]);
}

static void lod_tensor_text(const rg_meta *meta, const char *field, rg_buf *text, int indent)
{
    line(text, indent, "%s {", field);
    line(text, indent + 2, "tensor {");
    tensor_text(meta, text, indent + 4);
    line(text, indent + 2, "}");
    line(text, indent + 2, "lod_level: %d", meta->lod_level);
    line(text, indent, "}");
}

void rg_vardesc_text(const rg_vardesc *var, rg_buf *text, int indent)
{
    string_line(text, indent, "name", var->name);
    line(text, indent, "type {");
    line(text, indent + 2, "type: %s", rg_kind_name(var->meta.kind));
    if (var->meta.kind == RG_TENSOR) {
        lod_tensor_text(&var->meta, "lod_tensor", text, indent + 2);
    } else if (var->meta.kind == RG_ARRAY) {
        lod_tensor_text(&var->meta, "tensor_array", text, indent + 2);
    } else if (var->meta.kind == RG_ROWS) {
        line(text, indent + 2, "selected_rows {");
        tensor_text(&var->meta, text, indent + 4);
        line(text, indent + 2, "}");
    } else if (var->meta.kind == RG_READER && var->n_reader > 0) {
        line(text, indent + 2, "reader {");
        for (size_t i = 0; i < var->n_reader; i++)
            lod_tensor_text(&var->reader[i], "lod_tensor", text, indent + 4);
        line(text, indent + 2, "}");
    }
    line(text, indent, "}");
    line(text, indent, "persistable: %s", var->persistable ? "true" : "false");
    if (var->need_check_feed)
        line(text, indent, "need_check_feed: true");
}

static void args_text(const rg_args *args, int n, const char *field, rg_buf *text, int indent)
{
    for (int i = 0; i < n; i++) {
        line(text, indent, "%s {", field);
        string_line(text, indent + 2, "parameter", args[i].slot);
        for (int k = 0; k < args[i].n; k++)
            string_line(text, indent + 2, "arguments", args[i].names[k]);
        line(text, indent, "}");
    }
}

static void attr_text(const rg_attr *attr, rg_buf *text, int indent)
{
    line(text, indent, "attrs {");
    indent += 2;
    string_line(text, indent, "name", attr->name);
    line(text, indent, "type: %s", rg_attr_type_name(attr->type));
    switch (attr->type) {
    case RG_ATTR_INT:
        line(text, indent, "i: %d", attr->i);
        break;
    case RG_ATTR_FLOAT:
        float_line(text, indent, "f", attr->f);
        break;
    case RG_ATTR_STRING:
        string_line(text, indent, "s", attr->s);
        break;
    case RG_ATTR_BOOL:
        line(text, indent, "b: %s", attr->b ? "true" : "false");
        break;
    case RG_ATTR_BLOCK:
        line(text, indent, "block_idx: %d", attr->i);
        break;
    case RG_ATTR_LONG:
        line(text, indent, "l: %lld", (long long)attr->l);
        break;
    case RG_ATTR_INTS:
    case RG_ATTR_FLOATS:
    case RG_ATTR_STRINGS:
    case RG_ATTR_BOOLS:
    case RG_ATTR_BLOCKS:
    case RG_ATTR_LONGS:
        for (int i = 0; i < attr->n; i++) {
            if (attr->type == RG_ATTR_INTS)
                line(text, indent, "ints: %d", attr->ints[i]);
            else if (attr->type == RG_ATTR_FLOATS)
                float_line(text, indent, "floats", attr->floats[i]);
            else if (attr->type == RG_ATTR_STRINGS)
                string_line(text, indent, "strings", attr->strings[i]);
            else if (attr->type == RG_ATTR_BOOLS)
                line(text, indent, "bools: %s", attr->bools[i] ? "true" : "false");
            else if (attr->type == RG_ATTR_BLOCKS)
                line(text, indent, "blocks_idx: %d", attr->ints[i]);
            else
                line(text, indent, "longs: %lld", (long long)attr->longs[i]);
        }
        break;
    }
    line(text, indent - 2, "}");
}

void rg_opdesc_text(const rg_opdesc *op, rg_buf *text, int indent)
{
    args_text(op->in, op->n_in, "inputs", text, indent);
    args_text(op->out, op->n_out, "outputs", text, indent);
    string_line(text, indent, "type", op->type);
    for (int i = 0; i < op->n_attrs; i++)
        attr_text(&op->attrs[i], text, indent);
    if (op->is_target)
        line(text, indent, "is_target: true");
}

void rg_block_text(const rg_block *block, rg_buf *text, int indent)
{
    line(text, indent, "idx: %d", block->idx);
    line(text, indent, "parent_idx: %d", block->parent_idx);
    for (size_t i = 0; i < block->vars.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&block->vars, i);
        if (e == NULL)
            continue;
        line(text, indent, "vars {");
        rg_vardesc_text(e->value, text, indent + 2);
        line(text, indent, "}");
    }
    for (size_t i = 0; i < block->n_ops; i++) {
        line(text, indent, "ops {");
        rg_opdesc_text(block->ops[i], text, indent + 2);
        line(text, indent, "}");
    }
    if (block->forward_idx >= 0)
        line(text, indent, "forward_block_idx: %d", block->forward_idx);
}

void rg_program_text(const rg_program *program, rg_buf *text)
{
    for (size_t i = 0; i < program->n_blocks; i++) {
        line(text, 0, "blocks {");
        rg_block_text(program->blocks[i], text, 2);
        line(text, 0, "}");
    }
    line(text, 0, "version {");
    line(text, 2, "version: %lld",
         (long long)(program->has_file_version ? program->file_version : 1008005));
    line(text, 0, "}");
}
