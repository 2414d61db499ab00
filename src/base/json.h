/* json.h - JSON, written and read.
 *
 * The reader is for lines that others wrote: it takes bytes and a count, allocates nothing, and
 * goes through them once, in the order that they have:
 *
 *     rg_json_reader r = {bytes, bytes + n};
 *     for (rg_json_open(&r, '{'); rg_json_member(&r, key, sizeof key);)
 *         strcmp(key, "t") == 0 ? rg_json_read_number(&r, &t) : rg_json_skip(&r);
 *     if (r.failed) ...
 *
 * After a failure all of them do nothing and give false, so that it is looked for once, at the end.
 * It does not find everything that is wrong (commas too many are passed over), but never goes
 * beyond the bytes, nor deeper than RG_JSON_DEPTH. */
#ifndef RG_BASE_JSON_H
#define RG_BASE_JSON_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { RG_JSON_DEPTH = 64 };

/* With its quotes. What is no UTF-8 becomes U+FFFD. */
void rg_json_string(rg_buf *out, const char *text);
void rg_json_bytes(rg_buf *out, const void *text, size_t n);
/* A member behind others; the key as it stands. */
void rg_json_add_text(rg_buf *out, const char *key, const char *text);
/* As Prometheus has them: what is no finite number is NaN, +Inf or -Inf. */
void rg_shortest_number(rg_buf *out, double value);
/* The same, with those in quotes, since JSON has none. */
void rg_json_number(rg_buf *out, double value);

typedef struct rg_json_reader {
    const char *at, *end;
    bool failed;
} rg_json_reader;

/* '{', '[', '"', 't', 'f', 'n', or '0' for a number; 0: nothing that begins a value. */
char rg_json_peek(rg_json_reader *r);
/* Into an object or an array. */
bool rg_json_open(rg_json_reader *r, char bracket);
/* To the next member; false: there is none, and the object is behind us. The key is cut to fit. */
bool rg_json_member(rg_json_reader *r, char *key, size_t size);
/* To the next element; false: there is none, and the array is behind us. */
bool rg_json_element(rg_json_reader *r);
/* A number, or "NaN", "+Inf", "-Inf" as they are written. */
bool rg_json_read_number(rg_json_reader *r, double *value);
/* Decoded, without NUL bytes, cut to fit at the end of a character. */
bool rg_json_read_string(rg_json_reader *r, char *out, size_t size);
bool rg_json_read_bool(rg_json_reader *r, bool *value);
/* Past any value. */
bool rg_json_skip(rg_json_reader *r);

#endif
