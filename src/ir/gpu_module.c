/* gpu_module.c - loading libregatta_cuda.so. */
#include "ir/gpu_module.h"

#include "sys/library.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#define MODULE "libregatta_cuda.so"
#define OR_CPU "use the CPU: fluid.CPUPlace(), use_gpu=False, device: cpu"

static const rg_gpu_module *module; /* NULL: not loaded, so far */
static char missing[1024];          /* why it is not there, once it was looked for */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void)
{
    char path[PATH_MAX];
    void *symbol = NULL;
    if (!rg_library_beside(MODULE, path, sizeof path)) {
        (void)snprintf(missing, sizeof missing,
                       "this build of Regatta has no GPU kernels (" MODULE
                       " is not there): install "
                       "CUDA 12 or later with cuBLASLt and build with -DWITH_GPU=ON, or " OR_CPU);
        return;
    }
    if (rg_library_load_module(path, "rg_gpu_back_end", &symbol) != RG_OK) {
        (void)snprintf(
            missing, sizeof missing,
            "the GPU kernels cannot be loaded: %s; install cuBLASLt of CUDA, or name its "
            "folder in LD_LIBRARY_PATH, or " OR_CPU,
            rg_error_message());
        return;
    }
    const rg_gpu_module *found = symbol;
    if (found->size != sizeof *found) {
        (void)snprintf(missing, sizeof missing,
                       MODULE " is of another build; build all again, or " OR_CPU);
        return;
    }
    rg_kernel_add(found->kernels);
    __atomic_store_n(&module, found, __ATOMIC_RELEASE);
}

static const rg_gpu_module *loaded(void)
{
    const rg_gpu_module *m = __atomic_load_n(&module, __ATOMIC_ACQUIRE);
    if (m != NULL)
        return m;
    pthread_mutex_lock(&lock);
    if (module == NULL && missing[0] == '\0')
        load();
    pthread_mutex_unlock(&lock);
    return module;
}

int rg_gpu_count(void)
{
    const rg_gpu_module *m = loaded();
    int n = 0;
    return m != NULL && m->count(&n) == RG_OK ? n : 0;
}

rg_status rg_gpu_open(int number, const rg_device **device)
{
    const rg_gpu_module *m = loaded();
    int n = 0;
    if (m == NULL)
        return rg_fail(RG_ENOENT, "%s", missing);
    rg_status code = m->count(&n);
    if (code != RG_OK)
        return rg_context(code, "no GPU can be used; install NVIDIA's driver, or " OR_CPU);
    if (n == 0)
        return rg_fail(RG_ENOENT, "there is no GPU on this machine (or CUDA_VISIBLE_DEVICES hides "
                                  "it); " OR_CPU);
    if (number < 0 || number >= n)
        return rg_fail(RG_ENOENT,
                       "GPU %d is asked for, and there %s %d: number 0%s; FLAGS_selected_gpus "
                       "and CUDA_VISIBLE_DEVICES say which are used",
                       number, n == 1 ? "is" : "are", n, n == 1 ? "" : " and up");
    return m->device(number, device);
}
