/* stopped_files.c - what the servers of a stopped job have, in files: a snapshot for any number of
 * servers, or Paddle's own files. */
#include "dist/stopped_priv.h"

#include "base/mem.h"
#include "save/save.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a snapshot ---- */

static rg_status write_state(rg_engine *s, rg_snapshot *to)
{
    atomic_bool stop = false; /* nobody goes on meanwhile, and nobody is waiting */
    rg_state_rows *rows = NULL;
    rg_status code = rg_state_cut(s, to, &rows);
    if (code == RG_OK)
        code = rg_state_rows_write(rows, 1, &stop);
    rg_state_rows_close(rows);
    return code;
}

static rg_status write_server(const rg_folder *root, rg_engine *s, int servers)
{
    char name[64];
    rg_folder *folder = NULL;
    rg_snapshot *snapshot = NULL;
    uint64_t oldest;
    (void)snprintf(name, sizeof name, "server-%d-of-%d", s->id, servers);
    RG_TRY(rg_folder_enter(&folder, root, name, true));
    rg_status code = rg_snapshot_begin(&snapshot, folder, s->journal->lineage, 0);
    if (code == RG_OK) {
        code = write_state(s, snapshot);
        if (code == RG_OK)
            code = rg_snapshot_finish(snapshot, &oldest);
        else
            rg_snapshot_abandon(snapshot);
    }
    rg_folder_close(folder);
    return code;
}

/* Beside its name first, so that it is whole or not there. */
rg_status rg_stopped_write(rg_stopped *job, const char *path)
{
    char *parent = rg_strdup(path), fresh[512];
    rg_folder *above = NULL, *root = NULL;
    if (parent == NULL)
        return rg_no_memory(strlen(path), "a path");
    for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--)
        parent[n - 1] = '\0';
    char *slash = strrchr(parent, '/');
    const char *name = slash ? slash + 1 : parent, *where = slash ? parent : ".";
    if (slash != NULL)
        *slash = '\0';
    if (slash == parent)
        where = "/";
    (void)snprintf(fresh, sizeof fresh, "%s.new", name);
    rg_status code = rg_path_exists(path) ? rg_fail(RG_EINVAL, "%s is there already", path) : RG_OK;
    if (code == RG_OK)
        code = rg_folder_open(&above, where);
    if (code == RG_OK)
        code = rg_folder_remove(above, fresh);
    if (code == RG_OK)
        code = rg_folder_enter(&root, above, fresh, true);
    int servers = rg_stopped_tell(job).servers;
    for (int i = 0; code == RG_OK && i < servers; i++)
        code = write_server(root, rg_stopped_server(job, i), servers);
    if (code == RG_OK)
        code = rg_folder_sync(root);
    if (code == RG_OK)
        code = rg_folder_move(above, fresh, above, name);
    if (code == RG_OK)
        code = rg_folder_sync(above);
    rg_folder_close(root);
    rg_folder_close(above);
    rg_free(parent);
    return code;
}

/* ---- Paddle's files ---- */

/* A part of a variable: what a server's scope has, or a column of one of its tables. */
typedef struct part {
    char *origin; /* owned */
    int64_t begin, rows;
    const rg_value *value; /* NULL: of a table: */
    rg_engine *engine;
    size_t var;
    int column;
    rg_shape shape;
    rg_dtype dtype;
} part;

typedef struct parts {
    part *items;
    size_t n, cap;
} parts;

/* What only servers have: gradients, what each trainer has counted or was sent last. */
static bool is_own(const char *name)
{
    return strstr(name, "@GRAD") != NULL || strstr(name, ".trainer_") != NULL ||
           strstr(name, ".delta") != NULL;
}

static rg_status add_part(parts *all, const rg_split *split, const char *name, const part *like)
{
    size_t length;
    part p = *like;
    const char *origin = rg_split_origin(split, name, &length, &p.begin);
    RG_TRY(rg_grow((void **)&all->items, all->n, &all->cap, sizeof p));
    p.origin = rg_strdup(origin);
    if (p.origin == NULL)
        return rg_no_memory(length, "a name");
    p.origin[length] = '\0';
    p.rows = p.shape.rank > 0 ? p.shape.dim[0] : 1;
    all->items[all->n++] = p;
    return RG_OK;
}

