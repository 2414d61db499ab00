/* process.h - this process and others. */
#ifndef RG_SYS_PROCESS_H
#define RG_SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

long rg_process_id(void);
/* The name of this host, cut to fit; "?" where it has none. */
void rg_process_host(char *name, size_t size);
bool rg_process_alive(long pid);
/* How many files and sockets this process may have open (ulimit -n). */
int rg_descriptor_limit(void);

#endif
