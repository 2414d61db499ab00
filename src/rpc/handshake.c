/* handshake.c - the handshake's bodies and proofs. */
#include "rpc/handshake_priv.h"

#include "base/cursor.h"
#include "base/escape.h"
#include "base/mem.h"
#include "sys/flags.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <string.h>

static void start_crypto(void)
{
    /* What OpenSSL frees at the end of the process others may still be using. */
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

void rg_crypto_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start_crypto);
}

rg_status rg_random(void *bytes, size_t n)
{
    rg_crypto_init();
    return RAND_bytes(bytes, (int)n) == 1 ? RG_OK : rg_fail(RG_EIO, "no random numbers to be had");
}

rg_status rg_transport_choose(const rg_transport **out, const char *name)
{
    if (name == NULL)
        RG_TRY(rg_flag_text("rpc_transport", &name));
    if (strcmp(name, "shm") == 0 && !rg_flag_bool("rpc_shared_memory"))
        return rg_fail(RG_EINVAL, "the transport shall be shm, and FLAGS_rpc_shared_memory is 0");
    return rg_transport_find(out, name);
}

rg_status rg_key_copy(rg_job_key *key, const rg_rpc_security *security)
{
    rg_crypto_init(); /* TLS, keys and proofs come later */
    key->bytes = NULL;
    key->n = 0;
    if (security->key == NULL || security->key_bytes == 0)
        return RG_OK;
    if (security->key_bytes < RG_RPC_MIN_KEY)
        return rg_fail(RG_EINVAL, "a job key of %zu bytes, and it must have at least %d",
                       security->key_bytes, RG_RPC_MIN_KEY);
    key->bytes = rg_alloc(security->key_bytes);
    if (key->bytes == NULL)
        return rg_no_memory(security->key_bytes, "the job key");
    memcpy(key->bytes, security->key, security->key_bytes);
    key->n = security->key_bytes;
    return RG_OK;
}

void rg_key_fini(rg_job_key *key)
{
    if (key->bytes != NULL)
        OPENSSL_cleanse(key->bytes, key->n);
    rg_free(key->bytes);
    key->bytes = NULL;
}

/* ---- texts: a length of 32 bits and as many bytes ---- */

static void put_text(rg_buf *out, const char *text)
{
    size_t n = strnlen(text, RG_RPC_NAME_MAX - 1);
    rg_buf_u32(out, (uint32_t)n);
    rg_buf_add(out, text, n);
}

/* What goes into log lines and messages may not bring line ends or terminal codes with it. */
static rg_status get_text(rg_cursor *c, char out[RG_RPC_NAME_MAX], const char *what)
{
    uint32_t n;
    const uint8_t *bytes;
    RG_TRY(rg_cursor_u32(c, &n));
    if (n >= RG_RPC_NAME_MAX)
        return rg_fail(RG_ETOOBIG, "a %s of %u bytes, and the limit is %d", what, n,
                       RG_RPC_NAME_MAX - 1);
    RG_TRY(rg_cursor_take(c, n, &bytes));
    if (rg_escape(out, RG_RPC_NAME_MAX, bytes, n) != n || memcmp(out, bytes, n) != 0)
        return rg_fail(RG_ECORRUPT, "a %s with control characters, or not in UTF-8", what);
    return RG_OK;
}

static rg_status get_bytes(rg_cursor *c, uint8_t *out, size_t n)
{
    const uint8_t *bytes;
    RG_TRY(rg_cursor_take(c, n, &bytes));
    memcpy(out, bytes, n);
    return RG_OK;
}

static rg_status at_end(const rg_cursor *c, const char *what)
{
    if (c->left != 0)
        return rg_fail(RG_ECORRUPT, "%zu bytes after the end of a %s", c->left, what);
    return RG_OK;
}

/* ---- bodies ---- */

static rg_status known_options(uint32_t options)
{
    return (options & ~(uint32_t)(RG_OPTION_SEAL | RG_OPTION_KEEPS)) == 0
               ? RG_OK
               : rg_fail(RG_EUNIMPL, "options 0x%x, which this side does not know", options);
}

