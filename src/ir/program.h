/* program.h - a program: blocks of ops over named variables.
 *
 * It has Fluid's vocabulary and is what its files hold. Everything in a program
 * lives in the program's arena: pointers to its variables, ops and names are
 * borrowed until the program is closed. What is removed is only unlinked.
 *
 * Every change raises the version, so that whoever compiled the program can see
 * that it changed. One thread at a time. */
#ifndef RG_IR_PROGRAM_H
#define RG_IR_PROGRAM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/status.h"
#include "ir/attr.h"
#include "ir/op.h"
#include "tensor/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_program rg_program;
typedef struct rg_block rg_block;

#define RG_GRAD_SUFFIX "@GRAD"
#define RG_EMPTY_NAME  "@EMPTY@"

/* What an op is for, in its attribute op_role. */
enum rg_op_role {
    RG_ROLE_FORWARD = 0,
    RG_ROLE_BACKWARD = 1,
    RG_ROLE_OPTIMIZE = 2,
    RG_ROLE_RPC = 4,
    RG_ROLE_DIST = 8,
    RG_ROLE_LR_SCHED = 16,
    RG_ROLE_LOSS = 256,
    RG_ROLE_NOT_SPECIFIED = 4096,
};

typedef struct rg_vardesc {
    rg_meta meta; /* first: shape rules get a pointer to it */
    const char *name;
    rg_block *block;
    bool persistable;
    bool need_check_feed;
    bool stop_gradient;
    bool is_parameter;
    bool is_data;
    bool trainable;  /* of a parameter */
    bool has_tensor; /* the file says dtype and shape (not of a reader, a feed list) */
    rg_meta *reader; /* RG_READER: its slots, n_reader of them */
    size_t n_reader;
    const uint8_t *unknown; /* fields of later releases, as they came */
    size_t n_unknown;
} rg_vardesc;

/* The arguments of one slot. */
typedef struct rg_args {
    const char *slot;
    int n;
    const char **names;
} rg_args;

typedef struct rg_opdesc {
    const char *type;
    const rg_op *op; /* NULL: not implemented here */
    rg_block *block;
    int n_in, n_out, n_attrs;
    rg_args *in, *out;
    rg_attr *attrs; /* those that were given; defaults are in the schema */
    bool is_target;
    uint32_t draw; /* in a plan: its number among the ops with a seed, from 1 on */
    int precision; /* in a plan: how it multiplies, an rg_precision of math/bf16.h */
    const uint8_t *unknown;
    size_t n_unknown;
} rg_opdesc;

struct rg_block {
    rg_program *program;
    int idx, parent_idx, forward_idx; /* -1: none */
    rg_map vars;                      /* name -> rg_vardesc, in order of making */
    rg_opdesc **ops;
    size_t n_ops, cap_ops;
};

enum { RG_DIGEST_BYTES = 32 };

struct rg_program {
    rg_arena arena;
    rg_map names; /* interned */
    rg_block **blocks;
    size_t n_blocks, cap_blocks;
    struct rg_life *life; /* ir/life.h */
    uint64_t version;
    int64_t file_version; /* of the file format, 1008005 for 1.8.5 */
    bool has_file_version;
    int32_t random_seed;
    /* What ops appended from now on get as their common attributes. */
    int32_t op_role;
    const char **role_vars;
    int n_role_vars;
    const char *namescope;
    const char *device;
    const char *where; /* "train.py:12": the user's line that adds the op */
    /* Of a plan's copy: what it was before passes, which do not do the same for all fetches. */
    uint8_t digest[RG_DIGEST_BYTES];
    bool has_digest;
};

/* With one empty block. Owned; ended by rg_program_close(). */
rg_status rg_program_open(rg_program **program);
void rg_program_close(rg_program *program);
/* A copy. for_test: ops of the backward, optimize, RPC and dist roles left out, and, where there is
 * a backward, of the learning rate's schedule, and with them the variables that are theirs alone;
 * is_test set. */
rg_status rg_program_clone(rg_program **copy, const rg_program *program, bool for_test);

/* `name` as this program keeps it: equal names are equal pointers. NULL: no memory. */
const char *rg_program_name(rg_program *program, const char *name);

rg_block *rg_program_block(const rg_program *program, int idx); /* NULL: none such */
enum { RG_MAX_BLOCK_DEPTH = 128 }; /* the outermost included; what walks them may recurse */
rg_status rg_program_add_block(rg_program *program, int parent, rg_block **block);

/* In this block / in it or those around it; NULL: none. */
rg_vardesc *rg_block_var(const rg_block *block, const char *name);
rg_vardesc *rg_block_find(const rg_block *block, const char *name);
/* The variable of that name in this block, made as an empty tensor if it is missing. */
rg_status rg_block_add_var(rg_block *block, const char *name, rg_vardesc **var);
void rg_block_remove_var(rg_block *block, const char *name);
/* The variable and every argument of the block's ops. RG_ENOENT, RG_EINVAL if taken. */
rg_status rg_block_rename_var(rg_block *block, const char *from, const char *to);

