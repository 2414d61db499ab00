/* mem_faults.h - for tests: memory that runs out in the threads of others, as those of a server. */
#ifndef RG_BASE_MEM_FAULTS_H
#define RG_BASE_MEM_FAULTS_H

#include <stdbool.h>

/* The n-th allocation, from now on, of all threads but the one that says so fails, once; 0 switches
 * it off. For this thread's own see rg_mem_fail_at(). */
void rg_mem_fail_elsewhere(long n);
bool rg_mem_failed_elsewhere(void);

#endif
