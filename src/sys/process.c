/* process.c - this process and others. */
#include "sys/process.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void rg_thread_waits_its_turn(void)
{
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){0});
}

/* On Linux a thread has a niceness of its own. */
void rg_thread_stays_back(void)
{
    enum { NICE = 10 }; /* a tenth of what another thread gets where both want all */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

long rg_process_id(void)
{
    return (long)getpid();
}

bool rg_process_is_there(long pid)
{
    return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

void rg_process_on_fork(void (*child)(void))
{
    (void)pthread_atfork(NULL, NULL, child);
}

void rg_process_around_fork(void (*before)(void), void (*after)(void), void (*child)(void))
{
    (void)pthread_atfork(before, after, child);
}

static void (*at_end)(int status);

static void end(int status, void *arg)
{
    (void)arg;
    at_end(status);
}

void rg_process_on_exit(void (*ended)(int status))
{
    if (at_end == NULL)
        (void)on_exit(end, NULL);
    at_end = ended;
}

void rg_process_host(char *name, size_t size)
{
    if (gethostname(name, size) != 0)
        (void)snprintf(name, size, "?");
    name[size - 1] = '\0';
}

int rg_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    return limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
}

uint64_t rg_process_memory(void)
{
    char text[128] = ""; /* "SIZE RESIDENT ...", in pages */
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    char *resident = fgets(text, sizeof text, file) ? strchr(text, ' ') : NULL;
    (void)fclose(file);
    return resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int rg_process_threads(void)
{
    char text[256];
    int threads = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && threads == 0 && fgets(text, sizeof text, file) != NULL)
        if (strncmp(text, "Threads:", 8) == 0)
            threads = (int)strtol(text + 8, NULL, 10);
    if (file != NULL)
        (void)fclose(file);
    return threads;
}
