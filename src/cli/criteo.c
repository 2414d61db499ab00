/* criteo.c - `paddle criteo` and `paddle gen-criteo`: Criteo logs read, and made up. */
#include "cli/commands.h"
#include "data/criteo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *command, const char *what)
{
    (void)fprintf(stderr, "paddle %s: %s\n", command, what);
    return 2;
}

static rg_status to_stream(void *arg, const void *bytes, size_t n)
{
    if (fwrite(bytes, 1, n, arg) != n)
        return rg_fail(RG_EIO, "cannot write: %s", strerror(errno));
    return RG_OK;
}

/* The value of "--name VALUE" or "--name=VALUE" at argv[*i], which moves on; NULL: another. */
static const char *option(int argc, char **argv, int *i, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0)
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    if (argv[*i][n] != '\0')
        return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

static bool whole_number(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static int no_number(const char *command, const char *option, const char *value)
{
    (void)rg_fail(RG_EINVAL, "%s takes a whole number%s, and not '%s'", option,
                  strcmp(option, "--seed") == 0 ? "" : " above 0", value);
    return complain(command, rg_error_message());
}

int rg_cli_criteo(int argc, char **argv)
{
    static const char usage[] = "usage: paddle criteo --hash BUCKETS [FILE... | -]";
    uint64_t buckets = 0;
    int n_files = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = option(argc, argv, &i, "--hash");
        if (value != NULL && (!whole_number(value, &buckets) || buckets == 0))
            return no_number(argv[0], "--hash", value);
        if (value == NULL && argv[i][0] == '-' && argv[i][1] != '\0')
            return complain(argv[0], usage);
        if (value == NULL)
            argv[1 + n_files++] = argv[i];
    }
    if (buckets == 0)
        return complain(argv[0], usage);
    if (n_files == 0)
        argv[1 + n_files++] = (char *)"-";
    for (int i = 1; i <= n_files; i++) {
        const char *file = strcmp(argv[i], "-") == 0 ? "/dev/stdin" : argv[i];
        if (rg_criteo_convert(file, buckets, to_stream, stdout) != RG_OK) {
            (void)fflush(stdout);
            return complain(argv[0], rg_error_message()) - 1;
        }
    }
    return fflush(stdout) == 0 ? 0 : complain(argv[0], strerror(errno)) - 1;
}

int rg_cli_gen_criteo(int argc, char **argv)
{
    static const char usage[] = "usage: paddle gen-criteo --rows N [--seed S] [--out FILE]";
    uint64_t rows = 0, seed = 7;
    const char *out = NULL, *value;
    for (int i = 1; i < argc; i++) {
        if ((value = option(argc, argv, &i, "--rows")) != NULL) {
            if (!whole_number(value, &rows) || rows == 0)
                return no_number(argv[0], "--rows", value);
        } else if ((value = option(argc, argv, &i, "--seed")) != NULL) {
            if (!whole_number(value, &seed))
                return no_number(argv[0], "--seed", value);
        } else if ((out = option(argc, argv, &i, "--out")) == NULL) {
            return complain(argv[0], usage);
        }
    }
    if (rows == 0 || (out != NULL && out[0] == '\0'))
        return complain(argv[0], usage);
    FILE *stream = out ? freopen(out, "w", stdout) : stdout;
    if (stream == NULL) {
        (void)rg_fail(RG_EIO, "cannot write to %s: %s", out, strerror(errno));
        return complain(argv[0], rg_error_message()) - 1;
    }
    double auc;
    if (rg_criteo_generate(rows, seed, to_stream, stream, &auc) != RG_OK)
        return complain(argv[0], rg_error_message()) - 1;
    if (fflush(stream) != 0)
        return complain(argv[0], strerror(errno)) - 1;
    (void)fprintf(stderr, "AUC of the true model: %.4f over %llu rows\n", auc,
                  (unsigned long long)rows);
    return 0;
}
