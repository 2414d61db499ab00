/* uses.h - who writes and who reads each variable of a block: what fusions ask. */
#ifndef RG_PASS_USES_H
#define RG_PASS_USES_H

#include "base/arena.h"
#include "base/map.h"
#include "ir/program.h"
#include "pass/pass.h"

typedef struct rg_use {
    rg_opdesc *op;
    int index;       /* of the op in the block */
    bool shape_only; /* a reader that looks at the shape alone */
    struct rg_use *next;
} rg_use;

typedef struct rg_var_uses {
    rg_use *readers, *writers; /* in the order of the block, but for rg_uses_changed() */
    rg_use *last_reader, *last_writer;
    bool fixed; /* protected, persistable, or used in a sub-block */
} rg_var_uses;

typedef struct rg_uses {
    rg_block *block;
    rg_arena arena;
    rg_map vars;   /* name -> rg_var_uses */
    bool *removed; /* by index: ops that a fusion has done away with */
} rg_uses;

/* Of block 0 of the program, as it stands. While it is in use, ops are changed in their
 * places (rg_opdesc_become) and removed by rg_uses_remove(), so that indices stay. A
 * fusion may go on to the next match as long as the matches share no temporaries. */
rg_status rg_uses_make(rg_uses *uses, rg_program *program, const rg_protected *keep);
/* After an op was changed: the next match sees what it reads and writes now, too. */
rg_status rg_uses_changed(rg_uses *uses, rg_opdesc *op);
/* Takes the removed ops out of the block. */
void rg_uses_fini(rg_uses *uses);
void rg_uses_remove(rg_uses *uses, const rg_opdesc *op); /* NULL is allowed */
/* The index of an op of the block. */
size_t rg_uses_index(const rg_uses *uses, const rg_opdesc *op);

/* The only op that reads the data of `name`, where the variable is temporary, written once
 * and read by nobody else; NULL otherwise. */
rg_opdesc *rg_only_reader(const rg_uses *uses, const char *name);
/* As above, but NULL also where anyone looks at its shape. */
rg_opdesc *rg_sole_reader(const rg_uses *uses, const char *name);
/* The only op that writes it; NULL: none, or several. */
rg_opdesc *rg_only_writer(const rg_uses *uses, const char *name);
/* Whether any op strictly between the two places reads (or writes) the variable. */
bool rg_read_between(const rg_uses *uses, const char *name, size_t from, size_t to);
bool rg_written_between(const rg_uses *uses, const char *name, size_t from, size_t to);
/* Either of them. What an op reads may be read at another place where nobody writes it between the
 * two, and what it writes may be written there where nobody uses it between them. */
bool rg_used_between(const rg_uses *uses, const char *name, size_t from, size_t to);

/* The one argument of a slot; NULL: none, several, or @EMPTY@. */
const char *rg_one_in(const rg_opdesc *op, const char *slot);
const char *rg_one_out(const rg_opdesc *op, const char *slot);
bool rg_is_type(const rg_opdesc *op, const char *type);

#endif
