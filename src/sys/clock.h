/* clock.h - the only source of time. Deadlines and durations are monotonic;
 * the wall clock is for log lines, and for what is put beside other machines'. */
#ifndef RG_SYS_CLOCK_H
#define RG_SYS_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t rg_clock_ns(void);         /* monotonic */
uint64_t rg_clock_thread_ns(void);  /* CPU time of this thread */
uint64_t rg_clock_process_ns(void); /* and of all of them */
/* Since 1970, as the machine believes: to compare machines, and to stamp what people read. */
uint64_t rg_clock_wall_ns(void);
double rg_clock_unix(void); /* the same in seconds */
/* A pause. For moments: a longer wait must look whether it is still wanted (interrupt.h). */
void rg_clock_sleep(uint64_t ns);
/* "2026-11-15T03:14:50.640Z" and NUL into text, at least 25 bytes. */
void rg_clock_text(char *text, size_t size);

#endif
