/* stop.c - signals that ask a process to end. */
#include "sys/stop.h"

#include "sys/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int came; /* the signal's number */

static void on_signal(int number)
{
    atomic_store(&came, number);
}

static rg_status look(void)
{
    const char *signal = rg_stop_signal();
    return signal ? rg_fail(RG_ECLOSED, "stopped by %s", signal) : RG_OK;
}

void rg_stop_on_signals(void)
{
    static const int caught[] = {SIGTERM, SIGINT};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    rg_set_interrupted(look);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(caught[i], &action, NULL);
}

const char *rg_stop_signal(void)
{
    int number = atomic_load(&came);
    return number == SIGTERM ? "SIGTERM" : number == SIGINT ? "SIGINT" : NULL;
}
