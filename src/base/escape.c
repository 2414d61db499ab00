/* escape.c - control characters and what is no UTF-8, as text. */
#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How many bytes the character at `at` has; 0: it is none that may be shown as it is. */
static size_t character(const uint8_t *at, size_t left)
{
    uint8_t first = at[0];
    size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (n == 1)
        return first < ' ' || first == 0x7f ? 0 : 1;
    if (n == 0 || first > 0xf4 || n > left)
        return 0;
    uint32_t code = first & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool control = code < 0xa0;                       /* C1 */
    bool line_end = code == 0x2028 || code == 0x2029; /* to some readers */
    bool turned = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    bool none = code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    return control || line_end || turned || none ? 0 : n;
}

size_t rg_escape(char *out, size_t size, const void *text, size_t n)
{
    const uint8_t *at = text;
    size_t used = 0;
    while (n > 0) {
        char escaped[5];
        size_t whole = character(at, n), take = whole ? whole : 1;
        const char *piece = (const char *)at;
        size_t bytes = whole;
        if (whole == 0) {
            if (*at == '\n' || *at == '\t')
                bytes = (size_t)snprintf(escaped, sizeof escaped, "\\%c", *at == '\n' ? 'n' : 't');
            else
                bytes = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", *at);
            piece = escaped;
        }
        if (used + bytes >= size)
            break;
        memcpy(out + used, piece, bytes);
        used += bytes;
        at += take;
        n -= take;
    }
    out[used] = '\0';
    return used;
}
