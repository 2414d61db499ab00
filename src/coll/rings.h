/* rings.h - the group of this process, as programs call it: by ring_id.
 *
 * Programs number communicators so that operations of one need not wait for those of another. Here
 * a process is in one group of all ranks, which makes its operations in their order, and every ring
 * is that group. It is opened by c_comm_init or gen_nccl_id in a startup program, or by the first
 * who needs it, as the environment says (sys/job_env.h), and ends with the process.
 *
 * Threads: any, one operation at a time. */
#ifndef RG_COLL_RINGS_H
#define RG_COLL_RINGS_H

#include "coll/group.h"

/* Waits for all ranks. Nothing where the same group is open already; refused where another is.
 * endpoints: of all ranks, in their order; NULL: not known, which MPI does not need. */
rg_status rg_ring_open(int ring, int rank, int size, const char *const *endpoints);
/* The group of a ring. Borrowed until the process ends. */
rg_status rg_ring_group(int ring, rg_group **group);

/* This process fails: the others are told why, and the group is of no more use. */
void rg_rings_fail(const char *why);
/* The process exits with this status: where it is not 0, the others are told. */
void rg_rings_exit(int status);

#endif
