/* op.h - what an operator is.
 *
 * An operator is one file in src/ops/ (or one table for a family of near-twins),
 * and adding one touches no other file. It defines `const rg_op rg_op_NAME`, or
 * `const rg_op rg_ops_FAMILY[]` ended by an op without a type, and nothing else
 * with external linkage; the build collects these into the registry. Read it top
 * down: what it computes, the shape rule, the kernel, the gradient, and last the
 * definition that binds them.
 *
 * Slots and attributes are addressed by position, which an enum in the op's file
 * names. Their names are the ones written in a saved program, so that a model
 * saved elsewhere still loads: changing one breaks the file format.
 *
 * The gradient of T is the op that T's `grad_type` names, or "T_grad" where there
 * is one. Its own slots say all that autodiff must know: an input "X" is T's input
 * or output of that name, "Out@GRAD" the gradient of T's output, an output "X@GRAD"
 * the gradient of T's input. Only where that is not enough has T a `grad` function.
 *
 * The gradient of a gradient op T_grad (gradients twice over) comes the same way where it has a
 * `grad` function, or a gradient op beside it; else it is made of what T and T_grad say: T is
 * linear or bilinear, T_grad is diagonal, or T_grad is composed of ops that have gradients
 * (terms.h). Where nothing is said, differentiating it is an error that names it.
 *
 * Ownership: operators own nothing. Every value reached through a context belongs
 * to the executor and lives at least until the kernel returns. A kernel may read
 * its inputs and must write every element of its outputs; outputs have the dtype
 * and shape that the shape rule gave them, and memory for it, when it is called.
 * It allocates nothing but rg_scratch(). */
#ifndef RG_IR_OP_H
#define RG_IR_OP_H

#include "base/arena.h"
#include "base/philox.h"
#include "base/status.h"
#include "ir/attr.h"
#include "tensor/value.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the definition ---- */

enum rg_slot_flags {
    RG_OPTIONAL = 1 << 0,       /* may be absent */
    RG_REPEATED = 1 << 1,       /* takes a list of variables */
    RG_NO_GRAD = 1 << 2,        /* input: no gradient ever flows into it */
    RG_INTERMEDIATE = 1 << 3,   /* output: there for the gradient only */
    RG_SHAPE_ONLY = 1 << 4,     /* input: its shape and LoD are read, never its data */
    RG_SIZES = 1 << 5,          /* input: the shape rule reads its values, so it runs each step */
    RG_VIEW = 1 << 6,           /* output: may share memory with its in-place partner
                                 * even while that lives on, since neither is changed */
    RG_SUMMED = 1 << 7,         /* persistable counters, added to atomically: trainer threads
                                 * share them; where each has its own they are added up */
    RG_UNSET_OK = 1 << 8,       /* input: may have no value, as a branch that was not taken
                                 * leaves it; its data is NULL then, and the kernel looks */
    RG_ANY_KIND = 1 << 9,       /* input: may also be sparse, an array or an object, and the shape
                                 * rule looks; without it only tensors reach that and the kernel */
    RG_LATE_OK = 1 << 10,       /* the kernel itself settles the rows that it reads or writes of
                                 * a tensor whose rows may be behind (value.h); else all are */
    RG_NOT_DESCRIBED = 1 << 11, /* input: may name a variable that no block describes, as the queue
                                 * of a reader, which Paddle has in the scope alone */
    RG_ROWS_OK = 1 << 12,       /* input: may also be sparse, and nothing else */
    RG_UNCHANGED = 1 << 13, /* output: what the input of that variable was, wherever it is one */
};

typedef struct rg_slot {
    const char *name; /* as in a saved program: "X", "Out" */
    const char *doc;  /* one line, shown by `paddle ops` and in the reference */
    unsigned flags;
    int like;    /* output: RG_OF(input) whose dtype, shape and LoD it takes */
    int inplace; /* output: RG_OF(input) whose memory it may take over */
} rg_slot;

