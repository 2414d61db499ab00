/* export_snapshot.c - `paddle export_snapshot`: what the servers of a stopped job had, as files. */
#include "cli/commands.h"

#include "base/json.h"
#include "dist/stopped.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "sys/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { JOB_MAX = 1 << 20 };

static const char usage[] =
    "usage: paddle export_snapshot [--snapshot] DIR OUT\n\n"
    "What the servers of a job had when it was stopped. DIR is its log folder, its folder of "
    "journals\n"
    "(`journal` in that, or --journal_dir), or a snapshot that this command made.\n\n"
    "OUT gets the files that fluid.io.save_persistables() would have written, which Paddle 1.8 "
    "loads:\n"
    "parameters and states of optimizers. What workers keep for themselves is not in it.\n\n"
    "    --snapshot   OUT, which is not there yet, becomes a snapshot of all servers instead, "
    "with\n"
    "                 which any number of servers begins: fleet.init_server(OUT)\n\n"
    "Nothing in DIR is changed. Pushes that not all servers had got are left out.\n";

/* What launch_ps notes beside the journals (resume.py): which deal of the job counts, and how many
 * servers that has. */
static rg_status read_job(const char *path, int *deal, int *servers)
{
    rg_buf text;
    char key[64];
    double number = 0;
    rg_buf_init(&text, 0);
    rg_status code = rg_file_read_all(path, JOB_MAX, &text);
    const char *bytes = (const char *)text.data;
    rg_json_reader r = {bytes, bytes + text.len};
    for (rg_json_open(&r, '{'); code == RG_OK && rg_json_member(&r, key, sizeof key);) {
        if (strcmp(key, "deal") == 0 && rg_json_read_number(&r, &number))
            *deal = number >= 0 && number < 1e6 ? (int)number : -1;
        else if (strcmp(key, "endpoints") == 0)
            for (rg_json_open(&r, '['); rg_json_element(&r) && rg_json_skip(&r);)
                *servers += 1;
        else
            rg_json_skip(&r);
    }
    rg_buf_fini(&text);
    if (code == RG_OK && (r.failed || *deal < 0))
        code = rg_fail(RG_ECORRUPT, "%s is not what launch_ps wrote", path);
    return code;
}

/* Whether each server has a whole snapshot of its own: else what they began with counts. */
static rg_status note_whole(void *arg, const char *name)
{
    if (strncmp(name, "ckpt-", 5) == 0 && strchr(name, '.') == NULL)
        *(bool *)arg = true;
    return RG_OK;
}

static bool all_have_begun(const char *folder, int servers)
{
    for (int i = 0; i < servers; i++) {
        char path[4400];
        rg_folder *own = NULL;
        bool whole = false;
        (void)snprintf(path, sizeof path, "%s/server-%d", folder, i);
        if (rg_folder_open(&own, path) == RG_OK)
            (void)rg_folder_each(own, note_whole, &whole);
        rg_folder_close(own);
        if (!whole)
            return false;
    }
    return true;
}

/* Where the journals are that count: in `dir` itself where nothing says otherwise. */
static rg_status find_journals(const char *dir, char *out, size_t size)
{
    static const char *const folders[] = {"", "/journal"};
    char job[4200];
    int deal = 0, servers = 0;
    (void)snprintf(out, size, "%s", dir);
    for (int i = 0; i < 2; i++) {
        if ((size_t)snprintf(job, sizeof job, "%s%s/job.json", dir, folders[i]) >= sizeof job)
            return rg_fail(RG_EINVAL, "%s: the name is too long", dir);
        if (!rg_path_exists(job))
            continue;
        RG_TRY(read_job(job, &deal, &servers));
        (void)snprintf(out, size, "%s%s", dir, folders[i]);
        size_t n = strlen(out);
        if (deal > 0)
            (void)snprintf(out + n, size - n, "/deal-%d", deal);
        if (deal > 0 && !all_have_begun(out, servers))
            (void)snprintf(out + strlen(out), size - strlen(out), "/snapshot");
        return RG_OK;
    }
    (void)snprintf(job, sizeof job, "%s/journal", dir); /* nothing says whose they are */
    if (rg_path_is_dir(job))
        (void)snprintf(out, size, "%s", job);
    return RG_OK;
}

static rg_status export(const char *dir, const char *to, bool snapshot)
{
    char from[4300];
    rg_stopped *job = NULL;
    size_t files = 0;
    /* Trainers may come back: what is kept for that is in the journals. */
    RG_TRY(rg_flag_set("ps_return_seconds", "60"));
    RG_TRY(find_journals(dir, from, sizeof from));
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
