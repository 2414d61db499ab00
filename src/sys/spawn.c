/* spawn.c - from a description of a child to its program running. */
#include "sys/children_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { LOGS_KEPT = 5, MAX_PATH_BYTES = 4096 };

/* Everything the child needs between fork and exec, where it may not allocate. */
typedef struct launch_plan {
    char *program;
    const rg_child_spec *spec;
    int in, out[ECHO_STREAMS]; /* its stdin, stdout and stderr */
    int report;                /* errno of a failed exec; closed by a good one */
    pid_t parent;
    sigset_t no_signals;
} launch_plan;

static bool can_run(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* As a shell looks for a program; owned by the caller. */
static rg_status find_program(char **program, const char *name)
{
    const char *path = getenv("PATH");
    rg_buf buf;
    if (name == NULL || name[0] == '\0')
        return rg_fail(RG_EINVAL, "a process to be started has no program");
    rg_buf_init(&buf, 0);
    bool found = false;
    if (strchr(name, '/') != NULL) {
        rg_buf_text(&buf, name);
        found = can_run(name);
    }
    for (const char *at = strchr(name, '/') ? NULL
                          : path            ? path
                                            : "/usr/bin:/bin";
         at != NULL && !found; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        size_t n = strcspn(at, ":");
        rg_buf_clear(&buf);
        rg_buf_add(&buf, n > 0 ? at : ".", n > 0 ? n : 1);
        rg_buf_char(&buf, '/');
        rg_buf_text(&buf, name);
        found = rg_buf_status(&buf) == RG_OK && can_run(rg_buf_cstr(&buf));
    }
    rg_status code = rg_buf_status(&buf);
    if (code == RG_OK && !found)
        code = strchr(name, '/')
                   ? rg_fail(RG_ENOENT, "cannot start %s: there is no such program", name)
                   : rg_fail(RG_ENOENT, "cannot start %s: there is no such program on PATH", name);
    if (code == RG_OK)
        *program = rg_buf_take(&buf);
    rg_buf_fini(&buf);
    return code;
}

/* ---- where its output goes ---- */

static rg_status keep_as(const char *from, const char *to)
{
    if (rename(from, to) == 0 || errno == ENOENT)
        return RG_OK;
    return rg_fail(RG_EIO, "cannot keep the older log %s as %s: %s", from, to, strerror(errno));
}

/* LOG.1 becomes LOG.2 and so on, LOG becomes LOG.1: what earlier runs said may still be wanted. */
static rg_status keep_older_logs(const char *log)
{
    char from[MAX_PATH_BYTES], to[MAX_PATH_BYTES];
    if (rg_path_size(log) == 0)
        return RG_OK;
    if (strlen(log) + sizeof ".0" > sizeof to)
        return rg_fail(RG_EINVAL, "the path of the log %s is too long", log);
    for (int i = LOGS_KEPT; i > 1; i--) {
        (void)snprintf(from, sizeof from, "%s.%d", log, i - 1);
        (void)snprintf(to, sizeof to, "%s.%d", log, i);
        RG_TRY(keep_as(from, to));
    }
    (void)snprintf(to, sizeof to, "%s.1", log);
    return keep_as(log, to);
}

static rg_status open_log(int *log, const rg_child_spec *spec)
{
    if (!spec->append)
        RG_TRY(keep_older_logs(spec->log));
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (spec->append ? 0 : O_TRUNC);
    *log = open(spec->log, flags | O_NONBLOCK, 0666); /* a pipe that nobody reads is an error */
    if (*log < 0)
        return rg_fail(RG_EIO, "%s: %s", spec->log, strerror(errno));
    (void)fcntl(*log, F_SETFL, flags & O_APPEND);
    return RG_OK;
}

/* A terminal for the child that changes nothing of what it writes, as wide as ours. */
static rg_status open_terminal(int ours, int *from, int *to)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    struct termios plain;
    (void)ioctl(ours, TIOCGWINSZ, &size);
    if (openpty(from, to, NULL, NULL, &size) != 0)
        return rg_fail(RG_EIO, "cannot make a terminal: %s", strerror(errno));
    if (tcgetattr(*to, &plain) == 0) {
        cfmakeraw(&plain);
        (void)tcsetattr(*to, TCSANOW, &plain);
    }
    (void)fcntl(*from, F_SETFD, FD_CLOEXEC);
    (void)fcntl(*to, F_SETFD, FD_CLOEXEC);
    return RG_OK;
}

