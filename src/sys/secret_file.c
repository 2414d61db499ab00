/* secret_file.c - files that only this user can read, for a while. */
#include "sys/secret_file.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rg_status write_all(int fd, const char *bytes, size_t n, const char *path)
{
    while (n > 0) {
        ssize_t put = write(fd, bytes, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return rg_fail(RG_EIO, "cannot write %s: %s", path, strerror(errno));
        bytes += put;
        n -= (size_t)put;
    }
    return RG_OK;
}

rg_status rg_secret_file_make(char **out, const void *bytes, size_t n)
{
    const char *folder = getenv("TMPDIR");
    rg_buf path;
    rg_buf_init(&path, 4096);
    rg_buf_printf(&path, "%s/regatta-XXXXXX", folder && folder[0] ? folder : "/tmp");
    rg_status code = rg_buf_status(&path);
    if (code != RG_OK) {
        rg_buf_fini(&path);
        return code;
    }
    char *name = rg_buf_take(&path);
    int fd = mkostemp(name, O_CLOEXEC); /* of mode 0600, and never one that is there */
    if (fd < 0) {
        code = rg_fail(RG_EIO, "cannot create a file like %s: %s", name, strerror(errno));
        rg_free(name);
        return code;
    }
    code = write_all(fd, bytes, n, name);
    if (close(fd) != 0 && code == RG_OK)
        code = rg_fail(RG_EIO, "cannot write %s: %s", name, strerror(errno));
    if (code != RG_OK) {
        rg_secret_file_remove(name);
        rg_free(name);
        return code;
    }
    *out = name;
    return RG_OK;
}

void rg_secret_file_remove(const char *path)
{
    if (path != NULL)
        (void)unlink(path);
}
