/* stop.h - signals that ask a process to end: SIGTERM, SIGINT.
 *
 * From the first call on rg_interrupted() fails in every thread once one of them has come, so that
 * waits end in order. (The same signal may come twice: timeout(1) does that.) A signal that was
 * ignored when the process started (as nohup does with SIGHUP) stays ignored. A reader of our
 * output that goes away does not end us (SIGPIPE). */
#ifndef RG_SYS_STOP_H
#define RG_SYS_STOP_H

#include <stdbool.h>

void rg_stop_on_signals(void);
/* "SIGTERM", or NULL: none has come. */
const char *rg_stop_signal(void);

/* SIGTERM alone, in a process that it would end at once, since nobody has said otherwise: waits end
 * in order there, too, and who has done what was to be done yet ends it by that. What ended waits
 * before still does, by one thread. Behind rg_stop_on_signals() it is, by any, that SIGTERM is to
 * end the process so. */
void rg_stop_on_sigterm(void);
/* Whether one has come that rg_stop_by_sigterm() ends this process by. */
bool rg_stop_ends_by_sigterm(void);
/* Ends this process by the SIGTERM that has come since; returns where there was none. */
void rg_stop_by_sigterm(void);
/* From now on it is as before rg_stop_on_sigterm(): one that comes ends this process, and so does
 * one that came since. Nothing where that had changed nothing. */
void rg_stop_no_more_on_sigterm(void);

#endif
