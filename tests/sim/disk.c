/* disk.c - a file system in memory, behind the system calls that src/sys/file.c, folder.c and
 * folder_lock.c make: paths below /sim/HOST are here, all others are the machine's own.
 *
 * A process that is killed loses nothing that it has written. A host that is switched off has what
 * was synced: of a file its bytes at the last fsync, and of those that came later none, all, or a
 * part; of a folder the names that it had when it was synced. fsync takes its time.
 *
 * Left out: links, permissions, times, full disks (the fault points of file.c fail for them), and
 * blocks: what is not synced is lost by files, not by pages. */
#include "sim/real.h"
#include "sim/sim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_NAMES = 4096, MOST_OPEN = 1024, FIRST_FD = 1 << 20, PATH_BYTES = 512 };

typedef struct bytes {
    uint8_t *at;
    size_t n;
} bytes;

typedef struct inode {
    bool is_folder;
    ino_t number;
    bytes now, kept; /* kept: as of the last fsync */
    const struct open_file *locked;
} inode;

typedef struct name {
    char path[PATH_BYTES];
    inode *inode;
} name;

typedef struct names {
    name *list[MOST_NAMES];
    size_t n;
} names;

typedef struct open_file {
    inode *inode; /* NULL: it is closed */
    char path[PATH_BYTES];
    size_t offset;
    const sim_process *process;
} open_file;

typedef struct disk {
    names now, kept;
    open_file open[MOST_OPEN];
    size_t n_open;
    ino_t n_inodes;
} disk;

static disk *all;

static int fail(int error)
{
    errno = error;
    return -1;
}

/* ---- names ---- */

static name *find(const names *in, const char *path)
{
    for (size_t i = 0; i < in->n; i++)
        if (strcmp(in->list[i]->path, path) == 0)
            return in->list[i];
    return NULL;
}

static name *add(names *to, const char *path, inode *node)
{
    if (to->n == MOST_NAMES)
        abort();
    name *entry = to->list[to->n++] = sim_alloc(sizeof *entry);
    (void)snprintf(entry->path, sizeof entry->path, "%s", path);
    entry->inode = node;
    return entry;
}

static void drop(names *from, const char *path)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->n; i++)
        if (strcmp(from->list[i]->path, path) != 0)
            from->list[kept++] = from->list[i];
    from->n = kept;
}

/* What is behind `folder` in the path of something directly in it; NULL: it is not. */
static const char *name_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    if (strncmp(path, folder, n) != 0 || path[n] != '/' || strchr(path + n + 1, '/') != NULL)
        return NULL;
    return path + n + 1;
}

static bool parent_is_there(const char *path)
{
    char parent[PATH_BYTES];
    (void)snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = '\0';
    const name *entry = find(&all->now, parent);
    return entry != NULL && entry->inode->is_folder;
}

static inode *new_inode(bool is_folder)
{
    inode *node = sim_alloc(sizeof *node);
    node->is_folder = is_folder;
    node->number = ++all->n_inodes;
    return node;
}

/* ---- whether it is ours ---- */

static open_file *handle(int fd)
{
    return fd >= FIRST_FD && fd < FIRST_FD + MOST_OPEN ? &all->open[fd - FIRST_FD] : NULL;
}

/* The path without "." and trailing slashes; false: it is not below /sim. */
static bool ours(int at, const char *path, char out[PATH_BYTES])
{
    const open_file *folder = handle(at);
    if (path[0] != '/' && folder == NULL)
        return false;
    bool whole = path[0] == '/', here = strcmp(path, ".") == 0 || path[0] == '\0';
    if (snprintf(out, PATH_BYTES, "%s%s%s", whole ? "" : folder->path, whole || here ? "" : "/",
                 here ? "" : path) >= PATH_BYTES)
        abort();
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/';)
        out[--n] = '\0';
    return strncmp(out, "/sim/", 5) == 0 || strcmp(out, "/sim") == 0;
}

/* ---- opening ---- */

