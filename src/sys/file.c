/* file.c - files and folders of the operating system. */
#include "sys/file.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "sys/fault.h"
#include "sys/file_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_BUFFER = 64 * 1024, MAX_PATH_BYTES = 4096 };

rg_status rg_system_failed(const char *what, const char *path)
{
    return rg_fail(errno == ENOENT ? RG_ENOENT : RG_EIO, "%s %s: %s", what, path, strerror(errno));
}

bool rg_injected(const char *point)
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

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
                            : "a device";
}

static rg_status wrap(rg_file **out, int fd, const char *path, bool writing, bool any)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        rg_status code = rg_system_failed(writing ? "cannot create" : "cannot open", path);
        if (fd >= 0)
            (void)close(fd);
        return code;
    }
    if (!S_ISREG(st.st_mode) && writing) /* /dev/stderr, say */
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (!S_ISREG(st.st_mode) && !writing && (!any || S_ISDIR(st.st_mode))) {
        (void)close(fd);
        return rg_fail(RG_EIO, "cannot read %s: it is %s, and must be a file", path,
                       kind_of(st.st_mode));
    }
    rg_file *file = rg_alloc_zero(1, sizeof *file + (writing ? WRITE_BUFFER : 0));
    char *copy = rg_strdup(path);
    if (file == NULL || copy == NULL) {
        (void)close(fd);
        rg_free(file);
        rg_free(copy);
        return rg_no_memory(sizeof *file, path);
    }
    *file = (rg_file){.path = copy, .fd = fd, .size = (uint64_t)st.st_size, .writing = writing};
    *out = file;
    return RG_OK;
}

rg_status rg_file_of(rg_file **out, int fd, const char *path, bool writing)
{
    return wrap(out, fd, path, writing, false);
}

rg_status rg_file_open_stream(rg_file **file, const char *path)
{
    int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC, fd = -1;
    /* Opened by its name a file at stdin would be read from its beginning, by an offset that nobody
     * else sees: whoever started us asks its own how far we are. */
    if (!rg_injected("file.open"))
        fd = strcmp(path, "/dev/stdin") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                             : open(path, flags);
    return wrap(file, fd, path, false, true);
}

/* Without waiting: a named pipe with nobody at its other end would keep us for ever. */
rg_status rg_file_open(rg_file **file, const char *path)
{
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = rg_injected("file.open") ? -1 : open(path, flags);
    return rg_file_of(file, fd, path, false);
}

rg_status rg_file_create(rg_file **file, const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = rg_injected("file.open") ? -1 : open(path, flags, 0666);
    return rg_file_of(file, fd, path, true);
}

rg_status rg_file_extend(rg_file **file, const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = rg_injected("file.open") ? -1 : open(path, flags, 0666);
    RG_TRY(rg_file_of(file, fd, path, true));
    off_t end = lseek(fd, 0, SEEK_END);
    (*file)->offset = end > 0 ? (uint64_t)end : 0;
    return RG_OK;
}

