/* doctor_machine.c - memory, disks and limits of this machine. */
#include "base/bytes.h"
#include "base/mem.h"
#include "cli/doctor.h"
#include "ps/memory.h"
#include "ps/table.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/job_env.h"
#include "sys/machine.h"
#include "sys/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rg_check_flags(rg_doctor *d)
{
    /* Values were checked when the command began; names that are none are said by a warning that
     * people overlook. */
    extern char **environ;
    const rg_flag *table = rg_flag_table();
    int n = 0;
    bool bad = false;
    for (char **at = environ; *at != NULL; at++) {
        if (strncmp(*at, "FLAGS_", 6) != 0)
            continue;
        size_t length = strcspn(*at + 6, "=");
        const rg_flag *flag = table;
        while (flag->name != NULL &&
               (strlen(flag->name) != length || strncmp(flag->name, *at + 6, length) != 0))
            flag++;
        n++;
        bad = bad || flag->name == NULL;
        if (flag->name == NULL)
            rg_finding(
                d, RG_FINDING_PROBLEM,
                "nothing reads it: correct the name (`paddle flags` lists them), or unset it",
                "there is no flag %.*s", (int)length + 6, *at);
    }
    if (!bad)
        rg_finding(d, RG_FINDING_OK, NULL, "%d FLAGS_* in the environment, all known", n);
}

/* ---- memory ---- */

/* Servers of the job that will run on this host; at least one. */
static int servers_here(const rg_doctor *d)
{
    char address[RG_ADDRESS_TEXT], host[256];
    int n = 0, given = (int)rg_option_int(d->options, "server_num");
    for (int i = 0; given == 0 && d->env != NULL && i < d->env->n_servers; i++) {
        const char *endpoint = d->env->servers[i], *colon = strrchr(endpoint, ':');
        (void)snprintf(host, sizeof host, "%.*s",
                       colon ? (int)(colon - endpoint) : (int)strlen(endpoint), endpoint);
        n += rg_host_resolve(host, address) == RG_OK && rg_address_is_ours(address);
    }
    return given > 0 ? given : n > 0 ? n : 1;
}

/* Of all rows that are forecast, on one server; 0: nothing is forecast. */
static rg_status forecast(const rg_doctor *d, int all_servers, size_t *bytes, size_t *row)
{
    rg_table *table;
    rg_table_spec spec = {.name = "forecast",
                          .dim = rg_option_int(d->options, "table_dim"),
                          .n_states = (int)rg_option_int(d->options, "table_states"),
                          .height = -1};
    RG_TRY(rg_table_open(&table, &spec));
    *row = rg_table_row_cost(table);
    rg_table_close(table);
    *bytes = (size_t)rg_option_int(d->options, "table_rows") / (size_t)all_servers * *row;
    return RG_OK;
}

static void check_forecast(rg_doctor *d, int servers, size_t limit)
{
    char wanted[RG_BYTES_TEXT], allowed[RG_BYTES_TEXT];
    int all = d->env != NULL && d->env->n_servers > 0 ? d->env->n_servers : servers;
    size_t bytes, row;
    uint64_t memory = rg_host_memory();
    if (forecast(d, all, &bytes, &row) != RG_OK) {
        rg_finding(d, RG_FINDING_PROBLEM, "correct --table_dim", "%s", rg_error_message());
        return;
    }
    uint64_t may = limit > 0 ? limit : memory / (uint64_t)servers;
    rg_finding(d, bytes > may ? RG_FINDING_PROBLEM : RG_FINDING_OK,
               bytes > may ? "use more servers or hosts, a smaller --table_dim, or let rows go "
                             "(--table_evict lru, --table_disk DIR)"
                           : NULL,
               "%lld rows of %lld floats take %s on each of %d servers (%zu bytes a row), %s %s",
               (long long)rg_option_int(d->options, "table_rows"),
               (long long)rg_option_int(d->options, "table_dim"), rg_show_bytes(bytes, wanted), all,
               row, limit > 0 ? "and --table_memory is" : "and of memory there is for each",
               rg_show_bytes(may, allowed));
}

