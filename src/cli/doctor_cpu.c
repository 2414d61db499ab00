/* doctor_cpu.c - what computes: the CPU, libraries, GPUs. */
#include "base/status.h"
#include "cli/doctor.h"
#include "ir/gpu_module.h"
#include "math/bf16.h"
#include "math/peak.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/library.h"
#include "sys/machine.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

void rg_check_cpu(rg_doctor *d)
{
    static const char *const features[] = {"avx2",        "fma",      "avx512f",
                                           "avx512_bf16", "amx_bf16", "asimd"};
    char name[256], list[128] = "";
    rg_cpu_name(name, sizeof name);
    for (size_t i = 0, n = 0; i < sizeof features / sizeof *features; i++)
        if (rg_cpu_has(features[i]))
            n += (size_t)snprintf(list + n, sizeof list - n, " %s", features[i]);
    bool slow = rg_cpu_has("sse2") && !rg_cpu_has("avx2");
    rg_finding(d, slow ? RG_FINDING_WARNING : RG_FINDING_OK,
               slow ? "products are several times slower without AVX2: a virtual machine may hide "
                      "it (CPU type host)"
                    : NULL,
               "%s, %d cores for this process;%s", name, rg_host_cores(),
               list[0] ? list : " nothing that we use");
}

/* Below it something is wrong: another library was loaded, or the core is shared. */
static const double POOR_PART = 0.4;

void rg_check_gemm(rg_doctor *d)
{
    const uint64_t QUARTER_SECOND = 250000000;
    const char *isa, *threads = "";
    double peak = rg_peak_flops(QUARTER_SECOND, &isa), gemm = rg_gemm_flops(QUARTER_SECOND);
    (void)rg_flag_text("paddle_num_threads", &threads);
    bool poor = gemm < POOR_PART * peak;
    rg_finding(d, poor ? RG_FINDING_WARNING : RG_FINDING_OK,
               poor ? "look at who else uses this core (top), and whether the oneDNN listed under "
                      "libraries is that of the system"
                    : NULL,
               "products of 512 x 512 by oneDNN: %.1f GFLOP/s a core, %.0f %% of the %.1f that %s "
               "gives here; narrow ones by OpenBLAS; FLAGS_paddle_num_threads=%s",
               gemm / 1e9, 100 * gemm / peak, peak / 1e9, isa, threads);
}

void rg_check_bf16(rg_doctor *d)
{
    rg_precision asked;
    if (rg_precision_of_flag(&asked) != RG_OK) {
        rg_finding(d, RG_FINDING_PROBLEM, "set it to one of these, or unset it", "%s",
                   rg_error_message());
        return;
    }
    bool has = rg_precision_check(RG_BF16_PRODUCTS, "bf16") == RG_OK;
    bool wrong = asked == RG_BF16_PRODUCTS && !has;
    rg_finding(d, wrong ? RG_FINDING_PROBLEM : RG_FINDING_OK,
               wrong ? "use FLAGS_matmul_precision=fp32, or a CPU with avx512_bf16 or amx_bf16"
                     : NULL,
               has ? "this CPU multiplies bfloat16%s"
                   : "this CPU does not multiply bfloat16 (no avx512_bf16, no amx_bf16)%s",
               wrong ? ", and FLAGS_matmul_precision=bf16 asks for it"
               : has ? rg_cpu_has("amx_bf16") ? " (AMX); FLAGS_matmul_precision=bf16 uses it"
                                              : "; FLAGS_matmul_precision=bf16 uses it"
                     : "");
}

void rg_check_gpu(rg_doctor *d)
{
    char path[4096];
    const rg_device *device;
    int n = rg_gpu_count();
    if (n > 0)
        rg_finding(d, RG_FINDING_OK, NULL, "%d GPU%s can be used (fluid.CUDAPlace)", n,
                   n > 1 ? "s" : "");
    else if (!rg_library_beside("libregatta_cuda.so", path, sizeof path))
        rg_finding(d, RG_FINDING_OK, NULL, "this build has no GPU module: programs run on the CPU");
    else if (rg_gpu_open(0, &device) != RG_OK)
        rg_finding(d, RG_FINDING_OK, NULL, "none that can be used: %s", rg_error_message());
}

