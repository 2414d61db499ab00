/* test_http.c - pages over real sockets: who is answered, who is refused, and that one who is slow
 * or rude does not keep others out. */
#include "check.h"

#include "sys/clock.h"
#include "watch/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CEILING_MS = 20000, MANY = 100 };

static rg_status handle(void *ctx, const rg_http_request *request, rg_buf *body,
                        const char **content_type)
{
    int *events = ctx;
    if (strcmp(request->path, "/echo") == 0) {
        const char *text = rg_http_arg(request, "text");
        rg_buf_text(body, text != NULL ? text : "nothing");
    } else if (strcmp(request->path, "/events") == 0) {
        *content_type = "text/event-stream";
        rg_buf_printf(body, "data: %d\n\n", ++*events);
    } else if (strcmp(request->path, "/bad") == 0) {
        return rg_fail(RG_EINVAL, "that is no good");
    } else {
        return rg_fail(RG_ENOENT, "no such page");
    }
    return RG_OK;
}

static int dial(const rg_http *http)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)rg_http_port(http))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* What comes until the end, or until `until` stands in it. */
static size_t receive(int fd, char *out, size_t size, const char *until)
{
    size_t n = 0;
    out[0] = '\0';
    while (n + 1 < size && (until == NULL || strstr(out, until) == NULL)) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, CEILING_MS) != 1)
            fail_msg("no answer; so far: %s", out);
        ssize_t got = recv(fd, out + n, size - n - 1, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        out[n] = '\0';
    }
    return n;
}

static void exchange(const rg_http *http, const char *request, char *out, size_t size)
{
    int fd = dial(http);
    /* The other end may have refused before all was said. */
    (void)send(fd, request, strlen(request), MSG_NOSIGNAL);
    (void)receive(fd, out, size, NULL);
    close(fd);
}

#define CLOSE   "Connection: close\r\n\r\n"
#define HERE    "Host: 127.0.0.1\r\n"
#define GET(at) "GET " at " HTTP/1.1\r\n"

static void assert_says(const rg_http *http, const char *request, const char *code,
                        const char *text)
{
    char out[8192];
    exchange(http, request, out, sizeof out);
    if (strstr(out, code) == NULL || strstr(out, text) == NULL)
        fail_msg("'%s' and '%s' were expected of: %s", code, text, out);
}

static void on_loopback_everybody_of_this_machine_is_answered(void **state)
{
    rg_http *http;
    int events = 0;
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    assert_true(rg_http_port(http) > 0);
    assert_says(http, GET("/echo?text=a%20b%3C") HERE CLOSE, " 200 ", "a b<");
    assert_says(http, GET("/echo") HERE CLOSE, "Content-Security-Policy", "nothing");
    assert_says(http, GET("/echo") "Host: localhost:8040\r\n" CLOSE, " 200 ", "nothing");
    assert_says(http, GET("/echo") "Host: [::1]:8040\r\n" CLOSE, " 200 ", "nothing");
    assert_says(http, GET("/none") HERE CLOSE, " 404 ", "no such page");
    assert_says(http, GET("/bad") HERE CLOSE, " 400 ", "that is no good");
    assert_says(http, "POST /echo HTTP/1.1\r\n" HERE "Content-Length: 2\r\n" CLOSE "ab", " 405 ",
                "Allow: GET");
    /* A page of another site, whose name was pointed to this machine. */
    assert_says(http, GET("/echo") "Host: rebound.example\r\n" CLOSE, " 403 ", "token");
    rg_http_close(http);
}

static void elsewhere_and_where_asked_a_token_is_needed(void **state)
{
    rg_http *http;
    int events = 0;
    (void)state;
    assert_fails(rg_http_open(&http, "0.0.0.0", 0, NULL, handle, &events), RG_EINVAL, "token");
    assert_fails(rg_http_open(&http, "0.0.0.0", 0, "a b", handle, &events), RG_EINVAL, "letters");
    assert_ok(rg_http_open(&http, "0.0.0.0", 0, "secret-1", handle, &events));
    assert_non_null(strstr(rg_http_address(http), "?token=secret-1"));
    assert_says(http, GET("/echo") HERE CLOSE, " 401 ", "?token=");
    assert_says(http, GET("/echo?token=secret") HERE CLOSE, " 401 ", "?token=");
    assert_says(http, GET("/echo?token=secret-1") HERE CLOSE, " 200 ", "nothing");
    assert_says(http, GET("/echo") HERE "Authorization: Bearer secret-1\r\n" CLOSE, " 200 ",
                "nothing");
    assert_says(http, GET("/echo") HERE "Authorization: Bearer secret-2\r\n" CLOSE, " 401 ",
                "token");
    rg_http_close(http);
}

