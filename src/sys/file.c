/* file.c - files and folders of the operating system. */
#include "sys/file.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "sys/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_BUFFER = 64 * 1024, MAX_PATH_BYTES = 4096 };

struct rg_file {
    char *path;
    int fd;
    uint64_t size, offset;
    uint32_t crc;
    size_t pending; /* bytes of `buffer` not yet written */
    bool writing;
    uint8_t buffer[]; /* of a writer only */
};

static rg_status system_failed(const char *what, const char *path)
{
    return rg_fail(errno == ENOENT ? RG_ENOENT : RG_EIO, "%s %s: %s", what, path, strerror(errno));
}

/* Plays an injected fault: true where the system call must be taken as failed. */
static bool injected(const char *point)
{
    switch (rg_fault(point)) {
    case RG_FAULT_EIO:
        errno = EIO;
        return true;
    case RG_FAULT_ENOSPC:
        errno = ENOSPC;
        return true;
    case RG_FAULT_ENOMEM:
        errno = ENOMEM;
        return true;
    case RG_FAULT_NONE:
    case RG_FAULT_SHORT:
    case RG_FAULT_FLIP:
        break;
    }
    return false;
}

static rg_status open_any(rg_file **out, const char *path, bool writing)
{
    rg_file *file = rg_alloc_zero(1, sizeof *file + (writing ? WRITE_BUFFER : 0));
    char *copy = rg_strdup(path);
    if (file == NULL || copy == NULL) {
        rg_free(file);
        rg_free(copy);
        return rg_no_memory(sizeof *file, path);
    }
    int flags = writing ? O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
    file->path = copy;
    file->writing = writing;
    file->fd = injected("file.open") ? -1 : open(path, flags, 0666);
    struct stat st;
    if (file->fd < 0 || fstat(file->fd, &st) != 0) {
        rg_status code = system_failed(writing ? "cannot create" : "cannot open", path);
        rg_file_close(file);
        return code;
    }
    if (!writing && S_ISDIR(st.st_mode)) {
        rg_file_close(file);
        return rg_fail(RG_EIO, "cannot read %s: it is a folder", path);
    }
    file->size = (uint64_t)st.st_size;
    *out = file;
    return RG_OK;
}

rg_status rg_file_open(rg_file **file, const char *path)
{
    return open_any(file, path, false);
}

rg_status rg_file_create(rg_file **file, const char *path)
{
    return open_any(file, path, true);
}

void rg_file_close(rg_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    rg_free(file->path);
    rg_free(file);
}

const char *rg_file_path(const rg_file *file)
{
    return file->path;
}

uint64_t rg_file_size(const rg_file *file)
{
    return file->size;
}

uint64_t rg_file_offset(const rg_file *file)
{
    return file->offset;
}

uint32_t rg_file_crc(const rg_file *file)
{
    return file->crc;
}

rg_status rg_file_read(rg_file *file, void *bytes, size_t n)
{
    uint8_t *at = bytes;
    size_t left = n;
    while (left > 0) {
        ssize_t got = injected("file.read") ? -1 : read(file->fd, at, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_failed("cannot read", file->path);
        if (got == 0)
            return rg_fail(RG_ECORRUPT, "%s ends at byte %llu, %zu bytes early", file->path,
                           (unsigned long long)file->offset + (n - left), left);
        at += got;
        left -= (size_t)got;
    }
    file->crc = rg_crc32c(file->crc, bytes, n);
    file->offset += n;
    return RG_OK;
}

rg_status rg_file_read_some(rg_file *file, void *bytes, size_t n, size_t *got)
{
    ssize_t now;
    do
        now = injected("file.read") ? -1 : read(file->fd, bytes, n);
    while (now < 0 && errno == EINTR);
    if (now < 0)
        return system_failed("cannot read", file->path);
    file->offset += (uint64_t)now;
    *got = (size_t)now;
    return RG_OK;
}

rg_status rg_file_seek(rg_file *file, uint64_t offset)
{
    if (lseek(file->fd, (off_t)offset, SEEK_SET) < 0)
        return system_failed("cannot seek in", file->path);
    file->offset = offset;
    return RG_OK;
}

static rg_status write_out(rg_file *file, const uint8_t *at, size_t left)
{
    while (left > 0) {
        ssize_t put = injected("file.write") ? -1 : write(file->fd, at, left);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return system_failed("cannot write", file->path);
        at += put;
        left -= (size_t)put;
    }
    return RG_OK;
}

rg_status rg_file_flush(rg_file *file)
{
    RG_TRY(write_out(file, file->buffer, file->pending));
    file->pending = 0;
    return RG_OK;
}

rg_status rg_file_write(rg_file *file, const void *bytes, size_t n)
{
    file->crc = rg_crc32c(file->crc, bytes, n);
    file->offset += n;
    if (n > WRITE_BUFFER - file->pending)
        RG_TRY(rg_file_flush(file));
    if (n > WRITE_BUFFER)
        return write_out(file, bytes, n);
    if (n > 0)
        memcpy(file->buffer + file->pending, bytes, n);
    file->pending += n;
    return RG_OK;
}

rg_status rg_file_finish(rg_file *file)
{
    RG_TRY(rg_file_flush(file));
    if (injected("file.sync") || fsync(file->fd) != 0)
        return system_failed("cannot flush", file->path);
    return RG_OK;
}

rg_status rg_file_write_all(const char *path, const void *bytes, size_t n)
{
    rg_file *file = NULL;
    rg_status code = rg_file_create(&file, path);
    if (code == RG_OK)
        code = rg_file_write(file, bytes, n);
    if (code == RG_OK)
        code = rg_file_flush(file);
    rg_file_close(file);
    return code;
}

rg_status rg_file_read_all(const char *path, size_t max_bytes, rg_buf *out)
{
    rg_file *file;
    RG_TRY(rg_file_open(&file, path));
    rg_status code = RG_OK;
    uint8_t *chunk = NULL;
    size_t total = 0;
    if (file->size > max_bytes) {
        code = rg_fail(RG_ETOOBIG, "%s has %llu bytes, and at most %zu are read", path,
                       (unsigned long long)file->size, max_bytes);
        goto done;
    }
    chunk = rg_alloc(WRITE_BUFFER);
    if (chunk == NULL) {
        code = rg_no_memory(WRITE_BUFFER, path);
        goto done;
    }
    /* Until the end, not to the size: a pipe or /proc says 0. */
    for (;;) {
        ssize_t got = injected("file.read") ? -1 : read(file->fd, chunk, WRITE_BUFFER);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            code = system_failed("cannot read", path);
            goto done;
        }
        if (got == 0)
            break;
        total += (size_t)got;
        if (total > max_bytes) {
            code = rg_fail(RG_ETOOBIG, "%s has more than %zu bytes", path, max_bytes);
            goto done;
        }
        rg_buf_add(out, chunk, (size_t)got);
    }
    code = rg_buf_status(out);
done:
    rg_free(chunk);
    rg_file_close(file);
    return code;
}

