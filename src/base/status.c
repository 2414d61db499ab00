/* status.c - the per-thread error message behind base/status.h. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Long enough for a list of variables and five contexts; a longer message is
 * cut, never an error. */
static _Thread_local char message[4096];

const char *rg_status_name(rg_status code)
{
    static const char *const names[] = {
        [RG_OK] = "RG_OK",           [RG_EINVAL] = "RG_EINVAL",     [RG_ESHAPE] = "RG_ESHAPE",
        [RG_ENOMEM] = "RG_ENOMEM",   [RG_EIO] = "RG_EIO",           [RG_ECORRUPT] = "RG_ECORRUPT",
        [RG_ETOOBIG] = "RG_ETOOBIG", [RG_ETIMEOUT] = "RG_ETIMEOUT", [RG_ECLOSED] = "RG_ECLOSED",
        [RG_EDENIED] = "RG_EDENIED", [RG_ESTALE] = "RG_ESTALE",     [RG_ENOENT] = "RG_ENOENT",
        [RG_EUNIMPL] = "RG_EUNIMPL", [RG_EVALUE] = "RG_EVALUE",     [RG_EOF] = "RG_EOF",
    };
    if ((size_t)code >= sizeof names / sizeof names[0])
        return "RG_UNKNOWN";
    return names[code];
}

const char *rg_error_message(void)
{
    return message;
}

void rg_set_message(const char *fmt, ...)
{
    /* Written aside first: an argument may point into `message` itself. */
    char fresh[sizeof message];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(fresh, sizeof fresh, fmt, args);
    va_end(args);
    memcpy(message, fresh, sizeof message);
}

void rg_add_context(const char *fmt, ...)
{
    char longer[2 * sizeof message];
    va_list args;
    va_start(args, fmt);
    int used = vsnprintf(longer, sizeof message, fmt, args);
    va_end(args);
    if (used < 0)
        return;
    if ((size_t)used >= sizeof message)
        used = sizeof message - 1;
    (void)snprintf(longer + used, sizeof longer - (size_t)used, ": %s", message);
    longer[sizeof message - 1] = '\0';
    memcpy(message, longer, sizeof message);
}
