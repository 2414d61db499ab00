/* page.h - the page of a job, over HTTP: what LOG_DIR/watch says, the logs, and the program.
 *
 *     /            the page: one file, with everything it needs
 *     /api/job     the state of the job (watch/state.h), JSON
 *     /api/events  the same each second, as server-sent events
 *     /api/log?process=worker.0&lines=200
 *     /api/program ops and variables of the program that is trained
 *     /api/op?type=mul  what the registry says of an op
 *     /metrics     the newest numbers of all processes, for Prometheus
 *
 * It reads files and writes none; whether the job still runs does not matter. */
#ifndef RG_WATCH_PAGE_H
#define RG_WATCH_PAGE_H

#include "base/status.h"

typedef struct rg_page rg_page;

/* As rg_http_open(). */
rg_status rg_page_open(rg_page **page, const char *log_dir, const char *host, int port,
                       const char *token);
/* Where it is, with its token. Borrowed. */
const char *rg_page_address(const rg_page *page);
/* Who looks at it is shown the last state first. NULL is allowed. */
void rg_page_close(rg_page *page);

#endif