void rg_handshake_put_hello(rg_buf *out, const rg_handshake_hello *hello)
{
    const rg_rpc_hello *who = &hello->who;
    rg_buf_add(out, hello->nonce, RG_NONCE_BYTES);
    rg_buf_u64(out, hello->session);
    rg_buf_u32(out, hello->purpose);
    rg_buf_u32(out, who->role);
    rg_buf_u32(out, (uint32_t)who->trainer);
    rg_buf_u32(out, who->trainers);
    rg_buf_u64(out, who->epoch);
    rg_buf_add(out, who->digest, RG_RPC_DIGEST_BYTES);
    rg_buf_u32(out, who->pid);
    rg_buf_u32(out, who->incarnation);
    rg_buf_u32(out, hello->options);
    put_text(out, who->job);
    put_text(out, who->name);
    put_text(out, who->host);
}

rg_status rg_handshake_get_hello(rg_handshake_hello *hello, const uint8_t *bytes, size_t n)
{
    rg_cursor c = {bytes, n};
    rg_rpc_hello *who = &hello->who;
    uint32_t purpose, role, trainer;
    RG_TRY(get_bytes(&c, hello->nonce, RG_NONCE_BYTES));
    RG_TRY(rg_cursor_u64(&c, &hello->session));
    RG_TRY(rg_cursor_u32(&c, &purpose));
    RG_TRY(rg_cursor_u32(&c, &role));
    RG_TRY(rg_cursor_u32(&c, &trainer));
    RG_TRY(rg_cursor_u32(&c, &who->trainers));
    RG_TRY(rg_cursor_u64(&c, &who->epoch));
    RG_TRY(get_bytes(&c, who->digest, RG_RPC_DIGEST_BYTES));
    RG_TRY(rg_cursor_u32(&c, &who->pid));
    RG_TRY(rg_cursor_u32(&c, &who->incarnation));
    RG_TRY(rg_cursor_u32(&c, &hello->options));
    RG_TRY(get_text(&c, who->job, "job id"));
    RG_TRY(get_text(&c, who->name, "name"));
    RG_TRY(get_text(&c, who->host, "host"));
    RG_TRY(at_end(&c, "hello"));
    if (purpose != RG_PURPOSE_REQUESTS && purpose != RG_PURPOSE_PULSE)
        return rg_fail(RG_ECORRUPT, "a connection for purpose %u, which there is not", purpose);
    if (role < RG_RPC_TRAINER || role > RG_RPC_TOOL)
        return rg_fail(RG_ECORRUPT, "a peer of role %u, which there is not", role);
    RG_TRY(known_options(hello->options));
    hello->purpose = (rg_purpose)purpose;
    who->role = (rg_rpc_role)role;
    who->trainer = (int32_t)trainer;
    return RG_OK;
}

void rg_handshake_put_challenge(rg_buf *out, const rg_handshake_challenge *challenge)
{
    rg_buf_add(out, challenge->nonce, RG_NONCE_BYTES);
    rg_buf_u32(out, challenge->has_key);
}

rg_status rg_handshake_get_challenge(rg_handshake_challenge *challenge, const uint8_t *bytes,
                                     size_t n)
{
    rg_cursor c = {bytes, n};
    uint32_t has_key;
    RG_TRY(get_bytes(&c, challenge->nonce, RG_NONCE_BYTES));
    RG_TRY(rg_cursor_u32(&c, &has_key));
    RG_TRY(at_end(&c, "challenge"));
    challenge->has_key = has_key != 0;
    return RG_OK;
}

void rg_handshake_put_welcome(rg_buf *out, const rg_rpc_welcome *welcome, uint32_t options,
                              const uint8_t proof[RG_PROOF_BYTES])
{
    rg_buf_add(out, proof, RG_PROOF_BYTES);
    rg_buf_u32(out, (uint32_t)welcome->trainer);
    rg_buf_u64(out, welcome->epoch);
    rg_buf_u64(out, welcome->instance);
    rg_buf_u64(out, welcome->lineage);
    rg_buf_u64(out, welcome->lease_ms);
    rg_buf_u32(out, options);
    if ((options & RG_OPTION_KEEPS) != 0)
        rg_buf_u64(out, welcome->came);
    put_text(out, welcome->name);
    rg_buf_u64(out, welcome->clock_ns);
}

