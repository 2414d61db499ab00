/* page.c - what is answered to whoever looks at a job. */
#include "watch/page.h"

#include "base/json.h"
#include "base/mem.h"
#include "ir/op.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "watch/http.h"
#include "watch/page_html.h"
#include "watch/state.h"
#include "watch/tail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PROGRAM_BYTES = 16 << 20,
    LOG_LINES = 200,
    MAX_LOG_LINES = 5000,
    MAX_LOG_BYTES = 1 << 20
};

struct rg_page {
    rg_watch_state *state; /* used by handlers alone, which run one at a time */
    rg_http *http;
};

/* ---- files ---- */

static rg_status show_log(const rg_page *page, const rg_http_request *request, rg_buf *body)
{
    const char *process = rg_http_arg(request, "process"), *asked = rg_http_arg(request, "lines");
    long lines = asked != NULL ? strtol(asked, NULL, 10) : LOG_LINES;
    rg_buf path;
    /* Only names of processes: whatever else is asked for names no file. */
    const rg_watched *p = NULL;
    for (size_t i = 0; process != NULL && i < page->state->n; i++)
        if (strcmp(page->state->processes[i]->name, process) == 0)
            p = page->state->processes[i];
    if (p == NULL || p->role == RG_WATCHED_LAUNCHER)
        return rg_fail(RG_ENOENT, "give process=worker.0 or another one of the job");
    if (lines < 1 || lines > MAX_LOG_LINES)
        return rg_fail(RG_EINVAL, "lines=%s: 1 to %d", asked, MAX_LOG_LINES);
    rg_buf_init(&path, 0);
    rg_buf_printf(&path, "%s/%slog.%d", page->state->log_dir,
                  p->role == RG_WATCHED_WORKER ? "worker" : "server", p->index);
    if (!rg_path_exists(rg_buf_cstr(&path))) { /* as PaddleRec calls them */
        rg_buf_clear(&path);
        rg_buf_printf(&path, "%s/%s", page->state->log_dir, p->name);
    }
    rg_status code = rg_buf_status(&path);
    if (code == RG_OK)
        code = rg_tail_last(rg_buf_cstr(&path), (size_t)lines, MAX_LOG_BYTES, body);
    rg_buf_fini(&path);
    return code;
}

static rg_status show_program(const rg_page *page, rg_buf *body)
{
    rg_buf path;
    rg_buf_init(&path, 0);
    rg_buf_printf(&path, "%s/program.worker.0.json", page->state->watch_dir);
    rg_status code = rg_buf_status(&path);
    if (code == RG_OK && !rg_path_exists(rg_buf_cstr(&path)))
        code = rg_fail(RG_ENOENT, "no program has been trained yet");
    if (code == RG_OK)
        code = rg_file_read_all(rg_buf_cstr(&path), MAX_PROGRAM_BYTES, body);
    rg_buf_fini(&path);
    return code;
}

/* ---- documentation ---- */

static void add_slots(rg_buf *out, const char *name, const rg_slot *slots)
{
    rg_buf_printf(out, ",\"%s\":[", name);
    for (int i = 0; slots != NULL && slots[i].name != NULL; i++) {
        rg_buf_text(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        rg_json_string(out, slots[i].name);
        rg_buf_printf(out, ",\"list\":%s,\"optional\":%s,\"doc\":",
                      slots[i].flags & RG_REPEATED ? "true" : "false",
                      slots[i].flags & RG_OPTIONAL ? "true" : "false");
        rg_json_string(out, slots[i].doc != NULL ? slots[i].doc : "");
        rg_buf_char(out, '}');
    }
    rg_buf_char(out, ']');
}

static rg_status show_op(const rg_http_request *request, rg_buf *body)
{
    const char *type = rg_http_arg(request, "type");
    const rg_op *op = type != NULL ? rg_op_find(type) : NULL;
    if (op == NULL)
        return rg_fail(RG_ENOENT, "there is no such op: %s",
                       type != NULL ? type : "type= is missing");
    rg_buf_text(body, "{\"type\":");
    rg_json_string(body, op->type);
    rg_buf_text(body, ",\"doc\":");
    rg_json_string(body, op->doc != NULL ? op->doc : "");
    add_slots(body, "inputs", op->in);
    add_slots(body, "outputs", op->out);
    rg_buf_text(body, ",\"attrs\":[");
    for (int i = 0; op->attr != NULL && op->attr[i].value.name != NULL; i++) {
        rg_buf_text(body, i > 0 ? ",{\"name\":" : "{\"name\":");
        rg_json_string(body, op->attr[i].value.name);
        rg_buf_printf(body, ",\"type\":\"%s\",\"doc\":", rg_attr_type_name(op->attr[i].value.type));
        rg_json_string(body, op->attr[i].doc != NULL ? op->attr[i].doc : "");
        rg_buf_char(body, '}');
    }
    rg_buf_text(body, "]}");
    return RG_OK;
}

/* ---- the server ---- */

static rg_status handle(void *ctx, const rg_http_request *request, rg_buf *body,
                        const char **content_type)
{
    rg_page *page = ctx;
    const char *path = request->path;
    static const char json[] = "application/json; charset=utf-8";
    if (strcmp(path, "/") == 0) {
        *content_type = "text/html; charset=utf-8";
        rg_buf_add(body, rg_page_html, rg_page_html_bytes);
        return RG_OK;
    }
    RG_TRY(rg_watch_state_poll(page->state, rg_clock_unix()));
    if (strcmp(path, "/api/job") == 0) {
        *content_type = json;
        rg_watch_state_json(page->state, body);
    } else if (strcmp(path, "/api/events") == 0) {
        *content_type = "text/event-stream";
        rg_buf_text(body, "data: ");
        rg_watch_state_json(page->state, body);
        rg_buf_text(body, "\n\n");
    } else if (strcmp(path, "/api/log") == 0) {
        return show_log(page, request, body);
    } else if (strcmp(path, "/api/program") == 0) {
        *content_type = json;
        return show_program(page, body);
    } else if (strcmp(path, "/api/op") == 0) {
        *content_type = json;
        return show_op(request, body);
    } else if (strcmp(path, "/metrics") == 0) {
        *content_type = "text/plain; version=0.0.4; charset=utf-8";
        rg_watch_state_metrics(page->state, body);
    } else {
        return rg_fail(RG_ENOENT, "there is nothing here: the page is at /");
    }
    return RG_OK;
}

rg_status rg_page_open(rg_page **out, const char *log_dir, const char *host, int port,
                       const char *token)
{
    rg_page *page = rg_alloc_zero(1, sizeof *page);
    if (page == NULL)
        return rg_no_memory(sizeof *page, "a page");
    rg_status code = rg_watch_state_open(&page->state, log_dir);
    if (code == RG_OK)
        code = rg_http_open(&page->http, host, port, token, handle, page);
    if (code != RG_OK) {
        rg_page_close(page);
        return code;
    }
    *out = page;
    return RG_OK;
}

const char *rg_page_address(const rg_page *page)
{
    return rg_http_address(page->http);
}

void rg_page_close(rg_page *page)
{
    if (page == NULL)
        return;
    rg_http_close(page->http);
    rg_watch_state_close(page->state);
    rg_free(page);
}
