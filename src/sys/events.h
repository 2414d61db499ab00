/* events.h - the file in which this process tells how it is, and what befalls it.
 *
 * FOLDER/worker.0.jsonl: JSON, a line each, appended, one write for each; a process that is started
 * again goes on in the file of the one before. docs/guide-watch.md has the kinds of lines. Where no
 * file is open, nothing is written. Any thread. */
#ifndef RG_SYS_EVENTS_H
#define RG_SYS_EVENTS_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `process` is worker.N, server.N or launcher; the folder is made where it is missing. A child that
 * is forked has no file. */
rg_status rg_watch_file_open(const char *folder, const char *process);
void rg_watch_file_close(void);
bool rg_watch_file_is_open(void);
uint64_t rg_watch_file_bytes(void);
/* {"t":SECONDS, and what follows it up to the last brace, which is added. A failure is logged once,
 * and the line is not there: not in part either. */
void rg_watch_line(const char *rest);

/* One of those that everybody knows: killed, started, rejoined, snapshot, evicted, stalled, lost,
 * refused, finished, error. `who` is a process, or NULL: this one. The text is one line for people.
 * Of more than 50 in a second the rest is left out. */
void rg_event(const char *kind, const char *who, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
