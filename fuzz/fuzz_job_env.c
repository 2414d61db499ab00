/* fuzz_job_env.c - any bytes as an environment: lines NAME=value. Host names are not looked up in
 * a useful way here: values with letters, but for the roles, are left to the tests. */
#include "sys/job_env.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

typedef struct text {
    char bytes[4096], value[4096];
} text;

static const char *lookup(void *arg, const char *name)
{
    text *all = arg;
    size_t length = strlen(name);
    for (const char *at = all->bytes; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, length) != 0 || at[length] != '=')
            continue;
        size_t n = strcspn(at + length + 1, "\n");
        memcpy(all->value, at + length + 1, n);
        all->value[n] = '\0';
        if (strstr(name, "ROLE") == NULL && strpbrk(all->value, LETTERS) != NULL)
            return NULL;
        return all->value;
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static text all;
    rg_job_env env;
    if (n >= sizeof all.bytes)
        return 0;
    memcpy(all.bytes, bytes, n);
    all.bytes[n] = '\0';
    if (rg_job_env_read(&env, lookup, &all) == RG_OK)
        rg_job_env_fini(&env);
    return 0;
}
