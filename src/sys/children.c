/* children.c - a set of children: waiting, signals, the end. */
#include "sys/children_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_SIGNALS = 4, LOOK_MS = 2000 }; /* how often logs of others are looked after */
enum { ONCE_NS = 250000000 };           /* signals so close to another are one with it */
static const int caught[N_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

/* What a signal handler writes: when it came counts, not when we get to it. */
typedef struct arrival {
    uint64_t at_ns;
    int number;
} arrival;

struct rg_children {
    rg_child *items;
    size_t n, cap;
    int wake[2];       /* arrivals, each written whole */
    uint64_t asked_ns; /* when the last one came that was told */
    int to_guard;
    pid_t guard;
    struct sigaction before[N_SIGNALS], pipe_before;
    uint64_t looked_ns; /* when logs were looked after last */
};

/* The write end of the open set's pipe, for the handler; -1: no set is open. */
static volatile sig_atomic_t wake_fd = -1;

static void on_signal(int number)
{
    int saved = errno;
    arrival came = {rg_clock_ns(), number};
    if (wake_fd >= 0)
        (void)!write(wake_fd, &came, sizeof came);
    errno = saved;
}

static void catch_signals(rg_children *children)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGPIPE, &ignore, &children->pipe_before); /* echoing to nobody is no reason */
    wake_fd = children->wake[1];
    for (int i = 0; i < N_SIGNALS; i++) {
        (void)sigaction(caught[i], NULL, &children->before[i]);
        /* Started by nohup, or in the background of a script: it stays ignored. */
        if (children->before[i].sa_handler != SIG_IGN || caught[i] == SIGCHLD)
            (void)sigaction(caught[i], &action, NULL);
    }
}

