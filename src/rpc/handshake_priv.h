/* handshake_priv.h - the bodies of the handshake's frames, and the proofs in them.
 *
 *     client                            server
 *     HELLO {nonce, who I am}      ->
 *                                  <-   CHALLENGE {nonce, is there a key?}
 *     PROOF {HMAC}                 ->
 *                                  <-   WELCOME {HMAC, what you are} | REFUSE {text}
 *
 * Both proofs cover both nonces and the whole HELLO; the server's also what WELCOME says. */
#ifndef RG_RPC_HANDSHAKE_PRIV_H
#define RG_RPC_HANDSHAKE_PRIV_H

#include "base/buf.h"
#include "rpc/client.h"
#include "rpc/rpc.h"

enum {
    RG_NONCE_BYTES = 32,
    RG_PROOF_BYTES = 32,
    RG_SHAKE_MAX = 4096, /* bytes of a body before someone is let in */
};

typedef enum rg_purpose {
    RG_PURPOSE_REQUESTS = 1,
    RG_PURPOSE_PULSE, /* heartbeats */
} rg_purpose;

enum {
    RG_OPTION_SEAL = 1, /* of HELLO: frames shall be sealed; of WELCOME: they are */
    RG_OPTION_KEEPS =
        2, /* of HELLO: it keeps requests until they are on the disk, if it is told to;
            * of WELCOME: it is to, and which have come stands behind the options */
};

typedef struct rg_handshake_hello {
    uint8_t nonce[RG_NONCE_BYTES];
    uint64_t session;
    rg_purpose purpose;
    uint32_t options; /* RG_OPTION_* */
    rg_rpc_hello who;
} rg_handshake_hello;

typedef struct rg_handshake_challenge {
    uint8_t nonce[RG_NONCE_BYTES];
    bool has_key;
} rg_handshake_challenge;

typedef struct rg_job_key {
    uint8_t *bytes; /* owned; NULL: none */
    size_t n;
} rg_job_key;

rg_status rg_key_copy(rg_job_key *key, const rg_rpc_security *security);
void rg_key_fini(rg_job_key *key); /* wipes it */

/* By its name, or NULL for auto; name NULL: FLAGS_rpc_transport. */
rg_status rg_transport_choose(const rg_transport **out, const char *name);

/* Before the first use of the library. */
void rg_crypto_init(void);
rg_status rg_random(void *bytes, size_t n);

void rg_handshake_put_hello(rg_buf *out, const rg_handshake_hello *hello);
rg_status rg_handshake_get_hello(rg_handshake_hello *hello, const uint8_t *bytes, size_t n);
void rg_handshake_put_challenge(rg_buf *out, const rg_handshake_challenge *challenge);
rg_status rg_handshake_get_challenge(rg_handshake_challenge *challenge, const uint8_t *bytes,
                                     size_t n);
/* The proof comes first, RG_PROOF_BYTES of it, zeros without a key. */
void rg_handshake_put_welcome(rg_buf *out, const rg_rpc_welcome *welcome, uint32_t options,
                              const uint8_t proof[RG_PROOF_BYTES]);
rg_status rg_handshake_get_welcome(rg_rpc_welcome *welcome, uint32_t *options, const uint8_t *bytes,
                                   size_t n);

/* HMAC-SHA256 with the key over who proves, the server's nonce and two bodies. */
rg_status rg_proof(uint8_t out[RG_PROOF_BYTES], const rg_job_key *key, bool server,
                   const uint8_t server_nonce[RG_NONCE_BYTES], const uint8_t *hello, size_t hello_n,
                   const uint8_t *more, size_t more_n);
/* What seals the frames of the connection with these nonces, each way, from the client (up) and to
 * it. Needs a key. */
rg_status rg_seals_derive(rg_seal **up, rg_seal **down, const rg_job_key *key,
                          const uint8_t server_nonce[RG_NONCE_BYTES], const uint8_t *hello,
                          size_t hello_n);
/* In a time that does not depend on where they differ. */
bool rg_proof_equal(const uint8_t a[RG_PROOF_BYTES], const uint8_t b[RG_PROOF_BYTES]);

#endif
