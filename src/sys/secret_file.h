/* secret_file.h - what a command must know and others must not see.
 *
 * Arguments of a command are for all users of a machine to read (ps), and commands stand in
 * messages. A secret for one goes into a file that only this user can read, and the command is
 * told the file's name. */
#ifndef RG_SYS_SECRET_FILE_H
#define RG_SYS_SECRET_FILE_H

#include "base/status.h"

#include <stddef.h>

/* A new file with these bytes in TMPDIR, or /tmp; *path is the caller's to rg_free(), after
 * rg_secret_file_remove(). */
rg_status rg_secret_file_make(char **path, const void *bytes, size_t n);
void rg_secret_file_remove(const char *path); /* NULL is allowed */

#endif
