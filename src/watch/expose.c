/* expose.c - /metrics of this process. */
#include "watch/expose.h"

#include "sys/flags.h"
#include "sys/log.h"
#include "sys/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *flag)
{
    const char *text = "";
    (void)rg_flag_text(flag, &text);
    return text;
}

bool rg_expose_is_wanted(void)
{
    const char *port = text_of("metrics_port");
    return port[0] != '\0' && strcmp(port, "0") != 0;
}

/* 0: any that is free. */
static rg_status read_port(int *port)
{
    const char *text = text_of("metrics_port");
    char *end = NULL;
    long number = strtol(text, &end, 10);
    *port = 0;
    if (strcmp(text, "auto") == 0)
        return RG_OK;
    if (end == text || *end != '\0' || number < 1 || number > 65535)
        return rg_fail(RG_EINVAL,
                       "FLAGS_metrics_port is '%s', and may be a port, auto, or 0 for none", text);
    *port = (int)number;
    return RG_OK;
}

static rg_status answer(void *ctx, const rg_http_request *request, rg_buf *body,
                        const char **content_type)
{
    (void)ctx;
    if (strcmp(request->path, "/metrics") != 0)
        return rg_fail(RG_ENOENT, "there is /metrics here, and nothing else");
    *content_type = "text/plain; version=0.0.4; charset=utf-8";
    rg_metrics_text(body);
    return rg_buf_status(body);
}

/* On other addresses than loopback who asks needs the job's key. */
rg_status rg_expose_open(rg_http **out, char *address, size_t size)
{
    const char *host = text_of("metrics_host");
    bool local = strcmp(host, "127.0.0.1") == 0 || strcmp(host, "localhost") == 0 ||
                 strcmp(host, "::1") == 0;
    int port;
    *out = NULL;
    address[0] = '\0';
    if (!rg_expose_is_wanted())
        return RG_OK;
    RG_TRY(read_port(&port));
    rg_status code = rg_http_open(out, host, port, local ? NULL : getenv("REGATTA_JOB_KEY"), answer,
                                  NULL);
    if (code != RG_OK) {
        *out = NULL;
        return rg_context(code, "FLAGS_metrics_port=%s", text_of("metrics_port"));
    }
    (void)snprintf(address, size, "http://%s%s%s:%d/metrics", strchr(host, ':') ? "[" : "", host,
                   strchr(host, ':') ? "]" : "", rg_http_port(*out));
    rg_log(RG_LOG_I, "watch", "metrics=%s", address);
    return RG_OK;
}
