/* ending.c - a file "ending", which is there or not. */
#include "sys/ending.h"

#include "sys/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void path_in(char path[PATH_MAX], const char *run_dir)
{
    (void)snprintf(path, PATH_MAX, "%s/ending", run_dir);
}

rg_status rg_ending_say(const char *run_dir)
{
    char path[PATH_MAX];
    path_in(path, run_dir);
    return rg_file_write_all(path, "", 0);
}

bool rg_ending_was_said(void)
{
    char path[PATH_MAX];
    const char *run_dir = getenv("REGATTA_RUN_DIR");
    if (run_dir == NULL || run_dir[0] == '\0')
        return false;
    path_in(path, run_dir);
    return rg_path_exists(path);
}
