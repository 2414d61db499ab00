/* fault.c - fault points, in builds that have them. */
#include "sys/fault.h"

#ifdef RG_FAULTS
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long passes;     /* of the plan that was last asked for: */
static char before[64]; /* another one begins anew */

static rg_fault_action act(const char *action)
{
    static const struct {
        const char *name;
        rg_fault_action action;
    } known[] = {
        {"eio", RG_FAULT_EIO},     {"enospc", RG_FAULT_ENOSPC}, {"enomem", RG_FAULT_ENOMEM},
        {"short", RG_FAULT_SHORT}, {"flip", RG_FAULT_FLIP},
    };
    if (strcmp(action, "late") == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (strcmp(action, "kill") == 0 || strcmp(action, "late") == 0)
        (void)kill(getpid(), SIGKILL);
    if (strcmp(action, "stop") == 0)
        (void)kill(getpid(), SIGSTOP);
    if (strcmp(action, "delay") == 0)
        (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    if (strcmp(action, "stall") == 0)
        (void)nanosleep(&(struct timespec){.tv_sec = 100000}, NULL);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(action, known[i].name) == 0)
            return known[i].action;
    return RG_FAULT_NONE;
}

rg_fault_action rg_fault(const char *point)
{
    const char *plan = getenv("RG_FAULT"); /* POINT:N:ACTION */
    size_t length = strlen(point);
    if (plan == NULL || strncmp(plan, point, length) != 0 || plan[length] != ':')
        return RG_FAULT_NONE;
    char *rest;
    long wanted = strtol(plan + length + 1, &rest, 10);
    if (*rest != ':')
        return RG_FAULT_NONE;
    (void)pthread_mutex_lock(&lock);
    if (strncmp(before, plan, sizeof before - 1) != 0) {
        (void)strncpy(before, plan, sizeof before - 1);
        passes = 0;
    }
    long pass = ++passes;
    (void)pthread_mutex_unlock(&lock);
    return pass == wanted ? act(rest + 1) : RG_FAULT_NONE;
}
#endif
