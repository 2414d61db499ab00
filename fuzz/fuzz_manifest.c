/* fuzz_manifest.c - any bytes as a manifest. */
#include "save/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_manifest manifest = {0};
    (void)rg_manifest_parse(&manifest, bytes, n);
    rg_manifest_fini(&manifest);
    return 0;
}
