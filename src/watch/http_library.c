/* http_library.c - libmicrohttpd, once it is asked for: with it come a TLS library and others,
 * which a process that shows nothing shall not have to load. */
#include "watch/http_library.h"

#include "sys/library.h"

#include <pthread.h>
#include <stdbool.h>

#define NAME(name) "MHD_" #name,
static const char *const names[] = {RG_HTTP_CALLS(NAME)};
enum { NAMES = sizeof names / sizeof *names };

_Static_assert(sizeof(rg_http_calls) == NAMES * sizeof(void *), "one address a function");

static union {
    void *addresses[NAMES];
    rg_http_calls calls;
} loaded;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

rg_status rg_http_load(const rg_http_calls **calls)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&lock);
    if (!is_loaded)
        code = rg_library_load(RG_MICROHTTPD, names, loaded.addresses, NAMES);
    is_loaded = code == RG_OK;
    pthread_mutex_unlock(&lock);
    *calls = &loaded.calls;
    return code == RG_OK
               ? RG_OK
               : rg_context(code, "pages are served by libmicrohttpd (install libmicrohttpd12)");
}