static rg_status open_echo(echo_stream *echo, int *to, int ours, bool lines)
{
    int ends[2];
    if (lines && (echo->held = rg_alloc(ECHO_LINE)) == NULL)
        return rg_no_memory(ECHO_LINE, "a line of a process");
    if (isatty(ours) && !lines) {
        RG_TRY(open_terminal(ours, &echo->from, to));
    } else {
        if (pipe2(ends, O_CLOEXEC) != 0)
            return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
        echo->from = ends[0];
        *to = ends[1];
    }
    echo->to = ours;
    (void)fcntl(echo->from, F_SETFL, fcntl(echo->from, F_GETFL) | O_NONBLOCK);
    return RG_OK;
}

/* Opens the log and the streams; on failure what is open is in *out and *plan. */
static rg_status open_output(rg_child *out, launch_plan *plan)
{
    const rg_child_spec *spec = plan->spec;
    plan->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (plan->in < 0)
        return rg_fail(RG_EIO, "/dev/null: %s", strerror(errno));
    if (spec->log != NULL)
        RG_TRY(open_log(&out->log, spec));
    else if (!spec->echo)
        return rg_fail(RG_EINVAL, "a process without a log must be echoed");
    if (!spec->echo) {
        plan->out[0] = plan->out[1] = out->log;
        out->log = -1;
        return RG_OK;
    }
    if (spec->log == NULL && (out->kept = rg_alloc(ECHO_KEEP)) == NULL)
        return rg_no_memory(ECHO_KEEP, "the last lines of a process");
    RG_TRY(open_echo(&out->echo[0], &plan->out[0], STDOUT_FILENO, spec->whole_lines));
    if (!spec->whole_lines && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
        plan->out[1] = plan->out[0]; /* one terminal, in the order of writing */
        return RG_OK;
    }
    return open_echo(&out->echo[1], &plan->out[1], STDERR_FILENO, spec->whole_lines);
}

/* ---- the child ---- */

__attribute__((noreturn)) static void become(const launch_plan *plan)
{
    static const int restored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGCHLD,
                                   SIGQUIT, SIGTSTP, SIGXFSZ, SIGUSR1, SIGUSR2};
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan->parent) /* it ended before we asked */
        _exit(127);
    for (size_t i = 0; i < sizeof restored / sizeof restored[0]; i++)
        (void)signal(restored[i], SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &plan->no_signals, NULL);
    if (dup2(plan->in, 0) >= 0 && dup2(plan->out[0], 1) >= 0 && dup2(plan->out[1], 2) >= 0) {
        (void)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        (void)execve(plan->program, (char *const *)plan->spec->argv,
                     (char *const *)plan->spec->env);
    }
    int why = errno;
    (void)!write(plan->report, &why, sizeof why);
    _exit(127);
}

static rg_status fork_and_become(rg_child *out, launch_plan *plan)
{
    int report[2], why = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
    plan->report = report[1];
    plan->parent = getpid();
    (void)sigemptyset(&plan->no_signals);
    pid_t pid = fork();
    if (pid == 0)
        become(plan);
    int failed = errno;
    (void)close(report[1]);
    if (pid > 0) {
        ssize_t n;
        (void)setpgid(pid, pid); /* whichever of us is first */
        while ((n = read(report[0], &why, sizeof why)) < 0 && errno == EINTR)
            ;
        if (n != (ssize_t)sizeof why)
            why = 0;
    }
    (void)close(report[0]);
    if (pid < 0)
        return rg_fail(RG_EIO, "cannot start a process: %s", strerror(failed));
    if (why != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return rg_fail(RG_ENOENT, "cannot start %s: %s", plan->program, strerror(why));
    }
    out->pid = pid;
    return RG_OK;
}

rg_status rg_spawn(rg_child *out, const rg_child_spec *spec)
{
    launch_plan plan = {.spec = spec, .in = -1, .out = {-1, -1}};
    rg_status code;
    *out = (rg_child){.log = -1, .echo = {{.from = -1}, {.from = -1}}};
    RG_TRY_GOTO(code, find_program(&plan.program, spec->argv[0]));
    if (spec->log != NULL && (out->log_path = rg_strdup(spec->log)) == NULL) {
        code = rg_no_memory(strlen(spec->log), "the path of a log");
        goto done;
    }
    RG_TRY_GOTO(code, open_output(out, &plan));
    out->started_ns = rg_clock_ns();
    RG_TRY_GOTO(code, fork_and_become(out, &plan));
    out->running = true;
done:
    if (plan.in >= 0)
        (void)close(plan.in);
    if (plan.out[1] >= 0 && plan.out[1] != plan.out[0])
        (void)close(plan.out[1]);
    if (plan.out[0] >= 0)
        (void)close(plan.out[0]);
    rg_free(plan.program);
    if (code != RG_OK) {
        rg_echo_close(out);
        rg_free(out->log_path);
        rg_free(out->kept);
    }
    return code;
}
