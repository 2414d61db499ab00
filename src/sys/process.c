/* process.c - this process and others. */
#include "sys/process.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

long rg_process_id(void)
{
    return (long)getpid();
}

bool rg_process_alive(long pid)
{
    return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}
