/* doctor.h - findings of `paddle doctor`, and the checks that make them.
 *
 * A check looks at one thing and says what it saw: ok, a warning (the job runs, but worse than it
 * could) or a problem (it will not run, or not as was asked), these two with what to change. A new
 * check is a function in one of the doctor_*.c and a row of the table in doctor.c. */
#ifndef RG_CLI_DOCTOR_H
#define RG_CLI_DOCTOR_H

#include "base/buf.h"
#include "cli/options.h"
#include "sys/job_env.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum rg_finding_level {
    RG_FINDING_OK,
    RG_FINDING_WARNING,
    RG_FINDING_PROBLEM
} rg_finding_level;

typedef struct rg_doctor {
    const rg_options *options;
    const rg_job_env *env; /* NULL: it cannot be read, or says nothing */
    bool json;
    const char *check; /* that runs now */
    int counts[3];     /* of findings, by level */
    rg_buf out;        /* JSON: the findings so far */
} rg_doctor;

/* What was seen, and what to change (NULL where it is well). */
void rg_finding(rg_doctor *doctor, rg_finding_level level, const char *change, const char *seen,
                ...) __attribute__((format(printf, 4, 5)));

/* ---- the checks ---- */

void rg_check_cpu(rg_doctor *d); /* doctor_cpu.c */
void rg_check_gemm(rg_doctor *d);
void rg_check_bf16(rg_doctor *d);
void rg_check_gpu(rg_doctor *d);
void rg_check_libraries(rg_doctor *d);
void rg_check_memory(rg_doctor *d); /* doctor_machine.c */
void rg_check_disk(rg_doctor *d);
void rg_check_huge_pages(rg_doctor *d);
void rg_check_descriptors(rg_doctor *d);
void rg_check_flags(rg_doctor *d);
void rg_check_names(rg_doctor *d); /* doctor_network.c */
void rg_check_ports(rg_doctor *d);
void rg_check_keys(rg_doctor *d);
void rg_check_reach(rg_doctor *d);
void rg_check_peers(rg_doctor *d);

/* ---- other work ---- */

int rg_doctor_listen(const rg_options *options);   /* doctor_network.c */
int rg_doctor_logs(const char *folder, bool json); /* doctor_logs.c */

#endif
