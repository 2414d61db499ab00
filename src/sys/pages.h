/* pages.h - memory for tensors: 64-byte aligned, and on huge pages where it is
 * large, since random rows of a big table are otherwise bound by the TLB. */
#ifndef RG_SYS_PAGES_H
#define RG_SYS_PAGES_H

#include <stddef.h>

/* NULL when there is no memory, also where this machine has not that much. The content is not
 * defined. */
void *rg_pages_alloc(size_t bytes);
/* The same, where possible in memory that other processes of this host can look at (sys/lent.h). */
void *rg_pages_alloc_lent(size_t bytes);
/* bytes as given to either. NULL is allowed. */
void rg_pages_free(void *pages, size_t bytes);

#endif
