/* options.h - options of a command as gflags had them: --name=value, --name value, -name=value,
 * and of booleans --name and --noname.
 *
 * A command has one table, with every option's default and meaning. An option that cannot be
 * honoured is in it, too, with the reason: its default may be given, anything else is refused, or,
 * where it is about speed or messages alone, taken with a line that says so. Names that are in no
 * table are refused with the nearest one that is. */
#ifndef RG_CLI_OPTIONS_H
#define RG_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum rg_option_type {
    RG_OPTION_TEXT,
    RG_OPTION_BOOL,
    RG_OPTION_INT,
    RG_OPTION_FLOAT
} rg_option_type;

typedef struct rg_option {
    const char *name;
    rg_option_type type;
    const char *initial;
    const char *doc;
    double least, most;  /* of a number; both 0: any */
    const char *choices; /* of a text, "train|test"; NULL: any */
    const char *why;     /* NULL: honoured; else why not ... */
    bool moot;           /* ... and yet taken */
} rg_option;

/* Rows of a table. */
#define RG_NUMBER(NAME, INITIAL, LEAST, MOST, DOC) \
    {.name = (NAME),                               \
     .type = RG_OPTION_INT,                        \
     .initial = (INITIAL),                         \
     .doc = (DOC),                                 \
     .least = (LEAST),                             \
     .most = (MOST)}
#define RG_WORD(NAME, INITIAL, DOC) \
    {.name = (NAME), .type = RG_OPTION_TEXT, .initial = (INITIAL), .doc = (DOC)}
#define RG_SWITCH(NAME, INITIAL, DOC) \
    {.name = (NAME), .type = RG_OPTION_BOOL, .initial = (INITIAL), .doc = (DOC)}
#define RG_REFUSED(NAME, TYPE, INITIAL, WHY) \
    {.name = (NAME), .type = RG_OPTION_##TYPE, .initial = (INITIAL), .why = (WHY)}
#define RG_MOOT(NAME, TYPE, INITIAL, WHY) \
    {.name = (NAME), .type = RG_OPTION_##TYPE, .initial = (INITIAL), .why = (WHY), .moot = true}

enum { RG_MAX_OPTIONS = 128 };

typedef struct rg_options {
    const rg_option *table; /* ended by an option without a name */
    const char *values[RG_MAX_OPTIONS];
    bool given[RG_MAX_OPTIONS];
    bool help; /* --help was among them: nothing was checked */
} rg_options;

/* argv[0] is the command. Values are borrowed of argv and the table; booleans become "true" or
 * "false". RG_EINVAL says what is wrong and what to write. */
rg_status rg_options_read(rg_options *options, const rg_option *table, int argc, char **argv);

/* For names of the table only: a wrong one is our own bug (assert). */
const char *rg_option_text(const rg_options *options, const char *name);
int64_t rg_option_int(const rg_options *options, const char *name);
bool rg_option_bool(const rg_options *options, const char *name);
bool rg_option_given(const rg_options *options, const char *name);

/* The options that were given and have no effect, a line each to stderr. */
void rg_options_tell(const rg_options *options, const char *command);
/* All options and what they mean, to stdout. */
void rg_options_print(const rg_option *table);

/* How many letters must be put in, taken out, exchanged or swapped to make one of the other. */
int rg_spelling_distance(const char *a, const char *b);
/* Of a name that was meant, "" or "; did you mean NAME?": the nearest that next(arg, i) gives,
 * which ends with NULL, where one is near. `dash` stands before the name. */
void rg_suggest(rg_buf *out, const char *name, const char *dash,
                const char *(*next)(const void *arg, int i), const void *arg);

#endif