rg_status rg_children_open(rg_children **out)
{
    if (wake_fd >= 0)
        return rg_fail(RG_EINVAL, "this process is already supervising other processes");
    rg_children *children = rg_alloc_zero(1, sizeof *children);
    if (children == NULL)
        return rg_no_memory(sizeof *children, "a set of processes");
    if (pipe2(children->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        rg_free(children);
        return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    rg_status code = rg_guard_start(&children->to_guard, &children->guard);
    if (code != RG_OK) {
        (void)close(children->wake[0]);
        (void)close(children->wake[1]);
        rg_free(children);
        return code;
    }
    catch_signals(children);
    *out = children;
    return RG_OK;
}

/* ---- logs that are not complete ---- */

/* A child that writes its log by itself is not told by us of what fails; a full disk can be seen.
 */
static void look_after_log(rg_child *child)
{
    struct statvfs disk;
    if (child->lost != 0 || child->log_path == NULL || child->log >= 0 ||
        statvfs(child->log_path, &disk) != 0 || disk.f_blocks == 0)
        return;
    if ((geteuid() == 0 ? disk.f_bfree : disk.f_bavail) == 0)
        child->lost = ENOSPC;
}

static bool find_lost(rg_children *children, int *number)
{
    uint64_t now = rg_clock_ns();
    bool look = now - children->looked_ns >= LOOK_MS * UINT64_C(1000000);
    if (look)
        children->looked_ns = now;
    for (size_t i = 0; i < children->n; i++) {
        rg_child *child = &children->items[i];
        if (look && child->running)
            look_after_log(child);
        if (child->lost == 0 || child->lost_told)
            continue;
        child->lost_told = true;
        *number = (int)i;
        return true;
    }
    return false;
}

const char *rg_children_log_lost(const rg_children *children, int number)
{
    int why = children->items[number].lost;
    return why != 0 ? strerror(why) : NULL;
}

/* ---- the end of a child ---- */

/* The child is a zombie: its number is not reused yet, so its group can be killed safely. */
static void reap(rg_children *children, rg_child *child, int *status, struct rusage *usage)
{
    (void)kill(-child->pid, SIGKILL);
    while (wait4(child->pid, status, 0, usage) < 0 && errno == EINTR)
        ;
    rg_guard_tell(children->to_guard, child->pid, false);
    child->running = false;
    look_after_log(child);
    rg_echo_finish(child);
}

void rg_children_close(rg_children *children)
{
    if (children == NULL)
        return;
    for (size_t i = 0; i < children->n; i++) {
        rg_child *child = &children->items[i];
        struct rusage usage;
        int status;
        if (child->running)
            reap(children, child, &status, &usage);
        rg_free(child->log_path);
        rg_free(child->kept);
    }
    rg_guard_stop(children->to_guard, children->guard);
    for (int i = 0; i < N_SIGNALS; i++)
        (void)sigaction(caught[i], &children->before[i], NULL);
    (void)sigaction(SIGPIPE, &children->pipe_before, NULL);
    wake_fd = -1;
    (void)close(children->wake[0]);
    (void)close(children->wake[1]);
    rg_free(children->items);
    rg_free(children);
}

rg_status rg_children_start(rg_children *children, const rg_child_spec *spec)
{
    RG_TRY(rg_grow((void **)&children->items, children->n, &children->cap, sizeof(rg_child)));
    RG_TRY(rg_spawn(&children->items[children->n], spec));
    rg_guard_tell(children->to_guard, children->items[children->n].pid, true);
    children->n++;
    return RG_OK;
}

rg_status rg_children_start_again(rg_children *children, int number, const rg_child_spec *spec)
{
    rg_child fresh, *child = &children->items[number];
    if (child->running)
        return rg_fail(RG_EINVAL, "process %d still runs", number);
    RG_TRY(rg_spawn(&fresh, spec));
    fresh.lost = child->lost; /* told once, whoever writes */
    fresh.lost_told = child->lost_told;
    rg_free(child->log_path);
    rg_free(child->kept);
    *child = fresh;
    rg_guard_tell(children->to_guard, child->pid, true);
    return RG_OK;
}

int rg_children_count(const rg_children *children)
{
    return (int)children->n;
}

long rg_children_pid(const rg_children *children, int child)
{
    return (long)children->items[child].pid;
}

bool rg_children_running(const rg_children *children, int child)
{
    return children->items[child].running;
}

bool rg_children_stopped(const rg_children *children, int child)
{
    char path[64];
    rg_buf stat;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", rg_children_pid(children, child));
    rg_buf_init(&stat, 0);
    /* "PID (NAME) STATE ...": a name may hold anything */
    bool read = rg_children_running(children, child) &&
                rg_file_read_all(path, 4096, &stat) == RG_OK;
    const char *end = read ? strrchr(rg_buf_cstr(&stat), ')') : NULL;
    bool stopped = end != NULL && (end[2] == 'T' || end[2] == 't');
    rg_buf_fini(&stat);
    return stopped;
}

void rg_children_signal(rg_children *children, int child, int signal)
{
    if (children->items[child].running)
        (void)kill(-children->items[child].pid, signal);
}

/* ---- waiting ---- */

static bool find_ended(rg_children *children, int *number, rg_child_end *end)
{
    for (size_t i = 0; i < children->n; i++) {
        rg_child *child = &children->items[i];
        siginfo_t info = {.si_pid = 0};
        struct rusage usage = {0};
        int status = 0;
        if (!child->running ||
            waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == 0)
            continue;
        uint64_t after = rg_clock_ns() - child->started_ns;
        reap(children, child, &status, &usage);
        *number = (int)i;
        *end = (rg_child_end){
            .pid = (long)child->pid,
            .code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .max_rss = (int64_t)usage.ru_maxrss * 1024,
            .after_ns = after,
        };
        return true;
    }
    return false;
}

/* The number of a signal that asks us to end, or 0. */
static int take_signal(rg_children *children)
{
    arrival came;
    while (read(children->wake[0], &came, sizeof came) == sizeof came) {
        if (came.number == SIGCHLD || came.at_ns < children->asked_ns + ONCE_NS)
            continue;
        children->asked_ns = came.at_ns;
        return came.number;
    }
    return 0;
}

static struct pollfd wanted(const echo_stream *echo)
{
    return echo->blocked ? (struct pollfd){.fd = echo->to, .events = POLLOUT}
                         : (struct pollfd){.fd = echo->from, .events = POLLIN};
}

/* Sleeps until output, a signal, or the deadline. */
static rg_status sleep_until(rg_children *children, uint64_t deadline_ns)
{
    size_t n = 1 + children->n * ECHO_STREAMS;
    struct pollfd *fds = rg_alloc_zero(n, sizeof *fds);
    if (fds == NULL)
        return rg_no_memory(n * sizeof *fds, "waiting for processes");
    n = 0;
    fds[n++] = (struct pollfd){.fd = children->wake[0], .events = POLLIN};
    for (size_t i = 0; i < children->n; i++)
        for (int k = 0; k < ECHO_STREAMS; k++)
            if (children->items[i].echo[k].from >= 0)
                fds[n++] = wanted(&children->items[i].echo[k]);
    uint64_t now = rg_clock_ns();
    uint64_t left_ms = deadline_ns > now ? (deadline_ns - now + 999999) / 1000000 : 0;
    int found = poll(fds, n, left_ms > LOOK_MS ? LOOK_MS : (int)left_ms);
    int why = errno;
    rg_free(fds);
    if (found < 0 && why != EINTR)
        return rg_fail(RG_EIO, "cannot wait for processes: %s", strerror(why));
    for (size_t i = 0; i < children->n; i++)
        rg_echo_move(&children->items[i]);
    return RG_OK;
}

rg_status rg_children_wait(rg_children *children, uint64_t deadline_ns, rg_child_event *event,
                           int *child, rg_child_end *end)
{
    for (;;) {
        int number = take_signal(children);
        if (number != 0) {
            *event = RG_CHILD_SIGNAL;
            *child = number;
            return RG_OK;
        }
        if (find_lost(children, child)) {
            *event = RG_CHILD_LOG_LOST;
            return RG_OK;
        }
        if (find_ended(children, child, end)) {
            *event = RG_CHILD_ENDED;
            return RG_OK;
        }
        if (rg_clock_ns() >= deadline_ns) {
            *event = RG_CHILD_TIMEOUT;
            return RG_OK;
        }
        RG_TRY(sleep_until(children, deadline_ns));
    }
}

rg_status rg_children_tail(const rg_children *children, int number, size_t max_bytes, rg_buf *out)
{
    const rg_child *child = &children->items[number];
    if (child->log_path == NULL) {
        size_t n = child->n_kept < max_bytes ? child->n_kept : max_bytes;
        if (n > 0)
            rg_buf_add(out, child->kept + child->n_kept - n, n);
        return rg_buf_status(out);
    }
    return rg_file_tail(child->log_path, max_bytes, out, NULL);
}
