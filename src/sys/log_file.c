/* log_file.c - a log file in a folder, named and linked as glog does it. */
#include "sys/log.h"
#include "sys/log_priv.h"

#include "sys/clock.h"
#include "sys/process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file = -1; /* both are set once, before there are threads */
static bool takes_all;

bool rg_log_file_takes_all(void)
{
    return takes_all;
}

void rg_log_file_write(const char *text, size_t n)
{
    ssize_t written = file >= 0 ? write(file, text, n) : 0; /* appended: one call, one line */
    (void)written;
}

/* 20261115-031450, of 2026-11-15T03:14:50.640Z */
static void stamp(char *out, size_t size)
{
    char when[32];
    size_t n = 0;
    rg_clock_text(when, sizeof when);
    for (const char *c = when; *c != '\0' && *c != '.' && n + 1 < size; c++)
        if (*c == 'T')
            out[n++] = '-';
        else if (isdigit((unsigned char)*c))
            out[n++] = *c;
    out[n] = '\0';
}

static rg_status cannot(const char *what, const char *path)
{
    return rg_fail(RG_EIO, "cannot %s the log file %s: %s", what, path, strerror(errno));
}

/* In the place of a link that may be there; a reader finds the old one or the new one. */
static rg_status link_to(const char *folder, const char *name, const char *target)
{
    char path[4096], aside[4096];
    int n = snprintf(path, sizeof path, "%s/%s.INFO", folder, name);
    int m = snprintf(aside, sizeof aside, "%s/.%s.INFO.%ld", folder, name, rg_process_id());
    if (n < 0 || m < 0 || (size_t)n >= sizeof path || (size_t)m >= sizeof aside)
        return rg_fail(RG_EINVAL, "the path of the log folder %s is too long", folder);
    (void)unlink(aside);
    if (symlink(target, aside) != 0 || rename(aside, path) != 0)
        return cannot("link", path);
    return RG_OK;
}

rg_status rg_log_to_folder(const char *folder, const char *const *names, int n, bool both)
{
    char host[256], name[1024], path[4096], when[32];
    const char *user = getenv("USER");
    rg_process_host(host, sizeof host);
    stamp(when, sizeof when);
    (void)snprintf(name, sizeof name, "%s.%s.%s.log.INFO.%s.%ld", names[0], host,
                   user != NULL && user[0] && strchr(user, '/') == NULL ? user : "user", when,
                   rg_process_id());
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return rg_fail(RG_EINVAL, "the path of the log folder %s is too long", folder);
    (void)mkdir(folder, 0777); /* where that fails, so does the next */
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0)
        return cannot("open", path);
    takes_all = !both;
    for (int i = 0; i < n; i++)
        RG_TRY(link_to(folder, names[i], name));
    return RG_OK;
}