static int open_node(inode *node, const char *path)
{
    size_t i = 0;
    while (i < MOST_OPEN && all->open[i].inode != NULL)
        i++;
    if (i == MOST_OPEN)
        return fail(EMFILE);
    all->open[i] = (open_file){.inode = node, .process = sim_process_here()};
    (void)snprintf(all->open[i].path, PATH_BYTES, "%s", path);
    return FIRST_FD + (int)i;
}

static int open_path(const char *path, int flags)
{
    name *entry = find(&all->now, path);
    if (entry != NULL && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        return fail(EEXIST);
    if (entry == NULL && ((flags & O_CREAT) == 0 || !parent_is_there(path)))
        return fail(ENOENT);
    if (entry == NULL)
        entry = add(&all->now, path, new_inode(false));
    if ((flags & O_DIRECTORY) != 0 && !entry->inode->is_folder)
        return fail(ENOTDIR);
    if (entry->inode->is_folder && (flags & O_ACCMODE) != O_RDONLY)
        return fail(EISDIR);
    if ((flags & O_TRUNC) != 0)
        entry->inode->now.n = 0;
    return open_node(entry->inode, path);
}

int WRAP(open)(const char *path, int flags, ...)
{
    char own[PATH_BYTES];
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return ours(AT_FDCWD, path, own) ? open_path(own, flags) : REAL(open)(path, flags, mode);
}

int WRAP(openat)(int at, const char *path, int flags, ...)
{
    char own[PATH_BYTES];
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return ours(at, path, own) ? open_path(own, flags) : REAL(openat)(at, path, flags, mode);
}

int WRAP(close)(int fd)
{
    open_file *f = handle(fd);
    if (f == NULL)
        return REAL(close)(fd);
    if (f->inode != NULL && f->inode->locked == f)
        f->inode->locked = NULL;
    f->inode = NULL;
    return 0;
}

/* ---- reading and writing ---- */

static void resize(bytes *b, size_t n)
{
    uint8_t *more = realloc(b->at, n + 1);
    if (more == NULL)
        abort();
    if (n > b->n)
        memset(more + b->n, 0, n - b->n);
    *b = (bytes){more, n};
}

static void assign(bytes *to, const bytes *from, size_t n)
{
    resize(to, n);
    if (n > 0)
        memcpy(to->at, from->at, n);
}

static ssize_t read_at(const open_file *f, void *to, size_t n, size_t offset)
{
    const bytes *b = &f->inode->now;
    size_t left = offset < b->n ? b->n - offset : 0;
    n = n < left ? n : left;
    if (n > 0)
        memcpy(to, b->at + offset, n);
    return (ssize_t)n;
}

static ssize_t write_at(const open_file *f, const void *from, size_t n, size_t offset)
{
    bytes *b = &f->inode->now;
    if (offset + n > b->n)
        resize(b, offset + n);
    if (n > 0)
        memcpy(b->at + offset, from, n);
    return (ssize_t)n;
}

ssize_t WRAP(read)(int fd, void *to, size_t n)
{
    open_file *f = handle(fd);
    if (f == NULL)
        return REAL(read)(fd, to, n);
    ssize_t got = read_at(f, to, n, f->offset);
    f->offset += (size_t)got;
    return got;
}

ssize_t WRAP(pread)(int fd, void *to, size_t n, off_t offset)
{
    const open_file *f = handle(fd);
    return f != NULL ? read_at(f, to, n, (size_t)offset) : REAL(pread)(fd, to, n, offset);
}

/* A process may be killed between two writes, and in the middle of one. */
ssize_t WRAP(write)(int fd, const void *from, size_t n)
{
    open_file *f = handle(fd);
    if (f == NULL)
        return REAL(write)(fd, from, n);
    if (n > 1 && sim_one_in(10))
        n = 1 + sim_draw(n - 1);
    (void)write_at(f, from, n, f->offset);
    f->offset += n;
    sim_maybe_yield();
    return (ssize_t)n;
}

ssize_t WRAP(pwrite)(int fd, const void *from, size_t n, off_t offset)
{
    const open_file *f = handle(fd);
    return f != NULL ? write_at(f, from, n, (size_t)offset) : REAL(pwrite)(fd, from, n, offset);
}

ssize_t WRAP(writev)(int fd, const struct iovec *iov, int n)
{
    ssize_t total = 0;
    if (handle(fd) == NULL)
        return REAL(writev)(fd, iov, n);
    for (int i = 0; i < n; i++) {
        ssize_t some = WRAP(write)(fd, iov[i].iov_base, iov[i].iov_len);
        total += some;
        if ((size_t)some < iov[i].iov_len)
            break;
    }
    return total;
}

off_t WRAP(lseek)(int fd, off_t offset, int from)
{
    open_file *f = handle(fd);
    if (f == NULL)
        return REAL(lseek)(fd, offset, from);
    size_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? f->offset : f->inode->now.n;
    f->offset = base + (size_t)offset;
    return (off_t)f->offset;
}

int WRAP(ftruncate)(int fd, off_t size)
{
    const open_file *f = handle(fd);
    if (f == NULL)
        return REAL(ftruncate)(fd, size);
    resize(&f->inode->now, (size_t)size);
    return 0;
}

/* ---- mapped ----
 *
 * A file that is mapped keeps its size, and so its memory, until its host is switched off. What is
 * written to it is there when its process is killed, and was not synced when the power goes. */

int WRAP(posix_fallocate)(int fd, off_t offset, off_t n)
{
    const open_file *f = handle(fd);
    if (f == NULL)
        return REAL(posix_fallocate)(fd, offset, n);
    if ((size_t)(offset + n) > f->inode->now.n)
        resize(&f->inode->now, (size_t)(offset + n));
    return 0;
}

static void *mapped[MOST_OPEN];
static size_t n_mapped;

void *WRAP(mmap)(void *at, size_t n, int allows, int flags, int fd, off_t offset)
{
    const open_file *f = handle(fd);
    if (f == NULL)
        return REAL(mmap)(at, n, allows, flags, fd, offset);
    if (offset != 0 || n != f->inode->now.n || n_mapped == MOST_OPEN)
        abort();
    mapped[n_mapped++] = f->inode->now.at;
    return f->inode->now.at;
}

int WRAP(munmap)(void *at, size_t n)
{
    for (size_t i = 0; i < n_mapped; i++)
        if (mapped[i] == at) {
            mapped[i] = mapped[--n_mapped];
            return 0;
        }
    return REAL(munmap)(at, n);
}

/* ---- syncing ---- */

static void keep_names(const char *folder)
{
    for (size_t i = 0; i < all->kept.n;)
        if (name_in(folder, all->kept.list[i]->path) != NULL)
            all->kept.list[i] = all->kept.list[--all->kept.n];
        else
            i++;
    for (size_t i = 0; i < all->now.n; i++)
        if (name_in(folder, all->now.list[i]->path) != NULL)
            (void)add(&all->kept, all->now.list[i]->path, all->now.list[i]->inode);
}

/* It lasts when it returns, and what is written meanwhile need not. */
int WRAP(fsync)(int fd)
{
    const open_file *f = handle(fd);
    if (f == NULL)
        return REAL(fsync)(fd);
    inode *node = f->inode;
    bytes then = {0};
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s", f->path);
    assign(&then, &node->now, node->now.n);
    if (sim_thread_here() != NULL)
        (void)sim_wait(&then, sim_now() + sim_draw_scaled(50 * SIM_US, 20 * SIM_MS));
    if (node->is_folder)
        keep_names(path);
    else
        node->kept = then;
    return 0;
}

int WRAP(fdatasync)(int fd)
{
    return handle(fd) != NULL ? WRAP(fsync)(fd) : REAL(fdatasync)(fd);
}

int WRAP(syncfs)(int fd)
{
    if (handle(fd) == NULL)
        return REAL(syncfs)(fd);
    for (size_t i = 0; i < all->now.n; i++)
        assign(&all->now.list[i]->inode->kept, &all->now.list[i]->inode->now,
               all->now.list[i]->inode->now.n);
    all->kept = all->now;
    return 0;
}

/* ---- locks, kinds and sizes ---- */

static int lock(open_file *f, const struct flock *wanted)
{
    const open_file *by = f->inode->locked;
    bool held = by != NULL && by != f && by->inode == f->inode && by->process->alive;
    if (wanted->l_type == F_UNLCK)
        f->inode->locked = by == f ? NULL : by;
    else if (held)
        return fail(EAGAIN);
    else
        f->inode->locked = f;
    return 0;
}

int WRAP(fcntl)(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *arg = va_arg(rest, void *);
    va_end(rest);
    open_file *f = handle(fd);
    if (f == NULL)
        return REAL(fcntl)(fd, command, arg);
    if (command == F_DUPFD_CLOEXEC)
        return open_node(f->inode, f->path);
    return command == F_OFD_SETLK ? lock(f, arg) : 0;
}

static int describe(const inode *node, struct stat *st)
{
    bool named = false;
    for (size_t i = 0; i < all->now.n; i++)
        named = named || all->now.list[i]->inode == node;
    *st = (struct stat){.st_mode = (node->is_folder ? S_IFDIR : S_IFREG) | 0777,
                        .st_size = (off_t)node->now.n,
                        .st_nlink = named,
                        .st_ino = node->number,
                        .st_uid = geteuid()};
    return 0;
}

int WRAP(fstat)(int fd, struct stat *st)
{
    const open_file *f = handle(fd);
    return f != NULL ? describe(f->inode, st) : REAL(fstat)(fd, st);
}

int WRAP(fstatat)(int at, const char *path, struct stat *st, int flags)
{
    char own[PATH_BYTES];
    if (!ours(at, path, own))
        return REAL(fstatat)(at, path, st, flags);
    const name *entry = find(&all->now, own);
    return entry != NULL ? describe(entry->inode, st) : fail(ENOENT);
}

int WRAP(stat)(const char *path, struct stat *st)
{
    char own[PATH_BYTES];
    return ours(AT_FDCWD, path, own) ? WRAP(fstatat)(AT_FDCWD, path, st, 0) : REAL(stat)(path, st);
}

int WRAP(lstat)(const char *path, struct stat *st)
{
    char own[PATH_BYTES];
    return ours(AT_FDCWD, path, own) ? WRAP(fstatat)(AT_FDCWD, path, st, 0) : REAL(lstat)(path, st);
}

/* ---- folders ---- */

int WRAP(mkdirat)(int at, const char *path, mode_t mode)
{
    char own[PATH_BYTES];
    if (!ours(at, path, own))
        return REAL(mkdirat)(at, path, mode);
    if (find(&all->now, own) != NULL)
        return fail(EEXIST);
    if (!parent_is_there(own))
        return fail(ENOENT);
    (void)add(&all->now, own, new_inode(true));
    return 0;
}

int WRAP(mkdir)(const char *path, mode_t mode)
{
    char own[PATH_BYTES];
    return ours(AT_FDCWD, path, own) ? WRAP(mkdirat)(AT_FDCWD, path, mode)
                                     : REAL(mkdir)(path, mode);
}

int WRAP(unlinkat)(int at, const char *path, int flags)
{
    char own[PATH_BYTES];
    if (!ours(at, path, own))
        return REAL(unlinkat)(at, path, flags);
    const name *entry = find(&all->now, own);
    if (entry == NULL)
        return fail(ENOENT);
    if (entry->inode->is_folder != ((flags & AT_REMOVEDIR) != 0))
        return fail(entry->inode->is_folder ? EISDIR : ENOTDIR);
    for (size_t i = 0; i < all->now.n && entry->inode->is_folder; i++)
        if (name_in(own, all->now.list[i]->path) != NULL)
            return fail(ENOTEMPTY);
    drop(&all->now, own);
    return 0;
}

int WRAP(renameat)(int from_at, const char *from, int to_at, const char *to)
{
    char old[PATH_BYTES], new[PATH_BYTES], moved[2 * PATH_BYTES];
    if (!ours(from_at, from, old) || !ours(to_at, to, new))
        return REAL(renameat)(from_at, from, to_at, to);
    const name *entry = find(&all->now, old);
    if (entry == NULL || !parent_is_there(new))
        return fail(ENOENT);
    drop(&all->now, new);
    size_t n = strlen(old);
    for (size_t i = 0; i < all->now.n; i++) {
        const char *path = all->now.list[i]->path;
        if (strncmp(path, old, n) != 0 || (path[n] != '\0' && path[n] != '/'))
            continue;
        (void)snprintf(moved, sizeof moved, "%s%s", new, path + n);
        name *renamed = sim_alloc(sizeof *renamed);
        (void)snprintf(renamed->path, sizeof renamed->path, "%.*s", PATH_BYTES - 1, moved);
        renamed->inode = all->now.list[i]->inode;
        all->now.list[i] = renamed;
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct dirent *const *)a)->d_name, (*(struct dirent *const *)b)->d_name);
}