rg_status rg_handshake_get_welcome(rg_rpc_welcome *welcome, uint32_t *options, const uint8_t *bytes,
                                   size_t n)
{
    rg_cursor c = {bytes, n};
    const uint8_t *proof;
    uint32_t trainer;
    RG_TRY(rg_cursor_take(&c, RG_PROOF_BYTES, &proof));
    RG_TRY(rg_cursor_u32(&c, &trainer));
    RG_TRY(rg_cursor_u64(&c, &welcome->epoch));
    RG_TRY(rg_cursor_u64(&c, &welcome->instance));
    RG_TRY(rg_cursor_u64(&c, &welcome->lineage));
    RG_TRY(rg_cursor_u64(&c, &welcome->lease_ms));
    RG_TRY(rg_cursor_u32(&c, options));
    welcome->keeps = (*options & RG_OPTION_KEEPS) != 0;
    if (welcome->keeps)
        RG_TRY(rg_cursor_u64(&c, &welcome->came));
    RG_TRY(get_text(&c, welcome->name, "name"));
    RG_TRY(rg_cursor_u64(&c, &welcome->clock_ns));
    RG_TRY(at_end(&c, "welcome"));
    welcome->trainer = (int32_t)trainer;
    return known_options(*options);
}

/* ---- proofs ---- */

enum { LABEL_BYTES = 16 };

static rg_status keyed(uint8_t out[RG_PROOF_BYTES], const rg_job_key *key,
                       const char label[LABEL_BYTES], const uint8_t server_nonce[RG_NONCE_BYTES],
                       const uint8_t *hello, size_t hello_n, const uint8_t *more, size_t more_n)
{
    uint8_t digests[2][EVP_MAX_MD_SIZE];
    rg_buf text;
    unsigned n = 0;
    bool ok = EVP_Digest(hello, hello_n, digests[0], NULL, EVP_sha256(), NULL) == 1 &&
              EVP_Digest(more, more_n, digests[1], NULL, EVP_sha256(), NULL) == 1;
    rg_buf_init(&text, 0);
    rg_buf_add(&text, label, LABEL_BYTES);
    rg_buf_add(&text, server_nonce, RG_NONCE_BYTES);
    rg_buf_add(&text, digests[0], 32);
    rg_buf_add(&text, digests[1], 32);
    rg_status status = rg_buf_status(&text);
    ok = ok && status == RG_OK &&
         HMAC(EVP_sha256(), key->bytes, (int)key->n, text.data, text.len, out, &n) != NULL;
    rg_buf_fini(&text);
    if (status == RG_OK && !ok)
        status = rg_fail(RG_EIO, "HMAC-SHA256 failed");
    return status;
}

rg_status rg_proof(uint8_t out[RG_PROOF_BYTES], const rg_job_key *key, bool server,
                   const uint8_t server_nonce[RG_NONCE_BYTES], const uint8_t *hello, size_t hello_n,
                   const uint8_t *more, size_t more_n)
{
    static const char label[2][LABEL_BYTES] = {"regatta client", "regatta server"};
    memset(out, 0, RG_PROOF_BYTES);
    return key->bytes == NULL
               ? RG_OK
               : keyed(out, key, label[server], server_nonce, hello, hello_n, more, more_n);
}

rg_status rg_seals_derive(rg_seal **up, rg_seal **down, const rg_job_key *key,
                          const uint8_t server_nonce[RG_NONCE_BYTES], const uint8_t *hello,
                          size_t hello_n)
{
    static const char label[2][LABEL_BYTES] = {"regatta up", "regatta down"};
    rg_seal **const seals[2] = {up, down};
    uint8_t bytes[RG_SEAL_KEY_BYTES];
    rg_status status = RG_OK;
    *up = *down = NULL;
    for (int i = 0; i < 2 && status == RG_OK; i++) {
        status = keyed(bytes, key, label[i], server_nonce, hello, hello_n, NULL, 0);
        if (status == RG_OK)
            status = rg_seal_open(seals[i], bytes);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (status != RG_OK) {
        rg_seal_close(*up);
        *up = NULL;
    }
    return status;
}

bool rg_proof_equal(const uint8_t a[RG_PROOF_BYTES], const uint8_t b[RG_PROOF_BYTES])
{
    return CRYPTO_memcmp(a, b, RG_PROOF_BYTES) == 0;
}
