/* tfevents.h - the file that TensorBoard reads: records of Event messages, each with its length and
 * checksums. One thread at a time. */
#ifndef RG_WATCH_TFEVENTS_H
#define RG_WATCH_TFEVENTS_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_tf_scalar {
    const char *tag; /* "loss/train": what is before the slash is a group there */
    float value;
} rg_tf_scalar;

/* A record of these bytes, appended to `out`. */
void rg_tf_record(rg_buf *out, const void *bytes, size_t n);
/* The first record of a file. */
void rg_tf_version(rg_buf *out, double seconds);
/* A record with the values of one step. */
void rg_tf_scalars(rg_buf *out, double seconds, int64_t step, const rg_tf_scalar *scalars,
                   size_t n);

#endif
