/* memfd.c - a file without a name, made by one process and found by others. */
#include "sys/memfd.h"

#include "sys/clock.h"
#include "sys/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

void *rg_memfd_map(int fd, size_t bytes, bool writes)
{
    struct stat about;
    int seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &about) != 0 ||
        (size_t)about.st_size != bytes)
        return NULL;
    void *at = mmap(NULL, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                    MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    (void)madvise(at, bytes, MADV_DONTFORK);
    return at;
}

void *rg_memfd_make(rg_memfd_offer *offer, size_t bytes)
{
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        random[0] = rg_clock_ns(); /* the process and the descriptor are its own, too */
    *offer = (rg_memfd_offer){0};
    (void)snprintf(offer->name, sizeof offer->name, "regatta-coll-%016llx%016llx",
                   (unsigned long long)random[0], (unsigned long long)random[1]);
    int fd = memfd_create(offer->name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *at = NULL;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        at = rg_memfd_map(fd, bytes, true);
    if (at == NULL) {
        (void)(fd >= 0 && close(fd));
        return NULL;
    }
    offer->pid = (int32_t)rg_process_id();
    offer->descriptor = fd;
    return at;
}

int rg_memfd_open(int pid, int descriptor, const char *name, bool writes)
{
    char path[64], is[96] = "", wanted[96];
    (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, descriptor);
    int n = snprintf(wanted, sizeof wanted, "/memfd:%.55s", name);
    if (pid <= 0 || descriptor < 0 || readlink(path, is, sizeof is - 1) <= 0 ||
        strncmp(is, wanted, (size_t)n) != 0)
        return -1;
    return open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

void *rg_memfd_find(const rg_memfd_offer *offer, size_t bytes)
{
    int fd = rg_memfd_open(offer->pid, offer->descriptor, offer->name, true);
    void *at = rg_memfd_map(fd, bytes, true);
    (void)(fd >= 0 && close(fd));
    return at;
}

void rg_memfd_withdraw(rg_memfd_offer *offer)
{
    if (offer->pid > 0)
        (void)close(offer->descriptor);
    *offer = (rg_memfd_offer){0};
}

void rg_memfd_unmap(void *at, size_t bytes)
{
    if (at != NULL)
        (void)munmap(at, bytes);
}
