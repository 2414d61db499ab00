/* stop.h - signals that ask a process to end: SIGTERM, SIGINT.
 *
 * From the first call on rg_interrupted() fails in every thread once one of them has come, so that
 * waits end in order. (The same signal may come twice: timeout(1) does that.) A signal that was
 * ignored when the process started (as nohup does with SIGHUP) stays ignored. A reader of our
 * output that goes away does not end us (SIGPIPE). */
#ifndef RG_SYS_STOP_H
#define RG_SYS_STOP_H

void rg_stop_on_signals(void);
/* "SIGTERM", or NULL: none has come. */
const char *rg_stop_signal(void);

#endif
