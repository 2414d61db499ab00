/* card.c - how a process ended, in words. */
#include "launch/card.h"

#include "sys/host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TAIL_LINES = 15, MAX_LINE = 200, MAX_LAST = 800 }; /* bytes; the error is the last */

typedef struct meaning {
    int number;
    const char *name, *words, *advice;
} meaning;

static const meaning signals[] = {
    {SIGKILL, "SIGKILL", "killed from outside", NULL},
    {SIGTERM, "SIGTERM", "asked to end from outside",
     "find out who ended it: a scheduler, a time limit, or another user"},
    {SIGINT, "SIGINT", "interrupted", "it was interrupted by hand; start the job again"},
    {SIGHUP, "SIGHUP", "its terminal was closed", "start the job under nohup, tmux or a scheduler"},
    {SIGSEGV, "SIGSEGV", "it touched memory that is not its own",
     "a bug in native code: run it alone with python -X faulthandler to see where"},
    {SIGBUS, "SIGBUS", "memory behind a file was gone",
     "look for a full /dev/shm or a file that was cut while it was mapped"},
    {SIGABRT, "SIGABRT", "it stopped itself on a failed check",
     "its last lines say which check failed"},
    {SIGFPE, "SIGFPE", "integer division by zero or overflow",
     "a bug in native code: run it alone with python -X faulthandler to see where"},
    {SIGILL, "SIGILL", "an instruction this CPU does not have",
     "a library was built for another CPU: install one for this machine"},
    {SIGPIPE, "SIGPIPE", "who read its output had gone", "its last lines say what it wrote to"},
    {SIGXCPU, "SIGXCPU", "over its limit of CPU time", "raise the limit: ulimit -t"},
    {SIGXFSZ, "SIGXFSZ", "over its limit of file size", "raise the limit: ulimit -f"},
};

static const meaning codes[] = {
    {0, NULL, "success", NULL},
    {1, NULL, "an error of the script", "the last lines above name the error and its line"},
    {2, NULL, "wrong usage, or no such script", "check the path and the arguments of the script"},
    {126, NULL, "the program may not be run", "check its permissions"},
    {127, NULL, "the program was not found", "check PATH and the script's name"},
};

static const meaning *find(const meaning *table, size_t n, int number)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

#define FIND(table, number) find(table, sizeof(table) / sizeof((table)[0]), number)

/* A shell reports the signal that ended its program as 128 + its number. */
static const meaning *signal_of(const rg_child_end *end)
{
    int number = end->signal ? end->signal : end->code > 128 ? end->code - 128 : 0;
    return number ? FIND(signals, number) : NULL;
}

const char *rg_launch_role_name(rg_launch_role role)
{
    return role == RG_LAUNCH_WORKER ? "worker" : "server";
}

void rg_launch_who(rg_buf *out, const rg_launch_process *process)
{
    rg_buf_printf(out, "%s %d", rg_launch_role_name(process->role), process->index);
}

void rg_launch_duration(rg_buf *out, uint64_t ns)
{
    uint64_t s = ns / 1000000000;
    if (s < 60)
        rg_buf_printf(out, "%.1f s", (double)ns / 1e9);
    else if (s < 3600)
        rg_buf_printf(out, "%d min %d s", (int)(s / 60), (int)(s % 60));
    else
        rg_buf_printf(out, "%llu h %d min", (unsigned long long)(s / 3600), (int)(s / 60 % 60));
}

void rg_launch_how(rg_buf *out, const rg_child_end *end)
{
    const meaning *how = signal_of(end);
    if (end->signal != 0) {
        rg_buf_printf(out, "signal %d", end->signal);
        if (how != NULL)
            rg_buf_printf(out, ", %s (%s)", how->name, how->words);
        return;
    }
    rg_buf_printf(out, "exit code %d", end->code);
    if (how != NULL)
        rg_buf_printf(out, ", as after %s (%s)", how->name, how->words);
    else if ((how = FIND(codes, end->code)) != NULL)
        rg_buf_printf(out, " (%s)", how->words);
}

/* Without control characters. */
static void add_shown(rg_buf *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool control = (unsigned char)bytes[i] < ' ' && bytes[i] != '\t';
        rg_buf_add(out, control ? "?" : &bytes[i], 1);
    }
}

static bool in_character(const char *at)
{
    return ((unsigned char)*at & 0xc0) == 0x80; /* UTF-8's: it is not the first byte */
}

/* The part of a line that a terminal would show: after the last return of the carriage. A long one
 * without its middle: an error begins with where it was, and ends with what was wrong. */
static void add_line(rg_buf *out, const char *line, size_t n, size_t most)
{
    if (n > 0 && line[n - 1] == '\r')
        n--;
    const char *shown = n > 0 ? memrchr(line, '\r', n) : NULL;
    if (shown != NULL) {
        n -= (size_t)(shown + 1 - line);
        line = shown + 1;
    }
    rg_buf_text(out, "  | ");
    if (n > most) {
        size_t head = most / 2, tail = n - most / 2;
        while (head > 0 && in_character(line + head))
            head--;
        while (tail < n && in_character(line + tail))
            tail++;
        add_shown(out, line, head);
        rg_buf_text(out, " ... ");
        add_shown(out, line + tail, n - tail);
    } else {
        add_shown(out, line, n);
    }
    rg_buf_text(out, "\n");
}

