/* front.c - what stands in front of a log. */
#include "sys/front.h"

#include "base/copy_past.h"
#include "base/mem.h"
#include "sys/fault.h"
#include "sys/file_priv.h"
#include "sys/folder_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_AT_ONCE = 4 << 20 };
#define MOST_BYTES (UINT64_C(1) << 30)

static const char MAGIC[8] = "RGFRONT1";

/* The first page of the file. */
typedef struct head {
    char magic[8];
    uint64_t a, b;
    _Atomic uint64_t written; /* bytes of the log below are in it; a whole page */
    _Atomic uint64_t end;     /* those below are here, or there: whole calls of append */
} head;
_Static_assert(sizeof(head) == 40, "it is a format");

struct rg_front {
    size_t bytes;            /* of the ring */
    head *head;              /* mapped, with ... */
    uint8_t *ring;           /* ... behind it */
    rg_file *log;            /* borrowed; NULL: none is behind it */
    bool past;               /* the log is written past the cache */
    _Atomic uint64_t filled; /* bytes that are here, also of a call that has not ended */
    pthread_mutex_t writing; /* one writes to the log at a time: `written` only grows */
    uint8_t *page;           /* of `memory`, at a whole page: a last one, filled up with zeros */
    uint8_t *memory;         /* owned */
};

/* ---- the file ---- */

/* Its blocks are taken now: a page that cannot be had later would kill the process. */
static rg_status map_file(rg_front *f, int fd, const char *path)
{
    size_t all = PAGE + f->bytes;
    int error = rg_injected("front.make") ? errno : posix_fallocate(fd, 0, (off_t)all);
    void *at = MAP_FAILED;
    if (error == 0) {
        at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = errno;
    }
    if (at == MAP_FAILED) {
        errno = error;
        return rg_system_failed("cannot make", path);
    }
    (void)madvise(at, all, MADV_DONTFORK);
    f->head = at;
    f->ring = (uint8_t *)at + PAGE;
    return RG_OK;
}

rg_status rg_front_open(rg_front **out, const rg_folder *folder, const char *name, size_t bytes)
{
    if (bytes == 0 || bytes % PAGE != 0 || bytes > MOST_BYTES)
        return rg_fail(RG_EINVAL, "%zu bytes in front of a log: whole pages are possible", bytes);
    RG_TRY(rg_folder_remove(folder, name));
    rg_front *f = rg_alloc_zero(1, sizeof *f);
    uint8_t *memory = rg_alloc((size_t)2 * PAGE);
    int fd = f != NULL && memory != NULL
                 ? openat(folder->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          0666)
                 : -1;
    if (fd < 0) {
        rg_status code = f == NULL || memory == NULL
                             ? rg_no_memory(sizeof *f, "a front")
                             : rg_system_failed("cannot make", rg_folder_path(folder));
        rg_free(f);
        rg_free(memory);
        return code;
    }
    f->bytes = bytes;
    f->memory = memory;
    f->page = memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    pthread_mutex_init(&f->writing, NULL);
    rg_status code = map_file(f, fd, rg_folder_path(folder));
    (void)close(fd);
    if (code != RG_OK) {
        rg_front_close(f);
        return code;
    }
    *out = f;
    return RG_OK;
}

void rg_front_close(rg_front *f)
{
    if (f == NULL)
        return;
    if (f->head != NULL)
        (void)munmap(f->head, PAGE + f->bytes);
    pthread_mutex_destroy(&f->writing);
    rg_free(f->memory);
    rg_free(f);
}

/* ---- the log ---- */

/* The header is whole before anything counts that is said to be in front of that log. */
rg_status rg_front_attach(rg_front *f, rg_file *log, uint64_t a, uint64_t b)
{
    if (log->offset != 0 || f->log != NULL)
        return rg_fail(RG_EINVAL, "%s: it is not at its beginning", log->path);
    f->log = log;
    f->past = rg_file_set_past(log, true);
    atomic_store(&f->filled, 0);
    atomic_store(&f->head->end, 0);
    atomic_store(&f->head->written, 0);
    f->head->a = a;
    f->head->b = b;
    atomic_thread_fence(memory_order_release);
    memcpy(f->head->magic, MAGIC, sizeof MAGIC);
    log->front = f;
    return RG_OK;
}

static rg_status put(rg_front *f, const uint8_t *bytes, size_t n, uint64_t at)
{
    int fd = f->log->fd;
    bool done = !rg_injected("front.write") && rg_put_at(fd, bytes, n, at);
    if (!done && errno == EINVAL && f->past) { /* not on this file system */
        f->past = rg_file_set_past(f->log, false);
        done = rg_put_at(fd, bytes, n, at);
    }
    return done ? RG_OK : rg_system_failed("cannot write", f->log->path);
}

/* With `writing`. The last page goes with zeros behind it, and once more when it is full: what is
 * appended to it meanwhile is not looked at. */
