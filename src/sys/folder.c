/* folder.c - what is below a folder, reached part by part. */
#include "sys/folder.h"

#include "base/mem.h"
#include "sys/file_priv.h"
#include "sys/folder_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PART = 255, RANDOM_TEXT = 17 };

/* "folder/name" for messages and for the paths of files; cut where it is too long. */
static const char *joined(char text[MAX_PATH_BYTES], const rg_folder *folder, const char *name)
{
    (void)snprintf(text, MAX_PATH_BYTES, "%s/%s", folder->path, name);
    return text;
}

static rg_status failed(const char *what, const rg_folder *folder, const char *name)
{
    char path[MAX_PATH_BYTES];
    int why = errno;
    (void)joined(path, folder, name);
    errno = why;
    return rg_system_failed(what, path);
}

/* Takes the descriptor. */
static rg_status folder_of(rg_folder **out, int fd, const char *path)
{
    rg_folder *folder = rg_alloc_zero(1, sizeof *folder);
    char *copy = rg_strdup(path);
    if (folder == NULL || copy == NULL) {
        (void)close(fd);
        rg_free(folder);
        rg_free(copy);
        return rg_no_memory(sizeof *folder, path);
    }
    *folder = (rg_folder){.fd = fd, .path = copy};
    *out = folder;
    return RG_OK;
}

rg_status rg_folder_open(rg_folder **folder, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return rg_system_failed("cannot open the folder", path);
    return folder_of(folder, fd, path);
}

void rg_folder_close(rg_folder *folder)
{
    if (folder == NULL)
        return;
    (void)close(folder->fd);
    rg_free(folder->path);
    rg_free(folder);
}

const char *rg_folder_path(const rg_folder *folder)
{
    return folder->path;
}

const char *rg_folder_name(const rg_folder *folder)
{
    const char *slash = strrchr(folder->path, '/');
    return slash ? slash + 1 : folder->path;
}

