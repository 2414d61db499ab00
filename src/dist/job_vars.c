/* job_vars.c - whole variables of a server: read in as many answers as it takes, set, shrunk. */
#include "base/mem.h"
#include "dist/fan_out.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <string.h>

/* Rows from `first` on, as many as the server gives at a time. */
static rg_status get_some(rg_job *job, int server, const char *name, int64_t first, rg_value *rows)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t bytes = 0;
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, name);
    rg_buf_u64(&body, (uint64_t)first);
    rg_buf_u64(&body, (uint64_t)-1);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_job_ask(job, server, RG_PS_GET, &(rg_iov){body.data, body.len}, 1, &reply,
                          &bytes);
    rg_buf_fini(&body);
    if (code == RG_OK)
        code = rg_ps_get_tensor(reply, bytes, rows);
    rg_free(reply);
    return code;
}

/* Another row would have found its place in the answer: there is none. */
static bool is_all(const rg_value *rows)
{
    int64_t n = rows->meta.shape.rank > 0 ? rows->meta.shape.dim[0] : 0;
    size_t bytes = rg_value_bytes(rows);
    return n == 0 || bytes == 0 || bytes + bytes / (size_t)n <= RG_PS_GET_BYTES;
}

/* A variable that is read in many answers. */
typedef struct reading {
    const char *name, *endpoint;
    rg_value whole;    /* with room for more than has come */
    int64_t rows, all; /* that have come, and that the server has said there are */
    uint64_t start_ns, word_ns;
} reading;

static int64_t rows_said(const rg_ps_schema *schema, const char *name)
{
    for (size_t v = 0; v < schema->n; v++)
        if (strcmp(schema->vars[v].name, name) == 0)
            return schema->vars[v].rows;
    return 0;
}

/* Memory for so many rows: for all at once, so that what is too large is refused before it comes.
 */
static rg_status make_room(reading *r, const rg_meta *meta, int64_t rows)
{
    rg_value larger;
    rg_shape shape = meta->shape;
    shape.dim[0] = rows;
    rg_value_init(&larger);
    rg_status code = rg_value_resize(&larger, meta->dtype, &shape);
    if (code != RG_OK) {
        char text[RG_SHAPE_TEXT];
        rg_value_fini(&larger);
        return rg_context(code, "%s %s, whole", r->name, rg_shape_text(&shape, text));
    }
    if (r->rows > 0)
        memcpy(larger.data, r->whole.data,
               (size_t)r->rows * (rg_value_bytes(&larger) / (size_t)rows));
    rg_value_fini(&r->whole);
    r->whole = larger;
    return RG_OK;
}

static rg_status add_rows(reading *r, const rg_value *more)
{
    int64_t n = more->meta.shape.dim[0];
    if (r->whole.data == NULL || r->rows + n > r->whole.meta.shape.dim[0])
        RG_TRY(make_room(r, &more->meta, r->rows + n > r->all ? 2 * (r->rows + n) : r->all));
    size_t bytes = rg_value_bytes(more), row = n > 0 ? bytes / (size_t)n : 0;
    if (bytes > 0)
        memcpy((uint8_t *)r->whole.data + (size_t)r->rows * row, more->data, bytes);
    r->rows += n;
    return RG_OK;
}

static void say_how_far(reading *r)
{
    enum { WORD_S = 10 };
    uint64_t now = rg_clock_ns(), second = 1000 * 1000 * 1000;
    if (now < r->word_ns)
        return;
    if (r->word_ns > 0)
        rg_log(RG_LOG_W, "ps",
               "variable=%s server=%s \"reading it\" rows=%lld of=%lld seconds=%llu", r->name,
               r->endpoint, (long long)r->rows, (long long)r->all,
               (unsigned long long)((now - r->start_ns) / second));
    else
        r->start_ns = now;
    r->word_ns = now + WORD_S * second;
}

static rg_status read_on(reading *r, rg_job *job, int server)
{
    rg_value more;
    rg_status code = RG_OK;
    rg_value_init(&more);
    for (bool last = false; code == RG_OK && !last;) {
        say_how_far(r);
        code = get_some(job, server, r->name, r->rows, &more);
        if (code != RG_OK)
            break;
        rg_shape wanted = r->whole.meta.shape;
        wanted.dim[0] = more.meta.shape.rank > 0 ? more.meta.shape.dim[0] : -1;
        if (more.meta.dtype != r->whole.meta.dtype || !rg_shape_equal(&more.meta.shape, &wanted))
            code = rg_fail(RG_ECORRUPT, "%s has another shape from row %lld on", r->name,
                           (long long)r->rows);
        else
            code = add_rows(r, &more);
        last = is_all(&more);
    }
    rg_value_fini(&more);
    return code;
}

/* What comes after the first answer, which `value` has, behind it. */
static rg_status get_rest(rg_job *job, int server, const char *endpoint, const char *name,
                          rg_value *value)
{
    reading r = {
        .name = name, .endpoint = endpoint, .all = rows_said(&job->servers[server].schema, name)};
    rg_value_init(&r.whole);
    rg_status code = add_rows(&r, value);
    if (code == RG_OK)
        code = read_on(&r, job, server);
    rg_shape shape = r.whole.meta.shape;
    shape.dim[0] = r.rows;
    if (code == RG_OK)
        code = rg_value_resize(&r.whole, r.whole.meta.dtype, &shape);
    if (code == RG_OK)
        code = rg_value_share(value, &r.whole);
    rg_value_fini(&r.whole);
    return code;
}

rg_status rg_job_get(rg_job *job, const char *endpoint, const char *name, rg_value *value)
{
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    RG_TRY(get_some(job, server, name, 0, value));
    return is_all(value) ? RG_OK : get_rest(job, server, endpoint, name, value);
}

rg_ps_change rg_job_change(rg_job *job, size_t requests)
{
    return (rg_ps_change){atomic_fetch_add(&job->changes, 1) + 1, (uint32_t)requests};
}

rg_status rg_job_set(rg_job *job, const rg_ps_change *change, const char *endpoint,
                     const char *name, const rg_value *value)
{
    rg_buf body;
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    rg_buf_init(&body, 0);
    rg_ps_change_write(&body, change);
    rg_ps_put_text(&body, name);
    rg_ps_put_tensor_head(&body, value->meta.dtype, &value->meta.shape);
    rg_status code = rg_buf_status(&body);
    const rg_iov iov[2] = {{body.data, body.len}, {value->data, rg_value_bytes(value)}};
    if (code == RG_OK)
        code = rg_job_ask(job, server, RG_PS_SET, iov, 2, NULL, NULL);
    rg_buf_fini(&body);
    return code;
}

rg_status rg_job_shrink(rg_job *job, const rg_ps_change *change, const char *endpoint,
                        const char *name, int unseen, uint64_t *rows)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t bytes = 0;
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    rg_buf_init(&body, 0);
    rg_ps_change_write(&body, change);
    rg_ps_put_text(&body, name);
    if (unseen >= 0)
        rg_buf_u32(&body, (uint32_t)unseen);
    rg_status code = rg_buf_status(&body);
    if (code == RG_OK)
        code = rg_job_ask(job, server, unseen < 0 ? RG_PS_CLEAR : RG_PS_SHRINK,
                          &(rg_iov){body.data, body.len}, 1, &reply, &bytes);
    *rows = 0;
    if (code == RG_OK && bytes == sizeof *rows)
        memcpy(rows, reply, bytes);
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}
