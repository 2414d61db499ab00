/* doctor_causes.c - the lines of a log that matter, and the table of causes that they show. */
#include "cli/doctor_logs.h"

#include "base/escape.h"
#include "sys/machine.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- causes ---- */

typedef struct cause {
    const char *kind;
    const char *marks[4]; /* any of these in the line */
    bool strong;          /* also where nothing was raised */
    const char *text, *advice;
} cause;

/* In this order: of two that fit the first is meant. */
static const cause causes[] = {
    {"module",
     {"ModuleNotFoundError: ", "ImportError: "},
     true,
     "a module of Python is missing",
     "install it for the Python that runs the job, on each host, or add its folder to PYTHONPATH"},
    {"syntax",
     {"SyntaxError: ", "IndentationError: ", "TabError: "},
     true,
     "the script is no valid Python",
     "correct the line; a script of Python 2 runs with `paddle python`"},
    {"disk",
     {"No space left on device", "Disk quota exceeded", "File too large"},
     true,
     "a disk is full",
     "make room (df -h, df -i), or put --log_dir, --journal_dir and models on another disk"},
    {"port",
     {"ddress already in use", "something listens on"},
     true,
     "a port is taken",
     "end who listens there (ss -ltnp), or choose another port; `paddle doctor` checks them first"},
    {"table_memory",
     {"--table_memory (FLAGS_ps_table_memory)"},
     false,
     "a table has outgrown its memory",
     "give it more (--table_memory), use more servers, or let rows go (--table_evict, "
     "--table_disk)"},
    {"memory",
     {"MemoryError", "Cannot allocate memory", "out of memory", "no memory for"},
     true,
     "memory ran out",
     "use a smaller batch, fewer threads or workers on this host, or more memory; `paddle doctor "
     "--table_rows N` forecasts tables"},
    {"nan",
     {" made a NaN ", " made an Inf ", "the loss is no number"},
     true,
     "a number became NaN or infinite",
     "lower the learning rate, clip gradients, or look at the op and the data that it names"},
    {"key",
     {"job key", "REGATTA_JOB_KEY", "does not prove"},
     false,
     "processes have different keys",
     "give all processes of the job the same REGATTA_JOB_KEY and REGATTA_JOB_ID"},
    {"files",
     {"FileNotFoundError: ", "No such file or directory"},
     false,
     "a file is missing",
     "check the path, on the host of that process; relative paths count from where the job was "
     "started"},
    {"permission",
     {"PermissionError: ", "Permission denied"},
     false,
     "something may not be read or written",
     "check owner and mode of the path that it names, for the user of the job"},
    {"timeout",
     {"no answer for", "was never seen", "cannot connect", "onnection refused"},
     false,
     "another process could not be reached",
     "look whether it started (its log), and at `paddle doctor` on its host: names, ports, "
     "firewalls"},
};

static bool fits(const cause *c, const char *line)
{
    for (int i = 0; i < 4 && c->marks[i] != NULL; i++)
        if (strstr(line, c->marks[i]) != NULL)
            return true;
    return false;
}

static const cause *cause_of(const char *line)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (fits(&causes[i], line))
            return &causes[i];
    return NULL;
}

/* "part-1:124: slot 'word' ...", "part-1:52, slot word: ...": a place in the data, which is cut out
 * into `place`. */
static bool is_data(const char *line, char *place, size_t size)
{
    for (const char *at = strchr(line, ':'); at != NULL; at = strchr(at + 1, ':')) {
        char *end;
        (void)strtol(at + 1, &end, 10);
        if (!isdigit((unsigned char)at[1]) ||
            (strncmp(end, ": slot ", 7) != 0 && strncmp(end, ", slot ", 7) != 0))
            continue;
        const char *begin = at;
        while (begin > line && begin[-1] != ' ')
            begin--;
        (void)snprintf(place, size, "%.*s", (int)(end - begin), begin);
        return true;
    }
    return false;
}

