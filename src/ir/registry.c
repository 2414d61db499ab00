/* registry.c - finding ops by type. The list itself is generated from the sources
 * (tools/gen_registry.sh). */
#include "base/map.h"
#include "base/mem.h"
#include "ir/op.h"
#include "ir/refused.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* From the generated file: each points to one op, or to the first of a family that
 * an op without a type ends. */
typedef struct rg_op_list {
    const rg_op *ops;
    bool family;
} rg_op_list;
extern const rg_op_list rg_op_lists[];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static rg_map by_type;
static const rg_op **all;
static size_t n_all;

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const rg_op *const *)a)->type, (*(const rg_op *const *)b)->type);
}

static void add(const rg_op *op)
{
    static size_t capacity;
    assert(!rg_map_has(&by_type, op->type));
    if (rg_grow((void **)&all, n_all, &capacity, sizeof *all) != RG_OK ||
        rg_map_put(&by_type, op->type, op) != RG_OK)
        abort(); /* at start, before anything could be lost */
    all[n_all++] = op;
}

static void load(void)
{
    for (const rg_op_list *list = rg_op_lists; list->ops != NULL; list++) {
        if (!list->family)
            add(list->ops);
        else
            for (const rg_op *op = list->ops; op->type != NULL; op++)
                add(op);
    }
    qsort(all, n_all, sizeof *all, by_name);
}

const rg_op *rg_op_find(const char *type)
{
    (void)pthread_once(&once, load);
    return rg_map_get(&by_type, type);
}

const rg_op *const *rg_op_all(size_t *n)
{
    (void)pthread_once(&once, load);
    *n = n_all;
    return all;
}

rg_status rg_op_missing(const char *type)
{
    const char *why = rg_op_refusal(type);
    if (why != NULL)
        return rg_fail(RG_EUNIMPL, "op %s %s", type, why);
    return rg_fail(RG_EUNIMPL, "op %s is not implemented; implemented: `paddle ops`", type);
}

static int find_slot(const rg_slot *slots, const char *name)
{
    for (int i = 0; slots != NULL && slots[i].name != NULL; i++)
        if (strcmp(slots[i].name, name) == 0)
            return i;
    return -1;
}

int rg_op_in_slot(const rg_op *op, const char *name)
{
    return find_slot(op->in, name);
}

int rg_op_out_slot(const rg_op *op, const char *name)
{
    return find_slot(op->out, name);
}

int rg_op_attr_slot(const rg_op *op, const char *name)
{
    for (int i = 0; op->attr != NULL && op->attr[i].value.name != NULL; i++)
        if (strcmp(op->attr[i].value.name, name) == 0)
            return i;
    return -1;
}

bool rg_attr_is_common(const char *name)
{
    static const char *const common[] = {
        "op_role",    "op_role_var",      "op_namescope",      "op_callstack",
        "op_device",  "use_mkldnn",       "use_cudnn",         "mkldnn_data_type",
        "use_quantizer", "with_quant_attr", "force_fp32_output",
        "x_data_format", "y_data_format",
    };
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (strcmp(common[i], name) == 0)
            return true;
    return false;
}
