/* log.h - one line, one event, key=value, to stderr, or a file:
 *
 *     2026-11-15T03:14:50.640Z W ps step=41 sender=1 "frame over limit" bytes=...
 *
 * FLAGS_log_level (E, W, I, D; W unless set) says how much. Errors that are
 * returned are not logged. Any thread; a line is written whole, and is one line whatever is in it:
 * control characters are escaped. */
#ifndef RG_SYS_LOG_H
#define RG_SYS_LOG_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum rg_log_level { RG_LOG_E, RG_LOG_W, RG_LOG_I, RG_LOG_D } rg_log_level;

void rg_log(rg_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether someone looks at stderr. */
bool rg_stderr_is_terminal(void);

/* Text that a program's user asked for, to stdout. Any thread. */
void rg_say(const char *text, size_t n);

/* From now on lines of either kind go to a new file in the folder, which is made where it is
 * missing; of log lines stderr gets errors alone, or, with `both`, all. FOLDER/NAME.INFO, for each
 * of the `n` names, is a link to the file of who came last, as with glog. Once, before there are
 * threads. */
rg_status rg_log_to_folder(const char *folder, const char *const *names, int n, bool both);

/* ---- the footer: a line on stderr that is drawn again and again, such as a progress bar ----
 *
 * Whatever is written by rg_log() and rg_say() erases it first, so that no line is glued to it;
 * the next drawing brings it back. Any thread. */

/* In the place of what was drawn last; cut where the terminal ends. */
void rg_footer_draw(const char *text);
/* For those who write by another way. */
void rg_footer_erase(void);
/* It stays as it is; what comes next begins a line. */
void rg_footer_leave(void);

#endif
