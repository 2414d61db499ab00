/* top.c - a job as a picture of text. */
#include "watch/top.h"

#include "base/escape.h"
#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CPU "regatta_process_cpu_seconds_total"
#define RSS "regatta_process_resident_bytes"

enum { MAX_LINE = 1024, BAR = 30 };

typedef struct canvas {
    rg_buf *out;
    const rg_top_view *view;
    int lines;
} canvas;

typedef enum colour { PLAIN, GOOD, WARN, BAD, DIM, BOLD } colour;

/* Whether there is room for `n` more lines. */
static bool has_room(const canvas *c, int n)
{
    return c->view->rows == 0 || c->lines + n < c->view->rows;
}

/* Cut to the width by characters, not in the middle of one. */
static void put_line(canvas *c, colour how, const char *text)
{
    static const char *const codes[] = {"",         "\033[32m", "\033[33m",
                                        "\033[31m", "\033[2m",  "\033[1m"};
    size_t n = 0;
    if (!has_room(c, 1))
        return;
    for (int shown = 0; text[n] != '\0'; n++) {
        shown += ((unsigned char)text[n] & 0xc0) != 0x80;
        if (shown > c->view->columns)
            break;
    }
    if (c->view->colours)
        rg_buf_text(c->out, codes[how]);
    rg_buf_add(c->out, text, n);
    if (c->view->colours)
        rg_buf_text(c->out, "\033[0m\033[K");
    rg_buf_char(c->out, '\n');
    c->lines++;
}

