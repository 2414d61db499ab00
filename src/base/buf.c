/* buf.c - the growing bytes behind base/buf.h. */
#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rg_buf_init(rg_buf *buf, size_t max)
{
    *buf = (rg_buf){.max = max};
}

void rg_buf_fini(rg_buf *buf)
{
    rg_free(buf->data);
    *buf = (rg_buf){.max = buf->max};
}

void rg_buf_clear(rg_buf *buf)
{
    buf->len = 0;
    buf->failed = RG_OK;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

/* Room for n more bytes and the final NUL. */
static bool reserve(rg_buf *buf, size_t n)
{
    size_t need;
    if (buf->failed != RG_OK)
        return false;
    if (!rg_add_size(buf->len, n, &need) || need == SIZE_MAX ||
        (buf->max != 0 && need > buf->max)) {
        buf->failed = rg_fail(RG_ETOOBIG, "a buffer of more than %zu bytes", buf->max);
        return false;
    }
    if (need + 1 <= buf->cap)
        return true;
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap < need + 1)
        cap = cap > SIZE_MAX / 2 ? need + 1 : cap * 2;
    uint8_t *bigger = rg_realloc(buf->data, cap);
    if (bigger == NULL) {
        buf->failed = rg_no_memory(cap, "a buffer");
        return false;
    }
    buf->data = bigger;
    buf->cap = cap;
    return true;
}

void rg_buf_add(rg_buf *buf, const void *bytes, size_t n)
{
    if (!reserve(buf, n))
        return;
    if (n > 0)
        memcpy(buf->data + buf->len, bytes, n);
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void rg_buf_room(rg_buf *buf, size_t n)
{
    if (!reserve(buf, n))
        return;
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void rg_buf_text(rg_buf *buf, const char *text)
{
    rg_buf_add(buf, text, strlen(text));
}

void rg_buf_char(rg_buf *buf, char c)
{
    rg_buf_add(buf, &c, 1);
}

void rg_buf_printf(rg_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0 || !reserve(buf, (size_t)n))
        return;
    va_start(args, fmt);
    (void)vsnprintf((char *)buf->data + buf->len, (size_t)n + 1, fmt, args);
    va_end(args);
    buf->len += (size_t)n;
}

void rg_buf_u32(rg_buf *buf, uint32_t value)
{
    uint8_t b[4];
    for (int i = 0; i < 4; i++)
        b[i] = (uint8_t)(value >> (8 * i));
    rg_buf_add(buf, b, sizeof b);
}

void rg_buf_u64(rg_buf *buf, uint64_t value)
{
    rg_buf_u32(buf, (uint32_t)value);
    rg_buf_u32(buf, (uint32_t)(value >> 32));
}

void rg_buf_f64(rg_buf *buf, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rg_buf_u64(buf, bits);
}

rg_status rg_buf_status(const rg_buf *buf)
{
    return buf->failed;
}

const char *rg_buf_cstr(const rg_buf *buf)
{
    return buf->data ? (const char *)buf->data : "";
}

char *rg_buf_take(rg_buf *buf)
{
    char *text = (char *)buf->data;
    *buf = (rg_buf){.max = buf->max};
    return text;
}