#define RG_OF(input) (1 + (input))

typedef struct rg_attr_spec {
    rg_attr value; /* name, type and default */
    const char *doc;
    bool required;
} rg_attr_spec;

/* Arrays for the definition: .in = RG_SLOTS([X] = {...}, [Y] = {...}). The enum's
 * order must be the order of the list, so that the end mark comes last. */
#define RG_SLOTS(...) ((const rg_slot[]){__VA_ARGS__, {.name = NULL}})
#define RG_ATTRS(...) ((const rg_attr_spec[]){__VA_ARGS__, {.doc = NULL}})

#define RG_ATTR_OF(NAME, TYPE, FIELD, VALUE, DOC)                                 \
    {                                                                             \
        .value = {.name = (NAME), .type = (TYPE), .FIELD = (VALUE)}, .doc = (DOC) \
    }
#define RG_INT(name, value, doc)     RG_ATTR_OF(name, RG_ATTR_INT, i, value, doc)
#define RG_LONG(name, value, doc)    RG_ATTR_OF(name, RG_ATTR_LONG, l, value, doc)
#define RG_FLOAT(name, value, doc)   RG_ATTR_OF(name, RG_ATTR_FLOAT, f, value, doc)
#define RG_BOOLEAN(name, value, doc) RG_ATTR_OF(name, RG_ATTR_BOOL, b, value, doc)
#define RG_STRING(name, value, doc)  RG_ATTR_OF(name, RG_ATTR_STRING, s, value, doc)
/* A list of `count` ints unless given. */
#define RG_INT_LIST(NAME, LIST, COUNT, DOC)                                            \
    {                                                                                  \
        .value = {.name = (NAME), .type = RG_ATTR_INTS, .n = (COUNT), .ints = (LIST)}, \
        .doc = (DOC)                                                                   \
    }
/* A list that is empty unless given. */
#define RG_LIST(name, type, doc) RG_ATTR_OF(name, type, longs, NULL, doc)
#define RG_REQUIRED(NAME, TYPE, DOC)                                                       \
    {                                                                                      \
        .value = {.name = (NAME), .type = (TYPE), .s = ""}, .doc = (DOC), .required = true \
    }

typedef struct rg_ctx rg_ctx;           /* one op with its arguments         */
typedef struct rg_grad_ctx rg_grad_ctx; /* the block that gradients go into  */
typedef struct rg_run rg_run;           /* the step that is being run        */
typedef struct rg_terms rg_terms;       /* an op being composed of others    */
struct rg_update;                       /* how it updates a parameter: update.h */

enum rg_op_flags {
    RG_OP_EFFECT = 1 << 0,   /* does more than write its outputs: print, save, send */
    RG_OP_DYNAMIC = 1 << 1,  /* its kernel sizes the outputs (rg_out_resize): they depend on data */
    RG_OP_HOST = 1 << 2,     /* only inside the executor: feed, fetch */
    RG_OP_INTERNAL = 1 << 3, /* made by passes; not in saved programs nor in the reference */
    RG_OP_HOLDS_INPUTS = 1 << 4, /* what it reads is needed until the run is over */
    RG_OP_LINEAR = 1 << 5, /* in the inputs that have gradients, all together: concat, reduce_sum */
    RG_OP_BILINEAR = 1 << 6, /* in each of them, while the others are held: mul, conv2d */
    RG_OP_DIAGONAL = 1 << 7, /* a gradient op: X@GRAD is Out@GRAD, each element times a number that
                              * does not change with any input: relu_grad, dropout_grad */
    RG_OP_OUTSIDE = 1 << 8,  /* reaches files, other processes or Python's functions: not in a model
                              * of someone else's that is loaded to infer, unless allowed */
    RG_OP_TALKS = 1 << 10,   /* to the servers of a job, which its attributes name */
    RG_OP_STEP = 1 << 11,    /* is there for the steps of a training: not run to infer */
    RG_OP_PUSHES = 1 << 12,  /* what it reads goes to the servers */
    RG_OP_ENDS_STEP = 1 << 13, /* the trainer's threads go to the servers together, here */
    RG_OP_SERVES = 1 << 14,    /* is a server until the job is over */
    RG_OP_NO_MEMORY = 1 << 15, /* its outputs get a shape and no memory: fake_init */
    RG_OP_ENDLESS = 1 << 16,   /* may run for ever: while */
};

