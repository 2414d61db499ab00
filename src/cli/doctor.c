/* doctor.c - `paddle doctor`: is this machine, and a job's environment, as the job needs it? */
#include "cli/doctor.h"

#include "base/json.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "sys/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SECONDS = 86400, MANY = 1 << 30 };

static const rg_option table[] = {
    RG_SWITCH("json", "false", "findings as one JSON object"),
    RG_WORD("only", "", "these checks alone, with commas; `--only help` lists them"),
    RG_WORD("log_dir", "logs", "the folder of the job's logs"),
    RG_WORD("journal_dir", "", "the folder of servers' journals; none: FLAGS_ps_journal_dir"),
    RG_WORD("table_memory", "", "what tables of one server may take; none: FLAGS_ps_table_memory"),
    {.name = "table_rows",
     .type = RG_OPTION_INT,
     .initial = "0",
     .doc = "rows that all tables together will have",
     .least = 0,
     .most = 1e15},
    RG_NUMBER("table_dim", "10", 1, 1 << 20, "--table_rows: floats in a row"),
    RG_NUMBER("table_states", "0", 0, 8, "--table_rows: states of the optimizer: sgd 0, adam 2"),
    RG_NUMBER("server_num", "0", 0, 65536,
              "servers of the job on this host; 0: as the environment says"),
    RG_WORD("peers", "",
            "HOST:PORT of doctors that --listen, with commas: latency, bandwidth, "
            "clocks"),
    RG_WORD("listen", "", "HOST:PORT: answer other doctors' --peers, and check nothing here"),
    RG_NUMBER("seconds", "60", 1, MOST_SECONDS, "--listen: for how long"),
    RG_WORD("hosts", "", "user@host with commas: a doctor on each over SSH, each pair measured"),
    RG_NUMBER("timeout", "3", 1, 600, "seconds to wait for an answer of another host"),
    {.name = NULL},
};

static const struct check {
    const char *name, *doc;
    void (*run)(rg_doctor *doctor);
} checks[] = {
    {"flags", "FLAGS_* of the environment are known and have values that can be", rg_check_flags},
    {"cpu", "the CPU, its cores and what it can do", rg_check_cpu},
    {"gemm", "how quick a product of matrices is, beside what a core could do", rg_check_gemm},
    {"bf16", "whether the CPU multiplies bfloat16", rg_check_bf16},
    {"gpu", "the GPU module, and GPUs", rg_check_gpu},
    {"libraries", "which libraries are used, and their versions", rg_check_libraries},
    {"memory", "memory, beside what tables will take", rg_check_memory},
    {"huge_pages", "whether large tables get huge pages", rg_check_huge_pages},
    {"disk", "room and speed where logs and journals go", rg_check_disk},
    {"descriptors", "how many connections a process may have", rg_check_descriptors},
    {"names", "every host of the job has an address, and the right one", rg_check_names},
    {"ports", "nobody listens where servers of this host will", rg_check_ports},
    {"keys", "a job key where there are several hosts; secrets are nobody else's", rg_check_keys},
    {"reach", "every endpoint of another host can be reached", rg_check_reach},
    {"peers", "latency, bandwidth and clocks of other doctors", rg_check_peers},
};
enum { N_CHECKS = sizeof checks / sizeof checks[0] };

/* ---- findings ---- */

static const char *const levels[] = {"ok", "warning", "problem"};

static void add_json(rg_doctor *d, rg_finding_level level, const char *seen, const char *change)
{
    rg_buf_printf(&d->out,
                  "%s{\"check\": \"%s\", \"level\": \"%s\", \"seen\": ", d->out.len ? ",\n  " : "",
                  d->check, levels[level]);
    rg_json_string(&d->out, seen);
    rg_buf_text(&d->out, ", \"change\": ");
    if (change != NULL)
        rg_json_string(&d->out, change);
    else
        rg_buf_text(&d->out, "null");
    rg_buf_char(&d->out, '}');
}

void rg_finding(rg_doctor *d, rg_finding_level level, const char *change, const char *seen, ...)
{
    char text[2048];
    va_list args;
    va_start(args, seen);
    (void)vsnprintf(text, sizeof text, seen, args);
    va_end(args);
    d->counts[level]++;
    if (d->json) {
        add_json(d, level, text, change);
        return;
    }
    (void)printf("%-8s %-12s %s\n", levels[level], d->check, text);
    if (change != NULL)
        (void)printf("%-8s %-12s -> %s\n", "", "", change);
    (void)fflush(stdout); /* some checks take a moment */
}

/* ---- the command ---- */

