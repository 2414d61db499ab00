/* json.c - JSON, written and read. */
#include "base/json.h"

#include "base/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

void rg_json_bytes(rg_buf *out, const void *text, size_t n)
{
    const uint8_t *at = text, *end = at + n;
    rg_buf_char(out, '"');
    while (at < end) {
        uint32_t character;
        size_t whole = rg_utf8(at, (size_t)(end - at), &character);
        if (whole == 0)
            rg_buf_text(out, "\\ufffd");
        else if (*at < ' ' || *at == 0x7f)
            rg_buf_printf(out, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            rg_buf_printf(out, "\\%c", *at);
        else
            rg_buf_add(out, at, whole);
        at += whole ? whole : 1;
    }
    rg_buf_char(out, '"');
}

void rg_json_string(rg_buf *out, const char *text)
{
    rg_json_bytes(out, text, strlen(text));
}

void rg_json_add_text(rg_buf *out, const char *key, const char *text)
{
    rg_buf_printf(out, ",\"%s\":", key);
    rg_json_string(out, text);
}

void rg_shortest_number(rg_buf *out, double value)
{
    if (isnan(value))
        rg_buf_text(out, "NaN");
    else if (isinf(value))
        rg_buf_text(out, value > 0 ? "+Inf" : "-Inf");
    else if (fabs(value) < 1e15 && floor(value) == value)
        rg_buf_printf(out, "%.0f", value == 0 ? 0.0 : value);
    else
        rg_buf_printf(out, "%.13g", value); /* of a time since 1970, ms */
}

void rg_json_number(rg_buf *out, double value)
{
    const char *quote = isfinite(value) ? "" : "\"";
    rg_buf_text(out, quote);
    rg_shortest_number(out, value);
    rg_buf_text(out, quote);
}

/* ---- reading ---- */

static bool fail(rg_json_reader *r)
{
    r->failed = true;
    r->at = r->end;
    return false;
}

static void skip_spaces(rg_json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

char rg_json_peek(rg_json_reader *r)
{
    skip_spaces(r);
    if (r->failed || r->at == r->end)
        return 0;
    char c = *r->at;
    if (c == '-' || (c >= '0' && c <= '9'))
        return '0';
    return c != '\0' && strchr("{[\"tfn", c) != NULL ? c : 0;
}

bool rg_json_open(rg_json_reader *r, char bracket)
{
    if (rg_json_peek(r) != bracket)
        return fail(r);
    r->at++;
    return true;
}

/* Past commas; false at the closing bracket, which is passed, too. */
static bool next(rg_json_reader *r, char closing)
{
    skip_spaces(r);
    while (r->at < r->end && *r->at == ',') {
        r->at++;
        skip_spaces(r);
    }
    if (r->failed || r->at == r->end)
        return fail(r);
    if (*r->at != closing)
        return true;
    r->at++;
    return false;
}

bool rg_json_member(rg_json_reader *r, char *key, size_t size)
{
    if (!next(r, '}') || !rg_json_read_string(r, key, size))
        return false;
    skip_spaces(r);
    if (r->at == r->end || *r->at != ':')
        return fail(r);
    r->at++;
    return true;
}

bool rg_json_element(rg_json_reader *r)
{
    return next(r, ']');
}

/* ---- texts ---- */

static bool read_hex(rg_json_reader *r, uint32_t *code)
{
    *code = 0;
    if (r->end - r->at < 4)
        return fail(r);
    for (int i = 0; i < 4; i++) {
        char c = *r->at++, low = (char)(c | 0x20);
        int digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0)
            return fail(r);
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

/* What follows a backslash. */
static bool read_escape(rg_json_reader *r, uint32_t *code)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return fail(r);
    char c = *r->at++;
    const char *found = c != '\0' ? strchr(names, c) : NULL;
    if (found != NULL) {
        *code = (uint8_t)means[found - names];
        return true;
    }
    if (c != 'u')
        return fail(r);
    if (!read_hex(r, code))
        return false;
    uint32_t low;
    if (*code >= 0xd800 && *code < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        if (!read_hex(r, &low))
            return false;
        *code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00)
                                              : 0xfffd;
    }
    if ((*code >= 0xd800 && *code < 0xe000) || *code == 0)
        *code = 0xfffd;
    return true;
}

static size_t encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(first[n] | code);
    return n;
}

bool rg_json_read_string(rg_json_reader *r, char *out, size_t size)
{
    size_t used = 0;
    bool full = false;
    if (rg_json_peek(r) != '"')
        return fail(r);
    for (r->at++; r->at < r->end && *r->at != '"';) {
        char made[4];
        const char *piece = r->at;
        uint32_t code;
        size_t n = rg_utf8((const uint8_t *)piece, (size_t)(r->end - r->at), &code);
        if (*piece == '\\') {
            r->at++;
            if (!read_escape(r, &code))
                return false;
            n = encode(code, made);
            piece = made;
        } else if (n == 0 || *piece == '\0') {
            return fail(r);
        } else {
            r->at += n;
        }
        full = full || used + n >= size;
        if (!full) {
            memcpy(out + used, piece, n);
            used += n;
        }
    }
    if (r->at == r->end)
        return fail(r);
    r->at++;
    if (size > 0)
        out[used] = '\0';
    return true;
}

/* ---- other values ---- */

bool rg_json_read_number(rg_json_reader *r, double *value)
{
    char text[40];
    size_t n = 0;
    char kind = rg_json_peek(r);
    if (kind == '"') {
        if (!rg_json_read_string(r, text, sizeof text))
            return false;
        if (strcmp(text, "NaN") != 0 && strcmp(text, "+Inf") != 0 && strcmp(text, "-Inf") != 0)
            return fail(r);
        *value = text[0] == 'N' ? NAN : text[0] == '+' ? INFINITY : -INFINITY;
        return true;
    }
    if (kind != '0')
        return fail(r);
    while (r->at < r->end && n + 1 < sizeof text && *r->at != '\0' &&
           strchr("+-.eE0123456789", *r->at) != NULL)
        text[n++] = *r->at++;
    text[n] = '\0';
    char *end;
    *value = strtod(text, &end);
    return *end == '\0' ? true : fail(r);
}

static bool take_word(rg_json_reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return fail(r);
    r->at += n;
    return true;
}

bool rg_json_read_bool(rg_json_reader *r, bool *value)
{
    *value = rg_json_peek(r) == 't';
    return take_word(r, *value ? "true" : "false");
}

static bool skip_plain(rg_json_reader *r, char kind)
{
    double number;
    switch (kind) {
    case '"':
        return rg_json_read_string(r, NULL, 0);
    case '0':
        return rg_json_read_number(r, &number);
    case 't':
        return take_word(r, "true");
    case 'f':
        return take_word(r, "false");
    case 'n':
        return take_word(r, "null");
    default:
        return fail(r);
    }
}

bool rg_json_skip(rg_json_reader *r)
{
    char open[RG_JSON_DEPTH];
    int depth = 0;
    do {
        if (depth > 0 &&
            !(open[depth - 1] == '{' ? rg_json_member(r, NULL, 0) : rg_json_element(r))) {
            if (r->failed)
                return false;
            depth--;
            continue;
        }
        char kind = rg_json_peek(r);
        if (kind == '{' || kind == '[') {
            if (depth == RG_JSON_DEPTH)
                return fail(r);
            open[depth++] = kind;
            r->at++;
        } else if (!skip_plain(r, kind)) {
            return false;
        }
    } while (depth > 0);
    return true;
}
