/* state.h - how a job is, from what its processes write into LOG_DIR/watch.
 *
 * The files (docs/guide-watch.md) are read as they grow, in the order of their times over all
 * processes: so a job that runs and one that ended long ago, read in one go, come out the same.
 * Memory is bounded: curves are thinned (series.h), old events are let go and counted.
 *
 * One thread at a time. What stands in the files is foreign: a line that cannot be read is counted
 * and passed over. */
#ifndef RG_WATCH_STATE_H
#define RG_WATCH_STATE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/status.h"
#include "watch/series.h"

#include <stdbool.h>
#include <stdint.h>

enum { RG_WATCH_NAME = 32, RG_WATCH_TEXT = 512, RG_WATCH_RECENT = 16, RG_STEP_PARTS = 5 };

extern const char *const rg_step_parts[RG_STEP_PARTS]; /* read, pull, compute, push, wait */

typedef struct rg_watched_event {
    double t;
    char kind[16], who[RG_WATCH_NAME], text[RG_WATCH_TEXT];
} rg_watched_event;

/* One number that a process tells of itself. */
typedef struct rg_watched_metric {
    char *key; /* regatta_table_rows{table="emb"} */
    double value;
    double before; /* of a counter: what lives before this one had counted; in `value`, too */
    rg_point recent[RG_WATCH_RECENT];
    unsigned n_recent; /* ever: the newest is recent[(n_recent - 1) % RG_WATCH_RECENT] */
} rg_watched_metric;

typedef enum rg_watched_role {
    RG_WATCHED_WORKER,
    RG_WATCHED_SERVER,
    RG_WATCHED_LAUNCHER
} rg_watched_role;

typedef struct rg_watched {
    char name[RG_WATCH_NAME]; /* worker.0 */
    rg_watched_role role;
    int index;
    long pid;
    char host[64], endpoint[64];
    int incarnation;
    double started, newest; /* times of the life that runs, and of its last line; 0: never */
    bool has_ended;
    int status;     /* when it has */
    char said[16];  /* what the launcher says of it; "": nothing */
    double stepped; /* when it last made a step; 0: never */
    rg_map metrics; /* key -> rg_watched_metric */
    struct rg_tail *tail;
} rg_watched;

typedef struct rg_watch_state {
    char *log_dir, *watch_dir;
    rg_watched **processes; /* workers, then servers, by number; the launcher last */
    size_t n, cap;
    rg_watched_event *events; /* by time */
    size_t n_events;
    uint64_t forgotten_events, bad_lines;
    char bad_line[RG_WATCH_TEXT]; /* where the last one stands */
    char job[128];
    double started, newest, now; /* 0: nothing was said yet */
    double ticked;
    rg_series examples, loss, auc, test_loss, test_auc, table_bytes, progress;
    double loss_t, auc_t, test_loss_t, test_auc_t; /* up to when each has been taken in */
} rg_watch_state;

/* `folder` is a job's log folder, or the folder watch in it. RG_ENOENT where there is neither; that
 * nothing is in it yet is no error. */
rg_status rg_watch_state_open(rg_watch_state **out, const char *folder);
void rg_watch_state_close(rg_watch_state *state); /* NULL is allowed */
/* Takes in what was written since the last call. `now` is in seconds since 1970. */
rg_status rg_watch_state_poll(rg_watch_state *state, double now);
/* One line of a process's file, as poll() does it. */
void rg_watch_state_line(rg_watch_state *state, rg_watched *of, const char *line, size_t n);
/* The process of this name, made where it is new; NULL where it is no name or memory is short. */
rg_watched *rg_watch_state_process(rg_watch_state *state, const char *name);

/* ---- what follows from it ---- */

/* Its value; `or` where there is none. */
bool rg_watched_is_counter(const char *key); /* by its name */
double rg_watched_value(const rg_watched *p, const char *key, double or);
/* How much a counter grew in a second, lately; 0 where the process is silent. */
double rg_watched_rate(const rg_watch_state *state, const rg_watched *p, const char *key);
/* starting, running, waiting, stopped, dead, finished, failed, silent */
const char *rg_watched_state(const rg_watch_state *state, const rg_watched *p);
/* Nobody of it runs any more. */
bool rg_watch_has_ended(const rg_watch_state *state);
/* running, stalled, stopped, finished, failed, ended, silent, empty */
const char *rg_watch_status(const rg_watch_state *state);
/* Shares of the time of its threads, which add up to 1; false: it has made no step lately. */
bool rg_watched_split(const rg_watch_state *state, const rg_watched *p,
                      double share[RG_STEP_PARTS]);
/* The worker for which the others wait, or which is furthest behind, and where its time goes:
 * "data", "compute" or "network". NULL: there is none. *behind: its share of the others' mean rate.
 */
const rg_watched *rg_watch_slowest(const rg_watch_state *state, const char **reason,
                                   double *behind);
/* Seconds until all data has been read; -1: not known. */
double rg_watch_eta(const rg_watch_state *state);
double rg_watch_progress(const rg_watch_state *state); /* 0 to 1; -1: not known */
double rg_watch_examples(const rg_watch_state *state);
double rg_watch_examples_per_second(const rg_watch_state *state);

/* All of it, {"job": ..., "processes": [...], ...}, on one line. */
void rg_watch_state_json(const rg_watch_state *state, rg_buf *out);
/* Prometheus' text: the newest numbers of all processes, each with process="worker.0". */
void rg_watch_state_metrics(const rg_watch_state *state, rg_buf *out);

#endif
