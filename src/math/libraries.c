/* libraries.c - the addresses of what is called in OpenBLAS and oneDNN. */
#include "math/libraries.h"

#include "base/status.h"
#include "sys/library.h"
#include "sys/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CORE_VARIABLE "OPENBLAS_CORETYPE"

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

/* A CPU that is newer than OpenBLAS is not known to it, and gets the kernels of 2004, with vectors
 * of four: Debian 12's does so on Intel's of 2024. Who has chosen by themselves is left alone. */
const char *rg_blas_better_core(const char *chosen)
{
#ifdef __x86_64__
    if (strcmp(chosen, "Prescott") != 0 || getenv(CORE_VARIABLE) != NULL)
        return NULL;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#else
    (void)chosen;
#endif
    return NULL;
}

static void load_blas(void)
{
    size_t n = sizeof blas_names / sizeof *blas_names;
    load(RG_OPENBLAS, blas_names, blas.addresses, n);
    const char *core = rg_blas_better_core(blas.calls.openblas_get_corename());
    if (core != NULL && rg_library_load_again(RG_OPENBLAS, CORE_VARIABLE, core, blas_names,
                                              blas.addresses, n) != RG_OK) {
        rg_log(RG_LOG_E, "math", "\"%s\"", rg_error_message());
        exit(1);
    }
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
