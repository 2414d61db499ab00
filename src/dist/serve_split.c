/* serve_split.c - of which variables those of a server are parts.
 *
 * A parameter of several servers is cut by rows, and so are the states of its optimizer: each part
 * is a variable "w.block1" of the server's program, which says of which variable it is a part and
 * where it begins there. So what one number of servers has can be found by another. */
#include "dist/serve_journal.h"

#include "base/mem.h"

#include <string.h>

void rg_split_fini(rg_split *split)
{
    for (size_t i = 0; split->parts != NULL && i < split->n; i++) {
        rg_free(split->parts[i].name);
        rg_free(split->parts[i].origin);
    }
    for (size_t i = 0; split->vars != NULL && i < split->n_vars; i++)
        rg_free(split->vars[i]);
    rg_free(split->parts);
    rg_free(split->vars);
    *split = (rg_split){0};
}

static rg_status make_room(rg_split *split, size_t n, size_t n_vars)
{
    *split = (rg_split){.n = n, .n_vars = n_vars};
    split->parts = rg_alloc_zero(n + 1, sizeof *split->parts);
    split->vars = rg_alloc_zero(n_vars + 1, sizeof *split->vars);
    return split->parts && split->vars ? RG_OK : rg_no_memory(n + n_vars, "the parts of variables");
}

static const rg_attr *list_of(const rg_engine *s, const char *name, rg_attr_type type)
{
    const rg_attr *attr = rg_opdesc_attr(s->desc, name);
    return attr != NULL && attr->type == type ? attr : NULL;
}

rg_status rg_split_of(const rg_engine *s, rg_split *split)
{
    const rg_attr *names = list_of(s, "slices", RG_ATTR_STRINGS),
                  *origins = list_of(s, "slice_origins", RG_ATTR_STRINGS),
                  *begins = list_of(s, "slice_begins", RG_ATTR_LONGS);
    int n = names && origins && begins ? names->n : 0;
    if (n > 0 && (origins->n != n || begins->n != n))
        return rg_fail(RG_ECORRUPT, "listen_and_serv has %d slices, %d origins and %d beginnings",
                       n, origins->n, begins->n);
    RG_TRY(make_room(split, (size_t)n, s->schema.n));
    for (int i = 0; i < n; i++) {
        rg_split_part *part = &split->parts[i];
        part->name = rg_strdup(names->strings[i]);
        part->origin = rg_strdup(origins->strings[i]);
        part->begin = begins->longs[i];
        if (part->name == NULL || part->origin == NULL)
            return rg_no_memory(1, "the parts of variables");
    }
    for (size_t i = 0; i < s->schema.n; i++)
        if ((split->vars[i] = rg_strdup(s->schema.vars[i].name)) == NULL)
            return rg_no_memory(1, "the parts of variables");
    return RG_OK;
}

void rg_split_write(const rg_split *split, rg_buf *out)
{
    rg_buf_u64(out, split->n);
    for (size_t i = 0; i < split->n; i++) {
        rg_ps_put_text(out, split->parts[i].name);
        rg_ps_put_text(out, split->parts[i].origin);
        rg_buf_u64(out, (uint64_t)split->parts[i].begin);
    }
    rg_buf_u64(out, split->n_vars);
    for (size_t i = 0; i < split->n_vars; i++)
        rg_ps_put_text(out, split->vars[i]);
}

rg_status rg_split_read(rg_split *split, const rg_record *record)
{
    rg_cursor in = {record->bytes, record->n};
    uint64_t n, begin;
    RG_TRY(rg_cursor_u64(&in, &n));
    if (n > in.left)
        return rg_fail(RG_ECORRUPT, "%llu parts of variables", (unsigned long long)n);
    RG_TRY(make_room(split, (size_t)n, 0));
    for (size_t i = 0; i < split->n; i++) {
        RG_TRY(rg_ps_get_text(&in, &split->parts[i].name));
        RG_TRY(rg_ps_get_text(&in, &split->parts[i].origin));
        RG_TRY(rg_cursor_u64(&in, &begin));
        split->parts[i].begin = (int64_t)begin;
    }
    RG_TRY(rg_cursor_u64(&in, &n));
    if (n > in.left)
        return rg_fail(RG_ECORRUPT, "%llu variables", (unsigned long long)n);
    rg_free(split->vars);
    split->vars = rg_alloc_zero((size_t)n + 1, sizeof *split->vars);
    if (split->vars == NULL)
        return rg_no_memory((size_t)n, "the parts of variables");
    split->n_vars = (size_t)n;
    for (size_t i = 0; i < split->n_vars; i++)
        RG_TRY(rg_ps_get_text(&in, &split->vars[i]));
    return rg_cursor_end(&in);
}

size_t rg_split_row_bytes(const rg_shape *shape, rg_dtype dtype)
{
    return (size_t)(shape->rank > 1 ? rg_shape_product(shape, 1, shape->rank) : 1) *
           rg_dtype_size(dtype);
}

const char *rg_split_origin(const rg_split *split, const char *name, size_t *length, int64_t *begin)
{
    for (size_t i = 0; i < split->n; i++)
        if (strcmp(split->parts[i].name, name) == 0) {
            *begin = split->parts[i].begin;
            *length = strlen(split->parts[i].origin);
            return split->parts[i].origin;
        }
    *begin = 0;
    *length = rg_ps_whole(name);
    return name;
}