struct rg_opdesc;

typedef struct rg_op {
    const char *type; /* as in a saved program: "log_loss" */
    const char *doc;
    const rg_slot *in, *out;
    const rg_attr_spec *attr; /* NULL: none of its own */
    unsigned flags;
    const char *grad_type;          /* NULL: T_grad, if there is one */
    const struct rg_update *update; /* of an optimizer; NULL: it is none */

    /* Check the inputs' shapes and set every output's dtype, shape and LoD. Runs when
     * the op is added to a program (dimensions may be -1) and again, on values, when
     * shapes change. NULL: every output has a `like`. */
    rg_status (*infer)(rg_ctx *ctx);

    /* Compute. Shapes have been checked by `infer`. */
    rg_status (*kernel)(rg_ctx *ctx);

    /* Append the ops that compute the inputs' gradients, where the rule above does
     * not say it. */
    rg_status (*grad)(rg_grad_ctx *ctx);

    /* Of a gradient op: build, of ops that have gradients, what the kernel computes (terms.h). */
    void (*compose)(rg_terms *terms);

    /* End what the kernel keeps in ctx->state; called when a plan is dropped. */
    void (*drop)(void *state);

    /* Where each thread has its own RG_SUMMED output: add to `all`, the first thread's, what
     * another has counted into `own` of the same batch. Both began as `base`. NULL: the
     * difference of own and base is added. */
    void (*add_counts)(const struct rg_opdesc *desc, const rg_value *base, const rg_value *own,
                       rg_value *all);
} rg_op;

/* The registered op of that type; NULL where there is none. */
const rg_op *rg_op_find(const char *type);
/* All of them in order of type, `*n` in number. */
const rg_op *const *rg_op_all(size_t *n);
/* RG_EUNIMPL: op X is not implemented, and where the list is. */
rg_status rg_op_missing(const char *type);
int rg_op_in_slot(const rg_op *op, const char *name);  /* -1: none */
int rg_op_out_slot(const rg_op *op, const char *name); /* -1: none */
int rg_op_attr_slot(const rg_op *op, const char *name);
/* Attributes that every op may have whatever its schema: op_role, use_mkldnn, ... */
bool rg_attr_is_common(const char *name);

/* ---- the context: an op with its arguments ---- */

struct rg_ctx {
    const rg_op *op;
    const struct rg_opdesc *desc; /* names, for messages */
    const rg_attr *const *attr;   /* by position; defaults filled in */
    rg_meta *const *in;           /* slot s has [in_at[s], in_at[s + 1]); NULL: @EMPTY@ */
    rg_meta *const *out;
    const uint16_t *in_at, *out_at;
    rg_run *run; /* NULL while a program is built */
    void *state; /* the kernel's own, kept between the runs of a plan; ended by drop() */
    void *sub;   /* the executor's: the op's sub-block, planned */
};

static inline int rg_n_in(const rg_ctx *ctx, int slot)
{
    return ctx->in_at[slot + 1] - ctx->in_at[slot];
}

static inline int rg_n_out(const rg_ctx *ctx, int slot)
{
    return ctx->out_at[slot + 1] - ctx->out_at[slot];
}

static inline rg_meta *rg_in_meta_n(const rg_ctx *ctx, int slot, int i)
{
    return i < rg_n_in(ctx, slot) ? ctx->in[ctx->in_at[slot] + i] : NULL;
}

static inline rg_meta *rg_out_meta_n(const rg_ctx *ctx, int slot, int i)
{
    return i < rg_n_out(ctx, slot) ? ctx->out[ctx->out_at[slot] + i] : NULL;
}