static const char *behind(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        n--;
    if (strncmp(path, folder, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return NULL;
    return path + n + strspn(path + n, "/");
}

rg_status rg_folder_rest(const rg_folder *folder, const char *path, const char **rest)
{
    char *real = realpath(folder->path, NULL);
    *rest = folder->path[0] == '/' ? behind(path, folder->path) : NULL;
    if (*rest == NULL && real != NULL)
        *rest = behind(path, real);
    rg_status code = *rest != NULL ? RG_OK
                                   : rg_fail(RG_EINVAL, "%s is not below %s", path,
                                             real ? real : folder->path);
    free(real); // NOLINT: realpath's
    return code;
}

/* ---- walking ---- */

static bool is_link(int at, const char *part)
{
    struct stat st;
    return fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* The folder `part` of the folder `at`, a descriptor; -1 with errno. */
static int step_into(int at, const char *part, bool make)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(at, part, flags);
    if (fd >= 0 || errno != ENOENT || !make)
        return fd;
    if (rg_injected("dir.make") || (mkdirat(at, part, 0777) != 0 && errno != EEXIST))
        return -1;
    return openat(at, part, flags);
}

/* The folder in which the last part of `name` stands, a descriptor to be closed, and that part.
 * visit, where given, sees the folders on the way. */
static rg_status walk(const rg_folder *folder, const char *name, bool make, int *out,
                      char last[MAX_PART + 1], rg_status (*visit)(int fd, const char *path))
{
    char path[MAX_PATH_BYTES];
    RG_TRY(rg_path_check_inside(name));
    int at = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
    if (at < 0)
        return failed("cannot open", folder, name);
    rg_status code = RG_OK;
    last[0] = '\0';
    for (const char *part = name; code == RG_OK && *part != '\0';) {
        size_t length = strcspn(part, "/");
        bool nothing = length == 0 || (length == 1 && part[0] == '.');
        if (!nothing && last[0] != '\0') { /* another follows: the one before is a folder */
            int next = step_into(at, last, make);
            if (next < 0 && (errno == ELOOP || errno == ENOTDIR) && is_link(at, last))
                code = rg_fail(RG_EDENIED,
                               "%s: %s is a symbolic link; inside a folder none is followed",
                               joined(path, folder, name), last);
            else if (next < 0)
                code = failed(make ? "cannot make the folders of" : "cannot open", folder, name);
            (void)close(at);
            at = next;
            if (code == RG_OK && visit != NULL)
                code = visit(at, joined(path, folder, name));
        }
        if (code == RG_OK && length > MAX_PART)
            code = rg_fail(RG_EINVAL, "a name of %zu bytes: at most %d are possible", length,
                           MAX_PART);
        if (code == RG_OK && !nothing) {
            memcpy(last, part, length);
            last[length] = '\0';
        }
        part += length;
        part += strspn(part, "/");
    }
    if (code == RG_OK && last[0] == '\0')
        code = rg_fail(RG_EINVAL, "'%s' is not a name inside a folder", name);
    if (code != RG_OK) {
        if (at >= 0)
            (void)close(at);
        return code;
    }
    *out = at;
    return RG_OK;
}

rg_status rg_folder_enter(rg_folder **below, const rg_folder *folder, const char *name, bool make)
{
    char last[MAX_PART + 1], path[MAX_PATH_BYTES];
    int at;
    RG_TRY(walk(folder, name, make, &at, last, NULL));
    int fd = step_into(at, last, make);
    rg_status code = RG_OK;
    if (fd < 0 && is_link(at, last))
        code = rg_fail(RG_EDENIED, "%s is a symbolic link; inside a folder none is followed",
                       joined(path, folder, name));
    else if (fd < 0)
        code = failed("cannot open the folder", folder, name);
    (void)close(at);
    RG_TRY(code);
    return folder_of(below, fd, joined(path, folder, name));
}

static rg_status random_text(char text[RANDOM_TEXT])
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return rg_fail(RG_EIO, "no random numbers to be had: %s", strerror(errno));
    (void)snprintf(text, RANDOM_TEXT, "%016llx", (unsigned long long)number);
    return RG_OK;
}

rg_status rg_folder_make_new(rg_folder **below, const rg_folder *folder, const char *prefix)
{
    char number[RANDOM_TEXT], name[MAX_PART + 1];
    RG_TRY(random_text(number));
    (void)snprintf(name, sizeof name, "%s%s", prefix, number);
    RG_TRY(rg_path_check_inside(name));
    if (rg_injected("dir.make") || mkdirat(folder->fd, name, 0777) != 0)
        return failed("cannot make the folder", folder, name);
    return rg_folder_enter(below, folder, name, false);
}

/* ---- files ---- */

static rg_status open_at(rg_file **file, const rg_folder *folder, const char *name, bool writing)
{
    char last[MAX_PART + 1], path[MAX_PATH_BYTES];
    int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int at;
    RG_TRY(walk(folder, name, writing, &at, last, NULL));
    flags |= writing ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY;
    int fd = rg_injected("file.open") ? -1 : openat(at, last, flags, 0666);
    int why = errno;
    bool link = fd < 0 && is_link(at, last);
    (void)close(at);
    (void)joined(path, folder, name);
    if (link)
        return rg_fail(RG_EDENIED, "%s is a symbolic link; inside a folder none is followed", path);
    errno = why;
    return rg_file_of(file, fd, path, writing);
}

rg_status rg_folder_read(rg_file **file, const rg_folder *folder, const char *name)
{
    return open_at(file, folder, name, false);
}

rg_status rg_folder_read_linked(rg_file **file, const rg_folder *folder, const char *name)
{
    char path[MAX_PATH_BYTES];
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    RG_TRY(rg_path_check_inside(name));
    int fd = rg_injected("file.open") ? -1 : openat(folder->fd, name, flags);
    int why = errno;
    (void)joined(path, folder, name);
    errno = why;
    return rg_file_of(file, fd, path, false);
}

rg_status rg_folder_create(rg_file **file, const rg_folder *folder, const char *name)
{
    return open_at(file, folder, name, true);
}

rg_status rg_folder_move(const rg_folder *from, const char *name, const rg_folder *to,
                         const char *to_name)
{
    char last[MAX_PART + 1], to_last[MAX_PART + 1];
    struct stat st;
    int at = -1, to_at = -1;
    RG_TRY(walk(from, name, false, &at, last, NULL));
    rg_status code = fstatat(at, last, &st, AT_SYMLINK_NOFOLLOW) == 0
                         ? walk(to, to_name, true, &to_at, to_last, NULL)
                         : failed("cannot move", from, name);
    if (code == RG_OK) {
        if (rg_injected("file.rename") || renameat(at, last, to_at, to_last) != 0)
            code = failed("cannot rename to", to, to_name);
        (void)close(to_at);
    }
    (void)close(at);
    return code;
}

rg_status rg_folder_check_place(const rg_folder *folder, const char *name)
{
    char last[MAX_PART + 1], path[MAX_PATH_BYTES];
    struct stat st;
    int at;
    rg_status code = walk(folder, name, false, &at, last, NULL);
    if (code == RG_ENOENT)
        return RG_OK; /* the way is made when it is needed */
    RG_TRY(code);
    if (fstatat(at, last, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        code = rg_fail(RG_EIO, "%s is a folder, and a file of that name is to be saved",
                       joined(path, folder, name));
    (void)close(at);
    return code;
}

/* ---- listing, removing, flushing ---- */

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

rg_status rg_folder_each(const rg_folder *folder, rg_status (*visit)(void *arg, const char *name),
                         void *arg)
{
    struct dirent **names;
    int n = scandirat(folder->fd, ".", &names, NULL, by_bytes);
    if (n < 0)
        return rg_system_failed("cannot list", folder->path);
    rg_status code = RG_OK;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (code == RG_OK && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            code = visit(arg, name);
        free(names[i]); /* from scandirat */
    }
    free(names);
    return code;
}

static rg_status remove_entry(void *arg, const char *name);

/* An entry of a folder; `name` has one part. */
static rg_status remove_at(int at, const rg_folder *folder, const char *name)
{
    struct stat st;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? RG_OK : failed("cannot remove", folder, name);
    if (!S_ISDIR(st.st_mode))
        return unlinkat(at, name, 0) == 0 || errno == ENOENT
                   ? RG_OK
                   : failed("cannot remove", folder, name);
    int fd = step_into(at, name, false);
    if (fd < 0)
        return failed("cannot remove", folder, name);
    char path[MAX_PATH_BYTES];
    rg_folder below = {.fd = fd, .path = (char *)(uintptr_t)joined(path, folder, name)};
    rg_status code = rg_folder_each(&below, remove_entry, &below);
    (void)close(fd);
    RG_TRY(code);
    return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT
               ? RG_OK
               : failed("cannot remove", folder, name);
}

static rg_status remove_entry(void *arg, const char *name)
{
    const rg_folder *folder = arg;
    return remove_at(folder->fd, folder, name);
}

rg_status rg_folder_remove(const rg_folder *folder, const char *name)
{
    char last[MAX_PART + 1];
    int at;
    rg_status code = walk(folder, name, false, &at, last, NULL);
    if (code == RG_ENOENT)
        return RG_OK;
    RG_TRY(code);
    code = remove_at(at, folder, last);
    (void)close(at);
    return code;
}

static rg_status sync_fd(int fd, const char *path)
{
    if (rg_injected("dir.sync") || (fsync(fd) != 0 && errno != EINVAL))
        return rg_system_failed("cannot flush the folder", path);
    return RG_OK;
}

rg_status rg_folder_sync(const rg_folder *folder)
{
    return sync_fd(folder->fd, folder->path);
}

rg_status rg_folder_sync_way(const rg_folder *folder, const char *name)
{
    char last[MAX_PART + 1];
    int at = -1;
    RG_TRY(walk(folder, name, false, &at, last, sync_fd));
    (void)close(at);
    return RG_OK;
}

rg_status rg_folder_sync_all(const rg_folder *folder)
{
    if (rg_injected("dir.sync") || (syncfs(folder->fd) != 0 && errno != EINVAL))
        return rg_system_failed("cannot flush the folder", folder->path);
    return RG_OK;
}

rg_status rg_dir_remove(const char *path)
{
    rg_folder *folder;
    char parent[MAX_PATH_BYTES] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL)
        (void)snprintf(parent, sizeof parent, "%.*s", (int)(slash == path ? 1 : slash - path),
                       path);
    rg_status code = rg_folder_open(&folder, parent);
    if (code == RG_ENOENT)
        return RG_OK;
    RG_TRY(code);
    code = remove_at(folder->fd, folder, slash ? slash + 1 : path);
    rg_folder_close(folder);
    return code;
}
