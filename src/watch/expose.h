/* expose.h - the metrics of this process over HTTP, for Prometheus: FLAGS_metrics_port. */
#ifndef RG_WATCH_EXPOSE_H
#define RG_WATCH_EXPOSE_H

#include "base/status.h"
#include "watch/http.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a port is asked for: a number, or auto. */
bool rg_expose_is_wanted(void);
/* Serves /metrics at FLAGS_metrics_host and says so in the log; `address`, of `size` bytes, is
 * where, without a token. *out is NULL where nobody asks for it. Ended by rg_http_close(). */
rg_status rg_expose_open(rg_http **out, char *address, size_t size);

#endif
