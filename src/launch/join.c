/* join.c - workers that are added to a job that runs. */
#include "launch/join.h"

#include "base/mem.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 200 };
static const char ASKED[] = "join.", ANSWERED[] = "joined.";

struct rg_join {
    rg_folder *folder;
    char *path;
    char name[NAME_MAX_BYTES + 1]; /* of the one that is answered now; "": nobody */
};

static rg_status remove_entry(void *arg, const char *name)
{
    rg_join *j = arg;
    return strncmp(name, ASKED, sizeof ASKED - 1) == 0 ||
                   strncmp(name, ANSWERED, sizeof ANSWERED - 1) == 0
               ? rg_folder_remove(j->folder, name)
               : RG_OK;
}

rg_status rg_join_open(rg_join **out, const char *folder)
{
    rg_join *j = rg_alloc_zero(1, sizeof *j);
    if (j == NULL)
        return rg_no_memory(sizeof *j, "a job that workers can join");
    j->path = rg_strdup(folder);
    rg_status code = j->path != NULL ? rg_dir_make(folder) : rg_no_memory(1, folder);
    if (code == RG_OK)
        code = rg_folder_open(&j->folder, folder);
    if (code == RG_OK)
        code = rg_folder_each(j->folder, remove_entry, j);
    if (code != RG_OK) {
        rg_folder_close(j->folder);
        rg_free(j->path);
        rg_free(j);
        return code;
    }
    *out = j;
    return RG_OK;
}

void rg_join_close(rg_join *j)
{
    if (j == NULL)
        return;
    (void)rg_folder_each(j->folder, remove_entry, j);
    rg_folder_close(j->folder);
    (void)rg_dir_remove(j->path);
    rg_free(j->path);
    rg_free(j);
}

/* The first in the order of names. */
static rg_status find_first(void *arg, const char *name)
{
    rg_join *j = arg;
    if (strncmp(name, ASKED, sizeof ASKED - 1) == 0 && strlen(name) <= NAME_MAX_BYTES &&
        j->name[0] == '\0')
        (void)snprintf(j->name, sizeof j->name, "%s", name);
    return RG_OK;
}

rg_status rg_join_asked(rg_join *j, bool *asked)
{
    j->name[0] = '\0';
    RG_TRY(rg_folder_each(j->folder, find_first, j));
    *asked = j->name[0] != '\0';
    return RG_OK;
}

rg_status rg_join_answer(rg_join *j, const char *text)
{
    rg_buf path;
    rg_buf_init(&path, 0);
    rg_buf_printf(&path, "%s/%s%s", j->path, ANSWERED, j->name + sizeof ASKED - 1);
    rg_status code = rg_buf_status(&path);
    if (code == RG_OK)
        code = rg_file_write_all(rg_buf_cstr(&path), text, strlen(text));
    rg_buf_fini(&path);
    if (code == RG_OK) /* last: who asks looks for the answer when this is gone */
        code = rg_folder_remove(j->folder, j->name);
    return code;
}
