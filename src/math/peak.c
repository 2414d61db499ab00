/* peak.c - a loop of multiply-adds in registers, and the same count of a product. */
#include "math/peak.h"

#include "base/mem.h"
#include "math/gemm.h"
#include "sys/clock.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* As many sums side by side as hide how long one multiply-add takes (4 cycles, 2 each cycle), and
 * fit into the registers. */
enum { SUMS = 10, ROUNDS = 20000, SIDE = 512 };

typedef double (*round_fn)(float x, float y); /* how many products and sums were made */

static volatile float sink; /* so that no compiler leaves the work out */

#ifdef __x86_64__
__attribute__((target("avx512f"))) static double round_512(float x, float y)
{
    __m512 sums[SUMS], a = _mm512_set1_ps(x), b = _mm512_set1_ps(y), all;
    for (int i = 0; i < SUMS; i++)
        sums[i] = _mm512_set1_ps((float)i);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < SUMS; i++)
            sums[i] = _mm512_fmadd_ps(sums[i], a, b);
    all = sums[0];
    for (int i = 1; i < SUMS; i++)
        all = _mm512_add_ps(all, sums[i]);
    sink = _mm512_reduce_add_ps(all);
    return 2.0 * 16 * SUMS * ROUNDS;
}

__attribute__((target("avx2,fma"))) static double round_256(float x, float y)
{
    __m256 sums[SUMS], a = _mm256_set1_ps(x), b = _mm256_set1_ps(y), all;
    for (int i = 0; i < SUMS; i++)
        sums[i] = _mm256_set1_ps((float)i);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < SUMS; i++)
            sums[i] = _mm256_fmadd_ps(sums[i], a, b);
    all = sums[0];
    for (int i = 1; i < SUMS; i++)
        all = _mm256_add_ps(all, sums[i]);
    sink = _mm256_cvtss_f32(all);
    return 2.0 * 8 * SUMS * ROUNDS;
}
#endif

static double round_plain(float x, float y)
{
    float sums[4 * SUMS], all = 0;
    for (int i = 0; i < 4 * SUMS; i++)
        sums[i] = (float)i;
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < 4 * SUMS; i++)
            sums[i] = sums[i] * x + y;
    for (int i = 0; i < 4 * SUMS; i++)
        all += sums[i];
    sink = all;
    return 2.0 * 4 * SUMS * ROUNDS;
}

static round_fn choose(const char **isa)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        *isa = "AVX-512";
        return round_512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *isa = "AVX2";
        return round_256;
    }
#endif
    *isa = "plain C";
    return round_plain;
}

/* CPU time, so that neighbours on the core do not count. */
double rg_peak_flops(uint64_t ns, const char **isa)
{
    round_fn run = choose(isa);
    double work = 0;
    (void)run(0.999F, 0.5F);
    uint64_t start = rg_clock_thread_ns(), now = start;
    for (; now < start + ns; now = rg_clock_thread_ns())
        work += run(0.999F, 0.5F);
    return work * 1e9 / (double)(now - start);
}

double rg_gemm_flops(uint64_t ns)
{
    const size_t n = (size_t)SIDE * SIDE;
    float *all = rg_alloc_zero(3 * n, sizeof *all);
    double work = 0;
    if (all == NULL)
        return 0;
    for (size_t i = 0; i < 2 * n; i++)
        all[i] = (float)(i % 7) - 3;
    rg_gemm_threads(1);
    uint64_t start = 0, now = 0;
    for (int i = 0; i == 0 || now < start + ns; i++) {
        rg_gemm_f32(false, false, SIDE, SIDE, SIDE, 1, all, SIDE, all + n, SIDE, 0, all + 2 * n,
                    SIDE);
        now = rg_clock_thread_ns();
        if (i == 0) /* the first loads the library and makes its code */
            start = now;
        else
            work += 2.0 * SIDE * SIDE * SIDE;
    }
    rg_gemm_threads(0);
    rg_free(all);
    return work * 1e9 / (double)(now - start);
}
