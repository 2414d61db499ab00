/* fuzz_job_end.c - any bytes as LOG_DIR/job.end. */
#include "launch/job_end.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_job_end end;
    (void)rg_job_end_parse(&end, (const char *)bytes, n);
    return 0;
}
