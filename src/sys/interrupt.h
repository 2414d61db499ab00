/* interrupt.h - how a wait is ended from outside.
 *
 * Whoever waits looks here a few times a second (RG_LOOK_NS). A wait ends when the user pressed
 * Ctrl+C, and when the threads that work together with this one were told to halt: one of them
 * has failed, so what this one waits for may never come. */
#ifndef RG_SYS_INTERRUPT_H
#define RG_SYS_INTERRUPT_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { RG_LOOK_NS = 100 * 1000 * 1000, RG_LOOK_MS = 100 };

/* Asked by rg_interrupted(): anything but RG_OK ends the wait with it. For Ctrl+C in Python.
 * Returns what was asked before; NULL: nothing. */
typedef rg_status (*rg_interruption)(void);
rg_interruption rg_set_interrupted(rg_interruption interrupted);
/* Not under a lock that the function above might want: Python takes its own. */
rg_status rg_interrupted(void);

/* The same for a loop that computes, each time round: it looks as often as a wait does. *next_ns
 * begins as 0. */
rg_status rg_interrupted_at_times(uint64_t *next_ns);

/* From now on rg_interrupted() fails on this thread, too, while *halted; NULL: no longer. Returns
 * what it was. Borrowed. */
const atomic_bool *rg_halted_by(const atomic_bool *halted);
/* For a thread that works for another one, which waits and is asked: here the flag alone counts. */
void rg_works_for_another(const atomic_bool *halted);
/* Whether it has, since then: a failure that follows is not this thread's own. */
bool rg_was_halted(void);

#endif
