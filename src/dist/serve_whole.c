/* serve_whole.c - variables as a whole: read for a save, given a value, their rows dropped.
 *
 * What the shards own they read and write themselves. A read waits for them, on a thread that is no
 * loop's (serve_tasks.c); who sets or drops something is answered by the last shard. */
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "dist/serve_tasks.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <string.h>

/* Where a table's column of this name is; false: it is a variable of the scope, or nothing. */
static bool find_column(rg_engine *s, const char *name, size_t *var, int *column)
{
    for (size_t i = 0; i < s->schema.n; i++) {
        const rg_served *served = rg_serve_var(s, i);
        for (int k = 0; served->table != NULL && k < served->n_columns; k++)
            if (strcmp(served->columns[k], name) == 0) {
                *var = i;
                *column = k;
                return true;
            }
    }
    return false;
}

/* ---- reading ---- */

/* Which rows are meant: n < 0 is all from `first` on. As many as one answer holds, each of `row`
 * bytes; who wants more asks again. */
static rg_status check_range(const char *name, int64_t first, int64_t *n, int64_t rows, size_t row)
{
    if (first < 0 || first > rows || *n > rows - first)
        return rg_fail(RG_EVALUE, "%lld rows from %lld on, and %s has %lld", (long long)*n,
                       (long long)first, name, (long long)rows);
    int64_t most = row > 0 && row < RG_PS_GET_BYTES ? (int64_t)(RG_PS_GET_BYTES / row) : 1;
    *n = *n < 0 ? rows - first : *n;
    *n = *n > most && row > 0 ? most : *n;
    return RG_OK;
}

typedef struct reading {
    rg_spread spread;
    size_t var;
    int column;
    int64_t first, n;
    const void *from; /* of the scope; NULL: a table's column */
    size_t bytes;
    void *to;
    atomic_bool changed; /* rows have made steps that they had missed */
} reading;

static rg_status read_part(rg_spread *spread, rg_shard *shard)
{
    const reading *r = (const reading *)spread;
    if (r->from != NULL) {
        memcpy(r->to, r->from, r->bytes);
        return RG_OK;
    }
    rg_served *var = &shard->vars[r->var];
    var->noticed = false;
    rg_status code = rg_served_dense(var, r->column, r->first, r->n, r->to);
    if (var->noticed)
        atomic_store(&((reading *)spread)->changed, true);
    return code;
}

/* Where in `out` it goes. */
static rg_status make_room(rg_buf *out, reading *r)
{
    size_t start = out->len;
    rg_buf_room(out, r->bytes);
    RG_TRY(rg_buf_status(out));
    r->to = out->data + start;
    return RG_OK;
}

static rg_status read_column(rg_engine *s, reading *r, rg_buf *out)
{
    const rg_ps_var *about = &s->schema.vars[r->var];
    RG_TRY(check_range(about->name, r->first, &r->n, about->rows,
                       (size_t)about->width * sizeof(float)));
    r->bytes = (size_t)(r->n * about->width) * sizeof(float);
    rg_ps_put_tensor_head(out, RG_F32, &RG_SHAPE(r->n, about->width));
    RG_TRY(make_room(out, r));
    RG_TRY(rg_spread_wait(&r->spread, rg_serve_owners(s, r->var), read_part));
    return r->changed ? rg_serve_note_catch_up(s, r->var, r->first, r->n) : RG_OK;
}

/* ---- reading for its effect alone, from the journal ---- */

static rg_status catch_up_part(rg_spread *spread, rg_shard *shard)
{
    const reading *r = (const reading *)spread;
    return rg_served_read_all(&shard->vars[r->var], r->first, r->n);
}

static void end_catch_up(rg_spread *spread)
{
    rg_free(spread);
}

rg_status rg_serve_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n)
{
    if (var >= s->schema.n || rg_serve_var(s, var)->table == NULL || first < 0)
        return rg_fail(RG_ECORRUPT, "rows of variable %zu were read, which there is not", var);
    reading *r = rg_spread_new(s, sizeof *r);
    if (r == NULL)
        return rg_no_memory(sizeof *r, "a read");
    r->var = var;
    r->first = first;
    r->n = n;
    rg_spread_start(&r->spread, rg_serve_owners(s, var), catch_up_part, end_catch_up);
    return RG_OK;
}

