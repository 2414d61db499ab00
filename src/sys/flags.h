/* flags.h - the FLAGS_* settings.
 *
 * A flag is declared once, in the table of flags.c, with its type, default and
 * meaning. Its value comes from the environment (FLAGS_name) when the process
 * starts and may be changed by rg_flag_set() (fluid.set_flags). A name that is
 * not in the table is refused by name; one whose effect does not exist here is
 * in the table with the reason, and asking for it says so once.
 *
 * Reading is cheap; both reading and setting may be done from any thread. */
#ifndef RG_SYS_FLAGS_H
#define RG_SYS_FLAGS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rg_flag_type { RG_FLAG_BOOL, RG_FLAG_INT, RG_FLAG_FLOAT, RG_FLAG_TEXT } rg_flag_type;

typedef struct rg_flag {
    const char *name; /* without FLAGS_ */
    rg_flag_type type;
    const char *initial;
    const char *doc;
    const char *moot; /* NULL: honoured; else why there is nothing to honour */
} rg_flag;

/* The table, ended by a flag without a name. */
const rg_flag *rg_flag_table(void);

/* Read the environment. An unreadable value is RG_EINVAL, naming the variable;
 * an unknown FLAGS_* name is a warning in the log. Called once, at start. */
rg_status rg_flags_from_environment(void);

/* name with or without "FLAGS_". */
rg_status rg_flag_set(const char *name, const char *value);
/* The value as text; RG_ENOENT for an unknown name. Borrowed for the process's life. */
rg_status rg_flag_text(const char *name, const char **value);

/* For flags of the table only: a wrong name is our own bug (assert). */
bool rg_flag_bool(const char *name);
int64_t rg_flag_int(const char *name);

/* For who asks in every run: the flag's number, looked up once, and its value by that. */
int rg_flag_number(const char *name);
bool rg_flag_bool_of(int number);
const char *rg_flag_text_of(int number);

#endif
