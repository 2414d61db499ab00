/* protocol.c - bodies of requests and replies, written and read. */
#include "dist/protocol.h"

#include "base/arena.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "sys/file.h"
#include "tensor/value.h"

#include <string.h>

size_t rg_ps_whole(const char *name)
{
    static const char mark[] = ".block";
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strncmp(dot, mark, sizeof mark - 1) != 0)
        return strlen(name);
    const char *digits = dot + sizeof mark - 1;
    bool is_part = digits[0] != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    return is_part ? (size_t)(dot - name) : strlen(name);
}

bool rg_ps_is_part_of(const char *name, const char *whole)
{
    size_t n = strlen(whole);
    return strcmp(name, whole) == 0 || (rg_ps_whole(name) == n && strncmp(name, whole, n) == 0);
}

void rg_ps_put_text(rg_buf *out, const char *text)
{
    size_t n = strlen(text);
    rg_buf_u32(out, (uint32_t)n);
    rg_buf_add(out, text, n);
}

rg_status rg_ps_get_text(rg_cursor *in, char **text)
{
    uint32_t n;
    const uint8_t *bytes;
    RG_TRY(rg_cursor_u32(in, &n));
    if (n > RG_PS_MAX_NAME)
        return rg_fail(RG_ECORRUPT, "a name of %u bytes", n);
    RG_TRY(rg_cursor_take(in, n, &bytes));
    char *copy = rg_alloc((size_t)n + 1);
    if (copy == NULL)
        return rg_no_memory((size_t)n + 1, "a name");
    memcpy(copy, bytes, n);
    copy[n] = '\0';
    *text = copy;
    return RG_OK;
}

/* ---- schemas ---- */

void rg_ps_schema_write(rg_buf *out, const rg_ps_schema *schema)
{
    rg_buf_u32(out, schema->mode);
    rg_buf_u32(out, schema->trainers);
    rg_buf_u32(out, (uint32_t)schema->n);
    for (size_t i = 0; i < schema->n; i++) {
        const rg_ps_var *var = &schema->vars[i];
        rg_ps_put_text(out, var->name);
        rg_ps_put_text(out, var->grad);
        rg_buf_u64(out, (uint64_t)var->begin);
        rg_buf_u64(out, (uint64_t)var->rows);
        rg_buf_u64(out, (uint64_t)var->width);
        rg_buf_u32(out, var->table);
    }
}

static rg_status read_var(rg_cursor *in, rg_ps_var *var)
{
    uint64_t begin, rows, width;
    uint32_t table;
    RG_TRY(rg_ps_get_text(in, &var->name));
    RG_TRY(rg_ps_get_text(in, &var->grad));
    RG_TRY(rg_cursor_u64(in, &begin));
    RG_TRY(rg_cursor_u64(in, &rows));
    RG_TRY(rg_cursor_u64(in, &width));
    RG_TRY(rg_cursor_u32(in, &table));
    const uint64_t most = (uint64_t)1 << 40;
    if (begin > most || rows > most || width > most || (width > 0 && rows > most / width))
        return rg_fail(RG_ECORRUPT, "variable %s has an impossible size", var->name);
    var->begin = (int64_t)begin;
    var->rows = (int64_t)rows;
    var->width = (int64_t)width;
    var->table = table != 0;
    return RG_OK;
}

rg_status rg_ps_schema_read(rg_ps_schema *schema, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    uint32_t count;
    *schema = (rg_ps_schema){0};
    RG_TRY(rg_cursor_u32(&in, &schema->mode));
    RG_TRY(rg_cursor_u32(&in, &schema->trainers));
    RG_TRY(rg_cursor_u32(&in, &count));
    if (count > RG_PS_MAX_VARS || count > in.left)
        return rg_fail(RG_ECORRUPT, "a server of %u variables", count);
    schema->vars = rg_alloc_zero((size_t)count + 1, sizeof *schema->vars);
    if (schema->vars == NULL)
        return rg_no_memory(count, "a server's variables");
    schema->n = count;
    rg_status code = RG_OK;
    for (uint32_t i = 0; code == RG_OK && i < count; i++)
        code = read_var(&in, &schema->vars[i]);
    if (code == RG_OK && in.left > 0)
        code = rg_fail(RG_ECORRUPT, "%zu bytes too many", in.left);
    if (code != RG_OK)
        rg_ps_schema_fini(schema);
    return code;
}

void rg_ps_schema_fini(rg_ps_schema *schema)
{
    for (size_t i = 0; i < schema->n; i++) {
        rg_free(schema->vars[i].name);
        rg_free(schema->vars[i].grad);
    }
    rg_free(schema->vars);
    *schema = (rg_ps_schema){0};
}

