/* file_priv.h - what file.c and folder.c share. */
#ifndef RG_SYS_FILE_PRIV_H
#define RG_SYS_FILE_PRIV_H

#include "sys/file.h"

/* "what path: the system's reason", of errno. */
rg_status rg_system_failed(const char *what, const char *path);

/* Plays an injected fault: true where the system call must be taken as failed. */
bool rg_injected(const char *point);

/* A file of a descriptor, which is taken, or of errno where it is negative. To read from: only
 * a regular one. */
rg_status rg_file_of(rg_file **out, int fd, const char *path, bool writing);

#endif