static bool is_wanted(const char *only, const char *name)
{
    size_t n = strlen(name);
    if (only[0] == '\0')
        return true;
    for (const char *at = only; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

/* Each word of --only is a check. */
static rg_status check_only(const char *only)
{
    size_t words = only[0] != '\0', found = 0;
    for (const char *at = only; *at != '\0'; at++)
        words += *at == ',';
    for (size_t i = 0; only[0] != '\0' && i < N_CHECKS; i++)
        found += is_wanted(only, checks[i].name);
    return words == found ? RG_OK
                          : rg_fail(RG_EINVAL,
                                    "--only=%s: one of these is no check, or is there twice; "
                                    "`paddle doctor --only help` lists them",
                                    only);
}

static void print_result(rg_doctor *d)
{
    char host[256];
    rg_host_name(host, sizeof host);
    if (!d->json) {
        (void)printf("%d problem%s, %d warning%s, %d ok\n", d->counts[RG_FINDING_PROBLEM],
                     d->counts[RG_FINDING_PROBLEM] == 1 ? "" : "s", d->counts[RG_FINDING_WARNING],
                     d->counts[RG_FINDING_WARNING] == 1 ? "" : "s", d->counts[RG_FINDING_OK]);
        return;
    }
    rg_buf name;
    rg_buf_init(&name, 0);
    rg_json_string(&name, host);
    (void)printf("{\"host\": %s, \"problems\": %d, \"warnings\": %d, \"findings\": [\n  %s\n]}\n",
                 rg_buf_cstr(&name), d->counts[RG_FINDING_PROBLEM], d->counts[RG_FINDING_WARNING],
                 rg_buf_cstr(&d->out));
    rg_buf_fini(&name);
}

static int examine(const rg_options *options)
{
    rg_job_env env;
    const char *only = rg_option_text(options, "only");
    rg_doctor d = {.options = options, .json = rg_option_bool(options, "json")};
    rg_buf_init(&d.out, 0);
    d.check = "environment";
    if (rg_job_env_here(&env) == RG_OK)
        d.env = &env;
    else
        rg_finding(&d, RG_FINDING_PROBLEM,
                   "correct the variables that it names; `paddle env` shows what they say", "%s",
                   rg_error_message());
    for (size_t i = 0; i < N_CHECKS; i++) {
        d.check = checks[i].name;
        if (is_wanted(only, d.check))
            checks[i].run(&d);
    }
    print_result(&d);
    if (d.env != NULL)
        rg_job_env_fini(&env);
    rg_buf_fini(&d.out);
    if (fflush(stdout) != 0)
        return 1;
    return d.counts[RG_FINDING_PROBLEM] > 0;
}

static int help(void)
{
    (void)printf("usage: paddle doctor [options]\n"
                 "       paddle doctor LOG_DIR [--json]\n"
                 "       paddle doctor --hosts user@host,... [options]\n\n"
                 "Checks this machine and the environment of a job before it starts, says what to "
                 "change,\nand ends with 0 where there is no problem. With a folder of logs: why "
                 "that job failed.\n\n");
    rg_options_print(table);
    return 0;
}

static int list_checks(void)
{
    for (size_t i = 0; i < N_CHECKS; i++)
        (void)printf("%-12s %s\n", checks[i].name, checks[i].doc);
    return 0;
}

/* LOG_DIR, and --json before or behind it; false: there is no folder among the arguments. */
static bool is_about_logs(int argc, char **argv, const char **folder, bool *json)
{
    *folder = NULL;
    *json = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' && *folder == NULL)
            *folder = argv[i];
        else if (strcmp(argv[i], "--json") == 0)
            *json = true;
        else
            return false;
    }
    return *folder != NULL;
}

int rg_cli_doctor(int argc, char **argv)
{
    rg_options options;
    const char *folder;
    bool json;
    if (is_about_logs(argc, argv, &folder, &json))
        return rg_doctor_logs(folder, json);
    if (rg_options_read(&options, table, argc, argv) != RG_OK) {
        (void)fprintf(stderr, "paddle doctor: %s\n", rg_error_message());
        return 2;
    }
    if (options.help)
        return help();
    if (strcmp(rg_option_text(&options, "only"), "help") == 0)
        return list_checks();
    if (check_only(rg_option_text(&options, "only")) != RG_OK) {
        (void)fprintf(stderr, "paddle doctor: %s\n", rg_error_message());
        return 2;
    }
    if (rg_option_given(&options, "listen"))
        return rg_doctor_listen(&options);
    if (rg_option_given(&options, "hosts"))
        return rg_cli_module(argc, argv);
    return examine(&options);
}