static rg_status write_out(rg_front *f, bool all)
{
    uint64_t at = atomic_load(&f->head->written);
    uint64_t end = atomic_load_explicit(&f->filled, memory_order_acquire);
    uint64_t whole = end / PAGE * PAGE;
    while (at < whole) {
        size_t from = (size_t)(at % f->bytes), n = f->bytes - from;
        n = n > whole - at ? (size_t)(whole - at) : n;
        n = n > MOST_AT_ONCE ? MOST_AT_ONCE : n;
        RG_TRY(put(f, f->ring + from, n, at));
        at += n;
        atomic_store_explicit(&f->head->written, at, memory_order_release);
    }
    if (!all || end == whole)
        return RG_OK;
    memcpy(f->page, f->ring + whole % f->bytes, (size_t)(end - whole));
    memset(f->page + (end - whole), 0, (size_t)(PAGE - (end - whole)));
    return put(f, f->page, PAGE, whole);
}

rg_status rg_front_write(rg_front *f, bool all)
{
    pthread_mutex_lock(&f->writing);
    rg_status code = write_out(f, all);
    pthread_mutex_unlock(&f->writing);
    return code;
}

rg_status rg_front_detach(rg_front *f)
{
    rg_file *log = f->log;
    if (log == NULL)
        return RG_OK;
    rg_status code = rg_front_write(f, true);
    f->past = rg_file_set_past(log, false);
    uint64_t end = atomic_load(&f->head->end);
    if (code == RG_OK &&
        (ftruncate(log->fd, (off_t)end) != 0 || lseek(log->fd, (off_t)end, SEEK_SET) < 0))
        code = rg_system_failed("cannot end", log->path);
    if (code == RG_OK) /* else it keeps what the log has not */
        memset(f->head->magic, 0, sizeof f->head->magic);
    log->front = NULL;
    f->log = NULL;
    return code;
}

uint64_t rg_front_waiting(const rg_front *f)
{
    return atomic_load_explicit(&f->filled, memory_order_relaxed) -
           atomic_load_explicit(&f->head->written, memory_order_relaxed);
}

/* ---- what is appended ---- */

static rg_status copy_in(rg_front *f, const uint8_t *bytes, size_t n)
{
    uint64_t at = atomic_load_explicit(&f->filled, memory_order_relaxed);
    while (n > 0) {
        size_t from = (size_t)(at % f->bytes), some = f->bytes - from;
        uint64_t room = f->bytes -
                        (at - atomic_load_explicit(&f->head->written, memory_order_acquire));
        if (room == 0) {
            RG_TRY(rg_front_write(f, false));
            continue;
        }
        some = some > n ? n : some;
        some = some > room ? (size_t)room : some;
        rg_copy_past(f->ring + from, bytes, some); /* the disk reads it next */
        bytes += some;
        n -= some;
        at += some;
        atomic_store_explicit(&f->filled, at, memory_order_release);
    }
    return RG_OK;
}

rg_status rg_front_append(rg_front *f, const rg_iov *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        RG_TRY(copy_in(f, pieces[i].at, pieces[i].bytes));
    uint64_t end = atomic_load_explicit(&f->filled, memory_order_relaxed);
    atomic_store_explicit(&f->head->end, end, memory_order_release);
    f->log->offset = end;
    return RG_OK;
}

/* ---- what was left ---- */

static uint64_t get(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value); /* of this host: a mapped file does not travel */
    return value;
}

static rg_status read_ring(rg_front_rest *rest, rg_file *file, size_t bytes, uint64_t end)
{
    size_t n = (size_t)(end - rest->at), from = (size_t)(rest->at % bytes);
    size_t first = n < bytes - from ? n : bytes - from;
    rest->bytes = rg_alloc(n);
    if (rest->bytes == NULL)
        return rg_no_memory(n, rg_file_path(file));
    rg_status code = rg_file_seek(file, PAGE + from);
    if (code == RG_OK)
        code = rg_file_read(file, rest->bytes, first);
    if (code == RG_OK && n > first)
        code = rg_file_seek(file, PAGE);
    if (code == RG_OK && n > first)
        code = rg_file_read(file, rest->bytes + first, n - first);
    rest->n = n;
    if (code != RG_OK) {
        rg_free(rest->bytes);
        *rest = (rg_front_rest){0};
    }
    return code;
}

rg_status rg_front_read(rg_front_rest *rest, const rg_folder *folder, const char *name, uint64_t a,
                        uint64_t b)
{
    uint8_t bytes[sizeof(head)];
    rg_file *file = NULL;
    *rest = (rg_front_rest){0};
    rg_status code = rg_folder_read(&file, folder, name);
    if (code != RG_OK)
        return code == RG_ENOENT ? RG_OK : code;
    uint64_t size = rg_file_size(file);
    if (size <= PAGE || size > PAGE + MOST_BYTES || size % PAGE != 0) {
        rg_file_close(file);
        return RG_OK;
    }
    code = rg_file_read(file, bytes, sizeof bytes);
    uint64_t written = get(bytes + 24), end = get(bytes + 32);
    if (code == RG_OK && memcmp(bytes, MAGIC, sizeof MAGIC) == 0 && get(bytes + 8) == a &&
        get(bytes + 16) == b && written % PAGE == 0 && end > written &&
        end - written <= size - PAGE) {
        rest->at = written;
        code = read_ring(rest, file, (size_t)(size - PAGE), end);
    }
    rg_file_close(file);
    return code;
}
