/* mem.c - allocation behind base/mem.h. */
#include "base/mem.h"

#include "base/mem_faults.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local long fail_in;
static _Thread_local bool failed;

void rg_mem_fail_at(long n)
{
    fail_in = n;
    failed = false;
}

bool rg_mem_failed(void)
{
    return failed;
}

static atomic_long fail_elsewhere; /* 0: off */
static atomic_bool failed_elsewhere;
static _Thread_local bool spared;

void rg_mem_fail_elsewhere(long n)
{
    spared = n != 0;
    atomic_store(&failed_elsewhere, false);
    atomic_store(&fail_elsewhere, n);
}

bool rg_mem_failed_elsewhere(void)
{
    return atomic_load(&failed_elsewhere);
}

static bool must_fail_here(void)
{
    if (spared || atomic_fetch_sub(&fail_elsewhere, 1) != 1)
        return false;
    atomic_store(&failed_elsewhere, true);
    return true;
}

static bool must_fail(void)
{
    if (__builtin_expect(atomic_load_explicit(&fail_elsewhere, memory_order_relaxed) > 0, 0) &&
        must_fail_here())
        return true;
    if (__builtin_expect(fail_in == 0, 1))
        return false;
    if (--fail_in > 0)
        return false;
    failed = true;
    return true;
}

void *rg_alloc(size_t bytes)
{
    return must_fail() ? NULL : malloc(bytes ? bytes : 1);
}

void *rg_alloc_zero(size_t count, size_t bytes)
{
    return must_fail() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void *rg_realloc(void *block, size_t bytes)
{
    return must_fail() ? NULL : realloc(block, bytes ? bytes : 1);
}

void rg_free(void *block)
{
    free(block);
}

char *rg_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = rg_alloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

rg_status rg_no_memory(size_t bytes, const char *what)
{
    return rg_fail(RG_ENOMEM, "no memory for %s (%zu bytes)", what, bytes);
}

rg_status rg_grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return RG_OK;
    size_t wanted = *capacity ? *capacity * 2 : 8, bytes;
    if (!rg_mul_size(wanted, size, &bytes))
        return rg_fail(RG_ENOMEM, "an array of %zu elements of %zu bytes", wanted, size);
    void *bigger = rg_realloc(*items, bytes);
    if (bigger == NULL)
        return rg_no_memory(bytes, "a growing array");
    *items = bigger;
    *capacity = wanted;
    return RG_OK;
}
