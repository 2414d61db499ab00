/* judge.c - what follows from a job's numbers: rates, states, who is slow and why. */
#include "watch/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rates are over the last seconds: short, so that what has just changed is seen. */
static const double WINDOW = 2.0;
/* Samples come each second: who says nothing for so long is stopped, cut off, or dead. */
static const double SILENT = 5.0, LOST = 15.0;
static const double NO_STEP = 3.0; /* a worker that makes none, and computes nothing, waits */

double rg_watched_value(const rg_watched *p, const char *key, double or)
{
    const rg_watched_metric *m = rg_map_get(&p->metrics, key);
    return m != NULL ? m->value : or ;
}

/* What the launcher knows of the process itself. */
static bool stands(const rg_watched *p)
{
    return strcmp(p->said, "stopped") == 0 || strcmp(p->said, "dead") == 0 ||
           strcmp(p->said, "finished") == 0;
}

static bool is_silent(const rg_watch_state *s, const rg_watched *p, double seconds)
{
    return p->newest == 0 || s->now - p->newest > seconds;
}

double rg_watched_rate(const rg_watch_state *s, const rg_watched *p, const char *key)
{
    const rg_watched_metric *m = rg_map_get(&p->metrics, key);
    if (m == NULL || m->n_recent < 2 || p->has_ended || stands(p) || is_silent(s, p, SILENT))
        return 0;
    double begin = p->newest - WINDOW;
    unsigned kept = m->n_recent < RG_WATCH_RECENT ? m->n_recent : RG_WATCH_RECENT, back = 1;
    while (back < kept && m->recent[(m->n_recent - back) % RG_WATCH_RECENT].t > begin)
        back++;
    const rg_point *then = &m->recent[(m->n_recent - back) % RG_WATCH_RECENT];
    /* Values are told when they change: one from before is the value at `begin`, too. */
    double over = then->t < begin ? WINDOW : p->newest - then->t;
    double grew = m->value - then->v;
    return over > 0 && grew > 0 ? grew / over : 0;
}

/* ---- states ---- */

static const rg_watched *launcher_of(const rg_watch_state *s)
{
    const rg_watched *last = s->n > 0 ? s->processes[s->n - 1] : NULL;
    return last != NULL && last->role == RG_WATCHED_LAUNCHER ? last : NULL;
}

bool rg_watch_has_ended(const rg_watch_state *s)
{
    const rg_watched *launcher = launcher_of(s);
    if (launcher != NULL && launcher->newest > 0)
        return launcher->has_ended;
    for (size_t i = 0; i < s->n; i++)
        if (!s->processes[i]->has_ended)
            return false;
    return s->n > 0;
}

const char *rg_watched_state(const rg_watch_state *s, const rg_watched *p)
{
    if (p->said[0] != '\0' && strcmp(p->said, "running") != 0)
        return p->said;
    if (p->has_ended)
        return p->status == 0 ? "finished" : "failed";
    if (p->newest == 0)
        return rg_watch_has_ended(s) ? "ended" : "starting";
    if (p->role == RG_WATCHED_LAUNCHER)
        return s->now - s->newest > LOST ? "silent" : "running";
    if (rg_watch_has_ended(s))
        return "ended";
    if (is_silent(s, p, LOST))
        return "silent";
    if (p->stepped > 0 && s->now - p->stepped > NO_STEP &&
        rg_watched_rate(s, p, "regatta_process_cpu_seconds_total") < 0.2)
        return "waiting";
    return "running";
}

static bool is_stalled(const rg_watch_state *s)
{
    for (size_t i = s->n_events; i-- > 0;) {
        bool is_over = false;
        if (strcmp(s->events[i].kind, "stalled") != 0)
            continue;
        for (size_t k = i + 1; k < s->n_events && !is_over; k++)
            is_over = strcmp(s->events[k].kind, "recovered") == 0 &&
                      strcmp(s->events[k].who, s->events[i].who) == 0;
        if (!is_over)
            return true;
    }
    return false;
}

