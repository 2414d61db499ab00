/* credentials.h - which job this process belongs to, and how it proves it: REGATTA_JOB_ID and
 * REGATTA_JOB_KEY (hex), which launchers set; REGATTA_INCARNATION where they start it again. */
#ifndef RG_RPC_CREDENTIALS_H
#define RG_RPC_CREDENTIALS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_credentials {
    char job[128]; /* "": any */
    uint8_t key[64];
    size_t n_key; /* 0: none */
    uint32_t incarnation;
} rg_credentials;

rg_status rg_credentials_read(rg_credentials *credentials);

#endif
