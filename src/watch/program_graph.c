/* program_graph.c - a program as JSON. */
#include "watch/program_graph.h"

#include "base/json.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/log.h"
#include "sys/metrics.h"
#include "watch/sampler.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_ITEMS = 16, MOST_TEXT = 200 }; /* of an attribute */

static void add_args(rg_buf *out, const char *key, const rg_args *slots, int n)
{
    rg_buf_printf(out, ",\"%s\":{", key);
    for (int i = 0; i < n; i++) {
        rg_buf_text(out, i > 0 ? "," : "");
        rg_json_string(out, slots[i].slot);
        rg_buf_text(out, ":[");
        for (int k = 0; k < slots[i].n; k++) {
            rg_buf_text(out, k > 0 ? "," : "");
            rg_json_string(out, slots[i].names[k]);
        }
        rg_buf_char(out, ']');
    }
    rg_buf_char(out, '}');
}

static bool is_list(const rg_attr *attr)
{
    return attr->type == RG_ATTR_INTS || attr->type == RG_ATTR_FLOATS ||
           attr->type == RG_ATTR_STRINGS || attr->type == RG_ATTR_BOOLS ||
           attr->type == RG_ATTR_BLOCKS || attr->type == RG_ATTR_LONGS;
}

/* Those of all ops (roles, where it was made) are not of its mathematics. */
static bool is_shown(const rg_attr *attr)
{
    return strncmp(attr->name, "op_", 3) != 0 && (!is_list(attr) || attr->n <= MOST_ITEMS) &&
           (attr->type != RG_ATTR_STRING || strlen(attr->s) <= MOST_TEXT);
}

static void add_item(rg_buf *out, const rg_attr *attr, int i)
{
    switch (attr->type) {
    case RG_ATTR_INTS:
    case RG_ATTR_BLOCKS:
        rg_json_number(out, attr->ints[i]);
        break;
    case RG_ATTR_FLOATS:
        rg_json_number(out, (double)attr->floats[i]);
        break;
    case RG_ATTR_STRINGS:
        rg_json_string(out, attr->strings[i]);
        break;
    case RG_ATTR_BOOLS:
        rg_buf_text(out, attr->bools[i] ? "true" : "false");
        break;
    case RG_ATTR_LONGS:
        rg_buf_printf(out, "%lld", (long long)attr->longs[i]);
        break;
    case RG_ATTR_INT:
    case RG_ATTR_FLOAT:
    case RG_ATTR_STRING:
    case RG_ATTR_BOOL:
    case RG_ATTR_BLOCK:
    case RG_ATTR_LONG:
        break;
    }
}

static void add_attr(rg_buf *out, const rg_attr *attr)
{
    rg_json_string(out, attr->name);
    rg_buf_char(out, ':');
    if (attr->type == RG_ATTR_INT || attr->type == RG_ATTR_BLOCK)
        rg_json_number(out, attr->i);
    else if (attr->type == RG_ATTR_LONG)
        rg_buf_printf(out, "%lld", (long long)attr->l);
    else if (attr->type == RG_ATTR_FLOAT)
        rg_json_number(out, (double)attr->f);
    else if (attr->type == RG_ATTR_STRING)
        rg_json_string(out, attr->s);
    else if (attr->type == RG_ATTR_BOOL)
        rg_buf_text(out, attr->b ? "true" : "false");
    else {
        rg_buf_char(out, '[');
        for (int i = 0; i < attr->n; i++) {
            rg_buf_text(out, i > 0 ? "," : "");
            add_item(out, attr, i);
        }
        rg_buf_char(out, ']');
    }
}

static void add_op(rg_buf *out, const rg_opdesc *op)
{
    const char *where = rg_opdesc_where(op);
    int shown = 0;
    rg_buf_text(out, "{\"type\":");
    rg_json_string(out, op->type);
    add_args(out, "inputs", op->in, op->n_in);
    add_args(out, "outputs", op->out, op->n_out);
    rg_buf_text(out, ",\"attrs\":{");
    for (int i = 0; i < op->n_attrs; i++)
        if (is_shown(&op->attrs[i])) {
            rg_buf_text(out, shown++ > 0 ? "," : "");
            add_attr(out, &op->attrs[i]);
        }
    rg_buf_char(out, '}');
    int role = rg_opdesc_role(op);
    if (role != RG_ROLE_NOT_SPECIFIED)
        rg_buf_printf(out, ",\"role\":%d", role);
    if (where != NULL) {
        rg_buf_text(out, ",\"where\":");
        rg_json_string(out, where);
    }
    rg_buf_char(out, '}');
}

static void add_var(rg_buf *out, const rg_vardesc *var)
{
    rg_json_string(out, var->name);
    rg_buf_text(out, ":{\"shape\":[");
    for (int i = 0; i < var->meta.shape.rank; i++)
        rg_buf_printf(out, "%s%lld", i > 0 ? "," : "", (long long)var->meta.shape.dim[i]);
    rg_buf_printf(out, "],\"dtype\":\"%s\",\"persistable\":%s}", rg_dtype_name(var->meta.dtype),
                  var->persistable ? "true" : "false");
}

static void add_block(rg_buf *out, const rg_block *block)
{
    int shown = 0;
    rg_buf_text(out, "{\"ops\":[");
    for (size_t i = 0; i < block->n_ops; i++) {
        rg_buf_text(out, i > 0 ? "," : "");
        add_op(out, block->ops[i]);
    }
    rg_buf_text(out, "],\"vars\":{");
    for (size_t i = 0; i < block->vars.n_entries; i++) {
        const rg_map_entry *entry = rg_map_at(&block->vars, i);
        if (entry == NULL)
            continue;
        rg_buf_text(out, shown++ > 0 ? "," : "");
        add_var(out, entry->value);
    }
    rg_buf_text(out, "}}");
}

void rg_program_graph(const rg_program *program, rg_buf *out)
{
    rg_buf_text(out, "{\"blocks\":[");
    for (size_t i = 0; i < program->n_blocks; i++) {
        rg_buf_text(out, i > 0 ? "," : "");
        add_block(out, program->blocks[i]);
    }
    rg_buf_text(out, "]}\n");
}

static void write_graph(const rg_program *program)
{
    const char *folder = "";
    rg_buf path, text;
    rg_buf_init(&path, 4096);
    rg_buf_init(&text, 0);
    (void)rg_flag_text("watch_dir", &folder);
    rg_buf_printf(&path, "%s/program.%s.json", folder, rg_watch_name());
    rg_program_graph(program, &text);
    rg_status code = rg_buf_status(&text);
    if (code == RG_OK)
        code = rg_file_write_all(rg_buf_cstr(&path), text.data, text.len);
    if (code != RG_OK)
        rg_log(RG_LOG_W, "watch", "\"the program is not shown\" why=\"%s\"", rg_error_message());
    rg_buf_fini(&path);
    rg_buf_fini(&text);
}

void rg_watch_training(const rg_program *program)
{
    static atomic_flag written = ATOMIC_FLAG_INIT;
    const char *folder = "";
    rg_watch_trainer(-1);
    (void)rg_flag_text("watch_dir", &folder);
    if (program != NULL && rg_watch_is_on() && folder[0] != '\0' &&
        !atomic_flag_test_and_set(&written))
        write_graph(program);
}
