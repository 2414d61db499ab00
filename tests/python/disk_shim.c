/* disk_shim.c - preloaded into a process of a test: what it does to files below $DISK_ROOT is noted
 * in $DISK_NOTES, one line each: make, folder, write, sync, syncfs, rename, remove. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static FILE *notes(void)
{
    static FILE *file;
    if (file == NULL && getenv("DISK_NOTES") != NULL)
        file = fopen(getenv("DISK_NOTES"), "ae");
    return file;
}

/* The whole path, or "" for what is elsewhere. */
static const char *whole(char out[PATH_MAX], int at, const char *path)
{
    char link[64], folder[PATH_MAX] = "";
    const char *root = getenv("DISK_ROOT");
    if (path != NULL && path[0] == '/') {
        (void)snprintf(out, PATH_MAX, "%s", path);
    } else {
        if (at == AT_FDCWD)
            (void)!getcwd(folder, sizeof folder);
        else {
            (void)snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            (void)!readlink(link, folder, sizeof folder - 1);
        }
        (void)snprintf(out, PATH_MAX, "%s%s%s", folder, path ? "/" : "", path ? path : "");
    }
    if (root == NULL || notes() == NULL || strncmp(out, root, strlen(root)) != 0)
        out[0] = '\0';
    return out;
}

static void note(const char *what, const char *path, const char *more)
{
    if (path[0] == '\0')
        return;
    (void)fprintf(notes(), "%s\t%s\t%s\n", what, path, more);
    (void)fflush(notes());
}

int openat(int at, const char *path, int flags, ...)
{
    char text[PATH_MAX];
    va_list list;
    va_start(list, flags);
    int mode = (flags & O_CREAT) ? va_arg(list, int) : 0;
    va_end(list);
    int fd = REAL(openat)(at, path, flags, mode);
    if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) != 0)
        note("make", whole(text, at, path), (flags & O_TRUNC) ? "empty" : "");
    return fd;
}

int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = (flags & O_CREAT) ? va_arg(list, int) : 0;
    va_end(list);
    return openat(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t write(int fd, const void *bytes, size_t n)
{
    char text[PATH_MAX];
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t put = REAL(write)(fd, bytes, n);
    if (put > 0 && at >= 0 && whole(text, fd, NULL)[0] != '\0') {
        (void)fprintf(notes(), "write\t%s\t%lld ", text, (long long)at);
        for (ssize_t i = 0; i < put; i++)
            (void)fprintf(notes(), "%02x", ((const unsigned char *)bytes)[i]);
        (void)fprintf(notes(), "\n");
        (void)fflush(notes());
    }
    return put;
}

int fsync(int fd)
{
    char text[PATH_MAX];
    int code = REAL(fsync)(fd);
    if (code == 0)
        note("sync", whole(text, fd, NULL), "");
    return code;
}

int fdatasync(int fd)
{
    return fsync(fd);
}

int syncfs(int fd)
{
    char text[PATH_MAX];
    int code = REAL(syncfs)(fd);
    if (code == 0)
        note("syncfs", whole(text, fd, NULL), "");
    return code;
}

int renameat(int from, const char *name, int to, const char *to_name)
{
    char text[PATH_MAX], other[PATH_MAX];
    (void)whole(text, from, name);
    int code = REAL(renameat)(from, name, to, to_name);
    if (code == 0)
        note("rename", text, whole(other, to, to_name));
    return code;
}

int rename(const char *name, const char *to_name)
{
    return renameat(AT_FDCWD, name, AT_FDCWD, to_name);
}

int mkdirat(int at, const char *path, mode_t mode)
{
    char text[PATH_MAX];
    int code = REAL(mkdirat)(at, path, mode);
    if (code == 0)
        note("folder", whole(text, at, path), "");
    return code;
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int unlinkat(int at, const char *path, int flags)
{
    char text[PATH_MAX];
    (void)whole(text, at, path);
    int code = REAL(unlinkat)(at, path, flags);
    if (code == 0)
        note("remove", text, "");
    return code;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}
