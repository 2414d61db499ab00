/* serve_whole.c - variables as a whole: read for a save, given a value, their rows dropped. */
#include "dist/serve_priv.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <string.h>

static rg_status copy_variable(rg_engine *s, rg_server_task *task)
{
    size_t n;
    const uint8_t *body = rg_rpc_request_body(task->request, &n);
    rg_cursor in = {body, n};
    uint64_t first = 0, rows = 0;
    char *name = NULL;
    rg_status code = rg_handshake_read_text(&in, &name);
    if (code == RG_OK)
        code = rg_cursor_u64(&in, &first);
    if (code == RG_OK)
        code = rg_cursor_u64(&in, &rows);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    if (code == RG_OK)
        code = rg_serve_get(s, name, (int64_t)first, (int64_t)rows, &task->reply);
    rg_free(name);
    return code;
}

static void end_copy(rg_server_task *task)
{
    rg_free(task);
}

void rg_serve_get_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    rg_server_task *task = rg_alloc_zero(1, sizeof *task);
    if (task == NULL) {
        rg_rpc_refuse(request, RG_ENOMEM, "no memory");
        return;
    }
    rg_rpc_request_alone(request);
    *task = (rg_server_task){.request = request, .copy = copy_variable, .close = end_copy};
    rg_buf_init(&task->reply, 0);
    rg_serve_later(s, RG_QUEUE_COPIES, task);
}

void rg_serve_set_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_cursor in = {body, n};
    rg_value value;
    char *name = NULL;
    rg_value_init(&value);
    rg_status code = rg_handshake_read_text(&in, &name);
    if (code == RG_OK)
        code = rg_handshake_read_tensor(in.at, in.left, &value);
    if (code == RG_OK)
        code = rg_serve_set(s, name, &value);
    if (code != RG_OK)
        rg_rpc_refuse(request, code, "%s", rg_error_message());
    else
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    rg_value_fini(&value);
    rg_free(name);
}

/* {name} empties the table; {name, u32 calls} drops what was not touched for so many calls. */
void rg_serve_shrink(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    (void)trainer;
    size_t n;
    const uint8_t *body = rg_rpc_request_body(request, &n);
    rg_cursor in = {body, n};
    char *name = NULL;
    uint32_t unseen = 0;
    uint64_t rows = 0;
    rg_served *var = NULL;
    bool clear = rg_rpc_request_method(request) == RG_PS_CLEAR;
    rg_status code = rg_handshake_read_text(&in, &name);
    if (code == RG_OK && !clear)
        code = rg_cursor_u32(&in, &unseen);
    if (code == RG_OK)
        code = rg_cursor_end(&in);
    for (size_t i = 0; code == RG_OK && i < s->schema.n; i++)
        if (strcmp(s->schema.vars[i].name, name) == 0 && s->vars[i].table != NULL)
            var = &s->vars[i];
    if (code == RG_OK && var == NULL)
        code = rg_fail(RG_ENOENT, "this server has no table %s", name);
    if (code == RG_OK)
        code = clear ? rg_served_clear(var, &rows) : rg_served_shrink(var, unseen, &rows);
    if (code != RG_OK)
        rg_rpc_refuse(request, code, "%s", rg_error_message());
    else
        rg_rpc_reply(request, 0, &(rg_iov){&rows, sizeof rows}, 1, NULL, NULL);
    rg_free(name);
}
