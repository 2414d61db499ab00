/* machine.c - disks, limits and CPU, as the kernel tells them. */
#include "sys/machine.h"

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MAX_PROC_FILE = 16 << 20, SYNCS = 5, BLOCK = 4096 };

/* ---- disks ---- */

/* The path, or the nearest above it that is there. */
static void existing(const char *path, char *out, size_t size)
{
    (void)snprintf(out, size, "%s", path);
    while (!rg_path_exists(out)) {
        char *slash = strrchr(out, '/');
        if (slash == NULL) {
            (void)snprintf(out, size, ".");
            return;
        }
        *(slash == out ? slash + 1 : slash) = '\0';
        if (slash == out)
            return;
    }
}

rg_status rg_disk_room(const char *path, uint64_t *free_bytes, uint64_t *all_bytes)
{
    char place[PATH_MAX];
    struct statvfs about;
    existing(path, place, sizeof place);
    if (statvfs(place, &about) != 0)
        return rg_fail(RG_EIO, "%s: %s", place, strerror(errno));
    *free_bytes = (uint64_t)about.f_bavail * about.f_frsize;
    *all_bytes = (uint64_t)about.f_blocks * about.f_frsize;
    return RG_OK;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static rg_status sync_times(int file, const char *place, uint64_t times[SYNCS])
{
    static const char block[BLOCK];
    for (int i = 0; i < SYNCS; i++) {
        uint64_t start = rg_clock_ns();
        if (write(file, block, sizeof block) != (ssize_t)sizeof block || fdatasync(file) != 0)
            return rg_fail(RG_EIO, "%s cannot be written: %s", place, strerror(errno));
        times[i] = rg_clock_ns() - start;
    }
    return RG_OK;
}

rg_status rg_disk_sync_ns(const char *path, uint64_t *ns)
{
    char place[PATH_MAX - 32], name[PATH_MAX];
    uint64_t times[SYNCS];
    existing(path, place, sizeof place);
    (void)snprintf(name, sizeof name, "%s/.regatta-doctor-XXXXXX", place);
    int file = mkostemp(name, O_CLOEXEC);
    if (file < 0)
        return rg_fail(RG_EIO, "%s cannot be written: %s", place, strerror(errno));
    rg_status code = sync_times(file, place, times);
    (void)close(file);
    (void)unlink(name);
    if (code != RG_OK)
        return code;
    qsort(times, SYNCS, sizeof *times, by_size);
    *ns = times[SYNCS / 2];
    return RG_OK;
}

bool rg_path_is_open_to_others(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

/* ---- limits ---- */

/* Behind `name` up to the line's end in a file of the kernel's; "" where it is not. */
static void line_of(const char *path, const char *name, char *out, size_t size)
{
    rg_buf text;
    out[0] = '\0';
    rg_buf_init(&text, MAX_PROC_FILE);
    if (rg_path_exists(path) && rg_file_read_all(path, MAX_PROC_FILE, &text) == RG_OK) {
        const char *at = strstr(rg_buf_cstr(&text), name);
        if (at != NULL) {
            at += strlen(name);
            at += strspn(at, " \t:");
            (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
        }
    }
    rg_buf_fini(&text);
}

void rg_huge_pages_mode(char *mode, size_t size)
{
    char line[128];
    line_of("/sys/kernel/mm/transparent_hugepage/enabled", "", line, sizeof line);
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    mode[0] = '\0';
    if (close != NULL)
        (void)snprintf(mode, size, "%.*s", (int)(close - open - 1), open + 1);
}

static uint64_t memory_info(const char *name)
{
    char line[64];
    line_of("/proc/meminfo", name, line, sizeof line);
    return strtoull(line, NULL, 10) << 10;
}

uint64_t rg_memory_available(void)
{
    return memory_info("MemAvailable");
}

uint64_t rg_memory_most(void)
{
    return rg_host_memory() + memory_info("SwapTotal");
}

/* ---- the kernel's log ---- */

bool rg_kernel_killed(long pid, char *line, size_t size)
{
    char record[8192], wanted[64];
    bool found = false;
    ssize_t n;
    int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log < 0)
        return false;
    (void)snprintf(wanted, sizeof wanted, "Killed process %ld ", pid);
    /* A record a read; EPIPE: records were overwritten meanwhile, and the next is read. */
    while (!found &&
           ((n = read(log, record, sizeof record - 1)) > 0 || (n < 0 && errno == EPIPE))) {
        record[n > 0 ? n : 0] = '\0';
        found = strstr(record, wanted) != NULL;
    }
    (void)close(log);
    const char *text = found ? strchr(record, ';') : NULL;
    if (text != NULL)
        (void)snprintf(line, size, "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
    return text != NULL;
}

/* ---- the CPU ---- */

void rg_cpu_name(char *name, size_t size)
{
    line_of("/proc/cpuinfo", "model name", name, size);
    if (name[0] == '\0')
        (void)snprintf(name, size, "unknown");
}

bool rg_cpu_has(const char *feature)
{
    char flags[8192];
    size_t n = strlen(feature);
    line_of("/proc/cpuinfo", "\nflags", flags, sizeof flags);
    if (flags[0] == '\0') /* as ARM calls them */
        line_of("/proc/cpuinfo", "\nFeatures", flags, sizeof flags);
    for (const char *at = flags; (at = strstr(at, feature)) != NULL; at += n)
        if ((at == flags || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}
