/* train.c - `paddle train_from_dataset`: train a saved program, with no Python at all. */
#include "cli/commands.h"

#include "base/buf.h"
#include "base/mem.h"
#include "regatta.h"
#include "sys/profile.h"
#include "sys/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: paddle train_from_dataset --main FILE [options] [--filelist LIST | DATA ...]\n\n"
    "  --main FILE          the program to train: a saved ProgramDesc\n"
    "  --startup FILE       the program that initialises its parameters\n"
    "  --load DIR           parameters to begin with, as --save wrote them\n"
    "  --save DIR           where the parameters go in the end\n"
    "  --filelist LIST      data files: a file with a name in each line, or names with commas\n"
    "  --slots A,B,...      variables in the order of a data line (the program's data)\n"
    "  --pipe_command CMD   what each file is put through\n"
    "  --batch_size N       examples in a batch (512)\n"
    "  --thread N           trainer threads (1)\n"
    "  --epochs N           passes over the data (1)\n"
    "  --memory             load the data first\n"
    "  --shuffle SEED       with --memory: shuffle before every pass\n"
    "  --infer              compute, learn nothing\n"
    "  --fetch A,B,...      variables to show\n"
    "  --print_period N     ... every N batches (100)\n";

enum { MAX_LIST = 64 << 20 };

typedef struct names {
    const char **list;
    size_t n, capacity;
} names;

typedef struct request {
    const char *main, *startup, *load, *save, *filelist, *slots, *fetch;
    rg_training training;
    names files, slot_names, fetch_names;
    rg_buf list; /* text of a file of names */
} request;

static rg_status add_name(names *n, const char *name)
{
    RG_TRY(rg_grow((void **)&n->list, n->n, &n->capacity, sizeof *n->list));
    n->list[n->n++] = name;
    return RG_OK;
}

/* The parts of `text`, which is cut up for it. */
static rg_status split(names *n, char *text, const char *at)
{
    char *rest = text;
    for (char *part; (part = strsep(&rest, at)) != NULL;)
        if (part[0] != '\0')
            RG_TRY(add_name(n, part));
    return RG_OK;
}

/* ---- arguments ---- */

static rg_status read_number(const char *option, const char *text, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *text == '\0' || *end != '\0' || value < 1 || value > 1 << 30)
        return rg_fail(RG_EINVAL, "%s takes a whole number above 0, and not '%s'", option, text);
    *out = (int)value;
    return RG_OK;
}

static rg_status read_option(request *r, const char *option, const char *value)
{
    const struct {
        const char *name;
        const char **text;
        int *number;
    } options[] = {
        {"--main", &r->main, NULL},
        {"--startup", &r->startup, NULL},
        {"--load", &r->load, NULL},
        {"--save", &r->save, NULL},
        {"--filelist", &r->filelist, NULL},
        {"--slots", &r->slots, NULL},
        {"--fetch", &r->fetch, NULL},
        {"--pipe_command", &r->training.pipe_command, NULL},
        {"--batch_size", NULL, &r->training.batch_size},
        {"--thread", NULL, &r->training.threads},
        {"--epochs", NULL, &r->training.epochs},
        {"--shuffle", NULL, &r->training.shuffle},
        {"--print_period", NULL, &r->training.print_period},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strcmp(options[i].name, option) != 0)
            continue;
        if (value == NULL)
            return rg_fail(RG_EINVAL, "%s needs a value", option);
        if (options[i].number != NULL)
            return read_number(option, value, options[i].number);
        *options[i].text = value;
        return RG_OK;
    }
    return rg_fail(RG_EINVAL, "there is no option %s", option);
}

static rg_status read_arguments(request *r, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--memory") == 0)
            r->training.in_memory = 1;
        else if (strcmp(argv[i], "--infer") == 0)
            r->training.infer = 1;
        else if (strncmp(argv[i], "--", 2) != 0)
            RG_TRY(add_name(&r->files, argv[i]));
        else if (strchr(argv[i], '=') != NULL) {
            char *value = strchr(argv[i], '=');
            *value = '\0';
            RG_TRY(read_option(r, argv[i], value + 1));
        } else {
            RG_TRY(read_option(r, argv[i], i + 1 < argc ? argv[i + 1] : NULL));
            i++;
        }
    }
    return r->main != NULL ? RG_OK : rg_fail(RG_EINVAL, "--main is required");
}

/* --filelist: names with commas, or a file of names. */
static rg_status read_filelist(request *r)
{
    if (r->filelist == NULL)
        return RG_OK;
    if (strchr(r->filelist, ',') != NULL)
        return split(&r->files, (char *)(uintptr_t)r->filelist, ",");
    rg_file *file;
    RG_TRY(rg_file_open_stream(&file, r->filelist));
    rg_status code = rg_file_read_rest(file, MAX_LIST, &r->list);
    rg_file_close(file);
    RG_TRY(code);
    char *text = (char *)(uintptr_t)rg_buf_cstr(&r->list);
    return split(&r->files, text, "\r\n");
}

static rg_status read_request(request *r, int argc, char **argv)
{
    RG_TRY(read_arguments(r, argc, argv));
    RG_TRY(read_filelist(r));
    if (r->slots != NULL)
        RG_TRY(split(&r->slot_names, (char *)(uintptr_t)r->slots, ","));
    if (r->fetch != NULL)
        RG_TRY(split(&r->fetch_names, (char *)(uintptr_t)r->fetch, ","));
    if (r->training.batch_size == 0)
        r->training.batch_size = 512;
    r->training.files = r->files.list;
    r->training.n_files = r->files.n;
    r->training.slots = r->slot_names.list;
    r->training.n_slots = r->slot_names.n;
    r->training.fetches = r->fetch_names.list;
    r->training.n_fetches = r->fetch_names.n;
    return RG_OK;
}

/* ---- training ---- */

static rg_status train(rg_session *session, const request *r)
{
    int main_program, startup;
    RG_TRY(rg_session_load_program(session, r->main, &main_program));
    if (r->startup != NULL) {
        RG_TRY(rg_session_load_program(session, r->startup, &startup));
        RG_TRY(rg_session_run(session, startup, NULL, 0));
    }
    if (r->load != NULL)
        RG_TRY(rg_session_load(session, main_program, r->load));
    RG_TRY(rg_session_train(session, main_program, &r->training));
    return r->save ? (rg_status)rg_session_save(session, main_program, r->save) : RG_OK;
}

int rg_cli_train(int argc, char **argv)
{
    request r = {0};
    (void)rg_profile_by_flag();
    rg_buf_init(&r.list, MAX_LIST);
    rg_session *session = NULL;
    int status = 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)fputs(usage, stdout);
        return 0;
    }
    if (read_request(&r, argc, argv) != RG_OK) {
        status = rg_cli_misused(rg_last_error());
    } else if (rg_session_open(&session) != 0 || train(session, &r) != RG_OK) {
        (void)rg_cli_misused(rg_last_error());
        status = 1;
    }
    rg_session_close(session);
    rg_free(r.files.list);
    rg_free(r.slot_names.list);
    rg_free(r.fetch_names.list);
    rg_buf_fini(&r.list);
    return status;
}
