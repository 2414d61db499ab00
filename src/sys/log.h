/* log.h - one line, one event, key=value, to stderr:
 *
 *     2026-11-15T03:14:50.640Z W ps step=41 sender=1 "frame over limit" bytes=...
 *
 * FLAGS_log_level (E, W, I, D; W unless set) says how much. Errors that are
 * returned are not logged. Any thread; a line is written whole. */
#ifndef RG_SYS_LOG_H
#define RG_SYS_LOG_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rg_log_level { RG_LOG_E, RG_LOG_W, RG_LOG_I, RG_LOG_D } rg_log_level;

void rg_log(rg_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether someone looks at stderr. */
bool rg_stderr_is_terminal(void);

/* Text that a program's user asked for, to stdout. Any thread. */
void rg_say(const char *text, size_t n);

#endif