bool rg_path_exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

bool rg_path_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

uint64_t rg_path_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

rg_status rg_dir_make(const char *path)
{
    char copy[MAX_PATH_BYTES];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy)
        return rg_fail(RG_EINVAL, "a folder name of %zu bytes", length);
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != '\0')
            continue;
        char kept = copy[i];
        copy[i] = '\0';
        if (injected("dir.make") || (mkdir(copy, 0777) != 0 && errno != EEXIST))
            return system_failed("cannot make the folder", copy);
        copy[i] = kept;
    }
    if (!rg_path_is_dir(path)) {
        errno = ENOTDIR;
        return system_failed("cannot make the folder", path);
    }
    return RG_OK;
}

rg_status rg_dir_make_for(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return RG_OK;
    char folder[MAX_PATH_BYTES];
    size_t length = (size_t)(slash - path);
    if (length >= sizeof folder)
        return rg_fail(RG_EINVAL, "a folder name of %zu bytes", length);
    memcpy(folder, path, length);
    folder[length] = '\0';
    return rg_dir_make(folder);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

rg_status rg_dir_each(const char *path, rg_status (*visit)(void *arg, const char *name), void *arg)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, by_bytes);
    if (n < 0)
        return system_failed("cannot list", path);
    rg_status code = RG_OK;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (code == RG_OK && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            code = visit(arg, name);
        free(names[i]); /* from scandir */
    }
    free(names);
    return code;
}

static rg_status remove_entry(void *arg, const char *name)
{
    char path[MAX_PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s/%s", (const char *)arg, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return rg_fail(RG_EINVAL, "a path of %d bytes", n);
    return rg_dir_remove(path);
}

rg_status rg_dir_remove(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? RG_OK : system_failed("cannot remove", path);
    if (S_ISDIR(st.st_mode)) {
        RG_TRY(rg_dir_each(path, remove_entry, (void *)path));
        return rmdir(path) == 0 ? RG_OK : system_failed("cannot remove", path);
    }
    return unlink(path) == 0 ? RG_OK : system_failed("cannot remove", path);
}

rg_status rg_rename(const char *from, const char *to)
{
    if (injected("file.rename") || rename(from, to) != 0)
        return system_failed("cannot rename to", to);
    return RG_OK;
}

static rg_status sync_folder(const char *path, int (*sync_fd)(int fd))
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return system_failed("cannot open the folder", path);
    rg_status code = RG_OK;
    if (injected("dir.sync") || (sync_fd(fd) != 0 && errno != EINVAL))
        code = system_failed("cannot flush the folder", path);
    (void)close(fd);
    return code;
}

rg_status rg_dir_sync(const char *path)
{
    return sync_folder(path, fsync);
}

rg_status rg_dir_sync_all(const char *path)
{
    return sync_folder(path, syncfs);
}

rg_status rg_path_check_inside(const char *name)
{
    if (name[0] == '\0' || name[0] == '/')
        return rg_fail(RG_EINVAL, "'%s' is not a name inside a folder", name);
    for (const char *part = name; part != NULL;) {
        const char *slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return rg_fail(RG_EINVAL, "'%s' leads out of its folder", name);
        part = slash ? slash + 1 : NULL;
    }
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            return rg_fail(RG_EINVAL, "a name with the control character %d", *c);
    return RG_OK;
}
