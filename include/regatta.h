/* regatta.h - the public C API: load or build a program, run it, fetch, save. No Python.
 *
 *     rg_session *s;
 *     rg_session_open(&s);
 *     rg_session_load_program(s, "startup.pb", &startup);
 *     rg_session_load_program(s, "main.pb", &train);
 *     rg_session_run(s, startup, NULL, 0);
 *     rg_session_feed(s, "x", RG_TYPE_FLOAT32, (int64_t[]){20, 13}, 2, x);
 *     rg_session_run(s, train, (const char *[]){"mean_0.tmp_0"}, 1);
 *     rg_session_fetch(s, 0, &loss);
 *
 * Programs are ProgramDesc files: fluid's Program.desc.serialize_to_string(), `__model__`,
 * `*.pdmodel`. Every function that can fail returns 0 or an error number, and then
 * rg_last_error() says what is wrong. A session belongs to one thread at a time; sessions
 * are independent of each other. */
#ifndef REGATTA_H
#define REGATTA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RG_API __attribute__((visibility("default")))
#else
#define RG_API
#endif

typedef struct rg_session rg_session;

/* numbered as in saved programs */
typedef enum rg_type {
    RG_TYPE_BOOL = 0,
    RG_TYPE_INT16 = 1,
    RG_TYPE_INT32 = 2,
    RG_TYPE_INT64 = 3,
    RG_TYPE_FLOAT16 = 4,
    RG_TYPE_FLOAT32 = 5,
    RG_TYPE_FLOAT64 = 6,
    RG_TYPE_UINT8 = 20,
    RG_TYPE_INT8 = 21,
} rg_type;

/* A tensor that was fetched. Borrowed until the session is run again or closed. */
typedef struct rg_tensor_view {
    rg_type type;
    int rank;
    const int64_t *dims;
    const void *data;
    /* The last level of its sequences: `sequences` + 1 offsets; NULL where it has none. */
    const int64_t *offsets;
    int64_t sequences;
} rg_tensor_view;

/* "0.1.0" */
RG_API const char *rg_version(void);
/* The message of the last failure in this thread; never NULL. */
RG_API const char *rg_last_error(void);

/* An empty session; ended by rg_session_close(), which takes NULL too. A session whose programs
 * talk to servers is a trainer of theirs: closing it says goodbye, or, where its last run failed,
 * why. */
RG_API int rg_session_open(rg_session **session);
RG_API void rg_session_close(rg_session *session);

/* The program in the file `path`; *program is its number in this session. */
RG_API int rg_session_load_program(rg_session *session, const char *path, int *program);
RG_API int rg_session_load_program_bytes(rg_session *session, const void *bytes, size_t n,
                                         int *program);

/* ---- building ----
 *
 * A program is ops over named variables: `paddle ops NAME` shows an op with its slots and
 * attributes. Parameters get their start values from ops of another program, the startup program,
 * which is run once. */

/* An empty program; *program is its number in this session. */
RG_API int rg_session_new_program(rg_session *session, int *program);

typedef enum rg_use {
    RG_USE_DATA,      /* it is fed: no gradient */
    RG_USE_PARAMETER, /* it is kept, and trained by rg_session_minimize() */
    RG_USE_KEPT,      /* it is kept */
} rg_use;

/* Declare a variable. A dimension may be -1: any size. What ops write need not be declared. */
RG_API int rg_session_add_var(rg_session *session, int program, const char *name, rg_use use,
                              rg_type type, const int64_t *dims, int rank);

/* A variable in a slot of an op; a list of them ends with {NULL}. Several in one slot follow each
 * other. */
typedef struct rg_argument {
    const char *slot, *name;
} rg_argument;

typedef enum rg_attribute_type {
    RG_ATTRIBUTE_INT,
    RG_ATTRIBUTE_FLOAT,
    RG_ATTRIBUTE_TEXT,
    RG_ATTRIBUTE_INTS,
} rg_attribute_type;

/* An attribute of an op; a list of them ends with {NULL}. */
typedef struct rg_attribute {
    const char *name;
    rg_attribute_type type;
    int64_t number; /* INT, and whether (a bool) */
    double real;    /* FLOAT */
    const char *text;
    const int64_t *list; /* INTS, n of them */
    int n;
} rg_attribute;

/* Append an op. Its slots, attributes and shapes are checked; attributes may be NULL: defaults. */
RG_API int rg_session_add_op(rg_session *session, int program, const char *type,
                             const rg_argument *inputs, const rg_argument *outputs,
                             const rg_attribute *attributes);
/* Append the gradients of `loss`, a scalar, and a step of SGD at this rate for every parameter;
 * the rate's start value goes to the program `startup`. */
RG_API int rg_session_minimize(rg_session *session, int program, int startup, const char *loss,
                               double rate);
/* Write the program to a file, for rg_session_load_program() and for fluid. */
RG_API int rg_session_save_program(rg_session *session, int program, const char *path);

/* ---- running ---- */

/* A value for the variable `name`, copied; it stays fed until it is fed again. */
RG_API int rg_session_feed(rg_session *session, const char *name, rg_type type, const int64_t *dims,
                           int rank, const void *data);
/* As above, of sequences: offsets[0] = 0 ... offsets[sequences] = dims[0]. */
RG_API int rg_session_feed_sequences(rg_session *session, const char *name, rg_type type,
                                     const int64_t *dims, int rank, const void *data,
                                     const int64_t *offsets, int64_t sequences);

/* Run the program once with what is fed; the n variables `fetches` can be fetched then. */
RG_API int rg_session_run(rg_session *session, int program, const char *const *fetches, int n);
/* Number i of the fetches of the last run. */
RG_API int rg_session_fetch(rg_session *session, int i, rg_tensor_view *tensor);

/* Training on files of multi-slot text. Zero is the usual choice of every member but files. */
typedef struct rg_training {
    const char *const *files;
    size_t n_files;
    const char *const *slots; /* in the order of a line; NULL: the program's data, as declared */
    size_t n_slots;
    const char *pipe_command;   /* NULL: none, the files are read as they are */
    int batch_size;             /* 0: 1 */
    int threads;                /* 0: 1 */
    int in_memory;              /* load the files first, and keep them for all epochs */
    int shuffle;                /* in memory: before every epoch, by this seed; 0: not */
    int epochs;                 /* 0: 1 */
    int infer;                  /* compute, learn nothing */
    const char *const *fetches; /* shown at batch 0 and every print_period batches */
    size_t n_fetches;
    int print_period; /* 0: 100 */
} rg_training;

/* Run the program on every batch of the files. Progress goes to stderr (FLAGS_progress). */
RG_API int rg_session_train(rg_session *session, int program, const rg_training *training);

/* Write every persistable variable of the program to a file of its own in `folder`, whole
 * or not at all; and load them from such a folder, of Regatta's or of real Paddle's. */
RG_API int rg_session_save(rg_session *session, int program, const char *folder);
RG_API int rg_session_load(rg_session *session, int program, const char *folder);

#ifdef __cplusplus
}
#endif

#endif
