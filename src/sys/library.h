/* library.h - shared libraries that are loaded when they are first needed. */
#ifndef RG_SYS_LIBRARY_H
#define RG_SYS_LIBRARY_H

#include "base/status.h"

#include <stddef.h>

/* Loads `name` (a path, or a name that the system looks for) for the rest of the process, and puts
 * the addresses of the functions `names`, `n` of them, into `functions`. RG_ENOENT says what is
 * missing. */
rg_status rg_library_load(const char *name, const char *const *names, void **functions, size_t n);

#endif
