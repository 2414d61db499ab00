/* folder_priv.h - what folder.c and folder_lock.c share. */
#ifndef RG_SYS_FOLDER_PRIV_H
#define RG_SYS_FOLDER_PRIV_H

#include "sys/folder.h"

enum { MAX_PATH_BYTES = 4096 };

struct rg_folder {
    int fd;
    char *path;
};

#endif
