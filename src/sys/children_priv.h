/* children_priv.h - what the files of children.h share. */
#ifndef RG_SYS_CHILDREN_PRIV_H
#define RG_SYS_CHILDREN_PRIV_H

#include "sys/children.h"

#include <sys/types.h>

enum { ECHO_STREAMS = 2, ECHO_KEEP = 8192, ECHO_LINE = 4096 };

/* Output of an echoed child on its way to us. */
typedef struct echo_stream {
    int from;     /* -1: none */
    int to;       /* our own stdout or stderr */
    bool blocked; /* nobody reads what we write: wait for that first */
    char *held;   /* of ECHO_LINE bytes: the line so far; NULL: bytes go on as they come */
    size_t n_held;
    /* On its way to the log, where a line that is drawn again and again would be a mess: */
    bool redrawn; /* since its last '\n' a '\r' has come; what follows waits in `drawn` */
    bool in_line; /* the log ends inside a line */
    char *drawn;  /* of ECHO_LINE bytes; made with the first '\r' */
    size_t n_drawn;
    uint64_t logged_ns; /* when a drawing was written to the log last */
} echo_stream;

typedef struct rg_child {
    pid_t pid;
    bool running;
    uint64_t started_ns;
    char *log_path; /* NULL: none */
    int log;        /* only of an echoed child; -1: none */
    echo_stream echo[ECHO_STREAMS];
    int lost;       /* errno of the first write to the log that failed; 0: none */
    bool lost_told; /* RG_CHILD_LOG_LOST has been returned for it */
    char *kept;     /* ring of the last ECHO_KEEP echoed bytes, where there is no log */
    size_t n_kept;
} rg_child;

/* spawn.c: the child's process up to its program. On success pid, log and echo are set. */
rg_status rg_spawn(rg_child *out, const rg_child_spec *spec);

/* echo.c: what has come so far; a stream at its end is closed. */
void rg_echo_move(rg_child *child);
/* What is left when the child has ended, and the end of its streams. */
void rg_echo_finish(rg_child *child);
void rg_echo_close(rg_child *child);

/* guard.c: the process that kills the groups it was told of when we have ended. */
rg_status rg_guard_start(int *to_guard, pid_t *pid);
void rg_guard_tell(int to_guard, pid_t group, bool watch);
void rg_guard_stop(int to_guard, pid_t pid);

#endif
