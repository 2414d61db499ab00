/* because.c - "worker 1" or "server ?", in a file. */
#include "sys/because.h"

#include "base/buf.h"
#include "sys/file.h"
#include "sys/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };
static const char OVER[] = "over\n";

void rg_because_say(rg_because of)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *path = getenv("REGATTA_BECAUSE");
    char text[MOST];
    if (path == NULL || path[0] == '\0' || atomic_flag_test_and_set(&said))
        return;
    (void)snprintf(text, sizeof text, "%s %d\n", of.worker ? "worker" : "server", of.index);
    if (rg_file_write_all(path, text, strlen(text)) != RG_OK)
        rg_log(RG_LOG_W, "job", "\"no word to the launcher\" why=\"%s\"", rg_error_message());
}

static bool parse(const char *text, rg_because *of)
{
    size_t role = strlen("worker ");
    char *end = NULL;
    of->worker = strncmp(text, "worker ", role) == 0;
    if (!of->worker && strncmp(text, "server ", role) != 0)
        return false;
    long index = strtol(text + role, &end, 10);
    of->index = (int)index;
    return end != text + role && *end == '\n' && index >= RG_BECAUSE_ANY && index < 1 << 20;
}

bool rg_because_read(const char *path, rg_because *of)
{
    rg_buf text;
    rg_buf_init(&text, MOST);
    bool read = rg_path_exists(path) && rg_file_read_all(path, MOST, &text) == RG_OK &&
                parse(rg_buf_cstr(&text), of);
    rg_buf_fini(&text);
    return read;
}

void rg_because_over(void)
{
    const char *path = getenv("REGATTA_BECAUSE");
    if (path != NULL && path[0] != '\0' && rg_file_write_all(path, OVER, strlen(OVER)) != RG_OK)
        rg_log(RG_LOG_W, "job", "\"no word to the launcher\" why=\"%s\"", rg_error_message());
}

bool rg_because_is_over(const char *path)
{
    rg_buf text;
    rg_buf_init(&text, MOST);
    bool over = rg_path_exists(path) && rg_file_read_all(path, MOST, &text) == RG_OK &&
                strcmp(rg_buf_cstr(&text), OVER) == 0;
    rg_buf_fini(&text);
    return over;
}

void rg_because_forget(const char *path)
{
    (void)unlink(path);
}