static rg_status add_values(parts *all, const rg_split *split, rg_engine *s)
{
    for (size_t i = 0; i < rg_scope_size(s->scope); i++) {
        const char *name = rg_scope_name(s->scope, i);
        const rg_value *value = name ? rg_scope_find(s->scope, name) : NULL;
        const rg_vardesc *var = name ? rg_block_var(s->program->blocks[0], name) : NULL;
        if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR || is_own(name) ||
            var == NULL || !var->persistable)
            continue;
        RG_TRY(add_part(all, split, name,
                        &(part){.value = value,
                                .shape = value->meta.shape,
                                .dtype = value->meta.dtype,
                                .engine = s}));
    }
    return RG_OK;
}

static rg_status add_tables(parts *all, const rg_split *split, rg_engine *s)
{
    for (size_t v = 0; v < s->schema.n; v++) {
        const rg_served *var = rg_serve_var(s, v);
        for (int i = 0; var->table != NULL && i < var->n_columns; i++)
            RG_TRY(add_part(all, split, var->columns[i],
                            &(part){.engine = s,
                                    .var = v,
                                    .column = i,
                                    .shape = RG_SHAPE(var->about->rows, var->about->width),
                                    .dtype = RG_F32}));
    }
    return RG_OK;
}

static rg_status list_parts(rg_stopped *job, parts *all)
{
    for (int i = 0; i < rg_stopped_tell(job).servers; i++) {
        rg_engine *s = rg_stopped_server(job, i);
        rg_split split = {0};
        rg_status code = rg_split_of(s, &split);
        if (code == RG_OK)
            code = add_values(all, &split, s);
        if (code == RG_OK)
            code = add_tables(all, &split, s);
        rg_split_fini(&split);
        RG_TRY(code);
    }
    return RG_OK;
}

static int by_place(const void *a, const void *b)
{
    const part *x = a, *y = b;
    int order = strcmp(x->origin, y->origin);
    return order != 0 ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Into its rows of the whole. */
static rg_status copy_part(const part *p, rg_value *whole)
{
    size_t row = rg_split_row_bytes(&p->shape, p->dtype);
    uint8_t *to = (uint8_t *)whole->data + (size_t)p->begin * row;
    if (p->value != NULL) {
        memcpy(to, p->value->data, rg_value_bytes(p->value));
        return RG_OK;
    }
    for (int k = 0; k < p->engine->n_shards; k++)
        if (p->engine->shards[k].vars[p->var].table != NULL)
            RG_TRY(rg_served_dense(&p->engine->shards[k].vars[p->var], p->column, 0, p->rows,
                                   (float *)(void *)to));
    return RG_OK;
}

/* n parts, in order: one behind the other, or copies of each other. */
static rg_status save_variable(rg_save *save, const part *p, size_t n)
{
    rg_value whole;
    rg_shape shape = p[0].shape;
    int64_t rows = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i].begin > rows || p[i].dtype != p[0].dtype || p[i].shape.rank != shape.rank)
            return rg_fail(RG_ECORRUPT, "of %s rows %lld to %lld are on no server", p[0].origin,
                           (long long)rows, (long long)p[i].begin);
        rows = p[i].begin + p[i].rows > rows ? p[i].begin + p[i].rows : rows;
    }
    if (shape.rank > 0)
        shape.dim[0] = rows;
    rg_value_init(&whole);
    rg_status code = rg_value_resize(&whole, p[0].dtype, &shape);
    for (size_t i = 0; code == RG_OK && i < n; i++)
        code = copy_part(&p[i], &whole);
    if (code == RG_OK)
        code = rg_save_tensor(save, p[0].origin, &whole);
    rg_value_fini(&whole);
    return code;
}

static rg_status save_all(rg_save *save, const parts *all, size_t *files)
{
    for (size_t i = 0, end; i < all->n; i = end) {
        for (end = i + 1;
             end < all->n && strcmp(all->items[end].origin, all->items[i].origin) == 0;)
            end++;
        RG_TRY(save_variable(save, &all->items[i], end - i));
        ++*files;
    }
    return rg_save_commit(save);
}

rg_status rg_stopped_export(rg_stopped *job, const char *path, size_t *n)
{
    parts all = {0};
    rg_save *save = NULL;
    *n = 0;
    rg_status code = list_parts(job, &all);
    if (code == RG_OK && all.n > 1)
        qsort(all.items, all.n, sizeof *all.items, by_place);
    if (code == RG_OK)
        code = rg_save_open(&save, path);
    if (code == RG_OK)
        code = save_all(save, &all, n);
    rg_save_close(save);
    for (size_t i = 0; i < all.n; i++)
        rg_free(all.items[i].origin);
    rg_free(all.items);
    return code;
}