/* ---- pushes ---- */

void rg_push_write_head(rg_buf *out, uint64_t step, const uint32_t *dense, uint32_t n_dense,
                        const uint32_t *sparse, const uint32_t *sparse_n, uint32_t n_sparse,
                        const uint32_t *pull, uint32_t n_pull)
{
    size_t start = out->len;
    rg_buf_u64(out, step);
    rg_buf_u32(out, n_dense);
    rg_buf_u32(out, n_sparse);
    rg_buf_u32(out, n_pull);
    rg_buf_u32(out, 0);
    rg_buf_u64(out, 0);
    rg_buf_add(out, dense, n_dense * sizeof *dense);
    for (uint32_t i = 0; i < n_sparse; i++) {
        rg_buf_u32(out, sparse[i]);
        rg_buf_u32(out, sparse_n[i]);
    }
    rg_buf_add(out, pull, n_pull * sizeof *pull);
    while ((out->len - start) % RG_PS_ALIGN != 0)
        rg_buf_char(out, 0);
}

void rg_push_sign(rg_buf *head, int thread, bool taken, uint64_t position)
{
    enum { SIGNATURE = 20, POSITION = 24 };
    if (rg_buf_status(head) != RG_OK)
        return;
    head->data[SIGNATURE] = (uint8_t)(thread & 0xff);
    head->data[SIGNATURE + 1] = (uint8_t)(thread >> 8);
    head->data[SIGNATURE + 2] = taken;
    head->data[SIGNATURE + 3] = 0;
    for (int i = 0; i < 8; i++)
        head->data[POSITION + i] = (uint8_t)(position >> 8 * i);
}

void rg_push_tag_with(rg_buf *head, const rg_push_tag *tags, uint32_t n)
{
    enum { COUNT = 22 }; /* the bit below it says whether the answer before was taken */
    for (uint32_t i = 0; i < n; i++) {
        rg_buf_u32(head, tags[i].reading);
        rg_buf_u32(head, tags[i].range);
        rg_buf_u32(head, tags[i].generation);
        rg_buf_u32(head, 0);
        rg_buf_u64(head, tags[i].from);
        rg_buf_u64(head, tags[i].to);
    }
    if (rg_buf_status(head) != RG_OK)
        return;
    uint32_t signed_as = (uint32_t)(head->data[COUNT] & 1) | n << 1;
    head->data[COUNT] = (uint8_t)(signed_as & 0xff);
    head->data[COUNT + 1] = (uint8_t)(signed_as >> 8);
}

static rg_status bad_number(const char *what, uint32_t number, size_t n)
{
    return rg_fail(RG_ECORRUPT, "%s names variable %u of %zu", what, number, n);
}

/* What of a variable a push has named so far. */
enum { PUSHED = 1, WANTED = 2 };

static rg_status mark(uint8_t *seen, uint32_t number, uint8_t as, const char *what)
{
    if (seen[number] & as)
        return rg_fail(RG_ECORRUPT, "%s names variable %u twice", what, number);
    seen[number] |= as;
    return RG_OK;
}

/* The n numbers at the cursor, each of a variable that is no table. */
static rg_status take_numbers(rg_cursor *in, const rg_ps_schema *schema, uint32_t n,
                              const char *what, uint8_t *seen, uint8_t as, const uint32_t **out)
{
    const uint8_t *bytes;
    if (n > in->left / sizeof(uint32_t))
        return rg_fail(RG_ECORRUPT, "%s has %u variables, which do not fit", what, n);
    RG_TRY(rg_cursor_take(in, n * sizeof(uint32_t), &bytes));
    *out = (const uint32_t *)(const void *)bytes;
    for (uint32_t i = 0; i < n; i++) {
        if ((*out)[i] >= schema->n || schema->vars[(*out)[i]].table)
            return bad_number(what, (*out)[i], schema->n);
        RG_TRY(mark(seen, (*out)[i], as, what));
    }
    return RG_OK;
}

static rg_status take_payload(rg_cursor *in, uint64_t bytes, const uint8_t **out)
{
    if (bytes > in->left)
        return rg_fail(RG_ECORRUPT, "the push ends %llu bytes early",
                       (unsigned long long)(bytes - in->left));
    RG_TRY(rg_cursor_take(in, (size_t)bytes, out));
    size_t pad = rg_ps_padded((size_t)bytes) - (size_t)bytes;
    const uint8_t *padding;
    return rg_cursor_take(in, pad, &padding);
}

