/* machine.h - what a job finds on this machine: room on disks, limits, what the CPU can do.
 *
 * For `paddle doctor`, and sys/pages.h. Nothing here changes anything but for the moment of a
 * measurement. */
#ifndef RG_SYS_MACHINE_H
#define RG_SYS_MACHINE_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the file system that has the path, or, where that is not there yet, the nearest folder above
 * it that is: what an ordinary user may still write, and all of it. */
rg_status rg_disk_room(const char *path, uint64_t *free_bytes, uint64_t *all_bytes);
/* How long a small write takes to reach the disk there: the median of a few. A file is written in
 * the folder, or the nearest one above that is there, and removed. RG_EIO names the folder. */
rg_status rg_disk_sync_ns(const char *path, uint64_t *ns);

/* The kernel's choice for huge pages, "always", "madvise" or "never"; "" where it does not say. */
void rg_huge_pages_mode(char *mode, size_t size);
/* What processes could still take without swapping; 0: not said. */
uint64_t rg_memory_available(void);

/* What they could take at most: all memory, or what the control group lets them have, and swap. */
uint64_t rg_memory_most(void);

/* "AMD EPYC 7763"; at least "unknown". */
void rg_cpu_name(char *name, size_t size);
/* Whether /proc/cpuinfo lists the feature ("avx512f", "amx_bf16"). */
bool rg_cpu_has(const char *feature);

/* Whether the kernel's log says that it killed the process for want of memory: that line. False
 * where it does not, or may not be read. */
bool rg_kernel_killed(long pid, char *line, size_t size);

/* Whether others than its owner may read the file; false where there is none. */
bool rg_path_is_open_to_others(const char *path);

#endif
