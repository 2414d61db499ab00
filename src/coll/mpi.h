/* mpi.h - what is called in Open MPI, loaded when the first group needs it.
 *
 * The library is that of libmpi.so.40 (Open MPI 3 to 5): its handles are addresses of its own
 * objects, which are found by name. So nothing of MPI is needed to build Regatta, nor where it is
 * not used. */
#ifndef RG_COLL_MPI_H
#define RG_COLL_MPI_H

#include "base/status.h"

#include <stddef.h>

typedef void *rg_mpi_handle; /* a communicator, datatype or request */

/* As Open MPI lays it out. */
typedef struct rg_mpi_status {
    int source, tag, error, cancelled;
    size_t bytes;
} rg_mpi_status;

enum {
    RG_MPI_ANY = -1,     /* MPI_ANY_SOURCE, MPI_ANY_TAG */
    RG_MPI_FUNNELED = 1, /* one thread makes all calls */
};
#define RG_MPI_IN_PLACE ((void *)1)

typedef struct rg_mpi {
    int (*MPI_Initialized)(int *flag);
    int (*MPI_Init_thread)(int *argc, char ***argv, int wanted, int *given);
    int (*MPI_Finalize)(void);
    int (*MPI_Comm_rank)(rg_mpi_handle comm, int *rank);
    int (*MPI_Comm_size)(rg_mpi_handle comm, int *size);
    int (*MPI_Comm_dup)(rg_mpi_handle comm, rg_mpi_handle *copy);
    int (*MPI_Comm_set_errhandler)(rg_mpi_handle comm, rg_mpi_handle handler);
    int (*MPI_Error_string)(int code, char *text, int *n);
    int (*MPI_Ibcast)(void *data, int n, rg_mpi_handle type, int root, rg_mpi_handle comm,
                      rg_mpi_handle *request);
    int (*MPI_Iallgather)(const void *from, int n, rg_mpi_handle type, void *to, int each,
                          rg_mpi_handle to_type, rg_mpi_handle comm, rg_mpi_handle *request);
    int (*MPI_Iallgatherv)(const void *from, int n, rg_mpi_handle type, void *to, const int *counts,
                           const int *at, rg_mpi_handle to_type, rg_mpi_handle comm,
                           rg_mpi_handle *request);
    int (*MPI_Ibarrier)(rg_mpi_handle comm, rg_mpi_handle *request);
    int (*MPI_Test)(rg_mpi_handle *request, int *done, rg_mpi_status *status);
    int (*MPI_Iprobe)(int source, int tag, rg_mpi_handle comm, int *found, rg_mpi_status *status);
    int (*MPI_Irecv)(void *data, int n, rg_mpi_handle type, int source, int tag, rg_mpi_handle comm,
                     rg_mpi_handle *request);
    int (*MPI_Recv)(void *data, int n, rg_mpi_handle type, int source, int tag, rg_mpi_handle comm,
                    rg_mpi_status *status);
    int (*MPI_Isend)(const void *data, int n, rg_mpi_handle type, int to, int tag,
                     rg_mpi_handle comm, rg_mpi_handle *request);
    int (*MPI_Request_free)(rg_mpi_handle *request);
    /* Not functions: objects of the library. */
    rg_mpi_handle ompi_mpi_comm_world, ompi_mpi_errors_return;
    rg_mpi_handle ompi_mpi_byte;
} rg_mpi;

/* RG_ENOENT, and what to install, where there is none. */
rg_status rg_mpi_load(const rg_mpi **mpi);

#endif
