/* command.c - shell commands, their pipes and their end. */
#include "sys/command.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    INPUT_BYTES = 64 * 1024,
    TAIL_BYTES = 2048,
    REAP_MS = 10,
    SILENT_MS = 300,
    TELL_AFTER_S = 10,
    TELL_EVERY_S = 30
};

struct rg_wake {
    int fd;
};

struct rg_command {
    char *text;
    pid_t pid; /* 0: reaped */
    int in, out, err;
    int file; /* the same open file as its standard input; -1: that is a pipe */
    int status;
    rg_command_input input;
    void *input_arg;
    const rg_wake *wake;
    uint64_t silent_ns, tell_ns; /* since when it gives nothing; when to say so. 0: it has given */
    size_t in_at, in_end;        /* of the input buffer, not yet written */
    size_t tail_n;
    char tail[TAIL_BYTES];
    char buffer[INPUT_BYTES];
};

/* ---- wakes ---- */

rg_status rg_wake_open(rg_wake **out)
{
    rg_wake *wake = rg_alloc_zero(1, sizeof *wake);
    if (wake == NULL)
        return rg_no_memory(sizeof *wake, "a wake");
    wake->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake->fd < 0) {
        rg_free(wake);
        return rg_fail(RG_EIO, "cannot make an event: %s", strerror(errno));
    }
    *out = wake;
    return RG_OK;
}

void rg_wake_set(rg_wake *wake)
{
    uint64_t one = 1;
    ssize_t n = write(wake->fd, &one, sizeof one); /* full: it is set already */
    (void)n;
}

bool rg_wake_wait(const rg_wake *wake, int wait_ms)
{
    struct pollfd p = {wake->fd, POLLIN, 0};
    return poll(&p, 1, wait_ms) > 0;
}

bool rg_wake_is_set(const rg_wake *wake)
{
    return rg_wake_wait(wake, 0);
}

void rg_wake_close(rg_wake *wake)
{
    if (wake == NULL)
        return;
    (void)close(wake->fd);
    rg_free(wake);
}

/* ---- starting ---- */

/* The caller's programs: also found by commands, after all others. Written once, at start. */
static char *own_folder;

rg_status rg_command_beside(const char *program)
{
    char self[4096];
    if (program == NULL) {
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        if (n <= 0)
            return RG_OK; /* no such thing here: PATH alone */
        self[n] = '\0';
        program = self;
    }
    const char *slash = strrchr(program, '/');
    if (slash == NULL || slash == program)
        return RG_OK;
    rg_buf folder;
    rg_buf_init(&folder, 0);
    rg_buf_add(&folder, program, (size_t)(slash - program));
    rg_status code = rg_buf_status(&folder);
    if (code == RG_OK) {
        rg_free(own_folder);
        own_folder = rg_buf_take(&folder);
    }
    rg_buf_fini(&folder);
    return code;
}

/* "PATH=..." with our own folder at its end; owned by the caller. NULL: no memory. */
static char *make_path(void)
{
    const char *path = getenv("PATH");
    rg_buf text;
    rg_buf_init(&text, 0);
    rg_buf_printf(&text, "PATH=%s%s%s", path ? path : "/usr/local/bin:/usr/bin:/bin",
                  own_folder ? ":" : "", own_folder ? own_folder : "");
    char *made = rg_buf_status(&text) == RG_OK ? rg_buf_take(&text) : NULL;
    rg_buf_fini(&text);
    return made;
}

/* What a user's command has no use for, and may hand on. */
static bool is_secret(const char *variable)
{
    return strncmp(variable, "REGATTA_JOB_KEY=", 16) == 0;
}

/* Our environment with that PATH, without secrets, and with those defaults that it does not have;
 * freed by the caller. */
