/* attr.c - copying, converting and comparing attributes. */
#include "ir/attr.h"

#include <stdint.h>
#include <string.h>

static const char *const names[] = {
    "INT",     "FLOAT",    "STRING", "INTS", "FLOATS", "STRINGS",
    "BOOLEAN", "BOOLEANS", "BLOCK",  "LONG", "BLOCKS", "LONGS",
};

const char *rg_attr_type_name(rg_attr_type type)
{
    return rg_attr_type_valid((int)type) ? names[type] : "?";
}

bool rg_attr_type_valid(int number)
{
    return number >= 0 && number < (int)(sizeof names / sizeof names[0]);
}

/* Bytes of one list element; 0 for what is no plain list. */
static size_t element_size(rg_attr_type type)
{
    switch (type) {
    case RG_ATTR_INTS:
    case RG_ATTR_BLOCKS:
        return sizeof(int32_t);
    case RG_ATTR_FLOATS:
        return sizeof(float);
    case RG_ATTR_BOOLS:
        return sizeof(bool);
    case RG_ATTR_LONGS:
        return sizeof(int64_t);
    case RG_ATTR_INT:
    case RG_ATTR_FLOAT:
    case RG_ATTR_STRING:
    case RG_ATTR_STRINGS:
    case RG_ATTR_BOOL:
    case RG_ATTR_BLOCK:
    case RG_ATTR_LONG:
        break;
    }
    return 0;
}

static rg_status no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory for an attribute");
}

rg_status rg_attr_copy(rg_arena *arena, rg_attr *out, const rg_attr *attr)
{
    rg_attr copy = *attr;
    copy.name = rg_arena_strdup(arena, attr->name);
    if (copy.name == NULL)
        return no_memory();
    size_t size = element_size(attr->type);
    if (size > 0) {
        copy.longs = rg_arena_copy(arena, attr->longs, (size_t)attr->n * size);
        if (copy.longs == NULL)
            return no_memory();
    } else if (attr->type == RG_ATTR_STRING) {
        copy.s = rg_arena_strdup(arena, attr->s ? attr->s : "");
        if (copy.s == NULL)
            return no_memory();
    } else if (attr->type == RG_ATTR_STRINGS) {
        const char **list = rg_arena_alloc(arena, (size_t)attr->n * sizeof *list);
        if (list == NULL)
            return no_memory();
        for (int i = 0; i < attr->n; i++)
            if ((list[i] = rg_arena_strdup(arena, attr->strings[i])) == NULL)
                return no_memory();
        copy.strings = list;
    }
    *out = copy;
    return RG_OK;
}

static bool is_list(rg_attr_type type)
{
    return element_size(type) > 0 || type == RG_ATTR_STRINGS;
}

/* A whole number of any scalar type. */
static bool as_whole(const rg_attr *attr, int64_t *value)
{
    switch (attr->type) {
    case RG_ATTR_INT:
        *value = attr->i;
        return true;
    case RG_ATTR_LONG:
        *value = attr->l;
        return true;
    case RG_ATTR_BOOL:
        *value = attr->b;
        return true;
    case RG_ATTR_FLOAT:
    case RG_ATTR_STRING:
    case RG_ATTR_INTS:
    case RG_ATTR_FLOATS:
    case RG_ATTR_STRINGS:
    case RG_ATTR_BOOLS:
    case RG_ATTR_BLOCK:
    case RG_ATTR_BLOCKS:
    case RG_ATTR_LONGS:
        break;
    }
    return false;
}

static rg_status cannot(const rg_attr *attr, rg_attr_type wanted)
{
    return rg_fail(RG_EINVAL, "attribute %s is %s, and %s is wanted", attr->name,
                   rg_attr_type_name(attr->type), rg_attr_type_name(wanted));
}

