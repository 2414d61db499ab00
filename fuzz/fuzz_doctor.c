/* fuzz_doctor.c - any bytes as the log of a process that has failed, for `paddle doctor LOG_DIR`.
 */
#include "cli/doctor_logs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const rg_launch_process worker = {.role = RG_LAUNCH_WORKER};
    rg_launch_failure failure = {
        .process = &worker, .oom_kills = -1, .memory_limit = -1, .tail = ""};
    rg_log_story log = {.name = "workerlog.0"};
    rg_verdict verdict = {0};
    rg_line line = {0};
    failure.end.code = 1;
    while (n > 0) {
        const uint8_t *end = memchr(bytes, '\n', n);
        size_t length = end != NULL ? (size_t)(end - bytes) : n;
        (void)snprintf(line.text, sizeof line.text, "%.*s", (int)length, (const char *)bytes);
        line.number++;
        rg_log_line(&log, &line);
        length += end != NULL;
        bytes += length;
        n -= length;
    }
    rg_verdict_make(&verdict, &log, &failure);
    rg_verdict_make(&verdict, &log, NULL);
    return 0;
}