/* ---- lines ---- */

/* "trainer 1 (pid 7 on h) has failed: ...", "... pserver 0 ... is lost": another is the cause. */
static bool names_peer(const char *line, rg_launch_process *blamed)
{
    const char *failed = strstr(line, " has failed: "), *at;
    if (failed == NULL)
        failed = strstr(line, " died: ");
    if (failed == NULL)
        return false;
    /* The last "trainer N" or "server N" before it. */
    for (at = failed; at > line; at--) {
        bool worker = strncmp(at, "trainer ", 8) == 0;
        if (!worker && strncmp(at, "server ", 7) != 0)
            continue;
        blamed->role = worker ? RG_LAUNCH_WORKER : RG_LAUNCH_SERVER;
        blamed->index = (int)strtol(at + (worker ? 8 : 7), NULL, 10);
        return true;
    }
    return false;
}

/* `  File "train.py", line 7, in main` as train.py:7. Frames of the package are left out: what the
 * user can change is above them. */
static bool frame_of(const char *line, char *out, size_t size)
{
    const char *path = strstr(line, "  File \""), *end = path ? strchr(path + 8, '"') : NULL;
    if (path == NULL || end == NULL || strncmp(end, "\", line ", 8) != 0)
        return false;
    if (strstr(path, "/paddle/fluid/") == NULL && strstr(path, "/paddle/v2/") == NULL &&
        strstr(path, "/paddlerec/core/") == NULL)
        (void)snprintf(out, size, "%.*s:%ld", (int)(end - path - 8), path + 8,
                       strtol(end + 8, NULL, 10));
    return true;
}

/* "2026-11-16T11:36:12.838Z E ps ..." */
static bool is_error_of_ours(const char *line)
{
    return strlen(line) > 28 && line[4] == '-' && line[10] == 'T' &&
           strncmp(line + 23, "Z E ", 4) == 0;
}

static void take_error(rg_log_story *log, const rg_line *line)
{
    if (names_peer(line->text, &log->blames)) {
        log->peer = *line;
    } else {
        log->error = *line;
        (void)snprintf(log->place, sizeof log->place, "%s", log->frame);
    }
}

void rg_log_line(rg_log_story *log, const rg_line *line)
{
    const char *text = line->text;
    if (text[strspn(text, " \t\r")] == '\0')
        return;
    log->last = *line;
    if (strncmp(text, "Traceback (most recent call last)", 33) == 0) {
        log->in_traceback = true;
        log->frame[0] = '\0';
        return;
    }
    if (log->in_traceback && (frame_of(text, log->frame, sizeof log->frame) || text[0] == ' '))
        return;
    if (log->in_traceback || is_error_of_ours(text)) {
        log->in_traceback = false;
        take_error(log, line);
        return;
    }
    const cause *c = cause_of(text);
    rg_launch_process other;
    if (c != NULL && c->strong && !names_peer(text, &other))
        log->strong = *line;
}

/* ---- the verdict ---- */

/* The line without what stands in the brackets of ops, "op mul(X=..., Y=...)": the rest is what
 * happened. And with no byte that a terminal acts on. */
static void shorten(char *out, size_t size, const char *line)
{
    char text[sizeof((rg_line *)0)->text];
    size_t n = 0;
    int depth = 0;
    (void)rg_escape(text, sizeof text, line, strlen(line));
    const char *open = strstr(text, "op ");
    open = open ? strchr(open, '(') : NULL;
    for (const char *at = text; *at != '\0' && n + 8 < size; at++) {
        if (at == open)
            n += (size_t)snprintf(out + n, size - n, "(...)");
        depth += open != NULL && at >= open && *at == '(';
        if (depth == 0)
            out[n++] = *at;
        else if (*at == ')' && --depth == 0)
            open = NULL;
    }
    out[n] = '\0';
}