static rg_status convert_list(rg_arena *arena, rg_attr *out, const rg_attr *attr,
                              rg_attr_type wanted)
{
    rg_attr fresh = {.name = out->name, .type = wanted, .n = attr->n};
    if (attr->n == 0) {
        *out = fresh;
        return RG_OK;
    }
    void *list = rg_arena_alloc(arena, (size_t)attr->n * sizeof(int64_t));
    if (list == NULL)
        return no_memory();
    for (int i = 0; i < attr->n; i++) {
        if (attr->type == RG_ATTR_INTS && wanted == RG_ATTR_LONGS)
            ((int64_t *)list)[i] = attr->ints[i];
        else if (attr->type == RG_ATTR_LONGS && wanted == RG_ATTR_INTS &&
                 attr->longs[i] == (int32_t)attr->longs[i])
            ((int32_t *)list)[i] = (int32_t)attr->longs[i];
        else if (attr->type == RG_ATTR_BOOLS && wanted == RG_ATTR_INTS)
            ((int32_t *)list)[i] = attr->bools[i];
        else if (attr->type == RG_ATTR_INTS && wanted == RG_ATTR_FLOATS)
            ((float *)list)[i] = (float)attr->ints[i];
        else if (attr->type == RG_ATTR_LONGS && wanted == RG_ATTR_FLOATS)
            ((float *)list)[i] = (float)attr->longs[i];
        else
            return cannot(attr, wanted);
    }
    fresh.longs = list;
    *out = fresh;
    return RG_OK;
}

rg_status rg_attr_convert(rg_arena *arena, rg_attr *out, const rg_attr *attr, rg_attr_type wanted)
{
    if (attr->type == wanted)
        return rg_attr_copy(arena, out, attr);
    rg_attr fresh = {.type = wanted};
    fresh.name = rg_arena_strdup(arena, attr->name);
    if (fresh.name == NULL)
        return no_memory();
    if (is_list(attr->type) && is_list(wanted)) {
        RG_TRY(convert_list(arena, &fresh, attr, wanted));
        *out = fresh;
        return RG_OK;
    }
    int64_t whole;
    if (!as_whole(attr, &whole))
        return cannot(attr, wanted);
    if (wanted == RG_ATTR_LONG)
        fresh.l = whole;
    else if (wanted == RG_ATTR_FLOAT)
        fresh.f = (float)whole;
    else if (wanted == RG_ATTR_BOOL && (whole == 0 || whole == 1))
        fresh.b = whole != 0;
    else if ((wanted == RG_ATTR_INT || wanted == RG_ATTR_BLOCK) && whole == (int32_t)whole)
        fresh.i = (int32_t)whole;
    else
        return cannot(attr, wanted);
    *out = fresh;
    return RG_OK;
}

bool rg_attr_equal(const rg_attr *a, const rg_attr *b)
{
    if (a->type != b->type || strcmp(a->name, b->name) != 0)
        return false;
    size_t size = element_size(a->type);
    if (size > 0)
        return a->n == b->n && (a->n == 0 || memcmp(a->longs, b->longs, (size_t)a->n * size) == 0);
    switch (a->type) {
    case RG_ATTR_INT:
    case RG_ATTR_BLOCK:
        return a->i == b->i;
    case RG_ATTR_FLOAT:
        return a->f == b->f;
    case RG_ATTR_BOOL:
        return a->b == b->b;
    case RG_ATTR_LONG:
        return a->l == b->l;
    case RG_ATTR_STRING:
        return strcmp(a->s, b->s) == 0;
    case RG_ATTR_STRINGS:
        if (a->n != b->n)
            return false;
        for (int i = 0; i < a->n; i++)
            if (strcmp(a->strings[i], b->strings[i]) != 0)
                return false;
        return true;
    case RG_ATTR_INTS:
    case RG_ATTR_FLOATS:
    case RG_ATTR_BOOLS:
    case RG_ATTR_BLOCKS:
    case RG_ATTR_LONGS:
        break;
    }
    return false;
}
