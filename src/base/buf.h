/* buf.h - a growing run of bytes with a maximum.
 *
 * Failure is sticky: after an append that found no memory, or went over `max`,
 * further appends do nothing, and rg_buf_status() reports it once at the end.
 * So building a text is a list of calls without a check at each. */
#ifndef RG_BASE_BUF_H
#define RG_BASE_BUF_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_buf {
    uint8_t *data; /* owned; NUL-terminated at data[len] once anything was appended */
    size_t len, cap, max;
    rg_status failed;
} rg_buf;

/* max 0: no limit but memory. */
void rg_buf_init(rg_buf *buf, size_t max);
void rg_buf_fini(rg_buf *buf);
void rg_buf_clear(rg_buf *buf);

void rg_buf_add(rg_buf *buf, const void *bytes, size_t n);
void rg_buf_text(rg_buf *buf, const char *text);
void rg_buf_char(rg_buf *buf, char c);
void rg_buf_printf(rg_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void rg_buf_u32(rg_buf *buf, uint32_t value); /* little-endian */
void rg_buf_u64(rg_buf *buf, uint64_t value);
void rg_buf_f64(rg_buf *buf, double value);
/* n bytes whose content the caller sets: they begin where the buffer ended. */
void rg_buf_room(rg_buf *buf, size_t n);

/* RG_OK, or the first failure. */
rg_status rg_buf_status(const rg_buf *buf);
/* The text so far, never NULL. Borrowed until the next append. */
const char *rg_buf_cstr(const rg_buf *buf);
/* The bytes, now the caller's to rg_free(); the buffer is empty afterwards. */
char *rg_buf_take(rg_buf *buf);

#endif