static char **make_environment(const char *const *defaults, char *path)
{
    size_t ours = 0, more = 0, n = 0;
    while (environ[ours] != NULL)
        ours++;
    while (defaults != NULL && defaults[more] != NULL)
        more++;
    char **list = rg_alloc((ours + more + 2) * sizeof *list);
    if (list == NULL)
        return NULL;
    list[n++] = path;
    for (size_t i = 0; i < ours; i++)
        if (strncmp(environ[i], "PATH=", 5) != 0 && !is_secret(environ[i]))
            list[n++] = environ[i];
    for (size_t i = 0; i < more; i++) {
        size_t name = (size_t)(strchr(defaults[i], '=') - defaults[i]) + 1;
        size_t at = 0;
        while (at < n && strncmp(list[at], defaults[i], name) != 0)
            at++;
        if (at == n)
            list[n++] = (char *)defaults[i];
    }
    list[n] = NULL;
    return list;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* The child's ends of its standard streams, and ours. */
typedef struct ends {
    int child[3];
} ends;

static rg_status open_ends(rg_command *c, const rg_command_config *config, ends *e)
{
    int pair[2];
    if (config->input_path != NULL || config->input == NULL) {
        const char *path = config->input_path ? config->input_path : "/dev/null";
        e->child[0] = open(path, O_RDONLY | O_CLOEXEC);
        if (e->child[0] < 0)
            return rg_fail(errno == ENOENT ? RG_ENOENT : RG_EIO, "cannot open %s: %s", path,
                           strerror(errno));
        c->file = fcntl(e->child[0], F_DUPFD_CLOEXEC, 0);
    } else {
        if (pipe2(pair, O_CLOEXEC) != 0)
            return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
        e->child[0] = pair[0];
        c->in = pair[1];
        (void)fcntl(c->in, F_SETFL, O_NONBLOCK);
    }
    int *ours[2] = {&c->out, &c->err};
    for (int i = 0; i < 2; i++) {
        if (pipe2(pair, O_CLOEXEC) != 0)
            return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
        *ours[i] = pair[0];
        e->child[1 + i] = pair[1];
        (void)fcntl(pair[0], F_SETFL, O_NONBLOCK);
    }
    (void)fcntl(c->out, F_SETPIPE_SZ, 1 << 20); /* fewer switches; refused is no harm */
    return RG_OK;
}

static rg_status spawn(rg_command *c, const ends *e, char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++)
        (void)posix_spawn_file_actions_adddup2(&actions, e->child[i], i);
    (void)sigemptyset(&none);
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE); /* Python ignores it, and children would too */
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    char *argv[] = {(char *)"sh", (char *)"-c", c->text, NULL};
    int failed = posix_spawn(&c->pid, "/bin/sh", &actions, &attributes, argv, environment);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        c->pid = 0;
        return rg_fail(RG_EIO, "cannot start `%s`: %s", c->text, strerror(failed));
    }
    return RG_OK;
}

rg_status rg_command_open(rg_command **out, const rg_command_config *config)
{
    rg_command *c = rg_alloc_zero(1, sizeof *c);
    char *text = rg_strdup(config->command), *path = make_path();
    char **environment = path ? make_environment(config->defaults, path) : NULL;
    ends e = {{-1, -1, -1}};
    if (c == NULL || text == NULL || environment == NULL) {
        rg_free(c);
        rg_free(text);
        rg_free(path);
        rg_free(environment);
        return rg_no_memory(sizeof *c, "a command");
    }
    c->text = text;
    c->in = c->out = c->err = c->file = -1;
    c->input = config->input;
    c->input_arg = config->input_arg;
    c->wake = config->wake;
    rg_status code = open_ends(c, config, &e);
    if (code == RG_OK)
        code = spawn(c, &e, environment);
    for (int i = 0; i < 3; i++)
        close_fd(&e.child[i]);
    rg_free(environment);
    rg_free(path);
    if (code != RG_OK) {
        rg_command_close(c);
        return code;
    }
    *out = c;
    return RG_OK;
}

