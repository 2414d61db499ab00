/* http_library.h - the functions of libmicrohttpd that are called, by their addresses. */
#ifndef RG_WATCH_HTTP_LIBRARY_H
#define RG_WATCH_HTTP_LIBRARY_H

#include "base/status.h"

#include <microhttpd.h>

#define RG_HTTP_CALLS(X)                                                                           \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(lookup_connection_value)                                                                     \
    X(create_response_from_buffer)                                                                 \
    X(create_response_from_callback)                                                               \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

typedef struct rg_http_calls {
#define RG_FIELD(NAME) __typeof__(MHD_##NAME) *NAME;
    RG_HTTP_CALLS(RG_FIELD)
#undef RG_FIELD
} rg_http_calls;

rg_status rg_http_load(const rg_http_calls **calls);

#endif
