/* utf8.h - one character of a text that may be anything. */
#ifndef RG_BASE_UTF8_H
#define RG_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at `at` has, of which `left` are there, and which it is; 0: it is no
 * UTF-8. */
static inline size_t rg_utf8(const uint8_t *at, size_t left, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = at[0];
    *character = first;
    if (first < 0x80)
        return 1;
    size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (n == 0 || first > 0xf4 || n > left)
        return 0;
    uint32_t code = first & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    *character = code;
    return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : n;
}

#endif
