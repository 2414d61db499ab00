/* fuzz_profile.c - any bytes as the traces of two processes, up to an empty line and behind it,
 * which are put together, clocks and all. */
#include "sys/file.h"
#include "sys/profile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void write_to(const char *folder, const char *name, const uint8_t *bytes, size_t n)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (rg_file_write_all(path, bytes, n) != RG_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char folder[] = "/tmp/fuzz_profile.XXXXXX";
    static char *made;
    if (made == NULL && (made = mkdtemp(folder)) == NULL)
        abort();
    const uint8_t *middle = n > 0 ? memmem(bytes, n, "\n\n", 2) : NULL;
    size_t first = middle != NULL ? (size_t)(middle - bytes) : n;
    rg_buf out;
    rg_buf_init(&out, 0);
    write_to(made, "worker.0.json", bytes, first);
    write_to(made, "server.0.json", bytes + first, n - first);
    rg_profile_reset();
    if (rg_profile_merge(made, &out) == RG_OK) {
        (void)rg_profile_table(NULL, &out);
        (void)rg_profile_steps(&out);
    }
    rg_buf_fini(&out);
    return 0;
}