static inline rg_meta *rg_in_meta(const rg_ctx *ctx, int slot)
{
    return rg_in_meta_n(ctx, slot, 0);
}

static inline rg_meta *rg_out_meta(const rg_ctx *ctx, int slot)
{
    return rg_out_meta_n(ctx, slot, 0);
}

static inline bool rg_has_in(const rg_ctx *ctx, int slot)
{
    return rg_in_meta(ctx, slot) != NULL;
}

static inline bool rg_has_out(const rg_ctx *ctx, int slot)
{
    return rg_out_meta(ctx, slot) != NULL;
}

/* Of an input that is there. */
static inline const rg_shape *rg_shape_of(const rg_ctx *ctx, int slot)
{
    return &rg_in_meta(ctx, slot)->shape;
}

static inline rg_dtype rg_dtype_of(const rg_ctx *ctx, int slot)
{
    return rg_in_meta(ctx, slot)->dtype;
}

static inline bool rg_running(const rg_ctx *ctx)
{
    return ctx->run != NULL;
}

static inline int32_t rg_attr_int(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr]->i;
}

static inline int64_t rg_attr_long(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr]->l;
}

static inline float rg_attr_float(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr]->f;
}

static inline bool rg_attr_bool(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr]->b;
}

static inline const char *rg_attr_string(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr]->s;
}

static inline const rg_attr *rg_attr_list(const rg_ctx *ctx, int attr)
{
    return ctx->attr[attr];
}

/* ---- for shape rules ---- */

/* Outputs that nobody asked for are left alone by all of these. */
void rg_set_shape(rg_ctx *ctx, int out, const rg_shape *shape);
void rg_set_shape_n(rg_ctx *ctx, int out, int i, const rg_shape *shape);
void rg_set_dtype(rg_ctx *ctx, int out, rg_dtype dtype);
void rg_set_dtype_n(rg_ctx *ctx, int out, int i, rg_dtype dtype);
/* dtype and shape at once, and no LoD: the usual case. */
void rg_set_out(rg_ctx *ctx, int out, rg_dtype dtype, const rg_shape *shape);
void rg_set_out_n(rg_ctx *ctx, int out, int i, rg_dtype dtype, const rg_shape *shape);
void rg_set_kind(rg_ctx *ctx, int out, rg_kind kind);
/* The output's LoD becomes the input's (or none). */
void rg_share_lod(rg_ctx *ctx, int in, int out);
void rg_share_lod_n(rg_ctx *ctx, int in, int n, int out); /* of input n of the slot */
/* A LoD made by the rule; it is taken. While building, only its depth counts. */
void rg_take_lod(rg_ctx *ctx, int out, rg_lod *lod);
void rg_set_lod_level(rg_ctx *ctx, int out, int levels);
/* dtype, kind, shape and LoD of the input. */
void rg_set_like(rg_ctx *ctx, int out, int in);

/* RG_ESHAPE, naming the slot, the shape found and the rank wanted. */
rg_status rg_expect_rank(const rg_ctx *ctx, int in, int rank);
/* RG_ESHAPE unless the two agree wherever both are known. */
rg_status rg_expect_same_shape(const rg_ctx *ctx, int a, int b);
rg_status rg_expect_same_dtype(const rg_ctx *ctx, int a, int b);
/* RG_ESHAPE unless the dtype is one of `dtypes`, a list of n. */
rg_status rg_expect_dtype(const rg_ctx *ctx, int in, const rg_dtype *dtypes, int n);
#define RG_EXPECT_DTYPE(ctx, in, ...)                         \
    rg_expect_dtype(ctx, in, (const rg_dtype[]){__VA_ARGS__}, \
                    (int)(sizeof((const rg_dtype[]){__VA_ARGS__}) / sizeof(rg_dtype)))
