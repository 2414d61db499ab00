/* lent.h - memory of this process that other processes of the host may look at where it is.
 *
 * All of it lies in one file without a name, whose size is fixed and which others can only read;
 * transport_shm.c hands it to the other end, and then says where bytes are instead of sending
 * them. A child that is forked has a copy of its own, as of any other memory.
 *
 * Threads: any. */
#ifndef RG_SYS_LENT_H
#define RG_SYS_LENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RG_LENT_BYTES ((uint64_t)4 << 30) /* of the file; it takes memory where it is used */

/* Begins at a page. NULL: there is none, or FLAGS_rpc_shared_memory is 0. */
void *rg_lent_alloc(size_t bytes);
bool rg_lent_free(void *at, size_t bytes); /* false: it is no such memory */
/* Where it lies in the file; false: it does not. */
bool rg_lent_find(const void *at, size_t bytes, uint64_t *offset);
int rg_lent_descriptor(void); /* borrowed for ever; -1: there is none */

#endif
