/* http.h - a small HTTP server: what a process shows of itself to a browser or to Prometheus.
 *
 * It reads only: GET and HEAD, without bodies. libmicrohttpd does the protocol, loaded when a
 * server is first opened, so that nobody else needs it. Connections are bounded in number, in all
 * and from one address, in the memory that each may take, and in the time they may say nothing.
 *
 * On loopback everybody of this machine may ask, but not the pages of other sites (whose names may
 * lead here): a Host that is no name of loopback is refused. On other addresses, or where a token
 * is given, requests must have it: "?token=T" or "Authorization: Bearer T".
 *
 * Handlers run in threads of the server, one at a time. */
#ifndef RG_WATCH_HTTP_H
#define RG_WATCH_HTTP_H

#include "base/buf.h"
#include "base/status.h"

typedef struct rg_http rg_http;

typedef struct rg_http_request {
    const char *path;       /* "/api/job", without the query */
    const void *connection; /* for rg_http_arg() */
} rg_http_request;

/* The value of `name` in the query, decoded; NULL: it is not there. Borrowed until the handler
 * returns. */
const char *rg_http_arg(const rg_http_request *request, const char *name);

/* The answer's body, appended to `body`, and its type, a text that lasts. RG_ENOENT is 404,
 * RG_EINVAL 400, RG_EDENIED 403, and anything else 500, with the message as the body.
 *
 * "text/event-stream" goes on: the handler is asked again each second, until the other end has
 * gone or an error comes, and what it appends is sent. */
typedef rg_status (*rg_http_handler)(void *ctx, const rg_http_request *request, rg_buf *body,
                                     const char **content_type);

/* Listens at `host`, a name or an address, and `port`, 0: one that is free. token NULL or "": none,
 * which is refused (RG_EINVAL) where host is not loopback. `ctx` is borrowed until the end. */
rg_status rg_http_open(rg_http **out, const char *host, int port, const char *token,
                       rg_http_handler handler, void *ctx);
int rg_http_port(const rg_http *http);
/* "http://127.0.0.1:8040/", with "?token=..." where one is needed. Borrowed. */
const char *rg_http_address(const rg_http *http);
/* Ends all connections; no handler runs afterwards. NULL is allowed. */
void rg_http_close(rg_http *http);

#endif
