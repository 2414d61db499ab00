/* mem.h - allocation, and size arithmetic that cannot wrap.
 *
 * Every allocation of the project goes through here, so that a test can make
 * the n-th one fail (rg_mem_fail_at) and see that nothing is lost. All
 * functions may be called from any thread. */
#ifndef RG_BASE_MEM_H
#define RG_BASE_MEM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Uninitialised memory, or NULL. Zero bytes give a pointer that may be freed. */
void *rg_alloc(size_t bytes);
void *rg_alloc_zero(size_t count, size_t bytes);
/* The old block stays valid where NULL is returned. */
void *rg_realloc(void *block, size_t bytes);
void rg_free(void *block);
char *rg_strdup(const char *text);

/* RG_ENOMEM, the message naming what was asked for. */
rg_status rg_no_memory(size_t bytes, const char *what);

/* Make room for one more element in a growing array: *items has `count` of
 * `*capacity` elements of `size` bytes. Doubles when full. */
rg_status rg_grow(void **items, size_t count, size_t *capacity, size_t size);

/* False, *out untouched, where the result does not fit. */
static inline bool rg_mul_size(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

static inline bool rg_add_size(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

/* For tests: the n-th allocation of this thread from now on fails (1 is the
 * next), once; 0 switches it off. rg_mem_failed() says whether it came to it. */
void rg_mem_fail_at(long n);
bool rg_mem_failed(void);

#endif
