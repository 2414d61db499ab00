/* criteo.c - raw Criteo lines to multi-slot text. */
#include "data/criteo.h"

#include "base/mem.h"
#include "data/text_priv.h"

#include <pthread.h>
#include <string.h>

enum { COUNTS = 13, CATEGORIES = 26, FIRST_CATEGORY = 14, MAX_CATEGORY = 64, MAX_DIGITS = 12 };
enum { READ_BYTES = 1 << 20, WRITE_BYTES = 1 << 20 };

static const int low[COUNTS] = {0, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int span[COUNTS] = {20, 603, 100, 50, 64000, 500, 100, 50, 500, 10, 10, 10, 50};

/* ---- CRC-32 of eight bytes at a time ---- */

static uint32_t table[8][256];
static uint32_t after_number[CATEGORIES]; /* the checksum of "14" .. "39", not yet inverted */
static char pairs[200];                   /* "00" .. "99" */
static pthread_once_t made = PTHREAD_ONCE_INIT;

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    return crc >> 8 ^ table[0][(crc ^ byte) & 255];
}

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    for (size_t i = 0; i < 100; i++) {
        pairs[2 * i] = (char)('0' + i / 10);
        pairs[2 * i + 1] = (char)('0' + i % 10);
    }
    for (int i = 0; i < CATEGORIES; i++) {
        int number = FIRST_CATEGORY + i;
        uint32_t crc = crc_byte(0xffffffffu, (uint8_t)('0' + number / 10));
        after_number[i] = crc_byte(crc, (uint8_t)('0' + number % 10));
    }
}

