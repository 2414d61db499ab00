/* folder_lock.c - one saver of a folder at a time.
 *
 * The lock is the kernel's, on a file in the folder: it goes when its holder does. The file is
 * only its handle. Who has the lock takes the file away at the end; who has waited for a file
 * that is gone by then begins again with a new one. */
#include "sys/folder_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file_priv.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MS = 1000000,
    FIRST_LOOK_MS = 1,
    LAST_LOOK_MS = 100,
    FIRST_WORD_MS = 10000,
    WORD_MS = 30000
};

struct rg_folder_lock {
    int fd, folder;
    char name[256];
};

/* What whoever waits for us will read: best effort. */
static void write_holder(int fd)
{
    char host[64], text[128];
    rg_process_host(host, sizeof host);
    int n = snprintf(text, sizeof text, "process %ld on %s", rg_process_id(), host);
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)n, 0);
}

static void read_holder(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
            *c = '?';
    if (text[0] == '\0')
        (void)snprintf(text, size, "another process");
}

/* Of an open file, not of a process: two threads exclude each other, too. */
static int set_lock(int fd, short type)
{
    return fcntl(fd, F_OFD_SETLK, &(struct flock){.l_type = type, .l_whence = SEEK_SET});
}

/* A file system without locks is no reason not to save; it is said once. */
static bool has_no_locks(int why, const char *folder)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (why != ENOLCK && why != ENOSYS && why != EOPNOTSUPP && why != EINVAL)
        return false;
    if (!atomic_flag_test_and_set(&said))
        rg_log(RG_LOG_W, "save",
               "folder=%s \"its file system has no locks: two that save there at "
               "once disturb each other\" reason=\"%s\"",
               folder, strerror(why));
    return true;
}

/* The file of the lock, made where it is missing. */
static rg_status open_handle(const rg_folder *folder, const char *name, int *out)
{
    int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat st;
    int fd = openat(folder->fd, name, flags | O_RDWR | O_CREAT, 0666);
    char path[MAX_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    if (fd < 0)
        return rg_system_failed("cannot lock the folder by", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        (void)close(fd);
        return rg_fail(RG_EDENIED, "%s is no file: remove it to save there", path);
    }
    *out = fd;
    return RG_OK;
}

/* Whether the file that was locked is still the one that others find. */
static bool is_current(const rg_folder *folder, const char *name, int fd)
{
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && fstatat(folder->fd, name, &theirs, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* One attempt: *out is -1 where another has it. */
static rg_status try_lock(const rg_folder *folder, const char *name, int *out, char *holder,
                          size_t size)
{
    int fd = -1;
    *out = -1;
    RG_TRY(open_handle(folder, name, &fd));
    int why = set_lock(fd, F_WRLCK) == 0 ? 0 : errno;
    if (why != 0 && !has_no_locks(why, folder->path)) {
        read_holder(fd, holder, size);
        (void)close(fd);
        if (why == EAGAIN || why == EACCES || why == EINTR)
            return RG_OK;
        errno = why;
        return rg_system_failed("cannot lock", folder->path);
    }
    if (is_current(folder, name, fd)) {
        *out = fd;
        return RG_OK;
    }
    (void)close(fd);
    return RG_OK;
}

rg_status rg_folder_lock_open(rg_folder_lock **out, const rg_folder *folder, const char *name,
                              uint64_t wait_ms)
{
    uint64_t began = rg_clock_ns(), word = FIRST_WORD_MS, look = FIRST_LOOK_MS;
    char holder[128] = "another process";
    int fd;
    for (;;) {
        RG_TRY(try_lock(folder, name, &fd, holder, sizeof holder));
        if (fd >= 0)
            break;
        uint64_t waited = (rg_clock_ns() - began) / MS;
        if (waited >= wait_ms)
            return rg_fail(RG_ETIMEOUT,
                           "%s is being saved to by %s, for which we have waited %llu s: is it "
                           "stopped?",
                           folder->path, holder, (unsigned long long)waited / 1000);
        if (waited >= word) {
            rg_log(RG_LOG_W, "save", "folder=%s \"waiting for %s, which saves there\" seconds=%llu",
                   folder->path, holder, (unsigned long long)waited / 1000);
            word += WORD_MS;
        }
        RG_TRY(rg_interrupted());
        rg_clock_sleep(look * MS);
        look = look * 2 < LAST_LOOK_MS ? look * 2 : LAST_LOOK_MS;
    }
    rg_folder_lock *lock = rg_alloc_zero(1, sizeof *lock);
    int at = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
    if (lock == NULL || at < 0) {
        if (at >= 0)
            (void)close(at);
        (void)close(fd);
        rg_free(lock);
        return rg_no_memory(sizeof *lock, "a lock");
    }
    *lock = (rg_folder_lock){.fd = fd, .folder = at};
    (void)snprintf(lock->name, sizeof lock->name, "%s", name);
    write_holder(fd);
    *out = lock;
    return RG_OK;
}

void rg_folder_lock_close(rg_folder_lock *lock)
{
    if (lock == NULL)
        return;
    (void)unlinkat(lock->folder, lock->name, 0);
    (void)set_lock(lock->fd, F_UNLCK); /* a forked child may have the file open, too */
    (void)close(lock->fd);
    (void)close(lock->folder);
    rg_free(lock);
}
