/* library.h - shared libraries that are loaded when they are first needed. */
#ifndef RG_SYS_LIBRARY_H
#define RG_SYS_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Loads `name` (a path, or a name that the system looks for) for the rest of the process, and puts
 * the addresses of the functions `names`, `n` of them, into `functions`. RG_ENOENT says what is
 * missing. */
rg_status rg_library_load(const char *name, const char *const *names, void **functions, size_t n);
/* What was loaded by that, once more, as it is where the environment has `variable`: libraries look
 * there when they are loaded. As it was, where someone else uses it, too. */
rg_status rg_library_load_again(const char *name, const char *variable, const char *value,
                                const char *const *names, void **functions, size_t n);

/* The file `name` in the folder of the library (or command) that this function is in, in the folder
 * lib beside it, or where pip puts what belongs to a command. False: there is none. */
bool rg_library_beside(const char *name, char *path, size_t size);
/* A module: a library that calls functions of this one, whose symbols are made known to it. Loaded
 * for the rest of the process; *symbol is the address of what it has under that name. RG_ENOENT
 * says what is missing. */
rg_status rg_library_load_module(const char *path, const char *name, void **symbol);

#endif
