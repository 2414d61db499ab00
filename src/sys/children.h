/* children.h - child processes that are watched until they end.
 *
 * Each child leads a process group of its own, so that ending it ends what it has started too:
 * when a leader has ended, whatever is left of its group is killed at once. No child outlives
 * this process, not even where it is killed with SIGKILL: the kernel kills the leaders (parent
 * death signal), and a guard, a process that only waits for our end, kills their groups.
 *
 * A child reads nothing (/dev/null) and writes both its outputs to a log file, or to us where it
 * is echoed: then its output appears on our own stdout and stderr as it comes, and in the log.
 * Where ours is a terminal an echoed child has one too, so that it draws its progress bar.
 *
 * One set at a time in a process, used by one thread. While a set is open, SIGINT, SIGTERM and
 * SIGHUP are its events instead of ending this process. Those that come within a quarter of a
 * second of one that was told are not told: whoever asks once may send several. timeout(1) signals
 * its child, and then the group that this is in. */
#ifndef RG_SYS_CHILDREN_H
#define RG_SYS_CHILDREN_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_children rg_children;

typedef struct rg_child_spec {
    const char *const *argv; /* ended by NULL; argv[0] is looked for on our PATH */
    const char *const *env;  /* "NAME=value", ended by NULL */
    const char *log;         /* path of the log, begun anew; NULL: none */
    bool append;             /* keep what the log has */
    bool echo;               /* must be set where there is no log */
    bool whole_lines;        /* echo line by line, since others are echoed too; no terminal */
} rg_child_spec;

typedef struct rg_child_end {
    long pid;
    int code;          /* exit status, or -1 where a signal ended it */
    int signal;        /* 0: none */
    int64_t max_rss;   /* the most memory it had, in bytes */
    uint64_t after_ns; /* how long it ran */
} rg_child_end;

typedef enum rg_child_event {
    RG_CHILD_ENDED,    /* *child and *end are set */
    RG_CHILD_SIGNAL,   /* we got SIGINT, SIGTERM or SIGHUP: *child is its number */
    RG_CHILD_LOG_LOST, /* the log of *child does not get all that it writes; once for each */
    RG_CHILD_TIMEOUT,  /* nothing happened */
} rg_child_event;

/* RG_EINVAL where a set is open already. Owned; ended by rg_children_close(). */
rg_status rg_children_open(rg_children **children);
/* Kills what still runs, groups included, and gives the signals back. NULL is allowed. */
void rg_children_close(rg_children *children);

/* Children are numbered from 0 in the order of starting. `spec` is borrowed for the
 * call. A program that is not there or may not be run is RG_ENOENT, and nothing has been started.
 */
rg_status rg_children_start(rg_children *children, const rg_child_spec *spec);
/* In the place of one that has ended, with its number. */
rg_status rg_children_start_again(rg_children *children, int child, const rg_child_spec *spec);
int rg_children_count(const rg_children *children);
long rg_children_pid(const rg_children *children, int child);
bool rg_children_running(const rg_children *children, int child);
/* Whether it stands still: by SIGSTOP, or in a debugger. */
bool rg_children_stopped(const rg_children *children, int child);

/* Moves echoed output and waits for what comes next, at most until `deadline_ns` of
 * rg_clock_ns(). Each end is told once. */
rg_status rg_children_wait(rg_children *children, uint64_t deadline_ns, rg_child_event *event,
                           int *child, rg_child_end *end);
/* Why the log of a child is not complete: the system's reason; NULL: it is, as far as is known. A
 * child that is not echoed writes by itself: of its log only a full disk is known. */
const char *rg_children_log_lost(const rg_children *children, int child);
/* To the whole group of a child that runs; nothing where it has ended. */
void rg_children_signal(rg_children *children, int child, int signal);
/* The last `max_bytes` of what a child wrote, at most: from its log, or from what was echoed. */
rg_status rg_children_tail(const rg_children *children, int child, size_t max_bytes, rg_buf *out);

#endif
