/* seal.c - tags over frames. */
#include "rpc/seal_priv.h"

#include "base/mem.h"
#include "sys/flags.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

enum { IV_BYTES = 12, MOST_AT_ONCE = 1 << 30 };

struct rg_seal {
    EVP_CIPHER_CTX *gcm;
    uint64_t tags; /* so many were made: no two of a key have the same number */
    bool ok;
};

rg_status rg_seal_use_read(rg_seal_use *use)
{
    static const char *const names[] = {"off", "auto", "always"};
    const char *text;
    RG_TRY(rg_flag_text("rpc_mac", &text));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            *use = (rg_seal_use)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "FLAGS_rpc_mac is '%s', and can be auto, always or off", text);
}

rg_status rg_seal_open(rg_seal **out, const uint8_t key[RG_SEAL_KEY_BYTES])
{
    rg_seal *seal = rg_alloc_zero(1, sizeof *seal);
    if (seal == NULL)
        return rg_no_memory(sizeof *seal, "a connection");
    seal->gcm = EVP_CIPHER_CTX_new();
    if (seal->gcm == NULL ||
        EVP_EncryptInit_ex(seal->gcm, EVP_aes_256_gcm(), NULL, key, NULL) != 1) {
        rg_seal_close(seal);
        return rg_fail(RG_EIO, "AES-256-GMAC is not to be had");
    }
    *out = seal;
    return RG_OK;
}

void rg_seal_close(rg_seal *seal)
{
    if (seal == NULL)
        return;
    EVP_CIPHER_CTX_free(seal->gcm); /* wipes the key */
    rg_free(seal);
}

void rg_seal_begin(rg_seal *seal)
{
    uint8_t iv[IV_BYTES] = {0};
    for (int i = 0; i < 8; i++)
        iv[i] = (uint8_t)(seal->tags >> (8 * i));
    seal->tags++;
    seal->ok = EVP_EncryptInit_ex(seal->gcm, NULL, NULL, NULL, iv) == 1;
}

void rg_seal_add(rg_seal *seal, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    while (n > 0 && seal->ok) { /* the library counts in int */
        int now = n < MOST_AT_ONCE ? (int)n : MOST_AT_ONCE, done;
        seal->ok = EVP_EncryptUpdate(seal->gcm, NULL, &done, at, now) == 1;
        at += now;
        n -= (size_t)now;
    }
}

rg_status rg_seal_end(rg_seal *seal, uint8_t tag[RG_SEAL_BYTES])
{
    int n;
    seal->ok = seal->ok && EVP_EncryptFinal_ex(seal->gcm, tag, &n) == 1 &&
               EVP_CIPHER_CTX_ctrl(seal->gcm, EVP_CTRL_AEAD_GET_TAG, RG_SEAL_BYTES, tag) == 1;
    return seal->ok ? RG_OK : rg_fail(RG_EIO, "AES-256-GMAC failed");
}

rg_status rg_seal_check(rg_seal *seal, const uint8_t tag[RG_SEAL_BYTES])
{
    uint8_t own[RG_SEAL_BYTES];
    RG_TRY(rg_seal_end(seal, own));
    if (CRYPTO_memcmp(own, tag, RG_SEAL_BYTES) != 0)
        return rg_fail(RG_ECORRUPT, "a frame that was changed on the way, came again, or is not the"
                                    " other end's: its MAC is wrong");
    return RG_OK;
}