/* axis, counted from the end where negative, as 0 .. rank-1; RG_EINVAL else. */
rg_status rg_expect_axis(const rg_ctx *ctx, int axis, int rank, int *out);
/* The LoD of an input that must have one of at least one level, and where the
 * program runs, its last level must cover the rows. *lod is NULL while building. */
rg_status rg_expect_lod(const rg_ctx *ctx, int in, const rg_lod **lod);
/* Name of an input's variable, for messages. */
const char *rg_in_name(const rg_ctx *ctx, int slot, int i);
const char *rg_out_name(const rg_ctx *ctx, int slot, int i);

/* ---- for kernels ---- */

/* NULL where an optional input is absent. */
static inline const rg_value *rg_in_n(const rg_ctx *ctx, int slot, int i)
{
    assert(rg_running(ctx));
    return (const rg_value *)rg_in_meta_n(ctx, slot, i);
}

static inline const rg_value *rg_in(const rg_ctx *ctx, int slot)
{
    return rg_in_n(ctx, slot, 0);
}

/* NULL where nobody asked for it: then it need not be computed. */
static inline rg_value *rg_out_n(const rg_ctx *ctx, int slot, int i)
{
    assert(rg_running(ctx));
    return (rg_value *)rg_out_meta_n(ctx, slot, i);
}

static inline rg_value *rg_out(const rg_ctx *ctx, int slot)
{
    return rg_out_n(ctx, slot, 0);
}

static inline const void *rg_in_data(const rg_ctx *ctx, int slot)
{
    const rg_value *value = rg_in(ctx, slot);
    return value ? value->data : NULL;
}

static inline void *rg_out_data(const rg_ctx *ctx, int slot)
{
    rg_value *value = rg_out(ctx, slot);
    return value ? value->data : NULL;
}

/* Memory until the kernel returns; 64-byte aligned. NULL, with the message set,
 * when there is none. */
void *rg_scratch(rg_ctx *ctx, size_t bytes);

/* The memory of an output, or scratch in its place where nobody asked for it. */
static inline void *rg_out_or_scratch(rg_ctx *ctx, int slot, size_t bytes)
{
    void *out = rg_out_data(ctx, slot);
    return out ? out : rg_scratch(ctx, bytes);
}

/* For RG_OP_DYNAMIC: give output `i` of the slot its size. */
rg_status rg_out_resize(rg_ctx *ctx, int slot, int i, rg_dtype dtype, const rg_shape *shape);

/* RG_EUNIMPL, naming the op, the slot and the dtype it has no kernel for. */
rg_status rg_bad_dtype(const rg_ctx *ctx, int in);

/* What the executor does for kernels. */
struct rg_run {
    uint64_t seed; /* of the program, or of the process, where an op names none */
    bool seeded;   /* the program names one */
    uint64_t step; /* runs of the plan before this one */
    int thread;    /* which trainer thread */
    rg_arena *scratch;
    struct rg_job *job;             /* that it is part of (dist/job.h); NULL: none */
    const struct rg_device *device; /* whose kernels run (tensor/device.h) */
    void *stream;                   /* of that device; NULL: it has none */
    const struct rg_run_services *services;
    void *plan;
};

typedef struct rg_run_services {
    /* Run the op's sub-block once over its present variables. */
    rg_status (*run_block)(rg_ctx *ctx);
    /* Set the sub-block's variables aside as the next step of `scopes`, with copies of those
     * around it that it changed and its gradient reads, ... */
    rg_status (*save_step)(rg_ctx *ctx, rg_value *scopes);
    /* ... and bring back how step i left them all, for the gradient's sub-block to read. */
    rg_status (*load_step)(rg_ctx *ctx, rg_value *scopes, size_t i);
    /* The variables around it as they are now: kept before the first load_step(), and put
     * back after the last. */
    rg_status (*keep_present)(rg_ctx *ctx, rg_value *scopes);
    rg_status (*load_present)(rg_ctx *ctx, rg_value *scopes);
    /* A variable of the sub-block by name; NULL where it has none. */
    rg_value *(*block_value)(rg_ctx *ctx, const char *name);
    /* What the next run will be fed in place of `fed`, a variable's value; NULL where that is
     * not known, or it is not fed. */
    const rg_value *(*ahead)(const rg_ctx *ctx, const rg_value *fed);
    /* Call the Python function registered under `id` (py_func). */
    rg_status (*call_python)(rg_ctx *ctx, int id);
} rg_run_services;