void rg_file_close(rg_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    rg_direct_free(file->direct);
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
        ssize_t got = rg_injected("file.read") ? -1 : read(file->fd, at, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rg_system_failed("cannot read", file->path);
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
        now = rg_injected("file.read") ? -1 : read(file->fd, bytes, n);
    while (now < 0 && errno == EINTR);
    if (now < 0)
        return rg_system_failed("cannot read", file->path);
    file->offset += (uint64_t)now;
    *got = (size_t)now;
    return RG_OK;
}

rg_status rg_file_seek(rg_file *file, uint64_t offset)
{
    if (lseek(file->fd, (off_t)offset, SEEK_SET) < 0)
        return rg_system_failed("cannot seek in", file->path);
    file->offset = offset;
    return RG_OK;
}

static rg_status write_out(rg_file *file, const uint8_t *at, size_t left)
{
    while (left > 0) {
        ssize_t put = rg_injected("file.write") ? -1 : write(file->fd, at, left);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return rg_system_failed("cannot write", file->path);
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
    if (rg_injected("file.sync") || fsync(file->fd) != 0)
        return rg_system_failed("cannot flush", file->path);
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

rg_status rg_file_read_rest(rg_file *file, size_t max_bytes, rg_buf *out)
{
    if (file->size > max_bytes)
        return rg_fail(RG_ETOOBIG, "%s has %llu bytes, and at most %zu are read", file->path,
                       (unsigned long long)file->size, max_bytes);
    uint8_t *chunk = rg_alloc(WRITE_BUFFER);
    if (chunk == NULL)
        return rg_no_memory(WRITE_BUFFER, file->path);
    rg_status code = RG_OK;
    size_t total = 0, got = 1;
    /* Until the end, not to the size: of a file in /proc that is 0. */
    while (code == RG_OK && got > 0) {
        code = rg_file_read_some(file, chunk, WRITE_BUFFER, &got);
        total += code == RG_OK ? got : 0;
        if (code == RG_OK && total > max_bytes)
            code = rg_fail(RG_ETOOBIG, "%s has more than %zu bytes", file->path, max_bytes);
        else if (code == RG_OK)
            rg_buf_add(out, chunk, got);
    }
    rg_free(chunk);
    return code == RG_OK ? rg_buf_status(out) : code;
}

rg_status rg_file_read_all(const char *path, size_t max_bytes, rg_buf *out)
{
    rg_file *file = NULL;
    RG_TRY(rg_file_open(&file, path));
    rg_status code = rg_file_read_rest(file, max_bytes, out);
    rg_file_close(file);
    return code;
}

rg_status rg_file_tail(const char *path, size_t max_bytes, rg_buf *out, uint64_t *from)
{
    enum { PIECE = 4096 };
    rg_file *file = NULL;
    char bytes[PIECE];
    RG_TRY(rg_file_open(&file, path));
    uint64_t size = rg_file_size(file), at = size > max_bytes ? size - max_bytes : 0;
    if (from != NULL)
        *from = at;
    rg_status code = rg_file_seek(file, at);
    for (size_t got = 1; code == RG_OK && got > 0 && at < size; at += got) {
        code = rg_file_read_some(file, bytes, size - at < PIECE ? (size_t)(size - at) : PIECE,
                                 &got);
        if (code == RG_OK)
            rg_buf_add(out, bytes, got);
    }
    rg_file_close(file);
    return code == RG_OK ? rg_buf_status(out) : code;
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

/* The folder in which path[0..length) stands; the text is changed for a moment. */
static rg_status sync_parent(char *path, size_t length)
{
    size_t slash = length;
    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    while (slash > 1 && path[slash - 1] == '/')
        slash--;
    char kept = path[slash];
    path[slash] = '\0';
    int fd = open(slash > 0 ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path[slash] = kept;
    if (fd < 0) /* one that may be changed and not be listed: there is nothing to flush it by */
        return RG_OK;
    rg_status code = RG_OK;
    if (rg_injected("dir.sync") || (fsync(fd) != 0 && errno != EINVAL))
        code = rg_system_failed("cannot flush the folder of", path);
    (void)close(fd);
    return code;
}

rg_status rg_dir_make(const char *path)
{
    char copy[MAX_PATH_BYTES];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy)
        return rg_fail(RG_EINVAL, "a folder name of %zu bytes", length);
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if ((copy[i] != '/' && copy[i] != '\0') || copy[i - 1] == '/')
            continue;
        char kept = copy[i];
        copy[i] = '\0';
        bool made = !rg_injected("dir.make") && mkdir(copy, 0777) == 0;
        if (!made && errno != EEXIST)
            return rg_system_failed("cannot make the folder", copy);
        if (made)
            RG_TRY(sync_parent(copy, i));
        copy[i] = kept;
    }
    if (!rg_path_is_dir(path)) {
        errno = ENOTDIR;
        return rg_system_failed("cannot make the folder", path);
    }
    return RG_OK;
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