static void a_request_that_is_too_long_or_none_is_refused(void **state)
{
    rg_http *http;
    int events = 0;
    char out[4096];
    enum { LONG = 1 << 20 };
    char *longest = test_malloc(LONG + 64);
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    memset(longest, 'a', LONG);
    memcpy(longest, "GET /", 5);
    memcpy(longest + LONG, " HTTP/1.1\r\n\r\n", 14);
    exchange(http, longest, out, sizeof out);
    assert_null(strstr(out, " 200 "));
    exchange(http, "\x16\x03\x01\x02 no HTTP at all\r\n\r\n", out, sizeof out);
    assert_null(strstr(out, " 200 "));
    assert_says(http, GET("/echo?text=still") HERE CLOSE, " 200 ", "still");
    rg_http_close(http);
    test_free(longest);
}

static void connections_that_say_nothing_are_bounded_and_end(void **state)
{
    rg_http *http;
    int events = 0, idle[MANY], closed = 0;
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    for (int i = 0; i < MANY; i++)
        idle[i] = dial(http);
    /* Those over the limit are closed at once, the others are not. */
    for (int waits = 0; waits < CEILING_MS / 10 && closed < MANY / 4; waits++) {
        rg_clock_sleep(UINT64_C(10000000));
        closed = 0;
        for (int i = 0; i < MANY; i++) {
            struct pollfd p = {.fd = idle[i], .events = POLLIN};
            closed += poll(&p, 1, 0) == 1;
        }
    }
    assert_true(closed >= MANY / 4 && closed < MANY);
    for (int i = 0; i < MANY; i++)
        close(idle[i]);
    char out[4096];
    for (int tries = 0; tries < CEILING_MS / 10; tries++) {
        exchange(http, GET("/echo?text=free") HERE CLOSE, out, sizeof out);
        if (strstr(out, "free") != NULL)
            break;
        rg_clock_sleep(UINT64_C(10000000));
    }
    assert_non_null(strstr(out, "free"));
    /* One that is still silent does not keep the server from its end. */
    int silent = dial(http);
    rg_http_close(http);
    close(silent);
}

static void a_stream_of_events_goes_on_and_ends_with_the_server(void **state)
{
    rg_http *http;
    int events = 0;
    char out[4096];
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    int fd = dial(http);
    static const char asked[] = GET("/events") HERE "\r\n";
    assert_int_equal(send(fd, asked, sizeof asked - 1, MSG_NOSIGNAL), sizeof asked - 1);
    (void)receive(fd, out, sizeof out, "data: 2");
    assert_non_null(strstr(out, "text/event-stream"));
    /* Others are answered meanwhile. */
    assert_says(http, GET("/echo?text=also") HERE CLOSE, " 200 ", "also");
    rg_http_close(http);
    (void)receive(fd, out, sizeof out, NULL); /* comes to an end */
    close(fd);
}

enum { CLIENTS = 6, REQUESTS = 25 };

static void *ask_many(void *arg)
{
    const rg_http *http = arg;
    for (int i = 0; i < REQUESTS; i++) {
        int fd = dial(http);
        char out[4096];
        static const char echo[] = GET("/echo?text=mine") HERE CLOSE;
        static const char stream[] = GET("/events") HERE "\r\n";
        const char *asked = i % 5 == 4 ? stream : echo;
        (void)send(fd, asked, strlen(asked), MSG_NOSIGNAL);
        if (i % 5 != 3) /* who goes before he is answered */
            (void)receive(fd, out, sizeof out, i % 5 == 4 ? "data: " : "mine");
        close(fd);
    }
    return NULL;
}

/* Under ThreadSanitizer (make test-tsan) it is the threads that this is about. */
static void several_ask_at_once(void **state)
{
    rg_http *http;
    int events = 0;
    pthread_t clients[CLIENTS];
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i], NULL, ask_many, http), 0);
    for (int i = 0; i < CLIENTS; i++)
        (void)pthread_join(clients[i], NULL);
    assert_says(http, GET("/echo?text=after") HERE CLOSE, " 200 ", "after");
    rg_http_close(http);
}

static void a_port_in_use_is_named(void **state)
{
    rg_http *http, *second;
    int events = 0;
    char port[16];
    (void)state;
    assert_ok(rg_http_open(&http, "127.0.0.1", 0, NULL, handle, &events));
    (void)snprintf(port, sizeof port, "%d", rg_http_port(http));
    assert_fails(rg_http_open(&second, "127.0.0.1", rg_http_port(http), NULL, handle, &events),
                 RG_EIO, port);
    rg_http_close(http);
    rg_http_close(NULL);
}

RUN(cmocka_unit_test(on_loopback_everybody_of_this_machine_is_answered),
    cmocka_unit_test(elsewhere_and_where_asked_a_token_is_needed),
    cmocka_unit_test(a_request_that_is_too_long_or_none_is_refused),
    cmocka_unit_test(connections_that_say_nothing_are_bounded_and_end),
    cmocka_unit_test(a_stream_of_events_goes_on_and_ends_with_the_server),
    cmocka_unit_test(several_ask_at_once), cmocka_unit_test(a_port_in_use_is_named))