void rg_check_memory(rg_doctor *d)
{
    const char *text = rg_option_text(d->options, "table_memory");
    char all[RG_BYTES_TEXT], left[RG_BYTES_TEXT], each[RG_BYTES_TEXT];
    uint64_t memory = rg_host_memory(), available = rg_memory_available();
    size_t limit = 0;
    int servers = servers_here(d);
    if (text[0] == '\0')
        (void)rg_flag_text("ps_table_memory", &text);
    if (text[0] != '\0' && rg_parse_bytes(RG_TABLE_MEMORY, text, &limit) != RG_OK) {
        rg_finding(d, RG_FINDING_PROBLEM, "write it as 8G or 512M", "%s", rg_error_message());
        return;
    }
    available = available > 0 && available < memory ? available : memory;
    (void)rg_show_bytes(memory, all);
    (void)rg_show_bytes(available, left);
    if (limit == 0)
        rg_finding(d, RG_FINDING_OK, NULL, "%s, of which %s are free%s", all, left,
                   rg_host_memory_limit() > 0 ? " (limited by the control group)" : "");
    else if ((uint64_t)servers * limit > memory)
        rg_finding(d, RG_FINDING_PROBLEM,
                   "lower --table_memory, start fewer servers here, or let rows go to a disk "
                   "(--table_disk)",
                   "tables of %d servers may take %s each, and there are %s in all", servers,
                   rg_show_bytes(limit, each), all);
    else
        rg_finding(d, (uint64_t)servers * limit > available ? RG_FINDING_WARNING : RG_FINDING_OK,
                   (uint64_t)servers * limit > available
                       ? "others have taken the rest: end them, or lower --table_memory"
                       : NULL,
                   "tables of %d servers may take %s each; %s, of which %s are free", servers,
                   rg_show_bytes(limit, each), all, left);
    if (rg_option_int(d->options, "table_rows") > 0)
        check_forecast(d, servers, limit);
}

void rg_check_huge_pages(rg_doctor *d)
{
    char mode[32];
    rg_huge_pages_mode(mode, sizeof mode);
    bool never = strcmp(mode, "never") == 0;
    rg_finding(
        d, never ? RG_FINDING_WARNING : RG_FINDING_OK,
        never ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root): rows of "
                "large tables are found quicker"
              : NULL,
        "transparent huge pages: %s", mode[0] ? mode : "the kernel does not say");
}

void rg_check_descriptors(rg_doctor *d)
{
    int limit = rg_descriptor_limit(), need = 256;
    if (d->env != NULL) /* two connections of each peer, and as many again for files */
        need += 4 * (d->env->trainers > 0 ? d->env->trainers : 0) + 4 * d->env->n_servers;
    bool few = limit < need;
    rg_finding(d, few ? RG_FINDING_PROBLEM : RG_FINDING_OK,
               few ? "ulimit -n in the shell that starts the job; where it refuses, nofile in "
                     "/etc/security/limits.conf, or LimitNOFILE= of the service"
                   : NULL,
               "this process may have %d files and connections open; the job needs about %d", limit,
               need);
}

/* ---- disks ---- */

static void check_place(rg_doctor *d, const char *what, const char *path, uint64_t least)
{
    const uint64_t SLOW_NS = 30000000;
    uint64_t room, all, ns;
    char left[RG_BYTES_TEXT], of[RG_BYTES_TEXT];
    if (rg_disk_room(path, &room, &all) != RG_OK || rg_disk_sync_ns(path, &ns) != RG_OK) {
        rg_finding(d, RG_FINDING_PROBLEM, "make the folder, or choose another, that may be written",
                   "%s %s: %s", what, path, rg_error_message());
        return;
    }
    bool full = room<least, slow = ns> SLOW_NS && strcmp(what, "journals in") == 0;
    rg_finding(d,
               full   ? RG_FINDING_PROBLEM
               : slow ? RG_FINDING_WARNING
                      : RG_FINDING_OK,
               full   ? "make room there, or choose a folder on another disk"
               : slow ? "put --journal_dir on a local SSD, or use --journal everysec"
                      : NULL,
               "%s %s: %s free of %s, a small write is on the disk after %.1f ms", what, path,
               rg_show_bytes(room, left), rg_show_bytes(all, of), (double)ns / 1e6);
}

void rg_check_disk(rg_doctor *d)
{
    const uint64_t LOG_ROOM = UINT64_C(256) << 20, JOURNAL_ROOM = UINT64_C(4) << 30;
    const char *logs = rg_option_text(d->options, "log_dir");
    const char *journal = rg_option_text(d->options, "journal_dir"), *mode = "off", *disk = "";
    if (!rg_option_given(d->options, "log_dir") && d->env != NULL && d->env->log_dir != NULL)
        logs = d->env->log_dir;
    if (journal[0] == '\0')
        (void)rg_flag_text("ps_journal_dir", &journal);
    (void)rg_flag_text("ps_journal", &mode);
    (void)rg_flag_text("ps_table_disk", &disk);
    check_place(d, "logs in", logs, LOG_ROOM);
    if (journal[0] != '\0' || strcmp(mode, "off") != 0)
        check_place(d, "journals in", journal[0] ? journal : logs, JOURNAL_ROOM);
    if (disk[0] != '\0')
        check_place(d, "rows in", disk, JOURNAL_ROOM);
}