void rg_command_close(rg_command *c)
{
    if (c == NULL)
        return;
    close_fd(&c->in);
    close_fd(&c->out);
    close_fd(&c->err);
    close_fd(&c->file);
    if (c->pid > 0) {
        (void)kill(-c->pid, SIGKILL);
        (void)kill(c->pid, SIGKILL); /* it may not be leader of its group yet */
        while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) {
        }
    }
    rg_free(c->text);
    rg_free(c);
}

uint64_t rg_command_input_offset(const rg_command *c)
{
    off_t at = c->file >= 0 ? lseek(c->file, 0, SEEK_CUR) : 0;
    return at > 0 ? (uint64_t)at : 0;
}

/* ---- talking ---- */

/* write() without dying of SIGPIPE, whatever the process does with the signal. */
static ssize_t write_quietly(int fd, const void *bytes, size_t n)
{
    sigset_t pipe_signal, before, pending;
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)sigpending(&pending);
    bool had_one = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t put = write(fd, bytes, n);
    int kept = errno;
    if (put < 0 && kept == EPIPE && !had_one)
        (void)sigtimedwait(&pipe_signal, NULL, &(struct timespec){0, 0});
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = kept;
    return put;
}

/* The command can take input. One that stops reading early (head) may do so. */
static rg_status give_input(rg_command *c)
{
    if (c->in_at == c->in_end) {
        c->in_at = c->in_end = 0;
        RG_TRY(c->input(c->input_arg, c->buffer, sizeof c->buffer, &c->in_end));
        if (c->in_end == 0) {
            close_fd(&c->in);
            return RG_OK;
        }
    }
    ssize_t put = write_quietly(c->in, c->buffer + c->in_at, c->in_end - c->in_at);
    if (put > 0)
        c->in_at += (size_t)put;
    else if (errno == EPIPE)
        close_fd(&c->in);
    else if (errno != EAGAIN && errno != EINTR)
        return rg_fail(RG_EIO, "cannot write to `%s`: %s", c->text, strerror(errno));
    return RG_OK;
}

/* Pass on what it says, and keep the last of it; false where it says nothing now. */
static bool take_complaints(rg_command *c)
{
    char bytes[1024];
    ssize_t n = read(c->err, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        close_fd(&c->err);
        return false;
    }
    ssize_t shown = write(STDERR_FILENO, bytes, (size_t)n);
    (void)shown;
    size_t keep = (size_t)n < TAIL_BYTES - c->tail_n ? c->tail_n : TAIL_BYTES - (size_t)n;
    memmove(c->tail, c->tail + (c->tail_n - keep), keep);
    memcpy(c->tail + keep, bytes, (size_t)n);
    c->tail_n = keep + (size_t)n;
    return true;
}

static bool woken(const rg_command *c, int wait_ms)
{
    struct pollfd p = {c->wake ? c->wake->fd : -1, POLLIN, 0};
    return poll(&p, 1, wait_ms) > 0;
}

static rg_status stopped(const rg_command *c)
{
    return rg_fail(RG_ECLOSED, "stopped while `%s` was running", c->text);
}

/* What Python 3 says of sources that are Python 2. */
static bool is_python2(const rg_command *c)
{
    static const char *const signs[] = {
        "Missing parentheses in call to 'print'",
        "has no attribute 'has_key'",
        "has no attribute 'iteritems'",
        "name 'xrange' is not defined",
        "name 'unicode' is not defined",
        "name 'long' is not defined",
        "name 'reload' is not defined",
        "No module named 'cPickle'",
        "No module named 'StringIO'",
        "No module named 'urllib2'",
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(c->tail, c->tail_n, signs[i], strlen(signs[i])) != NULL)
            return true;
    return false;
}