static void line(canvas *c, colour how, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void line(canvas *c, colour how, const char *fmt, ...)
{
    char raw[MAX_LINE], text[MAX_LINE];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    size_t length = n < 0 ? 0 : n < MAX_LINE ? (size_t)n : MAX_LINE - 1;
    (void)rg_escape(text, sizeof text, raw, length);
    put_line(c, how, text);
}

/* ---- numbers ---- */

typedef struct word {
    char text[32];
} word;

static word short_number(double v)
{
    word w;
    static const char units[] = " kMGT";
    int i = 0;
    if (!isfinite(v)) {
        (void)snprintf(w.text, sizeof w.text, "%s", isnan(v) ? "NaN" : v > 0 ? "Inf" : "-Inf");
        return w;
    }
    for (; fabs(v) >= 9999.5 && i < 4; i++)
        v /= 1000;
    int places = i > 0 && fabs(v) < 100 ? 1 : fabs(v) < 10 && floor(v) != v ? 1 : 0;
    (void)snprintf(w.text, sizeof w.text, i > 0 ? "%.*f%c" : "%.*f", places, v, units[i]);
    return w;
}

static word short_bytes(double v)
{
    word w;
    static const char units[] = "BKMGT";
    int i = 0;
    for (; v >= 1023.5 && i < 4; i++)
        v /= 1024;
    (void)snprintf(w.text, sizeof w.text, "%.*f%c", i > 0 && v < 10 ? 1 : 0, v, units[i]);
    return w;
}

static word duration(double s)
{
    word w;
    long n = s > 0 && s < 1e9 ? (long)(s + 0.5) : 0;
    if (n < 60)
        (void)snprintf(w.text, sizeof w.text, "%ld s", n);
    else if (n < 3600)
        (void)snprintf(w.text, sizeof w.text, "%ld min %ld s", n / 60, n % 60);
    else
        (void)snprintf(w.text, sizeof w.text, "%ld h %ld min", n / 3600, n % 3600 / 60);
    return w;
}

static word newest(const rg_series *series)
{
    rg_point last;
    word w = {"-"};
    if (rg_series_last(series, &last))
        (void)snprintf(w.text, sizeof w.text, "%.4f", last.v);
    return w;
}

static colour colour_of(const char *state)
{
    static const char *const bad[] = {"stopped", "dead", "failed", "stalled"};
    static const char *const good[] = {"running", "finished"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strcmp(state, bad[i]) == 0)
            return BAD;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (strcmp(state, good[i]) == 0)
            return GOOD;
    return WARN;
}

/* ---- parts ---- */

static void draw_head(const rg_watch_state *s, canvas *c)
{
    const char *status = rg_watch_status(s);
    double ratio = rg_watch_progress(s), eta = rg_watch_eta(s);
    char bar[BAR + 1];
    rg_point last;
    word took = duration((rg_watch_has_ended(s) ? s->newest : s->now) - s->started);
    line(c, colour_of(status), "regatta  %s  %s  %s", status, took.text, s->log_dir);
    int filled = ratio >= 0 ? (int)(ratio * BAR + 0.5) : 0;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    if (ratio >= 0)
        line(c, PLAIN, "[%s] %.0f %% read%s%s%s", bar, 100 * ratio, eta >= 0 ? ", " : "",
             eta >= 0 ? duration(eta).text : "", eta >= 0 ? " to go in this pass" : "");
    line(c, BOLD, "%s examples/s  %s examples  loss %s  AUC %s",
         short_number(rg_watch_examples_per_second(s)).text,
         short_number(rg_watch_examples(s)).text, newest(&s->loss).text, newest(&s->auc).text);
    if (rg_series_last(&s->test_auc, &last) || rg_series_last(&s->test_loss, &last))
        line(c, PLAIN, "held out: loss %s  AUC %s", newest(&s->test_loss).text,
             newest(&s->test_auc).text);
}

static void draw_slowest(const rg_watch_state *s, canvas *c)
{
    const char *reason;
    double behind, share[RG_STEP_PARTS];
    const rg_watched *p = rg_watch_slowest(s, &reason, &behind);
    if (p == NULL || !rg_watched_split(s, p, share))
        return;
    line(c, behind < 0.9 ? WARN : DIM, "slowest: %s, by its %s, at %.0f %% of the others", p->name,
         reason, 100 * behind);
}

static double key_of(const rg_watch_state *s, const rg_watched *p, rg_top_order order)
{
    double share[RG_STEP_PARTS];
    switch (order) {
    case RG_TOP_CPU:
        return rg_watched_rate(s, p, CPU);
    case RG_TOP_MEMORY:
        return rg_watched_value(p, RSS, 0);
    case RG_TOP_WAIT:
        return p->role == RG_WATCHED_WORKER && rg_watched_split(s, p, share) ? share[4] : -1;
    case RG_TOP_NAME:
        break;
    }
    return 0;
}

static void draw_process(const rg_watch_state *s, const rg_watched *p, canvas *c)
{
    double share[RG_STEP_PARTS];
    char split[40] = "";
    const char *state = rg_watched_state(s, p);
    bool worker = p->role == RG_WATCHED_WORKER;
    if (worker && rg_watched_split(s, p, share))
        (void)snprintf(split, sizeof split, "%4.0f %4.0f %4.0f %4.0f %4.0f", 100 * share[0],
                       100 * share[1], 100 * share[2], 100 * share[3], 100 * share[4]);
    else if (!worker)
        (void)snprintf(split, sizeof split, "busy %.0f %%",
                       100 * rg_watched_rate(s, p, "regatta_server_busy_seconds_total"));
    double speed = rg_watched_rate(s, p, worker ? "regatta_examples_total" : "regatta_pulls_total");
    line(c, colour_of(state) == GOOD ? PLAIN : colour_of(state),
         "%-10.10s %-8.8s %4.0f%% %6s %-24s %6s %5s %5s", p->name, state,
         100 * rg_watched_rate(s, p, CPU), short_bytes(rg_watched_value(p, RSS, 0)).text, split,
         short_number(speed).text,
         short_bytes(rg_watched_rate(s, p, "regatta_network_sent_bytes_total")).text,
         short_bytes(rg_watched_rate(s, p, "regatta_network_received_bytes_total")).text);
}

static void draw_processes(const rg_watch_state *s, canvas *c, int keep)
{
    const rg_watched **order = rg_alloc_zero(s->n + 1, sizeof *order);
    size_t n = 0;
    if (order == NULL)
        return;
    for (size_t i = 0; i < s->n; i++) {
        if (s->processes[i]->role == RG_WATCHED_LAUNCHER)
            continue;
        size_t at = n++;
        double key = key_of(s, s->processes[i], c->view->order);
        for (; at > 0 && key > key_of(s, order[at - 1], c->view->order); at--)
            order[at] = order[at - 1];
        order[at] = s->processes[i];
    }
    line(c, DIM, "%-10s %-8s %5s %6s %4s %4s %4s %4s %4s %6s %5s %5s", "PROCESS", "STATE", "CPU",
         "MEMORY", "read", "pull", "comp", "push", "wait", "SPEED", "SENT", "RECV");
    size_t shown = 0;
    while (shown < n && has_room(c, 1 + keep + (shown + 1 < n)))
        draw_process(s, order[shown++], c);
    if (shown < n)
        line(c, DIM, "... and %zu more", n - shown);
    rg_free(order);
}

static void draw_tables(const rg_watch_state *s, canvas *c)
{
    double bytes = 0, limit = 0, lookups = 0, hits = 0,
           grows = rg_series_slope(&s->table_bytes, 60);
    rg_point last = {0, 0};
    if (!rg_series_last(&s->table_bytes, &last))
        return;
    bytes = last.v;
    for (size_t i = 0; i < s->n; i++) {
        limit += rg_watched_value(s->processes[i], "regatta_table_limit_bytes", 0);
        lookups += rg_watched_value(s->processes[i], "regatta_table_lookups_total", 0);
        hits += rg_watched_value(s->processes[i], "regatta_table_hits_total", 0);
    }
    bool fills = limit > bytes && grows > 0 && !rg_watch_has_ended(s);
    line(c, limit > 0 && bytes > 0.95 * limit ? BAD : PLAIN, "tables: %s%s%s%s%s; %.0f %% hits",
         short_bytes(bytes).text, limit > 0 ? " of " : "", limit > 0 ? short_bytes(limit).text : "",
         fills ? ", full in " : "", fills ? duration((limit - bytes) / grows).text : "",
         lookups > 0 ? 100 * hits / lookups : 100.0);
}

static void draw_events(const rg_watch_state *s, canvas *c)
{
    int room = c->view->rows == 0 ? 10 : c->view->rows - c->lines - 2;
    if (s->n_events == 0 || room < 1)
        return;
    size_t first = s->n_events > (size_t)room ? s->n_events - (size_t)room : 0;
    line(c, DIM, "EVENTS");
    for (size_t i = first; i < s->n_events; i++) {
        const rg_watched_event *e = &s->events[i];
        time_t seconds = (time_t)e->t;
        struct tm local;
        char when[16] = "";
        if (localtime_r(&seconds, &local) != NULL)
            (void)strftime(when, sizeof when, "%H:%M:%S", &local);
        bool loud = strstr("killed error lost refused stalled stopped slow", e->kind) != NULL;
        line(c, loud ? WARN : PLAIN, "%s %-9s %-9s %s", when, e->kind, e->who, e->text);
    }
}

void rg_top_draw(const rg_watch_state *s, const rg_top_view *view, rg_buf *out)
{
    canvas c = {out, view, 0};
    if (s->newest == 0) {
        line(&c, WARN, "%s: no process has said anything yet", s->watch_dir);
        return;
    }
    draw_head(s, &c);
    draw_slowest(s, &c);
    draw_tables(s, &c);
    line(&c, PLAIN, " ");
    draw_processes(s, &c, view->rows == 0 ? 0 : 6);
    line(&c, PLAIN, " ");
    draw_events(s, &c);
}
