/* launching.h - jobs of small shell scripts, for tests of the launcher. */
#ifndef RG_TESTS_LAUNCHING_H
#define RG_TESTS_LAUNCHING_H

#include "check.h"

#include "launch/card.h"
#include "launch/launch.h"
#include "sys/file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64]; /* of this test */
static char said[65536];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/regatta-test-launch-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rg_dir_remove(folder) != RG_OK;
}

static const char *path(const char *name)
{
    static char paths[8][128];
    static int next;
    char *out = paths[next++ % 8];
    (void)snprintf(out, sizeof paths[0], "%s/%s", folder, name);
    return out;
}

static void write_file(const char *name, const char *text)
{
    rg_file *file;
    assert_ok(rg_file_create(&file, path(name)));
    assert_ok(rg_file_write(file, text, strlen(text)));
    assert_ok(rg_file_finish(file));
    rg_file_close(file);
}

static const char *const environment[] = {"PATH=/usr/bin:/bin", "SECRET=hunter2", NULL};

typedef struct shell {
    rg_launch_process process;
    const char *argv[4];
    char log[128];
} shell;

static rg_launch_process run_shell(shell *s, rg_launch_role role, int index, const char *script)
{
    s->argv[0] = "sh";
    s->argv[1] = "-c";
    s->argv[2] = script;
    s->argv[3] = NULL;
    (void)snprintf(s->log, sizeof s->log, "%s/%slog.%d", folder,
                   role == RG_LAUNCH_WORKER ? "worker" : "server", index);
    return (rg_launch_process){
        .role = role, .index = index, .argv = s->argv, .env = environment, .log = s->log};
}

/* Runs the job with our stderr in a file; what it said is in `said`. */
static int run_job_as(rg_launch_job job)
{
    job.log_dir = job.run_dir = folder;
    int status = -1, saved = dup(2);
    int to = open(path("said"), O_CREAT | O_TRUNC | O_RDWR, 0600);
    assert_true(saved >= 0 && to >= 0 && dup2(to, 2) == 2);
    rg_status code = rg_launch_run(&job, &status);
    ssize_t length = pread(to, said, sizeof said - 1, 0);
    assert_true(dup2(saved, 2) == 2);
    (void)close(to);
    (void)close(saved);
    said[length > 0 ? length : 0] = '\0';
    if (code != RG_OK)
        fail_msg("%s: %s", rg_status_name(code), rg_error_message());
    assert_null(strstr(said, "hunter2"));
    return status;
}

#define assert_said(text)                                \
    do {                                                 \
        if (strstr(said, text) == NULL)                  \
            fail_msg("'%s' is not in:\n%s", text, said); \
    } while (0)

#endif
