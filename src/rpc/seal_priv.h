/* seal_priv.h - tags that show who sent the frames of a connection, in which order, and that nobody
 * changed them: AES-256-GMAC, with a key for each connection and way, and a counter for each tag.
 *
 * A sealed frame is its header, a tag over it, its body, and where that is not empty a tag over it:
 * so nothing of a header is believed that the other end did not write. Chosen by measuring: it runs
 * at the speed of memory, HMAC-SHA256 and keyed BLAKE2 at a tenth of it.
 *
 * Belongs to the loop of its link. */
#ifndef RG_RPC_SEAL_PRIV_H
#define RG_RPC_SEAL_PRIV_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_SEAL_BYTES = 16, RG_SEAL_KEY_BYTES = 32 };

/* FLAGS_rpc_mac. */
typedef enum rg_seal_use {
    RG_SEAL_OFF,    /* only where the other end asks for it */
    RG_SEAL_AUTO,   /* between hosts */
    RG_SEAL_ALWAYS, /* within one, too, where bytes go over TCP */
} rg_seal_use;

rg_status rg_seal_use_read(rg_seal_use *use);

typedef struct rg_seal rg_seal; /* of one way */

rg_status rg_seal_open(rg_seal **seal, const uint8_t key[RG_SEAL_KEY_BYTES]);
void rg_seal_close(rg_seal *seal); /* NULL is allowed */

/* A tag over all bytes that are added in between. A failure of the library is kept and told by the
 * last of them. */
void rg_seal_begin(rg_seal *seal);
void rg_seal_add(rg_seal *seal, const void *bytes, size_t n);
rg_status rg_seal_end(rg_seal *seal, uint8_t tag[RG_SEAL_BYTES]);
/* RG_ECORRUPT unless this is the tag. */
rg_status rg_seal_check(rg_seal *seal, const uint8_t tag[RG_SEAL_BYTES]);

#endif
