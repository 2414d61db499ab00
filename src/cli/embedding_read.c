/* embedding_read.c - tables in a folder that was saved to. */
#include "cli/embedding.h"

#include "base/mem.h"
#include "save/save.h"
#include "sys/folder.h"
#include "tensor/tensor_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 100000 };
static const char PARTS[] = "__lookup_table__";

typedef struct finder {
    rg_folder *folder;
    rg_load *load;
    char **names; /* of files, or of tables in parts */
    size_t n, cap;
    const char *below; /* "" or the part of the path so far */
} finder;

/* ---- from values ---- */

static void widen(float *to, const rg_value *value, size_t n)
{
    if (value->meta.dtype == RG_F32) {
        memcpy(to, value->data, n * sizeof *to);
        return;
    }
    const double *from = value->data;
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* Adds the rows of a value to those that are there. */
static rg_status append(rg_embedding *t, const rg_value *value)
{
    bool by_id = value->meta.kind == RG_ROWS;
    size_t n = by_id ? value->n_rows : (size_t)value->meta.shape.dim[0];
    size_t dim = (size_t)rg_value_width(value);
    if (t->n > 0 && dim != t->dim)
        return rg_fail(RG_ECORRUPT, "a part has rows of %zu floats, and another of %zu", dim,
                       t->dim);
    float *values = rg_realloc(t->values, (t->n + n) * dim * sizeof *values);
    if (values == NULL && (t->n + n) * dim > 0)
        return rg_no_memory((t->n + n) * dim * sizeof *values, "the rows");
    t->values = values;
    widen(values + t->n * dim, value, n * dim);
    if (by_id) {
        int64_t *ids = rg_realloc(t->ids, (t->n + n + 1) * sizeof *ids);
        if (ids == NULL)
            return rg_no_memory((t->n + n) * sizeof *ids, "ids");
        t->ids = ids;
        memcpy(ids + t->n, value->rows, n * sizeof *ids);
    }
    t->dtype = rg_dtype_name(value->meta.dtype);
    t->dim = dim;
    t->n += n;
    t->height = value->meta.shape.dim[0];
    return RG_OK;
}

typedef struct id_at {
    int64_t id;
    size_t at;
} id_at;

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b; /* an id, or what begins with one */
    return x < y ? -1 : x > y;
}

/* Parts come in the order of servers: ids are put in theirs. */
static rg_status sort(rg_embedding *t)
{
    id_at *order = rg_alloc_zero(t->n + 1, sizeof *order);
    float *values = rg_alloc((t->n * t->dim + 1) * sizeof *values);
    rg_status code = order != NULL && values != NULL
                         ? RG_OK
                         : rg_no_memory(t->n * t->dim * sizeof *values, "rows");
    for (size_t i = 0; code == RG_OK && i < t->n; i++)
        order[i] = (id_at){t->ids[i], i};
    if (code == RG_OK)
        qsort(order, t->n, sizeof *order, by_id);
    for (size_t i = 0; code == RG_OK && i < t->n; i++) {
        t->ids[i] = order[i].id;
        memcpy(values + i * t->dim, t->values + order[i].at * t->dim, t->dim * sizeof *values);
        if (i > 0 && t->ids[i] == t->ids[i - 1])
            code = rg_fail(RG_ECORRUPT, "id %lld is in the parts twice", (long long)t->ids[i]);
    }
    rg_free(order);
    rg_free(code == RG_OK ? t->values : values);
    if (code == RG_OK)
        t->values = values;
    return code;
}

/* ---- from files ---- */

static bool is_table(const rg_value *v)
{
    return v->meta.kind == RG_TENSOR && v->meta.shape.rank == 2 && v->meta.shape.dim[0] > 1 &&
           (v->meta.dtype == RG_F32 || v->meta.dtype == RG_F64);
}

/* *is: it is a table. A file that is no tensor is none either. */
static rg_status read_variable(const finder *f, const char *name, rg_embedding *t, bool *is)
{
    rg_value value;
    rg_value_init(&value);
    *is = false;
    rg_status code = rg_load_tensor(f->load, name, &(rg_expected){name, &value, NULL});
    if (code == RG_OK && is_table(&value)) {
        *is = true;
        code = append(t, &value);
    } else if (code != RG_ENOMEM && code != RG_ESTALE) {
        code = RG_OK;
    }
    rg_value_fini(&value);
    return code;
}