static rg_status read_variable(rg_engine *s, const char *name, reading *r, rg_buf *out)
{
    const rg_value *value = rg_scope_find(s->scope, name);
    if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR)
        return rg_fail(RG_ENOENT, "this server has no variable %s", name);
    rg_shape shape = value->meta.shape;
    int64_t rows = shape.rank > 0 ? shape.dim[0] : 1;
    size_t row = rows > 0 ? rg_value_bytes(value) / (size_t)rows : 0;
    RG_TRY(check_range(name, r->first, &r->n, rows, row));
    if (shape.rank > 0)
        shape.dim[0] = r->n;
    r->from = (const uint8_t *)value->data + (size_t)r->first * row;
    r->bytes = (size_t)r->n * row;
    rg_ps_put_tensor_head(out, value->meta.dtype, &shape);
    RG_TRY(make_room(out, r));
    return rg_spread_wait(&r->spread, rg_serve_owners_of(s, name), read_part);
}

/* The variable, which lives here under whatever guise, rows first .. first + n - 1 (-1: all), as
 * many as fit into RG_PS_GET_BYTES, behind dtype, rank and dimensions. */
static rg_status read_named(rg_engine *s, const char *name, uint64_t first, uint64_t n, rg_buf *out)
{
    reading *r = rg_spread_new(s, sizeof *r);
    if (r == NULL)
        return rg_no_memory(sizeof *r, "a read");
    r->first = (int64_t)first;
    r->n = (int64_t)n;
    rg_status code = find_column(s, name, &r->var, &r->column) ? read_column(s, r, out)
                                                               : read_variable(s, name, r, out);
    rg_free(r);
    return code;
}

static rg_status copy_variable(rg_engine *s, rg_server_task *task)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(task->request, &n);
    rg_cursor in = {body, n};
    uint64_t first = 0, rows = 0;
    char *name = NULL;
    rg_status code = rg_ps_get_text(&in, &name);
    if (code == RG_OK)
        code = rg_cursor_u64(&in, &first);
    if (code == RG_OK)
        code = rg_cursor_u64(&in, &rows);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    if (code == RG_OK)
        code = read_named(s, name, first, rows, &task->reply);
    rg_free(name);
    return code;
}

static void end_copy(rg_server_task *task)
{
    rg_free(task);
}

void rg_serve_get_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_server_task *task = rg_alloc_zero(1, sizeof *task);
    (void)trainer;
    if (task == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return;
    }
    rg_rpc_request_alone(request);
    *task = (rg_server_task){.request = request, .copy = copy_variable, .close = end_copy};
    rg_buf_init(&task->reply, 0);
    rg_serve_later(s, RG_QUEUE_COPIES, task);
}

/* ---- changing ---- */

/* A value to be set, or rows to be dropped. */
typedef struct changing {
    rg_spread spread;
    rg_rpc_request *request;
    char *name; /* owned */
    size_t var;
    int column;
    bool is_column; /* of a table; else a variable of the scope */
    rg_value value;
    uint32_t unseen;
    bool clear;
    _Atomic uint64_t rows; /* that went */
} changing;

static void free_changing(changing *c)
{
    rg_value_fini(&c->value);
    rg_free(c->name);
    rg_free(c);
}

static changing *begin_changing(rg_engine *s, rg_rpc_request *request)
{
    changing *c = rg_spread_new(s, sizeof *c);
    if (c == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return NULL;
    }
    c->request = request;
    rg_value_init(&c->value);
    return c;
}

/* Nothing is changed. */
static void refuse_change(changing *c, rg_status code)
{
    rg_refuse_with_message(c->request, code);
    free_changing(c);
}

static void end_change(rg_spread *spread)
{
    changing *c = (changing *)spread;
    uint16_t method = rg_rpc_request_method(c->request);
    uint64_t rows = atomic_load(&c->rows);
    if (spread->code != RG_OK)
        rg_rpc_refuse(c->request, spread->code, "%s", spread->why);
    else
        rg_rpc_reply(c->request, 0, &(rg_iov){&rows, sizeof rows}, method == RG_PS_SET ? 0 : 1,
                     NULL, NULL);
    free_changing(c);
}

