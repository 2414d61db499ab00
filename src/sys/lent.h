/* lent.h - memory of this process that other processes of the host may look at where it is.
 *
 * All of it lies in one file without a name, whose size is fixed and which others can only read;
 * transport_shm.c hands it to the other end, and then says where bytes are instead of sending
 * them. A child that is forked has a copy of its own, as of any other memory.
 *
 * Whoever looks at it has a view, and may look for as long as it keeps that, also when the lender
 * has gone: pages go with the last view. What it sees there is what the lender makes of it.
 *
 * Threads: any. */
#ifndef RG_SYS_LENT_H
#define RG_SYS_LENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RG_LENT_BYTES ((uint64_t)4 << 30) /* of the file; pages come with use, and stay */

/* Begins at a page. NULL: there is none, or FLAGS_rpc_shared_memory is 0. */
void *rg_lent_alloc(size_t bytes);
bool rg_lent_free(void *at, size_t bytes); /* false: it is no such memory */
/* Where it lies in the file; false: it does not. */
bool rg_lent_find(const void *at, size_t bytes, uint64_t *offset);
int rg_lent_descriptor(void); /* borrowed for ever; -1: there is none */
/* Others may still look at what is freed from now on: it stays as it is, and is not used again. */
void rg_lent_leave(void);

/* ---- memory that another process lends ---- */

typedef struct rg_lent_view rg_lent_view; /* counted */

/* To read. NULL: the file is not of this kind, or cannot be mapped. */
rg_lent_view *rg_lent_view_open(int descriptor);
/* The same, of a process of this host and user, by its own number for the file. */
rg_lent_view *rg_lent_view_find(int pid, int descriptor);
rg_lent_view *rg_lent_view_keep(rg_lent_view *view);
void rg_lent_view_drop(rg_lent_view *view); /* NULL is allowed */
/* NULL: that is not in the file. */
const uint8_t *rg_lent_view_at(const rg_lent_view *view, uint64_t offset, size_t n);

#endif
