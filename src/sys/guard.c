/* guard.c - a process that outlives ours by a moment, to kill what we leave behind. */
#include "sys/children_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_GROUPS = 65536 };

/* group > 0: watch it; < 0: -group has ended. */
typedef struct message {
    int32_t group;
} message;

static pid_t groups[MAX_GROUPS]; /* the guard's own copy */
static size_t n_groups;

static void note(int32_t group)
{
    pid_t wanted = group > 0 ? group : -group;
    for (size_t i = 0; i < n_groups; i++)
        if (groups[i] == wanted) {
            groups[i] = groups[--n_groups];
            break;
        }
    if (group > 0 && n_groups < MAX_GROUPS)
        groups[n_groups++] = wanted;
}

/* Only async-signal-safe calls: the process we came from may have had threads. */
__attribute__((noreturn)) static void guard(int from)
{
    message m;
    ssize_t n;
    (void)setsid();
    while ((n = read(from, &m, sizeof m)) != 0) {
        if (n == (ssize_t)sizeof m)
            note(m.group);
        else if (errno != EINTR)
            break;
    }
    for (size_t i = 0; i < n_groups; i++)
        (void)kill(-groups[i], SIGKILL);
    _exit(0);
}

static void ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
}

rg_status rg_guard_start(int *to_guard, pid_t *pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return rg_fail(RG_EIO, "cannot make a pipe: %s", strerror(errno));
    n_groups = 0;
    pid_t child = fork();
    if (child < 0) {
        int why = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        return rg_fail(RG_EIO, "cannot start a process: %s", strerror(why));
    }
    if (child == 0) {
        ignore_signals();
        /* Nothing of ours may stay open through it: who reads our output waits for its end. */
        if (dup2(ends[0], 0) < 0)
            _exit(1);
        closefrom(1);
        guard(0);
    }
    (void)close(ends[0]);
    *to_guard = ends[1];
    *pid = child;
    return RG_OK;
}

void rg_guard_tell(int to_guard, pid_t group, bool watch)
{
    message m = {watch ? (int32_t)group : -(int32_t)group};
    while (write(to_guard, &m, sizeof m) < 0 && errno == EINTR)
        ;
}

void rg_guard_stop(int to_guard, pid_t pid)
{
    (void)close(to_guard);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