static rg_status read_sparse_heads(rg_push *push, rg_cursor *in, const rg_ps_schema *schema,
                                   uint8_t *seen)
{
    for (uint32_t i = 0; i < push->n_sparse; i++) {
        rg_push_rows *rows = &push->sparse[i];
        RG_TRY(rg_cursor_u32(in, &rows->var));
        RG_TRY(rg_cursor_u32(in, &rows->n));
        if (rows->var >= schema->n || !schema->vars[rows->var].table)
            return bad_number("a push of rows", rows->var, schema->n);
        RG_TRY(mark(seen, rows->var, PUSHED, "a push of rows"));
    }
    return RG_OK;
}

/* n values; those that do not travel as floats become floats in the arena. */
static rg_status take_floats(rg_cursor *in, rg_payload payload, size_t n, size_t group,
                             rg_arena *arena, const float **out)
{
    const uint8_t *bytes;
    RG_TRY(take_payload(in, rg_payload_bytes(payload, n, group), &bytes));
    *out = (const float *)(const void *)bytes;
    if (payload == RG_PAYLOAD_FLOATS)
        return RG_OK;
    float *floats = rg_arena_alloc(arena, (n + 1) * sizeof *floats);
    if (floats == NULL)
        return rg_no_memory(n * sizeof *floats, "a push");
    rg_payload_read(payload, floats, bytes, n, group);
    *out = floats;
    return RG_OK;
}

static rg_status read_payloads(rg_push *push, rg_cursor *in, const rg_ps_schema *schema,
                               rg_payload payload, rg_arena *arena)
{
    const uint8_t *bytes;
    for (uint32_t i = 0; i < push->n_dense; i++) {
        const rg_ps_var *var = &schema->vars[push->dense[i]];
        RG_TRY(take_floats(in, payload, (size_t)(var->rows * var->width), RG_PAYLOAD_BLOCK, arena,
                           &push->values[i]));
    }
    for (uint32_t i = 0; i < push->n_sparse; i++) {
        rg_push_rows *rows = &push->sparse[i];
        size_t width = (size_t)schema->vars[rows->var].width;
        RG_TRY(take_payload(in, rows->n * (uint64_t)sizeof(int64_t), &bytes));
        rows->ids = (const int64_t *)(const void *)bytes;
        if (width > 0 && rows->n > in->left / rg_payload_least(payload) / width)
            return rg_fail(RG_ECORRUPT, "%u rows of %s, which do not fit", rows->n,
                           schema->vars[rows->var].name);
        RG_TRY(take_floats(in, payload, rows->n * width, width, arena, &rows->rows));
    }
    return RG_OK;
}

static rg_status read_fixed(rg_push *push, rg_cursor *in)
{
    uint32_t signature = 0;
    *push = (rg_push){0};
    RG_TRY(rg_cursor_u64(in, &push->step));
    RG_TRY(rg_cursor_u32(in, &push->n_dense));
    RG_TRY(rg_cursor_u32(in, &push->n_sparse));
    RG_TRY(rg_cursor_u32(in, &push->n_pull));
    RG_TRY(rg_cursor_u32(in, &signature));
    RG_TRY(rg_cursor_u64(in, &push->position));
    push->thread = (uint16_t)(signature & 0xffff);
    push->taken = (signature >> 16 & 1) != 0;
    push->n_tags = signature >> 17;
    if (push->thread >= RG_PS_MAX_THREADS || push->n_tags > RG_PS_MAX_TAGS)
        return rg_fail(RG_ECORRUPT, "a push of thread %u, of examples of %u ranges", push->thread,
                       push->n_tags);
    return RG_OK;
}

rg_status rg_push_read_head(rg_push *push, const uint8_t *bytes, size_t n)
{
    return read_fixed(push, &(rg_cursor){bytes, n});
}

enum { FIXED_BYTES = 32, TAG_BYTES = 32 };

size_t rg_push_head_bytes(const rg_push *push, size_t n)
{
    uint64_t bytes = FIXED_BYTES + (uint64_t)push->n_dense * 4 + (uint64_t)push->n_sparse * 8 +
                     (uint64_t)push->n_pull * 4;
    bytes = push->n_tags > 0 ? rg_ps_padded(bytes) + (uint64_t)push->n_tags * TAG_BYTES : bytes;
    return bytes < n ? (size_t)bytes : n;
}

