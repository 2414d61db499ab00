/* lent.c - the file that others look at, and which parts of it are free. */
#include "sys/lent.h"

#include "base/mem.h"
#include "sys/flags.h"
#include "sys/memfd.h"
#include "sys/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

enum { PAGE = 4096 };
#define LENT_NAME "regatta-lent"

typedef struct extent {
    struct extent *next; /* in the order of places; none touch */
    uint64_t at, bytes;
} extent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static extent *available;
static int file = -1;
static _Atomic(uint8_t *) base; /* NULL: there is none */
static atomic_bool left;        /* what is freed stays as it is */

/* The child's own from now on: what it writes its parent does not see. */
static void forked(void)
{
    uint8_t *at = atomic_load(&base);
    (void)pthread_mutex_init(&lock, NULL);
    if (at != NULL && mmap(at, RG_LENT_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
        _exit(127);
    file = -1; /* so nobody is shown it */
}

static void open_file(void)
{
    extent *all = rg_alloc_zero(1, sizeof *all);
    int fd = all != NULL ? memfd_create(LENT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)RG_LENT_BYTES) == 0)
        at = mmap(NULL, RG_LENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    /* Kernels before 5.1 do not know the seal that keeps others from writing. */
    if (at != MAP_FAILED)
        (void)fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    if (at == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        (void)(fd >= 0 && close(fd));
        if (at != MAP_FAILED)
            (void)munmap(at, RG_LENT_BYTES);
        rg_free(all);
        return;
    }
    *all = (extent){.bytes = RG_LENT_BYTES};
    available = all;
    file = fd;
    rg_process_on_fork(forked);
    atomic_store(&base, at);
}

int rg_lent_descriptor(void)
{
    if (rg_flag_bool("rpc_shared_memory"))
        (void)pthread_once(&once, open_file);
    return file;
}

static uint64_t rounded(size_t bytes)
{
    return ((uint64_t)bytes + PAGE - 1) / PAGE * PAGE;
}

void *rg_lent_alloc(size_t bytes)
{
    uint64_t want = rounded(bytes);
    if (bytes == 0 || bytes > RG_LENT_BYTES || rg_lent_descriptor() < 0)
        return NULL;
    uint8_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (extent **at = &available; *at != NULL && found == NULL; at = &(*at)->next) {
        extent *e = *at;
        if (e->bytes < want)
            continue;
        found = atomic_load(&base) + e->at;
        e->at += want;
        e->bytes -= want;
        if (e->bytes == 0) {
            *at = e->next;
            rg_free(e);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool rg_lent_find(const void *at, size_t bytes, uint64_t *offset)
{
    const uint8_t *from = atomic_load_explicit(&base, memory_order_acquire);
    uintptr_t place = (uintptr_t)at - (uintptr_t)from;
    if (from == NULL || (uintptr_t)at < (uintptr_t)from || place >= RG_LENT_BYTES ||
        bytes > RG_LENT_BYTES - place)
        return false;
    *offset = place;
    return true;
}

/* Without memory for an extent the place is not used again. */
static void put_back(uint64_t at, uint64_t bytes)
{
    extent **next = &available, *before = NULL;
    while (*next != NULL && (*next)->at < at) {
        before = *next;
        next = &before->next;
    }
    extent *after = *next;
    if (before != NULL && before->at + before->bytes == at) {
        before->bytes += bytes;
        if (after != NULL && before->at + before->bytes == after->at) {
            before->bytes += after->bytes;
            before->next = after->next;
            rg_free(after);
        }
    } else if (after != NULL && at + bytes == after->at) {
        after->at = at;
        after->bytes += bytes;
    } else {
        extent *e = rg_alloc(sizeof *e);
        if (e == NULL)
            return;
        *e = (extent){after, at, bytes};
        *next = e;
    }
}

bool rg_lent_free(void *at, size_t bytes)
{
    uint64_t offset;
    if (!rg_lent_find(at, bytes, &offset))
        return false;
    if (atomic_load(&left))
        return true;
    /* Its pages stay the file's, for what is lent next: the seal that keeps others from writing
     * allows no holes in it either. */
    pthread_mutex_lock(&lock);
    put_back(offset, rounded(bytes));
    pthread_mutex_unlock(&lock);
    return true;
}

void rg_lent_leave(void)
{
    atomic_store(&left, true);
}

/* ---- views ---- */

struct rg_lent_view {
    atomic_int refs;
    const uint8_t *at;
};

rg_lent_view *rg_lent_view_open(int fd)
{
    rg_lent_view *view = rg_alloc_zero(1, sizeof *view);
    if (view == NULL || (view->at = rg_memfd_map(fd, RG_LENT_BYTES, false)) == NULL) {
        rg_free(view);
        return NULL;
    }
    atomic_init(&view->refs, 1);
    return view;
}

rg_lent_view *rg_lent_view_find(int pid, int descriptor)
{
    int fd = rg_memfd_open(pid, descriptor, LENT_NAME, false);
    rg_lent_view *view = rg_lent_view_open(fd);
    (void)(fd >= 0 && close(fd));
    return view;
}

rg_lent_view *rg_lent_view_keep(rg_lent_view *view)
{
    if (view != NULL)
        (void)atomic_fetch_add_explicit(&view->refs, 1, memory_order_relaxed);
    return view;
}

void rg_lent_view_drop(rg_lent_view *view)
{
    if (view == NULL || atomic_fetch_sub_explicit(&view->refs, 1, memory_order_acq_rel) != 1)
        return;
    (void)munmap((void *)(uintptr_t)view->at, RG_LENT_BYTES);
    rg_free(view);
}

const uint8_t *rg_lent_view_at(const rg_lent_view *view, uint64_t offset, size_t n)
{
    if (view == NULL || n > RG_LENT_BYTES || offset > RG_LENT_BYTES - n)
        return NULL;
    return view->at + offset;
}
