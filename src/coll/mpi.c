/* mpi.c - the addresses of what is called in Open MPI. */
#include "coll/mpi.h"

#include "sys/library.h"

#include <pthread.h>

/* In the order of the struct. */
static const char *const names[] = {
    "MPI_Initialized",
    "MPI_Init_thread",
    "MPI_Finalize",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_dup",
    "MPI_Comm_set_errhandler",
    "MPI_Error_string",
    "MPI_Ibcast",
    "MPI_Iallgather",
    "MPI_Iallgatherv",
    "MPI_Ibarrier",
    "MPI_Test",
    "MPI_Iprobe",
    "MPI_Irecv",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Request_free",
    "ompi_mpi_comm_world",
    "ompi_mpi_errors_return",
    "ompi_mpi_byte",
};
enum { NAMES = sizeof names / sizeof names[0] };

static union {
    rg_mpi mpi;
    void *addresses[NAMES];
} loaded;
_Static_assert(sizeof loaded.mpi == sizeof loaded.addresses, "a name for each member");

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

rg_status rg_mpi_load(const rg_mpi **mpi)
{
    rg_status code = RG_OK;
    pthread_mutex_lock(&loading);
    if (loaded.addresses[NAMES - 1] == NULL)
        code = rg_library_load("libmpi.so.40", names, loaded.addresses, NAMES);
    pthread_mutex_unlock(&loading);
    if (code != RG_OK)
        return rg_context(code, "groups over MPI need Open MPI (Debian: libopenmpi3 and "
                                "openmpi-bin)");
    *mpi = &loaded.mpi;
    return RG_OK;
}
