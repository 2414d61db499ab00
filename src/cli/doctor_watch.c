/* doctor_watch.c - what processes of a dead job said of themselves while they ran (LOG_DIR/watch):
 * the last events, and how the process that failed was when it last told. */
#include "cli/doctor_logs.h"

#include "base/bytes.h"
#include "base/escape.h"
#include "base/json.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "watch/state.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 6 };

/* That a process came, went or was saved is no sign of anything; errors of processes are in their
 * logs. */
static bool tells(const rg_watched_event *event)
{
    static const char *const plain[] = {"started", "finished", "snapshot"};
    if (strcmp(event->kind, "error") == 0)
        return strcmp(event->who, "job") == 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(event->kind, plain[i]) == 0)
            return false;
    return true;
}

/* The first of the last SHOWN events that tell something. */
static size_t first_shown(const rg_watch_state *state)
{
    size_t at = state->n_events;
    for (int n = 0; at > 0 && n < SHOWN; at--)
        n += tells(&state->events[at - 1]);
    return at;
}

static void print_events(const rg_watch_state *state)
{
    bool any = false;
    for (size_t i = first_shown(state); i < state->n_events; i++) {
        const rg_watched_event *e = &state->events[i];
        if (!tells(e))
            continue;
        char shown[300];
        (void)rg_escape(shown, sizeof shown, e->text, strlen(e->text));
        (void)printf("%s  %+.1f s  %s %s: %s\n", any ? "" : "events, since the start:\n",
                     e->t - state->started, e->who, e->kind, shown);
        any = true;
    }
}

static void print_last(const rg_watch_state *state, const rg_launch_process *process)
{
    char name[64], bytes[RG_BYTES_TEXT];
    (void)snprintf(name, sizeof name, "%s.%d", rg_launch_role_name(process->role), process->index);
    for (size_t i = 0; i < state->n; i++) {
        const rg_watched *p = state->processes[i];
        double rss = rg_watched_value(p, "regatta_process_resident_bytes", 0);
        double examples = rg_watched_value(p, "regatta_examples_total", -1);
        if (strcmp(p->name, name) != 0 || p->newest == 0)
            continue;
        (void)printf("last told: %+.1f s, it had %s of memory", p->newest - state->started,
                     rg_show_bytes((size_t)rss, bytes));
        (void)printf(examples >= 0 ? ", and %.0f examples behind it\n" : "\n", examples);
    }
}

static void json_events(const rg_watch_state *state, rg_buf *out)
{
    bool any = false;
    for (size_t i = first_shown(state); i < state->n_events; i++) {
        const rg_watched_event *e = &state->events[i];
        if (!tells(e))
            continue;
        rg_buf_printf(out, "%s{\"t\": %.3f, \"who\": ", any ? ", " : "", e->t);
        rg_json_string(out, e->who);
        rg_buf_text(out, ", \"event\": ");
        rg_json_string(out, e->kind);
        rg_buf_text(out, ", \"text\": ");
        rg_json_string(out, e->text);
        rg_buf_char(out, '}');
        any = true;
    }
}

static rg_watch_state *open_state(const char *folder)
{
    rg_watch_state *state = NULL;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/watch", folder);
    if (!rg_path_is_dir(path) || rg_watch_state_open(&state, folder) != RG_OK)
        return NULL;
    if (rg_watch_state_poll(state, rg_clock_unix()) == RG_OK && state->started > 0)
        return state;
    rg_watch_state_close(state);
    return NULL;
}

void rg_doctor_watched(const char *folder, const rg_launch_process *first, rg_buf *json)
{
    rg_watch_state *state = open_state(folder);
    if (state == NULL)
        return;
    if (json != NULL) {
        json_events(state, json);
    } else {
        if (first != NULL)
            print_last(state, first);
        print_events(state);
    }
    rg_watch_state_close(state);
}
