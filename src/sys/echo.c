/* echo.c - output of a child on its way to our own, and to its log. */
#include "sys/children_priv.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* All of it, or until nobody reads any more: a lost terminal must not end a job. */
static void write_all(int to, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(to, bytes, n);
        if (done < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = to, .events = POLLOUT};
            (void)poll(&ready, 1, 1000);
        } else if (done < 0 && errno != EINTR) {
            return;
        } else if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
}

static void keep(rg_child *child, const char *bytes, size_t n)
{
    if (n >= ECHO_KEEP) {
        memcpy(child->kept, bytes + n - ECHO_KEEP, ECHO_KEEP);
        child->n_kept = ECHO_KEEP;
        return;
    }
    size_t over = child->n_kept + n > ECHO_KEEP ? child->n_kept + n - ECHO_KEEP : 0;
    memmove(child->kept, child->kept + over, child->n_kept - over);
    memcpy(child->kept + child->n_kept - over, bytes, n);
    child->n_kept = child->n_kept - over + n;
}

void rg_echo_move(rg_child *child)
{
    char bytes[16384];
    for (int i = 0; i < ECHO_STREAMS; i++) {
        echo_stream *echo = &child->echo[i];
        ssize_t n = -1;
        while (echo->from >= 0 && (n = read(echo->from, bytes, sizeof bytes)) > 0) {
            write_all(echo->to, bytes, (size_t)n);
            if (child->log >= 0)
                write_all(child->log, bytes, (size_t)n);
            else
                keep(child, bytes, (size_t)n);
        }
        /* A terminal whose last writer has gone says EIO. */
        if (echo->from >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
            (void)close(echo->from);
            echo->from = -1;
        }
    }
}

void rg_echo_close(rg_child *child)
{
    for (int i = 0; i < ECHO_STREAMS; i++)
        if (child->echo[i].from >= 0) {
            (void)close(child->echo[i].from);
            child->echo[i].from = -1;
        }
    if (child->log >= 0)
        (void)close(child->log);
    child->log = -1;
}