int WRAP(scandirat)(int at, const char *path, struct dirent ***list,
                    int (*wanted)(const struct dirent *),
                    int (*order)(const struct dirent **, const struct dirent **))
{
    char own[PATH_BYTES];
    if (!ours(at, path, own))
        return REAL(scandirat)(at, path, list, wanted, order);
    struct dirent **found = malloc((all->now.n + 1) * sizeof *found); /* the caller frees it */
    int n = 0;
    for (size_t i = 0; i < all->now.n; i++) {
        const char *one = name_in(own, all->now.list[i]->path);
        if (one == NULL)
            continue;
        found[n] = calloc(1, sizeof **found);
        (void)snprintf(found[n]->d_name, sizeof found[n]->d_name, "%s", one);
        found[n++]->d_type = all->now.list[i]->inode->is_folder ? DT_DIR : DT_REG;
    }
    qsort(found, (size_t)n, sizeof *found, by_name);
    *list = found;
    return n;
}

char *WRAP(realpath)(const char *path, char *resolved)
{
    char own[PATH_BYTES];
    return ours(AT_FDCWD, path, own) ? strdup(own) : REAL(realpath)(path, resolved);
}

/* ---- from outside ---- */

ssize_t WRAP(getrandom)(void *to, size_t n, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = (uint8_t)sim_draw(256);
    return (ssize_t)n;
}

