/* digest.c - what a program does, in 32 bytes. */
#include "ir/digest.h"

#include "base/map.h"

#include <string.h>

size_t rg_plain_length(const char *name)
{
    const char *suffix = NULL;
    for (const char *at = name; (at = strstr(at, ".trainer_")) != NULL; at++)
        suffix = at;
    if (suffix == NULL)
        return strlen(name);
    for (const char *c = suffix + strlen(".trainer_"); *c != '\0'; c++)
        if (*c < '0' || *c > '9')
            return strlen(name);
    return (size_t)(suffix - name);
}

typedef struct state {
    uint64_t sum[RG_DIGEST_BYTES / sizeof(uint64_t)];
} state;

static void add(state *s, const void *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof s->sum / sizeof s->sum[0]; i++)
        s->sum[i] = rg_hash_bytes(bytes, n, s->sum[i] + i * 0x9e3779b97f4a7c15u + n);
}

/* A name, but for the trainer's number in it. */
static void add_name(state *s, const char *name)
{
    add(s, name, rg_plain_length(name));
}

static bool is_label(const char *name)
{
    static const char *const labels[] = {"op_callstack", "op_role_var", "op_namescope", "op_device",
                                         "trainer_id"};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        if (strcmp(labels[i], name) == 0)
            return true;
    return false;
}

static void add_attr(state *s, const rg_attr *attr)
{
    add(s, attr->name, strlen(attr->name));
    switch (attr->type) {
    case RG_ATTR_STRING:
        add_name(s, attr->s);
        break;
    case RG_ATTR_STRINGS:
        for (int i = 0; i < attr->n; i++)
            add_name(s, attr->strings[i]);
        break;
    case RG_ATTR_FLOAT:
        add(s, &attr->f, sizeof attr->f);
        break;
    case RG_ATTR_LONG:
        add(s, &attr->l, sizeof attr->l);
        break;
    case RG_ATTR_LONGS:
        add(s, attr->longs, (size_t)attr->n * sizeof *attr->longs);
        break;
    case RG_ATTR_INTS:
        add(s, attr->ints, (size_t)attr->n * sizeof *attr->ints);
        break;
    case RG_ATTR_FLOATS:
        add(s, attr->floats, (size_t)attr->n * sizeof *attr->floats);
        break;
    case RG_ATTR_BOOL:
        add(s, &attr->b, sizeof attr->b);
        break;
    case RG_ATTR_INT:
        add(s, &attr->i, sizeof attr->i);
        break;
    default:
        break; /* blocks are gone over themselves */
    }
}

/* Attributes may stand in any order: each counts by itself. */
static void add_attrs(state *s, const rg_opdesc *op)
{
    state all = *s;
    for (int i = 0; i < op->n_attrs; i++) {
        state one = *s;
        if (is_label(op->attrs[i].name))
            continue;
        add_attr(&one, &op->attrs[i]);
        for (size_t k = 0; k < sizeof all.sum / sizeof all.sum[0]; k++)
            all.sum[k] += one.sum[k];
    }
    *s = all;
}

static void add_args(state *s, const rg_args *args, int n)
{
    for (int i = 0; i < n; i++) {
        add(s, args[i].slot, strlen(args[i].slot));
        for (int k = 0; k < args[i].n; k++)
            add_name(s, args[i].names[k]);
    }
}

void rg_program_digest(const rg_program *program, uint8_t *digest)
{
    state s = {{1, 2, 3, 4}};
    for (size_t b = 0; b < program->n_blocks; b++)
        for (size_t i = 0; i < program->blocks[b]->n_ops; i++) {
            const rg_opdesc *op = program->blocks[b]->ops[i];
            add(&s, op->type, strlen(op->type));
            add_args(&s, op->in, op->n_in);
            add_args(&s, op->out, op->n_out);
            add_attrs(&s, op);
        }
    memcpy(digest, s.sum, RG_DIGEST_BYTES);
}