/* A new op before the op at `index` (n_ops: at the end), with the program's common
 * attributes. Slots and attributes are set next, then rg_opdesc_infer(). */
rg_status rg_block_insert_op(rg_block *block, size_t index, const char *type, rg_opdesc **op);
rg_status rg_block_append_op(rg_block *block, const char *type, rg_opdesc **op);
void rg_block_remove_ops(rg_block *block, size_t from, size_t to);
rg_status rg_block_copy_op(rg_block *block, size_t index, const rg_opdesc *from, rg_opdesc **op);

/* Make the op one of another type, in its place: slots and attributes are dropped, but for
 * the common ones. */
rg_status rg_opdesc_become(rg_opdesc *op, const char *type);

/* Replace the arguments of a slot. n may be 0. */
rg_status rg_opdesc_set_in(rg_opdesc *op, const char *slot, int n, const char *const *names);
rg_status rg_opdesc_set_out(rg_opdesc *op, const char *slot, int n, const char *const *names);
/* Set, converted to the schema's type where it says one. */
rg_status rg_opdesc_set_attr(rg_opdesc *op, const rg_attr *attr);
void rg_opdesc_remove_attr(rg_opdesc *op, const char *name);
rg_status rg_opdesc_rename(rg_opdesc *op, const char *from, const char *to, bool in, bool out);

/* NULL: no such slot. */
const rg_args *rg_opdesc_in(const rg_opdesc *op, const char *slot);
const rg_args *rg_opdesc_out(const rg_opdesc *op, const char *slot);
/* As given, else the schema's default, else NULL. */
const rg_attr *rg_opdesc_attr(const rg_opdesc *op, const char *name);
int rg_opdesc_role(const rg_opdesc *op);
/* Whether its operator has one of these rg_op_flags. */
bool rg_opdesc_is(const rg_opdesc *op, unsigned flags);
/* Whether an op of block 0 has. */
bool rg_program_has(const rg_program *program, unsigned flags);
/* Whether it is `name += something` in the forward part: metrics count so. */
bool rg_opdesc_adds_to(const rg_opdesc *op, const char *name);
/* "train.py:12", or NULL where it is not known. */
const char *rg_opdesc_where(const rg_opdesc *op);
/* Whether the name is among the op's own arguments. */
bool rg_op_reads(const rg_opdesc *op, const char *name);
bool rg_op_writes(const rg_opdesc *op, const char *name);
/* Whether any op of the block does. */
bool rg_block_reads(const rg_block *block, const char *name);
bool rg_block_writes(const rg_block *block, const char *name);
/* The last op of the block that does, or NULL. */
rg_opdesc *rg_block_last_writer(const rg_block *block, const char *name);
size_t rg_opdesc_index(const rg_opdesc *op); /* in its block; n_ops if removed */

/* Check slots and attributes against the schema, then run the shape rule over the
 * variables' descriptions. Messages show the op, its inputs and the user's line. */
rg_status rg_opdesc_infer(rg_opdesc *op);
/* "mul(X=x [-1, 13] float32, Y=...) at train.py:12" appended to `text`. */
void rg_opdesc_describe(const rg_opdesc *op, rg_buf *text);

/* ProgramDesc bytes. Unpacked programs have been verified. */
rg_status rg_program_pack(const rg_program *program, rg_buf *bytes);
rg_status rg_program_unpack(rg_program **program, const uint8_t *bytes, size_t n);
/* Blocks form a tree, sub-blocks exist, names and dimensions are sound. */
rg_status rg_program_verify(const rg_program *program);

/* RG_EDENIED, by the op's name, where an op of any block reaches outside (RG_OP_OUTSIDE) and is not
 * among the `n` types that are allowed. */
rg_status rg_program_check_outside(const rg_program *program, const char *const *allowed, int n);

/* As real Paddle prints it. */
void rg_program_text(const rg_program *program, rg_buf *text);
void rg_block_text(const rg_block *block, rg_buf *text, int indent);
void rg_opdesc_text(const rg_opdesc *op, rg_buf *text, int indent);
void rg_vardesc_text(const rg_vardesc *var, rg_buf *text, int indent);

/* Leave only the ops that `targets` need, in all blocks; `feeds` are taken as given.
 * Blocks that no op runs any more are removed, and the others numbered anew; so are variables
 * that no op uses, but for `feeds` and `targets`. */
rg_status rg_program_prune(rg_program *program, const char *const *feeds, int n_feeds,
                           const char *const *targets, int n_targets);
/* is_test = true on every op that has it; readers removed if asked. */
rg_status rg_program_set_test(rg_program *program);

#endif
