/* escape.c - control characters and what is no UTF-8, as text. */
#include "base/escape.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How many bytes the character at `at` has; 0: it is none that may be shown as it is. */
static size_t character(const uint8_t *at, size_t left)
{
    uint32_t code;
    size_t n = rg_utf8(at, left, &code);
    bool control = code < ' ' || (code >= 0x7f && code < 0xa0);
    bool line_end = code == 0x2028 || code == 0x2029; /* to some readers */
    bool turned = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || line_end || turned ? 0 : n;
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