static rg_status read_part(const rg_folder *parts, const char *file, rg_embedding *t)
{
    rg_file *opened;
    rg_value value;
    RG_TRY(rg_folder_read_linked(&opened, parts, file));
    rg_value_init(&value);
    rg_source source = rg_source_file(opened);
    rg_status code = rg_rows_read(&source, &value);
    if (code == RG_OK && value.meta.dtype != RG_F32 && value.meta.dtype != RG_F64)
        code = rg_fail(RG_EUNIMPL, "rows of %s", rg_dtype_name(value.meta.dtype));
    if (code == RG_OK)
        code = append(t, &value);
    t->parts++;
    rg_value_fini(&value);
    rg_file_close(opened);
    return code == RG_OK ? RG_OK : rg_context(code, "%s/%s", PARTS, file);
}

/* "table_12" of "table": what stands behind the name is a number. */
static bool is_part_of(const char *file, const char *name)
{
    size_t n = strlen(name);
    return strncmp(file, name, n) == 0 && file[n] == '_' && file[n + 1] != '\0' &&
           file[n + 1 + strspn(file + n + 1, "0123456789")] == '\0';
}

typedef struct part_reader {
    const rg_folder *parts;
    rg_embedding *table;
} part_reader;

static rg_status visit_part(void *arg, const char *file)
{
    part_reader *r = arg;
    return is_part_of(file, r->table->name) ? read_part(r->parts, file, r->table) : RG_OK;
}

static rg_status read_parts(const finder *f, rg_embedding *t)
{
    rg_folder *parts;
    RG_TRY(rg_folder_enter(&parts, f->folder, PARTS, false));
    rg_status code = rg_folder_each(parts, visit_part, &(part_reader){parts, t});
    rg_folder_close(parts);
    return code == RG_OK ? sort(t) : code;
}

/* The name of a table in parts; else `name` itself. */
static const char *table_of(const char *name)
{
    size_t prefix = sizeof PARTS;
    bool in_parts = strncmp(name, PARTS, prefix - 1) == 0 && name[prefix - 1] == '/';
    return in_parts ? name + prefix : name;
}

/* One that finder has named; false in *is where it is none. */
static rg_status read_named(const finder *f, const char *name, rg_embedding *t, bool *is)
{
    const char *table = table_of(name);
    memset(t, 0, sizeof *t);
    (void)snprintf(t->name, sizeof t->name, "%s", table);
    *is = true;
    rg_status code = table != name ? read_parts(f, t) : read_variable(f, name, t, is);
    if (code != RG_OK)
        rg_embedding_fini(t);
    return code == RG_OK ? RG_OK : rg_context(code, "table %s", name);
}

/* ---- names ---- */

static rg_status add_name(finder *f, const char *name)
{
    char *copy;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->names[i], name) == 0)
            return RG_OK;
    if (f->n == MAX_NAMES)
        return rg_fail(RG_ETOOBIG, "more than %d files", MAX_NAMES);
    RG_TRY(rg_grow((void **)&f->names, f->n, &f->cap, sizeof *f->names));
    if ((copy = rg_strdup(name)) == NULL)
        return rg_no_memory(strlen(name), "a name");
    f->names[f->n++] = copy;
    return RG_OK;
}

static rg_status visit_name(void *arg, const char *name)
{
    finder *f = arg;
    char full[1024];
    bool in_parts = strcmp(f->below, PARTS) == 0;
    if (name[0] == '.' || strcmp(name, "__model__") == 0 || strcmp(name, RG_MANIFEST_NAME) == 0)
        return RG_OK;
    (void)snprintf(full, sizeof full, "%s%s%s", f->below, f->below[0] ? "/" : "", name);
    if (in_parts) { /* a table is there once, however many have a part of it */
        char *end = strrchr(full, '_');
        if (end == NULL || end[1] == '\0' || end[1 + strspn(end + 1, "0123456789")] != '\0')
            return RG_OK;
        *end = '\0';
        return add_name(f, full);
    }
    rg_folder *below = NULL;
    if (rg_folder_enter(&below, f->folder, full, false) != RG_OK)
        return add_name(f, full);
    const char *above = f->below;
    f->below = full;
    rg_status code = rg_folder_each(below, visit_name, f);
    f->below = above;
    rg_folder_close(below);
    return code;
}

