/* libraries.c - the addresses of what is called in OpenBLAS and oneDNN. */
#include "math/libraries.h"

#include "base/status.h"
#include "sys/library.h"
#include "sys/log.h"

#include <pthread.h>
#include <stdlib.h>

#define RG_NAME(NAME) #NAME,
static const char *const blas_names[] = {RG_BLAS_CALLS(RG_NAME)};
static const char *const dnnl_names[] = {RG_DNNL_CALLS(RG_NAME)};
#undef RG_NAME

/* POSIX lets an address of data be one of a function. */
static union {
    rg_blas_calls calls;
    void *addresses[sizeof blas_names / sizeof *blas_names];
} blas;
static union {
    rg_dnnl_calls calls;
    void *addresses[sizeof dnnl_names / sizeof *dnnl_names];
} dnnl;

static pthread_once_t blas_loaded = PTHREAD_ONCE_INIT, dnnl_loaded = PTHREAD_ONCE_INIT;

static void load(const char *name, const char *const *names, void **addresses, size_t n)
{
    if (rg_library_load(name, names, addresses, n) == RG_OK)
        return;
    rg_log(RG_LOG_E, "math", "\"%s\"", rg_error_message());
    exit(1);
}

static void load_blas(void)
{
    load(RG_OPENBLAS, blas_names, blas.addresses, sizeof blas_names / sizeof *blas_names);
}

static void load_dnnl(void)
{
    load(RG_ONEDNN, dnnl_names, dnnl.addresses, sizeof dnnl_names / sizeof *dnnl_names);
}

const rg_blas_calls *rg_blas(void)
{
    (void)pthread_once(&blas_loaded, load_blas);
    return &blas.calls;
}

const rg_dnnl_calls *rg_dnnl(void)
{
    (void)pthread_once(&dnnl_loaded, load_dnnl);
    return &dnnl.calls;
}