static void add_tail(rg_buf *out, const char *tail)
{
    const char *end = tail + strlen(tail), *at;
    while (end > tail && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    int lines = 0;
    for (at = end; at > tail && lines < TAIL_LINES; at--)
        if (at[-1] == '\n' && ++lines == TAIL_LINES)
            break;
    if (end == tail) {
        rg_buf_text(out, "  it wrote nothing\n");
        return;
    }
    rg_buf_text(out, "  its last lines:\n");
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        add_line(out, at, (size_t)(stop - at), stop == end ? MAX_LAST : MAX_LINE);
        at = stop + 1;
    }
}

static void add_size(rg_buf *out, int64_t bytes)
{
    if (bytes >= INT64_C(10) << 30)
        rg_buf_printf(out, "%lld GiB", (long long)(bytes >> 30));
    else
        rg_buf_printf(out, "%lld MiB", (long long)(bytes >> 20));
}

static void memory_advice(rg_buf *out, const rg_launch_failure *f)
{
    if (f->oom_kills > 0)
        rg_buf_text(out, "the kernel has killed for want of memory while the job ran: ");
    else if (f->oom_kills == 0)
        rg_buf_text(out, "the kernel counts no kill for want of memory, so somebody sent it: ");
    else
        rg_buf_text(out, "perhaps the machine was out of memory: ");
    rg_buf_text(out, "the process had ");
    add_size(out, f->end.max_rss);
    rg_buf_text(out, " at most");
    if (f->memory_limit > 0) {
        rg_buf_text(out, ", and all together may have ");
        add_size(out, f->memory_limit);
    }
    if (f->oom_kills == 0)
        rg_buf_text(out, "; look for a scheduler, a time limit or another user");
    else
        rg_buf_text(out, "; use a smaller batch, fewer workers or threads, or more memory");
}

void rg_launch_advice(rg_buf *out, const rg_launch_failure *f)
{
    const meaning *how = signal_of(&f->end);
    if (how == NULL && f->end.signal == 0)
        how = FIND(codes, f->end.code);
    if (how != NULL && how->number == SIGKILL && how->name != NULL)
        memory_advice(out, f);
    else
        rg_buf_text(out, how != NULL && how->advice != NULL
                             ? how->advice
                             : "the last lines above are the best lead");
}

void rg_launch_given_up(rg_buf *out, const rg_launch_failure *f, const char *then)
{
    if (f->given_up == NULL)
        return;
    rg_launch_who(out, f->given_up);
    rg_buf_printf(out, " %s when the others gave it up%s",
                  f->given_up_stands ? "was stopped (SIGSTOP, or a debugger)" : "still ran", then);
}

void rg_launch_card(rg_buf *out, const rg_launch_failure *f)
{
    char host[256];
    rg_host_name(host, sizeof host);
    rg_buf_text(out, "---- the job failed ----\n  first: ");
    rg_launch_who(out, f->process);
    rg_buf_printf(out, " (pid %ld on %s)\n  how: ", f->end.pid, host);
    rg_launch_how(out, &f->end);
    rg_buf_text(out, ", after ");
    rg_launch_duration(out, f->end.after_ns);
    rg_buf_char(out, '\n');
    if (f->starts > 0)
        rg_buf_printf(out, "  again: it had been started again %d time%s%s\n", f->starts,
                      f->starts > 1 ? "s" : "",
                      f->in_a_loop ? ", and died within seconds each time, in the same way: to "
                                     "start it once more does not help"
                                   : ", as often as --restarts allows");
    if (f->no_journal)
        rg_buf_text(out, "  again: servers are not started again, since what they have learned is "
                         "lost with them; with a journal (--journal everysec) it is not, and the "
                         "job goes on\n");
    if (f->also > 0)
        rg_buf_printf(out, "  then: %d other%s failed too, most likely because of it\n", f->also,
                      f->also > 1 ? "s" : "");
    if (f->given_up != NULL) {
        rg_buf_text(out, "  because: ");
        rg_launch_given_up(out, f, "");
        if (f->given_up->log != NULL)
            rg_buf_printf(out, "; its log: %s", f->given_up->log);
        rg_buf_char(out, '\n');
    }
    add_tail(out, f->tail);
    if (f->process->log != NULL)
        rg_buf_printf(out, "  its log: %s\n", f->process->log);
    if (f->log_dir != NULL)
        rg_buf_printf(out, "  all logs: %s\n", f->log_dir);
    rg_buf_text(out, "  try: ");
    rg_launch_advice(out, f);
    rg_buf_text(out, "\n------------------------\n");
}
