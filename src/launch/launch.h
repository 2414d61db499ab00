/* launch.h - the processes of a job on this host, from their start to their common end.
 *
 * A job is workers and servers. It succeeds when every worker has ended with status 0; servers
 * then end by themselves, and those that do not within a few seconds are told to. It fails when
 * a worker or a server ends otherwise: the others are ended (SIGTERM, and SIGKILL to what is
 * left within 5 seconds, whole process groups), and a card says who failed first, how, with its
 * last lines and what to try. Who ended first need not be the one: a process that says it failed
 * because of another (sys/because.h) gives that one a moment to end, and the blame. SIGINT, SIGTERM
 * and SIGHUP to this process end the job likewise; with `grace_ms` workers first, and all have that
 * long; another SIGINT or SIGTERM kills what is left. Processes can know that it is no failure
 * (sys/ending.h). Nothing survives this process (sys/children.h).
 *
 * With `restarts` a process that dies is started again (launch/restart.h), with the same
 * environment but for REGATTA_INCARNATION, which says how often. One that ended because of another
 * is not: the job is over then.
 *
 * Everything for people goes to stderr; what an echoed process prints, to where it printed it.
 * The environment of a process is never shown. */
#ifndef RG_LAUNCH_LAUNCH_H
#define RG_LAUNCH_LAUNCH_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum rg_launch_role { RG_LAUNCH_SERVER, RG_LAUNCH_WORKER } rg_launch_role;

typedef struct rg_launch_process {
    rg_launch_role role;
    int index;               /* among those of its role */
    const char *const *argv; /* ended by NULL */
    const char *const *env;  /* "NAME=value", ended by NULL; all of its environment */
    const char *log;         /* NULL: none, it must be echoed */
    bool append;             /* keep what the log has */
    bool echo;               /* show its output here too; several: line by line */
    bool spare; /* a worker that is started when somebody asks for one more (launch/join.h); such
                 * processes are the last */
} rg_launch_process;

typedef struct rg_launch_job {
    const rg_launch_process *processes; /* started in this order */
    int n;
    const char *log_dir;   /* for messages; NULL: there are no logs */
    const char *run_dir;   /* where processes leave ROLE.N.report and .because; NULL: nowhere */
    int grace_ms;          /* how long all may take to end when this process is told to; 0: 4 s */
    int server_wait_ms;    /* how long servers may take to end by themselves; 0: 5 s */
    int restarts;          /* how often a worker that died is started again; 0: it ends the job */
    bool restarts_servers; /* servers too: what they have is not lost with them (a journal) */
    int least_workers;    /* the job goes on while so many have not died for good; 0: all of them */
    const char *join_dir; /* workers come and go: where one more is asked for; NULL: they do not */
    /* What is told of the job while it runs (launch/watching.h); NULL: nothing. */
    const char *watch_dir;
    double stall_seconds;  /* no step for so long is told; 0: 10 */
    const char *page_host; /* where its page is served; NULL: it is not */
    int page_port;         /* 0: one that is free */
    const char *page_token;
} rg_launch_job;

/* Runs the job to its end. *exit_status is then 0, or what this process should exit with: the
 * status of the process that failed first, 128 + the signal that ended it, or 128 + the signal
 * that ended us. A failure to start or to wait is an error; nothing runs any more then. */
rg_status rg_launch_run(const rg_launch_job *job, int *exit_status);

/* ---- reports (report.c) ---- */

/* A worker may leave a file worker.N.report in the folder that REGATTA_RUN_DIR names: lines
 * "examples=NUMBER" and "file=PATH", one for each file it has read, or, of leased data,
 * "leased=EXAMPLES RANGES GIVEN_BACK" over all workers; later numbers replace
 * earlier ones, and lines with other names are for later versions. */
typedef struct rg_launch_report {
    bool found;
    long long examples; /* -1: not said */
    long long leased;   /* examples of all workers, dealt by the servers; -1: not said */
    int ranges, returned;
    const char **files; /* texts of `text`, sorted, each once */
    size_t n_files;
    char *text;
} rg_launch_report;

/* Reads one. `text` is copied. RG_ECORRUPT for a line without '=' or a number that is none. */
rg_status rg_launch_report_parse(rg_launch_report *report, const char *text, size_t length);
void rg_launch_report_fini(rg_launch_report *report);
/* Of the job's workers: one phrase on examples for each (empty: none was said), and one line on
 * each file that more than one worker has read, up to a few. */
rg_status rg_launch_report_text(const char *run_dir, const rg_launch_job *job, rg_buf *examples,
                                rg_buf *twice);

#endif