void rg_verdict_say(rg_verdict *v, const char *kind, const char *text, const char *advice)
{
    (void)snprintf(v->kind, sizeof v->kind, "%s", kind);
    (void)snprintf(v->text, sizeof v->text, "%s", text);
    (void)snprintf(v->advice, sizeof v->advice, "%s", advice);
}

void rg_verdict_interrupted(rg_verdict *v, int signal)
{
    rg_verdict_say(v, "interrupted", "",
                   "nothing is wrong with the job itself: start it again, with "
                   "--resume where it had a journal");
    (void)snprintf(v->text, sizeof v->text, "the launcher was told to end (signal %d%s)", signal,
                   signal == SIGINT    ? ", Ctrl+C"
                   : signal == SIGHUP  ? ", its terminal was closed"
                   : signal == SIGTERM ? ", a scheduler or kill"
                                       : "");
}

/* The process was ended by a signal: what it said before says less than that. */
static void by_signal(rg_verdict *v, const rg_launch_failure *f)
{
    rg_buf advice;
    rg_buf_init(&advice, 0);
    bool killed = f->end.signal == SIGKILL || f->end.code == 128 + SIGKILL;
    bool starved = killed &&
                   (rg_kernel_killed(f->end.pid, v->kernel, sizeof v->kernel) || f->oom_kills > 0);
    rg_launch_advice(&advice, f);
    rg_verdict_say(v,
                   starved  ? "memory"
                   : killed ? "killed"
                            : "crash",
                   starved  ? "memory ran out: the kernel killed it"
                   : killed ? "it was killed (SIGKILL)"
                            : "it was ended by a signal",
                   rg_buf_cstr(&advice));
    if (!killed)
        (void)snprintf(v->text, sizeof v->text, "it crashed: %s", v->how);
    rg_buf_fini(&advice);
}

static void by_line(rg_verdict *v, const rg_log_story *log)
{
    char place[512] = "", shown[2048];
    v->line = log->error.number ? log->error : log->strong.number ? log->strong : log->last;
    (void)snprintf(v->place, sizeof v->place, "%s", log->error.number ? log->place : "");
    const cause *c = cause_of(v->line.text);
    if (c == NULL && log->error.number != 0 && log->strong.number != 0)
        c = cause_of(log->strong.text);
    shorten(shown, sizeof shown, v->line.text);
    if (is_data(v->line.text, place, sizeof place)) {
        const char *colon = strrchr(place, ':');
        rg_verdict_say(v, "data", "", "");
        (void)snprintf(v->text, sizeof v->text, "bad data at %s: %s", place, shown);
        (void)snprintf(v->advice, sizeof v->advice,
                       "look at the line, sed -n %sp %.*s, and correct it or what wrote it",
                       colon + 1, (int)(colon - place), place);
    } else if (c != NULL) {
        rg_verdict_say(v, c->kind, "", c->advice);
        (void)snprintf(v->text, sizeof v->text, "%s: %s", c->text, shown);
    } else if (log->error.number != 0) {
        rg_verdict_say(v, "exception", shown,
                       "the evidence names the line of the script that raised it");
    } else {
        rg_verdict_say(v, "unknown", "its log does not say",
                       "its last lines are the best lead; run that process alone to see more");
    }
}

void rg_verdict_make(rg_verdict *v, const rg_log_story *log, const rg_launch_failure *f)
{
    if (f != NULL) {
        rg_buf how;
        rg_buf_init(&how, 0);
        rg_launch_how(&how, &f->end);
        rg_buf_text(&how, ", after ");
        rg_launch_duration(&how, f->end.after_ns);
        (void)snprintf(v->how, sizeof v->how, "%s", rg_buf_cstr(&how));
        rg_buf_fini(&how);
    }
    if (log != NULL)
        by_line(v, log);
    else
        rg_verdict_say(v, "unknown", "no log names a cause",
                       "start the job again and look at what the launcher says at its end");
    if (f != NULL && (f->end.signal != 0 || f->end.code > 128))
        by_signal(v, f);
}
