/* pages.c - aligned memory, huge pages for large blocks. */
#include "sys/pages.h"

#include "base/mem.h"
#include "sys/fault.h"
#include "sys/host.h"
#include "sys/lent.h"
#include "sys/machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 * 1024 * 1024, ALIGN = 64 };

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

enum { NEVER_BEYOND = 64 << 20 }; /* so that nothing is asked for most blocks */

/* More than this machine could ever give. A kernel may lend it all the same (by
 * vm.overcommit_memory, and always beyond a control group's limit), and kill whoever uses it. */
static bool is_beyond_us(size_t bytes)
{
    return bytes > NEVER_BEYOND && bytes > rg_host_memory() && bytes > rg_memory_most();
}

void *rg_pages_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - (size_t)2 * HUGE_PAGE || is_beyond_us(bytes))
        return NULL;
    /* Through rg_alloc's fault counter, so that tests can fail it too. */
    void *token = rg_alloc(1);
    rg_free(token);
    if (token == NULL)
        return NULL;
    if (bytes < HUGE_PAGE)
        return aligned_alloc(ALIGN, rounded(bytes ? bytes : 1, ALIGN));
    /* Over-reserve, then give back both ends, to start on a huge page. */
    size_t size = rounded(bytes, HUGE_PAGE);
    uint8_t *raw = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    size_t head = rounded((uintptr_t)raw, HUGE_PAGE) - (uintptr_t)raw;
    if (head > 0)
        (void)munmap(raw, head);
    if (head < HUGE_PAGE)
        (void)munmap(raw + head + size, HUGE_PAGE - head);
    (void)madvise(raw + head, size, MADV_HUGEPAGE);
    return raw + head;
}

void *rg_pages_alloc_lent(size_t bytes)
{
    void *lent = rg_fault("shm.open") == RG_FAULT_NONE ? rg_lent_alloc(bytes) : NULL;
    return lent != NULL ? lent : rg_pages_alloc(bytes);
}

void rg_pages_free(void *pages, size_t bytes)
{
    if (pages == NULL || rg_lent_free(pages, bytes))
        return;
    if (bytes < HUGE_PAGE)
        free(pages);
    else
        (void)munmap(pages, rounded(bytes, HUGE_PAGE));
}
