/* memfd.h - memory that processes of one host and one user have in common.
 *
 * It is a file without a name. One process makes it and tells the others its offer; they find it as
 * /proc/PID/fd/N, which the system allows to the same user alone. Nothing is left of it when the
 * last has gone, in whatever way. */
#ifndef RG_SYS_MEMFD_H
#define RG_SYS_MEMFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Plain bytes, to be sent. */
typedef struct rg_memfd_offer {
    int32_t pid, descriptor; /* 0: there is none */
    char name[56];           /* that nobody else has */
} rg_memfd_offer;

/* Zeroed memory to read and write; NULL: there is none. Pages take memory when they are used. A
 * child that is forked does not have it. */
void *rg_memfd_make(rg_memfd_offer *offer, size_t bytes);
/* NULL: it is on another host, of another user, or of another size. */
void *rg_memfd_find(const rg_memfd_offer *offer, size_t bytes);
/* Nobody can find it any more; who has, has it. By who made it. */
void rg_memfd_withdraw(rg_memfd_offer *offer);
/* The two steps of finding one, of whoever made it. What a process has under that number is opened
 * only where its name begins so: it may be a process of another host, or of another container. -1:
 * it is not that. */
int rg_memfd_open(int pid, int descriptor, const char *name, bool writes);
/* NULL also of -1, and where its size is not sealed: no access behind a file that somebody has cut
 * can kill this process. */
void *rg_memfd_map(int fd, size_t bytes, bool writes);
void rg_memfd_unmap(void *at, size_t bytes); /* NULL is allowed */

#endif
