/* echo.c - output of a child on its way to our own, and to its log.
 *
 * Who reads our output may stop (a pager, a stopped terminal). Then the child waits, as it would
 * if it wrote there itself; we must not, since we have others to watch. */
#include "sys/children_priv.h"

#include "base/mem.h"
#include "sys/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* PIPE_BUF bytes go into a pipe that is ready without waiting; the turns are bounded so that a
 * child that never stops writing does not keep us from the others. */
enum { TURNS = 64, FINISH_MS = 1000 };

static const uint64_t DRAWING_EVERY_NS = UINT64_C(10000000000);

static bool can_write(int to, int wait_ms)
{
    struct pollfd ready = {.fd = to, .events = POLLOUT};
    return poll(&ready, 1, wait_ms) > 0;
}

/* All of it, or until nobody reads any more: a lost terminal must not end a job. 0, or errno. */
static int write_all(int to, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(to, bytes, n);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    return 0;
}

static void keep(rg_child *child, const char *bytes, size_t n)
{
    size_t over = child->n_kept + n > ECHO_KEEP ? child->n_kept + n - ECHO_KEEP : 0;
    memmove(child->kept, child->kept + over, child->n_kept - over);
    memcpy(child->kept + child->n_kept - over, bytes, n);
    child->n_kept = child->n_kept - over + n;
}

/* Lines that are complete, or too long to wait for. */
static void write_lines(echo_stream *echo, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t room = ECHO_LINE - echo->n_held, part = n < room ? n : room;
        memcpy(echo->held + echo->n_held, bytes, part);
        echo->n_held += part;
        bytes += part;
        n -= part;
        const char *end = memrchr(echo->held, '\n', echo->n_held);
        size_t whole = end != NULL                ? (size_t)(end + 1 - echo->held)
                       : echo->n_held < ECHO_LINE ? 0
                                                  : echo->n_held;
        (void)write_all(echo->to, echo->held, whole);
        memmove(echo->held, echo->held + whole, echo->n_held - whole);
        echo->n_held -= whole;
    }
}

/* ---- the log: of a line that is drawn again and again it has one now and then, and the last ----
 */

static void log_bytes(rg_child *child, echo_stream *echo, const char *bytes, size_t n)
{
    if (n == 0)
        return;
    int failed = write_all(child->log, bytes, n);
    if (child->lost == 0)
        child->lost = failed;
    echo->in_line = bytes[n - 1] != '\n';
}

static void log_drawing(rg_child *child, echo_stream *echo)
{
    size_t n = echo->n_drawn;
    while (n > 0 && echo->drawn[n - 1] == ' ')
        n--; /* what blanks out an older drawing */
    echo->n_drawn = 0;
    if (n == 0)
        return;
    if (echo->in_line)
        log_bytes(child, echo, "\n", 1);
    log_bytes(child, echo, echo->drawn, n);
    log_bytes(child, echo, "\n", 1);
    echo->logged_ns = rg_clock_ns();
}

/* '\r': what was drawn is overwritten by what comes. */
static void draw_again(rg_child *child, echo_stream *echo)
{
    if (echo->drawn == NULL && (echo->drawn = rg_alloc(ECHO_LINE)) == NULL)
        return;
    if (rg_clock_ns() - echo->logged_ns >= DRAWING_EVERY_NS)
        log_drawing(child, echo);
    echo->redrawn = true;
    echo->n_drawn = 0;
}

static void log_piece(rg_child *child, echo_stream *echo, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t part = 0;
        while (part < n && bytes[part] != '\r' && (!echo->redrawn || bytes[part] != '\n'))
            part++;
        if (!echo->redrawn) {
            log_bytes(child, echo, bytes, part);
        } else {
            size_t room = ECHO_LINE - echo->n_drawn, fits = part < room ? part : room;
            memcpy(echo->drawn + echo->n_drawn, bytes, fits);
            echo->n_drawn += fits;
        }
        if (part < n && bytes[part] == '\r') {
            draw_again(child, echo);
        } else if (part < n) {
            if (echo->n_drawn > 0)
                log_drawing(child, echo);
            else
                log_bytes(child, echo, "\n", 1);
            echo->redrawn = false;
        }
        part += part < n;
        bytes += part;
        n -= part;
    }
}

/* One piece; false where there is none now, or never again (then the stream is closed). */
static bool move_piece(rg_child *child, echo_stream *echo, bool show)
{
    char bytes[PIPE_BUF];
    ssize_t n = read(echo->from, bytes, sizeof bytes);
    if (n > 0) {
        if (show && echo->held != NULL)
            write_lines(echo, bytes, (size_t)n);
        else if (show)
            (void)write_all(echo->to, bytes, (size_t)n);
        if (child->log >= 0)
            log_piece(child, echo, bytes, (size_t)n);
        else
            keep(child, bytes, (size_t)n);
        return true;
    }
    /* A terminal whose last writer has gone says EIO. */
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        (void)close(echo->from);
        echo->from = -1;
    }
    return false;
}

void rg_echo_move(rg_child *child)
{
    for (int i = 0; i < ECHO_STREAMS; i++) {
        echo_stream *echo = &child->echo[i];
        bool more = true;
        echo->blocked = false;
        for (int turn = 0; more && turn < TURNS && echo->from >= 0; turn++) {
            echo->blocked = !can_write(echo->to, 0);
            more = !echo->blocked && move_piece(child, echo, true);
        }
    }
}

void rg_echo_finish(rg_child *child)
{
    for (int i = 0; i < ECHO_STREAMS; i++) {
        bool show = true;
        /* What a pipe holds, and not what somebody who has left the group goes on writing. */
        for (int turn = 0; turn < TURNS && child->echo[i].from >= 0; turn++) {
            show = show && can_write(child->echo[i].to, FINISH_MS);
            if (!move_piece(child, &child->echo[i], show))
                break;
        }
        if (child->log >= 0 && child->echo[i].n_drawn > 0)
            log_drawing(child, &child->echo[i]);
        if (show && child->echo[i].n_held > 0)
            (void)write_all(child->echo[i].to, child->echo[i].held, child->echo[i].n_held);
    }
    rg_echo_close(child);
}

void rg_echo_close(rg_child *child)
{
    for (int i = 0; i < ECHO_STREAMS; i++) {
        if (child->echo[i].from >= 0)
            (void)close(child->echo[i].from);
        rg_free(child->echo[i].held);
        rg_free(child->echo[i].drawn);
        child->echo[i] = (echo_stream){.from = -1};
    }
    if (child->log >= 0)
        (void)close(child->log);
    child->log = -1;
}
