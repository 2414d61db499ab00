/* nccl.c - NCCL, loaded, and the communicator of this process. */
#include "gpu/nccl.h"

#include "coll/rings.h"
#include "sys/library.h"

#include <pthread.h>

/* As its header numbers them; where that is there, the compiler compares. */
enum { INT32 = 2, INT64 = 4, FLOAT16 = 6, FLOAT32 = 7, FLOAT64 = 8, BFLOAT16 = 9 };
#if __has_include(<nccl.h>)
#include <nccl.h>
_Static_assert(sizeof(ncclUniqueId) == sizeof(rg_nccl_id), "the name of a communicator");
_Static_assert((int)ncclInt32 == INT32 && (int)ncclInt64 == INT64 && (int)ncclFloat16 == FLOAT16 &&
                   (int)ncclFloat32 == FLOAT32 && (int)ncclFloat64 == FLOAT64 &&
                   (int)ncclBfloat16 == BFLOAT16,
               "element types");
_Static_assert((int)ncclSum == RG_GROUP_SUM && (int)ncclProd == RG_GROUP_PROD, "operations");
#endif

/* In the order of the struct. */
static const char *const names[] = {"ncclGetUniqueId",  "ncclCommInitRank", "ncclGetErrorString",
                                    "ncclAllReduce",    "ncclBroadcast",    "ncclAllGather",
                                    "ncclReduceScatter"};
enum { NAMES = sizeof names / sizeof names[0] };

static union {
    rg_nccl nccl;
    void *addresses[NAMES];
} loaded;
_Static_assert(sizeof loaded.nccl == sizeof loaded.addresses, "a name for each member");

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of `loaded` */
static rg_nccl_comm the_comm;

rg_status rg_nccl_check(const rg_nccl *nccl, int code, const char *call)
{
    return code == 0 ? RG_OK : rg_fail(RG_EIO, "%s: %s", call, nccl->ncclGetErrorString(code));
}

/* Rank 0 makes the name, and all get it by the group of processes. */
static rg_status make_comm(rg_group *group)
{
    const rg_nccl *nccl = &loaded.nccl;
    rg_nccl_id id = {{0}};
    rg_nccl_comm comm;
    if (rg_group_rank(group) == 0)
        RG_TRY(rg_nccl_check(nccl, nccl->ncclGetUniqueId(&id), "ncclGetUniqueId"));
    RG_TRY(rg_group_broadcast(group, &id, sizeof id, 0));
    RG_TRY(rg_nccl_check(
        nccl, nccl->ncclCommInitRank(&comm, rg_group_size(group), id, rg_group_rank(group)),
        "ncclCommInitRank"));
    the_comm = comm;
    return RG_OK;
}

rg_status rg_nccl_open(int ring, const rg_nccl **nccl, rg_nccl_comm *comm, rg_group **group)
{
    rg_status code = RG_OK;
    RG_TRY(rg_ring_group(ring, group));
    pthread_mutex_lock(&opening);
    if (loaded.addresses[NAMES - 1] == NULL) {
        code = rg_library_load("libnccl.so.2", names, loaded.addresses, NAMES);
        if (code != RG_OK)
            code = rg_context(code, "sums over GPUs need NCCL (Debian and NVIDIA's packages: "
                                    "libnccl2)");
    }
    if (code == RG_OK && the_comm == NULL)
        code = make_comm(*group);
    *nccl = &loaded.nccl;
    *comm = the_comm;
    pthread_mutex_unlock(&opening);
    return code;
}

int rg_nccl_type(rg_dtype dtype)
{
    switch ((int)dtype) {
    case RG_F32:
        return FLOAT32;
    case RG_F64:
        return FLOAT64;
    case RG_F16:
        return FLOAT16;
    case 22: /* RG_BF16 */
        return BFLOAT16;
    case RG_I32:
        return INT32;
    case RG_I64:
        return INT64;
    default:
        return -1;
    }
}
