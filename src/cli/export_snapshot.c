/* export_snapshot.c - `paddle export_snapshot`: what the servers of a stopped job had, as files. */
#include "cli/commands.h"

#include "dist/stopped.h"
#include "sys/flags.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: paddle export_snapshot [--snapshot] DIR OUT\n\n"
    "What the servers of a job had when it was stopped. DIR is its folder of journals (the folder\n"
    "`journal` of its log folder, or --journal_dir), or a snapshot that this command made.\n\n"
    "OUT gets the files that fluid.io.save_persistables() would have written, which Paddle 1.8 "
    "loads:\n"
    "parameters and states of optimizers. What workers keep for themselves is not in it.\n\n"
    "    --snapshot   OUT, which is not there yet, becomes a snapshot of all servers instead, "
    "with\n"
    "                 which any number of servers begins: fleet.init_server(OUT)\n\n"
    "Nothing in DIR is changed. Pushes that not all servers had got are left out.\n";

static rg_status export(const char *from, const char *to, bool snapshot)
{
    rg_stopped *job = NULL;
    size_t files = 0;
    /* Trainers may come back: what is kept for that is in the journals. */
    RG_TRY(rg_flag_set("ps_return_seconds", "60"));
    RG_TRY(rg_stopped_open(&job, from));
    rg_stopped_about about = rg_stopped_tell(job);
    rg_status code = snapshot ? rg_stopped_write(job, to) : rg_stopped_export(job, to, &files);
    rg_stopped_close(job);
    RG_TRY(code);
    (void)printf("%s: %d servers, %u workers, %llu pushes", from, about.servers, about.trainers,
                 (unsigned long long)about.pushes);
    if (about.steps > 0)
        (void)printf(", %llu steps", (unsigned long long)about.steps);
    if (about.readings > 0)
        (void)printf(", %llu examples of pass %u over leased data are done",
                     (unsigned long long)about.examples, about.readings - 1);
    if (about.left_out > 0)
        (void)printf("; %llu that not all servers had are left out",
                     (unsigned long long)about.left_out);
    if (snapshot)
        (void)printf("\n%s: a snapshot for any number of servers\n", to);
    else
        (void)printf("\n%s: %zu variables, as save_persistables() writes them\n", to, files);
    return RG_OK;
}

int rg_cli_export_snapshot(int argc, char **argv)
{
    const char *paths[2];
    int n = 0;
    bool snapshot = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            (void)fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--snapshot") == 0)
            snapshot = true;
        else if (argv[i][0] == '-' || n == 2)
            return rg_cli_misused("export_snapshot [--snapshot] DIR OUT");
        else
            paths[n++] = argv[i];
    }
    if (n != 2)
        return rg_cli_misused("export_snapshot [--snapshot] DIR OUT");
    if (export(paths[0], paths[1], snapshot) == RG_OK)
        return 0;
    (void)fprintf(stderr, "paddle export_snapshot: %s\n", rg_error_message());
    return 1;
}