/* What to do about a command that ended so; "" where that is not known. */
static const char *advice(const rg_command *c)
{
    if (!WIFEXITED(c->status))
        return "";
    if (WEXITSTATUS(c->status) == 127)
        return " (a program of it was not found: install it, give its whole path, or add its "
               "folder to PATH)";
    return is_python2(c) ? " (its source is Python 2: write `paddle python` for `python` in the "
                           "command)"
                         : "";
}

/* Its output has ended: how did it? */
static rg_status finish(rg_command *c)
{
    pid_t done = 0;
    while ((done = waitpid(c->pid, &c->status, WNOHANG)) == 0 || (done < 0 && errno == EINTR))
        if (woken(c, REAP_MS))
            return stopped(c);
    c->pid = 0;
    while (c->err >= 0 && take_complaints(c)) {
    }
    if (done < 0)
        return rg_fail(RG_EIO, "the end of `%s` was not seen: %s", c->text, strerror(errno));
    if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0)
        return RG_OK;
    while (c->tail_n > 0 && c->tail[c->tail_n - 1] == '\n')
        c->tail_n--;
    bool killed = WIFSIGNALED(c->status);
    return rg_fail(RG_EIO, "`%s` %s %d%s%s%.*s", c->text,
                   killed ? "was killed by signal" : "ended with status",
                   killed ? WTERMSIG(c->status) : WEXITSTATUS(c->status), advice(c),
                   c->tail_n ? "; it said last:\n" : " and said nothing", (int)c->tail_n, c->tail);
}

/* Nothing has come for a while. Where the shell was killed or has failed, what it had started
 * may hold the output open for ever, and is ended; after a status of 0 it may go on. */
static void end_orphans(const rg_command *c)
{
    siginfo_t end = {0};
    if (waitid(P_PID, (id_t)c->pid, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0)
        return;
    if (end.si_code != CLD_EXITED || end.si_status != 0)
        (void)kill(-c->pid, SIGKILL);
}

/* It may be at work, or wait for something that never comes. */
static void tell_silence(rg_command *c)
{
    uint64_t now = rg_clock_ns();
    if (c->silent_ns == 0) {
        c->silent_ns = now;
        c->tell_ns = now + TELL_AFTER_S * UINT64_C(1000000000);
    }
    if (now < c->tell_ns)
        return;
    c->tell_ns = now + TELL_EVERY_S * UINT64_C(1000000000);
    rg_log(RG_LOG_W, "data", "\"waiting for `%s`: it runs, and has given nothing for %.0f s\"",
           c->text, (double)(now - c->silent_ns) * 1e-9);
}

rg_status rg_command_read(rg_command *c, void *bytes, size_t n, size_t *got)
{
    *got = 0;
    c->silent_ns = 0;
    while (c->out >= 0) {
        struct pollfd p[4] = {
            {c->out, POLLIN, 0},
            {c->err, POLLIN, 0},
            {c->in, POLLOUT, 0},
            {c->wake ? c->wake->fd : -1, POLLIN, 0},
        };
        int ready = poll(p, 4, SILENT_MS);
        if (ready < 0 && errno != EINTR)
            return rg_fail(RG_EIO, "cannot wait for `%s`: %s", c->text, strerror(errno));
        if (ready == 0) {
            end_orphans(c);
            tell_silence(c);
        }
        if (ready <= 0)
            continue;
        if (p[3].revents)
            return stopped(c);
        if (p[1].revents)
            (void)take_complaints(c);
        if (p[2].revents && c->in >= 0)
            RG_TRY(give_input(c));
        if (!p[0].revents)
            continue;
        ssize_t read_now = read(c->out, bytes, n);
        if (read_now > 0) {
            *got = (size_t)read_now;
            return RG_OK;
        }
        if (read_now == 0)
            close_fd(&c->out);
        else if (errno != EAGAIN && errno != EINTR)
            return rg_fail(RG_EIO, "cannot read from `%s`: %s", c->text, strerror(errno));
    }
    close_fd(&c->in);
    return c->pid > 0 ? finish(c) : RG_OK;
}