static void close_finder(finder *f)
{
    for (size_t i = 0; i < f->n; i++)
        rg_free(f->names[i]);
    rg_free(f->names);
    rg_load_close(f->load);
    rg_folder_close(f->folder);
}

static rg_status open_finder(finder *f, const char *folder)
{
    *f = (finder){.below = ""};
    rg_status code = rg_load_open(&f->load, folder);
    if (code == RG_OK)
        code = rg_folder_open(&f->folder, folder);
    if (code == RG_OK)
        code = rg_folder_each(f->folder, visit_name, f);
    if (code != RG_OK)
        close_finder(f);
    return code;
}

/* ---- for others ---- */

/* Of all that are there, or of that one: the others are not read. */
static rg_status each_named(const char *folder, const char *only,
                            rg_status (*visit)(void *arg, const rg_embedding *table), void *arg)
{
    finder f;
    RG_TRY(open_finder(&f, folder));
    rg_status code = RG_OK;
    for (size_t i = 0; code == RG_OK && i < f.n; i++) {
        rg_embedding table;
        bool is;
        if (only != NULL && strcmp(only, table_of(f.names[i])) != 0)
            continue;
        code = read_named(&f, f.names[i], &table, &is);
        if (code != RG_OK)
            break;
        if (is)
            code = visit(arg, &table);
        rg_embedding_fini(&table);
    }
    close_finder(&f);
    return code;
}

rg_status rg_embeddings_each(const char *folder,
                             rg_status (*visit)(void *arg, const rg_embedding *table), void *arg)
{
    return each_named(folder, NULL, visit, arg);
}

typedef struct picker {
    rg_embedding *out;
    const char *name;
    int found, seen;
    rg_buf names;
} picker;

static rg_status pick(void *arg, const rg_embedding *table)
{
    picker *p = arg;
    rg_buf_printf(&p->names, "%s%s", p->seen++ > 0 ? ", " : "", table->name);
    if (p->name[0] != '\0' && strcmp(p->name, table->name) != 0)
        return RG_OK;
    if (p->found++ > 0)
        return RG_OK;
    rg_embedding *mine = (rg_embedding *)(uintptr_t)table;
    *p->out = *mine; /* taken: it is left nothing */
    mine->ids = NULL;
    mine->values = NULL;
    return RG_OK;
}

rg_status rg_embedding_open(rg_embedding *table, const char *folder, const char *name)
{
    picker p = {.out = table, .name = name};
    rg_buf_init(&p.names, 0);
    memset(table, 0, sizeof *table);
    rg_status code = name[0] != '\0' ? each_named(folder, name, pick, &p) : RG_OK;
    if (code == RG_OK && p.found == 0) /* what there is, for who has named none or another */
        code = rg_embeddings_each(folder, pick, &p);
    if (code == RG_OK && p.seen == 0)
        code = rg_fail(
            RG_ENOENT,
            "%s has no table: a file for each variable is wanted, as save_persistables "
            "writes them, or __lookup_table__; one file of all variables (filename=) has no "
            "names in it",
            folder);
    else if (code == RG_OK && p.found == 0)
        code = rg_fail(RG_ENOENT, "%s has no table %s; it has %s", folder, name,
                       rg_buf_cstr(&p.names));
    else if (code == RG_OK && p.found > 1)
        code = rg_fail(RG_EINVAL, "%s has several tables; name one with --name: %s", folder,
                       rg_buf_cstr(&p.names));
    rg_buf_fini(&p.names);
    if (code != RG_OK)
        rg_embedding_fini(table);
    return code;
}

void rg_embedding_fini(rg_embedding *table)
{
    rg_free(table->ids);
    rg_free(table->values);
    table->ids = NULL;
    table->values = NULL;
}

bool rg_embedding_find(const rg_embedding *t, int64_t id, size_t *row)
{
    if (t->ids == NULL) {
        *row = (size_t)id;
        return id >= 0 && (uint64_t)id < t->n;
    }
    const int64_t *at = bsearch(&id, t->ids, t->n, sizeof *t->ids, by_id);
    *row = at ? (size_t)(at - t->ids) : 0;
    return at != NULL;
}
