/* real.h - functions of the system that the linker hands to the simulator (--wrap, in sim.cmake):
 * who calls x() calls WRAP(x)(), and REAL(x)() is the system's own. */
#ifndef RG_TESTS_SIM_REAL_H
#define RG_TESTS_SIM_REAL_H

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* of WRAP(): the linker alone knows them */
#define WRAP(call) __wrap_##call                      // NOLINT: the linker's names
#define REAL(call) __real_##call                      // NOLINT

char *REAL(getenv)(const char *name);
int REAL(open)(const char *path, int flags, ...);
int REAL(openat)(int at, const char *path, int flags, ...);
int REAL(close)(int fd);
ssize_t REAL(read)(int fd, void *to, size_t n);
ssize_t REAL(pread)(int fd, void *to, size_t n, off_t offset);
ssize_t REAL(write)(int fd, const void *from, size_t n);
ssize_t REAL(pwrite)(int fd, const void *from, size_t n, off_t offset);
ssize_t REAL(writev)(int fd, const struct iovec *iov, int n);
off_t REAL(lseek)(int fd, off_t offset, int from);
int REAL(ftruncate)(int fd, off_t size);
int REAL(posix_fallocate)(int fd, off_t offset, off_t n);
void *REAL(mmap)(void *at, size_t n, int allows, int flags, int fd, off_t offset);
int REAL(munmap)(void *at, size_t n);
int REAL(fsync)(int fd);
int REAL(fdatasync)(int fd);
int REAL(syncfs)(int fd);
int REAL(fcntl)(int fd, int command, ...);
int REAL(fstat)(int fd, struct stat *st);
int REAL(stat)(const char *path, struct stat *st);
int REAL(lstat)(const char *path, struct stat *st);
int REAL(fstatat)(int at, const char *path, struct stat *st, int flags);
int REAL(mkdir)(const char *path, mode_t mode);
int REAL(mkdirat)(int at, const char *path, mode_t mode);
int REAL(unlinkat)(int at, const char *path, int flags);
int REAL(renameat)(int from_at, const char *from, int to_at, const char *to);
int REAL(scandirat)(int at, const char *path, struct dirent ***list,
                    int (*wanted)(const struct dirent *),
                    int (*order)(const struct dirent **, const struct dirent **));
char *REAL(realpath)(const char *path, char *resolved);

#endif
