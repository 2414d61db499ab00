/* stop.c - signals that ask a process to end. */
#include "sys/stop.h"

#include "sys/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_int came; /* the signal's number */
static rg_interruption asked_before;
static atomic_bool by_sigterm; /* which is to end us as it would have */
static bool is_caught;         /* for that alone */
static struct sigaction sigterm_before;

static void on_signal(int number)
{
    atomic_store(&came, number);
}

static rg_status look(void)
{
    const char *signal = rg_stop_signal();
    if (signal != NULL)
        return rg_fail(RG_ECLOSED, "stopped by %s", signal);
    return asked_before != NULL ? asked_before() : RG_OK;
}

static void ask_here(void)
{
    rg_interruption asked = rg_set_interrupted(look);
    asked_before = asked != look ? asked : asked_before;
}

void rg_stop_on_signals(void)
{
    static const int caught[] = {SIGTERM, SIGINT};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    ask_here();
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

void rg_stop_on_sigterm(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, now;
    if (sigaction(SIGTERM, NULL, &now) != 0)
        return;
    if (now.sa_handler == on_signal) /* of rg_stop_on_signals() */
        atomic_store(&by_sigterm, true);
    if (now.sa_handler != SIG_DFL)
        return;
    ask_here();
    sigterm_before = now;
    is_caught = sigaction(SIGTERM, &action, NULL) == 0;
    atomic_store(&by_sigterm, is_caught);
}

bool rg_stop_ends_by_sigterm(void)
{
    return atomic_load(&by_sigterm) && atomic_load(&came) == SIGTERM;
}

void rg_stop_by_sigterm(void)
{
    struct sigaction end = {.sa_handler = SIG_DFL};
    if (rg_stop_ends_by_sigterm() && sigaction(SIGTERM, &end, NULL) == 0)
        (void)raise(SIGTERM);
}

void rg_stop_no_more_on_sigterm(void)
{
    if (!is_caught)
        return;
    (void)sigaction(SIGTERM, &sigterm_before, NULL);
    (void)rg_set_interrupted(asked_before);
    rg_stop_by_sigterm(); /* it may have come until now */
    is_caught = false;
    atomic_store(&by_sigterm, false);
}
