/* run.h - this process becomes another program. */
#ifndef RG_SYS_RUN_H
#define RG_SYS_RUN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* The path of a program `name` that lies beside this one. `self` is argv[0]: where it was a link,
 * the link's folder comes first, then the one of the file itself. */
bool rg_find_beside(const char *self, const char *name, char *path, size_t size);
/* Whether a program of this name is on PATH. */
bool rg_find_on_path(const char *name);

/* The folder we are in becomes the first of PYTHONPATH. */
rg_status rg_python_path_here(void);

/* Returns only where it fails: RG_ENOENT names the program. argv is ended by NULL; a name without
 * '/' is looked for on PATH. What stands in DEBUGGER, where that is set, goes before it. */
rg_status rg_become(char *const *argv);

#endif
