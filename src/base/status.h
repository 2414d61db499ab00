/* status.h - how every fallible function in this project reports failure.
 *
 * A function that can fail returns rg_status. RG_OK is zero, so the caller's
 * idiom is one line:
 *
 *     RG_TRY(rg_table_pull(table, ids, n, rows));
 *
 * The code says what the program may do about it (retry, fall back, give up).
 * The message says what a person may do about it, and is kept per thread. A
 * function that fails writes the message with rg_fail(); each caller that
 * knows something the callee could not (the op, the file, the peer) adds it
 * with rg_context(). Nobody else prints: logging an error and returning it
 * would report one fault twice. */
#ifndef RG_BASE_STATUS_H
#define RG_BASE_STATUS_H

#include <stddef.h>

typedef enum rg_status {
    RG_OK = 0,
    RG_EINVAL,   /* the caller broke the contract written in the header      */
    RG_ESHAPE,   /* tensors whose shapes or dtypes do not fit the operator   */
    RG_ENOMEM,   /* the allocator, or a configured limit, refused            */
    RG_EIO,      /* the operating system refused; the message has strerror   */
    RG_ECORRUPT, /* bytes read do not have the form they claim to have       */
    RG_ETOOBIG,  /* a declared length is over the limit for its kind         */
    RG_ETIMEOUT, /* a deadline passed                                        */
    RG_ECLOSED,  /* the peer has gone                                        */
    RG_EDENIED,  /* the peer may not do this                                 */
    RG_ESTALE,   /* from an earlier life of the sender                       */
    RG_ENOENT,   /* no such file, variable, operator, ...                    */
    RG_EUNIMPL,  /* known to the format, not implemented here                */
    RG_EVALUE,   /* a value in a tensor is outside what the operator takes   */
    RG_EOF,      /* the reader has no further batch                          */
} rg_status;

const char *rg_status_name(rg_status code);

/* The message of the last failure in this thread. Borrowed until the next
 * failure in this thread; never NULL. */
const char *rg_error_message(void);

/* Set the message and return `code`, so that `return rg_fail(...)` is a line. (Macros, so
 * that the compiler sees that a constant code is not RG_OK.) */
#define rg_fail(code, ...) (rg_set_message(__VA_ARGS__), (code))
/* Put "context: " in front of the present message and return `code`. */
#define rg_context(code, ...) (rg_add_context(__VA_ARGS__), (code))

void rg_set_message(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold));
void rg_add_context(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold));

#define RG_TRY(call)                                                                               \
    do {                                                                                           \
        rg_status rg_try_code_ = (call);                                                           \
        if (__builtin_expect(rg_try_code_ != RG_OK, 0))                                            \
            return rg_try_code_;                                                                   \
    } while (0)

/* As RG_TRY, where something must be released: jumps to `done` with `code` set. */
#define RG_TRY_GOTO(code, call)                                                                    \
    do {                                                                                           \
        (code) = (call);                                                                           \
        if (__builtin_expect((code) != RG_OK, 0))                                                  \
            goto done;                                                                             \
    } while (0)

#endif
