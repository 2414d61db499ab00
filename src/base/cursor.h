/* cursor.h - reading foreign bytes: every read is checked against what is left.
 *
 * A read past the end returns RG_ECORRUPT and leaves the cursor where it was. */
#ifndef RG_BASE_CURSOR_H
#define RG_BASE_CURSOR_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct rg_cursor {
    const uint8_t *at;
    size_t left;
} rg_cursor;

static inline rg_status rg_cursor_take(rg_cursor *c, size_t n, const uint8_t **bytes)
{
    if (n > c->left)
        return rg_fail(RG_ECORRUPT, "the data ends %zu bytes early", n - c->left);
    *bytes = c->at;
    c->at += n;
    c->left -= n;
    return RG_OK;
}

static inline rg_status rg_cursor_u32(rg_cursor *c, uint32_t *value)
{
    const uint8_t *b;
    RG_TRY(rg_cursor_take(c, 4, &b));
    *value = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return RG_OK;
}

static inline rg_status rg_cursor_u64(rg_cursor *c, uint64_t *value)
{
    uint32_t low, high;
    if (c->left < 8)
        return rg_fail(RG_ECORRUPT, "the data ends %zu bytes early", 8 - c->left);
    RG_TRY(rg_cursor_u32(c, &low));
    RG_TRY(rg_cursor_u32(c, &high));
    *value = (uint64_t)high << 32 | low;
    return RG_OK;
}

static inline rg_status rg_cursor_f64(rg_cursor *c, double *value)
{
    uint64_t bits;
    RG_TRY(rg_cursor_u64(c, &bits));
    memcpy(value, &bits, sizeof bits);
    return RG_OK;
}

/* All of it has been read. */
static inline rg_status rg_cursor_end(const rg_cursor *c)
{
    return c->left == 0 ? RG_OK : rg_fail(RG_ECORRUPT, "%zu bytes too many", c->left);
}

#endif