/* The stream of random numbers of this op. fixed: its seed (not 0) and its place among the random
 * ops of the program decide, so that each run gives the same; otherwise the step does, too, and
 * the program's seed where its own is 0. Only where neither has one its first output's name
 * counts: two programs of a process differ then. */
rg_philox_key rg_random_key(const rg_ctx *ctx, int seed, bool fixed);

/* The stream of an initialiser, from which a variable starts: whole or in slices, here or row by
 * row on a server. seed: its own, or that of the program when it was built, whose initialisers
 * are numbered from 1 on; number 0: the seed alone decides. Seed 0: `name`, which is the whole
 * variable's, and the step. */
rg_philox_key rg_start_key(const rg_run *run, int seed, int number, const char *name);

/* ---- for gradients ---- */

/* The forward op. */
const struct rg_opdesc *rg_grad_forward(const rg_grad_ctx *ctx);
/* Append a gradient op; it is then given slots and attributes below, and by
 * rg_opdesc_set_*. It has the forward op's attributes if `with_attrs`. */
rg_status rg_grad_add(rg_grad_ctx *ctx, const char *type, bool with_attrs, struct rg_opdesc **op);
/* slot `to` of the new op reads the forward op's input / output slot `from`, ... */
rg_status rg_grad_read_in(rg_grad_ctx *ctx, struct rg_opdesc *op, const char *to, const char *from);
rg_status rg_grad_read_out(rg_grad_ctx *ctx, struct rg_opdesc *op, const char *to,
                           const char *from);
/* ... or the gradients of the forward op's output slot `from`, ... */
rg_status rg_grad_read_grad(rg_grad_ctx *ctx, struct rg_opdesc *op, const char *to,
                            const char *from);
/* ... and writes the gradients of the forward op's input slot `from` (only number
 * `i` of it, where i >= 0). *wanted, if not NULL, says whether any is wanted. */
rg_status rg_grad_write(rg_grad_ctx *ctx, struct rg_opdesc *op, const char *to, const char *from,
                        int i, bool *wanted);
/* The gradient of the forward op, itself a gradient op, by what the flags of its own forward op
 * say: for a `grad` function that knows more than they. *op is the op that was added. */
rg_status rg_grad_linear(rg_grad_ctx *ctx, struct rg_opdesc **op);
rg_status rg_grad_diagonal(rg_grad_ctx *ctx);
/* RG_EUNIMPL: the forward op, a gradient op, has no gradient itself. */
rg_status rg_grad_missing(const rg_grad_ctx *ctx);
/* Whether the gradient of number `i` of input slot `from` is wanted. */
bool rg_grad_wanted(const rg_grad_ctx *ctx, const char *from, int i);
/* The forward op may leave its output `name` as it was: if that had a value before, the op's
 * input slot `slot` lists it from now on, so that its gradient is passed on. */
rg_status rg_grad_passes_on(rg_grad_ctx *ctx, const char *slot, const char *name);
/* The forward op's input slot `slot` lists `name`, too, from now on, if its block reads that and it
 * has a gradient. */
rg_status rg_grad_lists(rg_grad_ctx *ctx, const char *slot, const char *name);
/* Build the gradient of the forward op's sub-block; *block is its index. The block is given
 * the gradients of the op's outputs, of those inputs of a `loop` that are outputs too (what one
 * run leaves, the next one finds), and of its own variables `states`, n of them. */
rg_status rg_grad_sub_block(rg_grad_ctx *ctx, bool loop, const char *const *states, int n,
                            int *block);

#endif