void sim_disk_init(void)
{
    all = sim_alloc(sizeof *all);
    (void)add(&all->now, "/sim", new_inode(true));
}

void sim_disk_add_host(int host)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/sim/%d", host);
    inode *node = new_inode(true);
    (void)add(&all->now, path, node);
    (void)add(&all->kept, path, node);
}

/* Bytes behind those that were synced: none of them, all, or some. */
static void lose_bytes(inode *node)
{
    size_t kept = node->kept.n, n = node->now.n;
    if (n > kept && sim_one_in(2))
        kept = sim_one_in(2) ? n : kept + sim_draw(n - kept);
    bytes left = {0};
    assign(&left, &node->kept, node->kept.n);
    if (kept > node->kept.n) {
        resize(&left, kept);
        memcpy(left.at + node->kept.n, node->now.at + node->kept.n, kept - node->kept.n);
    }
    node->now = left;
    assign(&node->kept, &left, left.n);
}

void sim_disk_cut_power(int host)
{
    char prefix[32];
    size_t n = (size_t)snprintf(prefix, sizeof prefix, "/sim/%d/", host);
    names left = {.n = 0};
    for (size_t i = 0; i < all->now.n; i++)
        if (strncmp(all->now.list[i]->path, prefix, n) != 0)
            left.list[left.n++] = all->now.list[i];
    for (size_t i = 0; i < all->kept.n; i++)
        if (strncmp(all->kept.list[i]->path, prefix, n) == 0) {
            lose_bytes(all->kept.list[i]->inode);
            (void)add(&left, all->kept.list[i]->path, all->kept.list[i]->inode);
        }
    all->now = left;
}
