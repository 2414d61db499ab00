/* nccl.h - the ranks of collective training on their GPUs: what is called in NCCL, which is loaded
 * when the first op needs it.
 *
 * The group of processes is the host's (coll/rings.h): by it the ranks meet, and by it they learn
 * the name of their communicator. There is one for the GPU of this process. Every operation goes
 * into the plan's stream, so that it is recorded with the step; a rank that dies is the launcher's
 * business, which ends the others. */
#ifndef RG_GPU_NCCL_H
#define RG_GPU_NCCL_H

#include "coll/group.h"
#include "gpu/gpu.h"

typedef struct ncclComm *rg_nccl_comm;
typedef struct rg_nccl_id {
    char bytes[128];
} rg_nccl_id;

typedef struct rg_nccl {
    int (*ncclGetUniqueId)(rg_nccl_id *id);
    int (*ncclCommInitRank)(rg_nccl_comm *comm, int size, rg_nccl_id id, int rank);
    const char *(*ncclGetErrorString)(int code);
    int (*ncclAllReduce)(const void *from, void *to, size_t n, int dtype, int op, rg_nccl_comm comm,
                         cudaStream_t stream);
    int (*ncclBroadcast)(const void *from, void *to, size_t n, int dtype, int root,
                         rg_nccl_comm comm, cudaStream_t stream);
    int (*ncclAllGather)(const void *from, void *to, size_t n, int dtype, rg_nccl_comm comm,
                         cudaStream_t stream);
    int (*ncclReduceScatter)(const void *from, void *to, size_t n, int dtype, int op,
                             rg_nccl_comm comm, cudaStream_t stream);
} rg_nccl;

/* The communicator of all ranks; made when it is first asked for, which waits for all of them.
 * RG_ENOENT says what to install. */
rg_status rg_nccl_open(int ring, const rg_nccl **nccl, rg_nccl_comm *comm, rg_group **group);
/* RG_EIO, in NCCL's words. */
rg_status rg_nccl_check(const rg_nccl *nccl, int code, const char *call);
/* -1: NCCL does not know the type. */
int rg_nccl_type(rg_dtype dtype);

#endif
