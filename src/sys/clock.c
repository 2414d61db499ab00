/* clock.c - the system's clocks. */
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NS_A_SECOND = 1000000000 };

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * NS_A_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t rg_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t rg_clock_thread_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t rg_clock_process_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

#ifdef RG_FAULTS
/* For tests: the clock of another host, which is ahead of this one's. */
static uint64_t wall_ahead_ns(void)
{
    const char *text = getenv("RG_FAULT_CLOCK_MS");
    return text != NULL ? (uint64_t)(strtoll(text, NULL, 10) * 1000000) : 0;
}
#else
static uint64_t wall_ahead_ns(void)
{
    return 0;
}
#endif

uint64_t rg_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME) + wall_ahead_ns();
}

double rg_clock_unix(void)
{
    return (double)rg_clock_wall_ns() / NS_A_SECOND;
}

void rg_clock_sleep(uint64_t ns)
{
    struct timespec pause = {(time_t)(ns / NS_A_SECOND), (long)(ns % NS_A_SECOND)};
    (void)nanosleep(&pause, NULL);
}

void rg_clock_text(char *text, size_t size)
{
    struct timespec t;
    struct tm utc;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    (void)gmtime_r(&t.tv_sec, &utc);
    size_t used = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &utc);
    if (used > 0)
        (void)snprintf(text + used, size - used, ".%03ldZ", t.tv_nsec / 1000000);
}
