/* options.c - options of a command, by a table. */
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- spelling ---- */

enum { MAX_WORD = 64 };

static int least_of(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

int rg_spelling_distance(const char *a, const char *b)
{
    int rows[3][MAX_WORD + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > MAX_WORD || m > MAX_WORD)
        return MAX_WORD;
    for (int k = 0; k <= m; k++)
        rows[0][k] = k;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        now[0] = i;
        for (int k = 1; k <= m; k++) {
            now[k] = least_of(before[k] + 1, now[k - 1] + 1,
                              before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                second[k - 2] + 1 < now[k])
                now[k] = second[k - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

void rg_suggest(rg_buf *out, const char *name, const char *dash,
                const char *(*next)(const void *arg, int i), const void *arg)
{
    const char *nearest = NULL, *candidate;
    int least = MAX_WORD, length = (int)strlen(name);
    for (int i = 0; (candidate = next(arg, i)) != NULL; i++) {
        int distance = rg_spelling_distance(name, candidate);
        if (length >= 4 && strncmp(candidate, name, (size_t)length) == 0)
            distance = 1; /* it was cut short */
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    if (nearest != NULL && least <= 1 + length / 3)
        rg_buf_printf(out, "; did you mean %s%s?", dash, nearest);
}

/* ---- reading ---- */

static const char *name_at(const void *table, int i)
{
    return ((const rg_option *)table)[i].name;
}

static rg_status unknown(const rg_option *table, const char *name)
{
    rg_buf more;
    rg_buf_init(&more, 0);
    rg_suggest(&more, name, "--", name_at, table);
    rg_status code = rg_fail(RG_EINVAL, "there is no option --%s%s", name, rg_buf_cstr(&more));
    rg_buf_fini(&more);
    return code;
}

/* "true" or "false"; NULL: neither. */
static const char *boolean(const char *text)
{
    static const char *const yes[] = {"1", "t", "true", "y", "yes"}, *const no[] = {"0", "f",
                                                                                    "false", "n",
                                                                                    "no"};
    for (int i = 0; i < 5; i++) {
        if (strcasecmp(text, yes[i]) == 0)
            return "true";
        if (strcasecmp(text, no[i]) == 0)
            return "false";
    }
    return NULL;
}

static rg_status check_number(const rg_option *option, const char *value)
{
    char *end;
    errno = 0;
    bool whole = option->type == RG_OPTION_INT;
    double number = whole ? (double)strtoll(value, &end, 10) : strtod(value, &end);
    if (value[0] == '\0' || *end != '\0' || errno != 0)
        return rg_fail(RG_EINVAL, "--%s takes a %snumber, and not '%s'", option->name,
                       whole ? "whole " : "", value);
    if ((option->least != 0 || option->most != 0) &&
        !(number >= option->least && number <= option->most))
        return rg_fail(RG_EINVAL, "--%s is %s, and goes from %.15g to %.15g", option->name, value,
                       option->least, option->most);
    return RG_OK;
}

static bool is_default(const rg_option *option, const char *value)
{
    if (option->type == RG_OPTION_INT || option->type == RG_OPTION_FLOAT)
        return strtod(value, NULL) == strtod(option->initial, NULL);
    return strcmp(value, option->initial) == 0;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strchr(value, '|') == NULL ? strlen(value) : 0;
    for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (n > 0 && strncmp(at, value, n) == 0 && (at[n] == '|' || at[n] == '\0'))
            return true;
    }
    return false;
}

static rg_status set(rg_options *options, int i, const char *value)
{
    const rg_option *option = &options->table[i];
    if (option->type == RG_OPTION_BOOL) {
        const char *truth = boolean(value);
        if (truth == NULL)
            return rg_fail(RG_EINVAL, "--%s is true or false, and not '%s'", option->name, value);
        value = truth;
    }
    if (option->type == RG_OPTION_INT || option->type == RG_OPTION_FLOAT)
        RG_TRY(check_number(option, value));
    if (option->choices != NULL && !is_choice(option->choices, value))
        return rg_fail(RG_EINVAL, "--%s is one of %s, and not '%s'", option->name, option->choices,
                       value);
    if (option->why != NULL && !option->moot && !is_default(option, value))
        return rg_fail(RG_EINVAL, "--%s=%s cannot be had: %s", option->name, value, option->why);
    options->values[i] = value;
    options->given[i] = true;
    return RG_OK;
}

/* Names may be written with dashes. */
static bool is_name(const char *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] != (text[i] == '-' ? '_' : text[i]))
            return false; /* also where the name ends */
    return name[length] == '\0';
}

static int find(const rg_option *table, const char *name, size_t length)
{
    for (int i = 0; table[i].name != NULL; i++)
        if (is_name(table[i].name, name, length))
            return i;
    return -1;
}

/* One argument, and the one after it where it takes that. */
static rg_status read_one(rg_options *options, int argc, char **argv, int *at)
{
    const rg_option *table = options->table;
    const char *text = argv[*at];
    const char *name = text + (text[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    int i = find(table, name, length);
    if (i >= 0 && equals != NULL)
        return set(options, i, equals + 1);
    if (i >= 0 && table[i].type == RG_OPTION_BOOL) {
        if (*at + 1 < argc && boolean(argv[*at + 1]) != NULL)
            return rg_fail(RG_EINVAL, "write --%s=%s: a boolean has its value behind '='",
                           table[i].name, argv[*at + 1]);
        return set(options, i, "true");
    }
    if (i >= 0 && *at + 1 < argc)
        return set(options, i, argv[++*at]);
    if (i >= 0)
        return rg_fail(RG_EINVAL, "--%s has no value", table[i].name);
    if (equals == NULL && strncmp(name, "no", 2) == 0) {
        i = find(table, name + 2, length - 2);
        if (i >= 0 && table[i].type == RG_OPTION_BOOL)
            return set(options, i, "false");
    }
    char word[128];
    (void)snprintf(word, sizeof word, "%.*s", (int)(length < 100 ? length : 100), name);
    return unknown(table, word);
}

rg_status rg_options_read(rg_options *options, const rg_option *table, int argc, char **argv)
{
    *options = (rg_options){.table = table};
    for (int i = 0; table[i].name != NULL; i++) {
        assert(i < RG_MAX_OPTIONS);
        options->values[i] = table[i].initial;
    }
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0 ||
            strcmp(argv[i], "-help") == 0) {
            options->help = true;
            return RG_OK;
        }
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            return rg_fail(RG_EINVAL, "'%s' is no option, and nothing else is expected", argv[i]);
        if (strcmp(argv[i], "--") == 0) {
            if (i + 1 == argc)
                break;
            return rg_fail(RG_EINVAL, "'%s' is no option, and nothing else is expected",
                           argv[i + 1]);
        }
        RG_TRY(read_one(options, argc, argv, &i));
    }
    return RG_OK;
}

/* ---- asking ---- */

static int index_of(const rg_options *options, const char *name)
{
    int i = find(options->table, name, strlen(name));
    assert(i >= 0);
    return i;
}

const char *rg_option_text(const rg_options *options, const char *name)
{
    return options->values[index_of(options, name)];
}

int64_t rg_option_int(const rg_options *options, const char *name)
{
    return strtoll(rg_option_text(options, name), NULL, 10);
}

bool rg_option_bool(const rg_options *options, const char *name)
{
    return strcmp(rg_option_text(options, name), "true") == 0;
}

bool rg_option_given(const rg_options *options, const char *name)
{
    return options->given[index_of(options, name)];
}

void rg_options_tell(const rg_options *options, const char *command)
{
    for (int i = 0; options->table[i].name != NULL; i++) {
        const rg_option *option = &options->table[i];
        if (option->moot && !is_default(option, options->values[i]))
            (void)fprintf(stderr, "paddle %s: --%s=%s has no effect: %s\n", command, option->name,
                          options->values[i], option->why);
    }
}

static const char *shown(const char *value)
{
    return value[0] ? value : "\"\"";
}

/* Options that stand in the table for old commands alone; the title where there are some. */
static void print_old(const rg_option *table, bool moot, const char *title)
{
    for (int i = 0, n = 0; table[i].name != NULL; i++) {
        if (table[i].why == NULL || table[i].moot != moot)
            continue;
        if (n++ == 0)
            (void)printf("\n%s\n", title);
        (void)printf("  --%-30s %s [%s]\n", table[i].name, table[i].why, shown(table[i].initial));
    }
}

void rg_options_print(const rg_option *table)
{
    for (int i = 0; table[i].name != NULL; i++)
        if (table[i].why == NULL)
            (void)printf("  --%-30s %s%s%s [%s]\n", table[i].name, table[i].doc,
                         table[i].choices ? ": " : "", table[i].choices ? table[i].choices : "",
                         shown(table[i].initial));
    print_old(table, true, "Options of old jobs that are taken, and have no effect:");
    print_old(table, false, "Options of old jobs that may be given with their default alone:");
}
