/* http.c - requests and answers over libmicrohttpd.
 *
 * Each connection has a thread of its own, so that one which takes its bytes slowly, or waits for
 * the next event, keeps nobody else waiting. There are few of them: browsers and Prometheus. */
#include "watch/http.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/cond.h"
#include "sys/host.h"
#include "watch/http_library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CONNECTIONS = 64,
    MAX_FROM_ONE = 48, /* a browser has six; behind one address there may be several people */
    MAX_REQUEST_BYTES = 32 << 10,
    MAX_BODY_BYTES = 64 << 20,
    SILENCE_SECONDS = 15,
    EVENT_MS = 1000,
    LAST_MS = 1000, /* for the last events to be taken */
    STACK_BYTES = 256 << 10,
};

struct rg_http {
    const rg_http_calls *mhd;
    struct MHD_Daemon *daemon;
    char *token; /* NULL: none is asked for */
    char *address;
    int port;
    rg_http_handler handler;
    void *ctx;
    pthread_mutex_t turn; /* one handler at a time; taken alone */
    pthread_mutex_t lock; /* guards what follows; taken alone */
    pthread_cond_t closing;
    bool is_closing;
    int streams; /* that have not sent their last */
};

/* ---- who may ask ---- */

/* In a time that does not say how much of it was right. */
static bool is_same_secret(const char *given, const char *wanted)
{
    size_t n = strlen(wanted), m = strlen(given);
    unsigned differ = n != m;
    for (size_t i = 0; i < m; i++)
        differ |= (unsigned)(given[i] ^ wanted[n > 0 ? i % n : 0]);
    return differ == 0;
}

static bool has_token(const rg_http *http, struct MHD_Connection *c)
{
    static const char BEARER[] = "Bearer ";
    const char *arg = http->mhd->lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token");
    const char *header = http->mhd->lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
    if (arg != NULL && is_same_secret(arg, http->token))
        return true;
    return header != NULL && strncmp(header, BEARER, sizeof BEARER - 1) == 0 &&
           is_same_secret(header + sizeof BEARER - 1, http->token);
}

/* "localhost:8040", "127.0.0.1", "[::1]:8040": not a name that its owner has pointed here. */
static bool is_loopback_name(const char *host)
{
    char name[RG_ADDRESS_TEXT];
    size_t n;
    if (host == NULL)
        return true; /* HTTP/1.0, which browsers do not speak */
    if (host[0] == '[') {
        host++;
        n = strcspn(host, "]");
    } else {
        n = strcspn(host, ":");
    }
    if (n >= sizeof name)
        return false;
    memcpy(name, host, n);
    name[n] = '\0';
    return strcmp(name, "localhost") == 0 || rg_address_is_loopback(name);
}

static rg_status check_right(const rg_http *http, struct MHD_Connection *c)
{
    if (http->token != NULL)
        return has_token(http, c)
                   ? RG_OK
                   : rg_fail(RG_EDENIED,
                             "a token is needed here: add ?token=... to the address, as "
                             "who started this was told it, or send it as "
                             "'Authorization: Bearer ...'");
    const char *host = http->mhd->lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    return is_loopback_name(host)
               ? RG_OK
               : rg_fail(RG_EDENIED, "this is for 127.0.0.1 and localhost alone: to be asked by "
                                     "another name it needs a token");
}

/* ---- answers ---- */

static unsigned http_code(rg_status code)
{
    switch (code) {
    case RG_OK:
        return MHD_HTTP_OK;
    case RG_ENOENT:
        return MHD_HTTP_NOT_FOUND;
    case RG_EINVAL:
        return MHD_HTTP_BAD_REQUEST;
    case RG_EDENIED:
        return MHD_HTTP_FORBIDDEN;
    default:
        return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

/* Nothing from elsewhere is loaded by what we serve, nothing of it is kept, and the token in its
 * address is told to nobody. */
static void add_headers(const rg_http *http, struct MHD_Response *r, const char *type)
{
    static const char *const fixed[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
         "connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
         "form-action 'none'"},
    };
    (void)http->mhd->add_response_header(r, "Content-Type", type);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        (void)http->mhd->add_response_header(r, fixed[i][0], fixed[i][1]);
}

static enum MHD_Result answer(const rg_http *http, struct MHD_Connection *c, unsigned code,
                              const char *type, const void *body, size_t n)
{
    struct MHD_Response *r = http->mhd->create_response_from_buffer(n, (void *)(uintptr_t)body,
                                                                    MHD_RESPMEM_MUST_COPY);
    if (r == NULL)
        return MHD_NO;
    add_headers(http, r, type);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)http->mhd->add_response_header(r, "Allow", "GET, HEAD");
    enum MHD_Result done = http->mhd->queue_response(c, code, r);
    http->mhd->destroy_response(r);
    return done;
}

static enum MHD_Result refuse(const rg_http *http, struct MHD_Connection *c, unsigned code)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s\n", rg_error_message());
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    return answer(http, c, code, "text/plain; charset=utf-8", text, n < 0 ? 0 : (size_t)n);
}

