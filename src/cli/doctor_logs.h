/* doctor_logs.h - what one log says, and which cause that is. */
#ifndef RG_CLI_DOCTOR_LOGS_H
#define RG_CLI_DOCTOR_LOGS_H

#include "cli/doctor.h"
#include "launch/job_end.h"

#include <stdbool.h>

typedef struct rg_line {
    long number; /* from 1; 0: there is none */
    char text[2048];
} rg_line;

/* One log, after all its lines were given to rg_log_line(). */
typedef struct rg_log_story {
    rg_launch_process process;
    char name[256];
    rg_line error; /* the last exception, or error of ours, that is its own */
    rg_line peer;  /* the last that names another process as the cause, */
    rg_launch_process blames;
    rg_line strong;   /* a line that is a cause wherever it stands, as "No space left on device" */
    rg_line last;     /* of any kind, but for empty ones */
    char place[1024]; /* FILE:LINE of the script where the exception was raised */
    bool in_traceback;
    char frame[1024]; /* of the traceback that is being read */
} rg_log_story;

void rg_log_line(rg_log_story *log, const rg_line *line);

typedef struct rg_verdict {
    char kind[32];   /* "data", "memory", ... */
    char text[2688]; /* a line, its place and words about them */
    char how[256];   /* the end of the process; "": not known */
    char kernel[512];
    rg_line line;
    char place[1024];
    char advice[1024];
} rg_verdict;

/* `log` may be NULL (the process left none), and `failure` (the launcher left no word). */
void rg_verdict_make(rg_verdict *verdict, const rg_log_story *log,
                     const rg_launch_failure *failure);
/* What LOG_DIR/watch has of it, where that is there: to stdout, or events alone into `json`.
 * `first` may be NULL. */
void rg_doctor_watched(const char *folder, const rg_launch_process *first, rg_buf *json);
void rg_verdict_interrupted(rg_verdict *verdict, int signal);
void rg_verdict_say(rg_verdict *verdict, const char *kind, const char *text, const char *advice);

#endif