/* Ranges of examples, none of them empty. */
static rg_status read_tags(rg_push *push, rg_cursor *in, rg_arena *arena)
{
    if (push->n_tags > in->left / TAG_BYTES)
        return rg_fail(RG_ECORRUPT, "examples of %u ranges, which do not fit", push->n_tags);
    push->tags = rg_arena_alloc(arena, ((size_t)push->n_tags + 1) * sizeof *push->tags);
    if (push->tags == NULL)
        return rg_no_memory(push->n_tags * sizeof *push->tags, "a push");
    for (uint32_t i = 0; i < push->n_tags; i++) {
        rg_push_tag *tag = &push->tags[i];
        uint32_t zero;
        RG_TRY(rg_cursor_u32(in, &tag->reading));
        RG_TRY(rg_cursor_u32(in, &tag->range));
        RG_TRY(rg_cursor_u32(in, &tag->generation));
        RG_TRY(rg_cursor_u32(in, &zero));
        RG_TRY(rg_cursor_u64(in, &tag->from));
        RG_TRY(rg_cursor_u64(in, &tag->to));
        if (tag->from >= tag->to || zero != 0)
            return rg_fail(RG_ECORRUPT, "examples %llu to %llu of a range",
                           (unsigned long long)tag->from, (unsigned long long)tag->to);
    }
    return RG_OK;
}

rg_status rg_push_read(rg_push *push, rg_arena *arena, const rg_ps_schema *schema,
                       rg_payload payload, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    const uint8_t *padding;
    RG_TRY(read_fixed(push, &in));
    uint8_t *seen = rg_arena_zero(arena, schema->n + 1);
    if (seen == NULL)
        return rg_no_memory(schema->n, "a push");
    RG_TRY(take_numbers(&in, schema, push->n_dense, "a push", seen, PUSHED, &push->dense));
    if (push->n_sparse > in.left / 8)
        return rg_fail(RG_ECORRUPT, "%u tables, which do not fit", push->n_sparse);
    push->values = rg_arena_alloc(arena, ((size_t)push->n_dense + 1) * sizeof *push->values);
    push->sparse = rg_arena_alloc(arena, ((size_t)push->n_sparse + 1) * sizeof *push->sparse);
    if (push->values == NULL || push->sparse == NULL)
        return rg_no_memory(n, "a push");
    RG_TRY(read_sparse_heads(push, &in, schema, seen));
    RG_TRY(take_numbers(&in, schema, push->n_pull, "a pull", seen, WANTED, &push->pull));
    RG_TRY(rg_cursor_take(&in, rg_ps_padded(n - in.left) - (n - in.left), &padding));
    RG_TRY(read_tags(push, &in, arena));
    RG_TRY(read_payloads(push, &in, schema, payload, arena));
    return in.left == 0 ? RG_OK : rg_fail(RG_ECORRUPT, "%zu bytes too many", in.left);
}

/* ---- rows ---- */

rg_status rg_wanted_read(const uint8_t **at, size_t *left, const rg_ps_schema *schema,
                         rg_rows_wanted *wanted)
{
    rg_cursor in = {*at, *left};
    const uint8_t *ids;
    RG_TRY(rg_cursor_u32(&in, &wanted->var));
    RG_TRY(rg_cursor_u32(&in, &wanted->n));
    if (wanted->var >= schema->n || !schema->vars[wanted->var].table)
        return bad_number("a look-up", wanted->var, schema->n);
    if (wanted->n > in.left / sizeof(int64_t))
        return rg_fail(RG_ECORRUPT, "%u ids, which do not fit", wanted->n);
    RG_TRY(rg_cursor_take(&in, wanted->n * sizeof(int64_t), &ids));
    wanted->ids = (const int64_t *)(const void *)ids;
    *at = in.at;
    *left = in.left;
    return RG_OK;
}

/* ---- tensors ---- */

void rg_ps_put_tensor_head(rg_buf *out, rg_dtype dtype, const rg_shape *shape)
{
    rg_buf_u32(out, (uint32_t)dtype);
    rg_buf_u32(out, (uint32_t)shape->rank);
    for (int i = 0; i < shape->rank; i++)
        rg_buf_u64(out, (uint64_t)shape->dim[i]);
}