static rg_status ask(rg_http *http, const char *path, struct MHD_Connection *c, rg_buf *body,
                     const char **type)
{
    const void *both[] = {http, c};
    rg_http_request request = {.path = path, .connection = both};
    *type = "text/plain; charset=utf-8";
    pthread_mutex_lock(&http->turn);
    rg_status code = http->handler(http->ctx, &request, body, type);
    pthread_mutex_unlock(&http->turn);
    return code == RG_OK ? rg_buf_status(body) : code;
}

const char *rg_http_arg(const rg_http_request *request, const char *name)
{
    const void *const *both = request->connection;
    const rg_http *http = both[0];
    return http->mhd->lookup_connection_value((struct MHD_Connection *)(uintptr_t)both[1],
                                              MHD_GET_ARGUMENT_KIND, name);
}

/* ---- streams of events ---- */

typedef struct stream {
    rg_http *http;
    struct MHD_Connection *connection;
    char *path;
    rg_buf body;
    size_t sent;
    bool is_last; /* nothing comes behind what is in the body */
} stream;

static void stream_free(void *arg)
{
    stream *s = arg;
    pthread_mutex_lock(&s->http->lock);
    s->http->streams--;
    (void)pthread_cond_broadcast(&s->http->closing);
    pthread_mutex_unlock(&s->http->lock);
    rg_buf_fini(&s->body);
    rg_free(s->path);
    rg_free(s);
}

/* A second; false where the server ends meanwhile. */
static bool wait_for_next(rg_http *http)
{
    uint64_t until = rg_clock_ns() + EVENT_MS * UINT64_C(1000000), now;
    pthread_mutex_lock(&http->lock);
    while (!http->is_closing && (now = rg_clock_ns()) < until)
        (void)rg_cond_wait(&http->closing, &http->lock, until - now);
    bool go_on = !http->is_closing;
    pthread_mutex_unlock(&http->lock);
    return go_on;
}

static ssize_t stream_read(void *arg, uint64_t at, char *out, size_t max)
{
    stream *s = arg;
    const char *type;
    (void)at;
    if (s->sent == s->body.len) {
        if (s->is_last)
            return MHD_CONTENT_READER_END_OF_STREAM;
        s->is_last = !wait_for_next(s->http); /* who looks sees how it ended */
        rg_buf_clear(&s->body);
        s->sent = 0;
        if (ask(s->http, s->path, s->connection, &s->body, &type) != RG_OK)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (s->body.len == 0)
            rg_buf_text(&s->body, ":\n\n"); /* so that an end that has gone is seen */
    }
    size_t n = s->body.len - s->sent < max ? s->body.len - s->sent : max;
    memcpy(out, s->body.data + s->sent, n);
    s->sent += n;
    return (ssize_t)n;
}

/* Takes the body. */
static enum MHD_Result answer_stream(rg_http *http, struct MHD_Connection *c, const char *path,
                                     const char *type, rg_buf *body)
{
    stream *s = rg_alloc_zero(1, sizeof *s);
    char *copy = rg_strdup(path);
    if (s == NULL || copy == NULL) {
        rg_free(s);
        rg_free(copy);
        return MHD_NO;
    }
    *s = (stream){.http = http, .connection = c, .path = copy, .body = *body};
    rg_buf_init(body, 0);
    pthread_mutex_lock(&http->lock);
    http->streams++;
    pthread_mutex_unlock(&http->lock);
    struct MHD_Response *r = http->mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, 32 << 10,
                                                                      stream_read, s, stream_free);
    if (r == NULL) {
        stream_free(s);
        return MHD_NO;
    }
    add_headers(http, r, type);
    enum MHD_Result done = http->mhd->queue_response(c, MHD_HTTP_OK, r);
    http->mhd->destroy_response(r);
    return done;
}

/* ---- requests ---- */

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **state)
{
    rg_http *http = arg;
    rg_buf body;
    const char *type;
    (void)version;
    (void)upload;
    (void)upload_bytes;
    (void)state;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        rg_set_message("only GET and HEAD are answered");
        return refuse(http, c, MHD_HTTP_METHOD_NOT_ALLOWED);
    }
    if (check_right(http, c) != RG_OK)
        return refuse(http, c, http->token ? MHD_HTTP_UNAUTHORIZED : MHD_HTTP_FORBIDDEN);
    rg_buf_init(&body, MAX_BODY_BYTES);
    rg_status code = ask(http, path, c, &body, &type);
    enum MHD_Result done = code != RG_OK ? refuse(http, c, http_code(code))
                           : strcmp(type, "text/event-stream") == 0 && strcmp(method, "GET") == 0
                               ? answer_stream(http, c, path, type, &body)
                               : answer(http, c, MHD_HTTP_OK, type,
                                        body.data != NULL ? (char *)body.data : "", body.len);
    rg_buf_fini(&body);
    return done;
}

/* ---- opening and closing ---- */