/* In the scope of its owner, and in those that have a copy of their own. */
static rg_status set_part(rg_spread *spread, rg_shard *shard)
{
    const changing *c = (const changing *)spread;
    const rg_engine *s = spread->engine;
    if (c->is_column)
        return rg_served_set(&shard->vars[c->var], c->column, c->value.data);
    rg_value *first = rg_scope_find(s->scope, c->name), *own = rg_scope_find(shard->scope, c->name);
    bool owner = rg_serve_owners_of(s, c->name) >> shard->number & 1;
    if ((own == first && !owner) || rg_value_bytes(&c->value) == 0)
        return RG_OK;
    for (size_t i = 0; i < s->schema.n; i++)
        if (shard->vars[i].param == own)
            RG_TRY(rg_served_leave_shown(&shard->vars[i]));
    memcpy(own->data, c->value.data, rg_value_bytes(&c->value));
    return RG_OK;
}

static rg_status check_set(rg_engine *s, changing *c)
{
    c->is_column = find_column(s, c->name, &c->var, &c->column);
    if (c->is_column) {
        const rg_ps_var *about = &s->schema.vars[c->var];
        if (c->value.meta.dtype != RG_F32 || rg_numel(&c->value) != about->rows * about->width)
            return rg_fail(RG_ESHAPE, "%s is float32 [%lld, %lld] here", c->name,
                           (long long)about->rows, (long long)about->width);
        return RG_OK;
    }
    const rg_value *there = rg_scope_find(s->scope, c->name);
    if (there == NULL || there->data == NULL || there->meta.kind != RG_TENSOR)
        return rg_fail(RG_ENOENT, "this server has no variable %s", c->name);
    if (there->meta.dtype != c->value.meta.dtype || rg_numel(there) != rg_numel(&c->value))
        return rg_fail(RG_ESHAPE, "%s has another type or size here", c->name);
    return RG_OK;
}

void rg_serve_set_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_cursor in = {body, n};
    changing *c = begin_changing(s, request);
    (void)trainer;
    if (c == NULL)
        return;
    rg_ps_change change;
    rg_status code = rg_ps_change_read(&in, &change);
    if (code == RG_OK)
        code = rg_ps_get_text(&in, &c->name);
    if (code == RG_OK)
        code = rg_ps_get_tensor(in.at, in.left, &c->value);
    if (code == RG_OK)
        code = check_set(s, c);
    if (code != RG_OK)
        refuse_change(c, code);
    else
        rg_spread_start(&c->spread,
                        c->is_column ? rg_serve_owners(s, c->var) : rg_serve_all_shards(s),
                        set_part, end_change);
}

static rg_status drop_part(rg_spread *spread, rg_shard *shard)
{
    changing *c = (changing *)spread;
    rg_served *var = &shard->vars[c->var];
    uint64_t rows = 0;
    RG_TRY(c->clear ? rg_served_clear(var, &rows) : rg_served_shrink(var, c->unseen, &rows));
    (void)atomic_fetch_add(&c->rows, rows);
    return RG_OK;
}

static rg_status find_table(rg_engine *s, changing *c)
{
    for (size_t i = 0; i < s->schema.n; i++)
        if (strcmp(s->schema.vars[i].name, c->name) == 0 && rg_serve_var(s, i)->table != NULL) {
            c->var = i;
            return RG_OK;
        }
    return rg_fail(RG_ENOENT, "this server has no table %s", c->name);
}

/* {call, name} empties the table; {call, name, u32 calls} drops what was not touched for so many
 * calls. */
void rg_serve_shrink(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_cursor in = {body, n};
    changing *c = begin_changing(s, request);
    (void)trainer;
    if (c == NULL)
        return;
    c->clear = rg_rpc_request_method(request) == RG_PS_CLEAR;
    rg_ps_change change;
    rg_status code = rg_ps_change_read(&in, &change);
    if (code == RG_OK)
        code = rg_ps_get_text(&in, &c->name);
    if (code == RG_OK && !c->clear)
        code = rg_cursor_u32(&in, &c->unseen);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    if (code == RG_OK)
        code = find_table(s, c);
    if (code != RG_OK)
        refuse_change(c, code);
    else
        rg_spread_start(&c->spread, rg_serve_owners(s, c->var), drop_part, end_change);
}
