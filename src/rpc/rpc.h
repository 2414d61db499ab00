/* rpc.h - what server and client share: who a process is, and how it proves it. */
#ifndef RG_RPC_RPC_H
#define RG_RPC_RPC_H

#include "base/status.h"
#include "rpc/frame.h"
#include "sys/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RG_RPC_DIGEST_BYTES = 32,
    RG_RPC_NAME_MAX = 128,   /* job id, name, host: bytes with the NUL */
    RG_RPC_ANY_TRAINER = -1, /* "give me a trainer id" */
    RG_RPC_MAX_LOOPS = 64,
    RG_RPC_MIN_KEY = 16, /* bytes of a job key: whoever sees a handshake can try all shorter ones */
};
#define RG_RPC_MAX_BODY ((uint64_t)16 << 30) /* unless a limit is given */

typedef enum rg_rpc_role {
    RG_RPC_TRAINER = 1,
    RG_RPC_PSERVER,
    RG_RPC_TOOL, /* asks, and takes no part in the job */
} rg_rpc_role;

/* What a client says of itself when it comes. */
typedef struct rg_rpc_hello {
    char job[RG_RPC_NAME_MAX];
    rg_rpc_role role;
    int32_t trainer;   /* RG_RPC_ANY_TRAINER asks for one */
    uint32_t trainers; /* how many it believes there are; 0: does not say */
    uint64_t epoch;    /* grows each time that trainer's process starts; 0: give me one */
    uint8_t digest[RG_RPC_DIGEST_BYTES]; /* of the program it runs; zeros: does not say */
    char name[RG_RPC_NAME_MAX];          /* for messages: "trainer 3" */
    char host[RG_RPC_NAME_MAX];
    uint32_t pid;
    uint32_t incarnation; /* how often its launcher has started this trainer again */
} rg_rpc_hello;

/* Keys and certificates. NULL paths are taken from FLAGS_rpc_tls_cert, _key and _ca; TLS is used
 * where there is a certificate (server) or a CA (client), and then nothing else is. */
typedef struct rg_rpc_security {
    const uint8_t *key; /* the job key; NULL: none. Copied */
    size_t key_bytes;
    const char *tls_cert, *tls_key, *tls_ca; /* PEM files; "" switches off whatever the flags say.
                                              * A server with a CA demands client certificates */
    const char
        *tls_name; /* the name the server's certificate must have; NULL: that of the endpoint */
} rg_rpc_security;

typedef struct rg_rpc_counters {
    uint64_t sent_bytes, received_bytes; /* frames with their headers, before TLS */
    uint64_t sent_frames, received_frames;
} rg_rpc_counters;

#endif