/* ---- libraries ---- */

/* Text in a function's result, or three numbers of a struct: as each library says it. */
typedef const char *(*text_fn)(void);
typedef struct dnnl_numbers {
    int major, minor, patch;
} dnnl_numbers;
typedef const dnnl_numbers *(*dnnl_fn)(void);
typedef int (*nccl_fn)(int *version);
typedef int (*mpi_fn)(char *text, int *n);

/* Address of data as that of a function: POSIX has it so. */
#define CALL_OF(TYPE, ADDRESS)        \
    (((union {                        \
         void *address;               \
         TYPE call;                   \
     }){.address = (ADDRESS)})        \
         .call)

static void say_openblas(void *address, char *out, size_t size)
{
    (void)snprintf(out, size, "%s", CALL_OF(text_fn, address)());
}

static void say_onednn(void *address, char *out, size_t size)
{
    const dnnl_numbers *v = CALL_OF(dnnl_fn, address)();
    (void)snprintf(out, size, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}

static void say_nccl(void *address, char *out, size_t size)
{
    int v = 0;
    (void)CALL_OF(nccl_fn, address)(&v);
    (void)snprintf(out, size, "NCCL %d.%d.%d", v / 10000, v / 100 % 100, v % 100);
}

static void say_mpi(void *address, char *out, size_t size)
{
    char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of any MPI */
    int n = 0;
    (void)CALL_OF(mpi_fn, address)(text, &n);
    text[strcspn(text, ",\n")] = '\0';
    (void)snprintf(out, size, "%s", text);
}

static void say_libuv(void *address, char *out, size_t size)
{
    (void)snprintf(out, size, "libuv %s", CALL_OF(text_fn, address)());
}

static void say_rocksdb(void *address, char *out, size_t size)
{
    (void)address;
    (void)snprintf(out, size, "RocksDB is there");
}

static const struct library {
    const char *files[4]; /* the same by other names; the first that is there */
    const char *function;
    const char *without; /* what needs it; NULL: everything */
    void (*say)(void *address, char *out, size_t size);
} libraries[] = {
    {{RG_OPENBLAS}, "openblas_get_config", NULL, say_openblas},
    {{RG_ONEDNN}, "dnnl_version", NULL, say_onednn},
    {{"libuv.so.1"}, "uv_version_string", NULL, say_libuv},
    {{"librocksdb.so", "librocksdb.so.7.8", "librocksdb.so.8.9", "librocksdb.so.9.10"},
     "rocksdb_options_create",
     "--table_disk",
     say_rocksdb},
    {{"libmpi.so.40"}, "MPI_Get_library_version", "collective training over MPI", say_mpi},
    {{"libnccl.so.2"}, "ncclGetVersion", "training on several GPUs", say_nccl},
};

static rg_status load(const struct library *lib, void **address)
{
    rg_status code = RG_ENOENT;
    for (int i = 0; i < 4 && lib->files[i] != NULL && code != RG_OK; i++)
        code = rg_library_load(lib->files[i], &lib->function, address, 1);
    return code;
}

void rg_check_libraries(rg_doctor *d)
{
    char list[1024], one[512], missing[512] = "";
    size_t n = (size_t)snprintf(list, sizeof list, "%s", OpenSSL_version(OPENSSL_VERSION));
    size_t m = 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const struct library *lib = &libraries[i];
        void *address;
        if (load(lib, &address) == RG_OK) {
            lib->say(address, one, sizeof one);
            n += (size_t)snprintf(list + n, sizeof list - n, "; %s", one);
        } else if (lib->without == NULL) {
            rg_finding(d, RG_FINDING_PROBLEM, "install it: tools/setup.sh, or docs/design.md 9",
                       "%s", rg_error_message());
        } else {
            m += (size_t)snprintf(missing + m, sizeof missing - m, "; no %s, for %s", lib->files[0],
                                  lib->without);
        }
        if (n >= sizeof list || m >= sizeof missing)
            return;
    }
    rg_finding(d, RG_FINDING_OK, NULL, "%s%s", list, missing);
}
