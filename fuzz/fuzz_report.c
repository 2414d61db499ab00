/* fuzz_report.c - any bytes as a worker's report. */
#include "launch/launch.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_launch_report report;
    if (rg_launch_report_parse(&report, (const char *)bytes, n) == RG_OK)
        rg_launch_report_fini(&report);
    return 0;
}