static uint32_t hash_category(int field, const char *text, size_t n)
{
    uint32_t crc = after_number[field];
    if (n == 8) {
        const uint8_t *b = (const uint8_t *)text;
        uint32_t head = crc ^ ((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                               (uint32_t)b[3] << 24);
        crc = table[7][head & 255] ^ table[6][head >> 8 & 255] ^ table[5][head >> 16 & 255] ^
              table[4][head >> 24] ^ table[3][b[4]] ^ table[2][b[5]] ^ table[1][b[6]] ^
              table[0][b[7]];
    } else {
        for (size_t i = 0; i < n; i++)
            crc = crc_byte(crc, (uint8_t)text[i]);
    }
    return ~crc;
}

/* ---- numbers ---- */

static char *put_whole(char *to, uint64_t value)
{
    char text[24], *at = text + sizeof text;
    while (value >= 100) {
        at -= 2;
        memcpy(at, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    at -= 2;
    memcpy(at, pairs + value * 2, 2);
    at += value < 10;
    size_t n = (size_t)(text + sizeof text - at);
    memcpy(to, at, n);
    return to + n;
}

/* A number of millionths, as Python writes the float: 0.05, 3.0, 1.2e-05. */
static char *put_millionths(char *to, int64_t millionths)
{
    if (millionths < 0)
        *to++ = '-';
    uint64_t value = millionths < 0 ? 0 - (uint64_t)millionths : (uint64_t)millionths;
    if (value > 0 && value < 100) {
        uint64_t first = value >= 10 ? value / 10 : value, second = value >= 10 ? value % 10 : 0;
        *to++ = (char)('0' + first);
        if (second > 0) {
            *to++ = '.';
            *to++ = (char)('0' + second);
        }
        memcpy(to, value >= 10 ? "e-05" : "e-06", 4);
        return to + 4;
    }
    to = put_whole(to, value / 1000000);
    *to++ = '.';
    uint32_t part = (uint32_t)(value % 1000000);
    do {
        *to++ = (char)('0' + part / 100000);
        part = part % 100000 * 10;
    } while (part > 0);
    return to;
}

/* ---- one line ---- */

static rg_status bad_field(int field, const char *text, size_t n, const char *wanted)
{
    char shown[40];
    size_t length = 0;
    for (; length < n && length < sizeof shown - 1; length++)
        shown[length] = (char)((unsigned char)(text[length] - 0x20) < 0x5f ? text[length] : '?');
    shown[length] = '\0';
    return rg_fail(RG_EVALUE, "field %d: got '%s', wanted %s", field + 1, shown, wanted);
}

static rg_status put_count(int i, const char *text, size_t n, char **to)
{
    bool negative = n > 0 && text[0] == '-';
    int64_t value = 0;
    size_t first = negative, at = first;
    for (; at < n && text[at] >= '0' && text[at] <= '9' && at < first + MAX_DIGITS; at++)
        value = value * 10 + (text[at] - '0');
    if (at < n || (negative && n == 1))
        return bad_field(i + 1, text, n, "a whole number of at most 12 digits, or nothing");
    int64_t scaled = 0;
    if (n > 0) {
        int64_t twice = ((negative ? -value : value) - low[i]) * 2000000 + span[i];
        int64_t whole = 2 * (int64_t)span[i];
        scaled = twice / whole - (twice % whole < 0); /* rounded down: halves go up */
    }
    *(*to)++ = ' ';
    *to = put_millionths(*to, scaled);
    return RG_OK;
}

static rg_status put_label(const char *text, size_t n, char *to, char **after)
{
    if (n != 1 || text[0] < '0' || text[0] > '9')
        return bad_field(0, text, n, "a label of one digit");
    memcpy(to, " 1 ", 3);
    to[3] = text[0];
    to[4] = '\n';
    *after = to + 5;
    return RG_OK;
}

rg_status rg_criteo_line(const char *text, const char *end, uint64_t buckets,
                         char out[RG_CRITEO_LINE_BYTES], size_t *n)
{
    (void)pthread_once(&made, make_tables);
    const char *p = text, *label = text;
    size_t label_bytes = 0;
    char *to = out;
    if (end > text && end[-1] == '\r')
        end--;
    *to++ = '1';
    *to++ = '3';
    for (int field = 0; field < 1 + COUNTS + CATEGORIES; field++) {
        const char *q = p;
        while (q < end && *q != '\t')
            q++;
        size_t bytes = (size_t)(q - p);
        if (field == 0) {
            label_bytes = bytes;
        } else if (field <= COUNTS) {
            RG_TRY(put_count(field - 1, p, bytes, &to));
        } else {
            if (bytes > MAX_CATEGORY)
                return bad_field(field, p, bytes, "at most 64 bytes");
            uint32_t hash = hash_category(field - FIRST_CATEGORY, p, bytes);
            memcpy(to, " 1 ", 3);
            to = put_whole(to + 3, hash % buckets);
        }
        if ((q == end) != (field == COUNTS + CATEGORIES))
            return rg_fail(RG_EVALUE,
                           "got %s%d fields, wanted 40 (label, 13 counts, 26 categories)",
                           q == end ? "" : "more than ", field + 1);
        p = q + 1;
    }
    RG_TRY(put_label(label, label_bytes, to, &to));
    *n = (size_t)(to - out);
    return RG_OK;
}

/* ---- files ---- */

typedef struct conversion {
    uint64_t buckets, line;
    rg_criteo_write write;
    void *arg;
    char *in, *out;
    size_t n_out;
} conversion;

static rg_status convert_lines(conversion *c, const char *text, size_t n, size_t *used)
{
    const char *p = text, *last = text + n, *end;
    while (p < last && (end = memchr(p, '\n', (size_t)(last - p))) != NULL) {
        size_t made_bytes;
        c->line++;
        RG_TRY(rg_criteo_line(p, end, c->buckets, c->out + c->n_out, &made_bytes));
        c->n_out += made_bytes;
        if (c->n_out > WRITE_BYTES) {
            RG_TRY(c->write(c->arg, c->out, c->n_out));
            c->n_out = 0;
        }
        p = end + 1;
    }
    *used = (size_t)(p - text);
    return RG_OK;
}

static rg_status convert_text(conversion *c, rg_text *text)
{
    size_t have = 0, got, used;
    for (;;) {
        if (have + 1 >= READ_BYTES)
            return rg_fail(RG_ETOOBIG, "the line is longer than %d bytes", READ_BYTES);
        RG_TRY(rg_text_read(text, c->in + have, READ_BYTES - have - 1, &got));
        have += got;
        if (got == 0 && have > 0)
            c->in[have++] = '\n';
        if (have == 0)
            break;
        RG_TRY(convert_lines(c, c->in, have, &used));
        memmove(c->in, c->in + used, have - used);
        have -= used;
        if (got == 0)
            break;
    }
    return c->n_out > 0 ? c->write(c->arg, c->out, c->n_out) : RG_OK;
}

rg_status rg_criteo_convert(const char *file, uint64_t buckets, rg_criteo_write write, void *arg)
{
    if (buckets < 1 || buckets > (uint64_t)1 << 32)
        return rg_fail(RG_EINVAL, "%llu buckets, and there must be 1 to 2^32",
                       (unsigned long long)buckets);
    conversion c = {.buckets = buckets, .write = write, .arg = arg};
    rg_text_config config = {.stream = true};
    rg_text *text;
    RG_TRY(rg_text_open(&text, &config, file));
    c.in = rg_alloc(READ_BYTES);
    c.out = rg_alloc(WRITE_BYTES + RG_CRITEO_LINE_BYTES);
    rg_status code = c.in && c.out ? RG_OK : rg_no_memory(READ_BYTES + WRITE_BYTES, file);
    if (code == RG_OK && (code = convert_text(&c, text)) == RG_EVALUE)
        code = rg_context(code, "%s:%llu", file, (unsigned long long)c.line);
    rg_free(c.in);
    rg_free(c.out);
    rg_text_close(text);
    return code;
}
