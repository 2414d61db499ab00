/* iov.h - a piece of memory that is read, for who writes several at once. */
#ifndef RG_SYS_IOV_H
#define RG_SYS_IOV_H

#include <stddef.h>

typedef struct rg_iov {
    const void *at;
    size_t bytes;
} rg_iov;

#endif