/* What libmicrohttpd has to say is about requests that are broken: nobody here can help those. */
static void say_nothing(void *arg, const char *fmt, va_list args)
{
    (void)arg;
    (void)fmt;
    (void)args;
}

static rg_status make_address(rg_http *http, const char *host)
{
    rg_buf text;
    rg_buf_init(&text, 0);
    bool is_v6 = strchr(host, ':') != NULL;
    rg_buf_printf(&text, "http://%s%s%s:%d/", is_v6 ? "[" : "", host, is_v6 ? "]" : "", http->port);
    if (http->token != NULL)
        rg_buf_printf(&text, "?token=%s", http->token);
    rg_status code = rg_buf_status(&text);
    http->address = code == RG_OK ? rg_buf_take(&text) : NULL;
    rg_buf_fini(&text);
    return code;
}

typedef union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} any_address;

static void to_address(any_address *out, const char *text, int port)
{
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
    } else {
        (void)inet_pton(AF_INET6, text, &out->v6.sin6_addr);
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
    }
}

static rg_status start(rg_http *http, const char *host, const char *address, int port)
{
    any_address at;
    sigset_t all, before;
    to_address(&at, address, port);
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_POLL | MHD_USE_ERROR_LOG |
                     (at.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0u);
    /* Its threads take no signals: those are for the threads of the program. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = 0;
    http->daemon = http->mhd->start_daemon(
        flags, (uint16_t)port, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER,
        say_nothing, NULL, MHD_OPTION_SOCK_ADDR, &at.any, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)MAX_FROM_ONE,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_REQUEST_BYTES, MHD_OPTION_THREAD_STACK_SIZE,
        (size_t)STACK_BYTES, MHD_OPTION_END);
    int why = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (http->daemon == NULL)
        return rg_fail(RG_EIO, "cannot serve pages at %s:%d: %s", host, port,
                       why != 0 ? strerror(why) : "the port cannot be opened");
    const union MHD_DaemonInfo *info = http->mhd->get_daemon_info(http->daemon,
                                                                  MHD_DAEMON_INFO_BIND_PORT);
    http->port = info != NULL ? info->port : port;
    return make_address(http, host);
}

/* It stands in an address, and comes back decoded. */
static rg_status check_token(const char *token)
{
    for (const char *c = token; *c != '\0'; c++)
        if (strchr("-._~", *c) == NULL && !(*c >= '0' && *c <= '9') &&
            !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z'))
            return rg_fail(RG_EINVAL, "a token is letters, digits and - . _ ~ alone");
    return RG_OK;
}

rg_status rg_http_open(rg_http **out, const char *host, int port, const char *token,
                       rg_http_handler handler, void *ctx)
{
    char address[RG_ADDRESS_TEXT];
    const rg_http_calls *mhd;
    rg_status code;
    if (port < 0 || port > 65535)
        return rg_fail(RG_EINVAL, "port %d: ports are 0 to 65535", port);
    RG_TRY(rg_host_resolve(host, address));
    if (token != NULL && *token == '\0')
        token = NULL;
    if (token == NULL && !rg_address_is_loopback(address))
        return rg_fail(RG_EINVAL,
                       "%s can be reached from elsewhere: pages there need a token, or listen on "
                       "127.0.0.1",
                       host);
    if (token != NULL)
        RG_TRY(check_token(token));
    RG_TRY(rg_http_load(&mhd));
    rg_http *http = rg_alloc_zero(1, sizeof *http);
    if (http == NULL)
        return rg_no_memory(sizeof *http, "a server of pages");
    *http = (rg_http){.mhd = mhd, .handler = handler, .ctx = ctx};
    (void)pthread_mutex_init(&http->turn, NULL);
    (void)pthread_mutex_init(&http->lock, NULL);
    rg_cond_init(&http->closing);
    if (token != NULL && (http->token = rg_strdup(token)) == NULL)
        RG_TRY_GOTO(code, rg_no_memory(strlen(token), "a token"));
    RG_TRY_GOTO(code, start(http, host, address, port));
    *out = http;
    return RG_OK;
done:
    rg_http_close(http);
    return code;
}

int rg_http_port(const rg_http *http)
{
    return http->port;
}

const char *rg_http_address(const rg_http *http)
{
    return http->address;
}

void rg_http_close(rg_http *http)
{
    if (http == NULL)
        return;
    pthread_mutex_lock(&http->lock);
    http->is_closing = true;
    (void)pthread_cond_broadcast(&http->closing);
    uint64_t until = rg_clock_ns() + LAST_MS * UINT64_C(1000000), now;
    while (http->streams > 0 && (now = rg_clock_ns()) < until)
        (void)rg_cond_wait(&http->closing, &http->lock, until - now);
    pthread_mutex_unlock(&http->lock);
    if (http->daemon != NULL)
        http->mhd->stop_daemon(http->daemon);
    (void)pthread_cond_destroy(&http->closing);
    (void)pthread_mutex_destroy(&http->lock);
    (void)pthread_mutex_destroy(&http->turn);
    rg_free(http->address);
    rg_free(http->token);
    rg_free(http);
}
