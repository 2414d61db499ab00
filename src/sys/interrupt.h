/* interrupt.h - whether the user wants this process to stop waiting. */
#ifndef RG_SYS_INTERRUPT_H
#define RG_SYS_INTERRUPT_H

#include "base/status.h"

/* Called by whoever waits, a few times a second: anything but RG_OK ends the wait with it. For
 * Ctrl+C in Python. */
void rg_set_interrupted(rg_status (*interrupted)(void));
rg_status rg_interrupted(void);

#endif
