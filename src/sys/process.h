/* process.h - this process and others. */
#ifndef RG_SYS_PROCESS_H
#define RG_SYS_PROCESS_H

#include <stdbool.h>

long rg_process_id(void);
bool rg_process_alive(long pid);

#endif
