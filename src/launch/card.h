/* card.h - the root-cause card: who failed first, how, and what to try. */
#ifndef RG_LAUNCH_CARD_H
#define RG_LAUNCH_CARD_H

#include "base/buf.h"
#include "launch/launch.h"
#include "sys/children.h"

#include <stdint.h>

typedef struct rg_launch_failure {
    const rg_launch_process *process;
    rg_child_end end;
    const char *tail;     /* the last of its output; "" where there is none */
    const char *log_dir;  /* NULL: there are no logs */
    int64_t oom_kills;    /* processes killed for want of memory meanwhile; -1: not known */
    int64_t memory_limit; /* of all of us; -1: none */
    int also;             /* how many others failed by themselves before they were told to end */
    const rg_launch_process *given_up; /* because of which it failed, and which ran on; or NULL */
    bool given_up_stands;              /* stopped by a signal */
    int starts;                        /* how often it was started again */
    bool in_a_loop;                    /* and died at once each time */
    bool no_journal; /* others are started again; a server is only where there is a journal */
} rg_launch_failure;

const char *rg_launch_role_name(rg_launch_role role); /* "worker", "server" */
/* "worker 1", "server 0" */
void rg_launch_who(rg_buf *out, const rg_launch_process *process);
/* "12.3 s", "2 min 5 s", "3 h 10 min" */
void rg_launch_duration(rg_buf *out, uint64_t ns);
/* "exit code 1 (...)", "signal 9, SIGKILL (...)" */
void rg_launch_how(rg_buf *out, const rg_child_end *end);
/* "worker 1 still ran when the others gave it up", where there is one, and what follows it. */
void rg_launch_given_up(rg_buf *out, const rg_launch_failure *failure, const char *then);
/* What to do about it, as the end alone says. */
void rg_launch_advice(rg_buf *out, const rg_launch_failure *failure);
void rg_launch_card(rg_buf *out, const rg_launch_failure *failure);

#endif
