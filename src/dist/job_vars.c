/* job_vars.c - whole variables of a server: read in as many answers as it takes, set, shrunk. */
#include "base/mem.h"
#include "dist/fan_out.h"

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

/* What comes after the first answer, which `value` has, behind it. */
static rg_status get_rest(rg_job *job, int server, const char *name, rg_value *value)
{
    rg_value more;
    rg_buf all;
    rg_shape shape = value->meta.shape;
    bool last = false;
    rg_value_init(&more);
    rg_buf_init(&all, 0);
    rg_buf_add(&all, value->data, rg_value_bytes(value));
    rg_status code = rg_buf_status(&all);
    while (code == RG_OK && !last) {
        code = get_some(job, server, name, shape.dim[0], &more);
        if (code != RG_OK)
            break;
        rg_shape wanted = shape;
        wanted.dim[0] = more.meta.shape.rank > 0 ? more.meta.shape.dim[0] : -1;
        if (more.meta.dtype != value->meta.dtype || !rg_shape_equal(&more.meta.shape, &wanted)) {
            code = rg_fail(RG_ECORRUPT, "%s has another shape from row %lld on", name,
                           (long long)shape.dim[0]);
            break;
        }
        shape.dim[0] += wanted.dim[0];
        rg_buf_add(&all, more.data, rg_value_bytes(&more));
        code = rg_buf_status(&all);
        last = is_all(&more);
    }
    if (code == RG_OK)
        code = rg_value_resize(value, value->meta.dtype, &shape);
    if (code == RG_OK)
        memcpy(value->data, all.data, all.len);
    rg_value_fini(&more);
    rg_buf_fini(&all);
    return code;
}

rg_status rg_job_get(rg_job *job, const char *endpoint, const char *name, rg_value *value)
{
    int server;
    RG_TRY(rg_job_server_at(job, endpoint, &server));
    RG_TRY(get_some(job, server, name, 0, value));
    return is_all(value) ? RG_OK : get_rest(job, server, name, value);
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