rg_status rg_ps_get_tensor_head(rg_cursor *in, rg_dtype *dtype, rg_shape *shape)
{
    uint32_t type, rank;
    *shape = (rg_shape){.rank = 0};
    RG_TRY(rg_cursor_u32(in, &type));
    RG_TRY(rg_cursor_u32(in, &rank));
    if (rank > RG_MAX_DIMS)
        return rg_fail(RG_ECORRUPT, "a tensor of %u dimensions", rank);
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t dim;
        RG_TRY(rg_cursor_u64(in, &dim));
        if (dim > (uint64_t)1 << 40)
            return rg_fail(RG_ECORRUPT, "a dimension of %llu", (unsigned long long)dim);
        shape->dim[shape->rank++] = (int64_t)dim;
    }
    if (!rg_dtype_valid((int)type))
        return rg_fail(RG_ECORRUPT, "a tensor of type %u", type);
    size_t bytes = rg_dtype_size((rg_dtype)type);
    for (int i = 0; i < shape->rank; i++)
        if (!rg_mul_size(bytes, (size_t)shape->dim[i], &bytes) || bytes > INT64_MAX)
            return rg_fail(RG_ECORRUPT, "a tensor of an impossible size");
    *dtype = (rg_dtype)type;
    return RG_OK;
}

rg_status rg_ps_get_tensor(const uint8_t *bytes, size_t n, rg_value *value)
{
    rg_cursor in = {bytes, n};
    rg_dtype dtype;
    rg_shape shape;
    RG_TRY(rg_ps_get_tensor_head(&in, &dtype, &shape));
    size_t wanted = (size_t)rg_shape_numel(&shape) * rg_dtype_size(dtype);
    if (wanted != in.left)
        return rg_fail(RG_ECORRUPT, "%zu bytes for a tensor of %zu", in.left, wanted);
    RG_TRY(rg_value_resize(value, dtype, &shape));
    if (in.left > 0)
        memcpy(value->data, in.at, in.left);
    return RG_OK;
}

/* ---- parts of tables in files ---- */

void rg_ps_change_write(rg_buf *out, const rg_ps_change *change)
{
    rg_buf_u32(out, change->call);
    rg_buf_u32(out, change->requests);
}

rg_status rg_ps_change_read(rg_cursor *in, rg_ps_change *change)
{
    RG_TRY(rg_cursor_u32(in, &change->call));
    RG_TRY(rg_cursor_u32(in, &change->requests));
    return change->call > 0 && change->requests > 0
               ? RG_OK
               : rg_fail(RG_ECORRUPT, "a request of call %u, which is of %u", change->call,
                         change->requests);
}

void rg_ps_save_write(rg_buf *out, const char *folder, const char *table)
{
    rg_ps_put_text(out, folder);
    rg_ps_put_text(out, table);
}

/* No text that a path could not be; a NUL inside it would end the path early. */
static rg_status read_path(rg_cursor *in, char **text)
{
    uint32_t n = 0;
    rg_cursor ahead = *in;
    RG_TRY(rg_cursor_u32(&ahead, &n));
    RG_TRY(rg_ps_get_text(in, text));
    for (uint32_t i = 0; i < n; i++)
        if ((unsigned char)(*text)[i] < ' ' || (*text)[i] == 127)
            return rg_fail(RG_EINVAL, "a control character in a path");
    return n > 0 ? RG_OK : rg_fail(RG_EINVAL, "an empty path");
}

rg_status rg_ps_save_read(rg_ps_save *save, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    *save = (rg_ps_save){0};
    rg_status code = read_path(&in, &save->folder);
    if (code == RG_OK)
        code = read_path(&in, &save->table);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    if (code == RG_OK)
        code = rg_path_check_inside(save->table);
    if (code != RG_OK)
        rg_ps_save_fini(save);
    return code;
}

void rg_ps_save_fini(rg_ps_save *save)
{
    rg_free(save->folder);
    rg_free(save->table);
    *save = (rg_ps_save){0};
}

/* ---- the programs of a server ---- */

void rg_ps_load_write_head(rg_buf *out, size_t n_startup, size_t n_main)
{
    rg_buf_u64(out, n_startup);
    rg_buf_u64(out, n_main);
}

rg_status rg_ps_load_read(rg_ps_load *load, const uint8_t *bytes, size_t n)
{
    rg_cursor in = {bytes, n};
    uint64_t n_startup = 0, n_main = 0;
    RG_TRY(rg_cursor_u64(&in, &n_startup));
    RG_TRY(rg_cursor_u64(&in, &n_main));
    if (n_startup == 0 || n_main == 0 || n_startup > in.left || n_main != in.left - n_startup)
        return rg_fail(RG_ECORRUPT, "programs of %llu and %llu bytes, in %zu",
                       (unsigned long long)n_startup, (unsigned long long)n_main, in.left);
    load->startup = in.at;
    load->n_startup = (size_t)n_startup;
    load->main = in.at + n_startup;
    load->n_main = (size_t)n_main;
    return RG_OK;
}
