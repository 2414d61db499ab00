/* run.c - this process becomes another program. */
#include "sys/run.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *folder, size_t length, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", name);
    return n > 0 && (size_t)n < size && access(path, X_OK) == 0;
}

/* The folder of PATH that has the program; NULL: none. */
static const char *folder_on_path(const char *name, size_t *length)
{
    char path[4096];
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        *length = strcspn(at, ":");
        if (*length > 0 && is_program(at, *length, name, path, sizeof path))
            return at;
        at += *length + (at[*length] == ':');
    }
    return NULL;
}

bool rg_find_on_path(const char *name)
{
    size_t length;
    return folder_on_path(name, &length) != NULL;
}

bool rg_find_beside(const char *self, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(self, '/');
    size_t length = slash ? (size_t)(slash - self) : 0;
    const char *folder = slash ? self : folder_on_path(self, &length);
    if (folder != NULL && is_program(folder, length, name, path, size))
        return true;
    char file[4096];
    ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
    file[n > 0 ? n : 0] = '\0';
    slash = strrchr(file, '/');
    return slash != NULL && is_program(file, (size_t)(slash - file), name, path, size);
}

rg_status rg_python_path_here(void)
{
    char here[4096];
    const char *before = getenv("PYTHONPATH");
    if (getcwd(here, sizeof here) == NULL)
        return rg_fail(RG_EIO, "the folder we are in is gone: %s", strerror(errno));
    rg_buf list;
    rg_buf_init(&list, 0);
    rg_buf_printf(&list, "%s%s%s", here, before && before[0] ? ":" : "", before ? before : "");
    rg_status code = rg_buf_status(&list);
    if (code == RG_OK && setenv("PYTHONPATH", rg_buf_cstr(&list), 1) != 0)
        code = rg_no_memory(list.len, "PYTHONPATH");
    rg_buf_fini(&list);
    return code;
}

rg_status rg_become(char *const *argv)
{
    enum { MOST = 64 };
    const char *debugger = getenv("DEBUGGER");
    char *words = rg_strdup(debugger ? debugger : ""), *rest = words;
    int n = 0, given = 0;
    while (argv[given] != NULL)
        given++;
    char **all = rg_alloc_zero((size_t)given + MOST + 1, sizeof *all);
    rg_status code = words && all ? RG_OK : rg_no_memory((size_t)given, "arguments");
    for (char *word; code == RG_OK && (word = strsep(&rest, " ")) != NULL;)
        if (word[0] != '\0' && n < MOST)
            all[n++] = word;
    for (int i = 0; code == RG_OK && i < given; i++)
        all[n++] = argv[i];
    if (code == RG_OK) {
        (void)unsetenv("DEBUGGER");
        (void)execvp(all[0], all);
        code = rg_fail(RG_ENOENT, "cannot start %s: %s", all[0], strerror(errno));
    }
    rg_free(words);
    rg_free(all);
    return code;
}
