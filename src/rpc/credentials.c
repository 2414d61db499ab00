/* credentials.c - job id and key from the environment. */
#include "rpc/credentials.h"

#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static rg_status read_key(rg_credentials *c, const char *hex)
{
    size_t n = strlen(hex);
    if (n < (size_t)2 * RG_RPC_MIN_KEY)
        return rg_fail(RG_EINVAL,
                       "REGATTA_JOB_KEY has %zu digits, and must have at least %d, since a short "
                       "key is found by trying: `openssl rand -hex 32` makes one, for all "
                       "processes of the job",
                       n, 2 * RG_RPC_MIN_KEY);
    if (n % 2 != 0 || n / 2 > sizeof c->key)
        return rg_fail(RG_EINVAL,
                       "REGATTA_JOB_KEY has %zu digits, and must have an even number up "
                       "to %zu",
                       n, 2 * sizeof c->key);
    for (size_t i = 0; i < n / 2; i++) {
        int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return rg_fail(RG_EINVAL, "REGATTA_JOB_KEY must be hexadecimal digits");
        c->key[i] = (uint8_t)(high << 4 | low);
    }
    c->n_key = n / 2;
    return RG_OK;
}

static rg_status read_incarnation(rg_credentials *c, const char *text)
{
    char *end = NULL;
    if (text == NULL || text[0] == '\0')
        return RG_OK;
    long number = strtol(text, &end, 10);
    if (*end != '\0' || number < 0 || number > 1 << 30)
        return rg_fail(RG_EINVAL,
                       "REGATTA_INCARNATION is '%s', and must be how often this process was "
                       "started again",
                       text);
    c->incarnation = (uint32_t)number;
    return RG_OK;
}

rg_status rg_credentials_read(rg_credentials *c)
{
    const char *job = getenv("REGATTA_JOB_ID"), *key = getenv("REGATTA_JOB_KEY");
    *c = (rg_credentials){0};
    if (job != NULL && strlen(job) >= sizeof c->job)
        return rg_fail(RG_EINVAL, "REGATTA_JOB_ID is longer than %zu bytes", sizeof c->job - 1);
    if (job != NULL)
        memcpy(c->job, job, strlen(job));
    RG_TRY(read_incarnation(c, getenv("REGATTA_INCARNATION")));
    return key != NULL && key[0] ? read_key(c, key) : RG_OK;
}
