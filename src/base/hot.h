/* hot.h - loops that are worth one version for each generation of CPU.
 *
 *     RG_HOT static void add(float *z, const float *x, const float *y, int64_t n)
 *
 * compiles the function for plain x86-64, for AVX2 and for AVX-512, and picks one
 * when the program starts. So what is shipped runs anywhere and is quick where it
 * can be. Write plain loops; the compiler makes vectors of them. (gcc only: clang 14
 * makes the clones of two static functions of one name collide.) */
#ifndef RG_BASE_HOT_H
#define RG_BASE_HOT_H

#if defined(__x86_64__) && !defined(RG_NO_CLONES) && !defined(__clang__)
#define RG_HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define RG_HOT
#endif

/* Before a loop: what it writes is nothing that a later round of it reads. */
#ifdef __clang__
#define RG_APART
#else
#define RG_APART _Pragma("GCC ivdep")
#endif

/* Inlined into RG_HOT functions, so that it becomes part of each version. */
#define RG_INLINE static inline __attribute__((always_inline))

#endif