const char *rg_watch_status(const rg_watch_state *s)
{
    const rg_watched *launcher = launcher_of(s);
    if (s->newest == 0)
        return "empty";
    if (rg_watch_has_ended(s)) {
        int status = launcher != NULL ? launcher->status : 0;
        for (size_t i = 0; launcher == NULL && i < s->n; i++)
            status |= s->processes[i]->status;
        return status == 0 ? "finished" : "failed";
    }
    if (s->now - s->newest > LOST)
        return "silent";
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->processes[i]->said, "stopped") == 0)
            return "stopped";
    return is_stalled(s) ? "stalled" : "running";
}

/* ---- speed ---- */

double rg_watch_examples(const rg_watch_state *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->processes[i]->role == RG_WATCHED_WORKER)
            sum += rg_watched_value(s->processes[i], "regatta_examples_total", 0);
    return sum;
}

double rg_watch_examples_per_second(const rg_watch_state *s)
{
    double sum = 0;
    if (rg_watch_has_ended(s)) /* of all of it */
        return rg_series_slope(&s->examples, INFINITY);
    for (size_t i = 0; i < s->n; i++)
        if (s->processes[i]->role == RG_WATCHED_WORKER)
            sum += rg_watched_rate(s, s->processes[i], "regatta_examples_total");
    return sum;
}

double rg_watch_progress(const rg_watch_state *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        double ratio = rg_watched_value(s->processes[i], "regatta_progress_ratio", INFINITY);
        if (s->processes[i]->role == RG_WATCHED_WORKER && ratio < least)
            least = ratio;
    }
    return least >= 0 && least <= 1 ? least : -1;
}

/* To the end of this pass. How many more a script makes, it alone knows. */
double rg_watch_eta(const rg_watch_state *s)
{
    rg_point last;
    double slope = rg_series_slope(&s->progress, 60);
    if (rg_watch_has_ended(s) || slope <= 0 || !rg_series_last(&s->progress, &last))
        return -1;
    return (1 - last.v) / slope;
}

bool rg_watched_split(const rg_watch_state *s, const rg_watched *p, double share[RG_STEP_PARTS])
{
    double sum = 0;
    for (int i = 0; i < RG_STEP_PARTS; i++) {
        char key[80];
        (void)snprintf(key, sizeof key, "regatta_step_seconds_total{part=\"%s\"}",
                       rg_step_parts[i]);
        /* Of one that has ended: of all its steps. */
        share[i] = p->has_ended || rg_watch_has_ended(s) ? rg_watched_value(p, key, 0)
                                                         : rg_watched_rate(s, p, key);
        sum += share[i] > 0 ? share[i] : 0;
    }
    for (int i = 0; i < RG_STEP_PARTS; i++)
        share[i] = sum > 0 && share[i] > 0 ? share[i] / sum : 0;
    return sum > 0 && isfinite(sum);
}

static const char *reason_of(const double share[RG_STEP_PARTS])
{
    double read = share[0], network = share[1] + share[3], compute = share[2];
    return read > network && read > compute ? "data" : compute >= network ? "compute" : "network";
}

/* Workers in step with each other have one rate: the slow one is that which does not wait. */
const rg_watched *rg_watch_slowest(const rg_watch_state *s, const char **reason, double *behind)
{
    const rg_watched *slow = NULL, *awaited = NULL;
    double least = INFINITY, most = 0, sum = 0, least_wait = INFINITY;
    double share[RG_STEP_PARTS];
    int n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const rg_watched *p = s->processes[i];
        if (p->role != RG_WATCHED_WORKER || p->has_ended || p->stepped == 0 ||
            !rg_watched_split(s, p, share))
            continue;
        double rate = rg_watched_rate(s, p, "regatta_examples_total");
        sum += rate;
        n++;
        most = rate > most ? rate : most;
        if (rate < least) {
            least = rate;
            slow = p;
        }
        if (share[4] < least_wait) {
            least_wait = share[4];
            awaited = p;
        }
    }
    if (slow == NULL)
        return NULL;
    if (least > 0.9 * most)
        slow = awaited;
    double own = rg_watched_rate(s, slow, "regatta_examples_total");
    *behind = n > 1 && sum > own ? own / ((sum - own) / (n - 1)) : 1;
    *reason = rg_watched_split(s, slow, share) ? reason_of(share) : "compute";
    return slow;
}
