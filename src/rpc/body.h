/* body.h - memory for bodies of frames.
 *
 * Steps send and get bodies of the same sizes again and again, some of them megabytes. Given back
 * to the system each time, their pages would have to be zeroed and mapped anew for every one; so
 * the last few that are not small are kept for the next.
 *
 * Threads: any. */
#ifndef RG_RPC_BODY_H
#define RG_RPC_BODY_H

#include <stddef.h>

/* 64-byte aligned, not set to anything; NULL: no memory. */
void *rg_body_alloc(size_t bytes);
void rg_body_free(void *body); /* NULL is allowed */

#endif
