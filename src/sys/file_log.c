/* file_log.c - files that grow at their end: logs, which are whole or taken back, and large ones
 * that are written once, past the system's cache.
 *
 * Past the cache: a gigabyte that is written and not read soon costs the system a page for each 4
 * KiB, a copy, and then the pages of others. So it is gathered in one block, and each whole block
 * goes to the disk as it is. The file system wants blocks that begin and end at whole pages, in the
 * file and in memory: the first block ends where pages are whole, and what is left at the end goes
 * the common way. Where a file system cannot do it, all of it does. */
#include "base/mem.h"
#include "sys/fault.h"
#include "sys/file_priv.h"
#include "sys/front.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- past the cache ---- */

enum { BLOCK = 2 << 20, PAGE = 4096 };

struct rg_direct {
    uint8_t *memory;  /* owned */
    uint8_t *block;   /* of it, from a whole page on */
    size_t n, room;   /* bytes that are gathered; how many there can be */
    bool tried, past; /* whether the rest can go past the cache was asked; it does */
};

void rg_direct_free(struct rg_direct *direct)
{
    if (direct == NULL)
        return;
    rg_free(direct->memory);
    rg_free(direct);
}

void rg_file_gather(rg_file *file)
{
    struct rg_direct *d = rg_alloc_zero(1, sizeof *d);
    uint8_t *memory = rg_alloc(BLOCK + PAGE);
    if (d == NULL || memory == NULL || file->direct != NULL) { /* it can do without */
        rg_free(d);
        rg_free(memory);
        return;
    }
    d->memory = memory;
    d->block = memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    d->room = BLOCK - (size_t)(file->offset % PAGE);
    file->direct = d;
}

bool rg_file_set_past(const rg_file *file, bool past)
{
    int flags = fcntl(file->fd, F_GETFL);
    return flags >= 0 &&
           fcntl(file->fd, F_SETFL, past ? flags | O_DIRECT : flags & ~O_DIRECT) == 0 && past;
}

static rg_status put_block(rg_file *file)
{
    struct rg_direct *d = file->direct;
    for (size_t done = 0; done < d->n;) {
        ssize_t put = rg_injected("file.block") ? -1
                                                : write(file->fd, d->block + done, d->n - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EINVAL && d->past) {
            d->past = rg_file_set_past(file, false); /* not with blocks like these */
            continue;
        }
        if (put < 0)
            return rg_system_failed("cannot write", file->path);
        done += (size_t)put;
    }
    d->n = 0;
    return RG_OK;
}

static rg_status gather(rg_file *file, const uint8_t *bytes, size_t n)
{
    struct rg_direct *d = file->direct;
    while (n > 0) {
        size_t some = n < d->room - d->n ? n : d->room - d->n;
        memcpy(d->block + d->n, bytes, some);
        d->n += some;
        bytes += some;
        n -= some;
        if (d->n < d->room)
            break;
        RG_TRY(put_block(file));
        if (!d->tried)
            d->past = rg_file_set_past(file, true);
        d->tried = true;
        d->room = BLOCK;
    }
    return RG_OK;
}

rg_status rg_file_gather_end(rg_file *file)
{
    if (file->direct == NULL)
        return RG_OK;
    file->direct->past = rg_file_set_past(file, false);
    rg_status code = put_block(file);
    rg_direct_free(file->direct);
    file->direct = NULL;
    return code;
}

/* ---- a log ---- */

static rg_status take_back(rg_file *file)
{
    rg_status code = rg_system_failed("cannot write", file->path);
    (void)!ftruncate(file->fd, (off_t)file->offset); /* else its reader finds a torn end */
    (void)lseek(file->fd, (off_t)file->offset, SEEK_SET);
    return code;
}

rg_status rg_file_append(rg_file *file, const rg_iov *pieces, size_t n)
{
    enum { MOST = 64 };
    struct iovec out[MOST];
    size_t left = 0, total, first = 0;
    if (n > MOST)
        return rg_fail(RG_EINVAL, "%zu pieces for %s at once", n, file->path);
    if (file->front != NULL)
        return rg_front_append(file->front, pieces, n);
    if (file->direct != NULL) {
        for (size_t i = 0; i < n; i++) {
            RG_TRY(gather(file, pieces[i].at, pieces[i].bytes));
            file->offset += pieces[i].bytes;
        }
        return RG_OK;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct iovec){(void *)(uintptr_t)pieces[i].at, pieces[i].bytes};
        left += pieces[i].bytes;
    }
    total = left;
    while (left > 0) {
        ssize_t put = rg_injected("file.append") ? -1
                                                 : writev(file->fd, out + first, (int)(n - first));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return take_back(file);
        left -= (size_t)put;
        for (size_t done = (size_t)put; done > 0 && first < n;) {
            size_t some = done < out[first].iov_len ? done : out[first].iov_len;
            out[first].iov_base = (uint8_t *)out[first].iov_base + some;
            out[first].iov_len -= some;
            done -= some;
            first += out[first].iov_len == 0;
        }
        while (first < n && out[first].iov_len == 0)
            first++;
    }
    file->offset += total;
    return RG_OK;
}

rg_status rg_file_sync(const rg_file *file)
{
    if (file->front != NULL)
        RG_TRY(rg_front_write(file->front, true));
    if (rg_injected("file.sync") || fdatasync(file->fd) != 0)
        return rg_system_failed("cannot flush", file->path);
    return RG_OK;
}

void rg_file_forget(const rg_file *file)
{
    (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
}

rg_status rg_file_cut(const char *path, uint64_t size)
{
    return rg_file_end_with(path, size, NULL, 0);
}

bool rg_put_at(int fd, const uint8_t *bytes, size_t n, uint64_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t some = pwrite(fd, bytes + done, n - done, (off_t)(at + done));
        if (some < 0 && errno != EINTR)
            return false;
        done += some > 0 ? (size_t)some : 0;
    }
    return true;
}

rg_status rg_file_end_with(const char *path, uint64_t at, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    rg_status code = RG_OK;
    if (fd < 0 || rg_injected("file.cut") || !rg_put_at(fd, bytes, n, at) ||
        ftruncate(fd, (off_t)(at + n)) != 0 || fsync(fd) != 0)
        code = rg_system_failed(n > 0 ? "cannot write" : "cannot cut", path);
    if (fd >= 0)
        (void)close(fd);
    return code;
}
